"""``sabot replay`` on the command line: text, pictures and errors."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain.events import Seat
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.support.coup_notation import Felt
from tests.support.faulty_log import WRONG_PAYOUT
from tests.support.thorough import slow

START = "2026-01-01T20:00:"


def evening() -> Felt:
    """Two coups. In the second a bet on Player is overpaid."""
    felt = Felt("classic-8", table="T1", seats=(Seat(1, "p1"),)).ready("2c")
    felt.coup("p1 banker 2500 | P 2h 3h 4h  B 2d 3d Kd")
    return felt.coup("p1 player 2500 | P 9h Ts  B Kd 7c | P 9-7 | 1 pay 3000")


@pytest.fixture
def database(sqlite_url: str) -> str:
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("shoe/H-1", e.payload, e.at_us, "ann", "d", n)
                    for n, e in enumerate(evening().events, 1)])  # fmt: skip
    return sqlite_url


@pytest.fixture
def replay(database, capsys):
    def run(*arguments: str) -> tuple[int, str, str]:
        code = guard(build(), ["replay", *arguments, "--database", database])
        out, err = capsys.readouterr()
        notes = [line for line in err.splitlines(keepends=True) if "were checked" in line]
        return code, out, err.replace("".join(notes), "")

    return run


# -- Text --------------------------------------------------------------------------------------

# Loaded, shuffled, cut, the cut card, a two burned and two more: seven events come before.
FIRST_COUP = f"""
== shoe H-1 · coup 1 of 2 · events #8 to #20 · {START}08Z
   #8 20:00:08Z coup 1 opened
   #9 20:00:09Z p1 bets 25.00 EUR on Banker (bet 1)
   #10 20:00:10Z no more bets
   #11 20:00:11Z 2♥ to Player, card 4 of the shoe
   #12 20:00:12Z 2♦ to Banker, card 5 of the shoe
   #13 20:00:13Z 3♥ to Player, card 6 of the shoe
   #14 20:00:14Z 3♦ to Banker, card 7 of the shoe
   #15 20:00:15Z called: Player 5, Banker 5
   #16 20:00:16Z 4♥ to Player, card 8 of the shoe
     Player 5 draws: Player draws on 0 to 5
   #17 20:00:17Z K♦ to Banker, card 9 of the shoe
     Banker 5 draws against a third card 4: it draws against 4 to 7
   #18 20:00:18Z called: Player wins, Player 9, Banker 5
     Player 2♥ 3♥ 4♥ = 2 + 3 + 4 = 9
     Banker 2♦ 3♦ K♦ = 2 + 3 + 0 = 5
   #19 20:00:19Z bet 1 taken: 25.00 EUR
   #20 20:00:20Z coup 1 closed
PLAYER  9   2♥  3♥  4♥
BANKER  5   2♦  3♦  K♦
 PLAYER WINS 9 to 5
"""


def test_in_a_pipe_a_coup_is_a_block(replay):
    code, out, err = replay("H-1", "--coup", "1")
    assert (code, err) == (0, "")
    expected = FIRST_COUP.strip("\n").splitlines()
    lines = out.splitlines()
    assert lines[: len(expected)] == expected
    assert lines[len(expected)].split() == ["patron", "wager", "stake", "due", "done"]
    assert lines[len(expected) + 1].split() == [
        *("1", "p1", "Banker", "25.00"), *("take", "25.00"), *("taken", "25.00"), "✓",
    ]  # fmt: skip
    assert len(lines) == len(expected) + 2


def test_the_whole_shoe_is_its_blocks_in_turn(replay):
    _, whole, _ = replay("H-1")
    titles = [line for line in whole.splitlines() if line.startswith("==")]
    assert [re.search(r"· (.*?) · events", title)[1] for title in titles] == [
        "before the first coup",
        "coup 1 of 2",
        "coup 2 of 2",
    ]
    _, one, _ = replay("H-1", "--coup", "2")
    assert whole.endswith("\n" + one)
    assert WRONG_PAYOUT in one
    numbers = [int(n) for n in re.findall(r"^[ ▲]{3}#(\d+) ", whole, re.MULTILINE)]
    assert numbers == list(range(1, len(evening().events) + 1))


def test_a_finding_as_text(replay):
    code, out, _ = replay("H-1", "--to-finding")
    assert code == 0
    for said in (
        "bet 1 paid 30.00",
        "PLAYER  9  natural  9♥  10♠",
        "Player pays 1 to 1",
        WRONG_PAYOUT,
        "required pay 25.00 EUR (Player pays 1 to 1)",
        "-- roads --",
    ):
        assert said in out, said
    assert "coup 2 closed" not in out


def test_a_moment_as_text(replay):
    by_number = replay("H-1", "--at", "#3")
    by_time = replay("H-1", "--at", f"{START}03Z")
    by_day = replay("H-1", "--at", "20:00:03")
    assert by_number == by_time == by_day
    assert "cut by p1" in by_number[1]


def test_times_are_those_of_the_zone(replay):
    """20:00:03 in UTC is 21:00:03 in Paris in January."""
    paris = replay("H-1", "--at", "21:00:03", "--zone", "Europe/Paris")
    by_date = replay("H-1", "--at", "2026-01-01T21:00:03", "--zone", "Europe/Paris")
    assert paris == by_date
    assert "2026-01-01T21:00:03+01:00" in paris[1]
    assert "2026-01-01T20:00:03Z" in replay("H-1", "--at", "20:00:03")[1]
    assert f"{START[:11]}21:00:08+01:00\n" in replay("H-1", "--plain", "--zone", "Europe/Paris")[1]
    assert replay("H-1", "--zone", "Nowhere")[0] == 2


def test_from_a_place_on_there_may_be_no_finding(replay):
    last = str(len(evening().events))
    code, out, err = replay("H-1", "--at", last, "--to-finding")
    assert (code, out, err) == (0, "", "shoe H-1 has no findings from there on\n")


def test_the_same_shoe_gives_the_same_text(replay):
    assert replay("H-1") == replay("H-1", "--plain")


# -- Refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["H-2"], "no shoe 'H-2'"),
        (["H-1", "--coup", "3"], "no coup 3; it has 1 to 2"),
        (["H-1", "--coup", "0"], "--coup"),
        (["H-1", "--at", "noon"], "as 21:15, or a time as"),
        (["H-1", "--at", "2020-01-01"], "nothing as early as 2020-01-01T00:00:00Z"),
        (["H-1", "--at", "3", "--coup", "1"], "cannot be combined"),
        (["H-1", "--speed", "65"], "--speed"),
        (["H-1", "--svg", "x.svg", "--size", "wide"], "write for example 120x40"),
        (["H-1", "--svg", "x.svg", "--size", "10x2"], "write for example 120x40"),
        (["H-1", "--svg", "/no/such/folder/x.svg"], "cannot write"),
    ],
)
def test_what_cannot_be_shown_is_bad_input(replay, arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = replay(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert not list(tmp_path.glob("*.svg"))


def test_a_mistyped_log_is_not_made(tmp_path, capsys):
    mistyped = tmp_path / "nowhere.db"
    assert guard(build(), ["replay", "H-1", "--database", str(mistyped)]) == 2
    assert "nowhere.db" in capsys.readouterr().err
    assert not mistyped.exists()


# -- Pictures ----------------------------------------------------------------------------------


def drawn(replay, path: Path, *arguments: str) -> str:
    assert replay("H-1", "--to-finding", "--svg", str(path), *arguments) == (
        *(0, ""),
        f"sabot: wrote {path}\n",
    )
    return path.read_text(encoding="utf-8")


def words_of(svg: str) -> str:
    root = ET.fromstring(svg)
    lines: dict[float, list[tuple[float, str]]] = {}
    for element in root.iter("{http://www.w3.org/2000/svg}text"):
        if element.get("y") is not None and element.get("textLength"):
            place = float(element.get("y")), float(element.get("x"))
            lines.setdefault(place[0], []).append((place[1], element.text or ""))
    return "\n".join(
        "".join(text for _x, text in sorted(row)) for _y, row in sorted(lines.items())
    ).replace("\u00a0", " ")


@slow
def test_a_picture_shows_the_screen_at_that_moment(replay, tmp_path):
    words = words_of(drawn(replay, tmp_path / "a.svg"))
    for said in (WRONG_PAYOUT, "PLAYER", "bet 1 paid 30.00", "big road", "coup 2"):
        assert said in words, said


def test_a_picture_needs_nothing_from_anywhere_else(replay, tmp_path):
    svg = drawn(replay, tmp_path / "a.svg")
    assert set(re.findall(r"https?://[^\"'\s]+", svg)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@font-face|@import|url\((?!#)|<image|<script|<foreignObject|href", svg)
    assert "monospace" in svg
    assert len(svg.encode()) < 100_000


@slow
def test_the_same_moment_gives_the_same_picture(replay, tmp_path, monkeypatch):
    first = drawn(replay, tmp_path / "a.svg")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "33")
    assert drawn(replay, tmp_path / "b.svg") == first
    assert "#ff7b72" in first


@slow
def test_a_picture_has_the_size_that_was_asked_for(replay, tmp_path):
    def size(svg):
        return tuple(map(float, ET.fromstring(svg).get("viewBox").split()[2:]))

    wide = size(drawn(replay, tmp_path / "a.svg", "--size", "120x40"))
    small = size(drawn(replay, tmp_path / "b.svg", "--size", "80x24"))
    # a cell is 12.2 by 24.4
    assert wide[0] - small[0] == pytest.approx(40 * 12.2, abs=1)
    assert wide[1] - small[1] == pytest.approx(16 * 24.4, abs=1)


def test_the_picture_in_the_docs_is_one_of_these():
    svg = (Path(__file__).parents[3] / "docs" / "replay.svg").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\"'\s]+", svg)) == {"http://www.w3.org/2000/svg"}
    assert len(svg.encode()) < 100_000
    words = words_of(svg)
    for said in (
        "PLAYER",
        "BANKER",
        WRONG_PAYOUT,
        "required",
        "big road",
        "✗",
        "event 942 of 2066",
    ):
        assert said in words, said
