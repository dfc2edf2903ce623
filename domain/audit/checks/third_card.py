"""Rules on third cards at punto banco.

They find wrong draws, wrong stands, and failure to report them. A rule checks voided coups too,
unless it needs `needs.not_voided`.

A breach that was noted, ruled on and put right is reported as a note
(`sabot.domain.audit.put_right`). This does not apply to rules on irregularities.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.card_history import events_of_card, passed_over
from sabot.domain.audit.checks import choices
from sabot.domain.audit.checks.moved_cards import card_moved_without_ruling
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import event_in_words
from sabot.domain.audit.justification import excuse, next_begins
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each
from sabot.domain.audit.verdicts import answer_of
from sabot.domain.events import (
    CardDrawn,
    CardReassigned,
    CoupClosed,
    Hand,
    Irregularity,
    IrregularityNoted,
    ResultCalled,
)
from sabot.domain.events.bank import ChoiceMade
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.games import game_of
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    BOME_MELILLA_2014_19_PAGE_358,
    CASINO_DI_CAMPIONE_CHEMIN_DE_FER,
    DESPACHO_55_2004_ART_4,
    PA_CODE_58_629A_13,
    PA_CODE_58_631A_11,
    ZENDER_DONTS_OF_BACCARAT_1,
)
from sabot.domain.rules.third_card_table import banker_draws, player_draws, why_banker, why_player
from sabot.domain.values.cards import format_card, format_cards

THIRD_CARD = RuleGroup(family="tableau", concerns="game", games=("punto-banco",))
_DEALT = (needs.from_first_card, needs.all_dealt, needs.order_of_hands_known)
_MOVED: Final = (code_of(card_moved_without_ruling),)
"""The rule whose breach gives a hand a card that was another's, or takes one from it."""
_MOST_CARDS = 3
"""The maximum number of cards of a hand."""


@THIRD_CARD.rule(
    "T101",
    "player-drew-against-table",
    sources=(ARRETE_2007_ART_55_14, PA_CODE_58_631A_11),
    needs=(needs.not_voided, *_DEALT),
    follows_from=_MOVED,
    breach_events=(CardDrawn, CardReassigned),
    clean_when=by_the_book,
    breaks="coup P 2 4 K  B 3 4",
    keeps="coup P 2 3 K  B 3 4",
)
def player_drew_against_table(view: CoupView) -> Iterator[Breach]:
    """Player takes no third card on 6 or 7, nor if either hand has a natural (8 or 9).

    The totals are those of the first two cards. The rule looks at the hands as they lie at the end.
    A burned card is in no hand if the burn names its place. The last card out of the shoe is also
    in no hand if a ruling burned it by its face. A moved card is in the hand that got it. A card
    drawn after the coup was closed is in no hand, except in four cases: the record holds only
    coups, a ruling made the coup a no-bet hand, the hand had fewer than two cards, or the coup had
    bets and was neither called nor settled. T102 reports a third card that is missing.
    """
    if _drew(view, "player") and not player_draws(view.player_total, view.banker_total):
        yield _draw(
            view, "player", view.player_total, why_player(view.player_total, view.banker_total)
        )


@THIRD_CARD.rule(
    "T102",
    "player-stood-against-table",
    sources=(ARRETE_2007_ART_55_14, PA_CODE_58_631A_11),
    needs=(needs.not_voided, *_DEALT),
    due=needs.called_closed_or_followed,
    follows_from=_MOVED,
    breach_events=(CardDrawn, CardReassigned, ResultCalled),
    clean_when=by_the_book,
    breaks="coup P 2 3  B 3 4",
    keeps="coup P 2 4  B 3 4",
)
def player_stood_against_table(view: CoupView) -> Iterator[Breach]:
    """Player takes a third card on 0 to 5, unless Banker has a natural (8 or 9).

    The totals are those of the first two cards. The rule looks at the hands as they lie at the end.
    A burned card is in no hand if the burn names its place. The last card out of the shoe is also
    in no hand if a ruling burned it by its face. A moved card is in the hand that got it. A card
    drawn after the coup was closed is in no hand, except in four cases: the record holds only
    coups, a ruling made the coup a no-bet hand, the hand had fewer than two cards, or the coup had
    bets and was neither called nor settled.
    """
    if not _drew(view, "player") and player_draws(view.player_total, view.banker_total):
        yield _stand(
            view, "player", view.player_total, why_player(view.player_total, view.banker_total)
        )


@THIRD_CARD.rule(
    "T103",
    "banker-drew-against-table",
    sources=(ARRETE_2007_ART_55_14, PA_CODE_58_631A_11),
    needs=(needs.not_voided, *_DEALT),
    follows_from=_MOVED,
    breach_events=(CardDrawn, CardReassigned),
    clean_when=by_the_book,
    breaks="coup P 2 3 8  B K 3 4",
    keeps="coup P 2 3 7  B K 3 4",
)
def banker_drew_against_table(view: CoupView) -> Iterator[Breach]:
    """Banker takes a third card only where the third-card table says so, never after a natural.

    The third-card table is applied to Banker's first two cards and to the third card that Player
    really took, due or not. If Player stood, rightly or not, Banker draws on 0 to 5. The rule looks
    at the hands as they lie at the end. A burned card is in no hand if the burn names its place.
    The last card out of the shoe is also in no hand if a ruling burned it by its face. A moved card
    is in the hand that got it. A card drawn after the coup was closed is in no hand, except in four
    cases: the record holds only coups, a ruling made the coup a no-bet hand, the hand had fewer
    than two cards, or the coup had bets and was neither called nor settled.
    """
    if _drew(view, "banker") and not banker_draws(
        view.player_total, view.banker_total, view.player_third
    ):
        yield _draw(
            view,
            "banker",
            view.banker_total,
            why_banker(view.player_total, view.banker_total, view.player_third),
        )


@THIRD_CARD.rule(
    "T104",
    "banker-stood-against-table",
    sources=(ARRETE_2007_ART_55_14, PA_CODE_58_631A_11),
    needs=(needs.not_voided, *_DEALT),
    due=needs.called_closed_or_followed,
    follows_from=_MOVED,
    breach_events=(CardDrawn, CardReassigned, ResultCalled),
    clean_when=by_the_book,
    breaks="coup P 2 3 9  B K 3",
    keeps="coup P 2 3 8  B K 3",
)
def banker_stood_against_table(view: CoupView) -> Iterator[Breach]:
    """Banker takes a third card wherever the third-card table says so.

    The third-card table is applied to Banker's first two cards and to the third card that Player
    really took, due or not. After a natural of either hand nobody draws. If Player stood, rightly
    or not, Banker draws on 0 to 5. The rule looks at the hands as they lie at the end. A burned
    card is in no hand if the burn names its place. The last card out of the shoe is also in no hand
    if a ruling burned it by its face. A moved card is in the hand that got it. A card drawn after
    the coup was closed is in no hand, except in four cases: the record holds only coups, a ruling
    made the coup a no-bet hand, the hand had fewer than two cards, or the coup had bets and was
    neither called nor settled.
    """
    if not _drew(view, "banker") and banker_draws(
        view.player_total, view.banker_total, view.player_third
    ):
        yield _stand(
            view,
            "banker",
            view.banker_total,
            why_banker(view.player_total, view.banker_total, view.player_third),
        )


@THIRD_CARD.rule(
    "T105",
    "fourth-card-drawn",
    needs=(needs.not_voided,),
    sources=(ARRETE_2007_ART_55_14, CASINO_DI_CAMPIONE_CHEMIN_DE_FER),
    games=("punto-banco", "chemin-de-fer"),
    each=needs.hands,
    follows_from=(
        "player-stood-against-table",
        "stand-on-mandatory-draw",
        *_MOVED,
    ),
    breach_events=(CardDrawn, CardReassigned),
    clean_when=by_the_book,
    breaks="coup P 2 3 K 4  B 3 4",
    keeps="coup P 2 3 K  B 3 4",
)
def fourth_card_drawn(view: CoupView, hand: Hand) -> Iterator[Breach]:
    """No hand takes more than three cards.

    A burned card is in no hand if the burn names its place. The last card out of the shoe is also
    in no hand if a ruling burned it by its face. A moved card is in the hand that got it. A card
    drawn after the coup was closed is in no hand, except in four cases: the record holds only
    coups, a ruling made the coup a no-bet hand, the hand had fewer than two cards, or the coup had
    bets and was neither called nor settled. All cards beyond the third of a hand are one finding,
    which shows the fourth card.
    """
    count = len(view.coup.hand(hand))
    if count > _MOST_CARDS:
        yield Breach(
            f"{hand_label(hand)} took {count} cards ({format_cards(view.coup.hand(hand))})",
            "a hand has two or three cards",
            f"{count} cards",
            events_of_card(view.coup, hand, _MOST_CARDS + 1),
        )


UNREPORTED = RuleGroup(family="procedure", concerns="record")


OF_DRAWS: Final = (*THIRD_CARD.rules, *choices.MANDATORY.rules)
"""The rules of drawing and standing."""


@each("wrong draw or stand", "no hand drew or stood against the third-card table", about="cards")
def _wrong_draws(view: CoupView) -> Sequence[Breach]:
    """Return the first wrong draw or stand of a coup.

    The wrong draws and stands are those that T101 to T107 report in their games, fourth cards
    included. Only the first of a coup is checked, in the order of those rules.
    """
    game = game_of(view.shoe.pack).name
    for rule in OF_DRAWS:
        answer = answer_of(rule, view) if rule.is_of(game) else ()
        if isinstance(answer, tuple) and answer and isinstance(answer[0], Breach):
            return [answer[0]]
    return ()


@UNREPORTED.rule(
    "I301",
    "unreported-wrong-draw",
    sources=(ARRETE_2007_ART_55_14, ZENDER_DONTS_OF_BACCARAT_1),
    needs=(
        needs.record_not_coups_alone,
        needs.pack_says("how a wrong draw is ruled on", lambda pack: "wrong-draw" in pack.rulings),
        needs.not_voided,
        needs.coup_over,
    ),
    each=_wrong_draws,
    follows_from=tuple(rule.code for rule in OF_DRAWS),
    breach_events=(
        *(CardDrawn, CardReassigned, ChoiceMade),
        *(ResultCalled, CoupClosed, IrregularityNoted),
    ),
    clean_when=by_the_book,
    breaks="""
        with rulings.wrong-draw = ["void"]
        coup P 2 4 K  B 3 4
    """,
    also=("player-drew-against-table",),
    keeps="""
        with rulings.wrong-draw = ["void"]
        coup P 2 3 K  B 3 4
    """,
)
def unreported_wrong_draw(view: CoupView, wrong: Breach) -> Iterator[Breach]:
    """A wrong draw or stand is noted as an irregularity before the coup is closed.

    The irregularity is of the kind `wrong-draw` or `misdeal`, with any ruling or none. An
    irregularity that names only a patron does not satisfy the rule. An irregularity that names
    nobody does not satisfy the rule either, if the record up to then names crew, or a person who
    ruled or voided. Bets may be paid before the irregularity is noted. If the coup is never closed,
    the irregularity has to be noted before the next coup begins.
    """
    yield from _unreported(
        view,
        ("wrong-draw", "misdeal"),
        f"a wrong draw or stand was not noted: {wrong.message}",
        "a wrong draw or stand is noted as an irregularity before the coup is closed",
        wrong.events,
    )


@each("set of face-up cards", "no card lay face up in the shoe", about="cards")
def _face_up_cards(view: CoupView) -> Sequence[tuple[RecordedEvent, ...]]:
    """Return the cards of a coup that were face up in the shoe, as one subject.

    A card that was taken off its hand and burned is not checked.
    """
    shown = tuple(card for card in view.coup.cards if card.payload.face_up)
    return [shown] if shown else []


@UNREPORTED.rule(
    "I302",
    "unreported-exposed-card",
    needs=(needs.record_not_coups_alone,),
    sources=(DESPACHO_55_2004_ART_4, BOME_MELILLA_2014_19_PAGE_358, PA_CODE_58_629A_13),
    each=_face_up_cards,
    due=needs.coup_over,
    breach_events=(CardDrawn, CoupClosed, IrregularityNoted),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3, "face_up": true}
        deal > B K  P 5  B 8
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3}
        deal > B K  P 5  B 8
        due
    """,
)
def unreported_exposed_card(view: CoupView, cards: tuple[RecordedEvent, ...]) -> Iterator[Breach]:
    """A card face up in the shoe is noted as an irregularity before the coup is closed.

    The irregularity is of the kind `card-face-up`, with any ruling or none. It may be noted before
    or after the card is drawn. An irregularity that names only a patron does not satisfy the rule.
    An irregularity that names nobody does not satisfy the rule either, if the record up to then
    names crew, or a person who ruled or voided. Bets may be paid before the irregularity is noted.
    If the coup is never closed, the irregularity has to be noted before the next coup begins. One
    irregularity covers all face-up cards of a coup. Without an irregularity, all these cards are
    one finding.
    """
    shown = ", ".join(event_in_words(view.shoe, card.payload) for card in cards)
    yield from _unreported(
        view,
        ("card-face-up",),
        f"a card face up in the shoe was not noted: {shown}",
        "a card face up in the shoe is noted as an irregularity before the coup is closed",
        cards,
    )


def _unreported(
    view: CoupView,
    kinds: tuple[Irregularity, ...],
    said: str,
    required: str,
    events: tuple[RecordedEvent, ...],
) -> Iterator[Breach]:
    """Yield a breach unless an irregularity of one of the kinds was noted in time."""
    coup = view.coup
    until = coup.closed or next_begins(view.shoe, coup)
    noted = excuse(view, lambda _: True, until, kinds=kinds)
    if not noted.excuses:
        yield Breach(
            said,
            required,
            noted.objection,
            (*events, *noted.unfit_irregularities, *([coup.closed] if coup.closed else [])),
            offending_event=coup.result_called or coup.closed,
        )


def _drew(view: CoupView, hand: Hand) -> bool:
    return len(view.coup.hand(hand)) >= _MOST_CARDS


def _draw(view: CoupView, hand: Hand, points: int, why: str) -> Breach:
    card = format_card(view.coup.hand(hand)[2])
    return Breach(
        f"{_NAMES[hand]} drew {card} on {points}",
        why,
        f"{_NAMES[hand]} {points} drew {card}",
        events_of_card(view.coup, hand, _MOST_CARDS),
    )


def _stand(view: CoupView, hand: Hand, points: int, why: str) -> Breach:
    third = view.player_third if hand == "banker" else None
    against = "" if third is None else f" against a third card {third}"
    called = view.coup.result_called
    moved = [event for event in view.coup.reassigned if event.payload.hand == hand]
    return Breach(
        f"{_NAMES[hand]} stood on {points}{against}; a draw was due",
        why,
        f"{_NAMES[hand]} {points} stood",
        (*view.coup.cards, *([called] if called is not None else []), *moved),
        offending_event=passed_over(view, hand),
    )


_NAMES: Final = {"player": "Player", "banker": "Banker"}

RULES = (
    *THIRD_CARD.rules,
    *UNREPORTED.rules,
)
"""Every rule of this module."""
