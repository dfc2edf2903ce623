"""Rules of the shoe's holder: who deals from it, and when he gives it up."""

from bisect import bisect_left, bisect_right
from itertools import pairwise
from operator import attrgetter
from typing import Final

from sabot.domain.audit.completeness import COUPS_ALONE, COUPS_LACK
from sabot.domain.audit.findings import blaming
from sabot.domain.audit.rule import Answer, Breach, Doubt, Rule, starts_before_record
from sabot.domain.audit.table_order import doubt_among, doubt_in_row
from sabot.domain.events import ShoeOffered, ShoePassed, ShoeRefused, ShoeTaken
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import total

_CITES = ("field-facts.md 1.1 #11, 3 A17", "arrêté of 14 May 2007")

_HOUSE: Final = "house"
"""Who takes the shoe where nobody else does, and the record names no crew."""

_OF_A_COUP: Final = ("chosen", "lost")
"""Reasons to pass the shoe that come behind a coup: it was lost, or the holder had enough."""

_POSITION: Final = attrgetter("position")


def _unjudged(shoe: Shoe) -> str | None:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is None:
        return "the rule pack cannot be read"
    if shoe.pack.table.shoe != "patron":
        return "patrons do not hold the shoe"
    if shoe.pack.table.passes != "on-loss":
        return "the pack does not say that the shoe passes on a loss"
    if not shoe.shoe_moves:
        return "the record does not say who held the shoe"
    return None


def _dealt(shoe: Shoe) -> list[Coup]:
    """Coups that count, in order, with the moment they began."""
    coups = [
        coup
        for coup in shoe.coups.values()
        if len(coup.player) > 1 and len(coup.banker) > 1 and coup.voided is None
    ]
    return sorted(coups, key=lambda coup: coup.cards[0].position)


def _moves_between(
    shoe: Shoe, first: int, last: int
) -> list[RecordedEvent[ShoeOffered | ShoeTaken | ShoeRefused | ShoePassed]]:
    moves = shoe.shoe_moves
    return moves[
        bisect_right(moves, first, key=_POSITION) : bisect_left(moves, last, key=_POSITION)
    ]


def _not_passed(shoe: Shoe) -> Answer:
    reason = _unjudged(shoe)
    if reason:
        return reason
    coups = _dealt(shoe)
    if len(coups) < 2:  # noqa: PLR2004 - a coup, and the next
        return "no two coups were dealt"
    breaches: list[Breach | Doubt] = []
    for coup, following in pairwise(coups):
        if total(coup.player) <= total(coup.banker) or starts_before_record(shoe, coup):
            continue
        holder = _holder_at(shoe, coup.cards[0].position)
        doubtful = _passing_in_doubt(shoe, (coup.cards[-1], following.cards[0]), holder)
        if doubtful is not None:
            breaches.append(Doubt(doubtful))
            continue
        moves = _moves_between(shoe, coup.cards[-1].position, following.cards[0].position)
        passed = any(_gives_up(event, holder) for event in moves)
        house = holder in shoe.staff or holder == _HOUSE
        if holder is not None and not house and not passed:
            breaches.append(
                blaming(
                    shoe,
                    Breach(
                        f"{holder} kept the shoe after the bank lost coup {coup.number}",
                        "the shoe passes when the bank loses",
                        "no passing before the next coup",
                        (coup.cards[-1], following.cards[0]),
                        coup.number,
                        done=following.cards[0],
                    ),
                    holder,
                )
            )
    return tuple(breaches)


def _holder_at(shoe: Shoe, version: int) -> str | None:
    moves = shoe.shoe_moves
    for event in reversed(moves[: bisect_right(moves, version, key=_POSITION)]):
        match event.payload:
            case ShoeTaken(by=by):
                return by
            case ShoePassed():
                return None
            case _:
                pass
    return None


def _gives_up(event: RecordedEvent, holder: str | None) -> bool:
    """Tell whether the holder gave the shoe up: it was passed, or another took it."""
    match event.payload:
        case ShoeTaken(by=by):
            return by != holder
        case ShoePassed():
            return True
        case _:
            return False


def _passing_in_doubt(
    shoe: Shoe, cards: tuple[RecordedEvent, ...], holder: str | None
) -> str | None:
    """Say why nobody knows whether the shoe was passed before or behind one of these cards."""
    if shoe.order is None:
        return None
    passes = [event for event in shoe.shoe_moves if _gives_up(event, holder)]
    return doubt_among(shoe, passes, cards)


def _began(coup: Coup) -> RecordedEvent | None:
    """Return the moment from which a coup counts as dealt; void for want of stakes, it does too.

    Where the record has no cards of it, it was dealt if it was called, or closed.
    """
    return coup.cards[0] if coup.cards else coup.result_called or coup.closed or coup.voided


def _too_soon(shoe: Shoe) -> Answer:
    reason = _unjudged(shoe)
    if reason:
        return reason
    breaches: list[Breach | Doubt] = []
    firsts = sorted(filter(None, map(_began, shoe.coups.values())), key=_POSITION)
    taken: RecordedEvent | None = None
    for event in shoe.shoe_moves:
        match event.payload:
            case ShoeTaken():
                taken = event
            case ShoePassed() if taken is not None:
                before = bisect_right(firsts, taken.position, key=_POSITION)
                dealt = bisect_left(firsts, event.position, key=_POSITION) > before
                doubtful = doubt_among(shoe, (taken, event), firsts)
                if doubtful is not None:
                    breaches.append(Doubt(doubtful))
                elif not dealt and event.payload.reason in _OF_A_COUP:
                    breaches.append(_passed_too_soon(shoe, taken, event, event.payload))
                taken = None
            case _:
                pass
    return tuple(breaches)


def _passed_too_soon(
    shoe: Shoe, taken: RecordedEvent, passed: RecordedEvent, payload: ShoePassed
) -> Breach | Doubt:
    """Say that a shoe was passed before a coup, unless the record may lack that coup."""
    if _skips_a_coup(shoe, passed):
        return Doubt(COUPS_LACK)
    how = "passed the shoe as lost" if payload.reason == "lost" else "passed the shoe"
    breach = Breach(
        f"{payload.by} {how} without dealing a coup",
        "who takes the shoe deals one coup at least",
        "no coup between taking and passing it",
        (taken, passed),
        done=passed,
    )
    return blaming(shoe, breach, None if payload.by in shoe.staff else payload.by)


def _skips_a_coup(shoe: Shoe, at: RecordedEvent) -> bool:
    """Tell whether the record passes coups over at an event, by their numbers."""
    begun = [(coup.events[0].position, coup.number) for coup in shoe.coups.values() if coup.events]
    before = max((number for version, number in begun if version < at.position), default=0)
    after = min((number for version, number in begun if version > at.position), default=0)
    return after > before + 1


def _out_of_turn(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is None or shoe.pack.table.shoe != "patron":
        return "patrons do not hold the shoe"
    judged = [
        (event, event.payload.to, now)
        for event, now in shoe.offers
        if now.last in now.order and event.payload.to in now.order
    ]
    if not judged:
        return "the record does not say to whom a shoe that was passed was offered"
    doubtful = doubt_in_row(shoe, shoe.shoe_moves)
    if doubtful is not None:
        return doubtful
    breaches = []
    for event, offered, now in judged:
        due = next((patron for patron in now.order if patron not in now.refused), None)
        if due is not None and offered != due:
            breaches.append(
                Breach(
                    f"the shoe that {now.last} passed was offered to {offered}",
                    f"it goes {shoe.pack.table.direction}: to {due} first, who may refuse it",
                    f"offered to {offered}, and {due} had not refused it",
                    (event,),
                    patron=offered,
                )
            )
    return tuple(breaches)


def _patron_dealt(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is None:
        return "the rule pack cannot be read"
    if shoe.pack.table.shoe != "dealer":
        return "patrons hold the shoe"
    taken = [(event, event.payload.by) for event in events_of(ShoeTaken, shoe.shoe_moves)]
    if not taken:
        return "the record does not say who held the shoe"
    patrons = {patron for _, _, patron in shoe.seatings}
    patrons |= {bet.patron for coup in shoe.coups.values() for bet in coup.bets.values()}
    return tuple(
        Breach(
            f"{by} took the shoe, and is a patron",
            "the dealer deals, and patrons do not hold the shoe",
            f"the shoe with {by}",
            (event,),
            patron=by,
        )
        for event, by in taken
        if by in patrons - shoe.staff
    )


HOLDER_RULES = (
    Rule(
        "H501",
        "shoe-kept-after-loss",
        "procedure",
        "low",
        "The shoe stays while the bank wins, and passes when it loses.",
        _CITES,
        on_shoe=_not_passed,
    ),
    Rule(
        "H502",
        "shoe-passed-without-coup",
        "procedure",
        "low",
        "Who takes the shoe deals at least one coup from it.",
        _CITES,
        on_shoe=_too_soon,
    ),
    Rule(
        "H503",
        "shoe-offered-out-of-turn",
        "procedure",
        "low",
        "The shoe goes round the table: nobody who wants it is passed by, or has it out of turn.",
        _CITES,
        on_shoe=_out_of_turn,
        games=("punto-banco",),
    ),
    Rule(
        "H504",
        "dealer-shoe-held-by-patron",
        "procedure",
        "high",
        "Where the dealer deals, a patron with the shoe in hand can bring in cards, or see them.",
        ("field-facts.md 1.1 #11", "the shoe's rule pack, table"),
        on_shoe=_patron_dealt,
        games=("punto-banco",),
    ),
)


RULES = HOLDER_RULES
"""Every rule of this family."""
