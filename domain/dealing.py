"""The caller's side: what is due next at the table, by the shoe's facts and its rule pack."""

from typing import Final, Literal

from msgspec import Struct

from domain import facts as f
from domain.cards import total
from domain.coup import Bet, Coup
from domain.money import spelled
from domain.procedure import (
    burn_due,
    cards_before_cut_card,
    hand_due,
    last_coup,
    left_to_carry,
    next_holder,
    opening_burn,
    shoe_passes,
)
from domain.result import result_of
from domain.settlement import Cashier, Due, cashier_for
from domain.shoe import Shoe
from domain.tableau import why_banco, why_punto

Awaits = Literal[
    "shoe", "shuffle", "cut", "stop-card", "burn-up", "burn-down", "coup", "bets", "card",
    "turn", "call", "settle", "close", "holder", "end", "nothing",
]  # fmt: skip


class Prompt(Struct, frozen=True):
    """What a caller would say now.

    ``fact`` is what is due, where it is fully determined; ``hand`` is the hand that is due a
    card, where a card is awaited.
    """

    awaits: Awaits
    text: str
    fact: f.ShoeFact | None = None
    hand: f.Hand | None = None


def prompt(shoe: Shoe) -> Prompt:
    """Say what is due next at the table."""
    if shoe.ended is not None:
        return Prompt("nothing", "the shoe has ended")
    if shoe.loaded is None:
        return Prompt("shoe", "load the shoe")
    prepare = _prepare(shoe)
    if prepare is not None:
        return prepare
    place = cards_before_cut_card(shoe)
    if place is not None and shoe.cut_card is None and len(shoe.left) >= place and _reaches(shoe):
        coup = shoe.current.number if shoe.current is not None else None
        return Prompt("call", "the cut card is out", f.CutCardReached(len(shoe.left), coup))
    if shoe.current is not None:
        return _in_coup(shoe, shoe.current)
    return _between_coups(shoe)


def _reaches(shoe: Shoe) -> bool:
    """Tell whether a hand goes to the shoe for a card: the cut card is found by drawing.

    A coup that ended on the card before it has not found it; the next coup does.
    Source: seeds S0, S1 ("the drawing of the cut card indicates the last coup of the shoe").
    """
    coup = shoe.current
    if coup is None:
        return True
    return coup.result_called is None and hand_due(coup.player, coup.banker) is not None


def _prepare(shoe: Shoe) -> Prompt | None:
    """What is due before the first coup; a bet that came too early does not begin it."""
    if any(coup.opened is not None or coup.cards for coup in shoe.coups.values()):
        return None
    before = _before_first_card(shoe) if not shoe.left else None
    return before or _burn(shoe)


def _before_first_card(shoe: Shoe) -> Prompt | None:
    if not shoe.shuffles:
        return Prompt("shuffle", "shuffle the cards")
    if not shoe.cuts:
        return Prompt("cut", "offer the cards for the cut")
    if not shoe.stop_cards and shoe.pack and shoe.pack.end.stop_card_least is not None:
        least, most = shoe.pack.end.stop_card_least, shoe.pack.end.stop_card_most
        said = f"place the cut card, {least} to {most} from the end"
        return Prompt("stop-card", said, f.StopCardPlaced(least))
    return None


def _burn(shoe: Shoe) -> Prompt | None:
    due, burned = burn_due(shoe), len(opening_burn(shoe))
    if due is None or due.cards == burned:
        return None
    if burned < due.face_up:
        return Prompt("burn-up", "burn the first card face up")
    if due.cards is not None and burned < due.cards:
        left = due.cards - burned
        return Prompt("burn-down", f"burn {left} more, face down", f.CardBurned(None, burned + 1))
    return None


def _between_coups(shoe: Shoe) -> Prompt:
    number = max(shoe.coups, default=0) + 1
    last = last_coup(shoe)
    if last is not None and number > last:
        for patron, owed in sorted(shoe.owed.items()):
            if owed > 0:
                units = shoe.pack.money.minor_units if shoe.pack is not None else 2
                said = f"{patron} owes {spelled(owed, units)} of commission: collect it"
                return Prompt("end", said, f.CommissionCollected(patron, owed))
        left = max(0, shoe.size - len(shoe.left))
        return Prompt("end", "the shoe is over: count the cards left", f.ShoeEnded(left=left))
    if last == number and not shoe.last_coup_called:
        return Prompt("call", f"call the last coup: coup {number}", f.LastCoupCalled(number))
    holder = _holder(shoe)
    if holder is not None:
        return holder
    return Prompt("coup", f"open coup {number}", f.CoupOpened(number))


def _holder(shoe: Shoe) -> Prompt | None:
    """Where a patron holds the shoe: whose it is now."""
    if shoe.pack is None or shoe.pack.table.shoe != "patron":
        return None
    if shoe.holder is not None:
        if shoe_passes(shoe):
            said = f"the bank lost: {shoe.holder} passes the shoe"
            return Prompt("holder", said, f.ShoePassed(shoe.holder, "lost"))
        return None
    if shoe.offered is not None:
        return Prompt("holder", f"{shoe.offered} takes the shoe", f.ShoeTaken(shoe.offered))
    heir = next_holder(shoe)
    if heir is None:
        house = shoe.crew.get("caller") or shoe.crew.get("dealer") or "house"
        return Prompt("holder", "nobody takes the shoe: the house deals", f.ShoeTaken(house))
    return Prompt("holder", f"offer the shoe to {heir}", f.ShoeOffered(heir))


def _in_coup(shoe: Shoe, coup: Coup) -> Prompt:
    waiting = left_to_carry(shoe, coup) if coup.no_more_bets is None else []
    if waiting:
        bet, number = waiting[0], max(coup.bets, default=0) + 1
        fact = f.BetCarried(coup.number, number, bet.patron, bet.wager, bet.amount)
        return Prompt("bets", f"{bet.patron}'s bet on {bet.wager} stays after the tie", fact)
    if coup.no_more_bets is None:
        return Prompt("bets", "place your bets", f.NoMoreBets(coup.number))
    if coup.totals_called is None and coup.result_called is None:
        return _first_four(shoe, coup)
    hand = hand_due(coup.player, coup.banker)
    if hand is not None and coup.result_called is None:
        return _third(coup, hand)
    return _settle(shoe, coup)


_FACE_DOWN: Final[tuple[tuple[f.Hand, int], ...]] = (
    ("player", 1),
    ("player", 2),
    ("banker", 1),
    ("banker", 2),
)


def _first_four(shoe: Shoe, coup: Coup) -> Prompt:
    """Two cards to each hand, turned where they were dealt face down, then their totals."""
    player, banker = coup.player, coup.banker
    if len(player) < 2 or len(banker) < 2:  # noqa: PLR2004 - two cards each come first
        hand = hand_due(player, banker)
        return Prompt("card", f"a card for {hand}", hand=hand)
    if shoe.pack is not None and shoe.pack.cards.faces == "down":
        turned = {(event.fact.hand, event.fact.nth) for event in coup.turned}  # type: ignore[union-attr]
        for side, nth in _FACE_DOWN:
            if (side, nth) not in turned:
                fact = f.CardTurned(coup.number, side, nth)
                return Prompt("turn", f"turn {side}'s card {nth}", fact)
    punto, banco = total(player[:2]), total(banker[:2])
    call = f.TotalsCalled(coup.number, punto, banco)
    return Prompt("call", f"call {_words(punto)} player, {_words(banco)} banker", call)


def _third(coup: Coup, hand: f.Hand) -> Prompt:
    player, banker = coup.player, coup.banker
    punto, banco = total(player[:2]), total(banker[:2])
    if hand == "player":
        return Prompt("card", f"card for player: {why_punto(punto, banco)}", hand=hand)
    third = total(player[2:3]) if len(player) > 2 else None  # noqa: PLR2004
    return Prompt("card", f"card for banker: {why_banco(punto, banco, third)}", hand=hand)


def _settle(shoe: Shoe, coup: Coup) -> Prompt:
    if coup.result_called is None:
        result = result_of(coup.player, coup.banker)
        said = {"P": "player wins", "B": "banker wins", "T": "tie"}[result.outcome]
        call_result = f.ResultCalled(coup.number, result.player, result.banker, result.outcome)
        return Prompt("call", f"call {said}, {result.player} to {result.banker}", call_result)
    for bet, due in due_bets(shoe, coup):
        fact = due_move(shoe, coup, bet, due)
        if fact is not None:
            return Prompt("settle", f"{bet.patron}, {bet.wager}: {due.line}", fact)
    for bet in coup.bets.values():
        if not bet.settled and not bet.withdrawn:
            return Prompt("settle", f"{bet.patron}'s bet on {bet.wager} is settled by no pay line")
    return Prompt("close", f"close coup {coup.number}", f.CoupClosed(coup.number))


_ORDER: Final = {"take": 0, "push": 1, "pay": 2}


def due_bets(shoe: Shoe, coup: Coup) -> list[tuple[Bet, Due]]:
    """Return the bets that stand, with what is due to each: losers first, then pushes, winners.

    Source: losers are taken before winners are paid (arrêté of 2007, field-facts.md A13).
    """
    if shoe.pack is None:
        return []
    cashier: Cashier = cashier_for(shoe.pack_text)
    result = result_of(coup.player, coup.banker)
    standing = [bet for bet in coup.bets.values() if not bet.withdrawn]
    due = [(bet, cashier.due(bet.wager, result, bet.amount)) for bet in standing]
    known = [(bet, what) for bet, what in due if what is not None]
    return sorted(known, key=lambda pair: (_ORDER[pair[1].kind], pair[0].number))


def due_move(shoe: Shoe, coup: Coup, bet: Bet, due: Due) -> f.ShoeFact | None:
    """Return the next fact that settles a bet, or None where it is settled."""
    if not bet.settled:
        if due.kind == "push":
            return f.BetPushed(coup.number, bet.number)
        if due.kind == "take":
            return f.BetTaken(coup.number, bet.number, due.taken)
        return f.BetPaid(coup.number, bet.number, due.paid)
    if not due.commission or bet.commission or bet.after_commission or shoe.pack is None:
        return None
    if shoe.pack.commission.due == "marked":
        return f.CommissionMarked(coup.number, bet.number, due.commission)
    return f.CommissionCollected(bet.patron, due.commission, coup.number, bet.number)


def _words(number: int) -> str:
    names = "zero one two three four five six seven eight nine"
    return names.split()[number]
