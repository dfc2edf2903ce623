"""The comparer finds changes, and a part of the frozen cases is equal.

Run as a whole it takes minutes: ``python -m benchmarks.comparer.compare``.
"""

import msgspec
import pytest
from msgspec.structs import replace

from benchmarks.comparer import compare, program
from benchmarks.comparer.cases import CLASSES, Case, Packs, Row, canonical, packed, unpacked
from benchmarks.comparer.compare import Outcome, audited, compared, jobs_of, name_of, report
from benchmarks.comparer.reasons import KINDS, kind_of
from benchmarks.comparer.renames import TABLE, Renames, differences
from sabot.domain.audit import engine
from sabot.domain.events.upcasting import FORMER_CODES
from sabot.domain.timeline.evidence import Reason
from tests.support.thorough import slow

EVERY = {
    "golden": 60,
    "examples": 60,
    "faults": 1800,
    "partial": 900,
    "devices": 720,
    "tests": 1080,
}
"""Of each class one case out of so many is compared here."""
FAULT = "faults/winner-overpaid/classic-8"
"""A case with a finding that bears money."""
NO_BETS = Reason("nothing-to-check", "the coup has no bets")


@pytest.fixture(scope="module")
def job():
    """The case, with what the program says of it today: differences are planted in that."""
    ((line, _),) = jobs_of("faults", FAULT)
    return line, audited(line)


@pytest.fixture
def told(job):
    return msgspec.json.decode(job[1])


@slow
@pytest.mark.parametrize("name", CLASSES)
def test_a_sample_is_equal(name):
    outcome = compare.compare(jobs_of(name, every=EVERY[name]))
    assert outcome.cases
    *accepted, last = report(outcome, whole=False)
    assert last == f"{outcome.cases:,} cases equal under the renames"
    assert all(line.startswith("accepted ") for line in accepted)


@slow
def test_every_class_is_frozen_and_every_case_has_a_name_of_its_own():
    names = [name_of(expected) for name in CLASSES for _, expected in jobs_of(name)]
    assert len(set(names)) == len(names)
    assert len(names) > 3000


# -- Planted differences --------------------------------------------------------------------------


def planted(job, told):
    """What is found where the expected line says something else."""
    return compared((job[0], canonical(told)), Renames({}))


def aspects(found):
    return [(each.rule, each.aspect) for each in found]


@slow
def test_what_is_frozen_is_equal(job, told):
    assert planted(job, told) == []


def money(told):
    told["findings"][0]["money"]["house"] += 1


def coup(told):
    told["findings"][0]["coup"] += 1


def event(told):
    told["findings"][0]["events"][-1] += 1


def patron(told):
    told["findings"][0]["patron"] = "somebody"


def severity(told):
    told["findings"][0]["severity"] = "low"


@pytest.mark.parametrize(
    ("change", "aspect"),
    [
        (money, "money"),
        (coup, "coup"),
        (event, "events"),
        (patron, "patron"),
        (severity, "severity"),
    ],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_a_changed_finding_is_found(job, told, change, aspect):
    rule = told["findings"][0]["rule"]
    change(told)
    assert aspects(planted(job, told)) == [(rule, aspect)]


def test_a_finding_too_few_or_too_many_is_found(job, told):
    finding = told["findings"].pop()
    assert aspects(planted(job, told)) == [(finding["rule"], "new")]
    told["findings"] += [finding, finding]
    assert aspects(planted(job, told)) == [(finding["rule"], "missing")]


def verdict_with_reason(told):
    (verdicts,) = told["verdicts"].values()
    return next(item for item in verdicts.items() if "nothing" in item[1][1])


def test_another_kind_of_reason_is_found(job, told):
    rule, (_, kinds) = verdict_with_reason(told)
    kinds["record"] = kinds.pop("nothing")
    assert aspects(planted(job, told)) == [(rule, "not-applicable")]


def test_another_count_is_found(job, told):
    rule, verdict = verdict_with_reason(told)
    verdict[0] += 1
    assert aspects(planted(job, told)) == [(rule, "checked")]


def test_another_step_of_an_explanation_is_found(job, told):
    (coups,) = told["explained"].values()
    next(iter(coups.values()))[0][1] = "otherwise"
    assert aspects(planted(job, told)) == [("(explain)", "explained")]


def test_a_rule_that_is_altered_is_found(job, told, monkeypatch):
    code = told["findings"][0]["rule"]
    altered = [
        replace(rule, needs=(), judge=lambda _view: NO_BETS) if rule.code == code else rule
        for rule in engine.SHOE_RULES
    ]
    monkeypatch.setattr(engine, "SHOE_RULES", altered)
    monkeypatch.setattr(engine, "_needs_of_game", engine._needs_of_game.__wrapped__)  # not cached
    found = aspects(compared(job, Renames({})))
    assert {rule for rule, _ in found} <= {code, "(explain)"}
    assert {aspect for _, aspect in found} >= {"missing", "checked", "not-applicable"}


def test_an_error_of_the_program_is_found(job, monkeypatch, capsys):
    monkeypatch.setattr(program, "audit_shoe", lambda _shoe: 1 // 0)
    assert aspects(compared(job, Renames({}))) == [("(program)", "failed")]
    assert "ZeroDivisionError" in capsys.readouterr().err


# -- Renames --------------------------------------------------------------------------------------


def renamed(told, table):
    """What is found of the same audit with another code and family of the rule that finds."""
    new = msgspec.json.decode(canonical(told))
    rule = told["findings"][0]["rule"]
    for finding in new["findings"]:
        finding |= {"rule": "short-code", "family": "money"}
    for verdicts in new["verdicts"].values():
        verdicts["short-code"] = verdicts.pop(rule)
    family = told["findings"][0]["family"]
    return list(differences(told, new, Renames(table(rule, family))))


def test_a_rename_makes_them_equal(told):
    assert len(renamed(told, lambda _rule, _family: {})) > 2
    table = {"rules": {}, "families": {}}

    def both(rule, family):
        return table | {"rules": {rule: "short-code"}, "families": {family: "money"}}

    assert renamed(told, both) == []


def test_counts_of_merged_rules_are_not_compared(told):
    new = msgspec.json.decode(canonical(told))
    rule = told["findings"][0]["rule"]
    (verdicts,) = new["verdicts"].values()
    other = next(code for code in verdicts if code != rule)
    verdicts[rule] = [1, {}]
    del verdicts[other]
    assert len(list(differences(told, new, Renames({})))) > 1
    assert list(differences(told, new, Renames({"rules": {other: rule}}))) == []


def test_an_accepted_difference_is_counted_and_told(job, told, monkeypatch):
    rule = told["findings"][0]["rule"]
    money(told)
    entry = {"case": "faults/*", "rule": rule, "aspects": ["money"], "reason": "planted"}
    monkeypatch.setattr(Renames, "read", lambda: Renames({"accepted": [entry]}))
    outcome = compare.compare([(job[0], canonical(told))])
    assert outcome.differences == []
    assert list(report(outcome, whole=True)) == [
        "accepted 1 times: planted",
        "1 cases equal under the renames",
    ]
    nothing = compare.compare([job])
    assert "no longer seen" in next(iter(report(nothing, whole=True)))


def test_the_table_of_renames_has_every_former_code_of_a_rule():
    renames = Renames.read()
    assert {former: renames.of_old(former) for former in FORMER_CODES} == FORMER_CODES


def test_the_table_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="unknown keys"):
        Renames({"rule": {}})
    with pytest.raises(ValueError, match="needs case, rule and reason"):
        Renames({"accepted": [{"case": "*", "rule": "*"}]})
    assert TABLE.exists()


def test_a_report_shows_the_first_cases_of_each_difference(job, told):
    money(told)
    (found,) = planted(job, told)
    lines = list(report(Outcome(9, [found] * 5, compare.Counter()), whole=False))
    assert lines[0] == f"{found.rule}: money: 5 differences in 1 cases"
    assert len(lines) == 5
    assert lines[-1] == "1 of 9 cases differ"


# -- Files and reasons ----------------------------------------------------------------------------


def test_rows_come_back_as_they_were():
    long = "text " * 50
    rows = [
        Row(3, None, "shoe/A", 1, "shoe-loaded", 50, 60, "a", "d", 1,
            canonical({"pack": long, "type": "shoe-loaded"}).decode()),
        Row(4, "x", "table/T", 7, "t", None, 55, "", "e", None, '{"type":"t"}'),
        Row(9, None, "shoe/A", 2, "fact-corrected", 40, 70, "a", "d", 9,
            canonical({"instead": {"pack": long}, "type": "fact-corrected"}).decode()),
    ]  # fmt: skip
    packs = Packs()
    line = msgspec.json.decode(canonical(packed(Case("c", floor=True, rows=rows), packs)))
    assert long not in str(line)
    assert unpacked(line, packs) == Case("c", floor=True, rows=rows)


def test_the_same_input_gives_the_same_line(job):
    assert audited(job[0]) == audited(job[0]) == job[1]


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("the order of the bet and of a card is doubtful: 120 ms apart", "order"),
        ("the rule does not apply to punto banco", "pack"),
        ("the pack does not say which backs", "pack"),
        ("the record holds only coups", "record"),
        ("the coup is still in play", "pending"),
        ("the coup has no bets", "nothing"),
        ("something else", "other"),
    ],
)
def test_reasons_have_kinds(reason, kind):
    assert kind_of(reason) == kind
    assert kind in KINDS
