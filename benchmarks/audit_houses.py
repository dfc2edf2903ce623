"""The rule packs that the benchmarks of the audit use: every shipped pack, and a strict one."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sabot.domain.rules.rule_pack import GameName, parse_pack
from sabot.infrastructure.rule_packs import shipped

_STRICT = """
free_hands = 0
free_hands_when = "shoe-start"

[table]
per_seat = 1

[burn]
relief = 1
dead_game = 1

[cut]
offered = "clockwise"

[settling]
winners = "nearest-first"
cards_stay = true
covered = true

[tie]
withdrawable = false

[limits]
differential = 600_000
ratios = [200]
displayed = true
per = "patron"
accepted = "capped"

[clocks]
tolerance_ms = 250
jump_ms = 2000

[rulings]
wrong-draw = ["void"]
card-face-up = ["void"]
shuffler-fault = ["return-bets"]
"""
"""What packs may leave unsaid."""


class House(NamedTuple):
    """A rule pack's text, and the number of decks dealt under it here."""

    name: str
    pack: str
    decks: int


def strict(text: str, more: str = _STRICT) -> str:
    """Return a pack that also states the rules that packs may leave out."""
    section, top = "", text
    for line in more.splitlines():
        if line.startswith("["):
            section = line
            if f"\n{section}\n" not in top:
                top = f"{top}\n{section}\n"
        elif line:
            top = _with(top, section, line)
    return top


def _with(text: str, section: str, line: str) -> str:
    """Return a pack's text with a key set in a section. It replaces an earlier value of the key."""
    key = line.partition(" = ")[0]
    if not section:
        return f"{line}\n" + re.sub(rf"(?m)^{key} = .*\n", "", text, count=1)
    before, _, after = text.partition(f"\n{section}\n")
    body, bracket, rest = after.partition("\n[")
    body = re.sub(rf"(?m)^{re.escape(key)} = .*$\n?", "", body)
    return f"{before}\n{section}\n{line}\n{body}{bracket}{rest}"


def houses(*games: GameName) -> Iterator[House]:
    """Yield each shipped pack of these games, then a strict one of punto banco.

    Without a game it yields the packs of all games.
    """
    for name, text in shipped().items():
        pack = parse_pack(text)
        if not games or pack.game in games:
            yield House(name, text, 8 if 8 in pack.cards.decks else max(pack.cards.decks))
    if not games or "punto-banco" in games:
        yield House("strict", strict(shipped()["classic-8"]), 8)
