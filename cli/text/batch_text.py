"""What happens to a batch of cards, in sentences."""

from collections.abc import Callable
from typing import Any, Final

from sabot.domain.events import CardsInspected
from sabot.domain.events import card_batch as c


def _inspected(fact: CardsInspected) -> str:
    machine = _machine(fact.model, fact.serial, fact.receipt)
    return f"cards inspected by {fact.by}{machine}" + (f": {fact.found}" if fact.found else "")


def _machine(model: str | None, serial: str | None, receipt: str | None) -> str:
    named = (("machine", model), ("serial", serial), ("receipt", receipt))
    said = ", ".join(f"{what} {value}" for what, value in named if value)
    return f" ({said})" if said else ""


def _decks(number: int) -> str:
    return "1 deck" if number == 1 else f"{number} decks"


def _received(fact: c.CardsReceived) -> str:
    backs = f", backs {' and '.join(fact.backs)}" if fact.backs else ""
    seals = f", seals {', '.join(fact.seals)}" if fact.seals else ""
    delivery = f", delivery {fact.delivery}" if fact.delivery else ""
    source = f"{_decks(fact.decks)} received from {fact.source}"
    return f"{source}{backs}{seals}{delivery} by {fact.by}"


def _preshuffled(fact: c.CardsPreshuffled) -> str:
    machine = _machine(fact.model, fact.serial, fact.receipt)
    under = f", under {fact.supervisor}" if fact.supervisor else ""
    picture = f", recording {fact.recording}" if fact.recording else ""
    return f"pre-shuffled by {fact.by}{machine}{under}{picture}"


def _sealed(fact: c.CardsSealed) -> str:
    why = {"use": "", "evidence": " as evidence", "destruction": " for destruction"}
    return f"sealed{why[fact.purpose]}, seal {fact.seal} by {fact.by}"


def _seal_opened(fact: c.SealOpened) -> str:
    return f"seal {fact.seal} opened by {fact.by}" + ("" if fact.intact else ", not intact")


def _issued(fact: c.CardsIssued) -> str:
    to = f" to {fact.to}" if fact.to else ""
    return f"issued to table {fact.table} by {fact.by}{to}"


def _returned(fact: c.CardsReturned) -> str:
    return "returned" + (f" from table {fact.table}" if fact.table else "") + f" by {fact.by}"


def _found_bad(fact: c.CardsFoundBad) -> str:
    numbers = (("missing", fact.missing), ("too many", fact.extra), ("marked", fact.marked))
    found = ", ".join(f"{number} {what}" for what, number in numbers if number) or "bad cards"
    return f"found by {fact.by}: {found}" + (f" ({fact.detail})" if fact.detail else "")


def _sorted(fact: c.CardsSorted) -> str:
    numbers = (("missing", fact.missing), ("too many", fact.extra), ("marked", fact.marked))
    found = ", ".join(f"{number} {what}" for what, number in numbers if number)
    return f"put back in the maker's order by {fact.by}" + (f": {found}" if found else "")


def _tallied(fact: c.CardsCounted) -> str:
    of = "reconciliation" if fact.kind == "reconciliation" else "count of the stock"
    return f"{of}: {_decks(fact.decks)} by {fact.by}"


def _destroyed(fact: c.CardsDestroyed) -> str:
    decks = "all decks" if fact.decks is None else _decks(fact.decks)
    witness = f", {fact.witness} looking on" if fact.witness else ""
    return f"{decks} {fact.method} by {fact.by}{witness}"


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
"""Each fact of a batch in a sentence."""
