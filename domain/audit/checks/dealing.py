"""Rules of handling: how cards go from the shoe to the hands.

The rule of cards that were dealt face down: they are turned before anybody calls or pays them.

Who calls a total of cards that nobody has turned has known them. Whether a card was turned too late
the coup itself says; that it never was is held against a record that told of turning it in nearly
every coup before. Where a patron banks, that is a step left out
(`sabot.domain.audit.checks.bank.bank_moves`).
"""

from collections.abc import Iterator
from typing import Final

from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.restored_cards import restored
from sabot.domain.audit.rule import (
    NO_BREACH,
    NO_CARDS,
    STARTS_BEFORE_RECORD,
    TWO_HANDS,
    Answer,
    Breach,
    CoupView,
    Doubt,
    Rule,
    is_undealt,
)
from sabot.domain.audit.table_order import doubt, doubt_among, doubt_in_row
from sabot.domain.events import (
    CardDrawn,
    CardReassigned,
    CardTurned,
    Hand,
    ResultCalled,
    TotalsCalled,
    name_of,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

_TWO: Final = 2
"""The cards that each hand is dealt first."""
_FIRST_FOUR: tuple[Hand, ...] = ("player", "banker", "player", "banker")
_IN_ORDER: Final = frozenset(
    _FIRST_FOUR + thirds for thirds in ((), ("player",), ("banker",), ("player", "banker"))
)
"""The hands of a whole coup's cards, as they are dealt rightly."""


def _order(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return "the record does not give the order of the cards"
    if view.starts_before_record or not view.coup.cards:
        return STARTS_BEFORE_RECORD if view.starts_before_record else NO_CARDS
    doubtful = doubt_in_row(view.shoe, view.coup.cards)
    if doubtful is not None:
        return doubtful
    hands: tuple[str, ...] = tuple([event.payload.hand for event in view.coup.cards])
    if hands not in _IN_ORDER and view.coup.reassigned:
        to = restored(view)
        cards = view.coup.cards
        hands = tuple(
            [to.get(card.position, hand) for card, hand in zip(cards, hands, strict=True)]
        )
    if hands in _IN_ORDER:
        return NO_BREACH
    due = [*_FIRST_FOUR, *sorted(hands[4:], key=lambda hand: hand != "player")]
    for place, (shown, required) in enumerate(zip(hands, due, strict=False)):
        if shown != required:
            return (
                Breach(
                    f"card {place + 1} went to the {shown}",
                    "Player, Banker, Player, Banker, then Player's third before Banker's",
                    ", ".join(hands),
                    tuple(view.coup.cards),
                    done=view.coup.cards[place],
                ),
            )
    return NO_BREACH


def _may_lack_cards(view: CoupView) -> str | None:
    """Say why a coup without its first cards is none the worse."""
    if is_undealt(view.coup):
        return "nothing was dealt, and no bet lay"
    if view.starts_before_record:
        return STARTS_BEFORE_RECORD
    return "the record may lack cards" if view.shoe.scope == "coups" else None


def _too_few(view: CoupView) -> Answer:
    coup = view.coup
    if coup.voided is not None:
        return "the coup was voided"
    if coup.closed is None and coup.result_called is None:
        return "the coup is still in play"
    player, banker = len(coup.player), len(coup.banker)
    if view.dealt and coup.closed is not None:
        behind = _behind(view.shoe, coup, coup.closed)
        player, banker = player - behind.count("player"), banker - behind.count("banker")
    if min(player, banker) >= _TWO:
        return NO_BREACH
    if not view.dealt and (reason := _may_lack_cards(view)) is not None:
        return reason
    if coup.fully_refunded:
        return "its bets went back on a ruling"
    return (
        Breach(
            f"the coup was closed on {player} and {banker} cards",
            "two cards to each hand",
            f"player {player}, banker {banker}",
            (*coup.cards, *([coup.closed] if coup.closed else [])),
            done=coup.closed or coup.result_called,
        ),
    )


def _behind(shoe: Shoe, coup: Coup, closed: RecordedEvent) -> list[str]:
    """Return the hands of the cards that surely came when the coup was closed."""
    return [
        card.payload.hand
        for card in coup.cards
        if card.position > closed.position and doubt(shoe, card, closed) is None
    ]


def _places(shoe: Shoe) -> Answer:
    places = [event.payload.place for event in shoe.left]
    first = places[0] if places else None
    if first is not None and places == list(range(first, first + len(places))):
        return NO_BREACH
    placed = [
        (event, event.payload.place) for event in shoe.left if event.payload.place is not None
    ]
    if not placed:
        return "the record does not give the cards' places in the shoe"
    breaches: list[Breach | Doubt] = []
    last, before = placed[0][0], placed[0][1] - 1
    for event, place in placed:
        if shoe.scope == "coups" and place > before:
            # what left the shoe in between need not stand in a record of coups
            before = place - 1
        if place != before + 1:
            doubtful = doubt(shoe, last, event)
            if doubtful is not None:
                breaches.append(Doubt(doubtful))
                last, before = event, place
                continue
            coup = event.payload.coup
            said = f"card {place} of the shoe after card {before}"
            breaches.append(Breach(said, f"card {before + 1}", f"card {place}", (event,), coup))
        last, before = event, place
    return tuple(breaches)


DEALING_ORDER_RULES = (
    Rule(
        "D101",
        "cards-out-of-order",
        "procedure",
        "high",
        "Cards go to Player, Banker, Player, Banker; Player's third comes before Banker's.",
        ("field-facts.md 3 A7", "arrêté of 14 May 2007, art. 55-14"),
        on_coup=_order,
        games=TWO_HANDS,
    ),
    Rule(
        "D102",
        "coup-short-of-cards",
        "procedure",
        "high",
        "Each hand has two cards at least before the coup is decided.",
        ("field-facts.md 1.2, 3 A11",),
        on_coup=_too_few,
        games=TWO_HANDS,
    ),
    Rule(
        "D103",
        "skipped-card",
        "procedure",
        "high",
        "Cards leave the shoe one after the other; a place passed over is a card unaccounted for.",
        ("field-facts.md 3 A7",),
        on_shoe=_places,
    ),
)


Place = tuple[Hand, int]
"""A card's place: its hand, and which card of it, from 1."""

_FOUR: Final[tuple[Place, ...]] = (
    ("player", 1), ("banker", 1), ("player", 2), ("banker", 2),
)  # fmt: skip
"""The cards that are dealt face down at first."""
_MANY: Final = 10
"""A record tells of nearly every coup, where it lacks fewer than one in so many."""


def _unjudged(view: CoupView) -> str | None:
    shoe, coup = view.shoe, view.coup
    if shoe.pack is None or shoe.pack.cards.faces != "down":
        return "the pack does not deal cards face down"
    if shoe.scope == "coups":
        return COUPS_ALONE
    if coup.voided is not None:
        return "the coup was voided"
    if not view.dealt:
        return (
            STARTS_BEFORE_RECORD if view.starts_before_record else "a hand has fewer than two cards"
        )
    return None


def _face_down(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason is not None:
        return reason
    deciding = list(_deciding(view))
    if not deciding:
        return "nothing was called or settled"
    if not view.coup.turned and not _tells_of_turning(view.shoe):
        return "the record tells of no card turned"
    doubtful = doubt_among(view.shoe, deciding, view.coup.turned)
    if doubtful is not None:
        return doubtful
    for payload in deciding:
        late = _turned_after(view.coup, payload)
        if late:
            return (_breach(view.coup, payload, late),)
    return _never(view, deciding[0])


def _deciding(view: CoupView) -> Iterator[RecordedEvent]:
    """Yield the call of the totals, and that of the result, or else the first payment.

    Of calls that were noted as wrong, and made again, the last counts. What goes back on a ruling
    is paid on no card.
    """
    coup = view.coup
    noted = any(event.payload.kind == "wrong-call" for event in coup.irregularities)
    kinds = (TotalsCalled, ResultCalled) if _by_the_tableau(view.shoe) else (ResultCalled,)
    for kind in kinds:
        calls = [call for call in coup.calls if isinstance(call.payload, kind)]
        if calls:
            yield calls[-1 if noted else 0]
        elif kind is ResultCalled and coup.refund_ruling is None:
            moves = [move for bet in coup.bets.values() for move in bet.moves]
            yield from sorted(moves, key=lambda move: move.position)[:1]


def _drawn(coup: Coup) -> dict[Place, RecordedEvent]:
    """Return the cards of a coup, by their places; one given to the other hand lies there."""
    hands: dict[Hand, list[RecordedEvent]] = {}
    moves: list[RecordedEvent[CardDrawn | CardReassigned]] = [*coup.cards, *coup.reassigned]
    for event in sorted(moves, key=lambda event: event.position):
        match event.payload:
            case CardReassigned() as given:
                lying = hands.setdefault(given.hand, [])
                hands.setdefault(given.to, []).extend(lying[-1:])
                del lying[-1:]
            case CardDrawn() as drawn:
                hands.setdefault(drawn.hand, []).append(event)
    return {(hand, nth): card for hand, lying in hands.items() for nth, card in enumerate(lying, 1)}


def _turned(coup: Coup) -> dict[Place, RecordedEvent]:
    """Return by what each card was turned first, by its place."""
    turned: dict[Place, RecordedEvent] = {}
    for event in coup.turned:
        turned.setdefault((event.payload.hand, event.payload.nth), event)
    return turned


def _turned_after(coup: Coup, deciding: RecordedEvent) -> list[RecordedEvent]:
    """Return by what the cards that a call rests on, or a payment, were turned behind it.

    Where one of the first four was not even drawn, that is a breach of its own.
    """
    drawn = _drawn(coup)
    of_two = isinstance(deciding.payload, TotalsCalled)
    if any(drawn[place].position > deciding.position for place in _FOUR if place in drawn):
        return []
    return [
        event
        for place, event in _turned(coup).items()
        if event.position > deciding.position
        and (place in _FOUR or not of_two)
        and place in drawn
        and drawn[place].position < deciding.position
    ]


def _never(view: CoupView, deciding: RecordedEvent) -> Answer:
    """Judge the cards that were never turned, where the house banks."""
    shoe, coup, turned = view.shoe, view.coup, _turned(view.coup)
    lying = [place for place in _FOUR if place not in turned]
    if not lying or not _by_the_tableau(shoe):
        return NO_BREACH
    if view.open:
        return "the coup is still in play"
    if not _always_told(shoe, coup, lying):
        return "the record tells only of some cards that were turned"
    drawn = _drawn(coup)
    return (_breach(coup, deciding, [drawn[place] for place in lying if place in drawn]),)


def _by_the_tableau(shoe: Shoe) -> bool:
    return shoe.pack is not None and shoe.pack.game == "punto-banco"


def _tells_of_turning(shoe: Shoe) -> bool:
    return any(coup.turned for coup in shoe.coups.values())


def _always_told(shoe: Shoe, coup: Coup, lying: list[Place]) -> bool:
    """Tell whether the record would have told that these cards were turned.

    That no card was is sure where it told of them in nearly every coup before. Of one card alone it
    may be the device that missed it, if it ever missed one, or has told of few coups.
    """
    before = [
        each
        for each in shoe.coups.values()
        if each.number < coup.number and each.voided is None and len(each.cards) >= len(_FOUR)
    ]
    if len(lying) == len(_FOUR):
        return _MANY * sum(map(_lacks, before)) < len(before)
    return len(before) >= _MANY and not any(map(_lacks, before))


def _lacks(coup: Coup) -> bool:
    """Tell whether one of the first four cards of a coup was never turned, by the record."""
    return not _turned(coup).keys() >= set(_FOUR)


def _breach(coup: Coup, deciding: RecordedEvent, lying: list[RecordedEvent]) -> Breach:
    late = isinstance(lying[0].payload, CardTurned)
    cards = "a card" if len(lying) == 1 else f"{len(lying)} cards"
    return Breach(
        f"{name_of(deciding.payload)} when {cards} of coup {coup.number} lay face down",
        "cards that are dealt face down are turned before they are called, and paid",
        "turned behind it" if late else "never turned",
        (deciding, *lying),
    )


FACE_DOWN_RULES: Final = (
    Rule(
        "D105",
        "result-before-cards-exposed",
        "procedure",
        "high",
        "Who calls or pays a card that nobody has turned has known that card.",
        ("field-facts.md 1.1 #9, 3 A8", "arrêté of 14 May 2007, art. 55-14"),
        on_coup=_face_down,
        games=TWO_HANDS,
    ),
)


RULES = (
    *DEALING_ORDER_RULES,
    *FACE_DOWN_RULES,
)
"""Every rule of this family."""
