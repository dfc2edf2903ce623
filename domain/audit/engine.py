"""Runs every rule over a folded shoe.

Cost: linear in the facts of the shoe; a clean coup costs one call a rule.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, Literal

from msgspec import Struct

from domain.audit.bearing import borne
from domain.audit.by_the_book import ByTheBook, Shapes
from domain.audit.finding import Finding, Findings
from domain.audit.floor import ShoeTrace, trace_of
from domain.audit.lacking import UNKNOWN_GAME, game_of_record
from domain.audit.rule import (
    CLEAN,
    Answer,
    Breach,
    CoupView,
    Doubt,
    Rule,
    cashier_of,
    view_coup,
)
from domain.audit.rulebook import SHOE_RULES
from domain.audit.shape import (
    Answered,
    Shape,
    answered_in,
    by_shape,
    looks_closely,
    setting_of,
)
from domain.audit.timing import DOUBTFUL, at_the_table, bets_in_doubt
from domain.coup import Coup
from domain.rulepack import GameName, pack_sha256
from domain.settlement import Cashier
from domain.shoe import Shoe

NO_PACK: Final = "the rule pack cannot be read"
"""Why a rule does not apply that the pack would have to ask for, where there is no pack."""


class Verdict(Struct, frozen=True):
    """What a rule came to on a shoe.

    ``looked`` counts the coups (or 1 for the shoe) that it could judge; ``skipped`` counts,
    by reason, those that it could not.
    """

    code: str
    result: Literal["pass", "fail", "not-applicable"]
    looked: int
    skipped: dict[str, int]


class PackUsed(Struct, frozen=True, order=True):
    """The rule pack that a shoe was judged by; ``recalled`` is what in it is no read source."""

    name: str
    version: str
    sha256: str
    title: str
    named: bool = True
    recalled: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class ShoeAudit(Struct, frozen=True):
    """The audit of one shoe: a verdict for every rule of a shoe, and every finding.

    ``pack`` is None where the shoe's pack cannot be read. ``trace`` is what the rules that look
    beyond a shoe have to know of this one.
    """

    shoe: str
    coups: int
    findings: list[Finding]
    verdicts: list[Verdict]
    trace: ShoeTrace
    pack: PackUsed | None = None


class InDoubt(Struct, frozen=True, order=True):
    """What a rule could not judge of a shoe or a coup, since an order is doubtful."""

    coup: int | None
    code: str
    reason: str


class Tally(Struct):
    """How a rule fares while what it looks at is gone through.

    ``in_doubt`` are the reasons, among those skipped, that are of a doubtful order.
    """

    rule: Rule
    looked: int = 0
    found: int = 0
    skipped: dict[str, int] = {}
    in_doubt: list[InDoubt] = []

    def skip(self, reason: str, coup: int | None = None) -> None:
        """Count what could not be judged, by the reason."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1
        if DOUBTFUL in reason:
            self.in_doubt.append(InDoubt(coup, self.rule.code, reason))

    def skip_alike(self, reason: str, coups: int) -> None:
        """Take so many coups that could not be judged out of those that were looked at."""
        self.looked -= coups
        self.skipped[reason] = self.skipped.get(reason, 0) + coups

    def take(self, answer: tuple[Breach | Doubt, ...], coup: int | None = None) -> list[Breach]:
        """Count an answer; return the breaches in it. What was in doubt was not looked at."""
        self.looked += 1
        breaches: list[Breach] = []
        for each in answer:
            if isinstance(each, Doubt):
                self.skip(each.reason, coup)
            else:
                breaches.append(each)
        self.found += len(breaches)
        return breaches

    def verdict(self, nothing: str) -> Verdict:
        """Return what it came to; ``nothing`` is the reason where there was nothing to see."""
        result: Literal["pass", "fail", "not-applicable"] = (
            "pass" if self.looked else ("not-applicable")
        )
        if not self.looked and not self.skipped:
            self.skip(nothing)
        return Verdict(self.rule.code, "fail" if self.found else result, self.looked, self.skipped)


def audit_shoe(shoe: Shoe) -> ShoeAudit:
    """Judge a shoe by the rule pack that it was dealt by, its facts in their order at the table."""
    shoe = at_the_table(shoe)
    game = game_of_record(shoe)
    tallies = _tallies(game)
    findings = _audit(shoe, shoe.coups.values(), tallies)
    verdicts = _of_other_games(game).copy()
    for place, tally in zip(_places(game), tallies, strict=True):
        verdicts[place] = tally.verdict("the shoe has no coup")
    return ShoeAudit(
        shoe.name, len(shoe.coups), findings, verdicts, trace_of(shoe), _pack_used(shoe)
    )


def audit_part(shoe: Shoe, coups: Iterable[int]) -> list[Finding]:
    """Judge the shoe as a whole, and of its coups those of these numbers.

    What is found is what `audit_shoe` would find of them.
    """
    return judge_part(shoe, coups)[0]


def judge_part(shoe: Shoe, coups: Iterable[int]) -> tuple[list[Finding], list[InDoubt]]:
    """Judge as `audit_part` does; return also what could not be judged by a doubtful order."""
    shoe = at_the_table(shoe)
    numbers = sorted(set(coups))
    chosen = [shoe.coups[number] for number in numbers if number in shoe.coups]
    tallies = _tallies(game_of_record(shoe))
    findings = _audit(shoe, chosen, tallies)
    return findings, [each for tally in tallies for each in tally.in_doubt]


@cache
def _places(game: GameName | None) -> tuple[int, ...]:
    """Return which of the rules of a shoe are rules of a game, by their places."""
    return tuple(place for place, rule in enumerate(SHOE_RULES) if rule.is_of(game))


def _tallies(game: GameName | None) -> list[Tally]:
    return [Tally(SHOE_RULES[place]) for place in _places(game)]


@cache
def _of_other_games(game: GameName | None) -> list[Verdict]:
    """Return the verdict of every rule of a shoe, as if it were none of the game."""
    reason = UNKNOWN_GAME if game is None else f"it is no rule of {game}"
    return [Verdict(rule.code, "not-applicable", 0, {reason: 1}) for rule in SHOE_RULES]


def _audit(shoe: Shoe, coups: Iterable[Coup], tallies: list[Tally]) -> list[Finding]:
    make = Findings(shoe)
    findings = [*_whole_shoe(shoe, tallies, make), *_coups(shoe, coups, tallies, make)]
    findings.sort(key=lambda found: (found.coup or 0, found.events, found.code, found.fingerprint))
    return findings


def _pack_used(shoe: Shoe) -> PackUsed | None:
    pack = shoe.pack
    if pack is None:
        return None
    loaded = shoe.loaded
    return PackUsed(
        pack.name,
        pack.version,
        pack_sha256(shoe.pack_text),
        pack.title,
        named=loaded is None or getattr(loaded.fact, "pack_named", True),
        recalled=pack.recalled,
        sources=pack.sources,
    )


def _why(shoe: Shoe, reason: str) -> str:
    """Return why a rule does not apply: what a pack does not say, where there is one."""
    return NO_PACK if shoe.pack is None and reason.startswith("the pack ") else reason


def _whole_shoe(shoe: Shoe, tallies: list[Tally], make: Findings) -> list[Finding]:
    found: list[Finding] = []
    for tally in tallies:
        if tally.rule.on_shoe is None:
            continue
        answer = tally.rule.on_shoe(shoe)
        if isinstance(answer, str):
            tally.skip(_why(shoe, answer))
            continue
        found += [make.of(tally.rule, breach) for breach in tally.take(answer)]
    return found


def _coups(
    shoe: Shoe, coups: Iterable[Coup], tallies: list[Tally], make: Findings
) -> list[Finding]:
    found: list[Finding] = []
    cashier = cashier_of(shoe)
    checks = [(tally, look) for tally in tallies if (look := tally.rule.on_coup) is not None]
    shapes = _Answers(shoe, cashier, checks)
    looked = 0
    for looked, coup in enumerate(coups, 1):  # noqa: B007 - counted for all rules at once
        told, unanswered = shapes.unanswered(coup)
        if not unanswered:
            continue
        view = view_coup(shoe, coup, cashier) if told is None else told.view(shoe, cashier)
        unsure = bets_in_doubt(shoe, coup)
        broken: list[tuple[Rule, Breach]] = []
        for tally, check in unanswered:
            answer = check(view)
            if answer is CLEAN:
                continue
            # whatever is not clean counts for itself, and not among all coups
            tally.looked -= 1
            if isinstance(answer, str):
                tally.skip(_why(shoe, answer), coup.number)
            else:
                if unsure and tally.rule.family == "payout":
                    answer = tuple(_held_back(each, unsure) for each in answer)
                broken += [(tally.rule, breach) for breach in tally.take(answer, coup.number)]
        if broken:
            found += [make.of(rule, breach, view) for rule, breach in borne(view, broken)]
    shapes.count()
    for tally, _ in checks:
        tally.looked += looked
    return found


_Check = tuple[Tally, Callable[[CoupView], Answer]]


class _Met(Struct):
    """A shape that so many coups of the shoe have: why rules do not apply, which others look."""

    reasons: tuple[tuple[int, str], ...]
    others: list[_Check]
    coups: int = 1


class _Answers:
    """What a shoe's coups are answered by their shapes: each shape is asked about once.

    What was answered is kept: shoes dealt by one pack have the same shapes.
    """

    def __init__(self, shoe: Shoe, cashier: Cashier | None, checks: list[_Check]) -> None:
        self._shoe, self._cashier, self._all = shoe, cashier, checks
        self._codes = by_shape(shoe)
        self._shapes = Shapes(shoe, cashier) if self._codes else None
        self._known = answered_in(setting_of(shoe)) if self._codes else {}
        self._met: dict[Shape, _Met] = {}

    def unanswered(self, coup: Coup) -> tuple[ByTheBook | None, list[_Check]]:
        """Take the answers that the coup's shape gives; return the rules that have to look.

        And what was worked out of a coup that went by the book.
        """
        told = self._shapes.of(coup) if self._shapes is not None else None
        if told is None:
            return None, self._all
        shape = told.shape
        met = self._met.get(shape)
        if met is not None:
            met.coups += 1
            return told, met.others
        known = self._known.get(shape) or self._ask(told)
        if known is None:
            return told, self._all
        others = [self._all[place] for place in known.others]
        self._met[shape] = _Met(known.reasons, others)
        return told, others

    def _ask(self, told: ByTheBook) -> Answered | None:
        """Ask the rules about the first coup of a shape; None where one of them found a breach."""
        shape, view = told.shape, told.view(self._shoe, self._cashier)
        reasons: list[tuple[int, str]] = []
        others: list[int] = []
        for place, (tally, check) in enumerate(self._all):
            code = tally.rule.code
            if code not in self._codes or looks_closely(code, shape):
                others.append(place)
                continue
            answer = check(view)
            if isinstance(answer, str):
                reasons.append((place, answer))
            elif answer is not CLEAN:
                return None
        known = self._known[shape] = Answered(tuple(reasons), tuple(others))
        return known

    def count(self) -> None:
        """Count the answers that shapes gave; many shapes have the same reasons."""
        alike: dict[tuple[tuple[int, str], ...], int] = {}
        for met in self._met.values():
            alike[met.reasons] = alike.get(met.reasons, 0) + met.coups
        for reasons, coups in alike.items():
            for place, reason in reasons:
                self._all[place][0].skip_alike(reason, coups)


def _held_back(verdict: Breach | Doubt, unsure: dict[int, str]) -> Breach | Doubt:
    """Turn a verdict on a bet into a doubt, where nobody knows which facts are of that bet."""
    if isinstance(verdict, Doubt):
        return verdict
    bets = (getattr(event.fact, "bet", None) for event in verdict.events)
    reason = next((unsure[bet] for bet in bets if bet in unsure), None)
    return verdict if reason is None else Doubt(reason)
