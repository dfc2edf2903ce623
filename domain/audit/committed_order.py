"""Compare the cards of a shoe with an order that was committed before the first card.

A commitment binds only if it was recorded before the first card of its shuffle. Once a card of that
shuffle has left the shoe, it is neither added nor corrected.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sabot.domain.audit.late_corrections import Late, changes_of
from sabot.domain.audit.uncorrected_records import without_corrections
from sabot.domain.events import CardBurned, CardDrawn, EventCorrected, OrderCommitted, OrderOpened
from sabot.domain.events.commitment import order_sha256
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import VALUE, Card, rank_of, suit_of


class OrderMismatch(NamedTuple):
    """The first card that is not the one of the committed order.

    ``face`` is the recorded card, and ``due`` the committed one. ``unseen`` are the cards recorded
    without a face since the last card that agreed with the order.
    """

    committed: RecordedEvent[OrderCommitted]
    event: RecordedEvent[CardDrawn | CardBurned]
    face: Card
    due: Card
    unseen: tuple[RecordedEvent[CardDrawn | CardBurned], ...]


def order_mismatch(shoe: Shoe, opened: RecordedEvent[OrderOpened]) -> OrderMismatch | None:
    """Return the first card that contradicts an opened order.

    None where there is no such card, or where the order was never committed.
    """
    sha256 = hash_of_order(opened)
    commitments = binding(shoe)
    committed = next((each for each in commitments if each.payload.sha256 == sha256), None)
    if committed is None:
        return None
    unseen: list[RecordedEvent[CardDrawn | CardBurned]] = []
    for event, due in zip(
        _left_by(shoe, commitments, committed), opened.payload.order, strict=False
    ):
        face = event.payload.card
        if face is None:
            unseen.append(event)
        elif face == due or _may_be(face, due):
            unseen.clear()
        else:
            return OrderMismatch(committed, event, face, due, tuple(unseen))
    return None


def opened_after(shoe: Shoe, position: int) -> Sequence[Card]:
    """Return the cards of an opened order that had not left the shoe by a place in the record.

    There are none where no order was opened, where a recorded card contradicts it, or where it
    holds for another part of the shoe.
    """
    commitments = binding(shoe) if shoe.order_opened else ()
    committed = [each for each in commitments if each.position < position]
    for opened in shoe.order_opened:
        sha256 = hash_of_order(opened)
        holds = bool(committed) and committed[-1].payload.sha256 == sha256
        if holds and order_mismatch(shoe, opened) is None:
            left = [
                each
                for each in _left_by(shoe, commitments, committed[-1])
                if each.position <= position
            ]
            return opened.payload.order[len(left) :]
    return ()


def binding(shoe: Shoe) -> Sequence[RecordedEvent[OrderCommitted]]:
    """Return the commitments as they stood before their cards."""
    late = late_corrections_of_commitments(shoe)
    committed = without_corrections(shoe, late).committed if late else shoe.committed
    return [each for each in committed if not _comes_late(shoe, each)]


def late_corrections_of_commitments(shoe: Shoe) -> Late:
    """Return the corrections of a commitment that were made once a card had left the shoe.

    An event counts as a commitment if it was recorded as one, or if any correction made it one.
    """
    payloads = {event.position: event.payload for event in shoe.history} if shoe.corrections else {}
    # a correction that was itself corrected away is among them: what undid it may be late too
    changes = [
        (made, named, instead)
        for made in (events_of(EventCorrected, shoe.history) if shoe.corrections else ())
        for named, instead in changes_of(made.payload, payloads)
    ]
    commitments = {named for _, named, instead in changes if type(instead) is OrderCommitted}
    return [
        (made, payloads.get(named))
        for made, named, _ in changes
        if (named in commitments or type(payloads.get(named)) is OrderCommitted)
        and any(named < card.position and card.index < made.index for card in shoe.left)
    ]


def _comes_late(shoe: Shoe, committed: RecordedEvent[OrderCommitted]) -> bool:
    """Return whether cards of the same shuffle left the shoe before a commitment."""
    until = committed.position
    shuffled = max((each.position for each in shoe.shuffles if each.position < until), default=0)
    return any(shuffled < card.position < until for card in shoe.left)


def hash_of_order(opened: RecordedEvent[OrderOpened]) -> str:
    """Return the hash that commits an opened order."""
    return order_sha256(opened.payload.salt, opened.payload.order)


def _left_by(
    shoe: Shoe,
    commitments: Sequence[RecordedEvent[OrderCommitted]],
    committed: RecordedEvent[OrderCommitted],
) -> list[RecordedEvent[CardDrawn | CardBurned]]:
    """Return the cards that left the shoe between a commitment and the next."""
    later = [each.position for each in commitments if each.position > committed.position]
    until = min(later, default=None)
    return [
        event
        for event in shoe.left
        if event.position > committed.position and (until is None or event.position < until)
    ]


def _may_be(shown: Card, due: Card) -> bool:
    """Return True if a recorded card can be the card in the committed order.

    The record may lack the suit, or give only the value.
    """
    if VALUE[shown] != VALUE[due]:
        return False
    if rank_of(shown) is None:
        return True
    return shown == due or (suit_of(shown) is None and shown[0] == due[0])
