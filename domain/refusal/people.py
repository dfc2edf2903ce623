"""What the rule pack forbids of the people at a table: seats, leaving, and who holds the shoe.

Each function gives the reason with the next step, or None; `domain.refusal` asks them.
"""

from domain import facts as f
from domain.money import spelled
from domain.procedure import next_holder
from domain.refusal.conduct import shared_seat
from domain.seating import sitting
from domain.shoe import Shoe, order_of_play


def sit(shoe: Shoe, fact: f.PatronSeated) -> str | None:
    """Refuse a seat that the table does not have, or that is taken."""
    assert shoe.pack is not None
    seats = shoe.pack.table.seats
    if fact.seat > seats:
        return f"the table has {seats} seats; give one of those"
    return shared_seat(shoe, fact.seat)


def leave(shoe: Shoe, fact: f.PatronLeft) -> str | None:
    """Refuse to let a patron go who owes commission or has a bet in play."""
    if not any(fact.patron in patrons for patrons in sitting(shoe).values()):
        return f"{fact.patron} does not sit at this table"
    owed = shoe.owed.get(fact.patron, 0)
    if owed > 0:
        units = shoe.pack.money.minor_units if shoe.pack is not None else 2
        return f"{fact.patron} owes {spelled(owed, units)} of commission; collect it first"
    bets = shoe.current.bets.values() if shoe.current is not None else ()
    if any(bet.patron == fact.patron and not bet.withdrawn and not bet.settled for bet in bets):
        return f"{fact.patron} has a bet on the felt; settle it first"
    return None


def hold(shoe: Shoe, fact: "f.ShoeOffered | f.ShoeTaken | f.ShoeRefused") -> str | None:
    """Refuse to give the shoe to a patron where the dealer deals, or where another holds it."""
    assert shoe.pack is not None
    if shoe.pack.table.shoe != "patron":
        return "the dealer deals at this table; the shoe is offered to nobody"
    if shoe.holder is not None:
        return f"{shoe.holder} holds the shoe; he passes it first"
    if isinstance(fact, f.ShoeRefused) and shoe.offered != fact.by:
        return f"the shoe was not offered to {fact.by}"
    return _out_of_turn(shoe, fact) if isinstance(fact, f.ShoeOffered) else None


def _out_of_turn(shoe: Shoe, fact: f.ShoeOffered) -> str | None:
    """Refuse to offer a shoe that was passed to another than whose turn it is."""
    assert shoe.pack is not None
    if shoe.pack.bank is not None:
        return None  # to whom a bank is offered, those games say
    order = order_of_play(shoe, shoe.last_holder)
    due = next_holder(shoe)
    if due in (None, fact.to) or shoe.last_holder not in order or fact.to not in order:
        return None
    return f"the shoe goes {shoe.pack.table.direction}: offer it to {due} first, who may refuse it"


def pass_on(shoe: Shoe, fact: f.ShoePassed) -> str | None:
    """Refuse to pass a shoe that one does not hold, or in the middle of a coup."""
    if shoe.holder != fact.by:
        return f"{fact.by} does not hold the shoe"
    if shoe.current is not None:
        return f"coup {shoe.current.number} is open; the shoe passes between coups"
    return None
