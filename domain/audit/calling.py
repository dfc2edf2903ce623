"""Rules of the calls: what the dealer announced against what lay on the felt."""

from domain.audit.rule import CLEAN, HEADLESS, TWO_HANDS, Answer, Breach, CoupView, Rule
from domain.audit.timing import hands_in_doubt
from domain.facts import Outcome, ResultCalled, TotalsCalled

_CITES = ("field-facts.md 3 A8", "seeds S0, S1: the dealer calls the totals and the outcome")
_SIDE: dict[Outcome, str] = {"P": "player", "B": "banker", "T": "tie"}


def _called(view: CoupView) -> ResultCalled | None:
    event = view.coup.result_called
    return event.fact if event is not None and isinstance(event.fact, ResultCalled) else None


def _undealt(view: CoupView) -> str:
    """Say why no call can be held against the cards: those that came first are not all there."""
    return HEADLESS if view.headless else "a hand has fewer than two cards"


def _two_card_totals(view: CoupView) -> Answer:
    event = view.coup.totals_called
    if event is None or not isinstance(event.fact, TotalsCalled):
        return "the two-card totals were not called"
    if not view.dealt:
        return _undealt(view)
    doubtful = hands_in_doubt(view)
    if doubtful is not None:
        return doubtful
    called = event.fact
    if (called.player, called.banker) == (view.punto, view.banco):
        return CLEAN
    return (
        Breach(
            f"the two-card totals were called {called.player} and {called.banker}",
            f"player {view.punto}, banker {view.banco}",
            f"player {called.player}, banker {called.banker}",
            (event, *view.coup.cards[:4]),
        ),
    )


def _final_totals(view: CoupView) -> Answer:
    called, event = _called(view), view.coup.result_called
    if called is None or event is None or (called.player is None and called.banker is None):
        return "the final totals were not called"
    if not view.dealt:
        return _undealt(view)
    result = view.result
    right_player = called.player is None or called.player == result.player
    right_banker = called.banker is None or called.banker == result.banker
    if right_player and right_banker:
        return CLEAN
    return (
        Breach(
            f"the totals were called {_said(called.player)} and {_said(called.banker)}",
            f"player {result.player}, banker {result.banker}",
            f"player {_said(called.player)}, banker {_said(called.banker)}",
            (event, *view.coup.cards),
        ),
    )


def _outcome(view: CoupView) -> Answer:
    called, event = _called(view), view.coup.result_called
    if called is None or event is None or called.outcome is None:
        return "the outcome was not called"
    if not view.dealt:
        return _undealt(view)
    due = view.result.outcome
    if called.outcome == due:
        return CLEAN
    return (
        Breach(
            f"{_SIDE[called.outcome]} was called where {_SIDE[due]} came",
            f"{_SIDE[due]}, {view.result.player} to {view.result.banker}",
            _SIDE[called.outcome],
            (event, *view.coup.cards),
        ),
    )


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
