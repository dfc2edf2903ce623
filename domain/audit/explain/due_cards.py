"""Explain which cards and payments were due where cards were drawn wrongly.

Where a hand may draw or stand, its recorded choice counts as long as the hands before it got the
cards that were due to them. Otherwise nobody knows what it would have chosen by those cards, and
every permitted choice is explained.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from sabot.domain.audit.checks.another_game import coup_event_of_another_game
from sabot.domain.audit.checks.bank.own_hand_cards import requested_card_not_dealt
from sabot.domain.audit.checks.bank.tableaux_hands import HANDS, is_banque, third_card_options
from sabot.domain.audit.checks.moved_cards import dealt_card_burned_without_ruling
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.explain.payment_reasons import owed_said
from sabot.domain.audit.explain.steps import Step, cards_and_total
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.rule_group import code_of
from sabot.domain.audit.tableau_result import cards_as_they_left, hands_by_tableau
from sabot.domain.events import CardDrawn, Hand
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import (
    SIDES,
    Side,
    bank_events_of,
    drawing_of,
    has_natural,
    position_in,
)
from sabot.domain.procedure.two_tableaux.tableaux import outcome_at
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.labels import hand_label, wager_label
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.tableau_hands import TABLEAUX
from sabot.domain.rules.third_card_table import why_banker, why_player
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.values.cards import FIRST_TWO, VALUE, Card, format_card, total

_BURNED: Final = code_of(dealt_card_burned_without_ruling)
_FOREIGN: Final = code_of(coup_event_of_another_game)
_OF_CARDS: Final = (_BURNED, code_of(requested_card_not_dealt))
"""Codes of rules on wrong cards, besides the rules on draws and stands."""
_WON: Final = {"P": "Player wins", "B": "Banker wins", "T": "a tie"}
_BOTH: Final[tuple[Choice, ...]] = ("draw", "stand")
CARDS_DUE: Final = "the cards that were due"
"""The name of the steps on the cards that should have come."""


def due_card_steps(view: CoupView, found: Collection[Finding]) -> Iterator[Step]:
    """Yield the hands, the result and the payments that the rules on third cards required.

    Nothing is yielded for a coup whose cards were correct, or whose patrons have a hand each.
    """
    pack = view.shoe.pack
    told = {index for each in found if each.code in (_BURNED, _FOREIGN) for index in each.events}
    astray = _astray(view, told)
    yield from (_astray_step(view, event) for event in astray)
    if not (any(map(_is_of_cards, found)) or astray) or not view.dealt:
        return
    if pack is None or pack.macao is not None:
        return
    burned = [drawn for drawn, _ in view.coup.removed_cards if drawn.index in told]
    stay = [*burned, *astray]
    has_choices = is_banque(view) or pack.drawing is not None
    yield from _with_choices(view, stay) if has_choices else _by_tableau(view, stay)


def _is_of_cards(finding: Finding) -> bool:
    return finding.family == "tableau" or finding.code in _OF_CARDS


def _by_tableau(view: CoupView, stay: Sequence[RecordedEvent]) -> Iterator[Step]:
    """Yield the cards and payments that were due where no hand has a choice."""
    hands = hands_by_tableau(view, stay)
    if isinstance(hands, str):
        yield Step("result", CARDS_DUE, "unknown", hands, None, None)
        return
    player, banker = hands
    due = replace(view.coup, player=player, banker=banker)
    yield Step("result", CARDS_DUE, _result(view, due), _why(player, banker), None, None)
    yield from _payments(view, due, CARDS_DUE)


def _astray(view: CoupView, told: Collection[int]) -> list[RecordedEvent[CardDrawn]]:
    """Return the cards that findings report as drawn to a hand of another game."""
    return events_of(CardDrawn, (each for each in view.shoe.foreign_events if each.index in told))


def _astray_step(view: CoupView, event: RecordedEvent[CardDrawn]) -> Step:
    payload = event.payload
    game = view.shoe.pack.game if view.shoe.pack is not None else "the game"
    what, why = f"a card to the hand '{payload.hand}'", f"{game} has no such hand"
    return Step(
        "deal", what, "no card", why, f"drew {format_card(payload.card)}", True, (event.index,)
    )


# -- Hands that may choose -------------------------------------------------------------------------


class _Branch(NamedTuple):
    """A coup with the cards due to some hands.

    ``drawn`` is how many of the following cards they took, None if one of these is not on record.
    ``why`` has a reason for each hand, and ``freely`` the choices that nobody recorded.
    """

    coup: Coup
    drawn: int | None
    why: tuple[str, ...] = ()
    freely: tuple[str, ...] = ()


def _with_choices(view: CoupView, stay: Sequence[RecordedEvent]) -> Iterator[Step]:
    """Yield the cards and payments that were due, once for each choice that nobody recorded."""
    order: Sequence[Hand] = HANDS if is_banque(view) else SIDES
    start = view.coup
    for hand in order:
        start = _with_hand(start, hand, _cards(view.coup, hand)[:FIRST_TWO])
    coming = cards_as_they_left(view, stay)
    branches = [_Branch(start, 0)]
    for place, hand in enumerate(order):
        branches = [
            after
            for branch in branches
            for after in _turns(view, branch, hand, order[:place], coming)
        ]
    for branch in branches:
        said = f", if {' and '.join(branch.freely)}" if branch.freely else ""
        what, why = f"{CARDS_DUE}{said}", "; ".join(branch.why)
        if branch.drawn is None:
            yield Step("result", what, "unknown", "the next card is not on record", None, None)
            continue
        yield Step("result", what, _result(view, branch.coup), why, None, None)
        yield from _payments(view, branch.coup, what)


def _turns(
    view: CoupView, branch: _Branch, hand: Hand, before: Sequence[Hand], coming: Sequence[Card]
) -> Iterator[_Branch]:
    """Yield the possible branches after a hand's turn: two if its choice is unknown."""
    options, name = _options(view, branch.coup, hand), _named(view, hand)
    cards = _cards(branch.coup, hand)
    is_free = len(options) > 1
    same = all(_cards(branch.coup, each) == _cards(view.coup, each) for each in before)
    for option in (_recorded(view, hand),) if is_free and same else options:
        why = f"{name} {total(cards)} {option}s: " + (
            "its own choice" if is_free else "there is no choice"
        )
        freely = (f"{name} {option}s",) if is_free and not same else ()
        coup, drawn = branch.coup, branch.drawn
        if option == "draw" and drawn is not None:
            drawn = drawn + 1 if drawn < len(coming) else None
            third = [] if drawn is None else [coming[drawn - 1]]
            coup = _with_hand(coup, hand, [*cards, *third])
        yield _Branch(coup, drawn, (*branch.why, why), (*branch.freely, *freely))


def _options(view: CoupView, coup: Coup, hand: Hand) -> tuple[Choice, ...]:
    """Return the choices that a hand has on its first two cards."""
    if is_banque(view):
        return third_card_options(replace(view, coup=coup), hand)
    if has_natural(coup):
        return ("stand",)
    rules = drawing_of(view.shoe)
    side: Side = "banker" if hand == "banker" else "player"
    return _BOTH if rules is None else rules.choices(position_in(coup, side))


def _recorded(view: CoupView, hand: Hand) -> Choice:
    """Return the recorded choice of a hand, or else what it did."""
    made = [event.payload for event in bank_events_of(view.coup).choices]
    drew: Choice = "draw" if len(_cards(view.coup, hand)) > FIRST_TWO else "stand"
    return next((payload.choice for payload in made if payload.hand == hand), drew)


def _cards(coup: Coup, hand: Hand) -> list[Card]:
    if hand in SIDES:
        return coup.player if hand == "player" else coup.banker
    return coup.others.get((hand, None), [])


def _with_hand(coup: Coup, hand: Hand, cards: list[Card]) -> Coup:
    """Return a coup in which a hand has these cards."""
    if hand == "player":
        return replace(coup, player=cards)
    if hand == "banker":
        return replace(coup, banker=cards)
    return replace(coup, others={**coup.others, (hand, None): cards})


# -- In words --------------------------------------------------------------------------------------


def _named(view: CoupView, hand: Hand) -> str:
    return f"the {hand}" if is_banque(view) else hand_label(hand)


def _result(view: CoupView, due: Coup) -> str:
    """Return text for a coup's hands and its result."""
    hands: Sequence[Hand] = HANDS if is_banque(view) else SIDES
    said = ", ".join(f"{_named(view, hand)} {cards_and_total(_cards(due, hand))}" for hand in hands)
    if is_banque(view):
        won = (f"{_named(view, each)} {outcome_at(due, each)}" for each in TABLEAUX)
        return f"{said}: {', '.join(won)}"
    return f"{said}: {_WON[result_of(due.player, due.banker).outcome]}"


def _payments(view: CoupView, due: Coup, what: str) -> Iterator[Step]:
    """Yield a step for the payment of each bet that a result requires."""
    owed = game_of(view.shoe.pack).due_bets(view.shoe, due)
    for bet, each in sorted(owed, key=lambda pair: pair[0].number):
        yield _payment(view, bet, each, what)


def _payment(view: CoupView, bet: Bet, owed: Due, what: str) -> Step:
    spell = partial(format_money, view.shoe)
    said = f"{bet.patron}'s {spell(bet.amount)} on {wager_label(bet.wager)}, by {what}"
    why = f"{wager_label(bet.wager)} lost" if owed.kind == "take" else owed.line
    return Step("payment", said, owed_said(owed, spell), why, None, None)


def _why(player: list[Card], banker: list[Card]) -> str:
    both = total(player[:FIRST_TWO]), total(banker[:FIRST_TWO])
    third = VALUE[player[FIRST_TWO]] if len(player) > FIRST_TWO else None
    reasons = dict.fromkeys((why_player(*both), why_banker(*both, third)))
    return "; ".join(reasons)
