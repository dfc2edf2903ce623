"""Why a coup went as it went: each draw and stand, each call and each payment, with its reason.

What was due is worked out from the cards as they lay; what was shown stands beside it, and
where the two differ the step says so.
"""

from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct

from domain.audit.costing import gains_of_bet
from domain.audit.explaining_banks import bank_steps, choice_steps, levy_steps
from domain.audit.explaining_hands import hand_steps
from domain.audit.explaining_wings import wing_steps
from domain.audit.explanation import Step
from domain.audit.rule import HEADLESS, CoupView, cashier_of, view_coup
from domain.audit.timing import at_the_table
from domain.audit.wording import moved
from domain.banking import claims
from domain.cards import VALUE, Card, pretty, total
from domain.coup import Bet
from domain.errors import NotFound
from domain.facts import CardDrawn, CoupVoided, Hand, Outcome, ResultCalled, TotalsCalled
from domain.money import spelled
from domain.rulepack import RulePack
from domain.settlement import Due
from domain.shoe import Shoe
from domain.tableau import banco_draws, punto_draws, why_banco, why_punto

_SIDE: dict[Outcome, str] = {"P": "player", "B": "banker", "T": "tie"}
_THIRD = 3


class Explanation(Struct, frozen=True):
    """A coup, step by step, under the rule pack that it was dealt by."""

    shoe: str
    coup: int
    pack: str | None
    steps: list[Step]


def explain(shoe: Shoe, number: int) -> Explanation:
    """Explain a coup of a shoe.

    Raises:
        NotFound: the shoe has no coup of that number.
    """
    coup = shoe.coups.get(number)
    if coup is None:
        first, last = min(shoe.coups, default=0), max(shoe.coups, default=0)
        said = f"its coups are {first} to {last}" if last else "no coup was dealt from it"
        raise NotFound(f"shoe {shoe.name!r} has no coup {number}; {said}")
    shoe = at_the_table(shoe)
    view = view_coup(shoe, shoe.coup(number), cashier_of(shoe))
    steps = [*_opening(view), *_played(view), *_payments(view), *levy_steps(view)]
    pack = shoe.pack
    name = f"{pack.name} {pack.version}: {pack.title}" if pack is not None else None
    return Explanation(shoe.name, number, name, steps)


def _played(view: CoupView) -> Iterator[Step]:
    """Tell the bank, the hands and the calls, as the game has them."""
    pack = view.shoe.pack
    if pack is not None and pack.tableaux is not None:
        yield from wing_steps(view)
        return
    yield from bank_steps(view)
    own = pack is not None and pack.macao is not None
    yield from hand_steps(view) if own else (*_cards(view), *_calls(view))


# -- The coup as a whole ------------------------------------------------------------------------


def _opening(view: CoupView) -> Iterator[Step]:
    coup = view.coup
    for drawn, burned in coup.taken_off:
        fact = drawn.fact
        if isinstance(fact, CardDrawn):
            what, shown = f"{fact.hand}'s {pretty(fact.card)}", "drawn, and burned"
            why = "a card that a ruling burns is off its hand"
            yield Step("coup", what, "burned", why, shown, None, (drawn.index, burned.index))
    for drawn in coup.late:
        fact = drawn.fact
        if isinstance(fact, CardDrawn):
            what, shown = f"a card for {fact.hand}", f"drew {pretty(fact.card)} behind the close"
            why = "a coup that is closed has its cards: one more is in none of its hands"
            yield Step("coup", what, "none", why, shown, True, (drawn.index,))
    if view.headless:
        yield Step("coup", "not judged", "a whole record", HEADLESS, None, None)
    if coup.free:
        yield Step("coup", "free hand", "no bets", "a free hand is dealt without bets", None, None)
    if coup.voided is not None:
        fact = coup.voided.fact
        why = fact.reason if isinstance(fact, CoupVoided) and fact.reason else "no reason recorded"
        due = "every bet goes back"
        yield Step("coup", "voided", due, why, None, None, (coup.voided.index,))


# -- Cards --------------------------------------------------------------------------------------


def _cards(view: CoupView) -> Iterator[Step]:
    hands: tuple[tuple[Hand, list[Card]], ...] = (
        ("player", view.coup.player),
        ("banker", view.coup.banker),
    )
    for hand, cards in hands:
        if cards:
            events = _events(view, hand, 1, 2)
            short = len(cards) < _THIRD - 1 and not view.in_play
            yield Step(
                "deal", f"{hand}'s first two", "two cards", "player, banker, player, banker",
                _sum(cards[:2]), None if view.headless else short, events,
            )  # fmt: skip
    if not view.dealt:
        return
    if view.shoe.pack is not None and view.shoe.pack.drawing is not None:
        yield from choice_steps(view)
        return
    yield _third(view, "player", punto_draws(view.punto, view.banco), why_punto(*_both(view)))
    due = banco_draws(view.punto, view.banco, view.third)
    yield _third(view, "banker", due, why_banco(*_both(view), view.third))
    for hand, cards in hands:
        if len(cards) > _THIRD:
            shown = " ".join(map(pretty, cards[_THIRD:]))
            events = _events(view, hand, _THIRD + 1, len(cards))
            why = "no hand takes more than three cards"
            yield Step("draw", f"{hand}'s fourth card", "none", why, f"drew {shown}", True, events)


def _both(view: CoupView) -> tuple[int, int]:
    return view.punto, view.banco


def _third(view: CoupView, hand: Hand, due: bool, why: str) -> Step:
    cards = view.coup.player if hand == "player" else view.coup.banker
    drew = len(cards) >= _THIRD
    waiting = view.in_play and not drew
    shown = None if waiting else f"drew {pretty(cards[2])}" if drew else "stood"
    return Step(
        "draw" if due else "stand",
        f"{hand}'s third card",
        "draw" if due else "stand",
        why,
        shown,
        None if waiting else drew != due,
        _events(view, hand, _THIRD, _THIRD),
    )


def _events(view: CoupView, hand: Hand, first: int, last: int) -> tuple[int, ...]:
    drawn = [
        event.index
        for event in view.coup.cards
        if isinstance(event.fact, CardDrawn) and event.fact.hand == hand
    ]
    return tuple(drawn[first - 1 : last])


def _sum(cards: list[Card]) -> str:
    faces = " ".join(map(pretty, cards))
    whole = sum(VALUE[card] for card in cards)
    counts = f" = {whole}, counts {whole % 10}" if whole > 9 else f" = {whole}"  # noqa: PLR2004
    return faces + (" = " + " + ".join(str(VALUE[card]) for card in cards)) + counts


# -- Calls --------------------------------------------------------------------------------------


def _calls(view: CoupView) -> Iterator[Step]:
    coup = view.coup
    if not view.dealt:
        return
    for event in coup.calls:
        if isinstance(event.fact, TotalsCalled):
            due, shown = (view.punto, view.banco), (event.fact.player, event.fact.banker)
            yield Step(
                "call", "two-card totals", _totals(*due), "the first two cards of each hand",
                _totals(*shown), shown != due, (event.index,),
            )  # fmt: skip
    player, banker = total(coup.player), total(coup.banker)
    due_call = f"{_SIDE[view.result.outcome]}, {player} to {banker}"
    why = "equal totals tie" if player == banker else "the higher total wins"
    results = [event for event in coup.calls if isinstance(event.fact, ResultCalled)]
    for event in results:
        assert isinstance(event.fact, ResultCalled)
        differs = _miscalled(event.fact, player, banker, view.result.outcome)
        said = _called(event.fact)
        yield Step("result", "result", due_call, why, said, differs, (event.index,))
    if not results:
        yield Step("result", "result", due_call, why, None, None)


def _totals(player: int, banker: int) -> str:
    return f"player {player}, banker {banker}"


def _called(fact: ResultCalled) -> str | None:
    parts = [_SIDE[fact.outcome]] if fact.outcome is not None else []
    if fact.player is not None or fact.banker is not None:
        parts.append(f"{_or(fact.player)} to {_or(fact.banker)}")
    return ", ".join(parts) or None


def _or(called: int | None) -> str:
    return "?" if called is None else str(called)


def _miscalled(fact: ResultCalled, player: int, banker: int, outcome: Outcome) -> bool | None:
    pairs = ((fact.player, player), (fact.banker, banker), (fact.outcome, outcome))
    said = [(shown, due) for shown, due in pairs if shown is not None]
    return any(shown != due for shown, due in said) if said else None


# -- Payments -----------------------------------------------------------------------------------


def _payments(view: CoupView) -> Iterator[Step]:
    for bet in view.coup.bets.values():
        yield _payment(view, bet)


def _payment(view: CoupView, bet: Bet) -> Step:
    pack = view.shoe.pack
    units = pack.money.minor_units if pack is not None else 2
    staked = bet.amount or bet.returned
    what = f"{bet.patron}'s {spelled(staked, units)} on {bet.wager}"
    events = tuple(event.index for event in (bet.placed, *bet.changes, *bet.moves))
    shown = moved(bet, lambda amount: spelled(amount, units)) if bet.moves else None
    due, why = _due(view, bet)
    if due is None:
        judged = not view.headless and bool(bet.net)
        return Step("payment", what, "nothing", why, shown, judged or None, events)
    assert pack is not None
    return Step(
        "payment",
        what,
        _said(due, units),
        _why_paid(pack, bet, due),
        shown,
        bool(gains_of_bet(view, bet, due)) if bet.moves else _left(view),
        events,
    )


def _left(view: CoupView) -> bool | None:
    """Whether a bet that nobody moved should have been: only once the coup is closed."""
    return True if view.coup.closed is not None and view.shoe.scope == "whole" else None


def _due(view: CoupView, bet: Bet) -> tuple[Due | None, str]:
    """Return what is due to a bet, or why nothing is."""
    if bet.withdrawn:
        who = {claim.patron for claim in claims(view.coup)}
        went = "others went bank" if who - {bet.patron} else "it lay beyond the bank"
        return None, f"{went}, and it went back" if bet.returned else "the bet was withdrawn"
    if view.coup.voided is not None:
        return None, "the coup was voided: the bet goes back"
    if view.cashier is None:
        return None, "the rule pack cannot be read"
    if not view.dealt:
        return None, HEADLESS if view.headless else "a hand has fewer than two cards"
    due = view.due(bet, bet.amount)
    if due is None:
        return None, f"the record's cards, or the pack, do not settle {bet.wager}"
    return due, ""


def _said(due: Due, units: int) -> str:
    match due.kind:
        case "take":
            return f"take {spelled(due.taken, units)}"
        case "push":
            return "push"
        case "pay":
            if not due.commission:
                return f"pay {spelled(due.paid, units)}"
            less = f" less {spelled(due.commission, units)}"
            return f"pay {spelled(due.paid, units)}{less}, net {spelled(due.net, units)}"


def _why_paid(pack: RulePack, bet: Bet, due: Due) -> str:
    """Say the pay line that applied, and how what it comes to was rounded."""
    if due.kind != "pay":
        return due.line if due.kind == "push" else f"{bet.wager} lost"
    if ";" in due.line:
        # the line has been cut to what the bank holds: nothing was rounded
        return due.line
    units = pack.money.minor_units
    to, one = due.line.rsplit(" ", 1)[-1].split(":")
    exact = Fraction(bet.amount * int(to), int(one))
    parts = [due.line + _rounded(exact, due.paid, pack.money.rounding, pack.money.unit, units)]
    wager = pack.wager(bet.wager)
    if wager is not None and wager.commission and pack.commission.ratio[0]:
        owed = due.paid * Fraction(*pack.commission.ratio)
        rate = f"commission {float(100 * Fraction(*pack.commission.ratio)):g} % of winnings"
        rule = pack.commission
        parts.append(rate + _rounded(owed, due.commission, rule.rounding, rule.unit, units))
    return "; ".join(parts)


def _rounded(exact: Fraction, came: int, rounding: str, unit: int, units: int) -> str:
    """Say how an amount was rounded, where it was; ``exact`` is in minor units."""
    if exact == came:
        return ""
    amount = float(exact / 10**units)
    to = "" if unit == 1 else f" to whole {spelled(unit, units)}"
    return f", {amount:.{units + 2}f} rounded {rounding}{to} to {spelled(came, units)}"
