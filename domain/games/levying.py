"""The house's levy on what a bank won, step by step where the pack asks for the steps.

Source: arrêté of 14 May 2007, art. 59: the croupier announces the levy and sets it apart, detaches
the tickets, puts it into the box; the tickets lie on the table for a moment, so that they can be
checked, and are torn before the next coup.
"""

from domain.banking import banked, levy_due
from domain.coup import Coup
from domain.facts import bank as k
from domain.money import spelled
from domain.prompt import Prompt
from domain.shoe import Shoe


def levy_step(shoe: Shoe, coup: Coup) -> Prompt | None:
    """Return the next step of the levy on a settled coup; None where nothing is left to do."""
    due, part = levy_due(shoe, coup), banked(coup)
    rule = shoe.pack.levy if shoe.pack is not None else None
    if not due or rule is None or shoe.pack is None:
        return None
    amount, number = spelled(due, shoe.pack.money.minor_units), coup.number
    if not part.levies:
        if rule.steps and not part.announced:
            said = f"announce the levy of {amount}, and set it apart"
            return Prompt("settle", said, k.LevyAnnounced(number, due))
        if rule.steps and rule.tickets and not part.tickets:
            said = f"detach tickets worth {amount}"
            return Prompt("settle", said, k.TicketsDetached(number, due))
        where = "put the levy" if rule.steps else "take the levy"
        box = "into the box" if rule.steps else "out of the bank"
        return Prompt("settle", f"{where} of {amount} {box}", k.LevyTaken(number, due))
    if rule.steps and part.tickets and not part.torn:
        return Prompt("settle", "tear the tickets of the levy", k.TicketsTorn(number))
    return None
