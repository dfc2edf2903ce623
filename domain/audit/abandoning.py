"""Rules of abandoned bets: stake and winnings are kept until their owner is found."""

from functools import partial

from domain.audit.floor import Abandoned, ShoeTrace, TableView
from domain.audit.rule import Answer, Breach, Rule
from domain.audit.wording import money
from domain.event import Event
from domain.facts import AbandonedClaimed, AbandonedKept
from domain.money import spelled

_CITES = ("field-facts.md 3 A26", "arrêté of 14 May 2007, art. 41")
_NOT_SAID = "the pack does not say what becomes of abandoned bets"
_NONE = "no bet was abandoned"
_Kept = list[tuple[Event, AbandonedKept]]


def _kept(view: TableView) -> _Kept:
    return [(e, e.fact) for e in view.table.kept if isinstance(e.fact, AbandonedKept)]


def _keeps(shoe: ShoeTrace) -> bool:
    return shoe.pack is not None and shoe.pack.abandoned_bets == "kept"


def _left(view: TableView) -> list[tuple[ShoeTrace, Abandoned]]:
    return [(shoe, bet) for shoe in view.shoes if _keeps(shoe) for bet in shoe.abandoned]


def _is_of(fact: AbandonedKept, shoe: ShoeTrace, bet: Abandoned) -> bool:
    return (fact.shoe, fact.coup, fact.bet) == (shoe.name, bet.coup, bet.bet)


def _not_kept(view: TableView) -> Answer:
    if not any(map(_keeps, view.shoes)):
        return _NOT_SAID if view.shoes else "no shoe was dealt at the table"
    left = _left(view)
    if not left:
        return _NONE
    kept = _kept(view)
    return tuple(
        Breach(
            f"bet {bet.bet} of {bet.patron} was abandoned, and nobody kept what lay there",
            f"{money(shoe, bet.amount)} kept for its owner",
            "not kept when the shoe had ended",
            (bet.event,),
            bet.coup,
            money=((bet.patron, -bet.amount),),
            patron=bet.patron,
            shoe=shoe.name,
            key=("bet", shoe.name, bet.coup, bet.bet),
        )
        for shoe, bet in left
        if bet.amount
        and shoe.ended is not None
        and not any(_is_of(fact, shoe, bet) for _, fact in kept)
    )


def _kept_wrong(view: TableView) -> Answer:
    if not any(map(_keeps, view.shoes)):
        return _NOT_SAID if view.shoes else "no shoe was dealt at the table"
    kept = _kept(view)
    if not kept:
        return "nothing was kept for its owner"
    breaches = []
    for event, fact in kept:
        shoe = next((shoe for shoe in view.shoes if shoe.name == fact.shoe), None)
        if shoe is None:
            continue
        bet = next((bet for bet in shoe.abandoned if _is_of(fact, shoe, bet)), None)
        due = bet.amount if bet is not None else 0
        if fact.amount != due:
            breaches.append(
                Breach(
                    f"{money(shoe, fact.amount)} was kept of an abandoned bet that came to "
                    f"{money(shoe, due)}",
                    f"{money(shoe, due)}: the stake and what it won",
                    money(shoe, fact.amount),
                    (event, *((bet.event,) if bet is not None else ())),
                    fact.coup,
                    money=((bet.patron, fact.amount - due),) if bet is not None else None,
                    patron=bet.patron if bet is not None else None,
                    shoe=shoe.name,
                    key=("slip", fact.slip),
                )
            )
    return tuple(breaches)


def _paid_out(view: TableView) -> Answer:
    claims = [(e, e.fact) for e in view.table.claimed if isinstance(e.fact, AbandonedClaimed)]
    if not claims:
        return "nobody claimed abandoned money"
    kept = _kept(view)
    shoe = next(iter(view.shoes), None)
    said = partial(money, shoe) if shoe is not None else spelled
    breaches: list[Breach] = []
    out: dict[str, int] = {}
    for event, fact in claims:
        mine = [(e, each) for e, each in kept if each.slip == fact.slip]
        rest = sum(each.amount for _, each in mine) - out.get(fact.slip, 0)
        out[fact.slip] = out.get(fact.slip, 0) + fact.amount
        owner = _owner(view, mine)
        if fact.amount != rest or (owner is not None and owner != fact.to):
            breaches.append(
                Breach(
                    f"{fact.to} got {said(fact.amount)} of slip {fact.slip}",
                    f"{said(rest)} to {owner or 'its owner'}",
                    f"{said(fact.amount)} to {fact.to}",
                    (event, *(e for e, _ in mine)),
                    patron=fact.to,
                    money=((fact.to, fact.amount - (rest if owner in (None, fact.to) else 0)),),
                    shoe=mine[0][1].shoe if mine else None,
                    key=("claim", event.version),
                )
            )
    return tuple(breaches)


def _owner(view: TableView, kept: _Kept) -> str | None:
    """Return whose bet it was; None where the record does not know."""
    for _, fact in kept:
        for shoe in view.shoes:
            for bet in shoe.abandoned:
                if _is_of(fact, shoe, bet):
                    return bet.patron
    return None


RULES = (
    Rule(
        "abandoned-bet-was-not-kept",
        "procedure",
        "high",
        "What a patron left on the felt is his: it is put by, under a slip.",
        _CITES,
        on_table=_not_kept,
    ),
    Rule(
        "abandoned-bet-was-kept-wrong",
        "payout",
        "high",
        "An abandoned bet comes to its stake and what it won until it was found.",
        _CITES,
        on_table=_kept_wrong,
    ),
    Rule(
        "abandoned-money-was-paid-out-wrong",
        "payout",
        "high",
        "What was kept goes to its owner, all of it, once.",
        _CITES,
        on_table=_paid_out,
    ),
)
