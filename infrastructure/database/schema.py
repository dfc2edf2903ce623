"""The tables of the log, as queries see them; the migrations make them.

``log_event`` holds the events, a row each, for ever. ``log_head`` is one row: the log's origin
and the index of its last event. An insert that does not go on from the head is refused by the
database itself, and the head moves with the insert, so the order of the log has no gap and no
event can come before one that a reader has seen. ``rm_tracking`` keeps how far a follower has
come; what begins with ``rm_`` is a read model and can be rebuilt from the log. ``rm_protection``
is the state of those who follow the tests of foreknowledge (`sabot.infrastructure.detect_follow`).

The log is not partitioned. A partitioned table's unique keys must contain the partition key,
and none of ours has a time in it: a stream's versions, an event id, a device's running number.
They would have to move to tables of their own, an insert more for each event, to gain what a log
that is never thinned out does not need: a quick way to drop old rows. New rows go to the right
edge of each index (live shoes and live devices are few), so inserts do not slow down as it
grows; benchmarks/store.py --prefill shows it.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

REVISION_TABLE = "log_revision"
"""Where Alembic keeps the revision; its own name, since a database may be shared."""

# SQLite numbers its rows by a column that is INTEGER to the letter; its STRICT tables know
# INTEGER and TEXT only. Keys compare by bytes on both stores, whatever the database's locale.
WHOLE = BigInteger().with_variant(Integer(), "sqlite")
KEY = Text().with_variant(Text(collation="C"), "postgresql")

log_event = Table(
    "log_event",
    metadata,
    Column("id", WHOLE, primary_key=True, autoincrement=False),
    Column("event_id", KEY),
    Column("stream", KEY, nullable=False),
    Column("version", WHOLE, nullable=False),
    Column("name", KEY, nullable=False),
    Column("at_us", WHOLE),
    Column("recorded_us", WHOLE, nullable=False),
    Column("actor", Text, nullable=False),
    Column("device", KEY, nullable=False),
    Column("seq", WHOLE),
    Column("payload", Text, nullable=False),
    UniqueConstraint("stream", "version", name="log_event_version_once"),
    sqlite_strict=True,
)
Index(
    "log_event_id_once",
    log_event.c.event_id,
    unique=True,
    sqlite_where=log_event.c.event_id.is_not(None),
    postgresql_where=log_event.c.event_id.is_not(None),
)
Index(
    "log_event_seq_once",
    log_event.c.device,
    log_event.c.seq,
    unique=True,
    sqlite_where=log_event.c.seq.is_not(None),
    postgresql_where=log_event.c.seq.is_not(None),
)

log_head = Table(
    "log_head",
    metadata,
    Column("one", Boolean().with_variant(Integer(), "sqlite"), primary_key=True),
    Column("origin", Text, nullable=False),
    Column("last_id", WHOLE, nullable=False),
    CheckConstraint("one = true", name="log_head_only_one"),
    sqlite_strict=True,
)

rm_tracking = Table(
    "rm_tracking",
    metadata,
    Column("follower", Text, primary_key=True),
    Column("last_id", WHOLE, nullable=False),
    sqlite_strict=True,
)

rm_protection = Table(
    "rm_protection",
    metadata,
    Column("asked", KEY, primary_key=True),
    Column("program", Text, nullable=False),
    Column("last_id", WHOLE, nullable=False),
    Column("state", LargeBinary, nullable=False),
    sqlite_strict=True,
)
