"""Irregularities that were noticed, ruled on and corrected are at most notes.

What it let stand, or only said that it had put right, stays a finding.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.findings import Finding
from sabot.domain.events import Irregularity
from tests.support.coup_notation import Felt
from tests.support.faulty_log import sabot
from tests.support.for_each import for_each

Y3 = Path(__file__).parents[1] / "data" / "one-fault" / "late-bet-returned.jsonl"
LATE = ev.BetPlaced(1, 2, "p2", "player", 5000, 2)
PAID = (ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 10_000))


def begun(**loaded: object) -> Felt:
    """p1 has 100.00 on Player; no more bets are taken."""
    bet = ev.BetPlaced(1, 1, "p1", "player", 10_000, 1)
    return Felt(**loaded).ready().put(ev.CoupOpened(1), bet, ev.NoMoreBets(1))


def noted(kind: Irregularity, ruling: str) -> ev.IrregularityNoted:
    return ev.IrregularityNoted(kind, ruling, 1, by="sue")  # type: ignore[arg-type]


VOIDED = ev.CoupVoided(1, by="sue")
DRAWN_ON_SEVEN = "> P 4  B K  P 3  B 2  P 5"
"""Player drew a third card on 7."""
HANDS_TAKEN_IN_TURN = "> P 4  P 3  B K  B 2"

Story = Callable[[], Felt]
STORIES: dict[tuple[Irregularity, str], Story] = {
    ("wrong-draw", "void"): lambda: (
        begun().cards(DRAWN_ON_SEVEN).put(noted("wrong-draw", "void"), VOIDED)
    ),
    ("wrong-draw", "return-bets"): lambda: (
        begun().cards(DRAWN_ON_SEVEN).put(noted("wrong-draw", "return-bets"), ev.BetPushed(1, 1))
    ),
    ("wrong-draw", "burn-card"): lambda: (
        begun()
        .cards(DRAWN_ON_SEVEN)
        .put(noted("wrong-draw", "burn-card"), ev.CardBurned("5", 7, "ruling", 1))
        .cards("> B 4")
        .put(ev.ResultCalled(1, 7, 6, "P"), ev.BetPaid(1, 1, 10_000))
    ),
    ("wrong-draw", "restore-card"): lambda: (
        begun()
        .cards(DRAWN_ON_SEVEN)
        .put(noted("wrong-draw", "restore-card"), ev.CardReassigned(1, "player", "banker"))
        .put(ev.ResultCalled(1, 7, 7, "T"), ev.BetPushed(1, 1))
    ),
    ("misdeal", "void"): lambda: (
        begun().cards(HANDS_TAKEN_IN_TURN).put(noted("misdeal", "void"), VOIDED)
    ),
    ("misdeal", "return-bets"): lambda: (
        begun().cards(HANDS_TAKEN_IN_TURN).put(noted("misdeal", "return-bets"), ev.BetPushed(1, 1))
    ),
    ("card-exposed", "void"): lambda: (
        begun().cards("> P 4  B K").put(noted("card-exposed", "void"), VOIDED)
    ),
    ("card-face-up", "no-bet-hand"): lambda: (
        begun().cards("> P 4").put(noted("card-face-up", "no-bet-hand")).cards("> B K P 5 B 8")
    ).put(VOIDED),
    ("card-off-the-table", "return-bets"): lambda: (
        begun().cards("> P 4").put(noted("card-off-the-table", "return-bets"), ev.BetPushed(1, 1))
    ),
    ("too-few-cards", "void"): lambda: (
        begun(coverage="coups").cards("> P 4").put(noted("too-few-cards", "void"), VOIDED)
    ),
    ("shuffler-fault", "void"): lambda: (
        begun().cards("> P 4").put(noted("shuffler-fault", "void"), VOIDED)
    ),
    ("late-bet", "return-bets"): lambda: (
        begun().cards("P 4 5  B K 8").put(LATE, noted("late-bet", "return-bets"))
    ).put(ev.BetWithdrawn(1, 2), *PAID),
    ("late-bet", "void"): lambda: (
        begun().cards("P 4 5  B K 8").put(ev.BetChanged(1, 1, 20_000), noted("late-bet", "void"))
    ).put(VOIDED),
    ("late-bet", "other"): lambda: (
        begun().cards("P 4 5  B K 8").put(LATE, noted("late-bet", "other"))
    ).put(ev.BetWithdrawn(1, 2), *PAID),
    ("wrong-payment", "other"): lambda: (
        begun()
        .cards("P 4 5  B K 8")
        .put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 20_000))
        .put(noted("wrong-payment", "other"), ev.BetTaken(1, 1, 10_000))
    ),
    ("wrong-call", "other"): lambda: (
        begun()
        .cards("P 4 5  B K 8")
        .put(ev.ResultCalled(1, 8, 9, "B"), noted("wrong-call", "other"), *PAID)
    ),
    ("abandoned-bet", "other"): lambda: (
        begun().cards("P 4 5  B K 8").put(*PAID, noted("abandoned-bet", "other"))
    ),
    ("other", "void"): lambda: (
        begun().cards(HANDS_TAKEN_IN_TURN).put(noted("other", "void"), VOIDED)
    ),
}
LEFT_A_NOTE = {
    ("wrong-draw", "return-bets"), ("misdeal", "void"), ("misdeal", "return-bets"),
    ("late-bet", "return-bets"), ("late-bet", "void"), ("late-bet", "other"), ("other", "void"),
    ("wrong-payment", "other"), ("wrong-call", "other"),
}  # fmt: skip
"""Stories that leave something to tell: the others show no breach once they are put right."""
MENDED_AT_ONCE = {("wrong-payment", "other")}
"""What the dealer puts right without a word breaks no rule."""


def findings(felt: Felt) -> list[Finding]:
    """Audit the shoe, with a coup of no moment behind the one that is told."""
    felt.put(*[ev.CoupClosed(1)] * (felt.shoe.current is not None))
    return audit_shoe(felt.coup("p1 player 500 | P 4 5  B K 8").shoe).findings


def test_every_kind_of_irregularity_has_a_story():
    assert {kind for kind, _ in STORIES} == set(get_args(Irregularity))


@for_each("story", STORIES, ids=" ".join)
def test_what_was_put_right_is_a_note(story):
    found = findings(STORIES[story]())
    assert {each.severity for each in found} == ({"note"} if story in LEFT_A_NOTE else set())


@pytest.mark.parametrize("story", sorted(LEFT_A_NOTE - MENDED_AT_ONCE), ids=" ".join)
def test_the_same_without_a_ruling_is_a_finding(story):
    whole = STORIES[story]()
    felt = Felt()
    unnoted = (each for each in whole.payloads[1:] if not isinstance(each, ev.IrregularityNoted))
    assert "note" not in {each.severity for each in findings(felt.put(*unnoted))} != set()


@pytest.mark.parametrize("kind", ["wrong-payment", "other"])
@pytest.mark.parametrize(
    ("cards", "called", "moves"),
    [
        ("P 4 5  B K 8", "P", [ev.BetPaid(1, 1, 20_000), ev.BetTaken(1, 1, 10_000)]),
        ("P 4 5  B K 8", "P", [ev.BetPaid(1, 1, 4000), ev.BetPaid(1, 1, 6000)]),
        ("P 4 5  B K 8", "P", [ev.BetPushed(1, 1), ev.BetPaid(1, 1, 10_000)]),
        ("P 4 4  B K 9", "B", [ev.BetPaid(1, 1, 10_000), ev.BetTaken(1, 1, 20_000)]),
        ("P 4 4  B K 9", "B", [ev.BetTaken(1, 1, 4000), ev.BetTaken(1, 1, 6000)]),
        ("P 4 5  B K 9", "T", [ev.BetTaken(1, 1, 10_000), ev.BetPaid(1, 1, 10_000)]),
    ],
)
def test_a_wrong_payment_that_was_put_right_on_a_ruling_is_a_note(kind, cards, called, moves):
    def settled(*between: ev.Event) -> list[Finding]:
        felt = begun().cards(cards).put(ev.ResultCalled(1, outcome=called))
        return findings(felt.put(moves[0], *between, moves[1]))

    (found,) = settled(noted(kind, "other"))
    assert (found.severity, found.money.house, found.patron) == ("note", 0, "p1")
    assert found.message.endswith("that was put right")
    assert settled() == []
    # nobody ruled, or a ruling of another matter
    assert settled(noted(kind, "none")) == settled(noted("late-bet", "other")) == []


def test_a_note_explains_no_wrong_payment_of_the_same_coup():
    """Banker is called, then Player. p1 is paid 50.00 too little all the same."""
    felt = begun().cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "B"))
    felt.put(noted("wrong-call", "other"), ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 5000))
    found = {each.number: (each.severity, each.explained_by) for each in findings(felt)}
    assert found == {"C103": ("note", None), "P201": ("high", None)}


@pytest.mark.parametrize(
    "felt",
    [
        # the wrong card stands, and counts
        lambda: (
            begun()
            .cards(DRAWN_ON_SEVEN)
            .put(noted("wrong-draw", "play-on"), ev.ResultCalled(1, 2, 2, "T"), ev.BetPushed(1, 1))
        ),
        # the late bet won, and was paid
        lambda: (
            begun()
            .cards("P 4 5  B K 8")
            .put(LATE, noted("late-bet", "return-bets"), *PAID, ev.BetPaid(1, 2, 5000))
        ),
        # the bet came behind the note: it is another one
        lambda: (
            begun()
            .cards("P 4 5  B K 8")
            .put(ev.BetPlaced(1, 3, "p3", "player", 500, 3), noted("late-bet", "return-bets"))
            .put(ev.BetWithdrawn(1, 3), LATE, ev.BetWithdrawn(1, 2), *PAID)
        ),
        # a late bet is noted; the cards were wrong
        lambda: (
            begun()
            .cards(HANDS_TAKEN_IN_TURN)
            .put(LATE, noted("late-bet", "return-bets"), ev.BetWithdrawn(1, 2))
            .put(ev.ResultCalled(1, 7, 2, "P"), ev.BetPaid(1, 1, 10_000))
        ),
    ],
)
def test_what_was_not_put_right_is_no_note(felt):
    assert {each.severity for each in findings(felt())} - {"note"}


def test_a_note_leaves_the_exit_code_alone(capsys, monkeypatch, sqlite_url):
    with Y3.open(encoding="utf-8") as lines:
        monkeypatch.setattr("sys.stdin", lines)
        assert sabot("record", "--database", sqlite_url) == 0
    capsys.readouterr()
    assert sabot("audit", "--database", sqlite_url, "--format", "json") == 0
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["code"], found["severity"]) == ("past-posted-bet", "note")
    assert found["money"]["house"] == 0


# -- Rulings that a correction puts on record ------------------------------------------------------


@pytest.mark.parametrize("story", sorted(LEFT_A_NOTE - MENDED_AT_ONCE), ids=" ".join)
@pytest.mark.parametrize(
    "first",
    [
        lambda _: ev.RequestMade("p1", "other"),
        lambda ruling: replace(ruling, ruling="none"),
        lambda ruling: replace(ruling, by=None),
    ],
    ids=["absent", "none", "unnamed"],
)
def test_a_ruling_that_a_late_correction_invents_hides_no_breach(story, first):
    """Without it the breach was no note when the next coup was over."""
    crew = (ev.CrewChanged("dealer", "dora"), ev.CrewChanged("supervisor", "sam"))
    told = STORIES[story]().payloads[1:]
    (ruling,) = [each for each in told if isinstance(each, ev.IrregularityNoted)]
    felt = Felt().put(*crew, *[first(each) if each == ruling else each for each in told])
    if {each.severity for each in findings(felt)} <= {"note"}:
        return
    place = next(n for n, each in enumerate(felt.payloads, 1) if each == first(ruling))
    felt.put(ev.EventCorrected(place, "forgotten", "dora", ruling))
    found = {each.number: each for each in audit_shoe(felt.shoe).findings}
    assert {each.number for each in found.values() if each.severity != "note"} == {"R413"}
    said = found["R413"].message
    assert "by dora" in said
    assert "removed" in said or "makes a note of" in said


def test_a_ruling_on_a_payment_that_was_put_right_may_be_recorded_late():
    felt = STORIES["wrong-payment", "other"]()
    place = next(
        n for n, each in enumerate(felt.payloads, 1) if isinstance(each, ev.IrregularityNoted)
    )
    ruling = felt.payloads[place - 1]
    first = Felt().put(*felt.payloads[1:][: place - 2], replace(ruling, ruling="none"))
    first.put(*felt.payloads[place:])
    assert findings(first) == []
    first.put(ev.EventCorrected(place, "forgotten", "sue", ruling))
    assert {each.severity for each in audit_shoe(first.shoe).findings} == {"note"}
