"""Rules of choices: what a hand must do it does, and who plays it decides what it may.

A free choice is never a breach, whatever it costs on the average:
`sabot.domain.audit.explain.coup_reasons` says what that is.

Rules of asking for a card: who may have one is dealt it, and who may not does not ask.

Whatever a hand was dealt against the rules, `choosing` tells; here it is called on two cards.

The rule of a false draw: where the pack says so, it costs the holder the shoe.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from sabot.domain.audit.card_history import passed_over
from sabot.domain.audit.checks.bank import tableaux_hands
from sabot.domain.audit.completeness import (
    COUPS_ALONE,
    NO_BANK,
    NO_CHOICES,
    NO_SEATS,
    choices_lack,
    seats_lack,
)
from sabot.domain.audit.justification import contradicted_by_record
from sabot.domain.audit.restored_cards import restored
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Rule
from sabot.domain.audit.table_order import doubt_in_row
from sabot.domain.events import CardDrawn, Hand, ShoePassed, ShoeTaken
from sabot.domain.events.bank import ChoiceMade
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.common import false_draw_in
from sabot.domain.procedure.patron_bank import (
    SIDES,
    Side,
    banked,
    claims,
    disobeyed,
    drawing_of,
    given_to,
    has_natural,
    plays_player,
    position_in,
    standing,
)
from sabot.domain.procedure.two_tableaux.tableaux import in_play
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.third_card_table import is_natural
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import Card, pretty, total

GAMES: tuple[GameName, ...] = ("chemin-de-fer", tableaux_hands.BANQUE)
"""The games in which a hand chooses once whether it has a third card."""
CITES = ("field-facts.md 1.2", "seeds S0, S1 (Chemin de fer)")


def unjudged(view: CoupView) -> str | None:
    """Say why draws and stands of a coup cannot be judged."""
    if view.coup.voided is not None:
        return "the coup was voided"
    if not view.dealt:
        return "a hand has fewer than two cards"
    if drawing_of(view.shoe) is None:
        return "the pack does not say who may choose"
    return None


def _disobeyed(view: CoupView, due: Choice) -> Answer:
    reason = unjudged(view)
    if reason:
        return reason
    found = [side for side, what in disobeyed(view.shoe, view.coup) if what == due]
    if due == "draw" and found and view.in_play:
        return "the coup is still in play"
    return tuple(_breach(view, side, due) for side in found)


def _breach(view: CoupView, side: Side, due: Choice) -> Breach:
    hand = view.coup.hand(side)
    points = total(hand[:2])
    why = "a natural on either side ends the coup" if has_natural(view.coup) else f"{side} {due}s"
    if due == "stand":
        drawn = pretty(hand[2])
        return Breach(
            f"{side} drew {drawn} on {points}",
            f"{side} {points} stands: {why}",
            f"{side} {points} drew {drawn}",
            (*_third(view, side), *_choices(view, side)),
        )
    chosen = _choices(view, side)
    return Breach(
        f"{side} stood on {points}",
        f"{side} {points} draws: nobody may stand on it",
        f"{side} {points} stood",
        (*view.coup.cards, *chosen),
        done=chosen[-1] if chosen else passed_over(view, side),
    )


def _third(view: CoupView, side: Side) -> list[RecordedEvent[CardDrawn]]:
    """Return the event by which a hand drew its third card; none, where a ruling gave it to him."""
    drawn = [event for event in view.coup.cards if event.payload.hand == side]
    return drawn[2:3]


def _choices(view: CoupView, hand: Hand) -> list[RecordedEvent[ChoiceMade]]:
    return [event for event in banked(view.coup).choices if event.payload.hand == hand]


def _drew(view: CoupView) -> Answer:
    if tableaux_hands.is_banque(view):
        return tableaux_hands.disobeyed(view, "stand")
    return _disobeyed(view, "stand")


def _stood(view: CoupView) -> Answer:
    if tableaux_hands.is_banque(view):
        return tableaux_hands.disobeyed(view, "draw")
    return _disobeyed(view, "draw")


def _unchosen(view: CoupView) -> Answer:
    if tableaux_hands.is_banque(view):
        return tableaux_hands.unasked(view)
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    reason = unjudged(view)
    if reason:
        return reason
    if has_natural(view.coup):
        return "a natural ended the coup"
    away = restored(view) if view.coup.reassigned else {}
    thirds = [
        (side, card) for side in SIDES for card in _third(view, side) if card.position not in away
    ]
    if not thirds or choices_lack(view.shoe, view.coup):
        return NO_CHOICES if thirds else "no hand took a third card"
    return tuple(
        Breach(
            f"{side} had a third card that nobody had asked for",
            "a third card is dealt once it was asked for",
            _said_before(view, side, card),
            (card, *_choices(view, side)),
        )
        for side, card in thirds
        if _said_before(view, side, card) != "draw"
    )


def _said_before(view: CoupView, side: Side, card: RecordedEvent) -> str:
    """Say what had been decided for a hand when its third card came."""
    said = [
        event.payload.choice for event in _choices(view, side) if event.position < card.position
    ]
    return said[-1] if said else "nothing was said"


def _another_chose(view: CoupView) -> Answer:
    part = banked(view.coup)
    if not part.choices:
        return "the record tells of no choice"
    named = [(event, event.payload) for event in part.choices if event.payload.by is not None]
    if not named:
        return "the record does not say who chose"
    holders: dict[str, str | None] = {"player": given_to(view.coup, "player")}
    holders |= tableaux_hands.players(view.coup)
    return tuple(
        Breach(
            f"{payload.by} chose for the {payload.hand} hand",
            f"{holders[payload.hand]} plays it",
            f"{payload.by} chose to {payload.choice}",
            (event,),
            patron=payload.by,
        )
        for event, payload in named
        if holders.get(payload.hand) not in (None, payload.by)
    )


def _wrongly_given(view: CoupView) -> Answer:
    if tableaux_hands.is_banque(view):
        return tableaux_hands.wrongly_given(view)
    part = banked(view.coup)
    given = [(event, event.payload) for event in part.given if event.payload.hand == "player"]
    if not given:
        return "the hand was given to nobody"
    due = plays_player(view.shoe, view.coup)
    if due is None:
        return "nobody staked against the bank"
    event, payload = given[-1]
    if payload.to == due:
        return NO_BREACH
    if not part.order and payload.to in _as_good(view, due):
        return NO_SEATS if seats_lack(view.shoe) else NO_BANK
    return (
        Breach(
            f"the hand was given to {payload.to}",
            f"{due} plays it: the highest stake, the first in order of play among equals, "
            "or who goes bank",
            payload.to,
            (event, *(bet.placed for bet in view.coup.bets.values())),
            patron=payload.to,
        ),
    )


def _as_good(view: CoupView, due: str) -> set[str]:
    """Return who would play the Player hand by his stake or his claim, wherever he sat."""
    claimed = {claim.patron for claim in claims(view.coup)}
    if due in claimed:
        return claimed
    lying = standing(view.coup)
    most = max(bet.amount for bet in lying)
    return {bet.patron for bet in lying if bet.amount == most}


CHOICE_RULES = (
    Rule(
        "T106",
        "draw-on-mandatory-stand",
        "tableau",
        "high",
        "Where the rules leave a hand no choice, it stands; a natural ends the coup.",
        CITES,
        on_coup=_drew,
        games=GAMES,
    ),
    Rule(
        "T107",
        "stand-on-mandatory-draw",
        "tableau",
        "high",
        "Others have staked on the hand: on 0 to 4 it is not its player's to stand.",
        CITES,
        on_coup=_stood,
        games=GAMES,
    ),
    Rule(
        "T108",
        "unrequested-third-card",
        "procedure",
        "medium",
        "A third card comes once its hand has asked for it, so that nobody decides by its face.",
        CITES,
        on_coup=_unchosen,
        games=GAMES,
    ),
    Rule(
        "T109",
        "decision-by-wrong-player",
        "procedure",
        "medium",
        "The banker chooses for his hand, and who was given the other for that one.",
        CITES,
        on_coup=_another_chose,
        games=GAMES,
    ),
    Rule(
        "T110",
        "wrong-player-for-hand",
        "procedure",
        "medium",
        "Who has most at stake against the bank plays the hand.",
        CITES,
        on_coup=_wrongly_given,
        games=GAMES,
    ),
)


_TWO: Final = 2
_HANDS: Final[tuple[Hand, ...]] = SIDES
_HANDS_OF_WINGS: Final[tuple[Hand, ...]] = tableaux_hands.HANDS


def withheld(view: CoupView) -> Answer:
    """Answer for the rule that a card is dealt to who asks for it, where he may have it."""
    return _unjudged(view) or tuple(
        Breach(
            f"the {hand} asked for a card, and had none",
            "who asks for a card that he may have is dealt it",
            f"the {hand} was called on {' '.join(map(pretty, cards))}",
            (*_called(view), *_choices(view, hand)),
            key=("hand", hand),
        )
        for hand, cards, allowed in _asked_in_vain(view)
        if "draw" in allowed
    )


def _where_it_stands(view: CoupView) -> Answer:
    had = {drawn.payload.hand for drawn, _ in view.coup.removed_cards}
    return _unjudged(view) or tuple(
        Breach(
            f"the {hand} asked for a card on {total(cards)}",
            _required(view, hand, cards),
            f"the {hand} asked for a card, and had none",
            (*reversed(_choices(view, hand)), *_called(view)),
            patron=_who(view, hand),
            key=("hand", hand),
        )
        for hand, cards, allowed in _asked_in_vain(view)
        if "draw" not in allowed and hand not in had
    )


def _who(view: CoupView, hand: Hand) -> str | None:
    """Return who asked for a card last, as the record names him, or else who plays the hand."""
    named = getattr(_choices(view, hand)[-1].payload, "by", None)
    held = banked(view.coup).banker if hand == "banker" else given_to(view.coup, hand)
    return named if isinstance(named, str) else held


def _required(view: CoupView, hand: Hand, cards: list[Card]) -> str:
    """Say why a hand stands."""
    over = not in_play(view.coup) if tableaux_hands.is_banque(view) else has_natural(view.coup)
    if over or is_natural(total(cards)):
        return "a natural has no third card, and ends the coup unless it is one wing's alone"
    return f"the {hand} stands on {total(cards)}: that is not its player's to choose"


def _unjudged(view: CoupView) -> str | None:
    """Why nobody can say who asked for a card and had none."""
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    reason = unjudged(view)
    if reason:
        return reason
    if not _called(view):
        return "the coup is still in play"
    if choices_lack(view.shoe, view.coup):
        return NO_CHOICES
    return doubt_in_row(view.shoe, banked(view.coup).choices)


def _called(view: CoupView) -> tuple[RecordedEvent, ...]:
    """Return the event behind which no card of the coup comes."""
    called = view.coup.result_called or view.coup.closed
    return () if called is None else (called,)


def _asked_in_vain(view: CoupView) -> Iterator[tuple[Hand, list[Card], tuple[Choice, ...]]]:
    """Yield the hands of two cards that asked for a third last, and what they could do."""
    last: dict[Hand, Choice] = {}
    for event in banked(view.coup).choices:
        last[event.payload.hand] = event.payload.choice
    for hand in _HANDS_OF_WINGS if tableaux_hands.is_banque(view) else _HANDS:
        if last.get(hand) == "draw" and len(cards := _cards(view, hand)) == _TWO:
            yield hand, cards, _allowed(view, hand)


def _cards(view: CoupView, hand: Hand) -> list[Card]:
    return view.coup.player if hand == "player" else tableaux_hands.cards_of(view.coup, hand)


def _allowed(view: CoupView, hand: Hand) -> tuple[Choice, ...]:
    """Return what a hand could do about a third card."""
    if tableaux_hands.is_banque(view):
        return tableaux_hands.allowed(view, hand)
    rules = drawing_of(view.shoe)
    side: Side = "player" if hand == "player" else "banker"
    if rules is None or has_natural(view.coup):
        return ("stand",)
    return rules.choices(position_in(view.coup, side))


CARD_REQUEST_RULES: Final = (
    Rule(
        "T111",
        "request-on-mandatory-stand",
        "procedure",
        "low",
        "Where the rules leave no choice nobody asks: who does tells the other side of his cards.",
        CITES,
        on_coup=_where_it_stands,
        games=GAMES,
    ),
)


def _kept(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is None or not shoe.pack.table.false_draw_passes:
        return "the pack does not say that a false draw costs the shoe"
    if not shoe.shoe_moves:
        return "the record does not say who held the shoe"
    drawn = [(coup, after) for coup, after in pairwise(_dealt(shoe)) if _noted(shoe, coup)]
    if not drawn:
        return "no false draw was noted, or no coup came after it"
    found = []
    for coup, after in drawn:
        noted = false_draw_in(shoe, coup)
        if noted is None:
            # who played Player chose against the rules: that is no fault of who deals
            continue
        holder = _holder_before(shoe, coup.cards[0])
        if holder is None or holder in shoe.staff or holder != _holder_before(shoe, after.cards[0]):
            continue
        between = (noted.position, after.cards[0].position)
        passed = any(
            between[0] < event.position < between[1]
            for event in events_of(ShoePassed, shoe.shoe_moves)
        )
        if not passed:
            said = f"{holder} kept the shoe after a false draw in coup {coup.number}"
            due = "who makes a false draw passes the shoe"
            shown = "no passing before the next coup"
            found.append(
                Breach(
                    said,
                    due,
                    shown,
                    (noted, after.cards[0]),
                    coup.number,
                    patron=holder,
                    done=after.cards[0],
                )
            )
    return tuple(found)


def _noted(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether a false draw was noted, and the cards do not say that there was none."""
    return any(
        event.payload.kind == "wrong-draw" and contradicted_by_record(shoe, coup, event) is None
        for event in coup.irregularities
    )


def _dealt(shoe: Shoe) -> list[Coup]:
    """Return the coups of which a card was drawn, in their order."""
    dealt = [coup for coup in shoe.coups.values() if coup.cards]
    return sorted(dealt, key=lambda coup: coup.cards[0].position)


def _holder_before(shoe: Shoe, card: RecordedEvent) -> str | None:
    """Return who held the shoe when a card was drawn."""
    holder = None
    for event in shoe.shoe_moves:
        if event.position > card.position:
            break
        match event.payload:
            case ShoeTaken():
                holder = event.payload.by
            case ShoePassed():
                holder = None
            case _:
                pass
    return holder


FALSE_DRAW_RULES: Final = (
    Rule(
        "H506",
        "shoe-kept-after-wrong-draw",
        "procedure",
        "medium",
        "Who cannot deal by the rules deals no longer; he pays nothing else for it.",
        ("field-facts.md 3 A9, A18", "arrêté of 14 May 2007, arts 55-14 and 60"),
        on_shoe=_kept,
    ),
)


RULES = (
    *CHOICE_RULES,
    *CARD_REQUEST_RULES,
    *FALSE_DRAW_RULES,
)
"""Every rule of this family."""
