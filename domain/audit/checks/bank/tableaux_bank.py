"""Rules on the bank at baccarat banque.

They cover the first banker, the seat, the funds and a broken bank. `tableaux_preparation` has the
rules on sessions, shuffle and cut.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Final

from msgspec import Struct

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bank.banco import accepted_now
from sabot.domain.audit.checks.bank.bank_moves import wrong_banker
from sabot.domain.audit.checks.bank.funds import miscalled_bank, raised_during
from sabot.domain.audit.checks.bank.handover import wrong_bank_amount
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import Need, RuleGroup, code_of, each, need
from sabot.domain.events import CardDrawn, ShoeOffered, ShoeRefused
from sabot.domain.events.bank import BankBid, BankCalled, BankListed, BankPosted, BankRaised
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.procedure.common import with_limits_at
from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.procedure.preconditions import tableaux_requirements
from sabot.domain.procedure.two_tableaux.bank_award import best_bid, least_stake
from sabot.domain.procedure.two_tableaux.tableaux import rule_of
from sabot.domain.rules.pack_sections import BankRule, TableauxRule
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_61,
    BOUSSAC_BACCARA_A_DEUX_TABLEAUX,
    WIKIPEDIA_BACCARAT_BANQUE,
)
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe, middle_of
from sabot.domain.timeline.evidence import Reason, before, settle

TABLEAUX_BANK: Final = RuleGroup(family="procedure", concerns="game", games=("baccarat-banque",))


def pack_has(states: str, otherwise: str, says: Callable[[TableauxRule], object]) -> Need[Shoe]:
    """Return a need for an entry in the rule pack's section on two tableaux.

    Args:
        states: the entry in words, as a sentence without a full stop.
        otherwise: the sentence shown if the entry is missing.
        says: returns the entry; None or False if it is missing.
    """

    def missing(shoe: Shoe) -> Reason | None:
        said = says(rule_of(shoe))
        return Reason("not-required", otherwise) if said in (None, False) else None

    return Need("rules", states, missing)


# -- The first bank --------------------------------------------------------------------------------


class Award(Struct, frozen=True):
    """An offer of the first bank, or its posting if it was offered to nobody.

    ``offer`` is the offer, or the one that the posting stands for. ``names`` are the names that
    were put down and could get the bank.
    """

    event: RecordedEvent
    offer: ShoeOffered
    names: list[str]


def _first_awards(shoe: Shoe) -> list[tuple[RecordedEvent, ShoeOffered, Container[str]]]:
    """Return the awards of the first bank, each with the patrons who had refused the bank."""
    posted = shoe.banks[0].posted if shoe.banks else None
    offers = [
        (event, event.payload, order.refused)
        for event, order in shoe.offers
        if posted is None or before(shoe, event, posted)
    ]
    if offers or posted is None:
        return [*offers]
    best, refusals = best_bid(shoe), events_of(ShoeRefused, shoe.shoe_moves)
    offer = ShoeOffered(posted.payload.by, best.amount if best is not None else None)
    return [(posted, offer, {e.payload.by for e in refusals if before(shoe, e, posted)})]


@each("award", "nobody gave a name for the bank")
def _awards(shoe: Shoe) -> Sequence[Award]:
    """Return the awards of the first bank, with the names that could get it.

    An award is an offer before a bank was put up. If there is no such offer, the award is the
    posting of the first bank. By auction only the first award is checked, since a bidder is bound
    by the bid. By list or lot an award is not checked if all patrons whose names were put down had
    refused the bank.
    """
    kind, found = rule_of(shoe).award, []
    for event, offer, refused in _first_awards(shoe):
        names = [
            each.payload.by
            for each in shoe.listed
            if each.payload.by not in refused and (kind == "lot" or before(shoe, each, event))
        ]
        found.append(Award(event, offer, names))
    return found[:1] if kind == "auction" else [each for each in found if each.names]


@need("play", "the first bank was neither offered nor put up", "nothing-to-check")
def first_bank_offered(shoe: Shoe) -> bool:
    """The first bank was offered to a patron, or put up without an offer."""
    return bool(shoe.offers or shoe.banks)


@need("play", "nobody bid for the bank", "nothing-to-check")
def bid_at_auction(shoe: Shoe) -> bool:
    """A patron bid for the bank before its first offer, or the rule pack does not auction it."""
    return rule_of(shoe).award != "auction" or best_bid(shoe) is not None


@TABLEAUX_BANK.rule(
    "W501",
    "wrong-first-bank-award",
    concerns="game",
    sources=(ARRETE_2007_ART_61, BOUSSAC_BACCARA_A_DEUX_TABLEAUX, WIKIPEDIA_BACCARAT_BANQUE),
    looks_at="shoe",
    needs=(needs.not_coups_alone, first_bank_offered, bid_at_auction),
    each=_awards,
    breach_events=(ShoeOffered, BankPosted, BankListed, BankBid),
    breaks="""
        load banque-list
        bare
        tableaux-seats
        bank-listed {"by": "p7"}
        bank-listed {"by": "p11"}
        shoe-offered {"to": "p11"}
        shoe-taken {"by": "p11"}
        tableaux-bank p11 20000
    """,
    keeps="""
        load banque-list
        bare
        tableaux-seats
        bank-listed {"by": "p11"}
        bank-listed {"by": "p7"}
        shoe-offered {"to": "p11"}
        shoe-taken {"by": "p11"}
        tableaux-bank p11 20000
    """,
)
def wrong_first_bank_award(shoe: Shoe, award: Award) -> Iterator[Breach]:
    """The first bank goes to the highest bidder, to the first name on the list, or by lot.

    The rule pack states whether the bank is awarded by auction, list or lot. By auction the bank
    goes to the highest bidder at the amount bid. The offer has to state the amount. Among equal
    bids the first wins, and a bid after the offer is ignored. By list it goes to the name that was
    put down first before the offer. By lot it goes to anybody whose name was put down, even after
    the offer. A patron who refused the bank is passed over.
    """
    offer, kind, best = award.offer, rule_of(shoe).award, best_bid(shoe)
    if tableaux_requirements.is_awarded(kind, offer, best, award.names):
        return
    said = f"the bank was offered to {offer.to}"
    if award.event.payload is not offer:
        said = f"{offer.to} put up the bank, which was offered to nobody"
    elif kind == "auction":
        named = offer.amount
        at = f"at {format_money(shoe, named)}" if named is not None else "without an amount"
        said = f"{said} {at}"
    if best is not None and kind == "auction":
        due = f"{best.by}, at the bid of {format_money(shoe, best.amount)}"
    elif kind == "list":
        due = f"{award.names[0]}, first on the list"
    else:
        due = f"one of {', '.join(award.names)}"
    shown = shoe.bids if kind == "auction" else shoe.listed
    yield shown_by(f"{said}; it was due to {due}", due, (award.event, *shown))


def shown_by(said: str, due: str, events: tuple[RecordedEvent, ...]) -> Breach:
    """Return a breach whose message also states what was recorded."""
    return Breach(said, due, said, events)


@need("play", "nobody bid for the bank", "nothing-to-check")
def bank_bid_for(shoe: Shoe) -> bool:
    """A patron bid for the bank before it was first offered or put up."""
    return best_bid(shoe) is not None


@need("play", "no bank was put up", "nothing-to-check")
def bank_posted(shoe: Shoe) -> bool:
    """A bank was put up."""
    return bool(shoe.banks)


@TABLEAUX_BANK.rule(
    "W502",
    "bank-below-bid",
    concerns="game",
    sources=(BOUSSAC_BACCARA_A_DEUX_TABLEAUX, WIKIPEDIA_BACCARAT_BANQUE),
    looks_at="shoe",
    needs=(bank_bid_for, bank_posted),
    follows_from=("wrong-first-bank-award", code_of(wrong_bank_amount)),
    breach_events=(BankPosted, BankBid),
    breaks="""
        load banque
        bare
        tableaux-seats
        bank-bid {"by": "p11", "amount": 30000}
        tableaux-bank p11 20000
    """,
    keeps="""
        load banque
        bare
        tableaux-seats
        bank-bid {"by": "p11", "amount": 20000}
        tableaux-bank p11 20000
    """,
)
def bank_below_bid(shoe: Shoe) -> Iterator[Breach]:
    """A patron who gets the first bank for a bid puts up at least the amount bid.

    The bank is compared with the highest bid before the bank was first offered or put up, whichever
    came first. Of equal bids the first counts. A first banker who did not make the highest bid may
    put up any amount here; W501 checks the award, and K514 the limits.
    """
    best, first = best_bid(shoe), shoe.banks[0]
    put = first.posted.payload.amount
    if best is not None and not tableaux_requirements.keeps_bid(best, first.holder, put):
        bid = format_money(shoe, best.amount)
        said = f"{first.holder} put up a bank of {format_money(shoe, put)} after a bid of {bid}"
        due = f"{bid} at least: the amount of the bid"
        yield shown_by(said, due, (first.posted, *shoe.bids))


# -- The banker's seat and his funds ---------------------------------------------------------------


@each("bank", None)
def _new_bankers(shoe: Shoe) -> Sequence[Bank]:
    """Return the banks whose banker is not the banker of the previous bank.

    A bank is not checked if its banker also put up the previous bank. The first banker of the shoe
    is a new banker.
    """
    holders = [None, *(bank.holder for bank in shoe.banks)]
    return [bank for bank, last in zip(shoe.banks, holders, strict=False) if bank.holder != last]


@TABLEAUX_BANK.rule(
    "W503",
    "banker-out-of-place",
    sources=(BOUSSAC_BACCARA_A_DEUX_TABLEAUX, WIKIPEDIA_BACCARAT_BANQUE),
    looks_at="shoe",
    concerns="form",
    needs=(
        needs.not_coups_alone,
        pack_has(
            "the rule pack gives the retiring banker the seat of the new one",
            "the pack does not give the retiring banker a seat",
            lambda rule: rule.swap,
        ),
        needs.bank_put_up,
        needs.shoe_seats_known,
        needs.every_coup_recorded,
    ),
    each=_new_bankers,
    follows_from=(code_of(wrong_banker),),
    breach_events=(BankPosted,),
    breaks="""
        load banque
        bare
        tableaux-seats
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        shoe-taken {"by": "p11"}
        bank-posted {"by": "p11", "amount": 20000}
    """,
    keeps="""
        load banque
        bare
        tableaux-seats
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        bank-posted {"by": "p11", "amount": 20000}
    """,
)
def banker_out_of_place(shoe: Shoe, bank: Bank) -> Iterator[Breach]:
    """A new banker takes the seat between the tableaux before putting up the bank.

    A move, a seating or the loading of the shoe gives a banker a seat. The last seat before the
    bank was put up is used.
    """
    middle = middle_of(shoe)
    sat = [
        seat
        for event, seat, patron in shoe.seatings
        if patron == bank.holder and before(shoe, event, bank.posted)
    ]
    in_place = sat[-1:] == [middle]
    if not tableaux_requirements.may_put_up(rule_of(shoe), in_place=in_place):
        said = f"{bank.holder} put up the bank without taking the banker's place"
        due = "the retiring banker takes the seat that the new banker leaves"
        yield Breach(said, due, said, (bank.posted,), patron=bank.holder)


@each("bank", None)
def _banks(shoe: Shoe) -> Sequence[Bank]:
    """Return the banks that were put up."""
    return shoe.banks


@TABLEAUX_BANK.rule(
    "W504",
    "bank-beyond-proven-funds",
    sources=(ARRETE_2007_ART_61,),
    looks_at="shoe",
    concerns="game",
    needs=(
        pack_has(
            "the rule pack requires proof of funds",
            "the pack requires no proof of funds",
            lambda rule: rule.proven,
        ),
        needs.not_coups_alone,
        needs.bank_put_up,
        needs.every_coup_recorded,
    ),
    each=_banks,
    follows_from=(code_of(wrong_banker),),
    breach_events=(BankPosted, BankRaised),
    breaks="""
        load deux-tableaux-france-open
        bare
        tableaux-seats
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        bank-listed {"by": "p11"}
        shoe-offered {"to": "p11"}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        funds-proven {"by": "p11", "amount": 100000}
        bank-posted {"by": "p11", "amount": 200000}
    """,
    keeps="""
        load deux-tableaux-france-open
        bare
        tableaux-seats
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        bank-listed {"by": "p11"}
        shoe-offered {"to": "p11"}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        funds-proven {"by": "p11", "amount": 200000}
        bank-posted {"by": "p11", "amount": 200000}
    """,
)
def bank_beyond_proven_funds(shoe: Shoe, bank: Bank) -> Iterator[Breach]:
    """A banker puts up no more than the funds proven before.

    The bank and each addition to it are checked. The total put up and added so far is compared with
    the sum of all funds that the banker proved before, also for an earlier bank. Chips that the
    banker won do not raise the proven funds. Chips that somebody else added are not included. Only
    the first excess of a bank is reported.
    """
    put = 0
    added = [each for each in events_of(BankRaised, bank.moves) if each.payload.by == bank.holder]
    put_up: list[RecordedEvent[BankPosted | BankRaised]] = [bank.posted, *added]
    for event in put_up:
        put += event.payload.amount
        proven = sum(
            proof.payload.amount
            for proof in shoe.funds
            if proof.payload.by == bank.holder and before(shoe, proof, event)
        )
        if not tableaux_requirements.is_proven(rule_of(shoe), put, proven):
            yield Breach(
                f"{bank.holder} put up {format_money(shoe, put)} with proven funds of "
                f"{format_money(shoe, proven)}",
                f"{format_money(shoe, proven)} at most: the funds proven before",
                format_money(shoe, put),
                (event,),
                patron=bank.holder,
            )
            return


# -- A broken bank ---------------------------------------------------------------------------------


@need("play", "the bank has no limit", "nothing-to-check")
def bank_limited(view: CoupView) -> bool:
    """The bank was limited when the coup began."""
    return not bank_events_of(view.coup).unlimited or accepted_now(view)


@TABLEAUX_BANK.rule(
    "W508",
    "play-on-broken-bank",
    concerns="game",
    sources=(WIKIPEDIA_BACCARAT_BANQUE,),
    needs=(*needs.BANK_KNOWN, bank_limited, needs.card_drawn),
    follows_from=("late-bank-raise", code_of(miscalled_bank)),
    breach_events=(BankRaised, CardDrawn, BankCalled),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 10000, p5 left 10000 | 9 K; 9 Q; 3 4
        bank-raised {"by": "p11", "amount": 10000}
        tableaux p7 right 500 | 3 4; 2 4; 9 K
    """,
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 10000, p5 left 10000 | 9 K; 9 Q; 3 4
        bank-raised {"by": "p11", "amount": 20000}
        tableaux p7 right 500 | 3 4; 2 4; 9 K
    """,
)
def play_on_broken_bank(view: CoupView) -> Iterator[Breach]:
    """A bank below the least stake is raised to the agreed minimum, or given up.

    The least stake is the table minimum in force when the coup opens. The rule compares the least
    stake with the bank, less the chips that the banker added since the previous coup. If this
    amount is below the least stake, the banker has to raise the bank before the coup opens, at
    least to the minimum bank of the rule pack. A bank that is not broken may be below that minimum.
    If the rule pack has no section on banks, no bank is broken.
    """
    part, rule = (
        bank_events_of(view.coup),
        view.shoe.pack.bank if view.shoe.pack is not None else None,
    )
    if rule is None or part.bank is None:
        return
    raises = _made_up(view)
    added = sum(event.payload.amount for event in raises)
    began = view.coup.events[0]
    least, bank = least_stake(with_limits_at(view.shoe, began)), part.bank - added
    if not tableaux_requirements.is_made_up(rule, least, bank, added):
        settle(view, [began], view.shoe.limits_changed)
        settle(view, events_of(BankRaised, _bank_of(view).moves), view.coup.events[:1])
        shown, first = format_money(view.shoe, part.bank), view.coup.cards[0]
        yield Breach(
            f"a bank of {shown} was played against although it was broken",
            f"{format_money(view.shoe, rule.minimum)} at least after the banker adds chips, or the "
            "bank is given up",
            shown,
            (*raises, first, *raised_during(view), *_called_as_made_up(view, rule, least, added)),
            patron=part.banker,
            offending_event=first,
        )


def _called_as_made_up(
    view: CoupView, rule: BankRule, least: int, added: int
) -> list[RecordedEvent[BankCalled]]:
    """Return the call of a bank if the bank was not broken, or made up, by that call."""
    called = bank_events_of(view.coup).called
    if called is None:
        return []
    before = called.payload.amount - added
    return [called] if tableaux_requirements.is_made_up(rule, least, before, added) else []


def _made_up(view: CoupView) -> list[RecordedEvent[BankRaised]]:
    """Return the amounts that the banker added between the previous coup and this one.

    A banker adds them to continue with a bank that was broken.
    """
    began = view.coup.events[0].position
    earlier = (e.position for coup in view.shoe.coups.values() for e in coup.events[:1])
    since = max((at for at in earlier if at < began), default=0)
    raises: list[RecordedEvent[BankRaised]] = []
    for move in reversed(_bank_of(view).moves):
        if move.position > began:
            continue
        if move.position < since or not is_of(move, BankRaised) or move.payload.coup is not None:
            break
        raises.insert(0, move)
    return raises


def _bank_of(view: CoupView) -> Bank:
    """Return the bank against which a coup was played."""
    return view.shoe.banks[bank_events_of(view.coup).nth - 1]


RULES = (*TABLEAUX_BANK.rules,)
"""Every rule of this module."""
