"""Read a shoe's events in order and record its coups as people could see them.

See `sabot.domain.protection.observation.observed_coup` for the recorded data, and for the treatment
of doubt.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.e_process.next_card_chances import COUP_CARDS
from sabot.domain.protection.observation.bet_layout import BetLayout
from sabot.domain.protection.observation.burned_cards import BurnedCards
from sabot.domain.protection.observation.face_down_cards import Turns, is_of_bets, is_of_cards
from sabot.domain.protection.observation.knowledge_at import (
    OF_BETS,
    OF_PEOPLE,
    CorrectedView,
    OfBets,
)
from sabot.domain.protection.observation.observed_coup import Change, CoupObservation
from sabot.domain.protection.observation.surrounding_events import Ordering
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import VALUE

RETURNED: Final = "a card went back into the shoe, so the next card may be known"
BETS_LATE: Final = (
    "because of a noted late bet or misdeal, cards may have been seen before the bets"
)
PARTLY: Final = "some of the first four cards were turned on record, and others not"


class Walk(Ordering):
    """Reads the events of a shoe, with one handler for each kind of event."""

    def __init__(self, shoe: Shoe, instead: CorrectedView) -> None:
        """Create the reader before the first event. ``instead`` are the corrections to apply."""
        super().__init__(shoe, instead)
        self._burns = BurnedCards(shoe)
        self._bets_over = False
        self._met = 0
        self._ends: tuple[str, RecordedEvent] | None = None
        self._dealing = False
        self._by_number: dict[int, CoupObservation] = {}

    def on(self, events: list[RecordedEvent]) -> list[CoupObservation]:
        """Process the events of a coup that is over, and return the coups in them."""
        self._known = len(self.seen.coups)
        self._turns = Turns(events)
        self._clockwork.take(events)
        for event in events:
            if self.seen.broken:
                break
            self._ON[type(event.payload)](self, event, event.payload)
            if self.stock.over:
                self.seen.broken = "more cards of a value were shown than the shoe was loaded with"
            if self.stock.returned:
                self.seen.broken = RETURNED
            if self._ends and self._coup is not None and self._coup.looks:
                self._ends_by(*self._ends, self._coup, event)
        if self._ends:
            self.seen.broken = self._ends[0]
        if self._coup is not None:
            self._coup.unshown = len(self._down)
        found = self.seen.coups[self._known :]
        last = self._by_number.get(self._laid.coup)
        if last is not None and last.looks and any(coup is last for coup in found):
            self._settle(last)
        return found

    def abandon(self, event: RecordedEvent) -> list[CoupObservation]:
        """Leave a coup without a recorded end, as the next one begins. Return its observation."""
        self._known = len(self.seen.coups)
        self._abandon(event)
        return self.seen.coups[self._known :]

    def note_after(self, note: ev.IrregularityNoted, coups: Iterable[CoupObservation]) -> None:
        """Apply an irregularity, noted before the next coup, to coups that are over."""
        for coup in coups:
            named = note.coup in (None, coup.number)
            if named or (is_of_cards(note) and (note.coup or 0) < coup.number):
                coup.doubtful = True
            if named and is_of_bets(note):
                coup.mixed = BETS_LATE

    def burned_after(self, burned: RecordedEvent, coups: Iterable[CoupObservation]) -> None:
        """Apply a burn between coups to the coups before it.

        Another device may have reported late that the face was seen.
        """
        reads = self._laid.told.reads
        if any(self._clockwork.doubt(read, burned) for read in reads):
            for coup in coups:
                coup.doubtful = True

    def _end(self, why: str, event: RecordedEvent) -> None:
        """Stop testing the shoe. A coup without a face may have been ended by this event."""
        if self._met and (self._coup is None or not self._coup.looks):
            self._ends = why, event
        else:
            self.seen.broken = why

    def _ends_by(
        self, why: str, end: RecordedEvent, coup: CoupObservation, face: RecordedEvent
    ) -> None:
        """Remove the coup in which testing stopped.

        The coup is kept if one of its faces may precede the event that stopped testing.
        """
        self.seen.broken = why
        if self._clockwork.doubt(end, face):
            coup.mixed = why
        else:
            self.seen.coups.remove(coup)

    # -- People and bets ----------------------------------------------------------------------

    def _bet(self, event: RecordedEvent, payload: OfBets) -> None:
        coup = self._enter(payload.coup, event)
        if coup is not self._coup:
            return
        before = self._laid.stakes()
        patron = self._laid.take(event)
        if self._laid.closed and not self._bets_over:
            self._bets_over = True
            # a card whose turning is not recorded is turned after this call
            for card in self._down:
                card.stakes, card.read = before, event
            self._around.no_more_bets(event)
            if not self._turns.any_of(coup.number):
                self._note_moved(coup, before)
        if patron is None or not coup.looks:
            return
        self.people.regulars[patron] = None
        known = tuple((look.place, look.value) for look in coup.looks)
        mine = dict(before.get(patron, {}))
        now, hands = self._laid.of(patron), tuple(coup.hands)
        unsure = not self._turns.all_of(coup.number, hands, self._down)
        unseen, lacking = tuple(self.stock.unseen), self.stock.lacking
        coup.changes.append(
            Change(patron, mine, now, known, event.index, unseen, lacking, hands, unsure)
        )

    # -- Cards --------------------------------------------------------------------------------

    def _shuffled(self, event: RecordedEvent, payload: ev.ShoeShuffled) -> None:
        if payload.method == "continuous":
            self._end(
                "a continuous shuffler takes cards back, so the unseen cards are unknown", event
            )
        elif self.stock.left:
            self._end("cards were shuffled again, so the unseen cards are unknown", event)

    def _burned(self, event: RecordedEvent, payload: ev.CardBurned) -> None:
        if self._lay_already(payload):
            return
        # a record of coups only need not name cards burned face down
        self.stock.leave(payload.place, told=self._dealing or self._whole)
        if self._burns.add(payload):
            self.stock.lacking += 1
        opening = payload.reason == "opening" and self._met == 0
        coup = self._coup
        if coup is not None and not opening and (self._laid.bets or coup.dealt):
            coup.regular = False
            if payload.card is not None and not coup.dealt:
                # the next card of the shoe may have been face up there before the bets
                self._show(coup, self._lay(0, "", payload.card, event), plain=True)
                self._may_return(payload)
                return
        if payload.card is not None:
            self._see(payload.card, event)
            self._may_return(payload)

    def _lay_already(self, payload: ev.CardBurned) -> bool:
        """Return whether the burned card had already been drawn for a hand."""
        coup = self._coup
        if coup is None or payload.coup not in (None, coup.number) or not coup.dealt:
            return False
        if payload.place is not None and payload.place <= self.stock.left:
            coup.regular = False
            self._may_return(payload)
            return True
        if payload.reason != "ruling" or payload.coup is None:
            return False
        coup.regular = False
        if payload.place is not None:
            return False
        if payload.card is None or VALUE[payload.card] != coup.dealt[-1]:
            return False
        if not self._irregularities.names_drawn(coup.number):
            # or it is another card of the same value
            self.stock.lacking += 1
        self._may_return(payload)
        return True

    def _drawn(self, event: RecordedEvent, payload: ev.CardDrawn) -> None:
        coup = self._enter(payload.coup, event)
        self.stock.leave(payload.place, told=self._dealing or self._whole)
        self._dealing = True
        coup.dealt.append(VALUE[payload.card])
        coup.hands.append(payload.hand)
        if coup is not self._coup:
            coup.regular = False
            card = self._lay(len(coup.dealt), payload.hand, payload.card, event)
            self._see_late(coup, card, event)
            self._settle_missing(coup)
            return
        if self.stock.returned:
            return
        card = self._lay(len(coup.dealt), payload.hand, payload.card, event)
        nth = coup.hands.count(payload.hand)
        if payload.face_up or self._shown_at_once(coup.number, payload.hand, nth):
            card.early = payload.face_up and card.early
            self._show(coup, card, plain=payload.face_up)
            return
        self._down.append(card)
        self._lay_down = True
        if not self._faces_down and self._turns.mixed(coup.number, payload.hand, nth):
            coup.mixed = PARTLY

    def _turned(self, event: RecordedEvent, payload: ev.CardTurned) -> None:
        coup = self._enter(payload.coup, event)
        of_hand = [place for place, hand in enumerate(coup.hands, 1) if hand == payload.hand]
        if payload.nth > len(of_hand):
            return
        place = of_hand[payload.nth - 1]
        for card in self._down_of(coup):
            if card.place == place:
                card.event = event.index
                # a bet that reached the log earlier may have been made later
                self._laid.told.reads.append(event)
                if self._faces_down:
                    card.stakes, card.read = self._laid.stakes(), event
                self._uncover(coup, card, event)
                return

    def _called(self, event: RecordedEvent, payload: ev.TotalsCalled | ev.ResultCalled) -> None:
        """Show all cards of the coup.

        Called totals reveal them, even if no turn is recorded.
        """
        self._laid.told.reads.append(event)
        coup = self._enter(payload.coup, event)
        if type(payload) is ev.ResultCalled:
            coup.called = payload.outcome
        self._uncover_all(coup, event)

    # -- Coups --------------------------------------------------------------------------------

    def _opened(self, event: RecordedEvent, payload: ev.CoupOpened) -> None:
        known = self._by_number.get(payload.coup)
        if known is not None and self._coup is None:
            # a coup dealt again under the same number is a coup of its own
            self._around.everybody(event)
            self._met -= 1
            del self._by_number[payload.coup]
        self._enter(payload.coup, event)

    def _enter(self, number: int, event: RecordedEvent) -> CoupObservation:
        coup = self._coup
        if coup is None or coup.number != number:
            coup = self._by_number.get(number)
        if coup is not None:
            coup.event = event.index
            return coup
        if not self._met:
            unrecorded = not self._whole and self._burns.face_up and not self._burns.begun
            self.stock.lacking += unrecorded + self._burns.not_due()
        # a coup missing from the record showed at most six cards
        self.stock.lacking += COUP_CARDS * max(0, number - self._met - 1)
        before, self._met = self._met + 1, max(self._met + 1, number)
        self._abandon(event)
        self._laid, self._bets_over = BetLayout(number), False
        self._lay_down, self._moved = False, {}
        late = self._irregularities.bets_in_doubt(number)
        self._coup = CoupObservation(
            number,
            dealer=self.people.dealer,
            at_us=event.recorded_us if event.at_us is None else event.at_us,
            index=event.index,
            looks=[],
            changes=[],
            dealt=[],
            hands=[],
            doubtful=self._irregularities.may_be_known(before, number),
            mixed=BETS_LATE if late else "",
        )
        self._by_number[number] = self._coup
        self.seen.coups.append(self._coup)
        return self._coup

    def _closed(self, event: RecordedEvent, payload: ev.CoupClosed | ev.CoupVoided) -> None:
        coup = self._enter(payload.coup, event)
        coup.voided = coup.voided or type(payload) is ev.CoupVoided
        if coup is not self._coup:
            return
        if type(payload) is ev.CoupClosed:
            # bets cannot be settled by face-down cards
            if self._down:
                self._laid.told.reads.append(event)
            self._uncover_all(coup, event)
        self._leave(coup, event)
        of_cards = self._irregularities.of_cards(coup.number)
        self._end_faces(coup.number, open_to_repeat=coup.voided or of_cards)
        coup.unshown = len(self._down)
        self._hidden[coup.number], self._down = self._down, []
        self._coup = None

    def _irregular(self, event: RecordedEvent, payload: ev.IrregularityNoted) -> None:
        if payload.ruling == "restore-card":
            self._end(RETURNED, event)
        coup = self._coup
        between = (self._met, self._met + 1)
        if self._irregularities.note(payload, between if coup is None else (coup.number,)):
            self.stock.lacking += 1
        if is_of_cards(payload) and (payload.coup is None or payload.coup == self._before[0]):
            self._repeat(coup)
        if coup is not None:
            at = coup.number
            coup.doubtful = coup.doubtful or self._irregularities.may_be_known(at, at)
            if self._irregularities.bets_in_doubt(coup.number):
                coup.mixed = BETS_LATE

    _ON: ClassVar[dict[type, Callable[["Walk", RecordedEvent, Any], None]]] = {
        ev.ShoeLoaded: Ordering.take_person,
        ev.ShoeShuffled: _shuffled,
        ev.CoupOpened: _opened,
        ev.CardBurned: _burned,
        ev.CardDrawn: _drawn,
        ev.CardTurned: _turned,
        ev.TotalsCalled: _called,
        ev.ResultCalled: _called,
        ev.CoupClosed: _closed,
        ev.CoupVoided: _closed,
        ev.IrregularityNoted: _irregular,
        ev.EventCorrected: Ordering.take_correction,
        **dict.fromkeys(OF_BETS, _bet),
        **dict.fromkeys(OF_PEOPLE, Ordering.take_person),
    }
    KINDS: ClassVar[frozenset[type]] = frozenset(_ON)
    """The kinds of events that the walk reads."""
