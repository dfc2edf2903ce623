"""The audit of a shoe that is still being dealt: each breach once, as soon as its fact is there.

After each batch of facts the shoe as a whole is judged again, and of its coups those that the
facts speak of, the one in play, and the one before it; a correction, and the end of the shoe,
have every coup judged again. So the cost of a fact does not grow with the coups that are over.
"""

from typing import Any, Final, cast

from domain import facts as f
from domain.audit.engine import InDoubt, judge_part
from domain.audit.finding import Finding
from domain.audit.rulebook import RULES
from domain.audit.timing import at_the_table
from domain.event import Event
from domain.shoe import Shoe, evolve

_EVERY_COUP: Final = (f.FactCorrected, f.ShoeEnded, f.ShoeLoaded)
"""Facts after which a coup that is over may have to be judged otherwise."""

_NOT_LIVE: Final = frozenset(rule.code for rule in RULES if not rule.live)


class LiveAudit:
    """Follows one shoe; ``told`` are the fingerprints of what was found so far.

    ``in_doubt`` is what the last `findings` could not judge anew, since an order is doubtful.
    """

    def __init__(self, shoe: Shoe) -> None:
        """Take a shoe as it is, judged or not; `findings` begins with all of its coups."""
        self.shoe = shoe
        self.told: set[str] = set()
        self.in_doubt: list[InDoubt] = []
        self._doubted: set[InDoubt] = set()
        self._touched: set[int] = set(shoe.coups)

    def know_doubts(self) -> None:
        """Take what cannot be judged of the shoe as it stands now for told: it was, of an audit."""
        if self.shoe.history and at_the_table(self.shoe).order is not None:
            self._doubted.update(judge_part(self.shoe, self.shoe.coups)[1])

    @property
    def over(self) -> bool:
        """Whether the shoe has ended."""
        return self.shoe.ended is not None

    def add(self, event: Event) -> None:
        """Take in the shoe's next fact."""
        self.shoe = evolve(self.shoe, event)
        if isinstance(event.fact, _EVERY_COUP):
            self._touched.update(self.shoe.coups)
            return
        number = getattr(cast("Any", event.fact), "coup", None)
        if number is None:
            number = max(self.shoe.coups, default=0)
        self._touched.update((number, number - 1))
        if self.shoe.current is not None:
            self._touched.add(self.shoe.current.number)

    def findings(self) -> list[Finding]:
        """Return what is found now and was not told before."""
        found, in_doubt = judge_part(self.shoe, self._touched)
        self._touched.clear()
        new = [
            finding
            for finding in found
            if finding.fingerprint not in self.told and finding.code not in _NOT_LIVE
        ]
        self.told.update(finding.fingerprint for finding in new)
        self.in_doubt = sorted(
            {each for each in in_doubt if each.code not in _NOT_LIVE} - self._doubted,
            key=lambda each: (each.coup or 0, each.code, each.reason),
        )
        self._doubted.update(self.in_doubt)
        return new
