"""Rules of choices: what a hand must do it does, and who plays it decides what it may.

A free choice is never a breach, whatever it costs on the average: `domain.audit.explaining`
says what that is.
"""

from domain.audit import wings
from domain.audit.lacking import (
    COUPS_ALONE,
    NO_BANK,
    NO_CHOICES,
    NO_SEATS,
    choices_lack,
    seats_lack,
)
from domain.audit.restoring import restored
from domain.audit.rule import CLEAN, Answer, Breach, CoupView, Rule
from domain.audit.third_cards import passed_over
from domain.banking import (
    SIDES,
    Side,
    banked,
    claims,
    disobeyed,
    drawing_of,
    given_to,
    has_natural,
    plays_player,
    standing,
)
from domain.cards import pretty, total
from domain.event import Event
from domain.facts import CardDrawn
from domain.facts.bank import ChoiceMade, HandGiven
from domain.rulepack import GameName
from domain.strategy.drawing import Choice

GAMES: tuple[GameName, ...] = ("chemin-de-fer", wings.BANQUE)
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


def _third(view: CoupView, side: Side) -> list[Event]:
    """Return the fact by which a hand drew its third card; none, where a ruling gave it to him."""
    drawn = [
        event
        for event in view.coup.cards
        if isinstance(event.fact, CardDrawn) and event.fact.hand == side
    ]
    return drawn[2:3]


def _choices(view: CoupView, side: Side) -> list[Event]:
    return [
        event
        for event in banked(view.coup).choices
        if isinstance(event.fact, ChoiceMade) and event.fact.hand == side
    ]


def _drew(view: CoupView) -> Answer:
    if wings.is_banque(view):
        return wings.disobeyed(view, "stand")
    return _disobeyed(view, "stand")


def _stood(view: CoupView) -> Answer:
    if wings.is_banque(view):
        return wings.disobeyed(view, "draw")
    return _disobeyed(view, "draw")


def _unchosen(view: CoupView) -> Answer:
    if wings.is_banque(view):
        return wings.unasked(view)
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    reason = unjudged(view)
    if reason:
        return reason
    if has_natural(view.coup):
        return "a natural ended the coup"
    away = restored(view) if view.coup.reassigned else {}
    thirds = [
        (side, card) for side in SIDES for card in _third(view, side) if card.version not in away
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


def _said_before(view: CoupView, side: Side, card: Event) -> str:
    """Say what had been decided for a hand when its third card came."""
    said = [
        event.fact.choice
        for event in _choices(view, side)
        if event.version < card.version and isinstance(event.fact, ChoiceMade)
    ]
    return said[-1] if said else "nothing was said"


def _another_chose(view: CoupView) -> Answer:
    part = banked(view.coup)
    if not part.choices:
        return "the record tells of no choice"
    named = [
        (event, event.fact)
        for event in part.choices
        if isinstance(event.fact, ChoiceMade) and event.fact.by is not None
    ]
    if not named:
        return "the record does not say who chose"
    holders: dict[str, str | None] = {"player": given_to(view.coup, "player")}
    holders |= wings.players(view.coup)
    return tuple(
        Breach(
            f"{fact.by} chose for the {fact.hand} hand",
            f"{holders[fact.hand]} plays it",
            f"{fact.by} chose to {fact.choice}",
            (event,),
            patron=fact.by,
        )
        for event, fact in named
        if holders.get(fact.hand) not in (None, fact.by)
    )


def _wrongly_given(view: CoupView) -> Answer:
    if wings.is_banque(view):
        return wings.wrongly_given(view)
    part = banked(view.coup)
    given = [
        (event, event.fact)
        for event in part.given
        if isinstance(event.fact, HandGiven) and event.fact.hand == "player"
    ]
    if not given:
        return "the hand was given to nobody"
    due = plays_player(view.shoe, view.coup)
    if due is None:
        return "nobody staked against the bank"
    event, fact = given[-1]
    if fact.to == due:
        return CLEAN
    if not part.order and fact.to in _as_good(view, due):
        return NO_SEATS if seats_lack(view.shoe) else NO_BANK
    return (
        Breach(
            f"the hand was given to {fact.to}",
            f"{due} plays it: the highest stake, the first in order of play among equals, "
            "or who goes bank",
            fact.to,
            (event, *(bet.placed for bet in view.coup.bets.values())),
            patron=fact.to,
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


RULES = (
    Rule(
        "hand-drew-where-it-must-stand",
        "tableau",
        "high",
        "Where the rules leave a hand no choice, it stands; a natural ends the coup.",
        CITES,
        on_coup=_drew,
        games=GAMES,
    ),
    Rule(
        "hand-stood-where-it-must-draw",
        "tableau",
        "high",
        "Others have staked on the hand: on 0 to 4 it is not its player's to stand.",
        CITES,
        on_coup=_stood,
        games=GAMES,
    ),
    Rule(
        "third-card-was-not-asked-for",
        "procedure",
        "medium",
        "A third card comes once its hand has asked for it, so that nobody decides by its face.",
        CITES,
        on_coup=_unchosen,
        games=GAMES,
    ),
    Rule(
        "choice-was-made-by-another",
        "procedure",
        "medium",
        "The banker chooses for his hand, and who was given the other for that one.",
        CITES,
        on_coup=_another_chose,
        games=GAMES,
    ),
    Rule(
        "hand-was-given-to-another",
        "procedure",
        "medium",
        "Who has most at stake against the bank plays the hand.",
        CITES,
        on_coup=_wrongly_given,
        games=GAMES,
    ),
)
