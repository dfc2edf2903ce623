"""Rules of the run of coups: one after the other, each brought to its end, none behind the shoe."""

from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter
from typing import Final

from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.rule import Answer, Breach, CoupView, Doubt, Rule, beginning
from sabot.domain.audit.table_order import doubt, doubt_among
from sabot.domain.events import name_of
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

_POSITION: Final = attrgetter("position")


def _begun(shoe: Shoe) -> list[tuple[RecordedEvent, Coup]]:
    """Return the coups with the events that began them, in the order in which they began."""
    begun = [(beginning(coup), coup) for coup in shoe.coups.values()]
    return sorted(
        ((event, coup) for event, coup in begun if event is not None),
        key=lambda pair: pair[0].position,
    )


def _waits(coup: Coup) -> bool:
    """Tell whether a coup is still to be brought to its end: cards or bets of it lie there."""
    if coup.over:
        return False
    lying = any(not bet.moves and not bet.withdrawn for bet in coup.bets.values())
    return lying or bool(coup.cards)


def _end(coup: Coup) -> RecordedEvent | None:
    """Return the event that brought a coup to its end: its closing, or its voiding."""
    if coup.closed is None or coup.voided is None:
        return coup.closed or coup.voided
    both: tuple[RecordedEvent, RecordedEvent] = (coup.closed, coup.voided)
    return min(both, key=_POSITION)


def _left_open(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    begun = _begun(shoe)
    if not begun:
        return "no coup was dealt"
    answer: list[Breach | Doubt] = []
    for (first, coup), (following, after) in pairwise(begun):
        end = _end(coup)
        if end is None and not _waits(coup):
            continue
        doubtful = doubt(shoe, first if end is None else end, following)
        if doubtful is not None:
            answer.append(Doubt(doubtful))
        elif end is None or end.position > following.position:
            answer.append(
                Breach(
                    f"coup {coup.number} was neither closed nor voided when coup "
                    f"{after.number} began",
                    "a coup is closed, or voided, before the next one",
                    "no end of it" if end is None else f"{name_of(end.payload)} behind it",
                    (first, following),
                    coup.number,
                    done=following,
                )
            )
    return tuple(answer)


def _numbers(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    begun = _begun(shoe)
    if len(begun) < 2:  # noqa: PLR2004 - a number follows another
        return "no two coups were dealt"
    return tuple(_jumps(shoe, begun))


def _jumps(shoe: Shoe, begun: list[tuple[RecordedEvent, Coup]]) -> Iterator[Breach | Doubt]:
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
        last = coup.closed or (coup.cards[-1] if coup.cards else event)
        doubtful = doubt(shoe, ended, last)
        if doubtful is not None:
            answer.append(Doubt(doubtful))
        elif last.position > ended.position:
            begun = event.position > ended.position
            answer.append(
                Breach(
                    f"coup {coup.number} {'began' if begun else 'went on'} when the shoe had ended",
                    "a shoe ends behind its last coup, and no other follows",
                    name_of(event.payload if begun else last.payload),
                    (event if begun else last, ended),
                    coup.number,
                )
            )
    return tuple(answer)


def _drawn_when_over(view: CoupView) -> Answer:
    coup = view.coup
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    end, cards = _over(coup), [*coup.cards, *coup.late]
    if end is None or not cards:
        return "no card was drawn" if end is not None else "the coup has not been closed"
    doubtful = doubt_among(view.shoe, cards, (end,))
    if doubtful is not None:
        return doubtful
    return tuple(
        Breach(
            f"a card was drawn for coup {coup.number} when it was over",
            "no card is drawn for a coup that is closed or void",
            f"{name_of(card.payload)} after {name_of(end.payload)}",
            (card, end),
        )
        for card in cards
        if card.position > end.position
    )


def _over(coup: Coup) -> RecordedEvent | None:
    """Return the event behind which no card is drawn for a coup.

    A void coup that was ruled to be dealt to its end without bets has its cards until it is closed.
    """
    played_out = coup.voided is not None and any(
        event.payload.ruling == "no-bet-hand" for event in coup.irregularities
    )
    return coup.closed if played_out else _end(coup)


RULES = (
    Rule(
        "Q101",
        "unclosed-coup",
        "procedure",
        "high",
        "A coup that is neither closed nor voided has no result that anybody answers for.",
        ("field-facts.md 3 A11, A13",),
        on_shoe=_left_open,
    ),
    Rule(
        "Q102",
        "coup-number-out-of-sequence",
        "procedure",
        "medium",
        "Coups are numbered one by one; a number passed over is a coup that nobody recorded.",
        ("field-facts.md 2 (fewer coups without a recorded removal are a loss of data), 6",),
        on_shoe=_numbers,
    ),
    Rule(
        "Q103",
        "coup-after-shoe-end",
        "procedure",
        "high",
        "Once a shoe has ended its cards are counted, and none of them is dealt.",
        ("field-facts.md 3 A4, A23",),
        on_shoe=_behind_the_end,
    ),
    Rule(
        "Q104",
        "card-after-coup-end",
        "procedure",
        "high",
        "A card that leaves the shoe when its coup is over is seen before the next bets.",
        ("field-facts.md 3 A7, A11",),
        on_coup=_drawn_when_over,
    ),
)
