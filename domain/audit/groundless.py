"""Facts that speak of what is not on record: chips that moved for a bet that nobody placed."""

from domain.audit.rule import Breach, Gains
from domain.audit.wording import money
from domain.event import Event
from domain.facts import BetPaid, BetTaken, CommissionCollected, name_of
from domain.shoe import Shoe


def groundless(shoe: Shoe, coup: int | None, event: Event, moved: Gains | None) -> Breach:
    """Return the breach of a fact without ground, with what `moved_of_no_bet` says of it."""
    said = "a fact speaks of what was never recorded, or was recorded already"
    shown = name_of(event.fact)
    if moved is not None:
        amount = money(shoe, getattr(event.fact, "amount", 0))
        whose = "" if hasattr(event.fact, "patron") else ": whose chips they are nobody recorded"
        said, shown = f"{said}, and chips moved{whose}", f"{shown} of {amount}"
    return Breach(said, "every fact rests on those before it", shown, (event,), coup, moved)


def moved_of_no_bet(shoe: Shoe, number: int, event: Event) -> Gains | None:
    """Return the chips that left or came to the tray for a bet that is not there; None: none did.

    Where a patron banks they are those of his bank.
    """
    coup, fact = shoe.coups[number], event.fact
    if getattr(fact, "bet", None) in coup.bets:
        return None
    match fact:
        case BetPaid(amount=amount):
            patron, gain = None, amount
        case BetTaken(amount=amount):
            patron, gain = None, -amount
        case CommissionCollected(patron=patron, amount=amount):
            return ((patron, -amount),)
        case _:
            return None
    banker = coup.banked.banker if coup.banked is not None else None
    bank = () if banker is None else ((banker, -gain),)
    return ((patron, gain), *bank)
