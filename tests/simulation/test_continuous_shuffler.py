"""A continuous shuffler: no shoe ends, and each card comes from the complete machine."""

import random
from collections import Counter

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.simulation.shuffler import ContinuousShuffler
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import FULL_DECK
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt

PACK = pack_text("france-continuous")
COMPOSITION = (
    "excess-copies-of-card",
    "excess-cards-dealt",
)


def dealt(seed: int, coups: int | None = None) -> Shoe:
    plan = ShoePlan(stream="shoe/S-1", pack=PACK, decks=6, start_us=0, coups=coups)
    croupier = Dealer(plan, parse_lineup("flat:side=player,flat", 9), random.Random(seed))
    list(croupier.deal())
    return croupier.shoe


@pytest.mark.parametrize("seed", range(3))
def test_more_cards_come_than_are_in_it_and_all_is_clean(seed: int) -> None:
    shoe = dealt(seed, 200)
    audit = audit_shoe(shoe)
    assert audit.findings == []
    assert len(shoe.coups) == 200
    # four cards a coup at least: 800 of 312
    assert len(shoe.left) >= 800
    why = {verdict.code: list(verdict.reasons) for verdict in audit.verdicts}
    for code in COMPOSITION:
        assert why[code] == ["cards return to a continuous shuffler, so no card is used up"]
    assert why["missing-cut"] == ["a continuous shuffler is not cut"]


def test_it_is_taken_out_of_play_by_the_house_with_all_its_cards_counted() -> None:
    shoe = dealt(1)
    assert shoe.ended is not None
    assert shoe.ended.payload == ev.ShoeEnded(counted=312, reason="closing")
    assert not shoe.committed
    assert not shoe.order_opened


@pytest.mark.parametrize(("counted", "expected"), [(312, []), (311, ["1"])])
def test_a_card_that_the_machine_kept_is_found_at_the_count(
    counted: int, expected: list[str]
) -> None:
    felt = Felt(PACK).put(ev.ShoeShuffled("d", "continuous")).ready().coup("P 4 5  B K 8")
    felt.put(ev.ShoeEnded(counted=counted, reason="closing"))
    codes = [each.code for each in audit_shoe(felt.shoe).findings]
    assert codes == ["card-count-mismatch" for _ in expected]


def test_what_goes_back_is_what_came_out() -> None:
    machine = ContinuousShuffler(2, random.Random(5))
    for cards in (6, 4, 5):
        seen = machine.ahead(cards)
        drawn = [machine.draw() for _ in range(cards)]
        assert tuple(drawn) == seen
        assert machine.left == 104 - cards
        machine.give_back()
        assert machine.left == 104
    assert machine.gone == 15
    assert Counter(machine.ahead(104)) == Counter(dict.fromkeys(FULL_DECK, 2))


def test_the_pack_says_that_no_shoe_ends() -> None:
    assert parse_pack(PACK).endless
    assert not parse_pack(pack_text("france")).endless


def test_a_shoe_is_judged_by_the_text_of_the_pack_that_it_was_loaded_with() -> None:
    """The first version of the pack burned nothing. Shoes dealt by it stay clean."""
    former = PACK.replace('version = "2"', 'version = "1"')
    former = former.replace('option = "first-card-value"', 'option = "none"')
    shuffled = ev.ShoeShuffled("d", "continuous")
    for text, codes in ((former, []), (PACK, ["wrong-opening-burn"])):
        shoe = Felt(text).put(shuffled).coup("P 4 5  B K 8").shoe
        assert [each.code for each in audit_shoe(shoe).findings] == codes
