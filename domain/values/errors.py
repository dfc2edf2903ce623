"""What Sabot raises on purpose.

    SabotError                 every error below; its message ends with the next step
    ├── BadInput               what was given cannot be read (exit 2)
    │   ├── BadCard            not a card
    │   └── BadRulePack        not a rule pack
    ├── Refused                the rule pack forbids it at this moment (the dealer's side)
    ├── NotFound               no such shoe, table, coup or pack
    ├── Conflict               the log already holds something else there
    │   ├── VersionConflict    the stream has grown since it was read
    │   └── ContentConflict    the same identity was recorded with other content
    ├── Unavailable            the database is gone, full or locked (exit 2)
    └── UntrustedLog           the log contradicts itself, or its file was replaced (exit 3)

Anything else that escapes is a defect of the program (exit 70).
"""


class SabotError(Exception):
    """The root of what Sabot raises on purpose."""


class BadInput(SabotError):
    """What was given cannot be read.

    ``where`` names the place (file, line, column) once somebody knows it.
    """

    def __init__(self, message: str, where: str = "") -> None:
        """Keep the message and the place apart, so that a caller can add the place later."""
        super().__init__(f"{where}: {message}" if where else message)
        self.message = message
        self.where = where

    def at(self, where: str) -> "BadInput":
        """Return the same error, at a place."""
        return type(self)(self.message, where)


class BadCard(BadInput):
    """The text does not name a card."""


class BadRulePack(BadInput):
    """The text is not a rule pack."""


class Refused(SabotError):
    """The rule pack forbids this at this moment; it can still be recorded as having happened.

    ``rule`` is the audit's rule that forbids it too, with its sources; empty where none does.
    """

    def __init__(self, message: str, rule: str = "") -> None:
        """Keep the reason and the rule apart."""
        super().__init__(message)
        self.rule = rule


class NotFound(SabotError):
    """There is no such shoe, table, coup, event or pack."""


class Conflict(SabotError):
    """The log already holds something else at this place."""


class VersionConflict(Conflict):
    """The stream has grown since it was read; read it again and decide anew."""


class ContentConflict(Conflict):
    """The same identity (device and sequence, event id, shoe and coup) has other content."""


class Unavailable(SabotError):
    """The database cannot be reached, or cannot take what it is given; a retry is harmless."""


class UntrustedLog(SabotError):
    """The log contradicts itself, holds what this program cannot have written, or was replaced."""
