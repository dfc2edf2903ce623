"""Dealing chemin de fer in the terminal: words become events of a bank."""

import io

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import fold
from sabot.infrastructure.log.event_log import EventLog

SEATED = ("--seat", "1=ann", "--seat", "2=ben", "--seat", "3=cat")
READY = "shuffle\ncut\nstop 7\n\n\npost 100\nopen\n\n"
"""All up to the first bets: ann banks 100.00."""


@pytest.fixture
def database(tmp_path):
    return str(tmp_path / "deal.db")


@pytest.fixture
def deal(database, monkeypatch, capsys):
    def run(said, pack="chemin-de-fer"):
        ready = "" if said.startswith("correct") else READY
        if pack == "chemin-de-fer-france":
            ready = ready.replace("cut\n", "\n\n")  # it is offered first
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((ready + said).encode())))
        rules = ("--rules", pack, "--cards", "typed", "--limits", "5-500")
        code = guard(build(), ["deal", "C", *rules, *SEATED, "--database", database])
        out, err = capsys.readouterr()
        with EventLog.open(database) as log:
            return code, out + err, fold("shoe/C", log.read("shoe/C"))

    return run


def events_of(shoe, *kinds):
    return [event.payload for event in shoe.history if isinstance(event.payload, kinds)]


def test_a_coup_from_the_bank_to_its_close(deal):
    said = "bet ben player 60, cat player 50\n\nno more bets\n\n3h 2c 2d Kd\ndraw\nQs\nstand\ngo\n"
    code, told, shoe = deal(said)
    assert "10.00 EUR of bet 2 goes back" in told
    assert events_of(shoe, bank_ev.HandGiven) == [bank_ev.HandGiven(1, "player", "ben")]
    assert events_of(shoe, bank_ev.ChoiceMade) == [
        bank_ev.ChoiceMade(1, "player", "draw"),
        bank_ev.ChoiceMade(1, "banker", "stand"),
    ]
    assert shoe.coups[1].closed is not None
    # Player 5 beats the bank's 2: it has paid 60 and 40, and goes to the next
    assert [(bank.holder, bank.amount) for bank in shoe.banks] == [("ann", 0), ("ben", 10_000)]
    assert audit_shoe(shoe).findings == []
    assert code == 0, told


def test_a_bank_is_mended_for_who_put_it_up(deal):
    """Ann's bank lost, and ben holds the shoe: what is mended is ann's."""
    said = "bet ben player 60\n\n\n3h 2c 2d Kd\ndraw\nQs\nstand\ngo\n"
    _, _, shoe = deal(said)
    posted = next(e.version for e in shoe.history if isinstance(e.payload, bank_ev.BankPosted))
    _, told, shoe = deal(f"correct {posted} to post 200 because miscounted\n")
    assert shoe.holder == "ben"
    assert events_of(shoe, ev.EventCorrected)[0].instead == bank_ev.BankPosted("ann", 20_000)
    _, told, shoe = deal(f"correct {posted} to post 200 cat because it was cat\n")
    assert events_of(shoe, ev.EventCorrected)[1].instead == bank_ev.BankPosted("cat", 20_000), told


def test_the_steps_of_a_levy(deal):
    said = "bet ben player 60\n\n\n3h 9c 4d Kd\ngo\n\ntickets T-1\n\n\n\n"
    _, told, shoe = deal(said, "chemin-de-fer-france")
    assert "type: tickets SERIAL" in told
    assert events_of(
        shoe, bank_ev.LevyAnnounced, bank_ev.TicketsDetached, bank_ev.LevyTaken, bank_ev.TicketsTorn
    ) == [
        bank_ev.LevyAnnounced(1, 300),
        bank_ev.TicketsDetached(1, 300, ("T-1",)),
        bank_ev.LevyTaken(1, 300),
        bank_ev.TicketsTorn(1),
    ]
    assert audit_shoe(shoe).findings == []


def test_going_bank_and_again(deal):
    said = "banco cat\n\nno more bets\n\n3h 9c 2d Kd\ngo\n"
    code, told, shoe = deal(said + "suivi cat\n\n")
    assert events_of(shoe, bank_ev.BancoCalled) == [
        bank_ev.BancoCalled(1, "cat"),
        bank_ev.BancoCalled(2, "cat", suivi=True),
    ]
    stakes = [(bet.patron, bet.amount) for bet in events_of(shoe, ev.BetPlaced)]
    assert stakes == [("cat", 10_000), ("cat", 20_000)]
    assert code == 0, told


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("bet ann player 50\n", "ann holds the bank and cannot bet against it"),
        ("suivi ben\n", "nobody may go banco suivi"),
        ("banco ann\n", "ann holds the bank"),
        ("bet ben player 60, cat player 50\nno more bets\n", "return 10.00 EUR to cat"),
        ("bet ben player 60\nbanco cat\nraise 10\n", "no stake exceeds the bank"),
        ("bet ben player 60\nraise\n", "usage: raise AMOUNT"),
        ("draw\n", "nobody chooses now"),
        ("withdraw-bank\n", "coup 1 is open; settle it first"),
        ("levy 5\n", "the rule pack chemin-de-fer has no taking of the levy"),
        ("bet ben player 60\nno more bets\n\n3h 9c 9d Kd\n\n", ""),
        (
            "bet ben player 60\nno more bets\n\n3h 2c Kh Kd\nstand\n",
            "Player has no choice on these cards and draws",
        ),
        (
            "bet ben player 60\nno more bets\n\n3h 2c 2h Kd\ndraw cat\n",
            "ben plays the hand of Player, not cat",
        ),
        ("bet ben player 60\nno more bets\n\n3h 2c 2h Kd 4d\n", "a card for Player, or none?"),
    ],
)
def test_what_the_rules_forbid_is_refused_with_the_reason(deal, said, why):
    code, told, _shoe = deal(said)
    assert why in told
    assert code == (2 if why else 0), told
