"""Rules of the calls: what the dealer announced against what lay on the felt.

Each call is judged, and not the last alone: bets are settled by what they heard.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.justification import came_late, next_begins
from sabot.domain.audit.rule import (
    NO_BREACH,
    STARTS_BEFORE_RECORD,
    TWO_HANDS,
    Answer,
    Breach,
    CoupView,
    Doubt,
    Rule,
    starts_before_record,
)
from sabot.domain.audit.table_order import close_in_doubt, doubt, doubt_among, hands_in_doubt
from sabot.domain.events import CardDrawn, Outcome, ResultCalled, TotalsCalled, name_of
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

_CITES = ("field-facts.md 3 A8", "seeds S0, S1: the dealer calls the totals and the outcome")
_SIDE: Final[dict[Outcome, str]] = {"P": "player", "B": "banker", "T": "tie"}
_OF_TOTALS: Final = (TotalsCalled, ResultCalled)


_Wrong = Callable[[RecordedEvent], bool]
_Say = Callable[[RecordedEvent], Breach]


def _judged(view: CoupView, calls: Sequence[RecordedEvent], wrong: _Wrong, say: _Say) -> Answer:
    """Judge each call; one that was put right at once stands no more, if somebody noted it."""
    found = [call for call in calls if wrong(call)]
    if not found:
        return NO_BREACH
    if _noted(view) and not wrong(calls[-1]):
        return "a wrong call was noted, and put right"
    return close_in_doubt(view) or tuple(say(call) for call in found)


def _noted(view: CoupView) -> bool:
    return any(
        event.payload.kind == "wrong-call"
        and not came_late(view, event, next_begins(view.shoe, view.coup))
        for event in view.coup.irregularities
    )


def _undealt(view: CoupView) -> str:
    """Say why no call can be held against the cards: those that came first are not all there."""
    return STARTS_BEFORE_RECORD if view.starts_before_record else "a hand has fewer than two cards"


def _two_card_totals(view: CoupView) -> Answer:
    calls = events_of(TotalsCalled, view.coup.calls)
    if not calls:
        return "the two-card totals were not called"
    if not view.dealt:
        return _undealt(view)
    doubtful = hands_in_doubt(view)
    if doubtful is not None:
        return doubtful
    right = (view.punto, view.banco)

    def wrong(call: RecordedEvent) -> bool:
        return _totals(call) != right

    def say(call: RecordedEvent) -> Breach:
        player, banker = _totals(call)
        return Breach(
            f"the two-card totals were called {_said(player)} and {_said(banker)}",
            f"player {view.punto}, banker {view.banco}",
            f"player {_said(player)}, banker {_said(banker)}",
            (call, *view.coup.cards[:4]),
        )

    return _judged(view, calls, wrong, say)


def _totals(call: RecordedEvent) -> tuple[int | None, int | None]:
    """Return the totals that were called; None: not that one."""
    payload = call.payload
    return (payload.player, payload.banker) if isinstance(payload, _OF_TOTALS) else (None, None)


def _results(view: CoupView) -> list[RecordedEvent[ResultCalled]]:
    return events_of(ResultCalled, view.coup.calls)


def _final_totals(view: CoupView) -> Answer:
    calls = [call for call in _results(view) if _totals(call) != (None, None)]
    if not calls:
        return "the final totals were not called"
    if not view.dealt:
        return _undealt(view)
    result = view.result

    def wrong(call: RecordedEvent) -> bool:
        player, banker = _totals(call)
        return player not in (None, result.player) or banker not in (None, result.banker)

    def say(call: RecordedEvent) -> Breach:
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

    def wrong(call: RecordedEvent) -> bool:
        return _outcome_of(call) != due

    def say(call: RecordedEvent) -> Breach:
        side = _SIDE[_outcome_of(call) or due]
        return Breach(
            f"{side} was called where {_SIDE[due]} came",
            f"{_SIDE[due]}, {view.result.player} to {view.result.banker}",
            side,
            (call, *view.coup.cards),
        )

    return _judged(view, calls, wrong, say)


def _outcome_of(call: RecordedEvent) -> Outcome | None:
    return call.payload.outcome if isinstance(call.payload, ResultCalled) else None


def _too_early(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return "the record does not give the order of the cards"
    coup, closed = view.coup, view.coup.closed
    cards = [card for card in coup.cards if closed is None or card.position < closed.position]
    if not coup.calls:
        return "nothing was called"
    if not view.dealt or coup.voided is not None:
        return _undealt(view) if coup.voided is None else "the coup was voided"
    doubtful = doubt_among(view.shoe, coup.calls, coup.cards)
    if doubtful is not None or not cards:
        return doubtful or "no card was drawn before the coup was closed"
    fourth = max(card.position for hand in ("player", "banker") for card in _first_two(cards, hand))
    last = max(fourth, cards[-1].position)

    def early(call: RecordedEvent) -> bool:
        return call.position < (fourth if isinstance(call.payload, TotalsCalled) else last)

    def say(call: RecordedEvent) -> Breach:
        awaited = next(card for card in cards if card.position > call.position)
        return Breach(
            f"{name_of(call.payload)} before a card that it is about was drawn",
            "totals and results are called on the cards that lie there",
            "a card came after the call",
            (call, awaited),
        )

    return _judged(view, coup.calls, early, say)


def _first_two(cards: list[RecordedEvent[CardDrawn]], hand: str) -> list[RecordedEvent[CardDrawn]]:
    """Return the events of a hand's first two cards."""
    return [card for card in cards if card.payload.hand == hand][:2]


def _uncalled(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    dealt = [
        coup
        for coup in shoe.coups.values()
        if coup.closed is not None
        and coup.cards
        and coup.voided is None
        and not coup.fully_refunded
    ]
    if not any(coup.result_called is not None for coup in dealt):
        return "the record tells of no calls"
    return tuple(_without_result(shoe, dealt))


def _without_result(shoe: Shoe, dealt: list[Coup]) -> Iterator[Breach | Doubt]:
    """Yield a breach for each coup whose result nobody had called when it was closed."""
    for coup in dealt:
        closed, call = coup.closed, _first_result(coup)
        if closed is None or starts_before_record(shoe, coup):
            continue
        doubtful = doubt(shoe, call, closed) if call is not None else None
        if doubtful is not None:
            yield Doubt(doubtful)
        elif call is None or call.position > closed.position:
            yield Breach(
                f"the result of coup {coup.number} was not called",
                "the dealer calls the result of each coup before it is closed",
                "called when it was closed" if call else "no call of it, and calls of others",
                (closed, *coup.cards),
                coup.number,
            )


def _first_result(coup: Coup) -> RecordedEvent | None:
    for call in coup.calls:
        if type(call.payload) is not TotalsCalled:
            return call
    return None


def _said(total: int | None) -> str:
    return "nothing" if total is None else str(total)


RULES = (
    Rule(
        "C101",
        "miscalled-two-card-totals",
        "totals",
        "medium",
        "The totals that the dealer calls on the first two cards decide the third.",
        _CITES,
        on_coup=_two_card_totals,
        games=("punto-banco",),
    ),
    Rule(
        "C102",
        "miscalled-final-totals",
        "totals",
        "medium",
        "The called totals are those of the cards on the felt.",
        _CITES,
        on_coup=_final_totals,
        games=TWO_HANDS,
    ),
    Rule(
        "C103",
        "miscalled-result",
        "totals",
        "high",
        "The higher total wins; equal totals tie. Bets are paid by this call.",
        _CITES,
        on_coup=_outcome,
        games=TWO_HANDS,
    ),
    Rule(
        "C104",
        "premature-call",
        "totals",
        "high",
        "Who calls a total or a result before its last card was drawn has known that card.",
        _CITES,
        on_coup=_too_early,
        games=TWO_HANDS,
    ),
    Rule(
        "C105",
        "result-not-called",
        "procedure",
        "medium",
        "Bets are settled by the result that is called; what nobody calls nobody can dispute.",
        _CITES,
        on_shoe=_uncalled,
    ),
)
