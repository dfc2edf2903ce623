"""The audit of a shoe that is still being dealt: each breach once, as soon as its fact is there.

After each batch of facts the shoe as a whole is judged again, and of its coups those that the
facts speak of, the one in play, and the one before it; a correction, and the end of the shoe,
have every coup judged again. So the cost of a fact does not grow with the coups that are over.

Where several devices tell of a shoe, and the pack says what their clocks are worth, a breach waits
until each of them has spoken of a later moment: what one has not told yet may be on its way. It
waits no longer than until two more coups have begun, or the shoe has ended; and if it is no breach
any more by then, nobody is told of it.
"""

from typing import Any, Final, NamedTuple, cast

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


_OF_ONE_DEVICE: Final = ("clock-of-a-device-jumped",)
"""Rules that look at one device alone: nothing that another has to tell speaks against them."""

_WAITS: Final = 2
"""How many coups later a breach is told though a device has not spoken since."""


class _Waiting(NamedTuple):
    """When a breach was first found: the latest clock so far, and how many coups there were."""

    clock_us: int
    coup: int
    coups: int


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
        self._clocks: dict[str, int] = {}
        self._waiting: dict[str, _Waiting] = {}
        for event in shoe.history:
            self._hear(event)

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
        self._hear(event)
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
        self._touched.update(each.coup for each in self._waiting.values())
        found, in_doubt = judge_part(self.shoe, self._touched)
        self._touched.clear()
        new = [
            finding
            for finding in found
            if finding.fingerprint not in self.told and finding.code not in _NOT_LIVE
        ]
        still = {finding.fingerprint for finding in new}
        self._waiting = {key: each for key, each in self._waiting.items() if key in still}
        new = [finding for finding in new if not self._waits(finding)]
        self.told.update(finding.fingerprint for finding in new)
        self.in_doubt = sorted(
            {each for each in in_doubt if each.code not in _NOT_LIVE} - self._doubted,
            key=lambda each: (each.coup or 0, each.code, each.reason),
        )
        self._doubted.update(self.in_doubt)
        return new

    def _hear(self, event: Event) -> None:
        """Keep the latest clock of each device."""
        if event.at_us is not None:
            self._clocks[event.device] = max(event.at_us, self._clocks.get(event.device, 0))

    def _waits(self, finding: Finding) -> bool:
        """Tell whether a device may have told of something that is still on its way."""
        pack = self.shoe.pack
        if self.over or len(self._clocks) <= 1 or finding.code in _OF_ONE_DEVICE:
            return False
        if pack is None or pack.clocks is None:
            return False
        coups = len(self.shoe.coups)
        since = self._waiting.setdefault(
            finding.fingerprint,
            _Waiting(max(self._clocks.values()), finding.coup or 0, coups),
        )
        spoken = min(self._clocks.values()) >= since.clock_us
        if not spoken and coups < since.coups + _WAITS:
            return True
        del self._waiting[finding.fingerprint]
        return False
