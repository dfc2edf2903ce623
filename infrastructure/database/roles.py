"""PostgreSQL roles: who may record what, keep the summary tables, review and audit.

The triggers of the log refuse changes by anyone, including the owner. The roles deny the daily
programs the right to drop a trigger. No role has a right to the table: those that record call a
function that sets index, version, clock and login itself. A trigger then checks that the role
permits each kind of event.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

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
_NOTE_GRANT: Final = "INSERT INTO {schema}.access_grant VALUES (%s, %s) ON CONFLICT DO NOTHING"


def secure(engine: Engine, logins: Mapping[str, Sequence[str]] | None = None) -> None:
    """Create the roles, give them exactly their rights, and take those of PUBLIC.

    The owner of the database may do this. Existing roles are kept. If the owner may not create a
    role, or may not grant an existing one, the logins get the rights of the role directly. Run it
    again after an upgrade, since new read models need new grants.

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
            Securing(connection).secure(logins or {})
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

    def secure(self, logins: Mapping[str, Sequence[str]]) -> None:
        """Create the roles, and grant each to its logins."""
        for table in (ACCESS_TABLE, GRANT_TABLE):
            self._connection.exec_driver_sql(table.replace("{schema}", self._schema))
        self._take_from("PUBLIC")
        quote = self._connection.dialect.identifier_preparer.quote_identifier
        for role in ROLES:
            made = self._tried(f"CREATE ROLE {role} NOLOGIN") or self._exists(role)
            if made:
                self._take_from(role)
                self.give(role, role)
            for login in logins.get(role, ()):
                name = quote(login)
                if not self._exists(login):
                    raise BadInput(f"there is no login {login}; make it with CREATE ROLE … LOGIN")
                if not (made and self._tried(f"GRANT {role} TO {name}")):
                    self.give(role, name)
                self._note_grant(login, role)

    def _note_grant(self, login: str, role: str) -> None:
        """Note what was granted, which `sabot store check` compares with what is there."""
        insert = _NOTE_GRANT.replace("{schema}", self._schema)
        self._connection.exec_driver_sql(insert, (login, role))

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
            f"CONNECT ON DATABASE {self._database}",
            f"USAGE ON SCHEMA {schema}",
            f"SELECT ON {log}, {signed}",
            *rights[role],
        ):
            self._connection.exec_driver_sql(f"GRANT {right} TO {grantee}")
