"""Notation for events of several streams. `sabot.domain.audit.example_notation` explains it.

pit = Pit.of(TEXT) audit_floor(pit.floor())
"""

import json
import re
from collections.abc import Iterator
from itertools import chain

import msgspec

from sabot.domain import events as ev
from sabot.domain.audit.floor_corrections import summary_with_corrections
from sabot.domain.audit.floor_view import Floor, floor_of
from sabot.domain.audit.store_record import ClockReturn, SharedDevice, StoreRecord
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.shoe import fold as fold_shoe
from sabot.domain.state.table_state import fold as fold_table
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import START_US, Felt
from tests.support.rule_examples import with_key

SECOND_US = 1_000_000
_UNITS = {"m": 60, "h": 3600, "d": 86_400}
_BRACE = re.compile(r"\s*(\{.*\})?\s*(open)?\s*")


class Pit:
    """Streams to which a test adds events. They are a second apart, in the order of the calls."""

    def __init__(self, rules: str = "classic-8") -> None:
        """Start without events."""
        self.pack = pack_text(rules)
        self.now_us = START_US
        self.streams: dict[str, list[RecordedEvent]] = {}
        self.login, self._logins = "", dict[int, str]()
        self._clock_set: dict[int, int] = {}

    @classmethod
    def of(cls, text: str, rules: str = "classic-8") -> "Pit":
        """Return a pit with the steps of a text."""
        pit = cls(rules)
        for line in filter(None, map(str.strip, text.splitlines())):
            pit.step(line)
        return pit

    @property
    def events(self) -> list[RecordedEvent]:
        """All events in the order of the log."""
        return sorted(chain.from_iterable(self.streams.values()), key=lambda event: event.index)

    def put(self, stream: str, *payloads: ev.Event) -> None:
        """Add events to a stream."""
        for payload in payloads:
            index = 1 + sum(map(len, self.streams.values()))
            self._logins[index] = self.login
            mine = self.streams.setdefault(stream, [])
            version, at = len(mine) + 1, self.now_us
            mine.append(
                RecordedEvent(
                    index, stream, version, at, at, "", stream, version, payload, position=version
                )
            )
            self.now_us += SECOND_US

    def wait(self, duration: str) -> None:
        """Let time pass: ``30m``, ``25h``, ``3d``."""
        self.now_us += int(duration[:-1]) * _UNITS[duration[-1]] * SECOND_US

    def shoe(self, name: str, *, ended: bool = True, **fields: object) -> None:
        """Load a shoe, prepare it, deal a coup in which p1 wins 500, and end it."""
        felt = Felt(self.pack, 8, f"shoe/{name}")
        felt.ready().coup("p1 player 500 | P 4 5  B K 8")
        loaded = msgspec.convert({**msgspec.to_builtins(felt.payloads[0]), **fields}, ev.ShoeLoaded)
        self.put(f"shoe/{name}", loaded, *felt.payloads[1:])
        if ended:
            self.put(f"shoe/{name}", ev.ShoeEnded(410, 416, reason="withdrawn"))

    def step(self, line: str) -> None:
        """Add the events of a line."""
        if line.startswith("+"):
            self.wait(line[1:])
            return
        word, _, rest = line.partition(" ")
        match word:
            case "with":
                self.pack = with_key(self.pack, rest)
            case "rules":
                self.pack = pack_text(rest)
            case "login":
                self.login = rest
            case "store-clock":
                self._clock_set[len(self.events)] = int(rest) * SECOND_US
            case "days":
                self._days(*rest.split())
            case "adopted":
                name, _, fields = rest.partition(" ")
                adopts = ev.RulePackAdopted("classic-8", "1", pack_sha256(self.pack))
                more = json.loads(fields or "{}")
                self.put(f"table/{name}", msgspec.structs.replace(adopts, **more))
            case _:
                self._event(word, *rest.partition(" ")[::2])

    def _event(self, kind: str, name: str, rest: str) -> None:
        brace = _BRACE.fullmatch(rest)
        if brace is not None:
            assert kind == "shoe"
            self.shoe(name, ended=brace[2] is None, **json.loads(brace[1] or "{}"))
            return
        payload, _, said = rest.partition(" ")
        fields = json.loads(said or "{}")
        if payload == "shoe-loaded":
            first = Felt(self.pack, 8).payloads[0]
            fields = {**msgspec.to_builtins(first), **fields}
        self.put(f"{kind}/{name}", msgspec.convert({**fields, "type": payload}, ev.Event))  # type: ignore[arg-type]

    def _days(self, days: str, *uses: str) -> None:
        for day in range(int(days)):
            start = self.now_us
            for place, use in enumerate(uses):
                sabot, table = use.split(":")
                self.shoe(f"D{start}-{day}-{place}", sabot=sabot, table=table)
            self.now_us = start + _UNITS["d"] * SECOND_US

    def shoes(self) -> list[Shoe]:
        """Return the shoes."""
        return [fold_shoe(name, events) for name, events in self._of("shoe/")]

    def floor(self) -> Floor:
        """Return the floor: batches, tables and shoes together."""
        return floor_of(
            [fold_batch(name, events) for name, events in self._of("cards/")],
            [fold_table(name, events) for name, events in self._of("table/")],
            map(summary_with_corrections, self.shoes()),
            self._stored(),
        )

    def _stored(self) -> StoreRecord | None:
        if not self.login and not self._clock_set:
            return None  # events of other records, which no store timed
        return StoreRecord(tuple(self._clock_returns()), tuple(self._shared_devices()))

    def _clock_returns(self) -> Iterator[ClockReturn]:
        for after, by in self._clock_set.items():
            back = -by - SECOND_US  # events are a second apart
            if back > SECOND_US:
                yield ClockReturn(self.events[after - 1], self.events[after], back)

    def _shared_devices(self) -> Iterator[SharedDevice]:
        firsts: dict[str, dict[str, RecordedEvent]] = {}
        for event in self.events:
            firsts.setdefault(event.device, {}).setdefault(self._logins[event.index], event)
        for device, logins in firsts.items():
            (login, first), *others = logins.items()
            for other in others:
                yield SharedDevice(device, first, login, other[1], other[0])

    def _of(self, prefix: str) -> list[tuple[str, list[RecordedEvent]]]:
        return [pair for pair in self.streams.items() if pair[0].startswith(prefix)]
