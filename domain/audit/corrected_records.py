"""Find what each correction of a shoe removed.

The shoe is audited once more without the correction. A correction takes effect at the place of the
event that it replaces. So the corrected record alone does not show that anything was changed. Two
effects of a correction are reported:

- A breach was on record when the correction was made, and the correction removes it.
- The result of the coup was known when the correction was made. The recorded payments are right
  with the correction and wrong without it.

A correction has neither effect if it is made before other events depend on the corrected event.
That is certain where it comes directly after that event.

A correction of an event of a coup is judged by that coup, its neighbours, and the rules of the
whole shoe.

Cost: twice the folding of the shoe and the audit of three coups for each correction. A shoe without
corrections costs nothing.
"""

from collections import Counter
from collections.abc import Callable, Collection
from itertools import pairwise

from msgspec import Struct

from sabot.domain.audit.findings import Finding
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.events import CardDrawn, Event, EventCorrected, ResultCalled
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import Shoe, fold

Correction = RecordedEvent[EventCorrected]
Audit = Callable[[Shoe, Collection[int] | None], list[Finding]]
"""Returns the findings of a shoe and of some of its coups; None: of all."""

_Alike = tuple[str, int | None, str | None, int | None]


class CorrectionView(Struct, frozen=True):
    """A correction, with the findings that it removes.

    ``removed`` are breaches on record when it was made. ``repaid`` are wrong payments of coups
    whose result was known then. ``corrected`` is the original event that the correction names,
    ``coup`` the coup of that event.
    """

    shoe: Shoe
    correction: Correction
    corrected: Event | None
    coup: int | None
    removed: tuple[Finding, ...]
    repaid: tuple[Finding, ...]


def view_corrections(shoe: Shoe, coups: Collection[int], audit: Audit) -> list[CorrectionView]:
    """Return the late corrections of some coups, with their effects.

    A correction directly after the corrected event is left out. A correction that belongs to no
    coup of the shoe is always returned.

    Args:
        shoe: the shoe, with its events in their order at the table.
        coups: the numbers of the coups.
        audit: finds the breaches of a record.
    """
    at_once = {
        event.position
        for before, event in pairwise(shoe.history)
        if type(event.payload) is EventCorrected and event.payload.version == before.position
    }
    late = [each for each in shoe.corrections if each.position not in at_once]
    if not late:
        return []
    payloads = {event.position: event.payload for event in shoe.history}
    views = []
    for correction in late:
        corrected = payloads.get(correction.payload.version)
        coup = _coup_of(corrected) or _coup_of(correction.payload.instead)
        if coup in coups or coup not in shoe.coups:
            views.append(_view(shoe, correction, corrected, coup, audit))
    return views


def _coup_of(payload: Event | None) -> int | None:
    return getattr(payload, "coup", None)


def _view(
    shoe: Shoe,
    correction: Correction,
    corrected: Event | None,
    coup: int | None,
    audit: Audit,
) -> CorrectionView:
    around = None if coup is None else (coup - 1, coup, coup + 1)
    without = _without(shoe, correction)
    left = Counter(map(_alike, audit(shoe, around)))
    gone: list[Finding] = []
    for finding in audit(without, around):
        if left[_alike(finding)]:
            left[_alike(finding)] -= 1
        else:
            gone.append(finding)
    earlier = {event.index for event in shoe.history if event.position < correction.position}
    removed = [finding for finding in gone if earlier.issuperset(finding.events)]
    repaid = [
        finding
        for finding in gone
        if finding not in removed
        and finding.money.house
        and _is_known(without, finding, correction)
    ]
    return CorrectionView(shoe, correction, corrected, coup, tuple(removed), tuple(repaid))


def _alike(finding: Finding) -> _Alike:
    """Return the key that identifies a finding across corrected records."""
    return finding.code, finding.coup, finding.patron, finding.money.house


def _without(shoe: Shoe, correction: Correction) -> Shoe:
    """Return the shoe of the record without one correction."""
    other = fold(shoe.stream, (event for event in shoe.history if event is not correction))
    other.at_table, other.seqs_in_other_streams = shoe.at_table, shoe.seqs_in_other_streams
    return at_the_table(other)


def _is_known(shoe: Shoe, finding: Finding, correction: Correction) -> bool:
    """Return whether a coup's result was known before a correction.

    It was known if it had been called, or if all cards of the coup had been drawn.
    """
    of_coup = [
        event for event in shoe.history if getattr(event.payload, "coup", None) == finding.coup
    ]
    called = (event for event in of_coup if type(event.payload) is ResultCalled)
    cards = [event.position for event in of_coup if type(event.payload) is CardDrawn]
    return any(event.position < correction.position for event in called) or (
        bool(cards) and max(cards) < correction.position
    )
