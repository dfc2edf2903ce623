"""``sabot verify`` and ``sabot evidence`` at the command line."""

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.evidence import coup
from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.evidence.signed_note import SigningKey
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import shoe_loaded
from tests.support.programs import SABOT, run_program


def sabot(*arguments: object) -> int:
    return guard(build(), [str(argument) for argument in arguments])


@pytest.fixture
def signed(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A log of three coups, signed by a key of its own."""
    monkeypatch.setenv("SABOT_KEYS", str(tmp_path / "keys"))
    with EventLog.open(sqlite_url) as log:
        first, *rest = coup(1, "S")
        log.append([NewEvent(first.stream, shoe_loaded()), first, *rest[:-2], rest[-1]])
        for number in (2, 3):
            log.append(coup(number, "S"))
    return sqlite_url


def change(path: str, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER log_event_keeps")
        connection.execute(statement)


def change_checkpoints(path: str, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'evidence%'"
        )
        for (name,) in names.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)


def test_a_whole_life(signed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    public, kept = tmp_path / "public", tmp_path / "kept"
    assert sabot("verify", "--database", signed, "--remember", kept) == 0
    assert "covering 75 of 75 events" in capsys.readouterr().err
    assert sabot("evidence", "publish", public, "--entries", "--database", signed) == 0
    key = (public / "verifier-key").read_text().strip()
    capsys.readouterr()
    assert sabot("store", "info", "--database", signed, "--format", "json") == 0
    (info,) = json.loads(capsys.readouterr().out)
    assert (info["published"], info["published_in"]) == (75, str(public))
    for arguments in (
        ["--database", signed, "--key", key, "--published", public],
        ["--database", signed, "--key", public / "verifier-key", "--remember", kept],
        [public, "--key", key, "--checkpoint", kept],
    ):
        assert sabot("verify", *arguments) == 0
        assert "note" not in capsys.readouterr().err
    change(signed, "UPDATE log_event SET actor = 'nobody' WHERE id = 30")
    arguments = ["--database", signed, "--published", public, "--format", "json"]
    assert sabot("verify", *arguments) == 3
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == "altered"
    first = said["problems"][0]
    assert (first["index"], first["stream"], first["column"]) == (30, "shoe/S", "actor")


def test_a_full_disk_is_told_with_the_verdict(signed: str) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 - a device
        done = run_program([*SABOT, "verify", "--database", signed], stdout=full)
    assert done.returncode == 2
    assert "consistent with" in done.stderr
    assert "sabot: cannot write standard output: No space left" in done.stderr


def test_an_audit_up_to_an_event_before_the_first_checkpoint_says_so(
    signed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sabot("audit", "--database", signed, "--until", "3")
    said = capsys.readouterr().err
    assert "record: no checkpoint up to event 3; the log is signed up to event 75;" in said
    assert "sabot evidence init" not in said


def test_what_cannot_be_verified_is_named(
    signed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note, folder = tmp_path / "note.md", tmp_path / "folder"
    note.write_text("# A text\n\nMore.\n")
    folder.mkdir()
    for arguments, part in (
        (["--database", signed, "--checkpoint", note], f"{note} is not a checkpoint: "),
        (["--database", signed, "--remember", note], f"{note} is not a checkpoint: "),
        ([signed], f"{signed} is a log: sabot verify --database {signed}"),
        ([folder], f"{folder} is not a published directory"),
        ([tmp_path / "none"], "give an export, an evidence bundle or a published directory"),
    ):
        assert sabot("verify", *arguments) == 2
        assert part in capsys.readouterr().err
    assert note.read_text() == "# A text\n\nMore.\n"
    assert sabot("import", signed, "--database", tmp_path / "new.db") == 2
    hint = f"sabot export --database {signed} -o events.jsonl"
    assert hint in capsys.readouterr().err
    assert not (tmp_path / "new.db").exists()


def test_a_planted_checkpoint_is_set_aside(signed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(signed)) as connection, connection:
        connection.execute("INSERT INTO evidence_checkpoint VALUES (999, 'planted', '', 0)")
    assert sabot("verify", "--database", signed) == 3
    hint = "`sabot evidence set-aside 999 --by NAME --note REASON`"
    assert hint in capsys.readouterr().out
    who = ["--by", "ann", "--note", "nobody signed it", "--database", signed]
    assert sabot("evidence", "set-aside", 75, *who) == 2
    assert "holds, so it is not set aside" in capsys.readouterr().err
    assert sabot("evidence", "set-aside", 999, *who) == 0
    assert sabot("verify", "--database", signed) == 0
    said = capsys.readouterr().err
    assert "covering 76 of 76 events" in said
    assert "note: ann set aside the checkpoint of 999 events: nobody signed it" in said


def test_without_a_checkpoint_nothing_is_shown(
    sqlite_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sabot("verify", "--database", sqlite_url) == 2
    assert "sabot evidence init" in capsys.readouterr().err
    assert sabot("verify", "--database", tmp_path / "none.db") == 2
    assert sabot("verify", tmp_path / "none") == 2
    assert not (tmp_path / "none.db").exists()


def test_a_bundle_is_verified_without_a_database(
    signed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle, again = tmp_path / "S.zip", tmp_path / "again.zip"
    arguments = ["--shoe", "S", "--database", signed]
    for place in (bundle, again):
        assert sabot("evidence", "prove", *arguments, "--output", place) == 0
    assert bundle.read_bytes() == again.read_bytes()
    assert bundle.stat().st_mode & 0o777 == 0o600
    assert sabot("verify", bundle) == 0
    capsys.readouterr()
    assert sabot("import", bundle, "--database", tmp_path / "copy.sabot") == 2
    assert f"unzip -p {bundle} events.jsonl | sabot import -" in capsys.readouterr().err
    with zipfile.ZipFile(bundle) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    changed = tmp_path / "changed.zip"
    events = members["events.jsonl"].split(b"\n")
    for lines in (
        [events[0].replace(b'"actor":"', b'"actor":"x'), *events[1:]],
        events[:10] + events[11:],
        events[1:],
        [events[1], events[0], *events[2:]],
    ):
        with zipfile.ZipFile(changed, "w") as to:
            for name, data in members.items():
                to.writestr(name, b"\n".join(lines) if name == "events.jsonl" else data)
        assert sabot("verify", changed) == 3
    events = members["events.jsonl"].splitlines(keepends=True)
    last = json.loads(events[-1])["index"]
    cut = {**members, "events.jsonl": b"".join(events[:-1])}
    cut.pop(f"proofs/{last}.tlog-proof")
    unlisted = dict(cut)
    unlisted.pop("signed-list")
    for broken, told in (
        (cut, "events.jsonl: changed, added or removed"),
        (unlisted, "has no signed-list"),
        ({**members, "audit.json": b"[]"}, "audit.json"),
        ({**members, "rule-pack.toml": b""}, "rule-pack.toml"),
        ({**members, "more.txt": b""}, "more.txt"),
    ):
        with zipfile.ZipFile(changed, "w") as to:
            for name, data in broken.items():
                to.writestr(name, data)
        capsys.readouterr()
        assert sabot("verify", changed) == 3
        assert told in capsys.readouterr().out
    assert sabot("evidence", "prove", "--shoe", "S", "--database", signed) == 2


def test_a_bundle_is_compared_with_a_published_directory(
    signed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever has the key signs a second history. Only the directory outside shows it."""
    public, forged, bundle = tmp_path / "public", tmp_path / "forged.db", tmp_path / "S.zip"
    assert sabot("evidence", "publish", public, "--database", signed) == 0
    assert sabot("store", "backup", forged, "--database", signed) == 0
    change(str(forged), "UPDATE log_event SET actor = 'nobody' WHERE id = 30")
    change_checkpoints(str(forged), "DELETE FROM evidence_checkpoint")
    with EventLog.open(str(forged)) as log:
        log.append(coup(4, "S"))
    arguments = ("--shoe", "S", "--output", bundle)
    assert sabot("evidence", "prove", *arguments, "--database", forged) == 0
    capsys.readouterr()
    assert sabot("verify", bundle, "--key", public / "verifier-key") == 0
    assert sabot("verify", bundle, "--published", public) == 3
    said = capsys.readouterr()
    assert "event 30 differs from the published event" in said.out
    assert said.out.count("differs") == 1
    assert "25 of the events are later than the published checkpoint of 75 events" in said.err
    # the checkpoint of a bundle is not compared with another one, so it does not seem so
    assert sabot("verify", bundle, "--checkpoint", public) == 2
    bundle.unlink()
    assert sabot("evidence", "prove", *arguments, "--database", signed) == 0
    assert sabot("verify", bundle, "--published", public) == 0


def test_a_published_directory_is_not_taken_for_another(
    signed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    for folder in (good, bad):
        assert sabot("evidence", "publish", folder, "--database", signed) == 0
    (tile,) = (place for place in (bad / "tile/0").rglob("*") if place.is_file())
    tile.write_bytes(bytes(32) + tile.read_bytes()[32:])
    assert sabot("verify", bad, "--published", good) == 2
    assert f"by --checkpoint {good}" in capsys.readouterr().err
    assert sabot("verify", bad, "--checkpoint", good) == 3
    assert sabot("verify", good, "--checkpoint", good) == 0
    said = capsys.readouterr().err
    assert "the public key comes from the directory itself" in said


def test_an_export_is_imported_only_as_it_was_published(
    signed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export, public, copy = tmp_path / "log.jsonl", tmp_path / "public", tmp_path / "copy.db"
    assert sabot("evidence", "publish", public, "--database", signed) == 0
    assert sabot("export", "--database", signed, "--output", export) == 0
    lines = export.read_bytes().splitlines(keepends=True)
    altered = [*lines]
    altered[40] = altered[40].replace(b'"actor":"dealer"', b'"actor":"daeler"')
    exchanged = [*lines[:20], lines[21], lines[20], *lines[22:]]
    for wrong, line in ((altered, 41), (exchanged, 21), (lines[:60], 61)):
        export.write_bytes(b"".join(wrong))
        capsys.readouterr()
        arguments = [export, "--published", public, "--database", copy]
        assert sabot("import", *arguments) == 3
        assert f"line {line}" in capsys.readouterr().err
        assert not copy.exists()
    added = json.loads(lines[-1]) | {"index": 76, "version": 77}
    export.write_bytes(b"".join(lines) + json.dumps(added).encode() + b"\n")
    capsys.readouterr()
    assert sabot("import", export, "--published", public, "--database", copy) == 2
    assert "line 76: the published checkpoint covers only" in capsys.readouterr().err
    assert not copy.exists()
    assert sabot("verify", export, "--published", public) == 0
    assert "recorded after it, or are not from the log" in capsys.readouterr().err
    export.write_bytes(b"".join(lines))
    assert sabot("import", export, "--published", public, "--database", copy) == 0
    assert sabot("verify", export, "--published", public) == 0


def test_a_line_that_is_missing_in_an_export_is_named(
    signed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its index, also without a directory."""
    export, kept, public = tmp_path / "log.jsonl", tmp_path / "kept", tmp_path / "public"
    assert sabot("verify", "--database", signed, "--remember", kept) == 0
    assert sabot("evidence", "publish", public, "--database", signed) == 0
    assert sabot("export", "--database", signed, "--output", export) == 0
    lines = export.read_bytes().splitlines(keepends=True)
    export.write_bytes(b"".join(lines[:20] + lines[21:]))
    key = public / "verifier-key"
    for outside in (["--checkpoint", kept, "--key", key], ["--published", public]):
        capsys.readouterr()
        assert sabot("verify", export, *outside, "--format", "json") == 3
        first, last = json.loads(capsys.readouterr().out)["problems"]
        assert first["index"] == 21
        assert first["message"] == "event 21 is missing; event 22 follows"
        assert last["message"].endswith("75 events, but there are only 74: events are missing")


def test_a_key_that_cannot_be_used_is_told_when_recording(
    signed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Events are recorded, and a warning says that they are not signed."""
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"stream":"table/T9","fact":{"type":"table-opened","inventory":5}}')
    (key,) = (tmp_path / "keys").glob("*.key")

    def warned() -> str:
        with lines.open() as file:
            monkeypatch.setattr("sys.stdin", file)
            assert sabot("record", "--database", signed) == 0
        return capsys.readouterr().err

    key.chmod(0o644)
    assert "warning: the log is not signed: the signing key" in warned()
    assert sabot("store", "info", "--database", signed, "--format", "json") == 0
    told = capsys.readouterr()
    assert (json.loads(told.out)[0]["signing_key"], "chmod 600" in told.err) == (str(key), True)
    key.chmod(0o600)
    assert "not signed" not in warned()
    other = SigningKey("sabot/other", bytes(32)).verifier
    with closing(sqlite3.connect(signed)) as connection, connection:
        connection.execute("DROP TRIGGER evidence_key_keeps")
        connection.execute("UPDATE evidence_key SET verifier_key = ?", (str(other),))
    assert "warning: the log is not signed: the signing key of this machine is not" in warned()


def test_a_bundle_needs_the_key(
    signed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SABOT_KEYS", str(tmp_path / "none"))
    words = ("--shoe", "S", "--database", signed, "--output", tmp_path / "S.zip")
    assert sabot("evidence", "prove", *words) == 2
    assert "with the log's signing key" in capsys.readouterr().err


def test_the_export_of_one_shoe_needs_proofs(
    signed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export, public = tmp_path / "T.jsonl", tmp_path / "public"
    with EventLog.open(signed) as log:
        log.append(coup(1, "T"))
    assert sabot("evidence", "publish", public, "--database", signed) == 0
    assert sabot("export", "--shoe", "T", "--database", signed, "--output", export) == 0
    capsys.readouterr()
    assert sabot("verify", export, "--published", public) == 2
    assert "`sabot evidence prove --shoe T`" in capsys.readouterr().err
    copy = tmp_path / "copy.db"
    assert sabot("import", export, "--published", public, "--database", copy) == 2
    assert not copy.exists()
    proof = tmp_path / "30.proof"
    assert sabot("evidence", "prove", "--event", 30, "--database", signed, "-o", proof) == 0
    capsys.readouterr()
    assert sabot("verify", proof, "--published", public) == 2
    assert "the proof of an event, without the event" in capsys.readouterr().err


def test_an_old_log_is_adopted(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("SABOT_KEYS", "/dev/null/none")
    with EventLog.open(sqlite_url) as log:
        log.append(coup(1, "S"))
    monkeypatch.setenv("SABOT_KEYS", str(tmp_path / "keys"))
    assert sabot("evidence", "checkpoint", "--database", sqlite_url) == 2
    assert sabot("evidence", "init", "--database", sqlite_url) == 0
    said = capsys.readouterr().err
    assert "events from 26 on are protected" in said
    assert sabot("evidence", "init", "--database", sqlite_url) == 2
    assert sabot("evidence", "checkpoint", "--database", sqlite_url) == 0
    assert capsys.readouterr().out.splitlines()[1] == "25"
    assert sabot("store", "info", "--database", sqlite_url, "--format", "json") == 0
    (info,) = json.loads(capsys.readouterr().out)
    assert (info["signed"], info["signed_here"]) == (25, 25)
    assert info["signing_key"].startswith(str(tmp_path / "keys"))
