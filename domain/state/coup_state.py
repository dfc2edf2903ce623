"""A coup and its bets, as their events have them so far."""

from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events import Hand, Limit, Ruling
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.values.cards import Card

GIVING_BACK: Final[tuple[Ruling, ...]] = ("void", "return-bets", "no-bet-hand")
"""The rulings by which the bets of a coup go back to their owners."""
_NONE: Final = frozenset[int]()


def is_of_late_bets(payload: ev.IrregularityNoted) -> bool:
    """Tell whether bets go back since some were late: those, or with them all of the coup."""
    return (payload.kind, payload.ruling) == ("late-bet", "return-bets")


# Neither refers to what refers to it, so the garbage collector need not look for cycles in them.


class Bet(Struct, gc=False):
    """A bet of a coup, as it stands now; amounts in minor units.

    ``amount`` is the stake on the felt, ``staked`` the event that made it so much (of a bet that a
    tie left there: in the coup where it was made), ``limits`` the table's limits at that moment;
    ``returned`` what went back of it since a bank did not cover it. A bet that was lowered to
    nothing was ``withdrawn``.
    ``commission`` is what was kept at once or marked.
    ``moves`` are the events that settled it.
    """

    number: int
    patron: str
    wager: str
    amount: int
    placed: RecordedEvent[ev.BetPlaced | ev.BetCarried]
    staked: RecordedEvent[ev.BetPlaced | ev.BetCarried | ev.BetChanged]
    limits: tuple[Limit, ...] = ()
    returned: int = 0
    carried: bool = False
    withdrawn: bool = False
    changes: list[RecordedEvent[ev.BetChanged | ev.BetWithdrawn]] = []
    moves: list[RecordedEvent[ev.BetTaken | ev.BetPaid | ev.BetPushed]] = []
    paid: int = 0
    taken: int = 0
    pushed: bool = False
    marked: int = 0
    collected: int = 0
    after_commission: bool = False

    @property
    def settled(self) -> bool:
        """Whether the house took, paid or pushed it."""
        return bool(self.moves)

    @property
    def commission(self) -> int:
        """Commission charged on it: what was marked, or else what was kept at once."""
        return self.marked or self.collected

    @property
    def net(self) -> int:
        """What the patron won (or lost, negative), after commission even if still owed."""
        return self.paid - self.taken - self.commission


class BankedCoup(Struct):
    """What people decided in a coup that a patron banks.

    ``banker`` held the bank when the coup was first named, the ``nth`` of the shoe, and ``bank``
    lay in it then, in minor units; ``order`` are the others who sat then, in the order in which
    they play; at two tableaux ``right`` and ``left`` are those of each tableau, nearest to the
    banker first, and ``places`` how many places from his each of them sat. The lists keep events
    in their order: claims to go bank, hands given, choices, cards rejected (with the card), excess
    returned, chips that the banker added, levies, what was announced of them, their tickets
    detached and torn.
    """

    banker: str | None = None
    bank: int | None = None
    order: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    places: dict[str, int] = {}
    unlimited: bool = False
    nth: int = 0
    called: RecordedEvent[bank_ev.BankCalled] | None = None
    claims: list[RecordedEvent[bank_ev.BancoCalled]] = []
    given: list[RecordedEvent[bank_ev.HandGiven]] = []
    choices: list[RecordedEvent[bank_ev.ChoiceMade]] = []
    rejected: list[tuple[RecordedEvent[bank_ev.CardRejected], Card]] = []
    excess: list[RecordedEvent[bank_ev.ExcessReturned]] = []
    raised: list[RecordedEvent[bank_ev.BankRaised]] = []
    levies: list[RecordedEvent[bank_ev.LevyTaken]] = []
    announced: list[RecordedEvent[bank_ev.LevyAnnounced]] = []
    tickets: list[RecordedEvent[bank_ev.TicketsDetached]] = []
    torn: list[RecordedEvent[bank_ev.TicketsTorn]] = []


class Coup(Struct, gc=False):
    """One coup, from its opening to its close.

    ``player`` and ``banker`` are those hands, ``others`` all other hands, by hand and seat.
    ``late`` are cards that came when it was closed, and no hand waited for: they are in none, and
    not among ``cards``. ``removed_cards`` are cards that were drawn for a hand and then burned by a
    ruling, each with the event that burned it: they are neither in their hand nor in ``cards`` any
    more. ``calls`` are all calls of totals and of results; ``totals_called`` and ``result_called``
    are the last.
    ``collected`` is commission that was collected from a patron for the coup, and no one bet.
    ``banked`` is what people decided where a patron banks, None where nobody did. ``cleared`` is
    when its cards went to the discards, where that was told apart from its close; ``reassigned``
    are the cards that a ruling gave to the other hand.
    """

    number: int
    events: list[RecordedEvent] = []
    opened: RecordedEvent[ev.CoupOpened] | None = None
    free: bool = False
    bets: dict[int, Bet] = {}
    cards: list[RecordedEvent[ev.CardDrawn]] = []
    player: list[Card] = []
    banker: list[Card] = []
    others: dict[tuple[Hand, int | None], list[Card]] = {}
    late: list[RecordedEvent[ev.CardDrawn]] = []
    removed_cards: list[tuple[RecordedEvent[ev.CardDrawn], RecordedEvent[ev.CardBurned]]] = []
    banked: BankedCoup | None = None
    turned: list[RecordedEvent[ev.CardTurned]] = []
    no_more_bets: RecordedEvent[ev.NoMoreBets] | None = None
    calls: list[RecordedEvent[ev.TotalsCalled | ev.ResultCalled | bank_ev.HandsCalled]] = []
    totals_called: RecordedEvent[ev.TotalsCalled] | None = None
    result_called: RecordedEvent[ev.ResultCalled | bank_ev.HandsCalled] | None = None
    irregularities: list[RecordedEvent[ev.IrregularityNoted]] = []
    unmatched_events: list[RecordedEvent] = []
    collected: dict[str, int] = {}
    voided: RecordedEvent[ev.CoupVoided] | None = None
    closed: RecordedEvent[ev.CoupClosed] | None = None
    cleared: RecordedEvent[ev.CardsCleared] | None = None
    reassigned: list[RecordedEvent[ev.CardReassigned]] = []

    @property
    def over(self) -> bool:
        """Whether it was closed or voided."""
        return self.closed is not None or self.voided is not None

    @property
    def in_time(self) -> list[RecordedEvent]:
        """Its events, without the cards that came when it was closed."""
        late = self.late
        return [event for event in self.events if event not in late] if late else self.events

    @property
    def bets_closed(self) -> int | None:
        """The position of the event that closed its bets: the call, or the first card before it."""
        call = None if self.no_more_bets is None else self.no_more_bets.position
        first = self.cards[0].position if self.cards else None
        return call if first is None or (call is not None and call < first) else first

    @property
    def refund_ruling(self) -> RecordedEvent[ev.IrregularityNoted] | None:
        """The first ruling by which its bets go back to their owners; None where none did."""
        for event in self.irregularities:
            if event.payload.ruling in GIVING_BACK:
                return event
        return None

    @property
    def fully_refunded(self) -> bool:
        """Whether every bet went back on a ruling, though the coup was not voided in words."""
        if self.voided is not None or self.refund_ruling is None:
            return False
        bets = self.bets.values()
        return all(
            (bet.withdrawn or bet.pushed) and not (bet.paid or bet.taken or bet.commission)
            for bet in bets
        )

    @property
    def refunded_bets(self) -> frozenset[int]:
        """The bets that a ruling gives back to their owners: they neither win nor lose.

        A ruling on late bets is of those that came late, and of all where all went back with them.
        What a coup that is voided in words does with its bets is not said here.
        """
        if self.voided is not None or not self.irregularities:
            return _NONE
        back = [event for event in self.irregularities if event.payload.ruling in GIVING_BACK]
        if not back:
            return _NONE
        if all(is_of_late_bets(event.payload) for event in back):
            return self._late_ones(back[0])
        return frozenset(self.bets)

    def _late_ones(self, ruled: RecordedEvent[ev.IrregularityNoted]) -> frozenset[int]:
        closed = self.bets_closed
        if closed is None:
            return _NONE
        bets = self.bets.values()
        late = frozenset(bet.number for bet in bets if bet.placed.position > closed)
        changes = (each.position for bet in bets for each in bet.changes)
        changed = any(closed < position < ruled.position for position in changes)
        return frozenset(self.bets) if self.fully_refunded and (late or changed) else late

    def hand(self, hand: Hand, seat: int | None = None) -> list[Card]:
        """Return the cards of a hand, as they are kept: what is added to them stays."""
        if hand == "player":
            return self.player
        if hand == "banker":
            return self.banker
        return self.others.setdefault((hand, seat), [])
