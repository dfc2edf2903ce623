"""What the audit says of a shoe, in the short forms that tests compare."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import Finding, ShoeAudit, audit_shoe
from sabot.domain.audit.engine import FloorAudit
from sabot.domain.audit.report import AuditReport
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt, shoe_of


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


def coups_alone(
    *lacks: type, coups: tuple[str, ...] = ("p1 banker 500 | P 4 4  B K 9",) * 2
) -> Shoe:
    """Two coups, the Banker bet paid 500 less 25, told by a record that lacks such events."""
    felt = Felt().ready()
    for line in coups:
        felt.coup(line)
    first, *payloads = felt.payloads
    assert isinstance(first, ev.ShoeLoaded)
    return shoe_of(
        [replace(first, coverage="coups"), *[x for x in payloads if not isinstance(x, lacks)]]
    )
