"""The counts of injected faults that the audit found, and the pages made from these counts.

The counts are kept in benchmarks/counts/mutations.tsv. docs/mutations.md has a line for each rule.
The long page, which is not kept, has a line for each kind of fault.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks import audit_given_up
from benchmarks.audit_kinds import BESIDE, KINDS
from sabot.domain.audit import RULES
from tests.faults.floor_faults import FLOOR_FAULTS

if TYPE_CHECKING:
    from benchmarks.audit_evenings import EveningRow
    from benchmarks.audit_given_up import GivenUpRow
    from benchmarks.audit_trials import Row

COUNTS: Final = Path(__file__).parent / "counts" / "mutations.tsv"
PAGE: Final = Path(__file__).parent.parent / "docs" / "mutations.md"
_OF_THE_STORE: Final = (
    "about the store, whose clock and logins no event holds; tested on stored logs"
)
NO_FAULT: Final[dict[str, str]] = {
    "store-clock-back": _OF_THE_STORE,
    "device-of-two-logins": _OF_THE_STORE,
}
"""Rules that no kind of fault breaks, each with the reason."""

_MOST_NAMED: Final = 24
"""Kinds of faults that the line of a rule names; the long page has all."""
_MOST_OTHERS: Final = 3
"""Other findings that the line of a kind names, if the kind is given up."""
GIVEN_UP: Final = {kind.name: kind for kind in audit_given_up.KINDS}
"""The kinds of faults that are given up, by name."""
_HEADS: Final = ("part", "name", "where", "injected", "found", "invented", "unseen")
_HEAD: Final = """# Injected faults, and what the audit finds

The benchmark `python -m benchmarks.audit_mutations` injects faults into simulated shoes that are
clean otherwise. It uses every shipped rule pack, and one that switches on every optional rule. A
fault happens from the first coup on in one pack, and from the twelfth in the next. It is **found**
if its rule reports it, and a rule of its kind reports it on the right coup. A finding of another
kind counts as **invented**.

"""
_HOW: Final = """| option | effect |
| --- | --- |
| `--write` | inject every kind of fault, and write the counts and this page |
| `--full` | use three times as many shoes |
| `--add` | inject only kinds without counts |
| `--page` | inject nothing, and write this page from the counts |
| `--long FILE` | inject nothing, and list every kind of fault with its counts by game |

The counts are in `benchmarks/counts/mutations.tsv`.

In banked games a wrong stake, payment or card has consequences: the amount of the bank is wrong
too, or the wrong person plays the hand. Findings of the following rules then do not count as false:
BESIDE_CODES.

A kind of fault is not injected where it cannot happen. For instance, no commission is halved under
a pack without commission.
"""
_CELLS: Final = """## Cells of the third-card table

A dealer misreads one of the 96 cells: Player's totals 0 to 7, and Banker's totals 0 to 7 against no
third card and 0 to 9.

"""
_LACKING: Final = """## Incomplete records

Some shoes of each kind were audited again with a part of the record missing. The table counts the
kinds of faults that are not found then. *coups alone* means a record of coups only, in which
nothing follows from a missing event. *no order* means a record without a committed card order.
`python -m benchmarks.audit_mutations --long FILE` names the records for each kind.

"""
_NEVER: Final = """## Faults that no rule can find

A record does not show what was never recorded. A fault stays hidden in these cases:

- **Everything about it was recorded falsely.** A dealer enters a card, a bet or a payment as it
  should have been. A second source can show it: a card reader, a chip reader, the count at the
  end, or a committed order.
- **Nobody knew of it when it was recorded.** Examples are a known order of cards, marked backs and
  a false shuffle. These are a matter of statistics ([protection.md](protection.md)).
- **Cards go back into a machine.** A continuous shuffler has no order to commit, no cut, and no
  count at an end. A palmed, misread or added card shows nowhere else, and is not injected there.
- **The clocks of two devices differ.** If a bet and "no more bets" come from different devices, and
  their times differ by less than the tolerance of the clocks, the order of the two is unknown. The
  rule on late bets is then not applicable ([audit.md](audit.md)).

"""
_GIVEN_UP: Final = """## Kinds that are given up

The audit does not infer from the course of play when a wrong clock was right again, to which hand a
late card belongs, or which steps a table records. A wrong inference would accuse a dealer or hide a
breach. So it gives up the following kinds, which are not among the faults counted above. Each was
injected into one clean shoe of every rule pack in which it can happen. The late bets are reported
by three devices, and all of them are found if the clocks are right.

"""
_RULES: Final = """## Rules

Each rule has the faults injected for it and found, and the kinds of faults that break it. The kinds
made for the rule come first. `sabot rules CODE` shows an example for each rule.

"""


class Count(NamedTuple):
    """The counts of one kind of fault.

    ``part`` is where the fault was injected: a shoe, a cell of the third-card table, or an evening
    of several tables; a kind that is given up is a part of its own. A cell is named by its rule.
    ``where`` has the shoes by game, or the number of cells. ``unseen`` names the incomplete records
    in which no finding of the kind is left; of a kind that is given up, the other findings.
    """

    part: str
    name: str
    where: str
    injected: int
    found: int
    invented: int
    unseen: str

    @property
    def rule(self) -> str:
        """The code of the rule that the fault breaks."""
        if self.part == "cell":
            return self.name
        return (KINDS if self.part == "shoe" else FLOOR_FAULTS)[self.name].codes[0]

    @property
    def missed(self) -> int:
        """The number of faults that were not found."""
        return self.injected - self.found


class Counts:
    """The counts of all kinds of faults."""

    def __init__(self, text: str = "") -> None:
        """Read counts from the text of a counts file."""
        self._counts: dict[tuple[str, str], Count] = {}
        for line in text.splitlines()[1:]:
            part, name, where, injected, found, invented, unseen = line.split("\t")
            self._put(Count(part, name, where, int(injected), int(found), int(invented), unseen))

    def _put(self, count: Count) -> None:
        self._counts[count.part, count.name] = count

    def of(self, part: str) -> dict[str, Count]:
        """Return the counts of a part by name, in the order of the catalogue of faults."""
        names = {
            "shoe": list(KINDS),
            "evening": list(FLOOR_FAULTS),
            "given-up": list(GIVEN_UP),
        }.get(part, [rule.code for rule in RULES])
        return {name: self._counts[part, name] for name in names if (part, name) in self._counts}

    def __iter__(self) -> Iterator[Count]:
        """Iterate over the counts of shoes, cells and evenings."""
        for part in ("shoe", "cell", "evening"):
            yield from self.of(part).values()

    def add_kind(self, row: "Row") -> None:
        """Add the count of a kind of fault in shoes."""
        games = ", ".join(f"{game} {count}" for game, count in row.games.items())
        counted = (row.injected, row.found, row.invented.total())
        self._put(Count("shoe", row.kind.name, games, *counted, ", ".join(row.needs())))

    def add_cells(self, rows: "Iterable[Row]") -> None:
        """Add the counts of all cells of the third-card table, by rule."""
        sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for row in rows:
            each = (1, row.injected, row.found, row.invented.total())
            before = sums[row.kind.codes[0]]
            sums[row.kind.codes[0]] = [one + more for one, more in zip(before, each, strict=True)]
        for code, (cells, injected, found, invented) in sums.items():
            self._put(Count("cell", code, f"{cells} cells", injected, found, invented, ""))

    def add_evening(self, row: "EveningRow") -> None:
        """Add the count of a kind of fault in evenings."""
        counted = (row.injected, row.found, row.invented)
        self._put(Count("evening", row.kind.name, "", *counted, ""))

    def add_given_up(self, row: "GivenUpRow") -> None:
        """Add the count of a kind that is given up."""
        games = ", ".join(f"{game} {count}" for game, count in row.games.items())
        others = sorted(row.others, key=lambda code: (-row.others[code], code))
        counted = (row.injected, row.found, 0)
        self._put(Count("given-up", row.kind.name, games, *counted, ", ".join(others)))

    def text(self) -> str:
        """Return the text of the counts file. The same counts give the same bytes."""
        lines = (_HEADS, *self, *self.of("given-up").values())
        return "".join("\t".join(map(str, line)) + "\n" for line in lines)

    def page(self) -> str:
        """Return docs/mutations.md: a line for each rule."""
        beside = ", ".join(f"`{code}`" for code in sorted(BESIDE))
        return "\n".join(
            [
                _HEAD + self._sum(),
                _HOW.replace("BESIDE_CODES", beside),
                _NEVER + _CELLS + self._cells(),
                _GIVEN_UP + self._given_up(),
                _LACKING + self._lacking(),
                _RULES + self._rules(),
            ]
        )

    def long_page(self) -> str:
        """Return the page with a line for each kind of fault."""
        head = (
            "kind",
            "fault",
            "rule",
            "shoes by game",
            "injected",
            "found",
            "invented",
            "unseen in",
        )
        lines = [
            (f"`{name}`", kinds[name].what, f"`{count.rule}`", *count[2:])
            for part, kinds in (("shoe", KINDS), ("evening", FLOOR_FAULTS))
            for name, count in self.of(part).items()
        ]
        return f"# Every kind of injected fault\n\n{self._sum()}\n{_table(head, lines)}"

    def _sum(self) -> str:
        injected, found, invented = (
            sum(column) for column in zip(*(count[3:6] for count in self), strict=True)
        )
        return (
            f"In all: {injected:,} faults, {found:,} found, {injected - found:,} missed, "
            f"{invented:,} findings invented.\n"
        )

    def _cells(self) -> str:
        head = ("rule", "cells", "injected", "found", "invented")
        return _table(
            head,
            (
                (f"`{code}`", count.where.removesuffix(" cells"), *count[3:6])
                for code, count in self.of("cell").items()
            ),
        )

    def _given_up(self) -> str:
        head = ("kind", "what happens", "what the audit does", "rules", "injected", "found")
        return _table(
            (*head, "other findings"),
            (
                (
                    f"`{name}`",
                    GIVEN_UP[name].what,
                    GIVEN_UP[name].instead,
                    ", ".join(f"`{code}`" for code in GIVEN_UP[name].codes),
                    *count[3:5],
                    _listed(f"`{code}`" for code in count.unseen.split(", ") if code),
                )
                for name, count in self.of("given-up").items()
            ),
        )

    def _lacking(self) -> str:
        kinds = self.of("shoe").values()
        unseen = Counter(name for count in kinds for name in count.unseen.split(", ") if name)
        return _table(("record", f"not found, of {len(kinds)} kinds"), unseen.most_common())

    def _rules(self) -> str:
        sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for count in self:
            sums[count.rule][0] += count.injected
            sums[count.rule][1] += count.found
        return _table(
            ("number", "rule", "injected", "found", "kinds of faults"),
            (
                (
                    rule.number,
                    f"`{rule.code}`",
                    *sums[rule.code],
                    shown_by(rule.code) or NO_FAULT.get(rule.code, ""),
                )
                for rule in RULES
            ),
        )


def shown_by(code: str) -> str:
    """Return the kinds of faults that break a rule. Those made for this rule come first."""
    kinds = [*KINDS.values(), *FLOOR_FAULTS.values()]
    first = [f"`{kind.name}`" for kind in kinds if kind.codes[0] == code]
    others = [f"`{kind.name}`" for kind in kinds if code in kind.codes[1:]]
    return _listed([*first, *others], _MOST_NAMED)


def _listed(names: Iterable[str], most: int = _MOST_OTHERS) -> str:
    """Return names as a list that counts those beyond the first ones."""
    named = list(names)
    more = len(named) - most
    return ", ".join(named[:most]) + (f", and {more} more" if more > 0 else "")


def _table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rule = ["---"] * len(head)
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in (head, rule, *lines))
