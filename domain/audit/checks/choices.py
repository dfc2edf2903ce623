"""Choices at chemin de fer and baccarat banque: who decides for a hand, and what it has to do.

Where a hand may choose, neither choice breaks a rule, whatever it costs on average;
`sabot.domain.audit.explain.coup_reasons` says what that is. The last rule is of the banker who
dealt against the rules: where the rule pack says so, he loses the shoe.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.card_history import passed_over
from sabot.domain.audit.checks.bank.tableaux_hands import (
    BANQUE,
    HANDS,
    acts_of,
    allowed,
    cards_of,
    is_banque,
)
from sabot.domain.audit.completeness import (
    NO_BANK,
    NO_SEATS,
    claim_may_lack,
    is_stranger,
    seats_lack,
)
from sabot.domain.audit.justification import contradicted_by_record
from sabot.domain.audit.restored_cards import restored
from sabot.domain.audit.rule import Answer, Breach, CoupView
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import (
    BetPlaced,
    CardDrawn,
    CoupClosed,
    Hand,
    IrregularityNoted,
    ResultCalled,
    ShoePassed,
    ShoeTaken,
)
from sabot.domain.events.bank import ChoiceMade, HandGiven
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import false_draw_in
from sabot.domain.procedure.patron_bank import (
    SIDES,
    banked,
    claims,
    drawing_of,
    given_to,
    has_natural,
    plays_player,
    position_in,
    standing,
)
from sabot.domain.procedure.two_tableaux.banco_claims import holder_due
from sabot.domain.procedure.two_tableaux.tableaux import in_play
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.sources import (
    CAMPIONE,
    DJ_MCADAM,
    FR_55_14,
    FR_60,
    IT_WIKIPEDIA,
    WIKIPEDIA_CHEMIN_DE_FER,
)
from sabot.domain.rules.tableau_hands import WINGS, Wing, natural
from sabot.domain.rules.third_card_table import is_natural
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import after, before, incomplete
from sabot.domain.values.cards import Card, pretty, total

CHEMIN_DE_FER: Final[GameName] = "chemin-de-fer"
GAMES: Final[tuple[GameName, ...]] = (CHEMIN_DE_FER, BANQUE)
"""The games in which a hand chooses once whether it has a third card."""
_TWO: Final = 2
"""The cards of a hand before anybody chooses."""


# -- Draws and stands that are not free ----------------------------------------------------------


@need("rules", "the pack does not say who may choose", "not-required")
def choices_in_pack(view: CoupView) -> bool:
    """The rule pack says on which totals a hand may choose."""
    return drawing_of(view.shoe) is not None


@each("hand", None)
def _hands(view: CoupView) -> Sequence[Hand]:
    """Return the hands of a coup."""
    return HANDS if is_banque(view) else SIDES


MANDATORY = RuleGroup(
    family="tableau",
    severity="high",
    games=GAMES,
    needs=(
        *needs.only_at(BANQUE, needs.whole_record),
        needs.not_voided,
        needs.all_dealt,
        *needs.only_at(CHEMIN_DE_FER, choices_in_pack),
        *needs.only_at(BANQUE, needs.events_in_sequence),
    ),
)


@MANDATORY.rule(
    "?",
    "hand-drew-where-it-must-stand",
    sources=(CAMPIONE, DJ_MCADAM, WIKIPEDIA_CHEMIN_DE_FER),
    each=_hands,
    reads=(CardDrawn, ChoiceMade),
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
    """No hand draws where the rules have it stand, and none after a natural."""
    if _drew(view, hand) and choices_of(view, hand) == ("stand",):
        yield _against(view, hand, "stand")


@MANDATORY.rule(
    "?",
    "hand-stood-where-it-must-draw",
    sources=(WIKIPEDIA_CHEMIN_DE_FER,),
    needs=needs.only_at(BANQUE, needs.result_called),
    each=_hands,
    due=needs.result_called,
    reads=(CardDrawn, ChoiceMade),
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
    """No hand stands where the rules have it draw: others have staked on it too."""
    if not _drew(view, hand) and choices_of(view, hand) == ("draw",):
        yield _against(view, hand, "draw")


def choices_of(view: CoupView, hand: Hand) -> tuple[Choice, ...]:
    """Return what a hand of two cards could do about a third."""
    if is_banque(view):
        return allowed(view, hand)
    rules = drawing_of(view.shoe)
    if rules is None or has_natural(view.coup):
        return ("stand",)
    return rules.choices(position_in(view.coup, "player" if hand == "player" else "banker"))


def _drew(view: CoupView, hand: Hand) -> bool:
    return len(_cards(view, hand)) > _TWO


def _cards(view: CoupView, hand: Hand) -> list[Card]:
    return view.coup.player if hand == "player" else cards_of(view.coup, hand)


def _against(view: CoupView, hand: Hand, due: Choice) -> Breach:
    """Return the breach of a hand that did not do what it had to."""
    return (_wing_against if is_banque(view) else _side_against)(view, hand, due)


def _side_against(view: CoupView, side: Hand, due: Choice) -> Breach:
    """Return the breach of the Player or the Banker hand."""
    cards, chosen = _cards(view, side), _choices(view, side)
    points = total(cards[:_TWO])
    if due == "stand":
        natural_ends = "a natural on either side ends the coup"
        return Breach(
            f"{side} drew {pretty(cards[_TWO])} on {points}",
            f"{side} {points} stands: "
            + (natural_ends if has_natural(view.coup) else f"{side} stands"),
            f"{side} {points} drew {pretty(cards[_TWO])}",
            (*_third(view, side), *chosen),
        )
    return Breach(
        f"{side} stood on {points}",
        f"{side} {points} draws: nobody may stand on it",
        f"{side} {points} stood",
        (*view.coup.cards, *chosen),
        done=chosen[-1] if chosen else passed_over(view, side),
    )


def _wing_against(view: CoupView, hand: Hand, due: Choice) -> Breach:
    """Return the breach of a hand of either wing, or of the banker against them."""
    cards = _cards(view, hand)
    points = total(cards[:_TWO])
    required = f"the {hand} {due}s on {points}"
    if natural(cards):
        required = "a natural draws no card"
    elif not in_play(view.coup):
        required = "a natural of the banker's, or of both wings, ends the coup"
    said = f"the {hand} stood" if due == "draw" else f"the {hand} drew {pretty(cards[_TWO])}"
    events = [act.event for act in acts_of(view.coup) if act.payload.hand == hand]
    return Breach(
        f"{said} on {points}",
        required,
        said,
        tuple(reversed(events)),
        money="others choose by what they see: nobody knows what would have come",
        key=("hand", hand),
    )


def _third(view: CoupView, side: Hand) -> list[RecordedEvent]:
    """Return the event by which a hand drew its third card; none, where a ruling gave it one."""
    return _drawn(view, side)[_TWO : _TWO + 1]


def _drawn(view: CoupView, hand: Hand) -> list[RecordedEvent]:
    """Return the cards that were drawn for a hand."""
    return [
        event
        for event in view.coup.cards
        if isinstance(event.payload, CardDrawn) and event.payload.hand == hand
    ]


def _choices(view: CoupView, hand: Hand) -> list[RecordedEvent]:
    return [
        event
        for event in banked(view.coup).choices
        if isinstance(event.payload, ChoiceMade) and event.payload.hand == hand
    ]


# -- Who asks for a card, and who decides --------------------------------------------------------


@need("play", "a natural ended the coup", "nothing-to-check")
def no_natural(view: CoupView) -> bool:
    """No natural ended the coup."""
    return not has_natural(view.coup)


@each("third card", None)
def _third_cards(view: CoupView) -> Sequence[tuple[RecordedEvent, CardDrawn]]:
    """Return the cards beyond the first two of a hand, but one that a ruling moved to another."""
    if is_banque(view):
        return [
            (act.event, act.payload)
            for act in acts_of(view.coup)
            if isinstance(act.payload, CardDrawn) and act.cards >= _TWO
        ]
    moved = restored(view) if view.coup.reassigned else {}
    thirds = [card for side in SIDES for card in _third(view, side) if card.position not in moved]
    return [(card, card.payload) for card in thirds if isinstance(card.payload, CardDrawn)]


@need("play", "no hand took a third card", "nothing-to-check")
def third_card_taken(view: CoupView) -> bool:
    """A hand took a third card."""
    return bool(_third_cards.of(view))


CHOICES = RuleGroup(family="procedure", severity="medium", games=GAMES)


@CHOICES.rule(
    "?",
    "third-card-was-not-asked-for",
    sources=(CAMPIONE, IT_WIKIPEDIA),
    needs=(
        needs.whole_record,
        needs.not_voided,
        needs.all_dealt,
        *needs.only_at(CHEMIN_DE_FER, choices_in_pack, no_natural, third_card_taken),
        *needs.only_at(BANQUE, needs.events_in_sequence),
        needs.choices_recorded,
    ),
    each=_third_cards,
    reads=(CardDrawn, ChoiceMade),
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
def unrequested_third_card(
    view: CoupView, drawn: tuple[RecordedEvent, CardDrawn]
) -> Iterator[Breach]:
    """A third card is dealt to a hand only after it was asked for."""
    event, card = drawn
    said = _said_before(view, card.hand, event)
    if said == "draw":
        return
    due = "a third card is dealt once it was asked for"
    if is_banque(view):
        what = f"the {card.hand} had {pretty(card.card)}, which nobody had asked for"
        yield Breach(what, due, "nothing was said", (event,))
    else:
        what = f"{card.hand} had a third card that nobody had asked for"
        shown = (event, *_choices(view, card.hand))
        yield Breach(what, due, said or "nothing was said", shown)


def _said_before(view: CoupView, hand: Hand, card: RecordedEvent) -> Choice | None:
    """Return what was decided last for a hand before a card; each card answers one request."""
    said: Choice | None = None
    cards = 0
    for event in view.coup.events:
        if event is card:
            break
        payload = event.payload
        if isinstance(payload, ChoiceMade) and payload.hand == hand:
            said = payload.choice
        elif isinstance(payload, CardDrawn) and payload.hand == hand:
            cards += 1
            said = None if cards > _TWO else said
    return said


@need("play", "the record tells of no choice")
def choice_recorded(view: CoupView) -> bool:
    """The record holds a choice made in the coup."""
    return bool(banked(view.coup).choices)


@each("choice", "the record does not say who chose", "record-incomplete")
def _named_choices(view: CoupView) -> Sequence[tuple[RecordedEvent, ChoiceMade, str]]:
    """Return the choices of which it is recorded who made them, each with him."""
    return [
        (event, event.payload, event.payload.by)
        for event in banked(view.coup).choices
        if isinstance(event.payload, ChoiceMade) and event.payload.by is not None
    ]


@CHOICES.rule(
    "?",
    "choice-was-made-by-another",
    sources=(DJ_MCADAM, WIKIPEDIA_CHEMIN_DE_FER),
    needs=(choice_recorded,),
    each=_named_choices,
    reads=(ChoiceMade,),
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
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p3"}
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
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        due
    """,
)
def decision_by_wrong_player(
    view: CoupView, made: tuple[RecordedEvent, ChoiceMade, str]
) -> Iterator[Breach]:
    """The banker decides for his hand, and the patron to whom a hand was given for that one."""
    event, choice, by = made
    player = _player_of(view.coup, choice.hand)
    if player not in (None, by):
        yield Breach(
            f"{by} chose for the {choice.hand} hand",
            f"{player} plays it",
            f"{by} chose to {choice.choice}",
            (event,),
            patron=by,
        )


def _player_of(coup: Coup, hand: Hand) -> str | None:
    """Return who plays a hand; None where the record does not say."""
    return banked(coup).banker if hand == "banker" else given_to(coup, hand)


@each("hand", "the hand was given to nobody")
def _hands_given(view: CoupView) -> Sequence[tuple[Hand, RecordedEvent, str]]:
    """Return the hands against the banker's that were given to a patron, each with him."""
    hands: tuple[Hand, ...] = WINGS if is_banque(view) else ("player",)
    given = {
        event.payload.hand: (event.payload.hand, event, event.payload.to)
        for event in banked(view.coup).given
        if isinstance(event.payload, HandGiven)
    }
    return [given[hand] for hand in hands if hand in given]


@need("play", "the hand was given to nobody", "nothing-to-check")
def hand_given(view: CoupView) -> bool:
    """A hand was given to a patron."""
    return bool(_hands_given.of(view))


@need("play", "nobody staked against the bank", "nothing-to-check")
def staked_against(view: CoupView) -> bool:
    """A patron staked against the bank."""
    return bool(standing(view.coup))


@CHOICES.rule(
    "?",
    "hand-was-given-to-another",
    sources=(DJ_MCADAM, WIKIPEDIA_CHEMIN_DE_FER),
    needs=(
        *needs.only_at(CHEMIN_DE_FER, hand_given, staked_against),
        *needs.only_at(BANQUE, needs.bank_recorded, needs.seats_known),
    ),
    each=_hands_given,
    reads=(HandGiven, BetPlaced),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 4000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 4000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p3"}
        deal P 4 2  B K 9
        due
    """,
)
def wrong_player_for_hand(
    view: CoupView, given: tuple[Hand, RecordedEvent, str]
) -> Iterator[Breach]:
    """The hand is played by the patron who went bank, or else by the one with the highest stake.

    At baccarat banque a patron keeps the hand of his wing until it loses; then it goes to the next.
    """
    hand, event, to = given
    if is_banque(view):
        yield from _wing_given(view, "right" if hand == "right" else "left", event, to)
        return
    due = plays_player(view.shoe, view.coup)
    if due is None or to == due:
        return
    if not banked(view.coup).order and to in _as_good(view, due):
        raise incomplete(NO_SEATS if seats_lack(view.shoe) else NO_BANK)
    yield Breach(
        f"the hand was given to {to}",
        f"{due} plays it: the highest stake, the first in order of play among equals, "
        "or who goes bank",
        to,
        (event, *(bet.placed for bet in view.coup.bets.values())),
        patron=to,
    )


def _wing_given(view: CoupView, wing: Wing, event: RecordedEvent, to: str) -> Iterator[Breach]:
    """Yield the breach of a wing's hand that is another's to play.

    Where the record may lack a claim to go bank, only a patron who neither sat nor staked is surely
    wrong.
    """
    due, unknown = holder_due(view.shoe, view.coup, wing), claim_may_lack(view.shoe, view.coup)
    wrong = due is not None and to != due
    if unknown is not None and not (wrong and is_stranger(view.shoe, view.coup, to, event)):
        raise incomplete(unknown)
    if wrong:
        required = "who goes bank, or holds it until it loses, or the next on that wing"
        yield Breach(
            f"the {wing} hand was given to {to}",
            required if unknown else f"{due}: {required}",
            to,
            (event,),
            patron=to,
            key=("wing", wing),
        )


def _as_good(view: CoupView, due: str) -> set[str]:
    """Return who would play the Player hand by his stake or his claim, wherever he sat."""
    claimed = {claim.patron for claim in claims(view.coup)}
    if due in claimed:
        return claimed
    lying = standing(view.coup)
    most = max(bet.amount for bet in lying)
    return {bet.patron for bet in lying if bet.amount == most}


@need("play", "the coup is still in play", "not-due")
def called_or_closed(view: CoupView) -> bool:
    """The result was called, or the coup was closed: no further card comes."""
    return bool(_called(view))


REQUESTS: Final = (
    needs.whole_record,
    needs.not_voided,
    needs.all_dealt,
    choices_in_pack,
    called_or_closed,
    needs.choices_recorded,
    needs.choices_in_sequence,
)
"""What the rules of cards asked for and not dealt need."""


@CHOICES.rule(
    "?",
    "hand-asked-where-it-must-stand",
    sources=(CAMPIONE,),
    severity="low",
    needs=REQUESTS,
    reads=(ChoiceMade, ResultCalled, CoupClosed),
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
    """Nobody asks for a card where his hand must stand: it tells the other side of his cards."""
    burned = {getattr(drawn.payload, "hand", None) for drawn, _ in view.coup.removed_cards}
    for hand, cards in _asked_in_vain(view):
        if "draw" not in choices_of(view, hand) and hand not in burned:
            yield Breach(
                f"the {hand} asked for a card on {total(cards)}",
                _why_it_stands(view, hand, cards),
                f"the {hand} asked for a card, and had none",
                (*reversed(_choices(view, hand)), *_called(view)),
                patron=_who_asked(view, hand),
                key=("hand", hand),
            )


def withheld_cards(view: CoupView) -> Iterator[Breach]:
    """Yield a breach for each hand that could ask for a card, asked last for one, and had none.

    The record has to hold what `REQUESTS` says.
    """
    for hand, cards in _asked_in_vain(view):
        if "draw" in choices_of(view, hand):
            yield Breach(
                f"the {hand} asked for a card, and had none",
                "who asks for a card that he may have is dealt it",
                f"the {hand} was called on {' '.join(map(pretty, cards))}",
                (*_called(view), *_choices(view, hand)),
                key=("hand", hand),
            )


def withheld(view: CoupView) -> Answer:
    """Answer for the rule that a card is dealt to the hand that asks for it."""
    missing = next(filter(None, (asked.missing(view) for asked in REQUESTS)), None)
    return missing.text if missing is not None else tuple(withheld_cards(view))


def _asked_in_vain(view: CoupView) -> Iterator[tuple[Hand, list[Card]]]:
    """Yield the hands that asked for a third card last, and have two."""
    for hand in _hands.of(view):
        made = [event.payload for event in _choices(view, hand)]
        cards = _cards(view, hand)
        if made and getattr(made[-1], "choice", None) == "draw" and len(cards) == _TWO:
            yield hand, cards


def _who_asked(view: CoupView, hand: Hand) -> str | None:
    """Return who asked for a card last, as the record names him, or else who plays the hand."""
    last = _choices(view, hand)[-1].payload
    named = last.by if isinstance(last, ChoiceMade) else None
    return named or _player_of(view.coup, hand)


def _why_it_stands(view: CoupView, hand: Hand, cards: list[Card]) -> str:
    over = not in_play(view.coup) if is_banque(view) else has_natural(view.coup)
    if over or is_natural(total(cards)):
        return "a natural has no third card, and ends the coup unless it is one wing's alone"
    return f"the {hand} stands on {total(cards)}: that is not its player's to choose"


def _called(view: CoupView) -> tuple[RecordedEvent, ...]:
    """Return the event after which no card of the coup comes; none while it is in play."""
    called = view.coup.result_called or view.coup.closed
    return () if called is None else (called,)


# -- The shoe after a false draw -----------------------------------------------------------------

FALSE_DRAW = RuleGroup(family="procedure", severity="medium")


@need("shoe", "the record does not say who held the shoe")
def shoe_holder_recorded(shoe: Shoe) -> bool:
    """The record says who held the shoe."""
    return bool(shoe.shoe_moves)


@each("false draw", "no false draw was noted, or no coup came after it")
def _false_draws(shoe: Shoe) -> Sequence[tuple[Coup, Coup]]:
    """Return the coups with a false draw on record, each with the next coup that was dealt."""
    dealt = [coup for coup in shoe.coups.values() if coup.cards]
    dealt.sort(key=lambda coup: coup.cards[0].position)
    return [(coup, later) for coup, later in pairwise(dealt) if _false_draw_noted(shoe, coup)]


@FALSE_DRAW.rule(
    "?",
    "shoe-was-kept-after-a-false-draw",
    sources=(FR_55_14, FR_60),
    looks_at="shoe",
    needs=(
        needs.whole_shoe,
        needs.shoe_pack_says(
            "that a false draw costs the shoe", lambda pack: pack.table.false_draw_passes
        ),
        shoe_holder_recorded,
    ),
    each=_false_draws,
    reads=(IrregularityNoted, CardDrawn),
    breaks="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 7
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        coup p2 player 10000 | P 4 2  B K 9
    """,
    keeps="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 7
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        bank-withdrawn {"by": "p1", "amount": 10000}
        shoe-passed {"by": "p1", "reason": "ruling"}
        bank p2 10000
        coup p1 player 10000 | P 4 2  B K 9
    """,
)
def shoe_kept_after_false_draw(shoe: Shoe, drawn: tuple[Coup, Coup]) -> Iterator[Breach]:
    """A banker who deals a false draw passes the shoe before the next coup.

    A choice against the rules by the patron who played a hand is no fault of the banker who deals.
    """
    coup, later = drawn
    noted, dealt = false_draw_in(shoe, coup), later.cards[0]
    holder = _holder_before(shoe, coup.cards[0])
    if noted is None or holder is None or holder in shoe.staff:
        return
    if holder != _holder_before(shoe, dealt) or _passed_between(shoe, noted, dealt):
        return
    yield Breach(
        f"{holder} kept the shoe after a false draw in coup {coup.number}",
        "who makes a false draw passes the shoe",
        "no passing before the next coup",
        (noted, dealt),
        coup.number,
        patron=holder,
        done=dealt,
    )


def _false_draw_noted(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether a false draw was noted, and the cards do not say that there was none."""
    return any(
        isinstance(event.payload, IrregularityNoted)
        and event.payload.kind == "wrong-draw"
        and contradicted_by_record(shoe, coup, event) is None
        for event in coup.irregularities
    )


def _holder_before(shoe: Shoe, card: RecordedEvent) -> str | None:
    """Return who held the shoe when a card was drawn."""
    holder = None
    for event in shoe.shoe_moves:
        if isinstance(event.payload, ShoeTaken | ShoePassed) and after(shoe, event, card):
            break
        if isinstance(event.payload, ShoeTaken):
            holder = event.payload.by
        elif isinstance(event.payload, ShoePassed):
            holder = None
    return holder


def _passed_between(shoe: Shoe, noted: RecordedEvent, dealt: RecordedEvent) -> bool:
    """Tell whether the shoe was passed after a false draw was noted, and before the next coup."""
    return any(
        after(shoe, event, noted) and before(shoe, event, dealt)
        for event in shoe.shoe_moves
        if isinstance(event.payload, ShoePassed)
    )


RULES = (*MANDATORY.rules, *CHOICES.rules, *FALSE_DRAW.rules)
"""Every rule of this module."""
