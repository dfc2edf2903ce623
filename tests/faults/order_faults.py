"""Faults of order: steps of a shoe that are swapped, missing, repeated or delayed.

They are derived from the constraints of order (`sabot.domain.timeline.sequence`). A shoe is dealt
without a fault, and its record is changed afterwards.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from sabot.domain import events as ev
from sabot.domain.audit import find_rule
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.timeline.constraints import Constraint, Kind, Step
from sabot.domain.timeline.sequence import CONSTRAINTS
from tests.faults.fault import FaultKind, Retold, told_with

Mutation = Literal["swapped", "omitted", "repeated", "delayed"]
"""What is done with a pair of steps.

Of a step that comes before another, or never after it: the two change places; the first is left
out; it is told again behind the second; it is told behind the second alone. Of a step that is to be
answered it is the answer that is left out, told again, or told behind the step before which it is
due. A step that comes once is told again behind itself.
"""
MUTATIONS: Final[tuple[Mutation, ...]] = ("swapped", "omitted", "repeated", "delayed")
_OF_TWO: Final = 2


class Pair(NamedTuple):
    """The places of two steps in a history: the events of the first, and the event of the second.

    ``coup`` is their coup, or None if they belong to the shoe.
    """

    first: list[int]
    second: int
    coup: int | None


def retold(
    history: Sequence[RecordedEvent],
    constraint: Constraint,
    mutation: Mutation,
    not_before: int = 1,
) -> Retold | None:
    """Return a history with a changed pair of steps, at the first occasion from a coup on.

    Return None if it has no such pair.
    """
    pairs = _pairs(history, constraint)
    pair = next((each for each in pairs if each.coup is None or each.coup >= not_before), None)
    if pair is None or (constraint.template == "once" and mutation != "repeated"):
        return None
    payloads = [event.payload for event in history]
    second = pair.second
    match mutation:
        case "swapped" if len(pair.first) > 1:
            return None  # one of them is before the second step still
        case "swapped":
            (first,) = pair.first
            payloads[first], payloads[second] = payloads[second], payloads[first]
        case "repeated":
            payloads.insert(second + 1, payloads[pair.first[-1]])
        case "omitted" | "delayed":
            moved = [payloads[place] for place in pair.first]
            payloads[second + 1 : second + 1] = moved if mutation == "delayed" else []
            for place in reversed(pair.first):
                del payloads[place]
    return Retold(told_with(history, payloads), pair.coup)


def _pairs(history: Sequence[RecordedEvent], constraint: Constraint) -> Iterator[Pair]:
    """Yield the pairs of steps to which a constraint applies, in their order."""
    kinds = list(_kinds(history))
    payloads = [event.payload for event in history]

    def places(step: Step) -> list[int]:
        return [place for place, kind in enumerate(kinds) if kind in step.kinds]

    if constraint.template == "once":
        yield from (
            Pair([place], place, _coup(payloads[place])) for place in places(constraint.first)
        )
        return
    if constraint.template == "answered":
        assert constraint.before is not None
        asked, until = places(constraint.first), places(constraint.before)
        for answer in places(constraint.second):
            due = next((place for place in until if place > answer), None)
            if due is not None and any(
                place < answer and _belong(payloads[place], payloads[answer]) for place in asked
            ):
                yield Pair([answer], due, _coup(payloads[answer]))
        return
    seen: set[int | None] = set()
    firsts = places(constraint.first)
    for second in places(constraint.second):
        coup = _coup(payloads[second])
        earlier = [p for p in firsts if p < second and _belong(payloads[p], payloads[second])]
        if coup in seen or not earlier:
            continue
        seen.add(coup)
        if constraint.template == "never-after":
            del earlier[:-1]
        yield Pair(earlier, second, coup if _coup(payloads[earlier[-1]]) is not None else None)


def _kinds(history: Sequence[RecordedEvent]) -> Iterator[Kind]:
    """Yield the kind of step of each event, and the cards of a hand to which it applies."""
    drawn: dict[tuple[int, str, int | None], int] = {}
    for event in history:
        payload = event.payload
        nth = 0
        if isinstance(payload, ev.CardDrawn):
            hand = payload.coup, payload.hand, payload.seat
            nth = drawn[hand] = drawn.get(hand, 0) + 1
        elif isinstance(payload, ev.CardTurned):
            nth = payload.nth
        yield type(payload), "" if not nth else "third" if nth > _OF_TWO else "first"


def _coup(payload: ev.ShoeEvent) -> int | None:
    return getattr(payload, "coup", None)


def _belong(one: ev.ShoeEvent, other: ev.ShoeEvent) -> bool:
    """Return whether two events agree in the coup, hand and bet that both name."""
    for key in ("coup", "hand", "seat", "nth"):
        pair = getattr(one, key, None), getattr(other, key, None)
        if None not in pair and pair[0] != pair[1]:
            return False
    return True


# -- The kinds that are injected into shoes of every house -----------------------------------------

_WORDS: Final[dict[Mutation, str]] = {
    "swapped": "change places",
    "omitted": "the first is left out",
    "repeated": "the first is told again",
    "delayed": "the first comes late",
}


def in_words(constraint: Constraint, mutation: Mutation) -> str:
    """Describe how the steps of a constraint are changed."""
    one, other = constraint.first.name, constraint.second.name
    if constraint.template == "answered":
        assert constraint.before is not None
        one, other = constraint.second.name, f"{constraint.before.name} that follows"
    if constraint.template == "within":
        one, other = other, one
    pair = one if constraint.template == "once" else f"{one} and {other}"
    return f"{pair}: {_WORDS[mutation]}"


def _kind(number: str, name: str, mutation: Mutation, *beside: str) -> FaultKind:
    """Make a kind of fault from a constraint whose breach is reported by the rule of a number.

    ``beside`` are numbers of other rules that the moved events break as well.
    """
    constraint = CONSTRAINTS[name]
    return FaultKind(
        name=f"{name}-{mutation}",
        family=find_rule(number).family,
        what=in_words(constraint, mutation),
        codes=(number, *beside),
        games=constraint.games,
        retells=lambda history, not_before: retold(history, constraint, mutation, not_before),
    )


_HANDS: Final = ("W515", "R401", "K507")
"""In what a card that is dealt after the hands are called shows besides."""
KINDS: Final = (
    _kind("S303", "shuffle-before-cards", "omitted"),
    _kind("S303", "shuffle-before-cards", "delayed", "S315"),
    _kind("S308", "cut-before-cards", "omitted"),
    _kind("S308", "cut-before-cards", "delayed"),
    _kind("S309", "offer-before-cut", "omitted"),
    _kind("S309", "offer-before-cut", "delayed"),
    _kind("S311", "one-cut", "repeated"),
    _kind("S312", "cut-card-before-cards", "omitted"),
    _kind("S312", "cut-card-before-cards", "delayed"),
    _kind("S314", "one-cut-card", "repeated"),
    _kind("S314", "cut-before-cut-card", "delayed"),
    _kind("R401", "opening-before-bets", "omitted"),
    _kind("R401", "opening-before-bets", "delayed"),
    _kind("R401", "one-opening", "repeated"),
    _kind("B202", "bets-closed-before-cards", "omitted"),
    _kind("B202", "bets-closed-before-cards", "delayed"),
    _kind("D105", "no-turning-after-totals", "delayed"),
    _kind("D105", "no-turning-after-result", "delayed"),
    _kind(
        "C104",
        "no-card-after-result",
        "delayed",
        "R401",
        "K507",
        "D105",
    ),
    _kind("C106", "no-card-after-hands-called", "delayed", *_HANDS),
    _kind("C105", "result-before-close", "omitted"),
    _kind("C105", "result-before-close", "delayed", "E203"),
    _kind("E203", "result-before-settlement", "delayed"),
    _kind("E205", "losers-before-winners", "delayed"),
    _kind("E205", "losers-before-winners", "swapped"),
    _kind(
        "E204",
        "no-settlement-after-close",
        "delayed",
        "E207",
    ),
    _kind("R401", "one-close", "repeated"),
    _kind("Q101", "close-before-next-coup", "omitted"),
    _kind("Q101", "close-before-next-coup", "delayed"),
    _kind("Z303", "last-coup-called-before-its-cards", "omitted"),
    _kind("Z303", "last-coup-called-before-its-cards", "delayed"),
    _kind(
        "Z304",
        "cut-card-before-shoe-end",
        "omitted",
        "Z302",
        "Z303",
        "Z305",
    ),
    _kind("K507", "bank-called-in-coup", "omitted"),
    _kind("K507", "hand-given-in-coup", "omitted"),
    _kind("K506", "no-raise-after-call", "delayed", "W508", "K519"),
    _kind("T108", "choice-before-third-card", "omitted"),
    _kind("T108", "choice-before-third-card", "delayed"),
    _kind("Y503", "announcement-before-levy", "omitted"),
    _kind("Y503", "announcement-before-levy", "delayed"),
    _kind("Y503", "tickets-before-levy", "delayed"),
    _kind("Y504", "tickets-torn-before-next-coup", "omitted"),
    _kind("Y504", "tickets-torn-before-next-coup", "delayed"),
    _kind("W517", "natural-paid-before-play", "delayed"),
)
