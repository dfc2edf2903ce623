"""Legal shoes of an independent dealer have no findings."""

from collections import Counter
from itertools import product

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.live import LiveAudit
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import shipped
from tests.support.coup_notation import events_of, shoe_of
from tests.support.legal_dealer import LegalDealer, kept
from tests.support.thorough import a_part, every_third

PACKS = {
    name: kept(text) for name, text in shipped().items() if parse_pack(text).game == "punto-banco"
}
PACKS["held"] = PACKS["classic-8"].replace("withdrawable = true", "withdrawable = false")
OF_COUPS = (
    ev.CoupOpened, ev.BetPlaced, ev.BetCarried, ev.BetChanged, ev.BetWithdrawn, ev.NoMoreBets,
    ev.CardDrawn, ev.TotalsCalled, ev.ResultCalled, ev.BetTaken, ev.BetPaid, ev.BetPushed,
    ev.CommissionMarked, ev.IrregularityNoted, ev.CoupClosed, ev.CoupVoided,
)  # fmt: skip


def found(payloads):
    return [
        (each.code, each.coup, each.observed) for each in audit_shoe(shoe_of(payloads)).findings
    ]


@every_third
@pytest.mark.parametrize("name", PACKS)
def test_a_legal_shoe_is_clean(name):
    for seed in range(6):
        payloads = LegalDealer(PACKS[name], f"{name} {seed}").deal(99 if seed < 2 else 25)
        assert found(payloads) == [], seed


@pytest.mark.parametrize("name", PACKS)
def test_a_legal_shoe_is_clean_wherever_its_record_begins(name):
    payloads = LegalDealer(PACKS[name], name, corrects=False).deal(12)
    for begun in range(2, len(payloads), 7):
        assert found(payloads[begun:]) == [], begun


@pytest.mark.parametrize("name", PACKS)
def test_a_record_of_some_of_its_coups_is_clean(name):
    payloads = LegalDealer(PACKS[name], name, corrects=False).deal(30)
    head = replace(payloads[0], coverage="coups", seats=(), crew=())
    told = [
        payload
        for payload in payloads
        if isinstance(payload, OF_COUPS) or getattr(payload, "bet", None)
    ]
    burned = [
        payload for payload in payloads if isinstance(payload, ev.CardBurned) and payload.coup
    ]
    told = [payload for payload in payloads if payload in told or payload in burned]
    for lacking in range(3):
        assert found([head, *[payload for payload in told if payload.coup % 3 != lacking]]) == []


@pytest.mark.parametrize("name", ["classic-8", "france", "midi", "held"])
def test_a_legal_shoe_is_followed_in_silence(name):
    """But for what is put right later: until then it is wrong."""
    seeds = (LegalDealer(PACKS[name], f"{name} {seed}", corrects=False) for seed in range(99))
    for dealer in seeds:
        payloads = dealer.deal(8)
        if not dealer.mended:
            break
    live = LiveAudit(Shoe("shoe/test"))
    for event in events_of(payloads):
        live.add(event)
        assert live.changes() == [], event


def test_it_is_various():
    """All that he may do he does, so that clean is said of something."""
    payloads = [
        payload
        for name in ("classic-8", "france", "midi", "held")
        for seed in range(4)
        for payload in LegalDealer(PACKS[name], f"{name} {seed}").deal(99)
    ]
    seen = Counter(type(payload) for payload in payloads)
    for kind in (*OF_COUPS, ev.EventCorrected, ev.CutCardReached, ev.LimitsChanged, ev.ShoeTaken):
        assert seen[kind] > 3, kind
    burned = [
        payload for payload in payloads if isinstance(payload, ev.CardBurned) and payload.coup
    ]
    assert len(burned) > 3


# -- What is altered is found -------------------------------------------------------------------


def without(kind, nth=0):
    """Leave out the coup's nth event of a kind."""
    return lambda payloads: payloads.remove(
        [payload for payload in payloads if isinstance(payload, kind)][nth]
    )


def otherwise(kind, **change):
    """Tell the coup's first event of a kind with something else in it."""

    def alter(payloads):
        payload = next(payload for payload in payloads if isinstance(payload, kind))
        new = {name: to(getattr(payload, name)) for name, to in change.items()}
        payloads[payloads.index(payload)] = replace(payload, **new)

    return alter


def behind(kind, other):
    """Tell the coup's first event of a kind right behind the first of another."""

    def alter(payloads):
        payload = next(payload for payload in payloads if isinstance(payload, kind))
        payloads.remove(payload)
        place = next(n for n, each in enumerate(payloads) if isinstance(each, other))
        payloads.insert(place + 1, payload)

    return alter


_ANOTHER = {"P": "B", "B": "T", "T": "P"}
ALTERED = {
    "a card is left out": without(ev.CardDrawn, 1),
    "the call is left out": without(ev.NoMoreBets),
    "the opening is left out": without(ev.CoupOpened),
    "a loser is not taken": without(ev.BetTaken),
    "a winner is not paid": without(ev.BetPaid),
    "the result is left out": without(ev.ResultCalled),
    "the close is left out": without(ev.CoupClosed),
    "a card goes to the other hand": otherwise(ev.CardDrawn, hand=lambda _hand: "banker"),
    "a unit too much is paid": otherwise(ev.BetPaid, amount=lambda amount: amount + 1),
    "a unit too little is taken": otherwise(ev.BetTaken, amount=lambda amount: amount - 1),
    "another side is called": otherwise(
        ev.ResultCalled, outcome=lambda one: "PBT"["TPB".index(one)]
    ),
    "another total is called": otherwise(ev.ResultCalled, player=lambda one: (one + 1) % 10),
    "another's bet is paid": otherwise(ev.BetPaid, bet=lambda bet: bet + 40),
    "the call comes behind a card": behind(ev.NoMoreBets, ev.CardDrawn),
    "a bet comes behind the call": behind(ev.BetPlaced, ev.NoMoreBets),
    "a bet comes before the opening": behind(ev.CoupOpened, ev.BetPlaced),
    "the close comes before a payment": behind(ev.BetPaid, ev.CoupClosed),
    "the result comes behind a take": behind(ev.ResultCalled, ev.BetTaken),
    "the totals come before a card": behind(ev.TotalsCalled, ev.NoMoreBets),
}


@pytest.mark.parametrize(
    ("what", "name"),
    a_part(product(ALTERED, ["classic-8", "france", "midi", "super-6", "macau"]), of=7),
)
def test_what_is_altered_in_a_legal_shoe_is_found(name, what):
    payloads = LegalDealer(PACKS[name], name, corrects=False).deal(60)
    coups = {}
    for payload in payloads:
        if isinstance(payload, OF_COUPS):
            coups.setdefault(payload.coup, []).append(payload)
    plain = {ev.CoupOpened, ev.BetPlaced, ev.BetPaid, ev.BetTaken, ev.CardDrawn, ev.CoupClosed}
    odd = {ev.IrregularityNoted, ev.CoupVoided, ev.BetChanged, ev.BetWithdrawn, ev.BetCarried}
    tried = 0
    for number, told in list(coups.items())[:-2]:
        kinds = {type(payload) for payload in told}
        moved = [payload.bet for payload in told if isinstance(payload, (ev.BetPaid, ev.BetTaken))]
        if not plain <= kinds or kinds & odd or len(set(moved)) != len(moved):
            continue
        altered = list(told)
        ALTERED[what](altered)
        begin = payloads.index(told[0])
        others = [payload for payload in payloads if payload not in told]
        assert found([*others[:begin], *altered, *others[begin:]]) != [], number
        tried += 1
        if tried == 5:
            break
    assert tried > 3
