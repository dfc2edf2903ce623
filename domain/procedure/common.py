"""Procedure that several games share: cards due, burns, limits, ties, the shoe holder.

The next action, the checks of dealing and the audit use these functions.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.events import MAX_INT, CardBurned, Hand, Limit
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.drawing_options import position_of
from sabot.domain.rules.payouts import cashier_for
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.third_card_table import banker_draws, is_natural, player_draws
from sabot.domain.state.coup_state import Bet, Coup, first_event_of
from sabot.domain.state.shoe import Shoe, order_of_play
from sabot.domain.state.table_context import limits_in_force, tells_limits
from sabot.domain.values.cards import FIRST_TWO, Card, burn_value, total
from sabot.domain.values.names import plain_name


def hand_due(player: Sequence[Card], banker: Sequence[Card]) -> Hand | None:
    """Return the hand that is due the next card. None if the coup has all its cards.

    Cards go Player, Banker, Player, Banker (arrêté 55-14). Then the drawing rules apply to the
    first two cards of each hand, Player first.
    """
    if len(player) < FIRST_TWO or len(banker) < FIRST_TWO:
        return "player" if len(player) <= len(banker) else "banker"
    player_total, banker_total = total(player[:2]), total(banker[:2])
    if (
        len(player) == FIRST_TWO
        and len(banker) == FIRST_TWO
        and player_draws(player_total, banker_total)
    ):
        return "player"
    third = total(player[2:3]) if len(player) > FIRST_TWO else None
    if len(banker) == FIRST_TWO and banker_draws(player_total, banker_total, third):
        return "banker"
    return None


def has_surplus_card(
    shoe: Shoe, player: Sequence[Card], banker: Sequence[Card], *, chosen: bool = False
) -> bool:
    """Return whether Player has a card too many, which a ruling may give to Banker.

    It is a third card if Player has to stand, or a fourth if Player has to draw and Banker has no
    third card. With ``chosen``, a third card of a hand that may stand is surplus too.
    """
    if min(len(player), len(banker)) < FIRST_TWO:
        return False
    draws = player_draws(total(player[:2]), total(banker[:2]))
    if chosen and shoe.pack is not None and shoe.pack.drawing is not None:
        rules = shoe.pack.drawing.rules(shoe.pack.title)
        draws = draws and "stand" not in rules.choices(position_of("player", player[:2]))
    return len(player) > FIRST_TWO + draws and not (draws and len(banker) > FIRST_TWO)


class BurnDue(Struct, frozen=True):
    """The burn before the first coup: number of cards, and how many face up.

    ``cards`` is None until the card that determines the number has been seen.
    """

    cards: int | None
    face_up: int


def opening_burn(shoe: Shoe) -> list[CardBurned]:
    """Return the cards burned before the first coup, in order."""
    return [
        event.payload
        for event in shoe.burned
        if event.payload.reason == "opening" and event.position not in shoe.burned_off_hands
    ]


def burn_due(shoe: Shoe) -> BurnDue | None:
    """Return the opening burn that the pack requires. None if the pack cannot be read."""
    if shoe.pack is None:
        return None
    match shoe.pack.burn.option:
        case "none":
            return BurnDue(0, 0)
        case "fixed":
            return BurnDue(shoe.pack.burn.cards, 0)
        case "deck-count":
            return BurnDue(shoe.decks, 0)
        case "first-card-value":
            burned = opening_burn(shoe)
            if burned and burned[0].card is not None:
                return BurnDue(1 + burn_value(burned[0].card), 1)
            return BurnDue(None, 1)


def cards_before_cut_card(shoe: Shoe) -> int | None:
    """Return how many cards precede the cut card. None if unknown."""
    if not shoe.stop_cards or not shoe.decks:
        return None
    behind: int = shoe.stop_cards[-1].payload.behind
    return shoe.size - behind


def last_coup(shoe: Shoe) -> int | None:
    """Return the number of the last permitted coup.

    If the cut card appears between coups, it counts for the next coup. The next coup is the one
    that began next, under whatever number, or else the next number. A coup that ended without a
    card is passed over: a coup counts as dealt once one of its cards is out (arrêté of 2007, art.
    58). None before the cut card appears, or if the pack sets no last coup.
    """
    if shoe.cut_card is None or shoe.pack is None:
        return None
    rule = shoe.pack.end.last_coup
    if rule == "never":
        return None
    cut_card = shoe.cut_card
    undealt = {coup.number for coup in shoe.coups.values() if coup.over and not coup.first_card}
    began = {
        coup.number: opening.position
        for coup in shoe.coups.values()
        if coup.number not in undealt and (opening := first_event_of(coup))
    }
    in_play = cut_card.during
    if in_play is None or in_play in undealt:
        begun_next = _begun_after(began, cut_card.event.position)
        in_play = begun_next or max([cut_card.begun, *undealt]) + 1
    if rule != "one-more":
        return in_play
    return _begun_after(began, began.get(in_play, MAX_INT)) or max([in_play, *undealt]) + 1


def _begun_after(began: dict[int, int], position: int) -> int | None:
    """Return the number of the first coup that began after a position of the record."""
    later = [number for number, at in began.items() if at > position]
    return min(later, key=lambda number: began[number], default=None)


def limit_on(wager: str, limits: Sequence[Limit], pack: RulePack | None) -> Limit | None:
    """Return the limit on a wager.

    It is the limit for the wager, else the table's, else the pack's; None if there is none, or if
    its minimum is above its maximum, since no stake can keep it. A maximum has no effect if the
    bank covers all stakes (arrêté of 14 May 2007, art. 61).
    """
    limit = _limit_set(wager, limits, pack)
    if limit is None or limit.minimum > limit.maximum:
        return None
    if pack is None or pack.tableaux is None or pack.tableaux.bank == "limited":
        return limit
    return Limit(limit.minimum, MAX_INT, limit.wager)


def _limit_set(wager: str, limits: Sequence[Limit], pack: RulePack | None) -> Limit | None:
    table = None
    for limit in limits:
        if limit.wager == wager:
            return limit
        if limit.wager is None and table is None:
            table = limit
    if table is not None:
        return table
    if pack is None or (pack.limits.minimum is None and pack.limits.maximum is None):
        return None
    most = pack.limits.maximum
    return Limit(pack.limits.minimum or 0, MAX_INT if most is None else most)


def limit_for(shoe: Shoe, wager: str) -> Limit | None:
    """Return the present limit on a wager according to the shoe's own record."""
    return limit_on(wager, shoe.limits, shoe.pack)


def with_limits_at(shoe: Shoe, event: RecordedEvent) -> Shoe:
    """Return a shoe with the limits that its own record gave at an event."""
    changes = [change for change in shoe.limits_changed if change.position < event.position]
    loaded = shoe.loaded.payload.limits if shoe.loaded is not None else ()
    return replace(shoe, limits=changes[-1].payload.limits if changes else loaded)


def limits_on(shoe: Shoe, bet: Bet) -> tuple[Limit | None, ...]:
    """Return the limit on a bet when it was staked.

    It comes from the shoe's record, or else from the table's. There are several if it is unknown
    which of the table's limits was in force (`sabot.domain.state.table_context`).
    """
    told = shoe.at_table is not None and not bet.limits and not tells_limits(shoe, bet.staked)
    stood = limits_in_force(shoe, bet.staked) if told else (bet.limits,)
    if len(stood) == 1:
        return (limit_on(bet.wager, stood[0], shoe.pack),)
    return tuple(dict.fromkeys([limit_on(bet.wager, limits, shoe.pack) for limits in stood]))


def coup_differential(coup: Coup) -> int:
    """Return Player stakes less Banker stakes, in minor units.

    It is the most that the house may lose on both together.
    """
    sides = {"player": 1, "banker": -1}
    standing = [bet for bet in coup.bets.values() if not bet.withdrawn]
    return abs(sum(sides.get(bet.wager, 0) * bet.amount for bet in standing))


MAIN_WAGERS: Final = ("player", "banker")
"""Wagers that stay on the layout after a tie; a pushed side bet is returned."""


def staying_bets(shoe: Shoe, coup: Coup) -> list[Bet]:
    """Return the Player and Banker bets that stayed after a tie in the previous coup."""
    if shoe.pack is None or not shoe.pack.tie.bets_stay:
        return []
    before = shoe.coups.get(coup.number - 1)
    if before is None or before.voided is not None or not before.player or not before.banker:
        return []
    if total(before.player) != total(before.banker):
        return []
    return [
        bet
        for bet in before.bets.values()
        if bet.pushed and not bet.withdrawn and bet.wager in MAIN_WAGERS
    ]


def lying_bets(shoe: Shoe, coup: Coup) -> list[Bet]:
    """Return the bets that the previous coup left.

    A pushed bet stays on the layout, even if the coup did not tie. For example, some wagers push on
    a three-card Banker 7.
    """
    staying = staying_bets(shoe, coup)
    before = shoe.coups.get(coup.number - 1)
    if before is None or before.voided is not None or shoe.pack is None:
        return staying
    if not shoe.pack.tie.bets_stay or shoe.pack.game != "punto-banco":
        return staying
    cashier, result = cashier_for(shoe.pack_text), result_of(before.player, before.banker)
    pushed = [
        bet
        for bet in before.bets.values()
        if bet.pushed
        and not bet.withdrawn
        and bet not in staying
        and (due := cashier.due(bet.wager, result, bet.amount)) is not None
        and due.kind == "push"
    ]
    return [*staying, *pushed]


def left_to_carry(shoe: Shoe, coup: Coup) -> list[Bet]:
    """Return the bets left on the layout that this coup has not carried over yet, in order.

    Several bets of a patron on one wager may continue as one bet of the same total.
    """
    carried = [(bet.patron, bet.wager) for bet in coup.bets.values() if bet.carried]
    staying = staying_bets(shoe, coup)
    if not carried:
        return staying
    staked: Counter[tuple[str, str]] = Counter()
    for bet in coup.bets.values():
        if bet.carried:
            staked[bet.patron, bet.wager] += bet.placed.payload.amount
    waiting = []
    for bet in staying:
        staked[bet.patron, bet.wager] -= bet.amount
        if (bet.patron, bet.wager) in carried:
            carried.remove((bet.patron, bet.wager))
        else:
            waiting.append(bet)
    return [bet for bet in waiting if staked[bet.patron, bet.wager] < 0]


def bank_lost(coup: Coup) -> bool:
    """Return whether Player beats Banker in a coup, and no ruling returned the bets."""
    return total(coup.player) > total(coup.banker) and not coup.fully_refunded


def shoe_passes(shoe: Shoe) -> bool:
    """Return whether the holder must pass the shoe after a lost coup.

    Source: the shoe is kept while Banker wins and passed on a loss (ARRETE_2007_ART_55_14).
    """
    if shoe.pack is None or shoe.pack.table.passes != "on-loss" or not shoe.coups:
        return False
    number = max(shoe.coups)
    coup = shoe.coups[number]
    if number <= shoe.taken_after or coup.voided is not None:
        return False
    return bank_lost(coup)


def is_house(shoe: Shoe, holder: str) -> bool:
    """Return whether the house holds the shoe, not a patron."""
    return holder == "house" or plain_name(holder) in map(plain_name, shoe.staff)


def false_draw(shoe: Shoe) -> RecordedEvent | None:
    """Return the holder's false draw in the last coup, if it costs the shoe.

    Sources: a banker who makes a false draw must pass the hand (arrêté of 2007, art. 55-14); at
    baccarat, the loss of the deal is the only penalty (art. 60).
    """
    if shoe.pack is None or not shoe.pack.table.false_draw_passes or not shoe.coups:
        return None
    number = max(shoe.coups)
    if number <= shoe.taken_after or (shoe.holder is not None and is_house(shoe, shoe.holder)):
        return None
    return false_draw_in(shoe, shoe.coups[number])


def false_draw_in(shoe: Shoe, coup: Coup) -> RecordedEvent | None:
    """Return the false draw noted in a coup, unless it was a patron's own choice."""
    if any(_players_own(shoe, coup, hand) for hand in ("player", "right", "left")):
        return None
    for event in coup.irregularities:
        if event.payload.kind == "wrong-draw":
            return event
    return None


def _players_own(shoe: Shoe, coup: Coup, hand: Hand) -> bool:
    """Return whether a wrong draw was the player's own choice, against the rules."""
    made = [event.payload for event in coup.banked.choices] if coup.banked is not None else []
    asked = [payload.choice for payload in made if payload.hand == hand]
    cards = coup.player if hand == "player" else coup.others.get((hand, None), [])
    if not asked or len(cards) < FIRST_TWO or shoe.pack is None or shoe.pack.drawing is None:
        return False
    rules = shoe.pack.drawing.rules(shoe.pack.title)
    points = total(cards[:2])
    if is_natural(points):
        return "draw" in asked
    return not set(asked) <= set(rules.choices(position_of("player", cards[:2])))


def next_holder(shoe: Shoe) -> str | None:
    """Return the patron who is offered the shoe next. None if nobody is left.

    Seats are numbered counter-clockwise from the dealer's right. The pack states the direction in
    which the shoe passes.
    """
    if shoe.pack is None:
        return None
    order = order_of_play(shoe, shoe.last_holder)
    return next((patron for patron in order if patron not in shoe.refused), None)
