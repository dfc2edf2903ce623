"""What docs/ says, held against the program."""

import re
from pathlib import Path
from types import UnionType
from typing import get_args

import msgspec

from sabot.domain.rules.macao_hands import CONDITIONS as HAND_CONDITIONS
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.tableau_hands import CONDITIONS as TABLEAU_CONDITIONS
from sabot.domain.rules.wagers import CONDITIONS

DOCS = Path(__file__).parent.parent / "docs"


def _is_section(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _keys(kind: type[msgspec.Struct], before: str = "") -> list[str]:
    """Every key of a pack, with its section."""
    keys = []
    for field in msgspec.structs.fields(kind):
        part = field.type
        if isinstance(part, UnionType):  # a section that a pack may leave out
            part = next(filter(_is_section, get_args(part)), part)
        if _is_section(part):
            keys += _keys(part, f"{before}{field.encode_name}.")
        else:
            keys.append(before + field.encode_name)
    return keys


def test_every_key_of_a_rule_pack_is_told() -> None:
    told = (DOCS / "rule-packs.md").read_text()
    rows = "\n".join(line.split("|")[1] for line in told.splitlines() if line.startswith("| `"))
    listed = set(re.findall(r"`([a-z_.]+)`", rows))
    assert listed == set(_keys(RulePack))


def test_every_condition_is_told() -> None:
    told = (DOCS / "rule-packs.md").read_text()
    listed = set(re.findall(r"`([a-z0-9-]+)`", told[told.index("Conditions:") :]))
    for side in ("player", "banker"):
        listed |= {f"{side}-wins-by-{margin}" for margin in range(1, 10)}
    assert {*CONDITIONS, *HAND_CONDITIONS, *TABLEAU_CONDITIONS} == listed - {"-9"}
