"""Find what the corrections of a shoe removed.

A correction takes effect at the place of the event that it replaces. So the corrected record alone
does not show that anything was changed. The shoe is therefore audited again without the late
corrections of a coup, all of them together. Two effects are reported:

- A breach was on record when the corrections were made, and they remove it.
- The result of the coup was known when they were made. The recorded payments are right with the
  corrections and wrong without them.

A correction is late if anything else of its coup was recorded after the event that it corrects.
Before that it changes nothing that could not have been recorded at once. A corrected event that
belongs to no coup must be corrected by the next event.

The corrections of a coup are judged by that coup, its neighbours, and the rules of the whole shoe.
Corrections that belong to no coup are judged together, by all coups.

Cost: one folding of the shoe and two audits of three coups for each coup that was corrected late. A
shoe without late corrections costs one pass over its events.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from msgspec import Struct

from sabot.domain.audit.findings import Finding
from sabot.domain.audit.foreign_events import set_foreign_aside
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.events import CardDrawn, Event, EventCorrected, ResultCalled
from sabot.domain.events.corrections import names_earlier
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import Shoe, fold

Correction = RecordedEvent[EventCorrected]
Audit = Callable[[Shoe, Collection[int] | None], list[Finding]]
"""Returns the findings of a shoe and of some of its coups; None: of all."""

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
    by_coup: dict[int | None, list[tuple[Correction, Event | None]]] = {}
    for coup, correction, corrected in _late_corrections(shoe):
        by_coup.setdefault(coup if coup in shoe.coups else None, []).append((correction, corrected))
    return [_view(shoe, coup, late, audit) for coup, late in by_coup.items()]


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
    shoe: Shoe, coup: int | None, late: list[tuple[Correction, Event | None]], audit: Audit
) -> CorrectionView:
    corrections = tuple(correction for correction, _ in late)
    around = None if coup is None else (coup - 1, coup, coup + 1)
    without = _without(shoe, {correction.position for correction in corrections})
    gone = _removed(audit(without, around), audit(shoe, around))
    made = max(correction.position for correction in corrections)
    earlier = {event.index for event in shoe.history if event.position < made}
    removed = [finding for finding in gone if earlier.issuperset(finding.events)]
    repaid = [
        finding
        for finding in gone
        if finding not in removed and finding.money.house and _is_known(without, finding, made)
    ]
    corrected = tuple(payload for _, payload in late)
    return CorrectionView(shoe, coup, corrections, corrected, tuple(removed), tuple(repaid))


def _alike(finding: Finding) -> _Alike:
    """Return the key that identifies a finding across two versions of a record."""
    return finding.code, finding.coup, finding.patron, finding.money.house


def _without(shoe: Shoe, positions: Collection[int]) -> Shoe:
    """Return the shoe folded without some of its corrections."""
    history = (event for event in shoe.history if event.position not in positions)
    other = fold(shoe.stream, history)
    other.at_table, other.seqs_in_other_streams = shoe.at_table, shoe.seqs_in_other_streams
    return set_foreign_aside(at_the_table(other))


def _is_known(shoe: Shoe, finding: Finding, made: int) -> bool:
    """Return whether a coup's result was known before the position of a correction.

    It was known if it had been called, or if all cards of the coup had been drawn.
    """
    of_coup = [event for event in shoe.history if _coup_of(event.payload) == finding.coup]
    called = (event for event in of_coup if type(event.payload) is ResultCalled)
    cards = [event.position for event in of_coup if type(event.payload) is CardDrawn]
    return any(event.position < made for event in called) or (bool(cards) and max(cards) < made)
