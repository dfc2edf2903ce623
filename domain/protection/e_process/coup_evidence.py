"""What a coup can say about anybody who bet on it, worked out once for all of them.

Chances are lists of worlds: one where the record names every face that was seen, one for each
value that the unnamed card may have where it lacks one (an import without its burn card).
"""

from collections.abc import Iterable, Sequence
from math import perm
from typing import NamedTuple

from msgspec import Struct

from sabot.domain.protection.e_process.next_card_chances import (
    COUP_CARDS,
    coup_totals,
    lead_kernel,
    lead_totals,
    outcome_after,
    outcome_number,
    outcome_ways,
)
from sabot.domain.protection.observation.observed_coup import Change, CoupObservation, Look
from sabot.domain.rules.third_card_table import player_draws

Worlds = list[list[int]]
"""Counts of Player, Banker and tie, for each way in which the unseen cards may be."""
_FOUR = 4


class Evidence(Struct):
    """A coup's cards, against which signals are held.

    ``first`` is the first card that left the shoe after the bets, None where nothing can be
    said of it. ``others`` are the second to fourth, as far as they came on the felt face down
    while bets were taken, and were shown. ``came`` and ``led`` are 0 Player, 1 Banker, 2 neither,
    None unknown. ``outcome`` is empty where its chances cannot be had, and ``lead`` where it is
    not asked. ``boxed`` marks a coup in which a card lay face up in the shoe.

    What is asked of a coup is settled before its first face, or of a later card before its own:
    whoever cuts a coup short by what he has seen must not choose it.
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
        """Tell whether bets of these patrons, as they stand, may rest on any face of the coup.

        What they signalled, or that they did, or that it is in doubt, may hang on it: then no
        more can count than the least that any signal would have come to.
        """
        return bool(self.coup.mixed) or not self.coup.unordered.isdisjoint(patrons)

    @property
    def card(self) -> Look | None:
        """The first card, where nobody could see its face beforehand."""
        return None if self.first is None or self.first.plain else self.first


def evidence_of(coup: CoupObservation) -> Evidence | None:
    """Work out what a coup can say; None where no face was shown."""
    if not coup.looks:
        return None
    # of two cards burned face up, whether to burn the second rests on the first
    first = next((look for look in coup.looks if look.place <= 1), None)
    others = [look for look in coup.looks if look.early and 1 < look.place <= _FOUR]
    # A card that lies face up comes to light in coups that reach it, and in no others: left out,
    # they would be chosen by their cards. So what came is taken for unknown.
    boxed = bool(coup.mixed) or any(look.plain for look in coup.looks)
    found = Evidence(coup, first, sorted(others, key=_place_of), boxed=boxed)
    totals = None if boxed else coup.totals
    found.came = outcome_number(*totals) if totals is not None else None
    found.outcome = [list(outcome_ways(world)) for world in _worlds(coup, COUP_CARDS)]
    if coup.laid_out:
        found.lead = [lead_kernel().ways(world) for world in _worlds(coup, _FOUR)]
        found.led = outcome_number(*lead_totals(coup.dealt)) if totals is not None else None
    return found


def _place_of(look: Look) -> int:
    return look.place


def _worlds(coup: CoupObservation, cards: int) -> list[tuple[int, ...]]:
    """List the compositions that the unseen cards may have; none where too little is known."""
    if coup.lacking > 1 or sum(coup.unseen) - coup.lacking < cards:
        return []
    if not coup.lacking:
        return [coup.unseen]
    return [
        tuple(many - (value == gone) for value, many in enumerate(coup.unseen))
        for gone, left in enumerate(coup.unseen)
        if left
    ]


def chances_after(coup: CoupObservation, change: Change) -> Worlds:
    """Count the sequences won by Player, by Banker and tied, given the faces already shown.

    So are the faces of earlier coups that were turned over meanwhile, known to all. All could see
    which third cards had been drawn too; that no more would follow they may have
    known, or not: two worlds. Empty where the chances cannot be had: a card may have been seen
    that the record lacks, or too few cards are left.
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
    """Count how a coup goes on by place and value of the cards known, and by what else is left.

    Player, Banker and tie, out of all sequences of the cards that are missing to six by which
    the tableau draws the cards that were drawn: ``hands`` are those to which they went.
    ``over``: of these alone, by which it draws no more.
    """
    found = [0, 0, 0]
    walk = _Walk(known, list(left), hands, found, len(hands) if over else COUP_CARDS)
    _walk(walk, [], 1)
    return found


class _Walk(NamedTuple):
    """What is known of a coup, what is left, what was found; ``most`` cards are drawn."""

    known: dict[int, int]
    left: list[int]
    hands: Sequence[str]
    found: list[int]
    most: int


def _walk(walk: _Walk, dealt: list[int], ways: int) -> None:
    """Deal on in every way; a coup that is over goes on as it likes to its sixth card."""
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
    """Tell whether cards dealt so far go on by the tableau as all could see that they did."""
    if len(hands) <= len(dealt):
        return True
    if len(dealt) != _FOUR:
        return not over
    player, banker = lead_totals(dealt)
    return not over and (hands[_FOUR] == "player") == player_draws(player, banker)


def is_open(chances: Worlds) -> bool:
    """Tell whether both sides can still win."""
    return any(player > 0 and banker > 0 for player, banker, _ in chances)
