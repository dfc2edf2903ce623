"""PostgreSQL roles: who may record what, keep the summary tables, review and audit.

The triggers of the log refuse changes by anyone, including the owner. The roles deny the daily
programs the right to drop a trigger. No role has a right to the table: those that record call a
function that sets index, version, clock and login itself. A trigger then checks that the role
permits each kind of event.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ProgrammingError

from sabot.domain.values.errors import BadInput

RECORDER: Final = "sabot_recorder"
"""May record every kind of event at tables, and stage an import in a temporary table."""

DEALER: Final = "sabot_dealer"
"""A dealer's device: may record at tables, except for rulings and corrections."""

SUPERVISOR: Final = "sabot_supervisor"
"""May record rulings and corrections, and adopt a rule pack."""

SURVEILLANCE: Final = "sabot_surveillance"
"""May read everything that an auditor reads, review findings and record audits."""

PROJECTOR: Final = "sabot_projector"
"""May read the log, and change the rows of the read models (``rm_…``)."""

AUDITOR: Final = "sabot_auditor"
"""May read the log, the read models and the access log."""

ADMINISTRATOR: Final = "sabot_administrator"
"""May read the log, the read models and the access log: for backups, and nothing else."""

ROLES: Final = (
    RECORDER, DEALER, SUPERVISOR, SURVEILLANCE, PROJECTOR, AUDITOR, ADMINISTRATOR,
)  # fmt: skip

APPENDING: Final = ("log_turn(jsonb)", "log_append(jsonb)")
"""Functions called by who records; they insert with the rights of the log's owner."""

DEALING: Final = "log_deal()"
"""Who may execute it, and may append, may record at tables, except for rulings."""

RULING: Final = "log_rule()"
"""Who may execute it, and may append, may record rulings and corrections."""

REVIEWING: Final = "log_review()"
"""Who may execute it, and may append, may record in the streams of the audit."""

INNER: Final = (
    "log_event_advances()", "log_event_permitted()", "log_refuses()",
    "log_texts_fit(jsonb, jsonb)", "log_event_fits(jsonb)", "log_unfit(jsonb)",
)  # fmt: skip
"""Functions called by triggers and other functions only; no role may execute them."""

SIGNED: Final = ("evidence_key", "evidence_checkpoint")
"""The tables of checkpoints and keys. A recorder signs what it records, by functions."""

SIGNING: Final = ("log_checkpoint(text, text)", "log_key(text, bigint)")
"""Functions called by a recorder; they store a checkpoint or the log's key."""

ACCESSES: Final = "access_log"
"""The table of who read case files, exports and names (`sabot.infrastructure.access_log`)."""

ACCESS_TABLE: Final = f"""
    CREATE TABLE IF NOT EXISTS {{schema}}.{ACCESSES} (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      login text NOT NULL DEFAULT session_user,
      verb text NOT NULL, what text NOT NULL
    )
"""

GRANTS: Final = "access_grant"
"""The table of logins to which `secure` granted roles. Only the owner may read it."""

GRANT_TABLE: Final = f"""
    CREATE TABLE IF NOT EXISTS {{schema}}.{GRANTS} (
      login text NOT NULL, role text NOT NULL, PRIMARY KEY (login, role)
    )
"""
_NOTED: Final = "SELECT login FROM {schema}.access_grant WHERE role = %s ORDER BY login"
_NOTE_GRANT: Final = "INSERT INTO {schema}.access_grant VALUES (%s, %s) ON CONFLICT DO NOTHING"


class Secured(NamedTuple):
    """What `secure` did.

    Attributes:
        granted: the logins that have each role in this database.
        taken: other grantees, whose rights on the log were taken.
        foreign: the roles that somebody else on this server may grant, so they have no rights here.
    """

    granted: dict[str, list[str]]
    taken: list[str]
    foreign: list[str]


def secure(engine: Engine, logins: Mapping[str, Sequence[str]] | None = None) -> Secured:
    """Create the roles, give them exactly their rights, and take those of everybody else.

    The owner of the database may do this. Roles belong to the whole server. So only the logins
    named for this database may connect to it, and an existing role is used only if nobody but the
    owner of this database and superusers may grant it. Otherwise, or if the owner may not grant the
    role, the logins get the rights of the role directly. Run it again after an upgrade, since new
    read models need new grants.

    Args:
        engine: connects as the owner.
        logins: the existing logins to which each role is granted.

    Raises:
        BadInput: the database has no roles, there is no such login, or the user is not the owner.
    """
    if engine.dialect.name != "postgresql":
        raise BadInput("a SQLite file has no roles; guard it by the rights on its folder")
    try:
        with engine.begin() as connection:
            return Securing(connection).secure(logins or {})
    except ProgrammingError as error:
        raise BadInput(
            f"the roles cannot be made: {str(error.orig).splitlines()[0]}; "
            "connect as the owner of the database"
        ) from error


_RIGHTS: Final = (
    (re.compile(r"rulings and corrections"), "supervisor"),
    (re.compile(r"streams of the audit"), "surveillance"),
    (re.compile(r"what happens at tables"), "dealer"),
    (re.compile(r"\blog_(append|turn|stage|checkpoint|key)\b|temporary tables"), "recorder"),
    (re.compile(r"\brm_"), "projector"),
    (re.compile(r"\blog_|\bevidence_"), "recorder"),
)


def role_for(refusal: str) -> str:
    """Return text that names the role with the right that a login lacks.

    It is the end of an error message. ``refusal`` is the server's sentence. The result is empty if
    the sentence does not name a table or function of the log.
    """
    role = next((role for pattern, role in _RIGHTS if pattern.search(refusal)), None)
    if role is None:
        return ""
    whose = role if role == "surveillance" else f"the {role}"
    return (
        f". It takes the role of {whose}, which the owner of the database grants with "
        f"`sabot store secure --{role} LOGIN`"
    )


# Whoever may act as the owner of the database may grant its roles too.
_FOREIGN: Final = """
    SELECT EXISTS (SELECT FROM pg_auth_members AS m, pg_database AS d
      WHERE m.roleid = to_regrole(:role) AND m.admin_option AND d.datname = current_database()
        AND NOT pg_has_role(m.member, d.datdba, 'MEMBER')
        AND m.member <> to_regrole(quote_ident(current_user)))
"""
_HAS_ROLE: Final = """
    SELECT EXISTS (SELECT FROM pg_auth_members AS m JOIN pg_roles AS r ON r.oid = m.member
      WHERE m.roleid = to_regrole(:role) AND r.rolname = :login AND m.inherit_option)
"""
# Earlier versions let the role connect, and did not note to whom they granted it.
_FORMER_MEMBERS: Final = """
    SELECT r.rolname FROM pg_auth_members AS m JOIN pg_roles AS r ON r.oid = m.member
    WHERE m.roleid = to_regrole(:role) AND m.inherit_option AND EXISTS (
      SELECT FROM pg_database AS d, aclexplode(d.datacl) AS a WHERE d.datname = current_database()
        AND a.grantee = to_regrole(:role) AND a.privilege_type = 'CONNECT')
"""
# A member of pg_write_all_data may write all tables anyway; the migrations let it append.
_GRANTEES: Final = """
    WITH relations AS (
      SELECT c.* FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = current_schema() AND c.relname ~ '^(log|evidence|rm|access)_'
    ), granted AS (
      SELECT 'TABLE' AS kind, oid::regclass::text AS name, relowner AS owner, relacl AS acl
      FROM relations
      UNION ALL
      SELECT 'TABLE', c.oid::regclass::text, c.relowner, a.attacl
      FROM relations AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
      UNION ALL
      SELECT 'ROUTINE', p.oid::regprocedure::text, p.proowner, p.proacl
      FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
      WHERE n.nspname = current_schema() AND starts_with(p.proname, 'log_')
    )
    SELECT r.rolname, quote_ident(r.rolname), g.kind, string_agg(DISTINCT g.name, ', ')
    FROM granted AS g, aclexplode(g.acl) AS a JOIN pg_roles AS r ON r.oid = a.grantee
    WHERE a.grantee <> g.owner AND r.rolname <> 'pg_write_all_data' GROUP BY 1, 2, 3
"""


class Securing:
    """Makes and grants the roles within one transaction.

    The tables are those of the current schema.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        # The driver reads a single % as a placeholder; names may contain one.
        self._database, self._schema = (
            name.replace("%", "%%")
            for name in connection.execute(
                sa.text("SELECT quote_ident(current_database()), quote_ident(current_schema())")
            ).one()
        )
        self._read_models = [
            f"{self._schema}.{name}"
            for name in sa.inspect(connection).get_table_names()
            if name.startswith("rm_")
        ]

    def secure(self, logins: Mapping[str, Sequence[str]]) -> Secured:
        """Create the roles, and grant each to its logins."""
        for table in (ACCESS_TABLE, GRANT_TABLE):
            self._connection.exec_driver_sql(table.replace("{schema}", self._schema))
        made = [r for r in ROLES if self._tried(f"CREATE ROLE {r} NOLOGIN") or self._exists(r)]
        foreign = [role for role in made if self._asked(_FOREIGN, role)]
        used = set(made) - set(foreign)
        for role in used:
            for login in self._connection.scalars(sa.text(_FORMER_MEMBERS), {"role": role}):
                self._note_grant(login, role)
        for role, named in logins.items():
            for login in named:
                if not self._exists(login):
                    raise BadInput(f"there is no login {login}; make it with CREATE ROLE … LOGIN")
                self._note_grant(login, role)
        for taken in ("PUBLIC", *made):
            self._take_from(taken)
        grantees = self._take_from_grantees()
        for role in used:
            self.give(role, role)
        granted = {
            role: [
                each
                for each in self._noted(role)
                if self._grant(
                    role,
                    each,
                    named=each in logins.get(role, ()),
                    used=role in used,
                    direct=each in grantees,
                )
            ]
            for role in ROLES
        }
        others = grantees.difference(ROLES, *granted.values())
        return Secured(granted, sorted(others), foreign)

    def _grant(self, role: str, login: str, *, named: bool, used: bool, direct: bool) -> bool:
        """Give a login what it had or now gets. Return whether it has the role in this database."""
        name = self._connection.dialect.identifier_preparer.quote_identifier(login)
        if named and used:
            self._tried(f"GRANT {role} TO {name}")
        member = self._asked(_HAS_ROLE, role, login)
        if not (named or member or direct):
            return False  # somebody took the role from it
        self._connection.exec_driver_sql(f"GRANT CONNECT ON DATABASE {self._database} TO {name}")
        if not (used and member):
            self.give(role, name)
        return True

    def _take_from_grantees(self) -> set[str]:
        """Revoke everybody's rights on the log except its owner's. Return who had any.

        Default privileges, for instance, can give rights on each new table.
        """
        found = self._connection.exec_driver_sql(_GRANTEES).all()
        for _, quoted, kind, names in found:
            statement = f"REVOKE ALL ON {kind} {names} FROM {quoted} CASCADE"
            self._connection.exec_driver_sql(statement.replace("%", "%%"))
        return {name for name, *_ in found}

    def _note_grant(self, login: str, role: str) -> None:
        """Note what was granted, which `sabot store check` compares with what is there."""
        insert = _NOTE_GRANT.replace("{schema}", self._schema)
        self._connection.exec_driver_sql(insert, (login, role))

    def _noted(self, role: str) -> list[str]:
        """Return the logins that were named for a role, and that exist."""
        query = _NOTED.replace("{schema}", self._schema)
        noted = self._connection.exec_driver_sql(query, (role,)).scalars().all()
        return [login for login in noted if self._exists(login)]

    def _asked(self, query: str, role: str, login: str = "") -> bool:
        given = {"role": role, "login": login} if login else {"role": role}
        return bool(self._connection.scalar(sa.text(query), given))

    def _give_accesses(self, role: str, grantee: str) -> None:
        """Let a role add rows to the access log, in which the server sets time and login."""
        table = f"{self._schema}.{ACCESSES}"
        self._connection.exec_driver_sql(f"GRANT INSERT (verb, what) ON {table} TO {grantee}")
        if role in {AUDITOR, ADMINISTRATOR}:
            self._connection.exec_driver_sql(f"GRANT SELECT ON {table} TO {grantee}")

    def _exists(self, role: str) -> bool:
        query = sa.text("SELECT 1 FROM pg_roles WHERE rolname = :role")
        return self._connection.scalar(query, {"role": role}) is not None

    def _tried(self, statement: str) -> bool:
        """Execute a statement, and return whether it was permitted."""
        try:
            with self._connection.begin_nested():
                self._connection.exec_driver_sql(statement)
        except sa.exc.DBAPIError:
            return False
        return True

    def _take_from(self, grantee: str) -> None:
        """Revoke all rights of a role.

        A database that was restored without its privileges grants some to PUBLIC.
        """
        functions = ", ".join(
            f"{self._schema}.{name}"
            for name in (*APPENDING, *SIGNING, DEALING, RULING, REVIEWING, *INNER)
        )
        for rights in (
            f"ALL ON ALL TABLES IN SCHEMA {self._schema}",
            f"ALL ON FUNCTION {functions}",
            f"CREATE ON SCHEMA {self._schema}",
            f"CONNECT, TEMPORARY ON DATABASE {self._database}",
        ):
            self._connection.exec_driver_sql(f"REVOKE {rights} FROM {grantee}")

    def give(self, role: str, grantee: str) -> None:
        """Grant the rights of a role to a quoted name, after `secure` has made the tables."""
        self._give_accesses(role, grantee)
        schema, read_models = self._schema, ", ".join(self._read_models)
        log = ", ".join(f"{schema}.{name}" for name in ("log_event", "log_head", "log_revision"))
        signed = ", ".join(f"{schema}.{name}" for name in SIGNED)
        appending = ", ".join(f"{schema}.{name}" for name in (*APPENDING, *SIGNING))
        appends = f"EXECUTE ON FUNCTION {appending}"
        deals, rules, reviews = (
            f"EXECUTE ON FUNCTION {schema}.{name}" for name in (DEALING, RULING, REVIEWING)
        )
        reads = f"SELECT ON {read_models}"
        stages = f"TEMPORARY ON DATABASE {self._database}"
        rights = {
            RECORDER: (appends, deals, rules, stages),
            DEALER: (appends, deals),
            SUPERVISOR: (appends, rules),
            SURVEILLANCE: (appends, reviews, reads),
            PROJECTOR: (f"SELECT, INSERT, UPDATE, DELETE ON {read_models}",),
            AUDITOR: (reads,),
            ADMINISTRATOR: (reads,),
        }
        for right in (
            f"USAGE ON SCHEMA {schema}",
            f"SELECT ON {log}, {signed}",
            *rights[role],
        ):
            self._connection.exec_driver_sql(f"GRANT {right} TO {grantee}")
