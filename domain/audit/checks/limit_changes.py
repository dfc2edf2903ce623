"""Rules on how the limits of a table are set and shown."""

from collections.abc import Iterator, Sequence

from sabot.domain.audit import needs
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each
from sabot.domain.events import Limit, LimitsChanged, ShoeLoaded, TableOpened
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.preconditions import bet_requirements
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_15,
    COMAR_36_05_03_14,
    HOUSE_CONVENTION,
    SINGAPORE_CASINO_CONTROL_ACT_106,
)
from sabot.domain.state.money_text import format_limit
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_context import limits_changed, limits_set

LIMIT_CHANGES = RuleGroup(family="procedure", concerns="game")


@each("limit", "the record gives no limits", "record-incomplete")
def _limits_set(shoe: Shoe) -> Sequence[tuple[RecordedEvent, Limit]]:
    """Return every limit of the table, with the event that set it.

    The rule checks the limits of the shoe's loading and of later changes. It also checks limits of
    the table's record: the last ones before the shoe, and those certainly set during it. The limits
    of the table are checked even if the shoe's record gives limits of its own. A limit that is set
    again is not checked again. A limit of the rule pack itself is not checked.
    """
    own = [event for event in (shoe.loaded, *shoe.limits_changed) if event is not None]
    found: dict[Limit, RecordedEvent] = {}
    for event in (*own, *limits_set(shoe)):
        if isinstance(event.payload, (ShoeLoaded, LimitsChanged, TableOpened)):
            for limit in event.payload.limits:
                found.setdefault(limit, event)
    return [(event, limit) for limit, event in found.items()]


@LIMIT_CHANGES.rule(
    "L203",
    "limit-ratio-not-permitted",
    sources=(ARRETE_2007_ART_55_15,),
    concerns="form",
    looks_at="shoe",
    needs=(
        needs.shoe_pack_says(
            "how a maximum is tied to the minimum", lambda pack: pack.limits.ratios
        ),
    ),
    each=_limits_set,
    breach_events=(ShoeLoaded, LimitsChanged, TableOpened),
    breaks="""
        load france {"backs": ["red", "blue"]}
        limits-changed {"limits": [{"minimum": 100, "maximum": 4900}], "displayed": true}
    """,
    keeps="""
        load france {"backs": ["red", "blue"]}
        limits-changed {"limits": [{"minimum": 100, "maximum": 5000}], "displayed": true}
    """,
)
def limit_ratio_not_permitted(shoe: Shoe, stood: tuple[RecordedEvent, Limit]) -> Iterator[Breach]:
    """A maximum is one of the multiples of the minimum that the rule pack names.

    A limit for a single wager is judged too. L208 reports a maximum below its minimum.
    """
    event, limit = stood
    assert shoe.pack is not None
    leaves_a_stake = bet_requirements.leaves_a_stake(limit)
    if leaves_a_stake and not bet_requirements.has_permitted_ratio(shoe.pack, limit):
        ratios = " or ".join(map(str, shoe.pack.limits.ratios))
        yield Breach(
            f"limits of {format_limit(shoe, limit)} were set, not {ratios} times the minimum",
            f"a maximum of {ratios} times the minimum",
            format_limit(shoe, limit),
            (event,),
        )


@LIMIT_CHANGES.rule(
    "L208",
    "minimum-above-maximum",
    concerns="record",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    each=_limits_set,
    breach_events=(ShoeLoaded, LimitsChanged, TableOpened),
    breaks="""
        limits-changed {"limits": [{"minimum": 500, "maximum": 100}]}
        coup p1 player 500 | P 4 5  B K 8
    """,
    keeps="""
        limits-changed {"limits": [{"minimum": 500, "maximum": 500}]}
        coup p1 player 500 | P 4 5  B K 8
    """,
)
def minimum_above_maximum(shoe: Shoe, stood: tuple[RecordedEvent, Limit]) -> Iterator[Breach]:
    """The minimum of a limit is not above its maximum.

    Minimum and maximum may be equal. No stake can keep a limit that breaks this rule, so bets are
    not judged by it.
    """
    event, limit = stood
    if not bet_requirements.leaves_a_stake(limit):
        yield Breach(
            f"limits of {format_limit(shoe, limit)} were set, the minimum above the maximum",
            "a minimum that is not above its maximum",
            format_limit(shoe, limit),
            (event,),
            key=("limit", limit.wager or "every wager", limit.minimum, limit.maximum),
        )


@each(
    "change of limits",
    "no change of limits says whether it was displayed",
    "record-incomplete",
)
def _displays(shoe: Shoe) -> Sequence[RecordedEvent[LimitsChanged]]:
    """Return the changes of limits that state their display.

    The rule checks the changes in the shoe's record. If the shoe's record gives no limits, it
    checks the changes in the table's record during the shoe. The limits that a shoe or a table
    begins with are not checked. A change whose event does not state whether it was displayed is not
    checked either.
    """
    return [
        event
        for event in events_of(LimitsChanged, (*shoe.limits_changed, *limits_changed(shoe)))
        if event.payload.displayed is not None
    ]


@LIMIT_CHANGES.rule(
    "L204",
    "limit-change-not-displayed",
    sources=(ARRETE_2007_ART_55_15, COMAR_36_05_03_14, SINGAPORE_CASINO_CONTROL_ACT_106),
    concerns="form",
    looks_at="shoe",
    needs=(
        needs.shoe_pack_says(
            "that changes of limits are displayed", lambda pack: pack.limits.displayed
        ),
    ),
    each=_displays,
    breach_events=(LimitsChanged,),
    breaks="""
        load france {"backs": ["red", "blue"]}
        limits-changed {"limits": [{"minimum": 100, "maximum": 5000}], "displayed": false}
    """,
    keeps="""
        load france {"backs": ["red", "blue"]}
        limits-changed {"limits": [{"minimum": 100, "maximum": 5000}], "displayed": true}
    """,
)
def limit_change_not_displayed(
    shoe: Shoe, change: RecordedEvent[LimitsChanged]
) -> Iterator[Breach]:
    """A change of the limits is displayed to the patrons.

    The event of the change states whether it was displayed. The rule does not check when and how a
    change was displayed.
    """
    assert shoe.pack is not None
    if not bet_requirements.is_displayed(shoe.pack, change.payload):
        limits = ", ".join(format_limit(shoe, limit) for limit in change.payload.limits)
        yield Breach(
            f"the limits {limits} were set without being displayed",
            "changes are displayed",
            "not displayed",
            (change,),
        )


RULES = (*LIMIT_CHANGES.rules,)
