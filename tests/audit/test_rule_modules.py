"""Each rule can be read in one module: its function, games, needs and sources."""

import ast
import re
from pathlib import Path

import pytest

from sabot.domain.audit import RULES
from sabot.domain.rules import sources
from sabot.domain.rules.sources import HOUSE_CONVENTION, Source
from tests.support.for_each import for_each

CHECKS = Path(__file__).parents[2] / "domain" / "audit" / "checks"
MODULES = [pytest.param(path, id=path.stem) for path in sorted(CHECKS.rglob("*.py"))]
REGISTERS = ("rule", "ordered")
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


@for_each("path", MODULES)
def test_games_are_written_out_in_the_module(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    given = [each.value for call in calls for each in call.keywords if each.arg == "games"]
    assert all(isinstance(each, ast.Tuple) for each in given)
    names = [each for games in given for each in ast.walk(games) if isinstance(each, ast.Name)]
    assert not names


def leaves_out(function: ast.FunctionDef) -> bool:
    """Return whether a function leaves out subjects by more than their type."""
    asked = [
        ast.unparse(condition)
        for part in ast.walk(function)
        if isinstance(part, ast.ListComp)
        for each in part.generators
        for condition in each.ifs
    ]
    return any(not re.fullmatch(r"isinstance\(.*\)|\w+ is not None", each) for each in asked)


def selects_subjects(function: ast.FunctionDef) -> bool:
    """Return whether a function returns the subjects of a rule."""
    by = [call.func for call in function.decorator_list if isinstance(call, ast.Call)]
    return "each" in map(ast.unparse, by)


@for_each("path", MODULES)
def test_a_function_that_leaves_subjects_out_says_which(path: Path) -> None:
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef) and selects_subjects(function):
            says = "\n\n" in (ast.get_docstring(function) or "")
            assert says or not leaves_out(function), function.name


def test_the_name_of_a_source_has_the_numbers_of_its_article() -> None:
    names = {each: name for name, each in vars(sources).items() if isinstance(each, Source)}
    for source in CITED:
        article = re.sub(r"\(.*\)", "", source.article)
        assert set(re.findall(r"\d+", article)) <= set(re.findall(r"\d+", names[source])), source


VOIDED = "A rule checks voided coups too, unless it needs `needs.not_voided`."


@for_each("path", MODULES)
def test_a_module_with_rules_of_coups_says_that_they_check_voided_coups(path: Path) -> None:
    """A reader of one module learns it there."""
    codes = {str(code) for _, code in declarations(path)}
    if any(rule.code in codes and rule.looks_at == "coup" for rule in RULES):
        said = ast.get_docstring(ast.parse(path.read_text())) or ""
        assert VOIDED in " ".join(said.split())
