"""Random play of chemin de fer loses no money.

SABOT_TEST_FULL=1 plays many more shoes against the value of the game.
"""

import random
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.odds.optimal_play.chemin_de_fer_game import REPLACED, decks, game_of
from sabot.domain.odds.optimal_play.chemin_de_fer_solution import Solution, solve
from sabot.domain.procedure.chip_flow import imbalances
from sabot.domain.procedure.patron_bank import bank_events_of, levy_charged
from sabot.domain.procedure.preconditions import violation
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, apply, fold
from sabot.infrastructure.rule_packs import of_game, pack_text
from tests.support.chip_transfers import BANK, HOUSE, nets, purse_of, transfers
from tests.support.coup_notation import START_US
from tests.support.thorough import FULL, slow

PACKS = sorted(of_game("chemin-de-fer"))


def croupier(name, lineup, seed):
    plan = ShoePlan(stream="shoe/S-1", pack=pack_text(name), decks=6, start_us=START_US)
    return Dealer(plan, parse_lineup(lineup, 10), random.Random(seed))


GROUPS = st.lists(
    st.sampled_from((
        "flat:2:side=random",
        "martingale:1",
        "flat:1:unit=20000:bank=9",
        "trend:1:banco=0.5:whim=1",
        "copycat:1:retires=0.9",
        "flat:1:bankroll=30000:raises=1",
        "sitter-out:1:sits=0.8:holds=0.1",
        "quitter:1",
    )),
    min_size=1,
    max_size=5,
)  # fmt: skip


@slow
@settings(max_examples=12 if not FULL else 400)
@given(st.sampled_from(PACKS), GROUPS, st.integers(0, 10**6))
def test_random_play_conserves_money_and_breaks_no_rule(name, groups, seed):
    table = croupier(name, ",".join(groups), seed)
    shoe = Shoe("shoe/S-1")
    for event in table.deal():
        assert violation(shoe, event.payload) is None, event.payload
        shoe.history.append(event)
        apply(shoe, event)
        bank = shoe.bank
        assert bank is None or bank.amount >= 0
    assert imbalances(shoe) == ()
    moved = list(transfers(shoe))
    gained = nets(moved)
    assert sum(gained.values()) == 0
    assert gained.get(BANK, 0) == 0
    assert gained.get(HOUSE, 0) == sum(map(levy_charged, shoe.coups.values()))
    assert fold("shoe/S-1", shoe.history) == table.shoe == shoe
    assert audit_shoe(shoe).findings == []


@settings(max_examples=12 if not FULL else 400)
@given(st.sampled_from(PACKS), GROUPS, st.integers(0, 10**6))
def test_nobody_pays_more_than_he_has_at_risk(name, groups, seed):
    table = croupier(name, ",".join(groups), seed)
    list(table.deal())
    for coup in table.shoe.coups.values():
        part = bank_events_of(coup)
        lost = sum(bet.paid for bet in coup.bets.values())
        raised = sum(event.payload.amount for event in part.raised)
        assert lost <= (part.bank or 0) + raised
        for bet in coup.bets.values():
            assert bet.taken <= bet.amount
            assert bet.paid in (0, bet.amount)


def test_purses_of_patrons_are_told_apart_from_the_house():
    assert len({purse_of("house"), purse_of("bank"), HOUSE, BANK}) == 4


def test_a_shoe_has_every_special_case():
    """One evening's worth of play meets claims, excess, raises, takeovers, ties that hold."""
    seen = set()
    for seed in range(4):
        lineup = "flat:3:unit=6000:bank=2,trend:2:banco=0.3,martingale:1:unit=8000:bank=1"
        table = croupier("chemin-de-fer", lineup, seed)
        for event in table.deal():
            seen.add(type(event.payload))
            if isinstance(event.payload, bank_ev.BancoCalled) and event.payload.suivi:
                seen.add("suivi")
            if isinstance(event.payload, ev.ShoeOffered) and event.payload.amount is not None:
                seen.add("matched")
            if isinstance(event.payload, ev.ShoePassed):
                seen.add(event.payload.reason)
    assert {
        bank_ev.BancoCalled, bank_ev.BankRaised, bank_ev.BankWithdrawn, bank_ev.ExcessReturned,
        bank_ev.HandGiven, ev.BetCarried, ev.ShoeRefused, "suivi", "matched", "chosen", "lost",
    } <= seen  # fmt: skip


def value_of_play():
    """What Player wins on the average of six decks, both playing the solution for totals."""
    chances, game = solve(game_of(REPLACED)).draws, game_of(decks(6))
    player, banker = ([chances[at] for at in side] for side in (game.player, game.banker))
    return float(Solution(game, player, banker).value)


@slow
@pytest.mark.parametrize("shoes", [400 if FULL else 25])
def test_simulated_play_agrees_with_the_value_of_the_game(shoes):
    """The mean of all coups lies within 4 standard errors of the value: chance 6e-5 against it.

    Coups late in a shoe are left out, since which of them are dealt rests on the cards before.
    """
    results = []
    for seed in range(shoes):
        table = croupier("chemin-de-fer", "flat:3:holds=1", f"value {seed}")
        list(table.deal())
        for coup in list(table.shoe.coups.values())[:45]:
            called = coup.result_called.payload
            results.append({"P": 1, "B": -1, "T": 0}[called.outcome])
    mean = sum(results) / len(results)
    spread = sqrt(sum((each - mean) ** 2 for each in results) / (len(results) - 1))
    assert len(results) == 45 * shoes
    assert abs(mean - value_of_play()) < 4 * spread / sqrt(len(results))
