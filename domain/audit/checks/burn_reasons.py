"""Rules on cards burned during a shoe.

Each burned card needs a reason, as recorded with the card. These events are reasons:

- ``relief``: a person took the post of dealer or caller. The card is burned outside a coup.
- ``dead-game``: a patron sat down after all had left. The card is burned outside a coup.
- ``ruling``: an irregularity was noted with the ruling ``burn-card`` or ``other``. At an
  irregularity of the cards or of the kind ``other``, any ruling counts that does not leave the
  cards as dealt. The exception is a rule pack that lists the rulings for it without ``burn-card``.
- ``fault``: the shuffler failed, or an irregularity of the cards was noted. It has no ruling, or
  one that does not leave the cards as dealt. An event that is a reason for ``ruling`` counts too.
- ``other``: any of these.

"Irregularities of the cards" are those of the kinds ``wrong-draw``, ``card-exposed``,
``card-face-up``, ``card-off-the-table``, ``misdeal``, ``too-few-cards`` and ``shuffler-fault``.
The rulings ``play-on``, ``stand``, ``no-bet-hand`` and ``card-to-banker`` leave the cards as dealt.

A ruling that the record contradicts is not a reason, and neither is one that names nobody although
the record names crew or earlier rulings. `sabot.domain.audit.burned_cards` decides all this.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.burned_cards import (
    Burn,
    PossibleCauses,
    any_burned,
    cards_burned_after_opening,
    cause_unknown,
    changes_about,
    unrequested_burns,
)
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import About, Each, RuleGroup, each
from sabot.domain.events import CardBurned, CardDrawn, CrewChanged, PatronSeated
from sabot.domain.events.labels import burn_label
from sabot.domain.procedure.burns import Occasion, Why, burn_occasions, cards_burned_on
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    LAC_42_III_3106,
    ZENDER_DONTS_OF_BACCARAT_1,
)
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import answered, settle
from sabot.domain.values.cards import format_card

BURNS = RuleGroup(family="procedure", concerns="game")

# -- Cards that nothing asked for ------------------------------------------------------------------

_AS: Final = {
    "relief": "for a dealer relief that did not happen",
    "dead-game": "for a reopened game that was never dead",
    "ruling": "for a ruling that did not order it",
    "fault": "for a fault that did not require it",
    "other": "without a ruling, a fault or a dealer relief",
}
_REQUIRED: Final = {
    "relief": "a change of dealer between two coups",
    "dead-game": "a dead game that was reopened",
    "ruling": "a ruling to burn a card that is not yet carried out",
    "fault": "a fault of the shuffler or of a card without a burned card yet",
    "other": "a ruling, a fault, a relief, or a dead game",
}


@each(
    "burned card",
    "no card was burned between the opening burn and a later drawn card",
    about="cards",
)
def _burned_after_opening(shoe: Shoe) -> Sequence[tuple[Burn, PossibleCauses | None]]:
    """Return the cards burned after the opening burn, each with the events considered or None.

    The opening burn is every card with the reason `opening`. A card burned after the last card that
    was drawn for a hand is not checked: its reason may still come. D104 checks a card that was
    burned off a hand.
    """
    if not any_burned(shoe):
        return ()
    cards = list(cards_burned_after_opening(shoe))
    quiet = unrequested_burns(shoe, cards)
    return [(burn, quiet.get(burn.nth)) for burn in cards]


@BURNS.rule(
    "S305",
    "unjustified-burn",
    sources=(ARRETE_2007_ART_55_14, LAC_42_III_3106, ZENDER_DONTS_OF_BACCARAT_1),
    looks_at="shoe",
    needs=(needs.burns_on_record,),
    each=_burned_after_opening,
    breach_events=(CardBurned, CardDrawn),
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 2  B K  P 3  B 7
        card-burned {"place": 7, "reason": "other"}
        deal > P 9
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 2  B K  P 3  B 7
        deal > P 9
        due
    """,
)
def unjustified_burn(shoe: Shoe, card: tuple[Burn, PossibleCauses | None]) -> Iterator[Breach]:
    """A card burned after the opening burn follows a ruling, a fault, a relief or a dead game.

    The reason recorded with the burned card says which of these four causes is needed. The reason
    `other` accepts any of them. A ruling is one by which D104 lets a dealt card be burned. A fault
    is a failure of the shuffler, or an irregularity of the cards (see D104) whose ruling, if any,
    is not `play-on`, `stand`, `no-bet-hand` or `card-to-banker`. With the reason `fault`, a ruling
    by which D104 lets a card be burned justifies the burn too. A relief or a dead game (see S306
    and S307) explains only cards burned outside a coup.

    The event that justifies the burn is recorded after the start of the coup that got the card
    before the burned one. The latest time of this event is the first card of the coup after the
    coup that got the next card. The event may therefore be recorded before or after the burn. One
    event accounts for one card, with two exceptions. Cards burned with their faces on record may
    share an event. A relief or a dead game accounts for any number of cards if the rule pack gives
    a number: S306 and S307 check it. A card is checked once the coup of the next card is over, a
    card of a later coup was drawn, or the shoe has ended. A card is not judged if the record may
    lack the event: before the second coup of a record without the loading, for a relief if the
    shoe's record names no crew, and for a dead game if it gives no seats.
    """
    burn, possible = card
    if burn.until is None and shoe.ended is None and not shoe.coups[burn.coup].over:
        return
    _settle_causes(shoe, burn)
    if possible is None:
        return
    why = burn.payload.reason
    none = ", ".join(possible.others) or "no such event is on record"
    yield Breach(
        f"{_where_burned(shoe, burn)} {_AS[why]}; it would have gone to "
        f"{_hand_of_next(shoe, burn)}",
        f"{_REQUIRED[why]}: otherwise no card is burned",
        f"recorded reason: {burn_label(why)}; "
        + ("each such event already accounts for another card" if possible.causes else none),
        (burn.event, burn.next),
        burn.coup,
        key=("burned", burn.nth),
    )


def _where_burned(shoe: Shoe, burn: Burn) -> str:
    """Return which card was burned, and in or between which coups."""
    face = "a card" if burn.payload.card is None else format_card(burn.payload.card)
    coup = shoe.recorded_number(burn.coup)
    if burn.within:
        return f"{face} was burned in coup {coup}"
    if burn.before is None:
        return f"{face} was burned before coup {coup}"
    return f"{face} was burned between coups {shoe.recorded_number(burn.before)} and {coup}"


def _hand_of_next(shoe: Shoe, burn: Burn) -> str:
    """Return the hand that the next card went to."""
    drawn = burn.next.payload
    coup = "" if burn.within else f" in {shoe.coup_name(burn.coup)}"
    return hand_label(drawn.hand, drawn.seat) + coup


def _settle_causes(shoe: Shoe, burn: Burn) -> None:
    """Check that the record shows why a card was burned, if there was a reason.

    Raises:
        Unknown: the record may lack the reason, or the order of the events around the burn is
            unknown.
    """
    answered(cause_unknown(shoe, burn))
    edges = [event for event in (burn.since, burn.until) if event is not None]
    settle(shoe, [burn.event], [burn.next])
    settle(shoe, shoe.irregularities, edges)
    settle(shoe, shoe.shuffler_faults, edges)
    settle(shoe, [event for event, _ in changes_about(shoe, burn)], edges)


# -- Cards that were asked for, and not burned -----------------------------------------------------

_WHEN: Final[dict[Why, str]] = {
    "relief": "another dealer took over",
    "dead-game": "a dead game was reopened",
}


def _occasions(why: Why, none: str, about: About) -> Each[Shoe, Occasion]:
    """Return the subjects of a rule on burns between two coups: reliefs or reopened dead games."""

    @each(why.replace("-", " "), none, about=about)
    def before_a_coup(shoe: Shoe) -> Sequence[Occasion]:
        """Return the occasions after which another coup was dealt.

        The cards must be burned before the first card of the next coup. They are checked once that
        card is drawn. A coup that was opened before the occasion (the relief or the reopening) is
        not the next one. If several occasions come before the same card, only the last is checked.
        """
        return [each for each in burn_occasions(shoe, why) if each.until is not None]

    return before_a_coup


@BURNS.rule(
    "S306",
    "wrong-relief-burn",
    sources=(LAC_42_III_3106,),
    looks_at="shoe",
    needs=(
        needs.shoe_pack_says(
            "how many cards are burned when another dealer takes over",
            lambda pack: pack.burn.relief is not None,
        ),
        needs.burns_on_record,
    ),
    each=_occasions("relief", "no dealer was relieved before a coup", "cards"),
    breach_events=(CardDrawn, CrewChanged, CardBurned),
    breaks="""
        with burn.relief = 1
        crew-changed {"post": "dealer", "person": "ann"}
        coup P 4 5  B K 8
        crew-changed {"post": "dealer", "person": "bob"}
        coup P 4 5  B K 8
    """,
    keeps="""
        with burn.relief = 1
        crew-changed {"post": "dealer", "person": "ann"}
        coup P 4 5  B K 8
        crew-changed {"post": "dealer", "person": "bob"}
        card-burned {"place": 7, "reason": "relief"}
        coup P 4 5  B K 8
    """,
)
def wrong_relief_burn(shoe: Shoe, relief: Occasion) -> Iterator[Breach]:
    """When another dealer takes over, the number of cards that the rule pack states is burned.

    A relief is a change of the person at the post of dealer or caller, after a card has left the
    shoe. The first person that the shoe's record names at a post relieves nobody. A person who
    returns to a post that was empty in between relieves nobody either. The cards are burned with
    the reason `relief`, after the change or after the former person left the post empty. Too many
    cards are also a breach.
    """
    yield from _burned_as_asked(shoe, relief, shoe.pack.burn.relief if shoe.pack else None)


@BURNS.rule(
    "S307",
    "wrong-dead-game-burn",
    sources=(LAC_42_III_3106,),
    looks_at="shoe",
    needs=(
        needs.shoe_pack_says(
            "how many cards are burned when a dead game is reopened",
            lambda pack: pack.burn.dead_game is not None,
        ),
        needs.burns_on_record,
        needs.card_left_shoe,
    ),
    each=_occasions("dead-game", "no dead game was reopened", "seats"),
    breach_events=(CardDrawn, PatronSeated, CardBurned),
    breaks="""
        with burn.dead_game = 1
        patron-seated {"seat": 2, "patron": "p2"}
        coup P 4 5  B K 8
        patron-left {"patron": "p2"}
        patron-seated {"seat": 3, "patron": "p3"}
        coup P 4 5  B K 8
    """,
    keeps="""
        with burn.dead_game = 1
        patron-seated {"seat": 2, "patron": "p2"}
        coup P 4 5  B K 8
        patron-left {"patron": "p2"}
        patron-seated {"seat": 3, "patron": "p3"}
        card-burned {"place": 7, "reason": "dead-game"}
        coup P 4 5  B K 8
    """,
)
def wrong_dead_game_burn(shoe: Shoe, reopening: Occasion) -> Iterator[Breach]:
    """When a dead game is reopened, the number of cards that the rule pack states is burned.

    A game is dead when all patrons with a seat on record have left. The next patron who sits down
    reopens it, even before the first coup. After that, the cards are burned with the reason
    `dead-game`. Too many cards are also a breach. A record without the seats of patrons does not
    show a dead game.
    """
    yield from _burned_as_asked(shoe, reopening, shoe.pack.burn.dead_game if shoe.pack else None)


def _burned_as_asked(shoe: Shoe, occasion: Occasion, cards: int | None) -> Iterator[Breach]:
    """Yield a breach unless the required number of cards was burned before the next card."""
    until, seen = occasion.until, cards_burned_on(shoe, occasion)
    shown = len(seen)
    if until is None or shown == cards:
        return
    settle(shoe, (occasion.event, *seen), (until,))
    coup: int = getattr(until.payload, "coup", 0)
    name = shoe.coup_name(coup)
    yield Breach(
        f"{_WHEN[occasion.why]} before {name}, and {_cards(shown)} burned before its first card",
        f"{cards} card{'' if cards == 1 else 's'} burned before the first card of {name}",
        f"{_cards(shown)} burned",
        (until, occasion.event, *seen),
        coup,
    )


def _cards(number: int) -> str:
    return f"{number} cards were" if number > 1 else f"{'a' if number else 'no'} card was"


RULES = (*BURNS.rules,)
"""Every rule of this module."""

WRONG_BURNS: Final = tuple(rule.code for rule in RULES)
"""The codes of these rules."""
