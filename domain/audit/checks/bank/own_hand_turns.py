"""Rules on turns, calls and stakes at macao and victoria.

`own_hand_cards` has the rules on cards.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bank.bank_moves import wrong_banker
from sabot.domain.audit.checks.bank.own_hand_cards import (
    Act,
    HandKey,
    acts_of,
    card_rejection_not_permitted,
    describe_faces,
    hand_rules_readable,
    name_hand,
    player_of_hand,
    rules_in,
    wrong_rejections,
)
from sabot.domain.audit.checks.calls import CARD_ELSEWHERE, call_put_right
from sabot.domain.audit.completeness import NO_BETS, NO_CARDS
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import event_in_words
from sabot.domain.audit.holder_moves import put_up_for
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.events import BetCarried, BetPlaced, CardDrawn
from sabot.domain.events.bank import BankPosted, CardRejected, ChoiceMade, HandsCalled
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.macao import rules_of
from sabot.domain.procedure.own_hands import (
    OwnHand,
    banker_seat,
    bet_at,
    hands_in_turn,
    seat_of,
    seats_clockwise,
)
from sabot.domain.procedure.patron_bank import open_bets
from sabot.domain.procedure.preconditions import own_hand_requirements
from sabot.domain.rules.macao_hands import score_of
from sabot.domain.rules.sources import (
    CASINO_ITALIANI_ONLINE_MACAO,
    HOUSE_CONVENTION,
    PRAVILA_KART_MACAO_1_TO_11,
    WIKIPEDIA_BACCARAT_MACAO,
)
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.money_text import format_money

# -- Turns -----------------------------------------------------------------------------------------

OWN_HANDS = RuleGroup(family="procedure", concerns="form", games=("macao", "victoria"))


@need("seats", "the record does not say where the banker sat")
def banker_seat_recorded(view: CoupView) -> bool:
    """The record gives the banker's seat before the coup."""
    return banker_seat(view.shoe, view.coup) is not None


@OWN_HANDS.rule(
    "O505",
    "hand-out-of-turn",
    concerns="game",
    sources=(WIKIPEDIA_BACCARAT_MACAO, CASINO_ITALIANI_ONLINE_MACAO),
    needs=(
        needs.record_not_coups_alone,
        hand_rules_readable,
        needs.card_drawn,
        needs.events_in_sequence,
        banker_seat_recorded,
    ),
    follows_from=(code_of(card_rejection_not_permitted),),
    breach_events=(CardDrawn, CardRejected, ChoiceMade),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 1 500, 2 500 | 1: 6; 2: 7; B: 8
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 1 500, 2 500 | 2: 7; 1: 6; B: 8
    """,
)
def hand_out_of_turn(view: CoupView) -> Iterator[Breach]:
    """Hands are dealt and played clockwise from the banker's left; the banker's hand comes last.

    First every hand gets its first cards, in rounds if there are two. After that each hand is
    played to its end, in the same turn. The turn follows the seats of the hands, from the banker's
    seat at the beginning of the coup. Seats are numbered counter-clockwise, so the turn goes from
    higher numbers to lower ones. A seat without a hand is skipped. The rule ignores a card that a
    ruling burned, a card after the close of the coup, and a patron's card or choice without a seat.
    A rejected card belongs to the play of its hand. Only the first act out of turn is reported. If
    this act is out of turn only because of a wrongly rejected card or its replacement, the finding
    shows the rejection.
    """
    acts = list(acts_of(view))
    turn = _turn(view, acts)
    rejected = wrong_rejections(view)
    played = [list(acts_of(view, aside)) for aside in _set_aside(acts, rejected)] or [acts]
    pairs = [_out_of_turn(view, each, turn) for each in played]
    follows = None in pairs
    pair = _out_of_turn(view, acts, turn) if follows else pairs[0]
    if pair is not None:
        told = (event_in_words(view.shoe, each.event.payload) for each in pair)
        said = " came after ".join(told)
        due = f"clockwise from the banker's left: {', '.join(map(name_hand, turn))}"
        shown = [*pair, *(rejected if follows else ())]
        events = {each.event.position: each.event for each in shown}
        yield Breach(said, due, said, tuple(events.values()))


def _out_of_turn(
    view: CoupView, acts: Sequence[Act], turn: Sequence[HandKey]
) -> tuple[Act, Act] | None:
    """Return the first act out of turn, and the one before it that should have come later."""
    dealt = rules_in(view).dealt
    for earlier, later in pairwise(acts):
        if _place(later, turn, dealt) < _place(earlier, turn, dealt):
            return later, earlier
    return None


def _set_aside(acts: Sequence[Act], rejected: Sequence[Act]) -> Iterator[set[int]]:
    """Yield the positions of wrong rejections, and of the cards that may have replaced them.

    A card is replaced at once, or by the next card of its hand.
    """
    thrown = {act.event.position for act in rejected}
    for at_once in (True, False) if rejected else ():
        aside, waiting = set(thrown), set[HandKey]()
        for act in acts:
            if act.event.position in thrown:
                waiting.add(act.key)
            elif act.key in waiting:
                aside |= {act.event.position} if isinstance(act.payload, CardDrawn) else set()
                waiting.discard(act.key)
            elif at_once:
                waiting.clear()
        yield aside


def _turn(view: CoupView, acts: Sequence[Act]) -> list[HandKey]:
    """Return the hands in the order in which they are dealt and played."""
    hands = dict.fromkeys(act.key for act in acts)
    seats = {seat for hand, seat in hands if hand == "patron" and seat is not None}
    turn: list[HandKey] = [
        ("patron", seat) for seat in seats_clockwise(seats, banker_seat(view.shoe, view.coup))
    ]
    return turn + [hand for hand in hands if hand not in turn]


def _place(act: Act, turn: Sequence[HandKey], dealt: int) -> tuple[int, int]:
    """Return the sort key of a card or a choice, in the required order of play.

    The first cards come in rounds, then each hand is played in turn.
    """
    had = len(act.before.cards) + act.before.rejected
    first = isinstance(act.payload, CardDrawn) and had < dealt
    return (had if first else dealt, turn.index(act.key))


@each("choice", "the record does not say who chose", "record-incomplete")
def _named_choices(view: CoupView) -> Sequence[tuple[Act, str]]:
    """Return each choice for which the record names the person, with that person.

    A choice for which the record names nobody is not checked. If no choice of the coup names a
    person, the record is incomplete.
    """
    return [
        (act, act.payload.by)
        for act in acts_of(view)
        if isinstance(act.payload, ChoiceMade) and act.payload.by is not None
    ]


@OWN_HANDS.rule(
    "O506",
    "hand-played-by-wrong-player",
    concerns="game",
    sources=(PRAVILA_KART_MACAO_1_TO_11, CASINO_ITALIANI_ONLINE_MACAO),
    needs=(
        needs.record_not_coups_alone,
        hand_rules_readable,
        needs.card_drawn,
        needs.events_in_sequence,
        needs.choices_recorded,
        needs.choice_made,
    ),
    each=_named_choices,
    breach_events=(ChoiceMade, BankPosted, BetPlaced, BetCarried),
    follows_from=(code_of(wrong_banker), "banker-stake-against-own-bank"),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand", "by": "p2"}
        due
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand", "by": "p1"}
        due
    """,
)
def hand_played_by_wrong_player(view: CoupView, chosen: tuple[Act, str]) -> Iterator[Breach]:
    """Each patron decides for the patron's own hand, and the banker for the banker's hand.

    The player of a hand is the first patron who staked on its seat and did not withdraw. Another
    patron who also staked there may not decide. The banker is the patron who put up the bank.
    Anybody may decide for a hand whose player is not on record.
    """
    act, by = chosen
    player = player_of_hand(view, act.key)
    if not own_hand_requirements.plays_own_hand(player, by):
        hand, seat = act.key
        stake = bet_at(view.coup, seat) if hand == "patron" else None
        whose = [stake.placed] if stake is not None else put_up_for(view.shoe, view.coup)
        yield Breach(
            f"{by} decided for {name_hand(act.key)}, which {player} plays",
            f"{player} plays it",
            by,
            (act.event, *whose),
            patron=by,
        )


# -- Calls and stakes ------------------------------------------------------------------------------


class CalledHand(NamedTuple):
    """A call of the hands with its number in the coup, and one of the hands."""

    call: RecordedEvent[HandsCalled]
    nth: int
    hand: OwnHand


@each("hand of a call", "the hands were not called", about="calls")
def _called_hands(view: CoupView) -> Sequence[CalledHand]:
    """Return the hands of a coup that have cards, for each call of the hands.

    A hand without a card is not checked.
    """
    calls, hands = events_of(HandsCalled, view.coup.calls), hands_in_turn(view.shoe, view.coup)
    return [
        CalledHand(call, nth, hand)
        for nth, call in enumerate(calls)
        for hand in hands
        if hand.cards
    ]


@OWN_HANDS.rule(
    "O507",
    "miscalled-hand",
    sources=(HOUSE_CONVENTION,),
    family="totals",
    concerns="game",
    needs=(
        hand_rules_readable,
        needs.present(_called_hands),
        needs.from_first_card,
        needs.order_of_hands_known,
    ),
    each=_called_hands,
    follows_from=CARD_ELSEWHERE,
    breach_events=(CardDrawn, HandsCalled),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 9}, {"hand": "banker", "total": 8}]}
        due
    """,  # noqa: E501 - the events of a table are as long as they are
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 7}, {"hand": "banker", "total": 8}]}
        due
    """,  # noqa: E501 - the events of a table are as long as they are
)
def miscalled_hand(view: CoupView, called: CalledHand) -> Iterator[Breach]:
    """Each hand is called at the total of its cards.

    A call has to name every hand that has cards. It is compared with the cards that the hands had
    at the end. The rule pack says whether a hand over nine is bust, or its total is taken modulo
    ten. A wrong call of a hand is not a breach if the last call names this hand rightly, and an
    irregularity of the kind `wrong-call` was noted in time. In time means after the wrong call and
    before the next coup began. The breach is a note if the last call names this hand rightly, and a
    ruling in that time put right an irregularity of the kind `wrong-call` or `other`.
    """
    call, nth, hand = called
    due = score_of(rules_in(view), hand.cards).total
    said = _total_called(call, hand)
    if said == due:
        return
    last = _called_hands.of(view)[-1].call
    put_right = call_put_right(view, call, _total_called(last, hand) == due)
    if put_right is None:
        return
    key = ("hand", hand.hand, hand.seat or 0)
    shown, faces = "nothing" if said is None else str(said), describe_faces(hand.cards)
    yield Breach(
        f"{name_hand((hand.hand, hand.seat))} ({faces}) was called {shown}, and has {due}",
        f"{due}: {faces}",
        shown,
        (call, *view.coup.cards),
        money=() if put_right else "payments are judged by the cards and not by the call",
        put_right=put_right,
        key=key if last is call else (*key, nth),
    )


def _total_called(call: RecordedEvent[HandsCalled], hand: OwnHand) -> int | None:
    """Return the total that was called, or None."""
    key = (hand.hand, hand.seat)
    return next((each.total for each in call.payload.totals if (each.hand, each.seat) == key), None)


@need("bets", NO_BETS, "nothing-to-check")
def bets_standing(view: CoupView) -> bool:
    """A bet on a hand was not withdrawn."""
    return bool(open_bets(view.coup))


@need("cards", NO_CARDS)
def hands_on_record(view: CoupView) -> bool:
    """The record holds cards of the coup, or all events of the shoe."""
    return bool(view.coup.cards) or view.shoe.coverage != "coups"


@each("bet", None)
def _standing_bets(view: CoupView) -> Sequence[Bet]:
    """Return the bets that were not withdrawn.

    A withdrawn bet is not checked.
    """
    return open_bets(view.coup)


@OWN_HANDS.rule(
    "O508",
    "stake-without-hand",
    sources=(CASINO_ITALIANI_ONLINE_MACAO,),
    needs=(bets_standing, needs.not_voided, needs.called_closed_or_followed, hands_on_record),
    each=_standing_bets,
    follows_from=(code_of(card_rejection_not_permitted),),
    breach_events=(BetPlaced, BetCarried, CardRejected),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        due
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        due
    """,
)
def stake_without_hand(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """Each patron stakes on the hand at the patron's own seat, and that hand is dealt.

    A bet has to name a seat. A seat belongs to the first patron who staked on it and did not
    withdraw. A stake of another patron on it is a breach. The rule does not check whether the first
    patron sits there. The hand is dealt if it has all its first cards. The patron to whom
    the seat belongs may place several bets on it.
    """
    rules = rules_of(view.shoe.pack)
    dealt = rules.dealt if rules is not None else 1
    seat = seat_of(bet)
    cards = view.coup.others.get(("patron", seat), [])
    first = bet_at(view.coup, seat)
    thrown = [] if rules is None else _rejected_at(view, seat)
    if seat is None or len(cards) < dealt:
        shown = "no seat" if seat is None else f"{describe_faces(tuple(cards))} at seat {seat}"
    elif not own_hand_requirements.is_on_own_hand(bet.patron, seat, first):
        shown = f"seat {seat}, whose hand is {first.patron if first is not None else 'nobody'}'s"
    else:
        return
    yield Breach(
        f"{bet.patron}'s stake of {format_money(view.shoe, bet.amount)} is not on the hand at "
        f"{bet.patron}'s own seat",
        f"a hand of at least {dealt} card{'s' if dealt > 1 else ''} at the patron's own seat",
        shown,
        (bet.placed, *(thrown if len(cards) < dealt <= len(cards) + len(thrown) else [])),
    )


def _rejected_at(view: CoupView, seat: int | None) -> list[RecordedEvent]:
    """Return the wrong rejections by the hand of a seat."""
    return [act.event for act in wrong_rejections(view) if act.key == ("patron", seat)]


RULES = (*OWN_HANDS.rules,)
"""Every rule of this module."""
