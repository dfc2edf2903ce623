"""`sabot store check --views` finds changed rows of the summary tables."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.database.schema import rm_tracking
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.projector import Projector
from sabot.infrastructure.projections.views_check import view_faults
from sabot.infrastructure.projections.views_schema import READ_MODELS, rm_shoe, rm_table
from tests.support import three_tables
from tests.support.thorough import each_once, slow

DRAFTS = three_tables.drafts()


def catch_up(projector, until):
    return sum(projector.catch_up(until))


def test_every_column_of_every_table_is_compared(log):
    three_tables.fill(log, DRAFTS)
    catch_up(Projector(log), None)
    assert view_faults(log, catch_up) == []
    due = set()
    with log.database.writing() as connection:
        for table in READ_MODELS:
            last = sa.select(table).order_by(*table.primary_key.columns).limit(1)
            row = connection.execute(last).mappings().one()
            where = sa.and_(*(column == row[column.name] for column in table.primary_key))
            others = [column for column in table.columns if not column.primary_key]
            values = {
                column: "other" if isinstance(column.type, sa.Text) else 987_654
                for column in others
                if column.name != "stream"
            }
            connection.execute(sa.update(table).where(where).values(values))
            due |= {(table.name, column.name) for column in values}
    found = view_faults(log, catch_up)
    assert {(fault.table, fault.column) for fault in found} == due
    assert all(fault.row and "is " in fault.fault for fault in found)


@pytest.fixture
def run(database_url, capsys):
    with EventLog.open(database_url) as log:
        three_tables.fill(log, DRAFTS)

    def run(*verb):
        code = guard(build(), [*verb, "--database", database_url])
        return code, *capsys.readouterr()

    return run


CHECK = ("store", "check", "--views")


@slow
def test_tables_that_were_never_filled_are_no_fault(run, database_url):
    beside = Path(f"{database_url}-views")
    code, found, said = run(*CHECK)
    assert (code, found.splitlines()) == (0, ["table\trow\tcolumn\tfault"])
    assert "are empty: no event was projected yet; `sabot project --database " in said
    assert not beside.exists()
    assert run("shoes")[0] == run(*CHECK)[0] == 0
    assert run("project")[0] == 0
    assert "match the events up to event" in run(*CHECK)[2]


def test_tables_behind_the_log_are_no_fault(run, database_url):
    assert run("project")[0] == 0
    with EventLog.open(database_url) as log:
        log.append([NewEvent("shoe/Z-9", ev.CoupOpened(1))])
    assert run(*CHECK)[0] == 0


@slow
@each_once
@pytest.mark.parametrize("position", [2**62, -7])
def test_a_false_position_stops_no_verb_and_is_put_right(run, database_url, position):
    assert run("project")[0] == 0
    right = {verb: run(verb)[1] for verb in ("shoes", "tables")}
    with EventLog.open(database_url) as log, log.database.writing() as connection:
        connection.execute(sa.update(rm_tracking).values(last_id=position))
    for verb, found in right.items():
        code, said, warned = run(verb)
        assert (code, said) == (0, found)
        assert f"the summary tables are wrong: they state event {position} as their last" in warned
        assert " --rebuild` makes them anew" in warned
    code, found, _ = run(*CHECK)
    assert (code, f"event {position}" in found) == (3, True)
    assert run("project")[0] == 2
    assert run("project", "--rebuild")[0] == 0
    assert run(*CHECK)[0] == 0
    assert run("shoes") == (0, right["shoes"], "")


LISTS = (("shoes",), ("patrons",), ("ledger", "p1"), ("commission",), ("cards",), ("tables",))
ODD = {
    "a table view that is no JSON": ("UPDATE rm_felt SET felt = '{'", "felt", LISTS[-1:]),
    "a table named as another": ("UPDATE rm_table SET name = 'T9'", "the table", LISTS[-1:]),
    "decimals below none": ("UPDATE rm_shoe SET minor_units = -1", "minor_units", LISTS),
    "decimals beyond number":
        (f"UPDATE rm_shoe SET minor_units = {2**62}", "minor_units", LISTS),
}  # fmt: skip
BYTES = "UPDATE rm_shoe SET name = CAST(x'ff' AS TEXT), currency = CAST(x'ff' AS TEXT)"


@each_once
@pytest.mark.parametrize(("statement", "column", "verbs"), ODD.values(), ids=ODD.keys())
def test_a_value_that_cannot_be_read_is_no_error_of_the_program(
    run, database_url, statement, column, verbs
):
    assert run("project")[0] == 0
    with EventLog.open(database_url) as log, log.database.writing() as connection:
        connection.exec_driver_sql(statement)
    for verb in verbs:
        code, out, said = run(*verb)
        assert (verb, code, out) == (verb, 2, "")
        assert f"the summary tables are wrong: {column} of " in said
        assert " --rebuild` makes them anew" in said
    assert run("project", "--rebuild")[0] == run("tables")[0] == 0


def test_bytes_that_are_no_text_do_not_blame_the_log(run, database_url, sqlite_url):
    if database_url != sqlite_url:
        pytest.skip("PostgreSQL takes no such text")
    assert run("project")[0] == 0
    with EventLog.open(database_url) as log, log.database.writing() as connection:
        connection.exec_driver_sql(BYTES)
    for verb in LISTS:
        code, out, said = run(*verb)
        assert (verb, code, out) == (verb, 2, "")
        assert "the summary tables are wrong: Could not decode" in said
    code, found, _ = run(*CHECK)
    assert (code, "rm_shoe\t\t\tcannot be read: Could not decode" in found) == (3, True)
    assert run("project", "--rebuild")[0] == run("tables")[0] == run(*CHECK)[0] == 0


def test_a_table_made_anew_without_types_is_named(run, database_url, sqlite_url):
    """The owner of a file made it, so its columns hold any type of value."""
    if database_url != sqlite_url:
        pytest.skip("every column of PostgreSQL has a type")
    assert run("project")[0] == 0
    with EventLog.open(sqlite_url) as log, log.database.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE other AS SELECT * FROM rm_table")
        connection.exec_driver_sql("DROP TABLE rm_table")
        connection.exec_driver_sql("ALTER TABLE other RENAME TO rm_table")
        connection.exec_driver_sql("UPDATE rm_table SET state = x'ff', sessions = 'x'")
    code, out, said = run("tables")
    assert (code, out) == (2, "")
    assert "the columns of rm_table hold any type of value" in said


def test_a_projector_who_changes_a_sum_is_found_and_put_right(database_url, capsys):
    def check():
        code = guard(build(), ["store", "check", "--views", "--database", database_url])
        return code, [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]

    with EventLog.open(database_url) as log:
        three_tables.fill(log, DRAFTS)
        catch_up(Projector(log), None)
        assert check() == (0, [])
        with log.database.writing() as connection:
            connection.execute(sa.update(rm_shoe).values(handle=1))
            connection.execute(sa.insert(rm_table).from_select(
                rm_table.c.keys(),
                sa.select(sa.literal("table/Z"), *list(rm_table.c)[1:]).limit(1),
            ))  # fmt: skip
            (gone,) = connection.scalars(sa.select(rm_table.c.stream).limit(1))
            connection.execute(sa.delete(rm_table).where(rm_table.c.stream == gone))
    code, lines = check()
    assert code == 3
    assert [line[1] for line in lines if line[2] == "handle"]
    assert [line[1:] for line in lines if line[0] == "rm_table"] == [
        [gone, "", "missing"], ["table/Z", "", "unexpected"],
    ]  # fmt: skip
    assert guard(build(), ["project", "--rebuild", "--database", database_url]) == 0
    capsys.readouterr()
    assert check() == (0, [])
