"""Compare the stakes that a coup left on the layout with those carried into the next.

Some tables hold a bet after a tie, and a stake à cheval after a split of the tableaux. A patron's
stakes on one wager may be carried over as one bet, and one stake as several bets, if the total
stays the same. A held stake that was taken up is due what it would have won or lost in the coup for
which it was held.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.checks.payments import why_payments_unjudged
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import COUP_VOIDED, MoneyEffect
from sabot.domain.audit.wording import result_unknown
from sabot.domain.events import BetPaid, BetPushed, BetTaken
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.procedure.preconditions.bet_requirements import Stake, stake_of
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe

# -- What was carried ------------------------------------------------------------------------------


class WrongCarry(NamedTuple):
    """A carried bet that differs from the stake left on the layout.

    ``left`` is the stake that lay there instead, in minor units. ``owner`` is the other patron from
    whose stake it was carried, if there is one. ``owned`` is how much of the owner's stake is
    missing, and ``owners_bet`` the part of it that was carried for the owner.
    """

    bet: Bet
    left: int
    owner: str | None = None
    owned: int = 0
    owners_bet: Bet | None = None

    @property
    def excess(self) -> int:
        """The carried amount less the stake that was left, in minor units."""
        return stake_of(self.bet)[2] - self.left


class CarriedStakes(Struct, frozen=True):
    """The carried bets that do not fit the stakes left, and the stakes that were not carried.

    A stake that was carried with another amount, or as another patron's, is only in the first list.
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
    before: CarriedStakes | None = None,
) -> CarriedStakes:
    """Compare the carried bets of a coup with the stakes left by the coup before.

    A stake that had been carried wrongly into that coup may be carried over with the recorded
    amount, or with the right one.

    Args:
        bets: the bets of the coup.
        left: the stakes that the coup before left.
        was_left: the requirement of the game: whether a stake is among those left.
        before: the same comparison for the coup before, if stakes had been carried into it.
    """
    bets, left = list(bets), list(left)
    compared = _compare(bets, left, was_left)
    if not compared.wrong or before is None or not before.wrong:
        return compared
    restored = _compare(bets, _as_before(left, before.wrong), was_left)
    return min(compared, restored, key=lambda each: len(each.wrong))


def _as_before(left: list[Stake], wrong: list[WrongCarry]) -> list[Stake]:
    """Return the stakes that a coup left, where each wrongly carried one is as it was before."""
    stakes = list(left)
    for each in wrong:
        patron, wager, _ = stake_of(each.bet)
        carried = [each.bet, *([each.owners_bet] if each.owners_bet is not None else [])]
        if not all(stake_of(bet) in stakes for bet in carried):
            continue
        for bet in carried:
            stakes.remove(stake_of(bet))
        stakes += [(patron, wager, each.left)] if each.left else []
        owned = each.owned + sum(stake_of(bet)[2] for bet in carried[1:])
        stakes += [(each.owner, wager, owned)] if each.owner is not None else []
    return stakes


def _compare(
    bets: list[Bet], left: list[Stake], was_left: Callable[[Container[Stake], Stake], bool]
) -> CarriedStakes:
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
    return _with_owners([each for each in wrong if each.excess], waiting)


def _with_owners(wrong: list[WrongCarry], gone: list[Stake]) -> CarriedStakes:
    """Find the patrons whose stakes were carried as another's.

    The missing part of the owner's stake equals the surplus of the carried bet. If the patron of
    the carried bet had no stake there, the owner is the only other patron whose stake on the wager
    is missing.
    """
    told = []
    less = [each for each in wrong if each.excess < 0]
    for each in wrong:
        if each.excess < 0:
            continue
        stake, other = _missing_instead(each, gone), _less_instead(each, less)
        if stake is not None:
            gone.remove(stake)
            told.append(each._replace(owner=stake[0], owned=stake[2]))
        elif other is not None:
            less.remove(other)
            bet = other.bet
            told.append(each._replace(owner=bet.patron, owned=each.excess, owners_bet=bet))
        else:
            told.append(each)
    return CarriedStakes([*told, *less], gone)


def _missing_instead(wrong: WrongCarry, gone: list[Stake]) -> Stake | None:
    """Return another patron's stake on the wager that was carried as this bet, or None."""
    patron, wager, _ = stake_of(wrong.bet)
    missing = [stake for stake in gone if stake[0] != patron and stake[1] == wager]
    equal = next((stake for stake in missing if stake[2] == wrong.excess), None)
    alone = missing[0] if len(missing) == 1 and not wrong.left else None
    return equal or alone


def _less_instead(wrong: WrongCarry, less: list[WrongCarry]) -> WrongCarry | None:
    """Return another patron's bet on the wager that lacks as much as this one has too much."""
    patron, wager, _ = stake_of(wrong.bet)
    others = (each for each in less if each.bet.wager == wager and each.bet.patron != patron)
    return next((each for each in others if each.excess == -wrong.excess), None)


def what_lay(shoe: Shoe, wrong: WrongCarry) -> str:
    """Return text for the stake on the layout in place of the carried one. Empty for none."""
    if wrong.left:
        return f"{format_money(shoe, wrong.left)} of {wrong.bet.patron}'s"
    return f"{format_money(shoe, wrong.owned)} of {wrong.owner}'s" if wrong.owner else ""


def of_the_owner(shoe: Shoe, wrong: WrongCarry) -> str:
    """Return text that names the patron whose stake was carried as another's. Empty if none."""
    if wrong.owner is None:
        return ""
    if wrong.owned < stake_of(wrong.bet)[2]:
        return f", {format_money(shoe, wrong.owned)} of it {wrong.owner}'s"
    return f", though it was {wrong.owner}'s"


def shown_of_the_owner(coup: Coup, wrong: WrongCarry) -> list[RecordedEvent]:
    """Return the events of a coup that are about the owner of a stake carried as another's.

    They are the bets carried from this stake, and the hands that the owner was given.
    """
    own = [wrong.owners_bet.placed] if wrong.owners_bet is not None else []
    given = bank_events_of(coup).given
    return [*own, *(each for each in given if each.payload.to == wrong.owner)]


def lost_by_the_owner(view: CoupView, wrong: WrongCarry) -> MoneyEffect | None:
    """Return what a patron gained or lost because others got part of the stake.

    None if the carried stake was nobody else's, or if it made no difference.
    """
    if wrong.owner is None:
        return None
    bet, lies = wrong.owners_bet, 0
    if bet is not None:
        lies = stake_of(bet)[2]
    else:
        bet = replace(as_if_carried(view, wrong.bet, wrong.bet.wager), patron=wrong.owner)
    return gains_by_taking_up(view, bet, lies + wrong.owned, lies)


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
    unknown: MoneyEffect | None = why_payments_unjudged(view)
    if coup.voided is not None:
        unknown = COUP_VOIDED
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
    """The new stakes of a coup, which may replace stakes that were not carried over."""

    def __init__(self, view: CoupView) -> None:
        """Add up the stakes that were placed before the close of bets, by patron and wager."""
        closed = view.coup.bets_closed
        self._stakes: Counter[tuple[str, str]] = Counter()
        for bet in view.coup.bets.values():
            late = closed is not None and bet.placed.position > closed
            if not (bet.carried or bet.withdrawn or late):
                self._stakes[bet.patron, bet.wager] += bet.amount

    def take(self, patron: str, wager: str, lacking: int) -> int:
        """Return how much of a missing amount was staked again. Each stake counts only once."""
        lay = max(0, min(lacking, self._stakes[patron, wager]))
        self._stakes[patron, wager] -= lay
        return lay

    def with_rest_of(self, bet: Bet) -> int:
        """Return how much of a carried stake is on the layout: its rest and new stakes."""
        rest = 0 if bet.withdrawn else bet.amount
        return rest + self.take(bet.patron, bet.wager, bet.placed.payload.amount - rest)


def as_if_carried(view: CoupView, bet: Bet, wager: str) -> Bet:
    """Return a bet of an earlier coup as it would have been carried into a later one."""
    number = max(view.coup.bets, default=0) + 1
    return replace(bet, number=number, wager=wager, carried=True, moves=[], paid=0, taken=0)
