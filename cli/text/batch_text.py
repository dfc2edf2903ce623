"""Sentences for the events of a batch of cards."""

from collections.abc import Callable
from typing import Any, Final

from sabot.domain.events import CardsInspected
from sabot.domain.events import card_batch as c


def _inspected(payload: CardsInspected) -> str:
    machine = _machine(payload.model, payload.serial, payload.receipt)
    return f"cards inspected by {payload.by}{machine}" + (
        f": {payload.found}" if payload.found else ""
    )


def _machine(model: str | None, serial: str | None, receipt: str | None) -> str:
    named = (("machine", model), ("serial", serial), ("receipt", receipt))
    said = ", ".join(f"{what} {value}" for what, value in named if value)
    return f" ({said})" if said else ""


def _decks(number: int) -> str:
    return "1 deck" if number == 1 else f"{number} decks"


def _received(payload: c.CardsReceived) -> str:
    backs = f", backs {' and '.join(payload.backs)}" if payload.backs else ""
    seals = f", seals {', '.join(payload.seals)}" if payload.seals else ""
    delivery = f", delivery {payload.delivery}" if payload.delivery else ""
    source = f"{_decks(payload.decks)} received from {payload.source}"
    return f"{source}{backs}{seals}{delivery} by {payload.by}"


def _preshuffled(payload: c.CardsPreshuffled) -> str:
    machine = _machine(payload.model, payload.serial, payload.receipt)
    under = f", under {payload.supervisor}" if payload.supervisor else ""
    picture = f", recording {payload.recording}" if payload.recording else ""
    return f"pre-shuffled by {payload.by}{machine}{under}{picture}"


def _sealed(payload: c.CardsSealed) -> str:
    why = {"use": "", "evidence": " as evidence", "destruction": " for destruction"}
    return f"sealed{why[payload.purpose]}, seal {payload.seal} by {payload.by}"


def _seal_opened(payload: c.SealOpened) -> str:
    return f"seal {payload.seal} opened by {payload.by}" + (
        "" if payload.intact else ", not intact"
    )


def _issued(payload: c.CardsIssued) -> str:
    to = f" to {payload.to}" if payload.to else ""
    return f"issued to table {payload.table} by {payload.by}{to}"


def _returned(payload: c.CardsReturned) -> str:
    return (
        "returned" + (f" from table {payload.table}" if payload.table else "") + f" by {payload.by}"
    )


def _found_bad(payload: c.CardsFoundBad) -> str:
    numbers = (
        ("missing", payload.missing),
        ("too many", payload.extra),
        ("marked", payload.marked),
    )
    found = ", ".join(f"{number} {what}" for what, number in numbers if number) or "bad cards"
    return f"found by {payload.by}: {found}" + (f" ({payload.detail})" if payload.detail else "")


def _sorted(payload: c.CardsSorted) -> str:
    numbers = (
        ("missing", payload.missing),
        ("too many", payload.extra),
        ("marked", payload.marked),
    )
    found = ", ".join(f"{number} {what}" for what, number in numbers if number)
    return f"put back in the maker's order by {payload.by}" + (f": {found}" if found else "")


def _tallied(payload: c.CardsCounted) -> str:
    of = "reconciliation" if payload.kind == "reconciliation" else "count of the stock"
    return f"{of}: {_decks(payload.decks)} by {payload.by}"


def _destroyed(payload: c.CardsDestroyed) -> str:
    decks = "all decks" if payload.decks is None else _decks(payload.decks)
    witness = f", witnessed by {payload.witness}" if payload.witness else ""
    return f"{decks} {payload.method} by {payload.by}{witness}"


TELL_CARDS: Final[dict[type, Callable[[Any], str]]] = {
    CardsInspected: _inspected,
    c.CardsReceived: _received,
    c.CardsPreshuffled: _preshuffled,
    c.CardsSealed: _sealed,
    c.SealOpened: _seal_opened,
    c.CardsIssued: _issued,
    c.CardsReturned: _returned,
    c.CardsSorted: _sorted,
    c.CardsFoundBad: _found_bad,
    c.DefectReported: lambda x: f"the defect reported to {x.to} by {x.by}",
    c.CardsCounted: _tallied,
    c.CardsDestroyed: _destroyed,
}
"""The sentence for each event of a batch."""
