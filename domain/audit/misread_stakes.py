"""Combine the findings that follow from one wrongly recorded stake.

A stake of 25.00 that is recorded as 24.99 is below the minimum, and its payment is 0.01 too much.
Neither happened if the stake was in fact the one that the payment fits. So the coup is audited
again with this stake. If no finding about the placement of the bet remains, the first of the former
findings explains the others. If one remains, no finding explains another.

Cost: one more computation of the shoe's state, and a second audit of the coup and its neighbours,
for each bet whose placement is shown by two findings that no other explains.
"""

from collections.abc import Callable, Collection, Iterator

from msgspec.structs import replace

from sabot.domain.audit.explained_findings import by_first_causes
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.uncorrected_records import without_corrections
from sabot.domain.events import BetCarried, BetPlaced
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe

Audit = Callable[[Shoe, Collection[int] | None], list[Finding]]
"""Returns the findings of a shoe and of some of its coups."""


def with_misread_stakes(shoe: Shoe, found: list[Finding], audit: Audit) -> list[Finding]:
    """Return the findings, each with the one of the same misread stake that explains it, if any.

    Args:
        shoe: the shoe, with its events in their order at the table.
        found: the findings of its audit.
        audit: a function that returns the breaches of a record.
    """
    for coup, bet in _doubtful_bets(shoe, found):
        shown = [each for each in found if _shows(each, bet)]
        if len(shown) > 1 and not any(
            _shows(each, bet) for each in _as_paid(shoe, coup, bet, audit)
        ):
            first = next((each for each in shown if each.family != "payout"), shown[0])
            found = by_first_causes(
                [
                    replace(each, explained_by=first.fingerprint)
                    if each in shown and each is not first
                    else each
                    for each in found
                ]
            )
    return found


def _doubtful_bets(shoe: Shoe, found: list[Finding]) -> Iterator[tuple[int, Bet]]:
    """Yield the won and lost bets of coups with a wrong payment that nothing else explains."""
    wrong = {each.coup for each in found if each.family == "payout" and each.explained_by is None}
    for number in sorted(each for each in wrong if each in shoe.coups):
        bets = shoe.coups[number].bets.values()
        yield from ((number, bet) for bet in bets if bet.taken or bet.paid)


def _shows(finding: Finding, bet: Bet) -> bool:
    """Return whether a finding that follows from no other shows the placement of a bet."""
    return finding.explained_by is None and bet.placed.index in finding.events


def _as_paid(shoe: Shoe, coup: int, bet: Bet, audit: Audit) -> list[Finding]:
    """Return the findings of a coup and its neighbours with a stake that fits what was paid."""
    payload = bet.placed.payload
    assert isinstance(payload, BetPlaced | BetCarried)
    fits = replace(bet.placed, payload=replace(payload, amount=bet.taken or bet.paid))
    other = without_corrections(shoe, [], {bet.placed.index: fits})
    return audit(other, (coup - 1, coup, coup + 1))
