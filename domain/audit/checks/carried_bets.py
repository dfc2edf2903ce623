"""Rules of bets that a tie leaves on the felt: they stay as they lay, or go back as the pack says.

A pack says whether they stay, and whether they may be taken up (field-facts.md 1.1 #7).
"""

from collections.abc import Iterator
from typing import Final

from sabot.domain.audit.checks.bets import closing
from sabot.domain.audit.completeness import COUPS_ALONE, NO_BETS
from sabot.domain.audit.rule import TWO_HANDS, Answer, Breach, CoupView, Rule, is_undealt
from sabot.domain.audit.table_order import doubt_among
from sabot.domain.audit.wording import money
from sabot.domain.events import BetChanged, BetPushed, BetWithdrawn
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of
from sabot.domain.procedure.common import MAIN_WAGERS, left_to_carry, lying_bets
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe

_CITES = ("field-facts.md 1.1 #7", "the shoe's rule pack, tie", "seeds S0, S1: bets stay live")
_GAMES: Final = TWO_HANDS


def _unknown(view: CoupView) -> str | None:
    """Say why nobody can know which bets the coup before left on the felt."""
    shoe, number = view.shoe, view.coup.number
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is None:
        return "the rule pack cannot be read"
    before = shoe.coups.get(number - 1)
    if before is None or before.opened is None:
        return "the record does not hold the coup before"
    if before.voided is not None or before.free or is_undealt(before):
        return "the coup before came to nothing"
    return None


def _no_tie(view: CoupView) -> Answer:
    carried = [bet for bet in view.coup.bets.values() if bet.carried]
    if not carried:
        return "no bet was carried"
    reason = _unknown(view)
    if reason is not None:
        return reason
    before = view.shoe.coups[view.coup.number - 1]
    moves = [move for bet in before.bets.values() for move in bet.moves]
    doubtful = doubt_among(view.shoe, [bet.placed for bet in carried], moves)
    if doubtful is not None:
        return doubtful
    left = lying_bets(view.shoe, view.coup)
    return tuple(_strange(view.shoe, before, carried, left))


def _strange(shoe: Shoe, before: Coup, carried: list[Bet], left: list[Bet]) -> Iterator[Breach]:
    """Yield a breach for each carried bet that is none of those left there."""
    waiting = [(bet.patron, bet.wager, bet.amount) for bet in left]
    for bet in carried:
        amount = bet.placed.payload.amount
        one = (bet.patron, bet.wager, amount)
        if one in waiting:
            waiting.remove(one)
            continue
        own = [stake for patron, wager, stake in waiting if (patron, wager) == one[:2]]
        said = f"{money(shoe, own[0])} of his" if own else "no such bet of his"
        yield Breach(
            f"{bet.patron}'s {money(shoe, amount)} on {bet.wager} was carried over",
            f"what a tie left on the felt: {said} in coup {before.number}",
            f"{money(shoe, amount)} carried",
            (bet.placed, *(move for each in left for move in each.moves[-1:])),
            patron=bet.patron,
            key=("bet", bet.number),
            stake=own[0] if own else 0,
        )


def _taken_up(view: CoupView) -> Answer:
    pack = view.shoe.pack
    if pack is None or not pack.tie.bets_stay or pack.tie.withdrawable:
        return "the pack lets patrons take up what a tie left"
    before = view.shoe.coups.get(view.coup.number - 1)
    if not view.coup.bets and (before is None or not before.bets):
        return NO_BETS
    doubtful = _order_in_doubt(view)
    if doubtful is not None:
        return doubtful
    return (*_withdrawn(view), *_not_carried(view))


def _order_in_doubt(view: CoupView) -> str | None:
    changes = [event for bet in view.coup.bets.values() for event in bet.changes]
    moves = [move for bet in view.coup.bets.values() for move in bet.moves]
    return doubt_among(view.shoe, changes, [*moves, *closing(view.coup)])


def _withdrawn(view: CoupView) -> Iterator[Breach]:
    """Yield a breach for each held bet that was lowered or withdrawn, now or when it was pushed."""
    closed = view.coup.bets_closed
    tied = view.dealt and view.result.outcome == "T" and view.coup.voided is None
    for bet in view.coup.bets.values():
        if bet.carried:
            stake = bet.placed.payload.amount
            early = [each for each in bet.changes if closed is None or each.position < closed]
            taken = [each for each in early if _stands_at(each) < stake]
        else:
            taken = []
        if tied and bet.wager in MAIN_WAGERS:
            pushed = [move.position for move in events_of(BetPushed, bet.moves)]
            last = max(pushed, default=None)
            if last is not None:
                taken += [each for each in bet.changes if each.position > last]
        if taken:
            yield _breach(view.shoe, bet, taken[0], bet.placed)


def _stands_at(change: RecordedEvent[BetChanged | BetWithdrawn]) -> int:
    """Return the stake after a change of it."""
    payload = change.payload
    return payload.amount if isinstance(payload, BetChanged) else 0


def _not_carried(view: CoupView) -> Iterator[Breach]:
    """Yield a breach for each held bet that is not in the coup once its bets are closed."""
    coup = view.coup
    if not coup.cards or coup.free or _unknown(view) is not None:
        return
    for bet in left_to_carry(view.shoe, coup):
        if first_of(BetWithdrawn, bet.changes) is None:
            yield _breach(view.shoe, bet, coup.cards[0], bet.placed)


def _breach(shoe: Shoe, bet: Bet, shown: RecordedEvent, placed: RecordedEvent) -> Breach:
    amount = money(shoe, getattr(placed.payload, "amount", bet.amount))
    return Breach(
        f"{bet.patron} took up {amount} on {bet.wager} that a tie held",
        "a bet that a tie holds stands for the next coup",
        "lowered, withdrawn, or not there",
        (shown, placed),
        patron=bet.patron,
        key=("held", bet.patron, bet.wager, bet.number),
    )


RULES = (
    Rule(
        "B212",
        "carried-bet-without-tie",
        "procedure",
        "high",
        "What stays after a tie is the bet that lay there: same patron, same wager, same stake.",
        _CITES,
        on_coup=_no_tie,
        games=_GAMES,
    ),
    Rule(
        "B213",
        "held-bet-taken-up",
        "procedure",
        "high",
        "Where a tie holds bets, whoever takes his up plays on with a choice that others lack.",
        _CITES,
        on_coup=_taken_up,
        games=_GAMES,
    ),
)
