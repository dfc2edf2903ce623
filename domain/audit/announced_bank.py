"""What a coup's bank is taken for where the record of it went off before: what the croupier calls.

One amount recorded wrong, or one that is not on record, leaves every later coup of that bank off
by as much. The first coup whose call shows it tells of it. Those after it that are off by the same
are judged by what was called; what is taken out in the end shows the sum once more, as money.
"""

from msgspec.structs import replace

from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe


def on_announced_bank(shoe: Shoe, coup: Coup) -> Coup:
    """Return a coup with its bank as it was called, where it was off by as much the coup before.

    Else the coup itself.
    """
    off = _excess_called(coup)
    before = _previous_called_coup(shoe, coup) if off else None
    return by_its_call(coup) if before is not None and _excess_called(before) == off else coup


def by_its_call(coup: Coup) -> Coup:
    """Return a coup as if there had lain in its bank what the croupier called."""
    off = _excess_called(coup)
    if not off or coup.banked is None or coup.banked.bank is None:
        return coup
    return replace(coup, banked=replace(coup.banked, bank=coup.banked.bank + off))


def _excess_called(coup: Coup) -> int:
    """Return by how much more the bank was called than lay in it by the record; in minor units."""
    part = bank_events_of(coup)
    if part.bank is None or part.called is None:
        return 0
    return part.called.payload.amount - part.bank


def _previous_called_coup(shoe: Shoe, coup: Coup) -> Coup | None:
    """Return the last coup before one on the same bank of which the bank was called."""
    nth = bank_events_of(coup).nth
    earlier = (
        each
        for each in shoe.coups.values()
        if each.number < coup.number
        and bank_events_of(each).nth == nth
        and bank_events_of(each).called is not None
    )
    return max(earlier, key=lambda each: each.number, default=None)
