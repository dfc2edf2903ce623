"""Levels over repeated looks sum to 1, live and afterwards."""

import random
from fractions import Fraction
from itertools import accumulate

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.detection.follower import Follower, Scope, Stale
from sabot.domain.protection.multiplicity import look_cost
from sabot.domain.protection.shoe_tests.card_backs import Backs
from sabot.domain.protection.shoe_tests.p_value_findings import by_chance
from sabot.domain.protection.shoe_tests.whole_shoe_tests import ShoeTests, Sorted
from sabot.domain.values.cards import FULL_DECK
from tests.support.coup_notation import START_US, loaded
from tests.support.thorough import slow

LEVEL = 0.001


def test_the_shares_of_all_looks_sum_to_one():
    """After whole blocks, what is left is 1 over the blocks and one: 1/2, 1/3, 1/4 and so on."""
    shares = [Fraction(1, look_cost(nth)) for nth in range(1, 2**12)]
    sums = list(accumulate(shares))
    for blocks in range(1, 13):
        assert 1 - sums[2**blocks - 2] == Fraction(1, blocks + 1)
    assert shares == sorted(shares, reverse=True)
    # as docs/protection.md has it
    assert (look_cost(1), look_cost(2), look_cost(10), look_cost(1000)) == (2, 12, 160, 56_320)


def test_looks_find_nothing_more_often_than_the_level_in_all():
    """Chances that are as small as chances can be, looked at one by one: level / cost each."""
    ever = sum(Fraction(1, 1000) / look_cost(nth) for nth in range(1, 5000))
    assert Fraction(9, 10_000) < ever < Fraction(1, 1000)


def sorted_shoe(nth, chance, pool="batch B"):
    return Sorted(f"S-{nth}", "T1", nth, pool, Backs(f"S-{nth}", (9,), 300, 20, 20, 15, chance))


@pytest.mark.parametrize("nth", [1, 2, 7])
def test_a_shoe_s_backs_have_half_of_its_share(nth):
    bound = LEVEL / look_cost(nth) / 2
    for chance, found in ((bound * 0.999, 1), (bound * 1.001, 0)):
        tests = ShoeTests(backs=[sorted_shoe(nth, chance)])
        assert len(by_chance(tests, LEVEL)) == found


def test_looks_at_a_pool_cost_each_its_own_share_and_what_was_found_stands():
    """Two sorted shoes, then honest ones that dilute them: it was found at the second, and stays.

    Merged, two chances of 1e-6 come to e times 1e-6, at a cost of 2 times cost(2).
    """
    backs = [sorted_shoe(1, 1e-6), sorted_shoe(2, 1e-6)]
    told = []
    for nth in range(3, 12):
        tests = ShoeTests(backs=list(backs))
        told.append([one for one in by_chance(tests, LEVEL) if one.test == "backs-across-shoes"])
        backs.append(sorted_shoe(nth, 1.0))
    assert all(len(one) == 1 for one in told)
    for (one,) in told:
        assert 10**-one.log10_e == pytest.approx(2.718281828e-6 * 24)
    assert all("Over 2 shoes of batch B, up to S-2" in one.explanation for (one,) in told)


class Log:
    """Shoes as a log tells of them: loaded, some cards face up, over."""

    def __init__(self):
        self.events, self._versions = [], {}

    def tell(self, name, *payloads):
        for payload in payloads:
            version = self._versions[name] = self._versions.get(name, 0) + 1
            n = len(self.events) + 1
            at = START_US + n * 1_000_000
            self.events.append(
                RecordedEvent(
                    n, f"shoe/{name}", version, at, at, None, "d", n, payload, position=version
                )
            )

    def load(self, name, table, batch=None, coverage="whole"):
        how = {"table": table, "batch": batch, "coverage": coverage}
        self.tell(name, loaded("classic-8", **how, crew=(), seats=()))

    def deal(self, name, cards):
        for coup in range(1, len(cards) // 4 + 1):
            self.tell(name, ev.CoupOpened(coup))
            for hand, card in zip(
                ("player", "banker") * 2, cards[4 * coup - 4 : 4 * coup], strict=True
            ):
                self.tell(name, ev.CardDrawn(coup, hand, card))
            self.tell(name, ev.CoupClosed(coup))

    def end(self, name):
        self.tell(name, ev.ShoeEnded(0))


def deck(seed):
    cards = list(FULL_DECK) * 8
    random.Random(seed).shuffle(cards)
    return cards[:80]


def slugged(seed, earlier):
    """Another order, with twenty cards of an earlier one in a row."""
    cards = deck(seed)
    return [*cards[:20], *earlier[40:60], *cards[40:]]


def evening():
    """Five shoes at a table, the third and the fifth with a slug of the one before."""
    log, cards = Log(), [deck(0)]
    for seed in range(1, 5):
        cards.append(slugged(seed, cards[-1]) if seed in (2, 4) else deck(seed))
    for number, order in enumerate(cards, 1):
        log.load(f"S-{number}", "T1")
        log.deal(f"S-{number}", order)
        log.end(f"S-{number}")
    return log.events


def told(tests):
    return {(one.shoe, round(one.log10_e, 9)) for one in by_chance(tests, LEVEL)}


@slow
def test_what_is_told_live_is_told_afterwards_and_at_the_same_chance():
    """Looked at after each event, with the shoe in play: nothing comes that does not stay."""
    follower, live = Follower(), set()
    for event in evening():
        follower.take([event])
        if not isinstance(event.payload, ev.CoupClosed | ev.ShoeEnded):
            continue
        now = told(follower.tests())
        assert {shoe for shoe, _ in live} <= {shoe for shoe, _ in now}
        if isinstance(event.payload, ev.ShoeEnded):
            assert live <= now
            live = now
    assert {shoe for shoe, _ in live} == {"S-3", "S-5"}
    afterwards = Follower()
    afterwards.take(evening())
    assert told(afterwards.tests()) == live


def test_a_shoe_s_number_is_that_of_its_loading():
    """Two tables: which shoe is over first hangs on its cards, and has no say in the shares."""
    for first in ("A-2", "B-2"):
        log, old = Log(), {"A": deck(1), "B": deck(2)}
        for table in "AB":
            log.load(f"{table}-1", table)
            log.deal(f"{table}-1", old[table])
            log.end(f"{table}-1")
        for table in "AB":
            log.load(f"{table}-2", table)
        for name in (first, "B-2" if first == "A-2" else "A-2"):
            log.deal(name, slugged(3, old[name[0]]))
            log.end(name)
        follower = Follower()
        follower.take(log.events)
        assert {one.shoe: one.nth for one in follower.tests().orders} == {"A-2": 3, "B-2": 4}


@pytest.mark.parametrize("over", [True, False])
def test_a_shoe_is_compared_with_what_was_over_when_it_was_loaded(over):
    """Two shoes of a batch: cards that lie in another shoe still were not shuffled into this."""
    log, old = Log(), deck(1)
    log.load("A", "T1", "batch")
    if over:
        log.deal("A", old)
        log.end("A")
        log.load("B", "T2", "batch")
    else:
        log.load("B", "T2", "batch")
        log.deal("A", old)
        log.end("A")
    log.deal("B", slugged(2, old))
    log.end("B")
    follower = Follower()
    follower.take(log.events)
    tests = follower.tests()
    assert [one.shoe for one in by_chance(tests, LEVEL)] == (["B"] if over else [])
    assert tests.coverage["order-of-the-shoe"].times == 2
    assert tests.begun == {}


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("coverage", ["coups", "whole"])
def test_an_imported_shoe_is_over_when_the_next_of_its_table_is_loaded(coverage, again):
    """No end of a shoe is in an import. A shoe that another table loads does not end it."""
    log, old = Log(), deck(1)
    log.load("A", "T1", coverage=coverage)
    log.deal("A", old)
    log.load("B", "T2", coverage=coverage)
    log.deal("B", slugged(2, old))
    log.load("C", "T1", coverage=coverage)
    if again:
        # a coup of the first shoe that comes late ends nothing a second time
        log.tell("A", ev.CoupOpened(21))
        log.tell("A", ev.CoupClosed(21))
    log.deal("C", slugged(3, old))
    follower = Follower()
    follower.take(log.events)
    found = by_chance(follower.tests(), LEVEL)
    assert [one.shoe for one in found] == (["C"] if coverage == "coups" else [])
    assert follower.tests().shoes == 3
    assert follower.tests().loaded == 3


@pytest.mark.parametrize(("table", "stale"), [("T2", True), ("T1", False)])
def test_a_correction_of_the_cards_in_the_shoe_asks_for_another_run(table, stale):
    log = Log()
    log.load("A", "T1")
    log.deal("A", deck(1)[:8])
    instead = loaded("classic-8", table=table, crew=(), seats=())
    log.tell("A", ev.EventCorrected(1, "misread", None, instead))
    follower = Follower()
    if stale:
        with pytest.raises(Stale):
            follower.take(log.events)
    else:
        follower.take(log.events)
        assert follower.kept.state.shoes.loaded == 1


def test_shoes_before_the_time_asked_after_spend_nothing_of_it():
    events = evening()
    third = next(event.index for event in events if event.stream == "shoe/S-3")
    for since, loads in ((1, 5), (third, 3), (third + 1, 3)):
        follower = Follower(scope=Scope(from_index=since))
        follower.take(events)
        assert follower.kept.state.shoes.loaded == loads
        assert follower.kept.state.shoes.begun == {}
