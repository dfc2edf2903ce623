"""Rules of what is staked against a bank: whose stakes it holds, and whose money it is.

A limited bank of two wings holds what lies in it. Who sits stakes first; who stands fills what the
seated leave. A banker who puts more up while stakes lie there accepts them all, then and later.
"""

from typing import Final

from sabot.domain.audit.checks.bank.funds import BANKED
from sabot.domain.audit.checks.bank.tableaux_hands import BANQUE, CITES
from sabot.domain.audit.completeness import (
    COUPS_ALONE,
    NO_BANK,
    NO_SEATS,
    bank_unknown,
    coups_lack,
    seats_lack,
    stakes_unjudged,
)
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Rule
from sabot.domain.audit.wording import money
from sabot.domain.events import BetPaid, BetTaken, ShoeTaken
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import Excess, banked, claims
from sabot.domain.procedure.two_tableaux.tableaux import over_the_seated
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

_WINGS: Final[tuple[GameName, ...]] = (BANQUE,)
_KEPT: Final[tuple[GameName, ...]] = ("macao", "victoria")
"""The games in which a banker keeps the bank for the pack."""

_BEGUN_LATE: Final = "the record does not hold the beginning of the shoe"


def _limited(view: CoupView) -> str | None:
    """Why what lies against a limited bank cannot be judged."""
    unknown = bank_unknown(view.shoe, view.coup)
    if unknown:
        return unknown
    return "the bank has no limit" if banked(view.coup).unlimited else None


def _standing(view: CoupView) -> Answer:
    reason = _limited(view) or stakes_unjudged(view.shoe, view.coup)
    if reason:
        return reason
    if claims(view.coup):
        return "somebody went bank"
    if seats_lack(view.shoe, view.coup):
        return NO_SEATS
    return tuple(_beyond(view, over) for over in over_the_seated(view.shoe, view.coup))


def _beyond(view: CoupView, over: Excess) -> Breach:
    bet, shown = over.bet, money(view.shoe, over.bet.amount)
    return Breach(
        f"{bet.patron}, who stands, had {shown} on {bet.wager}",
        f"{money(view.shoe, bet.amount - over.amount)} at most: the seated cover the rest",
        shown,
        (bet.placed, *bet.changes),
        done=bet.staked,
        patron=bet.patron,
        key=("bet", bet.number),
    )


def _raised(view: CoupView) -> Answer:
    reason = _limited(view)
    if reason:
        return reason
    part = banked(view.coup)
    added = sum(event.payload.amount for event in part.raised)
    if not added:
        return NO_BREACH
    said = f"{part.banker} added {money(view.shoe, added)} to his bank while stakes lay there"
    due = "he accepts all stakes, from then on; or the bank pays in rotation as far as it reaches"
    return (Breach(said, due, "nothing was accepted", tuple(part.raised), patron=part.banker),)


def _nobodys(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.loaded is None:
        return _BEGUN_LATE
    settled = [coup for coup in shoe.coups.values() if _moves(coup)]
    kept = game_of(shoe.pack).name in _KEPT
    told = settled if kept else _called(settled)
    if not told:
        return "no bank was called" if settled else "no stake was settled"
    if coups_lack(shoe, told[0]):
        return _BEGUN_LATE
    against = [coup for coup in told if banked(coup).bank is None]
    if kept:
        # a bank that was put up late was there when it had to pay
        against = [coup for coup in against if not _posted_by(shoe, _moves(coup)[0])]
    if against and kept and not _has_banker(shoe):
        return NO_BANK
    return (_against_nobody(shoe, against),) if against else NO_BREACH


def _called(coups: list[Coup]) -> list[Coup]:
    """Return the coups whose bank was called: it is where the bank is passed on from hand to hand.

    Where a banker keeps it nobody calls it.
    """
    return [coup for coup in coups if banked(coup).called is not None]


def _posted_by(shoe: Shoe, event: RecordedEvent) -> bool:
    """Tell whether a bank had been put up when something happened."""
    return any(bank.posted.position < event.position for bank in shoe.banks)


def _has_banker(shoe: Shoe) -> bool:
    """Tell whether the record says who has the bank of a pack: it is his who takes the shoe."""
    if shoe.pack is None or shoe.pack.table.shoe != "patron":
        return False
    return first_of(ShoeTaken, shoe.shoe_moves) is not None


def _against_nobody(shoe: Shoe, coups: list[Coup]) -> Breach:
    first, more = coups[0], len(coups) - 1
    event = banked(first).called
    shown = "no bank was put up"
    if event is not None:
        shown = f"the bank was called at {money(shoe, event.payload.amount)}"
    later = f", and in {more} coups more" if more else ""
    return Breach(
        f"stakes were settled in coup {first.number}{later}, and nobody had put up a bank",
        "a banker puts up his bank before anybody stakes against it",
        shown,
        (*([event] if event is not None else []), *_moves(first)),
        first.number,
    )


def _moves(coup: Coup) -> list[RecordedEvent]:
    moves = [move for bet in coup.bets.values() for move in bet.moves]
    return events_of((BetPaid, BetTaken), moves)


RULES: Final = (
    Rule(
        "K518",
        "bystander-stake-before-seated",
        "procedure",
        "low",
        "Who stands may play only where those who sit do not cover the bank.",
        CITES,
        on_coup=_standing,
        games=_WINGS,
    ),
    Rule(
        "K519",
        "mid-coup-bank-raise",
        "procedure",
        "medium",
        "A banker who covers what lies beyond his bank holds all stakes from then on.",
        CITES,
        on_coup=_raised,
        games=_WINGS,
    ),
    Rule(
        "K501",
        "coup-without-bank",
        "payout",
        "high",
        "What stakes win somebody has put up, and what they lose is somebody's.",
        ("field-facts.md 1.2, 3 A18", "seeds S0, S1 (Chemin de fer, Baccarat banque, Macao)"),
        on_shoe=_nobodys,
        games=BANKED,
    ),
)
