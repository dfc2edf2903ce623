"""The order of events from several devices and clocks, where it can be known.

A shoe's coup is told in lines of ``device clock fact``, in the order in which they reach the log;
clocks in milliseconds. The tolerance is 250 ms.
"""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import ShoeAudit, audit_part, audit_shoe
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.rules.rule_pack import Clocks, parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.simulation.devices import DEVICES, as_told
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.timeline.ordering import order_of
from sabot.domain.values.cards import parse_card
from sabot.domain.values.errors import BadRulePack
from sabot.infrastructure.rule_packs import pack_text, shipped
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each
from tests.support.thorough import tries

CLOCKS = "\n[clocks]\ntolerance_ms = 250\njump_ms = 2000\n"
CLASSIC = pack_text("classic-8")
CALL = 40_000
"""When no more bets is called, in milliseconds of the evening."""


EVENTS = {
    "open": lambda: ev.CoupOpened(1),
    "bet": lambda wager, amount: ev.BetPlaced(1, 1, "p1", wager, int(amount)),
    "change": lambda amount: ev.BetChanged(1, 1, int(amount)),
    "call": lambda: ev.NoMoreBets(1),
    "P": lambda card: ev.CardDrawn(1, "player", parse_card(card)),
    "B": lambda card: ev.CardDrawn(1, "banker", parse_card(card)),
    "result": lambda outcome: ev.ResultCalled(1, outcome=outcome),
    "pay": lambda amount: ev.BetPaid(1, 1, int(amount)),
    "take": lambda amount: ev.BetTaken(1, 1, int(amount)),
    "limits": lambda most: ev.LimitsChanged((ev.Limit(100, int(most)),)),
    "close": lambda: ev.CoupClosed(1),
}
"""Facts of coup 1 by their words: ``bet player 500``, ``P 4``."""


def clocked(pack: str) -> str:
    """A pack that says how far clocks are believed, by itself or here."""
    return pack if "[clocks]" in pack else pack + CLOCKS


def told(text: str, pack: str = CLASSIC + CLOCKS) -> Shoe:
    """A prepared shoe, and one coup as its devices tell it."""
    felt = Felt(pack).ready()
    for line in filter(None, map(str.strip, text.splitlines())):
        device, clock, words = line.split(" ", 2)
        at = None if clock == "-" else CALL + int(clock)
        kind, *rest = words.split()
        felt.tell(device, at, EVENTS[kind](*rest), recorded_ms=CALL + 60_000)
    return felt.shoe


CARDS = """
    reader 1000 P 4
    reader 2000 B K
    reader 3000 P 5
    reader 4000 B 8
    terminal 5000 result P
    chips 6000 pay 500
    terminal 7000 close
"""


def coup(bets_and_call: str, pack: str = CLASSIC + CLOCKS) -> Shoe:
    return told("terminal -20000 open" + bets_and_call + CARDS, pack)


def of(shoe: Shoe, code: str) -> tuple[int, dict[str, int]]:
    """How many findings a rule has on a shoe, and what it could not judge."""
    audit = audit_shoe(shoe)
    (verdict,) = [verdict for verdict in audit.verdicts if verdict.code == code]
    return sum(found.code == code for found in audit.findings), verdict.reasons


LATE = "past-posted-bet"


def test_a_bet_in_time_that_arrives_late_is_no_late_bet():
    shoe = coup("""
        terminal 0 call
        chips -300 bet player 500
    """)
    assert audit_shoe(shoe).findings == []
    assert of(shoe, LATE) == (0, {})


def test_a_late_bet_whose_record_came_first_is_found():
    shoe = coup("""
        chips 300 bet player 500
        terminal 0 call
    """)
    (found,) = audit_shoe(shoe).findings
    assert (found.code, found.coup, found.patron) == (LATE, 1, "p1")
    # the finding names the events by their places in the log, where they still stand
    placed = next(event for event in shoe.history if isinstance(event.payload, ev.BetPlaced))
    assert found.events == (placed.index,)
    assert found.at_us == placed.at_us


@for_each("apart", [-250, -120, 0, 120, 250])
@for_each("first", ["bet", "call"])
def test_within_the_tolerance_nobody_knows_and_the_rule_says_so(apart, first):
    bet, call = f"\nchips {apart} bet player 500", "\nterminal 0 call"
    shoe = coup(bet + call if first == "bet" else call + bet)
    assert audit_shoe(shoe).findings == []
    reason = (
        "the order of the bet and of the call of no more bets is doubtful: "
        f"{abs(apart)} ms apart, two devices, tolerance 250 ms"
    )
    assert of(shoe, LATE) == (0, {reason: 1})


@pytest.mark.parametrize(("apart", "late"), [(-251, 0), (251, 1)])
def test_beyond_the_tolerance_the_clocks_tell(apart, late):
    assert of(coup(f"\nchips {apart} bet player 500\nterminal 0 call"), LATE) == (late, {})
    assert of(coup(f"\nterminal 0 call\nchips {apart} bet player 500"), LATE) == (late, {})


def test_one_device_knows_its_own_order_however_close():
    assert of(coup("\nterminal -1 bet player 500\nterminal 0 call"), LATE) == (0, {})
    assert of(coup("\nterminal 0 call\nterminal 1 bet player 500"), LATE) == (1, {})


def test_a_bet_behind_the_first_card_is_late_even_where_the_call_is_in_doubt():
    shoe = coup("\nterminal 1400 call\nchips 1300 bet player 500")
    assert of(shoe, LATE) == (1, {})


def test_what_is_in_doubt_is_told_beside_what_is_found():
    shoe = coup("""
        terminal 0 call
        chips 100 bet player 500
        chips 400 change 700
    """)
    assert of(shoe, LATE)[0] == 0
    assert len(of(shoe, LATE)[1]) == 1
    assert of(shoe, "late-bet-change") == (1, {})


def test_a_card_before_the_call():
    code = "card-before-bets-closed"
    assert of(coup("\nterminal 1251 call"), code) == (1, {})
    assert of(coup("\nterminal 749 call"), code) == (0, {})
    found, doubts = of(coup("\nterminal 900 call"), code)
    assert found == 0
    (said,) = doubts
    assert said == (
        "the order of the card and of the call of no more bets is doubtful: "
        "100 ms apart, two devices, tolerance 250 ms"
    )


def test_a_payment_before_the_result():
    code = "settlement-before-result"

    def paid(at: int) -> Shoe:
        moved = CARDS.replace("chips 6000 pay", f"chips {at} pay")
        return told("terminal -20000 open\nchips -9000 bet player 500\nterminal 0 call" + moved)

    assert of(paid(5251), code) == (0, {})
    assert of(paid(4749), code) == (1, {})
    assert of(paid(5100), code)[0] == 0
    assert "100 ms apart" in next(iter(of(paid(5100), code)[1]))


def test_a_change_of_limits_close_to_a_bet():
    code = "bet-outside-limits"

    def limited(at: int) -> Shoe:
        more = f"\nterminal {at} limits 400\nchips -9000 bet player 500\nterminal 0 call"
        return coup(more)

    assert of(limited(-9251), code) == (1, {})
    assert of(limited(-8749), code) == (0, {"the record gives no limits": 1})
    assert of(limited(-9100), code)[0] == 0
    assert "the change of limits" in next(iter(of(limited(-9100), code)[1]))


def test_without_a_clock_a_event_lies_between_its_neighbours():
    sure = coup("""
        chips -9000 change 1
        chips - bet player 500
        chips -8000 change 500
        terminal 0 call
    """)
    assert of(sure, LATE) == (0, {})
    unsure = coup("\nchips - bet player 500\nterminal 0 call")
    found, doubts = of(unsure, LATE)
    assert found == 0
    assert "one gave no usable clock" in next(iter(doubts))


def test_a_clock_that_jumped_proves_nothing():
    """The chip reader's clock is set back before the bet: the bet is not in time for that."""
    shoe = coup("""
        chips 100 change 1
        chips -9000 bet player 500
        terminal 0 call
    """)
    assert of(shoe, LATE)[0] == 0
    assert "no usable clock" in next(iter(of(shoe, LATE)[1]))
    assert of(shoe, "clock-jump") == (1, {})


AHEAD_ONCE = """
    terminal -20000 open
    chips -9000 bet player 500
    terminal -3000 limits 900
    terminal {ahead} limits 800
    terminal -1000 limits 700
    terminal 0 call
    reader 1000 P 4
    reader 2000 B K
    reader 3000 P 5
    reader 4000 B 8
    terminal 5000 result P
    chips {paid} pay 500
    terminal 7000 close
"""
"""A coup as three devices tell it; one clock is ahead at one event, and right at the next."""


def test_a_clock_that_was_ahead_once_proves_nothing_and_the_events_behind_it_do():
    shoe = told(AHEAD_ONCE.format(ahead=55_000, paid=6000))
    (found,) = audit_shoe(shoe).findings
    assert found.code == "clock-jump"
    early = told(AHEAD_ONCE.format(ahead=55_000, paid=4500))
    assert of(early, "settlement-before-result") == (1, {})
    right = told(AHEAD_ONCE.format(ahead=-2000, paid=6000))
    assert audit_shoe(right).findings == []


def test_a_clock_that_came_back_may_have_been_set_back_so_that_neither_side_is_believed():
    """It is 20 seconds on, then 15 seconds back: ahead at the call, or slow since then?"""
    slow = CARDS.replace("terminal 5", "terminal -5").replace("terminal 7", "terminal -3")
    shoe = told(f"terminal -20000 open\nchips -9000 bet player 500\nterminal 0 call{slow}")
    (found,) = audit_shoe(shoe).findings
    assert found.code == "clock-jump"
    for code in ("card-before-bets-closed", "settlement-before-result"):
        assert "no usable clock" in next(iter(of(shoe, code)[1]))


SET_BACK = """
    terminal -1000 open
    chips 0 bet player 500
    terminal 500 call
    reader 1000 P 4
    terminal 1500 limits 800
    reader 2000 B K
    terminal 2500 limits 900
    reader 3000 P 5
    terminal 3600 limits 700
    terminal 600 limits 800
    terminal 2000 limits 900
    reader {last} B 8
    terminal {called} result P
    chips 16000 pay 500
    terminal 17000 close
"""


def test_a_clock_that_was_set_back_is_slow_until_it_leaps_forward_again():
    """Set back by 3 seconds at 3600, it passes what it said before, and is slow all the same."""
    code = "premature-call"
    found, doubts = of(told(SET_BACK.format(last=5000, called=4000)), code)
    assert found == 0
    assert "no usable clock" in next(iter(doubts))
    # it leaps by 3 seconds: the result was called before the last card
    assert of(told(SET_BACK.format(last=9000, called=7000)), code) == (1, {})


def test_the_numbers_of_a_device_go_before_its_coming():
    felt = Felt(CLASSIC + CLOCKS).ready().put(ev.CoupOpened(1))
    felt.tell("terminal", CALL, ev.NoMoreBets(1), seq=2)
    felt.tell("terminal", CALL, ev.BetPlaced(1, 1, "p1", "tie", 500), seq=1)
    assert of(felt.shoe, LATE) == (0, {})


# -- A pack that says nothing of clocks -----------------------------------------------------------


def test_without_a_tolerance_events_stand_as_they_came():
    shoe = coup("\nterminal 0 call\nchips 300 bet player 500", CLASSIC)
    assert of(shoe, LATE) == (1, {})
    assert of(shoe, "clock-jump") == (0, {})


def test_without_a_tolerance_a_clock_that_speaks_against_the_order_makes_it_doubtful():
    shoe = coup("\nterminal 0 call\nchips -300 bet player 500", CLASSIC)
    found, doubts = of(shoe, LATE)
    assert found == 0
    (said,) = doubts
    assert said == (
        "the order of the bet and of the call of no more bets is doubtful: the clocks, 300 ms "
        "apart, contradict the order of the log, and the pack states no tolerance"
    )


def test_without_a_tolerance_the_numbers_of_a_device_go_before_its_coming():
    felt = Felt().ready().put(ev.CoupOpened(1))
    felt.tell("terminal", CALL, ev.NoMoreBets(1), seq=2)
    felt.tell("terminal", CALL, ev.BetPlaced(1, 1, "p1", "tie", 500), seq=1)
    assert of(felt.shoe, LATE) == (0, {})
    late = Felt().ready().put(ev.CoupOpened(1))
    late.tell("terminal", CALL, ev.BetPlaced(1, 1, "p1", "tie", 500), seq=2)
    late.tell("terminal", CALL, ev.NoMoreBets(1), seq=1)
    assert of(late.shoe, LATE) == (1, {})


@pytest.mark.parametrize("clock", [True, False])
def test_without_a_tolerance_a_late_arrival_moves_no_event_of_the_same_device(clock):
    """The first bet comes behind its payment; the second, and the payment, came in their time."""
    felt = Felt().ready()
    told_by = [
        ("d", 0, ev.CoupOpened(1)),
        ("chips", 2, ev.BetPlaced(1, 2, "p2", "banker", 500)),
        ("d", 0, ev.NoMoreBets(1)),
        *(
            ("d", 0, ev.CardDrawn(1, hand, parse_card(card), 3 + place))
            for place, (hand, card) in enumerate(
                zip(("player", "banker") * 2, ("4", "K", "5", "8"), strict=True)
            )
        ),
        ("d", 0, ev.TotalsCalled(1, 9, 8)),
        ("d", 0, ev.ResultCalled(1, 9, 8, "P")),
        ("chips", 3, ev.BetTaken(1, 2, 500)),
        ("chips", 4, ev.BetPaid(1, 1, 500)),
        ("chips", 1, ev.BetPlaced(1, 1, "p1", "player", 500)),
        ("d", 0, ev.CoupClosed(1)),
    ]
    for n, (device, seq, payload) in enumerate(told_by):
        at = CALL + (n if seq != 1 else 0) * 1000
        felt.tell(device, at if clock else None, payload, seq=seq, recorded_ms=CALL + 60_000 + n)
    audit = audit_shoe(felt.shoe)
    assert [found.code for found in audit.findings if found.coup] == []
    assert of(felt.shoe, "unsettled-bet") == (0, {})
    assert of(felt.shoe, LATE) == (0, {})


def test_without_a_tolerance_burns_that_came_the_wrong_way_round_skip_no_place():
    felt = Felt()
    felt.tell("reader", 5000, ev.CardBurned(None, 2), seq=2)
    felt.tell("reader", 4000, ev.CardBurned(parse_card("A"), 1), seq=1)
    felt.tell("reader", 6000, ev.CardBurned(None, 3), seq=3)
    assert of(felt.shoe, "skipped-card") == (0, {})
    felt.tell("reader", 7000, ev.CardBurned(None, 5), seq=4)
    assert of(felt.shoe, "skipped-card") == (1, {})


def test_without_a_tolerance_payments_that_may_have_come_before_their_bet_accuse_nobody():
    """By the clocks the bet was placed first; the chip reader's word of it came after the rest."""
    after = """
        reader 1000 P 4
        reader 2000 B K
        reader 3000 P 5
        reader 4000 B 8
        terminal 5000 result P
        terminal 6000 pay 500
        chips {bet} bet player 500
        terminal 7000 close
    """
    start = "terminal -20000 open\nterminal 0 call\n"
    doubtful = told(start + after.format(bet=-3000), CLASSIC)
    assert audit_shoe(doubtful).findings == []
    for code in ("unsettled-bet", "unmatched-event"):
        found, doubts = of(doubtful, code)
        assert found == 0
        assert "the order of the bet and of the payment is doubtful" in next(iter(doubts))
    sure = told(start + after.format(bet=6500), CLASSIC)
    assert of(sure, "unsettled-bet") == (1, {})
    assert of(sure, "unmatched-event") == (1, {})


def test_packs_that_say_nothing_of_clocks_keep_their_words():
    # the classic packs stand in where a record names no rules
    silent = {name for name, text in shipped().items() if parse_pack(text).clocks is None}
    assert {"classic-4", "classic-6", "classic-8"} <= silent
    with pytest.raises(BadRulePack, match="does not fit"):
        parse_pack(CLASSIC + "\n[clocks]\njump_ms = 3\n")
    assert parse_pack(CLASSIC + "\n[clocks]\ntolerance_ms = 3\n").clocks == Clocks(3, None)


# -- The order as a whole -------------------------------------------------------------------------


def test_a_correction_takes_effect_where_its_event_stands_in_the_order():
    felt = Felt(CLASSIC + CLOCKS).ready().put(ev.CoupOpened(1))
    felt.tell("chips", CALL + 300, ev.BetPlaced(1, 1, "p1", "tie", 500), recorded_ms=CALL + 9000)
    placed = felt.shoe.version
    felt.tell("terminal", CALL, ev.NoMoreBets(1), recorded_ms=CALL + 9001)
    felt.put(ev.EventCorrected(placed, "p2 bet", instead=ev.BetPlaced(1, 1, "p2", "tie", 500)))
    (found,) = [each for each in audit_shoe(felt.shoe).findings if each.code == LATE]
    assert found.patron == "p2"
    felt.put(ev.EventCorrected(placed, "nobody bet"))
    codes = [each.code for each in audit_shoe(felt.shoe).findings]
    assert set(codes) == {"breach-corrected-away"}
    assert len(at_the_table(felt.shoe).corrections) == 2


def test_who_dealt_is_told_by_the_order_at_the_table():
    shoe = told("""
        chips 300 bet player 500
        terminal -20000 open
        terminal 0 call
    """)
    history = [*shoe.history]
    relief = msgspec.structs.replace(
        history[-1], index=len(history) + 1, version=len(history) + 1,
        position=len(history) + 1, device="pit", seq=1,
        at_us=history[-1].at_us - 10_000_000, payload=ev.CrewChanged("dealer", "bea"),
    )  # fmt: skip
    (found,) = audit_shoe(fold(shoe.stream, [*history, relief])).findings
    assert (found.code, found.dealer) == (LATE, "bea")


def test_the_parts_of_a_shoe_and_its_explanation_use_the_same_order():
    shoe = told("terminal -20000 open\nchips 300 bet player 500\nterminal 0 call" + CARDS)
    assert [found.code for found in audit_part(shoe, [1])] == [LATE]


def test_which_card_was_the_third_is_told_by_the_clocks():
    """The second reader's card comes to the log as the second of its hand; it was the third."""

    def of_two_readers(third_at: int) -> Shoe:
        return told(f"""
            terminal -20000 open
            terminal 0 call
            reader 1000 P 2
            reader 2000 B 3
            second {third_at} P K
            reader 3000 P 3
            reader 4000 B 4
            terminal 9000 result B
            terminal 9900 close
        """)

    shoe = of_two_readers(5000)
    assert shoe.coups[1].player == ["2", "K", "3"]
    assert audit_shoe(shoe).findings == []
    steps = {step.what: step for step in explain(shoe, 1).steps}
    assert steps["player's first two"].shown == "2 3 = 2 + 3 = 5"
    assert steps["player's third card"].shown == "drew K"
    code = "player-drew-against-table"
    assert of(shoe, code) == (0, {})
    (reason,) = of(of_two_readers(3100), code)[1]
    assert reason.startswith("the order of two events (the card) is doubtful: 100 ms apart")


PLANS = [("classic-8", 8, 1), ("midi", 6, 2), ("ez-baccarat", 8, 3), ("macau", 8, 4)]


def dealt(pack: str, decks: int, seed: int) -> Shoe:
    plan = ShoePlan(
        stream="shoe/S-1", pack=clocked(pack_text(pack)), decks=decks, start_us=CALL * 10**6
    )
    lineup = parse_lineup("flat:side=player,martingale,tie-lover,flat:unit=5000", 9)
    croupier = Dealer(plan, lineup, random.Random(seed))
    list(croupier.deal())
    return croupier.shoe


@pytest.mark.parametrize(("pack", "decks", "seed"), PLANS)
def test_a_shoe_that_three_devices_tell_in_their_own_time_is_clean(pack, decks, seed):
    true = dealt(pack, decks, seed)
    events = as_told(true.history, random.Random(seed))
    shoe = fold(true.stream, events)
    came = [event.payload for event in events]
    happened = [event.payload for event in true.history]
    assert came != happened
    audit = audit_shoe(shoe)
    assert audit.findings == []
    order = at_the_table(shoe).order
    assert order is not None
    assert not order.as_recorded
    _as_it_happened_but_within_the_tolerance(order.events, happened)
    assert looked(audit, LATE) > 30


def looked(audit: ShoeAudit, code: str) -> int:
    return next(verdict.checked for verdict in audit.verdicts if verdict.code == code)


def _as_it_happened_but_within_the_tolerance(events, happened):
    """Two events stand the wrong way round only where their clocks could not tell."""
    place = {id(payload): n for n, payload in enumerate(happened)}
    by_place = [(place[id(event.payload)], event) for event in events]
    for at, (true, event) in enumerate(by_place):
        for other_true, other in by_place[at + 1 : at + 12]:
            if other_true < true:
                assert event.device != other.device
                assert abs(event.at_us - other.at_us) <= 250_000


def test_what_one_device_tells_costs_no_order():
    assert order_of(dealt("midi", 6, 5).history, Clocks(250)) is None


MOMENTS = st.one_of(st.none(), st.integers(-(10**6), 10**6), st.integers(0, 3))


@tries(37, 150)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(("a", "b", "c", "")),
            MOMENTS,
            st.one_of(st.none(), st.integers(1, 50)),
            st.integers(0, 10**6),
        ),
        max_size=30,
    ),
    st.integers(0, 500),
    st.integers(0, 500),
)
def test_any_clocks_and_numbers_have_an_order_that_keeps_what_is_sure(rows, tolerance, jump):
    felt = Felt()
    for n, (device, at, seq, recorded) in enumerate(rows, 1):
        felt.tell(device, at, ev.PatronSeated(n, "p1"), seq=seq or 0, recorded_ms=recorded)
    order = order_of(felt.events, Clocks(tolerance, jump))
    if order is None:
        return
    assert sorted(event.index for event in order.events) == list(range(1, len(rows) + 2))
    assert [event.position for event in order.events] == list(range(1, len(rows) + 2))
    for before, after in zip(order.events, order.events[1:], strict=False):
        first, second = order.spans[before.position], order.spans[after.position]
        if before.device != after.device:
            assert second.latest + tolerance * 1000 >= first.earliest


def test_three_devices_tell_three_kinds_of_events():
    devices = {event.device for event in as_told(dealt("midi", 6, 9).history, random.Random(1))}
    assert devices == {device.name for device in DEVICES}
