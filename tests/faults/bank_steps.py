"""What goes wrong where a patron banks: whose hands move the bank, and which step is left out."""

from collections.abc import Iterator

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.common import staying_bets
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.procedure.macao import rules_of
from sabot.domain.procedure.own_hands import hands_in_turn
from sabot.domain.procedure.two_tableaux.held_stakes import stakes_held_for
from sabot.domain.procedure.two_tableaux.tableaux import alone_natural, cards_on
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.tableau_hands import TABLEAUX
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from sabot.domain.values.cards import total
from tests.faults.fault import Alters, Events, FaultKind


def _another(table: SimulatedTable, but: str) -> str | None:
    others = (who for _, who in sorted(table.shoe.seats.items()) if who != but)
    return next(others, None)


def _moved(kind: type) -> Alters:
    """Let another do what an event says."""

    def by_another(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
        if type(payload) is not kind:
            return None
        other = _another(table, getattr(payload, "by", ""))
        return (replace(payload, by=other),) if other is not None else None

    return by_another


def _taken_beyond(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (
        (replace(payload, amount=payload.amount + 100),)
        if isinstance(payload, bank_ev.BankWithdrawn)
        else None
    )


def _raised_late(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    bank = table.shoe.bank
    if not isinstance(payload, ev.NoMoreBets) or bank is None:
        return None
    return (payload, bank_ev.BankRaised(bank.holder, 100, payload.coup))


# -- Steps that are left out -------------------------------------------------------------------


def _later(table: SimulatedTable) -> Coup | None:
    """Return the coup in play, where others were told of before it."""
    return table.shoe.current if len(table.shoe.coups) > 1 else None


def _bank_uncalled(table: SimulatedTable, due: NextAction) -> Events | None:
    """One stakes before the bank is called, and then the bets are closed."""
    coup, shoe = _later(table), table.shoe
    if not isinstance(due.payload, bank_ev.BankCalled) or coup is None or shoe.bank is None:
        return None
    if (
        stakes_held_for(shoe, coup)
        if shoe.pack and shoe.pack.tableaux
        else staying_bets(shoe, coup)
    ):
        return None
    seat, who = next((n, who) for n, who in sorted(shoe.seats.items()) if who != shoe.bank.holder)
    wager = "player" if table.pack.game == "chemin-de-fer" else "left"
    stake = ev.BetPlaced(coup.number, 1, who, wager, table.limits.minimum, seat)
    return (stake, ev.NoMoreBets(coup.number))


def _not_given(table: SimulatedTable, due: NextAction) -> Events | None:
    """The first card is dealt, and nobody was given the hand."""
    payload = due.payload
    if not isinstance(payload, bank_ev.HandGiven) or _later(table) is None:
        return None
    return (table.drawn("right" if payload.hand == "left" else payload.hand),)


def _unturned(table: SimulatedTable, due: NextAction) -> Events | None:
    """The hands are called while they lie face down."""
    coup = _later(table)
    if not isinstance(due.payload, ev.CardTurned) or coup is None or coup.turned:
        return None
    tableaux = table.pack.game == "baccarat-banque"
    return (_call(table, coup),) if not tableaux or alone_natural(coup) is None else None


def _call(table: SimulatedTable, coup: Coup) -> ev.ShoeEvent:
    rules = rules_of(table.pack)
    if table.pack.game == "chemin-de-fer":
        came = result_of(coup.player, coup.banker)
        return ev.ResultCalled(coup.number, came.player, came.banker, came.outcome)
    if rules is not None:
        hands = hands_in_turn(table.shoe, coup)
        own = [bank_ev.HandTotal(hand.hand, hand.score(rules).total, hand.seat) for hand in hands]
        return bank_ev.HandsCalled(coup.number, tuple(own))
    three = [bank_ev.HandTotal(tableau, total(cards_on(coup, tableau))) for tableau in TABLEAUX]
    return bank_ev.HandsCalled(
        coup.number, (*three, bank_ev.HandTotal("banker", total(coup.banker)))
    )


def _hands_uncalled(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = _later(table)
    if not isinstance(due.payload, bank_ev.HandsCalled) or coup is None:
        return None
    return _settled_and_closed(table, coup.number)


def _settled_and_closed(table: SimulatedTable, number: int) -> Iterator[ev.ShoeEvent]:
    yield from table.settlement()
    yield ev.CoupClosed(number)


_BY_ANOTHER = ("bank-moved-by-wrong-person",)
_HAD = ("wrong-banker",)
_LEFT_OUT = ("omitted-coup-step",)

KINDS = (
    FaultKind(
        name="bank-taken-out-by-another",
        family="payout",
        what="another than the banker takes his bank out",
        codes=_BY_ANOTHER,
        of_coup=False,
        alters=_moved(bank_ev.BankWithdrawn),
    ),
    FaultKind(
        name="more-than-the-bank-taken-out",
        family="payout",
        what="a banker takes more out than lies in his bank",
        codes=("chip-balance-mismatch",),
        of_coup=False,
        alters=_taken_beyond,
    ),
    FaultKind(
        name="bank-taken-unoffered",
        family="procedure",
        what="another takes the bank than to whom it was offered",
        codes=_HAD,
        of_coup=False,
        alters=_moved(ev.ShoeTaken),
    ),
    FaultKind(
        name="bank-given-up-by-another",
        family="procedure",
        what="another gives the bank up than who has it",
        codes=_HAD,
        of_coup=False,
        alters=_moved(ev.ShoePassed),
    ),
    FaultKind(
        name="bank-raised-late",
        family="procedure",
        what="a banker adds to his bank when no more bets has been called",
        codes=(
            "late-bank-raise",
            "mid-coup-bank-raise",
            "stakes-beyond-bank",
            "stake-beside-banco",
        ),
        alters=_raised_late,
    ),
    FaultKind(
        name="cards-left-face-down",
        family="procedure",
        what="the hands are called, and nobody has turned a card",
        codes=_LEFT_OUT,
        acts=_unturned,
    ),
)
"""Wherever a patron banks."""

CALLS = (
    FaultKind(
        name="bank-not-called",
        family="procedure",
        what="stakes are placed, and nobody calls what the bank holds",
        codes=_LEFT_OUT,
        acts=_bank_uncalled,
    ),
    FaultKind(
        name="hand-not-given",
        family="procedure",
        what="a hand is dealt that was given to nobody",
        codes=_LEFT_OUT,
        acts=_not_given,
    ),
)
"""Where the croupier calls the bank, and gives the hands."""

HANDS = (
    FaultKind(
        name="hands-uncalled",
        family="procedure",
        what="the stakes of a coup are settled, and nobody calls the hands",
        codes=("result-not-called", "wrong-levy"),
        acts=_hands_uncalled,
    ),
)
"""Where there are other hands than two."""
