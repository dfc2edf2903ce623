"""Faults of card custody: cards not inspected, not sealed, not counted, or in the wrong place."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import card_batch as c
from sabot.domain.events.envelope import NewEvent
from tests.faults.floor_fault import (
    HOUR_US,
    Drafts,
    behind,
    changed,
    fault,
    first,
    of_stream,
    with_more,
    without,
)


def _issue(drafts: Sequence[NewEvent]) -> NewEvent | None:
    return first(drafts, c.CardsIssued)


def _used(drafts: Sequence[NewEvent]) -> tuple[NewEvent, ev.ShoeLoaded] | None:
    """Return the first loading of a shoe with a batch whose custody was recorded."""
    kept = {draft.stream.removeprefix("cards/") for draft in drafts}
    for draft in drafts:
        if isinstance(draft.payload, ev.ShoeLoaded) and draft.payload.batch in kept:
            return draft, draft.payload
    return None


def _came_back(drafts: Sequence[NewEvent]) -> Drafts | None:
    gone = first(drafts, c.CardsDestroyed)
    if gone is None:
        return None
    return with_more(drafts, behind(gone, c.CardsIssued("another", "card room"), 5))


def _two_tables(drafts: Sequence[NewEvent]) -> Drafts | None:
    issued = _issue(drafts)
    if issued is None:
        return None
    return with_more(drafts, behind(issued, c.CardsIssued("another", "card room"), 5))


def _issued_elsewhere(drafts: Sequence[NewEvent]) -> Drafts | None:
    issued = _issue(drafts)
    if issued is None:
        return None
    returned = first(of_stream(drafts, issued.stream), c.CardsReturned)
    moved = changed(drafts, issued, table="another")
    return moved and changed(moved, returned, table="another")


def _elsewhere_corrected(drafts: Sequence[NewEvent]) -> Drafts | None:
    """A shoe has cards of another table, and before its first card its batch is corrected away."""
    told, used = _issued_elsewhere(drafts), _used(drafts)
    if told is None or used is None:
        return None
    second = of_stream(told, used[0].stream)[1]
    correction = ev.EventCorrected(1, "misread", instead=replace(used[1], batch=None))
    return with_more(told, behind(second, correction))


def _resealed(drafts: Sequence[NewEvent]) -> Drafts | None:
    opened = first(drafts, c.SealOpened)
    return changed(drafts, opened, seal="another seal")


def _seal_not_whole(drafts: Sequence[NewEvent]) -> Drafts | None:
    return changed(drafts, first(drafts, c.SealOpened), intact=False)


def _one_deck_too_few(drafts: Sequence[NewEvent]) -> Drafts | None:
    used = _used(drafts)
    if used is None:
        return None
    stream = f"cards/{used[1].batch}"
    less: Drafts = []
    for draft in drafts:
        payload = draft.payload
        if draft.stream == stream and isinstance(payload, (c.CardsReceived, c.CardsCounted)):
            less.append(replace(draft, payload=replace(payload, decks=payload.decks - 1)))
        else:
            less.append(draft)
    return less


def _destroyed_before(drafts: Sequence[NewEvent]) -> Drafts | None:
    """A deck is destroyed before the cards are issued, and the shoe has its full size."""
    issued = _issue(drafts)
    if issued is None:
        return None
    gone = behind(issued, c.CardsDestroyed("card room", "pit", "destroyed", 1))
    less = [
        replace(draft, payload=replace(draft.payload, decks=draft.payload.decks - 1))
        if draft.stream == issued.stream
        and isinstance(draft.payload, c.CardsCounted)
        and (draft.at_us or 0) > (issued.at_us or 0)
        else draft
        for draft in drafts
    ]
    return with_more(less, gone)


def used_again(drafts: Sequence[NewEvent]) -> Drafts | None:
    """The second shoe of a table is loaded with the cards of the first."""
    used = _used(drafts)
    if used is None:
        return None
    first, loaded = used
    shoes = [
        d
        for d in drafts
        if isinstance(d.payload, ev.ShoeLoaded) and d.payload.table == loaded.table
    ]
    if len(shoes) < 2 or shoes[1].payload.batch == loaded.batch:  # type: ignore[union-attr]
        return None
    again = changed(drafts, shoes[1], batch=loaded.batch)
    other = shoes[1].payload.batch  # type: ignore[union-attr]
    assert first is shoes[0]
    return again and [draft for draft in again if draft.stream != f"cards/{other}"]


def _long_on_the_table(drafts: Sequence[NewEvent]) -> Drafts | None:
    """The cards stay at the table over a day, are counted meanwhile, and come back then."""
    issued = _issue(drafts)
    if issued is None:
        return None
    late = {c.CardsReturned, c.CardsCounted, c.CardsSealed, c.CardsDestroyed}
    later = 24 * HOUR_US
    moved = [
        replace(draft, at_us=(draft.at_us or 0) + later)
        if draft.stream == issued.stream
        and type(draft.payload) in late
        and (draft.at_us or 0) > (issued.at_us or 0)
        else draft
        for draft in drafts
    ]
    count = first(of_stream(drafts, issued.stream), c.CardsCounted)
    assert count is not None
    return with_more(moved, behind(issued, count.payload, 12 * 60))


def _uninspected(drafts: Sequence[NewEvent]) -> Drafts | None:
    return without(
        drafts, first([d for d in drafts if d.stream.startswith("cards/")], ev.CardsInspected)
    )


def _no_receipt(drafts: Sequence[NewEvent]) -> Drafts | None:
    return changed(drafts, first(drafts, c.CardsPreshuffled), receipt=None)


def _busy(drafts: Sequence[NewEvent]) -> Drafts | None:
    """The supervisor who watches the pre-shuffle has another table that opened before."""
    shuffled = first(drafts, c.CardsPreshuffled)
    opened = first(drafts, ev.TableOpened)
    if shuffled is None or opened is None or not isinstance(opened.payload, ev.TableOpened):
        return None
    crew = {each.post: each.person for each in opened.payload.crew}
    if "supervisor" not in crew:
        return None
    early = replace(opened, at_us=(shuffled.at_us or 0) - HOUR_US)
    watched = changed(drafts, shuffled, supervisor=crew["supervisor"])
    return watched and sorted(
        [early if draft is opened else draft for draft in watched], key=lambda d: d.at_us or 0
    )


def _unwatched(drafts: Sequence[NewEvent]) -> Drafts | None:
    return changed(drafts, first(drafts, c.CardsPreshuffled), supervisor=None)


def _unrecorded(drafts: Sequence[NewEvent]) -> Drafts | None:
    return changed(drafts, first(drafts, c.CardsPreshuffled), recording=None)


def _deck_gone(drafts: Sequence[NewEvent]) -> Drafts | None:
    count = first(drafts, c.CardsCounted)
    if count is None or not isinstance(count.payload, c.CardsCounted):
        return None
    return changed(drafts, count, decks=count.payload.decks - 1)


def _old_stock(drafts: Sequence[NewEvent], days: int) -> Drafts | None:
    """The cards were delivered long ago, and nobody has counted them since."""
    received = first(drafts, c.CardsReceived)
    if received is None:
        return None
    early = replace(received, at_us=(received.at_us or 0) - days * 24 * HOUR_US)
    return sorted([early if d is received else d for d in drafts], key=lambda d: d.at_us or 0)


def _not_reconciled(drafts: Sequence[NewEvent]) -> Drafts | None:
    return _old_stock(drafts, 2)


def _stock_not_counted(drafts: Sequence[NewEvent]) -> Drafts | None:
    """For 100 days the cards are reconciled every 20 hours, and the stock is never counted."""
    received = first(drafts, c.CardsReceived)
    old = _old_stock(drafts, 100)
    if received is None or old is None or not isinstance(received.payload, c.CardsReceived):
        return None
    count = c.CardsCounted(received.payload.decks, "card room")
    counts = [behind(received, count, 60 - 60 * 20 * nth, 120 - nth) for nth in range(120)]
    return with_more(old, *counts)


def _marked(drafts: Sequence[NewEvent]) -> Drafts | None:
    """A marked card is found when the seal is opened, and reported at the end of the evening."""
    opened = first(drafts, c.SealOpened)
    if opened is None:
        return None
    found = behind(opened, c.CardsFoundBad("pit", marked=1))
    return with_more(drafts, found, behind(opened, c.DefectReported("surveillance", "pit"), 60, 2))


def _dealt_on(drafts: Sequence[NewEvent]) -> Drafts | None:
    """A marked card is found before a shoe is loaded, reported, and dealt with the others."""
    issued = _issue(drafts)
    if issued is None:
        return None
    found = behind(issued, c.CardsFoundBad("pit", marked=1))
    return with_more(drafts, found, behind(issued, c.DefectReported("surveillance", "pit"), 0, 2))


def _passed_over(drafts: Sequence[NewEvent]) -> Drafts | None:
    """A shoe is one card short at its end, and nobody records this for its batch."""
    used = _used(drafts)
    if used is None:
        return None
    ended = first(of_stream(drafts, used[0].stream), ev.ShoeEnded)
    if ended is None or not isinstance(ended.payload, ev.ShoeEnded) or not ended.payload.left:
        return None
    counted = ended.payload.counted
    less = None if counted is None else counted - 1
    return changed(drafts, ended, left=ended.payload.left - 1, counted=less)


def _returned_twice(drafts: Sequence[NewEvent]) -> Drafts | None:
    returned = first(drafts, c.CardsReturned)
    if returned is None:
        return None
    return with_more(drafts, behind(returned, returned.payload, 1))


def _batch_unrecorded(drafts: Sequence[NewEvent]) -> Drafts | None:
    used = _used(drafts)
    if used is None:
        return None
    return [draft for draft in drafts if draft.stream != f"cards/{used[1].batch}"]


def _not_put_back(drafts: Sequence[NewEvent]) -> Drafts | None:
    return without(drafts, first(drafts, c.CardsSorted))


KINDS: Final = (
    fault("destroyed-cards-issued", "integrity",
          "cards that were destroyed go out to a table",
          _came_back, "M601"),
    fault("issued-twice", "integrity",
          "a batch is issued to a second table",
          _two_tables, "M602"),
    fault("issued-elsewhere", "integrity",
          "a shoe is loaded with cards of another table",
          _issued_elsewhere, "M607"),
    fault("issued-elsewhere-corrected-away", "integrity",
          "a shoe is loaded with cards of another table, and then corrected to name no cards",
          _elsewhere_corrected, "R418"),
    fault("another-seal", "integrity",
          "the cards lie under another seal than they were put under",
          _resealed, "M606"),
    fault("seal-not-whole", "integrity",
          "the seal is not whole when it is opened",
          _seal_not_whole, "M606"),
    fault("deck-slipped-in", "composition",
          "a shoe holds a deck that was never delivered",
          _one_deck_too_few, "M603"),
    fault("destroyed-deck-dealt", "composition",
          "a shoe holds a deck that had been destroyed",
          _destroyed_before, "M603"),
    fault("cards-used-again", "procedure",
          "the next shoe is loaded with the old cards",
          used_again, "M604",
          "F604"),
    fault("cards-left-lying", "procedure",
          "the cards lie on the table into the next day",
          _long_on_the_table, "M605"),
    fault("inspection-skipped", "procedure",
          "nobody inspects the cards",
          _uninspected, "M609"),
    fault("receipt-lost", "procedure",
          "the machine prints no receipt",
          _no_receipt, "M610"),
    fault("supervisor-busy", "procedure",
          "a supervisor watches a machine beside his table",
          _busy, "M611"),
    fault("preshuffle-unwatched", "procedure",
          "a dealer shuffles by machine, and no supervisor watches",
          _unwatched, "M612"),
    fault("preshuffle-unseen", "procedure",
          "nothing is recorded of a pre-shuffle",
          _unrecorded, "M613"),
    fault("deck-not-counted", "integrity",
          "a deck is missing at the count",
          _deck_gone, "V601"),
    fault("not-reconciled", "procedure",
          "the cards lie in the store for days, uncounted",
          _not_reconciled, "V602"),
    fault("stock-not-counted", "procedure",
          "the stock is not counted for a hundred days",
          _stock_not_counted, "V603"),
    fault("mark-reported-late", "procedure",
          "a marked card is reported an hour later",
          _marked, "V604", "V605"),
    fault("marked-card-dealt", "integrity",
          "a deck in which a marked card was found is dealt",
          _dealt_on, "V605"),
    fault("short-shoe-passed-over", "integrity",
          "a shoe is a card short, and nobody says so",
          _passed_over, "V606", "N303"),
    fault("batch-unrecorded", "integrity",
          "a shoe is dealt with cards of which nothing was recorded",
          _batch_unrecorded, "M608"),
    fault("not-put-back", "procedure",
          "cards are destroyed that nobody put back in order",
          _not_put_back, "V607"),
    fault("returned-twice", "integrity",
          "cards come back that had come back already",
          _returned_twice, "R403"),
)  # fmt: skip
