"""Checks of stakes at chemin de fer: banco claims, other stakes beside them, and changes."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.patron_bank import (
    banco_claimant,
    banco_stake,
    bank_events_of,
    bank_of,
    claim_rank,
    entitled_to_suivi,
    excess_due,
    total_staked,
)
from sabot.domain.procedure.preconditions import bet_events
from sabot.domain.procedure.preconditions.bank_requirements import (
    banco_obstacle,
    covers,
    may_go_bank,
    may_stake,
)
from sabot.domain.procedure.preconditions.card_events import coup_at
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe


def _claim(shoe: Shoe, payload: bank_ev.BancoCalled) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if coup.no_more_bets is not None:
        return Violation("bets are closed; go bank in the next coup", "K509")
    if any(bet.carried for bet in coup.bets.values()):
        return Violation("a tie holds the stakes; nobody goes bank before they are settled")
    return _who_claims(shoe, coup, payload)


def _who_claims(shoe: Shoe, coup: Coup, payload: bank_ev.BancoCalled) -> Violation | None:
    rule = shoe.pack.banco if shoe.pack is not None else None
    if rule is None:
        return Violation("the rule pack lets nobody go bank")
    obstacle = banco_obstacle(shoe, coup, payload, unlimited=False)
    if obstacle == "own-bank":
        said = f"{payload.patron} holds the bank and cannot go bank against it"
        return Violation(said, "K510")
    if payload.patron not in bank_events_of(coup).order and not rule.bystanders:
        return Violation(
            f"{payload.patron} does not sit at this table; only seated patrons go bank"
        )
    if payload.suivi != (payload.patron == entitled_to_suivi(shoe, coup)):
        second = "" if payload.suivi else "; type: suivi PATRON"
        said = f"{entitled_to_suivi(shoe, coup) or 'nobody'} may go banco suivi{second}"
        return Violation(said, "" if may_go_bank(obstacle) else "K510")
    first = banco_claimant(shoe, coup)
    if first is not None and claim_rank(shoe, coup, first) <= claim_rank(
        shoe, coup, payload.patron
    ):
        return Violation(f"{first} has the right to go banco first")
    return None


def _bet(shoe: Shoe, payload: ev.BetPlaced) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    part = bank_events_of(coup)
    if part.called is None:
        return Violation("the bank has not been called; call it first", "K507")
    if not may_stake(part.banker, payload.patron):
        return Violation(f"{payload.patron} holds the bank and cannot bet against it", "K511")
    alone = banco_claimant(shoe, coup)
    if alone is not None:
        return _banco_stake(shoe, coup, payload, alone)
    return _settled_stakes(coup) or _beside(shoe, coup, payload)


def _settled_stakes(coup: Coup) -> Violation | None:
    """Refuse further stakes after an excess was returned.

    The stakes equal the bank by then.
    """
    if bank_events_of(coup).excess and coup.no_more_bets is None:
        return Violation("the excess was returned; the stakes stand, except for a banco")
    return None


def _change(shoe: Shoe, payload: "ev.BetChanged | ev.BetWithdrawn") -> Violation | None:
    reason = bet_events.check_change(shoe, payload)
    coup = coup_at(shoe, payload.coup)
    if reason is not None or isinstance(coup, str):
        return reason
    alone = banco_claimant(shoe, coup)
    if alone is not None:
        return Violation(f"{alone} goes banco for the whole bank; the stake stands", "K509")
    return _settled_stakes(coup)


def _banco_stake(shoe: Shoe, coup: Coup, payload: ev.BetPlaced, alone: str) -> Violation | None:
    """Refuse any stake but the banco stake.

    The table limits do not apply to it.
    """
    if (alone, bank_of(coup)) != (payload.patron, payload.amount):
        return Violation(f"{alone} goes banco for the whole bank; nobody else bets", "K509")
    if banco_stake(shoe, coup) is not None:
        return Violation(
            f"{alone} has staked what the bank holds; {next_action(shoe).text}", "K509"
        )
    late = coup.no_more_bets is not None or payload.bet in coup.bets
    return bet_events.check_bet(shoe, payload) if late else None


def _beside(shoe: Shoe, coup: Coup, payload: ev.BetPlaced) -> Violation | None:
    rule = shoe.pack.excess if shoe.pack is not None else None
    if (
        rule is not None
        and not rule.bystanders
        and payload.patron not in bank_events_of(coup).order
    ):
        return Violation(f"{payload.patron} does not sit at this table; only seated patrons bet")
    return bet_events.check_bet(shoe, payload)


def _no_more_bets(shoe: Shoe, payload: ev.NoMoreBets) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if not total_staked(coup) or next(excess_due(shoe, coup), None) is not None:
        rule = "" if banco_claimant(shoe, coup) is None else "K509"
        if not covers(bank_of(coup) or 0, total_staked(coup)):
            rule = "K502"
        return Violation(f"the stakes are not those of the bank; {next_action(shoe).text}", rule)
    return bet_events.no_more_bets(shoe, payload)


STAKES: Final[Mapping[type, Callable[[Shoe, Any], Violation | None]]] = {
    bank_ev.BancoCalled: _claim,
    ev.BetPlaced: _bet,
    ev.BetChanged: _change,
    ev.BetWithdrawn: _change,
    ev.NoMoreBets: _no_more_bets,
}
"""Checks of stakes against a patron's bank."""
