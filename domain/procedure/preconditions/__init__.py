"""Checks of events against the rule pack, with the reason and the next step.

Only the dealing program calls `require`. If a forbidden event happened at a table, it is recorded
without this check, and the audit reports it. A refusal has the number of the audit's rule that
forbids the same. Conditions that both decide by are in the modules of requirements.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.games import foreign_to, game_of, what_lacks
from sabot.domain.procedure.preconditions import (
    bank_events,
    bet_events,
    card_events,
    macao_events,
    people_events,
    settlement_events,
    tableaux_events,
)
from sabot.domain.procedure.preconditions.bet_requirements import is_at_table
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.procedure.seating import left_table
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.errors import Refused

Check = Callable[[Shoe, Any], Violation | None]
"""Returns why an event is refused now, with the next step. None if it is allowed."""


def require(shoe: Shoe, payload: ev.ShoeEvent) -> None:
    """Refuse an event that the rule pack forbids now.

    Raises:
        Refused: with the reason and the next step.
    """
    why = violation(shoe, payload)
    if why is not None:
        raise Refused(why, why.rule)


def violation(shoe: Shoe, payload: ev.ShoeEvent) -> Violation | None:
    """Return why the rule pack does not allow an event now, or None if it does.

    The result names the rule of the audit that forbids it too, if there is one.
    """
    if isinstance(payload, ev.ShoeLoaded):
        return card_events.check_loading(shoe, payload)
    if shoe.loaded is None:
        return Violation("no shoe is loaded; load one first")
    if shoe.pack is None:
        return Violation(f"the shoe's rule pack cannot be read: {shoe.pack_fault}", "R406")
    if shoe.ended is not None and not isinstance(payload, _AFTER_THE_END):
        rule = "" if _coup_of(payload) is None else "Q103"
        return Violation("the shoe has ended; load a new one", rule)
    game = game_of(shoe.pack).name
    check = _OF_GAMES.get(game, {}).get(type(payload)) or _CHECKS.get(type(payload))
    refused = _of_no_game(shoe, payload) or _by_the_absent(shoe, payload)
    return refused or (check(shoe, payload) if check is not None else None)


def _of_no_game(shoe: Shoe, payload: ev.ShoeEvent) -> Violation | None:
    """Refuse an event that the game does not have."""
    assert shoe.pack is not None
    foreign = foreign_to(shoe.pack, payload)
    if foreign is None:
        return None
    lacks = f"{what_lacks(shoe.pack, payload)} has no {foreign.removeprefix('the ')}"
    said = f"{lacks}; {next_action(shoe).text}"
    return Violation(said, "R414" if _coup_of(payload) is None else "R415")


def _coup_of(payload: ev.ShoeEvent) -> int | None:
    """Return the number of the coup that an event names, or None."""
    return getattr(payload, "coup", None)


def _by_the_absent(shoe: Shoe, payload: ev.ShoeEvent) -> Violation | None:
    """Refuse a bet, its raise or a banco by a patron who has left the table."""
    match payload:
        case ev.BetPlaced(patron=patron) | bank_ev.BancoCalled(patron=patron):
            pass
        case ev.BetChanged(coup=coup, bet=bet, amount=amount):
            raised = shoe.coups[coup].bets.get(bet) if coup in shoe.coups else None
            if raised is None or amount <= raised.amount:
                return None
            patron = raised.patron
        case _:
            return None
    if is_at_table(left_table(shoe, patron)):
        return None
    return Violation(f"{patron} has left the table; seat them first", "B215")


_AFTER_THE_END: Final = (ev.OrderOpened, ev.EventCorrected, ev.IrregularityNoted)

_CHECKS: Final[dict[type, Check]] = {
    ev.ShoeShuffled: card_events.check_shuffle,
    ev.CutOffered: people_events.offer_cut,
    ev.CutRefused: people_events.refuse_cut,
    ev.ShoeCut: people_events.check_cut,
    ev.StopCardPlaced: card_events.place_stop_card,
    ev.CardBurned: card_events.check_burn,
    ev.CoupOpened: card_events.open_coup,
    ev.LimitsChanged: bet_events.change_limits,
    ev.BetPlaced: bet_events.check_bet,
    ev.BetCarried: bet_events.check_carry,
    ev.BetChanged: bet_events.check_change,
    ev.BetWithdrawn: bet_events.check_change,
    ev.NoMoreBets: bet_events.no_more_bets,
    ev.CardDrawn: card_events.check_draw,
    ev.CardReassigned: people_events.check_reassignment,
    ev.CardsCleared: people_events.check_clearing,
    ev.TotalsCalled: settlement_events.as_prompted,
    ev.ResultCalled: settlement_events.as_prompted,
    ev.BetTaken: settlement_events.check_payment,
    ev.BetPaid: settlement_events.check_payment,
    ev.BetPushed: settlement_events.check_payment,
    ev.CommissionMarked: settlement_events.check_payment,
    ev.CommissionCollected: settlement_events.check_collection,
    bank_ev.ExcessReturned: people_events.check_cap,
    ev.CoupClosed: settlement_events.check_close,
    ev.CoupVoided: settlement_events.check_void,
    ev.IrregularityNoted: settlement_events.check_irregularity,
    ev.CutCardReached: settlement_events.as_prompted,
    ev.LastCoupCalled: settlement_events.as_prompted,
    ev.OrderCommitted: card_events.check_commitment,
    ev.ShoeEnded: settlement_events.check_end,
    ev.PatronSeated: people_events.check_seat,
    ev.PatronLeft: people_events.check_leaving,
    ev.ShoeOffered: people_events.check_holder,
    ev.ShoeTaken: people_events.check_holder,
    ev.ShoeRefused: people_events.check_holder,
    ev.ShoePassed: people_events.check_passing,
}

_OF_GAMES: Final[dict[GameName, Mapping[type, Check]]] = {
    "chemin-de-fer": bank_events.CHECKS,
    "baccarat-banque": tableaux_events.CHECKS,
    "macao": macao_events.CHECKS,
    "victoria": macao_events.CHECKS,
}
"""Checks of each game that replace the general ones."""

__all__ = ["Violation", "require", "violation"]
