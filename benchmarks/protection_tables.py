"""Tables of patrons with habits, dealt by the tests' own dealer, as events of a log.

The dealing shares no code with the program: `tests.support.legal_dealer` shuffles, burns, draws by
its own third-card table and settles, and the habits are those of `benchmarks.protection_shoes`. The
program only reads the events. Nothing irregular happens at these tables, apart from late bets.
"""

from msgspec.structs import replace

from benchmarks.protection_shoes import DECKS, PLAYER, SIDES, TIE, Coup, deal_coup
from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import fold
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import events_of
from tests.support.legal_dealer import LegalDealer
from tests.support.third_card_rule import NUMBER

PACK = "classic-8"
MOST_COUPS = 100


class Person:
    """A patron with a habit. The memory lasts for all shoes.

    ``late`` is the share of coups in which the patron changes sides after the first card.
    """

    def __init__(self, name, habit, rng, late=0.0):
        """Create a patron without history."""
        self.name, self.habit, self.late = name, habit, late
        self.memory = {"rng": rng, "won": 0, "last": None}


class HabitDealer(LegalDealer):
    """Deals a shoe to patrons with habits.

    With ``early``, the first four cards of a coup lie face down before the bets close.
    """

    def __init__(self, seed, people, dealer, *, early=False):
        """Load, shuffle, cut and burn."""
        self.people, self.early, self.seen = people, early, []
        super().__init__(pack_text(PACK), seed, corrects=False)
        self.outcomes, self.coup = [], None
        seats = tuple(ev.Seat(n, person.name) for n, person in enumerate(people, 1))
        crew = (ev.Crew("dealer", dealer),)
        self.payloads[0] = replace(self.payloads[0], seats=seats, crew=crew, table="T1")
        self.seen += [one.card for one in self.payloads if getattr(one, "card", None)]

    def _may(self, _chance):
        """Let nothing irregular happen."""
        return False

    def _draw(self, coup, hand):
        card = super()._draw(coup, hand)
        self.seen.append(card)
        return card

    def _between(self):
        pass

    def _unseen(self):
        unseen = [16 * DECKS] + [4 * DECKS] * 9
        for card in self.seen:
            unseen[NUMBER[card[0]]] -= 1
        return tuple(unseen)

    def _coup(self, number):
        self.payloads.append(ev.CoupOpened(number))
        hands = {"player": [], "banker": []}
        four = ("player", "banker") * 2
        values = [NUMBER[card[0]] for card in reversed(self.cards[-6:])]
        used = deal_coup(values)[1]
        self.coup = Coup(number, self._unseen(), values[:used], self.outcomes)
        if self.early:
            for hand in four:
                hands[hand].append(self._draw(number, hand))
        bets = self._bets(number)
        self.payloads.append(ev.NoMoreBets(number))
        for nth, hand in enumerate(four):
            if self.early:
                self.payloads.append(ev.CardTurned(number, hand, 1 + nth // 2))
            else:
                hands[hand].append(self._draw(number, hand))
            if nth == 0:
                self._move(number, bets)
        self._thirds(number, hands)
        self._call(number, hands)
        self._settle(number, bets, hands)
        self._over(number)
        self._remember(bets)

    def _bets(self, number):
        self.left, bets = [], {}
        for person in self.people:
            for wager, amount in person.habit(self.coup, person.memory).items():
                if amount > 0:
                    bets[len(bets) + 1] = [person.name, wager, amount]
                    self.payloads.append(ev.BetPlaced(number, len(bets), *bets[len(bets)]))
        return bets

    def _move(self, number, bets):
        """Let some patrons change sides after the first card."""
        for person in self.people:
            if person.memory["rng"].random() >= person.late:
                continue
            for bet, (name, wager, amount) in list(bets.items()):
                if name == person.name and wager in SIDES:
                    del bets[bet]
                    self.payloads.append(ev.BetWithdrawn(number, bet))
                    fresh = 1 + max([bet, *bets])
                    bets[fresh] = [name, SIDES[wager == SIDES[0]], amount]
                    self.payloads.append(ev.BetPlaced(number, fresh, *bets[fresh]))

    def _remember(self, bets):
        came = "PBT".index(self.outcome)
        self.outcomes.append(came)
        for person in self.people:
            on = sum(
                amount if wager == SIDES[0] else -amount
                for name, wager, amount in bets.values()
                if name == person.name and wager in SIDES
            )
            if came != TIE:
                person.memory["won"] += on if came == PLAYER else -on
                person.memory["last"] = on == 0 or (on > 0) == (came == PLAYER)


def deal_events(seed, number, people, dealer="anna", *, early=False) -> list[RecordedEvent]:
    """Deal a shoe and return its events, as of a log."""
    dealt = HabitDealer(f"{seed}/{number}", people, dealer, early=early).deal(MOST_COUPS)
    return events_of(dealt, f"shoe/T1-{number}")


def deal_shoe(seed, number, people, dealer="anna", *, early=False):
    """Deal a shoe and return it as the program reads it."""
    events = deal_events(seed, number, people, dealer, early=early)
    return fold(events[0].stream, events)
