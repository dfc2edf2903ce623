"""Rules of the two wings' hands: their turn, their cards, what is called, what is paid at once.

What a hand may choose is never a breach, whatever it costs on the average.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct

from sabot.domain.audit.completeness import (
    COUPS_ALONE,
    NO_BANK,
    NO_BETS,
    NO_CHOICES,
    NO_SEATS,
    bank_unknown,
    choices_lack,
    claim_may_lack,
    is_stranger,
    seats_lack,
)
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Rule
from sabot.domain.audit.table_order import doubt_in_row
from sabot.domain.events import BetPaid, BetPushed, CardDrawn, Hand
from sabot.domain.events.bank import ChoiceMade, HandsCalled
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.patron_bank import banked, drawing_of, given_to
from sabot.domain.procedure.two_tableaux.banco_claims import holder_due
from sabot.domain.procedure.two_tableaux.tableaux import (
    alone_natural,
    banker_choices,
    cards_on,
    in_play,
    rule_of,
    wing_position,
)
from sabot.domain.procedure.two_tableaux.tableaux_settlement import due_at_once
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.tableau_hands import WINGS, Wing, natural
from sabot.domain.state.coup_state import Coup
from sabot.domain.values.cards import Card, pretty, total

BANQUE: Final[GameName] = "baccarat-banque"
CITES: Final = ("field-facts.md 1.2", "seeds S0, S1 (Baccarat banque)")
HANDS: Final[tuple[Hand, ...]] = (*WINGS, "banker")
_TWO: Final = 2
"""Cards of a hand before anybody chooses."""
_GAMES: Final[tuple[GameName, ...]] = (BANQUE,)


class Act(Struct, frozen=True):
    """A card drawn or a choice made, and how many cards the hand had before."""

    event: RecordedEvent
    payload: CardDrawn | ChoiceMade
    cards: int

    @property
    def place(self) -> tuple[int, int]:
        """Its place in the order of a coup: the rounds of first cards, then hand by hand."""
        first = isinstance(self.payload, CardDrawn) and self.cards < _TWO
        return (self.cards if first else _TWO, HANDS.index(self.payload.hand))


def is_banque(view: CoupView) -> bool:
    """Tell whether a coup is of two wings against a banker."""
    return view.shoe.pack is not None and view.shoe.pack.game == BANQUE


def acts_of(coup: Coup) -> Iterator[Act]:
    """Go through the cards and choices of a coup's three hands, in their order."""
    have: dict[Hand, int] = dict.fromkeys(HANDS, 0)
    for event in coup.in_time:
        payload = event.payload
        if isinstance(payload, CardDrawn | ChoiceMade) and payload.hand in have:
            yield Act(event, payload, have[payload.hand])
            have[payload.hand] += isinstance(payload, CardDrawn)


def cards_of(coup: Coup, hand: Hand) -> list[Card]:
    """Return the cards of a hand."""
    return coup.banker if hand == "banker" else cards_on(coup, hand)  # type: ignore[arg-type]


def _unjudged(view: CoupView) -> str | None:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if view.coup.voided is not None:
        return "the coup was voided"
    if not view.dealt:
        return "a hand has fewer than two cards"
    return doubt_in_row(view.shoe, view.coup.events)


# -- What the rules of choices ask of two wings ------------------------------------------------


def allowed(view: CoupView, hand: Hand) -> tuple[Choice, ...]:
    """Return what a hand could do about a third card."""
    coup = view.coup
    if hand == "banker":
        return banker_choices(view.shoe, coup) if in_play(coup) else ("stand",)
    wing: Wing = "right" if hand == "right" else "left"
    rules = drawing_of(view.shoe)
    if wing not in in_play(coup):
        return ("stand",)
    return rules.choices(wing_position(coup, wing)) if rules is not None else ("draw", "stand")


def disobeyed(view: CoupView, due: Choice) -> Answer:
    """Answer for the rules that a hand draws, or stands, where it must."""
    reason = _unjudged(view)
    if reason:
        return reason
    if due == "draw" and view.in_play:
        return "the coup is still in play"
    found = []
    for hand in HANDS:
        cards = cards_of(view.coup, hand)
        drew = len(cards) > _TWO
        if drew is (due == "draw") or allowed(view, hand) != (due,):
            continue
        said = f"the {hand} drew {pretty(cards[2])}" if drew else f"the {hand} stood"
        points = total(cards[:2])
        required = f"the {hand} {due}s on {points}"
        if natural(cards):
            required = "a natural draws no card"
        elif not in_play(view.coup):
            required = "a natural of the banker's, or of both wings, ends the coup"
        events = [act.event for act in acts_of(view.coup) if act.payload.hand == hand]
        found.append(
            Breach(
                f"{said} on {points}",
                required,
                said,
                tuple(reversed(events)),
                money="others choose by what they see: nobody knows what would have come",
                key=("hand", hand),
            )
        )
    return tuple(found)


def unasked(view: CoupView) -> Answer:
    """Answer for the rule that a third card is asked for, and one that is asked for is dealt."""
    reason = _unjudged(view)
    if reason:
        return reason
    if choices_lack(view.shoe, view.coup):
        return NO_CHOICES
    asked: set[Hand] = set()
    found = []
    for act in acts_of(view.coup):
        hand = act.payload.hand
        if isinstance(act.payload, ChoiceMade):
            asked = asked | {hand} if act.payload.choice == "draw" else asked - {hand}
        elif act.cards >= _TWO:
            if hand not in asked:
                said = f"the {hand} had {pretty(act.payload.card)}, which nobody had asked for"
                due = "a third card is dealt once it was asked for"
                found.append(Breach(said, due, "nothing was said", (act.event,)))
            asked -= {hand}
    return tuple(found) or NO_BREACH


def players(coup: Coup) -> dict[str, str | None]:
    """Return who plays each hand."""
    return {**{wing: given_to(coup, wing) for wing in WINGS}, "banker": banked(coup).banker}


def wrongly_given(view: CoupView) -> Answer:
    """Answer for the rule that a hand is its player's: kept until it loses, then the next one's.

    Where somebody may have gone bank untold, a stranger is told of alone.
    """
    if banked(view.coup).bank is None:
        return NO_BANK
    if seats_lack(view.shoe, view.coup):
        return NO_SEATS
    unknown = claim_may_lack(view.shoe, view.coup)
    given = {event.payload.hand: event for event in banked(view.coup).given}
    if not given:
        return unknown or "the hands were given to nobody"
    found = []
    for wing in WINGS:
        event, due = given.get(wing), holder_due(view.shoe, view.coup, wing)
        to = event.payload.to if event is not None else None
        if event is None or to is None or due is None or to == due:
            continue
        required = f"{due}: who goes bank, or holds it until it loses, or the next on that wing"
        if unknown:
            if not is_stranger(view.shoe, view.coup, to, event):
                continue
            required = "who goes bank, or holds it until it loses, or the next on that wing"
        said = f"the {wing} hand was given to {to}"
        found.append(Breach(said, required, to, (event,), patron=to, key=("wing", wing)))
    return tuple(found) or unknown or NO_BREACH


# -- Rules of their own ------------------------------------------------------------------------


def _out_of_turn(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if not view.coup.cards:
        return "no card was drawn"
    doubtful = doubt_in_row(view.shoe, view.coup.events)
    if doubtful:
        return doubtful
    for before, act in pairwise(acts_of(view.coup)):
        if act.place < before.place:
            said = f"the {act.payload.hand} came after the {before.payload.hand}"
            due = "right, left and banker twice round; then each in this order to its end"
            return (Breach(said, due, said, (act.event, before.event)),)
    return NO_BREACH


def _miscalled(view: CoupView) -> Answer:
    event = view.coup.result_called
    if event is None or not isinstance(event.payload, HandsCalled):
        return "the hands were not called"
    called = {each.hand: each.total for each in event.payload.totals}
    found = []
    for hand in HANDS:
        cards = cards_of(view.coup, hand)
        if called.get(hand) != total(cards):
            shown = str(called.get(hand, "nothing"))
            due = f"{total(cards)}: {' '.join(map(pretty, cards))}"
            said = f"the {hand} was called {shown}"
            money = "payments are judged by the cards, whatever was called"
            events = (event, *view.coup.cards)
            found.append(Breach(said, due, shown, events, money=money, key=("hand", hand)))
    return tuple(found)


def _not_at_once(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason:
        return reason
    wing = alone_natural(view.coup)
    if wing is None:
        return "no wing alone had a natural"
    acts = [act.event for act in acts_of(view.coup) if act.place[0] == _TWO]
    if not acts:
        return "the other wing was not played on"
    held = banked(view.coup).unlimited or rule_of(view.shoe).bank == "open"
    unknown = None if held else bank_unknown(view.shoe, view.coup)
    unknown = unknown or (None if view.coup.bets else NO_BETS)
    if unknown:
        return unknown  # a stake that a bank does not reach waits for what it wins
    found = []
    for bet, _ in due_at_once(view.shoe, view.coup):
        paid = events_of((BetPaid, BetPushed), bet.moves)
        if not paid or paid[0].position > acts[0].position:
            said = f"{bet.patron}'s stake on the {wing} waited while the coup was played on"
            due = f"the {wing} alone had a natural: it is paid before anybody draws"
            shown = "paid afterwards" if paid else "not paid"
            found.append(
                Breach(
                    said, due, shown, (bet.placed, acts[0], *paid), patron=bet.patron, done=acts[0]
                )
            )
    return tuple(found)


RULES: Final = (
    Rule(
        "W515",
        "tableaux-out-of-turn",
        "procedure",
        "medium",
        "Cards go to the right, the left and the banker, twice; then each decides in this order, "
        "and has his card before the next decides: who waits sees more.",
        CITES,
        on_coup=_out_of_turn,
        games=_GAMES,
    ),
    Rule(
        "W516",
        "miscalled-tableau",
        "totals",
        "high",
        "Stakes on both wings are paid by the totals that are called.",
        CITES,
        on_coup=_miscalled,
        games=_GAMES,
    ),
    Rule(
        "W517",
        "unpaid-tableau-natural",
        "procedure",
        "medium",
        "A natural of one wing alone is paid, and the banker plays on with the other: no card "
        "drawn later may change it.",
        CITES,
        on_coup=_not_at_once,
        games=_GAMES,
    ),
)
