"""Further examples of each rule: shoes that break it, and shoes that nearly do.

`tests/audit/checks/` has a file for each module of `domain/audit/checks/`. Its ``CASES`` are shoes
in the notation of the rules' examples (`sabot.domain.audit.example_notation`). A line that begins
with a brace continues the line before it.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.state.shoe import Shoe
from tests.support.for_each import for_each
from tests.support.rule_examples import deal
from tests.support.thorough import a_part

TESTS = Path(__file__).parents[1]
T = TypeVar("T")
Dealt = str | Callable[[], Shoe]


class Case(NamedTuple):
    """A rule, a shoe that breaks it, the coup of the breach, and a shoe that nearly breaks it."""

    code: str
    coup: int | None
    breaks: Dealt
    keeps: Dealt

    def broken(self) -> Shoe:
        """Return the shoe that breaks the rule."""
        return _shoe(self.breaks)

    def kept(self) -> Shoe:
        """Return the shoe that nearly breaks it."""
        return _shoe(self.keeps)


@cache
def _shoe(dealt: Dealt) -> Shoe:
    if callable(dealt):
        return dealt()
    lines = filter(None, map(str.strip, dealt.splitlines()))
    return deal("\n".join(lines).replace("\n{", " {"))


def checks_of(cases: Sequence[Case]) -> tuple[Callable[[Case], None], Callable[[Case], None]]:
    """Return two tests: breaches are found on their coups, and near misses stay clean."""

    @for_each("case", cases, ids=lambda case: case.code)
    def found(case: Case) -> None:
        findings = audit_shoe(case.broken()).findings
        assert [(each.code, each.coup) for each in findings] == [(case.code, case.coup)]

    @for_each("case", cases, ids=lambda case: case.code)
    def clean(case: Case) -> None:
        audit = audit_shoe(case.kept())
        assert audit.findings == []
        (verdict,) = [each for each in audit.verdicts if each.code == case.code]
        assert verdict.result == "pass", verdict

    return found, clean


@lru_cache(maxsize=1)
def every_case() -> tuple[Case, ...]:
    """Return the example of each shoe rule, and all cases of `tests/audit/checks/`."""
    return (*_examples(), *_more())


def some_cases() -> tuple[Case, ...]:
    """Return the example of each shoe rule, and a part of the other cases."""
    return (*_examples(), *a_part(_more(), 9))


def _examples() -> Iterator[Case]:
    return (
        Case(rule.code, None, rule.breaks, rule.keeps) for rule in RULES if not rule.of_the_floor
    )


def every_blame() -> dict[str, tuple[type, ...]]:
    """Return ``BLAMED_AT`` of all files: by rule, the kinds of events that break it."""
    return {code: kinds for blamed in _declared("BLAMED_AT", {}) for code, kinds in blamed.items()}


def made_good_late() -> frozenset[str]:
    """Return ``MADE_GOOD_LATE`` of all files.

    They are the rules whose own near miss is something else until it is made good, or is accepted.
    """
    return frozenset().union(*_declared("MADE_GOOD_LATE", ()))


def _more() -> Iterator[Case]:
    for cases in _declared("CASES", ()):
        yield from cases


def _declared(name: str, otherwise: T) -> Iterator[T]:
    """Yield a constant of each file of `tests/audit/checks/`."""
    for path in sorted((TESTS / "audit" / "checks").rglob("test_*.py")):
        module = ".".join(path.relative_to(TESTS.parent).with_suffix("").parts)
        yield getattr(importlib.import_module(module), name, otherwise)
