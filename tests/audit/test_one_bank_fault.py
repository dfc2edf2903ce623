"""One fault of the money of a bank, a levy or a bet is one finding that stands by itself.

What follows from it names it.
"""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.events import bank as bank_ev
from tests.support import tableaux_coups
from tests.support.audited import finish
from tests.support.bank_coups import SEATS, staked
from tests.support.bank_coups import table as chemin
from tests.support.coup_notation import Felt, shoe_of
from tests.support.one_fault import own_and_explained
from tests.support.tableaux_coups import play
from tests.support.tableaux_coups import table as banque

NUMBERS = {rule.code: rule.number for rule in RULES}


def alone(payloads: Sequence[ev.Event] | Felt) -> list[str]:
    """Return the numbers of the rules whose findings follow from no other."""
    events = payloads.payloads if isinstance(payloads, Felt) else payloads
    return [NUMBERS[code] for code in own_and_explained(shoe_of(events))[0]]


def all_of(payloads: Sequence[ev.Event]) -> list[str]:
    """Return the numbers of the rules with a finding."""
    return [NUMBERS[each.code] for each in audit_shoe(shoe_of(payloads)).findings]


# -- One cent of a bank ----------------------------------------------------------------------------


def two_banks() -> list[ev.Event]:
    """p1's bank of 100.00 wins and is given up; p2 matches it. p4's 5.00 go back."""
    felt = chemin().coup("p2 player 6000, p3 player 4000, p4 player 500 | P 4 2  B K 9")
    felt.put(bank_ev.BankWithdrawn("p1", 20_000), ev.ShoePassed("p1", "chosen"))
    felt.put(ev.ShoeOffered("p2", 20_000), ev.ShoeTaken("p2"), bank_ev.BankPosted("p2", 20_000))
    felt.coup("p3 player 6000 | P 4 2  B K 9")
    felt.put(bank_ev.BankWithdrawn("p2", 26_000), ev.ShoePassed("p2", "chosen"))
    return felt.payloads


def off_by(cents: int, kind: type, nth: int = 0) -> list[ev.Event]:
    """The amount of an event of two banks is wrong by some cents."""
    payloads = two_banks()
    at = [place for place, each in enumerate(payloads) if isinstance(each, kind)][nth]
    payloads[at] = replace(payloads[at], amount=payloads[at].amount + cents)  # type: ignore[attr-defined]
    return payloads


def test_two_banks_in_a_row_are_clean():
    assert all_of(two_banks()) == []


@pytest.mark.parametrize(
    ("kind", "nth", "cents", "rule"),
    [
        (bank_ev.BankPosted, 0, -1, "K514"),  # below the minimum
        (bank_ev.BankPosted, 0, 1, "K503"),  # within the limits, and called another amount
        (bank_ev.BankPosted, 1, -1, "K514"),
        (bank_ev.BankPosted, 1, 1, "K514"),
        (bank_ev.BankWithdrawn, 0, 1, "K517"),
        (bank_ev.BankWithdrawn, 0, -1, "K517"),
        (bank_ev.BankWithdrawn, 1, 1, "K517"),
        (bank_ev.ExcessReturned, 0, -1, "K502"),
        (bank_ev.ExcessReturned, 0, 1, "K508"),
    ],
)
def test_one_wrong_cent_of_a_bank_is_one_finding(kind, nth, cents, rule):
    assert alone(off_by(cents, kind, nth)) == [rule]


@pytest.mark.parametrize(
    ("kind", "nth", "cents", "rule"),
    [
        (bank_ev.BankPosted, 1, -1, "K514"),
        (bank_ev.BankPosted, 1, 1, "K514"),
        (bank_ev.BankWithdrawn, 0, 1, "K517"),
        (bank_ev.BankWithdrawn, 0, -1, "K517"),
    ],
)
def test_one_wrong_cent_of_a_bank_that_nobody_calls_is_one_finding(kind, nth, cents, rule):
    """The bank that was put up wrongly and its balance, or the balance and the bank behind it."""
    told = [each for each in off_by(cents, kind, nth) if not isinstance(each, bank_ev.BankCalled)]
    assert alone(told) == [rule]


@pytest.mark.parametrize("calls", [True, False])
@pytest.mark.parametrize(
    ("move", "behind", "rule"),
    [
        (bank_ev.BankRaised("p1", 3000, 1), ev.NoMoreBets, "K506"),
        (bank_ev.BankRaised("p4", 3000), ev.CoupClosed, "K504"),
        (bank_ev.BankWithdrawn("p1", 3000), ev.NoMoreBets, "K516"),
    ],
)
def test_chips_that_a_bank_should_not_get_or_lose_are_one_finding(move, behind, rule, calls):
    """The next bank matches what was taken out last, and later calls and withdrawals do too."""
    payloads = two_banks()
    at = next(place for place, each in enumerate(payloads) if isinstance(each, behind))
    payloads.insert(at + 1, move)
    told = [each for each in payloads if calls or not isinstance(each, bank_ev.BankCalled)]
    assert alone(told) == [rule]


@pytest.mark.parametrize("cards", ["P 4 5  B K 8", "P 4 2  B K 9"])
@pytest.mark.parametrize(
    ("returned", "rule"), [(2001, "K508"), (1999, "K502"), (4500, "K508"), (1000, "K502")]
)
@pytest.mark.parametrize("rules", ["chemin-de-fer", "chemin-de-fer-france"])
def test_a_wrong_part_of_a_stake_is_returned_and_the_bet_settled_rightly(
    rules, returned, cards, rule
):
    """The bank covers 60.00 of p3's 80.00, and 60.00 are won or lost. No chip is missing."""
    felt = Felt(rules, seats=SEATS).ready().bank("p1", 10_000)
    felt.coup(f"p2 player 4000, p3 player 8000 | {cards}")
    payloads = [
        replace(each, amount=returned) if isinstance(each, bank_ev.ExcessReturned) else each
        for each in felt.payloads
    ]
    assert alone(payloads) == [rule]
    (found,) = audit_shoe(shoe_of(payloads)).findings
    assert not any(found.money.patrons.values())


@pytest.mark.parametrize("amount", [19_999, 20_001])
def test_one_wrong_cent_of_a_bank_of_two_tableaux_is_one_finding(amount):
    """The bank is called at 200.00, its minimum, and taken out as that."""
    felt = play(banque(), "p7 right 500 | 3 4; 2 4; 9 K").put(bank_ev.BankWithdrawn("p11", 20_500))
    payloads = [
        replace(each, amount=amount) if isinstance(each, bank_ev.BankPosted) else each
        for each in felt.put(ev.ShoePassed("p11", "chosen")).payloads
    ]
    assert alone(payloads) == ["K514" if amount < 20_000 else "K503"]


WINS_100 = "p7 right 10000 | 3 4; 2 4; 9 K"


@pytest.mark.parametrize(
    ("pack", "bank", "levy"),
    [("deux-tableaux-france", 20_000, 200), ("deux-tableaux-france-open", 100_000, 130)],
)
def test_a_levy_that_was_not_taken_is_one_finding_with_the_next_call(pack, bank, levy):
    """The bank won 100.00, and no levy is taken: 2.00 are due, or 1.25 % rounded to 1.30.

    The next call is the bank without it.
    """
    felt = play(play(banque(pack, amount=bank), WINS_100), WINS_100)
    taken = next(each for each in felt.payloads if isinstance(each, bank_ev.LevyTaken))
    payloads = [each for each in felt.payloads if each is not taken]
    assert "K503" in all_of(payloads)
    assert alone(payloads) == ["Y501"]
    (missing,) = [each for each in audit_shoe(shoe_of(payloads)).findings if each.number == "Y501"]
    assert missing.money.house == -levy


@pytest.mark.parametrize("kind", [bank_ev.BankRaised, ev.BetPaid])
def test_one_wrong_cent_of_a_bank_without_a_limit_is_one_finding(kind):
    """Stakes of 2,000.00 lie against 1,000.00, and the banker adds the rest. Then they do again."""
    felt = banque("deux-tableaux-france-open", amount=100_000)
    for hands in ("3 6; 2 4; 7 K", "3 4; 2 4; 9 K"):
        felt = play(felt, f"p7 right 150000, p5 left 50000 | {hands}")
    payloads = list(felt.payloads)
    assert all_of(payloads) == []
    at = next(place for place, each in enumerate(payloads) if isinstance(each, kind))
    wrong = -1 if kind is bank_ev.BankRaised else 1
    payloads[at] = replace(payloads[at], amount=payloads[at].amount + wrong)
    assert alone(payloads) == ["K502" if kind is bank_ev.BankRaised else "P201"]


# -- A wrong payment and the next bank -------------------------------------------------------------


def test_a_tied_stake_that_was_taken_and_stays_changes_no_return_of_excess():
    """The bank is called at 100.00 all the same, and 20.00 of p4's bet go back by that."""
    felt = Felt("chemin-de-fer-france", seats=SEATS).ready().bank("p1", 10_000)
    felt.coup("p2 player 4000 | P K 9  B K 9 | T 9-9 | 1 take 4000")
    bets = ev.BetCarried(2, 1, "p2", "player", 4000), ev.BetPlaced(2, 2, "p3", "player", 8000)
    felt.put(ev.CoupOpened(2), bank_ev.BankCalled(2, 10_000), *bets)
    felt.put(bank_ev.ExcessReturned(2, 2, 2000), ev.NoMoreBets(2)).due(bank_ev.HandGiven)
    finish(felt.cards("P K 9  B K 8"))
    assert alone(felt) == ["P203"]
    assert "K508" not in all_of(felt.payloads)


def test_the_levy_on_a_withdrawn_bet_that_was_taken_is_no_finding_of_its_own():
    """p3 withdrew 40.00. They were taken, and levied."""
    felt = Felt("chemin-de-fer-france", seats=SEATS).ready().bank("p1", 10_000)
    felt.put(ev.CoupOpened(1), bank_ev.BankCalled(1, 10_000))
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 5000), ev.BetPlaced(1, 2, "p3", "player", 4000))
    felt.put(ev.BetWithdrawn(1, 2), ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    felt.due(ev.ResultCalled).put(ev.BetTaken(1, 1, 5000), ev.BetTaken(1, 2, 4000))
    levy = (bank_ev.LevyAnnounced(1, 450), bank_ev.TicketsDetached(1, 450, ("T-1",)))
    felt.put(*levy, bank_ev.LevyTaken(1, 450), bank_ev.TicketsTorn(1), ev.CoupClosed(1))
    assert alone(felt) == ["R401"]
    assert sorted(all_of(felt.payloads)) == ["R401", "Y501"]


# -- Others ----------------------------------------------------------------------------------------


def test_a_bank_that_is_passed_as_lost_after_a_win_is_one_finding():
    felt = chemin().coup("p2 player 6000 | P 4 2  B K 9").put(bank_ev.BankWithdrawn("p1", 16_000))
    felt.put(ev.ShoePassed("p1", "lost"), ev.ShoeOffered("p2"), ev.ShoeTaken("p2"))
    assert alone(felt.put(bank_ev.BankPosted("p2", 10_000))) == ["H507"]


def test_all_that_settles_an_unknown_bet_is_one_finding_with_its_money():
    """Bet 9 is not on record. 5.00 were paid for it, and 0.25 of p1's collected."""
    felt = Felt("macau").ready().coup("p1 banker 500 | P 4 5  B K 9 | T 9-9 | 1 push")
    close = felt.payloads.index(ev.CoupClosed(1))
    paid = ev.BetPaid(1, 9, 500), ev.CommissionCollected("p1", 25, 1, 9)
    shoe = shoe_of([*felt.payloads[:close], *paid, *felt.payloads[close:]])
    (found,) = audit_shoe(shoe).findings
    assert (NUMBERS[found.code], found.money.house) == ("R401", -475)


def test_a_levy_at_punto_banco_is_one_finding():
    felt = Felt().ready().coup("p1 banker 500 | P 4 5  B K 8")
    levy = (bank_ev.LevyAnnounced(1, 25), bank_ev.TicketsDetached(1, 25, ("T-1",)))
    steps = (*levy, bank_ev.LevyTaken(1, 25), bank_ev.TicketsTorn(1))
    close = felt.payloads.index(ev.CoupClosed(1))
    assert all_of([*felt.payloads[:close], *steps, *felt.payloads[close:]]) == ["R415"]


def test_a_late_bet_that_is_lowered_in_part_is_one_finding():
    """p1's 10.00 on Player came after the close. Lowered to 4.00, they won 4.00."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 1000), ev.BetChanged(1, 1, 400))
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 400), ev.CoupClosed(1))
    assert alone(felt) == ["B201"]
    assert sum(each.money.house or 0 for each in audit_shoe(felt.shoe).findings) == -400


def test_a_stake_beyond_the_bank_that_was_not_returned_is_due_its_settlement():
    felt = staked(("p2", 6000), ("p3", 5000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    felt.cards("P 4 2  B K 9").due(ev.ResultCalled, bank_ev.ChoiceMade)
    felt.put(ev.BetTaken(1, 1, 6000), ev.CoupClosed(1))
    assert alone(felt) == ["K502", "E201"]


def test_a_stake_that_lies_wholly_beyond_the_bank_and_stays_is_due_no_settlement():
    """p4's 10.00 were to go back. They neither did, nor were they taken."""
    felt = staked(("p2", 6000), ("p3", 4000), ("p4", 1000)).put(ev.NoMoreBets(1))
    felt.due(bank_ev.HandGiven).cards("P 4 2  B K 9").due(ev.ResultCalled, bank_ev.ChoiceMade)
    felt.put(ev.BetTaken(1, 1, 6000), ev.BetTaken(1, 2, 4000), ev.CoupClosed(1))
    assert alone(felt) == ["K502"]


# -- A bank below its bid, and a claim of somebody else --------------------------------------------


def told_otherwise(felt: Felt, kind: type, **to: object) -> list[ev.Event]:
    """Return the events of a shoe, with other fields of the first event of a kind."""
    at = next(place for place, each in enumerate(felt.payloads) if isinstance(each, kind))
    payloads = list(felt.payloads)
    payloads[at] = replace(payloads[at], **to)
    return payloads


@pytest.mark.parametrize("stakes", ["p7 right 500", "banco p8 both, p8 cheval 40000"])
@pytest.mark.parametrize("pack", ["banque", "deux-tableaux-france"])
def test_a_bank_one_cent_below_its_bid_is_one_finding(pack, stakes):
    """The bid and the call are 400.00, and a patron who goes bank stakes as much.

    Of 399.99 each half of a stake à cheval would be rounded down.
    """
    felt = play(banque(pack, amount=40_000), f"{stakes} | 3 4; 2 4; 9 K")
    assert all_of(felt.payloads) == []
    assert alone(told_otherwise(felt, bank_ev.BankPosted, amount=39_999)) == ["W502"]


def test_a_claim_that_names_another_patron_is_one_finding():
    """p8 goes bank on the right, and stakes the bank of 200.00. The claim names p9."""
    felt = play(banque(), "banco p8, p8 right 20000 | 3 4; 2 4; 9 K")
    assert all_of(felt.payloads) == []
    payloads = told_otherwise(felt, bank_ev.BancoCalled, patron="p9")
    assert alone(payloads) == ["K509"]
    assert "T110" in all_of(payloads)


def test_a_claim_on_an_empty_tableau_is_one_finding():
    """Only the left has players. p5's claim is recorded as one on the right by somebody else."""
    seats = (*tableaux_coups.SEATS[:5], tableaux_coups.SEATS[-1])
    felt = tableaux_coups.bank(Felt("banque", seats=seats), "p11", 20_000)
    felt = play(felt, "banco p5, p5 left 20000 | 3 4; 2 4; 9 K")
    assert all_of(felt.payloads) == []
    payloads = told_otherwise(felt, bank_ev.BancoCalled, patron="p12")
    assert alone(payloads) == ["K509"]
    assert "K507" in all_of(payloads)


def test_a_banco_of_no_whole_units_is_one_finding():
    """The bank of 200.00 is staked on both tableaux, recorded as 199.99, and 199.99 are lost."""
    felt = play(banque(), "banco p8 both, p8 cheval 20000 | 3 4; 2 4; 9 K")
    taken = told_otherwise(felt, ev.BetTaken, amount=19_999)
    place = next(n for n, each in enumerate(taken) if isinstance(each, ev.BetPlaced))
    taken[place] = replace(taken[place], amount=19_999)
    assert alone(taken) == ["K509"]
    assert "W512" in all_of(taken)


# -- A stake that was changed after the cards ------------------------------------------------------


def changed_late(*late: ev.Event, taken: int | None = None, pack: str = "chemin-de-fer") -> Felt:
    """p2 stakes 40.00 and p3 60.00 against 100.00 and lose. p2's stake changes behind the cards."""
    felt = Felt(pack, seats=SEATS).ready().bank("p1", 10_000)
    felt.put(ev.CoupOpened(1), bank_ev.BankCalled(1, 10_000))
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 4000), ev.BetPlaced(1, 2, "p3", "player", 6000))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    felt.due(ev.ResultCalled, bank_ev.ChoiceMade).put(*late)
    return felt.put(*[ev.BetTaken(1, 1, taken)] * (taken is not None), ev.BetTaken(1, 2, 6000))


def next_called(felt: Felt, called: int) -> Felt:
    """The coup is closed, and the bank of the next is called at this amount and then taken out."""
    felt.put(ev.CoupClosed(1), ev.CoupOpened(2), bank_ev.BankCalled(2, called))
    felt.put(ev.BetPlaced(2, 1, "p2", "player", 1000), ev.NoMoreBets(2)).due(bank_ev.HandGiven)
    finish(felt.cards("P 4 2  B K 9")).put(bank_ev.BankWithdrawn("p1", called + 1000))
    return felt.put(ev.ShoePassed("p1", "chosen"))


WITHDRAWN, RAISED = ev.BetWithdrawn(1, 1), ev.BetChanged(1, 1, 6000)
PINCHED = ev.BetChanged(1, 1, 3000)


@pytest.mark.parametrize(
    ("late", "taken", "called", "rules", "own"),
    [
        # the bank holds 200.00, and is called at what it would hold by the stakes in time
        (WITHDRAWN, None, 20_000, ["B203", "K503", "K517"], ["B203"]),
        (RAISED, 6000, 20_000, ["B203", "K502", "K503", "K517"], ["B203"]),
        (PINCHED, 3000, 20_000, ["B203", "K503", "K517"], ["B203"]),
        # p2 lost 40.00 all the same
        (PINCHED, 4000, 20_000, ["B203", "K517"], ["B203"]),
        # the record is right
        (WITHDRAWN, None, 16_000, ["B203"], ["B203"]),
        # and so it is here, but the bank is called at ten more
        (WITHDRAWN, None, 17_000, ["B203", "K503", "K517"], ["B203", "K503"]),
        # of the wrong call nothing but ten is behind the late change
        (WITHDRAWN, None, 21_000, ["B203", "K503", "K517"], ["B203", "K503"]),
    ],
)
def test_a_bank_that_is_called_by_the_stakes_in_time_follows_from_the_late_change(
    late, taken, called, rules, own
):
    felt = next_called(changed_late(late, taken=taken), called)
    assert sorted(all_of(felt.payloads)) == rules
    assert alone(felt) == own


def test_a_wrong_call_after_a_right_one_does_not_follow_from_a_late_change():
    """p2 withdrew 40.00 and kept them: coup 2 is called rightly. Coup 3 is called at 40.00 more."""
    felt = changed_late(WITHDRAWN).put(ev.CoupClosed(1)).coup("p2 player 1000 | P 4 2  B K 9")
    felt.put(ev.CoupOpened(3), bank_ev.BankCalled(3, 21_000))
    felt.put(ev.BetPlaced(3, 1, "p2", "player", 1000), ev.NoMoreBets(3)).due(bank_ev.HandGiven)
    finish(felt.cards("P 4 2  B K 9"))
    assert sorted(alone(felt)) == ["B203", "K503"]


@pytest.mark.parametrize(
    ("levied", "own"), [(500, ["B203"]), (300, ["B203"]), (400, ["B203", "Y501"])]
)
def test_a_levy_by_the_stakes_in_time_follows_from_the_late_change(levied, own):
    """The bank won 60.00, and 100.00 by the stakes in time. 5 % are levied."""
    felt = changed_late(WITHDRAWN, pack="chemin-de-fer-france")
    steps = (bank_ev.LevyAnnounced(1, levied), bank_ev.TicketsDetached(1, levied, ("T-1",)))
    felt.put(*steps, bank_ev.LevyTaken(1, levied), bank_ev.TicketsTorn(1), ev.CoupClosed(1))
    assert alone(felt) == own


@pytest.mark.parametrize(
    ("in_time", "own"),
    [
        # 100.00 lie against 100.00, and 5.00 more come late
        (4000, ["B201"]),
        # 110.00 lie there without them
        (5000, ["B201", "K502"]),
    ],
)
def test_stakes_beyond_the_bank_follow_from_a_late_bet_if_those_in_time_are_not(in_time, own):
    felt = staked(("p2", in_time), ("p3", 6000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    felt.cards("P 4 2  B K 9").due(ev.ResultCalled, bank_ev.ChoiceMade)
    late = ev.BetPlaced(1, 3, "p4", "player", 500), ev.BetTaken(1, 3, 500)
    felt.put(ev.BetTaken(1, 1, in_time), ev.BetTaken(1, 2, 6000), *late, ev.CoupClosed(1))
    assert sorted(all_of(felt.payloads)) == ["B201", "K502"]
    assert sorted(alone(felt)) == own
