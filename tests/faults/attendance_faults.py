"""Limits, crew, patrons and holders of the shoe that contradict the record."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.common import bank_lost, is_house
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind


def _inverted(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Set a minimum above its maximum, and change it back before anybody bets."""
    if not isinstance(payload, ev.CoupOpened) or not table.shoe.limits:
        return None
    wrong = tuple(ev.Limit(each.maximum, each.minimum, each.wager) for each in table.shoe.limits)
    if any(each.minimum == each.maximum for each in wrong):
        return None
    right = table.shoe.limits
    return (
        ev.LimitsChanged(wrong, displayed=True),
        ev.LimitsChanged(right, displayed=True),
        payload,
    )


def _passed_as_lost(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A holder whose bank won or tied gives up the shoe, recorded as lost."""
    holder, coups = table.shoe.holder, table.shoe.coups
    chosen = isinstance(payload, ev.ShoePassed) and payload.reason == "chosen"
    kept = isinstance(payload, ev.CoupOpened) and table.shoe.bank is None
    if not (chosen or kept) or holder in (None, "house", *table.shoe.staff) or not coups:
        return None
    assert holder is not None
    last = coups[max(coups)]
    on_loss = table.pack.table.passes == "on-loss" and last.number > table.shoe.taken_after
    if not on_loss or last.voided is not None or len(last.player) < 2 or bank_lost(last):
        return None
    return (ev.ShoePassed(holder, "lost"),)


def _by_crew(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The dealer or the caller places the next bet."""
    if not isinstance(payload, ev.BetPlaced) or table.shoe.current is None:
        return None
    if table.floor not in table.shoe.staff:
        return None
    return (replace(payload, patron=table.floor),)


def _having_left(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A patron bets who left the table before the coup, according to the record."""
    if not isinstance(payload, ev.BetPlaced) or table.shoe.current is None:
        return None
    bets = table.shoe.current.bets.values()
    if any(bet.patron == "gone" for bet in bets):
        return None
    return (ev.PatronLeft("gone"), replace(payload, patron="gone"))


def _banking_having_left(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The banker, or the holder of the shoe, is noted as gone before a coup, and deals it."""
    if not isinstance(payload, ev.CoupOpened) or table.shoe.holder is None:
        return None
    holder = table.shoe.holder
    if is_house(table.shoe, holder) or holder not in table.shoe.seats.values():
        return None
    return (ev.PatronLeft(holder), payload)


def _leaving_and_staying(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A banker whose bank was given up by choice is said to leave the table, and bets on."""
    if not isinstance(payload, ev.ShoePassed) or payload.reason != "chosen":
        return None
    return (replace(payload, reason="left"),)


def _taken_by_another(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Another patron takes the shoe than the one to whom it was offered."""
    if not isinstance(payload, ev.ShoeTaken) or table.shoe.offered in (None, "house"):
        return None
    others = sorted(set(table.shoe.seats.values()) - {payload.by})
    return (replace(payload, by=others[0]),) if others else None


def _nobody_deals(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Every post is vacant before a coup."""
    if not isinstance(payload, ev.NoMoreBets) or not table.shoe.crew:
        return None
    return (*(ev.CrewChanged(post, None) for post in table.shoe.crew), payload)  # type: ignore[arg-type]


KINDS = (
    FaultKind(
        name="bet-by-the-dealer",
        family="procedure",
        what="the dealer or caller bets at the table",
        codes=("B214",),
        alters=_by_crew,
        games=("punto-banco",),
    ),
    FaultKind(
        name="bet-having-left",
        family="procedure",
        what="a patron bets who has left the table",
        codes=("B215",),
        alters=_having_left,
        games=("punto-banco",),
    ),
    FaultKind(
        name="dealt-having-left",
        family="procedure",
        what="a banker, or a holder of the shoe, deals a coup after leaving the table",
        codes=("H509", "B215"),
        alters=_banking_having_left,
        games=("punto-banco", "chemin-de-fer", "macao", "victoria"),
    ),
    FaultKind(
        name="shoe-taken-by-another",
        family="procedure",
        what="another takes the shoe than the patron to whom it was offered",
        codes=("H510",),
        of_coup=False,
        alters=_taken_by_another,
        games=("punto-banco",),
    ),
    FaultKind(
        name="passed-to-leave",
        family="procedure",
        what="a banker gives up the bank to leave the table, and stays",
        codes=("H511",),
        of_coup=False,
        alters=_leaving_and_staying,
        games=("chemin-de-fer", "baccarat-banque"),
    ),
    FaultKind(
        name="posts-empty",
        family="procedure",
        what="cards are dealt, and every post is empty",
        codes=("H508",),
        alters=_nobody_deals,
        games=("punto-banco", "chemin-de-fer"),
    ),
    FaultKind(
        name="limits-inverted",
        family="procedure",
        what="a minimum is set above its maximum",
        codes=("L208",),
        alters=_inverted,
        of_coup=False,
        games=("punto-banco",),
    ),
    FaultKind(
        name="passed-as-lost",
        family="procedure",
        what="a holder who did not lose passes the shoe as lost",
        codes=("H507",),
        alters=_passed_as_lost,
        of_coup=False,
        games=("punto-banco", "chemin-de-fer"),
    ),
)
