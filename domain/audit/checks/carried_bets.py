"""Rules on bets after a tie. Depending on the rule pack they stay on the layout or go back.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.carried_stakes import (
    CarriedStakes,
    LaidAgain,
    as_if_carried,
    compare_carried,
    gains_by_taking_up,
    lost_by_the_owner,
    of_the_owner,
    settled_without_bet,
    shown_of_the_owner,
    what_lay,
)
from sabot.domain.audit.checks.bets import closing_events
from sabot.domain.audit.completeness import NO_BETS
from sabot.domain.audit.coup_profile import CoupProfile, ShoeProfile
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import name_stake
from sabot.domain.audit.late_change_reversals import stake_before
from sabot.domain.audit.rule import Breach, MoneyEffect
from sabot.domain.audit.rule_group import RuleGroup, need
from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPaid,
    BetPlaced,
    BetPushed,
    BetTaken,
    BetWithdrawn,
    CardDrawn,
)
from sabot.domain.events.bank import HandGiven
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of
from sabot.domain.procedure.common import MAIN_WAGERS, staying_bets
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.procedure.preconditions import bet_requirements
from sabot.domain.rules.coup_result import Result, result_of
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.payouts import cashier_for
from sabot.domain.rules.sources import WIKIPEDIA_BACCARAT_PUNTO_BANCO
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import settle

CARRIED = RuleGroup(family="procedure", concerns="money", games=("punto-banco", "chemin-de-fer"))


# -- The coup before -------------------------------------------------------------------------------


def _before(view: CoupView) -> Coup | None:
    return view.shoe.coups.get(view.coup.number - 1)


@need("play", "the record lacks the previous coup")
def coup_before_on_record(view: CoupView) -> bool:
    """The record holds the previous coup, with its opening."""
    before = _before(view)
    return before is not None and before.opened is not None


@need("play", "the previous coup had no result", "nothing-to-check")
def coup_before_played(view: CoupView) -> bool:
    """The previous coup got a card or a call, was not a free hand, and was not voided."""
    before = _before(view)
    if before is None:
        return True
    dealt = before.first_card is not None or bool(before.calls)
    return dealt and before.voided is None and not before.free


_LEFT_BY_A_TIE: Final = (
    needs.record_not_coups_alone,
    needs.pack_readable,
    coup_before_on_record,
    coup_before_played,
)
"""The needs for knowing which bets the previous coup left on the layout."""


# -- Bets that were carried over -------------------------------------------------------------------


@need("bets", "no bet was carried", "nothing-to-check")
def bets_carried(view: CoupView) -> bool:
    """A bet was carried over from the previous coup."""
    return bool(_carried(view.coup))


def _carried(coup: Coup) -> list[Bet]:
    return [bet for bet in coup.bets.values() if bet.carried]


def _carries_none(coup: CoupProfile, _: ShoeProfile) -> bool:
    """Return True for a coup without errors that has no carried bets."""
    return BetCarried not in coup.kinds


@CARRIED.rule(
    "B212",
    "carried-bet-without-tie",
    sources=(WIKIPEDIA_BACCARAT_PUNTO_BANCO,),
    needs=(bets_carried, *_LEFT_BY_A_TIE),
    breach_events=(BetCarried, BetPushed, BetPaid, BetTaken, HandGiven),
    clean_when=_carries_none,
    breaks="""
        coup p1 player 500 | P 4 5  B K 9
        coup +p1 player 600 | P 4 5  B K 8
    """,
    keeps="""
        coup p1 player 500 | P 4 5  B K 9
        coup +p1 player 500 | P 4 5  B K 8
    """,
)
def carried_bet_without_tie(view: CoupView) -> Iterator[Breach]:
    """A carried bet is one that a tie left on the layout: same patron, same wager, same stake.

    A tie leaves every Player and Banker bet of the previous coup that was not withdrawn, even one
    that was wrongly settled. A Player or Banker bet that was pushed without a tie is also left on
    the layout. At punto banco any bet that the rule pack has pushed is left there too. A patron's
    bets on one wager may be carried over as one bet, or one bet as several, if the total stays the
    same. If the rule pack does not say that tied bets stay, no bet may be carried over. A stake
    that is carried under another patron's name is one breach, which names both patrons. A stake
    that was wrongly carried into the previous coup may be carried on as recorded, or as it was
    before the error. The finding has no money if the bet was settled by the stake that really lay
    on the layout.
    """
    shoe, before = view.shoe, _before(view)
    assert before is not None
    moves = (move for bet in before.bets.values() for move in bet.moves)
    settle(view, (bet.placed for bet in _carried(view.coup)), moves)
    left = _left_lying(shoe, before)
    for wrong in _compared(shoe, view.coup, left).wrong:
        bet, lay = wrong.bet, wrong.left
        patron, wager, amount = bet_requirements.stake_of(bet)
        said = what_lay(shoe, wrong) or "no such bet of this patron"
        yield Breach(
            f"{name_stake(shoe, patron, amount, wager)} was carried over"
            f"{of_the_owner(shoe, wrong)}; {shoe.coup_name(before.number)} left {said}",
            f"a bet that a tie left on the layout: {said} in {shoe.coup_name(before.number)}",
            f"{format_money(shoe, amount)} carried",
            (
                bet.placed,
                *(move for each in left for move in each.moves[-1:]),
                *shown_of_the_owner(view.coup, wrong),
            ),
            patron=patron,
            key=("bet", bet.number),
            stake=lay,
            money=lost_by_the_owner(view, wrong),
        )


def _compared(shoe: Shoe, coup: Coup, left: list[Bet]) -> CarriedStakes:
    """Compare the carried bets of a coup with those that the previous coup left on the layout."""
    stakes = [(bet.patron, bet.wager, bet.amount) for bet in left]
    earlier, before = None, shoe.coups.get(coup.number - 1)
    if before is not None and any(bet.is_carried_anew for bet in before.bets.values()):
        last = shoe.coups.get(before.number - 1)
        earlier = _compared(shoe, before, _left_lying(shoe, last) if last is not None else [])
    return compare_carried(_carried(coup), stakes, bet_requirements.was_left_by_tie, earlier)


def _left_lying(shoe: Shoe, before: Coup) -> list[Bet]:
    """Return the bets that a coup left on the layout.

    These are the bets that were pushed, and those that had to be pushed. The rules on that coup
    judge how they were settled.
    """
    if shoe.pack is None or not shoe.pack.tie.bets_stay:
        return []
    dealt = before.player and before.banker
    result = result_of(before.player, before.banker) if dealt else None
    standing = (bet for bet in before.bets.values() if not bet.withdrawn)
    return [bet for bet in standing if _stays(shoe, result, bet)]


def _stays(shoe: Shoe, result: Result | None, bet: Bet) -> bool:
    main = bet.wager in MAIN_WAGERS
    if main and bet.pushed:
        return True
    if result is None:
        return False
    if main and result.outcome == "T":
        return True
    if game_of(shoe.pack).name != "punto-banco":
        return False
    due = cashier_for(shoe.pack_text).due(bet.wager, result, bet.amount)
    return due is not None and due.kind == "push"


# -- Bets that a tie holds -------------------------------------------------------------------------


@need("bets", NO_BETS, "nothing-to-check")
def bets_now_or_before(view: CoupView) -> bool:
    """There are bets in the coup or the previous one."""
    before = _before(view)
    return bool(view.coup.bets) or (before is not None and bool(before.bets))


@need("order")
def changes_known(view: CoupView) -> bool:
    """It is known which changes of bets came before the close of bets and before the settlement."""
    bets = view.coup.bets.values()
    moves = [move for bet in bets for move in bet.moves]
    settle(
        view, [event for bet in bets for event in bet.changes], [*moves, *closing_events(view.coup)]
    )
    return True


def _holds_none(coup: CoupProfile, _: ShoeProfile) -> bool:
    """Return True if no bet is held after a tie in this coup without errors."""
    return not coup.held


@CARRIED.rule(
    "B213",
    "held-bet-taken-up",
    sources=(WIKIPEDIA_BACCARAT_PUNTO_BANCO,),
    needs=(
        needs.pack_says(
            "that a tie holds the bets",
            lambda pack: pack.tie.bets_stay and not pack.tie.withdrawable,
        ),
        bets_now_or_before,
        changes_known,
    ),
    breach_events=(
        *(BetPlaced, BetCarried, BetChanged, BetWithdrawn, CardDrawn, HandGiven),
        *(BetPaid, BetPushed, BetTaken),
    ),
    one_cause=True,
    follows_from=("carried-bet-without-tie",),
    clean_when=_holds_none,
    breaks="""
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        coup-opened {"coup": 2}
        bet-carried {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        bet-withdrawn {"coup": 2, "bet": 1}
        no-more-bets {"coup": 2}
        deal P 4 5  B K 8
        due
    """,
    keeps="""
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        coup-opened {"coup": 2}
        bet-carried {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        no-more-bets {"coup": 2}
        deal P 4 5  B K 8
        due
    """,
)
def held_bet_taken_up(view: CoupView) -> Iterator[Breach]:
    """A bet that a tie holds is not lowered, withdrawn or left out before a coup decides it.

    A held bet is a Player or Banker bet that a tie pushed, or any bet that was carried over. After
    the push, the patron may add to the bet, and take off again what was added. B203 reports a
    change after the close of bets, and B212 a bet carried with another stake. A missing held bet is
    reported only if the next coup has a card and is not a free hand. The record must hold the
    previous coup from its opening, and that coup must not be void. If a held bet is missing, or was
    reduced or withdrawn after it was carried, the patron may bet the missing amount again. This
    must be on the same wager and before the close of bets. If the new bet is smaller, only the
    difference is a breach.
    """
    coup, again = view.coup, LaidAgain(view)
    for bet in coup.bets.values():
        changed = _changed_when_pushed(view, bet)
        if lowered := _lowered_when_carried(coup, bet):
            held, lies = bet.placed.payload.amount, again.with_rest_of(bet)
            if lies < held:
                yield _taken_up(view, bet, lowered[:1], gains_by_taking_up(view, bet, held, lies))
        elif changed:
            yield _taken_up(view, bet, changed[:1], _NEXT_COUP_DECIDES)
    if not coup.cards or coup.free or any(each.missing(view) for each in _LEFT_BY_A_TIE):
        return
    staying = staying_bets(view.shoe, coup)
    carried = _compared(view.shoe, coup, staying)
    for bet in staying:
        stake = (bet.patron, bet.wager, bet.amount)
        if stake in carried.gone and first_of(BetWithdrawn, bet.changes) is None:
            carried.gone.remove(stake)
            lies = again.take(bet.patron, bet.wager, bet.amount)
            if lies < bet.amount:
                left = as_if_carried(view, bet, bet.wager)
                gains = gains_by_taking_up(view, left, bet.amount, lies)
                yield _taken_up(view, bet, _gone_by(coup, bet, carried.instead_of(stake)), gains)


def _gone_by(coup: Coup, bet: Bet, instead: list[Bet]) -> list[RecordedEvent]:
    """Return the events that show that a held bet was left out of a coup.

    They are the first card, a hand that was given to its patron, a bet carried in its place, and
    settlements of bets that are not on record.
    """
    given = [e for e in bank_events_of(coup).given if e.payload.to == bet.patron]
    placed = (each.placed for each in instead)
    return [coup.cards[0], *given, *placed, *settled_without_bet(coup)]


def _lowered_when_carried(coup: Coup, bet: Bet) -> list[RecordedEvent]:
    """Return the changes that lowered or withdrew a carried bet before the close."""
    if not bet.carried:
        return []
    closed = coup.bets_closed
    early = [each for each in bet.changes if closed is None or each.position < closed]
    carried = bet.placed.payload.amount
    return [
        each for each in early if not bet_requirements.leaves_held_bet(carried, stake_after(each))
    ]


def _changed_when_pushed(view: CoupView, bet: Bet) -> list[RecordedEvent]:
    """Return the changes that lowered a bet, or withdrew it, after a tie pushed it.

    What was added after the push may be taken off again.
    """
    tied = view.dealt and view.result.outcome == "T" and view.coup.voided is None
    if not tied or bet.wager not in MAIN_WAGERS:
        return []
    pushed = [move.position for move in events_of(BetPushed, bet.moves)]
    changes = [each for each in bet.changes if pushed and each.position > max(pushed)]
    held = stake_before(bet, changes[0]) if changes else 0
    return [
        each for each in changes if not bet_requirements.leaves_held_bet(held, stake_after(each))
    ]


_NEXT_COUP_DECIDES: Final = "the next coup decides the bet"


def _taken_up(
    view: CoupView, bet: Bet, shown: Sequence[RecordedEvent], gains: MoneyEffect | None
) -> Breach:
    staked = format_money(view.shoe, bet.placed.payload.amount)
    return Breach(
        f"{bet.patron} took up {staked} on {wager_label(bet.wager)}, held by a tie",
        "a bet that a tie holds stays for the next coup",
        "lowered, withdrawn, or missing",
        (bet.placed, *shown),
        patron=bet.patron,
        money=gains,
        key=("held", bet.patron, bet.wager, bet.number),
        offending_event=shown[0],
    )


RULES = (*CARRIED.rules,)
"""Every rule of this module."""
