"""Numbers, codes, groups and former names of the rules."""

import re
from pathlib import Path
from typing import get_args

import pytest

from sabot.domain.audit import RULES, find_rule
from sabot.domain.audit.rule import GROUPS
from sabot.domain.events import Event
from sabot.domain.events.upcasting import FORMER_CODES, current_code
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.rules.tableau_hands import PARTS
from sabot.domain.values.errors import NotFound
from sabot.domain.values.scalars import Irregularity, Ruling
from sabot.infrastructure.rule_packs import shipped
from tests.docs_text.rules import rules_markdown

CODES = {each.code for each in RULES}


def test_every_rule_has_a_number_of_its_own_in_a_group():
    numbers = [each.number for each in RULES]
    assert len(set(numbers)) == len(numbers)
    assert all(re.fullmatch(r"[A-Z][1-6]\d\d", number) for number in numbers)
    assert {each.group for each in RULES} == set(GROUPS.values())
    assert len(set(GROUPS.values())) == len(GROUPS)


def test_a_group_is_in_one_series():
    series = {(each.number[0], each.number[1]) for each in RULES}
    assert len(series) == len(GROUPS)


def test_codes_are_short_and_name_a_thing():
    assert len(CODES) == len(RULES)
    for code in CODES:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", code)
        assert len(code) <= 32, code
        words = set(code.split("-"))
        assert not words & {"was", "were", "is", "are", "has", "fact", "punto", "wing", "wings"}


def test_a_code_is_no_name_of_anything_else():
    tags = {str(kind.__struct_config__.tag) for kind in get_args(Event)}
    wagers = {wager.name for text in shipped().values() for wager in parse_pack(text).wagers}
    for names in (tags, set(get_args(Irregularity)), set(get_args(Ruling)), wagers | set(PARTS)):
        assert names
        assert not CODES & names


def test_no_code_is_a_former_one():
    assert not CODES & FORMER_CODES.keys()
    assert len(set(FORMER_CODES.values())) == len(FORMER_CODES) == 195
    assert set(FORMER_CODES.values()) <= CODES


def test_a_rule_is_found_by_code_number_and_former_code():
    for each in RULES:
        for called in (each.code, each.number, each.number.lower(), each.code.upper()):
            assert find_rule(called) is each
        if each.former_code is not None:
            assert find_rule(each.former_code) is find_rule(each.former_code.upper()) is each
            assert current_code(each.former_code) == each.code
        assert current_code(each.code) == each.code
    assert (find_rule("b201").code, find_rule("b201").group) == ("past-posted-bet", "bets")
    assert find_rule("bet-was-placed-late").number == "B201"
    with pytest.raises(NotFound):
        find_rule("B299")


def test_the_page_of_rules_is_as_it_is_written() -> None:
    told = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    assert told == rules_markdown()
