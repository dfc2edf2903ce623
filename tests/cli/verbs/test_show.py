"""``sabot show``: the table at any moment, as text and JSON, on both stores."""

import json

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.support.coup_notation import START_US, Felt
from tests.support.for_each import for_each
from tests.support.thorough import one_store

pytestmark = one_store

MINUTE = 60_000_000


@pytest.fixture
def pit(database_url):
    """Table T1 with two shoes an hour apart, and a shoe H-9 that names no table."""
    evening = [
        NewEvent("table/T1", ev.TableOpened(1_000_000, "punto-banco", "EUR"), START_US - MINUTE),
        NewEvent("table/T1", ev.CrewChanged("supervisor", "sue"), START_US - MINUTE),
    ]
    for number, at in (("A", 0), ("B", 60)):
        felt = Felt(table="T1", seats=(ev.Seat(3, "p1"),), limits=(ev.Limit(2500, 90_000),))
        felt.ready("7d").coup("p1 banker 10000 | P 4h Ts  B Kd 9c").coup("P 9 K  B 9 Q")
        evening += [
            NewEvent(f"shoe/{number}", payload, START_US + at * MINUTE + n * 1_000_000)
            for n, payload in enumerate(felt.payloads)
        ]
    evening.append(NewEvent("table/T1", ev.TableClosed(1_000_000), START_US + 120 * MINUTE))
    evening.append(NewEvent("table/T1", ev.DropCounted(50_000), START_US + 130 * MINUTE))
    evening += [NewEvent("shoe/H-9", payload) for payload in Felt().ready("As").payloads]
    with EventLog.open(database_url) as log:
        log.append(evening)
    return database_url


@pytest.fixture
def show(pit, capsys):
    def run(*arguments):
        code = guard(build(), ["show", *arguments, "--database", pit])
        said = capsys.readouterr()
        notes = [line for line in said.err.splitlines(keepends=True) if "were checked" in line]
        assert len(notes) == (code == 0)  # what was not checked
        rest = said.err.replace("".join(notes), "")
        return code, said.out, "" if rest.startswith("sabot: wrote ") else rest

    return run


def drawn(show, *arguments):
    code, out, err = show(*arguments)
    assert (code, err) == (0, "")
    return out


def document(show, *arguments):
    return json.loads(drawn(show, *arguments, "--format", "json"))


def test_by_itself_the_shoe_touched_last(show):
    assert "shoe H-9 · before the first coup" in drawn(show)


def test_a_shoe_by_its_name_and_a_table_by_its_own(show):
    for name in ("B", "shoe/B", "T1", "table/T1"):
        text = drawn(show, name)
        assert "table T1 · shoe B · coup 2, closed · between coups" in text
        assert "TIE 9 to 9" in text
        assert "win 500.00 EUR, hold 100.00 %" in text
        assert all(len(line) <= 80 for line in text.splitlines())


def test_a_coup_is_shown_with_the_table_at_its_end_and_as_corrected_since(pit, show):
    with EventLog.open(pit) as log:
        events = log.read("shoe/A")
        bet = next(event for event in events if isinstance(event.payload, ev.BetPlaced))
        end = next(event for event in events if event.payload == ev.CoupOpened(2)).index - 1
        instead = ev.BetPlaced(1, bet.payload.bet, "p1", "banker", 20_000)
        log.append([NewEvent("shoe/A", ev.EventCorrected(bet.version, "misread", "sue", instead))])
    shown = document(show, "A", "--coup", "1")
    at_its_end = document(show, "A", "--at", str(end))
    assert shown["felt"]["left"] == at_its_end["felt"]["left"] < document(show, "A")["felt"]["left"]
    assert shown["table"] == at_its_end["table"]
    assert shown["table"]["open"]
    assert not document(show, "A")["table"]["open"]
    text = drawn(show, "A", "--coup", "1")
    assert "200.00" in text
    assert document(show, "A", "--coup", "2") == document(show, "A")


def test_as_of_an_event_the_cards_are_those_that_lay_there(show):
    # two of the table's, four until the shoe is cut and eight burned; open, bet, no more bets
    opened = 2 + 4 + 8 + 1
    seen = []
    for index in range(opened + 2, opened + 7):
        felt = document(show, "A", "--at", f"#{index}")["felt"]
        assert felt["index"] == index
        hands = felt["coup"]["player"]["cards"], felt["coup"]["banker"]["cards"]
        seen.append([[card["card"] for card in hand] for hand in hands])
    assert seen == [
        [[], []],
        [["4h"], []],
        [["4h"], ["Kd"]],
        [["4h", "Ts"], ["Kd"]],
        [["4h", "Ts"], ["Kd", "9c"]],
    ]


@for_each(
    ("when", "shoe"),
    [
        ("2026-01-01T20:00:30Z", "A"),
        ("2026-01-01T20:59:59Z", "A"),
        ("2026-01-01T21:00:00Z", "B"),
        ("2026-01-01T22:00:00+01:00", "B"),
        ("2026-01-01T21:00:00", "B"),
        ("20:30", "A"),
        ("21:00:10", "B"),
    ],
)
def test_as_of_a_time_the_table_has_the_shoe_that_it_had_then(show, when, shoe):
    assert document(show, "T1", "--at", when)["felt"]["shoe"] == shoe


def test_before_its_first_event_a_table_has_nothing_to_show(show):
    """The first shoe begins at 20:00, so 19:30 is half an hour before it."""
    code, out, said = show("T1", "--at", "19:30")
    assert (code, out) == (2, "")
    assert "has no event up to 2026-01-01T19:30:00Z" in said


def test_a_time_of_day_after_the_last_event_shows_the_final_state(show):
    code, out, said = show("T1", "--at", "21:30", "--format", "json")
    assert code == 0
    assert json.loads(out)["felt"]["shoe"] == "B"
    assert "note: no event of any shoe after 2026-01-01T21:0" in said


def test_as_of_a_time_nothing_later_is_known(show):
    before = document(show, "T1", "--at", "2026-01-01T20:00:11Z")
    assert before["felt"]["phase"] in ("preparing", "between")
    assert before["felt"]["coup"] is None
    assert before["table"]["open"] is True
    assert before["table"]["session"]["missing"] == ["closing", "drop"]
    after = document(show, "T1", "--at", "2026-01-01T22:05:00Z")
    assert after["table"]["open"] is False
    assert after["table"]["session"]["missing"] == ["drop"]


def test_a_table_before_its_first_shoe_shows_its_tray_alone(show):
    text = drawn(show, "T1", "--at", "#1")
    assert "opening 10,000.00" in text
    assert "PLAYER" not in text
    assert document(show, "T1", "--at", "#1")["felt"] is None


def test_another_coup_of_the_shoe(show):
    assert "BANKER WINS 9 to 4" in drawn(show, "B", "--coup", "1")
    code, _out, err = show("B", "--coup", "7")
    assert code == 2
    assert "has no coup 7 there" in err


def test_a_row_for_a_spreadsheet(show):
    head, row = drawn(show, "A", "--coup", "1", "--format", "tsv").splitlines()
    assert dict(zip(head.split("\t"), row.split("\t"), strict=True)) == {
        "table": "T1", "shoe": "A", "event": row.split("\t")[2], "phase": "between", "coup": "1",
        "player": "4♥ 10♠", "banker": "K♦ 9♣", "called": "B", "bets": "1", "staked": "100.00",
        "currency": "EUR", "cards_out": "12",
    }  # fmt: skip


def test_a_picture_in_a_file(show, tmp_path):
    path = tmp_path / "felt.txt"
    assert drawn(show, "A", "-o", str(path)) == ""
    assert "TIE 9 to 9" in path.read_text()
    assert "\x1b" not in path.read_text()
    drawn(show, "A", "-o", str(tmp_path / "felt.json"))
    assert json.loads((tmp_path / "felt.json").read_text())["felt"]["shoe"] == "A"


@for_each(
    ("arguments", "said"),
    [
        (["nowhere"], "sabot tables"),
        (["table/B"], "sabot tables"),
        (["A", "--at", "#9999"], "the last event is #"),
        (["A", "--at", "yesterday"], "2026-01-01T20:00:00Z"),
        (["--at", "2020-01-01"], "no shoe was loaded at 2020-01-01T00:00:00Z"),
        (["A\x1b[2J"], "\\x1b[2J"),
    ],
)
def test_what_cannot_be_shown_is_told_with_the_next_step(show, arguments, said):
    code, out, err = show(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "\x1b" not in err


def test_a_name_that_both_have_must_be_said_in_full(show, pit):
    with EventLog.open(pit) as log:
        log.append([NewEvent("table/A", ev.TableOpened(5))])
    code, _out, err = show("A")
    assert code == 2
    assert "write shoe/A or table/A" in err
    assert "shoe A" in drawn(show, "shoe/A")
    assert "opening 0.05" in drawn(show, "table/A")


def test_a_mistyped_path_makes_no_log(tmp_path, capsys):
    assert guard(build(), ["show", "--database", str(tmp_path / "no.db")]) == 2
    assert "there is no log at" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
