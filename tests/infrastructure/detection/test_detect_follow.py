"""Detection on a growing log: each alarm once, and a state that is kept."""

import logging
import os
import threading
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.protection.detection.follower import Scope
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.simulation import Patron
from sabot.domain.simulation.patrons.side_counter import SideCounter
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.detection.detect_follow import DetectionFollower, Kept
from sabot.infrastructure.detection.detect_run import Asked, look
from sabot.infrastructure.files.whole_file import cache_folder
from sabot.infrastructure.log.event_log import EventLog
from tests.support.simulated_shoes import HONEST, sorter, streams
from tests.support.thorough import one_store, slow

pytestmark = one_store


def drafts():
    (shoe,) = streams((*HONEST[:2], sorter(1.0)), 1)
    return [NewEvent(e.stream, e.payload, e.at_us) for e in shoe]


def asked(log, **plan):
    return Asked(Plan(**plan), Scope(), log.head())


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def files(log):
    """Return the files of the states of a log, oldest first."""
    places = cache_folder("detections").glob(f"{log.origin.replace('/', '-')}-*.state")
    return sorted(places, key=lambda place: place.stat().st_mtime_ns)


def kept(log):
    return [msgspec.msgpack.decode(place.read_bytes(), type=Kept) for place in files(log)]


def forget(log):
    for place in files(log):
        place.unlink()


def change(log, **changes):
    (place,) = files(log)
    (state,) = kept(log)
    place.write_bytes(msgspec.msgpack.encode(msgspec.structs.replace(state, **changes)))


def stopping(log, payloads, **options):
    """Begin to guard a log, record some events, and stop once they were taken in."""
    guard = DetectionFollower(log, asked(log), **options)
    guard.begin()
    stop = threading.Event()
    log.append(payloads)
    found = []
    head = log.head()

    def past_the_end():
        while not stop.wait(0.01):
            if guard.position >= head:
                stop.set()

    waiter = threading.Thread(target=past_the_end)
    waiter.start()
    try:
        for batch in guard.follow(stop):
            found += batch
    finally:
        stop.set()
        waiter.join()
    return found


@slow
def test_stopped_and_started_again_it_comes_to_the_same_bytes(log):
    payloads = drafts()
    told = []
    for start in range(0, len(payloads), 300):
        told += stopping(log, payloads[start : start + 300], keep_every=97)
    (row,) = kept(log)
    assert row.following.position == len(payloads)
    whole = look(log, asked(log))
    fresh = DetectionFollower(log, asked(log, alpha=0.002))
    fresh.begin()
    assert len(kept(log)) == 2
    # the row of the other level was made in one run: but for the level it is the same
    decoded = [msgspec.to_builtins(one.following) for one in kept(log)]
    for one in decoded:
        one["state"]["plan"]["alpha"] = 0
        forget_alarms(one)
    assert decoded[0] == decoded[1]
    subjects = [finding.subject for finding in told]
    assert {"patron": "cheat"} in subjects
    assert all(subjects.count(subject) == 1 for subject in subjects)
    assert {str(one.subject) for one in whole.report.findings} <= {str(one) for one in subjects}


@slow
def test_a_patron_who_counts_is_told_once_a_shoe_shows_it(log):
    counter = Patron(name="counts", seat=1, habit=SideCounter(wager="tie", margin=-0.12))
    told = []
    for number, shoe in enumerate(streams((counter,), 4), 1):
        shoe_drafts = [NewEvent(e.stream, e.payload, e.at_us) for e in shoe]
        found = stopping(log, shoe_drafts, counting=lambda play, n=number: told.append((n, play)))
        assert found == []
    ((shoe, play),) = told
    assert shoe > 1  # a single shoe has too few bets
    assert (play.patron, play.wager) == ("counts", "tie")
    before = look(log, asked(log)).report.advantage_play
    assert [(one.patron, one.wager) for one in before] == [("counts", "tie")]


def forget_alarms(node):
    """Take out what rests on the level: alarms, and who was left out of averages from when on."""
    if isinstance(node, dict):
        for name in ("alarm", "named", "pairs", "dealers", "under"):
            node.pop(name, None)
        for child in node.values():
            forget_alarms(child)
    elif isinstance(node, list):
        for child in node:
            forget_alarms(child)


@slow
def test_a_run_that_was_never_stopped_keeps_the_same_bytes(log):
    payloads = drafts()
    stopping(log, payloads[:700])
    stopping(log, payloads[700:])
    (broken,) = kept(log)
    forget(log)
    DetectionFollower(log, asked(log)).begin()
    (whole,) = kept(log)
    assert broken == whole


@pytest.mark.parametrize("damage", [b"no state", b""])
def test_a_stored_state_that_cannot_be_read_is_computed_anew(log, damage):
    stopping(log, drafts()[:200])
    (whole,) = kept(log)
    (place,) = files(log)
    assert place.stat().st_mode & 0o777 == 0o600
    place.write_bytes(damage)
    DetectionFollower(log, asked(log)).begin()
    assert kept(log) == [whole]


def test_a_login_of_the_database_has_no_state_to_change(log):
    """Whoever shares the login of a detection could silence it."""
    stopping(log, drafts()[:200])
    assert "rm_protection" not in sa.inspect(log.engine).get_table_names()
    with EventLog.open(log.database.url.render_as_string(False), read_only=True) as seen:
        before = kept(log)
        DetectionFollower(seen, asked(seen)).begin()
    assert kept(log) == before


def test_the_state_of_another_user_is_not_taken_up(log, monkeypatch):
    stopping(log, drafts()[:100])
    change(log, event="0" * 64)  # which would be an error
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    DetectionFollower(log, asked(log)).begin()


def test_a_state_that_cannot_be_saved_is_told_once(log, tmp_path, caplog):
    (tmp_path / "cache").write_bytes(b"no folder")
    with caplog.at_level(logging.WARNING, "sabot"):
        stopping(log, drafts()[:200], keep_every=10)
    (message,) = caplog.messages
    assert message.startswith("sabot: the progress of --follow is not saved: ")


def test_a_copy_of_a_log_has_a_state_of_its_own(sqlite_url, tmp_path):
    """It has the same name, and may end earlier."""
    copy = tmp_path / "copy.sabot"
    with EventLog.open(sqlite_url) as log:
        stopping(log, drafts()[:100])
        log.database.close()
        copy.write_bytes(Path(sqlite_url).read_bytes())
    with EventLog.open(sqlite_url) as log:
        stopping(log, drafts()[100:200])
    with EventLog.open(str(copy)) as other:
        DetectionFollower(other, asked(other)).begin()
        assert len(files(other)) == 2


@slow
def test_a_correction_of_what_was_over_is_reckoned_with(log):
    payloads = drafts()
    told = stopping(log, payloads)
    assert {"patron": "cheat"} in [finding.subject for finding in told]
    bets = [
        (version, draft.payload)
        for version, draft in enumerate(payloads, 1)
        if isinstance(draft.payload, ev.BetPlaced) and draft.payload.patron == "cheat"
    ]
    corrections = [
        NewEvent(
            payloads[0].stream,
            ev.EventCorrected(
                version, "misread", None, msgspec.structs.replace(payload, patron="p9")
            ),
        )
        for version, payload in bets
    ]
    freed = []
    stopping(log, corrections, freed=freed.append)
    assert "patron: patron cheat" in freed
    (live,) = kept(log)
    forget(log)
    DetectionFollower(log, asked(log)).begin()
    (anew,) = kept(log)
    assert live == anew


def test_a_log_that_ends_before_what_was_seen_is_not_trusted(log):
    stopping(log, drafts()[:100])
    (state,) = kept(log)
    change(log, following=msgspec.structs.replace(state.following, position=200))
    guard = DetectionFollower(log, asked(log))
    with pytest.raises(UntrustedLog, match="have seen event 200, the log ends at 100"):
        guard.begin()


def test_a_log_with_another_event_than_was_seen_is_not_trusted(log):
    stopping(log, drafts()[:100])
    change(log, event="0" * 64)
    with pytest.raises(UntrustedLog, match="event 100, the log has another event there"):
        DetectionFollower(log, asked(log)).begin()


def test_what_another_program_kept_is_not_taken_up(log):
    stopping(log, drafts()[:100])
    (before,) = kept(log)
    change(log, program="older", event="0" * 64)
    DetectionFollower(log, asked(log)).begin()
    assert kept(log) == [before]


@slow
def test_an_irregularity_noted_in_a_later_coup_is_reckoned_with(log):
    """The cheat's coups are no evidence any more once each is named as one with a late bet."""
    payloads = drafts()
    last = max(i for i, draft in enumerate(payloads) if isinstance(draft.payload, ev.CoupOpened))
    stopping(log, payloads[: last + 1])
    before = look(log, asked(log)).state.patrons["cheat"].tally.log_e
    stream, coup = payloads[last].stream, payloads[last].payload.coup
    notes = [NewEvent(stream, ev.IrregularityNoted("late-bet", "stand", n)) for n in range(1, coup)]
    freed = []
    stopping(log, notes, freed=freed.append)
    assert "patron: patron cheat" in freed
    assert look(log, asked(log)).state.patrons["cheat"].tally.log_e < 0 < before
    (live,) = kept(log)
    forget(log)
    DetectionFollower(log, asked(log)).begin()
    (anew,) = kept(log)
    assert live == anew
