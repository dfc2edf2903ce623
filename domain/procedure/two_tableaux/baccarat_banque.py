"""Baccarat banque, or à deux tableaux: one banker, who keeps the bank, against two wings."""

from typing import ClassVar, Final

from msgspec.structs import replace

from sabot.domain import events as f
from sabot.domain.events import bank as k
from sabot.domain.procedure.game import Game
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.procedure.own_hands import cards_of
from sabot.domain.procedure.patron_bank import (
    banked,
    chose,
    claims,
    drawing_of,
    given_to,
    levy_step,
    staked,
)
from sabot.domain.procedure.settlement_order import close_coup
from sabot.domain.procedure.two_tableaux.banco_claims import (
    banco_claimants,
    excess_of_wings,
    holder_due,
    stake_of,
)
from sabot.domain.procedure.two_tableaux.bank_award import give_up, next_bank, proof
from sabot.domain.procedure.two_tableaux.held_stakes import to_carry
from sabot.domain.procedure.two_tableaux.tableaux import (
    alone_natural,
    banker_choices,
    cover_due,
    dealt,
    in_play,
    outcome,
    wing_position,
)
from sabot.domain.procedure.two_tableaux.tableaux_settlement import due_in_all, pay_at_once, settle
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.tableau_hands import WINGS, Wing
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import Card, total
from sabot.domain.values.money import spelled

HANDS: Final[tuple[f.Hand, ...]] = (*WINGS, "banker")
"""The hands in the order in which cards go to them."""


class BaccaratBanque(Game):
    """Baccarat banque (field-facts.md 1.2; seeds S0, S1, S3; arrêté of 14 May 2007, 58 to 62)."""

    name: ClassVar[GameName] = "baccarat-banque"
    hands: ClassVar[tuple[f.Hand, ...]] = HANDS

    def before_cards(self, shoe: Shoe) -> NextAction | None:
        """Whose bank it is, before the cards are shuffled; then who cuts them."""
        return next_bank(shoe) if not shoe.shuffles else _cutter(shoe)

    def in_coup(self, shoe: Shoe, coup: Coup) -> NextAction:
        """Stakes on either wing, three hands, the call, the payments, the levy."""
        if coup.no_more_bets is None:
            return _betting(shoe, coup)
        if coup.result_called is None:
            return self._playing(shoe, coup)
        return settle(shoe, coup) or levy_step(shoe, coup) or close_coup(coup)

    def before_coup(self, shoe: Shoe) -> NextAction | None:
        """Who banks, and with how much."""
        return next_bank(shoe)

    def before_end(self, shoe: Shoe) -> NextAction | None:
        """The last banker takes his bank out."""
        return give_up(shoe, "the shoe is over")

    def draws(self, shoe: Shoe, coup: Coup) -> bool:
        """Tell whether a hand is due a card."""
        if coup.no_more_bets is None or coup.result_called is not None:
            return False
        return self._playing(shoe, coup).expects == "card"

    def due_bets(self, shoe: Shoe, coup: Coup) -> list[tuple[Bet, Due]]:
        """Return what is due to each stake, as far as the bank goes, in the order of settling."""
        return due_in_all(shoe, coup)

    def is_dealt(self, shoe: Shoe, coup: Coup) -> bool:  # noqa: ARG002 - the cards alone tell
        """Tell whether all three hands have two cards."""
        return dealt(coup)

    def due(self, shoe: Shoe, coup: Coup, bet: Bet, stake: int) -> Due | None:
        """Return what is due to a stake, beside all others as they stand."""
        bets = {**coup.bets, bet.number: replace(bet, amount=stake)}
        dues = self.due_bets(shoe, replace(coup, bets=bets))
        return next((due for each, due in dues if each.number == bet.number), None)

    def _playing(self, shoe: Shoe, coup: Coup) -> NextAction:
        if not coup.cards:
            for wing in WINGS:
                to = holder_due(shoe, coup, wing)
                if to is not None and given_to(coup, wing) is None:
                    said = f"{to} plays the {wing} hand"
                    return NextAction("call", said, k.HandGiven(coup.number, wing, to))
        card = _first_cards(coup)
        if card is not None:
            return card
        paid = _paid_at_once(shoe, coup)
        return paid or _thirds(shoe, coup) or _shown(shoe, coup, HANDS) or _result(coup)


# -- Before the cards -------------------------------------------------------------------------


def _cutter(shoe: Shoe) -> NextAction | None:
    """The banker may shuffle last, and names who cuts."""
    rule = shoe.pack.tableaux if shoe.pack is not None else None
    if rule is None or not rule.names_cutter or shoe.cuts:
        return None
    if shoe.cutters:
        cutter: str = shoe.cutters[-1].payload.cutter
        return NextAction("cut", f"{cutter} cuts the cards", f.ShoeCut(cutter))
    first = " may shuffle last; he" if rule.last_shuffle else ""
    return NextAction("cut", f"{shoe.holder}{first} names who cuts the cards")


# -- The stakes -------------------------------------------------------------------------------


def _betting(shoe: Shoe, coup: Coup) -> NextAction:
    part = banked(coup)
    if part.called is None:
        amount = max(0, part.bank or 0)
        call = k.BankCalled(coup.number, amount)
        return NextAction("call", f"call the bank: {_money(shoe, amount)}", call)
    number = max(coup.bets, default=0) + 1
    for held in to_carry(shoe, coup):
        who = held.bet.patron
        kept = f.BetCarried(coup.number, number, who, held.wager, held.amount, _seat(shoe, who))
        return NextAction(
            "bets", f"{who}'s {_money(shoe, held.amount)} on {held.wager} stays", kept
        )
    for taker in banco_claimants(shoe, coup):
        if taker.amount and stake_of(coup, taker) is None:
            stake = f.BetPlaced(
                coup.number, number, taker.patron, taker.wager, taker.amount,
                _seat(shoe, taker.patron),
            )  # fmt: skip
            said = f"{taker.patron} goes bank: {_money(shoe, taker.amount)} on {taker.wager}"
            return NextAction("bets", said, stake)
    for over in excess_of_wings(shoe, coup):
        bet, amount = over.bet, over.amount
        why = ": others go bank" if claims(coup) else ", who stands: the seated cover the bank"
        said = f"return {_money(shoe, amount)} to {bet.patron}{why}"
        return NextAction("bets", said, k.ExcessReturned(coup.number, bet.number, amount))
    return _stakes_made(shoe, coup)


def _stakes_made(shoe: Shoe, coup: Coup) -> NextAction:
    more = cover_due(coup)
    if more and shoe.bank is not None:
        holder = shoe.bank.holder
        said = f"{holder} holds all stakes: he adds {_money(shoe, more)} to his bank"
        raised = NextAction("bets", said, k.BankRaised(holder, more, coup.number))
        return proof(shoe, holder, more) or raised
    said = "place your bets, or go bank"
    return NextAction("bets", said, f.NoMoreBets(coup.number) if staked(coup) else None)


def _seat(shoe: Shoe, patron: str) -> int | None:
    return next((seat for seat, sitting in shoe.seats.items() if sitting == patron), None)


# -- The hands --------------------------------------------------------------------------------


def _hand(coup: Coup, hand: f.Hand) -> list[Card]:
    return cards_of(coup, hand, None)


def _first_cards(coup: Coup) -> NextAction | None:
    """Two rounds: the right, the left, the banker himself."""
    if dealt(coup):
        return None
    hand = min(HANDS, key=lambda each: len(_hand(coup, each)))
    return NextAction("card", f"a card for {_whose(hand)}", hand=hand)


def _thirds(shoe: Shoe, coup: Coup) -> NextAction | None:
    """Right, left, banker: each decides, and has his card before the next decides."""
    wings = in_play(coup)
    if not wings:
        return None
    rules = drawing_of(shoe)
    for wing in wings:
        allowed = rules.choices(wing_position(coup, wing)) if rules is not None else ()
        asked = _third(coup, wing, given_to(coup, wing), allowed)
        if asked is not None:
            return asked
    return _third(coup, "banker", banked(coup).banker, banker_choices(shoe, coup))


def _third(
    coup: Coup, hand: f.Hand, who: str | None, allowed: tuple[Choice, ...]
) -> NextAction | None:
    """What is due of a hand's third card; None once that is done.

    The words tell nothing of a hand that lies face down still.
    """
    if len(_hand(coup, hand)) > 2:  # noqa: PLR2004 - it has its third card
        return None
    made = chose(coup, hand)
    if made is not None:
        if made.choice == "stand":
            return None
        return NextAction("card", f"a card for {_whose(hand)}, who asks for one", hand=hand)
    payload = k.ChoiceMade(coup.number, hand, allowed[0], who) if len(allowed) == 1 else None
    return NextAction(
        "choice", f"{who or _whose(hand)}: a card for {hand}, or none?", payload, hand=hand
    )


def _shown(shoe: Shoe, coup: Coup, hands: tuple[f.Hand, ...]) -> NextAction | None:
    """Turn the cards of these hands that lie face down still."""
    if shoe.pack is None or shoe.pack.cards.faces != "down":
        return None
    turned = {(event.payload.hand, event.payload.nth) for event in coup.turned}
    for hand in hands:
        for nth in (1, 2):
            if (hand, nth) not in turned:
                turn = f.CardTurned(coup.number, hand, nth)
                return NextAction("turn", f"turn card {nth} of {_whose(hand)}", turn)
    return None


def _whose(hand: f.Hand) -> str:
    return "the banker" if hand == "banker" else f"the {hand}"


def _paid_at_once(shoe: Shoe, coup: Coup) -> NextAction | None:
    """Show the one natural of a wing, and pay its stakes, before the other is played on."""
    wing = alone_natural(coup)
    if wing is None:
        return None
    return _shown(shoe, coup, (wing,)) or pay_at_once(shoe, coup)


def _result(coup: Coup) -> NextAction:
    totals = tuple(k.HandTotal(hand, total(_hand(coup, hand))) for hand in HANDS)
    said = ", ".join(f"{each.hand} {each.total}" for each in totals)
    came = " and ".join(f"the {wing} {outcome(coup, wing)}" for wing in WINGS)
    return NextAction("call", f"call {said}: {came}", k.HandsCalled(coup.number, totals))


def _money(shoe: Shoe, amount: int) -> str:
    return spelled(amount, shoe.pack.money.minor_units if shoe.pack is not None else 2)


__all__ = ["HANDS", "BaccaratBanque", "Wing"]
