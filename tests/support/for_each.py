"""One test over many small cases, for cases that are cheaper than a test of their own."""

import inspect
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

T = TypeVar("T")
Test = Callable[..., None]


def for_each(
    names: str | Iterable[str],
    cases: Iterable[object],
    *,
    ids: Callable[[object], str] | Iterable[str] = str,
) -> Callable[[Test], Test]:
    """Make one test run every case. The arguments are those of `pytest.mark.parametrize`.

    It continues after a failure. At the end it fails with all errors, each with the name of its
    case. All cases share the same fixtures. No case may skip the test.
    """
    named = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    listed = [_case(case, named, ids) for case in cases]
    if not callable(ids):
        listed = [(name, values) for name, (_, values) in zip(ids, listed, strict=True)]
    if not listed:
        raise ValueError("there are no cases")

    def decorate(test: Test) -> Test:
        def all_cases(*args: object, **fixtures: object) -> None:
            failed: list[BaseException] = []
            at: list[str] = []
            for name, values in listed:
                try:
                    test(*args, **fixtures, **values)
                except BaseException as error:
                    error.add_note(f"in the case {name}")
                    if not isinstance(error, Exception | pytest.fail.Exception):
                        raise
                    failed.append(error)
                    at.append(name)
            if failed:
                raise BaseExceptionGroup(
                    f"{len(failed)} of {len(listed)} cases fail: {', '.join(at)}", failed
                )

        given = inspect.signature(test)
        rest = [one for one in given.parameters.values() if one.name not in named]
        all_cases.__dict__.update(test.__dict__)
        all_cases.__signature__ = given.replace(parameters=rest)
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(all_cases, name, getattr(test, name))
        return all_cases

    return decorate


def _case(case: object, names: list[str], ids: object) -> tuple[str, dict[str, object]]:
    """Return the name of a case and its arguments."""
    said = None
    if isinstance(case, ParameterSet):
        said, values = case.id, case.values
    else:
        values = (case,) if len(names) == 1 else tuple(case)
    told = said or "-".join(ids(value) if callable(ids) else "" for value in values)
    return str(told), dict(zip(names, values, strict=True))
