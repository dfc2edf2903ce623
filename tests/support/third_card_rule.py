"""An independent dealer of punto banco that shares no code with the program.

The rule is coded from these sentences (ARRETE_2007_ART_55_14).
"""

import re

RULE = """
A natural 8 or 9 in either hand ends the coup.
Player draws on 0, 1, 2, 3, 4, 5.
Where Player stands, Banker draws on 0, 1, 2, 3, 4, 5.
Banker 0 draws whatever Player's third card is.
Banker 1 draws whatever Player's third card is.
Banker 2 draws whatever Player's third card is.
Banker 3 draws unless Player's third card is 8.
Banker 4 draws if Player's third card is 2, 3, 4, 5, 6, 7.
Banker 5 draws if Player's third card is 4, 5, 6, 7.
Banker 6 draws if Player's third card is 6, 7.
Banker 7 stands.
"""

NUMBER = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0, "0": 0} | {str(n): n for n in range(2, 10)}


def numbers(sentence):
    return {int(digit) for digit in re.findall(r"\d", sentence)}


def sentence(start):
    (found,) = [line for line in RULE.splitlines() if line.startswith(start)]
    return found.removeprefix(start)


def natural(player_total, banker_total):
    return bool({player_total, banker_total} & numbers(sentence("A natural")))


def player_draws(player_total, banker_total):
    return not natural(player_total, banker_total) and player_total in numbers(
        sentence("Player draws on")
    )


def banco_draws(player_total, banker_total, third):
    if natural(player_total, banker_total):
        return False
    if third is None:
        return banker_total in numbers(sentence("Where Player stands, Banker draws on"))
    rule = sentence(f"Banker {banker_total} ")
    if rule == "stands.":
        return False
    if "whatever" in rule:
        return True
    return (third in numbers(rule)) is ("unless" not in rule)


def points(cards):
    return sum(NUMBER[card[0]] for card in cards) % 10


def deal(cards):
    """Deal a coup from the first of the given cards, or return None if there are too few."""
    if len(cards) < 4:
        return None
    player_total, banker_total, rest = [cards[0], cards[2]], [cards[1], cards[3]], list(cards[4:])
    first, second = points(player_total), points(banker_total)
    third = None
    if player_draws(first, second):
        if not rest:
            return None
        player_total.append(rest.pop(0))
        third = NUMBER[player_total[2][0]]
    if banco_draws(first, second, third):
        if not rest:
            return None
        banker_total.append(rest.pop(0))
    return player_total, banker_total
