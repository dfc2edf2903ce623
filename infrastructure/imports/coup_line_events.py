"""Convert coup lines to events, and compare records.

The events are those that a device would have sent.
"""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Final, Literal

import msgspec

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.infrastructure.imports.coup_line import Content
from sabot.infrastructure.imports.parsing import show_time

Timed = tuple[int | None, ev.Event]
"""An event and its table clock."""

DEVICE: Final = "import"
"""The device name of every imported event."""


def events_of(coup: int, content: Content) -> list[ev.ShoeEvent]:
    """Return the events of a coup in playing order.

    The faces burned before the first coup of a shoe are its opening burn. Cards go to Player and
    Banker alternately; if one hand has more, its last cards come at the end. ``net`` is the win
    after commission. Zero is a push, and without ``net`` the settlement is unknown.
    """
    reason: Literal["opening", "other"] = "opening" if coup == 1 else "other"
    made: list[ev.ShoeEvent] = [ev.CardBurned(card=card, reason=reason) for card in content.burned]
    made.append(ev.CoupOpened(coup))
    made += [
        ev.BetPlaced(coup, number, bet.patron, bet.wager, bet.amount)
        for number, bet in enumerate(content.bets, 1)
    ]
    made.append(ev.NoMoreBets(coup))
    for player_card, banker_card in zip_longest(content.player, content.banker):
        if player_card is not None:
            made.append(ev.CardDrawn(coup, "player", player_card))
        if banker_card is not None:
            made.append(ev.CardDrawn(coup, "banker", banker_card))
    called = content.called
    if called is not None:
        made.append(ev.ResultCalled(coup, called.player, called.banker, called.outcome))
    made += [
        _settled(coup, number, bet.net)
        for number, bet in enumerate(content.bets, 1)
        if bet.net is not None
    ]
    made.append(ev.CoupClosed(coup))
    return made


def _settled(coup: int, number: int, net: int) -> ev.ShoeEvent:
    if net < 0:
        return ev.BetTaken(coup, number, -net)
    if net > 0:
        return ev.BetPaid(coup, number, net, after_commission=True)
    return ev.BetPushed(coup, number)


def timed_events(coup: int, content: Content) -> list[Timed]:
    """Return the events of a coup with its line's time."""
    return [(content.at_us, payload) for payload in events_of(coup, content)]


def coups_in(history: Iterable[RecordedEvent]) -> dict[int, list[Timed]]:
    """Return the recorded events of a shoe's stream by coup.

    Cards burned between coups belong to the next coup opened. Corrections are ignored: a repeated
    record is compared with the original one.
    """
    coups: dict[int, list[Timed]] = {}
    burned: list[Timed] = []
    for event in history:
        timed = (event.at_us, event.payload)
        number = getattr(event.payload, "coup", None)
        if number is not None:
            payloads = coups.setdefault(number, [])
            if type(event.payload) is ev.CoupOpened:
                payloads += burned
                burned = []
            payloads.append(timed)
        elif type(event.payload) is ev.CardBurned:
            burned.append(timed)
    return coups


def difference(here: list[Timed], there: list[Timed]) -> str:
    """Return text on the first difference between two records of a coup. Empty if equal."""
    for mine, theirs in zip_longest(here, there):
        if mine == theirs:
            continue
        if mine is None:
            return f"{_shown(theirs[1])} there, nothing here"
        if theirs is None:
            return f"{_shown(mine[1])} here, nothing there"
        if mine[1] == theirs[1]:
            return f"the time is {_clock(mine[0])} here, {_clock(theirs[0])} there"
        return f"{_shown(mine[1])} here, {_shown(theirs[1])} there"
    return ""


def _shown(payload: ev.Event) -> str:
    parts = msgspec.to_builtins(payload)
    name = parts.pop("type")
    parts.pop("coup", None)
    values = " ".join(str(value) for value in parts.values() if not isinstance(value, bool))
    return f"'{f'{name} {values}'.rstrip()[:200]}'"


def _clock(at_us: int | None) -> str:
    return "unknown" if at_us is None else show_time(at_us)
