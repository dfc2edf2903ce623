"""Faults of the game with two tableaux: their hands and their stakes."""

from collections.abc import Iterator

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import NextAction, due_bets
from sabot.domain.procedure.patron_bank import bank_events_of, bank_of, claims_of, given_to
from sabot.domain.procedure.two_tableaux.banco_claims import lost_bancos
from sabot.domain.procedure.two_tableaux.held_stakes import stakes_held_for
from sabot.domain.procedure.two_tableaux.tableaux import (
    alone_natural,
    banker_choices,
    cards_on,
    in_play,
    rule_of,
    tableau_of,
)
from sabot.domain.rules.tableau_hands import PARTS, TABLEAUX
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from sabot.domain.values.cards import Card, total
from tests.faults.choice_faults import must
from tests.faults.fault import Events, FaultKind


def _unasked(table: SimulatedTable, due: NextAction) -> Events | None:
    payload = due.payload
    if not isinstance(payload, bank_ev.ChoiceMade) or payload.choice != "draw":
        return None
    return (table.drawn(payload.hand),)


def _withheld(table: SimulatedTable, due: NextAction) -> Events | None:
    """Call the hands although the banker, who has a choice, has asked for a card."""
    coup = table.shoe.current
    if coup is None or due.expects != "card" or due.hand != "banker":
        return None
    if len(coup.banker) != 2 or len(banker_choices(table.shoe, coup)) < 2:
        return None
    return _called_at_once(coup)


def _asked_on_seven(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The player of a tableau asks for a card on 7 out of turn, and gets none."""
    coup = table.shoe.current
    if not isinstance(payload, bank_ev.HandsCalled) or coup is None:
        return None
    for tableau in in_play(coup):
        cards = cards_on(coup, tableau)
        if len(cards) == 2 and total(cards) == 7:
            return (
                bank_ev.ChoiceMade(coup.number, tableau, "draw", given_to(coup, tableau)),
                payload,
            )
    return None


def _called_at_once(coup: Coup) -> Iterator[ev.ShoeEvent]:
    turned = {getattr(event.payload, "hand", None) for event in coup.turned}
    hands: dict[ev.Hand, list[Card]] = {tableau: cards_on(coup, tableau) for tableau in TABLEAUX}
    hands["banker"] = coup.banker
    for hand in hands:
        if hand not in turned:
            yield ev.CardTurned(coup.number, hand, 1)
            yield ev.CardTurned(coup.number, hand, 2)
    totals = (bank_ev.HandTotal(hand, total(cards)) for hand, cards in hands.items())
    yield bank_ev.HandsCalled(coup.number, tuple(totals))


def _by_another(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    # a hand that nobody holds is anybody's
    if not isinstance(payload, bank_ev.ChoiceMade) or payload.by is None:
        return None
    return (replace(payload, by="a bystander"),)


def _given_to_another(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup = table.shoe.current
    if not isinstance(payload, bank_ev.HandGiven) or coup is None:
        return None
    others = [who for who in bank_events_of(coup).order if who != payload.to]
    return (replace(payload, to=others[0]),) if others else None


def _left_first(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if coup is None or due.expects != "card" or coup.cards or due.hand != "right":
        return None
    return (table.drawn("left"),)


def _miscalled(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, bank_ev.HandsCalled):
        return None
    first = replace(payload.totals[0], total=(payload.totals[0].total + 1) % 10)
    return (replace(payload, totals=(first, *payload.totals[1:])),)


def _waited(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Play the other tableau and the banker before the natural is paid."""
    coup = table.shoe.current
    if not isinstance(payload, ev.BetPaid) or coup is None or coup.result_called is not None:
        return None
    return None if alone_natural(coup) is None else _played_first(table, coup, payload)


def _played_first(table: SimulatedTable, coup: Coup, payload: ev.BetPaid) -> Iterator[ev.ShoeEvent]:
    for tableau in in_play(coup):
        choice = must(table, coup, tableau) or "stand"
        yield bank_ev.ChoiceMade(coup.number, tableau, choice, given_to(coup, tableau))
        if choice == "draw":
            yield table.drawn(tableau)
    yield bank_ev.ChoiceMade(coup.number, "banker", "stand", bank_events_of(coup).banker)
    yield payload


# -- Stakes -----------------------------------------------------------------------------------


def _bank_miscalled(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (
        (replace(payload, amount=payload.amount + 100),)
        if isinstance(payload, bank_ev.BankCalled)
        else None
    )


def _plain_bet(table: SimulatedTable, payload: ev.ShoeEvent) -> Coup | None:
    """Return the coup if the event is a stake of a patron who does not go bank."""
    coup = table.shoe.current
    if not isinstance(payload, ev.BetPlaced) or coup is None or claims_of(coup):
        return None
    return coup


def _own_bank(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup = _plain_bet(table, payload)
    banker = bank_events_of(coup).banker if coup is not None else None
    if not isinstance(payload, ev.BetPlaced) or banker is None:
        return None
    return (replace(payload, patron=banker, seat=None),)


def _uncovered(_table: SimulatedTable, due: NextAction) -> Events | None:
    payload = due.payload
    if not isinstance(payload, bank_ev.BankRaised) or payload.coup is None:
        return None
    return (ev.NoMoreBets(payload.coup),)


def _beside(_table: SimulatedTable, due: NextAction) -> Events | None:
    payload = due.payload
    return (ev.NoMoreBets(payload.coup),) if isinstance(payload, bank_ev.ExcessReturned) else None


def _against_himself(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup = table.shoe.current
    if (
        not isinstance(payload, bank_ev.BancoCalled)
        or coup is None
        or bank_events_of(coup).banker is None
    ):
        return None
    return (payload, bank_ev.BancoCalled(payload.coup, bank_events_of(coup).banker or ""))


def _fourth(table: SimulatedTable, due: NextAction) -> Events | None:
    coup, rule = table.shoe.current, table.pack.banco
    if coup is None or rule is None or rule.successive is None or due.expects != "bets":
        return None
    if (
        coup.bets
        or claims_of(coup)
        or bank_events_of(coup).unlimited
        or stakes_held_for(table.shoe, coup)
    ):
        return None
    if due.payload is not None or (bank_of(coup) or 0) < 4:
        return None
    lost = {who: lost_bancos(table.shoe, coup, who) for who in bank_events_of(coup).order}
    who = next((who for who, times in lost.items() if times >= rule.successive), None)
    return (bank_ev.BancoCalled(coup.number, who),) if who is not None else None


def _thawed(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.BetCarried) or payload.wager in TABLEAUX:
        return None
    return (payload, ev.BetWithdrawn(payload.coup, payload.bet))


def _carried(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Leave a lost stake on the table."""
    coup = table.shoe.current
    if not isinstance(payload, bank_ev.BankCalled) or coup is None:
        return None
    before = table.shoe.coups.get(coup.number - 1)
    if before is None or stakes_held_for(table.shoe, coup):
        return None
    for bet in before.bets.values():
        if bet.taken == bet.amount and tableau_of(coup, bet.patron) == bet.wager:
            seat = next(n for n, who in table.shoe.seats.items() if who == bet.patron)
            stays = ev.BetCarried(coup.number, 1, bet.patron, bet.wager, bet.amount, seat)
            return (payload, stays)
    return None


def _broken_unit(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if _plain_bet(table, payload) is None or rule_of(table.shoe).stake_unit <= 1:
        return None
    assert isinstance(payload, ev.BetPlaced)
    return (replace(payload, amount=payload.amount + len(PARTS[payload.wager])),)


def _other_tableau(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup = _plain_bet(table, payload)
    if coup is None or not rule_of(table.shoe).own_tableau or not isinstance(payload, ev.BetPlaced):
        return None
    if payload.wager not in TABLEAUX or tableau_of(coup, payload.patron) is None:
        return None
    return (replace(payload, wager="left" if payload.wager == "right" else "right"),)


def _second_first(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if coup is None or coup.result_called is None or not isinstance(due.payload, ev.BetPaid):
        return None
    waiting = [
        (bet, owed)
        for bet, owed in due_bets(table.shoe, coup)
        if owed.kind == "pay" and not bet.settled
    ]
    if len(waiting) < 2:
        return None
    bet, owed = waiting[1]
    return (ev.BetPaid(coup.number, bet.number, owed.paid),)


def _kind(name: str, what: str, *codes: str, **more: object) -> FaultKind:
    return FaultKind(name=name, family="procedure", what=what, codes=codes, **more)  # type: ignore[arg-type]


KINDS = (
    _kind(
        "card-withheld-from-the-banker",
        "the banker between two tableaux asks for a card, and the hands are called without it",
        "O502",
        acts=_withheld,
    ),
    _kind(
        "wing-asked-on-seven",
        "a card is asked for on 7, out of turn, and not given",
        "T111",
        "W515",
        alters=_asked_on_seven,
    ),
    _kind(
        "wing-dealt-unasked",
        "a tableau has its third card before it says that it wants one",
        "T108",
        acts=_unasked,
    ),
    _kind(
        "wing-played-by-a-bystander",
        "somebody else decides for a hand",
        "T109",
        alters=_by_another,
    ),
    _kind(
        "wing-given-to-another",
        "a tableau's hand goes to somebody whose turn it is not",
        "T110",
        alters=_given_to_another,
    ),
    _kind(
        "left-dealt-first",
        "the left has its first card before the right",
        "W515",
        acts=_left_first,
    ),
    FaultKind(
        name="wing-called-high",
        family="totals",
        what="the right is called one higher than its cards",
        codes=("W516",),
        alters=_miscalled,
    ),
    _kind(
        "natural-waited",
        "one tableau has a natural, and the coup is played on before it is paid",
        "W517",
        alters=_waited,
    ),
    FaultKind(
        name="bank-of-wings-miscalled",
        family="totals",
        what="the bank is called higher than it is",
        codes=("K503",),
        alters=_bank_miscalled,
    ),
    _kind(
        "banker-stakes-on-a-wing",
        "the banker stakes on a tableau against his own bank",
        "K511",
        alters=_own_bank,
    ),
    _kind(
        "unlimited-bank-uncovered",
        "a banker whose bank has no limit leaves stakes uncovered",
        "K502",
        "K517",
        acts=_uncovered,
    ),
    _kind(
        "stakes-beside-a-banco",
        "somebody goes bank, and the stakes of others stay",
        "K509",
        acts=_beside,
    ),
    _kind(
        "banker-goes-bank",
        "the banker goes bank against himself",
        "K510",
        alters=_against_himself,
    ),
    _kind(
        "banco-a-fourth-time",
        "who lost three bancos in a row goes bank again",
        "W509",
        acts=_fourth,
    ),
    _kind(
        "frozen-stake-withdrawn",
        "a stake à cheval that was split is taken back",
        "W510",
        alters=_thawed,
    ),
    _kind(
        "lost-stake-carried",
        "a stake that lost lies there for the next coup",
        "W511",
        alters=_carried,
    ),
    _kind(
        "stake-of-broken-units",
        "a stake is no multiple of the pack's unit",
        "W512",
        alters=_broken_unit,
    ),
    _kind(
        "stake-across-the-table",
        "who sits on one tableau stakes on the other",
        "W513",
        alters=_other_tableau,
    ),
    _kind(
        "second-winner-paid-first",
        "a winner is paid before one who comes before him in rotation",
        "W514",
        acts=_second_first,
    ),
)
