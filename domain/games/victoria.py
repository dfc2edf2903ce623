"""Victoria: macao on two cards dealt at first. No source settles more (field-facts.md 1.2)."""

from typing import ClassVar

from domain.games.macao import Macao
from domain.rulepack import GameName


class Victoria(Macao):
    """Victoria (seeds S0 and S1: a variation of macao in which two cards are dealt at first)."""

    name: ClassVar[GameName] = "victoria"
