"""The next-card tests for many patrons at once, computed with arrays.

`sabot.domain.protection` computes one patron at a time, which takes hours for a million
patron-shoes. This module repeats the tests of first cards for a patron's first shoe, with one array
row for each patron. `same` compares the result with the program's own evidence, and every run calls
it before counting.
"""

import math

import numpy as np

from benchmarks.protection_shoes import BANKER_DRAWS, DECKS, PLAYER_DRAWS, STOP, Coup, evidence_for
from sabot.domain.protection.e_process.mixture import ACCOUNTS, start_mixture
from sabot.domain.protection.e_process.predictors import ACCURACIES
from sabot.domain.protection.e_process.test_martingale import bet_coup, enter_shoe, start_bettor

NO_CARD = 10
STRIPS = 5
CARDS = 52 * DECKS
FRESH = np.array([16 * DECKS] + [4 * DECKS] * 9)
LEAST = np.arange(1, 10)
RIGHT = np.array([float(accuracy) for accuracy in ACCURACIES])
READERS = ("side", "bold", "size")
HABITS = (
    "flat-banker", "whim", "trend", "martingale", "counter", "copycat", "quitter", "tie-hopeful",
    "last-cards",
)  # fmt: skip
PLAYER_TABLE = np.zeros((10, 10), dtype=bool)
for totals, draws in PLAYER_DRAWS.items():
    PLAYER_TABLE[totals] = draws
BANKER_TABLE = np.zeros((10, 10, 11), dtype=bool)
for (*totals, third), draws in BANKER_DRAWS.items():
    BANKER_TABLE[*totals, NO_CARD if third is None else third] = draws


class Shoes:
    """Shoes side by side, one row each: the remaining order, and the values seen."""

    def __init__(self, cards):
        """Take the orders and burn by the first card."""
        shoes = len(cards)
        self.cards = cards
        first = cards[:, 0]
        self.at = 1 + np.where(first == 0, 10, first)
        self.unseen = np.tile(FRESH, (shoes, 1))
        self.rows = np.arange(shoes)
        self.unseen[self.rows, first] -= 1

    @property
    def live(self):
        """Return which shoes have a coup left."""
        return self.at < CARDS - STOP

    def deal(self):
        """Return the next coup of every shoe: six cards, how many count, and who wins."""
        six = self.cards[self.rows[:, None], self.at[:, None] + np.arange(6)]
        player_total, banker_total = (six[:, 0] + six[:, 2]) % 10, (six[:, 1] + six[:, 3]) % 10
        draws = PLAYER_TABLE[player_total, banker_total]
        third = np.where(draws, six[:, 4], NO_CARD)
        more = BANKER_TABLE[player_total, banker_total, third]
        player = np.where(draws, (player_total + six[:, 4]) % 10, player_total)
        last = np.where(draws, six[:, 5], six[:, 4])
        banker = np.where(more, (banker_total + last) % 10, banker_total)
        came = np.where(player == banker, 2, np.where(player > banker, 0, 1))
        return six, 4 + draws + more, came

    def gone(self, six, used):
        """Remove the cards of a coup from the unseen ones, in the shoes that had a coup left."""
        live = self.live
        for place in range(6):
            rows = self.rows[live & (place < used)]
            self.unseen[rows, six[rows, place]] -= 1
        self.at = np.where(live, self.at + used, self.at)


class Patrons:
    """The stakes of nine honest habits, one patron of each in a shoe. Banker stakes are below 0."""

    def __init__(self, rng, shoes):
        """Start without any memory of coups."""
        self.rng = rng
        self.last = np.full((shoes, len(HABITS)), -1)
        self.won = np.zeros((shoes, len(HABITS)), dtype=np.int64)
        self.double = np.full(shoes, 25)
        self.winner = np.full(shoes, -1)
        self.shown = np.full(shoes, -1)

    def stakes(self, unseen):
        """Return the stakes before a coup, one column for each habit in the order of `HABITS`."""
        shoes = len(unseen)
        lost = self.last[:, 3]
        grown = np.where(self.double < 6400, 2 * self.double, 25)
        self.double = np.where(lost == 0, grown, np.where(lost == 1, 25, self.double))
        excess = 9 * unseen[:, 6:].sum(axis=1) - 4 * unseen[:, 1:].sum(axis=1)
        follows = np.select([self.winner == 0, self.winner == 1], [100, -100], 0)
        whim = self.rng.choice((25, 50, 100, 400), shoes) * self.rng.choice((1, -1), shoes)
        by_last = np.select([self.shown < 0, self.shown >= 6], [0, 100], -100)
        flat = np.full(shoes, -100)
        return np.column_stack(
            [
                flat,
                whim,
                follows,
                self.double,
                np.where(excess > 0, 100 + 10 * excess, -(100 - 10 * excess)),
                follows // 2,
                np.where(self.won[:, 6] >= 300, 0, 100),
                flat,
                by_last,
            ]
        )

    def learn(self, stakes, six, used, came):
        """Remember how the coup ended."""
        decided = came != 2
        sign = np.where(came == 0, 1, -1)[:, None]
        self.won += np.where(decided[:, None], stakes * sign, 0)
        right = (stakes == 0) | ((stakes > 0) == (came == 0)[:, None])
        self.last = np.where(decided[:, None], right.astype(np.int64), self.last)
        self.winner = np.where(decided, came, self.winner)
        self.shown = six[np.arange(len(six)), used - 1]


class Reader:
    """An array version of `sabot.domain.protection.e_process.predictors.CardReader`."""

    def __init__(self, model, patrons):
        """Start from the same state as the program's reader."""
        self.weights = np.tile(np.array(model.threshold.weights[1:]), (patrons, 1))
        self.hits = np.zeros((patrons, 9))
        self.seen = np.zeros(patrons)
        self.any = np.tile(np.array(model.any_class.weights), (patrons, 1))
        self.ins = np.full((patrons, len(RIGHT), 10), 0.5)
        self.shares = np.tile(np.array(model.shares), (patrons, 1))
        self.rows = np.arange(patrons)

    def bet(self, live, up, drawn, unseen, left):
        """Return the factor of a card for each row, 1 without a signal, and learn from it."""
        rows = self.rows
        right = self.weights * (2 * self.hits + 4) / (2 * self.seen + 5)[:, None]
        wrong = self.weights - right
        told = np.where(up[:, None], right, wrong)
        other = self.weights - told
        likely = np.empty((len(rows), 10))
        likely[:, 0] = other.sum(axis=1)
        likely[:, 1:] = likely[:, :1] + np.cumsum(told - other, axis=1)
        in_order = likely[rows, drawn] * left / (unseen * likely).sum(axis=1)
        says = np.where(up[:, None], RIGHT, 1 - RIGHT)
        outside = (self.any * (1 - says)).sum(axis=1)
        pulls = self.any * (2 * says - 1)
        likely = outside[:, None] + np.matmul(pulls[:, None, :], self.ins)[:, 0, :]
        at_will = likely[rows, drawn] * left / (unseen * likely).sum(axis=1)
        parts = self.shares * np.column_stack([in_order, at_will])
        both = parts.sum(axis=1)
        self._learn(live, up, drawn, (right, wrong, says))
        self.shares = np.where(live[:, None], parts / both[:, None], self.shares)
        return np.where(live, both, 1.0)

    def _learn(self, live, up, drawn, beliefs):
        right, wrong, says = beliefs
        hit = (drawn[:, None] >= LEAST) == up[:, None]
        fresh = np.where(hit, right, wrong)
        fresh /= fresh.sum(axis=1, keepdims=True)
        self.weights = np.where(live[:, None], fresh, self.weights)
        self.hits += hit & live[:, None]
        self.seen += live
        was = self.ins[self.rows, :, drawn]
        inside = was * says
        likely = inside + (1 - was) * (1 - says)
        self.ins[self.rows, :, drawn] = np.where(live[:, None], inside / likely, was)
        weights = self.any * likely
        weights /= weights.sum(axis=1, keepdims=True)
        self.any = np.where(live[:, None], weights, self.any)


class Evidence:
    """The evidence of patrons in their first shoe, from first cards only."""

    def __init__(self, patrons):
        """Start at evidence 1."""
        mixture, bettor = start_mixture(float), start_bettor(float, "p")
        self.readers = [Reader(mixture.cards[place], patrons) for place in range(len(READERS))]
        shares = [percent / 100 for _, _, percent in ACCOUNTS[: len(READERS)]]
        self.shares = np.tile(np.array([*shares, 1 - sum(shares)]), (patrons, 1))
        idle = bettor.shares[1]
        self.awake = np.tile(np.array([1 - idle, idle]), (patrons, 1))
        self.staked, self.coups = np.zeros(patrons), np.zeros(patrons)
        self.log_e, self.highest = np.zeros(patrons), np.zeros(patrons)

    def bet(self, live, stakes, drawn, unseen):
        """Add the first card of a coup for every patron who is still playing."""
        main = np.abs(stakes)
        sided = live & (stakes != 0)
        scaled = main * self.coups
        lives = (sided, sided & (scaled >= self.staked), live & (scaled != self.staked))
        ups = (stakes > 0, stakes > 0, scaled > self.staked)
        self.staked += np.where(live, main, 0)
        self.coups += live
        left = unseen.sum(axis=1)
        factors = np.column_stack(
            [
                reader.bet(here, up, drawn, unseen, left)
                for reader, here, up in zip(self.readers, lives, ups, strict=True)
            ]
            + [np.ones(len(stakes))]
        )
        parts = self.shares * factors
        old = parts.sum(axis=1)
        self.shares = parts / old[:, None]
        sums = self.awake * np.column_stack([old, np.ones(len(old))])
        factor = sums.sum(axis=1)
        self.awake = sums / factor[:, None]
        self.log_e += np.log(factor)
        np.maximum(self.highest, self.log_e, out=self.highest)


def fresh_orders(rng, shoes):
    """Return the values of uniformly shuffled shoes."""
    order = np.repeat(np.arange(10), FRESH)
    return rng.permuted(np.tile(order, (shoes, 1)), axis=1)


def factory_orders(shoes):
    """Return the values of new packs in factory order, one pack after the other."""
    pack = [value if value < 10 else 0 for _ in range(4) for value in range(1, 14)]
    return np.tile(np.array(pack * DECKS), (shoes, 1))


class PickedUp:
    """The order of the discards when each coup is picked up hand by hand."""

    def __init__(self, shoes):
        """Start with the undealt cards, which stay behind the discards."""
        self.keys = np.tile(np.arange(CARDS) + 10 * CARDS, (shoes, 1))
        self.coup = 0

    def __call__(self, dealt, _stakes, coup, _evidence):
        """Add a coup: the Player's cards, then the Banker's."""
        six, used = coup
        self.coup += 1
        drew = PLAYER_TABLE[(six[:, 0] + six[:, 2]) % 10, (six[:, 1] + six[:, 3]) % 10]
        for place, order in enumerate((0, 3, 1, 4)):
            self._key(dealt, used > place, place, np.full(len(six), order))
        self._key(dealt, used > 4, 4, np.where(drew, 2, 5))
        self._key(dealt, used > 5, 5, np.full(len(six), 5))

    def _key(self, dealt, here, place, order):
        rows = dealt.rows[here & dealt.live]
        self.keys[rows, dealt.at[rows] + place] = 10 * self.coup + order[rows]

    def orders(self, cards):
        """Return the current order of the cards."""
        return np.take_along_axis(cards, np.argsort(self.keys, axis=1), axis=1)


def riffled_orders(cards, rng, riffles, *, strips):
    """Riffle each shoe so many times (Gilbert, Shannon, Reeds), after a strip cut if wanted."""
    for _ in range(riffles):
        if strips:
            cards = np.stack([_stripped(order, rng) for order in cards])
        # the riffle turned about: each card goes left or right by a coin, in its order
        piles = rng.integers(0, 2, cards.shape)
        places = np.argsort(np.argsort(piles, axis=1, kind="stable"), axis=1)
        cards = np.take_along_axis(cards, places, axis=1)
    return cards


def _stripped(order, rng):
    cuts = np.sort(rng.choice(np.arange(1, len(order)), STRIPS, replace=False))
    return np.concatenate(np.split(order, cuts)[::-1])


def play(rng, cards, watch=None):
    """Play shoes to the end with every honest habit. Return the highest evidence of each.

    ``watch`` is called with every coup: shoes, stakes, and the evidence after it.
    """
    shoes, habits = len(cards), len(HABITS)
    dealt, patrons = Shoes(cards), Patrons(rng, shoes)
    evidence = Evidence(shoes * habits)
    while dealt.live.any():
        stakes = patrons.stakes(dealt.unseen)
        six, used, came = dealt.deal()
        flat = stakes.reshape(-1)
        live, first = np.repeat(dealt.live, habits), np.repeat(six[:, 0], habits)
        evidence.bet(live, flat, first, np.repeat(dealt.unseen, habits, axis=0))
        if watch is not None:
            watch(dealt, stakes, (six, used), evidence)
        patrons.learn(stakes, six, used, came)
        dealt.gone(six, used)
    return evidence.highest.reshape(shoes, habits)


def same(rng, shoes=8):
    """Return the largest difference from the program's own evidence over some shoes."""
    bettors = [[start_bettor(float, "p") for _ in HABITS] for _ in range(shoes)]
    for row in bettors:
        for bettor in row:
            enter_shoe(float, bettor, "s")
    logs = np.zeros((shoes, len(HABITS)))
    apart = 0.0

    def watch(dealt, stakes, coup, evidence):
        nonlocal apart
        six, used = coup
        for row in range(shoes):
            if not dealt.live[row]:
                continue
            cards = [int(value) for value in six[row, : used[row]]]
            seen = Coup(1, tuple(int(many) for many in dealt.unseen[row]), cards, [])
            for habit in range(len(HABITS)):
                on = int(stakes[row, habit])
                felt = {"player" if on > 0 else "banker": abs(on)} if on else {}
                told = evidence_for(seen, felt, outcomes=False)
                logs[row, habit] += math.log(bet_coup(float, bettors[row][habit], told))
        apart = max(apart, float(np.abs(evidence.log_e.reshape(logs.shape) - logs).max()))

    play(rng, fresh_orders(rng, shoes), watch)
    return apart
