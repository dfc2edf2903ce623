"""Rules on the bank at macao and victoria. The banker keeps it for the whole pack."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sabot.domain.audit import needs
from sabot.domain.audit.completeness import seats_unknown
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import ShoeOffered, ShoePassed
from sabot.domain.events.bank import BankPosted
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.procedure.common import with_limits_at
from sabot.domain.procedure.macao import is_exhausted, least_bank, least_stake
from sabot.domain.procedure.preconditions import own_hand_requirements
from sabot.domain.rules.sources import (
    HOUSE_CONVENTION,
    WIKIPEDIA_BACCARAT_MACAO,
)
from sabot.domain.state.money_text import beyond_limits, format_money
from sabot.domain.state.shoe import Shoe, apply
from sabot.domain.timeline.evidence import settle

PACK_BANKS = RuleGroup(family="procedure", concerns="form", games=("macao", "victoria"))


class GivenUp(Struct, frozen=True):
    """A bank that its banker gave up voluntarily: without a ruling, and without leaving.

    ``lay`` is the bank before the banker took it out, in minor units; ``left`` is the number of
    cards left. ``over`` is True if the pack was dealt out or the bank was broken.
    """

    event: RecordedEvent[ShoePassed]
    lay: int
    left: int
    over: bool


@each("bank given up", "no banker gave up the bank voluntarily")
def _banks_given_up(shoe: Shoe) -> Sequence[GivenUp]:
    """Return the banks given up without a ruling by bankers who did not leave the table.

    A bank is not checked if it was given up on a ruling, because the banker left, or before the
    record gives the seats. A bank given up by a patron who put up none is not checked either.
    """
    given_up: list[GivenUp] = []
    now = Shoe(shoe.stream)
    for event in apply_corrections(shoe.history) if shoe.order is None else shoe.order.events:
        if is_of(event, ShoePassed) and _gives_up(now, event.payload) and not seats_unknown(now):
            given_up.append(_given_up(now, event))
        apply(now, event)
    return given_up


def _gives_up(now: Shoe, passed: ShoePassed) -> bool:
    own = now.bank is not None and now.bank.holder == passed.by
    return own and passed.reason not in ("ruling", "left")


def _given_up(now: Shoe, event: RecordedEvent[ShoePassed]) -> GivenUp:
    """Return the bank that an event gave up, with the state of the shoe at that time."""
    assert now.bank is not None
    # chips taken out just before still count towards a broken bank
    lay = now.bank.amount + now.bank.taken_out
    over = is_exhausted(now) or lay < least_stake(now)
    return GivenUp(event, lay, now.size - len(now.left), over)


@PACK_BANKS.rule(
    "O509",
    "bank-given-up-early",
    sources=(WIKIPEDIA_BACCARAT_MACAO,),
    needs=(
        needs.not_coups_alone,
        needs.every_coup_recorded,
        needs.shoe_pack_readable,
        needs.shoe_seats_known,
    ),
    looks_at="shoe",
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

    The pack is dealt out if too few cards are left for another coup. A coup needs the reserve of
    the rule pack for the banker and each seated patron. The pack is also dealt out after the last
    coup, if a cut card was placed and appeared. A bank is broken if it is below the table's minimum
    stake at that time. The record of the shoe, or else the rule pack, gives that minimum. The chips
    that the banker took out of the bank are included. The reason that the banker states, a loss or
    a choice, does not matter.
    """
    by = given_up.event.payload.by
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


@each("offer of the bank", "the bank was offered only while somebody held it")
def _offers(shoe: Shoe) -> Sequence[tuple[RecordedEvent[ShoeOffered], str | None]]:
    """Return the offers of the bank, each with the patron to whom it had to be offered.

    Only patrons who are seated at the time of the offer have a turn. The first bank of a shoe is
    offered in the same order: from the patron whom the loading names as last banker (`banked`), or
    else from the dealer. The record of the shoe before is not read. An offer that was made while
    somebody held the bank is not checked.
    """
    return [
        (offer, next((patron for patron in asked.order if patron not in asked.refused), None))
        for offer, asked in shoe.offers
        if not asked.held
    ]


@PACK_BANKS.rule(
    "O510",
    "bank-not-passed-left",
    sources=(WIKIPEDIA_BACCARAT_MACAO,),
    looks_at="shoe",
    needs=(needs.not_coups_alone, needs.shoe_pack_readable, bank_offered, needs.shoe_seats_known),
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
    """A bank is offered to the patron on the banker's left, and to the next if it is refused.

    The direction of play in the rule pack decides who sits on the left. The last banker comes last.
    If the last banker left the table, the turn starts from the seat that the banker had. A refusal
    holds until somebody takes the bank. A refusal while the bank is offered to another patron does
    not count. Once every seated patron has refused it, it may be offered to anybody.
    """
    offer, due = offered
    to = offer.payload.to
    if not own_hand_requirements.bank_goes_to(to, due):
        yield Breach(
            f"the bank was offered to {to}; it was due to {due}",
            f"{due}: the bank goes to the left",
            to,
            (offer,),
            patron=to,
        )


@each("bank", "no bank was put up")
def _banks(shoe: Shoe) -> Sequence[RecordedEvent[BankPosted]]:
    """Return the events by which patrons put up their banks."""
    return [bank.posted for bank in shoe.banks]


@PACK_BANKS.rule(
    "O511",
    "bank-below-minimum",
    needs=(
        needs.not_coups_alone,
        needs.shoe_pack_readable,
    ),
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
    """A bank is at least the rule pack's minimum bank and the table's minimum stake.

    The table's minimum is the one in force when the bank is put up. The record of the shoe, or else
    the rule pack, gives that minimum. Chips added later are not included.
    """
    settle(shoe, [posted], shoe.limits_changed)
    shoe = with_limits_at(shoe, posted)
    by, amount = posted.payload.by, posted.payload.amount
    if not own_hand_requirements.is_least_bank(shoe, amount):
        yield Breach(
            f"{by} put up a bank of {format_money(shoe, amount)}, "
            f"{beyond_limits(shoe, amount, least_bank(shoe), None)}",
            f"{format_money(shoe, least_bank(shoe))} at least",
            format_money(shoe, amount),
            (posted,),
            patron=by,
        )


RULES = (*PACK_BANKS.rules,)
"""Every rule of this module."""
