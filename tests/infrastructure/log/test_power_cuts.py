"""Power cuts while a log is written. `benchmarks/power_cuts*.py` makes more of them."""

import shutil

import pytest

from benchmarks.power_cuts import cuts
from benchmarks.power_cuts_postgresql import cuts as server_cuts
from tests.support.thorough import FULL, slow

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")


@slow
def test_a_power_cut_loses_nothing_that_was_acknowledged() -> None:
    try:
        found = cuts(2000 if FULL else 30, commits=60 if FULL else 25)
    except RuntimeError as error:
        pytest.skip(f"strace does not work here: {error}")
    assert (found.lost, found.unfit) == (0, 0)
    assert found.acknowledged > 0


@slow
def test_the_cuts_take_what_was_not_synced() -> None:
    try:
        found = cuts(30, commits=25, level="NORMAL")
    except RuntimeError as error:
        pytest.skip(f"strace does not work here: {error}")
    assert found.lost > 0


@slow
def test_a_power_cut_of_a_server_loses_nothing_that_was_acknowledged() -> None:
    try:
        found = server_cuts(50 if FULL else 2, commits=60 if FULL else 10)
    except RuntimeError as error:
        pytest.skip(f"strace does not work here: {error}")
    assert (found.lost, found.unfit) == (0, 0)
    assert found.acknowledged > 0
