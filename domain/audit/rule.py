"""What a rule is, what it looks at, and what it answers.

A rule answers `NO_BREACH`, the `Reason` why it does not apply, or the breaches that it found, with
a `Doubt` for what it could not judge beside them. A rule that looked at nothing says why.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

from msgspec import Struct

from sabot.domain.audit.coup_profile import CoupProfile, ShoeProfile
from sabot.domain.audit.floor_view import Moment
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.upcasting import FORMER_CODES
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.sources import Source
from sabot.domain.timeline.constraints import Constraint
from sabot.domain.timeline.evidence import Reason

Family = Literal["tableau", "totals", "payout", "composition", "procedure", "integrity"]
Severity = Literal["high", "medium", "low"]

LooksAt = Literal["coup", "shoe", "correction", "batch", "table", "floor"]
"""What a rule looks at: each coup, the shoe as a whole, each batch of cards or table, the floor."""


MoneyEffect = tuple[tuple[str | None, int], ...] | str
"""What each patron has too much (negative: too little) in minor units; or why nobody can say.

None stands for a patron whom the record does not name.
"""


class Breach(Struct, frozen=True):
    """One breach of a rule: what is required, what is shown, and the events that show it.

    The first of ``events`` is what the breach is about. A rule may leave the rest out: ``money`` is
    what it cost whom, ``patron`` whom it is about (else the first event tells). ``key`` identifies
    the breach among others of its rule on the same coup, where the first event does not. ``shoe``
    names the shoe, where a rule looks at more than one. ``offending_event`` is the event by which
    the rule was broken, where that is none of ``events``. ``stake`` is what should have lain on the
    bet that it is about, where that is not what lay there: `sabot.domain.audit.finding_money` says
    what that moved. ``cards`` come before ``events``: cards of shoes of which no more is kept than
    when they were drawn.
    """

    message: str
    expected: str
    observed: str
    events: tuple[RecordedEvent, ...] = ()
    coup: int | None = None
    money: MoneyEffect | None = None
    patron: str | None = None
    key: tuple[str | int, ...] | None = None
    shoe: str | None = None
    offending_event: RecordedEvent | None = None
    stake: int | None = None
    cards: tuple[Moment, ...] = ()


class Doubt(Struct, frozen=True):
    """What a rule could not judge of a coup or a shoe, beside what it could: why it could not."""

    reason: Reason


Judgement = tuple[Breach | Doubt, ...] | Reason
"""What a rule answers: what it found, or why it was not applied."""
NO_BREACH: Final[tuple[Breach, ...]] = ()


GROUPS: Final = {
    "T": "third-card",
    "D": "dealing",
    "C": "calls",
    "Q": "coup-sequence",
    "B": "bets",
    "L": "limits",
    "P": "payments",
    "E": "settlement",
    "S": "shoe-procedure",
    "N": "card-count",
    "Z": "end-of-shoe",
    "I": "irregularities",
    "H": "shoe-holder",
    "K": "bank",
    "Y": "levy",
    "W": "two-tableaux",
    "O": "own-hands",
    "M": "custody",
    "V": "inventory",
    "F": "tables",
    "A": "approvals",
    "R": "record",
}
"""The groups of rules by what a pit boss audits, by the letter that their numbers begin with."""

_FORMER: Final = {code: former for former, code in FORMER_CODES.items()}


class Rule(Struct, frozen=True):
    """A rule of the house.

    ``number`` (``B201``) and ``code`` (``past-posted-bet``) are permanent; the number's letter is
    that of the rule's group. ``why`` says what it forbids. ``cites`` names the articles of its
    sources. ``judge`` answers for what the rule looks at, once that meets its
    ``needs``: a `CoupView`, a `Shoe`, or beyond one shoe a `BatchView`, a `TableView` or a `Floor`.
    A rule that is not ``live`` waits for an event that has no hour: whoever follows a shoe is not
    told of it before the shoe is audited whole. ``games`` are those that it is a rule of; none
    named, it is a rule of all. ``order`` has the constraints of order that it keeps.
    """

    number: str
    code: str
    family: Family
    severity: Severity
    why: str
    cites: tuple[str, ...]
    looks_at: LooksAt
    judge: Callable[[Any], Judgement]
    live: bool = True
    games: tuple[GameName, ...] = ()
    needs: tuple[Any, ...] = ()
    each: Any = None
    due: Any = None
    reads: tuple[type, ...] = ()
    breaks: str = ""
    keeps: str = ""
    also: tuple[str, ...] = ()
    clean_when: Callable[[CoupProfile, ShoeProfile], bool] | None = None
    sources: tuple[Source, ...] = ()
    order: tuple[Constraint, ...] = ()

    @property
    def group(self) -> str:
        """What it is about, finer than its family: the group of its number."""
        return GROUPS[self.number[0]]

    @property
    def former_code(self) -> str | None:
        """What it was called in the first release; None of a rule that is younger."""
        return _FORMER.get(self.code)

    @property
    def of_the_floor(self) -> bool:
        """Whether it looks beyond one shoe."""
        return self.looks_at in ("batch", "table", "floor")

    @property
    def rests_on(self) -> frozenset[str]:
        """What of a record it rests on: without it, it is not applied, or finds it missing."""
        named = {need.about for need in self.needs}
        return frozenset(named if self.each is None else {*named, self.each.about})

    def is_of(self, game: GameName | None) -> bool:
        """Tell whether it is a rule of that game; of an unknown one, whether it is of all."""
        return not self.games or game in self.games

    def run(self, view: object) -> Judgement:
        """Return what the rule answers for what it looks at: what that lacks, or what was found."""
        for need in self.needs:
            reason: Reason | None = need.missing(view)
            if reason is not None:
                return reason
        return self.judge(view)
