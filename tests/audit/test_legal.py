"""Whatever the rules leave open is clean: shoes of a dealer who shares nothing with the program."""

from collections import Counter

import pytest
from msgspec.structs import replace

from sabot.domain import events as f
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.live import LiveAudit
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import shipped
from tests.audit.legal import LegalDealer, kept
from tests.notation import events_of, shoe_of

PACKS = {
    name: kept(text) for name, text in shipped().items() if parse_pack(text).game == "punto-banco"
}
PACKS["held"] = PACKS["classic-8"].replace("withdrawable = true", "withdrawable = false")
OF_COUPS = (
    f.CoupOpened, f.BetPlaced, f.BetCarried, f.BetChanged, f.BetWithdrawn, f.NoMoreBets,
    f.CardDrawn, f.TotalsCalled, f.ResultCalled, f.BetTaken, f.BetPaid, f.BetPushed,
    f.CommissionMarked, f.IrregularityNoted, f.CoupClosed, f.CoupVoided,
)  # fmt: skip


def found(facts):
    return [(each.code, each.coup, each.shown) for each in audit_shoe(shoe_of(facts)).findings]


@pytest.mark.parametrize("name", PACKS)
def test_a_legal_shoe_is_clean(name):
    for seed in range(6):
        facts = LegalDealer(PACKS[name], f"{name} {seed}").deal(99 if seed < 2 else 25)
        assert found(facts) == [], seed


@pytest.mark.parametrize("name", PACKS)
def test_a_legal_shoe_is_clean_wherever_its_record_begins(name):
    facts = LegalDealer(PACKS[name], name, corrects=False).deal(12)
    for begun in range(2, len(facts), 7):
        assert found(facts[begun:]) == [], begun


@pytest.mark.parametrize("name", PACKS)
def test_a_record_of_some_of_its_coups_is_clean(name):
    facts = LegalDealer(PACKS[name], name, corrects=False).deal(30)
    head = replace(facts[0], scope="coups", seats=(), crew=())
    told = [fact for fact in facts if isinstance(fact, OF_COUPS) or getattr(fact, "bet", None)]
    burned = [fact for fact in facts if isinstance(fact, f.CardBurned) and fact.coup]
    told = [fact for fact in facts if fact in told or fact in burned]
    for lacking in range(3):
        assert found([head, *[fact for fact in told if fact.coup % 3 != lacking]]) == []


@pytest.mark.parametrize("name", ["classic-8", "france", "midi", "held"])
def test_a_legal_shoe_is_followed_in_silence(name):
    """But for what is put right later: until then it is wrong."""
    seeds = (LegalDealer(PACKS[name], f"{name} {seed}", corrects=False) for seed in range(99))
    for dealer in seeds:
        facts = dealer.deal(8)
        if not dealer.mended:
            break
    live = LiveAudit(Shoe("shoe/test"))
    for event in events_of(facts):
        live.add(event)
        assert live.news() == [], event


def test_it_is_various():
    """All that he may do he does, so that clean is said of something."""
    facts = [
        fact
        for name in ("classic-8", "france", "midi", "held")
        for seed in range(4)
        for fact in LegalDealer(PACKS[name], f"{name} {seed}").deal(99)
    ]
    seen = Counter(type(fact) for fact in facts)
    for kind in (*OF_COUPS, f.FactCorrected, f.CutCardReached, f.LimitsChanged, f.ShoeTaken):
        assert seen[kind] > 3, kind
    burned = [fact for fact in facts if isinstance(fact, f.CardBurned) and fact.coup]
    assert len(burned) > 3


# -- What is altered is found -------------------------------------------------------------------


def without(kind, nth=0):
    """Leave out the coup's nth fact of a kind."""
    return lambda facts: facts.remove([fact for fact in facts if isinstance(fact, kind)][nth])


def otherwise(kind, **change):
    """Tell the coup's first fact of a kind with something else in it."""

    def alter(facts):
        fact = next(fact for fact in facts if isinstance(fact, kind))
        new = {name: to(getattr(fact, name)) for name, to in change.items()}
        facts[facts.index(fact)] = replace(fact, **new)

    return alter


def behind(kind, other):
    """Tell the coup's first fact of a kind right behind the first of another."""

    def alter(facts):
        fact = next(fact for fact in facts if isinstance(fact, kind))
        facts.remove(fact)
        place = next(n for n, each in enumerate(facts) if isinstance(each, other))
        facts.insert(place + 1, fact)

    return alter


_ANOTHER = {"P": "B", "B": "T", "T": "P"}
ALTERED = {
    "a card is left out": without(f.CardDrawn, 1),
    "the call is left out": without(f.NoMoreBets),
    "the opening is left out": without(f.CoupOpened),
    "a loser is not taken": without(f.BetTaken),
    "a winner is not paid": without(f.BetPaid),
    "the result is left out": without(f.ResultCalled),
    "the close is left out": without(f.CoupClosed),
    "a card goes to the other hand": otherwise(f.CardDrawn, hand=lambda _hand: "banker"),
    "a unit too much is paid": otherwise(f.BetPaid, amount=lambda amount: amount + 1),
    "a unit too little is taken": otherwise(f.BetTaken, amount=lambda amount: amount - 1),
    "another side is called": otherwise(
        f.ResultCalled, outcome=lambda one: "PBT"["TPB".index(one)]
    ),
    "another total is called": otherwise(f.ResultCalled, player=lambda one: (one + 1) % 10),
    "another's bet is paid": otherwise(f.BetPaid, bet=lambda bet: bet + 40),
    "the call comes behind a card": behind(f.NoMoreBets, f.CardDrawn),
    "a bet comes behind the call": behind(f.BetPlaced, f.NoMoreBets),
    "a bet comes before the opening": behind(f.CoupOpened, f.BetPlaced),
    "the close comes before a payment": behind(f.BetPaid, f.CoupClosed),
    "the result comes behind a take": behind(f.ResultCalled, f.BetTaken),
    "the totals come before a card": behind(f.TotalsCalled, f.NoMoreBets),
}


@pytest.mark.parametrize("what", ALTERED)
@pytest.mark.parametrize("name", ["classic-8", "france", "midi", "super-6", "macau"])
def test_what_is_altered_in_a_legal_shoe_is_found(name, what):
    facts = LegalDealer(PACKS[name], name, corrects=False).deal(60)
    coups = {}
    for fact in facts:
        if isinstance(fact, OF_COUPS):
            coups.setdefault(fact.coup, []).append(fact)
    plain = {f.CoupOpened, f.BetPlaced, f.BetPaid, f.BetTaken, f.CardDrawn, f.CoupClosed}
    odd = {f.IrregularityNoted, f.CoupVoided, f.BetChanged, f.BetWithdrawn, f.BetCarried}
    tried = 0
    for number, told in list(coups.items())[:-2]:
        kinds = {type(fact) for fact in told}
        moved = [fact.bet for fact in told if isinstance(fact, (f.BetPaid, f.BetTaken))]
        if not plain <= kinds or kinds & odd or len(set(moved)) != len(moved):
            continue
        altered = list(told)
        ALTERED[what](altered)
        begin = facts.index(told[0])
        others = [fact for fact in facts if fact not in told]
        assert found([*others[:begin], *altered, *others[begin:]]) != [], number
        tried += 1
        if tried == 5:
            break
    assert tried > 3
