"""What chemin de fer forbids of stakes: claims to go bank, bets beside one, moving what stands."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabot.domain import events as f
from sabot.domain.events import bank as k
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.patron_bank import (
    banco_stake,
    bank_of,
    banked,
    claim_rank,
    claimant,
    excess_due,
    follows,
    staked,
)
from sabot.domain.procedure.preconditions import bet_events
from sabot.domain.procedure.preconditions.card_events import coup_at
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe


def _claim(shoe: Shoe, payload: k.BancoCalled) -> str | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if coup.no_more_bets is not None:
        return "no more bets was called; the claim waits for the next coup"
    if payload.on is not None:
        return "there is one hand against the bank; claim it without naming one"
    if any(bet.carried for bet in coup.bets.values()):
        return "a tie holds the stakes; nobody goes bank before they are settled"
    return _who_claims(shoe, coup, payload)


def _who_claims(shoe: Shoe, coup: Coup, payload: k.BancoCalled) -> str | None:
    rule = shoe.pack.banco if shoe.pack is not None else None
    if rule is None:
        return "the rule pack lets nobody go bank"
    if payload.patron == banked(coup).banker:
        return f"{payload.patron} holds the bank; he cannot go bank against himself"
    if payload.patron not in banked(coup).order and not rule.bystanders:
        return f"{payload.patron} does not sit at this table; the seated alone go bank"
    if payload.suivi != (payload.patron == follows(shoe, coup)):
        second = "" if payload.suivi else "; say banco suivi"
        return f"{follows(shoe, coup) or 'nobody'} may go banco suivi{second}"
    first = claimant(shoe, coup)
    if first is not None and claim_rank(shoe, coup, first) <= claim_rank(
        shoe, coup, payload.patron
    ):
        return f"{first} goes banco before him"
    return None


def _bet(shoe: Shoe, payload: f.BetPlaced) -> str | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    part = banked(coup)
    if part.called is None:
        return "the bank has not been called; call it first"
    if payload.patron == part.banker:
        return f"{payload.patron} holds the bank; he does not bet against it"
    alone = claimant(shoe, coup)
    if alone is not None:
        return _banco_stake(shoe, coup, payload, alone)
    return _settled_stakes(coup) or _beside(shoe, coup, payload)


def _settled_stakes(coup: Coup) -> str | None:
    """Once something went back, what is left is what the bank covers."""
    if banked(coup).excess and coup.no_more_bets is None:
        return "what lies beyond the bank went back; the stakes stand, but for a banco"
    return None


def _change(shoe: Shoe, payload: "f.BetChanged | f.BetWithdrawn") -> str | None:
    reason = bet_events.change(shoe, payload)
    coup = coup_at(shoe, payload.coup)
    if reason is not None or isinstance(coup, str):
        return reason
    alone = claimant(shoe, coup)
    if alone is not None:
        return f"{alone} goes banco, for all that the bank holds; his stake stands"
    return _settled_stakes(coup)


def _banco_stake(shoe: Shoe, coup: Coup, payload: f.BetPlaced, alone: str) -> str | None:
    """Who goes bank stakes what it holds: that is his limit, and not the table's."""
    if (alone, bank_of(coup)) != (payload.patron, payload.amount):
        return f"{alone} goes banco, for all that the bank holds; nobody else bets"
    if banco_stake(shoe, coup) is not None:
        return f"{alone} has staked what the bank holds; {next_action(shoe).text}"
    late = coup.no_more_bets is not None or payload.bet in coup.bets
    return bet_events.bet(shoe, payload) if late else None


def _beside(shoe: Shoe, coup: Coup, payload: f.BetPlaced) -> str | None:
    rule = shoe.pack.excess if shoe.pack is not None else None
    if rule is not None and not rule.bystanders and payload.patron not in banked(coup).order:
        return f"{payload.patron} does not sit at this table; the seated alone bet"
    return bet_events.bet(shoe, payload)


def _no_more_bets(shoe: Shoe, payload: f.NoMoreBets) -> str | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if not staked(coup) or next(excess_due(shoe, coup), None) is not None:
        return f"the stakes are not those of the bank; {next_action(shoe).text}"
    return bet_events.no_more_bets(shoe, payload)


STAKES: Final[Mapping[type, Callable[[Shoe, Any], str | None]]] = {
    k.BancoCalled: _claim,
    f.BetPlaced: _bet,
    f.BetChanged: _change,
    f.BetWithdrawn: _change,
    f.NoMoreBets: _no_more_bets,
}
"""What is refused of stakes where a patron banks."""
