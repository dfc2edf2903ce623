"""What a coup does to a shoe: from its opening to its close, its cards and its calls."""

from typing import Final

from domain import facts as f
from domain.event import Event
from domain.facts import bank as k
from domain.folding import Handler
from domain.shoe.state import CutCard, Shoe, banked_of


def _coup_opened(shoe: Shoe, event: Event, fact: f.CoupOpened) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    shoe.current = coup
    if coup.opened is None:
        coup.opened, coup.free = event, fact.free
    else:
        coup.strays.append(event)
    if shoe.bank is not None:
        banked_of(shoe, coup)


def _no_more_bets(shoe: Shoe, event: Event, fact: f.NoMoreBets) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    if coup.no_more_bets is None:
        coup.no_more_bets = event


def _card_burned(shoe: Shoe, event: Event, fact: f.CardBurned) -> None:
    shoe.burned.append(event)
    shoe.left.append(event)
    if fact.coup is not None:
        shoe.coup(fact.coup).events.append(event)


def _card_drawn(shoe: Shoe, event: Event, fact: f.CardDrawn) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.cards.append(event)
    shoe.left.append(event)
    if fact.hand == "player":
        coup.player.append(fact.card)
    elif fact.hand == "banker":
        coup.banker.append(fact.card)
    else:
        coup.hand(fact.hand, fact.seat).append(fact.card)


def _card_turned(shoe: Shoe, event: Event, fact: f.CardTurned) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.turned.append(event)


def _totals_called(shoe: Shoe, event: Event, fact: f.TotalsCalled) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.totals_called = event


def _result_called(shoe: Shoe, event: Event, fact: "f.ResultCalled | k.HandsCalled") -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.result_called = event


def _coup_closed(shoe: Shoe, event: Event, fact: f.CoupClosed) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.closed = event
    if shoe.current is coup:
        shoe.current = None
    if shoe.bank is not None and coup.banked is not None:
        shoe.bank.coups += 1


def _coup_voided(shoe: Shoe, event: Event, fact: f.CoupVoided) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    coup.voided = event
    if shoe.current is coup:
        shoe.current = None
    if shoe.bank is not None and coup.banked is not None and not coup.bets:
        # nobody staked: the banker has played for it as far as he could
        shoe.bank.coups += 1


def _irregularity(shoe: Shoe, event: Event, fact: f.IrregularityNoted) -> None:
    shoe.irregularities.append(event)
    if fact.coup is not None:
        coup = shoe.coup(fact.coup)
        coup.events.append(event)
        coup.irregularities.append(event)


def _shuffler_failed(shoe: Shoe, event: Event, fact: f.ShufflerFailed) -> None:
    shoe.shuffler_faults.append(event)
    # the machine works on its own: its fault must not open a coup
    if fact.coup is not None and fact.coup in shoe.coups:
        shoe.coups[fact.coup].events.append(event)


def _cut_card_reached(shoe: Shoe, event: Event, _fact: f.CutCardReached) -> None:
    if shoe.cut_card is not None:
        shoe.strays.append(event)
        return
    current = shoe.current
    shoe.cut_card = CutCard(event, current.number if current is not None else None)


def _shoe_ended(shoe: Shoe, event: Event, _fact: f.ShoeEnded) -> None:
    if shoe.ended is None:
        shoe.ended = event
    else:
        shoe.strays.append(event)


HANDLERS: Final[dict[type, Handler[Shoe]]] = {
    f.CardBurned: _card_burned,
    f.CoupOpened: _coup_opened,
    f.NoMoreBets: _no_more_bets,
    f.CardDrawn: _card_drawn,
    f.CardTurned: _card_turned,
    f.TotalsCalled: _totals_called,
    f.ResultCalled: _result_called,
    f.CoupClosed: _coup_closed,
    f.CoupVoided: _coup_voided,
    f.ShufflerFailed: _shuffler_failed,
    f.IrregularityNoted: _irregularity,
    f.CutCardReached: _cut_card_reached,
    f.ShoeEnded: _shoe_ended,
    k.HandsCalled: _result_called,
}
