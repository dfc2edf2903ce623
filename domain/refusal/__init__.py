"""What the rule pack forbids at this moment, with the reason and the next step.

`verify` is for the dealer's side alone: a fact that happened all the same is recorded without
it, and the auditor reports it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain import facts as f
from domain.errors import Refused
from domain.facts import bank as k
from domain.facts.bank import BankFact
from domain.games import game_of
from domain.refusal import banking, banque, bets, cards, conduct, coups, macao, people, settling
from domain.rulepack import GameName
from domain.shoe import Shoe

Check = Callable[[Shoe, Any], str | None]
"""Why a fact is refused now, with the next step; None where it is not."""


def verify(shoe: Shoe, fact: f.ShoeFact) -> None:
    """Refuse a fact that the rule pack forbids now.

    Raises:
        Refused: with the reason and the next step.
    """
    reason = refusal(shoe, fact)
    if reason is not None:
        raise Refused(reason)


def refusal(shoe: Shoe, fact: f.ShoeFact) -> str | None:
    """Say why the rule pack forbids a fact now; None where it does not."""
    if isinstance(fact, f.ShoeLoaded):
        return cards.load(shoe, fact)
    if shoe.loaded is None:
        return "no shoe is loaded; load one first"
    if shoe.pack is None:
        return f"the shoe's rule pack cannot be read: {shoe.pack_fault}"
    if shoe.ended is not None and not isinstance(fact, _AFTER_THE_END):
        return "the shoe has ended; load a new one"
    game = game_of(shoe.pack).name
    check = _OF_GAMES.get(game, {}).get(type(fact)) or _CHECKS.get(type(fact))
    if check is None and isinstance(fact, BankFact):
        return f"nothing is known of {f.name_of(fact)} at {game}"
    return check(shoe, fact) if check is not None else None


_AFTER_THE_END: Final = (f.OrderOpened, f.FactCorrected, f.IrregularityNoted)

_CHECKS: Final[dict[type, Check]] = {
    f.ShoeShuffled: cards.shuffle,
    f.CutOffered: conduct.offer_cut,
    f.CutRefused: conduct.refuse_cut,
    f.ShoeCut: conduct.cut,
    f.StopCardPlaced: cards.place_stop_card,
    f.CardBurned: cards.burn,
    f.CoupOpened: coups.open_coup,
    f.BetPlaced: bets.bet,
    f.BetCarried: bets.carry,
    f.BetChanged: bets.change,
    f.BetWithdrawn: bets.change,
    f.NoMoreBets: bets.no_more_bets,
    f.CardDrawn: cards.draw,
    f.CardReassigned: conduct.reassign,
    f.CardsCleared: conduct.clear,
    f.TotalsCalled: settling.as_prompted,
    f.ResultCalled: settling.as_prompted,
    f.BetTaken: settling.move,
    f.BetPaid: settling.move,
    f.BetPushed: settling.move,
    f.CommissionMarked: settling.move,
    f.CommissionCollected: settling.collect,
    k.ExcessReturned: conduct.cap,
    f.CoupClosed: settling.close,
    f.CoupVoided: settling.void,
    f.CutCardReached: settling.as_prompted,
    f.LastCoupCalled: settling.as_prompted,
    f.OrderCommitted: cards.commit,
    f.ShoeEnded: settling.end,
    f.PatronSeated: people.sit,
    f.PatronLeft: people.leave,
    f.ShoeOffered: people.hold,
    f.ShoeTaken: people.hold,
    f.ShoeRefused: people.hold,
    f.ShoePassed: people.pass_on,
}

_OF_GAMES: Final[dict[GameName, Mapping[type, Check]]] = {
    "chemin-de-fer": banking.CHECKS,
    "baccarat-banque": banque.CHECKS,
    "macao": macao.CHECKS,
    "victoria": macao.CHECKS,
}
"""What a game refuses in place of what every game refuses."""

__all__ = ["refusal", "verify"]
