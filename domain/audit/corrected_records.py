"""Find what the corrections of a shoe removed.

A correction takes effect at the place of the event that it replaces. The corrected record alone
does not show what was changed. The shoe is therefore audited again without its late corrections.
Three effects are reported:

- A breach was on record when the corrections were made, and they remove it.
- The result of the coup was known when they were made, and they change what somebody won or lost:
  the recorded payments are wrong without them, a bet and its settlement were both corrected, or a
  bet or a bank is now another patron's. A correction of a stake is in time only before the first
  card. After a tie it also changes what lies on the layout for the next coup: the bet carried there
  does not fit without it.
- A payment that was right by the first record is wrong with them.

Money is compared person by person, since a correction may move it between patrons. It is what each
person gets by the corrected record, less what was due by the first record. Findings that only the
corrected record has are deducted (`CorrectionView.made`).

`late_corrections.py` says which corrections are late. Those of the shoe's table count too, since
its limits and crew decide what is a breach in the shoe.

A removed finding is assigned to the first correction, in the order of the log, after which the
audit no longer makes it. A finding that only the corrected record has is assigned to a correction
of its coup if these alone make it, or else to the first after which the audit makes it. If several
people corrected a coup, the corrections of each person are also tested separately, so that nobody
is named for the correction of another.

A breach was on record when it was corrected if an audit of the events before the correction finds
it.

Cost: the state of the shoe is computed once more, and its coups are audited twice more. If several
people corrected a coup, each of them adds at most four computations of the state and four audits of
these coups: the corrected one, its neighbours, and those whose findings changed. Each correction
that removed or made a finding adds at most two computations of the state and audits of one coup; to
find it among n corrections takes log2(n) more. Each correction that replaces another adds one
computation of the state and one audit of all coups. Without late corrections the cost is one pass
over the events.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from sabot.domain.audit.correction_view import (
    BankGivenOver,
    BetGivenOver,
    CorrectionView,
    is_of_open_commission,
)
from sabot.domain.audit.coup_numbers import assigned_number, number_of_shown, numbered_as
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.late_corrections import (
    Correction,
    Late,
    changes_of,
    corrections_of_bet,
    coup_of,
    is_of_stake,
    is_result_known,
    late_corrections,
    made_when_known,
)
from sabot.domain.audit.record_versions import Alike, Audit, RecordVersions, alike, indexes_of
from sabot.domain.audit.revealed_breaches import view_revealed
from sabot.domain.audit.settled_anew import SettledAnew, coup_or_empty, settled_anew
from sabot.domain.audit.uncorrected_records import without_corrections
from sabot.domain.events import Event
from sabot.domain.procedure.patron_bank import bank_events_of, bank_won, levy_charged
from sabot.domain.state.shoe import Shoe

Explain = Callable[[list[Finding]], list[Finding]]
"""Returns the findings, each with the fingerprint of the finding from which it follows."""


def view_corrections(shoe: Shoe, audit: Audit, explain: Explain) -> list[CorrectionView]:
    """Return the late corrections of a shoe, coup by coup, with their effects.

    Args:
        shoe: the shoe, with its events in their order at the table.
        audit: a function that returns the breaches of a record.
        explain: a function that tells which of them follow from others.
    """
    found = [*late_corrections(shoe.history), *_of_table(shoe)]
    if not found:
        return []
    every = [(correction, corrected) for _, correction, corrected in found]
    first = without_corrections(shoe, every)
    without = numbered_as(first, shoe)
    by_coup = _by_coup(found, shoe, without)
    records = RecordVersions(shoe, audit)
    before, after = audit(first, None), audit(shoe, None)
    gone: dict[int | None, list[Finding]] = {}
    new = removed_findings(after, before)
    for finding in removed_findings(before, after):
        coup = _coup_at_fault(by_coup, without, finding, records.culprit(every, finding))
        gone.setdefault(coup, []).append(finding)
    made: dict[int | None, list[Finding]] = {}
    for finding in new:
        coup = _coup_at_fault(by_coup, shoe, finding, records.maker(every, finding))
        made.setdefault(coup, []).append(finding)
    views: list[CorrectionView] = []
    causes = {each.fingerprint: each.explained_by for each in explain(before)} if gone else {}
    for coup, late in by_coup.items():
        changed = (gone.get(coup, []), made.get(coup, []))
        whole = _view(_Change(shoe, without, coup, late, every, *changed, records))
        of_other_coups = _elsewhere(gone, coup), _elsewhere(made, coup)
        for each in _by_person(whole, late, records, of_other_coups):
            view = each.with_causes(causes)
            same = next((other for other in views if other.has_moved_event_of(view)), None)
            if same is not None:
                views.remove(same)
                view = same.joined(view)
            views.append(view)
    return [*views, *view_revealed(records, every, [*before, *after])]


def _by_coup(
    found: Iterable[tuple[int | None, Correction, Event | None]], shoe: Shoe, without: Shoe
) -> dict[int | None, Late]:
    """Return late corrections by coup; None for those outside the coups of both records."""
    known = shoe.coups.keys() | without.coups.keys()
    by_coup: dict[int | None, Late] = {}
    for told, correction, corrected in found:
        coup = _coup_of(told, correction, shoe, without)
        by_coup.setdefault(coup if coup in known else None, []).append((correction, corrected))
    return by_coup


def _coup_of(told: int | None, correction: Correction, shoe: Shoe, without: Shoe) -> int | None:
    """Return the number in the audit of the coup of a corrected event."""
    if told is None or not (shoe.recorded_numbers or without.recorded_numbers):
        return told
    payloads = {event.position: event.payload for event in shoe.history}
    named = {version for version, _ in changes_of(correction.payload, payloads)}
    return assigned_number((without, shoe), told, named)


def _number_of(shoe: Shoe, finding: Finding) -> int | None:
    """Return the number in the audit of the coup of a finding."""
    return number_of_shown(shoe, finding.coup, finding.events)


def _concerned(whole: CorrectionView) -> set[int] | None:
    """Return a corrected coup, its neighbours and the coups in which findings changed.

    None, for all coups, if the corrected events are outside coups.
    """
    if whole.coup is None:
        return None
    findings = (*whole.removed, *whole.repaid, *whole.made)
    coups = {found.coup for found in findings if found.coup is not None}
    return coups | {whole.shoe.recorded_number(whole.coup + n) for n in (-1, 0, 1)}


def _elsewhere(changed: Mapping[int | None, list[Finding]], coup: int | None) -> set[Alike]:
    """Return the findings that corrections of other coups removed or made."""
    return {alike(each) for of, some in changed.items() if of != coup for each in some}


def _by_person(
    whole: CorrectionView,
    late: Late,
    records: RecordVersions,
    of_other_coups: tuple[set[Alike], set[Alike]],
) -> list[CorrectionView]:
    """Return the effects of a coup's corrections, for each person who made some of them.

    Each person's corrections are tested alone, without those of the others. Corrections that have
    their effect only together with others' are one view, without those that add nothing to it.
    ``of_other_coups`` are the findings that corrections of other coups removed and made. A
    correction that moves an event to another coup is one of both coups.
    """
    people: dict[str, Late] = {}
    behind = _people(late)
    for each in late:
        people.setdefault(behind[each[0].index], []).append(each)
    if len(people) == 1 or not (whole.has_effect or whole.made):
        return [whole]
    after = records.audit(whole.shoe, _concerned(whole))

    def alone(some: Late) -> CorrectionView:
        return _alone(whole, some, after, records, of_other_coups)

    parts = [alone(each) for each in people.values()]
    if not whole.has_effect:
        return parts if _madealike(parts, whole) else [whole]
    if _add_up(parts, whole):
        return parts
    return [_joint(whole, list(people.values()), alone, records)]


def _joint(
    whole: CorrectionView,
    needed: list[Late],
    alone: Callable[[Late], CorrectionView],
    records: RecordVersions,
) -> CorrectionView:
    """Return several people's view, without corrections that add nothing to it."""
    joint = whole
    every = [late for each in needed for late in each]
    for one in needed:
        rest = [each for each in needed if each is not one]
        if not rest:
            break
        without_one = alone([late for each in rest for late in each])
        if _add_up([without_one], whole) and _hides_without(one, every, whole, records):
            joint, needed = without_one, rest
    return joint


def _hides_without(one: Late, every: Late, whole: CorrectionView, records: RecordVersions) -> bool:
    """Return whether the breaches are still removed without the corrections of one person."""
    before, after = (
        records.audit(without_corrections(whole.shoe, late), _concerned(whole))
        for late in (every, one)
    )
    removed = Counter(map(alike, (*whole.removed, *whole.repaid)))
    return removed <= Counter(map(alike, removed_findings(before, after)))


def _people(late: Late) -> dict[int, str]:
    """Return the person responsible for each correction, by log index.

    This is its author. If the correction was itself corrected, it is the author of the last such
    correction, which has no effect without the earlier one.
    """
    people: dict[int, str] = {}
    by_named: dict[tuple[str, int], str] = {}
    for each, _ in reversed(late):
        own = each.payload.by or each.actor
        people[each.index] = by_named.get((each.stream, each.position), own)
        by_named.setdefault((each.stream, each.payload.version), people[each.index])
    return people


def _alone(
    whole: CorrectionView,
    late: Late,
    after: Collection[Finding],
    records: RecordVersions,
    of_other_coups: tuple[set[Alike], set[Alike]],
) -> CorrectionView:
    """Return the effect of some of a coup's corrections alone, on the findings of this coup."""
    shoe, coup = whole.shoe, whole.coup
    first = without_corrections(shoe, late)
    without = numbered_as(first, shoe)
    before = records.audit(first, _concerned(whole))
    removed_elsewhere, made_elsewhere = of_other_coups
    gone = [e for e in removed_findings(before, after) if alike(e) not in removed_elsewhere]
    made = [e for e in removed_findings(after, before) if alike(e) not in made_elsewhere]
    return _view(_Change(shoe, without, coup, late, late, gone, made, records))


def _madealike(parts: Collection[CorrectionView], whole: CorrectionView) -> bool:
    """Return whether single corrections have no effect, but cause all the new findings.

    A later correction may reverse an earlier one. Then each alone has an effect, and both together
    have none.
    """
    made = {each.fingerprint for part in parts for each in part.made}
    every = {each.fingerprint for each in whole.made}
    return made == every and not any(part.has_effect for part in parts)


def _add_up(parts: Collection[CorrectionView], whole: CorrectionView) -> bool:
    """Return whether the effects of the single corrections add up to those of all."""
    gains: Counter[str | None] = Counter()
    for part in parts:
        gains.update(part.gains())
    if whole.has_effect and not any(part.has_effect for part in parts):
        return False
    gone = [each for part in parts for each in (*part.removed, *part.repaid)]
    whole_gone = (*whole.removed, *whole.repaid)
    same = Counter(map(alike, gone)) == Counter(map(alike, whole_gone))
    return same and +gains == +whole.gains() and -gains == -whole.gains()


def _of_table(shoe: Shoe) -> Iterator[tuple[None, Correction, Event | None]]:
    """Yield the table's late corrections that may concern a shoe."""
    table = shoe.at_table
    if table is None or not table.corrections:
        return
    played = sorted(each.index for each in shoe.history if coup_of(each.payload) is not None)
    for _, correction, corrected in late_corrections(table.history, played):
        if played and correction.index > played[0]:
            yield None, correction, corrected


def _coup_at_fault(
    by_coup: dict[int | None, Late], record: Shoe, finding: Finding, culprit: Correction
) -> int | None:
    """Return the coup of a correction, if possible that of the finding that it removed or made.

    None for corrections of events outside coups.
    """
    coups = [coup for coup, late in by_coup.items() if culprit.index in indexes_of(late)]
    own = _number_of(record, finding)
    return own if own in coups else coups[0]


def removed_findings(before: Iterable[Finding], after: Iterable[Finding]) -> list[Finding]:
    """Return the findings of the first audit that are missing in the second."""
    left = Counter(map(alike, after))
    gone: list[Finding] = []
    for finding in before:
        if left[alike(finding)]:
            left[alike(finding)] -= 1
        else:
            gone.append(finding)
    return gone


class _Change(NamedTuple):
    """A record with and without some late corrections, and how its findings differ.

    ``every`` are the corrections that ``without`` lacks, and ``late`` those of them that are of the
    coup.
    """

    shoe: Shoe
    without: Shoe
    coup: int | None
    late: Late
    every: Late
    gone: list[Finding]
    made: list[Finding]
    records: RecordVersions

    @property
    def removed(self) -> list[Finding]:
        """The breaches that were on record when the corrections that removed them were made."""
        return [
            each
            for each in self.gone
            if self._is_due_to(self.every, each) and self.records.was_on_record(self.every, each)
        ]

    @property
    def of_held_stakes(self) -> list[Finding]:
        """The findings that corrections of stakes removed from the next coup."""
        of_stakes = [each for each in self.every if is_of_stake(each)]
        held = _of_held_stakes(self.without, self.coup, self.late, self.gone)
        return [each for each in held if self._is_due_to(of_stakes, each)]

    def is_repaid(self, finding: Finding) -> bool:
        """Return whether a wrong payment was corrected when the result of its coup was known."""
        known = made_when_known(self.without, _number_of(self.without, finding), self.every)
        return finding.money.moved and self._is_due_to(known, finding)

    def _is_due_to(self, some: Late, finding: Finding) -> bool:
        """Return whether one of some corrections, which is of the coup, removed a finding."""
        culprit = self.records.culprit(self.every, finding).index
        return culprit in indexes_of(self.late) and culprit in indexes_of(some)


def _view(change: _Change) -> CorrectionView:
    shoe, without, coup, late, _, gone, made, _ = change
    corrections = tuple({correction.index: correction for correction, _ in late}.values())
    removed = change.removed
    held = change.of_held_stakes
    later = [each for each in gone if each not in removed]
    repaid = [each for each in later if each in held or change.is_repaid(each)]
    counted = removed + repaid
    anew = SettledAnew() if coup is None else settled_anew(shoe, without, coup, late, counted)
    repaid += [each for each in later if is_of_open_commission(each, anew.marks_shown)]
    return CorrectionView(
        shoe,
        coup,
        corrections,
        corrected=tuple(payload for _, payload in late),
        removed=tuple(removed),
        repaid=tuple(repaid),
        made=tuple(made),
        turned_wrong=tuple(_turned_wrong(without, coup, late, made)),
        given_over=tuple(
            _banks_given_over(shoe, without, late)
            if coup is None
            else _given_over(shoe, without, coup, late, held=bool(held))
        ),
        settled_anew=tuple(anew.bets),
        chips=tuple(anew.chips.items()),
        marked=frozenset(anew.marks_counted),
    )


def _turned_wrong(
    without: Shoe, coup: int | None, late: Late, made: Collection[Finding]
) -> Iterator[Finding]:
    """Yield the findings on payments that were made, and right, before the corrections.

    A payment outside coups, such as the taking of a bank, counts if it came before them. A note
    does not count: the payment was put right.
    """
    held = _of_held_stakes(without, coup, late, made)
    last = max(correction.index for correction, _ in late)
    for finding in (each for each in made if each.severity != "note"):
        was_before = finding.coup is None and max(finding.events, default=0) < last
        if (finding.family == "payout" or finding.money.patrons or finding.money.moved) and (
            was_before
            or finding in held
            or is_result_known(without, _number_of(without, finding), late)
        ):
            yield finding


def _of_held_stakes(
    without: Shoe, coup: int | None, late: Late, found: Collection[Finding]
) -> list[Finding]:
    """Return the findings on the next coup that come from a late correction of a stake.

    A tie left the stake on the layout for that coup.
    """
    of_stakes = [each for each in late if is_of_stake(each)]
    if coup is None or not is_result_known(without, coup, of_stakes):
        return []
    return [finding for finding in found if _number_of(without, finding) == coup + 1]


def _given_over(
    shoe: Shoe, without: Shoe, coup: int, late: Late, *, held: bool
) -> Iterator[BetGivenOver]:
    """Yield the settled bets of a coup whose patron was corrected once the cards were known.

    A bet that neither won nor lost counts if it was ``held`` for the next coup.
    """
    bets = coup_or_empty(shoe, coup).bets
    for number, before in coup_or_empty(without, coup).bets.items():
        now = bets.get(number)
        if now is None or now.patron == before.patron:
            continue
        moved = BetGivenOver(before, now)
        corrected = corrections_of_bet(late, number)
        if (held or any(moved.nets)) and is_result_known(without, coup, corrected):
            yield moved


def _banks_given_over(shoe: Shoe, without: Shoe, late: Late) -> Iterator[BankGivenOver]:
    """Yield the coups whose banker was corrected once their result was known."""
    for number, coup in without.coups.items():
        before = bank_events_of(coup).banker
        now = bank_events_of(shoe.coups[number]).banker if number in shoe.coups else None
        if before is None or now is None or before == now:
            continue
        net = bank_won(coup) - levy_charged(coup)
        if net and is_result_known(without, number, late):
            yield BankGivenOver(number, before, now, net)
