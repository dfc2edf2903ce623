"""Too many cards, too few cards, or cards that differ from the committed order."""

import hashlib
from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import NextAction, next_action
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind

_NOT_COMMITTED = "R409"


def _one_copy_more(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A card that was already dealt in all its copies is dealt in the place of another."""
    if not isinstance(payload, ev.CardDrawn):
        return None
    seen = Counter(
        event.payload.card
        for event in table.shoe.left
        if isinstance(event.payload, (ev.CardDrawn, ev.CardBurned))
        and event.payload.card is not None
    )
    gone = sorted(card for card, copies in seen.items() if copies >= table.plan.decks)
    if not gone or payload.card in gone:
        return None
    return (replace(payload, card=gone[0]),)


def _palmed(table: SimulatedTable, due: NextAction) -> Events | None:
    if due.expects != "card" or due.hand is None or table.order.left < 14:
        return None
    table.order.draw()  # it goes up a sleeve: nobody records it
    return (table.drawn(due.hand, due.seat),)


def _swapped(table: SimulatedTable, due: NextAction) -> Events | None:
    """The dealer holds the top card back and deals the second, so the two change places."""
    coup = table.shoe.current
    if due.expects != "card" or coup is None or coup.cards:
        return None
    assert due.hand is not None
    first, second = table.drawn(due.hand, due.seat), table.drawn(due.hand)
    return _in_turn(table, (replace(first, card=second.card), replace(second, card=first.card)))


def _in_turn(
    table: SimulatedTable, cards: tuple[ev.CardDrawn, ev.CardDrawn]
) -> Iterator[ev.ShoeEvent]:
    """Yield two cards, the second to the hand that is due after the first."""
    yield cards[0]
    due = next_action(table.shoe)
    assert due.hand is not None
    yield replace(cards[1], hand=due.hand, seat=due.seat)


def _one_short(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeEnded) or not payload.left or not payload.counted:
        return None
    return (replace(payload, left=payload.left - 1, counted=payload.counted - 1),)


def _not_opened(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return () if isinstance(payload, ev.OrderOpened) else None


def _another_opened(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.OrderOpened):
        return None
    return (replace(payload, order=(*payload.order[1:], payload.order[0])),)


def _another_pack(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeLoaded):
        return None
    return (replace(payload, pack_sha256=hashlib.sha256(b"another pack").hexdigest()),)


def _ghost_bet(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CoupClosed):
        return None
    return (ev.BetPaid(payload.coup, 99, 10_000), payload)


def _mends_nothing(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CoupClosed):
        return None
    ahead = table.shoe.version + 1000
    return (payload, ev.EventCorrected(ahead, "an event that is not there", table.floor))


def _unloaded(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    loaded = table.shoe.loaded
    if not isinstance(payload, ev.ShoeEnded) or loaded is None:
        return None
    return (payload, ev.EventCorrected(loaded.version, "it was another shoe", table.floor))


KINDS = (
    FaultKind(
        name="one-copy-more",
        family="composition",
        what="a card comes out once more often than there are decks",
        codes=("N301", _NOT_COMMITTED),
        alters=_one_copy_more,
    ),
    FaultKind(
        name="one-card-short",
        family="composition",
        what="a card is missing when the shoe is counted",
        codes=("N303",),
        alters=_one_short,
    ),
    FaultKind(
        name="card-palmed",
        family="composition",
        what="a card leaves the shoe and is not dealt",
        codes=(
            "N303",
            "D103",
            _NOT_COMMITTED,
        ),
        acts=_palmed,
    ),
    FaultKind(
        name="second-dealt",
        family="integrity",
        what="the dealer deals the second card before the first",
        codes=(_NOT_COMMITTED,),
        acts=_swapped,
    ),
    FaultKind(
        name="order-not-opened",
        family="integrity",
        what="the order that was bound is never shown",
        codes=("R408",),
        alters=_not_opened,
    ),
    FaultKind(
        name="another-order-opened",
        family="integrity",
        what="an order is shown that is not the one that was bound",
        codes=("R408",),
        alters=_another_opened,
    ),
    FaultKind(
        name="another-pack",
        family="integrity",
        what="the shoe names a rule pack by another's hash",
        codes=("R407",),
        alters=_another_pack,
    ),
    FaultKind(
        name="ghost-bet-paid",
        family="integrity",
        what="a bet is paid that nobody placed",
        codes=("R401",),
        alters=_ghost_bet,
    ),
    FaultKind(
        name="correction-of-nothing",
        family="integrity",
        what="a correction names an event that is not there",
        codes=("R404",),
        of_coup=False,
        alters=_mends_nothing,
    ),
    FaultKind(
        name="loading-taken-back",
        family="integrity",
        what="the loading of a shoe that was dealt is said never to have been",
        codes=("R405",),
        of_coup=False,
        alters=_unloaded,
    ),
)
