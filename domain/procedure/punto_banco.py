"""Punto banco: fixed drawing rules for both hands. The house banks every wager."""

from typing import ClassVar, Final

from sabot.domain import events as ev
from sabot.domain.procedure.common import (
    false_draw,
    hand_due,
    left_to_carry,
    next_holder,
    shoe_passes,
)
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.procedure.settlement_order import close_coup, settle_bets
from sabot.domain.procedure.two_hands import TwoHands
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.labels import hand_label, wager_label
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.third_card_table import why_banker, why_player
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import FIRST_TWO, total


class PuntoBanco(TwoHands):
    """Punto banco: patrons bet against the house on Player, Banker or a tie.

    Source: ARRETE_2007_ART_55_14, WIKIPEDIA_BACCARAT_PUNTO_BANCO.
    """

    name: ClassVar[GameName] = "punto-banco"
    hands: ClassVar[tuple[ev.Hand, ...]] = ("player", "banker")
    events: ClassVar[frozenset[type[ev.Event]]] = frozenset((
        *(ev.BetCarried, ev.TotalsCalled, ev.ResultCalled),
    ))  # fmt: skip

    def in_coup(self, shoe: Shoe, coup: Coup) -> NextAction:
        """Return the next step of a coup, from the bets to the payments.

        The steps are: bets, four cards, drawing rules, calls, payments.
        """
        if coup.no_more_bets is None:
            return _bets(shoe, coup)
        if coup.totals_called is None and coup.result_called is None:
            return _first_four(shoe, coup)
        hand = hand_due(coup.player, coup.banker)
        if hand is not None and coup.result_called is None:
            return _third(coup, hand)
        return self._settle(shoe, coup)

    def before_coup(self, shoe: Shoe) -> NextAction | None:
        """Return the next step in passing the shoe between patrons. None otherwise."""
        return _holder(shoe)

    def draws(self, shoe: Shoe, coup: Coup) -> bool:  # noqa: ARG002 - the cards alone tell
        """Return whether the drawing rules require a card."""
        return coup.result_called is None and hand_due(coup.player, coup.banker) is not None

    def _settle(self, shoe: Shoe, coup: Coup) -> NextAction:
        if coup.result_called is None:
            result = result_of(coup.player, coup.banker)
            said = {"P": "player wins", "B": "banker wins", "T": "tie"}[result.outcome]
            call = ev.ResultCalled(coup.number, result.player, result.banker, result.outcome)
            return NextAction("call", f"call {said}, {result.player} to {result.banker}", call)
        return settle_bets(shoe, coup, self.due_bets(shoe, coup)) or close_coup(coup)


def _bets(shoe: Shoe, coup: Coup) -> NextAction:
    waiting = [] if coup.free else left_to_carry(shoe, coup)
    if waiting:
        bet, number = waiting[0], max(coup.bets, default=0) + 1
        payload = ev.BetCarried(coup.number, number, bet.patron, bet.wager, bet.amount)
        return NextAction(
            "bets", f"{bet.patron}'s bet on {wager_label(bet.wager)} stays after the tie", payload
        )
    return NextAction("bets", "place your bets", ev.NoMoreBets(coup.number))


def _holder(shoe: Shoe) -> NextAction | None:
    """Return the next step in passing the shoe between patrons. None otherwise."""
    if shoe.pack is None or shoe.pack.table.shoe != "patron":
        return None
    if shoe.holder is not None:
        return _passing(shoe, shoe.holder)
    if shoe.offered is not None:
        return NextAction("holder", f"{shoe.offered} takes the shoe", ev.ShoeTaken(shoe.offered))
    heir = next_holder(shoe)
    if heir is None:
        house = shoe.crew.get("caller") or shoe.crew.get("dealer") or "house"
        return NextAction("holder", "nobody takes the shoe: the house deals", ev.ShoeTaken(house))
    return NextAction("holder", f"offer the shoe to {heir}", ev.ShoeOffered(heir))


def _passing(shoe: Shoe, holder: str) -> NextAction | None:
    """Return the step in which the holder has to pass the shoe, or None.

    A lost bank or a false draw can require it.
    """
    if shoe_passes(shoe):
        said = f"the bank lost: {holder} passes the shoe"
        return NextAction("holder", said, ev.ShoePassed(holder, "lost"))
    if false_draw(shoe) is not None:
        said = f"a false draw: {holder} passes the shoe"
        return NextAction("holder", said, ev.ShoePassed(holder, "ruling"))
    return None


_FACE_DOWN: Final[tuple[tuple[ev.Hand, int], ...]] = (
    ("player", 1),
    ("player", 2),
    ("banker", 1),
    ("banker", 2),
)


def _first_four(shoe: Shoe, coup: Coup) -> NextAction:
    """Return the next step of the first deal: two cards each, turning, totals."""
    player, banker = coup.player, coup.banker
    if len(player) < FIRST_TWO or len(banker) < FIRST_TWO:
        hand: ev.Hand = "player" if len(player) <= len(banker) else "banker"
        return NextAction("card", f"a card for {hand_label(hand)}", hand=hand)
    if shoe.pack is not None and shoe.pack.cards.faces == "down":
        turned = {(event.payload.hand, event.payload.nth) for event in coup.turned}
        for side, nth in _FACE_DOWN:
            if (side, nth) not in turned:
                payload = ev.CardTurned(coup.number, side, nth)
                return NextAction("turn", f"turn {hand_label(side)}'s card {nth}", payload)
    player_total, banker_total = total(player[:2]), total(banker[:2])
    call = ev.TotalsCalled(coup.number, player_total, banker_total)
    return NextAction(
        "call", f"call {_words(player_total)} player, {_words(banker_total)} banker", call
    )


def _third(coup: Coup, hand: ev.Hand) -> NextAction:
    player, banker = coup.player, coup.banker
    player_total, banker_total = total(player[:2]), total(banker[:2])
    if hand == "player":
        return NextAction(
            "card", f"a card for Player: {why_player(player_total, banker_total)}", hand=hand
        )
    third = total(player[2:3]) if len(player) > FIRST_TWO else None
    return NextAction(
        "card", f"a card for Banker: {why_banker(player_total, banker_total, third)}", hand=hand
    )


def _words(number: int) -> str:
    names = "zero one two three four five six seven eight nine"
    return names.split()[number]
