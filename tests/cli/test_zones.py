"""Times that people read have their zone, and are in the zone of --zone."""

import re
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from tests.support.looked_once import look_once
from tests.support.thorough import slow

SHOE = "B1-20260314-1"
PARIS = ("--zone", "Europe/Paris")
IN_UTC = re.compile(r"\d\d:\d\d:\d\d(\.\d+)?Z")


@pytest.fixture(autouse=True)
def one_detection(monkeypatch: pytest.MonkeyPatch) -> None:
    look_once(monkeypatch)


def told(evening: str, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    guard(build(), [*arguments, "--database", evening])
    return capsys.readouterr().out


@slow
@pytest.mark.parametrize(
    "verb",
    [
        ("audit", "--format", "html"),
        ("detect", "--shoe", "P7-20260314-1", "--format", "html"),
        ("cards", "--wide", "--format", "table"),
    ],
    ids=" ".join,
)
def test_no_time_stays_in_utc(
    evening: str, verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert IN_UTC.search(told(evening, capsys, *verb))
    out = told(evening, capsys, *verb, *PARIS)
    assert "+01:00" in out
    assert not IN_UTC.search(out)


@pytest.mark.parametrize("moment", [("--coup", "5"), ("--at", "#149")], ids=str)
def test_the_replay_as_text_has_zones(
    evening: str, moment: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    out = told(evening, capsys, "replay", SHOE, "--plain", *moment)
    assert "#149 19:44:52Z " in out
    assert not re.search(r"\d\d:\d\d:\d\d(?!\.|Z|\+)", out)


def test_a_refused_time_is_named_in_the_zone(
    evening: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for verb in (("show", SHOE), ("replay", SHOE, "--plain")):
        guard(build(), [*verb, "--at", "2026-03-14T20:00", *PARIS, "--database", evening])
        assert "2026-03-14T20:00:00+01:00" in capsys.readouterr().err


def test_the_page_of_an_audit_names_the_command_that_writes_it_again(
    evening: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = told(evening, capsys, "audit", SHOE, "--format", "html", "--all")
    assert f"audit --database {evening} {SHOE} --until 12257 --format html --all</code>" in page
    there = told(evening, capsys, "audit", "--format", "html", *PARIS)
    assert "--until 12257 --format html --zone Europe/Paris</code>" in there
