"""What the log itself recorded of the events: its own clock, and the login of each sender."""

from typing import Final

from msgspec import Struct

from sabot.domain.events.envelope import RecordedEvent

CLOCK_TOLERANCE_US: Final = 1_000_000
"""How far the store's clock may go back unnoticed, in microseconds: a clock is set by fractions."""


class ClockReturn(Struct, frozen=True):
    """The store's clock went back between two successive events of the log.

    ``back_us`` is the difference from the latest earlier time, in microseconds.
    """

    before: RecordedEvent
    after: RecordedEvent
    back_us: int


class SharedDevice(Struct, frozen=True):
    """A device that numbers its events but had two logins.

    ``first`` is the first event that the first login sent for it, ``other`` the first event of the
    second login.
    """

    device: str
    first: RecordedEvent
    first_login: str
    other: RecordedEvent
    other_login: str


class StoreRecord(Struct, frozen=True):
    """The errors in the clock and the logins that the store recorded."""

    clock_returns: tuple[ClockReturn, ...] = ()
    shared_devices: tuple[SharedDevice, ...] = ()
