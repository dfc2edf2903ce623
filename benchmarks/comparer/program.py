"""What the comparer needs from the program. This is the only file that a renaming changes.

`audit` decodes stored events, audits them and returns plain values in the comparer's own words.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final
from unittest.mock import patch

import msgspec

from benchmarks.comparer.cases import Row
from benchmarks.comparer.reasons import kind_of, money_kind_of
from sabot.domain.audit import Finding, RuleResult, audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.explain import tableaux_reasons
from sabot.domain.audit.explain.coup_reasons import NO_CARDS, NOTHING_TO_COMPARE, explain
from sabot.domain.audit.explain.due_cards import CARDS_DUE
from sabot.domain.audit.floor_corrections import summary_with_corrections
from sabot.domain.audit.floor_view import floor_of
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.shoe import fold as fold_shoe
from sabot.domain.state.table_state import fold as fold_table
from sabot.domain.timeline.evidence import Reason
from sabot.infrastructure.log.codec import Decoder

_decode = Decoder()
_AS_CALLED: Final = (NO_CARDS, NOTHING_TO_COMPARE)
"""Why the cards and the result of a coup that was recorded by its calls alone are not known."""


def audit(rows: Sequence[Row], *, floor: bool) -> dict[str, Any]:
    """Audit the streams of a case.

    Args:
        rows: the stored events of all its streams.
        floor: whether the rules for several shoes and tables are checked too.

    Returns:
        A mapping. ``findings`` is a list. ``verdicts`` counts by stream and rule how often the rule
            was checked and, by kind of reason, how often it was not applicable. ``explained`` holds
            the steps by shoe and coup.
    """
    streams: dict[str, list[Any]] = {}
    for event in _decode(rows):
        streams.setdefault(event.stream, []).append(event)
    shoes = [fold_shoe(*pair) for pair in streams.items() if pair[0].startswith("shoe/")]
    batches = [fold_batch(*pair) for pair in streams.items() if pair[0].startswith("cards/")]
    tables = [fold_table(*pair) for pair in streams.items() if pair[0].startswith("table/")]
    findings: list[Finding] = []
    verdicts, explained = {}, {}
    for shoe in shoes:
        shoe.at_table = next((table for table in tables if table.name == shoe.table), None)
        audited = audit_shoe(shoe)
        findings += audited.findings
        verdicts[shoe.stream] = _verdicts(audited.verdicts)
        explained[shoe.stream] = _explained(shoe, audited.findings)
    if floor:
        whole = audit_floor(floor_of(batches, tables, map(summary_with_corrections, shoes)))
        findings += whole.findings
        verdicts["floor"] = _verdicts(whole.verdicts)
    return {
        "findings": list(map(_finding, findings)),
        "verdicts": verdicts,
        "explained": explained,
    }


def _finding(found: Finding) -> dict[str, Any]:
    keys = ("family", "severity", "shoe", "coup", "stream", "patron", "dealer", "supervisor")
    money = msgspec.to_builtins(found.money)
    return {
        **{key: getattr(found, key) for key in (*keys, "at_us", "clock")},
        "rule": found.code,
        "events": list(found.events),
        "money": {**money, "unknown": money_kind_of(money["unknown"])},
    }


def _verdicts(verdicts: Sequence[RuleResult]) -> dict[str, Any]:
    return {each.code: [each.checked, _kinds(each.not_applicable)] for each in verdicts}


def _kinds(skipped: dict[Reason, int]) -> dict[str, int]:
    kinds: Counter[str] = Counter()
    for reason, times in skipped.items():
        kinds[_kind(reason)] += times
    return dict(kinds)


_KINDS: Final = {
    "other-game": "pack",
    "not-required": "pack",
    "nothing-to-check": "nothing",
    "not-due": "pending",
    "record-incomplete": "record",
    "order-unknown": "order",
}


def _kind(reason: Reason) -> str:
    """Return the kind of a reason in the words of the comparer."""
    if reason.text == "the rule pack cannot be read":
        return "pack"
    return _KINDS.get(reason.kind) or kind_of(reason.text)


def _explained(shoe: Shoe, findings: Sequence[Finding]) -> dict[str, Any]:
    """Explain the coups with a finding, and the first, the middle and the last coup."""
    numbers = list(shoe.coups)
    chosen = {numbers[0], numbers[len(numbers) // 2], numbers[-1]} if numbers else set()
    chosen |= {found.coup for found in findings if found.coup in shoe.coups}
    steps = {}
    for coup in sorted(chosen):
        found = [each for each in findings if each.coup == coup]
        steps[str(coup)] = _steps(shoe, coup, found)
    return steps


def _steps(shoe: Shoe, coup: int, found: Sequence[Finding]) -> list[Any]:
    """Return the steps of a coup without texts, or one step ``failed`` if the program fails."""
    try:
        # The cost of a choice is told in words alone, and its equilibrium takes seconds a coup.
        with patch.object(tableaux_reasons, "_cost", lambda _view, _hand, _made: ""):
            steps = explain(shoe, coup, found).steps
    except Exception as error:  # noqa: BLE001 - that it fails, and how, is what is compared
        return [["failed", type(error).__name__, []]]
    # the cards that were due after a wrong draw, and what was called of a coup without cards, were
    # not told when the cases were frozen
    frozen = (step for step in steps if CARDS_DUE not in step.what and step.why not in _AS_CALLED)
    return [[step.kind, step.differs, list(step.events)] for step in frozen]
