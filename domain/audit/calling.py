"""Rules of the calls: what the dealer announced against what lay on the felt.

Each call is judged, and not the last alone: bets are settled by what they heard.
"""

from collections.abc import Callable
from typing import Final

from domain.audit.rule import CLEAN, HEADLESS, TWO_HANDS, Answer, Breach, CoupView, Rule
from domain.audit.timing import hands_in_doubt
from domain.event import Event
from domain.facts import IrregularityNoted, Outcome, ResultCalled, TotalsCalled

_CITES = ("field-facts.md 3 A8", "seeds S0, S1: the dealer calls the totals and the outcome")
_SIDE: Final[dict[Outcome, str]] = {"P": "player", "B": "banker", "T": "tie"}
_OF_TOTALS: Final = (TotalsCalled, ResultCalled)


_Wrong = Callable[[Event], bool]
_Say = Callable[[Event], Breach]


def _judged(view: CoupView, calls: list[Event], wrong: _Wrong, say: _Say) -> Answer:
    """Judge each call; one that was put right at once stands no more, if somebody noted it."""
    found = [call for call in calls if wrong(call)]
    if not found:
        return CLEAN
    if _noted(view) and not wrong(calls[-1]):
        return "a wrong call was noted, and put right"
    return tuple(say(call) for call in found)


def _noted(view: CoupView) -> bool:
    return any(
        isinstance(event.fact, IrregularityNoted) and event.fact.kind == "wrong-call"
        for event in view.coup.irregularities
    )


def _undealt(view: CoupView) -> str:
    """Say why no call can be held against the cards: those that came first are not all there."""
    return HEADLESS if view.headless else "a hand has fewer than two cards"


def _two_card_totals(view: CoupView) -> Answer:
    calls = [call for call in view.coup.calls if isinstance(call.fact, TotalsCalled)]
    if not calls:
        return "the two-card totals were not called"
    if not view.dealt:
        return _undealt(view)
    doubtful = hands_in_doubt(view)
    if doubtful is not None:
        return doubtful
    right = (view.punto, view.banco)

    def wrong(call: Event) -> bool:
        return _totals(call) != right

    def say(call: Event) -> Breach:
        player, banker = _totals(call)
        return Breach(
            f"the two-card totals were called {_said(player)} and {_said(banker)}",
            f"player {view.punto}, banker {view.banco}",
            f"player {_said(player)}, banker {_said(banker)}",
            (call, *view.coup.cards[:4]),
        )

    return _judged(view, calls, wrong, say)


def _totals(call: Event) -> tuple[int | None, int | None]:
    """Return the totals that were called; None: not that one."""
    fact = call.fact
    return (fact.player, fact.banker) if isinstance(fact, _OF_TOTALS) else (None, None)


def _results(view: CoupView) -> list[Event]:
    return [call for call in view.coup.calls if isinstance(call.fact, ResultCalled)]


def _final_totals(view: CoupView) -> Answer:
    calls = [call for call in _results(view) if _totals(call) != (None, None)]
    if not calls:
        return "the final totals were not called"
    if not view.dealt:
        return _undealt(view)
    result = view.result

    def wrong(call: Event) -> bool:
        player, banker = _totals(call)
        return player not in (None, result.player) or banker not in (None, result.banker)

    def say(call: Event) -> Breach:
        player, banker = _totals(call)
        return Breach(
            f"the totals were called {_said(player)} and {_said(banker)}",
            f"player {result.player}, banker {result.banker}",
            f"player {_said(player)}, banker {_said(banker)}",
            (call, *view.coup.cards),
        )

    return _judged(view, calls, wrong, say)


def _outcome(view: CoupView) -> Answer:
    calls = [call for call in _results(view) if _outcome_of(call) is not None]
    if not calls:
        return "the outcome was not called"
    if not view.dealt:
        return _undealt(view)
    due = view.result.outcome

    def wrong(call: Event) -> bool:
        return _outcome_of(call) != due

    def say(call: Event) -> Breach:
        side = _SIDE[_outcome_of(call) or due]
        return Breach(
            f"{side} was called where {_SIDE[due]} came",
            f"{_SIDE[due]}, {view.result.player} to {view.result.banker}",
            side,
            (call, *view.coup.cards),
        )

    return _judged(view, calls, wrong, say)


def _outcome_of(call: Event) -> Outcome | None:
    return call.fact.outcome if isinstance(call.fact, ResultCalled) else None


def _said(total: int | None) -> str:
    return "nothing" if total is None else str(total)


RULES = (
    Rule(
        "two-card-totals-were-miscalled",
        "totals",
        "medium",
        "The totals that the dealer calls on the first two cards decide the third.",
        _CITES,
        on_coup=_two_card_totals,
        games=("punto-banco",),
    ),
    Rule(
        "final-totals-were-miscalled",
        "totals",
        "medium",
        "The called totals are those of the cards on the felt.",
        _CITES,
        on_coup=_final_totals,
        games=TWO_HANDS,
    ),
    Rule(
        "outcome-was-miscalled",
        "totals",
        "high",
        "The higher total wins; equal totals tie. Bets are paid by this call.",
        _CITES,
        on_coup=_outcome,
        games=TWO_HANDS,
    ),
)
