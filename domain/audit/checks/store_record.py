"""Rules on what the log itself recorded: its clock, and the login of each sender."""

from collections.abc import Iterator
from typing import get_args

from sabot.domain.audit.floor_view import Floor
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, need
from sabot.domain.audit.store_record import CLOCK_TOLERANCE_US
from sabot.domain.events import Event
from sabot.domain.rules.sources import HOUSE_CONVENTION

STORE = RuleGroup(family="integrity", concerns="record")

_ANY_EVENT = get_args(Event)


@need("shoe", "the record lacks the store's own clock and logins")
def stored_by_this_log(floor: Floor) -> bool:
    """The log recorded its own clock and the sender's login with the events."""
    return floor.stored is not None


@STORE.rule(
    "R416",
    "store-clock-back",
    sources=(HOUSE_CONVENTION,),
    looks_at="floor",
    needs=(stored_by_this_log,),
    breach_events=_ANY_EVENT,
    live=False,
    breaks="""
        shoe H-1 {}
        store-clock -90
        shoe H-2 {}
    """,
    keeps="""
        shoe H-1 {}
        store-clock -1
        shoe H-2 {}
    """,
)
def store_clock_back(floor: Floor) -> Iterator[Breach]:
    """The clock of the store does not go back by more than a second.

    An event is behind if an earlier event of the log has a time that is more than a second later.
    Of successive events that are behind, the first is a breach; the event before it is shown too.
    At most 100 breaches are reported for the log. A clock that jumps ahead breaks no rule. A live
    audit does not report a breach.
    """
    assert floor.stored is not None
    for each in floor.stored.clock_returns:
        by = f"{each.back_us / 1_000_000:,.3f}".rstrip("0").rstrip(".")
        yield Breach(
            f"by the store's clock event {each.after.index} was stored {by} s before an earlier "
            "event",
            f"a clock that goes back by {CLOCK_TOLERANCE_US // 1_000_000} s at most",
            f"{by} s back",
            (each.after, each.before),
            key=("store-clock", each.after.stream, each.after.version),
        )


@STORE.rule(
    "R417",
    "device-of-two-logins",
    sources=(HOUSE_CONVENTION,),
    looks_at="floor",
    needs=(stored_by_this_log,),
    breach_events=_ANY_EVENT,
    live=False,
    breaks="""
        login table-1
        shoe H-1 open
        login mallory
        shoe H-1 coup-opened {"coup": 2}
    """,
    keeps="""
        login table-1
        shoe H-1 {}
        login table-2
        shoe H-2 {}
    """,
)
def device_of_two_logins(floor: Floor) -> Iterator[Breach]:
    """A device that numbers its events is used by one login.

    The right login is that of the device's first event. Each further login of a device is one
    breach, shown by the first event of that login. At most 100 breaches are reported, for all
    devices together. Events without a device or its number, imported events, and events stored
    without a login, are not checked. Only an audit of the whole log checks this, a live audit does
    not.
    """
    assert floor.stored is not None
    for each in floor.stored.shared_devices:
        yield Breach(
            f"device {each.device} sent events as login {each.first_login}, and from event "
            f"{each.other.index} on also as login {each.other_login}",
            f"events of {each.device} from login {each.first_login}",
            f"login {each.other_login}",
            (each.other, each.first),
            key=("login", each.device, each.other_login),
        )


RULES = (*STORE.rules,)
"""Every rule of this module."""
