"""What facts are made of: their common ground, and the kinds of values that they hold."""

from typing import Annotated

from msgspec import Meta, Struct

MAX_INT = 2**53 - 1

Amount = Annotated[int, Meta(ge=0, le=MAX_INT)]
"""Money in minor units (cents) of the rule pack's currency."""
Number = Annotated[int, Meta(ge=1, le=MAX_INT)]
"""A running number from 1: a coup of a shoe, a bet of a coup, a place in the shoe."""
Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
Total = Annotated[int, Meta(ge=0, le=9)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]
"""A person, patron, table, device or batch, by the pseudonym that the house gives it."""
Words = Annotated[str, Meta(max_length=2000)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]


class FactBase(
    Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True, tag_field="type"
):
    """The common ground of all facts."""


class Part(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """The common ground of what lies within a fact."""
