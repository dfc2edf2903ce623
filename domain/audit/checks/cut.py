"""Rules on the cut.

The cut is offered round the table, and one patron cuts once. Then the cut card is put in. A
shuffle undoes a cut, so the cards may be cut again after it.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import CoupOpened, CutOffered, CutRefused, ShoeCut, StopCardPlaced
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.preconditions import shoe_requirements
from sabot.domain.procedure.seating import patrons_clockwise
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    COMAR_36_05_03_27,
    DESPACHO_55_2004_ART_2,
)
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import after, before, in_sequence, some
from sabot.domain.timeline.sequence import CUT_CARD_AFTER_CUT, CUT_CARD_ONCE, CUT_OFFERED, CUT_ONCE

CUT = RuleGroup(family="procedure", concerns="form")

# -- To whom the cut is offered --------------------------------------------------------------------


@need("shoe", "no cut was recorded")
def cut_on_record(shoe: Shoe) -> bool:
    """The record holds a cut."""
    return bool(shoe.cuts)


@need("seats", "nobody sat at the table when the cards were cut", "nothing-to-check")
def patrons_seated(shoe: Shoe) -> bool:
    """A patron sat at the table at the first cut."""
    return bool(patrons_clockwise(shoe, shoe.cuts[0].position))


_OFFERED: Final = (
    needs.shoe_pack_says("to whom the cut is offered", lambda pack: pack.cut.offered is not None),
    cut_on_record,
    patrons_seated,
)
"""The needs of the rules on the offer of the cut."""


@CUT.rule(
    "S309",
    "cut-not-offered",
    sources=(ARRETE_2007_ART_55_14,),
    order=(CUT_OFFERED,),
    looks_at="shoe",
    needs=(needs.not_coups_alone, *_OFFERED),
    breach_events=(ShoeCut,),
    breaks="""
        with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p2", "depth": 90}
        ready
        coup P 4 5  B K 8
    """,
    keeps="""
        with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p2"}
        shoe-cut {"by": "p2", "depth": 90}
        ready
        coup P 4 5  B K 8
    """,
)
def cut_not_offered(shoe: Shoe) -> Iterator[Breach]:
    """The cut is offered to the patrons before the first cut, where the rule pack requires it.

    Only the first cut of the shoe is checked. One offer to anybody, or one refusal by anybody,
    before the cut is enough. S310 checks to whom the cut is offered.
    """
    cut = shoe.cuts[0]
    assert shoe.pack is not None
    offered = some(partial(before, shoe, offer, cut) for offer in shoe.cut_offers)
    if not shoe_requirements.may_be_cut(shoe.pack, offered=offered):
        asked = patrons_clockwise(shoe, cut.position)
        yield Breach(
            "the cards were cut without being offered to anybody",
            f"the cut is offered to {asked[0]}, at the dealer's left",
            f"cut by {cut.payload.by}, offered to nobody",
            (cut,),
            key=("cut",),
        )


@need("play", "the cut was offered to nobody", "nothing-to-check")
def cut_offered(shoe: Shoe) -> bool:
    """The cut was offered to somebody before it was made."""
    return bool(events_of(CutOffered, _offers_before(shoe, shoe.cuts[0])))


@CUT.rule(
    "S310",
    "cut-offered-out-of-turn",
    sources=(ARRETE_2007_ART_55_14,),
    looks_at="shoe",
    needs=(needs.not_coups_alone, *_OFFERED, cut_offered),
    breach_events=(CutOffered, CutRefused, ShoeCut),
    breaks="""
        with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 5, "patron": "p5"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p2"}
        shoe-cut {"by": "p2", "depth": 90}
        ready
        coup P 4 5  B K 8
    """,
    keeps="""
        with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 5, "patron": "p5"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p5"}
        shoe-cut {"by": "p5", "depth": 90}
        ready
        coup P 4 5  B K 8
    """,
)
def cut_offered_out_of_turn(shoe: Shoe) -> Iterator[Breach]:
    """The cut is offered clockwise from the dealer's left; the first patron who accepts cuts.

    Seats are numbered counter-clockwise, so the highest taken seat is asked first. Only patrons who
    sit at the table when the offer is made have a turn. Only the first cut of the shoe is checked,
    and only the first wrong offer is reported. A refusal without a recorded offer is ignored. A
    patron who was offered the cut and did not refuse it may cut. Once all seated patrons were
    offered the cut, it may be offered to anybody. Once all refused it, anybody may cut.
    """
    cut = shoe.cuts[0]
    told = _offers_before(shoe, cut)
    in_sequence(shoe, [*told, cut])
    asked: list[str] = []
    for event in events_of(CutOffered, told):
        to, due = event.payload.to, _next_asked(shoe, event, asked)
        if due is not None and not shoe_requirements.cut_goes_to(to, (due,)):
            said = f"the cut was offered to {to}, not to {due}"
            yield Breach(said, f"offered to {due}", said, (event,), patron=to)
            return
        asked.append(to)
    by, left = cut.payload.by, _next_asked(shoe, cut, asked)
    answers = {event.payload.by: event.position for event in events_of(CutRefused, told)}
    offers = {event.payload.to: event.position for event in events_of(CutOffered, told)}
    open_to = [to for to in asked if answers.get(to, 0) < offers[to]]
    if (open_to or left is not None) and not shoe_requirements.cut_goes_to(by, open_to):
        due = open_to[0] if open_to else left
        said = f"{by} cut the cards, not {due}"
        yield Breach(said, f"{due} is asked first", said, (cut, *told[-1:]), key=("cut",))


def _offers_before(shoe: Shoe, cut: RecordedEvent) -> list[RecordedEvent]:
    """Return the offers and refusals of the cut that were recorded before a cut."""
    return [event for event in shoe.cut_offers if event.position < cut.position]


def _next_asked(shoe: Shoe, at: RecordedEvent, asked: list[str]) -> str | None:
    """Return the next seated patron to whom the cut has to be offered.

    None if all have been asked.
    """
    return next((who for who in patrons_clockwise(shoe, at.position) if who not in asked), None)


# -- Once, and before the first coup ---------------------------------------------------------------

Repeated = tuple[RecordedEvent | None, RecordedEvent]
"""An event, with the previous event of the same kind.

The previous event is None if it was undone in between.
"""


@each("cut", "no cut was recorded", "record-incomplete")
def _cuts(shoe: Shoe) -> Sequence[Repeated]:
    """Return each cut, with the previous cut unless a shuffle came in between."""
    return _repeated(shoe.cuts, shoe.shuffles)


@CUT.rule(
    "S311",
    "repeated-cut",
    needs=(needs.not_coups_alone,),
    order=(CUT_ONCE,),
    sources=(COMAR_36_05_03_27,),
    looks_at="shoe",
    each=_cuts,
    breach_events=(ShoeCut, CoupOpened),
    breaks="""
        load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
        bank p1 10000
        shoe-cut {"by": "p2", "depth": 50}
        coup p2 player 6000 | P 4 5  B K 8
    """,
    keeps="""
        load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
        bank p1 10000
        coup p2 player 6000 | P 4 5  B K 8
    """,
)
def repeated_cut(shoe: Shoe, cut: Repeated) -> Iterator[Breach]:
    """The cards are cut once after a shuffle, and before the first coup is opened.

    After a shuffle the cards may be cut again. Before the first card a ruling may order another
    cut. Such a ruling is ``other``, on an irregularity of any kind, noted between the two cuts. It
    must be by a named person, whose post is not checked. This rule reports a second cut without a
    shuffle in between, whenever it comes. A first cut after the first card does not break this
    rule. S308 reports the cut that is missing before that card, except at a continuous shuffler.
    """
    if cut[0] is not None and _is_ordered(shoe, cut[0], cut[1]):
        return
    second, late = "the cards were cut a second time", "the cards were cut in the first coup"
    yield from _once(shoe, cut, "one cut after the shuffle, before the first coup", second, late)


def _is_ordered(shoe: Shoe, earlier: RecordedEvent, cut: RecordedEvent) -> bool:
    """Return whether a ruling between two cuts, before the first card, ordered the second."""
    ordered = [
        noted for noted in shoe.irregularities if shoe_requirements.orders_recut(noted.payload)
    ]
    if not ordered or any(card.position < cut.position for card in shoe.left[:1]):
        return False
    return any(after(shoe, noted, earlier) and before(shoe, noted, cut) for noted in ordered)


@each("cut card", "no cut card was recorded", "record-incomplete")
def _stop_cards(shoe: Shoe) -> Sequence[Repeated]:
    """Return each placing of a cut card, with the previous one if it still lay there."""
    return _repeated(shoe.stop_cards, (*shoe.shuffles, *shoe.cuts))


@CUT.rule(
    "S314",
    "mistimed-stop-card",
    needs=(needs.not_coups_alone,),
    order=(CUT_CARD_ONCE, CUT_CARD_AFTER_CUT),
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, DESPACHO_55_2004_ART_2),
    looks_at="shoe",
    each=_stop_cards,
    breach_events=(StopCardPlaced, ShoeCut, CoupOpened),
    breaks="""
        load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
        bank p1 10000
        stop-card-placed {"behind": 7}
        coup p2 player 6000 | P 4 5  B K 8
    """,
    keeps="""
        load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
        bank p1 10000
        coup p2 player 6000 | P 4 5  B K 8
    """,
)
def mistimed_stop_card(shoe: Shoe, placed: Repeated) -> Iterator[Breach]:
    """The cut card goes in once, after the cut, and before the first coup is opened.

    The cut card may go in again after a new shuffle or cut. The cards may still be cut, and the cut
    card put in again, until a coup begins or a card leaves the shoe. So a cut card before the cut
    is reported only if it is the last one, and the cut was right. A cut is right if it came before
    the first coup was opened, and was the first after its shuffle or ordered by a ruling. S311
    reports any other cut, except a first cut after the first card. A first cut card after the first
    card does not break this rule. S312 reports it if the rule pack says where the cut card goes.
    S308 reports a shoe that is never cut.
    """
    due = "one cut card, behind the cut, before the first coup"
    second = "a second cut card went in"
    late = "the cut card went in after the first coup was opened"
    found = list(_once(shoe, placed, due, second, late))
    yield from found
    event = placed[1]
    # until the first card, the cut card may still go in again after the cut
    dealt = shoe.left or shoe.coups or shoe.ended
    if event is shoe.stop_cards[-1] and dealt and not found:
        cut = next((each for each in _in_time(shoe) if before(shoe, event, each)), None)
        if cut is not None:
            early = "the cut card went in before the cards were cut"
            yield Breach(early, due, early, (event, cut))


def _repeated(done: Sequence[RecordedEvent], undone: Iterable[RecordedEvent]) -> list[Repeated]:
    """Return each event with the previous one of its kind.

    The previous one is None if a shuffle, or a cut in the case of a cut card, undid it.
    """
    undoing = [event.position for event in undone]
    found: list[Repeated] = []
    for earlier, event in pairwise((None, *done)):
        assert event is not None
        stands = earlier is not None and not any(
            earlier.position < position < event.position for position in undoing
        )
        found.append((earlier if stands else None, event))
    return found


def _once(shoe: Shoe, repeated: Repeated, due: str, second: str, late: str) -> Iterator[Breach]:
    """Yield a breach if something was done again, or only after a coup was opened."""
    earlier, event = repeated
    if earlier is not None:
        yield Breach(second, due, second, (event, earlier))
        return
    opened = _opened_before(shoe, event)
    if opened is not None:
        yield Breach(late, due, late, (event, opened))


def _opened_before(shoe: Shoe, event: RecordedEvent) -> RecordedEvent | None:
    """Return the opening of a coup before an event. None otherwise.

    After the first card the result is None: S308 and S312 report a cut or a cut card that is
    missing before it.
    """
    if any(card.position < event.position for card in shoe.left[:1]):
        return None
    opened = (coup.opened for coup in shoe.coups.values() if coup.opened is not None)
    return next((each for each in opened if before(shoe, each, event)), None)


def _in_time(shoe: Shoe) -> Iterator[RecordedEvent]:
    """Yield the cuts in time: before the first coup, the first after each shuffle or ruling."""
    for earlier, cut in _repeated(shoe.cuts, shoe.shuffles):
        late = any(card.position < cut.position for card in shoe.left[:1])
        right = earlier is None or _is_ordered(shoe, earlier, cut)
        if right and not late and _opened_before(shoe, cut) is None:
            yield cut


RULES = (*CUT.rules,)
"""Every rule of this module."""
