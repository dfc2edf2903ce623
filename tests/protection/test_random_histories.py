"""No history, however absurd, stops the tests of foreknowledge."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.protection.detection.detection import detect
from sabot.domain.protection.detection.follower import Follower, Following, Stale
from sabot.domain.protection.observation.knowledge_at import instead_of
from sabot.domain.protection.reporting.detection_report import build_report
from sabot.domain.state.shoe import fold
from tests.support import any_events
from tests.support.coup_notation import events_of
from tests.support.thorough import slow, tries


@slow
@tries(37, 150)
@given(st.lists(any_events.payloads(), max_size=30), st.sampled_from(["classic-8", "france"]))
def test_absurd_shoes_are_taken_in(payloads, rules):
    shoes = [
        fold(f"shoe/{name}", events_of([any_events.loaded(rules), *payloads], f"shoe/{name}"))
        for name in ("one", "two")
    ]
    result = build_report(detect(shoes))
    assert all(finding.test != "next-card" or finding.log10_e > 3 for finding in result.findings)


def _decoded(follower):
    return msgspec.msgpack.decode(msgspec.msgpack.encode(follower.kept), type=Following)


@slow
@tries(25, 100)
@given(
    st.lists(any_events.payloads(), max_size=30),
    st.lists(any_events.payloads(), max_size=30),
    st.integers(1, 60),
)
def test_absurd_logs_are_followed_stopped_and_taken_up(one, two, place):
    """Fact by event, with a stop on the way: the same as with what was corrected known at first."""
    streams = [
        events_of([any_events.loaded("classic-8"), *payloads], f"shoe/{name}")
        for name, payloads in (("one", one), ("two", two))
    ]
    merged = sorted((event for stream in streams for event in stream), key=lambda e: e.version)
    events = [msgspec.structs.replace(event, index=n) for n, event in enumerate(merged, 1)]
    history = {
        stream: [event for event in events if event.stream == stream]
        for stream in ("shoe/one", "shoe/two")
    }
    known = {stream: instead_of(payloads) for stream, payloads in history.items()}
    whole = Follower(instead=known, known=len(events))
    whole.take(events)
    build_report(whole.kept.state, whole.tests())
    live = Follower()
    try:
        live.take(events[:place])
        so_far = {s: [e for e in payloads if e.index <= place] for s, payloads in history.items()}
        live = Follower.again(_decoded(live), so_far)
        live.take(events[place:])
    except Stale:
        return
    assert msgspec.msgpack.encode(live.kept) == msgspec.msgpack.encode(whole.kept)
