"""Rules on turns, calls, stakes and banks at macao and victoria.

`own_hand_cards` has the rules on cards.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bank.own_hand_cards import (
    GAMES,
    HANDS_KNOWN,
    Act,
    HandKey,
    acts_of,
    describe_faces,
    hand_rules_readable,
    name_hand,
    rules_in,
)
from sabot.domain.audit.completeness import NO_BETS, NO_SEATS, seats_unknown
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.audit.wording import format_money
from sabot.domain.events import BetCarried, BetPlaced, CardDrawn, ShoeOffered, ShoePassed
from sabot.domain.events.bank import BankPosted, ChoiceMade, HandsCalled
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.procedure.macao import is_exhausted, least_bank, least_stake, rules_of
from sabot.domain.procedure.own_hands import (
    OwnHand,
    banker_seat,
    bet_at,
    hands_in_turn,
    seat_of,
    seats_clockwise,
)
from sabot.domain.procedure.patron_bank import open_bets
from sabot.domain.procedure.preconditions import own_hand_requirements
from sabot.domain.rules.macao_hands import score_of
from sabot.domain.rules.sources import (
    HOUSE_CONVENTION,
    MACAO_CASINO_ITALIANI,
    MACAO_PRAVILA_KART,
    WIKIPEDIA_MACAO,
)
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe, apply
from sabot.domain.timeline.evidence import incomplete

# -- Turns -----------------------------------------------------------------------------------------

OWN_HANDS = RuleGroup(family="procedure", severity="medium", games=GAMES)


@need("seats", "the record does not say where the banker sat")
def banker_seat_recorded(view: CoupView) -> bool:
    """The record says where the banker sat."""
    return banker_seat(view.shoe, view.coup) is not None


@OWN_HANDS.rule(
    "O505",
    "hand-out-of-turn",
    sources=(WIKIPEDIA_MACAO, MACAO_CASINO_ITALIANI),
    needs=(*HANDS_KNOWN, banker_seat_recorded),
    breach_events=(CardDrawn, ChoiceMade),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 1 500, 2 500 | 1: 6; 2: 7; B: 8
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 1 500, 2 500 | 2: 7; 1: 6; B: 8
    """,
)
def hand_out_of_turn(view: CoupView) -> Iterator[Breach]:
    """Cards and decisions go round clockwise from the banker's left, and come to the banker last.

    First the cards dealt at first go round, then each hand is played to its end: a patron whose
    hand waits has seen more.
    """
    acts = list(acts_of(view))
    turn = _turn(view, acts)
    dealt = rules_in(view).dealt
    for earlier, later in pairwise(acts):
        if _place(later, turn, dealt) < _place(earlier, turn, dealt):
            said = f"{name_hand(later.key)} came after {name_hand(earlier.key)}"
            due = ", ".join(map(name_hand, turn))
            yield Breach(said, f"clockwise from the banker's left: {due}", said, (later.event,))
            return


def _turn(view: CoupView, acts: Sequence[Act]) -> list[HandKey]:
    """Return the hands in the order in which they are dealt and played."""
    hands = dict.fromkeys(act.key for act in acts)
    seats = {seat for hand, seat in hands if hand == "patron" and seat is not None}
    turn: list[HandKey] = [
        ("patron", seat) for seat in seats_clockwise(seats, banker_seat(view.shoe, view.coup))
    ]
    return turn + [hand for hand in hands if hand not in turn]


def _place(act: Act, turn: Sequence[HandKey], dealt: int) -> tuple[int, int]:
    """Return the sort key of a card or a choice.

    First cards come by rounds, then each hand in turn.
    """
    had = len(act.before.cards)
    first = isinstance(act.payload, CardDrawn) and had + act.before.rejected < dealt
    return (had if first else dealt, turn.index(act.key))


@each("choice", "the record does not say who chose", "record-incomplete")
def _named_choices(view: CoupView) -> Sequence[tuple[Act, str]]:
    """Return the choices of which it is recorded who made them, each with him."""
    return [
        (act, act.payload.by)
        for act in acts_of(view)
        if isinstance(act.payload, ChoiceMade) and act.payload.by is not None
    ]


@OWN_HANDS.requirement(
    own_hand_requirements.plays_own_hand,
    "O506",
    "hand-played-by-wrong-player",
    sources=(MACAO_PRAVILA_KART, MACAO_CASINO_ITALIANI),
    needs=HANDS_KNOWN,
    each=_named_choices,
    breach_events=(ChoiceMade,),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand", "by": "p2"}
        due
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand", "by": "p1"}
        due
    """,
)
def hand_played_by_wrong_player(view: CoupView, chosen: tuple[Act, str]) -> Iterator[Breach]:
    """Each patron decides for his own hand, and the banker for the banker's hand."""
    act, by = chosen
    player = _player_of(view, act.key)
    if not own_hand_requirements.plays_own_hand(player, by):
        yield Breach(
            f"{by} decided for {name_hand(act.key)}",
            f"{player} plays it",
            by,
            (act.event,),
            patron=by,
        )


def _player_of(view: CoupView, key: HandKey) -> str | None:
    """Return the player of a hand, or None.

    The banker has the banker's hand; a stake gives the player of another.
    """
    hand, seat = key
    if hand == "banker":
        return view.coup.banked.banker if view.coup.banked is not None else None
    bet = bet_at(view.coup, seat)
    return bet.patron if bet is not None else None


# -- Calls and stakes ------------------------------------------------------------------------------


@need("calls", "the hands were not called", "nothing-to-check")
def hands_called(view: CoupView) -> bool:
    """The totals of the hands were called."""
    return _call_of(view) is not None


def _call_of(view: CoupView) -> RecordedEvent[HandsCalled] | None:
    """Return the call of the hands' totals, or None."""
    called = view.coup.result_called
    return called if called is not None and is_of(called, HandsCalled) else None


@each("hand", None, about="cards")
def _hands(view: CoupView) -> Sequence[OwnHand]:
    """Return the hands of a coup."""
    return hands_in_turn(view.shoe, view.coup)


@OWN_HANDS.rule(
    "O507",
    "miscalled-hand",
    sources=(MACAO_CASINO_ITALIANI,),
    family="totals",
    severity="high",
    needs=(hand_rules_readable, hands_called),
    each=_hands,
    breach_events=(CardDrawn, HandsCalled),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 9}, {"hand": "banker", "total": 8}]}
        due
    """,  # noqa: E501 - the events of a table are as long as they are
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 7}, {"hand": "banker", "total": 8}]}
        due
    """,  # noqa: E501 - the events of a table are as long as they are
)
def miscalled_hand(view: CoupView, hand: OwnHand) -> Iterator[Breach]:
    """Each hand is called at the total of its cards."""
    call = _call_of(view)
    assert call is not None
    called = {(each.hand, each.seat): each.total for each in call.payload.totals}
    said = called.get((hand.hand, hand.seat))
    due = score_of(rules_in(view), hand.cards).total
    if said != due:
        shown = "nothing" if said is None else str(said)
        yield Breach(
            f"{name_hand((hand.hand, hand.seat))} was called {shown}",
            f"{due}: {describe_faces(hand.cards)}",
            shown,
            (call, *view.coup.cards),
            money="payments are judged by the cards, whatever was called",
            key=("hand", hand.hand, hand.seat or 0),
        )


@need("bets", NO_BETS, "nothing-to-check")
def bets_standing(view: CoupView) -> bool:
    """A bet stands on a hand of the coup."""
    return bool(open_bets(view.coup))


@each("bet", None)
def _standing_bets(view: CoupView) -> Sequence[Bet]:
    """Return the bets that were not withdrawn."""
    return open_bets(view.coup)


@OWN_HANDS.requirement(
    own_hand_requirements.is_on_own_hand,
    "O508",
    "stake-without-hand",
    sources=(MACAO_CASINO_ITALIANI,),
    needs=(bets_standing, needs.not_voided, needs.result_called),
    each=_standing_bets,
    breach_events=(BetPlaced, BetCarried),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        due
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
        card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
        due
    """,
)
def stake_without_hand(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """Each patron stakes on his own hand, at his own seat, and that hand is dealt."""
    rules = rules_of(view.shoe.pack)
    dealt = rules.dealt if rules is not None else 1
    seat = seat_of(bet)
    cards = view.coup.others.get(("patron", seat), [])
    first = bet_at(view.coup, seat)
    if seat is None or len(cards) < dealt:
        shown = "no seat" if seat is None else f"{describe_faces(tuple(cards))} at seat {seat}"
    elif not own_hand_requirements.is_on_own_hand(bet.patron, seat, first):
        shown = f"seat {seat}, whose hand is {first.patron if first is not None else 'nobody'}'s"
    else:
        return
    yield Breach(
        f"{bet.patron} staked on no hand of his own",
        f"{dealt} cards at least, at his seat",
        shown,
        (bet.placed,),
    )


# -- The bank, which is kept for the whole pack ------------------------------------------------

PACK_BANKS = RuleGroup(
    family="procedure",
    severity="low",
    sources=(WIKIPEDIA_MACAO,),
    games=GAMES,
    needs=(needs.whole_shoe, needs.shoe_pack_readable),
)


class GivenUp(Struct, frozen=True):
    """A bank given up without a ruling and without the banker leaving.

    ``lay`` is the bank before the banker took it up, in minor units; ``left`` is the number of
    cards left. ``over`` is True if the pack was dealt out or the bank was broken. It is None if the
    record does not give the seats.
    """

    event: RecordedEvent[ShoePassed]
    lay: int
    left: int
    over: bool | None


@each("bank given up", "nobody gave the bank up of his own will")
def _banks_given_up(shoe: Shoe) -> Sequence[GivenUp]:
    """Return the banks that were given up without a ruling, and not since the banker left."""
    given_up: list[GivenUp] = []
    now = Shoe(shoe.stream)
    for event in apply_corrections(shoe.history) if shoe.order is None else shoe.order.events:
        if is_of(event, ShoePassed) and event.payload.reason not in ("ruling", "left"):
            given_up.append(_given_up(now, event))
        apply(now, event)
    return given_up


def _given_up(now: Shoe, event: RecordedEvent[ShoePassed]) -> GivenUp:
    """Return the bank given up by an event, from the shoe at that time."""
    bank = now.bank
    # chips taken out just before still count towards a broken bank
    lay = bank.amount + bank.taken_out if bank is not None else 0
    over = None if seats_unknown(now) else is_exhausted(now) or lay < least_stake(now)
    return GivenUp(event, lay, now.size - len(now.left), over)


@PACK_BANKS.rule(
    "O509",
    "bank-given-up-early",
    looks_at="shoe",
    severity="medium",
    each=_banks_given_up,
    breach_events=(ShoePassed,),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        bank-withdrawn {"by": "p3", "amount": 200000}
        shoe-passed {"by": "p3", "reason": "chosen"}
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        bank-withdrawn {"by": "p3", "amount": 200000}
        shoe-passed {"by": "p3", "reason": "left"}
    """,
)
def bank_given_up_early(shoe: Shoe, given_up: GivenUp) -> Iterator[Breach]:
    """A banker keeps the bank until the pack is dealt out, or the bank is broken.

    A banker who may stop when he is ahead plays for the others' money alone.
    """
    by = given_up.event.payload.by
    if given_up.over is None:
        raise incomplete(NO_SEATS)
    if not given_up.over:
        left = f"{given_up.left} cards left"
        yield Breach(
            f"{by} gave up a bank of {format_money(shoe, given_up.lay)} with {left}",
            "the banker keeps the bank until the pack is dealt out, or the bank is broken",
            left,
            (given_up.event,),
            patron=by,
        )


@need("play", "the bank was offered to nobody", "nothing-to-check")
def bank_offered(shoe: Shoe) -> bool:
    """The bank was offered to a patron."""
    return bool(shoe.offers)


@each("offer of the bank", None)
def _offers(shoe: Shoe) -> Sequence[tuple[RecordedEvent[ShoeOffered], str | None]]:
    """Return the offers of the bank, each with the patron who was next."""
    return [
        (offer, next((patron for patron in asked.order if patron not in asked.refused), None))
        for offer, asked in shoe.offers
    ]


@PACK_BANKS.requirement(
    own_hand_requirements.bank_goes_to,
    "O510",
    "bank-not-passed-left",
    sources=(WIKIPEDIA_MACAO,),
    looks_at="shoe",
    needs=(bank_offered, needs.shoe_seats_known),
    each=_offers,
    breach_events=(ShoeOffered,),
    breaks="""
        load macao-old
        seats p1 p2 p3
        shoe-offered {"to": "p2"}
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        shoe-offered {"to": "p3"}
    """,
)
def bank_not_passed_left(
    _: Shoe, offered: tuple[RecordedEvent[ShoeOffered], str | None]
) -> Iterator[Breach]:
    """The bank goes to the patron on the banker's left, and to the next one where he refuses it."""
    offer, due = offered
    to = offer.payload.to
    if not own_hand_requirements.bank_goes_to(to, due):
        yield Breach(
            f"the bank was offered to {to}",
            f"{due}: the bank goes to the left",
            to,
            (offer,),
            patron=to,
        )


@each("bank", "no bank was put up")
def _banks(shoe: Shoe) -> Sequence[RecordedEvent[BankPosted]]:
    """Return the events by which patrons put up their banks."""
    return [bank.posted for bank in shoe.banks]


@PACK_BANKS.requirement(
    own_hand_requirements.is_least_bank,
    "O511",
    "bank-below-minimum",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    each=_banks,
    breach_events=(BankPosted,),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 100000
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
    """,
)
def bank_below_minimum(shoe: Shoe, posted: RecordedEvent[BankPosted]) -> Iterator[Breach]:
    """A bank is no smaller than the rule pack's least bank, and than the table's least stake."""
    by, amount = posted.payload.by, posted.payload.amount
    if not own_hand_requirements.is_least_bank(shoe, amount):
        yield Breach(
            f"{by} put up a bank of {format_money(shoe, amount)}",
            f"{format_money(shoe, least_bank(shoe))} at least",
            format_money(shoe, amount),
            (posted,),
            patron=by,
        )


RULES = (*OWN_HANDS.rules, *PACK_BANKS.rules)
"""Every rule of this module."""
