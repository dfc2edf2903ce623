"""What the dealer's side refuses and the audit reports: declared once, for both.

    @requirement("W512", "stake-not-whole-units", FR_61)
    def is_whole_units(pack: RulePack, wager: str, amount: int) -> bool:
        \"\"\"A stake is a whole number of the table's units, and à cheval each half of it is.\"\"\"
        return amount % unit_of(pack, wager) == 0

A requirement can be decided when an event is to be recorded. `sabot deal` refuses an event that
does not keep it, with its number, its sentence and its source; `sabot record` records everything,
and the audit reports the breach. Both ask the same function, each with what it knows: the dealer's
side with the state before the event, the audit with the state at the event's place.
"""

import inspect
from collections.abc import Callable
from typing import Final, Generic, ParamSpec, Self

from sabot.domain.rules.sources import Source

Asked = ParamSpec("Asked")


class Requirement(Generic[Asked]):
    """A rule that the dealer's side and the audit both keep; called, it tells whether it is kept.

    ``number`` and ``code`` are those of the audit's rule, ``forbids`` is what it says in one
    sentence, ``sources`` is where that can be looked up.
    """

    def __init__(
        self, number: str, code: str, sources: tuple[Source, ...], holds: Callable[Asked, bool]
    ) -> None:
        """Take the rule's sentence from the docstring of the function that decides."""
        self.number, self.code, self.sources = number, code, sources
        self.forbids = " ".join(inspect.cleandoc(holds.__doc__ or "").split())
        self._holds = holds

    def __call__(self, *args: Asked.args, **kwargs: Asked.kwargs) -> bool:
        """Tell whether the requirement is kept."""
        return self._holds(*args, **kwargs)

    @property
    def cited(self) -> str:
        """The rule in one line: number, code, sentence, and its first source."""
        source = self.sources[0].cite
        return f"{self.number} {self.code}: {self.forbids} Source: {source}"


class Violation(str):
    """Why an event is refused, with the next step; it may name the requirement that it breaks."""

    __slots__ = ("requirement",)

    requirement: Requirement[...] | None

    def __new__(cls, text: str, requirement: Requirement[...] | None = None) -> Self:
        """Make one of a sentence."""
        made = super().__new__(cls, text)
        made.requirement = requirement
        return made


REQUIREMENTS: Final[dict[str, Requirement[...]]] = {}
"""Every requirement, by the code of its rule."""


def requirement(
    number: str, code: str, *sources: Source
) -> Callable[[Callable[Asked, bool]], Requirement[Asked]]:
    """Declare a requirement by the function that tells whether it is kept."""

    def declare(holds: Callable[Asked, bool]) -> Requirement[Asked]:
        declared = Requirement(number, code, sources, holds)
        REQUIREMENTS[code] = declared
        return declared

    return declare
