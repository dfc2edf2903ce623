"""Dealing refuses what breaks a rule of the audit, and names that rule."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import find_rule
from sabot.domain.audit.rule import Rule
from sabot.domain.audit.rulebook import SHOE_RULES
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.preconditions import Violation, violation
from sabot.domain.state.shoe import Shoe, evolve
from tests.support import bank_coups, tableaux_coups
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each
from tests.support.rule_examples import deal
from tests.support.thorough import slow

PRECONDITIONS = Path(__file__).parents[2] / "domain" / "procedure" / "preconditions"
EXAMPLES = [pytest.param(each, id=each.code) for each in SHOE_RULES]

REFUSED_BY_ANOTHER = {
    # what comes before in the example is refused already
    "T106": "T111",
    "I301": "T101",
    "D106": "T101",
    "L207": "L201",
    "R413": "C102",
    # the cards of the example are not turned, which is required before the call
    "O507": "K507",
    "W516": "K507",
    "W517": "K507",
    # the levy of the example is recorded after the coup
    "Y504": "Y503",
    "Y505": "Y503",
}
NOT_REFUSED = {
    "D103": "the place of a card in the shoe is not given when dealing",
    "D108": "dealing does not check which card is turned when",
    "B214": "dealing does not check who is on duty",
    "H507": "only at chemin de fer does dealing check why the shoe passes",
    "H508": "dealing does not check who is on duty",
    "H509": "dealing refuses the departure of a banker, and so needs no rule on later coups",
    "H511": "who leaves is known only once nothing more is recorded of the patron",
    "I302": "an irregularity may be noted until the coup is closed",
    "I304": "a ruling may be carried out until the coup is closed",
    "I307": "an irregularity may be noted until the end of the shoe",
    "I308": "an irregularity may be noted until the end of the shoe",
    "N303": "the cards left are counted, not computed",
    "Z305": "the call of the last coup may be corrected",
    "R404": "a correction is checked when it is entered",
    "R405": "a correction is checked when it is entered",
    "R408": "the order is revealed after the last card",
    "R409": "the order is revealed after the last card",
    "R411": "devices number their events",
    "R412": "devices have clocks",
}
REFUSED_IN_ANOTHER_ORDER = {
    "O509": "the ruling that excuses the banker is recorded after the withdrawal",
    "P205": "the commission of the example was never marked",
    "S315": "no card follows the shuffle",
    "Y501": "the levy of the example is recorded after the coup",
    "Y503": "the levy of the example is recorded after the coup",
}

OF_NO_RULE = {
    "the entry is incomplete or has a slip": {
        "give the amount that is added to the bank",
        "give the amount that is added",
        "give the amount that was proved",
        "a bet needs a stake",
        "coup … is open; give its number",
        "the stakes exceed the bank by …; add that",
        "the tickets lack their serials; type: tickets SERIAL…",
        "this card is burned face down; its face is not looked at",
        "the order has … cards, and … are in the shoe; bind those",
        "… sits on no tableau; name one: banco PATRON right, left or both",
        "there is no banco suivi at this table; type: banco PATRON",
        "this game does not keep a bank until all cards are dealt; give another reason",
        "…'s bank lost; type: passes",
        "… made a false draw; type: passes ruling",
        "the bank belongs to another patron; …",
    },
    "it was done already": {
        "bets are closed already",
        "the cards are cut already",
        "the bank is without a limit already",
        "… is on the list for the bank already",
        "the first bank was awarded already; …",
        "… sits at this table already; type: move N PATRON",
    },
    "another step comes first, and the audit permits either order": {
        "no shoe is loaded; load one first",
        "the cards were cut; …",
        "the bank comes before the shuffle; …",
        "it is not the time to name who cuts; …",
        "frozen stakes come first; …",
        "coup … is open; the shoe passes between coups",
        "coup … is open; places are changed between coups",
        "… holds the shoe and has to pass it first",
        "the shoe was not offered to …",
        "the cut was not offered to …",
        "nobody sits at …; seat … first",
    },
    "a patron stays until all is settled, and the audit judges the settlement": {
        "… does not sit at this table",
        "… has a bet on the layout; settle it first",
        "… goes bank in coup …; it is settled first",
        "a tie holds …'s stake; it is settled first",
        "a stake of …'s is frozen; it is settled first",
        "… has the bank; withdraw it and pass the shoe first",
        "… has the bank until the pack is dealt out; it goes to nobody else",
        "… holds the bank and has to give it up first",
    },
    "the table or its rule pack has no such thing": {
        "a continuous shuffler has no cut card; open a coup",
        "a continuous shuffler is not cut; open a coup",
        "the dealer deals at this table; the shoe is offered to nobody",
        "there are no free hands at this table; open the coup for stakes",
        "the rule pack numbers no sessions",
        "the rule pack does not let the banker name who cuts",
        "the rule pack does not let a bank be raised between coups",
        "the rule pack does not let a bank be raised to cover the stakes; return the excess",
        "the rule pack lets nobody go bank",
        "the rule pack lets nobody stake à cheval",
        "the bank is not auctioned; type: list PATRON",
        "the bank is auctioned; type: bid PATRON AMOUNT",
        "an open bank accepts every stake, so no maximum may be set; type: limits MIN-",
    },
    "a custom of the table, which no rule of the audit states": {
        "… bid …; bid more",
        "… bid for the bank and is bound by the bid",
        "… has the right to go banco first",
        "… does not sit at this table; only seated patrons go bank",
        "… does not sit at this table; only seated patrons bet",
        "… does not sit at this table; type: seat N PATRON",
        "… is the banker's place, between the tableaux; give another seat",
        "only the banker sits between the tableaux; …",
        "seat … is not free; give another one",
        "a tie holds the stakes; nobody goes bank before they are settled",
        "the patron who goes bank has staked already; go bank in the next coup",
        "the excess was returned; the stakes stand, except for a banco",
        "no stake exceeds the bank",
        "the stakes exceed the bank by …; raise the bank by that, or return it",
    },
}


def refusals(example: str) -> Iterator[tuple[Shoe, Violation]]:
    """Deal an example, and return each refusal of its events with the shoe before it."""
    whole, shoe = deal(example), Shoe("shoe/test")
    for event in whole.history:
        why = violation(shoe, event.payload)  # type: ignore[arg-type] - of a shoe
        if why is not None:
            yield shoe, why
        shoe = evolve(shoe, event)


@for_each("rule", EXAMPLES)
def test_dealing_refuses_the_example_by_the_rule_that_the_audit_reports(rule: Rule) -> None:
    named = {why.rule for _, why in refusals(rule.breaks)}
    assert (rule.number in named) is not (rule.number in {**REFUSED_BY_ANOTHER, **NOT_REFUSED})
    assert REFUSED_BY_ANOTHER.get(rule.number, rule.number) in named or rule.number in NOT_REFUSED


@for_each("rule", EXAMPLES)
def test_dealing_does_not_refuse_the_near_miss_by_the_rule(rule: Rule) -> None:
    named = {why.rule for _, why in refusals(rule.keeps)}
    assert (rule.number in named) is (rule.number in REFUSED_IN_ANOTHER_ORDER)


@slow
@for_each("rule", EXAMPLES)
def test_a_refusal_names_a_rule_of_the_game_that_is_dealt(rule: Rule) -> None:
    for shoe, why in (*refusals(rule.breaks), *refusals(rule.keeps)):
        game = shoe.pack.game if shoe.pack is not None else None
        assert not why.rule or find_rule(why.rule).is_of(game), why


# -- Rules that dealing names, but not in their examples ----------------------------------------


def chemin(cards: str, pack: str = "chemin-de-fer") -> Felt:
    """A coup of chemin de fer with these cards, whose next step is due."""
    felt = bank_coups.table(pack=pack).put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 10_000), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    return felt.cards(cards)


def tableaux(cards: str) -> Felt:
    """A coup at two tableaux with these cards, given to right, left and banker in turn."""
    felt = tableaux_coups.bank(Felt("banque", seats=tableaux_coups.SEATS), "p11", 20_000)
    tableaux_coups.opened(felt, "p7 right 500, p5 left 500")
    for hand, card in zip(("right", "left", "banker") * 2, cards.split(), strict=True):
        felt.put(ev.CardDrawn(1, hand, card, len(felt.shoe.left) + 1))
    return felt.due(ev.CardTurned)


WON = "p2 player 4000 | P 4 2  B K 9"
WITHDRAWN = bank_ev.BankWithdrawn("p1", 14_000)
LEVIED = chemin("P 4 2  B K 9", "chemin-de-fer-france").due(
    *(ev.ResultCalled, ev.BetTaken),
    *(bank_ev.LevyAnnounced, bank_ev.TicketsDetached, bank_ev.LevyTaken),
)


@for_each(
    ("felt", "payload", "number"),
    [
        (chemin("P 4 5  B K 2"), ev.CardDrawn(1, "player", "2", 5), "T106"),
        (LEVIED, ev.CoupClosed(1), "Y504"),
        (bank_coups.table().coup(WON), ev.ShoePassed("p1", "lost"), "K517"),
        (bank_coups.table().coup(WON).put(WITHDRAWN), ev.ShoePassed("p1", "lost"), "H507"),
        (tableaux("4 2 2 4 2 3"), bank_ev.ChoiceMade(1, "left", "draw"), "W517"),
        (tableaux("4 4 2 5 5 7"), bank_ev.HandsCalled(1, ()), "W516"),
    ],
)
def test_a_refusal_names_the_rule(felt: Felt, payload: ev.ShoeEvent, number: str) -> None:
    refused = violation(felt.shoe, payload)
    assert refused is not None
    assert refused.rule == number


# -- Refusals without a rule -------------------------------------------------------------------


def said(value: ast.expr, within: ast.FunctionDef) -> Iterator[str]:
    """Return the texts that an expression stands for, with … for what is filled in."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(
                str(each.value) if isinstance(each, ast.Constant) else "…" for each in parts
            )
        case ast.Name(id=name):
            for each in ast.walk(within):
                if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == name:
                    yield from said(each.value, within)
        case _:
            raise AssertionError(f"not a text: {ast.unparse(value)}")


def calls() -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    """Return every refusal in the code, with the function that it is in."""
    for path in sorted(PRECONDITIONS.glob("*.py")):
        for function in ast.walk(ast.parse(path.read_text())):
            for call in ast.walk(function) if isinstance(function, ast.FunctionDef) else ():
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "Violation":
                    yield function, call


def test_a_refusal_names_its_rule_or_is_listed_with_the_reason() -> None:
    without = [(function, call.args[0]) for function, call in calls() if len(call.args) == 1]
    found = {text for function, first in without for text in said(first, function)}
    assert found == set().union(*OF_NO_RULE.values())


def test_every_rule_named_is_a_rule_of_the_audit() -> None:
    texts = "".join(path.read_text() for path in PRECONDITIONS.glob("*.py"))
    for number in set(re.findall(r'"([A-Z]\d{3})"', texts)):
        assert find_rule(number).number == number
