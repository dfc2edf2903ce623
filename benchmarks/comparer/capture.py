"""A pytest plugin that collects the shoes that tests audit, with the name of the test.

Each shoe is kept once. `inputs.of_tests` loads the plugin before the test modules, so the tests
import its `audit_shoe`. Each worker of pytest writes a file of its own.
"""

import os
import pickle
from pathlib import Path

import pytest

import sabot.domain.audit
from benchmarks.comparer.cases import Row
from benchmarks.comparer.inputs import MOST_EVENTS, rows_of
from sabot.domain.audit import ShoeAudit, engine
from sabot.domain.state.shoe import Shoe

_audit_shoe = engine.audit_shoe
_caught: dict[tuple[Row, ...], str] = {}
_now = {"test": ""}


def audit_shoe(shoe: Shoe) -> ShoeAudit:
    """Keep the events of a shoe, and audit it."""
    table = shoe.at_table
    if _now["test"] and 0 < len(shoe.history) <= MOST_EVENTS and shoe.seqs_in_other_streams is None:
        events = list(shoe.history)
        if table is not None and table.name == shoe.table:
            events = sorted([*events, *table.history], key=lambda event: event.index)
        if table is None or len(events) > len(shoe.history):
            _keep(rows_of(events))
    return _audit_shoe(shoe)


def _keep(rows: tuple[Row, ...]) -> None:
    """Keep rows under the alphabetically first test name, whichever test runs first."""
    if rows:
        _caught[rows] = min(_caught.get(rows, _now["test"]), _now["test"])


engine.audit_shoe = audit_shoe
sabot.domain.audit.audit_shoe = audit_shoe


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    # a log of its own stamps events with the time of day, which no second run would repeat
    fixtures = getattr(item, "fixturenames", ())
    _now["test"] = "" if "database_url" in fixtures else item.nodeid.replace(".py::", "/")


def pytest_sessionfinish() -> None:
    into = Path(os.environ["SABOT_CAPTURE_INTO"])
    into.joinpath(os.environ.get("PYTEST_XDIST_WORKER", "main")).write_bytes(pickle.dumps(_caught))
