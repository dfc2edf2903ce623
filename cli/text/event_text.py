"""Every fact in a sentence, as the pit would say it; and the felt behind it is not needed."""

from collections.abc import Callable
from typing import Any, Final

from sabot.cli.text.bank_text import TELL_BANK
from sabot.cli.text.batch_text import TELL_CARDS
from sabot.cli.text.table_text import TELL_TABLE
from sabot.cli.text.words import Money, by, hand_of, in_coup, money
from sabot.domain import events as f
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.values.cards import pretty
from sabot.domain.values.errors import BadRulePack

OUTCOMES: Final = {"P": "player wins", "B": "banker wins", "T": "tie"}


def tell(fact: f.Fact, minor_units: int = 2) -> str:
    """Say a fact in one line.

    ``minor_units`` is how many decimals the currency has. The text holds names as the record
    has them: whoever shows it makes it safe for where it is shown.
    """
    return _said(fact, lambda amount: money(amount, minor_units))


def _said(fact: f.Fact, m: Money) -> str:
    of_cards = TELL_CARDS.get(type(fact))
    return of_cards(fact) if of_cards is not None else _TELL[type(fact)](fact, m)


def minor_units_of(pack_text: str) -> int:
    """Return how many decimals a pack's money has; 2 where the pack cannot be read."""
    try:
        return parse_pack(pack_text).money.minor_units
    except BadRulePack:
        return 2


def _loaded(fact: f.ShoeLoaded, _m: Money) -> str:
    try:
        pack = parse_pack(fact.pack)
        rules = f"under {pack.name} {pack.version}"
    except BadRulePack:
        rules = "under a rule pack that cannot be read"
    where = f" at {fact.table}" if fact.table else ""
    return f"{fact.decks} decks loaded{where} {rules}"


def _shuffled(fact: f.ShoeShuffled, _m: Money) -> str:
    how = "" if fact.method == "hand" else f" by {fact.method} shuffler"
    serial = f" {fact.serial}" if fact.serial else ""
    turned = {None: "", True: ", half turned", False: ", none turned"}[fact.turned]
    return f"shuffled{how}{serial}, {fact.by}{turned}"


def _cut(fact: f.ShoeCut, _m: Money) -> str:
    return f"cut by {fact.by}" + ("" if fact.depth is None else f", {fact.depth} from the front")


def _burned(fact: f.CardBurned, _m: Money) -> str:
    face = "face down" if fact.card is None else pretty(fact.card)
    why = "" if fact.reason == "opening" else f" ({fact.reason})"
    return f"burned {face}{why}{in_coup(fact.coup)}"


def _passed(fact: f.ShoePassed, _m: Money) -> str:
    return f"{fact.by} gives up the shoe ({fact.reason})"


def _crew(fact: f.CrewChanged, _m: Money) -> str:
    if fact.person is None:
        return f"{fact.post} leaves the post empty"
    return f"{fact.person} takes the post of {fact.post}"


def _limits(fact: f.LimitsChanged, m: Money) -> str:
    said = ", ".join(limit_said(limit, m) for limit in fact.limits) or "none"
    return f"limits now {said}" + (" (not displayed)" if fact.displayed is False else "")


def limit_said(limit: f.Limit, m: Money = money) -> str:
    """Say a limit: ``25.00-5,000.00``, with the wager where it has its own."""
    wager = f"{limit.wager} " if limit.wager else ""
    if limit.maximum == f.MAX_INT:
        return f"{wager}{m(limit.minimum)} and more"
    return f"{wager}{m(limit.minimum)}-{m(limit.maximum)}"


def _request(fact: f.RequestMade, _m: Money) -> str:
    answer = {None: "", True: ": granted", False: ": refused"}[fact.granted]
    detail = f" ({fact.detail})" if fact.detail else ""
    return f"{fact.patron} asks: {fact.kind}{detail}{answer}{in_coup(fact.coup)}"


def _opened(fact: f.CoupOpened, _m: Money) -> str:
    return f"coup {fact.coup} opened" + (", a free hand" if fact.free else "")


def _placed(fact: f.BetPlaced, m: Money) -> str:
    seat = f" at seat {fact.seat}" if fact.seat is not None else ""
    return f"{fact.patron}{seat} bets {m(fact.amount)} on {fact.wager} (bet {fact.bet})"


def _changed(fact: f.BetChanged, m: Money) -> str:
    return f"bet {fact.bet} now stands at {m(fact.amount)}"


def _carried(fact: f.BetCarried, m: Money) -> str:
    bet = f"{m(fact.amount)} on {fact.wager}"
    return f"{fact.patron}'s {bet} stays on the felt (bet {fact.bet})"


def _drawn(fact: f.CardDrawn, _m: Money) -> str:
    place = f", card {fact.place} of the shoe" if fact.place is not None else ""
    back = ", back turned" if fact.back == "turned" else ""
    up = ", face up in the shoe" if fact.face_up else ""
    return f"{pretty(fact.card)} to {hand_of(fact.hand, fact.seat)}{place}{back}{up}"


def _turned(fact: f.CardTurned, _m: Money) -> str:
    return f"card {fact.nth} of {hand_of(fact.hand, fact.seat)} turned"


def _offered(fact: f.ShoeOffered, m: Money) -> str:
    at = f", with a bank of {m(fact.amount)}" if fact.amount is not None else ""
    return f"shoe offered to {fact.to}{at}"


def _totals(fact: f.TotalsCalled, _m: Money) -> str:
    return f"called: player {fact.player}, banker {fact.banker}"


def _result(fact: f.ResultCalled, _m: Money) -> str:
    sides = (("player", fact.player), ("banker", fact.banker))
    totals = [f"{side} {total}" for side, total in sides if total is not None]
    outcome = [OUTCOMES[fact.outcome]] if fact.outcome is not None else []
    return "called: " + (", ".join([*outcome, *totals]) or "nothing")


def _paid(fact: f.BetPaid, m: Money) -> str:
    after = " after commission" if fact.after_commission else ""
    return f"bet {fact.bet} paid {m(fact.amount)}{after}"


def _collected(fact: f.CommissionCollected, m: Money) -> str:
    bet = f" on bet {fact.bet}" if fact.bet is not None else ""
    return f"commission {m(fact.amount)} collected from {fact.patron}{bet}"


def _voided(fact: f.CoupVoided, _m: Money) -> str:
    return f"coup {fact.coup} voided" + by(fact.by) + (f": {fact.reason}" if fact.reason else "")


def _cleared(fact: f.CardsCleared, _m: Money) -> str:
    where = {None: "", True: ", covered", False: ", uncovered"}[fact.covered]
    return f"the cards of coup {fact.coup} go to the discards{where}"


def _irregular(fact: f.IrregularityNoted, _m: Money) -> str:
    ruling = "" if fact.ruling == "none" else f", ruling {fact.ruling}"
    detail = f": {fact.detail}" if fact.detail else ""
    return f"irregularity: {fact.kind}{ruling}{by(fact.by)}{detail}{in_coup(fact.coup)}"


def _cut_card(fact: f.CutCardReached, _m: Money) -> str:
    after = f" after {fact.drawn} cards" if fact.drawn is not None else ""
    return f"the cut card is out{after}{in_coup(fact.coup)}"


def _last(fact: f.LastCoupCalled, _m: Money) -> str:
    return "last coup called" + (f": coup {fact.coup}" if fact.coup is not None else "")


def _ended(fact: f.ShoeEnded, _m: Money) -> str:
    left = f", {fact.left} cards left" if fact.left is not None else ""
    counted = f", {fact.counted} counted" if fact.counted is not None else ""
    return f"the shoe is over ({fact.reason}){left}{counted}"


def _corrected(fact: f.FactCorrected, m: Money) -> str:
    instead = "it did not happen"
    if fact.instead is not None:
        instead = "instead: " + _said(fact.instead, m)
    return f"correction of version {fact.version}{by(fact.by)} ({fact.reason}): {instead}"


def _failed(fact: f.ShufflerFailed, _m: Money) -> str:
    serial = f" {fact.serial}" if fact.serial else ""
    judged = {None: "", True: ", to somebody's disadvantage", False: ", to nobody's disadvantage"}
    fault = f": {fact.fault}" if fact.fault else ""
    return f"shuffler{serial} failed{fault}{judged[fact.disadvantage]}{in_coup(fact.coup)}"


_TELL: Final[dict[type, Callable[[Any, Money], str]]] = {
    **TELL_BANK,
    **TELL_TABLE,
    f.ShoeLoaded: _loaded,
    f.ShoeShuffled: _shuffled,
    f.OrderCommitted: lambda x, _m: f"the order of {x.cards} cards is bound by a hash",
    f.CutOffered: lambda x, _m: f"the cut is offered to {x.to}",
    f.CutRefused: lambda x, _m: f"{x.by} lets the cut go by",
    f.CutterNamed: lambda x, _m: f"{x.by} names {x.cutter}, who cuts",
    f.ShoeCut: _cut,
    f.StopCardPlaced: lambda x, _m: f"cut card placed, {x.behind} cards behind it",
    f.CardBurned: _burned,
    f.ShoeOffered: _offered,
    f.ShoeTaken: lambda x, _m: f"{x.by} takes the shoe",
    f.ShoeRefused: lambda x, _m: f"{x.by} lets the shoe go by",
    f.ShoePassed: _passed,
    f.PatronSeated: lambda x, _m: f"{x.patron} sits down at seat {x.seat}",
    f.PatronMoved: lambda x, _m: f"{x.patron} moves to seat {x.seat}",
    f.PatronLeft: lambda x, _m: f"{x.patron} leaves the table",
    f.CrewChanged: _crew,
    f.LimitsChanged: _limits,
    f.RequestMade: _request,
    f.CoupOpened: _opened,
    f.BetPlaced: _placed,
    f.BetChanged: _changed,
    f.BetWithdrawn: lambda x, _m: f"bet {x.bet} withdrawn",
    f.BetCarried: _carried,
    f.NoMoreBets: lambda _x, _m: "no more bets",
    f.CardDrawn: _drawn,
    f.CardTurned: _turned,
    f.CardReassigned: lambda x, _m: f"{x.hand}'s last card goes to {x.to}" + by(x.by),
    f.TotalsCalled: _totals,
    f.ResultCalled: _result,
    f.BetTaken: lambda x, m: f"bet {x.bet} taken: {m(x.amount)}",
    f.BetPaid: _paid,
    f.BetPushed: lambda x, _m: f"bet {x.bet} pushed",
    f.CommissionMarked: lambda x, m: f"commission {m(x.amount)} marked on bet {x.bet}",
    f.CommissionCollected: _collected,
    f.CardsCleared: _cleared,
    f.CoupClosed: lambda x, _m: f"coup {x.coup} closed",
    f.CoupVoided: _voided,
    f.BetAbandoned: lambda x, _m: f"bet {x.bet} is left on the felt, and nobody takes it up",
    f.ShufflerFailed: _failed,
    f.IrregularityNoted: _irregular,
    f.CutCardReached: _cut_card,
    f.LastCoupCalled: _last,
    f.OrderOpened: lambda x, _m: f"the bound order of {len(x.order)} cards is opened",
    f.ShoeEnded: _ended,
    f.FactCorrected: _corrected,
}
