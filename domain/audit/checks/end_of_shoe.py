"""Rules on the end of a shoe: the cut card and the last coup.

The rule pack makes a coup the last once the cut card has shown (``end.last_coup``). With ``finish``
it is the coup in play, or the next coup if none is in play. With ``one-more`` it is the coup after
that. With ``never`` there is none. A coup is in play if it got the card behind the cut card.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections.abc import Iterator, Sequence
from functools import partial

from sabot.domain.audit import needs
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import (
    CardBurned,
    CardDrawn,
    CutCardReached,
    LastCoupCalled,
    ShoeEnded,
    StopCardPlaced,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import cards_before_cut_card, last_coup
from sabot.domain.procedure.preconditions import settlement_requirements
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    DESPACHO_55_2004_ART_2,
    DESPACHO_55_2004_PLAY,
    HOUSE_CONVENTION,
)
from sabot.domain.state.coup_state import Coup, first_event_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import after, before, every, settle, some
from sabot.domain.timeline.sequence import CUT_CARD_BEFORE_END, LAST_COUP_CALLED

END = RuleGroup(family="procedure", concerns="game")

# -- The last coup ---------------------------------------------------------------------------------


@need("cards", "the cut card has not been seen", "not-due")
def cut_card_seen(view: CoupView) -> bool:
    """The cut card was seen."""
    return view.shoe.cut_card is not None


@need("order")
def coup_of_cut_card_known(view: CoupView) -> bool:
    """It is known during which coup the cut card showed."""
    shoe, number = view.shoe, view.coup.number
    if shoe.order is not None and shoe.cut_card is not None:
        settle(shoe, [shoe.cut_card.event], _ends(shoe, number - 1, number - 2))
    return True


def _has_last_coup(pack: RulePack) -> bool:
    return pack.end.last_coup != "never"


@END.rule(
    "Z301",
    "coup-after-last",
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, DESPACHO_55_2004_PLAY),
    needs=(
        needs.record_not_coups_alone,
        cut_card_seen,
        needs.pack_says("which coup is the last", _has_last_coup),
        coup_of_cut_card_known,
    ),
    breach_events=(CutCardReached, CardDrawn),
    clean_when=by_the_book,
    breaks="""
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
    """,
    keeps="""
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
    """,
)
def coup_after_last(view: CoupView) -> Iterator[Breach]:
    """Once the cut card has shown, no coup follows the one that the rule pack makes the last.

    The numbers of the coups decide which coup came later. A later free hand, or a later coup that
    was voided, is also a breach. A coup without a card on record is not a breach. A card counts
    even if it was burned afterwards. A coup without a card is not the last coup, but a void coup
    with a card may be. If the cut card is reported late, its coup is that of the card behind it.
    This holds only if the report gives the right number of cards, or no later coup has begun.
    """
    shoe, coup, first = view.shoe, view.coup, view.coup.first_card
    last = last_coup(shoe)
    assert last is not None
    assert shoe.cut_card is not None
    if first is not None and not settlement_requirements.is_within_last(coup.number, last):
        yield Breach(
            f"{shoe.coup_name(coup.number)} was dealt after the last",
            f"{shoe.coup_name(last)} is the last of the shoe",
            f"{shoe.coup_name(coup.number)} dealt",
            (shoe.cut_card.event, first),
            offending_event=first,
        )


def _ends(shoe: Shoe, *numbers: int) -> list[RecordedEvent]:
    """Return the events that closed or voided the given coups."""
    coups = [coup for number in numbers if (coup := shoe.coups.get(number)) is not None]
    ends = [end for coup in coups for end in (coup.closed, coup.voided)]
    return [end for end in ends if end is not None]


@need("cards", "the cut card has not been seen", "not-due")
def cut_card_out(shoe: Shoe) -> bool:
    """The cut card was seen."""
    return shoe.cut_card is not None


@need("cards", "the last coup has not been dealt", "not-due")
def last_coup_dealt(shoe: Shoe) -> bool:
    """The last coup was dealt."""
    return _last(shoe) is not None


@need("play", "the cut card made the coup in play the last", "nothing-to-check")
def last_coup_known_before(shoe: Shoe) -> bool:
    """The cut card showed before the last coup began."""
    last, cut_card = _last(shoe), shoe.cut_card
    if last is None or cut_card is None or cut_card.during != last.number:
        return True
    begun = first_event_of(last)
    return begun is None or begun.position > cut_card.event.position


@need("order")
def place_of_last_coup_known(shoe: Shoe) -> bool:
    """It is known which coups had ended when the cut card showed."""
    last, cut_card = _last(shoe), shoe.cut_card
    if last is not None and last.first_card is not None and cut_card is not None:
        settle(shoe, [cut_card.event], [*_ends(shoe, *shoe.coups), last.first_card])
    return True


@END.ordered(
    "Z303",
    "last-coup-not-called",
    LAST_COUP_CALLED,
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    concerns="form",
    needs=(
        needs.not_coups_alone,
        cut_card_out,
        needs.shoe_pack_says("which coup is the last", _has_last_coup),
        last_coup_dealt,
        last_coup_known_before,
    ),
    due=place_of_last_coup_known,
    breach_events=(CutCardReached, CardDrawn),
    breaks="""
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        coup P 4 5  B K 8
    """,
    keeps="""
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
    """,
)
def last_coup_not_called(shoe: Shoe) -> Compared:
    """The dealer calls the coup that the rule pack makes the last, before its first card.

    The call names the last coup. A call without a coup number counts once the coup before the last
    has begun. The call may come before the cut card has shown. A voided last coup has to be called
    too.
    """
    last, cut_card = _last(shoe), shoe.cut_card
    assert last is not None
    assert last.first_card is not None
    assert cut_card is not None
    first = last.first_card
    called = [event for event in shoe.last_coup_called if _announces(shoe, event, last.number)]
    return Compared(
        called,
        [first],
        f"{shoe.coup_name(last.number)} was not announced as the last before its first card",
        observed="announced after its first card" if called else "no announcement",
        events=(cut_card.event, first),
        coup=last.number,
        offending_event=first,
    )


def _announces(shoe: Shoe, event: RecordedEvent[LastCoupCalled], last: int) -> bool:
    """Return whether a call announces a coup. One without a number may come once it is open."""
    number = _number_called(shoe, event)
    if event.payload.coup is None:
        return number >= last
    return number in {last, shoe.recorded_number(last)}


def _last(shoe: Shoe) -> Coup | None:
    """Return the last coup that the rule pack permits, if it was dealt, else None."""
    coup = shoe.coups.get(last_coup(shoe) or 0)
    return coup if coup is not None and coup.first_card else None


Calls = list[RecordedEvent[LastCoupCalled]]
"""The calls that announced one coup as the last."""


@each("called last coup", "no coup was called the last", about="calls")
def _called_last(shoe: Shoe) -> Sequence[tuple[int, Calls]]:
    """Return the coup numbers that were announced as the last, each with its calls.

    A call that names no coup is for the next coup to begin.
    """
    calls: dict[int, Calls] = {}
    for event in shoe.last_coup_called:
        calls.setdefault(_number_called(shoe, event), []).append(event)
    return list(calls.items())


@END.rule(
    "Z305",
    "play-after-called-last-coup",
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58),
    looks_at="shoe",
    concerns="form",
    needs=(needs.present(_called_last), needs.not_coups_alone, needs.card_left_shoe),
    each=_called_last,
    breach_events=(LastCoupCalled, CardDrawn),
    breaks="""
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
    """,
    keeps="""
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
    """,
)
def play_after_called_last_coup(shoe: Shoe, called: tuple[int, Calls]) -> Iterator[Breach]:
    """No coup is dealt after the one that the dealer called the last, unless the call is corrected.

    A call can be corrected in two ways before the first card of the further coup: a later coup is
    called the last, or a wrong call of any kind is noted as an irregularity. Where the rule pack
    names a last coup, Z301 applies once the cut card has shown. Only the first coup after the
    called last one is reported.
    """
    last, calls = called
    corrections = _corrections(shoe, last)
    by_pack = [shoe.cut_card.event] if shoe.cut_card and last_coup(shoe) is not None else []
    for event in calls:
        first = _first_behind(shoe, last, event)
        if first is None:
            continue
        settle(shoe, (event,), (first,))
        over = [partial(before, shoe, each, first) for each in by_pack]
        over += [
            partial(every, (partial(after, shoe, each, event), partial(before, shoe, each, first)))
            for each in corrections
        ]
        if not some(over):
            dealt = shoe.coup_name(first.payload.coup)
            yield Breach(
                f"{dealt} was dealt, and coup {last} had been called the last",
                "no coup follows the one that was announced as the last",
                f"{shoe.coup_name(max(shoe.coups))} was the last to begin",
                (event, first),
                first.payload.coup,
                key=("last", last),
                offending_event=first,
            )
            return


def _number_called(shoe: Shoe, event: RecordedEvent[LastCoupCalled]) -> int:
    """Return the number of the coup that a call announced as the last.

    If the call gives no number, it is the next coup to begin.
    """
    if event.payload.coup is not None:
        return event.payload.coup
    begun = sorted((c.events[0].position, c.number) for c in shoe.coups.values() if c.events)
    behind = [number for at, number in begun if at > event.position]
    return behind[0] if behind else 1 + max((number for _, number in begun), default=0)


def _first_behind(shoe: Shoe, last: int, called: RecordedEvent) -> RecordedEvent[CardDrawn] | None:
    """Return the first card of a later coup than the last, drawn after the call of the last.

    None if there is none.
    """
    behind = (coup.first_card for coup in shoe.coups.values() if coup.number > last)
    drawn = [card for card in behind if card is not None and card.position > called.position]
    return min(drawn, key=lambda card: card.position, default=None)


def _corrections(shoe: Shoe, last: int) -> list[RecordedEvent]:
    """Return the calls of a later coup as the last, and the wrong calls that were noted."""
    later = [event for event in shoe.last_coup_called if _number_called(shoe, event) > last]
    return [*later, *(each for each in shoe.irregularities if each.payload.kind == "wrong-call")]


# -- The cut card ----------------------------------------------------------------------------------


@need("shoe", "the record does not give the place of the cut card")
def place_of_cut_card_known(shoe: Shoe) -> bool:
    """The record gives the place of the cut card and the number of decks."""
    return cards_before_cut_card(shoe) is not None


@need("cards", "the cut card has not been seen", "not-due")
def cut_card_due(shoe: Shoe) -> bool:
    """The cut card showed, or a card behind it is out and another coup began or the shoe ended."""
    return shoe.cut_card is not None or _first_behind_cut_card(shoe) is not None


@END.rule(
    "Z302",
    "wrong-cut-card-position",
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, DESPACHO_55_2004_ART_2),
    looks_at="shoe",
    needs=(needs.not_coups_alone, place_of_cut_card_known, cut_card_due),
    breach_events=(StopCardPlaced, CutCardReached, CardDrawn, CardBurned, ShoeEnded),
    breaks="""
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        coup P 4 5  B K 8
    """,
    keeps="""
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
    """,
)
def wrong_cut_card_position(shoe: Shoe) -> Iterator[Breach]:
    """The cut card shows after as many cards as lay in front of it when it was put in.

    The number of cards in front of the cut card is the cards loaded, less the cards behind the cut
    card that was put in last. Burned cards are included. The cut card may be reported after the
    card behind it, but before the next card that belongs to another coup or to none. A later report
    is permitted if it gives the number of cards before the cut card. A number in a report has to be
    right. A report before the cut card shows, and a cut card that was never reported, are breaches.
    """
    place = cards_before_cut_card(shoe)
    assert place is not None
    if shoe.cut_card is None:
        yield Breach(
            "the cut card appeared without a call",
            f"it shows after {place} cards",
            f"{len(shoe.left)} cards left the shoe without it",
            (*shoe.left[place : place + 1], *([shoe.ended] if shoe.ended else [])),
        )
        return
    event = shoe.cut_card.event
    settle(shoe, [event], shoe.left)
    shown = sum(1 for card in shoe.left if card.position < event.position)
    said = event.payload.drawn
    if said not in (None, place) or not _told_in_time(shoe, place, shown, said):
        yield Breach(
            f"the cut card was reported after {shown} cards"
            + (f", with the number {said}" if said is not None else ""),
            f"after {place} cards, where it was placed",
            f"after {shown} cards by the events, {said or 'no number'} as reported",
            (shoe.stop_cards[-1], event),
            offending_event=event,
        )


def _first_behind_cut_card(shoe: Shoe) -> RecordedEvent | None:
    """Return the first card behind the cut card, or None.

    It is returned only once its coup is over and the next has begun: until then the cut card may
    still be reported.
    """
    place = cards_before_cut_card(shoe)
    card = None if place is None else next(iter(shoe.left[max(place, 0) :]), None)
    if card is None:
        return None
    number = card.payload.coup
    others = [c.events[0] for c in shoe.coups.values() if c.number != number and c.events]
    gone_on = shoe.ended is not None or any(each.position > card.position for each in others)
    return card if gone_on else None


def _told_in_time(shoe: Shoe, place: int, shown: int, said: int | None) -> bool:
    """Return whether the cut card was reported at the place where it appeared.

    The dealer meets the cut card when drawing the card behind it. So the report may come after that
    card, or after the whole coup that received it. It may come later still if it gives the number
    of cards drawn before the cut card.
    """
    if shown <= place:
        return shown == place
    met = {card.payload.coup for card in shoe.left[place:shown]}
    return said is not None or len(met) == 1


@need("play", "the shoe was taken out of play for another reason", "nothing-to-check")
def ended_by_cut_card(shoe: Shoe) -> bool:
    """The recorded reason for the end of the shoe is the cut card."""
    return shoe.ended is None or shoe.ended.payload.reason == "cut-card"


@need("rules", "the pack does not say how a shoe ends", "not-required")
def ends_by_cut_card(shoe: Shoe) -> bool:
    """The rule pack has the shoe end by its cut card, or cannot be read."""
    return shoe.pack is None or _has_last_coup(shoe.pack)


@need("shoe", "the record does not begin with the loading of the shoe")
def cut_card_on_record(shoe: Shoe) -> bool:
    """The record holds the cut card, or begins with the loading of the shoe."""
    return shoe.cut_card is not None or shoe.loaded is not None


@END.rule(
    "Z304",
    "shoe-end-without-cut-card",
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58),
    order=(CUT_CARD_BEFORE_END,),
    looks_at="shoe",
    needs=(
        *(needs.not_coups_alone, needs.shoe_over),
        *(ended_by_cut_card, ends_by_cut_card, cut_card_on_record),
    ),
    follows_from=("wrong-cut-card-position",),
    breach_events=(ShoeEnded,),
    breaks="""
        coup P 4 5  B K 8
        shoe-ended {"left": 410}
    """,
    keeps="""
        coup P 4 5  B K 8
        shoe-ended {"left": 410, "reason": "withdrawn"}
    """,
)
def shoe_end_without_cut_card(shoe: Shoe) -> Iterator[Breach]:
    """A shoe that ends by its cut card ends only after the cut card has shown.

    If the event of the end names no reason, the shoe ended by its cut card. Z302 checks the place
    of the cut card.
    """
    seen, ended = shoe.cut_card, shoe.ended
    assert ended is not None
    shown = seen is not None and before(shoe, seen.event, ended)
    appeared = "never appeared" if seen is None else "appeared later"
    if not settlement_requirements.has_shown_cut_card("cut-card", shown=shown):
        yield Breach(
            f"the shoe ended by the cut card, which {appeared}",
            "a shoe that ends by its cut card ends after the cut card appears",
            "no cut card" if seen is None else "the cut card showed after the end",
            (ended,),
        )


RULES = (*END.rules,)
"""Every rule of this module."""
