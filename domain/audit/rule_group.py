"""Declare a rule as one decorated function.

Its needs, examples and sources are given beside it.

    PAYMENTS = RuleGroup(family="payout", concerns="money")

    @PAYMENTS.rule(
        "P202",
        "losing-bet-not-taken",
        sources=(ARRETE_2007_ART_55_14, NSW_MINI_BACCARAT_RULE_5),
        needs=(needs.has_bets, bets_stand),
        each=_settled("take"),
        breach_events=_OF_A_BET,
        clean_when=by_the_book,
        breaks="coup p1 player 500 | P 4 4  B K 9 | B | 1 push",
        keeps="coup p1 player 500 | P 4 4  B K 9 | B | 1 take 500",
    )
    def losing_bet_not_taken(view: CoupView, settled: SettledBet) -> Iterator[Breach]:
        \"\"\"A losing bet is taken, the whole of it and no more.\"\"\"
        if settled.bet.net != settled.due.net:
            yield Breach(...)

(The rule is in `sabot.domain.audit.checks.payments`, here slightly shortened.) The function is
called for one subject at a time: a bet, a hand, a card, or the coup or shoe as a whole. It checks
the rules of the game only; the needs declare the data that it requires. If the record does
not answer a question, the question raises `sabot.domain.timeline.evidence.Unknown`, and only that
subject is not judged.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.coup_profile import CoupProfile, ShoeProfile
from sabot.domain.audit.order_rules import TEMPLATES, Compared
from sabot.domain.audit.rule import (
    NO_BREACH,
    Breach,
    Concern,
    Doubt,
    Family,
    Judgement,
    LooksAt,
    Rule,
)
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
"""The part of a record that a need concerns."""

Check = Callable[..., Iterable[Breach]]
"""The function of a rule: it takes the view, and one subject if the rule has ``each``."""


class Need(Struct, Generic[View], frozen=True):
    """A condition for a rule to be applied.

    ``states`` is the condition in words: ``the record holds the shoe's procedure``. ``missing`` is
    a function that returns why a view does not meet it, or None. ``of_shoe`` is the same for a
    whole shoe; it is set if either all coups of a shoe meet the condition or none does. ``games``
    are the games in which it is checked; empty for all.
    """

    about: About
    states: str
    missing: Callable[[View], Reason | None]
    of_shoe: Callable[[Shoe], Reason | None] | None = None
    games: tuple[str, ...] = ()


def need(
    about: About, otherwise: str | Reason = "", kind: ReasonKind = "record-incomplete"
) -> Callable[[Callable[[View], bool]], Need[View]]:
    """Make a need from a function that tests it.

    The function's docstring states the condition. The function may raise
    `sabot.domain.timeline.evidence.Unknown` with a reason of its own.

    Args:
        about: the part of a record that it concerns.
        otherwise: the reason for when it is not met, or its text; not needed for a function that
            raises `Unknown` or returns True.
        kind: the kind of the reason, where ``otherwise`` is a text.
    """
    reason = otherwise if isinstance(otherwise, Reason) else Reason(kind, otherwise)

    def make(is_met: Callable[[View], bool]) -> Need[View]:
        return Need(about, _one_line(is_met), missing_unless(is_met, reason))

    return make


def missing_unless(
    is_met: Callable[[View], object], reason: Reason | None
) -> Callable[[View], Reason | None]:
    """Return the function that gives the reason why a view does not meet a need.

    The reason is that of `sabot.domain.timeline.evidence.Unknown` if ``is_met`` raises it.
    """

    def missing(view: View) -> Reason | None:
        try:
            return None if is_met(view) else reason
        except Unknown as unknown:
            return unknown.reason

    return missing


class Each(Struct, Generic[View, Subject], frozen=True):
    """The subjects of a rule, such as the bets of a coup. The rule is called once for each.

    ``none`` is the reason for not applying the rule to a view without subjects. If it is None, such
    a view keeps the rule. ``exceptions`` states which subjects are left out, in words for readers
    of the rule.
    """

    name: str
    none: Reason | None
    of: Callable[[View], Sequence[Subject]]
    about: About | None = None
    exceptions: str = ""


def each(
    name: str,
    none: str | None,
    kind: ReasonKind = "nothing-to-check",
    about: About | None = None,
) -> Callable[[Callable[[View], Sequence[Subject]]], Each[View, Subject]]:
    """Make a rule's subjects from a function that returns them.

    The first paragraph of the function's docstring states what it returns. The others state which
    subjects are left out, in words for readers of the rule.

    Args:
        name: the name of one subject: ``bet``.
        none: the reason for a view without subjects; None where it keeps the rule.
        kind: the kind of that reason.
        about: the part of a record to which they belong, if a record may lack that part.
    """

    def make(of: Callable[[View], Sequence[Subject]]) -> Each[View, Subject]:
        reason = None if none is None else Reason(kind, none)
        return Each(name, reason, of, about, _exceptions(of))

    return make


class RuleGroup:
    """Rules of one group, with the properties that they share."""

    def __init__(
        self,
        *,
        family: Family,
        concerns: Concern,
        games: tuple[GameName, ...] = (),
    ) -> None:
        """Take the values that the rules of the group share.

        What a rule needs, and its sources, are given beside the rule itself. ``games`` are the
        games of the rules; empty for all.
        """
        self._family: Family = family
        self._concerns: Concern = concerns
        self._games = games
        self.rules: list[Rule] = []

    def rule(  # noqa: PLR0913 - all that belongs to a rule, by name
        self,
        number: str,
        code: str,
        *,
        breaks: str,
        keeps: str,
        sources: tuple[Source, ...],
        looks_at: LooksAt = "coup",
        each: Each[Any, Any] | None = None,
        needs: tuple[Need[Any], ...] = (),
        due: Need[Any] | None = None,
        breach_events: tuple[type, ...] = (),
        concerns: Concern | None = None,
        family: Family | None = None,
        games: tuple[GameName, ...] | None = None,
        also: tuple[str, ...] = (),
        clean_when: Callable[[CoupProfile, ShoeProfile], bool] | None = None,
        live: bool = True,
        order: tuple[Constraint, ...] = (),
        follows_from: tuple[str, ...] = (),
        one_cause: bool = False,
        explains_all: bool = False,
    ) -> Callable[[Check], Check]:
        """Register the decorated function as a rule.

        The first paragraph of the function's docstring states the requirement. The other paragraphs
        state what the function permits or leaves out. They do not repeat the needs, which state
        when the rule applies.

        Args:
            number: the permanent number, the letter of its group and three digits.
            code: the permanent code.
            breaks: the lines of a shoe (or of several streams) that breaks this rule and no other.
            also: codes of rules that the same lines break too, because a breach of this rule is
                about what was done after a breach of theirs.
            keeps: nearly the same lines, which break no rule.
            sources: the sources of the rule, or `HOUSE_CONVENTION`.
            looks_at: the argument of the function: a `CoupView`, a `Shoe`, a correction, or the
                view of a batch of cards, a table, or the floor.
            each: the subjects for which the function is called one by one; None: one call for the
                view.
            needs: the conditions for applying the rule, in the order in which they are reported.
            due: the condition for reporting a breach; before it is met, a missing event may still
                come.
            breach_events: the types of the events that a finding lists as its evidence.
            concerns: what a breach harms, if it differs from the group.
            family: the family, if it differs from the group.
            games: the games, if they differ from the group.
            clean_when: returns whether a profile shows that the coup keeps the rule. It saves time
                and changes no result.
            live: False for a rule that is reported only by the audit of the whole shoe.
            order: the order constraints that the rule checks.
            follows_from: codes of rules whose breach may cause a breach of this one, or `ANY_RULE`.
                A finding of theirs that shows the same event then explains it.
            explains_all: whether any other finding that shows the first event of a breach follows
                from it, because the event should not be there.
            one_cause: whether breaches that show the same event are reported as one finding.
        """

        def register(check: Check) -> Check:
            self.rules.append(
                Rule(
                    number=number,
                    code=code,
                    family=family or self._family,
                    concerns=concerns or self._concerns,
                    requires=_one_line(check),
                    exceptions=_exceptions(check),
                    sources=sources,
                    cites=tuple(source.cite for source in sources),
                    looks_at=looks_at,
                    judge=_judge(check, each, due),
                    games=self._games if games is None else games,
                    live=live,
                    needs=needs,
                    each=each,
                    due=due,
                    breach_events=breach_events,
                    breaks=inspect.cleandoc(breaks),
                    keeps=inspect.cleandoc(keeps),
                    also=also,
                    clean_when=clean_when,
                    order=order,
                    follows_from=follows_from,
                    one_cause=one_cause,
                    explains_all=explains_all,
                )
            )
            return check

        return register

    def ordered(
        self,
        number: str,
        code: str,
        constraint: Constraint,
        *,
        games: tuple[GameName, ...] | None = None,
        **more: Any,  # noqa: ANN401
    ) -> Callable[[Callable[..., Compared]], Callable[..., Compared]]:
        """Register a rule that checks one order constraint.

        The decorated function returns the events to compare and the text of a breach. See `rule`
        for the other arguments.

        Raises:
            ValueError: the rule and its constraint differ in games.
        """
        if constraint.games and set(games or self._games) != set(constraint.games):
            raise ValueError(f"{number} and its constraint {constraint.name} differ in games")
        decides = TEMPLATES[constraint.template]

        def register(compared: Callable[..., Compared]) -> Callable[..., Compared]:
            @wraps(compared)
            def check(*asked: object) -> Sequence[Breach]:
                return decides(constraint, asked[0], compared(*asked))

            self.rule(number, code, order=(constraint,), games=games, **more)(check)
            self.rules[-1] = replace(self.rules[-1], compares=True)
            return compared

        return register


def code_of(function: Callable[..., Any]) -> str:
    """Return the code of the rule that a function declares: the function's name, with hyphens."""
    return function.__name__.replace("_", "-")


def _one_line(function: Callable[..., Any]) -> str:
    """Return a docstring's first paragraph as one line."""
    text = inspect.getdoc(function) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _exceptions(function: Callable[..., Any]) -> str:
    """Return the paragraphs of a docstring after the first as one line."""
    text = inspect.getdoc(function) or ""
    return " ".join(text.partition("\n\n")[2].split()).replace("``", "`")


def _judge(
    check: Check, each: Each[Any, Any] | None, due: Need[Any] | None
) -> Callable[[Any], Judgement]:
    """Return a function that applies a rule to a view.

    The view must meet the rule's needs. It withholds breaches while the condition ``due`` is not
    met.
    """
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
    """Return a function that calls a rule once per view.

    Breaches yielded before `Unknown` is raised are kept, with a `Doubt`.
    """

    def ask(view: object) -> Judgement:
        found: list[Breach] = []
        try:
            found.extend(check(view))
        except Unknown as unknown:
            return (*found, Doubt(unknown.reason)) if found else unknown.reason
        return tuple(found) or NO_BREACH

    return ask


def _of_each(check: Check, each: Each[Any, Any]) -> Callable[[object], Judgement]:
    """Return a function that calls a rule for each subject.

    A subject that raises `Unknown` is returned as a `Doubt`, after the breaches that it yielded
    before. If it is unknown which subjects there are, the reason is returned.
    """

    def ask(view: object) -> Judgement:
        try:
            subjects = each.of(view)
        except Unknown as unknown:
            return unknown.reason
        if not subjects:
            return each.none or NO_BREACH
        found: list[Breach] = []
        doubts: list[Doubt] = []
        for subject in subjects:
            try:
                found.extend(check(view, subject))
            except Unknown as unknown:
                doubts.append(Doubt(unknown.reason))
        if not found and len(doubts) == len(subjects):
            return doubts[0].reason
        return (*found, *doubts) or NO_BREACH

    return ask
