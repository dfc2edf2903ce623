"""Forbidden changes of the log fail on both stores, as owner and as each role.

Each change is tried on a log of two events, and nothing of it may be seen afterwards.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import DBAPIError

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.values.errors import BadInput, Unavailable
from sabot.infrastructure.database.roles import PROJECTOR, RECORDER, ROLES, secure
from sabot.infrastructure.log.event_log import EventLog
from tests.support.for_each import Test, for_each
from tests.support.former_schemas import at_revision
from tests.support.thorough import each_once

APPENDS = r"append-only"
HEAD = r"the head of the log moves with its last event only|no UPDATE on log_head"
ONE_HEAD = r"one head|append-only|never deleted"

ALL_COLUMNS = "id, event_id, stream, version, name, at_us, recorded_us, actor, device, seq, payload"


def row(index: object = 3, event_id: str = "e-3", version: int = 3, seq: object = 3) -> str:
    """An event that goes on from the two, but for what is said."""
    payload = '{"type":"x"}'
    return f"({index}, '{event_id}', 'shoe/A', {version}, 'x', 1, 1, '', 'cam', {seq}, '{payload}')"


def insert(*rows: str, verb: str = "INSERT INTO", then: str = "") -> str:
    return f"{verb} log_event ({ALL_COLUMNS}) VALUES {', '.join(rows)} {then}"


UPSERT = "ON CONFLICT (id) DO UPDATE SET actor = 'x'"
CHANGES = {
    "update": ("UPDATE log_event SET actor = 'x'", APPENDS),
    "update of the key": ("UPDATE log_event SET id = 9 WHERE id = 2", APPENDS),
    "delete": ("DELETE FROM log_event WHERE id = 2", APPENDS),
    "delete all": ("DELETE FROM log_event", APPENDS),
    "a gap": (insert(row(index=4)), APPENDS),
    "an index again": (insert(row(index=2)), rf"{APPENDS}|log_event_pkey"),
    "an index before the first": (insert(row(index=0)), APPENDS),
    "a gap within": (insert(row(), row(5, "e-5", 5, 5)), APPENDS),
    "a version again": (insert(row(version=2)), rf"{APPENDS}|log_event_version_once"),
    "an event id again": (insert(row(event_id="e-2")), rf"{APPENDS}|log_event_id_once"),
    "a sequence again": (insert(row(seq=2)), rf"{APPENDS}|log_event_seq_once"),
    "upsert": (insert(row(index=2), then=UPSERT), APPENDS),
    "head forward": ("UPDATE log_head SET last_id = 7", HEAD),
    "head back": ("UPDATE log_head SET last_id = 1", HEAD),
    "head renamed": ("UPDATE log_head SET origin = 'sabot/other'", HEAD),
    "head deleted": ("DELETE FROM log_head", ONE_HEAD),
    "head twice": ("INSERT INTO log_head VALUES (false, 'sabot/other', 0)", ONE_HEAD),
}
ON_SQLITE = {
    "replace by index": (insert(row(index=2), verb="REPLACE INTO"), APPENDS),
    "replace by version": (insert(row(version=2), verb="INSERT OR REPLACE INTO"), APPENDS),
    "replace by event id": (insert(row(event_id="e-2"), verb="INSERT OR REPLACE INTO"), APPENDS),
    "replace by sequence": (insert(row(seq=2), verb="REPLACE INTO"), APPENDS),
    "update or replace": ("UPDATE OR REPLACE log_event SET version = 1 WHERE id = 2", APPENDS),
    "no index": (insert(row(index="NULL")), APPENDS),
    "a text for a number": (insert(row(seq="'x'")), "cannot store TEXT"),
    "head replaced": ("REPLACE INTO log_head VALUES (1, 'sabot/other', 0)", ONE_HEAD),
}
REPLICA = "SET LOCAL session_replication_role = replica; "
ON_POSTGRESQL = {
    "update of no row": ("UPDATE log_event SET actor = 'x' WHERE id = 99", APPENDS),
    "truncate": ("TRUNCATE log_event", APPENDS),
    "truncate head": ("TRUNCATE log_head", APPENDS),
    "merge": (
        "MERGE INTO log_event USING log_head ON id = last_id WHEN MATCHED THEN DELETE",
        APPENDS,
    ),
    "update within": (
        "WITH e AS (UPDATE log_event SET actor = 'x' RETURNING id) SELECT * FROM e",
        APPENDS,
    ),
    "update as a replica": (f"{REPLICA}UPDATE log_event SET actor = 'x'", APPENDS),
    "delete as a replica": (f"{REPLICA}DELETE FROM log_event", APPENDS),
    "a gap as a replica": (f"{REPLICA}{insert(row(index=4))}", APPENDS),
    "head as a replica": (f"{REPLICA}UPDATE log_head SET last_id = 7", HEAD),
}
OWNERS_RIGHT = r"must be owner of|permission denied"
AS_A_ROLE = {
    "drop": ("DROP TABLE log_event", OWNERS_RIGHT),
    "triggers off": ("ALTER TABLE log_event DISABLE TRIGGER ALL", OWNERS_RIGHT),
    "trigger dropped": ("DROP TRIGGER log_event_keeps ON log_event", OWNERS_RIGHT),
    "function replaced": (
        "CREATE OR REPLACE FUNCTION log_refuses() RETURNS trigger LANGUAGE sql RETURN NULL",
        OWNERS_RIGHT,
    ),
    "replica": ("SET session_replication_role = replica", OWNERS_RIGHT),
    "the owner": ("SET ROLE postgres", OWNERS_RIGHT),
    "revision": ("UPDATE log_revision SET version_num = '0000'", OWNERS_RIGHT),
    "advance": (
        "SELECT log_event_advances()",
        "permission denied for function|can only be called as triggers",
    ),
}

Case = tuple[str, str]


def cases(*tables: dict[str, Case]) -> Callable[[Test], Test]:
    table = {name: case for some in tables for name, case in some.items()}
    return for_each(("change", "why"), table.values(), ids=table.keys())


def everything(log: EventLog) -> tuple[str, int, list[RecordedEvent]]:
    return log.origin, log.head(), [event for events in log.scan() for event in events]


def two_events(log: EventLog) -> None:
    """Append two events, if they are not there yet."""
    log.append([NewEvent("shoe/A", ev.CoupOpened(n), 1, "", "cam", n, f"e-{n}") for n in (1, 2)])


def execute(engine: Engine, statements: str) -> None:
    with engine.begin() as connection:
        for statement in statements.split("; "):
            connection.exec_driver_sql(statement)


def assert_refused(log: EventLog, change: str, why: str) -> None:
    before = everything(log)
    with pytest.raises(DBAPIError, match=why):
        execute(log.engine, change)
    assert everything(log) == before


@cases(CHANGES)
def test_the_owner_changes_nothing(log: EventLog, change: str, why: str) -> None:
    two_events(log)
    assert_refused(log, change, why)


@cases(ON_SQLITE)
def test_sqlite_does_not_replace(sqlite_url: str, change: str, why: str) -> None:
    with EventLog.open(sqlite_url) as log:
        two_events(log)
        assert_refused(log, change, why)


@cases(ON_POSTGRESQL)
def test_a_superuser_changes_nothing(postgres_url: str, change: str, why: str) -> None:
    with EventLog.open(postgres_url) as log:
        two_events(log)
        assert_refused(log, change, why)


def test_a_row_that_goes_on_from_the_head_is_taken(log: EventLog) -> None:
    """So each row above is refused for the one thing that is wrong with it."""
    two_events(log)
    execute(log.engine, insert(row()))
    assert log.head() == 3


def test_an_empty_log_may_be_named_but_its_head_not_moved(log: EventLog) -> None:
    execute(log.engine, "UPDATE log_head SET origin = 'casino.example/pit-1'")
    assert log.origin == "casino.example/pit-1"
    assert_refused(log, "UPDATE log_head SET last_id = 1", HEAD)


# -- The roles of PostgreSQL ----------------------------------------------------------------


@pytest.fixture(params=[RECORDER, PROJECTOR])
def role(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def owner(postgres_url: str) -> Iterator[EventLog]:
    """A log of two events whose roles are made, twice, since an upgrade makes them again."""
    with EventLog.open(postgres_url) as log:
        two_events(log)
        secure(log.engine)
        secure(log.engine)
        yield log


@pytest.fixture
def clerk(owner: EventLog, postgres_url: str, role: str) -> Iterator[EventLog]:
    """The log as somebody opens it who was granted the role and owns nothing."""
    with user_of(postgres_url, role) as url, EventLog.open(url) as log:
        yield log


@contextmanager
def user_of(postgres_url: str, *roles: str, called: str = "sabot_clerk") -> Iterator[str]:
    """Make a user who may connect, has these roles and owns nothing; yield the URL."""
    name, password = f"{called}_{secrets.token_hex(4)}", secrets.token_hex(8)
    user = sql.Identifier(name)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(user, sql.Literal(password))
        )
        for role in roles:
            connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(role), user))
        if roles:
            place = sql.Identifier(make_url(postgres_url).database or "")
            connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(place, user))
        url = make_url(postgres_url).set(username=name, password=password)
        try:
            yield url.render_as_string(hide_password=False)
        finally:
            connection.execute(sql.SQL("DROP OWNED BY {}").format(user))
            connection.execute(sql.SQL("DROP ROLE {}").format(user))


@pytest.fixture(scope="module", params=[RECORDER, PROJECTOR])
def refused(request: pytest.FixtureRequest, shared_postgres_url: str) -> Iterator[EventLog]:
    """The log as a login of each role opens it. No change of it is accepted."""
    with EventLog.open(shared_postgres_url) as log:
        two_events(log)
        secure(log.engine)
    with user_of(shared_postgres_url, request.param) as url, EventLog.open(url) as log:
        yield log


ANY_REASON = rf"permission denied|{APPENDS}|violates unique constraint"


@cases(CHANGES, ON_POSTGRESQL)
def test_a_role_changes_nothing(refused: EventLog, change: str, why: str) -> None:
    assert_refused(refused, change, ANY_REASON)


@cases(AS_A_ROLE)
def test_a_role_does_not_get_round_the_guards(refused: EventLog, change: str, why: str) -> None:
    assert_refused(refused, change, why)


@pytest.mark.parametrize("role", [RECORDER], indirect=True)
def test_the_recorder_records(clerk: EventLog, owner: EventLog) -> None:
    draft = NewEvent("shoe/A", ev.CoupClosed(2), device="cam", seq=3)
    assert clerk.append([draft], expected={"shoe/A": 2})[0].index == 3
    assert clerk.append([draft])[0].known
    assert clerk.load([[NewEvent("shoe/B", ev.CoupOpened(n)) for n in range(1, 4)]]) == 3
    assert everything(clerk) == everything(owner)
    assert len(everything(clerk)[2]) == 6


@pytest.mark.parametrize("role", [PROJECTOR], indirect=True)
def test_the_projector_writes_read_models_alone(clerk: EventLog) -> None:
    execute(clerk.engine, "INSERT INTO rm_tracking VALUES ('x', 1)")
    execute(clerk.engine, "UPDATE rm_tracking SET last_id = 2")
    execute(clerk.engine, "DELETE FROM rm_tracking")
    assert_refused(clerk, insert(row()), "permission denied")


@pytest.mark.parametrize("role", [RECORDER], indirect=True)
def test_the_recorder_writes_no_read_models(clerk: EventLog) -> None:
    assert_refused(clerk, "INSERT INTO rm_tracking VALUES ('x', 1)", "permission denied")


@pytest.mark.parametrize("role", [PROJECTOR], indirect=True)
def test_who_may_not_record_is_told_so(clerk: EventLog) -> None:
    needed = r"permission denied .*takes the role of the recorder.*secure --recorder LOGIN"
    events = [NewEvent("shoe/A", ev.CoupOpened(3))]
    with pytest.raises(Unavailable, match=needed):
        clerk.append(events)
    with pytest.raises(Unavailable, match=needed):
        clerk.load([events])


@pytest.mark.parametrize("role", [RECORDER], indirect=True)
def test_who_may_not_make_roles_is_told_so(clerk: EventLog) -> None:
    with pytest.raises(BadInput, match="owner"):
        secure(clerk.engine)


def test_a_file_has_no_roles(sqlite_url: str) -> None:
    with EventLog.open(sqlite_url) as log, pytest.raises(BadInput, match="no roles"):
        secure(log.engine)


# -- The functions of the log on PostgreSQL ---------------------------------------------------

MOVE_THE_HEAD = """
    CREATE TEMPORARY TABLE log_event (id bigint);
    CREATE TRIGGER moves AFTER INSERT ON pg_temp.log_event REFERENCING NEW TABLE AS added
    FOR EACH {level} EXECUTE FUNCTION public.log_event_advances();
    INSERT INTO pg_temp.log_event VALUES (3), (4)
"""


def head_of(url: str) -> tuple[object, ...] | None:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT last_id FROM public.log_head").fetchone()


@for_each("role", ROLES)
def test_a_role_does_not_move_the_head(owner: EventLog, postgres_url: str, role: str) -> None:
    with (
        user_of(postgres_url, role) as url,
        psycopg.connect(url) as stranger,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"),
    ):
        stranger.execute(MOVE_THE_HEAD.format(level="STATEMENT"))
    assert head_of(postgres_url) == (2,)
    owner.check()


def test_a_stranger_does_not_connect(owner: EventLog, postgres_url: str) -> None:
    with (
        user_of(postgres_url) as url,
        pytest.raises(psycopg.OperationalError, match="permission denied for database"),
    ):
        psycopg.connect(url)
    assert owner.head() == 2


@pytest.mark.parametrize("level", ["STATEMENT", "ROW"])
def test_a_table_that_is_not_the_log_does_not_move_its_head(postgres_url: str, level: str) -> None:
    """Not even for somebody who may run the function, nor under the name of the log."""
    with EventLog.open(postgres_url) as log:
        two_events(log)
        with (
            psycopg.connect(postgres_url) as connection,
            pytest.raises(psycopg.errors.RestrictViolation, match="append-only"),
        ):
            connection.execute(MOVE_THE_HEAD.format(level=level))
        log.check()
        assert log.head() == 2
        assert log.append([NewEvent("shoe/A", ev.CoupOpened(3))])[0].index == 3


OTHER_TRIGGERS = {
    "a row at a time": "AFTER INSERT ON log_event FOR EACH ROW",
    "before": "BEFORE INSERT ON log_event FOR EACH STATEMENT",
    "on update": "AFTER UPDATE ON log_head FOR EACH STATEMENT",
}


@pytest.mark.parametrize("when", OTHER_TRIGGERS.values(), ids=OTHER_TRIGGERS.keys())
def test_the_head_moves_after_an_insert_alone(postgres_url: str, when: str) -> None:
    with EventLog.open(postgres_url) as log:
        two_events(log)
        execute(log.engine, f"CREATE TRIGGER a {when} EXECUTE FUNCTION log_event_advances()")
        assert_refused(log, insert(row()), APPENDS)


FUNCTIONS = """
    SELECT proname, has_function_privilege('public', oid, 'EXECUTE'), prosecdef,
           coalesce(array_to_string(proconfig, '; '), '')
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname
"""


def test_nobody_runs_a_function_of_the_log_unasked(owner: EventLog) -> None:
    with owner.engine.connect() as connection:
        found = connection.exec_driver_sql(FUNCTIONS).all()
    assert [name for name, *_ in found] == [
        "log_append", "log_checkpoint", "log_deal", "log_event_advances", "log_event_fits",
        "log_event_permitted", "log_key", "log_refuses", "log_review", "log_rule", "log_texts_fit",
        "log_turn", "log_unfit",
    ]  # fmt: skip
    assert [name for name, public, *_ in found if public] == []
    with_owners_rights = {name: settings for name, _, definer, settings in found if definer}
    assert with_owners_rights == {
        "log_append": "search_path=pg_catalog, pg_temp; plan_cache_mode=force_generic_plan",
        "log_checkpoint": "search_path=pg_catalog, pg_temp",
        "log_event_advances": "search_path=pg_catalog, pg_temp",
        "log_key": "search_path=pg_catalog, pg_temp",
        "log_turn": "search_path=pg_catalog, pg_temp",
    }


def test_roles_are_secured_again_after_a_restore_without_privileges(owner: EventLog) -> None:
    execute(owner.engine, "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO PUBLIC")
    secure(owner.engine)
    test_nobody_runs_a_function_of_the_log_unasked(owner)


@pytest.mark.parametrize("schema", ["public", '"the Pit\'s 1"', '"50%s"'])
def test_an_older_log_is_guarded_by_its_upgrade(empty_postgres_url: str, schema: str) -> None:
    """Earlier recorders still can record without another `sabot store secure`."""
    with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
        place = sql.Identifier(make_url(empty_postgres_url).database or "")
        path = sql.SQL("ALTER DATABASE {} SET search_path = {}")
        connection.execute(path.format(place, sql.SQL(schema)))
    at_revision(empty_postgres_url, "0005", schema)
    with user_of(empty_postgres_url) as url, user_of(empty_postgres_url) as strange:
        with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
            user = sql.Identifier(make_url(url).username or "")
            for right in (f"USAGE ON SCHEMA {schema}", "SELECT, INSERT ON log_event",
                          "SELECT ON log_head, log_revision"):  # fmt: skip
                connection.execute(sql.SQL(f"GRANT {right} TO {{}}").format(user))
            connection.execute(sql.SQL(f"GRANT USAGE ON SCHEMA {schema} TO PUBLIC"))
        EventLog.open(empty_postgres_url).close()
        with EventLog.open(url) as recorder:
            two_events(recorder)
            for one in (strange, url):
                with (
                    psycopg.connect(one) as connection,
                    pytest.raises(
                        psycopg.errors.InsufficientPrivilege, match="permission denied for function"
                    ),
                ):
                    connection.execute(
                        MOVE_THE_HEAD.format(level="STATEMENT").replace("public.", f"{schema}.")
                    )
            recorder.check()
            assert recorder.head() == 2


READS = (
    "USAGE ON SCHEMA public",
    "SELECT ON log_event, log_head, log_revision",
)
WAYS_TO_INSERT = {
    "on the table": ((), "GRANT INSERT ON log_event TO {}"),
    "on its columns": ((), f"GRANT INSERT ({ALL_COLUMNS}) ON log_event TO {{}}"),
    "everybody": ((), "GRANT INSERT ON log_event TO PUBLIC"),
    "a predefined role": (("pg_write_all_data",), ""),
    "its owner": ((), "GRANT CREATE ON SCHEMA public TO {0}; ALTER TABLE log_event OWNER TO {0}"),
}


@each_once
@pytest.mark.parametrize("called", ["sabot_clerk", "50%s {role} \"O'Hara"])
@pytest.mark.parametrize("way", WAYS_TO_INSERT)
def test_who_could_append_before_the_upgrade_still_can(
    empty_postgres_url: str, way: str, called: str
) -> None:
    roles, right = WAYS_TO_INSERT[way]
    at_revision(empty_postgres_url, "0005", "public")
    with (
        user_of(empty_postgres_url, *roles, called=called) as url,
        psycopg.connect(empty_postgres_url, autocommit=True) as connection,
    ):
        name = make_url(url).username or ""
        for each in READS:
            connection.execute(sql.SQL(f"GRANT {each} TO {{}}").format(sql.Identifier(name)))
        if right:
            connection.execute(sql.SQL(right).format(sql.Identifier(name)))
        EventLog.open(empty_postgres_url).close()
        with EventLog.open(url) as recorder:
            two_events(recorder)
            recorder.load([[NewEvent("shoe/B", ev.CoupOpened(1))]])
            assert recorder.head() == 3
        if way == "its owner":
            connection.execute(
                sql.SQL("REASSIGN OWNED BY {} TO CURRENT_USER").format(sql.Identifier(name))
            )


def test_who_may_only_read_does_not_append_after_the_upgrade(empty_postgres_url: str) -> None:
    at_revision(empty_postgres_url, "0005", "public")
    with user_of(empty_postgres_url) as url:
        with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
            name = sql.Identifier(make_url(url).username or "")
            for each in READS:
                connection.execute(sql.SQL(f"GRANT {each} TO {{}}").format(name))
        EventLog.open(empty_postgres_url).close()
        with (
            EventLog.open(url) as reader,
            pytest.raises(Unavailable, match="permission denied for function log_append"),
        ):
            two_events(reader)


def test_roles_are_made_whatever_the_names_hold(empty_postgres_url: str) -> None:
    """A % in the name of a schema or a user is no place of a value."""
    with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
        place = sql.Identifier(make_url(empty_postgres_url).database or "")
        connection.execute('CREATE SCHEMA "50%s"')
        connection.execute(sql.SQL('ALTER DATABASE {} SET search_path = "50%s"').format(place))
    with user_of(empty_postgres_url, called="50%s") as url:
        with EventLog.open(empty_postgres_url) as log:
            secure(log.engine, {RECORDER: [make_url(url).username or ""]})
        with EventLog.open(url) as recorder:
            two_events(recorder)
