"""The rows of the read models, field by field as their tables have columns."""

from typing import Final

from msgspec import Struct
from sqlalchemy import Table

from sabot.infrastructure.projections import views_schema

_MOST: Final = 2**63 - 1


class ShoeRow(Struct, frozen=True, gc=False):
    """A shoe: its rules, how its coups came out, the money on its felt."""

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
    """A coup: who dealt, which cards, what was called and what came, the money on it.

    ``bank_won`` is what of the money taken and paid was a patron's bank's, and ``levy`` the
    house's share of it; the rest is the house's own. At two tableaux ``right_hand`` and
    ``left_hand`` are the cards of the tableaux, and what ``came`` of each is P where it won, B
    where the banker did.
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
    """A bet and its settlement; ``placed`` is its first amount, ``net`` the patron's."""

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
    """A movement between a patron and the house, or a patron's bank, from the patron's side.

    ``chips`` is what came to his rack, ``result`` what he won by it, ``owed`` what his debt of
    commission grew by. The entries of a patron run in the order of ``log_index``; a balance is
    a sum up to there.
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
    """A patron's commission in a shoe: kept at once; marked, collected of it, still owed."""

    stream: str
    patron: str
    at_once: int
    marked: int
    collected: int
    owed: int
    last_index: int


class FeltRow(Struct, frozen=True, gc=False):
    """The felt of a shoe as it stands, as JSON (`sabot.domain.views.table_view.Felt`)."""

    stream: str
    last_index: int
    felt: str


class TableRow(Struct, frozen=True, gc=False):
    """A table as it stands; limits and crew as JSON."""

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
    """A table from one opening to the next: tray, box, win."""

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
    """What must be written for a stream: ``anew`` drops all its rows first."""

    stream: str
    anew: bool
    rows: list[Row]


def clean(text: str) -> str:
    """Return a text that every store keeps: a NUL becomes its sign."""
    return text.replace("\0", "\u2400") if "\0" in text else text


def cleaned(text: str | None) -> str | None:
    """Return the same of a text that may be missing."""
    return None if text is None else clean(text)


def fit(amount: int) -> int:
    """Return a sum that 64 bits hold: the largest, where it is beyond them."""
    return amount if -_MOST <= amount <= _MOST else _MOST if amount > 0 else -_MOST
