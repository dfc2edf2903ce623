"""The rule of a banker who takes all stakes on: only where they go beyond his bank.

He may then declare them accepted, "in case of loss" too, and his bank has no limit from then on
(seeds S0, S1): until the coup is over it costs nobody but him. An open bank has none from the
first.
"""

from typing import Final

from domain.audit.lacking import COUPS_ALONE, bank_unknown
from domain.audit.rule import Answer, Breach, Rule
from domain.audit.wording import money
from domain.banking import banked
from domain.coup import Coup
from domain.event import Event
from domain.facts import BetCarried, BetPlaced
from domain.facts.bank import BankUnlimited
from domain.rulepack import GameName
from domain.shoe import Shoe
from domain.tableaux import rule_of

_GAMES: Final[tuple[GameName, ...]] = ("chemin-de-fer", "macao", "victoria", "baccarat-banque")


def _unfounded(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    declared = [
        (event, event.fact)
        for bank in shoe.banks
        for event in bank.moves
        if isinstance(event.fact, BankUnlimited)
    ]
    if not declared:
        return "nobody declared that he takes all stakes on"
    if shoe.pack is None or (shoe.pack.tableaux is not None and rule_of(shoe).bank == "open"):
        return "the bank is open from the first"
    return tuple(
        Breach(f"{fact.by} declared his bank without a limit", *why, patron=fact.by)
        for event, fact in declared
        if (why := _why_not(shoe, event, fact)) is not None
    )


def _why_not(
    shoe: Shoe, event: Event, fact: BankUnlimited
) -> tuple[str, str, tuple[Event, ...]] | None:
    """Return what a declaration required, what there was instead, and the facts that show it."""
    excess = shoe.pack.excess if shoe.pack is not None else None
    if excess is None or excess.option != "rotation-or-accept":
        return "a bank holds what lies in it", "the pack lets nobody take more on", (event,)
    required = "stakes that go beyond his bank, before their coup is over: those he may accept"
    coup = shoe.coups.get(fact.coup or 0)
    if coup is None:
        return required, "no coup was open", (event,)
    if bank_unknown(shoe, coup) is not None:
        return None
    lay, bank = _lay_before(coup, event), banked(coup).bank or 0
    if coup.closed is not None and coup.closed.version < event.version:
        return required, "the coup was over", (event, coup.closed)
    if lay > bank:
        return None
    return required, f"{money(shoe, lay)} lay against {money(shoe, bank)}", (event,)


def _lay_before(coup: Coup, event: Event) -> int:
    """Return what lay against the bank before a fact, at most; in minor units.

    A bet that was lowered, or taken back, later on lay there whole.
    """
    before = (bet for bet in coup.bets.values() if bet.placed.version < event.version)
    return sum(
        max(bet.amount, bet.placed.fact.amount)
        for bet in before
        if isinstance(bet.placed.fact, BetPlaced | BetCarried)
    )


RULES: Final = (
    Rule(
        "bank-was-declared-without-a-limit-for-nothing",
        "procedure",
        "medium",
        "A banker may take all stakes on where they go beyond his bank; else it holds what lies "
        "in it.",
        ("field-facts.md 1.2", "seeds S0, S1 (Baccarat banque)"),
        on_shoe=_unfounded,
        games=_GAMES,
    ),
)
