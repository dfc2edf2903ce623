"""Run the rules over the records.

The rules check coups, shoes, corrections, batches of cards, tables and the floor. The cost grows
linearly with the events of a shoe, and with the number of batches, tables and shoes. Rules of the
whole floor document their own cost. Coups without errors are checked faster
(`sabot.domain.audit.fast_path`).
"""

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.completeness import NO_PACK, UNKNOWN_GAME, game_of_record
from sabot.domain.audit.corrected_records import view_corrections
from sabot.domain.audit.coup_numbers import coups_of
from sabot.domain.audit.coup_view import cashier_of, view_coup
from sabot.domain.audit.explained_findings import (
    explained_by_correction,
    with_authors,
    with_explanations,
)
from sabot.domain.audit.fast_path import AnswersByProfile
from sabot.domain.audit.finding_money import attribute
from sabot.domain.audit.findings import Finding, Findings
from sabot.domain.audit.floor_corrections import summary_with_corrections, view_record_corrections
from sabot.domain.audit.floor_view import Floor, ShoeSummary, view_batch, view_table
from sabot.domain.audit.misread_stakes import with_misread_stakes
from sabot.domain.audit.possible_orders import depend_on_order
from sabot.domain.audit.put_right import as_notes
from sabot.domain.audit.rule import NO_BREACH, Breach, Doubt, LooksAt, Rule
from sabot.domain.audit.rulebook import FLOOR_RULES, SHOE_RULES
from sabot.domain.audit.table_order import bets_in_doubt
from sabot.domain.audit.uncorrected_records import as_audited
from sabot.domain.audit.unjudged import unknown_wagers
from sabot.domain.audit.verdicts import (
    InDoubt,
    Missing,
    RuleResult,
    RuleTally,
    tally_of,
    unmet_by_shoe,
)
from sabot.domain.rules.labels import game_label
from sabot.domain.rules.rule_pack import GameName, pack_sha256
from sabot.domain.rules.unknown_wager import UnknownWager
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason

FLOOR: Final = "floor"
"""The stream of a finding that belongs to no single stream."""

NO_COUP: Final = Reason("nothing-to-check", "the shoe has no coup")
NO_CORRECTION: Final = Reason("nothing-to-check", "no event was corrected")
NO_BATCH: Final = Reason("record-incomplete", "no custody of cards was recorded")
NO_TABLE: Final = Reason("record-incomplete", "no table was recorded")
NO_SHOE: Final = Reason("record-incomplete", "no shoe was recorded")
_NOTHING: Final[dict[LooksAt, Reason]] = {
    "coup": NO_COUP,
    "shoe": NO_COUP,
    "correction": NO_CORRECTION,
    "batch": NO_BATCH,
    "table": NO_TABLE,
    "floor": NO_SHOE,
    "record": NO_CORRECTION,
}
"""The reason for a rule that had nothing to check, by what the rule checks."""


# -- One shoe --------------------------------------------------------------------------------------


class PackUsed(Struct, frozen=True, order=True):
    """The rule pack by which a shoe was audited.

    ``recalled`` lists the assumptions in it that cite no source that was read.
    """

    name: str
    version: str
    sha256: str
    title: str
    named: bool = True
    recalled: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class ShoeAudit(Struct, frozen=True):
    """The audit of one shoe: rule results and findings.

    ``pack`` is None where the shoe's pack cannot be read. ``trace`` is the summary of the shoe for
    the rules of the floor. ``unknown_wagers`` counts the bets that no rule can settle.
    """

    shoe: str
    coups: int
    findings: list[Finding]
    verdicts: list[RuleResult]
    trace: ShoeSummary
    pack: PackUsed | None = None
    unknown_wagers: Counter[UnknownWager] = msgspec.field(default_factory=Counter)


def audit_shoe(shoe: Shoe) -> ShoeAudit:
    """Audit a shoe by its rule pack, with its events in their order at the table."""
    shoe = as_audited(shoe)
    game = game_of_record(shoe)
    tallies = _tallies(game)
    findings = _audit_with_corrections(shoe, shoe.coups.values(), tallies)
    verdicts = _of_other_games(game).copy()
    for place, tally in zip(_rules_of_game(game), tallies, strict=True):
        verdicts[place] = tally.result(_NOTHING[tally.rule.looks_at])
    return ShoeAudit(
        shoe.name,
        len(shoe.coups),
        findings,
        verdicts,
        summary_with_corrections(shoe, findings),
        _pack_used(shoe),
        unknown_wagers(shoe),
    )


def audit_part(shoe: Shoe, coups: Iterable[int]) -> list[Finding]:
    """Audit some coups of a shoe.

    The rules about the whole shoe are applied too. The findings are those that `audit_shoe` reports
    for these coups and for the shoe as a whole.
    """
    return judge_part(shoe, coups)[0]


def judge_part(
    shoe: Shoe, coups: Iterable[int], known: Collection[Finding] = ()
) -> tuple[list[Finding], list[InDoubt]]:
    """Audit part of a shoe like `audit_part`, and also return the checks in doubt.

    A check is in doubt if it was skipped because an order of events is unknown.

    Args:
        shoe: the shoe.
        coups: the numbers of the coups to audit.
        known: the present findings of other coups, which may explain those of this audit.
    """
    shoe = as_audited(shoe)
    chosen = coups_of(shoe, set(coups))
    tallies = _tallies(game_of_record(shoe))
    findings = _audit_with_corrections(shoe, chosen, tallies, known)
    return findings, [each for tally in tallies for each in tally.in_doubt]


@cache
def _rules_of_game(game: GameName | None) -> tuple[int, ...]:
    """Return the positions in `SHOE_RULES` of a game's rules."""
    return tuple(place for place, rule in enumerate(SHOE_RULES) if rule.is_of(game))


@cache
def _needs_of_game(game: GameName | None) -> list[tuple[Rule, tuple[Missing, ...]]]:
    """Return a game's rules with the checks of their needs."""
    tallies = (tally_of(SHOE_RULES[place]) for place in _rules_of_game(game))
    return [(tally.rule, tally.needs) for tally in tallies]


def _tallies(game: GameName | None) -> list[RuleTally]:
    return [RuleTally(rule, needs) for rule, needs in _needs_of_game(game)]


@cache
def _of_other_games(game: GameName | None) -> list[RuleResult]:
    """Return the result "not applicable" for each rule that is not of the game of the shoe."""
    reason = (
        Reason("record-incomplete", UNKNOWN_GAME)
        if game is None
        else Reason("other-game", f"the rule does not apply to {game_label(game)}")
    )
    return [RuleResult(rule.code, "not-applicable", 0, {reason: 1}) for rule in SHOE_RULES]


def _audit_with_corrections(
    shoe: Shoe,
    coups: Collection[Coup],
    tallies: list[RuleTally],
    known: Collection[Finding] = (),
) -> list[Finding]:
    """Audit a corrected shoe, then audit the corrections themselves.

    ``known`` are findings of other coups, which may explain the others.
    """

    def audit(record: Shoe, numbers: Collection[int] | None) -> list[Finding]:
        chosen = record.coups.values() if numbers is None else coups_of(record, numbers)
        return _findings(record, chosen, _tallies(game_of_record(record)))

    found = with_explanations(_findings(shoe, coups, tallies), known)
    found = with_misread_stakes(shoe, found, audit)
    if not shoe.corrections and (shoe.at_table is None or not shoe.at_table.corrections):
        return found
    views = view_corrections(shoe, audit, with_explanations)
    make = Findings(shoe)
    of_corrections = [tally for tally in tallies if tally.rule.looks_at == "correction"]
    for view in views:
        for rule, breach in _broken(of_corrections, view, shoe):
            finding = make.of(rule, breach, shoe.stream)
            found = [*explained_by_correction(found, view, finding), finding]
        found = with_authors(found, view)
    _count_views(of_corrections, len(views))
    return with_explanations(sorted(found, key=_place), known)


def _place(found: Finding) -> tuple[int, tuple[int, ...], str, str]:
    """Return the sort key of a shoe's finding: coup, events, code, fingerprint."""
    return found.coup or 0, found.events, found.code, found.fingerprint


def _findings(shoe: Shoe, coups: Iterable[Coup], tallies: list[RuleTally]) -> list[Finding]:
    """Return a finding for each breach. Breaches of one cause are not put together yet.

    A breach or a pass that depends on an unknown order of events is counted as not judged.
    """

    def audit(other: Shoe, numbers: Collection[int]) -> list[Finding]:
        return _in_one_order(other, coups_of(other, numbers), _tallies(game_of_record(other)))

    coups = list(coups)
    found = _in_one_order(shoe, coups, tallies)
    numbers = {coup.number for coup in coups}
    in_doubt = {
        each.fingerprint: (each, why) for each, why in depend_on_order(shoe, numbers, found, audit)
    }
    if not in_doubt:
        return found
    by_code = {tally.rule.code: tally for tally in tallies}
    for each, why in in_doubt.values():
        # another order of the loadings may be of another game
        if each.code in by_code:
            by_code[each.code].withdraw(why, each.coup, found=each in found)
    return [each for each in found if each.fingerprint not in in_doubt]


def _in_one_order(shoe: Shoe, coups: Iterable[Coup], tallies: list[RuleTally]) -> list[Finding]:
    """Return a finding for each breach, in the order of events that the shoe has."""
    make = Findings(shoe)
    of_shoe = [tally for tally in tallies if tally.rule.looks_at == "shoe"]
    of_coups = [tally for tally in tallies if tally.rule.looks_at == "coup"]
    broken = _broken(of_shoe, shoe, shoe)
    _count_views(of_shoe, 1)
    findings = [make.of(rule, breach, shoe.stream) for rule, breach in broken]
    findings += _coups(shoe, coups, of_coups, make)
    findings.sort(key=_place)
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


def _coups(
    shoe: Shoe, coups: Iterable[Coup], tallies: list[RuleTally], make: Findings
) -> list[Finding]:
    found: list[Finding] = []
    cashier = cashier_of(shoe)
    unmet = unmet_by_shoe(tallies, shoe)
    none = {tally.rule.code for tally, _ in unmet}
    asked = [tally for tally in tallies if tally.rule.code not in none]
    answers = AnswersByProfile(shoe, cashier, asked)
    looked = 0
    for looked, coup in enumerate(coups, 1):  # noqa: B007 - counted for all rules at once
        clean, unanswered = answers.rules_left_to_ask(coup)
        if not unanswered:
            continue
        view = view_coup(shoe, coup, cashier) if clean is None else clean.view(shoe, cashier)
        broken = _broken(unanswered, view, shoe, coup)
        if broken:
            told = as_notes(view, attribute(view, broken))
            found += [make.of(rule, breach, shoe.stream, view) for rule, breach in told]
    answers.count()
    _count_views(asked, looked)
    if looked:
        for tally, reason in unmet:
            tally.not_applicable[reason] = looked
    return found


# -- Beyond one shoe -------------------------------------------------------------------------------


class FloorAudit(Struct, frozen=True):
    """The audit of the floor: rule results and findings."""

    batches: int
    tables: int
    findings: list[Finding]
    verdicts: list[RuleResult]


def audit_floor(floor: Floor) -> FloorAudit:
    """Audit batches, tables and shoes together, then their corrections."""
    tallies = list(map(tally_of, FLOOR_RULES))
    findings = _floor_findings(floor, tallies)
    of_corrections = [tally for tally in tallies if tally.rule.looks_at == "record"]
    make = Findings(floor)

    def audit(other: Floor) -> list[Finding]:
        return _floor_findings(other, list(map(tally_of, FLOOR_RULES)))

    views = list(view_record_corrections(floor, findings, audit))
    for view in views:
        for rule, breach in _broken(of_corrections, view):
            finding = replace(make.of(rule, breach, view.stream), explained_by=view.told)
            findings = [*explained_by_correction(findings, view, finding), finding]
        findings = with_authors(findings, view)
    _count_views(of_corrections, len(views))
    findings.sort(key=lambda found: (found.stream, found.at_us or 0, found.code, found.fingerprint))
    verdicts = [tally.result(_NOTHING[tally.rule.looks_at]) for tally in tallies]
    return FloorAudit(len(floor.batches), len(floor.tables), with_explanations(findings), verdicts)


def _floor_findings(floor: Floor, tallies: list[RuleTally]) -> list[Finding]:
    """Apply the rules of batches, tables and the floor."""
    make = Findings(floor)
    looks: dict[LooksAt, list[tuple[str, object]]] = {
        "batch": [(batch.stream, view_batch(floor, batch)) for batch in floor.batches.values()],
        "table": [(table.stream, view_table(floor, table)) for table in floor.tables.values()],
        "floor": [(FLOOR, floor)] if floor.shoes else [],
    }
    findings: list[Finding] = []
    for looks_at, views in looks.items():
        asked = [tally for tally in tallies if tally.rule.looks_at == looks_at]
        for stream, view in views:
            broken = _broken(asked, view)
            findings += [make.of(rule, breach, stream) for rule, breach in broken]
        _count_views(asked, len(views))
    return findings


# -- Running rules ---------------------------------------------------------------------------------


def _broken(
    tallies: list[RuleTally], view: object, shoe: Shoe | None = None, coup: Coup | None = None
) -> list[tuple[Rule, Breach]]:
    """Apply rules to a view, and return the breaches.

    Answers other than `NO_BREACH` are added to the tallies; `_count_views` adds the rest. A need
    that several rules share is checked once. ``shoe`` and ``coup`` are those of the view.
    """
    unsure = {} if shoe is None or coup is None else bets_in_doubt(shoe, coup)
    number = None if coup is None else coup.number
    lacks: dict[Missing, Reason | None] = {}
    broken: list[tuple[Rule, Breach]] = []
    for tally in tallies:
        answer = tally.answer(view, lacks)
        if answer is NO_BREACH:
            continue
        # an answer that is not clean is counted here, not by `_count_views`
        tally.checked -= 1
        if isinstance(answer, Reason):
            tally.skip(_why_not_applicable(shoe, answer), number)
            continue
        if unsure and tally.rule.family == "payout":
            answer = tuple(_held_back(each, unsure) for each in answer)
        broken += [(tally.rule, breach) for breach in tally.count_answer(answer, number)]
    return broken


def _count_views(tallies: list[RuleTally], looked: int) -> None:
    """Add a number of views to each rule's checks."""
    for tally in tallies:
        tally.checked += looked


def _why_not_applicable(shoe: Shoe | None, reason: Reason) -> Reason:
    """Return the reason to report for a rule that does not apply.

    Where the rule pack cannot be read, "the pack does not say …" becomes `NO_PACK`.
    """
    unsaid = reason.kind == "not-required"
    return NO_PACK if shoe is not None and shoe.pack is None and unsaid else reason


def _held_back(verdict: Breach | Doubt, unsure: dict[int, Reason]) -> Breach | Doubt:
    """Turn a breach into a doubt if it is unknown which events belong to its bet.

    The settlement of that bet may then be incomplete.
    """
    if isinstance(verdict, Doubt):
        return verdict
    bets = (getattr(event.payload, "bet", None) for event in verdict.events)
    reason = next((unsure[bet] for bet in bets if bet in unsure), None)
    return verdict if reason is None else Doubt(reason)
