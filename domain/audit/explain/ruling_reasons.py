"""Explain the irregularities of a coup and their rulings.

A burned or moved card, a void and a returned bet each get a reason: the irregularity on record, or
the audit's finding against it.
"""

from collections.abc import Collection, Iterator
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit.checks import moved_cards, rulings
from sabot.domain.audit.checks.no_bet_hands import no_bet_hand_not_played_out
from sabot.domain.audit.checks.voids import unjustified_void
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.explain.steps import Step
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import (
    CoupVoided,
    IrregularityNoted,
    Ruling,
    ShufflerFailed,
)
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.rules.labels import irregularity_label, ruling_label
from sabot.domain.state.coup_state import GIVING_BACK, Coup
from sabot.domain.values.cards import format_card

_BURNED: Final = code_of(moved_cards.dealt_card_burned_without_ruling)
_GIVEN: Final = code_of(moved_cards.card_moved_without_ruling)
_VOID: Final = code_of(unjustified_void)
_OF_A_RULING: Final = tuple(
    map(
        code_of,
        (
            rulings.ruling_not_permitted,
            rulings.ruling_not_carried_out,
            no_bet_hand_not_played_out,
            moved_cards.card_withheld_from_banker,
        ),
    )
)
_NO_REASON: Final = "no reason recorded"
_TAKES_OFF: Final[tuple[Ruling, ...]] = ("burn-card", "restore-card", "other")
_GIVES_OVER: Final[tuple[Ruling, ...]] = ("card-to-banker", "restore-card", "other")


def ruling_steps(view: CoupView, found: Collection[Finding]) -> Iterator[Step]:
    """Yield steps for irregularities, removed and moved cards, and a void."""
    coup = view.coup
    for event in coup.irregularities:
        yield _noted(view, event, found)
    for drawn, burned in coup.removed_cards:
        what, why = (
            f"{drawn.payload.hand}'s {format_card(drawn.payload.card)}",
            _ruled(coup, _TAKES_OFF),
        )
        indexes = drawn.index, burned.index
        step = Step("coup", what, "burned", why, "drawn, and burned", False, indexes)
        yield _held(step, _about(found, _BURNED, burned))
    for given in coup.reassigned:
        what, done = f"{given.payload.hand}'s card", f"given to {given.payload.to}"
        why = _ruled(coup, _GIVES_OVER)
        step = Step("coup", what, done, why, done, False, (given.index,))
        yield _held(step, _about(found, _GIVEN, given))
    if coup.voided is not None:
        why, void = _why_void(coup, coup.voided), coup.voided.index
        step = Step("coup", "voided", "every bet goes back", why, None, None, (void,))
        yield _held(step, _about(found, _VOID, coup.voided))


def _held(step: Step, against: Finding | None) -> Step:
    """Return a step, with the finding against it if there is one."""
    if against is None:
        return step
    why = against.message if step.why == _NO_REASON else f"{step.why}; {against.message}"
    return replace(
        step, due=against.expected, why=why, shown=step.shown or against.observed, differs=True
    )


def _about(found: Collection[Finding], code: str, event: RecordedEvent) -> Finding | None:
    """Return the finding of a rule about an event. None otherwise."""
    return next((each for each in found if each.code == code and event.index in each.events), None)


# -- Irregularities --------------------------------------------------------------------------------


def _noted(
    view: CoupView, event: RecordedEvent[IrregularityNoted], found: Collection[Finding]
) -> Step:
    payload = event.payload
    pack = view.shoe.pack
    allowed = pack.rulings.get(payload.kind, ()) if pack is not None else ()
    due = " or ".join(map(ruling_label, allowed)) or "a ruling"
    why = "as the pack rules on it" if allowed else "the pack does not say how it is ruled on"
    if payload.detail:
        why = f"{payload.detail}; {why}"
    step = Step(
        "coup", irregularity_label(payload.kind), due, why, _ruling(payload), False, (event.index,)
    )
    about = (_about(found, code, event) for code in _OF_A_RULING)
    return _held(step, next((each for each in about if each is not None), None))


def _ruling(payload: IrregularityNoted) -> str:
    by = f" by {payload.by}" if payload.by else ""
    if payload.ruling == "none":
        return f"noted{by}"
    return f"ruling{by}: {ruling_label(payload.ruling)}"


# -- Rulings carried out ---------------------------------------------------------------------------


def _ruled(coup: Coup, rulings: Collection[Ruling]) -> str:
    """Return text for the irregularities with these rulings.

    If no irregularity has such a ruling, the text names all irregularities.
    """
    payloads = [each.payload for each in coup.irregularities]
    chosen = [payload for payload in payloads if payload.ruling in rulings] or payloads
    return "; ".join(map(ruling_on, chosen)) or _NO_REASON


def ruling_on(payload: IrregularityNoted) -> str:
    """Return text for an irregularity and its ruling.

    For example ``a wrong draw, ruling by sue: burn a card``.
    """
    return f"{irregularity_label(payload.kind)}, {_ruling(payload)}"


def _why_void(coup: Coup, voided: RecordedEvent[CoupVoided]) -> str:
    """Return why a coup was voided.

    The text has the recorded reason, the irregularities and the shuffler failures.
    """
    payload = voided.payload
    said = [payload.reason] if payload.reason else []
    if coup.irregularities:
        said.append(_ruled(coup, (*GIVING_BACK, "other")))
    elif payload.by:
        said.append(f"called off by {payload.by}")
    said += [
        f"the shuffler failed: {event.payload.fault}"
        if event.payload.fault
        else "the shuffler failed"
        for event in events_of(ShufflerFailed, coup.events)
    ]
    return "; ".join(said) or _NO_REASON


def why_back(coup: Coup) -> str:
    """Return text for the ruling by which a coup's bets are returned."""
    return f"the bet goes back: {_ruled(coup, GIVING_BACK)}"


def why_given(coup: Coup, hand: str) -> str:
    """Return text on how a hand got a card of the other hand. Empty if it did not."""
    given = any(event.payload.to == hand for event in coup.reassigned)
    if not given:
        return ""
    other = "player" if hand == "banker" else "banker"
    ruled = _ruled(coup, _GIVES_OVER)
    return f"; {other}'s card, given over: {ruled}"
