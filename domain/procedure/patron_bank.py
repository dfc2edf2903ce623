"""Procedure of a patron's bank, as the next action, the checks and the audit use it.

Sources: WIKIPEDIA_BACCARAT_CHEMIN_DE_FER, ARRETE_2007_ART_58 to ARRETE_2007_ART_60.

The levy is the house's share of the bank's win. Source: arrêté of 14 May 2007, art. 59. The
croupier announces the levy and sets it apart, detaches the tickets, and puts the levy into the box.
The tickets stay on the table for a moment to be checked and are torn before the next coup.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.events import bank as bank_ev
from sabot.domain.events.bank import BancoCalled, ChoiceMade
from sabot.domain.procedure.common import shoe_passes
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.rules.drawing_options import Choice, DrawingTable, Position, position_of
from sabot.domain.rules.third_card_table import is_natural
from sabot.domain.state.bank_state import OfferOrder
from sabot.domain.state.coup_state import BankedCoup, Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe, asked_now
from sabot.domain.values.cards import FIRST_TWO, total
from sabot.domain.values.scalars import Hand

NO_BANK = BankedCoup()
"""An empty banked part, for a coup without a banker."""


def bank_events_of(coup: Coup) -> BankedCoup:
    """Return the data of a coup about its bank, empty if no event concerns the bank."""
    return coup.banked if coup.banked is not None else NO_BANK


def open_bets(coup: Coup) -> list[Bet]:
    """Return the bets against the bank that were not withdrawn."""
    return [bet for bet in coup.bets.values() if not bet.withdrawn]


def total_staked(coup: Coup) -> int:
    """Return the total of the open bets, in minor units."""
    return sum(bet.amount for bet in open_bets(coup))


def bank_of(coup: Coup) -> int | None:
    """Return the bank at the start of the coup plus chips added, in minor units.

    None if there is no bank.
    """
    part = bank_events_of(coup)
    if part.bank is None:
        return None
    added = [event.payload.amount for event in part.raised]
    return part.bank + sum(added)


def turn_of(coup: Coup, patron: str) -> int:
    """Return a patron's place in the order of play; unseated patrons come last."""
    order = bank_events_of(coup).order
    return order.index(patron) if patron in order else len(order)


def in_play_order(coup: Coup, bets: Iterable[Bet]) -> list[Bet]:
    """Return bets in order of play.

    Carried bets come first. Bets of patrons who are not seated come last, in the order placed.
    """
    return sorted(bets, key=lambda bet: (not bet.carried, turn_of(coup, bet.patron), bet.number))


# -- Going bank -------------------------------------------------------------------------------


def claims_of(coup: Coup) -> list[BancoCalled]:
    """Return the banco claims of a coup, in order."""
    return [event.payload for event in bank_events_of(coup).claims]


def banco_claimant(shoe: Shoe, coup: Coup) -> str | None:
    """Return the patron who plays banco, chosen among the claimants, or None."""
    claimed = [claim.patron for claim in claims_of(coup)]
    return min(claimed, key=lambda who: claim_rank(shoe, coup, who), default=None)


def claim_rank(shoe: Shoe, coup: Coup, patron: str) -> tuple[int, int]:
    """Return the sort key of a banco claim: banco suivi first, then the order of play."""
    return (0 if patron == entitled_to_suivi(shoe, coup) else 1, turn_of(coup, patron))


def entitled_to_suivi(shoe: Shoe, coup: Coup) -> str | None:
    """Return the patron entitled to banco suivi, or None.

    It is the patron who went banco and lost to the same bank in the previous coup.
    """
    rule = shoe.pack.banco if shoe.pack is not None else None
    before = shoe.coups.get(coup.number - 1)
    if rule is None or not rule.suivi or before is None or before.voided is not None:
        return None
    if (
        bank_events_of(before).nth != bank_events_of(coup).nth
        or not before.player
        or not before.banker
    ):
        return None
    if total(before.player) >= total(before.banker):
        return None
    return banco_claimant(shoe, before)


# -- Stakes beyond the bank -------------------------------------------------------------------


class Excess(Struct, frozen=True):
    """A part of a bet that has to be returned.

    The bank does not cover it, or another patron plays alone for the whole bank.
    """

    bet: Bet
    amount: int


def excess_due(shoe: Shoe, coup: Coup) -> Iterator[Excess]:
    """Yield the stakes to return, beginning with the last in order of play.

    A patron who goes banco plays alone for the whole bank, so every other stake is returned,
    including that patron's own earlier one. Otherwise, the amount that the bank does not cover is
    returned.
    """
    bank, part = bank_of(coup), bank_events_of(coup)
    if bank is None or part.unlimited:
        return
    lying = in_play_order(coup, open_bets(coup))
    alone = banco_claimant(shoe, coup)
    if alone is not None:
        whole = banco_stake(shoe, coup)
        for bet in reversed(lying):
            if bet is not whole:
                yield Excess(bet, bet.amount)
        return
    over = sum(bet.amount for bet in lying) - bank
    for bet in reversed(lying):
        if over <= 0:
            return
        amount = min(over, bet.amount)
        over -= amount
        yield Excess(bet, amount)


def banco_stake(shoe: Shoe, coup: Coup) -> Bet | None:
    """Return the bet that a banco claimant has to place: the whole bank."""
    alone, bank = banco_claimant(shoe, coup), bank_of(coup)
    mine = [bet for bet in open_bets(coup) if bet.patron == alone and bet.amount == bank]
    return mine[0] if alone is not None and mine else None


# -- The hands --------------------------------------------------------------------------------


def plays_player(shoe: Shoe, coup: Coup) -> str | None:
    """Return the patron who plays the Player hand. None if there is no bet.

    It is the banco claimant, or else the patron with the highest stake. Of equal stakes, the first
    in order of play counts.
    """
    lying = in_play_order(coup, open_bets(coup))
    alone = banco_claimant(shoe, coup)
    if alone is not None and any(bet.patron == alone for bet in lying):
        return alone
    return max(lying, key=lambda bet: bet.amount).patron if lying else None


def given_to(coup: Coup, hand: Hand) -> str | None:
    """Return the patron to whom a hand was last given. None otherwise."""
    payloads = [event.payload for event in bank_events_of(coup).given]
    to = [payload.to for payload in payloads if payload.hand == hand]
    return to[-1] if to else None


def player_of(coup: Coup, hand: Hand) -> str | None:
    """Return the player of a hand. None if not recorded.

    It is the banker, or the patron to whom the hand was given.
    """
    return bank_events_of(coup).banker if hand == "banker" else given_to(coup, hand)


def last_choice(coup: Coup, hand: Hand) -> ChoiceMade | None:
    """Return the last choice made for a hand, or None."""
    payloads = [event.payload for event in bank_events_of(coup).choices]
    made = [payload for payload in payloads if payload.hand == hand]
    return made[-1] if made else None


def drawing_of(shoe: Shoe) -> DrawingTable | None:
    """Return the drawing rules of the shoe's pack. None if it has none."""
    if shoe.pack is None or shoe.pack.drawing is None:
        return None
    return shoe.pack.drawing.rules(shoe.pack.title)


Side = Literal["player", "banker"]
SIDES: Final[tuple[Side, Side]] = ("player", "banker")


def position_in(coup: Coup, side: Side, sees: Literal["total", "cards"] = "total") -> Position:
    """Return the position of a hand on its first two cards, for the drawing rules.

    Both hands must have two cards, and neither may be a natural.
    """
    if side == "player":
        return position_of("player", coup.player[:2], sees=sees)
    third = coup.player[2] if len(coup.player) > FIRST_TWO else None
    return position_of("banker", coup.banker[:2], third, sees)


def has_natural(coup: Coup) -> bool:
    """Return whether a natural in either hand ends the coup."""
    return any(len(hand) > 1 and is_natural(total(hand[:2])) for hand in (coup.player, coup.banker))


# -- The house, and the next banker -----------------------------------------------------------


def bank_won(coup: Coup) -> int:
    """Return the bank's net win in a coup from its settled bets. Negative for a loss."""
    return sum(bet.taken - bet.paid for bet in coup.bets.values())


def levy_due(shoe: Shoe, coup: Coup) -> int:
    """Return the house's levy on the bank's win in a coup, in minor units."""
    rule = shoe.pack.levy if shoe.pack is not None else None
    return rule.on(bank_won(coup)) if rule is not None else 0


def levy_charged(coup: Coup) -> int:
    """Return the levy taken in a coup, in minor units."""
    payloads = [event.payload for event in bank_events_of(coup).levies]
    return sum(payload.amount for payload in payloads)


class NextBanker(Struct, frozen=True):
    """The patron to be offered the bank, and the amount to match (None: any amount)."""

    patron: str
    amount: int | None = None


def next_banker(shoe: Shoe) -> NextBanker | None:
    """Return the patron to be offered the bank next. None if nobody is left.

    A bank that was given up goes to the first patron in order who matches its amount. If nobody
    does, it goes to the first in order at any amount. A bank that lost goes to the next patron in
    order.
    """
    return heir_of(shoe, asked_now(shoe))


def heir_of(shoe: Shoe, now: OfferOrder) -> NextBanker | None:
    """Return the patron to whom the bank had to be offered at a past moment.

    See `next_banker`.
    """
    if shoe.pack is None or shoe.pack.bank is None:
        return None
    if now.match is not None:
        for patron in now.order:
            if patron not in now.unmatched and patron != now.last:
                return NextBanker(patron, now.match)
    return next((NextBanker(patron) for patron in now.order if patron not in now.refused), None)


def hands_that_disobeyed(shoe: Shoe, coup: Coup) -> list[tuple[Side, Choice]]:
    """Return the hands that drew or stood against a mandatory rule.

    Each comes with the mandatory choice. After a natural, no hand draws. An optional choice is
    never an error. Each hand must have two cards.
    """
    rules = drawing_of(shoe)
    if rules is None:
        return []
    found: list[tuple[Side, Choice]] = []
    natural = has_natural(coup)
    for side in SIDES:
        drew = len(coup.hand(side)) > FIRST_TWO
        allowed = ("stand",) if natural else rules.choices(position_in(coup, side))
        if ("draw" if drew else "stand") not in allowed:
            found.append((side, allowed[0]))
    return found


def must_pass(shoe: Shoe) -> bool:
    """Return whether the banker must give up the bank after losing the last coup."""
    return shoe_passes(shoe)


def levy_step(shoe: Shoe, coup: Coup) -> NextAction | None:
    """Return the next step of the levy on a settled coup, or None if nothing is left."""
    due, part = levy_due(shoe, coup), bank_events_of(coup)
    rule = shoe.pack.levy if shoe.pack is not None else None
    if not due or rule is None or shoe.pack is None:
        return None
    amount, number = format_money(shoe, due), coup.number
    if rule.steps:
        return _step_on_record(coup, due, amount, tickets=rule.tickets)
    if part.levies:
        return None
    said = f"take the levy of {amount} out of the bank"
    return NextAction("settle", said, bank_ev.LevyTaken(number, due))


def _step_on_record(coup: Coup, due: int, amount: str, *, tickets: bool) -> NextAction | None:
    """Return the next step of a levy, for rule packs that require every step on record."""
    part, number = bank_events_of(coup), coup.number
    if not part.levies:
        if not part.announced:
            said = f"announce the levy of {amount}, and set it apart"
            return NextAction("settle", said, bank_ev.LevyAnnounced(number, due))
        if tickets and not part.tickets:
            said = f"detach tickets worth {amount}"
            return NextAction("settle", said, bank_ev.TicketsDetached(number, due))
        said = f"put the levy of {amount} into the box"
        return NextAction("settle", said, bank_ev.LevyTaken(number, due))
    if part.tickets and not part.torn:
        return NextAction("settle", "tear the tickets of the levy", bank_ev.TicketsTorn(number))
    return None
