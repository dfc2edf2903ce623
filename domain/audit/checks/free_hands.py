"""Rules on free hands, which are dealt without bets. A coup is one if its opening says so.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import Need, RuleGroup, each, need
from sabot.domain.events import BetCarried, BetPlaced, CoupOpened, RequestMade
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.preconditions import bet_requirements
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.pack_sections import FreeHands
from sabot.domain.rules.sources import DESPACHO_55_2004_PLAY, QUEENSLAND_2001_SCHEDULE_1_RULE_11A
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason, before, settle, surely

FREE_HANDS = RuleGroup(family="procedure", concerns="form")


@need("play", "the coup is not a free hand", "nothing-to-check")
def is_free_hand(view: CoupView) -> bool:
    """The coup was opened as a free hand."""
    return not bet_requirements.takes_bets(view.coup)


@each("bet", None)
def _standing_bets(view: CoupView) -> Sequence[Bet]:
    """Return the bets that were not withdrawn.

    A withdrawn bet is not checked, even if a ruling returned it.
    """
    return [bet for bet in view.coup.bets.values() if not bet.withdrawn]


@FREE_HANDS.rule(
    "B206",
    "bet-on-free-hand",
    sources=(QUEENSLAND_2001_SCHEDULE_1_RULE_11A, DESPACHO_55_2004_PLAY),
    concerns="game",
    needs=(is_free_hand,),
    each=_standing_bets,
    follows_from=("excess-free-hands",),
    breach_events=(BetPlaced, BetCarried, CoupOpened),
    clean_when=by_the_book,
    breaks="free p1 tie 500 | P 4 5  B K 8",
    keeps="free P 4 5  B K 8",
)
def bet_on_free_hand(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """A free hand is dealt without wagers.

    A bet that a ruling returned without a withdrawal is still a bet on the free hand.
    """
    staked = format_money(view.shoe, bet.amount)
    yield Breach(
        f"{bet.patron} bet {staked} on a free hand",
        "nobody bets on a free hand",
        f"{staked} on {wager_label(bet.wager)}",
        (bet.placed, *([view.coup.opened] if view.coup.opened else [])),
        stake=0,
    )


def _judged_free_hands(shoe: Shoe) -> list[Coup]:
    return [coup for coup in shoe.coups.values() if coup.free and coup.opened is not None]


@each("free hand", "no free hand was dealt")
def _numbered_free_hands(shoe: Shoe) -> Sequence[tuple[int, Coup]]:
    """Return the free hands of a shoe, each with its number among them.

    A free hand without an opening on record is not counted.
    """
    return list(enumerate(_judged_free_hands(shoe), start=1))


@FREE_HANDS.rule(
    "B207",
    "excess-free-hands",
    sources=(DESPACHO_55_2004_PLAY,),
    looks_at="shoe",
    needs=(
        needs.shoe_pack_says(
            "how many free hands a shoe may have", lambda pack: pack.free_hands is not None
        ),
    ),
    each=_numbered_free_hands,
    breach_events=(CoupOpened,),
    breaks="""
        with free_hands = 1
        free P 4 5  B K 8
        free P 4 5  B K 8
    """,
    keeps="""
        with free_hands = 1
        free P 4 5  B K 8
    """,
)
def excess_free_hands(shoe: Shoe, numbered: tuple[int, Coup]) -> Iterator[Breach]:
    """No more free hands are dealt from a shoe than the rule pack allows.

    A free hand that was voided, or got no card, is counted too. Each free hand beyond the permitted
    number is reported.
    """
    nth, coup = numbered
    assert shoe.pack is not None
    if not bet_requirements.is_within_free_hands(shoe.pack, nth):
        most = shoe.pack.free_hands
        yield Breach(
            f"free hand {nth} of the shoe, {most} permitted",
            f"{most} free hand{'s' if most != 1 else ''} at most",
            f"{len(_judged_free_hands(shoe))} free hands",
            (coup.opened,) if coup.opened is not None else (),
            coup.number,
        )


_WORDS: Final = {
    "shoe-start": "at the start of a shoe",
    "on-request": "where a patron asks for one",
}


def _dealt_when(when: FreeHands) -> tuple[Need[Shoe], ...]:
    """Return the needs of a rule on free hands dealt at one of two times."""
    other: FreeHands = "on-request" if when == "shoe-start" else "shoe-start"

    otherwise = Reason("not-required", f"the pack has free hands dealt {_WORDS[other]}")

    def missing(shoe: Shoe) -> Reason | None:
        return None if shoe.pack is None or shoe.pack.free_hands_when == when else otherwise

    told = needs.shoe_pack_says(
        "when free hands are dealt", lambda pack: pack.free_hands_when is not None
    )
    return (told, Need("rules", f"the rule pack has free hands dealt {_WORDS[when]}", missing))


@need(
    "play",
    "the record does not say whether coups that were dealt without a bet were free hands",
)
def free_hands_told_apart(shoe: Shoe) -> bool:
    """The record marks free hands, or all dealt coups have bets, or none of them has."""
    dealt = [coup for coup in shoe.coups.values() if coup.cards and coup.voided is None]
    return bool(_judged_free_hands(shoe)) or len({bool(coup.bets) for coup in dealt}) <= 1


@need("play", "no free hand was dealt", "nothing-to-check")
def free_hands_dealt(shoe: Shoe) -> bool:
    """Free hands were dealt."""
    return bool(_judged_free_hands(shoe))


@each("free hand", "no free hand was dealt")
def _free_hands(shoe: Shoe) -> Sequence[Coup]:
    """Return the free hands of a shoe.

    A free hand whose opening is not on record is not checked.
    """
    return _judged_free_hands(shoe)


@FREE_HANDS.rule(
    "B208",
    "late-free-hand",
    sources=(DESPACHO_55_2004_PLAY,),
    looks_at="shoe",
    needs=(*_dealt_when("shoe-start"), needs.not_coups_alone, free_hands_told_apart),
    each=_free_hands,
    follows_from=("excess-free-hands",),
    breach_events=(CoupOpened,),
    breaks="""
        with free_hands_when = "shoe-start"
        coup P 4 5  B K 8
        free P 4 5  B K 8
    """,
    keeps="""
        with free_hands_when = "shoe-start"
        free P 4 5  B K 8
        coup P 4 5  B K 8
    """,
)
def late_free_hand(shoe: Shoe, coup: Coup) -> Iterator[Breach]:
    """Free hands are dealt at the start of a shoe, before the first ordinary coup.

    The first ordinary coup is the first coup that was dealt a card and is not a free hand. It may
    be voided, or have no bet on record. The numbers of the coups decide which came first.
    """
    first = bet_requirements.first_with_bets(shoe.coups.values())
    if first is not None and not bet_requirements.comes_before_bets(first, coup.number):
        yield Breach(
            f"a free hand was dealt after {shoe.coup_name(first)}",
            "free hands come before the first coup with bets",
            f"{shoe.coup_name(coup.number)} is a free hand",
            (coup.opened,) if coup.opened is not None else (),
            coup.number,
        )


@FREE_HANDS.rule(
    "B209",
    "unrequested-free-hand",
    sources=(QUEENSLAND_2001_SCHEDULE_1_RULE_11A,),
    looks_at="shoe",
    needs=(
        *_dealt_when("on-request"),
        needs.not_coups_alone,
        free_hands_told_apart,
        free_hands_dealt,
    ),
    breach_events=(CoupOpened,),
    breaks="""
        with free_hands_when = "on-request"
        free P 4 5  B K 8
    """,
    keeps="""
        with free_hands_when = "on-request"
        request-made {"kind": "free-hand", "patron": "p1", "granted": true}
        free P 4 5  B K 8
    """,
)
def unrequested_free_hand(shoe: Shoe) -> Iterator[Breach]:
    """A free hand is dealt only if a patron asked for it and the request was granted.

    A request without a recorded answer is taken as granted. A refused request permits no free hand.
    The request comes before the opening of the free hand, at any time in the shoe. Each request
    allows one free hand, even if the free hand is voided. The rule does not check who asked. Only
    requests in the record of this shoe count.
    """
    requests = [event for event in shoe.requests if _asks_for_free_hand(event)]
    for coup in _judged_free_hands(shoe):
        opened = coup.opened
        assert opened is not None
        earlier = [event for event in requests if surely(partial(before, shoe, event, opened))]
        if bet_requirements.was_requested(len(earlier)):
            requests.remove(earlier[0])
            continue
        settle(shoe, requests, (opened,))
        yield Breach(
            "a free hand was dealt without a request",
            "a granted request for each free hand",
            "no such request before it",
            (opened,),
            coup.number,
        )


def _asks_for_free_hand(event: RecordedEvent[RequestMade]) -> bool:
    payload = event.payload
    return payload.kind == "free-hand" and payload.granted is not False


RULES = (*FREE_HANDS.rules,)
"""Every rule of this module."""
