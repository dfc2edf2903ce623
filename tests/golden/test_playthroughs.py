"""A golden shoe of each rule pack, compared with an independent dealer.

The expected text comes from ``plain_dealer.py`` alone, which shares no code with the program.
"""

import importlib.util
from pathlib import Path

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.preconditions import require
from sabot.domain.state.coup_state import Bet, Coup
from sabot.infrastructure.rule_packs import of_game
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each

HERE = Path(__file__).parent
_SPEC = importlib.util.spec_from_file_location("plain_dealer", HERE / "plain_dealer.py")
plain_dealer = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(plain_dealer)
COUPS = plain_dealer.COUPS_OF_A_MACHINE
HOUSES = {house.name: house for house in plain_dealer.HOUSES}


def test_every_shipped_pack_has_a_golden_shoe():
    houses = set(of_game("punto-banco"))
    assert set(HOUSES) == houses
    assert houses <= {path.stem for path in HERE.glob("*.txt")}


@for_each("name", HOUSES)
def test_the_file_is_what_the_plain_dealer_writes(name):
    written = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    assert written.splitlines() == plain_dealer.playthrough(HOUSES[name]).splitlines()


def test_the_plain_dealer_shares_no_code_with_the_program():
    source = (HERE / "plain_dealer.py").read_text(encoding="utf-8")
    lines = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert lines == [
        "import random",
        "from fractions import Fraction",
        "from pathlib import Path",
    ]


@pytest.mark.parametrize("name", HOUSES)
def test_the_program_deals_the_same_shoe(name):
    lines = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    cards = [card for line in lines if line.startswith("  ") for card in line.split()]
    expected = [line for line in lines[1:] if not line.startswith("  ")]
    felt = deal(name, HOUSES[name], cards)
    assert told(felt) == expected
    assert audit_shoe(felt.shoe).findings == []


def deal(name, house, cards):
    """Deal the cards in their order as the caller's side asks for it; refuse nothing silently."""
    felt = Felt(name, house.decks)
    order = iter(cards)

    def put(payload):
        require(felt.shoe, payload)
        felt.put(payload)

    while (due := next_action(felt.shoe)).expects != "nothing":
        match due.expects:
            case "shuffle" | "cut":
                put(ev.ShoeShuffled("dealer") if due.expects == "shuffle" else ev.ShoeCut("p1", 50))
            case "coup" if house.behind is None and len(felt.shoe.coups) == COUPS:
                return felt.put(ev.ShoeEnded(counted=52 * house.decks, reason="closing"))
            case "burn-up":
                put(ev.CardBurned(next(order), len(felt.shoe.left) + 1))
            case "burn-down":
                next(order)
                put(due.payload)
            case "card":
                coup = felt.shoe.current.number
                put(ev.CardDrawn(coup, due.hand, next(order), len(felt.shoe.left) + 1))
            case "bets" if isinstance(due.payload, ev.NoMoreBets):
                for bet in new_bets(felt.shoe.current, house):
                    put(bet)
                put(due.payload)
            case _:
                put(due.payload)
    return felt


def new_bets(coup, house):
    """A bet on every wager, unless a tie has left one there."""
    carried = {bet.wager for bet in coup.bets.values()}
    number = len(carried)
    for place, wager in enumerate(house.wagers):
        if wager not in carried:
            number += 1
            stake = plain_dealer.stake_on(place, coup.number)
            yield ev.BetPlaced(coup.number, number, "p1", wager, stake)


def told(felt):
    """Tell the shoe as a golden file does, from its events."""
    shoe = felt.shoe
    coups = [tell_coup(coup, HOUSES[shoe.pack.name]) for coup in shoe.coups.values()]
    first, *rest = [event.payload for event in shoe.burned]
    assert all(payload.card is None for payload in rest)
    end = f"last coup {len(coups)}, {shoe.ended.payload.left} cards left"
    if shoe.pack.endless:
        end = f"{len(coups)} coups, and all cards are in the machine"
    return [f"burn {first.card}, then {len(rest)} face down", *coups, end]


def tell_coup(coup: Coup, house):
    called = coup.result_called.payload
    side = {"P": "player", "B": "banker", "T": "tie"}[called.outcome]
    bets = {bet.wager: bet for bet in coup.bets.values()}
    return " | ".join(
        [
            f"coup {coup.number}",
            f"P {' '.join(coup.player)}",
            f"B {' '.join(coup.banker)}",
            f"{side} {called.player}-{called.banker}",
            *(tell_bet(bets[wager]) for wager in house.wagers),
        ]
    )


def tell_bet(bet: Bet):
    assert bet.settled
    star = "*" if bet.carried else ""
    if bet.pushed:
        return f"{star}{bet.wager} {bet.amount} ="
    if bet.taken:
        return f"{star}{bet.wager} {bet.amount} -{bet.taken}"
    less = f" less {bet.commission}" if bet.commission else ""
    return f"{star}{bet.wager} {bet.amount} +{bet.paid}{less}"
