"""Correct a patron's bank by the amounts that were announced.

The record gives the bank as a sum of stakes, wins and losses. One wrong or missing amount makes
that sum wrong in every later coup. The first coup in which the croupier calls another amount gets a
finding. Later coups with the same difference are judged by the called amount. When the banker takes
the bank out, the difference is reported once more.
"""

from msgspec.structs import replace

from sabot.domain.events.bank import BankCalled
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.patron_bank import bank_events_of, levy_charged
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe


def on_announced_bank(shoe: Shoe, coup: Coup) -> Coup:
    """Return a coup with the bank that the croupier called, if the record was wrong before.

    The called amount replaces the recorded one only if both differed by the same amount in the last
    coup with a call. Otherwise the coup is returned unchanged.
    """
    off = excess_called(coup)
    before = _previous_called_coup(shoe, coup) if off else None
    return by_its_call(coup) if before is not None and excess_called(before) == off else coup


def by_its_call(coup: Coup) -> Coup:
    """Return a copy of a coup in which the announced bank replaces the recorded one."""
    off = excess_called(coup)
    if not off or coup.banked is None or coup.banked.bank is None:
        return coup
    return replace(coup, banked=replace(coup.banked, bank=coup.banked.bank + off))


def excess_called(coup: Coup) -> int:
    """Return the announced amount of the bank less the recorded one, or 0 if either is unknown."""
    part = bank_events_of(coup)
    if part.bank is None or part.called is None:
        return 0
    return part.called.payload.amount - part.bank


def levy_by_next_call(shoe: Shoe, coup: Coup) -> int | None:
    """Return the levy on a bank by its next announced amount. None if there is none."""
    following = shoe.coups.get(coup.number + 1)
    if following is None or bank_events_of(following).called is None:
        return None
    if bank_events_of(following).nth != bank_events_of(coup).nth:
        return None
    return levy_charged(coup) + excess_called(coup) - excess_called(following)


def calls_behind(coup: Coup, off: int) -> list[RecordedEvent[BankCalled]]:
    """Return the wrong announcement of a coup's bank, if it accounts for a wrong amount.

    ``off`` is by how much an amount exceeds the one that the recorded bank requires (negative: is
    less), in minor units. The call has to differ at least as much, and in the same direction.
    """
    more, called = excess_called(coup), bank_events_of(coup).called
    return [called] if called is not None and (0 < off <= more or more <= off < 0) else []


def _previous_called_coup(shoe: Shoe, coup: Coup) -> Coup | None:
    """Return the last earlier coup against the same bank in which its amount was announced."""
    nth = bank_events_of(coup).nth
    earlier = (
        each
        for each in shoe.coups.values()
        if each.number < coup.number
        and bank_events_of(each).nth == nth
        and bank_events_of(each).called is not None
    )
    return max(earlier, key=lambda each: each.number, default=None)
