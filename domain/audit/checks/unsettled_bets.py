"""Rules on bets at the end of a coup: settled by its close, or returned if it is void.

A rule checks voided coups too, unless it needs `needs.not_voided`.

A breach that was noted, ruled on and put right is reported as a note
(`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bank.tableaux_hands import is_banque
from sabot.domain.audit.checks.commission import paid_despite_void, with_moved_bets
from sabot.domain.audit.checks.payments import (
    UNSETTLED,
    charged_for,
    what_moved,
    why_payments_unjudged,
)
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView, excess_moved, next_coup
from sabot.domain.audit.event_words import name_bet
from sabot.domain.audit.rule import Breach, MoneyEffect
from sabot.domain.audit.rule_group import RuleGroup, need
from sabot.domain.events import (
    BetCarried,
    BetPaid,
    BetPlaced,
    BetPushed,
    BetTaken,
    CommissionCollected,
    CommissionMarked,
    CoupClosed,
    CoupOpened,
    CoupVoided,
    ShoeEnded,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.games import house_covers
from sabot.domain.procedure.patron_bank import claims_of, excess_due
from sabot.domain.procedure.two_tableaux.banco_claims import excess_of_tableaux
from sabot.domain.rules.sources import ARRETE_2007_ART_55_14, NSW_MINI_BACCARAT_RULE_12
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.money_text import format_money

UNSETTLED_BETS = RuleGroup(family="payout", concerns="money")


def _end(view: CoupView) -> RecordedEvent | None:
    """Return the event that ended a coup, or None.

    It is the close. If a coup that was dealt to the end was never closed, it is the beginning of
    the next coup or the end of the shoe.
    """
    coup = view.coup
    if coup.closed is not None:
        return coup.closed
    if why_payments_unjudged(view) or coup.fully_refunded:
        return None
    return next_coup(view.shoe, coup) or view.shoe.ended


@need("play", "the coup has not been closed", "not-due")
def closed_or_left(view: CoupView) -> bool:
    """The coup was closed; or it was dealt to the end, and a coup or the shoe's end followed."""
    return _end(view) is not None


@UNSETTLED_BETS.rule(
    "E201",
    "unsettled-bet",
    sources=(ARRETE_2007_ART_55_14,),
    needs=(needs.has_bets, needs.record_not_coups_alone, needs.not_voided, closed_or_left),
    each=needs.bets,
    follows_from=("past-posted-bet",),
    breach_events=(BetPlaced, BetCarried, CoupClosed, CoupOpened, ShoeEnded),
    clean_when=by_the_book,
    breaks="coup p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100",
    keeps="coup p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100, 1 pay 475",
)
def unsettled_bet(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """Every bet is taken, paid or pushed.

    One take, payment or push of any amount settles a bet, even after the close of the coup. P201 to
    P203 check the amount, and E204 checks the time. A stake that a tie leaves on the layout is
    pushed too. A coup that was closed without a card is checked too. A withdrawn bet needs no
    settlement. A bet that a ruling returns needs none either: I304 checks its return. A bet that
    had to be returned in whole as excess needs none: K502 or K509 reports it.
    """
    end = _end(view)
    if end is not None and not _needs_no_settlement(view, bet):
        yield Breach(
            f"{name_bet(view.shoe, bet)} was never settled",
            "every bet is taken, paid or pushed before the coup is closed",
            "not taken, paid or pushed",
            (bet.placed, end),
            money=_not_moved(view, bet),
        )


def is_never_settled(view: CoupView, bet: Bet) -> bool:
    """Return whether E201 reports a bet: its coup is over, and the bet was not settled."""
    if view.shoe.coverage == "coups" or view.coup.voided is not None:
        return False
    return _end(view) is not None and not _needs_no_settlement(view, bet)


def _needs_no_settlement(view: CoupView, bet: Bet) -> bool:
    """Return whether a bet was settled already, was withdrawn or had to go back."""
    if bet.moves or bet.withdrawn or bet.number in view.coup.refunded_bets:
        return True
    return _had_to_go_back(view, bet)


def _had_to_go_back(view: CoupView, bet: Bet) -> bool:
    """Return whether the whole remaining stake of a bet is excess over the bank."""
    shoe, coup = view.shoe, view.coup
    if house_covers(shoe.pack) or any(each.missing(view) for each in needs.STAKES_KNOWN):
        return False
    if is_banque(view) and not claims_of(coup):
        return False
    excess = excess_of_tableaux(shoe, coup) if is_banque(view) else excess_due(shoe, coup)
    return any(each.bet.number == bet.number and each.amount >= bet.amount for each in excess)


def _not_moved(view: CoupView, bet: Bet) -> MoneyEffect:
    """Return the amounts that were not paid or taken because a bet was not settled.

    If the amounts are unknown, return the reason.
    """
    reason = why_payments_unjudged(view)
    if reason is not None:
        return reason
    due = view.due(bet, bet.amount)
    return UNSETTLED.text if due is None else ((bet.patron, excess_moved(bet, due)),)


@UNSETTLED_BETS.rule(
    "E202",
    "voided-bet-settled",
    sources=(NSW_MINI_BACCARAT_RULE_12, ARRETE_2007_ART_55_14),
    needs=(needs.voided,),
    follows_from=("unjustified-void",),
    breach_events=(
        *(BetPlaced, BetCarried, BetPaid, BetTaken, BetPushed),
        *(CommissionCollected, CommissionMarked, CoupVoided),
    ),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1}
        bet-taken {"coup": 1, "bet": 1, "amount": 500}
        coup-voided {"coup": 1, "reason": "misdeal"}
    """,
    keeps="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1}
        bet-pushed {"coup": 1, "bet": 1}
        coup-voided {"coup": 1, "reason": "misdeal"}
    """,
)
def voided_bet_settled(view: CoupView) -> Iterator[Breach]:
    """A voided coup returns every bet; at two tableaux a natural that was paid at once stands.

    The rule adds up the takes, payments and commission of each bet, before and after the void. A
    sum of zero is right. No event has to show that a bet was returned. All bets of a coup are one
    finding. I304 reports bets that were settled against a ruling without a void. In a no-bet hand
    I309 reports them.
    """
    shoe, void = view.shoe, view.coup.voided
    paid_at_once, collected = paid_despite_void(view), with_moved_bets(view)
    net_gain: dict[int, int] = {}
    for number, bet in view.coup.bets.items():
        net_gain[number] = bet.net - collected.get(number, 0) - paid_at_once.get(number, 0)
    settled = [bet for bet in view.coup.bets.values() if net_gain[bet.number]]
    if not settled or void is None:
        return
    first, *others = settled
    moved = [
        event for bet in settled for event in (bet.placed, *bet.moves, *charged_for(view, bet))
    ]
    stood = [
        format_money(shoe, paid_at_once[bet.number])
        for bet in settled
        if bet.number in paid_at_once
    ]
    yield Breach(
        f"{_and_others(name_bet(shoe, first), len(others))} settled in a voided coup",
        f"{', '.join(stood)}: a natural that was paid at once stays paid"
        if stood
        else "a voided coup returns every bet",
        "; ".join(dict.fromkeys(what_moved(shoe, bet) for bet in settled)),
        (*moved, void) if len({bet.patron for bet in settled}) == 1 else (void, *moved),
        money=tuple((bet.patron, net_gain[bet.number]) for bet in settled),
    )


def _and_others(bet: str, others: int) -> str:
    """Return text that names a bet and the number of other bets."""
    if not others:
        return f"{bet} was"
    return f"{bet} and {others} other bet{'s' if others > 1 else ''} were"


RULES = (*UNSETTLED_BETS.rules,)
"""Every rule of this module."""
