"""The signals that a bettor gives by bets, before the cards and after a face.

The signals are a side, a stake above or below the usual, a bet on the tie, the side before later
face-down cards, and the side favoured by a change after a face was visible.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from sabot.domain.protection.e_process.coup_evidence import Evidence, Worlds, chances_after, is_open
from sabot.domain.protection.observation.observed_coup import Look

_COUPS_KEPT: Final = 100
"""Coups of a habit that count in full; about those of a shoe."""


class Stake(Struct, frozen=True, gc=False):
    """A bettor's Player, Banker and tie stakes, in minor units."""

    player: int = 0
    banker: int = 0
    tie: int = 0

    @property
    def main(self) -> int:
        """The difference of the stakes on two sides."""
        return abs(self.player - self.banker)

    @property
    def side(self) -> int | None:
        """The side favoured: 0 Player, 1 Banker, None for neither."""
        if self.player == self.banker:
            return None
        return 0 if self.player > self.banker else 1


class Custom(Struct):
    """A bettor's usual stakes, as sums over the coups in which the bettor took part."""

    main: int = 0
    tie: int = 0
    coups: int = 0

    def take(self, stake: Stake) -> None:
        """Add the stakes of a coup."""
        self.main += stake.main
        self.tie += stake.tie
        self.coups += 1

    def fade(self) -> None:
        """Halve the sums of the stakes between shoes, so that older coups count less."""
        if self.coups > _COUPS_KEPT:
            self.main, self.tie, self.coups = self.main // 2, self.tie // 2, self.coups // 2


class Signals(Struct, frozen=True):
    """The signals that a bettor gave before the cards of a coup.

    None means no signal. ``side`` and ``bold`` are 0 for Player, 1 for Banker. ``size`` and ``tie``
    are True above the usual stake, False below. ``later`` are the sides before the second to fourth
    card, by place, if those are tested. ``change`` is the side favoured by a change after a face,
    with the chances at that time; the chances are empty if the faces that the bettor had seen are
    unknown.
    """

    side: int | None = None
    bold: int | None = None
    size: bool | None = None
    tie: bool | None = None
    later: dict[int, int] = {}
    change: tuple[int, Worlds] | None = None

    @property
    def before(self) -> bool:
        """Return whether there was a signal before the first face was shown."""
        return any(signal is not None for signal in (self.side, self.bold, self.size, self.tie))

    @property
    def none(self) -> bool:
        """Return whether there was no signal at all."""
        return not (self.before or self.later or self.change)

    def of(self, look: Look) -> bool | None:
        """Return the signal before a later card: True for a high card, False for a low one."""
        side = self.later.get(look.place)
        return None if side is None else side == 0


def stake_of(look_stakes: dict[str, dict[str, int]], patrons: Sequence[str]) -> Stake:
    """Add up patrons' stakes on the main wagers."""
    found = [0, 0, 0]
    for patron in patrons:
        mine = look_stakes.get(patron)
        if mine:
            found[0] += mine.get("player", 0)
            found[1] += mine.get("banker", 0)
            found[2] += mine.get("tie", 0)
    return Stake(*found)


def signals_of(evidence: Evidence, patrons: Sequence[str], custom: Custom) -> Signals:
    """Return the signals of several bettors in a coup, read as one bettor.

    Stakes are compared only with the bettors' own earlier stakes.
    """
    coup = evidence.coup
    change = _change(evidence, patrons)
    if any(patron in coup.undecided for patron in patrons):
        # a bet held on the layout by a tie was not decided for this coup
        return Signals(change=change)
    stake = stake_of(coup.stakes, patrons)
    usual, coups = custom.main, custom.coups
    more = None if stake.main * coups == usual else stake.main * coups > usual
    bold = stake.side if stake.main * coups >= usual else None
    tie = None
    if coups and (custom.tie or stake.tie) and stake.tie * coups != custom.tie:
        tie = stake.tie * coups > custom.tie
    later = {look.place: _later_side(look, patrons) for look in evidence.others}
    sides = {place: side for place, side in later.items() if side is not None}
    return Signals(stake.side, bold, more, tie, sides, change)


def _later_side(look: Look, patrons: Sequence[str]) -> int | None:
    """Return the side bet on before a later card, reversed for a card of the Banker hand."""
    chosen = stake_of(look.stakes, patrons).side
    return None if chosen is None else chosen ^ (look.place % 2 == 0)


def _change(evidence: Evidence, patrons: Sequence[str]) -> tuple[int, Worlds] | None:
    """Return the side to which a patron moved a bet after the first face, and the chances then.

    This is the first change of the patrons at which both sides could still win. None if there is
    no such change.
    """
    for change in evidence.coup.changes:
        if change.patron not in patrons:
            continue
        moved = {
            wager: change.after.get(wager, 0) - change.before.get(wager, 0)
            for wager in ("player", "banker")
        }
        if moved["player"] == moved["banker"]:
            continue
        if change.unsure:
            return (0 if moved["player"] > moved["banker"] else 1), []
        chances = chances_after(evidence.coup, change)
        if is_open(chances):
            return (0 if moved["player"] > moved["banker"] else 1), chances
    return None
