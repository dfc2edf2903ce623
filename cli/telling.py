"""Every fact in a sentence, as the pit would say it; and the felt behind it is not needed."""

from collections.abc import Callable
from typing import Any, Final

from cli.money import money
from cli.telling_cards import TELL_CARDS
from domain import facts as f
from domain.cards import pretty
from domain.errors import BadRulePack
from domain.facts import audit as a
from domain.facts import bank as k
from domain.rulepack import parse_pack

OUTCOMES: Final = {"P": "player wins", "B": "banker wins", "T": "tie"}


def tell(fact: f.Fact, minor_units: int = 2) -> str:
    """Say a fact in one line.

    ``minor_units`` is how many decimals the currency has. The text holds names as the record
    has them: whoever shows it makes it safe for where it is shown.
    """
    return _said(fact, lambda amount: money(amount, minor_units))


_Money = Callable[[int], str]


def _said(fact: f.Fact, m: _Money) -> str:
    of_cards = TELL_CARDS.get(type(fact))
    return of_cards(fact) if of_cards is not None else _TELL[type(fact)](fact, m)


def minor_units_of(pack_text: str) -> int:
    """Return how many decimals a pack's money has; 2 where the pack cannot be read."""
    try:
        return parse_pack(pack_text).money.minor_units
    except BadRulePack:
        return 2


def _loaded(fact: f.ShoeLoaded, _m: _Money) -> str:
    try:
        pack = parse_pack(fact.pack)
        rules = f"under {pack.name} {pack.version}"
    except BadRulePack:
        rules = "under a rule pack that cannot be read"
    where = f" at {fact.table}" if fact.table else ""
    return f"{fact.decks} decks loaded{where} {rules}"


def _shuffled(fact: f.ShoeShuffled, _m: _Money) -> str:
    how = "" if fact.method == "hand" else f" by {fact.method} shuffler"
    serial = f" {fact.serial}" if fact.serial else ""
    turned = {None: "", True: ", half turned", False: ", none turned"}[fact.turned]
    return f"shuffled{how}{serial}, {fact.by}{turned}"


def _cut(fact: f.ShoeCut, _m: _Money) -> str:
    return f"cut by {fact.by}" + ("" if fact.depth is None else f", {fact.depth} from the front")


def _burned(fact: f.CardBurned, _m: _Money) -> str:
    face = "face down" if fact.card is None else pretty(fact.card)
    why = "" if fact.reason == "opening" else f" ({fact.reason})"
    return f"burned {face}{why}{_of(fact.coup)}"


def _passed(fact: f.ShoePassed, _m: _Money) -> str:
    return f"{fact.by} gives up the shoe ({fact.reason})"


def _crew(fact: f.CrewChanged, _m: _Money) -> str:
    if fact.person is None:
        return f"{fact.post} leaves the post empty"
    return f"{fact.person} takes the post of {fact.post}"


def _limits(fact: f.LimitsChanged, m: _Money) -> str:
    said = ", ".join(limit_said(limit, m) for limit in fact.limits) or "none"
    return f"limits now {said}" + (" (not displayed)" if fact.displayed is False else "")


def limit_said(limit: f.Limit, m: _Money = money) -> str:
    """Say a limit: ``25.00-5,000.00``, with the wager where it has its own."""
    wager = f"{limit.wager} " if limit.wager else ""
    if limit.maximum == f.MAX_INT:
        return f"{wager}{m(limit.minimum)} and more"
    return f"{wager}{m(limit.minimum)}-{m(limit.maximum)}"


def _request(fact: f.RequestMade, _m: _Money) -> str:
    answer = {None: "", True: ": granted", False: ": refused"}[fact.granted]
    detail = f" ({fact.detail})" if fact.detail else ""
    return f"{fact.patron} asks: {fact.kind}{detail}{answer}{_of(fact.coup)}"


def _opened(fact: f.CoupOpened, _m: _Money) -> str:
    return f"coup {fact.coup} opened" + (", a free hand" if fact.free else "")


def _placed(fact: f.BetPlaced, m: _Money) -> str:
    seat = f" at seat {fact.seat}" if fact.seat is not None else ""
    return f"{fact.patron}{seat} bets {m(fact.amount)} on {fact.wager} (bet {fact.bet})"


def _changed(fact: f.BetChanged, m: _Money) -> str:
    return f"bet {fact.bet} now stands at {m(fact.amount)}"


def _carried(fact: f.BetCarried, m: _Money) -> str:
    bet = f"{m(fact.amount)} on {fact.wager}"
    return f"{fact.patron}'s {bet} stays after the tie (bet {fact.bet})"


def _drawn(fact: f.CardDrawn, _m: _Money) -> str:
    place = f", card {fact.place} of the shoe" if fact.place is not None else ""
    back = ", back turned" if fact.back == "turned" else ""
    up = ", face up in the shoe" if fact.face_up else ""
    return f"{pretty(fact.card)} to {_hand(fact.hand, fact.seat)}{place}{back}{up}"


def _turned(fact: f.CardTurned, _m: _Money) -> str:
    return f"card {fact.nth} of {_hand(fact.hand, fact.seat)} turned"


def _hand(hand: f.Hand, seat: int | None) -> str:
    return hand if seat is None else f"{hand} at seat {seat}"


def _offered(fact: f.ShoeOffered, m: _Money) -> str:
    at = f", who matches a bank of {m(fact.amount)}" if fact.amount is not None else ""
    return f"shoe offered to {fact.to}{at}"


def _funds(fact: k.FundsProven, m: _Money) -> str:
    where = f", held at {fact.held_at}" if fact.held_at else ""
    return f"{fact.by} proves that he can pay {m(fact.amount)}{where}"


def _banco(fact: k.BancoCalled, _m: _Money) -> str:
    on = {None: "", "both": " à cheval"}.get(fact.on, f" on the {fact.on}")
    return f"{fact.patron} goes banco{' suivi' if fact.suivi else ''}{on}"


def _chosen(fact: k.ChoiceMade, _m: _Money) -> str:
    does = "draws" if fact.choice == "draw" else "stands"
    return f"{_hand(fact.hand, fact.seat)} {does}" + _by(fact.by)


def _hands_called(fact: k.HandsCalled, _m: _Money) -> str:
    said = [f"{_hand(each.hand, each.seat)} {each.total}" for each in fact.totals]
    return "called: " + (", ".join(said) or "nothing")


def _levy(fact: k.LevyTaken, m: _Money) -> str:
    ticket = f", ticket {fact.ticket}" if fact.ticket else ""
    return f"levy of {m(fact.amount)} taken from the bank{ticket}"


def _tickets(fact: k.TicketsDetached, m: _Money) -> str:
    serials = f": {', '.join(fact.tickets)}" if fact.tickets else ""
    return f"tickets for {m(fact.amount)} detached{serials}"


def _totals(fact: f.TotalsCalled, _m: _Money) -> str:
    return f"called: player {fact.player}, banker {fact.banker}"


def _result(fact: f.ResultCalled, _m: _Money) -> str:
    sides = (("player", fact.player), ("banker", fact.banker))
    totals = [f"{side} {total}" for side, total in sides if total is not None]
    outcome = [OUTCOMES[fact.outcome]] if fact.outcome is not None else []
    return "called: " + (", ".join([*outcome, *totals]) or "nothing")


def _paid(fact: f.BetPaid, m: _Money) -> str:
    after = " after commission" if fact.after_commission else ""
    return f"bet {fact.bet} paid {m(fact.amount)}{after}"


def _collected(fact: f.CommissionCollected, m: _Money) -> str:
    bet = f" on bet {fact.bet}" if fact.bet is not None else ""
    return f"commission {m(fact.amount)} collected from {fact.patron}{bet}"


def _voided(fact: f.CoupVoided, _m: _Money) -> str:
    return f"coup {fact.coup} voided" + _by(fact.by) + (f": {fact.reason}" if fact.reason else "")


def _cleared(fact: f.CardsCleared, _m: _Money) -> str:
    where = {None: "", True: ", covered", False: ", uncovered"}[fact.covered]
    return f"the cards of coup {fact.coup} go to the discards{where}"


def _irregular(fact: f.IrregularityNoted, _m: _Money) -> str:
    ruling = "" if fact.ruling == "none" else f", ruling {fact.ruling}"
    detail = f": {fact.detail}" if fact.detail else ""
    return f"irregularity: {fact.kind}{ruling}{_by(fact.by)}{detail}{_of(fact.coup)}"


def _cut_card(fact: f.CutCardReached, _m: _Money) -> str:
    after = f" after {fact.drawn} cards" if fact.drawn is not None else ""
    return f"the cut card is out{after}{_of(fact.coup)}"


def _last(fact: f.LastCoupCalled, _m: _Money) -> str:
    return "last coup called" + (f": coup {fact.coup}" if fact.coup is not None else "")


def _ended(fact: f.ShoeEnded, _m: _Money) -> str:
    left = f", {fact.left} cards left" if fact.left is not None else ""
    counted = f", {fact.counted} counted" if fact.counted is not None else ""
    return f"the shoe is over ({fact.reason}){left}{counted}"


def _table_opened(fact: f.TableOpened, m: _Money) -> str:
    return f"table opened with {m(fact.inventory)}" + (f" {fact.currency}" if fact.currency else "")


def _adopted(fact: f.RulePackAdopted, _m: _Money) -> str:
    approved = f", approved by {fact.approved_by}" if fact.approved_by else ""
    number = f" ({fact.approval})" if fact.approval else ""
    outside = f", by {fact.authority}{number}" if fact.authority or number else ""
    noticed = f", told of it on {fact.noticed}" if fact.noticed else ""
    return f"rule pack {fact.pack} {fact.version} adopted{approved}{outside}{noticed}"


def _filled(fact: f.TableFilled, m: _Money) -> str:
    return f"fill of {m(fact.amount)}{_slip(fact.slip)}"


def _credit(fact: f.CreditSent, m: _Money) -> str:
    return f"credit of {m(fact.amount)}{_slip(fact.slip)}"


def _drop(fact: f.DropCounted, m: _Money) -> str:
    return f"drop of {m(fact.amount)} counted{_by(fact.by)}"


def _corrected(fact: f.FactCorrected, m: _Money) -> str:
    instead = "it did not happen"
    if fact.instead is not None:
        instead = "instead: " + _said(fact.instead, m)
    return f"correction of version {fact.version}{_by(fact.by)} ({fact.reason}): {instead}"


def _kept(fact: f.AbandonedKept, m: _Money) -> str:
    where = f"bet {fact.bet} of shoe {fact.shoe}, coup {fact.coup}"
    return f"{m(fact.amount)} of {where} kept for its owner, slip {fact.slip}{_by(fact.by)}"


def _failed(fact: f.ShufflerFailed, _m: _Money) -> str:
    serial = f" {fact.serial}" if fact.serial else ""
    judged = {None: "", True: ", to somebody's disadvantage", False: ", to nobody's disadvantage"}
    fault = f": {fact.fault}" if fact.fault else ""
    return f"shuffler{serial} failed{fault}{judged[fact.disadvantage]}{_of(fact.coup)}"


def _of(coup: int | None) -> str:
    return f", in coup {coup}" if coup is not None else ""


def _by(person: str | None) -> str:
    return f" by {person}" if person else ""


def _slip(slip: str | None) -> str:
    return f", slip {slip}" if slip else ""


def _of_finding(fact: a.FindingFact, what: str) -> str:
    where = f"shoe {fact.shoe}{_of(fact.coup)}"
    note = f": {fact.note}" if fact.note else ""
    return f"{fact.by} {what} finding {fact.finding[:12]}, {fact.code}, {where}{note}"


def _audit_run(fact: a.AuditRun, _m: _Money) -> str:
    found = sum(each.findings for each in fact.counts) or "no"
    return (
        f"{fact.by} audited {fact.shoes} shoes, {fact.coups} coups, up to event "
        f"{fact.last_index}: {found} findings"
    )


_TELL: Final[dict[type, Callable[[Any, _Money], str]]] = {
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
    f.CardReassigned: lambda x, _m: f"{x.hand}'s last card goes to {x.to}" + _by(x.by),
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
    f.TableOpened: _table_opened,
    f.RulePackAdopted: _adopted,
    f.ChipsBought: lambda x, m: f"{x.patron} buys chips for {m(x.amount)}",
    f.TableFilled: _filled,
    f.CreditSent: _credit,
    f.DropCounted: _drop,
    f.AbandonedKept: _kept,
    f.AbandonedClaimed: lambda x, m: f"{x.to} gets {m(x.amount)} of slip {x.slip}{_by(x.by)}",
    f.TableClosed: lambda x, m: f"table closed with {m(x.inventory)}",
    f.FactCorrected: _corrected,
    k.BankBid: lambda x, m: f"{x.by} bids {m(x.amount)} for the bank",
    k.BankListed: lambda x, _m: f"{x.by} puts his name down for the bank",
    k.FundsProven: _funds,
    k.SessionCalled: lambda x, _m: f"session {x.session} of {x.day}, shoe {x.shoe} of it",
    k.BankPosted: lambda x, m: f"{x.by} puts up a bank of {m(x.amount)}",
    k.BankRaised: lambda x, m: f"{x.by} adds {m(x.amount)} to the bank",
    k.BankWithdrawn: lambda x, m: f"{x.by} takes {m(x.amount)} out of the bank",
    k.BankCalled: lambda x, m: f"called: {m(x.amount)} in the bank",
    k.BankUnlimited: lambda x, _m: f"{x.by} holds every stake: the bank has no limit from now on",
    k.BancoCalled: _banco,
    k.ExcessReturned: lambda x, m: f"{m(x.amount)} of bet {x.bet} returned: beyond the bank",
    k.HandGiven: lambda x, _m: f"{x.to} plays the {x.hand} hand",
    k.ChoiceMade: _chosen,
    k.CardRejected: lambda x, _m: f"{_hand(x.hand, x.seat)} rejects the card",
    k.HandsCalled: _hands_called,
    k.LevyTaken: _levy,
    k.LevyAnnounced: lambda x, m: f"levy of {m(x.amount)} announced, and set apart",
    k.TicketsDetached: _tickets,
    k.TicketsTorn: lambda _x, _m: "tickets of the levy torn",
    a.FindingAcknowledged: lambda x, _m: _of_finding(x, "acknowledged"),
    a.FindingCommented: lambda x, _m: _of_finding(x, "commented"),
    a.FindingDisputed: lambda x, _m: _of_finding(x, "disputed"),
    a.FindingResolved: lambda x, _m: _of_finding(x, f"resolved ({x.outcome})"),
    a.AuditRun: _audit_run,
}
