"""The tree as files: tiles of 256 hashes, for a web server or a memory stick.

``tile/<level>/<number>`` holds 256 hashes of that level, and ``….p/<width>`` the first hashes of a
tile that is not full yet. Level 0 has the hashes of lines, and each hash of the next level is the
root of a full tile below. ``tile/entries/<number>`` holds the lines themselves. The layout is that
of https://c2sp.org/tlog-tiles.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.evidence.merkle_tree import HASH_BYTES, TreeHead, node_hash
from sabot.infrastructure.files.whole_file import write_whole

WIDTH: Final = 256
LEVELS_OF_TILE: Final = 8
"""Levels of the tree from the hashes of a full tile up to its root."""
_GROUP: Final = 1000
_LENGTH_BYTES: Final = 2
MAX_ENTRY_BYTES: Final = 0xFFFF
CHECKPOINT_FILE: Final = "checkpoint"
KEY_FILE: Final = "verifier-key"


def tile_path(level: int | str, number: int, width: int = WIDTH) -> str:
    """Return the path of a tile below the published directory.

    Args:
        level: from 0, or ``entries``.
        number: from 0 at each level.
        width: number of its hashes.

    >>> tile_path(0, 1_234_067, 7)
    'tile/0/x001/x234/067.p/7'
    """
    groups = [f"{number % _GROUP:03}"]
    while number := number // _GROUP:
        groups.insert(0, f"x{number % _GROUP:03}")
    partial = "" if width == WIDTH else f".p/{width}"
    return f"tile/{level}/{'/'.join(groups)}{partial}"


def width_at(level: int, number: int, size: int) -> int:
    """Return how many hashes a tile has in a tree of some size."""
    return min(WIDTH, (size >> (LEVELS_OF_TILE * level)) - number * WIDTH)


def tile_root(hashes: bytes) -> bytes:
    """Return the Merkle root of a full tile's hashes."""
    row = [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]
    while len(row) > 1:
        row = [node_hash(row[at], row[at + 1]) for at in range(0, len(row), 2)]
    return row[0]


def write_entries(lines: list[bytes]) -> bytes:
    """Return the bytes of a tile of lines: each line after its length in two bytes."""
    return b"".join(len(line).to_bytes(_LENGTH_BYTES, "big") + line for line in lines)


def read_entries(data: bytes) -> list[bytes]:
    """Return the lines of a tile of lines.

    Raises:
        UntrustedLog: it ends in the middle of a line.
    """
    lines, at = [], 0
    while at < len(data):
        end = at + _LENGTH_BYTES + int.from_bytes(data[at : at + _LENGTH_BYTES], "big")
        if end > len(data):
            raise UntrustedLog("a tile of lines ends in the middle of a line")
        lines.append(data[at + _LENGTH_BYTES : end])
        at = end
    return lines


def _bounded(place: Path, most: int) -> bytes:
    """Return the bytes of a tile, cut to one byte more than a tile can have."""
    with place.open("rb") as file:
        return file.read(most + 1)


class TileFolder:
    """A published directory.

    Args:
        folder: the directory that holds ``checkpoint`` and ``tile``.
        size: the size of the tree that is read.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        self.size = size
        self._cached: tuple[tuple[int, int], bytes] = ((-1, -1), b"")

    def tile(self, level: int, number: int) -> bytes:
        """Return the hashes of a tile within the tree.

        Raises:
            UntrustedLog: the tile is missing or too short.
        """
        if self._cached[0] == (level, number):
            return self._cached[1]
        needed = width_at(level, number, self.size) * HASH_BYTES
        data = self._read(level, number, needed)
        self._cached = ((level, number), data)
        return data

    def _read(self, level: int, number: int, needed: int) -> bytes:
        width = needed // HASH_BYTES
        # a tile that has grown since the checkpoint serves as well
        for path in (tile_path(level, number, width), tile_path(level, number)):
            place = self.folder / path
            if place.is_file():
                data = _bounded(place, WIDTH * HASH_BYTES)
                if len(data) < needed or len(data) % HASH_BYTES:
                    raise UntrustedLog(f"the tile {place} has {len(data)} bytes, not {needed}")
                return data[:needed]
        raise UntrustedLog(f"the tile {self.folder / tile_path(level, number, width)} is missing")

    def node(self, level: int, number: int) -> bytes:
        """Return the hash of a complete subtree, for a proof.

        Raises:
            UntrustedLog: its tile is missing or too short.
        """
        in_tile = level % LEVELS_OF_TILE
        tile = self.tile(level // LEVELS_OF_TILE, number >> (LEVELS_OF_TILE - in_tile))
        first = (number << in_tile) % WIDTH * HASH_BYTES
        hashes = tile[first : first + (HASH_BYTES << in_tile)]
        if len(hashes) != HASH_BYTES << in_tile:
            raise UntrustedLog("the tree of the tiles is smaller than its checkpoint")
        return tile_root(hashes)

    def leaves(self, start: int = 0) -> Iterator[bytes]:
        """Yield the hashes of lines, beginning with a given number."""
        for number in range(start // WIDTH, -(-self.size // WIDTH)):
            tile = self.tile(0, number)
            first = max(start - number * WIDTH, 0) * HASH_BYTES
            for at in range(first, len(tile), HASH_BYTES):
                yield tile[at : at + HASH_BYTES]

    def entries(self, number: int) -> list[bytes] | None:
        """Return the lines of a tile. Return None if they are not published.

        Raises:
            UntrustedLog: the file ends in the middle of a line, or has too few lines.
        """
        width = width_at(0, number, self.size)
        for path in (tile_path("entries", number, width), tile_path("entries", number)):
            place = self.folder / path
            if place.is_file():
                most = WIDTH * (_LENGTH_BYTES + MAX_ENTRY_BYTES)
                lines = read_entries(_bounded(place, most))[:width]
                if len(lines) < width:
                    raise UntrustedLog(f"{place} has {len(lines)} of {width} published lines")
                return lines
        return None

    def head(self) -> TreeHead:
        """Return the head of the tree, computed from its tiles.

        Raises:
            UntrustedLog: a tile is missing or too short.
        """
        subtrees, start = [], 0
        for level in reversed(range(self.size.bit_length())):
            if self.size >> level & 1:
                subtrees.append(self.node(level, start >> level))
                start += 1 << level
        return TreeHead(self.size, b"".join(subtrees))


class TileWriter:
    """Adds lines to a published directory.

    Files are written before the checkpoint that needs them. Each gets its final name only when it
    is complete.

    Args:
        folder: the directory.
        size: the size that is already published.
        entries: whether the lines are published too.
    """

    def __init__(self, folder: Path, size: int, *, entries: bool) -> None:
        self._folder = folder
        self._published = TileFolder(folder, size)
        self._entries = entries
        self._rows: list[bytearray] = []
        self._numbers: list[int] = []
        self._lines: list[bytes] = []
        level = 0
        while size >> (LEVELS_OF_TILE * level) or level == 0:
            number, width = divmod(size >> (LEVELS_OF_TILE * level), WIDTH)
            self._numbers.append(number)
            self._rows.append(bytearray(self._published.tile(level, number) if width else b""))
            level += 1
        if entries and size % WIDTH:
            lines = self._published.entries(size // WIDTH)
            if lines is None:
                raise UntrustedLog(
                    f"{folder} has tiles without lines; publish to a new directory with --entries"
                )
            self._lines = lines

    def add(self, line: bytes, leaf: bytes) -> None:
        """Add a line with its hash."""
        if self._entries:
            self._lines.append(line)
        self._add(0, leaf)

    def _add(self, level: int, digest: bytes) -> None:
        if level == len(self._rows):
            self._rows.append(bytearray())
            self._numbers.append(0)
        row = self._rows[level]
        row += digest
        if len(row) == WIDTH * HASH_BYTES:
            self._write(tile_path(level, self._numbers[level]), bytes(row))
            if level == 0 and self._entries:
                self._write(tile_path("entries", self._numbers[0]), write_entries(self._lines))
                self._lines = []
            self._rows[level] = bytearray()
            self._numbers[level] += 1
            self._add(level + 1, tile_root(bytes(row)))

    def finish(self) -> None:
        """Write the tiles that are not full."""
        for level, (number, row) in enumerate(zip(self._numbers, self._rows, strict=True)):
            if row:
                self._write(tile_path(level, number, len(row) // HASH_BYTES), bytes(row))
        if self._lines:
            path = tile_path("entries", self._numbers[0], len(self._lines))
            self._write(path, write_entries(self._lines))

    def _write(self, path: str, data: bytes) -> None:
        write_whole(self._folder / path, data)
