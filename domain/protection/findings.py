"""What stands after the shoes so far, told so that a person can follow it."""

import math
from typing import Final, Literal

from msgspec import Struct

from domain.protection.detection import Protection
from domain.protection.ebh import keep
from domain.protection.edge import Edge
from domain.protection.mixture import Test
from domain.protection.process import Bettor, Tally

Rests = Literal["theorem", "bound", "permutation", "model"]
"""On what a finding's level rests; a model has none."""

BASIS: Final[dict[str, Rests]] = {
    "next-card": "theorem",
    "whole-coup": "theorem",
    "first-four": "theorem",
    "late-change": "theorem",
    "order-of-the-shoe": "bound",
    "backs-against-rank": "permutation",
    "side-bets-follow-count": "model",
    "payments-cluster": "model",
}

_BETS_ON: Final[dict[Test, str]] = {
    "next-card": "the class of the next card",
    "whole-coup": "the outcome of the coup",
    "first-four": "the first four cards, which lay face down while bets were taken",
    "late-change": "how the coup would end, by bets changed after a face was shown",
}


class Finding(Struct, frozen=True):
    """A subject whose evidence stands.

    ``log10_e`` is the evidence now, for an order or backs the negative logarithm of the chance.
    ``first_alarm_coup`` is the coup of ``shoe`` at which the subject's own evidence first
    reached 1/alpha. ``interval`` is of the edge, at 95 % and valid at any time. ``events`` are
    places in the log.
    """

    test: str
    rests: Rests
    subject: dict[str, str]
    shoe: str | None
    coup: int | None
    log10_e: float
    first_alarm_coup: int | None
    edge_estimate: float | None
    interval: tuple[float, float] | None
    explanation: str
    events: list[int] = []
    chance: float | None = None


class Report(Struct, frozen=True):
    """All that stands at a level among so many subjects."""

    alpha: float
    subjects: int
    findings: list[Finding]


Key = tuple[str, ...]
"""A subject: its kind, then who it is."""


Subjects = dict[Key, tuple[Tally, Bettor | None]]
"""Each subject's evidence, and the bettor in whom it was learned, where it is one."""


def report(state: Protection) -> Report:
    """Return what stands at the level of the plan."""
    level = state.plan.alpha
    subjects = subjects_of(state)
    kept = keep({key: tally.log_e for key, (tally, _) in subjects.items()}, level)
    findings = [_finding(state, key, subjects) for key in kept]
    return Report(level, len(subjects), [*findings, *_orders(state, level), *_backs(state, level)])


def subjects_of(state: Protection) -> Subjects:
    """List every subject that gave a signal, with its evidence."""
    found: Subjects = {}
    for name, bettor in state.patrons.items():
        if bettor.tally.coups:
            found["patron", name] = (bettor.tally, bettor)
    for name, group in state.groups.items():
        found["group", name] = (group.tally, group.as_one)
    for pair, tally in state.pairs.items():
        found["pair", *pair] = (tally, None)
    for name, tally in state.dealers.items():
        found["dealer", name] = (tally, None)
    met: dict[str, int] = {}
    for patron, _ in state.under:
        met[patron] = met.get(patron, 0) + 1
    for (patron, dealer), tally in state.under.items():
        # under the one dealer whom he ever met he is the same subject as by himself
        if met[patron] > 1:
            found["under", patron, dealer] = (tally, None)
    return found


def _subject(key: Key) -> dict[str, str]:
    match key[0]:
        case "pair":
            return {"group": "+".join(key[1:])}
        case "under":
            return {"patron": key[1], "dealer": key[2]}
        case kind:
            return {kind: key[1]}


def _finding(state: Protection, key: Key, subjects: Subjects) -> Finding:
    tally, bettor = subjects[key]
    level = state.plan.alpha
    members = key[1:2] if key[0] in ("patron", "under") else key[1:] if key[0] == "pair" else ()
    reader = bettor or next(
        (state.patrons[name] for name in members if name in state.patrons), None
    )
    test: Test = reader.test if reader is not None else "next-card"
    edge = state.edges.get(key[1]) if key[0] in ("patron", "under") else None
    estimate, interval = _edge(edge, test)
    moment = tally.alarm or tally.last
    log10_e = tally.log_e / math.log(10)
    said = (
        f"{_who(key)} bet as if {_BETS_ON[test]} had been known: evidence 10^{log10_e:.1f} over "
        f"{tally.coups} coups, among {len(subjects)} subjects tested at level {level:g}. If they "
        "knew nothing but what all could see, and the shoe was shuffled uniformly, evidence "
        "reaches 1/p with a probability of at most p, whenever one looks (Ville's inequality)."
    )
    if estimate is not None and interval is not None:
        said += (
            f" Edge {estimate:.2%} of each unit staked (95 % at any time: {interval[0]:.2%} to "
            f"{interval[1]:.2%}); an honest bettor on Banker has -1.06 %."
        )
    return Finding(
        test,
        BASIS[test],
        _subject(key),
        moment.shoe if moment else None,
        moment.coup if moment else None,
        log10_e,
        tally.alarm.coup if tally.alarm else None,
        estimate,
        interval,
        said,
        sorted(event for _, _, _, event in tally.strongest),
    )


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


def _edge(edge: Edge | None, test: Test) -> tuple[float | None, tuple[float, float] | None]:
    """The edge by first cards where they explain it, else by money."""
    if edge is None:
        return None, None
    running = edge.cards if test == "next-card" else edge.money
    return running.mean, running.interval()


def _orders(state: Protection, level: float) -> list[Finding]:
    """Shoes whose order repeats an earlier one, allowing for the number of shoes compared."""
    found = []
    for shoe, table, run in state.repeats:
        chance = min(1.0, run.expected * state.compared)
        if chance > level:
            continue
        how = "backwards" if run.backwards else "forwards"
        said = (
            f"{run.length} cards in a row, from place {run.at + 1}, come as {run.length} of shoe "
            f"{run.earlier} did {how} (by {run.level}); the chance of that in a uniform shuffle "
            f"is at most {chance:.1e}, allowing for {state.compared} shoes compared."
        )
        found.append(_by_chance("order-of-the-shoe", table, shoe, chance, said))
    return found


def _backs(state: Protection, level: float) -> list[Finding]:
    """Shoes whose backs hang together with rank, allowing for the number of shoes tested."""
    found = []
    for table, _pool, backs in state.backs:
        chance = min(1.0, backs.chance * len(state.backs))
        if chance > level:
            continue
        values = ", ".join(str(value) for value in backs.values)
        said = (
            f"of {backs.inside} cards of value {values}, {backs.inside_turned} lay turned, of the "
            f"other {backs.cards - backs.inside} only {backs.turned - backs.inside_turned}; the "
            f"chance of that, were backs and faces unrelated, is at most {chance:.1e}, allowing "
            f"for the choice of values and {len(state.backs)} shoes."
        )
        found.append(_by_chance("backs-against-rank", table, backs.shoe, chance, said))
    return found


def _by_chance(test: str, table: str, shoe: str, chance: float, said: str) -> Finding:
    subject = {"table": table, "shoe": shoe} if table else {"shoe": shoe}
    log10_e = -math.log10(max(chance, 1e-300))
    return Finding(
        test, BASIS[test], subject, shoe, None, log10_e, None, None, None, said, chance=chance
    )
