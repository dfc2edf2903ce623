"""Rules on third cards where a hand may choose.

The games are chemin de fer and baccarat banque. Where a hand may choose, neither choice breaks a
rule, whatever its expected cost. `hand_players` has the rules on the player of a hand.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.card_history import events_of_card, passed_over
from sabot.domain.audit.checks.bank.tableaux_hands import (
    BANQUE,
    HANDS,
    acts_of,
    cards_of,
    is_banque,
    third_card_options,
)
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.fingerprints import with_patron
from sabot.domain.audit.restored_cards import hands_of_restored_cards
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.audit.wording import OTHER_HAND_CHOOSES
from sabot.domain.events import CardDrawn, CardReassigned, CoupClosed, Hand, ResultCalled
from sabot.domain.events.bank import ChoiceMade, HandsCalled
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.patron_bank import (
    SIDES,
    bank_events_of,
    drawing_of,
    has_natural,
    player_of,
    position_in,
)
from sabot.domain.procedure.preconditions import choice_requirements
from sabot.domain.procedure.two_tableaux.tableaux import in_play
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.sources import (
    CASINO_DI_CAMPIONE_CHEMIN_DE_FER,
    DJ_MCADAM_BACCARAT_CHEMIN_DE_FER,
    ETHIER_LEE_2015_BACCARA_BANQUE_1,
    WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_IT_BACCARA,
)
from sabot.domain.rules.tableau_hands import is_natural_hand
from sabot.domain.rules.third_card_table import is_natural
from sabot.domain.timeline.evidence import settle
from sabot.domain.timeline.sequence import CHOSEN_FIRST
from sabot.domain.values.cards import FIRST_TWO, Card, format_card, total

CHEMIN_DE_FER: Final[GameName] = "chemin-de-fer"
GAMES: Final[tuple[GameName, ...]] = (CHEMIN_DE_FER, BANQUE)
"""The games in which a hand chooses once whether to take a third card."""
_NATURAL: Final = (
    "a natural takes no third card; it ends the coup, except a natural of one tableau alone"
)


# -- Draws and stands that are not free ------------------------------------------------------------


@need("rules", "the pack does not say who may choose", "not-required")
def choices_in_pack(view: CoupView) -> bool:
    """The rule pack states on which totals a hand may choose."""
    return drawing_of(view.shoe) is not None


@each("hand", None)
def _hands(view: CoupView) -> Sequence[Hand]:
    """Return the hands of a coup."""
    return HANDS if is_banque(view) else SIDES


MANDATORY = RuleGroup(family="tableau", concerns="game", games=("chemin-de-fer", "baccarat-banque"))
_MANDATORY_NEEDS = (
    *needs.only_at(BANQUE, needs.record_not_coups_alone),
    needs.not_voided,
    needs.all_dealt,
    *needs.only_at(CHEMIN_DE_FER, choices_in_pack),
    *needs.only_at(BANQUE, needs.events_in_sequence),
)
"""The needs of every rule of the group."""


@MANDATORY.rule(
    "T106",
    "draw-on-mandatory-stand",
    needs=(*_MANDATORY_NEEDS,),
    sources=(
        CASINO_DI_CAMPIONE_CHEMIN_DE_FER,
        DJ_MCADAM_BACCARAT_CHEMIN_DE_FER,
        WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
        ETHIER_LEE_2015_BACCARA_BANQUE_1,
    ),
    each=_hands,
    breach_events=(CardDrawn, CardReassigned, ChoiceMade),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 6000 | P 4 2 K  B K 7
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 6000 | P 3 2 K  B K 7
    """,
)
def draw_on_mandatory_stand(view: CoupView, hand: Hand) -> Iterator[Breach]:
    """No hand takes a third card where the rules require it to stand.

    A hand that may choose is free to draw. The rule looks at the hands as they lie at the end. A
    burned card is in no hand if the burn names its place. The last card out of the shoe is also in
    no hand if a ruling burned it by its face. A moved card is in the hand that got it. At chemin de
    fer neither hand draws if either has a natural (8 or 9). Without a natural the drawing table of
    the rule pack decides. It uses the total of the hand's first two cards, and for Banker also
    Player's third card.

    At baccarat banque no hand draws if the banker has a natural, or both tableaux do. The natural
    of one tableau alone stops only that tableau. The drawing table, if there is one, decides for a
    hand that no natural stops. The banker has to stand only if the drawing table requires it
    against every tableau in play.
    """
    if _drew(view, hand) and choices_of(view, hand) == ("stand",):
        yield _against(view, hand, "stand")


@MANDATORY.rule(
    "T107",
    "stand-on-mandatory-draw",
    sources=(WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,),
    needs=(*_MANDATORY_NEEDS, *needs.only_at(BANQUE, needs.called_closed_or_followed)),
    each=_hands,
    due=needs.called_closed_or_followed,
    follows_from=("requested-card-not-dealt",),
    breach_events=(CardDrawn, ChoiceMade),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 6000 | P 2 2  B K 7
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 6000 | P 3 2  B K 7
    """,
)
def stand_on_mandatory_draw(view: CoupView, hand: Hand) -> Iterator[Breach]:
    """No hand stands where the rules require it to draw.

    A hand that may choose is free to stand. No hand has to draw once a natural ended the coup (see
    T106). The banker at baccarat banque has to draw if the rule pack requires it against every
    tableau in play. A hand has also stood if it asked for a card and did not get it, or if its
    third card was burned or moved.
    """
    if not _drew(view, hand) and not choice_requirements.may_stand(choices_of(view, hand)):
        yield _against(view, hand, "draw")


def choices_of(view: CoupView, hand: Hand) -> tuple[Choice, ...]:
    """Return the permitted choices of a two-card hand about a third card."""
    if is_banque(view):
        return third_card_options(view, hand)
    rules = drawing_of(view.shoe)
    if rules is None or has_natural(view.coup):
        return ("stand",)
    return rules.choices(position_in(view.coup, "player" if hand == "player" else "banker"))


def _drew(view: CoupView, hand: Hand) -> bool:
    return len(_cards(view, hand)) > FIRST_TWO


def _cards(view: CoupView, hand: Hand) -> list[Card]:
    return view.coup.player if hand == "player" else cards_of(view.coup, hand)


def _against(view: CoupView, hand: Hand, due: Choice) -> Breach:
    """Return the breach for a hand that drew or stood against the required choice ``due``."""
    breach = (_tableau_against if is_banque(view) else _side_against)(view, hand, due)
    return with_patron(view.shoe, breach, _who_chose(view, hand))


def _side_against(view: CoupView, side: Hand, due: Choice) -> Breach:
    """Return the breach for a Player or Banker hand that did not do what ``due`` requires."""
    cards, chosen, name = _cards(view, side), _choices(view, side), hand_label(side)
    points = total(cards[:FIRST_TWO])
    if due == "stand":
        ends = "a natural on either side ends the coup" if has_natural(view.coup) else ""
        drew = f"drew {format_card(cards[FIRST_TWO])}"
        return Breach(
            f"{name} {drew} on {points}",
            f"{name} {points} stands: {ends or f'{name} stands'}",
            f"{name} {points} {drew}",
            (*events_of_card(view.coup, side, FIRST_TWO + 1), *chosen),
        )
    return Breach(
        f"{name} stood on {points}; a draw was due",
        f"{name} {points} draws: nobody may stand on it",
        f"{name} {points} stood",
        (*view.coup.cards, *chosen),
        offending_event=chosen[-1] if chosen else passed_over(view, side),
    )


def _tableau_against(view: CoupView, hand: Hand, due: Choice) -> Breach:
    """Return the breach for a hand at baccarat banque that did not do what ``due`` requires."""
    cards = _cards(view, hand)
    points = total(cards[:FIRST_TWO])
    name = hand_label(hand)
    required = f"{name} {due}s on {points}"
    if is_natural_hand(cards):
        required = "a natural draws no card"
    elif not in_play(view.coup):
        required = "a natural of the banker's, or of both tableaux, ends the coup"
    drawn = " ".join(map(format_card, cards[FIRST_TWO:]))
    said = f"{name} stood" if due == "draw" else f"{name} drew {drawn}"
    events = [act.event for act in acts_of(view.coup) if act.payload.hand == hand]
    return Breach(
        f"{said} on {points}",
        required,
        said,
        tuple(reversed(events)),
        money=OTHER_HAND_CHOOSES,
        key=("hand", hand),
    )


def _drawn(view: CoupView, hand: Hand) -> list[RecordedEvent[CardDrawn]]:
    """Return the events that drew a hand's cards."""
    return [event for event in view.coup.cards if event.payload.hand == hand]


def _choices(view: CoupView, hand: Hand) -> list[RecordedEvent[ChoiceMade]]:
    return [event for event in bank_events_of(view.coup).choices if event.payload.hand == hand]


# -- Cards asked for -------------------------------------------------------------------------------


@need("play", "a natural ended the coup", "nothing-to-check")
def no_natural(view: CoupView) -> bool:
    """No natural ended the coup."""
    return not has_natural(view.coup)


@each("third card", None)
def _third_cards(view: CoupView) -> Sequence[RecordedEvent[CardDrawn]]:
    """Return the third and later cards of each hand.

    A card that was burned later is not checked. At chemin de fer only the third card of a hand is
    checked, unless it was restored to the other hand on a ruling.
    """
    if is_banque(view):
        return [card for hand in HANDS for card in _drawn(view, hand)[FIRST_TWO:]]
    moved = hands_of_restored_cards(view) if view.coup.reassigned else {}
    return [
        card
        for side in SIDES
        for card in _drawn(view, side)[FIRST_TWO : FIRST_TWO + 1]
        if card.position not in moved
    ]


@need("play", "no hand took a third card", "nothing-to-check")
def third_card_taken(view: CoupView) -> bool:
    """A hand took a third card."""
    return bool(_third_cards.of(view))


@need("order")
def asked_before_or_after(view: CoupView) -> bool:
    """It is known whether each third card was dealt before or after the choices for its hand."""
    for card in _third_cards.of(view):
        settle(view, (card,), _choices(view, card.payload.hand))
    return True


CHOICES = RuleGroup(family="procedure", concerns="game", games=("chemin-de-fer", "baccarat-banque"))


@CHOICES.rule(
    "T108",
    "unrequested-third-card",
    sources=(CASINO_DI_CAMPIONE_CHEMIN_DE_FER, WIKIPEDIA_IT_BACCARA),
    order=(CHOSEN_FIRST,),
    needs=(
        *(needs.record_not_coups_alone, needs.not_voided, needs.all_dealt),
        *needs.only_at(CHEMIN_DE_FER, choices_in_pack, no_natural, third_card_taken),
        *needs.only_at(CHEMIN_DE_FER, asked_before_or_after),
        *needs.only_at(BANQUE, needs.events_in_sequence),
        needs.choices_recorded,
    ),
    each=_third_cards,
    breach_events=(CardDrawn, ChoiceMade, CardReassigned),
    follows_from=(
        "card-moved-without-ruling",
        "requested-card-not-dealt",
        "stand-on-mandatory-draw",
    ),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 3 2  B K 7
        card-drawn {"coup": 1, "hand": "player", "card": "K", "place": 5}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        due
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 3 2  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}
        card-drawn {"coup": 1, "hand": "player", "card": "K", "place": 5}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        due
    """,
)
def unrequested_third_card(view: CoupView, drawn: RecordedEvent[CardDrawn]) -> Iterator[Breach]:
    """A third card is dealt to a hand only after it was asked for.

    The last decision of the hand before the card must be a request. One request allows one card. If
    that card was burned, the request allows one more. A hand that has to draw must ask too. T106
    checks whether the hand may draw.
    """
    card = drawn.payload
    said = _said_before(view, card.hand, drawn)
    if choice_requirements.was_asked_for(said):
        return
    due, face = "a third card is dealt only after a request", format_card(card.card)
    what = f"{hand_label(card.hand)} was dealt a third card ({face}) without a request"
    if is_banque(view):
        yield Breach(what, due, "no request on record", (drawn,))
    else:
        moved = (each for each in view.coup.reassigned if each.payload.hand == card.hand)
        shown: tuple[RecordedEvent, ...] = (drawn, *_choices(view, card.hand), *moved)
        yield Breach(what, due, f"the hand said {said}" if said else "no request on record", shown)


def _said_before(view: CoupView, hand: Hand, card: RecordedEvent) -> Choice | None:
    """Return the last decision made for a hand before a card was dealt to it, or None.

    A decision allows one card after the first two, without those that a ruling burned.
    """
    said: Choice | None = None
    cards = 0
    burned = [drawn for drawn, _ in view.coup.removed_cards]
    for event in view.coup.events:
        if event is card:
            break
        match event.payload:
            case ChoiceMade(hand=of, choice=choice) if of == hand:
                said = choice
            case CardDrawn(hand=of) if of == hand and event not in burned:
                cards += 1
                said = None if cards > FIRST_TWO else said
    return said


@need("play", "the coup has not been called or closed", "not-due")
def called_or_closed(view: CoupView) -> bool:
    """The result was called, or the coup was closed."""
    return bool(_called(view))


REQUESTS: Final = (
    needs.record_not_coups_alone,
    needs.not_voided,
    needs.all_dealt,
    choices_in_pack,
    called_or_closed,
    needs.choices_recorded,
    needs.choices_in_sequence,
)
"""The needs of the rules on cards that were requested and not dealt."""


@CHOICES.rule(
    "T111",
    "request-on-mandatory-stand",
    sources=(CASINO_DI_CAMPIONE_CHEMIN_DE_FER,),
    concerns="form",
    needs=REQUESTS,
    breach_events=(ChoiceMade, ResultCalled, HandsCalled, CoupClosed),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 3 4  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        card-turned {"coup": 1, "hand": "player", "nth": 1}
        card-turned {"coup": 1, "hand": "player", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        result-called {"coup": 1, "player": 7, "banker": 7, "outcome": "T"}
        bet-pushed {"coup": 1, "bet": 1}
        coup-closed {"coup": 1}
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 3 4  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        card-turned {"coup": 1, "hand": "player", "nth": 1}
        card-turned {"coup": 1, "hand": "player", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        result-called {"coup": 1, "player": 7, "banker": 7, "outcome": "T"}
        bet-pushed {"coup": 1, "bet": 1}
        coup-closed {"coup": 1}
    """,
)
def request_on_mandatory_stand(view: CoupView) -> Iterator[Breach]:
    """Nobody asks for a card on a total that must stand, since the request reveals the total.

    Only the last decision of a hand is checked. A natural has to stand, and so has every hand once
    a natural ended the coup. A hand that may choose, or has to draw, may ask for a card. T106
    reports a hand that was dealt the card. No rule reports it if the card was burned later.
    """
    burned = [drawn for drawn, _ in view.coup.removed_cards]
    for hand, cards in _asked_in_vain(view):
        asked, allowed = _choices(view, hand)[-1], choices_of(view, hand)
        got = any(each.payload.hand == hand and each.position > asked.position for each in burned)
        if not choice_requirements.may_request(allowed) and not got:
            yield Breach(
                f"{hand_label(hand)} asked for a card on {total(cards)}",
                _why_it_stands(view, hand, cards),
                f"{hand_label(hand)} asked for a card and did not get one",
                (*reversed(_choices(view, hand)), *_called(view)),
                patron=_who_chose(view, hand),
                key=("hand", hand),
            )


def withheld_cards(view: CoupView) -> Iterator[Breach]:
    """Yield a breach for each card that was requested and not dealt.

    The request was the hand's last decision, and the hand was entitled to a card. The record has to
    satisfy the needs in `REQUESTS`.
    """
    for hand, cards in _asked_in_vain(view):
        if choice_requirements.may_request(choices_of(view, hand)):
            yield Breach(
                f"{hand_label(hand)} asked for a card on {total(cards)} and did not get one",
                "a permitted request for a card is dealt",
                f"{hand_label(hand)} was called on {' '.join(map(format_card, cards))}",
                (*_called(view), *_choices(view, hand)),
                patron=_who_chose(view, hand),
                key=("hand", hand),
            )


def _asked_in_vain(view: CoupView) -> Iterator[tuple[Hand, list[Card]]]:
    """Yield the hands that asked for a third card and did not get it."""
    for hand in _hands.of(view):
        made, cards = _choices(view, hand), _cards(view, hand)
        if made and made[-1].payload.choice == "draw" and len(cards) == FIRST_TWO:
            yield hand, cards


def _who_chose(view: CoupView, hand: Hand) -> str | None:
    """Return the person who last chose for a hand, or else its player."""
    by = next((made.payload.by for made in reversed(_choices(view, hand))), None)
    return by or player_of(view.coup, hand)


def _why_it_stands(view: CoupView, hand: Hand, cards: list[Card]) -> str:
    over = not in_play(view.coup) if is_banque(view) else has_natural(view.coup)
    if not over and not is_natural(total(cards)):
        return f"{hand_label(hand)} has to stand on {total(cards)}"
    return _NATURAL


def _called(view: CoupView) -> tuple[RecordedEvent, ...]:
    """Return the event after which a coup gets no more cards, as a tuple.

    It is the call of the result or the close. The tuple is empty while the coup is in play.
    """
    called = view.coup.result_called or view.coup.closed
    return () if called is None else (called,)


RULES = (*MANDATORY.rules, *CHOICES.rules)
"""Every rule of this module."""
