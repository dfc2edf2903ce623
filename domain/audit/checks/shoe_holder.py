"""Rules on the holder of the shoe.

The holder keeps the shoe while the bank wins. After a loss it is offered round the table. A rule
that reads coups states how it treats voided ones.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Final, TypeVar

from sabot.domain.audit import needs
from sabot.domain.audit.completeness import (
    COUPS_MISSING,
    coups_unknown,
    skipped_around,
    starts_before_record,
)
from sabot.domain.audit.fingerprints import with_patron
from sabot.domain.audit.holder_moves import holder_at
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import (
    CardDrawn,
    CoupClosed,
    CoupVoided,
    PatronMoved,
    PatronSeated,
    ResultCalled,
    ShoeLoaded,
    ShoeOffered,
    ShoePassed,
    ShoeTaken,
)
from sabot.domain.events.bank import BankWithdrawn, HandsCalled
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of, is_of
from sabot.domain.procedure.common import is_house
from sabot.domain.procedure.preconditions import holder_requirements
from sabot.domain.procedure.seating import seats_at
from sabot.domain.rules.sources import ARRETE_2007_ART_55_14, NSW_BACCARAT_RULE_3
from sabot.domain.state.bank_state import OfferOrder
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import answered, in_sequence, settle
from sabot.domain.values.cards import FIRST_TWO

Shown = RecordedEvent[CardDrawn | ResultCalled | HandsCalled | CoupClosed | CoupVoided]
"""The event that shows that a coup was dealt."""
Passing = tuple[RecordedEvent, RecordedEvent, list[Shown]]
"""A passing of the shoe: the taking before it, the passing, and what shows each dealt coup."""

HOLDER = RuleGroup(family="procedure", concerns="form")

R = TypeVar("R", bound=RecordedEvent)

_POSITION: Final = attrgetter("position")
_ENDS: Final = (CoupClosed, CoupVoided)

# -- Keeping and passing the shoe ------------------------------------------------------------------


@need("rules", "patrons do not hold the shoe", "nothing-to-check")
def patrons_hold_shoe(shoe: Shoe) -> bool:
    """The rule pack has patrons hold the shoe, as it does unless it says otherwise."""
    return shoe.pack is not None and shoe.pack.table.shoe == "patron"


@need("rules", "the rule pack does not have the shoe pass on a loss", "not-required")
def shoe_passes_on_loss(shoe: Shoe) -> bool:
    """The rule pack has the shoe pass when the bank loses, as it does unless it says otherwise."""
    return shoe.pack is not None and shoe.pack.table.passes == "on-loss"


@need("shoe", "the record does not say who held the shoe")
def holder_on_record(shoe: Shoe) -> bool:
    """The record holds events in which the shoe was taken or passed."""
    return any(is_of(each, ShoeTaken) or is_of(each, ShoePassed) for each in shoe.shoe_moves)


_PASSES = (needs.shoe_pack_readable, patrons_hold_shoe, shoe_passes_on_loss, holder_on_record)


@each("pair of successive coups", "no two coups were dealt", about="cards")
def _successive_coups(shoe: Shoe) -> Sequence[tuple[Coup, Coup]]:
    """Return each dealt coup that was not voided, with the next such coup.

    Voided coups, and coups in which a hand has fewer than two cards, are ignored.
    """
    coups = [
        coup
        for coup in shoe.coups.values()
        if len(coup.player) > 1 and len(coup.banker) > 1 and coup.voided is None
    ]
    return list(pairwise(sorted(coups, key=lambda coup: coup.cards[0].position)))


@HOLDER.rule(
    "H501",
    "shoe-kept-after-loss",
    sources=(ARRETE_2007_ART_55_14,),
    looks_at="shoe",
    needs=(needs.not_coups_alone, *_PASSES),
    each=_successive_coups,
    follows_from=("coup-after-last", "miscalled-result"),
    breach_events=(CardDrawn,),
    breaks="""
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
    """,
    keeps="""
        shoe-taken {"by": "p1"}
        coup P 4 4  B K 9
        coup P 4 5  B K 8
    """,
)
def shoe_kept_after_loss(shoe: Shoe, coups: tuple[Coup, Coup]) -> Iterator[Breach]:
    """The patron who holds the shoe passes it when the bank loses, before the next coup.

    The cards decide who lost, not the call of the result. A tie is not a loss. The passing is in
    time between the last card of the lost coup and the first card of the next one. A taking by
    anybody else counts as a passing. A shoe that the house holds need not pass. A coup whose bets a
    ruling returned was not lost. A coup without bets may be lost. A coup is not judged if the
    record does not say who held the shoe at its first card, if it may have begun before the record,
    or if a coup between it and the next one is missing.
    """
    coup, following = coups
    if holder_requirements.may_keep_shoe(coup) or starts_before_record(shoe, coup):
        return
    between = range(coup.number + 1, following.number)
    if not shoe.coups.keys() >= set(between):
        answered(coups_unknown(shoe, following))
    last, first = coup.cards[-1], following.cards[0]
    holder = holder_at(shoe, coup.cards[0])
    moves = shoe.shoe_moves if shoe.order is not None else _between(shoe.shoe_moves, last, first)
    given_up = [event for event in moves if _gives_up(event, holder)]
    settle(shoe, given_up, (last, first))
    passed = any(last.position < event.position < first.position for event in given_up)
    if holder is not None and not is_house(shoe, holder) and not passed:
        breach = Breach(
            f"{holder} kept the shoe after the bank lost {shoe.coup_name(coup.number)}",
            "the shoe passes when the bank loses",
            "no passing before the next coup",
            (last, first),
            coup.number,
            offending_event=first,
        )
        yield with_patron(shoe, breach, holder)


def _between(events: Sequence[R], since: RecordedEvent, until: RecordedEvent) -> Sequence[R]:
    """Return those of some ordered events that lie between two others."""
    first = bisect_right(events, since.position, key=_POSITION)
    return events[first : bisect_left(events, until.position, key=_POSITION)]


def _gives_up(event: RecordedEvent, holder: str | None) -> bool:
    """Return whether an event ended the holding of the shoe: a passing, or a taking by another."""
    match event.payload:
        case ShoeTaken(by=taker):
            return taker != holder
        case ShoePassed():
            return True
        case _:
            return False


@each("passing", None)
def _passings(
    shoe: Shoe,
) -> Sequence[Passing]:
    """Return each passing of the shoe, with the taking before it and the coups dealt.

    A coup counts as dealt from its first card, or else from its call, close or voiding. A passing
    of the shoe is not checked if the record does not show when the shoe was taken before it.
    """
    found = []
    firsts = sorted(filter(None, map(_counting_from, shoe.coups.values())), key=_POSITION)
    taken: RecordedEvent | None = None
    for event in events_of((ShoeTaken, ShoePassed), shoe.shoe_moves):
        if is_of(event, ShoeTaken):
            taken = event
        elif taken is not None:
            found.append((taken, event, firsts))
            taken = None
    return found


@HOLDER.rule(
    "H502",
    "shoe-passed-without-coup",
    sources=(ARRETE_2007_ART_55_14,),
    looks_at="shoe",
    needs=(needs.not_coups_alone, *_PASSES),
    each=_passings,
    follows_from=("premature-bank-withdrawal",),
    breach_events=(ShoeTaken, ShoePassed, BankWithdrawn),
    breaks="""
        shoe-taken {"by": "p1"}
        shoe-passed {"by": "p1", "reason": "chosen"}
        shoe-taken {"by": "p2"}
        coup P 4 4  B K 9
    """,
    keeps="""
        shoe-taken {"by": "p1"}
        coup P 4 4  B K 9
        shoe-passed {"by": "p1", "reason": "chosen"}
        shoe-taken {"by": "p2"}
    """,
)
def shoe_passed_without_coup(shoe: Shoe, passing: Passing) -> Iterator[Breach]:
    """The patron who takes the shoe deals at least one coup before passing it.

    Only a passing by choice (`chosen`), or one recorded as `lost`, is checked: a shoe may pass
    without a coup on a ruling, when the patron leaves, or when the pack has ended. A shoe that the
    house holds may also pass without a coup. The patron has dealt a coup, voided or not, if its
    first card lies between the taking and the passing. For a coup without cards, its call, close or
    voiding must lie between them. A passing is not judged if the numbers of the coups show that one
    is missing just before or after it. A finding also shows what was withdrawn from the bank in
    between.
    """
    taken, passed, firsts = passing
    settle(shoe, (taken, passed), firsts)
    dealt = bool(_between(firsts, taken, passed))
    payload = passed.payload
    # a shoe that is passed for another reason needs no coup before it
    if not isinstance(payload, ShoePassed) or holder_requirements.may_pass_shoe(
        payload.reason, dealt=dealt or is_house(shoe, payload.by)
    ):
        return
    answered(skipped_around(shoe, passed))
    how = "passed the shoe as lost" if payload.reason == "lost" else "passed the shoe"
    breach = Breach(
        f"{payload.by} {how} without dealing a coup",
        "a patron who takes the shoe deals at least one coup",
        "no coup between taking and passing it",
        (taken, passed, *_withdrawn_between(shoe, taken, passed)),
        offending_event=passed,
    )
    yield with_patron(shoe, breach, payload.by)


def _withdrawn_between(
    shoe: Shoe, taken: RecordedEvent, passed: RecordedEvent
) -> Iterator[RecordedEvent[BankWithdrawn]]:
    """Yield the withdrawals from a bank between the taking and the passing of the shoe."""
    for event in events_of(BankWithdrawn, shoe.history):
        if taken.position < event.position < passed.position:
            yield event


def _counting_from(coup: Coup) -> Shown | None:
    """Return the event that shows that a coup was dealt. None otherwise.

    It is the first card, or else the call, the close or the voiding of the coup. So a coup that was
    voided because nobody staked counts as dealt.
    """
    return coup.first_card or coup.result_called or coup.closed or coup.voided


@HOLDER.rule(
    "H507",
    "shoe-passed-as-lost-after-win",
    sources=(ARRETE_2007_ART_55_14,),
    concerns="record",
    looks_at="shoe",
    needs=(needs.not_coups_alone, *_PASSES),
    each=_passings,
    follows_from=("miscalled-result",),
    breach_events=(ShoePassed, CardDrawn),
    breaks="""
        shoe-taken {"by": "p1"}
        coup P 4 4  B K 9
        shoe-passed {"by": "p1", "reason": "lost"}
    """,
    keeps="""
        shoe-taken {"by": "p1"}
        coup P 4 4  B K 9
        shoe-passed {"by": "p1", "reason": "chosen"}
    """,
)
def shoe_passed_as_lost_after_win(shoe: Shoe, passing: Passing) -> Iterator[Breach]:
    """A shoe passes as lost only if the bank lost the coup before.

    The cards of the last coup between the taking and the passing decide. A coup without a card and
    without a call is ignored. A tie is not a loss. If that coup was voided or has an irregularity,
    or a hand in it has fewer than two cards, the passing is permitted: a wrong draw may also cost
    the shoe. A passing before the first coup is permitted here: H502 checks it. A passing is not
    judged if the coup began before the record, or the numbers of the coups show that one is missing
    just before or after it.
    """
    taken, passed, firsts = passing
    if not isinstance(passed.payload, ShoePassed) or passed.payload.reason != "lost":
        return
    settle(shoe, (taken, passed), firsts)
    last = _last_dealt(shoe, _between(firsts, taken, passed))
    if last is None or last.voided or last.irregularities or not _was_kept(last):
        return
    answered(COUPS_MISSING if starts_before_record(shoe, last) else skipped_around(shoe, passed))
    breach = Breach(
        f"{passed.payload.by} passed the shoe as lost, but the bank did not lose",
        "a shoe that is given up after a win is passed by choice",
        "passed as lost",
        (passed, last.cards[-1]),
        last.number,
    )
    by = passed.payload.by
    yield with_patron(shoe, breach, None if is_house(shoe, by) else by)


def _last_dealt(shoe: Shoe, firsts: Sequence[Shown]) -> Coup | None:
    """Return the last coup with a card or a call.

    ``firsts`` are the events that show that coups were dealt, in order.
    """
    shown = [each for each in firsts if not isinstance(each.payload, _ENDS)]
    return shoe.coups[shown[-1].payload.coup] if shown else None


def _was_kept(coup: Coup) -> bool:
    """Return whether both hands of a coup were dealt and the bank did not lose."""
    dealt = len(coup.player) >= FIRST_TWO and len(coup.banker) >= FIRST_TWO
    return dealt and holder_requirements.may_keep_shoe(coup)


# -- To whom it goes -------------------------------------------------------------------------------


Offer = tuple[RecordedEvent, str, OfferOrder]
"""An offer of a passed shoe: its event, the patron, and the order of asking."""


@each(
    "offer",
    "no offer of a passed shoe between seated patrons is on record",
    "record-incomplete",
    "seats",
)
def _offers(shoe: Shoe) -> Sequence[tuple[Offer, ...]]:
    """Return each offer of a passed shoe: event, patron, and the patrons in order of asking.

    An offer is not checked while somebody holds the shoe. It is not checked either if the patron
    who passed the shoe, or the patron to whom it is offered, has no recorded seat at that moment. A
    patron who has left has no seat. Until somebody passes the shoe, the holder of the previous
    shoe, whom the loading names, counts as the patron who passed this shoe. Several offers in the
    wrong direction round the table are one finding.
    """
    offers = [
        (event, event.payload.to, now)
        for event, now in shoe.offers
        if not now.held and now.last in now.order and event.payload.to in now.order
    ]
    turned = tuple(
        (event, to, now)
        for event, to, now in offers
        if not holder_requirements.shoe_goes_to(to, now.order, now.refused)
        and holder_requirements.shoe_goes_to(to, now.turned().order, now.refused)
    )
    if len(turned) <= 1:
        return [(offer,) for offer in offers]
    return [turned, *((offer,) for offer in offers if offer not in turned)]


@HOLDER.rule(
    "H503",
    "shoe-offered-out-of-turn",
    sources=(ARRETE_2007_ART_55_14,),
    looks_at="shoe",
    games=("punto-banco",),
    needs=(needs.not_coups_alone, needs.shoe_pack_readable, patrons_hold_shoe),
    each=_offers,
    follows_from=("excess-patrons-at-seat", "shoe-taken-by-wrong-patron"),
    breach_events=(ShoeOffered, ShoePassed, PatronSeated, PatronMoved, ShoeLoaded),
    breaks="""
        patron-seated {"seat": 1, "patron": "p1"}
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 3, "patron": "p3"}
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
    """,
    keeps="""
        patron-seated {"seat": 1, "patron": "p1"}
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 3, "patron": "p3"}
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p1"}
    """,
)
def shoe_offered_out_of_turn(shoe: Shoe, offers: tuple[Offer, ...]) -> Iterator[Breach]:
    """A shoe that is passed is offered round the table, to the next patron who has not refused.

    The shoe goes in the direction that the rule pack names, beginning after the patron who passed
    it. That patron is asked last. Only refusals since the shoe was last taken count. A refusal by
    one patron while the shoe is offered to another has no effect. After everybody has refused, the
    shoe may be offered to anybody. If the patron whose turn it was shares a seat, the finding shows
    who took that seat.
    """
    assert shoe.pack is not None
    in_sequence(shoe, shoe.shoe_moves)
    event, offered, now = offers[0]
    if not holder_requirements.shoe_goes_to(offered, now.order, now.refused):
        due = next(patron for patron in now.order if patron not in now.refused)
        said = f"the shoe that {now.last} passed was offered to {offered}"
        required = f"it goes {shoe.pack.table.direction}: to {due} first, who may refuse it"
        if len(offers) > 1:
            said = f"the shoe was offered in the wrong direction, {len(offers)} times: first {said}"
        shared = _seat_shared_by(shoe, due, event)
        whose = f", who shared seat {shared[0]} with {' and '.join(shared[1])}," if shared else ""
        shown = f"offered to {offered}, and {due}{whose} had not refused it"
        seated = [each for each, at, _ in shoe.seatings if shared and at == shared[0]]
        events = (*(each for each, _, _ in offers), *seated, *_passed_by_another(shoe, event))
        yield Breach(said, required, shown, events, patron=offered, offending_event=event)


def _passed_by_another(shoe: Shoe, offer: RecordedEvent) -> list[RecordedEvent]:
    """Return the passing before an offer, if another than the holder passed the shoe."""
    moves = shoe.shoe_moves
    backwards = reversed(moves[: bisect_left(moves, offer.position, key=_POSITION)])
    passed = first_of(ShoePassed, backwards)
    taken = first_of(ShoeTaken, backwards)  # the last taking before that passing
    if passed is None or taken is None or taken.payload.by == passed.payload.by:
        return []
    return [passed]


def _seat_shared_by(shoe: Shoe, patron: str, event: RecordedEvent) -> tuple[int, list[str]] | None:
    """Return a patron's seat and the others at it before an event. None without others."""
    for seat, patrons in seats_at(shoe, event.position).items():
        if patron in patrons and len(patrons) > 1:
            return seat, [each for each in patrons if each != patron]
    return None


@need("rules", "patrons hold the shoe", "nothing-to-check")
def dealer_holds_shoe(shoe: Shoe) -> bool:
    """The rule pack has the dealer hold the shoe."""
    return shoe.pack is not None and shoe.pack.table.shoe == "dealer"


@each("taking", "the record does not say who held the shoe", "record-incomplete")
def _takings(shoe: Shoe) -> Sequence[tuple[RecordedEvent, str]]:
    """Return each taking of the shoe, with the person who took it."""
    return [(event, event.payload.by) for event in events_of(ShoeTaken, shoe.shoe_moves)]


@HOLDER.rule(
    "H504",
    "dealer-shoe-held-by-patron",
    sources=(ARRETE_2007_ART_55_14, NSW_BACCARAT_RULE_3),
    looks_at="shoe",
    concerns="game",
    games=("punto-banco",),
    needs=(needs.not_coups_alone, needs.shoe_pack_readable, dealer_holds_shoe),
    each=_takings,
    breach_events=(ShoeTaken,),
    breaks="""
        load mini
        coup p1 player 500 | P 4 5  B K 8
        shoe-taken {"by": "p1"}
    """,
    keeps="""
        load mini
        coup p1 player 500 | P 4 5  B K 8
        shoe-taken {"by": "dora"}
    """,
)
def dealer_shoe_held_by_patron(shoe: Shoe, taking: tuple[RecordedEvent, str]) -> Iterator[Breach]:
    """No patron holds the shoe at a table where the dealer holds it.

    Every taking is checked. A person is a patron if the record of the shoe, at any time, has a seat
    or a bet of that person. A bet in a voided coup counts too. A person who by the record also
    works at the table is not a patron.
    """
    event, by = taking
    assert shoe.pack is not None
    patrons = holder_requirements.patrons_of(shoe)
    if not holder_requirements.may_hold_shoe(shoe.pack, patron=by in patrons):
        yield Breach(
            f"{by}, a patron, took the shoe",
            "the dealer deals, and patrons do not hold the shoe",
            f"the shoe with {by}",
            (event,),
            patron=by,
        )


RULES = (*HOLDER.rules,)
"""Every rule of this module."""
