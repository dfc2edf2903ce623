"""What the store itself recorded of the events: its own clock, and the login that sent each."""

from typing import Final

from msgspec import Struct

from sabot.domain.events.envelope import RecordedEvent

CLOCK_TOLERANCE_US: Final = 1_000_000
"""How far the store's clock may go back unnoticed, in microseconds: a clock is set by fractions."""


class ClockReturn(Struct, frozen=True):
    """The store's clock went back between two events that follow each other in the log.

    ``back_us`` is by how far, from the latest time before, in microseconds.
    """

    before: RecordedEvent
    after: RecordedEvent
    back_us: int


class SharedDevice(Struct, frozen=True):
    """A device that numbers its events, used by two logins.

    ``first`` is the first event of the login that used it first, ``other`` the first event of the
    other one.
    """

    device: str
    first: RecordedEvent
    first_login: str
    other: RecordedEvent
    other_login: str


class StoreRecord(Struct, frozen=True):
    """What is wrong with the clock and the logins of a log."""

    clock_returns: tuple[ClockReturn, ...] = ()
    shared_devices: tuple[SharedDevice, ...] = ()
