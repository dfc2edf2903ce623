"""docs/import.md matches the program."""

import io
import json
import re
from pathlib import Path

import msgspec

from sabot.domain import events as ev
from sabot.infrastructure.audits.audit_run import audit_log
from sabot.infrastructure.imports.coup_line import CoupLine, read_coup_line
from sabot.infrastructure.imports.mapped_coups import _UNIX, mapped_coups
from sabot.infrastructure.imports.mapping import (
    BetKeys,
    CsvShape,
    Source,
    parse_mapping,
    shipped_mappings,
)
from sabot.infrastructure.imports.record_line import read_record_line
from sabot.infrastructure.imports.recording import Recording
from sabot.infrastructure.log.event_log import EventLog

TOLD = (Path(__file__).parents[1] / "docs" / "import.md").read_text()


def examples(language):
    return re.findall(rf"```{language}\n(.*?)```", TOLD, re.DOTALL)


def test_the_examples_are_what_they_say():
    coup, payload = (line.encode() for line in examples("json"))
    assert read_coup_line(coup).shoe == "H-1"
    assert set(json.loads(coup)) == {field.name for field in msgspec.structs.fields(CoupLine)}
    assert read_record_line(payload).payload == ev.CardDrawn(1, "player", "4d")
    mapping, of_shoes = (parse_mapping(text, "the example") for text in examples("toml"))
    assert mapping.bets[0].patron == "player_id"
    line = re.search(r"# (\{.*)", examples("toml")[1])[1].encode()
    ((_, record),) = mapped_coups(io.BytesIO(line), "the example", of_shoes, print)
    assert (record.shoe, record.coup, record.content.player) == ("S1", 1, ("4d", "Qs"))
    assert [(bet.wager, bet.amount) for bet in record.content.bets] == [
        ("player", 2500),
        ("tie", 500),
    ]


def test_every_option_of_a_mapping_is_told():
    told = set(re.findall(r"`([a-z_-]+)", TOLD))
    options = {field.encode_name for field in msgspec.structs.fields(Source)}
    options |= {"each", "skip_zero"} & {field.name for field in msgspec.structs.fields(BetKeys)}
    options |= {field.name for field in msgspec.structs.fields(CsvShape)} | {"encoding"}
    assert options | set(_UNIX) | set(shipped_mappings()) | {"rows"} <= told


def test_the_short_shoe_is_recorded_and_nothing_is_wrong_with_it():
    (lines,) = examples("jsonl")
    with EventLog.open(":memory:") as log:
        answers = Recording(log).take(list(enumerate(lines.encode().splitlines(), 1)))
        assert [answer.error for answer in answers] == [""] * 30
        report = audit_log(log, until=log.head())
        assert (len(report.findings), report.coups) == (0, 2)
