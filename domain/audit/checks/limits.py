"""Rules on table limits.

They cover the size of each bet, the difference between Player and Banker bets, and a patron's total
on a wager.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bets_at_close import (
    Staked,
    settle_close,
    staked_ever,
    staked_in_time,
    stakes_at_close,
)
from sabot.domain.audit.completeness import NO_BETS, limits_unknown, stake_unknown
from sabot.domain.audit.coup_profile import CoupProfile, ShoeProfile
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import name_stake
from sabot.domain.audit.fingerprints import with_patron
from sabot.domain.audit.late_change_reversals import stake_before
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPlaced,
    BetWithdrawn,
    Limit,
    LimitsChanged,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import limit_on, limits_on
from sabot.domain.procedure.patron_bank import banco_claimant
from sabot.domain.procedure.preconditions import bet_requirements
from sabot.domain.procedure.two_tableaux.banco_claims import banco_claimants
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_55_15,
    COMAR_36_05_03_14,
    HOUSE_CONVENTION,
    NSW_MINI_BACCARAT_RULE_1,
)
from sabot.domain.state.coup_state import Bet, first_event_of
from sabot.domain.state.money_text import beyond_limits, format_limit, format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_context import (
    limits_in_force,
    tells_limits,
)
from sabot.domain.timeline.evidence import Reason, agreed, answered, settle

LIMITS = RuleGroup(family="procedure", concerns="game")

WHICH_LIMITS: Final = Reason(
    "order-unknown",
    "the order of the bet and of the table's limits is doubtful",
    "two records, whose clocks do not show it",
)
"""The reason if it is not known which limits were in force."""


def within(coup: CoupProfile, _: ShoeProfile) -> bool:
    """Return True for a coup without errors whose bets all keep recorded limits."""
    return coup.within


# -- The limits of a bet ---------------------------------------------------------------------------


def keeps_limit(bet: Bet, limit: Limit | None) -> bool:
    """Return whether the accepted amount of a bet is within the limit."""
    return bet_requirements.is_within_limits(limit, bet.amount + bet.returned)


@each("bet", "the coup has no bet to which limits apply", about="bets")
def _limited_bets(view: CoupView) -> Sequence[Bet]:
    """Return the bets to which the table's limits apply.

    A withdrawn bet is not checked. A stake that the size of the bank determines is not checked
    either: a banco, or a stake that a tie carried over against a bank. Any other carried bet is
    judged only in the coup in which it was placed or last changed.
    """
    return [
        bet
        for bet in _standing(view)
        if _is_new_stake(view, bet) and not _is_of_the_bank(view, bet)
    ]


def _is_of_the_bank(view: CoupView, bet: Bet) -> bool:
    """Return whether the bank determines the stake. It is a banco, or a stake held by a tie."""
    shoe, coup = view.shoe, view.coup
    if coup.banked is None:
        return False
    if shoe.pack is not None and shoe.pack.tableaux is not None:
        # neither half of a stake of a patron going bank from the other side is a choice
        return bet.carried or any(
            bet.patron == taker.patron for taker in banco_claimants(shoe, coup)
        )
    return bet.carried or bet.patron == banco_claimant(shoe, coup)


@need("bets")
def limits_on_record(view: CoupView) -> bool:
    """The record gives a limit for one of the bets."""
    bets = _limited_bets.of(view)
    if bets:
        answered(limits_unknown(view.shoe, bets))
    return True


@LIMITS.rule(
    "L201",
    "bet-outside-limits",
    sources=(ARRETE_2007_ART_55_15, COMAR_36_05_03_14),
    needs=(needs.has_bets, needs.record_not_coups_alone, limits_on_record, needs.betting_over),
    each=_limited_bets,
    breach_events=(BetPlaced, BetCarried, BetChanged, BetWithdrawn, LimitsChanged),
    follows_from=("limit-ratio-not-permitted",),
    one_cause=True,
    clean_when=within,
    breaks="""
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 501 | P 4 5  B K 8
    """,
    keeps="""
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 500 | P 4 5  B K 8
    """,
)
def bet_outside_limits(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """A bet is within the limits that are in force when its stake is made, or last changed.

    The limits are those of the shoe's record, else those of the table's record, else those of the
    rule pack. A limit for the wager goes before one for the table. A stake equal to the minimum or
    the maximum is permitted. A late bet is judged too. A part of the stake that was returned is
    included in the stake. A bet on a wager without a limit is permitted. A limit whose minimum is
    above its maximum is ignored here: L208 reports it. Where the bank of two tableaux is not
    limited, no maximum applies. If the amount of the bank is not on record, a stake that may have
    been the whole bank is not judged. After a change of limits in mid-shoe, all bets that would
    have kept the former limits are one finding.
    """
    shoe = view.shoe
    settle(shoe, [bet.staked], shoe.limits_changed)
    limits = limits_on(shoe, bet)
    if agreed((keeps_limit(bet, limit) for limit in limits), WHICH_LIMITS):
        return
    answered(stake_unknown(shoe, view.coup, bet))
    last = next(limit for limit in reversed(limits) if limit is not None)
    staked = bet.amount + bet.returned
    yield Breach(
        f"{name_stake(shoe, bet.patron, staked, bet.wager)} is "
        f"{beyond_limits(shoe, staked, last.minimum, last.maximum) or 'outside the limits'}",
        format_limit(shoe, last) + _as_told(shoe, bet),
        format_money(shoe, staked),
        (bet.placed, *bet.changes, *_change_passed_over(shoe, bet)),
        offending_event=bet.staked,
    )


def _change_passed_over(shoe: Shoe, bet: Bet) -> tuple[RecordedEvent, ...]:
    """Return the change of limits in mid-shoe that forbids a stake which was allowed until then."""
    changes = [event for event in shoe.limits_changed if event.position < bet.staked.position]
    played = (first_event_of(coup) for coup in shoe.coups.values())
    first = min((event.position for event in played if event is not None), default=None)
    if not changes or first is None or changes[-1].position < first:
        return ()
    *earlier, last = changes
    loaded = shoe.loaded.payload.limits if shoe.loaded is not None else ()
    former = earlier[-1].payload.limits if earlier else loaded
    return (last,) if keeps_limit(bet, limit_on(bet.wager, former, shoe.pack)) else ()


def _as_told(shoe: Shoe, bet: Bet) -> str:
    """Return text that names the table's record as the source of the limits.

    Empty if the shoe's own record gives them.
    """
    if bet.limits or tells_limits(shoe, bet.staked) or limits_in_force(shoe, bet.staked) == ((),):
        return ""
    return f", by the record of table {shoe.table}"


# -- Player and Banker bets against each other -----------------------------------------------------

_SIDES: Final = {"player": 1, "banker": -1}


def _balanced(coup: CoupProfile, _: ShoeProfile) -> bool:
    """Return True for a coup without errors whose bets keep the table differential."""
    return coup.balanced


@LIMITS.rule(
    "L202",
    "table-differential-exceeded",
    sources=(NSW_MINI_BACCARAT_RULE_1,),
    needs=(
        needs.pack_says(
            "how far Player and Banker bets may differ",
            lambda pack: pack.limits.differential is not None,
        ),
        needs.record_not_coups_alone,
        needs.has_bets,
        needs.betting_over,
    ),
    breach_events=(BetPlaced, BetCarried),
    clean_when=_balanced,
    breaks="""
        with limits.differential = 300
        coup p1 player 1000, p2 banker 600 | P 4 5  B K 8
    """,
    keeps="""
        with limits.differential = 300
        coup p1 player 900, p2 banker 600 | P 4 5  B K 8
    """,
)
def table_differential_exceeded(view: CoupView) -> Iterator[Breach]:
    """Player and Banker bets differ by no more than the table differential of the rule pack.

    The rule adds up the bets of all patrons on Player, and the bets of all patrons on Banker. Bets
    on other wagers are not included. The stakes are compared as they lie when the bets are closed,
    or at the end if nothing closed them. Late bets and late changes are not included: B201 and B203
    report them.
    """
    shoe = view.shoe
    assert shoe.pack is not None
    is_kept = partial(bet_requirements.is_within_differential, shoe.pack)
    staked = staked_in_time(shoe, view.coup)
    sums, late = _stakes_by_side(staked), _stakes_by_side(staked_ever(view.coup))
    apart = sums["player"] - sums["banker"]
    if is_kept(apart) and is_kept(late["player"] - late["banker"]):
        return
    settle_close(shoe, view.coup)
    if not is_kept(apart):
        most = shoe.pack.limits.differential or 0
        event, by = _first_excess(staked, most)
        breach = Breach(
            f"Player and Banker bets differ by {format_money(shoe, abs(apart))}",
            f"a table differential of {format_money(shoe, most)} at most",
            f"Player {format_money(shoe, sums['player'])}, "
            f"Banker {format_money(shoe, sums['banker'])}",
            tuple(bet.placed for bet, _ in stakes_at_close(staked).values() if bet.wager in _SIDES),
            offending_event=event,
        )
        yield with_patron(shoe, breach, by.patron)


def _stakes_by_side(staked: Staked) -> dict[str, int]:
    """Return the stakes on Player and on Banker at the close of bets, in minor units."""
    bets = stakes_at_close(staked).values()
    return {side: sum(stake for bet, stake in bets if bet.wager == side) for side in _SIDES}


def _first_excess(staked: Staked, most: int) -> tuple[RecordedEvent, Bet]:
    """Return the event and the bet with which the differential was exceeded for good."""
    steps = (
        _SIDES.get(bet.wager, 0) * (stake_after(event) - stake_before(bet, event))
        for event, bet in staked
    )
    beyond = [(apart > most) - (apart < -most) for apart in accumulate(steps)]
    place = len(beyond) - 1
    while place and beyond[place - 1] == beyond[-1]:
        place -= 1
    return staked[place]


# -- What a patron has in all on a wager -----------------------------------------------------------


@need("rules", "the pack limits each bet by itself", "not-required")
def limited_per_patron(view: CoupView) -> bool:
    """The rule pack does not limit each bet by itself."""
    return view.shoe.pack is None or view.shoe.pack.limits.per == "patron"


def _standing(view: CoupView) -> list[Bet]:
    return [bet for bet in view.coup.bets.values() if not bet.withdrawn]


@need("bets", NO_BETS, "nothing-to-check")
def bets_standing(view: CoupView) -> bool:
    """The coup has bets that were not withdrawn."""
    return bool(_standing(view))


@need("bets")
def patrons_limits_known(view: CoupView) -> bool:
    """The record gives a limit for one of the bets, and the order of bets and changes of limits."""
    bets = _standing(view)
    answered(limits_unknown(view.shoe, bets))
    settle(view, [bet.staked for bet in bets], view.shoe.limits_changed)
    return True


@each("patron and wager", NO_BETS)
def _totals(view: CoupView) -> Sequence[list[Bet]]:
    """Return the bets of each patron on each wager; where seats have hands, on each hand.

    The total does not include withdrawn bets, or stakes that the size of the bank determines. If
    all bets of a patron on the wager were carried over unchanged, their total is not checked again.
    """
    together: dict[tuple[str, str, int | None], list[Bet]] = {}
    for bet in _standing(view):
        if not _is_of_the_bank(view, bet):
            place = bet_requirements.staked_together(view.shoe.pack, bet.placed.payload)
            together.setdefault(place, []).append(bet)
    return [bets for bets in together.values() if any(_is_new_stake(view, bet) for bet in bets)]


def _is_new_stake(view: CoupView, bet: Bet) -> bool:
    """Return whether a bet was placed or changed in a coup, and not only carried over into it."""
    made = bet.staked.payload
    return not isinstance(made, BetCarried) and made.coup == view.coup.number


@LIMITS.rule(
    "L205",
    "combined-bets-above-limit",
    sources=(ARRETE_2007_ART_55_14, HOUSE_CONVENTION),
    needs=(
        needs.pack_readable,
        limited_per_patron,
        needs.record_not_coups_alone,
        bets_standing,
        needs.betting_over,
        patrons_limits_known,
    ),
    each=_totals,
    breach_events=(BetPlaced, BetCarried, BetChanged),
    clean_when=within,
    breaks="""
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 300, p1 player 300 | P 4 5  B K 8
    """,
    keeps="""
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 300, p1 player 200 | P 4 5  B K 8
    """,
)
def combined_bets_above_limit(view: CoupView, bets: list[Bet]) -> Iterator[Breach]:
    """Where limits are per patron, a patron's bets on a wager are together within the maximum.

    Limits are per patron unless the rule pack says that they are per bet. The limit is the one in
    force when the last stake was made, or changed. Late bets are included, and so is a part of a
    stake that was returned. If one of the bets alone was above the maximum when it was staked, L201
    reports that bet, and the total is not judged. The total may be below the minimum.
    """
    shoe, last = view.shoe, max(bets, key=lambda bet: bet.staked.position)
    if len(bets) == 1 or any(_is_above_maximum(shoe, bet) for bet in bets):
        return
    staked, limits = sum(bet.amount + bet.returned for bet in bets), limits_on(shoe, last)
    is_within = bet_requirements.are_together_within_limits
    if agreed((is_within(limit, staked) for limit in limits), WHICH_LIMITS):
        return
    most = next(limit for limit in reversed(limits) if limit is not None)
    total = format_money(shoe, staked)
    _, _, seat = bet_requirements.staked_together(shoe.pack, last.placed.payload)
    where = wager_label(last.wager) + ("" if seat is None else f" at seat {seat}")
    yield Breach(
        f"{last.patron} had {total} on {where} in {len(bets)} bets",
        f"{format_money(shoe, most.maximum)} at most for all bets of a patron on a wager",
        total,
        tuple(event for bet in bets for event in (bet.placed, *bet.changes)),
        patron=last.patron,
        offending_event=last.staked,
        key=("together", last.patron, last.wager, *([] if seat is None else [seat])),
    )


def _is_above_maximum(shoe: Shoe, bet: Bet) -> bool:
    """Return whether a bet alone may be above the maximum in force when its stake was made."""
    limits = limits_on(shoe, bet)
    return any(limit and bet.amount + bet.returned > limit.maximum for limit in limits)


RULES = (*LIMITS.rules,)
"""Every rule of this module."""
