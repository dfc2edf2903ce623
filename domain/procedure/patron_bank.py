"""What the procedures of a patron's bank come to, read by the dealer's side and the auditor alike.

Sources: WIKIPEDIA_CHEMIN_DE_FER, FR_58 to FR_60.

The house's levy on what a bank won, step by step where the pack asks for the steps.

Source: arrêté of 14 May 2007, art. 59: the croupier announces the levy and sets it apart, detaches
the tickets, puts it into the box; the tickets lie on the table for a moment, so that they can be
checked, and are torn before the next coup.
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
from sabot.domain.state.shoe import Shoe, asked_now
from sabot.domain.values.cards import FIRST_TWO, total
from sabot.domain.values.money import format_amount
from sabot.domain.values.scalars import Hand

NO_BANK = BankedCoup()
"""A coup in which nobody banked."""


def bank_events_of(coup: Coup) -> BankedCoup:
    """Return what people decided in a coup; nothing where no event tells of it."""
    return coup.banked if coup.banked is not None else NO_BANK


def open_bets(coup: Coup) -> list[Bet]:
    """Return the bets that lie against the bank."""
    return [bet for bet in coup.bets.values() if not bet.withdrawn]


def total_staked(coup: Coup) -> int:
    """Return what lies against the bank, in minor units."""
    return sum(bet.amount for bet in open_bets(coup))


def bank_of(coup: Coup) -> int | None:
    """Return what the bank of a coup can lose: what lay in it, and what was added since."""
    part = bank_events_of(coup)
    if part.bank is None:
        return None
    added = [event.payload.amount for event in part.raised]
    return part.bank + sum(added)


def turn_of(coup: Coup, patron: str) -> int:
    """Return a patron's place in the order of play; those who do not sit come after all."""
    order = bank_events_of(coup).order
    return order.index(patron) if patron in order else len(order)


def in_play_order(coup: Coup, bets: Iterable[Bet]) -> list[Bet]:
    """Return bets in the order of play; those of who does not sit, as they were placed.

    Stakes that a tie holds lay there before any other.
    """
    return sorted(bets, key=lambda bet: (not bet.carried, turn_of(coup, bet.patron), bet.number))


# -- Going bank -------------------------------------------------------------------------------


def claims_of(coup: Coup) -> list[BancoCalled]:
    """Return the claims to go bank of a coup, as they came."""
    return [event.payload for event in bank_events_of(coup).claims]


def banco_claimant(shoe: Shoe, coup: Coup) -> str | None:
    """Return who goes bank: of all who claimed it, the first; None where nobody did."""
    claimed = [claim.patron for claim in claims_of(coup)]
    return min(claimed, key=lambda who: claim_rank(shoe, coup, who), default=None)


def claim_rank(shoe: Shoe, coup: Coup, patron: str) -> tuple[int, int]:
    """Return where a claim stands: banco suivi first, then the order of play."""
    return (0 if patron == entitled_to_suivi(shoe, coup) else 1, turn_of(coup, patron))


def entitled_to_suivi(shoe: Shoe, coup: Coup) -> str | None:
    """Return who may go banco suivi: he lost his banco to the same bank in the coup before."""
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
    """What of a bet goes back, since it lies beyond the bank or beside a banco."""

    bet: Bet
    amount: int


def excess_due(shoe: Shoe, coup: Coup) -> Iterator[Excess]:
    """Yield what has to go back, last in order of play first.

    Who goes bank plays alone and for all of it, so every other stake goes back, what he had
    staked before too; else what the bank does not cover.
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
    """Return the stake of who goes bank: one bet for all that the bank holds."""
    alone, bank = banco_claimant(shoe, coup), bank_of(coup)
    mine = [bet for bet in open_bets(coup) if bet.patron == alone and bet.amount == bank]
    return mine[0] if alone is not None and mine else None


# -- The hands --------------------------------------------------------------------------------


def plays_player(shoe: Shoe, coup: Coup) -> str | None:
    """Return who plays the Player hand: who goes bank, or the highest single stake.

    Of equal stakes the first in the order of play has it. None where nobody staked.
    """
    lying = in_play_order(coup, open_bets(coup))
    alone = banco_claimant(shoe, coup)
    if alone is not None and any(bet.patron == alone for bet in lying):
        return alone
    return max(lying, key=lambda bet: bet.amount).patron if lying else None


def given_to(coup: Coup, hand: Hand) -> str | None:
    """Return to whom a hand was given last; None where it was given to nobody."""
    payloads = [event.payload for event in bank_events_of(coup).given]
    to = [payload.to for payload in payloads if payload.hand == hand]
    return to[-1] if to else None


def player_of(coup: Coup, hand: Hand) -> str | None:
    """Return who plays a hand: the banker, or to whom it was given last; None: nobody is told."""
    return bank_events_of(coup).banker if hand == "banker" else given_to(coup, hand)


def last_choice(coup: Coup, hand: Hand) -> ChoiceMade | None:
    """Return what was decided last for a hand; None where nothing was."""
    payloads = [event.payload for event in bank_events_of(coup).choices]
    made = [payload for payload in payloads if payload.hand == hand]
    return made[-1] if made else None


def drawing_of(shoe: Shoe) -> DrawingTable | None:
    """Return who may choose what by the shoe's pack; None where it does not say."""
    if shoe.pack is None or shoe.pack.drawing is None:
        return None
    return shoe.pack.drawing.rules(shoe.pack.title)


Side = Literal["player", "banker"]
SIDES: Final[tuple[Side, Side]] = ("player", "banker")


def position_in(coup: Coup, side: Side, sees: Literal["total", "cards"] = "total") -> Position:
    """Return where a hand is on its first two cards: what there is to choose, or to obey.

    Both hands have two cards, and neither is a natural.
    """
    if side == "player":
        return position_of("player", coup.player[:2], sees=sees)
    third = coup.player[2] if len(coup.player) > FIRST_TWO else None
    return position_of("banker", coup.banker[:2], third, sees)


def has_natural(coup: Coup) -> bool:
    """Tell whether either hand is a natural on its first two cards: the coup ends there."""
    return any(len(hand) > 1 and is_natural(total(hand[:2])) for hand in (coup.player, coup.banker))


# -- The house, and the next banker -----------------------------------------------------------


def bank_won(coup: Coup) -> int:
    """Return what the bank won in a coup (or lost, negative), by its bets as they were settled."""
    return sum(bet.taken - bet.paid for bet in coup.bets.values())


def levy_due(shoe: Shoe, coup: Coup) -> int:
    """Return the house's levy on what the bank won in a coup, in minor units."""
    rule = shoe.pack.levy if shoe.pack is not None else None
    return rule.on(bank_won(coup)) if rule is not None else 0


def levy_charged(coup: Coup) -> int:
    """Return what the house levied on a coup, in minor units."""
    payloads = [event.payload for event in bank_events_of(coup).levies]
    return sum(payload.amount for payload in payloads)


class NextBanker(Struct, frozen=True):
    """Who is asked next to take the bank, and what he has to match (None: any amount)."""

    patron: str
    amount: int | None = None


def next_banker(shoe: Shoe) -> NextBanker | None:
    """Return who is asked next to take the bank; None where nobody is left to ask.

    A bank that was given up goes to the first in order who matches it, and where nobody does
    to the next in order at any amount; one that lost goes to the next in order.
    """
    return heir_of(shoe, asked_now(shoe))


def heir_of(shoe: Shoe, now: OfferOrder) -> NextBanker | None:
    """Return whom the rules ask at a moment of the past; see `heir`."""
    if shoe.pack is None or shoe.pack.bank is None:
        return None
    if now.match is not None and shoe.pack.bank.takeover == "match":
        for patron in now.order:
            if patron not in now.unmatched and patron != now.last:
                return NextBanker(patron, now.match)
    return next((NextBanker(patron) for patron in now.order if patron not in now.refused), None)


def hands_that_disobeyed(shoe: Shoe, coup: Coup) -> list[tuple[Side, Choice]]:
    """Return the hands that drew where they must stand, or stood where they must draw.

    With each comes what was mandatory. After a natural nobody draws. Where a choice is free
    nothing is disobeyed, whatever it costs. Each hand has two cards.
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
    """Tell whether the banker must give the bank up: he lost the last coup."""
    return shoe_passes(shoe)


def levy_step(shoe: Shoe, coup: Coup) -> NextAction | None:
    """Return the next step of the levy on a settled coup; None where nothing is left to do."""
    due, part = levy_due(shoe, coup), bank_events_of(coup)
    rule = shoe.pack.levy if shoe.pack is not None else None
    if not due or rule is None or shoe.pack is None:
        return None
    amount, number = format_amount(due, shoe.pack.money.minor_units), coup.number
    if not part.levies:
        if rule.steps and not part.announced:
            said = f"announce the levy of {amount}, and set it apart"
            return NextAction("settle", said, bank_ev.LevyAnnounced(number, due))
        if rule.steps and rule.tickets and not part.tickets:
            said = f"detach tickets worth {amount}"
            return NextAction("settle", said, bank_ev.TicketsDetached(number, due))
        where = "put the levy" if rule.steps else "take the levy"
        box = "into the box" if rule.steps else "out of the bank"
        return NextAction("settle", f"{where} of {amount} {box}", bank_ev.LevyTaken(number, due))
    if rule.steps and part.tickets and not part.torn:
        return NextAction("settle", "tear the tickets of the levy", bank_ev.TicketsTorn(number))
    return None
