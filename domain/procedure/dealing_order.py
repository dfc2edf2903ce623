"""The next action at the table, from the shoe's events and its rule pack."""

from sabot.domain import events as ev
from sabot.domain.procedure.burns import burn_owed
from sabot.domain.procedure.common import burn_due, cards_before_cut_card, last_coup, opening_burn
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.next_action import Awaits, NextAction
from sabot.domain.procedure.seating import may_cut, next_to_cut
from sabot.domain.procedure.settlement_order import due_move
from sabot.domain.rules.payouts import Due
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe

__all__ = ["Awaits", "NextAction", "due_bets", "due_move", "next_action"]


def next_action(shoe: Shoe) -> NextAction:
    """Return the next action at the table."""
    if shoe.ended is not None:
        return NextAction("nothing", "the shoe has ended")
    if shoe.loaded is None:
        return NextAction("shoe", "load the shoe")
    prepare = _prepare(shoe)
    if prepare is not None:
        return prepare
    place = cards_before_cut_card(shoe)
    if place is not None and shoe.cut_card is None and len(shoe.left) >= place and _reaches(shoe):
        coup = shoe.current.number if shoe.current is not None else None
        return NextAction("call", "the cut card is out", ev.CutCardReached(len(shoe.left), coup))
    if shoe.current is not None:
        return game_of(shoe.pack).in_coup(shoe, shoe.current)
    return _between_coups(shoe)


def _reaches(shoe: Shoe) -> bool:
    """Return whether a hand is due a card, so that the cut card may appear now.

    If the cut card comes right after the last card of a coup, it shows in the next coup. Source:
    the cut card marks the last coup when it is drawn (WIKIPEDIA_BACCARAT_PUNTO_BANCO).
    """
    coup = shoe.current
    if coup is None:
        return True
    return game_of(shoe.pack).draws(shoe, coup)


def _prepare(shoe: Shoe) -> NextAction | None:
    """Return the next action before the first coup, or None if nothing is due.

    A bet placed too early does not begin the coup.
    """
    if any(coup.opened is not None or coup.cards for coup in shoe.coups.values()):
        return None
    before = _before_first_card(shoe) if not shoe.left else None
    return before or _burn(shoe)


def _before_first_card(shoe: Shoe) -> NextAction | None:
    due = game_of(shoe.pack).before_cards(shoe) if not shoe.cuts else None
    if due is not None:
        return due
    if not shoe.shuffles:
        endless = shoe.pack is not None and shoe.pack.endless
        said = "put the cards into the shuffler" if endless else "shuffle the cards"
        return NextAction("shuffle", said)
    if not shoe.cuts and not (shoe.pack is not None and shoe.pack.endless):
        return _cut(shoe)
    if not shoe.stop_cards and shoe.pack and shoe.pack.end.stop_card_least is not None:
        least, most = shoe.pack.end.stop_card_least, shoe.pack.end.stop_card_most
        said = f"place the cut card, {least} to {most} from the end"
        return NextAction("stop-card", said, ev.StopCardPlaced(least))
    return None


def _cut(shoe: Shoe) -> NextAction:
    """Return the next step of the cut.

    The seated patrons are asked in turn, and each cuts or declines.
    """
    asked, heir = may_cut(shoe), next_to_cut(shoe)
    if asked is not None:
        return NextAction("cut", f"{asked} cuts the cards, or declines the cut")
    if heir is not None:
        return NextAction("cut", f"offer the cut to {heir}", ev.CutOffered(heir))
    if shoe.cut_offers:
        return NextAction("cut", "nobody cuts: the house does")
    return NextAction("cut", "offer the cards for the cut")


def _burn(shoe: Shoe) -> NextAction | None:
    due, burned = burn_due(shoe), len(opening_burn(shoe))
    if due is None or due.cards == burned:
        return None
    if burned < due.face_up:
        return NextAction("burn-up", "burn the first card face up")
    if due.cards is not None and burned < due.cards:
        left = due.cards - burned
        return NextAction(
            "burn-down", f"burn {left} more, face down", ev.CardBurned(None, burned + 1)
        )
    return None


def _burn_between(shoe: Shoe) -> NextAction | None:
    """Return the burn due after a change of dealer or a dead game, if any."""
    why = burn_owed(shoe)
    if why is None:
        return None
    said = "another deals" if why == "relief" else "the game was dead"
    burned = ev.CardBurned(None, len(shoe.left) + 1, why)
    return NextAction("burn-down", f"burn a card face down: {said}", burned)


def _between_coups(shoe: Shoe) -> NextAction:
    number = max(shoe.coups, default=0) + 1
    last = last_coup(shoe)
    game = game_of(shoe.pack)
    if last is not None and number > last:
        before = game.before_end(shoe)
        if before is not None:
            return before
        for patron, owed in sorted(shoe.owed_commission.items()):
            if owed > 0:
                said = f"{patron} owes {format_money(shoe, owed)} of commission: collect it"
                return NextAction("end", said, ev.CommissionCollected(patron, owed))
        left = max(0, shoe.size - len(shoe.left))
        return NextAction("end", "the shoe is over: count the cards left", ev.ShoeEnded(left=left))
    called = {event.payload.coup for event in shoe.last_coup_called}
    if last == number and called.isdisjoint({None, number}):
        return NextAction("call", f"call the last coup: coup {number}", ev.LastCoupCalled(number))
    before = _burn_between(shoe) or game.before_coup(shoe)
    return before or NextAction("coup", f"open coup {number}", ev.CoupOpened(number))


def due_bets(shoe: Shoe, coup: Coup) -> list[tuple[Bet, Due]]:
    """Return the open bets and the amount due to each, in order of settlement."""
    return game_of(shoe.pack).due_bets(shoe, coup)
