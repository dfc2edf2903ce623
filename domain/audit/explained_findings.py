"""Link a finding to another finding that explains it.

One fault at the table may break several rules. A card that is palmed skips a place of the shoe, and
it is missing at the count. Both findings stay on record. The later one names the first as
`Finding.explained_by`.

A rule declares from which other rules' breaches its own may follow. A finding is explained by a
finding of one of these rules that shows the same event in the same stream. A rule may declare
itself: then an earlier finding about an event, such as a departure, explains the later ones. A
finding that exists only because of a correction is explained by the finding about the correction.
"""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit.corrected_records import CorrectionView
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.rulebook import RULES

_CAUSES: Final = {rule.code: rule.follows_from for rule in RULES if rule.follows_from}
"""The rules from which breaches of a rule may follow, by its code, likely ones first."""


def with_explanations(found: list[Finding], known: Iterable[Finding] = ()) -> list[Finding]:
    """Return the findings, each with the fingerprint of the finding that explains it, if any.

    Args:
        found: the findings of one audit.
        known: earlier findings, which may explain these and are not among them.
    """
    if _CAUSES.keys().isdisjoint(each.code for each in found):
        return found
    others = [*found, *known]
    return [_explained(each, others) for each in found]


def explained_by_correction(
    found: list[Finding], view: CorrectionView, correction: Finding
) -> list[Finding]:
    """Return the findings; those that exist only by corrections name the finding about them.

    Args:
        found: the findings on the corrected record.
        view: the corrections of a coup.
        correction: the finding about them.
    """
    return [
        replace(each, explained_by=correction.fingerprint)
        if each.explained_by is None and view.explains(each)
        else each
        for each in found
    ]


def _explained(finding: Finding, others: list[Finding]) -> Finding:
    shown = frozenset(finding.events)
    for code in _CAUSES.get(finding.code, ()):
        for other in others:
            same_place = other.code == code and other.stream == finding.stream
            if not same_place or shown.isdisjoint(other.events):
                continue
            if code != finding.code or other.events[0] < finding.events[0]:
                return replace(finding, explained_by=other.fingerprint)
    return finding
