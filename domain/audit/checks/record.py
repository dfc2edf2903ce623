"""Rules on the record.

They cover its rule pack, the committed card order, and events that refer to something never
recorded.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Final, get_args

from sabot.domain.audit import needs
from sabot.domain.audit.card_totals import cards_behind_gaps, shown_by_gaps
from sabot.domain.audit.checks.bets import card_before_bets_closed
from sabot.domain.audit.checks.burn_reasons import WRONG_BURNS
from sabot.domain.audit.checks.ceased_bet_settlements import (
    moved_by_placing_again,
    settlement_of_ceased,
)
from sabot.domain.audit.checks.coup_sequence import coup_number_out_of_sequence
from sabot.domain.audit.committed_order import (
    binding,
    hash_of_order,
    late_corrections_of_commitments,
    order_mismatch,
)
from sabot.domain.audit.completeness import (
    STARTS_BEFORE_RECORD,
    is_of_earlier_bank,
    may_begin_before_record,
    record_lacks_bets,
)
from sabot.domain.audit.event_words import event_in_words, unmatched_in_words
from sabot.domain.audit.holder_moves import put_up_by_another
from sabot.domain.audit.rule import Breach, MoneyEffect
from sabot.domain.audit.rule_group import RuleGroup, code_of, each
from sabot.domain.audit.table_order import settle_ground
from sabot.domain.events import (
    BetCarried,
    BetPaid,
    BetPlaced,
    BetPushed,
    BetTaken,
    CardBurned,
    CardDrawn,
    CardTurned,
    CommissionCollected,
    CommissionMarked,
    CoupClosed,
    CoupOpened,
    Event,
    EventCorrected,
    NoMoreBets,
    OrderCommitted,
    OrderOpened,
    ResultCalled,
    ShoeLoaded,
    TotalsCalled,
)
from sabot.domain.events.bank import BankUnlimited
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.procedure.preconditions import shoe_requirements
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.rules.sources import HOUSE_CONVENTION
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import answered, in_sequence, settle
from sabot.domain.timeline.sequence import CLOSED_ONCE, OPENED_FIRST, OPENED_ONCE
from sabot.domain.values.cards import format_card

RECORD = RuleGroup(family="integrity", concerns="record")

# -- Events that rest on no others -----------------------------------------------------------------

_NEEDS_OPENING: Final = (
    BetPlaced, BetCarried, NoMoreBets, CardDrawn, TotalsCalled, ResultCalled,
    BetTaken, BetPaid, BetPushed, CoupClosed,
)  # fmt: skip
"""Events that may only come after the opening of their coup."""

_SETTLE: Final = (BetTaken, BetPaid, BetPushed, CommissionCollected, CommissionMarked)

Question = Callable[[], Iterator[Breach]]
"""A check that an event, or a coup, has a basis in earlier events."""


@each("coup, changed bet and unmatched event", None)
def _questions(shoe: Shoe) -> Sequence[Question]:
    """Return what to check about each coup, each unmatched event and each changed bet.

    Events that may refer to something before the record begins are not checked.
    """
    strays = [each for each in shoe.unmatched_events if not is_of_earlier_bank(shoe, each)]
    asked: list[Question] = [partial(_groundless, shoe, None, (event,)) for event in strays]
    before_record = may_begin_before_record(shoe)
    for number, coup in shoe.coups.items():
        begun_before = number in before_record
        if begun_before or coup.opened is None or coup.events[0] is not coup.opened:
            asked.append(partial(_unopened, shoe, coup, begun_before=begun_before))
        # its bets may precede the record; a duplicate within the record remains one
        asked += [
            partial(_groundless, shoe, coup, events)
            for events in _unmatched(coup)
            if not begun_before or isinstance(events[0].payload, (BetPlaced, BetCarried))
        ]
        asked += [
            partial(settlement_of_ceased, shoe, coup, bet)
            for bet in coup.bets.values()
            if (bet.changes or bet.withdrawn) and not begun_before
        ]
    return asked


@RECORD.rule(
    "R401",
    "unmatched-event",
    sources=(HOUSE_CONVENTION,),
    order=(OPENED_FIRST, OPENED_ONCE, CLOSED_ONCE),
    looks_at="shoe",
    each=_questions,
    follows_from=(
        *("held-bet-taken-up", "held-stake-taken-up"),
        *("premature-call", "card-after-hands-called", code_of(card_before_bets_closed)),
        "wrong-banker",
    ),
    breach_events=get_args(Event),
    breaks="""
        coup p1 tie 500 | P 4 5  B K 8
        bet-pushed {"coup": 1, "bet": 2}
    """,
    keeps="coup p1 tie 500 | P 4 5  B K 8",
)
def unmatched_event(_shoe: Shoe, question: Question) -> Iterator[Breach]:
    """Every event refers to an earlier one: a payment to a bet, a bet to an opened coup.

    Some events also break the rule if they repeat an earlier one: a bet of the same number or its
    withdrawal, the opening, closing or voiding of a coup, the loading or end of the shoe, and the
    appearance of the cut card. A bet or a card after the end of its coup is not checked here. The
    opening of a coup comes before its bets, cards, calls, settlements and closing; other events may
    precede it. A coup without an opening is one breach, at its first event. All settlements of one
    unknown bet are one breach. This rule reports a settlement of a bet that was withdrawn, lowered
    to zero or returned as excess. It does not if the withdrawal, change or return itself breaks
    another rule. I304 and I309 report settlements of a bet that a ruling returned. E202 reports
    settlements in a voided coup. All other events of a voided coup are checked here.

    A coup is not judged if it may have begun before the record, except for a bet that repeats
    another. A coup may have begun before the record if the record lacks the loading of the shoe or
    holds coups only. An event of a bank is not judged if the record may lack the bank. An event
    that names a bet is not judged if the record holds coups only, and no bet in any of them.
    """
    yield from question()


def _unopened(shoe: Shoe, coup: Coup, *, begun_before: bool) -> Iterator[Breach]:
    """Yield a breach if a coup has earlier events than its opening."""
    answered(STARTS_BEFORE_RECORD if begun_before else None)
    opened = coup.opened
    if opened is None:
        first = next(iter(coup.events), None)
    else:
        early = (event for event in coup.events if event.position < opened.position)
        first = next((each for each in early if isinstance(each.payload, _NEEDS_OPENING)), None)
        settle(shoe, [first] if first else [], [opened])
    if first is not None:
        yield from _groundless(shoe, coup, (first,), opens=True)


def _unmatched(coup: Coup) -> list[tuple[RecordedEvent, ...]]:
    """Return the unmatched events of a coup. Those that settle one unknown bet are together."""
    alike: dict[tuple[str, int], list[RecordedEvent]] = {}
    for event in coup.unmatched_events:
        bet = getattr(event.payload, "bet", None)
        of_no_bet = isinstance(event.payload, _SETTLE) and bet not in coup.bets
        key = ("bet", bet or 0) if of_no_bet else ("event", event.position)
        alike.setdefault(key, []).append(event)
    return [tuple(events) for events in alike.values()]


def _groundless(
    shoe: Shoe, coup: Coup | None, alike: tuple[RecordedEvent, ...], *, opens: bool = False
) -> Iterator[Breach]:
    """Yield the breach of events that refer to nothing on record, with the chips they moved."""
    event = alike[0]
    for one in alike:
        settle_ground(shoe, coup, one)
    if getattr(event.payload, "bet", None) is not None:
        answered("the record may lack bets" if record_lacks_bets(shoe) else None)
    moved = None if coup is None or opens else _moved(shoe, coup, alike)
    said = unmatched_in_words(shoe, coup, event.payload)
    if coup is not None and opens:
        what = event_in_words(shoe, event.payload)
        said = f"{shoe.coup_name(coup.number)} was not opened before its first event: {what}"
    elif moved is not None and not isinstance(event.payload, _SETTLE):
        said = f"{said}; chips moved"
    elif moved is not None and not hasattr(event.payload, "patron"):
        said = f"{said}; the record does not say whose chips moved"
    number = coup.number if coup is not None else None
    shown = ", ".join(event_in_words(shoe, each.payload) for each in alike)
    events = (*alike, *_drawn_later(coup, event))
    if is_of(event, BankUnlimited):
        events = (*alike, *put_up_by_another(shoe, event, event.payload.by))
    yield Breach(said, "every event refers to earlier events", shown, events, number, moved)


def _drawn_later(coup: Coup | None, event: RecordedEvent) -> list[RecordedEvent[CardDrawn]]:
    """Return the cards of a hand that were drawn after the turning of a card that it lacked."""
    if coup is None or not is_of(event, CardTurned):
        return []
    turned = event.payload
    return [
        card
        for card in coup.cards
        if card.position > event.position
        and (card.payload.hand, card.payload.seat) == (turned.hand, turned.seat)
    ]


def _moved(shoe: Shoe, coup: Coup, alike: tuple[RecordedEvent, ...]) -> MoneyEffect | None:
    of_no_bet = [gains for each in alike if (gains := _moved_of_no_bet(coup, each)) is not None]
    again = moved_by_placing_again(shoe, coup.number, alike[0])
    return again or (tuple(chain(*of_no_bet)) if of_no_bet else None)


def _moved_of_no_bet(coup: Coup, event: RecordedEvent) -> tuple[tuple[str | None, int], ...] | None:
    """Return the chips that a settlement moved though its bet is not on record, or None.

    Where a patron is the banker, these chips come from the bank or go to it.
    """
    if getattr(event.payload, "bet", None) in coup.bets:
        return None
    match event.payload:
        case BetPaid(amount=amount):
            gain = amount
        case BetTaken(amount=amount):
            gain = -amount
        case CommissionCollected(patron=patron, amount=amount):
            return ((patron, -amount),)
        case _:
            return None
    banker = coup.banked.banker if coup.banked is not None else None
    return ((None, gain),) if banker is None else ((None, gain), (banker, -gain))


# -- The rule pack ---------------------------------------------------------------------------------


@RECORD.rule(
    "R406",
    "unreadable-rule-pack",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    needs=(needs.loading_on_record,),
    breach_events=(ShoeLoaded,),
    breaks="""
        bare
        load "no pack"
    """,
    keeps="""
        bare
        load classic-8
    """,
)
def unreadable_rule_pack(shoe: Shoe) -> Iterator[Breach]:
    """The text of the rule pack with which a shoe was loaded is a valid rule pack."""
    assert shoe.loaded is not None
    if shoe.pack is None:
        yield Breach("the rule pack cannot be read", "a rule pack", shoe.pack_fault, (shoe.loaded,))


@RECORD.rule(
    "R407",
    "rule-pack-mismatch",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    needs=(needs.loading_on_record,),
    breach_events=(ShoeLoaded,),
    breaks="""
        load classic-8 {"pack_sha256": "0000000000000000000000000000000000000000000000000000000000000000"}
        bare
    """,  # noqa: E501 - a hash is as long as it is
    keeps="""
        load classic-8
        bare
    """,
)
def rule_pack_mismatch(shoe: Shoe) -> Iterator[Breach]:
    """The text of the rule pack has the SHA-256 hash that the loading of the shoe names."""
    assert shoe.loaded is not None
    loading = shoe.loaded.payload
    if not shoe_requirements.has_named_pack(loading):
        yield Breach(
            "the rule pack's text does not have the recorded hash",
            f"a text with the hash {loading.pack_sha256}",
            f"a text with the hash {pack_sha256(loading.pack)}",
            (shoe.loaded,),
        )


# -- The order that was bound ----------------------------------------------------------------------


@each("committed order", "no order was committed")
def _commitments(shoe: Shoe) -> Sequence[RecordedEvent[OrderCommitted]]:
    """Return the events that committed an order of the cards by its hash.

    A commitment that was made before any card of its shuffle left the shoe may be corrected after a
    card has left. Then it counts twice: as it was before the correction, and as it is after. If the
    two hashes differ, each needs an order of its own.
    """
    by_hash = {each.payload.sha256: each for each in (*shoe.committed, *binding(shoe))}
    return sorted(by_hash.values(), key=lambda each: each.position)


@RECORD.rule(
    "R408",
    "committed-order-not-opened",
    sources=(HOUSE_CONVENTION,),
    concerns="game",
    looks_at="shoe",
    each=_commitments,
    due=needs.shoe_over,
    breach_events=(OrderCommitted, OrderOpened, EventCorrected),
    live=False,
    breaks="""
        bare
        committed Ac 2c 4c Kc 5c 8c
        ready Ac
        coup P 4c 5c  B Kc 8c
        shoe-ended {"left": 410, "reason": "withdrawn"}
    """,
    keeps="""
        bare
        committed Ac 2c 4c Kc 5c 8c
        ready Ac
        coup P 4c 5c  B Kc 8c
        shoe-ended {"left": 410, "reason": "withdrawn"}
        opened Ac 2c 4c Kc 5c 8c
    """,
)
def committed_order_not_opened(
    shoe: Shoe, commitment: RecordedEvent[OrderCommitted]
) -> Iterator[Breach]:
    """Each committed order of the cards is revealed: an order is recorded that has its hash.

    The order may be revealed at any time, also before the shoe ends. Commitments with the same hash
    need only one order. The finding shows the commitment, the orders that were revealed, and
    corrections of commitments that were made after a card. A live audit does not report a breach,
    since the order may still be revealed.
    """
    sha256, opened = commitment.payload.sha256, shoe.order_opened
    if sha256 not in map(hash_of_order, opened):
        yield Breach(
            "the committed order of the cards was not revealed",
            f"an order whose hash is {sha256}",
            f"{len(opened)} orders revealed, none with that hash",
            (commitment, *opened, *(made for made, _ in late_corrections_of_commitments(shoe))),
            offending_event=shoe.ended,
        )


@each("opened order", "no order was revealed")
def _orders_shown(shoe: Shoe) -> Sequence[RecordedEvent[OrderOpened]]:
    """Return the events that revealed a committed order."""
    return shoe.order_opened


@RECORD.rule(
    "R409",
    "card-order-mismatch",
    sources=(HOUSE_CONVENTION,),
    concerns="game",
    looks_at="shoe",
    needs=(needs.present(_orders_shown), needs.burns_on_record, needs.card_left_shoe),
    each=_orders_shown,
    follows_from=(
        *("skipped-card", "wrong-opening-burn", *WRONG_BURNS),
        code_of(coup_number_out_of_sequence),
    ),
    breach_events=(OrderCommitted, OrderOpened, EventCorrected, CardDrawn, CardBurned, CoupOpened),
    breaks="""
        bare
        committed Ac 2c 4c Kc 6c 8c
        ready Ac
        coup P 4c 5c  B Kc 8c
        shoe-ended {"left": 410, "reason": "withdrawn"}
        opened Ac 2c 4c Kc 6c 8c
    """,
    keeps="""
        bare
        committed Ac 2c 4c Kc 5c 8c
        ready Ac
        coup P 4c 5c  B Kc 8c
        shoe-ended {"left": 410, "reason": "withdrawn"}
        opened Ac 2c 4c Kc 5c 8c
    """,
)
def card_order_mismatch(shoe: Shoe, shown: RecordedEvent[OrderOpened]) -> Iterator[Breach]:
    """The cards leave the shoe in the order that was committed before them.

    Drawn and burned cards are compared, also in voided coups. The comparison runs from the
    commitment to the next one, as far as the order goes. A commitment binds as it stood before the
    first card after the last shuffle. It must not be recorded or corrected later. It is a breach to
    open an order that was committed only by a record or correction made after such a card. If the
    order of a binding commitment is never opened, R408 reports that instead. A late commitment is
    judged only if the record holds the loading and all events of the shoe. An opened order without
    any commitment is not compared. A card whose face is not on record is not compared. A recorded
    rank without a suit, or a value without a rank, only has to agree with the committed card. Only
    the first wrong card of an order is reported. If cards without a face came just before the wrong
    card, the finding shows them.
    """
    in_sequence(shoe, shoe.left)
    mismatch = order_mismatch(shoe, shown)
    if mismatch is None:
        yield from _not_committed(shoe, shown)
        return
    face, due = mismatch.face, mismatch.due
    yield Breach(
        f"{format_card(face)} was dealt; the order recorded before the deal has {format_card(due)}",
        format_card(due),
        format_card(face),
        (mismatch.committed, mismatch.event, *mismatch.unseen, *_after_gap(shoe, mismatch.event)),
        mismatch.event.payload.coup,
        offending_event=mismatch.event,
    )


def _after_gap(shoe: Shoe, wrong: RecordedEvent) -> list[RecordedEvent]:
    """Return what shows the last places skipped before a card.

    From there on the cards are compared with others, and some may agree.
    """
    gaps = [gap for gap in cards_behind_gaps(shoe) if gap[0].position <= wrong.position]
    return [event for event in shown_by_gaps(shoe, gaps[-1:]) if event is not wrong]


def _not_committed(shoe: Shoe, shown: RecordedEvent[OrderOpened]) -> Iterator[Breach]:
    """Yield the breach that an order was opened whose commitment came after a card."""
    hashes = {each.payload.sha256 for each in binding(shoe)}
    from_the_start = shoe.loaded is not None and shoe.coverage == "whole"
    if from_the_start and hashes <= set(map(hash_of_order, shoe.order_opened)):
        sha256 = hash_of_order(shown)
        made = [
            made
            for made, was in late_corrections_of_commitments(shoe)
            if sha256 in {_hash_of(was), _hash_of(made.payload.instead)}
        ]
        late = [each for each in shoe.committed if each.payload.sha256 == sha256]
        if sha256 not in hashes and (late or made):
            yield Breach(
                "an order was revealed that nobody had committed before the cards",
                f"a commitment with the hash {sha256} before the first card",
                "the commitment came after a card" if late else "no such commitment",
                (shown, *late, *made),
                offending_event=shown,
            )


def _hash_of(payload: Event | None) -> str | None:
    return payload.sha256 if type(payload) is OrderCommitted else None


RULES = (*RECORD.rules,)
"""Every rule of this module."""
