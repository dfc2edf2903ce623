"""Coups that do not end, or come behind the end; calls, takes and bets of another moment."""

from collections.abc import Iterator

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.common import limit_for
from sabot.domain.procedure.dealing_order import NextAction, due_bets, due_move
from sabot.domain.rules.coup_result import result_of
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.shoe import order_of_play
from tests.faults.fault import Events, FaultKind

_CARRIED = ("carried-bet-without-tie",)
_HELD = ("held-bet-taken-up",)
_CARDS_OF_A_COUP = 6
_OTHER: dict[ev.Outcome, ev.Outcome] = {"P": "B", "B": "P", "T": "P"}


def _called_twice(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ResultCalled) or payload.outcome is None:
        return None
    return (replace(payload, outcome=_OTHER[payload.outcome]), payload)


def _settled_late(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if due.expects != "settle" or coup is None or any(bet.moves for bet in coup.bets.values()):
        return None
    return _closed_and_settled(table, coup.number)


def _closed_and_settled(table: SimulatedTable, number: int) -> Iterator[ev.ShoeEvent]:
    coup = table.shoe.coups[number]
    yield ev.CoupClosed(number)
    for bet, what in due_bets(table.shoe, coup):
        for _ in ("the bet", "its commission"):
            payload = due_move(table.shoe, coup, bet, what)
            if payload is not None:
                yield payload


def _at_another_stake(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.BetCarried):
        return None
    limit = limit_for(table.shoe, payload.wager)
    more = -1 if limit is not None and payload.amount > limit.minimum else 1
    return (replace(payload, amount=payload.amount + more),)


def _by_a_stranger(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (replace(payload, patron="nobody"),) if isinstance(payload, ev.BetCarried) else None


def _held_withdrawn(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.BetCarried) or table.pack.tie.withdrawable:
        return None
    return (payload, ev.BetWithdrawn(payload.coup, payload.bet))


def _held_missing(table: SimulatedTable, due: NextAction) -> Events | None:
    if not isinstance(due.payload, ev.BetCarried) or table.pack.tie.withdrawable:
        return None
    return (ev.NoMoreBets(due.payload.coup),)


def _before_the_end(table: SimulatedTable) -> bool:
    """Tell whether the cut card is still to come: no coup now is the last."""
    return table.shoe.cut_card is None


def _unclosed(table: SimulatedTable, due: NextAction) -> Events | None:
    if due.expects != "close" or not _before_the_end(table):
        return None
    return (ev.CoupOpened(max(table.shoe.coups) + 1),)


def _bets_left(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if not isinstance(due.payload, ev.NoMoreBets) or coup is None or not coup.bets:
        return None
    left = table.order.left
    counted = left + len(table.shoe.left)
    return (ev.ShoeEnded(left=left, counted=counted, reason="withdrawn"),)


def _skipped(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CoupOpened) or payload.coup == 1 or not _before_the_end(table):
        return None
    return (replace(payload, coup=payload.coup + 1),)


def _behind_the_end(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeEnded) or not table.shoe.coups:
        return None
    return (payload, ev.CoupOpened(max(table.shoe.coups) + 1))


def _quietly_burned(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A card that was dealt is burned, and the hand gets another."""
    if not isinstance(payload, ev.CardDrawn):
        return None
    return (payload, ev.CardBurned(payload.card, payload.place, "ruling", payload.coup))


def _drawn_when_over(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The coup is over, and one more card of it comes out of the shoe."""
    coup = table.shoe.current
    if not isinstance(payload, ev.CoupClosed) or coup is None or not coup.cards:
        return None
    last = coup.cards[-1].payload
    if not isinstance(last, ev.CardDrawn) or table.order.left < _CARDS_OF_A_COUP:
        return None
    return (payload, table.drawn(last.hand, last.seat))


def _by_the_tableau(table: SimulatedTable) -> bool:
    """Tell whether both hands are played by the tableau, and the house banks."""
    return table.pack.game == "punto-banco"


def _foretold(table: SimulatedTable, due: NextAction) -> Events | None:
    """The dealer knows Banker's third card, and calls the result before he draws it."""
    coup = table.shoe.current
    third = due.hand == "banker" and coup is not None and len(coup.banker) == 2
    if not third or coup is None or not _by_the_tableau(table):
        return None
    card = table.drawn("banker")
    result = result_of(coup.player, [*coup.banker, card.card])
    call = ev.ResultCalled(coup.number, result.player, result.banker, result.outcome)
    return (call, card)


def _uncalled(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    first = max(table.shoe.coups, default=0) < 2
    if not isinstance(due.payload, ev.ResultCalled) or coup is None or first:
        return None
    if not _by_the_tableau(table):
        return None
    return _settled_and_closed(table, coup.number)


def _settled_and_closed(table: SimulatedTable, number: int) -> Iterator[ev.ShoeEvent]:
    yield from table.settlement()
    yield ev.CoupClosed(number)


def _past_a_neighbour(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The shoe goes the wrong way round: to who sits on the other side of the one who had it."""
    shoe = table.shoe
    if not isinstance(payload, ev.ShoeOffered) or table.pack.game != "punto-banco":
        return None
    order = order_of_play(shoe, shoe.last_holder)
    others = [patron for patron in order if patron not in (payload.to, shoe.last_holder)]
    if shoe.last_holder not in order or payload.to not in order or not others:
        return None
    return (ev.ShoeOffered(others[-1]),)


KINDS = (
    FaultKind(
        name="result-foretold",
        family="totals",
        what="the result is called before Banker's third card is drawn, and comes so",
        codes=("premature-call",),
        acts=_foretold,
    ),
    FaultKind(
        name="result-uncalled",
        family="procedure",
        what="the bets of a coup are settled, and nobody calls its result",
        codes=("result-not-called",),
        acts=_uncalled,
    ),
    FaultKind(
        name="result-called-twice",
        family="totals",
        what="the dealer announces the wrong side, then the right one, and nobody notes it",
        codes=("miscalled-result",),
        alters=_called_twice,
    ),
    FaultKind(
        name="settled-after-close",
        family="procedure",
        what="the coup is closed with its bets on the felt, which are settled then",
        codes=(
            "settlement-after-coup-close",
            "cards-cleared-before-settlement",
        ),
        acts=_settled_late,
    ),
    FaultKind(
        name="carried-at-another-stake",
        family="procedure",
        what="a bet that a tie left is carried over by one minor unit more or less",
        codes=_CARRIED,
        alters=_at_another_stake,
    ),
    FaultKind(
        name="carried-by-a-stranger",
        family="procedure",
        what="a bet is carried over for somebody who had none there",
        codes=_CARRIED,
        alters=_by_a_stranger,
    ),
    FaultKind(
        name="held-bet-withdrawn",
        family="procedure",
        what="a bet that a tie holds is withdrawn",
        codes=_HELD,
        alters=_held_withdrawn,
    ),
    FaultKind(
        name="held-bet-missing",
        family="procedure",
        what="a bet that a tie holds is not on the felt when the next coup is dealt",
        codes=_HELD,
        acts=_held_missing,
    ),
    FaultKind(
        name="coup-unclosed",
        family="procedure",
        what="the next coup is opened, and the one before was never closed",
        codes=("unclosed-coup", "shoe-kept-after-loss"),
        acts=_unclosed,
    ),
    FaultKind(
        name="bets-left-at-the-end",
        family="procedure",
        what="the shoe is taken away with bets on the felt",
        codes=("unfinished-coup-not-voided", "commission-unpaid-at-shoe-end"),
        acts=_bets_left,
    ),
    FaultKind(
        name="coup-number-skipped",
        family="procedure",
        what="the number of a coup is passed over",
        codes=("coup-number-out-of-sequence",),
        of_coup=False,
        alters=_skipped,
    ),
    FaultKind(
        name="coup-after-the-end",
        family="procedure",
        what="a coup is opened when the shoe has ended",
        codes=("coup-after-shoe-end",),
        of_coup=False,
        alters=_behind_the_end,
    ),
    FaultKind(
        name="drawn-when-over",
        family="procedure",
        what="a coup is closed, and one more card is drawn for it",
        codes=("card-after-coup-end",),
        alters=_drawn_when_over,
    ),
    FaultKind(
        name="dealt-card-burned",
        family="procedure",
        what="a card that was dealt is burned without a word, and the hand gets another",
        codes=("dealt-card-burned-without-ruling",),
        alters=_quietly_burned,
    ),
    FaultKind(
        name="shoe-past-a-neighbour",
        family="procedure",
        what="a shoe that was passed is offered the wrong way round",
        codes=("shoe-offered-out-of-turn",),
        of_coup=False,
        alters=_past_a_neighbour,
    ),
)
