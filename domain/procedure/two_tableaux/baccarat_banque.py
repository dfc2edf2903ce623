"""Baccarat banque (à deux tableaux): one banker keeps the bank against two tableaux."""

from typing import ClassVar, Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.game import Game
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.procedure.own_hands import cards_of
from sabot.domain.procedure.patron_bank import (
    bank_events_of,
    claims_of,
    drawing_of,
    given_to,
    last_choice,
    levy_step,
    total_staked,
)
from sabot.domain.procedure.settlement_order import close_coup
from sabot.domain.procedure.two_tableaux.banco_claims import (
    banco_claimants,
    excess_of_tableaux,
    holder_due,
    stake_of,
)
from sabot.domain.procedure.two_tableaux.bank_award import give_up, next_bank, proof_due
from sabot.domain.procedure.two_tableaux.held_stakes import to_carry
from sabot.domain.procedure.two_tableaux.tableaux import (
    alone_natural,
    banker_choices,
    cover_due,
    hands_are_dealt,
    in_play,
    outcome_at,
    tableau_position,
)
from sabot.domain.procedure.two_tableaux.tableaux_settlement import (
    due_in_all,
    next_settlement,
    pay_at_once,
)
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.labels import hand_label, wager_label
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.tableau_hands import TABLEAUX, Tableau
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import FIRST_TWO, Card, total

HANDS: Final[tuple[ev.Hand, ...]] = (*TABLEAUX, "banker")
"""The hands, in the order in which they are dealt to."""


class BaccaratBanque(Game):
    """Baccarat banque.

    Sources: WIKIPEDIA_BACCARAT_BANQUE, REGOLE_DEL_GIOCO_BACCARA, ARRETE_2007_ART_58 to
    ARRETE_2007_ART_62.
    """

    name: ClassVar[GameName] = "baccarat-banque"
    hands: ClassVar[tuple[ev.Hand, ...]] = HANDS
    events: ClassVar[frozenset[type[ev.Event]]] = frozenset((
        *(bank_ev.SessionCalled, bank_ev.BankBid, bank_ev.BankListed, bank_ev.FundsProven),
        *(bank_ev.BankPosted, bank_ev.BankRaised, bank_ev.BankWithdrawn, bank_ev.BankUnlimited),
        *(ev.CutterNamed, bank_ev.BankCalled, bank_ev.BancoCalled, bank_ev.ExcessReturned),
        *(ev.BetCarried, bank_ev.HandGiven, bank_ev.ChoiceMade, bank_ev.HandsCalled),
        *bank_ev.LEVY,
    ))  # fmt: skip

    def before_cards(self, shoe: Shoe) -> NextAction | None:
        """Return the next step before the first card, or None if there is none.

        It is a step of the bank until the shuffle, and a step of the cut after that.
        """
        return next_bank(shoe) if not shoe.shuffles else _cutter(shoe)

    def in_coup(self, shoe: Shoe, coup: Coup) -> NextAction:
        """Return the next step of a coup, from the stakes to the levy.

        The steps are: stakes on both tableaux, three hands, the call, payments, levy.
        """
        if coup.no_more_bets is None:
            return _betting(shoe, coup)
        if coup.result_called is None:
            return self._playing(shoe, coup)
        return next_settlement(shoe, coup) or levy_step(shoe, coup) or close_coup(coup)

    def before_coup(self, shoe: Shoe) -> NextAction | None:
        """Return the next step to find a banker and a bank, or None if both are ready."""
        return next_bank(shoe)

    def before_end(self, shoe: Shoe) -> NextAction | None:
        """Return the step by which the last banker withdraws."""
        return give_up(shoe, "the shoe is over")

    def draws(self, shoe: Shoe, coup: Coup) -> bool:
        """Return whether a hand is due another card."""
        if coup.no_more_bets is None or coup.result_called is not None:
            return False
        return self._playing(shoe, coup).expects == "card"

    def due_bets(self, shoe: Shoe, coup: Coup) -> list[tuple[Bet, Due]]:
        """Return what is due to each stake within the bank's funds, in order of settlement."""
        return due_in_all(shoe, coup)

    def is_dealt(self, shoe: Shoe, coup: Coup) -> bool:  # noqa: ARG002 - the cards alone tell
        """Return whether all three hands have two cards."""
        return hands_are_dealt(coup)

    def due(self, shoe: Shoe, coup: Coup, bet: Bet, stake: int) -> Due | None:
        """Return what is due to a stake, if all other stakes remain as they are."""
        bets = {**coup.bets, bet.number: replace(bet, amount=stake)}
        dues = self.due_bets(shoe, replace(coup, bets=bets))
        return next((due for each, due in dues if each.number == bet.number), None)

    def _playing(self, shoe: Shoe, coup: Coup) -> NextAction:
        if not coup.cards:
            for tableau in TABLEAUX:
                to = holder_due(shoe, coup, tableau)
                if to is not None and given_to(coup, tableau) is None:
                    said = f"{to} plays the {tableau} hand"
                    return NextAction("call", said, bank_ev.HandGiven(coup.number, tableau, to))
        card = _first_cards(coup)
        if card is not None:
            return card
        paid = _paid_at_once(shoe, coup)
        return paid or _thirds(shoe, coup) or _shown(shoe, coup, HANDS) or _result(coup)


# -- Before the cards -------------------------------------------------------------------------


def _cutter(shoe: Shoe) -> NextAction | None:
    """Return the next step of the cut.

    If the pack says so, the banker may shuffle last, and names the patron who cuts.
    """
    rule = shoe.pack.tableaux if shoe.pack is not None else None
    if rule is None or not rule.names_cutter or shoe.cuts:
        return None
    if shoe.cutters:
        cutter: str = shoe.cutters[-1].payload.cutter
        return NextAction("cut", f"{cutter} cuts the cards", ev.ShoeCut(cutter))
    first = " may shuffle last, and" if rule.last_shuffle else ""
    return NextAction("cut", f"{shoe.holder}{first} names who cuts the cards")


# -- The stakes -------------------------------------------------------------------------------


def _betting(shoe: Shoe, coup: Coup) -> NextAction:
    part = bank_events_of(coup)
    if part.called is None:
        amount = max(0, part.bank or 0)
        call = bank_ev.BankCalled(coup.number, amount)
        return NextAction("call", f"call the bank: {format_money(shoe, amount)}", call)
    number = max(coup.bets, default=0) + 1
    for held in to_carry(shoe, coup):
        who = held.bet.patron
        kept = ev.BetCarried(coup.number, number, who, held.wager, held.amount, _seat(shoe, who))
        return NextAction(
            "bets",
            f"{who}'s {format_money(shoe, held.amount)} on {wager_label(held.wager)} stays",
            kept,
        )
    for taker in banco_claimants(shoe, coup):
        if taker.amount and stake_of(coup, taker) is None:
            stake = ev.BetPlaced(
                coup.number, number, taker.patron, taker.wager, taker.amount,
                _seat(shoe, taker.patron),
            )  # fmt: skip
            claim = format_money(shoe, taker.amount)
            said = f"{taker.patron} goes bank: {claim} on {wager_label(taker.wager)}"
            return NextAction("bets", said, stake)
    for over in excess_of_tableaux(shoe, coup):
        bet, amount = over.bet, over.amount
        why = ": others go bank" if claims_of(coup) else ", who stands: the seated cover the bank"
        said = f"return {format_money(shoe, amount)} to {bet.patron}{why}"
        return NextAction("bets", said, bank_ev.ExcessReturned(coup.number, bet.number, amount))
    return _stakes_made(shoe, coup)


def _stakes_made(shoe: Shoe, coup: Coup) -> NextAction:
    more = cover_due(coup)
    if more and shoe.bank is not None:
        holder = shoe.bank.holder
        said = f"{holder} accepts all stakes and adds {format_money(shoe, more)} to the bank"
        raised = NextAction("bets", said, bank_ev.BankRaised(holder, more, coup.number))
        return proof_due(shoe, holder, more) or raised
    said = "place your bets, or go bank"
    return NextAction("bets", said, ev.NoMoreBets(coup.number) if total_staked(coup) else None)


def _seat(shoe: Shoe, patron: str) -> int | None:
    return next((seat for seat, sitting in shoe.seats.items() if sitting == patron), None)


# -- The hands --------------------------------------------------------------------------------


def _hand(coup: Coup, hand: ev.Hand) -> list[Card]:
    return cards_of(coup, hand, None)


def _first_cards(coup: Coup) -> NextAction | None:
    """Return the next of the first two cards: right, left, then banker."""
    if hands_are_dealt(coup):
        return None
    hand = min(HANDS, key=lambda each: len(_hand(coup, each)))
    return NextAction("card", f"a card for {_whose(hand)}", hand=hand)


def _thirds(shoe: Shoe, coup: Coup) -> NextAction | None:
    """Return the next choice or third card: right, left, then banker.

    Each hand receives its card before the next one decides.
    """
    tableaux = in_play(coup)
    if not tableaux:
        return None
    rules = drawing_of(shoe)
    for tableau in tableaux:
        allowed = rules.choices(tableau_position(coup, tableau)) if rules is not None else ()
        asked = _third(coup, tableau, given_to(coup, tableau), allowed)
        if asked is not None:
            return asked
    return _third(coup, "banker", bank_events_of(coup).banker, banker_choices(shoe, coup))


def _third(
    coup: Coup, hand: ev.Hand, who: str | None, allowed: tuple[Choice, ...]
) -> NextAction | None:
    """Return the next step for a hand's third card. None if it is done.

    The text reveals nothing about a hand that is still face down.
    """
    if len(_hand(coup, hand)) > FIRST_TWO:
        return None
    made = last_choice(coup, hand)
    if made is not None:
        if made.choice == "stand":
            return None
        return NextAction("card", f"a card for {_whose(hand)}, who asks for one", hand=hand)
    payload = bank_ev.ChoiceMade(coup.number, hand, allowed[0], who) if len(allowed) == 1 else None
    return NextAction(
        "choice",
        f"{who or _whose(hand)}: a card for {hand_label(hand)}, or none?",
        payload,
        hand=hand,
    )


def _shown(shoe: Shoe, coup: Coup, hands: tuple[ev.Hand, ...]) -> NextAction | None:
    """Return the step that turns the next card of these hands, or None if all are face up."""
    if shoe.pack is None or shoe.pack.cards.faces != "down":
        return None
    turned = {(event.payload.hand, event.payload.nth) for event in coup.turned}
    for hand in hands:
        for nth in (1, 2):
            if (hand, nth) not in turned:
                turn = ev.CardTurned(coup.number, hand, nth)
                return NextAction("turn", f"turn card {nth} of {_whose(hand)}", turn)
    return None


def _whose(hand: ev.Hand) -> str:
    return "the banker" if hand == "banker" else hand_label(hand)


def _paid_at_once(shoe: Shoe, coup: Coup) -> NextAction | None:
    """Return the next step to pay a natural before play continues, or None.

    The natural is that of one tableau alone. Its cards are turned, then its bets are paid.
    """
    tableau = alone_natural(coup)
    if tableau is None:
        return None
    return _shown(shoe, coup, (tableau,)) or pay_at_once(shoe, coup)


def _result(coup: Coup) -> NextAction:
    totals = tuple(bank_ev.HandTotal(hand, total(_hand(coup, hand))) for hand in HANDS)
    said = ", ".join(f"{hand_label(each.hand)} {each.total}" for each in totals)
    came = " and ".join(f"{hand_label(each)} {outcome_at(coup, each)}" for each in TABLEAUX)
    return NextAction("call", f"call {said}: {came}", bank_ev.HandsCalled(coup.number, totals))


__all__ = ["HANDS", "BaccaratBanque", "Tableau"]
