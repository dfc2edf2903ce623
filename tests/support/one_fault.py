"""Reads the records of one fault each."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from tests.support.coup_notation import shoe_of

DATA = Path(__file__).parents[1] / "data" / "one-fault"

Found = list[tuple[str, int | None, str | None, int | None]]


def recorded(name: str) -> list[ev.Event]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [msgspec.convert(msgspec.json.decode(each)["fact"], ev.Event) for each in lines]


def found_in(events: Iterable[ev.Event]) -> Found:
    found = audit_shoe(shoe_of(events)).findings
    return [(each.code, each.coup, each.patron, each.money.house) for each in found]
