"""Compare the stakes that a coup left on the layout with what became of them.

Some tables hold a bet after a tie, and a stake à cheval after a split of the tableaux. Several
stakes of a patron on one wager may go on as one bet, and one as several, if they add up. A held
stake that was taken up is due what it would have won or lost in the coup for which it was held.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.checks.payments import why_payments_unjudged
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import MoneyEffect
from sabot.domain.audit.wording import result_unknown
from sabot.domain.events import BetPaid, BetPushed, BetTaken
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.preconditions.bet_requirements import Stake, stake_of
from sabot.domain.state.coup_state import Bet, Coup

# -- What was carried ------------------------------------------------------------------------------


class WrongCarry(NamedTuple):
    """A carried bet that was not left on the layout as it was carried.

    ``left`` is the stake that lay there instead, in minor units.
    """

    bet: Bet
    left: int


class CarriedStakes(Struct, frozen=True):
    """The carried bets that do not fit what was left, and the stakes that nothing was carried for.

    A stake that was carried with another amount is among the first alone.
    """

    wrong: list[WrongCarry]
    gone: list[Stake]

    def instead_of(self, gone: Stake) -> list[Bet]:
        """Return the bet that was carried in place of a stake, if any.

        It is of the same patron, or has the same wager and amount.
        """
        patron, *what = gone
        each = (wrong.bet for wrong in self.wrong if not wrong.left)
        return [bet for bet in each if bet.patron == patron or list(stake_of(bet)[1:]) == what][:1]


def settled_without_bet(coup: Coup) -> list[RecordedEvent]:
    """Return the settlements in a coup of bets that are not on record."""
    return [
        event
        for event in coup.unmatched_events
        if isinstance(event.payload, BetPaid | BetPushed | BetTaken)
        and event.payload.bet not in coup.bets
    ]


def compare_carried(
    bets: Iterable[Bet],
    left: Iterable[Stake],
    was_left: Callable[[Container[Stake], Stake], bool],
) -> CarriedStakes:
    """Compare the carried bets of a coup with the stakes left by the coup before.

    ``was_left`` is the requirement of the game: whether a stake is among those left.
    """
    waiting, unmatched = list(left), []
    for bet in bets:
        if not bet.carried:
            continue
        if was_left(waiting, stake_of(bet)):
            waiting.remove(stake_of(bet))
        else:
            unmatched.append(bet)
    wrong = []
    for place in dict.fromkeys((bet.patron, bet.wager) for bet in unmatched):
        *mine, last = (bet for bet in unmatched if (bet.patron, bet.wager) == place)
        lay = sum(amount for *there, amount in waiting if tuple(there) == place)
        waiting = [stake for stake in waiting if stake[:2] != place]
        for bet in mine:
            wrong.append(WrongCarry(bet, min(lay, stake_of(bet)[2])))
            lay -= wrong[-1].left
        wrong.append(WrongCarry(last, lay))
    return CarriedStakes([each for each in wrong if each.left != stake_of(each.bet)[2]], waiting)


# -- The money of a stake that was taken up --------------------------------------------------------


def gains_by_taking_up(view: CoupView, bet: Bet, held: int, lay: int) -> MoneyEffect | None:
    """Return what a patron gained because less than the held stake was on the layout.

    Args:
        view: the coup for which the stake was held.
        bet: the bet, with the number that it has or would have had in the coup.
        held: the stake that was held, in minor units.
        lay: the stake that was on the layout instead.

    Returns:
        The patron with the amount, or the reason why it is unknown. None if chips moved though
            nothing of the bet was left: the finding about those chips has the amount.
    """
    coup = view.coup
    if bet.moves and not lay:
        return None
    unknown = why_payments_unjudged(view)
    if coup.voided is not None:
        unknown = "the coup was voided"
    elif coup.result_called is None or not view.dealt:
        unknown = "the coup was not played out"
    if unknown is not None:
        return unknown
    standing = replace(bet, withdrawn=False)
    due = view.due(standing, held)
    less = view.due(standing, lay) if lay else None
    if due is None or (lay and less is None):
        return result_unknown(bet.wager)
    gain = (less.net if less is not None else 0) - due.net
    return ((bet.patron, gain),) if gain else ()


class LaidAgain:
    """The new stakes of a coup, which may lie there in place of stakes that were not carried."""

    def __init__(self, view: CoupView) -> None:
        """Add up the stakes that were placed before the close of bets, by patron and wager."""
        closed = view.coup.bets_closed
        self._stakes: Counter[tuple[str, str]] = Counter()
        for bet in view.coup.bets.values():
            late = closed is not None and bet.placed.position > closed
            if not (bet.carried or bet.withdrawn or late):
                self._stakes[bet.patron, bet.wager] += bet.amount

    def take(self, patron: str, wager: str, lacking: int) -> int:
        """Return how much of a lacking amount lies there again. It counts only once."""
        lay = max(0, min(lacking, self._stakes[patron, wager]))
        self._stakes[patron, wager] -= lay
        return lay

    def with_rest_of(self, bet: Bet) -> int:
        """Return how much of a carried stake lies there: what is left of it, and what is new."""
        rest = 0 if bet.withdrawn else bet.amount
        return rest + self.take(bet.patron, bet.wager, bet.placed.payload.amount - rest)


def as_if_carried(view: CoupView, bet: Bet, wager: str) -> Bet:
    """Return a bet of an earlier coup as it would have been carried into a later one."""
    number = max(view.coup.bets, default=0) + 1
    return replace(bet, number=number, wager=wager, carried=True, moves=[], paid=0, taken=0)
