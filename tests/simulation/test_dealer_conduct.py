"""The automatic dealer follows the packs on cuts, reliefs, free hands and payments."""

import random

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.procedure.preconditions import violation
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, evolve
from sabot.infrastructure.rule_packs import pack_text

LINEUP = "flat:side=player,flat,tie-lover"


def dealt(pack: str, decks: int = 8, **plan: object) -> Shoe:
    """Deal a shoe whose every event the dealer's side lets through, and which audits clean."""
    made = ShoePlan(stream="shoe/S-1", pack=pack_text(pack), decks=decks, start_us=0, **plan)
    croupier = Dealer(made, parse_lineup(LINEUP, 9), random.Random(7))
    shoe = Shoe("shoe/S-1")
    for event in croupier.deal():
        assert violation(shoe, event.payload) is None, event.payload
        shoe = evolve(shoe, event)
    audit = audit_shoe(shoe)
    assert audit.findings == []
    return shoe


def burned(shoe: Shoe, reason: str) -> list[ev.CardBurned]:
    """The cards that were burned for a reason."""
    return [event.payload for event in shoe.burned if event.payload.reason == reason]


def test_a_card_is_burned_before_the_coup_of_whoever_takes_over():
    reliefs = ((10, ev.Crew("dealer", "bob")), (20, ev.Crew("dealer", "eve")))
    shoe = dealt("louisiana", reliefs=reliefs)
    places = [payload.place for payload in burned(shoe, "relief")]
    # each is the card before the first of its coup
    firsts = [shoe.coups[coup].cards[0].payload.place for coup in (10, 20)]
    assert places == [first - 1 for first in firsts]
    # the same person at his post again is no relief
    same = dealt("louisiana", reliefs=((10, ev.Crew("dealer", "crew-1")),))
    assert burned(same, "relief") == []


def test_a_pack_that_says_nothing_of_reliefs_burns_nothing():
    shoe = dealt("maryland", reliefs=((10, ev.Crew("dealer", "bob")),))
    assert burned(shoe, "relief") == []


@pytest.mark.parametrize(
    ("cutter", "told"),
    [
        # three patrons sit at seats 1 to 3: the third is at the dealer's left
        (None, [("offered", 3)]),
        ("flat-2", [("offered", 3), ("refused", 3), ("offered", 2)]),
        ("caller", [(how, n) for n in (3, 2, 1) for how in ("offered", "refused")]),
    ],
)
def test_the_cut_goes_round_from_the_dealers_left(cutter, told):
    shoe = dealt("france", 6, cutter=cutter)
    names = {1: "flat-1", 2: "flat-2", 3: "tie-lover-1"}
    asked = [
        ev.CutOffered(names[n]) if how == "offered" else ev.CutRefused(names[n]) for how, n in told
    ]
    assert [event.payload for event in shoe.cut_offers] == asked
    assert shoe.cuts[0].payload.by == (cutter or "tie-lover-1")


def test_free_hands_are_asked_for_where_the_pack_says_so():
    shoe = dealt("queensland", free_hands=2)
    assert [coup.number for coup in shoe.coups.values() if coup.free] == [1, 2]
    assert [event.payload.kind for event in shoe.requests] == ["free-hand"] * 2
    assert dealt("macau", free_hands=3).requests == []


def test_winners_are_paid_from_the_dealer_outwards():
    """Of sixteen seats three at the right are taken: whoever wins is paid from seat 1 on."""
    shoe = dealt("france", 6)
    several = 0
    for coup in shoe.coups.values():
        paid = sorted(
            (bet.moves[0].version, bet.placed.payload.seat or 0)
            for bet in coup.bets.values()
            if bet.paid and isinstance(bet.placed.payload, ev.BetPlaced)
        )
        seats = [seat for _, seat in paid]
        assert seats == sorted(seats)
        several += len(set(seats)) > 1
    assert several > 10
