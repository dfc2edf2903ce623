"""Rules of the tableau: who drew, who stood, and who should have.

Each hand is judged on the cards that were there when it was its turn: after a wrong draw or
stand of punto, banco is held to the tableau against what punto really took.
"""

from typing import Final

from domain.audit.rule import CLEAN, HEADLESS, NO_CARDS, TWO_HANDS, Answer, Breach, CoupView, Rule
from domain.audit.third_cards import came, passed_over
from domain.audit.timing import hands_in_doubt
from domain.cards import pretty
from domain.facts import Hand
from domain.rulepack import GameName
from domain.tableau import banco_draws, punto_draws, why_banco, why_punto

_CITES = (
    "field-facts.md 1.2, 3 A8",
    "seeds S0, S1, S2 (table)",
    "arrêté of 14 May 2007, art. 55-14",
)

_TWO: Final = 2
"""The cards that each hand is dealt first."""
_MOST: Final = 3
"""The most cards that a hand takes."""
_SIDES: Final[tuple[Hand, ...]] = ("player", "banker")
_GAMES: Final[tuple[GameName, ...]] = ("punto-banco",)


def _unjudged(view: CoupView) -> str | None:
    """Why draws and stands of this coup cannot be judged."""
    if view.coup.voided is not None:
        return "the coup was voided"
    if view.headless:
        return HEADLESS
    if not view.dealt:
        return "a hand has fewer than two cards"
    return hands_in_doubt(view)


def _punto_drew(view: CoupView) -> Answer:
    player = view.coup.player
    if len(player) <= _TWO or punto_draws(view.punto, view.banco):
        return _unjudged(view) or CLEAN
    reason = _unjudged(view)
    if reason:
        return reason
    return (
        Breach(
            f"punto drew {pretty(player[2])} on {view.punto}",
            why_punto(view.punto, view.banco),
            f"punto {view.punto} drew {pretty(player[2])}",
            came(view.coup, "player", 3),
        ),
    )


def _punto_stood(view: CoupView) -> Answer:
    if len(view.coup.player) > _TWO or not punto_draws(view.punto, view.banco):
        return _unjudged(view) or CLEAN
    reason = _unjudged(view) or ("the coup is still in play" if view.in_play else None)
    if reason:
        return reason
    return (
        Breach(
            f"punto stood on {view.punto}",
            why_punto(view.punto, view.banco),
            f"punto {view.punto} stood",
            tuple(view.coup.cards),
            done=passed_over(view, "player"),
        ),
    )


def _banco_drew(view: CoupView) -> Answer:
    banker = view.coup.banker
    due = banco_draws(view.punto, view.banco, view.third)
    if len(banker) <= _TWO or due:
        return _unjudged(view) or CLEAN
    reason = _unjudged(view)
    if reason:
        return reason
    return (
        Breach(
            f"banco drew {pretty(banker[2])} on {view.banco}",
            why_banco(view.punto, view.banco, view.third),
            f"banco {view.banco} drew {pretty(banker[2])}",
            came(view.coup, "banker", 3),
        ),
    )


def _banco_stood(view: CoupView) -> Answer:
    due = banco_draws(view.punto, view.banco, view.third)
    if len(view.coup.banker) > _TWO or not due:
        return _unjudged(view) or CLEAN
    reason = _unjudged(view) or ("the coup is still in play" if view.in_play else None)
    if reason:
        return reason
    return (
        Breach(
            f"banco stood on {view.banco}",
            why_banco(view.punto, view.banco, view.third),
            f"banco {view.banco} stood",
            tuple(view.coup.cards),
            done=passed_over(view, "banker"),
        ),
    )


def _fourth_card(view: CoupView) -> Answer:
    if view.coup.voided is not None:
        return "the coup was voided"
    if len(view.coup.player) <= _MOST and len(view.coup.banker) <= _MOST:
        return CLEAN if view.coup.cards else NO_CARDS
    return tuple(
        Breach(
            f"{hand} took {count} cards",
            "a hand has two or three cards",
            f"{hand} has {count} cards",
            came(view.coup, hand, _MOST + 1),
        )
        for hand in _SIDES
        if (count := len(view.coup.hand(hand))) > _MOST
    )


RULES = (
    Rule(
        "punto-drew-against-tableau",
        "tableau",
        "high",
        "Punto draws on 0 to 5 and stands on 6 and 7; a natural on either side ends the coup.",
        _CITES,
        on_coup=_punto_drew,
        games=_GAMES,
    ),
    Rule(
        "punto-stood-against-tableau",
        "tableau",
        "high",
        "Punto draws on 0 to 5 where neither side has a natural.",
        _CITES,
        on_coup=_punto_stood,
        games=_GAMES,
    ),
    Rule(
        "banco-drew-against-tableau",
        "tableau",
        "high",
        "Banco draws by its total and punto's third card, and never after a natural.",
        _CITES,
        on_coup=_banco_drew,
        games=_GAMES,
    ),
    Rule(
        "banco-stood-against-tableau",
        "tableau",
        "high",
        "Banco draws where its total and punto's third card say so.",
        _CITES,
        on_coup=_banco_stood,
        games=_GAMES,
    ),
    Rule(
        "hand-took-a-fourth-card",
        "tableau",
        "high",
        "No hand takes more than three cards.",
        _CITES,
        on_coup=_fourth_card,
        games=TWO_HANDS,
    ),
)
