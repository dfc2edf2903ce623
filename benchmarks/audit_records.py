"""Incomplete records, made from a complete record of a shoe by leaving out events.

A clean shoe must be clean in every incomplete record. If a fault is not found in one of them, what
that record lacks is needed to find the fault.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.values.cards import VALUE, Card

_OF_A_COUP: Final = (
    ev.CoupOpened, ev.BetPlaced, ev.BetCarried, ev.BetChanged, ev.BetWithdrawn, ev.NoMoreBets,
    ev.CardDrawn, ev.TotalsCalled, ev.ResultCalled, ev.BetTaken, ev.BetPaid, ev.BetPushed,
    ev.CommissionMarked, ev.CoupClosed, ev.CoupVoided, ev.IrregularityNoted, bank_ev.CardRejected,
)  # fmt: skip
_BETS: Final = (
    ev.BetPlaced, ev.BetCarried, ev.BetChanged, ev.BetWithdrawn, ev.BetTaken, ev.BetPaid,
    ev.BetPushed, ev.CommissionMarked, ev.CommissionCollected, bank_ev.ExcessReturned,
)  # fmt: skip
_BANK: Final = (
    bank_ev.BankBid, bank_ev.BankListed, bank_ev.FundsProven, bank_ev.BankPosted,
    bank_ev.BankRaised, bank_ev.BankWithdrawn, bank_ev.BankCalled, bank_ev.BankUnlimited,
    bank_ev.BancoCalled,
)  # fmt: skip
_CALLS: Final = (ev.TotalsCalled, ev.ResultCalled, bank_ev.HandsCalled)
_HOLDER: Final = (ev.ShoeOffered, ev.ShoeRefused, ev.ShoeTaken, ev.ShoePassed)
_MIDDLE: Final = 20
"""The coup with which a record begins that begins in the middle; before which one ends."""

_EARLY: Final = 3
"""The coup within which a record begins."""

Left = Callable[[list[RecordedEvent]], list[RecordedEvent]]


class Record(NamedTuple):
    """A kind of incomplete record: what it lacks, and how it is made of a complete one."""

    name: str
    lacks: str
    of: Left


def _told(
    history: Iterable[RecordedEvent], change: Callable[[ev.Event], ev.Event | None]
) -> list[RecordedEvent]:
    """Return a record after events were changed or left out, as if they had never been recorded.

    Its stream and its devices number the remaining events without a gap. Gaps of the original
    record stay.
    """
    told: list[RecordedEvent] = []
    left_out: Counter[str] = Counter()
    for event in history:
        payload, place = change(event.payload), len(told) + 1
        if payload is None:
            left_out[event.device] += 1
            continue
        seq = None if event.seq is None else event.seq - left_out[event.device]
        told.append(replace(event, index=place, version=place, seq=seq, payload=payload))
    return told


def _without(*kinds: type) -> Left:
    return lambda history: _told(
        history, lambda payload: None if isinstance(payload, kinds) else payload
    )


def _faces(less: Callable[[Card], Card]) -> Left:
    def change(payload: ev.Event) -> ev.Event | None:
        match payload:
            case ev.CardDrawn() | ev.CardBurned() if payload.card is not None:
                return replace(payload, card=less(payload.card))
            case ev.ShoeEnded():
                return replace(payload, faces=tuple(map(less, payload.faces)))
            case ev.OrderCommitted() | ev.OrderOpened():
                return None
        return payload

    return lambda history: _told(history, change)


def _value(card: Card) -> Card:
    return "0" if VALUE[card] == 0 else card[0]  # type: ignore[return-value]


def _rank(card: Card) -> Card:
    return card[0]  # type: ignore[return-value]


def _less(kind: type, **nothing: object) -> Left:
    def change(payload: ev.Event) -> ev.Event:
        return replace(payload, **nothing) if isinstance(payload, kind) else payload

    return lambda history: _told(history, change)


def _placeless(history: list[RecordedEvent]) -> list[RecordedEvent]:
    drawn = _less(ev.CardDrawn, place=None)(history)
    return _less(ev.CardBurned, place=None)(drawn)


def _coups_alone(history: list[RecordedEvent]) -> list[RecordedEvent]:
    def change(payload: ev.Event) -> ev.Event | None:
        if isinstance(payload, ev.ShoeLoaded):
            return replace(payload, coverage="coups", seats=(), crew=())
        return payload if isinstance(payload, _OF_A_COUP) or _of_a_bet(payload) else None

    return _told(history, change)


def _of_a_bet(payload: ev.Event) -> bool:
    return isinstance(payload, ev.CommissionCollected) and payload.bet is not None


def _unbanked(history: list[RecordedEvent]) -> list[RecordedEvent]:
    """Return a record without the events of the bank.

    In macao and victoria it also lacks the events that name the holder of the shoe.
    """
    packs = (event.payload.pack for event in history if isinstance(event.payload, ev.ShoeLoaded))
    kept = any(parse_pack(pack).game in ("macao", "victoria") for pack in packs)
    return _without(*_BANK, *(_HOLDER if kept else ()))(history)


def _uncounted(history: list[RecordedEvent]) -> list[RecordedEvent]:
    return _less(ev.ShoeEnded, left=None, counted=None)(history)


def _unseated(history: list[RecordedEvent]) -> list[RecordedEvent]:
    loaded = _less(ev.ShoeLoaded, seats=())(history)
    return _without(ev.PatronSeated, ev.PatronMoved, ev.PatronLeft)(loaded)


def _unclocked(history: list[RecordedEvent]) -> list[RecordedEvent]:
    return [replace(event, at_us=None) for event in history]


def _unnumbered(history: list[RecordedEvent]) -> list[RecordedEvent]:
    return [replace(event, seq=None) for event in history]


def _begun_late(history: list[RecordedEvent]) -> list[RecordedEvent]:
    """Return the record from a coup on, without the loading of the shoe."""
    first = _opening(history, _MIDDLE)
    return _told(history[first:], lambda payload: payload)


def _begun_late_as_coups(history: list[RecordedEvent]) -> list[RecordedEvent]:
    """Return the loading and the coups from one on, by a source that records only coups."""
    first = _opening(history, _MIDDLE)
    return _coups_alone([*history[:1], *history[max(first, 1) :]])


def _begun_at(kind: type, after: int) -> Left:
    """Return a function that leaves out what came before the first event of a kind.

    The event is looked for from a coup on.
    """

    def late(history: list[RecordedEvent]) -> list[RecordedEvent]:
        first = _opening(history, after)
        places = (
            place
            for place, event in enumerate(history)
            if place > first > 0 and isinstance(event.payload, kind)
        )
        return _told(history[next(places, 0) :], lambda payload: payload)

    return late


def _broken_off(history: list[RecordedEvent]) -> list[RecordedEvent]:
    """Return the record up to the third card of a coup."""
    first = _opening(history, _MIDDLE)
    drawn = [
        place
        for place, event in enumerate(history)
        if place > first and isinstance(event.payload, ev.CardDrawn)
    ]
    return history[: drawn[2] + 1] if len(drawn) > 2 else history


def _opening(history: list[RecordedEvent], coup: int) -> int:
    """Return the place of the event that opened a coup, or the first place if none did."""
    opened = (
        place
        for place, event in enumerate(history)
        if isinstance(event.payload, ev.CoupOpened) and event.payload.coup == coup
    )
    return next(opened, 0)


WHOLE: Final = Record("whole", "nothing", lambda history: history)
RECORDS: Final = (
    Record("values alone", "ranks, suits and the bound order", _faces(_value)),
    Record("ranks alone", "suits and the bound order", _faces(_rank)),
    Record("no calls", "the calls of totals and result", _without(*_CALLS)),
    Record("no bets", "bets and payments", _without(*_BETS)),
    Record("no places", "the cards' places in the shoe", _placeless),
    Record("no order", "the bound order", _without(ev.OrderCommitted, ev.OrderOpened)),
    Record("no count", "the count at the end", _uncounted),
    Record("no clocks", "the table's clock", _unclocked),
    Record("no numbers", "the devices' numbers", _unnumbered),
    Record("coups alone", "all but the coups, and the order of what happened", _coups_alone),
    Record("begun late", "the loading, and the first coups", _begun_late),
    Record("coups, begun late", "all but the later coups", _begun_late_as_coups),
    Record("broken off", "the end, from the middle of a coup on", _broken_off),
)
"""What a record may lack, one thing or kind of record at a time."""

BANK_RECORDS: Final = (
    *RECORDS,
    Record("no choices", "what was decided for the hands", _without(bank_ev.ChoiceMade)),
    Record("no bank", "the banks, and who went bank", _unbanked),
    Record("no claims", "who went bank", _without(bank_ev.BancoCalled)),
    Record("no amounts called", "the calls of the bank", _without(bank_ev.BankCalled)),
    Record("no hands given", "who played the hands", _without(bank_ev.HandGiven)),
    Record("no holder", "who had the shoe", _without(*_HOLDER)),
    Record("no seats", "who sat where", _unseated),
    Record("begun in a coup", "all before a coup's first card", _begun_at(ev.CardDrawn, _EARLY)),
    Record("begun at a payment", "all before a payment", _begun_at(ev.BetPaid, _EARLY)),
    Record("begun at a choice", "all before a choice", _begun_at(bank_ev.ChoiceMade, _EARLY)),
    Record("begun between coups", "all before what came after", _begun_at(ev.CoupClosed, _EARLY)),
)
"""What a record may lack of a shoe that patrons bank."""
