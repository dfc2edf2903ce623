"""Hands that draw or stand against the third-card table."""

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.third_card_table import banker_draws, player_draws
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from sabot.domain.values.cards import total
from tests.faults.fault import Events, FaultKind

PASSED_OVER = "I301"


def two_each(table: SimulatedTable) -> Coup | None:
    """Return the current coup if its first four cards were dealt and called."""
    coup = table.shoe.current
    if coup is None or coup.totals_called is None or coup.result_called is not None:
        return None
    return coup if len(coup.player) >= 2 and len(coup.banker) >= 2 else None


def result_call(coup: Coup) -> ev.ResultCalled:
    """Return the call that the cards of a coup require."""
    result = result_of(coup.player, coup.banker)
    return ev.ResultCalled(coup.number, result.player, result.banker, result.outcome)


def _player_drew(table: SimulatedTable, _due: NextAction) -> Events | None:
    coup = two_each(table)
    if coup is None or len(coup.player) + len(coup.banker) > 4:
        return None
    if player_draws(total(coup.player), total(coup.banker)):
        return None
    return (table.drawn("player"),)


def _player_stood(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = two_each(table)
    if coup is None or due.hand != "player" or due.expects != "card":
        return None
    return _stand(table, coup)


def _stand(table: SimulatedTable, coup: Coup) -> Events:
    """Let Player stand. Banker then follows the row for no third card."""
    if banker_draws(total(coup.player), total(coup.banker), None):
        yield table.drawn("banker")
    yield result_call(coup)


def _banco_drew(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = two_each(table)
    if coup is None or type(due.payload) is not ev.ResultCalled or len(coup.banker) > 2:
        return None
    return (table.drawn("banker"),)


def _banco_stood(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = two_each(table)
    if coup is None or due.expects != "card" or due.hand != "banker":
        return None
    return (result_call(coup),)


def _fourth(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = two_each(table)
    if coup is None or type(due.payload) is not ev.ResultCalled:
        return None
    if len(coup.banker) > 2:
        return (table.drawn("banker"),)
    return (table.drawn("player"),) if len(coup.player) > 2 else None


KINDS = (
    FaultKind(
        name="punto-drew",
        family="tableau",
        what="the Player hand draws where it should stand",
        codes=("T101", PASSED_OVER),
        acts=_player_drew,
    ),
    FaultKind(
        name="punto-stood",
        family="tableau",
        what="the Player hand stands where it should draw",
        codes=("T102", PASSED_OVER),
        acts=_player_stood,
    ),
    FaultKind(
        name="banco-drew",
        family="tableau",
        what="the Banker hand draws where it should stand",
        codes=("T103", PASSED_OVER),
        acts=_banco_drew,
    ),
    FaultKind(
        name="banco-stood",
        family="tableau",
        what="the Banker hand stands where it should draw",
        codes=("T104", PASSED_OVER),
        acts=_banco_stood,
    ),
    FaultKind(
        name="fourth-card",
        family="tableau",
        what="a hand that has three cards draws another",
        codes=("T105", PASSED_OVER),
        acts=_fourth,
    ),
)
