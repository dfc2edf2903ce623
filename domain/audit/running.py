"""Rules of the run of coups: one after the other, each brought to its end, none behind the shoe."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Final

from domain.audit.rule import CLEAN, Answer, Breach, Doubt, Rule, beginning
from domain.audit.timing import doubt
from domain.coup import Coup
from domain.event import Event
from domain.shoe import Shoe

_COUPS_ALONE: Final = "the record holds coups alone"
_VERSION: Final = attrgetter("version")


def _begun(shoe: Shoe) -> list[tuple[Event, Coup]]:
    """Return the coups with the facts that began them, in the order in which they began."""
    begun = [(beginning(coup), coup) for coup in shoe.coups.values()]
    return sorted(
        ((event, coup) for event, coup in begun if event is not None),
        key=lambda pair: pair[0].version,
    )


def _waits(coup: Coup) -> bool:
    """Tell whether a coup is still to be brought to its end: cards or bets of it lie there."""
    if coup.over:
        return False
    lying = any(not bet.moves and not bet.withdrawn for bet in coup.bets.values())
    return lying or bool(coup.cards)


def _left_open(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return _COUPS_ALONE
    if not shoe.coups:
        return "no coup was dealt"
    waiting = [coup for coup in shoe.coups.values() if _waits(coup)]
    if not waiting:
        return CLEAN
    begun = [event for event, _ in _begun(shoe)]
    answer: list[Breach | Doubt] = []
    for coup in waiting:
        first = beginning(coup) or coup.events[0]
        following = next((event for event in begun if event.version > first.version), None)
        if following is None:
            continue
        doubtful = doubt(shoe, first, following)
        answer.append(
            Doubt(doubtful)
            if doubtful is not None
            else Breach(
                f"coup {coup.number} was neither closed nor voided, and the shoe went on",
                "a coup is closed, or voided, before the next one",
                "no end of it",
                (first, following),
                coup.number,
            )
        )
    return tuple(answer)


def _numbers(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return _COUPS_ALONE
    begun = _begun(shoe)
    if len(begun) < 2:  # noqa: PLR2004 - a number follows another
        return "no two coups were dealt"
    return tuple(_jumps(shoe, begun))


def _jumps(shoe: Shoe, begun: list[tuple[Event, Coup]]) -> Iterator[Breach | Doubt]:
    """Yield a breach for each coup whose number is not the next."""
    last, first = begun[0]
    before = first.number
    for event, coup in begun[1:]:
        if coup.number != before + 1:
            doubtful = doubt(shoe, last, event)
            yield (
                Doubt(doubtful)
                if doubtful is not None
                else Breach(
                    f"coup {coup.number} followed coup {before}",
                    f"coup {before + 1}",
                    f"coup {coup.number}",
                    (event, last),
                    coup.number,
                )
            )
        before, last = coup.number, event


def _behind_the_end(shoe: Shoe) -> Answer:
    if shoe.ended is None:
        return "the shoe has not ended"
    ended = shoe.ended
    answer: list[Breach | Doubt] = []
    for event, coup in _begun(shoe):
        doubtful = doubt(shoe, ended, event)
        if doubtful is not None:
            answer.append(Doubt(doubtful))
        elif event.version > ended.version:
            answer.append(
                Breach(
                    f"coup {coup.number} began when the shoe had ended",
                    "no coup follows the end of its shoe",
                    f"coup {coup.number}",
                    (event, ended),
                    coup.number,
                )
            )
    return tuple(answer)


RULES = (
    Rule(
        "coup-was-left-open",
        "procedure",
        "high",
        "A coup that is neither closed nor voided has no result that anybody answers for.",
        ("field-facts.md 3 A11, A13",),
        on_shoe=_left_open,
    ),
    Rule(
        "number-of-a-coup-is-not-the-next",
        "procedure",
        "medium",
        "Coups are numbered one by one; a number passed over is a coup that nobody recorded.",
        ("field-facts.md 2 (fewer coups without a recorded removal are a loss of data), 6",),
        on_shoe=_numbers,
    ),
    Rule(
        "coup-began-after-the-shoe-had-ended",
        "procedure",
        "high",
        "Once a shoe has ended its cards are counted, and none of them is dealt.",
        ("field-facts.md 3 A4, A23",),
        on_shoe=_behind_the_end,
    ),
)
