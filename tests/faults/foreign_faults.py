"""Events, hands, rulings and returned stakes that belong to another game."""

from collections.abc import Callable, Sequence
from typing import get_args

from msgspec import structs

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.games import GAMES
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind, Retold, told_with

Makes = Callable[[int, str], ev.ShoeEvent]
"""Makes the event for a coup and a patron."""

_CALLS = (ev.ResultCalled, bank_ev.HandsCalled)
_IN_A_COUP: dict[str, Makes] = {
    "bank-called": lambda coup, _: bank_ev.BankCalled(coup, 500),
    "bank-unlimited": lambda coup, who: bank_ev.BankUnlimited(who, coup),
    "bank-raised": lambda coup, who: bank_ev.BankRaised(who, 500, coup),
    "banco-called": bank_ev.BancoCalled,
    "hand-given": lambda coup, who: bank_ev.HandGiven(coup, "banker", who),
    "choice-made": lambda coup, _: bank_ev.ChoiceMade(coup, "banker", "draw"),
    "card-rejected": lambda coup, _: bank_ev.CardRejected(coup, "banker"),
    "hands-called": lambda coup, _: bank_ev.HandsCalled(coup, (bank_ev.HandTotal("banker", 3),)),
    "levy-announced": lambda coup, _: bank_ev.LevyAnnounced(coup, 100),
    "tickets-detached": lambda coup, _: bank_ev.TicketsDetached(coup, 100),
    "tickets-torn": lambda coup, _: bank_ev.TicketsTorn(coup),
    "totals-called": lambda coup, _: ev.TotalsCalled(coup, 3, 4),
    "result-called": lambda coup, _: ev.ResultCalled(coup, 3, 4, "B"),
}
_BETWEEN_COUPS: dict[str, Makes] = {
    "session-called": lambda *_: bank_ev.SessionCalled("2026-01-01", 1, 1),
    "bank-bid": lambda _, who: bank_ev.BankBid(who, 500),
    "bank-listed": lambda _, who: bank_ev.BankListed(who),
    "funds-proven": lambda _, who: bank_ev.FundsProven(who, 500),
    "bank-posted": lambda _, who: bank_ev.BankPosted(who, 10_000),
    "bank-withdrawn": lambda _, who: bank_ev.BankWithdrawn(who, 500),
    "cutter-named": lambda _, who: ev.CutterNamed(who, who),
}
_TWO_TABLEAUX: GameName = "baccarat-banque"


def _without(kind: type) -> tuple[GameName, ...]:
    """Return the games that do not have a kind of event."""
    return tuple(name for name in get_args(GameName) if kind not in GAMES[name].events)


def _told(makes: Makes, before: type) -> Callable[[Sequence[RecordedEvent], int], Retold | None]:
    """Record an event of another game before a step of a coup."""

    def retells(history: Sequence[RecordedEvent], not_before: int) -> Retold | None:
        payloads = [event.payload for event in history]
        for place, payload in enumerate(payloads):
            if isinstance(payload, before) and payload.coup >= not_before:
                foreign = makes(payload.coup, "p1")
                coup = getattr(foreign, "coup", None)
                return Retold(
                    told_with(history, [*payloads[:place], foreign, *payloads[place:]]), coup
                )
        return None

    return retells


def _carried_and_paid(history: Sequence[RecordedEvent], not_before: int) -> Retold | None:
    """Record a bet of a patron as left by a tie, and as paid at the end of the coup."""
    payloads = [event.payload for event in history]
    for place, payload in enumerate(payloads):
        if isinstance(payload, ev.BetPlaced) and payload.coup >= not_before:
            stake = ev.BetCarried(**{**structs.asdict(payload), "bet": 99})
            paid = ev.BetPaid(payload.coup, 99, payload.amount)
            end = payloads.index(ev.CoupClosed(payload.coup))
            told = [*payloads[:place], stake, *payloads[place:end], paid, *payloads[end:]]
            return Retold(told_with(history, told), payload.coup)
    return None


def _astray(hand: ev.Hand) -> Callable[[SimulatedTable, ev.ShoeEvent], Events | None]:
    """Draw a card to a hand that the game does not have, after the hands are complete."""

    def alters(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
        if not isinstance(payload, _CALLS) or table.order.left < 20:
            return None
        return (table.drawn(hand), payload)

    return alters


def _given_back(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Return all but a tenth of a losing stake, as if a bank did not cover it."""
    accepted = table.pack.limits.accepted
    if not isinstance(payload, ev.BetTaken) or payload.amount < 10 or accepted is not None:
        return None
    rest = payload.amount // 10
    back = bank_ev.ExcessReturned(payload.coup, payload.bet, payload.amount - rest)
    return (back, ev.BetTaken(payload.coup, payload.bet, rest))


_IN_COUP, _ELSE = "R415", "R414"

KINDS = (
    *(
        FaultKind(
            name=f"foreign-{name}-{moment}",
            family="integrity",
            what=f"{name} in a coup of a game that has no such event ({moment})",
            codes=(_IN_COUP,),
            retells=_told(makes, before),
            games=_without(type(makes(1, "p1"))),
        )
        for name, makes in _IN_A_COUP.items()
        for moment, before in (("early", ev.NoMoreBets), ("late", ev.CoupClosed))
    ),
    *(
        FaultKind(
            name=f"foreign-{name}",
            family="integrity",
            what=f"{name} between coups of a game that has no such event",
            codes=(_ELSE,),
            retells=_told(makes, ev.CoupOpened),
            of_coup=False,
            games=_without(type(makes(1, "p1"))),
        )
        for name, makes in _BETWEEN_COUPS.items()
    ),
    FaultKind(
        name="card-to-a-tableau",
        family="integrity",
        what="a card is drawn to a tableau where there is none",
        codes=(_IN_COUP,),
        alters=_astray("left"),
        games=tuple(name for name in get_args(GameName) if name != _TWO_TABLEAUX),
    ),
    FaultKind(
        name="card-to-player-at-two-tableaux",
        family="integrity",
        what="a card is drawn to Player, and two tableaux are dealt",
        codes=(_IN_COUP,),
        alters=_astray("player"),
        games=(_TWO_TABLEAUX,),
    ),
    FaultKind(
        name="covered-stake-returned",
        family="integrity",
        what="most of a losing stake goes back as beyond a bank, and the house covers stakes",
        codes=(_IN_COUP,),
        alters=_given_back,
        games=_without(bank_ev.ExcessReturned),
    ),
    FaultKind(
        name="foreign-bet-carried-and-paid",
        family="integrity",
        what="a stake that a tie left is told and paid in a game in which no tie leaves stakes",
        codes=(_IN_COUP, "P201", "P202"),
        retells=_carried_and_paid,
        games=_without(ev.BetCarried),
    ),
    FaultKind(
        name="ruling-of-another-game",
        family="integrity",
        what="a surplus card is ruled to be Banker's third where hands have no third card",
        codes=(_IN_COUP,),
        retells=_told(
            lambda coup, _: ev.IrregularityNoted("other", "card-to-banker", coup, "sue"),
            ev.CoupClosed,
        ),
        games=tuple(name for name, game in GAMES.items() if not game.rulings),  # type: ignore[misc]
    ),
)
