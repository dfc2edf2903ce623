"""Several patrons as one subject: the mean is 1 over every order."""

import pickle
from fractions import Fraction
from math import exp, isclose

import pytest
from msgspec.structs import replace

from sabot.domain.protection.detection.detection import observe_coup
from sabot.domain.protection.detection.subjects import Plan, initial_state
from sabot.domain.protection.observation.observed_coup import Change
from sabot.domain.state.shoe import Shoe
from tests.support.small_shoes import every_coup, orders_in, sight, without
from tests.support.thorough import a_part, slow

UNSEEN = (3, 0, 1, 0, 2, 0, 1, 0, 0, 3)
WHOLE = (128, 32, 32, 32, 32, 32, 32, 32, 32, 32)
LESSONS = [(9, 0, 0, 7), (0, 7, 1, 1), (8, 0, 1, 8), (2, 4, 6, 5), (7, 1, 1, 8), (6, 3, 3, 6)]


def coup_of(number, unseen, dealt, stakes, late=()):
    """A coup of anna, who bets beforehand, and ben, who may bet after the first face."""
    coup = sight(number, unseen, dealt, {})
    coup.patrons, coup.dealer = ("anna", "ben"), "dora"
    coup.stakes = {"anna": stakes}
    coup.looks = [replace(look, stakes=coup.stakes) for look in coup.looks]
    coup.changes = list(late)
    return coup


def taught():
    """Anna has bet on high first cards six times. Ben has not bet at all."""
    shoe = Shoe("shoe/S-1", decks=8)
    state = initial_state(Plan(groups={"both": ("anna", "ben")}))
    for number, dealt in enumerate(LESSONS, 1):
        side = "player" if dealt[0] > 5 else "banker"
        observe_coup(state, shoe, coup_of(number, WHOLE, dealt, {side: 100}))
    return shoe, state


def evidence(state):
    return {
        "anna": state.patrons["anna"].tally.log_e,
        "pair": state.pairs["anna", "ben"].log_e,
        "group": state.groups["both"].tally.log_e,
        "dealer": state.dealers["dora"].log_e,
        "under": state.under["anna", "dora"].log_e,
    }


def ben_after(face):
    return [Change("ben", {}, {"banker": 100}, ((1, face),), 9, without(UNSEEN, (face,)))]


LATE = {
    "always": ben_after,
    "nobody": lambda _face: [],
    "after a low card": lambda face: ben_after(face) if face < 6 else [],
    "after a high card": lambda face: ben_after(face) if face > 5 else [],
}


@slow
@pytest.mark.parametrize("late", a_part(LATE, of=3))
def test_whoever_bets_after_a_face_moves_no_mean(late):
    shoe, state = taught()
    before, kept = evidence(state), pickle.dumps(state)
    means = dict.fromkeys(before, 0.0)
    for dealt, ways in every_coup(UNSEEN):
        chance = Fraction(ways, orders_in(UNSEEN, len(dealt)))
        after = pickle.loads(kept)
        coup = coup_of(7, UNSEEN, dealt, {"player": 100}, LATE[late](dealt[0]))
        observe_coup(after, shoe, coup)
        for name, log_e in evidence(after).items():
            means[name] += float(chance) * exp(log_e - before[name])
    for name, mean in means.items():
        assert isclose(mean, 1, abs_tol=1e-12), name
