"""The rules of a patron's bank and of optional draws, as text for the replay.

The text describes only the rule. It does not reveal the hand, whose cards are face down at that
moment.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from sabot.cli.text.words import money
from sabot.domain.events import ShoeOffered
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.patron_bank import banco_claimant, drawing_of
from sabot.domain.rules.drawing_options import CHEMIN_DE_FER, HOUSE_TABLEAU, TOTALS, Position
from sabot.domain.state.shoe import Shoe


def _money(shoe: Shoe, amount: int) -> str:
    return money(amount, shoe.pack.money.minor_units if shoe.pack is not None else 2)


def _posted(shoe: Shoe, _event: bank_ev.BankPosted) -> Iterator[str]:
    rule = shoe.pack.bank if shoe.pack is not None else None
    if rule is None:
        return
    if shoe.match is not None:
        yield f"whoever takes this bank over matches what was taken out: {_money(shoe, shoe.match)}"
        return
    most = f", {_money(shoe, rule.maximum)} at most" if rule.maximum is not None else ""
    yield f"a bank is {_money(shoe, rule.minimum)} at least{most}"


def _withdrawn(shoe: Shoe, _event: bank_ev.BankWithdrawn) -> Iterator[str]:
    rule = shoe.pack.bank if shoe.pack is not None else None
    if rule is not None:
        coups = f"{rule.deals} coup{'s' if rule.deals > 1 else ''}"
        yield f"a banker deals {coups} at least before he takes his bank out"
        yield "when the bank loses, the rest is returned to the banker"


def _offered(shoe: Shoe, payload: ShoeOffered) -> Iterator[str]:
    if shoe.pack is None or shoe.pack.bank is None:
        return
    if payload.amount is not None:
        yield "a bank that was given up goes to the first in order who matches it"
    else:
        yield "the bank goes to the next in order, at any amount"


def _banco(shoe: Shoe, _event: bank_ev.BancoCalled) -> Iterator[str]:
    yield "one patron alone goes bank, for all that it holds"
    if shoe.pack is not None and shoe.pack.banco is not None and shoe.pack.banco.suivi:
        yield "the loser of a banco in the coup before comes first, then the order of play"


def _goes_back(shoe: Shoe, payload: bank_ev.ExcessReturned) -> Iterator[str]:
    coup = shoe.coups.get(payload.coup)
    if coup is not None and banco_claimant(shoe, coup) is not None:
        yield "a patron who goes bank plays alone: every other stake is returned"
    else:
        yield "stakes beyond the bank are returned, the last in order first"


def _choice(shoe: Shoe, payload: bank_ev.ChoiceMade) -> Iterator[str]:
    rules = drawing_of(shoe)
    if rules is None:
        return
    if payload.hand != "player":
        named = {
            CHEMIN_DE_FER.banker: "the banker is free",
            HOUSE_TABLEAU.banker: "the tableau binds",
        }
        yield named.get(rules.banker, "the banker is bound where the pack says so")
        return
    said = []
    for choices, what in (
        (("draw",), "draws"),
        (("draw", "stand"), "is free"),
        (("stand",), "stands"),
    ):
        totals = [own for own in TOTALS if rules.choices(Position("player", own)) == choices]
        if totals:
            said.append(f"{what} on {', '.join(map(str, totals))}")
    yield f"player {'; '.join(said)}"


def _levy(shoe: Shoe, _event: bank_ev.LevyTaken) -> Iterator[str]:
    rule = shoe.pack.levy if shoe.pack is not None else None
    if rule is not None:
        yield f"the house levies {rule.rate} of what the bank won in the coup"


def _step(shoe: Shoe, _event: object) -> Iterator[str]:
    rule = shoe.pack.levy if shoe.pack is not None else None
    if rule is not None and rule.steps:
        yield "a levy is announced and set apart, its tickets are detached, it goes into the box"
        yield "the tickets are torn before the next coup"


BANK_RULES: Final[dict[type, Callable[[Shoe, Any], Iterator[str]]]] = {
    bank_ev.BankPosted: _posted,
    bank_ev.BankWithdrawn: _withdrawn,
    bank_ev.BankCalled: lambda _s, _f: iter(["the amount of the bank is called before the bets"]),
    bank_ev.BancoCalled: _banco,
    bank_ev.ExcessReturned: _goes_back,
    bank_ev.HandGiven: lambda _s, _f: iter(
        ["the highest stake plays the hand; among equals the first in order"]
    ),
    bank_ev.ChoiceMade: _choice,
    bank_ev.LevyTaken: _levy,
    bank_ev.LevyAnnounced: _step,
    bank_ev.TicketsDetached: _step,
    bank_ev.TicketsTorn: _step,
    ShoeOffered: _offered,
}
"""The rule text for each kind of event in games in which a patron is the banker."""
