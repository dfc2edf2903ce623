"""Rules on passing a bank to the next banker.

They cover offering the bank, putting it up and taking it out.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bank.chip_balance import chip_balance_mismatch
from sabot.domain.audit.checks.bank.own_hand_cards import GAMES as OWN_HANDS
from sabot.domain.audit.checks.shoe_holder import shoe_passed_as_lost_after_win
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.events import (
    BetCarried,
    BetPaid,
    BetPlaced,
    BetTaken,
    CardDrawn,
    ShoeOffered,
    ShoePassed,
)
from sabot.domain.events.bank import (
    BankPosted,
    BankRaised,
    BankUnlimited,
    BankWithdrawn,
    LevyTaken,
)
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.procedure.common import false_draw_in, last_coup
from sabot.domain.procedure.patron_bank import bank_events_of, heir_of
from sabot.domain.procedure.preconditions import bank_requirements
from sabot.domain.procedure.two_tableaux import held_stakes
from sabot.domain.rules.pack_sections import BankRule
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_58,
    ETHIER_LEE_2023_CHEMIN_DE_FER_1,
    HOUSE_CONVENTION,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
)
from sabot.domain.state.bank_state import Bank, OfferOrder
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.money_text import beyond_limits, format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import after, before, some

HANDOVER = RuleGroup(
    family="procedure", concerns="form", games=("chemin-de-fer", "baccarat-banque")
)


def _money(shoe: Shoe, amount: int | None) -> str:
    return format_money(shoe, amount) if amount is not None else "any amount"


def _bank_rule(shoe: Shoe) -> BankRule:
    """Return the rule pack's section on banks.

    The needs of the rule make sure that the rule pack has one.
    """
    assert shoe.pack is not None
    assert shoe.pack.bank is not None
    return shoe.pack.bank


# -- To whom, and how much -----------------------------------------------------------------------


@need("play", "the bank was offered to nobody", "nothing-to-check")
def bank_offered(shoe: Shoe) -> bool:
    """The bank was offered to a patron."""
    return bool(shoe.offers)


Offer = tuple[RecordedEvent[ShoeOffered], OfferOrder]
"""An offer of the bank, and the order in which patrons could be asked."""


@each("offer", None)
def _offers(shoe: Shoe) -> Sequence[tuple[Offer, ...]]:
    """Return the offers of the bank, each with the order in which patrons had to be asked.

    Several offers in the wrong direction round the table are one finding.
    """
    turned = tuple(
        (event, order)
        for event, order in shoe.offers
        if not _is_in_turn(shoe, event, order) and _is_in_turn(shoe, event, order.turned())
    )
    if len(turned) <= 1:
        return [(offer,) for offer in shoe.offers]
    return [turned, *((offer,) for offer in shoe.offers if offer not in turned)]


def _is_in_turn(shoe: Shoe, event: RecordedEvent[ShoeOffered], order: OfferOrder) -> bool:
    """Return whether a bank was offered to the right patron. True if that patron is unknown."""
    due = heir_of(shoe, order)
    if due is None or _is_award(shoe, event):
        return True
    return bank_requirements.is_offered_to_heir(due, event.payload)


@HANDOVER.rule(
    "K513",
    "bank-offered-out-of-turn",
    sources=(WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,),
    looks_at="shoe",
    needs=(
        needs.not_coups_alone,
        bank_offered,
        needs.bank_put_up,
        needs.shoe_seats_known,
        needs.every_coup_recorded,
    ),
    each=_offers,
    breach_events=(ShoeOffered, ShoePassed, BankWithdrawn),
    follows_from=tuple(map(code_of, (shoe_passed_as_lost_after_win, chip_balance_mismatch))),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        bank-posted {"by": "p2", "amount": 10000}
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
        bank-posted {"by": "p1", "amount": 10000}
    """,
)
def bank_offered_out_of_turn(shoe: Shoe, offers: tuple[Offer, ...]) -> Iterator[Breach]:
    """A bank is offered in turn; given up by choice, it goes to a patron who matches it.

    The offer names the patron whose turn it is. It names the amount to match while the bank has to
    be matched, and otherwise no amount. The turn goes round the seated patrons in the direction of
    play, from the last banker on. The last banker comes last, and is not asked to match the bank.
    If the last banker left the table, the turn starts from the seat that the banker had. The first
    bank of a shoe is offered from the dealer on, or from the patron who held the shoe before
    (`banked` of the loading). At baccarat banque the turn goes from the banker's place outward,
    right and left alternating.

    A bank that its banker gave up by choice is offered at the amount that was last taken out of it.
    Once all others refused the bank, or one offer named no amount, the turn begins again at no
    amount. The bank is offered at no amount at once if it was passed for another reason, or if the
    rule pack lets the next banker put up any amount (`bank.takeover`).

    At baccarat banque, offers made before the first bank are not checked here. W501 checks who is
    given the first bank. Any offer is accepted if the rule pack has no section on banks, or if
    everybody has refused.
    """
    event, order = offers[0]
    due, offered = heir_of(shoe, order), event.payload
    if due is not None and not _is_in_turn(shoe, event, order):
        shown = f"the bank was offered to {offered.to} at {_money(shoe, offered.amount)}"
        required = f"{due.patron}, at {_money(shoe, due.amount)}"
        times = f"the bank was offered in the wrong direction, {len(offers)} times: first "
        said = f"{times if len(offers) > 1 else ''}{shown}; it was due to {required}"
        taken_out = _taken_out_before(shoe, event) if due.patron == offered.to else []
        events = (*(each for each, _ in offers), *_passed_as_lost(shoe, event), *taken_out)
        yield Breach(said, required, shown, events, patron=offered.to, offending_event=event)


def _taken_out_before(shoe: Shoe, event: RecordedEvent) -> Sequence[RecordedEvent]:
    """Return the last event before another in which chips were taken out of a bank."""
    moves = [e for bank in shoe.banks for e in events_of(BankWithdrawn, bank.moves)]
    return [e for e in moves if e.position < event.position][-1:]


def _passed_as_lost(shoe: Shoe, offer: RecordedEvent) -> Sequence[RecordedEvent]:
    """Return the passing of the shoe right before an offer, if it was passed as lost."""
    passed = [e for e in events_of(ShoePassed, shoe.shoe_moves) if e.position < offer.position]
    return [event for event in passed[-1:] if event.payload.reason == "lost"]


def _is_award(shoe: Shoe, offer: RecordedEvent) -> bool:
    """Return whether an offer awards the first bank of two tableaux.

    The award is by bid, list or lot.
    """
    if shoe.pack is None or shoe.pack.tableaux is None:
        return False
    return not shoe.banks or before(shoe, offer, shoe.banks[0].posted)


@need("shoe", "the record does not say to whom, and at what amount, the banks were offered")
def amounts_offered(shoe: Shoe) -> bool:
    """The record of the shoe holds at least one offer of a bank, or exactly one bank was put up."""
    return bool(shoe.offers) or len(shoe.banks) == 1


@each("bank", None)
def _banks(shoe: Shoe) -> Sequence[Bank]:
    """Return the banks that were put up."""
    return shoe.banks


@HANDOVER.rule(
    "K514",
    "wrong-bank-amount",
    concerns="game",
    sources=(ARRETE_2007_ART_58, WIKIPEDIA_BACCARAT_CHEMIN_DE_FER, WIKIPEDIA_BACCARAT_BANQUE),
    looks_at="shoe",
    needs=(
        needs.shoe_pack_says("how large a bank has to be", lambda pack: pack.bank),
        needs.bank_put_up,
        amounts_offered,
    ),
    each=_banks,
    breach_events=(BankPosted, BankWithdrawn),
    follows_from=(code_of(chip_balance_mismatch),),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 9999
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
    """,
)
def wrong_bank_amount(shoe: Shoe, bank: Bank) -> Iterator[Breach]:
    """A bank is within the rule pack's limits, or equals the bank that it has to match.

    A bank has to match another if the last banker passed the shoe by choice. Its amount must equal
    what was last taken out of that bank, whatever amount was offered. The limits do not matter for
    such a bank.

    A bank has to match nothing if an offer before it named no amount, or if the rule pack lets the
    next banker put up any amount (`bank.takeover`). The same holds for the first bank, for a bank
    after a shoe passed for another reason, and for a bank after one out of which nothing was taken.
    The limits apply to every bank that has to match nothing. Without a maximum in the rule pack,
    such a bank has no upper limit.
    """
    rule, put = _bank_rule(shoe), bank.posted.payload.amount
    if bank.amount_to_match is not None:
        required = f"{_money(shoe, bank.amount_to_match)}, to match it"
    else:
        most = f" and {_money(shoe, rule.maximum)} at most" if rule.maximum else ""
        required = f"{_money(shoe, rule.minimum)} at least{most}"
    if not bank_requirements.is_right_bank(rule, bank.amount_to_match, put):
        said = f"{bank.holder} put up a bank of {_money(shoe, put)}, {_not_put_up(shoe, bank, put)}"
        matched = bank.amount_to_match is not None
        behind = _taken_out_before(shoe, bank.posted) if matched else []
        events = (bank.posted, *behind)
        yield Breach(said, required, _money(shoe, put), events, patron=bank.holder)


def _not_put_up(shoe: Shoe, bank: Bank, put: int) -> str:
    """Return how the amount of a new bank differs from the amount required."""
    if bank.amount_to_match is not None:
        return f"not the {_money(shoe, bank.amount_to_match)} of the bank to match"
    rule = _bank_rule(shoe)
    return beyond_limits(shoe, put, rule.minimum, rule.maximum)


# -- What is taken out ---------------------------------------------------------------------------


@each("withdrawal", "nothing was taken out of a bank")
def _withdrawals(shoe: Shoe) -> Sequence[tuple[Bank, RecordedEvent[BankWithdrawn]]]:
    """Return each event in which chips were taken out of a bank, with that bank."""
    return [(bank, event) for bank in shoe.banks for event in events_of(BankWithdrawn, bank.moves)]


@HANDOVER.rule(
    "K515",
    "premature-bank-withdrawal",
    sources=(WIKIPEDIA_BACCARAT_BANQUE,),
    looks_at="shoe",
    needs=(
        needs.shoe_pack_says("when a bank may be taken out", lambda pack: pack.bank),
        *(needs.bank_put_up, needs.every_coup_recorded),
    ),
    each=_withdrawals,
    breach_events=(BankPosted, BankWithdrawn, BetPlaced, BetCarried),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        bank-withdrawn {"by": "p1", "amount": 10000}
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 20000}
    """,
)
def premature_bank_withdrawal(
    shoe: Shoe, withdrawal: tuple[Bank, RecordedEvent[BankWithdrawn]]
) -> Iterator[Breach]:
    """No bank is taken out before the coups that the pack requires, or while stakes are frozen.

    Every withdrawal of any amount is checked. The rule counts the coups dealt against this bank
    that began before the withdrawal. A voided coup is counted only if it had no bets.

    Fewer coups are enough if the banker passes the shoe afterwards on leaving the table or on a
    ruling, or if the banker's false draw in the last coup costs the shoe by the rule pack. After
    the last coup of the shoe, any number of coups is enough if nobody passes the shoe afterwards. A
    ruling permits nothing if the rule pack makes a false draw cost the shoe, and the only
    irregularities of the last coup are false draws that were a player's own choice.

    At baccarat banque, frozen stakes are those that the last coup left on the layout and that may
    not be withdrawn. While stakes are frozen, a banker does not take out the bank and make way for
    another banker. For this, only the last withdrawal of a bank that another bank followed is
    checked. The withdrawal is permitted if the shoe was then passed for another reason than the
    banker's choice.
    """
    bank, event = withdrawal
    rule, dealt = _bank_rule(shoe), _dealt(shoe, bank, event)
    if not bank_requirements.has_dealt_enough(rule, dealt) and not _may_end_early(shoe, event):
        yield Breach(
            f"{event.payload.by} took {_money(shoe, event.payload.amount)} out of the bank "
            f"after {_coups(dealt)}",
            f"{_coups(rule.deals)} at least",
            _coups(dealt),
            (bank.posted, event),
            patron=event.payload.by,
            offending_event=event,
        )
    yield from _while_frozen(shoe, bank, event)


def _may_end_early(shoe: Shoe, event: RecordedEvent) -> bool:
    """Return whether a bank may be taken out before its minimum of coups."""
    return (
        _passed(shoe, event) == "left"
        or _ruled(shoe, event)
        or _forfeited(shoe, event)
        or _at_the_end(shoe, event)
    )


def _forfeited(shoe: Shoe, event: RecordedEvent) -> bool:
    """Return whether a false draw in the previous coup cost the banker the shoe."""
    if shoe.pack is None or not shoe.pack.table.false_draw_passes:
        return False
    coup = _coup_before(shoe, event)
    noted = false_draw_in(shoe, coup) if coup is not None else None
    return noted is not None and before(shoe, noted, event)


def _ruled(shoe: Shoe, event: RecordedEvent) -> bool:
    """Return whether a ruling took the bank from the banker.

    A ruling on a false draw of another person does not take it away.
    """
    coup = _coup_before(shoe, event)
    if _passed(shoe, event) != "ruling" or shoe.pack is None or coup is None:
        return _passed(shoe, event) == "ruling"
    kinds = {noted.payload.kind for noted in coup.irregularities}
    others = shoe.pack.table.false_draw_passes and kinds == {"wrong-draw"}
    return not others or _forfeited(shoe, event)


def _coup_before(shoe: Shoe, event: RecordedEvent) -> Coup | None:
    """Return the last coup of which a card was drawn before the event."""
    dealt = [
        coup
        for coup in shoe.coups.values()
        if coup.cards and coup.cards[0].position < event.position
    ]
    return dealt[-1] if dealt else None


def _at_the_end(shoe: Shoe, event: RecordedEvent) -> bool:
    """Return whether a bank was taken out after the last coup of the shoe."""
    last = last_coup(shoe)
    over = shoe.ended is not None or (last is not None and max(shoe.coups, default=0) >= last)
    if not over or _passed(shoe, event) is not None:
        return False
    # the recorded order counts here: disagreeing clocks do not put a bank at its end
    return all(coup.events[-1].position < event.position for coup in shoe.coups.values())


def _coups(number: int) -> str:
    return "1 coup" if number == 1 else f"{number} coups"


def _while_frozen(shoe: Shoe, bank: Bank, event: RecordedEvent[BankWithdrawn]) -> Iterator[Breach]:
    """Yield a breach if one bank replaced another while stakes were frozen."""
    if bank is shoe.banks[-1] or event is not bank.moves[-1]:
        return
    nth = shoe.banks.index(bank) + 1
    over = [coup for coup in shoe.coups.values() if _was_over(shoe, coup, event)]
    held = held_stakes.stakes_held_for(shoe, held_stakes.coup_after(over[-1], nth)) if over else []
    left = [stake for stake in held if not stake.free]
    if left and _passed(shoe, event) in (None, "chosen"):
        out, stakes = event.payload.amount, sum(stake.amount for stake in left)
        yield Breach(
            f"{event.payload.by} took {_money(shoe, out)} out of the bank while stakes of "
            f"{_money(shoe, stakes)} were held",
            "the bank stays until held stakes are settled",
            f"{_money(shoe, stakes)} was held",
            (event, *(stake.bet.placed for stake in left)),
            patron=event.payload.by,
            key=("frozen", nth),
        )


def _was_over(shoe: Shoe, coup: Coup, event: RecordedEvent) -> bool:
    """Return whether a coup had been closed or voided before the event."""
    ends = (coup.closed, coup.voided)
    return any(end is not None and before(shoe, end, event) for end in ends)


def _passed(shoe: Shoe, taken: RecordedEvent) -> str | None:
    """Return why the shoe was passed after a bank was taken out, or None."""
    passes = events_of(ShoePassed, shoe.shoe_moves)
    return next((passed.payload.reason for passed in passes if after(shoe, passed, taken)), None)


def _dealt(shoe: Shoe, bank: Bank, until: RecordedEvent) -> int:
    """Return the number of coups dealt on a bank before an event.

    A void coup counts only if it had no bets.
    """
    nth = shoe.banks.index(bank) + 1
    # a coup that was void for lack of stakes counts: the banker could not do more
    dealt = [
        coup
        for coup in shoe.coups.values()
        if bank_events_of(coup).nth == nth
        and (coup.cards if coup.voided is None else not coup.bets)
    ]
    return sum(coup.events[0].position < until.position for coup in dealt)


@need("rules", "the pack lets part of a bank be taken out", "not-required")
def bank_is_whole(shoe: Shoe) -> bool:
    """The rule pack, or the game (macao, victoria), forbids taking out a part of a bank."""
    pack = shoe.pack
    if pack is None or pack.bank is None:
        return pack is not None and pack.game in OWN_HANDS
    return not pack.bank.partial


@each("withdrawal", None)
def _own_withdrawals(shoe: Shoe) -> Sequence[tuple[Bank, RecordedEvent[BankWithdrawn]]]:
    """Return each withdrawal by the banker. A shoe without one keeps the rule.

    K504 reports a withdrawal by another person. It is not checked here.
    """
    return [
        (bank, event)
        for bank, event in _withdrawals.of(shoe)
        if event.payload.amount and bank_requirements.is_banker(bank, event.payload.by)
    ]


@HANDOVER.rule(
    "K516",
    "partial-bank-withdrawal",
    sources=(ETHIER_LEE_2023_CHEMIN_DE_FER_1, HOUSE_CONVENTION),
    looks_at="shoe",
    games=("chemin-de-fer", "baccarat-banque", "macao", "victoria"),
    needs=(bank_is_whole, needs.bank_put_up),
    each=_own_withdrawals,
    breach_events=(
        *(BankWithdrawn, BankRaised, BankUnlimited, LevyTaken),
        *(BetTaken, BetPaid, CardDrawn),
    ),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 5000}
        coup p2 player 500 | P 4 2  B K 9
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        coup p2 player 500 | P 4 2  B K 9
    """,
)
def partial_bank_withdrawal(
    shoe: Shoe, withdrawal: tuple[Bank, RecordedEvent[BankWithdrawn]]
) -> Iterator[Breach]:
    """A banker who takes chips out of the bank takes all of them, and gives the bank up.

    The bank is kept if, after the withdrawal, a coup is dealt against it or another move of it
    comes: a payment, a taken stake, a levy, an addition, or an acceptance of all stakes. Of several
    withdrawals in a row only the last is judged: together they may be the whole bank. A withdrawal
    of nothing is ignored. A withdrawal of any amount without a later move gives the bank up. K517
    checks what is left in the bank.
    """
    bank, event = withdrawal
    later = [use for use in _uses_of(shoe, bank) if use.position > event.position]
    others = [other for of, other in _own_withdrawals.of(shoe) if of is bank]
    if any(event.position < other.position < later[0].position for other in others if later):
        return
    if some(partial(after, shoe, use, event) for use in later):
        out = _money(shoe, event.payload.amount)
        said = f"{event.payload.by} took {out} out of the bank, and the bank was kept"
        due = "a banker takes out all chips and gives the bank up"
        yield Breach(said, due, said, (event, later[0]), patron=event.payload.by)


def _uses_of(shoe: Shoe, bank: Bank) -> list[RecordedEvent]:
    """Return the moves of a bank except withdrawals, and the first cards against it, in order."""
    nth = shoe.banks.index(bank) + 1
    dealt = (coup for coup in shoe.coups.values() if bank_events_of(coup).nth == nth)
    uses = [*bank.moves, *(coup.cards[0] for coup in dealt if coup.cards)]
    return sorted(
        (use for use in uses if not is_of(use, BankWithdrawn)), key=lambda use: use.position
    )


RULES = (*HANDOVER.rules,)
"""Every rule of this module."""
