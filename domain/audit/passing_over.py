"""Rules of what is seen and passed over: a wrong draw, and a card face up in the shoe."""

from typing import Final

from msgspec.structs import replace

from domain.audit import choosing, drawing
from domain.audit.believing import believed, next_begins
from domain.audit.lacking import COUPS_ALONE
from domain.audit.rule import CLEAN, Answer, Breach, CoupView, Rule
from domain.facts import CardDrawn, Irregularity
from domain.games import game_of


def _wrong_draw(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if view.shoe.pack is None or "wrong-draw" not in view.shoe.pack.rulings:
        return "the pack does not say how a wrong draw is ruled on"
    if view.open:
        return "the coup is still in play"
    game = game_of(view.shoe.pack).name
    for rule in (*drawing.RULES, *choosing.RULES[:2]):
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
    belief = believed(view, lambda _: True, until, kinds=kinds)
    if belief.excuses:
        return CLEAN
    if belief.doubts:
        return belief.doubts[0]
    return (replace(breach, shown=belief.said, events=(*breach.events, *belief.shown)),)


def _face_up(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    shown = [
        event
        for event in view.coup.cards
        if isinstance(event.fact, CardDrawn) and event.fact.face_up
    ]
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


RULES: Final = (
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
