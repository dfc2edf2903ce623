"""Rules of the tableau: who drew, who stood, and who should have.

Each hand is judged on the cards that were there when it was its turn: after a wrong draw or
stand of punto, banco is held to the tableau against what punto really took.

Rules of what is seen and passed over: a wrong draw, and a card face up in the shoe.
"""

from typing import Final

from msgspec.structs import replace

from sabot.domain.audit.card_history import came, passed_over
from sabot.domain.audit.checks import choices
from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.justification import justified_by, next_begins
from sabot.domain.audit.rule import (
    NO_BREACH,
    NO_CARDS,
    STARTS_BEFORE_RECORD,
    TWO_HANDS,
    Answer,
    Breach,
    CoupView,
    Rule,
)
from sabot.domain.audit.table_order import hands_in_doubt
from sabot.domain.events import Hand, Irregularity
from sabot.domain.procedure.games import game_of
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.third_card_table import banco_draws, punto_draws, why_banco, why_punto
from sabot.domain.values.cards import pretty

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
    if view.starts_before_record:
        return STARTS_BEFORE_RECORD
    if not view.dealt:
        return "a hand has fewer than two cards"
    return hands_in_doubt(view)


def _punto_drew(view: CoupView) -> Answer:
    player = view.coup.player
    if len(player) <= _TWO or punto_draws(view.punto, view.banco):
        return _unjudged(view) or NO_BREACH
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
        return _unjudged(view) or NO_BREACH
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
        return _unjudged(view) or NO_BREACH
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
        return _unjudged(view) or NO_BREACH
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
        return NO_BREACH if view.coup.cards else NO_CARDS
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


DRAW_RULES = (
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


def _wrong_draw(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if view.shoe.pack is None or "wrong-draw" not in view.shoe.pack.rulings:
        return "the pack does not say how a wrong draw is ruled on"
    if view.open:
        return "the coup is still in play"
    game = game_of(view.shoe.pack).name
    for rule in (*DRAW_RULES, *choices.CHOICE_RULES[:2]):
        if not rule.is_of(game):
            continue
        assert rule.on_coup is not None
        answer = rule.on_coup(view)
        if isinstance(answer, tuple) and answer and isinstance(answer[0], Breach):
            return _passed_over(
                view,
                ("wrong-draw", "misdeal"),
                Breach(
                    "a wrong draw or stand was passed over",
                    "a wrong draw is noted, and somebody rules on it, before the coup is settled",
                    "",
                    answer[0].events,
                    done=view.coup.result_called or view.coup.closed,
                ),
            )
    return "nobody drew or stood against the tableau"


def _passed_over(view: CoupView, kinds: tuple[Irregularity, ...], breach: Breach) -> Answer:
    """Return a breach, unless an irregularity of such a kind was noted and ruled on in time."""
    until = view.coup.closed or next_begins(view.shoe, view.coup)
    belief = justified_by(view, lambda _: True, until, kinds=kinds)
    if belief.excuses:
        return NO_BREACH
    if belief.doubts:
        return belief.doubts[0]
    return (replace(breach, shown=belief.said, events=(*breach.events, *belief.shown)),)


def _face_up(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    shown = [event for event in view.coup.cards if event.payload.face_up]
    if not shown:
        return "no card lay face up in the shoe"
    if view.open:
        return "the coup is still in play"
    return _passed_over(
        view,
        ("card-face-up",),
        Breach(
            "a card that lay face up in the shoe was passed over",
            "a card face up in the shoe is noted, and somebody rules on it, before the coup is "
            "settled",
            "",
            tuple(shown),
            done=view.coup.result_called or view.coup.closed,
        ),
    )


UNREPORTED_RULES: Final = (
    Rule(
        "wrong-draw-was-passed-over",
        "procedure",
        "high",
        "A wrong draw or stand is seen, noted and ruled on before the coup is settled.",
        ("field-facts.md 3 A9",),
        on_coup=_wrong_draw,
    ),
    Rule(
        "face-up-card-was-passed-over",
        "procedure",
        "medium",
        "A card that lies face up in the shoe is known before it is dealt.",
        ("field-facts.md 3 A10", "DICJ Despacho 55/2004, art. 4"),
        on_coup=_face_up,
    ),
)


RULES = (
    *DRAW_RULES,
    *UNREPORTED_RULES,
)
"""Every rule of this family."""
