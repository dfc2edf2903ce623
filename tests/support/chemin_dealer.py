"""An independent dealer of chemin de fer that shares no code with the program.

Cards are point values. The rule is coded as people explain it: two cards each; a natural 8 or 9 in
either hand ends the coup; Player draws or not; Banker, who has seen Player's third card, draws or
not; the higher total wins one unit, and equal totals move nothing.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import product


def shoe(decks):
    return [16 * decks] + [4 * decks] * 9


def total(cards):
    return sum(cards) % 10


def winner(player_total, banker_total):
    """Return 1 if Player's total wins, -1 if Banker's does, 0 for a tie."""
    return (player_total > banker_total) - (player_total < banker_total)


def orders(left, replaced, cards):
    """Yield every possible order of so many cards, with the number of ways it can come."""
    values = [value for value in range(10) if left[value]]
    for order in product(values, repeat=cards):
        ways, rest = 1, list(left)
        for value in order:
            ways *= rest[value]
            if not replaced:
                rest[value] -= 1
        if ways:
            yield order, ways, rest


def expected(left, replaced, player, banker):
    """Return Player's exact expected win.

    ``player(cards)`` and ``banker(cards, third)`` return the chance that each draws. ``third`` is
    None if Player stood.
    """
    won, size = defaultdict(int), sum(left)
    for (a, b, c, d), ways, rest in orders(left, replaced, 4):
        player_total, banker_total = total((a, b)), total((c, d))
        if {player_total, banker_total} & {8, 9}:
            won[1, 1] += ways * two_more(size, replaced) * winner(player_total, banker_total)
            continue
        p, q = player((a, b)), banker((c, d), None)
        last = size if replaced else size - 5
        won[1 - p, 1 - q] += ways * two_more(size, replaced) * winner(player_total, banker_total)
        stood = sum(
            many * winner(player_total, (banker_total + e) % 10) for e, many in enumerate(rest)
        )
        won[1 - p, q] += ways * last * stood
        if not p:
            continue
        for third, many in enumerate(rest):
            drawn, q = (player_total + third) % 10, banker((c, d), third)
            won[p, 1 - q] += ways * many * last * winner(drawn, banker_total)
            if not q:
                continue
            after = list(rest)
            after[third] -= not replaced
            ends = sum(
                more * winner(drawn, (banker_total + e) % 10) for e, more in enumerate(after)
            )
            won[p, q] += ways * many * ends
    all_ways = 1
    for drawn in range(6):
        all_ways *= size if replaced else size - drawn
    return sum((p * q * ways for (p, q), ways in won.items()), Fraction(0)) / all_ways


def two_more(size, replaced):
    return size * size if replaced else (size - 4) * (size - 5)


def play_one(draw, player, banker, chance):
    """Deal one coup. ``draw()`` gives the next card, ``chance()`` a number from 0 to 1."""
    player_total, banker_total = [draw()], [draw()]
    player_total.append(draw())
    banker_total.append(draw())
    if not {total(player_total), total(banker_total)} & {8, 9}:
        own, third = tuple(banker_total), None
        if chance() < player(tuple(player_total)):
            third = draw()
            player_total.append(third)
        if chance() < banker(own, third):
            banker_total.append(draw())
    return winner(total(player_total), total(banker_total))
