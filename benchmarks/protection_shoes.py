"""Shoes and patrons for the benchmarks of game protection. Cards are point values alone.

An honest habit sees the earlier coups and the counts of unseen cards. A scheme also knows the next
card. Coups are dealt by `tests.support.third_card_rule`, which shares no code with the program.
"""

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from sabot.domain.protection.e_process.coup_evidence import Evidence, evidence_of
from sabot.domain.protection.e_process.test_martingale import bet_coup, enter_shoe, start_bettor
from sabot.domain.protection.observation.observed_coup import CoupObservation, Look
from tests.support.third_card_rule import banco_draws, player_draws

DECKS = 8
STOP = 14
SIDES = ("player", "banker")
PLAYER, BANKER, TIE = range(3)
THIRDS = (*range(10), None)
PLAYER_DRAWS = {pair: player_draws(*pair) for pair in product(range(10), repeat=2)}
BANKER_DRAWS = {
    (*pair, third): banco_draws(*pair, third)
    for pair, third in product(PLAYER_DRAWS, THIRDS)
    if PLAYER_DRAWS[pair] == (third is not None)
}


def deal_coup(values):
    """Deal a coup from the next point values. Return the outcome and the number of cards used."""
    player, banker = (values[0] + values[2]) % 10, (values[1] + values[3]) % 10
    start, third, used = (player, banker), None, 4
    if PLAYER_DRAWS[start]:
        third = values[4]
        player, used = (player + third) % 10, 5
    if BANKER_DRAWS[*start, third]:
        banker, used = (banker + values[used]) % 10, used + 1
    return TIE if player == banker else PLAYER if player > banker else BANKER, used


class Coup:
    """A coup before it is dealt: what the patrons see, and its cards."""

    def __init__(self, number, unseen, cards, outcomes):
        """Keep what is seen. ``cards`` are still face down."""
        self.number, self.unseen, self.cards, self.outcomes = number, unseen, cards, outcomes
        self.known = None


def fresh_order(rng):
    """Return eight decks by point value, uniformly shuffled."""
    cards = [0] * (16 * DECKS) + [value for value in range(1, 10) for _ in range(4 * DECKS)]
    rng.shuffle(cards)
    return cards


def coups_of(cards) -> Iterator[Coup]:
    """Deal a shoe: the burn, then coup after coup to the cut card."""
    unseen = [16 * DECKS] + [4 * DECKS] * 9
    unseen[cards[0]] -= 1
    at = 1 + (cards[0] or 10)
    outcomes: list[int] = []
    number = 0
    while at < len(cards) - STOP:
        outcome, used = deal_coup(cards[at : at + 6])
        number += 1
        yield Coup(number, tuple(unseen), cards[at : at + used], outcomes)
        for value in cards[at : at + used]:
            unseen[value] -= 1
        at += used
        outcomes.append(outcome)


def evidence_for(coup, stakes, *, outcomes):
    """Return the evidence of a coup for one patron. Chances of outcomes are computed on request."""
    felt = {"p": stakes} if stakes else {}
    sight = CoupObservation(
        coup.number,
        ("p",),
        unseen=coup.unseen,
        stakes=felt,
        looks=[Look(1, coup.cards[0], coup.unseen, 0, felt, 0)],
        dealt=coup.cards,
        hands=["player", "banker"] * 3,
    )
    if not outcomes:
        return Evidence(sight, sight.looks[0])
    if coup.known is None:
        coup.known = evidence_of(sight)
    # the chances are the same for everybody at the table
    return Evidence(sight, sight.looks[0], [], coup.known.outcome, coup.known.came)


class Patron:
    """A patron over all shoes: the habit's memory, the evidence, and its highest value."""

    def __init__(self, habit, rng):
        """Start without any evidence."""
        self.habit, self.memory = habit, {"rng": rng, "won": 0, "last": None}
        self.bettor = start_bettor(float, "p")
        self.log_e = self.highest = 0.0
        self.coups = 0

    def enter(self, shoe):
        """Begin another shoe."""
        enter_shoe(float, self.bettor, shoe)

    def play(self, coup, *, outcomes=False):
        """Stake, let the evidence bet on the coup, then show the patron how it ends."""
        stakes = self.habit(coup, self.memory)
        factor = bet_coup(float, self.bettor, evidence_for(coup, stakes, outcomes=outcomes))
        self.log_e += math.log(factor)
        self.highest = max(self.highest, self.log_e)
        self.coups += 1
        came, _ = deal_coup(coup.cards)
        on = stakes.get("player", 0) - stakes.get("banker", 0)
        if came != TIE:
            self.memory["won"] += on if came == PLAYER else -on
            self.memory["last"] = on == 0 or (on > 0) == (came == PLAYER)
        return self.log_e


Habit = Callable[[Coup, dict], dict[str, int]]

# -- Honest habits ------------------------------------------------------------------------------


def flat_banker(_coup, _memory):
    """Makes the same bet on Banker every coup."""
    return {"banker": 100}


def whim(_coup, memory):
    """Picks a side at random, and a random stake."""
    rng = memory["rng"]
    return {rng.choice(SIDES): rng.choice((25, 50, 100, 400))}


def trend(coup, _memory):
    """Bets on the side that won last."""
    decided = [came for came in coup.outcomes if came != TIE]
    return {SIDES[decided[-1]]: 100} if decided else {}


def martingale(_coup, memory):
    """Doubles after a loss, to a limit."""
    stake = memory.get("stake", 25)
    if memory["last"] is False:
        stake = stake * 2 if stake < 6400 else 25
    elif memory["last"]:
        stake = 25
    memory["stake"] = stake
    return {"player": stake}


def counter(coup, _memory):
    """Counts cards for the main bets: on Player while high cards remain, with rising stakes."""
    excess = 9 * sum(coup.unseen[6:]) - 4 * sum(coup.unseen[1:])
    return {"player": 100 + 10 * excess} if excess > 0 else {"banker": 100 - 10 * excess}


def copycat(coup, memory):
    """Copies a trend follower, at half the stake, and sits out at the start."""
    return {side: amount // 2 for side, amount in trend(coup, memory).items()}


def quitter(_coup, memory):
    """Plays until he is ahead, then leaves."""
    return {} if memory["won"] >= 300 else {"player": 100}


def tie_hopeful(coup, memory):
    """Bets on Banker, sometimes on a tie, and more often after a tie."""
    due = TIE in coup.outcomes[-3:]
    return {"banker": 100, "tie": 20 if due or memory["rng"].random() < 0.3 else 5}


def last_cards(coup, memory):
    """Bets by the last cards that everybody saw.

    The patron is honest, and the worst case for a shuffle that leaves clumps.
    """
    shown = memory.get("shown")
    memory["shown"] = coup.cards[-1]
    return {} if shown is None else {"player" if shown >= 6 else "banker": 100}


def chop(coup, _memory):
    """Bets on the side that did not win last."""
    return {"banker" if side == "player" else "player": 100 for side in trend(coup, _memory)}


def paroli(_coup, memory):
    """Doubles after a win, three times at most."""
    wins = memory["wins"] = memory.get("wins", 0) + 1 if memory["last"] else 0
    return {"banker": 100 << wins % 4}


def dalembert(_coup, memory):
    """Stakes one unit more after a loss and one less after a win."""
    step = {True: -1, False: 1, None: 0}[memory["last"]]
    memory["units"] = max(1, memory.get("units", 1) + step)
    return {"player": 25 * memory["units"]}


def second_last(coup, _memory):
    """Bets on the side that won before last."""
    decided = [came for came in coup.outcomes if came != TIE]
    return {SIDES[decided[-2]]: 100} if len(decided) > 1 else {}


def hedger(_coup, memory):
    """Bets on both sides, more on one of them."""
    rng = memory["rng"]
    return {"player": rng.choice((50, 100)), "banker": rng.choice((50, 100, 200))}


def streak_chaser(coup, _memory):
    """Bets with a streak, and more the longer it is."""
    decided = [came for came in coup.outcomes if came != TIE]
    length = next(
        (at for at, came in enumerate(reversed(decided)) if came != decided[-1]), len(decided)
    )
    return {SIDES[decided[-1]]: 50 * min(length, 20)} if length > 1 else {}


def tie_due(coup, _memory):
    """Bets on a tie after twelve coups without one."""
    return {"player": 100} | ({} if TIE in coup.outcomes[-12:] else {"tie": 50})


def waits_for_count(coup, memory):
    """Sits out until the count of unseen cards favours Player."""
    stakes = counter(coup, memory)
    return stakes if stakes.get("player", 0) > 150 else {}


HONEST = {
    habit.__name__.replace("_", "-"): habit
    for habit in (
        flat_banker, whim, trend, martingale, counter, copycat, quitter, tie_hopeful, last_cards,
        chop, paroli, dalembert, second_last, hedger, streak_chaser, tie_due, waits_for_count,
    )
}  # fmt: skip

# -- Schemes ------------------------------------------------------------------------------------


def sorter(values, accuracy, camouflage=0.0, spread=1):
    """Knows with some accuracy whether the first card is of a class. Hides it by random bets."""
    inside = frozenset(values)

    def habit(coup, memory):
        rng = memory["rng"]
        if rng.random() < camouflage:
            return {rng.choice(SIDES): 100}
        truth = coup.cards[0] in inside
        believes = truth if rng.random() < accuracy else not truth
        return {"player" if believes else "banker": 100 * spread}

    return habit


def part_time(habit, honest, share):
    """Follows a scheme in some blocks of ten coups and plays honestly in the others."""

    def mixed(coup, memory):
        if (coup.number - 1) % 10 == 0 or "on" not in memory:
            memory["on"] = memory["rng"].random() < share
        return (habit if memory["on"] else honest)(coup, memory)

    return mixed


def information(class_share, accuracy, camouflage=0.0):
    """Return the nats per coup that a test gains if it knows the scheme, from side and class."""
    up = accuracy * (1 - camouflage) + camouflage / 2
    down = (1 - accuracy) * (1 - camouflage) + camouflage / 2

    def entropy(chance):
        if chance in (0, 1):
            return 0.0
        return -chance * math.log(chance) - (1 - chance) * math.log(1 - chance)

    whole = class_share * up + (1 - class_share) * down
    return entropy(whole) - class_share * entropy(up) - (1 - class_share) * entropy(down)


def class_share(values) -> float:
    """Return the share of cards of a class in a fresh shoe."""
    return float(sum(Fraction(4 if value == 0 else 1, 13) for value in set(values)))


def most_by_chance(trials, chance, level=0.999):
    """Return the quantile of a binomial count at this probability."""
    term = math.exp(trials * math.log1p(-chance))
    if term == 0.0:
        # the normal quantile, a little high
        return math.ceil(trials * chance + 3.2 * math.sqrt(trials * chance) + 2)
    total, hits = term, 0
    while total < level:
        hits += 1
        term *= (trials - hits + 1) / hits * chance / (1 - chance)
        total += term
    return hits


def seeded(*parts):
    """Return a random source for a part of a run."""
    return random.Random("/".join(map(str, parts)))
