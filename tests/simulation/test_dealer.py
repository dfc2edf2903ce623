"""The automatic dealer is deterministic and reveals nothing of the shoe."""

import json
import random
import statistics
from itertools import pairwise

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.commitment import order_sha256
from sabot.domain.procedure.preconditions import violation
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, Patron, ShoePlan, parse_lineup
from sabot.domain.simulation.patrons.habits import Flat
from sabot.domain.state.shoe import Shoe, evolve, fold
from sabot.domain.values.cards import total
from sabot.infrastructure.rule_packs import of_game, pack_text, shipped
from tests.support.for_each import for_each
from tests.support.thorough import FULL, every_third

HABITS = (
    "flat:side=random,trend,anti-trend,martingale,tie-lover,side-bettor,copycat,"
    "counter:unit=20000,quitter:quits=20000,sitter-out,"
    "edge-sorter:accuracy=0.9:camouflage=0.2,flat:joins=20:side=player,flat:bankroll=20000"
)


def everybody(name, shift=0):
    """As many of the habits as the table has seats, others with another shift."""
    groups = HABITS.split(",")
    groups = groups[shift:] + groups[:shift]
    return ",".join(groups[: parse_pack(pack_text(name)).table.seats])


def table(name="classic-8", lineup="flat,trend,martingale", seed=1, faults=(), **plan):
    text = pack_text(name)
    decks = plan.pop("decks", parse_pack(text).cards.decks[-1])
    given = ShoePlan(stream="shoe/S-1", pack=text, decks=decks, start_us=0, **plan)
    return Dealer(given, parse_lineup(lineup, 200), random.Random(seed), faults)


def dealt(*args, **kwargs):
    croupier = table(*args, **kwargs)
    events = list(croupier.deal())
    return croupier, events


@every_third
@pytest.mark.parametrize("name", shipped())
def test_nothing_dealt_is_what_the_pack_forbids(name):
    _, events = dealt(name, everybody(name), seed=7)
    shoe = Shoe("shoe/S-1")
    for event in events:
        assert violation(shoe, event.payload) is None, event.payload
        shoe = evolve(shoe, event)
    assert shoe.ended is not None


@pytest.mark.parametrize(
    ("name", "seed"),
    # every pack by one of the seeds in turn, or by every seed
    [
        (name, seed)
        for n, name in enumerate(shipped())
        for seed in range(3)
        if FULL or n % 3 == seed
    ],
)
def test_a_clean_shoe_audits_clean(name, seed):
    croupier, _ = dealt(name, everybody(name, 5 * seed), seed=seed, turned=frozenset((6, 7, 8, 9)))
    audit = audit_shoe(croupier.shoe)
    assert audit.findings == []
    # with a hand for each of them two decks are soon dealt out; two tableaux take nine cards at
    # most
    decks = croupier.shoe.decks
    fewest = {"macao": 1, "victoria": 1, "baccarat-banque": 52 * decks // 10}
    assert audit.coups > fewest.get(croupier.table.pack.game, 30)


def test_the_state_is_that_of_its_events():
    croupier, events = dealt(lineup=HABITS)
    assert fold("shoe/S-1", events) == croupier.shoe
    assert [event.version for event in events] == list(range(1, len(events) + 1))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))


def test_the_same_seed_deals_the_same_bytes_and_another_does_not():
    encode = msgspec.json.encode
    one, again, other = (dealt(lineup=HABITS, seed=s)[1] for s in (5, 5, 6))
    assert encode(one) == encode(again)
    assert encode(one) != encode(other)


def test_another_habit_changes_no_card():
    def cards(lineup):
        croupier, _ = dealt(lineup=lineup, seed=3)
        return [
            (e.payload.card, e.payload.place)
            for e in croupier.shoe.left
            if isinstance(e.payload, ev.CardDrawn)
        ]

    assert cards("flat:2") == cards("trend,edge-sorter:1:accuracy=0.6")


def test_a_coup_takes_fifty_seconds_and_no_clock_stands_still():
    _, events = dealt(lineup="flat:3,trend:3")
    clocks = [event.at_us for event in events]
    assert all(before < after for before, after in pairwise(clocks))
    opened = [e.at_us for e in events if isinstance(e.payload, ev.CoupOpened)]
    pace = statistics.mean(after - before for before, after in pairwise(opened)) / 1e6
    assert 47 < pace < 53


def test_the_order_is_bound_before_the_first_card_and_shown_after_the_end():
    _, events = dealt()
    names = [type(event.payload) for event in events]
    committed = names.index(ev.OrderCommitted)
    opened = names.index(ev.OrderOpened)
    assert committed < names.index(ev.CardBurned)
    assert opened > names.index(ev.ShoeEnded)
    salt, order = events[opened].payload.salt, events[opened].payload.order
    assert events[committed].payload.sha256 == order_sha256(salt, order)
    assert events[committed].payload.cards == len(order) == 416
    drawn = [e.payload for e in events if isinstance(e.payload, ev.CardDrawn)]
    assert all(order[payload.place - 1] == payload.card for payload in drawn)


def test_no_undealt_card_can_be_read_before_it_is_drawn():
    """Before the end, events and whatever a trace would show hold no face but those drawn."""
    croupier = table(lineup="flat")
    deal = croupier.deal()
    seen = []
    for event in deal:
        seen.append(event)
        if isinstance(event.payload, ev.CoupClosed) and event.payload.coup == 3:
            break
    told = json.loads(msgspec.json.encode([event.payload for event in seen[1:]]))
    faces = [payload["card"] for payload in told if "card" in payload]
    left = [e.payload.card for e in croupier.shoe.left if e.payload.card is not None]
    assert faces == left
    coming = croupier.table.order.ahead(400)
    assert repr(croupier.table.order) == f"<SealedOrder: {len(coming)} cards left>"
    assert " ".join(coming[:5]) not in repr(vars(croupier) | vars(croupier.table))


def test_face_down_cards_are_turned_before_they_are_called():
    croupier, _ = dealt("france", "flat")
    for coup in croupier.shoe.coups.values():
        turned = [(e.payload.hand, e.payload.nth) for e in coup.turned]
        assert turned == [("player", 1), ("player", 2), ("banker", 1), ("banker", 2)]
        assert coup.turned[-1].version < coup.totals_called.version


def test_marked_commission_is_collected_before_the_shoe_ends():
    croupier, events = dealt("midi", "flat:3,quitter:side=banker:quits=5000")
    marked = [e for e in events if isinstance(e.payload, ev.CommissionMarked)]
    assert len(marked) > 30
    assert all(owed == 0 for owed in croupier.shoe.owed_commission.values())
    ended = croupier.shoe.ended.version
    assert all(e.version < ended for e in events if isinstance(e.payload, ev.CommissionCollected))


def test_who_quits_ahead_leaves_and_passes_the_shoe():
    croupier, events = dealt(
        "classic-8", "quitter:unit=10000:quits=10000:side=random,flat:2", seed=4
    )
    left = next(e for e in events if isinstance(e.payload, ev.PatronLeft))
    assert left.payload.patron == "quitter-1"
    bets = [e for e in events if getattr(e.payload, "patron", "") == "quitter-1"]
    assert max(e.version for e in bets) == left.version
    assert "quitter-1" not in croupier.shoe.seats.values()
    won = next(s.won for s in croupier.table.sitters if s.patron.name == "quitter-1")
    assert won >= 10_000


def test_a_table_that_everybody_has_left_closes():
    croupier, _ = dealt(lineup="quitter:2:quits=2500:side=random")
    assert croupier.shoe.ended.payload.reason == "closing"
    assert audit_shoe(croupier.shoe).findings == []


@for_each("name", [each for each in shipped() if each not in of_game("punto-banco")])
def test_a_shoe_ends_where_nobody_is_there_to_stake_against_the_banker(name):
    croupier, _ = dealt(name, "flat", seed=3)
    assert croupier.shoe.ended is not None
    assert not any(coup.cards for coup in croupier.shoe.coups.values())
    assert audit_shoe(croupier.shoe).findings == []


def test_a_patron_stakes_no_more_than_he_has_and_the_limits_allow():
    plan = {"limits": (ev.Limit(1000, 8000), ev.Limit(500, 600, "tie"))}
    croupier, _ = dealt(
        lineup="martingale:unit=1000:bankroll=30000,tie-lover:unit=5000", seed=2, **plan
    )
    stakes = {"player": set(), "banker": set(), "tie": set()}
    for coup in croupier.shoe.coups.values():
        for bet in coup.bets.values():
            stakes[bet.wager].add(bet.amount)
    assert max(stakes["banker"]) <= 8000
    assert stakes["tie"] == {600}
    assert all(sitter.bankroll >= 0 for sitter in croupier.table.sitters)


def test_a_bet_that_a_tie_left_may_be_moved_only_where_the_pack_says_so():
    frozen = pack_text("classic-8").replace("withdrawable = true", "withdrawable = false")
    moved = {}
    for name, text in (("free", pack_text("classic-8")), ("frozen", frozen)):
        plan = ShoePlan(stream="shoe/S-1", pack=text, decks=8, start_us=0)
        sorter = parse_lineup("edge-sorter:spread=2:camouflage=0.3", 14)
        croupier = Dealer(plan, sorter, random.Random(11))
        payloads = [event.payload for event in croupier.deal()]
        moved[name] = [x for x in payloads if isinstance(x, (ev.BetWithdrawn, ev.BetChanged))]
        assert any(isinstance(payload, ev.BetCarried) for payload in payloads)
    assert moved["free"]
    assert moved["frozen"] == []


def test_free_hands_are_dealt_without_bets():
    text = pack_text("macau").replace("[burn]", "[burn]", 1)
    plan = ShoePlan(stream="shoe/S-1", pack=text, decks=8, start_us=0, free_hands=3)
    croupier = Dealer(plan, parse_lineup("flat:2", 9), random.Random(1))
    list(croupier.deal())
    free = [c.number for c in croupier.shoe.coups.values() if c.free]
    assert free == [1, 2, 3]
    assert all(not croupier.shoe.coups[n].bets for n in free)


def test_backs_are_read_where_the_shoe_reads_them():
    _, events = dealt(turned=frozenset((6, 7, 8, 9)))
    drawn = [e.payload for e in events if isinstance(e.payload, ev.CardDrawn)]
    assert {payload.back for payload in drawn if payload.card[0] in "6789"} == {"turned"}
    assert {payload.back for payload in drawn if payload.card[0] not in "6789"} == {"straight"}
    assert {e.payload.back for e in dealt()[1] if isinstance(e.payload, ev.CardDrawn)} == {None}


def test_reliefs_and_late_comers_take_their_places():
    relief = (10, ev.Crew("caller", "carla"))
    patron = Patron(name="late", seat=9, habit=Flat(), joins=15)
    plan = ShoePlan(
        stream="shoe/S-1",
        pack=pack_text("classic-8"),
        decks=8,
        start_us=0,
        crew=(ev.Crew("caller", "carlo"),),
        reliefs=(relief,),
    )
    croupier = Dealer(plan, [patron, *parse_lineup("flat", 14)], random.Random(1))
    events = list(croupier.deal())
    assert {e.actor for e in croupier.shoe.coups[9].events} == {"carlo"}
    assert {e.actor for e in croupier.shoe.coups[10].events} == {"carla"}
    first = min(
        c.number
        for c in croupier.shoe.coups.values()
        for b in c.bets.values()
        if b.patron == "late"
    )
    assert first == 15
    assert any(e.payload == ev.PatronSeated(9, "late") for e in events)
    assert croupier.table.floor == "carla"


def test_nobody_leaves_with_a_bet_that_a_tie_left_on_the_felt():
    """Tie lovers who are ahead by the tie itself: their main bet still lies there."""
    lovers = "tie-lover:7:unit=20000:quits=10000"
    gone = 0
    for seed in range(8):
        croupier, events = dealt("mini", lovers, seed=seed, decks=3)
        for event in events:
            if isinstance(event.payload, ev.PatronLeft):
                gone += 1
                coups = croupier.shoe.coups.values()
                last = max(
                    (c for c in coups if c.closed.version < event.version), key=lambda c: c.number
                )
                assert total(last.player) != total(last.banker)
    assert gone > 10


@every_third
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"first-card-value"', '"none"', "cut-card"),
        ('"first-card-value"', '"deck-count"', "cut-card"),
        ('"first-card-value"', '"fixed"\ncards = 5', "cut-card"),
        ('last_coup = "one-more"', 'last_coup = "never"', "closing"),
        ("stop_card_least = 14\nstop_card_most = 16\n", "", "too-few-cards"),
        ("stop_card_most = 16\n", "", "cut-card"),
        ("bets_stay = true", "bets_stay = false", "cut-card"),
        ('rate = "1/20"', 'rate = "1/25"', "cut-card"),
        ("[commission]", "[limits]\ndifferential = 7500\n\n[commission]", "cut-card"),
        ("minor_units = 2", "minor_units = 0", "cut-card"),
    ],
)
def test_houses_of_ones_own_are_dealt_clean_too(old, new, reason):
    text = pack_text("mini")
    assert old in text
    text = text.replace(old, new)
    plan = ShoePlan(stream="shoe/S-1", pack=text, decks=6, start_us=0)
    lineup = parse_lineup("flat:2,trend:unit=5000,tie-lover:unit=20000,edge-sorter:spread=3", 7)
    croupier = Dealer(plan, lineup, random.Random(1))
    shoe = Shoe("shoe/S-1")
    for event in croupier.deal():
        assert violation(shoe, event.payload) is None, event.payload
        shoe = evolve(shoe, event)
    assert shoe.ended.payload.reason == reason
    assert audit_shoe(shoe).findings == []


def test_stakes_are_chips_that_lie_before_the_patron():
    plan = {"limits": (ev.Limit(100, 500_000),)}
    croupier, _ = dealt(
        lineup="tie-lover:3:unit=9000:bankroll=20000,side-bettor:2:unit=7000:bankroll=10000",
        seed=8,
        **plan,
    )
    cut = 0
    for sitter in croupier.table.sitters:
        chips = sitter.patron.bankroll
        for played in sitter.mine:
            staked = sum(played.stakes.values())
            assert staked <= chips
            cut += staked == chips
            chips += played.net
        assert chips == sitter.bankroll >= 0
    assert cut > 0
