"""The amounts due to bets, worked out by hand."""

import pytest

from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.payouts import Due, cashier_for
from sabot.domain.values.cards import parse_card
from sabot.domain.values.errors import BadRulePack
from sabot.infrastructure.rule_packs import shipped
from tests.support.for_each import for_each


def result(coup):
    player, banker = coup.removeprefix("P ").split("B ")
    return result_of(
        [parse_card(card) for card in player.split()],
        [parse_card(card) for card in banker.split()],
    )


# pack, bet and stake | coup | what happens, and the patron's net
TABLE = """
classic-8    player 2500       | P K 8  B K 7       | pay 2500 net 2500
classic-8    player 2500       | P K 8  B K 8       | push net 0
classic-8    player 2500       | P K 7  B K 8       | take net -2500
classic-8    banker 2500       | P K 7  B K 8       | pay 2500 commission 125 net 2375
classic-8    banker 1250       | P K 7  B K 8       | pay 1250 commission 63 net 1187
classic-8    banker 2500       | P K 8  B K 8       | push net 0
classic-8    banker 2500       | P K 8  B K 7       | take net -2500
classic-8    tie 100           | P K 8  B K 8       | pay 800 net 800
uk           tie 100           | P K 8  B K 8       | pay 900 net 900
classic-8    tie 100           | P K 8  B K 7       | take net -100
classic-8    banker 0          | P K 7  B K 8       | pay 0 net 0
classic-8    banker 1          | P K 7  B K 8       | pay 1 net 1
classic-8    banker 10         | P K 7  B K 8       | pay 10 commission 1 net 9
midi         banker 2500       | P K 7  B K 8       | pay 2500 commission 125 net 2375
super-6      banker 2500       | P K K 5  B 2 4     | pay 1250 net 1250
super-6      banker 2501       | P K K 5  B 2 4     | pay 1250 net 1250
super-6      banker 2500       | P K 7  B K 8       | pay 2500 net 2500
super-6      super-6 100       | P K K 5  B K 2 4   | pay 1200 net 1200
ez-baccarat  banker 2500       | P K 6  B A 4 2     | push net 0
ez-baccarat  banker 2500       | P K 6  B 5 2       | pay 2500 net 2500
ez-baccarat  dragon-7 100      | P K 6  B A 4 2     | pay 4000 net 4000
ez-baccarat  panda-8 100       | P A 4 3  B K 7     | pay 2500 net 2500
macau        big 333           | P K K K  B K K K   | pay 179 net 179
macau        small 101         | P K 8  B K 7       | pay 151 net 151
macau        perfect-pair 10   | P 4c 4c  B Kd Kd   | pay 2000 net 2000
"""

CASES = [tuple(part.strip() for part in line.split("|")) for line in TABLE.strip().splitlines()]


@for_each(("bet", "coup", "want"), CASES)
def test_due(bet, coup, want):
    pack, wager, stake = bet.split()
    due = cashier_for(shipped()[pack]).due(wager, result(coup), int(stake))
    words = [due.kind]
    if due.kind == "pay":
        words.append(str(due.paid))
    if due.commission:
        words += ["commission", str(due.commission)]
    assert " ".join([*words, "net", str(due.net)]) == want


def test_a_due_names_its_line():
    cashier = cashier_for(shipped()["super-6"])
    assert (
        cashier.due("banker", result("P K K 5  B 2 4"), 100).line
        == "Banker pays 1 to 2 (Banker wins on 6)"
    )
    assert cashier.due("banker", result("P K 7  B K 6"), 100) == Due("take", taken=100)
    assert cashier.due("player", result("P K 7  B K 7"), 100).line == "on a tie the bet is pushed"


def test_nothing_can_be_said_where_the_cards_do_not_tell():
    cashier = cashier_for(shipped()["macau"])
    assert cashier.due("player-pair", result("P 0 0  B 4 5"), 100) is None
    assert cashier.due("perfect-pair", result("P 4 4  B K 9"), 100) is None
    assert cashier.due("player", result("P 0 0  B 4 5"), 100).kind == "take"


def test_nothing_can_be_said_of_a_wager_that_the_pack_does_not_offer():
    cashier = cashier_for(shipped()["classic-8"])
    assert cashier.due("dragon-7", result("P K 6  B A 4 2"), 100) is None
    assert not cashier.offers("dragon-7")
    assert cashier.offers("tie")


def test_commission_is_rounded_as_the_pack_says():
    """5 % of 1250 is 62.5; of 1.230,00 in units of half a euro, 61,50."""
    text = shipped()["classic-8"]
    coup = result("P K 7  B K 8")
    for rounding, unit, stake, kept in (
        ("down", 1, 1250, 62),
        ("up", 1, 1250, 63),
        ("nearest", 1, 1250, 63),
        ("up", 100, 1250, 100),
        ("down", 100, 1250, 0),
        ("nearest", 50, 123000, 6150),
    ):
        pack = text.replace(
            'due = "at-once"\nrounding = "nearest"\nunit = 1',
            f'due = "at-once"\nrounding = "{rounding}"\nunit = {unit}',
        )
        assert cashier_for(pack).due("banker", coup, stake).commission == kept


def test_winnings_are_rounded_as_the_pack_says():
    """Half of 2501 is 1250.5."""
    text = shipped()["super-6"]
    coup = result("P K K 5  B 2 4")
    for rounding, paid in (("down", 1250), ("up", 1251), ("nearest", 1251)):
        pack = text.replace(
            'minor_units = 2\nrounding = "down"', f'minor_units = 2\nrounding = "{rounding}"'
        )
        assert cashier_for(pack).due("banker", coup, 2501).paid == paid


def test_a_cashier_needs_a_rule_pack():
    with pytest.raises(BadRulePack):
        cashier_for("name = 1")
