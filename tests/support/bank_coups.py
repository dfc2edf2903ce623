"""Notation for coups of chemin de fer: the banker, the stakes, and steps of the levy."""

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt

SEATS = tuple(ev.Seat(n, f"p{n}") for n in range(1, 5))


def table(bank: int = 10_000, pack: str = "chemin-de-fer") -> Felt:
    """Return a table where p1 banks against p2, p3 and p4."""
    return Felt(pack, seats=SEATS).ready().bank("p1", bank)


def staked(*bets: tuple[str, int], before: tuple[ev.Event, ...] = (), call: int = 10_000) -> Felt:
    """Open a coup with these bets, for which the bank was called at this amount."""
    felt = table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, call), *before)
    for number, (who, amount) in enumerate(bets, 1):
        felt.put(ev.BetPlaced(1, number, who, "player", amount))
    return felt


def finish(felt: Felt, cards: str = "P 4 2  B K 9") -> Shoe:
    """Close the bets, deal these cards, and do all that is due until the coup is closed."""
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards(cards)
    return felt.due(ev.Event).shoe


def stepped(amount: int, taken: int, ticket: str | None = "T-1") -> list[ev.Event]:
    """Return the steps of a levy: announced and ticketed at one amount, taken at another."""
    tickets = [bank_ev.TicketsDetached(1, amount, (ticket,))] if ticket is not None else []
    return [
        bank_ev.LevyAnnounced(1, amount),
        *tickets,
        bank_ev.LevyTaken(1, taken),
        bank_ev.TicketsTorn(1),
    ]


GOES_ON: list[ev.Event] = [
    ev.ShoeOffered("p2"),
    ev.ShoeTaken("p2"),
    bank_ev.BankPosted("p2", 10_000),
]
