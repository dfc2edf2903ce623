"""Requirements of players of a hand against a bank, shared by dealing and audit."""

from collections.abc import Container
from typing import Final

from sabot.domain.procedure.preconditions.requirement import requirement
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.sources import (
    CASINO_DI_CAMPIONE_CHEMIN_DE_FER,
    DJ_MCADAM_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_IT_BACCARA,
)


@requirement("T107", WIKIPEDIA_BACCARAT_CHEMIN_DE_FER)
def may_stand(allowed: Container[Choice]) -> bool:
    """No hand stands where the rules require it to draw."""
    return "stand" in allowed


@requirement("T111", CASINO_DI_CAMPIONE_CHEMIN_DE_FER)
def may_request(allowed: Container[Choice]) -> bool:
    """Nobody asks for a card on a total that must stand, since the request reveals the total."""
    return "draw" in allowed


@requirement("T108", CASINO_DI_CAMPIONE_CHEMIN_DE_FER, WIKIPEDIA_IT_BACCARA)
def was_asked_for(said: Choice | None) -> bool:
    """A third card is dealt to a hand only after it was asked for."""
    return said == "draw"


_PLAYER_OF_HAND: Final = (
    DJ_MCADAM_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_BANQUE,
)


@requirement("T109", *_PLAYER_OF_HAND)
def decides_own_hand(player: str | None, by: str | None) -> bool:
    """Each hand is decided by its player: the banker, or the patron to whom it was given."""
    return None in (player, by) or player == by


@requirement("T110", *_PLAYER_OF_HAND)
def is_given_to(player: str | None, to: str) -> bool:
    """The hand is played by the patron who went bank, or else by the one with the highest stake."""
    return player in (None, to)
