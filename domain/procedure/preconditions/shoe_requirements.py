"""Requirements of a shoe: rule pack, cards, cut and cut card.

Shared by dealing and audit.
"""

from collections.abc import Container, Sequence

from sabot.domain.events import IrregularityNoted, ShoeLoaded
from sabot.domain.procedure.copies_seen import CopiesSeen
from sabot.domain.rules.rule_pack import RulePack, pack_sha256
from sabot.domain.values.cards import Card


def has_named_pack(loading: ShoeLoaded) -> bool:
    """Return whether the rule pack of a loading has the hash that the loading names."""
    return loading.pack_sha256 == pack_sha256(loading.pack)


def has_permitted_decks(pack: RulePack, decks: int) -> bool:
    """Return whether the rule pack lists a number of decks."""
    return decks in pack.cards.decks


def has_permitted_backs(pack: RulePack, backs: Sequence[str]) -> bool:
    """Return whether the backs have as many colours as the rule pack requires."""
    colours = pack.cards.backs
    return colours is None or not backs or len(set(backs)) == colours


def may_be_cut(pack: RulePack, *, offered: bool) -> bool:
    """Return whether the cut was offered, if the rule pack requires it."""
    return pack.cut.offered is None or offered


def orders_recut(noted: IrregularityNoted) -> bool:
    """Return True if an irregularity noted before the first card may order another cut."""
    return noted.ruling == "other" and noted.by is not None


def cut_goes_to(patron: str, due: Container[str | None]) -> bool:
    """Return whether a patron is one of those who may cut now."""
    return patron in due


def is_permitted_depth(pack: RulePack, size: int, behind: int) -> bool:
    """Return whether the cut card is as far from the end as the rule pack requires."""
    least, most = pack.end.stop_card_least, pack.end.stop_card_most or size
    return least is None or least <= behind <= most


def has_enough_copies(seen: CopiesSeen, card: Card) -> bool:
    """Return whether the decks hold all copies of a card that were seen."""
    return seen.excess(card) is None


def has_enough_cards(size: int, cards: int) -> bool:
    """Return whether the shoe was loaded with at least this number of cards."""
    return cards <= size


def follows(coup: int, last: int) -> bool:
    """Return whether a coup has the next number."""
    return coup == last + 1
