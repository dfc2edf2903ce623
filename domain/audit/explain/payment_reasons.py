"""Explain the settlement of a coup's bets.

A step gives the pay line, the commission and the rounding.
"""

from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Final

from sabot.domain.audit.checks import payments, unsettled_bets
from sabot.domain.audit.checks.commission import charged_in_all, paid_despite_void
from sabot.domain.audit.completeness import STARTS_BEFORE_RECORD
from sabot.domain.audit.coup_view import CoupView, excess_moved
from sabot.domain.audit.explain.ruling_reasons import why_back
from sabot.domain.audit.explain.steps import Step
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.wording import describe_settlement
from sabot.domain.procedure.patron_bank import claims_of
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.coup_state import Bet
from sabot.domain.values.money import format_amount

_NO_GROUND: Final = "unmatched-event"
_OF_A_BET: Final = frozenset(rule.code for rule in (*payments.RULES, *unsettled_bets.RULES))


def payment_steps(view: CoupView, found: Collection[Finding]) -> Iterator[Step]:
    """Yield a step for the settlement of each bet."""
    for bet in view.coup.bets.values():
        yield _payment(view, bet, found)


def _payment(view: CoupView, bet: Bet, found: Collection[Finding]) -> Step:
    pack = view.shoe.pack
    units = pack.money.minor_units if pack is not None else 2
    staked = bet.amount or bet.returned
    what = f"{bet.patron}'s {format_amount(staked, units)} on {bet.wager}"
    events = tuple(event.index for event in (bet.placed, *bet.changes, *bet.moves))
    shown = (
        describe_settlement(bet, lambda amount: format_amount(amount, units)) if bet.moves else None
    )
    if bet.withdrawn and shown is None and bet.number in view.coup.refunded_bets:
        shown = "withdrawn"
    due, why = _due(view, bet)
    told, moved_money = _is_told(bet, found), _moved_money(bet, found)
    if due is None:
        stay = paid_despite_void(view).get(bet.number, 0)
        owed = format_amount(stay, units) if stay else "nothing"
        differs: bool | None = None
        if bet.net != stay or (bet.withdrawn and told):
            differs = ((told or moved_money) and not view.starts_before_record) or None
        elif shown is not None and _goes_back(view, bet) is not None:
            differs = False
        return Step("payment", what, owed, why, shown, differs, events)
    assert pack is not None
    wrong = bool(_gains_of_bet(view, bet, due)) if bet.moves else _left(view)
    return Step(
        "payment",
        what,
        _said(due, units),
        _why_paid(pack, bet, due),
        shown,
        True if told else (moved_money or None) if wrong else wrong,
        events,
    )


def _is_told(bet: Bet, found: Collection[Finding]) -> bool:
    """Return whether the audit has a finding about the bet's settlement."""
    settled = {event.index for event in bet.moves}
    return any(
        (each.code in _OF_A_BET and each.events and each.events[0] == bet.placed.index)
        or (each.code == _NO_GROUND and settled.intersection(each.events))
        for each in found
    )


def _moved_money(bet: Bet, found: Collection[Finding]) -> bool:
    """Return whether any finding has an amount for the bet's patron."""
    return any(each.money.patrons.get(bet.patron) for each in found)


def _left(view: CoupView) -> bool | None:
    """Return whether a bet was left unsettled though it had to be settled.

    None where the coup is still open or the record may lack the settlement.
    """
    return True if view.coup.closed is not None and view.shoe.coverage == "whole" else None


def _due(view: CoupView, bet: Bet) -> tuple[Due | None, str]:
    """Return the amount due to a bet, with the reason if none."""
    nothing = _goes_back(view, bet)
    if nothing is not None:
        return None, nothing
    if view.cashier is None:
        return None, "the rule pack cannot be read"
    if not view.dealt:
        return (
            None,
            STARTS_BEFORE_RECORD
            if view.starts_before_record
            else "a hand has fewer than two cards",
        )
    due = view.due(bet, bet.amount)
    if due is None:
        return None, f"the record's cards, or the pack, do not settle {bet.wager}"
    return due, ""


def _goes_back(view: CoupView, bet: Bet) -> str | None:
    """Return why a bet is returned whatever the cards are. None where it is not."""
    if bet.number in view.coup.refunded_bets:
        return why_back(view.coup)
    if bet.withdrawn:
        who = {claim.patron for claim in claims_of(view.coup)}
        went = "others went bank" if who - {bet.patron} else "it lay beyond the bank"
        return f"{went}, and it went back" if bet.returned else "the bet was withdrawn"
    if view.coup.voided is None:
        return None
    if bet.number in paid_despite_void(view):
        return "the coup was voided: a natural that was paid at once stands"
    return "the coup was voided: the bet goes back"


def _said(due: Due, units: int) -> str:
    match due.kind:
        case "take":
            return f"take {format_amount(due.taken, units)}"
        case "push":
            return "push"
        case "pay":
            if not due.commission:
                return f"pay {format_amount(due.paid, units)}"
            less = f" less {format_amount(due.commission, units)}"
            return (
                f"pay {format_amount(due.paid, units)}{less}, net {format_amount(due.net, units)}"
            )


def _why_paid(pack: RulePack, bet: Bet, due: Due) -> str:
    """Return text on the pay line, commission and rounding."""
    if due.kind != "pay":
        return due.line if due.kind == "push" else f"{bet.wager} lost"
    if ";" in due.line:
        # the payment was limited to the bank's funds: nothing was rounded
        return due.line
    units = pack.money.minor_units
    to, one = due.line.rsplit(" ", 1)[-1].split(":")
    exact = Fraction(bet.amount * int(to), int(one))
    parts = [due.line + _rounded(exact, due.paid, pack.money.rounding, pack.money.unit, units)]
    wager = pack.wager(bet.wager)
    if wager is not None and wager.commission and pack.commission.ratio[0]:
        owed = due.paid * Fraction(*pack.commission.ratio)
        rate = f"commission {float(100 * Fraction(*pack.commission.ratio)):g} % of winnings"
        rule = pack.commission
        parts.append(rate + _rounded(owed, due.commission, rule.rounding, rule.unit, units))
    return "; ".join(parts)


def _rounded(exact: Fraction, came: int, rounding: str, unit: int, units: int) -> str:
    """Return text about the rounding of an amount in minor units. Empty if exact."""
    if exact == came:
        return ""
    amount = float(exact / 10**units)
    to = "" if unit == 1 else f" to whole {format_amount(unit, units)}"
    return f", {amount:.{units + 2}f} rounded {rounding}{to} to {format_amount(came, units)}"


def _gains_of_bet(view: CoupView, bet: Bet, due: Due) -> int:
    """Return a patron's excess from a bet, in minor units.

    Zero if the payment is right, and the patron's commission is right in total over all bets.
    """
    gross_right = bet.paid - bet.taken == due.paid
    if gross_right and bet.commission != due.commission and charged_in_all(view, bet.patron):
        return 0
    return excess_moved(bet, due)
