"""What the rule pack forbids of coups: which may be opened, and which is in play."""

from domain import facts as f
from domain.coup import Coup
from domain.dealing import prompt
from domain.shoe import Shoe


def open_coup(shoe: Shoe, fact: f.CoupOpened) -> str | None:
    """Refuse a coup before its time, or out of its number."""
    if shoe.current is not None:
        return f"coup {shoe.current.number} is open; settle it first"
    now = prompt(shoe)
    if now.awaits != "coup":
        return f"no coup can be opened now; {now.text}"
    due = max(shoe.coups, default=0) + 1
    if fact.coup != due:
        return f"the next coup is {due}, not {fact.coup}"
    return _free_hand(shoe) if fact.free else None


def _free_hand(shoe: Shoe) -> str | None:
    most = shoe.pack.free_hands if shoe.pack is not None else None
    if most is None or sum(coup.free for coup in shoe.coups.values()) < most:
        return None
    return f"the pack allows {most} free hands in a shoe; open the coup for bets"


def coup_at(shoe: Shoe, number: int) -> Coup | str:
    """Return the coup in play, or why that number is not it."""
    coup = shoe.current
    if coup is None:
        return "no coup is open; open one first"
    if coup.number != number:
        return f"coup {coup.number} is in play, not {number}"
    return coup
