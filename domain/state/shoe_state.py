"""The state of a shoe, computed from its events.

No event is refused. A bet on an unopened coup, the payment of an unknown bet, a fifth card or a
second burn are kept for the audit.
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
    """The appearance of the cut card.

    ``during`` is the coup in play, None between coups. ``begun`` is the highest number of a coup
    that had an event by then, or 0.
    """

    event: RecordedEvent[ev.CutCardReached]
    during: int | None
    begun: int = 0


class Shoe(Struct):
    """A shoe, computed from its events.

    ``left`` holds the cards that left the shoe, burned or drawn, in order. A card that was dealt
    to a hand may be burned afterwards: ``burned_off_hands`` has the positions of these events.
    ``cut_offers`` holds offers and refusals of the cut. ``taken_after`` is the last coup before the
    present holder took the shoe. ``staff`` holds everyone who held a post. ``leavings`` holds the
    patrons who left, with the commission that they owed, in minor units. ``vacated`` maps patrons
    who left to the seats that they had.

    ``order`` is set if the events were put in table order (`sabot.domain.audit.table_order`) or if
    that order is in doubt. ``seqs_in_other_streams`` maps a device and the first sequence number
    missing here to the count of missing numbers found in other streams. It is None if not computed,
    and empty if no number is missing. ``at_table`` is the record of the table, if it was loaded
    (`sabot.domain.state.table_context`). ``recorded_numbers`` has the recorded numbers of coups
    that were renumbered: two had one number, or it was out of place
    (`sabot.domain.audit.coup_numbers`).
    ``foreign_events`` are those of another game, if the audit set them aside
    (`sabot.domain.audit.foreign_events`).

    If patrons bank, ``bank`` is the present bank and ``banks`` holds all of them, in order.
    ``bids`` holds the bids for the bank, ``listed`` the patrons on its waiting list, ``funds`` the
    proofs of funds, and ``offers`` each offer with the patrons eligible for it. ``match`` is the
    amount that a successor must put up, in minor units. ``unmatched`` holds the patrons who
    declined to match it. Once all have declined, the bank is open to anyone at any amount.
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
    burned_off_hands: set[int] = set()
    coups: dict[int, Coup] = {}
    current: Coup | None = None
    cut_card: CutCard | None = None
    last_coup_called: list[RecordedEvent[ev.LastCoupCalled]] = []
    committed: list[RecordedEvent[ev.OrderCommitted]] = []
    order_opened: list[RecordedEvent[ev.OrderOpened]] = []
    ended: RecordedEvent[ev.ShoeEnded] | None = None
    seats: dict[int, str] = {}
    vacated: dict[str, int] = {}
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
    recorded_numbers: dict[int, int] = {}
    foreign_events: list[RecordedEvent] = []

    @property
    def name(self) -> str:
        """The shoe's name: its stream without ``shoe/``."""
        return self.stream.removeprefix("shoe/")

    @property
    def version(self) -> int:
        """The version of the last event. It is 0 if there is none."""
        return self.history[-1].position if self.history else 0

    @property
    def size(self) -> int:
        """The number of cards loaded."""
        return 52 * self.decks

    def recorded_number(self, number: int) -> int:
        """Return the number that the events give a coup.

        ``number`` is its number in the audit, which differs if a number was used twice or is out of
        place (`sabot.domain.audit.coup_numbers`).
        """
        return self.recorded_numbers.get(number, number)

    def coup_name(self, number: int) -> str:
        """Return the name of a coup in texts, by the number that the events give it."""
        return f"coup {self.recorded_number(number)}"

    def coup(self, number: int) -> Coup:
        """Return a coup. Create it if no event has named it yet.

        Handlers of frequent events look in ``coups`` first, for speed.
        """
        coup = self.coups.get(number)
        if coup is None:
            coup = self.coups[number] = Coup(number)
        return coup


def order_of_play(shoe: Shoe, after: str | None) -> list[str]:
    """Return the seated patrons in order of play, starting after ``after``, who is last.

    At two tableaux the order alternates from the banker outward, starting on the banker's right.

    Seats are numbered counter-clockwise from the dealer's right. The pack states the direction of
    play. If ``after`` left the table, the order starts after the seat that ``after`` had. If
    ``after`` never had a seat, the order starts at the dealer.
    """
    if shoe.pack is not None and shoe.pack.tableaux is not None:
        return _around_the_middle(shoe)
    clockwise = shoe.pack is not None and shoe.pack.table.direction == "clockwise"
    way = -1 if clockwise else 1
    seats = sorted(shoe.seats, key=lambda seat: way * seat)
    held = next((seat for seat in seats if shoe.seats[seat] == after), None)
    if held is None and after is not None:
        held = shoe.vacated.get(after)
    if held is not None:
        turn = sum(way * seat <= way * held for seat in seats)
        seats = seats[turn:] + seats[:turn]
    return [shoe.seats[seat] for seat in seats]


def tableaux_of(shoe: Shoe) -> tuple[list[str], list[str]]:
    """Return the patrons on the right and left tableaux, nearest to the banker first.

    The banker sits in the middle, opposite the croupier. Seats are numbered counter-clockwise from
    the croupier's right, so the banker's right tableau has the higher numbers.
    """
    middle = middle_of(shoe)
    seats = sorted(shoe.seats)
    right = [shoe.seats[seat] for seat in seats if seat > middle]
    left = [shoe.seats[seat] for seat in reversed(seats) if seat < middle]
    return right, left


def middle_of(shoe: Shoe) -> int:
    """Return the seat number of the banker's place, between the two tableaux."""
    return ((shoe.pack.table.seats if shoe.pack is not None else 0) + 1) // 2


def _around_the_middle(shoe: Shoe) -> list[str]:
    """Return the seated patrons from the banker outward, alternating right and left.

    The banker is last.
    """
    middle = middle_of(shoe)
    seats = sorted(shoe.seats, key=lambda seat: (abs(seat - middle), seat < middle))
    return [shoe.seats[seat] for seat in seats if seat != middle] + [
        shoe.seats[seat] for seat in seats if seat == middle
    ]


def asked_now(shoe: Shoe) -> OfferOrder:
    """Return the patrons to whom the shoe or the bank can be offered next."""
    return OfferOrder(
        tuple(order_of_play(shoe, shoe.last_holder)),
        shoe.last_holder,
        shoe.match,
        tuple(shoe.unmatched),
        tuple(shoe.refused),
        shoe.holder is not None,
    )


def coup_in_play(shoe: Shoe) -> Coup | None:
    """Return the coup in play, for an event that names no coup.

    None between coups, or if the record does not cover the whole shoe.
    """
    return shoe.current if shoe.coverage == "whole" else None


def banked_of(shoe: Shoe, coup: Coup) -> BankedCoup:
    """Return the data of a coup about its bank. Create them if there are none yet."""
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
