"""The source of a rule: regulation, publication or house convention."""

from typing import Final

from msgspec import Struct


class Source(Struct, frozen=True):
    """A publicly available text.

    ``says`` summarises the parts of the article on which rules depend. ``url`` is an address where
    the text was read, None if there is none. ``note`` states which parts were not read at that
    address, and how they were verified instead. If the page is a copy, ``note`` may name the
    original text instead.
    """

    title: str
    article: str
    says: str
    url: str | None = None
    note: str = ""

    @property
    def cite(self) -> str:
        """The citation in one line: title and article."""
        return f"{self.title}, {self.article}"


HOUSE_CONVENTION: Final = Source(
    "house convention",
    "the shoe's rule pack",
    "No regulation or book that was read requires the rule, or all of it. The house requires it, "
    "or a record cannot be judged without it.",
)
