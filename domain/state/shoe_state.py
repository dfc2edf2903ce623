"""The state of a shoe: everything its events say, folded one by one.

`evolve` never refuses: a bet on a coup that was never opened, a payment of a bet that nobody
placed, a fifth card, a second burn are kept as they came, for the auditor to read.
"""

from typing import Literal

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.bank_state import Bank, OfferOrder
from sabot.domain.state.coup_state import BankedCoup, Coup
from sabot.domain.state.table_state import Table
from sabot.domain.timeline.ordering import Order


class CutCard(Struct, frozen=True):
    """The moment the cut card was seen, and the coup in play then (None: between coups).

    ``begun`` is the highest number of the coups that events had told of by then, 0 for none.
    """

    event: RecordedEvent[ev.CutCardReached]
    during: int | None
    begun: int = 0


class Shoe(Struct):
    """A shoe as its events have it.

    ``left`` are the cards that left it, burned or drawn, in order. ``cut_offers`` are the offers of
    the cut and the refusals, ``crew_changes`` who took a post or left it. ``taken_after`` is the
    coup before the first that the present holder deals. ``staff`` are all who stood at a post;
    ``leavings`` the patrons who left, with the commission that they owed then. ``order`` is set
    where its events were put in their order at the table (`sabot.domain.audit.table_order`), or
    that order is in doubt. ``seqs_in_other_streams`` says of a device and the first number that it
    skips here, how many of the numbers skipped are in other streams of the log; it is None where
    nobody has looked, and empty where no number is skipped. ``at_table`` is the record of its
    table, where there is one and somebody looked (`sabot.domain.state.table_context`).

    Where patrons bank, ``bank`` is the one that lies on the table now and ``banks`` are all that
    did, in order; ``bids`` what was bid for it, ``listed`` who put his name down for it, ``funds``
    what was proven; ``offers`` whom it could be offered to each time
    that it was. ``match`` is what a successor has to put up to
    take a bank over, ``unmatched`` those who would not; then anybody has it at any amount.
    """

    stream: str
    history: list[RecordedEvent] = []
    loaded: RecordedEvent[ev.ShoeLoaded] | None = None
    pack: RulePack | None = None
    pack_text: str = ""
    pack_fault: str = ""
    coverage: Literal["whole", "coups"] = "whole"
    decks: int = 0
    table: str | None = None
    inspected: list[RecordedEvent[ev.CardsInspected]] = []
    shuffles: list[RecordedEvent[ev.ShoeShuffled]] = []
    cut_offers: list[RecordedEvent[ev.CutOffered | ev.CutRefused]] = []
    cutters: list[RecordedEvent[ev.CutterNamed]] = []
    cuts: list[RecordedEvent[ev.ShoeCut]] = []
    stop_cards: list[RecordedEvent[ev.StopCardPlaced]] = []
    left: list[RecordedEvent[ev.CardBurned | ev.CardDrawn]] = []
    burned: list[RecordedEvent[ev.CardBurned]] = []
    coups: dict[int, Coup] = {}
    current: Coup | None = None
    cut_card: CutCard | None = None
    last_coup_called: list[RecordedEvent[ev.LastCoupCalled]] = []
    committed: list[RecordedEvent[ev.OrderCommitted]] = []
    order_opened: list[RecordedEvent[ev.OrderOpened]] = []
    ended: RecordedEvent[ev.ShoeEnded] | None = None
    seats: dict[int, str] = {}
    seatings: list[
        tuple[RecordedEvent[ev.ShoeLoaded | ev.PatronSeated | ev.PatronMoved], int, str]
    ] = []
    crew: dict[str, str] = {}
    crew_changes: list[RecordedEvent[ev.CrewChanged]] = []
    staff: set[str] = set()
    leavings: list[tuple[RecordedEvent[ev.PatronLeft], str, int]] = []
    limits_changed: list[RecordedEvent[ev.LimitsChanged]] = []
    limits: tuple[ev.Limit, ...] = ()
    holder: str | None = None
    last_holder: str | None = None
    offered: str | None = None
    refused: list[str] = []
    match: int | None = None
    unmatched: list[str] = []
    bids: list[RecordedEvent[bank_ev.BankBid]] = []
    listed: list[RecordedEvent[bank_ev.BankListed]] = []
    funds: list[RecordedEvent[bank_ev.FundsProven]] = []
    sessions: list[RecordedEvent[bank_ev.SessionCalled]] = []
    offers: list[tuple[RecordedEvent[ev.ShoeOffered], OfferOrder]] = []
    bank: Bank | None = None
    banks: list[Bank] = []
    taken_after: int = 0
    shoe_moves: list[
        RecordedEvent[ev.ShoeOffered | ev.ShoeTaken | ev.ShoeRefused | ev.ShoePassed]
    ] = []
    owed_commission: dict[str, int] = {}
    requests: list[RecordedEvent[ev.RequestMade]] = []
    irregularities: list[RecordedEvent[ev.IrregularityNoted]] = []
    shuffler_faults: list[RecordedEvent[ev.ShufflerFailed]] = []
    abandoned: list[RecordedEvent[ev.BetAbandoned]] = []
    unmatched_events: list[RecordedEvent] = []
    corrections: list[RecordedEvent[ev.EventCorrected]] = []
    order: Order | None = None
    seqs_in_other_streams: dict[tuple[str, int], int] | None = None
    at_table: Table | None = None

    @property
    def name(self) -> str:
        """The name by which people call it: its stream without ``shoe/``."""
        return self.stream.removeprefix("shoe/")

    @property
    def version(self) -> int:
        """The version of its last event; 0 where it has none."""
        return self.history[-1].position if self.history else 0

    @property
    def size(self) -> int:
        """How many cards were loaded."""
        return 52 * self.decks

    def coup(self, number: int) -> Coup:
        """Return a coup, made now where no event has named it yet.

        The events that are most of a shoe look into ``coups`` first, which spares them a call.
        """
        coup = self.coups.get(number)
        if coup is None:
            coup = self.coups[number] = Coup(number)
        return coup


def order_of_play(shoe: Shoe, after: str | None) -> list[str]:
    """Return those who sit, in the order in which they play: from beside ``after``, who is last.

    At two tableaux that is the banker's right, his left, the next on his right, and so on.

    Seats are numbered counter-clockwise from the dealer's right; the pack says which way round
    the table plays. Where ``after`` does not sit there, the order begins at the dealer.
    """
    if shoe.pack is not None and shoe.pack.tableaux is not None:
        return _around_the_middle(shoe)
    seats = sorted(shoe.seats)
    if shoe.pack is not None and shoe.pack.table.direction == "clockwise":
        seats.reverse()
    held = next((seat for seat in seats if shoe.seats[seat] == after), None)
    if held is not None:
        turn = seats.index(held) + 1
        seats = seats[turn:] + seats[:turn]
    return [shoe.seats[seat] for seat in seats]


def tableaux_of(shoe: Shoe) -> tuple[list[str], list[str]]:
    """Return who sits on the banker's right tableau and on his left, nearest to him first.

    His is the place in the middle, opposite the croupier; seats are numbered counter-clockwise
    from the croupier's right, so that the right tableau has the higher numbers.
    """
    middle = middle_of(shoe)
    seats = sorted(shoe.seats)
    right = [shoe.seats[seat] for seat in seats if seat > middle]
    left = [shoe.seats[seat] for seat in reversed(seats) if seat < middle]
    return right, left


def middle_of(shoe: Shoe) -> int:
    """Return the number of the place between the two tableaux, which is the banker's."""
    return ((shoe.pack.table.seats if shoe.pack is not None else 0) + 1) // 2


def _around_the_middle(shoe: Shoe) -> list[str]:
    """Return those who sit: right and left in turn, each from beside the banker; he is last."""
    middle = middle_of(shoe)
    seats = sorted(shoe.seats, key=lambda seat: (abs(seat - middle), seat < middle))
    return [shoe.seats[seat] for seat in seats if seat != middle] + [
        shoe.seats[seat] for seat in seats if seat == middle
    ]


def asked_now(shoe: Shoe) -> OfferOrder:
    """Return who can be asked to take the shoe, or the bank, as it stands."""
    return OfferOrder(
        tuple(order_of_play(shoe, shoe.last_holder)),
        shoe.last_holder,
        shoe.match,
        tuple(shoe.unmatched),
        tuple(shoe.refused),
    )


def banked_of(shoe: Shoe, coup: Coup) -> BankedCoup:
    """Return what people decided in a coup, begun now where no event has told of it yet."""
    if coup.banked is None:
        bank = shoe.bank
        coup.banked = BankedCoup()
        if bank is not None:
            coup.banked = _begun(shoe, bank)
    return coup.banked


def _begun(shoe: Shoe, bank: Bank) -> BankedCoup:
    order = tuple(who for who in order_of_play(shoe, bank.holder) if who != bank.holder)
    tableaux = shoe.pack.tableaux if shoe.pack is not None else None
    right, left = tableaux_of(shoe) if tableaux is not None else ([], [])
    middle = middle_of(shoe)
    return BankedCoup(
        bank.holder,
        bank.amount,
        order,
        tuple(who for who in right if who != bank.holder),
        tuple(who for who in left if who != bank.holder),
        {who: abs(seat - middle) for seat, who in shoe.seats.items()} if tableaux else {},
        bank.unlimited or (tableaux is not None and tableaux.bank == "open"),
        len(shoe.banks),
    )
