"""Rule packs: the options of a house or jurisdiction, as data in the log.

A pack is TOML text. The first event of a shoe contains the whole text and its SHA-256, so a shoe is
always judged by the rules under which it was dealt. The ``sources`` of a pack cite the texts in
`sabot.domain.rules.sources`. ``recalled`` lists assumptions without a source.

`sabot.domain.rules.pack_keys` reads the description of each key to produce docs/rule-packs.md and
``sabot packs --keys``.
"""

import hashlib
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
from sabot.domain.values.toml_text import parse_toml, wrong_value

GameName = Literal["punto-banco", "chemin-de-fer", "baccarat-banque", "macao", "victoria"]
"""The games of rule packs; `sabot.domain.procedure.games` implements each by name."""
TWO_HANDS: Final[tuple[GameName, ...]] = ("punto-banco", "chemin-de-fer")
"""Games with one Player hand and one Banker hand, dealt two cards each."""
BANKED: Final[tuple[GameName, ...]] = ("chemin-de-fer", "macao", "victoria", "baccarat-banque")
"""The games in which a patron is the banker."""

_HANDS_OF_ONES_OWN: Final = ("macao", "victoria")

Small = Annotated[int, Meta(ge=0, le=1000)]


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A section of a pack. An unknown key is an error."""


FactoryOrder = Literal["american", "suits-up", "suits-down"]


_USUAL_DECKS: Final = 8


class Cards(_Part, frozen=True):
    """The section on the cards of a shoe."""

    decks: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=100)], ...],
        Meta(description="the numbers of decks allowed"),
    ]
    backs: Annotated[Small | None, Meta(description="the number of back colours")] = None
    faces: Annotated[
        Literal["up", "down"], Meta(description="whether hands are dealt face up or face down")
    ] = "up"
    factory_orders: Annotated[
        tuple[FactoryOrder, ...],
        Meta(
            description="the orders in which new packs may come, for the test of the shuffle: "
            "`american` is A to K of spades and diamonds, then K to A of clubs and hearts; "
            "`suits-up` is each suit A to K, `suits-down` each suit K to A"
        ),
    ] = ("american", "suits-up", "suits-down")

    @property
    def usual_decks(self) -> int:
        """The number of decks if none is chosen.

        It is eight if the rule pack allows eight, else the last allowed number.
        """
        return _USUAL_DECKS if _USUAL_DECKS in self.decks else self.decks[-1]


class Table(_Part, frozen=True):
    """The section on the table: its format, its seats, and the dealer."""

    format: Annotated[
        Literal["big", "midi", "mini"], Meta(description="the format of the table")
    ] = "big"
    shoe: Annotated[Literal["patron", "dealer"], Meta(description="who deals from the shoe")] = (
        "patron"
    )
    passes: Annotated[
        Literal["on-loss", "on-choice", "never"],
        Meta(description="when the holder gives the shoe up"),
    ] = "on-loss"
    false_draw_passes: Annotated[
        bool, Meta(description="whether a holder who makes a wrong draw has to give the shoe up")
    ] = False
    direction: Annotated[
        Literal["clockwise", "counter-clockwise"],
        Meta(description="the direction in which the shoe is passed"),
    ] = "counter-clockwise"
    seats: Annotated[
        int,
        Meta(
            ge=1,
            le=200,
            description="places at the table; at two tableaux an odd number, the middle one "
            "being the banker's",
        ),
    ] = 14
    per_seat: Annotated[
        Annotated[int, Meta(ge=1, le=200)] | None,
        Meta(description="the largest number of patrons at one seat or box"),
    ] = None
    posts: Annotated[
        tuple[str, ...],
        Meta(description="the posts of the crew: any of `dealer`, `caller`, `payer-1`, `payer-2`"),
    ] = ("caller", "payer-1", "payer-2")


class Burn(_Part, frozen=True):
    """The section on cards burned before the first coup and between coups."""

    option: Annotated[
        Literal["first-card-value", "deck-count", "fixed", "none"],
        Meta(
            description="the cards burned before the first coup. `first-card-value`: the first "
            "card face up, then as many cards face down as its value (ace 1, ten and "
            "faces 10). `deck-count`: one card for each deck. `fixed`: the number in "
            "`burn.cards`"
        ),
    ]
    cards: Annotated[
        Small, Meta(description="the number of cards burned with the option `fixed`")
    ] = 0
    relief: Annotated[
        Small | None,
        Meta(
            description="the number of cards burned before the next coup after a change of dealer"
        ),
    ] = None
    dead_game: Annotated[
        Small | None,
        Meta(description="the number of cards burned when a dead game is reopened"),
    ] = None


class End(_Part, frozen=True):
    """The section on the cut card, and on the coups dealt after it appears."""

    stop_card_least: Annotated[
        Small | None, Meta(description="the smallest number of cards behind the cut card")
    ] = None
    stop_card_most: Annotated[
        Small | None, Meta(description="the largest number of cards behind the cut card")
    ] = None
    last_coup: Annotated[
        Literal["finish", "one-more", "never"],
        Meta(
            description="which coup is the last after the cut card appears. `finish`: the coup in "
            "play, or the next coup if none is in play. `one-more`: one coup after "
            "that. `never`: there is no last coup, as with a continuous shuffler"
        ),
    ] = "finish"


class Tie(_Part, frozen=True):
    """The section on Player and Banker bets after a tie."""

    bets_stay: Annotated[
        bool, Meta(description="whether bets on Player and Banker stay on the felt after a tie")
    ] = True
    withdrawable: Annotated[
        bool, Meta(description="whether such bets may be changed or withdrawn")
    ] = True


class Commission(_Part, frozen=True):
    """The section on the house's share of winnings, for wagers that owe commission."""

    rate: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]{1,6}/[1-9][0-9]{0,5}\Z",
            description="a fraction of the winnings, as `1/20`",
        ),
    ] = "0/1"
    due: Annotated[
        Literal["at-once", "marked"],
        Meta(description="collected at once, or marked and collected later"),
    ] = "at-once"
    rounding: Annotated[
        Rounding, Meta(description="how the amount is rounded; `nearest` rounds a half up")
    ] = "nearest"
    unit: Annotated[
        int,
        Meta(ge=1, le=10**9, description="the unit to which the amount is rounded, in minor units"),
    ] = 1

    @property
    def ratio(self) -> tuple[int, int]:
        """The rate as numerator and denominator."""
        numerator, denominator = self.rate.split("/")
        return int(numerator), int(denominator)


class Money(_Part, frozen=True):
    """The section on the currency, and on rounding winnings that are not whole units."""

    currency: Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z", description="ISO 4217 code")] = "EUR"
    minor_units: Annotated[int, Meta(ge=0, le=4, description="decimal places of the currency")] = 2
    rounding: Annotated[Rounding, Meta(description="how winnings are rounded")] = "down"
    unit: Annotated[
        int, Meta(ge=1, le=10**9, description="the unit to which they are rounded, in minor units")
    ] = 1


class Limits(_Part, frozen=True):
    """The section on default limits, in minor units, for tables without recorded limits."""

    minimum: Annotated[
        Amount | None,
        Meta(description="the smallest bet at a table without recorded limits, in minor units"),
    ] = None
    maximum: Annotated[
        Amount | None,
        Meta(description="the largest bet at a table without recorded limits, in minor units"),
    ] = None
    differential: Annotated[
        Amount | None,
        Meta(
            description="the largest difference allowed between all Player bets and all Banker "
            "bets of a coup, in minor units"
        ),
    ] = None
    ratios: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=1_000_000)], ...],
        Meta(
            description="the allowed ratios of the maximum to the minimum. Without the key, any "
            "ratio is allowed"
        ),
    ] = ()
    displayed: Annotated[
        bool, Meta(description="whether changes of limits are shown at the table")
    ] = False
    per: Annotated[
        Literal["patron", "bet"],
        Meta(
            description="whether the maximum applies to the total of a `patron` on a wager, or to "
            "each `bet`"
        ),
    ] = "patron"
    accepted: Annotated[
        Literal["in-full", "capped"] | None,
        Meta(
            description="a bet outside the limits that was accepted is settled `in-full`, or "
            "`capped`: the part above the maximum is returned"
        ),
    ] = None


class RulePack(_Part, frozen=True, kw_only=True):
    """A house's rules for one game.

    A key that is None is not specified, and rules that need it do not apply.
    """

    name: Annotated[
        str,
        Meta(
            pattern=r"^[a-z0-9][a-z0-9-]{0,39}\Z",
            description="the name of the pack: lower case, digits and `-`",
        ),
    ]
    version: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]+(\.[0-9]+)*\Z",
            description="numbers separated by dots. A changed pack needs a new version",
        ),
    ]
    title: Annotated[str, Meta(description="one line about the pack")]
    game: Annotated[GameName, Meta(description="the game of the pack (docs/games.md)")]
    sources: Annotated[
        tuple[str, ...],
        Meta(
            description="the regulations and publications behind its rules, as "
            "docs/sources.md cites them, or `house convention`"
        ),
    ]
    recalled: Annotated[
        tuple[str, ...],
        Meta(
            description="the assumptions of the pack that have no cited source. Reports list them"
        ),
    ] = ()
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
    free_hands: Annotated[Small | None, Meta(description="free hands allowed in a shoe")] = None
    free_hands_when: Annotated[
        FreeHands | None,
        Meta(
            description="`shoe-start`: free hands come before the first coup with bets; "
            "`on-request`: a patron asks for each"
        ),
    ] = None
    cut: Cut = Cut()
    settling: Settling = Settling()
    approval: Approval | None = None
    abandoned_bets: Annotated[
        Literal["kept"] | None,
        Meta(
            description="`kept`: stake and winnings of a bet that nobody collects are kept for "
            "its owner"
        ),
    ] = None
    custody: Custody | None = None
    rulings: Annotated[
        dict[Irregularity, tuple[Ruling, ...]],
        Meta(
            description="for each kind of irregularity, the rulings that the house may give. "
            "After `restore-card` the card is given at once to the hand to which it "
            "was due, by an event `card-reassigned`"
        ),
    ] = {}
    drawing: DrawingRule | None = None
    bank: BankRule | None = None
    banco: BancoRule | None = None
    excess: ExcessRule | None = None
    levy: LevyRule | None = None
    tableaux: TableauxRule | None = None
    wagers: Annotated[
        tuple[Wager, ...],
        Meta(description="a table for each wager, in the order in which they are shown"),
    ]

    @property
    def endless(self) -> bool:
        """Whether the shoe never ends, because a continuous shuffler takes cards back."""
        return self.end.last_coup == "never"

    def wager(self, name: str) -> Wager | None:
        """Return the wager of that name. None if the pack does not offer it."""
        return next((wager for wager in self.wagers if wager.name == name), None)


@lru_cache(maxsize=64)
def pack_sha256(text: str) -> str:
    """Return the hash that identifies a pack: SHA-256 of its UTF-8 text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def parse_pack(text: str) -> RulePack:
    """Parse a pack's text.

    Raises:
        BadRulePack: the text is not TOML, a key is unknown or missing, a value is out of range, or
            a wager names a condition that does not exist.
    """
    parsed = _parsed(text)
    if isinstance(parsed, BadRulePack):
        raise BadRulePack(parsed.message)
    return parsed


@lru_cache(maxsize=256)
def _parsed(text: str) -> RulePack | BadRulePack:
    """Return the rule pack, or the error that its text is not a rule pack. Cached."""
    try:
        return _checked(text)
    except BadRulePack as error:
        return error
    except BadInput as error:
        return BadRulePack(error.message)


def _checked(text: str) -> RulePack:
    try:
        pack = msgspec.convert(parse_toml(text, "the rule pack"), RulePack)
    except msgspec.ValidationError as error:
        said = ": ".join(filter(None, wrong_value(str(error))))
        raise BadRulePack(f"the rule pack does not fit: {said}; see docs/rule-packs.md") from error
    _check(pack)
    _check_hands(pack)
    for wager in pack.wagers:
        _check_wager(wager, _conditions(pack))
    return pack


def _conditions(pack: RulePack) -> Collection[str]:
    """Return the pay conditions available to a pack's wagers."""
    if pack.macao is not None:
        return HAND_CONDITIONS
    return TABLEAU_CONDITIONS if pack.tableaux is not None else CONDITIONS


def _check(pack: RulePack) -> None:
    """Raise an error for values that their types allow but a rule pack must not have."""
    names = [wager.name for wager in pack.wagers]
    for name in names:
        if names.count(name) > 1:
            raise BadRulePack(f"the rule pack offers the wager {name!r} twice; keep one")
    if not names:
        raise BadRulePack("the rule pack offers no wagers; give at least one")
    if pack.burn.option == "fixed" and not pack.burn.cards:
        raise BadRulePack(
            "[burn]: the option is `fixed`, and `cards` does not say how many; give a number "
            "from 1, or the option `none`"
        )
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
        ("cut card", pack.end.stop_card_least, pack.end.stop_card_most),
        ("limits", pack.limits.minimum, pack.limits.maximum),
    ):
        if least is not None and most is not None and least > most:
            raise BadRulePack(f"{what}: the least, {least}, is more than the most, {most}")


def _check_hands(pack: RulePack) -> None:
    """Raise an error unless exactly the packs of macao and victoria have ``[macao]``."""
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
    """Raise an error if a required section is missing, or one of another game is there."""
    given = {name for name in _BANKING if getattr(pack, name) is not None}
    needed = _NEEDED.get(pack.game, frozenset())
    lacking = needed - given
    if lacking:
        raise BadRulePack(f"{pack.game} is played by [{min(lacking)}]; give that section")
    if not needed and given:
        raise BadRulePack(f"[{min(given)}] is not a section of {pack.game}; leave it out")
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
    """Raise an error if rules of two tableaux are mixed with those of other games."""
    excess = pack.excess.option if pack.excess is not None else None
    in_rotation = excess is not None and excess.startswith("rotation")
    if pack.tableaux is None:
        if in_rotation:
            raise BadRulePack(f"{excess} is for two tableaux; {pack.game} raises or returns")
        return
    if pack.game != "baccarat-banque":
        raise BadRulePack(f"[tableaux] is not a section of {pack.game}; leave it out")
    if excess is not None and not in_rotation:
        raise BadRulePack(f"at two tableaux stakes beyond the bank are paid in rotation: {excess}")
    for wager in pack.wagers:
        if wager.name not in PARTS:
            raise BadRulePack(
                f"{wager.name!r} is not a wager on a tableau; wagers are {', '.join(PARTS)}"
            )
    if pack.table.seats % 2 == 0:
        raise BadRulePack("the banker's place is between the tableaux; give an odd number of seats")


def _check_wager(wager: Wager, conditions: Collection[str]) -> None:
    """Raise an error for a wager without pay lines, with an unknown condition or bad odds."""
    if not wager.lines:
        raise BadRulePack(f"the wager {wager.name!r} has no line that pays; give at least one")
    for line in wager.lines:
        if line.on not in conditions:
            raise BadRulePack(
                f"the wager {wager.name!r} pays on {line.on!r}, which is not a condition; "
                f"conditions are {', '.join(sorted(conditions))}"
            )
        if line.pays != "push" and not int(line.pays.split(":")[1]):
            raise BadRulePack(f"the wager {wager.name!r} pays {line.pays}; odds are n:m, m ≥ 1")
