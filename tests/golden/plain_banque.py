"""A plain dealer of baccarat banque (à deux tableaux), for golden playthroughs.

It shares no code with the program, and imports nothing but the random module: what it knows of
the game is written here, in a simple way. The file that it writes holds what the people did
(their bids, claims, stakes, choices: drawn at random) and what followed from it at the table,
which is what the program is held to. Run it to write the files anew:

    python tests/golden/plain_banque.py

Amounts are in cents. Five sit on the banker's left (places 1 to 5, p5 beside him), five on his
right (7 to 11, p7 beside him); 6 is his own place; x stands. A file has several shoes, each with
its cards, then its lines:

    bids p3 30000, p9 40000       the auction; or: listed p9, p3 / lot p3
    goes p9 6                     p9 takes the banker's place; who sat there takes his
    bank p9 40000                 he puts that up
    asked p7 50000 no             a bank that was given up is offered (at any amount: "-")
    coup 4 | bank 20000 | held p4 left 50 | bets p4 left 6000 | barred p3 | banco p2 both, p8
      | p2 cheval 10000 | p8 right 10000 | back p4 left 6000 | accepts | adds 4000 | right p8
      | left p2 | R 2c 3d +Kh | L 9c 9d | B 9c 4d . | at once left p2 +100 | 5-8-3 | p8 -10000
      | levy 0 | left 5400
    coup 4 | … | bets x left 600, p7 left 19700 | over x left 300 | …
                                  x staked first, and the seated cover the bank
    coup 5 | … | at once left p2 +100 | void | left 5300
                                  the hands were never called
    adds p3 14600                 a broken bank is made up to the minimum
    out p3 5400 chosen            the bank was taken out, and why it went on
"""

# ruff: noqa: C901, PLR0917, T201 - plain chains of ifs, on purpose

import random
from pathlib import Path

HERE = Path(__file__).parent
MIDDLE = 6
BYSTANDER = "x"
SHOES = 12


class House:
    def __init__(self, name, decks, award, minimum, least, unit, levy):
        self.name, self.decks, self.award = name, decks, award
        self.minimum, self.least, self.unit, self.levy = minimum, least, unit, levy
        self.open = award == "lot"
        self.seeds = name.startswith("banque")  # who sits stakes on his own tableau


HOUSES = [
    House("banque", 3, "auction", 20000, 500, 1, None),
    House("banque-list", 3, "list", 20000, 500, 1, None),
    House("deux-tableaux-france", 3, "auction", 20000, 100, 1, "2 %"),
    House("deux-tableaux-france-open", 6, "lot", 100000, 100, 100, "1.25 %"),
]


def worth(card):
    if card[0] == "A":
        return 1
    if card[0] in "TJQK":
        return 0
    return int(card[0])


def count(hand):
    return sum(worth(card) for card in hand) % 10


def is_natural(hand):
    return count(hand[:2]) > 7


class Table:
    def __init__(self, house, cards, rng):
        self.house, self.shoe, self.rng = house, list(cards), rng
        self.size = len(cards)
        self.lines = []
        self.places = {n: f"p{n}" for n in range(1, 12) if n != MIDDLE}
        self.banker, self.bank, self.unlimited = None, 0, False
        self.held = []  # stakes that are frozen: who, on what, how much
        self.hands = {}  # tableau: who held it last in rotation, did it lose, who sat there then
        self.row = {}  # who went bank in a row: how often he lost, and what the last came to
        self.proven = {}

    # -- Who sits where -----------------------------------------------------------------------

    def wing(self, name):
        """Those of a tableau, from beside the banker outwards."""
        numbers = range(MIDDLE + 1, 12) if name == "right" else range(MIDDLE - 1, 0, -1)
        return [self.places[n] for n in numbers if n in self.places]

    def rotation(self):
        turn = [n for step in range(1, 6) for n in (MIDDLE + step, MIDDLE - step)]
        return [self.places[n] for n in turn if n in self.places]

    def side(self, who):
        for name in ("right", "left"):
            if who in self.wing(name):
                return name
        return None

    def goes_to_the_middle(self, who):
        was = next((n for n, sits in self.places.items() if sits == who), None)
        if was == MIDDLE:
            return
        there = self.places.pop(MIDDLE, None)
        if was is not None:
            del self.places[was]
            if there is not None:
                self.places[was] = there
        self.places[MIDDLE] = who
        self.lines.append(f"goes {who} {MIDDLE}")

    # -- The bank -----------------------------------------------------------------------------

    def play(self):
        self.first_bank()
        coup, last, played = 0, None, 0
        while True:
            if self.bank < self.house.least:
                if self.rng.random() < 0.5:
                    more = self.house.minimum - self.bank
                    self.bank += more
                    self.proven[self.banker] = self.proven.get(self.banker, 0)
                    self.lines.append(f"adds {self.banker} {more}")
                else:
                    if self.bank:
                        self.lines.append(f"out {self.banker} {self.bank} lost")
                    else:
                        self.lines.append(f"broke {self.banker}")
                    self.next_bank(None)
                    played = 0
                    continue
            elif played and not self.held and self.rng.random() < 0.12:
                amount = self.bank
                self.lines.append(f"out {self.banker} {amount} chosen")
                self.next_bank(None if self.house.open else amount)
                played = 0
                continue
            coup += 1
            gone_before = self.size - len(self.shoe)
            played += self.coup(coup)
            gone = self.size - len(self.shoe)
            if last is None and (gone > self.size - 10 or gone_before == self.size - 10):
                last = coup
            if last is not None and coup >= last:
                break
        if self.bank:
            self.lines.append(f"out {self.banker} {self.bank} end")
        self.lines.append(f"last coup {last}, {len(self.shoe)} cards left")

    def first_bank(self):
        rng = self.rng
        names = rng.sample(self.rotation(), 3)
        amount = self.house.minimum + 2500 * rng.randrange(5)
        if self.house.award == "auction":
            bids = []
            for who in names:
                amount += 100 * rng.randint(1, 20)
                bids.append((who, amount))
            self.lines.append("bids " + ", ".join(f"{who} {bid}" for who, bid in bids))
            who = bids[-1][0]
        else:
            self.lines.append("listed " + ", ".join(names))
            who = names[0]
            if self.house.award == "lot":
                who = rng.choice(names)
                self.lines.append(f"lot {who}")
        self.puts_up(who, amount)

    def next_bank(self, amount):
        self.held, self.unlimited = [], False
        retiring, self.bank = self.banker, 0
        if amount is not None:
            for who in self.rotation():
                if self.rng.random() < 0.3:
                    self.lines.append(f"asked {who} {amount} yes")
                    return self.puts_up(who, amount)
                self.lines.append(f"asked {who} {amount} no")
        for who in [*self.rotation(), retiring]:
            # the last one asked always takes it, so that the game goes on
            if who == retiring or self.rng.random() < 0.4:
                self.lines.append(f"asked {who} - yes")
                return self.puts_up(who, self.house.minimum + 2500 * self.rng.randrange(5))
            self.lines.append(f"asked {who} - no")
        raise AssertionError

    def puts_up(self, who, amount):
        self.goes_to_the_middle(who)
        self.banker, self.bank, self.unlimited = who, amount, self.house.open
        self.row = {}
        self.lines.append(f"bank {who} {amount}")

    # -- A coup -------------------------------------------------------------------------------

    def coup(self, number):
        parts = [f"coup {number}", f"bank {self.bank}"]
        bets, takers = self.stakes(parts)
        if sum(stake for _who, _on, stake in bets) > self.bank:
            accepts = not self.house.open and not self.unlimited and self.rng.random() < 0.25
            if accepts:
                self.unlimited = True
                parts.append("accepts")
            if self.unlimited:
                more = sum(stake for _who, _on, stake in bets) - self.bank
                self.bank += more
                parts.append(f"adds {more}")
        holders = {name: self.holder(name, takers) for name in ("right", "left")}
        parts += [f"right {holders['right']}", f"left {holders['left']}"]
        stood = self.deal_and_settle(parts, bets, takers, holders)
        self.lines.append(" | ".join(parts))
        return stood

    def holder(self, name, takers):
        for who, on, _amount in takers:
            if on in (name, "cheval"):
                return who
        sitting = self.wing(name)
        if name not in self.hands:
            return sitting[0]
        who, lost, seat = self.hands[name]
        if not lost and who in sitting:
            return who
        beyond = [n for n in self.places if n > seat > 6 or n < seat < 6]
        return self.places[min(beyond, key=lambda n: abs(n - 6))] if beyond else sitting[0]

    def stakes(self, parts):
        bets = list(self.held)
        if self.held:
            parts.append("held " + listed(self.held))
        takers = []
        likely = 0.95 if self.row else 0.25
        if not self.held and not self.unlimited and self.rng.random() < likely:
            before = self.bets([]) if self.rng.random() < 0.4 else []
            if before:
                parts.append("bets " + listed(before))
            takers = self.claims(parts)
            if takers:
                parts += [f"{who} {on} {stake}" for who, on, stake in takers]
                same = [bet for bet in before if bet in takers]
                back = [bet for bet in self.in_rotation(before) if bet not in same][::-1]
                if back:
                    parts.append("back " + listed(back))
                return [*same, *[taker for taker in takers if taker not in same]], takers
            if before:
                return self.covered(parts, before), []
        wished = self.bets(bets)
        if wished:
            parts.append("bets " + listed(wished))
        return self.covered(parts, bets + wished), takers

    def bets(self, lying):
        """What people stake; the first on the right always does, where nothing lies there."""
        rng, house = self.rng, self.house
        top = 10 if house.open else 16
        found = []
        for who in self.rotation():
            if rng.random() < 0.55:
                continue
            side = self.side(who)
            if not house.seeds and rng.random() < 0.2:
                side = rng.choice(["right", "left"])
            on = "cheval" if rng.random() < 0.35 else side
            amount = 500 * rng.randint(1, top)
            if house.unit == 1 and rng.random() < 0.2:
                amount += 2 * rng.randint(1, 49) if on == "cheval" else rng.randint(1, 99)
            if house.unit == 100 and on == "cheval":
                amount += amount % 200
            found.append((who, on, amount))
        if not found and not lying:
            who = self.rotation()[0]
            found = [(who, self.side(who), 500)]
        rng.shuffle(found)
        if rng.random() < 0.3:
            first = rng.random() < 0.5
            before = lying if first else [*lying, *found]
            room = self.bank - sum(stake for _who, _on, stake in before)
            amount = 600
            if self.unlimited or amount <= room:
                stake = (BYSTANDER, rng.choice(["right", "left", "cheval"]), amount)
                found.insert(0 if first else len(found), stake)
        return found

    def covered(self, parts, bets):
        """Who stands has back what he staked before the seated covered the bank."""
        over = sum(stake for _who, _on, stake in bets) - self.bank
        # what was frozen comes first of the bets, and stays
        stands = [n for n in range(len(self.held), len(bets)) if bets[n][0] == BYSTANDER]
        if self.unlimited or over <= 0 or not stands:
            return bets
        (n,) = stands
        who, on, stake = bets[n]
        if on == "cheval":
            over += over % 2  # half of a cent lies on no tableau
        back = min(over, stake)
        parts.append(f"over {who} {on} {back}")
        left = [(who, on, stake - back)] if stake > back else []
        return [*bets[:n], *left, *bets[n + 1 :]]

    def claims(self, parts):
        """Who goes bank: the first in rotation; and a half each, where both sides claim."""
        rng = self.rng
        some = 0.03 if self.row else 0.12
        wish = [who for who in [*self.rotation(), BYSTANDER] if rng.random() < some]
        wish += [who for who in self.row if rng.random() < 0.95 and who not in wish]
        rng.shuffle(wish)
        heard, barred = [], []
        for who in wish:
            if self.lost_in_a_row(who) >= 3:
                barred.append(who)
                continue
            on = None
            if rng.random() < 0.3:
                on = "both"
            elif who == BYSTANDER:
                on = rng.choice(["right", "left"])
            heard.append((who, on))
        if barred:
            parts.append("barred " + ", ".join(barred))
        if heard:
            parts.append("banco " + ", ".join(who + (f" {on}" if on else "") for who, on in heard))
        order = [*self.rotation(), BYSTANDER]
        heard.sort(key=lambda claim: order.index(claim[0]))
        if not heard:
            return []
        chosen = heard[:1]
        mine = self.claims_from(heard[0])
        for claim in heard[1:]:
            theirs = self.claims_from(claim)
            if mine and theirs and mine != theirs:
                chosen.append(claim)
                break
        share = self.bank // len(chosen)
        found = []
        for who, on in chosen:
            if on == "both":
                found.append((who, "cheval", share - share % 2))
            else:
                found.append((who, on or self.side(who), share))
        return found

    def lost_in_a_row(self, who):
        times, last = self.row.get(who, (0, 0))
        return 0 if last > 0 else times + (1 if last < 0 else 0)

    def claims_from(self, claim):
        who, on = claim
        if self.side(who):
            return self.side(who)
        return on if on != "both" else None

    # -- The cards and the money --------------------------------------------------------------

    def deal_and_settle(self, parts, bets, takers, holders):
        shoe, hands = self.shoe, {"right": [], "left": [], "banker": []}
        for _round in (1, 2):
            for hand in hands.values():
                hand.append(shoe.pop(0))
        naturals = [name for name in hands if is_natural(hands[name])]
        playing = []
        if "banker" not in naturals and naturals != ["right", "left"]:
            playing = [name for name in ("right", "left") if name not in naturals]
        said = dict.fromkeys(hands, "")
        for name in [*playing, *(["banker"] if playing else [])]:
            points = count(hands[name])
            draws = points < 5 or (points == 5 and self.rng.random() < 0.5)
            if name == "banker":
                draws = self.rng.random() < 0.5
            said[name] = " ."
            if draws:
                hands[name].append(shoe.pop(0))
                said[name] = f" +{hands[name][2]}"
        came = {name: self.came(hands[name], hands["banker"]) for name in ("right", "left")}
        for name, letter in (("right", "R"), ("left", "L"), ("banker", "B")):
            parts.append(f"{letter} {hands[name][0]} {hands[name][1]}{said[name]}")
        alone = naturals[0] if len(naturals) == 1 and naturals != ["banker"] else None
        if self.rng.random() < 0.06:
            self.void(parts, bets, takers, came, alone)
            return False
        totals = "-".join(str(count(h)) for h in hands.values())
        changes = self.settle(parts, bets, came, alone, totals)
        won = -sum(changes.values())
        levy = self.levy(won)
        self.bank -= levy
        parts += [f"levy {levy}", f"left {self.bank}"]
        for name, who in holders.items():
            if not any(on in (name, "cheval") for _who, on, _stake in takers):
                seat = next(n for n, sits in self.places.items() if sits == who)
                self.hands[name] = (who, came[name] == "loses", seat)
        self.note_bancos(bets, takers, changes)
        self.held = self.frozen(bets, came)
        return True

    def void(self, parts, bets, takers, came, alone):
        """A natural was paid already, and stands; all else is as if the coup had not been dealt."""
        early, came_to = [], dict.fromkeys(range(len(bets)), 0)
        for n in self.in_rotation(bets, numbers=True):
            if bets[n][1] == alone:
                self.pays(early, bets, came_to, n, self.change(came[alone], bets[n][2]))
        if early:
            parts.append(f"at once {alone} " + ", ".join(early))
        parts += ["void", f"left {self.bank}"]
        for bet in takers:
            if came_to[bets.index(bet)]:
                self.row[bet[0]] = (0, came_to[bets.index(bet)])
        # what was frozen came first of the bets
        self.held = [bet for n, bet in enumerate(self.held) if not came_to[n]]

    def came(self, tableau, banker):
        """Where either hand is a natural, the first two cards of both decide."""
        if is_natural(tableau) or is_natural(banker):
            tableau, banker = tableau[:2], banker[:2]
        if count(tableau) == count(banker):
            return "ties"
        return "wins" if count(tableau) > count(banker) else "loses"

    def settle(self, parts, bets, came, alone, totals):
        """A lone natural at once; then losers, then pushes, then winners, in rotation."""
        changes = []
        for n in self.in_rotation(bets, numbers=True):
            _who, on, stake = bets[n]
            if on == "cheval":
                change = sum(self.change(came[name], stake // 2) for name in ("right", "left"))
            else:
                change = self.change(came[on], stake)
            changes.append((n, change))
        first = [each for each in changes if bets[each[0]][1] == alone]
        losers = [each for each in changes if each[1] < 0]
        still = [each for each in changes if each[1] == 0]
        winners = [each for each in changes if each[1] > 0]
        early, late, came_to = [], [], dict.fromkeys((n for n, _ in changes), 0)
        for n, wanted in first:
            self.pays(early, bets, came_to, n, wanted)
        for n, wanted in losers:
            self.bank -= wanted
            came_to[n] = wanted
            late.append(f"{bets[n][0]} {wanted:+d}")
        late += [f"{bets[n][0]} =" for n, _ in still]
        for n, wanted in winners:
            # what a natural lacked at once is paid now, of what the losers left
            self.pays(late, bets, came_to, n, wanted - came_to[n])
            if not came_to[n]:
                late.append(f"{bets[n][0]} =")
        if early:
            parts.append(f"at once {alone} " + ", ".join(early))
        parts.append(totals)
        parts.append(", ".join(late))
        return came_to

    def pays(self, said, bets, came_to, n, wanted):
        """Pay somebody as far as the bank goes, and say so; nothing is said of nothing."""
        given = wanted if self.unlimited else min(wanted, self.bank)
        if given > 0:
            self.bank -= given
            came_to[n] += given
            said.append(f"{bets[n][0]} +{given}")

    def change(self, came, stake):
        return {"wins": stake, "ties": 0, "loses": -stake}[came]

    def note_bancos(self, bets, takers, changes):
        """Who went bank. A stake of his that was left lying is the same banco still."""
        row = {}
        for who, on, stake in takers:
            row[who] = (self.lost_in_a_row(who), changes[bets.index((who, on, stake))])
        if not takers:
            for n, (who, _on, _stake) in enumerate(self.held):
                if who in self.row:
                    times, last = row.get(who, self.row[who])
                    row[who] = (times, last + changes[n])
        self.row = row

    def frozen(self, bets, came):
        found = []
        for who, on, stake in bets:
            if on != "cheval":
                if came[on] == "ties":
                    found.append((who, on, stake))
                continue
            tied = [name for name in ("right", "left") if came[name] == "ties"]
            if len(tied) == 1:
                found.append((who, tied[0], stake // 2))
            elif tied or came["right"] != came["left"]:
                found.append((who, on, stake))
        return found

    def in_rotation(self, bets, numbers=False):
        order = [*self.rotation(), BYSTANDER]
        turn = sorted(range(len(bets)), key=lambda n: order.index(bets[n][0]))
        return turn if numbers else [bets[n] for n in turn]

    def levy(self, won):
        """To the nearest ten cents, five cents up."""
        if self.house.levy is None or won <= 0:
            return 0
        if self.house.levy == "2 %":
            return 10 * ((won * 2 + 500) // 1000)
        return 10 * ((won + 400) // 800)


def listed(bets):
    return ", ".join(f"{who} {on} {stake}" for who, on, stake in bets)


def shuffled(house, shoe):
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "cdhs"] * house.decks
    random.Random(f"golden shoe {shoe} of {house.name}").shuffle(cards)
    return cards


def playthrough(house):
    """The whole text of a house's golden file."""
    lines = [f"{house.name}, {house.decks} decks, cut card 10 from the end"]
    for shoe in range(1, SHOES + 1):
        cards = shuffled(house, shoe)
        table = Table(house, cards, random.Random(f"golden guests {shoe} of {house.name}"))
        table.play()
        rows = [" ".join(cards[at : at + 26]) for at in range(0, len(cards), 26)]
        lines += [f"shoe {shoe}", *(f"  {row}" for row in rows), *table.lines]
    return "\n".join(lines) + "\n"


def main():
    for house in HOUSES:
        path = HERE / f"{house.name}.txt"
        path.write_text(playthrough(house), encoding="utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main()
