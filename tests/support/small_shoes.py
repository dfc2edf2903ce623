"""Shoes small enough to deal every order of them, and habits that only look at the past."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from sabot.domain.protection.e_process.next_card_chances import coup_totals, outcome_number
from sabot.domain.protection.observation.observed_coup import Change, CoupObservation, Look

HANDS = ["player", "banker", "player", "banker", "player", "banker"]
Past = list[tuple[tuple[int, ...], int]]
"""Coups before: the cards shown, and the outcome."""
Habit = Callable[[Past, tuple[int, ...]], dict[str, int]]
"""What a patron stakes, from the past and from what is unseen."""


def every_coup(unseen):
    """Deal the next coup in every way. Yield its cards and the number of their orders."""

    def on(dealt, left, ways) -> Iterator[tuple[tuple[int, ...], int]]:
        if coup_totals(dealt) is not None:
            yield tuple(dealt), ways
            return
        for value, many in enumerate(left):
            if many:
                rest = list(left)
                rest[value] -= 1
                yield from on([*dealt, value], rest, ways * many)

    yield from on([], list(unseen), 1)


def orders_in(unseen, used):
    """Return the number of ordered ways in which so many cards can leave."""
    ways = 1
    for gone in range(used):
        ways *= sum(unseen) - gone
    return ways


def copied(state):
    """Copy lists and structs whose leaves are numbers. It is a faster `copy.deepcopy`."""
    if isinstance(state, list):
        return [copied(part) for part in state]
    if isinstance(state, Struct) and not state.__struct_config__.frozen:
        return type(state)(*(copied(getattr(state, name)) for name in state.__struct_fields__))
    return state


def without(unseen, dealt):
    """Return the counts of unseen cards, by value, after some of them were dealt."""
    left = list(unseen)
    for value in dealt:
        left[value] -= 1
    return tuple(left)


def sight(number, unseen, dealt, stakes, *, early=False, late=None, lacking=0):
    """Return a coup in which ``p`` stakes ``stakes`` and moves to ``late`` after the first card."""
    felt = {"p": stakes} if stakes else {}
    coup = CoupObservation(
        number,
        ("p",),
        unseen=tuple(unseen),
        lacking=lacking,
        stakes=felt,
        looks=[],
        changes=[],
        dealt=list(dealt),
        hands=HANDS[: len(dealt)],
        laid_out=early and len(dealt) >= 4,
    )
    left = list(unseen)
    for place, value in enumerate(dealt, 1):
        now = felt if place == 1 or late is None else {"p": late}
        coup.looks.append(Look(place, value, tuple(left), lacking, now, place, early))
        left[value] -= 1
    if late is not None:
        known = without(unseen, dealt[:1])
        coup.changes.append(Change("p", stakes, late, ((1, dealt[0]),), 99, known, lacking))
    return coup


def outcome(dealt):
    """Return 0 for Player, 1 for Banker, 2 for a tie."""
    return outcome_number(*coup_totals(dealt)[:2])


def _net(past: Past, stakes: list[str]) -> int:
    won = 0
    for (_, came), on in zip(past, stakes, strict=False):
        won += 0 if came == 2 else 1 if ("player", "banker")[came] == on else -1
    return won


def flat_player(_past, _unseen):
    return {"player": 10}


def flat_banker(_past, _unseen):
    return {"banker": 10}


def sits_out(_past, _unseen):
    return {}


def trend(past, _unseen):
    last = past[-1][1] if past else 2
    return {} if last == 2 else {("player", "banker")[last]: 10}


def against_the_trend(past, _unseen):
    last = past[-1][1] if past else 0
    return {("banker", "player", "player")[last]: 10}


def martingale(past, _unseen):
    stake = 10
    for _, came in past:
        stake = 10 if came == 0 else stake if came == 2 else 2 * stake
    return {"player": stake}


def counter(_past, unseen):
    high = sum(unseen[6:])
    return {"player": 50} if 2 * high >= sum(unseen) else {"banker": 10}


def quitter(past, _unseen):
    won = sum({0: 1, 1: -1, 2: 0}[came] for _, came in past)
    return {} if won > 0 else {"player": 10}


def tie_hunter(past, _unseen):
    return {"banker": 10, "tie": 5 if len(past) % 2 else 1}


def last_card(past, _unseen):
    """Bets by the last card shown, which everybody saw."""
    if not past:
        return {"player": 20}
    return {"player": 30} if past[-1][0][-1] >= 6 else {"banker": 5}


def parlays(past, _unseen):
    """Lets his winnings stay on Player, and lowers the stake a little when he loses."""
    stake = 10
    for _, came in past:
        stake = stake * 2 if came == 0 else max(1, stake - 3)
    return {"player": stake, "banker": 4}


HABITS: dict[str, Habit] = {
    habit.__name__: habit
    for habit in (
        flat_player,
        flat_banker,
        sits_out,
        trend,
        against_the_trend,
        martingale,
        counter,
        quitter,
        tie_hunter,
        last_card,
        parlays,
    )
}
