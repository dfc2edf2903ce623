"""Rows of a shoe or table, by hand and at random, with any batch size."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.infrastructure.projections.rows import (
    TABLE_OF,
    BetRow,
    CommissionRow,
    CoupRow,
    LedgerRow,
    SessionRow,
    ShoeRow,
    TableRow,
)
from sabot.infrastructure.projections.shoe_rows import ShoeBook
from sabot.infrastructure.projections.table_rows import TableBook
from tests.support import any_events
from tests.support.coup_notation import START_US, Felt, events_of
from tests.support.thorough import slow, tries


class Shelf:
    """What a database does with changes, in a dictionary."""

    def __init__(self):
        self.rows = {}

    def take(self, changes):
        if changes.anew:
            self.rows.clear()
        for row in changes.rows:
            keys = [column.name for column in TABLE_OF[type(row)].primary_key]
            self.rows[type(row), *(getattr(row, key) for key in keys)] = row

    def of(self, kind):
        return [row for key, row in sorted(self.rows.items(), key=str) if key[0] is kind]


def shelf_of(book, events, cuts=()):
    shelf = Shelf()
    start = 0
    for cut in [*sorted(cuts), len(events)]:
        book.add(events[start:cut])
        shelf.take(book.changes())
        start = max(start, cut)
    return shelf


@pytest.mark.parametrize("kind", TABLE_OF)
def test_a_row_has_the_columns_of_its_table(kind):
    assert kind.__struct_fields__ == tuple(TABLE_OF[kind].columns.keys())


# -- By hand --------------------------------------------------------------------------------


def a_shoe():
    """Three coups: Banker wins and keeps 5 %; a tie pushes; the bet stays and loses."""
    felt = Felt(
        "classic-8", table="T1", batch="B-7", seats=(ev.Seat(3, "p1"),),
        crew=(ev.Crew("caller", "ann"),),
    )  # fmt: skip
    felt.ready("7d")
    felt.put(ev.ShoeTaken("p1"))
    felt.coup("p1 banker 1050, p2 tie 100 | P 4 5c  B Kd 9h | T 9-9 | 1 push, 2 pay 800")
    felt.coup("+p1 banker 1050 | P 2 3  B 9 K | B 5-9 | 1 pay 1050, 1 collect 53")
    felt.coup("p2 player 500 | P 2 3 K  B 7 K | B 5-7 | 1 take 500")
    return felt.put(ev.ShoeEnded(left=400))


def test_a_coup_bet_and_shoe_worked_by_hand():
    felt = a_shoe()
    shelf = shelf_of(ShoeBook("shoe/test"), felt.events)
    tie = shelf.of(CoupRow)[0]
    assert (tie.player, tie.banker, tie.player_total, tie.banker_total) == ("4 5c", "Kd 9h", 9, 9)
    assert (tie.called, tie.came, tie.state, tie.dealer, tie.holder) == (
        "T", "T", "closed", "ann", "p1",
    )  # fmt: skip
    assert (tie.bets, tie.handle, tie.taken, tie.paid, tie.commission) == (2, 1150, 0, 800, 0)

    carried = next(row for row in shelf.of(BetRow) if row.carried)
    assert (carried.coup, carried.patron, carried.seat) == (2, "p1", 3)
    assert (carried.state, carried.paid, carried.collected) == ("paid", 1050, 53)
    assert carried.net == 1050 - 53

    (shoe,) = shelf.of(ShoeRow)
    assert (shoe.name, shoe.table_name, shoe.batch, shoe.pack) == ("test", "T1", "B-7", "classic-8")
    assert (shoe.coups, shoe.player_wins, shoe.banker_wins, shoe.ties) == (3, 0, 2, 1)
    # 1050 + 100, 1050 again after the tie, 500
    assert (shoe.bets, shoe.handle) == (4, 2700)
    assert (shoe.taken, shoe.paid, shoe.commission) == (500, 1850, 53)
    # the burned seven and seven more, then 4 + 4 + 5 cards
    assert (shoe.cards_burned, shoe.cards_out) == (8, 21)
    assert shoe.state == "ended"
    assert shoe.first_us == START_US + 1_000_000


def test_the_ledger_runs_in_order_and_its_sums_are_the_bets_net():
    felt = a_shoe()
    shelf = shelf_of(ShoeBook("shoe/test"), felt.events)
    entries = sorted(shelf.of(LedgerRow), key=lambda row: row.log_index)
    assert [(e.patron, e.kind, e.wager, e.chips, e.result, e.owed) for e in entries] == [
        ("p1", "pushed", "banker", 0, 0, 0),
        ("p2", "paid", "tie", 800, 800, 0),
        ("p1", "paid", "banker", 1050, 1050, 0),
        ("p1", "commission-kept", "banker", -53, -53, 0),
        ("p2", "taken", "player", -500, -500, 0),
    ]


def test_commission_that_is_marked_is_lost_when_won_and_paid_when_collected():
    felt = Felt("classic-8").ready()
    felt.coup("p1 banker 2000 | P 2 3  B 9 K | B 5-9 | 1 pay 2000, 1 mark 100")
    felt.put(ev.CommissionCollected("p1", 60))
    shelf = shelf_of(ShoeBook("shoe/test"), felt.events)
    (owed,) = shelf.of(CommissionRow)
    assert (owed.at_once, owed.marked, owed.collected, owed.owed) == (0, 100, 60, 40)
    entries = sorted(shelf.of(LedgerRow), key=lambda row: row.log_index)
    assert [(e.kind, e.chips, e.result, e.owed) for e in entries] == [
        ("paid", 2000, 2000, 0),
        ("commission-marked", 0, -100, 100),
        ("commission-collected", -60, 0, -60),
    ]
    assert shelf.of(BetRow)[0].net == 1900


def test_what_was_corrected_away_leaves_no_row():
    felt = Felt("classic-8").ready().coup("p1 player 500, p2 tie 100 | P 9 K  B 2 5")
    placed = next(
        e for e in felt.events if isinstance(e.payload, ev.BetPlaced) and e.payload.bet == 2
    )
    taken = next(e for e in felt.events if isinstance(e.payload, ev.BetTaken))
    book = ShoeBook("shoe/test")
    shelf = shelf_of(book, felt.events)
    assert len(shelf.of(BetRow)) == 2
    events = events_of(
        [*felt.payloads, ev.EventCorrected(placed.version, "no chips lay there"),
         ev.EventCorrected(taken.version, "nothing was taken")],
        "shoe/test",
    )  # fmt: skip
    book.add(events[-2:])
    shelf.take(book.changes())
    assert [row.bet for row in shelf.of(BetRow)] == [1]
    assert [row.kind for row in shelf.of(LedgerRow)] == ["paid"]
    assert shelf.of(ShoeRow)[0].corrections == 2


def test_a_void_coup_counts_no_money_and_no_outcome():
    felt = Felt("classic-8").ready().coup("p1 player 500 | P 9 K  B 2 5")
    felt.put(ev.CoupOpened(2), ev.BetPlaced(2, 1, "p1", "tie", 300), ev.CoupVoided(2))
    (shoe,) = shelf_of(ShoeBook("shoe/test"), felt.events).of(ShoeRow)
    assert (shoe.coups, shoe.voids, shoe.player_wins, shoe.handle) == (2, 1, 1, 500)


def test_a_tables_sessions_and_buy_ins_by_hand():
    payloads = [
        ev.TableOpened(1000, "punto-banco", "EUR"),
        ev.ChipsBought("p1", 300),
        ev.TableClosed(1100),
        ev.DropCounted(300),
        ev.TableOpened(1100),
        ev.CrewChanged("dealer", "ann"),
    ]
    shelf = shelf_of(TableBook("table/T1"), events_of(payloads, "table/T1"), cuts=(2, 5))
    first, second = shelf.of(SessionRow)
    assert (first.win, first.drop_counted, first.missing) == (400, 300, "")
    assert (second.win, second.missing) == (None, "closing drop")
    (table,) = shelf.of(TableRow)
    assert (table.state, table.sessions, table.crew) == ("open", 2, '{"dealer":"ann"}')
    (bought,) = shelf.of(LedgerRow)
    assert (bought.patron, bought.kind, bought.chips, bought.result) == ("p1", "bought", 300, 0)


def test_sums_beyond_sixty_four_bits_stand_at_the_largest_number():
    felt = Felt("classic-8").ready().put(ev.CoupOpened(1))
    felt.put(*(ev.BetPlaced(1, bet, "p1", "player", ev.MAX_INT) for bet in range(1, 1030)))
    (shoe,) = shelf_of(ShoeBook("shoe/test"), felt.events).of(ShoeRow)
    assert shoe.handle == 2**63 - 1


def test_a_nul_in_a_name_becomes_its_sign():
    felt = Felt("classic-8").ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p\0", "tie", 1))
    assert shelf_of(ShoeBook("shoe/test"), felt.events).of(BetRow)[0].patron == "p␀"


# -- At random ------------------------------------------------------------------------------


def clocked(payloads, clocks, stream):
    return [
        msgspec.structs.replace(event, at_us=clock)
        for event, clock in zip(events_of(payloads, stream), clocks, strict=False)
    ]


CLOCKS = st.lists(st.one_of(st.none(), st.integers(0, 10**6)), min_size=41, max_size=41)


@slow
@tries(37, 150)
@given(
    st.lists(any_events.payloads(), max_size=40), CLOCKS, st.sets(st.integers(0, 40), max_size=6)
)
def test_wherever_a_batch_of_a_shoe_ends_the_rows_come_out_the_same(payloads, clocks, cuts):
    events = clocked([any_events.loaded(), *payloads], clocks, "shoe/x")
    whole = shelf_of(ShoeBook("shoe/x"), events)
    assert shelf_of(ShoeBook("shoe/x"), events, cuts).rows == whole.rows
    one_by_one = shelf_of(ShoeBook("shoe/x"), events, range(len(events)))
    assert one_by_one.rows == whole.rows


@given(
    st.lists(any_events.payloads(), max_size=40), CLOCKS, st.sets(st.integers(0, 40), max_size=6)
)
def test_wherever_a_batch_of_a_table_ends_the_rows_come_out_the_same(payloads, clocks, cuts):
    events = clocked([ev.TableOpened(100), *payloads], clocks, "table/x")
    whole = shelf_of(TableBook("table/x"), events)
    assert shelf_of(TableBook("table/x"), events, cuts).rows == whole.rows


@given(st.lists(any_events.payloads(), max_size=40))
def test_owed_is_what_the_shoe_says_is_owed(payloads):
    events = events_of([any_events.loaded(), *payloads], "shoe/x")
    book = ShoeBook("shoe/x")
    shelf = shelf_of(book, events)
    owed = {row.patron: row.owed for row in shelf.of(CommissionRow) if row.owed}
    assert owed == {patron: owed for patron, owed in book.shoe.owed_commission.items() if owed}


def test_an_event_of_a_shoe_that_was_never_loaded_still_has_rows():
    events = [
        RecordedEvent(9, "shoe/x", 1, None, 5, "", "", None, ev.BetPaid(1, 1, 100), position=1)
    ]
    shelf = shelf_of(ShoeBook("shoe/x"), events)
    (entry,) = shelf.of(LedgerRow)
    assert (entry.patron, entry.result, entry.at_us) == (None, 100, 5)
