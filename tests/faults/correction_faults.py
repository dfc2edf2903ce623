"""Corrections of the record that hide what happened at the table, for every type of event.

They are derived from the declarations of the events. An event of a clean shoe is recorded wrongly,
recorded twice or left out, or an event is recorded that never happened. If this breaks a rule, a
late correction changes it back, so that the breach no longer shows.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from types import NoneType
from typing import Any, Final, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct, structs
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.games import GAMES
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.shoe import fold
from tests.faults.fault import FaultKind, Retold, told_with

AnyStruct = TypeVar("AnyStruct", bound=Struct)
When = Literal["before-result", "after-result"]
Whom = Literal["patron", "house", "nobody"]
"""To whose advantage chips moved by the breach that is hidden."""

_NEVER_WAS: Final = ev.RequestMade("nobody", "other")
"""An event without meaning, told in place of another."""
_RESULTS: Final = (ev.ResultCalled, bank_ev.HandsCalled)
_STAKES: Final = (ev.BetPlaced, ev.BetChanged, ev.BetWithdrawn, ev.BetCarried)
_MOST: Final = 60
"""Tellings of a type of event that are tried in a shoe."""
_COUPS: Final = 3
"""Coups of a shoe whose events are told otherwise."""


class Told(NamedTuple):
    """An event that is recorded wrongly and corrected later.

    ``told`` is at ``place`` of the history, instead of the event there, or before it if it
    ``is_new``. It is corrected to ``was`` before the event at ``until``, in a coup or at its end.
    """

    place: int
    told: ev.ShoeEvent
    was: ev.ShoeEvent | None
    is_new: bool
    until: int
    coup: int

    def uncorrected(self, payloads: Sequence[ev.ShoeEvent]) -> list[ev.ShoeEvent]:
        """Return the events of a history with the wrong event."""
        after = payloads[self.place if self.is_new else self.place + 1 :]
        return [*payloads[: self.place], self.told, *after]

    def corrected(self, payloads: Sequence[ev.ShoeEvent]) -> list[ev.ShoeEvent]:
        """Return the events of a history with the wrong event and its correction."""
        until = self.until + self.is_new
        told = self.uncorrected(payloads)
        correction = ev.EventCorrected(self.place + 1, "misread", "sue", self.was)
        return [*told[:until], correction, *told[until:]]


# -- Ways to tell an event otherwise ---------------------------------------------------------------


def told_otherwise(payload: AnyStruct) -> Iterator[AnyStruct]:
    """Yield an event with one of its fields changed, each field in several ways."""
    hints = get_type_hints(type(payload))
    for field in structs.fields(payload):
        value = getattr(payload, field.name)
        for other in _other_values(field.name, hints[field.name], value):
            yield replace(payload, **{field.name: other})


def _other_values(name: str, hint: Any, value: Any) -> Iterator[Any]:
    """Yield other values of a field of an event."""
    if value is not None and NoneType in get_args(hint):
        yield None
    match value:
        case bool():
            yield not value
        case int() if name not in ("coup", "place"):
            yield from (2 * value, value // 2 or 1, value + 1, max(1, value - 1))
        case str():
            choices = next(_literals(hint), ())
            yield from (each for each in choices if each != value)
            if not choices and name in ("by", "patron", "to", "person", "cutter"):
                yield "nobody"
        case (Struct() as part, *parts):
            yield from ((other, *parts) for other in told_otherwise(part))
            yield ()
        case (_, *_):
            yield ()
        case _:
            pass


def _literals(hint: Any) -> Iterator[tuple[str, ...]]:
    """Yield the values that a type lists, or none for another type."""
    if get_origin(hint) is Literal:
        yield get_args(hint)
    for inner in get_args(hint):
        yield from _literals(inner)


def _made(kind: type[AnyStruct], coup: int, patron: str) -> AnyStruct | None:
    """Return an event of a kind that a clean shoe may lack, or None if its fields are not plain."""
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for field in structs.fields(kind):
        if field.name == "coup":
            values["coup"] = coup
        elif field.default is NODEFAULT and field.default_factory is NODEFAULT:
            values[field.name] = _value(field.name, hints[field.name], coup, patron)
            if values[field.name] is None:
                return None
    return kind(**values)


def _value(name: str, hint: Any, coup: int, patron: str) -> Any:
    """Return a value for a field. Return None if its type is not plain."""
    choices = next(_literals(hint), None)
    inner = (*get_args(hint), None)[0]
    if hint is int:
        return 10_000 if name == "amount" else 1
    if get_origin(hint) is tuple and isinstance(inner, type) and issubclass(inner, Struct):
        return (_made(inner, coup, patron),)
    if choices is not None:
        return choices[0]
    return patron if hint is str or inner is str else None


# -- Where an event is told, and when it is corrected ----------------------------------------------


def _tellings(
    payloads: Sequence[ev.ShoeEvent], kind: type[ev.ShoeEvent], when: When, not_before: int
) -> Iterator[Told]:
    """Yield wrong versions of the events of a kind in a history, from a coup on."""
    begins = [n for n, each in enumerate(payloads) if isinstance(each, ev.CoupOpened)]
    for begin, end in list(zip(begins, [*begins[1:], len(payloads)], strict=True))[
        not_before - 1 : not_before - 1 + _COUPS
    ]:
        opened = payloads[begin]
        assert isinstance(opened, ev.CoupOpened)
        coup = opened.coup
        first = 0 if begin == begins[0] else begin
        until = _corrected_at(payloads, begin, end, when)
        if until is None:
            continue
        here = [n for n in range(first, until - 1) if type(payloads[n]) is kind]
        for n in here:
            was = payloads[n]
            others = (*told_otherwise(was), _NEVER_WAS)
            yield from (
                Told(n, other, was, is_new=False, until=until, coup=coup) for other in others
            )
            yield Told(n, was, None, is_new=True, until=until, coup=coup)
        made = _made(kind, coup, "flat-1")
        others = () if made is None else (made, *told_otherwise(made))
        for n in range(begin + 1, until - 1, 3):
            yield from (Told(n, each, None, is_new=True, until=until, coup=coup) for each in others)


def _corrected_at(payloads: Sequence[ev.ShoeEvent], begin: int, end: int, when: When) -> int | None:
    """Return the place of a coup's event before which the correction is made."""
    result = next((n for n in range(begin, end) if isinstance(payloads[n], _RESULTS)), None)
    if when == "before-result":
        return result
    return next((n + 1 for n in range(begin, end) if isinstance(payloads[n], ev.CoupClosed)), None)


# -- Which of them break a rule --------------------------------------------------------------------

_Breaches = frozenset[tuple[str, int | None, int | None]]
"""Findings by code, coup and what the house won, in minor units."""


def _hidden(
    history: Sequence[RecordedEvent], kind: type[ev.ShoeEvent], when: When, not_before: int
) -> dict[Whom, Told]:
    """Return wrong versions of an event of a kind that break a rule, by whom they favour.

    The breach is on record when the correction is made. After the result, chips must have moved
    wrongly without the correction. For a stake, it is enough that the first card was dealt.
    """
    payloads = [event.payload for event in history]
    found: dict[Whom, Told] = {}
    for told in islice(_tellings(payloads, kind, when, not_before), _MOST):
        wrong = told.uncorrected(payloads)
        breaches = _breaches(history, wrong)
        moved = frozenset(each for each in breaches if each[1] == told.coup and each[2])
        if not moved or (when == "before-result" and kind not in _STAKES):
            until = told.until + told.is_new
            moved = breaches & _breaches(history, wrong[:until]) if breaches else breaches
        if moved:
            found.setdefault(_gainer(moved), told)
        if len(found) == len(get_args(Whom)):
            break
    return found


def _breaches(history: Sequence[RecordedEvent], payloads: Sequence[ev.ShoeEvent]) -> _Breaches:
    """Return the findings of a history with other payloads."""
    told = told_with(history, payloads)
    findings = audit_shoe(fold(history[0].stream, told)).findings
    return frozenset((each.code, each.coup, each.money.house) for each in findings)


def _gainer(breaches: _Breaches) -> Whom:
    house = sum(gain or 0 for _, _, gain in breaches)
    return "nobody" if not house else "patron" if house < 0 else "house"


# -- The kinds that are injected into shoes of every house -----------------------------------------


def _retold(
    history: Sequence[RecordedEvent], not_before: int, kind: type[ev.ShoeEvent], when: When
) -> Retold | None:
    """Record an event wrongly and correct it: in the patron's favour early, or the house's late."""
    history = _beginning(history, not_before + _COUPS)
    found = _hidden(history, kind, when, not_before)
    wanted: tuple[Whom, ...] = ("patron", "house", "nobody")
    if not_before > 1:
        wanted = ("house", "patron", "nobody")
    told = next((found[whom] for whom in wanted if whom in found), None)
    if told is None:
        return None
    payloads = [event.payload for event in history]
    return Retold(told_with(history, told.corrected(payloads)), None)


def _beginning(history: Sequence[RecordedEvent], coups: int) -> Sequence[RecordedEvent]:
    """Return a history up to the end of so many coups."""
    closed = [n for n, each in enumerate(history) if isinstance(each.payload, ev.CoupClosed)]
    return history[: closed[coups - 1] + 1] if len(closed) >= coups else history


def _games(kind: type[ev.ShoeEvent]) -> tuple[GameName, ...]:
    """Return the games that have a kind of event."""
    every: tuple[GameName, ...] = get_args(GameName)
    some = [name for name in every if kind in GAMES[name].events]
    return tuple(some) or every


def _kind(kind: type[ev.ShoeEvent], when: When) -> FaultKind:
    tag = ev.name_of(kind)  # type: ignore[arg-type]
    said = "before the result is called" if when == "before-result" else "when the coup is over"
    return FaultKind(
        name=f"{tag}-corrected-{when}",
        family="integrity",
        what=f"a correction of {tag}, made {said}, hides a breach",
        codes=("R413", "R405"),
        games=_games(kind),
        retells=lambda history, not_before: _retold(history, not_before, kind, when),
    )


_NEVER_A_BREACH: Final = (
    *(ev.CardsCleared, ev.CardsInspected, ev.CutRefused, ev.LastCoupCalled, ev.OrderCommitted),
    *(
        ev.OrderOpened,
        ev.RequestMade,
        bank_ev.FundsProven,
        bank_ev.SessionCalled,
        bank_ev.TicketsTorn,
    ),
    ev.EventCorrected,
)
"""Events that break no rule by what one field says, or not before the shoe has ended."""
_NO_BREACH_YET: Final = (
    *(ev.CommissionCollected, ev.PatronLeft, ev.ShufflerFailed),
    *(bank_ev.BankCalled, bank_ev.LevyAnnounced, bank_ev.TicketsDetached),
)
"""Events that break a rule only when the result has been called."""


def _hides_a_breach(kind: type[ev.ShoeEvent], when: When) -> bool:
    """Return whether a correction of such an event can hide a breach at that time."""
    early = when == "before-result"
    if kind is ev.ShoeLoaded:
        return False  # it has no effect after the first card: see the fault loading-taken-back
    return kind not in _NEVER_A_BREACH and not (early and kind in _NO_BREACH_YET)


_WHENS: Final[tuple[When, ...]] = get_args(When)
KINDS: Final = tuple(
    _kind(kind, when)
    for kind, when in product(get_args(ev.ShoeEvent), _WHENS)
    if _hides_a_breach(kind, when)
)
"""A correction of each type of event, before the result of its coup and after it."""
