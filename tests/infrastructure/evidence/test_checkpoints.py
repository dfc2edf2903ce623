"""Checkpoints of a growing log on both stores, and verification of changed logs."""

import errno
import os
import sqlite3
import threading
from base64 import b64encode
from contextlib import closing, suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from sabot.domain.events import coup as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.review import ISOLATED_STREAM, CheckpointSetAside
from sabot.domain.values.errors import BadInput, NotFound, UntrustedLog
from sabot.infrastructure.evidence import checkpoint_writer
from sabot.infrastructure.evidence.checkpoint import sign_checkpoint
from sabot.infrastructure.evidence.checkpoint_table import (
    note_sha256,
    stored_checkpoints,
    stored_keys,
)
from sabot.infrastructure.evidence.directory_verification import verify_folder
from sabot.infrastructure.evidence.event_line import event_line
from sabot.infrastructure.evidence.merkle_tree import TreeHead
from sabot.infrastructure.evidence.outside import Outside
from sabot.infrastructure.evidence.publishing import event_tree, newest_of, publish, read_published
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.signing_keys import key_file, load_key
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.evidence.verification_result import Verification
from sabot.infrastructure.log.append import append
from sabot.infrastructure.log.codec import row_of
from sabot.infrastructure.log.event_log import EventLog
from tests.support.thorough import one_store


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of keys of each test's own."""
    monkeypatch.setenv("SABOT_KEYS", str(tmp_path / "keys"))
    return tmp_path / "keys"


def coup(number: int, shoe: str = "H-1") -> list[NewEvent]:
    """Four events of a coup, of which the last closes it."""
    events = (
        ev.CoupOpened(number),
        ev.BetPlaced(number, number, "p-1", "banker", 100 * number),
        ev.NoMoreBets(number),
        ev.CoupClosed(number),
    )
    return [NewEvent(f"shoe/{shoe}", event, actor="dealer") for event in events]


def sizes(log: EventLog) -> list[int]:
    return [stored.size for stored in stored_checkpoints(log.database)]


def tamper(log: EventLog, *statements: str) -> None:
    """Do what the owner of the database can: switch guards off, change rows, switch them on."""
    tables = ("log_event", "log_head", "evidence_key", "evidence_checkpoint")
    with log.database.writing() as connection:
        if log.database.is_sqlite:
            triggers = connection.exec_driver_sql(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            ).all()
            before = [f"DROP TRIGGER {name}" for name, _ in triggers]
            after = [text for _, text in triggers]
        else:
            before = ["SET LOCAL session_replication_role = replica"]
            before += [f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in tables]
            after = [f"ALTER TABLE IF EXISTS {table} ENABLE TRIGGER USER" for table in tables]
        for statement in before:
            connection.exec_driver_sql(statement)
        for statement in statements:
            connection.execute(sa.text(statement))
        if any("RENAME" in statement for statement in statements):
            return
        for statement in after:
            connection.exec_driver_sql(statement)


def test_a_new_log_is_signed_at_the_close_of_each_coup(log: EventLog, keys: Path) -> None:
    for number in (1, 2, 3):
        log.append(coup(number))
    assert sizes(log) == [4, 8, 12]
    (stored,) = stored_keys(log.database)
    assert stored.since == 0
    place = key_file(log.origin)
    assert place.parent == keys
    assert place.stat().st_mode & 0o777 == 0o600
    assert keys.stat().st_mode & 0o777 == 0o700
    result = verify_log(log.database, key=VerifierKey.parse(stored.verifier_key))
    assert (result.altered, result.events, result.covered, result.checkpoints) == (False, 12, 12, 3)


def test_the_last_events_are_signed_when_the_log_is_closed(database_url: str) -> None:
    with EventLog.open(database_url) as log:
        log.append(coup(1)[:2])
        assert sizes(log) == []
    with EventLog.open(database_url) as log:
        assert sizes(log) == [2]
        log.append(coup(1)[2:3])
    with EventLog.open(database_url) as log:
        assert sizes(log) == [2, 3]
        assert not verify_log(log.database).altered


def test_events_that_wait_are_signed_after_some_seconds(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sabot.infrastructure.evidence.checkpoint_writer.SECONDS", 0.05)
    log.append(coup(1)[:1])
    for _ in range(100):
        if sizes(log):
            break
        log.checkpoints._stop.wait(0.05)
    assert sizes(log) == [1]


def test_coups_that_close_at_once_share_a_checkpoint(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is signed at its close, and those that follow together, somewhat later."""
    monkeypatch.setattr(checkpoint_writer, "APART_SECONDS", 3600)
    monkeypatch.setattr(checkpoint_writer, "SOON_SECONDS", 0.2)
    with EventLog.open(database_url) as log:
        for number in range(1, 6):
            log.append(coup(number))
        while sizes(log)[-1] < 20:
            log.checkpoints._stop.wait(0.01)
        assert sizes(log)[0] == 4
        assert len(sizes(log)) < 5
        log.append(coup(6))
    with EventLog.open(database_url) as log:
        assert sizes(log)[-1] == 24
        assert not verify_log(log.database).altered


def test_events_of_a_transaction_that_failed_are_not_signed(database_url: str) -> None:
    """Other events take their places; the tree is of those that were committed."""
    with EventLog.open(database_url) as log:
        log.append(coup(1))
        with suppress(RuntimeError), log.database.appending() as connection:
            if not log.database.is_sqlite:
                raise RuntimeError  # one statement is the transaction there
            stored = append(connection, [row_of(each) for each in coup(2)], {}, lambda: 7).stored
            log.checkpoints.appended(stored, ["coup-closed"], connection)
            raise RuntimeError
        log.append(coup(3)[:3])
        log.append(coup(3)[3:])
        assert sizes(log) == [4, 8]
        assert (found := verify_log(log.database)).covered == 8
        assert not found.altered


def test_an_append_does_not_wait_for_a_checkpoint_that_waits_for_it(database_url: str) -> None:
    began, may_end = threading.Event(), threading.Event()

    def write(log: EventLog) -> None:
        """Hold what a writer of a checkpoint holds until it can write."""
        with log.checkpoints._lock:
            began.set()
            assert may_end.wait(30)

    with EventLog.open(database_url) as log:
        log.append(coup(1))
        if not log.database.is_sqlite:
            return  # a checkpoint follows the commit there
        thread = threading.Thread(target=write, args=(log,))
        thread.start()
        assert began.wait(30)
        log.append(coup(2))
        may_end.set()
        thread.join()
        assert sizes(log) == [4]
    with EventLog.open(database_url) as log:
        assert sizes(log) == [4, 8]


def test_loaded_events_are_signed_at_their_end(log: EventLog) -> None:
    assert log.load([coup(1), coup(2)]) == 8
    assert sizes(log) == [8]
    assert log.load([coup(3)]) == 4
    assert sizes(log) == [8, 12]


def test_two_programs_continue_one_tree(database_url: str) -> None:
    with EventLog.open(database_url) as one, EventLog.open(database_url) as two:
        for number in range(1, 7):
            (one if number % 2 else two).append(coup(number))
        assert sizes(one) == [4, 8, 12, 16, 20, 24]
        assert not verify_log(one.database).altered


def test_a_failed_append_leaves_no_checkpoint_behind(database_url: str) -> None:
    """A transaction that rolls back takes its checkpoint along, and the next tree is right."""
    with EventLog.open(database_url) as log:
        log.append(coup(1))
        with pytest.raises(Exception, match="version"):
            log.append(coup(2), expected={"shoe/H-1": 99})
        log.append(coup(3))
        assert sizes(log) == [4, 8]
        assert not verify_log(log.database).altered


def test_without_the_key_nothing_is_signed_and_the_log_says_so(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EventLog.open(database_url) as log:
        log.append(coup(1))
    monkeypatch.setenv("SABOT_KEYS", str(tmp_path / "another machine"))
    with EventLog.open(database_url) as log:
        log.append(coup(2))
        assert "signing key" in log.checkpoints.problem
        assert sizes(log) == [4]
        result = verify_log(log.database)
        assert not result.altered
        assert (result.events, result.covered) == (8, 4)
        assert any("4 events are not covered" in remark for remark in result.remarks)


def test_a_key_that_others_can_read_is_not_used(database_url: str) -> None:
    with EventLog.open(database_url) as log:
        log.append(coup(1))
        place = key_file(log.origin)
    place.chmod(0o644)
    with EventLog.open(database_url) as log:
        log.append(coup(2))
        assert "chmod 600" in log.checkpoints.problem
        assert sizes(log) == [4]


def test_a_log_without_a_key_is_adopted_once(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SABOT_KEYS", "/dev/null/no folder")
    with EventLog.open(database_url) as log:
        log.append(coup(1))
        assert "no folder" in log.checkpoints.problem
        with pytest.raises(NotFound, match="no checkpoint"):
            verify_log(log.database)
    monkeypatch.setenv("SABOT_KEYS", str(tmp_path / "keys"))
    with EventLog.open(database_url) as log:
        log.append(coup(2))
        assert sizes(log) == []
        log.checkpoints.adopt()
        assert sizes(log) == [8]
        assert stored_keys(log.database)[0].since == 8
        log.append(coup(3))
        assert sizes(log) == [8, 12]
        with pytest.raises(BadInput, match="already"):
            log.checkpoints.adopt()


# -- A changed log ----------------------------------------------------------------------------

CHANGES: dict[str, tuple[str, ...]] = {
    "payload": ("UPDATE log_event SET payload = replace(payload, '600', '900') WHERE id = 22",),
    "actor": ("UPDATE log_event SET actor = 'other' WHERE id = 22",),
    "device": ("UPDATE log_event SET device = 'other' WHERE id = 22",),
    "at_us": ("UPDATE log_event SET at_us = 1 WHERE id = 22",),
    "recorded_us": ("UPDATE log_event SET recorded_us = recorded_us - 1 WHERE id = 22",),
    "seq": ("UPDATE log_event SET seq = 7 WHERE id = 22",),
    "event_id": ("UPDATE log_event SET event_id = 'x' WHERE id = 22",),
    "name": ("UPDATE log_event SET name = 'bet-taken' WHERE id = 22",),
    "version": ("UPDATE log_event SET version = 99 WHERE id = 22",),
    "stream": ("UPDATE log_event SET stream = 'shoe/H-2', version = 1 WHERE id = 22",),
}


def six_coups(log: EventLog) -> None:
    for number in range(1, 7):
        log.append(coup(number))


@one_store
@pytest.mark.parametrize("column", CHANGES)
def test_a_changed_column_is_located(log: EventLog, tmp_path: Path, column: str) -> None:
    six_coups(log)
    publish(log.database, tmp_path / "public", entries=True)
    tamper(log, *CHANGES[column])
    problem = verify_log(log.database).problems[0]
    assert (problem.index, problem.until) == (21, 24)
    outside = read_published(tmp_path / "public")
    problem = verify_log(log.database, published=(outside, tmp_path / "public")).problems[0]
    assert (problem.index, problem.column) == (22, column)


def check_found(result: Verification, index: int | None) -> None:
    assert result.altered
    if index is not None:
        assert result.problems[0].index == index


@pytest.mark.parametrize(
    ("statements", "index"),
    [
        (["DELETE FROM log_event WHERE id = 10"], 10),
        (["DELETE FROM log_event WHERE id > 20", "UPDATE log_head SET last_id = 20"], 21),
        (["DELETE FROM log_event WHERE id > 20"], 21),
        (["UPDATE log_head SET last_id = 20"], None),
        (["UPDATE log_head SET origin = 'another'"], None),
        (
            [
                "UPDATE log_event SET id = 100 WHERE id = 6",
                "UPDATE log_event SET id = 6 WHERE id = 7",
                "UPDATE log_event SET id = 7 WHERE id = 100",
            ],
            5,
        ),
        (["UPDATE evidence_checkpoint SET note = replace(note, '24', '25')"], None),
        (["UPDATE evidence_checkpoint SET size = 23 WHERE size = 24"], None),
        (["INSERT INTO evidence_checkpoint VALUES (25, 'planted', '', 0)"], None),
    ],
)
def test_what_the_database_itself_shows(
    log: EventLog, statements: list[str], index: int | None
) -> None:
    six_coups(log)
    tamper(log, *statements)
    check_found(verify_log(log.database), index)


@pytest.mark.parametrize(
    "statements",
    [
        # the end and its checkpoints
        [
            "DELETE FROM log_event WHERE id > 20",
            "DELETE FROM evidence_checkpoint WHERE size > 20",
            "UPDATE log_head SET last_id = 20",
        ],
    ],
)
def test_what_only_a_checkpoint_from_outside_shows(log: EventLog, statements: list[str]) -> None:
    six_coups(log)
    kept = newest_of(log.database)
    tamper(log, *statements)
    unaware = verify_log(log.database, key=kept.key)
    assert not unaware.altered
    assert any("missing last events" in remark for remark in unaware.remarks)
    check_found(verify_log(log.database, key=kept.key, earlier=kept.note), 21)


def test_a_log_signed_anew_with_another_key_is_found_by_the_pinned_key(log: EventLog) -> None:
    six_coups(log)
    kept = newest_of(log.database)
    key_file(log.origin).unlink()
    tamper(
        log,
        "UPDATE log_event SET actor = 'other' WHERE id = 2",
        "DELETE FROM evidence_checkpoint",
        "DELETE FROM evidence_key",
    )
    with EventLog.open(str(log.database.url.render_as_string(hide_password=False))) as insider:
        insider.checkpoints.adopt()
        assert not verify_log(insider.database).altered
        check_found(verify_log(insider.database, key=kept.key), None)


def test_an_index_that_hides_events_is_found(tmp_path: Path) -> None:
    """A SQLite file in which the index of the streams names another stream for some events."""
    with EventLog.open(str(tmp_path / "log.sabot")) as log:
        log.append(coup(1))
        log.append(coup(2))
        assert not verify_log(log.database).altered
    with closing(sqlite3.connect(tmp_path / "log.sabot")) as connection:
        find = "SELECT {} FROM sqlite_schema WHERE name = ?"
        (table,) = connection.execute(find.format("sql"), ("log_event",)).fetchone()
        connection.execute(table.replace("log_event", "other"))
        connection.execute("INSERT INTO other SELECT * FROM log_event")
        connection.execute("UPDATE other SET stream = 'x', version = version - 4 WHERE version > 4")
        index = "sqlite_autoindex_{}_1"
        pages = [
            connection.execute(find.format("rootpage"), (index.format(name),)).fetchone()[0]
            for name in ("log_event", "other")
        ]
        connection.execute("PRAGMA writable_schema = ON")
        for page, name in zip(pages, ("other", "log_event"), strict=True):
            connection.execute(
                "UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", (page, index.format(name))
            )
        connection.commit()
    with EventLog.open(str(tmp_path / "log.sabot"), read_only=True) as log:
        assert len(log.read("shoe/H-1")) == 4
        (problem,) = verify_log(log.database).problems
        assert problem.message.startswith("an index of the log differs from the log")


def test_a_changed_public_key_is_found(log: EventLog) -> None:
    six_coups(log)
    key = newest_of(log.database).key
    tamper(log, "UPDATE evidence_key SET verifier_key = replace(verifier_key, '+', '+0')")
    for read in (verify_log, newest_of):
        with pytest.raises(UntrustedLog, match="public key in the database was changed"):
            read(log.database)
    assert not verify_log(log.database, key=key).altered


def test_a_row_without_a_payload_is_found() -> None:
    """A flipped bit in a SQLite file makes a value NULL, although the table forbids it."""
    row = (7, None, "shoe/H-1", 1, "coup-opened", None, 5, "ann", "", None, None, 5, "ann", None)
    with pytest.raises(UntrustedLog, match="event 7 has no payload"):
        event_line(row, "sabot/test")


def test_a_view_in_place_of_the_table_is_found(log: EventLog) -> None:
    six_coups(log)
    tamper(
        log,
        "ALTER TABLE log_event RENAME TO log_event_true",
        "CREATE VIEW log_event AS SELECT * FROM log_event_true",
    )
    check_found(verify_log(log.database), None)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE log_event ENABLE ROW LEVEL SECURITY",
        "CREATE RULE r AS ON INSERT TO log_event WHERE NEW.actor = 'ann' DO INSTEAD NOTHING",
        "CREATE TABLE more () INHERITS (log_event)",
    ],
)
def test_a_table_that_may_show_other_rows_is_found(postgres_url: str, statement: str) -> None:
    """A row policy may show each query other rows."""
    with EventLog.open(postgres_url) as log:
        six_coups(log)
        assert not verify_log(log.database).altered
        tamper(log, statement)
        (problem,) = verify_log(log.database).problems
        assert problem.message.startswith("log_event is not a plain table")


def test_a_planted_checkpoint_does_not_mislead_the_writer(log: EventLog) -> None:
    six_coups(log)
    with log.database.writing() as connection:
        connection.exec_driver_sql("INSERT INTO evidence_checkpoint VALUES (999, 'planted', '', 0)")
    log.append(coup(7))
    result = verify_log(log.database)
    assert len(result.problems) == 1
    assert "999" in result.problems[0].message


def test_an_unsigned_checkpoint_among_signed_ones_is_reported_and_ignored(log: EventLog) -> None:
    six_coups(log)
    plant(log, 3, "planted")
    result = verify_log(log.database)
    assert not result.altered
    assert any("ignored: 1 of the checkpoints in the database (3 events)" in remark
               for remark in result.remarks)  # fmt: skip
    tamper(log, "UPDATE log_event SET actor = 'other' WHERE id = 22")
    check_found(verify_log(log.database), 21)


def plant(log: EventLog, size: int, note: str, subtrees: str = "") -> None:
    with log.database.writing() as connection:
        statement = sa.text("INSERT INTO evidence_checkpoint VALUES (:size, :note, :subtrees, 0)")
        connection.execute(statement, {"size": size, "note": note, "subtrees": subtrees})


@pytest.mark.parametrize("signed", [True, False])
def test_a_false_checkpoint_is_set_aside_on_record(log: EventLog, signed: bool) -> None:
    """A recorder with the key can sign a false root; without it, plant what nobody signed."""
    six_coups(log)
    log.append(coup(7)[:-1])  # which no checkpoint covers yet
    size, key = log.head(), load_key(log.origin)
    assert key is not None
    tree = TreeHead()
    tree.append([bytes([number]) * 32 for number in range(size)])
    note = sign_checkpoint(log.origin, tree, key) if signed else "planted"
    plant(log, size, note, b64encode(tree.subtrees).decode() if signed else "")
    check_found(verify_log(log.database), 25 if signed else None)
    with pytest.raises(BadInput, match="holds"):
        log.set_aside(24, by="ann", note="a mistake")
    with pytest.raises(NotFound):
        log.set_aside(2, by="ann", note="a mistake")
    log.set_aside(size, by="ann", note="stored by bob's login")
    with EventLog.open(log.database.url.render_as_string(hide_password=False)) as another:
        another.append(coup(8))
        another.checkpoints.write()
        result = verify_log(another.database)
        assert (result.problems, result.covered) == ([], another.head())
        assert f"ann set aside the checkpoint of {size} events: stored by bob's login" in (
            result.remarks
        )
        with pytest.raises(BadInput, match="already"):
            another.set_aside(size, by="ann", note="again")
    tamper(log, "UPDATE log_event SET actor = 'other' WHERE id = 22")
    check_found(verify_log(log.database), 21)


# -- The last checkpoint that this machine signed --------------------------------------------

BACK_TO_16 = (
    "DELETE FROM log_event WHERE id > 16",
    "DELETE FROM evidence_checkpoint WHERE size > 16",
    "UPDATE log_head SET last_id = 16",
)


def opened(log: EventLog) -> EventLog:
    """The same log in another process of the same machine."""
    return EventLog.open(log.database.url.render_as_string(hide_password=False))


def verified_here(log: EventLog) -> Verification:
    """The verification on the machine that signs, which also knows what it signed last."""
    return Outside(key=None, folder=None, kept=None).verify_log(log.database)


@pytest.mark.parametrize(
    "statements",
    [
        BACK_TO_16,
        (
            "UPDATE log_event SET actor = 'other' WHERE id = 22",
            "DELETE FROM evidence_checkpoint WHERE size > 16",
        ),
        ("UPDATE log_event SET actor = 'other' WHERE id = 2", "DELETE FROM evidence_checkpoint"),
    ],
)
@pytest.mark.parametrize("running", [True, False])
def test_what_was_signed_is_not_signed_again_after_a_change(
    log: EventLog, statements: tuple[str, ...], running: bool
) -> None:
    """Neither by the process that signed it, nor by one that starts later."""
    six_coups(log)
    assert not verified_here(log).altered
    tamper(log, *statements)
    assert verified_here(log).altered
    with opened(log) as later:
        signer = log if running else later
        warnings: list[str] = []
        signer.checkpoints.tell = warnings.append
        before = sizes(log)
        with suppress(UntrustedLog):
            signer.append(coup(7))
        signer.checkpoints.try_write()
        signer.close()
        added = [size for size in sizes(later) if size not in before]
        assert not added or verify_log(later.database).altered
        if not running:
            assert not added
            assert "checkpoint of 24 events that this machine signed" in warnings[0]


def test_a_restored_backup_is_signed_again_only_on_record(log: EventLog) -> None:
    six_coups(log)
    kept = newest_of(log.database)
    tamper(log, *BACK_TO_16)
    with opened(log) as later:
        later.append(coup(8))
        with pytest.raises(UntrustedLog, match="set-aside 24"):
            later.checkpoints.write()
        with pytest.raises(NotFound):
            later.set_aside(23, by="ann", note="restored")
        later.set_aside(24, by="ann", note="restored the backup of Monday")
        later.checkpoints.write()
        assert sizes(later) == [4, 8, 12, 16, 21]
        assert not verified_here(later).altered
    with opened(log) as again:
        again.append(coup(9))
        assert sizes(again)[-1] == 25
        result = verify_log(again.database)
        assert not result.altered
        assert (
            "ann set aside the checkpoint of 24 events, which the database does not have: "
            "restored the backup of Monday"
        ) in result.remarks
        check_found(verify_log(again.database, key=kept.key, earlier=kept.note), 22)


def test_an_entry_in_the_database_does_not_set_aside_what_this_machine_signed(
    log: EventLog,
) -> None:
    """Who restores an old copy cannot make this machine sign it, without a person on it."""
    six_coups(log)
    kept = newest_of(log.database)
    tamper(log, *BACK_TO_16)
    planted = CheckpointSetAside(24, note_sha256(kept.note), "ann", "restored")
    with opened(log) as later:
        later.append([NewEvent(ISOLATED_STREAM, planted, actor="ann")])
        with pytest.raises(UntrustedLog, match="set-aside 24"):
            later.checkpoints.write()
        check_found(verified_here(later), 17)
        later.set_aside(24, by="ann", note="restored the backup of Monday")
        with pytest.raises(BadInput, match="set aside already"):
            later.set_aside(24, by="ann", note="again")
        later.checkpoints.write()
        assert sizes(later)[-1] == 18
        assert not verified_here(later).altered


def test_another_log_in_its_place_is_noted(tmp_path: Path) -> None:
    """A log with another name and key fits its own checkpoints."""
    place = tmp_path / "log.sabot"
    with EventLog.open(str(place)) as log:
        six_coups(log)
        name = log.origin.replace("/", "-")
    place.unlink()
    with EventLog.open(str(place)) as log:
        log.append(coup(1))
        result = verified_here(log)
        assert not result.altered
        assert f"with the key {name}.key: 24 events" in result.remarks[-1]
    with EventLog.open(str(tmp_path / "other.sabot")) as log:
        log.append(coup(1))
        assert "another log" not in " ".join(verified_here(log).remarks)


def test_a_restored_export_is_signed_again_on_record(log: EventLog) -> None:
    """An export has neither checkpoints nor the public key, but this machine has its head."""
    six_coups(log)
    tamper(log, *BACK_TO_16, "DELETE FROM evidence_checkpoint", "DELETE FROM evidence_key")
    with opened(log) as later:
        later.set_aside(24, by="ann", note="restored the export of Monday")
    with opened(log) as again:
        again.append(coup(8))
        assert sizes(again)[-1] == 21
        result = verified_here(again)
        assert not result.altered
        assert result.remarks[0].startswith("ann set aside the checkpoint of 24 events")


def test_a_checkpoint_that_a_crash_took_is_written_again(log: EventLog) -> None:
    """PostgreSQL may lose a checkpoint whose events it keeps."""
    six_coups(log)
    tamper(log, "DELETE FROM evidence_checkpoint WHERE size > 16")
    with opened(log) as later:
        later.append(coup(7))
        later.checkpoints.write()
        assert sizes(later)[-1] == 28
        assert not verified_here(later).altered


def test_a_kill_before_the_head_is_kept_does_no_harm(log: EventLog, keys: Path) -> None:
    log.append(coup(1))
    (head,) = keys.glob("*.head")
    old = head.read_bytes()
    for number in (2, 3):
        log.append(coup(number))
    for data in (old, b"", old[:4096] + b"torn" * 1024):
        head.write_bytes(data)
        with opened(log) as later:
            later.append(coup(4))
            assert sizes(later)[-1] == later.head()
            assert not verify_log(later.database).altered
    head.write_bytes(b"torn" * 2048)
    with opened(log) as later:
        later.append(coup(5))
        assert "is damaged" in later.checkpoints.problem
        result = verified_here(later)
        assert not result.altered
        assert "is damaged" in result.remarks[-1]


def test_copies_of_a_log_grow_apart(
    sqlite_url: str, tmp_path: Path, keys: Path
) -> None:  # fmt: skip
    copy = tmp_path / "copy.sabot"
    with EventLog.open(sqlite_url) as log:
        log.append(coup(1))
    copy.write_bytes(Path(sqlite_url).read_bytes())
    for number in (2, 3):
        for url in (sqlite_url, str(copy)):
            with EventLog.open(url) as log:
                log.append(coup(number))
                assert sizes(log)[-1] == 4 * number
                assert not log.checkpoints.problem
    assert len(list(keys.glob("*.head"))) == 2


def test_a_folder_of_keys_that_cannot_be_written_does_not_hinder(
    log: EventLog, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append(coup(1))
    for head in keys.glob("*.head"):
        head.unlink()
    open_file = os.open

    def refuse(place: str | Path, flags: int, *rest: int) -> int:
        if str(place).endswith(".head") and flags & os.O_RDWR:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return open_file(place, flags, *rest)

    monkeypatch.setattr(os, "open", refuse)
    with opened(log) as later:
        later.append(coup(2))
        assert sizes(later) == [4, 8]


# -- Publishing -------------------------------------------------------------------------------


def test_a_directory_grows_with_the_log(log: EventLog, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    for until in (1, 60, 70, 140):
        log.load([coup(number) for number in range(log.head() // 4 + 1, until + 1)])
        published = publish(log.database, folder, entries=True)
        assert published.checkpoint.size == until * 4
        result = verify_folder(published, folder, pinned=True)
        assert (result.problems, result.events) == ([], until * 4)
    assert not verify_log(log.database, published=(published, folder)).altered
    assert (folder / "tile/0/000").stat().st_size == 256 * 32
    tree = event_tree(log.database)
    line = folder / "tile/entries/000"
    first = line.read_bytes()[2 : 2 + int.from_bytes(line.read_bytes()[:2], "big")]
    assert tree.proof(1).check(first, published.key).size == 560


def test_what_was_published_is_not_changed_by_a_changed_log(log: EventLog, tmp_path: Path) -> None:
    """Tiles are added only, so the event that was changed differs from its tile."""
    folder = tmp_path / "public"
    six_coups(log)
    publish(log.database, folder)
    tamper(log, "UPDATE log_event SET actor = 'other' WHERE id = 2")
    log.append(coup(7))
    after = publish(log.database, folder)
    assert not verify_folder(after, folder, pinned=True).altered
    check_found(verify_log(log.database, published=(after, folder)), 2)


def test_a_log_whose_checkpoints_are_all_deleted_is_neither_signed_nor_published(
    log: EventLog, tmp_path: Path
) -> None:
    six_coups(log)
    publish(log.database, tmp_path / "public")
    tamper(
        log,
        "UPDATE log_event SET actor = 'other' WHERE id = 2",
        "DELETE FROM evidence_checkpoint",
    )
    check_found(verify_log(log.database), None)
    with EventLog.open(log.database.url.render_as_string(hide_password=False)) as later:
        later.append(coup(7))
        later.checkpoints.try_write()
        assert "does not contain the checkpoint of 24 events" in later.checkpoints.problem
        assert sizes(later) == []
        with pytest.raises(NotFound, match="deleted"):
            publish(later.database, tmp_path / "public")


def test_an_old_copy_is_not_published(
    sqlite_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with EventLog.open(sqlite_url) as log:
        log.append(coup(1))
    copy = tmp_path / "copy.sabot"
    copy.write_bytes(Path(sqlite_url).read_bytes())
    with EventLog.open(sqlite_url) as log:
        log.append(coup(2))
        publish(log.database, tmp_path / "public")
    with EventLog.open(str(copy)) as log, pytest.raises(UntrustedLog, match="old copy"):
        publish(log.database, tmp_path / "public")


@pytest.mark.parametrize("name", ["tile/0/000.p/24", "tile/entries/000.p/24", "checkpoint"])
def test_a_changed_directory_is_found(log: EventLog, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "public"
    six_coups(log)
    published = publish(log.database, folder, entries=True)
    place = folder / name
    data = place.read_bytes()
    place.write_bytes(data[:40] + bytes(byte ^ 1 for byte in data[40:]))
    try:
        result = verify_folder(read_published(folder, published.key), folder, pinned=True)
    except UntrustedLog:
        return
    assert result.altered


@pytest.mark.parametrize("last", [3, 5])
def test_a_log_whose_head_disagrees_with_its_events_is_not_signed(log: EventLog, last: int) -> None:
    """The next process that opens the log looks at its ends."""
    log.append(coup(1))
    log.checkpoints.write()
    with log.database.writing() as connection:
        if log.database.is_sqlite:
            connection.exec_driver_sql("DROP TRIGGER log_head_follows")
        else:
            connection.exec_driver_sql("ALTER TABLE log_head DISABLE TRIGGER ALL")
        connection.exec_driver_sql(f"UPDATE log_head SET last_id = {last}")
    again = EventLog(log.database)
    with pytest.raises(UntrustedLog, match=f"from index 1 to 4, but its head says {last}"):
        again.checkpoints.write()
    again.checkpoints.try_write()
    assert "the log is not signed" in again.checkpoints.problem
    assert sizes(log) == [4]
