"""Record each face that is shown, with the state of the table at that time.

The state consists of unseen cards, bets and people. `sabot.domain.protection.observation.shoe_walk`
reads the events and calls this module.
"""

from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.observation.bet_layout import BetLayout
from sabot.domain.protection.observation.coup_timeline import CoupTimeline
from sabot.domain.protection.observation.face_down_cards import Down, Irregularities, Turns
from sabot.domain.protection.observation.observed_coup import (
    CoupObservation,
    Look,
    ShoeObservation,
    Stakes,
)
from sabot.domain.protection.observation.people_present import People
from sabot.domain.protection.observation.unseen_cards import UnseenCards
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import VALUE, Card

_FOUR: Final = 4
ENDED_FIRST: Final = "the log has its end before its cards, which another device reported late"
TOLD_LATE: Final = "the next coup was opened before the cards of this one were reported"


class FinishedCoup(Struct, frozen=True):
    """A coup that ended before its faces were recorded. ``end`` is its final event."""

    patrons: tuple[str, ...]
    stakes: Stakes
    end: RecordedEvent


class Showing:
    """The present state of a table: face-down cards, bets, people and unseen cards.

    ``shoe`` must be loaded; only its loading event is read.
    """

    def __init__(self, shoe: Shoe) -> None:
        """Create the state before the first coup."""
        self.seen = ShoeObservation([], shown=[])
        self.stock = UnseenCards(shoe.decks, self.seen.shown)
        self.people = People()
        self._faces_down = shoe.pack is not None and shoe.pack.cards.faces == "down"
        self._whole = shoe.coverage == "whole"
        self._withdrawable = shoe.pack is None or shoe.pack.tie.withdrawable
        self._coup: CoupObservation | None = None
        self._laid = BetLayout(0)
        self._down: list[Down] = []
        self._hidden: dict[int, list[Down]] = {}
        self._turns = Turns()
        self._irregularities = Irregularities()
        self._faces: list[Card] = []
        self._again: list[Card] = []
        self._loose: list[Card] = []
        self._burned_here: list[Card] = []
        self._before: tuple[int, list[Card]] = (0, [])
        self._missing: dict[int, int] = {}
        self._clockwork = CoupTimeline(None if shoe.pack is None else shoe.pack.clocks)
        self._known = 0
        self._over: dict[int, FinishedCoup] = {}

    def _lay(self, place: int, hand: str, card: Card, event: RecordedEvent) -> Down:
        """Return the record of a card that leaves the shoe face down.

        A card in a hand counts as early if the bets are still open.
        """
        early = place > 0 and not self._laid.closed
        stakes = self._laid.stakes()
        numbered = getattr(event.payload, "place", None) is not None
        return Down(place, hand, card, event.index, early, stakes, event, numbered)

    def _shown_at_once(self, coup: int, hand: str, nth: int) -> bool:
        """Return whether a card is shown when dealt.

        That is so if it is dealt face up, or if its turning is never recorded.
        """
        if not self._faces_down:
            return self._turns.lay_open(coup, hand, nth)
        return not self._whole and not self._turns.any_of(coup)

    def _see(self, card: Card, event: RecordedEvent) -> None:
        """Record a face that is not evidence for the coup in play."""
        self.stock.take(card)
        self._laid.told.reads.append(event)

    def _uncover_all(self, coup: CoupObservation, event: RecordedEvent) -> None:
        """Show the remaining face-down cards of a coup, whose turning was not recorded."""
        for card in list(self._down_of(coup)):
            self._uncover(coup, card, event)

    def _down_of(self, coup: CoupObservation) -> list[Down]:
        return self._down if coup is self._coup else self._hidden.get(coup.number, [])

    def _uncover(self, coup: CoupObservation, card: Down, event: RecordedEvent) -> None:
        """Record the face of a face-down card.

        If its coup is over, the face counts as seen but not as evidence.
        """
        if coup is self._coup:
            self._show(coup, card)
        else:
            self._see_late(coup, card, event)
        self._down_of(coup).remove(card)

    def _show(self, coup: CoupObservation, card: Down, *, plain: bool = False) -> None:
        stakes = card.stakes
        self._laid.told.reads.append(card.read)
        if not coup.looks:
            self._first_face(coup, stakes)
            if plain:
                # a patron who saw it in the shoe may have left because of it
                coup.patrons = tuple(dict.fromkeys((*coup.patrons, *self.people.gone)))
            self.people.gone.clear()
        value = VALUE[card.card]
        repeats = card.card in self._again and not card.numbered
        if self.stock.has(card.card):
            unseen, lacking = tuple(self.stock.unseen), self.stock.lacking
            coup.looks.append(
                Look(card.place, value, unseen, lacking, stakes, card.event, card.early, plain)
            )
        if repeats:
            # one card or two: all that is sure is that one more card may have been seen
            self._again.remove(card.card)
            coup.doubtful = True
            self.stock.lacking += 1
        else:
            self.stock.take(card.card)
            self._faces.append(card.card)
            if not card.numbered:
                self._loose.append(card.card)

    def _end_faces(self, coup: int, *, open_to_repeat: bool) -> None:
        """Record that a coup shows no further faces.

        If the coup was voided or irregular, its cards may stay on the layout and be recorded again
        as cards of the next coup. A repeated place in the shoe shows this.
        """
        if open_to_repeat:
            self._again += self._faces
            self._before = coup, []
        elif self._faces:
            self._again = list(self._burned_here)
            self._before = coup, self._faces
        self._faces, self._loose, self._burned_here = [], [], []

    def _may_return(self, burned: ev.CardBurned) -> None:
        """Record a burned face: it may be recorded again up to the end of the next coup.

        So a card that was burned and came back into play is taken for what it may be.
        """
        if burned.card is None:
            return
        self._again.append(burned.card)
        if self._coup is not None:
            self._burned_here.append(burned.card)

    def _repeat(self, playing: CoupObservation | None) -> None:
        """Record, after the previous coup, that its cards may be recorded again.

        Cards of the coup in play that are equal to them were counted already.
        """
        coup, cards = self._before
        self._before = coup, []
        for card in cards:
            if playing is not None and card in self._loose:
                self._loose.remove(card)
                self._faces.remove(card)
                self.stock.untake(card)
                playing.doubtful = True
            else:
                self._again.append(card)

    def _settle_missing(self, coup: CoupObservation) -> None:
        """Count the cards that an ended coup lacks on record as cards that may have been seen."""
        missing = coup.missing_cards
        self.stock.lacking += missing - self._missing.get(coup.number, 0)
        self._missing[coup.number] = missing

    def _first_face(self, coup: CoupObservation, stakes: Stakes) -> None:
        """Record unseen cards and stakes before a coup's first face."""
        self._irregularities.face()
        coup.unseen, coup.lacking = tuple(self.stock.unseen), self.stock.lacking
        coup.shown = len(self.seen.shown)
        coup.stakes = stakes
        coup.undecided = frozenset() if self._withdrawable else frozenset(self._laid.carried)
        self.people.regulars |= self._laid.owners()
        coup.patrons = self.people.present()
        early = [card.place for card in self._down if card.early]
        coup.laid_out = early[:_FOUR] == [1, 2, 3, 4]

    # -- Coups that were over before their faces were recorded ---------------------------------

    def _leave(self, coup: CoupObservation, event: RecordedEvent) -> None:
        """End a coup.

        If none of its faces was recorded, its patrons and stakes are kept for later.
        """
        if coup.called is not None or type(event.payload) is ev.CoupClosed:
            self._settle_missing(coup)
        if not coup.looks:
            present = (*self.people.present(), *self._laid.owners(), *self.people.gone)
            patrons = tuple(dict.fromkeys(present))
            self._over[coup.number] = FinishedCoup(patrons, self._laid.stakes(), event)
            if coup.called is not None and not coup.dealt:
                # a record of outcomes has no face before which stakes are read
                coup.stakes = self._laid.stakes()

    def _abandon(self, event: RecordedEvent) -> None:
        """Leave a coup without a recorded end.

        Its face-down cards may have been turned.
        """
        coup = self._coup
        if coup is None:
            return
        self._leave(coup, event)
        self._end_faces(coup.number, open_to_repeat=True)
        for card in self._down:
            self._look_late(coup, card, TOLD_LATE)
            self.stock.take(card.card)
        self._down, self._coup = [], None

    def _see_late(self, coup: CoupObservation, card: Down, event: RecordedEvent) -> None:
        """Record a face of a coup that is over.

        The coup may have been ended because of this face.
        """
        over = self._over.get(coup.number)
        if over is not None and self._clockwork.doubt(over.end, event):
            self._look_late(coup, card, ENDED_FIRST)
        self._see(card.card, event)

    def _look_late(self, coup: CoupObservation, card: Down, why: str) -> None:
        """Add the observation of a coup whose faces were recorded after its end.

        It counts with its smallest possible factor.
        """
        over = self._over.pop(coup.number, None)
        if over is None:
            return
        unseen, lacking = tuple(self.stock.unseen), self.stock.lacking
        value = VALUE[card.card]
        late = CoupObservation(
            coup.number,
            over.patrons,
            coup.dealer,
            coup.at_us,
            coup.index,
            len(self.seen.shown),
            unseen,
            lacking,
            over.stakes,
            looks=[Look(1, value, unseen, lacking, over.stakes, card.event, early=True)],
            changes=[],
            dealt=[],
            hands=[],
            regular=False,
            doubtful=coup.doubtful,
            mixed=why,
            cut=True,
            event=card.event,
        )
        at = len(self.seen.coups) - (self._coup is not None and self._coup is not coup)
        self.seen.coups.insert(max(at, self._known), late)
