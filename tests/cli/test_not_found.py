"""A name that does not exist is told in the same words by every verb."""

from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = str(tmp_path / "a.sabot")
    with EventLog.open(path) as log:
        log.append([NewEvent("shoe/H-1", ev.ShoeLoaded(8, "", "0" * 64))])
    return path


@pytest.mark.parametrize(
    "verb",
    [
        ("export", "--shoe", "zzz"),
        ("log", "--shoe", "zzz"),
        ("audit", "zzz"),
        ("detect", "--shoe", "zzz"),
        ("commission", "--shoe", "zzz"),
    ],
    ids=lambda verb: verb[0],
)
def test_a_shoe(log: str, verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert guard(build(), [*verb, "--database", log]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == f"sabot: no shoe 'zzz' in the log; list them with: sabot shoes --database {log}"


@pytest.mark.parametrize("verb", ["log", "findings"])
def test_a_patron(log: str, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert guard(build(), [verb, "--patron", "zzz", "--database", log]) == 2
    assert "no patron 'zzz' in the log; list them with: sabot patrons" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (("zzz",), "no verb 'zzz'; choose one of tables, shoes, "),
        (("adit",), "no verb 'adit'; did you mean 'audit'? choose one of tables, shoes, "),
        (("store", "foo"), "no verb 'foo'; choose one of migrate, secure, "),
        (("report", "zzz"), "no report 'zzz'; choose one of shift-audit, "),
        (("schemas", "zzz"), "no schema 'zzz'; choose one of audit, "),
        (("packs", "clasic-8"), "did you mean 'classic-8'? (a pack of your own is the path "),
    ],
    ids=str,
)
def test_a_name_of_a_short_list(
    line: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert guard(build(), line) == 2
    assert says in capsys.readouterr().err
