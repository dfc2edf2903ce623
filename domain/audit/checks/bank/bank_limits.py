"""Rules on the bank as a limit of stakes, and on its banker.

A limited bank of two tableaux covers no more than its chips. Seated stakes come first; standing
patrons may stake the rest.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bank.funds import raised_during
from sabot.domain.audit.completeness import NO_BANK, coups_unknown
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import BetChanged, BetPaid, BetPlaced, BetTaken, ShoeTaken
from sabot.domain.events.bank import BankCalled, BankRaised
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import Excess, bank_events_of, claims_of
from sabot.domain.procedure.two_tableaux.tableaux import over_the_seated
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.sources import (
    BOUSSAC_BACCARA_A_DEUX_TABLEAUX,
    CASINO_ITALIANI_ONLINE_MACAO,
    ETHIER_LEE_2023_CHEMIN_DE_FER_1,
    HOUSE_CONVENTION,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
)
from sabot.domain.state.coup_state import Coup, first_event_of
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import answered, before, some

# -- Stakes against no bank ----------------------------------------------------------------------

_BEGUN_LATE: Final = "the record does not hold the beginning of the shoe"
_KEPT: Final[tuple[GameName, ...]] = ("macao", "victoria")
"""Games in which a banker keeps the bank for the whole pack, so that nobody calls it."""


@need("shoe", _BEGUN_LATE)
def loading_recorded(shoe: Shoe) -> bool:
    """The record holds the loading of the shoe."""
    return shoe.loaded is not None


@need("bets", "no stake was settled", "nothing-to-check")
def stake_settled(shoe: Shoe) -> bool:
    """A stake was settled."""
    return any(map(_settlements, shoe.coups.values()))


@need("shoe", "no bank was announced", "nothing-to-check")
def bank_called(shoe: Shoe) -> bool:
    """A bank was announced in a coup with a settled stake (not needed at macao and victoria)."""
    return bool(_played_for_stakes(shoe))


BANK_NEEDED = RuleGroup(
    family="payout",
    concerns="money",
    games=("chemin-de-fer", "macao", "victoria", "baccarat-banque"),
)


@BANK_NEEDED.rule(
    "K501",
    "coup-without-bank",
    sources=(
        ETHIER_LEE_2023_CHEMIN_DE_FER_1,
        WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
        BOUSSAC_BACCARA_A_DEUX_TABLEAUX,
        CASINO_ITALIANI_ONLINE_MACAO,
    ),
    looks_at="shoe",
    needs=(
        needs.not_coups_alone,
        loading_recorded,
        stake_settled,
        bank_called,
    ),
    breach_events=(BankCalled, BetPaid, BetTaken),
    breaks="""
        load chemin-de-fer
        seats p1 p2
        bare
        shoe-shuffled {"by": "dealer"}
        shoe-cut {"by": "p1", "depth": 100}
        stop-card-placed {"behind": 7}
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 0}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 1000}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 6
        result-called {"coup": 1, "player": 9, "banker": 6, "outcome": "P"}
        bet-paid {"coup": 1, "bet": 1, "amount": 1000}
        coup-closed {"coup": 1}
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2
        bare
        shoe-shuffled {"by": "dealer"}
        shoe-cut {"by": "p1", "depth": 100}
        stop-card-placed {"behind": 7}
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 1000}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 6
        result-called {"coup": 1, "player": 9, "banker": 6, "outcome": "P"}
        bet-paid {"coup": 1, "bet": 1, "amount": 1000}
        coup-closed {"coup": 1}
    """,
)
def coup_without_bank(shoe: Shoe) -> Iterator[Breach]:
    """Stakes are settled only against a bank that a patron has put up.

    A stake is settled by a payment or a take, not by a return. Void coups are checked too. All
    coups of a shoe are one finding, which shows the first of them. If the record lacks a coup
    before the first one, nothing is reported: the bank may have been put up in the missing coup. A
    bank ends when the shoe is passed.

    At chemin de fer and baccarat banque the bank is put up before its amount is announced for the
    coup (`bank-called`). A coup without such an announcement is not judged. At macao and victoria
    it is enough that any bank was put up before the first payment or take of the coup. In these two
    games nothing is reported if no patron took the shoe, or if patrons do not hold it.
    """
    kept = _is_kept(shoe)
    against = [coup for coup in _played_for_stakes(shoe) if bank_events_of(coup).bank is None]
    if kept:
        # a bank that was put up late was still available to pay
        against = [coup for coup in against if not _put_up_by(shoe, _settlements(coup)[0])]
    if not against:
        return
    answered(NO_BANK if kept and not _banker_recorded(shoe) else coups_unknown(shoe, against[0]))
    first, more = against[0], len(against) - 1
    called = bank_events_of(first).called
    shown = "no bank was put up"
    if called is not None:
        shown = f"the bank was called at {format_money(shoe, called.payload.amount)}"
    later = f", and in {more} more coup{'s' if more > 1 else ''}" if more else ""
    yield Breach(
        f"stakes were settled in {shoe.coup_name(first.number)}{later}, although nobody had put up "
        "a bank",
        "a bank that is put up before anybody stakes against it",
        shown,
        (*([called] if called is not None else []), *_settlements(first)),
        first.number,
    )


def _is_kept(shoe: Shoe) -> bool:
    """Return whether a banker keeps the bank until the whole pack is dealt."""
    return game_of(shoe.pack).name in _KEPT


def _played_for_stakes(shoe: Shoe) -> list[Coup]:
    """Return the coups whose stakes were settled.

    In games in which the bank is called before each coup, coups without a recorded call are left
    out.
    """
    kept = _is_kept(shoe)
    settled = filter(_settlements, shoe.coups.values())
    return [coup for coup in settled if kept or bank_events_of(coup).called is not None]


def _put_up_by(shoe: Shoe, event: RecordedEvent) -> bool:
    """Return whether a bank was put up before the event."""
    return some(partial(before, shoe, bank.posted, event) for bank in shoe.banks)


def _banker_recorded(shoe: Shoe) -> bool:
    """Return whether the record names the banker, who is the patron that takes the shoe."""
    if shoe.pack is None or shoe.pack.table.shoe != "patron":
        return False
    return first_of(ShoeTaken, shoe.shoe_moves) is not None


def _settlements(coup: Coup) -> list[RecordedEvent]:
    """Return the payments and takes of a coup."""
    moves = [move for bet in coup.bets.values() for move in bet.moves]
    return events_of((BetPaid, BetTaken), moves)


# -- A limited bank of two tableaux --------------------------------------------------------------


@need("play", "the bank has no limit", "nothing-to-check")
def bank_limited(view: CoupView) -> bool:
    """The bank is limited to its chips."""
    return not bank_events_of(view.coup).unlimited


@need("play", "somebody went bank", "nothing-to-check")
def nobody_went_bank(view: CoupView) -> bool:
    """Nobody went bank in the coup."""
    return not claims_of(view.coup)


LIMITED_BANK = RuleGroup(family="procedure", concerns="form", games=("baccarat-banque",))


@each("stake beyond the part of the bank that seated patrons leave", None)
def _beyond_the_seated(view: CoupView) -> Sequence[Excess]:
    """Return the stakes of standing patrons (bystanders) for which the bank had no chips left.

    The rule does not check carried stakes, stakes of seated patrons, or stakes of the banker. The
    bank covers all of these before the stakes of standing patrons. The bank covers the stakes of
    standing patrons in the order of their bet numbers. The part of a stake that the bank does not
    cover is rounded up to whole stake units.
    """
    return list(over_the_seated(view.shoe, view.coup))


@LIMITED_BANK.rule(
    "K518",
    "bystander-stake-before-seated",
    sources=(WIKIPEDIA_BACCARAT_BANQUE, HOUSE_CONVENTION),
    needs=(
        *needs.BANK_KNOWN,
        bank_limited,
        needs.bets_recorded,
        needs.bets_closed,
        nobody_went_bank,
        needs.seats_known,
    ),
    each=_beyond_the_seated,
    breach_events=(BetPlaced, BetChanged),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 19500}
        bet-placed {"coup": 1, "bet": 2, "patron": "x", "wager": "right", "amount": 1000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
    """,
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 19500}
        bet-placed {"coup": 1, "bet": 2, "patron": "x", "wager": "right", "amount": 500}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
    """,
)
def bystander_stake_before_seated(view: CoupView, over: Excess) -> Iterator[Breach]:
    """A standing patron stakes no more than the seated patrons leave of the bank.

    A standing patron has no seat when the record first names the coup. Withdrawn stakes and
    returned parts of stakes are not included. The bank includes the chips added in the coup.
    """
    bet, shown = over.bet, format_money(view.shoe, over.bet.amount)
    yield Breach(
        f"{bet.patron}, who stands, had {shown} on {wager_label(bet.wager)}",
        f"{format_money(view.shoe, bet.amount - over.amount)} at most: seated patrons cover more",
        shown,
        (bet.placed, *bet.changes),
        offending_event=bet.staked,
        patron=bet.patron,
        key=("bet", bet.number),
    )


@LIMITED_BANK.rule(
    "K519",
    "mid-coup-bank-raise",
    sources=(WIKIPEDIA_BACCARAT_BANQUE,),
    needs=(
        *needs.BANK_KNOWN,
        bank_limited,
    ),
    concerns="game",
    breach_events=(BankRaised,),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 21000}
        bank-raised {"by": "p11", "amount": 1000, "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
    """,
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 21000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
    """,
)
def mid_coup_bank_raise(view: CoupView) -> Iterator[Breach]:
    """A banker adds nothing to a limited bank during a coup, except after accepting all stakes.

    An addition between the opening and the end of a coup is made during the coup, even if the event
    names no coup. Once the banker has accepted all stakes in a coup, the bank has no limit from
    that coup on. Whether the addition came before or after the acceptance does not matter. A
    declaration that names no coup does not count; K512 reports it. A bank that is open by the rule
    pack has no limit from the beginning. All additions of a coup are one finding. K504 reports an
    addition by somebody else than the banker.
    """
    banker, raised = bank_events_of(view.coup).banker, _added_in_play(view)
    added = sum(event.payload.amount for event in raised)
    if added:
        yield Breach(
            f"{banker} added {format_money(view.shoe, added)} to the bank during the coup",
            "the banker accepts all stakes, or the bank pays in rotation until it is empty",
            "the banker did not accept all stakes",
            tuple(raised),
            patron=banker,
        )


def _added_in_play(view: CoupView) -> list[RecordedEvent[BankRaised]]:
    """Return the banker's additions to the bank between the beginning and the end of a coup."""
    coup, part = view.coup, bank_events_of(view.coup)
    named = {event.position: event for event in (*part.raised, *raised_during(view))}
    begun, ends = first_event_of(coup), [end for end in (coup.closed, coup.voided) if end]
    return [
        event
        for _, event in sorted(named.items())
        if event.payload.by == part.banker and event.payload.coup in (None, coup.number)
        if begun is None or before(view, begun, event)
        if all(before(view, event, end) for end in ends)
    ]


RULES = (
    *BANK_NEEDED.rules,
    *LIMITED_BANK.rules,
)
"""Every rule of this module."""
