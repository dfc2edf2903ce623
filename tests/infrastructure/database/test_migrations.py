"""Logs of every former schema work after the upgrade, with every event shape.

`event_shapes.jsonl` has a line for each set of keys that an event ever had on the main branch, as
the history of the repository shows. It names the first schema revision of a log that could hold it.
"""

import json
from collections import defaultdict
from itertools import product
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa

from sabot.domain.events.review import FINDINGS_STREAM, RUNS_STREAM, AuditRun
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.audits.audit_run import audit_log
from sabot.infrastructure.backups import restore_backup, write_backup
from sabot.infrastructure.database.database import Database, newest_revision
from sabot.infrastructure.database.database import database_url as read_url
from sabot.infrastructure.database.schema_check import schema_faults
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.exports.event_lines import export_lines
from sabot.infrastructure.imports.record_line import _EVENTS
from sabot.infrastructure.log.codec import NAMES
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.projector import Projector
from tests.support.former_schemas import at_revision
from tests.support.thorough import a_part, slow

SHAPES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "event_shapes.jsonl").read_text().splitlines()
]
REVISIONS = [f"{number:04}" for number in range(1, int(newest_revision()) + 1)]
STREAMS = {"shoe": "shoe/A", "table": "table/T", "cards": "cards/B"}
RUN = NAMES[AuditRun]
KINDS = {name: kind for kind, name in NAMES.items()}
SCHEMA = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"


def events_of(revision):
    """Return the stream, name and payload of each event that such a log could hold.

    An isolation is left out, since it states the hash of a row (`test_store_backup.py` has one).
    """
    for shape in SHAPES:
        payload, name = shape["payload"], shape["payload"]["type"]
        if shape["revision"] <= revision and name != "event-isolated":
            kinds = [kind for kind, known in _EVENTS.items() if KINDS[name] in known]
            stream = STREAMS.get(kinds[0]) or (RUNS_STREAM if name == RUN else FINDINGS_STREAM)
            yield stream, name, json.dumps(payload, separators=(",", ":"), sort_keys=True)


def fill(url, revision):
    """Insert the events as the program of that time did. Return their payloads."""
    versions, payloads = defaultdict(int), []
    database = Database(read_url(url))
    with database.writing() as connection:
        for number, (stream, name, payload) in enumerate(events_of(revision), 1):
            versions[stream] += 1
            payloads.append(payload)
            connection.execute(
                sa.text(
                    "INSERT INTO log_event (id, stream, version, name, at_us, recorded_us, actor,"
                    " device, seq, payload) VALUES (:id, :stream, :version, :name, 5, 6, 'ann',"
                    " 'cam', :id, :payload)"
                ),
                {"id": number, "stream": stream, "version": versions[stream], "name": name,
                 "payload": payload},
            )  # fmt: skip
    database.close()
    return payloads


def change_function(url, function, former, new):
    database = Database(read_url(url))
    with database.writing() as connection:
        query = sa.text("SELECT pg_get_functiondef(CAST(:function AS regprocedure))")
        text = connection.execute(query, {"function": function}).scalar_one()
        assert former in text
        connection.exec_driver_sql(text.replace(former, new).replace("%", "%%"))
    database.close()


@pytest.mark.parametrize("revision", ["0009", "0011", "0012"])
def test_functions_have_their_text_of_today_after_the_upgrade(empty_postgres_url, revision):
    """An owner changed one, and an earlier program made another with other comments."""
    at_revision(empty_postgres_url, revision)
    begin = "\n    BEGIN\n"
    change_function(empty_postgres_url, "log_turn(jsonb)", begin, f"{begin}    PERFORM 1;\n")
    change_function(empty_postgres_url, "log_checkpoint(text, text)", begin, "\nBEGIN\n")
    change_function(empty_postgres_url, "log_append(jsonb)", "-- the place in", "-- place in")
    change_function(empty_postgres_url, "log_append(jsonb)", "permission denied", "no permission")
    with EventLog.open(empty_postgres_url) as log:
        assert schema_faults(log.database) == []


@pytest.mark.parametrize(
    "put_in_place",
    ["", "CREATE FUNCTION log_turn(x jsonb) RETURNS void LANGUAGE plpgsql AS $$ BEGIN END $$"],
)
def test_an_upgrade_names_the_function_that_it_cannot_replace(empty_postgres_url, put_in_place):
    at_revision(empty_postgres_url, "0011")
    database = Database(read_url(empty_postgres_url))
    with database.writing() as connection:
        connection.exec_driver_sql(f"DROP FUNCTION log_turn(jsonb); {put_in_place}")
    database.close()
    with pytest.raises(UntrustedLog, match=r"function .*log_turn\(jsonb\)"):
        EventLog.open(empty_postgres_url)


def test_every_shape_of_today_is_in_the_list():
    """Whoever changes the shape of an event adds a line, with the newest revision."""
    listed = {(shape["payload"]["type"], frozenset(shape["payload"])) for shape in SHAPES}
    today = {
        (name, frozenset({"type"} | {field.encode_name for field in msgspec.structs.fields(kind)}))
        for name, kind in KINDS.items()
    }
    assert today <= listed


@slow
@pytest.mark.parametrize(
    ("revision", "store"), a_part(product(REVISIONS, ["sqlite", "postgresql"]), of=3)
)
def test_a_log_of_a_former_schema_works_after_the_upgrade(revision, store, request, tmp_path):
    postgres = store == "postgresql"
    url = request.getfixturevalue("empty_postgres_url") if postgres else str(tmp_path / "log.db")
    at_revision(url, revision)
    payloads = fill(url, revision)
    if not postgres:
        former = tmp_path / "former.backup"
        former.write_bytes(Path(url).read_bytes())
    with EventLog.open(url) as log:
        assert schema_faults(log.database) == []
        events = [event for batch in log.scan() for event in batch]
        assert [NAMES[type(event.payload)] for event in events] == [
            json.loads(payload)["type"] for payload in payloads
        ]
        exported = list(export_lines(log))
        assert [json.loads(line)["payload"] for line in exported] == list(map(json.loads, payloads))
        sum(Projector(log).catch_up())
        assert audit_log(log, until=log.head()).shoes == 1
        if log.checkpoints.adopt():
            assert not verify_log(log.database).altered
        write_backup(log, tmp_path / "backup")
    sources = ["backup"] if postgres else ["backup", "former.backup"]
    for number, name in enumerate(sources):
        # a backup of a former program is brought up to date
        with EventLog.open(str(tmp_path / f"restored {number}")) as restored:
            restore_backup(restored, str(tmp_path / name))
            assert list(export_lines(restored)) == exported


def test_new_logs_of_tests_have_the_schema_that_the_migrations_make(tmp_path):
    """`tests.support.new_logs` makes them from the statements of the first."""
    made = []
    for name in ("first", "second"):
        database = Database.open(str(tmp_path / name))
        made.append(database.fetch(SCHEMA))
        origins = database.fetch("SELECT origin, last_id FROM log_head")
        assert len(origins) == 1
        assert database.fetch("SELECT version_num FROM log_revision") == [(REVISIONS[-1],)]
        database.close()
    at_revision(str(tmp_path / "migrated"), REVISIONS[-1])
    database = Database.open(str(tmp_path / "migrated"))
    made.append(database.fetch(SCHEMA))
    database.close()
    assert made[0] == made[1] == made[2]
