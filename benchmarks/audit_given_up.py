"""Inject the kinds of faults that the audit gives up, and count what it finds instead.

To find them the audit would have to infer from the course of play when a wrong clock was right
again, to which hand a late card belongs, or which steps a table records. docs/mutations.md lists
these kinds, because a reader may expect a finding.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from benchmarks.audit_houses import House, houses
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import GameName, RulePack, parse_pack
from sabot.domain.state.shoe import fold
from sabot.domain.values.cards import FIRST_TWO
from tests.faults.fault import codes_of, told_with
from tests.support.three_devices import as_told

History = list[RecordedEvent]
Clean = Callable[[House, int, int | None], tuple[str, History]]
"""Deals a shoe without a fault: `benchmarks.audit_mutations.clean`."""

_SECOND_US: Final = 1_000_000
_COUP: Final = 5
"""The coup in which a fault happens. A clock is wrong from the third coup on."""


class GivenUp(Struct, frozen=True):
    """A kind of fault that is given up.

    ``numbers`` are those of the rules that would report it. ``instead`` is what the audit does.
    ``retells`` changes the history of a clean shoe; it returns None if the shoe has no occasion.
    """

    name: str
    what: str
    numbers: tuple[str, ...]
    instead: str
    retells: Callable[[History], History | None]

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the rules."""
        return codes_of(self.numbers)


class GivenUpRow(Struct):
    """The counts of a kind: ``found`` by its rules, and the codes of other findings."""

    kind: GivenUp
    games: Counter[GameName] = field(default_factory=Counter)
    injected: int = 0
    found: int = 0
    others: Counter[str] = field(default_factory=Counter)


def given_up_rows(
    clean: Clean, coups: int, kinds: Sequence[GivenUp] | None = None
) -> Iterator[GivenUpRow]:
    """Inject each kind into a clean shoe of each rule pack that has an occasion.

    Args:
        clean: deals a clean shoe.
        coups: the number of its coups.
        kinds: the kinds; all by default.
    """
    for kind in KINDS if kinds is None else kinds:
        row = GivenUpRow(kind)
        for house in houses():
            stream, history = clean(house, 0, coups)
            told = kind.retells(history)
            if told is not None:
                codes = _codes(stream, told)
                row.games[parse_pack(house.pack).game] += 1
                row.injected += 1
                row.found += any(code in codes for code in kind.codes)
                row.others.update(codes - {*kind.codes})
        yield row


def _codes(stream: str, history: History) -> set[str]:
    return {finding.code for finding in audit_shoe(fold(stream, history)).findings}


def _pack_of(history: History) -> RulePack:
    loaded = history[0].payload
    assert isinstance(loaded, ev.ShoeLoaded)
    return parse_pack(loaded.pack)


# -- Wrong clocks ----------------------------------------------------------------------------------


def _late_bet(
    wrong: Callable[[Sequence[RecordedEvent]], int | None], history: History
) -> History | None:
    """Report a shoe by three devices, with a bet after the call and a wrong clock before.

    Args:
        wrong: returns the time that the chip reader's clock shows for one of its events, given its
            events up to this one; None if it shows the right time.
        history: the clean shoe.
    """
    late = _with_late_bet(history) if _pack_of(history).clocks is not None else None
    if late is None:
        return None
    told = as_told(late, random.Random(1))
    assert find_rule("B201").code in _codes(told[0].stream, told)
    own = [event for event in told if event.device == "chip-reader"]
    since = [event for event in own if getattr(event.payload, "coup", 0) >= _COUP - 2]
    shown = {event.index: wrong(since[: place + 1]) for place, event in enumerate(since)}
    return [replace(event, at_us=shown.get(event.index) or event.at_us) for event in told]


def _with_late_bet(history: History) -> History | None:
    """Return the shoe with a bet two seconds after the call; the cards come five seconds later."""
    call = next((n for n, e in enumerate(history) if e.payload == ev.NoMoreBets(_COUP)), 0)
    bet = next((e for e in history[call::-1] if isinstance(e.payload, ev.BetPlaced)), None)
    if bet is None or bet.payload.coup != _COUP:
        return None
    rest = [
        replace(event, at_us=(event.at_us or 0) + (5 * _SECOND_US if place > call else 0))
        for place, event in enumerate(history)
        if event is not bet
    ]
    at_us = (history[call].at_us or 0) + 2 * _SECOND_US
    rest.insert(call, replace(bet, at_us=at_us))
    return rest


def _frozen(since: Sequence[RecordedEvent]) -> int | None:
    return since[0].at_us


def _set_back(since: Sequence[RecordedEvent]) -> int | None:
    return (since[-1].at_us or 0) - 600 * _SECOND_US


def _frozen_for_a_coup(since: Sequence[RecordedEvent]) -> int | None:
    """Return the time shown by a clock that is right again after one coup."""
    first, last = since[0].payload, since[-1].payload
    same = getattr(first, "coup", None) == getattr(last, "coup", None)
    return since[0].at_us if same else None


# -- Late cards ------------------------------------------------------------------------------------


def _card_after_close(history: History) -> History | None:
    """Move a third card, the last of its coup at punto banco, behind the close."""
    payloads = [event.payload for event in history]
    if _pack_of(history).game != "punto-banco":
        return None
    for place, payload in enumerate(payloads):
        if isinstance(payload, ev.CoupClosed) and payload.coup >= _COUP:
            cards = [
                n
                for n, each in enumerate(payloads)
                if isinstance(each, ev.CardDrawn) and each.coup == payload.coup
            ]
            if len(cards) > 2 * FIRST_TWO:
                payloads.insert(place, payloads.pop(cards[-1]))
                return told_with(history, payloads)
    return None


# -- Steps that the record of a shoe never has ----------------------------------------------------


def _never(kind: type, history: History) -> History | None:
    """Leave out every event of a kind."""
    rest = [event.payload for event in history if not isinstance(event.payload, kind)]
    return told_with(history, rest) if len(rest) < len(history) else None


_CLOCK: Final = "the order of the device's events is unknown from there on; the clock is a finding"
_STEP: Final = "the table may have no device that records the step; the rule is not applicable"

KINDS: Final = (
    GivenUp(
        "late-bet-after-frozen-clock",
        "the clock of the chip reader stops, and two coups later a bet comes after the call",
        ("B201",),
        _CLOCK,
        partial(_late_bet, _frozen),
    ),
    GivenUp(
        "late-bet-after-clock-set-right",
        "the clock of the chip reader stops for a coup and is right again before the late bet",
        ("B201",),
        _CLOCK,
        partial(_late_bet, _frozen_for_a_coup),
    ),
    GivenUp(
        "late-bet-after-clock-set-back",
        "the clock of the chip reader is set back by ten minutes, two coups before the late bet",
        ("B201",),
        _CLOCK,
        partial(_late_bet, _set_back),
    ),
    GivenUp(
        "third-card-after-close",
        "a third card is recorded after the close of its coup, which was settled by it",
        ("Q104",),
        "the card is a finding and belongs to no hand; the coup is judged without it",
        _card_after_close,
    ),
    GivenUp(
        "cards-turned-in-no-coup",
        "no card of the shoe is turned",
        ("D105", "K507"),
        _STEP,
        partial(_never, ev.CardTurned),
    ),
    GivenUp(
        "result-called-in-no-coup",
        "no result of the shoe is called",
        ("C105",),
        _STEP,
        partial(_never, ev.ResultCalled),
    ),
    GivenUp(
        "bank-called-in-no-coup",
        "the bank is called in no coup of the shoe",
        ("K507",),
        _STEP,
        partial(_never, bank_ev.BankCalled),
    ),
    GivenUp(
        "hand-given-in-no-coup",
        "no hand of the shoe is given to a patron",
        ("K507",),
        _STEP,
        partial(_never, bank_ev.HandGiven),
    ),
)
"""The kinds that are given up."""
