"""Rules of the end of a shoe: the cut card, the last coup, and what is still owed.

The rule of a last coup that was called: it is the last, until another is called so in time.
"""

from collections.abc import Iterator
from typing import Final

from sabot.domain.audit.checks.commission import later
from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Doubt, Rule, beginning
from sabot.domain.audit.table_order import doubt_among
from sabot.domain.audit.wording import money
from sabot.domain.events import (
    CommissionCollected,
    LastCoupCalled,
)
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.common import cards_before_cut_card, last_coup
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import CutCard, Shoe

_BEGUN_LATE = "the record does not begin with the loading of the shoe"


def _after_last(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if view.shoe.cut_card is None:
        return "the cut card has not been seen"
    last = last_coup(view.shoe)
    if last is None:
        return "the pack has no end of shoe"
    doubtful = _close_in_doubt(view)
    if doubtful is not None:
        return doubtful
    if view.coup.number <= last or not view.coup.cards:
        return NO_BREACH
    return (
        Breach(
            f"coup {view.coup.number} was dealt after the last",
            f"coup {last} is the last of the shoe",
            f"coup {view.coup.number} dealt",
            (view.shoe.cut_card.event, view.coup.cards[0]),
            done=view.coup.cards[0],
        ),
    )


def _close_in_doubt(view: CoupView) -> str | None:
    """Say why nobody knows whether the cut card showed within the coup before, or behind it."""
    shoe = view.shoe
    if shoe.order is None or shoe.cut_card is None:
        return None
    before = [shoe.coups.get(view.coup.number - back) for back in (1, 2)]
    ends = [end for coup in before if coup is not None for end in (coup.closed, coup.voided)]
    return doubt_among(shoe, (shoe.cut_card.event,), [end for end in ends if end is not None])


def _cut_card_shown(shoe: Shoe) -> Answer:
    place = cards_before_cut_card(shoe)
    if shoe.scope == "coups" or place is None:
        return "no stop card was recorded"
    if shoe.cut_card is None:
        behind = shoe.left[max(place, 0) :]
        if not behind or not _gone_on(shoe, behind[0]):
            return "the cut card has not been seen"
        return (
            Breach(
                "the cut card was passed over in silence",
                f"it shows after {place} cards",
                f"{len(shoe.left)} cards left the shoe without it",
                tuple(shoe.left[place : place + 1]),
            ),
        )
    event = shoe.cut_card.event
    doubtful = doubt_among(shoe, (event,), shoe.left)
    if doubtful is not None:
        return doubtful
    shown = sum(1 for card in shoe.left if card.position < event.position)
    said = event.payload.drawn
    if said in (None, place) and _told_in_time(shoe, place, shown, said):
        return NO_BREACH
    return (
        Breach(
            f"the cut card showed after {shown} cards",
            f"after {place} cards, where it was placed",
            f"after {shown} cards by the events, {said} as reported",
            (shoe.stop_cards[-1], event),
            done=event,
        ),
    )


def _gone_on(shoe: Shoe, card: RecordedEvent) -> bool:
    """Tell whether the coup of a card is over, and the next begun: nobody tells of it any more."""
    number = getattr(card.payload, "coup", None)
    later = [c.events[0] for c in shoe.coups.values() if c.number != number and c.events]
    return shoe.ended is not None or any(event.position > card.position for event in later)


def _told_in_time(shoe: Shoe, place: int, shown: int, said: int | None) -> bool:
    """Tell whether the cut card was told where it showed.

    It is met by who draws the card behind it: that card, or the coup that it went to, may be
    told before it. Where the event says itself how many cards had left, it may come later still.
    """
    if shown <= place:
        return shown == place
    met = {card.payload.coup for card in shoe.left[place:shown]}
    return said is not None or (len(met) == 1 and None not in met)


def _last_coup_called(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    last = last_coup(shoe)
    if last is None or shoe.cut_card is None:
        return "the cut card has not been seen, or the pack has no end of shoe"
    coup = shoe.coups.get(last)
    if coup is None or not coup.cards:
        return "the last coup has not been dealt"
    return _announced(shoe, shoe.cut_card, coup)


def _announced(shoe: Shoe, cut_card: CutCard, last: Coup) -> Answer:
    """Judge whether the last coup was called so before its first card."""
    called = [event for event in shoe.last_coup_called if _calls(event.payload, last.number)]
    first, begun = last.cards[0], beginning(last)
    doubtful = doubt_among(shoe, called, (first,))
    if doubtful is not None:
        return doubtful
    if any(event.position < first.position for event in called):
        return NO_BREACH
    if cut_card.during == last.number and begun and begun.position < cut_card.event.position:
        return "the cut card made the coup in play the last"
    breach = Breach(
        f"coup {last.number} was not called as the last",
        "the dealer announces the last coup before its first card",
        f"{len(called)} calls of coup {last.number}, none in time",
        (cut_card.event, first),
        last.number,
        done=first,
    )
    return _last_in_doubt(shoe, last) or (breach,)


def _last_in_doubt(shoe: Shoe, last: Coup) -> str | None:
    """Say why nobody knows before or behind which coup the cut card showed."""
    assert shoe.cut_card is not None
    ends = [end for coup in shoe.coups.values() for end in (coup.closed, coup.voided)]
    others = [event for event in (*ends, last.cards[0]) if event is not None]
    return doubt_among(shoe, (shoe.cut_card.event,), others)


def _calls(payload: LastCoupCalled, last: int) -> bool:
    return payload.coup in (None, last)


def _ended_early(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.ended is None:
        return "the shoe has not ended"
    if shoe.ended.payload.reason != "cut-card":
        return "the shoe was taken out of play for another reason"
    if shoe.pack is not None and shoe.pack.end.last_coup == "never":
        return "the pack has no end of shoe"
    if shoe.cut_card is not None or shoe.loaded is None:
        return NO_BREACH if shoe.cut_card is not None else _BEGUN_LATE
    return (
        Breach(
            "the shoe ended by the cut card, which was never seen",
            "the cut card shows before a shoe ends by it",
            "no cut card",
            (shoe.ended,),
        ),
    )


def _marks(shoe: Shoe) -> bool:
    """Tell whether commission is marked: by the pack, or though it is due at once.

    A mark that is never collected is commission evaded (field-facts.md 4), whatever the pack.
    """
    if shoe.pack is None:
        return False
    if shoe.pack.commission.due == "marked":
        return True
    marked = any(owed > 0 for owed in shoe.owed.values())
    return marked or any(owed > 0 for _, _, owed in shoe.leavings)


def _commission_owing(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is None or not (_marks(shoe) or any(shoe.owed.values())):
        return "the pack's commission is not marked"
    if shoe.ended is None:
        return "the shoe has not ended"
    at_once = shoe.pack.commission.due == "at-once"
    answer: list[Breach | Doubt] = []
    for patron, owed in sorted(shoe.owed.items()):
        stands: int | str = owed
        if owed < 0 and at_once:
            # what was collected for no coup may be for a bet that lacked it
            over = later(shoe, patron)[1]
            stands = over if isinstance(over, str) else -over
        if isinstance(stands, str):
            answer.append(Doubt(stands))
        elif stands:
            answer.append(_standing(shoe, shoe.ended, patron, stands))
    return tuple(answer)


def _standing(shoe: Shoe, ended: RecordedEvent, patron: str, owed: int) -> Breach:
    """Say that commission is still owed when a shoe has ended, or was collected and not owed."""
    return Breach(
        f"{patron}'s commission stands at {money(shoe, owed)} when the shoe has ended",
        "what commission is owed is collected, all of it and no more, by the end of the shoe",
        f"{money(shoe, abs(owed))} {'still owed' if owed > 0 else 'collected too much'}",
        (ended,),
        money=((patron, owed),),
        patron=patron,
        key=("patron", patron),
    )


def _left_owing(shoe: Shoe) -> Answer:
    if not _marks(shoe):
        return "the pack's commission is not marked"
    if not shoe.leavings:
        return "nobody left the table"
    if shoe.order is not None:
        collected = events_of(CommissionCollected, shoe.order.events)
        doubtful = doubt_among(shoe, [event for event, _, _ in shoe.leavings], collected)
        if doubtful is not None:
            return doubtful
    return tuple(
        Breach(
            f"{patron} left the table owing {money(shoe, owed)} of commission",
            "marked commission is collected before its patron leaves",
            f"{money(shoe, owed)} still owed",
            (event,),
            money="what a patron owes in the end is told when the shoe has ended",
        )
        for event, patron, owed in shoe.leavings
        if owed > 0
    )


END_RULES = (
    Rule(
        "Z301",
        "coup-after-last",
        "procedure",
        "high",
        "Once the cut card is out, the pack says which coup is the last.",
        ("field-facts.md 1.2 (cut-card arithmetic), 3 A4", "seeds S0, S1"),
        on_coup=_after_last,
    ),
    Rule(
        "Z302",
        "wrong-cut-card-position",
        "procedure",
        "medium",
        "The cut card shows where it was placed, unless cards are missing or it was moved.",
        ("field-facts.md 3 A3, A4",),
        on_shoe=_cut_card_shown,
    ),
    Rule(
        "Z303",
        "last-coup-not-called",
        "procedure",
        "low",
        "Patrons are told which coup is the last.",
        ("field-facts.md 3 A4", "seeds S0, S1"),
        on_shoe=_last_coup_called,
    ),
    Rule(
        "Z304",
        "shoe-end-without-cut-card",
        "procedure",
        "medium",
        "A shoe that ends by its cut card has shown it.",
        ("field-facts.md 3 A4",),
        on_shoe=_ended_early,
    ),
    Rule(
        "P206",
        "commission-unpaid-at-shoe-end",
        "procedure",
        "medium",
        "Commission marked during the shoe is collected by its end; what nobody owes is not.",
        ("field-facts.md 3 A19", "NY 5324.21"),
        on_shoe=_commission_owing,
    ),
    Rule(
        "P207",
        "commission-unpaid-at-departure",
        "procedure",
        "medium",
        "Commission marked for a patron is collected before he leaves.",
        ("field-facts.md 3 A19", "NY 5324.21"),
        on_shoe=_left_owing,
    ),
)


def _went_on(shoe: Shoe) -> Answer:
    if not shoe.last_coup_called:
        return "no coup was called the last"
    if shoe.scope == "coups":
        return COUPS_ALONE
    return tuple(_dealt_on(shoe))


def _dealt_on(shoe: Shoe) -> Iterator[Breach | Doubt]:
    """Yield a breach for each coup that was called the last, and the shoe went on behind it.

    Once the cut card is out, the pack says which coup is the last: others hold the call against it.
    """
    latest, told = max(shoe.coups, default=0), set[int]()
    for event in shoe.last_coup_called:
        last = _named(shoe, event)
        after = _first_behind(shoe, last, event) if latest > last else None
        if after is None or last in told:
            continue
        first = after.cards[0]
        again = [each for each in shoe.last_coup_called if _named(shoe, each) > last]
        put_right = (*_noted(shoe, event), *again, *_cut_card(shoe))
        doubtful = doubt_among(shoe, (event, *put_right), (first,))
        if doubtful is not None:
            yield Doubt(doubtful)
        elif not any(each.position < first.position for each in put_right):
            told.add(last)
            yield Breach(
                f"coup {after.number} was dealt, and coup {last} had been called the last",
                "no coup comes behind the one that is called the last",
                f"coup {latest} was the last to begin",
                (event, first),
                after.number,
                key=("last", last),
                done=first,
            )


def _named(shoe: Shoe, event: RecordedEvent) -> int:
    """Return the coup that was called the last; where none is named, the one that comes next."""
    if isinstance(event.payload, LastCoupCalled) and event.payload.coup is not None:
        return event.payload.coup
    begun = (each for each in shoe.coups.values() if each.events)
    return 1 + max((c.number for c in begun if c.events[0].position < event.position), default=0)


def _first_behind(shoe: Shoe, last: int, called: RecordedEvent) -> Coup | None:
    """Return the first coup behind the last that was dealt once that had been called."""
    behind = (
        coup
        for coup in shoe.coups.values()
        if coup.number > last and coup.cards and coup.cards[0].position > called.position
    )
    return min(behind, key=lambda coup: coup.cards[0].position, default=None)


def _noted(shoe: Shoe, called: RecordedEvent) -> list[RecordedEvent]:
    """Return what was noted of a wrong call behind that of the last coup."""
    return [
        event
        for event in shoe.irregularities
        if event.payload.kind == "wrong-call" and event.position > called.position
    ]


def _cut_card(shoe: Shoe) -> tuple[RecordedEvent, ...]:
    return () if shoe.cut_card is None else (shoe.cut_card.event,)


LAST_COUP_RULES: Final = (
    Rule(
        "Z305",
        "play-after-called-last-coup",
        "procedure",
        "low",
        "Who hears that a coup is the last bets and leaves by it; a shoe is not ended at will.",
        ("field-facts.md 3 A4", "seeds S0, S1"),
        on_shoe=_went_on,
    ),
)


RULES = (
    *END_RULES,
    *LAST_COUP_RULES,
)
"""Every rule of this family."""
