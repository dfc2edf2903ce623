"""Show the wrong call of a result in findings about settlements that followed the call.

If the croupier announced the wrong winner and the bets were settled accordingly, the fault is the
call. Each finding about such a settlement shows the call, so that the finding about the call
explains it.
"""

from typing import Final, Literal

from msgspec.structs import replace

from sabot.domain.audit.checks.bank.levy import wrong_levy
from sabot.domain.audit.checks.calls import miscalled_result
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import Breach, Rule
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import Outcome, ResultCalled
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.state.coup_state import Bet

_CALL: Final = code_of(miscalled_result)
_LEVY: Final = code_of(wrong_levy)
_WINS: Final[dict[str, Outcome]] = {"player": "P", "banker": "B", "tie": "T"}
"""The outcome with which each wager wins."""


def with_wrong_call(view: CoupView, found: list[tuple[Rule, Breach]]) -> list[tuple[Rule, Breach]]:
    """Return the breaches of a coup, and add a wrong call to those that follow from it.

    The call is added as their last event.

    Args:
        view: the coup.
        found: all its breaches.
    """
    calls = [breach.events[0] for rule, breach in found if rule.code == _CALL]
    call = next((event for event in calls if is_of(event, ResultCalled)), None)
    if call is None or call.payload.outcome is None:
        return found
    said = call.payload.outcome
    as_called = {
        bet.placed.position
        for bet in view.coup.bets.values()
        if bet.moves and _settled(bet) == _by_call(bet.wager, said)
    }
    return [(rule, _showing(rule, breach, call, as_called)) for rule, breach in found]


def _showing(rule: Rule, breach: Breach, call: RecordedEvent, as_called: set[int]) -> Breach:
    follows = _CALL in rule.follows_from and breach.events
    if follows and (rule.code == _LEVY or breach.events[0].position in as_called):
        return replace(breach, events=(*breach.events, call))
    return breach


_Kind = Literal["pay", "take", "push"]


def _settled(bet: Bet) -> _Kind:
    moved = bet.paid - bet.taken
    return "pay" if moved > 0 else "take" if moved < 0 else "push"


def _by_call(wager: str, said: Outcome) -> _Kind | None:
    """Return how a called outcome settles a bet.

    None for a wager that depends on more than the outcome.
    """
    wins = _WINS.get(wager)
    if wins is None:
        return None
    if wins == said:
        return "pay"
    return "push" if said == "T" else "take"
