"""Requirements that dealing enforces and the audit reports, declared once for both.

    @requirement("W512", ARRETE_2007_ART_61)
    def is_whole_units(pack: RulePack, wager: str, amount: int) -> bool:
        \"\"\"A stake is a whole number of the table's units, and à cheval each half of it is.\"\"\"
        return amount % unit_of(pack, wager) == 0

Whether a requirement is kept can be decided when the event is recorded. `sabot deal` refuses an
event that breaks it, and shows its number, sentence and source. `sabot record` records everything,
and the audit reports the breach. Dealing calls the function with the state before the event, the
audit with the state at the event's place in the order.
"""

import inspect
from collections.abc import Callable
from typing import Final, Generic, ParamSpec, Self

from sabot.domain.rules.sources import Source

Asked = ParamSpec("Asked")


class Requirement(Generic[Asked]):
    """A rule for dealing and audit. Calling it returns whether the rule is kept.

    ``number`` is the number of the audit rule. ``requires`` is the rule's sentence, ``sources``
    lists its sources.
    """

    def __init__(
        self, number: str, sources: tuple[Source, ...], holds: Callable[Asked, bool]
    ) -> None:
        """Create a requirement. Its sentence is the docstring of the deciding function."""
        self.number, self.sources = number, sources
        self.requires = " ".join(inspect.cleandoc(holds.__doc__ or "").split())
        self._holds = holds

    def __call__(self, *args: Asked.args, **kwargs: Asked.kwargs) -> bool:
        """Return whether the requirement is kept."""
        return self._holds(*args, **kwargs)

    @property
    def cited(self) -> str:
        """The rule in one line: number, sentence and first source."""
        return f"{self.number}: {self.requires} Source: {self.sources[0].cite}"


class Violation(str):
    """The reason for a refusal, with the next step.

    ``requirement`` is the requirement that the event breaks, or None.
    """

    __slots__ = ("requirement",)

    requirement: Requirement[...] | None

    def __new__(cls, text: str, requirement: Requirement[...] | None = None) -> Self:
        """Create a violation from its text."""
        made = super().__new__(cls, text)
        made.requirement = requirement
        return made


REQUIREMENTS: Final[dict[str, Requirement[...]]] = {}
"""Every requirement, by the number of its rule."""


def requirement(
    number: str, *sources: Source
) -> Callable[[Callable[Asked, bool]], Requirement[Asked]]:
    """Declare a requirement. The decorated function returns whether it is kept."""

    def declare(holds: Callable[Asked, bool]) -> Requirement[Asked]:
        declared = Requirement(number, sources, holds)
        REQUIREMENTS[number] = declared
        return declared

    return declare
