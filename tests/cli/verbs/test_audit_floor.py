"""An audit of batches, tables and shoes together, in every format."""

import json

import pytest
from msgspec.structs import replace

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain.audit.rulebook import FLOOR_RULES
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.infrastructure.exports.test_sarif import VALID
from tests.support.floor_notation import Pit
from tests.support.thorough import one_store

pytestmark = one_store

CODE = "cards-not-issued-to-table"
STORY = """
    cards B/1 cards-issued {"table": "T1", "by": "sam"}
    cards B/1 cards-returned {"by": "sam"}
    table T1 table-opened {"inventory": 1000}
    shoe H-1 {"table": "T1", "batch": "B/1"}
    shoe H-2 {"table": "T1"}
"""


@pytest.fixture
def sabot(database_url, capsys):
    pit = Pit.of(STORY)
    with EventLog.open(database_url) as log:
        log.append(
            [NewEvent(e.stream, e.payload, e.at_us, "", e.device, e.seq) for e in pit.events]
        )

    def run(*arguments):
        code = guard(build(), [*arguments, "--database", database_url])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_finding_of_the_floor_names_its_stream_and_its_shoe(sabot):
    code, out, err = sabot("audit", "--format", "json")
    document = json.loads(out)
    (found,) = document["findings"]
    assert (code, found["code"], found["stream"], found["shoe"]) == (1, CODE, "cards/B/1", "H-1")
    assert (document["shoes"], document["batches"], document["tables"]) == (2, 1, 1)
    rules = {rule["code"]: rule for rule in document["rules"]}
    assert (rules[CODE]["looked"], rules[CODE]["findings"]) == (1, 1)
    assert rules["shoe-at-two-tables"]["not_applicable"] == {
        "no dealing shoe has its number and its table on record": 1
    }
    assert "1 batch of cards, 1 table" in err


@pytest.mark.parametrize(
    ("form", "said"),
    [("table", " cards/B/1 "), ("tsv", "\tcards/B/1\t"), ("csv", ",cards/B/1,"),
     ("jsonl", '"stream":"cards/B/1"'), ("html", "<b>cards/B/1</b>"), ("sarif", '"cards/B%2F1"')],
)  # fmt: skip
def test_every_format_says_where(sabot, form, said):
    code, out, _ = sabot("audit", "--format", form)
    assert code == 1
    assert said in out
    if form == "sarif":
        log = json.loads(out)
        VALID.validate(log)
        (result,) = log["runs"][0]["results"]
        (logical,) = result["locations"][0]["logicalLocations"]
        assert logical == {"name": "B/1", "fullyQualifiedName": "cards/B/1", "kind": "cards"}


def test_shoes_by_name_are_judged_alone_and_the_report_says_so(sabot):
    code, out, _ = sabot("audit", "H-1", "--format", "json")
    rules = {rule["code"]: rule for rule in json.loads(out)["rules"]}
    assert code == 0
    assert rules[CODE]["not_applicable"] == {"only some shoes were asked for": 1}
    _, _, said = sabot("audit", "H-1")
    assert f" {len(FLOOR_RULES)} not asked for, " in said


def test_a_finding_of_the_floor_is_answered_for_like_any_other(sabot):
    _, out, _ = sabot("findings", "--format", "json")
    (row,) = json.loads(out)
    mark = row["fingerprint"][:12]
    code, _, err = sabot("findings", "ack", mark, "--by", "sue", "--note", "seen")
    assert (code, f"{CODE}, cards/B/1" in err) == (0, True)
    _, out, _ = sabot("findings", "--format", "json")
    assert [(row["state"], row["stream"]) for row in json.loads(out)] == [
        ("acknowledged", "cards/B/1")
    ]


def test_a_recorded_run_counts_batches_and_tables_and_grows_stale_with_them(sabot, database_url):
    sabot("audit", "--record", "--by", "sue")
    _, out, _ = sabot("findings", "runs", "--format", "json")
    (run,) = json.loads(out)
    assert (run["shoes"], run["findings"], run["stale"]) == (2, 1, "")
    (more,) = Pit.of('cards B-2 cards-issued {"table": "T1", "by": "sam"}').events
    with EventLog.open(database_url) as log:
        (payload,) = [event.payload for event in log.read("audit/runs")]
        assert (payload.batches, payload.tables) == (1, 1)
        log.append([NewEvent(more.stream, more.payload, more.at_us)])
    _, out, _ = sabot("findings", "runs", "--format", "json")
    assert json.loads(out)[0]["stale"] == "1 events since"


def test_an_audit_is_compared_with_the_last_one_of_the_whole_log(sabot, database_url):
    sabot("audit", "--record", "--by", "sue")
    with EventLog.open(database_url) as log:
        (shoe, *_) = [each.stream.removeprefix("shoe/") for each in log.streams("shoe/")]
        (run,) = [event.payload for event in log.read("audit/runs")]
        whole = replace(run, result_sha256="0" * 64)
        log.append([NewEvent("audit/runs", whole, actor="sue")])
    sabot("audit", shoe, "--record", "--by", "sue")
    _, _, err = sabot("audit")
    assert "does not hold: the same audit has another result now" in err


def test_a_rule_beyond_one_shoe_is_read_whole(capsys):
    assert guard(build(), ["rules", CODE, "--format", "table"]) == 0
    told = capsys.readouterr().out
    assert "checked       each shoe of each batch of cards" in told
    assert "streams that break the rule" in told
    assert 'cards B-1 cards-returned {"by": "sam"}' in told
