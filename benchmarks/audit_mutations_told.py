"""The page on what was injected into clean shoes and what was found: docs/mutations.md."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from benchmarks.audit_kinds import BESIDE, KINDS
from domain.audit import RULES
from domain.simulation.faults.floor import FLOOR_FAULTS

if TYPE_CHECKING:
    from benchmarks.audit_evenings import EveningRow
    from benchmarks.audit_mutations import Row

CHECKS = {
    "A1": "decks and backs", "A2": "composition, and the count at the end",
    "A3": "cut and stop card", "A4": "last coup", "A5": "burn", "A6": "no more bets",
    "A7": "order of the cards", "A8": "tableau, totals, outcome",
    "A9": "wrong draws and their ruling", "A10": "face-up card", "A11": "too few cards",
    "A12": "payments", "A13": "order of settlement", "A14": "limits", "A15": "free hands",
    "A16": "seats", "A17": "holder of the shoe", "A18": "levy", "A19": "marked commission",
    "A20": "open bank", "A21": "before the shuffle", "A22": "card log", "A23": "end of the cards",
    "A24": "shoe and table", "A25": "shuffler failure", "A26": "abandoned bets",
    "A27": "approved rules",
}  # fmt: skip
"""The checks of field-facts.md 3, in a few words."""
NO_FAULT: Final[dict[str, str]] = {}
"""Rules that no kind of fault breaks, each with the reason."""

HEAD = """# What goes wrong, and what of it is found

Written by `python -m benchmarks.audit_mutations --write docs/mutations.md`; `--full` injects each
kind into three times as many shoes.

Every kind of fault that the simulator knows is injected into shoes that are clean otherwise, of
every shipped rule pack in whose game it may happen, and of one that says all that packs may leave
unsaid: from the first coup on in one house, from the twelfth in the next. It is **found** where
its rule has a finding, and it or another rule of the kind has one on the coup in which it happened
(a card that vanished shows at the count, and as a skipped place on its coup), and **missed** where
not. Whatever is found beside it that is not of the kind counts as **invented**. Where a patron
banks, a stake, a payment or a card gone wrong may show in his bank, or in whose hand it is, as
well: BESIDE_CODES. A kind is not injected where it has no occasion: no half commission in a house
that asks for none.

A kind is **unseen** in a record that lacks what would show it: the same shoes were audited as
such records, and where no finding of the kind was left in any, the record is named. *No order* is
a record without a committed order, *coups alone* one whose writer tells of coups and nothing
else, so that nothing follows from what is absent.
"""
NEVER = """
## Invisible by nature

No record of facts shows what it was never told. A fault is invisible where

- **all that tells of it is told otherwise**: a dealer who enters a card, a bet or a payment as it
  should have been leaves nothing to find. A second device (card reader, chip reader, count at the
  end, committed order) does; the column *unseen in* says which;
- **nobody knew the truth when it was told**: an order of cards that somebody knew, marked backs, a
  false shuffle. That is a matter of chances, not of rules: see [protection.md](protection.md);
- **two clocks cannot tell**: a bet within the tolerance of the call is neither late nor in time;
  the rule says so and judges nothing (see [audit.md](audit.md)).
"""


def page(rows: "Sequence[Row]", in_cells: "Sequence[Row]", evenings: "Sequence[EveningRow]") -> str:
    """Return the page; the same run gives the same bytes."""
    injected = sum(row.injected for row in (*rows, *in_cells, *evenings))
    found = sum(row.found for row in (*rows, *in_cells, *evenings))
    invented = sum(row.invented.total() for row in (*rows, *in_cells))
    invented += sum(row.invented for row in evenings)
    total = f"In all: {injected:,} faults, {found:,} found, {injected - found:,} missed, "
    head = HEAD.replace("BESIDE_CODES", ", ".join(f"`{code}`" for code in sorted(BESIDE)))
    parts = [head, total + f"{invented:,} findings invented.\n", _kinds(rows), _cells(in_cells)]
    return "\n".join([*parts, _evenings(evenings), NEVER.strip() + "\n", _rules(), _checks()])


def with_rules(page: str) -> str:
    """Return a page with the rules and checks as they are now."""
    return page[: page.index("## Rules\n")] + _rules() + "\n" + _checks()


def _table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rule = ["---"] * len(head)
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in (head, rule, *lines))


def _kinds(rows: "Sequence[Row]") -> str:
    head = ("kind", "what goes wrong", "rule", "in", "injected", "found", "missed", "unseen in")
    lines = [
        (
            f"`{row.kind.name}`",
            row.kind.what,
            f"`{row.kind.codes[0]}`",
            ", ".join(f"{game} {count}" for game, count in row.games.items()),
            row.injected,
            row.found,
            row.injected - row.found,
            ", ".join(row.needs()),
        )
        for row in rows
    ]
    return "## Kinds of faults\n\n" + _table(head, lines)


def _cells(rows: "Sequence[Row]") -> str:
    said = (
        "## Each cell of the tableau\n\nA dealer who reads one cell the other way, once for each "
        "of the 96: punto's totals 0 to 7, and banco's 0 to 7 against no third card and 0 to 9.\n\n"
    )
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        sums[row.kind.codes[0]][0] += 1
        sums[row.kind.codes[0]][1] += row.injected
        sums[row.kind.codes[0]][2] += row.found
    lines = [
        (f"`{code}`", cells, injected, found, injected - found)
        for code, (cells, injected, found) in sums.items()
    ]
    return said + _table(("rule", "cells", "injected", "found", "missed"), lines)


def _evenings(rows: "Sequence[EveningRow]") -> str:
    said = (
        "## Beyond one shoe\n\nEvenings of two tables with their batches of cards, told otherwise "
        "than they were.\n\n"
    )
    lines = [
        (
            f"`{row.kind.name}`",
            row.kind.what,
            f"`{row.kind.codes[0]}`",
            row.injected,
            row.found,
            row.injected - row.found,
        )
        for row in rows
    ]
    head = ("kind", "what goes wrong", "rule", "injected", "found", "missed")
    return said + _table(head, lines)


def _rules() -> str:
    said = (
        "## Rules\n\nThe kinds that show a rule, first those of which it is the first. Each has a "
        "shoe of its own, too, that breaks it: `sabot rules CODE`.\n\n"
    )
    shown = {rule.code: shown_by(rule.code) or NO_FAULT.get(rule.code, "") for rule in RULES}
    lines = [
        (f"`{rule.code}`", ", ".join(_checks_of(rule.cites)), shown[rule.code]) for rule in RULES
    ]
    return said + _table(("rule", "checks", "shown by"), lines)


def shown_by(code: str) -> str:
    """Return the kinds of faults that show a rule."""
    kinds = [*KINDS.values(), *FLOOR_FAULTS.values()]
    first = [f"`{kind.name}`" for kind in kinds if kind.codes[0] == code]
    others = [f"`{kind.name}`" for kind in kinds if code in kind.codes[1:]]
    return ", ".join([*first, *others])


def _checks_of(cites: Iterable[str]) -> list[str]:
    found = (re.findall(r"\bA\d{1,2}\b", cite) for cite in cites if "field-facts.md" in cite)
    return sorted({check for checks in found for check in checks}, key=lambda check: int(check[1:]))


def _checks() -> str:
    by_check = defaultdict(list)
    for rule in RULES:
        for check in _checks_of(rule.cites):
            by_check[check].append(f"`{rule.code}`")
    lines = [
        (check, what, ", ".join(by_check[check]) or "no rule") for check, what in CHECKS.items()
    ]
    return (
        "## Checks\n\nThe checks of field-facts.md 3, and the rules that cover them; a test fails "
        "where one has none.\n\n"
        + _table(("check", "of", "rules"), lines)
    )
