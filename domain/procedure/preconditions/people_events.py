"""Checks of seats, departures, the shoe holder and the cut.

Also checks of cards moved between hands and of the order of payment. Each function returns the
reason with the next step, or None. `sabot.domain.procedure.preconditions` calls them.
"""

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.common import (
    hand_due,
    has_surplus_card,
    is_house,
    limit_for,
    next_holder,
)
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.procedure.preconditions import card_events
from sabot.domain.procedure.preconditions.bet_requirements import (
    has_room_for_patrons,
    has_seat,
    is_at_table,
)
from sabot.domain.procedure.preconditions.card_events import coup_at
from sabot.domain.procedure.preconditions.holder_requirements import (
    may_hold_shoe,
    may_pass_shoe,
    may_take_shoe,
    patrons_of,
    shoe_goes_to,
)
from sabot.domain.procedure.preconditions.settlement_requirements import (
    are_covered,
    is_collected_before_leaving,
)
from sabot.domain.procedure.preconditions.shoe_requirements import (
    cut_goes_to,
    may_be_cut,
    orders_recut,
)
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.procedure.seating import left_table, may_cut, nearer_winner, next_to_cut, seats_at
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import BANKED
from sabot.domain.rules.third_card_table import banker_draws
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe, order_of_play
from sabot.domain.values.cards import total


def check_seat(shoe: Shoe, payload: ev.PatronSeated) -> Violation | None:
    """Refuse a seat that the table does not have, or that is taken."""
    assert shoe.pack is not None
    if not has_seat(shoe.pack, payload.seat):
        seats = shoe.pack.table.seats
        return Violation(f"the table has {seats} seats; give one of those", "B205")
    return _shared_seat(shoe, payload)


def check_leaving(shoe: Shoe, payload: ev.PatronLeft) -> Violation | None:
    """Refuse the departure of a patron who owes commission or has a bet in play."""
    owed = shoe.owed_commission.get(payload.patron, 0)
    if not is_collected_before_leaving(owed):
        said = f"{payload.patron} owes {format_money(shoe, owed)} of commission; collect it first"
        return Violation(said, "P207")
    if payload.patron == shoe.holder:
        return Violation(f"{payload.patron} holds the shoe and has to pass it first")
    if not any(payload.patron in patrons for patrons in seats_at(shoe).values()):
        return Violation(f"{payload.patron} does not sit at this table")
    bets = shoe.current.bets.values() if shoe.current is not None else ()
    if any(bet.patron == payload.patron and not bet.withdrawn and not bet.settled for bet in bets):
        return Violation(f"{payload.patron} has a bet on the layout; settle it first")
    if shoe.current is not None and _goes_bank(shoe.current, payload.patron):
        return Violation(
            f"{payload.patron} goes bank in coup {shoe.current.number}; it is settled first"
        )
    return None


def _goes_bank(coup: Coup, patron: str) -> bool:
    """Return whether a patron has claimed to go bank in a coup whose bets are open."""
    claims = bank_events_of(coup).claims if coup.no_more_bets is None else ()
    return any(claim.payload.patron == patron for claim in claims)


def check_holder(
    shoe: Shoe, payload: "ev.ShoeOffered | ev.ShoeTaken | ev.ShoeRefused"
) -> Violation | None:
    """Refuse the shoe to a patron if the dealer deals or another person holds it."""
    assert shoe.pack is not None
    if shoe.pack.table.shoe != "patron":
        said = "the dealer deals at this table; the shoe is offered to nobody"
        if not isinstance(payload, ev.ShoeTaken):
            return Violation(said)
        is_kept = may_hold_shoe(shoe.pack, patron=payload.by in patrons_of(shoe))
        return Violation(said, "" if is_kept else "H504")
    if shoe.holder is not None:
        return Violation(f"{shoe.holder} holds the shoe and has to pass it first")
    if isinstance(payload, ev.ShoeRefused) and shoe.offered != payload.by:
        return Violation(f"the shoe was not offered to {payload.by}")
    if isinstance(payload, ev.ShoeTaken):
        return _not_taken(shoe, payload)
    return _out_of_turn(shoe, payload) if isinstance(payload, ev.ShoeOffered) else None


def _not_taken(shoe: Shoe, payload: ev.ShoeTaken) -> Violation | None:
    """Refuse the shoe to a patron who left, or to whom it was not offered."""
    if not is_at_table(left_table(shoe, payload.by)):
        return Violation(f"{payload.by} has left the table; type: seat N {payload.by}", "H509")
    if may_take_shoe(shoe, payload.by, shoe.offered):
        return None
    return Violation(f"the shoe was offered to {shoe.offered}, not to {payload.by}", "H510")


def _out_of_turn(shoe: Shoe, payload: ev.ShoeOffered) -> Violation | None:
    """Refuse to offer a passed shoe out of turn."""
    assert shoe.pack is not None
    if shoe.pack.bank is not None:
        return None  # the checks of banked games decide about offers
    order = order_of_play(shoe, shoe.last_holder)
    both_sit = shoe.last_holder in order and payload.to in order
    if not both_sit or shoe_goes_to(payload.to, order, shoe.refused):
        return None
    way, due = shoe.pack.table.direction, next_holder(shoe)
    said = f"the shoe goes {way}: offer it to {due} first, who may refuse it"
    return Violation(said, "H503")


def pass_on(shoe: Shoe, payload: ev.ShoePassed) -> Violation | None:
    """Refuse to pass a shoe held by another person, or during a coup."""
    if shoe.holder != payload.by:
        is_banked = shoe.pack is not None and shoe.pack.game in BANKED
        said = f"{payload.by} does not hold the shoe"
        return Violation(said, "K505" if is_banked else "H510")
    if shoe.current is not None:
        return Violation(f"coup {shoe.current.number} is open; the shoe passes between coups")
    return None


def check_passing(shoe: Shoe, payload: ev.ShoePassed) -> Violation | None:
    """Refuse to pass a shoe as `pass_on` does, or before dealing a coup."""
    return pass_on(shoe, payload) or none_dealt(shoe, payload)


def none_dealt(shoe: Shoe, payload: ev.ShoePassed) -> Violation | None:
    """Refuse to pass a patron's shoe before a coup, if the pack passes it on a loss."""
    dealt = any(coup.cards for number, coup in shoe.coups.items() if number > shoe.taken_after)
    on_loss = shoe.pack is not None and shoe.pack.table.passes == "on-loss"
    if on_loss and not may_pass_shoe(payload.reason, dealt=dealt or is_house(shoe, payload.by)):
        said = f"the new holder deals a coup before passing the shoe; {next_action(shoe).text}"
        return Violation(said, "H502")
    return None


_TWO = 2


def offer_cut(shoe: Shoe, payload: ev.CutOffered) -> Violation | None:
    """Refuse to offer the cut late, to two patrons at once, or out of turn."""
    asked, heir = may_cut(shoe), next_to_cut(shoe)
    if shoe.left or shoe.cuts:
        return Violation("the cards are cut already")
    if asked is not None:
        said = f"the cut is offered to {asked}, who has to cut or decline first"
        return Violation(said, "S310")
    if shoe.pack is None or shoe.pack.cut.offered is None or cut_goes_to(payload.to, (heir,)):
        return None
    said = f"the cut is offered to {heir or 'nobody more'} now, from the dealer's left on"
    return Violation(said, "S310")


def refuse_cut(shoe: Shoe, payload: ev.CutRefused) -> Violation | None:
    """Refuse the refusal of a cut that was not offered."""
    if may_cut(shoe) == payload.by:
        return None
    return Violation(f"the cut was not offered to {payload.by}")


def check_cut(shoe: Shoe, payload: ev.ShoeCut) -> Violation | None:
    """Refuse a second cut, a cut before the shuffle, or by the wrong person."""
    return (
        card_events.prepared_late(shoe, "the cards are cut", "S311")
        or _uncuttable(shoe)
        or _cutter(shoe, payload)
    )


def _uncuttable(shoe: Shoe) -> Violation | None:
    if shoe.pack is not None and shoe.pack.endless:
        return Violation("a continuous shuffler is not cut; open a coup")
    if shoe.cuts and not _is_recut_ordered(shoe):
        return Violation(f"the cards are cut already; {next_action(shoe).text}", "S311")
    if shoe.shuffles:
        return None
    return Violation(f"the cards are shuffled first; {next_action(shoe).text}", "S308")


def _is_recut_ordered(shoe: Shoe) -> bool:
    since = shoe.cuts[-1].position
    return any(orders_recut(each.payload) for each in shoe.irregularities if each.position > since)


def _cutter(shoe: Shoe, payload: ev.ShoeCut) -> Violation | None:
    if shoe.pack is None or shoe.pack.cut.offered is None:
        return None
    asked, heir = may_cut(shoe), next_to_cut(shoe)
    if asked is not None and not cut_goes_to(payload.by, (asked,)):
        return Violation(f"the cut belongs to {asked}, who has not declined it", "S310")
    if asked is not None or heir is None:
        return None
    was_offered = may_be_cut(shoe.pack, offered=bool(shoe.cut_offers))
    return Violation(f"offer the cut to {heir} first", "S310" if was_offered else "S309")


def check_reassignment(shoe: Shoe, payload: ev.CardReassigned) -> Violation | None:
    """Refuse to move a card to the other hand without a ruling or if none is due."""
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    rulings = {each.payload.ruling for each in coup.irregularities}
    if rulings.isdisjoint(("card-to-banker", "restore-card")):
        return Violation(
            "a card goes to the other hand by a ruling; note it first, as card-to-banker or "
            "restore-card",
            "D107",
        )
    player, banker = coup.player, coup.banker
    if "restore-card" in rulings:
        return _restored(coup, payload)
    due = banker_draws(total(player[:_TWO]), total(banker[:_TWO]), None)
    surplus = has_surplus_card(shoe, player, banker, chosen=True)
    if (payload.hand, payload.to) != ("player", "banker") or not (surplus and due):
        return Violation("no card is due to Banker; burn Player's extra card", "D107")
    return None


def _restored(coup: Coup, payload: ev.CardReassigned) -> Violation | None:
    """Refuse to restore a card to a hand to which it was not due.

    The cards on the table at the time of its draw decide.
    """
    hands = {"player": list(coup.player), "banker": list(coup.banker)}
    del hands[payload.hand][-1:]
    if hand_due(hands["player"], hands["banker"]) == payload.to != payload.hand:
        return None
    hand, to = hand_label(payload.hand), hand_label(payload.to)
    said = f"the last card of {hand} was not due to {to}; burn it, or void the coup"
    return Violation(said, "D107")


def play_out(coup: Coup) -> Violation | None:
    """Refuse to end a no-bet hand before its last card."""
    rulings = [event.payload.ruling for event in coup.irregularities]
    hand = hand_due(coup.player, coup.banker) if "no-bet-hand" in rulings else None
    if hand is None:
        return None
    said = f"this hand is dealt on without bets; a card for {hand_label(hand)} is due"
    return Violation(said, "I309")


def check_clearing(shoe: Shoe, payload: ev.CardsCleared) -> Violation | None:
    """Refuse to clear the cards uncovered, or before the last bet is settled.

    The second is refused only if the pack keeps the cards on the table until then.
    """
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    assert shoe.pack is not None
    waits = next((bet for bet in coup.bets.values() if not bet.settled and not bet.withdrawn), None)
    if shoe.pack.settling.cards_stay and waits is not None and coup.voided is None:
        said = f"the cards stay until the last bet is settled; {waits.patron}'s is not settled yet"
        return Violation(said, "E207")
    if are_covered(shoe.pack, payload):
        return None
    return Violation("discards have to be covered; type: clear covered", "E208")


def out_of_turn(shoe: Shoe, dues: list[tuple[Bet, Due]], number: int) -> Violation | None:
    """Refuse to pay a winner before another winner who sits nearer to the dealer."""
    bet = nearer_winner(shoe, dues, number)
    if bet is None:
        return None
    said = f"the nearest are paid first: pay bet {bet.number} of {bet.patron}"
    return Violation(said, "E206")


def check_cap(shoe: Shoe, payload: bank_ev.ExcessReturned) -> Violation | None:
    """Refuse to return any amount but the part of a bet above the maximum.

    Any return is refused if the pack does not settle bets up to the maximum.
    """
    coup = coup_at(shoe, payload.coup)
    if shoe.pack is None or shoe.pack.limits.accepted != "capped" or isinstance(coup, str):
        said = "the pack does not require that the part above the maximum is returned"
        return Violation(said, "L206")
    bet = coup.bets.get(payload.bet)
    limit = limit_for(shoe, bet.wager) if bet is not None else None
    beyond = bet.amount - limit.maximum if bet is not None and limit is not None else 0
    if payload.amount == beyond:
        return None
    return Violation(f"{format_money(shoe, max(0, beyond))} is above the maximum", "L206")


def _shared_seat(shoe: Shoe, payload: ev.PatronSeated) -> Violation | None:
    """Refuse a seat already shared by the maximum number of patrons."""
    assert shoe.pack is not None
    seat = payload.seat
    patrons = [patron for patron in seats_at(shoe).get(seat, []) if patron != payload.patron]
    is_full = not has_room_for_patrons(shoe.pack, len(patrons) + 1)
    if not is_full and (not patrons or shoe.pack.table.per_seat is not None):
        return None
    names = " and ".join(patrons)
    said = f"{names} {'sit' if len(patrons) > 1 else 'sits'} at {seat}; give another seat"
    return Violation(said, "B210" if is_full else "")
