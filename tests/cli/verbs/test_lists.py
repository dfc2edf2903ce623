"""The verbs that list tables, shoes and patrons, never with stale figures."""

import json
import subprocess
import threading
import time

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.projector import Projector
from tests.support.coup_notation import START_US, Felt
from tests.support.programs import SABOT, Program, run_program
from tests.support.thorough import one_store

pytestmark = one_store


def shoe(name, table, line, rules="classic-8"):
    payloads = Felt(rules, table=table).ready("Ac").coup(line).payloads
    return [
        NewEvent(f"shoe/{name}", payload, START_US + n * 1_000_000)
        for n, payload in enumerate(payloads)
    ]


# T1 opens with 1,000.00, sells chips for 80.00, closes with 950.00 and counts 80.00: it won 30.00.
EVENING = [
    NewEvent("table/T1", ev.TableOpened(100_000, "punto-banco", "EUR"), START_US),
    NewEvent("table/T1", ev.ChipsBought("p1", 8_000), START_US),
    *shoe("A", "T1", "p1 banker 2000, p2 tie 100 | P 2 3  B 9 K | B 5-9 | "
          "2 take 100, 1 pay 2000, 1 collect 100"),
    *shoe("C", "T2", "p1 banker 4000 | P 2 3  B 9 K | B 5-9 | 1 pay 4000, 1 mark 200", "macau"),
    NewEvent("table/T1", ev.TableClosed(95_000), START_US),
    NewEvent("table/T1", ev.DropCounted(8_000), START_US),
]  # fmt: skip


@pytest.fixture
def pit(database_url):
    with EventLog.open(database_url) as log:
        log.append(EVENING)
    return database_url


@pytest.fixture
def sabot(pit, capsys):
    def run(*arguments):
        code = guard(build(), [*arguments, "--database", pit])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def records(sabot):
    def run(*arguments):
        code, out, err = sabot(*arguments, "--format", "json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


def some(rows, *names):
    return [tuple(row[name] for name in names) for row in rows]


def test_tables(records):
    assert some(records("tables"), "table", "state", "shoe", "phase", "handle", "won") == [
        ("T1", "closed", "A", "between", 2100, -1800),
        ("T2", None, "C", "between", 4000, -3800),
    ]
    assert some(records("tables")[:1], "opening", "closing", "bought", "drop_counted", "win") == [
        (100_000, 95_000, 8_000, 8_000, 3_000)
    ]
    # 3,000 over 8,000
    assert some(records("tables"), "hold_percent", "missing") == [(37.5, ""), (None, None)]


def test_shoes(records):
    names = ("name", "table_name", "pack", "state", "coups", "banker_wins", "owed", "currency")
    assert some(records("shoes"), *names) == [
        ("A", "T1", "classic-8", "in play", 1, 1, 0, "EUR"),
        ("C", "T2", "macau", "in play", 1, 1, 200, "HKD"),
    ]
    assert some(records("shoes", "--table", "T2"), "name") == [("C",)]


def test_patrons_and_their_ledgers(records):
    names = ("patron", "currency", "bets", "handle", "result", "owed", "bought")
    assert some(records("patrons"), *names) == [
        ("p1", "EUR", 1, 2000, 1900, 0, 8000),
        ("p1", "HKD", 1, 4000, 3800, 200, 0),
        ("p2", "EUR", 1, 100, -100, 0, 0),
    ]
    assert some(records("ledger", "p1"), "kind", "shoe", "chips_balance", "result_balance") == [
        ("bought", None, 8000, 0),
        ("paid", "A", 10_000, 2000),
        ("commission-kept", "A", 9_900, 1900),
        ("paid", "C", 4000, 4000),
        ("commission-marked", "C", 4000, 3800),
    ]
    assert some(records("ledger", "p1", "--shoe", "C"), "kind", "owed_balance") == [
        ("paid", 0),
        ("commission-marked", 200),
    ]


def test_commission(records):
    assert some(records("commission"), "name", "patron", "at_once", "marked", "owed") == [
        ("A", "p1", 100, 0, 0),
        ("C", "p1", 0, 200, 200),
    ]
    assert some(records("commission", "--owing"), "name") == [("C",)]
    assert some(records("commission", "--shoe", "A"), "name") == [("A",)]


def test_people_read_decimals_and_machines_minor_units(sabot):
    row = next(line.split() for line in sabot("tables", "--format", "table")[1].splitlines()
               if line.strip().startswith("T1"))  # fmt: skip
    assert row == ["T1", "closed", "A", "1", "between", "1", "1", "21.00", "-18.00", "80.00",
                   "30.00", "37.5", "%", "EUR"]  # fmt: skip
    head, first, _second = sabot("tables", "--format", "tsv")[1].splitlines()
    machine = dict(zip(head.split("\t"), first.split("\t"), strict=True))
    assert (machine["handle"], machine["won"], machine["minor_units"]) == ("21.00", "-18.00", "2")
    (record, _second) = json.loads(sabot("tables", "--format", "json")[1])
    assert (record["handle"], record["won"], record["minor_units"]) == (2100, -1800, 2)


def test_an_answer_is_never_older_than_the_log(records, pit):
    assert len(records("shoes")) == 2
    with EventLog.open(pit) as log:
        log.append(shoe("D", "T1", "P 2 3  B 9 K"))
    assert len(records("shoes")) == 3
    assert records("tables")[0]["shoe"] == "D"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shoes", "--table", "Z"], "sabot tables"),
        (["patrons", "--table", "Z"], "sabot tables"),
        (["ledger", "nobody"], "sabot patrons"),
        (["ledger", "p1", "--shoe", "Z"], "sabot shoes"),
        (["commission", "--shoe", "Z"], "sabot shoes"),
    ],
)
def test_what_is_not_there_is_told_with_the_next_step(sabot, arguments, said):
    code, out, err = sabot(*arguments)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize("verb", ["tables", "shoes", "patrons", "commission", "project", "log"])
def test_a_mistyped_path_makes_no_log(tmp_path, verb, capsys):
    assert guard(build(), [verb, "--database", str(tmp_path / "no.db")]) == 2
    assert capsys.readouterr().out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["tables", "shoes", "patrons", "commission"])
def test_an_empty_log_has_no_rows(database_url, capsys, verb):
    assert guard(build(), [verb, "--database", database_url, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_project_brings_up_to_date_and_makes_anew(sabot, records, pit):
    (done,) = records("project")
    assert done == {"events": len(EVENING), "position": len(EVENING), "head": len(EVENING)}
    assert records("project")[0]["events"] == 0
    before = records("shoes")
    with EventLog.open(pit) as log, log.database.writing() as connection:
        connection.exec_driver_sql("UPDATE rm_shoe SET handle = 7")
    assert records("shoes") != before
    assert records("project", "--rebuild")[0]["events"] == len(EVENING)
    assert records("shoes") == before


def test_project_follows_the_log_until_it_is_killed(pit):
    follower = Program(
        [*SABOT, "project", "--follow",
         "--database", pit],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    watchdog = threading.Timer(60, follower.kill)
    watchdog.start()
    try:
        with EventLog.open(pit) as log:
            assert "following" in follower.stderr.readline()
            for number in range(3):
                log.append(shoe(f"F{number}", "T1", "P 2 3  B 9 K"))
                while Projector(log).position() < log.head():
                    assert follower.poll() is None
                    time.sleep(0.01)
            # progress is told once a minute at most
            assert "more events, up to" in follower.stderr.readline()
    finally:
        watchdog.cancel()
        follower.kill()
        follower.communicate()


# -- Who may read the log but not write the read models ---------------------------------------


def test_a_reader_without_rights_sees_everything_on_postgresql(postgres_url, postgres_server):
    with EventLog.open(postgres_url) as log:
        log.append(EVENING[:5])
        sum(Projector(log).catch_up())
        log.append(EVENING[5:])
    name = f"reader_{make_url(postgres_url).database}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        role = sql.Identifier(name)
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(role))
        connection.execute(
            sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}").format(role)
        )
    try:
        url = make_url(postgres_url).set(username=name).render_as_string(hide_password=False)
        done = run_program(
            [*SABOT, "shoes",
             "--database", url, "--format", "json"]
        )  # fmt: skip
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP OWNED BY {}").format(role))
            connection.execute(sql.SQL("DROP ROLE {}").format(role))
    assert done.returncode == 0, done.stderr
    assert some(json.loads(done.stdout), "name", "coups") == [("A", 1), ("C", 1)]
    assert done.stderr == ""


def test_a_reader_who_cannot_write_sees_everything_on_sqlite(sqlite_url, capsys):
    with EventLog.open(sqlite_url) as log:
        log.append(EVENING[:5])
        sum(Projector(log).catch_up())
        log.append(EVENING[5:])
        with log.database.writing() as connection:
            connection.exec_driver_sql(
                "CREATE TRIGGER nobody_writes BEFORE UPDATE ON rm_tracking "
                "BEGIN SELECT RAISE(ABORT, 'not by you'); END"
            )
    assert guard(build(), ["shoes", "--database", sqlite_url, "--format", "json"]) == 0
    said = capsys.readouterr()
    assert some(json.loads(said.out), "name", "coups") == [("A", 1), ("C", 1)]
    assert said.err == ""


def test_a_shoe_in_another_currency_is_left_out_of_the_sums_with_a_warning(pit, capsys):
    with EventLog.open(pit) as log:
        log.append(shoe("D", "T1", "p1 banker 4000 | P 2 3  B 9 K", "macau"))
    assert guard(build(), ["tables", "--database", pit]) == 0
    said = capsys.readouterr().err
    assert "table T1: bets of 1 shoe in HKD are not in its sums in EUR" in said
