"""A finding names the people and the time of the breach."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.rulebook import EXAMPLES
from tests.support.for_each import for_each
from tests.support.rule_cases import every_blame, every_case
from tests.support.rule_examples import deal
from tests.support.thorough import slow

# -- Every rule ---------------------------------------------------------------------------------


@slow
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
