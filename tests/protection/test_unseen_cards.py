"""The unseen cards of a shoe at a moment, and the odds of every wager."""

from fractions import Fraction

import pytest

from sabot.domain.events.points_in_time import Index
from sabot.domain.odds.coup_odds import odds_of
from sabot.domain.odds.house_edge import pay_tables
from sabot.domain.protection.detection.remaining_cards import unseen_at
from sabot.domain.protection.money.wager_values import by_value, left_of, looks_at_pairs, valuers_of
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.rule_packs import of_game, shipped
from tests.support.coup_notation import Felt
from tests.support.thorough import a_part


def gone(unseen, decks=8):
    return {card: decks - many for card, many in unseen.cards.items() if many != decks}


def test_cards_burned_face_down_are_unseen_and_those_shown_are_not():
    felt = Felt("classic-8").ready("7c").coup("p1 banker 500 | P 4d 5s  B Kh 9c")
    unseen = unseen_at("shoe/test", felt.shoe.history)
    assert gone(unseen) == {"7c": 1, "4d": 1, "5s": 1, "Kh": 1, "9c": 1}
    assert (sum(unseen.cards.values()), unseen.shown, unseen.lacking) == (416 - 5, 5, 0)


def test_a_moment_and_a_coup():
    felt = Felt("classic-8").ready("7c")
    felt.coup("p1 banker 500 | P 4d 5s  B Kh 9c").coup("p1 banker 500 | P 2d 5h  B 3h 4c")
    history = felt.shoe.history
    assert gone(unseen_at("shoe/test", history, coup=1)) == {"7c": 1}
    assert len(gone(unseen_at("shoe/test", history, coup=2))) == 5
    third = [event for event in history if type(event.payload).__name__ == "CardDrawn"][2]
    assert len(gone(unseen_at("shoe/test", history, Index(third.index)))) == 4
    with pytest.raises(BadInput, match="no card of coup 3"):
        unseen_at("shoe/test", history, coup=3)
    with pytest.raises(BadInput, match="was not loaded"):
        unseen_at("shoe/test", history[:0], coup=None)


def test_ranks_alone_and_values_alone_are_told_as_far_as_they_go():
    felt = Felt("classic-8").ready("7").coup("p1 banker 500 | P 4 5  B K 9")
    assert unseen_at("shoe/test", felt.shoe.history).cards["K"] == 31
    felt = Felt("classic-8").ready("7").coup("p1 banker 500 | P 4 5  B 0 9")
    assert unseen_at("shoe/test", felt.shoe.history).cards["0"] == 127


@pytest.mark.parametrize("name", a_part(sorted(of_game("punto-banco")), of=2))
def test_all_wagers_of_a_pack_are_counted_at_once(name):
    text = shipped()[name]
    pack = parse_pack(text)
    shown = ["Ac", "Ac", "9d", "9h", "8s", "Th", "6c", "6d", "7s", "2h", "Ks", "Qd", "3c"]
    left = left_of(pack.cards.decks[-1], shown)
    counted = odds_of(left)
    valuers = valuers_of(text)
    tables = [table for table in pay_tables([pack]) if not looks_at_pairs(table.wager)]
    assert set(valuers) == {table.wager.name for table in tables}
    for table in tables:
        valuer = valuers[table.wager.name]
        assert valuer.exactly(by_value(left)) == -table.house_edge(counted)
        near = Fraction(valuer.expectation(by_value(left))) + table.house_edge(counted)
        assert abs(near) < Fraction(1, 10**12)
