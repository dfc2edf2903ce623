"""``sabot log``: selected events, printed and followed, on both stores."""

import json
import os
import subprocess
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.points_in_time import Index, Time
from sabot.domain.rules.rule_pack import parse_pack
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.filters import EventFilter, Selector
from sabot.infrastructure.log.reader import LogReader
from sabot.infrastructure.projections.projector import Projector
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import START_US, Felt
from tests.support.for_each import for_each
from tests.support.programs import SABOT, Program
from tests.support.thorough import one_store

pytestmark = one_store

MACAU = parse_pack(pack_text("macau"))
SHOE = Felt(table="T1", seats=(ev.Seat(3, "p1"),)).ready("Ac")
SHOE.coup("p1 banker 10000, p2 tie 500 | P 4h Ts  B Kd 9c")
SHOE.coup("p2 tie 700 | P 9 K  B 9 Q")
SHOE.put(ev.EventCorrected(SHOE.events[-1].version - 1, "p2 was paid more", "sue"))

# Event 1: the table opens. 2 to 7: the shoe is loaded, shuffled, cut, the cut card placed, two
# cards burned. 8 to 21: the first coup, its cards from 12 on. 22 to 32: the second. 33: the
# correction of 31, which is the shoe's 30th. Then another shoe at another table.
DRAFTS = [
    NewEvent("table/T1", ev.TableOpened(5), START_US),
    *[
        NewEvent("shoe/A", payload, START_US + n * 1_000_000, "ann", "cam-1", n)
        for n, payload in enumerate(SHOE.payloads, 1)
    ],
    NewEvent("shoe/B", Felt("macau", table="T2").payloads[0]),
    NewEvent("shoe/B", ev.CommissionCollected("p1", 100)),
]


@pytest.fixture
def pit(database_url):
    with EventLog.open(database_url, clock=lambda: START_US + 10**9) as log:
        log.append(DRAFTS)
    return database_url


@pytest.fixture
def told(pit, capsys):
    """Run the verb and return its records."""

    def run(*arguments):
        code = guard(build(), ["log", *arguments, "--database", pit, "--format", "jsonl"])
        said = capsys.readouterr()
        assert (code, "no event" in said.err) == (0, not said.out)
        return [json.loads(line) for line in said.out.splitlines()]

    return run


def whats(records):
    return [record["what"] for record in records]


def test_line_n_is_event_n_with_both_clocks(told):
    records = told()
    assert [record["index"] for record in records] == list(range(1, len(DRAFTS) + 1))
    assert records[0]["at"] == "2026-01-01T20:00:00Z"
    assert records[0]["recorded"] == "2026-01-01T20:16:40Z"
    assert records[-1]["at"] is None
    assert records[1]["actor"] == "ann"
    assert (records[1]["device"], records[1]["seq"]) == ("cam-1", 1)
    assert records[-1]["fact"] == {"type": "commission-collected", "patron": "p1", "amount": 100}


@for_each(
    ("arguments", "expected"),
    [
        (["--name", "bet-placed"], [
            "p1 bets 100.00 EUR on Banker (bet 1)", "p2 bets 5.00 EUR on Tie (bet 2)",
            "p2 bets 7.00 EUR on Tie (bet 1)",
        ]),
        (["--name", "bet-placed", "--name", "coup-closed", "--coup", "2"], [
            "p2 bets 7.00 EUR on Tie (bet 1)", "coup 2 closed",
        ]),
        (["--patron", "p2"], [
            "p2 bets 5.00 EUR on Tie (bet 2)", "bet 2 taken: 5.00 EUR",
            "p2 bets 7.00 EUR on Tie (bet 1)", "bet 1 paid 56.00 EUR",
        ]),
        (["--patron", "p1", "--shoe", "A"], [
            "8 decks loaded at T1 under classic-8 version 2", "cut by p1, 100 from the front",
            "p1 bets 100.00 EUR on Banker (bet 1)", "bet 1 paid 100.00 EUR",
            "commission 5.00 EUR collected from p1 on bet 1",
        ]),
        (["--patron", "sue"], [
            "correction of event 30 of its stream by sue (p2 was paid more): it did not happen",
        ]),
        (["--stream", "table/T1"], ["table opened with 0.05"]),
        (["--table", "T2"], [
            f"12 decks loaded at T2 under macau version {MACAU.version}",
            "commission 1.00 HKD collected from p1",
        ]),
        (["--table", "T1", "-n", "2"], [
            "coup 2 closed",
            "correction of event 30 of its stream by sue (p2 was paid more): it did not happen",
        ]),
        (["--shoe", "A", "--until", "#3"], [
            "8 decks loaded at T1 under classic-8 version 2", "shuffled by dealer",
        ]),
        (["--since", "#4", "--until", "2026-01-01T20:00:04Z"], [
            "cut by p1, 100 from the front", "cut card placed, 7 cards behind it",
        ]),
        (["--since", "2026-01-01T20:00:28.000001", "--shoe", "A", "--name", "bet-paid"], [
            "bet 1 paid 56.00 EUR",
        ]),
        (["--patron", "p1", "--since", "18"], [
            "bet 1 paid 100.00 EUR", "commission 5.00 EUR collected from p1 on bet 1",
            "commission 1.00 HKD collected from p1",
        ]),
        (["--patron", "p1", "--coup", "999"], []),
    ],
)  # fmt: skip
def test_each_filter_narrows(told, arguments, expected):
    assert whats(told(*arguments)) == expected


def test_a_table_for_people(pit, capsys):
    assert (
        guard(build(), ["log", "--database", pit, "--format", "table", "--name", "card-drawn"]) == 0
    )
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if "10♠" in line]
    assert lines == [
        ["#14", "2026-01-01T20:00:13Z", "shoe/A", "card-drawn", "10♠", "to", "Player,", "card",
         "5", "of", "the", "shoe"],
    ]  # fmt: skip


@for_each(
    ("arguments", "said"),
    [
        (["--name", "bet-plced"], "did you mean 'bet-placed'?"),
        (["--name", "\x1b[2J"], "there is no event"),
        (["--shoe", "Z"], "sabot shoes"),
        (["--table", "Z"], "sabot tables"),
        (["--patron", "nobody"], "no patron 'nobody' in the log"),
        (["--patron", "p11"], "did you mean 'p1'?"),
        (["--patron", "p11", "-n", "3"], "did you mean 'p1'?"),
        (["--stream", "shoe/AA"], "did you mean 'A'?"),
        (["--since", "soon"], "event as 123"),
        (["--follow", "--until", "#3"], "--follow cannot be combined"),
        (["--follow", "--last", "3"], "--follow cannot be combined"),
        (["--follow", "--format", "json"], "tsv, jsonl or csv"),
        (["--follow", "-o", "events.tsv"], "tsv, jsonl or csv"),
    ],
)
def test_what_cannot_be_listed_is_told_with_the_next_step(pit, capsys, arguments, said):
    assert guard(build(), ["log", "--database", pit, *arguments]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert told.out == ""


def test_where_no_event_is_like_that_it_is_said(pit, capsys):
    assert guard(build(), ["log", "--coup", "999", "--database", pit, "--format", "csv"]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 1
    assert "no events match these filters" in said.err


def test_the_log_is_followed_and_a_shoe_that_comes_to_the_table_too(pit):
    """A process follows; the lines come while it runs, each as soon as it is written."""
    follower = Program(
        [*SABOT, "log", "--follow",
         "--table", "T1", "--since", f"#{len(DRAFTS) + 1}", "--format", "jsonl", "--database", pit],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    )  # fmt: skip
    watchdog = threading.Timer(60, follower.kill)
    watchdog.start()
    try:
        loaded = Felt("macau", table="T1").payloads[0]
        with EventLog.open(pit) as log:
            for stream, payload in (
                ("shoe/C", loaded),
                ("shoe/D", Felt("macau", table="T2").payloads[0]),
                ("shoe/C", ev.NoMoreBets(1)),
                ("shoe/D", ev.NoMoreBets(1)),
                ("table/T1", ev.TableClosed(7)),
            ):
                log.append([NewEvent(stream, payload)])
                if stream != "shoe/D":
                    line = json.loads(follower.stdout.readline())
                    assert line["stream"] == stream
    finally:
        watchdog.cancel()
        follower.kill()
        follower.wait()
        follower.stdout.close()


# -- Against a plain filter -----------------------------------------------------------------


@pytest.fixture(scope="module")
def in_memory():
    with EventLog.open(":memory:", clock=lambda: START_US + 10**9) as log:
        log.append(DRAFTS)
        for _taken in Projector(log).catch_up():
            pass
        yield log


MOMENTS = st.one_of(
    st.none(),
    st.integers(1, len(DRAFTS)).map(Index),
    st.integers(0, 40).map(lambda seconds: Time(START_US + seconds * 1_000_000)),
)


@given(
    st.builds(
        EventFilter,
        streams=st.sets(st.sampled_from(["shoe/A", "shoe/B", "table/T1"])).map(frozenset),
        table=st.sampled_from([None, "T1", "T2"]),
        names=st.sets(st.sampled_from(["bet-placed", "card-drawn", "shoe-loaded"])).map(frozenset),
        coup=st.sampled_from([None, 1, 2]),
        after=MOMENTS,
        until=MOMENTS,
    )
)
def test_any_selection_is_the_plain_filter(in_memory, selection):
    events = [event for batch in in_memory.scan() for event in batch]
    at = {"shoe/A": "T1", "table/T1": "T1", "shoe/B": "T2"}

    def wanted(event):
        clock = event.recorded_us if event.at_us is None else event.at_us
        place = {Index: event.index, Time: clock}
        return (
            (not selection.streams or event.stream in selection.streams)
            and selection.table in (None, at[event.stream])
            and (not selection.names or event.payload.__struct_config__.tag in selection.names)
            and selection.coup in (None, getattr(event.payload, "coup", None))
            and (selection.after is None or place[type(selection.after)] > number(selection.after))
            and (selection.until is None or place[type(selection.until)] <= number(selection.until))
        )

    found = [event for batch in Selector(in_memory, selection).scan() for event in batch]
    assert found == [event for event in events if wanted(event)]


def number(moment):
    return moment.index if isinstance(moment, Index) else moment.us


@for_each(
    "filters",
    [(), ("--name", "bet-placed"), ("--table", "T1"), ("--patron", "p2"), ("--until", "25"),
     ("--shoe", "A", "--coup", "2"), ("--since", "2026-01-01T20:00:20Z")],
    ids=" ".join,
)  # fmt: skip
def test_the_last_events_are_the_end_of_all(told, monkeypatch, filters):
    # three events at a time, so that several pages are read
    monkeypatch.setattr(LogReader.scan_back, "__kwdefaults__", {
        **LogReader.scan_back.__kwdefaults__, "batch": 3,
    })  # fmt: skip
    everything = told(*filters)
    assert len(everything) >= 2
    assert told(*filters, "-n", "1") == everything[-1:]
    assert told(*filters, "-n", "7") == everything[-7:]


@pytest.fixture
def rows_read(monkeypatch):
    """The rows of the log that each query returned."""
    read = []
    fetch = Database.fetch

    def counted(database, query, values=()):
        rows = fetch(database, query, values)
        if "FROM log_event" in query and "payload" in query:
            read.extend(rows)
        return rows

    monkeypatch.setattr(Database, "fetch", counted)
    return read


@pytest.mark.parametrize("shoes", [3, 30])
def test_the_last_events_of_a_patron_are_read_from_the_end(
    database_url, capsys, monkeypatch, rows_read, shoes
):
    """p2 wins and loses in each shoe. However many there are, only the last is read."""
    with EventLog.open(database_url) as log:
        for nth in range(shoes):
            log.append([NewEvent(f"shoe/{nth}", payload) for payload in SHOE.payloads])
    monkeypatch.setattr(LogReader.scan_back, "__kwdefaults__", {
        **LogReader.scan_back.__kwdefaults__, "batch": 10,
    })  # fmt: skip
    rows_read.clear()
    assert guard(build(), ["log", "-n", "3", "--patron", "p2", "--format", "jsonl", "--database",
                           database_url]) == 0  # fmt: skip
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {event["stream"] for event in told} == {f"shoe/{shoes - 1}"}
    assert whats(told) == [
        "bet 2 taken: 5.00 EUR", "p2 bets 7.00 EUR on Tie (bet 1)", "bet 1 paid 56.00 EUR",
    ]  # fmt: skip
    assert len(rows_read) < len(SHOE.payloads)
