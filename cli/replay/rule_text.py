"""The rule that applied to an event, as text, from the state just before the event.

Where the cards or the rule pack give numbers, the text states them: the third-card rule, what a
wager pays, what is due. For other events it lists the rules of the audit about them. This module
does not decide whether the event kept its rule; the audit does. Refusals come from the program's
dealing procedure.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.audit.completeness import NO_PACK
from sabot.domain.audit.explain.payment_reasons import owed_said, why_paid
from sabot.domain.audit.explain.steps import DEALT_IN_TURN, cards_added_up
from sabot.domain.audit.rule import Rule
from sabot.domain.audit.rulebook import RULES
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import limit_for
from sabot.domain.procedure.dealing_order import due_bets
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.preconditions import violation
from sabot.domain.rules.labels import condition_label, odds_label, wager_label
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import RulePack, parse_pack
from sabot.domain.rules.third_card_table import is_natural, why_banker, why_player
from sabot.domain.rules.wagers import PayLine
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_limit, format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import (
    FIRST_TWO,
    Card,
    burn_value,
    format_card,
    total,
    value,
)
from sabot.domain.values.errors import BadRulePack

_MOST_RULES: Final = 3
"""The number of the audit's rules that are listed for an event."""


class Ruling(Struct, frozen=True):
    """The rule as text, one sentence per line.

    ``refused`` is the reason why the dealing procedure would refuse the event. ``banker_row`` is
    the place in the third-card table that applied: Banker's total, and the value of Player's third
    card.
    """

    lines: tuple[str, ...] = ()
    refused: str | None = None
    banker_row: tuple[int, int | None] | None = None


def ruling_of(before: Shoe, event: RecordedEvent) -> Ruling:
    """Return the rule for an event. ``before`` is the shoe before the event."""
    say = _NUMBERS.get(type(event.payload))
    lines = tuple(say(before, event.payload)) if say is not None else ()
    lines = lines or tuple(_audited(before, event.payload))
    # a record of coups alone lacks the events that the dealer's side needs for its checks
    whole = before.coverage == "whole" and (
        before.loaded is not None or isinstance(event.payload, ev.ShoeLoaded)
    )
    refused = _refusal(before, event.payload) if whole else None
    return Ruling(lines, refused, _banco(before, event.payload))


def _audited(shoe: Shoe, payload: ev.Event) -> Iterator[str]:
    """Yield the first few audit rules on this kind of event in the shoe's game."""
    game = shoe.pack.game if shoe.pack is not None else None
    about = [rule for rule in RULES if _is_about(rule, type(payload)) and rule.is_of(game)]
    required = (rule for rule in about if _is_required(rule, shoe))
    yield from (f"{rule.number} {rule.requires}" for rule in islice(required, _MOST_RULES))


def _is_about(rule: Rule, kind: type) -> bool:
    """Return whether a rule on play has this kind of event as its first evidence."""
    return rule.breach_events[:1] == (kind,) and not rule.of_the_floor and rule.concerns != "record"


def _is_required(rule: Rule, shoe: Shoe) -> bool:
    """Return whether the shoe's rule pack requires what the rule asks for."""
    asked = (need.of_shoe(shoe) for need in rule.needs if need.of_shoe is not None)
    return not any(
        reason is not None and (reason == NO_PACK or reason.kind == "not-required")
        for reason in asked
    )


def _banco(shoe: Shoe, payload: ev.Event) -> tuple[int, int | None] | None:
    """Return the place in the third-card table that decides whether Banker draws, or None."""
    match payload:
        case ev.CardDrawn(coup=number, hand="banker") | ev.ResultCalled(coup=number):
            coup = shoe.coups.get(number)
        case _:
            return None
    if shoe.pack is not None and shoe.pack.game != "punto-banco":
        return None
    if coup is None or len(coup.player) < FIRST_TWO or len(coup.banker) < FIRST_TWO:
        return None
    if is_natural(total(coup.player[:2])) or is_natural(total(coup.banker[:2])):
        return None
    third = value(coup.player[2]) if len(coup.player) > FIRST_TWO else None
    return total(coup.banker[:2]), third


def _refusal(before: Shoe, payload: ev.Event) -> str | None:
    return violation(before, payload) if isinstance(payload, ev.ShoeEvent) else None


def _loaded(_shoe: Shoe, payload: ev.ShoeLoaded) -> Iterator[str]:
    pack = _pack_in(payload.pack)
    if pack is None:
        yield "the rule pack of this shoe cannot be read"
        return
    yield f"{pack.title}"
    yield f"by {'; '.join(pack.sources)}"
    if not payload.pack_named:
        yield "the record names no rules: classic rules are assumed"
    if payload.coverage == "coups":
        yield "a record of coups only: missing events prove nothing"


def _stop_card(shoe: Shoe, _event: ev.StopCardPlaced) -> Iterator[str]:
    if shoe.pack is None or shoe.pack.end.stop_card_least is None:
        return
    least, most = shoe.pack.end.stop_card_least, shoe.pack.end.stop_card_most
    where = f"{least}" if least == most else f"{least} to {most}"
    yield f"the cut card goes in with {where} cards behind it"


def _burned(shoe: Shoe, payload: ev.CardBurned) -> Iterator[str]:
    if payload.reason != "opening" or shoe.pack is None:
        return
    match shoe.pack.burn.option:
        case "first-card-value":
            yield "the first card is burned face up, then as many face down as it counts"
            yield "an ace counts 1, ten and faces 10"
            if payload.card is not None:
                yield f"{format_card(payload.card)} asks for {burn_value(payload.card)} more"
        case "deck-count":
            yield f"as many cards are burned as decks: {shoe.decks}"
        case "fixed":
            yield f"{shoe.pack.burn.cards} cards are burned"
        case "none":
            yield "no card is burned"


def _bet(shoe: Shoe, payload: "ev.BetPlaced | ev.BetCarried") -> Iterator[str]:
    yield from _wager(shoe, payload.wager)
    if isinstance(payload, ev.BetCarried) and shoe.pack is not None:
        may = "may be withdrawn" if shoe.pack.tie.withdrawable else "is frozen for this coup"
        yield f"a bet that a tie pushed stays, and {may}"


def _wager(shoe: Shoe, name: str) -> Iterator[str]:
    if shoe.pack is None:
        return
    wager = shoe.pack.wager(name)
    if wager is None:
        yield f"this table does not offer {wager_label(name)}"
        return
    lines = ", ".join(_pays(line) for line in wager.lines)
    less = f", less {_percent(shoe.pack)} commission" if wager.commission else ""
    yield f"{wager_label(name)}: {lines}{less}; otherwise the stake is lost"
    limit = limit_for(shoe, name)
    if limit is not None:
        yield f"limits {format_limit(shoe, limit)}"


def _pays(line: PayLine) -> str:
    does = "is pushed" if line.pays == "push" else f"pays {odds_label(line.pays)}"
    return f"{does} ({condition_label(line.on)})"


def _percent(pack: RulePack) -> str:
    numerator, denominator = pack.commission.ratio
    return f"{100 * numerator / denominator:g} %"


def _drawn(shoe: Shoe, payload: ev.CardDrawn) -> Iterator[str]:
    coup = shoe.coups.get(payload.coup)
    if coup is None or not _is_punto_banco(shoe):
        return
    if min(len(coup.player), len(coup.banker)) < FIRST_TWO:
        yield DEALT_IN_TURN
        return
    yield from _third_card(coup.player, coup.banker, payload.hand)


def _is_punto_banco(shoe: Shoe) -> bool:
    return shoe.pack is None or shoe.pack.game == "punto-banco"


def _third_card(player: list[Card], banker: list[Card], hand: ev.Hand) -> Iterator[str]:
    """Yield the third-card rule for a hand, once both hands have two cards."""
    if len(player if hand == "player" else banker) > FIRST_TWO:
        yield "a hand has two or three cards"
        return
    player_total, banker_total = total(player[:2]), total(banker[:2])
    if hand == "player":
        yield why_player(player_total, banker_total)
    else:
        third = value(player[2]) if len(player) > FIRST_TWO else None
        yield why_banker(player_total, banker_total, third)


def _totals(shoe: Shoe, payload: ev.TotalsCalled) -> Iterator[str]:
    coup = shoe.coups.get(payload.coup)
    if coup is None or len(coup.player) < FIRST_TWO or len(coup.banker) < FIRST_TWO:
        yield "totals are called once each hand has two cards"
        return
    player, banker = coup.player[:2], coup.banker[:2]
    yield f"Player {cards_added_up(player)}"
    yield f"Banker {cards_added_up(banker)}"
    player_total, banker_total = total(player), total(banker)
    yield why_player(player_total, banker_total)
    if (
        not is_natural(player_total)
        and not is_natural(banker_total)
        and "stands" in why_player(player_total, banker_total)
    ):
        yield why_banker(player_total, banker_total, None)


def _result(shoe: Shoe, payload: ev.ResultCalled) -> Iterator[str]:
    coup = shoe.coups.get(payload.coup)
    if coup is None or len(coup.player) < FIRST_TWO or len(coup.banker) < FIRST_TWO:
        yield "the result is called once each hand has its cards"
        return
    yield f"Player {cards_added_up(coup.player)}"
    yield f"Banker {cards_added_up(coup.banker)}"
    if len(coup.banker) == FIRST_TWO and _is_punto_banco(shoe):
        yield from _third_card(coup.player, coup.banker, "banker")


_Move = ev.BetTaken | ev.BetPaid | ev.BetPushed | ev.CommissionMarked | ev.CommissionCollected


def _settled(shoe: Shoe, payload: "_Move") -> Iterator[str]:
    if payload.coup is None or payload.bet is None:
        yield "commission that was marked is collected before the patron leaves"
        return
    coup, bet = shoe.coups.get(payload.coup), _bet_at(shoe, payload.coup, payload.bet)
    if coup is None or bet is None:
        yield f"there is no bet {payload.bet} on the felt"
        return
    if shoe.pack is not None and shoe.pack.tableaux is not None:
        # a tableau's natural is paid before the cards of the other are shown
        due = next((due for each, due in due_bets(shoe, coup) if each.number == bet.number), None)
    else:
        due = due_to(shoe, coup).get(bet.number)
    if due is None or shoe.pack is None:
        yield f"neither the cards nor the pack settle {wager_label(bet.wager)}"
        return
    yield why_paid(shoe, shoe.pack, bet, due)
    amount = partial(format_money, shoe)
    yield f"due to a stake of {amount(bet.amount)}: {owed_said(due, amount)}"


def due_to(shoe: Shoe, coup: Coup) -> dict[int, Due]:
    """Return the amounts due to each bet of a dealt coup, by bet number."""
    if coup.voided is not None or not game_of(shoe.pack).is_dealt(shoe, coup):
        return {}
    if coup.others and coup.result_called is None:
        # with several hands, no amount is shown while some cards are face down
        return {}
    return {bet.number: due for bet, due in due_bets(shoe, coup)}


def _bet_at(shoe: Shoe, coup_number: int, bet: int) -> Bet | None:
    coup = shoe.coups.get(coup_number)
    return coup.bets.get(bet) if coup is not None else None


def _cut_card(shoe: Shoe, _event: object) -> Iterator[str]:
    if shoe.pack is None:
        return
    last = {
        "finish": "the coup in play is the last, or the next where none is in play",
        "one-more": "one coup is dealt after the one in play",
        "never": "a continuous shuffler has no last coup",
    }
    yield f"once the cut card is out, {last[shoe.pack.end.last_coup]}"


def _ended(shoe: Shoe, _event: object) -> Iterator[str]:
    left = len(shoe.left)
    if shoe.pack is not None and shoe.pack.endless:
        yield f"cards go back into the shuffler: {left} have come out of {shoe.decks} decks"
        return
    yield f"{shoe.decks} decks are {shoe.size} cards: {left} have left the shoe"
    if left <= shoe.size:
        yield f"{shoe.size - left} must remain"


def _correction(_shoe: Shoe, payload: ev.EventCorrected) -> Iterator[str]:
    yield f"event {payload.version} of this shoe stays in the log as it was recorded"
    yield "from here on the shoe is shown as corrected"


def _pack_in(text: str) -> RulePack | None:
    try:
        return parse_pack(text)
    except BadRulePack:
        return None


_NUMBERS: Final[dict[type, Callable[[Shoe, Any], Iterator[str]]]] = {
    ev.ShoeLoaded: _loaded,
    ev.StopCardPlaced: _stop_card,
    ev.CardBurned: _burned,
    ev.BetPlaced: _bet,
    ev.BetCarried: _bet,
    ev.CardDrawn: _drawn,
    ev.TotalsCalled: _totals,
    ev.ResultCalled: _result,
    ev.BetTaken: _settled,
    ev.BetPaid: _settled,
    ev.BetPushed: _settled,
    ev.CommissionMarked: _settled,
    ev.CommissionCollected: _settled,
    ev.CutCardReached: _cut_card,
    ev.LastCoupCalled: _cut_card,
    ev.ShoeEnded: _ended,
    ev.EventCorrected: _correction,
}
"""The text for each kind of event about which the cards or the rule pack give numbers."""
