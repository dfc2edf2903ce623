"""The scope of an audit: the tables, dealers and period that its findings are limited to."""

from collections.abc import Collection

from msgspec import Struct

from sabot.domain.audit.findings import Finding
from sabot.domain.events.points_in_time import format_time
from sabot.domain.values.periods import Period


class AuditScope(Struct, frozen=True):
    """What the findings of an audit are limited to; empty collections stand for all.

    The time of a finding decides: that of the event that broke the rule. ``text`` is the scope in
    words; it is empty without any limit.
    """

    period: Period = Period()
    tables: frozenset[str] = frozenset()
    dealers: frozenset[str] = frozenset()
    text: str = ""

    @property
    def is_limited(self) -> bool:
        """Whether the scope leaves anything out."""
        return self.period.is_bounded or bool(self.tables or self.dealers)

    def holds(self, finding: Finding, tables: Collection[str | None]) -> bool:
        """Return whether a finding is in the scope.

        A finding without a time is in every period, since nothing rules it out.

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
        """Return the scope in plain types: times in ISO 8601 (UTC), None without a bound."""
        bounds = (self.period.from_us, self.period.to_us)
        since, before = (None if us is None else format_time(us) for us in bounds)
        return {
            "since": since,
            "before": before,
            "tables": sorted(self.tables),
            "dealers": sorted(self.dealers),
            "text": self.text,
        }
