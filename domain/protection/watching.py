"""One walk through a shoe's facts in their order: what could be seen when.

See `domain.protection.sight` for what is read, and how doubt is handled.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct

from domain import facts as f
from domain.cards import VALUE
from domain.corrections import effective
from domain.event import Event
from domain.protection.chances import COUP_CARDS
from domain.protection.sight import Change, Look, Seen, Sight, Stakes
from domain.shoe import Shoe

_EXPOSED: Final = ("card-exposed", "card-face-up", "card-off-the-table")


def see(shoe: Shoe) -> Seen:
    """Walk through a shoe's facts and say what could be seen when."""
    return _Watcher(shoe).watch(effective(shoe.history))


class _Down(Struct):
    """A card on the felt that has not been shown."""

    place: int
    hand: str
    value: int
    event: int
    early: bool


class _Watcher:
    """The walk: what is on the felt and what is unseen, fact by fact."""

    def __init__(self, shoe: Shoe) -> None:
        self.seen = Seen([])
        self.faces_down = shoe.pack is not None and shoe.pack.cards.faces == "down"
        self.whole = shoe.scope == "whole"
        self.withdrawable = shoe.pack is None or shoe.pack.tie.withdrawable
        self.burns_face_up = shoe.pack is None or shoe.pack.burn.option == "first-card-value"
        self.unseen = [16 * shoe.decks] + [4 * shoe.decks] * 9
        self.lacking = 0
        self.left = 0
        self.burn_seen = False
        self.dealer: str | None = None
        self.seats: dict[int, str] = {}
        self.regulars: dict[str, None] = {}
        self.coup: Sight | None = None
        self.bets: dict[int, tuple[str, str, int]] = {}
        self.carried: set[str] = set()
        self.down: list[_Down] = []
        self.closed_bets = False
        self.snapshot: Stakes | None = None
        self.met = 0
        self.dealing = False
        self.by_number: dict[int, Sight] = {}
        self.turns: set[int] = set()

    def watch(self, history: Iterable[Event]) -> Seen:
        """Take every fact in turn; stop where the record contradicts itself."""
        events = list(history)
        turned = {e.fact.coup for e in events if isinstance(e.fact, f.CardTurned)}
        self.turns = turned
        for event in events:
            handler = _WATCH.get(type(event.fact))
            if handler is not None:
                handler(self, event, event.fact)
            if self.seen.broken:
                break
        return self.seen

    # -- The table ----------------------------------------------------------------------------

    def loaded(self, _event: Event, fact: f.ShoeLoaded) -> None:
        for crew in fact.crew:
            self._post(crew.post, crew.person)
        self.seats = {seat.seat: seat.patron for seat in fact.seats}

    def crew_changed(self, _event: Event, fact: f.CrewChanged) -> None:
        self._post(fact.post, fact.person)

    def _post(self, post: str, person: str | None) -> None:
        if post == "dealer" or (post == "caller" and self.dealer is None):
            self.dealer = person

    def seated(self, _event: Event, fact: f.PatronSeated) -> None:
        self.seats[fact.seat] = fact.patron

    def patron_left(self, _event: Event, fact: f.PatronLeft) -> None:
        self.seats = {seat: name for seat, name in self.seats.items() if name != fact.patron}
        self.regulars.pop(fact.patron, None)

    def shuffled(self, _event: Event, fact: f.ShoeShuffled) -> None:
        if fact.method == "continuous":
            self.seen.broken = "a continuous shuffler takes cards back: what is unseen is not known"
        elif self.left:
            self.seen.broken = "cards were shuffled again: which of them had been seen is not known"

    # -- The felt -----------------------------------------------------------------------------

    def opened(self, event: Event, fact: f.CoupOpened) -> None:
        self._enter(fact.coup, event)

    def bet_placed(self, event: Event, fact: f.BetPlaced | f.BetCarried) -> None:
        coup = self._enter(fact.coup, event)
        if fact.bet in self.bets or coup is not self.coup:
            return
        before = self._mine(fact.patron)
        self.bets[fact.bet] = (fact.patron, fact.wager, fact.amount)
        self.regulars[fact.patron] = None
        if type(fact) is f.BetCarried and not self.withdrawable:
            self.carried.add(fact.patron)
        self._changed(coup, event, fact.patron, before)

    def bet_changed(self, event: Event, fact: f.BetChanged) -> None:
        self._restake(event, fact.coup, fact.bet, fact.amount)

    def bet_withdrawn(self, event: Event, fact: f.BetWithdrawn) -> None:
        self._restake(event, fact.coup, fact.bet, 0)

    def _restake(self, event: Event, number: int, bet: int, amount: int) -> None:
        coup = self._enter(number, event)
        held = self.bets.get(bet)
        if held is None or coup is not self.coup:
            return
        before = self._mine(held[0])
        self.bets[bet] = (held[0], held[1], amount)
        self._changed(coup, event, held[0], before)

    def _mine(self, patron: str) -> dict[str, int]:
        mine: dict[str, int] = {}
        for owner, wager, amount in self.bets.values():
            if owner == patron and amount:
                mine[wager] = mine.get(wager, 0) + amount
        return mine

    def _changed(self, coup: Sight, event: Event, patron: str, before: dict[str, int]) -> None:
        self.snapshot = None
        if coup.looks:
            known = tuple((look.place, look.value) for look in coup.looks)
            after = self._mine(patron)
            coup.changes.append(Change(patron, before, after, known, event.index))

    def no_more_bets(self, event: Event, fact: f.NoMoreBets) -> None:
        if self._enter(fact.coup, event) is self.coup:
            self.closed_bets = True

    # -- Cards --------------------------------------------------------------------------------

    def burned(self, event: Event, fact: f.CardBurned) -> None:
        self._placed(fact.place)
        opening = fact.reason == "opening" and self.met == 0
        if opening:
            self.burn_seen = True
        if self.coup is not None and not opening and (self.bets or self.coup.dealt):
            self.coup.regular = False
            if fact.card is not None and not self.coup.dealt:
                # the next card of the shoe, shown after the bets were made
                self._show(self.coup, _Down(0, "", VALUE[fact.card], event.index, False))
                return
        if fact.card is not None:
            self._take(VALUE[fact.card])

    def drawn(self, event: Event, fact: f.CardDrawn) -> None:
        coup = self._enter(fact.coup, event)
        self._placed(fact.place)
        self.dealing = True
        if coup is not self.coup:
            coup.regular = False
            self._take(VALUE[fact.card])
            return
        coup.dealt.append(VALUE[fact.card])
        coup.hands.append(fact.hand)
        card = _Down(
            len(coup.dealt), fact.hand, VALUE[fact.card], event.index, not self.closed_bets
        )
        if self._shown_at_once(coup.number):
            card.early = False
            self._show(coup, card, plain=fact.face_up)
        else:
            if fact.face_up:
                self._show(coup, card, plain=True)
                return
            self.down.append(card)

    def _shown_at_once(self, coup: int) -> bool:
        """Tell whether cards are dealt face up, or the record never says when they are turned."""
        if coup in self.turns:
            return False
        return not (self.faces_down and self.whole)

    def turned(self, event: Event, fact: f.CardTurned) -> None:
        coup = self._enter(fact.coup, event)
        of_hand = [place for place, hand in enumerate(coup.hands, 1) if hand == fact.hand]
        if fact.nth > len(of_hand) or coup is not self.coup:
            return
        for card in self.down:
            if card.place == of_hand[fact.nth - 1]:
                self.down.remove(card)
                card.event = event.index
                self._show(coup, card)
                return

    def totals_called(self, event: Event, fact: f.TotalsCalled | f.ResultCalled) -> None:
        """What was called lies open, even where nobody recorded the turning."""
        coup = self._enter(fact.coup, event)
        if coup is not self.coup:
            return
        for card in self.down:
            card.early = False
            self._show(coup, card)
        self.down = []

    def _show(self, coup: Sight, card: _Down, *, plain: bool = False) -> None:
        if not coup.looks:
            coup.unseen, coup.lacking = tuple(self.unseen), self.lacking
            coup.stakes = self._felt()
            coup.undecided = frozenset(self.carried)
            coup.patrons = tuple(dict.fromkeys((*self.seats.values(), *self.regulars)))
        if self.unseen[card.value] < 1:
            self._take(card.value)
            return
        coup.looks.append(
            Look(
                card.place,
                card.value,
                tuple(self.unseen),
                self.lacking,
                self._felt(),
                card.event,
                card.early,
                plain,
            )
        )
        self._take(card.value)

    def _take(self, value: int) -> None:
        if self.unseen[value] < 1:
            self.seen.broken = "more cards of a value were shown than the shoe was loaded with"
            return
        self.unseen[value] -= 1

    def _felt(self) -> Stakes:
        if self.snapshot is None:
            felt: Stakes = {}
            for patron, wager, amount in self.bets.values():
                if amount:
                    mine = felt.setdefault(patron, {})
                    mine[wager] = mine.get(wager, 0) + amount
            self.snapshot = felt
        return self.snapshot

    def _placed(self, place: int | None) -> None:
        """A card left the shoe; where places are known, a gap is cards nobody recorded."""
        self.left += 1
        if place is not None and place > self.left:
            # the record of coups alone need not name the cards burned face down
            if self.dealing or self.whole:
                self.lacking += place - self.left
            self.left = place

    # -- Coups --------------------------------------------------------------------------------

    def _enter(self, number: int, event: Event) -> Sight:
        coup = self.coup
        if coup is None or coup.number != number:
            coup = self.by_number.get(number)
        if coup is not None:
            coup.event = event.index
            return coup
        if not self.met and not self.whole and self.burns_face_up and not self.burn_seen:
            self.lacking += 1
        # a coup that the record lacks showed six cards at most
        self.lacking += COUP_CARDS * max(0, number - self.met - 1)
        self.met = max(self.met + 1, number)
        self.bets, self.carried, self.down = {}, set(), []
        self.closed_bets, self.snapshot = False, None
        self.coup = Sight(
            number, (), self.dealer, event.at_us, looks=[], changes=[], dealt=[], hands=[]
        )
        self.by_number[number] = self.coup
        self.seen.coups.append(self.coup)
        return self.coup

    def closed(self, event: Event, fact: f.CoupClosed | f.CoupVoided) -> None:
        coup = self._enter(fact.coup, event)
        coup.voided = coup.voided or type(fact) is f.CoupVoided
        if coup is self.coup:
            self.coup = None

    def irregular(self, _event: Event, fact: f.IrregularityNoted) -> None:
        if fact.kind not in _EXPOSED:
            return
        self.lacking += 1
        if self.coup is not None:
            self.coup.doubtful = True


_WATCH: Final[dict[type, Callable[[_Watcher, Event, Any], None]]] = {
    f.ShoeLoaded: _Watcher.loaded,
    f.ShoeShuffled: _Watcher.shuffled,
    f.CrewChanged: _Watcher.crew_changed,
    f.PatronSeated: _Watcher.seated,
    f.PatronLeft: _Watcher.patron_left,
    f.CoupOpened: _Watcher.opened,
    f.BetPlaced: _Watcher.bet_placed,
    f.BetCarried: _Watcher.bet_placed,
    f.BetChanged: _Watcher.bet_changed,
    f.BetWithdrawn: _Watcher.bet_withdrawn,
    f.NoMoreBets: _Watcher.no_more_bets,
    f.CardBurned: _Watcher.burned,
    f.CardDrawn: _Watcher.drawn,
    f.CardTurned: _Watcher.turned,
    f.TotalsCalled: _Watcher.totals_called,
    f.ResultCalled: _Watcher.totals_called,
    f.CoupClosed: _Watcher.closed,
    f.CoupVoided: _Watcher.closed,
    f.IrregularityNoted: _Watcher.irregular,
}
