"""A remark under the former code and fingerprint of a rule belongs to the finding of today.

Each rule that had a former code is broken by its example. The former fingerprint is computed here
as docs/audit.md states it, and a remark is recorded under it.
"""

import hashlib
import json
from collections.abc import Iterator

import pytest

from sabot.domain.audit import RULES, Finding, audit_shoe
from sabot.domain.audit import fingerprints as written
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.finding_reviews import reviews
from sabot.domain.audit.rule import Rule
from sabot.domain.events import review as a
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.upcasting import FORMER_CODES
from tests.support.floor_notation import Pit
from tests.support.for_each import for_each
from tests.support.rule_examples import deal
from tests.support.thorough import slow

FORMER = {code: former for former, code in FORMER_CODES.items()}
DECLARED = [pytest.param(rule, id=rule.code) for rule in RULES if rule.code in FORMER]


def findings_of(rule: Rule) -> Iterator[Finding]:
    if not rule.of_the_floor:
        yield from audit_shoe(deal(rule.breaks)).findings
        return
    pit = Pit.of(rule.breaks)
    for shoe in pit.shoes():
        yield from audit_shoe(shoe).findings
    yield from audit_floor(pit.floor()).findings


def digest(*parts: object) -> str:
    """Return the SHA-256 of the parts as a compact JSON array."""
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def test_every_rule_of_the_first_release_is_tried():
    assert len(DECLARED) == len(FORMER_CODES) == 195
    assert {rule.code: rule.former_code for rule in RULES if rule.former_code} == FORMER


@slow
@for_each("rule", DECLARED)
def test_a_remark_under_the_former_fingerprint_belongs_to_the_finding(rule: Rule) -> None:
    with pytest.MonkeyPatch.context() as patch:
        identified = noted(patch)
        found = list(findings_of(rule))
    own = [finding for finding in found if finding.code == rule.code]
    assert own
    for finding in own:
        about = identified[finding.fingerprint]
        assert digest("sabot-finding/2", rule.code, *about) == finding.fingerprint
        former = digest("sabot-finding/1", FORMER[rule.code], *about)
        shoe = None if finding.stream != f"shoe/{finding.shoe}" else finding.shoe
        said = a.FindingAcknowledged(
            former, FORMER[rule.code], shoe, by="sue", coup=finding.coup, stream=finding.stream
        )
        event = RecordedEvent(1, a.FINDINGS_STREAM, 1, None, 1, "sue", "", None, said, position=1)
        (review,) = reviews([event], found).values()
        assert (review.finding, review.code) == (finding.fingerprint, rule.code)
        assert (review.recorded, review.state().state) == (former, "acknowledged")


def noted(patch: pytest.MonkeyPatch) -> dict[str, tuple]:
    """Note the parts of each fingerprint behind the code: shoe, coup, subject and number."""
    identified: dict[str, tuple] = {}

    def fingerprint(code: str, *about: object) -> str:
        mark = written.fingerprint(code, *about)  # type: ignore[arg-type]
        identified[mark] = about
        return mark

    patch.setattr("sabot.domain.audit.findings.fingerprint", fingerprint)
    return identified
