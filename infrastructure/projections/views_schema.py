"""The schema of the summary tables.

Migration 0002 creates them; 0004 and 0005 extend them. Amounts are in minor units of the shoe's
currency. ``_us`` columns are microseconds since 1970 (UTC), by the table's clock if the record has
one (`with_table_times` of `sabot.domain.events.points_in_time`). ``_index`` columns are log
indexes. Booleans are 1 and 0. A sum beyond 64 bits is limited to the largest number.
"""

from typing import Final

from sqlalchemy import Column, Index, Table, Text

from sabot.infrastructure.database.schema import KEY, WHOLE, metadata

FOLLOWER: Final = "read-models"
"""The follower name of the read models in ``rm_tracking``."""


def _whole(*names: str) -> list[Column[int]]:
    return [Column(name, WHOLE, nullable=False) for name in names]


def _since_0004(*names: str) -> list[Column[int]]:
    return [Column(name, WHOLE, nullable=False, server_default="0") for name in names]


def _maybe(*names: str) -> list[Column[int]]:
    return [Column(name, WHOLE) for name in names]


def _text(*names: str) -> list[Column[str]]:
    return [Column(name, Text) for name in names]


rm_shoe = Table(
    "rm_shoe",
    metadata,
    Column("stream", KEY, primary_key=True),
    Column("name", KEY, nullable=False),
    Column("table_name", KEY),
    Column("state", Text, nullable=False),
    Column("scope", Text, nullable=False),
    *_text("pack", "pack_version", "pack_sha256", "currency", "batch"),
    *_whole("minor_units", "decks", "version", "first_index", "last_index", "first_us", "last_us"),
    *_maybe("ended_index", "ended_us"),
    *_whole(
        "coups", "player_wins", "banker_wins", "ties", "voids", "free_hands", "cards_out",
        "cards_burned", "bets", "handle", "taken", "paid", "commission", "marked", "collected",
        "owed", "requests", "irregularities", "corrections",
    ),
    *_since_0004("bank_won", "levy"),
    sqlite_strict=True,
)  # fmt: skip
Index("rm_shoe_at_table", rm_shoe.c.table_name, rm_shoe.c.first_index)

rm_coup = Table(
    "rm_coup",
    metadata,
    Column("stream", KEY, primary_key=True),
    Column("coup", WHOLE, primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False),
    *_whole("free", "first_index", "last_index", "first_us", "last_us"),
    *_text("dealer", "holder", "player", "banker"),
    *_maybe("player_total", "banker_total", "player_called", "banker_called"),
    *_text("called", "came"),
    *_whole("bets", "handle", "taken", "paid", "commission", "irregularities"),
    *_since_0004("bank_won", "levy"),
    *_text("right_hand", "left_hand"),
    *_maybe("right_total", "left_total"),
    *_text("right_came", "left_came"),
    sqlite_strict=True,
)

rm_bet = Table(
    "rm_bet",
    metadata,
    Column("stream", KEY, primary_key=True),
    Column("coup", WHOLE, primary_key=True, autoincrement=False),
    Column("bet", WHOLE, primary_key=True, autoincrement=False),
    Column("patron", KEY, nullable=False),
    Column("wager", KEY, nullable=False),
    *_maybe("seat"),
    Column("state", Text, nullable=False),
    *_whole(
        "carried", "placed", "amount", "placed_index", "placed_us", "last_index", "paid", "taken",
        "marked", "collected", "net",
    ),
    sqlite_strict=True,
)  # fmt: skip
Index("rm_bet_of_patron", rm_bet.c.patron, rm_bet.c.placed_index)

rm_ledger = Table(
    "rm_ledger",
    metadata,
    Column("log_index", WHOLE, primary_key=True, autoincrement=False),
    Column("stream", KEY, nullable=False),
    Column("at_us", WHOLE, nullable=False),
    Column("patron", KEY),
    Column("kind", Text, nullable=False),
    *_maybe("coup", "bet"),
    *_text("wager"),
    *_whole("chips", "result", "owed"),
    sqlite_strict=True,
)
Index("rm_ledger_of_patron", rm_ledger.c.patron, rm_ledger.c.log_index)
Index("rm_ledger_of_stream", rm_ledger.c.stream)

rm_commission = Table(
    "rm_commission",
    metadata,
    Column("stream", KEY, primary_key=True),
    Column("patron", KEY, primary_key=True),
    *_whole("at_once", "marked", "collected", "owed", "last_index"),
    sqlite_strict=True,
)

rm_felt = Table(
    "rm_felt",
    metadata,
    Column("stream", KEY, primary_key=True),
    Column("last_index", WHOLE, nullable=False),
    Column("felt", Text, nullable=False),
    sqlite_strict=True,
)

rm_table = Table(
    "rm_table",
    metadata,
    Column("stream", KEY, primary_key=True),
    Column("name", KEY, nullable=False),
    Column("state", Text, nullable=False),
    *_text("pack", "pack_version", "currency"),
    Column("limits", Text, nullable=False),
    Column("crew", Text, nullable=False),
    *_whole("version", "first_index", "last_index", "sessions", "corrections"),
    sqlite_strict=True,
)

rm_session = Table(
    "rm_session",
    metadata,
    Column("stream", KEY, primary_key=True),
    Column("session", WHOLE, primary_key=True, autoincrement=False),
    *_text("game", "currency"),
    *_maybe("opened_index", "opened_us", "closed_index", "closed_us", "opening", "closing"),
    *_whole("fills", "credits", "bought"),
    *_maybe("drop_counted", "win", "estimated_win"),
    Column("missing", Text, nullable=False),
    sqlite_strict=True,
)

READ_MODELS: Final = (
    rm_shoe, rm_coup, rm_bet, rm_ledger, rm_commission, rm_felt, rm_table, rm_session,
)  # fmt: skip
"""All tables of the read models; each has the column ``stream``."""
