"""Payments against a bank of two wings that was called wrong: who pays by the call has one slip.

A limited bank pays as far as it reaches, and how far that is the croupier has called. Where bets
were settled exactly as if there lay what he called, the call is the one finding, and bears what
was moved by it.

Rules of payment: each bet against what is due on the cards that were dealt.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit.announced_bank import by_its_call
from sabot.domain.audit.ceased_bets import stake_in_doubt
from sabot.domain.audit.checks.bank.tableaux_hands import is_banque
from sabot.domain.audit.checks.commission import charged, later, of_another
from sabot.domain.audit.costs import cancels, charged_in_all, excess_moved
from sabot.domain.audit.rule import (
    NO_BREACH,
    STARTS_BEFORE_RECORD,
    Answer,
    Breach,
    CoupView,
    Doubt,
    MoneyEffect,
    Rule,
    is_as_due,
)
from sabot.domain.audit.table_order import hands_in_doubt
from sabot.domain.audit.wording import money, moved
from sabot.domain.events import CommissionCollected, CommissionMarked
from sabot.domain.procedure.games import game_of
from sabot.domain.rules.payouts import Due
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe


def settled_by_its_call(view: CoupView, bet: Bet) -> bool:
    """Tell whether a bet was settled as is due where the bank holds what was called wrong."""
    called = by_its_call(view.coup) if is_banque(view) else view.coup
    if called is view.coup:
        return False
    owed = game_of(view.shoe.pack).due_bets(view.shoe, called)
    return any(each.number == bet.number and is_as_due(bet, due) for each, due in owed)


def moved_by_its_call(view: CoupView) -> MoneyEffect | None:
    """Return what each patron has too much by a wrong call of the bank; None: nobody has."""
    return (
        tuple(
            (bet.patron, excess_moved(bet, due))
            for bet, due in view.dues
            if due is not None and not is_as_due(bet, due) and settled_by_its_call(view, bet)
        )
        or None
    )


_CITES = ("field-facts.md 3 A12", "the shoe's rule pack, wagers and commission")
_Wrong = Callable[[Bet, Due], bool]
_Say = Callable[[Shoe, Bet, Due], Breach]
_Slips = Callable[[CoupView, Bet, Due], bool]
_RULED_BACK: Final = "its bets go back on a ruling"


def _judged(view: CoupView, kind: str, wrong: _Wrong, say: _Say, slips: _Slips = cancels) -> Answer:
    """Judge the bets to which one kind of settlement is due."""
    coup = view.coup
    if not coup.bets:
        return "the coup has no bets"
    reason = unsettled(view)
    if reason:
        return reason
    unsure = _in_doubt(view)
    if view.as_due:
        answer = NO_BREACH if kind in view.as_due else f"no settled bet was due a {kind}"
        return _with_doubts(answer, unsure)
    dues = charged(view)[0] if coup.collected else view.dues
    judged = [(bet, due) for bet, due in dues if due is not None and due.kind == kind]
    if judged:
        found = [
            (bet, due)
            for bet, due in judged
            if (wrong(bet, due) or slips(view, bet, due)) and not settled_by_its_call(view, bet)
        ]
        if found and view.open:
            found = [(bet, due) for bet, due in found if not _may_come_right(bet, due)]
        return _with_doubts(tuple([say(view.shoe, bet, due) for bet, due in found]), unsure)
    return _with_doubts(_none_judged(view, kind), unsure)


def _none_judged(view: CoupView, kind: str) -> str:
    """Say why no bet was judged to which one kind of settlement is due."""
    coup = view.coup
    if any(due is None for _, due in view.dues):
        return "the record's cards, or the pack, do not settle the wager"
    back = coup.irregularities and len(coup.refunded_bets) == len(coup.bets)
    return _RULED_BACK if back else f"no settled bet was due a {kind}"


def _in_doubt(view: CoupView) -> list[str]:
    """Say of bets that were changed or withdrawn why nobody knows for which stake they settled."""
    if view.shoe.order is None:
        return []
    changed = [bet for bet in view.coup.bets.values() if bet.moves and bet.withdrawn]
    doubts = (stake_in_doubt(view.shoe, view.coup, bet) for bet in changed)
    return [reason for reason in doubts if reason is not None]


def _with_doubts(answer: Answer, unsure: list[str]) -> Answer:
    if not unsure:
        return answer
    if isinstance(answer, str):
        return unsure[0]
    return (*answer, *map(Doubt, unsure))


def _may_come_right(bet: Bet, due: Due) -> bool:
    """Whether a bet lacks no more than what may still be paid, taken or charged in this coup."""
    return (
        not bet.after_commission
        and bet.paid <= due.paid
        and bet.taken <= due.taken
        and bet.commission <= due.commission
    )


def unsettled(view: CoupView) -> str | None:
    """Return why no payment of a coup can be judged."""
    if view.cashier is None:
        return "the rule pack cannot be read"
    if view.coup.voided is not None:
        return "the coup was voided"
    if not view.dealt:
        return (
            STARTS_BEFORE_RECORD
            if view.starts_before_record
            else "a hand lacks cards that come first"
        )
    return hands_in_doubt(view)


def what_moved(shoe: Shoe, bet: Bet) -> str:
    """Say what was done to a bet, in the money of the shoe's pack."""
    return moved(bet, partial(money, shoe))


def about(shoe: Shoe, bet: Bet) -> str:
    """Name a bet: whose it is, how much, and on what."""
    return f"{bet.patron}'s {money(shoe, bet.amount)} on {bet.wager}"


def _breach(shoe: Shoe, bet: Bet, due: Due, message: str, required: str) -> Breach:
    return Breach(
        f"{about(shoe, bet)}: {message}", f"{required} ({due.line})", what_moved(shoe, bet),
        (bet.placed, *bet.changes, *bet.moves),
        money=((bet.patron, excess_moved(bet, due)),),
    )  # fmt: skip


def _winner_wrong(bet: Bet, due: Due) -> bool:
    if bet.after_commission:
        return bet.paid - bet.taken != due.net
    return bet.paid - bet.taken != due.paid and bet.net != due.net


def _say_winner(shoe: Shoe, bet: Bet, due: Due) -> Breach:
    over = excess_moved(bet, due)
    message = f"{'overpaid' if over > 0 else 'underpaid'} by {money(shoe, abs(over))}"
    if not over:
        message = "payment and commission are both wrong, though together they come to what is due"
    required = f"pay {money(shoe, due.paid)}"
    if due.commission:
        required += f" less commission {money(shoe, due.commission)}, net {money(shoe, due.net)}"
    return _breach(shoe, bet, due, message, required)


def _winners(view: CoupView) -> Answer:
    return _judged(view, "pay", _winner_wrong, _say_winner)


def _loser_wrong(bet: Bet, due: Due) -> bool:
    return bet.net != due.net


def _say_loser(shoe: Shoe, bet: Bet, due: Due) -> Breach:
    required = f"take {money(shoe, due.taken)}"
    return _breach(shoe, bet, due, "lost, and was not taken as it should", required)


def _losers(view: CoupView) -> Answer:
    return _judged(view, "take", _loser_wrong, _say_loser)


def _push_wrong(bet: Bet, _due: Due) -> bool:
    return bet.net != 0


def _say_push(shoe: Shoe, bet: Bet, due: Due) -> Breach:
    return _breach(shoe, bet, due, "was due a push", "neither take nor pay")


def _pushes(view: CoupView) -> Answer:
    return _judged(view, "push", _push_wrong, _say_push)


def _commission_wrong(bet: Bet, due: Due) -> bool:
    gross_right = bet.paid - bet.taken == due.paid
    return not bet.after_commission and gross_right and bet.commission != due.commission


def _say_commission(shoe: Shoe, bet: Bet, due: Due) -> Breach:
    charged = f"commission {money(shoe, bet.commission)}"
    return Breach(
        f"{about(shoe, bet)}: {charged} was charged",
        f"commission {money(shoe, due.commission)} on winnings of {money(shoe, due.paid)}",
        charged,
        (bet.placed, *bet.moves),
        money=((bet.patron, excess_moved(bet, due)),),
    )


def _commission(view: CoupView) -> Answer:
    def wrong(bet: Bet, due: Due) -> bool:
        return _commission_wrong(bet, due) and not charged_in_all(view, bet.patron)

    def say(shoe: Shoe, bet: Bet, due: Due) -> Breach:
        return _charged_elsewhere(view, bet, due, _say_commission(shoe, bet, due))

    answer = _judged(view, "pay", wrong, say, lambda *_: False)
    if answer and not isinstance(answer, str) and _may_lack_commission(view.shoe):
        return "the record may lack commission"
    return answer


def _charged_elsewhere(view: CoupView, bet: Bet, due: Due, breach: Breach) -> Breach:
    """Say of commission that a bet lacks who gave it instead, or that it was collected later."""
    over = excess_moved(bet, due)
    elsewhere = of_another(view) if view.coup.collected else None
    if elsewhere is not None and elsewhere[0] == bet.number:
        other = elsewhere[1]
        return replace(
            breach,
            message=f"{breach.message}: {other} gave it",
            money=((bet.patron, over), (other, -over)),
        )
    late = later(view.shoe, bet.patron)[0].get((view.coup.number, bet.number), 0)
    if not late:
        return breach
    said = f"{breach.message}, and {money(view.shoe, late)} later, for no coup"
    return replace(breach, message=said, money=((bet.patron, over - late),))


def _may_lack_commission(shoe: Shoe) -> bool:
    """Tell whether a record of coups alone tells of no commission on a bet.

    Where it is marked, what is collected later, of no one bet, does not say what was marked.
    """
    marks = shoe.pack is not None and shoe.pack.commission.due == "marked"
    return shoe.scope == "coups" and not any(
        isinstance(each.payload, CommissionMarked)
        or (isinstance(each.payload, CommissionCollected) and (each.payload.bet or not marks))
        for each in shoe.history
    )


RULES = (
    Rule(
        "P201",
        "wrong-payout",
        "payout",
        "high",
        "A winning bet is paid what the pack says, on the cards dealt.",
        _CITES,
        on_coup=_winners,
    ),
    Rule(
        "P202",
        "losing-bet-not-taken",
        "payout",
        "high",
        "A losing bet is taken, the whole of it and no more.",
        _CITES,
        on_coup=_losers,
    ),
    Rule(
        "P203",
        "push-paid-or-taken",
        "payout",
        "high",
        "A tie pushes Player and Banker bets; a push is neither taken nor paid.",
        (*_CITES, "field-facts.md 1.1 #7"),
        on_coup=_pushes,
    ),
    Rule(
        "P204",
        "wrong-commission",
        "payout",
        "medium",
        "Commission is due on the winnings of winning bets alone, at the pack's rate.",
        (*_CITES, "field-facts.md 1.1 #6"),
        on_coup=_commission,
    ),
)
