"""A plain dealer of chemin de fer, for golden playthroughs.

It shares no code with the program, and imports nothing but the random module: what it knows of
the game is written here, in a simple way. The file that it writes holds what the players did
(their claims, bets, choices: drawn at random) and what followed from it at the table, which is
what the program is held to. Run it to write the files anew:

    python tests/golden/plain_chemin.py

Amounts are in cents. A file's lines:

    asked p2 20000 no            the bank is offered at 20000 (or at any amount: "-"), refused
    bank p3 20000                p3 puts that up
    coup 4 | bank 20000 | bets p4 6000, x 9000 | raise 1000 | back x 400 | p4 plays |
        P 2c 3d +Kh | B 9c 4d . | player 5-3 | p4 +6000, x +8600 | levy 0 | left 5400
    out p3 5400 lost             what was left was taken out, and why the bank went on
"""

import random
from pathlib import Path

HERE = Path(__file__).parent
SEATED = ["p1", "p2", "p3", "p4", "p5", "p6"]
BYSTANDER = "x"
MINIMUM = 10000


class House:
    def __init__(self, name, levy, raises, bound=False):
        self.name, self.levy, self.raises, self.bound = name, levy, raises, bound


HOUSES = [
    House("chemin-de-fer", levy=False, raises=True),
    House("chemin-de-fer-france", levy=True, raises=False),
    House("chemin-de-fer-tableau", levy=False, raises=True, bound=True),
]

# The house tableau: the third cards of Player's, by their value, on which a banker of 3 to 6 draws.
DRAWS_AGAINST = {3: (0, 1, 2, 3, 4, 5, 6, 7, 9), 4: (2, 3, 4, 5, 6, 7), 5: (4, 5, 6, 7), 6: (6, 7)}


def must_draw(total, third):
    """Whether the house tableau has the banker draw: as Player himself where Player stood."""
    if third is None:
        return total <= 5
    return total <= 2 or third in DRAWS_AGAINST.get(total, ())


def worth(card):
    if card[0] == "A":
        return 1
    if card[0] in "TJQK":
        return 0
    return int(card[0])


def count(hand):
    return sum(worth(card) for card in hand) % 10


def from_beside(banker):
    """Those who sit, counter-clockwise from beside the banker. He comes last."""
    at = SEATED.index(banker)
    return SEATED[at + 1 :] + SEATED[: at + 1]


class Table:
    def __init__(self, house, cards, rng):
        self.house, self.shoe, self.rng = house, list(cards), rng
        self.size = len(cards)
        self.lines = []
        self.banker = None  # who banked last, once he has given it up
        self.bank = 0
        self.loser = None  # who lost a banco in the coup before, to this banker
        self.held = []  # stakes that a tie left

    def play(self):
        self.new_banker(None, SEATED)
        coup = 0
        last = None
        dealt = 0  # coups of this banker
        while last is None or coup < last:
            coup += 1
            gone_before = self.size - len(self.shoe)
            won = self.coup(coup)
            dealt += 1
            gone = self.size - len(self.shoe)
            if last is None and (gone > self.size - 7 or gone_before == self.size - 7):
                last = coup
            if last is not None and coup >= last:
                break
            if won == "player":
                if self.bank:
                    self.lines.append(f"out {self.banker} {self.bank} lost")
                else:
                    self.lines.append(f"broke {self.banker}")
                self.bank = 0
                self.new_banker(None, from_beside(self.banker))
                dealt = 0
            elif won == "banker" and self.rng.random() < 0.3:
                amount = self.bank
                self.lines.append(f"out {self.banker} {amount} chosen")
                self.bank = 0
                self.new_banker(amount, from_beside(self.banker))
                dealt = 0
        if self.bank:
            self.lines.append(f"out {self.banker} {self.bank} end")
        self.lines.append(f"last coup {last}, {len(self.shoe)} cards left")

    def new_banker(self, amount, order):
        self.loser = None
        retiring = order[-1] if self.banker is not None else None
        if amount is not None:
            for who in order:
                if who == retiring:
                    continue
                if self.rng.random() < 0.25:
                    self.lines.append(f"asked {who} {amount} yes")
                    return self.puts_up(who, amount)
                self.lines.append(f"asked {who} {amount} no")
        for who in order:
            # the last one asked always takes it, so that the game goes on
            if self.rng.random() < 0.6 or who == order[-1]:
                self.lines.append(f"asked {who} - yes")
                return self.puts_up(who, MINIMUM + 2500 * self.rng.randrange(9))
            self.lines.append(f"asked {who} - no")
        raise AssertionError

    def puts_up(self, who, amount):
        self.banker, self.bank = who, amount
        self.lines.append(f"bank {who} {amount}")

    def coup(self, number):
        order = from_beside(self.banker)[:-1]
        parts = [f"coup {number}", f"bank {self.bank}"]
        banco, bets = self.stakes(order, parts)
        player_hand, banker_hand = self.deal(parts)
        p, b = count(player_hand), count(banker_hand)
        won = "tie" if p == b else "player" if p > b else "banker"
        parts.append(f"{won} {p}-{b}")
        parts.append(self.settle(bets, won))
        levy = self.levy(sum(stake for _who, stake in bets)) if won == "banker" else 0
        self.bank -= levy
        parts += [f"levy {levy}", f"left {self.bank}"]
        self.lines.append(" | ".join(parts))
        self.loser = banco if won == "banker" else None
        self.held = bets if won == "tie" else []
        if won == "tie" and banco is not None:
            self.loser = None
        return won

    def stakes(self, order, parts):
        """Who goes banco (or nobody), and every stake that stands."""
        if self.held:
            parts.append("held " + ", ".join(f"{who} {stake}" for who, stake in self.held))
            bets = list(self.held)
            banco = None
        else:
            banco = self.claims(order, parts)
            bets = [(banco, self.bank)] if banco else self.bets(order, parts)
        best = None
        for who, stake in bets:
            if best is None or stake > best[1]:
                best = (who, stake)
        parts.append(f"{best[0]} plays")
        return banco, bets

    def claims(self, order, parts):
        """One banco at most. Suivi comes first, then the order of play, then who stands."""
        wish = [who for who in [*order, BYSTANDER] if self.rng.random() < 0.06]
        if self.loser is not None and self.rng.random() < 0.6:
            wish.append(self.loser)
        if not wish:
            return None
        self.rng.shuffle(wish)
        turn = [*([self.loser] if self.loser else []), *order, BYSTANDER]
        banco, heard = None, []
        for who in wish:
            # a claim behind one that stands is no claim
            if banco is None or turn.index(who) < turn.index(banco):
                banco = who
                heard.append(who + (" suivi" if who == self.loser else ""))
        parts.append("banco " + ", ".join(heard))
        return banco

    def bets(self, order, parts):
        rng = self.rng
        wished = [(who, 500 * rng.randint(1, 16)) for who in order if rng.random() < 0.6]
        if rng.random() < 0.3:
            wished.append((BYSTANDER, 500 * rng.randint(1, 16)))
        if not wished:
            wished = [(order[0], 500)]
        parts.append("bets " + ", ".join(f"{who} {stake}" for who, stake in wished))
        over = sum(stake for _who, stake in wished) - self.bank
        if over > 0 and self.house.raises and rng.random() < 0.4:
            parts.append(f"raise {over}")
            self.bank += over
            over = 0
        back, kept = [], []
        for who, stake in reversed(wished):
            less = min(stake, max(0, over))
            over -= less
            if less:
                back.append(f"{who} {less}")
            if stake > less:
                kept.insert(0, (who, stake - less))
        if back:
            parts.append("back " + ", ".join(back))
        return kept

    def deal(self, parts):
        shoe = self.shoe
        player, banker = [shoe.pop(0)], [shoe.pop(0)]
        player.append(shoe.pop(0))
        banker.append(shoe.pop(0))
        p, b = count(player), count(banker)
        said = ["", ""]
        if p < 8 and b < 8:
            said = [" .", " ."]
            if p <= 4 or (p == 5 and self.rng.random() < 0.5):
                player.append(shoe.pop(0))
                said[0] = f" +{player[2]}"
            draws = self.rng.random() < 0.5
            if self.house.bound:
                draws = must_draw(b, worth(player[2]) if len(player) > 2 else None)
            if draws:
                banker.append(shoe.pop(0))
                said[1] = f" +{banker[2]}"
        parts.append(f"P {player[0]} {player[1]}{said[0]}")
        parts.append(f"B {banker[0]} {banker[1]}{said[1]}")
        return player, banker

    def settle(self, bets, won):
        said = []
        for who, stake in bets:
            if won == "tie":
                said.append(f"{who} =")
            elif won == "player":
                self.bank -= stake
                said.append(f"{who} +{stake}")
            else:
                self.bank += stake
                said.append(f"{who} -{stake}")
        return ", ".join(said)

    def levy(self, winnings):
        """Five per cent, to the nearest ten cents, five cents up."""
        if not self.house.levy:
            return 0
        return 10 * ((winnings * 5 + 500) // 1000)


def deck(house):
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "cdhs"] * 6
    random.Random(f"golden shoe of {house.name}").shuffle(cards)
    return cards


def playthrough(house):
    cards = deck(house)
    table = Table(house, cards, random.Random(f"golden players of {house.name}"))
    table.play()
    rows = [" ".join(cards[at : at + 26]) for at in range(0, len(cards), 26)]
    head = f"{house.name}, 6 decks, cut card 7 from the end"
    return "\n".join([head, *(f"  {row}" for row in rows), *table.lines]) + "\n"


def main():
    for house in HOUSES:
        path = HERE / f"{house.name}.txt"
        path.write_text(playthrough(house), encoding="utf-8", newline="\n")
        print(path)  # noqa: T201 - a script says what it wrote


if __name__ == "__main__":
    main()
