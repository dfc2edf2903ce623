"""A rule, its subject and its answer.

A rule answers `NO_BREACH`, the `Reason` why it does not apply, or its breaches. With them come a
`Doubt` for each subject that it could not judge. A rule that checked nothing gives the reason.
"""

from collections.abc import Callable, Iterable
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
Severity = Literal["high", "medium", "low", "note"]
Concern = Literal["money", "game", "record", "form"]
"""What a breach harms: money, the integrity of the game or of the record, or the form alone."""

SEVERITY_OF: Final[dict[Concern, Severity]] = {
    "money": "high",
    "game": "high",
    "record": "medium",
    "form": "low",
}
"""The severity of a breach by what it harms. A breach that moved money harms money."""

LooksAt = Literal["coup", "shoe", "correction", "batch", "table", "floor", "record"]
"""What a rule checks: each coup, the shoe, each correction, batch or table, or the floor."""


class NoAmount(Struct, frozen=True):
    """Why a breach has no amount of its own.

    It is known what moved. ``counted_in`` are the codes of the findings that have the amount. If it
    is empty, no money moved.
    """

    text: str
    counted_in: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


COUP_VOIDED: Final = NoAmount("the coup was voided")
BETS_RETURNED: Final = NoAmount("a ruling returned its bets")


def counted_in(codes: Iterable[str]) -> NoAmount:
    """Return the reason that other findings have the amount."""
    bearers = tuple(dict.fromkeys(codes))
    return NoAmount("counted in " + ", ".join(bearers), bearers)


MoneyEffect = tuple[tuple[str | None, int], ...] | NoAmount | str
"""The excess of each patron (negative: too little) in minor units, or why there is none.

The patron is None where the record does not name one. A text says why the amount is unknown.
"""


class Breach(Struct, frozen=True):
    """One breach of a rule.

    ``expected`` is the requirement and ``observed`` the deviation from it. The first of ``events``
    is the bet, card or other event that the breach is about. The other fields are optional:

    - ``money``: the amounts that the breach moved, by patron.
    - ``patron``: the patron concerned; by default the first event's.
    - ``key``: the identity among breaches of the rule on the same coup, where the first event does
    not give it.
    - ``shoe``: the name of the shoe, for a rule that checks more than one.
    - ``offending_event``: the event that broke the rule, where it is not among ``events``.
    - ``stake``: the stake that should have been on the bet, where it differs.
    `sabot.domain.audit.finding_money` computes the amount that this moved.
    - ``put_right``: whether the table noticed it, ruled on it and put it right, or whether a
      correction that may concern a slip put it right.
    - ``cards``: the log places and times of cards whose events are not kept; they come before
    ``events``.
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
    put_right: bool = False


class Doubt(Struct, frozen=True):
    """A subject that was not judged, with the reason."""

    reason: Reason


Judgement = tuple[Breach | Doubt, ...] | Reason
"""The answer of a rule: its breaches and doubts, or the reason why it was not applied."""
NO_BREACH: Final[tuple[Breach, ...]] = ()


ANY_RULE: Final = "*"
"""In place of a code in `Rule.follows_from`: any other rule."""

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
"""The groups of rules, by the letter that begins their numbers."""

PARTS: Final = ("cards", "bets", "calls", "seats", "order")
"""The parts that a record may lack. ``order`` is the order of the events at the table."""

_FORMER: Final = {code: former for former, code in FORMER_CODES.items()}


class Rule(Struct, frozen=True):
    """A rule of the house.

    ``number`` (``B201``) and ``code`` (``past-posted-bet``) are permanent. The number's letter is
    that of the rule's group. ``concerns`` is what a breach harms. ``requires`` states the
    requirement in a sentence, ``exceptions`` what it permits or leaves out beside its needs.
    ``cites`` names the articles of its sources. ``breach_events`` are the types of the events that
    a finding lists as its evidence.

    ``judge`` answers for a view that meets the ``needs``: a `CoupView`, a `Shoe`, a correction, or
    beyond one shoe a `BatchView`, a `TableView` or a `Floor`. A rule that is not ``live`` waits for
    an event without a deadline, so a live audit does not report it. Only the audit of the whole
    shoe does.

    ``games`` are the games of the rule; empty for all. ``order`` has the order constraints that it
    checks, and ``compares`` is whether it does nothing else. ``follows_from`` are the codes of
    rules whose breach may cause a breach of this one, or `ANY_RULE`. If a rule's breaches may have
    ``one_cause``, those that show the same event are one finding
    (`sabot.domain.audit.explained_findings`). A rule that ``explains all`` is about an event that
    should not be there: any other finding that shows it follows.
    """

    number: str
    code: str
    family: Family
    concerns: Concern
    requires: str
    cites: tuple[str, ...]
    looks_at: LooksAt
    judge: Callable[[Any], Judgement]
    live: bool = True
    games: tuple[GameName, ...] = ()
    needs: tuple[Any, ...] = ()
    each: Any = None
    due: Any = None
    breach_events: tuple[type, ...] = ()
    breaks: str = ""
    keeps: str = ""
    also: tuple[str, ...] = ()
    clean_when: Callable[[CoupProfile, ShoeProfile], bool] | None = None
    sources: tuple[Source, ...] = ()
    order: tuple[Constraint, ...] = ()
    compares: bool = False
    follows_from: tuple[str, ...] = ()
    one_cause: bool = False
    explains_all: bool = False
    exceptions: str = ""

    @property
    def severity(self) -> Severity:
        """The severity of a breach, derived from its harm."""
        return SEVERITY_OF[self.concerns]

    @property
    def cited(self) -> str:
        """The rule in one line: number, sentence and first source."""
        return f"{self.number}: {self.requires} Source: {self.cites[0]}"

    @property
    def group(self) -> str:
        """The group of its number, which is finer than the family."""
        return GROUPS[self.number[0]]

    @property
    def former_code(self) -> str | None:
        """The rule's code in the first release. None for a rule added later."""
        return _FORMER.get(self.code)

    @property
    def of_the_floor(self) -> bool:
        """Whether the rule checks records beyond one shoe: batches, tables or the floor."""
        return self.looks_at in ("batch", "table", "floor", "record")

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The parts of a record that the rule depends on.

        If the record lacks one of them, the rule is not applied, or reports it as missing. Some
        parts are needed in one game only (`sabot.domain.audit.rule_group.Need.games`).
        """
        named = {need.about for need in self.needs} | ({"order"} if self.compares else set())
        named |= set() if self.each is None else {self.each.about}
        return tuple(part for part in PARTS if part in named)

    def is_of(self, game: GameName | None) -> bool:
        """Return whether the rule belongs to a game.

        For an unknown game (None), return whether it belongs to all.
        """
        return not self.games or game in self.games
