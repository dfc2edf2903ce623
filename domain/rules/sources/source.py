"""What a rule rests on: a regulation's article, a published manual or paper, or the house."""

from typing import Final

from msgspec import Struct


class Source(Struct, frozen=True):
    """A text that anybody can look up.

    ``says`` tells in a sentence of this program's own what the article lays down, as far as rules
    rest on it. ``url`` is an address at which the text was opened; None where none was. ``note``
    tells what of it was not read there, and how it was instead, or what the page is a copy of.
    """

    title: str
    article: str
    says: str
    url: str | None = None
    note: str = ""

    @property
    def cite(self) -> str:
        """How it is cited in one line: title and article."""
        return f"{self.title}, {self.article}"


HOUSE_CONVENTION: Final = Source(
    "house convention",
    "the shoe's rule pack",
    "No regulation or book that was read asks for it: the house does, or a record needs it to be "
    "judged at all.",
)
