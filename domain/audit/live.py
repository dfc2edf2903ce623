"""The audit of a shoe that is still being dealt: each breach once, as soon as its fact is there.

After each batch of facts the shoe as a whole is judged again, and of its coups those that the
facts speak of, their neighbours, the one in play, and those whose facts stand in another order at
the table than before; a correction, and the end of the shoe, have every coup judged again. So the
cost of a fact does not grow with the coups that are over. A breach that no longer holds then is
withdrawn, and one that is otherwise than it was told is told again.

Where several devices tell of a shoe, and the pack says what their clocks are worth, a breach waits
until each of them has spoken of a later moment: what one has not told yet may be on its way. It
waits no longer than until two more coups have begun, or the shoe has ended; and if it is no breach
any more by then, nobody is told of it.
"""

from collections.abc import Iterable
from itertools import dropwhile, zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from domain import facts as f
from domain.audit.engine import judge_part
from domain.audit.finding import Finding
from domain.audit.news import News, Standing
from domain.audit.rulebook import RULES, SHOE_RULES
from domain.audit.timing import at_the_table
from domain.clocks import Span, order_of
from domain.event import Event
from domain.shoe import Shoe, evolve
from domain.table import Table

if TYPE_CHECKING:
    from domain.audit.verdicts import InDoubt

_EVERY_COUP: Final = (f.FactCorrected, f.ShoeEnded, f.ShoeLoaded)
"""Facts after which a coup that is over may have to be judged otherwise."""

_NOT_LIVE: Final = frozenset(rule.code for rule in RULES if not rule.live)
_OF_SHOES: Final = frozenset(rule.code for rule in SHOE_RULES if rule.on_shoe is not None)

_OF_ONE_DEVICE: Final = ("clock-of-a-device-jumped",)
"""Rules that look at one device alone: nothing that another has to tell speaks against them."""

_WAITS: Final = 2
"""How many coups later a breach is told though a device has not spoken since."""


class _Waiting(NamedTuple):
    """When a breach was first found: the latest clock so far, and how many coups there were."""

    clock_us: int
    coup: int
    coups: int


_Placed = tuple[int, Span | None, int | None]
"""The index of a fact, when it happened, and the coup that it speaks of."""


class LiveAudit:
    """Follows one shoe; ``standing`` is what was told of it and holds still.

    ``in_doubt`` is what the last `news` could not judge anew, since an order is doubtful.
    """

    def __init__(self, shoe: Shoe, told: Iterable[Finding] = ()) -> None:
        """Take a shoe as it is, and what was told of it; `news` begins with all of its coups."""
        self.shoe = shoe
        self.standing = Standing(told)
        self.in_doubt: list[InDoubt] = []
        self._doubted: set[InDoubt] = set()
        self._touched: set[int] = set(shoe.coups)
        self._order: list[_Placed] = []
        self._clocks: dict[str, int] = {}
        self._waiting: dict[str, _Waiting] = {}
        for event in shoe.history:
            self._hear(event)

    def know_doubts(self) -> None:
        """Take what cannot be judged of the shoe as it stands now for told: it was, of an audit."""
        if not self.shoe.history:
            return
        if self.shoe.at_table is not None or at_the_table(self.shoe).order is not None:
            self._doubted.update(judge_part(self.shoe, self.shoe.coups)[1])

    @property
    def over(self) -> bool:
        """Whether the shoe has ended."""
        return self.shoe.ended is not None

    def add(self, event: Event) -> None:
        """Take in the shoe's next fact."""
        table = self.shoe.at_table
        self.shoe = evolve(self.shoe, event)
        # a correction makes another shoe of it
        self.shoe.at_table = table
        self._hear(event)
        if isinstance(event.fact, _EVERY_COUP):
            self._touched.update(self.shoe.coups)
            return
        number = _coup_of(event)
        self._touch(max(self.shoe.coups, default=0) if number is None else number)
        if self.shoe.current is not None:
            self._touched.add(self.shoe.current.number)

    def see_table(self, table: Table | None) -> None:
        """Take the record of its table, as it is now: every coup may be judged otherwise by it."""
        self.shoe.at_table = table
        self._touched.update(self.shoe.coups)

    def news(self) -> list[News]:
        """Return what is found now and was not told, or was told and is otherwise now."""
        self._touched.update(each.coup for each in self._waiting.values())
        self._touch_what_moved()
        touched, coups = self._touched, self.shoe.coups
        self._touched = set()
        found, in_doubt = judge_part(self.shoe, touched)
        new = {each.fingerprint for each in found if each not in self.standing}
        self._waiting = {key: each for key, each in self._waiting.items() if key in new}
        self.in_doubt = sorted(
            {each for each in in_doubt if each.code not in _NOT_LIVE} - self._doubted,
            key=lambda each: (each.coup or 0, each.code, each.reason),
        )
        self._doubted.update(self.in_doubt)
        return self.standing.news(
            found,
            lambda each: each.code in _OF_SHOES or each.coup in touched or each.coup not in coups,
            lambda each: each.code not in _NOT_LIVE and not self._waits(each),
        )

    def _touch(self, coup: int) -> None:
        """Have a coup judged again, and its neighbours."""
        self._touched.update((coup - 1, coup, coup + 1))

    def _touch_what_moved(self) -> None:
        """Have the coups judged again whose facts stand elsewhere at the table than before."""
        clocks = self.shoe.pack.clocks if self.shoe.pack is not None else None
        order = order_of(self.shoe.history, clocks)
        events = order.events if order is not None else []
        spans = order.spans if order is not None else {}
        placed = [(event.index, spans.get(event.version), _coup_of(event)) for event in events]
        pairs = zip_longest(self._order, placed)
        for was, now in dropwhile(lambda pair: pair[0] == pair[1], pairs):
            for _, _, coup in filter(None, (was, now)):
                if coup is not None:
                    self._touch(coup)
        self._order = placed

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


def _coup_of(event: Event) -> int | None:
    """Return the coup that a fact speaks of."""
    return getattr(cast("Any", event.fact), "coup", None)
