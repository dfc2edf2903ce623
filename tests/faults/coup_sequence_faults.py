"""Coups after the end of the shoe, repeated calls, bets left by a tie, and misplaced cards."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.common import limit_for
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.shoe import order_of_play
from tests.faults.fault import Events, FaultKind

_CARRIED = ("B212",)
_HELD = ("B213",)
_CARDS_OF_A_COUP = 6
_OTHER: dict[ev.Outcome, ev.Outcome] = {"P": "B", "B": "P", "T": "P"}


def _called_twice(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ResultCalled) or payload.outcome is None:
        return None
    return (replace(payload, outcome=_OTHER[payload.outcome]), payload)


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
    """Return whether the cut card has not come, so that no coup is the last yet."""
    return table.shoe.cut_card is None


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
    """One more card is drawn for a coup that is over."""
    coup = table.shoe.current
    if not isinstance(payload, ev.CoupClosed) or coup is None or not coup.cards:
        return None
    last = coup.cards[-1].payload
    if not isinstance(last, ev.CardDrawn) or table.order.left < _CARDS_OF_A_COUP:
        return None
    return (payload, table.drawn(last.hand, last.seat))


def _past_a_neighbour(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The shoe is passed in the wrong direction, to the other neighbour of its last holder."""
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
        name="result-called-twice",
        family="totals",
        what="the dealer announces the wrong side, then the right one, and nobody notes it",
        codes=("C103",),
        alters=_called_twice,
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
        name="bets-left-at-the-end",
        family="procedure",
        what="the shoe is taken away with bets on the felt",
        codes=("I306", "P206"),
        acts=_bets_left,
    ),
    FaultKind(
        name="coup-number-skipped",
        family="procedure",
        what="the number of a coup is passed over",
        codes=("Q102",),
        of_coup=False,
        alters=_skipped,
    ),
    FaultKind(
        name="coup-after-the-end",
        family="procedure",
        what="a coup is opened when the shoe has ended",
        codes=("Q103",),
        of_coup=False,
        alters=_behind_the_end,
    ),
    FaultKind(
        name="drawn-when-over",
        family="procedure",
        what="a coup is closed, and one more card is drawn for it",
        codes=("Q104",),
        alters=_drawn_when_over,
    ),
    FaultKind(
        name="dealt-card-burned",
        family="procedure",
        what="a card that was dealt is burned without a word, and the hand gets another",
        codes=("D104",),
        alters=_quietly_burned,
    ),
    FaultKind(
        name="shoe-past-a-neighbour",
        family="procedure",
        what="a shoe that was passed is offered the wrong way round",
        codes=("H503",),
        of_coup=False,
        alters=_past_a_neighbour,
    ),
)
