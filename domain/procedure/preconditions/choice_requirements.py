"""Requirements of players of a hand against a bank, shared by dealing and audit."""

from collections.abc import Container

from sabot.domain.rules.drawing_options import Choice


def may_stand(allowed: Container[Choice]) -> bool:
    """Return whether a hand may stand."""
    return "stand" in allowed


def may_request(allowed: Container[Choice]) -> bool:
    """Return whether a hand may ask for a card."""
    return "draw" in allowed


def was_asked_for(said: Choice | None) -> bool:
    """Return whether a hand asked for a card."""
    return said == "draw"


def decides_own_hand(player: str | None, by: str | None) -> bool:
    """Return whether the player of a hand decides it. Unknown persons count as the same."""
    return None in (player, by) or player == by


def is_given_to(player: str | None, to: str) -> bool:
    """Return whether a hand is given to its player."""
    return player in (None, to)
