"""Golden packs of macao and victoria, compared with an independent dealer.

The expected text comes from ``plain_macao.py`` alone, which shares no code with the program.
"""

import importlib.util
from pathlib import Path

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.preconditions import require
from sabot.infrastructure.rule_packs import of_game
from tests.support.coup_notation import Felt

HERE = Path(__file__).parent
_SPEC = importlib.util.spec_from_file_location("plain_macao", HERE / "plain_macao.py")
plain_macao = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(plain_macao)
HOUSES = {house.name: house for house in plain_macao.HOUSES}
SEATS = tuple(ev.Seat(n, f"p{n}") for n in range(1, 5))


def test_every_shipped_pack_has_a_golden_shoe():
    assert set(HOUSES) == {*of_game("macao"), *of_game("victoria")}


@pytest.mark.parametrize("name", HOUSES)
def test_the_file_is_what_the_plain_dealer_writes(name):
    written = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    assert written.splitlines() == plain_macao.playthrough(HOUSES[name]).splitlines()


def test_the_plain_dealer_shares_no_code_with_the_program():
    source = (HERE / "plain_macao.py").read_text(encoding="utf-8")
    lines = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert lines == ["import random", "from pathlib import Path"]


def packs_of(name):
    """Return each pack of a file: its cards, and what is told of it."""
    text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    for pack in text.split("pack ")[1:]:
        lines = pack.splitlines()[1:]
        cards = [card for line in lines if line.startswith("  ") for card in line.split()]
        yield cards, [line for line in lines if line and not line.startswith("  ")]


@pytest.mark.parametrize("name", HOUSES)
def test_the_program_deals_the_same_packs(name):
    banked = None
    for cards, expected in packs_of(name):
        felt = deal(name, cards, [line for line in expected if line.startswith("coup ")], banked)
        assert told(felt) == expected
        assert audit_shoe(felt.shoe).findings == []
        banked = felt.shoe.last_holder


def deal(name, cards, coups, banked=None):
    """Deal the cards in their order, with the stakes and choices of the lines; refuse nothing.

    ``banked`` had the last bank.
    """
    felt = Felt(name, 2, seats=SEATS, banked=banked)
    order = iter(cards)

    def put(payload):
        require(felt.shoe, payload)
        felt.put(payload)

    while (due := next_action(felt.shoe)).expects != "nothing":
        number = felt.shoe.current.number if felt.shoe.current is not None else 0
        match due.expects:
            case "shuffle":
                put(ev.ShoeShuffled("dealer"))
            case "cut":
                put(ev.ShoeCut("p1", 50))
            case "card":
                place = len(felt.shoe.left) + 1
                put(ev.CardDrawn(number, due.hand, next(order), place, seat=due.seat))
            case "bets":
                words, stakes = written(coups[number - 1])
                for bet, seat in enumerate(words, 1):
                    if seat != "B":
                        stake = ev.BetPlaced(
                            number, bet, f"p{seat}", "hand", stakes[seat], int(seat)
                        )
                        put(stake)
                put(due.payload)
            case "choice":
                words = written(coups[number - 1])[0]["B" if due.seat is None else str(due.seat)]
                put(decided(felt.shoe, number, due, words))
            case _:
                put(due.payload)
    return felt


def written(line):
    """Return the hands of a coup's line by seat, and the stakes."""
    parts = line.split(" | ")
    hands = dict(part.split(": ") for part in parts[2:-2])
    stakes = {bet.split()[0]: int(bet.split()[1]) for bet in parts[-1].split(", ")}
    return {seat: cards.split() for seat, cards in hands.items()}, stakes


def decided(shoe, number, due, words):
    """Return what comes next of a hand, by how it is written."""
    coup = shoe.coups[number]
    mine = [
        e.payload for e in coup.cards if (e.payload.hand, e.payload.seat) == (due.hand, due.seat)
    ]
    last = words[len(mine) - 1]
    thrown = sum(
        (e.payload.hand, e.payload.seat) == (due.hand, due.seat) for e, _ in coup.banked.rejected
    )
    if last.endswith("-") and thrown < sum(word.endswith("-") for word in words[: len(mine)]):
        return bank_ev.CardRejected(number, due.hand, due.seat)
    draws = words[len(mine) :] and words[len(mine)] != "."
    return bank_ev.ChoiceMade(number, due.hand, "draw" if draws else "stand", None, due.seat)


def told(felt):
    """Tell the shoe as a golden file does, from its events."""
    lines, coup = [], None
    for event in felt.shoe.history:
        payload = event.payload
        match payload:
            case bank_ev.BankPosted(by=by, amount=amount):
                lines.append(f"{by} puts up {amount}")
            case bank_ev.BankWithdrawn(by=by, amount=amount):
                lines.append(f"{by} takes up {amount}")
            case ev.ShoePassed(by=by, reason=reason):
                lines.append(f"{by} passes: {reason}")
            case ev.CoupClosed(coup=number):
                coup = felt.shoe.coups[number]
                lines.append(tell_coup(coup))
    heir, left = felt.shoe.offered, felt.shoe.ended.payload.left
    return [*lines, f"the next bank is {heir}'s, {left} cards left"]


def tell_coup(coup):
    hands, settled = {}, []
    for event in coup.events:
        payload = event.payload
        match payload:
            case ev.CardDrawn():
                cards = hands.setdefault((payload.hand, payload.seat), [])
                asked = cards and cards[-1] == "+"
                cards[-1:] = [f"+{payload.card}"] if asked else [*cards[-1:], payload.card]
            case bank_ev.ChoiceMade():
                hands[payload.hand, payload.seat].append("+" if payload.choice == "draw" else ".")
            case bank_ev.CardRejected():
                hands[payload.hand, payload.seat][-1] += "-"
                hands[payload.hand, payload.seat].append("+")
            case bank_ev.HandsCalled():
                called = " ".join(
                    "x" if each.total > 9 else str(each.total) for each in payload.totals
                )
            case ev.BetTaken():
                settled.append((coup.bets[payload.bet], f"-{payload.amount}"))
            case ev.BetPaid():
                settled.append((coup.bets[payload.bet], f"+{payload.amount}"))
            case ev.BetPushed():
                settled.append((coup.bets[payload.bet], "="))
    cards = [
        f"{'B' if seat is None else seat}: {' '.join(words)}" for (_, seat), words in hands.items()
    ]
    cards.sort(key=lambda each: each.startswith("B"))
    bets = ", ".join(f"{bet.placed.payload.seat} {bet.amount} {what}" for bet, what in settled)
    head = f"coup {coup.number} | bank {coup.banked.bank}"
    return f"{head} | {' | '.join(cards)} | called {called} | {bets}"
