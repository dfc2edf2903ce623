"""An audit of a shift, day, table or dealer gives a part of all findings.

The night of 24 October 2026 in Paris runs over midnight, and over the hour that occurs twice. The
shoe H-1 at T1 has its breaches then. H-2 has the same breaches at T2 a day later.
"""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.casino_settings import casino_settings
from sabot.infrastructure.log.event_log import EventLog
from tests.support.coup_notation import Felt
from tests.support.faulty_log import CREW, FOUND, faulty_shoe, sabot
from tests.support.thorough import one_store

pytestmark = one_store

PARIS = ZoneInfo("Europe/Paris")
CONFIG = """
casino = "Casino de Ville"
zone = "Europe/Paris"
gaming_day_starts = "06:00"
[shifts]
day = "06:00-14:00"
swing = "14:00-00:30"
night = "00:30-06:00"
"""
STEP_US = 5 * 60_000_000


@pytest.fixture(autouse=True)
def casino(tmp_path, monkeypatch):
    path = tmp_path / "casino.toml"
    path.write_text(CONFIG)
    monkeypatch.setenv("SABOT_CONFIG", str(path))
    return path


def at_table_2(name: str) -> Felt:
    return Felt(stream=f"shoe/{name}", crew=CREW, table="T2").ready()


def happened(log: EventLog, events, local: str) -> None:
    """Record events five minutes apart, the first at a local time."""
    begins = datetime.fromisoformat(local).replace(tzinfo=PARIS)
    us = (begins - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    log.append(
        [
            NewEvent(event.stream, event.payload, us + number * STEP_US, "ann")
            for number, event in enumerate(events)
        ]
    )


@pytest.fixture
def url(database_url: str) -> str:
    felt = at_table_2("H-2")
    felt.coup("p1 player 1000, p2 banker 200 | P 2 4 3  B K 7")
    with EventLog.open(database_url) as log:
        happened(log, faulty_shoe("H-1"), "2026-10-24T23:00")
        happened(log, felt.events, "2026-10-25T23:00")
    return database_url


def audited(capsys, url: str, *words: str) -> dict:
    capsys.readouterr()
    assert sabot("audit", "--format", "json", "--database", url, *words) in {0, 1}
    return json.loads(capsys.readouterr().out)


def names(document: dict) -> set[tuple[str, str]]:
    return {(each["shoe"], each["code"]) for each in document["findings"]}


def test_the_shifts_of_a_night_over_midnight_and_the_change_of_the_clocks(capsys, url):
    every = audited(capsys, url)
    assert {code for shoe, code in names(every) if shoe == "H-1"} == {code for code, _ in FOUND}
    # by the clock on the wall: which findings come before half past midnight, which after
    walls = {
        (each["shoe"], each["code"]): datetime.fromtimestamp(each["at_us"] / 1e6, PARIS)
        for each in every["findings"]
    }
    of_day = {name for name, wall in walls.items() if wall.isoformat() < "2026-10-25T06:00"}
    swing = {name for name in of_day if walls[name].isoformat() < "2026-10-25T00:30"}
    assert swing
    assert of_day - swing
    assert {wall.utcoffset() for wall in walls.values()} == {timedelta(hours=1), timedelta(hours=2)}
    day = ("--gaming-day", "2026-10-24")
    assert names(audited(capsys, url, *day)) == of_day
    assert names(audited(capsys, url, *day, "--shift", "swing")) == swing
    found = audited(capsys, url, *day, "--shift", "night")
    assert names(found) == of_day - swing
    assert (found["scope"]["since"], found["scope"]["before"]) == (
        "2026-10-24T22:30:00Z", "2026-10-25T05:00:00Z",
    )  # fmt: skip
    assert found["shoes"] == 1
    # the two shifts share the coups of the shoe; the third has none of it
    coups = [audited(capsys, url, *day, "--shift", shift)["coups"] for shift in ("swing", "night")]
    assert sum(coups) == 4
    assert sabot("audit", *day, "--shift", "day", "--database", url) == 2
    assert "nothing to audit" in capsys.readouterr().err
    typed = ("--since", "2026-10-25T00:30", "--until", "2026-10-25T06:00")
    assert audited(capsys, url, *typed)["findings"] == found["findings"]


def test_a_table_and_a_dealer(capsys, url):
    assert {shoe for shoe, _ in names(audited(capsys, url, "--table", "T2"))} == {"H-2"}
    both = audited(capsys, url, "--table", "T1", "--table", "T2")
    assert names(both) == names(audited(capsys, url))
    bob = audited(capsys, url, "--dealer", "bob")
    assert {each["dealer"] for each in bob["findings"]} == {"bob"}
    capsys.readouterr()
    assert sabot("findings", "--dealer", "bob", "--table", "T2", "--database", url) == 0
    assert "scope: table T2, dealer bob" in capsys.readouterr().err


def test_a_resolved_finding_elsewhere_is_not_counted(capsys, url):
    mark = next(each["fingerprint"] for each in audited(capsys, url, "--table", "T2")["findings"])
    said = ("--by", "olga", "--note", "trained", "--database", url)
    assert sabot("findings", "resolve", mark, "--as", "confirmed", *said) == 0
    for table, resolved in (("T1", 0), ("T2", 1)):
        assert audited(capsys, url, "--table", table)["resolved"] == resolved
    assert sabot("audit", "--table", "T2", "--database", url) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--table", "T3"), "no table 'T3' in the log"),
        (("--shift", "night"), "--shift needs its day"),
        (("--gaming-day", "2026-10-24", "--shift", "nigth"), "did you mean 'night'?"),
        (("--gaming-day", "24/10/2026"), "is not a date"),
        (("--since", "soon"), "neither an event nor a time"),
        (("--since", "2026-10-25", "--until", "2026-10-24"), "is later than --until"),
        (("--table", "T1", "--record", "--by", "olga"), "audit the whole log"),
        (("--dealer", "bobb"), "no dealer 'bobb' in the log; did you mean 'bob'?"),
    ],
)
def test_a_scope_that_cannot_be(capsys, sqlite_url, words, told):
    with EventLog.open(sqlite_url) as log:
        happened(log, faulty_shoe("H-1"), "2026-10-24T23:00")
    assert sabot("audit", *words, "--database", sqlite_url) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('zone = "Paris/Europe"', "zone 'Paris/Europe' is unknown"),
        ("gaming_day = 6", "the key 'gaming_day' is unknown"),
        ("gaming_day_starts = 6", "gaming_day_starts: expected a text, got a whole number"),
        ('[shifts]\nnight = "22:00"', "write for example 22:00-06:00"),
        ('[shifts]\na = "06:00-14:00"\nb = "13:00-22:00"', "begins before"),
        ("zone = ", "is not TOML"),
    ],
)
def test_settings_that_cannot_be(capsys, sqlite_url, casino, text, told):
    casino.write_text(text)
    with EventLog.open(sqlite_url):
        pass
    assert sabot("audit", "--gaming-day", "2026-10-24", "--database", sqlite_url) == 2
    said = capsys.readouterr().err
    assert told in said
    assert str(casino) in said


def test_the_settings_give_the_zone_and_the_name(monkeypatch, capsys, sqlite_url):
    assert (casino_settings().casino, casino_settings().zone) == ("Casino de Ville", "Europe/Paris")
    with EventLog.open(sqlite_url) as log:
        happened(log, faulty_shoe("H-1"), "2026-10-24T23:00")
    for words, zone in (((), "+02:00"), (("--zone", "UTC"), "Z")):
        day = ("--gaming-day", "2026-10-24", *words)
        assert sabot("audit", *day, "--database", sqlite_url) == 1
        assert f"2026-10-24T06:00:00{zone}" in capsys.readouterr().err
    monkeypatch.delenv("SABOT_CONFIG")
    assert casino_settings().days(UTC).shifts == ()
