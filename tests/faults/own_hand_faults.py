"""Faults of games in which each patron has a hand: macao and victoria."""

from collections.abc import Iterator

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.procedure.macao import least_bank, rules_of
from sabot.domain.procedure.own_hands import OwnHand, hands_in_turn
from sabot.domain.rules.macao_hands import MacaoRules
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from sabot.domain.values.cards import VALUE
from tests.faults.fault import Events, FaultKind


def _in_play(table: SimulatedTable) -> tuple[MacaoRules, Coup] | None:
    """Return the pack's rules and the current coup."""
    rules, coup = rules_of(table.pack), table.shoe.current
    return None if rules is None or coup is None else (rules, coup)


def _due_hand(table: SimulatedTable, due: NextAction) -> OwnHand | None:
    """Return the hand that is due to get a card or to choose."""
    coup = table.shoe.current
    hands = hands_in_turn(table.shoe, coup) if coup is not None and due.hand is not None else []
    return next((hand for hand in hands if (hand.hand, hand.seat) == (due.hand, due.seat)), None)


def _forced(table: SimulatedTable, due: NextAction) -> Events | None:
    played, hand = _in_play(table), _due_hand(table, due)
    if played is None or hand is None or due.expects != "choice":
        return None
    return (table.drawn(hand.hand, hand.seat),) if hand.may_draw(played[0]) else None


def _withheld(table: SimulatedTable, due: NextAction) -> Events | None:
    played, hand = _in_play(table), _due_hand(table, due)
    if played is None or hand is None or due.expects != "card" or hand.hand != "banker":
        return None
    return _called_at_once(table, *played) if hand.asked else None


def _called_at_once(table: SimulatedTable, rules: MacaoRules, coup: Coup) -> Iterator[ev.ShoeEvent]:
    """Turn the cards that are face down, and call the hands without further cards."""
    hands = hands_in_turn(table.shoe, coup)
    for hand in hands:
        for nth in range(1, rules.dealt + 1):
            yield ev.CardTurned(coup.number, hand.hand, nth, hand.seat)
    totals = (bank_ev.HandTotal(hand.hand, hand.score(rules).total, hand.seat) for hand in hands)
    yield bank_ev.HandsCalled(coup.number, tuple(totals))


def _drew_on(table: SimulatedTable, _due: NextAction) -> Events | None:
    played = _in_play(table)
    if played is None or not played[1].events or played[1].result_called is not None:
        return None
    coup = played[1]
    payload = coup.events[-1].payload
    if not isinstance(payload, bank_ev.ChoiceMade) or payload.choice != "stand":
        return None
    again = bank_ev.ChoiceMade(coup.number, payload.hand, "draw", payload.by, payload.seat)
    return (again, table.drawn(payload.hand, payload.seat))


def _rejected(table: SimulatedTable, _due: NextAction) -> Events | None:
    played = _in_play(table)
    last = played[1].events[-1].payload if played is not None and played[1].events else None
    if played is None or not isinstance(last, ev.CardDrawn) or not VALUE[last.card]:
        return None
    hands = hands_in_turn(table.shoe, played[1])
    asked = any(hand.asked and (hand.hand, hand.seat) == (last.hand, last.seat) for hand in hands)
    return (bank_ev.CardRejected(played[1].number, last.hand, last.seat),) if asked else None


def _to_another(table: SimulatedTable, due: NextAction) -> Events | None:
    played = _in_play(table)
    if played is None or due.expects != "card" or due.hand != "patron" or played[1].cards:
        return None
    waiting = [hand for hand in hands_in_turn(table.shoe, played[1]) if hand.hand == "patron"]
    return (table.drawn("patron", waiting[1].seat),) if len(waiting) > 1 else None


def _meddled(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, bank_ev.ChoiceMade) or payload.hand != "patron":
        return None
    return (replace(payload, by="a bystander"),)


def _miscalled(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, bank_ev.HandsCalled):
        return None
    first = replace(payload.totals[0], total=payload.totals[0].total + 1)
    return (replace(payload, totals=(first, *payload.totals[1:])),)


def _seatless(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (replace(payload, seat=None),) if isinstance(payload, ev.BetPlaced) else None


def _quit(table: SimulatedTable, due: NextAction) -> Events | None:
    bank = table.shoe.bank
    if not isinstance(due.payload, ev.CoupOpened) or bank is None or not bank.coups:
        return None
    return (bank_ev.BankWithdrawn(bank.holder, bank.amount), ev.ShoePassed(bank.holder, "chosen"))


def _another_heir(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeOffered):
        return None
    others = [name for name in table.shoe.seats.values() if name != payload.to]
    return (ev.ShoeOffered(others[0]),) if others else None


def _small(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, bank_ev.BankPosted):
        return None
    return (bank_ev.BankPosted(payload.by, least_bank(table.shoe) - 1),)


def _own_bank(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    bank = table.shoe.bank
    if not isinstance(payload, ev.BetPlaced) or bank is None:
        return None
    seat = next((seat for seat, name in table.shoe.seats.items() if name == bank.holder), None)
    return (replace(payload, patron=bank.holder, seat=seat),)


def _beyond(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    bank = table.shoe.bank
    if not isinstance(payload, ev.BetPlaced) or bank is None:
        return None
    return (replace(payload, amount=bank.amount + 1),)


def _left_behind(_table: SimulatedTable, due: NextAction) -> Events | None:
    if not isinstance(due.payload, bank_ev.BankWithdrawn):
        return None
    return (ev.ShoePassed(due.payload.by, "pack-ended"),)


KINDS = (
    FaultKind(
        name="banker-stakes",
        family="procedure",
        what="the banker stakes on a hand against his own bank",
        codes=("K511",),
        alters=_own_bank,
    ),
    FaultKind(
        name="stake-beyond-the-bank",
        family="procedure",
        what="a stake is taken that the bank does not cover",
        codes=("K502", "L201"),
        alters=_beyond,
    ),
    FaultKind(
        name="bank-left-behind",
        family="payout",
        what="a banker gives his bank up, and his chips stay on the table",
        codes=("K517",),
        of_coup=False,
        acts=_left_behind,
    ),
    FaultKind(
        name="card-forced",
        family="procedure",
        what="a hand is dealt a card before it has decided",
        codes=("O501",),
        acts=_forced,
    ),
    FaultKind(
        name="card-withheld",
        family="procedure",
        what="the banker asks for a card, and the hands are called without it",
        codes=("O502",),
        acts=_withheld,
    ),
    FaultKind(
        name="drew-on",
        family="procedure",
        what="a hand that has stood draws all the same",
        codes=("O503",),
        acts=_drew_on,
    ),
    FaultKind(
        name="good-card-rejected",
        family="procedure",
        what="a drawn card that counts is rejected",
        codes=("O504",),
        acts=_rejected,
    ),
    FaultKind(
        name="first-card-to-another",
        family="procedure",
        what="the second hand in turn has its card before the first",
        codes=("O505",),
        acts=_to_another,
    ),
    FaultKind(
        name="bystander-decides",
        family="procedure",
        what="somebody else decides for a punter's hand",
        codes=("O506",),
        alters=_meddled,
    ),
    FaultKind(
        name="hand-called-high",
        family="totals",
        what="a hand is called one higher than its cards",
        codes=("O507",),
        alters=_miscalled,
    ),
    FaultKind(
        name="stake-without-a-seat",
        family="procedure",
        what="a stake is taken from somebody who has no hand",
        codes=("O508",),
        alters=_seatless,
    ),
    FaultKind(
        name="bank-quit",
        family="procedure",
        what="a banker gives his bank up in the middle of the pack",
        codes=("O509",),
        of_coup=False,
        acts=_quit,
    ),
    FaultKind(
        name="heir-passed-over",
        family="procedure",
        what="the bank is offered to another than the left neighbour",
        codes=("O510",),
        of_coup=False,
        alters=_another_heir,
    ),
    FaultKind(
        name="bank-too-small",
        family="procedure",
        what="a bank smaller than the pack's least is put up",
        codes=("O511",),
        of_coup=False,
        alters=_small,
    ),
)
