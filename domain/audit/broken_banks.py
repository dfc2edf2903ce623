"""The rule of a broken bank of two wings: made up to the agreed minimum, or given up."""

from typing import Final

from domain.audit.lacking import bank_unknown
from domain.audit.rule import CLEAN, Answer, Breach, CoupView, Rule
from domain.audit.wing_stakes import accepted_now
from domain.audit.wings import BANQUE
from domain.audit.wording import money
from domain.banking import banked
from domain.event import Event
from domain.facts.bank import BankRaised
from domain.games.banque_bank import least_stake


def _played_on(view: CoupView) -> Answer:
    part, rule = banked(view.coup), view.shoe.pack.bank if view.shoe.pack is not None else None
    unknown = bank_unknown(view.shoe, view.coup)
    unlimited = part.unlimited and not accepted_now(view)
    if unknown or unlimited or rule is None or part.bank is None:
        return unknown or "the bank has no limit"
    if not view.coup.cards:
        return "no card was drawn"
    raises = _made_up(view)
    added = sum(event.fact.amount for event in raises if isinstance(event.fact, BankRaised))
    least = least_stake(view.shoe)
    if part.bank - added >= least or (added and part.bank >= rule.minimum):
        return CLEAN
    shown = money(view.shoe, part.bank)
    return (
        Breach(
            f"a bank of {shown} was played for, and it had been broken",
            f"{money(view.shoe, rule.minimum)} at least, once it is made up; or it is given up",
            shown,
            (*raises, *view.coup.cards[:1]),
            patron=part.banker,
            done=view.coup.cards[0],
        ),
    )


def _made_up(view: CoupView) -> list[Event]:
    """Return what the banker added between the coup before and this one."""
    bank = view.shoe.banks[banked(view.coup).nth - 1]
    began = view.coup.events[0].version
    raises: list[Event] = []
    for event in reversed([move for move in bank.moves if move.version < began]):
        if not isinstance(event.fact, BankRaised) or event.fact.coup is not None:
            break
        raises.insert(0, event)
    return raises


RULES: Final = (
    Rule(
        "broken-bank-was-played-on",
        "procedure",
        "medium",
        "A bank that cannot meet the least stake is made up to the agreed minimum, or given up: "
        "who stakes wins something.",
        ("field-facts.md 1.2", "seeds S0, S1 (Baccarat banque)"),
        on_coup=_played_on,
        games=(BANQUE,),
    ),
)
