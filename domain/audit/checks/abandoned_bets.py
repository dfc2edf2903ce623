"""Rules on abandoned bets. The house keeps the chips for the patron and pays them out once."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from sabot.domain.audit import floor_needs
from sabot.domain.audit.fingerprints import identity_of_event
from sabot.domain.audit.floor_view import Abandoned, ShoeSummary, TableView
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import AbandonedClaimed, AbandonedKept, BetAbandoned
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.sources import ARRETE_2007_ART_41
from sabot.domain.state.money_text import format_money
from sabot.domain.timeline.evidence import Reason, Unknown
from sabot.domain.values.money import format_amount
from sabot.domain.values.names import plain_name

ABANDONED = RuleGroup(family="payout", concerns="money")
_Slip = RecordedEvent[AbandonedKept]
"""An event that recorded abandoned chips under a slip number."""
_Claim = RecordedEvent[AbandonedClaimed]
"""An event that paid out on a slip."""


@need("shoe", "no shoe was dealt at the table", "nothing-to-check")
def shoe_dealt(view: TableView) -> bool:
    """A shoe was dealt at the table."""
    return bool(view.shoes)


_NOT_REQUIRED: Final = Reason(
    "not-required", "the pack does not say what becomes of abandoned bets"
)


@need("rules", _NOT_REQUIRED)
def bets_kept(view: TableView) -> bool:
    """The rule pack of a shoe at the table requires that abandoned bets are kept."""
    return any(map(_keeps, view.shoes))


def _keeps(shoe: ShoeSummary) -> bool:
    return shoe.pack is not None and shoe.pack.abandoned_bets == "kept"


def _is_of(slip: _Slip, shoe: ShoeSummary, bet: Abandoned) -> bool:
    kept = slip.payload
    return (kept.shoe, kept.coup, kept.bet) == (shoe.name, bet.coup, bet.bet)


# -- What is kept ---------------------------------------------------------------------------------

_Left = tuple[ShoeSummary, Abandoned]
"""A shoe and one of its bets that was abandoned."""


@each("abandoned bet", "no bet was abandoned", about="bets")
def _left(view: TableView) -> Sequence[_Left]:
    """Return each abandoned bet of the table whose rule pack requires that it is kept.

    A bet is not checked if the rule pack of its shoe does not require that abandoned bets are kept,
    or if its table has no record of its own.
    """
    return [(shoe, bet) for shoe in view.shoes if _keeps(shoe) for bet in shoe.abandoned]


@ABANDONED.rule(
    "F607",
    "abandoned-bet-not-kept",
    sources=(ARRETE_2007_ART_41,),
    family="procedure",
    looks_at="table",
    needs=(shoe_dealt, bets_kept),
    each=_left,
    breach_events=(BetAbandoned,),
    breaks="""
        with abandoned_bets = "kept"
        table T1 table-opened {"inventory": 1000}
        shoe H-1 {"table": "T1"} open
        shoe H-1 bet-abandoned {"coup": 1, "bet": 1}
        shoe H-1 shoe-ended {"left": 410, "reason": "withdrawn"}
    """,
    keeps="""
        with abandoned_bets = "kept"
        table T1 table-opened {"inventory": 1000}
        shoe H-1 {"table": "T1"} open
        shoe H-1 bet-abandoned {"coup": 1, "bet": 1}
        table T1 abandoned-kept {"slip": "A-1", "amount": 1000, "shoe": "H-1", "coup": 1, "bet": 1}
        shoe H-1 shoe-ended {"left": 410, "reason": "withdrawn"}
    """,
)
def abandoned_bet_not_kept(view: TableView, left: _Left) -> Iterator[Breach]:
    """The stake and winnings of an abandoned bet are recorded as kept for its owner.

    A breach is reported once the shoe has ended. A slip recorded later is accepted, and so is a
    slip of another table. F608 checks the amount of the slip. An abandoned bet is worth its stake
    and what was paid, less what was taken and the commission collected at once with the bet. Marked
    commission is the patron's debt and is not deducted. If nothing is left, no slip is needed.
    """
    shoe, bet = left
    slips = (slip for table in view.floor.tables.values() for slip in table.kept)
    if not bet.amount or shoe.ended is None or any(_is_of(slip, shoe, bet) for slip in slips):
        return
    yield Breach(
        f"bet {bet.bet} of coup {bet.coup} was abandoned, and its {format_money(shoe, bet.amount)} "
        f"was not kept for {bet.patron}",
        f"{format_money(shoe, bet.amount)} kept for its owner",
        "not kept when the shoe had ended",
        (bet.event,),
        bet.coup,
        money=((bet.patron, -bet.amount),),
        patron=bet.patron,
        shoe=shoe.name,
        key=("bet", shoe.name, bet.coup, bet.bet),
    )


@each("kept bet", "no abandoned bet was kept for its owner", about="table")
def _slips_by_bet(view: TableView) -> Sequence[list[_Slip]]:
    """Return the slips that the table recorded for abandoned chips, grouped by bet."""
    slips: dict[tuple[str, int, int], list[_Slip]] = {}
    for slip in view.table.kept:
        kept = slip.payload
        slips.setdefault((kept.shoe, kept.coup, kept.bet), []).append(slip)
    return list(slips.values())


@ABANDONED.rule(
    "F608",
    "wrong-abandoned-bet-amount",
    sources=(ARRETE_2007_ART_41,),
    looks_at="table",
    each=_slips_by_bet,
    breach_events=(AbandonedKept, BetAbandoned),
    breaks="""
        with abandoned_bets = "kept"
        shoe H-1 {"table": "T1"} open
        shoe H-1 bet-abandoned {"coup": 1, "bet": 1}
        table T1 abandoned-kept {"slip": "A-1", "amount": 500, "shoe": "H-1", "coup": 1, "bet": 1}
    """,
    keeps="""
        with abandoned_bets = "kept"
        shoe H-1 {"table": "T1"} open
        shoe H-1 bet-abandoned {"coup": 1, "bet": 1}
        table T1 abandoned-kept {"slip": "A-1", "amount": 1000, "shoe": "H-1", "coup": 1, "bet": 1}
    """,
)
def wrong_abandoned_bet_amount(view: TableView, slips: list[_Slip]) -> Iterator[Breach]:
    """The amount kept for an abandoned bet is its stake and its winnings.

    The amount is the stake and what was paid, less what was taken and the commission collected at
    once with the bet. Marked commission is the patron's debt and is not deducted. Other rules
    report a wrong settlement. The slips of one table for one bet are added together; the bet may be
    of a shoe at another table. A slip for a bet that nobody abandoned is a breach. A slip is not
    judged if the shoe of its bet is not on record, or if that shoe's rule pack does not require
    that abandoned bets are kept.
    """
    (*earlier, slip) = slips
    last = slip.payload
    shoe = floor_needs.shoe_of_kept_bet(view, last.shoe)
    if not _keeps(shoe):
        raise Unknown(_NOT_REQUIRED)
    bet = next((each for each in shoe.abandoned if _is_of(slip, shoe, each)), None)
    due = bet.amount if bet is not None else 0
    amount = sum(each.payload.amount for each in slips)
    if amount == due:
        return
    under = f" under slips {', '.join(each.payload.slip for each in slips)}" if earlier else ""
    yield Breach(
        f"{format_money(shoe, amount)} was kept for an abandoned bet worth "
        f"{format_money(shoe, due)}",
        f"{format_money(shoe, due)}: the stake and its winnings",
        format_money(shoe, amount) + under,
        (slip, *earlier, *((bet.event,) if bet is not None else ())),
        last.coup,
        money=((bet.patron, amount - due),)
        if bet is not None
        else "the owner of a kept bet is unknown: no such bet was abandoned",
        patron=bet.patron if bet is not None else None,
        shoe=shoe.name,
        key=("slip", last.slip),
    )


# -- What is paid out -----------------------------------------------------------------------------


@each("claim", "nobody claimed an abandoned bet", about="table")
def _claims(view: TableView) -> Sequence[_Claim]:
    """Return each claim of abandoned chips."""
    return view.table.claimed


@ABANDONED.rule(
    "F609",
    "wrong-abandoned-bet-payout",
    sources=(ARRETE_2007_ART_41,),
    looks_at="table",
    each=_claims,
    breach_events=(AbandonedClaimed, AbandonedKept),
    breaks="""
        table T1 abandoned-kept {"slip": "A-1", "amount": 500, "shoe": "H-1", "coup": 1, "bet": 1}
        table T1 abandoned-claimed {"slip": "A-1", "amount": 500, "to": "p1"}
        table T1 abandoned-claimed {"slip": "A-1", "amount": 500, "to": "p2"}
    """,
    keeps="""
        table T1 abandoned-kept {"slip": "A-1", "amount": 500, "shoe": "H-1", "coup": 1, "bet": 1}
        table T1 abandoned-claimed {"slip": "A-1", "amount": 500, "to": "p1"}
    """,
)
def wrong_abandoned_bet_payout(view: TableView, claim: _Claim) -> Iterator[Breach]:
    """The amount kept for an abandoned bet is paid to its owner in full, and once.

    The amount due is the total of the table's slips with the number of the claimed slip, less what
    the owner got on them earlier. A payout of only a part is therefore a breach. It does not matter
    when the slips were recorded. A payout on a slip that the table did not record is a breach. The
    owner is the patron who abandoned the bet, at any table. If the record does not hold that bet,
    any recipient is accepted as the owner.
    """
    payload = claim.payload
    slips = [slip for slip in view.table.kept if slip.payload.slip == payload.slip]
    owner = _owner(view, slips)
    rest = _rest(view, claim, slips, owner)
    is_owner = _is_for(claim, owner)
    if payload.amount == rest and is_owner:
        return
    due = rest if is_owner else 0
    shoe = next(iter(view.shoes), None)
    said = partial(format_money, shoe) if shoe is not None else format_amount
    yield Breach(
        f"{payload.to} got {said(payload.amount)} of slip {payload.slip}"
        + ("" if shoe is not None else ", whose currency is not on record"),
        f"{said(rest)} to {owner or 'its owner'}",
        f"{said(payload.amount)} to {payload.to}",
        (claim, *slips),
        patron=payload.to,
        money=((payload.to, payload.amount - due),),
        shoe=slips[0].payload.shoe if slips else None,
        key=identity_of_event(claim, view.table.history),
    )


def _owner(view: TableView, slips: list[_Slip]) -> str | None:
    """Return the patron of the abandoned bet, if the record names one."""
    bets = [(shoe, bet) for shoe in view.floor.shoes for bet in shoe.abandoned]
    owners = (bet.patron for slip in slips for shoe, bet in bets if _is_of(slip, shoe, bet))
    return next(owners, None)


def _is_for(claim: _Claim, owner: str | None) -> bool:
    """Return whether a claim was paid to the owner. If nobody is known as such, it was."""
    return owner is None or plain_name(owner) == plain_name(claim.payload.to)


def _rest(view: TableView, claim: _Claim, slips: list[_Slip], owner: str | None) -> int:
    """Return what was still due to the owner of some slips before a claim, in minor units."""
    earlier = (
        each.payload.amount
        for each in view.table.claimed
        if each.position < claim.position and each.payload.slip == claim.payload.slip
        if _is_for(each, owner)
    )
    return max(0, sum(slip.payload.amount for slip in slips) - sum(earlier))


RULES = (*ABANDONED.rules,)
"""Every rule of this module."""
