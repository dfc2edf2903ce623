"""The reasons that explain a coup, worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.third_card import OF_DRAWS
from sabot.domain.audit.explain.coup_reasons import Explanation, explain
from sabot.domain.audit.explain.steps import Step
from sabot.domain.events import bank as bank_ev
from sabot.domain.values.errors import NotFound
from sabot.infrastructure.rule_packs import pack_text
from tests.support import any_events, faulty_log
from tests.support.audited import finish
from tests.support.coup_notation import Felt, shoe_of
from tests.support.for_each import for_each
from tests.support.own_hand_coups import play, table


def of(line: str, rules: str = "classic-8", **more: object) -> Explanation:
    return explain(Felt(rules, **more).ready().coup(line).shoe, 1)


def step(told: Explanation, what: str) -> Step:
    (found,) = [each for each in told.steps if each.what == what]
    return found


def payment(line: str, rules: str = "classic-8") -> Step:
    """The step of the only bet."""
    (found,) = [each for each in of(line, rules).steps if each.kind == "payment"]
    return found


# -- Outcomes without cards ------------------------------------------------------------------------


def test_a_coup_without_cards_is_explained_by_what_was_called_alone():
    felt = Felt(coverage="coups").put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "ann", "banker", 10_000))
    felt.put(ev.ResultCalled(1, outcome="B"), ev.BetPaid(1, 1, 9500, after_commission=True))
    cards, result, paid = explain(felt.put(ev.CoupClosed(1)).shoe, 1).steps
    assert (cards.what, cards.due, cards.shown) == ("cards", "not known", None)
    assert cards.why == "no card of the coup is on record"
    assert (result.what, result.due, result.shown) == ("result", "not known", "Banker wins")
    assert (paid.due, paid.differs) == ("not known", None)
    assert paid.why == "what was due is not known, since no card of the coup is on record"


@pytest.mark.parametrize("rules", ["classic-8", "chemin-de-fer"])
def test_totals_that_were_called_without_cards_are_told_as_called(rules):
    felt = Felt(rules, coverage="coups").put(ev.CoupOpened(1), ev.ResultCalled(1, 7, 6, "P"))
    steps = explain(felt.put(ev.CoupClosed(1)).shoe, 1).steps
    (result,) = [each for each in steps if each.kind == "result"]
    assert (result.shown, result.differs) == ("Player wins, Player 7, Banker 6", None)
    assert result.why == "as called; the record has no cards to compare it with"
    assert not [each for each in steps if each.kind in ("deal", "draw", "stand")]


def test_the_called_totals_of_three_hands_without_cards_are_told_as_called():
    totals = (bank_ev.HandTotal("right", 4), bank_ev.HandTotal("banker", 7))
    felt = Felt("banque", coverage="coups").put(ev.CoupOpened(1), bank_ev.HandsCalled(1, totals))
    _, *called = explain(felt.put(ev.CoupClosed(1)).shoe, 1).steps
    assert [(each.what, each.due, each.shown) for each in called] == [
        ("the right", "not known", "called 4"),
        ("the banker", "not known", "called 7"),
    ]


# -- Draws and stands: the table of ARRETE_2007_ART_55_14 in prose -------------------------------

DRAWS = [
    # cards, whose third card, due, a part of the reason
    ("P 2 3 K  B K 7", "player", "draw", "Player 5 draws: Player draws on 0 to 5"),
    ("P 2 4  B 2 3 K", "player", "stand", "Player 6 stands: Player stands on 6 and 7"),
    ("P K 8  B K 2", "player", "stand", "natural Player 8"),
    ("P K 8  B K 2", "banker", "stand", "natural Player 8"),
    ("P K 2  B K 9", "player", "stand", "natural Banker 9"),
    ("P 2 4  B 2 3 K", "banker", "draw", "Banker 5 draws with no third card to Player"),
    ("P 2 4  B 2 4", "banker", "stand", "Banker 6 stands with no third card to Player"),
    ("P 2 3 9  B K 3 2", "banker", "draw", "Banker 3 draws against a third card 9"),
    ("P 2 3 8  B K 3", "banker", "stand", "Banker 3 stands against a third card 8"),
    ("P 2 3 K  B K 3 2", "banker", "draw", "Banker 3 draws against a third card 0"),
    ("P 2 3 A  B K 4", "banker", "stand", "Banker 4 stands against a third card 1"),
    ("P 2 3 7  B K 4 2", "banker", "draw", "Banker 4 draws against a third card 7"),
    ("P 2 3 6  B K 6 2", "banker", "draw", "Banker 6 draws against a third card 6"),
    ("P 2 3 5  B K 6", "banker", "stand", "Banker 6 stands against a third card 5"),
    ("P 2 3 6  B K 7", "banker", "stand", "Banker 7 stands against a third card 6"),
    ("P 2 3 8  B K 2 2", "banker", "draw", "Banker 2 draws against a third card 8"),
]


@for_each(("cards", "hand", "due", "why"), DRAWS)
def test_the_reason_of_a_draw_or_a_stand(cards: str, hand: str, due: str, why: str) -> None:
    found = step(of(cards), f"{hand.capitalize()}'s third card")
    assert (found.due, found.differs) == (due, False)
    assert why in found.why
    assert found.shown is not None
    assert found.shown.startswith("drew" if due == "draw" else "stood")


def test_a_wrong_draw_stands_beside_what_was_due() -> None:
    found = step(of("P 2 4 K  B 3 4"), "Player's third card")
    assert (found.due, found.shown, found.differs) == ("stand", "drew K", True)
    assert found.why == "Player 6 stands: Player stands on 6 and 7"


def test_banker_is_held_to_what_player_really_took() -> None:
    """Player drew a 9 on 6: Banker 3 draws against it, though Player should have stood."""
    found = step(of("P 2 4 9  B K 3 2"), "Banker's third card")
    assert (found.due, found.differs) == ("draw", False)
    assert "against a third card 9" in found.why


def test_a_fourth_card_has_no_reason() -> None:
    found = step(of("P 2 3 K 4  B 3 4"), "Player's fourth card")
    assert (found.shown, found.differs) == ("drew 4", True)
    assert found.why == "no hand takes more than three cards"


def test_the_sum_of_the_first_two() -> None:
    found = step(of("P 7 8  B K 9"), "Player's first two")
    assert found.shown == "7 8 = 7 + 8 = 15, counts 5"


# -- Calls --------------------------------------------------------------------------------------


def test_a_call_beside_what_should_have_been_called() -> None:
    found = step(of("| P 4 5  B K 9 | P 9-8"), "result")
    assert (found.due, found.shown) == (
        "tie, Player 9, Banker 9",
        "Player wins, Player 9, Banker 8",
    )
    assert (found.why, found.differs) == ("equal totals tie", True)
    found = step(of("| P 4 5  B K 8 | P 9-8"), "result")
    assert (found.due, found.why, found.differs) == (
        "Player wins, Player 9, Banker 8", "the higher total wins", False,
    )  # fmt: skip


def test_what_was_not_called_does_not_differ() -> None:
    found = step(of("| P 4 5  B K 8 | -"), "result")
    assert (found.shown, found.differs) == (None, None)


# -- Payments -----------------------------------------------------------------------------------


def test_a_banker_bet_less_its_commission() -> None:
    found = payment("p1 banker 500 | P 4 4  B K 9")
    assert found.what == "p1's 5.00 EUR on Banker"
    assert found.due == "pay 5.00 EUR less 0.25 EUR, net 4.75 EUR"
    assert found.shown == "paid 5.00 EUR, commission 0.25 EUR kept"
    assert found.why == "Banker pays 1 to 1; commission 5 % of winnings"
    assert found.differs is False


def test_commission_that_had_to_be_rounded() -> None:
    # 5 % of 1.10 is 5.5 cents; the nearest, a half up, is 6
    found = payment("p1 banker 110 | P 4 4  B K 9")
    assert found.due == "pay 1.10 EUR less 0.06 EUR, net 1.04 EUR"
    assert found.why == (
        "Banker pays 1 to 1; commission 5 % of winnings, 0.0550 rounded nearest to 0.06 EUR"
    )


def test_winnings_that_had_to_be_rounded() -> None:
    # super 6: a banker's win on 6 pays 1:2; half of 1.01 is 50.5 cents, rounded down
    found = payment("p1 banker 101 | P 2 3 K  B 2 4", "super-6")
    assert found.due == "pay 0.50 EUR"
    assert "pays 1 to 2 (Banker wins on 6), 0.5050 rounded down to 0.50 EUR" in found.why


def test_a_tie_at_nine_to_one() -> None:
    assert payment("p1 tie 500 | P 4 5  B K 9", "uk").due == "pay 45.00 GBP"
    assert payment("p1 tie 500 | P 4 5  B K 9").due == "pay 40.00 EUR"


def test_a_push_a_loss_and_a_bet_that_nobody_settled() -> None:
    found = payment("p1 player 500 | P 4 5  B K 9")
    assert (found.due, found.shown, found.why) == ("push", "pushed", "on a tie the bet is pushed")
    found = payment("p1 player 500 | P 4 4  B K 9")
    assert (found.due, found.shown, found.why) == ("take 5.00 EUR", "taken 5.00 EUR", "Player lost")
    found = payment("p1 player 500 | P 4 4  B K 9 | B | -")
    assert (found.due, found.shown, found.differs) == ("take 5.00 EUR", None, True)


def test_a_payment_that_differs() -> None:
    found = payment("p1 tie 500 | P 4 5  B K 9 | T | 1 pay 4500")
    assert (found.due, found.shown, found.differs) == ("pay 40.00 EUR", "paid 45.00 EUR", True)


def test_a_voided_coup_pays_nothing() -> None:
    felt = (
        Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500), ev.NoMoreBets(1))
    )
    felt.cards("> P 4  B K  P 5").put(ev.BetTaken(1, 1, 500), ev.CoupVoided(1, "misdeal"))
    told = explain(felt.shoe, 1)
    voided = step(told, "voided")
    assert (
        voided.why
        == "misdeal; coup 1 was voided after Player 4 5, Banker K, and no irregularity was noted"
    )
    assert voided.differs is True
    found = step(told, "p1's 5.00 EUR on Tie")
    assert (found.due, found.shown, found.differs) == ("nothing", "taken 5.00 EUR", True)


def test_yen_have_no_decimals() -> None:
    text = pack_text("classic-8").replace("minor_units = 2", "minor_units = 0")
    assert payment("p1 player 500 | P 4 5  B K 8", text).due == "pay 500 EUR"


# -- The rest -----------------------------------------------------------------------------------


def test_a_coup_in_play_waits() -> None:
    felt = (
        Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500), ev.NoMoreBets(1))
    )
    felt.cards("> P 2  B K  P 3  B 7")
    found = step(explain(felt.shoe, 1), "Player's third card")
    assert (found.due, found.shown, found.differs) == ("draw", None, None)
    assert not any(each.differs for each in explain(felt.shoe, 1).steps)


def test_the_events_are_named() -> None:
    told = of("p1 tie 500 | P 2 4 K  B 3 4")
    events = Felt().ready().coup("p1 tie 500 | P 2 4 K  B 3 4").events
    (third,) = step(told, "Player's third card").events
    assert events[third - 1].payload == ev.CardDrawn(1, "player", "K", 7)


def test_a_coup_that_is_not_there() -> None:
    with pytest.raises(NotFound, match="its coups are 1 to 1"):
        explain(Felt().ready().coup("P 4 5  B K 8").shoe, 2)
    with pytest.raises(NotFound, match="no coup was dealt"):
        explain(Felt().shoe, 1)


@given(st.lists(any_events.payloads(), max_size=40))
def test_any_coup_can_be_explained_and_agrees_with_the_audit(payloads: list[ev.Event]) -> None:
    shoe = shoe_of(payloads)
    found = {(each.code, each.coup) for each in audit_shoe(shoe).findings}
    draws = {rule.code for rule in OF_DRAWS}
    for number, coup in shoe.coups.items():
        steps = explain(shoe, number).steps
        thirds = [each for each in steps if each.what.endswith("third card")]
        if coup.voided is None:
            judged = {code for code, of_coup in found if of_coup == number} & draws
            assert len(judged) == sum(1 for each in thirds if each.differs)


def own_hand(pack: str, line: str) -> dict[str, Step]:
    """The steps of a coup of macao or victoria, the last of each name."""
    return {step.what: step for step in explain(play(table(pack), line).shoe, 1).steps}


def test_a_choice_is_scored_where_the_game_is_solved() -> None:
    steps = own_hand("macao-later", "1 1000 | 1: 6 +3; B: 5 +2")
    drew = steps["p1 at seat 1, on 6 = 6"]
    chose = next(
        step
        for step in explain(play(table("macao-later"), "1 1000 | 1: 6 +3; B: 5").shoe, 1).steps
        if step.kind == "choice"
    )
    assert (chose.due, chose.shown, chose.differs) == ("free", "draws", False)
    assert "to draw loses 21.08 % of the stake on the average, 2.11 EUR" in chose.why
    assert "computed for one punter alone, with the chances of a full pack" in chose.why
    assert (drew.kind, drew.shown) == ("draw", "drew 3")
    assert steps["p1 at seat 1"].shown == "called 9"


def test_where_no_solution_is_published_the_step_says_so() -> None:
    for pack, line, why in (
        (
            "macao-old",
            "1 500 | 1: 6; B: 5",
            "the number of cards that a hand may draw is not limited",
        ),
        ("macao-later", "2 500, 1 500 | 2: 6; 1: 6; B: 5", "several hands play"),
        ("macao-later", "1 500 | 1: 3 +K =; B: 5", "might be kept"),
    ):
        told = explain(play(table(pack), line).shoe, 1).steps
        whys = [step.why for step in told if step.kind == "choice"]
        assert any(each.startswith("no published solution: ") and why in each for each in whys)
        assert not any(step.differs for step in told)


def test_what_was_done_with_a_hand_against_the_rules_is_told() -> None:
    told = explain(play(table(), "1 500 | 1: 3 +9- !4 = !2; B: 5").shoe, 1).steps
    assert [(step.kind, step.shown) for step in told if step.differs] == [
        ("choice", "rejected 9"),
        ("draw", "drew 2"),
    ]


def test_a_bank_that_pays_a_part_says_how_far_it_reaches():
    """A bank of 9.00 owes 5.00 three times over: it pays the 9.00 and owes nothing more."""
    steps = {
        step.what: step
        for step in explain(play(table(bank=900), "1 500 | 1: 9; B: 5").shoe, 1).steps
    }
    paid = steps["p1's 5.00 EUR on the hand"]
    assert (paid.due, paid.shown, paid.differs) == ("pay 9.00 EUR", "paid 9.00 EUR", False)
    assert "the bank reaches no further" in paid.why


# -- What should have come -------------------------------------------------------------------------

WRONG_DRAW = "p1 player 1000, p2 banker 1000 | P 2 4 3  B K 5 A | P 9-6 | 1 pay 1000, 2 take 1000"
"""Player drew 3 on 6: Banker should have drawn it on 5, and won 8 to 6."""


def test_a_wrong_draw_tells_what_should_have_come_and_been_paid():
    told = of(WRONG_DRAW)
    due = step(told, "the cards that were due")
    assert due.due == "Player 2 4 = 6, Banker K 5 3 = 8: Banker wins"
    assert due.why.startswith("Player 6 stands: Player stands on 6 and 7; Banker 5 draws")
    lost = step(told, "p1's 10.00 EUR on Player, by the cards that were due")
    assert (lost.due, lost.why) == ("take 10.00 EUR", "Player lost")
    won = step(told, "p2's 10.00 EUR on Banker, by the cards that were due")
    assert won.due == "pay 10.00 EUR less 0.50 EUR, net 9.50 EUR"


def test_a_coup_that_was_dealt_rightly_tells_of_no_other_cards():
    assert not [each for each in of("p1 player 1000 | P 4 5  B K 8").steps if "due" in each.what]


def test_the_card_that_was_due_may_be_unknown():
    """Banker stood on 5 and should have drawn. Nobody saw the next card."""
    told = of("p1 player 1000 | P 2 4  B K 5 | P 6-5 | 1 pay 1000")
    due = step(told, "the cards that were due")
    assert (due.due, due.why) == ("unknown", "the next card is not on record")


def test_a_card_to_a_hand_of_another_game_is_told_with_the_cards_that_were_due():
    """Player has 5 and Banker 2. The 3 that went to the left was Player's third card."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 1000))
    felt.put(ev.NoMoreBets(1)).cards("P 2 3  B K 2")
    felt.put(ev.CardDrawn(1, "left", "3c", 7)).cards("> P 9 B 4")
    told = explain(finish(felt).shoe, 1)
    card = step(told, "a card to the hand 'left'")
    assert (card.due, card.shown, card.differs) == ("no card", "drew 3♣", True)
    assert step(told, "the cards that were due").due.startswith(
        "Player 2 3 3♣ = 8, Banker K 2 9 = 1"
    )


def test_a_wrong_draw_that_was_corrected_away_tells_what_was_due_by_the_first_record():
    felt = (
        Felt().ready().coup("p1 banker 1000 | P 2 K 8  B K 3 5 | P 0-8 | 1 pay 1000, 1 collect 50")
    )
    third = next(card for card in felt.shoe.coups[1].cards if card.payload.card == "8")
    other = replace(third.payload, card="7")
    told = explain(felt.put(ev.EventCorrected(third.position, "misread", "pam", other)).shoe, 1)
    due = step(told, "the cards that were due, as first recorded")
    assert due.due == "Player 2 K 8 = 0, Banker K 3 = 3: Banker wins"


def test_a_step_names_the_findings_about_it():
    told = of(WRONG_DRAW)
    assert step(told, "Player's third card").findings == (faulty_log.WRONG_DRAW,)
    assert step(told, "Banker's first two").findings == ()


@pytest.mark.parametrize(
    ("late", "called"),
    [
        (ev.BetChanged(1, 1, 2000), "capped"),
        (ev.BetChanged(1, 1, 500), "pinched"),
        (ev.BetWithdrawn(1, 1), "withdrawn late"),
        (ev.BetPlaced(1, 2, "p2", "player", 500, 2), "placed late"),
    ],
)
def test_a_bet_that_was_changed_late_is_called_so(late, called):
    bet = ev.BetPlaced(1, 1, "p1", "player", 1000, 1)
    felt = Felt().ready().put(ev.CoupOpened(1), bet, ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    told = explain(felt.put(late, ev.CoupClosed(1)).shoe, 1)
    said = [each.why for each in told.steps if each.kind == "payment" and "the bet was" in each.why]
    assert len(said) == 1
    assert f"; the bet was {called}: " in said[0]
