"""Simulated play of chemin de fer: patrons bank, stake, call banco and choose.

Each step carries out the next action due, as in `sabot.domain.simulation.dealer`. Free choices are
optimal for the visible totals (`sabot.domain.odds.optimal_play`), except for each patron's share of
random choices.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.odds.optimal_play.chemin_de_fer_game import REPLACED, game_of
from sabot.domain.odds.optimal_play.chemin_de_fer_solution import solve
from sabot.domain.procedure.common import MAIN_WAGERS, staying_bets
from sabot.domain.procedure.next_action import Awaits, NextAction
from sabot.domain.procedure.patron_bank import (
    Side,
    banco_claimant,
    bank_events_of,
    bank_of,
    claim_rank,
    drawing_of,
    entitled_to_suivi,
    given_to,
    position_in,
    total_staked,
)
from sabot.domain.simulation.patrons.habits import OnFelt
from sabot.domain.simulation.patrons.patron import Sitter
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup

if TYPE_CHECKING:
    from sabot.domain.rules.drawing_options import Choice


Events = tuple[ev.ShoeEvent, ...]


def given_up(table: SimulatedTable, coup: int) -> Events:
    """Return the events of a banker who gives up the bank between two coups."""
    shoe, bank = table.shoe, table.shoe.bank
    rule = table.pack.bank
    if bank is None or rule is None or bank.coups < rule.deals or bank.amount <= 0:
        return ()
    sitter = table.sitter(bank.holder)
    if sitter is None or staying_bets(shoe, Coup(coup)):
        return ()
    if sitter.rng.random() >= sitter.patron.retires:
        return ()
    return (bank_ev.BankWithdrawn(bank.holder, bank.amount), ev.ShoePassed(bank.holder, "chosen"))


# -- The bank ---------------------------------------------------------------------------------


def _holder(table: SimulatedTable, due: NextAction) -> Events:
    assert due.payload is not None
    shoe = table.shoe
    if not isinstance(due.payload, ev.ShoeTaken) or table.pack.bank is None:
        return (due.payload,)
    sitter = table.sitter(due.payload.by)
    least = shoe.match if shoe.match is not None else table.pack.bank.minimum
    if sitter is None or sitter.bankroll < least or sitter.rng.random() >= sitter.patron.holds:
        return (ev.ShoeRefused(due.payload.by),)
    return (due.payload,)


def _bank(table: SimulatedTable, due: NextAction) -> Events:
    payload = due.payload
    assert payload is not None
    if not isinstance(payload, bank_ev.BankPosted) or table.shoe.match is not None:
        return (payload,)
    sitter = table.sitter(payload.by)
    if sitter is None:
        return (payload,)
    most = table.pack.bank.maximum if table.pack.bank is not None else None
    wished = sitter.patron.bank * sitter.patron.habit.unit
    amount = max(payload.amount, min(wished, sitter.bankroll, most or wished))
    return (bank_ev.BankPosted(payload.by, amount),)


# -- The stakes -------------------------------------------------------------------------------


def _bets(table: SimulatedTable, due: NextAction) -> Events:
    coup = table.shoe.current
    assert coup is not None
    match due.payload:
        case bank_ev.ExcessReturned() as returned:
            return _raised(table, coup) or (returned,)
        case ev.BetCarried() | ev.BetPlaced() as placed:
            return (placed,)
        case _:
            pass
    if table.asks_for_bets(coup):
        wished = _claimed(table, coup) or tuple(_staked(table, coup))
        if wished:
            return wished
    if due.payload is not None:
        return (due.payload,)
    return _nobody(table, coup)


def _nobody(table: SimulatedTable, coup: Coup) -> Events:
    """Return a stake of the first patron who can afford one, if nobody else stakes.

    If no patron can, the coup is voided.
    """
    least = table.limits.minimum
    for who in bank_events_of(coup).order:
        sitter = table.sitter(who)
        if sitter is not None and sitter.seated and sitter.bankroll >= least:
            return (_placed(coup, sitter, min(least, bank_of(coup) or least)),)
    reason = "nobody stakes against the bank"
    return (
        ev.IrregularityNoted("other", "void", coup.number, table.floor, reason),
        ev.CoupVoided(coup.number, reason, table.floor),
    )


def _players(table: SimulatedTable, coup: Coup) -> Iterator[Sitter]:
    """Yield the patrons who may stake, in order of play.

    A patron whose stake is held by a tie stakes nothing more.
    """
    held = {bet.patron for bet in coup.bets.values()}
    for who in bank_events_of(coup).order:
        sitter = table.sitter(who)
        if sitter is not None and sitter.seated and who not in held:
            yield sitter


def _claimed(table: SimulatedTable, coup: Coup) -> Events:
    """Return the banco call that has precedence, or None."""
    bank = bank_of(coup) or 0
    if coup.bets or table.pack.banco is None:
        return ()
    would = [
        sitter.patron.name
        for sitter in _players(table, coup)
        if sitter.rng.random() < sitter.patron.banco and sitter.bankroll >= bank
    ]
    if not would:
        return ()
    first = min(would, key=lambda who: claim_rank(table.shoe, coup, who))
    again = first == entitled_to_suivi(table.shoe, coup)
    return (bank_ev.BancoCalled(coup.number, first, again),)


def _staked(table: SimulatedTable, coup: Coup) -> Iterator[ev.BetPlaced]:
    """Yield the stakes of all patrons: the total that the habit puts on the main wagers."""
    limits, bank = table.limits, bank_of(coup) or 0
    felt = [OnFelt(bet.patron, bet.wager, bet.amount) for bet in coup.bets.values()]
    covered = total_staked(coup)
    number = max(coup.bets, default=0)
    for sitter in _players(table, coup):
        # stakes beyond twice the bank have no chance of being covered
        if covered >= 2 * bank:
            return
        spot = sitter.spot(coup.number, limits, table.outcomes, table.unseen, felt)
        wants = sitter.wants(spot, {})
        wished = sum(amount for wager, amount in wants.items() if wager in MAIN_WAGERS)
        amount = min(wished, sitter.bankroll, limits.maximum, bank)
        if amount >= limits.minimum:
            number += 1
            covered += amount
            felt.append(OnFelt(sitter.patron.name, "player", amount))
            yield _placed(coup, sitter, amount, number)


def _placed(coup: Coup, sitter: Sitter, amount: int, number: int = 0) -> ev.BetPlaced:
    number = number or max(coup.bets, default=0) + 1
    patron = sitter.patron
    return ev.BetPlaced(coup.number, number, patron.name, "player", amount, patron.seat)


def _raised(table: SimulatedTable, coup: Coup) -> Events:
    """Return the banker's raise of the bank to cover stakes.

    The banker must be willing, and the rules must permit it.
    """
    rule, bank = table.pack.excess, table.shoe.bank
    if rule is None or rule.option != "raise-or-return" or bank is None:
        return ()
    if bank_events_of(coup).excess or banco_claimant(table.shoe, coup) is not None:
        return ()
    sitter = table.sitter(bank.holder)
    over = total_staked(coup) - (bank_of(coup) or 0)
    if sitter is None or sitter.bankroll < over:
        return ()
    if sitter.rng.random() >= sitter.patron.raises:
        return ()
    return (bank_ev.BankRaised(bank.holder, over, coup.number),)


LevyStep = bank_ev.LevyAnnounced | bank_ev.TicketsDetached | bank_ev.LevyTaken | bank_ev.TicketsTorn


def with_ticket(table: SimulatedTable, step: LevyStep) -> LevyStep:
    """Return a step with a ticket number added to its levy, if the pack requires one.

    Other steps are returned unchanged.
    """
    rule, serial = table.pack.levy, f"{table.shoe.name}/{step.coup}"
    if isinstance(step, bank_ev.TicketsDetached):
        return bank_ev.TicketsDetached(step.coup, step.amount, (serial,))
    if not isinstance(step, bank_ev.LevyTaken) or rule is None or not rule.tickets or rule.steps:
        return step
    return bank_ev.LevyTaken(step.coup, step.amount, serial)


# -- The hands --------------------------------------------------------------------------------


def _choice(table: SimulatedTable, due: NextAction) -> Events:
    if due.payload is not None:
        return (due.payload,)
    shoe, coup = table.shoe, table.shoe.current
    assert coup is not None
    side: Side = "player" if due.hand == "player" else "banker"
    who = given_to(coup, "player") if side == "player" else bank_events_of(coup).banker
    rules, sitter = drawing_of(shoe), table.sitter(who)
    assert rules is not None
    chance = float(solve(game_of(REPLACED, rules)).draws[position_in(coup, side)])
    rng = sitter.rng if sitter is not None else table.rng
    if sitter is not None and rng.random() < sitter.patron.whim:
        chance = 0.5
    choice: Choice = "draw" if rng.random() < chance else "stand"
    return (bank_ev.ChoiceMade(coup.number, side, choice, who),)


ANSWERS: Final[dict[Awaits, Callable[[SimulatedTable, NextAction], Iterable[ev.ShoeEvent]]]] = {
    "bets": _bets,
    "bank": _bank,
    "holder": _holder,
    "choice": _choice,
}
"""Answers of a table with a patron's bank, instead of the default ones."""
