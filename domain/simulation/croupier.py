"""The automatic dealer: asks the caller's side what is due, and does it, to the end of the shoe.

There is one dealer in the program: every step here is an answer to `domain.dealing.prompt`,
so what is dealt is what the rule pack of the shoe asks for. Faults (`domain.simulation.faults`)
may do something else in its place; nothing else may.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from domain import facts as f
from domain.cards import VALUE, Card
from domain.commitment import SealedOrder
from domain.coup import Coup
from domain.dealing import Awaits, Prompt, due_bets, due_move, prompt
from domain.event import Event
from domain.facts import bank as k
from domain.procedure import limit_for
from domain.result import result_of
from domain.rulepack import parse_pack
from domain.shoe import Shoe, evolve
from domain.simulation import banque, chemin, preparing
from domain.simulation.banking import MOVES_OF_A_BANK, bank_put_up, moved
from domain.simulation.clock import TableClock
from domain.simulation.collusion import Favours
from domain.simulation.comings import comings, goings
from domain.simulation.continuous import ContinuousShuffler
from domain.simulation.felt import evened_out, late_moment, late_moves, place_bets
from domain.simulation.patrons import Patron, Sitter, Table
from domain.simulation.plan import ShoePlan, crew_of, shuffled

if TYPE_CHECKING:
    from domain.simulation.faults import Fault
    from domain.simulation.habits import Moment

Facts = tuple[f.ShoeFact, ...]
ENDLESS_COUPS: Final = 81
"""Coups that are dealt where no shoe ends: as many as from eight decks."""
_IDLE_COUPS: Final = 10
"""Coups without a stake after which a table with a patron's bank closes."""
COUP_CARDS: Final = 6
_FOUR: Final = 4
"""The most cards that a coup takes."""
_BEFORE: Final[tuple[Awaits, ...]] = ("shuffle", "cut", "stop-card", "burn-up", "burn-down")


class Croupier:
    """Deals one shoe to its patrons, fact by fact.

    The same plan, patrons and random source give the same events. Patrons have random sources
    of their own, so that another habit changes no card.
    """

    def __init__(
        self,
        plan: ShoePlan,
        patrons: Sequence[Patron],
        rng: random.Random,
        faults: "Sequence[Fault]" = (),
    ) -> None:
        """Shuffle, unseen, and take the patrons' names."""
        self.plan = plan
        self.pack = parse_pack(plan.pack)
        self.shoe = Shoe(plan.stream)
        shuffle = random.Random(rng.getrandbits(64))
        cards = plan.order or shuffled(plan.decks, shuffle)
        self.order: SealedOrder | ContinuousShuffler
        self.order = SealedOrder(cards, f"{rng.getrandbits(256):064x}")
        if self.pack.endless:
            self.order = ContinuousShuffler(plan.decks, shuffle)
        self.crew = plan.crew or crew_of(self.pack)
        self.clock = TableClock(plan.start_us, random.Random(rng.getrandbits(64)))
        self.rng = random.Random(rng.getrandbits(64))
        self.sitters = [Sitter(who, random.Random(rng.getrandbits(64))) for who in patrons]
        self.sitters.sort(key=lambda sitter: sitter.patron.habit.waits)
        self.faults: list[Fault | Favours] = list(faults)
        favours = {who.name: who.favour for who in patrons if who.favour is not None}
        if favours:
            self.faults.append(Favours(favours, random.Random(rng.getrandbits(64))))
        self.outcomes: list[f.Outcome] = []
        self.unseen = [16 * plan.decks] + [4 * plan.decks] * 9
        self._floor = self.floor
        self._readied = 0
        self._bets_asked = 0
        self._moved: tuple[int, Moment] | None = None
        self._seq = plan.seq
        self._answers: dict[Awaits, Callable[[Prompt], Iterable[f.ShoeFact]]] = {
            **dict.fromkeys(_BEFORE, partial(preparing.prepare, self)),
            "card": self._card,
            "bets": self._bets,
            "coup": self._open,
            "holder": self._holder,
            "settle": self._settle,
            "bank": self._bank,
            "end": self._ended,
        }
        if self.pack.tableaux is not None:
            self._answers |= banque.answers(self)
        elif self.pack.bank is not None:
            self._answers |= chemin.answers(self)

    @property
    def seq(self) -> int:
        """The device's number of the last fact."""
        return self._seq

    def deal(self) -> Iterator[Event]:
        """Deal the whole shoe; each event is in the shoe's state when it is handed out."""
        due: Iterable[f.ShoeFact] = preparing.loading(self)
        while True:
            for fact in due:
                for really in self._altered(fact) if self.faults else (fact,):
                    yield self._record(really)
            now = prompt(self.shoe)
            if now.awaits == "nothing":
                break
            done = self._faulty(now) if self.faults else None
            due = self.answer(now) if done is None else done
        if isinstance(self.order, SealedOrder):
            for really in self._altered(self.order.opened()):
                yield self._record(really)

    # -- What faults may use ------------------------------------------------------------------

    def skip_number(self) -> None:
        """Have the device pass a number over."""
        self._seq += 1

    def drawn(self, hand: f.Hand, seat: int | None = None) -> f.CardDrawn:
        """Take the next card out of the shoe for a hand of the coup in play."""
        assert self.shoe.current is not None
        card = self.order.draw()
        back: Literal["straight", "turned"] | None = None
        if self.plan.turned is not None:
            back = "turned" if VALUE[card] in self.plan.turned else "straight"
        number = self.shoe.current.number
        return f.CardDrawn(number, hand, card, self.gone, back, seat=seat)

    def burned(self, *, face_up: bool) -> f.CardBurned:
        """Take the next card out of the shoe and burn it before the first coup."""
        card = self.order.draw()
        return f.CardBurned(card if face_up else None, self.gone)

    @property
    def gone(self) -> int:
        """How many cards have really left the shoe, whatever was recorded."""
        if isinstance(self.order, ContinuousShuffler):
            return self.order.gone
        return 52 * self.plan.decks - self.order.left

    def bound(self) -> f.OrderCommitted:
        """Return the fact that binds the order of the cards; a shuffler has none."""
        assert isinstance(self.order, SealedOrder)
        return self.order.committed()

    def settlement(self) -> Iterator[f.ShoeFact]:
        """Settle every bet of the coup in play as it is due, each once the one before is."""
        coup = self.shoe.current
        assert coup is not None
        for bet, due in due_bets(self.shoe, coup):
            for _ in ("the bet", "its commission"):
                fact = due_move(self.shoe, coup, bet, due)
                if fact is not None:
                    yield fact

    @property
    def floor(self) -> str:
        """Who speaks for the table: the caller, or the one dealer."""
        crew = self.shoe.crew or {each.post: each.person for each in self.crew}
        return crew.get("caller") or crew.get("dealer") or "house"

    # -- Recording ----------------------------------------------------------------------------

    def _record(self, fact: f.ShoeFact) -> Event:
        self._seq += 1
        kind = type(fact)
        version = len(self.shoe.history) + 1
        at = self.clock.tick(fact)
        plan = self.plan
        event = Event(
            version,
            plan.stream,
            version,
            at + self.clock.out_us,
            at,
            self._floor,
            plan.device,
            self._seq,
            fact,
        )
        self.shoe = evolve(self.shoe, event)
        if kind is f.CardDrawn or kind is f.CardBurned:
            card: Card | None = fact.card  # type: ignore[union-attr]
            if card is not None:
                self.unseen[VALUE[card]] -= 1
        elif kind is f.CrewChanged:
            self._floor = self.floor
        elif kind in MOVES_OF_A_BANK:
            moved(self.sitters, fact)
        elif kind is f.CoupClosed or kind is f.CoupVoided:
            self._over(self.shoe.coups[fact.coup])  # type: ignore[union-attr,index]
        return event

    def _over(self, coup: Coup) -> None:
        for sitter in self.sitters:
            sitter.settle(coup)
        if isinstance(self.order, ContinuousShuffler):
            self.order.give_back()
            self.unseen = [16 * self.plan.decks] + [4 * self.plan.decks] * 9
        if coup.voided is None and coup.player and coup.banker:
            self.outcomes.append(result_of(coup.player, coup.banker).outcome)

    def _faulty(self, due: Prompt) -> Iterable[f.ShoeFact] | None:
        for fault in self.faults:
            done = fault.acts(self, due)
            if done is not None:
                return done
        return None

    def _altered(self, fact: f.ShoeFact) -> Iterable[f.ShoeFact]:
        for fault in self.faults:
            done = fault.alters(self, fact)
            if done is not None:
                return done
        return (fact,)

    # -- Answers to what is due -----------------------------------------------------------------

    def answer(self, due: Prompt) -> Iterable[f.ShoeFact]:
        """Do what is due, as it should be done; a fault may go on with it."""
        late = self._late(due)
        if late:
            return late
        answer = self._answers.get(due.awaits)
        if answer is not None:
            return answer(due)
        assert due.fact is not None, due
        return (due.fact,)

    def _card(self, due: Prompt) -> Facts:
        assert due.hand is not None
        return (self.drawn(due.hand, due.seat),)

    def _open(self, due: Prompt) -> Facts:
        assert isinstance(due.fact, f.CoupOpened)
        number = due.fact.coup
        if self._unstaked():
            return self.end("closing")
        if self._readied != number:
            self._readied = number
            moved = (*comings(self, number), *goings(self, number))
            tableaux = self.pack.tableaux is not None
            if moved or (moved := (banque if tableaux else chemin).given_up(self, number)):
                return moved
        most = self.plan.coups or (ENDLESS_COUPS if self.pack.endless else None)
        if self.order.left < (COUP_CARDS if self.pack.tableaux is None else banque.COUP_CARDS):
            return self.end("too-few-cards")
        here = any(s.seated or s.patron.joins > number for s in self.sitters)
        if (self.sitters and not here) or (most is not None and number > most):
            return self.end("closing")
        if number <= self.plan.free_hands:
            return (*self._asked_for(), f.CoupOpened(number, free=True))
        return (due.fact,)

    def _asked_for(self) -> Facts:
        """Have somebody ask for the free hand, where the pack deals none unasked."""
        sits = next((s.patron.name for s in self.sitters if s.seated), self.floor)
        if self.pack.free_hands_when != "on-request":
            return ()
        return (f.RequestMade(sits, "free-hand", granted=True),)

    def seat_of(self, patron: Patron) -> int | None:
        """Return where a patron sits; None: he stands, where no seat is left for him."""
        return patron.seat if self.pack.tableaux is None else banque.seat_of(self, patron.seat)

    def banks(self, name: str) -> bool:
        """Tell whether a patron's chips lie in the bank: he stays by them."""
        return self.shoe.bank is not None and self.shoe.bank.holder == name

    @property
    def table(self) -> Table:
        """What stands at the table for every patron."""
        limit = limit_for(self.shoe, "player")
        offered = frozenset(wager.name for wager in self.pack.wagers)
        return Table(limit.minimum if limit else 1, limit.maximum if limit else 2**53, offered)

    def _bets(self, due: Prompt) -> Facts:
        coup = self.shoe.current
        assert coup is not None
        assert due.fact is not None
        call = type(due.fact) is f.NoMoreBets
        if not call or coup.free:
            return (due.fact,)
        if self._bets_asked == coup.number:
            return (*evened_out(self, coup), due.fact, *self._turned(coup))
        if self.plan.early and len(coup.player) + len(coup.banker) < _FOUR:
            return (self.drawn("player" if len(coup.player) <= len(coup.banker) else "banker"),)
        self._bets_asked = coup.number
        return place_bets(self, coup) or (due.fact,)

    def _turned(self, coup: Coup) -> Facts:
        """Turn the cards that were dealt early, where the pack would deal them open."""
        if not self.plan.early or self.pack.cards.faces == "down":
            return ()
        hands: tuple[tuple[f.Hand, Sequence[Card]], ...]
        hands = (("player", coup.player), ("banker", coup.banker))
        return tuple(
            f.CardTurned(coup.number, hand, nth)
            for hand, cards in hands
            for nth in range(1, len(cards) + 1)
        )

    def _late(self, due: Prompt) -> Facts:
        """Let whoever moves his bets too late do so, once at each moment of a coup."""
        coup = self.shoe.current
        moment = None if coup is None else late_moment(coup, due)
        if coup is None or moment is None or self._moved == (coup.number, moment):
            return ()
        self._moved = (coup.number, moment)
        return late_moves(self, coup, moment)

    def asks_for_bets(self, coup: Coup) -> bool:
        """Tell whether the patrons are still to be asked for their bets, and note that they are."""
        asked, self._bets_asked = self._bets_asked, coup.number
        return asked != coup.number

    def _unstaked(self) -> bool:
        """Tell whether nobody stakes against a bank any more."""
        if self.pack.game == "punto-banco":
            return False
        coups = self.shoe.coups
        before = coups.get(max(coups, default=0))
        if before is None or before.bets or before.cards:
            return False
        idle = [coups[number] for number in sorted(coups)[-_IDLE_COUPS:]]
        return before.voided is not None or (
            len(idle) == _IDLE_COUPS and not any(coup.bets or coup.cards for coup in idle)
        )

    def _holder(self, due: Prompt) -> Facts:
        assert due.fact is not None
        offered = self.shoe.offered
        if offered is not None:
            sitter = next((s for s in self.sitters if s.patron.name == offered), None)
            if sitter is not None and self.rng.random() >= sitter.patron.holds:
                return (f.ShoeRefused(offered),)
        return (due.fact,)

    def _bank(self, due: Prompt) -> Facts:
        assert due.fact is not None
        return (bank_put_up(self, due.fact),)

    def _settle(self, due: Prompt) -> Iterable[f.ShoeFact]:
        """Settle the bets; one that no pay line settles goes back to its patron."""
        if isinstance(due.fact, chemin.LevyStep):
            return (chemin.with_ticket(self, due.fact),)
        if due.fact is not None:
            return self.settlement()
        coup = self.shoe.current
        assert coup is not None
        bets = (bet for bet in coup.bets.values() if not bet.settled and not bet.withdrawn)
        return (f.BetPushed(coup.number, next(bets).number),)

    def collected(self, patron: str) -> Facts:
        """Collect what a patron owes of commission."""
        owed = self.shoe.owed.get(patron, 0)
        return (f.CommissionCollected(patron, owed),) if owed > 0 else ()

    def _ended(self, due: Prompt) -> Facts:
        return self.end(due.fact.reason if isinstance(due.fact, f.ShoeEnded) else "cut-card")

    def end(self, reason: f.EndOfShoe) -> Facts:
        """Take the bank out, collect what is owed, count the cards that are left."""
        bank = self.shoe.bank
        out: Facts = ()
        if bank is not None and bank.amount > 0:
            out = (k.BankWithdrawn(bank.holder, bank.amount),)
        left, recorded = self.order.left, len(self.shoe.left)
        owed = [fact for name in sorted(self.shoe.owed) for fact in self.collected(name)]
        if self.pack.endless:
            return (*out, *owed, f.ShoeEnded(counted=self.shoe.size, reason=reason))
        return (*out, *owed, f.ShoeEnded(left=left, counted=left + recorded, reason=reason))
