"""A second, plain dealer, to hold the program against.

It shares nothing with the program: its own card values, its own third-card rules as the pit
says them, its own payments in fractions. It knows each house's rules as they are written for
people (the sources that the rule packs cite), not the program's rule packs.

    python tests/golden/plain_dealer.py

writes the golden playthroughs beside this file: a whole shoe for each house. A file has the
cards of the shoe in their order, then what was burned, then a line a coup: the cards of the
hands, the call, and what each bet brought: ``+`` won (commission after ``less``), ``-`` lost,
``=`` pushed, a star before a bet that a tie had left on the felt.
"""

# ruff: noqa: C901, PLR0911, PLR0912, PLR0917, T201 - plain chains of ifs, on purpose

import random
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parent


class House:
    """The rules of one house, as a floor manager would tell them."""

    def __init__(self, name, decks, behind, one_more, tie, banker, side_bets=()):
        self.name = name
        self.decks = decks
        self.behind = behind  # cards behind the cut card; None: a machine takes the cards back
        self.one_more = one_more  # a coup is dealt after the one in which it comes out
        self.tie = tie  # a tie pays so many to one
        self.banker = banker  # how winning Banker bets are paid
        self.wagers = ["player", "banker", "tie", *side_bets]


FIVE_PERCENT = "even money less 5 %"
FIVE_PERCENT_NO_MORE = "even money less 5 %, parts of a cent to the patron"
HALF_ON_SIX = "even money, half on 6"
PUSH_ON_SEVEN = "even money, a three-card 7 pushes"

HOUSES = [
    House("classic-8", 8, 7, False, 8, FIVE_PERCENT),
    House("classic-6", 6, 7, False, 8, FIVE_PERCENT),
    House("classic-4", 4, 7, False, 8, FIVE_PERCENT),
    House("uk", 8, 7, False, 9, FIVE_PERCENT),
    House("france", 6, 10, False, 8, FIVE_PERCENT),
    House("france-continuous", 6, None, False, 8, FIVE_PERCENT),
    House("super-6", 8, 14, True, 8, HALF_ON_SIX, ["super-6"]),
    House("ez-baccarat", 8, 14, True, 8, PUSH_ON_SEVEN, ["dragon-7", "panda-8"]),
    House(
        "mini",
        6,
        14,
        True,
        8,
        FIVE_PERCENT,
        ["player-pair", "banker-pair", "either-pair", "perfect-pair"],
    ),
    House("nsw", 8, 14, True, 8, FIVE_PERCENT_NO_MORE, ["player-pair", "banker-pair"]),
    House("queensland", 6, 14, True, 8, FIVE_PERCENT, ["player-pair", "banker-pair"]),
    House("louisiana", 8, 14, True, 8, FIVE_PERCENT, ["player-pair", "banker-pair"]),
    House("maryland", 6, 14, True, 8, FIVE_PERCENT, ["player-pair", "banker-pair"]),
    House(
        "midi",
        8,
        14,
        True,
        8,
        FIVE_PERCENT,
        ["player-pair", "banker-pair", "dragon-bonus-player", "dragon-bonus-banker"],
    ),
    House(
        "macau",
        8,
        12,
        True,
        8,
        FIVE_PERCENT,
        [
            "player-pair",
            "banker-pair",
            "either-pair",
            "perfect-pair",
            "super-6",
            "lucky-6",
            "small",
            "big",
            "small-tiger",
            "big-tiger",
            "tiger-tie",
        ],
    ),
]


def worth(card):
    """An ace counts one, two to nine their pips, ten and faces nothing."""
    if card[0] == "A":
        return 1
    if card[0] in ("T", "J", "Q", "K"):
        return 0
    return int(card[0])


def count(hand):
    points = 0
    for card in hand:
        points = points + worth(card)
    while points > 9:
        points = points - 10
    return points


def player_takes_a_card(player):
    """Player draws on 0 to 5 and stands on 6 and 7."""
    return count(player) <= 5


def banker_takes_a_card(banker, third):
    """Banker's rules, once neither hand has a natural; ``third`` is Player's third card."""
    points = count(banker)
    if third is None:
        return points <= 5
    drawn = worth(third)
    if points <= 2:
        return True
    if points == 3:
        return drawn != 8
    if points == 4:
        return drawn in (2, 3, 4, 5, 6, 7)
    if points == 5:
        return drawn in (4, 5, 6, 7)
    if points == 6:
        return drawn in (6, 7)
    return False


def deal_hands(shoe):
    """Take a coup's cards off the front of the shoe."""
    player = [shoe.pop(0)]
    banker = [shoe.pop(0)]
    player.append(shoe.pop(0))
    banker.append(shoe.pop(0))
    if count(player) >= 8 or count(banker) >= 8:
        return player, banker
    third = None
    if player_takes_a_card(player):
        third = shoe.pop(0)
        player.append(third)
    if banker_takes_a_card(banker, third):
        banker.append(shoe.pop(0))
    return player, banker


def same_rank(hand):
    return hand[0][0] == hand[1][0]


def same_card(hand):
    return hand[0] == hand[1]


def odds_for(house, wager, player, banker):
    """What is paid to one staked: a fraction, 0 for a push, None where the bet is lost."""
    p, b = count(player), count(banker)
    cards = len(player) + len(banker)
    if wager == "player":
        if p == b:
            return Fraction(0)
        return Fraction(1) if p > b else None
    if wager == "banker":
        if p == b:
            return Fraction(0)
        if p > b:
            return None
        if house.banker == HALF_ON_SIX and b == 6:
            return Fraction(1, 2)
        if house.banker == PUSH_ON_SEVEN and b == 7 and len(banker) == 3:
            return Fraction(0)
        return Fraction(1)
    if wager == "tie":
        return Fraction(house.tie) if p == b else None
    if wager == "player-pair":
        return Fraction(11) if same_rank(player) else None
    if wager == "banker-pair":
        return Fraction(11) if same_rank(banker) else None
    if wager == "either-pair":
        return Fraction(5) if same_rank(player) or same_rank(banker) else None
    if wager == "perfect-pair":
        if same_card(player) and same_card(banker):
            return Fraction(200)
        return Fraction(25) if same_card(player) or same_card(banker) else None
    if wager == "dragon-7":
        return Fraction(40) if b == 7 and p < 7 and len(banker) == 3 else None
    if wager == "panda-8":
        return Fraction(25) if p == 8 and b < 8 and len(player) == 3 else None
    if wager == "super-6":
        return Fraction(12) if b == 6 and p < 6 else None
    if wager == "lucky-6":
        if b == 6 and p < 6:
            return Fraction(12) if len(banker) == 2 else Fraction(20)
        return None
    if wager == "small-tiger":
        return Fraction(22) if b == 6 and p < 6 and len(banker) == 2 else None
    if wager == "big-tiger":
        return Fraction(50) if b == 6 and p < 6 and len(banker) == 3 else None
    if wager == "tiger-tie":
        return Fraction(35) if p == 6 and b == 6 else None
    if wager == "small":
        return Fraction(3, 2) if cards == 4 else None
    if wager == "big":
        return Fraction(54, 100) if cards > 4 else None
    if wager == "dragon-bonus-player":
        return dragon_bonus(player, banker)
    if wager == "dragon-bonus-banker":
        return dragon_bonus(banker, player)
    raise ValueError(wager)


def dragon_bonus(mine, other):
    natural = len(mine) == 2 and count(mine) in (8, 9)
    other_natural = len(other) == 2 and count(other) in (8, 9)
    margin = count(mine) - count(other)
    if natural and margin > 0:
        return Fraction(1)
    if natural and other_natural and margin == 0:
        return Fraction(0)
    if margin < 4:
        return None
    return Fraction({4: 1, 5: 2, 6: 4, 7: 6, 8: 10, 9: 30}[margin])


def cents(exact):
    """Winnings are rounded down to the cent."""
    return exact.numerator // exact.denominator


def nearest_cent(exact):
    """Commission goes to the nearest cent, a half upwards."""
    return cents(exact + Fraction(1, 2))


def settle(house, wager, stake, player, banker):
    """What is written of a bet."""
    odds = odds_for(house, wager, player, banker)
    if odds is None:
        return f"-{stake}"
    if odds == 0:
        return "="
    paid = cents(stake * odds)
    if wager == "banker" and house.banker == FIVE_PERCENT:
        return f"+{paid} less {nearest_cent(Fraction(paid * 5, 100))}"
    if wager == "banker" and house.banker == FIVE_PERCENT_NO_MORE:
        return f"+{paid} less {cents(Fraction(paid * 5, 100))}"
    return f"+{paid}"


def stake_on(place, coup):
    """Stakes that are no round sums, so that rounding shows."""
    return 1000 + 250 * place + 37 * coup


def burn(cards):
    """Burn the first card face up and as many as it is worth face down, ten for a face."""
    first = cards.pop(0)
    more = worth(first) if worth(first) > 0 else 10
    del cards[:more]
    return f"burn {first}, then {more} face down"


def deal_shoe(house, cards):
    """Deal a whole shoe and return its lines."""
    shoe = list(cards)
    size = len(shoe)
    lines = []
    lines.append(burn(shoe))
    coup = 0
    last = None  # the number of the last coup, once the cut card is out
    left_by_tie = {}
    while last is None or coup < last:
        coup = coup + 1
        gone_before = size - len(shoe)
        player, banker = deal_hands(shoe)
        gone = size - len(shoe)
        # the cut card is drawn where more cards leave than lay in front of it, or the coup's
        # first card lies behind it
        if last is None and (gone > size - house.behind or gone_before == size - house.behind):
            last = coup + 1 if house.one_more else coup
        lines.append(coup_line(house, coup, player, banker, left_by_tie))
        left_by_tie = stakes_after(coup, player, banker, left_by_tie)
    lines.append(f"last coup {last}, {len(shoe)} cards left")
    return lines


COUPS_OF_A_MACHINE = 81


def deal_from_a_machine(house):
    """Deal from a machine that takes each coup's cards back, and return cards and lines.

    The cards that are burned at first go back with those of the first coup.
    """
    out, lines, left_by_tie = [], [], {}
    for coup in range(1, COUPS_OF_A_MACHINE + 1):
        machine = shuffle_for(house, f", coup {coup}")
        before = list(machine)
        if coup == 1:
            lines.append(burn(machine))
        player, banker = deal_hands(machine)
        out += before[: len(before) - len(machine)]
        lines.append(coup_line(house, coup, player, banker, left_by_tie))
        left_by_tie = stakes_after(coup, player, banker, left_by_tie)
    lines.append(f"{COUPS_OF_A_MACHINE} coups, and all cards are in the machine")
    return out, lines


def coup_line(house, coup, player, banker, left_by_tie):
    p, b = count(player), count(banker)
    call = "tie" if p == b else "player" if p > b else "banker"
    parts = [f"coup {coup}", f"P {' '.join(player)}", f"B {' '.join(banker)}", f"{call} {p}-{b}"]
    for place, wager in enumerate(house.wagers):
        star = "*" if wager in left_by_tie else ""
        stake = left_by_tie.get(wager, stake_on(place, coup))
        parts.append(f"{star}{wager} {stake} {settle(house, wager, stake, player, banker)}")
    return " | ".join(parts)


def stakes_after(coup, player, banker, left_by_tie):
    """After a tie, Player and Banker bets stay where they are for the next coup."""
    if count(player) != count(banker):
        return {}
    return {
        "player": left_by_tie.get("player", stake_on(0, coup)),
        "banker": left_by_tie.get("banker", stake_on(1, coup)),
    }


def shuffle_for(house, when=""):
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "cdhs"] * house.decks
    random.Random(f"golden shoe of {house.name}{when}").shuffle(cards)
    return cards


def playthrough(house):
    """The whole text of a house's golden file."""
    if house.behind is None:
        cards, lines = deal_from_a_machine(house)
        where = "in a continuous shuffler"
    else:
        cards = shuffle_for(house)
        lines, where = deal_shoe(house, cards), f"cut card {house.behind} from the end"
    rows = [" ".join(cards[at : at + 26]) for at in range(0, len(cards), 26)]
    head = f"{house.name}, {house.decks} decks, {where}"
    return "\n".join([head, *(f"  {row}" for row in rows), *lines]) + "\n"


def main():
    for house in HOUSES:
        path = HERE / f"{house.name}.txt"
        path.write_text(playthrough(house), encoding="utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main()
