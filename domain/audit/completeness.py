"""Detect which data a record lacks.

A gap in the record is not an error of the table, so a rule is not applied where the data are
missing.
"""

from collections.abc import Iterable
from typing import Final

from sabot.domain.events.bank import BankRaised, BankUnlimited, BankWithdrawn
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import limits_on
from sabot.domain.procedure.patron_bank import bank_events_of, bank_of, claims_of, open_bets
from sabot.domain.procedure.two_tableaux.tableaux import rule_of
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason

NO_BANK: Final = "the record has no bank"
NO_BETS: Final = "the coup has no bets"
NO_CHOICES: Final = "the record has no choices of the hands"
NO_SEATS: Final = "the record does not give the seats"
SEATS_MAY_HAVE_CHANGED: Final = "the record lacks earlier coups, which may have changed the seats"
BETS_MISSING: Final = "the record lacks bets against this bank"
UNKNOWN_GAME: Final = "the record does not say which game was dealt"
COUPS_MISSING: Final = "the record lacks coups"
COUPS_ALONE: Final = "the record holds only coups"
NO_CARDS: Final = "no card is on record"
NO_PACK: Final = Reason("record-incomplete", "the rule pack cannot be read")
"""The reason for a rule that only a pack can call for, where there is no pack."""
STARTS_BEFORE_RECORD: Final = "the record lacks the beginning of the coup"
"""The reason for a coup that was in play or over when its record began."""
_OF_A_BANK: Final = (BankRaised, BankWithdrawn, BankUnlimited)
"""Events that change an existing bank."""
STAKE_OR_BANK: Final = "the stake may have been the whole bank, whose amount is not on record"
UNTOLD: Final = "the record has no claims, and the stake may have been a banco"


def holds_coups_alone(shoe: Shoe) -> bool:
    """Return whether a record holds coups only, and no events between coups."""
    return shoe.coverage == "coups"


def game_of_record(shoe: Shoe) -> GameName | None:
    """Return the game whose rules a shoe is audited by. None where it is not known.

    A record without a pack counts as punto banco, unless it has events of another game: a bank, a
    choice, or more than two hands.
    """
    if shoe.pack is not None:
        return shoe.pack.game
    if shoe.banks or any(map(is_of_another_game, shoe.coups.values())):
        return None
    return "punto-banco"


def is_of_another_game(coup: Coup) -> bool:
    """Return whether a coup shows another game than punto banco.

    Such a coup has a bank, a choice or a third hand.
    """
    return coup.banked is not None or bool(coup.others)


def starts_before_record(shoe: Shoe, coup: Coup) -> bool:
    """Return whether a coup may begin before the record."""
    if coup.opened is not None:
        return False
    return may_start_after_opening(shoe, coup) and not _from_its_first_card(shoe, coup)


def may_start_after_opening(shoe: Shoe, coup: Coup) -> bool:
    """Return whether the record may begin after the opening of a coup.

    That is possible for the first coup on record if its opening is not recorded. The record must
    also hold coups only, or lack the loading of the shoe.
    """
    if coup.opened is not None or (shoe.coverage == "whole" and shoe.loaded is not None):
        return False
    return coup.number <= next(iter(shoe.coups), coup.number)


def may_begin_before_record(shoe: Shoe) -> set[int]:
    """Return the coups perhaps opened before the record."""
    unopened = [coup for coup in shoe.coups.values() if coup.opened is None]
    none_opened = shoe.coverage == "coups" and len(unopened) == len(shoe.coups)
    return {
        coup.number
        for coup in unopened
        if coup.events and (none_opened or may_start_after_opening(shoe, coup))
    }


def _from_its_first_card(shoe: Shoe, coup: Coup) -> bool:
    """Return whether the record surely holds a coup's first card.

    The coup has no opening event on record. One of these facts is enough:

    - The call of no more bets comes before the first card on record.
    - All cards that left the shoe before it are on record.
    - The first four cards went to Player and Banker in turn, after a bet or with a fifth card
      following. With two cards missing before them the coup would then have seven.
    """
    if not coup.cards:
        return False
    first, call = coup.cards[0], coup.no_more_bets
    if call is not None and call.position < first.position:
        return True
    if first.payload.place == shoe.left.index(first) + 1:
        return True
    hands = tuple(card.payload.hand for card in coup.cards)
    bet = any(bet.placed.position < first.position for bet in coup.bets.values())
    return hands[:4] == ("player", "banker") * 2 and (bet or bool(hands[4:]))


def bets_missing(coup: Coup) -> bool:
    """Return whether a coup has no bet on record."""
    return bool(coup.cards) and not coup.bets and coup.voided is None


def record_lacks_bets(shoe: Shoe) -> bool:
    """Return whether the record holds coups only, without bets."""
    return shoe.coverage == "coups" and not any(coup.bets for coup in shoe.coups.values())


def is_of_earlier_bank(shoe: Shoe, event: RecordedEvent) -> bool:
    """Return whether an event may concern a bank that was put up before the record begins."""
    begun = shoe.coverage == "whole" and shoe.loaded is not None
    if begun or not isinstance(event.payload, _OF_A_BANK):
        return False
    return not shoe.banks or event.position < shoe.banks[0].posted.position


def bank_lacks_bets(shoe: Shoe, nth: int, before: Coup | None = None) -> bool:
    """Return whether any coup against a bank lacks its bets.

    Args:
        shoe: the shoe.
        nth: the number of the bank, from 1.
        before: only coups before this one count; None: all.
    """
    return any(
        bets_missing(coup) and bank_events_of(coup).nth == nth
        for coup in shoe.coups.values()
        if before is None or coup.number < before.number
    )


def bank_unknown(shoe: Shoe, coup: Coup) -> str | None:
    """Return why the amount of a coup's bank is unknown. None if it is known."""
    part = bank_events_of(coup)
    if part.bank is None:
        return NO_BANK
    if shoe.coverage == "coups":
        return COUPS_ALONE
    return BETS_MISSING if bank_lacks_bets(shoe, part.nth, coup) else None


def choices_missing(shoe: Shoe, coup: Coup) -> bool:
    """Return whether the record holds no choice of any hand in the shoe."""
    told = (bank_events_of(each).choices for each in (coup, *shoe.coups.values()))
    return not any(told)


def seats_unknown(shoe: Shoe, coup: Coup | None = None) -> str | None:
    """Return why the seats of the patrons are unknown. None if they are known.

    They are unknown if the record never gives them, or no longer does for this coup. Where earlier
    coups are missing, patrons who banked in them may have changed places.
    """
    if not shoe.seatings and not shoe.seats:
        return NO_SEATS
    missing = coup is not None and coups_missing(shoe, coup)
    return SEATS_MAY_HAVE_CHANGED if missing else None


def coups_missing(shoe: Shoe, coup: Coup | None = None) -> bool:
    """Return whether the record lacks coups.

    The numbers of the coups show this, and the number of cards that left the shoe. With a coup
    given, only coups before it count.
    """
    if max(shoe.coups, default=0) <= len(shoe.coups):
        # their numbers are 1 to n
        return False
    if coup is None:
        return any(coups_missing(shoe, each) for each in shoe.coups.values())
    if sum(number < coup.number for number in shoe.coups) >= coup.number - 1:
        return False
    first = next(iter(coup.cards), None)
    if first is None or first.payload.place is None:
        return True
    return shoe.left.index(first) + 1 != first.payload.place


def coups_unknown(shoe: Shoe, coup: Coup) -> str | None:
    """Return that the record lacks coups before a coup. None if it does not."""
    return COUPS_MISSING if coups_missing(shoe, coup) else None


def skipped_around(shoe: Shoe, at: RecordedEvent) -> str | None:
    """Return that the record lacks a coup just before or after an event, as the numbers show.

    None if it does not.
    """
    begun = [(coup.events[0].position, coup.number) for coup in shoe.coups.values() if coup.events]
    before = max((number for position, number in begun if position < at.position), default=0)
    after = min((number for position, number in begun if position > at.position), default=0)
    return COUPS_MISSING if after > before + 1 else None


def limits_unknown(shoe: Shoe, bets: Iterable[Bet]) -> str | None:
    """Return why no limit of these bets is known. None if the limit of one is."""
    lying = tuple(bets)
    if any(limits_on(shoe, bet) != (None,) for bet in lying):
        return None
    if any(limit.minimum > limit.maximum for bet in lying for limit in bet.limits):
        return "no stake can keep the limits of the record"
    elsewhere = shoe.at_table is not None and shoe.at_table.limit_history.events
    return "the record gives no limits" + (" for that time" if elsewhere else "")


def stake_unknown(shoe: Shoe, coup: Coup, bet: Bet) -> str | None:
    """Return why it is unknown whether a stake was the whole bank. None if it is known."""
    return STAKE_OR_BANK if may_be_the_bank(shoe, coup, bet) else None


def shuffled_back(shoe: Shoe) -> str | None:
    """Return that dealt cards may have gone back into the shoe. None if they did not."""
    left, shuffles = shoe.left, shoe.shuffles
    between = left and any(
        left[0].position < each.position < left[-1].position for each in shuffles
    )
    return "the dealt cards may have been shuffled back" if between else None


def may_be_the_bank(shoe: Shoe, coup: Coup, bet: Bet) -> bool:
    """Return whether a bet may be a banco that was not recorded as one.

    This depends on the first claim, the seats and the amount of the bank. Where no claim is on
    record at all, or the beginning of the coup is missing, a stake as large as the bank may be a
    banco.
    """
    claimed = [claim.patron for claim in claims_of(coup)]
    if shoe.pack is not None and shoe.pack.banco is None and not claimed:
        return False
    if shoe.pack is None and not is_of_another_game(coup):
        return False
    unknown = bank_unknown(shoe, coup) is not None
    if bet.patron in claimed:
        return unknown or seats_unknown(shoe, coup) is not None
    told = claimed or any(claims_of(each) for each in shoe.coups.values())
    if told and coup.opened is not None:
        return False
    return unknown or as_large_as_the_bank(shoe, coup)


def claims_incomplete(shoe: Shoe, coup: Coup) -> str | None:
    """Return why the holders of the tableaux are unknown. None if they are known.

    They are unknown where the record has no claim at all, though in this or an earlier coup one or
    two stakes equalled the bank.
    """
    up_to = (each for each in shoe.coups.values() if each.number <= coup.number)
    return UNTOLD if any(claim_may_be_missing(shoe, each) for each in up_to) else None


def claim_may_be_missing(shoe: Shoe, coup: Coup) -> bool:
    """Return whether a stake of a coup may be a banco whose claim is not on record.

    That is so where the record holds no claim at all, the rule pack does not exclude claims, and
    one stake or two equal the bank.
    """
    if shoe.pack is not None and shoe.pack.banco is None:
        return False
    if any(claims_of(each) for each in shoe.coups.values()):
        return False
    return as_large_as_the_bank(shoe, coup)


def is_stranger(shoe: Shoe, coup: Coup, who: str, given: RecordedEvent) -> bool:
    """Return whether the patron who got a hand certainly has no right to it.

    Such a patron has no seat, stake or claim in a complete record. Missing claims of other patrons
    then do not matter.
    """
    if shoe.coverage == "coups" or shoe.loaded is None or bank_unknown(shoe, coup) or not coup.bets:
        return False
    sat = (name for event, _, name in shoe.seatings if event.position < given.position)
    played = (bet.patron for bet in coup.bets.values())
    claimed = (claim.patron for claim in claims_of(coup))
    return who not in {
        *sat,
        *played,
        *claimed,
        *bank_events_of(coup).places,
        bank_events_of(coup).banker,
    }


def as_large_as_the_bank(shoe: Shoe, coup: Coup) -> bool:
    """Return whether the stakes of a coup equal its bank.

    These are one stake of the whole bank, or two stakes of half the bank. No part of them was
    returned.
    """
    lying = [bet for bet in open_bets(coup) if not bet.carried]
    bank = bank_events_of(coup).bank
    if bank is None or len(lying) not in (1, 2):
        return False
    # a stake is whole units (two for both tableaux), so less than one may be left of the bank
    unit = 2 * rule_of(shoe).stake_unit
    return all(bank // len(lying) - bet.amount < unit and not bet.returned for bet in lying)


def turn_unknown(shoe: Shoe, coup: Coup, dues: Iterable[Due]) -> bool:
    """Return whether an unknown order of payments affects the amounts.

    A limited bank at two tableaux pays in the order of the seats until its chips are used up. The
    order matters only if they are used up.
    """
    bank = bank_of(coup)
    if (
        bank is None
        or shoe.pack is None
        or shoe.pack.tableaux is None
        or bank_events_of(coup).unlimited
    ):
        return False
    if not seats_unknown(shoe, coup):
        return False
    left = bank
    for due in dues:
        left += due.taken - due.paid
    return left <= 0


def may_fall_short(bet: Bet, due: Due | None) -> bool:
    """Return whether a bet may have been paid too little because the bank had run out of chips.

    That is possible where the amount of the bank is unknown.
    """
    return due is not None and due.kind == "pay" and bet.paid < due.paid
