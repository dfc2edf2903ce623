"""Simulated play of baccarat banque: two tableaux against one banker.

Patrons bid or list themselves for the bank, prove their funds, post the bank, take it over and
retire. They stake on their tableau or à cheval, and call banco on one hand or both. Free choices
follow an equilibrium for the stakes on both tableaux, rounded to the nearest quarter, except for
each patron's share of random choices.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.next_action import Awaits, NextAction
from sabot.domain.procedure.patron_bank import bank_events_of, bank_of, given_to, total_staked
from sabot.domain.procedure.two_tableaux.banco_claims import beside_takers, lost_bancos
from sabot.domain.procedure.two_tableaux.bank_award import equilibrium, five_of, place_of, split_of
from sabot.domain.procedure.two_tableaux.held_stakes import stakes_held_for
from sabot.domain.procedure.two_tableaux.tableaux import rule_of, tableau_of
from sabot.domain.rules.tableau_hands import A_CHEVAL, PARTS, TABLEAUX, Tableau
from sabot.domain.simulation.banked_games import banque_bankers
from sabot.domain.simulation.banked_games.banque_bankers import funds_of
from sabot.domain.simulation.banked_games.chemin_play import LevyStep, with_ticket
from sabot.domain.simulation.patrons.habits import OnFelt
from sabot.domain.simulation.patrons.patron import Sitter
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup

if TYPE_CHECKING:
    from sabot.domain.rules.drawing_options import Choice


Events = tuple[ev.ShoeEvent, ...]

COUP_CARDS: Final = 9
"""The maximum number of cards in a coup."""

_CHEVAL: Final = 0.2
"""Probability that a stake or banco is on both tableaux."""
_LATE: Final = 0.3
"""Probability of a banco after others have staked."""
_QUARTERS: Final = 4


def given_up(table: SimulatedTable, coup: int) -> Events:
    """Return the events of a banker who retires between coups."""
    bank, rule = table.shoe.bank, table.pack.bank
    if bank is None or rule is None or bank.coups < rule.deals or bank.amount <= 0:
        return ()
    sitter = table.sitter(bank.holder)
    if sitter is None or stakes_held_for(table.shoe, Coup(coup)):
        return ()
    # a bank lasts longer than at chemin de fer, where every loss ends it
    if sitter.rng.random() >= sitter.patron.retires / 2:
        return ()
    return (bank_ev.BankWithdrawn(bank.holder, bank.amount), ev.ShoePassed(bank.holder, "chosen"))


def holds_back(table: SimulatedTable, name: str, coup: int) -> bool:
    """Return whether a patron has a stake that is held on the layout."""
    if table.pack.tableaux is None:
        return False
    return any(each.bet.patron == name for each in stakes_held_for(table.shoe, Coup(coup)))


# -- The stakes -------------------------------------------------------------------------------


def _bets(table: SimulatedTable, due: NextAction) -> Events:
    coup = table.shoe.current
    assert coup is not None
    if due.payload is not None and not isinstance(due.payload, ev.NoMoreBets):
        return (due.payload,)
    if table.asks_for_bets(coup):
        claims = _claimed(table, coup)
        if not claims or table.rng.random() < _LATE:
            claimants = {claim.patron for claim in claims}
            stakes = [bet for bet in _staked(table, coup) if bet.patron not in claimants]
            if claims or stakes:
                return (*_numbered(coup, stakes), *claims)
        else:
            return claims
    accepted = _accepted(table, coup)
    if accepted:
        return accepted
    return (due.payload,) if due.payload is not None else _nobody(table, coup)


def _players(table: SimulatedTable, coup: Coup) -> Iterator[Sitter]:
    """Yield the patrons who may stake: seated ones in rotation, then standing ones."""
    order = bank_events_of(coup).order
    held = {bank_events_of(coup).banker, *(bet.patron for bet in coup.bets.values())}
    stand = [s.patron.name for s in table.sitters if s.patron.name not in order]
    for who in (*order, *stand):
        sitter = table.sitter(who)
        if sitter is not None and sitter.seated and who not in held:
            yield sitter


def _numbered(coup: Coup, stakes: Iterable[ev.BetPlaced]) -> Iterator[ev.BetPlaced]:
    first = max(coup.bets, default=0) + 1
    return (replace(bet, bet=number) for number, bet in enumerate(stakes, first))


def _claimed(table: SimulatedTable, coup: Coup) -> tuple[bank_ev.BancoCalled, ...]:
    """Return the banco calls, on the patron's own hand or on both."""
    shoe, bank, rule = table.shoe, bank_of(coup) or 0, table.pack.banco
    if (
        rule is None
        or bank_events_of(coup).unlimited
        or coup.bets
        or stakes_held_for(shoe, coup)
        or bank < 4  # noqa: PLR2004 - halves of halves
    ):
        return ()
    claims = []
    for sitter in _players(table, coup):
        who = sitter.patron.name
        if sitter.rng.random() >= sitter.patron.banco or sitter.bankroll < bank:
            continue
        if rule.successive is not None and lost_bancos(shoe, coup, who) >= rule.successive:
            continue
        mine = tableau_of(coup, who)
        on: Tableau | None = None if mine is not None else sitter.rng.choice(TABLEAUX)
        both = sitter.rng.random() < _CHEVAL
        claims.append(bank_ev.BancoCalled(coup.number, who, on="both" if both else on))
    return tuple(claims)


def _staked(table: SimulatedTable, coup: Coup) -> Iterator[ev.BetPlaced]:
    """Yield all stakes, by habit. They are on one tableau or on both."""
    limits, most = table.limits, _covered(table, coup)
    felt = [OnFelt(bet.patron, bet.wager, bet.amount) for bet in coup.bets.values()]
    lying, number = total_staked(coup), max(coup.bets, default=0)
    for sitter in _players(table, coup):
        if lying >= most:
            return
        spot = sitter.spot(coup.number, limits, table.outcomes, table.unseen, felt)
        wants = sitter.wants(spot, {})
        wished = min(max(wants.values(), default=0), sitter.bankroll, limits.maximum)
        wager = _wager(table, coup, sitter)
        if tableau_of(coup, sitter.patron.name) is None:
            wished = min(wished, (bank_of(coup) or 0) - lying)
        elif bank_events_of(coup).unlimited:
            wished = min(wished, most - lying)
        amount = _whole(table, wager, wished)
        if amount >= limits.minimum:
            number += 1
            lying += amount
            felt.append(OnFelt(sitter.patron.name, wager, amount))
            yield _placed(table, coup, (number, sitter.patron.name), (wager, amount))


def _covered(table: SimulatedTable, coup: Coup) -> int:
    """Return the highest total that patrons stake.

    It is twice the bank, or all chips of a banker who accepts all stakes.
    """
    bank = bank_of(coup) or 0
    if not bank_events_of(coup).unlimited:
        return 2 * bank
    sitter = table.sitter(bank_events_of(coup).banker)
    more = sitter.bankroll if sitter is not None else 0
    holder, ours = bank_events_of(coup).banker or "", table.shoe.bank
    funds = funds_of(table.shoe, holder)
    if funds is not None and ours is not None:
        more = min(more, max(0, funds - ours.put_in))
    return bank + more


def _wager(table: SimulatedTable, coup: Coup, sitter: Sitter) -> str:
    if sitter.rng.random() < _CHEVAL:
        return A_CHEVAL
    mine = tableau_of(coup, sitter.patron.name)
    if mine is None or (not rule_of(table.shoe).own_tableau and sitter.rng.random() < _CHEVAL):
        return sitter.rng.choice(TABLEAUX)
    return mine


def _whole(table: SimulatedTable, wager: str, amount: int) -> int:
    """Return an amount in whole units on each tableau."""
    unit = rule_of(table.shoe).stake_unit * len(PARTS[wager])
    return max(0, amount) // unit * unit


def _placed(
    table: SimulatedTable, coup: Coup, who: tuple[int, str], what: tuple[str, int]
) -> ev.BetPlaced:
    seats = table.shoe.seats.items()
    seat = next((number for number, sitting in seats if sitting == who[1]), None)
    return ev.BetPlaced(coup.number, *who, *what, seat)


def _accepted(table: SimulatedTable, coup: Coup) -> Events:
    """Return the event in which the banker accepts all stakes, so that the bank has no limit."""
    rule, bank = table.pack.excess, table.shoe.bank
    over = total_staked(coup) - (bank_of(coup) or 0)
    if rule is None or rule.option != "rotation-or-accept" or bank is None or over <= 0:
        return ()
    if bank.unlimited or beside_takers(table.shoe, coup):
        return ()
    sitter = table.sitter(bank.holder)
    if sitter is None or sitter.bankroll < over:
        return ()
    if sitter.rng.random() >= sitter.patron.raises / _QUARTERS:
        return ()
    return (bank_ev.BankUnlimited(bank.holder, coup.number),)


def _nobody(table: SimulatedTable, coup: Coup) -> Events:
    """Return a stake of the first patron who can afford one, if nobody else stakes.

    If no patron can, the coup is voided.
    """
    most = _covered(table, coup)
    for sitter in _players(table, coup):
        tableau, least = tableau_of(coup, sitter.patron.name), table.limits.minimum
        able = least <= min(most, sitter.bankroll)
        if tableau is not None and able and _whole(table, tableau, least) == least:
            number = max(coup.bets, default=0) + 1
            return (_placed(table, coup, (number, sitter.patron.name), (tableau, least)),)
    reason = "nobody stakes against the bank"
    return (
        ev.IrregularityNoted("other", "void", coup.number, table.floor, reason),
        ev.CoupVoided(coup.number, reason, table.floor),
    )


# -- The hands --------------------------------------------------------------------------------


def _choice(table: SimulatedTable, due: NextAction) -> Events:
    if due.payload is not None:
        return (due.payload,)
    coup = table.shoe.current
    assert coup is not None
    assert due.hand is not None
    split = Fraction(round(split_of(coup) * _QUARTERS), _QUARTERS)
    solution = equilibrium(split)
    if due.hand in TABLEAUX:
        who = given_to(coup, due.hand)
        tableau: Tableau = "right" if due.hand == "right" else "left"
        chance = float(solution.fives[five_of(coup, tableau)])
    else:
        who, chance = bank_events_of(coup).banker, float(solution.banker[place_of(coup)])
    sitter = table.sitter(who)
    rng = sitter.rng if sitter is not None else table.rng
    if sitter is not None and rng.random() < sitter.patron.whim:
        chance = 0.5
    choice: Choice = "draw" if rng.random() < chance else "stand"
    return (bank_ev.ChoiceMade(coup.number, due.hand, choice, who),)


def _settle(table: SimulatedTable, due: NextAction) -> Events:
    """Return the next settlement.

    If only one tableau has a natural, its bets are settled before the hands are called.
    """
    assert due.payload is not None
    if isinstance(due.payload, LevyStep):
        return (with_ticket(table, due.payload),)
    return (due.payload,)


ANSWERS: Final[dict[Awaits, Callable[[SimulatedTable, NextAction], Iterable[ev.ShoeEvent]]]] = {
    "shuffle": banque_bankers.shuffle,
    "cut": banque_bankers.cut,
    "bets": _bets,
    "bank": banque_bankers.bank,
    "holder": banque_bankers.holder,
    "choice": _choice,
    "settle": _settle,
}
"""Answers of a table with two tableaux, instead of the default ones."""
