"""State of a coup and its bets, from their events."""

from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events import Hand, Limit, Ruling
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.values.cards import Card

GIVING_BACK: Final[tuple[Ruling, ...]] = ("void", "return-bets", "no-bet-hand")
"""Rulings that return the bets of a coup to their owners."""
_NONE: Final = frozenset[int]()


def is_of_late_bets(payload: ev.IrregularityNoted) -> bool:
    """Return whether a ruling returns bets because some came after betting closed.

    The ruling covers the late bets. If all bets of the coup were returned, it covers every bet.
    """
    return (payload.kind, payload.ruling) == ("late-bet", "return-bets")


# No reference cycles: a bet does not refer to its coup, nor a coup to its shoe. So the garbage
# collector need not track them.


class Bet(Struct, gc=False):
    """The current state of a bet in a coup; amounts in minor units.

    ``amount`` is the stake on the layout, ``staked`` the event that set the amount, and ``limits``
    the table limits at that event. For a bet carried over from a tie, ``staked`` is in the coup
    where the bet was made. ``returned`` is the part that was given back because the bank did not
    cover it. ``withdrawn`` is also true for a bet lowered to zero. ``moves`` lists the events that
    settled the bet.
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
        """Whether the bet was taken, paid or pushed."""
        return bool(self.moves)

    @property
    def is_carried_anew(self) -> bool:
        """Whether it was carried over, but the coup before had no such bet of equal stake."""
        return self.carried and self.staked is self.placed

    @property
    def commission(self) -> int:
        """Commission charged: the amount marked, or else the amount kept at once."""
        return self.marked or self.collected

    @property
    def net(self) -> int:
        """The patron's net win, after commission paid or owed. Negative for a loss."""
        return self.paid - self.taken - self.commission


class BankedCoup(Struct):
    """Decisions in a coup that a patron banks.

    ``banker`` held the bank when the coup was first named; this was the ``nth`` bank of the shoe,
    and its balance was ``bank``, in minor units. ``order`` holds the other seated patrons in order
    of play. At two tableaux, ``right`` and ``left`` hold the patrons of each tableau, nearest to
    the banker first, and ``places`` each patron's distance from the banker, in places.

    The lists have the events of one kind each, in order. The kinds are claims of banco, hands
    given, choices, rejected cards (each with the card), excess returned, chips added by the banker,
    levies, announcements of levies, tickets detached, and tickets torn.
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
    """A coup, from its opening to its close.

    ``player`` and ``banker`` are those hands, ``others`` all other hands by hand and seat. ``late``
    holds cards drawn after the close that no hand was waiting for; they are in no hand and not in
    ``cards``. ``removed_cards`` holds cards drawn for a hand and then burned by a ruling, each with
    the event that burned it; they are no longer in their hand or in ``cards``.

    ``calls`` lists all announcements of totals and results; ``totals_called`` and ``result_called``
    are the latest. ``collected`` maps a patron to commission collected for the coup but not for a
    bet of that patron, in minor units. ``banked`` is None unless a patron banks. ``cleared`` is the
    event that put the cards in the discard tray, if recorded apart from the close. ``reassigned``
    lists the cards that a ruling moved to the other hand.
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
        """Whether the coup was closed or voided."""
        return self.closed is not None or self.voided is not None

    @property
    def first_card(self) -> RecordedEvent[ev.CardDrawn] | None:
        """The first card of the coup, even if it was burned afterwards."""
        if not self.removed_cards:
            return self.cards[0] if self.cards else None
        burned = [drawn for drawn, _ in self.removed_cards]
        return min([*self.cards[:1], *burned], key=lambda card: card.position)

    @property
    def in_time(self) -> list[RecordedEvent]:
        """The coup's events without the cards that came too late."""
        late = self.late
        return [event for event in self.events if event not in late] if late else self.events

    @property
    def bets_closed(self) -> int | None:
        """Position of the event that closed betting: the announcement or the first card.

        The earlier of the two counts; None if neither was recorded.
        """
        call = None if self.no_more_bets is None else self.no_more_bets.position
        first = self.cards[0].position if self.cards else None
        return call if first is None or (call is not None and call < first) else first

    @property
    def refund_ruling(self) -> RecordedEvent[ev.IrregularityNoted] | None:
        """The first ruling that returns the bets. It is None if there is none."""
        for event in self.irregularities:
            if event.payload.ruling in GIVING_BACK:
                return event
        return None

    @property
    def fully_refunded(self) -> bool:
        """Whether a ruling returned every bet, without a recorded void of the coup."""
        if self.voided is not None or self.refund_ruling is None:
            return False
        bets = self.bets.values()
        return all(
            (bet.withdrawn or bet.pushed) and not (bet.paid or bet.taken or bet.commission)
            for bet in bets
        )

    @property
    def refunded_bets(self) -> frozenset[int]:
        """Numbers of the bets that a ruling returned. They neither win nor lose.

        A ruling on late bets returns the late bets. If all bets of the coup were returned, it
        returns every bet. Empty for a coup recorded as void.
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
        """Return the cards of a hand. Changes to the list change the coup."""
        if hand == "player":
            return self.player
        if hand == "banker":
            return self.banker
        return self.others.setdefault((hand, seat), [])


def first_event_of(coup: Coup) -> RecordedEvent | None:
    """Return the opening of a coup, or its first card if there is no opening."""
    return coup.opened or next(iter(coup.cards), None)
