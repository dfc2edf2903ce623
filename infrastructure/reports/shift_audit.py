"""The shift audit: findings with their states, their coups, and the results of the tables."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sabot.domain.audit.finding_reviews import OPEN, FindingState
from sabot.domain.audit.findings import Finding, in_numbers, unexplained
from sabot.domain.audit.gaps import gaps
from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.rule import Rule
from sabot.domain.audit.rulebook import RULES, find_rule
from sabot.domain.events.points_in_time import Time, parse_moment
from sabot.domain.state.shoe import Shoe
from sabot.domain.views.table_view import felt_of
from sabot.infrastructure.reports.model import (
    Bar,
    Chart,
    Cited,
    Column,
    Figures,
    Linked,
    Moment,
    Picture,
    Pictures,
    Report,
    Row,
    Section,
    Table,
    Unknown,
    Value,
)
from sabot.infrastructure.reports.records import Currency, Records, coups_played, money_in
from sabot.infrastructure.reports.statistical_win import bets_table, sums_of, win_charts

KIND: Final = "shift-audit"
TITLE: Final = "Shift audit"

_FINDINGS: Final = (
    Column("at", "time", "time"),
    Column("where", "shoe, coup"),
    Column("rule", "rule"),
    Column("severity", "severity"),
    Column("message", "what happened", weight=4),
    Column("staff", "dealer, supervisor"),
    Column("patron", "patron"),
    Column("house", "over/short", "money"),
    Column("state", "state"),
    Column("fingerprint", "finding"),
)
_STATES: Final = (
    Column("fingerprint", "finding"),
    Column("where", "shoe, coup"),
    Column("rule", "rule"),
    Column("state", "state", weight=2),
    Column("by", "by"),
    Column("at", "recorded at", "time"),
    Column("why", "reason", weight=4),
)
_DETAILS: Final = (
    Column("fingerprint", "finding"),
    Column("rule", "rule", weight=2),
    Column("required", "required", weight=3),
    Column("shown", "recorded", weight=3),
    Column("events", "events", weight=2),
    Column("source", "source", weight=3),
)
_RULES: Final = (
    Column("rule", "rule", weight=2),
    Column("result", "result"),
    Column("checked", "judged", "count"),
    Column("findings", "findings", "count"),
    Column("skipped", "not judged, and why", weight=4),
)
_ORDER: Final = {"high": 0, "medium": 1, "low": 2, "note": 3}
_NONE: Final = "No open, acknowledged or disputed finding in this period."
_NOTHING_AUDITED: Final = "nothing was audited: no shoe has an event in the period"
_SHORT: Final = 12
_BARS: Final = 12
"""The most bars of a chart; the others are the shortest."""


def shift_audit(records: Records) -> Report:
    """Return the findings of a period with their states, and the results of its tables."""
    findings = sorted(records.findings, key=lambda each: (each.at_us or 0, each.fingerprint))
    counting = below_their_causes([each for each in findings if counts(each, records)])
    others = below_their_causes([each for each in findings if not counts(each, records)])
    sums = sums_of(records, records.scope.period)
    sections: list[Section] = [
        Figures("summary", "Summary", tuple(_summary(records, counting, others))),
        _findings(counting, records),
    ]
    if others:
        sections.append(_others(others, records))
    states = [each for each in findings if state_of(each, records) != OPEN]
    if states:
        sections.append(_states(states, records))
    sections += [*_charts(unexplained(counting)), bets_table(sums), *win_charts(sums)]
    pictures = tuple(_pictures(findings, records))
    if pictures:
        sections.append(Pictures("coups", "Coups with a finding", pictures))
    appendix = Table(
        "details",
        "Appendix: findings in detail",
        _DETAILS,
        tuple(_detail(each) for each in findings),
    )
    appendices = (appendix,) if records.audit is None else (appendix, _rules(records.audit))
    return Report(
        KIND,
        TITLE,
        tuple(sections),
        appendices,
        unknown=() if records.audit is None else tuple(gaps(records.audit)),
        sources=tuple(_sources(findings)),
    )


def _rules(audit: AuditReport) -> Table:
    """Return every rule of the audit with its result, or the reason why it was not applied."""
    rows: list[Row] = []
    for rule in RULES:
        came = audit.rules[rule.code]
        why = sorted(came.reasons.items(), key=lambda pair: (-pair[1], pair[0]))
        skipped = "; ".join(f"{reason} ({many:,})" for reason, many in why)
        name = Linked(f"{rule.number} {rule.code}", _address(rule))
        rows.append((name, came.result, came.checked, came.findings, skipped or None))
    return Table("rules", "Appendix: rules", _RULES, tuple(rows))


def _findings(counting: list[Finding], records: Records) -> Table:
    return Table(
        "findings",
        "Unresolved findings",
        _FINDINGS,
        tuple(_row(each, records) for each in counting),
        tuple(_moved(counting)),
        _NONE
        if records.shoes or records.findings
        else f"{_NOTHING_AUDITED[0].upper()}{_NOTHING_AUDITED[1:]}.",
        (
            (
                "Over/short is the amount that the house is over, or short (below zero). It "
                "is empty if this kind of breach moves no money, or if another finding "
                "of the coup has the amount. A finding that another one explains is listed below "
                "it and is not counted as a finding of its own."
            ),
        ),
    )


def _others(others: list[Finding], records: Records) -> Table:
    return Table(
        "others",
        "Resolved findings and notes",
        _FINDINGS,
        tuple(_row(each, records) for each in others),
        tuple(_moved(others)),
        notes=(
            (
                "These count neither for the result of the audit nor for its net effect. A finding "
                "that a correction of the record removed is shown as it was last found."
            ),
        ),
    )


def _states(findings: list[Finding], records: Records) -> Table:
    """Return who set the state of each reviewed finding, when and why."""
    rows: list[Row] = []
    for finding in findings:
        state, rule = state_of(finding, records), _rule(finding)
        rows.append((
            finding.fingerprint[:_SHORT],
            where_of(finding),
            Linked(rule.number, _address(rule)),
            state.name if state.found or state.by_correction else f"{state.name}; no longer found",
            state.by,
            _moment(state.at),
            state.why or None,
        ))  # fmt: skip
    return Table(
        "states",
        "Reviews of the findings",
        _STATES,
        tuple(rows),
        notes=(
            (
                "A finding that is not in this table is open. The time is that at which the log "
                "recorded the state, by the clock of the log. Other times are those of the table."
            ),
        ),
    )


def _moment(at: str | None) -> Moment | None:
    moment = None if at is None else parse_moment(at)
    return Moment(moment.us) if isinstance(moment, Time) else None


def counts(finding: Finding, records: Records) -> bool:
    """Return whether a finding needs attention: it is unresolved, and not a note."""
    return finding.severity != "note" and state_of(finding, records).is_unresolved


def state_of(finding: Finding, records: Records) -> FindingState:
    """Return the state of a finding. A finding without remarks is open."""
    return records.states.get(finding.fingerprint, OPEN)


def _summary(
    records: Records, counting: list[Finding], others: list[Finding]
) -> Iterator[tuple[str, Value]]:
    played = list(coups_played(records))
    own = unexplained(counting)
    none = f"no unresolved findings, {len(others)} resolved or noted" if others else "no findings"
    if _nothing_audited(records, [*counting, *others]):
        none = _NOTHING_AUDITED
    yield "result", in_numbers(counting) if counting else none
    yield "coups", len(played)
    yield "shoes", ", ".join(dict.fromkeys(each.shoe.name for each in played)) or "none"
    yield "tables", ", ".join(dict.fromkeys(each.shoe.table or "?" for each in played)) or "none"
    severities = Counter(each.severity for each in own)
    for severity in ("high", "medium", "low"):
        yield f"{severity} findings", severities[severity]
    states = Counter[str](state_of(each, records).state for each in own)
    for state in ("open", "acknowledged", "disputed"):
        yield state, states[state]
    yield "explained by other findings", len(counting) - len(own)
    unresolved = sum(state_of(each, records).is_unresolved for each in others)
    yield "resolved", len(others) - unresolved
    yield "notes", unresolved
    if records.audit is not None and none != _NOTHING_AUDITED:
        skipped = sum(map(len, _codes(records.audit)))
        yield "rules applied", records.audit.applied()
        yield "rules not applicable", skipped
    for currency, house in sorted(_sums(counting).items()):
        over = "over" if house >= 0 else "short"
        yield f"net effect: house {over}", money_in(currency, abs(house))
    for currency, house in sorted(_sums(others).items()):
        over = "over" if house >= 0 else "short"
        yield f"resolved findings and notes: house {over}", money_in(currency, abs(house))


def _nothing_audited(records: Records, findings: Sequence[Finding]) -> bool:
    """Return whether no shoe has an event in the period, and no finding concerns it."""
    return not (records.shoes or findings)


def _codes(audit: AuditReport) -> Iterator[list[str]]:
    """Yield the codes of the rules that were never applied, by reason."""
    for reasons in audit.not_applied().values():
        yield from reasons.values()


def _rule(finding: Finding) -> Rule:
    return find_rule(finding.code)


def _row(finding: Finding, records: Records) -> Row:
    rule, money = _rule(finding), finding.money
    house: Value = None
    if money.house is not None:
        house = money_in((money.currency or "", money.minor_units), money.house)
    staff = ", ".join(filter(None, (finding.dealer, finding.supervisor)))
    return (
        Moment(finding.at_us) if finding.at_us is not None else Unknown("the breach has no time"),
        where_of(finding),
        Linked(rule.number, _address(rule)),
        finding.severity,
        _message(finding, records),
        staff or None,
        finding.patron,
        house,
        state_of(finding, records).name,
        finding.fingerprint[:_SHORT],
    )


def _message(finding: Finding, records: Records) -> str:
    """Return the message of a finding, with a reference to the finding that explains it.

    The state of the other finding is added if only one of the two needs attention.
    """
    if finding.explained_by is None:
        return finding.message
    cause = next(
        (each for each in records.findings if each.fingerprint == finding.explained_by), None
    )
    reference = f"explained by {finding.explained_by[:_SHORT]}"
    if cause is None:
        reference += ", which is not in this report"
    elif counts(cause, records) != counts(finding, records):
        reference += f", which is {state_of(cause, records).name}"
    return f"{finding.message} ({reference})"


def below_their_causes(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings in the same order, but explained ones below those that explain them."""
    marks = {each.fingerprint for each in findings}
    explained: dict[str, list[Finding]] = {}
    for each in findings:
        if each.explained_by in marks and each.explained_by is not None:
            explained.setdefault(each.explained_by, []).append(each)
    ordered: dict[str, Finding] = {}

    def add(finding: Finding) -> None:
        if finding.fingerprint not in ordered:
            ordered[finding.fingerprint] = finding
            for other in explained.get(finding.fingerprint, ()):
                add(other)

    for each in findings:
        if each.explained_by not in marks:
            add(each)
    return [*ordered.values(), *(each for each in findings if each.fingerprint not in ordered)]


def where_of(finding: Finding) -> str:
    """Return the shoe and coup of a finding, or else its stream."""
    name = finding.stream.removeprefix("shoe/")
    if finding.shoe is not None and finding.stream == f"shoe/{finding.shoe}":
        name = finding.shoe
    return name if finding.coup is None else f"{name}, {finding.coup}"


def _address(rule: Rule) -> str | None:
    return next((source.url for source in rule.sources if source.url is not None), None)


def _sums(findings: Iterable[Finding]) -> dict[Currency, int]:
    sums: dict[Currency, int] = {}
    for finding in findings:
        money = finding.money
        if money.house is not None:
            key = (money.currency or "", money.minor_units)
            sums[key] = sums.get(key, 0) + money.house
    return sums


def _moved(findings: list[Finding]) -> Iterator[Row]:
    for currency, house in sorted(_sums(findings).items()):
        yield ("net effect", *[None] * 6, money_in(currency, house), None, None)


def _charts(findings: list[Finding]) -> Iterator[Chart]:
    rules = Counter(f"{each.number} {each.code}" for each in findings)
    dealers = Counter(each.dealer or "no dealer on record" for each in findings)
    for key, title, found in (("rules", "rule", rules), ("dealers", "dealer", dealers)):
        bars = tuple(
            Bar(name, many, str(many))
            for name, many in sorted(found.items(), key=lambda each: (-each[1], each[0]))
        )[:_BARS]
        # a chart of equal bars says nothing
        if len({bar.value for bar in bars}) > 1:
            yield Chart(f"by-{key}", f"Findings by {title}", bars)


def _pictures(findings: list[Finding], records: Records) -> Iterator[Picture]:
    """Yield a picture of each coup with findings, with all its findings."""
    shoes = {shoe.name: shoe for shoe in records.shoes}
    told: dict[tuple[str, int], list[Finding]] = {}
    for finding in findings:
        if finding.shoe in shoes and finding.coup is not None:
            told.setdefault((finding.shoe, finding.coup), []).append(finding)
    for (name, _coup), found in told.items():
        picture = picture_of(shoes[name], found, records)
        if picture is not None:
            yield picture


def picture_of(
    shoe: Shoe, found: Sequence[Finding], records: Records | None = None
) -> Picture | None:
    """Return a picture of the coup of some findings, the first of which names it.

    With records, the caption lists the findings that are resolved or notes, with their states. None
    if the first finding names no coup.
    """
    coup = found[0].coup
    if coup is None:
        return None
    numbers = {shoe.recorded_number(each): each for each in shoe.coups}
    felt = felt_of(shoe, numbers.get(coup, coup))
    if felt.coup is None:
        return None
    caption = "; ".join(f"{each.number}: {each.message}{_aside(each, records)}" for each in found)
    title = f"{shoe.name}, coup {coup} ({felt.currency})"
    return Picture(title, felt.coup, caption, felt.minor_units, felt.currency)


def _aside(finding: Finding, records: Records | None) -> str:
    if records is None or counts(finding, records):
        return ""
    state = state_of(finding, records)
    return f" ({'note' if state == OPEN else state.name})"


def _detail(finding: Finding) -> Row:
    rule = _rule(finding)
    return (
        finding.fingerprint,
        Linked(f"{rule.number} {rule.code}", _address(rule)),
        finding.expected,
        finding.observed,
        " ".join(map(str, finding.events)),
        Linked("; ".join(rule.cites), _address(rule)),
    )


def _sources(findings: Iterable[Finding]) -> Iterator[Cited]:
    """Yield the sources of the broken rules, each once, with the numbers of these rules."""
    found: dict[tuple[str, str | None], list[str]] = {}
    for code in dict.fromkeys(finding.code for finding in findings):
        rule = find_rule(code)
        for source in rule.sources:
            found.setdefault((source.cite, source.url), []).append(rule.number)
    for (text, url), numbers in found.items():
        yield Cited(text, url, tuple(sorted(set(numbers))))
