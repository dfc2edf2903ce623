"""Who may do what, on PostgreSQL: one role records, another keeps the read models.

The triggers of the log refuse changes to everybody, its owner too; the roles take the right to
drop a trigger from the programs that run every day.
"""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ProgrammingError

from sabot.domain.values.errors import BadInput

RECORDER: Final = "sabot_recorder"
"""May read the log and insert into it, and stage an import in a table of its own."""

PROJECTOR: Final = "sabot_projector"
"""May read the log, and do as it likes with the rows of the read models (``rm_…``)."""

APPENDING: Final = ("log_turn(jsonb)", "log_append(jsonb, text[], bigint[], bigint)")
"""Functions that a recorder calls; they insert with the caller's own rights."""

OF_TRIGGERS: Final = ("log_event_advances()", "log_refuses()")
"""Functions that triggers call, which takes no right to run them; nobody else does."""


def secure(engine: Engine, users: Sequence[str] = ()) -> None:
    """Make the two roles where they are missing, and give them their rights and no others.

    Both are granted to ``users``, who log in and are there already; to grant one alone, say
    ``GRANT sabot_recorder TO pit_12``. Do it again after an upgrade: new read models need new
    grants.

    Raises:
        BadInput: the store has no roles, or who runs this may not make them.
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
    # Roles are the whole server's: another database may have made them, even just now.
    connection.exec_driver_sql(f"""
        DO $$ BEGIN
          CREATE ROLE {role} NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END $$
    """)


def _grants(connection: Connection) -> list[str]:
    # The driver takes a single % for a place of a value; names may hold one.
    database, schema = (
        name.replace("%", "%%")
        for name in connection.execute(
            sa.text("SELECT quote_ident(current_database()), quote_ident(current_schema())")
        ).one()
    )
    names = sa.inspect(connection).get_table_names()
    read_models = ", ".join(name for name in names if name.startswith("rm_"))
    both = f"{RECORDER}, {PROJECTOR}"
    appending = ", ".join(f"{schema}.{name}" for name in APPENDING)
    of_triggers = ", ".join(f"{schema}.{name}" for name in OF_TRIGGERS)
    return [
        f"REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {both}",
        # a database that was restored without its privileges has them for PUBLIC again
        f"REVOKE ALL ON FUNCTION {appending}, {of_triggers} FROM PUBLIC, {both}",
        f"GRANT EXECUTE ON FUNCTION {appending} TO {RECORDER}",
        f"GRANT CONNECT ON DATABASE {database} TO {both}",
        f"GRANT TEMPORARY ON DATABASE {database} TO {RECORDER}",
        f"GRANT USAGE ON SCHEMA {schema} TO {both}",
        f"GRANT SELECT ON log_event, log_head, log_revision TO {both}",
        f"GRANT INSERT ON log_event TO {RECORDER}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON {read_models} TO {PROJECTOR}",
    ]
