"""PostgreSQL roles: one records events, another maintains the read models.

The triggers of the log refuse changes by anyone, including the owner. The roles deny the daily
programs the right to drop a trigger.
"""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ProgrammingError

from sabot.domain.values.errors import BadInput

RECORDER: Final = "sabot_recorder"
"""May read and insert into the log, and stage an import in a temporary table."""

PROJECTOR: Final = "sabot_projector"
"""May read the log, and change the rows of the read models (``rm_…``)."""

APPENDING: Final = ("log_turn(jsonb)", "log_append(jsonb, text[], bigint[], bigint)")
"""Functions called by a recorder; they insert with the caller's rights."""

OF_TRIGGERS: Final = ("log_event_advances()", "log_refuses()")
"""Functions called by triggers only, which need no right to execute them."""


def secure(engine: Engine, users: Sequence[str] = ()) -> None:
    """Create the two roles and grant them exactly their rights.

    Existing roles are kept. Both are granted to the existing login roles ``users``; to grant only
    one, use ``GRANT sabot_recorder TO pit_12``. Run it again after an upgrade, since new read
    models need new grants.

    Raises:
        BadInput: the database has no roles, or the user may not create them.
    """
    if engine.dialect.name != "postgresql":
        raise BadInput("a SQLite file has no roles; guard it by the rights on its folder")
    try:
        with engine.begin() as connection:
            for role in (RECORDER, PROJECTOR):
                _make(connection, role)
            for statement in _grants(connection):
                connection.exec_driver_sql(statement)
            quote = connection.dialect.identifier_preparer.quote_identifier
            for user in users:
                connection.exec_driver_sql(f"GRANT {RECORDER}, {PROJECTOR} TO {quote(user)}")
    except ProgrammingError as error:
        raise BadInput(
            f"the roles cannot be made: {str(error.orig).splitlines()[0]}; "
            "connect as the owner of the database, with the right to make roles"
        ) from error


def _make(connection: Connection, role: str) -> None:
    # Roles belong to the server: another database may have created them concurrently.
    connection.exec_driver_sql(f"""
        DO $$ BEGIN
          CREATE ROLE {role} NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END $$
    """)


def _grants(connection: Connection) -> list[str]:
    # The driver reads a single % as a placeholder; names may contain one.
    database, schema = (
        name.replace("%", "%%")
        for name in connection.execute(
            sa.text("SELECT quote_ident(current_database()), quote_ident(current_schema())")
        ).one()
    )
    names = sa.inspect(connection).get_table_names()
    read_models = ", ".join(name for name in names if name.startswith("rm_"))
    signed = "evidence_key, evidence_checkpoint"
    both = f"{RECORDER}, {PROJECTOR}"
    appending = ", ".join(f"{schema}.{name}" for name in APPENDING)
    of_triggers = ", ".join(f"{schema}.{name}" for name in OF_TRIGGERS)
    return [
        f"REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {both}",
        # a database restored without its privileges grants them to PUBLIC again
        f"REVOKE ALL ON FUNCTION {appending}, {of_triggers} FROM PUBLIC, {both}",
        f"GRANT EXECUTE ON FUNCTION {appending} TO {RECORDER}",
        f"GRANT CONNECT ON DATABASE {database} TO {both}",
        f"GRANT TEMPORARY ON DATABASE {database} TO {RECORDER}",
        f"GRANT USAGE ON SCHEMA {schema} TO {both}",
        f"GRANT SELECT ON log_event, log_head, log_revision, {signed} TO {both}",
        f"GRANT INSERT ON log_event, {signed} TO {RECORDER}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON {read_models} TO {PROJECTOR}",
    ]
