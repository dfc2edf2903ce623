"""The bank at baccarat banque: award, proof of funds, posting, loss and takeover.

This module also describes the position of a player with a choice in the terms of
`sabot.domain.odds.optimal_play.banque_equilibrium`: totals, third cards and shares of the stakes.
"""

from fractions import Fraction
from typing import Final, Literal

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.odds.optimal_play.banque_equilibrium import BanqueSolution, Five
from sabot.domain.odds.optimal_play.banque_game import Place, Shown, banque_game
from sabot.domain.odds.optimal_play.banque_solver import solve_banque
from sabot.domain.odds.optimal_play.chemin_de_fer_game import REPLACED
from sabot.domain.procedure.common import false_draw, limit_for
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.procedure.patron_bank import next_banker, open_bets
from sabot.domain.procedure.two_tableaux.tableaux import cards_on, parts_of, rule_of
from sabot.domain.rules.tableau_hands import TABLEAUX, Tableau, is_natural_hand
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe, middle_of
from sabot.domain.values.cards import FIRST_TWO, VALUE, total


def next_bank(shoe: Shoe) -> NextAction | None:
    """Return the next step of the bank before a coup can be dealt, or None if it is ready."""
    if rule_of(shoe).sessions is not None and not shoe.sessions:
        return NextAction("bank", "call which session of the day this is, and which of its shoes")
    if shoe.holder is None:
        return _award(shoe)
    if shoe.bank is None:
        return _put_up(shoe, shoe.holder)
    return _forfeit(shoe, shoe.bank) or _goes_on(shoe, shoe.bank)


def _forfeit(shoe: Shoe, bank: Bank) -> NextAction | None:
    """Return the step in which a banker gives up the bank after a false draw.

    None without a false draw, or if the pack does not require it.
    """
    if false_draw(shoe) is None:
        return None
    passed = ev.ShoePassed(bank.holder, "ruling")
    said = f"a false draw: {bank.holder} gives the bank up"
    return give_up(shoe, "a false draw") or NextAction("holder", said, passed)


def _goes_on(shoe: Shoe, bank: Bank) -> NextAction | None:
    least = least_stake(shoe)
    if rule_of(shoe).bank == "open" and not bank.unlimited:
        said = f"the bank is open: {bank.holder} holds all stakes"
        return NextAction("bank", said, bank_ev.BankUnlimited(bank.holder))
    if bank.amount <= 0 and bank.withdrawn_last is not None:
        why: Literal["lost", "chosen"] = "lost" if bank.withdrawn_last < least else "chosen"
        said = f"{bank.holder} has taken the bank's money and gives the bank up"
        return NextAction("holder", said, ev.ShoePassed(bank.holder, why))
    return _broken(shoe, bank)


def give_up(shoe: Shoe, why: str) -> NextAction | None:
    """Return the step in which the banker withdraws the bank, or None if it is empty."""
    bank = shoe.bank
    if bank is None or bank.amount <= 0:
        return None
    said = f"{why}: {bank.holder} takes out the {format_money(shoe, bank.amount)} left in it"
    return NextAction("bank", said, bank_ev.BankWithdrawn(bank.holder, bank.amount))


def is_broken(shoe: Shoe) -> bool:
    """Return whether the bank is below the table minimum and not yet given up."""
    bank = shoe.bank
    return bank is not None and bank.withdrawn_last is None and bank.amount < least_stake(shoe)


def least_stake(shoe: Shoe) -> int:
    """Return the table minimum, in minor units."""
    wager = shoe.pack.wagers[0].name if shoe.pack is not None else ""
    limit = limit_for(shoe, wager)
    return max(1, limit.minimum if limit is not None else 1)


def least_bank(shoe: Shoe) -> int:
    """Return the smallest bank that may be put up now, in minor units.

    It is the amount to match; otherwise the highest of the bid, the agreed minimum and the table
    minimum.
    """
    if shoe.match is not None:
        return shoe.match
    rule = shoe.pack.bank if shoe.pack is not None else None
    least = rule.minimum if rule is not None else 0
    first = best_bid(shoe) if not shoe.banks else None
    if first is not None and first.by == shoe.holder:
        least = max(least, first.amount)
    return max(least, least_stake(shoe))


def best_bid(shoe: Shoe) -> bank_ev.BankBid | None:
    """Return the highest bid, the first among equals. None without a bid.

    A bid after the first offer of the bank, or after its posting, is too late.
    """
    offered = [event.position for event, _ in shoe.offers[:1]]
    posted = [bank.posted.position for bank in shoe.banks[:1]]
    award = min([*offered, *posted], default=shoe.version + 1)
    before = (event.payload for event in shoe.bids if event.position < award)
    return max(before, key=lambda bid: bid.amount, default=None)


def first_bank_candidates(shoe: Shoe) -> list[str]:
    """Return the candidates for the first bank, in order."""
    rule = rule_of(shoe)
    if rule.award == "auction":
        best = best_bid(shoe)
        return [best.by] if best is not None else []
    names = [event.payload.by for event in shoe.listed]
    left = [name for name in dict.fromkeys(names) if name not in shoe.refused]
    return left[:1] if rule.award == "list" else left


def proven_funds(shoe: Shoe, patron: str) -> int:
    """Return a patron's proven funds, in minor units."""
    payloads = [event.payload for event in shoe.funds]
    return sum(payload.amount for payload in payloads if payload.by == patron)


def put_in_by(shoe: Shoe, patron: str) -> int:
    """Return how much a patron has put into the present bank, in minor units."""
    bank = shoe.bank
    return bank.put_in if bank is not None and bank.holder == patron else 0


def unproven_amount(shoe: Shoe, patron: str, more: int) -> int:
    """Return the funds still to be proven to add an amount, in minor units."""
    if not rule_of(shoe).proven:
        return 0
    return max(0, put_in_by(shoe, patron) + more - proven_funds(shoe, patron))


def proof_due(shoe: Shoe, patron: str, more: int) -> NextAction | None:
    """Return the proof of funds due before a banker adds an amount, or None if proven."""
    lacking = unproven_amount(shoe, patron, more)
    if not lacking:
        return None
    return NextAction(
        "bank", f"{patron} proves funds of at least {format_money(shoe, lacking)} more"
    )


def _award(shoe: Shoe) -> NextAction:
    if shoe.offered is not None:
        at = f" at {format_money(shoe, shoe.match)}" if shoe.match is not None else ""
        return NextAction(
            "holder", f"{shoe.offered} takes the bank{at}", ev.ShoeTaken(shoe.offered)
        )
    if not shoe.banks:
        return _first_award(shoe)
    to = next_banker(shoe)
    if to is None:
        left = max(0, shoe.size - len(shoe.left))
        return NextAction("end", "nobody takes the bank", ev.ShoeEnded(left=left, reason="closing"))
    at = "" if to.amount is None else f", who matches {format_money(shoe, to.amount)}"
    offer = ev.ShoeOffered(to.patron, to.amount)
    return NextAction("holder", f"offer the bank to {to.patron}{at}", offer)


def _first_award(shoe: Shoe) -> NextAction:
    rule, names = rule_of(shoe), first_bank_candidates(shoe)
    if rule.award == "auction":
        best = best_bid(shoe)
        if best is None:
            return NextAction("bank", "put the bank up to auction: who bids how much?")
        offer = ev.ShoeOffered(best.by, best.amount)
        said = f"the bank is {best.by}'s for {format_money(shoe, best.amount)}, unless more is bid"
        return NextAction("holder", said, offer)
    if not names:
        return NextAction("bank", "who asks for a place on the list for the bank?")
    if len(names) > 1:
        return NextAction("holder", f"draw lots for the bank: {', '.join(names)}; type: offer NAME")
    return NextAction("holder", f"offer the bank to {names[0]}", ev.ShoeOffered(names[0]))


def _put_up(shoe: Shoe, holder: str) -> NextAction:
    middle = middle_of(shoe)
    if rule_of(shoe).swap and shoe.seats.get(middle) != holder:
        said = f"{holder} takes the banker's place"
        there = shoe.seats.get(middle)
        if there is not None and holder in shoe.seats.values():
            said += f", and {there} takes the seat of {holder}"
        return NextAction("holder", said, ev.PatronMoved(holder, middle))
    least = least_bank(shoe)
    lacking = proof_due(shoe, holder, least)
    if lacking is not None:
        return lacking
    said = f"{holder} puts up a bank of {format_money(shoe, least)}"
    if shoe.match is None:
        said += " or more"
    return NextAction("bank", said, bank_ev.BankPosted(holder, least))


def _broken(shoe: Shoe, bank: Bank) -> NextAction | None:
    """Return the step for a broken bank: the banker raises it or gives it up.

    The banker raises it at least to the agreed minimum.
    """
    if not is_broken(shoe):
        return None
    rule = shoe.pack.bank if shoe.pack is not None else None
    least = max(rule.minimum if rule is not None else 0, least_stake(shoe))
    amount = format_money(shoe, least)
    said = f"the bank is broken: {bank.holder} makes it up to {amount}, or gives it up"
    more = least - bank.amount
    return proof_due(shoe, bank.holder, more) or NextAction(
        "bank", said, bank_ev.BankRaised(bank.holder, more)
    )


_HALF: Final = Fraction(1, 2)


def choice_shown(coup: Coup, tableau: Tableau) -> Shown:
    """Return what a tableau has shown so far.

    It is the value of its third card, "natural", or "stood" without a third card.
    """
    cards = cards_on(coup, tableau)
    if is_natural_hand(cards):
        return "natural"
    return VALUE[cards[2]] if len(cards) > FIRST_TWO else "stood"


def split_of(coup: Coup) -> Fraction:
    """Return the right tableau's share of all stakes. It is one half if there are none."""
    on = dict.fromkeys(TABLEAUX, 0)
    for bet in open_bets(coup):
        for tableau, amount in parts_of(bet).items():
            on[tableau] += amount
    whole = sum(on.values())
    return Fraction(on["right"], whole) if whole else _HALF


def place_of(coup: Coup) -> Place:
    """Return the state of the solved game in which the banker has to choose."""
    own = total(coup.banker[:2])
    return Place((own,), choice_shown(coup, "right"), choice_shown(coup, "left"))


def five_of(coup: Coup, tableau: Tableau) -> Five:
    """Return the state of the solved game for a tableau with a total of 5.

    The right tableau plays first, and knows only whether the left one has a natural.
    """
    if tableau == "left":
        return Five("left", choice_shown(coup, "right"))
    return Five("right", "natural" if is_natural_hand(cards_on(coup, "left")) else None)


def equilibrium(split: Fraction) -> BanqueSolution:
    """Return an equilibrium of the simplified game.

    In this game players know only totals, and cards are drawn with replacement.

    Raises:
        BadInput: none was found for this split.
    """
    return solve_banque(banque_game(REPLACED), split)
