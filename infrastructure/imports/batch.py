"""Convert a batch of coup records to events.

The batch is recorded completely or not at all, and each coup once. The shoes and coups seen so far
are kept on disk, so that memory use does not grow.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Final, Protocol, TypeVar

import msgspec
from msgspec import Struct

from sabot.domain.events import ShoeLoaded
from sabot.domain.events.envelope import NewEvent, RecordedEvent, first_of
from sabot.domain.rules.rule_pack import RulePack, pack_sha256, parse_pack
from sabot.domain.rules.unknown_wager import unknown_wager
from sabot.domain.values.errors import BadInput, ContentConflict, NotFound, SabotError
from sabot.infrastructure.imports.coup_line import Content, CoupRecord
from sabot.infrastructure.imports.coup_line_events import (
    DEVICE,
    Timed,
    coups_in,
    difference,
    events_of,
    timed_events,
)
from sabot.infrastructure.imports.input_lines import Complaints
from sabot.infrastructure.rule_packs import classic_for, pack_text, shipped_text

THE_LOG: Final = "the log"
_CACHED: Final = 10_000

_EVENTS: Final = msgspec.json.Decoder(list[Timed])
_CONTENT: Final = msgspec.json.Decoder(Content)
_ENCODE: Final = msgspec.json.Encoder().encode


class SeenShoe(Struct, frozen=True):
    """A shoe as its first line or the log describes it.

    ``place`` is that line, or the log. ``version`` is the version of its stream in the log.
    ``pack`` is the rule pack's name and ``sha256`` the hash of its text.
    """

    key: int
    place: str
    version: int
    decks: int
    pack: str
    sha256: str
    table: str | None


class SeenCoup(Struct, frozen=True):
    """A coup that was seen before in the batch or the log: its place and its events."""

    place: str
    payloads: list[Timed]


class Seen:
    """The shoes and coups of one batch, and those of the log that the batch concerns."""

    def __init__(self) -> None:
        # An empty name is a private file that disappears with the connection.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;"
            "CREATE TABLE shoe (key INTEGER PRIMARY KEY, name TEXT UNIQUE, place TEXT,"
            " version INTEGER, decks INTEGER, pack TEXT, sha256 TEXT, held TEXT) STRICT;"
            "CREATE TABLE coup (shoe INTEGER, coup INTEGER, place TEXT, logged INTEGER,"
            " record BLOB, PRIMARY KEY (shoe, coup)) WITHOUT ROWID, STRICT;"
            "BEGIN"
        )
        self._recent: dict[str, SeenShoe] = {}

    def close(self) -> None:
        """Delete all data."""
        self._db.close()

    def shoe(self, name: str) -> SeenShoe | None:
        """Return a shoe seen before, or None."""
        shoe = self._recent.get(name)
        if shoe is None:
            row = self._db.execute(
                "SELECT key, place, version, decks, pack, sha256, held FROM shoe WHERE name = ?",
                (name,),
            ).fetchone()
            if row is None:
                return None
            shoe = self._remember(name, SeenShoe(*row))
        return shoe

    def add_shoe(
        self, name: str, place: str, version: int, loaded: ShoeLoaded, pack: str
    ) -> SeenShoe:
        """Add a shoe seen for the first time."""
        rest = (place, version, loaded.decks, pack, loaded.pack_sha256, loaded.table)
        key = self._db.execute(
            "INSERT INTO shoe (name, place, version, decks, pack, sha256, held)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (name, *rest),
        ).lastrowid
        assert key is not None
        return self._remember(name, SeenShoe(key, *rest))

    def add_history(self, shoe: SeenShoe, history: list[RecordedEvent]) -> None:
        """Add the coups that the log has of a shoe."""
        self._db.executemany(
            "INSERT INTO coup VALUES (?, ?, ?, 1, ?)",
            [
                (shoe.key, coup, THE_LOG, _ENCODE(payloads))
                for coup, payloads in coups_in(history).items()
            ],
        )

    def add_coup(self, shoe: SeenShoe, coup: int, content: Content, place: str) -> SeenCoup | None:
        """Add a coup. If it was seen before, return the earlier one unchanged, else None."""
        added = self._db.execute(
            "INSERT OR IGNORE INTO coup VALUES (?, ?, ?, 0, ?)",
            (shoe.key, coup, place, _ENCODE(content)),
        ).rowcount
        if added:
            return None
        where, logged, record = self._db.execute(
            "SELECT place, logged, record FROM coup WHERE shoe = ? AND coup = ?", (shoe.key, coup)
        ).fetchone()
        if logged:
            return SeenCoup(where, _EVENTS.decode(record))
        return SeenCoup(where, timed_events(coup, _CONTENT.decode(record)))

    def _remember(self, name: str, shoe: SeenShoe) -> SeenShoe:
        if len(self._recent) >= _CACHED:
            self._recent.clear()
        self._recent[name] = shoe
        return shoe


CHUNK: Final = 500
"""Number of coups looked up in the log at a time."""
DEFAULT_DECKS: Final = 8

T = TypeVar("T")

Placed = tuple[str, int, CoupRecord]
"""A record with its file and line."""


class Log(Protocol):
    """The functions of the log that a batch needs."""

    def versions(self, streams: Collection[str]) -> dict[str, int]:
        """Return the version of each of these streams that has an event."""

    def read(self, stream: str) -> list[RecordedEvent]:
        """Return all events of a stream."""


class Added(Struct):
    """The numbers of added shoes and coups. ``already`` counts equal coups that the log had."""

    shoes: int = 0
    coups: int = 0
    events: int = msgspec.field(default=0, name="facts")
    already: int = 0


class Pack(Struct, frozen=True):
    """A rule pack, as the first event of a shoe contains it."""

    text: str
    sha256: str
    pack: RulePack


class Batch:
    """Converts coup records to events.

    ``expected`` maps each stream that grows to its version when it was read, on which the new
    events depend. ``added`` counts as the events are made.
    """

    def __init__(
        self, log: Log, complaints: Complaints, *, actor: str = "", rules: str | None = None
    ) -> None:
        self._log = log
        self._complaints = complaints
        self._actor = actor
        self._rules = rules
        self._packs: dict[tuple[bool, str | int], Pack] = {}
        self._wagers: dict[str, frozenset[str]] = {}
        self._seen = Seen()
        self.expected: dict[str, int] = {}
        self.added = Added()

    def drafts(
        self, records: Iterable[Placed], advance: Callable[[int], None] = lambda _done: None
    ) -> Iterator[list[NewEvent]]:
        """Yield the new events of all records.

        Each list has some hundreds of coups. After the first error nothing more is yielded, but all
        input is still read.

        Raises:
            SabotError: there were errors; discard everything that was yielded.
        """
        try:
            for chunk in chunks(records, CHUNK):
                self._meet({record.shoe for _, _, record in chunk})
                made: list[NewEvent] = []
                for name, number, record in chunk:
                    try:
                        made += self._drafts_of(record, f"{name}:{number}")
                    except SabotError as error:
                        self._complaints.add(error)
                if made and not len(self._complaints):
                    yield made
                advance(len(chunk))
        finally:
            self._seen.close()
        self._complaints.raise_if_any()

    def _meet(self, names: set[str]) -> None:
        """Read from the log the shoes that are named for the first time."""
        streams = {f"shoe/{name}": name for name in names if self._seen.shoe(name) is None}
        for stream, version in sorted(self._log.versions(streams).items()):
            history = self._log.read(stream)
            loading = first_of(ShoeLoaded, history)
            if loading is None:
                continue
            loaded = loading.payload
            pack = _readable(loaded.pack)
            if pack is not None:
                self._wagers[loaded.pack_sha256] = _offered(pack)
            named = "" if pack is None else pack.name
            shoe = self._seen.add_shoe(streams[stream], THE_LOG, version, loaded, named)
            self._seen.add_history(shoe, history)

    def _drafts_of(self, record: CoupRecord, place: str) -> list[NewEvent]:
        stream = f"shoe/{record.shoe}"
        shoe = self._seen.shoe(record.shoe)
        made: list[NewEvent] = []
        if shoe is None:
            loaded, pack = self._loaded(record, place)
            shoe = self._seen.add_shoe(record.shoe, place, 0, loaded, pack)
            made.append(NewEvent(stream, loaded, None, self._actor, DEVICE))
            self.added.shoes += 1
        else:
            self._check(record, shoe, place)
        before = self._seen.add_coup(shoe, record.coup, record.content, place)
        if before is None:
            self._check_wagers(record, shoe, place)
        else:
            mismatch = difference(timed_events(record.coup, record.content), before.payloads)
            if mismatch:
                raise ContentConflict(
                    f"{place}: coup {record.coup} of shoe {record.shoe!r} stands in {before.place} "
                    f"with other content: {mismatch}; give a coup once, or as it was given before"
                )
            self.added.already += 1
            return made
        at, actor = record.content.at_us, self._actor
        made += [
            NewEvent(stream, payload, at, actor, DEVICE)
            for payload in events_of(record.coup, record.content)
        ]
        self.expected[stream] = shoe.version
        self.added.coups += 1
        self.added.events += len(made)
        return made

    def _check_wagers(self, record: CoupRecord, shoe: SeenShoe, place: str) -> None:
        """Refuse a bet that the shoe's rule pack cannot settle."""
        offered = self._wagers.get(shoe.sha256)
        for bet in record.content.bets:
            if offered and bet.wager not in offered:
                unknown = unknown_wager(bet.wager, shoe.pack, offered)
                raise BadInput(
                    f"bets: {unknown}; correct the record or its mapping, or give the rule pack "
                    "that offers it with --rules",
                    place,
                )

    def _loaded(self, record: CoupRecord, place: str) -> tuple[ShoeLoaded, str]:
        """Return a shoe's first event and its rule pack.

        Both follow from the first line that names the shoe.
        """
        rules = record.rules or self._rules
        pack = self._pack(record, place)
        decks = record.decks
        if decks is None:
            decks = DEFAULT_DECKS if rules is None else max(pack.pack.cards.decks)
        loaded = ShoeLoaded(
            decks,
            pack.text,
            pack.sha256,
            table=record.table,
            coverage="coups",
            pack_named=rules is not None,
        )
        return loaded, pack.pack.name

    def _check(self, record: CoupRecord, shoe: SeenShoe, place: str) -> None:
        """Refuse a line that contradicts the loading of its shoe."""
        wrong: tuple[str, object, object] | None = None
        rules = record.rules or self._rules
        if record.decks not in (None, shoe.decks):
            wrong = "decks", record.decks, shoe.decks
        elif record.table not in (None, shoe.table):
            wrong = "table", record.table, shoe.table
        # A pack shipped in a newer version is still the one that the record names.
        elif rules not in (None, shoe.pack) and self._pack(record, place).sha256 != shoe.sha256:
            wrong = "rules", rules, shoe.pack
        if wrong is not None:
            key, here, there = wrong
            had = f"no {key}" if there is None else f"{key} {there}"
            raise ContentConflict(
                f"{place}: shoe {record.shoe!r} has {key} {here} here and {had} in {shoe.place}; "
                "the first line of a shoe decides, so correct it or this one"
            )

    def _pack(self, record: CoupRecord, place: str) -> Pack:
        """Return the rule pack of a record.

        A record can name only a shipped pack, because a file is on the machine of the person who
        imports. If no pack is named, it is the classic pack for the number of decks.
        """
        named = record.rules is not None
        wanted = record.rules or self._rules or record.decks or DEFAULT_DECKS
        pack = self._packs.get((named, wanted))
        if pack is None:
            try:
                text = _text_of(wanted, shipped_only=named)
            except (NotFound, BadInput) as error:
                hint = "; a file of your own is given by --rules" if named else ""
                raise BadInput(f"rules: {error}{hint}", place) from error
            pack = self._packs[named, wanted] = Pack(text, pack_sha256(text), parse_pack(text))
            self._wagers[pack.sha256] = _offered(pack.pack)
        return pack


def _text_of(wanted: str | int, *, shipped_only: bool) -> str:
    if isinstance(wanted, int):
        return classic_for(wanted)
    return shipped_text(wanted) if shipped_only else pack_text(wanted)


def _readable(text: str) -> RulePack | None:
    """Return a rule pack from the log. None if it cannot be parsed."""
    try:
        return parse_pack(text)
    except BadInput:
        return None


def _offered(pack: RulePack) -> frozenset[str]:
    """Return the names of a rule pack's wagers."""
    return frozenset(wager.name for wager in pack.wagers)


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of that size. The last one may be shorter."""
    left = iter(items)
    while chunk := list(islice(left, size)):
        yield chunk
