"""A table at which random events are tried. Events that the procedure permits are recorded.

At each step events of every kind are tried at random, most of them out of place. Then what is due
is done, with random decisions where somebody has to decide.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Literal

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.preconditions import violation
from sabot.domain.simulation.shoe_plan import shuffle_cards
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt

Kinds = list[Callable[[], ev.Event]]
Why = Literal["lost", "chosen", "pack-ended"]


class Tried:
    """The facts that a tried event mentions. Some are true and some are not."""

    def __init__(self, shoe: Shoe, dice: random.Random, table: "Whatever") -> None:
        coup = shoe.current
        bets = coup.bets if coup else {}
        staked = sum(bet.amount for bet in bets.values() if not bet.withdrawn)
        self.number = coup.number if coup else 1 + max(shoe.coups, default=0)
        self.bank = max(0, shoe.bank.amount) if shoe.bank else 10_000
        money = (*table.money, self.bank, self.bank, max(1, self.bank - 1), self.bank // 2)
        self.amount = dice.choice(money)
        self.over = max(0, staked - self.bank)
        self.bet, self.new = dice.randint(1, len(bets) + 1), max(bets, default=0) + 1
        self.seat = dice.randint(1, table.seats + 1)
        sits = shoe.seats.get(self.seat, "x")
        self.who = sits if dice.random() < 0.8 else dice.choice(table.people)
        self.holds = shoe.holder or self.who
        self.asked = shoe.offered or self.who
        self.hand: ev.Hand = dice.choice(table.hands)
        self.wager = dice.choice(table.wagers)
        self.why: Literal["lost", "chosen", "pack-ended"] = dice.choice(
            ("lost", "chosen", "pack-ended")
        )
        self.match = dice.choice((None, self.amount, shoe.match))
        self.said = dice.choice(("draw", "stand"))
        self.now = dice.choice((self.number, None))
        self.added = dice.choice((self.amount, self.over))


class Whatever(ABC):
    """A table with random events: ``often`` sets their number, ``void`` that of voided coups."""

    people: tuple[str, ...]
    money: tuple[int, ...]
    seats: int
    hands: tuple[ev.Hand, ...]
    wagers: tuple[str, ...]
    often = 0.4
    void = 0.01
    bets = 0.5
    """How much of what is tried is of the bets."""

    def __init__(self, pack: str, dice: random.Random, seats: Sequence[int]) -> None:
        """Seat the patrons and shuffle the cards."""
        self.dice = dice
        self.felt = Felt(pack, seats=tuple(ev.Seat(n, f"p{n}") for n in sorted(seats)))
        self.cards = iter(shuffle_cards(self.shoe.decks, dice))

    @property
    def shoe(self) -> Shoe:
        """The shoe so far."""
        return self.felt.shoe

    @property
    def over(self) -> bool:
        """Return whether nothing is due any more."""
        return next_action(self.shoe).expects == "nothing"

    def deal(self, most: int = 6000) -> Shoe:
        """Deal the shoe to its end."""
        for _ in range(most):
            for _ in range(3):
                if not self.over and self.dice.random() < self.often:
                    self.try_anything()
            if self.over:
                break
            payload = self.due()
            assert violation(self.shoe, payload) is None, (payload, violation(self.shoe, payload))
            self.felt.put(payload)
        return self.shoe

    def let(self, *payloads: ev.Event) -> None:
        """Add events until one is refused."""
        for payload in payloads:
            if violation(self.shoe, payload) is not None:
                return
            self.felt.put(payload)

    def try_anything(self) -> None:
        """Try an event, or have the coup voided."""
        dice, coup = self.dice, self.shoe.current
        if coup is not None and dice.random() < self.void and self.may_be_void(coup):
            note = ev.IrregularityNoted("misdeal", "void", coup.number)
            self.let(note, ev.CoupVoided(coup.number, "dealt anew"))
            return
        tried = Tried(self.shoe, dice, self)
        bets, others = [*_of_bets(tried), *self.of_bets(tried)], [*_of_a_bank(tried)]
        others += self.others(tried)
        self.let(dice.choice(bets if dice.random() < self.bets else others)())

    def may_be_void(self, coup: Coup) -> bool:
        """Return whether only a note is missing for a void, and nothing was settled."""
        return not any(bet.net for bet in coup.bets.values()) and self.lacks_a_note(coup)

    def lacks_a_note(self, coup: Coup) -> bool:
        """Return whether a refusal says that a note would let a coup be voided."""
        return "note it first" in (violation(self.shoe, ev.CoupVoided(coup.number)) or "")

    @abstractmethod
    def of_bets(self, tried: Tried) -> Kinds:
        """Return the events of this game that are tried as often as bets."""

    @abstractmethod
    def others(self, tried: Tried) -> Kinds:
        """Return the events of this game that are tried less often."""

    @abstractmethod
    def due(self) -> ev.Event:
        """Return what is due, with random decisions where somebody has to decide."""


def _of_bets(t: Tried) -> Kinds:
    return [
        lambda: ev.BetPlaced(t.number, t.new, t.who, t.wager, t.amount, t.seat),
        lambda: ev.BetPlaced(t.number, t.new, t.who, t.wager, t.amount),
        lambda: ev.BetChanged(t.number, t.bet, t.amount),
        lambda: ev.BetWithdrawn(t.number, t.bet),
        lambda: bank_ev.BankRaised(t.holds, t.added, t.now),
    ]


def _of_a_bank(t: Tried) -> Kinds:
    return [
        lambda: bank_ev.BankUnlimited(t.holds, t.number),
        lambda: bank_ev.BankUnlimited(t.who, t.number),
        lambda: bank_ev.BankWithdrawn(t.holds, t.amount),
        lambda: bank_ev.BankWithdrawn(t.holds, t.bank),
        lambda: ev.ShoePassed(t.holds, t.why),
        lambda: ev.ShoeOffered(t.who, t.match),
        lambda: ev.ShoeTaken(t.asked),
        lambda: ev.ShoeRefused(t.asked),
        lambda: bank_ev.ExcessReturned(t.number, t.bet, t.amount),
        lambda: bank_ev.LevyTaken(t.number, t.amount, "T"),
        lambda: ev.BetCarried(t.number, t.new, t.who, t.wager, t.amount),
        lambda: ev.NoMoreBets(t.number),
        lambda: ev.CoupOpened(t.number),
        lambda: ev.CoupClosed(t.number),
        lambda: ev.BetPushed(t.number, t.bet),
        lambda: ev.BetTaken(t.number, t.bet, t.amount),
        lambda: ev.BetPaid(t.number, t.bet, t.amount),
        lambda: ev.ShoeShuffled(t.holds),
        lambda: ev.ShoeCut(t.who, 50),
        lambda: ev.StopCardPlaced(10),
    ]
