"""Rule packs: what a house or a law leaves open, as data that is pinned in the log.

A pack is TOML text. Its text is kept whole in the shoe's first event, with its SHA-256, so that
a shoe is judged by the rules it was dealt by, for ever. What regulators disagree on is listed
in field-facts.md 1.1 and 3; a value that is only recalled there [R] is named in ``recalled``.
"""

import hashlib
import tomllib
from collections.abc import Collection
from functools import lru_cache
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from sabot.domain.rules.macao_hands import CONDITIONS as HAND_CONDITIONS
from sabot.domain.rules.macao_hands import MacaoRules
from sabot.domain.rules.pack_sections import (
    Approval,
    BancoRule,
    BankRule,
    Clocks,
    Custody,
    Cut,
    DrawingRule,
    ExcessRule,
    FreeHands,
    LevyRule,
    Settling,
    TableauxRule,
)
from sabot.domain.rules.tableau_hands import CONDITIONS as TABLEAU_CONDITIONS
from sabot.domain.rules.tableau_hands import PARTS
from sabot.domain.rules.wagers import CONDITIONS, Wager
from sabot.domain.values.errors import BadInput, BadRulePack
from sabot.domain.values.money import Rounding
from sabot.domain.values.scalars import Amount, Irregularity, Ruling

GameName = Literal["punto-banco", "chemin-de-fer", "baccarat-banque", "macao", "victoria"]
"""The games that a pack can be of; `sabot.domain.procedure.games` has one of each name."""

_HANDS_OF_ONES_OWN: Final = ("macao", "victoria")

Small = Annotated[int, Meta(ge=0, le=1000)]


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A section of a pack: every key is known, and an unknown one is an error."""


class Cards(_Part, frozen=True):
    """``decks`` lists the deck counts allowed; ``backs`` the number of back colours required."""

    decks: tuple[Annotated[int, Meta(ge=1, le=100)], ...]
    backs: Small | None = None
    faces: Literal["up", "down"] = "up"


class Table(_Part, frozen=True):
    """Who deals from where: the format of the table and its places.

    ``per_seat`` is how many patrons share a seat, or box, at most (None: it is not said).
    ``false_draw_passes``: a holder who makes a false draw has to give the shoe up.
    """

    format: Literal["big", "midi", "mini"] = "big"
    shoe: Literal["patron", "dealer"] = "patron"
    passes: Literal["on-loss", "on-choice", "never"] = "on-loss"
    false_draw_passes: bool = False
    direction: Literal["clockwise", "counter-clockwise"] = "counter-clockwise"
    seats: Annotated[int, Meta(ge=1, le=200)] = 14
    per_seat: Annotated[int, Meta(ge=1, le=200)] | None = None
    posts: tuple[str, ...] = ("caller", "payer-1", "payer-2")


class Burn(_Part, frozen=True):
    """Cards burned before the first coup, and before others.

    ``first-card-value``: the first face up, then as many as it counts (ace 1, ten and faces
    10) face down. ``deck-count``: as many as decks. ``fixed``: ``cards`` of them. ``none``.
    ``relief`` are burned before the next coup when another dealer takes over, ``dead_game`` when
    somebody sits down at a table at which nobody sat (None: it is not said).
    """

    option: Literal["first-card-value", "deck-count", "fixed", "none"]
    cards: Small = 0
    relief: Small | None = None
    dead_game: Small | None = None


class End(_Part, frozen=True):
    """The stop card, and what is still dealt once it is out.

    ``finish``: the coup in play is the last, or the next where none is in play.
    ``one-more``: one coup after that one. ``never``: a continuous shuffler has no end of shoe.
    """

    stop_card_least: Small | None = None
    stop_card_most: Small | None = None
    last_coup: Literal["finish", "one-more", "never"] = "finish"


class Tie(_Part, frozen=True):
    """What becomes of Player and Banker bets after a tie."""

    bets_stay: bool = True
    withdrawable: bool = True


class Commission(_Part, frozen=True):
    """The house's share of winnings on wagers that say so."""

    rate: Annotated[str, Meta(pattern=r"^[0-9]{1,6}/[1-9][0-9]{0,5}\Z")] = "0/1"
    due: Literal["at-once", "marked"] = "at-once"
    rounding: Rounding = "nearest"
    unit: Annotated[int, Meta(ge=1, le=10**9)] = 1

    @property
    def ratio(self) -> tuple[int, int]:
        """The rate as numerator and denominator."""
        numerator, denominator = self.rate.split("/")
        return int(numerator), int(denominator)


class Money(_Part, frozen=True):
    """The currency, and how winnings that are no whole number of units are rounded."""

    currency: Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")] = "EUR"
    minor_units: Annotated[int, Meta(ge=0, le=4)] = 2
    rounding: Rounding = "down"
    unit: Annotated[int, Meta(ge=1, le=10**9)] = 1


class Limits(_Part, frozen=True):
    """Limits that a table has unless its log says others; in minor units, None: none.

    ``differential`` caps the difference between all Player and all Banker bets of a coup;
    ``ratios`` lists how many times the minimum the maximum may be (none: any); ``displayed``
    says that changes are shown at the table. ``per``: the maximum is of each ``bet``, or of all
    that a ``patron`` has on a wager. ``accepted``: a bet outside the limits that was accepted is
    settled ``in-full``, or ``capped``: what lies above the maximum goes back (None: not said).
    """

    minimum: Amount | None = None
    maximum: Amount | None = None
    differential: Amount | None = None
    ratios: tuple[Annotated[int, Meta(ge=1, le=1_000_000)], ...] = ()
    displayed: bool = False
    per: Literal["bet", "patron"] = "bet"
    accepted: Literal["in-full", "capped"] | None = None


class RulePack(_Part, frozen=True, kw_only=True):
    """A house's rules for one game, as its text says them."""

    name: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,39}\Z")]
    version: Annotated[str, Meta(pattern=r"^[0-9]+(\.[0-9]+)*\Z")]
    title: str
    game: GameName
    sources: tuple[str, ...]
    recalled: tuple[str, ...] = ()
    cards: Cards
    burn: Burn
    table: Table = Table()
    end: End = End()
    tie: Tie = Tie()
    commission: Commission = Commission()
    money: Money = Money()
    limits: Limits = Limits()
    clocks: Clocks | None = None
    macao: MacaoRules | None = None
    free_hands: Small | None = None
    free_hands_when: FreeHands | None = None
    cut: Cut = Cut()
    settling: Settling = Settling()
    approval: Approval | None = None
    abandoned_bets: Literal["kept"] | None = None
    custody: Custody | None = None
    rulings: dict[Irregularity, tuple[Ruling, ...]] = {}
    drawing: DrawingRule | None = None
    bank: BankRule | None = None
    banco: BancoRule | None = None
    excess: ExcessRule | None = None
    levy: LevyRule | None = None
    tableaux: TableauxRule | None = None
    wagers: tuple[Wager, ...]

    @property
    def endless(self) -> bool:
        """Whether cards go back into a continuous shuffler, so that no shoe ends."""
        return self.end.last_coup == "never"

    def wager(self, name: str) -> Wager | None:
        """Return the wager of that name, or None where the pack does not offer it."""
        return next((wager for wager in self.wagers if wager.name == name), None)


def pack_sha256(text: str) -> str:
    """Return the hash by which a pack is known: SHA-256 of its text in UTF-8, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=256)
def parse_pack(text: str) -> RulePack:
    """Read a pack's text.

    Raises:
        BadRulePack: the text is not TOML, a key is unknown or missing, a value is out of
            range, or a wager names a condition that does not exist.
    """
    try:
        # a text that UTF-8 cannot carry has no hash, so it can be no pack
        text.encode()
        tree = tomllib.loads(text)
    except RecursionError as error:
        raise BadRulePack("the rule pack is nested too deep; a pack has three levels") from error
    except ValueError as error:
        raise BadRulePack(f"the rule pack is not TOML: {error}") from error
    try:
        pack = msgspec.convert(tree, RulePack)
    except msgspec.ValidationError as error:
        raise BadRulePack(f"the rule pack does not fit: {error}; see docs/rule-packs.md") from error
    _check(pack)
    _check_hands(pack)
    for wager in pack.wagers:
        _check_wager(wager, _conditions(pack))
    return pack


def _conditions(pack: RulePack) -> Collection[str]:
    """Return what a wager of a pack can be paid for."""
    if pack.macao is not None:
        return HAND_CONDITIONS
    return TABLEAU_CONDITIONS if pack.tableaux is not None else CONDITIONS


def _check(pack: RulePack) -> None:
    """Refuse what the types alone let through."""
    names = [wager.name for wager in pack.wagers]
    for name in names:
        if names.count(name) > 1:
            raise BadRulePack(f"the rule pack offers the wager {name!r} twice; keep one")
    if not names:
        raise BadRulePack("the rule pack offers no wagers; give at least one")
    if not pack.cards.decks:
        raise BadRulePack("the rule pack allows no number of decks; give at least one")
    part, whole = pack.commission.ratio
    if part > whole:
        raise BadRulePack(
            f"a commission of {pack.commission.rate} is more than the winnings; give at most 1/1"
        )
    _check_sections(pack)
    _check_tableaux(pack)
    for what, least, most in (
        ("stop card", pack.end.stop_card_least, pack.end.stop_card_most),
        ("limits", pack.limits.minimum, pack.limits.maximum),
    ):
        if least is not None and most is not None and least > most:
            raise BadRulePack(f"{what}: the least, {least}, is more than the most, {most}")


def _check_hands(pack: RulePack) -> None:
    """Refuse hands of one's own where the game has none, and the other way round."""
    if (pack.game in _HANDS_OF_ONES_OWN) is (pack.macao is None):
        raise BadRulePack(
            f"the section [macao] is for {' and '.join(_HANDS_OF_ONES_OWN)}, which need it; "
            f"this pack is of {pack.game}"
        )
    rules = pack.macao
    if rules is not None and rules.most_cards is not None and rules.most_cards < rules.dealt:
        raise BadRulePack(
            f"macao: a hand is dealt {rules.dealt} cards and may have {rules.most_cards}; "
            "let it have as many as it is dealt at least"
        )


def _check_sections(pack: RulePack) -> None:
    """Refuse a game without the sections that it is played by, and sections of another game."""
    given = {name for name in _BANKING if getattr(pack, name) is not None}
    needed = _NEEDED.get(pack.game, frozenset())
    lacking = needed - given
    if lacking:
        raise BadRulePack(f"{pack.game} is played by [{min(lacking)}]; give that section")
    if not needed and given:
        raise BadRulePack(f"[{min(given)}] is no section of {pack.game}; leave it out")
    if pack.drawing is not None:
        try:
            pack.drawing.rules(pack.title)
        except BadInput as error:
            raise BadRulePack(error.message) from error


_BANKING = ("drawing", "bank", "banco", "excess", "levy", "tableaux")
_NEEDED: Final[dict[str, frozenset[str]]] = {
    "chemin-de-fer": frozenset(("drawing", "bank")),
    "baccarat-banque": frozenset(("drawing", "bank", "tableaux")),
}


def _check_tableaux(pack: RulePack) -> None:
    """Refuse two tableaux where the game has one hand, and the other way round."""
    excess = pack.excess.option if pack.excess is not None else None
    in_rotation = excess is not None and excess.startswith("rotation")
    if pack.tableaux is None:
        if in_rotation:
            raise BadRulePack(f"{excess} is for two tableaux; {pack.game} raises or returns")
        return
    if pack.game != "baccarat-banque":
        raise BadRulePack(f"[tableaux] is no section of {pack.game}; leave it out")
    if excess is not None and not in_rotation:
        raise BadRulePack(f"at two tableaux stakes beyond the bank are paid in rotation: {excess}")
    for wager in pack.wagers:
        if wager.name not in PARTS:
            raise BadRulePack(
                f"{wager.name!r} is no wager on a tableau; wagers are {', '.join(PARTS)}"
            )
    if pack.table.seats % 2 == 0:
        raise BadRulePack("the banker's place is between the tableaux; give an odd number of seats")


def _check_wager(wager: Wager, conditions: Collection[str]) -> None:
    """Refuse a wager that no result could settle."""
    if not wager.lines:
        raise BadRulePack(f"the wager {wager.name!r} has no line that pays; give at least one")
    for line in wager.lines:
        if line.on not in conditions:
            raise BadRulePack(
                f"the wager {wager.name!r} pays on {line.on!r}, which is no condition; "
                f"conditions are {', '.join(sorted(conditions))}"
            )
        if line.pays != "push" and not int(line.pays.split(":")[1]):
            raise BadRulePack(f"the wager {wager.name!r} pays {line.pays}; odds are n:m, m ≥ 1")
