"""Every key of a rule pack is described once, on its page and on the command line."""

import json
import tomllib
from pathlib import Path
from types import UnionType
from typing import get_args

import msgspec
import pytest

from sabot.domain.rules.pack_keys import pack_keys
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.wagers import Wager
from sabot.infrastructure.rule_packs import shipped
from tests.docs_text.rule_packs import with_keys
from tests.support.faulty_log import sabot
from tests.support.for_each import for_each

PAGE = Path(__file__).parent.parent.parent / "docs" / "rule-packs.md"
KEYS = {key.key: key for key in pack_keys()}
SECTIONS = {
    "cards", "burn", "table", "end", "tie", "commission", "money", "limits", "clocks", "macao",
    "cut", "settling", "approval", "custody", "drawing", "bank", "banco", "excess", "levy",
    "tableaux",
}  # fmt: skip


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


def test_every_key_is_described():
    assert {key for key in KEYS if not key.startswith("wagers.")} == set(_keys(RulePack))
    assert {f"wagers.{key}" for key in _keys(Wager)} == {
        key for key in KEYS if key.startswith("wagers.")
    }


def test_the_page_has_every_key():
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_keys(page)


def test_every_key_says_what_it_means():
    assert len(KEYS) == len(pack_keys())
    for key in KEYS.values():
        assert len(key.description) > 8, key
        assert key.values
        assert key.default
        assert "|" not in f"{key.description}{key.values}{key.default}"


@for_each("name", shipped())
def test_what_a_shipped_pack_says_is_a_key_that_is_described(name):
    tree = tomllib.loads(shipped()[name])
    said = set()
    for key, value in tree.items():
        if key in SECTIONS:
            said |= {f"{key}.{part}" for part in value}
        else:
            said.add(key)
    said |= {f"wagers.{part}" for wager in tree["wagers"] for part in wager}
    assert said <= KEYS.keys()


@pytest.mark.parametrize(
    ("key", "values", "default"),
    [
        (
            "game",
            "`baccarat-banque`, `chemin-de-fer`, `macao`, `punto-banco`, `victoria`",
            "required",
        ),
        ("cards.decks", "list of numbers", "required"),
        ("burn.relief", "number", "not specified"),
        ("tie.bets_stay", "`true`, `false`", "`true`"),
        ("drawing.banco", "`free`, `tableau` or list of strings", "`free`"),
        ("tableaux.own_wing", "`true`, `false`", "`true`"),
        ("wagers.commission", "`true`, `false`", "`false`"),
    ],
)
def test_what_may_be_given_and_what_holds_otherwise(key, values, default):
    assert (KEYS[key].values, KEYS[key].default) == (values, default)


def test_the_program_lists_them(capsys):
    assert sabot("packs", "--keys", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["key"], row["description"]) for row in rows] == [
        (key.key, key.description) for key in KEYS.values()
    ]
    assert sabot("packs", "midi", "--keys") == 2
    assert "cannot be combined with PACK" in capsys.readouterr().err


@for_each("key", (
    "bank.maximum", "bank.minimum", "commission.unit", "levy.unit", "limits.differential",
    "limits.maximum", "limits.minimum", "macao.bank_least", "money.unit", "tableaux.stake_unit",
))  # fmt: skip
def test_a_key_of_an_amount_states_its_unit(key):
    assert "in minor units" in KEYS[key].description
