"""No history, however absurd, stops the tests of foreknowledge."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.protection.detection import detect
from domain.protection.findings import report
from domain.shoe import fold
from tests import anyfacts
from tests.notation import events_of


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(anyfacts.facts(), max_size=30), st.sampled_from(["classic-8", "france"]))
def test_absurd_shoes_are_taken_in(facts, rules):
    shoes = [
        fold(f"shoe/{name}", events_of([anyfacts.loaded(rules), *facts], f"shoe/{name}"))
        for name in ("one", "two")
    ]
    result = report(detect(shoes))
    assert all(finding.test != "next-card" or finding.log10_e > 3 for finding in result.findings)
