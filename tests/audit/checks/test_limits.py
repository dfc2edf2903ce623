"""The rules of `checks/limits.py`: breaches, near misses, and legal cases."""

import inspect

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.limit_changes import minimum_above_maximum
from sabot.domain.audit.checks.limits import bet_outside_limits
from sabot.domain.audit.rule_group import code_of
from sabot.domain.procedure.common import limit_on
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support import own_hand_coups
from tests.support.audited import codes, codes_and_coups, finished, only, skipped
from tests.support.coup_notation import Felt, shoe_of
from tests.support.device_records import (
    device_coup,
    verdict_on,
)
from tests.support.for_each import for_each
from tests.support.relieved_crew import RELIEF, bet, dealt, who
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal

CASES = (
    Case(
        "bet-outside-limits",
        1,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 99 | P 4 5  B K 8
        """,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 100 | P 4 5  B K 8
        """,
    ),
    Case(
        "bet-outside-limits",
        1,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 600}
        limits-changed {"limits": [{"minimum": 100, "maximum": 1000}]}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        limits-changed {"limits": [{"minimum": 100, "maximum": 1000}]}
        coup p1 player 600 | P 4 5  B K 8
        """,
    ),
    Case(
        "table-differential-exceeded",
        1,
        """
        with limits.differential = 300
        coup p1 player 600, p2 player 400, p3 banker 699 | P 4 5  B K 8
        """,
        """
        with limits.differential = 300
        coup p1 player 600, p2 player 400, p3 banker 700 | P 4 5  B K 8
        """,
    ),
    Case(
        "combined-bets-above-limit",
        1,
        """
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 300, p1 player 300 | P 4 5  B K 8
        """,
        """
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 300, p1 player 200, p2 player 300, p1 tie 300 | P 4 5  B K 8
        """,
    ),
    # the maximum is lowered, and the patron then adds a bet to a stake that was within the old one
    Case(
        "combined-bets-above-limit",
        1,
        """
        limits-changed {"limits": [{"minimum": 100, "maximum": 1000}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 600}
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "player", "amount": 300}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
        """
        limits-changed {"limits": [{"minimum": 100, "maximum": 1000}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 600}
        bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "player", "amount": 300}
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
    ),
    # the first of two bets is raised within the old maximum, or only within the new one
    Case(
        "combined-bets-above-limit",
        1,
        """
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 100}
        bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "player", "amount": 200}
        bet-changed {"coup": 1, "bet": 1, "amount": 400}
        limits-changed {"limits": [{"minimum": 100, "maximum": 1000}]}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
        """
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 100}
        bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "player", "amount": 200}
        limits-changed {"limits": [{"minimum": 100, "maximum": 1000}]}
        bet-changed {"coup": 1, "bet": 1, "amount": 400}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Limits ----------------------------------------------------------------------------------------


LOW, HIGH = (ev.Limit(100, 500),), (ev.Limit(1000, 5000),)


TIE = "p1 player 500 | P 4 5  B K 9"


def limited(change: ev.Event, *payloads: ev.Event) -> Shoe:
    """A tie leaves 500 on the felt; the limits change; then the next coup."""
    felt = Felt(limits=LOW).ready().coup(TIE).put(change, ev.CoupOpened(2), *payloads)
    return finished(felt.put(ev.NoMoreBets(2)).cards("P 4 5  B K 8"))


CARRIED = ev.BetCarried(2, 1, "p1", "player", 500)


RAISED = ev.LimitsChanged(HIGH)


def test_a_bet_that_a_tie_holds_keeps_the_limits_that_it_was_made_under():
    assert codes_and_coups(limited(RAISED, CARRIED)) == []
    anew = ev.BetPlaced(2, 1, "p1", "player", 500)
    assert codes_and_coups(limited(RAISED, anew)) == [("bet-outside-limits", 2)]


def test_it_keeps_them_through_two_ties():
    felt = Felt(limits=LOW).ready().coup(TIE).put(RAISED).coup(f"+{TIE}")
    assert codes_and_coups(felt.coup("+p1 player 500 | P 4 5  B K 8").shoe) == []


def test_a_record_of_coups_may_lack_changes_of_limits_and_bets():
    capped = pack_text("classic-8") + "\n[limits]\ndifferential = 300\n"
    bets = (ev.BetPlaced(1, 1, "p1", "player", 600), ev.NoMoreBets(1))
    for coverage, found in (
        ("coups", set()),
        ("whole", {"bet-outside-limits", "table-differential-exceeded"}),
    ):
        felt = Felt(capped, limits=LOW, coverage=coverage).put(ev.CoupOpened(1), *bets)
        finished(felt.cards("P 4 5  B K 8"))
        about = {
            code for code, _ in codes_and_coups(felt.shoe) if "limits" in code or "differ" in code
        }
        assert about == found


def test_a_bet_that_was_made_before_the_record_is_held_to_no_limits():
    felt = Felt(limits=HIGH).ready().coup(TIE.replace("500", "1000"), 3)
    felt.put(ev.LimitsChanged((ev.Limit(2000, 5000),))).coup("+p1 player 1000 | P 4 5  B K 8")
    pushed = next(n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.BetPushed))
    assert codes_and_coups(shoe_of(felt.payloads[pushed:])) == []
    anew = felt.coup("p1 player 1000 | P 4 5  B K 8").payloads
    assert codes_and_coups(shoe_of(anew[pushed:])) == [("bet-outside-limits", 5)]


def test_a_stake_that_is_changed_is_held_to_the_limits_of_that_moment():
    bet = ev.BetPlaced(1, 1, "p1", "player", 500)
    for stake, found in ((2000, []), (600, [("bet-outside-limits", 1)])):
        felt = Felt(limits=LOW).ready().put(ev.CoupOpened(1), bet, RAISED)
        felt.put(ev.BetChanged(1, 1, stake), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
        assert codes_and_coups(finished(felt)) == found


# -- The differential: the bet that exceeds it, as the bets lie when they are closed ---------------


FAR = "table-differential-exceeded"


def test_the_differential_is_exceeded_by_the_bet_that_does() -> None:
    felt = dealt(bet(1, "player", 1000), bet(2, "banker", 500), *RELIEF, bet(3, "player", 501))
    found = only(felt, FAR)
    placed = next(event for event in felt.events if getattr(event.payload, "bet", 0) == 3)
    assert (found.patron, found.at_us, who(found)) == ("p3", placed.at_us, ("zoe", "sid"))


def test_the_differential_shows_no_bets_on_other_wagers() -> None:
    bets = "p1 tie 5000, p1 player 1000, p2 banker 200"
    shoe = deal(f"with limits.differential = 300\ncoup {bets} | P 4 5  B K 8")
    shown = [bet.placed.index for bet in shoe.coups[1].bets.values() if bet.wager != "tie"]
    assert list(audit_shoe(shoe).findings[0].events) == shown


def test_what_lay_too_far_apart_on_the_way_only_is_no_breach() -> None:
    assert codes(dealt(bet(1, "player", 2000), bet(2, "banker", 1000)).shoe) == []
    assert codes(dealt(bet(1, "banker", 2000), *RELIEF, ev.BetChanged(1, 1, 1000)).shoe) == []


@pytest.mark.parametrize(
    ("payloads", "by"),
    [
        # it stays exceeded from the first bet on, whatever comes behind it
        ((bet(1, "player", 2001), bet(2, "banker", 500), bet(3, "player", 100)), "p1"),
        # made up for, and exceeded once more
        ((bet(1, "player", 1500), bet(2, "banker", 900), bet(3, "player", 401)), "p3"),
        # on the other side
        ((bet(1, "player", 1500), bet(2, "banker", 2501)), "p2"),
        # who takes his bet away in time leaves the others too far apart
        ((bet(1, "player", 1500), bet(2, "banker", 600), ev.BetWithdrawn(1, 2)), "p2"),
        ((bet(1, "tie", 9000), bet(2, "banker", 600), ev.BetChanged(1, 2, 1001)), "p2"),
    ],
)
def test_who_exceeds_the_differential(payloads, by) -> None:
    assert only(dealt(*payloads), FAR).patron == by


@pytest.mark.parametrize(
    ("late", "code"),
    [
        (ev.BetWithdrawn(1, 2), "late-bet-change"),
        (ev.BetChanged(1, 2, 100), "late-bet-change"),
        (ev.BetChanged(1, 1, 1501), "late-bet-change"),
        (bet(3, "player", 1), "past-posted-bet"),
    ],
)
def test_what_comes_late_is_late_and_nothing_else(late, code) -> None:
    """1500 against 500 at the call, a thousand apart."""
    assert codes(dealt(bet(1, "player", 1500), bet(2, "banker", 500), late=(late,)).shoe) == [code]


def test_what_is_taken_back_late_lay_too_far_apart_all_the_same() -> None:
    felt = dealt(bet(1, "player", 1501), bet(2, "banker", 500), late=(ev.BetChanged(1, 1, 1500),))
    assert sorted(codes(felt.shoe)) == ["late-bet-change", FAR]


def test_bets_by_the_former_limits_after_a_change_in_mid_shoe_are_one_finding():
    """Three bets of 500 after the minimum rose to 1000. Before, 500 was allowed."""
    felt = Felt(limits=LOW).ready().coup("p1 player 500 | P 4 5  B K 8").put(RAISED)
    felt.coup("p1 player 500, p2 banker 500 | P 4 5  B K 8").coup("p1 player 500 | P 4 5  B K 8")
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup) == ("bet-outside-limits", 2)
    assert found.message.endswith(", and 2 more like it, in coups 2 to 3")
    assert [event for event in felt.shoe.limits_changed if event.index in found.events]


def test_bets_that_no_limit_of_the_shoe_allowed_are_a_finding_each():
    felt = Felt(limits=LOW).ready().coup("p1 player 500 | P 4 5  B K 8").put(RAISED)
    felt.coup("p1 player 9000 | P 4 5  B K 8").coup("p1 player 9000 | P 4 5  B K 8")
    assert codes_and_coups(felt.shoe) == [("bet-outside-limits", 2), ("bet-outside-limits", 3)]


@pytest.mark.parametrize("pack", ["banque", "deux-tableaux-france-open", "macao-old"])
def test_a_limit_that_no_stake_can_keep_gives_no_minimum_of_banks(pack):
    limits = (ev.Limit(900_000, 600_000),)
    assert limit_on("right", limits, parse_pack(pack_text(pack))) is None


# -- Events of several devices ---------------------------------------------------------------------


def test_a_change_of_limits_close_to_a_bet():
    code = "bet-outside-limits"

    def limited(at: int) -> Shoe:
        more = f"\nterminal {at} limits 400\nchips -9000 bet player 500\nterminal 0 call"
        return device_coup(more)

    assert verdict_on(limited(-9251), code) == (1, {})
    assert verdict_on(limited(-8749), code) == (0, {"the record gives no limits": 1})
    assert verdict_on(limited(-9100), code)[0] == 0
    assert "the change of limits" in next(iter(verdict_on(limited(-9100), code)[1]))


def test_what_a_bank_does_not_cover_goes_back_though_bets_are_settled_in_full():
    shoe = deal(
        inspect.cleandoc("""
        load chemin-de-fer
        with limits.accepted = "in-full"
        limits-changed {"limits": [{"minimum": 100, "maximum": 5000}]}
        seats p1 p2
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 12000}
        no-more-bets {"coup": 1}
        excess-returned {"coup": 1, "bet": 1, "amount": 2000}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 5  B K 8
        due
    """)
    )
    assert codes(shoe) == ["bet-outside-limits"]


@for_each(("wager", "house"), [("player", 600), ("banker", -600)])
def test_an_accepted_bet_that_goes_back_whole_after_the_close_is_not_settled_in_full(wager, house):
    returned = 'excess-returned {"coup": 1, "bet": 1, "amount": 600}'
    closed = 'no-more-bets {"coup": 1}'
    before, after = (
        deal(
            inspect.cleandoc(f"""
            with limits.accepted = "in-full"
            limits-changed {{"limits": [{{"minimum": 100, "maximum": 500}}]}}
            coup-opened {{"coup": 1}}
            bet-placed {{"coup": 1, "bet": 1, "patron": "p1", "wager": "{wager}", "amount": 600}}
            {first}
            {second}
            deal P 4 5  B K 8
            due
        """)
        )
        for first, second in ((returned, closed), (closed, returned))
    )
    assert codes(before) == []
    (found,) = audit_shoe(after).findings
    assert (found.code, found.money.house) == ("accepted-bet-reduced", house)


# -- All bets of a patron on a wager ---------------------------------------------------------------

UP_TO_500 = '{"limits": [{"minimum": 100, "maximum": 500}]}'
TIED = "coup p1 player 300 | P 4 5  B K 9\n"
TWO_TIED = "coup p1 player 300, p1 player 300 | P 4 5  B K 9\n"
STAYS = "coup +p1 player "
BANK = "seats p1 p2\nbank p1 10000\ncoup "


@pytest.mark.parametrize(
    ("game", "coups", "found"),
    [
        ("classic-8", "coup p1 tie 200, p1 tie 200, p1 tie 200 | P 4 5  B K 8", (1, "6.00 EUR")),
        # the total was too high when it was made, and not again when it stayed
        ("classic-8", f"{TWO_TIED}{STAYS}300, +p1 player 300 | P 4 5  B K 8", (1, "6.00 EUR")),
        ("classic-8", f"{TWO_TIED}{STAYS}600 | P 4 5  B K 8", (1, "6.00 EUR")),
        ("classic-8", f"{TIED}{STAYS}300, p1 player 201 | P 4 5  B K 8", (2, "5.01 EUR")),
        ("chemin-de-fer", f"{BANK}p2 player 300, p2 player 300 | P 4 2  B K 9", (1, "6.00 EUR")),
    ],
)
def test_bets_that_are_together_above_the_maximum_are_one_finding(game, coups, found):
    (only_one,) = audit_shoe(deal(f"load {game} {UP_TO_500}\n{coups}")).findings
    assert only_one.code == "combined-bets-above-limit"
    assert (only_one.coup, only_one.observed) == found


def hands_of(*seats: int) -> list[str]:
    """A patron of macao stakes 600.00, the maximum being 1,000.00, on a hand at each seat."""
    felt = own_hand_coups.table("macao-old").put(ev.CoupOpened(1))
    bets = [ev.BetPlaced(1, nth, "p1", "hand", 60_000, seat) for nth, seat in enumerate(seats, 1)]
    felt.put(*bets, ev.NoMoreBets(1))
    dealt = "; ".join(f"{seat}: 4" for seat in dict.fromkeys(seats))
    return codes(own_hand_coups.finish(own_hand_coups.hands(felt, f"{dealt}; B: 6")).shoe)


def test_each_hand_of_a_patron_has_a_total_of_its_own():
    assert "combined-bets-above-limit" in hands_of(1, 1)
    assert "combined-bets-above-limit" not in hands_of(1, 2)


def test_a_banco_is_no_total():
    assert codes(deal(f"load chemin-de-fer {UP_TO_500}\n{BANK}banco p2 | P 4 2  B K 9")) == []


def test_a_pack_may_limit_each_bet_by_itself():
    each = f'load classic-8 {UP_TO_500}\nwith limits.per = "bet"\n'
    assert codes(deal(each + TWO_TIED)) == []


def test_a_bet_that_ties_carry_over_is_one_finding():
    """6.00 above a maximum of 5.00 stays on the layout through two ties."""
    felt = Felt(limits=(ev.Limit(100, 500),)).ready().coup("p1 player 600 | P 4 4  B K 8")
    felt.coup("+p1 player 600 | P 4 4  B K 8").coup("+p1 player 600 | P 4 5  B K 8")
    assert codes_and_coups(felt.shoe) == [(code_of(bet_outside_limits), 1)]


@pytest.mark.parametrize(
    ("bet", "limits", "reason"),
    [
        (ev.BetWithdrawn(1, 1), ev.Limit(100, 500), "the coup has no bet to which limits apply"),
        (
            ev.BetChanged(1, 1, 600),
            ev.Limit(500, 100),
            "no stake can keep the limits of the record",
        ),
    ],
)
def test_the_reason_names_what_is_missing_to_judge_a_bet(bet, limits, reason):
    felt = Felt(limits=(limits,)).ready().put(ev.CoupOpened(1))
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 700), bet, ev.NoMoreBets(1))
    assert list(skipped(felt.shoe, code_of(bet_outside_limits))) == [reason]


def test_a_limit_that_is_set_again_is_one_finding():
    shoe = """
        load classic-8 {"limits": [{"minimum": 500, "maximum": 100}]}
        limits-changed {"limits": [{"minimum": 500, "maximum": 100}]}
        coup p1 player 500 | P 4 5  B K 8
    """
    assert codes(deal(inspect.cleandoc(shoe))) == [code_of(minimum_above_maximum)]


def test_a_record_of_coups_alone_may_lack_the_limits_of_a_total():
    steps = """
    with limits.maximum = 500
    coup p1 player 300, p1 player 300 | P 4 5  B K 8"""
    whole, alone = (
        deal("\n".join(map(str.strip, (load + steps).splitlines())))
        for load in ("load classic-8", 'load classic-8 {"scope": "coups"}')
    )
    assert codes(whole) == ["combined-bets-above-limit"]
    assert codes(alone) == []
