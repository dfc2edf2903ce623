"""Published shoe records give their known counts.

The records have no licence, so that they are no part of this repository.
``SABOT_PUBLISHED_RECORDS`` names the folder that holds them. They come from
https://github.com/jarcelao/baccarat_dataset and
https://github.com/jackchang1025/Baccarat-simulation-data
"""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from tests.support.faulty_log import sabot

FOLDER = os.environ.get("SABOT_PUBLISHED_RECORDS")


@pytest.mark.skipif(not FOLDER, reason="SABOT_PUBLISHED_RECORDS names no folder of records")
@pytest.mark.parametrize(
    ("name", "coups", "found"),
    [
        ("gryai_1000_games", 1000, {"tableau": 386, "payout": 79}),
        ("jackchang_shoe_75", 75, {"tableau": 6}),
    ],
)
def test_a_published_record_is_audited_to_its_counts(name, coups, found, capsys, sqlite_url):
    """By family: breaches of the third-card rules, and wrong payments. No total is wrong."""
    mapping, _, _ = name.partition("_")
    lines = Path(FOLDER or "") / f"{name}.jsonl"
    assert sabot("import", "-m", mapping, "--database", sqlite_url, str(lines)) == 0
    capsys.readouterr()
    assert sabot("audit", "--format", "json", "--database", sqlite_url) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["coups"] == coups
    assert Counter(finding["family"] for finding in told["findings"]) == found
