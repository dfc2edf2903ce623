"""Rules of the cut: it is offered round the table, and whoever takes it cuts."""

from domain import facts as f
from domain.audit.lacking import COUPS_ALONE
from domain.audit.rule import CLEAN, Answer, Breach, Rule
from domain.audit.timing import doubt_in_row
from domain.seating import clockwise
from domain.shoe import Shoe


def _uncut(shoe: Shoe) -> str | None:
    """Say why nothing can be said of how the cut was offered."""
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is None or shoe.pack.cut.offered is None:
        return "the pack does not say to whom the cut is offered"
    if not shoe.cuts:
        return "no cut was recorded"
    if not clockwise(shoe, shoe.cuts[0].version):
        return "nobody sat at the table when the cards were cut"
    return None


def _not_offered(shoe: Shoe) -> Answer:
    reason = _uncut(shoe)
    if reason:
        return reason
    cut = shoe.cuts[0]
    asked = clockwise(shoe, cut.version)
    if any(event.version < cut.version for event in shoe.cut_offers):
        return CLEAN
    return (
        Breach(
            "the cards were cut, and were offered to nobody",
            f"the cut is offered to {asked[0]}, at the dealer's left",
            f"cut by {getattr(cut.fact, 'by', 'somebody')}, offered to nobody",
            (cut,),
            key=("cut",),
        ),
    )


def _out_of_turn(shoe: Shoe) -> Answer:
    reason = _uncut(shoe)
    if reason:
        return reason
    cut = shoe.cuts[0]
    told = [event for event in shoe.cut_offers if event.version < cut.version]
    if not told:
        return "the cut was offered to nobody"
    doubtful = doubt_in_row(shoe, [*told, cut])
    if doubtful is not None:
        return doubtful
    asked = clockwise(shoe, cut.version)
    offers = [event for event in told if isinstance(event.fact, f.CutOffered)]
    for event, due in zip(offers, [*asked, *[None] * len(offers)], strict=False):
        to = getattr(event.fact, "to", "")
        if to != due:
            said = f"the cut was offered to {to}"
            return (Breach(said, f"offered to {due or 'nobody'}", said, (event,), patron=to),)
    refused = [event.fact.by for event in told if isinstance(event.fact, f.CutRefused)]
    by = getattr(cut.fact, "by", "")
    open_to = [getattr(each.fact, "to", "") for each in offers]
    open_to = [to for to in open_to if to not in refused]
    if by in open_to or (not open_to and len(offers) == len(asked)):
        return CLEAN
    due = open_to[0] if open_to else asked[len(offers)]
    said = f"{by} cut the cards"
    return (Breach(said, f"{due} is asked first", said, (cut, *told[-1:]), key=("cut",)),)


RULES = (
    Rule(
        "cut-was-not-offered",
        "procedure",
        "medium",
        "Patrons cut, so that whoever shuffled does not say where the shoe begins.",
        ("field-facts.md 3 A3", "arrêté of 14 May 2007"),
        on_shoe=_not_offered,
    ),
    Rule(
        "cut-was-offered-out-of-turn",
        "procedure",
        "medium",
        "The cut goes round from the dealer's left, so that nobody chooses who cuts.",
        ("field-facts.md 3 A3", "arrêté of 14 May 2007: clockwise from the dealer's left"),
        on_shoe=_out_of_turn,
    ),
)
