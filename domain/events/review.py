"""Facts about findings: what people said of a breach, and which audits were run.

They stand in streams of their own, ``audit/findings`` and ``audit/runs``: what a table did is
not changed by what was thought of it afterwards. A finding is known by its fingerprint.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta

from sabot.domain.events.base import EventBase
from sabot.domain.values.scalars import Count, Digest, Name, Number, Part, Words

FINDINGS_STREAM: Final = "audit/findings"
RUNS_STREAM: Final = "audit/runs"

Code = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,99}\Z", max_length=100)]
"""The permanent code of a rule."""

Stream = Annotated[str, Meta(min_length=1, max_length=106)]
"""The name of a stream, as ``cards/B-1``, or ``floor`` where it is none."""


class _OfFinding(EventBase, frozen=True):
    """What each event about a finding says: which one, by whom, in which words.

    ``stream`` is what was looked at, where that is more than a shoe.
    """

    finding: Digest
    code: Code
    shoe: Name | None
    by: Name
    coup: Number | None = None
    note: Words = ""
    stream: Stream | None = None


class FindingAcknowledged(_OfFinding, frozen=True, tag="finding-acknowledged"):
    """Somebody has seen the finding and answers for what follows."""


class FindingCommented(_OfFinding, frozen=True, tag="finding-commented"):
    """Somebody said something about the finding; its state is what it was."""


class FindingDisputed(_OfFinding, frozen=True, tag="finding-disputed"):
    """Somebody holds that the finding is wrong, or that the record is."""


class FindingResolved(_OfFinding, frozen=True, tag="finding-resolved", kw_only=True):
    """Somebody closed the matter.

    ``outcome``: the breach stands (``upheld``), there was none (``dismissed``), or it stands
    and was made good (``mended``).
    """

    outcome: Literal["upheld", "dismissed", "mended"] = "upheld"


class PackJudged(Part, frozen=True):
    """A rule pack by which shoes of a run were judged, and how many."""

    name: Name
    version: Name
    sha256: Digest
    shoes: Count


class CodeCount(Part, frozen=True):
    """How many findings of a rule a run came to."""

    code: Code
    findings: Count


class AuditRun(EventBase, frozen=True, tag="audit-run", kw_only=True):
    """An audit was run over the log ``origin`` as it stood at ``last_index``.

    ``batches`` and ``tables`` count those that were judged with the shoes.
    ``rulebook_sha256`` names the rules, ``source_sha256`` the program text that applied them,
    ``result_sha256`` the bytes of ``sabot audit --format json`` over the same range. Where only
    some shoes were audited, ``named`` lists them.
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


ReviewEvent = FindingAcknowledged | FindingCommented | FindingDisputed | FindingResolved | AuditRun
FindingEvent = FindingAcknowledged | FindingCommented | FindingDisputed | FindingResolved
