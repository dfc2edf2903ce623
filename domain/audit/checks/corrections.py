"""Rules on corrections of the record.

A correction of a shoe names an earlier event. After the first card it does not change the shoe's
rule pack, decks, coverage, table or batch. A late one removes no breach.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from sabot.domain.audit.correction_view import BankGivenOver, BetGivenOver, CorrectionView
from sabot.domain.audit.event_words import event_in_words, name_bet
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.floor_corrections import RecordCorrections
from sabot.domain.audit.late_corrections import FIXED_BY_FIRST_CARD, in_effect, late_loadings
from sabot.domain.audit.rule import Breach, MoneyEffect
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import (
    CardBurned,
    CardDrawn,
    Event,
    EventCorrected,
    ShoeLoaded,
)
from sabot.domain.events.corrections import apply_corrections, names_earlier
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of
from sabot.domain.events.labels import event_noun
from sabot.domain.rules.sources import HOUSE_CONVENTION, SINGAPORE_CASINO_CONTROL_ACT_100
from sabot.domain.state.shoe import Shoe

T = TypeVar("T")

CORRECTIONS = RuleGroup(family="integrity", concerns="record")
_MOST_NAMED: Final = 10
"""Effects of a correction that its finding names."""
_REPLACED: Final = ", which replaced an earlier one,"


@each("correction", "no event was corrected")
def _corrections(shoe: Shoe) -> Sequence[RecordedEvent[EventCorrected]]:
    """Return the corrections of events of the shoe."""
    return shoe.corrections


@CORRECTIONS.rule(
    "R404",
    "correction-without-event",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    each=_corrections,
    breach_events=(EventCorrected,),
    breaks="""
        coup P 4 5  B K 8
        fact-corrected {"version": 999, "reason": "misread"}
    """,
    keeps="""
        coup P 4 5  B K 8
        fact-corrected {"version": 2, "reason": "misread", "instead": {"type": "shoe-shuffled", "by": "ann"}}
    """,  # noqa: E501 - an event and what it corrects
)
def correction_without_event(
    shoe: Shoe, correction: RecordedEvent[EventCorrected]
) -> Iterator[Breach]:
    """A correction names an earlier event of the shoe.

    The correction may name another correction. The rule does not check what a correction puts in
    place of the event that it names. Corrections of tables and batches are not checked.
    """
    named = correction.payload.version
    place = bisect_left(shoe.history, named, key=lambda event: event.position)
    known = place < len(shoe.history) and shoe.history[place].position == named
    if not known or not names_earlier(correction.payload, correction.position):
        yield Breach(
            "a correction names an event that does not exist",
            "the version of an earlier event of this shoe",
            str(named),
            (correction,),
        )


@need("shoe", "no event was corrected", "nothing-to-check")
def something_corrected(shoe: Shoe) -> bool:
    """The record holds a correction."""
    return bool(shoe.corrections)


@need("cards", "the record has no loading of the shoe, or no card")
def loading_and_card_on_record(shoe: Shoe) -> bool:
    """The record holds the loading of the shoe and a card, corrected or not."""
    return _loading(shoe) is not None and _first_card(shoe) is not None


@CORRECTIONS.rule(
    "R405",
    "late-loading-change",
    sources=(SINGAPORE_CASINO_CONTROL_ACT_100,),
    looks_at="shoe",
    needs=(something_corrected, loading_and_card_on_record),
    follows_from=("breach-corrected-away",),
    breach_events=(EventCorrected, CardDrawn, CardBurned, ShoeLoaded),
    breaks="""
        coup P 4 5  B K 8
        fact-corrected {"version": 1, "reason": "another shoe"}
    """,
    keeps="""
        coup P 4 5  B K 8
        fact-corrected {"version": 2, "reason": "misread", "instead": {"type": "shoe-shuffled", "by": "ann"}}
    """,  # noqa: E501 - an event and what it corrects
)
def late_loading_change(shoe: Shoe) -> Iterator[Breach]:
    """A shoe's rule pack, decks, coverage, table and batch are not corrected after its first card.

    The first card is the first one recorded, drawn or burned. A correction that leaves all five
    values unchanged is allowed. A correction that was reversed later is allowed too. The other
    rules use the values before the first card, with the corrections made until then.
    """
    loaded, first = _loading(shoe), _first_card(shoe)
    assert loaded is not None
    assert first is not None
    known = [each for each in shoe.history if each.position <= first.position]
    before, now = _of(loaded, known), _of(loaded, shoe.history)
    late = late_loadings(shoe.history)
    if late and before != now:
        correction = late[-1][0]
        what = "the loading of the shoe" if now is None or before is None else _what(before, now)
        yield Breach(
            f"{_made([correction])} changed {what} after the first card",
            "rule pack, decks, coverage, table and batch as recorded before the first card",
            f"{what} corrected after it",
            (correction, first, loaded),
            key=("loading",),
        )


def _loading(shoe: Shoe) -> RecordedEvent[ShoeLoaded] | None:
    return first_of(ShoeLoaded, shoe.history)


def _first_card(shoe: Shoe) -> RecordedEvent[CardDrawn | CardBurned] | None:
    return next(iter(events_of((CardDrawn, CardBurned), shoe.history)), None)


def _of(loaded: RecordedEvent, history: list[RecordedEvent]) -> dict[str, object] | None:
    """Return what the shoe was loaded with, and at which table, after some of its events.

    None if the loading of the shoe is not among them.
    """
    for event in apply_corrections(history):
        if event.position == loaded.position and isinstance(event.payload, ShoeLoaded):
            declared = event.payload
            return {said: getattr(declared, name) for name, said in FIXED_BY_FIRST_CARD.items()}
    return None


def _what(before: dict[str, object], now: dict[str, object]) -> str:
    return " and ".join(name for name, value in before.items() if now[name] != value)


@CORRECTIONS.rule(
    "R413",
    "breach-corrected-away",
    sources=(HOUSE_CONVENTION,),
    concerns="money",
    looks_at="correction",
    breach_events=(EventCorrected,),
    breaks="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "ann", "wager": "banker", "amount": 1000}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        fact-corrected {"version": 8, "reason": "misread", "instead": {"type": "bet-placed", "coup": 1, "bet": 1, "patron": "ann", "wager": "player", "amount": 1000}}
        bet-paid {"coup": 1, "bet": 1, "amount": 1000}
        coup-closed {"coup": 1}
    """,  # noqa: E501 - an event and what it corrects
    keeps="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "ann", "wager": "banker", "amount": 1000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "tie", "amount": 500}
        no-more-bets {"coup": 1}
        fact-corrected {"version": 8, "reason": "misread", "instead": {"type": "bet-placed", "coup": 1, "bet": 1, "patron": "ann", "wager": "player", "amount": 1000}}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        bet-taken {"coup": 1, "bet": 2, "amount": 500}
        bet-paid {"coup": 1, "bet": 1, "amount": 1000}
        coup-closed {"coup": 1}
    """,  # noqa: E501 - an event and what it corrects
)
def breach_corrected_away(view: CorrectionView) -> Iterator[Breach]:
    """No late correction removes a breach on record, or moves money after the result is known.

    Corrections of the shoe's table are checked too. A breach counts as removed only if an audit of
    the events before the correction finds it. A breach whose amount or patron changes, or which
    becomes a note, counts as removed. A correction also moves money if it makes a payment wrong
    that was right as first recorded. The result is known once it was called, a bet was settled, or
    no hand can get another card. From the first card on, a correction of a stake counts as made
    after the result. If a tie leaves the stake on the layout, its correction also changes the next
    coup. A correction is in time within a minute if no event of any coup came between it and the
    event that it corrects. Outside coups, no event at all may come between. The correction of a
    stake is in time until the call of no more bets or the first card. Without either, it is in time
    until its coup is voided, closed, settled or called, or the shoe ends. Between the call of no
    more bets and the first card, the correction may change the money, but must not remove a breach.
    A correction that removes no breach and changes no payment is allowed. If the breach was on
    record only because of an earlier correction, and this correction replaces that one, the finding
    is a note. There is no finding if the same person made both corrections as successive events
    within a minute.
    """
    shown = (*view.removed, *view.repaid, *view.turned_wrong)
    gains = _moved(view.gains())
    if not shown and not view.settled_anew and not (view.given_over and gains):
        return
    made = [each.payload for each in view.corrections]
    yield Breach(
        f"{_made(view.corrections)}{_REPLACED * view.revealed} {_effects(view)}",
        f"as first recorded: {_names(view.corrected, view.shoe)}",
        f"by the correction: {_names([payload.instead for payload in made], view.shoe)}",
        view.corrections,
        coup=view.coup,
        patron=_only({each.patron for each in shown}) if not view.given_over else None,
        money=gains,
        key=("correction",),
        offending_event=in_effect(view.corrections)[0],
        put_right=view.revealed,
    )


@CORRECTIONS.rule(
    "R418",
    "record-breach-corrected-away",
    sources=(HOUSE_CONVENTION,),
    looks_at="record",
    breach_events=(EventCorrected,),
    breaks="""
        table T1 table-opened {"inventory": 1000}
        table T1 table-closed {"inventory": 1000}
        table T1 table-closed {"inventory": 900}
        table T1 table-opened {"inventory": 1000}
        table T1 fact-corrected {"version": 3, "reason": "pressed twice", "by": "sue"}
    """,
    keeps="""
        table T1 table-opened {"inventory": 1000}
        table T1 crew-changed {"post": "dealer", "person": "dora"}
        table T1 table-closed {"inventory": 1000}
        table T1 fact-corrected {"version": 2, "reason": "not she", "by": "sue"}
    """,
)
def record_breach_corrected_away(view: RecordCorrections) -> Iterator[Breach]:
    """No late correction removes a finding on a table, a batch of cards or the floor.

    A correction is in time within a minute if no other event of the record came between it and the
    event that it corrects. For an event of a coup it is enough that no event of any coup came
    between. A stake may be corrected until no more bets or the first card. A correction that
    removes no breach is allowed too. A finding whose amount or patron changes, or which becomes a
    note, counts as removed. A breach counts as removed only if all its events were on record when
    the last of the corrections was made. A correction of the shoe may be a slip if it was made
    before the first card and only names another table or batch. It is then reported as a note. If
    the table or batch named before is on record, the one named instead must be too. Leaving out the
    table or batch is not a slip.
    """
    if not view.removed:
        return
    was = [f"{what} {'; '.join(dict.fromkeys(of))}" for what, of in _removed(view) if of]
    yield Breach(
        f"{_made(view.corrections)} {', and '.join(was)}",
        f"as first recorded: {_names(view.corrected)}",
        f"by the correction: {_names([each.payload.instead for each in view.corrections])}",
        view.corrections,
        patron=_only({each.patron for each in view.removed}),
        key=tuple(sorted(each.fingerprint for each in view.removed)),
        money=_moved(view.gains()),
        shoe=view.shoe or _only({each.shoe for each in view.removed if each.money.moved}),
        put_right=view.may_be_slip,
    )


def _effects(view: CorrectionView) -> str:
    """Return what the corrections of a coup changed, in words, each once and not too many."""
    moved = (
        [_describe(view, each) for each in view.given_over]
        + [f"{name_bet(view.shoe, each)} settled otherwise" for each in view.settled_anew]
        + [_in_words(each) for each in view.repaid]
        + [
            f"as corrected, {_in_words(each)}" if each is view.turned_wrong[0] else _in_words(each)
            for each in view.turned_wrong
        ]
    )
    changed = [*_removed(view), ("changed payments after the result was known:", moved)]
    parts: list[str] = []
    left = _MOST_NAMED
    for what, of in changed:
        named = [*dict.fromkeys(of)]
        if named and left > 0:
            parts.append(f"{what} {'; '.join(named[:left])}")
        left -= len(named)
    return ", and ".join(parts) + (f"; and {-left} more" if left < 0 else "")


def _removed(view: CorrectionView | RecordCorrections) -> list[tuple[str, list[str]]]:
    """Return the breaches that are no longer found, or are found otherwise, in words."""
    still = {(each.fingerprint, each.patron): each for each in view.made}
    removed: list[str] = []
    changed: list[str] = []
    noted: list[str] = []
    for finding in view.removed:
        now = still.get((finding.fingerprint, finding.patron))
        became_note = now is not None and now.severity == "note" != finding.severity
        kind = removed if now is None else noted if became_note else changed
        kind.append(_in_words(finding))
    return [
        ("removed", removed),
        ("changed the amount of", changed),
        ("put a ruling on record that makes a note of", noted),
    ]


def _in_words(finding: Finding) -> str:
    return f"{finding.number} {finding.code}, {finding.message}"


def _made(corrections: Sequence[RecordedEvent[EventCorrected]]) -> str:
    """Return who corrected which events, and why, in words."""
    named = ", ".join(str(each) for each in dict.fromkeys(e.payload.version for e in corrections))
    corrections = in_effect(corrections)
    made = [each.payload for each in corrections]
    people = sorted({each.payload.by or each.actor for each in corrections} - {""})
    by = f" by {' and '.join(people)}" if people else ""
    reasons = "; ".join(dict.fromkeys(payload.reason for payload in made))
    return f"a correction of event {named}{by} ({reasons})"


def _describe(view: CorrectionView, moved: BetGivenOver | BankGivenOver) -> str:
    """Return what a correction gave to another patron, in words."""
    if isinstance(moved, BetGivenOver):
        return f"{name_bet(view.shoe, moved.before)} given to {moved.to}"
    return f"{moved.patron_before}'s bank in {view.shoe.coup_name(moved.coup)} given to {moved.to}"


def _names(payloads: Sequence[Event | None], shoe: Shoe | None = None) -> str:
    """Return events in words. The events of a shoe have their bets, amounts and cards."""
    names = (
        "no event, since it was removed"
        if payload is None
        else event_noun(payload)
        if shoe is None
        else event_in_words(shoe, payload)
        for payload in payloads
    )
    return ", ".join(dict.fromkeys(names))


def _moved(gains: Counter[str | None]) -> MoneyEffect | None:
    return tuple(each for each in gains.items() if each[1]) or None


def _only(values: set[T]) -> T | None:
    return next(iter(values)) if len(values) == 1 else None


RULES = (*CORRECTIONS.rules,)
"""Every rule of this module."""
