"""Bets changed after a face was shown, held against how the coup ended.

A bet made or changed late is a breach of procedure, which the audit reports; whether it was made
*because* of what lay on the felt is asked here. The null is of its own: that what was changed
late had nothing to do with the cards of the coup, as where an honest bet was only recorded late.
Then the outcome is as it was before the first card, and the side moved to wins as chance has it.
"""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct, field

from sabot.domain.protection.e_process.coup_evidence import Evidence
from sabot.domain.protection.e_process.predictors import Number, SidePredictor
from sabot.domain.protection.e_process.test_martingale import Tally


class LateBets(Struct):
    """What was learned of a patron's late changes, and the evidence in them."""

    sides: SidePredictor = field(default_factory=SidePredictor)
    ties: SidePredictor = field(default_factory=SidePredictor)
    tally: Tally = field(default_factory=Tally)

    def bet(self, number: Number, evidence: Evidence, patron: str) -> float | None:
        """Return the factor of a coup, and learn; None where he changed nothing late."""
        moved = moved_late(evidence, patron)
        worlds = evidence.outcome
        if not worlds or moved is None:
            return None
        unit = number(Fraction(1))
        reader = self.sides if moved[0] != moved[1] else self.ties if moved[2] else None
        if evidence.boxed and reader is not None:
            # that it came to light hangs on how long the coup was
            return reader.least(number)
        if moved[0] != moved[1]:
            found = self.sides.bet(number, worlds, 0 if moved[0] > moved[1] else 1, evidence.came)
        elif moved[2]:
            rare = [[world[2], world[0] + world[1]] for world in worlds]
            tied = None if evidence.came is None else int(evidence.came != 2)  # noqa: PLR2004 - a tie
            found = self.ties.bet(number, rare, int(moved[2] < 0), tied)
        else:
            return None
        # an exposed card that nobody named, a bet corrected: evidence for him counts, against not
        return min(found, unit) if evidence.coup.in_doubt((patron,)) else found


def moved_late(evidence: Evidence, patron: str) -> Sequence[int] | None:
    """How far his stakes on Player, Banker and tie moved after the first face, in minor units."""
    mine = [change for change in evidence.coup.changes if change.patron == patron]
    if not mine:
        return None
    before, after = mine[0].before, mine[-1].after
    return [after.get(on, 0) - before.get(on, 0) for on in ("player", "banker", "tie")]
