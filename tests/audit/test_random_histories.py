"""No history, however absurd, stops a program that reads it.

Events of every kind in any order, told by several devices with any clocks and numbers, corrected
and corrected again, with numbers at their limits. ``SABOT_TEST_FULL=1`` tries many more.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_part, audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.audit.finding_reviews import reviews
from sabot.domain.audit.floor_view import floor_of, summary_of
from sabot.domain.audit.live import LiveAudit
from sabot.domain.audit.report import AuditReport
from sabot.domain.events.base import EventBase
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.detection.detection import detect
from sabot.domain.protection.reporting.detection_report import build_report
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.state.table_state import fold as fold_table
from sabot.domain.views.table_view import felt_of
from sabot.infrastructure.projections.shoe_rows import ShoeBook
from tests.support import any_events
from tests.support.thorough import FULL, slow

MOST = 4000 if FULL else 25
ABSURD = settings(max_examples=MOST)
ONE = settings(max_examples=1, phases=(Phase.generate,), database=None)
CLOCKS = "\n[clocks]\ntolerance_ms = 250\n"
LIMITS = (0, 1, ev.MAX_INT)
NUMBERED = ("coup", "bet", "version", "amount", "seat", "behind", "drawn", "left", "place", "nth")


class Told(NamedTuple):
    """An event as some device tells it."""

    payload: ev.Event
    device: str
    at_us: int | None
    recorded_us: int
    seq: int | None


def _at_the_limit(payload: ev.Event, field: str, number: int) -> ev.Event:
    """Put a number at its limit into an event, where it has that number."""
    if not isinstance(getattr(payload, field, None), int):
        return payload
    changed = msgspec.structs.replace(payload, **{field: number})
    try:
        return msgspec.json.decode(msgspec.json.encode(changed), type=ev.Event)
    except msgspec.ValidationError:  # it can be no such number
        return payload


EVENTS = st.builds(
    _at_the_limit, any_events.payloads(), st.sampled_from(NUMBERED), st.sampled_from(LIMITS)
)
MOMENTS = st.one_of(st.integers(0, 3_000_000), st.sampled_from((0, ev.MAX_INT)))
TOLD = st.builds(
    Told,
    st.one_of(any_events.payloads(), EVENTS),
    st.sampled_from(("reader", "terminal", "")),
    st.one_of(st.none(), MOMENTS),
    MOMENTS,
    st.one_of(st.none(), st.integers(1, 60), st.just(ev.MAX_INT)),
)
HISTORIES = st.lists(TOLD, max_size=40)
LOADED = st.sampled_from(
    (None, *(any_events.loaded(name) for name in ("classic-8", "midi", "france")))
)


def clocked(loaded: ev.ShoeLoaded | None) -> ev.ShoeLoaded | None:
    """A shoe whose pack says what its devices' clocks are worth."""
    if loaded is None:
        return None
    text = loaded.pack if "[clocks]" in loaded.pack else loaded.pack + CLOCKS
    return msgspec.structs.replace(loaded, pack=text, pack_sha256=pack_sha256(text))


def events_of(loaded: ev.ShoeLoaded | None, told: Sequence[Told]) -> list[RecordedEvent]:
    first = [] if loaded is None else [Told(loaded, "terminal", 0, 0, None)]
    return [
        RecordedEvent(
            n,
            "shoe/x",
            n,
            each.at_us,
            each.recorded_us,
            "",
            each.device,
            each.seq,
            each.payload,
            position=n,
        )
        for n, each in enumerate((*first, *told), 1)
    ]


def kinds_of(base: type) -> Iterator[type]:
    """Every struct of an event that the program knows, found without its list of them."""
    for kind in base.__subclasses__():
        if not kind.__name__.startswith("_"):
            yield kind
        yield from kinds_of(kind)


@slow
def test_no_kind_of_event_is_left_out():
    """Bank, custody, tables, and what is said of findings: histories are drawn from all kinds."""
    kinds = {
        kind for kind in kinds_of(EventBase) if kind.__module__.startswith("sabot.domain.events")
    }
    assert len(kinds) > 80
    assert set(any_events.KINDS) == kinds
    for kind in kinds:
        assert type(find(any_events.any_of(kind), lambda _: True, settings=ONE)) is kind


@ABSURD
@given(HISTORIES)
def test_batches_tables_and_cases_are_read_from_any_history(told):
    events = events_of(None, told)
    batch = fold_batch("cards/x", [replace(event, stream="cards/x") for event in events])
    table = fold_table("table/x", [replace(event, stream="table/x") for event in events])
    audit_floor(floor_of([batch], [table], [summary_of(fold("shoe/x", events))]))
    for case in reviews([replace(event, stream="audit/findings") for event in events]).values():
        assert case.state().state in {"open", "acknowledged", "disputed", "resolved"}


@slow
@ABSURD
@given(LOADED, HISTORIES)
def test_every_rule_answers_on_any_history(loaded, told):
    for first in (loaded, clocked(loaded)):
        shoe = fold("shoe/x", events_of(first, told))
        audit = audit_shoe(shoe)
        shown = {event.index for event in shoe.history}
        assert all(set(found.events) <= shown for found in audit.findings)
        assert all(verdict.checked or verdict.reasons for verdict in audit.verdicts)
        assert {verdict.code for verdict in audit.verdicts} <= {rule.code for rule in RULES}
        part = audit_part(shoe, shoe.coups)
        assert [found.fingerprint for found in part] == [
            found.fingerprint for found in audit.findings
        ]
        fingerprints = [found.fingerprint for found in audit.findings]
        assert len(set(fingerprints)) == len(fingerprints)


@slow
@ABSURD
@given(LOADED, HISTORIES)
def test_any_coup_can_be_explained_and_any_shoe_shown(loaded, told):
    shoe = fold("shoe/x", events_of(clocked(loaded), told))
    felt_of(shoe)
    for number in shoe.coups:
        for step in explain(shoe, number).steps:
            assert step.what
            assert step.due


@slow
@ABSURD
@given(LOADED, HISTORIES)
def test_any_history_can_be_followed_and_kept_in_books(loaded, told):
    events = events_of(clocked(loaded), told)
    live, book = LiveAudit(Shoe("shoe/x")), ShoeBook("shoe/x")
    for event in events:
        live.add(event)
        live.changes()
    book.add(events)
    assert book.changes().rows or not events


@ABSURD
@given(LOADED, HISTORIES)
def test_any_history_can_be_reported_and_asked_who_knew(loaded, told):
    shoe = fold("shoe/x", events_of(clocked(loaded), told))
    reported = AuditReport()
    reported.add(audit_shoe(shoe))
    msgspec.json.encode(reported.document())
    build_report(detect([shoe]))
