"""Read models of games with a bank: chips, results, the levy, the house's win."""

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.simulation import Session, deal_shoe
from sabot.domain.simulation.patrons.patron_spec import parse_lineup
from sabot.domain.simulation.sessions import draft_of
from sabot.infrastructure.projections import patron_money, queries
from sabot.infrastructure.projections.projector import Projector
from sabot.infrastructure.projections.rows import CoupRow, LedgerRow
from sabot.infrastructure.projections.shoe_rows import ShoeBook
from sabot.infrastructure.rule_packs import pack_text
from tests.infrastructure.projections.test_rows import shelf_of
from tests.support.bank_coups import table
from tests.support.coup_notation import START_US, Felt


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


def test_the_hands_of_both_tableaux_and_what_became_of_each():
    felt = Felt("banque", seats=(ev.Seat(5, "p5"), ev.Seat(7, "p7"), ev.Seat(8, "p8")))
    felt.put(bank_ev.BankBid("p8", 30_000)).due(
        ev.ShoeOffered, ev.ShoeTaken, ev.PatronMoved, bank_ev.BankPosted
    )
    felt.put(ev.ShoeShuffled("dealer"), ev.CutterNamed("p8", "p7"), ev.ShoeCut("p7", 50))
    felt.due(ev.StopCardPlaced, ev.CoupOpened, bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p7", "right", 5000), ev.BetPlaced(1, 2, "p5", "cheval", 4000))
    felt.due(ev.NoMoreBets, bank_ev.HandGiven)
    # right 8 at once, left 7, the banker 6: he draws a king, both tableaux win
    for place, (hand, card) in enumerate(
        (("right", "3h"), ("left", "2c"), ("banker", "2d"), ("right", "5h"), ("left", "5c"),
         ("banker", "4d")), 1,
    ):  # fmt: skip
        felt.put(ev.CardDrawn(1, hand, card, place))
    felt.due(ev.CardTurned, ev.BetPaid)
    felt.put(bank_ev.ChoiceMade(1, "left", "stand"), bank_ev.ChoiceMade(1, "banker", "draw"))
    felt.put(ev.CardDrawn(1, "banker", "Kd", 7))
    felt.due(ev.CardTurned, bank_ev.HandsCalled, ev.BetPaid, ev.CoupClosed)
    (row,) = shelf_of(ShoeBook("shoe/test"), felt.events).of(CoupRow)
    assert (row.right_hand, row.right_total, row.right_came) == ("3h 5h", 8, "P")
    assert (row.left_hand, row.left_total, row.left_came) == ("2c 5c", 7, "P")
    assert (row.banker, row.banker_total, row.player, row.came) == ("2d 4d Kd", 6, None, None)
    assert (row.bank_won, row.paid, row.levy) == (-9000, 9000, 0)
