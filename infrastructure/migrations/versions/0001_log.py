"""The log: its events, its head, and the triggers that protect them."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables and the triggers that protect them."""
    _make_tables()
    head = sa.table("log_head", sa.column("one"), sa.column("origin"), sa.column("last_id"))
    origin = f"sabot/{secrets.token_hex(8)}"
    op.execute(sa.insert(head).values(one=sa.literal_column("true"), origin=origin, last_id=0))
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        statements: tuple[str, ...] = SQLITE_GUARDS
    else:
        # The driver reads a single % as a placeholder; the name of a schema may contain one.
        schema = connection.scalar(
            sa.text("SELECT replace(quote_ident(current_schema()), '%', '%%')")
        )
        statements = tuple(text.replace("{schema}", schema) for text in POSTGRESQL_GUARDS)
    for statement in statements:
        connection.exec_driver_sql(statement)


def _make_tables() -> None:
    op.create_table(
        "log_event",
        sa.Column("id", WHOLE, primary_key=True, autoincrement=False),
        sa.Column("event_id", KEY),
        sa.Column("stream", KEY, nullable=False),
        sa.Column("version", WHOLE, nullable=False),
        sa.Column("name", KEY, nullable=False),
        sa.Column("at_us", WHOLE),
        sa.Column("recorded_us", WHOLE, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("device", KEY, nullable=False),
        sa.Column("seq", WHOLE),
        sa.Column("payload", sa.Text, nullable=False),
        sa.UniqueConstraint("stream", "version", name="log_event_version_once"),
        sqlite_strict=True,
    )
    _unique("log_event_id_once", ["event_id"], where="event_id IS NOT NULL")
    _unique("log_event_seq_once", ["device", "seq"], where="seq IS NOT NULL")
    op.create_table(
        "log_head",
        sa.Column("one", sa.Boolean().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("last_id", WHOLE, nullable=False),
        sa.CheckConstraint("one = true", name="log_head_only_one"),
        sqlite_strict=True,
    )
    op.create_table(
        "rm_tracking",
        sa.Column("follower", sa.Text, primary_key=True),
        sa.Column("last_id", WHOLE, nullable=False),
        sqlite_strict=True,
    )


def _unique(name: str, columns: list[str], where: str) -> None:
    """Create a unique index of the rows that have a key. Most events lack one of the two keys."""
    some = sa.text(where)
    op.create_index(
        name, "log_event", columns, unique=True, sqlite_where=some, postgresql_where=some
    )


# REPLACE deletes conflicting rows without firing the delete trigger, so each key is checked before
# the insert. RAISE works inside a REPLACE too. The head is updated by its key, because otherwise
# SQLite creates a temporary table for each row, which takes three times as long as the rest.
SQLITE_GUARDS = (
    """
    CREATE TRIGGER log_event_appends BEFORE INSERT ON log_event
    WHEN NEW.id IS NOT (SELECT last_id + 1 FROM log_head)
      OR EXISTS (SELECT 1 FROM log_event WHERE id = NEW.id)
      OR EXISTS (SELECT 1 FROM log_event WHERE stream = NEW.stream AND version = NEW.version)
      OR EXISTS (SELECT 1 FROM log_event WHERE event_id = NEW.event_id)
      OR EXISTS (SELECT 1 FROM log_event WHERE device = NEW.device AND seq = NEW.seq)
    BEGIN
      SELECT RAISE(ABORT, 'the log is append-only: this row does not go on from its head');
    END
    """,
    """
    CREATE TRIGGER log_event_advances AFTER INSERT ON log_event
    BEGIN
      UPDATE log_head SET last_id = NEW.id WHERE one = 1;
    END
    """,
    """
    CREATE TRIGGER log_event_keeps BEFORE UPDATE ON log_event
    BEGIN
      SELECT RAISE(ABORT, 'the log is append-only: no event is ever changed');
    END
    """,
    """
    CREATE TRIGGER log_event_stays BEFORE DELETE ON log_event
    BEGIN
      SELECT RAISE(ABORT, 'the log is append-only: no event is ever deleted');
    END
    """,
    """
    CREATE TRIGGER log_head_single BEFORE INSERT ON log_head
    BEGIN
      SELECT RAISE(ABORT, 'the log has one head');
    END
    """,
    """
    CREATE TRIGGER log_head_follows BEFORE UPDATE ON log_head
    WHEN NEW.one IS NOT OLD.one
      OR NEW.last_id IS NOT (SELECT coalesce(max(id), 0) FROM log_event)
      OR NEW.last_id < OLD.last_id
      OR (NEW.origin IS NOT OLD.origin AND OLD.last_id > 0)
    BEGIN
      SELECT RAISE(ABORT, 'the head of the log moves with its last event only');
    END
    """,
    """
    CREATE TRIGGER log_head_stays BEFORE DELETE ON log_head
    BEGIN
      SELECT RAISE(ABORT, 'the head of the log is never deleted');
    END
    """,
)

# An insert moves the head with the owner's rights, so a recorder needs only INSERT and SELECT. The
# head cannot be updated directly, except for the origin of an empty log.
# ENABLE ALWAYS: the triggers also fire in a replication session.
POSTGRESQL_GUARDS = (
    """
    CREATE FUNCTION log_turn(streams jsonb)
    RETURNS TABLE (last_id bigint, stream text, version bigint)
    LANGUAGE plpgsql AS $$
    BEGIN
      -- Writers queue here, so that they commit in the order of their indexes. The lock is held
      -- until the commit can be seen; what follows reads what the writer before has written.
      PERFORM pg_advisory_xact_lock(hashtext('sabot'), hashtext('log_turn'));
      RETURN QUERY
        SELECT h.last_id, s.stream,
               (SELECT max(e.version) FROM log_event e WHERE e.stream = s.stream)
        FROM log_head h, jsonb_array_elements_text(streams) AS s (stream);
    END $$
    """,
    # The whole append in one statement, so that no writer waits for another's round trip.
    # An event is [place of its stream in streams, its number within this batch and stream, event
    # id, name, clocks, …]. A null head means that nothing was written, since a stream had grown.
    # The plans do not depend on the values, and planning takes longer than appending.
    """
    CREATE FUNCTION log_append(
      events jsonb, streams text[], expected bigint[], now_us bigint,
      OUT head bigint, OUT versions bigint[]
    ) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('sabot'), hashtext('log_turn'));
      versions := ARRAY(
        SELECT coalesce((SELECT max(e.version) FROM log_event e WHERE e.stream = s.stream), 0)
        FROM unnest(streams) WITH ORDINALITY AS s (stream, place) ORDER BY s.place
      );
      IF expected <> versions[:cardinality(expected)] THEN
        RETURN;
      END IF;
      head := (SELECT last_id FROM log_head);
      INSERT INTO log_event
        SELECT head + place, f->>2, streams[(f->>0)::int],
               versions[(f->>0)::int] + (f->>1)::bigint, f->>3, (f->>4)::bigint,
               coalesce((f->>5)::bigint, now_us), f->>6, f->>7, (f->>8)::bigint, f->>9
        FROM jsonb_array_elements(events) WITH ORDINALITY AS x (f, place);
    END $$
    """,
    """
    CREATE FUNCTION log_event_advances() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
    BEGIN
      UPDATE log_head SET last_id = a.last
      FROM (SELECT min(id) AS first, max(id) AS last, count(*) AS number FROM added) AS a
      WHERE log_head.last_id = a.first - 1 AND a.number = a.last - a.first + 1;
      IF FOUND THEN
        PERFORM pg_notify('sabot_log', '');
      ELSIF EXISTS (SELECT FROM added) THEN
        RAISE restrict_violation
          USING MESSAGE = 'the log is append-only: these rows do not go on from its head';
      END IF;
      RETURN NULL;
    END $$
    """,
    """
    CREATE FUNCTION log_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE restrict_violation
        USING MESSAGE = concat('the log is append-only: no ', TG_OP, ' on ', TG_TABLE_NAME);
    END $$
    """,
    """
    CREATE TRIGGER log_event_advances AFTER INSERT ON log_event
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION log_event_advances()
    """,
    """
    CREATE TRIGGER log_event_keeps BEFORE UPDATE OR DELETE OR TRUNCATE ON log_event
    FOR EACH STATEMENT EXECUTE FUNCTION log_refuses()
    """,
    """
    CREATE TRIGGER log_head_follows BEFORE UPDATE ON log_head FOR EACH ROW
    WHEN (pg_trigger_depth() = 0 AND (NEW.last_id <> OLD.last_id OR OLD.last_id > 0))
    EXECUTE FUNCTION log_refuses()
    """,
    """
    CREATE TRIGGER log_head_stays BEFORE INSERT OR DELETE OR TRUNCATE ON log_head
    FOR EACH STATEMENT EXECUTE FUNCTION log_refuses()
    """,
    "ALTER TABLE log_event ENABLE ALWAYS TRIGGER log_event_advances",
    "ALTER TABLE log_event ENABLE ALWAYS TRIGGER log_event_keeps",
    "ALTER TABLE log_head ENABLE ALWAYS TRIGGER log_head_follows",
    "ALTER TABLE log_head ENABLE ALWAYS TRIGGER log_head_stays",
)
