"""The scope of an audit: the tables, dealers and period that its findings are limited to."""

from collections.abc import Collection

from msgspec import Struct

from sabot.domain.audit.findings import Finding
from sabot.domain.events.points_in_time import format_time
from sabot.domain.values.periods import Period


class AuditScope(Struct, frozen=True):
    """The limits of an audit: tables, dealers and period. An empty collection sets no limit.

    A finding is in the period if the event that broke the rule is. ``text`` describes the scope in
    words; it is empty if there is no limit.
    """

    period: Period = Period()
    tables: frozenset[str] = frozenset()
    dealers: frozenset[str] = frozenset()
    text: str = ""

    @property
    def is_limited(self) -> bool:
        """Whether the scope excludes anything."""
        return self.period.is_bounded or bool(self.tables or self.dealers)

    def holds(self, finding: Finding, tables: Collection[str | None]) -> bool:
        """Return whether a finding is in the scope.

        A finding without a time counts as in every period.

        Args:
            finding: the finding.
            tables: the tables that it concerns.
        """
        return (
            (not self.dealers or finding.dealer in self.dealers)
            and (not self.tables or not self.tables.isdisjoint(tables))
            and (finding.at_us is None or self.period.holds(finding.at_us))
        )

    def document(self) -> dict[str, object]:
        """Return the scope in plain types.

        Times are ISO 8601 text in UTC, or None where there is no bound.
        """
        bounds = (self.period.from_us, self.period.to_us)
        since, before = (None if us is None else format_time(us) for us in bounds)
        return {
            "since": since,
            "before": before,
            "tables": sorted(self.tables),
            "dealers": sorted(self.dealers),
            "text": self.text,
        }
