"""One fault of a shoe is one finding.

The amounts are worked out by hand beside each.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.shoe import BurnReason
from tests.support.coup_notation import shoe_of

DATA = Path(__file__).parents[1] / "data" / "one-fault"
Found = list[tuple[str, int | None, str | None, int | None]]


def recorded(name: str) -> list[ev.Event]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [msgspec.convert(msgspec.json.decode(each)["fact"], ev.Event) for each in lines]


def found_in(events: Iterable[ev.Event]) -> Found:
    found = audit_shoe(shoe_of(events)).findings
    return [(each.code, each.coup, each.patron, each.money.house) for each in found]


# -- A dealt card that is burned -------------------------------------------------------------------

TAKEN_OFF: Found = [("dealt-card-burned-without-ruling", 3, "ann", -19_500)]
"""Player's 9 ended the coup: ann's 100.00 on Banker were lost, and she was paid 95.00."""
RULED = ev.IrregularityNoted("card-exposed", "burn-card", 3, by="sue")


def with_burned(*before: ev.Event, **told: object) -> list[ev.Event]:
    """Player's 9 is taken off the layout and burned, and Player draws an ace instead."""
    events = recorded("dealt-card-burned")
    (at,) = [nth for nth, each in enumerate(events) if getattr(each, "reason", None) == "other"]
    burned = msgspec.structs.replace(events[at], **told)
    return [*events[:at], *before, burned, *events[at + 1 :]]


@pytest.mark.parametrize("coup", [3, None])
@pytest.mark.parametrize("reason", get_args(BurnReason))
def test_a_dealt_card_that_is_burned_is_one_finding(reason, coup):
    assert found_in(with_burned(reason=reason, coup=coup)) == TAKEN_OFF


@pytest.mark.parametrize("reason", get_args(BurnReason))
def test_a_dealt_card_that_is_burned_on_a_ruling_is_no_finding(reason):
    """Nor are the cards out of order that come instead."""
    assert found_in(with_burned(RULED, reason=reason)) == []


def test_a_card_that_comes_too_early_is_out_of_order_beside_a_burned_one():
    """Once Player's 9 is burned, Player is due a card; Banker draws it."""
    events = with_burned(RULED, reason="ruling")
    at = next(nth for nth, each in enumerate(events) if getattr(each, "place", None) == 17)
    drawn = msgspec.structs.replace(events[at], hand="banker")
    found = found_in([*events[:at], drawn, *events[at + 1 :]])
    assert "cards-out-of-order" in {code for code, *_ in found}
