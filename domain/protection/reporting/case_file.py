"""Case file: the evidence about one subject, coup by coup.

It has bets, cards, money and requests. The log is read again with a function that records every
factor of the detection. So the case shows exactly the numbers that the detection used.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.labels import request_label
from sabot.domain.protection.detection.subjects import Protection
from sabot.domain.protection.e_process.bet_signals import stake_of
from sabot.domain.protection.e_process.coup_evidence import Evidence
from sabot.domain.protection.e_process.test_martingale import Tally
from sabot.domain.protection.money.edge_interval import start_edge
from sabot.domain.protection.reporting.finding import Finding, Key
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe

MoneyKey = tuple[str, str, int]
"""A patron, a currency and the decimals of the currency."""
OUTCOMES: Final = ("Player", "Banker", "tie")


class Step(Struct, frozen=True):
    """A coup of a subject, and the evidence after it.

    ``gained`` is the base-10 logarithm of the coup's factor, and ``log10_e`` that of the evidence
    after the coup. ``stakes`` has the stakes before the first card by wager, in minor units, summed
    over the subject's patrons. ``first`` is the value of the first card and ``event`` its log
    index. ``came`` is the outcome by the third-card table.
    """

    shoe: str
    coup: int
    at_us: int | None
    gained: float
    log10_e: float
    stakes: dict[str, int]
    side: str
    first: int | None
    came: str
    event: int


class Noted(Struct, frozen=True):
    """A request or a cut before the bets.

    It has the person, the action, the place and the time.
    """

    event: int
    at_us: int
    shoe: str
    coup: int | None
    who: str
    what: str
    before_alarm: bool


class Money(Struct, frozen=True):
    """A patron's stakes on Player and Banker, the win, and an honest patron's expectation.

    Amounts are in minor units of the currency. ``on_sides`` is the total staked on Player or
    Banker; ``worth`` is the edge by first cards times this total, with its interval. ``worth`` is
    None for a patron with several currencies, whose edge covers all of them. ``bets``, ``staked``
    and ``won`` are of the bets that are compared, and ``left_out`` counts the other bets on Player
    or Banker by reason. ``all_bets``, ``all_staked`` and ``result`` are of all wagers, as the coups
    were settled.
    """

    patron: str
    currency: str
    minor_units: int
    bets: int
    staked: int
    won: int
    expected: int
    z: float
    on_sides: int
    worth: int | None
    worth_least: int | None
    worth_most: int | None
    left_out: dict[str, int]
    all_bets: int
    all_staked: int
    result: int


class Settled(Struct):
    """A patron's bets on all wagers, the stakes and the net win as settled, in minor units."""

    bets: int = 0
    staked: int = 0
    won: int = 0

    def add(self, bet: Bet, *, voided: bool) -> None:
        """Add a bet. One that was withdrawn, or whose coup was voided, is not a stake."""
        if not bet.withdrawn and not voided:
            self.bets += 1
            self.staked += bet.amount
        self.won += bet.net


SettledMoney = Mapping[MoneyKey, Settled]


class OnRecord(Struct, frozen=True):
    """The requests and cuts on record, and the patrons' money as the coups were settled."""

    events: Sequence[RecordedEvent]
    settled: SettledMoney


class Case(Struct, frozen=True):
    """All data shown about a subject.

    ``findings`` is empty for a patron who was asked for and has no finding.
    """

    key: Key
    patrons: tuple[str, ...]
    findings: list[Finding]
    steps: list[Step]
    noted: list[Noted]
    money: list[Money]
    alarm: Step | None
    alpha: float


class Recorder:
    """Records the evidence of some subjects while the detection runs."""

    def __init__(self, wanted: dict[Key, tuple[str, ...]]) -> None:
        """Take the subjects to record, each with its patrons."""
        self._wanted = wanted
        self.steps: dict[Key, list[Step]] = {key: [] for key in wanted}

    def hear(self, key: Key, tally: Tally, factor: float, evidence: Evidence, shoe: Shoe) -> None:
        """Record the evidence of a subject after a coup."""
        if key in self._wanted:
            step = _step(self._wanted[key], tally, factor, evidence, shoe)
            self.steps[key].append(step)


def _step(
    patrons: tuple[str, ...], tally: Tally, factor: float, evidence: Evidence, shoe: Shoe
) -> Step:
    coup = evidence.coup
    stakes: dict[str, int] = {}
    for patron in patrons:
        for wager, amount in coup.stakes.get(patron, {}).items():
            stakes[wager] = stakes.get(wager, 0) + amount
    side = stake_of(coup.stakes, patrons).side
    return Step(
        shoe.name,
        coup.number,
        coup.at_us,
        math.log10(factor),
        tally.log_e / math.log(10),
        stakes,
        "" if side is None else OUTCOMES[side],
        None if evidence.card is None else evidence.card.value,
        "" if evidence.came is None else OUTCOMES[evidence.came],
        coup.looks[0].event,
    )


# -- Assembly -----------------------------------------------------------------------------------


def cases_of(
    state: Protection, findings: Sequence[Finding], patron: str | None
) -> dict[Key, tuple[str, ...]]:
    """Choose the subjects to show: patrons and groups with findings, or one given patron."""
    if patron is not None:
        return {("patron", patron): (patron,)}
    found: dict[Key, tuple[str, ...]] = {}
    for finding in findings:
        key = finding.key
        if key[:1] == ("group",):
            found[key] = state.plan.groups[key[1]]
        elif key[:1] in (("patron",), ("late",)):
            found["patron", key[1]] = (key[1],)
    return found


def case_of(
    state: Protection,
    key: Key,
    recorder: Recorder,
    findings: Iterable[Finding],
    on_record: OnRecord,
) -> Case:
    """Assemble a case.

    Args:
        state: the detection's state.
        key: the subject.
        recorder: has its evidence coup by coup.
        findings: all findings.
        on_record: requests, cuts and settled money.
    """
    patrons = (key[1],) if key[0] == "patron" else state.plan.groups[key[1]]
    mine = [one for one in findings if one.key == key or one.key == ("late", *key[1:])]
    steps = recorder.steps[key]
    needed = -math.log10(state.plan.alpha)
    alarm = next((step for step in steps if step.log10_e >= needed), None)
    first_alarm = None if alarm is None else alarm.event
    noted = list(_noted(patrons, steps, on_record.events, first_alarm))
    money = _money(state, patrons, on_record.settled)
    return Case(key, patrons, mine, steps, noted, money, alarm, state.plan.alpha)


def _noted(
    patrons: tuple[str, ...],
    steps: Sequence[Step],
    events: Sequence[RecordedEvent],
    alarm: int | None,
) -> Iterable[Noted]:
    """Yield the patrons' requests and the cuts of their shoes."""
    played = {step.shoe for step in steps}
    for event in events:
        payload, shoe = event.payload, event.stream.removeprefix("shoe/")
        match payload:
            case ev.RequestMade() if payload.patron in patrons:
                granted = {None: "", True: "; granted", False: "; refused"}[payload.granted]
                detail = f": {payload.detail}" if payload.detail else ""
                who, coup, what = (
                    payload.patron,
                    payload.coup,
                    f"asked {request_label(payload.kind)}{detail}{granted}",
                )
            case ev.ShoeCut() if shoe in played:
                depth = "" if payload.depth is None else f", {payload.depth} cards deep"
                who, coup, what = payload.by, None, f"cut the shoe{depth}"
            case _:
                continue
        at_us = event.recorded_us if event.at_us is None else event.at_us
        before = alarm is None or event.index < alarm
        yield Noted(event.index, at_us, shoe, coup, who, what, before)


def settled_money(coups: Iterable[tuple[Shoe, Coup]]) -> dict[MoneyKey, Settled]:
    """Add up the money of each patron over coups of shoes whose rule pack is known."""
    found: dict[MoneyKey, Settled] = {}
    for shoe, coup in coups:
        if shoe.pack is None:
            continue
        for bet in coup.bets.values():
            key = (bet.patron, shoe.pack.money.currency, shoe.pack.money.minor_units)
            found.setdefault(key, Settled()).add(bet, voided=coup.voided is not None)
    return found


def _money(state: Protection, patrons: tuple[str, ...], settled: SettledMoney) -> list[Money]:
    found = []
    for key, rate in state.wins.items():
        patron, currency, minor_units = key
        whole = settled.get(key, Settled())
        if patron not in patrons or not (rate.bets or whole.bets):
            continue
        cards = (state.edges.get(patron) or start_edge()).cards
        alone = sum(patron == other for other, _, _ in state.wins) == 1
        low, high = (cards.interval() if alone else None) or (None, None)
        worth, least, most = (
            None if share is None else round(share * cards.staked)
            for share in (cards.mean if alone else None, low, high)
        )
        found.append(
            Money(
                patron,
                currency,
                minor_units,
                rate.bets,
                rate.staked,
                round(rate.won),
                round(rate.expected),
                rate.z,
                round(cards.staked),
                worth,
                least,
                most,
                rate.left_out,
                whole.bets,
                whole.staked,
                whole.won,
            )
        )
    return found


def by_first_card(steps: Iterable[Step]) -> dict[str, list[int]]:
    """Count the coups by side bet on and first card."""
    found = {side: [0] * 10 for side in OUTCOMES[:2]}
    for step in steps:
        if step.side and step.first is not None:
            found[step.side][step.first] += 1
    return found


def by_outcome(steps: Iterable[Step]) -> dict[str, dict[str, int]]:
    """Count the coups by side bet and outcome."""
    found = {side: dict.fromkeys(OUTCOMES, 0) for side in OUTCOMES[:2]}
    for step in steps:
        if step.side and step.came:
            found[step.side][step.came] += 1
    return found
