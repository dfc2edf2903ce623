"""The view of a coup that rules check."""

from functools import partial
from typing import Final

from msgspec import Struct

from sabot.domain.audit.announced_bank import on_announced_bank
from sabot.domain.audit.completeness import (
    bank_unknown,
    is_of_another_game,
    may_fall_short,
    starts_before_record,
    turn_unknown,
)
from sabot.domain.audit.refused_changes import with_former_stakes
from sabot.domain.audit.settled_stakes import with_settled_stakes
from sabot.domain.events import Hand, ResultCalled
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.games import game_of
from sabot.domain.rules.coup_result import Result, result_of
from sabot.domain.rules.payouts import Cashier, Due, cashier_for
from sabot.domain.rules.third_card_table import banker_draws, player_draws
from sabot.domain.state.coup_state import Bet, Coup, first_event_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.ordering import Order
from sabot.domain.values.cards import FIRST_TWO, VALUE, Card

_PLAIN: Final = "punto-banco"
"""The game whose payments depend on the result alone. Its coups are audited faster."""


class CoupView(Struct, gc=False):
    """A coup with its totals, result and amounts due.

    They are computed once for all rules.

    ``player_total`` and ``banker_total`` are the two-card totals. ``player_third`` is the value of
    the Player hand's third card. ``dealt`` is False while a hand lacks its initial cards.

    ``starts_before_record`` is True where the record begins during the coup or after it. Its cards
    may then be incomplete, and ``dealt`` is False too.

    ``in_play`` is True until the result is called. ``open`` is True until the coup is closed or
    voided, another coup follows, or the shoe ends.

    ``settlements_due`` are the settled bets, each with the amount due, or None if record or rule
    pack do not determine it. Bets that a ruling refunds are left out. ``settled_as_due`` has the
    kinds of settlement (payment, take, push) if every bet was settled exactly as due. Otherwise it
    is empty, and the rules check each bet.
    """

    shoe: Shoe
    coup: Coup
    cashier: Cashier | None
    dealt: bool
    starts_before_record: bool
    in_play: bool
    open: bool
    player_total: int
    banker_total: int
    player_third: int | None
    result: Result
    settlements_due: list[tuple[Bet, Due | None]]
    settled_as_due: frozenset[str]

    @property
    def order(self) -> Order | None:
        """The order of events at the table, if it differs from the order of recording."""
        return self.shoe.order

    @property
    def wrong_result_calls(self) -> list[RecordedEvent[ResultCalled]]:
        """The calls of another outcome than that of the cards. None before a coup is dealt."""
        right = (None, self.result.outcome)
        calls = events_of(ResultCalled, self.coup.calls) if self.dealt else []
        return [call for call in calls if call.payload.outcome not in right]

    def due(self, bet: Bet, stake: int) -> Due | None:
        """Return the amount due to a bet with a given stake, in minor units.

        None where the record or the pack does not determine it.
        """
        if self.cashier is None:
            return None
        game = game_of(self.shoe.pack)
        if game.name == _PLAIN:
            return self.cashier.due(bet.wager, self.result, stake)
        return game.due(self.shoe, self.coup, bet, stake)


def next_coup(shoe: Shoe, coup: Coup) -> RecordedEvent | None:
    """Return the first event of the following coup."""
    since = coup.events[0].position if coup.events else 0
    begun = (first_event_of(other) for other in shoe.coups.values() if other.number != coup.number)
    later = [event for event in begun if event is not None and event.position > since]
    return min(later, key=lambda event: event.position, default=None)


def _is_in_play(shoe: Shoe, coup: Coup) -> bool:
    """Return whether a coup is neither closed nor voided, and no other coup follows it.

    In a record of the whole shoe, this also holds for a coup whose opening is missing.
    """
    if coup.opened is not None or shoe.current is coup or shoe.coverage != "whole":
        return shoe.current is coup
    over = coup.closed or coup.voided or shoe.ended or next_coup(shoe, coup)
    return over is None


def left_by(coup: Coup, ended: RecordedEvent) -> list[RecordedEvent]:
    """Return the last card that a coup had at the end of the shoe, or else its bets then.

    A later card, burning, bet or withdrawal changes nothing. A coup that had neither has the first
    of them that came later.
    """
    end, bets = ended.position, coup.bets.values()
    burned = (card for card, _ in coup.removed_cards)
    drawn: list[RecordedEvent] = sorted([*coup.cards, *burned], key=lambda card: card.position)
    had = [card for card in drawn if card.position < end][-1:]
    stakes: list[RecordedEvent] = [
        bet.placed
        for bet in bets
        if bet.placed.position < end
        and not (bet.withdrawn and all(each.position < end for each in bet.changes[-1:]))
    ]
    later = [*drawn, *(bet.placed for bet in bets if not bet.withdrawn)]
    return had or stakes or sorted(later, key=lambda each: each.position)[:1]


def is_undealt(coup: Coup) -> bool:
    """Return whether a coup has no cards and no calls, and all its bets were withdrawn."""
    if coup.cards or coup.removed_cards or coup.calls:
        return False
    return all(bet.withdrawn for bet in coup.bets.values())


def view_coup(shoe: Shoe, coup: Coup, cashier: Cashier | None) -> CoupView:
    """Return the view of a coup as it was dealt.

    The view uses the bank's amount as the croupier called it, if an earlier coup of the same bank
    already showed the same difference between call and record. Each bet has the stake for which it
    was settled, without a late change that the settlement did not follow.
    """
    in_play = _is_in_play(shoe, coup)
    coup = with_settled_stakes(shoe, on_announced_bank(shoe, coup))
    player, banker = coup.player, coup.banker
    result = result_of(player, banker)
    game = game_of(shoe.pack)
    begins_earlier = coup.opened is None and starts_before_record(shoe, coup)
    unknown = shoe.pack is None and is_of_another_game(coup)
    dealt = not begins_earlier and not unknown and game.is_dealt(shoe, coup)
    settles = dealt and coup.voided is None
    dues: list[tuple[Bet, Due | None]] = []
    if settles and cashier is not None:
        dues_of = partial(_settlements_due, shoe, cashier=cashier, result=result)
        coup, dues = with_former_stakes(shoe, coup, dues_of, is_settled_as_due)
    return CoupView(
        shoe=shoe,
        coup=coup,
        cashier=cashier,
        dealt=dealt,
        starts_before_record=begins_earlier,
        in_play=in_play and coup.result_called is None,
        open=in_play and shoe.ended is None,
        player_total=total_of_two(player),
        banker_total=total_of_two(banker),
        player_third=VALUE[player[2]] if len(player) > FIRST_TWO else None,
        result=result,
        settlements_due=dues,
        settled_as_due=kinds_settled_as_due(dues),
    )


def _settlements_due(
    shoe: Shoe, coup: Coup, *, cashier: Cashier, result: Result
) -> list[tuple[Bet, Due | None]]:
    """Return the amounts due to the bets that were settled, and not returned on a ruling."""
    back = coup.refunded_bets
    settled = [each for each in coup.bets.values() if each.moves and not each.withdrawn]
    standing = [bet for bet in settled if bet.number not in back]
    if game_of(shoe.pack).name == _PLAIN:
        return [(bet, cashier.due(bet.wager, result, bet.amount)) for bet in standing]
    return due_by_bank(shoe, coup, standing) if standing else []


def due_by_bank(shoe: Shoe, coup: Coup, bets: list[Bet]) -> list[tuple[Bet, Due | None]]:
    """Return the amounts due to bets against a patron's bank. None where unknown."""
    owed = {bet.number: due for bet, due in game_of(shoe.pack).due_bets(shoe, coup)}
    dues = [(bet, owed.get(bet.number)) for bet in bets]
    if any(may_fall_short(*each) for each in dues) and bank_unknown(shoe, coup):
        dues = [(bet, None if may_fall_short(bet, due) else due) for bet, due in dues]
    if turn_unknown(shoe, coup, owed.values()):
        dues = [(bet, due if due and due.kind == "take" else None) for bet, due in dues]
    return dues


_NONE: Final = frozenset[str]()


def kinds_settled_as_due(dues: list[tuple[Bet, Due | None]]) -> frozenset[str]:
    """Return the kinds of settlement of a coup whose bets were all settled as due.

    The set is empty if any bet was settled otherwise.
    """
    kinds = set()
    for bet, due in dues:
        if due is None or not is_settled_as_due(bet, due):
            return _NONE
        kinds.add(due.kind)
    return frozenset(kinds)


def is_settled_as_due(bet: Bet, due: Due) -> bool:
    """Return whether a bet was settled exactly as due."""
    return (
        bet.paid == due.paid
        and bet.taken == due.taken
        and (bet.marked or bet.collected) == due.commission
        and not bet.after_commission
    )


def excess_moved(bet: Bet, due: Due) -> int:
    """Return the amount that a patron was paid too much for a bet, in minor units.

    The amount is negative if the patron got too little.
    """
    if bet.after_commission:
        return bet.paid - bet.taken - due.net
    return bet.net - due.net


def total_of_two(hand: list[Card]) -> int:
    """Return the total of a hand's first two cards.

    With a single card it is the value of this card, and 0 for an empty hand.
    """
    if len(hand) > 1:
        return (VALUE[hand[0]] + VALUE[hand[1]]) % 10
    return VALUE[hand[0]] if hand else 0


def third_cards_due(view: CoupView) -> dict[Hand, bool]:
    """Return whether each hand draws a third card by the table of punto banco."""
    totals = view.player_total, view.banker_total
    return {"player": player_draws(*totals), "banker": banker_draws(*totals, view.player_third)}


def cashier_of(shoe: Shoe) -> Cashier | None:
    """Return what settles bets by the shoe's pack, or None if the pack cannot be read."""
    return cashier_for(shoe.pack_text) if shoe.pack is not None else None
