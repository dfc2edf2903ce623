"""Golden shoes of chemin de fer, compared with an independent dealer.

The expected text comes from ``plain_chemin.py`` alone, which shares no code with the program.
"""

import importlib.util
from pathlib import Path

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.preconditions import require
from sabot.infrastructure.rule_packs import of_game
from tests.support.coup_notation import Felt

HERE = Path(__file__).parent
_SPEC = importlib.util.spec_from_file_location("plain_chemin", HERE / "plain_chemin.py")
plain_chemin = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(plain_chemin)
HOUSES = {house.name: house for house in plain_chemin.HOUSES}


def test_every_shipped_pack_of_the_game_has_a_golden_shoe():
    houses = set(of_game("chemin-de-fer"))
    assert set(HOUSES) == houses


@pytest.mark.parametrize("name", HOUSES)
def test_the_file_is_what_the_plain_dealer_writes(name):
    written = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    assert written.splitlines() == plain_chemin.playthrough(HOUSES[name]).splitlines()


def test_the_plain_dealer_shares_no_code_with_the_program():
    source = (HERE / "plain_chemin.py").read_text(encoding="utf-8")
    lines = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert lines == ["import random", "from pathlib import Path"]


def read(name):
    """Return the cards of a file, and what is told of them."""
    lines = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    cards = [card for line in lines if line.startswith("  ") for card in line.split()]
    return cards, [line for line in lines[1:] if not line.startswith("  ")]


@pytest.mark.parametrize("name", HOUSES)
def test_the_program_makes_the_same_of_what_the_players_did(name):
    cards, expected = read(name)
    table = Played(name, cards)
    for line in expected:
        table.follow(line)
    assert next_action(table.felt.shoe).expects == "nothing"
    assert table.told == expected
    assert audit_shoe(table.felt.shoe).findings == []


@pytest.mark.parametrize("name", HOUSES)
def test_the_files_hold_every_special_case(name):
    text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    said = ["tie ", "held ", "banco ", "suivi", "back ", "broke ", "chosen", " lost", " . | B"]
    said += ["x plays"] + (["raise "] if HOUSES[name].raises else ["levy 30"])
    said += ["yes\nbank"]
    assert [words for words in said if words not in text] == []


class Played:
    """A shoe played line by line: decisions are read, everything else is the program's."""

    def __init__(self, name, cards):
        seats = tuple(ev.Seat(n, who) for n, who in enumerate(plain_chemin.SEATED, 1))
        self.felt = Felt(name, seats=seats)
        self.cards = iter(cards)
        self.told = []
        self.put(ev.ShoeShuffled("dealer"))
        if self.felt.shoe.pack.cut.offered is not None:
            # clockwise from the dealer: the last seat is the first
            self.put(
                ev.CutOffered(plain_chemin.SEATED[-1]), ev.ShoeCut(plain_chemin.SEATED[-1], 50)
            )
        else:
            self.put(ev.ShoeCut("p1", 50))

    def put(self, *payloads):
        for payload in payloads:
            require(self.felt.shoe, payload)
            self.felt.put(payload)

    def due(self):
        return next_action(self.felt.shoe)

    def do(self, *kinds):
        """Do what is due, as long as it is of these kinds."""
        while isinstance(self.due().payload, kinds):
            self.put(self.due().payload)

    def follow(self, line):
        self.do(ev.StopCardPlaced, ev.CutCardReached, ev.LastCoupCalled)
        word, *rest = line.split(" | ")[0].split()
        getattr(self, f"_{word}")(rest, line)

    def _asked(self, rest, _line):
        who, _amount, answer = rest
        offer = self.due().payload
        self.put(offer)
        self.put(ev.ShoeTaken(who) if answer == "yes" else ev.ShoeRefused(who))
        shown = "-" if offer.amount is None else offer.amount
        self.told.append(f"asked {offer.to} {shown} {answer}")

    def _bank(self, rest, _line):
        amount = int(rest[1])
        due = self.due().payload
        assert isinstance(due, bank_ev.BankPosted)
        assert amount >= due.amount
        self.put(bank_ev.BankPosted(due.by, amount))
        self.told.append(f"bank {due.by} {amount}")

    def _out(self, rest, _line):
        shoe = self.felt.shoe
        who, amount, why = shoe.bank.holder, shoe.bank.amount, rest[2]
        if why == "chosen":
            self.put(bank_ev.BankWithdrawn(who, amount))
            self.put(ev.ShoePassed(who, "chosen"))
        else:
            assert self.due().payload == bank_ev.BankWithdrawn(who, amount)
            self.put(self.due().payload)
        if why == "lost":
            self._passes(who)
        self.told.append(f"out {who} {amount} {why}")

    def _broke(self, _rest, _line):
        who = self.felt.shoe.bank.holder
        assert self.felt.shoe.bank.amount == 0
        self._passes(who)
        self.told.append(f"broke {who}")

    def _passes(self, who):
        assert self.due().payload == ev.ShoePassed(who, "lost")
        self.put(self.due().payload)

    def _last(self, _rest, _line):
        ended = self.due().payload
        assert isinstance(ended, ev.ShoeEnded)
        self.put(ended)
        self.told.append(f"last coup {len(self.felt.shoe.coups)}, {ended.left} cards left")

    # -- A coup -------------------------------------------------------------------------------

    def _coup(self, _rest, line):
        said = dict(part.partition(" ")[::2] for part in line.split(" | "))
        self.do(ev.CoupOpened, bank_ev.BankCalled)
        self.coup = self.felt.shoe.current
        parts = [f"coup {self.coup.number}", f"bank {self.coup.banked.called.payload.amount}"]
        self._stakes(said, parts)
        self.put(self.due().payload)  # no more bets
        self.put(self.due().payload)  # the hand is given
        parts.append(f"{self.coup.banked.given[-1].payload.to} plays")
        self._hands(said, parts)
        self._settle(parts)
        self.told.append(" | ".join(parts))

    def _stakes(self, said, parts):
        number = self.coup.number
        if "held" in said:
            self.do(ev.BetCarried)
            bets = self.coup.bets.values()
            parts.append("held " + ", ".join(f"{bet.patron} {bet.amount}" for bet in bets))
        if "banco" in said:
            for claim in said["banco"].split(", "):
                who, _, suivi = claim.partition(" ")
                self.put(bank_ev.BancoCalled(number, who, bool(suivi)))
            parts.append(f"banco {said['banco']}")
            self.do(ev.BetPlaced)
        if "bets" in said:
            for bet in said["bets"].split(", "):
                who, amount = bet.split()
                self.put(ev.BetPlaced(number, len(self.coup.bets) + 1, who, "player", int(amount)))
            parts.append(f"bets {said['bets']}")
            if "raise" in said:
                self.put(bank_ev.BankRaised(self.felt.shoe.bank.holder, int(said["raise"]), number))
                parts.append(f"raise {said['raise']}")
            back = []
            while isinstance(payload := self.due().payload, bank_ev.ExcessReturned):
                self.put(payload)
                back.append(f"{self.coup.bets[payload.bet].patron} {payload.amount}")
            parts.extend(["back " + ", ".join(back)] if back else [])

    def _hands(self, said, parts):
        shown = {"player": said["P"].split(), "banker": said["B"].split()}
        decided = {"player": "", "banker": ""}
        while not isinstance(self.due().payload, ev.ResultCalled):
            due = self.due()
            if due.expects == "card":
                number, place = self.coup.number, len(self.felt.shoe.left) + 1
                self.put(ev.CardDrawn(number, due.hand, next(self.cards), place))
            elif due.expects == "choice":
                draws = shown[due.hand][-1].startswith("+")
                choice = "draw" if draws else "stand"
                self.put(bank_ev.ChoiceMade(self.coup.number, due.hand, choice))
                decided[due.hand] = " +" if draws else " ."
            else:
                self.put(due.payload)
        for hand, cards in (("player", self.coup.player), ("banker", self.coup.banker)):
            third = decided[hand] + "".join(cards[2:])
            parts.append(f"{hand[0].upper()} {cards[0]} {cards[1]}{third}")

    def _settle(self, parts):
        called = self.due().payload
        self.put(called)
        won = {"P": "player", "B": "banker", "T": "tie"}[called.outcome]
        parts.append(f"{won} {called.player}-{called.banker}")
        self.do(ev.BetTaken, ev.BetPaid, ev.BetPushed)
        bets = [bet for bet in self.coup.bets.values() if not bet.withdrawn]
        parts.append(", ".join(map(_moved, bets)))
        self.do(bank_ev.LevyAnnounced)
        if isinstance(levy := self.due().payload, bank_ev.TicketsDetached):
            self.put(bank_ev.TicketsDetached(levy.coup, levy.amount, (f"T-{levy.coup}",)))
        self.do(bank_ev.LevyTaken, bank_ev.TicketsTorn)
        levies = [event.payload.amount for event in self.coup.banked.levies]
        parts += [f"levy {sum(levies)}", f"left {self.felt.shoe.bank.amount}"]
        self.do(ev.CoupClosed)


def _moved(bet):
    if bet.pushed:
        return f"{bet.patron} ="
    return f"{bet.patron} +{bet.paid}" if bet.paid else f"{bet.patron} -{bet.taken}"
