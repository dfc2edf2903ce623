"""Requirements of holders of the shoe, for dealing and audit."""

from collections.abc import Container, Iterable

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import bank_lost, is_house
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe


def may_pass_shoe(reason: str, *, dealt: bool) -> bool:
    """Return whether the holder may pass the shoe: after a coup, or for another reason."""
    return dealt or reason not in ("chosen", "lost")


def shoe_goes_to(patron: str, order: Iterable[str], refused: Container[str]) -> bool:
    """Return whether a patron is the next in order who has not refused the shoe."""
    due = next((each for each in order if each not in refused), None)
    return due in (None, patron)


def may_hold_shoe(pack: RulePack, *, patron: bool) -> bool:
    """Return whether the shoe may be held: by a patron only where patrons deal."""
    return not patron or pack.table.shoe == "patron"


def may_take_shoe(shoe: Shoe, by: str, offered: str | None) -> bool:
    """Return whether a person may take the shoe: anybody without an offer, and always the house.

    Args:
        shoe: the shoe.
        by: the person.
        offered: to whom it is offered, or None.
    """
    return offered in (None, by) or is_house(shoe, by)


def patrons_of(shoe: Shoe) -> set[str]:
    """Return everyone who sat down or bet and does not work at the table."""
    seated = {patron for _, _, patron in shoe.seatings}
    betting = {bet.patron for coup in shoe.coups.values() for bet in coup.bets.values()}
    return (seated | betting) - shoe.staff


def may_keep_shoe(coup: Coup) -> bool:
    """Return whether the bank did not lose the coup."""
    return not bank_lost(coup)


def may_keep_after_draw(false_draw: RecordedEvent | None) -> bool:
    """Return whether the banker made no false draw."""
    return false_draw is None
