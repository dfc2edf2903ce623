"""Report one fault as one finding, and link a finding to the one that explains it.

One fault at the table may break several rules. A card that is palmed skips a place of the shoe, and
it is missing at the count. Both findings stay on record. The later one names the first as
`Finding.explained_by`.

A finding is explained by another that shows the same event, in three cases:

- Its rule names the other's rule as one from which its breaches may follow. A rule on what earlier
  steps left behind, such as a balance, names `ANY_RULE`: its breaches show the events behind them.
- The other's rule explains all: it is about an event that should not be there, such as a card that
  is recorded twice.
- The record has the finding only by a correction, and the other is about that correction.

A note explains no other finding: its breach was put right, and has no further effect. Neither does
a finding of a later coup.

One fault may also break one rule several times: a patron who is noted as gone bets in ten coups. If
the rule declares that its breaches may have one cause, those that show the same cause are one
finding, at the first of them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit.correction_view import CorrectionView
from sabot.domain.audit.finding_money import Effect
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.floor_corrections import RecordCorrections
from sabot.domain.audit.late_corrections import Correction, in_effect
from sabot.domain.audit.rule import ANY_RULE, SEVERITY_OF
from sabot.domain.audit.rulebook import RULES

_CAUSES: Final = {rule.code: rule.follows_from for rule in RULES if rule.follows_from}
"""The rules from which breaches of a rule may follow, by its code, likely ones first."""

_EXPLAIN_ALL: Final = frozenset(rule.code for rule in RULES if rule.explains_all)
"""Codes of the rules about an event that should not be there."""

OF_ONE_CAUSE: Final = frozenset(rule.code for rule in RULES if rule.one_cause)
"""Codes of the rules of which one cause may lead to several breaches."""


def with_explanations(found: list[Finding], known: Iterable[Finding] = ()) -> list[Finding]:
    """Return the findings, each with the fingerprint of the finding that explains it, if any.

    Findings of one cause are first combined.

    Args:
        found: the findings of one audit.
        known: earlier findings, which may explain these and are not among them.
    """
    if any(each.code in OF_ONE_CAUSE for each in found):
        found = _put_together(found)
    others = [*found, *known]
    if len(others) <= 1:
        return found
    by_event: dict[int, list[Finding]] = {}
    for other in others:
        for index in other.events:
            by_event.setdefault(index, []).extend([other] * (other.severity != "note"))
    explained = [_explained(each, by_event) for each in found]
    return by_first_causes(explained, known)


def explained_by_correction(
    found: list[Finding], view: CorrectionView | RecordCorrections, correction: Finding
) -> list[Finding]:
    """Return the findings; those that exist only by corrections name the finding about them.

    Amounts that the finding about the corrections has are removed from them.

    Args:
        found: the findings on the corrected record.
        view: the corrections of a coup, or of the record of a table or a batch.
        correction: the finding about them.
    """
    return [
        replace(
            each,
            explained_by=each.explained_by or correction.fingerprint,
            money=_money_beside(each, view),
        )
        if view.explains(each)
        else each
        for each in found
    ]


def with_authors(found: list[Finding], view: CorrectionView | RecordCorrections) -> list[Finding]:
    """Return the findings; those that exist only by corrections name their authors.

    The first record had no such breach. The audit cannot tell which of the two records is right. A
    finding beyond one shoe is explained by the shoe's finding on the corrections of the same coup.
    """
    told = view.told_in if isinstance(view, RecordCorrections) else {}
    return [
        replace(_as_corrected(each, view.behind(each)), explained_by=told.get(each.coup))
        if each.explained_by is None and view.explains(each)
        else each
        for each in found
    ]


def _as_corrected(finding: Finding, corrections: Sequence[Correction]) -> Finding:
    """Return a finding that names the corrections that it does not show yet, and shows them."""
    made = [each for each in in_effect(corrections) if each.index not in finding.events]
    if not made:
        return finding
    by = [(each.payload.by or each.actor, each.index) for each in made]
    said = " and ".join(f"by {who} in event {at}" if who else f"in event {at}" for who, at in by)
    return replace(
        finding,
        message=f"{finding.message} (only as corrected {said})",
        events=(*finding.events, *(at for _, at in by)),
    )


def _money_beside(finding: Finding, view: CorrectionView | RecordCorrections) -> Effect:
    """Return the money of a finding that only corrections make."""
    if not isinstance(view, CorrectionView) or not view.has_amount_of(finding):
        return finding.money
    unknown = "the finding on the correction has the amount"
    return replace(finding.money, house=None, patron=None, patrons={}, basis=None, unknown=unknown)


def _explained(finding: Finding, by_event: dict[int, list[Finding]]) -> Finding:
    """Return a finding with its explanation, if there is one.

    Args:
        finding: the finding.
        by_event: the findings that show each event, by its index in the log.
    """
    if finding.explained_by is not None:
        return finding
    near = [
        other
        for index in finding.events
        for other in by_event[index]
        if other.code != finding.code and _not_later(other, finding)
    ]
    for code in _CAUSES.get(finding.code, ()):
        for other in near:
            if code in (other.code, ANY_RULE) and not _is_effect(other, finding, code):
                return replace(finding, explained_by=other.fingerprint)
    for other in near:
        shown = other.code in _EXPLAIN_ALL and other.events[0] in finding.events
        if shown and not _names(other, finding):
            return replace(finding, explained_by=other.fingerprint)
    return finding


def _is_effect(other: Finding, finding: Finding, code: str) -> bool:
    """Return whether ``other`` follows from ``finding``, which names it or any rule by ``code``.

    Of two rules that name each other the earlier breach explains the later one.
    """
    later = code == ANY_RULE or other.events[0] > finding.events[0]
    return later and _names(other, finding)


def _not_later(finding: Finding, other: Finding) -> bool:
    """Return whether a finding is not of a later coup than another."""
    return finding.coup is None or other.coup is None or finding.coup <= other.coup


def by_first_causes(found: list[Finding], known: Iterable[Finding] = ()) -> list[Finding]:
    """Return the findings, each explained by its first cause.

    If a finding follows from one that is itself explained, it follows from what explains that one.
    """
    causes = {each.fingerprint: each.explained_by for each in (*known, *found)}
    if not any(causes.get(cause or "") for cause in causes.values()):
        return found
    return [replace(each, explained_by=_first_cause(each, causes)) for each in found]


def _first_cause(finding: Finding, causes: dict[str, str | None]) -> str | None:
    cause, passed = finding.explained_by, {finding.fingerprint}
    while cause is not None and (before := causes.get(cause)) is not None:
        if cause in passed:
            break
        passed.add(cause)
        cause = before
    return cause


def _names(finding: Finding, other: Finding) -> bool:
    """Return whether ``other``, which ``finding`` is to explain, may itself explain ``finding``."""
    both = finding.code in _EXPLAIN_ALL and other.code in _EXPLAIN_ALL
    return both or (other.code in _CAUSES.get(finding.code, ()) and _not_later(other, finding))


# -- Findings of one cause -------------------------------------------------------------------------


def _put_together(found: list[Finding]) -> list[Finding]:
    """Return the findings, those of one cause combined into one."""
    by_cause: dict[tuple[str, int], list[Finding]] = {}
    groups: list[list[Finding]] = []
    for finding in found:
        if finding.code in OF_ONE_CAUSE and finding.severity != "note":
            causes = [(finding.code, index) for index in finding.events]
            group = next((by_cause[cause] for cause in causes if cause in by_cause), None)
            if group is None:
                groups.append(group := [])
            group.append(finding)
            by_cause |= dict.fromkeys(causes, group)
    alike = {group[0].fingerprint: group for group in groups}
    others = {each.fingerprint for group in groups for each in group[1:]}
    return [
        _as_one(alike.get(each.fingerprint, [each]))
        for each in found
        if each.fingerprint not in others
    ]


def _as_one(group: list[Finding]) -> Finding:
    """Return the finding for breaches of one cause: the first, with the events of all."""
    first, *more = group
    if not more:
        return first
    coups = sorted({each.coup for each in group if each.coup is not None})
    where = f", in coups {coups[0]} to {coups[-1]}" if len(coups) > 1 else ""
    patrons = {each.patron for each in group}
    money = _added_effects([each.money for each in group])
    return replace(
        first,
        severity=SEVERITY_OF["money"] if money.moved else first.severity,
        message=f"{first.message}, and {len(more)} more like it{where}",
        events=tuple(dict.fromkeys(index for each in group for index in each.events)),
        patron=first.patron if len(patrons) == 1 else None,
        money=money,
    )


def _added_effects(effects: Sequence[Effect]) -> Effect:
    """Return the amounts of several breaches of one rule together.

    Amounts that are not known are left out, unless none is known.
    """
    known = [each for each in effects if each.house is not None]
    if not known:
        return effects[0]
    patrons: Counter[str] = Counter()
    for each in known:
        patrons.update(each.patrons)
    house = sum(each.house or 0 for each in known)
    return replace(known[0], house=house, patron=-house, patrons=dict(patrons))
