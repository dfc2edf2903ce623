"""Prepare the cards and chances of a coup, once for the tests of all its bettors.

Chances are counted for each "world": a possible composition of the unseen cards. There is one world
if the record names every face that was seen. If it lacks one, such as the burn card of an imported
shoe, there is a world for each possible value of that card.
"""

from collections.abc import Callable, Iterable, Sequence
from math import perm
from typing import Final, NamedTuple

from msgspec import Struct

from sabot.domain.protection.e_process.next_card_chances import (
    COUP_CARDS,
    coup_totals,
    lead_kernel,
    lead_totals,
    outcome_after,
    outcome_number,
    outcome_ways,
    outcome_ways_without_one,
)
from sabot.domain.protection.observation.observed_coup import Change, CoupObservation, Look
from sabot.domain.rules.third_card_table import player_draws

TIE: Final = 2
"""The place of the tie among the outcomes of a coup: Player, Banker, tie."""

Worlds = list[list[int]]
"""Counts of Player, Banker and tie, for each possible composition of the unseen cards."""
_FOUR = 4


class Evidence(Struct):
    """The cards of a coup, with which the signals of its bettors are compared.

    ``first`` is the first card drawn after the bets, or None if it cannot be tested. ``others`` are
    the second to fourth, as far as shown: they lay unseen, in the shoe or on the felt, when bets
    could still be made. ``came`` and ``led`` are 0 Player, 1 Banker, 2 neither, None unknown.
    ``outcome`` is empty if its chances are unknown, and ``lead`` if it is not tested. ``boxed``
    marks a coup with a card face up in the shoe.

    The tests of a coup are fixed before its first face, and of a later card before that card's own
    face. Otherwise a person who aborts coups because of what was seen could select them.
    """

    coup: CoupObservation
    first: Look | None = None
    others: list[Look] = []
    outcome: Worlds = []
    came: int | None = None
    lead: Worlds = []
    led: int | None = None
    boxed: bool = False

    def least(self, patrons: Iterable[str]) -> bool:
        """Return whether these patrons' bets may depend on a face.

        Then the signals, the presence of the patrons, or the doubt itself may depend on it. So the
        coup counts with the smallest factor over all possible signals.
        """
        return bool(self.coup.mixed) or not self.coup.unordered.isdisjoint(patrons)

    @property
    def card(self) -> Look | None:
        """The first card. None if its face could be seen before the bets."""
        return None if self.first is None or self.first.plain else self.first


def evidence_of(coup: CoupObservation) -> Evidence | None:
    """Compute the cards and chances of a coup. None if no face was shown."""
    if not coup.looks:
        return None
    # with two cards burned face up, burning the second may depend on the first
    first = next((look for look in coup.looks if look.place <= 1), None)
    others = [look for look in coup.looks if 1 < look.place <= _FOUR and not look.plain]
    # A card that is face up in the shoe is noticed only in a coup that reaches it. Omitting such
    # coups would select coups by their cards, so their outcome is taken as unknown.
    boxed = bool(coup.mixed) or any(look.plain for look in coup.looks)
    found = Evidence(coup, first, sorted(others, key=_place_of), boxed=boxed)
    totals = None if boxed else coup.totals
    found.came = outcome_number(*totals) if totals is not None else None
    found.outcome = _worlds(coup, COUP_CARDS, outcome_ways, outcome_ways_without_one)
    if coup.laid_out:
        lead = lead_kernel()
        found.lead = _worlds(coup, _FOUR, lead.ways, lead.ways_without_one)
        found.led = outcome_number(*lead_totals(coup.dealt)) if totals is not None else None
    return found


def _place_of(look: Look) -> int:
    return look.place


def _worlds(
    coup: CoupObservation,
    cards: int,
    ways: Callable[[tuple[int, ...]], Sequence[int]],
    without_one: Callable[[tuple[int, ...]], Iterable[Sequence[int]]],
) -> Worlds:
    """Count the next cards for each possible composition. Empty if too little is known."""
    if coup.lacking > 1 or sum(coup.unseen) - coup.lacking < cards:
        return []
    return list(map(list, without_one(coup.unseen) if coup.lacking else [ways(coup.unseen)]))


def chances_after(coup: CoupObservation, change: Change) -> Worlds:
    """Count the card sequences by outcome, given the faces shown.

    Outcomes are Player, Banker, tie. Cards of earlier coups that have been turned by then count as
    seen too. Everyone could also see which third cards had been drawn. They may or may not have
    known that no further card would follow, so both cases are counted. The result is empty if the
    chances are unknown: a card may have been seen without being on record, or too few cards are
    left.
    """
    known, hands = dict(change.known), change.hands
    unseen = list(change.unseen)
    if coup.lacking or change.lacking or 0 in known:
        return []
    if sum(unseen) < COUP_CARDS - len(known):
        return []
    if list(known) == [1] and len(hands) <= _FOUR:
        return [outcome_after(known[1]).ways(unseen)]
    drawn = count_from(known, unseen, hands)
    if len(hands) <= _FOUR or set(range(1, len(hands) + 1)) <= known.keys():
        return [drawn]
    return [drawn, count_from(known, unseen, hands, over=True)]


def count_from(
    known: dict[int, int], left: Sequence[int], hands: Sequence[str] = (), *, over: bool = False
) -> list[int]:
    """Count the continuations of a coup: Player, Banker and tie.

    Args:
        known: values of the known cards, by place.
        left: counts of the remaining cards, by value.
        hands: hands to which cards have been drawn; only sequences in which the tableau draws those
        cards are counted.
        over: count only sequences in which the tableau draws no further card.
    """
    found = [0, 0, 0]
    walk = _Walk(known, list(left), hands, found, len(hands) if over else COUP_CARDS)
    _walk(walk, [], 1)
    return found


class _Walk(NamedTuple):
    """The state of a count over all ways to deal the remaining cards.

    ``most`` is the maximum number of cards.
    """

    known: dict[int, int]
    left: list[int]
    hands: Sequence[str]
    found: list[int]
    most: int


def _walk(walk: _Walk, dealt: list[int], ways: int) -> None:
    """Count all ways to deal the remaining cards.

    A finished coup is filled up to six cards with any cards, so that all sequences have equal
    length.
    """
    known, left, hands, found, most = walk
    totals = coup_totals(dealt)
    if not _drawn_so(dealt, hands, over=totals is not None):
        return
    if totals is not None:
        free = [place for place in range(len(dealt) + 1, COUP_CARDS + 1) if place not in known]
        found[outcome_number(*totals[:2])] += ways * perm(sum(left), len(free))
        return
    place = len(dealt) + 1
    if place > most:
        return
    if place in known:
        _walk(walk, [*dealt, known[place]], ways)
        return
    for value, many in enumerate(left):
        if many:
            left[value] -= 1
            _walk(walk, [*dealt, value], ways * many)
            left[value] += 1


def _drawn_so(dealt: Sequence[int], hands: Sequence[str], *, over: bool) -> bool:
    """Return whether the third-card table draws as was visible at the table."""
    if len(hands) <= len(dealt):
        return True
    if len(dealt) != _FOUR:
        return not over
    player, banker = lead_totals(dealt)
    return not over and (hands[_FOUR] == "player") == player_draws(player, banker)


def is_open(chances: Worlds) -> bool:
    """Return whether both sides can still win."""
    return any(player > 0 and banker > 0 for player, banker, _ in chances)
