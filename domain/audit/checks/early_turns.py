"""Rule on cards that are turned too early: the hands stay hidden until both have decided.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence

from sabot.domain.audit import needs
from sabot.domain.audit.checks.dealing import dealt_face_down
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import CardDrawn, CardTurned
from sabot.domain.events.bank import ChoiceMade
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.patron_bank import bank_events_of, has_natural
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.sources import WIKIPEDIA_BACCARAT_CHEMIN_DE_FER
from sabot.domain.timeline.evidence import before
from sabot.domain.values.cards import FIRST_TWO, format_card

EARLY_TURNS = RuleGroup(family="procedure", concerns="game", games=("chemin-de-fer",))


@each("turned card of the first four", "no card was turned")
def _turned(view: CoupView) -> Sequence[RecordedEvent[CardTurned]]:
    """Return the first turn of each of the four cards dealt at first.

    A third card is dealt face up, so its turn is not checked.
    """
    first: dict[tuple[str, int], RecordedEvent[CardTurned]] = {}
    for event in view.coup.turned:
        if event.payload.nth <= FIRST_TWO:
            first.setdefault((event.payload.hand, event.payload.nth), event)
    return list(first.values())


def _decisions(view: CoupView) -> list[RecordedEvent[ChoiceMade | CardDrawn]]:
    """Return the event that decided each hand: its first choice, or else its third card.

    If a hand chooses again, other rules judge that.
    """
    first: dict[str, RecordedEvent[ChoiceMade | CardDrawn]] = {}
    for choice in bank_events_of(view.coup).choices:
        first.setdefault(choice.payload.hand, choice)
    drawn = dict.fromkeys(needs.SIDES, 0)
    for card in view.coup.cards:
        drawn[card.payload.hand] = drawn.get(card.payload.hand, 0) + 1
        if drawn[card.payload.hand] > FIRST_TWO:
            first.setdefault(card.payload.hand, card)
    return list(first.values())


@need("play", "no hand had to decide", "nothing-to-check")
def _decided_without_natural(view: CoupView) -> bool:
    """A hand's choice about a third card is recorded, or it drew one, and no hand had a natural."""
    return bool(_decisions(view)) and not has_natural(view.coup)


@EARLY_TURNS.rule(
    "D108",
    "card-shown-before-choice",
    sources=(WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,),
    needs=(
        dealt_face_down,
        needs.record_not_coups_alone,
        needs.not_voided,
        needs.from_first_card,
        needs.all_dealt,
        needs.present(_turned),
        _decided_without_natural,
    ),
    each=_turned,
    due=needs.coup_over,
    one_cause=True,
    breach_events=(CardTurned, ChoiceMade, CardDrawn),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal > P 4  B K  P 2  B 5
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "draw", "by": "p1"}
        deal > B 3
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
        deal > P 4  B K  P 2  B 5
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "draw", "by": "p1"}
        deal > B 3
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        due
    """,
)
def card_shown_before_choice(view: CoupView, turned: RecordedEvent[CardTurned]) -> Iterator[Breach]:
    """The first two cards of each hand stay face down until both hands have decided.

    A hand decides by its first choice, or by its third card if no choice is recorded. A hand
    without a choice and without a third card is not considered. If an irregularity of the kind
    `card-exposed` was noted in the coup, at any time, no card of the coup is judged. The cards of
    one coup are one finding.
    """
    if any(noted.payload.kind == "card-exposed" for noted in view.coup.irregularities):
        return
    later = [event for event in _decisions(view) if before(view, turned, event)]
    if later:
        hand, decided = hand_label(turned.payload.hand), hand_label(later[0].payload.hand)
        yield Breach(
            f"{hand}'s {_face(view, turned.payload)} was turned before {decided} had decided",
            "cards that are dealt face down stay so until the last choice, or a natural",
            f"turned before {decided} decided",
            (turned, *later),
        )


def _face(view: CoupView, turned: CardTurned) -> str:
    """Return the face of a turned card, or "card" if it is not on record."""
    cards = [each.payload for each in view.coup.cards if each.payload.hand == turned.hand]
    mine = [card.card for card in cards if card.seat == turned.seat]
    return format_card(mine[turned.nth - 1]) if turned.nth <= len(mine) else "card"


RULES = (*EARLY_TURNS.rules,)
"""Every rule of this module."""
