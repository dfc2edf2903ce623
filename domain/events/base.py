"""What every event is made of."""

from msgspec import Struct


class EventBase(
    Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True, tag_field="type"
):
    """The common ground of all events."""
