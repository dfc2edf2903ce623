"""Random permitted play at two tableaux has no findings, and no chip is lost.

At each step events of every kind are tried at random, most of them out of place: bids when the bank
is awarded, stakes of odd amounts on the wrong tableau, claims that come late, patrons who move,
banks raised for nothing, coups that are voided. What is not refused is dealt, and then what is due.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.chip_flow import imbalances
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.preconditions import violation
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import fold
from sabot.infrastructure.rule_packs import of_game, pack_text
from tests.support.chip_transfers import BANK, nets, transfers
from tests.support.coup_notation import Felt
from tests.support.random_table import Kinds, Tried, Whatever
from tests.support.thorough import FULL, a_part, slow, tries

PACKS = sorted(of_game("baccarat-banque"))


class Table(Whatever):
    """A table of baccarat banque."""

    people = (*(f"p{n}" for n in range(1, 12)), "x", "y")
    money = (1, 99, 500, 600, 1000, 1001, 9999, 20_000, 33_333, 60_000, 200_000)
    seats = 11
    hands = ("right", "left", "banker")
    wagers = ("right", "left", "cheval")
    often, void, bets = 0.35, 0.02, 0.6

    def __init__(self, pack: str, seed: int) -> None:
        dice = random.Random(seed)
        seats = dice.sample([1, 2, 3, 4, 5, 7, 8, 9, 10, 11], dice.randint(2, 10))
        super().__init__(pack, dice, seats)

    def may_be_void(self, coup: Coup) -> bool:
        """Whatever was paid of a natural at once stands."""
        return self.lacks_a_note(coup)

    def of_bets(self, tried: Tried) -> Kinds:
        t, on = tried, self.dice.choice((None, None, "both", "right"))
        return [
            lambda: bank_ev.BancoCalled(t.number, t.who, on=on),
            lambda: bank_ev.BankUnlimited(t.holds, t.number),
        ]

    def others(self, tried: Tried) -> Kinds:
        t = tried
        return [
            lambda: bank_ev.BankPosted(t.holds, t.amount),
            lambda: bank_ev.BankBid(t.who, t.amount),
            lambda: bank_ev.BankListed(t.who),
            lambda: bank_ev.FundsProven(t.who, t.amount),
            lambda: bank_ev.HandGiven(t.number, t.hand, t.who),
            lambda: bank_ev.ChoiceMade(t.number, t.hand, t.said, None),
            lambda: ev.PatronMoved(t.who, t.seat),
            lambda: ev.PatronSeated(t.seat, "x"),
            lambda: ev.PatronLeft(t.who),
            lambda: ev.CutterNamed(t.holds, t.who),
        ]

    def due(self) -> ev.Event:
        """Return what is due, decided by whim where somebody has to decide."""
        due, dice, shoe = next_action(self.shoe), self.dice, self.shoe
        coup = shoe.current.number if shoe.current is not None else 0
        match due.expects:
            case "card":
                assert due.hand is not None
                return ev.CardDrawn(coup, due.hand, next(self.cards), len(shoe.left) + 1)
            case "choice":
                assert due.hand is not None
                choice = bank_ev.ChoiceMade(coup, due.hand, dice.choice(("draw", "stand")))
                refused = violation(shoe, choice) is not None
                return due.payload if refused and due.payload is not None else choice
            case "bets" if due.payload is None or dice.random() < 0.5:
                self._stake(coup)
                due = next_action(self.shoe)
            case "shuffle":
                return ev.ShoeShuffled("dealer")
            case "cut":
                return self._cut()
        return self.felt._ticketed(due.payload) if due.payload is not None else self._said(due.text)

    def _cut(self) -> ev.Event:
        shoe = self.shoe
        assert shoe.holder is not None
        if "names who cuts" in next_action(shoe).text:
            return ev.CutterNamed(shoe.holder, "p1")
        if shoe.cutters:
            return ev.ShoeCut(shoe.cutters[-1].payload.cutter, 50)
        offered = next_action(shoe).payload
        return offered if offered is not None else ev.ShoeCut(self._offered(), 50)

    def _offered(self) -> str:
        offers = [event.payload.to for event in self.shoe.cut_offers]
        return offers[-1] if offers else "dealer"

    def _said(self, text: str) -> ev.Event:
        """What somebody has to say before the bank lies there."""
        shoe, seated = self.shoe, sorted(self.shoe.seats.values())
        assert seated or shoe.holder, text
        if "session" in text:
            return bank_ev.SessionCalled("2026-01-01", 2, 1)
        if "proves" in text:
            assert shoe.holder is not None
            return bank_ev.FundsProven(shoe.holder, 10**9)
        if "auction" in text:
            return bank_ev.BankBid(self.dice.choice(seated), self.dice.choice((20_000, 21_000)))
        if "lots" in text:
            names = [
                event.payload.by for event in shoe.listed if event.payload.by not in shoe.refused
            ]
            return ev.ShoeOffered(self.dice.choice(names))
        assert "a place on the list" in text, text
        listed = [event.payload.by for event in shoe.listed]
        left = [who for who in seated if who not in listed]
        return bank_ev.BankListed(left[0]) if left else ev.ShoeEnded(reason="closing")

    def _stake(self, coup: int) -> None:
        for seat, who in [*self.shoe.seats.items(), (None, "y")]:
            number = max(self.shoe.coups[coup].bets, default=0) + 1
            wager = self.dice.choice(self.wagers)
            self.let(ev.BetPlaced(coup, number, who, wager, self.dice.choice((600, 8000)), seat))
            if self.dice.random() < 0.1:
                self.let(ev.BetChanged(coup, number, 1200))
            if self.dice.random() < 0.04:
                self.let(bank_ev.BancoCalled(coup, who, on=self.dice.choice((None, "both"))))
        if next_action(self.shoe).payload is None:
            # nobody who sits there can stake: somebody who stands does
            for amount in (600, 200):
                number = max(self.shoe.coups[coup].bets, default=0) + 1
                self.let(ev.BetPlaced(coup, number, "y", "right", amount))
        if next_action(self.shoe).payload is None:
            self.let(bank_ev.BankRaised(self.shoe.holder or "", 600, None))


@tries(3, 15)
@given(st.sampled_from(PACKS), st.integers(0, 2**32))
def test_what_is_not_refused_breaks_no_rule(pack, seed):
    shoe = Table(pack_text(pack), seed).deal()
    assert shoe.ended is not None
    assert imbalances(shoe) == ()
    gained = nets(transfers(shoe))
    assert sum(gained.values()) == 0
    assert gained.get(BANK, 0) == 0
    assert all(bank.amount == 0 and not bank.below for bank in shoe.banks)
    bets = [bet for coup in shoe.coups.values() for bet in coup.bets.values()]
    assert all(bet.taken <= bet.amount and bet.paid <= bet.amount for bet in bets)
    assert fold(shoe.stream, shoe.history) == shoe
    assert audit_shoe(shoe).findings == []


@slow
def test_the_bank_never_holds_less_than_nothing_after_any_event():
    for pack in a_part(PACKS, of=3):
        shoe = Table(pack_text(pack), 7).deal()
        felt = Felt(pack_text(pack))
        for event in shoe.history[1:]:
            felt.put(event.payload)
            assert felt.shoe.bank is None or felt.shoe.bank.amount >= 0, (pack, event)


@slow
@pytest.mark.parametrize("pack", a_part(PACKS, of=2))
def test_much_is_tried_that_is_let_through(pack):
    """The play above comes to retiring bankers, changed places, claims and stakes accepted."""
    shoes = [Table(pack_text(pack), seed).deal() for seed in range(3 if FULL else 2)]
    seen = {type(event.payload) for shoe in shoes for event in shoe.history}
    assert {
        bank_ev.BankRaised,
        bank_ev.BankWithdrawn,
        ev.BetChanged,
        ev.BetCarried,
        ev.PatronMoved,
    } <= seen
    assert {ev.CoupVoided, ev.PatronLeft, ev.PatronSeated, bank_ev.BankUnlimited} <= seen
    if pack != "deux-tableaux-france-open":
        assert {bank_ev.BancoCalled, bank_ev.ExcessReturned} <= seen
