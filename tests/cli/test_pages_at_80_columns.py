"""Every text page fits a terminal of 80 columns, and breaks no name or code."""

import os
import re
import sys

import pytest
from rich.cells import cell_len

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.cli.text import pages
from sabot.cli.text.pages import page_width, terminal_width, wrapped
from sabot.domain import events as ev
from sabot.domain.audit import RULES, find_rule
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.support.coup_notation import Felt
from tests.support.looked_once import look_once
from tests.support.thorough import a_part, each_once

PAGES = (
    ("detect", "--shoe", "P7-20260314-1", "--patron", "p-3301", "--format", "table"),
    ("explain", "B1-20260314-1", "5"),
    ("explain", "P7-20260314-3", "30"),
    ("replay", "B1-20260314-1", "--plain"),
    ("replay", "B1-20260314-1", "--plain", "--to-finding"),
    ("replay", "P7-20260314-3", "--plain", "--coup", "30"),
    ("show", "P7-20260314-1", "--coup", "3"),
)


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The lines of a page, without the blanks and the colours at their ends."""
    capsys.readouterr()
    assert guard(build(), arguments) < 2
    out = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    return [line.rstrip() for line in out.split("\n")]


def too_wide(lines: list[str], width: int = 80) -> list[str]:
    """The lines that do not fit. An address cannot be broken, so it may stand alone on one."""
    wide = [line for line in lines if cell_len(line) > width]
    return [line for line in wide if not re.fullmatch(r" *https?://\S+", line)]


@each_once
@pytest.mark.parametrize("page", PAGES, ids=" ".join)
@pytest.mark.parametrize("columns", ["80", None])
def test_a_page_fits(page, columns, evening, monkeypatch, capsys):
    """In a pipe without COLUMNS it has 80 columns too."""
    look_once(monkeypatch)
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    lines = shown(capsys, *page)
    assert len(lines) > 10
    assert too_wide(lines) == []


def test_every_rule_in_full_fits_and_its_codes_are_whole(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    app = build()
    for rule in a_part(RULES, of=5):
        assert guard(app, ["rules", rule.code, "--format", "table"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert too_wide(lines) == []
        words = set(re.split(r"[\s,;:]+", "\n".join(lines)))
        codes = (rule.code, *rule.follows_from, *rule.also, *filter(None, [rule.former_code]))
        assert {*codes} - {"*"} <= words


def test_a_rule_states_in_words_what_it_reads(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    late_bet, late_change = find_rule("B201").code, find_rule("B203").code
    said = shown(capsys, "rules", late_change, "--format", "table")
    assert said[4:16] == [
        "  group         bets",
        "  severity      high: a breach harms the integrity of the game",
        "                a note, the lowest severity, if the table noted it, ruled on it",
        "                and put it right",
        "  games         all",
        "  checked       each change of a bet of each coup, voided or not",
        "  needs         bets, order of events; if the record lacks them, the rule is not",
        "                applied or reports what is missing",
        "  evidence      bet-changed, bet-withdrawn: the events that a finding lists",
        "  also reads    no-more-bets, card-drawn: for the order of events",
        f"  explained by  a finding of {late_bet} that lists the same event",
        "  former code   bet-was-changed-late",
    ]
    of_many = " ".join(" ".join(shown(capsys, "rules", "K503", "--format", "table")).split())
    assert f"a finding of {late_bet}, {late_change} or any other rule that lists" in of_many


def test_a_step_of_an_example_goes_on_further_to_the_right(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    said = shown(capsys, "rules", "B203", "--format", "table")
    step = said.index('    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player",')
    assert said[step + 1 : step + 3] == ['      "amount": 500}', '    no-more-bets {"coup": 1}']
    assert "  how the example is written: each step begins a line; its further lines are" in said


# -- Names --------------------------------------------------------------------------------------

LONG = "member-of-the-club-p-1031"


def test_in_a_replay_the_name_of_a_patron_is_whole(sqlite_url, monkeypatch, capsys):
    """What is due and what was done take a second line instead."""
    felt = Felt("classic-8", table="T1", seats=(ev.Seat(1, LONG),)).ready("2c")
    felt.coup(f"{LONG} banker 2500 | P 2h 3h  B 4d 5d")
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("shoe/H-1", e.payload, e.at_us, "ann", "d") for e in felt.events])
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("SABOT_DATABASE_URL", sqlite_url)
    lines = shown(capsys, "replay", "H-1", "--plain", "--coup", "1")
    assert too_wide(lines) == []
    assert lines[-4:-1] == [
        f"  patron{' ' * 22}wager  stake due{' ' * 15}done",
        f"  1 {LONG} Banker 25.00 pay 25.00 less    paid 25.00 less   ✓",
        f"{' ' * 43}1.25, net 23.75   1.25",
    ]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("", [""]),
        ("  as it is  ", ["  as it is"]),
        ("one two three four", ["one two three", "  four"]),
        ("    one two three", ["    one two", "      three"]),
        (("one two three four", 0), ["one two three", "four"]),
        (("* one two three", 5), ["* one two", "     three"]),
        ("see such-a-very-long-name now", ["see", "  such-a-very-long-name", "  now"]),
        ("A♥  K♦    2♠  10♣", ["A♥  K♦    2♠", "  10♣"]),
        ("澳門新葡京 娛樂場", ["澳門新葡京", "  娛樂場"]),
        ("bell \x07 and more", ["bell \\x07 and", "  more"]),
    ],
)
def test_a_line_breaks_between_words(line, parts):
    """A wide character takes two columns."""
    assert wrapped(line, 14) == parts


# -- The width ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "terminal", "wide", "page"),
    [
        ("72", 120, 72, 72),
        ("", 120, 120, 100),
        ("0", 90, 90, 90),
        (None, 0, 80, 80),
        (None, None, 80, 80),
        ("200", None, 200, 100),
    ],
)
def test_the_width_is_that_of_the_terminal(columns, terminal, wide, page, monkeypatch):
    """A page is at most 100 columns wide, since longer lines are hard to read."""

    def size(_number: int) -> os.terminal_size:
        if terminal is None:
            raise OSError
        return os.terminal_size((terminal, 24))

    monkeypatch.setattr(pages.os, "get_terminal_size", size)
    monkeypatch.setattr(sys.stdout, "fileno", lambda: 1, raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert (terminal_width(sys.stdout), page_width(sys.stdout)) == (wide, page)
