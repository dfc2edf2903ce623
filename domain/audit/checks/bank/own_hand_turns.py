"""Rules of hands of one's own: whose turn it is, who plays each, what is called and staked.

Rules of a bank that lasts for the pack: how large it is, how long it is kept, whose is next.
"""

from collections.abc import Iterator
from typing import Final

from sabot.domain.audit.checks.bank.own_hand_cards import (
    CITES,
    GAMES,
    Act,
    Key,
    acts_of,
    faces,
    named,
    rules_in,
    unjudged,
)
from sabot.domain.audit.completeness import COUPS_ALONE, NO_SEATS, seats_lack
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Rule
from sabot.domain.audit.wording import money
from sabot.domain.events import CardDrawn, ShoeOffered, ShoePassed
from sabot.domain.events.bank import BankPosted, ChoiceMade, HandsCalled
from sabot.domain.events.corrections import effective
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import next_holder
from sabot.domain.procedure.macao import is_exhausted, least_bank, least_stake, rules_of
from sabot.domain.procedure.own_hands import Held, banker_seat, bet_at, clockwise, held, seat_of
from sabot.domain.rules.macao_hands import score_of
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.shoe import Shoe, apply


def _out_of_turn(view: CoupView) -> Answer:
    reason = unjudged(view)
    if reason:
        return reason
    dealt = rules_in(view).dealt
    acts = list(acts_of(view))
    keys = dict.fromkeys(act.key for act in acts)
    seats = {seat for hand, seat in keys if hand == "patron" and seat is not None}
    after = banker_seat(view.shoe, view.coup)
    if after is None:
        return "the record does not say where the banker sat"
    turn: list[Key] = [("patron", seat) for seat in clockwise(seats, after)]
    turn += [key for key in keys if key not in turn]
    # first the rounds of cards dealt at first, then each hand to its end
    places = [
        (len(act.before.cards) if _is_first(act, dealt) else dealt, turn.index(act.key))
        for act in acts
    ]
    for act, place, before in zip(acts[1:], places[1:], places, strict=False):
        if place < before:
            said = f"{named(act.key)} came after {named(turn[before[1]])}"
            due = ", ".join(map(named, turn))
            return (Breach(said, f"clockwise from the banker's left: {due}", said, (act.event,)),)
    return NO_BREACH


def _is_first(act: Act, dealt: int) -> bool:
    gone = len(act.before.cards) + act.before.rejected
    return isinstance(act.payload, CardDrawn) and gone < dealt


def _by_another(view: CoupView) -> Answer:
    reason = unjudged(view)
    if reason:
        return reason
    players = {
        (hand.hand, hand.seat): hand.who
        for hand in held(view.shoe, view.coup)
        if _is_told(view, hand)
    }
    told = [
        (act, act.payload.by)
        for act in acts_of(view)
        if isinstance(act.payload, ChoiceMade) and act.payload.by is not None
    ]
    if not told:
        return "the record does not say who chose"
    return tuple(
        Breach(
            f"{by} decided for {named(act.key)}",
            f"{players[act.key]} plays it",
            str(by),
            (act.event,),
            patron=by,
        )
        for act, by in told
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
    if rules is None or event is None or not isinstance(event.payload, HandsCalled):
        return "the hands were not called"
    called = {(each.hand, each.seat): each.total for each in event.payload.totals}
    found = []
    for hand in held(view.shoe, view.coup):
        said = called.get((hand.hand, hand.seat))
        due = score_of(rules, hand.cards).total
        if said != due:
            shown = "nothing" if said is None else str(said)
            found.append(
                Breach(
                    f"{named((hand.hand, hand.seat))} was called {shown}",
                    f"{due}: {faces(hand.cards)}",
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
            shown = "no seat" if seat is None else f"{faces(tuple(cards))} at seat {seat}"
        elif first is not None and first.patron != bet.patron:
            shown = f"seat {seat}, whose hand is {first.patron}'s"
        else:
            continue
        said = f"{bet.patron} staked on no hand of his own"
        found.append(Breach(said, f"{dealt} cards at least, at his seat", shown, (bet.placed,)))
    return tuple(found)


TURN_RULES = (
    Rule(
        "O505",
        "hand-out-of-turn",
        "procedure",
        "medium",
        "Cards and decisions go round clockwise from the banker's left, the banker last: who "
        "waits sees more.",
        CITES,
        on_coup=_out_of_turn,
        games=GAMES,
    ),
    Rule(
        "O506",
        "hand-played-by-wrong-player",
        "procedure",
        "medium",
        "Each punter decides for his own hand, and the banker for his.",
        CITES,
        on_coup=_by_another,
        games=GAMES,
    ),
    Rule(
        "O507",
        "miscalled-hand",
        "totals",
        "high",
        "Stakes are paid by the totals that are called.",
        CITES,
        on_coup=_miscalled,
        games=GAMES,
    ),
    Rule(
        "O508",
        "stake-without-hand",
        "procedure",
        "medium",
        "Each stake is on a hand of its patron's own, which is dealt.",
        CITES,
        on_coup=_no_hand,
        games=GAMES,
    ),
)


_GAMES: Final[tuple[GameName, ...]] = ("macao", "victoria")
_CITES = ("field-facts.md 1.2", "seeds S0, S1 (Macao)")


def _moments(shoe: Shoe, kind: type) -> Iterator[tuple[Shoe, RecordedEvent]]:
    """Yield the events of a kind, each with the shoe as it was just before it."""
    before = Shoe(shoe.stream)
    for event in effective(shoe.history) if shoe.order is None else shoe.order.events:
        if type(event.payload) is kind:
            yield before, event
        apply(before, event)


def _unjudged(shoe: Shoe) -> str | None:
    if shoe.scope == "coups":
        return COUPS_ALONE
    return "the rule pack cannot be read" if shoe.pack is None else None


def _too_soon(shoe: Shoe) -> Answer:
    reason = _unjudged(shoe)
    if reason:
        return reason
    found: list[Breach] = []
    looked = False
    for before, event in _moments(shoe, ShoePassed):
        payload = event.payload
        if not isinstance(payload, ShoePassed) or payload.reason in ("ruling", "left"):
            continue
        looked = True
        bank = before.bank
        # what he took up just before still tells whether the bank was broken
        held = bank.amount + bank.taken_out if bank is not None else 0
        if seats_lack(before):
            return NO_SEATS
        if is_exhausted(before) or held < least_stake(before):
            continue
        left = before.size - len(before.left)
        found.append(
            Breach(
                f"{payload.by} gave up a bank of {money(shoe, held)} with {left} cards left",
                "the banker keeps the bank until the pack is dealt out, or the bank is broken",
                f"{left} cards left",
                (event,),
                patron=payload.by,
            )
        )
    return tuple(found) if looked else "nobody gave the bank up of his own will"


def _not_left(shoe: Shoe) -> Answer:
    reason = _unjudged(shoe)
    if reason:
        return reason
    offers = list(_offers(shoe))
    if not offers:
        return "the bank was offered to nobody"
    if seats_lack(shoe):
        return NO_SEATS
    return tuple(
        Breach(
            f"the bank was offered to {payload.to}",
            f"{due}: the bank goes to the left",
            payload.to,
            (event,),
            patron=payload.to,
        )
        for due, event, payload in offers
        if due is not None and payload.to != due
    )


def _offers(shoe: Shoe) -> Iterator[tuple[str | None, RecordedEvent, ShoeOffered]]:
    for before, event in _moments(shoe, ShoeOffered):
        if isinstance(event.payload, ShoeOffered):
            yield next_holder(before), event, event.payload


def _too_small(shoe: Shoe) -> Answer:
    reason = _unjudged(shoe)
    if reason:
        return reason
    posted = list(_moments(shoe, BankPosted))
    if not posted:
        return "no bank was put up"
    found = []
    for before, event in posted:
        payload = event.payload
        if isinstance(payload, BankPosted) and payload.amount < least_bank(before):
            said = f"{payload.by} put up a bank of {money(shoe, payload.amount)}"
            due = f"{money(shoe, least_bank(before))} at least"
            found.append(
                Breach(said, due, money(shoe, payload.amount), (event,), patron=payload.by)
            )
    return tuple(found)


PACK_BANK_RULES = (
    Rule(
        "O509",
        "bank-given-up-early",
        "procedure",
        "medium",
        "A banker who could stop when he is ahead would play for others' money alone.",
        _CITES,
        on_shoe=_too_soon,
        games=_GAMES,
    ),
    Rule(
        "O510",
        "bank-not-passed-left",
        "procedure",
        "low",
        "Once the pack is dealt out, the player to the banker's left has the bank.",
        _CITES,
        on_shoe=_not_left,
        games=_GAMES,
    ),
    Rule(
        "O511",
        "bank-below-minimum",
        "procedure",
        "low",
        "A bank is large enough to be played against.",
        _CITES,
        on_shoe=_too_small,
        games=_GAMES,
    ),
)


RULES = (
    *TURN_RULES,
    *PACK_BANK_RULES,
)
"""Every rule of this family."""
