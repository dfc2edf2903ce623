"""Rules on events that do not belong to the game of the shoe.

Each game's class declares the events, hands and rulings that the game has
(`sabot.domain.procedure.games`). The rule pack can add two events to a game: ``excess-returned`` if
``limits.accepted`` is given and, in games other than punto banco, ``bet-carried`` if
``tie.bets_stay`` is true. Wagers are judged by B204.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit import needs
from sabot.domain.audit.checks.limits import WHICH_LIMITS
from sabot.domain.audit.coup_profile import CoupProfile, ShoeProfile
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import event_in_words, name_stake
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each
from sabot.domain.audit.settled_stakes import lies_after, settled_at, stakes_of
from sabot.domain.events import (
    BetCarried,
    BetPlaced,
    CardDrawn,
    CardReassigned,
    CardTurned,
    CutterNamed,
    Event,
    IrregularityNoted,
    ResultCalled,
    TotalsCalled,
    name_of,
)
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.bank import ExcessReturned, LevyTaken
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.common import limits_on
from sabot.domain.procedure.games import foreign_to, house_covers, what_lacks
from sabot.domain.rules.labels import irregularity_label, ruling_label
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    WIKIPEDIA_BACCARAT_MACAO,
)
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Unknown

FOREIGN = RuleGroup(family="integrity", concerns="game")
_OF_COUPS: Final = (
    *(bank_ev.BankCalled, bank_ev.BankRaised, bank_ev.BankUnlimited, bank_ev.BancoCalled),
    *(bank_ev.HandGiven, bank_ev.ChoiceMade, bank_ev.CardRejected, bank_ev.HandsCalled),
    *(*bank_ev.LEVY, CardTurned, CardReassigned, TotalsCalled, ResultCalled, IrregularityNoted),
)
_SOURCES: Final = (ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, WIKIPEDIA_BACCARAT_MACAO)


def _foreign(shoe: Shoe, event: RecordedEvent) -> str | None:
    return None if shoe.pack is None else foreign_to(shoe.pack, event.payload)


# -- Between coups ---------------------------------------------------------------------------------


@each("event of another game", None)
def _between_coups(shoe: Shoe) -> Sequence[RecordedEvent]:
    """Return the events that belong to other games and name no coup on record, each by itself.

    An irregularity belongs to another game if its ruling does. R415 reports an event that names a
    coup on record.
    """
    return [event for event in shoe.foreign_events if _coup_of(event) not in shoe.coups]


def _coup_of(event: RecordedEvent) -> int | None:
    return getattr(event.payload, "coup", None)


@FOREIGN.rule(
    "R414",
    "event-of-another-game",
    sources=_SOURCES,
    looks_at="shoe",
    needs=(needs.shoe_pack_readable,),
    each=_between_coups,
    explains_all=True,
    breach_events=(
        *(bank_ev.SessionCalled, bank_ev.BankBid, bank_ev.BankListed, bank_ev.FundsProven),
        *(bank_ev.BankPosted, bank_ev.BankWithdrawn, CutterNamed),
        *_OF_COUPS,
    ),
    breaks="""
        bank-posted {"by": "p1", "amount": 10000}
        coup P 4 5  B K 8
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2
        bank p1 10000
    """,
)
def event_of_another_game(shoe: Shoe, event: RecordedEvent) -> Iterator[Breach]:
    """Between coups, a game has only its own events: no bank, for example, if the house banks.

    An event is between coups if it names no coup on record, whenever it was recorded. A coup is not
    on record if the record has only events of other games for it.
    """
    yield _breach(shoe, (event,))


def _breach(shoe: Shoe, events: tuple[RecordedEvent, ...], said: str = "") -> Breach:
    assert shoe.pack is not None
    whats = list(dict.fromkeys(_in_words(shoe, each.payload) for each in events))
    more = f", and {len(whats) - 1} more like it" if len(whats) > 1 else ""
    game, times = what_lacks(shoe.pack, events[0].payload), len(events) - len(whats)
    return Breach(
        said or f"{whats[0]}{more}: {game} does not have this",
        f"the events, hands and rulings of {game}",
        ", ".join(whats) + (f" ({len(events)} events)" if times else ""),
        events,
        _coup_of(events[0]),
    )


def _in_words(shoe: Shoe, payload: Event) -> str:
    """Return an event in words, or an irregularity's ruling."""
    if isinstance(payload, IrregularityNoted):
        return f"the ruling on {irregularity_label(payload.kind)}: {ruling_label(payload.ruling)}"
    return event_in_words(shoe, payload)


# -- In a coup -------------------------------------------------------------------------------------


@each("event of another game", None)
def _in_coup(view: CoupView) -> Sequence[tuple[RecordedEvent, ...]]:
    """Return events of a coup that belong to other games.

    All events of one kind are one finding. For bets, all events of one kind about one bet are one
    finding. All steps of a levy are one finding. At a game where the house covers every stake, each
    return of a part of a stake is checked.
    """
    alike: dict[tuple[str, int | None], list[RecordedEvent]] = {}
    told = [event for event in view.shoe.foreign_events if _coup_of(event) == view.coup.number]
    if view.coup.banked is not None and house_covers(view.shoe.pack):
        told += [event for event in view.coup.banked.excess if event not in told]
    for event in told:
        what = _foreign(view.shoe, event) or name_of(event.payload)
        what = "levy" if isinstance(event.payload, bank_ev.LEVY) else what
        alike.setdefault((what, getattr(event.payload, "bet", None)), []).append(event)
    return [tuple(events) for events in alike.values()]


def _no_foreign_events(_coup: CoupProfile, shoe: ShoeProfile) -> bool:
    """Return whether a coup played by the book is in a shoe without events of another game."""
    return not shoe.foreign


@FOREIGN.rule(
    "R415",
    "coup-event-of-another-game",
    sources=_SOURCES,
    needs=(needs.pack_readable,),
    each=_in_coup,
    clean_when=_no_foreign_events,
    explains_all=True,
    breach_events=(*_OF_COUPS, ExcessReturned, CardDrawn, BetPlaced, BetCarried),
    breaks="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 10000}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        excess-returned {"coup": 1, "bet": 1, "amount": 9000}
        bet-taken {"coup": 1, "bet": 1, "amount": 1000}
        coup-closed {"coup": 1}
    """,
    keeps="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 10000}
        bet-changed {"coup": 1, "bet": 1, "amount": 1000}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        bet-taken {"coup": 1, "bet": 1, "amount": 1000}
        coup-closed {"coup": 1}
    """,
)
def coup_event_of_another_game(
    view: CoupView, events: tuple[RecordedEvent, ...]
) -> Iterator[Breach]:
    """A coup has only the events, hands and rulings of the game of its rule pack.

    Where the house or, at macao and victoria, the banker covers every stake, no part of a stake is
    returned. There is one exception: the stake is outside the limits, and the rule pack says how
    such a bet is settled. If such a bet is settled up to the maximum, the part above the maximum
    may be returned, and no more. If it is settled in full, nothing may be returned after the
    settlement; L206 judges an earlier return. If the clocks leave several limits possible, the
    return is not judged. Other games return the part of a stake that the bank does not cover, and
    their own rules judge it.
    """
    payload = events[0].payload
    bet = view.shoe.coups[view.coup.number].bets.get(getattr(payload, "bet", None) or 0)
    if isinstance(payload, ExcessReturned) and bet is not None:
        yield from _stake_returned(view, bet, events_of(ExcessReturned, events))
        return
    told = _breach(view.shoe, events)
    banker = view.coup.banked.banker if view.coup.banked is not None else None
    if isinstance(payload, BetCarried) and bet is not None:
        yield replace(told, stake=0, patron=bet.patron)
    elif (levies := events_of(LevyTaken, events)) and banker is not None:
        levied = sum(event.payload.amount for event in levies)
        yield replace(told, money=((banker, -levied),), patron=banker)
    else:
        yield told


def _stake_returned(
    view: CoupView, bet: Bet, back: list[RecordedEvent[ExcessReturned]]
) -> Iterator[Breach]:
    """Yield a breach if more of a stake was returned than the house may refuse.

    The house, or the patron who banks, has to cover every stake within its limits. The rules on
    accepted bets judge stakes that the house accepted beyond them.

    Raises:
        Unknown: several limits may have been in force.
    """
    coup = view.shoe.coups[view.coup.number]
    staked = _stake_before(coup, bet, back[0])
    late = bool(bet.moves) and back[0].position > settled_at(coup, bet.moves)
    stands = _stake_that_stands(view, bet, staked, settled=late)
    returned = sum(event.payload.amount for event in back)
    if returned <= staked - stands:
        return
    shown = format_money(view.shoe, returned)
    said = f"{shown} of {name_stake(view.shoe, bet.patron, staked, bet.wager)} was returned"
    told = _breach(
        view.shoe, (*back, bet.placed), f"{said}, although {_covering(coup)} covers the whole stake"
    )
    told = replace(
        told,
        expected=f"a stake of {format_money(view.shoe, stands)}",
        observed=f"{shown} returned",
        patron=bet.patron,
        key=("bet", bet.number),
    )
    if late:
        kept = 0 if bet.taken else staked
        yield replace(told, money=((bet.patron, max(0, returned - kept)),))
    elif any(change.position > back[0].position for change in bet.changes):
        yield replace(told, money="the stake was changed afterwards")
    else:
        yield replace(told, stake=stands)


def _covering(coup: Coup) -> str:
    """Return who covers the stakes of a coup: the patron who banks, or the house."""
    banker = coup.banked.banker if coup.banked is not None else None
    return f"{banker}'s bank" if banker is not None else "the house"


def _stake_before(coup: Coup, bet: Bet, back: RecordedEvent) -> int:
    """Return a bet's stake before part of it was returned, in minor units."""
    stake = 0
    for event in stakes_of(coup, bet):
        if event.position >= back.position:
            break
        stake = lies_after(event, stake)
    return stake


def _stake_that_stands(view: CoupView, bet: Bet, staked: int, *, settled: bool) -> int:
    """Return how much of a stake the house settles, in minor units.

    Zero if the stake is outside the limits, the rule pack settles accepted bets in full, and the
    bet was not ``settled`` before the return. Another rule then reports the return.
    """
    accepted = view.shoe.pack.limits.accepted if view.shoe.pack is not None else None
    if accepted is None:
        return staked
    limits = limits_on(view.shoe, bet)
    if len(limits) > 1:
        raise Unknown(WHICH_LIMITS)
    limit = limits[0]
    if limit is None or limit.minimum <= staked <= limit.maximum:
        return staked
    if accepted == "capped":
        return min(staked, limit.maximum)
    return staked if settled else 0


RULES = (*FOREIGN.rules,)
"""Every rule of this module."""
