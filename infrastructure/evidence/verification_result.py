"""The result of a verification: evidence of changes, and what was not checked."""

from typing import Final, Literal

import msgspec
from msgspec import Struct

_MOST_PROBLEMS: Final = 100
_NOT_LISTED: Final = f"there are more problems than the first {_MOST_PROBLEMS}, which are listed"


class Problem(Struct, frozen=True):
    """Evidence of a change.

    Attributes:
        message: a sentence that describes the change.
        index: the first event that it concerns, or None.
        until: the last event, if the change is known only to lie in a range.
        stream: the stream of the first event, as it is stored now.
        column: the column that differs, if it is known.
    """

    message: str
    index: int | None = None
    until: int | None = None
    stream: str | None = None
    column: str | None = None


class Verification(Struct):
    """The result of a verification.

    Attributes:
        origin: the log's name.
        key: the public key that was used.
        events: how many events were read.
        covered: how many of them the newest checkpoint covers.
        checkpoints: how many checkpoints were checked.
        problems: evidence of changes; empty if there is none.
        remarks: sentences on what was not checked.
        newest: the newest checkpoint, if it is valid.
    """

    origin: str
    key: str
    events: int = 0
    covered: int = 0
    checkpoints: int = 0
    problems: list[Problem] = msgspec.field(default_factory=list)
    remarks: list[str] = msgspec.field(default_factory=list)
    newest: str | None = None

    @property
    def altered(self) -> bool:
        """Whether there is evidence of a change."""
        return bool(self.problems)

    def found(self, problem: Problem) -> None:
        """Add a problem. After the first hundred, problems are dropped."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)
        elif _NOT_LISTED not in self.remarks:
            self.remarks.append(_NOT_LISTED)

    def remark_limits(
        self,
        *,
        pinned: bool,
        kept: bool,
        signed_here: int | None = None,
        of: Literal["database", "directory", "export"] = "database",
    ) -> None:
        """Add sentences on changes that this verification could not detect.

        Args:
            of: what was verified; a directory is not compared with another by ``--published``.
            pinned: whether the public key came from the verifier.
            kept: whether a checkpoint came from the verifier.
            signed_here: the size of the last checkpoint that this machine signed, if compared.
        """
        self._remark_uncovered(is_log=of == "database")
        if not pinned:
            self.remarks.append(
                f"the public key comes from the {of} itself; use --key to name the key that the "
                "casino handed to you"
            )
        if not kept and signed_here is not None:
            self.remarks.append(
                f"compared with the checkpoint of {signed_here} events that this machine signed "
                "last, and with none from outside; give --checkpoint or --published if a person "
                "who can change the log can also use this machine's signing key"
            )
        elif not kept:
            options = "--checkpoint or --published" if of == "database" else "--checkpoint"
            self.remarks.append(
                "no checkpoint from outside was compared, so missing last events, or an old copy "
                f"with its own checkpoints, cannot be detected; give {options}"
            )

    def _remark_uncovered(self, *, is_log: bool) -> None:
        """Add a sentence on the events after the last checkpoint."""
        loose = self.events - self.covered
        if loose <= 0:
            return
        why = (
            "no machine with the key has signed since, or checkpoints were deleted"
            if is_log
            else "they were recorded after it, or are not from the log"
        )
        self.remarks.append(
            f"the last {loose} events are not covered by a checkpoint and were not checked: {why}"
        )
