"""Sabot, an event-sourced dealer and auditor for baccarat.

The names below are the public interface; docs/library.md has examples. A name is loaded when it is
first used, so ``import sabot`` loads no database driver.

* A log: `open`, `follow`, `EventLog`. Its events: `NewEvent` on the way in, `AppendResult` as
  the answer, `RecordedEvent` on the way out. The module `events` holds the kinds of payload;
  `shoe_loaded` makes the first one of a shoe.
* A shoe: `fold_shoe`, `Shoe`.
* Judgement: `audit`, `AuditReport`, `Finding`; `detect`, `DetectionReport`.
* Reports on a period: `report`, `ReportDocument`.
* Games: `odds`, `OddsTable`, `WagerOdds`; `roads`, `Roads`.
* For the eventsourcing library: `LogApplication`, `LogEvent`.
* Errors: `SabotError` and its subclasses; each message ends with what to do next.

Amounts are integers in minor units of the table's currency. Times are integers in microseconds
since 1970 (UTC).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sabot.domain import events
    from sabot.domain.audit.findings import Finding
    from sabot.domain.audit.report import AuditReport
    from sabot.domain.events.envelope import AppendResult as AppendResult
    from sabot.domain.events.envelope import NewEvent as NewEvent
    from sabot.domain.events.envelope import RecordedEvent as RecordedEvent
    from sabot.domain.odds.house_edge import OddsTable, WagerOdds
    from sabot.domain.protection.reporting.detection_report import Report as DetectionReport
    from sabot.domain.state.shoe_state import Shoe
    from sabot.domain.values.errors import (
        BadInput,
        ContentConflict,
        NotFound,
        SabotError,
        Unavailable,
        UntrustedLog,
        VersionConflict,
    )
    from sabot.domain.views.roads import Roads, roads
    from sabot.infrastructure.api import audit, detect, fold_shoe, follow
    from sabot.infrastructure.api import open_log as open  # noqa: A004 - as gzip.open is named
    from sabot.infrastructure.exports.reports.written_report import ReportDocument, report
    from sabot.infrastructure.log.application import LogApplication, LogEvent
    from sabot.infrastructure.log.event_log import EventLog
    from sabot.infrastructure.rule_packs import shoe_loaded
    from sabot.infrastructure.wager_odds import odds

__all__ = [
    "AppendResult",
    "AuditReport",
    "BadInput",
    "ContentConflict",
    "DetectionReport",
    "EventLog",
    "Finding",
    "LogApplication",
    "LogEvent",
    "NewEvent",
    "NotFound",
    "OddsTable",
    "RecordedEvent",
    "ReportDocument",
    "Roads",
    "SabotError",
    "Shoe",
    "Unavailable",
    "UntrustedLog",
    "VersionConflict",
    "WagerOdds",
    "audit",
    "detect",
    "events",
    "fold_shoe",
    "follow",
    "odds",
    "open",
    "report",
    "roads",
    "shoe_loaded",
]

# Public name: its module, and its name there (an empty name is the module itself).
_PLACES = {
    "AppendResult": ("sabot.domain.events.envelope", "AppendResult"),
    "AuditReport": ("sabot.domain.audit.report", "AuditReport"),
    "BadInput": ("sabot.domain.values.errors", "BadInput"),
    "ContentConflict": ("sabot.domain.values.errors", "ContentConflict"),
    "DetectionReport": ("sabot.domain.protection.reporting.detection_report", "Report"),
    "EventLog": ("sabot.infrastructure.log.event_log", "EventLog"),
    "Finding": ("sabot.domain.audit.findings", "Finding"),
    "LogApplication": ("sabot.infrastructure.log.application", "LogApplication"),
    "LogEvent": ("sabot.infrastructure.log.application", "LogEvent"),
    "NewEvent": ("sabot.domain.events.envelope", "NewEvent"),
    "NotFound": ("sabot.domain.values.errors", "NotFound"),
    "OddsTable": ("sabot.domain.odds.house_edge", "OddsTable"),
    "RecordedEvent": ("sabot.domain.events.envelope", "Event"),
    "ReportDocument": ("sabot.infrastructure.exports.reports.written_report", "ReportDocument"),
    "Roads": ("sabot.domain.views.roads", "Roads"),
    "SabotError": ("sabot.domain.values.errors", "SabotError"),
    "Shoe": ("sabot.domain.state.shoe_state", "Shoe"),
    "Unavailable": ("sabot.domain.values.errors", "Unavailable"),
    "UntrustedLog": ("sabot.domain.values.errors", "UntrustedLog"),
    "VersionConflict": ("sabot.domain.values.errors", "VersionConflict"),
    "WagerOdds": ("sabot.domain.odds.house_edge", "WagerOdds"),
    "audit": ("sabot.infrastructure.api", "audit"),
    "detect": ("sabot.infrastructure.api", "detect"),
    "events": ("sabot.domain.events", ""),
    "fold_shoe": ("sabot.infrastructure.api", "fold_shoe"),
    "follow": ("sabot.infrastructure.api", "follow"),
    "odds": ("sabot.infrastructure.wager_odds", "odds"),
    "open": ("sabot.infrastructure.api", "open_log"),
    "report": ("sabot.infrastructure.exports.reports.written_report", "report"),
    "roads": ("sabot.domain.views.roads", "roads"),
    "shoe_loaded": ("sabot.infrastructure.rule_packs", "shoe_loaded"),
}


if not TYPE_CHECKING:  # a type checker takes the imports above, and reports a mistyped name

    def __getattr__(name: str) -> object:
        """Load a public name when it is first used."""
        if name not in _PLACES:
            raise AttributeError(f"module 'sabot' has no attribute {name!r}")
        module, attribute = _PLACES[name]
        found = import_module(module)
        globals()[name] = value = getattr(found, attribute) if attribute else found
        return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(globals().keys() | _PLACES)
