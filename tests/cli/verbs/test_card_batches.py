"""`sabot cards`: batches, their places, and the custody of one batch."""

import json

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.support.floor_notation import Pit
from tests.support.thorough import one_store

pytestmark = one_store

STORY = """
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam", "backs": ["red"]}
    cards B-1 cards-inspected {"by": "ann", "serial": "0417"}
    cards B-1 cards-sealed {"seal": "S-1", "by": "sam"}
    cards B-1 cards-issued {"table": "T1", "by": "sam", "to": "sue"}
    cards B-1 seal-opened {"seal": "S-1", "by": "sue"}
    shoe H-1 {"table": "T1", "batch": "B-1"}
    +1h
    shoe H-2 {"table": "T1", "batch": "B-1"} open
    cards B-2 cards-received {"source": "maker", "decks": 6, "by": "sam"}
    cards B-2 cards-sealed {"seal": "S-2", "by": "sam"}
"""


@pytest.fixture
def cards(database_url, capsys):
    pit = Pit.of(STORY)
    with EventLog.open(database_url) as log:
        log.append(
            [NewEvent(e.stream, e.payload, e.at_us, "sam", e.device, e.seq) for e in pit.events]
        )

    def run(*arguments):
        code = guard(build(), ["cards", *arguments, "--database", database_url])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_the_list_says_where_each_batch_is(cards):
    code, out, err = cards("--format", "json")
    assert (code, err) == (0, "")
    keys = ("batch", "where", "decks", "backs", "seal", "shoes", "tables")
    assert [tuple(row[key] for key in keys) for row in json.loads(out)] == [
        ("B-1", "at table T1", 8, ["red"], None, 2, ["T1"]),
        ("B-2", "in the store", 6, [], "S-2", 0, []),
    ]


def test_the_chain_has_the_events_of_the_batch_and_its_shoes_in_order(cards):
    code, out, _ = cards("B-1", "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["what"] for row in rows] == [
        "8 decks received from maker, backs red by sam",
        "cards inspected by ann (serial 0417)",
        "sealed, seal S-1 by sam",
        "issued to table T1 by sam to sue",
        "seal S-1 opened by sue",
        "loaded into shoe H-1 at table T1",
        "shoe H-1 ended",
        "loaded into shoe H-2 at table T1",
    ]
    assert [row["index"] for row in rows] == sorted(row["index"] for row in rows)


def test_a_batch_that_is_not_there_is_told(cards):
    code, out, err = cards("B-9")
    assert (code, out) == (2, "")
    assert "no batch 'B-9' in the log; list them with: sabot cards" in err
