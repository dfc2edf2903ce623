"""Runs every rule over a folded shoe.

Cost: linear in the events of the shoe; a clean coup costs one call a rule.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

from msgspec import Struct

from sabot.domain.audit.attribution import attribute
from sabot.domain.audit.completeness import UNKNOWN_GAME, game_of_record
from sabot.domain.audit.fast_path import Answers
from sabot.domain.audit.findings import Finding, Findings
from sabot.domain.audit.floor_view import ShoeSummary, summary_of
from sabot.domain.audit.rule import NO_BREACH, NO_PACK, Breach, Doubt, Rule, cashier_of, view_coup
from sabot.domain.audit.rulebook import SHOE_RULES
from sabot.domain.audit.table_order import at_the_table, bets_in_doubt
from sabot.domain.audit.verdicts import InDoubt, RuleResult, RuleTally
from sabot.domain.rules.rule_pack import GameName, pack_sha256
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason

NO_COUP: Final = Reason("nothing-to-check", "the shoe has no coup")


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
    verdicts: list[RuleResult]
    trace: ShoeSummary
    pack: PackUsed | None = None


def audit_shoe(shoe: Shoe) -> ShoeAudit:
    """Audit a shoe by its rule pack, with its events in their order at the table."""
    shoe = at_the_table(shoe)
    game = game_of_record(shoe)
    tallies = _tallies(game)
    findings = _audit(shoe, shoe.coups.values(), tallies)
    verdicts = _of_other_games(game).copy()
    for place, tally in zip(_rules_of_game(game), tallies, strict=True):
        verdicts[place] = tally.result(NO_COUP)
    return ShoeAudit(
        shoe.name, len(shoe.coups), findings, verdicts, summary_of(shoe), _pack_used(shoe)
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
def _rules_of_game(game: GameName | None) -> tuple[int, ...]:
    """Return which of the rules of a shoe are rules of a game, by their places."""
    return tuple(place for place, rule in enumerate(SHOE_RULES) if rule.is_of(game))


def _tallies(game: GameName | None) -> list[RuleTally]:
    return [RuleTally(SHOE_RULES[place]) for place in _rules_of_game(game)]


@cache
def _of_other_games(game: GameName | None) -> list[RuleResult]:
    """Return the verdict of every rule of a shoe, as if it were none of the game."""
    reason = (
        Reason("record-incomplete", UNKNOWN_GAME)
        if game is None
        else Reason("other-game", f"it is no rule of {game}")
    )
    return [RuleResult(rule.code, "not-applicable", 0, {reason: 1}) for rule in SHOE_RULES]


def _audit(shoe: Shoe, coups: Iterable[Coup], tallies: list[RuleTally]) -> list[Finding]:
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
        named=loaded is None or loaded.payload.pack_named,
        recalled=pack.recalled,
        sources=pack.sources,
    )


def _why_not_applicable(shoe: Shoe, reason: Reason) -> Reason:
    """Return why a rule does not apply: what a pack does not say, where there is one."""
    unsaid = reason.kind == "not-required" and reason.text.startswith("the pack ")
    return NO_PACK if shoe.pack is None and unsaid else reason


def _whole_shoe(shoe: Shoe, tallies: list[RuleTally], make: Findings) -> list[Finding]:
    found: list[Finding] = []
    for tally in tallies:
        if tally.rule.on_shoe is None:
            continue
        answer = tally.rule.on_shoe(shoe)
        if isinstance(answer, Reason):
            tally.skip(_why_not_applicable(shoe, answer))
            continue
        found += [make.of(tally.rule, breach) for breach in tally.count_answer(answer)]
    return found


def _coups(
    shoe: Shoe, coups: Iterable[Coup], tallies: list[RuleTally], make: Findings
) -> list[Finding]:
    found: list[Finding] = []
    cashier = cashier_of(shoe)
    checks = [(tally, look) for tally in tallies if (look := tally.rule.on_coup) is not None]
    shapes = Answers(shoe, cashier, checks)
    looked = 0
    for looked, coup in enumerate(coups, 1):  # noqa: B007 - counted for all rules at once
        told, unanswered = shapes.rules_left_to_ask(coup)
        if not unanswered:
            continue
        view = view_coup(shoe, coup, cashier) if told is None else told.view(shoe, cashier)
        unsure = bets_in_doubt(shoe, coup)
        broken: list[tuple[Rule, Breach]] = []
        for tally, check in unanswered:
            answer = check(view)
            if answer is NO_BREACH:
                continue
            # whatever is not clean counts for itself, and not among all coups
            tally.checked -= 1
            if isinstance(answer, Reason):
                tally.skip(_why_not_applicable(shoe, answer), coup.number)
            else:
                if unsure and tally.rule.family == "payout":
                    answer = tuple(_held_back(each, unsure) for each in answer)
                broken += [
                    (tally.rule, breach) for breach in tally.count_answer(answer, coup.number)
                ]
        if broken:
            found += [make.of(rule, breach, view) for rule, breach in attribute(view, broken)]
    shapes.count()
    for tally, _ in checks:
        tally.checked += looked
    return found


def _held_back(verdict: Breach | Doubt, unsure: dict[int, Reason]) -> Breach | Doubt:
    """Turn a verdict on a bet into a doubt, where nobody knows which events are of that bet."""
    if isinstance(verdict, Doubt):
        return verdict
    bets = (getattr(event.payload, "bet", None) for event in verdict.events)
    reason = next((unsure[bet] for bet in bets if bet in unsure), None)
    return verdict if reason is None else Doubt(reason)
