"""Verification of a published directory: its upper tiles and its lines."""

from pathlib import Path

import pytest

from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.evidence.checkpoint import sign_checkpoint
from sabot.infrastructure.evidence.directory_verification import verify_folder
from sabot.infrastructure.evidence.merkle_tree import TreeHead, leaf_hash
from sabot.infrastructure.evidence.publishing import publish, read_published
from sabot.infrastructure.evidence.signed_note import SigningKey
from sabot.infrastructure.evidence.tiles import TileWriter, read_entries, write_entries
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.log.event_log import EventLog
from tests.infrastructure.evidence.test_checkpoints import coup, tamper
from tests.support.thorough import slow


@slow
def test_each_upper_tile_is_checked(tmp_path: Path) -> None:
    """The first tile of level 1 is full: only the hash above it leads to the root."""
    size, key = 65_536 + 256, SigningKey("sabot/test", bytes(32))
    writer, tree = TileWriter(tmp_path, 0, entries=False), TreeHead()
    leaves = [leaf_hash(b"%d" % number) for number in range(size)]
    for leaf in leaves:
        writer.add(b"", leaf)
    writer.finish()
    tree.append(leaves)
    note = sign_checkpoint(key.verifier.name, tree, key)
    (tmp_path / "verifier-key").write_text(str(key.verifier))
    (tmp_path / "checkpoint").write_text(note)
    published = read_published(tmp_path)
    assert not verify_folder(published, tmp_path, pinned=True).altered
    place = tmp_path / "tile/1/000"
    data = place.read_bytes()
    place.write_bytes(data[:640] + bytes(32) + data[672:])
    (problem, *_) = verify_folder(published, tmp_path, pinned=True).problems
    assert problem.message == "the hash of the events from 5121 on in tile level 1 was changed"


def test_missing_published_lines_are_told(log: EventLog, tmp_path: Path) -> None:
    """Lines that are cut from a tile at the end of a line are found by their number."""
    folder = tmp_path / "public"
    log.load([coup(number) for number in range(1, 71)])
    published = publish(log.database, folder, entries=True)
    place = folder / "tile/entries/000"
    lines = read_entries(place.read_bytes())
    place.write_bytes(write_entries(lines[:10]))
    tamper(log, "UPDATE log_event SET actor = 'other' WHERE id = 20")
    for verify in (
        lambda: verify_folder(published, folder, pinned=True),
        lambda: verify_log(log.database, published=(published, folder)),
    ):
        with pytest.raises(UntrustedLog, match="has 10 of 256 published lines"):
            verify()
    place.unlink()
    result = verify_folder(published, folder, pinned=True)
    assert not result.altered
    assert result.remarks[0].startswith("the directory has only the hashes of 256 events")


def test_a_cut_end_is_located_if_all_checkpoints_are_gone_too(
    log: EventLog, tmp_path: Path
) -> None:
    for number in range(1, 7):
        log.append(coup(number))
    published = publish(log.database, tmp_path / "public")
    tamper(
        log,
        "DELETE FROM log_event WHERE id > 20",
        "UPDATE log_head SET last_id = 20",
        "DELETE FROM evidence_checkpoint",
    )
    result = verify_log(log.database, published=(published, tmp_path / "public"))
    deleted, cut = result.problems
    assert deleted.message.endswith("they were deleted")
    assert (cut.index, cut.until) == (21, 24)
    assert "the end was cut off" in cut.message
