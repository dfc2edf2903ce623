"""The audit as a whole: corrections, incomplete records, disorder, and every rule."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from tests.support.audited import codes
from tests.support.coup_notation import Felt, loaded, shoe_of
from tests.support.rule_cases import every_case
from tests.support.thorough import slow


@slow
def test_every_rule_answers_on_every_shoe() -> None:
    for case in every_case():
        for verdict in audit_shoe(case.broken()).verdicts:
            assert verdict.checked or verdict.reasons, verdict
            assert (verdict.result == "not-applicable") == (verdict.checked == 0), verdict


def test_no_order_of_events_crashes_the_auditor() -> None:
    whole = Felt("midi").ready().coup("p1 banker 500 | P 4 4  B K 9").events
    for first in range(len(whole)):
        backwards = [*whole[first:], *reversed(whole[:first])]
        payloads = [event.payload for event in backwards]
        audit_shoe(shoe_of(payloads))
        audit_shoe(shoe_of(payloads[::2]))


def test_what_another_record_lacks_is_never_a_finding() -> None:
    """A record of coups alone: no burn, no calls, no shuffle, no end, no bets."""
    record = [
        loaded(coverage="coups", pack_named=False),
        ev.CoupOpened(7),
        *[ev.CardDrawn(7, hand, card) for hand, card in (("player", "4"), ("banker", "0"))],
        *[ev.CardDrawn(7, hand, card) for hand, card in (("player", "5"), ("banker", "8"))],
        ev.CoupClosed(7),
    ]
    audit = audit_shoe(shoe_of(record))
    assert audit.findings == []
    skipped = {v.code: v.reasons for v in audit.verdicts if v.result == "not-applicable"}
    assert skipped["wrong-opening-burn"] == {"the record may lack burned cards": 1}
    assert skipped["miscalled-result"] == {"the outcome was not called": 1}
    assert skipped["cards-out-of-order"]


def test_a_pack_that_the_record_did_not_name_does_not_say_how_many_decks() -> None:
    shoe = Felt("classic-8", 6, pack_named=False).ready().coup("P 4 5  B K 8").shoe
    assert audit_shoe(shoe).findings == []


def test_a_bet_that_a_tie_gave_back_may_be_taken_up() -> None:
    felt = Felt().ready().coup("p1 player 500 | P 4 5  B K 9 | T | 1 push")
    assert codes(felt.put(ev.BetWithdrawn(1, 1)).shoe) == []


def test_a_bet_that_a_void_gave_back_is_taken_up_and_settled_by_nothing() -> None:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5")
    felt.put(ev.IrregularityNoted("misdeal", "void", 1), ev.CoupVoided(1, "misdeal"))
    assert codes(felt.put(ev.BetWithdrawn(1, 1), ev.CoupClosed(1)).shoe) == []
