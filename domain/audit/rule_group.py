"""How a rule is declared: one decorated function, with all that belongs to the rule beside it.

    BETS = RuleGroup(family="procedure", severity="high", sources=(PA_627A_8,))

    @BETS.rule(
        "B201",
        "past-posted-bet",
        each=placed_bets,
        needs=(SHOE_HISTORY, BETS_CLOSED),
        breaks="...the lines of a shoe that breaks it...",
        keeps="...nearly the same shoe, which breaks none...",
    )
    def past_posted_bet(view: CoupView, bet: Bet) -> Iterator[Breach]:
        \"\"\"No bet is placed after "no more bets" or after the first card.\"\"\"
        if after_any(view, bet.placed, closing_events(view.coup)):
            yield Breach(...)

The function is asked for one thing at a time (a bet, a hand, a card, or the coup or shoe as a
whole) and speaks of the game alone. What it needs of the record is declared; a question that the
record does not answer raises `sabot.domain.timeline.evidence.Unknown`, which leaves that one thing
unjudged and the others judged.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from sabot.domain.audit.coup_profile import CoupProfile, ShoeProfile
from sabot.domain.audit.order_rules import TEMPLATES, Compared
from sabot.domain.audit.rule import (
    NO_BREACH,
    Breach,
    Doubt,
    Family,
    Judgement,
    LooksAt,
    Rule,
    Severity,
)
from sabot.domain.procedure.preconditions.requirement import Requirement
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.sources import Source
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.constraints import Constraint
from sabot.domain.timeline.evidence import Reason, ReasonKind, Unknown

View = TypeVar("View")
Subject = TypeVar("Subject")

About = Literal[
    "cards", "bets", "calls", "seats", "order", "rules", "play", "shoe", "batch", "table"
]
"""What of a record a need is about."""

Check = Callable[..., Iterable[Breach]]
"""What decides: it is given the view, and one subject where the rule is asked for each."""


class Need(Struct, Generic[View], frozen=True):
    """What must be so for a rule to be applied, with the sentence for when it is not.

    ``states`` is what must be so: ``the record holds the shoe's procedure``. ``missing`` returns
    why a view does not meet it, None where it does. Of a need that all coups of a shoe meet or lack
    together ``of_shoe`` says the same of the shoe. ``games`` are those at which it is asked; none
    named, it is at all.
    """

    about: About
    states: str
    missing: Callable[[View], Reason | None]
    of_shoe: Callable[[Shoe], Reason | None] | None = None
    games: tuple[str, ...] = ()


def need(
    about: About, otherwise: str | Reason = "", kind: ReasonKind = "record-incomplete"
) -> Callable[[Callable[[View], bool]], Need[View]]:
    """Make a need of a function that tells whether it is met; its docstring says what must be so.

    The function may raise `sabot.domain.timeline.evidence.Unknown` with a reason of its own.

    Args:
        about: what of a record it is about.
        otherwise: the sentence for when it is not met, or the reason whole; a function that asks
            and always returns True needs none.
        kind: the kind of the reason.
    """
    reason = otherwise if isinstance(otherwise, Reason) else Reason(kind, otherwise)

    def make(is_met: Callable[[View], bool]) -> Need[View]:
        def missing(view: View) -> Reason | None:
            try:
                return None if is_met(view) else reason
            except Unknown as unknown:
                return unknown.reason

        return Need(about, _one_line(is_met), missing)

    return make


class Each(Struct, Generic[View, Subject], frozen=True):
    """What a rule is asked about one by one.

    ``none`` is the reason why it is not applied to a view that has none of them; None where that
    view keeps the rule.
    """

    name: str
    none: Reason | None
    of: Callable[[View], Sequence[Subject]]
    about: About | None = None


def each(
    name: str,
    none: str | None,
    kind: ReasonKind = "nothing-to-check",
    about: About | None = None,
) -> Callable[[Callable[[View], Sequence[Subject]]], Each[View, Subject]]:
    """Make of a function the subjects that it returns.

    Args:
        name: what one of them is: ``bet``.
        none: the reason where a view has none of them; None: then it keeps the rule.
        kind: the kind of that reason.
        about: what of a record they are, where a record may lack all of it.
    """

    def make(of: Callable[[View], Sequence[Subject]]) -> Each[View, Subject]:
        reason = None if none is None else Reason(kind, none)
        return Each(name, reason, of, about)

    return make


class RuleGroup:
    """Rules of one group, with what they have in common."""

    def __init__(
        self,
        *,
        family: Family,
        severity: Severity,
        sources: tuple[Source, ...] = (),
        games: tuple[GameName, ...] = (),
        needs: tuple[Need[Any], ...] = (),
    ) -> None:
        """Take what holds of a rule of the group unless it says otherwise.

        ``needs`` come before those that a rule names itself.
        """
        self._family: Family = family
        self._severity: Severity = severity
        self._sources, self._games, self._needs = sources, games, needs
        self.rules: list[Rule] = []

    def rule(  # noqa: PLR0913 - all that belongs to a rule, by name
        self,
        number: str,
        code: str,
        *,
        breaks: str,
        keeps: str,
        looks_at: LooksAt = "coup",
        each: Each[Any, Any] | None = None,
        needs: tuple[Need[Any], ...] = (),
        due: Need[Any] | None = None,
        reads: tuple[type, ...] = (),
        severity: Severity | None = None,
        family: Family | None = None,
        sources: tuple[Source, ...] | None = None,
        games: tuple[GameName, ...] | None = None,
        also: tuple[str, ...] = (),
        clean_when: Callable[[CoupProfile, ShoeProfile], bool] | None = None,
        live: bool = True,
        order: tuple[Constraint, ...] = (),
    ) -> Callable[[Check], Check]:
        """Register a rule; the docstring of the function that it decorates says what it forbids.

        Args:
            number: its permanent number, a letter of the group and three digits.
            code: its permanent code.
            breaks: the lines of a shoe (or of several streams) that breaks it and no other rule.
            also: codes of rules that the same lines break all the same.
            keeps: nearly the same lines, which break no rule.
            looks_at: what the function is given: a `CoupView`, a `Shoe`, or the view of a batch of
                cards, a table, or the floor.
            each: what it is asked about one by one, beside that; None: once.
            needs: what must be so for it to be applied, in the order in which it is told.
            due: what must be so for a breach to be told: before, what is missing may still come.
            reads: the kinds of events that show a breach.
            severity: where it is not that of the group.
            family: likewise.
            sources: likewise.
            games: likewise.
            clean_when: tells of a coup dealt and settled by the book that it surely keeps the rule.
            live: False where it waits for the audit of the whole shoe.
            order: the constraints of order that it keeps.
        """

        def register(check: Check) -> Check:
            asks = (*self._needs, *needs)
            cited = self._sources if sources is None else sources
            self.rules.append(
                Rule(
                    number=number,
                    code=code,
                    family=family or self._family,
                    severity=severity or self._severity,
                    why=_one_line(check),
                    sources=cited,
                    cites=tuple(source.cite for source in cited),
                    looks_at=looks_at,
                    judge=_judge(check, each, due),
                    games=self._games if games is None else games,
                    live=live,
                    needs=asks,
                    each=each,
                    due=due,
                    reads=reads,
                    breaks=inspect.cleandoc(breaks),
                    keeps=inspect.cleandoc(keeps),
                    also=also,
                    clean_when=clean_when,
                    order=order,
                )
            )
            return check

        return register

    def ordered(
        self,
        number: str,
        code: str,
        constraint: Constraint,
        **more: Any,  # noqa: ANN401
    ) -> Callable[[Callable[..., Compared]], Callable[..., Compared]]:
        """Register a rule that is a plain constraint of order: all else as `rule` takes it.

        The function returns the events that are compared, and what is said of a breach.
        """
        decides = TEMPLATES[constraint.template]

        def register(compared: Callable[..., Compared]) -> Callable[..., Compared]:
            @wraps(compared)
            def check(*asked: object) -> Sequence[Breach]:
                return decides(constraint, asked[0], compared(*asked))

            games = constraint.games or None
            self.rule(number, code, order=(constraint,), games=games, **more)(check)
            return compared

        return register

    def requirement(self, kept: Requirement[...], **more: Any) -> Callable[[Check], Check]:  # noqa: ANN401
        """Register a rule that the dealer's side keeps too: all else as `rule` takes it."""
        return self.rule(kept.number, kept.code, sources=kept.sources, **more)


def _one_line(function: Callable[..., Any]) -> str:
    """Return a docstring's first paragraph as one line."""
    text = inspect.getdoc(function) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _judge(
    check: Check, each: Each[Any, Any] | None, due: Need[Any] | None
) -> Callable[[Any], Judgement]:
    """Return what asks a rule about a view that meets its needs, and holds back what is not due."""
    asked = _once(check) if each is None else _of_each(check, each)
    if due is None:
        return asked

    def judge(view: object) -> Judgement:
        answer = asked(view)
        if answer is NO_BREACH or not isinstance(answer, tuple):
            return answer
        broken = any(isinstance(each, Breach) for each in answer)
        return (due.missing(view) if broken else None) or answer

    return judge


def _once(check: Check) -> Callable[[object], Judgement]:
    """Return what asks a rule once about a whole view."""

    def ask(view: object) -> Judgement:
        try:
            return tuple(check(view)) or NO_BREACH
        except Unknown as unknown:
            return unknown.reason

    return ask


def _of_each(check: Check, each: Each[Any, Any]) -> Callable[[object], Judgement]:
    """Return what asks a rule about each subject; what the record leaves open is told beside."""

    def ask(view: object) -> Judgement:
        subjects = each.of(view)
        if not subjects:
            return each.none or NO_BREACH
        found: list[Breach] = []
        doubts: list[Doubt] = []
        for subject in subjects:
            try:
                # what was found before a question stays open is in the list by then
                found.extend(check(view, subject))
            except Unknown as unknown:
                doubts.append(Doubt(unknown.reason))
        if not found and len(doubts) == len(subjects):
            return doubts[0].reason
        return (*found, *doubts) or NO_BREACH

    return ask
