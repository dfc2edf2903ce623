"""Rules on cards removed from a hand.

They are burned or given to the other hand. Each case needs a ruling. A ruling to burn covers all
cards drawn before the first of them was burned. A replacement card needs a ruling of its own.

"Irregularities of the cards" are those of the kinds ``wrong-draw``, ``card-exposed``,
``card-face-up``, ``card-off-the-table``, ``misdeal``, ``too-few-cards`` and ``shuffler-fault``.
The rulings ``play-on``, ``stand``, ``no-bet-hand`` and ``card-to-banker`` leave the cards as dealt.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from functools import partial

from sabot.domain.audit import needs
from sabot.domain.audit.card_history import hands_at
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.justification import excuse, next_begins, ruled_so, ruled_so_by_house
from sabot.domain.audit.restored_cards import NOT_RULED, why_not_restorable
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import CardBurned, CardDrawn, CardReassigned, IrregularityNoted
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import has_surplus_card
from sabot.domain.procedure.preconditions import ruling_requirements
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    BOME_MELILLA_2014_19_PAGE_358,
    LAC_42_III_3103,
    PA_CODE_58_629A_13,
)
from sabot.domain.rules.third_card_table import banker_draws, player_draws
from sabot.domain.timeline.evidence import after, settle, surely
from sabot.domain.values.cards import FIRST_TWO, format_card

MOVED = RuleGroup(family="procedure", concerns="game")

# -- Burned ----------------------------------------------------------------------------------------

RemovedCard = tuple[int, RecordedEvent[CardDrawn], RecordedEvent[CardBurned]]
"""A dealt card that was burned: its number in the coup, from 1, its draw and its burn."""


@each("dealt card that was burned", "no card was removed from its hand", about="cards")
def _removed_cards(view: CoupView) -> Sequence[RemovedCard]:
    """Return the cards of a coup that were dealt to a hand, and then burned."""
    return [(nth, *cards) for nth, cards in enumerate(view.coup.removed_cards, 1)]


@MOVED.rule(
    "D104",
    "dealt-card-burned-without-ruling",
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58),
    needs=(needs.present(_removed_cards), needs.record_not_coups_alone),
    due=needs.coup_over,
    breach_events=(CardDrawn, CardBurned, IrregularityNoted),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 2  B K  P 4  B 8  P 9
        card-burned {"card": "9", "place": 7, "reason": "ruling", "coup": 1}
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 2  B K  P 4  B 8  P 9
        irregularity-noted {"kind": "wrong-draw", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"card": "9", "place": 7, "reason": "ruling", "coup": 1}
        due
    """,
)
def dealt_card_burned_without_ruling(view: CoupView) -> Iterator[Breach]:
    """A dealt card is removed from its hand and burned only on a recorded ruling.

    The burn gives the card's place in the shoe, or the reason `ruling` and the face of the last
    card out of the shoe. Any other burn is of a new card (see S305). The ruling `burn-card` or
    `other` permits the burn. On an irregularity of the cards, or of the kind `other`, so does any
    ruling except `play-on`, `stand`, `no-bet-hand` and `card-to-banker`. These other rulings permit
    nothing if the rule pack lists rulings for that kind without `burn-card`. Without a ruling, an
    irregularity of the cards also permits the burn: `wrong-draw`, `card-exposed`, `card-face-up`,
    `card-off-the-table`, `misdeal`, `too-few-cards` or `shuffler-fault`.

    The irregularity is noted before the next coup begins; it may be noted after the burn. An
    irregularity that names a patron permits nothing. An irregularity that names nobody permits
    nothing if the record up to then names crew, or a person who ruled or voided. Too few cards may
    be noted by anybody. At punto banco an irregularity that the record contradicts permits nothing:
    a wrong draw, too few cards or a late bet that did not happen. One ruling covers all cards drawn
    before the first of them was burned. A card drawn later needs another ruling. If there are too
    few rulings, the last of the burned cards are reported, each by itself.
    """
    shoe, coup = view.shoe, view.coup
    rulings = shoe.pack.rulings if shoe.pack is not None else {}
    rounds = _removals_by_ruling(view)
    noted = excuse(
        view,
        lambda payload: ruling_requirements.may_be_taken_off([payload], rulings),
        next_begins(shoe, coup),
        wanted=len(rounds),
    )
    spent = "each ruling already had its removed card" if noted.excuses else noted.objection
    for burns in rounds[len(noted.excuses) :]:
        for nth, drawn, burned in burns:
            card, hand = drawn.payload, hand_label(drawn.payload.hand, drawn.payload.seat)
            yield Breach(
                f"{format_card(card.card)} was removed from {hand} and burned, and {spent}",
                "cards stay in their hands unless a ruling removes them",
                spent if coup.irregularities else "no irregularity was noted",
                (drawn, burned, *noted.unfit_irregularities),
                offending_event=burned,
                key=("taken-off", nth),
            )


def _removals_by_ruling(view: CoupView) -> list[list[RemovedCard]]:
    """Return the burned cards grouped by the ruling that may cover them.

    One ruling covers every card drawn before its first burn. Later cards need another.
    """
    rounds: list[list[RemovedCard]] = []
    for burn in _removed_cards.of(view):
        if not rounds or surely(partial(after, view, burn[1], rounds[-1][0][2])):
            rounds.append([])
        rounds[-1].append(burn)
    return rounds


# -- Given to the other hand -----------------------------------------------------------------------


@need("play", "no ruling of the house gave a card to Banker", "nothing-to-check")
def _ruled_to_be_bankers(view: CoupView) -> bool:
    """A ruling gave a card to Banker, and the ruling was not made by a patron."""
    return bool(ruled_so_by_house(view.shoe, view.coup, "card-to-banker"))


@need("cards", "no card was due to Banker", "nothing-to-check")
def _due_to_banker(view: CoupView) -> bool:
    """Player has a surplus card and Banker draws, or a card was moved."""
    coup = view.coup
    surplus = has_surplus_card(view.shoe, coup.player, coup.banker)
    due = player_draws(view.player_total, view.banker_total)
    third = view.player_third if due else None
    draws = banker_draws(view.player_total, view.banker_total, third)
    return (surplus and draws) or bool(coup.reassigned)


@MOVED.rule(
    "D106",
    "card-withheld-from-banker",
    sources=(BOME_MELILLA_2014_19_PAGE_358, PA_CODE_58_629A_13),
    games=("punto-banco", "chemin-de-fer"),
    needs=(_ruled_to_be_bankers, needs.coup_over, needs.not_voided, _due_to_banker),
    breach_events=(IrregularityNoted, CardDrawn),
    follows_from=("player-drew-against-table",),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 2  B 3  P 4  B 2  P K
        irregularity-noted {"kind": "wrong-draw", "ruling": "card-to-banker", "coup": 1, "by": "al"}
        due
    """,
    also=("player-drew-against-table",),
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 2  B 3  P 4  B 2  P K
        irregularity-noted {"kind": "wrong-draw", "ruling": "card-to-banker", "coup": 1, "by": "al"}
        card-reassigned {"coup": 1, "hand": "player", "to": "banker", "by": "al"}
        due
    """,
)
def card_withheld_from_banker(view: CoupView) -> Iterator[Breach]:
    """A surplus card of Player that a ruling gives to Banker is moved to Banker's hand.

    A third card is surplus if Player has to stand by the third-card table. A third card of a hand
    that may choose is not surplus here, even if that hand chose to stand. Banker then draws on 0 to
    5, unless a hand has a natural. If Player has to draw, a fourth card is surplus as long as
    Banker has only two cards. Banker then draws by the table against Player's third card. If any
    card of the coup was moved to the other hand, D107 checks the move.
    """
    coup = view.coup
    if not coup.reassigned:
        third = [card for card in coup.cards if card.payload.hand == "player"][FIRST_TWO:]
        named = f" ({format_card(third[-1].payload.card)})" if third else ""
        yield Breach(
            f"Player's surplus card{named} was not given to Banker, to whom it was due",
            f"Banker draws to {view.banker_total}: the card is Banker's third",
            "it stayed with Player",
            (*ruled_so(view.coup, "card-to-banker"), coup.cards[-1], *third),
            offending_event=coup.result_called or coup.closed,
        )


@each("card given to the other hand", "no card was given to the other hand", about="cards")
def _given_cards(view: CoupView) -> Sequence[RecordedEvent[CardReassigned]]:
    """Return the events that moved a card from one hand to the other."""
    return view.coup.reassigned


@MOVED.rule(
    "D107",
    "card-moved-without-ruling",
    sources=(BOME_MELILLA_2014_19_PAGE_358, PA_CODE_58_629A_13, LAC_42_III_3103),
    games=("punto-banco", "chemin-de-fer"),
    each=_given_cards,
    breach_events=(CardReassigned, IrregularityNoted),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 2  B 3  P 4  B 2  P K
        card-reassigned {"coup": 1, "hand": "player", "to": "banker", "by": "dora"}
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 2  B 3  P 4  B 2  P K
        irregularity-noted {"kind": "wrong-draw", "ruling": "card-to-banker", "coup": 1, "by": "al"}
        card-reassigned {"coup": 1, "hand": "player", "to": "banker", "by": "dora"}
        due
    """,
)
def card_moved_without_ruling(
    view: CoupView, given: RecordedEvent[CardReassigned]
) -> Iterator[Breach]:
    """A card is moved to the other hand only on a ruling.

    By the ruling `card-to-banker`, a surplus card of Player becomes Banker's third card. The ruling
    permits the move of no other card. A third card is surplus if Player has to stand or, at chemin
    de fer, may stand. If Player has to draw, a fourth card is surplus as long as Banker has only
    two cards. If a hand had fewer than two cards, any card of Player may be moved. The ruling must
    be noted before the next coup begins. At punto banco, in a record of the whole shoe, the ruling
    permits no move if the record contradicts a noted wrong draw, late bet or lack of cards. The
    ruling permits no move if it and the first move of any card in the coup name only patrons. It
    permits no move either if they name nobody, although the record up to then names crew, or a
    person who ruled or voided. Neither limit applies to a noted lack of cards: anybody may note it,
    and it needs no name. One such ruling covers every surplus card. By the ruling `restore-card`,
    the last card of a hand goes to the hand to which it was due. It goes there before another card
    is drawn, a bet is settled or the coup is closed. Each such ruling restores one card, whenever
    it was noted, unless it names a patron.
    """
    if given.payload.to == "banker" and ruled_so(view.coup, "card-to-banker"):
        yield from _to_banker(view, given)
    else:
        yield from _restored(view, given)


def _to_banker(view: CoupView, given: RecordedEvent[CardReassigned]) -> Iterator[Breach]:
    """Yield a breach if no valid ruling gives the card to Banker."""
    noted = excuse(
        view,
        lambda payload: payload.ruling == "card-to-banker",
        next_begins(view.shoe, view.coup),
        by=view.coup.reassigned[0].payload.by,
    )
    if not noted.excuses:
        yield Breach(
            f"{hand_label(given.payload.hand)}'s card was given to the other hand, and "
            f"{noted.objection}",
            "a card goes to the other hand only on a ruling on a real wrong draw",
            noted.objection,
            (given, *noted.unfit_irregularities),
        )
    elif not _had_surplus(view, given):
        yield Breach(
            f"{hand_label(given.payload.hand)}'s card was given to the other hand, though it was "
            "not surplus",
            "only a surplus card of Player goes to Banker",
            "Player had no surplus card",
            (given, *noted.excuses),
        )


def _had_surplus(view: CoupView, given: RecordedEvent[CardReassigned]) -> bool:
    """Return whether Player had a surplus card before a move. True if too few cards are known."""
    hands = hands_at(view.coup, given)
    player, banker = ([card.drawn.payload.card for card in hands[on]] for on in needs.SIDES)
    known = min(len(player), len(banker)) >= FIRST_TWO
    return not known or has_surplus_card(view.shoe, player, banker, chosen=True)


def _restored(view: CoupView, given: RecordedEvent[CardReassigned]) -> Iterator[Breach]:
    """Yield a breach if a card was moved to the wrong hand, or without a ruling."""
    wrong = why_not_restorable(view, given)
    if wrong is None:
        return
    settle(view, view.coup.reassigned, view.coup.cards)
    hand = given.payload.hand
    if wrong == NOT_RULED:
        said = f"{hand_label(hand)}'s card was given to the other hand without a ruling"
        required = "a card goes to the other hand only on a noted ruling"
    else:
        said = f"{hand_label(hand)}'s card was restored to the other hand, and {wrong}"
        required = "a card is restored at once, and to the hand to which it was due"
    yield Breach(said, required, wrong, (given,))


RULES = (*MOVED.rules,)
"""Every rule of this module."""
