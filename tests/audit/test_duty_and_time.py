"""A finding names the people and the time of the breach."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.rulebook import EXAMPLES
from sabot.infrastructure.rule_packs import pack_text
from tests.support.audited import codes, only
from tests.support.for_each import for_each
from tests.support.relieved_crew import RELIEF, bet, dealt, who
from tests.support.rule_cases import every_blame, every_case
from tests.support.rule_examples import deal

# -- A seat -------------------------------------------------------------------------------------

SHARED = pack_text("mini").replace("seats = 7", "seats = 7\nper_seat = 2")
CROWDED = "excess-bettors-on-seat"


def test_the_first_bet_beyond_those_of_a_seat_is_one_too_many() -> None:
    lawful = (bet(1, "player", 500, 1), bet(2, "banker", 500, 1))
    beyond = (bet(3, "player", 500, 1), bet(4, "player", 500, 1))
    felt = dealt(*lawful, *RELIEF, *beyond, rules=SHARED)
    found = only(felt, CROWDED)
    placed = next(event for event in felt.events if getattr(event.payload, "bet", 0) == 3)
    assert (found.patron, found.at_us, who(found)) == ("p3", placed.at_us, ("zoe", "sid"))


def test_who_left_a_seat_in_time_crowds_nobody_and_who_leaves_it_late_did() -> None:
    bets = (bet(1, "player", 500, 1), bet(2, "banker", 500, 1), bet(3, "player", 500, 1))
    in_time = dealt(*bets[:2], ev.BetWithdrawn(1, 1), bets[2], rules=SHARED)
    assert codes(in_time.shoe) == []
    late = dealt(*bets, late=(ev.BetWithdrawn(1, 1),), rules=SHARED)
    assert set(codes(late.shoe)) == {"late-bet-change", CROWDED}
    assert codes(dealt(*bets[:2], late=bets[2:], rules=SHARED).shoe) == ["past-posted-bet"]


# -- Every rule ---------------------------------------------------------------------------------


@for_each("case", every_case(), ids=lambda case: case.code)
def test_every_finding_is_shown_by_a_event_and_has_its_time(case) -> None:
    shoe = case.broken()
    indexes = {event.index for event in shoe.history}
    for found in audit_shoe(shoe).findings:
        assert found.events
        assert indexes.issuperset(found.events)
        assert found.at_us is not None


BLAMED_AT: dict[str, tuple[type, ...]] = {
    "card-order-mismatch": (ev.CardDrawn, ev.CardBurned),
    "committed-order-not-opened": (ev.ShoeEnded,),
    "no-bet-hand-not-played-out": (ev.CardBurned, ev.CoupClosed, ev.CoupVoided),
    "card-withheld-from-banker": (ev.ResultCalled,),
    **every_blame(),
}
"""Rules whose first event is none that broke them: by which kind of event they are broken."""


@for_each("code", BLAMED_AT)
def test_a_rule_is_broken_by_no_event_that_was_right(code) -> None:
    shoe = deal(EXAMPLES[code])
    (found,) = [found for found in audit_shoe(shoe).findings if found.code == code]
    (done,) = [event.payload for event in shoe.history if event.at_us == found.at_us]
    assert isinstance(done, BLAMED_AT[code])
