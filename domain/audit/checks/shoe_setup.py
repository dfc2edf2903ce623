"""Rules on the preparation of a shoe: decks, shuffle, cut, cut card and burn.

A shoe is shuffled and cut, and its cut card is put in. No card goes back into it before its end.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.burned_cards import opening_burn_events
from sabot.domain.audit.card_totals import cards_behind_gaps
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import (
    CardBurned,
    CardDrawn,
    ShoeCut,
    ShoeLoaded,
    ShoeShuffled,
    StopCardPlaced,
)
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.common import BurnDue, burn_due, opening_burn
from sabot.domain.procedure.preconditions import shoe_requirements
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_40,
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    COMAR_36_05_03_27,
    DESPACHO_55_2004_ART_1,
    DESPACHO_55_2004_ART_2,
    HOYLES_GAMES_MODERNIZED_BACCARAT,
    LAC_42_III_3106,
    NSW_BACCARAT_RULE_3,
    NSW_MINI_BACCARAT_RULE_3,
    WIKIPEDIA_BACCARAT_PUNTO_BANCO,
)
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import settle
from sabot.domain.timeline.sequence import BURN_FIRST, CUT_CARD_FIRST, CUT_FIRST, SHUFFLED_FIRST
from sabot.domain.values.cards import format_card

SETUP = RuleGroup(family="procedure", concerns="game")

_POSITION: Final = attrgetter("position")

# -- What is loaded --------------------------------------------------------------------------------


@SETUP.rule(
    "S301",
    "deck-count-not-permitted",
    sources=(
        ARRETE_2007_ART_55_14,
        ARRETE_2007_ART_58,
        DESPACHO_55_2004_ART_1,
        NSW_BACCARAT_RULE_3,
        NSW_MINI_BACCARAT_RULE_3,
    ),
    looks_at="shoe",
    needs=(needs.shoe_pack_readable, needs.shoe_pack_named),
    breach_events=(ShoeLoaded,),
    breaks="""
        load classic-8 6
        coup P 4 5  B K 8
    """,
    keeps="""
        load classic-8 8
        coup P 4 5  B K 8
    """,
)
def deck_count_not_permitted(shoe: Shoe) -> Iterator[Breach]:
    """A shoe is loaded with a number of decks that its rule pack lists."""
    assert shoe.pack is not None
    assert shoe.loaded is not None
    allowed = shoe.pack.cards.decks
    if not shoe_requirements.has_permitted_decks(shoe.pack, shoe.decks):
        yield Breach(
            f"{_decks(shoe.decks)} loaded, {' or '.join(map(str, allowed))} permitted",
            f"{', '.join(map(str, allowed))} decks",
            _decks(shoe.decks),
            (shoe.loaded,),
        )


def _decks(number: int) -> str:
    return "1 deck" if number == 1 else f"{number} decks"


def _backs(shoe: Shoe) -> tuple[str, ...]:
    """Return the recorded backs of the decks."""
    return shoe.loaded.payload.backs if shoe.loaded is not None else ()


@need("shoe", "the record does not give the backs")
def backs_on_record(shoe: Shoe) -> bool:
    """The record gives the backs of the decks."""
    return bool(_backs(shoe))


@SETUP.rule(
    "S302",
    "wrong-card-backs",
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58),
    looks_at="shoe",
    needs=(
        needs.shoe_pack_says(
            "how many colours the backs have", lambda pack: pack.cards.backs is not None
        ),
        backs_on_record,
    ),
    breach_events=(ShoeLoaded,),
    breaks="""
        load france {"backs": ["red"]}
        ready
    """,
    keeps="""
        load france {"backs": ["red", "blue"]}
        ready
    """,
)
def wrong_card_backs(shoe: Shoe) -> Iterator[Breach]:
    """The backs of the decks have exactly as many colours as the rule pack requires.

    Too many colours are a breach like too few. It does not matter which colours they are. Two
    spellings are two colours.
    """
    assert shoe.pack is not None
    assert shoe.loaded is not None
    required, backs = shoe.pack.cards.backs, _backs(shoe)
    if not shoe_requirements.has_permitted_backs(shoe.pack, backs):
        yield Breach(
            f"decks with backs of {_colours(len(set(backs)))} were loaded, not {required or 0}",
            _colours(required or 0),
            ", ".join(backs),
            (shoe.loaded,),
        )


def _colours(many: int) -> str:
    return "1 colour" if many == 1 else f"{many} colours"


# -- Shuffle, cut and cut card ---------------------------------------------------------------------

_FIRST_CARD_KNOWN = (needs.not_coups_alone, needs.loading_on_record, needs.card_left_shoe)

_STOP_CARD = needs.shoe_pack_says(
    "where the cut card goes", lambda pack: pack.end.stop_card_least is not None
)


@need("rules", "a continuous shuffler is not cut", "not-required")
def no_continuous_shuffler(shoe: Shoe) -> bool:
    """The shoe is not a continuous shuffler."""
    return shoe.pack is None or not shoe.pack.endless


@SETUP.ordered(
    "S303",
    "missing-shuffle",
    SHUFFLED_FIRST,
    sources=(
        ARRETE_2007_ART_40,
        DESPACHO_55_2004_ART_2,
        COMAR_36_05_03_27,
        LAC_42_III_3106,
        HOYLES_GAMES_MODERNIZED_BACCARAT,
    ),
    looks_at="shoe",
    needs=_FIRST_CARD_KNOWN,
    follows_from=("mid-shoe-shuffle",),
    breach_events=(ShoeShuffled, CardDrawn, CardBurned),
    breaks="""
        bare
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Ac"}
        card-burned
        coup P 4 5  B K 8
    """,
    keeps="""
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Ac"}
        card-burned
        coup P 4 5  B K 8
    """,
)
def missing_shuffle(shoe: Shoe) -> Compared:
    """The cards are shuffled before the first card leaves the shoe.

    A burned card has also left the shoe. One shuffle is enough, by anybody. A pre-shuffle in the
    record of the cards does not count. A continuous shuffler needs a recorded shuffle too. The
    finding shows the first card that left the shoe, and the shuffles after it.
    """
    return _before_first_card(shoe, shoe.shuffles, "the cards were not shuffled")


@SETUP.ordered(
    "S308",
    "missing-cut",
    CUT_FIRST,
    sources=(
        ARRETE_2007_ART_55_14,
        DESPACHO_55_2004_ART_2,
        COMAR_36_05_03_27,
        HOYLES_GAMES_MODERNIZED_BACCARAT,
    ),
    looks_at="shoe",
    needs=(no_continuous_shuffler, *_FIRST_CARD_KNOWN),
    breach_events=(CardDrawn, CardBurned, ShoeCut),
    breaks="""
        bare
        shoe-shuffled {"by": "ann"}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Ac"}
        card-burned
        coup P 4 5  B K 8
    """,
    keeps="""
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Ac"}
        card-burned
        coup P 4 5  B K 8
    """,
)
def missing_cut(shoe: Shoe) -> Compared:
    """The cards are cut after the shuffle, before the first card leaves the shoe.

    The cut must come after the last shuffle before the first card. A shuffle undoes an earlier cut.
    If no shuffle is on record, any cut before the first card is enough. A burned card has also left
    the shoe. A cut by anybody counts, also without a recorded depth. A cut that is recorded as deep
    as the shoe, or deeper, does not count. The finding shows the first card that left the shoe, and
    every cut.
    """
    cuts = [cut for cut in shoe.cuts if not shoe.size or (cut.payload.depth or 0) < shoe.size]
    said = "the cards were not cut"
    if shoe.cuts and not cuts:
        said = f"the cut was recorded {shoe.cuts[-1].payload.depth} of {shoe.size} cards deep"
    return _before_first_card(shoe, cuts, said, shoe.shuffles, shown=shoe.cuts)


@SETUP.ordered(
    "S312",
    "missing-stop-card",
    CUT_CARD_FIRST,
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, DESPACHO_55_2004_ART_2),
    looks_at="shoe",
    needs=(_STOP_CARD, *_FIRST_CARD_KNOWN),
    breach_events=(CardDrawn, CardBurned, StopCardPlaced),
    breaks="""
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        card-burned {"card": "Ac"}
        card-burned
        coup P 4 5  B K 8
    """,
    keeps="""
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Ac"}
        card-burned
        coup P 4 5  B K 8
    """,
)
def missing_stop_card(shoe: Shoe) -> Compared:
    """A cut card goes in after the last shuffle and before the first card leaves the shoe.

    The cut card must go in after the last shuffle before the first card. Without a shuffle on
    record, any cut card before the first card is enough. A burned card has also left the shoe.
    S314 checks that the cut card comes after the cut. The finding shows the first card that left
    the shoe, and every placing of a cut card.
    """
    return _before_first_card(shoe, shoe.stop_cards, "no cut card was placed", shoe.shuffles)


def _before_first_card(
    shoe: Shoe,
    done: Sequence[RecordedEvent],
    said: str,
    undone_by: Sequence[RecordedEvent] = (),
    shown: Sequence[RecordedEvent] | None = None,
) -> Compared:
    """Return the events to compare: steps of the preparation and the first card.

    The steps have to come before the first card. ``undone_by`` are later events that undo a step.
    For example, a shuffle undoes a cut. A breach shows the first card and ``shown``, by default the
    steps.
    """
    first = shoe.left[:1]
    when = "between the shuffle and the first card" if undone_by else "before the first card"
    said = f"{said} {when}" if done else said
    events = (*first, *(done if shown is None else shown))
    none = f"no such event {when}"
    return Compared(done, first, said, undone_by=undone_by, observed=none, events=events)


@each("cut card", "no cut card was recorded", "record-incomplete")
def _stop_cards(shoe: Shoe) -> Sequence[RecordedEvent[StopCardPlaced]]:
    """Return each placing of a cut card."""
    return shoe.stop_cards


@SETUP.rule(
    "S313",
    "misplaced-stop-card",
    sources=(
        ARRETE_2007_ART_55_14,
        ARRETE_2007_ART_58,
        DESPACHO_55_2004_ART_2,
        WIKIPEDIA_BACCARAT_PUNTO_BANCO,
    ),
    looks_at="shoe",
    needs=(needs.not_coups_alone, needs.present(_stop_cards), _STOP_CARD),
    each=_stop_cards,
    breach_events=(StopCardPlaced,),
    breaks="""
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 8}
        ready
        coup P 4 5  B K 8
    """,
    keeps="""
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        ready
        coup P 4 5  B K 8
    """,
)
def misplaced_stop_card(shoe: Shoe, placed: RecordedEvent[StopCardPlaced]) -> Iterator[Breach]:
    """The cut card goes in as many cards from the end as the rule pack requires.

    The smallest and the greatest number that the rule pack states are themselves permitted. If it
    states no greatest number, the size of the shoe is the greatest. Every placing is checked, also
    a placing that was replaced by another.
    """
    assert shoe.pack is not None
    behind = placed.payload.behind
    least, most = shoe.pack.end.stop_card_least or 0, shoe.pack.end.stop_card_most or shoe.size
    if not shoe_requirements.is_permitted_depth(shoe.pack, shoe.size, behind):
        due = f"{least}" if least == most else f"{least} to {most}"
        yield Breach(
            f"the cut card went in {behind} cards from the end, not {due}",
            f"{due} cards from the end",
            f"{behind} cards from the end",
            (placed,),
        )


# -- Burn ------------------------------------------------------------------------------------------


@need("cards", "no coup has been dealt", "nothing-to-check")
def coup_dealt(shoe: Shoe) -> bool:
    """A coup has begun, or the shoe has ended after cards left it."""
    return bool(shoe.coups or (shoe.ended is not None and shoe.left))


@SETUP.rule(
    "S304",
    "wrong-opening-burn",
    sources=(ARRETE_2007_ART_55_14, DESPACHO_55_2004_ART_2),
    order=(BURN_FIRST,),
    looks_at="shoe",
    needs=(needs.burns_on_record, coup_dealt, needs.shoe_pack_readable, needs.card_on_record),
    breach_events=(CardBurned, CardDrawn),
    breaks="""
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        card-burned {"card": "3c"}
        card-burned
        card-burned
        coup P 4 5  B K 8
    """,
    keeps="""
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        card-burned {"card": "2c"}
        card-burned
        card-burned
        coup P 4 5  B K 8
    """,
)
def wrong_opening_burn(shoe: Shoe) -> Iterator[Breach]:
    """Before the first coup cards are burned as the rule pack states.

    The opening burn consists of the cards burned with the reason `opening` that were in no hand
    before. The rule pack states how many cards are burned: none, a fixed number, as many as there
    are decks, or the first card and then as many as the value of that card. If the first card
    decides, it is burned face up. Too few and too many cards are a breach, and so is a card burned
    after the first card was drawn for a hand. If the shoe ends before any coup, too few burned
    cards are not a breach.
    """
    due = burn_due(shoe)
    assert due is not None
    burned = opening_burn(shoe)
    late = _burned_late(shoe)
    broken_off = not shoe.coups and len(burned) < (due.cards or 1)
    if due.face_up and not (burned and burned[0].card is not None):
        yield Breach(
            "the first card was not burned face up",
            "the first card burned face up, then as many as its value",
            f"{len(burned)} burned, none face up first",
            tuple(shoe.burned) or tuple(shoe.left[:1]),
        )
    elif late:
        settle(shoe, late[:-1], late[-1:])
        required = "the burn comes before the first coup"
        yield Breach(_told_late(shoe, late[0]), required, "a burn after it", late)
    elif not broken_off and not _is_right_burn(due, burned):
        yield _wrong_number(shoe, due)


def _is_right_burn(due: BurnDue, burned: Sequence[CardBurned]) -> bool:
    is_seen = bool(burned) and burned[0].card is not None
    return len(burned) == due.cards and (is_seen or not due.face_up)


def _wrong_number(shoe: Shoe, due: BurnDue) -> Breach:
    """Return the breach for too many or too few cards in the opening burn."""
    burned = opening_burn(shoe)
    first = burned[0].card if burned else None
    more = (due.cards or 1) - 1
    because = f": the {format_card(first)} and {more} more, its value here" if first else ""
    # the first surplus card, or the first card dealt if too few were burned
    by: list[RecordedEvent] = [*opening_burn_events(shoe)[due.cards or 0 :], *_first_drawn(shoe)]
    return Breach(
        f"{len(burned)} cards were burned, {due.cards} were due",
        f"{due.cards} cards{because}",
        f"{len(burned)} cards",
        (*(shoe.burned or shoe.left[:1]), *_dealt_instead(shoe, due)),
        offending_event=next(iter(by), None),
    )


def _dealt_instead(shoe: Shoe, due: BurnDue) -> list[RecordedEvent[CardDrawn]]:
    """Return the first card drawn if cards lack in the burn, unless another number was skipped."""
    lacks = (due.cards or 0) - len(opening_burn(shoe))
    skipped = {card.position: places for card, places in cards_behind_gaps(shoe)}
    drawn = _first_drawn(shoe) if shoe.burned else []
    return [card for card in drawn if lacks == max(1, skipped.get(card.position, lacks))]


def _burned_late(shoe: Shoe) -> tuple[RecordedEvent, ...]:
    """Return the opening burns made after the first card was drawn, and that card."""
    drawn = _first_drawn(shoe)
    late = [
        event for event in opening_burn_events(shoe) if drawn and event.position > drawn[0].position
    ]
    return (*late, *drawn) if late else ()


def _told_late(shoe: Shoe, burned: RecordedEvent) -> str:
    """Return text for a late burn, with the coup in which or after which it was made."""
    begun = [each for each in shoe.coups.values() if each.events[0].position < burned.position]
    said = "a card of the opening burn was burned"
    if not begun:
        return f"{said}, after the first card"
    coup = max(begun, key=lambda each: each.events[0].position)
    end = coup.closed or coup.voided
    when = "after" if end is not None and end.position < burned.position else "in"
    return f"{said}, but {when} {shoe.coup_name(coup.number)}"


def _first_drawn(shoe: Shoe) -> list[RecordedEvent[CardDrawn]]:
    """Return the first card drawn for a hand, or None."""
    return events_of(CardDrawn, shoe.left)[:1]


RULES = (*SETUP.rules,)
"""Every rule of this module."""
