"""Rules on bets: when they may be made, by whom, and on which wagers.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.completeness import (
    NO_SEATS,
    STARTS_BEFORE_RECORD,
    may_start_after_opening,
)
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView, is_settled_as_due
from sabot.domain.audit.event_words import event_in_words, name_stake
from sabot.domain.audit.late_bet_text import describe_stake, since_closing
from sabot.domain.audit.late_change_reversals import (
    reversals,
    settle_reversals,
    stake_before,
)
from sabot.domain.audit.order_rules import Compared
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.audit.settled_stakes import lying_at, order_known, stake_after
from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPlaced,
    BetWithdrawn,
    CardDrawn,
    NoMoreBets,
    PatronMoved,
    PatronSeated,
    ShoeLoaded,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.preconditions import bet_requirements
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_55_15,
    ARRETE_2007_ART_58,
    CASINO_ITALIANI_ONLINE_MACAO,
    DESPACHO_55_2004_ART_13,
    LAC_42_III_3103,
    NSW_MINI_BACCARAT_RULE_5,
    PA_CODE_58_627A_8,
    PA_CODE_58_629A_2,
    WIKIPEDIA_BACCARAT_BANQUE,
)
from sabot.domain.state.coup_state import Bet, Coup, is_of_late_bets
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import after_any, settle, surely
from sabot.domain.timeline.sequence import BETS_CLOSED_FIRST, NO_LATE_BET, NO_LATE_CHANGE

BETS = RuleGroup(family="procedure", concerns="game")

# -- When ------------------------------------------------------------------------------------------


def closing_events(coup: Coup) -> list[RecordedEvent]:
    """Return the events that close the bets: the call and the first card of a hand.

    A card before the opening of the coup closes nothing.
    """
    begins = coup.opened.position if coup.opened is not None else 0
    first = next((card for card in coup.cards if card.position > begins), None)
    return [event for event in (coup.no_more_bets, first) if event is not None]


@need("play", "a free hand takes no bets", "nothing-to-check")
def takes_bets(view: CoupView) -> bool:
    """The coup is not a free hand."""
    return not view.coup.free


@need("calls", STARTS_BEFORE_RECORD)
def call_on_record(view: CoupView) -> bool:
    """The record holds the call of "no more bets", or begins before the coup."""
    return view.coup.no_more_bets is not None or not may_start_after_opening(view.shoe, view.coup)


@BETS.ordered(
    "B201",
    "past-posted-bet",
    NO_LATE_BET,
    sources=(
        ARRETE_2007_ART_55_14,
        ARRETE_2007_ART_55_15,
        ARRETE_2007_ART_58,
        NSW_MINI_BACCARAT_RULE_5,
        CASINO_ITALIANI_ONLINE_MACAO,
    ),
    needs=(needs.record_not_coups_alone, needs.has_bets, needs.bets_closed),
    each=needs.bets,
    breach_events=(BetPlaced, BetCarried, BetChanged, BetWithdrawn),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        deal > B K  P 5  B 8
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        due
    """,
)
def past_posted_bet(view: CoupView, bet: Bet) -> Compared:
    """No bet is placed after "no more bets" or after the first card (past posting).

    Bets are closed by "no more bets" or by the first card, whichever came first. A card that was
    burned, even off its hand, does not close them. A card before the opening of the coup does not
    close them either: B202 reports it. A bet that a tie carried over is placed when it was recorded
    for this coup. A late bet that was withdrawn, or that a ruling returned, is still a breach.
    """
    return _late(view, bet, bet.placed)


@BETS.ordered(
    "B202",
    "card-before-bets-closed",
    BETS_CLOSED_FIRST,
    sources=(PA_CODE_58_627A_8, ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, LAC_42_III_3103),
    needs=(needs.record_not_coups_alone, needs.card_drawn, takes_bets, call_on_record),
    breach_events=(CardDrawn, NoMoreBets),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        deal > P 4
        no-more-bets {"coup": 1}
        deal > B K  P 5  B 8
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        due
    """,
)
def card_before_bets_closed(view: CoupView) -> Compared:
    """No card is drawn for a hand before "no more bets" is called.

    A coup without any call breaks the rule, whether or not it has bets. Only the first card of the
    coup is checked, even if it came before the opening. A card that was burned off its hand is not
    considered, and the next card is taken as the first.
    """
    call = view.coup.no_more_bets
    shown = f"no more bets was {'never called' if call is None else 'called after it'}"
    first = view.coup.cards[:1]
    return Compared(
        [call] if call else [],
        first,
        lambda _: f"{event_in_words(view.shoe, first[0].payload)} was the first card, and {shown}",
        observed=shown,
    )


@need("order")
def reversals_known(view: CoupView) -> bool:
    """It is known which changes of bets came before a ruling, and which after it."""
    ruled = view.coup.refund_ruling
    if ruled is not None:
        bets = [bet for bet in view.coup.bets.values() if any(map(_takes_back, bet.changes))]
        back = [event for bet in bets for event in bet.changes if _takes_back(event)]
        settle(view, back, [ruled])
        if is_of_late_bets(ruled.payload):
            settle(view, [bet.placed for bet in bets], closing_events(view.coup))
    settle_reversals(view.shoe, view.coup)
    return True


@each("change of a bet", None)
def _bet_changes(view: CoupView) -> Sequence[tuple[Bet, RecordedEvent]]:
    """Return the changes of bets before they were settled, without those that a ruling allows.

    A change to the same amount is checked too. A change after the coup was voided is not checked. A
    change after the close is not checked if a hand has fewer than two cards. A tied bet is not
    checked after its push or the close of its coup. Once a bet was paid or taken, only a raise is
    checked. The raise is not checked if the bet was settled wrongly: P201 and P202 report that. A
    withdrawal after a ruling that returns the bet is not checked either. But it is checked if the
    ruling is on late bets and no bet was late. If a ruling on late bets does not let them stand,
    some later changes are not checked. These are changes that move the stake towards the amount
    before the late bet or change. If there is no such ruling, each further change is one more
    breach.
    """
    return [(bet, event) for bet in view.coup.bets.values() for event in _changes_of(view, bet)]


@BETS.ordered(
    "B203",
    "late-bet-change",
    NO_LATE_CHANGE,
    sources=(NSW_MINI_BACCARAT_RULE_5, ARRETE_2007_ART_58),
    needs=(reversals_known, needs.record_not_coups_alone, needs.has_bets, needs.bets_closed),
    each=_bet_changes,
    breach_events=(BetChanged, BetWithdrawn),
    follows_from=(code_of(past_posted_bet),),
    clean_when=by_the_book,
    breaks="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        no-more-bets {"coup": 1}
        deal > P 4
        bet-changed {"coup": 1, "bet": 1, "amount": 5000}
        deal > B K  P 5  B 8
        due
    """,
    keeps="""
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        bet-changed {"coup": 1, "bet": 1, "amount": 5000}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        due
    """,
)
def late_bet_change(view: CoupView, change: tuple[Bet, RecordedEvent]) -> Compared:
    """No stake is raised, lowered or withdrawn after "no more bets" or after the first card.

    Bets are closed by "no more bets" or by the first card, whichever came first. A burned card, or
    a card before the opening of the coup, does not close them.
    """
    return _late(view, *change)


LATE: Final = ("past-posted-bet", "late-bet-change")
"""The codes of the rules on late bets.

Their findings include all money that a late bet, or a late change of a bet, moved.
"""


def _late(view: CoupView, bet: Bet, event: RecordedEvent) -> Compared:
    what: tuple[str | int, ...] = ()
    match event.payload:
        case BetChanged(amount=amount):
            what = ("changed", amount)
        case BetWithdrawn():
            what = ("withdrawn",)
        case _:
            pass
    return Compared(
        [event],
        closing_events(view.coup),
        lambda _: (
            f"{bet.patron}'s bet on {wager_label(bet.wager)} {describe_stake(view, bet, event)} "
            f"{since_closing(view, event)}"
        ),
        events=(event, *(_changes_of(view, bet) if event is bet.placed else [])),
        stake=bet.amount if _was_settled(bet, event) else stake_before(bet, event),
        patron=bet.patron,
        key=("bet", bet.number, *what),
    )


def _changes_of(view: CoupView, bet: Bet) -> list[RecordedEvent]:
    changes = _while_it_stood(view, bet)
    if not changes:
        return changes
    back = reversals(view.coup, bet, partial(_may_be_late, view))
    return [event for event in changes if event.position not in back]


def _may_be_late(view: CoupView, event: RecordedEvent) -> bool:
    return not surely(lambda: not after_any(view, event, closing_events(view.coup)))


def _while_it_stood(view: CoupView, bet: Bet) -> list[RecordedEvent]:
    """Return the changes of a bet before it was settled, and the raises once it had won or lost.

    Changes after a tie or a void are left out: the chips then belong to the patron, and the rule
    pack says whether they may be taken up. A withdrawal after a ruling that returns the bet is left
    out too. The exception is a ruling on late bets in a coup where no bet was late: it permits no
    withdrawal.
    """
    coup = view.coup
    over = [event.position for event in (*bet.moves, coup.voided, coup.closed) if event is not None]
    last = min(over, default=None)
    changes: list[RecordedEvent] = [
        event
        for event in bet.changes
        if last is None or event.position < last or _changes_what_is_decided(view, bet, event)
    ]
    ruled = coup.refund_ruling if changes else None
    if ruled is None or not (bet.number in coup.refunded_bets or coup.voided is not None):
        return changes
    return [event for event in changes if event.position < ruled.position or not _takes_back(event)]


def _changes_what_is_decided(view: CoupView, bet: Bet, event: RecordedEvent) -> bool:
    """Return whether an event changes a bet that wins or loses by the cards of its coup.

    Once the bet was settled as due, only a raise counts: the patron may take up what is left. If it
    was settled otherwise, the finding about the payment shows it.
    """
    if not view.dealt or view.coup.voided is not None:
        return False
    if not _was_settled(bet, event):
        due = view.due(lying_at(view.coup, bet, event.position - 1), stake_before(bet, event))
        return due is not None and due.kind != "push"
    if bet.withdrawn or stake_after(event) <= stake_before(bet, event):
        return False
    due = view.due(bet, bet.amount)
    as_due = due is not None and due.kind != "push" and is_settled_as_due(bet, due)
    return as_due and order_known(view.shoe, view.coup, bet, [event])


def _was_settled(bet: Bet, event: RecordedEvent) -> bool:
    """Return whether a bet's chips had moved before an event."""
    return any(move.position < event.position for move in bet.moves)


def _takes_back(event: RecordedEvent) -> bool:
    """Return whether the event withdrew a bet or lowered it to nothing."""
    match event.payload:
        case BetWithdrawn() | BetChanged(amount=0):
            return True
        case _:
            return False


# -- On what, and where ----------------------------------------------------------------------------


@BETS.rule(
    "B204",
    "wager-not-offered",
    sources=(ARRETE_2007_ART_55_14, NSW_MINI_BACCARAT_RULE_5, DESPACHO_55_2004_ART_13),
    needs=(needs.has_bets, needs.pack_readable, needs.pack_named),
    each=needs.bets,
    breach_events=(BetPlaced, BetCarried),
    clean_when=by_the_book,
    breaks="coup p1 panda-8 500 | P 4 5  B K 8 | P | 1 take 500",
    keeps="coup p1 tie 500 | P 4 5  B K 8",
)
def wager_not_offered(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """A table takes the wagers of its rule pack and no others.

    The wager is that of the bet when it was placed or carried over. A bet that was withdrawn or
    returned is still a breach.
    """
    assert view.cashier is not None
    if not bet_requirements.is_offered(view.cashier.pack, bet.wager):
        yield Breach(
            f"{name_stake(view.shoe, bet.patron, bet.amount, bet.wager)}: "
            "this table does not offer the wager",
            "wagers: " + ", ".join(wager_label(wager.name) for wager in view.cashier.pack.wagers),
            wager_label(bet.wager),
            (bet.placed,),
            stake=0,
        )


@need("seats", NO_SEATS)
def seats_on_record(shoe: Shoe) -> bool:
    """The record gives a seat: at the loading, of a patron who sat down or moved, or of a bet."""
    bets = (bet for coup in shoe.coups.values() for bet in coup.bets.values())
    return bool(shoe.seatings) or any(bet.placed.payload.seat for bet in bets)


@each("seat in use", None)
def _seats_used(shoe: Shoe) -> Sequence[tuple[int, RecordedEvent, str, str, int | None]]:
    """Return the seats in use: seat, event, patron, a verb for the message, and the coup or None.

    A bet without a seat number is not checked. A bet at an existing seat keeps the rule.
    """
    most = shoe.pack.table.seats if shoe.pack is not None else 0
    sat = [(seat, event, who, "was seated", None) for event, seat, who in shoe.seatings]
    bets = [
        (seat, bet.placed, bet.patron, "bet", coup.number)
        for coup in shoe.coups.values()
        for bet in coup.bets.values()
        if (seat := bet.placed.payload.seat or 0) > most
    ]
    return [*sat, *bets]


@BETS.rule(
    "B205",
    "unknown-seat",
    sources=(ARRETE_2007_ART_55_14, PA_CODE_58_629A_2, WIKIPEDIA_BACCARAT_BANQUE),
    looks_at="shoe",
    concerns="form",
    needs=(needs.shoe_pack_readable, seats_on_record),
    each=_seats_used,
    one_cause=True,
    breach_events=(ShoeLoaded, PatronSeated, PatronMoved, BetPlaced, BetCarried),
    breaks="""
        patron-seated {"seat": 15, "patron": "p9"}
        coup P 4 5  B K 8
    """,
    keeps="""
        patron-seated {"seat": 14, "patron": "p9"}
        coup P 4 5  B K 8
    """,
)
def unknown_seat(
    shoe: Shoe, used: tuple[int, RecordedEvent, str, str, int | None]
) -> Iterator[Breach]:
    """Patrons sit and bet at a seat of the table: 1 to the number of seats in the rule pack.

    Three kinds of events name seats: the loading of the shoe, a patron who sits down or moves, and
    a bet. A bet that was withdrawn is checked too. The rule does not check who sits at the seat of
    a bet.
    """
    seat, event, who, what, coup = used
    assert shoe.pack is not None
    if not bet_requirements.has_seat(shoe.pack, seat):
        most = shoe.pack.table.seats
        said = f"{who} {what} at seat {seat}; the table has seats 1 to {most}"
        sat = [each for each, at, patron in shoe.seatings if (at, patron) == (seat, who)]
        shown = tuple(dict.fromkeys((event, *sat)))
        yield Breach(said, f"seats 1 to {most}", f"seat {seat}", shown, coup)


RULES = (*BETS.rules,)
"""Every rule of this module."""
