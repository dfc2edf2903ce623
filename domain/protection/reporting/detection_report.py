"""The detection report: findings after the coups so far, with explanations."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from sabot.domain.protection.detection.subjects import Protection
from sabot.domain.protection.e_process.mixture import Test
from sabot.domain.protection.e_process.test_martingale import Bettor, Tally
from sabot.domain.protection.money.edge_interval import Edge
from sabot.domain.protection.multiplicity import keep_subjects
from sabot.domain.protection.reporting.coverage import Coverage
from sabot.domain.protection.reporting.finding import BASIS, Finding, Key
from sabot.domain.protection.shoe_tests.p_value_findings import by_chance, cover_pools
from sabot.domain.protection.shoe_tests.whole_shoe_tests import ShoeTests

_BETS_ON: Final[dict[Test, str]] = {
    "next-card": "the class of the next card had been known",
    "whole-coup": "the outcome of the coup had been known",
    "first-four": "the first four cards, face down while bets were taken, had been known",
    "late-change": "the rest of the coup had been known, by bets changed after a face was shown",
}
_VILLE: Final = (
    "If nothing was known but what all could see, and the shoe was shuffled uniformly, evidence "
    "ever reaches 1/p with a probability of at most p (a theorem: Ville's inequality)."
)


class LeftOut(Struct, frozen=True):
    """A patron's bets that are excluded from the evidence: number and reason.

    They may have been made after a face. Such a coup counts at the minimum over all bets.
    """

    patron: str
    bets: int
    why: str


class Report(Struct, frozen=True):
    """The findings at a level, and the coverage of the tests."""

    alpha: float
    subjects: int
    findings: list[Finding]
    coverage: Coverage
    shoes: int
    coups: int
    skipped: list[tuple[str, str]]
    left_out: list[LeftOut] = []


Subjects = dict[Key, tuple[Tally, Bettor | None]]
"""Each subject's evidence, and its bettor if it has one of its own."""


Tallies = Mapping[str, Tally] | Mapping[tuple[str, str], Tally]


def build_report(state: Protection, tests: ShoeTests | None = None) -> Report:
    """Return the findings at the plan's level. ``tests`` include those of shoes in play."""
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
    )


def by_evidence(state: Protection) -> list[Finding]:
    """Return the subjects reported by e-BH, strongest first."""
    subjects = subjects_of(state)
    kept = keep_subjects(
        {key: tally.log_e for key, (tally, _) in subjects.items()}, state.plan.alpha
    )
    return [_finding(state, key, subjects, kept) for key in kept]


def subjects_of(state: Protection) -> Subjects:
    """Return every subject with at least one signal, and its evidence."""
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
    """Tell whether a subject is a patron, or includes the patron."""
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


def _finding(state: Protection, key: Key, subjects: Subjects, kept: list[Key]) -> Finding:
    tally, bettor = subjects[key]
    members = _members(state, key)
    reader = bettor or max(
        (state.patrons[name] for name in members if name in state.patrons),
        key=lambda one: one.tally.log_e,
        default=None,
    )
    read: Test = reader.test if reader is not None else "next-card"
    test = "late-bets" if key[0] == "late" else read
    edge = _edge_of(state, key)
    estimate, interval = _edge(edge, read)
    moment = tally.alarm or tally.last
    sentences = [
        (
            f"{_who(key)} {_did(key, read)}: evidence 10^{tally.log_e / math.log(10):.1f} over "
            f"{tally.coups} coups, among {len(subjects)} subjects tested at level "
            f"{state.plan.alpha:g}."
        ),
        _null_of(key),
    ]
    if edge is not None and estimate is not None and interval is not None:
        by = "first cards" if read == "next-card" else "money"
        honest = edge.honest.mean
        beside = "" if honest is None else f"; who knows nothing has {honest:.2%} by the same bets"
        sentences.append(
            f"Edge by {by} {estimate:.2%} of each unit staked (95 % at any time: {interval[0]:.2%} "
            f"to {interval[1]:.2%}){beside}, by the pack's pays."
        )
    sentences += _rests_on(key, subjects, kept)
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
        sorted(event for _, _, _, event in tally.strongest),
        key,
    )


def _members(state: Protection, key: Key) -> tuple[str, ...]:
    """Return the patrons whose bets gave a subject's evidence."""
    match key[0]:
        case "pair":
            return key[1:]
        case "dealer":
            return tuple(patron for patron, dealer in state.under if dealer == key[1])
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


def _did(key: Key, test: Test) -> str:
    if key[0] == "late":
        return "changed bets after faces were shown, and to the side that won"
    return f"bet as if {_BETS_ON[test]}"


def _null_of(key: Key) -> str:
    if key[0] == "late":
        return (
            "If what was changed late had nothing to do with the cards of the coup, and the shoe "
            "was shuffled uniformly, evidence ever reaches 1/p with a probability of at most p "
            "(a theorem: Ville's inequality). That faces lay open then is a breach by itself."
        )
    return _VILLE


def _rests_on(key: Key, subjects: Subjects, kept: list[Key]) -> list[str]:
    """Return text if one patron accounts for nearly all evidence of a subject.

    The subject's evidence is then less than ten times that of the patron.
    """
    narrower: list[Key] = []
    if key[0] == "pair":
        narrower = [("patron", key[1]), ("patron", key[2])]
    elif key[0] == "under":
        narrower = [("patron", key[1])]
    elif key[0] in ("dealer", "group"):
        narrower = [other for other in kept if other[0] == "patron"]
    mine = subjects[key][0].log_e - math.log(10)
    rest = [
        other
        for other in narrower
        if other in kept and subjects[other][0].log_e >= mine and other != key
    ]
    if not rest:
        return []
    most = max(rest, key=lambda other: subjects[other][0].log_e)
    return [f"All of it rests on {most[1]}, whose own evidence is no less; nothing is added to it."]


def _edge_of(state: Protection, key: Key) -> Edge | None:
    """Return the edge of a patron, or of a patron under one dealer.

    Late changes have no edge of their own.
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
