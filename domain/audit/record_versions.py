"""Audit a shoe as it was recorded before some of its corrections were made."""

from bisect import bisect
from collections.abc import Callable, Collection

from sabot.domain.audit.findings import Finding
from sabot.domain.audit.late_corrections import Correction, Late, coup_of
from sabot.domain.audit.uncorrected_records import record_before, without_corrections
from sabot.domain.events import Event
from sabot.domain.state.shoe import Shoe

Audit = Callable[[Shoe, Collection[int] | None], list[Finding]]
"""Returns the findings of a shoe and of some of its coups; None: of all."""

Alike = tuple[str, str, int | None, str | None, int | None, tuple[tuple[str, int], ...], bool]


class RecordVersions:
    """Versions of a shoe's record, each audited once."""

    def __init__(self, shoe: Shoe, audit: Audit) -> None:
        self.shoe = shoe
        self.audit = audit
        self._found: dict[object, list[Finding]] = {}
        self._culprits: dict[object, Correction] = {}

    def culprit(self, late: Late, finding: Finding) -> Correction:
        """Return the correction that removed a finding.

        The corrections take effect one after another in the order of the log. The culprit is the
        first one after which the audit no longer makes the finding. The search begins with those of
        the finding's coup.
        """
        key = frozenset(indexes_of(late)), finding.fingerprint, alike(finding)
        if key not in self._culprits:
            self._culprits[key] = self._first_without(late, finding)
        return self._culprits[key]

    def maker(self, late: Late, finding: Finding) -> Correction:
        """Return a correction behind a finding that the record without any of them lacks.

        It is one of the finding's coup if these alone make the finding. Otherwise it is the first
        one, in log order, after which the audit makes it.
        """
        own = [each for each in late if finding.coup in _coups_of(each)]
        others = [each for each in late if each not in own]
        if own and alike(finding) in map(alike, self.found_without(others, finding.coup)):
            return own[0][0]
        order = in_log_order(late)

        def is_there(last: int) -> bool:
            there = self.found_without(order[last + 1 :], finding.coup)
            return alike(finding) in map(alike, there)

        return order[bisect(range(len(order) - 1), False, key=is_there)][0]

    def _first_without(self, late: Late, finding: Finding) -> Correction:
        order = in_log_order(late)
        final = self.found_without([], finding.coup)
        exact = any(each.fingerprint == finding.fingerprint for each in final)
        kept = set(map(alike, final))

        def is_gone(last: int) -> bool:
            there = self.found_without(order[last + 1 :], finding.coup)
            if exact:
                return alike(finding) not in map(alike, there)
            return not self._is_among(finding, [e for e in there if alike(e) not in kept], late)

        own = [n for n, each in enumerate(order) if finding.coup in _coups_of(each)]
        before, gone = -1, len(order) - 1
        if own and own[0] > 0 and not is_gone(own[0] - 1):
            before = own[0] - 1
        if own and own[-1] < gone and is_gone(own[-1]):
            gone = own[-1]
        between = range(before + 1, gone)
        return order[before + 1 + bisect(between, False, key=is_gone)][0]

    def was_on_record(self, late: Late, finding: Finding) -> bool:
        """Return whether an audit just before the culprit finds the breach of a finding.

        ``late`` are the corrections without which the record has the finding.
        """
        correction = self.culprit(late, finding)
        key = correction.index, finding.coup
        if key not in self._found:
            earlier = record_before(self.shoe, correction)
            self._found[key] = self.audit(earlier, _only(finding.coup))
        return self._is_among(finding, self._found[key], late)

    def _is_among(self, finding: Finding, there: Collection[Finding], late: Late) -> bool:
        """Return whether a finding of the first record is among those of another version.

        Two findings of the first record are of two breaches, even if they show the same event. So a
        finding of the other version that equals another finding of the first record does not count.
        """
        first = {each.fingerprint for each in self.found_without(late, finding.coup)}
        others = first - {finding.fingerprint}
        return any(is_same(finding, each) for each in there if each.fingerprint not in others)

    def found_without(self, late: Late, coup: int | None) -> list[Finding]:
        """Return the findings of the shoe and of a coup without some corrections."""
        key = frozenset(indexes_of(late)), coup
        if key not in self._found:
            record = without_corrections(self.shoe, late) if late else self.shoe
            self._found[key] = self.audit(record, _only(coup))
        return self._found[key]


def alike(finding: Finding) -> Alike:
    """Return the key that identifies a finding, with its amounts, across versions of a record.

    A breach that a ruling turns into a note counts as another finding than the breach without the
    ruling.
    """
    money = finding.money
    each = tuple(sorted(money.patrons.items()))
    noted = finding.severity == "note"
    return finding.code, finding.stream, finding.coup, finding.patron, money.house, each, noted


def is_same(finding: Finding, other: Finding) -> bool:
    """Return whether findings in two versions of a record are of one breach.

    Of a card with too many copies, for example, the first copy too many may differ.
    """
    if finding.fingerprint == other.fingerprint:
        return True
    if (finding.code, finding.patron) != (other.code, other.patron):
        return False
    first, others = finding.events[:1], other.events[:1]
    return not {*first}.isdisjoint(other.events) or not {*others}.isdisjoint(finding.events)


def indexes_of(late: Late) -> set[int]:
    """Return the log indexes of corrections."""
    return {correction.index for correction, _ in late}


def in_log_order(late: Late) -> Late:
    """Return each correction once, in the order of the log."""
    return sorted({each[0].index: each for each in late}.values(), key=lambda each: each[0].index)


def _only(coup: int | None) -> Collection[int]:
    return () if coup is None else (coup,)


def _coups_of(late: tuple[Correction, Event | None]) -> set[int | None]:
    correction, corrected = late
    return {coup_of(corrected), coup_of(correction.payload.instead)}
