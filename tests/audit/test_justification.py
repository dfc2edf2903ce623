"""Irregularities on record excuse a breach if they are true, timely and ruled on.

Sources: ARRETE_2007_ART_55_14, DESPACHO_55_2004_ART_4, PA_CODE_58_629A_13,
NSW_MINI_BACCARAT_RULE_12.

Money is worked out by hand: even money on Player, 19:20 on Banker; what a void coup, or a burned
card, kept from a patron is held against what the cards said before.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.rules.labels import irregularity_label
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.audited import codes, finished
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each
from tests.support.legal_dealer import BANCO_DRAWS_ON
from tests.support.ruled_coups import BETS, CREW, dealt, noted, only_finding, staked

VOID = "unjustified-void"
BURN = "dealt-card-burned-without-ruling"
VOIDED = ev.CoupVoided(1, "ruled", "sue")


def skipped(shoe: Shoe, code: str) -> list[str]:
    return next(each for each in audit_shoe(shoe).verdicts if each.code == code).reasons


# -- A coup that is void --------------------------------------------------------------------------

NO_VOIDS = [
    ("wrong-payment", "stand"), ("wrong-payment", "none"), ("wrong-call", "none"),
    ("late-bet", "none"), ("abandoned-bet", "none"), ("other", "none"), ("other", "play-on"),
    ("card-exposed", "play-on"), ("card-exposed", "burn-card"), ("misdeal", "stand"),
]  # fmt: skip


@for_each("settled", [False, True])
@for_each("begun", [False, True])
@for_each("said", [(), (noted("card-exposed", "void"),)])
def test_a_void_after_the_next_coup_began_is_justified_by_nothing(said, begun, settled):
    """p1's 10.00 won and p2's 20.00 lost. Once they are settled, nothing is owed for the void.

    If neither was settled, the house has 10.00 too much and 20.00 too little.
    """
    felt = dealt().put(ev.ResultCalled(1, 9, 5, "P"))
    felt.put(*(ev.BetTaken(1, 2, 2000), ev.BetPaid(1, 1, 1000)) * settled)
    felt.put(ev.CoupClosed(1), ev.CoupOpened(2), *[ev.NoMoreBets(2)] * begun)
    if begun:
        felt.cards("> P 9  B 2")
    shoe = felt.put(*said, VOIDED).shoe
    found = {each.code: each for each in audit_shoe(shoe).findings}
    assert found[VOID].money.patrons == ({} if settled else {"p1": -1000, "p2": 2000})
    assert found[VOID].money.house == (0 if settled else -1000)
    own = [each for each in found.values() if each.explained_by is None and each.coup == 1]
    assert all(each.code == VOID or not each.money.house for each in own)
    assert ("voided-bet-settled" in found) == settled


@pytest.mark.parametrize(
    ("supervisor", "by", "found"),
    [("ann", "ann", [VOID]), ("sue", "ann", [VOID]), ("sue", "sue", []), ("ann", "bob", [])],
)
def test_a_dealer_at_the_supervisors_post_voids_on_nobody_elses_word(supervisor, by, found):
    """ann deals. She takes the supervisor's post and voids a coup after its result."""
    felt = staked(crew=CREW[:1]).cards("> P 9  B 2  P K  B 3")
    felt.put(ev.CrewChanged("supervisor", supervisor), ev.ResultCalled(1, 9, 5, "P"))
    felt.put(noted("misdeal", "void", by=by), ev.CoupVoided(1, "misdeal", by))
    findings = [each for each in audit_shoe(felt.shoe).findings if each.code == VOID]
    assert [each.code for each in findings] == found
    assert all(each.money.patrons == {"p1": -1000, "p2": 2000} for each in findings)


@for_each("said", NO_VOIDS)
def test_a_win_is_not_voided_away_on_a_ruling_that_voids_nothing(said):
    """p1's 1000 would have won 1000, p2's 2000 would have lost: the house has 1000 too little."""
    felt = dealt().put(ev.ResultCalled(1, 9, 5, "P"), noted(*said), VOIDED)
    shoe = felt.coup("P 4 5  B K 8", 2).shoe
    found = next(each for each in audit_shoe(shoe).findings if each.code == VOID)
    assert found.money.patrons == {"p1": -1000, "p2": 2000}
    assert found.money.house == -1000
    assert irregularity_label(said[0]) in found.message


@pytest.mark.parametrize(
    "said",
    [("misdeal", "void"), ("wrong-payment", "void"), ("other", "void"), ("other", "other"),
     ("card-exposed", "return-bets"), ("misdeal", "none"), ("card-off-the-table", "none")],
)  # fmt: skip
def test_a_coup_is_void_on_a_ruling_that_says_so(said):
    """What went wrong with the cards and is not ruled on in words is ruled on by who voids."""
    felt = dealt().put(ev.ResultCalled(1, 9, 5, "P"), noted(*said), VOIDED)
    assert codes(felt.coup("P 4 5  B K 8", 2).shoe) == []


def test_one_ruling_that_voids_is_enough():
    felt = dealt().put(noted("wrong-call", "stand"), noted("misdeal", "void"), VOIDED)
    assert codes(felt.coup("P 4 5  B K 8", 2).shoe) == []


def voided_by(note_by: str | None, void_by: str | None, crew: tuple[ev.Crew, ...]) -> Shoe:
    felt = dealt(crew=crew).put(noted("misdeal", "void", by=note_by), ev.CoupVoided(1, by=void_by))
    return felt.coup("P 4 5  B K 8", 2).shoe


def test_somebody_rules_where_the_record_says_who_rules():
    assert codes(voided_by(None, None, CREW)) == [VOID]
    assert (
        "no person is named who ruled on a misdeal"
        in only_finding(voided_by(None, None, CREW)).message
    )
    assert codes(voided_by("sue", None, CREW)) == []
    assert codes(voided_by(None, "sue", CREW)) == []


@for_each("crew", [(), CREW])
def test_a_patron_voids_nothing_unless_the_house_rules_too(crew):
    """p1 bet in the coup; before it, p1 was nobody in particular."""
    assert codes(voided_by("p1", "p2", crew)) == [VOID]
    found = only_finding(voided_by("p1", None, crew))
    assert "p1, who plays, ruled on a misdeal" in found.message
    assert codes(voided_by("p1", "sue", crew)) == []
    assert codes(voided_by("sue", "p1", crew)) == []


def test_a_patron_who_works_at_the_table_rules():
    """The breach is the bet of somebody at a post, not the ruling."""
    crew = (*CREW, ev.Crew("caller", "p1"))
    assert VOID not in codes(voided_by("p1", "p1", crew))


def test_a_patron_may_be_named_who_plays_only_later():
    felt = dealt().put(noted("misdeal", "void", by="p9"), ev.CoupVoided(1, by="p9"))
    felt.put(ev.CoupOpened(2), ev.BetPlaced(2, 1, "p9", "player", 500), ev.NoMoreBets(2))
    felt.cards("P 4 5  B K 8")
    assert codes(ended_with_win(felt)) == []


def ended_with_win(felt: Felt) -> Shoe:
    return felt.put(ev.ResultCalled(2, 9, 8, "P"), ev.BetPaid(2, 1, 500), ev.CoupClosed(2)).shoe


NAMED = noted("other", "play-on", None)
"""The record tells of nobody else who ruled."""


def test_a_record_that_names_nobody_lacks_no_name():
    assert codes(voided_by(None, None, ())) == []
    felt = dealt(crew=()).put(noted("misdeal", by=None), ev.CoupVoided(1))
    assert codes(felt.coup("P 4 5  B K 8", 2).shoe) == []
    for before, behind, found in (([NAMED], [], [VOID]), ([], [NAMED], [])):
        felt = dealt(crew=()).put(*before, noted("misdeal", "void", by=None), ev.CoupVoided(1))
        assert codes(felt.coup("P 4 5  B K 8", 2).put(*behind).shoe) == found


def test_a_reason_is_noted_before_the_next_coup():
    """What is made up once the next bets lie there excuses nothing."""
    shoe = dealt().put(VOIDED, noted("misdeal", "void")).coup("P 4 5  B K 8", 2).shoe
    assert codes(shoe) == []
    late = dealt().put(VOIDED).coup("P 4 5  B K 8", 2).put(noted("misdeal", "void"))
    assert (
        only_finding(late.shoe).message
        == "coup 1 was voided after Player 9 K, Banker 2 3, and a misdeal was noted too late"
    )
    last = dealt().put(VOIDED, ev.ShoeEnded(left=410, reason="closing"), noted("misdeal", "void"))
    assert VOID not in codes(last.shoe)


@pytest.mark.parametrize(("at", "told"), [(-400, []), (100, []), (400, [VOID])])
def test_whether_a_reason_came_in_time_may_be_in_doubt(at, told):
    """The terminal opens the next coup, the floor's tablet notes; the tolerance is 250 ms."""
    felt = Felt(pack_text("classic-8") + "\n[clocks]\ntolerance_ms = 250\n").ready()
    for second, payload in enumerate((ev.CoupOpened(1), *BETS, ev.NoMoreBets(1)), 20):
        felt.tell("terminal", second * 1000, payload)
    for nth, (hand, card) in enumerate(zip(("player", "banker") * 2, "92K3", strict=True)):
        drawn = ev.CardDrawn(1, hand, card, len(felt.shoe.left) + 1)  # type: ignore[arg-type]
        felt.tell("terminal", 30_000 + nth * 1000, drawn)
    felt.tell("terminal", 40_000, VOIDED)
    felt.tell("terminal", 50_000, ev.CoupOpened(2))
    felt.tell("tablet", 50_000 + at, noted("misdeal", "void"))
    assert [code for code in codes(felt.shoe) if code == VOID] == told
    assert any("doubtful" in reason for reason in skipped(felt.shoe, VOID)) == (at == 100)


# -- Bets that go back as if it were void ---------------------------------------------------------


def given_back(note: ev.Event, outcome: str = "P") -> Shoe:
    felt = dealt() if outcome == "P" else dealt("> P 9  B 8  P K  B A")
    totals = (9, 5, "P") if outcome == "P" else (9, 9, "T")
    felt.put(ev.ResultCalled(1, *totals), note, ev.BetPushed(1, 1), ev.BetPushed(1, 2))
    return felt.put(ev.CoupClosed(1)).coup("P 4 5  B K 8", 2).shoe


def test_bets_that_all_go_back_are_judged_as_a_void_coup_is():
    assert codes(given_back(noted("other", "return-bets"))) == []
    found = only_finding(given_back(noted("other", "return-bets", by=None)))
    assert (found.code, found.money.patrons) == (VOID, {"p1": -1000, "p2": 2000})
    assert codes(given_back(noted("other", "return-bets", by=None), "T")) == []


# -- What the record refutes ----------------------------------------------------------------------


def wrong_draw(cards: str, *then: ev.Event, rules: str = "classic-8") -> Shoe:
    felt = dealt(cards, rules=rules).put(noted("wrong-draw", "void"), *then, VOIDED)
    return felt.coup("P 4 5  B K 8", 2).shoe


def test_a_wrong_draw_that_there_was_not_voids_nothing():
    """Two draws a two, and four stands against seven: Banker would have won 19:20 of 2000."""
    found = only_finding(wrong_draw("> P 2  B 2  P K  B 5  P 2"))
    assert found.code == VOID
    assert found.money.patrons == {"p1": 1000, "p2": -1900}
    assert "every card was drawn correctly" in found.message


@pytest.mark.parametrize(
    "cards",
    [
        "> P 6  B 2  P K  B 5  P 2",  # six draws
        "> P 2  B 2  P K  B 5  B 2",  # Banker draws before Player
        "> P 2  B 2  P K  B 5  P 2  B 3",  # seven draws
        "> P 9  B 2  P K  B 3  B 3",  # a natural lies there
        "> P 2  P K  B 2  B 5",  # the second card went to Player
    ],
)
def test_a_wrong_draw_that_there_was_does(cards):
    assert VOID not in codes(wrong_draw(cards))


def test_a_card_that_was_burned_undrawn_may_be_the_wrong_one():
    """The dealer pulls a card behind a natural. It goes to no hand, and is burned."""
    felt = dealt().put(noted("wrong-draw", "void"), ev.CardBurned("4", 7, "ruling", 1), VOIDED)
    assert codes(felt.coup("P 4 5  B K 8", 2).shoe) == []


def test_a_hand_that_was_passed_over_by_a_call_was_dealt_wrongly():
    felt = dealt("> P 2  B 2  P K  B 5").put(ev.ResultCalled(1, 2, 7, "B"))
    shoe = felt.put(noted("wrong-draw", "void"), VOIDED).coup("P 4 5  B K 8", 2).shoe
    assert VOID not in codes(shoe)


def test_a_record_of_coups_alone_refutes_nothing():
    felt = Felt(coverage="coups").put(ev.CoupOpened(1), *BETS).cards("> P 9  B 2  P K  B 3")
    assert VOID not in codes(felt.put(noted("wrong-draw", "void"), VOIDED).shoe)


def test_a_false_draw_that_there_was_not_costs_nobody_the_shoe():
    seats = tuple(ev.Seat(seat, f"p{seat}") for seat in (1, 2, 3, 4))
    for third, found in (("", VOID), ("  B 3", "shoe-kept-after-wrong-draw")):
        felt = Felt("france", seats=seats, crew=CREW).ready().put(ev.ShoeTaken("p1"))
        felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p2", "player", 2000, 2), ev.NoMoreBets(1))
        felt.cards("> P 9  B 2  P K  B 3" + third)
        felt.put(noted("wrong-draw", "void"), VOIDED, ev.CoupOpened(2), ev.NoMoreBets(2))
        told = set(codes(felt.cards("> P 4  B K  P 5  B 8").shoe))
        assert told & {VOID, "shoe-kept-after-wrong-draw"} == {found}


def too_few(cards: str, left: int | None, by: str | None = "sue") -> Shoe:
    note, void = noted("too-few-cards", "void", by=by), ev.CoupVoided(1, "too few cards", by)
    felt = dealt(cards).put(note, void)
    return felt.put(ev.ShoeEnded(left=left, reason="too-few-cards")).shoe


def test_too_few_cards_are_fewer_than_a_coup_may_take():
    """A coup takes six at most. One that has all its cards lacks none."""
    assert VOID in codes(too_few("> P 4  B K  P 5", None))
    assert VOID in codes(too_few("> P 4  B K  P 5", 6))
    assert VOID not in codes(too_few("> P 4  B K  P 5", 5))
    assert VOID in codes(too_few("> P 9  B 2  P K  B 3", 5))


def test_nobody_has_to_rule_that_a_shoe_is_empty():
    """The rules of the game void the coup then; of a misdeal somebody judges."""
    assert VOID not in codes(too_few("> P 4  B K  P 5", 5, None))
    assert VOID in codes(too_few("> P 4  B K  P 5", 6, None))
    misdealt = dealt("> P 4  B K").put(
        noted("misdeal", "void", by=None), ev.CoupVoided(1, "misdealt")
    )
    assert VOID in codes(misdealt.shoe)


LATE = ev.BetPlaced(1, 3, "p3", "tie", 500)


@pytest.mark.parametrize("late", [LATE, ev.BetChanged(1, 1, 5000), ev.BetWithdrawn(1, 2)])
def test_a_late_bet_is_a_bet_that_came_late(late):
    note = noted("late-bet", "void")
    in_time = dealt().put(note, VOIDED, ev.BetWithdrawn(1, 1)).coup("P 4 5  B K 8", 2)
    assert codes(in_time.shoe) == [VOID]
    behind = staked().put(late).cards("> P 9  B 2  P K  B 3").put(note, VOIDED)
    assert VOID not in codes(behind.coup("P 4 5  B K 8", 2).shoe)


def test_a_record_without_bets_has_no_late_ones_to_refute():
    felt = Felt(crew=CREW).ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    felt.cards("> P 9  B 2  P K  B 3").put(noted("late-bet", "void"), VOIDED)
    assert codes(felt.coup("P 4 5  B K 8", 2).shoe) == []


RANKS = st.sampled_from("A23456789TJQK")
WORTH = dict(zip("A23456789TJQK", (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0), strict=True))


def _points(cards: list[str]) -> int:
    return sum(WORTH[card] for card in cards) % 10


def by_hand(cards: list[str]) -> list[tuple[str, str]]:
    """Return what each hand is dealt of these six, by a tableau of this test's own."""
    first = list(zip(("P", "B", "P", "B"), cards, strict=False))
    player_total, banker_total = _points(cards[:4:2]), _points(cards[1:4:2])
    if max(player_total, banker_total) >= 8:
        return first
    rest = iter(cards[4:])
    third = None
    if player_total < 6:
        third = next(rest)
        first.append(("P", third))
    on = BANCO_DRAWS_ON.get(banker_total)
    draws = banker_total < 6 if third is None else on is None or WORTH[third] in on
    return [*first, ("B", next(rest))] if draws else first


@given(st.lists(RANKS, min_size=6, max_size=6), st.integers(4, 6), st.sampled_from("PB"))
def test_what_the_tableau_asked_for_is_no_wrong_draw_and_one_card_more_is(cards, until, hand):
    due = by_hand(cards)
    some = due[: max(4, min(until, len(due)))]
    right = "> " + "  ".join(f"{side} {card}" for side, card in some)
    assert VOID in codes(wrong_draw(right))
    if len(some) == len(due):
        assert VOID not in codes(wrong_draw(f"{right}  {hand} 4"))


# -- A card that is taken off its hand ------------------------------------------------------------


def switched(*before: ev.Event, again: bool = False, behind: tuple[ev.Event, ...] = ()) -> Shoe:
    """Two draws a two, and would lose. It is burned, and a seven wins: perhaps once more."""
    felt = dealt("> P 2  B 2  P K  B 5  P 2").put(*before)
    felt.put(ev.CardBurned("2", 7, "ruling", 1)).cards("> P 7")
    if again:
        felt.put(ev.CardBurned("7", 8, "ruling", 1)).cards("> P 6")
    finished(felt)
    return felt.coup("P 4 5  B K 8", 2).put(*behind).shoe


@pytest.mark.parametrize(
    "said",
    [None, ("wrong-payment", "none"), ("late-bet", "none"), ("other", "none"),
     ("other", "play-on"), ("card-exposed", "play-on"), ("wrong-draw", "burn-card")],
)  # fmt: skip
def test_a_card_is_not_switched_on_a_ruling_that_burns_none_or_a_wrong_draw_made_up(said):
    """Four loses to seven, nine wins: p1 has 2000 too much, p2 1900 and 2000 too little."""
    found = only_finding(switched(*[noted(*said)] if said else []))
    assert found.code == BURN
    assert found.money.patrons == {"p1": 2000, "p2": -3900}


@pytest.mark.parametrize(
    "said", [("card-exposed", "burn-card"), ("card-off-the-table", "none"), ("other", "other")]
)
def test_a_card_is_burned_on_a_ruling_that_burns(said):
    assert codes(switched(noted(*said))) == []


def test_each_ruling_takes_off_what_lay_there():
    """The card that came instead of a burned one asks for a ruling of its own."""
    once = noted("card-off-the-table", "burn-card")
    assert codes(switched(once, again=True)) == [BURN]
    assert codes(switched(once, noted("card-exposed", "burn-card"), again=True)) == []
    felt = dealt("> P 2  B 2").put(noted("misdeal", "burn-card"))
    felt.put(ev.CardBurned("2", 3, "ruling", 1), ev.CardBurned("2", 4, "ruling", 1))
    assert codes(finished(felt.cards("> P 9  B 2  P K  B 3"))) == []


def test_a_ruling_made_up_coups_later_burned_nothing():
    assert codes(switched(behind=(noted("card-exposed", "burn-card"),))) == [BURN]
    nobody = noted("card-exposed", "burn-card", by=None)
    assert codes(switched(nobody)) == [BURN]


def test_a_wrong_card_is_burned_on_the_wrong_draw():
    """Six stands: his third is burned, and five draws it."""
    felt = dealt("> P 2  B K  P 4  B 5  P 9").put(noted("wrong-draw", "burn-card"))
    felt.put(ev.CardBurned("9", 7, "ruling", 1))
    assert codes(finished(felt.cards("> B 2"))) == []


# -- A card that is given to Banker ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "by", "told"),
    [
        ("> P 6  B 2  P K  B 3  P 3", "sue", False),
        ("> P 6  B 2  P K  B 3  P 3", None, True),
        ("> P 6  B 2  P K  B 3  P 3", "p2", True),
        ("> P 2  B 2  P K  B 5  P 2", "sue", True),
    ],
)
def test_a_card_is_given_to_banker_on_a_wrong_draw_that_there_was(cards, by, told):
    """Six stands and five draws: the card is Banker's. Two draws, and the card is Player's."""
    felt = dealt(cards).put(noted("wrong-draw", "card-to-banker", by=by))
    shoe = finished(felt.put(ev.CardReassigned(1, "player", "banker", by)))
    assert ("card-moved-without-ruling" in codes(shoe)) == told
