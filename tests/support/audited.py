"""What the audit says of a shoe, in the short forms that tests compare."""

from sabot.domain.audit import Finding, ShoeAudit, audit_shoe
from sabot.domain.audit.engine import FloorAudit
from sabot.domain.audit.report import AuditReport
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt


def codes(shoe: Shoe) -> list[str]:
    """Return the code of each finding."""
    return [found.code for found in audit_shoe(shoe).findings]


def codes_and_coups(shoe: Shoe) -> list[tuple[str, int | None]]:
    """Return the code and the coup of each finding."""
    return [(found.code, found.coup) for found in audit_shoe(shoe).findings]


def only(felt: Felt, code: str) -> Finding:
    """Return the one finding of a rule."""
    (found,) = [found for found in audit_shoe(felt.shoe).findings if found.code == code]
    return found


def skipped(shoe: Shoe, code: str) -> dict[str, int]:
    """Return the reasons why a rule was not applied, as the report has them."""
    report = AuditReport()
    report.add(audit_shoe(shoe))
    return dict(report.rules[code].reasons)


def looked(shoe: Shoe, code: str) -> int:
    """Return how many times a rule was applied."""
    return next(verdict.checked for verdict in audit_shoe(shoe).verdicts if verdict.code == code)


def finish(felt: Felt) -> Felt:
    """Do all that is due until the coup is closed."""
    while felt.shoe.current is not None:
        due = next_action(felt.shoe)
        assert due.payload is not None, due
        felt.put(due.payload)
    return felt


def finished(felt: Felt) -> Shoe:
    """Do all that is due until the coup is closed, and return the shoe."""
    return finish(felt).shoe


def result_on(audit: ShoeAudit | FloorAudit, code: str) -> str:
    """What a rule came to."""
    return next(verdict.result for verdict in audit.verdicts if verdict.code == code)
