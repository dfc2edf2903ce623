"""A second, plain dealer of macao and victoria, to hold the program against.

It shares nothing with the program: its own card values, its own comparing of hands, its own
payments, as the sources of the packs have them and as the packs say what no source settles. Its
punters draw by whim.

    python tests/golden/plain_macao.py

writes the golden playthroughs beside this file: whole packs for each house, one after the other,
four at the table; the bank of each goes on to the left of who had the last one. A pack has its
cards in their order, then a line for whatever becomes of the bank, and a line a coup: what lies
in the bank, each hand in its turn (``+`` a card that was asked for, ``-`` behind it one that was
rejected; ``.`` the hand stands), what was called (``x`` is bust), and each stake in the order of
settling: ``+`` won, ``-`` lost, ``=`` neither.
"""

# ruff: noqa: C901, PLC0206, PLR0911, PLR0912, PLR0917, T201 - plain chains of ifs, on purpose

import random
from pathlib import Path

HERE = Path(__file__).parent
LEAST_STAKE, LEAST_BANK = 500, 200_000
PACKS = 3
SEATS = (4, 3, 2, 1)  # clockwise


class House:
    """The rules of one house in a banker's words."""

    def __init__(self, name, seed, first, bust, most, ties_void, spare):
        self.name = name
        self.seed = seed
        self.first = first  # cards dealt to each hand at first
        self.bust = bust  # over nine is bust; else ten is dropped
        self.most = most  # cards that a hand may have at most, None: any number
        self.ties_void = ties_void  # what is equal in total and cards goes back; else it is lost
        self.spare = spare  # cards a hand that are left for another coup


HOUSES = [
    House("macao-old", 247, 1, True, None, True, 4),
    House("macao-later", 294, 1, False, 2, False, 3),
    House("victoria", 642, 2, False, 3, False, 4),
]


def points(card):
    if card[0] in "TJQK":
        return 0
    return 1 if card[0] == "A" else int(card[0])


def worth(house, hand):
    """The total of a hand; None where it is bust."""
    total = sum(points(card) for card in hand)
    if house.bust:
        return total if total <= 9 else None
    return total % 10


def said(house, hand):
    total = worth(house, hand)
    return "x" if total is None else str(total)


def winnings(house, hand, banker, stake):
    """What a stake wins: negative where it is lost, None where it goes back."""
    mine, his = worth(house, hand), worth(house, banker)
    if mine is None:
        return -stake
    wins = his is None or mine > his or (mine == his and len(hand) < len(banker))
    if not wins and his is not None and mine == his and len(hand) == len(banker):
        return None if house.ties_void else -stake
    if not wins:
        return -stake
    if len(hand) == 2 and hand[0][0] == hand[1][0]:
        return stake
    if len(hand) == house.first and mine == 9:
        return 3 * stake
    if len(hand) == house.first and mine == 8:
        return 2 * stake
    return stake


class Pack:
    def __init__(self, house, dice):
        self.house = house
        self.dice = dice
        self.cards = [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"] * 2
        self.dice.shuffle(self.cards)
        self.gone = 0

    def next(self):
        self.gone += 1
        return self.cards[self.gone - 1]

    def left(self):
        return len(self.cards) - self.gone

    def played(self, hand):
        """Play a hand to its end by whim. Return how it is written."""
        house, words = self.house, list(hand)
        asked = False
        while worth(house, hand) is not None:
            zero = asked and points(hand[-1]) == 0
            if zero and self.dice.random() < 0.8:
                words[-1] += "-"
                hand[-1] = self.next()
                words.append("+" + hand[-1])
                continue
            full = house.most is not None and len(hand) >= house.most
            low = worth(house, hand) < 5
            if full or self.dice.random() >= (0.85 if low else 0.12):
                if not full or zero:
                    words.append(".")
                break
            hand.append(self.next())
            words.append("+" + hand[-1])
            asked = True
        return " ".join(words)


def playthrough(house):
    dice, banker = random.Random(house.seed), SEATS[0]
    lines = [f"# {house.name}"]
    for number in range(1, PACKS + 1):
        pack = Pack(house, dice)
        lines.append(f"pack {number}")
        lines += ["  " + " ".join(pack.cards[i : i + 13]) for i in range(0, 104, 13)]
        more, banker = play(house, pack, banker)
        lines += more
    return "\n".join(lines) + "\n"


def play(house, pack, banker):
    """Play a pack from a banker on. Return what is told of it, and who has the next bank."""
    lines, bank = [], None
    coup = 0
    while pack.left() >= house.spare * len(SEATS):
        if bank is None:
            bank = LEAST_BANK
            lines.append(f"p{banker} puts up {bank}")
        turn = [s for s in SEATS if s < banker] + [s for s in SEATS if s > banker]
        stakes, cover = {}, bank
        for seat in turn:
            stake = pack.dice.choice([500, 1005, 2500, 20_000, 60_000])
            if pack.dice.random() < 0.85 and stake <= cover:
                stakes[seat] = stake
                cover -= stake
        if not stakes:
            stakes[turn[0]] = min(500, cover)
        coup += 1
        turn = [seat for seat in turn if seat in stakes]
        hands = {seat: [] for seat in [*turn, 0]}
        for _ in range(house.first):
            for seat in hands:
                hands[seat].append(pack.next())
        told = [f"{seat}: {pack.played(hands[seat])}" for seat in turn]
        if all(worth(house, hands[seat]) is None for seat in turn):
            told.append("B: " + " ".join(hands[0]))
        else:
            told.append("B: " + pack.played(hands[0]))
        called = " ".join(said(house, hands[seat]) for seat in hands)
        before, money = bank, bank
        results = [(winnings(house, hands[s], hands[0], stakes[s]), s) for s in turn]
        lost = [
            f"{s} {stakes[s]} -{stakes[s]}" for won, s in results if won is not None and won < 0
        ]
        money += sum(stakes[s] for won, s in results if won is not None and won < 0)
        back = [f"{s} {stakes[s]} =" for won, s in results if won is None]
        paid = []
        for won, seat in results:
            if won is not None and won > 0:
                given = min(won, money)
                money -= given
                paid.append(f"{seat} {stakes[seat]} " + (f"+{given}" if given else "="))
        bank = money
        lines.append(
            f"coup {coup} | bank {before} | {' | '.join(told)} | called {called} | "
            + ", ".join([*lost, *back, *paid])
        )
        if bank < LEAST_STAKE and pack.left() >= house.spare * len(SEATS):
            if bank:
                lines.append(f"p{banker} takes up {bank}")
            lines.append(f"p{banker} passes: lost")
            banker = turn_after(banker)
            bank = None
    if bank:
        lines.append(f"p{banker} takes up {bank}")
    lines.append(f"p{banker} passes: pack-ended")
    lines.append(f"the next bank is p{turn_after(banker)}'s, {pack.left()} cards left")
    return lines, turn_after(banker)


def turn_after(seat):
    return seat - 1 if seat > 1 else 4


if __name__ == "__main__":
    for each in HOUSES:
        (HERE / f"{each.name}.txt").write_text(playthrough(each), encoding="utf-8")
        print(each.name)
