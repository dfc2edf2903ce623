"""The rows of the summary tables, as types with a field for each column."""

from typing import Final

from msgspec import Struct
from sqlalchemy import Table

from sabot.infrastructure.projections import views_schema

_MOST: Final = 2**63 - 1


class ShoeRow(Struct, frozen=True, gc=False):
    """A shoe: its rules, the outcomes of its coups, and its money."""

    stream: str
    name: str
    table_name: str | None
    state: str
    scope: str
    pack: str | None
    pack_version: str | None
    pack_sha256: str | None
    currency: str | None
    batch: str | None
    minor_units: int
    decks: int
    version: int
    first_index: int
    last_index: int
    first_us: int
    last_us: int
    ended_index: int | None
    ended_us: int | None
    coups: int
    player_wins: int
    banker_wins: int
    ties: int
    voids: int
    free_hands: int
    cards_out: int
    cards_burned: int
    bets: int
    handle: int
    taken: int
    paid: int
    commission: int
    marked: int
    collected: int
    owed: int
    requests: int
    irregularities: int
    corrections: int
    bank_won: int
    levy: int


class CoupRow(Struct, frozen=True, gc=False):
    """A coup: dealer, cards, calls, outcome and money.

    ``bank_won`` is the part of the money taken and paid that belongs to a patron's bank, and
    ``levy`` the house's share of it; the rest is the house's. With two tableaux ``right_hand`` and
    ``left_hand`` are the cards of the tableaux; ``right_came`` and ``left_came`` are P if the
    tableau won and B if the banker did.
    """

    stream: str
    coup: int
    state: str
    free: int
    first_index: int
    last_index: int
    first_us: int
    last_us: int
    dealer: str | None
    holder: str | None
    player: str | None
    banker: str | None
    player_total: int | None
    banker_total: int | None
    player_called: int | None
    banker_called: int | None
    called: str | None
    came: str | None
    bets: int
    handle: int
    taken: int
    paid: int
    commission: int
    irregularities: int
    bank_won: int
    levy: int
    right_hand: str | None
    left_hand: str | None
    right_total: int | None
    left_total: int | None
    right_came: str | None
    left_came: str | None


class BetRow(Struct, frozen=True, gc=False):
    """A bet and its settlement. ``placed`` is its first amount, ``net`` the patron's win."""

    stream: str
    coup: int
    bet: int
    patron: str
    wager: str
    seat: int | None
    state: str
    carried: int
    placed: int
    amount: int
    placed_index: int
    placed_us: int
    last_index: int
    paid: int
    taken: int
    marked: int
    collected: int
    net: int


class LedgerRow(Struct, frozen=True, gc=False):
    """A movement of a patron's money, from the patron's side.

    The other side is the house or a patron's bank. ``chips`` is the change of the patron's rack,
    ``result`` the win, ``owed`` the change of commission owed. A patron's entries are ordered by
    ``log_index``; a balance is a running sum.
    """

    log_index: int
    stream: str
    at_us: int
    patron: str | None
    kind: str
    coup: int | None
    bet: int | None
    wager: str | None
    chips: int
    result: int
    owed: int


class CommissionRow(Struct, frozen=True, gc=False):
    """A patron's commission in a shoe. ``at_once`` was withheld at the payment."""

    stream: str
    patron: str
    at_once: int
    marked: int
    collected: int
    owed: int
    last_index: int


class FeltRow(Struct, frozen=True, gc=False):
    """The current table view of a shoe, as JSON (`sabot.domain.views.table_view.Felt`)."""

    stream: str
    last_index: int
    felt: str


class TableRow(Struct, frozen=True, gc=False):
    """The current state of a table. Limits and crew as JSON."""

    stream: str
    name: str
    state: str
    pack: str | None
    pack_version: str | None
    currency: str | None
    limits: str
    crew: str
    version: int
    first_index: int
    last_index: int
    sessions: int
    corrections: int


class SessionRow(Struct, frozen=True, gc=False):
    """A table session, from one opening to the next: tray, drop and win."""

    stream: str
    session: int
    game: str | None
    currency: str | None
    opened_index: int | None
    opened_us: int | None
    closed_index: int | None
    closed_us: int | None
    opening: int | None
    closing: int | None
    fills: int
    credits: int
    bought: int
    drop_counted: int | None
    win: int | None
    estimated_win: int | None
    missing: str


Row = (
    ShoeRow | CoupRow | BetRow | LedgerRow | CommissionRow | FeltRow | TableRow | SessionRow
)  # fmt: skip

TABLE_OF: Final[dict[type[Row], Table]] = {
    ShoeRow: views_schema.rm_shoe,
    CoupRow: views_schema.rm_coup,
    BetRow: views_schema.rm_bet,
    LedgerRow: views_schema.rm_ledger,
    CommissionRow: views_schema.rm_commission,
    FeltRow: views_schema.rm_felt,
    TableRow: views_schema.rm_table,
    SessionRow: views_schema.rm_session,
}


class Changes(Struct):
    """Rows to be written for a stream. If ``anew`` is True, all its old rows are deleted first."""

    stream: str
    anew: bool
    rows: list[Row]


def clean(text: str) -> str:
    """Replace the NUL character, which a database cannot store, by its symbol."""
    return text.replace("\0", "\u2400") if "\0" in text else text


def cleaned(text: str | None) -> str | None:
    """Apply `clean` to a text that may be None."""
    return None if text is None else clean(text)


def fit(amount: int) -> int:
    """Limit a sum to a 64-bit integer."""
    return amount if -_MOST <= amount <= _MOST else _MOST if amount > 0 else -_MOST
