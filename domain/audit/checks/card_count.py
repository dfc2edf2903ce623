"""Rules on the number of cards in a shoe: no surplus copies, and no card missing at the end."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.burned_cards import burns_behind_count
from sabot.domain.audit.card_totals import (
    card_counts,
    cards_behind_gaps,
    cards_recorded_again,
    describe_missing_cards,
    end_of,
    is_endless,
    left_by_end,
    shown_by_gaps,
)
from sabot.domain.audit.checks.burn_reasons import WRONG_BURNS
from sabot.domain.audit.checks.coup_sequence import coup_number_out_of_sequence
from sabot.domain.audit.committed_order import order_mismatch
from sabot.domain.audit.completeness import shuffled_back
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.events import CardBurned, CardDrawn, CoupOpened, ShoeEnded, ShoeLoaded
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.copies_seen import SUITS, TEN_VALUED, CopiesSeen, is_ten_valued
from sabot.domain.procedure.preconditions import shoe_requirements
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_40,
    ARRETE_2007_ART_55_14,
    DESPACHO_55_2004_ART_1,
    NSW_MINI_BACCARAT_RULE_3,
)
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import answered
from sabot.domain.values.cards import FULL_DECK, Card, rank_of, suit_of

CARDS = RuleGroup(family="composition", concerns="game")

_ENDLESS: Final = "cards return to a continuous shuffler, so no card is used up"


@need("rules", _ENDLESS, "not-required")
def cards_are_used_up(shoe: Shoe) -> bool:
    """Dealt cards do not go back into the shoe."""
    return not is_endless(shoe)


@need("shoe", "the record does not say how many decks were loaded")
def decks_on_record(shoe: Shoe) -> bool:
    """The record says how many decks were loaded."""
    return bool(shoe.decks)


# -- Too many --------------------------------------------------------------------------------------


@need("rules", _ENDLESS, "not-required")
def faces_add_up(shoe: Shoe) -> bool:
    """Dealt cards do not go back into the shoe, or its last cards were counted by face."""
    return not is_endless(shoe) or bool(_counted_at_end(shoe))


@need("cards", "no face of a card was seen")
def faces_seen(shoe: Shoe) -> bool:
    """The record gives the face of a card."""
    faces = (event.payload.card for event in _cards_out_for_good(shoe))
    return any(card is not None for card in faces) or bool(_counted_at_end(shoe))


@CARDS.rule(
    "N301",
    "excess-copies-of-card",
    sources=(ARRETE_2007_ART_55_14, DESPACHO_55_2004_ART_1, NSW_MINI_BACCARAT_RULE_3),
    looks_at="shoe",
    needs=(faces_add_up, decks_on_record, faces_seen),
    follows_from=("card-order-mismatch",),
    breach_events=(CardDrawn, CardBurned, ShoeEnded),
    breaks="""
        load classic-8 1 {"scope": "coups", "pack_named": false}
        bare
        coup P 7c 2  B K 8
        coup P 7c 2  B K 8
    """,
    keeps="""
        load classic-8 1 {"scope": "coups", "pack_named": false}
        bare
        coup P 7c 2  B K 8
        coup P 7d 2  B K 8
    """,
)
def excess_copies_of_card(shoe: Shoe) -> Iterator[Breach]:
    """No more copies of a card, a rank or ten-valued cards are seen than the decks hold.

    The rule looks at all faces on record: of cards drawn, burned, and counted by face at the end.
    With a continuous shuffler it looks only at faces counted at the end. Surplus copies of a card
    are one finding, which also accounts for the surplus of its rank. Surplus copies are not judged
    if the shoe was shuffled after its first card: dealt cards may have gone back.
    """
    if not _any_excess(Counter(_faces(shoe)), shoe.decks):
        return
    answered(shuffled_back(shoe))
    seen = CopiesSeen(shoe.decks)
    surplus: dict[str, list[Copy]] = {}
    explained: Counter[str] = Counter()
    for event, coup, card in _seen(shoe):
        seen.add(card)
        excess = seen.excess(card)
        if excess is None or shoe_requirements.has_enough_copies(seen, card):
            continue
        what, count, most = excess
        if count - most > explained[what]:
            surplus.setdefault(what, []).append((event, coup, count))
            # it is also a card of its rank too many, and a ten-valued one
            explained.update(name for name, _, _ in seen.counts(card) if name != what)
    against = list(_against_order(shoe)) if surplus else []
    for what, copies in surplus.items():
        misread = [event for event, faces in against if what in faces]
        yield _too_many_of(shoe, what, copies, misread)


Copy = tuple[RecordedEvent, int | None, int]
"""A card too many: its event, its coup, and its number among the copies seen."""


def _against_order(shoe: Shoe) -> Iterator[tuple[RecordedEvent, list[str]]]:
    """Yield the first card that contradicts a committed order, with the names of its counts."""
    for opened in shoe.order_opened:
        mismatch = order_mismatch(shoe, opened)
        if mismatch is not None:
            counts = CopiesSeen(shoe.decks).counts(mismatch.face)
            yield mismatch.event, [name for name, _, _ in counts]


def _too_many_of(shoe: Shoe, what: str, copies: list[Copy], misread: list[RecordedEvent]) -> Breach:
    """Return the breach for a card, a rank or ten-valued cards of which too many were seen.

    ``misread`` are cards of the kind that contradict a committed order.
    """
    decks, lacks = shoe.decks, _and(describe_missing_cards(shoe))
    (event, coup, first), last = copies[0], copies[-1][2]
    stock = "1 deck" if decks == 1 else f"{decks} decks"
    said = f"{what} seen {last} times, {stock} hold{'s' if decks == 1 else ''} {first - 1}"
    coups = dict.fromkeys(
        str(shoe.recorded_number(each)) for _, each, _ in copies if each is not None
    )
    said += f" (excess in coups {', '.join(coups)})" if len(coups) > 1 else ""
    return Breach(
        said,
        f"at most {first - 1}",
        f"{last} seen{lacks}",
        tuple({each.position: each for each in (*(e for e, _, _ in copies), *misread)}.values()),
        coup,
        offending_event=event,
    )


@CARDS.rule(
    "N302",
    "excess-cards-dealt",
    sources=(ARRETE_2007_ART_55_14, DESPACHO_55_2004_ART_1, NSW_MINI_BACCARAT_RULE_3),
    looks_at="shoe",
    needs=(cards_are_used_up, decks_on_record, needs.card_on_record),
    breach_events=(CardDrawn, CardBurned),
    breaks="""
        load classic-8 1 {"scope": "coups", "pack_named": false}
        bare
        burned 53
    """,
    keeps="""
        load classic-8 1 {"scope": "coups", "pack_named": false}
        bare
        burned 52
    """,
)
def excess_cards_dealt(shoe: Shoe) -> Iterator[Breach]:
    """No more cards leave a shoe than were loaded: 52 for each deck.

    Burned cards are included. A dealt card that is burned counts once if the burn names its place,
    or if a ruling burned it by its face as the last card out of the shoe. A card that is recorded
    twice at its place counts once. Surplus cards are not judged if the shoe was shuffled after its
    first card: dealt cards may have gone back. All surplus cards are one finding, which shows the
    first card too many.
    """
    if shoe_requirements.has_enough_cards(shoe.size, len(shoe.left)):
        return
    again = {event.position for event in cards_recorded_again(shoe)}
    left = [event for event in shoe.left if event.position not in again]
    if not shoe_requirements.has_enough_cards(shoe.size, len(left)):
        answered(shuffled_back(shoe))
        event = left[shoe.size]
        yield Breach(
            f"{len(left)} cards left a shoe of {shoe.size}",
            f"at most {shoe.size} cards",
            f"{len(left)} cards",
            (event,),
            event.payload.coup,
        )


# -- The count at the end --------------------------------------------------------------------------


@each("count at the end", "the cards were not counted at the end")
def _counts(shoe: Shoe) -> Sequence[int | tuple[int, int]]:
    """Return the total by each count at the end, after a pair of counts that differ."""
    end = end_of(shoe)
    if end is None:
        return ()
    unlike = _breach_of_unequal_counts(shoe, end)
    return [*([unlike] if unlike else []), *dict.fromkeys(card_counts(shoe, end))]


@CARDS.rule(
    "N303",
    "card-count-mismatch",
    sources=(ARRETE_2007_ART_40,),
    looks_at="shoe",
    needs=(needs.not_coups_alone, decks_on_record, needs.shoe_over),
    each=_counts,
    follows_from=(
        *("skipped-card", "excess-cards-dealt", "card-order-mismatch"),
        *("deck-count-not-permitted", "wrong-opening-burn", *WRONG_BURNS),
        code_of(coup_number_out_of_sequence),
    ),
    breach_events=(ShoeEnded, ShoeLoaded, CardDrawn, CardBurned, CoupOpened),
    breaks="""
        coup P 4 5  B K 8
        shoe-ended {"left": 409, "reason": "withdrawn"}
    """,
    keeps="""
        coup P 4 5  B K 8
        shoe-ended {"left": 410, "reason": "withdrawn"}
    """,
)
def card_count_mismatch(shoe: Shoe, count: int | tuple[int, int]) -> Iterator[Breach]:
    """The cards that left the shoe and the cards that remained add up to the cards loaded.

    The end of the shoe can give three counts: of all cards, of the remaining cards by number, and
    of the remaining cards by face. Each count that is on record has to be right. Counts with the
    same wrong total are one finding. With a continuous shuffler dealt cards go back, so the
    remaining cards are not added up. Instead, three things must hold there. The count of all cards
    equals the cards loaded. No more cards remain than were loaded. The counts by face and by number
    agree.

    A surplus is not judged if the shoe was shuffled after its first card: dealt cards may have gone
    back. Q103 reports cards after the end of the shoe. They are taken as remaining cards. If the
    total is right only with these cards as drawn before the end, they are taken as drawn then and
    recorded late.
    """
    end = end_of(shoe)
    assert end is not None
    assert shoe.ended is not None
    if isinstance(count, tuple):
        by_face, by_number = count
        said = f"{by_face} cards were counted by face, but {by_number} were reported"
        yield Breach(said, "as many faces as cards", said, (shoe.ended,))
    elif count != shoe.size:
        if count > shoe.size:
            answered(shuffled_back(shoe))
        yield Breach(
            f"{count} cards counted, {shoe.size} expected: {_difference(count - shoe.size)}",
            f"{shoe.decks} deck{'' if shoe.decks == 1 else 's'} of 52: {shoe.size} cards",
            _counts_on_record(shoe, end),
            (shoe.ended, *_why_not_there(shoe, count)),
        )


def _why_not_there(shoe: Shoe, count: int) -> Sequence[RecordedEvent]:
    """Return the cards that explain a wrong total.

    They are the cards drawn after skipped places, if exactly the missing number was skipped; or the
    surplus cards; or cards that were burned wrongly, by the same number. If whole decks are missing
    or too many, it is the loading of the shoe.
    """
    if shoe.loaded is not None and not (shoe.size - count) % len(FULL_DECK):
        return [shoe.loaded]
    if count > shoe.size:
        again = cards_recorded_again(shoe)
        if len(again) == count - shoe.size:
            return again
        return burns_behind_count(shoe, count - shoe.size) or shoe.left[shoe.size :][:1]
    skipped = list(cards_behind_gaps(shoe))
    behind = sum(cards for _, cards in skipped) == shoe.size - count
    burned = burns_behind_count(shoe, count - shoe.size)
    return shown_by_gaps(shoe, skipped) if behind else burned


def _difference(cards: int) -> str:
    return f"{-cards} missing" if cards < 0 else f"{cards} too many"


def _breach_of_unequal_counts(shoe: Shoe, end: ShoeEnded) -> tuple[int, int] | None:
    """Return a breach if the two counts of the remaining cards differ, else None.

    One count adds up the faces that were counted, the other is the number that was reported. They
    are compared only for shoes into which cards are returned. In other shoes a difference already
    makes one of the totals wrong.
    """
    if not (is_endless(shoe) and end.faces) or end.left is None or len(end.faces) == end.left:
        return None
    return len(end.faces), end.left


def _counts_on_record(shoe: Shoe, end: ShoeEnded) -> str:
    """Return the numbers of cards that the record gives, and the cards that are missing."""
    said = [f"{len(left_by_end(shoe))} left the shoe"]
    if end.left is not None:
        said.append(f"{end.left} remained")
    if end.faces:
        said.append(f"{len(end.faces)} by face")
    if end.counted is not None:
        said.append(f"{end.counted} counted in all")
    return ", ".join(said) + _and(describe_missing_cards(shoe))


def _and(lacks: str) -> str:
    return f"; missing: {lacks}" if lacks else ""


# -- Faces -----------------------------------------------------------------------------------------


def _cards_out_for_good(shoe: Shoe) -> list[RecordedEvent[CardBurned | CardDrawn]]:
    """Return the cards that left the shoe, and are neither returned into it nor counted at its end.

    There are none if dealt cards are returned into the shoe.
    """
    return [] if is_endless(shoe) else left_by_end(shoe) if _counted_at_end(shoe) else shoe.left


def _counted_at_end(shoe: Shoe) -> tuple[Card, ...]:
    """Return the remaining cards if they were counted by face."""
    end = end_of(shoe)
    return () if end is None else end.faces


def _seen(shoe: Shoe) -> Iterator[tuple[RecordedEvent, int | None, Card]]:
    """Yield every face seen, with its event and coup.

    The cards counted at the end come last.
    """
    for event in _cards_out_for_good(shoe):
        payload = event.payload
        if payload.card is not None:
            yield event, payload.coup, payload.card
    if shoe.ended is not None:
        for card in _counted_at_end(shoe):
            yield shoe.ended, None, card


def _faces(shoe: Shoe) -> list[Card]:
    """Return every face that was seen."""
    faces = [event.payload.card for event in _cards_out_for_good(shoe)]
    return [card for card in (*faces, *_counted_at_end(shoe)) if card is not None]


_FACES: Final = frozenset(FULL_DECK)


def _any_excess(cards: Counter[Card], decks: int) -> bool:
    """Return whether there are too many copies of any card or rank.

    This quick check saves the search for the surplus card.
    """
    if cards.keys() <= _FACES:
        # no rank can have too many cards unless one of its faces has
        return max(cards.values()) > decks
    ranks: Counter[str] = Counter()
    tens = 0
    for card, count in cards.items():
        if suit_of(card) is not None and count > decks:
            return True
        rank = rank_of(card)
        if rank is not None:
            ranks[rank] += count
        if is_ten_valued(rank):
            tens += count
    return tens > TEN_VALUED * decks or any(count > SUITS * decks for count in ranks.values())


RULES = (*CARDS.rules,)
"""Every rule of this module."""
