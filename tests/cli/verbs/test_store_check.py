"""`sabot store check` finds whatever was changed in a log's schema."""

import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.database.database import Database, newest_revision
from sabot.infrastructure.database.roles import ROLES, secure
from sabot.infrastructure.database.schema_check import schema_faults
from sabot.infrastructure.log.event_log import EventLog
from tests.support.thorough import a_part, slow

NOTHING = "BEGIN SELECT 1; END"
CHANGED = f"CREATE TRIGGER log_head_single BEFORE INSERT ON log_head {NOTHING}"

# what is done to the schema, and the lines that are reported
ON_BOTH = [
    ("DROP INDEX log_event_seq_once", ["index log_event_seq_once missing"]),
    ("DROP INDEX log_event_loadings", ["index log_event_loadings missing"]),
]
ON_SQLITE = [
    (
        "DROP INDEX log_event_loadings; CREATE INDEX log_event_loadings ON log_event (id)",
        ["index log_event_loadings changed"],
    ),
    ("DROP TRIGGER log_event_stays", ["trigger log_event_stays missing"]),
    (f"DROP TRIGGER log_head_single; {CHANGED}", ["trigger log_head_single changed"]),
    (f"CREATE TRIGGER mine AFTER INSERT ON log_event {NOTHING}", ["trigger mine unexpected"]),
    ("ALTER TABLE log_event ADD COLUMN note TEXT", ["table log_event changed"]),
    ("CREATE TABLE mine (x)", ["table mine unexpected"]),
    ("CREATE VIEW log_events AS SELECT * FROM log_event", ["view log_events unexpected"]),
]
ON_POSTGRESQL = [
    ("DROP TRIGGER log_event_keeps ON log_event", ["trigger log_event_keeps missing"]),
    ("ALTER TABLE log_head DISABLE TRIGGER log_head_stays", ["trigger log_head_stays changed"]),
    (
        "ALTER TABLE log_event DROP CONSTRAINT log_event_version_once",
        ["constraint log_event_version_once missing", "index log_event_version_once missing"],
    ),
    ("ALTER TABLE log_head DROP CONSTRAINT log_head_only_one", [
        "constraint log_head_only_one missing"]),
    ("ALTER TABLE log_event ALTER login DROP DEFAULT", ["column log_event.login changed"]),
    ("ALTER TABLE log_event ENABLE ROW LEVEL SECURITY", ["table log_event changed"]),
    ("ALTER TABLE log_head REPLICA IDENTITY FULL", ["table log_head changed"]),
    ("CREATE POLICY a_few ON log_event USING (id < 5)", ["policy a_few unexpected"]),
    ("CREATE RULE quiet AS ON DELETE TO log_event DO INSTEAD NOTHING", ["rule quiet unexpected"]),
    ("ALTER FUNCTION log_turn(jsonb) SECURITY INVOKER", [
        "function log_turn(streams jsonb) changed"]),
    ("REVOKE EXECUTE ON FUNCTION log_append(jsonb) FROM sabot_recorder", [
        "right sabot_recorder: EXECUTE on log_append() missing"]),
    ("GRANT UPDATE ON log_event TO sabot_auditor", [
        "right sabot_auditor: UPDATE on log_event unexpected"]),
    ("GRANT DELETE ON log_head TO pg_monitor", [
        "right pg_monitor: DELETE on log_head unexpected"]),
    ("GRANT SELECT (payload) ON log_event TO PUBLIC", [
        "right PUBLIC: SELECT on log_event.payload unexpected"]),
]  # fmt: skip


@pytest.fixture
def sabot(capsys):
    """Check a log. Return exit code, the lines of the output, and talk."""

    def run(url):
        code = guard(build(), ["store", "check", "--database", url, "--format", "csv"])
        out, err = capsys.readouterr()
        return code, [line.replace(",", " ") for line in out.splitlines()[1:]], err

    return run


def change(url, statements):
    database = Database.open(url)
    with database.writing() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    database.close()


@pytest.mark.parametrize(("statements", "lines"), ON_BOTH + ON_SQLITE)
def test_on_sqlite(sqlite_url, sabot, statements, lines):
    assert sabot(sqlite_url)[:2] == (0, [])
    whole, _, trigger = statements.partition("; CREATE")
    change(sqlite_url, [whole, f"CREATE{trigger}"] if trigger else [statements])
    code, found, said = sabot(sqlite_url)
    assert (code, found) == (3, lines)
    assert "difference" in said


@slow
def test_on_postgresql(postgres_url, sabot):
    """One database for all changes, since each line is reported beside the others."""
    database = Database.open(postgres_url)
    assert sabot(postgres_url)[:2] == (0, [])
    secure(database.engine)
    database.close()
    assert sabot(postgres_url)[:2] == (0, [])
    due = []
    for statement, lines in a_part(ON_POSTGRESQL + ON_BOTH, of=3):
        change(postgres_url, [statement])
        due += lines
        code, found, _ = sabot(postgres_url)
        assert (code, sorted(found)) == (3, sorted(due)), statement


# what gives power over the log without a change of its tables, and what is reported of it; ``{0}``
# is a recorder, ``{1}`` an auditor and ``{2}`` a login without a role
POWERS = [
    ("GRANT sabot_supervisor TO {1}", ["membership {1}: sabot_supervisor"]),
    ("GRANT sabot_auditor TO {0} WITH ADMIN OPTION", [
        "membership {0}: sabot_auditor WITH ADMIN OPTION"]),
    ("GRANT sabot_dealer TO sabot_projector", ["membership sabot_projector: sabot_dealer"]),
    ("GRANT postgres TO {2}", ["membership {2}: postgres"]),
    ("REVOKE sabot_recorder FROM {0}", ["membership {0}: sabot_recorder missing"]),
    ("GRANT pg_write_all_data TO {2}", ["membership {2}: pg_write_all_data"]),
    ("GRANT pg_execute_server_program TO {1}", ["membership {1}: pg_execute_server_program"]),
    ("GRANT pg_monitor TO {1}", []),
    ("ALTER ROLE {0} SUPERUSER", ["attribute {0}: SUPERUSER"]),
    ("ALTER ROLE sabot_auditor BYPASSRLS", ["attribute sabot_auditor: BYPASSRLS"]),
    ("ALTER ROLE sabot_projector LOGIN", ["attribute sabot_projector: LOGIN"]),
    ("GRANT INSERT ON rm_shoe TO {1}", ["right {1}: INSERT on rm_shoe"]),
    ("GRANT SELECT ON rm_shoe TO {1}", []),  # which the role of an auditor has
    ("GRANT SELECT ON log_event TO {2}", ["right {2}: SELECT on log_event"]),
    ("GRANT SELECT ON log_head TO sabot_auditor WITH GRANT OPTION", [
        "right sabot_auditor: SELECT on log_head WITH GRANT OPTION",
        "right sabot_auditor: SELECT on log_head missing"]),
    ("CREATE TABLE evil () INHERITS (log_event)", ["table evil", "child table evil"]),
    ("CREATE SCHEMA beside", []),
    ("CREATE COLLATION odd (provider = libc, locale = 'C')", ["collation odd"]),
    ("CREATE DOMAIN beside.small AS bigint CHECK (VALUE < 10)", []),
    ("CREATE DOMAIN small AS bigint CHECK (VALUE < 10)", ["domain small"]),
    ("CREATE TYPE kind AS ENUM ('a', 'b')", ["type kind"]),
    ("ALTER TABLE log_event ALTER COLUMN seq TYPE small", ["column log_event.seq changed"]),
    ("CREATE OPERATOR <-> (FUNCTION = int8eq, LEFTARG = int8, RIGHTARG = int8)", [
        "operator <->(bigint,bigint)"]),
    ("CREATE STATISTICS beside.few ON stream, version FROM log_event", ["statistics few"]),
    ("CREATE PUBLICATION one FOR TABLE log_event", ["publication one"]),
    ("CREATE PUBLICATION everything FOR TABLES IN SCHEMA public", ["publication everything"]),
    ("INSERT INTO log_revision VALUES ('0001')", [
        "row log_revision: 0001", f"row log_revision: {newest_revision()}"]),
    ("CREATE TABLE beside.evil () INHERITS (log_event)", ["child table beside.evil"]),
    ("CREATE VIEW leak AS SELECT * FROM access_log", ["view leak"]),
    ("CREATE VIEW beside.leak AS SELECT * FROM access_log", ["view beside.leak"]),
    ("CREATE FUNCTION evil() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'", [
        "function evil()", "right PUBLIC: EXECUTE on evil()"]),
    ("CREATE FUNCTION beside.evil() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'", [
        "function beside.evil()"]),
    ("CREATE FUNCTION log_append(text) RETURNS void LANGUAGE sql AS 'SELECT 1'", [
        "function log_append(text)", "right PUBLIC: EXECUTE on log_append()"]),
    ("CREATE FUNCTION beside.e() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'", []),
    ("CREATE EVENT TRIGGER evil ON ddl_command_end EXECUTE FUNCTION beside.e()", [
        "event trigger evil"]),
    ("ALTER ROLE {0} IN DATABASE {db} SET session_replication_role = replica", [
        "setting {0}: session_replication_role"]),
    ("ALTER ROLE {1} SET statement_timeout = '1min'", []),
    ("GRANT SET ON PARAMETER session_replication_role TO {1}", [
        "right {1}: SET on the setting session_replication_role"]),
    ("ALTER DATABASE {db} SET search_path = public, nowhere", ["setting all logins: search_path"]),
    ("ALTER SCHEMA public OWNER TO {2}", ["owner the schema: {2}"]),
]  # fmt: skip


@pytest.fixture
def logins(postgres_url):
    """Secure a log for a recorder and an auditor. Yield their names, and that of a third login."""
    names = [f"login_{n}_{secrets.token_hex(4)}" for n in range(3)]
    database = Database.open(postgres_url)
    change(postgres_url, [f"CREATE ROLE {name} LOGIN" for name in names])
    secure(database.engine, {"sabot_recorder": names[:1], "sabot_auditor": names[1:2]})
    database.close()
    yield names
    undo = ("sabot_auditor NOBYPASSRLS", "sabot_projector NOLOGIN")
    change(postgres_url, [
        "ALTER SCHEMA public OWNER TO pg_database_owner", "DROP EVENT TRIGGER IF EXISTS evil",
        "REVOKE sabot_dealer FROM sabot_projector", *(f"ALTER ROLE {each}" for each in undo),
        *(f"DROP OWNED BY {name}" for name in names), *(f"DROP ROLE {name}" for name in names),
    ])  # fmt: skip


def faults_at(url):
    database = Database.open(url)
    try:
        return [" ".join(fault) for fault in schema_faults(database)]
    finally:
        database.close()


@slow
def test_power_over_the_log_beside_its_tables_is_found(postgres_url, logins):
    assert faults_at(postgres_url) == []
    named = {"db": make_url(postgres_url).database}
    change(postgres_url, [statement.format(*logins, **named) for statement, _ in POWERS])
    due = [line.format(*logins) for _, lines in POWERS for line in lines]
    found = faults_at(postgres_url)
    assert sorted(found) == sorted(
        line if line.endswith((" missing", " changed")) else f"{line} unexpected" for line in due
    )


@slow
def test_an_owner_who_made_the_roles_administers_them(own_postgres):
    """Nobody else does. A grant that was not made by `secure` is confirmed by it."""
    with psycopg.connect(own_postgres.url, autocommit=True) as server:
        server.execute("CREATE ROLE keeper LOGIN CREATEROLE")
        server.execute("CREATE ROLE rec LOGIN")
        server.execute("CREATE DATABASE log OWNER keeper")
        place = make_url(own_postgres.url).set(database="log", drivername="postgresql")
        url = place.set(username="keeper").render_as_string(hide_password=False)
        database = Database.open(url)
        secure(database.engine, {"sabot_recorder": ["rec"]})
        database.close()
        assert faults_at(url) == []
        server.execute("GRANT sabot_auditor TO rec")
        assert faults_at(url) == ["membership rec: sabot_auditor unexpected"]
        database = Database.open(url)
        secure(database.engine, {"sabot_auditor": ["rec"]})
        database.close()
        assert faults_at(url) == []


def test_default_privileges_give_no_expected_right(postgres_url, logins):
    stranger = logins[2]
    change(postgres_url, [
        f"ALTER DEFAULT PRIVILEGES GRANT INSERT ON TABLES TO {stranger}, PUBLIC",
        f"ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO {stranger}",
        f"GRANT INSERT ON log_shape TO {stranger}, PUBLIC",
        f"GRANT EXECUTE ON FUNCTION log_append(jsonb) TO {stranger}",
    ])  # fmt: skip
    assert faults_at(postgres_url) == [
        "right PUBLIC: INSERT on log_shape unexpected",
        f"right {stranger}: EXECUTE on log_append() unexpected",
        f"right {stranger}: INSERT on log_shape unexpected",
    ]


@slow
def test_a_dropped_login_is_not_missed(postgres_url, logins):
    change(postgres_url, [f"DROP OWNED BY {logins[1]}", f"DROP ROLE {logins[1]}"])
    assert faults_at(postgres_url) == []
    change(postgres_url, [f"CREATE ROLE {logins[1]} LOGIN"])
    assert faults_at(postgres_url) == [f"membership {logins[1]}: sabot_auditor missing"]


def test_only_the_owner_can_compare(postgres_url, sabot):
    database = Database.open(postgres_url)
    change(postgres_url, ["DROP ROLE IF EXISTS sabot_looker", "CREATE ROLE sabot_looker LOGIN"])
    secure(database.engine, {"sabot_auditor": ["sabot_looker"]})
    url = database.url.set(username="sabot_looker", drivername="postgresql")
    database.close()
    code, found, said = sabot(url.render_as_string(hide_password=False))
    change(postgres_url, ["DROP OWNED BY sabot_looker", "DROP ROLE sabot_looker"])
    assert (code, found) == (2, [])
    assert "cannot be compared: permission denied for database" in said
    assert said.endswith("connect as the owner of the database\n")


def test_a_damaged_file_is_told(sqlite_url, sabot):
    with Path(sqlite_url).open("r+b") as file:
        file.seek(4096 * 2)
        file.write(b"\xff" * 64)
    code, found, said = sabot(sqlite_url)
    assert code == 3
    assert found or "damaged" in said


@slow
@pytest.mark.parametrize("roles", [False, True], ids=["no roles", "roles of another owner"])
def test_rights_given_to_the_logins_themselves_are_expected(
    postgres_server, empty_postgres_url, roles
):
    """An owner who may create or grant no roles gives the logins their rights."""
    place = make_url(empty_postgres_url)
    who = {each: f"direct_{each}_{place.database}" for each in ("owner", *ROLES)}
    with psycopg.connect(postgres_server, autocommit=True) as server:
        for role in ROLES if roles else ():
            server.execute(f"DO 'BEGIN CREATE ROLE {role}; EXCEPTION WHEN OTHERS THEN END'")
        for name in who.values():
            server.execute(f'CREATE ROLE "{name}" LOGIN NOCREATEROLE')
        server.execute(f'ALTER DATABASE "{place.database}" OWNER TO "{who["owner"]}"')
        try:
            url = place.set(username=who["owner"], drivername="postgresql+psycopg")
            database = Database.open(url.render_as_string(hide_password=False))
            secure(database.engine, {role: [who[role]] for role in ROLES})
            assert schema_faults(database) == []
            change(empty_postgres_url, [f'GRANT DELETE ON log_head TO "{who[ROLES[0]]}"'])
            (fault,) = schema_faults(database)
            assert fault.name == f"{who[ROLES[0]]}: DELETE on log_head"
            database.close()
        finally:
            server.execute(f'DROP DATABASE "{place.database}" WITH (FORCE)')
            server.execute(f'CREATE DATABASE "{place.database}"')
            for name in who.values():
                server.execute(f'DROP ROLE "{name}"')


def test_statistics_of_the_planner_are_no_difference(sqlite_url, sabot):
    change(sqlite_url, ["ANALYZE"])
    assert sabot(sqlite_url)[:2] == (0, [])


@pytest.mark.parametrize(
    ("statement", "sign"),
    [
        ("DELETE FROM log_head", "the log has lost its head"),
        ("DELETE FROM log_event WHERE id = 2", "but its head says 2"),
        ("UPDATE log_head SET last_id = 1", "the log has 2, from index 1 to 2"),
        ("SELECT 1", ""),
    ],
)
def test_the_ends_of_a_log_with_a_sound_schema_are_checked(sqlite_url, sabot, statement, sign):
    """No checkpoint is signed, and a copy is no sound backup."""
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("shoe/A", ev.CoupOpened(number)) for number in (1, 2)])
    with closing(sqlite3.connect(sqlite_url, isolation_level=None)) as file:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        triggers = file.execute(query).fetchall()
        for name, _ in triggers:
            file.execute(f"DROP TRIGGER {name}")
        file.execute(statement)
        for _, made in triggers:
            file.execute(made)
        signed = "SELECT count(*) FROM evidence_checkpoint"
        ((before,),) = file.execute(signed)
        code, found, said = sabot(sqlite_url)
        assert (code, found) == (3 if sign else 0, [])
        assert sign in said
        assert bool(sign) != ("only the ends of the log were checked" in said)
        arguments = ["evidence", "checkpoint", "--database", sqlite_url]
        assert guard(build(), arguments) == code
        assert file.execute(signed).fetchall() == [(before,)]
