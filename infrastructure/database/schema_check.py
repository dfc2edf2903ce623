"""Compare the schema of a log with the schema that a new log gets.

The expected schema is made by the migrations themselves: on SQLite in memory, on PostgreSQL in a
schema of its own, within a transaction that is rolled back. The check compares tables, columns,
constraints, indexes and triggers; on PostgreSQL also functions, shapes of events, policies, rules
and rights, and it reports whatever else gives power over the log (`schema_surroundings`).
"""

import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError, OperationalError

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.database.database import Database, upgrade
from sabot.infrastructure.database.database_urls import MEMORY
from sabot.infrastructure.database.event_shapes import SHAPES
from sabot.infrastructure.database.roles import ROLES, Securing
from sabot.infrastructure.database.schema_surroundings import Surroundings

_MOST: Final = 20
"""The number of damages of a SQLite file that are reported."""


class SchemaFault(NamedTuple):
    """A difference between the schema of a log and that of a new log.

    Attributes:
        kind: the kind of object that differs: ``trigger``, ``index``, ``constraint``, ``right`` …
            name: the name of the object.
        fault: ``missing``, ``changed`` or ``unexpected``; for the kind ``file`` the damage.
    """

    kind: str
    name: str
    fault: str


Objects = dict[tuple[str, str], str]
"""Definitions by kind and name."""


def schema_faults(database: Database) -> list[SchemaFault]:
    """Return the differences between a log's schema and that of a new log.

    On SQLite the whole file is read and checked for damage too.

    Raises:
        BadInput: the login may not create a schema to compare with.
        Unavailable: the database failed.
    """
    if database.is_sqlite:
        return _of_sqlite(database)
    with database.guarded():
        return _of_postgresql(database)


def _differences(found: Mapping[tuple[str, str], str], due: Objects) -> list[SchemaFault]:
    faults = [
        SchemaFault(*key, "missing" if key not in found else "changed")
        for key in due
        if found.get(key) != due[key]
    ]
    return sorted(faults + [SchemaFault(*key, "unexpected") for key in found if key not in due])


# -- SQLite -------------------------------------------------------------------------------------

# ANALYZE makes sqlite_stat1
_SQLITE_OBJECTS: Final = (
    "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema"
    " WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'"
)


def _of_sqlite(database: Database) -> list[SchemaFault]:
    new = Database(URL.create("sqlite", database=MEMORY))
    try:
        with new.writing() as connection:
            upgrade(connection)
        due = new.fetch(_SQLITE_OBJECTS)
    finally:
        new.close()
    found = database.fetch(_SQLITE_OBJECTS)
    faults = _differences(_sqlite_objects(found), _sqlite_objects(due))
    damages = [text for (text,) in database.fetch(f"PRAGMA integrity_check({_MOST})")]
    ((page,),), path = database.fetch("PRAGMA page_size"), Path(str(database.url.database))
    if path.is_file() and path.stat().st_size % page:
        # SQLite reads zeros in place of what is missing
        damages.append("the end of the file is cut off")
    return faults + [SchemaFault("file", "", text) for text in damages if text != "ok"]


def _sqlite_objects(rows: Iterable[tuple[str, str, str, str]]) -> Objects:
    return {(kind, name): f"{table}: {' '.join(sql.split())}" for kind, name, table, sql in rows}


# -- PostgreSQL ---------------------------------------------------------------------------------

_OURS: Final = """
    WITH ours AS (
      SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.relrowsecurity,
             c.relforcerowsecurity, c.relowner, c.relacl, c.relnamespace, c.relreplident
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = current_schema() AND c.relname = ANY(%(tables)s)
    ), functions AS (
      SELECT p.* FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
      WHERE n.nspname = current_schema() AND NOT EXISTS (
        SELECT FROM pg_depend AS d
        WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
    ), home AS (SELECT relowner AS owner, relnamespace AS schema FROM ours
      WHERE relname = 'log_event')
"""
_OBJECTS: Final = """
    SELECT 'table', relname, concat(relkind, relpersistence, relrowsecurity, relforcerowsecurity,
           relreplident, relowner = (SELECT owner FROM home))
    FROM ours
    UNION ALL
    SELECT 'column', concat(o.relname, '.', a.attname), concat_ws(' ',
           format_type(a.atttypid, a.atttypmod), l.collname, a.attnotnull, a.attidentity,
           pg_get_expr(d.adbin, d.adrelid))
    FROM ours AS o JOIN pg_attribute AS a ON a.attrelid = o.oid
    LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
    WHERE a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT 'constraint', c.conname, concat(o.relname, c.convalidated, pg_get_constraintdef(c.oid))
    FROM ours AS o JOIN pg_constraint AS c ON c.conrelid = o.oid WHERE c.contype <> 'n'
    UNION ALL
    SELECT 'index', i.indexrelid::regclass::text,
           concat(i.indisvalid, pg_get_indexdef(i.indexrelid))
    FROM ours AS o JOIN pg_index AS i ON i.indrelid = o.oid
    UNION ALL
    SELECT 'trigger', t.tgname, concat(t.tgenabled, pg_get_triggerdef(t.oid))
    FROM ours AS o JOIN pg_trigger AS t ON t.tgrelid = o.oid WHERE NOT t.tgisinternal
    UNION ALL
    SELECT 'policy', p.polname, concat_ws(' ', o.relname, p.polcmd, p.polpermissive,
           p.polroles::regrole[], pg_get_expr(p.polqual, o.oid),
           pg_get_expr(p.polwithcheck, o.oid))
    FROM ours AS o JOIN pg_policy AS p ON p.polrelid = o.oid
    UNION ALL
    SELECT 'rule', r.rulename, pg_get_ruledef(r.oid)
    FROM ours AS o JOIN pg_rewrite AS r ON r.ev_class = o.oid
    UNION ALL
    SELECT 'function', concat(proname, '(', pg_get_function_identity_arguments(oid), ')'),
           concat(proowner = (SELECT owner FROM home),
                  CASE WHEN prokind <> 'a' THEN pg_get_functiondef(oid) END)
    FROM functions
"""
# The owner's own rights are left out, and PUBLIC's use of a schema, which shows nothing.
_RIGHTS: Final = """
    , granted AS (
      SELECT relname AS what, relowner AS owner,
             coalesce(relacl, acldefault('r', relowner)) AS acl FROM ours WHERE relkind <> 'i'
      UNION ALL
      SELECT concat(o.relname, '.', a.attname), o.relowner, a.attacl
      FROM ours AS o JOIN pg_attribute AS a ON a.attrelid = o.oid
      WHERE a.attacl IS NOT NULL AND NOT a.attisdropped
      UNION ALL
      SELECT concat(proname, '()'), proowner, coalesce(proacl, acldefault('f', proowner))
      FROM functions
      UNION ALL
      SELECT 'the database', datdba, coalesce(datacl, acldefault('d', datdba)) FROM pg_database
      WHERE datname = current_database()
      UNION ALL
      SELECT 'the schema', n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner))
      FROM pg_namespace AS n WHERE n.oid = (SELECT schema FROM home)
    )
    SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee)::text END,
           concat(a.privilege_type, ' on ', g.what,
                  CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' END)
    FROM granted AS g, aclexplode(g.acl) AS a
    WHERE a.grantee NOT IN (g.owner, (SELECT owner FROM home))
      AND NOT (g.what = 'the schema' AND a.privilege_type = 'USAGE' AND a.grantee = 0)
"""
_RELATIONS: Final = """
    SELECT array_agg(c.relname::text)
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind NOT IN ('i', 't')
"""

Rights = set[tuple[str, str]]
"""Pairs of a grantee and a right."""


class _Expected(NamedTuple):
    """The schema of a new log: relations, objects, rights, and the rights of each role."""

    relations: list[str]
    objects: Objects
    rights: Rights
    of_role: dict[str, set[str]]


def _of_postgresql(database: Database) -> list[SchemaFault]:
    with database.engine.connect() as connection:
        connection.exec_driver_sql("SET TRANSACTION READ WRITE")
        try:
            secured = connection.scalar(sa.text(_SECURED), {"roles": list(ROLES)})
            expected = _new_schema(connection, secured=secured)
        except OperationalError:
            raise  # for instance a lock
        except DBAPIError as error:
            reason = str(error.orig).splitlines()[0]
            raise BadInput(
                f"the schema cannot be compared: {reason}; connect as the owner of the database"
            ) from error
        finally:
            connection.rollback()
        found = _objects(connection, expected.relations)
        rights = _rights(connection, expected.relations)
        around = Surroundings(connection, expected.relations)
        beside = around.objects()
        if secured:
            beside += around.powers({who for who, _ in rights} - {"PUBLIC"})
        connection.rollback()
    faults = _differences(found, expected.objects)
    faults += _right_faults(rights, expected, around)
    return faults + [SchemaFault(*one, "unexpected") for one in sorted(beside)]


def _right_faults(rights: Rights, expected: _Expected, around: Surroundings) -> list[SchemaFault]:
    """Compare rights. A login that was granted a role may have the rights of the role itself."""
    allowed = expected.rights | {
        (login, right) for login, role in around.granted for right in expected.of_role[role]
    }
    missing = expected.rights - rights
    faults = [
        SchemaFault("right", f"{who}: {right}", fault)
        for fault, those in (("missing", missing), ("unexpected", rights - allowed))
        for who, right in sorted(those)
    ]
    return faults + [
        SchemaFault("membership", f"{login}: {role}", "missing")
        for login, role in sorted(around.granted - around.members.keys())
        if not {(login, right) for right in expected.of_role[role]} <= rights
    ]


_SECURED: Final = """
    SELECT to_regclass('access_grant') IS NOT NULL
    OR EXISTS (SELECT FROM pg_class AS c, aclexplode(c.relacl) AS a
      WHERE c.oid = to_regclass('log_event') AND a.grantee IN
        (SELECT oid FROM pg_roles WHERE rolname = ANY(:roles)))
"""


def _new_schema(connection: Connection, *, secured: bool) -> _Expected:
    """Create the schema of a new log within the open transaction, and describe it."""
    name = f"sabot_check_{secrets.token_hex(8)}"
    connection.exec_driver_sql(f"CREATE SCHEMA {name}")
    connection.exec_driver_sql(f"SET LOCAL search_path = {name}")
    upgrade(connection)
    securing = Securing(connection)
    if secured:
        securing.secure({})  # it makes tables too
    relations = connection.exec_driver_sql(_RELATIONS).scalar_one()
    objects = _objects(connection, relations)
    rights = {
        (who, right)
        for who, right in _rights(connection, relations)
        # others, and PUBLIC before the roles are made, have rights here by default privileges only;
        # the migrations let pg_write_all_data append, as it could before
        if who in {*ROLES, "pg_write_all_data"}
        or (who == "PUBLIC" and (secured or right.endswith(_BESIDES)))
    }
    of_role = {
        role: _rights_given(connection, securing, role, relations) if secured else set()
        for role in ROLES
    }
    return _Expected(relations, objects, rights, of_role)


_BESIDES: Final = (" on the database", " on the schema")


def _rights_given(
    connection: Connection, securing: Securing, role: str, relations: list[str]
) -> set[str]:
    """Return the rights of a role."""
    with connection.begin_nested() as trial:
        securing.give(role, "PUBLIC")
        rights = _rights(connection, relations)
        trial.rollback()
    # the query leaves out the one of PUBLIC; the other is given to logins alone
    beside = {"USAGE on the schema", "CONNECT on the database"}
    return {right for who, right in rights if who == "PUBLIC"} | beside


def _objects(connection: Connection, tables: list[str]) -> Objects:
    schema = connection.exec_driver_sql("SELECT quote_ident(current_schema())").scalar_one()
    rows = connection.exec_driver_sql(_OURS + _OBJECTS, {"tables": tables})
    named = re.compile(rf"(?<![\w$]){re.escape(schema)}\.")
    objects = {(kind, named.sub("", name)): named.sub("", text) for kind, name, text in rows}
    if ("table", SHAPES) in objects:
        shapes = connection.exec_driver_sql(f"SELECT name, s::text FROM {SHAPES} AS s")  # noqa: S608
        objects.update({("event shape", name): text for name, text in shapes})
    return objects


def _rights(connection: Connection, tables: list[str]) -> Rights:
    rows = connection.exec_driver_sql(_OURS + _RIGHTS, {"tables": tables})
    return {(who, right) for who, right in rows}
