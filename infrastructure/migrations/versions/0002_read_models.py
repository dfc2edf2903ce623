"""The read models: shoes, coups, bets, ledger, commission, table views, tables."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables; their rows are derived from the log."""
    _make_shoes()
    _make_coups()
    _make_bets()
    _make_ledger()
    _make_felts()
    _make_tables()
    op.create_index("rm_shoe_at_table", "rm_shoe", ["table_name", "first_index"])
    op.create_index("rm_bet_of_patron", "rm_bet", ["patron", "placed_index"])
    op.create_index("rm_ledger_of_patron", "rm_ledger", ["patron", "log_index"])
    op.create_index("rm_ledger_of_stream", "rm_ledger", ["stream"])


def _key(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, KEY, primary_key=True) for name in names]


def _number(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, WHOLE, primary_key=True, autoincrement=False) for name in names]


def _whole(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, WHOLE, nullable=False) for name in names]


def _maybe(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, WHOLE) for name in names]


def _text(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text) for name in names]


def _said(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _make_shoes() -> None:
    op.create_table(
        "rm_shoe",
        *_key("stream"),
        sa.Column("name", KEY, nullable=False),
        sa.Column("table_name", KEY),
        *_said("state", "scope"),
        *_text("pack", "pack_version", "pack_sha256", "currency", "batch"),
        *_whole(
            "minor_units", "decks", "version", "first_index", "last_index", "first_us", "last_us"
        ),
        *_maybe("ended_index", "ended_us"),
        *_whole(
            "coups", "player_wins", "banker_wins", "ties", "voids", "free_hands", "cards_out",
            "cards_burned", "bets", "handle", "taken", "paid", "commission", "marked",
            "collected", "owed", "requests", "irregularities", "corrections",
        ),
        sqlite_strict=True,
    )  # fmt: skip


def _make_coups() -> None:
    op.create_table(
        "rm_coup",
        *_key("stream"),
        *_number("coup"),
        *_said("state"),
        *_whole("free", "first_index", "last_index", "first_us", "last_us"),
        *_text("dealer", "holder", "player", "banker"),
        *_maybe("player_total", "banker_total", "player_called", "banker_called"),
        *_text("called", "came"),
        *_whole("bets", "handle", "taken", "paid", "commission", "irregularities"),
        sqlite_strict=True,
    )


def _make_bets() -> None:
    op.create_table(
        "rm_bet",
        *_key("stream"),
        *_number("coup", "bet"),
        sa.Column("patron", KEY, nullable=False),
        sa.Column("wager", KEY, nullable=False),
        *_maybe("seat"),
        *_said("state"),
        *_whole(
            "carried", "placed", "amount", "placed_index", "placed_us", "last_index", "paid",
            "taken", "marked", "collected", "net",
        ),
        sqlite_strict=True,
    )  # fmt: skip


def _make_ledger() -> None:
    op.create_table(
        "rm_ledger",
        *_number("log_index"),
        sa.Column("stream", KEY, nullable=False),
        *_whole("at_us"),
        sa.Column("patron", KEY),
        *_said("kind"),
        *_maybe("coup", "bet"),
        *_text("wager"),
        *_whole("chips", "result", "owed"),
        sqlite_strict=True,
    )
    op.create_table(
        "rm_commission",
        *_key("stream", "patron"),
        *_whole("at_once", "marked", "collected", "owed", "last_index"),
        sqlite_strict=True,
    )


def _make_felts() -> None:
    op.create_table(
        "rm_felt", *_key("stream"), *_whole("last_index"), *_said("felt"), sqlite_strict=True
    )


def _make_tables() -> None:
    op.create_table(
        "rm_table",
        *_key("stream"),
        sa.Column("name", KEY, nullable=False),
        *_said("state"),
        *_text("pack", "pack_version", "currency"),
        *_said("limits", "crew"),
        *_whole("version", "first_index", "last_index", "sessions", "corrections"),
        sqlite_strict=True,
    )
    op.create_table(
        "rm_session",
        *_key("stream"),
        *_number("session"),
        *_text("game", "currency"),
        *_maybe("opened_index", "opened_us", "closed_index", "closed_us", "opening", "closing"),
        *_whole("fills", "credits", "bought"),
        *_maybe("drop_counted", "win", "estimated_win"),
        *_said("missing"),
        sqlite_strict=True,
    )
