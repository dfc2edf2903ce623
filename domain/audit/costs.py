"""Two slips of one payment that cancel: gross and commission are both wrong, the net is right.

What was due, and what is owed to the house, is then wrong on record, though no chip is lacking.
Who pays what is won less its commission, and says nothing of commission, has made no slip; nor
has who gives back, behind it, what he kept too much.

What a breach cost whom: payments as they were made against payments as they were due.

For a wrong draw or call the payments due are those of the coup that should have been: each hand
with its first two cards, and then the cards as they left the shoe, dealt by the tableau. They
are known as long as the record knows the card that would have come.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from sabot.domain.audit.completeness import COUPS_ALONE, game_of_record, holds_coups_alone
from sabot.domain.audit.justification import drawn_rightly
from sabot.domain.audit.rule import CoupView, MoneyEffect
from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.events import (
    BetPaid,
    BetTaken,
    CardDrawn,
    CommissionCollected,
    CommissionMarked,
)
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.patron_bank import hands_that_disobeyed
from sabot.domain.rules.coup_result import Result, result_of
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.third_card_table import banker_draws, player_draws
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.values.cards import VALUE, Card, total
from sabot.domain.values.money import share_of


def errors_cancel_out(view: CoupView, bet: Bet, due: Due) -> bool:
    """Tell whether a bet has its net by a wrong payment and a wrong commission."""
    if not bet.commission or bet.after_commission or bet.net != due.net:
        return False
    return bet.paid - bet.taken != due.paid - due.taken and not _put_right(view, bet)


def _put_right(view: CoupView, bet: Bet) -> bool:
    """Tell whether chips moved once more behind the commission, or perhaps did."""
    moves = events_of((BetPaid, BetTaken), bet.moves)
    if len(moves) < 2:  # noqa: PLR2004 - a payment, and what puts it right
        return False
    if view.shoe.order is not None:
        return True
    charged = max((event.position for event in _charges(view, bet)), default=0)
    return moves[-1].position > charged


def _charges(view: CoupView, bet: Bet) -> list[RecordedEvent]:
    return [
        event
        for event in events_of((CommissionCollected, CommissionMarked), view.coup.events)
        if event.payload.bet == bet.number
    ]


def excess_moved(bet: Bet, due: Due) -> int:
    """Return what a patron has too much of a bet (negative: too little), in minor units."""
    if bet.after_commission:
        return bet.paid - bet.taken - due.net
    return bet.net - due.net


def charged_in_all(view: CoupView, patron: str) -> bool:
    """Tell whether the commission charged to a patron for a coup is, in all, what his bets owe.

    It may be collected once for several bets: on each one's winnings, or on all of them together.
    While the coup is open the rest may still be charged.
    """
    charged = view.coup.collected.get(patron, 0)
    dues: list[Due] = []
    ruled = view.coup.refunded_bets if view.coup.voided is None else view.coup.bets.keys()
    for bet in view.coup.bets.values():
        if bet.patron != patron or bet.withdrawn or bet.number in ruled:
            continue
        due = view.due(bet, bet.amount)
        if due is None or bet.after_commission:
            return False
        charged += bet.commission
        if due.commission and (bet.commission or bet.paid - bet.taken != due.net):
            dues.append(due)
    owed = sum(due.commission for due in dues)
    if charged == owed or (view.open and charged < owed) or view.cashier is None:
        return charged <= owed
    rule = view.cashier.pack.commission
    won = sum(due.paid for due in dues)
    return charged == share_of(won, *rule.ratio, rule.rounding, rule.unit)


def gains_of_bet(view: CoupView, bet: Bet, due: Due) -> int:
    """Return what a patron has too much of a bet; commission may lie on another of his bets."""
    gross_right = bet.paid - bet.taken == due.paid
    if gross_right and bet.commission != due.commission and charged_in_all(view, bet.patron):
        return 0
    return excess_moved(bet, due)


def gains_of_cards(
    view: CoupView,
    stakes: dict[int, int],
    left: Collection[int],
    stay: Sequence[RecordedEvent] = (),
) -> MoneyEffect:
    """Return what each patron has too much by the cards that were dealt against the tableau.

    What was paid for the cards as they were dealt is judged by itself. What goes back on a ruling
    wins by no cards.

    Args:
        view: the coup.
        stakes: what should have lain on a bet, where that is not what lay there.
        left: the versions of the events that placed bets which are told to have never been settled.
        stay: the cards that were drawn, and taken off their hands though they should have stayed.

    Returns:
        patrons with amounts in minor units, or the reason why it cannot be said.
    """
    back = view.coup.refunded_bets
    bets = [
        bet
        for bet in view.coup.bets.values()
        if (not bet.withdrawn or bet.number in stakes) and bet.number not in back
    ]
    reason = _why_payments_unknown(
        view, [bet for bet in bets if not bet.withdrawn and bet.placed.position not in left]
    )
    if reason or view.cashier is None:
        return reason or "the rule pack cannot be read"
    if view.shoe.pack is not None and view.shoe.pack.tableaux is not None:
        return "others choose by what they see: nobody knows what would have come"
    result = result_by_tableau(view, stay) if bets else view.result
    if isinstance(result, str):
        return result
    return _difference_by_cards(
        view, result, [(bet, stakes.get(bet.number, bet.amount)) for bet in bets]
    )


def _difference_by_cards(
    view: CoupView, result: Result, bets: list[tuple[Bet, int]]
) -> MoneyEffect:
    """Return what stakes won by the cards that were dealt beyond what they win by a result."""
    gains: dict[str, int] = {}
    for bet, stake in bets:
        if not stake or view.cashier is None or result == view.result:
            continue
        dealt = view.cashier.due(bet.wager, view.result, stake)
        due = view.cashier.due(bet.wager, result, stake)
        if dealt is None or due is None:
            return f"the record's cards, or the pack, do not settle {bet.wager}"
        gains[bet.patron] = gains.get(bet.patron, 0) + dealt.net - due.net
    return tuple(sorted((patron, gain) for patron, gain in gains.items() if gain))


def _why_payments_unknown(view: CoupView, bets: list[Bet]) -> str | None:
    """Return why nothing can be said of the payments, before one looks at the cards."""
    if view.coup.voided is not None:
        return "the coup was voided"
    if not bets and view.shoe.coverage == "coups":
        return "the record may lack bets"
    if not all(bet.moves for bet in bets):
        return "not every bet of the coup has been settled"
    return None


def result_by_tableau(view: CoupView, stay: Sequence[RecordedEvent] = ()) -> Result | str:
    """Return what the coup would have come to by the tableau, or why nobody can know."""
    if not view.dealt:
        return "a hand has fewer than two cards"
    pack = view.shoe.pack
    if pack is not None and (pack.drawing is not None or pack.macao is not None):
        if stay or hands_that_disobeyed(view.shoe, view.coup):
            return "the other hand chooses by what it sees: nobody knows what would have come"
        return view.result
    player, banker, coming = _as_they_left(view, stay)
    player_total, banker_total = total(player), total(banker)
    third: Card | None = None
    if player_draws(player_total, banker_total):
        third = next(coming, None)
        if third is None:
            return "the card that would have come is not known"
        player.append(third)
    value = VALUE[third] if third is not None else None
    if banker_draws(player_total, banker_total, value):
        card = next(coming, None)
        if card is None:
            return "the card that would have come is not known"
        banker.append(card)
    return result_of(player, banker)


def _as_they_left(
    view: CoupView, stay: Sequence[RecordedEvent]
) -> tuple[list[Card], list[Card], Iterator[Card]]:
    """Return the first two cards of each hand, and those behind them, which end at a gap.

    Where one of the first four was taken off its hand, the hands had the four in turn.
    """
    events = sorted((*view.coup.cards, *stay), key=lambda event: event.position)
    drawn = [event.payload for event in events_of(CardDrawn, events)]
    if any(event in stay for event in events[:4]):
        first = [payload.card for payload in drawn[:4]]
        behind = [payload.card for payload in drawn[4:]]
        return first[::2], first[1::2], _following_cards(view, behind, events[-1].position)
    hands: Counter[str] = Counter()
    behind = []
    for payload in drawn:
        hands[payload.hand] += 1
        if hands[payload.hand] > 2:  # noqa: PLR2004 - two cards each come first
            behind.append(payload.card)
    coming = _following_cards(view, behind, events[-1].position)
    return view.coup.player[:2], view.coup.banker[:2], coming


def _following_cards(view: CoupView, behind: list[Card], last: int) -> Iterator[Card]:
    """Yield the coup's cards behind its first four, and then those that left after its last."""
    yield from behind
    if view.shoe.coverage == "coups":
        return
    for event in view.shoe.left:
        if event.position > last:
            if event.payload.card is None:
                return
            yield event.payload.card


# -- Coups that are void ---------------------------------------------------------------------------


def gains_of_void(view: CoupView) -> MoneyEffect:
    """Return what each patron has too much since a coup was void and bets neither won nor lost.

    Returns:
        patrons with amounts in minor units, or the reason why it cannot be said.
    """
    result = _would_be(view)
    if isinstance(result, str):
        return result
    gains: Counter[str] = Counter()
    for bet in view.coup.bets.values():
        stake = _stake_at_close(view.coup, bet)
        due = view.cashier.due(bet.wager, result, stake) if view.cashier and stake else None
        if stake and due is None:
            return f"the record's cards, or the pack, do not settle {bet.wager}"
        gains[bet.patron] -= due.net if due is not None else 0
    return tuple(sorted((patron, gain) for patron, gain in gains.items() if gain))


def _would_be(view: CoupView) -> Result | str:
    """Return what the coup would have come to, had it been dealt to its end; else why not."""
    shoe, coup = view.shoe, view.coup
    if holds_coups_alone(shoe):
        return COUPS_ALONE
    if game_of_record(shoe) != "punto-banco":
        return "nobody knows how the coup would have gone on"
    if view.dealt and (coup.removed_cards or coup.reassigned or not drawn_rightly(shoe, coup)):
        return "something did go wrong, and nobody knows how it would have been ruled on"
    return result_by_tableau(view)


def _stake_at_close(coup: Coup, bet: Bet) -> int:
    """Return what lay on a wager when the bets were closed, in minor units."""
    closed = coup.bets_closed
    made = [
        event
        for event in (bet.placed, *bet.changes)
        if closed is not None and event.position < closed
    ]
    return stake_after(made[-1]) if made else 0
