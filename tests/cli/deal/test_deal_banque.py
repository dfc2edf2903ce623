"""Dealing baccarat banque in the terminal: bids, stakes, naturals, a new bank."""

import io

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.chip_flow import imbalances
from sabot.domain.state.shoe import fold
from sabot.infrastructure.log.event_log import EventLog

# 6 is the banker's place: ann and ben sit on his left, cat and dan on his right
SEATED = ("--seat", "5=ann", "--seat", "4=ben", "--seat", "7=cat", "--seat", "8=dan")
AWARDED = "bid ann 250\nbid dan 300\n\n\n\n\nshuffle\nshuffle dan\nnames ben\n\nstop 10\n"
"""dan bids most, takes the banker's place, puts up 300.00, shuffles last; ben cuts."""
READY = AWARDED + "open\n\n"


@pytest.fixture
def database(tmp_path):
    return str(tmp_path / "deal.db")


@pytest.fixture
def deal(database, monkeypatch, capsys):
    def run(said, ready=READY, rules="banque"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((ready + said).encode())))
        options = ("--rules", rules, "--cards", "typed", "--limits", "5-500")
        code = guard(build(), ["deal", "C", *options, *SEATED, "--database", database])
        out, err = capsys.readouterr()
        with EventLog.open(database) as log:
            return code, out + err, fold("shoe/C", log.read("shoe/C"))

    return run


def events_of(shoe, *kinds):
    return [event.payload for event in shoe.history if isinstance(event.payload, kinds)]


def test_the_bank_is_auctioned_and_its_banker_goes_between_the_tableaux(deal):
    code, told, shoe = deal("", AWARDED)
    assert code == 0, told
    assert (shoe.bank.holder, shoe.bank.amount) == ("dan", 30_000)
    assert shoe.seats == {4: "ben", 5: "ann", 6: "dan", 7: "cat"}
    assert [payload.by for payload in events_of(shoe, ev.ShoeShuffled)] == ["dealer", "dan"]
    assert events_of(shoe, ev.ShoeCut) == [ev.ShoeCut("ben")]


def test_a_natural_of_one_tableau_is_paid_before_the_other_is_played_on(deal):
    bets = "bet cat right 100, ann left 50, ben cheval 60\n\n"
    # right 4 5, left 2 3, banker K 4: the right has nine; left draws an ace, banker stands
    cards = "\n\n4h 2c Kd 5h 3c 4d\n\n\n\n"
    code, told, shoe = deal(bets + cards + "draw\nAh\nstand\ngo\n")
    assert code == 0, told
    coup = shoe.coups[1]
    kinds = [type(event.payload) for event in coup.events]
    assert (
        kinds.index(ev.BetPaid) < kinds.index(bank_ev.ChoiceMade) < kinds.index(bank_ev.HandsCalled)
    )
    (called,) = events_of(shoe, bank_ev.HandsCalled)
    assert [each.total for each in called.totals] == [9, 6, 4]
    # cat 100 at once, ben 60 on both tableaux and ann 50: the bank pays 210 of its 300
    assert [(b.patron, b.paid) for b in coup.bets.values()] == [
        ("cat", 10_000),
        ("ann", 5000),
        ("ben", 6000),
    ]
    assert shoe.bank.amount == 9000
    assert audit_shoe(shoe).findings == []


def test_opposite_claims_go_halves_and_the_banker_retires_from_his_place(deal):
    # cat on the right and ann on the left take 150.00 each; both lose to a natural nine
    claims = "banco ann\nbanco cat\n\n\nno more bets\n\n\n"
    cards = "2h 2c 5d Kh Kc 4d\n" + "\n" * 10
    code, told, shoe = deal(claims + cards + "withdraw-bank\n\n\nrefuses\n\ntakes\n\n\n")
    assert code == 0, told
    stakes = [(bet.patron, bet.wager, bet.amount) for bet in events_of(shoe, ev.BetPlaced)]
    assert stakes == [("cat", "right", 15_000), ("ann", "left", 15_000)]
    # in rotation cat is asked first and refuses to match 600.00; ann takes it, dan has her seat
    offers = [(payload.to, payload.amount) for payload in events_of(shoe, ev.ShoeOffered)]
    assert offers == [("dan", 30_000), ("cat", 60_000), ("ann", 60_000)]
    assert shoe.seats == {4: "ben", 5: "dan", 6: "ann", 7: "cat"}
    assert (shoe.bank.holder, shoe.bank.amount) == ("ann", 60_000)
    assert imbalances(shoe) == ()


def test_stakes_beyond_the_bank_are_accepted_and_it_has_no_limit_from_then_on(deal):
    bets = "bet cat right 400, ann left 100\naccept\n\nno more bets\n"
    code, told, shoe = deal(bets)
    assert code == 0, told
    assert events_of(shoe, bank_ev.BankRaised) == [bank_ev.BankRaised("dan", 20_000, 1)]
    assert shoe.bank.unlimited


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("bet dan right 50\n", "dan holds the bank and cannot bet against it"),
        ("bet ann right 50\n", "ann sits on the left; stake on it, or on both tableaux"),
        ("bet ann cheval 50.01\n", "à cheval is two equal halves"),
        ("bet eve left 400\n", "what seated patrons leave of the bank: 300.00"),
        ("banco eve\n", "name one: banco PATRON right, left or both"),
        ("banco ann right\n", "go bank on it, or on both tableaux"),
        ("suivi ann\n", "there is no banco suivi at this table"),
        ("bet ann left 50\naccept\n", "no stake exceeds the bank"),
        ("bet ann left 50\nraise 10\n", "paid in rotation"),
        ("withdraw-bank\n", "coup 1 is open"),
        ("banco ann sideways\n", "a tableau is one of right, left, both"),
        (
            "bet ann left 50\n\n\n\n2h 3c 4d Kh Kc 2d\nstand\n",
            "the right tableau has no choice on these cards",
        ),
        ("call 1 2 3\n", "that is not due now"),
    ],
)
def test_what_the_rules_forbid_is_refused_with_the_reason(deal, said, why):
    code, told, _shoe = deal(said)
    assert why in told
    assert code == 2, told


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("bid ann 100\n", "a bank is 200.00 EUR at least"),
        ("bid ann 250\nbid dan 250\n", "ann bid 250.00 EUR; bid more"),
        ("list ann\n", "the bank is auctioned; type: bid PATRON AMOUNT"),
        ("shuffle\n", "the bank comes before the shuffle"),
        ("session 2026-1-1 1 1\n", "a day is YYYY-MM-DD"),
        ("session 2026-01-01 1 1\n", "numbers no sessions"),
        ("seat 6 eve\n", "6 is the banker's place"),
        ("move 6 cat\n", "only the banker sits between the tableaux"),
        ("move 7 ann\n", "seat 7 is not free"),
        ("names ann\n", "nobody holds the bank"),
        ("bid dan 300\n\n\n\n\nshuffle dan\nshuffle\n", "nobody shuffles after the banker"),
        ("bid dan 300\n\n\n\n\nshuffle\ncut ben\n", "dan names who cuts first"),
        ("bid dan 300\n\n\n\n\nshuffle\n\n", "type: names PATRON"),
        ("bid dan 300\n\n\n\n\nshuffle\nnames ben\ncut ann\n", "ben was named to cut, not ann"),
        ("bid dan 300\n\n\npost 250\n", "the bank is not posted now"),
        ("bid dan 300\n\n\n\npost 250\n", "the bank was bought for 300.00 EUR; post at least that"),
    ],
)
def test_what_comes_before_the_cards_keeps_its_order(deal, said, why):
    code, told, _shoe = deal(said, "")
    assert why in told
    assert code == 2, told


def test_an_open_bank_is_proven_and_its_sessions_are_numbered(deal):
    said = (
        "session 2026-01-01 3 1\nsession 2026-01-01 2 3\nsession 2026-01-01 2 2\n"
        "list ann\nlist cat\n\noffer cat\n\n\npost 1000\nprove cat 900 desk\npost 1000\n"
        "prove cat 200\npost 1000\n\nlimits 5-500\nlimits 10-\n"
    )
    code, told, shoe = deal(said, "", "deux-tableaux-france-open")
    assert code == 2
    assert "a day has 2 sessions at most" in told
    assert "a session has 2 shoes at most" in told
    assert "draw lots for the bank: ann, cat" in told
    assert "1,000.00 EUR more has to be proved first" in told
    assert "100.00 EUR more has to be proved" in told
    assert (shoe.bank.holder, shoe.bank.amount, shoe.bank.unlimited) == ("cat", 100_000, True)
    assert "no maximum may be set; type: limits MIN-" in told
    assert "limits now 10.00 EUR and more" in told
    assert shoe.limits == (ev.Limit(1000, ev.MAX_INT),)
