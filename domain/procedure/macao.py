"""Macao: each punter plays a separate hand against a banker.

A banker keeps the bank until the pack of cards is dealt out. Victoria is macao with two cards dealt
first. No source gives further differences.
"""

from typing import ClassVar, Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.common import last_coup, limit_for, next_holder
from sabot.domain.procedure.game import Game
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.procedure.own_hands import OwnHand, cards_of, hands_in_turn, in_turn, seat_of
from sabot.domain.procedure.settlement_order import as_far_as_it_goes, close_coup, settle_bets
from sabot.domain.rules.labels import payout_label
from sabot.domain.rules.macao_hands import CONDITIONS, MacaoRules, compare_hands, score_of
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import GameName, RulePack
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.money import share_of

_ORDER: Final = {"take": 0, "push": 1, "pay": 2}
_STANDS_FROM: Final = 5


class Macao(Game):
    """Macao: each patron plays a hand against the banker's (WIKIPEDIA_BACCARAT_MACAO)."""

    name: ClassVar[GameName] = "macao"
    hands: ClassVar[tuple[ev.Hand, ...]] = ("patron", "banker")
    events: ClassVar[frozenset[type[ev.Event]]] = frozenset((
        *(bank_ev.BankPosted, bank_ev.BankRaised, bank_ev.BankWithdrawn, bank_ev.BankUnlimited),
        *(bank_ev.ChoiceMade, bank_ev.CardRejected, bank_ev.HandsCalled),
    ))  # fmt: skip

    def in_coup(self, shoe: Shoe, coup: Coup) -> NextAction:
        """Return the next step of a coup, from the stakes to the payments.

        The steps are: stakes, first cards, each hand in turn, the call, payments.
        """
        if coup.no_more_bets is None:
            return NextAction("bets", "place your bets", ev.NoMoreBets(coup.number))
        rules = rules_of(shoe.pack)
        if rules is None or not in_turn(shoe, coup):
            return close_coup(coup)
        if coup.result_called is None:
            return _play(shoe, coup, rules) or _showdown(shoe, coup, rules)
        return settle_bets(shoe, coup, self.due_bets(shoe, coup)) or close_coup(coup)

    def before_coup(self, shoe: Shoe) -> NextAction | None:
        """Return the next step of the bank between coups, or the end of the cards."""
        if is_exhausted(shoe):
            left = max(0, shoe.size - len(shoe.left))
            said = f"the pack is dealt out, {left} cards left: count them"
            end = NextAction("end", said, ev.ShoeEnded(left=left, reason="too-few-cards"))
            return self.before_end(shoe) or end
        if shoe.holder is None:
            return _next_banker(shoe)
        bank = shoe.bank
        if bank is None or bank.holder != shoe.holder:
            return _post(shoe, shoe.holder)
        if not bank.unlimited and bank.amount < least_stake(shoe):
            said = f"the bank is broken: {bank.holder} adds to it, or passes it on"
            return NextAction("bank", said, _gives_up(bank))
        return None

    def before_end(self, shoe: Shoe) -> NextAction | None:
        """Return the next step at the end: the banker withdraws the bank, then passes it on."""
        bank, holder = shoe.bank, shoe.holder
        if bank is not None and bank.amount > 0:
            said = f"{bank.holder} takes the bank out"
            return NextAction("bank", said, bank_ev.BankWithdrawn(bank.holder, bank.amount))
        if holder is not None:
            said = f"the pack is dealt out: {holder} passes the bank"
            return NextAction("holder", said, ev.ShoePassed(holder, "pack-ended"))
        heir = next_holder(shoe) if shoe.last_holder is not None else None
        if heir is None or shoe.offered is not None:
            return None
        return NextAction("holder", f"the next bank is {heir}'s", ev.ShoeOffered(heir))

    def draws(self, shoe: Shoe, coup: Coup) -> bool:
        """Return whether a hand is due another card."""
        return self.in_coup(shoe, coup).expects == "card"

    def is_dealt(self, shoe: Shoe, coup: Coup) -> bool:
        """Return whether every hand has its first cards."""
        rules = rules_of(shoe.pack)
        hands = hands_in_turn(shoe, coup)
        return (
            rules is not None
            and len(hands) > 1
            and all(len(hand.cards) >= rules.dealt for hand in hands)
        )

    def due(self, shoe: Shoe, coup: Coup, bet: Bet, stake: int) -> Due | None:
        """Return what is due to a stake, if all other stakes remain as they are."""
        bets = {**coup.bets, bet.number: replace(bet, amount=stake)}
        dues = self.due_bets(shoe, replace(coup, bets=bets))
        return next((due for each, due in dues if each.number == bet.number), None)

    def due_bets(self, shoe: Shoe, coup: Coup) -> list[tuple[Bet, Due]]:
        """Return what is due to each stake, limited by the bank's funds.

        Losers are taken first. Then winners are paid in turn until the bank is empty.
        """
        rules, pack = rules_of(shoe.pack), shoe.pack
        if rules is None or pack is None:
            return []
        turn = {seat: place for place, seat in enumerate(in_turn(shoe, coup))}
        dues = []
        for bet in coup.bets.values():
            due = None if bet.withdrawn else _due(pack, rules, coup, bet)
            if due is not None:
                dues.append((bet, due))
        dues.sort(key=lambda each: (_ORDER[each[1].kind], turn.get(seat_of(each[0]) or 0, 0)))
        return as_far_as_it_goes(dues, bank_funds(coup))


def rules_of(pack: RulePack | None) -> MacaoRules | None:
    """Return the pack's section on the separate hands of punters."""
    return pack.macao if pack is not None else None


def is_exhausted(shoe: Shoe) -> bool:
    """Return whether no other coup may be dealt: too few cards are left, or the cut card is out.

    Every seated patron may have a hand, and the banker has one.
    """
    rules, last = rules_of(shoe.pack), last_coup(shoe)
    if rules is None:
        return False
    if last is not None and last in shoe.coups and shoe.current is None:
        return True
    punters = sum(name != shoe.holder for name in shoe.seats.values())
    return shoe.size - len(shoe.left) < rules.reserve * (max(1, punters) + 1)


def least_stake(shoe: Shoe) -> int:
    """Return the table minimum, in minor units."""
    wager = shoe.pack.wagers[0].name if shoe.pack is not None else ""
    limit = limit_for(shoe, wager)
    return max(1, limit.minimum if limit is not None else 1)


def least_bank(shoe: Shoe) -> int:
    """Return the smallest bank that may be put up, in minor units."""
    rules = rules_of(shoe.pack)
    return max(rules.bank_least if rules is not None else 0, least_stake(shoe))


def bank_funds(coup: Coup) -> int | None:
    """Return the bank at the start of the coup plus chips added, in minor units.

    None means that the bank has no limit, or that its amount is not known.
    """
    banked = coup.banked
    if banked is None or banked.bank is None or banked.unlimited:
        return None
    added = [e.payload.amount for e in banked.raised]
    return banked.bank + sum(added)


def _next_banker(shoe: Shoe) -> NextAction:
    if shoe.offered is not None:
        return NextAction("holder", f"{shoe.offered} takes the bank", ev.ShoeTaken(shoe.offered))
    heir = next_holder(shoe)
    if heir is not None:
        return NextAction("holder", f"offer the bank to {heir}", ev.ShoeOffered(heir))
    left = max(0, shoe.size - len(shoe.left))
    return NextAction(
        "end", "nobody takes the bank: the pack is put away", ev.ShoeEnded(left, reason="closing")
    )


def _post(shoe: Shoe, holder: str) -> NextAction:
    return NextAction(
        "bank", f"{holder} posts the bank", bank_ev.BankPosted(holder, least_bank(shoe))
    )


def _gives_up(bank: Bank) -> ev.ShoeEvent:
    """Return the next step of a banker who gives up: withdraw the bank, then pass it on."""
    if bank.amount > 0:
        return bank_ev.BankWithdrawn(bank.holder, bank.amount)
    return ev.ShoePassed(bank.holder, "lost")


# -- The cards ----------------------------------------------------------------------------------


def _play(shoe: Shoe, coup: Coup, rules: MacaoRules) -> NextAction | None:
    """Return the next card or choice due. None once every hand is finished."""
    hands = hands_in_turn(shoe, coup)
    for nth in range(rules.dealt):
        for hand in hands:
            if len(hand.cards) <= nth:
                return _card(shoe, coup, hand)
    *punters, banker = hands
    for hand in punters:
        step = hand.step(rules)
        if step != "done":
            return _card(shoe, coup, hand) if step == "card" else _choice(coup, hand, rules)
    if all(hand.score(rules).bust for hand in punters):
        return None
    step = banker.step(rules)
    if step == "done":
        return None
    return _card(shoe, coup, banker) if step == "card" else _choice(coup, banker, rules)


def _card(shoe: Shoe, coup: Coup, hand: OwnHand) -> NextAction:
    if len(shoe.left) >= shoe.size:
        return _too_few(coup)
    return NextAction("card", f"a card for {_whose(hand)}", hand=hand.hand, seat=hand.seat)


def _too_few(coup: Coup) -> NextAction:
    """Return the next step of a coup that lacks cards: note it, then void the coup."""
    noted = any(event.payload.kind == "too-few-cards" for event in coup.irregularities)
    if noted:
        void = ev.CoupVoided(coup.number, "too few cards")
        return NextAction("call", "void the coup: its stakes go back", void)
    note = ev.IrregularityNoted("too-few-cards", "void", coup.number)
    return NextAction("call", "the pack is empty: the coup cannot be finished", note)


def _choice(coup: Coup, hand: OwnHand, rules: MacaoRules) -> NextAction:
    """Return the choice that is due; the suggestion is to draw on 0 to 4, else to stand."""
    may = ["draw"] if hand.may_draw(rules) else []
    may.append("stand")
    payload: ev.ShoeEvent
    if hand.may_reject(rules):
        may.append("reject the card")
        payload = bank_ev.CardRejected(coup.number, hand.hand, hand.seat)
    else:
        low = hand.score(rules).total < _STANDS_FROM and hand.may_draw(rules)
        payload = bank_ev.ChoiceMade(
            coup.number, hand.hand, "draw" if low else "stand", hand.who, hand.seat
        )
    said = f"{_whose(hand)}: {', '.join(may[:-1])} or {may[-1]}?"
    return NextAction("choice", said, payload, hand.hand, hand.seat)


def _whose(hand: OwnHand) -> str:
    seat = f" at seat {hand.seat}" if hand.seat is not None else ", who banks"
    return hand.who + seat


def _showdown(shoe: Shoe, coup: Coup, rules: MacaoRules) -> NextAction:
    """Return the next card to turn, then the call of every hand."""
    hands = hands_in_turn(shoe, coup)
    if shoe.pack is not None and shoe.pack.cards.faces == "down":
        turned = {(e.payload.hand, e.payload.seat, e.payload.nth) for e in coup.turned}
        for hand in hands:
            for nth in range(1, rules.dealt + 1):
                if (hand.hand, hand.seat, nth) not in turned:
                    payload = ev.CardTurned(coup.number, hand.hand, nth, hand.seat)
                    return NextAction("turn", f"turn card {nth} of {_whose(hand)}", payload)
    totals = tuple(
        bank_ev.HandTotal(hand.hand, hand.score(rules).total, hand.seat) for hand in hands
    )
    said = ", ".join(
        f"{_whose(hand)} {'bust' if hand.score(rules).bust else hand.score(rules).total}"
        for hand in hands
    )
    return NextAction("call", f"call {said}", bank_ev.HandsCalled(coup.number, totals))


# -- The money ----------------------------------------------------------------------------------


def _due(pack: RulePack, rules: MacaoRules, coup: Coup, bet: Bet) -> Due | None:
    """Return what is due to a stake if the bank can pay, or None if it is unknown."""
    wager, seat = pack.wager(bet.wager), seat_of(bet)
    punter, banker = cards_of(coup, "patron", seat), coup.banker
    if wager is None or seat is None or not punter or not banker:
        return None
    shown = compare_hands(rules, score_of(rules, punter), score_of(rules, banker))
    line = wager.line_where(lambda on: CONDITIONS[on](shown) if on in CONDITIONS else None)
    if line == "unknown":
        return None
    if line == "lost":
        return Due("take", taken=bet.amount)
    said = payout_label(wager, line)
    if line.pays == "push":
        return Due("push", line=said)
    to, one = line.ratio.numerator, line.ratio.denominator
    return Due(
        "pay", share_of(bet.amount, to, one, pack.money.rounding, pack.money.unit), line=said
    )


class Victoria(Macao):
    """The game victoria, which is macao with two cards for each hand at first.

    Source: WIKIPEDIA_BACCARAT_MACAO.
    """

    name: ClassVar[GameName] = "victoria"
