"""What the default run leaves out, by the marks of `tests.support.thorough`."""

from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support import thorough
from tests.support.thorough import STORES, chosen


def family(name, *parameters, mark=None):
    """The cases of a test with a mark, as pytest collects them."""
    return [
        SimpleNamespace(
            path=Path("test_a.py"),
            nodeid=f"test_a.py::{name}[{'-'.join(values)}]",
            callspec=SimpleNamespace(_idlist=list(values)),
            get_closest_marker=lambda asked: asked == mark,
        )
        for values in product(*parameters)
    ]


def left(*families, slow_too=False):
    tests = [case for each in families for case in each]
    return [tuple(case.callspec._idlist) for case in chosen(tests, slow_too=slow_too)]


@pytest.fixture(autouse=True)
def default_run(monkeypatch):
    monkeypatch.setattr(thorough, "FULL", False)


def test_each_value_of_each_parameter_is_tried():
    kept = left(family("test_x", STORES, "abcde", "12", mark="each_once"))
    assert len(kept) == 5
    assert [set(values) for values in zip(*kept, strict=True)] == [
        set(STORES),
        set("abcde"),
        set("12"),
    ]


def test_the_stores_take_turns_from_case_to_case_and_from_test_to_test():
    many = family("test_x", STORES, "abc", mark="one_store")
    one = family("test_y", STORES, mark="one_store")
    assert left(many, one) == [
        ("sqlite", "a"), ("postgresql", "b"), ("sqlite", "c"), ("postgresql",),
    ]  # fmt: skip


def test_what_has_one_store_or_no_mark_is_tried():
    alone, unmarked = family("test_x", "ab", mark="one_store"), family("test_y", STORES)
    assert left(alone, unmarked) == [("a",), ("b",), ("sqlite",), ("postgresql",)]


def test_long_lists_and_long_runs():
    assert left(family("test_x", "abcd", mark="every_third")) == [("a",), ("d",)]
    assert left(family("test_x", "abcd", mark="only_full")) == []


def test_slow_tests_have_a_run_of_their_own():
    slow = family("test_x", "ab", mark="slow")
    assert left(slow) == []
    assert left(slow, slow_too=True) == [("a",), ("b",)]


@pytest.mark.parametrize("mark", ["each_once", "every_third", "one_store", "only_full", "slow"])
def test_the_full_run_tries_all(mark, monkeypatch):
    monkeypatch.setattr(thorough, "FULL", True)
    assert len(left(family("test_x", STORES, "abc", mark=mark))) == 6
