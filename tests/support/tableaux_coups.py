"""Notation for coups of baccarat banque.

A coup is a line of two parts separated by a bar: stakes and hands:

    p7 right 500, p5 left 500, banco p8 both | 3 4 +5; 9 K; 6 A

* stakes: a patron, a wager, an amount; or ``banco``, a patron and, if named, the tableaux.
* hands: the right's, the left's and the banker's, separated by semicolons. After the first two
  cards ``+`` marks a card that was asked for, ``!`` one that nobody asked for. ``=`` means that the
  hand stands, ``?`` that it asks for a card that is not dealt. A hand that still has a choice
  stands.

p1 to p5 sit on the left (p5 next to the banker), p7 to p11 on the right (p7 next to the banker).
"""

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.procedure.seating import may_cut
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import parse_card
from tests.support.coup_notation import Felt

HANDS: tuple[ev.Hand, ...] = ("right", "left", "banker")
SEATS = tuple(ev.Seat(n, f"p{n}") for n in range(1, 12) if n != 6)


def table(pack: str = "banque", by: str = "p11", amount: int = 20_000) -> Felt:
    """Return a table with a first bank of this amount and a loaded shoe."""
    return bank(Felt(pack, seats=SEATS), by, amount)


def bank(felt: Felt, by: str, amount: int) -> Felt:
    """Award the first bank to somebody by the pack's method, and go on to a first coup."""
    while (due := next_action(felt.shoe)).expects != "coup":
        felt.put(*_ready(felt, by, amount, due))
    return felt


def _ready(felt: Felt, by: str, amount: int, due: NextAction) -> tuple[ev.Event, ...]:
    shoe, payload = felt.shoe, due.payload
    if isinstance(payload, bank_ev.BankPosted):
        return (bank_ev.BankPosted(by, amount),)
    if payload is not None:
        return (payload,)
    if due.expects == "shuffle":
        return (ev.ShoeShuffled("dealer"),)
    return _cut(shoe, by) if due.expects == "cut" else (_asked(shoe, by, amount),)


def _cut(shoe: Shoe, by: str) -> tuple[ev.Event, ...]:
    assert shoe.pack is not None
    assert shoe.pack.tableaux is not None
    if shoe.pack.tableaux.names_cutter and not shoe.cutters:
        return (ev.CutterNamed(by, "p1"),)
    return (ev.ShoeCut(may_cut(shoe) or "p1", 60),)


def _asked(shoe: Shoe, by: str, amount: int) -> ev.Event:
    assert shoe.pack is not None
    rule = shoe.pack.tableaux
    assert rule is not None
    if rule.sessions is not None and not shoe.sessions:
        return bank_ev.SessionCalled("2026-01-01", 1, 1)
    if shoe.holder is not None:
        return bank_ev.FundsProven(by, 10 * amount)
    return bank_ev.BankBid(by, amount) if rule.award == "auction" else bank_ev.BankListed(by)


def play(felt: Felt, line: str) -> Felt:
    """Deal a coup written as a line, and do what is due until it is closed."""
    stakes, _, hands = line.partition("|")
    return finish(deal(opened(felt, stakes), hands))


def opened(felt: Felt, stakes: str) -> Felt:
    """Open a coup with these stakes, up to the choice of who plays the hands."""
    number = max(felt.shoe.coups, default=0) + 1
    felt.put(ev.CoupOpened(number)).due(bank_ev.BankCalled, ev.BetCarried)
    for said in filter(None, map(str.strip, stakes.split(","))):
        word, *rest = said.split()
        if word == "banco":
            on = rest[1] if len(rest) > 1 else None
            felt.put(bank_ev.BancoCalled(number, rest[0], on=on))  # type: ignore[arg-type]
            continue
        bet = max(felt.shoe.coups[number].bets, default=0) + 1
        seat = next((n for n, who in felt.shoe.seats.items() if who == word), None)
        felt.put(ev.BetPlaced(number, bet, word, rest[0], int(rest[1]), seat))
    felt.due(ev.BetPlaced, bank_ev.ExcessReturned, bank_ev.BankRaised)
    return felt.put(ev.NoMoreBets(number)).due(bank_ev.HandGiven)


def deal(felt: Felt, text: str, *, at_once: bool = True) -> Felt:
    """Deal and play the hands. With ``at_once`` a lone natural is paid before the play goes on."""
    written = [hand.split() for hand in text.split(";")]
    for nth in range(2):
        for hand, cards in zip(HANDS, written, strict=True):
            felt.put(_card(felt, hand, cards[nth]))
    if at_once:
        felt.due(ev.CardTurned, ev.BetPaid)
    for hand, cards in zip(HANDS, written, strict=True):
        for word in cards[2:]:
            if word in ("=", "?") or word.startswith("+"):
                felt.put(_choice(felt, hand, "stand" if word == "=" else "draw"))
            if word not in ("=", "?"):
                felt.put(_card(felt, hand, word.strip("+!")))
        due = next_action(felt.shoe)
        if due.expects == "choice" and due.hand == hand:
            felt.put(_choice(felt, hand, "stand"))
    return felt


def _card(felt: Felt, hand: ev.Hand, card: str) -> ev.CardDrawn:
    assert felt.shoe.current is not None
    return ev.CardDrawn(felt.shoe.current.number, hand, parse_card(card), len(felt.shoe.left) + 1)


def _choice(felt: Felt, hand: ev.Hand, choice: str) -> bank_ev.ChoiceMade:
    assert felt.shoe.current is not None
    return bank_ev.ChoiceMade(felt.shoe.current.number, hand, choice)  # type: ignore[arg-type]


def finish(felt: Felt) -> Felt:
    """Do what is due until the coup is closed."""
    while felt.shoe.current is not None:
        payload = next_action(felt.shoe).payload
        assert payload is not None, next_action(felt.shoe)
        if isinstance(payload, bank_ev.LevyTaken):
            payload = bank_ev.LevyTaken(payload.coup, payload.amount, "T-1")
        felt.put(payload)
    return felt
