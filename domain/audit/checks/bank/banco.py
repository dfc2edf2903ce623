"""Rules on going bank. One patron plays alone against the whole bank.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from sabot.domain.audit import needs
from sabot.domain.audit.announced_bank import calls_behind
from sabot.domain.audit.checks.bank.tableaux_hands import BANQUE, is_banque
from sabot.domain.audit.checks.bets import LATE
from sabot.domain.audit.checks.bets_at_close import closed_by
from sabot.domain.audit.completeness import (
    STARTS_BEFORE_RECORD,
    coups_unknown,
    may_start_after_opening,
    seats_unknown,
)
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.event_words import name_bet
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import BetCarried, BetChanged, BetPlaced, BetWithdrawn
from sabot.domain.events.bank import BancoCalled, BankCalled, BankUnlimited
from sabot.domain.events.envelope import RecordedEvent, first_of
from sabot.domain.procedure.patron_bank import (
    banco_claimant,
    bank_events_of,
    bank_of,
    claims_of,
    entitled_to_suivi,
    open_bets,
)
from sabot.domain.procedure.preconditions import bank_requirements, tableaux_requirements
from sabot.domain.procedure.two_tableaux.banco_claims import banco_claimants, lost_bancos
from sabot.domain.procedure.two_tableaux.tableaux import tableau_of
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    BRITANNICA_BACCARAT_CHEMIN_DE_FER,
    CASINOS_777_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_BANQUE,
)
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.timeline.evidence import answered

BANCO = RuleGroup(family="procedure", concerns="game", games=("chemin-de-fer", "baccarat-banque"))


def accepted_now(view: CoupView) -> bool:
    """Return whether the banker accepted all stakes in this coup, so that the bank has no limit."""
    return first_of(BankUnlimited, view.coup.events) is not None


@need("play", "nobody went bank", "nothing-to-check")
def went_bank(view: CoupView) -> bool:
    """A patron went bank."""
    return bool(claims_of(view.coup))


@need("play", "the coup was voided without a stake", "nothing-to-check")
def staked_or_played(view: CoupView) -> bool:
    """The coup has a stake, or was not voided."""
    return bool(open_bets(view.coup)) or view.coup.voided is None


@BANCO.rule(
    "K509",
    "stake-beside-banco",
    sources=(
        BRITANNICA_BACCARAT_CHEMIN_DE_FER,
        CASINOS_777_CHEMIN_DE_FER,
        WIKIPEDIA_BACCARAT_BANQUE,
    ),
    needs=(
        *needs.STAKES_KNOWN,
        went_bank,
        staked_or_played,
        *needs.only_at(BANQUE, needs.seats_known),
    ),
    follows_from=(*LATE, "miscalled-bank", "unjustified-banco"),
    breach_events=(BancoCalled, BetPlaced, BetCarried, BetChanged, BetWithdrawn, BankCalled),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        banco-called {"coup": 1, "patron": "p2"}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 4000}
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
        banco-called {"coup": 1, "patron": "p2"}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
)
def stake_beside_banco(view: CoupView) -> Iterator[Breach]:
    """A patron who goes bank plays for the whole bank, and no other stake stays on the layout.

    A stake that was withdrawn, at any time, is ignored. A stake that was pushed, or given back
    because the coup was voided, is not ignored. The bank includes the chips added in the coup. A
    patron who goes bank and stakes another amount, or nothing, breaks the rule.

    At chemin de fer one patron plays. The claim of the patron who may go banco suivi (K510) comes
    first. The other claims follow in the order of play. Without the seats on record, a single stake
    of the whole bank by one of several claimants is not judged, unless that patron may go banco
    suivi. A claim by the banker counts as one of the claims; K510 reports it as a breach.

    At baccarat banque the claims are taken from the banker outward, right and left alternating. The
    first claimant plays for the whole bank. If a patron of the other side claims too, each plays
    for half of the bank. The shares are rounded down to whole stake units. The stake is on the
    tableau that the claim names, or on both. If the claim names no tableau, the stake is on the
    claimant's own tableau, or on the right one for a patron without a seat.
    """
    bank, lying = bank_of(view.coup), open_bets(view.coup)
    if is_banque(view):
        yield from _tableau_beside_banco(view, lying)
        return
    alone = banco_claimant(view.shoe, view.coup)
    if len(lying) == 1 and lying[0].amount == bank:
        if _turn_depends_on_seats(view, lying[0].patron):
            answered(seats_unknown(view.shoe, view.coup))
        if lying[0].patron == alone:
            return
    shown = ", ".join(f"{bet.patron} {format_money(view.shoe, bet.amount)}" for bet in lying)
    holds = format_money(view.shoe, bank or 0)
    yield Breach(
        f"{alone} went banco for {holds}, but {_played(view, alone, lying)}",
        f"{alone} alone, for {holds}",
        shown or "no stake",
        (*_claimed(view.coup, bank or 0, lying), *_staked(view.coup, lying)),
        patron=alone,
        offending_event=closed_by(view.coup),
    )


def _turn_depends_on_seats(view: CoupView, patron: str) -> bool:
    """Return whether a claimant's turn depends on the seats."""
    claimants = {claim.patron for claim in claims_of(view.coup)}
    entitled = entitled_to_suivi(view.shoe, view.coup)
    return patron in claimants and len(claimants) > 1 and patron != entitled


def _claimed(coup: Coup, bank: int, lying: list[Bet]) -> list[RecordedEvent]:
    """Return the claims to go bank, and the wrongly announced bank that the stakes followed."""
    off = sum(bet.amount for bet in lying) - bank
    return [*bank_events_of(coup).claims, *calls_behind(coup, off)]


def _staked(coup: Coup, lying: list[Bet]) -> list[RecordedEvent]:
    """Return the events that placed these bets, and all changes of bets."""
    changes = (change for bet in coup.bets.values() for change in bet.changes)
    return [*(bet.placed for bet in lying), *changes]


def _played(view: CoupView, alone: str | None, lying: list[Bet]) -> str:
    """Return text for how the stakes differ from a banco of one patron."""
    others = [name_bet(view.shoe, bet) for bet in lying if bet.patron != alone]
    if others:
        return f"{', '.join(others)} stayed on the layout"
    staked = format_money(view.shoe, sum(bet.amount for bet in lying))
    return f"staked {staked if lying else 'nothing'}"


def _tableau_beside_banco(view: CoupView, lying: list[Bet]) -> Iterator[Breach]:
    """Yield a breach unless the stakes are exactly those of the patrons who went bank.

    This is for games with two tableaux, where two patrons may go bank for a half each.
    """
    stakes = Counter((bet.patron, bet.wager, bet.amount) for bet in lying)
    due = [taker for taker in banco_claimants(view.shoe, view.coup) if taker.amount]
    if stakes == Counter((taker.patron, taker.wager, taker.amount) for taker in due):
        return
    takers = [
        f"{taker.patron} for {format_money(view.shoe, taker.amount)} on {wager_label(taker.wager)}"
        for taker in due
    ]
    required = " and ".join(takers) or "nobody"
    shown = ", ".join(
        f"{bet.patron} {format_money(view.shoe, bet.amount)} on {wager_label(bet.wager)}"
        for bet in lying
    )
    yield Breach(
        f"{required} went bank, but the stakes are: {shown or 'none'}",
        f"{required}: right and left in turn, a half each from opposite sides",
        shown or "no stake",
        (
            *_claimed(view.coup, bank_of(view.coup) or 0, lying),
            *_staked(view.coup, lying),
        ),
    )


@each("claim", "nobody went bank")
def _claims(view: CoupView) -> Sequence[RecordedEvent[BancoCalled]]:
    """Return the claims to go bank."""
    return bank_events_of(view.coup).claims


@BANCO.rule(
    "K510",
    "unjustified-banco",
    sources=(BRITANNICA_BACCARAT_CHEMIN_DE_FER, WIKIPEDIA_BACCARAT_BANQUE),
    concerns="form",
    each=_claims,
    breach_events=(BancoCalled,),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        banco-called {"coup": 1, "patron": "p2", "suivi": true}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
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
        banco-called {"coup": 1, "patron": "p2"}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
)
def unjustified_banco(view: CoupView, claim: RecordedEvent[BancoCalled]) -> Iterator[Breach]:
    """Nobody goes bank without the right; banco suivi at chemin de fer is for the last loser.

    The banker never has the right to go bank. At chemin de fer a claim of banco suivi is for the
    patron who played the banco of the previous coup, against the same bank, and lost on the cards.
    After a void coup, or if the rule pack has no banco suivi, nobody may claim it. The claim is not
    judged if the record lacks the previous coup or its beginning, or if the claimant and others
    went bank in that coup and the seats are not on record. A claim without suivi is open to
    everyone but the banker. The time of a claim is not judged.

    At baccarat banque a claim of banco suivi is judged like any other claim; no rule checks the
    right to suivi. Nobody goes bank against a bank that had no limit before the coup, or if the
    previous coup left stakes on the layout (see W511). A seated patron does not go bank on the
    other tableau alone if the rule pack binds patrons to their own. A claim is accepted if the
    record lacks the seats or the previous coup.
    """
    shoe, coup, patron = view.shoe, view.coup, claim.payload.patron
    unlimited = bank_events_of(coup).unlimited and not accepted_now(view)
    obstacle = bank_requirements.banco_obstacle(shoe, coup, claim.payload, unlimited=unlimited)
    if obstacle is None or bank_requirements.may_go_bank(obstacle):
        return
    answered(_suivi_unknown(view, patron) if obstacle == "not-entitled" else None)
    said, shown = f"{patron} went bank", patron
    if obstacle == "not-entitled":
        said = f"{patron} went banco suivi without the right to it"
    elif not is_banque(view):
        said, shown = f"{patron} went banco against their own bank", patron
    yield Breach(said, _banco_due(view, patron)[obstacle], shown, (claim,))


def _suivi_unknown(view: CoupView, patron: str) -> str | None:
    """Return why it is unknown whether a patron may go banco suivi. None if it is known."""
    shoe, before = view.shoe, view.shoe.coups.get(view.coup.number - 1)
    if shoe.pack is None or shoe.pack.banco is None or not shoe.pack.banco.suivi:
        return None
    if before is None:
        return coups_unknown(shoe, view.coup)
    if may_start_after_opening(shoe, before):
        return STARTS_BEFORE_RECORD
    claimed = [claim.patron for claim in claims_of(before)]
    of_several = patron in claimed and len(set(claimed)) > 1
    return seats_unknown(shoe, before) if of_several else None


def _banco_due(view: CoupView, patron: str) -> dict[bank_requirements.BancoObstacle, str]:
    """Return the requirements that a claim to go bank did not meet, as texts for the finding."""
    second, sits = entitled_to_suivi(view.shoe, view.coup), tableau_of(view.coup, patron)
    return {
        "own-bank": "a banker does not bet against their own bank",
        "not-entitled": f"{second or 'nobody'}: who lost a banco to this bank in the previous coup",
        "no-limit": "nobody can go bank against a bank without a limit",
        "frozen": "nobody goes bank before the stakes that the previous coup left are settled",
        "other-tableau": f"patrons of the {sits} tableau go bank there, or on both",
    }


def _most_bancos(pack: RulePack | None) -> int | None:
    """Return how often in a row a patron may go bank and lose."""
    return pack.banco.successive if pack is not None and pack.banco is not None else None


@BANCO.rule(
    "W509",
    "fourth-banco",
    concerns="form",
    sources=(WIKIPEDIA_BACCARAT_BANQUE,),
    needs=(
        needs.pack_says("how often in a row a patron may go bank", _most_bancos),
        went_bank,
        needs.record_not_coups_alone,
        needs.seats_known,
    ),
    games=("baccarat-banque",),
    each=_claims,
    breach_events=(BancoCalled,),
    breaks="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
    """,
    keeps="""
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
        tableaux banco p7 | 3 4; 2 4; 9 K
    """,
)
def fourth_banco(view: CoupView, claim: RecordedEvent[BancoCalled]) -> Iterator[Breach]:
    """A patron who lost the permitted number of bancos in a row does not go bank again at once.

    By custom the limit is three lost bancos in a row. Only bancos that the patron played are
    counted. A claim that yielded to another patron is not counted. The new claim is judged even if
    another patron has the first claim. A banco is lost if its payments, over all coups that held
    its stake, sum to a loss. A banco that came out even is not counted and does not end the series.
    A won banco, a coup in which the patron played no banco, and another bank end the series. A void
    coup does not end it, unless the patron was paid for a natural before the void.
    """
    most, patron = _most_bancos(view.shoe.pack), claim.payload.patron
    lost = lost_bancos(view.shoe, view.coup, patron)
    if not tableaux_requirements.may_go_bank_again(most, lost):
        yield Breach(
            f"{patron} went bank again after {lost} bancos lost in a row",
            f"not after {most} bancos lost in a row",
            f"{lost} lost in a row",
            (claim,),
            patron=patron,
        )


RULES = (*BANCO.rules,)
"""Every rule of this module."""
