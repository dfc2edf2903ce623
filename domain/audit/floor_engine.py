"""Runs the rules that look beyond one shoe: over batches of cards, tables, and the whole floor.

Cost: linear in batches, tables and shoes, but for the rules of the whole floor, which say
theirs themselves.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from msgspec import Struct

from sabot.domain.audit.findings import (
    DEALERS,
    Basis,
    Finding,
    Identity,
    effect_of,
    fingerprint,
    former_fingerprint,
)
from sabot.domain.audit.floor_view import (
    BatchView,
    Floor,
    Moment,
    ShoeSummary,
    TableView,
    moment_of,
    view_batch,
    view_table,
)
from sabot.domain.audit.rule import Breach, Judgement, Rule
from sabot.domain.audit.rulebook import FLOOR_RULES
from sabot.domain.audit.verdicts import RuleResult, RuleTally
from sabot.domain.events import name_of
from sabot.domain.events.points_in_time import format_time
from sabot.domain.state.table_state import Post
from sabot.domain.timeline.evidence import Reason

FLOOR: Final = "floor"
"""What a finding of no one stream is of."""

NO_BATCH: Final = Reason("record-incomplete", "no custody of cards was recorded")
NO_TABLE: Final = Reason("record-incomplete", "no table was recorded")
NO_SHOE: Final = Reason("record-incomplete", "no shoe was recorded")

View = TypeVar("View", BatchView, TableView, Floor)


class FloorAudit(Struct, frozen=True):
    """The audit of the floor: a verdict for every rule that looks beyond a shoe, and findings."""

    batches: int
    tables: int
    findings: list[Finding]
    verdicts: list[RuleResult]


def audit_floor(floor: Floor) -> FloorAudit:
    """Judge batches, tables and shoes together."""
    make = _Findings(floor)
    tallies = [RuleTally(rule) for rule in FLOOR_RULES]
    findings: list[Finding] = []
    looks = [(batch.stream, view_batch(floor, batch)) for batch in floor.batches.values()]
    findings += _apply_rules(tallies, make, looks, lambda rule: rule.on_batch)
    tables = [(table.stream, view_table(floor, table)) for table in floor.tables.values()]
    findings += _apply_rules(tallies, make, tables, lambda rule: rule.on_table)
    if floor.shoes:
        findings += _apply_rules(tallies, make, [(FLOOR, floor)], lambda rule: rule.on_floor)
    findings.sort(key=lambda found: (found.stream, found.at_us or 0, found.code, found.fingerprint))
    verdicts = [tally.result(_nothing(tally.rule)) for tally in tallies]
    return FloorAudit(len(floor.batches), len(floor.tables), findings, verdicts)


def _nothing(rule: Rule) -> Reason:
    if rule.on_batch is not None:
        return NO_BATCH
    return NO_TABLE if rule.on_table is not None else NO_SHOE


def _apply_rules(
    tallies: list[RuleTally],
    make: "_Findings",
    looks: Iterable[tuple[str, View]],
    look_of: Callable[[Rule], Callable[[View], Judgement] | None],
) -> Iterable[Finding]:
    """Let every rule that looks at such a thing look at each of them."""
    checks = [(tally, look) for tally in tallies if (look := look_of(tally.rule)) is not None]
    for stream, view in looks:
        for tally, look in checks:
            answer = look(view)
            if isinstance(answer, Reason):
                tally.skip(answer)
                continue
            for breach in tally.count_answer(answer):
                yield make.of(tally.rule, breach, stream)


class _Findings:
    """Makes findings of the breaches of a floor."""

    def __init__(self, floor: Floor) -> None:
        self._shoes: dict[str, ShoeSummary] = {shoe.name: shoe for shoe in floor.shoes}
        self._tables = floor.tables
        self._alike: Counter[tuple[str, str, Identity]] = Counter()

    def of(self, rule: Rule, breach: Breach, stream: str) -> Finding:
        """Return the finding of a breach; its first event is the one that it is about."""
        identity = _identity(breach)
        self._alike[rule.code, stream, identity] += 1
        nth = self._alike[rule.code, stream, identity]
        first, indexes = _first_observed(breach)
        shoe = self._shoes.get(breach.shoe or "")
        basis: Basis = "payment" if rule.family == "payout" else "rule"
        gains = breach.money or f"a breach of {rule.family} moves no money by itself"
        return Finding(
            code=rule.code,
            family=rule.family,
            severity=rule.severity,
            stream=stream,
            shoe=breach.shoe,
            coup=breach.coup,
            message=breach.message,
            expected=breach.expected,
            observed=breach.observed,
            cites=rule.cites,
            events=indexes,
            fingerprint=fingerprint(rule.code, stream, breach.coup, identity, nth),
            at=None if first is None else format_time(first.us),
            at_us=None if first is None else first.us,
            clock=None if first is None else "table" if first.clocked else "recorded",
            dealer=self._staff_at_posts(shoe, first, DEALERS),
            supervisor=self._staff_at_posts(shoe, first, ("supervisor",)),
            patron=breach.patron,
            money=effect_of(gains, basis, shoe.pack if shoe is not None else None),
            number=rule.number,
            group=rule.group,
            former_code=rule.former_code,
            former_fingerprint=former_fingerprint(rule, stream, breach.coup, identity, nth),
        )

    def _staff_at_posts(
        self, shoe: ShoeSummary | None, at: Moment | None, posts: Sequence[str]
    ) -> str | None:
        """Return who stood at one of these posts: at the loading as the shoe's record tells it.

        Where that tells nothing of them, who stood there then by its table's.
        """
        if shoe is None:
            return None
        if any(post in shoe.crew for post in posts):
            return next(filter(None, map(shoe.crew.get, posts)), None)
        table = self._tables.get(shoe.table or "")
        if table is None or at is None:
            return None
        there = {post.post: post.person for post in table.posts if _stood_at_post(post, at)}
        return next(filter(None, map(there.get, posts)), None)


def _first_observed(breach: Breach) -> tuple[Moment | None, tuple[int, ...]]:
    """Return the first event that shows a breach, and the places of all in the log."""
    shown = [*breach.cards, *map(moment_of, breach.events)]
    return next(iter(shown), None), tuple(each.index for each in shown)


def _stood_at_post(post: Post, at: Moment) -> bool:
    """Tell whether somebody surely stood at his post at a moment."""
    since = moment_of(post.since)
    until = moment_of(post.until) if post.until is not None else None
    if {each.clocked for each in (since, until or at)} != {at.clocked}:
        return False
    return since.us <= at.us and (until is None or at.us < until.us)


def _identity(breach: Breach) -> Identity:
    """Return what tells a breach from others of its rule in the same stream.

    A rule that finds more than one says so itself (``Breach.key``); else it is the event.
    """
    if breach.key is not None:
        return breach.key
    return tuple(name_of(event.payload) for event in breach.events[:1])
