"""What the rule pack forbids at this moment, with the reason and the next step.

`verify` is for the dealer's side alone: an event that happened all the same is recorded without
it, and the auditor reports it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabot.domain import events as f
from sabot.domain.events import bank as k
from sabot.domain.events.bank import BankEvent
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.preconditions import (
    bank_events,
    bet_events,
    card_events,
    macao_events,
    people_events,
    settlement_events,
    tableaux_events,
)
from sabot.domain.procedure.requirement import Violation
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.errors import Refused

Check = Callable[[Shoe, Any], str | None]
"""Why an event is refused now, with the next step; None where it is not."""


def require(shoe: Shoe, payload: f.ShoeEvent) -> None:
    """Refuse an event that the rule pack forbids now.

    Raises:
        Refused: with the reason and the next step.
    """
    why = violation(shoe, payload)
    if why is not None:
        rule = why.requirement.cited if isinstance(why, Violation) and why.requirement else ""
        raise Refused(why, rule)


def violation(shoe: Shoe, payload: f.ShoeEvent) -> str | None:
    """Say why the rule pack forbids an event now; None where it does not.

    Where the audit has a rule that forbids the same the answer is a `Violation` that names it.
    """
    if isinstance(payload, f.ShoeLoaded):
        return card_events.load(shoe, payload)
    if shoe.loaded is None:
        return "no shoe is loaded; load one first"
    if shoe.pack is None:
        return f"the shoe's rule pack cannot be read: {shoe.pack_fault}"
    if shoe.ended is not None and not isinstance(payload, _AFTER_THE_END):
        return "the shoe has ended; load a new one"
    game = game_of(shoe.pack).name
    check = _OF_GAMES.get(game, {}).get(type(payload)) or _CHECKS.get(type(payload))
    if check is None and isinstance(payload, BankEvent):
        return f"nothing is known of {f.name_of(payload)} at {game}"
    return check(shoe, payload) if check is not None else None


_AFTER_THE_END: Final = (f.OrderOpened, f.EventCorrected, f.IrregularityNoted)

_CHECKS: Final[dict[type, Check]] = {
    f.ShoeShuffled: card_events.shuffle,
    f.CutOffered: people_events.offer_cut,
    f.CutRefused: people_events.refuse_cut,
    f.ShoeCut: people_events.cut,
    f.StopCardPlaced: card_events.place_stop_card,
    f.CardBurned: card_events.burn,
    f.CoupOpened: card_events.open_coup,
    f.BetPlaced: bet_events.bet,
    f.BetCarried: bet_events.carry,
    f.BetChanged: bet_events.change,
    f.BetWithdrawn: bet_events.change,
    f.NoMoreBets: bet_events.no_more_bets,
    f.CardDrawn: card_events.draw,
    f.CardReassigned: people_events.reassign,
    f.CardsCleared: people_events.clear,
    f.TotalsCalled: settlement_events.as_prompted,
    f.ResultCalled: settlement_events.as_prompted,
    f.BetTaken: settlement_events.move,
    f.BetPaid: settlement_events.move,
    f.BetPushed: settlement_events.move,
    f.CommissionMarked: settlement_events.move,
    f.CommissionCollected: settlement_events.collect,
    k.ExcessReturned: people_events.cap,
    f.CoupClosed: settlement_events.close,
    f.CoupVoided: settlement_events.void,
    f.CutCardReached: settlement_events.as_prompted,
    f.LastCoupCalled: settlement_events.as_prompted,
    f.OrderCommitted: card_events.commit,
    f.ShoeEnded: settlement_events.end,
    f.PatronSeated: people_events.sit,
    f.PatronLeft: people_events.leave,
    f.ShoeOffered: people_events.hold,
    f.ShoeTaken: people_events.hold,
    f.ShoeRefused: people_events.hold,
    f.ShoePassed: people_events.pass_on,
}

_OF_GAMES: Final[dict[GameName, Mapping[type, Check]]] = {
    "chemin-de-fer": bank_events.CHECKS,
    "baccarat-banque": tableaux_events.CHECKS,
    "macao": macao_events.CHECKS,
    "victoria": macao_events.CHECKS,
}
"""What a game refuses in place of what every game refuses."""

__all__ = ["Violation", "require", "violation"]
