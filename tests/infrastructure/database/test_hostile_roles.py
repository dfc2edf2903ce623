"""Attacks of a hostile login on PostgreSQL, statement by statement.

Each role tries some sixty statements of each class of attack, in one session. Some succeed, since a
login may do what it likes with objects of its own. Afterwards nothing of the log has changed, no
event is unreadable, what was appended names its login and the server's clock, and a writer is not
kept waiting.
"""

import hashlib
import secrets
import time
from base64 import b64encode
from collections.abc import Iterator
from itertools import product

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.database.roles import (
    AUDITOR,
    PROJECTOR,
    RECORDER,
    SURVEILLANCE,
    secure,
)
from sabot.infrastructure.evidence.checkpoint_table import stored_keys
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.exports.event_lines import export_lines
from sabot.infrastructure.log.codec import StoredRow
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.projector import Projector
from tests.support.thorough import each_once

LOG = ("log_event", "log_head", "log_revision")
VIEWS = ("rm_shoe", "rm_tracking", "rm_coup")
TABLES = (*LOG, *VIEWS)
FUNCTIONS = ("log_event_advances()", "log_refuses()", "log_append(jsonb)", "log_turn(jsonb)",
             "log_review()", "log_deal()", "log_rule()", "log_event_permitted()")  # fmt: skip
GUARDS = (
    "log_event_advances",
    "log_event_permitted",
    "log_event_keeps",
    "log_head_follows",
    "log_head_stays",
)


def each(pattern: str, *values: tuple[str, ...]) -> list[str]:
    return [pattern.format(*some) for some in product(*values)]


EVENT = '[1,null,"{name}",null,null,"","",{seq},"{payload}"]'
CLOSED = r"{\"coup\":1,\"type\":\"coup-closed\"}"


def append(
    stream: str = "shoe/Z", name: str = "coup-closed", seq: str = "null", payload: str = CLOSED,
    now: str = "1",
) -> str:  # fmt: skip
    event = EVENT.format(name=name, seq=seq, payload=payload)
    return (
        f"""SELECT log_append('{{"streams":["{stream}"],"expected":[],"now":{now},"""
        f""""events":[{event}]}}')"""
    )


ROW = "3, NULL, 'shoe/A', 3, 'coup-closed', NULL, 1, '', '', NULL, '{\"coup\":1}'"
NAMES = "id, event_id, stream, version, name, at_us, recorded_us, actor, device, seq, payload"
SETTINGS = (
    "search_path = pg_temp, public", "session_replication_role = replica", "role = postgres",
    "session_authorization = postgres", "row_security = off", "default_tablespace = ''",
    "lock_timeout = 0", "statement_timeout = 0", "timezone = 'Pacific/Kiritimati'",
    "check_function_bodies = off", "default_transaction_isolation = serializable",
    "transaction_deferrable = on", "synchronous_commit = off", "fsync = off",
    "plan_cache_mode = force_custom_plan", "backslash_quote = on", "allow_system_table_mods = on",
    "zero_damaged_pages = on", "ignore_checksum_failure = on", "log_statement = 'none'",
)  # fmt: skip
MODES = (
    "ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE",
    "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE",
)  # fmt: skip

ISOLATES = (
    r"{{\"by\":\"{2}\",\"index\":{0},\"note\":\"x\",\"row_sha256\":\"{1}\","
    r"\"type\":\"event-isolated\"}}"
)

ATTACKS: dict[str, list[str]] = {
    "trigger": [
        *each("CREATE TRIGGER x {} ON {} FOR EACH ROW EXECUTE FUNCTION log_refuses()",
              ("BEFORE INSERT", "AFTER UPDATE"), TABLES),
        *each("CREATE TRIGGER x AFTER INSERT ON {} EXECUTE FUNCTION log_event_advances()", TABLES),
        *each("ALTER TABLE {} DISABLE TRIGGER {}", TABLES, ("ALL", "USER")),
        *each("ALTER TABLE log_event ENABLE REPLICA TRIGGER {}", GUARDS),
        *each("DROP TRIGGER {} ON log_event", GUARDS),
        *each("DROP TRIGGER {} ON log_head", GUARDS),
        *each("ALTER TRIGGER {} ON log_event RENAME TO x", GUARDS),
        *each("CREATE RULE x AS ON INSERT TO {} DO INSTEAD NOTHING", TABLES),
        *each("CREATE EVENT TRIGGER x ON {} EXECUTE FUNCTION log_refuses()",
              ("ddl_command_start", "sql_drop")),
        *each("CREATE CONSTRAINT TRIGGER x AFTER INSERT ON {} DEFERRABLE FOR EACH ROW"
              " EXECUTE FUNCTION log_refuses()", TABLES),
        *each("CREATE OR REPLACE FUNCTION {} RETURNS trigger LANGUAGE sql AS 'SELECT 1'",
              ("log_refuses()", "log_event_advances()")),
    ],
    "temporary object": [
        *each("CREATE TEMPORARY TABLE {} (id bigint, last_id bigint)", TABLES),
        *each("CREATE TEMPORARY VIEW {} AS SELECT 1 AS last_id", TABLES),
        *each("CREATE TEMPORARY SEQUENCE {}", TABLES),
        *each("CREATE FUNCTION pg_temp.{}(jsonb) RETURNS text LANGUAGE sql AS 'SELECT 1::text'",
              ("jsonb_array_elements", "jsonb_array_elements_text", "octet_length", "concat",
               "log_append", "log_turn")),
        *each("CREATE TABLE pg_temp.t_{0} AS TABLE {0}", TABLES),
        *each("CREATE TYPE pg_temp.{} AS (id bigint)", ("jsonb", "bigint", "text", "log_event")),
        *each("CREATE DOMAIN pg_temp.{} AS integer", ("text", "jsonb", "boolean", "json")),
        *each("CREATE CAST ({} AS pg_temp.log_event) WITH INOUT", ("text", "jsonb")),
        *each("CREATE OPERATOR pg_temp.{} (LEFTARG = bigint, RIGHTARG = bigint,"
              " FUNCTION = int8pl)", ("=", "<", "<=", "+", "->>", "->")),
        *each("SELECT log_turn({}) FROM (SELECT * FROM pg_temp.log_event) AS x",
              ("'[]'", "'[1]'", "'{{}}'")),
        append(), append(stream="shoe/Y"), append(stream="table/Y", name="x"),
        "CREATE TEMPORARY TABLE log_stage (id bigint)", "CREATE TEMPORARY TABLE pg_class (x int)",
        *each("CREATE TEMPORARY TABLE copy_{0} (LIKE {0} INCLUDING ALL)", TABLES),
    ],
    "search_path": [
        *each("SET search_path = {}", ("pg_temp", "pg_temp, public", "information_schema, public",
              "x, public", "public, pg_temp, pg_catalog", "''")),
        *each("CREATE SCHEMA {}", ("x", "sabot", '"$user"', "log", "pg_x", "evil")),
        *each("CREATE TABLE public.{} (x int)", ("jsonb_array_elements", "h", "x", "log_event2",
              "unnest", "sabot")),
        *each("CREATE FUNCTION public.{} RETURNS bigint LANGUAGE sql AS 'SELECT 9::bigint'",
              ("clock_timestamp()", "session_user()", "jsonb_array_elements(jsonb, int)",
               "concat(text)", "octet_length(name)", "starts_with(name, name)", "abs(text)",
               "log_append(text)", "log_turn(text)", "cardinality(int)")),
        *each("CREATE OPERATOR public.{} (LEFTARG = bigint, RIGHTARG = bigint,"
              " FUNCTION = int8pl)", ("=", "<", "<>", "->>")),
        *each("ALTER FUNCTION {} SET search_path = pg_temp, public", FUNCTIONS),
        *each("ALTER FUNCTION {} RESET ALL", FUNCTIONS),
        *each("ALTER FUNCTION {} SECURITY INVOKER", FUNCTIONS),
        *each("ALTER ROLE CURRENT_USER SET search_path = {}", ("pg_temp", "x", "public")),
        *each("ALTER TABLE {} SET SCHEMA pg_temp", TABLES),
        *each("ALTER ROLE postgres SET search_path = {}", ("pg_temp", "x")),
        "ALTER SCHEMA public RENAME TO x", "DROP SCHEMA public CASCADE", append(),
    ],
    "SET": [
        *each("SET {}", SETTINGS), *each("SET LOCAL {}", SETTINGS),
        *each("ALTER ROLE CURRENT_USER SET {}", SETTINGS), append(), append(now="99999"),
        "SET ROLE sabot_auditor", "SET SESSION AUTHORIZATION DEFAULT",
        "ALTER SYSTEM SET fsync = off",
    ],
    "lock": [
        *each("LOCK TABLE {} IN {} MODE NOWAIT", TABLES, MODES),
        *each("SELECT * FROM {} FOR {} NOWAIT", LOG, ("UPDATE", "SHARE", "KEY SHARE")),
        "SELECT pg_advisory_lock(hashtext('sabot'), hashtext('log_turn'))",
        "SELECT pg_advisory_lock_shared(hashtext('sabot'), hashtext('log_turn'))",
        "SELECT pg_advisory_lock(hashtext('sabot'), hashtext('migrate'))",
        "SELECT pg_advisory_lock(n) FROM generate_series(1, 50) AS n",
    ],
    "COPY": [
        *each("COPY {} FROM {}", TABLES, ("PROGRAM 'true'", "'/etc/hostname'", "PROGRAM 'id'")),
        *each("COPY {} TO {}", TABLES, ("PROGRAM 'cat'", "'/tmp/x'", "PROGRAM 'true'")),
        *each("COPY {} FROM '/etc/passwd' WITH (FORMAT csv)", TABLES),
        *each("COPY (SELECT * FROM {}) TO PROGRAM 'true'", TABLES),
        *each("COPY (DELETE FROM {} RETURNING 1) TO '/tmp/x'", TABLES),
        *each("COPY (UPDATE {} SET last_id = 9 RETURNING 1) TO '/tmp/x'", TABLES),
    ],
    "large object": [
        *each("SELECT lo_import({})", ("'/etc/passwd'", "'/etc/hostname'", "'/dev/zero'")),
        *each("SELECT lo_export({}, '/tmp/{}')", ("1", "2", "16384"), ("a", "b", "c")),
        *each("SELECT {}", ("lo_create(70001)", "lo_creat(-1)", "lo_unlink(70001)",
              "lo_from_bytea(70002, 'x')", "lo_put(70002, 0, 'y')", "lo_get(70002)",
              "lo_unlink(70002)")),
        *each("GRANT ALL ON LARGE OBJECT {} TO PUBLIC", ("1", "2", "16384")),
        *each("INSERT INTO pg_largeobject VALUES ({}, 0, '')", ("1", "2", "3", "4")),
        *each("UPDATE {} SET {}", ("pg_largeobject", "pg_largeobject_metadata"), ("loid = 1",
              "oid = 1", "lomowner = 10")),
        *each("DELETE FROM {}", ("pg_largeobject", "pg_largeobject_metadata", "pg_class",
              "pg_trigger", "pg_proc", "pg_authid")),
        *each("UPDATE pg_{}", ("trigger SET tgenabled = 'D'", "proc SET prosecdef = false",
              "class SET relowner = 0", "policy SET polqual = NULL", "database SET datacl = NULL",
              "attribute SET attacl = NULL")),
        *each("TRUNCATE pg_{}", ("trigger", "proc", "policy", "largeobject")),
        *each("SELECT pg_read_file('{}')", ("PG_VERSION", "pg_hba.conf", "/etc/passwd")),
        *each("SELECT pg_ls_dir('{}')", (".", "base", "global")),
        *each("ALTER LARGE OBJECT {} OWNER TO CURRENT_USER", ("1", "2", "3")),
        *each("SELECT lowrite(lo_open({}, 131072), 'x')", ("1", "2", "16384", "70002")),
        *each("COMMENT ON LARGE OBJECT {} IS 'x'", ("1", "2", "3")),
    ],
    "NOTIFY": [
        *each("NOTIFY {}", ("sabot_log", "sabot_log, 'x'", "x", '"$"')),
        *each("SELECT pg_notify('sabot_log', '{}')", tuple(map(str, range(40)))),
        *each("LISTEN {}", ("sabot_log", "x")), "UNLISTEN *",
        *each("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename {}",
              ("= 'postgres'", "<> session_user")),
        *each("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename {}",
              ("= 'postgres'", "<> session_user")),
        "SELECT pg_notify('sabot_log', repeat('x', 7999)) FROM generate_series(1, 200)",
        *each("SELECT {}", ("pg_reload_conf()", "pg_rotate_logfile()", "pg_switch_wal()",
              "pg_create_restore_point('x')", "pg_stat_reset()", "pg_promote()")),
        "CHECKPOINT", "VACUUM FULL log_event", "REINDEX TABLE log_event", "CLUSTER log_event",
    ],
    "direct insert": [
        *each("INSERT INTO log_event ({}) VALUES ({}) {}", (NAMES,), (ROW,), ("",
              "ON CONFLICT DO NOTHING", "ON CONFLICT (id) DO UPDATE SET actor = 'x'",
              "RETURNING id")),
        *each("UPDATE {} SET {}", LOG, ("last_id = 9", "login = 'x'", "stored_us = 1",
              "payload = '[]'", "origin = 'x'", "version_num = '0000'")),
        *each("DELETE FROM {}", TABLES), *each("TRUNCATE {}", TABLES),
        *each("ALTER TABLE {} {}", LOG, ("ADD COLUMN x int", "RENAME TO x",
              "OWNER TO CURRENT_USER")),
        *each("DROP TABLE {} CASCADE", TABLES),
        *each("MERGE INTO {} USING log_head AS h ON true WHEN MATCHED THEN DELETE", LOG),
        *(append(payload=text) for text in ("{", "[]", "1", "null", "", r"{\"type\":\"x\"}",
                                            r"{\"type\":1}", r"{\"type\":{}}")),
        append(name=""), append(name="x"), append(stream=""), append(stream="s" * 401),
        append(stream="audit/findings", name="finding-resolved",
               payload=r"{\"type\":\"finding-resolved\"}"),
        append(stream="audit/runs", name="audit-run", payload=r"{\"type\":\"audit-run\"}"),
        append(seq="9007199254740992"), append(seq="1e400"), append(seq='"x"'),
        append(now="9007199254740992"), append(now="null"), append(now='"x"'),
        "SELECT log_append('{}')", "SELECT log_append('[]')", "SELECT log_append(NULL)",
        """SELECT log_append('{"streams":["shoe/Z","shoe/Z"],"expected":[],"events":[]}')""",
        """SELECT log_append('{"streams":["shoe/Z"],"expected":[7],"now":1,"events":[]}')""",
        """SELECT log_append('{"streams":[],"expected":[],"now":1,"events":[[0],[-1],[9]]}')""",
    ],
    "false isolation": [
        *(append("audit/isolated", name="event-isolated", payload=text)
          for text in each(ISOLATES, ("1", "2", "3", "9", "999", "9007199254740991"),
                           ("0" * 64, "f" * 64, hashlib.sha256(b"").hexdigest()), ("x", "anna"))),
        *(append("audit/isolated", name="event-isolated", payload=text)
          for text in each(ISOLATES, ("0", "-1", "null", "1.0"), ("0" * 64, "x"), ("", "x"))),
        *(append(stream, name="event-isolated", payload=text)
          for stream in ("audit/findings", "shoe/A", "table/A", "isolated")
          for text in each(ISOLATES, ("1", "2"), ("0" * 64,), ("x",))),
    ],
    "unusual JSON": [
        *(append(seq=seq, now=now, payload=text.replace('"', r'\"'))
          for text, seq, now in product(
              ('{"type":"coup-closed","coup":1}', '{ "coup":1,"type":"coup-closed"}',
               '{"coup":1,"type":"coup-closed"} ', '{"coup":1, "type":"coup-closed"}',
               r'{"coup":1,\n"type":"coup-closed"}', r'{"coup":1,"type":"coup-clos\\u0065d"}',
               '{"coup":1.0,"type":"coup-closed"}', '{"coup":1e0,"type":"coup-closed"}',
               '{"coup":-0,"type":"coup-closed"}', '{"coup":01,"type":"coup-closed"}',
               '{"coup":1,"coup":2,"type":"coup-closed"}'),
              ("null", "7", "8"), ("1", "2"))),
    ],
    "evidence": [
        *each("INSERT INTO evidence_{} VALUES {}", ("key",), ("('x', 0, 0)", "('x', 1, 1)",
              "('', 0, 0)", "(NULL, 0, 0)")),
        *each("INSERT INTO evidence_checkpoint VALUES ({}, 'x', '', {}) {}", ("1", "2", "99"),
              ("0", "1"), ("", "ON CONFLICT DO NOTHING")),
        *each("UPDATE evidence_{} SET made_us = 0", ("key", "checkpoint")),
        *each("DELETE FROM evidence_{}", ("key", "checkpoint")),
        *each("TRUNCATE evidence_{}", ("key", "checkpoint")),
        *each("ALTER TABLE evidence_{} {}", ("key", "checkpoint"), ("DISABLE TRIGGER ALL",
              "OWNER TO CURRENT_USER")),
        *each("SELECT log_key('{}', {})", ("", "x", "sabot/x+00000000+x", "a+b+c"), ("0", "1",
              "NULL", "-1")),
        *each("SELECT log_checkpoint('{}', '{}')", ("", "x", "sabot/x", "a\n1\nb\n"), ("", "AA==")),
        *each("SELECT log_checkpoint({}, {})", ("NULL", "repeat('x', 100000)"), ("NULL", "'!'")),
        *each("UPDATE log_shape SET {}", ("fits = '1 == 1'", "keys = '{{}}'", "short = 99999")),
        *each("{} log_shape", ("DELETE FROM", "TRUNCATE", "DROP TABLE", "LOCK TABLE")),
        "INSERT INTO log_shape VALUES ('x', '{type}', '1 == 1', 99999, '{}')",
    ],
    "read model": [
        *each("UPDATE {} SET {}", VIEWS, ("stream = 'x'", "name = ''", "last_id = 999")),
        *each("DELETE FROM {} {}", VIEWS, ("", "WHERE true", "USING rm_tracking")),
        *each("INSERT INTO rm_tracking VALUES ({}, {})", ("'x'", "''", "NULL"), ("999", "-1")),
        *each("ALTER TABLE {} {}", ("rm_shoe", "rm_coup"), ("ENABLE ROW LEVEL SECURITY",
              "DROP COLUMN stream", "OWNER TO CURRENT_USER", "SET UNLOGGED")),
        *each("CREATE POLICY x ON {} USING (true)", VIEWS), *each("TRUNCATE {}", VIEWS),
        *each("GRANT {} ON {} TO PUBLIC", ("ALL", "INSERT"), TABLES),
        *each("UPDATE {} SET last_id = 99", ("rm_tracking", "rm_shoe", "log_head")),
        *each("DELETE FROM {}", ("rm_tracking", "rm_shoe")),
        *each("CREATE MATERIALIZED VIEW {} AS SELECT 1", ("x", "rm_x")),
        *each("CREATE OR REPLACE VIEW {} AS SELECT 1", TABLES),
        *each("COMMENT ON TABLE {} IS 'x'", TABLES),
        *each("ALTER TABLE {} RENAME COLUMN last_id TO x", TABLES),
        *each("REVOKE ALL ON {} FROM sabot_auditor", LOG),
    ],
}  # fmt: skip

TAKEN = {("surveillance", "false isolation"), ("recorder", "unusual JSON")}
"""Attacks of which the log takes some events, which harm nothing."""

ROLES = {
    "stranger": None, "recorder": RECORDER, "projector": PROJECTOR, "auditor": AUDITOR,
    "surveillance": SURVEILLANCE,
}  # fmt: skip


@pytest.fixture(scope="module")
def place(postgres_server: str) -> Iterator[str]:
    """A secured log of two events."""
    name = f"sabot_hostile_{secrets.token_hex(4)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        url = make_url(postgres_server).set(database=name).render_as_string(hide_password=False)
        with EventLog.open(url) as log:
            log.append([NewEvent("shoe/A", ev.CoupOpened(n)) for n in (1, 2)])
            secure(log.engine)
        yield url
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="module", params=ROLES)
def login(request: pytest.FixtureRequest, place: str) -> Iterator[str]:
    """The URL of a login with one role alone; the stranger may connect and sees the schema."""
    role = ROLES[request.param]
    name, password = f"{request.param}_{secrets.token_hex(4)}", secrets.token_hex(8)
    with psycopg.connect(place, autocommit=True) as owner:
        user = sql.Identifier(name)
        owner.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(user, sql.Literal(password))
        )
        database = sql.Identifier(make_url(place).database or "")
        owner.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, user))
        if role is None:
            owner.execute(sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(user))
        else:
            owner.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(role), user))
        yield (
            make_url(place)
            .set(username=name, password=password)
            .render_as_string(hide_password=False)
        )
        owner.execute(sql.SQL("DROP OWNED BY {}").format(user))
        owner.execute(sql.SQL("DROP ROLE {}").format(user))


def rows_of(log: EventLog) -> list[StoredRow]:
    return [log.stored(index) for index in range(1, log.head() + 1)]


def structure(owner: "psycopg.Connection[tuple[object, ...]]") -> list[tuple[object, ...]]:
    """Return tables, triggers, functions, policies and rights of the log's schema."""
    return owner.execute("""
        SELECT relname::text, relowner::text, relacl::text, relrowsecurity::text FROM pg_class
        WHERE relnamespace = 'public'::regnamespace
        UNION ALL SELECT proname::text, proowner::text, proacl::text,
                         concat(prosecdef, proconfig, md5(prosrc))
        FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL SELECT tgname::text, tgrelid::text, tgenabled::text, tgfoid::text FROM pg_trigger
        WHERE tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
        UNION ALL SELECT polname::text, polrelid::text, polqual::text, '' FROM pg_policy
        UNION ALL SELECT nspname::text, nspowner::text, nspacl::text, '' FROM pg_namespace
        WHERE nspname !~ '^pg_(temp|toast_temp)_'
        ORDER BY 1, 2, 3, 4
    """).fetchall()


@each_once
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_login_harms_the_log(place: str, login: str, attack: str) -> None:
    statements = ATTACKS[attack]
    assert len(statements) >= 60
    name = make_url(login).username
    with EventLog.open(place) as log, psycopg.connect(place, autocommit=True) as owner:
        before, built, began = rows_of(log), structure(owner), time.time_ns() // 1000
        with psycopg.connect(login, autocommit=True) as hostile:
            hostile.execute("SET statement_timeout = '5s'")
            tried, misspelt = 0, []
            for statement in statements:
                try:
                    with hostile.transaction():
                        hostile.execute(statement.encode())
                        if attack == "lock":  # a writer goes on while it is held
                            log.append([NewEvent("table/T1", ev.TableClosed(5))])
                except psycopg.errors.SyntaxError as error:
                    misspelt.append((statement, str(error)))
                except psycopg.Error:
                    pass  # refused; what is not shows below
                tried += 1
                assert not hostile.closed
            # its session, and what it holds, is still there
            log.append([NewEvent("table/T1", ev.TableClosed(5))])
        assert (tried, misspelt) == (len(statements), [])
        log.check()
        assert len([event for events in log.scan() for event in events]) == log.head()
        assert len(list(export_lines(log))) == log.head()
        assert log.isolated() == {}
        Projector(log).rebuild()
        sum(Projector(log).catch_up())
        assert Projector(log).position() == log.head()
        after = rows_of(log)
        assert after[: len(before)] == before
        written = after[len(before) :]
        assert {row.login for row in written} <= {name, "postgres"}
        appended = [row for row in written if row.login == name]
        assert all(
            row.stored_us is not None and began <= row.stored_us <= time.time_ns() // 1000
            for row in appended
        )
        if (str(name).partition("_")[0], attack) in TAKEN:
            assert appended
        reviews = {row.stream.startswith("audit/") for row in appended}
        assert reviews <= {"surveillance" in str(name)}
        assert structure(owner) == built


def test_a_recorder_alone_appends(place: str, login: str) -> None:
    recorder = (make_url(login).username or "").startswith("recorder")
    with psycopg.connect(login, autocommit=True) as session:
        if recorder:
            assert session.execute(append().encode()).fetchone() is not None
            return
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute(append().encode())


@pytest.mark.parametrize("login", ["recorder"], indirect=True)
def test_a_planted_checkpoint_does_not_stay_in_the_way(place: str, login: str) -> None:
    """A recorder without the key can store what looks like a checkpoint, and no second key."""
    with EventLog.open(place) as log, psycopg.connect(login, autocommit=True) as recorder:
        log.append([NewEvent("table/T1", ev.TableClosed(5))])
        (key,) = stored_keys(log.database)
        key_id = bytes.fromhex(key.verifier_key.split("+")[1])
        false = f"{log.origin}\n{log.head()}\n{b64encode(bytes(32)).decode()}\n\n"
        note = f"{false}\u2014 {log.origin} {b64encode(key_id + bytes(64)).decode()}\n"
        subtrees = b64encode(bytes(32 * log.head().bit_count())).decode()
        planted = recorder.execute("SELECT log_checkpoint(%s, %s)", (note, subtrees)).fetchone()
        assert planted == (True,)
        assert verify_log(log.database).altered
        log.append([NewEvent("table/T1", ev.TableClosed(5))])
        log.checkpoints.write()
        assert not verify_log(log.database).altered
        another = f"{log.origin}+00000000+{'A' * 44}"
        with pytest.raises(psycopg.errors.CheckViolation, match="has one already"):
            recorder.execute("SELECT log_key(%s, 0)", (another,))
