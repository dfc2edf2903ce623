"""Rules of custody: where a batch of cards is, and that it is the one dealt.

The rule of seals, of makers and of the house: nobody handles cards while one is closed.

Rules of issue: cards reach a table by being issued to it, and their batch is on record.
"""

from collections.abc import Iterator
from itertools import pairwise

from sabot.domain.audit.findings import told
from sabot.domain.audit.floor_view import HOUR_US, BatchView, Floor, ShoeSummary, clock
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, Doubt, Rule
from sabot.domain.events.card_batch import CardsDestroyed, CardsReceived
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.batch_state import Seal, TableIssue

_NO_SHOE = "no shoe was loaded with the batch"


def _risen(view: BatchView) -> Answer:
    batch = view.batch
    end = batch.gone or batch.condemned
    if end is None and not batch.risen:
        return "the cards were not given up to be destroyed"
    # once they are back, all that is done with them is of one coming back
    back: dict[int, list[RecordedEvent]] = {}
    for event in batch.risen:
        back.setdefault(_given_up(view, event).position, []).append(event)
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
    return (*handled, *(_loaded_after(view, end) if end and end.position not in back else ()))


def _given_up(view: BatchView, event: RecordedEvent) -> RecordedEvent:
    """Return the destruction, or the seal for it, after which the cards came back."""
    batch = view.batch
    seals = [seal.closed for seal in batch.seals if seal.purpose == "destruction"]
    return max(
        (each for each in (*batch.destroyed, *seals) if each.position < event.position),
        key=lambda each: each.position,
    )


def _said(end: RecordedEvent) -> str:
    return "destroyed" if isinstance(end.payload, CardsDestroyed) else "sealed for destruction"


def _loaded_after(view: BatchView, end: RecordedEvent) -> Iterator[Breach]:
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
            away = other.returned is not None and other.returned.position < stay.issued.position
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


def _there(view: BatchView, shoe: ShoeSummary) -> int:
    """Return the most decks of which a shoe can be: all received but those destroyed before it.

    0 where none of them is left: then it has come back, which is another rule's.
    """
    decks = 0
    moves: list[RecordedEvent[CardsReceived | CardsDestroyed]] = [
        *view.batch.received,
        *view.batch.destroyed,
    ]
    for event in sorted(moves, key=lambda each: each.position):
        match event.payload:
            case CardsReceived(decks=more):
                decks += more
            case CardsDestroyed(decks=less) if not view.doubt:
                before = clock(event) + view.tolerance_us < shoe.begins
                decks -= min(decks, less or decks) if before else 0
            case CardsDestroyed():
                pass
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
    return tuple(breaches) or NO_BREACH


CUSTODY_RULES = (
    Rule(
        "M601",
        "destroyed-cards-reused",
        "integrity",
        "high",
        "Cards that were given up to be destroyed are known; whoever kept them can bring them in.",
        ("field-facts.md 3 A22, 4 (cooler)", "NY 5322.15"),
        on_batch=_risen,
        by_clock=True,
    ),
    Rule(
        "M602",
        "cards-in-two-places",
        "integrity",
        "high",
        "The same cards cannot be at two tables, or in two shoes: one of them is something else.",
        ("field-facts.md 3 A22", "NJ 13:69E-1.18(b)"),
        on_batch=_two_places,
        by_clock=True,
    ),
    Rule(
        "M603",
        "shoe-batch-mismatch",
        "composition",
        "high",
        "A shoe holds no more decks than are left of those delivered, and the same backs.",
        ("field-facts.md 3 A1, A22", "arrêté of 14 May 2007, art. 55-14"),
        on_batch=_another_batch,
    ),
    Rule(
        "M604",
        "overused-cards",
        "procedure",
        "medium",
        "Cards that people had in hand wear, and can be marked; so they are replaced.",
        ("field-facts.md 1.1 #12, 3 A22", "NSW 3.9"),
        on_batch=_too_many_shoes,
        by_clock=True,
    ),
    Rule(
        "M605",
        "cards-too-long-on-table",
        "procedure",
        "medium",
        "The longer cards lie on a table, the more can be done to them.",
        ("field-facts.md 3 A22", "NJ 13:69E-1.18(b): 24 hours"),
        on_batch=_too_long,
        by_clock=True,
    ),
)


def _seals(view: BatchView) -> Answer:
    batch = view.batch
    if not batch.seals and not batch.makers:
        return "no seal was recorded"
    return (
        *(breach for seal in (*batch.makers, *batch.seals) for breach in _when_opened(seal)),
        *(breach for seal in batch.seals for breach in _while_closed(view, seal)),
        *_never_opened(view),
    )


def _whole(seal: Seal) -> str:
    return f"seal {seal.number} whole until it is opened"


def _when_opened(seal: Seal) -> Iterator[Breach]:
    opened, required = seal.opened, _whole(seal)
    if opened is not None:
        if opened.payload.seal != seal.number:
            said = f"the cards were under seal {opened.payload.seal}, not {seal.number}"
            shown = f"seal {opened.payload.seal}"
            yield Breach(said, required, shown, (opened, seal.closed), key=("number", seal.number))
        if not opened.payload.intact:
            said = f"seal {seal.number} was not whole when it was opened"
            yield Breach(said, required, "not intact", (opened,), key=("broken", seal.number))


def _while_closed(view: BatchView, seal: Seal) -> Iterator[Breach]:
    opened, required = seal.opened, _whole(seal)
    for event in seal.touched:
        said = f"the cards were handled while seal {seal.number} was closed"
        key = ("touched", *told(event, view.batch.history))
        yield Breach(said, required, "handled, and not opened", (event, seal.closed), key=key)
    until = None if opened is None else clock(opened) - view.tolerance_us
    for shoe in view.shoes:
        if clock(seal.closed) + view.tolerance_us < shoe.begins and (
            until is None or shoe.begins < until
        ):
            yield Breach(
                f"shoe {shoe.name} was loaded while seal {seal.number} was closed",
                required,
                "loaded, and not opened",
                (*shoe.loading, seal.closed),
                shoe=shoe.name,
                key=("shoe", shoe.name, seal.number),
            )


def _never_opened(view: BatchView) -> Iterator[Breach]:
    """Yield the first shoe of cards that still lay under every seal they were delivered with."""
    told = set()
    for shoe in view.shoes:
        begins, until = view.since(shoe), shoe.begins + view.tolerance_us
        came = [each for each in view.batch.received if begins <= clock(each) <= until]
        seals = [seal for seal in view.batch.makers if seal.closed in came]
        sealed = {seal.closed.position for seal in seals}
        opened = any(seal.opened is not None and clock(seal.opened) <= until for seal in seals)
        # cards of a delivery without seals may be in the shoe
        if not came or opened or begins in told or any(e.position not in sealed for e in came):
            continue
        told.add(begins)
        yield Breach(
            f"shoe {shoe.name} was loaded, and no seal of its cards' maker had been opened",
            "a maker's seal that is opened before the cards are used",
            f"{', '.join(seal.number for seal in seals)} never opened before",
            (*shoe.loading, *came),
            shoe=shoe.name,
            key=("maker", shoe.name),
        )


SEAL_RULES = (
    Rule(
        "M606",
        "broken-seal",
        "integrity",
        "high",
        "A seal with a number shows that nobody had the cards in hand since it was closed.",
        ("field-facts.md 3 A21, A22, 4 (cooler: seal mismatch)", "NJ 13:69E-1.18A", "NY 5322.16"),
        on_batch=_seals,
        by_clock=True,
    ),
)


def _not_issued(view: BatchView) -> Answer:
    if not view.batch.stays and not (view.custody and view.custody.issued):
        return "no issue to a table was recorded"
    shoes = [shoe for shoe in view.shoes if shoe.table is not None]
    if not shoes:
        return (
            "no shoe was loaded with the batch"
            if not view.shoes
            else "no shoe of the batch names its table"
        )
    return tuple(
        Breach(
            f"shoe {shoe.name} was dealt at {shoe.table} with cards that were not issued there",
            f"cards issued to {shoe.table} from the loading of the shoe to its end",
            _whereabouts(view.batch.stays, shoe),
            (shoe.loaded,) if shoe.loaded is not None else (),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for shoe in shoes
        if not any(_covers(stay, shoe, view.tolerance_us) for stay in view.batch.stays)
    )


def _covers(stay: TableIssue, shoe: ShoeSummary, tolerance: int) -> bool:
    """Tell whether the cards were at the shoe's table from its loading to its last event."""
    returned = stay.returned
    return (
        stay.table == shoe.table
        and clock(stay.issued) <= shoe.begins + tolerance
        and (returned is None or clock(returned) + tolerance >= shoe.ends)
    )


def _whereabouts(stays: list[TableIssue], shoe: ShoeSummary) -> str:
    if not stays:
        return "never issued"
    there = [stay for stay in stays if clock(stay.issued) <= shoe.begins]
    last = there[-1] if there else None
    if last is None:
        return "not issued yet"
    if last.returned is None or clock(last.returned) > shoe.begins:
        until = "" if last.table != shoe.table else ", and returned before the shoe ended"
        return f"issued to {last.table}{until}"
    return f"returned from {last.table} before"


def _unrecorded(floor: Floor) -> Answer:
    asked = [shoe for shoe in floor.shoes if shoe.custody is not None and shoe.custody.issued]
    if not asked:
        return "no pack asks that the issue of cards be recorded"
    named = [shoe for shoe in asked if shoe.batch is not None]
    if not named:
        return "no shoe names its batch"
    kept = {batch.name for batch in floor.batches}
    return tuple(
        Breach(
            f"shoe {shoe.name} was dealt with batch {shoe.batch}, of which nothing was recorded",
            "a batch is on record from its issue on",
            "no event of the batch",
            (shoe.loaded,) if shoe.loaded is not None else (),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for shoe in named
        if shoe.batch not in kept
    )


ISSUE_RULES = (
    Rule(
        "M607",
        "cards-not-issued-to-table",
        "integrity",
        "high",
        "Cards reach a table by being issued to it, and stay there until they are returned.",
        ("field-facts.md 3 A22, 4 (cooler: a custody gap)",),
        on_batch=_not_issued,
        by_clock=True,
    ),
    Rule(
        "M608",
        "unrecorded-batch",
        "integrity",
        "high",
        "Of cards that nobody recorded nobody knows where they lay, and who had them.",
        ("field-facts.md 3 A22", "NJ 13:69E-1.18(b)"),
        on_floor=_unrecorded,
        live=False,
    ),
)


RULES = (
    *CUSTODY_RULES,
    *SEAL_RULES,
    *ISSUE_RULES,
)
"""Every rule of this family."""
