"""Measure the test of the order of cards after poor shuffles, slugs and uniform shuffles.

    python -m benchmarks.protection_order [--full] [--imports]

The shuffles are those of `tests.support.shuffles`. A shoe is dealt in a simple way: one card is
burned face up, as many as its value face down, and coups of five cards follow up to the cut card,
14 cards from the end. The discards are picked up as they were dealt. Three earlier shoes of the
table are uniformly shuffled. ``--imports`` passes slugs through the complete program, as imported
records of coups.
"""

import argparse
import math
import random
import statistics
import sys

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.detection.follower import Follower
from sabot.domain.protection.shoe_tests.card_order import (
    FACTORY_ORDERS,
    Orders,
    copies_of,
    known_orders,
)
from sabot.domain.protection.shoe_tests.order_evidence import OrderProcess
from sabot.domain.protection.shoe_tests.p_value_findings import by_chance
from sabot.domain.values.cards import FULL_DECK, Card
from sabot.infrastructure.rule_packs import shoe_loaded
from tests.support.shuffles import cut, riffled, slugged

DECKS = 8
BEHIND = 14
EARLY = 150
"""Cards by which the evidence should reach 1,000 : 1."""
ALARM = 3.0
HANDS: tuple[ev.Hand, ...] = ("player", "banker", "player", "banker")


def fresh(rng: random.Random) -> list[Card]:
    """Shuffle eight decks uniformly."""
    cards = list(FULL_DECK) * DECKS
    rng.shuffle(cards)
    return cards


def shown(cards: list[Card]) -> list[Card]:
    """Deal a shoe and return the cards that are shown."""
    worth = "A23456789".find(cards[0][0]) + 1 or 10
    return [cards[0], *cards[1 + worth : len(cards) - BEHIND]]


def course(new: list[Card], earlier: list[list[Card]]) -> tuple[float, float, int | None]:
    """Return the final evidence, the highest, and the card at which it passed 1,000 : 1.

    Evidence is given as a base-10 logarithm.
    """
    before = [Orders(str(n), tuple(shown(old)), ()) for n, old in enumerate(earlier)]
    orders = known_orders(before, tuple(FACTORY_ORDERS), "suits")
    process = OrderProcess(float, orders, copies_of("suits", DECKS))
    log_e = highest = 0.0
    passed = None
    for place, card in enumerate(shown(new), 1):
        log_e += math.log10(process.take(card) or 1.0)
        highest = max(highest, log_e)
        if passed is None and log_e >= ALARM:
            passed = place
    return log_e, highest, passed


def report(name: str, found: list[tuple[float, float, int | None]]) -> None:
    """Print a row of the table."""
    ends = [end for end, _, _ in found]
    most = max(highest for _, highest, _ in found)
    early = [EARLY + 1 if passed is None else passed for _, _, passed in found]
    missed = sum(passed is None for _, _, passed in found)
    sys.stdout.write(
        f"| {name} | {len(found)} | {min(ends):.1f} | {statistics.median(ends):.1f} | {most:.1f} | "
        f"{statistics.median(early):.0f} | {missed} |\n"
    )
    sys.stdout.flush()


def shuffled_again(rng: random.Random, riffles: int) -> tuple[float, float, int | None]:
    """Riffle the cards of an earlier shoe, and cut."""
    old = fresh(rng)
    return course(cut(rng, riffled(rng, old, riffles)), [fresh(rng), fresh(rng), fresh(rng), old])


def from_packs(rng: random.Random, riffles: int) -> tuple[float, float, int | None]:
    """Riffle new packs of any factory order, in either direction, and cut."""
    packs = list(FACTORY_ORDERS[rng.choice(list(FACTORY_ORDERS))]) * DECKS
    packs = packs[::-1] if rng.random() < 0.5 else packs
    return course(cut(rng, riffled(rng, packs, riffles)), [fresh(rng)])


def with_slug(rng: random.Random, length: int = 20) -> tuple[float, float, int | None]:
    """Repeat a run of cards of an earlier shoe, in either direction."""
    old, new = fresh(rng), fresh(rng)
    return course(
        slugged(rng, old[20:380], new, length, backwards=rng.random() < 0.5),
        [fresh(rng), old],
    )


def imported(rng: random.Random) -> bool:
    """Import two shoes and return whether the slug in the second is found."""
    old = fresh(rng)
    new = slugged(rng, old[:380], fresh(rng), 20, backwards=rng.random() < 0.5)
    events: list[RecordedEvent] = []
    for name, cards in (("A", old), ("B", new)):
        payloads: list[ev.Event] = [shoe_loaded(table="T1", scope="coups")]
        for coup in range(1, 101):
            payloads.append(ev.CoupOpened(coup))
            for hand, card in zip(HANDS, cards[4 * coup - 4 : 4 * coup], strict=True):
                payloads.append(ev.CardDrawn(coup, hand, card))
            payloads.append(ev.CoupClosed(coup))
        for version, payload in enumerate(payloads, 1):
            n = len(events) + 1
            events.append(
                RecordedEvent(
                    n, f"shoe/{name}", version, n, n, "i", "import", n, payload, position=version
                )
            )
    follower = Follower()
    follower.take(events)
    return any(one.shoe == "B" for one in by_chance(follower.tests(), 0.001))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--imports", action="store_true")
    options = parser.parse_args()
    shoes = 100 if options.full else 10
    rng = random.Random("order")
    if options.imports:
        found = [imported(rng) for _ in range(shoes)]
        sys.stdout.write(f"slugs found in imports: {sum(found)} of {len(found)}\n")
        return
    for riffles in range(1, 6):
        report(
            f"earlier shoe, {riffles} riffles", [shuffled_again(rng, riffles) for _ in range(shoes)]
        )
    for riffles in range(6):
        report(f"new packs, {riffles} riffles", [from_packs(rng, riffles) for _ in range(shoes)])
    report("slug of 20 cards", [with_slug(rng) for _ in range(shoes)])
    uniform = 1000 if options.full else 50
    report(
        "uniform",
        [course(fresh(rng), [fresh(rng) for _ in range(4)]) for _ in range(uniform)],
    )


if __name__ == "__main__":
    main()
