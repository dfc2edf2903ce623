"""The mistakes of `sabot demo`: twelve errors and cheats at a table.

Each is an `Intervention` (`sabot.domain.simulation.table`). It happens once, and names the family
of the rules that report it.
"""

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.common import burn_due, opening_burn
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.third_card_table import player_draws
from sabot.domain.rules.wagers import WAGER_ON
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from sabot.domain.values.cards import total

Events = Iterable[ev.ShoeEvent]

_FOUR: Final = 4
_ENOUGH_LEFT: Final = 14
"""Minimum number of cards in the shoe for a palmed card, so that the coup can be completed."""
_CALLED_INSTEAD: Final[dict[ev.Outcome, ev.Outcome]] = {"P": "B", "B": "P", "T": "B"}


class Mistake:
    """One deviation, at the first opportunity from a coup on.

    ``family`` is that of the audit rule that reports it (`sabot rules`). ``happened`` is whether it
    has occurred; ``coup`` is then the coup in play, or None.
    """

    family: ClassVar[str]

    def __init__(self, from_coup: int = 1) -> None:
        """Take the number of the coup from which on the mistake may happen."""
        self.from_coup = from_coup
        self.happened = False
        self.coup: int | None = None

    def acts(self, table: SimulatedTable, due: NextAction) -> Events | None:
        """Return the events to record instead of the next action, if the mistake is due."""
        return self._once(table, self._instead(table, due)) if self._may(table) else None

    def alters(self, table: SimulatedTable, event: ev.ShoeEvent) -> Events | None:
        """Return the events to record instead of an event, if the mistake is due."""
        return self._once(table, self._changed(table, event)) if self._may(table) else None

    def _instead(self, table: SimulatedTable, due: NextAction, /) -> Events | None:
        """Return the events that replace the next action, or None at any other moment."""

    def _changed(self, table: SimulatedTable, event: ev.ShoeEvent, /) -> Events | None:
        """Return the events that replace an event, or None at any other moment."""

    def _may(self, table: SimulatedTable) -> bool:
        begun = max(table.shoe.coups, default=0)
        return not self.happened and (begun >= self.from_coup or self.from_coup == 1)

    def _once(self, table: SimulatedTable, events: Events | None) -> Events | None:
        if events is not None:
            self.happened = True
            self.coup = table.shoe.current.number if table.shoe.current is not None else None
        return events


# -- Before the first coup --------------------------------------------------------------------


class ShortBurn(Mistake):
    """The dealer burns one card too few at the start."""

    family = "procedure"

    def _instead(self, table: SimulatedTable, due: NextAction, /) -> Events | None:
        asked = burn_due(table.shoe)
        if due.expects != "burn-down" or asked is None or asked.cards is None:
            return None
        is_last = asked.cards - len(opening_burn(table.shoe)) == 1
        return (ev.CoupOpened(1),) if is_last else None


# -- The cards --------------------------------------------------------------------------------


class PlayerDrew(Mistake):
    """The Player hand draws when it must stand."""

    family = "tableau"

    def _instead(self, table: SimulatedTable, _due: NextAction, /) -> Events | None:
        coup = _after_two_each(table)
        if coup is None or len(coup.player) + len(coup.banker) > _FOUR:
            return None
        if player_draws(total(coup.player), total(coup.banker)):
            return None
        return (table.drawn("player"),)


class BankerStood(Mistake):
    """The Banker hand stands when it must draw."""

    family = "tableau"

    def _instead(self, table: SimulatedTable, due: NextAction, /) -> Events | None:
        coup = _after_two_each(table)
        if coup is None or due.expects != "card" or due.hand != "banker":
            return None
        result = result_of(coup.player, coup.banker)
        return (ev.ResultCalled(coup.number, result.player, result.banker, result.outcome),)


class PalmedCard(Mistake):
    """The dealer palms a card: it leaves the shoe unrecorded and is not dealt."""

    family = "composition"

    def _instead(self, table: SimulatedTable, due: NextAction, /) -> Events | None:
        if due.expects != "card" or due.hand is None or table.order.left < _ENOUGH_LEFT:
            return None
        table.order.draw()  # the palmed card
        return (table.drawn(due.hand),)


def _after_two_each(table: SimulatedTable) -> Coup | None:
    """Return the coup if its totals were called and its result was not, else None."""
    coup = table.shoe.current
    if coup is None or coup.totals_called is None or coup.result_called is not None:
        return None
    return coup if len(coup.player) + len(coup.banker) >= _FOUR else None


# -- The calls --------------------------------------------------------------------------------


class TotalsMiscalled(Mistake):
    """The dealer calls a wrong Banker total after two cards."""

    family = "totals"

    def _changed(self, _table: SimulatedTable, event: ev.ShoeEvent, /) -> Events | None:
        if not isinstance(event, ev.TotalsCalled):
            return None
        return (replace(event, banker=(event.banker + 1) % 10),)


class ResultMiscalled(Mistake):
    """The dealer calls the wrong side. Bets are settled by the cards."""

    family = "totals"

    def _changed(self, _table: SimulatedTable, event: ev.ShoeEvent, /) -> Events | None:
        if not isinstance(event, ev.ResultCalled) or event.outcome is None:
            return None
        return (replace(event, outcome=_CALLED_INSTEAD[event.outcome]),)


# -- The bets ---------------------------------------------------------------------------------


class PastPosting(Mistake):
    """A patron bets on the winning side after seeing cards."""

    family = "procedure"

    def _instead(self, table: SimulatedTable, due: NextAction, /) -> Events | None:
        coup, wager, seats = table.shoe.current, _winning(due), table.shoe.seats
        if coup is None or wager is None or not seats:
            return None
        seat, number = min(seats), max(coup.bets, default=0) + 1
        return (ev.BetPlaced(coup.number, number, seats[seat], wager, table.limits.minimum, seat),)


class BetCapping(Mistake):
    """Capping: a patron doubles a bet that has won."""

    family = "procedure"

    def _instead(self, table: SimulatedTable, due: NextAction, /) -> Events | None:
        coup, wager = table.shoe.current, _winning(due)
        if coup is None or wager is None:
            return None
        for bet in coup.bets.values():
            if bet.wager == wager and not bet.withdrawn:
                return (ev.BetChanged(coup.number, bet.number, 2 * bet.amount),)
        return None


def _winning(due: NextAction) -> str | None:
    """Return the winning wager once the call of the result is due, else None."""
    call = due.payload
    if not isinstance(call, ev.ResultCalled) or call.outcome is None:
        return None
    return WAGER_ON[call.outcome]


# -- The payments -----------------------------------------------------------------------------


class WinnerOverpaid(Mistake):
    """A winning bet is paid twice the amount due."""

    family = "payout"

    def _changed(self, _table: SimulatedTable, event: ev.ShoeEvent, /) -> Events | None:
        return (replace(event, amount=2 * event.amount),) if isinstance(event, ev.BetPaid) else None


class LoserLeft(Mistake):
    """A losing bet is not collected."""

    family = "payout"

    def _changed(self, _table: SimulatedTable, event: ev.ShoeEvent, /) -> Events | None:
        return (ev.BetPushed(event.coup, event.bet),) if isinstance(event, ev.BetTaken) else None


class CommissionHalved(Mistake):
    """Half the commission on a winning bet is charged."""

    family = "payout"

    def _changed(self, _table: SimulatedTable, event: ev.ShoeEvent, /) -> Events | None:
        match event:
            case ev.CommissionMarked(amount=amount):
                return (replace(event, amount=amount // 2),)
            case ev.CommissionCollected(amount=amount, bet=bet) if bet is not None:
                return (replace(event, amount=amount // 2),)
            case _:
                return None


class BetNeverSettled(Mistake):
    """The dealer forgets one bet, settles all others and closes the coup."""

    family = "payout"

    def _instead(self, table: SimulatedTable, due: NextAction, /) -> Events | None:
        coup = table.shoe.current
        if due.expects != "settle" or coup is None:
            return None
        forgotten = next(bet.number for bet in coup.bets.values() if not bet.withdrawn)
        return _settled_but(table, coup.number, forgotten)


def _settled_but(table: SimulatedTable, coup: int, forgotten: int) -> Iterator[ev.ShoeEvent]:
    for event in table.settlement():
        if getattr(event, "bet", None) != forgotten:
            yield event
    yield ev.CoupClosed(coup)
