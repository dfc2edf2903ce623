"""A rule can be read in its own module: its function, games, needs and sources stand there."""

import ast
import re
from pathlib import Path

import pytest

from sabot.domain.audit import RULES
from sabot.domain.rules import sources
from sabot.domain.rules.sources import HOUSE_CONVENTION, Source

CHECKS = Path(__file__).parents[2] / "domain" / "audit" / "checks"
MODULES = [pytest.param(path, id=path.stem) for path in sorted(CHECKS.rglob("*.py"))]
REGISTERS = ("rule", "ordered", "requirement")
CITED = {source for rule in RULES for source in rule.sources} - {HOUSE_CONVENTION}


def declarations(path: Path) -> list[tuple[ast.FunctionDef, ast.Call]]:
    """Return the functions of a module that are rules, each with the call that declares it."""
    return [
        (function, call)
        for function in ast.parse(path.read_text()).body
        if isinstance(function, ast.FunctionDef)
        for call in function.decorator_list
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in REGISTERS
    ]


def test_every_rule_is_a_function_named_as_its_code() -> None:
    named = [
        (each.value for each in call.args if isinstance(each, ast.Constant))
        for path in sorted(CHECKS.rglob("*.py"))
        for _, call in declarations(path)
    ]
    functions = [
        function.name for path in sorted(CHECKS.rglob("*.py")) for function, _ in declarations(path)
    ]
    codes = [str(code) for _, code in named]
    assert functions == [code.replace("-", "_") for code in codes]
    assert sorted(codes) == sorted(rule.code for rule in RULES)


@pytest.mark.parametrize("path", MODULES)
def test_games_are_written_out_in_the_module(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    given = [each.value for call in calls for each in call.keywords if each.arg == "games"]
    assert all(isinstance(each, ast.Tuple) for each in given)
    names = [each for games in given for each in ast.walk(games) if isinstance(each, ast.Name)]
    assert not names


def test_the_name_of_a_source_has_the_numbers_of_its_article() -> None:
    names = {each: name for name, each in vars(sources).items() if isinstance(each, Source)}
    for source in CITED:
        article = re.sub(r"\(.*\)", "", source.article)
        assert set(re.findall(r"\d+", article)) <= set(re.findall(r"\d+", names[source])), source
