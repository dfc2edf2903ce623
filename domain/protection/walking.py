"""The walk through a shoe's facts in their order: what lay open, and what on the felt, when.

See `domain.protection.sight` for what is read, and how doubt is handled.
"""

# ruff: noqa: SLF001 - the table at the end belongs to the class above it

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from domain import facts as f
from domain.cards import VALUE, Card
from domain.event import Event
from domain.protection.chances import COUP_CARDS
from domain.protection.layout import Laid
from domain.protection.sight import Change, Look, Seen, Sight
from domain.shoe import Shoe

_EXPOSED: Final = ("card-exposed", "card-face-up", "card-off-the-table")


class _Down(Struct):
    """A card on the felt that has not been shown."""

    place: int
    hand: str
    card: Card
    event: int
    early: bool


class Walk:
    """The walk: what is on the felt and what is unseen, fact by fact.

    ``shoe`` has been loaded already; nothing but what it was loaded with is asked of it.
    """

    def __init__(self, shoe: Shoe) -> None:
        """Begin before the first fact."""
        self.seen = Seen([], shown=[])
        self.faces_down = shoe.pack is not None and shoe.pack.cards.faces == "down"
        self.whole = shoe.scope == "whole"
        self.withdrawable = shoe.pack is None or shoe.pack.tie.withdrawable
        self.burns_face_up = shoe.pack is None or shoe.pack.burn.option == "first-card-value"
        self.unseen = [16 * shoe.decks] + [4 * shoe.decks] * 9
        self.lacking = 0
        self.left = 0
        self.burn_seen = False
        self.posts: dict[str, str | None] = {}
        self.dealer: str | None = None
        self.seats: dict[int, str] = {}
        self.regulars: dict[str, None] = {}
        self.coup: Sight | None = None
        self.laid = Laid()
        self.down: list[_Down] = []
        self.closed_bets = False
        self.met = 0
        self.dealing = False
        self.by_number: dict[int, Sight] = {}
        self.turns: set[int] = set()

    def on(self, events: list[Event]) -> list[Sight]:
        """Walk on over the facts of a coup that is over; return the coups in them."""
        known = len(self.seen.coups)
        self.turns = {e.fact.coup for e in events if isinstance(e.fact, f.CardTurned)}
        for event in events:
            if self.seen.broken:
                break
            WATCHED[type(event.fact)](self, event, event.fact)
        return self.seen.coups[known:]

    # -- The table ----------------------------------------------------------------------------

    def _loaded(self, _event: Event, fact: f.ShoeLoaded) -> None:
        for crew in fact.crew:
            self._post(crew.post, crew.person)
        self.seats = {seat.seat: seat.patron for seat in fact.seats}

    def _crew_changed(self, _event: Event, fact: f.CrewChanged) -> None:
        self._post(fact.post, fact.person)

    def _post(self, post: str, person: str | None) -> None:
        self.posts[post] = person
        # at a big table the caller deals
        self.dealer = self.posts.get("dealer") or self.posts.get("caller")

    def _seated(self, _event: Event, fact: f.PatronSeated) -> None:
        self.seats[fact.seat] = fact.patron

    def _patron_left(self, _event: Event, fact: f.PatronLeft) -> None:
        self.seats = {seat: name for seat, name in self.seats.items() if name != fact.patron}
        self.regulars.pop(fact.patron, None)

    def _shuffled(self, _event: Event, fact: f.ShoeShuffled) -> None:
        if fact.method == "continuous":
            self.seen.broken = "a continuous shuffler takes cards back: what is unseen is not known"
        elif self.left:
            self.seen.broken = "cards were shuffled again: which of them had been seen is not known"

    # -- The felt -----------------------------------------------------------------------------

    def _opened(self, event: Event, fact: f.CoupOpened) -> None:
        self._enter(fact.coup, event)

    def _bet_placed(self, event: Event, fact: f.BetPlaced | f.BetCarried) -> None:
        coup = self._enter(fact.coup, event)
        if fact.bet in self.laid.bets or coup is not self.coup:
            return
        before = self.laid.of(fact.patron)
        self.laid.put(fact.bet, fact.patron, fact.wager, fact.amount)
        self.regulars[fact.patron] = None
        if type(fact) is f.BetCarried and not self.withdrawable:
            self.laid.carried.add(fact.patron)
        self._changed(coup, event, fact.patron, before)

    def _bet_changed(self, event: Event, fact: f.BetChanged) -> None:
        self._restake(event, fact.coup, fact.bet, fact.amount)

    def _bet_withdrawn(self, event: Event, fact: f.BetWithdrawn) -> None:
        self._restake(event, fact.coup, fact.bet, 0)

    def _restake(self, event: Event, number: int, bet: int, amount: int) -> None:
        coup = self._enter(number, event)
        held = self.laid.bets.get(bet)
        if held is None or coup is not self.coup:
            return
        patron, wager, _ = held
        before = self.laid.of(patron)
        self.laid.put(bet, patron, wager, amount)
        self._changed(coup, event, patron, before)

    def _changed(self, coup: Sight, event: Event, patron: str, before: dict[str, int]) -> None:
        if coup.looks:
            known = tuple((look.place, look.value) for look in coup.looks)
            after = self.laid.of(patron)
            coup.changes.append(Change(patron, before, after, known, event.index))

    def _no_more_bets(self, event: Event, fact: f.NoMoreBets) -> None:
        if self._enter(fact.coup, event) is self.coup:
            self.closed_bets = True

    # -- Cards --------------------------------------------------------------------------------

    def _burned(self, event: Event, fact: f.CardBurned) -> None:
        self._placed(fact.place)
        opening = fact.reason == "opening" and self.met == 0
        if opening:
            self.burn_seen = True
        if self.coup is not None and not opening and (self.laid.bets or self.coup.dealt):
            self.coup.regular = False
            if fact.card is not None and not self.coup.dealt:
                # the next card of the shoe, shown after the bets were made
                self._show(self.coup, _Down(0, "", fact.card, event.index, early=False))
                return
        if fact.card is not None:
            self._take(fact.card)

    def _drawn(self, event: Event, fact: f.CardDrawn) -> None:
        coup = self._enter(fact.coup, event)
        self._placed(fact.place)
        self.dealing = True
        if coup is not self.coup:
            coup.regular = False
            self._take(fact.card)
            return
        coup.dealt.append(VALUE[fact.card])
        coup.hands.append(fact.hand)
        card = _Down(len(coup.dealt), fact.hand, fact.card, event.index, not self.closed_bets)
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

    def _turned(self, event: Event, fact: f.CardTurned) -> None:
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

    def _totals_called(self, event: Event, fact: f.TotalsCalled | f.ResultCalled) -> None:
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
            coup.shown = len(self.seen.shown)
            coup.stakes = self.laid.stakes()
            coup.undecided = frozenset(self.laid.carried)
            coup.patrons = tuple(dict.fromkeys((*self.seats.values(), *self.regulars)))
        value = VALUE[card.card]
        if self.unseen[value] < 1:
            self._take(card.card)
            return
        coup.looks.append(
            Look(
                card.place,
                value,
                tuple(self.unseen),
                self.lacking,
                self.laid.stakes(),
                card.event,
                card.early,
                plain,
            )
        )
        self._take(card.card)

    def _take(self, card: Card) -> None:
        value = VALUE[card]
        if self.unseen[value] < 1:
            self.seen.broken = "more cards of a value were shown than the shoe was loaded with"
            return
        self.unseen[value] -= 1
        self.seen.shown.append(card)

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
        self.laid, self.down, self.closed_bets = Laid(), [], False
        self.coup = Sight(
            number,
            dealer=self.dealer,
            at_us=event.recorded_us if event.at_us is None else event.at_us,
            index=event.index,
            looks=[],
            changes=[],
            dealt=[],
            hands=[],
        )
        self.by_number[number] = self.coup
        self.seen.coups.append(self.coup)
        return self.coup

    def _closed(self, event: Event, fact: f.CoupClosed | f.CoupVoided) -> None:
        coup = self._enter(fact.coup, event)
        coup.voided = coup.voided or type(fact) is f.CoupVoided
        if coup is self.coup:
            self.coup = None

    def _irregular(self, _event: Event, fact: f.IrregularityNoted) -> None:
        if fact.kind not in _EXPOSED:
            return
        self.lacking += 1
        if self.coup is not None:
            self.coup.doubtful = True


WATCHED: Final[dict[type, Callable[[Walk, Event, Any], None]]] = {
    f.ShoeLoaded: Walk._loaded,
    f.ShoeShuffled: Walk._shuffled,
    f.CrewChanged: Walk._crew_changed,
    f.PatronSeated: Walk._seated,
    f.PatronLeft: Walk._patron_left,
    f.CoupOpened: Walk._opened,
    f.BetPlaced: Walk._bet_placed,
    f.BetCarried: Walk._bet_placed,
    f.BetChanged: Walk._bet_changed,
    f.BetWithdrawn: Walk._bet_withdrawn,
    f.NoMoreBets: Walk._no_more_bets,
    f.CardBurned: Walk._burned,
    f.CardDrawn: Walk._drawn,
    f.CardTurned: Walk._turned,
    f.TotalsCalled: Walk._totals_called,
    f.ResultCalled: Walk._totals_called,
    f.CoupClosed: Walk._closed,
    f.CoupVoided: Walk._closed,
    f.IrregularityNoted: Walk._irregular,
}
"""The kinds of facts that are read, each with what it means."""
