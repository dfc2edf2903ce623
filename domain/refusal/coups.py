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
    when = shoe.pack.free_hands_when if shoe.pack is not None else None
    if when == "shoe-start" and any(coup.cards and not coup.free for coup in shoe.coups.values()):
        return "free hands come before the first coup with bets; open the coup for bets"
    if when == "on-request" and not _asked_for(shoe):
        return "nobody asked for a free hand; note the request first"
    most = shoe.pack.free_hands if shoe.pack is not None else None
    if most is None or sum(coup.free for coup in shoe.coups.values()) < most:
        return None
    return f"the pack allows {most} free hands in a shoe; open the coup for bets"


def _asked_for(shoe: Shoe) -> bool:
    """Tell whether there are more requests for free hands than free hands."""
    asked = sum(
        isinstance(event.fact, f.RequestMade)
        and event.fact.kind == "free-hand"
        and event.fact.granted is not False
        for event in shoe.requests
    )
    return asked > sum(coup.free for coup in shoe.coups.values())


def coup_at(shoe: Shoe, number: int) -> Coup | str:
    """Return the coup in play, or why that number is not it."""
    coup = shoe.current
    if coup is None:
        return "no coup is open; open one first"
    if coup.number != number:
        return f"coup {coup.number} is in play, not {number}"
    return coup
