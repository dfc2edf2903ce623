"""The state of a shoe: everything its facts say, folded one by one.

`evolve` never refuses: a bet on a coup that was never opened, a payment of a bet that nobody
placed, a fifth card, a second burn are kept as they came, for the auditor to read.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from domain import facts as f
from domain.bank import Asked, Bank
from domain.clocks import Order
from domain.corrections import effective
from domain.coup import BankedCoup, Bet, Coup
from domain.errors import BadRulePack
from domain.event import Event
from domain.facts import bank as k
from domain.rulepack import RulePack, parse_pack


class CutCard(Struct, frozen=True):
    """The moment the cut card was seen, and the coup in play then (None: between coups)."""

    event: Event
    during: int | None


class Shoe(Struct):
    """A shoe as its facts have it.

    ``left`` are the cards that left it, burned or drawn, in order. ``taken_after`` is the
    coup before the first that the present holder deals. ``staff`` are all who stood at a post;
    ``leavings`` the patrons who left, with the commission that they owed then. ``order`` is set
    where its facts were put in their order at the table (`domain.audit.timing`), or that order is
    in doubt. ``told_elsewhere`` says of a device and the first number that it skips here, how
    many of the numbers skipped are in other streams of the log.

    Where patrons bank, ``bank`` is the one that lies on the table now and ``banks`` are all that
    did, in order; ``bids`` what was bid for it, ``offers`` whom it could be offered to each time
    that it was. ``match`` is what a successor has to put up to
    take a bank over, ``unmatched`` those who would not; then anybody has it at any amount.
    """

    stream: str
    history: list[Event] = []
    loaded: Event | None = None
    pack: RulePack | None = None
    pack_text: str = ""
    pack_fault: str = ""
    scope: Literal["whole", "coups"] = "whole"
    decks: int = 0
    table: str | None = None
    inspected: list[Event] = []
    shuffles: list[Event] = []
    cuts: list[Event] = []
    stop_cards: list[Event] = []
    left: list[Event] = []
    burned: list[Event] = []
    coups: dict[int, Coup] = {}
    current: Coup | None = None
    cut_card: CutCard | None = None
    last_coup_called: list[Event] = []
    committed: list[Event] = []
    order_opened: list[Event] = []
    ended: Event | None = None
    seats: dict[int, str] = {}
    seatings: list[tuple[Event, int, str]] = []
    crew: dict[str, str] = {}
    staff: set[str] = set()
    leavings: list[tuple[Event, str, int]] = []
    limits_changed: list[Event] = []
    limits: tuple[f.Limit, ...] = ()
    holder: str | None = None
    last_holder: str | None = None
    offered: str | None = None
    refused: list[str] = []
    match: int | None = None
    unmatched: list[str] = []
    bids: list[Event] = []
    offers: list[tuple[Event, Asked]] = []
    bank: Bank | None = None
    banks: list[Bank] = []
    taken_after: int = 0
    shoe_moves: list[Event] = []
    owed: dict[str, int] = {}
    requests: list[Event] = []
    irregularities: list[Event] = []
    shuffler_faults: list[Event] = []
    abandoned: list[Event] = []
    strays: list[Event] = []
    corrections: list[Event] = []
    order: Order | None = None
    told_elsewhere: dict[tuple[str, int], int] = {}

    @property
    def name(self) -> str:
        """The name by which people call it: its stream without ``shoe/``."""
        return self.stream.removeprefix("shoe/")

    @property
    def version(self) -> int:
        """The version of its last fact; 0 where it has none."""
        return self.history[-1].version if self.history else 0

    @property
    def size(self) -> int:
        """How many cards were loaded."""
        return 52 * self.decks

    def coup(self, number: int) -> Coup:
        """Return a coup, made now where no fact has named it yet."""
        coup = self.coups.get(number)
        if coup is None:
            coup = self.coups[number] = Coup(number)
        return coup


def fold(stream: str, events: Iterable[Event]) -> Shoe:
    """Rebuild a shoe from its facts, in the order of versions; corrections take effect.

    A corrected fact is replaced at its own place by what really happened. Cost: linear in the
    number of facts.
    """
    history = list(events)
    shoe = Shoe(stream)
    shoe.history = history
    for event in effective(history):
        handler = _EVOLVE[type(event.fact)]
        handler(shoe, event, event.fact)
    return shoe


def evolve(shoe: Shoe, event: Event) -> Shoe:
    """Add one fact to a shoe and return the shoe as it is then.

    The shoe given is changed in place, and returned, unless the fact corrects an earlier one:
    then the whole history is folded anew.
    """
    if type(event.fact) is f.FactCorrected:
        return fold(shoe.stream, [*shoe.history, event])
    shoe.history.append(event)
    apply(shoe, event)
    return shoe


def apply(shoe: Shoe, event: Event) -> None:
    """Let a fact take effect on a shoe, without a place in its history.

    For those who look at a shoe after each fact that holds: `evolve` without corrections.
    """
    _EVOLVE[type(event.fact)](shoe, event, event.fact)


# -- One function a kind of fact --------------------------------------------------------------


def _shoe_loaded(shoe: Shoe, event: Event, fact: f.ShoeLoaded) -> None:
    if shoe.loaded is not None:
        shoe.strays.append(event)
        return
    shoe.loaded = event
    shoe.decks, shoe.scope, shoe.table = fact.decks, fact.scope, fact.table
    shoe.pack_text, shoe.limits = fact.pack, fact.limits
    shoe.seats = {seat.seat: seat.patron for seat in fact.seats}
    shoe.seatings = [(event, seat.seat, seat.patron) for seat in fact.seats]
    shoe.crew = {crew.post: crew.person for crew in fact.crew}
    shoe.staff = set(shoe.crew.values())
    try:
        shoe.pack = parse_pack(fact.pack)
    except BadRulePack as error:
        shoe.pack_fault = error.message


def _card_burned(shoe: Shoe, event: Event, fact: f.CardBurned) -> None:
    shoe.burned.append(event)
    shoe.left.append(event)
    if fact.coup is not None:
        shoe.coup(fact.coup).events.append(event)


def _coup_opened(shoe: Shoe, event: Event, fact: f.CoupOpened) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    shoe.current = coup
    if coup.opened is None:
        coup.opened, coup.free = event, fact.free
    else:
        coup.strays.append(event)
    if shoe.bank is not None:
        banked_of(shoe, coup)


def _bet_placed(shoe: Shoe, event: Event, fact: "f.BetPlaced | f.BetCarried") -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    if fact.bet in coup.bets:
        coup.strays.append(event)
        return
    carried = type(fact) is f.BetCarried
    coup.bets[fact.bet] = Bet(
        fact.bet, fact.patron, fact.wager, fact.amount, event, shoe.limits, carried=carried
    )


def _bet_of(shoe: Shoe, event: Event, coup_number: int, number: int) -> Bet | None:
    coup = shoe.coup(coup_number)
    coup.events.append(event)
    bet = coup.bets.get(number)
    if bet is None:
        coup.strays.append(event)
    return bet


def _bet_changed(shoe: Shoe, event: Event, fact: f.BetChanged) -> None:
    bet = _bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.changes.append(event)
        bet.amount = fact.amount


def _bet_withdrawn(shoe: Shoe, event: Event, fact: f.BetWithdrawn) -> None:
    bet = _bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.changes.append(event)
        bet.withdrawn = True


def _bet_taken(shoe: Shoe, event: Event, fact: f.BetTaken) -> None:
    bet = _bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.moves.append(event)
        bet.taken += fact.amount
    if shoe.bank is not None:
        shoe.bank.takes(event, fact.amount)


def _bet_paid(shoe: Shoe, event: Event, fact: f.BetPaid) -> None:
    bet = _bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.moves.append(event)
        bet.paid += fact.amount
        bet.after_commission = bet.after_commission or fact.after_commission
    if shoe.bank is not None:
        shoe.bank.pays(event, fact.amount)


def _bet_pushed(shoe: Shoe, event: Event, fact: f.BetPushed) -> None:
    bet = _bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.moves.append(event)
        bet.pushed = True


def _commission_marked(shoe: Shoe, event: Event, fact: f.CommissionMarked) -> None:
    bet = _bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.marked += fact.amount
        shoe.owed[bet.patron] = shoe.owed.get(bet.patron, 0) + fact.amount


def _commission_collected(shoe: Shoe, event: Event, fact: f.CommissionCollected) -> None:
    bet = None
    if fact.coup is not None and fact.bet is not None:
        bet = _bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.collected += fact.amount
    if bet is None or bet.marked:
        shoe.owed[fact.patron] = shoe.owed.get(fact.patron, 0) - fact.amount


def _no_more_bets(shoe: Shoe, event: Event, fact: f.NoMoreBets) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    if coup.no_more_bets is None:
        coup.no_more_bets = event


def _card_drawn(shoe: Shoe, event: Event, fact: f.CardDrawn) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.cards.append(event)
    shoe.left.append(event)
    if fact.hand == "player":
        coup.player.append(fact.card)
    elif fact.hand == "banker":
        coup.banker.append(fact.card)
    else:
        coup.hand(fact.hand, fact.seat).append(fact.card)


def _card_turned(shoe: Shoe, event: Event, fact: f.CardTurned) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.turned.append(event)


def _totals_called(shoe: Shoe, event: Event, fact: f.TotalsCalled) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.totals_called = event


def _result_called(shoe: Shoe, event: Event, fact: "f.ResultCalled | k.HandsCalled") -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.result_called = event


def _coup_closed(shoe: Shoe, event: Event, fact: f.CoupClosed) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.closed = event
    if shoe.current is coup:
        shoe.current = None
    if shoe.bank is not None and coup.banked is not None:
        shoe.bank.coups += 1


def _coup_voided(shoe: Shoe, event: Event, fact: f.CoupVoided) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.voided = event
    if shoe.current is coup:
        shoe.current = None
    if shoe.bank is not None and coup.banked is not None and not coup.bets:
        # nobody staked: the banker has played for it as far as he could
        shoe.bank.coups += 1


def _irregularity(shoe: Shoe, event: Event, fact: f.IrregularityNoted) -> None:
    shoe.irregularities.append(event)
    if fact.coup is not None:
        coup = shoe.coup(fact.coup)
        coup.events.append(event)
        coup.irregularities.append(event)


def _bet_abandoned(shoe: Shoe, event: Event, fact: f.BetAbandoned) -> None:
    if _bet_of(shoe, event, fact.coup, fact.bet) is not None:
        shoe.abandoned.append(event)


def _shuffler_failed(shoe: Shoe, event: Event, fact: f.ShufflerFailed) -> None:
    shoe.shuffler_faults.append(event)
    # the machine works on its own: its fault must not open a coup
    if fact.coup is not None and fact.coup in shoe.coups:
        shoe.coups[fact.coup].events.append(event)


def _cut_card_reached(shoe: Shoe, event: Event, _fact: f.CutCardReached) -> None:
    if shoe.cut_card is not None:
        shoe.strays.append(event)
        return
    current = shoe.current
    shoe.cut_card = CutCard(event, current.number if current is not None else None)


def _request_made(shoe: Shoe, event: Event, fact: f.RequestMade) -> None:
    shoe.requests.append(event)
    # a request before a coup is opened must not open it
    if fact.coup is not None and fact.coup in shoe.coups:
        shoe.coups[fact.coup].events.append(event)


def _seated(shoe: Shoe, event: Event, fact: f.PatronSeated) -> None:
    shoe.seatings.append((event, fact.seat, fact.patron))
    shoe.seats[fact.seat] = fact.patron


def _left(shoe: Shoe, event: Event, fact: f.PatronLeft) -> None:
    shoe.leavings.append((event, fact.patron, shoe.owed.get(fact.patron, 0)))
    shoe.seats = {seat: name for seat, name in shoe.seats.items() if name != fact.patron}


def _crew_changed(shoe: Shoe, _event: Event, fact: f.CrewChanged) -> None:
    if fact.person is None:
        shoe.crew.pop(fact.post, None)
    else:
        shoe.crew[fact.post] = fact.person
        shoe.staff.add(fact.person)


def _limits_changed(shoe: Shoe, event: Event, fact: f.LimitsChanged) -> None:
    shoe.limits_changed.append(event)
    shoe.limits = fact.limits


def _shoe_offered(shoe: Shoe, event: Event, fact: f.ShoeOffered) -> None:
    shoe.shoe_moves.append(event)
    shoe.offers.append((event, asked_now(shoe)))
    shoe.offered = fact.to
    if fact.amount is None:
        shoe.match = None


def _shoe_refused(shoe: Shoe, event: Event, fact: f.ShoeRefused) -> None:
    shoe.shoe_moves.append(event)
    (shoe.refused if shoe.match is None else shoe.unmatched).append(fact.by)
    shoe.offered = None


def _shoe_taken(shoe: Shoe, event: Event, fact: f.ShoeTaken) -> None:
    shoe.shoe_moves.append(event)
    shoe.holder, shoe.offered, shoe.refused, shoe.unmatched = fact.by, None, [], []
    shoe.taken_after = max(shoe.coups, default=0)


def _shoe_passed(shoe: Shoe, event: Event, fact: f.ShoePassed) -> None:
    shoe.shoe_moves.append(event)
    shoe.holder, shoe.last_holder = None, fact.by
    shoe.match = None
    if shoe.bank is not None:
        # whoever gives up a bank of his own will leaves it to be had for what he took out of it
        shoe.match = shoe.bank.withdrawn_last if fact.reason == "chosen" else None
        shoe.bank = None


def order_of_play(shoe: Shoe, after: str | None) -> list[str]:
    """Return those who sit, in the order in which they play: from beside ``after``, who is last.

    Seats are numbered counter-clockwise from the dealer's right; the pack says which way round
    the table plays. Where ``after`` does not sit there, the order begins at the dealer.
    """
    seats = sorted(shoe.seats)
    if shoe.pack is not None and shoe.pack.table.direction == "clockwise":
        seats.reverse()
    held = next((seat for seat in seats if shoe.seats[seat] == after), None)
    if held is not None:
        turn = seats.index(held) + 1
        seats = seats[turn:] + seats[:turn]
    return [shoe.seats[seat] for seat in seats]


def asked_now(shoe: Shoe) -> Asked:
    """Return who can be asked to take the shoe, or the bank, as it stands."""
    return Asked(
        tuple(order_of_play(shoe, shoe.last_holder)),
        shoe.last_holder,
        shoe.match,
        tuple(shoe.unmatched),
        tuple(shoe.refused),
    )


# -- Where patrons bank -----------------------------------------------------------------------


def banked_of(shoe: Shoe, coup: Coup) -> BankedCoup:
    """Return what people decided in a coup, begun now where no fact has told of it yet."""
    if coup.banked is None:
        bank = shoe.bank
        coup.banked = BankedCoup()
        if bank is not None:
            order = tuple(who for who in order_of_play(shoe, bank.holder) if who != bank.holder)
            coup.banked = BankedCoup(
                bank.holder, bank.amount, order, bank.unlimited, len(shoe.banks)
            )
    return coup.banked


def _bank_posted(shoe: Shoe, event: Event, fact: k.BankPosted) -> None:
    shoe.bank = Bank(fact.by, event, shoe.match, fact.amount, put_in=fact.amount)
    shoe.banks.append(shoe.bank)
    shoe.match = None


def _bank_raised(shoe: Shoe, event: Event, fact: k.BankRaised) -> None:
    if shoe.bank is None:
        shoe.strays.append(event)
        return
    shoe.bank.raised(event, fact.amount)
    if fact.coup is not None:
        coup = shoe.coup(fact.coup)
        coup.events.append(event)
        banked_of(shoe, coup).raised.append(event)


def _bank_withdrawn(shoe: Shoe, event: Event, fact: k.BankWithdrawn) -> None:
    if shoe.bank is None:
        shoe.strays.append(event)
        return
    shoe.bank.withdrawn(event, fact.amount)


def _bank_unlimited(shoe: Shoe, event: Event, fact: k.BankUnlimited) -> None:
    if shoe.bank is None:
        shoe.strays.append(event)
        return
    shoe.bank.unlimited = True
    shoe.bank.moves.append(event)
    if fact.coup is not None:
        coup = shoe.coup(fact.coup)
        coup.events.append(event)
        banked_of(shoe, coup).unlimited = True


def _bank_called(shoe: Shoe, event: Event, fact: k.BankCalled) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    banked_of(shoe, coup).called = event


def _excess_returned(shoe: Shoe, event: Event, fact: k.ExcessReturned) -> None:
    bet = _bet_of(shoe, event, fact.coup, fact.bet)
    banked_of(shoe, shoe.coup(fact.coup)).excess.append(event)
    if bet is not None:
        bet.returned += fact.amount
        bet.amount = max(0, bet.amount - fact.amount)
        bet.withdrawn = bet.withdrawn or not bet.amount


def _levy_taken(shoe: Shoe, event: Event, fact: k.LevyTaken) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    banked_of(shoe, coup).levies.append(event)
    if shoe.bank is not None:
        shoe.bank.levied(event, fact.amount)


def _card_rejected(shoe: Shoe, event: Event, fact: k.CardRejected) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    hand = coup.hand(fact.hand, fact.seat)
    if hand:
        banked_of(shoe, coup).rejected.append((event, hand.pop()))
    else:
        coup.strays.append(event)


def _banked_in(where: str) -> "Callable[[Shoe, Event, Any], None]":
    """Keep the fact in one of the lists of its coup; nothing else follows from it."""

    def keep(shoe: Shoe, event: Event, fact: "k.BancoCalled | k.HandGiven | k.ChoiceMade") -> None:
        coup = shoe.coup(fact.coup)
        coup.events.append(event)
        getattr(banked_of(shoe, coup), where).append(event)

    return keep


def _shoe_ended(shoe: Shoe, event: Event, _fact: f.ShoeEnded) -> None:
    if shoe.ended is None:
        shoe.ended = event
    else:
        shoe.strays.append(event)


def _kept_in(where: str) -> "Callable[[Shoe, Event, Any], None]":
    """Keep the fact in one of the shoe's lists; nothing else follows from it."""

    def keep(shoe: Shoe, event: Event, _fact: object) -> None:
        getattr(shoe, where).append(event)

    return keep


_EVOLVE: Final[dict[type, Callable[[Shoe, Event, Any], None]]] = {
    f.ShoeLoaded: _shoe_loaded,
    f.CardsInspected: _kept_in("inspected"),
    f.ShoeShuffled: _kept_in("shuffles"),
    f.OrderCommitted: _kept_in("committed"),
    f.ShoeCut: _kept_in("cuts"),
    f.StopCardPlaced: _kept_in("stop_cards"),
    f.CardBurned: _card_burned,
    f.ShoeOffered: _shoe_offered,
    f.ShoeTaken: _shoe_taken,
    f.ShoeRefused: _shoe_refused,
    f.ShoePassed: _shoe_passed,
    f.PatronSeated: _seated,
    f.PatronLeft: _left,
    f.CrewChanged: _crew_changed,
    f.LimitsChanged: _limits_changed,
    f.RequestMade: _request_made,
    f.CoupOpened: _coup_opened,
    f.BetPlaced: _bet_placed,
    f.BetCarried: _bet_placed,
    f.BetChanged: _bet_changed,
    f.BetWithdrawn: _bet_withdrawn,
    f.NoMoreBets: _no_more_bets,
    f.CardDrawn: _card_drawn,
    f.CardTurned: _card_turned,
    f.TotalsCalled: _totals_called,
    f.ResultCalled: _result_called,
    f.BetTaken: _bet_taken,
    f.BetPaid: _bet_paid,
    f.BetPushed: _bet_pushed,
    f.CommissionMarked: _commission_marked,
    f.CommissionCollected: _commission_collected,
    f.CoupClosed: _coup_closed,
    f.CoupVoided: _coup_voided,
    f.BetAbandoned: _bet_abandoned,
    f.ShufflerFailed: _shuffler_failed,
    f.IrregularityNoted: _irregularity,
    f.CutCardReached: _cut_card_reached,
    f.LastCoupCalled: _kept_in("last_coup_called"),
    f.OrderOpened: _kept_in("order_opened"),
    f.ShoeEnded: _shoe_ended,
    k.BankBid: _kept_in("bids"),
    k.BankPosted: _bank_posted,
    k.BankRaised: _bank_raised,
    k.BankWithdrawn: _bank_withdrawn,
    k.BankCalled: _bank_called,
    k.BankUnlimited: _bank_unlimited,
    k.BancoCalled: _banked_in("claims"),
    k.ExcessReturned: _excess_returned,
    k.HandGiven: _banked_in("given"),
    k.ChoiceMade: _banked_in("choices"),
    k.CardRejected: _card_rejected,
    k.HandsCalled: _result_called,
    k.LevyTaken: _levy_taken,
    f.FactCorrected: _kept_in("corrections"),
}

# Facts of tables and audits have no meaning in a shoe's stream; kept where the auditor sees them.
_EVOLVE.update({kind: _kept_in("strays") for kind in get_args(f.Fact) if kind not in _EVOLVE})
