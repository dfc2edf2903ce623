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

A removed finding is assigned to the corrections of its own coup or of a neighbouring coup. If there
are none, all coups with corrections are examined. If several coups remain, they are halved until
the one is left whose corrections remove the finding. If several people corrected a
coup, the corrections of each person are tested alone, so that nobody is named for what another did.

Cost: the state of the shoe is computed once more, and three coups are audited twice for each coup
that was corrected late. If several people corrected a coup, each of them costs up to two times
as much again. Without late corrections the cost is one pass over the events. Each halving costs one
more computation of the state.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from sabot.domain.audit.correction_view import BankGivenOver, BetGivenOver, CorrectionView
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.late_corrections import (
    STAKES,
    Correction,
    Late,
    coup_of,
    late_corrections,
)
from sabot.domain.audit.uncorrected_records import without_corrections
from sabot.domain.events import (
    BetPaid,
    BetTaken,
    CardDrawn,
    CommissionCollected,
    Event,
    ResultCalled,
)
from sabot.domain.procedure.patron_bank import bank_events_of, bank_won, levy_charged
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe

Audit = Callable[[Shoe, Collection[int] | None], list[Finding]]
"""Returns the findings of a shoe and of some of its coups; None: of all."""
Explain = Callable[[list[Finding]], list[Finding]]
"""Returns the findings, each with the fingerprint of the finding from which it follows."""

_Alike = tuple[str, str, int | None, str | None, int | None, tuple[tuple[str, int], ...]]


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
    without = without_corrections(
        shoe, [(correction, corrected) for _, correction, corrected in found]
    )
    known = shoe.coups.keys() | without.coups.keys()
    by_coup: dict[int | None, Late] = {}
    for coup, correction, corrected in found:
        by_coup.setdefault(coup if coup in known else None, []).append((correction, corrected))
    around = _around(by_coup)
    before, after = audit(without, around), audit(shoe, around)
    gone: dict[int | None, list[Finding]] = {}
    for finding in removed_findings(before, after):
        gone.setdefault(_coup_at_fault(shoe, by_coup, finding, audit), []).append(finding)
    made: dict[int | None, list[Finding]] = {}
    for finding in removed_findings(after, before):
        made.setdefault(_coup_behind(shoe, by_coup, finding), []).append(finding)
    views: dict[tuple[Correction, ...], CorrectionView] = {}
    causes = {each.fingerprint: each.explained_by for each in explain(before)} if gone else {}
    for coup, late in by_coup.items():
        whole = _view(shoe, without, coup, late, (gone.get(coup, []), made.get(coup, [])))
        for each in _by_person(whole, late, audit):
            view = each.with_causes(causes)
            same = views.get(view.corrections)
            views[view.corrections] = view if same is None else same.joined(view)
    return list(views.values())


def _around(coups: Collection[int | None]) -> set[int] | None:
    """Return coups with their neighbours. None, for all coups, if events outside coups count."""
    known = [coup for coup in coups if coup is not None]
    return {coup + n for coup in known for n in (-1, 0, 1)} if len(known) == len(coups) else None


def _by_person(whole: CorrectionView, late: Late, audit: Audit) -> list[CorrectionView]:
    """Return the effects of a coup's corrections, for each person who made some of them.

    Each person's corrections are tested alone, without those of the others. Corrections that have
    their effect only together with others' are one view, without those that add nothing to it.
    """
    people: dict[str, Late] = {}
    behind = _people(late)
    for each in late:
        people.setdefault(behind[each[0].index], []).append(each)
    if len(people) == 1 or not (whole.has_effect or whole.made):
        return [whole]
    after = audit(whole.shoe, _around([whole.coup]))
    parts = [_alone(whole, each, after, audit) for each in people.values()]
    if not whole.has_effect:
        return parts if _made_alike(parts, whole) else [whole]
    return parts if _add_up(parts, whole) else [_joint(whole, list(people.values()), after, audit)]


def _joint(
    whole: CorrectionView, needed: list[Late], after: Collection[Finding], audit: Audit
) -> CorrectionView:
    """Return the view of several people's corrections, without those that add nothing to it."""
    joint = whole
    for one in tuple(needed):
        rest = [each for each in needed if each is not one]
        if not rest:
            break
        without_one = _alone(whole, [late for each in rest for late in each], after, audit)
        if _add_up([without_one], whole):
            joint, needed = without_one, rest
    return joint


def _people(late: Late) -> dict[int, str]:
    """Return who is behind each correction, by its log index.

    It is the person who made it. If it was corrected itself, it is the last who did that, since
    that correction has no effect without it.
    """
    people: dict[int, str] = {}
    by_named: dict[tuple[str, int], str] = {}
    for each, _ in reversed(late):
        own = each.payload.by or each.actor
        people[each.index] = by_named.get((each.stream, each.position), own)
        by_named.setdefault((each.stream, each.payload.version), people[each.index])
    return people


def _alone(
    whole: CorrectionView, late: Late, after: Collection[Finding], audit: Audit
) -> CorrectionView:
    """Return the effect of some corrections of a coup: the record lacks only these."""
    shoe, coup = whole.shoe, whole.coup
    without = without_corrections(shoe, late)
    before = audit(without, _around([coup]))
    gone, made = removed_findings(before, after), removed_findings(after, before)
    return _view(shoe, without, coup, late, (gone, made))


def _made_alike(parts: Collection[CorrectionView], whole: CorrectionView) -> bool:
    """Return whether some corrections, each alone, have no effect but all findings that are made.

    A later correction may reverse an earlier one: then both have effects, and together none.
    """
    made = {each.fingerprint for part in parts for each in part.made}
    every = {each.fingerprint for each in whole.made}
    return made == every and not any(part.has_effect for part in parts)


def _add_up(parts: Collection[CorrectionView], whole: CorrectionView) -> bool:
    """Return whether the effects of some corrections, each alone, are the effects of all."""
    gains: Counter[str | None] = Counter()
    for part in parts:
        gains.update(part.gains())
    gone = [each for part in parts for each in (*part.removed, *part.repaid)]
    whole_gone = (*whole.removed, *whole.repaid)
    same = Counter(map(_alike, gone)) == Counter(map(_alike, whole_gone))
    return same and +gains == +whole.gains() and -gains == -whole.gains()


def _of_table(shoe: Shoe) -> Iterator[tuple[None, Correction, Event | None]]:
    """Yield the late corrections of the table's record that may concern a shoe."""
    table = shoe.at_table
    if table is None or not table.corrections:
        return
    played = sorted(each.index for each in shoe.history if coup_of(each.payload) is not None)
    for _, correction, corrected in late_corrections(table.history, played):
        if played and correction.index > played[0]:
            yield None, correction, corrected


def _near(by_coup: dict[int | None, Late], coup: int | None) -> list[int | None]:
    """Return a coup and its neighbours, the nearest first, as far as they were corrected."""
    near = () if coup is None else (coup, coup - 1, coup + 1)
    return [each for each in near if each in by_coup]


def _coup_behind(shoe: Shoe, by_coup: dict[int | None, Late], finding: Finding) -> int | None:
    """Return the coup whose corrections made a finding.

    It is the nearest, or else the last whose corrected events come before the finding's events: a
    bank that was corrected may be short many coups later. None for events outside coups.
    """
    near = _near(by_coup, finding.coup)
    if near or None in by_coup:
        return near[0] if near else None
    last = max(finding.events, default=0)
    shown = max((event.version for event in shoe.history if event.index <= last), default=0)
    first = {
        min(correction.payload.version for correction, _ in late): coup
        for coup, late in by_coup.items()
    }
    return first[max((version for version in first if version <= shown), default=min(first))]


def _coup_at_fault(
    shoe: Shoe, by_coup: dict[int | None, Late], finding: Finding, audit: Audit
) -> int | None:
    """Return the coup whose corrections removed a finding.

    None for corrections of events outside coups.
    """
    coup = finding.coup
    coups = _near(by_coup, coup) or list(by_coup)
    while len(coups) > 1:
        half = coups[: len(coups) // 2]
        other = without_corrections(shoe, [each for number in half for each in by_coup[number]])
        found = map(_alike, audit(other, () if coup is None else (coup,)))
        coups = half if _alike(finding) in found else coups[len(half) :]
    return coups[0]


def removed_findings(before: Iterable[Finding], after: Iterable[Finding]) -> list[Finding]:
    """Return the findings of the first audit that are missing in the second."""
    left = Counter(map(_alike, after))
    gone: list[Finding] = []
    for finding in before:
        if left[_alike(finding)]:
            left[_alike(finding)] -= 1
        else:
            gone.append(finding)
    return gone


def _view(
    shoe: Shoe,
    without: Shoe,
    coup: int | None,
    late: Late,
    gone_and_made: tuple[list[Finding], list[Finding]],
) -> CorrectionView:
    gone, made = gone_and_made
    corrections = tuple({correction.index: correction for correction, _ in late}.values())
    last = max(correction.index for correction in corrections)
    removed = [finding for finding in gone if max(finding.events, default=0) < last]
    held = _of_held_stakes(without, coup, late, gone)
    repaid = [
        finding
        for finding in gone
        if finding not in removed and (finding in held or _is_repaid(without, finding, late))
    ]
    anew = [] if coup is None else _settled_anew(shoe, without, coup, late, gone)
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
        settled_anew=tuple(bet for bet, _ in anew),
        chips=tuple(_chips(shoe, without, coup, anew, late).items()) if coup and anew else (),
    )


def _turned_wrong(
    without: Shoe, coup: int | None, late: Late, made: Collection[Finding]
) -> Iterator[Finding]:
    """Yield the findings on payments that were made, and right, before the corrections.

    A payment outside coups, such as the taking of a bank, counts if it came before them.
    """
    held = _of_held_stakes(without, coup, late, made)
    last = max(correction.index for correction, _ in late)
    for finding in made:
        was_before = finding.coup is None and max(finding.events, default=0) < last
        if (finding.family == "payout" or finding.money.patrons or finding.money.moved) and (
            was_before or finding in held or _is_known(without, finding.coup, late)
        ):
            yield finding


def _of_held_stakes(
    without: Shoe, coup: int | None, late: Late, found: Collection[Finding]
) -> list[Finding]:
    """Return the findings on the next coup that come from a late correction of a stake.

    A tie left the stake on the layout for that coup.
    """
    of_stakes = [each for each in late if _is_of_stake(each)]
    if coup is None or not _is_known(without, coup, of_stakes):
        return []
    return [finding for finding in found if finding.coup == coup + 1]


def _is_repaid(without: Shoe, finding: Finding, late: Late) -> bool:
    """Return whether a removed finding moved money in a coup whose result was known by then."""
    return finding.money.moved and _is_known(without, finding.coup, late)


def _given_over(
    shoe: Shoe, without: Shoe, coup: int, late: Late, *, held: bool
) -> Iterator[BetGivenOver]:
    """Yield the settled bets of a coup whose patron was corrected once the cards were known.

    A bet that neither won nor lost counts if it was ``held`` for the next coup.
    """
    bets = _coup(shoe, coup).bets
    for number, before in _coup(without, coup).bets.items():
        now = bets.get(number)
        if now is None or now.patron == before.patron:
            continue
        moved = BetGivenOver(before, now)
        if (held or any(moved.nets)) and _is_known(without, coup, _of_bet(late, number)):
            yield moved


def _settled_anew(
    shoe: Shoe, without: Shoe, coup: int, late: Late, gone: Collection[Finding]
) -> list[tuple[Bet, int]]:
    """Return the bets of a coup that a correction after the result settled otherwise.

    Each is the bet as first recorded, or the one that the correction added, with what its patron
    has more by the corrected record, in minor units. Bet and settlement may both be corrected, so
    that neither record has a wrong payment. Commission counts by patron, since a correction of the
    bet that it names moves no money. A bet that was not corrected itself is left out if a
    finding of the first record that is ``gone`` shows an amount of its patron.
    """
    first_coup, coup_now = _coup(without, coup), _coup(shoe, coup)
    before, now = first_coup.bets, coup_now.bets
    commission = _collected(coup_now)
    commission.subtract(_collected(first_coup))
    shown = {patron for each in gone for patron in each.money.patrons}
    anew: list[tuple[Bet, int]] = []
    for number in sorted(before.keys() | now.keys()):
        first, then = before.get(number), now.get(number)
        bet, of_bet = first or then, _of_bet(late, number)
        is_shown = bet is not None and bet.patron in shown and not any(map(_is_of_stake, of_bet))
        is_given_over = first is not None and then is not None and first.patron != then.patron
        if bet is None or is_shown or is_given_over or not _is_known(without, coup, of_bet):
            continue
        net = _won(then) - _won(first)
        if _kept(then) != _kept(first):
            net -= commission.pop(bet.patron, 0)
        if net:
            anew.append((bet, net))
    return anew


def _coup(shoe: Shoe, number: int) -> Coup:
    """Return a coup of a shoe, without events if the record does not have it: nothing moved."""
    return shoe.coups.get(number) or Coup(number)


def _won(bet: Bet | None) -> int:
    """Return what a patron won with a bet, less the commission marked, in minor units."""
    return 0 if bet is None else bet.paid - bet.taken - bet.marked


def _kept(bet: Bet | None) -> int:
    """Return the commission that was collected at once and names a bet, in minor units."""
    return 0 if bet is None or bet.marked else bet.collected


def _collected(coup: Coup) -> Counter[str]:
    """Return the commission collected from each patron for a coup, whatever bet it names."""
    collected: Counter[str] = Counter()
    events = {event.position: event for event in (*coup.events, *coup.unmatched_events)}
    for payload in (event.payload for event in events.values()):
        if isinstance(payload, CommissionCollected):
            collected[payload.patron] += payload.amount
    return collected


def _chips(
    shoe: Shoe, without: Shoe, coup: int, anew: Iterable[tuple[Bet, int]], late: Late
) -> Counter[str | None]:
    """Return how much more each person has on some bets by the corrected record.

    Amounts are in minor units. A patron who banks has the opposite, less what the corrected levy
    takes more. If a stake was corrected, settlements of unrecorded bets are included under None.
    """
    chips: Counter[str | None] = Counter()
    for bet, net in anew:
        chips[bet.patron] += net
    before, now = _coup(without, coup), _coup(shoe, coup)
    if any(map(_is_of_stake, late)):
        chips[None] = _paid_to_no_bet(now) - _paid_to_no_bet(before)
    banker = bank_events_of(now).banker or bank_events_of(before).banker
    if banker is not None:
        taken = levy_charged(now) - levy_charged(before)
        chips[banker] -= chips.total() + taken
    return chips


def _paid_to_no_bet(coup: Coup) -> int:
    """Return what settlements of bets that are not on record paid, less what they took."""
    paid = 0
    for event in coup.unmatched_events:
        payload = event.payload
        if isinstance(payload, BetPaid | BetTaken) and payload.bet not in coup.bets:
            paid += payload.amount if isinstance(payload, BetPaid) else -payload.amount
    return paid


def _of_bet(late: Late, number: int) -> Late:
    """Return the corrections of a bet and of its settlement."""
    return [each for each in late if number in (_bet_of(each[1]), _bet_of(each[0].payload.instead))]


def _banks_given_over(shoe: Shoe, without: Shoe, late: Late) -> Iterator[BankGivenOver]:
    """Yield the coups whose banker was corrected once their result was known."""
    for number, coup in without.coups.items():
        before = bank_events_of(coup).banker
        now = bank_events_of(shoe.coups[number]).banker if number in shoe.coups else None
        if before is None or now is None or before == now:
            continue
        net = bank_won(coup) - levy_charged(coup)
        if net and _is_known(without, number, late):
            yield BankGivenOver(number, before, now, net)


def _bet_of(payload: Event | None) -> int | None:
    return getattr(payload, "bet", None)


def _alike(finding: Finding) -> _Alike:
    """Return the key that identifies a finding across two versions of a record."""
    money = finding.money
    each = tuple(sorted(money.patrons.items()))
    return finding.code, finding.stream, finding.coup, finding.patron, money.house, each


def _is_known(shoe: Shoe, coup: int | None, late: Late) -> bool:
    """Return whether a correction was made when the result of its coup was known.

    The result is known once it was called, or once all cards of the coup were drawn. For a stake
    the first card counts in place of the result.
    """
    of_coup = [event for event in shoe.history if coup_of(event.payload) == coup]
    called = [event.index for event in of_coup if type(event.payload) is ResultCalled]
    cards = [event.index for event in of_coup if type(event.payload) is CardDrawn]
    result = min(called[:1] + cards[-1:], default=None)
    for each in late:
        since = min(cards, default=result) if _is_of_stake(each) else result
        if since is not None and since < each[0].index:
            return True
    return False


def _is_of_stake(late: tuple[Correction, Event | None]) -> bool:
    correction, corrected = late
    return isinstance(corrected, STAKES) or isinstance(correction.payload.instead, STAKES)
