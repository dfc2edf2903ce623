"""Chemin de fer: a patron banks against another patron; both have optional draws."""

from typing import ClassVar, Final, Literal

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.common import false_draw, left_to_carry
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.procedure.patron_bank import (
    Side,
    banco_claimant,
    banco_stake,
    bank_events_of,
    bank_of,
    drawing_of,
    excess_due,
    given_to,
    has_natural,
    last_choice,
    levy_step,
    must_pass,
    next_banker,
    plays_player,
    position_in,
    total_staked,
)
from sabot.domain.procedure.settlement_order import close_coup, settle_bets
from sabot.domain.procedure.two_hands import TwoHands
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.labels import hand_label, wager_label
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import FIRST_TWO

_FACE_DOWN: Final[tuple[tuple[Side, int], ...]] = (
    ("player", 1),
    ("player", 2),
    ("banker", 1),
    ("banker", 2),
)


class CheminDeFer(TwoHands):
    """Chemin de fer.

    Sources: WIKIPEDIA_BACCARAT_CHEMIN_DE_FER, ARRETE_2007_ART_58 to ARRETE_2007_ART_60.
    """

    name: ClassVar[GameName] = "chemin-de-fer"
    hands: ClassVar[tuple[ev.Hand, ...]] = ("player", "banker")
    events: ClassVar[frozenset[type[ev.Event]]] = frozenset((
        *(ev.BetCarried, ev.ResultCalled),
        *(bank_ev.BankPosted, bank_ev.BankRaised, bank_ev.BankWithdrawn, bank_ev.BankCalled),
        *(bank_ev.BankUnlimited, bank_ev.BancoCalled, bank_ev.ExcessReturned),
        *(bank_ev.HandGiven, bank_ev.ChoiceMade),
        *bank_ev.LEVY,
    ))  # fmt: skip

    def in_coup(self, shoe: Shoe, coup: Coup) -> NextAction:
        """Return the next step of a coup, from the bets to the levy.

        The steps are: bets against the bank, the hand given, four cards, choices, payments, levy.
        """
        if coup.no_more_bets is None:
            return _betting(shoe, coup)
        if coup.result_called is None:
            return _playing(shoe, coup)
        settle = settle_bets(shoe, coup, self.due_bets(shoe, coup))
        return settle or levy_step(shoe, coup) or close_coup(coup)

    def before_coup(self, shoe: Shoe) -> NextAction | None:
        """Return the next step to find a banker and a bank, or None if both are ready."""
        if shoe.holder is None:
            return _offer(shoe)
        if must_pass(shoe):
            return _gives_up(shoe, shoe.holder, "lost", "the bank lost")
        if false_draw(shoe) is not None:
            return _gives_up(shoe, shoe.holder, "ruling", "a false draw")
        if shoe.bank is not None and shoe.bank.amount <= 0:
            passed = ev.ShoePassed(shoe.holder, "chosen")
            return NextAction(
                "holder", f"{shoe.holder} has taken the bank out and passes the shoe", passed
            )
        if shoe.bank is not None:
            return None
        least = _least(shoe)
        said = f"{shoe.holder} puts up a bank of {format_money(shoe, least)}"
        if shoe.match is None:
            said += " or more"
        return NextAction("bank", said, bank_ev.BankPosted(shoe.holder, least))

    def before_end(self, shoe: Shoe) -> NextAction | None:
        """Return the step by which the last banker withdraws."""
        return _take_out(shoe, "the shoe is over")

    def draws(self, shoe: Shoe, coup: Coup) -> bool:
        """Return whether a hand is due another card."""
        if coup.no_more_bets is None or coup.result_called is not None:
            return False
        return _playing(shoe, coup).expects == "card"


# -- Between coups ----------------------------------------------------------------------------


def _offer(shoe: Shoe) -> NextAction:
    if shoe.offered is not None:
        at = f" at {format_money(shoe, shoe.match)}" if shoe.match is not None else ""
        return NextAction(
            "holder", f"{shoe.offered} takes the bank{at}", ev.ShoeTaken(shoe.offered)
        )
    to = next_banker(shoe)
    if to is None:
        left = max(0, shoe.size - len(shoe.left))
        return NextAction("end", "nobody takes the bank", ev.ShoeEnded(left=left, reason="closing"))
    at = "" if to.amount is None else f", who matches {format_money(shoe, to.amount)}"
    return NextAction(
        "holder", f"offer the bank to {to.patron}{at}", ev.ShoeOffered(to.patron, to.amount)
    )


def _take_out(shoe: Shoe, why: str) -> NextAction | None:
    bank = shoe.bank
    if bank is None or bank.amount <= 0:
        return None
    said = f"{why}: {bank.holder} takes out the {format_money(shoe, bank.amount)} left in it"
    return NextAction("bank", said, bank_ev.BankWithdrawn(bank.holder, bank.amount))


def _gives_up(shoe: Shoe, holder: str, reason: Literal["lost", "ruling"], why: str) -> NextAction:
    """Return the next step of giving up a bank: take out the rest, then pass the shoe."""
    passed = NextAction("holder", f"{why}: {holder} passes the shoe", ev.ShoePassed(holder, reason))
    return _take_out(shoe, why) or passed


def _least(shoe: Shoe) -> int:
    """Return the smallest bank that may be put up now, in minor units."""
    if shoe.match is not None:
        return shoe.match
    rule = shoe.pack.bank if shoe.pack is not None else None
    return rule.minimum if rule is not None else 0


# -- The stakes -------------------------------------------------------------------------------


def _betting(shoe: Shoe, coup: Coup) -> NextAction:
    part = bank_events_of(coup)
    if part.called is None:
        amount = max(0, part.bank or 0)
        call = bank_ev.BankCalled(coup.number, amount)
        return NextAction("call", f"call the bank: {format_money(shoe, amount)}", call)
    number = max(coup.bets, default=0) + 1
    for bet in left_to_carry(shoe, coup):
        kept = ev.BetCarried(coup.number, number, bet.patron, bet.wager, bet.amount)
        return NextAction(
            "bets", f"{bet.patron}'s bet on {wager_label(bet.wager)} stays after the tie", kept
        )
    alone = banco_claimant(shoe, coup)
    if alone is not None and banco_stake(shoe, coup) is None:
        seat = next((seat for seat, patron in shoe.seats.items() if patron == alone), None)
        stake = ev.BetPlaced(coup.number, number, alone, "player", bank_of(coup) or 0, seat)
        return NextAction("bets", f"{alone} goes banco and stakes the whole bank", stake)
    for excess in excess_due(shoe, coup):
        back = bank_ev.ExcessReturned(coup.number, excess.bet.number, excess.amount)
        returned = format_money(shoe, excess.amount)
        said = f"return {returned} to {excess.bet.patron}: the bank is covered"
        return NextAction("bets", said, back)
    if not total_staked(coup):
        return NextAction("bets", "place your bets, or go banco")
    return NextAction("bets", "place your bets, or go banco", ev.NoMoreBets(coup.number))


# -- The hands --------------------------------------------------------------------------------


def _playing(shoe: Shoe, coup: Coup) -> NextAction:
    if given_to(coup, "player") is None and not coup.cards:
        to = plays_player(shoe, coup)
        if to is not None:
            why = "goes banco" if to == banco_claimant(shoe, coup) else "the highest stake"
            return NextAction("call", f"{to} plays the hand: {why}", _given(coup, to))
    player, banker = coup.player, coup.banker
    if len(player) < FIRST_TWO or len(banker) < FIRST_TWO:
        hand: Side = "player" if len(player) <= len(banker) else "banker"
        return NextAction("card", f"a card for {hand_label(hand)}", hand=hand)
    if not has_natural(coup):
        decision = _third(shoe, coup, "player") or _third(shoe, coup, "banker")
        if decision is not None:
            return decision
    return _shown(shoe, coup) or _result(coup)


def _given(coup: Coup, to: str) -> bank_ev.HandGiven:
    return bank_ev.HandGiven(coup.number, "player", to)


def _third(shoe: Shoe, coup: Coup, side: Side) -> NextAction | None:
    """Return the next step for a hand's third card. None if it is done.

    The text reveals nothing about a hand that is still face down.
    """
    if len(coup.hand(side)) > FIRST_TWO:
        return None
    made = last_choice(coup, side)
    if made is not None:
        if made.choice == "stand":
            return None
        return NextAction("card", f"a card for {hand_label(side)}, who asks for one", hand=side)
    who = given_to(coup, "player") if side == "player" else bank_events_of(coup).banker
    rules = drawing_of(shoe)
    due = rules.choices(position_in(coup, side)) if rules is not None else ()
    payload = bank_ev.ChoiceMade(coup.number, side, due[0], who) if len(due) == 1 else None
    label = hand_label(side)
    return NextAction("choice", f"{who or label}: a card for {label}, or none?", payload, hand=side)


def _shown(shoe: Shoe, coup: Coup) -> NextAction | None:
    if shoe.pack is None or shoe.pack.cards.faces != "down":
        return None
    turned = {(event.payload.hand, event.payload.nth) for event in coup.turned}
    for side, nth in _FACE_DOWN:
        if (side, nth) not in turned:
            turn = ev.CardTurned(coup.number, side, nth)
            return NextAction("turn", f"turn {hand_label(side)}'s card {nth}", turn)
    return None


def _result(coup: Coup) -> NextAction:
    result = result_of(coup.player, coup.banker)
    said = {"P": "player wins", "B": "the bank wins", "T": "tie"}[result.outcome]
    call = ev.ResultCalled(coup.number, result.player, result.banker, result.outcome)
    return NextAction("call", f"call {said}, {result.player} to {result.banker}", call)
