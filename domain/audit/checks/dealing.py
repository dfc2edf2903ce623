"""Rules on dealing.

They cover the order and number of the cards. Cards dealt face down have to be turned before they
are called or paid: a dealer who announces the total of unturned cards must know them. Where a
patron is the banker, another rule covers cards that are never turned
(`sabot.domain.audit.checks.bank.bank_moves`).

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.card_history import hands_at
from sabot.domain.audit.card_totals import (
    Placed,
    coup_behind_gap,
    placed_cards,
    unplaced_before,
)
from sabot.domain.audit.checks.coup_sequence import coup_number_out_of_sequence
from sabot.domain.audit.completeness import holds_coups_alone
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView, is_undealt
from sabot.domain.audit.event_words import faces_of
from sabot.domain.audit.restored_cards import hands_of_restored_cards
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.events import (
    BetPaid,
    BetPushed,
    BetTaken,
    CardBurned,
    CardDrawn,
    CardTurned,
    CoupClosed,
    CoupOpened,
    Hand,
    ResultCalled,
    TotalsCalled,
)
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.events.labels import event_noun
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.sources import ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, PA_CODE_58_627A_8
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import after, in_sequence, settle, surely
from sabot.domain.timeline.sequence import TURNED_BEFORE_RESULT, TURNED_BEFORE_TOTALS
from sabot.domain.values.cards import FIRST_TWO, format_card

DEALING = RuleGroup(family="procedure", concerns="game", games=("punto-banco", "chemin-de-fer"))

# -- In which order --------------------------------------------------------------------------------

_FIRST_FOUR: Final[tuple[Hand, ...]] = ("player", "banker", "player", "banker")
_IN_ORDER: Final = frozenset(
    _FIRST_FOUR + thirds for thirds in ((), ("player",), ("banker",), ("player", "banker"))
)
"""The correct sequences of hands to which the cards of a coup are dealt."""


@DEALING.rule(
    "D101",
    "cards-out-of-order",
    sources=(ARRETE_2007_ART_55_14, PA_CODE_58_627A_8),
    needs=(needs.cards_in_order, needs.from_first_card, needs.has_cards),
    breach_events=(CardDrawn,),
    clean_when=by_the_book,
    breaks="coup > P 4 5  B K 8",
    keeps="coup > P 4  B K  P 5  B 8",
)
def cards_out_of_order(view: CoupView) -> Iterator[Breach]:
    """Cards go to Player, Banker, Player, Banker; Player's third card comes before Banker's.

    T101 to T107 check whether a third card was due, and whether a hand has too many cards. A card
    drawn after the close is not checked if its hand had two cards. It is still checked if the coup
    was ruled a no-bet hand, or if the coup had bets but no call and no settlement. A card restored
    to the other hand on a ruling belongs to that hand. A burned card belongs to its hand until it
    was burned. Only the first card out of order is reported.
    """
    # a card drawn to another game's hand has a finding of its own
    cards = [card for card in view.coup.cards if card.payload.hand in needs.SIDES]
    in_sequence(view, cards)
    hands: tuple[str, ...] = tuple(card.payload.hand for card in cards)
    if hands not in _IN_ORDER and view.coup.reassigned:
        to = hands_of_restored_cards(view)
        hands = tuple(to.get(card.position, card.payload.hand) for card in cards)
    if hands in _IN_ORDER or (view.coup.removed_cards and _in_turn_until_burned(view)):
        return
    due = (*_FIRST_FOUR, *sorted(hands[4:], key=lambda hand: hand != "player"))
    wrong = next(
        (nth for nth, (hand, at) in enumerate(zip(hands, due, strict=False)) if hand != at), None
    )
    if wrong is not None:
        face = format_card(cards[wrong].payload.card)
        yield Breach(
            f"card {wrong + 1} ({face}) went to {hand_label(hands[wrong])}, "
            f"not to {hand_label(due[wrong])}",
            "Player, Banker, Player, Banker, then Player's third before Banker's",
            ", ".join(map(hand_label, hands)),
            tuple(cards),
            offending_event=cards[wrong],
        )


def _in_turn_until_burned(view: CoupView) -> bool:
    """Return whether each card went to the right hand, counting cards later burned.

    A card is in its hand until it is burned.
    """
    moves: list[tuple[RecordedEvent, str, int]] = [
        (card, card.payload.hand, 1) for card in view.coup.cards
    ]
    for drawn, burned in view.coup.removed_cards:
        moves += [(drawn, drawn.payload.hand, 1), (burned, drawn.payload.hand, -1)]
    in_sequence(view, [event for event, _, _ in moves])
    held: Counter[str] = Counter()
    for _, hand, change in sorted(moves, key=lambda move: move[0].position):
        player, banker = held["player"], held["banker"]
        if change > 0 and min(player, banker) < FIRST_TWO:
            if hand != ("player" if player <= banker else "banker"):
                return False
        elif change > 0 and hand == "player" and banker > FIRST_TWO:
            return False
        held[hand] += change
    return True


# -- How many --------------------------------------------------------------------------------------


@need("play", "the coup has not been called or closed", "not-due")
def _decided(view: CoupView) -> bool:
    """The result was called, or the coup was closed."""
    return view.coup.closed is not None or view.coup.result_called is not None


@need("cards", "nothing was dealt and no bet was on the layout", "nothing-to-check")
def _begun(view: CoupView) -> bool:
    """A card was drawn, a call was made, or a stake was on the layout."""
    return not is_undealt(view.coup)


@need("cards", "the record may lack cards")
def _all_cards_on_record(view: CoupView) -> bool:
    """The record holds each hand's first two cards, or all events of the shoe."""
    return view.dealt or not holds_coups_alone(view.shoe)


@need("bets", "its bets went back on a ruling", "nothing-to-check")
def _not_given_back(view: CoupView) -> bool:
    """Not all bets of the coup were returned by a ruling."""
    return not view.coup.fully_refunded


@DEALING.rule(
    "D102",
    "coup-short-of-cards",
    sources=(ARRETE_2007_ART_55_14,),
    needs=(needs.not_voided, _decided, _begun),
    due=needs.together(needs.from_first_card, _all_cards_on_record, _not_given_back),
    breach_events=(CardDrawn, CoupClosed, ResultCalled),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        coup-closed {"coup": 1}
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        due
    """,
)
def coup_short_of_cards(view: CoupView) -> Iterator[Breach]:
    """No coup is decided before each hand has two cards.

    A coup is decided by its close, or else by the call of its result. If the result was called too
    early, but the hands were complete at the close, only C104 reports the call. A card does not
    count for its hand if it was certainly drawn after the close, or burned off the hand. If a hand
    is short even with the cards after the close, the finding counts these cards too.
    """
    coup = view.coup
    held = Counter(player=len(coup.player), banker=len(coup.banker))
    if view.dealt and coup.closed is not None:
        late = [card for card in coup.cards if surely(partial(after, view, card, coup.closed))]
        held.subtract(card.payload.hand for card in late)
    if min(held["player"], held["banker"]) < FIRST_TWO:
        decided = coup.closed or coup.result_called
        yield Breach(
            f"the coup was decided with too few cards: {held['player']} to Player, "
            f"{held['banker']} to Banker",
            "two cards to each hand",
            f"Player {held['player']}, Banker {held['banker']}",
            (*coup.cards, *([decided] if decided else [])),
            money="the cards decide no bet" if any(b.moves for b in coup.bets.values()) else None,
            offending_event=decided,
        )


# -- From which place of the shoe ------------------------------------------------------------------

_AT_MOST: Final = 6
"""The most cards that one slip of the hand puts into another order: those of a coup."""


@need("cards", "the record does not give the cards' places in the shoe")
def _places_on_record(shoe: Shoe) -> bool:
    """The record gives the places of cards in the shoe."""
    return any(placed_cards(shoe))


@each("card that left the shoe after another", None, about="cards")
def _neighbours(shoe: Shoe) -> Sequence[tuple[Placed, ...]]:
    """Return each card that left the shoe, with the card that left it before.

    The first card on record may have any place. A card whose place is not on record takes up one
    place or none. Up to six successive cards that changed places with one another are one finding.
    A single place that does not fit between its neighbours is also one finding.
    """
    places = [event.payload.place for event in shoe.left]
    first = places[0]
    if first is not None and places == list(range(first, first + len(places))):
        return []
    placed, unplaced = list(placed_cards(shoe)), unplaced_before(shoe)
    found: list[tuple[Placed, ...]] = []
    at = 1
    while at < len(placed):
        (last, before_it), (event, place) = placed[at - 1 : at + 1]
        if found and found[-1][2:]:
            before_it = max(place for _, place in found[-1])
        elif found and place == found[-1][0][1] + 2:
            before_it = place - 1  # the card between them had a wrong place
        before_it = max(before_it, min(before_it + unplaced[event.position], place - 1))
        many = 1 if holds_coups_alone(shoe) else _exchanged(placed[at:], before_it + 1)
        found.append(((last, before_it), *placed[at : at + many]))
        at += many
    return found


def _exchanged(coming: Sequence[Placed], due: int) -> int:
    """Return how many successive cards left the shoe in exchanged order; 1 if none did."""
    for many in range(2, min(_AT_MOST, len(coming)) + 1):
        if sorted(place for _, place in coming[:many]) == [*range(due, due + many)]:
            return 1 if coming[0][1] == due else many
    return 1


@DEALING.rule(
    "D103",
    "skipped-card",
    looks_at="shoe",
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58),
    games=(),
    needs=(_places_on_record,),
    each=_neighbours,
    explains_all=True,
    follows_from=(code_of(coup_number_out_of_sequence),),
    breach_events=(CardDrawn, CardBurned, CoupOpened),
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3}
        card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 4}
        card-drawn {"coup": 1, "hand": "player", "card": "5", "place": 6}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 7}
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3}
        card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 4}
        card-drawn {"coup": 1, "hand": "player", "card": "5", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 6}
        due
    """,
)
def skipped_card(shoe: Shoe, neighbours: tuple[Placed, ...]) -> Iterator[Breach]:
    """Cards leave the shoe one after the other, and no place in the shoe is skipped.

    Burned cards have places too, but a card burned off a hand had already left the shoe. Each card
    has the place after that of the card before it, so a repeated or lower place is also a breach.
    After a gap the next cards are compared with the new place. A record of coups alone may skip
    places, since it may lack burned cards.
    """
    (last, before_it), *behind = neighbours
    event, place = behind[0]
    due = before_it + 1
    if place == due or (place > due and holds_coups_alone(shoe)):
        return
    events = [each for each, _ in behind]
    in_sequence(shoe, (last, *events))
    came = _cards(each for _, each in behind)
    said = f"{came} of the shoe came after card {before_it}"
    if place > due and len(behind) == 1:
        skipped = f"card {due} of the shoe was"
        if place > due + 1:
            skipped = f"cards {due} to {place - 1} of the shoe were"
        said = f"{skipped} skipped: {came} came after card {before_it}"
    required = _cards(range(due, due + len(behind)))
    lacking = coup_behind_gap(shoe, event, place - due)
    yield Breach(said, required, came, (*events, *lacking), event.payload.coup)


def _cards(places: Iterable[int]) -> str:
    """Return text for places of the shoe, for example ``card 4`` or ``cards 5, 4``."""
    named = ", ".join(map(str, places))
    return f"cards {named}" if "," in named else f"card {named}"


# -- Face down -------------------------------------------------------------------------------------

Place = tuple[Hand, int]
"""A card's place on the table: its hand and its number in the hand, from 1."""

_FACE_DOWN: Final[tuple[Place, ...]] = (
    ("player", 1), ("banker", 1), ("player", 2), ("banker", 2),
)  # fmt: skip
"""The cards that are first dealt face down."""


@need("rules", "the pack does not deal cards face down", "not-required")
def dealt_face_down(view: CoupView) -> bool:
    """The rule pack has cards dealt face down."""
    return view.shoe.pack is not None and view.shoe.pack.cards.faces == "down"


@each("call or payment of the hands", "nothing was called or settled")
def _deciding(view: CoupView) -> Sequence[RecordedEvent]:
    """Return the calls and payments that need cards turned."""
    coup = view.coup
    which = -1 if any(each.payload.kind == "wrong-call" for each in coup.irregularities) else 0
    totals = events_of(TotalsCalled, coup.calls)
    results = events_of(ResultCalled, coup.calls)
    deciding: list[RecordedEvent] = [totals[which]] if totals and _house_banks(view.shoe) else []
    if results:
        deciding.append(results[which])
    elif coup.refund_ruling is None:
        moves = [move for bet in coup.bets.values() for move in bet.moves]
        deciding += sorted(moves, key=lambda move: move.position)[:1]
    return deciding


@need("cards", "the record has no turned card")
def _turning_on_record(view: CoupView) -> bool:
    """The record holds turns of cards."""
    return bool(view.coup.turned) or any(coup.turned for coup in view.shoe.coups.values())


@need("order")
def _turned_before_or_after(view: CoupView) -> bool:
    """It is known whether each card was turned before the calls or payments."""
    settle(view, _deciding.of(view), view.coup.turned)
    return True


@need("play", "the coup is still in play", "not-due")
def _turned_late_or_over(view: CoupView) -> bool:
    """A card was turned too late, or the coup is over."""
    return not view.open or any(_turned_after(view, event) for event in _deciding.of(view))


@DEALING.rule(
    "D105",
    "result-before-cards-exposed",
    order=(TURNED_BEFORE_RESULT, TURNED_BEFORE_TOTALS),
    sources=(ARRETE_2007_ART_55_14, PA_CODE_58_627A_8),
    needs=(
        dealt_face_down,
        needs.record_not_coups_alone,
        needs.not_voided,
        needs.from_first_card,
        needs.all_dealt,
        needs.present(_deciding),
        _turning_on_record,
        _turned_before_or_after,
    ),
    due=_turned_late_or_over,
    breach_events=(TotalsCalled, ResultCalled, BetTaken, BetPaid, BetPushed, CardDrawn, CardTurned),
    clean_when=lambda coup, _: coup.shown,
    breaks="""
        load france
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        card-drawn {"coup": 2, "hand": "player", "card": "4", "place": 7}
        card-drawn {"coup": 2, "hand": "banker", "card": "K", "place": 8}
        card-drawn {"coup": 2, "hand": "player", "card": "5", "place": 9}
        card-drawn {"coup": 2, "hand": "banker", "card": "8", "place": 10}
        totals-called {"coup": 2, "player": 9, "banker": 8}
        due
    """,
    keeps="""
        load france
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal > P 4  B K  P 5  B 8
        totals-called {"coup": 2, "player": 9, "banker": 8}
        due
    """,
)
def result_before_cards_exposed(view: CoupView) -> Iterator[Breach]:
    """Cards dealt face down are turned before their hand is called or paid.

    At punto banco the first two cards of each hand must be turned before the first call of the
    two-card totals. No card may be turned after the first call of the result. If the result was
    never called and no ruling returned the bets, no card may be turned after the first bet is paid,
    taken or pushed. If a wrong call was noted in the coup, the last calls count instead of the
    first. If a card was turned several times, its first turn is taken. A third card that was never
    turned is no breach. At punto banco one of the first two cards that was never turned is a breach
    if the same card, such as Player's second, was turned in another coup. C104 reports a card that
    was drawn after the call. If one of the first four cards was drawn after a call, no turn is
    compared with that call.
    """
    coup, deciding = view.coup, _deciding.of(view)
    late = next(
        ((event, turned) for event in deciding if (turned := _turned_after(view, event))), None
    )
    if late is not None:
        yield _face_down(view, *late, "turned after it")
    elif _house_banks(view.shoe) and (never := _never_turned(view)):
        drawn = _cards_by_place(coup)
        lying = [drawn[place] for place in never if place in drawn]
        yield _face_down(view, deciding[0], lying, "never turned")


def _face_down(
    view: CoupView, deciding: RecordedEvent, lying: list[RecordedEvent], shown: str
) -> Breach:
    cards, were = _faces(view.coup, lying), "was" if len(lying) == 1 else "were"
    return Breach(
        f"{event_noun(deciding.payload)} came while {cards} of "
        f"{view.shoe.coup_name(view.coup.number)} {were} face down",
        "cards that are dealt face down are turned before they are called, and paid",
        shown,
        (deciding, *lying),
    )


def _faces(coup: Coup, events: list[RecordedEvent]) -> str:
    """Return the cards that events drew or turned, by hand."""
    drawn = _cards_by_place(coup)
    cards = [
        drawn[event.payload.hand, event.payload.nth] if is_of(event, CardTurned) else event
        for event in events
    ]
    return faces_of([card.payload for card in events_of(CardDrawn, cards)])


def _house_banks(shoe: Shoe) -> bool:
    return shoe.pack is not None and shoe.pack.game == "punto-banco"


def _cards_by_place(coup: Coup) -> dict[Place, RecordedEvent]:
    """Return the draws of a coup's cards by their final places after all rulings."""
    return {
        (hand, nth): card.drawn
        for hand in needs.SIDES
        for nth, card in enumerate(hands_at(coup)[hand], 1)
    }


def _first_turns(coup: Coup) -> dict[Place, RecordedEvent]:
    """Return the first turn of each card, by its place."""
    turned: dict[Place, RecordedEvent] = {}
    for event in coup.turned:
        turned.setdefault((event.payload.hand, event.payload.nth), event)
    return turned


def _never_turned(view: CoupView) -> list[Place]:
    """Return the places of first cards that were turned in other coups, but not in this one."""
    turned = _first_turns(view.coup)
    lacking = [place for place in _FACE_DOWN if place not in turned]
    if not lacking:
        return []
    on_record = {place for coup in view.shoe.coups.values() for place in _first_turns(coup)}
    return [place for place in lacking if place in on_record]


def _turned_after(view: CoupView, deciding: RecordedEvent) -> list[RecordedEvent]:
    """Return the turns that came after a call or a payment that needed the card.

    The result is empty if one of the first four cards was drawn even later: that is a separate
    breach.
    """
    drawn = _cards_by_place(view.coup)
    of_two = is_of(deciding, TotalsCalled)
    if any(drawn[place].position > deciding.position for place in _FACE_DOWN if place in drawn):
        return []
    return [
        event
        for place, event in _first_turns(view.coup).items()
        if after(view, event, deciding)
        and (place in _FACE_DOWN or not of_two)
        and place in drawn
        and drawn[place].position < deciding.position
    ]


RULES = (*DEALING.rules,)
"""Every rule of this module."""
