"""Verify the export of a log against signed checkpoints, line by line."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from sabot.domain.events import MAX_INT
from sabot.domain.values.errors import BadInput, NotFound
from sabot.domain.values.safe_text import shell_word
from sabot.infrastructure.evidence.comparison import (
    Known,
    checkpoints_from_outside,
    compare,
    tiles_in,
)
from sabot.infrastructure.evidence.device_numbers import DeviceNumbers
from sabot.infrastructure.evidence.event_line import MAX_LINE_BYTES, hashed_line
from sabot.infrastructure.evidence.event_proof import FORMAT as PROOF_FORMAT
from sabot.infrastructure.evidence.publishing import Published
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.stored_events import PAGE
from sabot.infrastructure.evidence.verification_result import Verification


class _Place(Struct):
    """The keys of a line that identify its event."""

    index: int
    stream: str
    version: int


def check_whole_log(place: Path) -> None:
    """Refuse a file that has the events of one stream only.

    Such an export has no proofs, so it cannot be verified by itself. A bundle has them.

    Raises:
        BadInput: the file is the export of one stream, or a proof without its event.
    """
    index, stream = 0, ""
    for number, line in enumerate(export_file_lines(place), 1):
        if number == 1 and line == PROOF_FORMAT.encode():
            raise BadInput(
                f"{place} is the proof of an event, without the event; `sabot evidence prove "
                "--shoe` writes a bundle with both, which `sabot verify` checks"
            )
        try:
            event = msgspec.json.decode(line, type=_Place)
        except msgspec.MsgspecError:
            return  # the comparison names the line
        stream = stream or event.stream
        if (event.stream, event.version) != (stream, number):
            return
        index = event.index
    if stream and index != number:
        shoe = stream.removeprefix("shoe/")
        raise BadInput(
            f"{place} has only the events of {stream}, and no proofs: it cannot be verified by "
            f"itself. `sabot evidence prove --shoe {shell_word(shoe)}` writes them with their "
            "proofs; or verify an export of the whole log"
        )


def export_file_lines(place: Path) -> Iterator[bytes]:
    """Yield the lines of an export, without their newlines.

    Raises:
        NotFound: there is no such file.
    """
    if not place.is_file():
        raise NotFound(f"there is no file {place}; check the path")
    with place.open("rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            yield line.removesuffix(b"\n")


def verify_lines(
    lines: Iterable[bytes],
    *,
    key: VerifierKey,
    published: tuple[Published, Path] | None = None,
    earlier: str | None = None,
    stamped: Sequence[Known] = (),
) -> Verification:
    """Verify the export of a complete log, given as lines without newlines.

    A payload that is text in the export, such as that of an isolated event, is hashed as it is
    stored.

    Raises:
        UntrustedLog: a checkpoint is not signed by the key.
    """
    result = Verification(key.name, str(key))
    known = [*checkpoints_from_outside([key], published, earlier), *stamped]
    as_text: list[int] = []
    numbers = DeviceNumbers()
    hashed = _hashed(lines, as_text, numbers)
    pages = iter(lambda: list(islice(hashed, PAGE)), [])
    compare(pages, known, tiles_in(published), result)
    numbers.report(result)
    if as_text:
        named = ", ".join(map(str, as_text[:10]))
        result.remarks.append(
            f"payload as text, since the event is isolated or its JSON is not canonical: "
            f"{len(as_text)} of the events ({named})"
        )
    result.remark_limits(pinned=True, kept=True, of="export")
    return result


def _hashed(
    lines: Iterable[bytes], as_text: list[int], numbers: DeviceNumbers
) -> Iterator[tuple[int, None, bytes, None]]:
    """Yield the lines that the tree hashes, each with the index that it states.

    Collect isolated events and devices' numbers.
    """
    for number, line in enumerate(lines, 1):
        numbers.add_line(number, line)
        hashed = hashed_line(line)
        if hashed is not line:
            as_text.append(number)
        yield _index_in(line) or number, None, hashed, None


class _Index(Struct):
    """The key of a line with the index of the event."""

    index: Annotated[int, Meta(ge=1, le=MAX_INT)]


def _index_in(line: bytes) -> int | None:
    """Return the index that a line states, or None if it has no valid one."""
    try:
        return msgspec.json.decode(line, type=_Index).index
    except (msgspec.MsgspecError, RecursionError):
        return None
