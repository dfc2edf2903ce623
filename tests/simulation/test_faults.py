"""Every fault happens as described, and is found only on its coup."""

import random
from itertools import product

import pytest

from benchmarks.audit_houses import strict
from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.procedure.preconditions import violation
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, evolve, fold
from sabot.domain.values.errors import NotFound
from sabot.infrastructure.rule_packs import pack_text
from tests.faults import FAULTS, correction_faults, fault
from tests.support.thorough import FULL, a_part, slow

LINEUP = "flat:side=player,flat:unit=5000,flat,tie-lover,edge-sorter"
# between them these packs have commission at once, marked and none, and both ends of a shoe
PACKS = {"classic-8": 8, "midi": 6, "ez-baccarat": 8, "france": 6}

# what only some packs speak of
ALONE_IN = {
    "accepted-bet-cut-down": {"maryland": 8},
    "beyond-the-maximum": {"strict": 8},
    "card-kept-by-player": {"plain midi": 8},
    "dead-game-without-burn": {"louisiana": 8, "strict": 8},
    "held-bet-lowered-and-taken": {"strict": 8},
    "held-bet-withdrawn-and-paid": {"strict": 8},
    "free-hand-late": {"macau": 8, "strict": 8},
    "free-hand-unasked": {"queensland": 8},
    "limit-got-round": {"france": 6, "strict": 8},
    "no-bet-hand-left": {"ez-baccarat": 8},
    "relief-without-burn": {"louisiana": 8, "strict": 8},
}

BEFORE_THE_FIRST_COUP = {
    *("no-burn", "short-burn", "long-burn", "burn-unseen", "stop-card-misplaced", "another-pack"),
    *("cut-out-of-turn", "seat-shared"),
    *("dealt-as-it-came", "backs-alike", "seat-too-many", "decks-not-allowed", "pack-unreadable"),
}


HERE = [name for name, kind in FAULTS.items() if "punto-banco" in (kind.games or ("punto-banco",))]
DEALT = [name for name in HERE if FAULTS[name].retells is None]
RETOLD = [name for name in HERE if FAULTS[name].retells is not None]
WITHOUT_A_DEALER = "posts-empty"


def deal(pack, decks, seed, *faults, coups=None):
    texts = {
        "midi": strict(pack_text("midi")),
        "plain midi": pack_text("midi"),
        "strict": strict(pack_text("classic-8")),
    }
    text = texts.get(pack) or pack_text(pack)
    plan = ShoePlan(stream="shoe/S-1", pack=text, decks=decks, start_us=0, coups=coups)
    croupier = Dealer(plan, parse_lineup(LINEUP, 9), random.Random(seed), faults)
    list(croupier.deal())
    return croupier.shoe


def with_fault(name, not_before, pack, decks, seed):
    """Plant a fault in the first coups of a shoe; in a whole one if it does not happen there."""
    for coups in (not_before + 8, None) if FAULTS[name].of_coup and not FULL else (None,):
        planted = fault(name, not_before)
        shoe = deal(pack, decks, seed, planted, coups=coups)
        if planted.happened:
            break
    return planted, shoe


@pytest.mark.parametrize(
    ("name", "not_before"),
    [
        (name, not_before)
        for n, name in enumerate(DEALT)
        for not_before in (1, 12)
        if FULL or not_before == (12 if n % 2 and name not in BEFORE_THE_FIRST_COUP else 1)
    ],
)
def test_the_audit_finds_it_where_it_happened_and_nothing_else(name, not_before):
    """In the full run under every pack, early and late; else once, each kind under its pack."""
    happened = 0
    rare = 1 if name in BEFORE_THE_FIRST_COUP else 8
    packs = list(ALONE_IN.get(name, PACKS).items())
    turn = list(FAULTS).index(name) % len(packs)
    for seed, (pack, decks) in product(
        range(not_before, not_before + rare), packs[turn:] + packs[:turn]
    ):
        if happened and (seed > not_before or not FULL):
            break
        planted, shoe = with_fault(name, not_before, pack, decks, seed)
        audit = audit_shoe(shoe)
        if not planted.happened:
            assert audit.findings == []
            continue
        happened += 1
        kind = planted.kind
        found = {finding.code for finding in audit.findings}
        assert kind.codes[0] in found
        assert found <= set(kind.codes)
        of_coups = [each for each in audit.findings if each.coup is not None]
        assert all(each.events and each.at_us is not None for each in of_coups)
        assert name == WITHOUT_A_DEALER or all(each.dealer for each in of_coups)
        if planted.coup is not None:
            assert planted.coup >= not_before
            assert planted.coup in {finding.coup for finding in audit.findings}
    assert (happened == 0) is (not_before > 1 and name in BEFORE_THE_FIRST_COUP)


def test_a_wrong_draw_takes_the_real_next_card_so_that_the_shoe_stays_whole():
    for name in ("punto-drew", "banco-drew", "fourth-card"):
        shoe = deal("classic-8", 8, 5, fault(name, 10))
        order = shoe.order_opened[0].payload.order
        drawn = [e.payload for e in shoe.left if isinstance(e.payload, ev.CardDrawn)]
        assert all(order[payload.place - 1] == payload.card for payload in drawn)
        assert shoe.ended.payload.left + len(shoe.left) == 416


def test_a_fault_happens_once():
    planted = fault("winner-overpaid")
    findings = audit_shoe(deal("classic-8", 8, 1, planted)).findings
    assert len(findings) == 1
    assert findings[0].coup == planted.coup


def test_several_faults_in_one_shoe_are_all_found():
    planted = [
        fault("banco-stood", 8),
        fault("outcome-miscalled", 20),
        fault("winner-overpaid", 30),
        fault("past-post", 40),
        fault("one-card-short"),
    ]
    findings = audit_shoe(deal("classic-8", 8, 3, *planted)).findings
    assert [(x.code, x.coup) for x in findings] == [
        (one.kind.codes[0], one.coup) for one in (planted[-1], *planted[:-1])
    ]


@slow
def test_a_fault_breaks_what_the_dealer_would_have_been_refused():
    """But for what only a count or a hash can show, the dealer's side would have said no."""
    silent = {
        *("card-palmed", "second-dealt", "one-card-short", "order-not-opened"),
        *("another-order-opened", "another-pack", "ghost-bet-paid", "correction-of-nothing"),
        *("backs-alike", "face-up-passed-over"),
        *("clock-set-back", "clock-set-ahead", "number-lost", "rank-misread", "suit-misread"),
        *(
            "foreign-card-in-shoe",
            "card-told-twice",
            "one-card-over",
            "limits-out-of-proportion",
            "limits-unseen",
        ),
        *("seat-shared", "box-crowded", "card-kept-by-player"),
        *("pack-unreadable", "ruled-otherwise", "ruling-not-done", "decks-not-allowed"),
        *("passed-before-a-coup", "passed-as-lost-before-a-coup", "passed-as-lost"),
        *("voided-on-own-word", "voided-as-own-supervisor", "posts-empty", "bet-by-the-dealer"),
        *(kind.name for kind in correction_faults.KINDS),
        *("shuffler-jam-passed-over", "shuffler-fault-dealt-through", "wrong-draw-made-up"),
    }
    for name in a_part(sorted(set(DEALT) - silent), of=3):
        tried = (
            with_fault(name, 1, *pack, seed)
            for pack, seed in product(ALONE_IN.get(name, PACKS).items(), range(4))
        )
        history = next(shoe.history for planted, shoe in tried if planted.happened)
        assert any(refusals(history)), name


@pytest.mark.parametrize("name", RETOLD)
def test_what_is_told_otherwise_is_found_and_would_have_been_refused(name):
    """The history of a clean shoe with an event of another game in it."""
    kind = FAULTS[name]
    told = kind.retells(deal("classic-8", 8, 3).history, 5)
    found = audit_shoe(fold("shoe/S-1", told.history)).findings
    assert {finding.code for finding in found} == {kind.codes[0]}
    assert told.coup in {finding.coup for finding in found}
    assert any(refusals(told.history)), name


def refusals(history):
    shoe = Shoe("shoe/S-1")
    for event in history:
        yield violation(shoe, event.payload)
        shoe = evolve(shoe, event)


def test_every_fault_names_rules_that_exist():
    families = {rule.code: rule.family for rule in RULES}
    for kind in FAULTS.values():
        assert families[kind.codes[0]] == kind.family, kind.name
        assert set(kind.codes) <= set(families)


def test_an_unknown_fault_is_told():
    with pytest.raises(NotFound, match="there is no fault 'cheat'; there are punto-drew"):
        fault("cheat")
