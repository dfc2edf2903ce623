"""Judge a coup by the called bank where the recorded bank is wrong.

One wrong or missing amount makes the recorded bank wrong in every later coup. The first coup whose
call differs from the record gets the finding. A later coup with the same difference is judged by
its call. The amount taken out at the end is reported once more, because it shows the same
difference.
"""

from msgspec.structs import replace

from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe


def on_announced_bank(shoe: Shoe, coup: Coup) -> Coup:
    """Return a coup with its bank as the croupier called it.

    The called amount replaces the recorded one only if the last called coup before differed by the
    same amount. Otherwise the coup is returned unchanged.
    """
    off = _excess_called(coup)
    before = _previous_called_coup(shoe, coup) if off else None
    return by_its_call(coup) if before is not None and _excess_called(before) == off else coup


def by_its_call(coup: Coup) -> Coup:
    """Return a coup with the bank that the croupier called."""
    off = _excess_called(coup)
    if not off or coup.banked is None or coup.banked.bank is None:
        return coup
    return replace(coup, banked=replace(coup.banked, bank=coup.banked.bank + off))


def _excess_called(coup: Coup) -> int:
    """Return the difference between called and recorded bank, in minor units."""
    part = bank_events_of(coup)
    if part.bank is None or part.called is None:
        return 0
    return part.called.payload.amount - part.bank


def _previous_called_coup(shoe: Shoe, coup: Coup) -> Coup | None:
    """Return the bank's last earlier coup with a call."""
    nth = bank_events_of(coup).nth
    earlier = (
        each
        for each in shoe.coups.values()
        if each.number < coup.number
        and bank_events_of(each).nth == nth
        and bank_events_of(each).called is not None
    )
    return max(earlier, key=lambda each: each.number, default=None)
