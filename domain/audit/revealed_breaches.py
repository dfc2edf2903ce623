"""Find breaches that one correction showed and another removed.

Neither the first record nor the corrected one has such a breach. For example, the surveillance room
corrects a card, which shows that a payment was wrong, and the dealer corrects the card back.
"""

from collections.abc import Collection, Iterator

from sabot.domain.audit.correction_view import CorrectionView
from sabot.domain.audit.coup_numbers import number_of_shown
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.late_corrections import Correction, Late, is_within_a_minute
from sabot.domain.audit.record_versions import RecordVersions, in_log_order, is_same
from sabot.domain.audit.uncorrected_records import without_corrections


def view_revealed(
    records: RecordVersions, every: Late, known: Collection[Finding]
) -> Iterator[CorrectionView]:
    """Yield each correction that removed a breach shown by an earlier one.

    A late correction is tested only if it names the same event as an earlier late correction, or
    names that earlier correction. It is not tested if the same person made both, as successive
    events and within a minute. For each test, the record is audited with only those late
    corrections that were made before the tested one.

    Args:
        records: the versions of the shoe's record.
        every: the late corrections.
        known: the findings of the first record and of the corrected one.
    """
    told: set[tuple[int, str]] = set()
    for later in _from_replacing(every):
        without = without_corrections(records.shoe, later)
        for finding in records.audit(without, None):
            if any(is_same(finding, each) for each in known):
                continue
            correction = records.culprit(later, finding)
            key = correction.index, finding.fingerprint
            if key in told or not records.was_on_record(later, finding):
                continue
            told.add(key)
            corrected = next(was for made, was in later if made is correction)
            yield CorrectionView(
                records.shoe,
                number_of_shown(records.shoe, finding.coup, finding.events),
                (correction,),
                corrected=(corrected,),
                removed=(finding,),
                repaid=(),
                revealed=True,
            )


def _from_replacing(every: Late) -> Iterator[Late]:
    """Yield the corrections, in log order, from each replacing one on."""
    order = in_log_order(every)
    seen: dict[tuple[str, int], Correction] = {}
    for nth, (correction, _) in enumerate(order):
        names = correction.stream, correction.payload.version
        earlier = seen.get(names)
        if earlier is not None and not _puts_slip_right(earlier, correction):
            yield order[nth:]
        seen[names] = seen[correction.stream, correction.position] = correction


def _puts_slip_right(earlier: Correction, correction: Correction) -> bool:
    """Return whether a person corrected an own correction at once."""
    first, second = (each.payload.by or each.actor for each in (earlier, correction))
    is_next = correction.position == earlier.position + 1
    return first == second and is_next and is_within_a_minute(earlier, correction)
