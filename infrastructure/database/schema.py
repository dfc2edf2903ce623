"""The tables of the log for queries.

The migrations create them. ``log_event`` holds the events, one row each, permanently. Its columns
``at_us``, ``recorded_us``, ``actor``, ``device`` and ``seq`` are data of the sender. ``stored_us``
and ``login`` are set by the store itself. On PostgreSQL they are the server's clock and the
authenticated user. On SQLite they are the clock and the user of the process. They are null in
events that are older than the columns. ``source`` is the place of an imported event in the log that
it comes from, ``ORIGIN#INDEX``. ``log_head`` has one row: the log's origin and the index of its
last event. The database refuses an insert that does not continue from the head, and moves the head
with the insert, so indexes have no gaps and no event can appear before one already read.
``rm_tracking`` keeps the position of each follower. Tables with prefix ``rm_`` are read models and
can be rebuilt from the log.

The log is not partitioned. The unique keys of a partitioned table must contain the partition key,
which would be a time. The log's unique keys have no time: stream and version, event id, device and
sequence number. They would need tables of their own, with one more insert per event. The benefit of
partitions, dropping old rows quickly, is not needed for a log that is never pruned. New rows go to
the right edge of each index (few shoes and devices are active), so inserts do not slow down as the
log grows; benchmarks/store.py --prefill shows it.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

REVISION_TABLE = "log_revision"
"""Alembic's revision table, with its own name since a database may be shared."""

# SQLite's row id must be a column of type INTEGER exactly; its STRICT tables know INTEGER and TEXT
# only. Keys compare by bytes on both databases, whatever the locale.
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
    Column("stored_us", WHOLE),
    Column("login", KEY),
    Column("source", KEY),
    UniqueConstraint("stream", "version", name="log_event_version_once"),
    sqlite_strict=True,
)
# These are partial. SQLAlchemy would load PostgreSQL's dialect, for every verb, to learn this. The
# first two are of the rows WHERE the identity IS NOT NULL, the third is of those WHERE `LOADINGS`.
Index("log_event_id_once", log_event.c.event_id, unique=True)
Index("log_event_seq_once", log_event.c.device, log_event.c.seq, unique=True)
Index("log_event_loadings", log_event.c.id)

LOADING_NAMES = frozenset({"shoe-loaded", "fact-corrected"})
"""The kinds of events that can state the table of a shoe."""

LOADINGS = "name IN ('shoe-loaded', 'fact-corrected')"
"""The condition of the index of these events. Databases use it if a query has the same words."""

log_head = Table(
    "log_head",
    metadata,
    Column("one", Boolean().with_variant(Integer(), "sqlite"), primary_key=True),
    Column("origin", Text, nullable=False),
    Column("last_id", WHOLE, nullable=False),
    CheckConstraint("one = true", name="log_head_only_one"),
    sqlite_strict=True,
)

evidence_key = Table(
    "evidence_key",
    metadata,
    Column("verifier_key", KEY, primary_key=True),
    Column("since", WHOLE, nullable=False),
    Column("made_us", WHOLE, nullable=False),
    sqlite_strict=True,
)

evidence_checkpoint = Table(
    "evidence_checkpoint",
    metadata,
    Column("size", WHOLE, primary_key=True, autoincrement=False),
    Column("note", Text, nullable=False),
    Column("subtrees", Text, nullable=False),
    Column("made_us", WHOLE, nullable=False),
    sqlite_strict=True,
)

rm_tracking = Table(
    "rm_tracking",
    metadata,
    Column("follower", Text, primary_key=True),
    Column("last_id", WHOLE, nullable=False),
    sqlite_strict=True,
)
