"""Exact odds of wagers, for shipped rule packs or rule pack files."""

from collections.abc import Iterable, Sequence
from typing import Final

from sabot.domain.odds.coup_odds import full_decks, of_values
from sabot.domain.odds.house_edge import OddsTable, odds_table
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.rule_packs import packs_named

DEFAULT_DECKS: Final = 8


def odds(
    decks: int | None = None, *, values: Sequence[int] | None = None, rules: Iterable[str] = ()
) -> OddsTable:
    """Compute exact odds and house edges for the next coup.

    The house edges are those of every wager on it. All sequences of six cards are counted in
    integers; nothing is simulated or rounded.

    Args:
        decks: the number of decks of a full shoe; 8 by default.
        values: the number of remaining cards of each point value, instead of ``decks``. The ten
            counts begin with value 0 (tens and faces), then aces, twos, … nines. Pair wagers then
            have no house edge, because ranks and suits are not known.
        rules: the rule packs whose wagers to include, by name or by the path of a ``.toml`` file;
            by default all shipped packs.

    Raises:
        BadInput: both ``decks`` and ``values`` are given, or they are not valid.
        NotFound: no rule pack has that name.
    """
    if decks is not None and values is not None:
        raise BadInput("decks and values both say what is in the shoe; give one of them")
    cards = (
        full_decks(DEFAULT_DECKS if decks is None else decks)
        if values is None
        else of_values(values)
    )
    return odds_table(cards, packs_named(rules))
