"""--at, --since and --until take events and times in every verb that has them."""

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from tests.support.thorough import slow


def told(evening: str, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = guard(build(), [*arguments, "--database", evening])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


SHOE = "B1-20260314-1"


@slow
@pytest.mark.parametrize(
    "verb",
    [
        ("audit", "B1-20260314-2", "--since"),
        ("findings", "--shoe", "B1-20260314-2", "--since"),
        ("report", "shift-audit", "--table", "B1", "--format", "json", "--since"),
    ],
    ids=lambda verb: verb[0],
)
def test_since_an_event_is_since_its_time(
    evening: str, verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    _, by_number, _ = told(evening, capsys, *verb, "9000")
    _, by_sign, _ = told(evening, capsys, *verb, "#9000")
    _, by_time, _ = told(evening, capsys, *verb, "2026-03-14T22:11:57.512081Z")
    _, whole, _ = told(evening, capsys, *verb, "1")
    assert by_number == by_sign == by_time
    assert len(by_number) < len(whole)


@pytest.mark.parametrize(
    "verb",
    [
        ("audit", "--since"),
        ("audit", "--until"),
        ("detect", "--since"),
        ("show", SHOE, "--at"),
        ("replay", SHOE, "--plain", "--at"),
        ("odds", "--shoe", SHOE, "--at"),
    ],
    ids=" ".join,
)
def test_an_event_beyond_the_log_is_refused(
    evening: str, verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = told(evening, capsys, *verb, "99999")
    assert (code, out) == (2, "")
    assert "99999" in err


def test_odds_take_a_time_of_day_of_the_shoe(
    evening: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = told(evening, capsys, "odds", "--shoe", SHOE, "--at", "20:15")
    assert code == 0
    assert out == told(evening, capsys, "odds", "--shoe", SHOE, "--at", "2026-03-14T20:15Z")[1]


@pytest.mark.parametrize("name", [SHOE, "B1"])
def test_show_refuses_a_time_before_the_first_event(
    evening: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = told(evening, capsys, "show", name, "--at", "2020-01-01")
    assert (code, out) == (2, "")
    assert f"{name!r} has no event up to 2020-01-01T00:00:00Z; list events with: sabot log" in err


@pytest.mark.parametrize(
    "verb",
    [
        ("audit", "B1-20260314-2", "--since"),
        ("audit", "B1-20260314-2", "--until"),
        ("findings", "--shoe", "B1-20260314-2", "--since"),
        ("report", "shift-audit", "--table", "B1", "--format", "json", "--until"),
        ("detect", "--shoe", "B1-20260314-2", "--since"),
        ("detect", "--shoe", "B1-20260314-2", "--until"),
        ("log", "--shoe", "B1-20260314-2", "--since"),
        ("log", "--shoe", "B1-20260314-2", "--until"),
    ],
    ids=" ".join,
)
def test_a_time_of_day_is_its_last_occurrence_in_every_verb(
    evening: str, verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    by_clock = told(evening, capsys, *verb, "21:15")
    assert by_clock == told(evening, capsys, *verb, "2026-03-14T21:15Z")
    assert by_clock[0] != 2


def test_the_scope_of_an_audit_names_its_last_event(
    evening: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, err = told(evening, capsys, "audit", "--since", "149", "--until", "#3000")
    assert "scope: from 2026-03-14T19:44:52Z and up to event #3000\n" in err


def test_a_proof_and_an_isolation_take_events_as_other_verbs_write_them(
    evening: str, capsys: pytest.CaptureFixture[str]
) -> None:
    by_sign = told(evening, capsys, "evidence", "prove", "--event", "#149")
    assert by_sign == told(evening, capsys, "evidence", "prove", "--event", "149")
    assert by_sign[0] == 0
    isolate = ("store", "isolate", "--by", "ann", "--note", "why")
    code, _, err = told(evening, capsys, *isolate, "#99999")
    assert (code, "99999" in err) == (2, True)
    for verb in (isolate, ("evidence", "prove", "--event")):
        for wrong in ("x", "0", "21:15"):
            assert told(evening, capsys, *verb, wrong) == (
                2,
                "",
                f"sabot: {wrong!r} is not an event; write an event as 123 or #123, from #1 on\n",
            )


@pytest.mark.parametrize(
    "verb",
    [("audit",), ("findings",), ("log",), ("detect",), ("report", "shift-audit")],
    ids=lambda verb: verb[0],
)
@pytest.mark.parametrize(
    ("since", "until"),
    [("5000", "4000"), ("21:15", "#5000"), ("#5000", "20:00")],
    ids=["two events", "a time and an event", "an event and a time"],
)
def test_a_range_that_ends_before_it_begins_is_refused(
    evening: str,
    verb: tuple[str, ...],
    since: str,
    until: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Event 5000 happened at 21:09:48."""
    code, out, err = told(evening, capsys, *verb, "--since", since, "--until", until)
    assert (code, out) == (2, "")
    assert f"--since {since} is later than --until {until}; give the earlier first" in err
