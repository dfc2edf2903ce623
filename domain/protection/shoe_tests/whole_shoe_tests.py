"""Make and collect the tests of whole shoes.

They concern the order of the cards, the backs, payments and side bets. They are made once a shoe is
over. A report on a shoe that is still in play makes them on a copy, which is then discarded. A shoe
gets its number, and the orders to compare it with, when it is loaded. So its cards cannot influence
either (`sabot.domain.protection.multiplicity`).
"""

from collections.abc import Sequence

from msgspec import Struct, field

from sabot.domain import events as ev
from sabot.domain.events.envelope import events_of
from sabot.domain.protection.money.win_rate import SIDES
from sabot.domain.protection.observation.observed_coup import CoupObservation, ShoeObservation
from sabot.domain.protection.reporting.coverage import Coverage, count_shoe_test
from sabot.domain.protection.shoe_tests.card_backs import LOOK, Backs, backs_of
from sabot.domain.protection.shoe_tests.card_order import (
    FACTORY_ORDERS,
    Orders,
    copies_of,
    is_known,
    known_orders,
    level_of,
    named,
    orders_of,
)
from sabot.domain.protection.shoe_tests.order_evidence import OrderEvidence, evidence_of_order
from sabot.domain.protection.shoe_tests.payment_errors import EVENTS, Pairs, count_payments
from sabot.domain.protection.shoe_tests.side_bets import SideBets, Spread, side_bets_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import VALUE

REMEMBERED = 4
"""Number of earlier shoes of a table or a batch to compare a new one with."""


class Begun(Struct, frozen=True):
    """A loaded shoe, with earlier orders for comparison.

    ``nth`` is its number among all loaded shoes.
    """

    nth: int
    earlier: list[Orders]


class OrderTested(Struct, frozen=True):
    """The evidence about the order of a shoe's cards.

    It has the first coup and the log indexes of the cards that a known order predicted. ``nth`` is
    the shoe's number among the loaded shoes.
    """

    shoe: str
    table: str
    nth: int
    evidence: OrderEvidence
    coup: int | None
    events: list[int]


class Sorted(Struct, frozen=True):
    """The result of the test of a shoe's card backs.

    ``pool`` names the pool of cards from which the shoe was dealt. ``nth`` is the shoe's number
    among the loaded shoes. ``events`` are the first turned cards of the class, as log indexes.
    """

    shoe: str
    table: str
    nth: int
    pool: str
    backs: Backs
    events: list[int] = []


class ShoeTests(Struct):
    """The results of the whole-shoe tests so far.

    ``begun`` are shoes not over yet. ``imported`` are imported shoes that count as over, because
    the next one of their table was loaded.
    """

    shoes: int = 0
    loaded: int = 0
    begun: dict[str, Begun] = {}
    imported: dict[str, None] = {}
    recent: dict[str, list[Orders]] = {}
    orders: list[OrderTested] = []
    backs: list[Sorted] = []
    side_bets: dict[tuple[str, str], SideBets] = {}
    payments: Pairs = {}
    skipped: list[tuple[str, str]] = []
    coverage: Coverage = field(default_factory=dict)


def begin_shoe(tests: ShoeTests, shoe: Shoe) -> Begun:
    """Give a loaded shoe its number, and return the known orders to compare it with.

    A shoe gets only one number.
    """
    begun = tests.begun.get(shoe.name)
    if begun is None:
        earlier: dict[str, Orders] = {}
        for pool in pools_of(shoe):
            earlier |= {orders.shoe: orders for orders in tests.recent.get(pool, [])}
        tests.loaded += 1
        begun = tests.begun[shoe.name] = Begun(tests.loaded, list(earlier.values()))
    return begun


def close_shoe(
    tests: ShoeTests, shoe: Shoe, seen: ShoeObservation, coups: Sequence[CoupObservation]
) -> None:
    """Make the tests of a shoe that is over.

    Args:
        tests: changed in place.
        shoe: with its events applied.
        seen: the observation of the shoe.
        coups: those of its coups that are in scope.
    """
    begun = begin_shoe(tests, shoe)
    del tests.begun[shoe.name]
    tests.shoes += 1
    if seen.broken:
        tests.skipped.append((shoe.name, seen.broken))
    _take_order(tests, shoe, seen, begun)
    _take_backs(tests, shoe, begun)
    _take_payments(tests, shoe, coups)
    _take_side_bets(tests, shoe, seen, coups)


def pools_of(shoe: Shoe) -> list[str]:
    """Return the names of the pools of cards from which a shoe was dealt.

    They are its batch and its table, as far as recorded.
    """
    payload = shoe.loaded.payload if shoe.loaded is not None else None
    batch = payload.batch if payload is not None else None
    found = [f"batch {batch}"] if batch else []
    return [*found, f"table {shoe.table}"] if shoe.table else found


def _take_order(tests: ShoeTests, shoe: Shoe, seen: ShoeObservation, begun: Begun) -> None:
    """Test the order of a shoe against earlier shoes and new packs.

    The earlier shoes are of its table or batch, and were over when it began. If the shoe could not
    be observed to its end, only the cards up to that point are tested.
    """
    new = orders_of(shoe)
    for pool in pools_of(shoe):
        tests.recent[pool] = [*tests.recent.get(pool, []), new][-REMEMBERED:]
    level = level_of(new.left)
    if level is None:
        count_shoe_test(tests.coverage, "order-of-the-shoe", "no cards in the record")
        return
    factory = FACTORY_ORDERS if shoe.pack is None else shoe.pack.cards.factory_orders
    shown = [event for event in shoe.left if is_known(event.payload.card, level)]
    if seen.broken:
        shown = shown[: len(seen.shown)]
    names = [named(event.payload.card, level) for event in shown if event.payload.card is not None]
    known = known_orders(begun.earlier, tuple(factory), level)
    count_shoe_test(tests.coverage, "order-of-the-shoe")
    found = evidence_of_order(names, known, copies_of(level, shoe.decks))
    if found.log10_e >= 1:
        cards = [shown[place] for place in found.predicted]
        coups = [card.payload.coup for card in events_of(ev.CardDrawn, cards)]
        tests.orders.append(
            OrderTested(
                shoe.name, shoe.table or "", begun.nth, found, min(coups, default=None),
                [card.index for card in cards],
            )
        )  # fmt: skip


def _take_backs(tests: ShoeTests, shoe: Shoe, begun: Begun) -> None:
    backs = backs_of(shoe)
    if backs is not None:
        pools = pools_of(shoe)
        pool = pools[0] if pools else f"shoe {shoe.name}"
        turned = [
            card.index
            for card in events_of(ev.CardDrawn, shoe.left)
            if card.payload.back == "turned" and VALUE[card.payload.card] in backs.values
        ]
        tests.backs.append(
            Sorted(shoe.name, shoe.table or "", begun.nth, pool, backs, turned[:EVENTS])
        )
        count_shoe_test(tests.coverage, "backs-against-rank")
        return
    known = any(isinstance(card.payload, ev.CardDrawn) and card.payload.back for card in shoe.left)
    why = f"no {LOOK} cards whose backs differ" if known else "no backs in the record"
    count_shoe_test(tests.coverage, "backs-against-rank", why)


def _take_payments(tests: ShoeTests, shoe: Shoe, coups: Sequence[CoupObservation]) -> None:
    if not count_payments(tests.payments, shoe, coups):
        why = "no settled bets under a named dealer in the record"
        count_shoe_test(tests.coverage, "payments-cluster", why)


def _take_side_bets(
    tests: ShoeTests, shoe: Shoe, seen: ShoeObservation, coups: Sequence[CoupObservation]
) -> None:
    found = side_bets_of(shoe, seen, coups)
    for bets in found:
        key = (bets.patron, bets.wager)
        known = tests.side_bets.setdefault(key, SideBets(*key, Spread(), Spread()))
        known.add(bets)
    if found:
        count_shoe_test(tests.coverage, "side-bets")
        return
    made = any(
        wager not in SIDES for coup in coups for mine in coup.stakes.values() for wager in mine
    )
    why = (
        "cards that may have been seen are not on record" if made else "no side bets in the record"
    )
    count_shoe_test(tests.coverage, "side-bets", why)
