"""Explain the draws, calls and payments of a coup.

Each step compares what was due on the cards dealt with what was recorded, and marks a difference.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.completeness import STARTS_BEFORE_RECORD
from sabot.domain.audit.coup_numbers import coups_of
from sabot.domain.audit.coup_view import CoupView, cashier_of, view_coup
from sabot.domain.audit.engine import audit_part
from sabot.domain.audit.explain.bank_reasons import bank_steps, choice_steps, levy_steps
from sabot.domain.audit.explain.due_cards import due_card_steps
from sabot.domain.audit.explain.own_hand_reasons import hand_steps
from sabot.domain.audit.explain.payment_reasons import is_without_cards, payment_steps
from sabot.domain.audit.explain.ruling_reasons import ruling_on, ruling_steps, why_given
from sabot.domain.audit.explain.steps import DEALT_IN_TURN, Kind, Step, cards_added_up
from sabot.domain.audit.explain.tableaux_reasons import tableau_steps
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.late_corrections import late_corrections
from sabot.domain.audit.rule import Family
from sabot.domain.audit.rulebook import find_rule
from sabot.domain.audit.uncorrected_records import as_audited, without_corrections
from sabot.domain.events import (
    Hand,
    Outcome,
    ResultCalled,
    TotalsCalled,
)
from sabot.domain.events.bank import HandsCalled
from sabot.domain.events.envelope import events_of, is_of
from sabot.domain.rules.third_card_table import banker_draws, player_draws, why_banker, why_player
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import Card, format_card, total
from sabot.domain.values.errors import NotFound

NO_CARDS: Final = "no card of the coup is on record"
NOTHING_TO_COMPARE: Final = "as called; the record has no cards to compare it with"
_SIDE: dict[Outcome, str] = {"P": "Player wins", "B": "Banker wins", "T": "tie"}
_THIRD = 3
_FAMILIES: dict[Kind, tuple[Family, ...]] = {
    "draw": ("tableau", "procedure"),
    "stand": ("tableau", "procedure"),
    "call": ("totals",),
}
"""The families of the rules that judge a kind of step. A kind that is missing has no limit."""


class Explanation(Struct, frozen=True):
    """A coup explained step by step, under its rule pack."""

    shoe: str
    coup: int
    pack: str | None
    steps: list[Step]


def explain(shoe: Shoe, number: int, found: Collection[Finding] | None = None) -> Explanation:
    """Explain a coup of a shoe.

    Args:
        shoe: the shoe.
        number: the number of the coup.
        found: the audit's findings of the coup; None runs the audit.

    Raises:
        NotFound: the shoe has no coup of that number.
    """
    coup = shoe.coups.get(number)
    if coup is None:
        first, last = min(shoe.coups, default=0), max(shoe.coups, default=0)
        said = f"its coups are {first} to {last}" if last else "no coup was dealt from it"
        raise NotFound(f"shoe {shoe.name!r} has no coup {number}; {said}")
    if found is None:
        found = [each for each in audit_part(shoe, [number]) if each.coup == number]
    # findings about corrections concern the earlier record, not the steps shown here
    of_record = [each for each in found if find_rule(each.code).looks_at != "correction"]
    is_corrected_away = len(of_record) < len(found)
    found = of_record
    shoe = as_audited(shoe)
    steps = [
        _as_found(step, found)
        for each in coups_of(shoe, [number])
        for step in _steps(view_coup(shoe, each, cashier_of(shoe)), found)
    ]
    if is_corrected_away:
        steps += _as_first_recorded(shoe, number)
    steps = _with_findings(steps, found)
    pack = shoe.pack
    name = f"{pack.name} version {pack.version}: {pack.title}" if pack is not None else None
    return Explanation(shoe.name, number, name, steps)


def _as_first_recorded(shoe: Shoe, number: int) -> list[Step]:
    """Return the steps on the cards that were due by the record before its late corrections."""
    late = [(each, was) for coup, each, was in late_corrections(shoe.history) if coup == number]
    first = without_corrections(shoe, late)
    found = audit_part(first, [number])
    return [
        replace(step, what=f"{step.what}, as first recorded")
        for each in coups_of(first, [number])
        for step in due_card_steps(view_coup(first, each, cashier_of(first)), found)
    ]


def _steps(view: CoupView, found: Collection[Finding]) -> Iterator[Step]:
    yield from _opening(view)
    yield from ruling_steps(view, found)
    yield from _played(view, found)
    yield from payment_steps(view, found)
    yield from due_card_steps(view, found)
    yield from levy_steps(view)


def _as_found(step: Step, found: Collection[Finding]) -> Step:
    """Return a step whose difference is removed if no finding confirms it.

    The difference may be uncertain, or may have been put right. The audit gives the reason.
    """
    told = any(_is_of(step, each) for each in found)
    return step if told or not step.differs else replace(step, differs=None)


def _is_of(step: Step, finding: Finding) -> bool:
    """Return whether a finding is of a family that the kind of step can show."""
    families = _FAMILIES.get(step.kind)
    return families is None or finding.family in families


def _with_findings(steps: Sequence[Step], found: Collection[Finding]) -> list[Step]:
    """Return the steps with the findings about them.

    A finding is about the wrong steps that it can explain. Without such a step it is about each
    step with an event of the finding.
    """
    codes: list[list[str]] = [[] for _ in steps]
    for each in found:
        shares = [bool(set(step.events) & set(each.events)) for step in steps]
        wrong = [
            bool(step.differs) and _is_of(step, each) and (shared or not step.events)
            for step, shared in zip(steps, shares, strict=True)
        ]
        for place, about in enumerate(wrong if any(wrong) else shares):
            codes[place] += [each.code] if about else []
    return [
        replace(step, findings=tuple(dict.fromkeys(mine)))
        for step, mine in zip(steps, codes, strict=True)
    ]


def _played(view: CoupView, found: Collection[Finding]) -> Iterator[Step]:
    """Yield the steps for the bank, the hands and the calls of a coup."""
    pack = view.shoe.pack
    if is_without_cards(view):
        if pack is None or pack.tableaux is None:
            yield from bank_steps(view)
        yield from _as_called(view)
        return
    if pack is not None and pack.tableaux is not None:
        yield from tableau_steps(view)
        return
    yield from bank_steps(view)
    own = pack is not None and pack.macao is not None
    yield from hand_steps(view) if own else _cards(view)
    if not own:
        yield from (_put_right(view, step, found) for step in _calls(view))


# -- The coup as a whole ---------------------------------------------------------------------------


def _opening(view: CoupView) -> Iterator[Step]:
    coup = view.coup
    for drawn in coup.late:
        payload = drawn.payload
        what, shown = (
            f"a card for {payload.hand}",
            f"drew {format_card(payload.card)} behind the close",
        )
        why = "a coup that is closed has its cards: one more is in none of its hands"
        yield Step("coup", what, "none", why, shown, True, (drawn.index,))
    if view.starts_before_record:
        yield Step("coup", "not judged", "a whole record", STARTS_BEFORE_RECORD, None, None)
    if coup.free:
        yield Step("coup", "free hand", "no bets", "a free hand is dealt without bets", None, None)


# -- Cards -----------------------------------------------------------------------------------------


def _cards(view: CoupView) -> Iterator[Step]:
    hands: tuple[tuple[Hand, list[Card]], ...] = (
        ("player", view.coup.player),
        ("banker", view.coup.banker),
    )
    for hand, cards in hands:
        if cards:
            events = _events(view, hand, 1, 2)
            short = len(cards) < _THIRD - 1 and not view.in_play and view.coup.voided is None
            yield Step(
                "deal", f"{hand.capitalize()}'s first two", "two cards",
                DEALT_IN_TURN,
                cards_added_up(cards[:2]),
                None if view.starts_before_record else short, events,
            )  # fmt: skip
    if not view.dealt:
        return
    if view.shoe.pack is not None and view.shoe.pack.drawing is not None:
        yield from choice_steps(view)
        return
    yield _third(
        view, "player", player_draws(view.player_total, view.banker_total), why_player(*_both(view))
    )
    due = banker_draws(view.player_total, view.banker_total, view.player_third)
    yield _third(view, "banker", due, why_banker(*_both(view), view.player_third))
    for hand, cards in hands:
        if len(cards) > _THIRD:
            shown = " ".join(map(format_card, cards[_THIRD:]))
            events = _events(view, hand, _THIRD + 1, len(cards))
            why = "no hand takes more than three cards"
            yield Step(
                "draw",
                f"{hand.capitalize()}'s fourth card",
                "none",
                why,
                f"drew {shown}",
                True,
                events,
            )


def _both(view: CoupView) -> tuple[int, int]:
    return view.player_total, view.banker_total


def _third(view: CoupView, hand: Hand, due: bool, why: str) -> Step:
    cards = view.coup.player if hand == "player" else view.coup.banker
    drew = len(cards) >= _THIRD
    waiting = view.in_play and not drew
    shown = None if waiting else f"drew {format_card(cards[2])}" if drew else "stood"
    events = _events(view, hand, _THIRD, _THIRD)
    if drew and not events:
        events, why = _given(view, hand), why + why_given(view.coup, hand)
    if drew != due and view.coup.voided is not None:
        why += "; the coup was voided"
    return Step(
        "draw" if due else "stand",
        f"{hand.capitalize()}'s third card",
        "draw" if due else "stand",
        why,
        shown,
        None if waiting else drew != due,
        events,
    )


def _events(view: CoupView, hand: Hand, first: int, last: int) -> tuple[int, ...]:
    drawn = [event.index for event in view.coup.cards if event.payload.hand == hand]
    return tuple(drawn[first - 1 : last])


def _given(view: CoupView, hand: Hand) -> tuple[int, ...]:
    """Return the log indexes of the events that moved a card to this hand."""
    given = (event for event in view.coup.reassigned if event.payload.to == hand)
    return tuple(event.index for event in given)


# -- Calls -----------------------------------------------------------------------------------------


def _calls(view: CoupView) -> Iterator[Step]:
    coup = view.coup
    if not view.dealt:
        return
    for call in events_of(TotalsCalled, coup.calls):
        due, shown = (
            (view.player_total, view.banker_total),
            (call.payload.player, call.payload.banker),
        )
        yield Step(
            "call", "two-card totals", _totals(*due), "the first two cards of each hand",
            _totals(*shown), shown != due, (call.index,),
        )  # fmt: skip
    player, banker = total(coup.player), total(coup.banker)
    due_call = f"{_SIDE[view.result.outcome]}, {_totals(player, banker)}"
    why = "equal totals tie" if player == banker else "the higher total wins"
    results = events_of(ResultCalled, coup.calls)
    for event in results:
        differs = _miscalled(event.payload, player, banker, view.result.outcome)
        said = _called(event.payload)
        yield Step("result", "result", due_call, why, said, differs, (event.index,))
    if not results:
        yield Step("result", "result", due_call, why, None, None)


def _as_called(view: CoupView) -> Iterator[Step]:
    """Yield the steps of a coup without cards: what was called, and that nothing shows it."""
    yield Step("coup", "cards", "not known", NO_CARDS, None, None)
    why = NOTHING_TO_COMPARE
    for event in view.coup.calls:
        if is_of(event, TotalsCalled):
            said = _totals_called(event.payload)
            yield Step("call", "two-card totals", "not known", why, said, None, (event.index,))
        elif is_of(event, ResultCalled):
            result = _called(event.payload)
            yield Step("result", "result", "not known", why, result, None, (event.index,))
        elif is_of(event, HandsCalled):
            for each in event.payload.totals:
                what, said = f"the {each.hand}", f"called {each.total}"
                yield Step("result", what, "not known", why, said, None, (event.index,))


def _put_right(view: CoupView, step: Step, found: Collection[Finding]) -> Step:
    """Return a wrong call marked as put right, if it was noted.

    A call about which the audit has a finding stays wrong.
    """
    wrong = [each for each in found if each.severity != "note"]
    if not step.differs or any(set(step.events) & set(each.events) for each in wrong):
        return step
    noted = [event.payload for event in view.coup.irregularities]
    kinds = ("wrong-call", "other")
    said = next((ruling_on(payload) for payload in noted if payload.kind in kinds), None)
    return (
        step
        if said is None
        else replace(step, why=f"{step.why}; called again: {said}", differs=False)
    )


def _totals(player: int, banker: int) -> str:
    return f"Player {player}, Banker {banker}"


def _called(payload: ResultCalled) -> str | None:
    parts = [_SIDE[payload.outcome]] if payload.outcome is not None else []
    if payload.player is not None or payload.banker is not None:
        parts.append(_totals_called(payload))
    return ", ".join(parts) or None


def _totals_called(payload: TotalsCalled | ResultCalled) -> str:
    return f"Player {_or(payload.player)}, Banker {_or(payload.banker)}"


def _or(called: int | None) -> str:
    return "?" if called is None else str(called)


def _miscalled(payload: ResultCalled, player: int, banker: int, outcome: Outcome) -> bool | None:
    pairs = ((payload.player, player), (payload.banker, banker), (payload.outcome, outcome))
    said = [(shown, due) for shown, due in pairs if shown is not None]
    return any(shown != due for shown, due in said) if said else None
