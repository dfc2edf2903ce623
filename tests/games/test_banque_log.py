"""A shoe of baccarat banque in a log: recorded from its lines, read back, folded to the same."""

import pytest

from domain import facts as f
from domain.event import Draft
from domain.facts import bank as k
from domain.shoe import fold
from infrastructure.exports.recordlines import record_line
from infrastructure.feeds.recordline import read_record_line
from infrastructure.rulepacks import of_game
from tests.golden.test_banque import Played, shoes_of

PACKS = sorted(of_game("baccarat-banque"))
NEW = {f.PatronMoved, k.BankPosted, k.BankWithdrawn, k.HandGiven, k.ChoiceMade, k.HandsCalled}


def played(pack):
    cards, lines = shoes_of(pack)[0]
    table = Played(pack, cards)
    for line in lines:
        table.follow(line)
    return table.shoe


@pytest.mark.parametrize("pack", PACKS)
def test_every_fact_comes_back_from_the_log_as_it_was(log, pack):
    shoe = played(pack)
    drafts = [
        Draft(shoe.stream, event.fact, event.at_us, "dealer", "d", event.seq)
        for event in shoe.history
    ]
    # as a device would have sent them
    log.append([read_record_line(record_line(draft)) for draft in drafts])
    read = list(log.read(shoe.stream))
    assert [event.fact for event in read] == [event.fact for event in shoe.history]
    assert {type(event.fact) for event in read} >= NEW
    again = fold(shoe.stream, read)
    assert (again.seats, again.holder) == (shoe.seats, shoe.holder)
    assert [bank.result for bank in again.banks] == [bank.result for bank in shoe.banks]
