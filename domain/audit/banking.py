"""Rules of a patron's bank: what it is, who goes bank, what it covers."""

from typing import Final

from domain.audit import wing_stakes, wings
from domain.audit.as_called import by_its_call
from domain.audit.at_the_close import closed_by
from domain.audit.by_call import moved_by_its_call
from domain.audit.lacking import (
    NO_BANK,
    NO_BETS,
    NO_SEATS,
    bank_unknown,
    seats_lack,
    stakes_unjudged,
)
from domain.audit.rule import CLEAN, Answer, Breach, CoupView, Rule
from domain.banking import (
    bank_of,
    banked,
    claimant,
    claims,
    follows,
    staked,
    standing,
)
from domain.coup import Coup
from domain.facts.bank import BancoCalled, BankCalled
from domain.money import spelled
from domain.rulepack import GameName

BANKED: Final[tuple[GameName, ...]] = ("chemin-de-fer", "macao", "victoria", wings.BANQUE)
"""The games in which a patron banks."""

_GAMES: tuple[GameName, ...] = ("chemin-de-fer",)
_PASSED_ON: tuple[GameName, ...] = (*_GAMES, wings.BANQUE)
_CITES = ("field-facts.md 1.2", "seeds S0, S1 (Chemin de fer)")


def _money(view: CoupView, amount: int) -> str:
    pack = view.shoe.pack
    return spelled(amount, pack.money.minor_units if pack is not None else 2)


def _miscalled(view: CoupView) -> Answer:
    part = banked(view.coup)
    if part.bank is None or part.called is None or not isinstance(part.called.fact, BankCalled):
        return "the bank was not called" if part.bank is not None else NO_BANK
    unknown = bank_unknown(view.shoe, view.coup)
    if unknown:
        return unknown
    called = part.called.fact.amount
    if called == part.bank:
        return CLEAN
    return (
        Breach(
            f"the bank was called at {_money(view, called)}",
            f"{_money(view, part.bank)}, by what went in and came out",
            _money(view, called),
            (part.called,),
            money=moved_by_its_call(view),
            patron=part.banker,
        ),
    )


def _beyond(view: CoupView) -> Answer:
    if wings.is_banque(view):
        return wing_stakes.beyond(view)
    reason = stakes_unjudged(view.shoe, view.coup)
    if reason:
        return reason
    bank, lies = _covering(view, view.coup), staked(view.coup)
    holds = max(bank, _covering(view, by_its_call(view.coup)))
    if banked(view.coup).unlimited or lies <= holds:
        return CLEAN
    return (
        Breach(
            f"{_money(view, lies)} was staked against a bank of {_money(view, bank)}",
            f"{_money(view, bank)} at most: the banker raises it, or what is over goes back",
            _money(view, lies),
            tuple(bet.placed for bet in standing(view.coup)),
            patron=banked(view.coup).banker,
            done=closed_by(view.coup),
        ),
    )


def _covering(view: CoupView, coup: Coup) -> int:
    """Return what covers the stakes: the bank, and what was added where the pack lets it be."""
    pack = view.shoe.pack
    raises = pack is None or pack.excess is None or pack.excess.option == "raise-or-return"
    of_bank = bank_of(coup) if raises else banked(coup).bank
    return of_bank or 0


def _banco(view: CoupView) -> Answer:
    if wings.is_banque(view):
        return wing_stakes.banco(view)
    made = claims(view.coup)
    reason = stakes_unjudged(view.shoe, view.coup)
    if not made or reason:
        return reason or "nobody went bank"
    alone = claimant(view.shoe, view.coup)
    bank, lying = bank_of(view.coup), standing(view.coup)
    for_it = (bank, bank_of(by_its_call(view.coup)))
    if len(lying) == 1 and lying[0].amount in for_it:
        if lying[0].patron == alone:
            return CLEAN
        if seats_lack(view.shoe, view.coup) and any(lying[0].patron == one.patron for one in made):
            return NO_SEATS  # of several claims his is the first who sits first
    shown = ", ".join(f"{bet.patron} {_money(view, bet.amount)}" for bet in lying) or "no stake"
    return (
        Breach(
            f"{alone} went banco, and the bank was played for otherwise",
            f"{alone} alone, for {_money(view, bank or 0)}",
            shown,
            (*banked(view.coup).claims, *(bet.placed for bet in lying)),
            patron=alone,
            done=closed_by(view.coup),
        ),
    )


def _groundless(view: CoupView) -> Answer:
    if wings.is_banque(view):
        return wing_stakes.groundless(view)
    part = banked(view.coup)
    if not part.claims:
        return "nobody went bank"
    second = follows(view.shoe, view.coup)
    breaches = []
    for event in part.claims:
        fact = event.fact
        if not isinstance(fact, BancoCalled):
            continue
        if fact.patron == part.banker:
            due = "the banker does not play against himself"
            breaches.append(
                Breach(f"{fact.patron} went banco against himself", due, "he did", (event,))
            )
        elif fact.suivi and fact.patron != second:
            due = f"{second or 'nobody'}: who lost his banco to this bank in the coup before"
            said = f"{fact.patron} went banco suivi"
            breaches.append(Breach(said, due, fact.patron, (event,)))
    return tuple(breaches)


def _own_bank(view: CoupView) -> Answer:
    part = banked(view.coup)
    if part.banker is None:
        return NO_BANK
    if not view.coup.bets:
        return NO_BETS
    own = [bet for bet in standing(view.coup) if bet.patron == part.banker]
    return tuple(
        Breach(
            f"{bet.patron} staked against his own bank",
            "the banker stakes his bank and nothing else",
            f"{_money(view, bet.amount)} on {bet.wager}",
            (bet.placed,),
        )
        for bet in own
    )


RULES = (
    Rule(
        "bank-was-miscalled",
        "totals",
        "medium",
        "What the croupier calls is what lies in the bank, by every chip that went in or out.",
        _CITES,
        on_coup=_miscalled,
        games=_PASSED_ON,
    ),
    Rule(
        "stakes-were-beyond-the-bank",
        "procedure",
        "high",
        "Nobody can win of a bank what is not in it.",
        _CITES,
        on_coup=_beyond,
        games=BANKED,
    ),
    Rule(
        "banco-was-not-played-alone",
        "procedure",
        "medium",
        "Who goes bank plays for the whole of it, and nobody beside him.",
        _CITES,
        on_coup=_banco,
        games=_PASSED_ON,
    ),
    Rule(
        "banco-was-claimed-without-ground",
        "procedure",
        "low",
        "Banco suivi is his who lost his banco to the same bank in the coup before.",
        _CITES,
        on_coup=_groundless,
        games=_PASSED_ON,
    ),
    Rule(
        "banker-staked-against-his-bank",
        "procedure",
        "medium",
        "The banker plays one side.",
        _CITES,
        on_coup=_own_bank,
        games=BANKED,
    ),
)
