"""Rules on payments.

The amount due to each bet follows from the cards that were dealt, whatever result was called. At
two tableaux a limited bank pays as far as its chips reach, and the croupier calls its amount. If
bets were settled exactly by a wrongly announced bank, the only breach is that announcement, and its
finding has the money. A wrong call of the result, or of the totals of hands, explains the wrong
payments that follow it. A note is a finding of the lowest severity, of a breach that the table put
right on a ruling. A rule checks voided coups too, unless it needs `needs.not_voided`.

A breach that was noted, ruled on and put right is reported as a note
(`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit import needs
from sabot.domain.audit.announced_bank import by_its_call
from sabot.domain.audit.called_payments import WRONG_CALLS, calls_followed
from sabot.domain.audit.ceased_bets import stake_unknown
from sabot.domain.audit.checks.bank.tableaux_hands import is_banque
from sabot.domain.audit.checks.commission import (
    bets_collected_later,
    bets_with_collections,
    charged_in_all,
    of_another,
)
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView, excess_moved, is_settled_as_due
from sabot.domain.audit.event_words import name_bet
from sabot.domain.audit.justification import ruled_on_since
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import Each, RuleGroup, each, need
from sabot.domain.audit.settled_stakes import with_covered_stakes
from sabot.domain.audit.wording import describe_settlement
from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPaid,
    BetPlaced,
    BetPushed,
    BetTaken,
    BetWithdrawn,
    CommissionCollected,
    CommissionMarked,
    ResultCalled,
)
from sabot.domain.events.bank import HandsCalled
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.procedure.games import game_of
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2019_ART_55_14,
    DESPACHO_55_2004_ART_13_AND_17,
    DESPACHO_55_2004_ART_18,
    NSW_MINI_BACCARAT_RULE_5,
    WIKIPEDIA_BACCARAT_MACAO,
)
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason, Unknown

# -- What payments are judged by -------------------------------------------------------------------

UNSETTLED: Final = Reason(
    "record-incomplete",
    "the recorded cards or the rule pack do not determine the result of the wager",
)
"""The reason if the amount due to a bet is not known."""
_PAYMENT_NEEDS: Final = (
    needs.pack_readable,
    needs.not_voided,
    needs.from_first_card,
    needs.all_dealt,
    needs.order_of_hands_known,
)
"""The needs of a rule on a payment."""


def why_payments_unjudged(view: CoupView) -> str | None:
    """Return the reason why no payment of a coup can be judged, or None."""
    missing = (asked.missing(view) for asked in _PAYMENT_NEEDS)
    return next((reason.text for reason in missing if reason is not None), None)


@need("play", "a ruling returned its bets", "nothing-to-check")
def bets_stand(view: CoupView) -> bool:
    """No ruling returns all bets of the coup, whether or not it was carried out."""
    coup = view.coup
    return not coup.irregularities or len(coup.refunded_bets) < len(coup.bets)


class SettledBet(Struct, frozen=True):
    """A settled bet with the amounts due to it.

    ``owed`` has these amounts, or the reason why they are unknown.
    """

    bet: Bet
    owed: Due | Reason

    @property
    def due(self) -> Due:
        """The amounts due to the bet.

        Raises:
            Unknown: they are not known.
        """
        if isinstance(self.owed, Reason):
            raise Unknown(self.owed)
        return self.owed


_DONE: Final = {"pay": "paid", "take": "taken", "push": "pushed"}


def _settled(kind: Literal["pay", "take", "push"]) -> Each[CoupView, SettledBet]:
    """Return the subjects of a rule on one kind of settlement: payment, take or push."""

    @each("settled bet", f"no settled bet was due to be {_DONE[kind]}", about="bets")
    def settled_bets(view: CoupView) -> Sequence[SettledBet]:
        """Return the settled bets to which this kind was due, or whose due is unknown.

        A bet is not checked if it was withdrawn before its settlement or if a ruling returns it.
        I304 reports a ruling that was not carried out. The stake is the one at the settlement, or
        at the close of bets if that came later. In three cases a settlement counts as right, and
        another rule reports the cause. A bet may be settled exactly by its stake before a late
        change: B203 reports the change. At baccarat banque a bet may be settled exactly by the
        wrongly announced amount of the bank: K503 reports the announcement. In the other games with
        a bank, the wrong amount of a stake may have been returned as excess. If the bet is then
        settled for the part that the bank covers, the settlement counts as right. K508 reports a
        return that was too large.
        """
        dues = bets_with_collections(view)[0] if view.coup.collected else view.settlements_due
        return [
            *_of_unknown_stake(view),
            *(
                SettledBet(bet, due or UNSETTLED)
                for bet, due in dues
                if due is None or due.kind == kind
            ),
        ]

    return settled_bets


def _of_unknown_stake(view: CoupView) -> list[SettledBet]:
    """Return the withdrawn bets settled though their stake is unknown."""
    if view.order is None:
        return []
    gone = [bet for bet in view.coup.bets.values() if bet.moves and bet.withdrawn]
    unknown = [(bet, stake_unknown(view.shoe, view.coup, bet)) for bet in gone]
    return [SettledBet(bet, reason) for bet, reason in unknown if reason is not None]


def _is_final(view: CoupView, bet: Bet, due: Due) -> bool:
    """Return whether a wrong settlement can no longer become right.

    While the coup is open, more may still be paid, taken or charged. The result is also False for a
    settlement that exactly follows a wrongly announced bank, because the announcement is the
    breach, or the stake that the bank covers, because the return of another amount is the breach.
    """
    may_come_right = (
        view.open
        and not bet.after_commission
        and bet.paid <= due.paid
        and bet.taken <= due.taken
        and bet.commission <= due.commission
    )
    return not (may_come_right or settled_by_its_call(view, bet) or settled_as_covered(view, bet))


def settled_by_its_call(view: CoupView, bet: Bet) -> bool:
    """Return whether a bet was settled exactly by a wrongly announced amount of the bank."""
    return is_banque(view) and _is_settled_by(view, by_its_call(view.coup), bet)


def settled_as_covered(view: CoupView, bet: Bet) -> bool:
    """Return whether a bet was settled for the stake that the bank covers.

    Another part of it was returned as excess.
    """
    return not is_banque(view) and _is_settled_by(view, with_covered_stakes(view.coup), bet)


def _is_settled_by(view: CoupView, coup: Coup, bet: Bet) -> bool:
    """Return whether a bet was settled as due in ``coup``, a changed copy of its coup."""
    if coup is view.coup:
        return False
    owed = game_of(view.shoe.pack).due_bets(view.shoe, coup)
    return any(each.number == bet.number and is_settled_as_due(bet, due) for each, due in owed)


def _errors_cancel_out(view: CoupView, bet: Bet, due: Due) -> bool:
    """Return whether a wrong payment and a wrong commission of a bet cancel each other.

    No chip is then missing, but the recorded amounts are wrong. A dealer who pays winnings net of
    commission without recording commission makes no error. Neither does a dealer who later returns
    an amount kept by mistake.
    """
    if not bet.commission or bet.after_commission or bet.net != due.net:
        return False
    return bet.paid - bet.taken != due.paid - due.taken and not _put_right(view, bet)


def _put_right(view: CoupView, bet: Bet) -> bool:
    """Return whether chips of a bet moved, or may have moved, after its commission."""
    moves = events_of((BetPaid, BetTaken), bet.moves)
    # a payment, and what puts it right
    if len(moves) <= 1:
        return False
    if view.shoe.order is not None:
        return True
    charged = max((event.position for event in _charges(view, bet)), default=0)
    return moves[-1].position > charged


def _charges(view: CoupView, bet: Bet) -> list[RecordedEvent]:
    return [
        event
        for event in events_of((CommissionCollected, CommissionMarked), view.coup.events)
        if event.payload.bet == bet.number
    ]


# -- The rules -------------------------------------------------------------------------------------

PAYMENTS = RuleGroup(family="payout", concerns="money")
STAKED_OR_SETTLED: Final = (
    BetPlaced, BetCarried, BetChanged, BetWithdrawn, BetPaid, BetTaken, BetPushed,
)  # fmt: skip
_OF_A_BET: Final = (*STAKED_OR_SETTLED, CommissionCollected, CommissionMarked)


@PAYMENTS.rule(
    "P201",
    "wrong-payout",
    needs=(
        needs.has_bets,
        *_PAYMENT_NEEDS,
        bets_stand,
    ),
    sources=(
        ARRETE_2007_ART_55_14,
        ARRETE_2019_ART_55_14,
        DESPACHO_55_2004_ART_13_AND_17,
        DESPACHO_55_2004_ART_18,
        WIKIPEDIA_BACCARAT_MACAO,
    ),
    each=_settled("pay"),
    breach_events=(*_OF_A_BET, ResultCalled, HandsCalled),
    follows_from=(*WRONG_CALLS, "stake-beside-banco"),
    clean_when=by_the_book,
    breaks="coup p1 tie 500 | P 4 5  B K 9 | T | 1 pay 4500",
    keeps="coup p1 tie 500 | P 4 5  B K 9 | T | 1 pay 4000",
)
def wrong_payout(view: CoupView, settled: SettledBet) -> Iterator[Breach]:
    """A winning bet is paid exactly what the rule pack states, on the cards that were dealt.

    All payments and takes of the bet in the coup are added up, also after the close of the coup. A
    payment of the winnings less the commission due is permitted. A wrong payment and a wrong
    commission that cancel each other are a breach, unless chips moved after the commission to put
    it right. A wrong payment that was put right is not a breach. The finding is a note if, after
    the first payment, a ruling ordered its correction. While the coup is open, an underpayment is
    not yet a breach. It is a breach at once if chips of the bet were taken, or if the payment is
    recorded as net of commission. E201 reports a bet that was never settled.
    """
    bet, due = settled.bet, settled.due
    wrong = _is_paid_wrong(bet, due) or _errors_cancel_out(view, bet, due)
    if not wrong:
        yield from _put_right_later(view, bet, due)
    elif _is_final(view, bet, due):
        over = excess_moved(bet, due)
        said = f"{'overpaid' if over > 0 else 'underpaid'} by {format_money(view.shoe, abs(over))}"
        if not over:
            said = "payment and commission are both wrong, though their sum is right"
        required = f"pay {format_money(view.shoe, due.paid)}"
        if due.commission:
            commission, net = (
                format_money(view.shoe, due.commission),
                format_money(view.shoe, due.net),
            )
            required += f" less commission {commission}, net {net}"
        yield _breach(view, bet, due, said, required)


def _is_paid_wrong(bet: Bet, due: Due) -> bool:
    paid = bet.paid - bet.taken
    if bet.after_commission:
        return paid != due.net
    return paid != due.paid and bet.net != due.net


@PAYMENTS.rule(
    "P202",
    "losing-bet-not-taken",
    needs=(
        needs.has_bets,
        *_PAYMENT_NEEDS,
        bets_stand,
    ),
    sources=(ARRETE_2007_ART_55_14, NSW_MINI_BACCARAT_RULE_5),
    each=_settled("take"),
    breach_events=(*_OF_A_BET, ResultCalled, HandsCalled),
    follows_from=WRONG_CALLS,
    clean_when=by_the_book,
    breaks="coup p1 player 500 | P 4 4  B K 9 | B | 1 push",
    keeps="coup p1 player 500 | P 4 4  B K 9 | B | 1 take 500",
)
def losing_bet_not_taken(view: CoupView, settled: SettledBet) -> Iterator[Breach]:
    """A losing bet is taken, the whole of it and no more.

    All takes, payments and commission of the bet in the coup are added up, also after the close of
    the coup. To push or to pay a losing bet is also a breach. A wrong take and a wrong commission
    that cancel each other are also a breach, unless chips moved after the commission to put it
    right. A wrong settlement that was put right is not a breach. The finding is a note if, after
    the first take, payment or push, a ruling ordered its correction. While the coup is open, too
    little taken is not yet a breach, but a payment or commission is. E201 reports a bet that was
    never settled.
    """
    bet, due = settled.bet, settled.due
    wrong = bet.net != due.net or _errors_cancel_out(view, bet, due)
    if not wrong:
        yield from _put_right_later(view, bet, due)
    elif _is_final(view, bet, due):
        required = f"take {format_money(view.shoe, due.taken)}"
        yield _breach(view, bet, due, _loser_said(view.shoe, bet, due), required)


def _loser_said(shoe: Shoe, bet: Bet, due: Due) -> str:
    """Return text for what was wrong with the settlement of a losing bet."""
    if bet.taken - bet.paid == due.taken:
        said = "commission was charged on the losing bet"
    elif bet.net < due.net:
        said = "too much was taken of the losing bet"
    elif bet.net == due.net:
        said = "the losing bet was not taken exactly"
    elif not bet.taken:
        said = "the losing bet was not taken"
    else:
        taken = "" if bet.paid else f": {format_money(shoe, bet.taken)} was taken"
        said = f"the losing bet was not taken in full{taken}"
    return said


@PAYMENTS.rule(
    "P203",
    "push-paid-or-taken",
    needs=(
        needs.has_bets,
        *_PAYMENT_NEEDS,
        bets_stand,
    ),
    sources=(ARRETE_2007_ART_55_14, NSW_MINI_BACCARAT_RULE_5),
    each=_settled("push"),
    breach_events=(*_OF_A_BET, ResultCalled, HandsCalled),
    follows_from=WRONG_CALLS,
    clean_when=by_the_book,
    breaks="coup p1 player 500 | P 4 5  B K 9 | T | 1 take 500",
    keeps="coup p1 player 500 | P 4 5  B K 9 | T | 1 push",
)
def push_paid_or_taken(view: CoupView, settled: SettledBet) -> Iterator[Breach]:
    """A bet that pushes is neither taken nor paid; a tie pushes Player and Banker bets.

    The rule pack says which other bets push. At two tableaux a winning bet that the bank cannot
    reach pushes too. All takes, payments and commission of the bet in the coup are added up, also
    after the close of the coup. So a push with commission is a breach. An amount that was taken and
    paid back is not a breach. The finding is a note if, after the first take or payment, a ruling
    ordered its correction. While the coup is open, a take, a payment or commission is a breach at
    once. E201 reports a bet that was never settled.
    """
    bet, due = settled.bet, settled.due
    wrong = bet.net or _errors_cancel_out(view, bet, due)
    if not wrong:
        yield from _put_right_later(view, bet, due)
    elif _is_final(view, bet, due):
        moved = what_moved(view.shoe, bet)
        yield _breach(view, bet, due, f"due a push, but {moved}", "neither take nor pay")


def _put_right_later(view: CoupView, bet: Bet, due: Due) -> Iterator[Breach]:
    """Yield a breach for a wrong settlement that was put right, if somebody ruled on it.

    The last payment, take or push of the bet put it right.
    """
    at_first = bet.moves[:-1]
    paid = sum(each.payload.amount for each in events_of(BetPaid, at_first))
    taken = sum(each.payload.amount for each in events_of(BetTaken, at_first))
    over = paid - taken - (due.paid - due.taken)
    if at_first and over and ruled_on_since(view, "wrong-payment", at_first[0]):
        amount = f"{format_money(view.shoe, abs(over))} {'too much' if over > 0 else 'too little'}"
        said = f"the patron first got {amount}; that was put right"
        breach = _breach(view, bet, due, said, due.kind)
        yield replace(breach, money=(), put_right=True)


def _breach(view: CoupView, bet: Bet, due: Due, message: str, required: str) -> Breach:
    """Return the breach. It shows the wrong calls that the settlement followed."""
    followed = calls_followed(view, bet, due)
    charged = charged_for(view, bet) if bet.commission and due.kind != "pay" else ()
    return Breach(
        f"{name_bet(view.shoe, bet)}: {message}",
        f"{required} ({due.line})",
        what_moved(view.shoe, bet),
        (bet.placed, *bet.changes, *bet.moves, *charged, *followed),
        money=((bet.patron, excess_moved(bet, due)),),
    )


def what_moved(shoe: Shoe, bet: Bet) -> str:
    """Return text for how a bet was settled."""
    return describe_settlement(bet, partial(format_money, shoe))


# -- Commission ------------------------------------------------------------------------------------


@need("bets", "the record may lack commission")
def commission_on_record(view: CoupView) -> bool:
    """The record holds more than coups alone, or it holds commission.

    Where commission is marked, it has to be commission on a bet.
    """
    pack = view.shoe.pack
    marks = pack is not None and pack.commission.due == "marked"
    if needs.record_not_coups_alone.missing(view) is None:
        return True
    on_record = events_of(
        (CommissionMarked, CommissionCollected), apply_corrections(view.shoe.history)
    )
    return any(is_of(each, CommissionMarked) or each.payload.bet or not marks for each in on_record)


@PAYMENTS.rule(
    "P204",
    "wrong-commission",
    needs=(
        needs.has_bets,
        *_PAYMENT_NEEDS,
        bets_stand,
    ),
    sources=(DESPACHO_55_2004_ART_18, ARRETE_2007_ART_55_14),
    each=_settled("pay"),
    due=commission_on_record,
    breach_events=_OF_A_BET,
    follows_from=("carried-bet-without-tie",),
    clean_when=by_the_book,
    breaks="coup p1 banker 500 | P 4 4  B K 9 | B | 1 pay 500",
    keeps="coup p1 banker 500 | P 4 4  B K 9 | B | 1 pay 500, 1 collect 25",
)
def wrong_commission(view: CoupView, settled: SettledBet) -> Iterator[Breach]:
    """A winning bet is charged exactly the commission that the rule pack sets on its winnings.

    Commission is included whether it was marked or collected, for the bet or for the coup as a
    whole. Commission does not put a breach right if another patron paid it for the bet, or if it
    was collected later for no coup. If the patron's commission on all bets of the coup is right in
    total, this rule is kept. P201 judges a bet whose winnings were paid wrongly, or net of
    commission. While the coup is open, too little commission is not a breach.
    """
    bet, due = settled.bet, settled.due
    if _is_charged_wrong(view, bet, due) and _is_final(view, bet, due):
        charged = format_money(view.shoe, bet.commission)
        commission, won = format_money(view.shoe, due.commission), format_money(view.shoe, due.paid)
        breach = Breach(
            f"{name_bet(view.shoe, bet)}: commission of {charged} was charged, "
            f"{commission} was due",
            f"commission {commission} on winnings of {won}",
            f"commission {charged}",
            (bet.placed, *bet.changes, *bet.moves, *charged_for(view, bet)),
            money=((bet.patron, excess_moved(bet, due)),),
        )
        yield _charged_elsewhere(view, bet, due, breach)


def charged_for(view: CoupView, bet: Bet) -> list[RecordedEvent]:
    """Return the commission charged for a bet, or for all bets of its patron in the coup."""
    collected = events_of(CommissionCollected, view.coup.events)
    of_patron = (each for each in collected if each.payload.patron == bet.patron)
    return [*_charges(view, bet), *(each for each in of_patron if each.payload.bet is None)]


def _is_charged_wrong(view: CoupView, bet: Bet, due: Due) -> bool:
    if bet.after_commission or bet.paid - bet.taken != due.paid:
        return False
    if view.open and bet.commission < due.commission:
        return False
    return bet.commission != due.commission and not charged_in_all(view, bet.patron)


def _charged_elsewhere(view: CoupView, bet: Bet, due: Due, breach: Breach) -> Breach:
    """Return the breach, with a note on where the missing commission was collected.

    Another patron paid it, or it was collected later.
    """
    over = excess_moved(bet, due)
    elsewhere = of_another(view) if view.coup.collected else None
    if elsewhere is not None and elsewhere[0] == bet.number:
        other = elsewhere[1]
        return replace(
            breach,
            message=f"{breach.message}: {other} gave it",
            money=((bet.patron, over), (other, -over)),
        )
    late = bets_collected_later(view.shoe, bet.patron)[0].get((view.coup.number, bet.number), 0)
    if not late:
        return breach
    said = f"{breach.message}, and {format_money(view.shoe, late)} later, for no coup"
    return replace(breach, message=said, money=((bet.patron, over - late),))


RULES = (*PAYMENTS.rules,)
"""Every rule of this module."""
