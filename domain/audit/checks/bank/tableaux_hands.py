"""Rules on the hands at baccarat banque.

They cover the order of play, the call of the totals, and naturals that are paid at once. The banker
plays against two hands, the right and the left tableau. Where a player may draw or stand, either
choice is permitted, whatever its expected cost. `choices` has the rules on draws and stands that
are not optional.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec import Struct

from sabot.domain.audit import needs
from sabot.domain.audit.checks.calls import CARD_ELSEWHERE, call_put_right
from sabot.domain.audit.completeness import bank_unknown
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import event_in_words, name_bet
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import BetCarried, BetPaid, BetPlaced, BetPushed, CardDrawn, Hand
from sabot.domain.events.bank import ChoiceMade, HandsCalled
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.patron_bank import bank_events_of, drawing_of
from sabot.domain.procedure.two_tableaux.tableaux import (
    alone_natural,
    banker_choices,
    cards_on,
    in_play,
    rule_of,
    tableau_position,
)
from sabot.domain.procedure.two_tableaux.tableaux_settlement import due_at_once
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_62,
    ETHIER_LEE_2015_BACCARA_BANQUE_1,
    HOUSE_CONVENTION,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_IT_BACCARA,
)
from sabot.domain.rules.tableau_hands import TABLEAUX, Tableau
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.timeline.evidence import answered
from sabot.domain.timeline.sequence import NATURAL_PAID_FIRST
from sabot.domain.values.cards import FIRST_TWO, Card, format_cards, total

BANQUE: Final[GameName] = "baccarat-banque"
HANDS: Final[tuple[Hand, ...]] = (*TABLEAUX, "banker")
"""The three hands of a coup, in the order in which they are dealt and played."""


# -- The three hands of a coup ---------------------------------------------------------------------


class Act(Struct, frozen=True):
    """A card drawn or a choice made, with the number of cards that the hand had before."""

    event: RecordedEvent
    payload: CardDrawn | ChoiceMade
    cards: int

    @property
    def place(self) -> tuple[int, int]:
        """The sort key of the act in the required order: first cards in rounds, then by hand."""
        first = isinstance(self.payload, CardDrawn) and self.cards < FIRST_TWO
        return (self.cards if first else FIRST_TWO, HANDS.index(self.payload.hand))


def is_banque(view: CoupView) -> bool:
    """Return whether a coup is one of baccarat banque."""
    return view.shoe.pack is not None and view.shoe.pack.game == BANQUE


def acts_of(coup: Coup) -> Iterator[Act]:
    """Yield the cards and choices of a coup's three hands, in order.

    A card that came after the close is left out, and one that a ruling burned: the hand may get
    another in its place.
    """
    have: dict[Hand, int] = dict.fromkeys(HANDS, 0)
    burned = [drawn for drawn, _ in coup.removed_cards]
    for event in coup.in_time:
        payload = event.payload
        if event in burned:
            continue
        if isinstance(payload, CardDrawn | ChoiceMade) and payload.hand in have:
            yield Act(event, payload, have[payload.hand])
            have[payload.hand] += isinstance(payload, CardDrawn)


def cards_of(coup: Coup, hand: Hand) -> list[Card]:
    """Return the cards of a hand."""
    return coup.banker if hand == "banker" else cards_on(coup, hand)  # type: ignore[arg-type]


def third_card_options(view: CoupView, hand: Hand) -> tuple[Choice, ...]:
    """Return the choices about a third card that the rules permit a hand."""
    coup = view.coup
    if hand == "banker":
        return banker_choices(view.shoe, coup) if in_play(coup) else ("stand",)
    tableau: Tableau = "right" if hand == "right" else "left"
    rules = drawing_of(view.shoe)
    if tableau not in in_play(coup):
        return ("stand",)
    return (
        rules.choices(tableau_position(coup, tableau)) if rules is not None else ("draw", "stand")
    )


# -- Turn and call ---------------------------------------------------------------------------------

TWO_TABLEAUX = RuleGroup(family="procedure", concerns="form", games=("baccarat-banque",))


@TWO_TABLEAUX.rule(
    "W515",
    "tableaux-out-of-turn",
    concerns="game",
    sources=(WIKIPEDIA_IT_BACCARA, WIKIPEDIA_BACCARAT_BANQUE),
    needs=(needs.record_not_coups_alone, needs.card_drawn, needs.events_in_sequence),
    breach_events=(CardDrawn, ChoiceMade),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        card-drawn {"coup": 1, "hand": "left", "card": "2", "place": 1}
        card-drawn {"coup": 1, "hand": "right", "card": "3", "place": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "9", "place": 3}
        card-drawn {"coup": 1, "hand": "right", "card": "4", "place": 4}
        card-drawn {"coup": 1, "hand": "left", "card": "5", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 6}
        due
    """,
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        card-drawn {"coup": 1, "hand": "right", "card": "3", "place": 1}
        card-drawn {"coup": 1, "hand": "left", "card": "2", "place": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "9", "place": 3}
        card-drawn {"coup": 1, "hand": "right", "card": "4", "place": 4}
        card-drawn {"coup": 1, "hand": "left", "card": "5", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 6}
        due
    """,
)
def tableaux_out_of_turn(view: CoupView) -> Iterator[Breach]:
    """Cards go to right, left and banker, twice; then the three hands play in this order.

    Each hand plays to its end (choice and third card) before the next hand decides. Only the first
    card or choice that came out of turn is reported.

    A hand that is not dealt or does not play is skipped. T108 checks whether a card was asked for,
    and T106 whether the hand may have it. A card that a ruling burned is ignored. Q104 reports a
    card after the close of the coup.
    """
    for before, act in pairwise(acts_of(view.coup)):
        if act.place < before.place:
            told = (event_in_words(view.shoe, each.event.payload) for each in (act, before))
            said = " came after ".join(told)
            due = "cards to right, left and banker, twice; then each hand is played in this order"
            yield Breach(said, due, said, (act.event, before.event))
            return


class CalledHand(NamedTuple):
    """A call of the hands with its number in the coup, and one of the three hands."""

    call: RecordedEvent[HandsCalled]
    nth: int
    hand: Hand


@each("hand of a call", "the hands were not called", about="calls")
def _called_hands(view: CoupView) -> Sequence[CalledHand]:
    """Return the three hands of a coup for each call of the hands."""
    calls = events_of(HandsCalled, view.coup.calls)
    return [CalledHand(call, nth, hand) for nth, call in enumerate(calls) for hand in HANDS]


_NAME: Final[dict[Hand, str]] = {
    "right": "the right tableau",
    "left": "the left tableau",
    "banker": "the banker",
}


@TWO_TABLEAUX.rule(
    "W516",
    "miscalled-tableau",
    sources=(ARRETE_2007_ART_62, HOUSE_CONVENTION),
    family="totals",
    concerns="game",
    needs=(needs.present(_called_hands), needs.from_first_card, needs.all_dealt),
    each=_called_hands,
    follows_from=CARD_ELSEWHERE,
    breach_events=(HandsCalled, CardDrawn),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        tableaux-hands 3 4; 2 4; 9 K
        hands-called {"coup": 1, "totals": [{"hand": "right", "total": 8}, {"hand": "left", "total": 6}, {"hand": "banker", "total": 9}]}
        due
    """,  # noqa: E501 - the events of a table are as long as they are
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        tableaux-hands 3 4; 2 4; 9 K
        hands-called {"coup": 1, "totals": [{"hand": "right", "total": 7}, {"hand": "left", "total": 6}, {"hand": "banker", "total": 9}]}
        due
    """,  # noqa: E501 - the events of a table are as long as they are
)
def miscalled_tableau(view: CoupView, called: CalledHand) -> Iterator[Breach]:
    """The hand of each tableau, and the banker's, is called at the total of its cards.

    Each call has to name all three hands. It is compared with the cards that the hands had at the
    end. A wrong call of a hand is not a breach if the last call names this hand rightly, and the
    wrong call was noted in time as an irregularity. In time means after the wrong call and before
    the next coup began. The breach is a note if the last call is right and a ruling in that time
    put right an irregularity of the kind `wrong-call` or `other`.
    """
    call, nth, hand = called
    if _called_right(view, call, hand):
        return
    *_, last = _called_hands.of(view)
    put_right = call_put_right(view, call, _called_right(view, last.call, hand))
    if put_right is None:
        return
    cards, points = cards_of(view.coup, hand), _total_called(call, hand)
    shown = "nothing" if points is None else str(points)
    yield Breach(
        f"{_NAME[hand]} ({format_cards(cards)}) was called {shown}, and has {total(cards)}",
        f"{total(cards)}: {format_cards(cards)}",
        shown,
        (call, *view.coup.cards),
        money=() if put_right else "payments are judged by the cards and not by the call",
        put_right=put_right,
        key=("hand", hand) if last.call is call else ("hand", hand, nth),
    )


def _called_right(view: CoupView, call: RecordedEvent[HandsCalled], hand: Hand) -> bool:
    return _total_called(call, hand) == total(cards_of(view.coup, hand))


def _total_called(call: RecordedEvent[HandsCalled], hand: Hand) -> int | None:
    """Return the total called for a hand, or None."""
    return next((each.total for each in call.payload.totals if each.hand == hand), None)


# -- A natural of one tableau alone ----------------------------------------------------------------


@need("cards", "no tableau alone had a natural", "nothing-to-check")
def one_natural(view: CoupView) -> bool:
    """One tableau alone has a natural, and the banker has none."""
    return alone_natural(view.coup) is not None


@need("cards", "no hand made a choice or drew a third card", "nothing-to-check")
def played_on(view: CoupView) -> bool:
    """A hand made a choice or drew a third card."""
    return bool(_played_on(view))


def _played_on(view: CoupView) -> list[RecordedEvent]:
    """Return the choices and third cards of a coup."""
    return [act.event for act in acts_of(view.coup) if act.place[0] == FIRST_TWO]


@need("shoe")
def bank_reach_known(view: CoupView) -> bool:
    """The bank has no limit, or the record gives its amount.

    A limited bank may not have enough for every stake. Then a winner waits until the bank has won
    more.
    """
    if bank_events_of(view.coup).unlimited or rule_of(view.shoe).bank == "open":
        return True
    answered(bank_unknown(view.shoe, view.coup))
    return True


@each("winning stake", None)
def _due_at_once(view: CoupView) -> Sequence[Bet]:
    """Return the natural's stakes that the bank can pay.

    A stake à cheval is not checked: it is settled at the end. A stake for which a limited bank has
    nothing left is not checked either: it waits for what the bank wins.
    """
    return [bet for bet, _ in due_at_once(view.shoe, view.coup)]


@TWO_TABLEAUX.ordered(
    "W517",
    "unpaid-tableau-natural",
    NATURAL_PAID_FIRST,
    sources=(ETHIER_LEE_2015_BACCARA_BANQUE_1,),
    needs=(
        needs.record_not_coups_alone,
        needs.not_voided,
        needs.all_dealt,
        needs.events_in_sequence,
        one_natural,
        played_on,
        bank_reach_known,
        needs.has_bets,
    ),
    each=_due_at_once,
    follows_from=("unsettled-bet", "stake-beside-banco"),
    one_cause=True,
    breach_events=(BetPlaced, BetCarried, CardDrawn, ChoiceMade, BetPaid, BetPushed),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 +4; 7 K =
        due
    """,
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 9 K; 2 3 +4; 7 K =
    """,
)
def unpaid_tableau_natural(view: CoupView, bet: Bet) -> Compared:
    """A natural of one tableau alone is paid before the coup is played on.

    The first payment of the stake, whatever its amount, or a push of it must come before the first
    choice or third card of any hand. A choice to stand counts too.
    """
    tableau, played = alone_natural(view.coup), _played_on(view)[0]
    paid = events_of((BetPaid, BetPushed), bet.moves)
    return Compared(
        paid[:1],
        [played],
        lambda _: f"{name_bet(view.shoe, bet)} waited while the coup was played on",
        expected=f"the natural of the {tableau} tableau alone is paid before any choice or card",
        observed="paid afterwards" if paid else "not paid",
        events=(bet.placed, played, *paid),
        patron=bet.patron,
        offending_event=played,
    )


RULES = (*TWO_TABLEAUX.rules,)
"""Every rule of this module."""
