"""Verify a published directory without the log."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path

from sabot.infrastructure.evidence.comparison import GrowingTree, Known, checkpoints_from_outside
from sabot.infrastructure.evidence.device_numbers import DeviceNumbers
from sabot.infrastructure.evidence.merkle_tree import HASH_BYTES, leaf_hash
from sabot.infrastructure.evidence.publishing import Published
from sabot.infrastructure.evidence.tiles import LEVELS_OF_TILE, WIDTH, TileFolder, tile_root
from sabot.infrastructure.evidence.verification_result import Problem, Verification


def verify_folder(
    published: Published,
    folder: Path,
    *,
    earlier: str | None = None,
    stamped: Sequence[Known] = (),
    pinned: bool,
) -> Verification:
    """Verify a published directory without the log: its tiles and lines against its checkpoint."""
    checkpoint = published.checkpoint
    result = Verification(checkpoint.origin, str(published.key))
    tiles = TileFolder(folder, checkpoint.size)
    known = [*checkpoints_from_outside([published.key], (published, folder), earlier), *stamped]
    tree, numbers, hashes_only = GrowingTree(known, result), DeviceNumbers(), 0
    for number in range(-(-checkpoint.size // WIDTH)):
        hashes = tiles.tile(0, number)
        leaves = [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]
        entries = tiles.entries(number)
        hashes_only += len(leaves) if entries is None else 0
        for place, (leaf, line) in enumerate(zip(leaves, entries or (), strict=False)):
            index = number * WIDTH + place + 1
            numbers.add_line(index, line)
            if leaf_hash(line) != leaf:
                result.found(Problem(f"the published line of event {index} was changed", index))
        tree.append(leaves, [None] * len(leaves))
    tree.finish()
    _check_upper_tiles(tiles, result)
    numbers.report(result)
    if hashes_only == checkpoint.size:
        result.remarks.append("the directory has only hashes: no event was checked")
    elif hashes_only:
        result.remarks.append(
            f"the directory has only the hashes of {hashes_only} events: these were not checked"
        )
    if not result.altered:
        result.newest = published.note
    result.remark_limits(pinned=pinned, kept=earlier is not None, of="directory")
    return result


def _check_upper_tiles(tiles: TileFolder, result: Verification) -> None:
    """Check that each hash of the upper tiles is the root of the full tile below it."""
    for level in count(1):
        full = tiles.size >> (LEVELS_OF_TILE * level)
        if not full:
            return
        for number in range(full):
            actual = tile_root(tiles.tile(level - 1, number))
            if tiles.node(LEVELS_OF_TILE * level, number) != actual:
                first = (number << (LEVELS_OF_TILE * level)) + 1
                message = (
                    f"the hash of the events from {first} on in tile level {level} was changed"
                )
                result.found(Problem(message))
