"""Rules of macao and victoria: hands of one's own, each played in its turn by whose it is.

What a hand may choose is never a breach, whatever it costs on the average: what is judged is
that it was asked, that it had its turn, and that nothing was dealt, rejected or called but what
the cards and the pack allow.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.audit import choosing
from domain.audit.lacking import COUPS_ALONE, NO_CHOICES, choices_lack
from domain.audit.rule import CLEAN, Answer, Breach, CoupView, Rule
from domain.audit.timing import doubt_in_row
from domain.cards import Card, pretty
from domain.event import Event
from domain.facts import CardDrawn, Hand
from domain.facts.bank import CardRejected, ChoiceMade, HandsCalled
from domain.games.hands import Held, banker_seat, bet_at, clockwise, held, seat_of
from domain.games.macao import rules_of
from domain.macao import MacaoRules, score_of
from domain.rulepack import GameName

_GAMES: Final[tuple[GameName, ...]] = ("macao", "victoria")
_CITES = ("field-facts.md 1.2", "seeds S0, S1 (Macao)")
_Key = tuple[Hand, int | None]


class Act(Struct):
    """Something done with a hand, and the hand as it lay just before."""

    event: Event
    fact: CardDrawn | ChoiceMade | CardRejected
    before: Held

    @property
    def key(self) -> _Key:
        """Whose hand it was."""
        return self.fact.hand, self.fact.seat


def _unjudged(view: CoupView) -> str | None:
    """Why what was done with the hands of this coup cannot be judged."""
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if rules_of(view.shoe.pack) is None:
        return "the rule pack cannot be read"
    if not view.coup.cards:
        return "no card was drawn"
    return doubt_in_row(view.shoe, view.coup.events)


def _rules(view: CoupView) -> MacaoRules:
    rules = rules_of(view.shoe.pack)
    assert rules is not None
    return rules


def acts_of(view: CoupView) -> Iterator[Act]:
    """Go through what was done with the hands, in its order."""
    hands: dict[_Key, Held] = {}
    for event in view.coup.events:
        fact = event.fact
        if not isinstance(fact, CardDrawn | ChoiceMade | CardRejected):
            continue
        key = (fact.hand, fact.seat)
        before = hands.get(key) or Held(fact.hand, fact.seat, "", (), 0, stood=False, rejected=0)
        yield Act(event, fact, before)
        hands[key] = _after(before, fact)


def _after(hand: Held, fact: "CardDrawn | ChoiceMade | CardRejected") -> Held:
    match fact:
        case CardDrawn(card=card):
            return replace(hand, cards=(*hand.cards, card))
        case CardRejected():
            return replace(hand, cards=hand.cards[:-1], rejected=hand.rejected + 1)
        case ChoiceMade(choice="draw"):
            return replace(hand, asked=hand.asked + 1)
        case ChoiceMade():
            return replace(hand, stood=True)


def _named(key: _Key) -> str:
    hand, seat = key
    return f"the {hand} hand" if seat is None else f"the hand at seat {seat}"


def _faces(cards: tuple[Card, ...]) -> str:
    return " ".join(map(pretty, cards)) or "no card"


# -- Cards ----------------------------------------------------------------------------------------


def _unasked(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason:
        return reason
    if choices_lack(view.shoe, view.coup):
        return NO_CHOICES
    dealt = _rules(view).dealt
    return tuple(
        Breach(
            f"{_named(act.key)} was dealt {pretty(act.fact.card)}, which nobody had asked for",
            "a hand has the cards dealt at first, and one more each time it asks",
            f"{_faces(act.before.cards)}, {act.before.asked} asked for",
            (act.event,),
        )
        for act in acts_of(view)
        if isinstance(act.fact, CardDrawn) and len(act.before.cards) >= dealt + act.before.asked
    )


def _not_dealt(view: CoupView) -> Answer:
    if view.shoe.pack is not None and view.shoe.pack.game not in _GAMES:
        return choosing.withheld(view)
    reason = _unjudged(view)
    if reason:
        return reason
    if view.coup.voided is not None:
        return "the coup was voided"
    called = view.coup.result_called
    if called is None:
        return "the hands have not been called"
    rules = _rules(view)
    waiting = [
        hand
        for hand in held(view.shoe, view.coup)
        if len(hand.cards) < rules.dealt + hand.asked and hand.may_draw(rules)
    ]
    return tuple(
        Breach(
            f"{_named((hand.hand, hand.seat))} was called on {_faces(hand.cards)}",
            f"{rules.dealt + hand.asked} cards: those dealt at first, and those asked for",
            f"{len(hand.cards)} cards",
            (called, *view.coup.cards),
            key=("hand", hand.hand, hand.seat or 0),
        )
        for hand in waiting
    )


def _beyond(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason:
        return reason
    rules = _rules(view)
    found = []
    for act in acts_of(view):
        if not isinstance(act.fact, ChoiceMade) or act.fact.choice != "draw":
            continue
        if act.before.stood:
            shown = "it had stood"
        elif not act.before.may_draw(rules):
            shown = f"it had {_faces(act.before.cards)}"
        else:
            continue
        due = "a hand that stood, went bust or has all the cards it may have draws no more"
        said = f"{_named(act.key)} asked for another card"
        found.append(Breach(said, due, shown, (act.event,)))
    return tuple(found)


def _rejected(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason:
        return reason
    rules = _rules(view)
    acts = [act for act in acts_of(view) if isinstance(act.fact, CardRejected)]
    if not acts:
        return "no card was rejected"
    if choices_lack(view.shoe, view.coup):
        return NO_CHOICES
    due = "a ten or face that was just drawn may be rejected"
    return tuple(
        Breach(
            f"{_named(act.key)} rejected {_faces(act.before.cards[-1:])}",
            due if rules.reject else "no card may be rejected",
            f"{_faces(act.before.cards)}, {act.before.asked} drawn",
            (act.event,),
        )
        for act in acts
        if not act.before.may_reject(rules)
    )


# -- Turns ----------------------------------------------------------------------------------------


def _out_of_turn(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason:
        return reason
    dealt = _rules(view).dealt
    acts = list(acts_of(view))
    keys = dict.fromkeys(act.key for act in acts)
    seats = {seat for hand, seat in keys if hand == "patron" and seat is not None}
    after = banker_seat(view.shoe, view.coup)
    if after is None:
        return "the record does not say where the banker sat"
    turn: list[_Key] = [("patron", seat) for seat in clockwise(seats, after)]
    turn += [key for key in keys if key not in turn]
    # first the rounds of cards dealt at first, then each hand to its end
    places = [
        (len(act.before.cards) if _is_first(act, dealt) else dealt, turn.index(act.key))
        for act in acts
    ]
    for act, place, before in zip(acts[1:], places[1:], places, strict=False):
        if place < before:
            said = f"{_named(act.key)} came after {_named(turn[before[1]])}"
            due = ", ".join(map(_named, turn))
            return (Breach(said, f"clockwise from the banker's left: {due}", said, (act.event,)),)
    return CLEAN


def _is_first(act: Act, dealt: int) -> bool:
    gone = len(act.before.cards) + act.before.rejected
    return isinstance(act.fact, CardDrawn) and gone < dealt


def _by_another(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason:
        return reason
    players = {
        (hand.hand, hand.seat): hand.who
        for hand in held(view.shoe, view.coup)
        if _is_told(view, hand)
    }
    named = [
        (act, act.fact.by)
        for act in acts_of(view)
        if isinstance(act.fact, ChoiceMade) and act.fact.by is not None
    ]
    if not named:
        return "the record does not say who chose"
    return tuple(
        Breach(
            f"{by} decided for {_named(act.key)}",
            f"{players[act.key]} plays it",
            str(by),
            (act.event,),
            patron=by,
        )
        for act, by in named
        if players.get(act.key, by) != by
    )


def _is_told(view: CoupView, hand: Held) -> bool:
    """Tell whether the record says whose a hand is: the bank for his, a stake for his own."""
    if hand.hand == "banker":
        return view.coup.banked is not None and view.coup.banked.banker is not None
    return bet_at(view.coup, hand.seat) is not None


# -- Calls and stakes ----------------------------------------------------------------------------


def _miscalled(view: CoupView) -> Answer:
    rules = rules_of(view.shoe.pack)
    event = view.coup.result_called
    if rules is None or event is None or not isinstance(event.fact, HandsCalled):
        return "the hands were not called"
    called = {(each.hand, each.seat): each.total for each in event.fact.totals}
    found = []
    for hand in held(view.shoe, view.coup):
        said = called.get((hand.hand, hand.seat))
        due = score_of(rules, hand.cards).total
        if said != due:
            shown = "nothing" if said is None else str(said)
            found.append(
                Breach(
                    f"{_named((hand.hand, hand.seat))} was called {shown}",
                    f"{due}: {_faces(hand.cards)}",
                    shown,
                    (event, *view.coup.cards),
                    money="payments are judged by the cards, whatever was called",
                    key=("hand", hand.hand, hand.seat or 0),
                )
            )
    return tuple(found)


def _no_hand(view: CoupView) -> Answer:
    standing = [bet for bet in view.coup.bets.values() if not bet.withdrawn]
    if not standing:
        return "the coup has no bets"
    if view.coup.voided is not None or (view.coup.closed is None and view.in_play):
        return "the coup was voided, or is still in play"
    rules = rules_of(view.shoe.pack)
    dealt = rules.dealt if rules is not None else 1
    found = []
    for bet in standing:
        seat = seat_of(bet)
        cards = view.coup.others.get(("patron", seat), [])
        first = bet_at(view.coup, seat)
        if seat is None or len(cards) < dealt:
            shown = "no seat" if seat is None else f"{_faces(tuple(cards))} at seat {seat}"
        elif first is not None and first.patron != bet.patron:
            shown = f"seat {seat}, whose hand is {first.patron}'s"
        else:
            continue
        said = f"{bet.patron} staked on no hand of his own"
        found.append(Breach(said, f"{dealt} cards at least, at his seat", shown, (bet.placed,)))
    return tuple(found)


RULES = (
    Rule(
        "card-was-not-asked-for",
        "procedure",
        "high",
        "Beyond the cards dealt at first a hand has what it asked for: a card it did not want can "
        "bust it.",
        _CITES,
        on_coup=_unasked,
        games=_GAMES,
    ),
    Rule(
        "card-asked-for-was-not-dealt",
        "procedure",
        "high",
        "Who asks for a card has it before his hand is called.",
        _CITES,
        on_coup=_not_dealt,
        games=(*_GAMES, *choosing.GAMES),
    ),
    Rule(
        "hand-drew-beyond-its-end",
        "procedure",
        "high",
        "A hand ends where it stands, goes bust, or has all the cards that the pack lets it have.",
        _CITES,
        on_coup=_beyond,
        games=_GAMES,
    ),
    Rule(
        "card-was-rejected-against-the-pack",
        "procedure",
        "medium",
        "Only a drawn ten or face may be rejected, where the pack lets it.",
        _CITES,
        on_coup=_rejected,
        games=_GAMES,
    ),
    Rule(
        "hand-was-out-of-turn",
        "procedure",
        "medium",
        "Cards and decisions go round clockwise from the banker's left, the banker last: who "
        "waits sees more.",
        _CITES,
        on_coup=_out_of_turn,
        games=_GAMES,
    ),
    Rule(
        "hand-was-played-by-another",
        "procedure",
        "medium",
        "Each punter decides for his own hand, and the banker for his.",
        _CITES,
        on_coup=_by_another,
        games=_GAMES,
    ),
    Rule(
        "hand-was-miscalled",
        "totals",
        "high",
        "Stakes are paid by the totals that are called.",
        _CITES,
        on_coup=_miscalled,
        games=_GAMES,
    ),
    Rule(
        "stake-had-no-hand",
        "procedure",
        "medium",
        "Each stake is on a hand of its patron's own, which is dealt.",
        _CITES,
        on_coup=_no_hand,
        games=_GAMES,
    ),
)
