"""Explain the settlement of a coup's bets.

A step gives the odds paid, the commission and the rounding.
"""

import re
from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from functools import partial
from typing import Final

from sabot.domain.audit.checks import payments, unsettled_bets
from sabot.domain.audit.checks.bets import LATE
from sabot.domain.audit.checks.commission import charged_in_all, paid_despite_void
from sabot.domain.audit.checks.record import unmatched_event
from sabot.domain.audit.completeness import STARTS_BEFORE_RECORD
from sabot.domain.audit.coup_view import CoupView, excess_moved
from sabot.domain.audit.explain.ruling_reasons import why_back
from sabot.domain.audit.explain.steps import Step
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.rule_group import code_of
from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.audit.wording import describe_settlement, result_unknown
from sabot.domain.procedure.patron_bank import claims_of
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe

_ODDS: Final = re.compile(r"^[^,;]* pays (\d+) to (\d+)(?: \([^,;]*\))?$")
_NO_GROUND: Final = code_of(unmatched_event)
_OF_A_BET: Final = frozenset(rule.code for rule in (*payments.RULES, *unsettled_bets.RULES))


def payment_steps(view: CoupView, found: Collection[Finding]) -> Iterator[Step]:
    """Yield a step for the settlement of each bet."""
    for bet in view.coup.bets.values():
        yield _payment(view, bet, found)


def _payment(view: CoupView, bet: Bet, found: Collection[Finding]) -> Step:
    pack, spell = view.shoe.pack, partial(format_money, view.shoe)
    what = f"{bet.patron}'s {spell(bet.amount or bet.returned)} on {wager_label(bet.wager)}"
    events = tuple(event.index for event in (bet.placed, *bet.changes, *bet.moves))
    shown = describe_settlement(bet, spell) if bet.moves else None
    if bet.withdrawn and shown is None and bet.number in view.coup.refunded_bets:
        shown = "withdrawn"
    due, why = _due(view, bet)
    if due is None:
        stay = paid_despite_void(view).get(bet.number, 0)
        is_known = _goes_back(view, bet) is not None
        owed = spell(stay) if stay else "nothing" if is_known else "not known"
        differs = _differs_from_stay(view, bet, stay, found, settled=shown is not None)
        return Step("payment", what, owed, why + _late(bet, found), shown, differs, events)
    assert pack is not None
    told, moved_money = _is_told(bet, found), _moved_money(bet, found)
    wrong = bool(_gains_of_bet(view, bet, due)) if bet.moves else _left(view)
    return Step(
        "payment",
        what,
        owed_said(due, spell),
        why_paid(view.shoe, pack, bet, due) + _late(bet, found),
        shown,
        True if told else (moved_money or None) if wrong else wrong,
        events,
    )


def _differs_from_stay(
    view: CoupView, bet: Bet, stay: int, found: Collection[Finding], *, settled: bool
) -> bool | None:
    """Return whether a bet in a void coup was settled wrongly, or None if that is not known.

    ``stay`` is the amount paid before the voiding that the patron keeps.
    """
    told = _is_told(bet, found)
    if bet.net != stay or (bet.withdrawn and told):
        wrong = told or _moved_money(bet, found)
        return (wrong and not view.starts_before_record) or None
    return False if settled and _goes_back(view, bet) is not None else None


def _is_told(bet: Bet, found: Collection[Finding]) -> bool:
    """Return whether the bet's settlement has a finding, alone or with other bets."""
    settled = {event.index for event in bet.moves}
    return any(
        (each.code in _OF_A_BET and bet.placed.index in each.events)
        or (each.code == _NO_GROUND and settled.intersection(each.events))
        for each in found
    )


def _moved_money(bet: Bet, found: Collection[Finding]) -> bool:
    """Return whether any finding has money of the bet's patron."""
    return any(each.money.patrons.get(bet.patron) for each in found)


def _left(view: CoupView) -> bool | None:
    """Return whether a bet was not settled although it had to be.

    None where the coup is still open or the record may lack the settlement.
    """
    return True if view.coup.closed is not None and view.shoe.coverage == "whole" else None


def _due(view: CoupView, bet: Bet) -> tuple[Due | None, str]:
    """Return the amount due to a bet, or the reason why there is none."""
    nothing = _goes_back(view, bet)
    if nothing is not None:
        return None, nothing
    if view.cashier is None:
        return None, "the rule pack cannot be read"
    if not view.dealt:
        return None, _why_undealt(view)
    due = view.due(bet, bet.amount)
    if due is None:
        return (
            None,
            result_unknown(bet.wager),
        )
    return due, ""


def _why_undealt(view: CoupView) -> str:
    if view.starts_before_record:
        return STARTS_BEFORE_RECORD
    if is_without_cards(view):
        return "what was due is not known, since no card of the coup is on record"
    return "a hand has fewer than two cards"


def is_without_cards(view: CoupView) -> bool:
    """Return whether the record has the calls of a coup, and none of its cards."""
    coup = view.coup
    return bool(coup.calls) and not (coup.cards or coup.removed_cards or coup.late)


def _goes_back(view: CoupView, bet: Bet) -> str | None:
    """Return why a bet is returned whatever the cards are. None if it is not."""
    if bet.number in view.coup.refunded_bets:
        return why_back(view.coup)
    if bet.withdrawn:
        who = {claim.patron for claim in claims_of(view.coup)}
        went = "others went bank" if who - {bet.patron} else "it exceeded the bank"
        return f"{went}, and it was returned" if bet.returned else "the bet was withdrawn"
    if view.coup.voided is None:
        return None
    if bet.number in paid_despite_void(view):
        return "the coup was voided: a natural that was paid at once stays paid"
    return "the coup was voided: the bet is returned"


def _late(bet: Bet, found: Collection[Finding]) -> str:
    """Return text for a change made to a bet when bets were closed. Empty if there was none."""
    about = {each.events[0]: each for each in found if each.code in LATE and each.events}
    said, stake = "", stake_after(bet.placed)
    for event in (bet.placed, *bet.changes):
        after = stake_after(event)
        done = "withdrawn late" if not after else "placed late" if event is bet.placed else ""
        done = done or ("capped" if after > stake else "pinched")
        if event.index in about:
            said += f"; the bet was {done}: {about[event.index].message}"
        stake = after
    return said


def owed_said(due: Due, spell: Callable[[int], str]) -> str:
    """Return text for the amounts due to a bet. ``spell`` formats an amount."""
    match due.kind:
        case "take":
            return f"take {spell(due.taken)}"
        case "push":
            return "push"
        case "pay":
            if not due.commission:
                return f"pay {spell(due.paid)}"
            return f"pay {spell(due.paid)} less {spell(due.commission)}, net {spell(due.net)}"


def why_paid(shoe: Shoe, pack: RulePack, bet: Bet, due: Due) -> str:
    """Return text on the odds, the commission and the rounding of a payment."""
    if due.kind != "pay":
        return due.line if due.kind == "push" else f"{wager_label(bet.wager)} lost"
    odds = _ODDS.search(due.line)
    if odds is None:
        # the bank's funds limit the payment, or a bet on both tableaux has a line for each
        return due.line
    money = pack.money
    exact = Fraction(bet.amount * int(odds[1]), int(odds[2]))
    parts = [due.line + _rounded(shoe, exact, due.paid, money.rounding, money.unit)]
    wager = pack.wager(bet.wager)
    if wager is not None and wager.commission and pack.commission.ratio[0]:
        owed = due.paid * Fraction(*pack.commission.ratio)
        rate = f"commission {float(100 * Fraction(*pack.commission.ratio)):g} % of winnings"
        rule = pack.commission
        parts.append(rate + _rounded(shoe, owed, due.commission, rule.rounding, rule.unit))
    return "; ".join(parts)


def _rounded(shoe: Shoe, exact: Fraction, came: int, rounding: str, unit: int) -> str:
    """Return text about the rounding of an amount. Empty if it is exact."""
    if exact == came:
        return ""
    units = shoe.pack.money.minor_units if shoe.pack is not None else 2
    amount = float(exact / 10**units)
    to = "" if unit == 1 else f" to whole {format_money(shoe, unit)}"
    return f", {amount:.{units + 2}f} rounded {rounding}{to} to {format_money(shoe, came)}"


def _gains_of_bet(view: CoupView, bet: Bet, due: Due) -> int:
    """Return the amount that a patron was paid too much for a bet, in minor units.

    Zero if the payment is right, and the patron's commission is right in total over all bets.
    """
    gross_right = bet.paid - bet.taken == due.paid
    if gross_right and bet.commission != due.commission and charged_in_all(view, bet.patron):
        return 0
    return excess_moved(bet, due)
