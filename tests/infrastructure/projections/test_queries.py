"""The answers of the read models, worked out by hand, on both stores."""

import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import NotFound
from sabot.infrastructure.projections import patron_money, queries
from sabot.infrastructure.projections.projector import Projector
from tests.support.coup_notation import START_US, Felt

MINUTE = 60_000_000


def shoe(log, name, table, *lines, rules="classic-8", at=0):
    """A shoe with such coups; each event a second after the one before."""
    felt = Felt(rules, table=table).ready()
    for line in lines:
        felt.coup(line)
    log.append(
        [
            NewEvent(f"shoe/{name}", payload, START_US + at * MINUTE + n * 1_000_000)
            for n, payload in enumerate(felt.payloads)
        ]
    )


@pytest.fixture
def asked(log):
    """Two tables and three shoes, and a connection that reads what they came to."""
    log.append([NewEvent("table/T1", payload) for payload in (
        ev.TableOpened(100_000, "punto-banco", "EUR"), ev.ChipsBought("p1", 5000),
    )])  # fmt: skip
    shoe(
        log,
        "A",
        "T1",
        "p1 banker 2000, p2 tie 100 | P 2 3  B 9 K | B 5-9 | 2 take 100, 1 pay 2000, 1 collect 100",
    )
    shoe(log, "B", "T1", "p1 player 500 | P 2 3  B 9 K", at=60)
    shoe(log, "C", "T2", "p1 banker 4000 | P 2 3  B 9 K | B 5-9 | 1 pay 4000, 1 mark 200",
         rules="macau", at=30)  # fmt: skip
    log.append([NewEvent("shoe/C", payload) for payload in (
        ev.CommissionCollected("p1", 50),
        ev.CoupOpened(2), ev.BetPlaced(2, 1, "p2", "tie", 300), ev.CoupVoided(2),
        ev.CoupOpened(3), ev.BetPlaced(3, 1, "p2", "tie", 900), ev.BetWithdrawn(3, 1),
        ev.BetPlaced(3, 2, "p2", "tie", 100),
    )])  # fmt: skip
    for _taken in Projector(log).catch_up():
        pass
    with log.database.reading() as connection:
        yield connection


def some(records, *names):
    return [tuple(record[name] for name in names) for record in records]


def test_shoes_in_the_order_in_which_they_began(asked):
    assert some(queries.shoes(asked), "name", "table_name", "coups", "handle", "won") == [
        ("A", "T1", 1, 2100, 100 - 2000 + 100),
        ("B", "T1", 1, 500, 500),
        ("C", "T2", 3, 4100, -4000 + 200),
    ]
    assert some(queries.shoes(asked, "T2"), "name") == [("C",)]


def test_tables_with_what_they_play_and_what_their_tray_says(asked):
    one, two = queries.tables(asked)
    assert some([one], "table", "state", "shoe", "coup", "phase", "shoes", "handle", "won") == [
        ("T1", "open", "B", 1, "between", 2, 2600, -1300)
    ]
    assert some([one], "opening", "bought", "missing") == [(100_000, 5000, "closing drop")]
    assert some([two], "table", "shoe", "coup", "phase", "currency") == [
        ("T2", "C", 3, "betting", "HKD")
    ]
    assert "state" not in two


def test_patrons_by_currency_without_what_was_void_or_taken_back(asked):
    names = ("patron", "currency", "bets", "shoes", "handle", "result", "owed", "bought")
    assert some(patron_money.patrons(asked), *names) == [
        ("p1", "EUR", 2, 2, 2500, 2000 - 100 - 500, 0, 5000),
        ("p1", "HKD", 1, 1, 4000, 4000 - 200, 150, 0),
        ("p2", "EUR", 1, 1, 100, -100, 0, 0),
        ("p2", "HKD", 1, 1, 100, 0, 0, 0),
    ]
    assert some(patron_money.patrons(asked, "T2"), *names[:3]) == [
        ("p1", "HKD", 1),
        ("p2", "HKD", 1),
    ]


def test_the_ledger_of_a_patron_runs_with_its_balances_by_currency(asked):
    entries = list(patron_money.ledger(asked, "p1"))
    names = ("kind", "shoe", "table_name", "currency", "chips", "chips_balance", "result_balance")
    assert some(entries, *names) == [
        ("bought", None, "T1", "EUR", 5000, 5000, 0),
        ("paid", "A", "T1", "EUR", 2000, 7000, 2000),
        ("commission-kept", "A", "T1", "EUR", -100, 6900, 1900),
        ("taken", "B", "T1", "EUR", -500, 6400, 1400),
        ("paid", "C", "T2", "HKD", 4000, 4000, 4000),
        ("commission-marked", "C", "T2", "HKD", 0, 4000, 3800),
        ("commission-collected", "C", "T2", "HKD", -50, 3950, 3800),
    ]
    assert entries[-1]["owed_balance"] == 150
    assert some(patron_money.ledger(asked, "p1", shoe="B"), "kind") == [("taken",)]


def test_commission_by_patron_and_shoe(asked):
    names = ("name", "patron", "at_once", "marked", "collected", "owed")
    assert some(patron_money.commission(asked), *names) == [
        ("A", "p1", 100, 0, 0, 0),
        ("C", "p1", 0, 200, 50, 150),
    ]
    assert some(patron_money.commission(asked, owing=True), "name") == [("C",)]
    assert some(patron_money.commission(asked, shoe="A"), "name") == [("A",)]


def test_what_is_not_known_is_told_with_the_next_step(asked):
    queries.check_table(asked, "T2")
    queries.check_shoe(asked, "A")
    with pytest.raises(NotFound, match="sabot tables"):
        queries.check_table(asked, "T9")
    with pytest.raises(NotFound, match="sabot shoes"):
        queries.check_shoe(asked, "Z")


def test_sums_are_exact_past_sixty_four_bits(log):
    most = ev.MAX_INT
    log.append([NewEvent("shoe/x", payload) for payload in (
        Felt("classic-8").payloads[0],
        *[ev.BetPlaced(1, bet, "p1", "tie", most) for bet in range(1, 1101)],
        *[ev.BetTaken(1, bet, most) for bet in range(1, 1101)],
    )])  # fmt: skip
    for _taken in Projector(log).catch_up():
        pass
    with log.database.reading() as connection:
        (patron,) = patron_money.patrons(connection)
        assert patron["handle"] == 1100 * most > 2**63
        assert patron["result"] == -1100 * most
        assert list(patron_money.ledger(connection, "p1"))[-1]["chips_balance"] == -1100 * most
