"""Events in the order of the log: parallel shoes, restarts, corrections, parts of a log."""

from functools import lru_cache
from itertools import pairwise

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.protection.detection.detection import detect
from sabot.domain.protection.detection.follower import Follower, Following, Scope, Stale
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.protection.observation.knowledge_at import instead_of
from sabot.domain.protection.reporting.detection_report import build_report
from sabot.domain.state.shoe import fold
from tests.support.simulated_shoes import HONEST, sorter, streams
from tests.support.thorough import FULL, slow

PLAN = Plan(groups={"two": ("flat", "cheat")})


@lru_cache(maxsize=2)
def log():
    """Two tables side by side, two shoes each, the same people: one log."""
    one_has, other_has = (None, None) if FULL else (40, 30)
    one = streams((*HONEST, sorter(0.9)), 2, table="T1", coups=one_has)
    other = streams((*HONEST[:2], sorter(0.9)), 2, table="T2", seed="other", coups=other_has)
    events = sorted(
        (e for stream in (*one, *other) for e in stream), key=lambda e: (e.at_us, e.stream)
    )
    return [msgspec.structs.replace(event, index=n) for n, event in enumerate(events, 1)]


@lru_cache(maxsize=1)
def whole_log():
    """The log followed from its beginning to its end. Nobody changes what came of it."""
    return followed(log())


def followed(events, **options):
    follower = Follower(PLAN, **options)
    follower.take(events)
    return follower


def told(follower):
    return msgspec.json.encode(build_report(follower.kept.state, follower.tests()))


def kept(follower):
    return msgspec.msgpack.encode(follower.kept)


def up_to(events, position):
    """The events of each shoe up to a place, as a log would give them again."""
    found = {}
    for event in events[:position]:
        found.setdefault(event.stream, []).append(event)
    return found


@slow
def test_one_shoe_after_the_other_is_the_same_as_whole_shoes():
    events = [e for e in log() if e.stream.startswith("shoe/T1")]
    shoes = [fold(stream, history) for stream, history in up_to(events, len(events)).items()]
    assert msgspec.msgpack.encode(detect(shoes, PLAN)) == msgspec.msgpack.encode(
        followed(events).kept.state
    )


@slow
def test_taken_up_again_anywhere_it_comes_to_the_same_bytes():
    events = log()
    whole = whole_log()
    follower = Follower(PLAN)
    start = 0
    places = (1, 7, 400, 401, len(events) // 3, len(events) // 2, len(events) - 3, len(events))
    for place in places if FULL else (7, 401, len(events) - 3, len(events)):
        follower.take(events[start:place])
        start = place
        again = msgspec.msgpack.decode(kept(follower), type=Following)
        assert told(Follower.again(again, up_to(events, place))) == told(follower)
        follower = Follower.again(again, up_to(events, place))
    assert kept(follower) == kept(whole)
    assert told(follower) == told(whole)


@slow
def test_coups_of_two_tables_are_taken_in_as_the_next_one_begins():
    events = log()
    heard = []

    def listen(key, _tally, _factor, evidence, shoe):
        if key == ("patron", "cheat"):
            heard.append((evidence.coup.event, shoe.name))

    followed(events, listen=listen)
    for table in {shoe for _, shoe in heard}:
        ended = [index for index, shoe in heard if shoe == table]
        assert ended == sorted(ended)
    changes = sum(one[1] != other[1] for one, other in pairwise(heard))
    assert changes > 50


@slow
def test_who_plays_at_two_tables_at_once_is_found_as_soon_as_at_one_after_the_other():
    """Going to and fro begins no shoe anew: what was learned of each is kept."""
    together = evidence_in(whole_log())["cheat"]
    apart = sorted(log(), key=lambda e: (e.stream, e.version))
    apart = [msgspec.structs.replace(event, index=n) for n, event in enumerate(apart, 1)]
    assert together > 0.98 * evidence_in(followed(apart))["cheat"]


@slow
def test_nobody_is_in_a_coup_once_the_shoes_are_over():
    """The last coup of a shoe may have no end in the record: the shoe has."""
    events = log()
    state = followed(events[:700]).kept.state
    assert state.playing.keys() == {"flat", "trend", "doubles", "ties", "cheat"}
    assert len(state.held) == 2
    for drop in (set(), {ev.CoupClosed}):
        state = followed([e for e in events if type(e.payload) not in drop]).kept.state
        assert (state.playing, state.held) == ({}, {})


def corrected(events, at, instead, index):
    """A correction of the event at that place, as the next event but some."""
    place = sum(e.stream == events[at].stream for e in events[: index - 1]) + 1
    return msgspec.structs.replace(
        events[at],
        index=index,
        version=place,
        position=place,
        payload=ev.EventCorrected(events[at].version, "misread", None, instead),
    )


def with_correction(at, place, instead):
    """The log in which an event is corrected after ``place`` events; what follows moves up."""
    events = log()
    stream = events[at].stream
    correction = corrected(events, at, instead, place + 1)
    rest = [
        msgspec.structs.replace(
            e,
            index=e.index + 1,
            version=e.version + (e.stream == stream),
            position=e.position + (e.stream == stream),
        )
        for e in events[place:]
    ]
    return [*events[:place], correction, *rest]


def place_of(kind, number):
    return [n for n, e in enumerate(log()) if type(e.payload) is kind][number]


def test_a_correction_of_the_coup_in_play_goes_on():
    at = place_of(ev.CardDrawn, 40)
    events = with_correction(at, at + 1, msgspec.structs.replace(log()[at].payload, card="2c"))
    live = followed(events[: at + 60])
    known = {s: instead_of(h) for s, h in up_to(events, at + 60).items()}
    anew = followed(events[: at + 60], instead=known, known=at + 60)
    assert told(live) == told(anew)
    assert told(live) != told(followed(log()[: at + 59]))


@slow
def test_a_correction_of_what_was_taken_in_asks_for_another_run():
    at = place_of(ev.CardDrawn, 40)
    events = with_correction(at, at + 300, msgspec.structs.replace(log()[at].payload, card="2c"))
    with pytest.raises(Stale):
        followed(events)
    known = {s: instead_of(h) for s, h in up_to(events, len(events)).items()}
    anew = followed(events, instead=known, known=len(events))
    assert told(anew) != told(whole_log())


@slow
def test_a_correction_of_an_old_payment_changes_no_evidence_and_goes_on():
    at = place_of(ev.BetTaken, 3)
    payload = log()[at].payload
    instead = msgspec.structs.replace(payload, amount=payload.amount + 1)
    live = followed(with_correction(at, at + 300, instead))
    assert evidence_in(live) == evidence_in(whole_log())


def evidence_in(follower):
    return {name: one.tally.log_e for name, one in follower.kept.state.patrons.items()}


@pytest.mark.parametrize(
    "scope", [Scope(tables=frozenset({"T2"})), Scope(tables=frozenset({"T9"}))]
)
def test_a_table_alone(scope):
    tested = build_report(followed(log(), scope=scope).kept.state)
    alone = [e for e in log() if e.stream.startswith("shoe/T2") and "T2" in scope.tables]
    whole = build_report(followed(alone).kept.state)
    assert (tested.subjects, tested.coups, tested.shoes) == (
        whole.subjects,
        whole.coups,
        whole.shoes,
    )
    assert msgspec.json.encode(tested.findings) == msgspec.json.encode(whole.findings)


@slow
def test_a_time_is_a_part_of_the_coups_and_what_was_seen_before_still_counts():
    events = log()
    coups = whole_log().kept.state.coups
    # the first shoe of one table is over, that of the other nearly so
    opened = [e for e in events if e.stream.endswith("-1") and type(e.payload) is ev.CoupOpened]
    middle = opened[-3]
    early = followed(events, scope=Scope(to_index=middle.index - 1)).kept.state
    late = followed(events, scope=Scope(from_index=middle.index)).kept.state
    assert early.coups + late.coups == coups
    assert min(early.coups, late.coups) > 50
    by_clock = followed(events, scope=Scope(from_us=middle.at_us)).kept.state
    assert abs(by_clock.coups - late.coups) <= 2
    # the first coup taken in was dealt from a shoe of which cards had been seen
    assert (early.shoes.shoes, late.shoes.shoes) == (2, 3)


@slow
def test_a_shoe_in_play_is_asked_of_a_copy():
    events = log()
    follower = followed(events[:2000])
    before = kept(follower)
    assert follower.tests().shoes > follower.kept.state.shoes.shoes
    assert kept(follower) == before
