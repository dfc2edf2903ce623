"""Audit a shoe as it was recorded before some of its corrections were made."""

from collections.abc import Callable, Collection

from sabot.domain.audit.findings import Finding
from sabot.domain.audit.late_corrections import Correction, Late
from sabot.domain.audit.uncorrected_records import record_before, without_corrections
from sabot.domain.state.shoe import Shoe

Audit = Callable[[Shoe, Collection[int] | None], list[Finding]]
"""Returns the findings of a shoe and of some of its coups; None: of all."""


class RecordVersions:
    """Versions of a shoe's record, each audited once."""

    def __init__(self, shoe: Shoe, audit: Audit) -> None:
        self.shoe = shoe
        self.audit = audit
        self._found: dict[object, list[Finding]] = {}

    def found_without(self, late: Late, coup: int | None) -> list[Finding]:
        """Return the findings of the shoe and of a coup without some corrections."""
        key = frozenset(indexes_of(late)), coup
        if key not in self._found:
            other = without_corrections(self.shoe, late)
            self._found[key] = self.audit(other, () if coup is None else (coup,))
        return self._found[key]

    def found_before(self, correction: Correction, late: Late, coup: int | None) -> list[Finding]:
        """Return the findings of the shoe and of a coup as they were before a correction.

        The record lacks some corrections too. Without a coup, the findings of all coups are
        returned.
        """
        key = frozenset(indexes_of(late)), coup, correction.index
        if key not in self._found:
            earlier = record_before(without_corrections(self.shoe, late), correction)
            self._found[key] = self.audit(earlier, None if coup is None else (coup,))
        return self._found[key]


def indexes_of(late: Late) -> set[int]:
    """Return the log indexes of corrections."""
    return {correction.index for correction, _ in late}
