"""Rules on bets that were accepted outside the limits.

Depending on the rule pack (``limits.accepted``), they are settled in full or up to the maximum.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from sabot.domain.audit import needs
from sabot.domain.audit.checks.limits import WHICH_LIMITS, keeps_limit, within
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import name_bet, name_stake
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import Need, RuleGroup, each
from sabot.domain.audit.settled_stakes import stakes_of
from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPaid,
    BetPlaced,
    BetTaken,
    BetWithdrawn,
    Limit,
)
from sabot.domain.events.bank import ExcessReturned
from sabot.domain.events.envelope import events_of, is_of
from sabot.domain.procedure.common import limits_on
from sabot.domain.rules.sources import COMAR_36_05_03_14, HOUSE_CONVENTION
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.money_text import format_money
from sabot.domain.timeline.evidence import Reason, Unknown


def _accepted(how: Literal["in-full", "capped"]) -> tuple[Need[CoupView], ...]:
    """Return the needs of a rule on accepted bets.

    ``how`` is the rule pack's way of settling them to which the rule applies.
    """
    settled, other = ("in full", "up to the maximum")[:: 1 if how == "in-full" else -1]
    otherwise = Reason("not-required", f"the pack has such bets settled {other}")

    def missing(view: CoupView) -> Reason | None:
        pack = view.shoe.pack
        return None if pack is None or pack.limits.accepted == how else otherwise

    said = needs.pack_says(
        "how accepted bets outside the limits are settled",
        lambda pack: pack.limits.accepted is not None,
    )
    settled_so = Need("rules", f"the rule pack has such bets settled {settled}", missing)
    return (said, settled_so, needs.not_voided)


@each("accepted bet", "no bet outside the limits was settled", about="bets")
def _outside_and_settled(view: CoupView) -> Sequence[Bet]:
    """Return the settled bets that were outside a limit when they were accepted.

    A bet is settled if any of it was paid or taken, or if the whole stake was returned after the
    bets were closed. The limit is the one in force when the stake was made, or last changed. The
    stake includes the part of it that was returned. The rule does not check other bets, or pushed
    bets, whose stakes went back in full.
    """
    return [
        bet
        for bet in view.coup.bets.values()
        if (bet.moves or _is_refunded(view, bet))
        and not bet.pushed
        and not all(keeps_limit(bet, limit) for limit in limits_on(view.shoe, bet))
    ]


def _is_refunded(view: CoupView, bet: Bet) -> bool:
    """Return whether a bet stood at the close of bets, and its whole stake went back later."""
    closed = view.coup.bets_closed
    if closed is None or bet.amount:
        return False
    (first, *later) = stakes_of(view.coup, bet)
    return first.position < closed and any(
        closed < each.position and is_of(each, ExcessReturned) for each in later[-1:]
    )


def _limit_of(view: CoupView, bet: Bet) -> Limit:
    """Return the limit that a bet did not keep.

    Raises:
        Unknown: several limits may have been in force.
    """
    limits = limits_on(view.shoe, bet)
    if len(limits) > 1 or limits[0] is None:
        raise Unknown(WHICH_LIMITS)
    return limits[0]


ACCEPTED = RuleGroup(family="payout", concerns="money")


@ACCEPTED.rule(
    "L206",
    "accepted-bet-reduced",
    sources=(COMAR_36_05_03_14,),
    games=("punto-banco", "macao", "victoria"),
    needs=_accepted("in-full"),
    each=_outside_and_settled,
    follows_from=("bet-outside-limits",),
    breach_events=(
        *(BetPlaced, BetCarried, BetChanged, BetWithdrawn),
        *(ExcessReturned, BetPaid, BetTaken),
    ),
    clean_when=within,
    breaks="""
        with limits.accepted = "in-full"
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 600}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        excess-returned {"coup": 1, "bet": 1, "amount": 100}
        due
    """,
    also=("bet-outside-limits",),
    keeps="""
        with limits.accepted = "in-full"
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
    """,
)
def accepted_bet_reduced(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """No part of an accepted bet outside the limits is returned before it is settled.

    A bet below the minimum is checked like a bet above the maximum. A return of a part is a breach
    even while the bets are open; a return of the whole stake is not. If the clocks leave several
    limits possible, the bet is not judged. R415 reports a return after the settlement.
    """
    if bet.returned and not keeps_limit(bet, _limit_of(view, bet)):
        staked = bet.amount + bet.returned
        returns = events_of(ExcessReturned, view.coup.events)
        back = format_money(view.shoe, bet.returned)
        yield Breach(
            f"{name_stake(view.shoe, bet.patron, staked, bet.wager)} was accepted, then reduced by "
            f"{back}",
            f"settled in full: {format_money(view.shoe, staked)}",
            f"{back} of it was returned",
            (
                *(bet.placed, *bet.changes),
                *(event for event in returns if event.payload.bet == bet.number),
                *bet.moves,
            ),
            stake=staked,
            patron=bet.patron,
            key=("bet", bet.number),
        )


@ACCEPTED.rule(
    "L207",
    "excess-over-limit-not-returned",
    sources=(HOUSE_CONVENTION,),
    needs=_accepted("capped"),
    each=_outside_and_settled,
    follows_from=("bet-outside-limits",),
    breach_events=(BetPlaced, BetCarried, BetChanged, BetWithdrawn, BetPaid, BetTaken),
    clean_when=within,
    breaks="""
        with limits.accepted = "capped"
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 600 | P 4 5  B K 8
    """,
    also=("bet-outside-limits",),
    keeps="""
        with limits.accepted = "capped"
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 500 | P 4 5  B K 8
    """,
)
def excess_over_limit_not_returned(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """The part of an accepted bet above the maximum is returned before the bet is settled.

    A bet below the minimum keeps the rule. Where the house covers every stake, R415 reports a
    return of more than the part above the maximum. If the clocks leave several limits possible, the
    bet is not judged.
    """
    most = _limit_of(view, bet).maximum
    if bet.amount > most:
        yield Breach(
            f"{name_bet(view.shoe, bet)} was settled without the return of the "
            f"part above {format_money(view.shoe, most)}",
            f"the part above {format_money(view.shoe, most)} is returned",
            f"settled as {format_money(view.shoe, bet.amount)}",
            (bet.placed, *bet.changes, *bet.moves),
            stake=most,
            patron=bet.patron,
            key=("bet", bet.number),
        )


RULES = (*ACCEPTED.rules,)
"""Every rule of this module."""
