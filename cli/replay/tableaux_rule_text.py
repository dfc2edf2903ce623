"""Rules of two tableaux as text, according to the shoe's pack."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec.structs import replace

from sabot.cli.replay.bank_rule_text import BANK_RULES
from sabot.cli.text.words import money
from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import due_bets
from sabot.domain.procedure.patron_bank import claims_of, drawing_of
from sabot.domain.procedure.two_tableaux.held_stakes import stakes_held_for
from sabot.domain.procedure.two_tableaux.tableaux import alone_natural, hands_are_dealt, rule_of
from sabot.domain.rules.drawing_options import CHEMIN_DE_FER
from sabot.domain.rules.tableau_hands import A_CHEVAL, TABLEAUX
from sabot.domain.state.shoe import Shoe


def _money(shoe: Shoe, amount: int) -> str:
    return money(amount, shoe.pack.money.minor_units if shoe.pack is not None else 2)


_AWARDS: Final = {
    "auction": "the first bank goes to whoever bids most for it",
    "list": "the first bank goes to the name that was put down first",
    "lot": "lots are drawn for the first bank among all who put their names down",
}


def _award(shoe: Shoe, _event: object) -> Iterator[str]:
    yield _AWARDS[rule_of(shoe).award]


def _offered(shoe: Shoe, payload: ev.ShoeOffered) -> Iterator[str]:
    if not shoe.banks:
        yield from _award(shoe, payload)
    elif payload.amount is not None:
        yield "a bank that was given up goes to the first in rotation who matches it"
    else:
        yield "the bank goes to the next in rotation, at any amount"


def _session(shoe: Shoe, _event: bank_ev.SessionCalled) -> Iterator[str]:
    rule = rule_of(shoe)
    if rule.sessions is not None and rule.shoes is not None:
        yield f"{rule.sessions} sessions a day at most, {rule.shoes} shoes a session"


def _proven(shoe: Shoe, _event: bank_ev.FundsProven) -> Iterator[str]:
    if rule_of(shoe).proven:
        yield "the holder of an open bank has proven, by a deposit, that he can pay every stake"


def _shuffled(shoe: Shoe, _event: ev.ShoeShuffled) -> Iterator[str]:
    if rule_of(shoe).last_shuffle:
        yield "the croupier shuffles, then anybody who wishes; the banker may shuffle last"


def _cut(shoe: Shoe, _event: object) -> Iterator[str]:
    if rule_of(shoe).names_cutter:
        yield "the banker names who cuts the cards"


def _moved(shoe: Shoe, _event: ev.PatronMoved) -> Iterator[str]:
    yield "the banker sits between the tableaux, opposite the croupier"
    if rule_of(shoe).swap:
        yield "a banker who retires takes the seat of the new banker"


def _raised(shoe: Shoe, payload: bank_ev.BankRaised) -> Iterator[str]:
    if payload.coup is not None:
        yield "a banker who holds every stake adds what his bank lacks"
    elif shoe.pack is not None and shoe.pack.bank is not None:
        yield f"a broken bank is made up to {_money(shoe, shoe.pack.bank.minimum)}, or given up"


def _withdrawn(shoe: Shoe, _event: bank_ev.BankWithdrawn) -> Iterator[str]:
    rule = shoe.pack.bank if shoe.pack is not None else None
    if rule is not None:
        yield f"a banker plays {rule.deals} coups at least before he retires with all of it"
        yield "he stays while stakes are frozen"


def _unlimited(shoe: Shoe, _event: bank_ev.BankUnlimited) -> Iterator[str]:
    if rule_of(shoe).bank == "open":
        yield "an open bank holds every stake"
    else:
        yield "a banker may accept the stakes beyond his bank: from then on it has no limit"


def _banco(shoe: Shoe, _event: bank_ev.BancoCalled) -> Iterator[str]:
    yield "the first claim is that of the banker's right, then of his left, and so on in turn"
    yield "claims from both sides take a half each; à cheval is a half on each hand"
    rule = shoe.pack.banco if shoe.pack is not None else None
    if rule is not None and rule.successive is not None:
        yield f"who lost {rule.successive} times in a row goes bank no further"


def _bet(shoe: Shoe, payload: ev.BetPlaced) -> Iterator[str]:
    rule = rule_of(shoe)
    if payload.wager == A_CHEVAL:
        yield f"half of it lies on each tableau, each a multiple of {_money(shoe, rule.stake_unit)}"
    if rule.own_tableau:
        yield "seated patrons stake on their own tableau or à cheval; standing ones cover the rest"


def _carried(_shoe: Shoe, _event: ev.BetCarried) -> Iterator[str]:
    yield "a tied stake stays; of one à cheval, a tied half stays on its tableau"
    yield "where one tableau won and the other lost, the whole stays à cheval"


def _changed(shoe: Shoe, payload: "ev.BetChanged | ev.BetWithdrawn") -> Iterator[str]:
    yield "a bet is changed or withdrawn before no more bets is called, never after"
    coup = shoe.coups.get(payload.coup)
    if coup is not None and stakes_held_for(shoe, coup):
        yield "what is frozen stands for this coup"


def _returned(shoe: Shoe, payload: bank_ev.ExcessReturned) -> Iterator[str]:
    coup = shoe.coups.get(payload.coup)
    if coup is not None and claims_of(coup):
        yield "nobody stakes besides the patron who goes bank"
    else:
        yield "standing patrons cover what the seated leave of the bank"


def _voided(_shoe: Shoe, _event: ev.CoupVoided) -> Iterator[str]:
    yield "a voided coup returns every bet; a natural that was paid at once stands"
    yield "stakes that were frozen before stay frozen"


def _given(_shoe: Shoe, _event: bank_ev.HandGiven) -> Iterator[str]:
    yield "a hand stays with its holder until it loses, then goes to the next on that tableau"
    yield "who goes bank on it plays it"


def _drawn(shoe: Shoe, payload: ev.CardDrawn) -> Iterator[str]:
    coup = shoe.coups.get(payload.coup)
    if coup is None or not hands_are_dealt(coup):
        yield "two cards each: right, left, banker, and again"
        return
    yield "a third card comes once its hand has asked for it, face up"


def _choice(shoe: Shoe, payload: bank_ev.ChoiceMade) -> Iterator[str]:
    rules = drawing_of(shoe)
    if payload.hand in TABLEAUX:
        for said in BANK_RULES[bank_ev.ChoiceMade](shoe, replace(payload, hand="player")):
            yield f"the {payload.hand} {said.removeprefix('player ')}"
    elif rules is not None and rules.banker == CHEMIN_DE_FER.banker:
        yield "the banker is free"
    else:
        yield "the banker is bound where both tableaux ask the same of him"


def _called(_shoe: Shoe, _event: bank_ev.HandsCalled) -> Iterator[str]:
    yield "each tableau is compared with the banker separately; the higher total wins"


def _settled(shoe: Shoe, payload: "ev.BetPaid | ev.BetTaken | ev.BetPushed") -> Iterator[str]:
    coup = shoe.coups.get(payload.coup)
    if coup is None:
        return
    tableau = alone_natural(coup)
    if coup.result_called is None and tableau is not None:
        yield f"the {tableau} alone has a natural: it is paid before the other is played on"
    else:
        yield "losers are taken; then winners are paid in rotation, as far as the bank reaches"
    for bet, due in due_bets(shoe, coup):
        if bet.number == payload.bet:
            yield f"{bet.wager}: {due.line}"


BANQUE_RULES: Final[dict[type, Callable[[Shoe, Any], Iterator[str]]]] = {
    **BANK_RULES,
    bank_ev.SessionCalled: _session,
    bank_ev.BankBid: _award,
    bank_ev.BankListed: _award,
    bank_ev.FundsProven: _proven,
    bank_ev.BankRaised: _raised,
    bank_ev.BankWithdrawn: _withdrawn,
    bank_ev.BankUnlimited: _unlimited,
    bank_ev.BancoCalled: _banco,
    bank_ev.ExcessReturned: _returned,
    bank_ev.HandGiven: _given,
    bank_ev.ChoiceMade: _choice,
    bank_ev.HandsCalled: _called,
    ev.ShoeOffered: _offered,
    ev.ShoeShuffled: _shuffled,
    ev.CutterNamed: _cut,
    ev.ShoeCut: _cut,
    ev.PatronMoved: _moved,
    ev.BetPlaced: _bet,
    ev.BetCarried: _carried,
    ev.BetChanged: _changed,
    ev.BetWithdrawn: _changed,
    ev.CardDrawn: _drawn,
    ev.BetPaid: _settled,
    ev.BetTaken: _settled,
    ev.BetPushed: _settled,
    ev.CoupVoided: _voided,
}
"""The rule text for each kind of event at two tableaux."""
