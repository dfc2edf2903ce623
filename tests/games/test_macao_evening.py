"""An evening of macao has no findings and no money in the house's tray."""

import random
from collections import defaultdict

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.simulation import parse_lineup
from sabot.domain.simulation.evening import Evening, ShoeOfEvening, TablePlan
from sabot.domain.state.shoe import fold
from sabot.infrastructure.rule_packs import of_game, pack_text


@pytest.mark.parametrize("pack", [*of_game("macao"), *of_game("victoria")])
def test_a_clean_evening_has_no_finding_and_leaves_the_tray_as_it_was(pack):
    plan = TablePlan(
        table="M1",
        pack=pack_text(pack),
        decks=2,
        opens_us=10**15,
        inventory=10_000_000,
        limits=(ev.Limit(500, 100_000),),
        crew=(ev.Crew("dealer", "ann"),),
        patrons=parse_lineup("flat:3,trend:2,martingale", 10),
        shoes=(ShoeOfEvening(),) * 5,
        day="20260101",
    )
    streams = defaultdict(list)
    for index, draft in enumerate(Evening(plan, random.Random(3)).deal(), 1):
        payloads = streams[draft.stream]
        at = draft.at_us or 0
        payloads.append(
            RecordedEvent(
                index, draft.stream, len(payloads) + 1, at, at, draft.actor,
                draft.device, draft.seq, draft.payload,
            position=len(payloads) + 1)
        )  # fmt: skip
    shoes = [fold(name, events) for name, events in streams.items() if name.startswith("shoe/")]
    assert len(shoes) == 5
    assert all(audit_shoe(shoe).findings == [] for shoe in shoes)
    # the next bank is offered to the left of who had the last one
    first = [
        next(e.payload for e in s.history if isinstance(e.payload, ev.ShoeOffered)) for s in shoes
    ]
    for before, offered, shoe in zip(shoes, first[1:], shoes[1:], strict=False):
        assert shoe.loaded.payload.banked == before.last_holder
        seats = sorted(before.seats)
        held = next(seat for seat in seats if before.seats[seat] == before.last_holder)
        left = max((seat for seat in seats if seat < held), default=max(seats))
        assert offered.to == before.seats[left]
    (closed,) = [e.payload for e in streams["table/M1"] if isinstance(e.payload, ev.TableClosed)]
    moved = [e.payload for e in streams["table/M1"]]
    filled = sum(x.amount for x in moved if isinstance(x, ev.TableFilled))
    bought = sum(x.amount for x in moved if isinstance(x, ev.ChipsBought))
    credits_sent = sum(x.amount for x in moved if isinstance(x, ev.CreditSent))
    assert closed.inventory == 10_000_000 + filled - bought - credits_sent
