"""No rule says that it looked at what a record does not hold.

Clean coups of several games, told by records without a card, without a bet, or without a call. Each
rule is listed by what it rests on: without it, it does not apply and says why, or finds that it is
missing; never does it pass.
"""

import random
from functools import cache

import pytest

from sabot.domain import events as f
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.audit.verdicts import RuleResult
from sabot.domain.events import bank as k
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.infrastructure.rule_packs import pack_text
from tests.notation import START_US, shoe_of

RESTS_ON = {
    "cards": """
        hand-drew-where-it-must-stand hand-stood-where-it-must-draw third-card-was-not-asked-for
        hand-asked-where-it-must-stand coup-was-decided-with-its-cards-face-down
        card-was-not-asked-for card-asked-for-was-not-dealt hand-drew-beyond-its-end
        card-was-rejected-against-the-pack hand-was-out-of-turn hand-was-played-by-another
        wings-were-dealt-out-of-turn broken-bank-was-played-on more-copies-of-a-card-than-decks
        more-cards-left-the-shoe-than-it-held burn-was-not-as-the-pack-says
        cards-were-not-shuffled cards-were-not-cut no-stop-card-was-placed
        shoe-was-shuffled-in-mid-shoe cards-were-dealt-out-of-order
        coup-was-closed-on-too-few-cards cards-places-in-the-shoe-skip shoe-was-kept-after-a-loss
        card-was-drawn-for-a-coup-that-was-over
    """,
    "cards calls": """
        two-card-totals-were-miscalled final-totals-were-miscalled outcome-was-miscalled
        call-came-before-its-cards result-was-not-called hand-was-miscalled
        hand-of-a-wing-was-miscalled
    """,
    "cards bets": """
        winning-bet-was-paid-wrong losing-bet-was-not-taken pushed-bet-was-moved
        commission-was-wrong natural-of-a-wing-was-not-paid-at-once
        winner-was-paid-out-of-rotation stake-was-carried-that-was-not-frozen
        frozen-stake-was-taken-back
    """,
    "bets calls": "bet-was-settled-before-the-result",
    "bets": """
        bet-was-never-settled winner-was-paid-before-losers-were-taken winner-was-paid-out-of-turn
        bet-was-settled-after-the-close cards-were-cleared-before-the-bets-were-settled
        bet-was-outside-the-limits
        table-differential-was-exceeded patrons-bets-together-were-above-the-limit
        too-many-patrons-bet-on-a-seat bet-was-carried-that-no-tie-left held-bet-was-taken-up
        stake-had-no-hand stake-was-no-whole-number-of-units stake-was-on-the-other-wing
        bystander-staked-beyond-the-seated stakes-were-played-against-no-bank
        stakes-were-beyond-the-bank banco-was-not-played-alone banker-staked-against-his-bank
        excess-went-back-out-of-order levy-was-wrong money-was-not-conserved
    """,
    # who sits, banks, chooses and cuts; how the shoe was prepared; the record itself
    "": """
        choice-was-made-by-another hand-was-given-to-another bank-did-not-go-to-the-left
        bank-was-put-up-too-small banco-was-claimed-a-fourth-time first-bank-was-awarded-to-another
        bank-was-put-up-below-its-bid banker-did-not-take-his-place
        cards-were-shuffled-after-the-banker cards-were-cut-by-another-than-named
        limited-bank-was-raised-in-a-coup bank-was-miscalled banco-was-claimed-without-ground
        bank-was-had-by-another step-of-a-coup-was-left-out bank-was-offered-out-of-turn
        bank-was-put-up-at-another-amount bank-was-taken-out-in-part levy-has-no-ticket
        levy-was-out-of-order tickets-were-not-torn number-of-decks-is-not-allowed
        stop-card-was-misplaced backs-are-not-as-the-pack-says cut-was-not-offered
        cut-was-offered-out-of-turn cards-were-cut-again stop-card-went-in-at-another-time
        limits-are-out-of-proportion too-many-patrons-at-a-seat
        shoe-was-passed-before-a-coup shoe-was-offered-out-of-turn coup-was-left-open
        number-of-a-coup-is-not-the-next rule-pack-cannot-be-read rule-pack-is-not-the-one-named
        fact-has-no-ground clock-of-a-device-jumped sequence-of-a-device-has-a-gap
    """,
}
KINDS: dict[str, tuple[type, ...]] = {
    "cards": (f.CardDrawn, f.CardBurned, f.CardTurned, f.CutCardReached, k.CardRejected),
    "bets": (
        f.BetPlaced, f.BetCarried, f.BetChanged, f.BetWithdrawn, f.BetTaken, f.BetPaid,
        f.BetPushed, f.CommissionMarked, f.CommissionCollected,
    ),
    "calls": (f.NoMoreBets, f.TotalsCalled, f.ResultCalled, f.LastCoupCalled, k.HandsCalled),
}  # fmt: skip
NEEDS = {
    code: set(needs.split()) for needs, codes in RESTS_ON.items() for code in codes.split()
} | {rule.code: set(rule.rests_on & KINDS.keys()) for rule in RULES if rule.breaks}
PACKS = (
    "uk", "midi", "france", "nsw", "chemin-de-fer", "banque", "deux-tableaux-france", "macao-old",
)  # fmt: skip


@cache
def events_of(pack: str) -> tuple[f.Event, ...]:
    """Four clean coups, and all that comes before them."""
    text = pack_text(pack)
    decks = parse_pack(text).cards.decks[-1]
    plan = ShoePlan(stream="shoe/S", pack=text, decks=decks, start_us=START_US)
    lineup = parse_lineup("flat:side=player,martingale,tie-lover,flat:unit=5000", 5)
    croupier = Dealer(plan, lineup, random.Random(3))
    list(croupier.deal())
    payloads = [event.payload for event in croupier.shoe.history]
    return tuple(payloads[: payloads.index(f.CoupClosed(4)) + 1])


def verdicts(pack: str, *lacks: type) -> list[RuleResult]:
    return audit_shoe(shoe_of(x for x in events_of(pack) if not isinstance(x, lacks))).verdicts


def test_every_rule_that_looks_is_listed_by_what_it_rests_on():
    for pack in PACKS:
        told = verdicts(pack)
        assert {each.result for each in told} <= {"pass", "not-applicable"}
        assert {each.code for each in told if each.looked} <= NEEDS.keys()


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_rule_does_not_pass_on_what_the_record_lacks(pack, kind):
    told = verdicts(pack, *KINDS[kind])
    passed = {each.code for each in told if each.result == "pass"}
    assert {code for code in passed if kind in NEEDS[code]} == set()
    for each in told:
        assert each.looked or each.reasons, each.code


def test_a_record_without_a_card_says_so():
    for code in (
        "hand-took-a-fourth-card",
        "cards-were-dealt-out-of-order",
        "more-cards-left-the-shoe-than-it-held",
    ):
        (verdict,) = [each for each in verdicts("uk", *KINDS["cards"]) if each.code == code]
        assert verdict.result == "not-applicable"
        assert list(verdict.reasons) == ["no card is on record"]
        (verdict,) = [each for each in verdicts("uk") if each.code == code]
        assert verdict.result == "pass"
