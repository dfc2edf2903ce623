"""What a verifier has from outside: public key, published directory, checkpoint, time stamps."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import sqlalchemy as sa

from sabot.domain.events.points_in_time import format_time
from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.evidence.bundles import verify_bundle
from sabot.infrastructure.evidence.checkpoint import Checkpoint
from sabot.infrastructure.evidence.comparison import Known
from sabot.infrastructure.evidence.directory_verification import verify_folder
from sabot.infrastructure.evidence.export_verification import (
    check_whole_log,
    export_file_lines,
    verify_lines,
)
from sabot.infrastructure.evidence.publishing import Published
from sabot.infrastructure.evidence.signed_heads import other_log_signed_here, own_head
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.timestamps import (
    read_certificates,
    timestamp_sizes,
    timestamps_in,
)
from sabot.infrastructure.evidence.verification import verify_log
from sabot.infrastructure.evidence.verification_result import Verification
from sabot.infrastructure.evidence.witnesses import check_cosigned


class Outside:
    """What a verifier got from somebody other than the keeper of the log.

    Args:
        key: the public key that must have signed.
        folder: a published directory and its content.
        kept: a checkpoint that the verifier has kept.
    """

    def __init__(
        self, key: VerifierKey | None, folder: tuple[Published, Path] | None, kept: str | None
    ) -> None:
        self.key = key
        self.folder = folder
        self.kept = kept
        self._stamped: list[Known] = []

    def _key(self) -> VerifierKey | None:
        """Return the verifier's key, or that of the published directory."""
        return self.key or (self.folder[0].key if self.folder else None)

    def check_witnesses(
        self, witnesses: Sequence[VerifierKey], quorum: int | None
    ) -> Iterator[str]:
        """Check that witnesses have cosigned, and yield a sentence for each.

        Raises:
            BadInput: no checkpoint from outside is given, or a number of witnesses is required and
                none is named.
            UntrustedLog: too few witnesses have cosigned the checkpoint.
        """
        witnesses = list(dict.fromkeys(witnesses))
        if quorum is not None and quorum > len(witnesses):
            raise BadInput(f"--quorum {quorum} needs as many witnesses: give each with --witness")
        if not witnesses:
            return
        note = self.folder[0].note if self.folder else self.kept
        key = self._key()
        if note is None or key is None:
            raise BadInput(
                "cosignatures are those of a published directory, or of a kept checkpoint with "
                "--key: give one of them"
            )
        needed = len(witnesses) if quorum is None else quorum
        for name, at in check_cosigned(note, key, witnesses, quorum=needed).items():
            yield f"{name} cosigned the checkpoint at {format_time(at * 1_000_000)}"

    def read_timestamps(self, authority: Path | None) -> Iterator[str]:
        """Check the time stamps of the directory. Yield a sentence for each.

        Raises:
            BadInput: an authority is given, but no directory with time stamps.
            UntrustedLog: a time stamp is not valid.
        """
        sizes = timestamp_sizes(self.folder[1]) if self.folder else []
        if authority is None:
            if sizes:
                yield f"{len(sizes)} time stamps were not checked; give --tsa"
            return
        if self.folder is None or not sizes:
            raise BadInput("--tsa needs a published directory that has time stamps")
        roots = read_certificates(authority)
        for stamped in timestamps_in(self.folder[1], self.key or self.folder[0].key, roots):
            size = stamped.checkpoint.size
            source = f"the checkpoint of {size} events that was stamped"
            self._stamped.append(Known(stamped.checkpoint, source, stamped.note))
            yield f"{size} events existed at {stamped.at.isoformat()}, by the time stamp"

    def verify_log(self, database: Database) -> Verification:
        """Verify the log in a database.

        A machine with the log's key compares it with the last checkpoint that it signed, too.
        """
        own, unread = [], []
        try:
            own = list(_signed_here(database))
        except BadInput as error:
            unread = [f"not compared with what this machine signed last: {error}"]
        result = verify_log(
            database,
            key=self.key,
            published=self.folder,
            earlier=self.kept,
            stamped=[*self._stamped, *own],
        )
        result.remarks += unread
        if other := other_log_signed_here(database, result.origin):
            result.remarks.append(
                f"this machine signed another log at this place, with the key {other[0]}: "
                f"{other[1]} events; if that one should be here, it was replaced"
            )
        return result

    def verify_folder(self) -> Verification:
        """Verify the published directory without the log."""
        assert self.folder is not None
        return verify_folder(
            *self.folder, earlier=self.kept, stamped=self._stamped, pinned=self.key is not None
        )

    def verify_bundle(self, place: Path) -> Verification:
        """Verify an evidence bundle.

        Raises:
            BadInput: a checkpoint or the certificates of an authority are given, or the file is no
                bundle.
            UntrustedLog: the bundle is not signed by the key.
        """
        if self.kept is not None or self._stamped:
            raise BadInput(
                "a bundle is compared with --key and --published, not with --checkpoint, "
                "--remember or --tsa: its proofs lead to its own checkpoint only"
            )
        return verify_bundle(place, self._key(), self.folder)

    def verify_export(self, place: Path) -> Verification:
        """Verify an export.

        Raises:
            NotFound: there is no such file.
            BadInput: no checkpoint or key is given, or it is the export of one shoe.
        """
        if not place.exists():
            raise NotFound(
                f"there is no file {str(place)!r}; give an export, an evidence bundle or a "
                "published directory, or a log by --database"
            )
        by = self._key()
        if by is None or (self.folder is None and self.kept is None):
            raise BadInput(
                f"{place} is not verified: to verify an export, give --published FOLDER, or --key "
                "KEY and --checkpoint FILE"
            )
        check_whole_log(place)
        return verify_lines(
            export_file_lines(place),
            key=by,
            published=self.folder,
            earlier=self.kept,
            stamped=self._stamped,
        )


def _signed_here(database: Database) -> Iterator[Known]:
    """Yield the last checkpoint that this machine signed of a log, unless it was set aside here.

    Raises:
        BadInput: the machine's signing key, or the file beside it, cannot be read.
    """
    with database.reading() as connection:
        origin = connection.scalar(sa.text("SELECT origin FROM log_head"))
    head = own_head(database, origin) if origin else None
    if head is not None and not head.set_aside:
        source = f"the checkpoint of {head.size} events that this machine signed"
        yield Known(Checkpoint(origin, head.size, head.tree.root()), source, own=True)
