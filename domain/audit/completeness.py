"""What a record may lack, so that a rule cannot judge; absence is no fault of the table."""

from collections.abc import Iterable
from typing import Final

from sabot.domain.events.bank import BankRaised, BankUnlimited, BankWithdrawn
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.patron_bank import bank_events_of, bank_of, claims_of, open_bets
from sabot.domain.procedure.two_tableaux.tableaux import rule_of
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason

NO_BANK: Final = "the record tells of no bank"
NO_BETS: Final = "the coup has no bets"
NO_CHOICES: Final = "the record does not tell what was decided for the hands"
NO_SEATS: Final = "the record does not say who sits where"
BETS_MISSING: Final = "the record lacks bets against this bank"
UNKNOWN_GAME: Final = "the record does not say which game was dealt"
COUPS_MISSING: Final = "the record lacks coups, and what was told between them"
COUPS_ALONE: Final = "the record holds coups alone"
NO_CARDS: Final = "no card is on record"
NO_PACK: Final = Reason("not-required", "the rule pack cannot be read")
"""Why a rule is not applied that the pack would have to ask for, where there is no pack."""
STARTS_BEFORE_RECORD: Final = "the record does not hold the beginning of the coup"
"""Why a coup is not judged that was in play when its record began, or was over by then."""
_OF_A_BANK: Final = (BankRaised, BankWithdrawn, BankUnlimited)
"""Events that change a bank which was put up before."""
_UNTOLD: Final = "the record tells of no claim, and his stake may have been one"


def holds_coups_alone(shoe: Shoe) -> bool:
    """Tell whether a record holds coups alone, and nothing of what happened between them."""
    return shoe.coverage == "coups"


def game_of_record(shoe: Shoe) -> GameName | None:
    """Return the game by whose rules a shoe is judged; None where nobody knows.

    A record without a pack is taken for punto banco, unless it tells of what that never has:
    a bank, a choice, or other hands than two.
    """
    if shoe.pack is not None:
        return shoe.pack.game
    if shoe.banks or any(map(is_of_another_game, shoe.coups.values())):
        return None
    return "punto-banco"


def is_of_another_game(coup: Coup) -> bool:
    """Tell whether a coup has what punto banco never has."""
    return coup.banked is not None or bool(coup.others)


def starts_before_record(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether the record may begin behind the first card of the coup."""
    if coup.opened is not None:
        return False
    return may_start_after_opening(shoe, coup) and not _from_its_first_card(shoe, coup)


def may_start_after_opening(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether the record may begin behind the opening of the coup.

    That is so of a coup that was never opened, where the record holds coups alone, or not the
    loading of the shoe, and no earlier coup.
    """
    if coup.opened is not None or (shoe.coverage == "whole" and shoe.loaded is not None):
        return False
    return coup.number <= next(iter(shoe.coups), coup.number)


def may_begin_before_record(shoe: Shoe) -> set[int]:
    """Return the numbers of the coups whose opening may stand before the record."""
    unopened = [coup for coup in shoe.coups.values() if coup.opened is None]
    none_opened = shoe.coverage == "coups" and len(unopened) == len(shoe.coups)
    return {
        coup.number
        for coup in unopened
        if coup.events and (none_opened or may_start_after_opening(shoe, coup))
    }


def _from_its_first_card(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether the record surely holds the first card of a coup that it does not see opened.

    The call of no more bets comes before it; or all cards that left the shoe before it are there;
    or the first four went out in turn, behind a bet or with more behind them: had two come
    earlier, there would be seven.
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
    return hands[:4] == ("player", "banker") * 2 and (bet or len(hands) > 4)  # noqa: PLR2004


def bets_missing(coup: Coup) -> bool:
    """Tell whether a coup was dealt, and no bet is on record: without stakes none is dealt."""
    return bool(coup.cards) and not coup.bets and coup.voided is None


def record_lacks_bets(shoe: Shoe) -> bool:
    """Tell whether the record holds coups alone, and no bet of any."""
    return shoe.coverage == "coups" and not any(coup.bets for coup in shoe.coups.values())


def is_of_earlier_bank(shoe: Shoe, event: RecordedEvent) -> bool:
    """Tell whether an event may be of a bank that was put up before the record began."""
    begun = shoe.coverage == "whole" and shoe.loaded is not None
    if begun or not isinstance(event.payload, _OF_A_BANK):
        return False
    return not shoe.banks or event.position < shoe.banks[0].posted.position


def bank_lacks_bets(shoe: Shoe, nth: int, before: Coup | None = None) -> bool:
    """Tell whether coups against a bank of the shoe (from 1), before one, lack their bets."""
    return any(
        bets_missing(coup) and bank_events_of(coup).nth == nth
        for coup in shoe.coups.values()
        if before is None or coup.number < before.number
    )


def bank_unknown(shoe: Shoe, coup: Coup) -> str | None:
    """Say why nobody knows what lay in the bank of a coup; None where the record tells."""
    part = bank_events_of(coup)
    if part.bank is None:
        return NO_BANK
    if shoe.coverage == "coups":
        return COUPS_ALONE
    return BETS_MISSING if bank_lacks_bets(shoe, part.nth, coup) else None


def choices_missing(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether the record never says what anybody decided."""
    told = (bank_events_of(each).choices for each in (coup, *shoe.coups.values()))
    return not any(told)


def seats_unknown(shoe: Shoe, coup: Coup | None = None) -> bool:
    """Tell whether the record does not say where anybody sits: never, or no longer in a coup.

    Where coups before it lack, those who banked meanwhile have changed places.
    """
    if not shoe.seatings and not shoe.seats:
        return True
    return coup is not None and coups_missing(shoe, coup)


def coups_missing(shoe: Shoe, coup: Coup | None = None) -> bool:
    """Tell whether the record lacks coups before one, or any: their numbers, and their cards."""
    if coup is None:
        return any(coups_missing(shoe, each) for each in shoe.coups.values())
    if sum(number < coup.number for number in shoe.coups) >= coup.number - 1:
        return False
    first = next(iter(coup.cards), None)
    if first is None or first.payload.place is None:
        return True
    return shoe.left.index(first) + 1 != first.payload.place


def may_be_the_bank(shoe: Shoe, coup: Coup, bet: Bet) -> bool:
    """Tell whether a bet may be of who goes bank, by a record that does not tell enough of it.

    Whose claim was the first rests on who sat where, and how much it was for on the bank. Where no
    claim is told of at all, or the coup's beginning lacks, a stake as large as the bank may be one.
    """
    claimed = [claim.patron for claim in claims_of(coup)]
    if shoe.pack is not None and shoe.pack.banco is None and not claimed:
        return False
    if shoe.pack is None and not is_of_another_game(coup):
        return False
    unknown = bank_unknown(shoe, coup) is not None
    if bet.patron in claimed:
        return unknown or seats_unknown(shoe, coup)
    told = claimed or any(claims_of(each) for each in shoe.coups.values())
    if told and coup.opened is not None:
        return False
    return unknown or as_large_as_the_bank(shoe, coup)


def claims_incomplete(shoe: Shoe, coup: Coup) -> str | None:
    """Say why nobody knows who held the tableaux: somebody may have gone bank, now or before.

    That is so where the record holds no claim at all, and one stake, or two, were the bank.
    """
    if any(claims_of(each) for each in shoe.coups.values()):
        return None
    up_to = (each for each in shoe.coups.values() if each.number <= coup.number)
    return _UNTOLD if any(as_large_as_the_bank(shoe, each) for each in up_to) else None


def is_stranger(shoe: Shoe, coup: Coup, who: str, given: RecordedEvent) -> bool:
    """Tell whether somebody who was given a hand has neither a seat nor a stake.

    A record that is whole would tell of either. Then it is no matter whose claim it may lack: the
    hand is not his.
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
    """Tell whether one stake, or two of a half each, are all that the bank of a coup holds."""
    lying = [bet for bet in open_bets(coup) if not bet.carried]
    bank = bank_events_of(coup).bank
    if bank is None or len(lying) not in (1, 2):
        return False
    # stakes are whole units, on both tableaux two of them: less than that of the bank is left over
    unit = 2 * rule_of(shoe).stake_unit
    return all(bank // len(lying) - bet.amount < unit for bet in lying)


def turn_unknown(shoe: Shoe, coup: Coup, dues: Iterable[Due]) -> bool:
    """Tell whether nobody knows whom a limited bank reached: it pays in rotation, to its end."""
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
    """Tell whether a bet was paid less than it won: a bank that is not on record may have ended."""
    return due is not None and due.kind == "pay" and bet.paid < due.paid
