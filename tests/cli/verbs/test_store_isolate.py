"""`sabot store isolate`: after it, an unreadable event stops no verb."""

import json

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.review import ISOLATED_STREAM, EventIsolated
from sabot.infrastructure.log.codec import row_sha256
from sabot.infrastructure.log.event_log import EventLog
from tests.support.thorough import a_part, each_once, one_store, slow

pytestmark = one_store

LOADED = ev.ShoeLoaded(8, "", "0" * 64)
VERBS = (
    ("audit",),
    ("detect",),
    ("findings",),
    ("shoes",),
    ("log",),
    ("log", "--patron", "anna"),
    ("export",),
    ("project", "--rebuild"),
)
COLUMNS = "id, stream, version, name, recorded_us, actor, device, seq, payload"
POISON = {
    "no JSON": ("shoe/A", 3, "coup-opened", 5, "{"),
    "another name": ("shoe/A", 3, "coup-opened", 5, '{"coup":2,"type":"coup-closed"}'),
    "no event": ("shoe/A", 3, "coup-opened", 5, '{"coup":"two","type":"coup-opened"}'),
    "a version far ahead": ("shoe/A", 10**9, "coup-opened", 5, '{"coup":2,"type":"coup-opened"}'),
    "a version of a new stream": ("shoe/B", 7, "coup-opened", 5, '{"coup":1,"type":"coup-opened"}'),
    "no stream of its kind": ("x", 1, "y", 5, "[]"),
    "no isolation": ("audit/isolated", 1, "event-isolated", 5, "{"),
}


@pytest.fixture
def sabot(database_url, capsys):
    def run(*arguments):
        code = guard(build(), [*arguments, "--database", database_url])
        return code, *capsys.readouterr()

    with EventLog.open(database_url) as log:
        log.append([NewEvent("shoe/A", LOADED), NewEvent("shoe/A", ev.CoupOpened(1))])
    return run


def poison(url, *row):
    stream, version, name, seq, payload = row
    values = f"3, '{stream}', {version}, '{name}', 1, '', 'cam', {seq}, '{payload}'"
    with EventLog.open(url) as log, log.database.writing() as connection:
        connection.exec_driver_sql(f"INSERT INTO log_event ({COLUMNS}) VALUES ({values})")


@slow
@each_once
@pytest.mark.parametrize("what", a_part(POISON, of=3))
def test_work_goes_on_once_it_is_isolated(database_url, sabot, what, tmp_path):
    poison(database_url, *POISON[what])
    assert sabot("export")[0] == 3
    assert sabot("audit")[0] == 3
    assert sabot("evidence", "checkpoint")[0] == 0
    code, _, said = sabot("verify")
    assert code == 3
    assert "ALTERED" in said
    code, _, said = sabot("store", "isolate", "3", "--by", "anna", "--note", "not ours")
    assert (code, said) == (0, "event 3 is isolated, as event 4 says\n")
    with EventLog.open(database_url) as log:
        log.append([NewEvent("shoe/A", ev.CoupClosed(1))])
        kept = [event.index for event in log.read("shoe/A")]
        assert kept == [1, 2, 5]
        assert [event.index for event in next(log.scan())] == [1, 2, 4, 5]
    for verb in VERBS:
        code, _, said = sabot(*verb)
        assert code in {0, 1}, (verb, said)
    lines = [json.loads(line) for line in sabot("export")[1].splitlines()]
    assert lines[2]["payload"] == POISON[what][4]
    assert lines[3]["payload"]["note"] == "not ours"
    assert sabot("store", "isolate", "3", "--by", "anna", "--note", "again")[0] == 2
    export, copy = tmp_path / "export.jsonl", str(tmp_path / "copy.sabot")
    assert sabot("export", "-o", str(export))[0] == 0
    assert guard(build(), ["store", "restore", str(export), "--database", copy]) == 0
    with EventLog.open(copy) as log:
        assert [event.index for event in log.read("shoe/A")] == kept


@slow
@each_once
@pytest.mark.parametrize("version", a_part([-(2**63), -1, 0, 2**53, 2**63 - 1], of=2))
def test_a_version_that_sabot_never_gives_is_isolated(database_url, sabot, version):
    poison(database_url, "shoe/A", version, "coup-opened", 5, '{"coup":2,"type":"coup-opened"}')
    for verb in (("audit",), ("detect",), ("shoes",), ("export",), ("verify",), ("show", "A")):
        assert sabot(*verb)[0] == 3, verb
    assert sabot("store", "isolate", "3", "--by", "anna", "--note", "not ours")[0] == 0
    with EventLog.open(database_url) as log:
        assert [event.index for event in log.read("shoe/A")] == [1, 2]
    for verb in VERBS:
        assert sabot(*verb)[0] in {0, 1}, verb


def test_an_event_that_can_be_read_is_not_isolated(sabot):
    code, _, said = sabot("store", "isolate", "2", "--by", "anna", "--note", "I do not like it")
    assert code == 2
    assert "event 2 can be read (coup-opened in shoe/A)" in said
    assert sabot("store", "isolate", "9", "--by", "anna", "--note", "x")[0] == 2


def test_an_isolated_event_that_is_changed_later_is_told(sqlite_url, sabot, request):
    if request.getfixturevalue("database_url") != sqlite_url:
        pytest.skip("the triggers are dropped on one store alone")
    poison(sqlite_url, "shoe/A", 3, "coup-opened", 5, "{")
    sabot("store", "isolate", "3", "--by", "anna", "--note", "not ours")
    with EventLog.open(sqlite_url) as log, log.database.writing() as connection:
        connection.exec_driver_sql("DROP TRIGGER log_event_keeps")
        connection.exec_driver_sql("UPDATE log_event SET payload = '{{' WHERE id = 3")
    code, _, said = sabot("audit")
    assert code == 3
    assert "event 3 (shoe/A version 3, named 'coup-opened') cannot be trusted" in said


FALSE = {
    "an event that can be read": (2, "right"),
    "an event that was never like that": (2, "0" * 64),
    "an event that is not there": (999, "0" * 64),
    "itself": (3, "0" * 64),
}


@each_once
@pytest.mark.parametrize(("index", "digest"), FALSE.values(), ids=FALSE.keys())
def test_a_false_isolation_hides_nothing_and_stops_no_verb(database_url, sabot, index, digest):
    before = json.loads(sabot("audit", "--format", "json")[1])
    with EventLog.open(database_url) as log:
        if digest == "right":
            digest = row_sha256(log.stored(index))
        stated = EventIsolated(index, digest, "eve", "away with it")
        log.append([NewEvent(ISOLATED_STREAM, stated, actor="eve")])
        assert log.isolated() == {}
        assert [event.index for event in log.read("shoe/A")] == [1, 2]
        assert [event.index for event in next(log.scan())] == [1, 2, 3]
    for verb in (verb for verb in VERBS if "--patron" not in verb):
        assert sabot(*verb)[0] in {0, 1}, verb
    _, found, said = sabot("audit", "--format", "json")
    assert json.loads(found)["findings"] == before["findings"]
    assert "warning: event 3 (by eve, login " in said
    assert f"isolates event {index}" in sabot("store", "info")[2]


def test_a_true_isolation_stands_beside_a_false_one(database_url, sabot):
    poison(database_url, "shoe/A", 3, "coup-opened", 5, "{")
    with EventLog.open(database_url) as log:
        log.append([NewEvent(ISOLATED_STREAM, EventIsolated(3, "0" * 64, "eve", "no"))])
    assert sabot("audit")[0] == 3
    assert sabot("store", "isolate", "3", "--by", "anna", "--note", "not ours")[0] == 0
    code, _, said = sabot("store", "info")
    assert code == 0
    assert "note: event 3 is not read: anna isolated it (not ours)" in said
    assert "warning: event 4 (by eve" in said
    assert sabot("audit")[0] in {0, 1}


UNUSUAL = {
    "keys in another order": '{"type":"coup-opened","coup":2}',
    "spaces and lines": '{ "coup" : 2,\n"type":"coup-opened" }',
    "an escaped letter": r'{"coup":2,"type":"coup-\u006fpened"}',
    "a default value": '{"coup":2,"free":false,"type":"coup-opened"}',
}


@slow
@each_once
@pytest.mark.parametrize("what", a_part(UNUSUAL, of=2))
def test_an_event_in_unusual_json_stops_no_verb(database_url, sabot, what, tmp_path):
    """PostgreSQL takes it from a recorder. It is readable, so the export contains it as text."""
    poison(database_url, "shoe/A", 3, "coup-opened", 5, UNUSUAL[what])
    for verb in (verb for verb in VERBS if "--patron" not in verb):
        assert sabot(*verb)[0] in {0, 1}, verb
    code, _, said = sabot("store", "isolate", "3", "--by", "anna", "--note", "not ours")
    assert (code, "event 3 can be read" in said) == (2, True)
    export, folder, bundle = (str(tmp_path / name) for name in ("log.jsonl", "out", "A.zip"))
    assert sabot("evidence", "checkpoint")[0] == 0
    assert sabot("evidence", "publish", folder)[0] == 0
    assert sabot("evidence", "prove", "--shoe", "A", "-o", bundle)[0] == 0
    assert sabot("export", "-o", export)[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines[2]["payload"] == UNUSUAL[what]
    assert guard(build(), ["verify", export, "--published", folder]) == 0
    assert guard(build(), ["verify", bundle]) == 0
    for way in (["store", "restore"], ["import"]):
        copy = str(tmp_path / f"{way[0]}.sabot")
        assert guard(build(), [*way, export, "--database", copy]) == 0
        with EventLog.open(copy) as log:
            assert log.stored(3).payload == UNUSUAL[what]


NEWER = {
    "a kind": ("shoe/A", 3, "card-flipped", 5, '{"coup":2,"type":"card-flipped"}'),
    "a key": ("shoe/A", 3, "coup-opened", 5, '{"coup":2,"light":"red","type":"coup-opened"}'),
    "a kind of isolation":
        ("audit/isolated", 1, "event-hidden", 5, '{"index":2,"type":"event-hidden"}'),
}  # fmt: skip


@each_once
@pytest.mark.parametrize("row", NEWER.values(), ids=NEWER.keys())
def test_an_event_of_a_newer_program_is_no_tampering(database_url, sabot, row):
    poison(database_url, *row)
    for verb in (("audit",), ("log",), ("detect",), ("shoes",)):
        code, _, said = sabot(*verb)
        assert code == 2, verb
        assert "install the newer version" in said, verb
    assert sabot("evidence", "checkpoint")[0] == 0
    code, _, said = sabot("verify")
    assert code == 0
    assert "note: written by a newer version of Sabot: 1 event, the first is event 3" in said
    # a recorder can forge one, and no newer version will come that reads it
    assert sabot("store", "isolate", "3", "--by", "anna", "--note", "no newer version here")[0] == 0
    for verb in VERBS:
        assert sabot(*verb)[0] in {0, 1}, verb


def test_an_export_with_an_isolated_event_is_verified(database_url, sabot, tmp_path):
    poison(database_url, "shoe/A", 3, "coup-opened", 5, '{"coup":"two","type":"coup-opened"}')
    sabot("store", "isolate", "3", "--by", "anna", "--note", "not ours")
    export, folder, bundle = (str(tmp_path / name) for name in ("log.jsonl", "out", "A.zip"))
    assert sabot("evidence", "checkpoint")[0] == 0
    assert sabot("evidence", "publish", folder)[0] == 0
    assert sabot("export", "-o", export)[0] == 0
    verify = ["verify", export, "--published", folder]
    assert guard(build(), verify) == 0
    assert sabot("evidence", "prove", "--shoe", "A", "-o", bundle)[0] == 0
    assert guard(build(), ["verify", bundle]) == 0
    text = (tmp_path / "log.jsonl").read_text()
    (tmp_path / "log.jsonl").write_text(text.replace(r"\"two\"", r"\"six\""))
    assert guard(build(), verify) == 3
