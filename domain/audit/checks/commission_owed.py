"""Rules on marked commission: it is collected before the patron leaves and the shoe ends."""

from collections.abc import Iterator, Sequence

from sabot.domain.audit import needs
from sabot.domain.audit.checks.commission import BETS_LACKING, bets_collected_later, may_lack_bets
from sabot.domain.audit.checks.payments import (
    losing_bet_not_taken,
    push_paid_or_taken,
    wrong_commission,
    wrong_payout,
)
from sabot.domain.audit.coup_view import cashier_of, view_coup
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.events import CommissionCollected, CommissionMarked, PatronLeft, ShoeEnded
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.preconditions import settlement_requirements
from sabot.domain.rules.sources import (
    BACCARAT_COMMISSION_DRILL,
    NYCRR_9_5324_21,
    POKER_ONLINE_GURU_DEALERS_DUTIES,
)
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import answered, incomplete, settle

OWED = RuleGroup(family="procedure", concerns="money")


@need("rules", "no commission was marked, or collected for no coup", "not-required")
def commission_marked_or_collected(shoe: Shoe) -> bool:
    """The rule pack can be read. It marks commission, or a patron's commission is open."""
    return _is_marked(shoe) or (shoe.pack is not None and any(shoe.owed_commission.values()))


@need("rules", "no commission was marked", "not-required")
def commission_marked(shoe: Shoe) -> bool:
    """The rule pack can be read. It marks commission, or a patron owed marked commission."""
    return _is_marked(shoe)


def _is_marked(shoe: Shoe) -> bool:
    if shoe.pack is None:
        return False
    if shoe.pack.commission.due == "marked":
        return True
    marked = any(owed > 0 for owed in shoe.owed_commission.values())
    return marked or any(owed > 0 for _, _, owed in shoe.leavings)


@each("patron with commission", None)
def _owing(shoe: Shoe) -> Sequence[tuple[str, int]]:
    """Return the patrons who were charged commission, each with the amount still owed."""
    return sorted(shoe.owed_commission.items())


@OWED.rule(
    "P206",
    "commission-unpaid-at-shoe-end",
    sources=(
        POKER_ONLINE_GURU_DEALERS_DUTIES,
        BACCARAT_COMMISSION_DRILL,
        NYCRR_9_5324_21,
    ),
    looks_at="shoe",
    needs=(
        needs.not_coups_alone,
        commission_marked_or_collected,
        needs.shoe_over,
        needs.every_coup_recorded,
    ),
    each=_owing,
    breach_events=(ShoeEnded, PatronLeft, CommissionMarked),
    follows_from=(
        "commission-unpaid-at-departure",
        *map(code_of, (wrong_commission, losing_bet_not_taken, push_paid_or_taken, wrong_payout)),
    ),
    breaks="""
        load midi
        coup p1 banker 500 | P 4 4  B K 9
        commission-collected {"patron": "p1", "amount": 24}
        shoe-ended {"left": 410, "reason": "withdrawn"}
    """,
    keeps="""
        load midi
        coup p1 banker 500 | P 4 4  B K 9
        commission-collected {"patron": "p1", "amount": 25}
        shoe-ended {"left": 410, "reason": "withdrawn"}
    """,
)
def commission_unpaid_at_shoe_end(shoe: Shoe, owing: tuple[str, int]) -> Iterator[Breach]:
    """By the end of the shoe all marked commission is collected, and no more than was owed.

    Each patron's marks are added up, less what was collected on them. A mark in a voided coup, and
    a collection after the end of the shoe, are included. P204 checks whether a mark is right. The
    finding shows the marks on bets that owe none. Where commission is due at once, an amount
    collected for no coup is first applied to bets that lack commission. An excess is not judged
    where the record may lack the bets it belongs to.
    """
    assert shoe.ended is not None
    patron, owed = owing
    stands = -_over_collected(shoe, patron) if owed < 0 else owed
    if not settlement_requirements.is_collected_by_the_end(stands):
        yield Breach(
            f"{patron}'s open commission is {format_money(shoe, stands)} at the end of the shoe",
            "all commission owed, and no more, is collected by the end of the shoe",
            f"{format_money(shoe, abs(stands))} "
            f"{'still owed' if stands > 0 else 'collected too much'}",
            (shoe.ended, *_left_owing(shoe, patron), *_undue_marks(shoe, patron)),
            money=((patron, stands),),
            patron=patron,
            key=("patron", patron),
        )


def _left_owing(shoe: Shoe, patron: str) -> list[RecordedEvent]:
    """Return the events in which this patron left while owing commission."""
    return [event for event, who, owed in shoe.leavings if who == patron and owed > 0]


def _undue_marks(shoe: Shoe, patron: str) -> list[RecordedEvent]:
    """Return a patron's marks on bets that owe no commission."""
    marked = [
        coup
        for coup in shoe.coups.values()
        if any(bet.patron == patron and bet.marked for bet in coup.bets.values())
    ]
    return [
        event
        for coup in marked
        for bet, due in view_coup(shoe, coup, cashier_of(shoe)).settlements_due
        if bet.patron == patron and due is not None and not due.commission
        for event in events_of(CommissionMarked, coup.events)
        if event.payload.bet == bet.number
    ]


def _over_collected(shoe: Shoe, patron: str) -> int:
    """Return how much commission was collected from a patron without being owed.

    The amount is in minor units.
    """
    if shoe.pack is None or shoe.pack.commission.due != "at-once":
        answered(BETS_LACKING if may_lack_bets(shoe) else None)
        return -shoe.owed_commission[patron]
    # commission collected for no coup may belong to a bet that lacked it
    over = bets_collected_later(shoe, patron)[1]
    if isinstance(over, str):
        raise incomplete(over)
    return over


@each("departure", "nobody left the table", about="seats")
def _leavings(shoe: Shoe) -> Sequence[tuple[RecordedEvent, str, int]]:
    """Return each departure of a patron, with the commission marked and not yet collected then."""
    return shoe.leavings


@OWED.rule(
    "P207",
    "commission-unpaid-at-departure",
    sources=(
        POKER_ONLINE_GURU_DEALERS_DUTIES,
        BACCARAT_COMMISSION_DRILL,
        NYCRR_9_5324_21,
    ),
    looks_at="shoe",
    needs=(needs.not_coups_alone, commission_marked),
    each=_leavings,
    follows_from=("bet-after-leaving",),
    breach_events=(PatronLeft,),
    breaks="""
        load midi
        coup p1 banker 500 | P 4 4  B K 9
        commission-collected {"patron": "p1", "amount": 24}
        patron-left {"patron": "p1"}
    """,
    keeps="""
        load midi
        coup p1 banker 500 | P 4 4  B K 9
        commission-collected {"patron": "p1", "amount": 25}
        patron-left {"patron": "p1"}
    """,
)
def commission_unpaid_at_departure(
    shoe: Shoe, left: tuple[RecordedEvent, str, int]
) -> Iterator[Breach]:
    """Marked commission is collected before the patron leaves the table.

    Only commission that was marked before the departure is checked. Marks are added up as recorded,
    right or wrong: P204 checks them. Each departure is a breach of its own. A patron who comes back
    and pays later still broke the rule. If it is unknown whether a collection from the patron came
    before the departure, nothing is reported. P206 reports commission collected in excess.
    """
    event, patron, owed = left
    settle(shoe, [event], _collected(shoe, patron))
    if not settlement_requirements.is_collected_before_leaving(owed):
        yield Breach(
            f"{patron} left the table owing {format_money(shoe, owed)} of commission",
            "marked commission is collected before its patron leaves",
            f"{format_money(shoe, owed)} still owed",
            (event,),
            money="what a patron owes is known only at the end of the shoe",
        )


def _collected(shoe: Shoe, patron: str) -> list[RecordedEvent[CommissionCollected]]:
    """Return the collections from a patron; none where the order of all events is certain."""
    events = [] if shoe.order is None else shoe.order.events
    collected = events_of(CommissionCollected, events)
    return [each for each in collected if each.payload.patron == patron]


RULES = (*OWED.rules,)
"""Every rule of this module."""
