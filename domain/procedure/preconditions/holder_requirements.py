"""Requirements of holders of the shoe, for dealing and audit."""

from collections.abc import Container, Iterable

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import bank_lost
from sabot.domain.procedure.preconditions.requirement import requirement
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_60,
    NSW_BACCARAT_RULE_3,
)
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe


@requirement("H502", ARRETE_2007_ART_55_14)
def may_pass_shoe(reason: str, *, dealt: bool) -> bool:
    """The patron who takes the shoe deals at least one coup before passing it."""
    return dealt or reason not in ("chosen", "lost")


@requirement("H503", ARRETE_2007_ART_55_14)
def shoe_goes_to(patron: str, order: Iterable[str], refused: Container[str]) -> bool:
    """A shoe that is passed is offered round the table, to the next patron who has not refused."""
    due = next((each for each in order if each not in refused), None)
    return due in (None, patron)


@requirement("H504", ARRETE_2007_ART_55_14, NSW_BACCARAT_RULE_3)
def may_hold_shoe(pack: RulePack, *, patron: bool) -> bool:
    """No patron holds the shoe at a table where the dealer holds it."""
    return not patron or pack.table.shoe == "patron"


def patrons_of(shoe: Shoe) -> set[str]:
    """Return everyone who sat down or bet and does not work at the table."""
    seated = {patron for _, _, patron in shoe.seatings}
    betting = {bet.patron for coup in shoe.coups.values() for bet in coup.bets.values()}
    return (seated | betting) - shoe.staff


@requirement("H501", ARRETE_2007_ART_55_14)
def may_keep_shoe(coup: Coup) -> bool:
    """The patron who holds the shoe passes it when the bank loses, before the next coup."""
    return not bank_lost(coup)


@requirement("H506", ARRETE_2007_ART_55_14, ARRETE_2007_ART_60)
def may_keep_after_draw(false_draw: RecordedEvent | None) -> bool:
    """A banker who deals a false draw passes the shoe before the next coup."""
    return false_draw is None
