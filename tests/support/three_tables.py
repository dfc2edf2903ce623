"""An evening at three tables, as drafts for a log: table money, shoes, late events."""

import itertools
import random

import sqlalchemy as sa

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.rules.rule_pack import pack_sha256, parse_pack
from sabot.domain.state.shoe import Shoe, evolve
from sabot.domain.values.cards import FULL_DECK
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.views_schema import READ_MODELS
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import START_US


def shoe_events(rules: str, table: str, seed: int, most: int) -> list[ev.Event]:
    """Deal a shoe by its pack with patrons who bet at random. Stop after so many events."""
    rng, text = random.Random(seed), pack_text(rules)
    pack = parse_pack(text)
    decks = pack.cards.decks[-1]
    cards = list(FULL_DECK) * decks
    rng.shuffle(cards)
    shoe, payloads = Shoe("shoe/x"), []

    def put(payload: ev.Event) -> None:
        nonlocal shoe
        payloads.append(payload)
        shoe = evolve(
            shoe,
            RecordedEvent(
                len(payloads),
                "shoe/x",
                len(payloads),
                None,
                0,
                "",
                "",
                None,
                payload,
                position=len(payloads),
            ),
        )

    seats = tuple(ev.Seat(seat, f"p{seat}") for seat in range(1, 6))
    crew = (ev.Crew("dealer", "ann"),)
    put(ev.ShoeLoaded(decks, text, pack_sha256(text), table=table, seats=seats, crew=crew))
    while len(payloads) < most and (due := next_action(shoe)).expects != "nothing":
        payload = due.payload
        match due.expects:
            case "shuffle":
                payload = ev.ShoeShuffled("ann")
            case "cut":
                payload = ev.ShoeCut("p1")
            case "burn-up":
                payload = ev.CardBurned(cards.pop())
            case "burn-down":
                cards.pop()
            case "card":
                assert shoe.current is not None
                assert due.hand is not None
                payload = ev.CardDrawn(shoe.current.number, due.hand, cards.pop())
            case "bets" if isinstance(payload, ev.NoMoreBets) and shoe.current is not None:
                for seat in rng.sample(range(1, 6), 3):
                    bet = len(shoe.current.bets) + 1
                    wager = rng.choice(pack.wagers).name
                    amount = rng.randrange(100, 9_999)
                    put(ev.BetPlaced(shoe.current.number, bet, f"p{seat}", wager, amount))
            case _:
                pass
        assert payload is not None
        put(payload)
    return payloads


def drafts(seed: int = 1, most: int = 250) -> list[NewEvent]:
    """Return the evening's events in the order of the log, with the tables interleaved."""
    rng = random.Random(seed)
    rules = ("classic-8", "macau", "super-6")
    feeds: list[list[tuple[str, ev.Event]]] = []
    for number, pack in enumerate(rules, 1):
        table = f"T{number}"
        tray: list[ev.Event] = [ev.TableOpened(10**7), ev.ChipsBought("p1", 50_000)]
        feeds.append([(f"table/{table}", payload) for payload in tray])
        shoe = [(f"shoe/S{number}", x) for x in shoe_events(pack, table, seed + number, most)]
        feeds.append(shoe + _afterwards(rng, f"shoe/S{number}", [payload for _s, payload in shoe]))
        closing: list[ev.Event] = [ev.TableClosed(10**7), ev.DropCounted(50_000, "cage")]
        feeds.append(
            [*[(f"table/{table}", payload) for payload in closing],
             (f"table/{table}", ev.EventCorrected(2, "p2's", None, ev.ChipsBought("p2", 60_000)))]
        )  # fmt: skip
    merged = [pair for row in itertools.zip_longest(*feeds) for pair in row if pair]
    merged.append(("cards/B-1", ev.CardsInspected("sue")))
    return [
        NewEvent(
            stream, payload, START_US + n * 1_000_000 - rng.choice((0, 0, 0, 60_000_000)), "pit"
        )
        if rng.random() > 0.1
        else NewEvent(stream, payload)
        for n, (stream, payload) in enumerate(merged)
    ]


def _afterwards(
    rng: random.Random, stream: str, payloads: list[ev.Event]
) -> list[tuple[str, ev.Event]]:
    """Return late corrections, late events of a device, and events without a match."""
    late: list[ev.Event] = []
    for version, payload in rng.sample(list(enumerate(payloads, 1)), 12):
        if isinstance(payload, ev.BetPaid | ev.BetTaken):
            instead = type(payload)(payload.coup, payload.bet, payload.amount + 7)
            late.append(ev.EventCorrected(version, "misread", "sue", instead))
        elif isinstance(payload, ev.CardDrawn | ev.BetPlaced):
            late.append(ev.EventCorrected(version, "there was none", "sue"))
        else:
            late.append(ev.IrregularityNoted("other", coup=1, detail="late"))
    late.append(ev.BetPaid(1, 99, 5))
    late.append(ev.CommissionCollected("p9", 5))
    late.append(ev.EventCorrected(len(payloads) + 1, "that neither"))
    return [(stream, payload) for payload in late]


def fill(log: EventLog, some: list[NewEvent], *, batch: int = 500) -> None:
    """Append drafts."""
    for start in range(0, len(some), batch):
        log.append(some[start : start + batch])


def dump(log: EventLog) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every read model, in the order of its key."""
    with log.database.reading() as connection:
        return {
            table.name: [
                tuple(row)
                for row in connection.execute(sa.select(table).order_by(*table.primary_key))
            ]
            for table in READ_MODELS
        }
