"""Faults of a patron's bank at chemin de fer: its stakes, its hands, its money."""

from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import find_rule
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.procedure.patron_bank import (
    banco_claimant,
    bank_events_of,
    bank_of,
    entitled_to_suivi,
    given_to,
    has_natural,
    in_play_order,
    total_staked,
)
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.values.cards import total
from tests.faults.fault import Events, FaultKind

_FOUR: Final = 4
"""Cards of a coup in which nobody drew."""
_STANDS_ON: Final = (6, 7)


def _asked_on_seven(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The player of the hand asks for a card on 6 or 7 before any draw, and gets none."""
    coup = table.shoe.current
    if not isinstance(payload, ev.ResultCalled) or coup is None or len(coup.cards) != _FOUR:
        return None
    if total(coup.player) not in _STANDS_ON or has_natural(coup):
        return None
    return (bank_ev.ChoiceMade(coup.number, "player", "draw", given_to(coup, "player")), payload)


def _shown_early(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A card of the banker is turned before the player of the other hand decides."""
    coup = table.shoe.current
    if not isinstance(payload, bank_ev.ChoiceMade) or coup is None or coup.turned:
        return None
    return (ev.CardTurned(coup.number, "banker", 1), payload) if payload.hand == "player" else None


def _banker_first(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The banker stands before the player of the other hand decides, and decides again after."""
    if not isinstance(payload, bank_ev.ChoiceMade) or payload.hand != "player":
        return None
    return (bank_ev.ChoiceMade(payload.coup, "banker", "stand"), payload)


def _by_another(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (
        (replace(payload, by="a bystander"),) if isinstance(payload, bank_ev.ChoiceMade) else None
    )


def _given_to_another(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup = table.shoe.current
    if not isinstance(payload, bank_ev.HandGiven) or coup is None:
        return None
    others = [who for who in bank_events_of(coup).order if who != payload.to]
    return (replace(payload, to=others[0]),) if others else None


def _miscalled(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (
        (replace(payload, amount=payload.amount + 1),)
        if isinstance(payload, bank_ev.BankCalled)
        else None
    )


def _excess_kept(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if coup is None or not isinstance(due.payload, bank_ev.ExcessReturned):
        return None
    return (ev.NoMoreBets(coup.number),)


def _first_sent_back(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The excess is returned to the first patron in the order of play, not to the last."""
    coup = table.shoe.current
    if not isinstance(payload, bank_ev.ExcessReturned) or coup is None:
        return None
    if banco_claimant(table.shoe, coup) is not None:
        return None
    standing = [bet for bet in coup.bets.values() if not bet.withdrawn]
    first = in_play_order(coup, standing)[0]
    if first.number == payload.bet or first.amount < payload.amount or first.carried:
        return None
    return (replace(payload, bet=first.number),)


def _banco_halved(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup = table.shoe.current
    if not isinstance(payload, ev.BetPlaced) or coup is None:
        return None
    if banco_claimant(table.shoe, coup) != payload.patron:
        return None
    return (replace(payload, amount=payload.amount // 2), ev.NoMoreBets(payload.coup))


def _suivi_for_nothing(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup = table.shoe.current
    if not isinstance(payload, bank_ev.BancoCalled) or coup is None or payload.suivi:
        return None
    if entitled_to_suivi(table.shoe, coup) == payload.patron:
        return None
    return (replace(payload, suivi=True),)


def _own_bank(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The banker bets on the part of the bank that nobody has covered."""
    bank, coup = table.shoe.bank, table.shoe.current
    if (
        not isinstance(payload, ev.NoMoreBets)
        or bank is None
        or coup is None
        or not total_staked(coup)
    ):
        return None
    least = table.limits.minimum
    if (
        banco_claimant(table.shoe, coup) is not None
        or (bank_of(coup) or 0) - total_staked(coup) < least
    ):
        return None
    number = max(coup.bets) + 1
    return (ev.BetPlaced(coup.number, number, bank.holder, "player", least), payload)


def _levied_more(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (
        (replace(payload, amount=payload.amount + 10),)
        if isinstance(payload, bank_ev.LevyTaken)
        else None
    )


def _levy_forgotten(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if coup is None or not isinstance(due.payload, (bank_ev.LevyAnnounced, bank_ev.LevyTaken)):
        return None
    return None if bank_events_of(coup).announced else (ev.CoupClosed(coup.number),)


def _without_ticket(_table: SimulatedTable, due: NextAction) -> Events | None:
    if not isinstance(due.payload, bank_ev.TicketsDetached):
        return None
    return (bank_ev.LevyTaken(due.payload.coup, due.payload.amount),)


def _ticket_twice(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, bank_ev.TicketsDetached) or not payload.tickets:
        return None
    return (replace(payload, tickets=(*payload.tickets, payload.tickets[0])),)


def _another_offered(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeOffered):
        return None
    others = [who for who in table.shoe.seats.values() if who != payload.to]
    return (replace(payload, to=others[0]),) if others else None


def _another_amount(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    rule, match = table.pack.bank, table.shoe.match
    if not isinstance(payload, bank_ev.BankPosted) or rule is None:
        return None
    return (replace(payload, amount=rule.minimum - 1 if match is None else match + 1),)


def _at_once(table: SimulatedTable, due: NextAction) -> Events | None:
    bank = table.shoe.bank
    if not isinstance(due.payload, ev.CoupOpened) or bank is None or bank.coups or bank.amount <= 0:
        return None
    return (bank_ev.BankWithdrawn(bank.holder, bank.amount), ev.ShoePassed(bank.holder, "chosen"))


def _in_part(table: SimulatedTable, due: NextAction) -> Events | None:
    bank, rule = table.shoe.bank, table.pack.bank
    if not isinstance(due.payload, ev.CoupOpened) or bank is None or bank.amount <= 1:
        return None
    # macao and victoria have no rules on banks in their packs: a bank is whole there
    if rule is not None and (rule.partial or bank.coups < rule.deals):
        return None
    return (bank_ev.BankWithdrawn(bank.holder, bank.amount // 2), due.payload)


def _left_behind(_table: SimulatedTable, due: NextAction) -> Events | None:
    if not isinstance(due.payload, bank_ev.BankWithdrawn):
        return None
    return (ev.ShoePassed(due.payload.by, "lost"),)


HALF_A_BANK_TAKEN = FaultKind(
    name="half-a-bank-taken",
    family="procedure",
    what="a banker takes half of his bank out, and deals on",
    codes=("K516",),
    of_coup=False,
    acts=_in_part,
)

KINDS = (
    FaultKind(
        name="asked-on-seven",
        family="procedure",
        what="a card is asked for on 6 or 7, and not given",
        codes=("T111",),
        alters=_asked_on_seven,
    ),
    FaultKind(
        name="banker-card-shown-early",
        family="procedure",
        what="a card of the banker is turned before Player has decided",
        codes=("D108",),
        alters=_shown_early,
    ),
    FaultKind(
        name="banker-chooses-first",
        family="procedure",
        what="the banker says that he stands before Player has decided",
        codes=("T112", "T107"),
        alters=_banker_first,
    ),
    FaultKind(
        name="bystander-chooses",
        family="procedure",
        what="somebody else decides for a hand",
        codes=("T109",),
        alters=_by_another,
    ),
    FaultKind(
        name="hand-to-another",
        family="procedure",
        what="the hand is given to another than who has most at stake",
        codes=("T110",),
        alters=_given_to_another,
    ),
    FaultKind(
        name="bank-called-high",
        family="totals",
        what="the bank is called one minor unit too high",
        codes=("K503",),
        alters=_miscalled,
    ),
    FaultKind(
        name="excess-left-on-the-felt",
        family="procedure",
        what="the bets are closed with more on the felt than the bank covers",
        codes=("K502", "K517"),
        acts=_excess_kept,
    ),
    FaultKind(
        name="first-sent-back",
        family="procedure",
        what="what the bank does not cover goes back to the first in the order of play",
        codes=("K508",),
        alters=_first_sent_back,
    ),
    FaultKind(
        name="banco-for-half",
        family="procedure",
        what="who goes bank stakes half of it",
        codes=("K509",),
        alters=_banco_halved,
    ),
    FaultKind(
        name="suivi-without-a-loss",
        family="procedure",
        what="somebody claims banco suivi who lost no banco in the coup before",
        codes=("K510",),
        alters=_suivi_for_nothing,
    ),
    FaultKind(
        name="bank-staked-against",
        family="procedure",
        what="the banker stakes against his own bank",
        codes=("K511",),
        alters=_own_bank,
    ),
    FaultKind(
        name="levied-too-much",
        family="payout",
        what="ten minor units too much are levied",
        codes=("Y501", "Y503", "Y502"),
        alters=_levied_more,
    ),
    FaultKind(
        name="levy-forgotten",
        family="payout",
        what="nothing is levied of what a bank won",
        codes=("Y501",),
        acts=_levy_forgotten,
    ),
    FaultKind(
        name="levy-without-a-ticket",
        family="procedure",
        what="a levy is taken, and no ticket detached for it",
        codes=("Y502",),
        acts=_without_ticket,
    ),
    FaultKind(
        name="ticket-detached-twice",
        family="procedure",
        what="one ticket is recorded twice for a levy",
        codes=("Y505",),
        alters=_ticket_twice,
    ),
    FaultKind(
        name="bank-offered-past-the-next",
        family="procedure",
        what="the bank is offered to another than whose turn it is",
        codes=("K513",),
        of_coup=False,
        alters=_another_offered,
    ),
    FaultKind(
        name="bank-at-another-amount",
        family="procedure",
        what="a bank is put up below the least, or at another amount than it has to match",
        codes=("K514",),
        of_coup=False,
        alters=_another_amount,
    ),
    FaultKind(
        name="bank-taken-at-once",
        family="procedure",
        what="a banker takes his bank out before he has dealt a coup",
        codes=("K515", "H502"),
        of_coup=False,
        acts=_at_once,
    ),
    HALF_A_BANK_TAKEN,
    FaultKind(
        name="lost-bank-left-behind",
        family="payout",
        what="a banker who has lost passes the shoe, and what is left of his bank stays",
        codes=("K517",),
        of_coup=False,
        acts=_left_behind,
    ),
)

LEVIES = tuple(kind for kind in KINDS if find_rule(kind.codes[0]).group == "levy")
"""What goes wrong with a levy, whatever game the bank is played for in."""
