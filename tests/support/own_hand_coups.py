"""Notation for coups of macao and victoria.

A coup is a line of two parts separated by a bar: stakes by seat, and hands in their turn:

    2 1000, 1 500 | 2: 9; 1: 4 +K- +5 =; B: 3 +6

* hands: a seat (``B`` is the banker's), then its cards. The first ones are those dealt at first.
  ``+`` marks a card that was asked for, ``-`` behind it a card that was rejected (the next card
  comes without another mark), ``!`` a card that nobody asked for. ``=`` means that the hand stands,
  ``?`` that it asks for a card that is not dealt. A hand that still has a choice at the end stands.
* The cards dealt at first go round in the order of the line. Then each hand is played to its end.
"""

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.macao import rules_of
from sabot.domain.values.cards import Card, parse_card
from tests.support.coup_notation import Felt


def table(pack: str = "macao-old", seats: int = 3, bank: int | None = 200_000) -> Felt:
    """Return a table with patrons p1, p2, … at their seats. The highest number banks."""
    felt = Felt(pack, seats=tuple(ev.Seat(n, f"p{n}") for n in range(1, seats + 1))).ready()
    banker = f"p{seats}"
    felt.put(ev.ShoeOffered(banker), ev.ShoeTaken(banker))
    return felt.put(bank_ev.BankPosted(banker, bank)) if bank is not None else felt


def play(felt: Felt, line: str) -> Felt:
    """Deal a coup written as a line, and do what is due until it is closed."""
    return finish(deal(felt, line))


def deal(felt: Felt, line: str) -> Felt:
    """Deal a coup written as a line, up to the end of its hands."""
    staked, _, dealt = line.partition("|")
    number = max(felt.shoe.coups, default=0) + 1
    felt.put(ev.CoupOpened(number))
    for bet, said in enumerate(filter(None, map(str.strip, staked.split(","))), 1):
        seat, amount = said.split()
        felt.put(ev.BetPlaced(number, bet, f"p{seat}", "hand", int(amount), int(seat)))
    return hands(felt.put(ev.NoMoreBets(number)), dealt)


def hands(felt: Felt, text: str) -> Felt:
    """Deal and play the hands of the current coup, in the order of the line."""
    rules = rules_of(felt.shoe.pack)
    assert rules is not None
    coup = felt.shoe.current
    assert coup is not None
    written: list[tuple[ev.Hand, int | None, list[str]]] = []
    for each in filter(None, map(str.strip, text.split(";"))):
        who, _, cards = each.partition(":")
        seat = None if who.strip() == "B" else int(who)
        written.append(("banker" if seat is None else "patron", seat, cards.split()))
    for nth in range(rules.dealt):
        for hand, seat, cards in written:
            if nth < len(cards):
                felt.put(_card(felt, coup.number, hand, seat, parse_card(cards[nth])))
    for hand, seat, cards in written:
        for word in cards[rules.dealt :]:
            felt.put(*_played(felt, coup.number, hand, seat, word))
        due = next_action(felt.shoe)
        if due.expects == "choice" and (due.hand, due.seat) == (hand, seat):
            felt.put(bank_ev.ChoiceMade(coup.number, hand, "stand", None, seat))
    return felt


def finish(felt: Felt) -> Felt:
    """Do what is due until the coup is closed."""
    while felt.shoe.current is not None:
        due = next_action(felt.shoe)
        assert due.payload is not None, due
        felt.put(due.payload)
    return felt


def _card(felt: Felt, coup: int, hand: ev.Hand, seat: int | None, card: Card) -> ev.CardDrawn:
    return ev.CardDrawn(coup, hand, card, len(felt.shoe.left) + 1, seat=seat)


def _played(
    felt: Felt, coup: int, hand: ev.Hand, seat: int | None, word: str
) -> list[ev.ShoeEvent]:
    if word == "=":
        return [bank_ev.ChoiceMade(coup, hand, "stand", None, seat)]
    payloads: list[ev.ShoeEvent] = []
    if word.startswith(("+", "?")):
        payloads.append(bank_ev.ChoiceMade(coup, hand, "draw", None, seat))
    if word != "?":
        payloads.append(_card(felt, coup, hand, seat, parse_card(word.strip("+!-"))))
    if word.endswith("-"):
        payloads.append(bank_ev.CardRejected(coup, hand, seat))
    return payloads
