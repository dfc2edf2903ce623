"""A solution's play in the form that the independent dealer needs."""

from sabot.domain.rules.drawing_options import Position


def plays(solution, changed=None):
    """Return the chances of both sides. ``changed`` maps positions to other chances."""
    chances = {**solution.draws, **(changed or {})}
    by_cards = {side: _by_cards(solution, side) for side in ("player", "banker")}
    known = {}

    def chance(side, cards, third):
        key = (side, cards, third)
        if key not in known:
            own = tuple(sorted(cards)) if by_cards[side] else None
            known[key] = chances[Position(side, sum(cards) % 10, own, third)]
        return known[key]

    return (
        lambda cards: chance("player", cards, None),
        lambda cards, third: chance("banker", cards, third),
    )


def _by_cards(solution, side):
    positions = solution.game.player if side == "player" else solution.game.banker
    return positions[0].cards is not None
