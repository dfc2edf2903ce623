"""A program that signs and publishes, killed in the middle of it."""

import random
from pathlib import Path

from benchmarks.store_faults import killed_publishers
from tests.support.thorough import FULL


def test_publishing_goes_on_after_a_kill_without_help(database_url: str, tmp_path: Path) -> None:
    runs = 50 if FULL else 2
    for found in killed_publishers(runs, database_url, tmp_path / "out", random.Random(3)):
        assert found.acknowledged > 0
        assert found.lost == 0
