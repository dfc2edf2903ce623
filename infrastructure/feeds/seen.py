"""What a batch has met so far: its shoes and coups, on disk, so that memory does not grow."""

import sqlite3
from typing import Final

import msgspec
from msgspec import Struct

from domain.event import Event
from domain.facts import ShoeLoaded
from infrastructure.feeds.coupfacts import Timed, coups_in, timed_facts
from infrastructure.feeds.coupline import Content

THE_LOG: Final = "the log"
_CACHED: Final = 10_000

_FACTS: Final = msgspec.json.Decoder(list[Timed])
_CONTENT: Final = msgspec.json.Decoder(Content)
_ENCODE: Final = msgspec.json.Encoder().encode


class SeenShoe(Struct, frozen=True):
    """A shoe as its first line, or the log, has it; ``place`` tells which.

    ``version`` is that of its stream in the log. ``pack`` is the pack's name and ``sha256`` the
    hash of its text.
    """

    key: int
    place: str
    version: int
    decks: int
    pack: str
    sha256: str
    table: str | None


class SeenCoup(Struct, frozen=True):
    """A coup that was met before: where, and its facts."""

    place: str
    facts: list[Timed]


class Seen:
    """The shoes and coups of one batch, and of the log as far as the batch touches it."""

    def __init__(self) -> None:
        # An empty name is a private file that is gone with the connection.
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
        """Forget everything."""
        self._db.close()

    def shoe(self, name: str) -> SeenShoe | None:
        """Return a shoe that was met, or None."""
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
        """Keep a shoe that was met for the first time."""
        rest = (place, version, loaded.decks, pack, loaded.pack_sha256, loaded.table)
        key = self._db.execute(
            "INSERT INTO shoe (name, place, version, decks, pack, sha256, held)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (name, *rest),
        ).lastrowid
        assert key is not None
        return self._remember(name, SeenShoe(key, *rest))

    def add_history(self, shoe: SeenShoe, history: list[Event]) -> None:
        """Keep the coups that the log has of a shoe."""
        self._db.executemany(
            "INSERT INTO coup VALUES (?, ?, ?, 1, ?)",
            [
                (shoe.key, coup, THE_LOG, _ENCODE(facts))
                for coup, facts in coups_in(history).items()
            ],
        )

    def add_coup(self, shoe: SeenShoe, coup: int, content: Content, place: str) -> SeenCoup | None:
        """Keep a coup; where it was met before, change nothing and return what it was then."""
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
            return SeenCoup(where, _FACTS.decode(record))
        return SeenCoup(where, timed_facts(coup, _CONTENT.decode(record)))

    def _remember(self, name: str, shoe: SeenShoe) -> SeenShoe:
        if len(self._recent) >= _CACHED:
            self._recent.clear()
        self._recent[name] = shoe
        return shoe
