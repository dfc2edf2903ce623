"""Rules of the cut: it is offered round the table, whoever takes it cuts, once; then the cut card.

A shuffle undoes a cut: what stands here is of the cuts since the last one.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from sabot.domain import events as f
from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, Rule
from sabot.domain.audit.table_order import doubt, doubt_in_row
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.seating import clockwise
from sabot.domain.state.shoe import Shoe


def _uncut(shoe: Shoe) -> str | None:
    """Say why nothing can be said of how the cut was offered."""
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is None or shoe.pack.cut.offered is None:
        return "the pack does not say to whom the cut is offered"
    if not shoe.cuts:
        return "no cut was recorded"
    if not clockwise(shoe, shoe.cuts[0].position):
        return "nobody sat at the table when the cards were cut"
    return None


def _not_offered(shoe: Shoe) -> Answer:
    reason = _uncut(shoe)
    if reason:
        return reason
    cut = shoe.cuts[0]
    asked = clockwise(shoe, cut.position)
    if any(event.position < cut.position for event in shoe.cut_offers):
        return NO_BREACH
    return (
        Breach(
            "the cards were cut, and were offered to nobody",
            f"the cut is offered to {asked[0]}, at the dealer's left",
            f"cut by {cut.payload.by}, offered to nobody",
            (cut,),
            key=("cut",),
        ),
    )


def _out_of_turn(shoe: Shoe) -> Answer:
    reason = _uncut(shoe)
    if reason:
        return reason
    cut = shoe.cuts[0]
    told = [event for event in shoe.cut_offers if event.position < cut.position]
    if not told:
        return "the cut was offered to nobody"
    doubtful = doubt_in_row(shoe, [*told, cut])
    if doubtful is not None:
        return doubtful
    offers = events_of(f.CutOffered, told)
    asked: list[str] = []
    for event in offers:
        to, due = getattr(event.payload, "to", ""), _next_asked(shoe, event, asked)
        if to != due:
            said = f"the cut was offered to {to}"
            return (Breach(said, f"offered to {due or 'nobody'}", said, (event,), patron=to),)
        asked.append(to)
    refused = [event.payload.by for event in events_of(f.CutRefused, told)]
    by, left = cut.payload.by, _next_asked(shoe, cut, asked)
    open_to = [to for to in asked if to not in refused]
    if by in open_to or (not open_to and left is None):
        return NO_BREACH
    due = open_to[0] if open_to else left
    said = f"{by} cut the cards"
    return (Breach(said, f"{due} is asked first", said, (cut, *told[-1:]), key=("cut",)),)


def _next_asked(shoe: Shoe, at: RecordedEvent, asked: list[str]) -> str | None:
    """Return who of those who sat there then was to be asked; None where all had been."""
    return next((who for who in clockwise(shoe, at.position) if who not in asked), None)


def _again(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if not shoe.cuts:
        return "no cut was recorded"
    due = "one cut after the shuffle, before the first coup"
    second, late = "the cards were cut a second time", "the cards were cut in the first coup"
    return tuple(_more_than_once(shoe, shoe.cuts, shoe.shuffles, due, (second, late)))


def _more_than_once(
    shoe: Shoe,
    done: Sequence[RecordedEvent],
    undone: Sequence[RecordedEvent],
    due: str,
    said: tuple[str, str],
) -> Iterator[Breach]:
    """Yield a breach for each that was done again, or in the first coup: said so of either.

    What undoes it in between lets it be done anew.
    """
    second, late = said
    for before, event in pairwise((None, *done)):
        assert event is not None
        if before is not None and not _any_between(undone, before, event):
            yield Breach(second, due, second, (event, before))
            continue
        opened = _opened_before(shoe, event)
        if opened is not None:
            yield Breach(late, due, late, (event, opened))


def _opened_before(shoe: Shoe, event: RecordedEvent) -> RecordedEvent | None:
    """Return the opening of a coup before an event; None behind a card: other rules judge that."""
    if any(card.position < event.position for card in shoe.left[:1]):
        return None
    opened = (coup.opened for coup in shoe.coups.values() if coup.opened is not None)
    return next((each for each in opened if _surely_before(shoe, each, event)), None)


def _any_between(some: Iterable[RecordedEvent], first: RecordedEvent, last: RecordedEvent) -> bool:
    return any(first.position < event.position < last.position for event in some)


def _surely_before(shoe: Shoe, one: RecordedEvent, other: RecordedEvent) -> bool:
    return one.position < other.position and doubt(shoe, one, other) is None


def _stop_card_apart(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if not shoe.stop_cards:
        return "no stop card was recorded"
    due = "one cut card, behind the cut, before the first coup"
    late = "the cut card went in once the first coup was open"
    undone: list[RecordedEvent] = [*shoe.shuffles, *shoe.cuts]
    said = ("a second cut card went in", late)
    found = list(_more_than_once(shoe, shoe.stop_cards, undone, due, said))
    last = shoe.stop_cards[-1]
    cut = next((each for each in _in_time(shoe) if _surely_before(shoe, last, each)), None)
    # until the shoe is dealt from, it may still be put in anew behind the cut
    if cut is not None and not found and (shoe.left or shoe.coups or shoe.ended):
        early = "the cut card went in before the cards were cut"
        found.append(Breach(early, due, early, (last, cut)))
    return tuple(found)


def _in_time(shoe: Shoe) -> Iterator[RecordedEvent]:
    """Yield the cuts with which nothing is wrong: each the first since a shuffle, and early."""
    for before, cut in pairwise((None, *shoe.cuts)):
        assert cut is not None
        first = before is None or _any_between(shoe.shuffles, before, cut)
        late = any(card.position < cut.position for card in shoe.left[:1])
        if first and not late and _opened_before(shoe, cut) is None:
            yield cut


RULES = (
    Rule(
        "S309",
        "cut-not-offered",
        "procedure",
        "medium",
        "Patrons cut, so that whoever shuffled does not say where the shoe begins.",
        ("field-facts.md 3 A3", "arrêté of 14 May 2007"),
        on_shoe=_not_offered,
    ),
    Rule(
        "S310",
        "cut-offered-out-of-turn",
        "procedure",
        "medium",
        "The cut goes round from the dealer's left, so that nobody chooses who cuts.",
        ("field-facts.md 3 A3", "arrêté of 14 May 2007: clockwise from the dealer's left"),
        on_shoe=_out_of_turn,
    ),
    Rule(
        "S311",
        "repeated-cut",
        "procedure",
        "medium",
        "The cards are cut once: who cuts again, or in a coup, chooses where the shoe goes on.",
        ("field-facts.md 3 A3", "seeds S0, S1 (Punto banco)"),
        on_shoe=_again,
    ),
    Rule(
        "S314",
        "mistimed-stop-card",
        "procedure",
        "medium",
        "The cut card goes in behind the cut, once: elsewhere it does not mark the last coup.",
        ("field-facts.md 1.1 #10, 3 A3", "seeds S0, S1 (Punto banco)"),
        on_shoe=_stop_card_apart,
    ),
)
