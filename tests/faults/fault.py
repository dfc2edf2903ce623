"""The definition of a fault: one error at a table, made once, and the rules that report it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from sabot.domain import events as ev
from sabot.domain.audit import find_rule
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.simulation.table import SimulatedTable

Family = Literal["tableau", "totals", "payout", "composition", "procedure", "integrity"]
Events = Iterable[ev.ShoeEvent]
Acts = Callable[[SimulatedTable, NextAction], Events | None]
"""Answers what is due in the wrong way; None where the moment has not come."""
Alters = Callable[[SimulatedTable, ev.ShoeEvent], Events | None]
"""Replaces an event that is about to happen by what happens instead; None where it may stand."""


class Retold(NamedTuple):
    """A changed history, with the coup of the change as in `Fault`."""

    history: list[RecordedEvent]
    coup: int | None


Retells = Callable[[Sequence[RecordedEvent], int], Retold | None]
"""Tells the history of a clean shoe otherwise, from a coup on; None where there is no occasion."""


def told_with(
    history: Sequence[RecordedEvent], payloads: Sequence[ev.ShoeEvent]
) -> list[RecordedEvent]:
    """Return a history with other payloads, each at the next moment of the history."""
    last = history[-1]
    more = [
        replace(
            last,
            index=last.index + n,
            version=last.version + n,
            position=last.position + n,
            seq=None if last.seq is None else last.seq + n,
        )
        for n in range(1, 1 + len(payloads) - len(history))
    ]
    told = [*history, *more][: len(payloads)]
    return [replace(event, payload=payload) for event, payload in zip(told, payloads, strict=True)]


def codes_of(numbers: Iterable[str]) -> tuple[str, ...]:
    """Return the codes of rules, of which the numbers are given."""
    return tuple(find_rule(number).code for number in numbers)


class FaultKind(Struct, frozen=True, kw_only=True):
    """A way in which dealing goes wrong.

    ``codes`` are the audit's rules that report it, by number (docs/rules.md). The first always
    does, and it belongs to ``family``. The others report it where it has more than one effect. A
    missing card, for example, can break several rules. ``of_coup`` says whether it belongs to the
    current coup. One of three functions makes it happen. Two of them act while the shoe is dealt,
    so a card drawn wrongly is the real next card. The third, ``retells``, changes the history
    afterwards. ``games`` are the games in which it happens, for kinds that are derived from a
    constraint.
    """

    name: str
    family: Family
    what: str
    codes: tuple[str, ...]
    of_coup: bool = True
    acts: Acts | None = None
    alters: Alters | None = None
    retells: Retells | None = None
    games: tuple[GameName, ...] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "codes", codes_of(self.codes))


class Fault:
    """A fault of a kind that happens once, at the first occasion from a coup on.

    ``happened`` says whether it has happened. ``coup`` is then the coup of that moment, or None if
    the fault belongs to the shoe.
    """

    def __init__(self, kind: FaultKind, not_before: int = 1) -> None:
        """Start before the fault has happened."""
        self.kind = kind
        self.not_before = not_before
        self.happened = False
        self.coup: int | None = None

    def acts(self, table: SimulatedTable, due: NextAction) -> Events | None:
        """Return a wrong answer to what is due. Return None if this is not the moment."""
        if self.kind.acts is None or not self._may(table):
            return None
        return self._once(self.kind.acts(table, due), table)

    def alters(self, table: SimulatedTable, event: ev.ShoeEvent) -> Events | None:
        """Return what happens instead of an event. Return None if this is not the moment."""
        if self.kind.alters is None or not self._may(table):
            return None
        return self._once(self.kind.alters(table, event), table)

    def _may(self, table: SimulatedTable) -> bool:
        dealt = max(table.shoe.coups, default=0)
        return not self.happened and (dealt >= self.not_before or self.not_before == 1)

    def _once(self, payloads: Events | None, table: SimulatedTable) -> Events | None:
        if payloads is not None:
            self.happened = True
            coup = table.shoe.current
            self.coup = coup.number if coup is not None and self.kind.of_coup else None
        return payloads
