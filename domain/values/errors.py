"""Exceptions that Sabot raises deliberately.

    SabotError                 base of all; the message ends with the next step
    ├── BadInput               the input cannot be read (exit 2)
    │   ├── NewerEvent         an event of a newer version of the program
    │   ├── BadCard            not a card
    │   └── BadRulePack        not a rule pack
    ├── Refused                the rule pack forbids it now (dealing only)
    ├── NotFound               no such shoe, table, coup or pack
    ├── Conflict               the log already holds something else there
    │   ├── VersionConflict    the stream has grown since it was read
    │   └── ContentConflict    the same identity was recorded with other content
    ├── Unavailable            the database is unreachable, full or locked (exit 2)
    │   └── ConnectionLost     the server was stopped, or cannot be reached
    └── UntrustedLog           the log contradicts itself, or its file was replaced (exit 3)

Any other exception that escapes is an internal error (exit 70).
"""


class SabotError(Exception):
    """The base of all exceptions that Sabot raises deliberately.

    ``lines`` are those of a message of several lines.
    """

    lines: tuple[str, ...] = ()


class BadInput(SabotError):
    """The input cannot be read.

    ``where`` is its place (file, line, column), if known.
    """

    def __init__(self, message: str, where: str = "") -> None:
        """Store message and place separately, so that a caller can add the place later."""
        super().__init__(f"{where}: {message}" if where else message)
        self.message = message
        self.where = where

    def at(self, where: str) -> "BadInput":
        """Return the same error with the place of the input."""
        return type(self)(self.message, where)


class NewerEvent(BadInput):
    """A stored event has a kind or a key that this version of the program does not know."""


class BadCard(BadInput):
    """The text is not a card."""


class BadRulePack(BadInput):
    """The text is not a rule pack."""


class Refused(SabotError):
    """The rule pack forbids this action now.

    It can still be recorded as an event. ``rule`` is the number of the audit rule that forbids it
    too, or empty.
    """

    def __init__(self, message: str, rule: str = "") -> None:
        """Keep the reason and the rule."""
        super().__init__(message)
        self.rule = rule


class NotFound(SabotError):
    """There is no such shoe, table, coup, event or pack."""


class Conflict(SabotError):
    """The log already holds something else at this place."""


class VersionConflict(Conflict):
    """The stream has grown since it was read. Read it again and retry."""


class ContentConflict(Conflict):
    """The same identity has other content.

    Identities are device and sequence, event id, or shoe and coup.
    """


class Unavailable(SabotError):
    """The database cannot be reached or cannot accept the data. Retrying is safe."""


class ConnectionLost(Unavailable):
    """The database server ended the connection, or cannot be reached.

    Whether the last transaction was committed is unknown.
    """


class UntrustedLog(SabotError):
    """The log cannot be trusted.

    It contradicts itself, holds data that Sabot cannot have written, or was replaced.
    """


def shortened(text: str, most: int = 40) -> str:
    """Return a text for quotation in an error message, cut to a maximum length."""
    return text if len(text) <= most else text[:most] + "…"
