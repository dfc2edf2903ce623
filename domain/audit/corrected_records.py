"""Find what the corrections of a shoe removed.

A correction takes effect at the place of the event that it replaces. So the corrected record alone
does not show that anything was changed. The shoe is therefore audited again without its late
corrections, all of them together. Two effects are reported:

- A breach was on record when the corrections were made, and they remove it.
- The result of the coup was known when they were made. The recorded payments are right with the
  corrections and wrong without them. A correction of a stake is in time only before the first card.

A correction is late if anything else of its coup was recorded after the event that it corrects.
Before that it changes nothing that could not have been recorded at once. A corrected event that
belongs to no coup must be corrected by the next event.

A finding that is gone belongs to the corrections of its coup, or of a neighbour. If there are none,
the corrections are halved until the fewest are left without which the finding comes back.

Cost: one folding of the shoe and two audits of three coups for each coup that was corrected late. A
shoe without late corrections costs one pass over its events. A gone finding of no coup costs as
many foldings more as the corrections can be halved.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from msgspec import Struct

from sabot.domain.audit.findings import Finding
from sabot.domain.audit.foreign_events import set_foreign_aside
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPlaced,
    BetWithdrawn,
    CardDrawn,
    Event,
    EventCorrected,
    ResultCalled,
)
from sabot.domain.events.corrections import names_earlier
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import Shoe, fold

Correction = RecordedEvent[EventCorrected]
Audit = Callable[[Shoe, Collection[int] | None], list[Finding]]
"""Returns the findings of a shoe and of some of its coups; None: of all."""

Late = list[tuple[Correction, Event | None]]
"""Late corrections, each with the original event that it corrects."""

_STAKES: Final = (BetPlaced, BetChanged, BetWithdrawn, BetCarried)
_Alike = tuple[str, int | None, str | None, int | None]


class CorrectionView(Struct, frozen=True):
    """The late corrections of a coup, with the findings that they remove.

    ``removed`` are breaches on record when the last of them was made. ``repaid`` are wrong payments
    of coups whose result was known then. ``corrected`` are the original events that the corrections
    name, None for an event that is not on record. ``coup`` is None for events of no coup.
    """

    shoe: Shoe
    coup: int | None
    corrections: tuple[Correction, ...]
    corrected: tuple[Event | None, ...]
    removed: tuple[Finding, ...]
    repaid: tuple[Finding, ...]


def view_corrections(shoe: Shoe, audit: Audit) -> list[CorrectionView]:
    """Return the late corrections of a shoe, coup by coup, with their effects.

    Args:
        shoe: the shoe, with its events in their order at the table.
        audit: finds the breaches of a record.
    """
    by_coup: dict[int | None, Late] = {}
    for coup, correction, corrected in _late_corrections(shoe):
        by_coup.setdefault(coup if coup in shoe.coups else None, []).append((correction, corrected))
    if not by_coup:
        return []
    without = _without(shoe, [each for late in by_coup.values() for each in late])
    around = None if None in by_coup else {c + n for c in by_coup if c for n in (-1, 0, 1)}
    gone: dict[int | None, list[Finding]] = {}
    for finding in _removed(audit(without, around), audit(shoe, around)):
        gone.setdefault(_coup_at_fault(shoe, by_coup, finding, audit), []).append(finding)
    return [_view(shoe, without, coup, late, gone.get(coup, [])) for coup, late in by_coup.items()]


def _coup_at_fault(
    shoe: Shoe, by_coup: dict[int | None, Late], finding: Finding, audit: Audit
) -> int | None:
    """Return the coup whose corrections removed a finding. None for those of no coup."""
    coup = finding.coup
    near = () if coup is None else (coup, coup - 1, coup + 1)
    known = next((each for each in near if each in by_coup), None)
    if known is not None or len(by_coup) == 1:
        return known if known is not None else next(iter(by_coup))
    coups = list(by_coup)
    while len(coups) > 1:
        half = coups[: len(coups) // 2]
        other = _without(shoe, [each for number in half for each in by_coup[number]])
        found = map(_alike, audit(other, () if coup is None else (coup,)))
        coups = half if _alike(finding) in found else coups[len(half) :]
    return coups[0]


def _late_corrections(shoe: Shoe) -> Iterator[tuple[int | None, Correction, Event | None]]:
    """Yield the coup, the correction and the corrected event of each late correction."""
    payloads = {event.position: event.payload for event in shoe.history}
    last_of_coup: dict[int | None, int] = {}
    last = 0
    made_at_once: set[int] = set()
    for event in shoe.history:
        payload = event.payload
        if type(payload) is EventCorrected:
            named = _root(payload.version, payloads)
            coup = _coup_of(payloads.get(named)) or _coup_of(payload.instead)
            if named == (last if coup is None else last_of_coup.get(coup, 0)):
                made_at_once.add(event.position)
        else:
            last = last_of_coup[_coup_of(payload)] = event.position
    for correction in shoe.corrections:
        if correction.position not in made_at_once:
            corrected = payloads.get(_root(correction.payload.version, payloads))
            coup = _coup_of(corrected) or _coup_of(correction.payload.instead)
            yield coup, correction, corrected


def _root(version: int, payloads: dict[int, Event]) -> int:
    """Return the version of the first event in a chain of corrections.

    A correction may correct an earlier correction.
    """
    payload = payloads.get(version)
    while type(payload) is EventCorrected and names_earlier(payload, version):
        version, payload = payload.version, payloads.get(payload.version)
    return version


def _coup_of(payload: Event | None) -> int | None:
    return getattr(payload, "coup", None)


def _removed(before: Iterable[Finding], after: Iterable[Finding]) -> list[Finding]:
    """Return the findings that are among the first and no longer among the second."""
    left = Counter(map(_alike, after))
    gone: list[Finding] = []
    for finding in before:
        if left[_alike(finding)]:
            left[_alike(finding)] -= 1
        else:
            gone.append(finding)
    return gone


def _view(
    shoe: Shoe, without: Shoe, coup: int | None, late: Late, gone: list[Finding]
) -> CorrectionView:
    corrections = tuple(correction for correction, _ in late)
    made = max(correction.position for correction in corrections)
    earlier = {event.index for event in shoe.history if event.position < made} if gone else set()
    removed = [finding for finding in gone if earlier.issuperset(finding.events)]
    repaid = [
        finding
        for finding in gone
        if finding not in removed and finding.money.house and _is_known(without, finding, late)
    ]
    corrected = tuple(payload for _, payload in late)
    return CorrectionView(shoe, coup, corrections, corrected, tuple(removed), tuple(repaid))


def _alike(finding: Finding) -> _Alike:
    """Return the key that identifies a finding across two versions of a record."""
    return finding.code, finding.coup, finding.patron, finding.money.house


def _without(shoe: Shoe, late: Late) -> Shoe:
    """Return the shoe folded without some of its corrections."""
    positions = {correction.position for correction, _ in late}
    history = (event for event in shoe.history if event.position not in positions)
    other = fold(shoe.stream, history)
    other.at_table, known = shoe.at_table, shoe.seqs_in_other_streams
    other.seqs_in_other_streams = known if known == {} else {**(known or {}), **_numbers_of(late)}
    return set_foreign_aside(at_the_table(other))


def _numbers_of(late: Late) -> dict[tuple[str, int], int]:
    """Return the device numbers of corrections: of each run the device, the first and its length.

    A record without these corrections lacks no number for that.
    """
    runs: dict[tuple[str, int], int] = {}
    numbered = [(each.device, each.seq) for each, _ in late if each.seq is not None]
    first: tuple[str, int] | None = None
    for device, seq in sorted(numbered):
        if first is None or first[0] != device or seq != first[1] + runs[first]:
            first = (device, seq)
        runs[first] = runs.get(first, 0) + 1
    return runs


def _is_known(shoe: Shoe, finding: Finding, late: Late) -> bool:
    """Return whether a correction was made when a coup's result, or a card of it, was known.

    The result is known once it was called, or once all cards of the coup were drawn. A stake may
    not be corrected once a card was drawn.
    """
    of_coup = [event for event in shoe.history if _coup_of(event.payload) == finding.coup]
    called = [event.position for event in of_coup if type(event.payload) is ResultCalled]
    cards = [event.position for event in of_coup if type(event.payload) is CardDrawn]
    result = min(called[:1] + cards[-1:], default=None)
    for correction, corrected in late:
        of_stake = isinstance(corrected, _STAKES) or isinstance(correction.payload.instead, _STAKES)
        since = min(cards, default=result) if of_stake else result
        if since is not None and since < correction.position:
            return True
    return False
