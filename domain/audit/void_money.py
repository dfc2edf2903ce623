"""Compute the money that moved because a coup was voided or its bets were returned.

The bets of the coup neither won nor lost. What they would have won is known if the cards determine
the result: at punto banco by the third-card table, in games with a patron's bank if the hands were
called.
"""

from collections import Counter
from functools import partial
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bank.own_hand_cards import played_by_the_rules
from sabot.domain.audit.checks.bank.tableaux_hands import BANQUE, HANDS
from sabot.domain.audit.checks.choices import GAMES, choices_of
from sabot.domain.audit.completeness import game_of_record
from sabot.domain.audit.coup_view import CoupView, due_by_bank
from sabot.domain.audit.justification import drawn_rightly
from sabot.domain.audit.rule import MoneyEffect
from sabot.domain.audit.settled_stakes import lying_at
from sabot.domain.audit.tableau_result import result_by_tableau
from sabot.domain.audit.wording import result_unknown
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import SIDES
from sabot.domain.procedure.two_tableaux.tableaux import natural_paid_before_void
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.timeline.evidence import Reason, answer_or_reason, before
from sabot.domain.values.cards import FIRST_TWO

_NOBODY_KNOWS: Final = "it is unknown how the coup would have continued"
_RULING_UNKNOWN: Final = "something went wrong, and it is unknown how it would have been ruled on"
"""Why the result of a voided coup is unknown: its choices, or the ruling on its error."""


def gains_of_void(view: CoupView) -> MoneyEffect:
    """Return each patron's gain or loss because the bets of a coup neither won nor lost.

    In a game with a patron's bank, the banker is among the patrons, and the house loses its levy.

    Returns:
        Patrons with amounts in minor units, or the reason why the amounts are unknown.
    """
    unmet = needs.record_not_coups_alone.missing(view)
    if unmet is not None:
        return unmet.text
    game = game_of_record(view.shoe)
    if game == "punto-banco":
        return _gains_by_tableau(view)
    if game is None:
        return _NOBODY_KNOWS
    gains = answer_or_reason(partial(_gains_against_bank, view))
    return gains.text if isinstance(gains, Reason) else gains


def _in_order(gains: Counter[str]) -> MoneyEffect:
    return tuple(sorted((patron, gain) for patron, gain in gains.items() if gain))


def _unsettled_by(wager: str) -> str:
    return result_unknown(wager)


def _stakes_at_close(coup: Coup) -> list[Bet]:
    """Return the bets with the stakes that they had when the bets were closed."""
    closed = coup.bets_closed
    bets = [] if closed is None else [lying_at(coup, bet, closed) for bet in coup.bets.values()]
    return [bet for bet in bets if bet.amount]


# -- Punto banco -----------------------------------------------------------------------------------


def _gains_by_tableau(view: CoupView) -> MoneyEffect:
    coup = view.coup
    wrong = coup.removed_cards or coup.reassigned or not drawn_rightly(view.shoe, coup)
    if view.dealt and wrong:
        return _RULING_UNKNOWN
    result = result_by_tableau(view)
    if isinstance(result, str):
        return result
    gains: Counter[str] = Counter()
    for bet in _stakes_at_close(coup):
        due = view.cashier.due(bet.wager, result, bet.amount) if view.cashier else None
        if due is None:
            return _unsettled_by(bet.wager)
        gains[bet.patron] -= due.net
    return _in_order(gains)


# -- Games with a bank -----------------------------------------------------------------------------


def _gains_against_bank(view: CoupView) -> MoneyEffect:
    shoe, coup = view.shoe, view.coup
    pack, banker = shoe.pack, coup.banked.banker if coup.banked is not None else None
    if pack is None or banker is None or not _was_played_out(view):
        return _NOBODY_KNOWS
    if coup.removed_cards or coup.reassigned or not _drawn_as_permitted(view):
        return _RULING_UNKNOWN
    bets = {bet.number: replace(bet, moves=[]) for bet in _stakes_at_close(coup)}
    won, gains = 0, Counter[str]()
    paid = natural_paid_before_void(coup)
    for bet, due in due_by_bank(shoe, replace(coup, voided=None, bets=bets), [*bets.values()]):
        if due is None:
            return _unsettled_by(bet.wager)
        if bet.wager != paid:
            gains[bet.patron] -= due.net
            won -= due.net
    gains[banker] -= won - (pack.levy.on(won) if pack.levy is not None else 0)
    return _in_order(gains)


def _was_played_out(view: CoupView) -> bool:
    """Return whether the hands of a coup were dealt and called before its void."""
    called, voided = view.coup.result_called, view.coup.voided
    if not view.dealt or called is None:
        return False
    if voided is not None and not before(view, called, voided):
        return False
    standing = replace(view.coup, voided=None)
    return game_of(view.shoe.pack).in_coup(view.shoe, standing).expects not in ("card", "choice")


def _drawn_as_permitted(view: CoupView) -> bool:
    """Return whether no hand drew or stood against the rules."""
    game = game_of(view.shoe.pack).name
    if game not in GAMES:
        return played_by_the_rules(view)
    hands = HANDS if game == BANQUE else SIDES
    return all(
        ("draw" if len(view.coup.hand(hand)) > FIRST_TWO else "stand") in choices_of(view, hand)
        for hand in hands
    )
