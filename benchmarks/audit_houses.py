"""The houses that the audit is tried on: every shipped rule pack, and one that is strict."""

from collections.abc import Iterator
from typing import NamedTuple

from domain.rulepack import parse_pack
from infrastructure.rulepacks import shipped

_STRICT_TOP = "free_hands = 0\n"
_STRICT = """
[limits]
differential = 600_000
ratios = [200]
displayed = true

[clocks]
tolerance_ms = 250
jump_ms = 2000

[rulings]
wrong-draw = ["void"]
card-face-up = ["void"]
shuffler-fault = ["return-bets"]
"""


class House(NamedTuple):
    """A house: its rule pack's text, and from how many decks it deals here."""

    name: str
    pack: str
    decks: int


def strict(text: str) -> str:
    """Return a pack that also says what packs may leave unsaid."""
    held = text.replace("withdrawable = true", "withdrawable = false")
    return _STRICT_TOP + held + _STRICT


def houses() -> Iterator[House]:
    """Yield the house of each shipped pack of punto banco, then a strict one."""
    for name, text in shipped().items():
        pack = parse_pack(text)
        if pack.game == "punto-banco":
            yield House(name, text, 8 if 8 in pack.cards.decks else max(pack.cards.decks))
    yield House("strict", strict(shipped()["classic-8"]), 8)
