"""Rules on the sequence of coups: numbers, a proper end, and no coup after the shoe.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from operator import attrgetter
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.coup_numbers import is_misplaced
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import event_in_words
from sabot.domain.audit.justification import ruled_so
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import (
    CardDrawn,
    CoupClosed,
    CoupOpened,
    CoupVoided,
    ShoeEnded,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.labels import event_noun
from sabot.domain.procedure.preconditions import shoe_requirements
from sabot.domain.rules.sources import ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, HOUSE_CONVENTION
from sabot.domain.state.coup_state import Coup, first_event_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import in_sequence, settle
from sabot.domain.timeline.sequence import COUP_BROUGHT_TO_END, NO_CARD_AFTER_END, NO_COUP_AFTER_END

SEQUENCE = RuleGroup(family="procedure", concerns="record")

_TWICE: Final = 2
_POSITION: Final = attrgetter("position")
Begun = tuple[RecordedEvent, Coup]
"""A coup and its first event."""


def _in_order(shoe: Shoe) -> list[Begun]:
    """Return the coups in the order in which they began."""
    coups = shoe.coups.values()
    begun = [(event, coup) for coup in coups if (event := first_event_of(coup)) is not None]
    return sorted(begun, key=lambda pair: pair[0].position)


def _end_of_coup(coup: Coup) -> RecordedEvent | None:
    """Return the event that ended a coup. It is the close or the voiding, whichever came first."""
    closed, voided = coup.closed, coup.voided
    if closed is None or voided is None:
        return voided if closed is None else closed
    return closed if closed.position < voided.position else voided


# -- One after the other ---------------------------------------------------------------------------


@need("shoe", "no coup was dealt", "nothing-to-check")
def _coup_begun(shoe: Shoe) -> bool:
    """A coup was opened, or a card of the coup was drawn."""
    return any(first_event_of(coup) is not None for coup in shoe.coups.values())


@each("coup that another followed", None)
def _followed_coups(shoe: Shoe) -> Sequence[tuple[Begun, Begun]]:
    """Return each coup that may lack its end, with the coup that follows it.

    The last coup on record is not checked. A coup without an end is not checked either if it was
    dealt no card and all its bets were withdrawn or settled.
    """
    return [
        (begun, following)
        for begun, following in pairwise(_in_order(shoe))
        if not _closed_before(shoe, begun[1], following[0])
        and (begun[1].over or _is_unfinished(begun[1]))
    ]


def _closed_before(shoe: Shoe, coup: Coup, event: RecordedEvent) -> bool:
    """Return whether a coup was certainly closed, and not voided, before an event."""
    closed = coup.closed if shoe.order is None and coup.voided is None else None
    return closed is not None and closed.position < event.position


def _is_unfinished(coup: Coup) -> bool:
    """Return whether a coup was dealt a card, or has unsettled bets."""
    lying = any(not bet.moves and not bet.withdrawn for bet in coup.bets.values())
    return lying or coup.first_card is not None


@SEQUENCE.ordered(
    "Q101",
    "unclosed-coup",
    COUP_BROUGHT_TO_END,
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58),
    looks_at="shoe",
    needs=(needs.not_coups_alone, _coup_begun),
    each=_followed_coups,
    breach_events=(CoupOpened, CardDrawn),
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        coup P 4 5  B K 8
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        coup-closed {"coup": 1}
        coup P 4 5  B K 8
    """,
)
def unclosed_coup(shoe: Shoe, followed: tuple[Begun, Begun]) -> Compared:
    """A coup is closed, or voided, before the next one begins.

    A coup begins with its opening, or with its first card if no opening is on record. The end of
    the shoe does not count as the end of a coup, or as the beginning of the next one.
    """
    (first, coup), (next_first, next_coup) = followed
    end = _end_of_coup(coup)
    return Compared(
        [first],
        [end] if end else [],
        f"{shoe.coup_name(coup.number)} was neither closed nor voided when "
        f"{shoe.coup_name(next_coup.number)} began",
        until=next_first,
        observed="no end on record" if end is None else f"{event_noun(end.payload)} came after it",
        events=(first, next_first),
        coup=coup.number,
        offending_event=next_first,
    )


def _begins_with_loading(shoe: Shoe) -> bool:
    """Return whether the loading of the shoe is the first event on record."""
    return shoe.loaded is not None and shoe.loaded.position == 1


@need("shoe", "no coup was dealt, or one whose predecessors are not on record", "nothing-to-check")
def _coup_before_known(shoe: Shoe) -> bool:
    """The record holds two coups, or it begins with the loading of the shoe and holds a coup."""
    begun = sum(first_event_of(coup) is not None for coup in shoe.coups.values())
    return begun > (0 if _begins_with_loading(shoe) else 1)


@each("coup whose number does not follow", None)
def _out_of_sequence(shoe: Shoe) -> Sequence[tuple[Begun | None, Begun]]:
    """Return each coup that does not have the next number, with the coup before it.

    If the first coup on record is not coup 1, and coup 1 is on record later, both are one finding.
    If several coups in a row repeat numbers, or have numbers out of place, only the first of them
    is reported. Of several coups that use one number again, only the first is reported.
    """
    begun = _in_order(shoe)
    begins = 1 not in shoe.coups or is_misplaced(shoe, begun[0][1])
    first = [(None, begun[0])] if _begins_with_loading(shoe) and begins else []
    following = ((before, each) for before, each in pairwise(begun))
    return [
        (before, each)
        for before, each in (*first, *following)
        if not shoe_requirements.follows(each[1].number, before[1].number if before else 0)
        or (shoe.recorded_numbers and _is_first_of_run(shoe, before, each[1]))
    ]


def _is_first_of_run(shoe: Shoe, before: Begun | None, coup: Coup) -> bool:
    """Return whether a coup is the first in a row with numbers out of place, or used before."""
    if is_misplaced(shoe, coup):
        return before is None or not is_misplaced(shoe, before[1])
    return before is not None and _repeats(shoe, before[1], coup)


def _repeats(shoe: Shoe, before: Coup, coup: Coup) -> bool:
    """Return True for the first coup that uses the number of an earlier coup again.

    If several coups in a row repeat numbers, only the first of them counts.
    """
    if len(_uses_before(shoe, coup)) != 1:
        return False
    counts_on = shoe.recorded_number(coup.number) == shoe.recorded_number(before.number) + 1
    return not (counts_on and _uses_number_again(shoe, before))


def _uses_number_again(shoe: Shoe, coup: Coup) -> bool:
    """Return whether an earlier coup had the same number."""
    return bool(_uses_before(shoe, coup))


def _uses_before(shoe: Shoe, coup: Coup) -> list[int]:
    """Return the earlier coups that were recorded under the same number as a coup."""
    return [number for number in _uses(shoe, coup) if number < coup.number]


def _uses(shoe: Shoe, coup: Coup) -> list[int]:
    """Return the coups that were recorded under the same number as a coup."""
    told = shoe.recorded_number(coup.number)
    return [number for number in shoe.coups if shoe.recorded_number(number) == told]


@SEQUENCE.rule(
    "Q102",
    "coup-number-out-of-sequence",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    needs=(needs.not_coups_alone, _coup_before_known),
    each=_out_of_sequence,
    breach_events=(CoupOpened, CardDrawn),
    breaks="""
        coup P 4 5  B K 8
        coup-opened {"coup": 3}
        no-more-bets {"coup": 3}
        deal P 4 5  B K 8
        due
    """,
    keeps="""
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4 5  B K 8
        due
    """,
)
def coup_number_out_of_sequence(shoe: Shoe, coups: tuple[Begun | None, Begun]) -> Iterator[Breach]:
    """Coups are numbered one by one: no number is skipped, and none is used twice.

    Each coup is compared with the one that began before it. A coup begins with its opening, or with
    its first card if no opening is on record. Void coups and free hands take numbers too. The first
    coup on record must be coup 1 only if the record begins with the loading of the shoe. A second
    opening of a closed or voided coup begins another coup if bets, a close of bets or two cards
    follow. If the first coup was only called, two cards must follow. R401 reports any other second
    opening.
    """
    before, (event, coup) = coups
    number = 0 if before is None else shoe.recorded_number(before[1].number)
    events = (event,) if before is None else (event, before[0])
    in_sequence(shoe, events)
    told = shoe.recorded_number(coup.number)
    if _uses_number_again(shoe, coup):
        said, due = f"coup {told} was opened again after its end", "a number for each coup"
        uses = len(_uses(shoe, coup))
        often = "twice" if uses == _TWICE else f"{uses} times"
        yield Breach(f"{said}: its number was used {often}", due, said, events, coup.number)
        return
    others = list(takewhile(lambda each: is_misplaced(shoe, each[1]), _behind(shoe, coup)))
    then = ", ".join(f"coup {shoe.recorded_number(each.number)}" for _, each in others)
    yield Breach(
        f"coup {told} followed {f'coup {number}' if number else 'the loading'}"
        f"{f', then came {then}' if then else ''}",
        f"coup {number + 1}",
        f"coup {told}",
        (*events, *(began for began, _ in others)),
        coup.number,
    )


def _behind(shoe: Shoe, coup: Coup) -> list[Begun]:
    """Return the coups that follow one, in order."""
    begun = _in_order(shoe)
    return begun[1 + [each.number for _, each in begun].index(coup.number) :]


# -- None after the end -----------------------------------------------------------------------


@each("coup", None)
def _coups(shoe: Shoe) -> Sequence[Begun]:
    """Return the coups in order, without those certainly closed before the end of the shoe.

    A coup that was closed before the end of the shoe and never voided is not checked.
    """
    ended = shoe.ended
    begun = _in_order(shoe)
    return begun if ended is None else [b for b in begun if not _closed_before(shoe, b[1], ended)]


@SEQUENCE.ordered(
    "Q103",
    "coup-after-shoe-end",
    NO_COUP_AFTER_END,
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58),
    concerns="game",
    looks_at="shoe",
    needs=(needs.shoe_over,),
    each=_coups,
    breach_events=(CoupOpened, CoupClosed, CardDrawn, ShoeEnded),
    breaks="""
        coup P 4 5  B K 8
        shoe-ended {"left": 410, "reason": "withdrawn"}
        coup-opened {"coup": 2}
    """,
    keeps="""
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        shoe-ended {"left": 410, "reason": "withdrawn"}
    """,
)
def coup_after_shoe_end(shoe: Shoe, begun: Begun) -> Compared:
    """No coup begins or continues after the shoe has ended.

    A coup begins with its opening, or with its first card if no opening is on record. It lasts
    until its close, or until its last card if it was voided or never closed. So a payment or a void
    after the end of the shoe is permitted, but a close is not. A card that was burned off its hand
    still counts as a card of the coup. Q104 reports a card drawn after the close.
    """
    event, coup = begun
    ended = shoe.ended
    assert ended is not None
    drawn = [*coup.cards, *(card for card, _ in coup.removed_cards)]
    closed = coup.closed if coup.voided is None else None
    last: RecordedEvent = closed or max(drawn, key=_POSITION, default=event)
    began = event.position > ended.position
    shown = event if began else last
    return Compared(
        [last],
        [ended],
        f"{shoe.coup_name(coup.number)} {'began' if began else 'went on'} after the shoe had ended",
        observed=event_noun(shown.payload),
        events=(shown, ended),
        coup=coup.number,
    )


def _last_of_cards(coup: Coup) -> RecordedEvent | None:
    """Return the event after which no card may be drawn for a coup.

    It is the close or the voiding of the coup, or None. A void coup ruled a no-bet hand takes cards
    until it is closed.
    """
    played_out = coup.voided is not None and bool(ruled_so(coup, "no-bet-hand"))
    return coup.closed if played_out else _end_of_coup(coup)


@need("play", "the coup has not been closed", "not-due")
def _last_event_of_coup(view: CoupView) -> bool:
    """The coup was closed or voided."""
    return _last_of_cards(view.coup) is not None


@need("order")
def _end_before_or_after_cards(view: CoupView) -> bool:
    """It is known whether each card was drawn before or after the end of the coup."""
    end = _last_of_cards(view.coup)
    settle(view, _cards.of(view), [] if end is None else [end])
    return True


@each("card", "no card was drawn", about="cards")
def _cards(view: CoupView) -> Sequence[RecordedEvent]:
    """Return the cards drawn for a coup, including those drawn after its end."""
    return [*view.coup.cards, *view.coup.late]


@SEQUENCE.ordered(
    "Q104",
    "card-after-coup-end",
    NO_CARD_AFTER_END,
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58),
    concerns="game",
    needs=(needs.record_not_coups_alone, _last_event_of_coup, _end_before_or_after_cards),
    each=_cards,
    breach_events=(CardDrawn, CoupClosed, CoupVoided),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        coup-closed {"coup": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "2", "place": 7}
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        coup-closed {"coup": 1}
    """,
)
def card_after_coup_end(view: CoupView, card: RecordedEvent) -> Compared:
    """No card is drawn for a coup that is closed or void.

    The coup is over at its close or its voiding, whichever came first. A void coup that was ruled a
    no-bet hand takes cards until it is closed. A burned card is permitted. D104 judges a card that
    was drawn for a hand and burned afterwards.
    """
    end = _last_of_cards(view.coup)
    assert end is not None
    return Compared(
        [card],
        [end],
        lambda _: f"the drawing of {event_in_words(view.shoe, card.payload)} came after the coup",
    )


RULES = (*SEQUENCE.rules,)
"""Every rule of this module."""
