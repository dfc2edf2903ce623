"""Many shoes at a table, each reproducible on its own."""

from itertools import pairwise

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.floor_view import floor_of, summary_of
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.commitment import SealedOrder
from sabot.domain.events.envelope import NewEvent
from sabot.domain.simulation import Session, deal_shoe, deal_shoes, draft_of, parse_lineup, plan_of
from sabot.domain.state.shoe import fold
from sabot.domain.values.errors import Refused
from sabot.infrastructure.rule_packs import of_game, pack_text

START_US = 1_767_297_600_000_000


def session(**more):
    given = {
        "pack": pack_text("mini"),
        "decks": 6,
        "table": "M2",
        "patrons": parse_lineup("flat:2", 7),
        "start_us": START_US,
        "seed": "42",
    }
    return Session(**given | more)


def bytes_of(events):
    return msgspec.json.encode(list(events))


def test_a_shoe_rests_on_the_seed_and_its_number_alone():
    fourth = bytes_of(deal_shoe(session(), 4))
    assert fourth == bytes_of(deal_shoe(session(), 4))
    assert fourth != bytes_of(deal_shoe(session(), 3))
    assert fourth != bytes_of(deal_shoe(session(seed="43"), 4))


@pytest.mark.parametrize("pack", ["mini", "chemin-de-fer-france", "deux-tableaux-france"])
def test_where_nobody_banks_on_shoes_in_a_row_are_those_dealt_alone(pack):
    at = session(pack=pack_text(pack), decks=3 if pack.startswith("deux") else 6)
    alone = [bytes_of(deal_shoe(at, number)) for number in (1, 2, 3)]
    assert [bytes_of(events) for events in deal_shoes(at, 3)] == alone


@pytest.mark.parametrize("pack", [*of_game("macao"), *of_game("victoria")])
def test_the_bank_passes_to_the_left_from_pack_to_pack(pack):
    """Once the pack is dealt out the bank goes to the banker's left neighbour
    (WIKIPEDIA_BACCARAT_MACAO).

    Seats are numbered counter-clockwise, so his left neighbour has the next lower number.
    """
    patrons = parse_lineup("flat:3:unit=500,trend:2:unit=500", 10)
    at = session(pack=pack_text(pack), decks=2, patrons=patrons, limits=(ev.Limit(500, 100_000),))
    streams = list(deal_shoes(at, 5))
    assert bytes_of(streams[0]) == bytes_of(deal_shoe(at, 1))
    shoes = [fold(events[0].stream, events) for events in streams]
    for before, shoe in pairwise(shoes):
        last = [e.payload.by for e in before.history if isinstance(e.payload, bank_ev.BankPosted)][
            -1
        ]
        assert shoe.loaded.payload.banked == last
        offered = next(e.payload.to for e in shoe.history if isinstance(e.payload, ev.ShoeOffered))
        seats = {patron: seat for seat, patron in shoe.seats.items()}
        lower = [seat for seat in seats.values() if seat < seats[last]]
        assert seats[offered] == max(lower or seats.values())
    assert [each for shoe in shoes for each in audit_shoe(shoe).findings] == []
    assert audit_floor(floor_of([], [], map(summary_of, shoes))).findings == []


def test_every_shoe_of_every_table_has_cards_of_its_own():
    def order(table, number):
        last = list(deal_shoe(session(table=table), number))[-1]
        return last.payload.order

    orders = {order(table, number) for table in ("M2", "M3") for number in (1, 2, 3)}
    assert len(orders) == 6


def test_the_seed_is_nowhere_in_the_events():
    seed = "7391046258"
    assert seed.encode() not in bytes_of(deal_shoe(session(seed=seed), 1))


def test_shoes_follow_one_another_and_are_named_by_table_day_and_number():
    ends = START_US
    for number in range(1, 25):
        plan = plan_of(session(), number)
        day = "20260101" if plan.start_us < START_US + 4 * 3600 * 1_000_000 else "20260102"
        assert plan.stream.startswith(f"shoe/M2-{day}") or number > 12
        assert plan.stream.endswith(f"-{number}")
        assert plan.start_us >= ends
        if number < 4:
            ends = list(deal_shoe(session(), number))[-1].at_us


def test_a_draft_carries_all_that_its_device_said():
    event = next(iter(deal_shoe(session(), 1)))
    assert draft_of(event) == NewEvent(
        "shoe/M2-20260101-1",
        event.payload,
        event.at_us,
        "crew-1",
        "simulator/M2-20260101-1",
        1,
    )
    assert isinstance(event.payload, ev.ShoeLoaded)


def test_an_empty_shoe_refuses_to_give_a_card():
    order = SealedOrder(("Ah",), "00" * 16)
    assert order.draw() == "Ah"
    with pytest.raises(Refused, match="the shoe is empty"):
        order.draw()
