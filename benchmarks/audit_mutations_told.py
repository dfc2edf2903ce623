"""The page on what was injected into clean shoes and what was found: docs/mutations.md."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from benchmarks.audit_kinds import BESIDE, KINDS
from sabot.domain.audit import RULES
from tests.faults.floor_faults import FLOOR_FAULTS

if TYPE_CHECKING:
    from benchmarks.audit_evenings import EveningRow
    from benchmarks.audit_trials import Row

NO_FAULT: Final[dict[str, str]] = {}
"""Rules that no kind of fault breaks, each with the reason."""

COUNTED: Final = ("injected", "found", "missed", "invented")
"""The columns of counts."""

HEAD = """# What goes wrong, and what of it is found

Written by `python -m benchmarks.audit_mutations --write docs/mutations.md`; `--full` injects each
kind into three times as many shoes, `--add` only what has no row yet.

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
CELLS = """## Each cell of the tableau

A dealer who reads one cell the other way, once for each of the 96: Player's totals 0 to 7, and
Banker's 0 to 7 against no third card and 0 to 9.

"""
BEYOND = """## Beyond one shoe

Evenings of two tables with their batches of cards, told otherwise than they were.

"""
NEVER = """
## Invisible by nature

No record of events shows what it was never told. A fault is invisible where

- **all that tells of it is told otherwise**: a dealer who enters a card, a bet or a payment as it
  should have been leaves nothing to find. A second device (card reader, chip reader, count at the
  end, committed order) does; the column *unseen in* says which;
- **nobody knew the truth when it was told**: an order of cards that somebody knew, marked backs, a
  false shuffle. That is a matter of chances, not of rules: see [protection.md](protection.md);
- **cards go back into a machine**: at a continuous shuffler there is no order that could be bound,
  no cut, no composition and no count at an end: a card palmed, misread or slipped in shows nowhere
  else, and is not injected there;
- **two clocks cannot tell**: a bet within the tolerance of the call is neither late nor in time;
  the rule says so and judges nothing (see [audit.md](audit.md)).
"""


Cells = tuple[str, ...]
"""A line of a table, cell by cell; the first is its name."""

_KINDS: Final = ("kind", "what goes wrong", "rule", "in", *COUNTED, "unseen in")
_CELLS: Final = ("rule", "cells", *COUNTED)
_EVENINGS: Final = ("kind", "what goes wrong", "rule", *COUNTED)


class Page:
    """The lines of the page, by name; those that a page has already, and those that are new."""

    def __init__(self, before: str = "") -> None:
        """Take over what a page says already."""
        self.kinds = _lines_of(before, "Kinds of faults", _KINDS)
        self.cells = _lines_of(before, "Each cell of the tableau", _CELLS)
        self.evenings = _lines_of(before, "Beyond one shoe", _EVENINGS)

    def add_kind(self, row: "Row") -> None:
        """Put a kind of fault into its line."""
        games = ", ".join(f"{game} {count}" for game, count in row.games.items())
        rule = f"`{row.kind.codes[0]}`"
        counted = _counted(row.injected, row.found, row.invented.total())
        unseen = ", ".join(row.needs())
        name = f"`{row.kind.name}`"
        self.kinds[name] = (name, row.kind.what, rule, games, *counted, unseen)

    def add_cells(self, rows: "Iterable[Row]") -> None:
        """Put the cells of the tableau into their lines, all of them."""
        sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for row in rows:
            each = (1, row.injected, row.found, row.invented.total())
            before = sums[row.kind.codes[0]]
            sums[row.kind.codes[0]] = [one + more for one, more in zip(before, each, strict=True)]
        for code, (cells, *counts) in sums.items():
            self.cells[f"`{code}`"] = (f"`{code}`", str(cells), *_counted(*counts))

    def add_evening(self, row: "EveningRow") -> None:
        """Put a kind of fault beyond one shoe into its line."""
        name, rule = f"`{row.kind.name}`", f"`{row.kind.codes[0]}`"
        counted = _counted(row.injected, row.found, row.invented)
        self.evenings[name] = (name, row.kind.what, rule, *counted)

    def text(self) -> str:
        """Return the page; the same lines give the same bytes."""
        kinds = [self.kinds[f"`{name}`"] for name in KINDS if f"`{name}`" in self.kinds]
        beyond = [
            self.evenings[f"`{name}`"] for name in FLOOR_FAULTS if f"`{name}`" in self.evenings
        ]
        tables = ((_KINDS, kinds), (_CELLS, list(self.cells.values())), (_EVENINGS, beyond))
        sums = [0, 0, 0, 0]
        for head, lines in tables:
            first = head.index(COUNTED[0])
            for line in lines:
                counts = line[first : first + len(COUNTED)]
                sums = [one + int(more) for one, more in zip(sums, counts, strict=True)]
        injected, found, missed, invented = sums
        total = f"In all: {injected:,} faults, {found:,} found, {missed:,} missed, "
        total += f"{invented:,} findings invented.\n"
        head = HEAD.replace("BESIDE_CODES", ", ".join(f"`{code}`" for code in sorted(BESIDE)))
        return "\n".join(
            [
                head,
                total,
                "## Kinds of faults\n\n" + _table(_KINDS, kinds),
                CELLS + _table(_CELLS, list(self.cells.values())),
                BEYOND + _table(_EVENINGS, beyond),
                NEVER.strip() + "\n",
                _rules(),
                _sources(),
            ]
        )


def _counted(injected: int, found: int, invented: int) -> Cells:
    return str(injected), str(found), str(injected - found), str(invented)


def _lines_of(page: str, title: str, head: Cells) -> dict[str, Cells]:
    """Return the lines of a section, by name; none where it has other columns."""
    section = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    lines = [
        tuple(cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|"))
        for line in section.splitlines()
        if line.startswith("|")
    ]
    return {line[0]: line for line in lines[2:]} if lines and lines[0] == head else {}


def with_rules(page: str) -> str:
    """Return a page with the rules and sources as they are now."""
    return page[: page.index("## Rules\n")] + _rules() + "\n" + _sources()


def _table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rule = ["---"] * len(head)
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in (head, rule, *lines))


def _rules() -> str:
    said = (
        "## Rules\n\nThe kinds that show a rule, first those of which it is the first. Each has a "
        "shoe of its own, too, that breaks it: `sabot rules CODE`.\n\n"
    )
    lines = [
        (f"`{rule.code}`", shown_by(rule.code) or NO_FAULT.get(rule.code, "")) for rule in RULES
    ]
    return said + _table(("rule", "shown by"), lines)


def shown_by(code: str) -> str:
    """Return the kinds of faults that show a rule."""
    kinds = [*KINDS.values(), *FLOOR_FAULTS.values()]
    first = [f"`{kind.name}`" for kind in kinds if kind.codes[0] == code]
    others = [f"`{kind.name}`" for kind in kinds if code in kind.codes[1:]]
    return ", ".join([*first, *others])


def rules_by_source() -> dict[str, list[str]]:
    """Return the codes of the rules that rest on each source, by how it is cited."""
    codes = defaultdict(list)
    for rule in RULES:
        for cite in rule.cites:
            codes[cite].append(rule.code)
    return dict(sorted(codes.items()))


def _sources() -> str:
    lines = [
        (cite, ", ".join(f"`{code}`" for code in codes))
        for cite, codes in rules_by_source().items()
    ]
    return (
        "## Sources\n\nThe texts that rules cite ([sources.md](sources.md)), and the rules that "
        "rest on each.\n\n" + _table(("source", "rules"), lines)
    )
