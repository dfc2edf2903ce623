"""Rules on the order of settlement: the result, then losing bets, then winning bets in turn.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from operator import attrgetter
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.card_history import Settlement, paid_before_cards
from sabot.domain.audit.ceased_bets import end_of_bet
from sabot.domain.audit.coup_profile import CoupProfile, ShoeProfile, by_the_book
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import event_in_words, name_bet
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.events import (
    BetPaid,
    BetPushed,
    BetTaken,
    CardsCleared,
    CoupClosed,
    ResultCalled,
)
from sabot.domain.events.bank import HandsCalled
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of
from sabot.domain.procedure.preconditions import settlement_requirements
from sabot.domain.procedure.seating import from_the_dealer, seat_of
from sabot.domain.procedure.two_tableaux.tableaux import alone_natural
from sabot.domain.rules.sources import ARRETE_2007_ART_55_14
from sabot.domain.state.coup_state import Bet
from sabot.domain.timeline.evidence import after, before, in_sequence, settle, surely
from sabot.domain.timeline.sequence import (
    CARDS_STAY,
    LOSERS_FIRST,
    RESULT_FIRST,
    SETTLED_BEFORE_CLOSE,
)

_POSITION: Final = attrgetter("position")


# -- Bets and the events that settled them ---------------------------------------------------------


def _given_back(view: CoupView, bet: Bet) -> bool:
    """Return whether a bet was returned on a ruling."""
    ruled = bool(view.coup.irregularities) and bet.number in view.coup.refunded_bets
    return ruled and not (bet.paid or bet.taken)


def _settled_by_result(view: CoupView) -> list[Bet]:
    """Return the bets that are settled by the result.

    Bets returned on a ruling need no result. At two tableaux, a natural of one tableau alone is
    paid before play continues on the other.
    """
    at_once = alone_natural(view.coup)
    bets = view.coup.bets.values()
    return [bet for bet in bets if bet.wager != at_once and not _given_back(view, bet)]


@each("event that settled a bet", "no bet of the coup was settled", about="bets")
def _settling_events(view: CoupView) -> Sequence[Settlement]:
    """Return the events that settled bets: takes, payments and pushes.

    A bet that a ruling returned is not checked if nothing was paid or taken of it. Once all hands
    have two cards, the stake on a natural of one tableau alone is not checked, because it is paid
    at once. If a stake was withdrawn, or returned as excess, only earlier events are checked.
    """
    events: list[Settlement] = paid_before_cards(view, alone_natural(view.coup))
    for bet in _settled_by_result(view):
        end = end_of_bet(view.coup, bet)
        events += [move for move in bet.moves if end is None or move.position < end.event.position]
    return events


def _takes_and_payments(view: CoupView) -> tuple[list[RecordedEvent], list[RecordedEvent]]:
    """Return the takes of losing bets and the payments of winning bets.

    A payment that was taken back is not a take, and a payment to a loser by mistake is not a
    payment of a winner. If the cards do not give the winner, the patron's final gain decides.
    """
    due = {bet.number: due.kind for bet, due in view.settlements_due if due is not None}
    taken: list[RecordedEvent] = []
    paid: list[RecordedEvent] = []
    for bet in _settled_by_result(view):
        if end_of_bet(view.coup, bet) is not None:
            continue
        gain = bet.paid - bet.taken
        kind = due.get(bet.number) or ("pay" if gain > 0 else "take" if gain < 0 else "push")
        if kind == "take":
            taken += events_of(BetTaken, bet.moves)
        elif kind == "pay":
            paid += events_of(BetPaid, bet.moves)
    return taken, paid


# -- Result, losing bets, winning bets, close ------------------------------------------------------


@need("play", "a ruling returned its bets", "nothing-to-check")
def bets_stand(view: CoupView) -> bool:
    """A ruling did not return all bets."""
    return not (view.coup.fully_refunded and view.coup.refunded_bets)


@need("bets", "no losing bet was taken, or no winning bet was paid", "nothing-to-check")
def took_and_paid(view: CoupView) -> bool:
    """A losing bet was taken, and a winning bet was paid."""
    return all(_takes_and_payments(view))


@need("calls", "the result was not called", "nothing-to-check")
def result_on_record(view: CoupView) -> bool:
    """The result was called."""
    return bool(_calls_of_result(view))


SETTLEMENT = RuleGroup(family="procedure", concerns="form")
_SETTLEMENT_NEEDS = (needs.record_not_coups_alone, needs.has_bets, bets_stand, needs.not_voided)
"""The needs of every rule of the group."""


def _calls_of_result(view: CoupView) -> list[RecordedEvent[ResultCalled | HandsCalled]]:
    return events_of((ResultCalled, HandsCalled), view.coup.calls)


@SETTLEMENT.ordered(
    "E203",
    "settlement-before-result",
    RESULT_FIRST,
    concerns="game",
    sources=(ARRETE_2007_ART_55_14,),
    needs=(*_SETTLEMENT_NEEDS, result_on_record),
    each=_settling_events,
    follows_from=("result-not-called",),
    one_cause=True,
    breach_events=(BetPaid, BetTaken, BetPushed, ResultCalled, HandsCalled),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        bet-taken {"coup": 1, "bet": 1, "amount": 500}
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        bet-taken {"coup": 1, "bet": 1, "amount": 500}
        due
    """,
)
def settlement_before_result(view: CoupView, move: Settlement) -> Compared:
    """No bet is settled before the result is called.

    The first call of the result counts, right or wrong. With more than two hands it is the call of
    the hands. C105 reports a coup whose result was never called.
    """
    called = _calls_of_result(view)[:1]
    return Compared(
        called,
        [move],
        lambda _: f"{event_in_words(view.shoe, move.payload)} came before the call of the result",
    )


@each("settled bet", "no bet of the coup was settled", about="bets")
def _first_moves(view: CoupView) -> Sequence[tuple[Bet, RecordedEvent]]:
    """Return each settled bet with its first settlement event: a take, a payment or a push.

    The rule does not check withdrawn bets, or returned bets of which nothing was paid or taken. It
    does not check a bet placed after the close: B201 reports it.
    """
    closed = view.coup.closed
    return [
        (bet, bet.moves[0])
        for bet in view.coup.bets.values()
        if bet.moves and not bet.withdrawn and not _given_back(view, bet)
        if closed is None or not surely(partial(after, view, bet.placed, closed))
    ]


@SETTLEMENT.ordered(
    "E204",
    "settlement-after-coup-close",
    SETTLED_BEFORE_CLOSE,
    concerns="record",
    sources=(ARRETE_2007_ART_55_14,),
    needs=(*_SETTLEMENT_NEEDS, needs.coup_closed),
    each=_first_moves,
    one_cause=True,
    breach_events=(BetPaid, BetTaken, BetPushed, CoupClosed),
    clean_when=by_the_book,
    breaks="""
        coup p1 player 500 | P 4 4  B K 9 | B 8-9 | -
        bet-taken {"coup": 1, "bet": 1, "amount": 500}
    """,
    keeps="coup p1 player 500 | P 4 4  B K 9 | B 8-9 | 1 take 500",
)
def settlement_after_coup_close(view: CoupView, settled: tuple[Bet, RecordedEvent]) -> Compared:
    """The settlement of each bet begins before the coup is closed.

    Later payments and takes are permitted. E201 reports a bet that was never settled.
    """
    bet, move = settled
    closed = view.coup.closed
    stake = name_bet(view.shoe, bet)
    return Compared(
        [move],
        [closed] if closed else [],
        lambda _: f"{stake} was settled after the coup was closed",
        patron=bet.patron,
    )


@SETTLEMENT.ordered(
    "E205",
    "winners-paid-before-losers-taken",
    LOSERS_FIRST,
    sources=(ARRETE_2007_ART_55_14,),
    needs=(*_SETTLEMENT_NEEDS, took_and_paid),
    follows_from=("settlement-after-coup-close", code_of(settlement_before_result)),
    breach_events=(BetPaid, BetTaken),
    clean_when=by_the_book,
    breaks="coup p1 player 500, p2 tie 100 | P 4 5  B K 8 | P 9-8 | 1 pay 500, 2 take 100",
    keeps="coup p1 player 500, p2 tie 100 | P 4 5  B K 8 | P 9-8 | 2 take 100, 1 pay 500",
)
def winners_paid_before_losers_taken(view: CoupView) -> Compared:
    """All losing bets of a coup are taken before any winning bet is paid.

    The dealt cards decide who loses and who wins. If they do not decide, the patron's gain does.
    The rule does not look at pushes, at bets withdrawn or returned as excess before their
    settlement, or at a natural of one tableau alone, which is paid at once. Payments to losers and
    takes from winners are not compared. The finding shows one take and one payment.
    """
    taken, paid = _takes_and_payments(view)
    takes = sorted(taken, key=_POSITION, reverse=True)
    moves = payment, take = _paid_before(view, sorted(paid, key=_POSITION), takes)
    return Compared(
        [take],
        [payment],
        lambda _: " came before ".join(event_in_words(view.shoe, each.payload) for each in moves),
        observed="a payment before a take",
        events=moves,
    )


def _paid_before(
    view: CoupView, paid: Sequence[RecordedEvent], taken: Sequence[RecordedEvent]
) -> tuple[RecordedEvent, RecordedEvent]:
    """Return a payment of a winner and a take of a loser for the order check.

    It prefers a payment that certainly came before a take. Without one it returns the first payment
    and the first take.

    Raises:
        Unknown: no payment certainly came before a take, and the order of one of them is unknown.
    """
    if view.order is not None:
        for payment, take in product(paid, taken):
            if surely(partial(before, view, payment, take)):
                return payment, take
        settle(view, paid, taken)
    return paid[0], taken[0]


# -- Who is paid first, and where the cards are meanwhile ------------------------------------------

AT_THE_TABLE = RuleGroup(family="procedure", concerns="form")
_AT_THE_TABLE_NEEDS = (
    needs.pack_readable,
    needs.record_not_coups_alone,
    needs.not_voided,
)
"""The needs of every rule of the group."""


def _seated_winners(view: CoupView) -> list[tuple[RecordedEvent, int, Bet]]:
    """Return the first payment of each seated winner, with the seat and the bet.

    A payment to a loser by mistake does not count.
    """
    due = {bet.number: due.kind for bet, due in view.settlements_due if due is not None}
    winners = [
        bet
        for bet in view.coup.bets.values()
        if due.get(bet.number, "pay") == "pay" and end_of_bet(view.coup, bet) is None
    ]
    return [
        (paid, seat, bet)
        for bet in winners
        if (paid := first_of(BetPaid, bet.moves)) is not None
        and (seat := seat_of(view.shoe, bet)) is not None
    ]


@need("seats", "fewer than two seated winners were paid", "nothing-to-check")
def two_winners_paid(view: CoupView) -> bool:
    """Two or more bets that won, or may have won, were paid, and their seats are known."""
    return len(_seated_winners(view)) > 1


def _in_turn(coup: CoupProfile, _: ShoeProfile) -> bool:
    """Return True for a coup without errors whose winners were paid in turn.

    The turn goes outwards from the dealer. It is also True with at most one winner, or if the rule
    pack sets no order.
    """
    return coup.winners != "closely"


@AT_THE_TABLE.rule(
    "E206",
    "payment-out-of-turn",
    sources=(ARRETE_2007_ART_55_14,),
    needs=(
        *_AT_THE_TABLE_NEEDS,
        needs.pack_says(
            "which winner is paid first", lambda pack: pack.settling.winners is not None
        ),
        needs.has_bets,
        two_winners_paid,
    ),
    breach_events=(BetPaid,),
    clean_when=_in_turn,
    breaks="""
        with settling.winners = "nearest-first"
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 5, "patron": "p5"}
        coup p2 player 500, p5 player 500 | P 4 5  B K 8 | P 9-8 | 2 pay 500, 1 pay 500
    """,
    keeps="""
        with settling.winners = "nearest-first"
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 5, "patron": "p5"}
        coup p2 player 500, p5 player 500 | P 4 5  B K 8 | P 9-8 | 1 pay 500, 2 pay 500
    """,
)
def payment_out_of_turn(view: CoupView) -> Iterator[Breach]:
    """Winners are paid from the dealer outwards, the nearest seat first.

    The distance is measured to the seat of the bet, or else to the seat that its patron had when it
    was placed. If the rule pack has a second payer (`payer-2`), each side of the table has its own
    turn. Equal distances may be paid in any order. The rule compares the first payment of each bet.
    It ignores winners without a seat on record, payments to losers by mistake, and bets withdrawn
    or returned as excess before their settlement. Only the first payment out of turn is reported.
    """
    paid = _seated_winners(view)
    in_sequence(view, [move for move, _, _ in paid])
    farthest: dict[int, tuple[int, RecordedEvent, Bet]] = {}
    for move, seat, bet in sorted(paid, key=lambda each: each[0].position):
        side, away = from_the_dealer(view.shoe, seat)
        earlier = farthest.get(side)
        if earlier is not None and away < earlier[0]:
            _, event, other = earlier
            yield Breach(
                f"{name_bet(view.shoe, other)} was paid before {name_bet(view.shoe, bet)}; "
                f"{bet.patron} is nearer to the dealer",
                f"{bet.patron} at seat {seat} is paid first",
                f"{other.patron}'s payment came first",
                (event, move),
                patron=bet.patron,
                key=("bet", bet.number),
            )
            return
        farthest[side] = (away, move, bet)


def _cleared(view: CoupView) -> RecordedEvent | None:
    """Return the event that cleared the cards of a coup, or else the close of the coup."""
    return view.coup.cleared or view.coup.closed


@need("play", "the cards have not been cleared", "not-due")
def cards_cleared(view: CoupView) -> bool:
    """The cards of the coup were cleared, or the coup was closed."""
    return _cleared(view) is not None


def _chips_moved(view: CoupView) -> list[RecordedEvent[BetPaid | BetTaken]]:
    """Return the takes and payments of bets that were not withdrawn or returned."""
    return [
        move
        for bet in view.coup.bets.values()
        if end_of_bet(view.coup, bet) is None
        for move in events_of((BetPaid, BetTaken), bet.moves)
    ]


@need("bets", "no bet of the coup was taken or paid", "nothing-to-check")
def any_taken_or_paid(view: CoupView) -> bool:
    """A bet of the coup was taken or paid."""
    return bool(_chips_moved(view))


@AT_THE_TABLE.rule(
    "E207",
    "cards-cleared-before-settlement",
    order=(CARDS_STAY,),
    concerns="game",
    sources=(ARRETE_2007_ART_55_14,),
    needs=(
        *_AT_THE_TABLE_NEEDS,
        needs.pack_says(
            "that the cards stay until all is settled", lambda pack: pack.settling.cards_stay
        ),
        cards_cleared,
        any_taken_or_paid,
    ),
    follows_from=("settlement-after-coup-close",),
    breach_events=(BetPaid, BetTaken, CardsCleared, CoupClosed),
    clean_when=by_the_book,
    breaks="""
        with settling.cards_stay = true
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        cards-cleared {"coup": 1}
        due
    """,
    keeps="""
        with settling.cards_stay = true
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        cards-cleared {"coup": 1}
        due
    """,
)
def cards_cleared_before_settlement(view: CoupView) -> Iterator[Breach]:
    """The cards stay on the layout until the last take and payment of the coup.

    If the record does not show when the cards were cleared, the close of the coup is taken instead.
    A payment that corrects another counts too. Pushes, and bets withdrawn or returned as excess
    before settlement, are ignored. Only the first clearing counts.
    """
    gone, moves = _cleared(view), _chips_moved(view)
    assert gone is not None
    settle(view, moves, [gone])
    late = [move for move in moves if after(view, move, gone)]
    if late:
        yield Breach(
            f"{event_in_words(view.shoe, late[0].payload)} came after the cards were cleared",
            "the cards stay on the layout until the last bet is settled",
            f"{len(late)} of {len(moves)} settled after it",
            (gone, *late),
            key=("cleared",),
        )


DISCARDS = RuleGroup(family="procedure", concerns="form")


@each("discard", "the record does not say whether the discards were covered", "record-incomplete")
def _discards(view: CoupView) -> Sequence[RecordedEvent[CardsCleared]]:
    """Return the event that cleared the cards, if it states whether the discards were covered."""
    cleared = view.coup.cleared
    return [] if cleared is None or cleared.payload.covered is None else [cleared]


@DISCARDS.rule(
    "E208",
    "uncovered-discards",
    sources=(ARRETE_2007_ART_55_14,),
    needs=(needs.pack_says("that discards are covered", lambda pack: pack.settling.covered),),
    each=_discards,
    breach_events=(CardsCleared,),
    clean_when=by_the_book,
    breaks="""
        with settling.covered = true
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        cards-cleared {"coup": 1, "covered": false}
        due
    """,
    keeps="""
        with settling.covered = true
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        cards-cleared {"coup": 1, "covered": true}
        due
    """,
)
def uncovered_discards(view: CoupView, cleared: RecordedEvent[CardsCleared]) -> Iterator[Breach]:
    """The cards of a coup are covered when they go to the discards.

    Only the first clearing of the coup is checked. A clearing that does not state whether the cards
    were covered is not judged.
    """
    assert view.shoe.pack is not None
    if not settlement_requirements.are_covered(view.shoe.pack, cleared.payload):
        yield Breach(
            "the cards went to the discards uncovered",
            "discards are covered",
            "uncovered",
            (cleared,),
            key=("cleared",),
        )


RULES = (*SETTLEMENT.rules, *AT_THE_TABLE.rules, *DISCARDS.rules)
"""Every rule of this module."""
