"""Rules of stock: decks are counted and add up, and bad cards are reported at once.

Rules of the end of a game: the cards are put back in order, and looked over, before they go.
"""

from collections.abc import Iterator, Sequence

from sabot.domain.audit.findings import told
from sabot.domain.audit.floor_view import HOUR_US, MINUTE_US, BatchView, ShoeSummary, clock
from sabot.domain.audit.rule import Answer, Breach, Rule
from sabot.domain.events import name_of
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.batch_state import Defect


def _tally(view: BatchView) -> Answer:
    if not view.batch.tallies:
        return "no count of the cards was recorded"
    return tuple(
        Breach(
            f"{tally.payload.decks} decks were counted where {tally.due} should be",
            f"{tally.due} decks: those received and not destroyed",
            f"{tally.payload.decks} decks",
            (tally.counted,),
            key=told(tally.counted, view.batch.history),
        )
        for tally in view.batch.tallies
        if tally.payload.decks != tally.due
    )


def _reconciled(view: BatchView) -> Answer:
    if view.custody is None:
        return view.reason
    hours = view.custody.count_hours
    if hours is None:
        return "the pack does not say how often cards are reconciled"
    return _in_time(view, _counts(view, "reconciliation"), hours, "hours", "reconciliation")


def _stock_counted(view: BatchView) -> Answer:
    if view.custody is None:
        return view.reason
    days = view.custody.stock_days
    if days is None:
        return "the pack does not say how often the stock is counted"
    return _in_time(view, _counts(view, "stock"), days, "days", "count of the stock")


def _counts(view: BatchView, kind: str) -> list[RecordedEvent]:
    return [tally.counted for tally in view.batch.tallies if tally.payload.kind == kind]


def _in_time(
    view: BatchView, counts: list[RecordedEvent], most: int, unit: str, what: str
) -> Answer:
    """Judge whether no more than so long went by between counts, from delivery to destruction."""
    if not view.batch.received:
        return "no delivery of the cards was recorded"
    unit_us = HOUR_US if unit == "hours" else 24 * HOUR_US
    marks = [view.batch.received[0], *counts]
    end = view.latest_us if view.batch.gone is None else clock(view.batch.gone)
    moments = [*(clock(event) for event in marks), end]
    return tuple(
        Breach(
            f"{gap // unit_us} {unit} went by without a {what}",
            f"one in {most} {unit}",
            f"none for {gap // unit_us} {unit}",
            (mark,),
            key=told(mark, view.batch.history),
        )
        for mark, start, stop in zip(marks, moments, moments[1:], strict=False)
        if (gap := stop - start) > most * unit_us + view.tolerance_us
    )


def _reported(view: BatchView) -> Answer:
    if not view.batch.defects:
        return "no bad card was found"
    minutes = view.custody.report_minutes if view.custody is not None else None
    return tuple(_late(view, view.batch.defects, minutes))


def _late(view: BatchView, defects: Sequence[Defect], minutes: int | None) -> Iterator[Breach]:
    """Yield the defects that were reported late; without a limit, those never reported at all.

    A defect that is not reported yet is one from the next move of the cards on.
    """
    for defect in defects:
        found, reported = defect.found, defect.reported
        moved = any(event.position > found.position for event in view.batch.moves)
        waited = (view.latest_us if reported is None else clock(reported)) - clock(found)
        late = minutes is not None and waited > minutes * MINUTE_US + view.tolerance_us
        if late or (reported is None and moved):
            after = f"reported after {waited // MINUTE_US} minutes"
            yield Breach(
                "cards that were missing, extra or marked were not reported at once",
                "a report at once" + ("" if minutes is None else f": within {minutes} minutes"),
                "not reported" if reported is None else after,
                (found, *((reported,) if reported is not None else ())),
                key=told(found, view.batch.history),
            )


def _dealt_again(view: BatchView) -> Answer:
    if view.custody is None:
        return view.reason
    bad: list[RecordedEvent] = [defect.found for defect in view.batch.defects]
    bad += [seal.closed for seal in view.batch.seals if seal.purpose == "evidence"]
    if not bad:
        return "no bad card was found, and none were sealed as evidence"
    told = set()
    breaches = []
    for event in sorted(bad, key=clock):
        shoe = next((each for each in view.shoes if _lies_behind(view, event, each)), None)
        if shoe is None or shoe.name in told or _replaced(view, event, shoe):
            continue
        told.add(shoe.name)
        breaches.append(
            Breach(
                f"shoe {shoe.name} was loaded with cards among which bad ones had been found",
                "cards that are unsuitable are replaced, sealed and signed for",
                "dealt again, and none were delivered or destroyed since",
                (*((shoe.loaded,) if shoe.loaded is not None else ()), event),
                shoe=shoe.name,
                key=("shoe", shoe.name),
            )
        )
    return tuple(breaches)


def _lies_behind(view: BatchView, event: RecordedEvent, shoe: ShoeSummary) -> bool:
    return clock(event) + view.tolerance_us < shoe.begins


def _replaced(view: BatchView, event: RecordedEvent, shoe: ShoeSummary) -> bool:
    """Tell whether bad cards are no longer among those of a shoe, or another rule tells that.

    New ones came or old ones were destroyed; a card that lacked was seen again; or what they were
    sealed under is closed still.
    """
    batch, until = view.batch, shoe.begins + view.tolerance_us
    seals = [seal for seal in batch.seals if seal.purpose == "evidence"]
    if any(
        clock(s.closed) <= until and (s.opened is None or clock(s.opened) > until) for s in seals
    ):
        return True
    fresh: list[RecordedEvent] = [*batch.received, *batch.destroyed]
    payload = next((each.payload for each in batch.defects if each.found is event), None)
    if payload is not None and not payload.marked:
        fresh += [*batch.inspected, *batch.sortings]
    found = {defect.found.position for defect in batch.defects}
    return any(clock(event) < clock(each) <= until and each.position not in found for each in fresh)


def _passed_over(view: BatchView) -> Answer:
    counted = [(shoe, shoe.off) for shoe in view.shoes if shoe.off is not None]
    if not counted:
        return "no shoe of the batch was counted at its end"
    return tuple(
        Breach(
            f"shoe {shoe.name} ended {_off(off)}, and nobody noted it of its batch",
            "a missing or extra card is noted where the cards are kept",
            f"{_off(off)}, no defect noted after it",
            (shoe.ended,) if shoe.ended is not None else (),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for shoe, off in counted
        if off and _went_on(view, shoe) and not _noted(view, shoe)
    )


def _off(cards: int) -> str:
    what = "short" if cards < 0 else "too many"
    return f"{abs(cards)} card{'s' if abs(cards) > 1 else ''} {what}"


def _noted(view: BatchView, shoe: ShoeSummary) -> bool:
    return any(
        clock(defect.found) + view.tolerance_us >= shoe.begins
        and (defect.payload.missing or defect.payload.extra)
        for defect in view.batch.defects
    )


def _went_on(view: BatchView, shoe: ShoeSummary) -> bool:
    """Tell whether anything was done with the cards, or dealt of them, once the shoe had ended."""
    assert shoe.ended is not None
    end = clock(shoe.ended) + view.tolerance_us
    return any(clock(event) > end for event in view.batch.moves) or any(
        other.begins > end for other in view.shoes
    )


def _grounds(view: BatchView) -> Answer:
    return tuple(
        Breach(
            "an event about cards speaks of what was never recorded",
            "every event rests on those before it",
            name_of(event.payload),
            (event,),
            key=told(event, view.batch.history),
        )
        for event in view.batch.unmatched_events
    )


COUNT_RULES = (
    Rule(
        "V601",
        "card-inventory-mismatch",
        "integrity",
        "high",
        "A deck that is not there is somewhere else.",
        ("field-facts.md 3 A22", "NJ 13:69E-1.18(b)", "205 CMR 146.49"),
        on_batch=_tally,
    ),
    Rule(
        "V602",
        "late-card-reconciliation",
        "procedure",
        "medium",
        "What is counted every day is missed the day it goes.",
        ("field-facts.md 3 A22", "NJ 13:69E-1.18(b)"),
        on_batch=_reconciled,
        by_clock=True,
    ),
    Rule(
        "V603",
        "late-stock-count",
        "procedure",
        "medium",
        "The whole stock is counted, so that the daily counts are held against something.",
        ("field-facts.md 3 A22: three months", "205 CMR 146.49"),
        on_batch=_stock_counted,
        by_clock=True,
    ),
    Rule(
        "V604",
        "unreported-bad-cards",
        "procedure",
        "high",
        "A missing, extra or marked card is reported while people and pictures are still there.",
        ("field-facts.md 3 A22, A23", "arrêté of 14 May 2007, art. 40", "NY 5322.15"),
        on_batch=_reported,
        by_clock=True,
        live=False,
    ),
    Rule(
        "V605",
        "bad-cards-reused",
        "integrity",
        "high",
        "A deck with a marked, missing or extra card is replaced: whoever marked it knows it.",
        ("field-facts.md 3 A22", "NY 5322.15(c): replaced, sealed, signed"),
        on_batch=_dealt_again,
        by_clock=True,
    ),
    Rule(
        "V606",
        "unreported-miscount",
        "integrity",
        "high",
        "A shoe that ends with a card too few or too many says so of its batch.",
        ("field-facts.md 3 A23", "arrêté of 14 May 2007, art. 40"),
        on_batch=_passed_over,
        by_clock=True,
        live=False,
    ),
    Rule(
        "R403",
        "unmatched-batch-event",
        "integrity",
        "medium",
        "Cards come back from where they were issued to, and a seal is opened that was closed.",
        ("field-facts.md 3 A22",),
        on_batch=_grounds,
    ),
)


def _put_back(view: BatchView) -> Answer:
    if view.custody is None:
        return view.reason
    if not view.custody.put_back:
        return "the pack does not ask that cards be put back in order"
    ended = [shoe for shoe in view.shoes if shoe.ended is not None]
    if not ended:
        return "no shoe of the batch has ended"
    games = [(event, shoe) for event, shoe in _games(view, ended) if shoe is not None]
    if not games:
        return "the cards have not gone on since their last shoe ended"
    return tuple(
        Breach(
            f"the cards of shoe {shoe.name} went on, and were not put back in order",
            "after the game the cards are put back in the maker's order and looked over for marks",
            "not put back between the end of the shoe and the next thing done with the cards",
            (event, *((shoe.ended,) if shoe.ended is not None else ())),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for event, shoe in games
        if not any(
            shoe.ends - view.tolerance_us <= clock(sorting) <= clock(event) + view.tolerance_us
            for sorting in view.batch.sortings
        )
    )


def _games(
    view: BatchView, ended: list[ShoeSummary]
) -> list[tuple[RecordedEvent, ShoeSummary | None]]:
    """Return what ended each game, an issue, a seal or the destruction, and its last shoe."""
    batch = view.batch
    marks: list[RecordedEvent] = [stay.issued for stay in batch.stays]
    marks += [seal.closed for seal in batch.seals]
    marks += [event for event in batch.destroyed[:1] if event not in marks]
    marks.sort(key=clock)
    games: list[tuple[RecordedEvent, ShoeSummary | None]] = []
    begins = 0
    for mark in marks:
        of_game = [shoe for shoe in ended if begins <= shoe.ends <= clock(mark)]
        games.append((mark, max(of_game, key=lambda shoe: shoe.ends, default=None)))
        begins = clock(mark)
    return games


RESORTING_RULES = (
    Rule(
        "V607",
        "unsorted-cards",
        "procedure",
        "medium",
        "In the maker's order every card that is missing, extra or marked shows at a glance.",
        ("field-facts.md 3 A23", "arrêté of 14 May 2007, art. 40"),
        on_batch=_put_back,
        by_clock=True,
    ),
)


RULES = (
    *COUNT_RULES,
    *RESORTING_RULES,
)
"""Every rule of this family."""
