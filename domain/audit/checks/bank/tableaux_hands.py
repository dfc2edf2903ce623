"""Rules on the hands at baccarat banque.

They cover the order of play, the call of the totals, and naturals that are paid at once. The banker
plays against two hands, the right and the left tableau. Where a player may draw or stand, either
choice is permitted, whatever its expected cost. `choices` has the rules on draws and stands that
are not optional.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from sabot.domain.audit import needs
from sabot.domain.audit.completeness import bank_unknown
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import BetCarried, BetPaid, BetPlaced, BetPushed, CardDrawn, Hand
from sabot.domain.events.bank import ChoiceMade, HandsCalled
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
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
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_IT_BACCARA,
)
from sabot.domain.rules.tableau_hands import TABLEAUX, Tableau
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.timeline.evidence import incomplete
from sabot.domain.timeline.sequence import NATURAL_PAID_FIRST
from sabot.domain.values.cards import FIRST_TWO, Card, format_card, total

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
    """Yield the cards and choices of a coup's three hands, in order."""
    have: dict[Hand, int] = dict.fromkeys(HANDS, 0)
    for event in coup.in_time:
        payload = event.payload
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
    sources=(WIKIPEDIA_IT_BACCARA, WIKIPEDIA_BACCARAT_BANQUE),
    needs=(needs.whole_record, needs.card_drawn, needs.events_in_sequence),
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

    A hand has its third card before the next one decides. The rule does not apply to a record of
    coups alone, or where the order of the events is unknown.
    """
    for before, act in pairwise(acts_of(view.coup)):
        if act.place < before.place:
            said = f"the {act.payload.hand} came after the {before.payload.hand}"
            due = "right, left and banker twice round; then each in this order to its end"
            yield Breach(said, due, said, (act.event, before.event))
            return


@need("calls", "the hands were not called", "nothing-to-check")
def hands_called(view: CoupView) -> bool:
    """The totals of the hands were called."""
    return _call_of(view) is not None


def _call_of(view: CoupView) -> RecordedEvent[HandsCalled] | None:
    """Return the call of the hands' totals, or None."""
    called = view.coup.result_called
    return called if called is not None and is_of(called, HandsCalled) else None


@each("hand", None, about="cards")
def _hands(_: CoupView) -> Sequence[Hand]:
    """Return the three hands of a coup."""
    return HANDS


@TWO_TABLEAUX.rule(
    "W516",
    "miscalled-tableau",
    sources=(ARRETE_2007_ART_62,),
    family="totals",
    concerns="game",
    needs=(hands_called,),
    each=_hands,
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
def miscalled_tableau(view: CoupView, hand: Hand) -> Iterator[Breach]:
    """The hand of each tableau, and the banker's, is called at the total of its cards.

    The rule does not apply where the hands were not called. Payments are judged by the cards and
    not by the call.
    """
    call, cards = _call_of(view), cards_of(view.coup, hand)
    assert call is not None
    called = {each.hand: each.total for each in call.payload.totals}
    if called.get(hand) != total(cards):
        shown = str(called.get(hand, "nothing"))
        yield Breach(
            f"the {hand} was called {shown}",
            f"{total(cards)}: {' '.join(map(format_card, cards))}",
            shown,
            (call, *view.coup.cards),
            money="payments are judged by the cards, whatever was called",
            key=("hand", hand),
        )


# -- A natural of one tableau alone ----------------------------------------------------------------


@need("cards", "no tableau alone had a natural", "nothing-to-check")
def one_natural(view: CoupView) -> bool:
    """One tableau alone has a natural, and the banker has none."""
    return alone_natural(view.coup) is not None


@need("cards", "the other tableau was not played on", "nothing-to-check")
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
    unknown = bank_unknown(view.shoe, view.coup)
    if unknown is not None:
        raise incomplete(unknown)
    return True


@each("winning stake", None)
def _due_at_once(view: CoupView) -> Sequence[Bet]:
    """Return the stakes on the natural that the bank has enough chips to pay."""
    return [bet for bet, _ in due_at_once(view.shoe, view.coup)]


@TWO_TABLEAUX.ordered(
    "W517",
    "unpaid-tableau-natural",
    NATURAL_PAID_FIRST,
    sources=(ETHIER_LEE_2015_BACCARA_BANQUE_1,),
    needs=(
        needs.whole_record,
        needs.not_voided,
        needs.all_dealt,
        needs.events_in_sequence,
        one_natural,
        played_on,
        bank_reach_known,
        needs.has_bets,
    ),
    each=_due_at_once,
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
    """A natural of one tableau alone is paid before the banker plays on with the other tableau.

    The rule does not apply to a void coup, to a coup in which no hand was played on, to a record of
    coups alone, or where the order of the events is unknown. A stake that a limited bank does not
    reach waits for what the bank wins; it is not judged where the amount of the bank is unknown.
    """
    tableau, played = alone_natural(view.coup), _played_on(view)[0]
    paid = events_of((BetPaid, BetPushed), bet.moves)
    return Compared(
        paid[:1],
        [played],
        f"{bet.patron}'s stake on the {tableau} waited while the coup was played on",
        expected=f"the {tableau} alone had a natural: it is paid before anybody draws",
        observed="paid afterwards" if paid else "not paid",
        events=(bet.placed, played, *paid),
        patron=bet.patron,
        offending_event=played,
    )


RULES = (*TWO_TABLEAUX.rules,)
"""Every rule of this module."""
