"""The rule of cards that were dealt face down: they are turned before anybody calls or pays them.

Who calls a total of cards that nobody has turned has known them. Whether a card was turned too late
the coup itself says; that it never was is held against a record that told of turning it in nearly
every coup before. Where a patron banks, that is a step left out (`domain.audit.left_out`).
"""

from collections.abc import Iterator
from typing import Final

from domain.audit.lacking import COUPS_ALONE
from domain.audit.rule import CLEAN, HEADLESS, TWO_HANDS, Answer, Breach, CoupView, Rule
from domain.audit.timing import doubt_among
from domain.coup import Coup
from domain.event import Event
from domain.facts import (
    CardDrawn,
    CardReassigned,
    CardTurned,
    Hand,
    IrregularityNoted,
    ResultCalled,
    TotalsCalled,
    name_of,
)
from domain.shoe import Shoe

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
        return HEADLESS if view.headless else "a hand has fewer than two cards"
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
    for fact in deciding:
        late = _turned_after(view.coup, fact)
        if late:
            return (_breach(view.coup, fact, late),)
    return _never(view, deciding[0])


def _deciding(view: CoupView) -> Iterator[Event]:
    """Yield the call of the totals, and that of the result, or else the first payment.

    Of calls that were noted as wrong, and made again, the last counts. What goes back on a ruling
    is paid on no card.
    """
    coup = view.coup
    noted = any(
        isinstance(event.fact, IrregularityNoted) and event.fact.kind == "wrong-call"
        for event in coup.irregularities
    )
    kinds = (TotalsCalled, ResultCalled) if _by_the_tableau(view.shoe) else (ResultCalled,)
    for kind in kinds:
        calls = [call for call in coup.calls if isinstance(call.fact, kind)]
        if calls:
            yield calls[-1 if noted else 0]
        elif kind is ResultCalled and coup.ruled_back is None:
            moves = [move for bet in coup.bets.values() for move in bet.moves]
            yield from sorted(moves, key=lambda move: move.version)[:1]


def _drawn(coup: Coup) -> dict[Place, Event]:
    """Return the cards of a coup, by their places; one given to the other hand lies there."""
    hands: dict[Hand, list[Event]] = {}
    for event in sorted((*coup.cards, *coup.reassigned), key=lambda event: event.version):
        fact = event.fact
        if isinstance(fact, CardReassigned):
            lying = hands.setdefault(fact.hand, [])
            hands.setdefault(fact.to, []).extend(lying[-1:])
            del lying[-1:]
        elif isinstance(fact, CardDrawn):
            hands.setdefault(fact.hand, []).append(event)
    return {(hand, nth): card for hand, lying in hands.items() for nth, card in enumerate(lying, 1)}


def _turned(coup: Coup) -> dict[Place, Event]:
    """Return by what each card was turned first, by its place."""
    turned: dict[Place, Event] = {}
    for event in coup.turned:
        if isinstance(event.fact, CardTurned):
            turned.setdefault((event.fact.hand, event.fact.nth), event)
    return turned


def _turned_after(coup: Coup, deciding: Event) -> list[Event]:
    """Return by what the cards that a call rests on, or a payment, were turned behind it.

    Where one of the first four was not even drawn, that is a breach of its own.
    """
    drawn = _drawn(coup)
    of_two = isinstance(deciding.fact, TotalsCalled)
    if any(drawn[place].version > deciding.version for place in _FOUR if place in drawn):
        return []
    return [
        event
        for place, event in _turned(coup).items()
        if event.version > deciding.version
        and (place in _FOUR or not of_two)
        and place in drawn
        and drawn[place].version < deciding.version
    ]


def _never(view: CoupView, deciding: Event) -> Answer:
    """Judge the cards that were never turned, where the house banks."""
    shoe, coup, turned = view.shoe, view.coup, _turned(view.coup)
    lying = [place for place in _FOUR if place not in turned]
    if not lying or not _by_the_tableau(shoe):
        return CLEAN
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


def _breach(coup: Coup, deciding: Event, lying: list[Event]) -> Breach:
    late = isinstance(lying[0].fact, CardTurned)
    cards = "a card" if len(lying) == 1 else f"{len(lying)} cards"
    return Breach(
        f"{name_of(deciding.fact)} when {cards} of coup {coup.number} lay face down",
        "cards that are dealt face down are turned before they are called, and paid",
        "turned behind it" if late else "never turned",
        (deciding, *lying),
    )


RULES: Final = (
    Rule(
        "coup-was-decided-with-its-cards-face-down",
        "procedure",
        "high",
        "Who calls or pays a card that nobody has turned has known that card.",
        ("field-facts.md 1.1 #9, 3 A8", "arrêté of 14 May 2007, art. 55-14"),
        on_coup=_face_down,
        games=TWO_HANDS,
    ),
)
