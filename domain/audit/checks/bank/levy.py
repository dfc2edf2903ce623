"""Rules on the house's levy on a bank's winnings. They check voided coups too.

A breach that was noted, ruled on and put right is reported as a note
(`sabot.domain.audit.put_right`). This does not apply to rules on whole shoes (``looks_at="shoe"``).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from msgspec.structs import replace

from sabot.domain.audit import needs
from sabot.domain.audit.announced_bank import levy_by_next_call
from sabot.domain.audit.checks.bank.tableaux_bets import held_stake_taken_up
from sabot.domain.audit.checks.bank.tableaux_hands import is_banque
from sabot.domain.audit.checks.bets import LATE
from sabot.domain.audit.checks.carried_bets import held_bet_taken_up
from sabot.domain.audit.checks.payments import (
    STAKED_OR_SETTLED,
    losing_bet_not_taken,
    push_paid_or_taken,
    wrong_payout,
)
from sabot.domain.audit.checks.unsettled_bets import unsettled_bet
from sabot.domain.audit.coup_view import CoupView, next_coup
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach, MoneyEffect
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.audit.settled_stakes import (
    late_stakes_of,
    with_covered_stakes,
    with_stakes_in_time,
)
from sabot.domain.events import (
    CardDrawn,
    CoupClosed,
    CoupOpened,
    CoupVoided,
    ResultCalled,
    ShoeEnded,
)
from sabot.domain.events.bank import LevyAnnounced, LevyTaken, TicketsDetached, TicketsTorn
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import (
    bank_events_of,
    bank_won,
    levy_charged,
    levy_due,
    open_bets,
)
from sabot.domain.procedure.preconditions import bank_requirements
from sabot.domain.rules.pack_sections import LevyRule
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_56_1,
    ARRETE_2007_ART_59,
    ARRETE_2007_ART_60,
    ARRETE_2007_ART_62,
    ARRETE_2007_ART_82,
)
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import after, before
from sabot.domain.timeline.sequence import (
    LEVY_ANNOUNCED_FIRST,
    LEVY_TICKETED_FIRST,
    TICKETS_TORN_IN_TIME,
)

LEVY = RuleGroup(family="procedure", concerns="form", games=("chemin-de-fer", "baccarat-banque"))


def _levy_of(shoe: Shoe) -> LevyRule:
    """Return the rule pack's section on the levy, which the rules here need."""
    assert shoe.pack is not None
    assert shoe.pack.levy is not None
    return shoe.pack.levy


# -- How much ------------------------------------------------------------------------------------


@need("play", "the coup has not been closed", "not-due")
def closed_or_voided(view: CoupView) -> bool:
    """The coup was closed or voided."""
    return view.coup.over


@need("rules", "the pack does not say what the house levies", "not-required")
def levied(view: CoupView) -> bool:
    """The rule pack says what the house levies."""
    return view.shoe.pack is not None and view.shoe.pack.levy is not None


@LEVY.rule(
    "Y501",
    "wrong-levy",
    family="payout",
    concerns="money",
    sources=(ARRETE_2007_ART_59, ARRETE_2007_ART_60, ARRETE_2007_ART_62),
    needs=(
        *(needs.pack_readable, levied),
        *(needs.banker_recorded, needs.bets_recorded, closed_or_voided),
    ),
    breach_events=(*(LevyTaken, CoupClosed, CoupVoided, ResultCalled, *STAKED_OR_SETTLED),),
    follows_from=(
        *("miscalled-result", "unmatched-event", *LATE),
        *map(code_of, (wrong_payout, losing_bet_not_taken, push_paid_or_taken, unsettled_bet)),
        *map(code_of, (held_bet_taken_up, held_stake_taken_up)),
    ),
    breaks="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
        levy-announced {"coup": 1, "amount": 510}
        tickets-detached {"coup": 1, "amount": 510, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 510}
    """,
    keeps="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
    """,
)
def wrong_levy(view: CoupView) -> Iterator[Breach]:
    """The house levies its share of what the bank won by the cards, and nothing after a loss.

    All bets and all levies of the coup are added up. The share is rounded as the rule pack says. No
    levy is due in a void coup. R415 reports a levy if the rule pack has none. A wrong payment does
    not change the levy due. A bet that was never settled counts with the amount due to it. In
    three cases the cards do not show what was due to a bet, and its settlement is used instead: a
    hand lacks its first two cards, a ruling returned the bet, or the bank may have been empty. At
    chemin de fer a wrong part of a stake may have been returned as excess. A levy on the stakes
    that the bank covers is then also accepted. If the next announced bank shows that the right levy
    left the bank, no patron is named.
    """
    coup, levy = view.coup, _levy_of(view.shoe)
    won = won_on_the_cards(view) if coup.voided is None else 0
    taken, due = levy_charged(coup), levy.on(won)
    if taken == due or (won and taken == levy.on(_won_as_covered(view))):
        return
    as_settled = coup.voided is None and taken == levy_due(view.shoe, coup)
    follows = "; the levy follows the settlement, which is not what the cards say"
    part = bank_events_of(coup)
    share = f"{levy.rate} of the {format_money(view.shoe, max(0, won))} that the bank won"
    lacks: MoneyEffect = ((part.banker, due - taken),)
    if levy_by_next_call(view.shoe, coup) == due:
        lacks = ((None, due - taken), (part.banker, 0))
    yield Breach(
        f"the levy was {format_money(view.shoe, taken)}, {format_money(view.shoe, due)} was due",
        f"{format_money(view.shoe, due)}: {share}{follows if as_settled else ''}",
        format_money(view.shoe, taken),
        (*levy_or_end(coup), *(_behind_the_levy(view) if as_settled else _misled(view, taken))),
        money=lacks,
        patron=part.banker,
    )


def levy_or_end(coup: Coup) -> list[RecordedEvent]:
    """Return the levies of a coup, or else its end."""
    return [*bank_events_of(coup).levies] or [e for e in (coup.closed or coup.voided,) if e]


def _behind_the_levy(view: CoupView) -> list[RecordedEvent]:
    """Return the events of the bets by whose wrong settlement the levy was taken."""
    won = _won_on_bets(view)
    wrong = [bet for number, bet in view.coup.bets.items() if bet.net != -won.get(number, 0)]
    return [event for bet in wrong for event in (bet.placed, *bet.moves)]


def _misled(view: CoupView, taken: int) -> list[RecordedEvent]:
    """Return the wrong calls, and the late stakes if a levy is right by those in time."""
    coup = view.coup
    due = _levy_of(view.shoe).on(won_on_the_cards(replace(view, coup=with_stakes_in_time(coup))))
    late = [event for bet in coup.bets.values() for event in late_stakes_of(coup, bet)]
    return [*view.wrong_result_calls, *(late if taken == due else [])]


def won_on_the_cards(view: CoupView) -> int:
    """Return what the bank had to win by the cards, in minor units.

    A wrong payment does not change the amount. If the amount due to a bet is unknown, its actual
    settlement counts.
    """
    return sum(_won_on_bets(view).values()) if view.dealt else bank_won(view.coup)


def _won_as_covered(view: CoupView) -> int:
    """Return what the bank had to win if the excess over it had been returned exactly."""
    covered = view.coup if is_banque(view) else with_covered_stakes(view.coup)
    return won_on_the_cards(replace(view, coup=covered))


def _won_on_bets(view: CoupView) -> dict[int, int]:
    """Return what the bank had to win on each bet by the cards, in minor units."""
    due = {bet.number: due for bet, due in game_of(view.shoe.pack).due_bets(view.shoe, view.coup)}
    sure = {bet.number for bet, owed in view.settlements_due if owed is not None}
    back = view.coup.refunded_bets
    won: dict[int, int] = {}
    for bet in open_bets(view.coup):
        owed, over = due.get(bet.number), bet.moves or bet.number in back
        if owed is None or (over and bet.number not in sure):
            won[bet.number] = bet.taken - bet.paid
        else:
            won[bet.number] = owed.taken - owed.paid
    return won


# -- Its steps -----------------------------------------------------------------------------------


def _asks_for_tickets(pack: RulePack) -> bool:
    return pack.levy is not None and pack.levy.tickets


def _asks_for_steps(pack: RulePack) -> bool:
    return pack.levy is not None and pack.levy.steps


@need("play", "no levy was taken", "nothing-to-check")
def levy_taken(view: CoupView) -> bool:
    """A levy was taken."""
    return bool(bank_events_of(view.coup).levies)


@LEVY.rule(
    "Y502",
    "levy-without-ticket",
    sources=(ARRETE_2007_ART_56_1, ARRETE_2007_ART_59),
    needs=(
        needs.pack_says("that tickets are detached for a levy", _asks_for_tickets),
        levy_taken,
    ),
    breach_events=(LevyTaken, TicketsDetached),
    follows_from=("wrong-levy",),
    breaks="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 400, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
    """,
    keeps="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
    """,
)
def levy_without_ticket(view: CoupView) -> Iterator[Breach]:
    """Tickets are detached for the full amount of a levy.

    The tickets detached in the coup, at any time, must add up to its levies. If no tickets were
    detached, each levy must name its ticket. The amount of that ticket is not checked.
    """
    part, taken = bank_events_of(view.coup), levy_charged(view.coup)
    worth = sum(event.payload.amount for event in part.tickets)
    if part.tickets and not bank_requirements.is_ticketed(worth, taken, None):
        shown = f"tickets for {format_money(view.shoe, worth)}"
        yield Breach(
            f"{shown} were detached for a levy of {format_money(view.shoe, taken)}",
            f"tickets for the {format_money(view.shoe, taken)} that were levied",
            shown,
            (*part.tickets, *part.levies),
        )
    for event in part.levies:
        levy = event.payload
        if not part.tickets and not bank_requirements.is_ticketed(None, levy.amount, levy.ticket):
            yield Breach(
                "a levy was taken without a ticket",
                "a ticket for each levy, with its serial on record",
                "no ticket",
                (event,),
            )


@LEVY.rule(
    "Y503",
    "levy-out-of-order",
    order=(LEVY_ANNOUNCED_FIRST, LEVY_TICKETED_FIRST),
    sources=(ARRETE_2007_ART_59, ARRETE_2007_ART_62),
    needs=(needs.pack_says("that each step of a levy is recorded", _asks_for_steps), levy_taken),
    breach_events=(LevyAnnounced, TicketsDetached, LevyTaken),
    follows_from=("wrong-levy",),
    breaks="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
        levy-announced {"coup": 1, "amount": 500}
    """,
    keeps="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
    """,
)
def levy_out_of_order(view: CoupView) -> Iterator[Breach]:
    """A levy is announced, then its tickets are detached, then the same amount goes into the box.

    The rule compares the first announcement, tickets and levy of the coup. A levy that is never
    announced is a breach. The last announcement before the last levy gives the amount of all levies
    of the coup together. Only the first of these faults is reported. Y502 checks the amount of the
    tickets, and a levy without any ticket. If the rule pack has no tickets, only the announcement
    and the levy are compared.
    """
    part, boxed = bank_events_of(view.coup), bank_events_of(view.coup).levies[0]
    tickets = part.tickets if _levy_of(view.shoe).tickets else []
    due = "a levy that is announced and set apart, then ticketed, then put into the box"
    shown: tuple[RecordedEvent, ...] = (*part.announced, *tickets, boxed)
    if not part.announced or after(view, part.announced[0], boxed):
        late = "before it was announced" if part.announced else "and was never announced"
        said = f"the levy went into the box {late}"
        yield Breach(said, due, said, shown, offending_event=boxed)
    elif tickets and after(view, tickets[0], boxed):
        said = "the levy went into the box before its tickets were detached"
        yield Breach(said, due, said, shown, offending_event=boxed)
    elif tickets and before(view, tickets[0], part.announced[0]):
        said = "tickets were detached before the levy was announced"
        yield Breach(said, due, said, shown, offending_event=tickets[0])
    else:
        yield from _misannounced(view)


def _misannounced(view: CoupView) -> Iterator[Breach]:
    """Yield a breach if the announced levy differs from the amount taken."""
    part, taken = bank_events_of(view.coup), levy_charged(view.coup)
    last = [each for each in part.announced if before(view, each, part.levies[-1])][-1]
    if last.payload.amount != taken:
        said = format_money(view.shoe, last.payload.amount)
        yield Breach(
            f"a levy of {said} was announced, not of {format_money(view.shoe, taken)}",
            f"the {format_money(view.shoe, taken)} that went into the box",
            said,
            (last, *part.levies),
        )


@each("coup with tickets", "no tickets were detached")
def _coups_with_tickets(shoe: Shoe) -> Sequence[Coup]:
    """Return the coups of which tickets were detached before the next coup.

    Tickets detached after the next coup began, or after the shoe ended, are not checked. Y503
    reports them if the levy was taken before them.
    """
    return [coup for coup in shoe.coups.values() if _tickets_in_time(shoe, coup)]


def _tickets_in_time(shoe: Shoe, coup: Coup) -> list[RecordedEvent[TicketsDetached]]:
    """Return the tickets of a coup that were detached before the next coup or the end."""
    tickets, until = bank_events_of(coup).tickets, next_coup(shoe, coup) or shoe.ended
    return [each for each in tickets if until is None or each.position < until.position]


@LEVY.ordered(
    "Y504",
    "untorn-tickets",
    TICKETS_TORN_IN_TIME,
    sources=(ARRETE_2007_ART_59,),
    looks_at="shoe",
    needs=(
        needs.shoe_pack_says(
            "that tickets are detached for a levy, and that each of its steps is recorded",
            lambda pack: _asks_for_steps(pack) and _asks_for_tickets(pack),
        ),
        needs.not_coups_alone,
    ),
    each=_coups_with_tickets,
    breach_events=(TicketsDetached, TicketsTorn, CoupOpened, CardDrawn, ShoeEnded),
    breaks="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
        coup-opened {"coup": 2}
    """,
    keeps="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
        tickets-torn {"coup": 1}
        coup-opened {"coup": 2}
    """,
)
def untorn_tickets(shoe: Shoe, coup: Coup) -> Compared:
    """The tickets of a levy are torn before the next coup, so that they cannot be used again.

    The next coup on record begins with its opening, or else its first card. After the last coup,
    the tickets are torn before the shoe ends. One tearing after the first tickets is enough for all
    tickets of a coup.
    """
    part, until = bank_events_of(coup), next_coup(shoe, coup) or shoe.ended
    tickets = _tickets_in_time(shoe, coup)
    return Compared(
        tickets,
        [torn for torn in part.torn if after(shoe, torn, tickets[0])],
        f"the tickets of {shoe.coup_name(coup.number)} were not torn when the next began",
        until=until,
        observed="torn afterwards" if part.torn else "not torn",
        coup=coup.number,
        offending_event=until,
    )


class _Ticket(NamedTuple):
    """A ticket that was detached. Its value is None where several were detached together."""

    serial: str
    value: int | None
    event: RecordedEvent[TicketsDetached | LevyTaken]


@each("serial number of a ticket", "no serial number of a ticket was recorded")
def _serials(shoe: Shoe) -> Sequence[tuple[_Ticket, ...]]:
    """Return the tickets of each serial number, in the order of detaching."""
    of_serial: dict[str, list[_Ticket]] = {}
    for coup in shoe.coups.values():
        for ticket in _tickets_of(coup):
            of_serial.setdefault(ticket.serial, []).append(ticket)
    return [
        tuple(sorted(same, key=lambda each: each.event.position)) for same in of_serial.values()
    ]


def _tickets_of(coup: Coup) -> Iterator[_Ticket]:
    """Yield the tickets of a coup's levy. The levy names its ticket where no other event does."""
    part = bank_events_of(coup)
    for event in part.tickets:
        serials = event.payload.tickets
        value = event.payload.amount if len(serials) == 1 else None
        yield from (_Ticket(serial, value, event) for serial in serials)
    for levy in part.levies if not part.tickets else ():
        if levy.payload.ticket is not None:
            yield _Ticket(levy.payload.ticket, levy.payload.amount, levy)


@LEVY.rule(
    "Y505",
    "levy-ticket-used-again",
    sources=(ARRETE_2007_ART_59, ARRETE_2007_ART_82),
    looks_at="shoe",
    needs=(
        needs.shoe_pack_says("that tickets are detached for a levy", _asks_for_tickets),
        needs.present(_serials),
    ),
    each=_serials,
    breach_events=(TicketsDetached, LevyTaken),
    breaks="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1", "T-1"]}
        levy-taken {"coup": 1, "amount": 500}
    """,
    keeps="""
        load chemin-de-fer-france
        seats p1 p2
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1", "T-2"]}
        levy-taken {"coup": 1, "amount": 500}
    """,
)
def levy_ticket_used_again(shoe: Shoe, same: tuple[_Ticket, ...]) -> Iterator[Breach]:
    """A ticket is detached once; no other ticket of the same value bears its number.

    Tickets of different values may have the same number. So two tickets with one number are a
    breach only if they were detached together, or each alone for the same amount. The tickets of
    other shoes are not compared.
    """
    for earlier, again in combinations(same, 2):
        alone = again.value is not None and again.value == earlier.value
        if alone or again.event is earlier.event:
            coup, before_it = again.event.payload.coup, earlier.event.payload.coup
            yield Breach(
                f"ticket {again.serial} was detached twice",
                "each ticket is detached for one levy, and once",
                f"detached in {shoe.coup_name(before_it)}, and again in {shoe.coup_name(coup)}",
                tuple(dict.fromkeys((again.event, earlier.event))),
                coup,
                key=("ticket", again.serial),
            )
            return


RULES = (*LEVY.rules,)
"""Every rule of this module."""
