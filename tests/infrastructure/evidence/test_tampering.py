"""A sample of the tampering benchmark: every kind of change by each insider."""

import random

import pytest

from benchmarks.evidence_tampering import KEY, Copies, changes, try_change
from sabot.infrastructure.evidence.verification import verify_log
from tests.support.thorough import FULL, slow

EVENTS = 275
UNSEEN = "database, no checkpoint from outside"
MOVED_UP = "event removed, the rest moved up"
UNCOVERED = {"end cut off", "actor changed, its checkpoints removed"}


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    return Copies(EVENTS, None, tmp_path_factory.mktemp("tampering"))


@slow
def test_each_kind_of_change_is_found_and_located(copies: Copies) -> None:
    kinds = set()
    for change in changes(EVENTS, random.Random(1)):
        if change.name in kinds and not FULL:
            continue
        kinds.add(change.name)
        for who, result in try_change(copies, change):
            if change.name in UNCOVERED and who == UNSEEN:
                assert result in {"not found", "found", "event", "range"}, change
            elif change.name == "all checkpoints removed":
                # no event was changed, and the directory shows it
                assert (result == "found") or who == KEY, change
            elif change.name == MOVED_UP and who == KEY:
                # the log was signed anew, so the kept checkpoint may show the count alone
                assert result != "not found", change
            else:
                assert result in {"found", "event", "range"}, (change, who)
    assert len(kinds) == 20


def test_an_untouched_copy_is_consistent(copies: Copies) -> None:
    with copies.copy(()) as log:
        result = verify_log(log.database, published=(copies.published, copies.folder / "public"))
        assert (result.problems, result.events, result.covered) == ([], EVENTS, EVENTS)
