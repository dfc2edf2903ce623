"""Faults of games in which a patron banks: wrong persons who move the bank, and missing steps."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.procedure.macao import rules_of
from sabot.domain.procedure.own_hands import hands_in_turn
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
    """Let somebody else do what an event says."""

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


# -- Steps that are left out -------------------------------------------------------------------


def _later(table: SimulatedTable) -> Coup | None:
    """Return the current coup if there was an earlier one."""
    return table.shoe.current if len(table.shoe.coups) > 1 else None


def _unturned(table: SimulatedTable, due: NextAction) -> Events | None:
    """The hands are called while their cards are face down."""
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


_BY_ANOTHER = ("K504",)
_HAD = ("K505",)

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
        codes=("K517",),
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
        name="cards-left-face-down",
        family="procedure",
        what="the hands are called, and nobody has turned a card",
        codes=("K507",),
        acts=_unturned,
    ),
)
"""Wherever a patron banks."""
