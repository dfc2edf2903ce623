"""Names and notes that are no names: every verb that reads shows them, and none fails.

The owner inserts them, as a former version of the program would have recorded them.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psycopg
import pytest
import sqlalchemy as sa

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.review import FINDINGS_STREAM, RUNS_STREAM, AuditRun
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.values.errors import BadInput
from sabot.domain.values.safe_text import printable
from sabot.infrastructure.imports.record_line import _EVENTS
from sabot.infrastructure.log.codec import NAMES
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import shipped
from tests.support.faulty_log import sabot
from tests.support.thorough import FULL, a_part, one_store, slow

pytestmark = one_store

SHAPES = [
    json.loads(line)["payload"]
    for line in (Path(__file__).parents[1] / "infrastructure/event_shapes.jsonl")
    .read_text()
    .splitlines()
]
MARKUP = "<b>'\"=1+1"
TEXTS = {
    "NUL": "a\0b",
    "escapes of a terminal": "\x1b[2J\x07\r\n",
    "writing direction": "\u202eevil\u2066",
    "markup": MARKUP,
    "many bytes": "\U0001f600" * 97,
    "no character": "\uffff",
}
KINDS = {name: kind for kind, name in NAMES.items()}
DECODE = msgspec.json.Decoder(ev.Event).decode
STREAMS = {"shoe": "shoe/{}", "table": "table/{}", "cards": "cards/{}"}

VERBS = (
    ("audit",), ("audit", "--explain-skips"), ("findings",), ("findings", "runs"), ("detect",),
    ("audit", "--format", "sarif"), ("tables",), ("shoes",), ("patrons",), ("commission",),
    ("cards",), ("cards", MARKUP), ("log",), ("log", "--patron", MARKUP, "--format", "csv"),
    ("export", "-o", "/dev/null"), ("project",), ("store", "check", "--views"), ("store", "info"),
    ("verify",), ("show", "S-0"), ("explain", "S-0", "1"), ("replay", "S-0", "--plain"),
    ("audit", "--table", MARKUP), ("log", "--table", MARKUP), ("ledger", MARKUP),
    *(("report", kind, "--since", "1970-01-01", "--format", form)
      for n, kind in enumerate(("shift-audit", "statistical-win", "payment-variance",
                                "card-inventory", "commission", "dealer", "patron-rating",
                                "coup-journal"))
      for form in (("text", "html") if FULL else (("text", "html")[n % 2],))),
)  # fmt: skip


def named(value: object, text: str) -> object:
    """Return a payload of the list of shapes with a text in place of each of its names."""
    if isinstance(value, dict):
        return {key: named(part, text) for key, part in value.items()}
    if isinstance(value, list):
        return [named(part, text) for part in value]
    return text if value == "x" else value


def payloads(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield a stream pattern, the kind and the payload of each event with names."""
    pack = shipped()["mini"]
    loaded = {"decks": 8, "pack": pack, "pack_sha256": pack_sha256(pack), "type": "shoe-loaded"}
    others = [shape for shape in SHAPES if shape["type"] not in {"shoe-loaded", "event-isolated"}]
    for shape in ({**loaded, "table": "x", "batch": "x"}, *others):
        payload = json.dumps(named(shape, text), separators=(",", ":"), sort_keys=True)
        try:
            name = NAMES[type(DECODE(payload))]
        except msgspec.ValidationError:
            continue  # a name in this place has a form
        kinds = [kind for kind, known in _EVENTS.items() if KINDS[name] in known]
        stream = RUNS_STREAM if name == NAMES[AuditRun] else FINDINGS_STREAM
        yield STREAMS.get(kinds[0], stream), name, payload


def fill(url: str) -> None:
    """Insert events with such names, in streams of sound names and of these."""
    versions: dict[str, int] = {}
    with EventLog.open(url) as log, log.database.writing() as connection:
        for place, text in enumerate(TEXTS.values()):
            for stream, name, payload in payloads(text):
                for own in (f"{stream[0].upper()}-{place}", text.replace("\0", "")):
                    full = stream.format(own)
                    versions[full] = versions.get(full, 0) + 1
                    connection.execute(
                        sa.text(
                            "INSERT INTO log_event (id, stream, version, name, at_us, recorded_us,"
                            " actor, device, payload) VALUES (:id, :stream, :version, :name, 5, 6,"
                            " :actor, :actor, :payload)"
                        ),
                        {"id": sum(versions.values()), "stream": full, "version": versions[full],
                         "name": name, "actor": text.replace("\0", ""), "payload": payload},
                    )  # fmt: skip


@slow
def test_verbs_show_any_text(database_url: str, capfd: pytest.CaptureFixture[str]) -> None:
    fill(database_url)
    failed = {}
    # what a verb does with a text is the same on either store
    for verb in a_part(VERBS, of=2):
        code = sabot(*verb, "--database", database_url)
        said = capfd.readouterr()
        if code not in {0, 1} and verb != ("verify",):
            failed[" ".join(verb)] = (code, said.err[-300:])
        for line in (said.out + said.err).splitlines():
            assert printable(line.replace("\t", " ")) == line.replace("\t", " "), verb
    assert failed == {}


@slow
def test_a_log_with_a_nul_is_restored_but_not_imported(
    sqlite_url: str, postgres_url: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fill(sqlite_url)
    exported, new = str(tmp_path / "log.jsonl"), str(tmp_path / "new.db")
    assert sabot("export", "-o", exported, "--database", sqlite_url) == 0
    for url in (postgres_url, new):
        assert sabot("import", exported, "--database", url) == 2
        assert "has a NUL character" in capfd.readouterr().err
    for url in (postgres_url, new):
        assert sabot("store", "restore", exported, "--database", url) == 0


NOT_UTF_8 = "a\udcff"
"""An argument with the byte ff, as Python reads it."""


@pytest.mark.parametrize("verb", [
    ("show", NOT_UTF_8), ("log", "--table", NOT_UTF_8), ("log", "--shoe", NOT_UTF_8),
    ("ledger", NOT_UTF_8), ("cards", NOT_UTF_8), ("audit", NOT_UTF_8),
    ("shoes", "--table", NOT_UTF_8), ("findings", "--shoe", NOT_UTF_8),
    ("explain", NOT_UTF_8, "1"), ("replay", NOT_UTF_8, "--plain"),
    ("odds", "--shoe", NOT_UTF_8), ("export", "--shoe", NOT_UTF_8), ("audit", "--table", NOT_UTF_8),
    ("report", "shoe-record", "--shoe", NOT_UTF_8), ("store", "secure", "--recorder", NOT_UTF_8),
])  # fmt: skip
def test_a_name_that_is_no_text_is_refused(
    verb: tuple[str, ...], shared_postgres_url: str, evening: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for url in (evening, shared_postgres_url):
        assert sabot(*verb, "--database", url) == 2
        assert "sabot: " in capfd.readouterr().err


def test_no_event_with_a_nul_is_recorded(database_url: str) -> None:
    with EventLog.open(database_url) as log:
        for text in ("\0", "a\\\0", '"\0'):
            with pytest.raises(BadInput, match="has a NUL character"):
                log.append([NewEvent("shoe/A", ev.PatronLeft(text))])
        log.append([NewEvent("shoe/A", ev.PatronLeft(r"\u0000 \\u0000"))])
        assert log.head() == 1


def test_postgresql_refuses_a_nul_of_any_program(postgres_url: str) -> None:
    batch = {"streams": ["shoe/A"], "expected": [], "now": 1}
    with psycopg.connect(postgres_url, autocommit=True) as session:
        for stream, name, payload in payloads("a\0b"):
            if "\\u0000" not in payload:
                continue
            events = [[1, None, name, None, None, "", "", None, payload]]
            text = json.dumps({**batch, "streams": [stream], "events": events})
            with pytest.raises(psycopg.errors.UntranslatableCharacter):
                session.execute("SELECT log_append(%s::jsonb)", (text,))
        assert session.execute("SELECT last_id FROM log_head").fetchone() == (0,)
