"""What the dealer's side refuses and the audit reports: declared once, for both.

A requirement can be decided when an event is to be recorded, from the state before it, and nothing
that comes later excuses it. `sabot deal` refuses the event with its sentence, its number and its
sources; `sabot record` records everything, and the audit reports the breach.
"""

from typing import Final, Self

from msgspec import Struct

from sabot.domain.rules.sources import Source


class Requirement(Struct, frozen=True):
    """A rule of the house that the dealer's side keeps too.

    ``number`` and ``code`` are those of the audit's rule, ``forbids`` is what it says in one
    sentence, ``sources`` is where that can be looked up.
    """

    number: str
    code: str
    forbids: str
    sources: tuple[Source, ...]

    @property
    def cited(self) -> str:
        """The rule in one line: number, code, sentence, and its first source."""
        source = self.sources[0].cite
        return f"{self.number} {self.code}: {self.forbids} Source: {source}"


class Violation(str):
    """Why an event is refused, with the next step; it may name the requirement that it breaks."""

    __slots__ = ("requirement",)

    requirement: Requirement | None

    def __new__(cls, text: str, requirement: Requirement | None = None) -> Self:
        """Make one of a sentence."""
        made = super().__new__(cls, text)
        made.requirement = requirement
        return made


REQUIREMENTS: Final[dict[str, Requirement]] = {}
"""Every requirement, by the code of its rule."""


def requirement(number: str, code: str, forbids: str, sources: tuple[Source, ...]) -> Requirement:
    """Declare a requirement."""
    declared = REQUIREMENTS[code] = Requirement(number, code, forbids, sources)
    return declared
