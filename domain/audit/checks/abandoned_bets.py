"""Rules of abandoned bets: stake and winnings are kept until their owner is found."""

from functools import partial

from sabot.domain.audit.findings import told
from sabot.domain.audit.floor_view import Abandoned, ShoeSummary, TableView
from sabot.domain.audit.rule import Answer, Breach, Doubt, Rule
from sabot.domain.audit.wording import money
from sabot.domain.events import AbandonedKept
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.values.money import spelled

_CITES = ("field-facts.md 3 A26", "arrêté of 14 May 2007, art. 41")
_NOT_SAID = "the pack does not say what becomes of abandoned bets"
_NONE = "no bet was abandoned"
_Kept = list[tuple[RecordedEvent, AbandonedKept]]


def _kept(view: TableView) -> _Kept:
    return [(e, e.payload) for e in view.table.kept]


def _keeps(shoe: ShoeSummary) -> bool:
    return shoe.pack is not None and shoe.pack.abandoned_bets == "kept"


def _left(view: TableView) -> list[tuple[ShoeSummary, Abandoned]]:
    return [(shoe, bet) for shoe in view.shoes if _keeps(shoe) for bet in shoe.abandoned]


def _is_of(payload: AbandonedKept, shoe: ShoeSummary, bet: Abandoned) -> bool:
    return (payload.shoe, payload.coup, payload.bet) == (shoe.name, bet.coup, bet.bet)


def _not_kept(view: TableView) -> Answer:
    if not any(map(_keeps, view.shoes)):
        return _NOT_SAID if view.shoes else "no shoe was dealt at the table"
    left = _left(view)
    if not left:
        return _NONE
    kept = [event.payload for table in view.floor.tables.values() for event in table.kept]
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
        and not any(_is_of(payload, shoe, bet) for payload in kept)
    )


def _kept_wrong(view: TableView) -> Answer:
    if not any(map(_keeps, view.shoes)):
        return _NOT_SAID if view.shoes else "no shoe was dealt at the table"
    slips = _by_bet(view)
    if not slips:
        return "nothing was kept for its owner"
    answer: list[Breach | Doubt] = []
    for (name, coup, number), kept in slips.items():
        shoe = next((shoe for shoe in view.floor.shoes if shoe.name == name), None)
        if shoe is None:
            answer.append(Doubt(f"shoe {name}, of which a bet was kept, is not on record"))
            continue
        bet = next((b for b in shoe.abandoned if (b.coup, b.bet) == (coup, number)), None)
        due = bet.amount if bet is not None else 0
        if sum(payload.amount for _, payload in kept) != due:
            answer.append(_kept_of(shoe, bet, kept))
    unjudged = [str(each.reason) for each in answer if isinstance(each, Doubt)]
    return unjudged[0] if len(unjudged) == len(slips) else tuple(answer)


def _by_bet(view: TableView) -> dict[tuple[str, int, int], _Kept]:
    """Return what was kept, by the bet that it was kept of: there may be more than one slip."""
    slips: dict[tuple[str, int, int], _Kept] = {}
    for event, payload in _kept(view):
        slips.setdefault((payload.shoe, payload.coup, payload.bet), []).append((event, payload))
    return slips


def _kept_of(shoe: ShoeSummary, bet: Abandoned | None, kept: _Kept) -> Breach:
    """Say that what was kept of a bet, in all, is not what lay there."""
    due = bet.amount if bet is not None else 0
    amount = sum(payload.amount for _, payload in kept)
    (*_, (event, last)) = kept
    shown = money(shoe, amount)
    if len(kept) > 1:
        shown += f" under slips {', '.join(payload.slip for _, payload in kept)}"
    return Breach(
        f"{money(shoe, amount)} was kept of an abandoned bet that came to {money(shoe, due)}",
        f"{money(shoe, due)}: the stake and what it won",
        shown,
        (event, *(each for each, _ in kept[:-1]), *((bet.event,) if bet is not None else ())),
        last.coup,
        money=((bet.patron, amount - due),)
        if bet is not None
        else "whose it is that was kept is not known: no such bet was abandoned",
        patron=bet.patron if bet is not None else None,
        shoe=shoe.name,
        key=("slip", last.slip),
    )


def _paid_out(view: TableView) -> Answer:
    claims = [(e, e.payload) for e in view.table.claimed]
    if not claims:
        return "nobody claimed abandoned money"
    kept = _kept(view)
    shoe = next(iter(view.shoes), None)
    said = partial(money, shoe) if shoe is not None else spelled
    breaches: list[Breach] = []
    out: dict[str, int] = {}
    for event, payload in claims:
        mine = [(e, each) for e, each in kept if each.slip == payload.slip]
        rest = sum(each.amount for _, each in mine) - out.get(payload.slip, 0)
        out[payload.slip] = out.get(payload.slip, 0) + payload.amount
        owner = _owner(view, mine)
        if payload.amount != rest or (owner is not None and owner != payload.to):
            breaches.append(
                Breach(
                    f"{payload.to} got {said(payload.amount)} of slip {payload.slip}",
                    f"{said(rest)} to {owner or 'its owner'}",
                    f"{said(payload.amount)} to {payload.to}",
                    (event, *(e for e, _ in mine)),
                    patron=payload.to,
                    money=(
                        (payload.to, payload.amount - (rest if owner in (None, payload.to) else 0)),
                    ),
                    shoe=mine[0][1].shoe if mine else None,
                    key=told(event, view.table.history),
                )
            )
    return tuple(breaches)


def _owner(view: TableView, kept: _Kept) -> str | None:
    """Return whose bet it was; None where the record does not know."""
    for _, payload in kept:
        for shoe in view.shoes:
            for bet in shoe.abandoned:
                if _is_of(payload, shoe, bet):
                    return bet.patron
    return None


RULES = (
    Rule(
        "F607",
        "abandoned-bet-not-kept",
        "procedure",
        "high",
        "What a patron left on the felt is his: it is put by, under a slip.",
        _CITES,
        on_table=_not_kept,
    ),
    Rule(
        "F608",
        "wrong-abandoned-bet-amount",
        "payout",
        "high",
        "An abandoned bet comes to its stake and what it won until it was found.",
        _CITES,
        on_table=_kept_wrong,
    ),
    Rule(
        "F609",
        "wrong-abandoned-bet-payout",
        "payout",
        "high",
        "What was kept goes to its owner, all of it, once.",
        _CITES,
        on_table=_paid_out,
    ),
)
