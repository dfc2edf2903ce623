"""What the read models say where patrons bank: chips, results, the levy, and what the house won."""

from domain.simulation import Session, deal_shoe
from domain.simulation.lineup import parse_lineup
from domain.simulation.session import draft_of
from infrastructure.readmodels import patron_money, queries
from infrastructure.readmodels.projector import Projector
from infrastructure.readmodels.rows import CoupRow, LedgerRow
from infrastructure.readmodels.shoe_book import ShoeBook
from infrastructure.rulepacks import pack_text
from tests.audit.bank_cases import table
from tests.notation import START_US
from tests.readmodels.test_books import shelf_of


def test_a_banker_s_chips_and_results():
    felt = table(pack="chemin-de-fer-france").coup("p2 player 4000 | P 4 2  B K 9")
    felt.coup("p2 player 6000 | P 4 5  B K 6")
    shelf = shelf_of(ShoeBook("shoe/test"), felt.events)
    moved = [
        (row.patron, row.kind, row.chips, row.result)
        for row in sorted(shelf.of(LedgerRow), key=lambda row: row.log_index)
    ]
    assert moved == [
        ("p1", "bank-put-in", -10_000, 0),
        ("p2", "taken", -4000, -4000),
        # 4000 won, less a levy of 200
        ("p1", "bank-result", 0, 3800),
        ("p2", "paid", 6000, 6000),
        ("p1", "bank-result", 0, -6000),
    ]
    first, second = sorted(shelf.of(CoupRow), key=lambda row: row.coup)
    assert (first.bank_won, first.levy) == (4000, 200)
    assert (second.bank_won, second.levy) == (-6000, 0)


def evening(seed):
    return Session(
        pack=pack_text("chemin-de-fer-france"), decks=6, table="T1", start_us=START_US, seed=seed,
        patrons=parse_lineup("flat:3:side=random,martingale:2,trend:1", 10),
    )  # fmt: skip


def test_the_house_wins_its_levy_and_the_patrons_lose_it(log):
    shoes = [list(deal_shoe(evening("banks"), number)) for number in (1, 2)]
    for events in shoes:
        log.append([draft_of(event) for event in events])
    projector = Projector(log)
    assert sum(projector.catch_up()) == sum(map(len, shoes))
    with log.database.reading() as connection:
        records = queries.shoes(connection, None)
        people = patron_money.patrons(connection)
    levy = sum(record["levy"] for record in records)
    assert levy > 0
    assert sum(record["won"] for record in records) == levy
    assert sum(person["result"] for person in people) == -levy
