"""Checks of a coup at baccarat banque: stakes, banco claims, choices and payments."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.patron_bank import (
    bank_events_of,
    bank_of,
    drawing_of,
    total_staked,
)
from sabot.domain.procedure.preconditions import (
    bank_events,
    bet_events,
    card_events,
    settlement_events,
)
from sabot.domain.procedure.preconditions.bank_requirements import (
    BancoObstacle,
    banco_obstacle,
    may_go_bank,
    may_stake,
)
from sabot.domain.procedure.preconditions.card_events import coup_at
from sabot.domain.procedure.preconditions.due_rules import choosing
from sabot.domain.procedure.preconditions.tableaux_requirements import (
    is_on_own_tableau,
    is_whole_units,
    leaves_held_stake,
    may_go_bank_again,
    was_held,
)
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.procedure.two_tableaux.banco_claims import (
    BancoClaimant,
    banco_claimants,
    excess_of_tableaux,
    lost_bancos,
    stake_of,
)
from sabot.domain.procedure.two_tableaux.held_stakes import stakes_held_for, to_carry
from sabot.domain.procedure.two_tableaux.tableaux import (
    alone_natural,
    banker_choices,
    cover_due,
    rule_of,
    tableau_of,
    tableau_position,
)
from sabot.domain.procedure.two_tableaux.tableaux_settlement import (
    pay_at_once,
    payment_turns,
)
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.tableau_hands import A_CHEVAL, TABLEAUX
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe

# -- Going bank -------------------------------------------------------------------------------


def _claim(shoe: Shoe, payload: bank_ev.BancoCalled) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if coup.no_more_bets is not None:
        return Violation("bets are closed; go bank in the next coup", "K509")
    unlimited = bank_events_of(coup).unlimited
    obstacle = banco_obstacle(shoe, coup, payload, unlimited=unlimited)
    if obstacle is not None and not may_go_bank(obstacle):
        return Violation(_against_banco(coup, payload.patron)[obstacle], "K510")
    if any(stake_of(coup, taker) is not None for taker in banco_claimants(shoe, coup)):
        return Violation("the patron who goes bank has staked already; go bank in the next coup")
    return _who_claims(shoe, coup, payload) or _on_what(shoe, coup, payload)


def _against_banco(coup: Coup, patron: str) -> dict[BancoObstacle, str]:
    """Return the refusal text for each reason that forbids a banco claim."""
    mine = tableau_of(coup, patron)
    return {
        "own-bank": f"{patron} holds the bank and cannot go bank against it",
        "not-entitled": "there is no banco suivi at this table; type: banco PATRON",
        "no-limit": "the bank has no limit; nobody can go bank for all of it",
        "frozen": "stakes are frozen; nobody goes bank before they are settled",
        "other-tableau": f"{patron} sits on the {mine}; go bank on it, or on both tableaux",
    }


def _who_claims(shoe: Shoe, coup: Coup, payload: bank_ev.BancoCalled) -> Violation | None:
    rule, part = shoe.pack.banco if shoe.pack is not None else None, bank_events_of(coup)
    if rule is None:
        return Violation("the rule pack lets nobody go bank")
    if payload.suivi:
        return Violation("there is no banco suivi at this table; type: banco PATRON")
    if payload.patron not in part.order and not rule.bystanders:
        return Violation(
            f"{payload.patron} does not sit at this table; only seated patrons go bank"
        )
    if may_go_bank_again(rule.successive, lost_bancos(shoe, coup, payload.patron)):
        return None
    said = f"{payload.patron} went bank {rule.successive} times in a row and lost; no further"
    return Violation(said, "W509")


def _on_what(shoe: Shoe, coup: Coup, payload: bank_ev.BancoCalled) -> Violation | None:
    mine = tableau_of(coup, payload.patron)
    if payload.on == "both" and (shoe.pack is None or shoe.pack.wager(A_CHEVAL) is None):
        return Violation("the rule pack lets nobody stake à cheval")
    if mine is None and payload.on is None:
        return Violation(
            f"{payload.patron} sits on no tableau; name one: banco PATRON right, left or both"
        )
    return None


# -- Stakes -----------------------------------------------------------------------------------


def _bet(shoe: Shoe, payload: ev.BetPlaced) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    part = bank_events_of(coup)
    if part.called is None:
        return Violation("the bank has not been called; call it first", "K507")
    if not may_stake(part.banker, payload.patron):
        return Violation(f"{payload.patron} holds the bank and cannot bet against it", "K511")
    if to_carry(shoe, coup):
        return Violation(f"frozen stakes come first; {next_action(shoe).text}")
    takers = banco_claimants(shoe, coup)
    return _beside(shoe, coup, payload) if not takers else _banco(shoe, coup, payload, takers)


def _beside(shoe: Shoe, coup: Coup, payload: ev.BetPlaced) -> Violation | None:
    reason = bet_events.check_bet(shoe, payload)
    return reason or _odd(shoe, payload.wager, payload.amount) or _place(shoe, coup, payload)


def _banco(
    shoe: Shoe, coup: Coup, payload: ev.BetPlaced, takers: Sequence[BancoClaimant]
) -> Violation | None:
    """Refuse any stake but a banco stake.

    The table limits do not apply to it.
    """
    stakes = [(taker.patron, taker.wager, taker.amount) for taker in takers]
    if (payload.patron, payload.wager, payload.amount) not in stakes:
        said = (
            f"{patron} for {format_money(shoe, amount)} on {on}" for patron, on, amount in stakes
        )
        return Violation(f"{' and '.join(said)} go bank; nobody else stakes", "K509")
    late = coup.no_more_bets is not None or payload.bet in coup.bets
    return bet_events.check_bet(shoe, payload) if late else None


def _odd(shoe: Shoe, wager: str, amount: int) -> Violation | None:
    """Refuse a stake that is not a whole number of units on each of its tableaux."""
    rule = rule_of(shoe)
    if is_whole_units(rule, wager, amount):
        return None
    halves = "; à cheval is two equal halves of those" if wager == A_CHEVAL else ""
    said = f"stakes are multiples of {format_money(shoe, rule.stake_unit)}{halves}"
    return Violation(said, "W512")


def _place(shoe: Shoe, coup: Coup, payload: ev.BetPlaced) -> Violation | None:
    mine = tableau_of(coup, payload.patron)
    if not is_on_own_tableau(rule_of(shoe), mine, payload.wager):
        said = f"{payload.patron} sits on the {mine}; stake on it, or on both tableaux"
        return Violation(said, "W513")
    if mine is not None:
        return None
    rule = shoe.pack.excess if shoe.pack is not None else None
    if rule is not None and not rule.bystanders:
        return Violation(f"{payload.patron} does not sit at this table; only seated patrons bet")
    return _room(shoe, coup, payload.amount)


def _room(shoe: Shoe, coup: Coup, more: int) -> Violation | None:
    """Refuse a standing patron's stake for which the bank has no chips left.

    Seated patrons' stakes are covered first.
    """
    left = (bank_of(coup) or 0) - total_staked(coup)
    if bank_events_of(coup).unlimited or more <= left:
        return None
    room = format_money(shoe, max(0, left))
    said = f"standing patrons may stake only what seated patrons leave of the bank: {room}"
    return Violation(said, "K518")


def _carry(shoe: Shoe, payload: ev.BetCarried) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    waiting = [(each.bet.patron, each.wager, each.amount) for each in to_carry(shoe, coup)]
    if was_held(waiting, (payload.patron, payload.wager, payload.amount)):
        return None
    return Violation(f"no such stake was left on the layout; {next_action(shoe).text}", "W511")


def _change(shoe: Shoe, payload: "ev.BetChanged | ev.BetWithdrawn") -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    reason = _held(shoe, coup, payload) or bet_events.check_change(shoe, payload)
    if reason is not None:
        return reason
    if banco_claimants(shoe, coup):
        said = f"other patrons go bank; the stake stands, or is returned; {next_action(shoe).text}"
        return Violation(said, "K509")
    bet = coup.bets[payload.bet]
    if isinstance(payload, ev.BetWithdrawn):
        return None
    reason = _odd(shoe, bet.wager, payload.amount)
    if reason is None and tableau_of(coup, bet.patron) is None:
        return _room(shoe, coup, payload.amount - bet.amount)
    return reason


def _held(shoe: Shoe, coup: Coup, payload: "ev.BetChanged | ev.BetWithdrawn") -> Violation | None:
    """Refuse to lower or withdraw a held stake."""
    bet = coup.bets.get(payload.bet)
    if bet is None or not bet.carried or _is_free(shoe, coup, bet):
        return None
    is_kept = leaves_held_stake(bet.placed.payload.amount, bet_events.stake_left(payload))
    said = "this stake is frozen; it stands for this coup"
    return Violation(said, "" if is_kept else "W510")


def _is_free(shoe: Shoe, coup: Coup, bet: Bet) -> bool:
    """Return whether a held stake may be withdrawn."""
    same = (bet.patron, bet.wager)
    return any(
        each.free for each in stakes_held_for(shoe, coup) if (each.bet.patron, each.wager) == same
    )


def _no_more_bets(shoe: Shoe, payload: ev.NoMoreBets) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    takers = banco_claimants(shoe, coup)
    broken = {
        "W510": to_carry(shoe, coup),
        "K509": any(taker.amount and stake_of(coup, taker) is None for taker in takers),
        "K518": excess_of_tableaux(shoe, coup),
        "K502": cover_due(coup),
        "": not total_staked(coup),
    }
    for rule, waits in broken.items():
        if waits:
            return Violation(f"the stakes are not made yet; {next_action(shoe).text}", rule)
    return bet_events.no_more_bets(shoe, payload)


# -- The hands, and the money -----------------------------------------------------------------


def _choose(shoe: Shoe, payload: bank_ev.ChoiceMade) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    now = next_action(shoe)
    if now.expects != "choice":
        return Violation(f"nobody chooses now; {now.text}", choosing(shoe, payload, now))
    if payload.hand != now.hand:
        return Violation(f"another hand decides now; {now.text}", choosing(shoe, payload, now))
    return bank_events.check_choice(coup, payload, _allowed(shoe, coup, payload))


def _allowed(shoe: Shoe, coup: Coup, payload: bank_ev.ChoiceMade) -> tuple[Choice, ...]:
    if payload.hand not in TABLEAUX:
        return banker_choices(shoe, coup)
    rules = drawing_of(shoe)
    return (
        rules.choices(tableau_position(coup, payload.hand))
        if rules is not None
        else (payload.choice,)
    )


def _draw(shoe: Shoe, payload: ev.CardDrawn) -> Violation | None:
    now, coup = next_action(shoe), shoe.current
    if coup is not None and coup.cards and now.expects == "choice":
        return bank_events.not_asked_for(coup, payload, f"{now.text} Record the choice first")
    return card_events.check_draw(shoe, payload)


def _move(shoe: Shoe, payload: settlement_events.Move) -> Violation | None:
    """Refuse a settlement that is not the next one due.

    If only one tableau has a natural, it is paid before the result is called. All other bets are
    settled after the call.
    """
    now = next_action(shoe)
    if now.expects == "settle" and now.payload == payload:
        return None
    first = now.payload if now.expects == "settle" else None
    if (
        isinstance(payload, ev.BetPaid)
        and isinstance(first, ev.BetPaid)
        and first.bet != payload.bet
        and not _have_one_turn(shoe, payload, first)
    ):
        said = f"winners are paid in rotation, as far as the bank's money goes; {now.text}"
        return Violation(said, "W514")
    if isinstance(first, ev.BetPaid) and first.bet == payload.bet:
        return Violation(
            f"{format_money(shoe, first.amount)} is due to that bet now; {now.text}", "P201"
        )
    return settlement_events.check_payment(shoe, payload)


def _have_one_turn(shoe: Shoe, one: ev.BetPaid, other: ev.BetPaid) -> bool:
    """Return whether two payments after the call of the hands are to one patron."""
    coup = shoe.current
    if coup is None or coup.result_called is None:
        return False
    turns = payment_turns(shoe, coup)
    return one.bet in turns and turns[one.bet] == turns.get(other.bet)


def _void(shoe: Shoe, payload: ev.CoupVoided) -> Violation | None:
    """Refuse a void while a natural that is paid at once is not yet fully paid.

    Those payments remain valid, and all other bets are returned.
    """
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    moved = [bet for bet in coup.bets.values() if bet.net]
    if not moved or any(bet.wager != alone_natural(coup) for bet in moved):
        return settlement_events.check_void(shoe, payload)
    waiting = pay_at_once(shoe, coup)
    if waiting is not None:
        return Violation(
            f"a natural that is paid stands; pay all of it first: {waiting.text}", "E202"
        )
    return settlement_events.why_not_voidable(coup, payload)


CHECKS: Final[Mapping[type, Callable[[Shoe, Any], Violation | None]]] = {
    bank_ev.BankCalled: settlement_events.as_prompted,
    bank_ev.BancoCalled: _claim,
    bank_ev.ExcessReturned: settlement_events.as_prompted,
    bank_ev.HandGiven: bank_events.give_hand,
    bank_ev.ChoiceMade: _choose,
    bank_ev.HandsCalled: settlement_events.as_prompted,
    **{kind: bank_events.CHECKS[kind] for kind in bank_ev.LEVY},
    ev.BetPlaced: _bet,
    ev.BetCarried: _carry,
    ev.BetChanged: _change,
    ev.BetWithdrawn: _change,
    ev.NoMoreBets: _no_more_bets,
    ev.CardDrawn: _draw,
    ev.BetTaken: _move,
    ev.BetPaid: _move,
    ev.BetPushed: _move,
    ev.CoupVoided: _void,
}
"""Checks of a coup at baccarat banque that replace the general ones."""
