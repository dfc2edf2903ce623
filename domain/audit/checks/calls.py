"""Rules on the dealer's calls, compared with the cards.

They cover the totals of the hands and the result. Every call is judged, not only the last, because
bets are settled by the calls that people hear. A card drawn after the close belongs to no hand.

A wrong call that a later call corrects is not a breach if it was noted: by an irregularity of the
kind ``wrong-call``, after the call and before the next coup's opening or first card. In a record of
coups alone the time does not matter. It is a note instead if the last call is right, and after the
wrong call an irregularity of the kind ``wrong-call`` or ``other`` was noted and ruled to be put
right (not ``none``, ``play-on`` or ``stand``).

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from sabot.domain.audit import needs
from sabot.domain.audit.card_history import cards_behind_call
from sabot.domain.audit.completeness import starts_before_record
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import event_in_words
from sabot.domain.audit.justification import next_begins, noted_in_time, ruled_on_since
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.events import CardDrawn, CoupClosed, Outcome, ResultCalled, TotalsCalled
from sabot.domain.events.bank import HandsCalled
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.events.labels import event_noun
from sabot.domain.rules.coup_result import Result
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_62,
    ETHIER_LEE_2023_CHEMIN_DE_FER_1,
    HOUSE_CONVENTION,
)
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import before, settle, some
from sabot.domain.timeline.sequence import (
    HANDS_CALLED_ON_CARDS,
    RESULT_BEFORE_CLOSE,
    RESULT_ON_CARDS,
    TOTALS_ON_CARDS,
)

CALLS = RuleGroup(family="totals", concerns="game", games=("punto-banco", "chemin-de-fer"))
_DEALT = (needs.from_first_card, needs.all_dealt)
"""The needs of a rule that compares a call with the cards."""
CARD_ELSEWHERE: Final = (
    *("card-order-mismatch", "cards-out-of-order", "tableaux-out-of-turn", "hand-out-of-turn"),
    *("fourth-card-drawn", "unrequested-third-card"),
    *("player-drew-against-table", "banker-drew-against-table"),
)
"""Rules whose breach may explain a wrong call: a hand has another card than it should have.

The dealer may have called the hands as they should have been.
"""

# -- What is called --------------------------------------------------------------------------------

Said = TypeVar("Said")
Call = tuple[RecordedEvent, Said]
"""A call: the event and its content."""
Totals = tuple[int | None, int | None]
"""The called totals of Player and Banker; None for a total that was not called."""


def _miscalled(
    view: CoupView, call: Call[Said], last: Call[Said], is_right: Callable[[Said], bool]
) -> bool | None:
    """Return whether a wrong call was put right on a ruling. None if it is not a breach."""
    if is_right(call[1]):
        return None
    put_right = call_put_right(view, call[0], is_right(last[1]))
    if put_right is not None:
        needs.settle_third_cards(view)
    return put_right


def call_put_right(view: CoupView, wrong: RecordedEvent, is_last_right: bool) -> bool | None:
    """Return whether a wrong call was corrected by a later call, on a ruling.

    None if it was noted and corrected, and nobody ruled on it: that is not a breach.
    """
    if is_last_right and ruled_on_since(view, "wrong-call", wrong):
        return True
    return None if is_last_right and _is_noted(view, wrong) else False


def _is_noted(view: CoupView, wrong: RecordedEvent) -> bool:
    """Return whether a wrong call was noted as an irregularity before the next coup began."""
    until = next_begins(view.shoe, view.coup)
    noted = [each for each in view.coup.irregularities if each.payload.kind == "wrong-call"]
    return some(partial(noted_in_time, view, event, until, wrong) for event in noted)


@each("call of the two-card totals", "the two-card totals were not called", about="calls")
def _two_card_totals(view: CoupView) -> Sequence[Call[Totals]]:
    """Return the calls of the two-card totals."""
    calls = events_of(TotalsCalled, view.coup.calls)
    return [(call, (call.payload.player, call.payload.banker)) for call in calls]


@CALLS.rule(
    "C101",
    "miscalled-two-card-totals",
    sources=(ARRETE_2007_ART_55_14,),
    games=("punto-banco",),
    needs=(needs.present(_two_card_totals), *_DEALT, needs.order_of_hands_known),
    each=_two_card_totals,
    follows_from=CARD_ELSEWHERE,
    breach_events=(TotalsCalled, CardDrawn),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        totals-called {"coup": 1, "player": 9, "banker": 7}
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        totals-called {"coup": 1, "player": 9, "banker": 8}
        due
    """,
)
def miscalled_two_card_totals(view: CoupView, call: Call[Totals]) -> Iterator[Breach]:
    """The two-card totals that the dealer calls are those of the first two cards of each hand.

    A wrong call is not a breach if it was noted, after the call and before the next coup, and the
    last call of these totals is right. It is a note if the last call is right and a ruling in that
    time put an irregularity of the kind `wrong-call` or `other` right.
    """
    right = (view.player_total, view.banker_total)
    put_right = _miscalled(view, call, _two_card_totals.of(view)[-1], lambda said: said == right)
    if put_right is not None:
        event, (player, banker) = call
        yield Breach(
            f"the two-card totals were called Player {_said(player)}, Banker {_said(banker)}; "
            f"the cards give Player {view.player_total}, Banker {view.banker_total}",
            f"Player {view.player_total}, Banker {view.banker_total}",
            f"Player {_said(player)}, Banker {_said(banker)}",
            (event, *view.coup.cards[:4]),
            money=() if put_right else None,
            put_right=put_right,
        )


@each("call of the final totals", "the final totals were not called", about="calls")
def _final_totals(view: CoupView) -> Sequence[Call[Totals]]:
    """Return the calls of the result that name a total.

    A call that names no total is not checked.
    """
    calls = events_of(ResultCalled, view.coup.calls)
    told = [(call, (call.payload.player, call.payload.banker)) for call in calls]
    return [call for call in told if call[1] != (None, None)]


@CALLS.rule(
    "C102",
    "miscalled-final-totals",
    sources=(ARRETE_2007_ART_55_14, ETHIER_LEE_2023_CHEMIN_DE_FER_1),
    needs=(needs.present(_final_totals), *_DEALT),
    each=_final_totals,
    follows_from=CARD_ELSEWHERE,
    breach_events=(ResultCalled, CardDrawn),
    clean_when=by_the_book,
    breaks="coup | P 4 5  B K 8 | P 9-7",
    keeps="coup | P 4 5  B K 8 | P 9-8",
)
def miscalled_final_totals(view: CoupView, call: Call[Totals]) -> Iterator[Breach]:
    """The final totals that the dealer calls are those of the cards in each hand.

    If only one total was called, the other total is not checked. A wrong call is not a breach if it
    was noted, after the call and before the next coup, and the last call that names a total is
    right. It is a note if the last call is right and a ruling in that time put an irregularity of
    the kind `wrong-call` or `other` right.
    """
    result = view.result

    def fits(said: Totals, came: Result) -> bool:
        return said[0] in (None, came.player) and said[1] in (None, came.banker)

    put_right = _miscalled(view, call, _final_totals.of(view)[-1], lambda said: fits(said, result))
    if put_right is not None:
        event, (player, banker) = call
        yield Breach(
            f"the totals were called Player {_said(player)}, Banker {_said(banker)}; "
            f"the cards give Player {result.player}, Banker {result.banker}",
            f"Player {result.player}, Banker {result.banker}",
            f"Player {_said(player)}, Banker {_said(banker)}",
            (event, *cards_behind_call(view, partial(fits, call[1]))),
            money=() if put_right else None,
            put_right=put_right,
        )


@each("call of the outcome", "the outcome was not called", about="calls")
def _outcomes(view: CoupView) -> Sequence[Call[Outcome]]:
    """Return the calls of the result that name an outcome.

    A call that names no outcome is not checked.
    """
    calls = events_of(ResultCalled, view.coup.calls)
    told = ((call, call.payload.outcome) for call in calls)
    return [(call, outcome) for call, outcome in told if outcome is not None]


_SIDE: Final[dict[Outcome, str]] = {"P": "Player", "B": "Banker", "T": "Tie"}


@CALLS.rule(
    "C103",
    "miscalled-result",
    sources=(ARRETE_2007_ART_55_14, ETHIER_LEE_2023_CHEMIN_DE_FER_1),
    needs=(needs.present(_outcomes), *_DEALT),
    each=_outcomes,
    follows_from=(*CARD_ELSEWHERE, code_of(miscalled_final_totals)),
    breach_events=(ResultCalled, CardDrawn),
    clean_when=by_the_book,
    breaks="coup | P 4 5  B K 9 | P 9-9",
    keeps="coup | P 4 5  B K 9 | T 9-9",
)
def miscalled_result(view: CoupView, call: Call[Outcome]) -> Iterator[Breach]:
    """The dealer calls the outcome of the cards: the higher total wins, and equal totals tie.

    A wrong call is not a breach if it was noted, after the call and before the next coup, and the
    last call that names an outcome is right. It is a note if the last call is right and a ruling in
    that time put an irregularity of the kind `wrong-call` or `other` right. C105 reports a coup
    without a call.
    """
    result = view.result
    last = _outcomes.of(view)[-1]
    put_right = _miscalled(view, call, last, lambda said: said == result.outcome)
    if put_right is not None:
        event, outcome = call
        yield Breach(
            f"dealer announced {_SIDE[outcome]}; {_describe_result(result)}",
            _describe_result(result),
            _SIDE[outcome],
            (event, *cards_behind_call(view, lambda came: came.outcome == outcome)),
            money=() if put_right else None,
            put_right=put_right,
        )


def _describe_result(result: Result) -> str:
    """Return text for the winner with the totals, for example ``Banker won 6 to 0``."""
    if result.outcome == "T":
        return f"tie {result.player} to {result.banker}"
    totals = sorted((result.player, result.banker), reverse=True)
    return f"{_SIDE[result.outcome]} won {totals[0]} to {totals[1]}"


def _said(total: int | None) -> str:
    return str(total) if total is not None else "nothing"


# -- When it is called ----------------------------------------------------------------------------


@each("call", "nothing was called", about="calls")
def _calls(view: CoupView) -> Sequence[RecordedEvent]:
    """Return the calls of totals and of results."""
    return view.coup.calls


def _in_time(view: CoupView, card: RecordedEvent) -> bool:
    """Return whether a card came before its coup was closed."""
    closed = view.coup.closed
    return closed is None or before(view, card, closed)


@need("order")
def _cards_and_calls_in_order(view: CoupView) -> bool:
    """It is known which cards were drawn before each call."""
    settle(view, view.coup.calls, view.coup.cards)
    return True


@need("cards", "no card was drawn before the coup was closed", "nothing-to-check")
def _drawn_in_time(view: CoupView) -> bool:
    """A card was drawn before the coup was closed."""
    return some(partial(_in_time, view, card) for card in view.coup.cards)


@CALLS.rule(
    "C104",
    "premature-call",
    sources=(ARRETE_2007_ART_55_14,),
    order=(TOTALS_ON_CARDS, RESULT_ON_CARDS),
    needs=(
        needs.cards_in_order,
        needs.present(_calls),
        needs.not_voided,
        *_DEALT,
        _cards_and_calls_in_order,
        _drawn_in_time,
    ),
    each=_calls,
    follows_from=(
        *("player-drew-against-table", "banker-drew-against-table", "draw-on-mandatory-stand"),
        *("fourth-card-drawn", "unrequested-third-card"),
    ),
    one_cause=True,
    breach_events=(TotalsCalled, ResultCalled, CardDrawn),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        totals-called {"coup": 1, "player": 9, "banker": 8}
        deal > B 8
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        totals-called {"coup": 1, "player": 9, "banker": 8}
        due
    """,
)
def premature_call(view: CoupView, call: RecordedEvent) -> Iterator[Breach]:
    """No total or result is called before the last card that it depends on is drawn.

    The two-card totals may be called after the first two cards of each hand. The result may be
    called only after all cards. A premature call that was noted or repeated later is still a
    breach, at least a note. A call before a surplus card is a consequence of that card. A card that
    was burned later is not checked. Q104 reports a card drawn after the close.
    """
    cards = view.coup.cards
    about = _first_two(cards) if is_of(call, TotalsCalled) else cards
    late = next((each for each in about if before(view, call, each) and _in_time(view, each)), None)
    if late is not None:
        card = event_in_words(view.shoe, late.payload)
        yield Breach(
            f"{event_noun(call.payload)} came before a card that it counts: {card}",
            "totals and results are called after the cards that they are about",
            f"a card was drawn after the call: {card}",
            (call, late),
        )


def _first_two(cards: list[RecordedEvent[CardDrawn]]) -> list[RecordedEvent[CardDrawn]]:
    """Return the first two cards of each hand."""
    hands = ([card for card in cards if card.payload.hand == hand] for hand in needs.SIDES)
    return [card for hand in hands for card in hand[:2]]


def _dealt_and_closed(shoe: Shoe) -> Iterator[tuple[Coup, RecordedEvent]]:
    """Yield the coups that were dealt and closed, and whose bets the cards decided."""
    for coup in shoe.coups.values():
        closed = coup.closed
        if closed is None or not coup.cards or coup.voided is not None:
            continue
        if not coup.fully_refunded:
            yield coup, closed


@need("calls", "the record has no calls")
def _results_called(shoe: Shoe) -> bool:
    """A dealt coup was closed, and a result was called in at least one coup of the record."""
    called = any(coup.result_called is not None for coup in shoe.coups.values())
    return called and any(_dealt_and_closed(shoe))


@each("closed coup", None, about="cards")
def _closed_coups(shoe: Shoe) -> Sequence[tuple[Coup, RecordedEvent]]:
    """Return the dealt and closed coups whose result may not have been called, each with its close.

    The rule does not check void coups, or coups without a card, a close or their beginning on
    record. It does not check coups whose bets a ruling returned, even if there were no bets.
    """
    return [
        (coup, closed)
        for coup, closed in _dealt_and_closed(shoe)
        if not (
            shoe.order is None
            and coup.result_called is not None
            and coup.result_called.position < closed.position
        )
        and not starts_before_record(shoe, coup)
    ]


RESULTS = RuleGroup(family="procedure", concerns="form")


@RESULTS.ordered(
    "C105",
    "result-not-called",
    RESULT_BEFORE_CLOSE,
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_62),
    looks_at="shoe",
    needs=(needs.not_coups_alone, _results_called),
    each=_closed_coups,
    follows_from=("coup-short-of-cards",),
    breach_events=(CoupClosed, CardDrawn, ResultCalled, HandsCalled),
    breaks="""
        coup P 4 5  B K 8
        coup | P 4 5  B K 8 | -
    """,
    keeps="""
        coup P 4 5  B K 8
        coup | P 4 5  B K 8 | P 9-8
    """,
)
def result_not_called(shoe: Shoe, closed_coup: tuple[Coup, RecordedEvent]) -> Compared:
    """The dealer calls the result of every coup before the coup is closed.

    A call of the hands' totals is a call of the result. A call of the two-card totals is not.
    """
    coup, closed = closed_coup
    calls = [call for call in coup.calls if not is_of(call, TotalsCalled)][:1]
    return Compared(
        calls,
        [closed],
        f"the result of {shoe.coup_name(coup.number)} was not called before the close",
        observed="the call came after the close"
        if calls
        else "no call of this coup, though other coups have one",
        events=(closed, *coup.cards, *calls),
        coup=coup.number,
    )


# -- Baccarat banque, macao and victoria ----------------------------------------------------------


@each("call of the hands", "the hands were not called", about="calls")
def _first_call_of_hands(view: CoupView) -> Sequence[RecordedEvent[HandsCalled]]:
    """Return the first call of the hands' totals.

    If the hands were called several times, only the first call is checked.
    """
    return events_of(HandsCalled, view.coup.calls)[:1]


@RESULTS.ordered(
    "C106",
    "card-after-hands-called",
    HANDS_CALLED_ON_CARDS,
    games=("baccarat-banque", "macao", "victoria"),
    concerns="game",
    sources=(ARRETE_2007_ART_62, HOUSE_CONVENTION),
    needs=(
        needs.cards_in_order,
        needs.has_cards,
        needs.present(_first_call_of_hands),
        needs.not_voided,
    ),
    each=_first_call_of_hands,
    breach_events=(HandsCalled, CardDrawn),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "5", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
        choice-made {"coup": 1, "hand": "banker", "choice": "draw"}
        hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 7}, {"hand": "banker", "total": 8}]}
        card-drawn {"coup": 1, "hand": "banker", "card": "3", "place": 3}
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
        card-drawn {"coup": 1, "hand": "banker", "card": "5", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
        choice-made {"coup": 1, "hand": "banker", "choice": "draw"}
        card-drawn {"coup": 1, "hand": "banker", "card": "3", "place": 3}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 7}, {"hand": "banker", "total": 8}]}
        due
    """,  # noqa: E501 - the events of a table are as long as they are
)
def card_after_hands_called(view: CoupView, call: RecordedEvent) -> Compared:
    """No card is dealt after the hands of a coup are called.

    A card that was burned later is not checked. Q104 reports a card drawn after the close.
    """
    cards = [card for card in view.coup.cards if _in_time(view, card)]
    late = [card for card in cards if before(view, call, card)]
    return Compared(
        cards,
        [call],
        lambda _: (
            "a card was dealt after the hands were called"
            + "".join(f": {event_in_words(view.shoe, card.payload)}" for card in late[:1])
        ),
        observed=f"{event_noun(call.payload)} before the last card",
        events=(call, *late),
        key=("call",),
    )


RULES = (
    *CALLS.rules,
    *RESULTS.rules,
)
"""Every rule of this module."""
