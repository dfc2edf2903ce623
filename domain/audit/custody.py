"""Rules of custody: where a batch of cards is, and that it is the one dealt."""

from collections.abc import Iterator
from itertools import pairwise

from domain.audit.dealt import clock
from domain.audit.floor import HOUR_US, BatchView, ShoeTrace
from domain.audit.identity import told
from domain.audit.rule import CLEAN, Answer, Breach, Doubt, Rule
from domain.event import Event
from domain.facts.custody import CardsDestroyed, CardsReceived

_NO_SHOE = "no shoe was loaded with the batch"


def _risen(view: BatchView) -> Answer:
    batch = view.batch
    end = batch.gone or batch.condemned
    if end is None and not batch.risen:
        return "the cards were not given up to be destroyed"
    # once they are back, all that is done with them is of one coming back
    back: dict[int, list[Event]] = {}
    for event in batch.risen:
        back.setdefault(_given_up(view, event).version, []).append(event)
    handled = [
        Breach(
            f"cards that were {_said(_given_up(view, events[0]))} were handled again",
            "what is given up to be destroyed is not played with again",
            f"handled after it was {_said(_given_up(view, events[0]))}",
            (events[0], _given_up(view, events[0]), *events[1:]),
            key=told(events[0], batch.history),
        )
        for events in back.values()
    ]
    return (*handled, *(_loaded_after(view, end) if end and end.version not in back else ()))


def _given_up(view: BatchView, event: Event) -> Event:
    """Return the destruction, or the seal for it, after which the cards came back."""
    batch = view.batch
    seals = [seal.closed for seal in batch.seals if seal.purpose == "destruction"]
    return max(
        (each for each in (*batch.destroyed, *seals) if each.version < event.version),
        key=lambda each: each.version,
    )


def _said(end: Event) -> str:
    return "destroyed" if isinstance(end.fact, CardsDestroyed) else "sealed for destruction"


def _loaded_after(view: BatchView, end: Event) -> Iterator[Breach]:
    """Yield the shoes that were loaded with cards that nobody handled again, by their record."""
    for shoe in view.shoes:
        if shoe.begins > clock(end) + view.tolerance_us:
            yield Breach(
                f"shoe {shoe.name} was loaded with cards that had been {_said(end)}",
                "what is given up to be destroyed is not played with again",
                f"loaded after it was {_said(end)}",
                (*shoe.loading, end),
                shoe=shoe.name,
                key=("shoe", shoe.name),
            )


def _two_places(view: BatchView) -> Answer:
    if not view.batch.stays and not view.shoes:
        return "the cards were not issued, nor loaded into a shoe"
    return (*_two_tables(view), *_two_shoes(view))


def _two_tables(view: BatchView) -> Iterator[Breach]:
    stays = view.batch.stays
    for place, stay in enumerate(stays):
        for other in stays[:place]:
            away = other.returned is not None and other.returned.version < stay.issued.version
            if other.table != stay.table and not away:
                yield Breach(
                    f"the cards were issued to {stay.table} while they lay at {other.table}",
                    "cards come back from a table before they go to another",
                    "no return in between",
                    (stay.issued, other.issued),
                    key=(*told(stay.issued, view.batch.history), other.table),
                )


def _two_shoes(view: BatchView) -> Iterator[Breach]:
    for before, shoe in pairwise(view.shoes):
        if shoe.begins + view.tolerance_us < before.ends:
            yield Breach(
                f"shoe {shoe.name} was loaded with the cards that shoe {before.name} was dealing",
                "the same cards are in one shoe at a time",
                f"shoe {before.name} went on after that",
                (*shoe.loading, *((before.last,) if before.last is not None else ())),
                shoe=shoe.name,
                key=("shoe", shoe.name),
            )


def _another_batch(view: BatchView) -> Answer:
    received = view.batch.received
    if not received:
        return "no delivery of the cards was recorded"
    if not view.shoes:
        return _NO_SHOE
    backs = set(view.batch.backs)
    breaches: list[Breach | Doubt] = []
    if view.doubt and view.batch.destroyed:
        breaches.append(Doubt(view.doubt))
    for shoe in view.shoes:
        off = []
        decks = _there(view, shoe)
        if decks and shoe.decks > decks:
            off.append((f"{decks} decks at most", f"{shoe.decks} decks"))
        if backs and shoe.backs and set(shoe.backs) != backs:
            off.append((f"backs {', '.join(sorted(backs))}", ", ".join(sorted(set(shoe.backs)))))
        breaches += [
            Breach(
                f"shoe {shoe.name} is not made of the batch that it names",
                required,
                shown,
                (*shoe.loading, received[0]),
                shoe=shoe.name,
                key=("shoe", shoe.name, required.split()[-1]),
            )
            for required, shown in off
        ]
    return tuple(breaches)


def _there(view: BatchView, shoe: ShoeTrace) -> int:
    """Return the most decks of which a shoe can be: all received but those destroyed before it.

    0 where none of them is left: then it has come back, which is another rule's.
    """
    decks = 0
    for event in sorted((*view.batch.received, *view.batch.destroyed), key=lambda e: e.version):
        fact = event.fact
        if isinstance(fact, CardsReceived):
            decks += fact.decks
        elif isinstance(fact, CardsDestroyed) and not view.doubt:
            before = clock(event) + view.tolerance_us < shoe.begins
            decks -= min(decks, fact.decks or decks) if before else 0
    return decks


def _too_many_shoes(view: BatchView) -> Answer:
    if view.custody is None:
        return view.reason
    most = view.custody.shoes
    if most is None:
        return "the pack does not say how often cards are used"
    if not view.shoes:
        return _NO_SHOE
    return tuple(
        Breach(
            f"shoe {shoe.name} was loaded with cards of {nth} shoes before it",
            f"new cards after {most} shoe{'s' if most > 1 else ''}",
            f"the {nth + 1}. shoe of the batch",
            shoe.loading,
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for nth, shoe in enumerate(view.shoes)
        if nth >= most
    )


def _too_long(view: BatchView) -> Answer:
    if view.custody is None:
        return view.reason
    most = view.custody.table_hours
    if most is None:
        return "the pack does not say how long cards lie on a table"
    if not view.batch.stays:
        return "no issue to a table was recorded"
    breaches = []
    for stay in view.batch.stays:
        until = view.latest_us if stay.returned is None else clock(stay.returned)
        lay = until - clock(stay.issued)
        if lay > most * HOUR_US + view.tolerance_us:
            hours = f"{lay // HOUR_US} hours" + (" so far" if stay.returned is None else "")
            breaches.append(
                Breach(
                    f"the cards lay at {stay.table} for {hours}",
                    f"{most} hours at most",
                    hours,
                    (stay.issued, *((stay.returned,) if stay.returned is not None else ())),
                    key=told(stay.issued, view.batch.history),
                )
            )
    return tuple(breaches) or CLEAN


RULES = (
    Rule(
        "cards-came-back-after-destruction",
        "integrity",
        "high",
        "Cards that were given up to be destroyed are known; whoever kept them can bring them in.",
        ("field-facts.md 3 A22, 4 (cooler)", "NY 5322.15"),
        on_batch=_risen,
        by_clock=True,
    ),
    Rule(
        "cards-were-in-two-places-at-once",
        "integrity",
        "high",
        "The same cards cannot be at two tables, or in two shoes: one of them is something else.",
        ("field-facts.md 3 A22", "NJ 13:69E-1.18(b)"),
        on_batch=_two_places,
        by_clock=True,
    ),
    Rule(
        "shoe-is-not-made-of-the-batch-it-names",
        "composition",
        "high",
        "A shoe holds no more decks than are left of those delivered, and the same backs.",
        ("field-facts.md 3 A1, A22", "arrêté of 14 May 2007, art. 55-14"),
        on_batch=_another_batch,
    ),
    Rule(
        "cards-were-used-for-too-many-shoes",
        "procedure",
        "medium",
        "Cards that people had in hand wear, and can be marked; so they are replaced.",
        ("field-facts.md 1.1 #12, 3 A22", "NSW 3.9"),
        on_batch=_too_many_shoes,
        by_clock=True,
    ),
    Rule(
        "cards-lay-on-a-table-too-long",
        "procedure",
        "medium",
        "The longer cards lie on a table, the more can be done to them.",
        ("field-facts.md 3 A22", "NJ 13:69E-1.18(b): 24 hours"),
        on_batch=_too_long,
        by_clock=True,
    ),
)
