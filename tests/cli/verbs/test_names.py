"""Names of patrons and the access log stay outside the log."""

import json
from pathlib import Path

import psycopg
import pytest

from sabot.infrastructure.database.roles import secure
from sabot.infrastructure.log.event_log import EventLog
from tests.support.faulty_log import recorded, sabot
from tests.support.thorough import one_store

pytestmark = one_store


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def test_a_name_is_erased_and_the_log_still_verifies(
    database_url: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(database_url)
    at = ("--database", database_url)
    assert sabot("names", "set", "p1", "Anna Larsson", *at) == 0
    assert sabot("names", "set", "p2", "Bo Ek", *at) == 0
    (kept,) = (folder / "data/sabot/names").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    capsys.readouterr()
    assert sabot("patrons", "--names", "--format", "json", *at) == 0
    listed = {row["patron"]: row["name"] for row in json.loads(capsys.readouterr().out)}
    assert listed == {"p1": "Anna Larsson", "p2": "Bo Ek"}
    for verb in (("export",), ("patrons",), ("audit",), ("findings",), ("log",)):
        sabot(*verb, *at)
        assert "Larsson" not in capsys.readouterr().out
    assert sabot("names", "erase", "p1", *at) == 0
    assert "Larsson" not in kept.read_text()
    assert sabot("verify", *at) == 0
    assert sabot("names", "erase", "p1", *at) == 2
    assert sabot("names", "set", "p1", "a\nb", *at) == 2
    capsys.readouterr()
    assert sabot("names", "list", "--format", "json", *at) == 0
    assert json.loads(capsys.readouterr().out) == [{"patron": "p2", "name": "Bo Ek"}]


def test_readings_are_noted_in_a_file_beside_a_sqlite_log(
    sqlite_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    recorded(sqlite_url)
    at = ("--database", sqlite_url)
    sabot("export", *at)
    assert sabot("store", "accesses", *at) == 2  # nothing was asked for
    monkeypatch.setenv("SABOT_ACCESS_LOG", str(folder / "accesses.jsonl"))
    sabot("export", *at)
    sabot("export", "--shoe", "H-2", *at)
    sabot("detect", "--patron", "p1", *at)
    sabot("evidence", "prove", "--shoe", "H-2", "-o", str(folder / "H-2.zip"), *at)
    for options in ([], ["--entries"]):
        sabot("evidence", "publish", str(folder / f"public{len(options)}"), *options, *at)
    sabot("names", "list", *at)
    sabot("store", "backup", str(folder / "backup.sabot"), *at)
    sabot("report", "detection-case", "--patron", "p1", *at)
    sabot("report", "detection-case", *at)
    capsys.readouterr()
    assert sabot("store", "accesses", "--format", "json", *at) == 0
    noted = [(each["verb"], each["what"]) for each in json.loads(capsys.readouterr().out)]
    assert noted == [
        ("export", "the whole log"), ("export", "shoe/H-2"), ("detect", "case of p1"),
        ("evidence prove", "shoe H-2"), ("evidence publish", "the whole log"),
        ("names", "all names"),
        ("store backup", "the whole log"), ("report", "detection-case of p1"),
        ("report", "detection-case of all patrons"),
    ]  # fmt: skip
    monkeypatch.setenv("SABOT_ACCESS_LOG", str(folder / "missing" / "accesses.jsonl"))
    assert sabot("export", *at) == 0
    assert "warning: this access is not noted" in capsys.readouterr().err


def test_readings_are_noted_in_a_table_on_postgresql(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(postgres_url)
    at = ("--database", postgres_url)
    assert sabot("export", *at) == 0  # no table yet
    with EventLog.open(postgres_url) as log:
        secure(log.engine)
        secure(log.engine)
    capsys.readouterr()
    assert sabot("export", "--shoe", "H-2", *at) == 0
    capsys.readouterr()
    assert sabot("store", "accesses", "--format", "json", *at) == 0
    (noted,) = json.loads(capsys.readouterr().out)
    assert (noted["login"], noted["verb"], noted["what"]) == ("postgres", "export", "shoe/H-2")
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET ROLE sabot_recorder")
        connection.execute("INSERT INTO access_log (verb, what) VALUES ('export', 'x')")
        for refused in (
            "INSERT INTO access_log (verb, what, login) VALUES ('export', 'x', 'somebody')",
            "SELECT * FROM access_log",
            "DELETE FROM access_log",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(refused)
    assert sabot("store", "check", *at) == 0
