"""Checks of the coup in play and of the cards: loading, burning, drawing."""

from collections.abc import Sequence

from sabot.domain import events as ev
from sabot.domain.procedure.copies_seen import CopiesSeen
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.preconditions.bet_requirements import (
    comes_before_bets,
    first_with_bets,
    has_permitted_ratio,
    has_seat,
    is_within_free_hands,
    leaves_a_stake,
    was_requested,
)
from sabot.domain.procedure.preconditions.due_rules import drawing, opening, skipping
from sabot.domain.procedure.preconditions.ruling_requirements import may_be_taken_off
from sabot.domain.procedure.preconditions.shoe_requirements import (
    follows,
    has_enough_cards,
    has_enough_copies,
    has_named_pack,
    has_permitted_backs,
    has_permitted_decks,
    is_permitted_depth,
)
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.rules.labels import hand_label
from sabot.domain.rules.payouts import cashier_for
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.shoe_coups import drawn_before
from sabot.domain.values.cards import Card
from sabot.domain.values.errors import BadRulePack


def open_coup(shoe: Shoe, payload: ev.CoupOpened) -> Violation | None:
    """Refuse a coup opened early or with a wrong number."""
    if shoe.current is not None:
        return Violation(f"coup {shoe.current.number} is open; settle it first", "Q101")
    broken = _free_hand(shoe) if payload.free else None
    if broken is not None:
        return broken
    last = max(shoe.coups, default=0)
    if not follows(payload.coup, last):
        return Violation(f"the next coup is {last + 1}, not {payload.coup}", "Q102")
    now = next_action(shoe)
    if now.expects == "coup":
        return None
    return Violation(f"no coup can be opened now; {now.text}", opening(shoe, payload, now))


def _free_hand(shoe: Shoe) -> Violation | None:
    assert shoe.pack is not None
    when, due = shoe.pack.free_hands_when, max(shoe.coups, default=0) + 1
    first = first_with_bets(shoe.coups.values())
    if when == "shoe-start" and not comes_before_bets(first, due):
        return Violation(
            "free hands come before the first coup with bets; open the coup for bets",
            "B208",
        )
    dealt = sum(coup.free for coup in shoe.coups.values())
    asked = sum(
        event.payload.kind == "free-hand" and event.payload.granted is not False
        for event in shoe.requests
    )
    if when == "on-request" and not was_requested(asked - dealt):
        return Violation("nobody asked for a free hand; note the request first", "B209")
    if is_within_free_hands(shoe.pack, dealt + 1):
        return None
    most = shoe.pack.free_hands
    return Violation(f"the pack allows {most} free hands in a shoe; open the coup for bets", "B207")


def coup_at(shoe: Shoe, number: int, over: str = "R401") -> Coup | Violation:
    """Return the coup in play, or the reason why the given number is not that of the coup.

    ``over`` is the rule that the event breaks if the coup is over.
    """
    coup, named = shoe.current, shoe.coups.get(number)
    rule = over if named is not None and named.over else "R401"
    if coup is None:
        return Violation("no coup is open; open one first", rule)
    if coup.number != number:
        return Violation(f"coup {coup.number} is in play, not {number}", rule)
    return coup


def check_loading(shoe: Shoe, payload: ev.ShoeLoaded) -> Violation | None:
    """Refuse a second loading, a bad rule pack, and decks, seats or limits it forbids."""
    if shoe.loaded is not None:
        return Violation("the shoe is loaded already; a new shoe needs a name of its own", "R401")
    if not has_named_pack(payload):
        said = "the rule pack's text is not the one that its hash names; name the pack anew"
        return Violation(said, "R407")
    try:
        pack = cashier_for(payload.pack).pack
    except BadRulePack as error:
        return Violation(f"the rule pack cannot be read: {error.message}", "R406")
    return _check_decks(pack, payload) or check_ratios(pack, payload.limits)


def _check_decks(pack: RulePack, payload: ev.ShoeLoaded) -> Violation | None:
    if not has_permitted_decks(pack, payload.decks):
        names = ", ".join(map(str, pack.cards.decks))
        said = f"the rule pack deals {names} decks, not {payload.decks}; choose one of these"
        return Violation(said, "S301")
    if not has_permitted_backs(pack, payload.backs):
        colours = len(set(payload.backs))
        said = f"the pack asks for backs of {pack.cards.backs} colours, not {colours}; load those"
        return Violation(said, "S302")
    if not all(has_seat(pack, seat.seat) for seat in payload.seats):
        return Violation(
            f"the table has {pack.table.seats} seats; give a seat from 1 to {pack.table.seats}",
            "B205",
        )
    return None


def check_ratios(pack: RulePack, limits: Sequence[ev.Limit]) -> Violation | None:
    """Refuse a maximum that is below its minimum, or not a permitted multiple of it."""
    if not all(map(leaves_a_stake, limits)):
        return Violation("a minimum is not above its maximum; set other limits", "L208")
    if all(has_permitted_ratio(pack, limit) for limit in limits):
        return None
    ratios = ", ".join(map(str, pack.limits.ratios))
    return Violation(f"a maximum is {ratios} times its minimum; set other limits", "L203")


def prepared_late(shoe: Shoe, what: str, rule: str) -> Violation | None:
    """Return why the shoe can no longer be prepared. None if it can.

    Preparation ends when a card leaves the shoe or a coup is opened. Later it breaks the rule.
    """
    if shoe.left:
        return Violation("cards have left the shoe already", rule)
    opened = next((coup.number for coup in shoe.coups.values() if coup.opened is not None), None)
    if opened is None:
        return None
    return Violation(f"coup {opened} was opened; {what} before the first", rule)


def check_shuffle(shoe: Shoe, _event: ev.ShoeShuffled) -> Violation | None:
    """Refuse a shuffle after the cut or first card."""
    late = prepared_late(shoe, "the cards are shuffled", "S315")
    return late or (
        Violation(f"the cards were cut; {next_action(shoe).text}") if shoe.cuts else None
    )


def check_commitment(shoe: Shoe, payload: ev.OrderCommitted) -> Violation | None:
    """Refuse a committed order with another number of cards than the shoe.

    An order is committed before the first card, and again after an interruption of the shoe.
    """
    left = shoe.size - len(shoe.left)
    if payload.cards != left:
        return Violation(
            f"the order has {payload.cards} cards, and {left} are in the shoe; bind those"
        )
    return None


def place_stop_card(shoe: Shoe, payload: ev.StopCardPlaced) -> Violation | None:
    """Refuse a cut card that is not due or at the wrong depth."""
    late = prepared_late(shoe, "the cut card goes in", "S314")
    return late or _no_stop_card(shoe) or _behind(shoe, payload)


def _no_stop_card(shoe: Shoe) -> Violation | None:
    assert shoe.pack is not None
    endless = shoe.pack.endless
    if endless and shoe.pack.end.stop_card_least is None:
        return Violation("a continuous shuffler has no cut card; open a coup")
    if not shoe.cuts and not endless:
        return Violation(
            f"the cut card goes in once the cards are cut; {next_action(shoe).text}", "S314"
        )
    if not shoe.stop_cards:
        return None
    return Violation(f"the cut card is in the shoe already; {next_action(shoe).text}", "S314")


def _behind(shoe: Shoe, payload: ev.StopCardPlaced) -> Violation | None:
    assert shoe.pack is not None
    if is_permitted_depth(shoe.pack, shoe.size, payload.behind):
        return None
    least, most = shoe.pack.end.stop_card_least, shoe.pack.end.stop_card_most or shoe.size
    said = f"the cut card goes {least} to {most} from the end, not {payload.behind}"
    return Violation(said, "S313")


def check_burn(shoe: Shoe, payload: ev.CardBurned) -> Violation | None:
    """Refuse a burn that is not due, or a face given for a card burned face down."""
    if payload.reason != "opening":
        coup = shoe.coups.get(payload.coup or 0)
        if coup is not None and drawn_before(shoe.left, coup, payload) is not None:
            return _check_dealt_card_stays(shoe, coup)
        return _check_burn_mid_coup(shoe) or (
            card_again(shoe, payload.card) if payload.card else None
        )
    now = next_action(shoe)
    if now.expects not in ("burn-up", "burn-down"):
        said = f"no card is to be burned now; {now.text}"
        return _no_card_left(shoe) or Violation(said, skipping(now) or "S304")
    if now.expects == "burn-up" and payload.card is None:
        return Violation("the first card is burned face up; name the card", "S304")
    if now.expects == "burn-down" and payload.card is not None:
        return Violation("this card is burned face down; its face is not looked at")
    return card_again(shoe, payload.card) if payload.card else None


def _check_dealt_card_stays(shoe: Shoe, coup: Coup) -> Violation | None:
    """Refuse to burn a card that was dealt to a hand, unless a ruling requires it."""
    rulings = shoe.pack.rulings if shoe.pack is not None else {}
    noted = [each.payload for each in coup.irregularities]
    if may_be_taken_off(noted, rulings):
        return None
    why = "no ruling of this coup burns one" if noted else "note what went wrong first"
    return Violation(f"a card on the table stays there; {why}", "D104")


def _check_burn_mid_coup(shoe: Shoe) -> Violation | None:
    """Refuse a burn during a coup without an irregularity or shuffler fault."""
    coup = shoe.current
    if coup is None or not coup.cards or coup.irregularities or shoe.shuffler_faults:
        return None
    return Violation(
        "no card is burned in the middle of a coup; note what went wrong first", "S305"
    )


def check_draw(shoe: Shoe, payload: ev.CardDrawn) -> Violation | None:
    """Refuse a card that is not due or goes to the wrong hand."""
    coup = coup_at(shoe, payload.coup, over="Q104")
    if isinstance(coup, str):
        return coup
    now = next_action(shoe)
    if now.expects != "card" or now.hand is None:
        said = f"no card is due; {now.text}"
        return _no_card_left(shoe) or Violation(said, drawing(shoe, coup, payload, now))
    if (now.hand, now.seat) != (payload.hand, payload.seat):
        due, said = hand_label(now.hand, now.seat), hand_label(payload.hand, payload.seat)
        said = f"the card is for {due}, not {said}; {now.text}"
        return Violation(said, drawing(shoe, coup, payload, now))
    return card_again(shoe, payload.card)


def card_again(shoe: Shoe, card: Card) -> Violation | None:
    """Refuse a card whose copies have all been seen."""
    if shoe.pack is not None and shoe.pack.endless:
        return None
    cards = [event.payload.card for event in shoe.left if event.payload.card is not None]
    seen = CopiesSeen(shoe.decks, [*cards, card])
    excess = seen.excess(card)
    if excess is None or has_enough_copies(seen, card):
        return None
    what, _, most = excess
    said = f"all {most} copies of {what} have been seen; look at the card again"
    return Violation(said, "N301")


def _no_card_left(shoe: Shoe) -> Violation | None:
    """Refuse a card if all cards have left the shoe."""
    is_endless = shoe.pack is not None and shoe.pack.endless
    if is_endless or has_enough_cards(shoe.size, len(shoe.left) + 1):
        return None
    said = f"all {shoe.size} cards have left the shoe; look at the card again"
    return Violation(said, "N302")
