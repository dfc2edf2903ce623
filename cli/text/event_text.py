"""Sentences for all events, which can be understood without seeing the table."""

from collections.abc import Callable
from typing import Any, Final

from sabot.cli.text.bank_text import TELL_BANK
from sabot.cli.text.batch_text import TELL_CARDS
from sabot.cli.text.table_text import TELL_TABLE
from sabot.cli.text.words import Money, by, hand_of, in_coup, money
from sabot.domain import events as ev
from sabot.domain.events.labels import (
    burn_label,
    pass_label,
    post_label,
    request_label,
    shoe_end_label,
)
from sabot.domain.rules.labels import (
    hand_label,
    irregularity_label,
    ruling_label,
    wager_label,
)
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.values.cards import format_card
from sabot.domain.values.errors import BadRulePack

OUTCOMES: Final = {"P": "Player wins", "B": "Banker wins", "T": "tie"}


def describe(payload: ev.Event, minor_units: int = 2, currency: str = "") -> str:
    """Return an event as one line of text.

    ``minor_units`` is the number of decimals of the currency. Amounts name the currency if it is
    given. Names are unchanged from the record:
    the caller has to make the text safe for its output.
    """
    return _said(payload, lambda amount: f"{money(amount, minor_units)} {currency}".rstrip())


def _said(payload: ev.Event, m: Money) -> str:
    of_cards = TELL_CARDS.get(type(payload))
    return of_cards(payload) if of_cards is not None else _TELL[type(payload)](payload, m)


def currency_of(pack_text: str) -> tuple[int, str]:
    """Return the decimals of a pack's currency, by default 2, and its name, empty if unknown."""
    try:
        pack_money = parse_pack(pack_text).money
    except BadRulePack:
        return 2, ""
    return pack_money.minor_units, pack_money.currency


def _loaded(payload: ev.ShoeLoaded, _m: Money) -> str:
    try:
        pack = parse_pack(payload.pack)
        rules = f"under {pack.name} version {pack.version}"
    except BadRulePack:
        rules = "under a rule pack that cannot be read"
    where = f" at {payload.table}" if payload.table else ""
    return f"{payload.decks} decks loaded{where} {rules}"


_SHUFFLED: Final = {
    "hand": "",
    "machine": " with the shuffler",
    "continuous": " with the continuous shuffler",
}


def _shuffled(payload: ev.ShoeShuffled, _m: Money) -> str:
    how = _SHUFFLED[payload.method]
    serial = f" {payload.serial}" if payload.serial else ""
    turned = {None: "", True: ", half turned", False: ", none turned"}[payload.turned]
    return f"shuffled by {payload.by}{how}{serial}{turned}"


def _cut(payload: ev.ShoeCut, _m: Money) -> str:
    return f"cut by {payload.by}" + (
        "" if payload.depth is None else f", {payload.depth} from the front"
    )


def _burned(payload: ev.CardBurned, _m: Money) -> str:
    face = "face down" if payload.card is None else format_card(payload.card)
    why = "" if payload.reason == "opening" else f" ({burn_label(payload.reason)})"
    return f"burned {face}{why}{in_coup(payload.coup)}"


def _passed(payload: ev.ShoePassed, _m: Money) -> str:
    return f"{payload.by} gives up the shoe ({pass_label(payload.reason)})"


def _crew(payload: ev.CrewChanged, _m: Money) -> str:
    if payload.person is None:
        return f"the post of {post_label(payload.post)} is left empty"
    return f"{payload.person} takes the post of {post_label(payload.post)}"


def _limits(payload: ev.LimitsChanged, m: Money) -> str:
    said = ", ".join(limit_said(limit, m) for limit in payload.limits) or "none"
    return f"limits now {said}" + (" (not displayed)" if payload.displayed is False else "")


def limit_said(limit: ev.Limit, m: Money = money) -> str:
    """Return a limit as text: ``25.00-5,000.00``, with the wager if it has its own limit."""
    wager = f"{wager_label(limit.wager)} " if limit.wager else ""
    if limit.maximum == ev.MAX_INT:
        return f"{wager}{m(limit.minimum)} and more"
    least = m(limit.minimum).split()[0]  # the maximum names the currency
    return f"{wager}{least}-{m(limit.maximum)}"


def _request(payload: ev.RequestMade, _m: Money) -> str:
    answer = {None: "", True: ": granted", False: ": refused"}[payload.granted]
    detail = f" ({payload.detail})" if payload.detail else ""
    asks = f"{payload.patron} asks {request_label(payload.kind)}"
    return f"{asks}{detail}{answer}{in_coup(payload.coup)}"


def _opened(payload: ev.CoupOpened, _m: Money) -> str:
    return f"coup {payload.coup} opened" + (", a free hand" if payload.free else "")


def _placed(payload: ev.BetPlaced, m: Money) -> str:
    seat = f" at seat {payload.seat}" if payload.seat is not None else ""
    bet = f"{m(payload.amount)} on {wager_label(payload.wager)}"
    return f"{payload.patron}{seat} bets {bet} (bet {payload.bet})"


def _changed(payload: ev.BetChanged, m: Money) -> str:
    return f"bet {payload.bet} now stands at {m(payload.amount)}"


def _carried(payload: ev.BetCarried, m: Money) -> str:
    bet = f"{m(payload.amount)} on {wager_label(payload.wager)}"
    return f"{payload.patron}'s {bet} stays on the felt (bet {payload.bet})"


def _drawn(payload: ev.CardDrawn, _m: Money) -> str:
    place = f", card {payload.place} of the shoe" if payload.place is not None else ""
    back = ", back turned" if payload.back == "turned" else ""
    up = ", face up in the shoe" if payload.face_up else ""
    return f"{format_card(payload.card)} to {hand_of(payload.hand, payload.seat)}{place}{back}{up}"


def _turned(payload: ev.CardTurned, _m: Money) -> str:
    return f"card {payload.nth} of {hand_of(payload.hand, payload.seat)} turned"


def _offered(payload: ev.ShoeOffered, m: Money) -> str:
    at = f", with a bank of {m(payload.amount)}" if payload.amount is not None else ""
    return f"shoe offered to {payload.to}{at}"


def _totals(payload: ev.TotalsCalled, _m: Money) -> str:
    return f"called: Player {payload.player}, Banker {payload.banker}"


def _result(payload: ev.ResultCalled, _m: Money) -> str:
    sides = (("Player", payload.player), ("Banker", payload.banker))
    totals = [f"{side} {total}" for side, total in sides if total is not None]
    outcome = [OUTCOMES[payload.outcome]] if payload.outcome is not None else []
    return "called: " + (", ".join([*outcome, *totals]) or "nothing")


def _paid(payload: ev.BetPaid, m: Money) -> str:
    after = " after commission" if payload.after_commission else ""
    return f"bet {payload.bet} paid {m(payload.amount)}{after}"


def _collected(payload: ev.CommissionCollected, m: Money) -> str:
    bet = f" on bet {payload.bet}" if payload.bet is not None else ""
    return f"commission {m(payload.amount)} collected from {payload.patron}{bet}"


def _voided(payload: ev.CoupVoided, _m: Money) -> str:
    return (
        f"coup {payload.coup} voided"
        + by(payload.by)
        + (f": {payload.reason}" if payload.reason else "")
    )


def _cleared(payload: ev.CardsCleared, _m: Money) -> str:
    where = {None: "", True: ", covered", False: ", uncovered"}[payload.covered]
    return f"the cards of coup {payload.coup} go to the discards{where}"


def _irregular(payload: ev.IrregularityNoted, _m: Money) -> str:
    ruling = "" if payload.ruling == "none" else f"; ruling: {ruling_label(payload.ruling)}"
    detail = f": {payload.detail}" if payload.detail else ""
    kind = irregularity_label(payload.kind)
    said_by = f", by {payload.by}" if payload.by else ""
    return f"irregularity: {kind}{ruling}{said_by}{detail}{in_coup(payload.coup)}"


def _cut_card(payload: ev.CutCardReached, _m: Money) -> str:
    after = f" after {payload.drawn} cards" if payload.drawn is not None else ""
    return f"the cut card is out{after}{in_coup(payload.coup)}"


def _last(payload: ev.LastCoupCalled, _m: Money) -> str:
    return "last coup called" + (f": coup {payload.coup}" if payload.coup is not None else "")


def _ended(payload: ev.ShoeEnded, _m: Money) -> str:
    left = f", {payload.left} cards left" if payload.left is not None else ""
    counted = f", {payload.counted} counted" if payload.counted is not None else ""
    return f"the shoe is over ({shoe_end_label(payload.reason)}){left}{counted}"


def _corrected(payload: ev.EventCorrected, m: Money) -> str:
    instead = "it did not happen"
    if payload.instead is not None:
        instead = "instead: " + _said(payload.instead, m)
    what = f"event {payload.version} of its stream"
    return f"correction of {what}{by(payload.by)} ({payload.reason}): {instead}"


def _failed(payload: ev.ShufflerFailed, _m: Money) -> str:
    serial = f" {payload.serial}" if payload.serial else ""
    judged = {None: "", True: ", to somebody's disadvantage", False: ", to nobody's disadvantage"}
    fault = f": {payload.fault}" if payload.fault else ""
    return f"shuffler{serial} failed{fault}{judged[payload.disadvantage]}{in_coup(payload.coup)}"


_TELL: Final[dict[type, Callable[[Any, Money], str]]] = {
    **TELL_BANK,
    **TELL_TABLE,
    ev.ShoeLoaded: _loaded,
    ev.ShoeShuffled: _shuffled,
    ev.OrderCommitted: lambda x, _m: (
        f"card order of {x.cards} cards recorded as a hash before dealing (SHA-256)"
    ),
    ev.CutOffered: lambda x, _m: f"the cut is offered to {x.to}",
    ev.CutRefused: lambda x, _m: f"{x.by} declines the cut",
    ev.CutterNamed: lambda x, _m: f"{x.by} names {x.cutter}, who cuts",
    ev.ShoeCut: _cut,
    ev.StopCardPlaced: lambda x, _m: f"cut card placed, {x.behind} cards behind it",
    ev.CardBurned: _burned,
    ev.ShoeOffered: _offered,
    ev.ShoeTaken: lambda x, _m: f"{x.by} takes the shoe",
    ev.ShoeRefused: lambda x, _m: f"{x.by} declines the shoe",
    ev.ShoePassed: _passed,
    ev.PatronSeated: lambda x, _m: f"{x.patron} sits down at seat {x.seat}",
    ev.PatronMoved: lambda x, _m: f"{x.patron} moves to seat {x.seat}",
    ev.PatronLeft: lambda x, _m: f"{x.patron} leaves the table",
    ev.CrewChanged: _crew,
    ev.LimitsChanged: _limits,
    ev.RequestMade: _request,
    ev.CoupOpened: _opened,
    ev.BetPlaced: _placed,
    ev.BetChanged: _changed,
    ev.BetWithdrawn: lambda x, _m: f"bet {x.bet} withdrawn",
    ev.BetCarried: _carried,
    ev.NoMoreBets: lambda _x, _m: "no more bets",
    ev.CardDrawn: _drawn,
    ev.CardTurned: _turned,
    ev.CardReassigned: lambda x, _m: (
        f"{hand_label(x.hand)}'s last card goes to {hand_label(x.to)}" + by(x.by)
    ),
    ev.TotalsCalled: _totals,
    ev.ResultCalled: _result,
    ev.BetTaken: lambda x, m: f"bet {x.bet} taken: {m(x.amount)}",
    ev.BetPaid: _paid,
    ev.BetPushed: lambda x, _m: f"bet {x.bet} pushed",
    ev.CommissionMarked: lambda x, m: f"commission {m(x.amount)} marked on bet {x.bet}",
    ev.CommissionCollected: _collected,
    ev.CardsCleared: _cleared,
    ev.CoupClosed: lambda x, _m: f"coup {x.coup} closed",
    ev.CoupVoided: _voided,
    ev.BetAbandoned: lambda x, _m: f"bet {x.bet} is left on the table by its owner",
    ev.ShufflerFailed: _failed,
    ev.IrregularityNoted: _irregular,
    ev.CutCardReached: _cut_card,
    ev.LastCoupCalled: _last,
    ev.OrderOpened: lambda x, _m: f"card order of {len(x.order)} cards revealed",
    ev.ShoeEnded: _ended,
    ev.EventCorrected: _corrected,
}
