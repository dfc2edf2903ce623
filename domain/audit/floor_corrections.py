"""Find what late corrections removed of the findings on tables, batches of cards and the floor.

The floor is audited again without the late corrections of each record: of a table, of a batch, or
of a shoe as far as the floor depends on it. A breach counts as removed if all of its events were on
record when the last of the corrections was made.

Before the first card a shoe may have been loaded with a batch, or at a table, that was written down
wrongly. The record cannot show whether the first name was a slip or the second hides something. If
the new name is one of the floor's and nothing else of the loading changed, the correction may be a
slip (`RecordCorrections.may_be_slip`).

Cost: one more audit of the floor for each record with a late correction that the floor depends on,
and one more computation of the state of each shoe with a late correction.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.corrected_records import removed_findings
from sabot.domain.audit.correction_view import money_of, those_behind
from sabot.domain.audit.coup_view import cashier_of, is_settled_as_due, view_coup
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.floor_view import Floor, ShoeSummary, floor_of, summary_of, worth_of
from sabot.domain.audit.late_corrections import Correction, Late, coup_of, late_corrections
from sabot.domain.audit.settled_anew import coup_or_empty
from sabot.domain.audit.uncorrected_records import table_without, without_corrections
from sabot.domain.events import Event
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.batch_state import Batch
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_state import Table

_BREACH_CORRECTED_AWAY: Final = "breach-corrected-away"


def summary_with_corrections(shoe: Shoe, found: Collection[Finding] = ()) -> ShoeSummary:
    """Return the data of a shoe for the floor, and what they were before late corrections.

    Args:
        shoe: the shoe.
        found: its findings.
    """
    now = summary_of(shoe)
    late = _late(shoe)
    if not late:
        return now
    without = without_corrections(shoe, late)
    without.history = shoe.history  # the shoe ends with the same event
    before = summary_of(without)
    if before == now:
        return now
    of_corrections = [each for each in found if each.code == _BREACH_CORRECTED_AWAY]
    told = {index: each.fingerprint for each in of_corrections for index in each.events}
    recounted = _recounted(shoe, without, {each.coup for each in of_corrections})
    return replace(now, late=tuple(late), uncorrected=before, told=told, recounted=recounted)


def _recounted(
    shoe: Shoe, without: Shoe, coups: Collection[int | None]
) -> dict[tuple[int, str], int]:
    """Return by how much corrections changed what abandoned bets are worth, by coup and patron.

    Only bets of these coups count that were settled as due without the corrections. The finding on
    the corrections then has what the patron won by them.
    """
    changed: Counter[tuple[int, str]] = Counter()
    left = [each.payload for each in without.abandoned if each.payload.coup in coups]
    for number, bet in {(each.coup, each.bet) for each in left}:
        view = view_coup(without, without.coups[number], cashier_of(without))
        owed = {each.number: due for each, due in view.settlements_due}
        was, now = view.coup.bets[bet], coup_or_empty(shoe, number).bets.get(bet)
        due = owed.get(bet)
        if now is not None and due is not None and is_settled_as_due(was, due):
            changed[number, was.patron] += worth_of(now) - worth_of(was)
    return dict(changed)


def _late(record: Batch | Table | Shoe) -> Late:
    """Return the late corrections of a record."""
    if not record.corrections:
        return []
    return [(correction, was) for _, correction, was in late_corrections(record.history)]


class RecordCorrections(Struct, frozen=True):
    """The late corrections in a record, and the breaches beyond one shoe that they remove.

    ``shoe`` is the name of the shoe, None for the record of a table or a batch. ``corrected`` are
    the original events, None for an event that is not on record. ``made`` are findings that exist
    only with the corrections. ``history`` are the events of the table or batch; a shoe's are left
    out. ``may_be_slip`` is whether the corrections only name another table or batch, on record too,
    before the first card. ``told`` is the fingerprint of the shoe's own finding about one of the
    corrections, if it has one. ``told_in`` has such a finding for each coup whose events were
    corrected. ``recounted`` is that of `ShoeSummary`.
    """

    stream: str
    corrections: tuple[Correction, ...]
    corrected: tuple[Event | None, ...]
    removed: tuple[Finding, ...]
    made: tuple[Finding, ...]
    history: Sequence[RecordedEvent] = ()
    shoe: str | None = None
    may_be_slip: bool = False
    told: str | None = None
    told_in: dict[int | None, str] = {}
    recounted: dict[tuple[int, str], int] = {}

    def gains(self) -> Counter[str | None]:
        """Return what each patron got by the first record, less what the corrected record shows.

        Amounts are in minor units. The key None has those of unnamed patrons. What the shoe's own
        finding has of an abandoned bet is left out.
        """
        gains = money_of(self.removed)
        gains.subtract(money_of(self.made))
        for (coup, patron), change in self.recounted.items():
            if any(each.coup == coup and patron in each.money.patrons for each in self.removed):
                gains[patron] -= change
        return gains

    def explains(self, finding: Finding) -> bool:
        """Return whether a finding exists only because of the corrections."""
        known = {each.code for each in self.removed}
        made = any(each.fingerprint == finding.fingerprint for each in self.made)
        return made and finding.code not in known

    def behind(self, finding: Finding) -> tuple[Correction, ...]:
        """Return the corrections behind a finding: those of the events that it shows, or all."""
        return those_behind(finding, self.corrections, [self.history])


def view_record_corrections(
    floor: Floor, found: list[Finding], audit: Callable[[Floor], list[Finding]]
) -> Iterator[RecordCorrections]:
    """Yield the late corrections of each table, batch and shoe, with their effects.

    Args:
        floor: the floor, with corrections applied.
        found: the findings of its audit.
        audit: a function that returns the findings of a floor.
    """
    records: list[Batch | Table] = [*floor.batches.values(), *floor.tables.values()]
    for record in records:
        late = _late(record)
        if late:
            before = _without(floor, record, {correction.index for correction, _ in late})
            view = _view(record.stream, late, found, audit(before))
            yield replace(view, history=record.history)
    for shoe in floor.shoes:
        if shoe.uncorrected is not None:
            first = shoe.uncorrected
            shoes = [first if each is shoe else each for each in floor.shoes]
            before = floor_of(floor.batches.values(), floor.tables.values(), shoes, floor.stored)
            view = _view(f"shoe/{shoe.name}", shoe.late, found, audit(before))
            told = (shoe.told.get(correction.index) for correction in view.corrections)
            yield replace(
                view,
                shoe=shoe.name,
                may_be_slip=_may_be_slip(floor, shoe, first),
                told=next(filter(None, told), None),
                told_in={
                    coup_of(was): shoe.told[e.index] for e, was in shoe.late if e.index in shoe.told
                },
                recounted=shoe.recounted,
            )


def _view(
    stream: str,
    late: Collection[tuple[Correction, Event | None]],
    found: list[Finding],
    before: list[Finding],
) -> RecordCorrections:
    """Return the effects of some corrections, from the findings with and without them."""
    corrections = tuple(dict.fromkeys(correction for correction, _ in late))
    last = max(correction.index for correction in corrections)
    return RecordCorrections(
        stream,
        corrections,
        tuple(corrected for _, corrected in late),
        removed=tuple(
            finding
            for finding in removed_findings(before, found)
            if max(finding.events, default=0) < last
        ),
        made=tuple(removed_findings(found, before)),
    )


def _may_be_slip(floor: Floor, now: ShoeSummary, before: ShoeSummary) -> bool:
    """Return whether a shoe was only given another name of its table or batch before a card.

    If the floor has a record of the first name, it has one of the second: otherwise rules that
    applied to the shoe would no longer apply.
    """
    loaded, first = now.loaded, before.loaded
    if loaded is None or first is None:
        return False
    if now.first is not None and any(each.index > now.first.index for each, _ in now.late):
        return False
    named = replace(first.payload, table=loaded.payload.table, batch=loaded.payload.batch)
    return (
        named == loaded.payload
        and _is_named_too(before.table, now.table, floor.tables)
        and _is_named_too(before.batch, now.batch, floor.batches)
    )


def _is_named_too(before: str | None, now: str | None, known: Collection[str]) -> bool:
    """Return whether a corrected shoe still names a table or a batch.

    If the former name is on record, the new one must be on record too.
    """
    return before == now or (now is not None and (now in known or before not in known))


def _without(floor: Floor, record: Batch | Table, indexes: set[int]) -> Floor:
    """Return the floor without some events of one record."""
    batches, tables = dict(floor.batches), dict(floor.tables)
    if isinstance(record, Batch):
        kept = (event for event in record.history if event.index not in indexes)
        batches[record.name] = fold_batch(record.stream, kept)
    else:
        tables[record.name] = table_without(record, indexes)
    return floor_of(batches.values(), tables.values(), floor.shoes, floor.stored)
