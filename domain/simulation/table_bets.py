"""Bets of a simulated coup."""

from collections.abc import Iterator
from typing import Final

from sabot.domain import events as ev
from sabot.domain.procedure.common import limit_for
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.wagers import WAGER_ON
from sabot.domain.simulation.cheats.cheats import read_signal
from sabot.domain.simulation.cheats.knowledge import Ahead
from sabot.domain.simulation.patrons.habits import Moment, OnFelt, Stakes
from sabot.domain.simulation.patrons.patron import Sitter
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Bet, Coup

_FIRST_CARDS: Final = 4
"""Cards that are dealt before any third card: two each."""


def place_bets(table: SimulatedTable, coup: Coup) -> tuple[ev.ShoeEvent, ...]:
    """Return all patrons' requests, and the bets placed, changed and withdrawn."""
    limits = table.limits
    felt = [OnFelt(bet.patron, bet.wager, bet.amount) for bet in coup.bets.values()]
    number = max(coup.bets, default=0)
    payloads: list[ev.ShoeEvent] = []
    for sitter in table.sitters:
        if not sitter.seated or table.banks(sitter.patron.name):
            continue
        mine = (
            [bet for bet in coup.bets.values() if bet.patron == sitter.patron.name]
            if coup.bets
            else []
        )
        spot = sitter.spot(coup.number, limits, table.outcomes, table.unseen, felt)
        name = sitter.patron.name
        payloads += [
            ask.made_by(name, coup.number) for ask in sitter.patron.habit.asks(spot, sitter.rng)
        ]
        channel = sitter.patron.channel
        if channel is not None:
            spot.knows = channel.read(_ahead(table, coup, channel.looks), sitter.rng)
        wanted = dict(sitter.wants(spot, {bet.wager: bet.amount for bet in mine}))
        if table.pack.macao is not None:
            wanted = _on_his_hand(table, felt, wanted)
        purse = sitter.bankroll
        for payload, stake in _standing(table, coup, mine, wanted):
            purse -= stake
            if payload is not None:
                payloads.append(payload)
        for wager, amount in _lawful(table, wanted, purse):
            number += 1
            felt.append(OnFelt(sitter.patron.name, wager, amount))
            payloads.append(_placed(coup, number, sitter, wager, amount))
    return tuple(payloads)


def _ahead(table: SimulatedTable, coup: Coup, looks: int) -> Ahead:
    """Return the coming cards that a cheat's channel can show."""
    cards = table.order.ahead(looks)
    return Ahead(cards, table.gone + 1, coup.player, coup.banker, table.plan.known)


def late_moment(coup: Coup, due: NextAction) -> Moment | None:
    """Return at which moment for late bet changes the coup is now, or None."""
    if coup.no_more_bets is None:
        return None
    if due.expects == "card" and len(coup.player) + len(coup.banker) >= _FIRST_CARDS:
        return "third"
    return "result" if isinstance(due.payload, ev.ResultCalled) else None


def late_moves(table: SimulatedTable, coup: Coup, moment: Moment) -> tuple[ev.ShoeEvent, ...]:
    """Return the late changes by all patrons with bets."""
    payloads: list[ev.ShoeEvent] = []
    number = max(coup.bets, default=0)
    for sitter in table.sitters:
        name = sitter.patron.name
        mine = {
            bet.wager: bet for bet in coup.bets.values() if bet.patron == name and not bet.withdrawn
        }
        wins = read_signal(_late_information(table, coup, sitter, moment)) if mine else ""
        stakes = {wager: bet.amount for wager, bet in mine.items()}
        wanted = sitter.patron.habit.late(moment, wins, stakes, sitter.rng) if mine else None
        if wanted is None:
            continue
        for wager, bet in mine.items():
            want = wanted.get(wager, 0)
            if want and want != bet.amount:
                payloads.append(ev.BetChanged(coup.number, bet.number, want))
            elif not want:
                payloads.append(ev.BetWithdrawn(coup.number, bet.number))
        for wager in wanted.keys() - mine.keys():
            number += 1
            payloads.append(_placed(coup, number, sitter, wager, wanted[wager]))
    return tuple(payloads)


def _late_information(table: SimulatedTable, coup: Coup, sitter: Sitter, moment: Moment) -> object:
    """Return what a patron knows at the moment of a late bet change.

    It is the result once it is known, and before that the information of the channel.
    """
    if moment == "result":
        outcome = result_of(coup.player, coup.banker).outcome
        return WAGER_ON[outcome]
    channel = sitter.patron.channel
    if channel is None:
        return None
    return channel.read(_ahead(table, coup, channel.looks), sitter.rng)


def _on_his_hand(
    table: SimulatedTable, felt: list[OnFelt], wanted: dict[str, int]
) -> dict[str, int]:
    """Return the patron's largest wanted stake as a stake on the patron's own hand.

    The bank must cover it.
    """
    bank = table.shoe.bank
    left = bank.amount - sum(bet.amount for bet in felt) if bank is not None else 0
    stake = min(max(wanted.values(), default=0), left)
    return {table.pack.wagers[0].name: stake} if stake > 0 else {}


def evened_out(table: SimulatedTable, coup: Coup) -> tuple[ev.ShoeEvent, ...]:
    """Withdraw the latest bets until Player and Banker bets differ by no more than allowed."""
    most = table.pack.limits.differential
    if most is None:
        return ()
    taken: list[ev.ShoeEvent] = []
    standing = {bet.number: bet for bet in coup.bets.values() if not bet.withdrawn}
    tilt = sum(_tilt(bet) for bet in standing.values())
    for bet in reversed(list(standing.values())):
        frozen = bet.carried and not table.pack.tie.withdrawable
        if abs(tilt) > most and tilt * _tilt(bet) > 0 and not frozen:
            tilt -= _tilt(bet)
            taken.append(ev.BetWithdrawn(coup.number, bet.number))
    return tuple(taken)


def _tilt(bet: Bet) -> int:
    return {"player": bet.amount, "banker": -bet.amount}.get(bet.wager, 0)


def _placed(coup: Coup, number: int, sitter: Sitter, wager: str, amount: int) -> ev.BetPlaced:
    patron = sitter.patron
    return ev.BetPlaced(coup.number, number, patron.name, wager, amount, patron.seat)


def _standing(
    table: SimulatedTable, coup: Coup, mine: list[Bet], wanted: dict[str, int]
) -> Iterator[tuple[ev.ShoeEvent | None, int]]:
    """Yield the changes that bring bets left by a tie to the stakes wanted."""
    for bet in mine:
        want = wanted.pop(bet.wager, 0)
        if want == bet.amount or not table.pack.tie.withdrawable:
            yield None, bet.amount
        elif want:
            yield ev.BetChanged(coup.number, bet.number, want), want
        else:
            yield ev.BetWithdrawn(coup.number, bet.number), 0


def _lawful(table: SimulatedTable, wanted: Stakes, purse: int) -> Iterator[tuple[str, int]]:
    """Return the wanted stakes, reduced to the table's limits and the patron's chips."""
    for wager, amount in wanted.items():
        limit = limit_for(table.shoe, wager)
        stake = min(amount, purse, limit.maximum if limit else amount)
        if stake > 0 and (limit is None or stake >= limit.minimum):
            purse -= stake
            yield wager, stake
