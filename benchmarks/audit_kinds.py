"""The kinds of faults, and the games in which each can happen."""

from typing import Final

from sabot.domain.audit import RULES
from sabot.domain.rules.rule_pack import GameName
from tests.faults import (
    BANK_FAULTS,
    CORRECTION_FAULTS,
    FAULTS,
    ORDER_FAULTS,
    OWN_HAND_FAULTS,
    TABLEAU_FAULTS,
    FaultKind,
)

KINDS: Final[dict[str, FaultKind]] = (
    FAULTS | OWN_HAND_FAULTS | BANK_FAULTS | TABLEAU_FAULTS | ORDER_FAULTS | CORRECTION_FAULTS
)
"""Every kind of fault of a shoe, by name."""

_OWN_HANDS: Final[tuple[GameName, ...]] = ("macao", "victoria")
_ALL: Final[tuple[GameName, ...]] = (
    "punto-banco",
    "chemin-de-fer",
    "baccarat-banque",
    *_OWN_HANDS,
)
_AT_THE_HOUSES_BANK: Final = frozenset((
    *("late-bet", "past-post", "bet-capped", "bet-after-close", "free-hand-with-a-bet"),
    *("shoe-kept", "dealt-as-it-came", "decks-not-allowed", "pack-unreadable", "under-the-limit"),
    "wrong-draw-made-up",
))  # fmt: skip
"""Kinds that are made for a table whose house banks: bets on either side, a shoe without a bank."""
_OF_TWO_HANDS: Final = frozenset(("closed-unfinished", "cut-card-early", "one-coup-too-many"))
"""Kinds that have another meaning where a pack is dealt to its end, and a card to each."""

OF_A_SHOE: Final = frozenset((
    *("one-copy-more", "card-palmed", "second-dealt", "ended-early", "cut-card-early"),
    *("rank-misread", "suit-misread", "foreign-card-in-shoe", "cut-out-of-turn"),
    *("pack-unreadable", "shuffled-in-mid-shoe"),
))  # fmt: skip
"""Kinds that show in a shoe's order, cut or count: a continuous shuffler has none of them."""

BESIDE: Final = frozenset((
    *("chip-balance-mismatch", "stakes-beyond-bank", "wrong-player-for-hand"),
    *("hand-out-of-turn", "unrequested-card", "miscalled-bank"),
    *("stake-beside-banco", "unrequested-third-card", "card-beyond-hand-end"),
    *("card-rejection-not-permitted", "excess-returned-out-of-order"),
    *("wrong-levy", "omitted-coup-step"),
))  # fmt: skip
"""Where a patron banks: in what a payment, a stake or a card gone wrong shows besides."""


def games_of(kind: FaultKind) -> tuple[GameName, ...]:
    """Return the games in which a fault can happen."""
    if kind.name in ORDER_FAULTS:
        (rule,) = (rule for rule in RULES if rule.code == kind.codes[0])
        kept_in = rule.games or _ALL
        return tuple(game for game in kind.games or _ALL if game in kept_in)
    if kind.games or (kind.name in FAULTS and kind.name in TABLEAU_FAULTS):
        return kind.games or _ALL
    games: list[GameName] = ["chemin-de-fer"] if kind.name in BANK_FAULTS else []
    games += ["baccarat-banque"] if kind.name in TABLEAU_FAULTS else []
    games += _OWN_HANDS if kind.name in OWN_HAND_FAULTS else ()
    if games:
        return tuple(games)
    if kind.name in _AT_THE_HOUSES_BANK:
        return ("punto-banco",)
    if kind.name in _OF_TWO_HANDS:
        return ("punto-banco", "chemin-de-fer")
    return ("punto-banco", "chemin-de-fer", *_OWN_HANDS)
