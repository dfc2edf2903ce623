"""Rules of preparation: what is done to the cards before the first coup.

The rule of a shuffle in mid-shoe: cards that are being dealt from keep their order.

A shoe is shuffled and cut before its first card, and dealt to its cut card; no card goes back into
it. Where something went wrong with the cards, or with the machine, somebody rules what becomes of
them; what is shuffled when no card of it is dealt any more harms nobody.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.rule import NO_BREACH, NO_CARDS, Answer, Breach, Doubt, Rule
from sabot.domain.audit.table_order import doubt, doubt_among
from sabot.domain.events import (
    CardBurned,
    CardDrawn,
    ShoeShuffled,
)
from sabot.domain.events.envelope import RecordedEvent, first_of
from sabot.domain.procedure.common import burn_due, opening_burn
from sabot.domain.procedure.ruling_effects import CARDS_STAY
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import pretty

_BEGUN_LATE = "the record does not begin with the loading of the shoe"


def _decks(shoe: Shoe) -> Answer:
    if shoe.pack is None or shoe.loaded is None:
        return "the rule pack cannot be read"
    if not shoe.loaded.payload.pack_named:
        return "the record names no rules"
    allowed = shoe.pack.cards.decks
    if shoe.decks in allowed:
        return NO_BREACH
    names = ", ".join(map(str, allowed))
    return (
        Breach(
            f"{shoe.decks} decks were loaded", f"{names} decks", f"{shoe.decks} decks",
            (shoe.loaded,),
        ),
    )  # fmt: skip


def _stop_card(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if not shoe.stop_cards:
        return "no stop card was recorded"
    if shoe.pack is None or shoe.pack.end.stop_card_least is None:
        return "the pack does not say where the stop card goes"
    least, most = shoe.pack.end.stop_card_least, shoe.pack.end.stop_card_most or shoe.size
    wrong = [
        (event, event.payload.behind)
        for event in shoe.stop_cards
        if not least <= event.payload.behind <= most
    ]
    return tuple(
        Breach(
            f"the stop card went in {behind} from the end",
            f"{least} to {most} from the end",
            f"{behind} from the end",
            (event,),
        )
        for event, behind in wrong
    )


def _burn(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return "the record may lack burned cards"
    if not shoe.coups and (shoe.ended is None or not shoe.left):
        return "no coup has been dealt"
    due = burn_due(shoe)
    if due is None:
        return "the rule pack cannot be read"
    burned = opening_burn(shoe)
    first_up = burned[0].card if burned else None
    if due.face_up and first_up is None:
        return (
            Breach(
                "the first card was not burned face up",
                "the first card face up, then as many as it counts",
                f"{len(burned)} burned, none face up first",
                tuple(shoe.burned) or tuple(shoe.left[:1]),
            ),
        )
    late = _burned_late(shoe)
    if late or due.cards == len(burned):
        return late or (NO_BREACH if shoe.left else NO_CARDS)
    because = f": 1 and {pretty(first_up)} counts {(due.cards or 1) - 1}" if first_up else ""
    return (
        Breach(
            f"{len(burned)} cards were burned",
            f"{due.cards} cards{because}",
            f"{len(burned)} cards",
            tuple(shoe.burned) or tuple(shoe.left[:1]),
            done=_burned_wrong(shoe, due.cards or 0),
        ),
    )


def _burned_wrong(shoe: Shoe, cards: int) -> RecordedEvent | None:
    """Return the card by which the burn went wrong: one too many, or dealt before all were burned.

    None where no card was dealt.
    """
    beyond = [event for event in shoe.burned if event.payload.reason == "opening"]
    return next(iter(beyond[cards:]), None) or first_of(CardDrawn, shoe.left)


def _burned_late(shoe: Shoe) -> str | tuple[Breach, ...]:
    """Judge whether the cards burned before the first coup were, and not behind its first card."""
    drawn = first_of(CardDrawn, shoe.left)
    if drawn is None:
        return ()
    opening = [event for event in shoe.burned if event.payload.reason == "opening"]
    late = [event for event in opening if event.position > drawn.position]
    if not late:
        return ()
    doubtful = doubt_among(shoe, late, (drawn,))
    said = "was burned as before the first coup when its first card lay there"
    breach = Breach(
        f"a card {said}", "the burn comes before the first coup", "a burn behind it", (*late, drawn)
    )
    return doubtful or (breach,)


def _backs(shoe: Shoe) -> Answer:
    if shoe.pack is None or shoe.loaded is None:
        return "the rule pack cannot be read"
    required = shoe.pack.cards.backs
    if required is None:
        return "the pack does not say which backs"
    backs = shoe.loaded.payload.backs
    if not backs:
        return "the record does not give the backs"
    if len(set(backs)) == required:
        return NO_BREACH
    return (
        Breach(
            f"backs of {len(set(backs))} colours were loaded",
            f"{required} colours",
            ", ".join(backs),
            (shoe.loaded,),
        ),
    )


def _unprepared(shoe: Shoe, done: Sequence[RecordedEvent], what: str, required: str) -> Answer:
    """Judge whether something was done before the first card left the shoe."""
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.loaded is None or not shoe.left:
        return "no card has left the shoe" if shoe.loaded else _BEGUN_LATE
    first = shoe.left[0]
    before = [event for event in done if event.position < first.position]
    if any(doubt(shoe, event, first) is None for event in before):
        return NO_BREACH
    breach = Breach(what, required, "no such event before the first card", (first,))
    return doubt_among(shoe, done, (first,)) or (breach,)


def _shuffled(shoe: Shoe) -> Answer:
    return _unprepared(
        shoe, shoe.shuffles, "the cards were not shuffled", "a shuffle before the first card"
    )


def _since(
    shoe: Shoe, earlier: Sequence[RecordedEvent], done: Sequence[RecordedEvent]
) -> Sequence[RecordedEvent]:
    """Return what was done since the last of what comes before it: a shuffle undoes a cut."""
    first = shoe.left[0].position if shoe.left else 0
    before = [event for event in earlier if event.position < first]
    if not before:
        return done
    last = before[-1]
    return [each for each in done if each.position > last.position or doubt(shoe, last, each)]


def _cut(shoe: Shoe) -> Answer:
    if shoe.pack is not None and shoe.pack.endless:
        return "a continuous shuffler is not cut"
    cuts = _since(shoe, shoe.shuffles, shoe.cuts)
    required = "a cut between the shuffle and the first card"
    return _unprepared(shoe, cuts, "the cards were not cut", required)


def _stop_card_placed(shoe: Shoe) -> Answer:
    if shoe.pack is None or shoe.pack.end.stop_card_least is None:
        return "the pack does not ask for a stop card"
    placed = _since(shoe, shoe.shuffles, shoe.stop_cards)
    required = "a stop card between the shuffle and the first card"
    return _unprepared(shoe, placed, "no stop card was placed", required)


SETUP_RULES = (
    Rule(
        "S301",
        "deck-count-not-permitted",
        "procedure",
        "medium",
        "The pack says how many decks the game is dealt from.",
        ("field-facts.md 1.1 #4, 3 A1",),
        on_shoe=_decks,
    ),
    Rule(
        "S313",
        "misplaced-stop-card",
        "procedure",
        "medium",
        "The stop card's place decides how deep the shoe is dealt.",
        ("field-facts.md 1.1 #10, 3 A3",),
        on_shoe=_stop_card,
    ),
    Rule(
        "S304",
        "wrong-opening-burn",
        "procedure",
        "medium",
        "Cards are burned before the first coup by the pack's option.",
        ("field-facts.md 1.2, 3 A5", "seeds S0, S1"),
        on_shoe=_burn,
    ),
    Rule(
        "S302",
        "wrong-card-backs",
        "procedure",
        "medium",
        "Backs of two colours make a foreign card stand out.",
        ("field-facts.md 3 A1", "arrêté of 14 May 2007, art. 55-14: 3 + 3"),
        on_shoe=_backs,
    ),
    Rule(
        "S303",
        "missing-shuffle",
        "procedure",
        "high",
        "An order that nobody mixed can be known.",
        ("field-facts.md 3 A21, 4 (unshuffled pack)", "seeds S0, S1"),
        on_shoe=_shuffled,
    ),
    Rule(
        "S308",
        "missing-cut",
        "procedure",
        "medium",
        "The cut takes the order out of the shuffler's hands.",
        ("field-facts.md 3 A3",),
        on_shoe=_cut,
    ),
    Rule(
        "S312",
        "missing-stop-card",
        "procedure",
        "medium",
        "Without a stop card nobody knows which coup is the last.",
        ("field-facts.md 1.1 #10, 3 A3", "seeds S0, S1"),
        on_shoe=_stop_card_placed,
    ),
)


_OF_BETS: Final = ("late-bet", "wrong-payment", "wrong-call", "abandoned-bet")
"""Irregularities that give no ground to shuffle."""


def _in_mid_shoe(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is not None and shoe.pack.endless:
        return "a continuous shuffler shuffles all the time"
    if not shoe.shuffles or not shoe.left:
        return "no card has left the shoe" if shoe.shuffles else "the record tells of no shuffle"
    if shoe.order is None and shoe.shuffles[-1].position < shoe.left[0].position:
        return NO_BREACH
    return tuple(_judged(shoe))


def _judged(shoe: Shoe) -> Iterator[Breach | Doubt]:
    """Yield a breach for each place of the shoe at which what was left of it was shuffled."""
    told: set[int] = set()
    for event in shoe.shuffles:
        before = [card for card in shoe.left if card.position < event.position]
        after = next((card for card in shoe.left if card.position > event.position), None)
        doubtful = _in_doubt(shoe, event) if after is not None else None
        if doubtful is not None:
            yield Doubt(doubtful)
        elif before and after is not None and len(before) not in told:
            told.add(len(before))
            if not _may_be_ruled(shoe, event):
                yield _breach(event, before, after)


def _in_doubt(shoe: Shoe, event: RecordedEvent) -> str | None:
    """Say why nobody knows whether cards left the shoe both before a shuffle and behind it."""
    if shoe.order is None:
        return None
    return doubt(shoe, event, shoe.left[0]) or doubt(shoe, event, shoe.left[-1])


def _breach(
    event: RecordedEvent[ShoeShuffled],
    before: Sequence[RecordedEvent],
    after: RecordedEvent[CardBurned | CardDrawn],
) -> Breach:
    out = len(before)
    return Breach(
        f"{event.payload.by} shuffled the shoe when {out} card{'s' if out > 1 else ''} had left it",
        "a shoe is shuffled before its first card, and else on a ruling",
        "nothing was noted",
        (event, before[-1], after),
        after.payload.coup,
        key=("cards", out),
    )


def _may_be_ruled(shoe: Shoe, event: RecordedEvent) -> bool:
    """Tell whether somebody ruled on cards or machine about then, or may still do so.

    That is: since the last coup before the shuffle began, and until the next one that is closed or
    void, or the shoe has ended.
    """
    begun = (coup.events[0].position for coup in shoe.coups.values() if coup.events)
    since = max((first for first in begun if first < event.position), default=0)
    coups = shoe.coups.values()
    over = [*(coup.closed or coup.voided for coup in coups), shoe.ended]
    ends = [each.position for each in over if each is not None and each.position > event.position]
    if not ends:
        return True
    noted: list[RecordedEvent] = [
        each
        for each in shoe.irregularities
        if each.payload.kind not in _OF_BETS and each.payload.ruling not in CARDS_STAY
    ]
    noted += shoe.shuffler_faults
    return any(since < each.position < min(ends) for each in noted)


RESHUFFLE_RULES: Final = (
    Rule(
        "S315",
        "mid-shoe-shuffle",
        "procedure",
        "high",
        "Who may shuffle what is left of a shoe ends what the shuffle and the cut have bound.",
        (
            "field-facts.md 3 A3, A4, A7 (no card goes back into the shoe), A11",
            "arrêté of 14 May 2007, arts 55-14, 58",
        ),
        on_shoe=_in_mid_shoe,
    ),
)


RULES = (
    *SETUP_RULES,
    *RESHUFFLE_RULES,
)
"""Every rule of this family."""
