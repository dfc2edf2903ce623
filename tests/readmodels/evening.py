"""An evening at three tables as drafts for a log: money at the tables, shoes, late facts."""

import itertools
import random

import sqlalchemy as sa

from sabot.domain import events as f
from sabot.domain.events.envelope import Draft, Event
from sabot.domain.procedure.dealing_order import prompt
from sabot.domain.rules.rule_pack import pack_sha256, parse_pack
from sabot.domain.state.shoe import Shoe, evolve
from sabot.domain.values.cards import FULL_DECK
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections.views_schema import READ_MODELS
from sabot.infrastructure.rule_packs import pack_text
from tests.notation import START_US


def shoe_facts(rules: str, table: str, seed: int, most: int) -> list[f.Fact]:
    """Deal a shoe by its pack, with patrons who bet at random; stop after so many facts."""
    rng, text = random.Random(seed), pack_text(rules)
    pack = parse_pack(text)
    decks = pack.cards.decks[-1]
    cards = list(FULL_DECK) * decks
    rng.shuffle(cards)
    shoe, facts = Shoe("shoe/x"), []

    def put(fact: f.Fact) -> None:
        nonlocal shoe
        facts.append(fact)
        shoe = evolve(shoe, Event(len(facts), "shoe/x", len(facts), None, 0, "", "", None, fact))

    seats = tuple(f.Seat(seat, f"p{seat}") for seat in range(1, 6))
    crew = (f.Crew("dealer", "ann"),)
    put(f.ShoeLoaded(decks, text, pack_sha256(text), table=table, seats=seats, crew=crew))
    while len(facts) < most and (due := prompt(shoe)).awaits != "nothing":
        fact = due.fact
        match due.awaits:
            case "shuffle":
                fact = f.ShoeShuffled("ann")
            case "cut":
                fact = f.ShoeCut("p1")
            case "burn-up":
                fact = f.CardBurned(cards.pop())
            case "burn-down":
                cards.pop()
            case "card":
                assert shoe.current is not None
                assert due.hand is not None
                fact = f.CardDrawn(shoe.current.number, due.hand, cards.pop())
            case "bets" if isinstance(fact, f.NoMoreBets) and shoe.current is not None:
                for seat in rng.sample(range(1, 6), 3):
                    bet = len(shoe.current.bets) + 1
                    wager = rng.choice(pack.wagers).name
                    amount = rng.randrange(100, 9_999)
                    put(f.BetPlaced(shoe.current.number, bet, f"p{seat}", wager, amount))
            case _:
                pass
        assert fact is not None
        put(fact)
    return facts


def drafts(seed: int = 1, most: int = 250) -> list[Draft]:
    """An evening in the order in which its facts reach the log: tables beside each other."""
    rng = random.Random(seed)
    rules = ("classic-8", "macau", "super-6")
    feeds: list[list[tuple[str, f.Fact]]] = []
    for number, pack in enumerate(rules, 1):
        table = f"T{number}"
        tray: list[f.Fact] = [f.TableOpened(10**7), f.ChipsBought("p1", 50_000)]
        feeds.append([(f"table/{table}", fact) for fact in tray])
        shoe = [(f"shoe/S{number}", x) for x in shoe_facts(pack, table, seed + number, most)]
        feeds.append(shoe + _afterwards(rng, f"shoe/S{number}", [fact for _s, fact in shoe]))
        closing: list[f.Fact] = [f.TableClosed(10**7), f.DropCounted(50_000, "cage")]
        feeds.append(
            [*[(f"table/{table}", fact) for fact in closing],
             (f"table/{table}", f.FactCorrected(2, "p2's", None, f.ChipsBought("p2", 60_000)))]
        )  # fmt: skip
    merged = [pair for row in itertools.zip_longest(*feeds) for pair in row if pair]
    merged.append(("cards/B-1", f.CardsInspected("sue")))
    return [
        Draft(stream, fact, START_US + n * 1_000_000 - rng.choice((0, 0, 0, 60_000_000)), "pit")
        if rng.random() > 0.1
        else Draft(stream, fact)
        for n, (stream, fact) in enumerate(merged)
    ]


def _afterwards(rng: random.Random, stream: str, facts: list[f.Fact]) -> list[tuple[str, f.Fact]]:
    """Corrections that come late, a device's facts that come later, and some that find nothing."""
    late: list[f.Fact] = []
    for version, fact in rng.sample(list(enumerate(facts, 1)), 12):
        if isinstance(fact, f.BetPaid | f.BetTaken):
            instead = type(fact)(fact.coup, fact.bet, fact.amount + 7)
            late.append(f.FactCorrected(version, "misread", "sue", instead))
        elif isinstance(fact, f.CardDrawn | f.BetPlaced):
            late.append(f.FactCorrected(version, "there was none", "sue"))
        else:
            late.append(f.IrregularityNoted("other", coup=1, detail="late"))
    late.append(f.BetPaid(1, 99, 5))
    late.append(f.CommissionCollected("p9", 5))
    late.append(f.FactCorrected(len(facts) + 1, "that neither"))
    return [(stream, fact) for fact in late]


def fill(log: EventLog, some: list[Draft], *, batch: int = 500) -> None:
    """Append drafts."""
    for start in range(0, len(some), batch):
        log.append(some[start : start + batch])


def dump(log: EventLog) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every read model, in the order of its key."""
    with log.database.reading() as connection:
        return {
            table.name: [
                tuple(row)
                for row in connection.execute(sa.select(table).order_by(*table.primary_key))
            ]
            for table in READ_MODELS
        }
