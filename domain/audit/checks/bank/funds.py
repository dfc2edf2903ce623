"""Rules of a patron's bank: what it is, who goes bank, what it covers.

The rule of a banker who takes all stakes on: only where they go beyond his bank.

He may then declare them accepted, "in case of loss" too, and his bank has no limit from then on
(seeds S0, S1): until the coup is over it costs nobody but him. An open bank has none from the
first.
"""

from typing import Final

from sabot.domain.audit.announced_bank import by_its_call
from sabot.domain.audit.checks.bank import tableaux_bets, tableaux_hands
from sabot.domain.audit.checks.bets_at_close import closed_by
from sabot.domain.audit.checks.payments import moved_by_its_call
from sabot.domain.audit.completeness import (
    COUPS_ALONE,
    NO_BANK,
    NO_BETS,
    NO_SEATS,
    bank_unknown,
    seats_lack,
    stakes_unjudged,
)
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Rule
from sabot.domain.audit.wording import money
from sabot.domain.events.bank import BankUnlimited
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.patron_bank import (
    bank_of,
    banked,
    claimant,
    claims,
    follows,
    staked,
    standing,
)
from sabot.domain.procedure.two_tableaux.tableaux import rule_of
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.money import spelled

BANKED: Final[tuple[GameName, ...]] = ("chemin-de-fer", "macao", "victoria", tableaux_hands.BANQUE)
"""The games in which a patron banks."""

_GAMES: tuple[GameName, ...] = ("chemin-de-fer",)
_PASSED_ON: tuple[GameName, ...] = (*_GAMES, tableaux_hands.BANQUE)
_CITES = ("field-facts.md 1.2", "seeds S0, S1 (Chemin de fer)")


def _money(view: CoupView, amount: int) -> str:
    pack = view.shoe.pack
    return spelled(amount, pack.money.minor_units if pack is not None else 2)


def _miscalled(view: CoupView) -> Answer:
    part = banked(view.coup)
    if part.bank is None or part.called is None:
        return "the bank was not called" if part.bank is not None else NO_BANK
    unknown = bank_unknown(view.shoe, view.coup)
    if unknown:
        return unknown
    called = part.called.payload.amount
    if called == part.bank:
        return NO_BREACH
    return (
        Breach(
            f"the bank was called at {_money(view, called)}",
            f"{_money(view, part.bank)}, by what went in and came out",
            _money(view, called),
            (part.called,),
            money=moved_by_its_call(view),
            patron=part.banker,
        ),
    )


def _beyond(view: CoupView) -> Answer:
    if tableaux_hands.is_banque(view):
        return tableaux_bets.beyond(view)
    reason = stakes_unjudged(view.shoe, view.coup)
    if reason:
        return reason
    bank, lies = _covering(view, view.coup), staked(view.coup)
    holds = max(bank, _covering(view, by_its_call(view.coup)))
    if banked(view.coup).unlimited or lies <= holds:
        return NO_BREACH
    return (
        Breach(
            f"{_money(view, lies)} was staked against a bank of {_money(view, bank)}",
            f"{_money(view, bank)} at most: the banker raises it, or what is over goes back",
            _money(view, lies),
            tuple(bet.placed for bet in standing(view.coup)),
            patron=banked(view.coup).banker,
            done=closed_by(view.coup),
        ),
    )


def _covering(view: CoupView, coup: Coup) -> int:
    """Return what covers the stakes: the bank, and what was added where the pack lets it be."""
    pack = view.shoe.pack
    raises = pack is None or pack.excess is None or pack.excess.option == "raise-or-return"
    of_bank = bank_of(coup) if raises else banked(coup).bank
    return of_bank or 0


def _banco(view: CoupView) -> Answer:
    if tableaux_hands.is_banque(view):
        return tableaux_bets.banco(view)
    made = claims(view.coup)
    reason = stakes_unjudged(view.shoe, view.coup)
    if not made or reason:
        return reason or "nobody went bank"
    alone = claimant(view.shoe, view.coup)
    bank, lying = bank_of(view.coup), standing(view.coup)
    for_it = (bank, bank_of(by_its_call(view.coup)))
    if len(lying) == 1 and lying[0].amount in for_it:
        if lying[0].patron == alone:
            return NO_BREACH
        if seats_lack(view.shoe, view.coup) and any(lying[0].patron == one.patron for one in made):
            return NO_SEATS  # of several claims his is the first who sits first
    shown = ", ".join(f"{bet.patron} {_money(view, bet.amount)}" for bet in lying) or "no stake"
    return (
        Breach(
            f"{alone} went banco, and the bank was played for otherwise",
            f"{alone} alone, for {_money(view, bank or 0)}",
            shown,
            (*banked(view.coup).claims, *(bet.placed for bet in lying)),
            patron=alone,
            done=closed_by(view.coup),
        ),
    )


def _groundless(view: CoupView) -> Answer:
    if tableaux_hands.is_banque(view):
        return tableaux_bets.groundless(view)
    part = banked(view.coup)
    if not part.claims:
        return "nobody went bank"
    second = follows(view.shoe, view.coup)
    breaches = []
    for event in part.claims:
        payload = event.payload
        if payload.patron == part.banker:
            due = "the banker does not play against himself"
            breaches.append(
                Breach(f"{payload.patron} went banco against himself", due, "he did", (event,))
            )
        elif payload.suivi and payload.patron != second:
            due = f"{second or 'nobody'}: who lost his banco to this bank in the coup before"
            said = f"{payload.patron} went banco suivi"
            breaches.append(Breach(said, due, payload.patron, (event,)))
    return tuple(breaches)


def _own_bank(view: CoupView) -> Answer:
    part = banked(view.coup)
    if part.banker is None:
        return NO_BANK
    if not view.coup.bets:
        return NO_BETS
    own = [bet for bet in standing(view.coup) if bet.patron == part.banker]
    return tuple(
        Breach(
            f"{bet.patron} staked against his own bank",
            "the banker stakes his bank and nothing else",
            f"{_money(view, bet.amount)} on {bet.wager}",
            (bet.placed,),
        )
        for bet in own
    )


FUNDS_RULES = (
    Rule(
        "K503",
        "miscalled-bank",
        "totals",
        "medium",
        "What the croupier calls is what lies in the bank, by every chip that went in or out.",
        _CITES,
        on_coup=_miscalled,
        games=_PASSED_ON,
    ),
    Rule(
        "K502",
        "stakes-beyond-bank",
        "procedure",
        "high",
        "Nobody can win of a bank what is not in it.",
        _CITES,
        on_coup=_beyond,
        games=BANKED,
    ),
    Rule(
        "K509",
        "stake-beside-banco",
        "procedure",
        "medium",
        "Who goes bank plays for the whole of it, and nobody beside him.",
        _CITES,
        on_coup=_banco,
        games=_PASSED_ON,
    ),
    Rule(
        "K510",
        "unjustified-banco",
        "procedure",
        "low",
        "Banco suivi is his who lost his banco to the same bank in the coup before.",
        _CITES,
        on_coup=_groundless,
        games=_PASSED_ON,
    ),
    Rule(
        "K511",
        "banker-stake-against-own-bank",
        "procedure",
        "medium",
        "The banker plays one side.",
        _CITES,
        on_coup=_own_bank,
        games=BANKED,
    ),
)


_GAMES_WITH_A_BANK: Final[tuple[GameName, ...]] = (
    "chemin-de-fer",
    "macao",
    "victoria",
    "baccarat-banque",
)


def _unfounded(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    declared = [
        (event, event.payload)
        for bank in shoe.banks
        for event in events_of(BankUnlimited, bank.moves)
    ]
    if not declared:
        return "nobody declared that he takes all stakes on"
    if shoe.pack is None or (shoe.pack.tableaux is not None and rule_of(shoe).bank == "open"):
        return "the bank is open from the first"
    return tuple(
        Breach(f"{payload.by} declared his bank without a limit", *why, patron=payload.by)
        for event, payload in declared
        if (why := _why_not(shoe, event, payload)) is not None
    )


def _why_not(
    shoe: Shoe, event: RecordedEvent, payload: BankUnlimited
) -> tuple[str, str, tuple[RecordedEvent, ...]] | None:
    """Return what a declaration required, what there was instead, and the events that show it."""
    excess = shoe.pack.excess if shoe.pack is not None else None
    if excess is None or excess.option != "rotation-or-accept":
        return "a bank holds what lies in it", "the pack lets nobody take more on", (event,)
    required = "stakes that go beyond his bank, before their coup is over: those he may accept"
    coup = shoe.coups.get(payload.coup or 0)
    if coup is None:
        return required, "no coup was open", (event,)
    if bank_unknown(shoe, coup) is not None:
        return None
    lay, bank = _lay_before(coup, event), banked(coup).bank or 0
    if coup.closed is not None and coup.closed.position < event.position:
        return required, "the coup was over", (event, coup.closed)
    if lay > bank:
        return None
    return required, f"{money(shoe, lay)} lay against {money(shoe, bank)}", (event,)


def _lay_before(coup: Coup, event: RecordedEvent) -> int:
    """Return what lay against the bank before an event, at most; in minor units.

    A bet that was lowered, or taken back, later on lay there whole.
    """
    before = (bet for bet in coup.bets.values() if bet.placed.position < event.position)
    return sum(max(bet.amount, bet.placed.payload.amount) for bet in before)


OPEN_BANK_RULES: Final = (
    Rule(
        "K512",
        "open-bank-without-excess",
        "procedure",
        "medium",
        "A banker may take all stakes on where they go beyond his bank; else it holds what lies "
        "in it.",
        ("field-facts.md 1.2", "seeds S0, S1 (Baccarat banque)"),
        on_shoe=_unfounded,
        games=_GAMES_WITH_A_BANK,
    ),
)


RULES = (
    *FUNDS_RULES,
    *OPEN_BANK_RULES,
)
"""Every rule of this family."""
