"""Rules on stakes at baccarat banque.

They cover held stakes, places and amounts. A stake is on the right tableau, on the left one, or à
cheval (half on each). A stake that ties or is split between the tableaux is held for the next coup.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
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
from sabot.domain.audit.checks.bank.banco import stake_beside_banco
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import name_bet, name_stake
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.audit.settled_stakes import lying_at
from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPaid,
    BetPlaced,
    BetPushed,
    BetTaken,
    BetWithdrawn,
    CoupOpened,
)
from sabot.domain.events.bank import ExcessReturned, HandGiven
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.patron_bank import open_bets
from sabot.domain.procedure.preconditions import bet_requirements, tableaux_requirements
from sabot.domain.procedure.two_tableaux.banco_claims import banco_claimants
from sabot.domain.procedure.two_tableaux.held_stakes import Frozen, stakes_held_for
from sabot.domain.procedure.two_tableaux.tableaux import (
    earlier_coups,
    hands_are_dealt,
    rule_of,
    tableau_of,
)
from sabot.domain.procedure.two_tableaux.tableaux_settlement import payment_turns
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_61,
    REGOLE_DEL_GIOCO_BACCARA,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_IT_BACCARA,
)
from sabot.domain.rules.tableau_hands import PARTS, TABLEAUX
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import in_sequence

STAKES: Final = RuleGroup(family="procedure", concerns="form", games=("baccarat-banque",))

# -- Held stakes -----------------------------------------------------------------------------------


@need("cards", "the previous coup left no stake on the layout", "nothing-to-check")
def dealt_before(view: CoupView) -> bool:
    """The latest valid coup before this one was dealt."""
    last = next(earlier_coups(view.shoe, view.coup), None)
    return last is not None and hands_are_dealt(last)


@need("bets", "the previous coup left no stake on the layout", "nothing-to-check")
def stakes_held(view: CoupView) -> bool:
    """The previous coup left a stake on the layout."""
    return bool(stakes_held_for(view.shoe, view.coup))


@STAKES.rule(
    "W510",
    "held-stake-taken-up",
    sources=(WIKIPEDIA_IT_BACCARA, REGOLE_DEL_GIOCO_BACCARA),
    concerns="money",
    needs=(
        needs.record_not_coups_alone,
        dealt_before,
        stakes_held,
        needs.bank_recorded,
        needs.bets_closed,
        needs.not_voided,
    ),
    one_cause=True,
    follows_from=("carried-stake-not-held",),
    breach_events=(
        *(BetTaken, BetPaid, BetPushed, CoupOpened),
        *(BetChanged, BetWithdrawn, BetCarried),
    ),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 cheval 1000 | 9 K; 2 4; 8 K
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        bet-carried {"coup": 2, "bet": 1, "patron": "p7", "wager": "cheval", "amount": 1000, "seat": 7}
        bet-withdrawn {"coup": 2, "bet": 1}
        bet-placed {"coup": 2, "bet": 2, "patron": "p8", "wager": "right", "amount": 500, "seat": 8}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p7"}
        hand-given {"coup": 2, "hand": "left", "to": "p4"}
        tableaux-hands 3 4; 2 4; 9 K
        due
    """,  # noqa: E501 - the events of a table are as long as they are
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 cheval 1000 | 9 K; 2 4; 8 K
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        bet-carried {"coup": 2, "bet": 1, "patron": "p7", "wager": "cheval", "amount": 1000, "seat": 7}
        bet-placed {"coup": 2, "bet": 2, "patron": "p8", "wager": "right", "amount": 500, "seat": 8}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p7"}
        hand-given {"coup": 2, "hand": "left", "to": "p4"}
        tableaux-hands 3 4; 2 4; 9 K
        due
    """,  # noqa: E501 - the events of a table are as long as they are
)
def held_stake_taken_up(view: CoupView) -> Iterator[Breach]:
    """A held stake that may not be taken up stays on the layout until it is won or lost.

    A held stake must be carried to the next coup. It must not be lowered or withdrawn in that coup.
    If it is carried at another amount, W511 reports it instead. B203 reports a change after the
    close of bets. Chips may be added to a held stake. Instead of leaving the held stake, the patron
    may place a new bet of the same amount on the same wager before the close of bets. If the new
    bet is smaller, only the difference is missing.

    A stake à cheval is held whole if both tableaux tied, or one won and the other lost. If only one
    tableau tied, the half of the stake on that tableau is held. A stake on one tableau that tied is
    held only if the rule pack makes such bets stay and forbids their withdrawal (`tie.bets_stay`,
    `tie.withdrawable`). A stake is held for the next coup only. A void coup in between leaves it
    held, unless it was paid for a natural before the void. Once the bank changes, a stake that was
    held against the former bank need not stay.
    """
    carried, again = _compared(view.shoe, view.coup), LaidAgain(view)
    opened = [view.coup.opened] if view.coup.opened is not None else []
    for held in _not_carried(view, carried):
        lies = again.take(held.bet.patron, held.wager, held.amount)
        if lies == held.amount:
            continue
        instead = [bet.placed for bet in carried.instead_of(_stake_held(held))]
        yield Breach(
            f"{name_stake(view.shoe, held.bet.patron, held.amount, held.wager)} is gone",
            "a stake that tied or was split stays for the next coup",
            "it was not carried",
            (*held.bet.moves[-1:], *opened, *instead, *settled_without_bet(view.coup)),
            patron=held.bet.patron,
            money=gains_by_taking_up(
                view, as_if_carried(view, held.bet, held.wager), held.amount, lies
            ),
        )
    yield from _taken_back(view, again)


def _taken_back(view: CoupView, again: LaidAgain) -> Iterator[Breach]:
    """Yield the held stakes that were carried, and then lowered or withdrawn before the close."""
    bound = filter(_is_bound, stakes_held_for(view.shoe, view.coup))
    of = {(held.bet.patron, held.wager) for held in bound}
    closed = view.coup.bets_closed
    assert closed is not None
    in_time = (bet for bet in view.coup.bets.values() if bet.placed.position < closed)
    for bet in (lying_at(view.coup, placed, closed) for placed in in_time):
        if bet.carried and (bet.patron, bet.wager) in of and _is_less_than_carried(bet):
            before, lies = bet.placed.payload.amount, again.with_rest_of(bet)
            if lies < before:
                left = f"lowered to {format_money(view.shoe, lies)}" if lies else "withdrawn"
                held = name_stake(view.shoe, bet.patron, before, bet.wager)
                said = f"{held}, a held stake, was {left}"
                due = "a held stake stays until it is won or lost"
                gains = gains_by_taking_up(view, bet, before, lies)
                yield Breach(said, due, said, (bet.changes[0], bet.placed), money=gains)


def _stake_held(held: Frozen) -> bet_requirements.Stake:
    return held.bet.patron, held.wager, held.amount


def _compared(shoe: Shoe, coup: Coup) -> CarriedStakes:
    """Compare the carried stakes of a coup with those that the previous coup left there."""
    left = map(_stake_held, stakes_held_for(shoe, coup))
    before = shoe.coups.get(coup.number - 1)
    anew = before is not None and any(bet.is_carried_anew for bet in before.bets.values())
    earlier = _compared(shoe, before) if before is not None and anew else None
    return compare_carried(coup.bets.values(), left, tableaux_requirements.was_held, earlier)


def _not_carried(view: CoupView, carried: CarriedStakes) -> Iterator[Frozen]:
    """Yield the stakes that had to stay and that nothing was carried for.

    Of two equal stakes the one that may be taken up is the one that was.
    """
    gone = list(carried.gone)
    for held in sorted(stakes_held_for(view.shoe, view.coup), key=_is_bound):
        stake = _stake_held(held)
        if stake in gone:
            gone.remove(stake)
            if _is_bound(held):
                yield held


def _is_bound(held: Frozen) -> bool:
    """Return whether a held stake has to stay on the layout."""
    return not held.free


def _is_less_than_carried(bet: Bet) -> bool:
    """Return whether a carried stake was withdrawn or lowered in the coup."""
    stake = 0 if bet.withdrawn else bet.amount
    return bool(bet.changes) and not tableaux_requirements.leaves_held_stake(
        bet.placed.payload.amount, stake
    )


@need("bets", "no stake was carried", "nothing-to-check")
def stake_carried(view: CoupView) -> bool:
    """A stake was carried into the coup."""
    return any(bet.carried for bet in view.coup.bets.values())


@need("cards", "the record lacks the previous coup")
def coup_before_recorded(view: CoupView) -> bool:
    """The record holds the previous coup."""
    return view.coup.number - 1 in view.shoe.coups


@STAKES.rule(
    "W511",
    "carried-stake-not-held",
    sources=(WIKIPEDIA_IT_BACCARA, REGOLE_DEL_GIOCO_BACCARA),
    concerns="money",
    needs=(stake_carried, needs.record_not_coups_alone, coup_before_recorded),
    breach_events=(BetCarried, HandGiven),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 1000 | 3 4; 2 4; 9 K
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 21000}
        bet-carried {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 1000, "seat": 7}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p8"}
        hand-given {"coup": 2, "hand": "left", "to": "p4"}
        tableaux-hands 3 4; 2 4; 9 K
        due
    """,  # noqa: E501 - the events of a table are as long as they are
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 1000 | 3 4; 2 4; 9 K
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 21000}
        bet-placed {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 1000, "seat": 7}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p8"}
        hand-given {"coup": 2, "hand": "left", "to": "p4"}
        tableaux-hands 3 4; 2 4; 9 K
        due
    """,  # noqa: E501 - the events of a table are as long as they are
)
def carried_stake_not_held(view: CoupView) -> Iterator[Breach]:
    """A stake is carried to the next coup only if a tie or a split of the tableaux left it.

    A patron's stakes on one wager may be carried over as one bet, or one stake as several bets, if
    the total stays the same. W510 says which stakes are left on the layout. A stake that may be
    withdrawn was also left, unless it was withdrawn. No stake is left after a change of the bank,
    or after a valid coup in which a hand lacks its first two cards. A void coup leaves what was
    left before it. A stake that is carried in the name of another patron is one breach, which names
    both patrons. If a stake was carried wrongly into the previous coup, it may be carried over as
    it was before that. The finding has no money if the stake was settled by the amount that really
    lay on the layout.
    """
    for wrong in _compared(view.shoe, view.coup).wrong:
        bet, lay = wrong.bet, wrong.left
        patron, wager, amount = bet_requirements.stake_of(bet)
        said = f"{name_stake(view.shoe, patron, amount, wager)} was carried over"
        lying = what_lay(view.shoe, wrong)
        yield Breach(
            f"{said}{of_the_owner(view.shoe, wrong)}; "
            f"the last coup left {lying or 'no such stake'}",
            f"a stake that a tie or a split left on the layout{f': {lying}' if lying else ''}",
            said,
            (bet.placed, *shown_of_the_owner(view.coup, wrong)),
            patron=bet.patron,
            stake=lay,
            money=lost_by_the_owner(view, wrong),
        )


# -- Where a stake lies, and how much it is --------------------------------------------------------


@each("bet", None)
def _standing_bets(view: CoupView) -> Sequence[Bet]:
    """Return the bets that were not withdrawn.

    A withdrawn bet is not checked.
    """
    return open_bets(view.coup)


@STAKES.rule(
    "W512",
    "stake-not-whole-units",
    concerns="form",
    sources=(ARRETE_2007_ART_61,),
    needs=(needs.has_bets,),
    each=_standing_bets,
    follows_from=(code_of(stake_beside_banco),),
    breach_events=(BetPlaced, BetCarried, BetChanged, ExcessReturned),
    breaks="""
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        tableaux p7 right 1050, p5 left 500 | 3 4; 2 4; 9 K
    """,
    keeps="""
        load deux-tableaux-france-open
        bare
        tableaux-bank p11 100000
        tableaux p7 right 1100, p5 left 500 | 3 4; 2 4; 9 K
    """,
)
def stake_not_whole_units(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """A stake is a whole number of the table's units, and à cheval each half of it is.

    The unit is that of the rule pack for all stakes, or the least unit of money. A stake is judged
    by what is left of it after changes and returns.
    """
    rule = rule_of(view.shoe)
    if not tableaux_requirements.is_whole_units(rule, bet.wager, bet.amount):
        whole = rule.stake_unit * len(PARTS.get(bet.wager, ("one",)))
        yield Breach(
            f"{name_bet(view.shoe, bet)} is not whole units",
            f"a multiple of {format_money(view.shoe, whole)}",
            format_money(view.shoe, bet.amount),
            (bet.placed, *_changes_of(view.coup, bet)),
        )


def _changes_of(coup: Coup, bet: Bet) -> list[RecordedEvent[BetChanged | ExcessReturned]]:
    """Return the changes and returns of a stake."""
    changes = events_of((BetChanged, ExcessReturned), coup.events)
    return [change for change in changes if change.payload.bet == bet.number]


@need("rules", "the pack lets patrons stake on either tableau", "not-required")
def own_tableau_alone(view: CoupView) -> bool:
    """The rule pack lets a seated patron stake only on the tableau of the seat, or on both."""
    return rule_of(view.shoe).own_tableau


@each("bet", None)
def _bets_of_one_tableau(view: CoupView) -> Sequence[Bet]:
    """Return the bets on one tableau only.

    Bets carried over, withdrawn bets, and bets of patrons who go banco, are not checked.
    """
    claimants = {claimant.patron for claimant in banco_claimants(view.shoe, view.coup)}
    return [
        bet
        for bet in open_bets(view.coup)
        if bet.wager in TABLEAUX and not bet.carried and bet.patron not in claimants
    ]


@STAKES.rule(
    "W513",
    "stake-on-wrong-tableau",
    concerns="form",
    sources=(WIKIPEDIA_BACCARAT_BANQUE,),
    needs=(own_tableau_alone, needs.has_bets, needs.seats_known),
    each=_bets_of_one_tableau,
    breach_events=(BetPlaced,),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 left 500 | 3 4; 2 4; 9 K
    """,
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
    """,
)
def stake_on_wrong_tableau(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """A patron seated at the right or left tableau stakes on that one, or on both (à cheval).

    The patron's seat is the one when the coup opened. Standing patrons may stake anywhere.
    """
    sits = tableau_of(view.coup, bet.patron)
    if not tableaux_requirements.is_on_own_tableau(rule_of(view.shoe), sits, bet.wager):
        yield Breach(
            f"{name_bet(view.shoe, bet)}, though {bet.patron} sits at the {sits} tableau",
            f"patrons seated at the {sits} tableau stake on it, or on both",
            f"a stake on {wager_label(bet.wager)}",
            (bet.placed,),
        )


# -- Payment in rotation ---------------------------------------------------------------------------


def _payments(view: CoupView) -> list[tuple[int, RecordedEvent[BetPaid], Bet]]:
    """Return the first payment of each winning stake, in order of payment.

    Each entry is the turn of its patron, the payment and the bet.
    """
    none = {each.bet.number for each in _compared(view.shoe, view.coup).wrong if not each.left}
    turn = payment_turns(view.shoe, view.coup)
    paid = [
        (turn[bet.number], payment, bet)
        for bet in view.coup.bets.values()
        for payment in events_of(BetPaid, bet.moves[:1])
        if bet.number in turn and bet.number not in none
    ]
    return sorted(paid, key=lambda each: each[1].position)


@need("bets", "no two winning stakes were paid", "nothing-to-check")
def two_stakes_paid(view: CoupView) -> bool:
    """Two winning stakes or more were paid."""
    return len(_payments(view)) > 1


@STAKES.rule(
    "W514",
    "payment-out-of-rotation",
    concerns="form",
    sources=(WIKIPEDIA_BACCARAT_BANQUE,),
    needs=(
        needs.record_not_coups_alone,
        needs.all_dealt,
        needs.not_voided,
        needs.seats_known,
        needs.banker_recorded,
        two_stakes_paid,
    ),
    breach_events=(BetPaid,),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        tableaux-hands 9 K; 8 K; 3 4
        hands-called {"coup": 1, "totals": [{"hand": "right", "total": 9}, {"hand": "left", "total": 8}, {"hand": "banker", "total": 7}]}
        bet-paid {"coup": 1, "bet": 2, "amount": 500}
        due
    """,  # noqa: E501 - the events of a table are as long as they are
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        tableaux-hands 9 K; 8 K; 3 4
        hands-called {"coup": 1, "totals": [{"hand": "right", "total": 9}, {"hand": "left", "total": 8}, {"hand": "banker", "total": 7}]}
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        due
    """,  # noqa: E501 - the events of a table are as long as they are
)
def payment_out_of_rotation(view: CoupView) -> Iterator[Breach]:
    """Winners are paid right and left in turn, nearest to the banker first, while the bank lasts.

    The stakes on a natural that is paid at once come before all others. The order of one patron's
    stakes does not matter. A patron's seat is the one when the coup opened. Patrons without a seat
    then come last, in the order in which they staked. The first payment of each winning stake is
    compared, whatever its amount. A stake is not compared if the bank cannot reach it, or if it was
    taken or pushed first. A stake that was carried over although nothing was left to carry is not
    compared either. Only the first payment out of rotation is reported.
    """
    paid = _payments(view)
    in_sequence(view, [payment for _, payment, _ in paid])
    for (turn, one, first), (next_turn, other, second) in pairwise(paid):
        if next_turn < turn:
            said = f"{name_bet(view.shoe, first)} was paid before {name_bet(view.shoe, second)}"
            due = "right and left in turn, nearest to the banker first, until the bank is empty"
            yield Breach(said, due, said, (one, other), patron=first.patron)
            return


RULES = (*STAKES.rules,)
"""Every rule of this module."""
