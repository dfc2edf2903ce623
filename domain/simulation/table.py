"""A simulated table: cards, clock, people and the events recorded so far.

The automatic dealer (`sabot.domain.simulation.dealer`) and its helpers work on a table. A deviation
from the rules is passed in as an `Intervention`.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.commitment import SealedOrder
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import limit_for
from sabot.domain.procedure.dealing_order import NextAction, due_bets, due_move
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation.banked_games.bank_chips import move_chips
from sabot.domain.simulation.patrons.patron import Patron, Sitter, TableLimits
from sabot.domain.simulation.shoe_plan import ShoePlan, crew_of, shuffle_cards
from sabot.domain.simulation.shuffler import ContinuousShuffler
from sabot.domain.simulation.table_clock import TableClock
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe, evolve
from sabot.domain.values.cards import VALUE

if TYPE_CHECKING:
    from sabot.domain.simulation.patrons.habits import Moment


Events = tuple[ev.ShoeEvent, ...]


class SimulatedTable:
    """A table while one shoe is dealt.

    The same plan, patrons and random source give the same cards. Patrons have random sources of
    their own, so a change of a habit changes no card.
    """

    def __init__(self, plan: ShoePlan, patrons: Sequence[Patron], rng: random.Random) -> None:
        """Shuffle the cards and take the patrons."""
        self.plan = plan
        self.pack = parse_pack(plan.pack)
        self.shoe = Shoe(plan.stream)
        shuffle = random.Random(rng.getrandbits(64))
        cards = plan.order or shuffle_cards(plan.decks, shuffle)
        self.order: SealedOrder | ContinuousShuffler
        self.order = SealedOrder(cards, f"{rng.getrandbits(256):064x}")
        if self.pack.endless:
            self.order = ContinuousShuffler(plan.decks, shuffle)
        self.crew = plan.crew or crew_of(self.pack)
        self.clock = TableClock(plan.start_us, random.Random(rng.getrandbits(64)))
        self.rng = random.Random(rng.getrandbits(64))
        self.sitters = [Sitter(who, random.Random(rng.getrandbits(64))) for who in patrons]
        self.sitters.sort(key=lambda sitter: sitter.patron.habit.waits)
        self.outcomes: list[ev.Outcome] = []
        self.unseen = _unseen(plan.decks)
        self.seq = plan.seq
        """The device's number of the last event."""
        self.came_and_went = 0
        """The coup before which patrons last came and went."""
        self.bets_asked = 0
        """The coup whose bets the patrons were last asked for."""
        self.late_asked: tuple[int, Moment] | None = None
        """The coup, and the moment in it, at which patrons could last change a bet too late."""
        self._actor = self.floor

    # -- Who is here, and what holds for them ---------------------------------------------------

    @property
    def floor(self) -> str:
        """The caller or only dealer, who is recorded as responsible for the events."""
        crew = self.shoe.crew or {each.post: each.person for each in self.crew}
        return crew.get("caller") or crew.get("dealer") or "house"

    @property
    def limits(self) -> TableLimits:
        """The limits and wagers for every patron."""
        limit = limit_for(self.shoe, "player")
        least, most = (limit.minimum, limit.maximum) if limit else (1, 2**53)
        return TableLimits(least, most, frozenset(wager.name for wager in self.pack.wagers))

    def sitter(self, name: str | None) -> Sitter | None:
        """Return a patron by name, or None."""
        return next((each for each in self.sitters if each.patron.name == name), None)

    def seat_of(self, patron: Patron) -> int | None:
        """Return a patron's seat. None if no seat is free."""
        if self.pack.tableaux is None:
            return patron.seat
        # the middle seat is the banker's
        seats = self.pack.table.seats
        beside = patron.seat + (patron.seat >= (seats + 1) // 2)
        return beside if beside <= seats else None

    def banks(self, name: str) -> bool:
        """Return whether a patron is the banker, who cannot leave."""
        return self.shoe.bank is not None and self.shoe.bank.holder == name

    def asks_for_bets(self, coup: Coup) -> bool:
        """Return whether patrons are still to be asked for bets in this coup.

        The patrons then count as asked.
        """
        asked, self.bets_asked = self.bets_asked, coup.number
        return asked != coup.number

    # -- The cards ------------------------------------------------------------------------------

    @property
    def gone(self) -> int:
        """The number of cards that have left the shoe, recorded or not."""
        if isinstance(self.order, ContinuousShuffler):
            return self.order.gone
        return 52 * self.plan.decks - self.order.left

    def bound(self) -> ev.OrderCommitted:
        """Return the event that commits to the card order.

        A continuous shuffler must not be used, since it has no order.
        """
        assert isinstance(self.order, SealedOrder)
        return self.order.committed()

    def drawn(self, hand: ev.Hand, seat: int | None = None) -> ev.CardDrawn:
        """Return the draw of the next card to a hand of the coup in play."""
        assert self.shoe.current is not None
        card = self.order.draw()
        back: Literal["straight", "turned"] | None = None
        if self.plan.turned is not None:
            back = "turned" if VALUE[card] in self.plan.turned else "straight"
        number = self.shoe.current.number
        return ev.CardDrawn(number, hand, card, self.gone, back, seat=seat)

    def burned(self, *, face_up: bool) -> ev.CardBurned:
        """Return the burn of the next card at the start."""
        card = self.order.draw()
        return ev.CardBurned(card if face_up else None, self.gone)

    # -- The money ------------------------------------------------------------------------------

    def settlement(self) -> Iterator[ev.ShoeEvent]:
        """Yield the settlement of every bet of the coup."""
        coup = self.shoe.current
        assert coup is not None
        for bet, due in due_bets(self.shoe, coup):
            for _ in ("the bet", "its commission"):
                payload = due_move(self.shoe, coup, bet, due)
                if payload is not None:
                    yield payload

    def collected(self, patron: str) -> Events:
        """Return the collection of a patron's commission owed, if any."""
        owed = self.shoe.owed_commission.get(patron, 0)
        return (ev.CommissionCollected(patron, owed),) if owed > 0 else ()

    # -- The end of the shoe --------------------------------------------------------------------

    def ended(self, reason: ev.EndOfShoe) -> Events:
        """Return the last events of the shoe.

        The bank is taken out, commission is collected, and the remaining cards are counted.
        """
        bank = self.shoe.bank
        out: Events = ()
        if bank is not None and bank.amount > 0:
            out = (bank_ev.BankWithdrawn(bank.holder, bank.amount),)
        left, recorded = self.order.left, len(self.shoe.left)
        owed = [
            payload
            for name in sorted(self.shoe.owed_commission)
            for payload in self.collected(name)
        ]
        if self.pack.endless:
            return (*out, *owed, ev.ShoeEnded(counted=self.shoe.size, reason=reason))
        return (*out, *owed, ev.ShoeEnded(left=left, counted=left + recorded, reason=reason))

    # -- The record -----------------------------------------------------------------------------

    def skip_number(self) -> None:
        """Skip one sequence number of the device."""
        self.seq += 1

    def record(self, payload: ev.ShoeEvent) -> RecordedEvent:
        """Record an event with time and sequence number. Update the table."""
        self.seq += 1
        version = len(self.shoe.history) + 1
        at = self.clock.tick(payload)
        plan = self.plan
        event = RecordedEvent(
            version,
            plan.stream,
            version,
            at + self.clock.out_us,
            at,
            self._actor,
            plan.device,
            self.seq,
            payload,
            position=version,
        )
        self.shoe = evolve(self.shoe, event)
        match payload:
            case ev.CardDrawn(card=card) | ev.CardBurned(card=card) if card is not None:
                self.unseen[VALUE[card]] -= 1
            case ev.CrewChanged():
                self._actor = self.floor
            case ev.CoupClosed(coup=number) | ev.CoupVoided(coup=number):
                self._over(self.shoe.coups[number])
            case bank_ev.BankPosted() | bank_ev.BankRaised() | bank_ev.BankWithdrawn():
                move_chips(self.sitters, payload)
            case _:
                pass
        return event

    def _over(self, coup: Coup) -> None:
        for sitter in self.sitters:
            sitter.settle(coup)
        if isinstance(self.order, ContinuousShuffler):
            self.order.give_back()
            self.unseen = _unseen(self.plan.decks)
        if coup.voided is None and coup.player and coup.banker:
            self.outcomes.append(result_of(coup.player, coup.banker).outcome)


class Intervention(Protocol):
    """A deviation of the dealing from the rules, applied to a `SimulatedTable`."""

    def acts(self, table: SimulatedTable, due: NextAction) -> Iterable[ev.ShoeEvent] | None:
        """Return the events that replace the next action, or None to leave it to the dealer."""
        ...

    def alters(self, table: SimulatedTable, event: ev.ShoeEvent) -> Iterable[ev.ShoeEvent] | None:
        """Return the events that replace an event, or None to leave it unchanged."""
        ...


def _unseen(decks: int) -> list[int]:
    """Count the cards of full decks by point value, 0 to 9."""
    return [16 * decks] + [4 * decks] * 9
