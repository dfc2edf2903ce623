"""The automatic dealer, which carries out each next action of the table.

Every step carries out what `sabot.domain.procedure.dealing_order.next_action` returns, so the deal
follows the shoe's rule pack. Only an intervention (`sabot.domain.simulation.table.Intervention`)
may replace a step.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from sabot.domain import events as ev
from sabot.domain.events.commitment import SealedOrder
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.dealing_order import Awaits, NextAction, next_action
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.simulation import preparation
from sabot.domain.simulation.banked_games import banque_play, chemin_play
from sabot.domain.simulation.banked_games.bank_chips import bank_put_up
from sabot.domain.simulation.cheats.collusion import Favours
from sabot.domain.simulation.patrons.arrivals import plan_arrivals, plan_departures
from sabot.domain.simulation.patrons.patron import Patron
from sabot.domain.simulation.shoe_plan import ShoePlan
from sabot.domain.simulation.table import Intervention, SimulatedTable
from sabot.domain.simulation.table_bets import evened_out, late_moment, late_moves, place_bets
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

Events = tuple[ev.ShoeEvent, ...]
Answer = Callable[[SimulatedTable, NextAction], Iterable[ev.ShoeEvent]]
ENDLESS_COUPS: Final = 81
"""Number of coups dealt from an endless shoe: as many as from eight decks."""
_IDLE_COUPS: Final = 10
"""Number of coups without a stake after which a table with a patron's bank closes."""
COUP_CARDS: Final = 6
"""The maximum number of cards in a coup."""
_FOUR: Final = 4
_BEFORE: Final[tuple[Awaits, ...]] = ("shuffle", "cut", "stop-card", "burn-up", "burn-down")


class Dealer:
    """Deals one shoe to its patrons, event by event.

    The same plan, patrons and random source give the same events.
    """

    def __init__(
        self,
        plan: ShoePlan,
        patrons: Sequence[Patron],
        rng: random.Random,
        interventions: Sequence[Intervention] = (),
    ) -> None:
        """Set up the table."""
        self.table = SimulatedTable(plan, patrons, rng)
        self._interventions = [*interventions]
        favours = {who.name: who.favour for who in patrons if who.favour is not None}
        if favours:
            self._interventions.append(Favours(favours, random.Random(rng.getrandbits(64))))

    @property
    def shoe(self) -> Shoe:
        """The shoe as dealt so far."""
        return self.table.shoe

    def deal(self) -> Iterator[RecordedEvent]:
        """Deal the whole shoe. Each event is applied to the shoe before it is yielded."""
        table = self.table
        due: Iterable[ev.ShoeEvent] = preparation.loading_event(table)
        while True:
            for payload in due:
                for really in self._altered(payload):
                    yield table.record(really)
            now = next_action(table.shoe)
            if now.expects == "nothing":
                break
            done = self._done_instead(now)
            due = answer(table, now) if done is None else done
        if isinstance(table.order, SealedOrder):
            for really in self._altered(table.order.opened()):
                yield table.record(really)

    def _done_instead(self, due: NextAction) -> Iterable[ev.ShoeEvent] | None:
        for intervention in self._interventions:
            done = intervention.acts(self.table, due)
            if done is not None:
                return done
        return None

    def _altered(self, payload: ev.ShoeEvent) -> Iterable[ev.ShoeEvent]:
        for intervention in self._interventions:
            done = intervention.alters(self.table, payload)
            if done is not None:
                return done
        return (payload,)


# -- Answers to what is due -------------------------------------------------------------------


def answer(table: SimulatedTable, due: NextAction) -> Iterable[ev.ShoeEvent]:
    """Return the correct events for the action due."""
    late = _late(table, due)
    if late:
        return late
    step = _answers(table.pack).get(due.expects)
    if step is not None:
        return step(table, due)
    assert due.payload is not None, due
    return (due.payload,)


def _card(table: SimulatedTable, due: NextAction) -> Events:
    assert due.hand is not None
    return (table.drawn(due.hand, due.seat),)


def _open(table: SimulatedTable, due: NextAction) -> Events:
    assert isinstance(due.payload, ev.CoupOpened)
    number = due.payload.coup
    if _unstaked(table):
        return table.ended("closing")
    two_tableaux = table.pack.tableaux is not None
    if table.came_and_went != number:
        table.came_and_went = number
        moved = (*plan_arrivals(table, number), *plan_departures(table, number))
        given_up = (banque_play if two_tableaux else chemin_play).given_up
        moved = moved or given_up(table, number)
        if moved:
            return moved
    if table.order.left < (banque_play.COUP_CARDS if two_tableaux else COUP_CARDS):
        return table.ended("too-few-cards")
    if _closes_before(table, number):
        return table.ended("closing")
    if number <= table.plan.free_hands:
        return (*_asked_for(table), ev.CoupOpened(number, free=True))
    return (due.payload,)


def _closes_before(table: SimulatedTable, number: int) -> bool:
    """Return whether the table closes before a coup: all patrons left, or all coups are dealt."""
    most = table.plan.coups or (ENDLESS_COUPS if table.pack.endless else None)
    patrons_remain = any(s.seated or s.patron.joins > number for s in table.sitters)
    return bool(table.sitters and not patrons_remain) or (most is not None and number > most)


def _asked_for(table: SimulatedTable) -> Events:
    """Return a patron's request for the free hand, if the pack requires one."""
    sits = next((s.patron.name for s in table.sitters if s.seated), table.floor)
    if table.pack.free_hands_when != "on-request":
        return ()
    return (ev.RequestMade(sits, "free-hand", granted=True),)


def _unstaked(table: SimulatedTable) -> bool:
    """Return whether no further patron will stake against the bank."""
    if table.pack.game == "punto-banco":
        return False
    coups = table.shoe.coups
    before = coups.get(max(coups, default=0))
    if before is None or before.bets or before.cards:
        return False
    idle = [coups[number] for number in sorted(coups)[-_IDLE_COUPS:]]
    return before.voided is not None or (
        len(idle) == _IDLE_COUPS and not any(coup.bets or coup.cards for coup in idle)
    )


def _bets(table: SimulatedTable, due: NextAction) -> Events:
    coup = table.shoe.current
    assert coup is not None
    assert due.payload is not None
    call = type(due.payload) is ev.NoMoreBets
    if not call or coup.free:
        return (due.payload,)
    if table.bets_asked == coup.number:
        return (*evened_out(table, coup), due.payload, *_turned(table, coup))
    if table.plan.early and len(coup.player) + len(coup.banker) < _FOUR:
        return (table.drawn("player" if len(coup.player) <= len(coup.banker) else "banker"),)
    table.bets_asked = coup.number
    return place_bets(table, coup) or (due.payload,)


def _turned(table: SimulatedTable, coup: Coup) -> Events:
    """Return the turns of cards that were dealt early, if the pack deals face up."""
    if not table.plan.early or table.pack.cards.faces == "down":
        return ()
    hands: tuple[tuple[ev.Hand, int], ...]
    hands = (("player", len(coup.player)), ("banker", len(coup.banker)))
    return tuple(
        ev.CardTurned(coup.number, hand, nth)
        for hand, cards in hands
        for nth in range(1, cards + 1)
    )


def _late(table: SimulatedTable, due: NextAction) -> Events:
    """Return the late changes of patrons' bets.

    Each patron is asked once at each moment of a coup at which bets may be changed late.
    """
    coup = table.shoe.current
    moment = None if coup is None else late_moment(coup, due)
    if coup is None or moment is None or table.late_asked == (coup.number, moment):
        return ()
    table.late_asked = (coup.number, moment)
    return late_moves(table, coup, moment)


def _holder(table: SimulatedTable, due: NextAction) -> Events:
    assert due.payload is not None
    offered = table.shoe.offered
    sitter = None if offered is None else table.sitter(offered)
    if offered is not None and sitter is not None and table.rng.random() >= sitter.patron.holds:
        return (ev.ShoeRefused(offered),)
    return (due.payload,)


def _bank(table: SimulatedTable, due: NextAction) -> Events:
    assert due.payload is not None
    return (bank_put_up(table.sitters, due.payload),)


def _settle(table: SimulatedTable, due: NextAction) -> Iterable[ev.ShoeEvent]:
    """Return the next settlements.

    A bet without a matching pay line is pushed.
    """
    if isinstance(due.payload, chemin_play.LevyStep):
        return (chemin_play.with_ticket(table, due.payload),)
    if due.payload is not None:
        return table.settlement()
    coup = table.shoe.current
    assert coup is not None
    bets = (bet for bet in coup.bets.values() if not bet.settled and not bet.withdrawn)
    return (ev.BetPushed(coup.number, next(bets).number),)


def _ended(table: SimulatedTable, due: NextAction) -> Events:
    return table.ended(due.payload.reason if isinstance(due.payload, ev.ShoeEnded) else "cut-card")


_HOUSE_BANKS: Final[dict[Awaits, Answer]] = {
    **dict.fromkeys(_BEFORE, preparation.prepare),
    "card": _card,
    "bets": _bets,
    "coup": _open,
    "holder": _holder,
    "settle": _settle,
    "bank": _bank,
    "end": _ended,
}
_PATRON_BANKS: Final = _HOUSE_BANKS | chemin_play.ANSWERS
_TWO_TABLEAUX: Final = _HOUSE_BANKS | banque_play.ANSWERS


def _answers(pack: RulePack) -> dict[Awaits, Answer]:
    """Return the functions that carry out each kind of step at a table with this pack."""
    if pack.tableaux is not None:
        return _TWO_TABLEAUX
    return _HOUSE_BANKS if pack.bank is None else _PATRON_BANKS
