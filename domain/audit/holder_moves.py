"""Follow who may take, refuse and give up the shoe, or a bank that passes with it.

`wrong_moves` walks through the moves of a shoe in order. The rules of punto banco and of banked
games decide which moves they give it (`sabot.domain.audit.checks.shoe_takers`,
`sabot.domain.audit.checks.bank.bank_moves`).
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from sabot.domain.audit.rule import Breach
from sabot.domain.events import ShoeOffered, ShoePassed, ShoeRefused, ShoeTaken
from sabot.domain.events.bank import BankPosted
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import is_house
from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.procedure.preconditions import bank_requirements
from sabot.domain.procedure.preconditions.holder_requirements import may_take_shoe
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

_POSITION: Final = attrgetter("position")
_BEFORE: Final = "nobody, before it is offered"


def changes_of_banker(shoe: Shoe) -> list[RecordedEvent]:
    """Return the events that show the banker, in order."""
    posted = [bank.posted for bank in shoe.banks]
    return sorted((*shoe.shoe_moves, *posted), key=_POSITION)


def holder_at(shoe: Shoe, at: RecordedEvent) -> str | None:
    """Return the holder of the shoe at an event.

    None means that nobody holds the shoe or that the record does not say.
    """
    moves = shoe.shoe_moves
    for event in reversed(moves[: bisect_right(moves, at.position, key=_POSITION)]):
        match event.payload:
            case ShoeTaken(by=holder):
                return holder
            case ShoePassed():
                return None
            case _:
                pass
    return None


def dealt_by(shoe: Shoe, coup: Coup, card: RecordedEvent) -> str | None:
    """Return the patron against whose bank a coup is dealt, or else the holder of the shoe."""
    return bank_events_of(coup).banker or holder_at(shoe, card)


def put_up_for(shoe: Shoe, coup: Coup) -> Sequence[RecordedEvent[BankPosted]]:
    """Return the event by which the bank of a coup was put up. Empty without a bank on record."""
    nth = bank_events_of(coup).nth
    return [bank.posted for bank in shoe.banks[nth - 1 : nth]] if nth else []


def put_up_by_another(
    shoe: Shoe, at: RecordedEvent, patron: str | None
) -> Sequence[RecordedEvent[BankPosted]]:
    """Return the last posting of a bank, if this patron had taken the bank that another put up.

    Args:
        shoe: the shoe.
        at: the event before which the bank was put up.
        patron: the patron.
    """
    before = [bank.posted for bank in shoe.banks if bank.posted.position < at.position][-1:]
    return [each for each in before if each.payload.by != patron == holder_at(shoe, each)]


class _Walk:
    """The offer that stands, and who holds the shoe or the bank, after each move."""

    def __init__(self, shoe: Shoe, what: str, *, by_offer: bool) -> None:
        self.shoe, self.what, self.by_offer = shoe, what, by_offer
        self.offered: str | None = None
        self.holder: str | None = None
        self.rightly: str | None = None
        self.given_up: RecordedEvent | None = None

    def wrong(self, event: RecordedEvent) -> Breach | None:
        """Return why a move is wrong, or None; then take it as made."""
        payload, what = event.payload, self.what
        match payload:
            case ShoeOffered(to=to):
                self.offered = to
            case ShoeTaken(by=by):
                asked = (self.offered,)
                return self._taken(event, by, f"took {what}", asked, "to whom it was offered")
            case BankPosted(by=by):
                had = (self.holder, self.offered)
                return self._taken(event, by, "put up a bank", had, "whose it was")
            case ShoeRefused(by=by):
                return self._refused(event, by)
            case ShoePassed(by=by):
                return self._passed(event, by)
            case _:
                pass
        return None

    def _taken(
        self, event: RecordedEvent, by: str, did: str, whose: Sequence[str | None], why: str
    ) -> Breach | None:
        may_take = not self.by_offer and may_take_shoe(self.shoe, by, self.offered)
        self.holder, self.rightly, self.given_up = by, None, None
        if may_take or bank_requirements.is_his_bank(by, whose):
            return None
        due = self.rightly = next(filter(None, whose), None)
        return _wrong(event, by, did, f"{due}, {why}" if due else _BEFORE)

    def _refused(self, event: RecordedEvent, by: str) -> Breach | None:
        if self.offered not in (None, by):
            return None  # the offer to another patron stands
        asked, self.offered = self.offered is not None or not self.by_offer, None
        return None if asked else _wrong(event, by, f"refused {self.what}", _BEFORE)

    def _passed(self, event: RecordedEvent, by: str) -> Breach | None:
        holder, given_up = self.holder, self.given_up
        own = (holder, self.rightly)
        self.offered = self.holder = self.rightly = None
        self.given_up = event
        again = given_up is not None and not _dealt_between(self.shoe, given_up, event)
        judged = holder is not None and (self.by_offer or not is_house(self.shoe, by))
        if again or (judged and not bank_requirements.is_his_bank(by, own)):
            due = f"{holder}, who had it" if holder is not None else "nobody, as nobody had it"
            return _wrong(event, by, f"gave up {self.what}", due)
        return None


def _wrong(event: RecordedEvent, by: str, did: str, due: str) -> Breach:
    """Return the breach of a person who made a move that was due to another."""
    return Breach(f"{by} {did}; it was due to {due}", due, by, (event,), patron=by)


def _dealt_between(shoe: Shoe, since: RecordedEvent, until: RecordedEvent) -> bool:
    """Return whether a coup began between two events: then the record lacks a taking."""
    begun = (coup.first_card or next(iter(coup.events), None) for coup in shoe.coups.values())
    return any(each and since.position < each.position < until.position for each in begun)


def wrong_moves(
    shoe: Shoe, moves: Sequence[RecordedEvent], what: str, *, by_offer: bool
) -> Iterator[Breach]:
    """Yield a breach for each move by a person to whom it was not due.

    The last offer holds until its patron refuses it or the shoe is passed, also after a taking. A
    refusal by another patron meanwhile has no effect. A wrong taker is treated as the holder from
    then on, so that only the wrong step is returned; the patron whose turn it was may pass it too.

    Args:
        shoe: the shoe.
        moves: the offers, takings, refusals and passings, and the banks put up, in order.
        what: what passes: ``the shoe`` or ``the bank``.
        by_offer: whether it may be taken or refused only after an offer.
    """
    walk = _Walk(shoe, what, by_offer=by_offer)
    for event in moves:
        wrong = walk.wrong(event)
        if wrong is not None:
            yield wrong
