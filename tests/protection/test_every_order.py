"""The mean of each factor and of each product is 1 over every order.

The factors are computed as `tests.support.every_order` says.
"""

from fractions import Fraction

import pytest

from sabot.domain.protection.e_process.bet_signals import signals_of
from sabot.domain.protection.e_process.coup_evidence import evidence_of
from sabot.domain.protection.e_process.late_bets import LateBets
from sabot.domain.protection.e_process.mixture import ACCOUNTS
from sabot.domain.protection.e_process.next_card_chances import Kernel
from sabot.domain.protection.e_process.predictors import factor
from sabot.domain.protection.e_process.test_martingale import bet_coup, enter_shoe, start_bettor
from tests.support.every_order import REAL, nearest
from tests.support.small_shoes import HABITS, copied, every_coup, orders_in, outcome, sight, without
from tests.support.thorough import FULL, slow

# how many cards of each value: twelve, of two values
SHOES = {
    "tens-and-nines": (6, 0, 0, 0, 0, 0, 0, 0, 0, 6),
    "threes-and-sevens": (0, 0, 0, 6, 0, 0, 0, 6, 0, 0),
    "fours-sixes": (0, 0, 0, 0, 7, 0, 5, 0, 0, 0),
}


@pytest.fixture(autouse=True, scope="module")
def _counted_once():
    """Count the ways of a composition once: it comes back in many orders."""
    plain = Kernel.ways
    known = {}

    def ways(kernel, unseen):
        key = (id(kernel), tuple(unseen))
        if key not in known:
            known[key] = plain(kernel, unseen)
        return list(known[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "ways", ways)
        yield


def exact(bettor, coup):
    """The factor of a coup, on a copy of what the bettor knows."""
    copy = copied(bettor)
    found = bet_coup(REAL, copy, evidence_of(coup))
    assert isinstance(found, (REAL, int))
    return found, copy


def mean_of_products(bettor, habit, unseen, past, coups, *, early=False, late=None, anew=False):
    """The mean over every order of the product over so many coups; each step's is checked too."""
    stakes = habit(past, unseen)
    mean = step = Fraction(0)
    for dealt, ways in every_coup(unseen):
        chance = Fraction(ways, orders_in(unseen, len(dealt)))
        move = None if late is None else late(stakes, dealt[0])
        coup = sight(len(past) + 1, unseen, dealt, stakes, early=early, late=move)
        now, learned = exact(bettor, coup)
        step += chance * now
        then = Fraction(1)
        if coups > 1:
            left = without(unseen, dealt)
            if anew:
                enter_shoe(REAL, learned, f"shoe-{len(past) + 2}")
                left = unseen
            then = mean_of_products(
                learned, habit, left, [*past, (dealt, outcome(dealt))], coups - 1,
                early=early, late=late, anew=anew,
            )  # fmt: skip
        mean += chance * now * then
    assert nearest(step) == 1
    return mean


def beginner():
    bettor = start_bettor(REAL, "p")
    enter_shoe(REAL, bettor, "shoe-1")
    return bettor


# each habit by one of the shoes in turn, or every habit by every shoe
DEALT = [
    (shoe, name)
    for place, name in enumerate(HABITS)
    for turn, shoe in enumerate(SHOES)
    if FULL or place % len(SHOES) == turn
]


@pytest.mark.parametrize(("shoe", "name"), DEALT)
def test_the_mean_over_every_order_of_two_coups_is_exactly_one(shoe, name):
    assert nearest(mean_of_products(beginner(), HABITS[name], SHOES[shoe], [], 2)) == 1


@slow
@pytest.mark.parametrize("name", ["counter", "last_card", "tie_hunter"] if FULL else ["last_card"])
def test_the_mean_over_two_shoes_is_exactly_one(name):
    shoe = (0, 0, 0, 4, 0, 0, 0, 4, 0, 0) if FULL else (0, 0, 0, 3, 0, 0, 0, 4, 0, 0)
    assert nearest(mean_of_products(beginner(), HABITS[name], shoe, [], 2, anew=True)) == 1


@pytest.mark.parametrize("name", ["counter", "trend", "flat_player"])
def test_first_four_cards_face_down_while_bets_are_taken(name):
    shoe = SHOES["tens-and-nines"]
    assert nearest(mean_of_products(beginner(), HABITS[name], shoe, [], 2, early=True)) == 1


def chases_high_cards(stakes, first):
    """Moves to the side that the first card favours: a breach, and no knowledge of that card."""
    return {"player": 40} if first >= 6 else {"banker": 40}


@slow
@pytest.mark.parametrize("name", ["flat_banker", "counter", "sits_out"])
def test_a_bet_changed_after_a_face_earns_nothing_by_that_face(name):
    shoe = SHOES["threes-and-sevens"]
    assert (
        nearest(mean_of_products(beginner(), HABITS[name], shoe, [], 2, late=chases_high_cards))
        == 1
    )


def test_a_change_made_after_the_outcome_is_known_would_not_be_a_martingale():
    """The test above can fail: with the change taken for knowledge of the first card it does."""
    unseen = SHOES["threes-and-sevens"]
    mean = Fraction(0)
    for dealt, ways in every_coup(unseen):
        chance = Fraction(ways, orders_in(unseen, len(dealt)))
        coup = sight(1, unseen, dealt, chases_high_cards({}, dealt[0]))
        mean += chance * exact(beginner(), coup)[0]
    assert nearest(mean) > 1


def whatever_came(_dealt):
    """Moves to Banker late, and without regard to the cards."""
    return {"banker": 40}


def to_the_winner(dealt):
    """Moves to the side that won, once it has: past-posting."""
    return {"player": 40} if outcome(dealt) == 0 else {"banker": 40}


def late_mean(late, bets, unseen, past, coups):
    """The mean over every order of the product of a patron's late factors."""
    mean = Fraction(0)
    for dealt, ways in every_coup(unseen):
        chance = Fraction(ways, orders_in(unseen, len(dealt)))
        stakes = HABITS["counter"](past, unseen)
        coup = sight(len(past) + 1, unseen, dealt, stakes, late=late(dealt))
        learned = copied(bets)
        now = learned.bet(REAL, evidence_of(coup), "p")
        now = Fraction(1) if now is None else now
        left = without(unseen, dealt)
        then = Fraction(1)
        if coups > 1:
            then = late_mean(late, learned, left, [*past, (dealt, outcome(dealt))], coups - 1)
        mean += chance * now * then
    return mean


@pytest.mark.parametrize("shoe", SHOES)
def test_late_changes_without_regard_to_the_cards_have_mean_exactly_one(shoe):
    assert nearest(late_mean(whatever_came, LateBets(), SHOES[shoe], [], 2)) == 1


def test_late_changes_to_the_winner_do_not():
    assert nearest(late_mean(to_the_winner, LateBets(), SHOES["fours-sixes"], [], 2)) > Fraction(
        3, 2
    )


def many_values(unseen, habit, past, bettor, lacking=0):
    """The mean of one factor for each world in which a card may be missing, all values in play."""
    worlds = [unseen]
    if lacking:
        worlds = [without(unseen, [gone]) for gone, many in enumerate(unseen) if many]
    stakes = habit(past, unseen)
    for world in worlds:
        mean = Fraction(0)
        for dealt, ways in every_coup(world):
            coup = sight(1, unseen, dealt, stakes, lacking=lacking)
            mean += Fraction(ways, orders_in(world, len(dealt))) * exact(bettor, coup)[0]
        yield nearest(mean)


def taught(coups):
    """A bettor of whom something was learned, by coups of some other shoe."""
    bettor = beginner()
    for number, (dealt, stakes) in enumerate(coups, 1):
        unseen = (16, 4, 4, 4, 4, 4, 4, 4, 4, 4)
        bet_coup(REAL, bettor, evidence_of(sight(number, unseen, dealt, stakes)))
    return bettor


LESSONS = [
    ((9, 0, 0, 0, 0, 0), {"player": 10}),
    ((0, 7, 1, 1), {"banker": 20}),
    ((6, 0, 0, 5, 2), {"player": 30, "tie": 1}),
    ((4, 4, 4, 5), {}),
]


@pytest.mark.parametrize("name", ["counter", "parlays"])
def test_one_factor_after_lessons_has_mean_one(name):
    unseen = (3, 0, 1, 0, 2, 0, 0, 0, 0, 2)
    (mean,) = many_values(unseen, HABITS[name], [], taught(LESSONS))
    assert mean == 1


@slow
@pytest.mark.parametrize("name", ["flat_player", "tie_hunter"])
def test_a_card_that_the_record_lacks_never_lifts_the_mean_above_one(name):
    unseen = (3, 0, 0, 0, 2, 0, 1, 0, 0, 2)
    means = list(many_values(unseen, HABITS[name], [], taught(LESSONS), lacking=1))
    assert max(means) <= 1
    assert min(means) > Fraction(7, 10)


@pytest.mark.parametrize("lacking", [1, 2, 3])
def test_the_worst_case_of_lacking_cards_is_reached_and_never_passed(lacking):
    counts, likely = (3, 2, 1), (Fraction(1, 5), Fraction(1, 2), Fraction(4, 5))

    def means(gone, left):
        if gone == 0:
            cards = sum(left)
            yield sum(
                Fraction(many, cards) * factor(counts, likely, value, lacking)
                for value, many in enumerate(left)
            )
            return
        for value, many in enumerate(left):
            if many:
                yield from means(gone - 1, without(left, [value]))

    assert max(means(lacking, counts)) == 1


def test_a_coup_cut_short_counts_at_its_least():
    """Whoever voids a coup may look at its cards: what cannot be known counts for the patron."""
    unseen = SHOES["tens-and-nines"]
    mean = Fraction(0)
    bettor = taught(LESSONS)
    for dealt, ways in every_coup(unseen):
        cut = dealt[:3] if outcome(dealt) == 1 else dealt
        coup = sight(1, unseen, cut, {"player": 10})
        mean += Fraction(ways, orders_in(unseen, len(dealt))) * exact(bettor, coup)[0]
    assert nearest(mean) <= 1


def test_shares_of_accounts_come_to_one():
    assert sum(percent for _, _, percent in ACCOUNTS) == 100
    assert nearest(sum(beginner().long.shares)) == 1
    assert nearest(sum(beginner().shares)) == 1


def test_copied_bets_carry_the_same_evidence_and_no_more():
    bettor = beginner()
    unseen = SHOES["fours-sixes"]
    for dealt, _ in list(every_coup(unseen))[:3]:
        evidence = evidence_of(sight(1, unseen, dealt, {"player": 10}))
        evidence.coup.stakes["q"] = {"player": 10}
        both = signals_of(evidence, ("p", "q"), bettor.custom)
        assert both == signals_of(evidence, ("p",), bettor.custom)
