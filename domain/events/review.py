"""Events about findings and audit runs.

They have streams of their own, ``audit/findings``, ``audit/runs`` and ``audit/isolated``, and never
change a table's record. A finding is identified by its fingerprint.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta

from sabot.domain.events.base import EventBase
from sabot.domain.values.scalars import Count, Digest, Name, Number, Part, Words

FINDINGS_STREAM: Final = "audit/findings"
RUNS_STREAM: Final = "audit/runs"
ISOLATED_STREAM: Final = "audit/isolated"

Code = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,99}\Z", max_length=100)]
"""The permanent code of a rule."""

Stream = Annotated[str, Meta(min_length=1, max_length=106)]
"""The name of a stream, such as ``cards/B-1``; ``floor`` for no stream."""


StoredOutcome = Literal["upheld", "dismissed", "mended"]
"""The outcome of a resolved finding as it is stored."""

Outcome = Literal["confirmed", "dismissed", "corrected"]

OUTCOMES: Final[dict[StoredOutcome, Outcome]] = {
    "upheld": "confirmed",
    "dismissed": "dismissed",
    "mended": "corrected",
}
"""The outcomes of a resolved finding, by their names in stored events."""


class _OfFinding(EventBase, frozen=True):
    """Common fields of an event about a finding.

    ``stream`` is the audited stream. It is empty for a finding of a single shoe.
    """

    finding: Digest
    code: Code
    shoe: Name | None
    by: Name
    coup: Number | None = None
    note: Words = ""
    stream: Stream | None = None


class FindingAcknowledged(_OfFinding, frozen=True, tag="finding-acknowledged"):
    """A person acknowledged the finding and takes responsibility for it."""


class FindingCommented(_OfFinding, frozen=True, tag="finding-commented"):
    """A person commented on the finding. Its state does not change."""


class FindingDisputed(_OfFinding, frozen=True, tag="finding-disputed"):
    """A person disputed the finding, or the record behind it."""


class FindingResolved(_OfFinding, frozen=True, tag="finding-resolved", kw_only=True):
    """A person closed the finding.

    ``outcome`` is ``upheld`` (the breach is confirmed), ``dismissed`` (there was none) or
    ``mended`` (confirmed and corrected).
    """

    outcome: StoredOutcome = "upheld"


class PackJudged(Part, frozen=True):
    """A rule pack used in an audit run. ``shoes`` is the number of shoes judged by it."""

    name: Name
    version: Name
    sha256: Digest
    shoes: Count


class CodeCount(Part, frozen=True):
    """The number of findings of a rule in an audit."""

    code: Code
    findings: Count


class AuditRun(EventBase, frozen=True, tag="audit-run", kw_only=True):
    """An audit was run over a log up to ``last_index``.

    ``batches`` and ``tables`` count those audited with the shoes. ``rulebook_sha256`` identifies
    the rules, ``source_sha256`` the program's source, and ``result_sha256`` the output of ``sabot
    audit --format json`` over the same range. ``named`` lists the shoes if only some were audited.
    """

    by: Name
    program: Name
    rulebook_sha256: Digest
    source_sha256: Digest
    origin: Name
    last_index: Count
    shoes: Count
    coups: Count
    result_sha256: Digest
    counts: tuple[CodeCount, ...] = ()
    packs: tuple[PackJudged, ...] = ()
    named: tuple[Name, ...] = ()
    batches: Count = 0
    tables: Count = 0


class EventIsolated(EventBase, frozen=True, tag="event-isolated"):
    """A person isolated a stored event that no program can read.

    Readers skip it, unless it can be read or was changed since. ``index`` is its place in the log,
    ``row_sha256`` the digest of its stored row, and ``note`` the reason.
    """

    index: Number
    row_sha256: Digest
    by: Name
    note: Words


class CheckpointSetAside(EventBase, frozen=True, tag="checkpoint-set-aside"):
    """A person set aside a stored checkpoint that is false, or that nobody signed.

    `sabot verify` reports it and does not compare the log with it. ``size`` is the number of events
    that it covers, ``note_sha256`` the digest of its note, and ``note`` the reason.
    """

    size: Number
    note_sha256: Digest
    by: Name
    note: Words


ReviewEvent = (
    FindingAcknowledged
    | FindingCommented
    | FindingDisputed
    | FindingResolved
    | AuditRun
    | EventIsolated
    | CheckpointSetAside
)
FindingEvent = FindingAcknowledged | FindingCommented | FindingDisputed | FindingResolved
