"""Compute the result that a coup would have had by the third-card table, and what it moved.

Each hand keeps its first two cards. The following cards are dealt in the order in which they left
the shoe, or would have left it by a committed order that was opened. The result is known if the
record has every card that the table requires.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Final

from sabot.domain.audit.committed_order import opened_after
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import COUP_VOIDED, MoneyEffect
from sabot.domain.audit.wording import OTHER_HAND_CHOOSES, result_unknown
from sabot.domain.events import CardDrawn
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.patron_bank import hands_that_disobeyed, has_natural
from sabot.domain.rules.coup_result import Result, result_of
from sabot.domain.rules.third_card_table import banker_draws, player_draws
from sabot.domain.state.coup_state import Bet
from sabot.domain.values.cards import FIRST_TWO, VALUE, Card, total

_MOST_THIRDS: Final = 3
"""Hands of a coup that may take a third card."""


def result_by_tableau(view: CoupView, stay: Sequence[RecordedEvent] = ()) -> Result | str:
    """Return the result by the third-card table, or the reason why it is unknown."""
    if not view.dealt:
        return "a hand has fewer than two cards"
    pack = view.shoe.pack
    if pack is not None and (pack.drawing is not None or pack.macao is not None):
        if pack.drawing is not None and not stay and has_natural(view.coup):
            return result_of(view.coup.player[:FIRST_TWO], view.coup.banker[:FIRST_TWO])
        if stay or hands_that_disobeyed(view.shoe, view.coup):
            return OTHER_HAND_CHOOSES
        return view.result
    hands = hands_by_tableau(view, stay)
    return hands if isinstance(hands, str) else result_of(*hands)


def hands_by_tableau(
    view: CoupView, stay: Sequence[RecordedEvent] = ()
) -> tuple[list[Card], list[Card]] | str:
    """Return the Player and Banker hands by the third-card table, or why they are unknown."""
    player, banker, coming = _as_they_left(view, stay)
    player, banker = player.copy(), banker.copy()
    player_total, banker_total = total(player), total(banker)
    third: Card | None = None
    if player_draws(player_total, banker_total):
        third = next(coming, None)
        if third is None:
            return "the next card is not on record"
        player.append(third)
    value = VALUE[third] if third is not None else None
    if banker_draws(player_total, banker_total, value):
        card = next(coming, None)
        if card is None:
            return "the next card is not on record"
        banker.append(card)
    return player, banker


def cards_as_they_left(view: CoupView, stay: Sequence[RecordedEvent] = ()) -> list[Card]:
    """Return the cards that left the shoe after each hand's first two, for at most three thirds.

    Args:
        view: the coup.
        stay: cards that were wrongly removed from their hands, or drawn to a hand of another game.
    """
    return list(islice(_as_they_left(view, stay)[2], _MOST_THIRDS))


def _as_they_left(
    view: CoupView, stay: Sequence[RecordedEvent]
) -> tuple[list[Card], list[Card], Iterator[Card]]:
    """Return each hand's first two cards, and the cards that left the shoe after them.

    `stay` are the cards that were wrongly removed from their hands. They count as dealt. If one of
    the first four cards is among them, those four go to Player and Banker alternately. The
    following cards end at a gap in the record.
    """
    dealt = [event for event in view.coup.cards if event not in stay]
    events = sorted((*dealt, *stay), key=lambda event: event.position)
    drawn = [event.payload for event in events_of(CardDrawn, events)]
    if any(event in stay for event in events[:4]):
        first = [payload.card for payload in drawn[:4]]
        behind = [payload.card for payload in drawn[4:]]
        return first[::2], first[1::2], _following_cards(view, behind, events[-1].position)
    hands: Counter[str] = Counter()
    behind = []
    for event, payload in zip(events, drawn, strict=True):
        hands[payload.hand] += 1
        if hands[payload.hand] > FIRST_TWO or event in stay:
            behind.append(payload.card)
    coming = _following_cards(view, behind, events[-1].position)
    return view.coup.player[:2], view.coup.banker[:2], coming


def _following_cards(view: CoupView, behind: list[Card], last: int) -> Iterator[Card]:
    """Yield the cards that left the shoe after the coup's first four, or would have left it."""
    yield from behind
    if view.shoe.coverage == "coups":
        return
    if opened := opened_after(view.shoe, last):
        yield from opened
        return
    for event in view.shoe.left:
        if event.position > last:
            if event.payload.card is None:
                return
            yield event.payload.card


# -- The money of wrong cards ----------------------------------------------------------------------


def gains_of_wrong_cards(
    view: CoupView,
    stakes: dict[int, int],
    left: Collection[int],
    stay: Sequence[RecordedEvent] = (),
) -> MoneyEffect:
    """Return the amount that each patron won too much because of wrong cards.

    It is the amount due on the cards dealt less the amount due by the third-card table. Wrong
    payments have findings of their own. Bets that a ruling refunds are left out.

    Args:
        view: the coup.
        stakes: the stake allowed on a bet, where it is not the stake on the layout.
        left: the positions of the events that placed the bets reported as never settled.
        stay: the cards that were drawn and wrongly removed from their hands.

    Returns:
        patrons with amounts in minor units, or the reason why the amounts are not known.
    """
    standing = view.coup.bets.keys() - view.coup.refunded_bets
    every = [bet for number, bet in view.coup.bets.items() if number in standing]
    bets = [bet for bet in every if not bet.withdrawn or bet.number in stakes]
    settled = [bet for bet in every if not bet.withdrawn and bet.placed.position not in left]
    reason = _why_payments_unknown(view, settled)
    if reason is not None:
        return reason
    result = result_by_tableau(view, stay) if bets else view.result
    if isinstance(result, str):
        return result
    return _difference_by_cards(
        view, result, [(bet, stakes.get(bet.number, bet.amount)) for bet in bets]
    )


def _difference_by_cards(
    view: CoupView, result: Result, bets: list[tuple[Bet, int]]
) -> MoneyEffect:
    """Return how much more the same stakes win on one result."""
    gains: dict[str, int] = {}
    for bet, stake in bets:
        if not stake or view.cashier is None or result == view.result:
            continue
        dealt = view.cashier.due(bet.wager, view.result, stake)
        due = view.cashier.due(bet.wager, result, stake)
        if dealt is None or due is None:
            return result_unknown(bet.wager)
        gains[bet.patron] = gains.get(bet.patron, 0) + dealt.net - due.net
    return tuple(sorted((patron, gain) for patron, gain in gains.items() if gain))


def _why_payments_unknown(view: CoupView, bets: list[Bet]) -> MoneyEffect | None:
    """Return why payments cannot be computed, or None."""
    if view.coup.voided is not None:
        return COUP_VOIDED
    if not bets and view.shoe.coverage == "coups":
        return "the record may lack bets"
    if not all(bet.moves for bet in bets):
        return "not every bet of the coup has been settled"
    if view.cashier is None:
        return "the rule pack cannot be read"
    if view.shoe.pack is not None and view.shoe.pack.tableaux is not None:
        return OTHER_HAND_CHOOSES
    return None
