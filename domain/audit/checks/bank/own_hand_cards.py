"""Rules on cards at macao and victoria.

Every patron has a hand against the banker's. Where a player may draw or stand, either choice is
permitted, whatever its expected cost. These rules compare the cards dealt and rejected with the
requests, the cards and the rule pack. `own_hand_turns` has the rules on turn, call and stake,
`own_hand_banks` those on the bank.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit import needs
from sabot.domain.audit.checks import choices
from sabot.domain.audit.completeness import NO_PACK
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.fingerprints import with_patron
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import CardDrawn, CoupClosed, Hand, ResultCalled
from sabot.domain.events.bank import CardRejected, ChoiceMade, HandsCalled
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.macao import rules_of
from sabot.domain.procedure.own_hands import OwnHand, bet_at, hands_in_turn
from sabot.domain.procedure.preconditions import own_hand_requirements
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.macao_hands import MacaoRules
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.sources import (
    CASINO_ITALIANI_ONLINE_MACAO,
    PRAVILA_KART_MACAO_1_TO_11,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_MACAO,
)
from sabot.domain.timeline.sequence import CHOICE_ANSWERED
from sabot.domain.values.cards import Card, format_card

GAMES: Final[tuple[GameName, ...]] = ("macao", "victoria")
HandKey = tuple[Hand, int | None]
"""A hand and its seat; the banker's hand has no seat."""


# -- What was done with the hands ------------------------------------------------------------------


class Act(Struct):
    """A card drawn, a choice or a rejected card, with the hand before it."""

    event: RecordedEvent
    payload: CardDrawn | ChoiceMade | CardRejected
    before: OwnHand

    @property
    def key(self) -> HandKey:
        """The hand, with the seat of its player."""
        return self.payload.hand, self.payload.seat


def acts_of(view: CoupView, without: Collection[int] = ()) -> Iterator[Act]:
    """Yield the cards drawn, choices and rejected cards of a coup, in order.

    The events at the positions ``without`` are left out.

    A card that was taken off its hand and burned is left out: the hand gets another in its place.
    So is an act of a patron's hand without a seat: it is not known which hand it is.
    """
    hands: dict[HandKey, OwnHand] = {}
    removed = {*without, *(drawn.position for drawn, _ in view.coup.removed_cards)}
    for event in view.coup.in_time:
        payload = event.payload
        if not isinstance(payload, CardDrawn | ChoiceMade | CardRejected):
            continue
        if event.position in removed:
            continue
        key = (payload.hand, payload.seat)
        if key == ("patron", None):
            continue
        before = hands.get(key) or OwnHand(
            payload.hand, payload.seat, "", (), 0, stood=False, rejected=0
        )
        yield Act(event, payload, before)
        hands[key] = _after(before, payload)


def _after(hand: OwnHand, payload: CardDrawn | ChoiceMade | CardRejected) -> OwnHand:
    """Return a hand as it is after one more act: a card, a choice or a rejected card."""
    match payload:
        case CardDrawn(card=card):
            return replace(hand, cards=(*hand.cards, card))
        case CardRejected():
            return replace(hand, cards=hand.cards[:-1], rejected=hand.rejected + 1)
        case ChoiceMade(choice="draw"):
            return replace(hand, asked=hand.asked + 1)
        case ChoiceMade():
            return replace(hand, stood=True)


def rules_in(view: CoupView) -> MacaoRules:
    """Return the rule pack's section on macao and victoria."""
    rules = rules_of(view.shoe.pack)
    assert rules is not None
    return rules


def name_hand(key: HandKey) -> str:
    """Return the name of a hand, with the seat of a patron's hand."""
    hand, seat = key
    return hand_label(hand, seat)


def describe_faces(cards: tuple[Card, ...]) -> str:
    """Return cards as text by their faces."""
    return " ".join(map(format_card, cards)) or "no card"


def player_of_hand(view: CoupView, key: HandKey) -> str | None:
    """Return the player of a hand, or None.

    The banker plays the banker's hand. The patron who staked first on another hand plays it.
    """
    hand, seat = key
    if hand == "banker":
        return view.coup.banked.banker if view.coup.banked is not None else None
    bet = bet_at(view.coup, seat)
    return bet.patron if bet is not None else None


def _of_hand(view: CoupView, key: HandKey, breach: Breach) -> Breach:
    """Return a breach of a hand with the hand's player as its patron."""
    return with_patron(view.shoe, breach, player_of_hand(view, key))


# -- What the rules need ---------------------------------------------------------------------------


@need("rules", NO_PACK)
def hand_rules_readable(view: CoupView) -> bool:
    """The rule pack has the section on macao and victoria."""
    return rules_of(view.shoe.pack) is not None


FOLLOWED_CARD_BY_CARD: Final = (
    needs.record_not_coups_alone,
    hand_rules_readable,
    needs.card_drawn,
    needs.events_in_sequence,
)
"""The needs of a rule that follows the hands of a coup card by card."""


@need("play", "the hands have not been called", "not-due")
def hands_called(view: CoupView) -> bool:
    """The hands were called."""
    return view.coup.result_called is not None


@need("cards", "no card was rejected", "nothing-to-check")
def card_rejected(view: CoupView) -> bool:
    """A card was rejected."""
    return bool(_cards_rejected.of(view))


# -- What they are asked about ---------------------------------------------------------------------


@each("card", None)
def _cards_drawn(view: CoupView) -> Sequence[tuple[Act, Card]]:
    """Return the cards that were drawn.

    Three kinds of cards are not checked: a card that a ruling burned, a card after the close of the
    coup, and a card to a patron's hand without a seat.
    """
    return [(act, act.payload.card) for act in acts_of(view) if isinstance(act.payload, CardDrawn)]


@each("request for a card", None)
def _requests(view: CoupView) -> Sequence[Act]:
    """Return the choices that asked for a card.

    A choice to stand is not checked. A choice for a patron's hand without a seat is not checked
    either.
    """
    return [
        act
        for act in acts_of(view)
        if isinstance(act.payload, ChoiceMade) and act.payload.choice == "draw"
    ]


def played_by_the_rules(view: CoupView) -> bool:
    """Return whether each hand was dealt a card only on request, and asked for none too many."""
    beyond = (card_beyond_hand_end(view, act) for act in _requests.of(view))
    unasked = (unrequested_card(view, drawn) for drawn in _cards_drawn.of(view))
    return not any(tuple(breaches) for breaches in (*beyond, *unasked))


@each("rejected card", None)
def _cards_rejected(view: CoupView) -> Sequence[Act]:
    """Return the rejections of cards.

    A rejection by a patron's hand without a seat is not checked.
    """
    return [act for act in acts_of(view) if isinstance(act.payload, CardRejected)]


def wrong_rejections(view: CoupView) -> list[Act]:
    """Return the rejections that O504 reports."""
    rules = rules_in(view)
    may_reject = own_hand_requirements.may_reject
    return [act for act in _cards_rejected.of(view) if not may_reject(act.before, rules)]


def _rejections_by(view: CoupView, key: HandKey) -> list[RecordedEvent]:
    """Return the rejections of cards by one hand."""
    return [act.event for act in _cards_rejected.of(view) if act.key == key]


# -- Rules -----------------------------------------------------------------------------------------

OWN_HAND_CARDS = RuleGroup(family="procedure", concerns="game", games=("macao", "victoria"))


@OWN_HAND_CARDS.rule(
    "O501",
    "unrequested-card",
    sources=(WIKIPEDIA_BACCARAT_MACAO, CASINO_ITALIANI_ONLINE_MACAO),
    needs=(*FOLLOWED_CARD_BY_CARD, needs.choices_recorded),
    each=_cards_drawn,
    breach_events=(CardDrawn,),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 1 500 | 1: 3 !4; B: 7
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 1 500 | 1: 3 +4; B: 7
    """,
)
def unrequested_card(view: CoupView, drawn: tuple[Act, Card]) -> Iterator[Breach]:
    """A hand gets no card beyond its first ones unless it asked for it.

    The requests before the card are counted. One request allows one card. A rejected card, or a
    card that a ruling burned, may be replaced without another request. O503 checks whether the hand
    may ask. The rule pack says how many first cards a hand has.
    """
    act, card = drawn
    if not own_hand_requirements.is_card_due(act.before, rules_in(view)):
        breach = Breach(
            f"{name_hand(act.key)} was dealt {format_card(card)} unasked",
            "a hand has its first cards, and one more for each request",
            f"{describe_faces(act.before.cards)}, {act.before.asked} asked for",
            (act.event,),
        )
        yield _of_hand(view, act.key, breach)


@OWN_HAND_CARDS.rule(
    "O502",
    "requested-card-not-dealt",
    order=(CHOICE_ANSWERED,),
    sources=(WIKIPEDIA_BACCARAT_MACAO, WIKIPEDIA_BACCARAT_CHEMIN_DE_FER, WIKIPEDIA_BACCARAT_BANQUE),
    games=("macao", "victoria", "chemin-de-fer", "baccarat-banque"),
    needs=(
        *needs.only_at(GAMES, *FOLLOWED_CARD_BY_CARD, needs.not_voided, hands_called),
        *needs.only_at(choices.GAMES, *choices.REQUESTS),
    ),
    breach_events=(CardDrawn, ChoiceMade, CardRejected, HandsCalled, ResultCalled, CoupClosed),
    follows_from=("card-rejection-not-permitted",),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "draw"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 7}, {"hand": "banker", "total": 8}]}
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
def requested_card_not_dealt(view: CoupView) -> Iterator[Breach]:
    """A hand that asks for a card, and may have one, is dealt it before the hands are called.

    The rule looks at the cards that the hands have at the end of the coup. A card dealt only after
    the call of the hands does not break this rule. C106 reports it; at chemin de fer C104 reports
    the early call.

    At chemin de fer and baccarat banque it is a breach if a hand still has two cards and its last
    choice was to draw. T111 instead reports a hand that asks for a card when it must stand. At
    macao and victoria all requests of the hand must be met, except those that O503 reports. A
    rejected card has to be replaced. A hand that went bust or holds the most cards allowed is not
    checked.
    """
    called = view.coup.result_called
    if game_of(view.shoe.pack).name not in GAMES:
        yield from choices.withheld_cards(view)
        return
    assert called is not None
    rules = rules_in(view)
    permitted = [
        act for act in _requests.of(view) if own_hand_requirements.may_ask(act.before, rules)
    ]
    for hand in hands_in_turn(view.shoe, view.coup):
        asked = [act.event for act in permitted if act.key == (hand.hand, hand.seat)]
        due = rules.dealt + len(asked)
        if asked and len(hand.cards) < due and hand.may_draw(rules):
            name = name_hand((hand.hand, hand.seat))
            yield Breach(
                f"{name} was called on {describe_faces(hand.cards)}, before it got its last card",
                f"{due} cards: those dealt at first, and those asked for",
                f"{len(hand.cards)} card{'' if len(hand.cards) == 1 else 's'}",
                (
                    called,
                    *view.coup.cards,
                    *asked,
                    *_rejections_by(view, (hand.hand, hand.seat)),
                ),
                patron=player_of_hand(view, (hand.hand, hand.seat)),
                key=("hand", hand.hand, hand.seat or 0),
            )


@OWN_HAND_CARDS.rule(
    "O503",
    "card-beyond-hand-end",
    sources=(WIKIPEDIA_BACCARAT_MACAO,),
    needs=FOLLOWED_CARD_BY_CARD,
    each=_requests,
    breach_events=(ChoiceMade,),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 1 500 | 1: 8 +4 +2; B: 7
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 1 500 | 1: 8 +A +2; B: 7
    """,
)
def card_beyond_hand_end(view: CoupView, act: Act) -> Iterator[Breach]:
    """A hand that stood, that went bust, or that holds the most cards allowed asks for no more.

    The hand is judged by the cards and choices before the request. The rule pack says whether a
    hand goes bust over nine points, and whether it may hold only so many cards. A rejected card is
    no longer in the hand.
    """
    hand = act.before
    if not own_hand_requirements.may_ask(hand, rules_in(view)):
        why = "though it had stood" if hand.stood else "though it could take no more"
        breach = Breach(
            f"{name_hand(act.key)} ({describe_faces(hand.cards)}) asked for a card, {why}",
            "no request by a hand that stood, went bust or has all permitted cards",
            "it had stood" if hand.stood else f"it had {describe_faces(hand.cards)}",
            (act.event,),
        )
        yield _of_hand(view, act.key, breach)


@OWN_HAND_CARDS.rule(
    "O504",
    "card-rejection-not-permitted",
    sources=(WIKIPEDIA_BACCARAT_MACAO, PRAVILA_KART_MACAO_1_TO_11),
    needs=(*FOLLOWED_CARD_BY_CARD, card_rejected, needs.choices_recorded),
    each=_cards_rejected,
    one_cause=True,
    breach_events=(CardRejected,),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 1 500 | 1: 3 +9- !4; B: 7
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 1 500 | 1: 3 +T- !4; B: 7
    """,
)
def card_rejection_not_permitted(view: CoupView, act: Act) -> Iterator[Breach]:
    """A hand may reject a ten or a face that it has just drawn, and no other card.

    A first card must not be rejected. A hand that stood must not reject a card. Only the card dealt
    on the hand's latest request, and each card that replaces it, may be rejected. If the rule pack
    permits no rejection, every rejection is a breach. All wrong rejections of one hand are one
    finding.
    """
    rules, hand = rules_in(view), act.before
    if not own_hand_requirements.may_reject(hand, rules):
        breach = Breach(
            f"{name_hand(act.key)} rejected {describe_faces(hand.cards[-1:])}, which it may not",
            "a ten or face that was just drawn may be rejected"
            if rules.reject
            else "no card may be rejected",
            f"{describe_faces(hand.cards)}, {hand.asked} drawn",
            (act.event, *(each for each in _rejections_by(view, act.key) if each != act.event)),
        )
        yield _of_hand(view, act.key, breach)


RULES = (*OWN_HAND_CARDS.rules,)
"""Every rule of this module."""
