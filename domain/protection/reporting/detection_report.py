"""The detection report: findings after the coups so far, with explanations."""

import math
from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import Struct

from sabot.domain.protection.detection.subjects import KIND_SHARES, Protection, patron_share
from sabot.domain.protection.e_process.mixture import Test
from sabot.domain.protection.e_process.test_martingale import Bettor, Tally
from sabot.domain.protection.money.edge_interval import Edge
from sabot.domain.protection.multiplicity import keep_subjects
from sabot.domain.protection.reporting.coverage import Coverage
from sabot.domain.protection.reporting.finding import BASIS, Finding, Key
from sabot.domain.protection.shoe_tests.p_value_findings import by_chance, cover_pools
from sabot.domain.protection.shoe_tests.whole_shoe_tests import ShoeTests
from sabot.domain.rules.labels import percent_label

_BETS_ON: Final[dict[Test, str]] = {
    "next-card": "it were known whether the next card was a 6 to 9",
    "whole-coup": "the outcome of the coup were known",
    "first-four": "the first four cards, face down while bets were taken, were known",
    "late-change": "the rest of the coup were known when bets were changed after a face was shown",
}
_VILLE: Final = (
    "An honest patron, whatever the bets and however often one looks, ever reaches evidence of E "
    "to 1 with a probability of at most 1/E (Ville's inequality). This assumes a uniform shuffle "
    "and a record in which bets come before cards."
)


class LeftOut(Struct, frozen=True):
    """A patron's bets that are excluded from the evidence: their number and the reason.

    They may have been made after a face. The coup then counts with its smallest possible factor.
    """

    patron: str
    bets: int
    why: str


class ShownBet(Struct, frozen=True):
    """A side bet with its expectation per unit staked, from the cards that all could see."""

    shoe: str
    coup: int
    expectation: float


class AdvantagePlay(Struct, frozen=True):
    """A patron whose side bets follow the cards left. This is legal and no finding.

    Expectations are per unit staked, in the coups with the bet and without. ``z`` is their
    difference in standard errors. ``coups`` are the bets with the highest expectation.
    """

    patron: str
    wager: str
    bets: int
    expectation: float
    without: float
    z: float
    coups: list[ShownBet]


class Report(Struct, frozen=True):
    """The findings at a level, and the tests' coverage.

    ``advantage_play`` is legal. It is neither a finding nor an offence.
    """

    alpha: float
    subjects: int
    findings: list[Finding]
    coverage: Coverage
    shoes: int
    coups: int
    skipped: list[tuple[str, str]]
    left_out: list[LeftOut] = []
    advantage_play: list[AdvantagePlay] = []


Subjects = dict[Key, tuple[Tally, Bettor | None]]
"""Each subject's evidence, and its bettor if it has one of its own."""


Tallies = Mapping[str, Tally] | Mapping[tuple[str, str], Tally]


def build_report(state: Protection, tests: ShoeTests | None = None) -> Report:
    """Return the findings at the plan's level. ``tests`` includes those of shoes in play."""
    tests = state.shoes if tests is None else tests
    level = state.plan.alpha
    return Report(
        level,
        len(subjects_of(state)),
        [*by_evidence(state), *by_chance(tests, level)],
        {**state.coverage, **tests.coverage, **cover_pools(tests)},
        tests.shoes,
        state.coups,
        tests.skipped,
        [
            LeftOut(patron, bets, why)
            for patron, reasons in sorted(state.unsure.items())
            for why, bets in sorted(reasons.items())
        ],
        advantage_play(tests),
    )


def advantage_play(tests: ShoeTests) -> list[AdvantagePlay]:
    """Return the patrons who count cards for a side bet, which is legal."""
    return [
        AdvantagePlay(
            patron,
            wager,
            bets.on.coups,
            bets.on.mean,
            bets.off.mean,
            bets.z,
            [ShownBet(shoe, coup, expectation) for expectation, shoe, coup in bets.best],
        )
        for (patron, wager), bets in sorted(tests.side_bets.items())
        if bets.counts
    ]


def by_evidence(state: Protection) -> list[Finding]:
    """Return the subjects reported by e-BH, strongest first."""
    subjects = subjects_of(state)
    log_e = {key: tally.log_e for key, (tally, _) in subjects.items()}
    shares, alpha = _shares(state, subjects), state.plan.alpha
    alone = {key: log for key, log in log_e.items() if key[0] in _SINGLE}
    named = {key[1] for key in keep_subjects(alone, alpha, shares) if key[0] == "patron"}
    left = {key: log for key, log in log_e.items() if not _rests_on(state, key, named)}
    return [_finding(state, key, subjects) for key in keep_subjects(left, alpha, shares)]


_SINGLE: Final = ("patron", "late")


def _shares(state: Protection, subjects: Subjects) -> dict[Key, float]:
    """Return each subject's prior weight."""
    many = Counter(key[0] for key in subjects)
    return {
        key: patron_share(state, key[1])
        if key[0] == "patron"
        else KIND_SHARES[key[0]] / many[key[0]]
        for key in subjects
    }


def _rests_on(state: Protection, key: Key, named: AbstractSet[str]) -> bool:
    """Return whether a subject's evidence may come from a single patron who is named.

    For example, the evidence of the pair p1 and p2 may come from p1 alone. If p1 is named, the pair
    is not reported. The same holds for a patron with a dealer. The evidence of a larger group
    leaves out each patron from the coup in which that patron was named. It still contains a patron
    who is named only now.
    """
    if key[0] in _SINGLE:
        return False
    members = set(_members(state, key))
    if key[0] in ("pair", "under"):
        return not members.isdisjoint(named)
    return not members.isdisjoint(named - state.named.keys())


def subjects_of(state: Protection) -> Subjects:
    """Return every subject with a signal, and its evidence."""
    found: Subjects = {
        ("patron", name): (bettor.tally, bettor)
        for name, bettor in state.patrons.items()
        if bettor.tally.coups
    }
    for name, group in state.groups.items():
        if group.tally.coups:
            found["group", name] = (group.tally, group.as_one)
    met = Counter(patron for patron, _ in state.under)
    several: dict[str, Tallies] = {
        "pair": state.pairs,
        "dealer": state.dealers,
        # a patron with a single dealer is the same subject as the patron alone
        "under": {key: tally for key, tally in state.under.items() if met[key[0]] > 1},
        "late": {name: late.tally for name, late in state.late.items()},
    }
    for kind, tallies in several.items():
        for who, tally in tallies.items():
            found[(kind, who) if isinstance(who, str) else (kind, *who)] = (tally, None)
    return found


def concerns(key: Key, patron: str, groups: dict[str, tuple[str, ...]]) -> bool:
    """Return whether a subject is or includes the patron."""
    match key[0]:
        case "patron" | "late" | "under":
            return key[1] == patron
        case "pair":
            return patron in key[1:]
        case "group":
            return patron in groups.get(key[1], ())
        case _:
            return False


def _subject(key: Key) -> dict[str, str]:
    match key[0]:
        case "pair":
            return {"group": "+".join(key[1:])}
        case "under":
            return {"patron": key[1], "dealer": key[2]}
        case "late":
            return {"patron": key[1]}
        case kind:
            return {kind: key[1]}


def _finding(state: Protection, key: Key, subjects: Subjects) -> Finding:
    tally, bettor = subjects[key]
    read = _test_read(state, key, bettor)
    test = "late-bets" if key[0] == "late" else read
    edge = _edge_of(state, key)
    estimate, interval = _edge(edge, read)
    moment = tally.alarm or tally.last
    sentences = [
        f"{_who(key)} {_did(key, read, tally)}.",
        _evidence_sentence(state, key, subjects),
        _null_of(key),
    ]
    if tally.imported:
        sentences.append(
            f"{tally.imported} of these coups are imported: for them only the record says that "
            "bets came before cards."
        )
    if edge is not None:
        sentences += _edge_sentences(edge, read)
    return Finding(
        test,
        BASIS[test],
        _subject(key),
        moment.shoe if moment else None,
        moment.coup if moment else None,
        tally.log_e / math.log(10),
        tally.alarm.coup if tally.alarm else None,
        estimate,
        interval,
        " ".join(sentences),
        None if edge is None else edge.coups.mean,
        None if edge is None else edge.coups.interval(),
        sorted(event for _, _, _, event in tally.strongest),
        key,
    )


def _test_read(state: Protection, key: Key, bettor: Bettor | None) -> Test:
    """Return the test with the most evidence of a subject, or of its strongest patron."""
    members = [
        name for name in _members(state, key) if key[0] in _SINGLE or name not in state.named
    ]
    reader = bettor or max(
        (state.patrons[name] for name in members if name in state.patrons),
        key=lambda one: one.tally.log_e,
        default=None,
    )
    return reader.test if reader is not None else "next-card"


def _edge_sentences(edge: Edge, test: Test) -> list[str]:
    """Return sentences about an edge per unit staked, and by coup, if it has an interval."""
    sentences = []
    estimate, interval = _edge(edge, test)
    if estimate is not None and interval is not None:
        by = "first cards" if test == "next-card" else "money"
        honest = edge.honest.mean
        beside = ""
        if honest is not None:
            result = "loses" if honest < 0 else "wins"
            beside = f"; an honest patron {result} {percent_label(abs(honest))} with the same bets"
        sentences.append(
            f"Edge by {by} {percent_label(estimate)} of each unit staked (95 % at any time: "
            f"{percent_label(interval[0])} to {percent_label(interval[1])}){beside}, at this "
            "pack's payouts."
        )
    of_coup, mean = edge.coups.interval(), edge.coups.mean
    if of_coup is not None and mean is not None:
        sentences.append(
            f"By coup, whatever the stake, the edge by first cards is "
            f"{percent_label(mean)} ({percent_label(of_coup[0])} to {percent_label(of_coup[1])})."
        )
    return sentences


def _members(state: Protection, key: Key) -> tuple[str, ...]:
    """Return the patrons whose bets produced a subject's evidence."""
    match key[0]:
        case "pair":
            return key[1:]
        case "dealer":
            return tuple(patron for patron, dealer in state.under if dealer == key[1])
        case "group":
            return state.plan.groups[key[1]]
        case _:
            return key[1:2]


def _who(key: Key) -> str:
    match key[0]:
        case "pair":
            return f"{key[1]} and {key[2]}, taken together,"
        case "group":
            return f"the group {key[1]}"
        case "dealer":
            return f"patrons under dealer {key[1]}"
        case "under":
            return f"{key[1]} under dealer {key[2]}"
        case _:
            return key[1]


def _did(key: Key, test: Test, tally: Tally) -> str:
    if key[0] == "late":
        return "changed bets after faces were shown, and to the side that won"
    sides = tally.sides
    if test != "next-card" or not sides.high or not sides.low:
        return f"bet as if {_BETS_ON[test]}"
    return (
        f"bet on Player before {sides.player_before_high} of the {sides.high} cards from 6 to 9, "
        f"and on Banker before {sides.banker_before_low} of the {sides.low} others"
    )


def _evidence_sentence(state: Protection, key: Key, subjects: Subjects) -> str:
    """Return a subject's evidence, and the evidence that e-BH needs to name only this one."""
    tally, _ = subjects[key]
    needed = -math.log(state.plan.alpha * _shares(state, subjects)[key])
    return (
        f"Evidence against honest play: {_to_one(tally.log_e)}, from {tally.coups} coups. "
        f"Among {len(subjects)} subjects at alpha {state.plan.alpha:g}, {_to_one(needed)} suffices "
        "for a finding (e-BH)."
    )


def why_not_named(state: Protection, patron: str) -> str:
    """Return the evidence against a patron without a finding, and what a finding takes."""
    key, subjects = ("patron", patron), subjects_of(state)
    if key not in subjects:
        return f"{patron} is not named: none of this patron's coups could be tested"
    return f"{patron} is not named. {_evidence_sentence(state, key, subjects)}"


def _to_one(log_e: float) -> str:
    """Return evidence as odds: ``13,333 to 1``, or ``10^33.9 to 1`` if it is large."""
    if log_e < 0:
        return "less than 1 to 1"
    log10 = log_e / math.log(10)
    return f"10^{log10:.1f} to 1" if log10 > _IN_FULL else f"{10**log10:,.0f} to 1"


_IN_FULL: Final = 6
"""The largest power of ten that is written in full."""


def _null_of(key: Key) -> str:
    if key[0] == "late":
        return (
            "If the late changes are unrelated to the cards of the coup, and the shoe was shuffled "
            "uniformly, evidence ever reaches E to 1 with a probability of at most 1/E (Ville's "
            "inequality). A change after a face was shown is a breach in any case."
        )
    return _VILLE


def _edge_of(state: Protection, key: Key) -> Edge | None:
    """Return the edge of a patron, or of a patron under one dealer.

    The test of late changes has no edge.
    """
    match key:
        case ("patron", patron):
            return state.edges.get(patron)
        case ("under", patron, dealer):
            return state.edges_under.get((patron, dealer))
        case _:
            return None


def _edge(edge: Edge | None, test: Test) -> tuple[float | None, tuple[float, float] | None]:
    """Return the edge by first cards or by money. The next-card test uses first cards."""
    if edge is None:
        return None, None
    running = edge.cards if test == "next-card" else edge.money
    return running.mean, running.interval()
