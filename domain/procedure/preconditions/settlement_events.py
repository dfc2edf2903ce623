"""Checks of calls, payments, voids, and the end of a coup or shoe."""

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import due_bets, due_move, next_action
from sabot.domain.procedure.preconditions.card_events import coup_at
from sabot.domain.procedure.preconditions.due_rules import (
    closing,
    coming_early,
    differing,
    settling,
)
from sabot.domain.procedure.preconditions.people_events import out_of_turn, play_out
from sabot.domain.procedure.preconditions.ruling_requirements import (
    is_permitted_ruling,
    may_be_voided,
)
from sabot.domain.procedure.preconditions.settlement_requirements import (
    has_shown_cut_card,
    is_collected_by_the_end,
)
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.rules.labels import irregularity_label, ruling_label, wager_label
from sabot.domain.rules.payouts import Due
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe

Move = ev.BetTaken | ev.BetPaid | ev.BetPushed | ev.CommissionMarked | ev.CommissionCollected


def as_prompted(shoe: Shoe, payload: ev.ShoeEvent) -> Violation | None:
    """Refuse an event that differs from the next action due."""
    now = next_action(shoe)
    if type(now.payload) is not type(payload):
        return Violation(f"that is not due now; {now.text}", coming_early(shoe, payload, now))
    if now.payload == payload:
        return None
    return Violation(f"the cards give another result; {now.text}", differing(shoe, payload))


def check_payment(shoe: Shoe, payload: Move) -> Violation | None:
    """Refuse a payment that is not due, or that comes before losing bets are taken."""
    coup = _coup_of_bet(shoe, payload)
    if isinstance(coup, str):
        return coup
    if coup.result_called is None:
        return Violation("the result has not been called; call it first", "E203")
    standing = due_bets(shoe, coup)
    loser = next((bet for bet, due in standing if due.kind == "take" and not bet.settled), None)
    if isinstance(payload, ev.BetPaid) and loser is not None and loser.number != payload.bet:
        return Violation(
            f"losers are taken first: take bet {loser.number} of {loser.patron}", "E205"
        )
    farther = out_of_turn(shoe, standing, payload.bet) if isinstance(payload, ev.BetPaid) else None
    if farther is not None:
        return farther
    for bet, due in standing:
        if bet.number == payload.bet:
            owed = due_move(shoe, coup, bet, due)
            said = _otherwise(shoe, bet, due, owed)
            return None if owed == payload else Violation(said, settling(due, payload))
    return Violation(f"there is no bet {payload.bet} on the layout", "R401")


def _coup_of_bet(shoe: Shoe, payload: Move) -> Coup | Violation:
    named = shoe.coups.get(payload.coup or 0)
    is_of_bet = named is not None and payload.bet in named.bets
    return coup_at(shoe, payload.coup or 0, over="E204" if is_of_bet else "R401")


def _otherwise(shoe: Shoe, bet: Bet, due: Due, owed: ev.ShoeEvent | None) -> str:
    if owed is None:
        return f"bet {bet.number} is settled already"
    return f"bet {bet.number} on {wager_label(bet.wager)}: {due.line}; {_said(shoe, owed)} is due"


def _said(shoe: Shoe, payload: ev.ShoeEvent) -> str:
    match payload:
        case ev.BetTaken(amount=amount):
            return f"take {format_money(shoe, amount)}"
        case ev.BetPaid(amount=amount):
            return f"pay {format_money(shoe, amount)}"
        case ev.CommissionMarked(amount=amount):
            return f"mark {format_money(shoe, amount)} commission"
        case ev.CommissionCollected(amount=amount):
            return f"collect {format_money(shoe, amount)} commission"
        case _:
            return "a push"


def check_collection(shoe: Shoe, payload: ev.CommissionCollected) -> Violation | None:
    """Refuse to collect commission that is not owed."""
    if payload.coup is not None and payload.bet is not None and shoe.current is not None:
        bet = shoe.current.bets.get(payload.bet)
        if shoe.current.number == payload.coup and bet is not None and not bet.marked:
            return check_payment(shoe, payload)
    owed = shoe.owed_commission.get(payload.patron, 0)
    if payload.amount > owed:
        given = format_money(shoe, payload.amount)
        said = f"{payload.patron} owes {format_money(shoe, owed)} of commission, not {given}"
        return Violation(said, "P205")
    return None


def check_close(shoe: Shoe, payload: ev.CoupClosed) -> Violation | None:
    """Refuse to close a coup that is not settled."""
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    now = next_action(shoe)
    if now.expects == "close":
        return None
    return Violation(f"the coup cannot be closed; {now.text}", closing(shoe, coup, now))


def check_void(shoe: Shoe, payload: ev.CoupVoided) -> Violation | None:
    """Refuse a void without an irregularity, or after a bet was taken or paid."""
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if any(bet.net for bet in coup.bets.values()):
        return Violation(
            "bets of this coup were taken or paid; correct that first, a void returns every bet",
            "E202",
        )
    return why_not_voidable(coup, payload)


def why_not_voidable(coup: Coup, payload: ev.CoupVoided) -> Violation | None:
    """Return why a coup cannot be voided, apart from its payments, or None if it can."""
    noted = [each.payload for each in coup.irregularities]
    if may_be_voided(noted, answered_for=payload.by is not None):
        return play_out(coup)
    said = "no irregularity of this coup was ruled void; note that ruling first"
    if not noted:
        said = "a coup is voided on an irregularity; note it first"
    return Violation(said, "I305")


def check_irregularity(shoe: Shoe, payload: ev.IrregularityNoted) -> Violation | None:
    """Refuse a ruling that the pack does not allow for the irregularity."""
    assert shoe.pack is not None
    if is_permitted_ruling(shoe.pack, payload):
        return None
    what = irregularity_label(payload.kind)
    allowed = " or ".join(
        f"{ruling_label(each)} ({each})" for each in shoe.pack.rulings[payload.kind]
    )
    said = f"{what}: the ruling cannot be: {ruling_label(payload.ruling)}; it is {allowed}"
    return Violation(said, "I303")


def check_end(shoe: Shoe, payload: ev.ShoeEnded) -> Violation | None:
    """Refuse to end a shoe too early.

    It is too early during a coup, with commission owed, or before the cut card unless another
    reason is given.
    """
    if shoe.current is not None:
        return Violation(f"coup {shoe.current.number} is open; settle or void it first", "I306")
    for patron, owed in sorted(shoe.owed_commission.items()):
        # what was collected beyond that cannot be given back on record, and keeps no shoe open
        if not is_collected_by_the_end(max(0, owed)):
            said = f"{patron} owes {format_money(shoe, owed)} of commission; collect it first"
            return Violation(said, "P206")
    if has_shown_cut_card(payload.reason, shown=shoe.cut_card is not None):
        return None
    return Violation(
        "the cut card has not come out; give the reason why the shoe ends: "
        "withdrawn, fault, too-few-cards or closing",
        "Z304",
    )
