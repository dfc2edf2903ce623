"""Rule on no-bet hands: coups that a ruling has dealt to the end without bets.

A rule checks voided coups too, unless it needs `needs.not_voided`.
"""

from collections.abc import Iterator, Sequence

from sabot.domain.audit import needs
from sabot.domain.audit.completeness import NO_CARDS, holds_coups_alone
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.justification import ruled_so
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import CardBurned, IrregularityNoted
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.common import hand_due
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import hands_that_disobeyed
from sabot.domain.rules.sources import ZENDER_DONTS_OF_BACCARAT_1

NO_BET_HANDS = RuleGroup(
    family="procedure", concerns="game", games=("punto-banco", "chemin-de-fer")
)


@each("ruling that it is a no-bet hand", "no coup was ruled a no-bet hand")
def _rulings(view: CoupView) -> Sequence[tuple[RecordedEvent, ...]]:
    """Return the rulings that make the coup a no-bet hand, as one subject."""
    ruled = tuple(ruled_so(view.coup, "no-bet-hand"))
    return [ruled] if ruled else []


@need("cards", NO_CARDS)
def cards_of_coup_known(view: CoupView) -> bool:
    """The coup has a card on record, or the record holds more than coups."""
    return bool(view.coup.cards) or not holds_coups_alone(view.shoe)


@NO_BET_HANDS.rule(
    "I309",
    "no-bet-hand-not-played-out",
    sources=(ZENDER_DONTS_OF_BACCARAT_1,),
    needs=(
        needs.present(_rulings),
        needs.coup_over,
        needs.from_first_card,
        cards_of_coup_known,
    ),
    each=_rulings,
    breach_events=(IrregularityNoted, CardBurned),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        irregularity-noted {"kind": "card-exposed", "ruling": "no-bet-hand", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        irregularity-noted {"kind": "card-exposed", "ruling": "no-bet-hand", "coup": 1, "by": "sue"}
        deal > B 8
        coup-voided {"coup": 1}
    """,
)
def no_bet_hand_not_played_out(
    view: CoupView, ruled: tuple[RecordedEvent, ...]
) -> Iterator[Breach]:
    """In a no-bet hand bets are returned, the cards dealt to the end, and no hand's card burned.

    The three parts are checked together, once for the coup. The bets of a voided coup need not be
    returned bet by bet. If the coup is not voided, each bet is withdrawn or pushed, and nothing is
    paid, taken or charged on it. At chemin de fer a hand that may choose needs no third card. The
    burn of a card that had been dealt to a hand of the coup is a breach, even before the ruling. A
    burn that names the coup, with a ruling as its reason, is also a breach. Any other burn is
    permitted. A ruling counts whoever made it.
    """
    coup = view.coup
    burns = events_of(CardBurned, coup.events)
    off_hands = view.shoe.burned_off_hands
    burned = [e for e in burns if e.payload.reason == "ruling" or e.position in off_hands]
    wrong = []
    if coup.voided is None and not coup.fully_refunded:
        wrong.append("its bets were not returned")
    if _lacks_card(view):
        wrong.append("its cards were not dealt to the end")
    if burned:
        wrong.append("a card of it was burned")
    if wrong:
        shown = ", ".join(wrong)
        yield Breach(
            f"the coup was ruled a no-bet hand, and {shown}",
            "the bets are returned, and the cards are dealt to the end without bets",
            shown,
            (*ruled, *burned),
            offending_event=burned[0] if burned else coup.closed or coup.voided,
        )


def _lacks_card(view: CoupView) -> bool:
    """Return whether a hand lacks one of its first two cards, or a third card that it must draw."""
    coup, game = view.coup, game_of(view.shoe.pack)
    if game.name == "chemin-de-fer" and game.is_dealt(view.shoe, coup):
        return any(due == "draw" for _, due in hands_that_disobeyed(view.shoe, coup))
    return hand_due(coup.player, coup.banker) is not None


RULES = (*NO_BET_HANDS.rules,)
"""Every rule of this module."""
