"""The rules of two tableaux, as the pack of a shoe has them, in words."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec.structs import replace

from sabot.cli.replay.bank_rule_text import BANK_RULES
from sabot.cli.text.words import money
from sabot.domain import events as f
from sabot.domain.events import bank as k
from sabot.domain.procedure.dealing_order import due_bets
from sabot.domain.procedure.patron_bank import claims, drawing_of
from sabot.domain.procedure.two_tableaux.held_stakes import frozen
from sabot.domain.procedure.two_tableaux.tableaux import alone_natural, dealt, rule_of
from sabot.domain.rules.drawing_options import CHEMIN_DE_FER
from sabot.domain.rules.tableau_hands import A_CHEVAL, WINGS
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


def _offered(shoe: Shoe, payload: f.ShoeOffered) -> Iterator[str]:
    if not shoe.banks:
        yield from _award(shoe, payload)
    elif payload.amount is not None:
        yield "a bank that was given up goes to the first in rotation who matches it"
    else:
        yield "the bank goes to the next in rotation, at any amount"


def _session(shoe: Shoe, _event: k.SessionCalled) -> Iterator[str]:
    rule = rule_of(shoe)
    if rule.sessions is not None and rule.shoes is not None:
        yield f"{rule.sessions} sessions a day at most, {rule.shoes} shoes a session"


def _proven(shoe: Shoe, _event: k.FundsProven) -> Iterator[str]:
    if rule_of(shoe).proven:
        yield "who holds an open bank has proven, by a deposit, that he can pay every stake"


def _shuffled(shoe: Shoe, _event: f.ShoeShuffled) -> Iterator[str]:
    if rule_of(shoe).last_shuffle:
        yield "the croupier shuffles, then who would; the banker has the right to shuffle last"


def _cut(shoe: Shoe, _event: object) -> Iterator[str]:
    if rule_of(shoe).names_cutter:
        yield "the banker names who cuts the cards"


def _moved(shoe: Shoe, _event: f.PatronMoved) -> Iterator[str]:
    yield "the banker sits between the wings, opposite the croupier"
    if rule_of(shoe).swap:
        yield "who retires takes the seat of his successor"


def _raised(shoe: Shoe, payload: k.BankRaised) -> Iterator[str]:
    if payload.coup is not None:
        yield "who holds every stake puts up what his bank lacks"
    elif shoe.pack is not None and shoe.pack.bank is not None:
        yield f"a broken bank is made up to {_money(shoe, shoe.pack.bank.minimum)}, or given up"


def _withdrawn(shoe: Shoe, _event: k.BankWithdrawn) -> Iterator[str]:
    rule = shoe.pack.bank if shoe.pack is not None else None
    if rule is not None:
        yield f"a banker plays {rule.deals} coups at least before he retires with all of it"
        yield "he stays while stakes are frozen"


def _unlimited(shoe: Shoe, _event: k.BankUnlimited) -> Iterator[str]:
    if rule_of(shoe).bank == "open":
        yield "an open bank holds every stake"
    else:
        yield "a banker may accept the stakes beyond his bank: from then on it has no limit"


def _banco(shoe: Shoe, _event: k.BancoCalled) -> Iterator[str]:
    yield "the first claim is that of the banker's right, then of his left, and so on in turn"
    yield "claims from both sides take a half each; à cheval is a half on each hand"
    rule = shoe.pack.banco if shoe.pack is not None else None
    if rule is not None and rule.successive is not None:
        yield f"who lost {rule.successive} times in a row goes bank no further"


def _bet(shoe: Shoe, payload: f.BetPlaced) -> Iterator[str]:
    rule = rule_of(shoe)
    if payload.wager == A_CHEVAL:
        yield f"half of it lies on each wing, each a multiple of {_money(shoe, rule.stake_unit)}"
    if rule.own_wing:
        yield "who sits stakes on his own wing, or à cheval; who stands fills what they leave"


def _carried(_shoe: Shoe, _event: f.BetCarried) -> Iterator[str]:
    yield "what tied stays; à cheval, a half that tied stays on its wing"
    yield "where one wing won and the other lost, the whole stays à cheval"


def _changed(shoe: Shoe, payload: "f.BetChanged | f.BetWithdrawn") -> Iterator[str]:
    yield "a bet is changed or withdrawn before no more bets is called, never after"
    coup = shoe.coups.get(payload.coup)
    if coup is not None and frozen(shoe, coup):
        yield "what is frozen stands for this coup"


def _returned(shoe: Shoe, payload: k.ExcessReturned) -> Iterator[str]:
    coup = shoe.coups.get(payload.coup)
    if coup is not None and claims(coup):
        yield "beside who goes bank nobody stakes"
    else:
        yield "who stands fills what the seated leave of the bank"


def _voided(_shoe: Shoe, _event: f.CoupVoided) -> Iterator[str]:
    yield "a voided coup returns every bet; a natural that was paid at once stands"
    yield "what was frozen before it is frozen after it"


def _given(_shoe: Shoe, _event: k.HandGiven) -> Iterator[str]:
    yield "a wing's hand stays with its holder until it loses, then goes to the next on that wing"
    yield "who goes bank on it plays it"


def _drawn(shoe: Shoe, payload: f.CardDrawn) -> Iterator[str]:
    coup = shoe.coups.get(payload.coup)
    if coup is None or not dealt(coup):
        yield "two cards each: right, left, banker, and again"
        return
    yield "a third card comes once its hand has asked for it, face up"


def _choice(shoe: Shoe, payload: k.ChoiceMade) -> Iterator[str]:
    rules = drawing_of(shoe)
    if payload.hand in WINGS:
        for said in BANK_RULES[k.ChoiceMade](shoe, replace(payload, hand="player")):
            yield f"the {payload.hand} {said.removeprefix('player ')}"
    elif rules is not None and rules.banco == CHEMIN_DE_FER.banco:
        yield "the banker is free"
    else:
        yield "the banker is bound where both wings ask the same of him"


def _called(_shoe: Shoe, _event: k.HandsCalled) -> Iterator[str]:
    yield "each wing is held against the banker by itself; the higher total wins"


def _settled(shoe: Shoe, payload: "f.BetPaid | f.BetTaken | f.BetPushed") -> Iterator[str]:
    coup = shoe.coups.get(payload.coup)
    if coup is None:
        return
    wing = alone_natural(coup)
    if coup.result_called is None and wing is not None:
        yield f"the {wing} alone has a natural: it is paid before the other is played on"
    else:
        yield "losers are taken; then winners are paid in rotation, as far as the bank reaches"
    for bet, due in due_bets(shoe, coup):
        if bet.number == payload.bet:
            yield f"{bet.wager}: {due.line}"


BANQUE_RULES: Final[dict[type, Callable[[Shoe, Any], Iterator[str]]]] = {
    **BANK_RULES,
    k.SessionCalled: _session,
    k.BankBid: _award,
    k.BankListed: _award,
    k.FundsProven: _proven,
    k.BankRaised: _raised,
    k.BankWithdrawn: _withdrawn,
    k.BankUnlimited: _unlimited,
    k.BancoCalled: _banco,
    k.ExcessReturned: _returned,
    k.HandGiven: _given,
    k.ChoiceMade: _choice,
    k.HandsCalled: _called,
    f.ShoeOffered: _offered,
    f.ShoeShuffled: _shuffled,
    f.CutterNamed: _cut,
    f.ShoeCut: _cut,
    f.PatronMoved: _moved,
    f.BetPlaced: _bet,
    f.BetCarried: _carried,
    f.BetChanged: _changed,
    f.BetWithdrawn: _changed,
    f.CardDrawn: _drawn,
    f.BetPaid: _settled,
    f.BetTaken: _settled,
    f.BetPushed: _settled,
    f.CoupVoided: _voided,
}
"""What is said of each kind of event at two tableaux."""
