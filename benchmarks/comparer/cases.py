"""Frozen cases as files: the events that went in, and what the program said of them.

A file holds one canonical JSON line per case and is compressed with xz. Nothing here imports the
program, so a renaming does not reach it.

An input line is ``{"case", "floor", "rows"}``. A row holds the columns of a stored event in a short
form::

    [step of id, stream, step of version, step of at_us, lag of recorded_us,
     actor, device, step of seq, payload, event_id]

A step is the difference from the row before: for ``version`` in the same stream, for ``seq`` of
the same device. The lag is ``recorded_us - at_us``; where an event has no ``at_us``, it is the step
of ``recorded_us``. ``event_id`` is left out where there is none. ``payload`` is the stored payload
as a JSON object. The text of a rule pack in it is replaced by ``sha256:...``; ``packs.jsonl.xz``
holds each text once.
"""

import hashlib
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

HERE: Final = Path(__file__).parent
INPUTS: Final = HERE / "inputs"
EXPECTED: Final = HERE / "expected"
PACKS: Final = "packs"
CLASSES: Final = ("golden", "examples", "faults", "partial", "devices", "tests")
"""The classes of cases; each has one file in ``inputs`` and one in ``expected``."""

_LONG: Final = 100
"""A rule pack's text with at least so many characters is stored once, by its hash."""
_BY_HASH: Final = "sha256:"


class Row(NamedTuple):
    """A stored event, column by column; ``payload`` is the text of a JSON object."""

    id: int
    event_id: str | None
    stream: str
    version: int
    name: str
    at_us: int | None
    recorded_us: int
    actor: str
    device: str
    seq: int | None
    payload: str


class Case(NamedTuple):
    """A case: some events, and whether the rules for several shoes are checked too."""

    name: str
    floor: bool
    rows: list[Row]


canonical: Final = msgspec.json.Encoder(order="sorted").encode
"""Returns a value as canonical JSON: sorted keys, no spaces."""
decoded: Final = msgspec.json.decode
"""Returns what a line of JSON holds."""


def read_lines(path: Path) -> list[bytes]:
    """Return the lines of a compressed file."""
    return lzma.decompress(path.read_bytes()).splitlines()


def write_lines(path: Path, lines: Iterable[bytes]) -> int:
    """Write lines into a compressed file; the same lines give the same bytes.

    Returns:
        The size of the file in bytes.
    """
    text = b"".join(line + b"\n" for line in lines)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 26}]
    path.parent.mkdir(exist_ok=True)
    return path.write_bytes(lzma.compress(text, filters=filters))


class Packs:
    """The texts of rule packs, each stored once."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = {_hash(text): text for text in texts}

    @classmethod
    def read(cls) -> "Packs":
        """Read the stored texts."""
        return cls(map(decoded, read_lines(input_path(PACKS))))

    def write(self) -> int:
        """Store the texts. Return the size of the file in bytes."""
        texts = (self._texts[key] for key in sorted(self._texts))
        return write_lines(input_path(PACKS), map(canonical, texts))

    def taken_out(self, payload: Any) -> Any:
        """Return a payload in which each long pack text is replaced by its hash."""
        if not isinstance(payload, dict):
            return payload
        return {key: self._short(key, value) for key, value in payload.items()}

    def put_back(self, payload: Any) -> Any:
        """Return a payload with its pack texts."""
        if not isinstance(payload, dict):
            return payload
        return {
            key: self._texts[value]
            if key == "pack" and isinstance(value, str) and value.startswith(_BY_HASH)
            else self.put_back(value)
            for key, value in payload.items()
        }

    def _short(self, key: str, value: Any) -> Any:
        if key != "pack" or not isinstance(value, str) or len(value) < _LONG:
            return self.taken_out(value)
        name = _hash(value)
        self._texts[name] = value
        return name


def _hash(text: str) -> str:
    return _BY_HASH + hashlib.sha256(text.encode()).hexdigest()


# -- Rows -----------------------------------------------------------------------------------------


def packed(case: Case, packs: Packs) -> dict[str, object]:
    """Return the input line of a case. Pack texts go into ``packs``."""
    rows = []
    last = _Last()
    for row in case.rows:
        payload = packs.taken_out(decoded(row.payload))
        short = [
            row.id - last.id,
            row.stream,
            row.version - last.versions.get(row.stream, 0),
            None if row.at_us is None else row.at_us - last.at_us,
            row.recorded_us - (last.recorded_us if row.at_us is None else row.at_us),
            row.actor,
            row.device,
            None if row.seq is None else row.seq - last.numbers.get(row.device, 0),
            payload,
        ]
        rows.append(short if row.event_id is None else [*short, row.event_id])
        last.see(row)
    return {"case": case.name, "floor": case.floor, "rows": rows}


def unpacked(line: dict[str, Any], packs: Packs) -> Case:
    """Return the case of an input line."""
    rows = []
    last = _Last()
    for step, stream, version, at, lag, actor, device, seq, short, *event_id in line["rows"]:
        payload = packs.put_back(short)
        at_us = None if at is None else last.at_us + at
        row = Row(
            id=last.id + step,
            event_id=event_id[0] if event_id else None,
            stream=stream,
            version=last.versions.get(stream, 0) + version,
            name=payload["type"],
            at_us=at_us,
            recorded_us=(last.recorded_us if at_us is None else at_us) + lag,
            actor=actor,
            device=device,
            seq=None if seq is None else last.numbers.get(device, 0) + seq,
            payload=canonical(payload).decode(),
        )
        rows.append(row)
        last.see(row)
    return Case(line["case"], line["floor"], rows)


class _Last:
    """The columns of the latest rows, from which the next row's steps are counted."""

    def __init__(self) -> None:
        self.id = self.at_us = self.recorded_us = 0
        self.versions: dict[str, int] = {}
        self.numbers: dict[str, int] = {}

    def see(self, row: Row) -> None:
        self.id, self.recorded_us = row.id, row.recorded_us
        self.versions[row.stream] = row.version
        if row.at_us is not None:
            self.at_us = row.at_us
        if row.seq is not None:
            self.numbers[row.device] = row.seq


def names(wanted: Iterable[str] = ()) -> Iterator[str]:
    """Yield the classes of cases that have an input file, or the wanted ones among them."""
    chosen = tuple(wanted) or CLASSES
    yield from (name for name in CLASSES if name in chosen and input_path(name).exists())


def input_path(name: str) -> Path:
    """Return the file with the inputs of a class."""
    return INPUTS / f"{name}.jsonl.xz"


def expected_path(name: str) -> Path:
    """Return the file with the expected results of a class."""
    return EXPECTED / f"{name}.jsonl.xz"
