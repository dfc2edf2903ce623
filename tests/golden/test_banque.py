"""Golden shoes of baccarat banque, compared with an independent dealer.

The expected text comes from ``plain_banque.py`` alone, which shares no code with the program.
"""

import importlib.util
import re
from pathlib import Path

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.chip_flow import imbalances
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.preconditions import require, violation
from sabot.domain.state.shoe import fold
from sabot.infrastructure.rule_packs import of_game
from tests.support.chip_transfers import nets, transfers
from tests.support.coup_notation import Felt
from tests.support.thorough import FULL

HERE = Path(__file__).parent
_SPEC = importlib.util.spec_from_file_location("plain_banque", HERE / "plain_banque.py")
plain_banque = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(plain_banque)
HOUSES = {house.name: house for house in plain_banque.HOUSES}
SEATS = tuple(ev.Seat(n, f"p{n}") for n in range(1, 12) if n != plain_banque.MIDDLE)
LETTERS = {"right": "R", "left": "L", "banker": "B"}
EVERYWHERE = (
    "asked", " chosen", "adds ", "goes ", "held ", " cheval", "at once right",
    "at once left", "last coup", " | void | ",
)  # fmt: skip
LEVY = (bank_ev.LevyAnnounced, bank_ev.TicketsDetached, bank_ev.LevyTaken, bank_ev.TicketsTorn)
LIMITED = (
    "broke ",
    "banco ",
    " both",
    "barred ",
    "accepts",
    "back ",
    "over x",
    "x right",
    "x left",
    "x cheval",
)


def shoes_of(name):
    """Return the cards and the lines of each shoe of a file."""
    shoes = []
    for line in (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()[1:]:
        if line.startswith("shoe "):
            shoes.append(([], []))
        elif line.startswith("  "):
            shoes[-1][0].extend(line.split())
        else:
            shoes[-1][1].append(line)
    return shoes


def test_every_shipped_pack_of_the_game_has_golden_shoes():
    assert set(HOUSES) == set(of_game("baccarat-banque"))


@pytest.mark.parametrize("name", HOUSES)
def test_the_file_is_what_the_plain_dealer_writes(name):
    written = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    assert written.splitlines() == plain_banque.playthrough(HOUSES[name]).splitlines()


def test_the_plain_dealer_shares_no_code_with_the_program():
    source = (HERE / "plain_banque.py").read_text(encoding="utf-8")
    lines = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert lines == ["import random", "from pathlib import Path"]


@pytest.mark.parametrize(
    ("name", "shoe"),
    [
        (name, shoe)
        for n, name in enumerate(HOUSES)
        for shoe in range(plain_banque.SHOES)
        if FULL or shoe == n % plain_banque.SHOES
    ],
)
def test_the_program_makes_the_same_of_what_people_did(name, shoe):
    cards, expected = shoes_of(name)[shoe]
    table = Played(name, cards)
    for line in expected:
        table.follow(line)
        assert table.told[-1] == line
    assert next_action(table.felt.shoe).expects == "nothing"
    assert table.told == expected
    played = table.felt.shoe
    assert fold(played.stream, played.history) == played
    assert sum(nets(transfers(played)).values()) == 0
    assert imbalances(played) == ()
    assert audit_shoe(played).findings == []


@pytest.mark.parametrize("name", HOUSES)
def test_the_files_hold_every_special_case(name):
    text = "\n".join(line for _cards, lines in shoes_of(name) for line in lines)
    said = EVERYWHERE if HOUSES[name].open else EVERYWHERE + LIMITED
    assert [words for words in said if words not in text] == []
    # a natural stands though the coup is void; one that lacked money has it of what losers left
    assert re.search(r"at once [^|]*\| void", text)
    if not HOUSES[name].open:
        everywhere = "".join((HERE / f"{house}.txt").read_text() for house in HOUSES)
        assert re.search(r"at once [^|]*\| [0-9-]* \| [^|]* -\d[^|]*\+", everywhere)


class Played:
    """A shoe played line by line: decisions are read, everything else is the program's."""

    def __init__(self, name, cards):
        self.house = HOUSES[name]
        self.felt = Felt(name, seats=SEATS)
        self.cards = iter(cards)
        self.told = []
        if self.house.open:
            self.put(bank_ev.SessionCalled("2026-01-01", 1, 2))

    @property
    def shoe(self):
        return self.felt.shoe

    def put(self, payload):
        require(self.shoe, payload)
        self.felt.put(payload)

    def due(self):
        return next_action(self.shoe)

    def do(self, *kinds):
        """Do what is due, as long as it is of these kinds."""
        while isinstance(self.due().payload, kinds):
            self.put(self.due().payload)

    def follow(self, line):
        self.do(ev.StopCardPlaced, ev.CutCardReached, ev.LastCoupCalled)
        word, *rest = line.split(" | ")[0].split()
        getattr(self, f"_{word}")(rest, line)

    # -- The bank -----------------------------------------------------------------------------

    def _bids(self, _rest, line):
        for bid in line.removeprefix("bids ").split(", "):
            who, amount = bid.split()
            assert self.due().expects in ("bank", "holder")
            self.put(bank_ev.BankBid(who, int(amount)))
        self.told.append(line)
        self._offered_and_taken()

    def _listed(self, _rest, line):
        for who in line.removeprefix("listed ").split(", "):
            self.put(bank_ev.BankListed(who))
        self.told.append(line)
        if not self.house.open:
            self._offered_and_taken()

    def _lot(self, rest, line):
        assert self.due().payload is None
        self.put(ev.ShoeOffered(rest[0]))
        self.told.append(line)
        self._offered_and_taken()

    def _offered_and_taken(self):
        self.do(ev.ShoeOffered, ev.ShoeTaken)

    def _asked(self, rest, _line):
        who, _amount, answer = rest
        offer = self.due().payload
        self.put(offer)
        self.put(ev.ShoeTaken(who) if answer == "yes" else ev.ShoeRefused(who))
        shown = "-" if offer.amount is None else offer.amount
        self.told.append(f"asked {offer.to} {shown} {answer}")

    def _goes(self, _rest, _line):
        moved = self.due().payload
        self.put(moved)
        self.told.append(f"goes {moved.patron} {moved.seat}")

    def _bank(self, rest, _line):
        who, amount = self.shoe.holder, int(rest[1])
        if self.house.open:
            assert "no BankPosted" not in str(self.due())
            assert violation(
                self.shoe, bank_ev.BankPosted(who, amount)
            ) is not None or self._is_proven(who)
            self.put(bank_ev.FundsProven(who, 10_000_000, "cash desk"))
        assert isinstance(self.due().payload, bank_ev.BankPosted)
        assert amount >= self.due().payload.amount
        self.put(bank_ev.BankPosted(who, amount))
        self.told.append(f"bank {who} {amount}")
        self.do(bank_ev.BankUnlimited)
        if not self.shoe.shuffles:
            self._shuffled()

    def _is_proven(self, who):
        return any(event.payload.by == who for event in self.shoe.funds)

    def _shuffled(self):
        """The croupier, then the banker last where the house says so, and he names who cuts."""
        self.put(ev.ShoeShuffled("dealer"))
        if self.house.seeds:
            self.put(ev.ShoeShuffled(self.shoe.holder))
            assert violation(self.shoe, ev.ShoeShuffled("dealer")) is not None
            assert violation(self.shoe, ev.ShoeCut("p1", 50)) is not None
            self.put(ev.CutterNamed(self.shoe.holder, "p1"))
            assert violation(self.shoe, ev.ShoeCut("p11", 50)) is not None
            self.put(ev.ShoeCut("p1", 50))
            return
        # clockwise from the dealer's left: the highest number first
        first = self.shoe.seats[max(self.shoe.seats)]
        self.put(ev.CutOffered(first))
        self.put(ev.ShoeCut(first, 50))

    def _adds(self, _rest, _line):
        added = self.due().payload
        assert isinstance(added, bank_ev.BankRaised)
        self.put(added)
        self.told.append(f"adds {added.by} {added.amount}")

    def _out(self, rest, _line):
        bank, why = self.shoe.bank, rest[2]
        self.put(bank_ev.BankWithdrawn(bank.holder, bank.amount))
        if why != "end":
            assert self.due().payload == ev.ShoePassed(bank.holder, why)
            self.put(self.due().payload)
        self.told.append(f"out {bank.holder} {bank.taken_out} {why}")

    def _broke(self, _rest, _line):
        who = self.shoe.bank.holder
        assert self.shoe.bank.amount == 0
        self.put(ev.ShoePassed(who, "lost"))
        self.told.append(f"broke {who}")

    def _last(self, _rest, _line):
        ended = self.due().payload
        assert isinstance(ended, ev.ShoeEnded)
        self.put(ended)
        self.told.append(f"last coup {len(self.shoe.coups)}, {ended.left} cards left")

    # -- A coup -------------------------------------------------------------------------------

    def _coup(self, _rest, line):
        pieces = line.split(" | ")
        said = dict(part.partition(" ")[::2] for part in pieces)
        self.do(ev.CoupOpened, bank_ev.BankCalled)
        self.coup = self.shoe.current
        parts = [f"coup {self.coup.number}", f"bank {self.coup.banked.called.payload.amount}"]
        self._stakes(said, pieces, parts)
        self.put(self.due().payload)  # no more bets
        self.do(bank_ev.HandGiven)
        given = [event.payload for event in self.coup.banked.given]
        parts += [f"{each.hand} {each.to}" for each in given]
        self._hands(said, parts)
        if "void" in said:
            self._voided(parts)
        else:
            self._settle(parts)
        self.told.append(" | ".join(parts))

    def _stakes(self, said, pieces, parts):
        number = self.coup.number
        if "held" in said:
            self.do(ev.BetCarried)
            parts.append("held " + _listed(self.coup.bets.values()))
            frozen = next(iter(self.coup.bets))
            assert "it stands for this coup" in violation(
                self.shoe, ev.BetWithdrawn(number, frozen)
            )
        # what was staked before somebody went bank goes back; the lines have both in their order
        for part in pieces:
            if part.startswith("bets "):
                self._bets(part, parts)
            elif part.startswith(("banco ", "barred ")):
                self._claims(part, parts)
        over = []
        while isinstance(payload := self.due().payload, bank_ev.ExcessReturned):
            self.put(payload)
            bet = self.coup.bets[payload.bet]
            over.append(f"{bet.patron} {bet.wager} {payload.amount}")
        parts += ["over " + ", ".join(over)] if over else []
        if "accepts" in said:
            self.put(bank_ev.BankUnlimited(self.shoe.bank.holder, number))
            parts.append("accepts")
        if isinstance(added := self.due().payload, bank_ev.BankRaised):
            self.put(added)
            parts.append(f"adds {added.amount}")

    def _claims(self, part, parts):
        """Have claims made, or see them refused; then those who go bank stake."""
        number = self.coup.number
        said, _, claims = part.partition(" ")
        for claim in claims.split(", "):
            who, _, on = claim.partition(" ")
            if said == "banco":
                self.put(bank_ev.BancoCalled(number, who, on=on or None))
            else:
                why = violation(self.shoe, bank_ev.BancoCalled(number, who))
                assert "3 times in a row" in why
        parts.append(part)
        if said == "banco":
            self.do(ev.BetPlaced)
            self._went_bank(parts)

    def _went_bank(self, parts):
        bets = list(self.coup.bets.values())
        back = []
        while isinstance(payload := self.due().payload, bank_ev.ExcessReturned):
            self.put(payload)
            back.append(self.coup.bets[payload.bet])
        order = self.coup.banked.order
        takers = [bet for bet in bets if bet not in back]
        takers.sort(key=lambda bet: order.index(bet.patron) if bet.patron in order else 99)
        parts.extend(f"{bet.patron} {bet.wager} {bet.amount}" for bet in takers)
        if back:
            whole = [f"{bet.patron} {bet.wager} {bet.returned}" for bet in back]
            parts.append("back " + ", ".join(whole))

    def _bets(self, part, parts):
        for bet in part.removeprefix("bets ").split(", "):
            who, on, amount = bet.split()
            number = len(self.coup.bets) + 1
            self.put(ev.BetPlaced(self.coup.number, number, who, on, int(amount)))
        parts.append(part)

    def _hands(self, said, parts):
        shown = {hand: said[letter].split() for hand, letter in LETTERS.items()}
        decided = dict.fromkeys(LETTERS, "")
        while not isinstance(self.due().payload, bank_ev.HandsCalled):
            due = self.due()
            if due.expects == "card":
                number, place = self.coup.number, len(self.shoe.left) + 1
                self.put(ev.CardDrawn(number, due.hand, next(self.cards), place))
            elif due.expects == "choice":
                draws = shown[due.hand][-1].startswith("+")
                self.put(
                    bank_ev.ChoiceMade(self.coup.number, due.hand, "draw" if draws else "stand")
                )
                decided[due.hand] = " +" if draws else " ."
            else:
                self.put(due.payload)
        for hand, letter in LETTERS.items():
            cards = self.coup.hand(hand)
            third = decided[hand] + "".join(cards[2:])
            parts.append(f"{letter} {cards[0]} {cards[1]}{third}")

    def _voided(self, parts):
        """Something happens before the hands are called: all but a natural goes back."""
        number = self.coup.number
        self._at_once(parts)
        self.put(ev.IrregularityNoted("other", "void", number, "sue", "the lights go out"))
        self.put(ev.CoupVoided(number, "the lights went out", "sue"))
        parts += ["void", f"left {self.shoe.bank.amount}"]

    def _at_once(self, parts):
        """Say what was paid before the hands are called."""
        paid = self._moves()
        tableau = " ".join({bet.wager for bet in self.coup.bets.values() if bet.settled})
        if paid:
            parts.append(f"at once {tableau} " + ", ".join(paid))
        return paid

    def _settle(self, parts):
        called = self.due().payload
        at_once = self._at_once(parts)
        self.put(called)
        self.do(ev.BetTaken, ev.BetPaid, ev.BetPushed)
        parts.append("-".join(str(each.total) for each in called.totals))
        parts.append(", ".join(self._moves()[len(at_once) :]))
        while isinstance(levy := self.due().payload, LEVY):
            self.put(self.felt._ticketed(levy))
        levies = [event.payload.amount for event in self.coup.banked.levies]
        parts += [f"levy {sum(levies)}", f"left {self.shoe.bank.amount}"]
        self.do(ev.CoupClosed)

    def _moves(self):
        """Say what was taken and paid so far, in the order in which it was."""
        said = []
        for event in self.coup.events:
            match event.payload:
                case ev.BetPaid(bet=bet, amount=amount):
                    said.append(f"{self.coup.bets[bet].patron} +{amount}")
                case ev.BetTaken(bet=bet, amount=amount):
                    said.append(f"{self.coup.bets[bet].patron} -{amount}")
                case ev.BetPushed(bet=bet):
                    said.append(f"{self.coup.bets[bet].patron} =")
        return said


def _listed(bets):
    return ", ".join(f"{bet.patron} {bet.wager} {bet.amount}" for bet in bets)
