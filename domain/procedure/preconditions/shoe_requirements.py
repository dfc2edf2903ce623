"""Requirements of a shoe: rule pack, cards, cut and stop card.

Shared by dealing and audit.
"""

from collections.abc import Container, Sequence

from sabot.domain.events import CardBurned, IrregularityNoted, ShoeLoaded
from sabot.domain.procedure.common import BurnDue
from sabot.domain.procedure.copies_seen import CopiesSeen
from sabot.domain.procedure.preconditions.requirement import requirement
from sabot.domain.rules.payouts import cashier_for
from sabot.domain.rules.rule_pack import RulePack, pack_sha256
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    DESPACHO_55_2004_ART_1,
    DESPACHO_55_2004_ART_2,
    HOUSE_CONVENTION,
    NSW_BACCARAT_RULE_3,
    NSW_MINI_BACCARAT_RULE_3,
    WIKIPEDIA_BACCARAT_PUNTO_BANCO,
)
from sabot.domain.values.cards import Card
from sabot.domain.values.errors import BadRulePack


@requirement("R406", HOUSE_CONVENTION)
def is_readable(pack: str) -> bool:
    """The text of the rule pack with which a shoe was loaded is a valid rule pack."""
    try:
        cashier_for(pack)
    except BadRulePack:
        return False
    return True


@requirement("R407", HOUSE_CONVENTION)
def has_named_pack(loading: ShoeLoaded) -> bool:
    """The text of the rule pack has the SHA-256 hash that the loading of the shoe names."""
    return loading.pack_sha256 == pack_sha256(loading.pack)


@requirement(
    "S301",
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    DESPACHO_55_2004_ART_1,
    NSW_BACCARAT_RULE_3,
    NSW_MINI_BACCARAT_RULE_3,
)
def has_permitted_decks(pack: RulePack, decks: int) -> bool:
    """A shoe is loaded with a number of decks that its rule pack lists."""
    return decks in pack.cards.decks


@requirement("S302", ARRETE_2007_ART_55_14, ARRETE_2007_ART_58)
def has_permitted_backs(pack: RulePack, backs: Sequence[str]) -> bool:
    """The backs of the decks have exactly as many colours as the rule pack requires."""
    colours = pack.cards.backs
    return colours is None or not backs or len(set(backs)) == colours


@requirement("S309", ARRETE_2007_ART_55_14)
def may_be_cut(pack: RulePack, *, offered: bool) -> bool:
    """The cut is offered to the patrons before anybody cuts, where the rule pack requires it."""
    return pack.cut.offered is None or offered


def orders_recut(noted: IrregularityNoted) -> bool:
    """Return True if an irregularity noted before the first card may order another cut."""
    return noted.ruling == "other" and noted.by is not None


@requirement("S310", ARRETE_2007_ART_55_14)
def cut_goes_to(patron: str, due: Container[str | None]) -> bool:
    """The cut is offered clockwise from the dealer's left; the first patron who accepts cuts."""
    return patron in due


@requirement(
    "S313",
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    DESPACHO_55_2004_ART_2,
    WIKIPEDIA_BACCARAT_PUNTO_BANCO,
)
def is_permitted_depth(pack: RulePack, size: int, behind: int) -> bool:
    """The stop card goes in as many cards from the end as the rule pack requires."""
    least, most = pack.end.stop_card_least, pack.end.stop_card_most or size
    return least is None or least <= behind <= most


@requirement("N301", ARRETE_2007_ART_55_14, DESPACHO_55_2004_ART_1, NSW_MINI_BACCARAT_RULE_3)
def has_enough_copies(seen: CopiesSeen, card: Card) -> bool:
    """No more copies of a card, a rank or ten-valued cards are seen than the decks hold."""
    return seen.excess(card) is None


@requirement("N302", ARRETE_2007_ART_55_14, DESPACHO_55_2004_ART_1, NSW_MINI_BACCARAT_RULE_3)
def has_enough_cards(size: int, cards: int) -> bool:
    """No more cards leave a shoe than were loaded: 52 for each deck."""
    return cards <= size


@requirement("Q102", HOUSE_CONVENTION)
def follows(coup: int, last: int) -> bool:
    """Coups are numbered one by one: no number is skipped, and none is used twice."""
    return coup == last + 1


@requirement("S304", ARRETE_2007_ART_55_14, DESPACHO_55_2004_ART_2)
def is_right_burn(due: BurnDue, burned: Sequence[CardBurned]) -> bool:
    """Before the first coup cards are burned as the rule pack states."""
    is_seen = bool(burned) and burned[0].card is not None
    return len(burned) == due.cards and (is_seen or not due.face_up)
