"""Rules on the chips in a patron's bank.

They cover its amount, the stakes that it covers, and accepting all stakes. At baccarat banque a
banker may accept all stakes beyond the bank. The bank then has no limit from that coup on. An open
bank of two tableaux never has a limit.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections.abc import Callable, Iterator, Sequence

from sabot.domain.audit import needs
from sabot.domain.audit.announced_bank import calls_behind
from sabot.domain.audit.checks.bank.banco import stake_beside_banco
from sabot.domain.audit.checks.bank.tableaux_hands import BANQUE, is_banque
from sabot.domain.audit.checks.bets import LATE
from sabot.domain.audit.checks.bets_at_close import closed_by
from sabot.domain.audit.checks.carried_bets import carried_bet_without_tie
from sabot.domain.audit.checks.payments import settled_by_its_call
from sabot.domain.audit.completeness import bank_unknown, coups_missing
from sabot.domain.audit.coup_view import CoupView, excess_moved, is_settled_as_due
from sabot.domain.audit.event_words import name_bet
from sabot.domain.audit.rule import ANY_RULE, Breach, MoneyEffect
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.audit.settled_stakes import (
    late_stakes_of,
    lies_after,
    stakes_of,
    with_stakes_in_time,
)
from sabot.domain.audit.wrong_bank_moves import moves_behind_call, moves_by, put_up_wrongly
from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPlaced,
    BetWithdrawn,
    CoupClosed,
    CoupOpened,
    CoupVoided,
)
from sabot.domain.events.bank import (
    BankCalled,
    BankPosted,
    BankRaised,
    BankUnlimited,
    BankWithdrawn,
    LevyTaken,
)
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.patron_bank import bank_events_of, bank_of, open_bets, total_staked
from sabot.domain.procedure.preconditions import bank_requirements
from sabot.domain.procedure.two_tableaux.tableaux import cover_due, rule_of
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.sources import (
    BOUSSAC_BACCARA_A_DEUX_TABLEAUX,
    BRITANNICA_BACCARAT_CHEMIN_DE_FER,
    CASINOS_777_CHEMIN_DE_FER,
    ETHIER_LEE_2023_CHEMIN_DE_FER_1,
    WIKIPEDIA_BACCARAT_BANQUE,
)
from sabot.domain.state.coup_state import Bet, Coup, first_event_of
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import before

FUNDS = RuleGroup(
    family="procedure",
    concerns="game",
    games=("chemin-de-fer", "macao", "victoria", "baccarat-banque"),
)


# -- What lies in the bank -----------------------------------------------------------------------


@need("play", "the bank was not called", "nothing-to-check")
def bank_called(view: CoupView) -> bool:
    """The croupier called the amount of the bank."""
    return bank_events_of(view.coup).called is not None


@FUNDS.rule(
    "K503",
    "miscalled-bank",
    family="totals",
    sources=(CASINOS_777_CHEMIN_DE_FER,),
    games=("chemin-de-fer", "baccarat-banque"),
    needs=(needs.bank_recorded, bank_called, *needs.BANK_KNOWN),
    breach_events=(
        *(BankCalled, LevyTaken, BankPosted, BankRaised, BankWithdrawn),
        *(BetPlaced, BetCarried, BetChanged, BetWithdrawn, CoupOpened, CoupClosed, CoupVoided),
    ),
    follows_from=(*LATE, ANY_RULE),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 9000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
)
def miscalled_bank(view: CoupView) -> Iterator[Breach]:
    """The amount that the croupier calls is the amount in the bank.

    The amount in the bank is computed at the opening of the coup: from what was put up, added and
    taken out, and from the bets and levies of earlier coups as they were settled. Chips added later
    in the coup are not included. If a coup has several calls, the last one is checked. A wrong
    call is not reported again if the last coup against this bank that had a call was wrong by the
    same difference.
    """
    part = bank_events_of(view.coup)
    assert part.bank is not None
    assert part.called is not None
    called = part.called.payload.amount
    if called != part.bank:
        behind = moves_behind_call(view.shoe, view.coup)
        yield Breach(
            f"the bank was called at {format_money(view.shoe, called)}, and held "
            f"{format_money(view.shoe, part.bank)}",
            f"{format_money(view.shoe, part.bank)}, by the chips put in and taken out",
            format_money(view.shoe, called),
            (
                part.called,
                *behind,
                *put_up_wrongly(view.shoe, view.coup, called),
                *_moved_by(view, called - part.bank),
                *_after_lacking_coups(view),
                *raised_during(view),
            ),
            # the finding on the moves behind it has the amount
            money=() if behind else _moved_by_its_call(view),
            patron=part.banker,
        )


def _moved_by_its_call(view: CoupView) -> MoneyEffect | None:
    """Return how much too much each patron got through a wrongly announced bank, or None."""
    return (
        tuple(
            (bet.patron, excess_moved(bet, due))
            for bet, due in view.settlements_due
            if due is not None
            and not is_settled_as_due(bet, due)
            and settled_by_its_call(view, bet)
        )
        or None
    )


def raised_during(view: CoupView) -> list[RecordedEvent[BankRaised]]:
    """Return the chips added to the bank in the course of a coup."""
    nth, events = bank_events_of(view.coup).nth, view.coup.events
    raises = events_of(BankRaised, view.shoe.banks[nth - 1].moves) if nth else []
    return [e for e in raises if events[0].position < e.position < events[-1].position]


def _moved_by(view: CoupView, more: int) -> list[RecordedEvent]:
    """Return the earlier moves of the bank by which its amount differs from the call."""
    part = bank_events_of(view.coup)
    assert part.called is not None
    moves = moves_by(view.shoe.banks[part.nth - 1], more) if part.nth else []
    return [event for event in moves if event.position < part.called.position]


def _after_lacking_coups(view: CoupView) -> list[RecordedEvent]:
    """Return the beginning of a coup if the record lacks the coup before it."""
    lacks = view.coup.number - 1 not in view.shoe.coups and coups_missing(view.shoe, view.coup)
    began = first_event_of(view.coup) if lacks else None
    return [began] if began is not None else []


# -- What it covers ------------------------------------------------------------------------------


@need(
    "play",
    "a limited bank pays in rotation until it is empty",
    "nothing-to-check",
)
def bank_without_limit(view: CoupView) -> bool:
    """The bank has no limit, so that it has to cover all stakes."""
    return bank_events_of(view.coup).unlimited


@need(
    "play",
    "the banker may still add chips for the accepted stakes, until the coup is over",
    "not-due",
)
def cover_is_due(view: CoupView) -> bool:
    """The time in which the banker may add chips for accepted stakes has passed."""
    return not (is_banque(view) and view.open and _accepted_late(view.coup))


@FUNDS.rule(
    "K502",
    "stakes-beyond-bank",
    sources=(
        ETHIER_LEE_2023_CHEMIN_DE_FER_1,
        BRITANNICA_BACCARAT_CHEMIN_DE_FER,
        WIKIPEDIA_BACCARAT_BANQUE,
    ),
    needs=(*needs.STAKES_KNOWN, *needs.only_at(BANQUE, bank_without_limit)),
    due=cover_is_due,
    follows_from=(
        *("bet-outside-limits", *LATE),
        *map(code_of, (carried_bet_without_tie, stake_beside_banco, miscalled_bank)),
        "wrong-bank-amount",
    ),
    breach_events=(BetPlaced, BetCarried, BetChanged, BankRaised, BankCalled, BankPosted),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 5000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 4000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
)
def stakes_beyond_bank(view: CoupView) -> Iterator[Breach]:
    """A bank covers the stakes against it; at two tableaux a bank without a limit covers all.

    The rule adds up all stakes left at the settlement, without those withdrawn or returned as
    excess. A stake that a ruling returned is included. The bank is the amount at the opening of the
    coup.

    At baccarat banque a limited bank is not judged: it pays in rotation as far as it reaches. A
    bank without a limit includes all chips added in the coup. A banker who accepted all stakes
    after the bets were closed has until the end of the coup to add them. In the other games the
    bank includes chips added in the coup, even too late or by somebody else. It does not include
    them if the rule pack says that stakes beyond the bank are returned. In these games a bank whose
    banker accepted all stakes is not judged; K512 checks the acceptance.
    """
    if is_banque(view):
        yield from _uncovered(view)
        return
    holds, lies = _covering(view), total_staked(view.coup)
    if not bank_events_of(view.coup).unlimited and not bank_requirements.covers(holds, lies):
        shown, covered = format_money(view.shoe, lies), format_money(view.shoe, holds)
        yield Breach(
            f"{shown} was staked against a bank of {covered}",
            f"{covered} at most: the banker adds chips, or the excess is returned",
            shown,
            (
                *_stakes_shown(view.coup, lambda coup: total_staked(coup) > holds),
                *bank_events_of(view.coup).raised,
                *calls_behind(view.coup, lies - holds),
                *_put_up_short(view, lies - holds),
            ),
            patron=bank_events_of(view.coup).banker,
            offending_event=closed_by(view.coup),
        )


def _put_up_short(view: CoupView, missing: int) -> list[RecordedEvent[BankPosted]]:
    """Return the event that put up the bank, if the bank due would have covered the stakes."""
    pack, nth = view.shoe.pack, bank_events_of(view.coup).nth
    if pack is None or pack.bank is None or not nth:
        return []
    bank = view.shoe.banks[nth - 1]
    due = pack.bank.minimum if bank.amount_to_match is None else bank.amount_to_match
    return [bank.posted] if due - bank.posted.payload.amount >= missing else []


def _stakes_shown(coup: Coup, is_beyond: Callable[[Coup], bool]) -> list[RecordedEvent]:
    """Return the stakes and their changes. If those in time are beyond the bank, these alone."""
    in_time = with_stakes_in_time(coup)
    early = is_beyond(in_time)
    bets = open_bets(in_time if early else coup)
    late = [event for bet in bets for event in late_stakes_of(coup, bet)] if early else []
    changes = [change for bet in bets for change in events_of(BetChanged, bet.changes)]
    return [event for event in (*(bet.placed for bet in bets), *changes) if event not in late]


def _uncovered(view: CoupView) -> Iterator[Breach]:
    """Yield a breach if a bank without a limit does not cover all stakes."""
    banker = bank_events_of(view.coup).banker
    short = cover_due(view.coup)
    if short:
        said = f"{banker} left {format_money(view.shoe, short)} of the stakes uncovered"
        due = "a bank without a limit covers all stakes"
        shown = (
            *_stakes_shown(view.coup, lambda coup: cover_due(coup) > 0),
            *bank_events_of(view.coup).raised,
            *calls_behind(view.coup, short),
        )
        yield Breach(said, due, said, shown, patron=banker)


def _covering(view: CoupView) -> int:
    """Return the funds that cover the stakes, in minor units.

    They are the bank and the chips added to it, unless the pack has the excess returned.
    """
    coup, pack = view.coup, view.shoe.pack
    excess = pack.excess if pack is not None else None
    returned = excess is not None and excess.option == "return"
    of_bank = bank_events_of(coup).bank if returned else bank_of(coup)
    return of_bank or 0


def _accepted_late(coup: Coup) -> bool:
    """Return whether the banker accepted all stakes after the bets were closed."""
    closed = coup.bets_closed
    return closed is not None and any(
        event.position > closed for event in events_of(BankUnlimited, coup.events)
    )


@each("stake of the banker", None)
def _stakes_of_the_banker(view: CoupView) -> Sequence[Bet]:
    """Return the bets that the banker placed against the banker's own bank.

    A bet that was withdrawn, or returned in whole as excess, is not checked.
    """
    banker = bank_events_of(view.coup).banker
    return [
        bet for bet in open_bets(view.coup) if not bank_requirements.may_stake(banker, bet.patron)
    ]


@FUNDS.rule(
    "K511",
    "banker-stake-against-own-bank",
    sources=(BOUSSAC_BACCARA_A_DEUX_TABLEAUX,),
    needs=(needs.banker_recorded, needs.has_bets),
    each=_stakes_of_the_banker,
    breach_events=(BetPlaced, BetCarried),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "player", "amount": 4000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 4000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
)
def banker_stake_against_own_bank(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """The banker does not stake against the banker's own bank.

    The banker is the patron who held the bank when the record first names the coup.
    """
    yield Breach(
        f"{name_bet(view.shoe, bet)} was staked against {bet.patron}'s own bank",
        "the banker has no stake beside the bank",
        f"{format_money(view.shoe, bet.amount)} on {wager_label(bet.wager)}",
        (bet.placed,),
    )


# -- All stakes accepted -------------------------------------------------------------------------


@each("declaration", "no banker accepted all stakes")
def _declarations(shoe: Shoe) -> Sequence[RecordedEvent[BankUnlimited]]:
    """Return the events in which bankers declared that they accept all stakes."""
    return [event for bank in shoe.banks for event in events_of(BankUnlimited, bank.moves)]


@need("play", "no banker accepted all stakes", "nothing-to-check")
def declared_without_limit(shoe: Shoe) -> bool:
    """A banker declared that all stakes are accepted."""
    return bool(_declarations.of(shoe))


@need("rules", "the bank has no limit from the beginning", "nothing-to-check")
def bank_limited_at_first(shoe: Shoe) -> bool:
    """The rule pack has the bank limited at first."""
    pack = shoe.pack
    return pack is not None and (pack.tableaux is None or rule_of(shoe).bank != "open")


@FUNDS.rule(
    "K512",
    "open-bank-without-excess",
    sources=(WIKIPEDIA_BACCARAT_BANQUE,),
    looks_at="shoe",
    needs=(needs.not_coups_alone, declared_without_limit, bank_limited_at_first),
    each=_declarations,
    breach_events=(BankUnlimited, CoupClosed),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 20000}
        bank-unlimited {"by": "p11", "coup": 1}
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
        bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 20500}
        bank-raised {"by": "p11", "amount": 500, "coup": 1}
        bank-unlimited {"by": "p11", "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
    """,
)
def open_bank_without_excess(shoe: Shoe, event: RecordedEvent[BankUnlimited]) -> Iterator[Breach]:
    """A banker accepts all stakes only if they exceed the bank, and before the coup is over.

    The stakes on the layout just before the declaration are compared with the bank at the beginning
    of the coup; chips added in the coup do not count. A coup is over when it is closed, not when it
    is voided. A declaration that names no coup on record is a breach.

    If the amount of the bank is unknown, any declaration in a coup is accepted. If the rule pack
    does not let bankers accept stakes beyond the bank, every declaration is a breach. Only rule
    packs of baccarat banque let bankers do so.
    """
    payload, pack = event.payload, shoe.pack
    coup = shoe.coups.get(payload.coup or 0)
    required = "accepting stakes only if they exceed the bank, and before the coup is over"
    if pack is None or not bank_requirements.lets_accept(pack):
        required, shown = (
            "a bank covers only its chips",
            "the rule pack lets no banker accept stakes beyond the bank",
        )
        yield _for_nothing(payload, required, shown, (event,))
    elif coup is None:
        yield _for_nothing(payload, required, "the declaration names no coup on record", (event,))
    elif bank_unknown(shoe, coup) is None:
        lay, bank = _lay_before(shoe, coup, event), bank_events_of(coup).bank or 0
        if coup.closed is not None and before(shoe, coup.closed, event):
            yield _for_nothing(payload, required, "the coup was over", (event, coup.closed))
        elif not bank_requirements.may_accept_all(pack, staked=lay, bank=bank):
            staked, held = format_money(shoe, lay), format_money(shoe, bank)
            shown = f"{staked} was staked against a bank of {held}"
            yield _for_nothing(payload, required, shown, (event,))


def _for_nothing(
    declared: BankUnlimited, required: str, shown: str, events: tuple[RecordedEvent, ...]
) -> Breach:
    said = f"{declared.by} accepted all stakes, but {shown}"
    return Breach(said, required, shown, events, patron=declared.by)


def _lay_before(shoe: Shoe, coup: Coup, event: RecordedEvent) -> int:
    """Return the total of the stakes on the layout before an event, in minor units."""
    total = 0
    for bet in coup.bets.values():
        lay = 0
        for stake in stakes_of(coup, bet):
            lay = lies_after(stake, lay) if before(shoe, stake, event) else lay
        total += lay
    return total


RULES = (*FUNDS.rules,)
"""Every rule of this module."""
