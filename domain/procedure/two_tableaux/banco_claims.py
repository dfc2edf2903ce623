"""Banco claims and the holder of each tableau's hand at two tableaux.

Source: WIKIPEDIA_BACCARAT_BANQUE.
"""

from msgspec import Struct

from sabot.domain.events.bank import BancoCalled
from sabot.domain.procedure.patron_bank import (
    Excess,
    bank_events_of,
    bank_of,
    claims_of,
    given_to,
    open_bets,
)
from sabot.domain.procedure.two_tableaux.tableaux import (
    earlier_coups,
    in_rotation,
    natural_paid_before_void,
    outcome_at,
    over_the_seated,
    rule_of,
    seated_on,
    tableau_of,
)
from sabot.domain.rules.tableau_hands import A_CHEVAL, PARTS, Tableau
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe

# -- Who holds a tableau's hand ------------------------------------------------------------------


def holder_due(shoe: Shoe, coup: Coup, tableau: Tableau) -> str | None:
    """Return the patron who plays a tableau's hand, or None.

    A patron who goes banco on the tableau plays its hand. Otherwise the hand stays with its holder
    until it loses, then goes to the next patron outward on that tableau. If nobody is seated there,
    the patron who staked first on the tableau plays it. The result is None if there is no such
    stake either.
    """
    before = _last_in_rotation(shoe, coup, tableau)
    held = None if before is None else given_to(before, tableau)
    return _next_holder(shoe, coup, tableau, before, held)


def rightful_holder(shoe: Shoe, coup: Coup, tableau: Tableau) -> str | None:
    """Return the patron who would play a tableau's hand if it had always been given rightly.

    `holder_due` uses the patrons who got the hand, rightly or wrongly.
    """
    before, held = None, None
    for each in (*reversed([*earlier_coups(shoe, coup)]), coup):
        if each is coup or _is_in_rotation(shoe, each, tableau):
            held, before = _next_holder(shoe, each, tableau, before, held), each
    return held


def _next_holder(
    shoe: Shoe, coup: Coup, tableau: Tableau, before: Coup | None, held: str | None
) -> str | None:
    """Return the patron who plays a hand after a patron held it in the coup before."""
    takers = [taker for taker in banco_claimants(shoe, coup) if tableau in PARTS[taker.wager]]
    if takers:
        return takers[0].patron
    seated = seated_on(coup, tableau)
    if not seated:
        staked_on = (bet.patron for bet in open_bets(coup) if tableau in PARTS.get(bet.wager, ()))
        return next(staked_on, None)
    if before is None:
        return seated[0]
    if held in seated and outcome_at(before, tableau) != "loses":
        return held
    last = bank_events_of(before).places.get(held or "", 0)
    return next((who for who in seated if bank_events_of(coup).places[who] > last), seated[0])


def _last_in_rotation(shoe: Shoe, coup: Coup, tableau: Tableau) -> Coup | None:
    """Return the last coup whose tableau's hand was held in rotation, not by banco."""
    earlier = earlier_coups(shoe, coup)
    return next((before for before in earlier if _is_in_rotation(shoe, before, tableau)), None)


def _is_in_rotation(shoe: Shoe, coup: Coup, tableau: Tableau) -> bool:
    """Return whether a tableau's hand was held by a patron seated there, not by banco."""
    if given_to(coup, tableau) not in seated_on(coup, tableau):
        return False
    return not any(tableau in PARTS[taker.wager] for taker in banco_claimants(shoe, coup))


# -- Going bank -------------------------------------------------------------------------------


class BancoClaimant(Struct, frozen=True):
    """A banco claimant, the wager, and the amount in minor units."""

    patron: str
    wager: str
    amount: int


def banco_claimants(shoe: Shoe, coup: Coup) -> list[BancoClaimant]:
    """Return the patrons who go banco: one, or two from opposite sides for half each.

    Priority starts with the first patron on the banker's right, then the first on the left, and so
    on in turn. The second half goes to the first claim from the other side.
    """
    bank = bank_of(coup)
    if bank is None:
        return []
    ranked = sorted(claims_of(coup), key=lambda claim: _rank(coup, claim))
    if not ranked:
        return []
    first = ranked[0]
    side = side_of(coup, first)
    other = next((claim for claim in ranked if _opposite(side, side_of(coup, claim))), None)
    if other is None:
        return [_taker(shoe, coup, first, bank)]
    return [_taker(shoe, coup, claim, bank // 2) for claim in (first, other)]


def side_of(coup: Coup, claim: BancoCalled) -> Tableau | None:
    """Return the side of a claim: that of the claimant's seat, else the named tableau."""
    sits = tableau_of(coup, claim.patron)
    if sits is not None:
        return sits
    return claim.on if claim.on != "both" else None


def _opposite(one: Tableau | None, other: Tableau | None) -> bool:
    return one is not None and other is not None and one != other


def _rank(coup: Coup, claim: BancoCalled) -> int:
    order = bank_events_of(coup).order
    return order.index(claim.patron) if claim.patron in order else len(order)


def _taker(shoe: Shoe, coup: Coup, claim: BancoCalled, share: int) -> BancoClaimant:
    """Return a claimant with the stake to place, which is a share of the bank.

    The stake is rounded down to whole stake units. For a stake à cheval, each half is rounded.
    """
    wager = (
        A_CHEVAL if claim.on == "both" else claim.on or tableau_of(coup, claim.patron) or "right"
    )
    unit = rule_of(shoe).stake_unit * len(PARTS[wager])
    return BancoClaimant(claim.patron, wager, share // unit * unit)


def lost_bancos(shoe: Shoe, coup: Coup, patron: str) -> int:
    """Return how many bancos in a row a patron lost just before a coup.

    A stake that a tie or a split à cheval left in place is still the same banco. The count restarts
    against another bank.
    """
    lost = came_to = 0
    for before in earlier_coups(shoe, coup, voided=True):
        if before.voided is not None and not _was_paid(before, patron):
            continue
        if bank_events_of(before).nth != bank_events_of(coup).nth:
            break
        takers = [taker for taker in banco_claimants(shoe, before) if taker.patron == patron]
        left = [bet for bet in open_bets(before) if bet.patron == patron and bet.carried]
        claimed = [stake_of(before, taker) for taker in takers]
        if not takers and not left:
            break
        came_to += sum(bet.paid - bet.taken for bet in claimed or left if bet is not None)
        if not takers:
            continue
        if came_to > 0:
            break
        lost += came_to < 0
        came_to = 0
    return lost


def _was_paid(coup: Coup, patron: str) -> bool:
    """Return whether a patron was paid at once in a coup that was later voided."""
    tableau = natural_paid_before_void(coup)
    return any(
        bet.patron == patron and bet.wager == tableau and bet.paid for bet in open_bets(coup)
    )


def stake_of(coup: Coup, taker: BancoClaimant) -> Bet | None:
    """Return the bet that a claimant placed as the banco stake, or None before that."""
    for bet in open_bets(coup):
        if (bet.patron, bet.wager, bet.amount) == (taker.patron, taker.wager, taker.amount):
            return bet
    return None


def beside_takers(shoe: Shoe, coup: Coup) -> list[Bet]:
    """Return all stakes except those of the banco, last in order of play first.

    They have to be returned. Empty without a banco.
    """
    takers = banco_claimants(shoe, coup)
    if not takers:
        return []
    theirs = [stake_of(coup, taker) for taker in takers]
    lying = in_rotation(coup, open_bets(coup))
    return [bet for bet in reversed(lying) if all(bet is not stake for stake in theirs)]


def excess_of_tableaux(shoe: Shoe, coup: Coup) -> list[Excess]:
    """Return the stakes to return at two tableaux.

    If somebody goes bank, they are all other stakes. Otherwise they are the standing patrons'
    stakes beyond the bank.
    """
    if banco_claimants(shoe, coup):
        return [Excess(bet, bet.amount) for bet in beside_takers(shoe, coup)]
    return list(over_the_seated(shoe, coup))
