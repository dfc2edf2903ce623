"""Random play of two tableaux: no refusal, no breach, no lost money."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.chip_flow import imbalances
from sabot.domain.procedure.patron_bank import levy_charged
from sabot.domain.procedure.preconditions import violation
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, Session, ShoePlan, deal_shoe, parse_lineup
from sabot.domain.state.shoe import Shoe, apply, fold
from sabot.infrastructure.rule_packs import of_game, pack_text
from tests.support.chip_transfers import BANK, HOUSE, nets, transfers
from tests.support.coup_notation import START_US
from tests.support.thorough import slow

PACKS = sorted(of_game("baccarat-banque"))


def croupier(name, lineup, seed):
    text = pack_text(name)
    decks = min(parse_pack(text).cards.decks)
    plan = ShoePlan(stream="shoe/S-1", pack=text, decks=decks, start_us=START_US)
    return Dealer(plan, parse_lineup(lineup, 11), random.Random(seed))


GROUPS = st.lists(
    st.sampled_from((
        "flat:4:side=random",
        "martingale:2",
        "flat:1:unit=20000:bank=9",
        "trend:2:banco=0.5:whim=1",
        "copycat:1:retires=0.9",
        "flat:1:bankroll=60000:raises=1",
        "sitter-out:2:sits=0.8:holds=0.1",
        "quitter:1",
    )),
    min_size=2,
    max_size=3,
)  # fmt: skip


@slow
@settings(max_examples=8)
@given(st.sampled_from(PACKS), GROUPS, st.integers(0, 10**6))
def test_random_play_conserves_money_and_breaks_no_rule(name, groups, seed):
    table = croupier(name, ",".join(groups), seed)
    shoe = Shoe("shoe/S-1")
    for event in table.deal():
        assert violation(shoe, event.payload) is None, event.payload
        shoe.history.append(event)
        apply(shoe, event)
        assert shoe.bank is None or shoe.bank.amount >= 0
    gained = nets(list(transfers(shoe)))
    assert imbalances(shoe) == ()
    assert sum(gained.values()) == 0
    assert gained.get(BANK, 0) == 0
    assert gained.get(HOUSE, 0) == sum(map(levy_charged, shoe.coups.values()))
    assert fold("shoe/S-1", shoe.history) == table.shoe == shoe
    assert audit_shoe(shoe).findings == []


@slow
def test_an_evening_has_every_special_case():
    seen = set()
    for name in PACKS:
        for seed in range(3):
            lineup = "flat:6:unit=6000:bank=5,trend:3:banco=0.1,flat:2:raises=1"
            for event in croupier(name, lineup, seed).deal():
                seen.add(type(event.payload))
                if isinstance(event.payload, bank_ev.BancoCalled | ev.BetPlaced):
                    seen.add(
                        event.payload.on
                        if isinstance(event.payload, bank_ev.BancoCalled)
                        else event.payload.wager
                    )
                if isinstance(event.payload, ev.ShoePassed):
                    seen.add(event.payload.reason)
    assert {
        bank_ev.BankBid, bank_ev.BankListed, bank_ev.FundsProven, bank_ev.SessionCalled,
        bank_ev.BankRaised, bank_ev.BankUnlimited, bank_ev.BankWithdrawn, bank_ev.ExcessReturned,
        bank_ev.LevyTaken, ev.BetCarried, ev.CutterNamed, ev.PatronMoved, ev.ShoeRefused, "both",
        "cheval", "right", "left", "chosen", "lost",
    } <= seen  # fmt: skip


@pytest.mark.parametrize("number", [1, 4, 5])
def test_an_open_bank_has_its_sessions_and_shoes(number):
    text = pack_text("deux-tableaux-france-open")
    table = Session(
        pack=text,
        decks=6,
        table="T",
        patrons=parse_lineup("flat:4", 11),
        start_us=START_US,
        seed="1",
    )
    called = next(
        e.payload for e in deal_shoe(table, number) if isinstance(e.payload, bank_ev.SessionCalled)
    )
    # two sessions a day of two shoes each
    assert (called.session, called.shoe) == {1: (1, 1), 4: (2, 2), 5: (1, 1)}[number]
