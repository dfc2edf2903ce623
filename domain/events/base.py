"""The base class of all events."""

from msgspec import Struct


class EventBase(
    Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True, tag_field="type"
):
    """The base of every event. Events are immutable, with a permanent tag and no unknown fields."""
