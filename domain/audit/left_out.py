"""The rule of a step that was left out of a coup against a patron's bank.

The croupier calls what lies in the bank, each hand is given to whoever plays it, and what was
dealt face down is turned before it is settled. A record that never tells of a step is not held
to it.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from domain.audit.banking import BANKED
from domain.audit.lacking import COUPS_ALONE, seats_lack
from domain.audit.rule import Answer, Breach, Rule, is_headless
from domain.audit.wings import BANQUE, HANDS, cards_of
from domain.banking import SIDES, banked, given_to, plays_player
from domain.cards import Card
from domain.coup import Coup
from domain.facts import CardTurned, Hand
from domain.games.hands import held
from domain.games.macao import rules_of
from domain.shoe import Shoe
from domain.wing_players import holder_due
from domain.wings import WINGS

Place = tuple[Hand, int | None, int]
"""A card's place: its hand, the seat of the hand, and which card of it, from 1."""

_TWO: Final = 2
"""Cards of a hand of two tableaux, or of chemin de fer, that are dealt at first."""


class Step(NamedTuple):
    """A step of every coup: whether a coup has it, and what one lacks of it; else nothing."""

    name: str
    told: Callable[[Coup], bool]
    lacks: Callable[[Shoe, Coup], tuple[str, str] | None]


def _game(shoe: Shoe) -> str:
    return shoe.pack.game if shoe.pack is not None else ""


def _uncalled(shoe: Shoe, coup: Coup) -> tuple[str, str] | None:
    part = banked(coup)
    if _game(shoe) not in ("chemin-de-fer", BANQUE) or part.bank is None or part.called:
        return None
    return f"the bank of coup {coup.number} was not called", "the croupier calls what lies in it"


def _not_given(shoe: Shoe, coup: Coup) -> tuple[str, str] | None:
    hands = [hand for hand, who in _players(shoe, coup) if who and given_to(coup, hand) is None]
    if not hands:
        return None
    said = f"the {' and the '.join(hands)} hand of coup {coup.number} was given to nobody"
    return said, "each hand is given to whoever plays it, before it is dealt"


def _players(shoe: Shoe, coup: Coup) -> Iterator[tuple[Hand, str | None]]:
    """Yield the hands that somebody is given, and who; no one, where the record does not say."""
    if _game(shoe) == "chemin-de-fer":
        yield "player", plays_player(shoe, coup)
    elif _game(shoe) == BANQUE and banked(coup).bank is not None and not seats_lack(shoe, coup):
        yield from ((wing, holder_due(shoe, coup, wing)) for wing in WINGS)


def _face_down(shoe: Shoe, coup: Coup) -> tuple[str, str] | None:
    if shoe.pack is None or shoe.pack.cards.faces != "down":
        return None
    turned = {
        (turn.hand, turn.seat, turn.nth)
        for turn in (event.fact for event in coup.turned)
        if isinstance(turn, CardTurned)
    }
    lying = [place for place in _dealt_down(shoe, coup) if place not in turned]
    if not lying:
        return None
    cards = "a card" if len(lying) == 1 else f"{len(lying)} cards"
    said = f"{cards} of coup {coup.number} lay face down to its end"
    return said, "hands that were dealt face down are turned before they are settled"


def _dealt_down(shoe: Shoe, coup: Coup) -> Iterator[Place]:
    """Yield the places of the cards that were dealt face down at first."""
    rules = rules_of(shoe.pack)
    if rules is not None:
        hands = [(each.hand, each.seat, each.cards) for each in held(shoe, coup)]
        dealt = rules.dealt
    else:
        of_two: tuple[Hand, ...] = HANDS if _game(shoe) == BANQUE else SIDES
        hands = [(hand, None, tuple(_cards(coup, hand))) for hand in of_two]
        dealt = _TWO
    for hand, seat, cards in hands:
        yield from ((hand, seat, nth) for nth in range(1, min(dealt, len(cards)) + 1))


def _cards(coup: Coup, hand: Hand) -> list[Card]:
    return coup.player if hand == "player" else cards_of(coup, hand)


_STEPS: Final = (
    Step("call", lambda coup: banked(coup).called is not None, _uncalled),
    Step("hand", lambda coup: bool(banked(coup).given), _not_given),
    Step("turn", lambda coup: bool(coup.turned), _face_down),
)


def _left_out(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    steps = [step for step in _STEPS if any(map(step.told, shoe.coups.values()))]
    if not steps:
        return "the record tells of no bank called, no hand given and no card turned"
    return tuple(
        Breach(
            said,
            due,
            "nothing told of it, and it was told of other coups",
            (coup.closed, *coup.cards),
            coup.number,
            key=("step", step.name),
        )
        for coup in shoe.coups.values()
        if coup.closed is not None and coup.cards and coup.voided is None
        if not is_headless(shoe, coup)
        for step in steps
        for said, due in filter(None, [step.lacks(shoe, coup)])
    )


RULES: Final = (
    Rule(
        "step-of-a-coup-was-left-out",
        "procedure",
        "medium",
        "Who stakes hears what the bank holds, knows who plays for him, and sees every card.",
        ("field-facts.md 1.2", "seeds S0, S1 (Chemin de fer, Baccarat banque, Macao)"),
        on_shoe=_left_out,
        games=BANKED,
    ),
)
