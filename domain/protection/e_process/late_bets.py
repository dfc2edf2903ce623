"""Test whether bets changed after a face was shown follow the outcome.

A bet made or changed late is a breach of procedure, which the audit reports. This test asks whether
it was made *because* of the cards on the table. Its null hypothesis is that the late change is
independent of the coup's cards, like an honest bet that was merely recorded late. The outcome then
has its distribution before the first card.
"""

from collections.abc import Sequence

from msgspec import Struct, field

from sabot.domain.protection.e_process.coup_evidence import TIE, Evidence
from sabot.domain.protection.e_process.predictors import Number, SidePredictor, unit_of
from sabot.domain.protection.e_process.test_martingale import Tally


class LateBets(Struct):
    """The evidence of a patron's late changes, with what the predictor has learned."""

    sides: SidePredictor = field(default_factory=SidePredictor)
    ties: SidePredictor = field(default_factory=SidePredictor)
    tally: Tally = field(default_factory=Tally)

    def bet(self, number: Number, evidence: Evidence, patron: str) -> float | None:
        """Return the factor by which a coup multiplies the evidence, and learn from the coup.

        None without a late change.
        """
        moved = moved_late(evidence, patron)
        worlds = evidence.outcome
        if not worlds or moved is None:
            return None
        unit = unit_of(number)
        reader = self.sides if moved[0] != moved[1] else self.ties if moved[2] else None
        if evidence.boxed and reader is not None:
            # whether the card is noticed depends on the length of the coup
            return reader.least(number)
        if moved[0] != moved[1]:
            found = self.sides.bet(number, worlds, 0 if moved[0] > moved[1] else 1, evidence.came)
        elif moved[2]:
            rare = [[world[TIE], world[0] + world[1]] for world in worlds]
            tied = None if evidence.came is None else int(evidence.came != TIE)
            found = self.ties.bet(number, rare, int(moved[2] < 0), tied)
        else:
            return None
        # after an unnamed exposed card or a corrected bet, only exculpatory evidence counts
        return min(found, unit) if evidence.coup.in_doubt((patron,)) else found


def moved_late(evidence: Evidence, patron: str) -> Sequence[int] | None:
    """Return how much a patron changed the stakes after the first face.

    The changes are for Player, Banker and tie, in minor units. None if the patron changed nothing.
    """
    mine = [change for change in evidence.coup.changes if change.patron == patron]
    if not mine:
        return None
    before, after = mine[0].before, mine[-1].after
    return [after.get(on, 0) - before.get(on, 0) for on in ("player", "banker", "tie")]
