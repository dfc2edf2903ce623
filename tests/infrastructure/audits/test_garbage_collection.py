"""Garbage collection is rare while shoes are audited, and normal afterwards."""

import gc
import weakref

import pytest

from sabot.infrastructure.audits.garbage_collection import seldom_collected
from tests.support.thorough import slow


@pytest.fixture(autouse=True)
def as_it_comes():
    """The collector as Python starts with it. `tests.conftest` sets it otherwise."""
    thresholds, aside = gc.get_threshold(), gc.get_freeze_count()
    gc.set_threshold(700, 10, 10)
    gc.unfreeze()
    yield
    gc.set_threshold(*thresholds)
    if aside:
        gc.freeze()


class Ring:
    """Something that refers to itself, so that reference counts alone never free it."""

    def __init__(self):
        self.own = self


def state():
    return gc.get_threshold(), gc.get_freeze_count(), gc.isenabled()


def test_the_collector_is_as_it_was_once_the_work_is_over():
    before = state()
    with seldom_collected():
        assert gc.get_threshold()[0] > before[0][0]
        assert gc.get_freeze_count() > 0
    assert state() == before


def test_the_collector_is_as_it_was_after_a_failure():
    before = state()
    with pytest.raises(ValueError, match="torn"), seldom_collected():
        raise ValueError("torn")
    assert state() == before


def test_what_the_work_makes_is_still_collected():
    with seldom_collected():
        ring = weakref.ref(Ring())
        gc.collect()
        assert ring() is None


@slow
def test_a_cycle_from_before_is_collected_behind_it():
    ring = Ring()
    gone = weakref.ref(ring)
    with seldom_collected():
        del ring
        gc.collect()
        assert gone() is not None
    gc.collect()
    assert gone() is None


def test_who_set_things_aside_himself_keeps_them_aside():
    gc.freeze()
    try:
        aside = gc.get_freeze_count()
        with seldom_collected():
            assert gc.get_freeze_count() <= aside
        assert 0 < gc.get_freeze_count() <= aside
    finally:
        gc.unfreeze()


def test_a_collector_that_was_switched_off_stays_so():
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with seldom_collected():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)


def test_a_collector_that_runs_as_rarely_is_left_as_it_is():
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 20)
    try:
        with seldom_collected():
            assert state() == ((50_000, 20, 20), 0, True)
    finally:
        gc.set_threshold(*before)
