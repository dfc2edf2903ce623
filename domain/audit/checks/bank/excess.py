"""Rule on stakes returned because they exceed the bank.

All of the excess goes back, and nothing else. At chemin de fer the patron last in turn gets the
stake back first. At two tableaux the standing patrons get theirs back first. Where a patron goes
bank, every other stake goes back.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit import needs
from sabot.domain.audit.announced_bank import by_its_call, calls_behind
from sabot.domain.audit.ceased_bets import Ceased, moved_for_nothing
from sabot.domain.audit.checks.bank.funds import banker_stake_against_own_bank, miscalled_bank
from sabot.domain.audit.checks.bank.tableaux_hands import is_banque
from sabot.domain.audit.checks.payments import settled_as_covered, why_payments_unjudged
from sabot.domain.audit.completeness import UNTOLD, claim_may_be_missing
from sabot.domain.audit.coup_view import CoupView, excess_moved
from sabot.domain.audit.event_words import name_bet
from sabot.domain.audit.rule import Breach, MoneyEffect
from sabot.domain.audit.rule_group import RuleGroup, code_of, need
from sabot.domain.audit.settled_stakes import settled_at
from sabot.domain.audit.wrong_bank_moves import moves_behind_call
from sabot.domain.events import BetCarried, BetChanged, BetPlaced, BetWithdrawn
from sabot.domain.events.bank import (
    BancoCalled,
    BankCalled,
    BankRaised,
    BankUnlimited,
    ExcessReturned,
)
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import Excess, bank_events_of, excess_due
from sabot.domain.procedure.two_tableaux.banco_claims import excess_of_tableaux
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.sources import WIKIPEDIA_BACCARAT_CHEMIN_DE_FER
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.timeline.evidence import answered, surely


class _Return(Struct, frozen=True):
    """A return of a part of a stake, compared with the excess at that moment.

    ``due`` is the excess of this bet in minor units, ``others`` the excess of the other bets. The
    excess is the part of a stake that the bank does not cover.
    """

    event: RecordedEvent
    bet: Bet
    amount: int
    due: int
    others: tuple[Excess, ...]

    @property
    def beyond_stake(self) -> int:
        """By how much the returned amount exceeds the stake, in minor units."""
        return max(0, self.amount - self.bet.amount)

    @property
    def of_stake(self) -> int:
        """The part of the stake that was returned although the bank covered it, in minor units."""
        return max(0, min(self.amount, self.bet.amount) - self.due)


EXCESS = RuleGroup(family="procedure", concerns="form", games=("chemin-de-fer", "baccarat-banque"))


@need("play", "no excess was returned", "nothing-to-check")
def excess_returned(view: CoupView) -> bool:
    """A stake was returned as excess over the bank, in whole or in part."""
    return bool(bank_events_of(view.coup).excess)


_JUDGED: Final = (*needs.STAKES_KNOWN, excess_returned, needs.seats_known)
"""The needs of the rule."""


@EXCESS.rule(
    "K508",
    "excess-returned-out-of-order",
    sources=(WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,),
    needs=_JUDGED,
    breach_events=(ExcessReturned, BetPlaced, BetCarried, BankCalled),
    follows_from=(code_of(miscalled_bank), code_of(banker_stake_against_own_bank)),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 5000}
        excess-returned {"coup": 1, "bet": 1, "amount": 1000}
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
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 5000}
        excess-returned {"coup": 1, "bet": 2, "amount": 1000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
    """,
)
def excess_returned_out_of_order(view: CoupView) -> Iterator[Breach]:
    """The stakes beyond the bank are returned, the last in turn first, and no others.

    Each return is compared with the stakes, the claims and the bank just before it. A return of
    more than was due to that bet at that moment is a breach. The excess is the total of all stakes,
    minus the bank with the chips added by then. A bank without a limit has no excess. If wrong
    payments account for a wrongly announced amount of the bank, the announced amount is used.

    At chemin de fer the last patron in turn gets the excess back first. Patrons without a seat come
    before all others, and carried stakes come last. At baccarat banque only standing patrons get
    excess back, the latest stake first, in whole stake units. Seated patrons keep their stakes, and
    carried stakes stay. If a patron goes bank, every other stake is returned whole, even that
    patron's own stake of another amount.

    If the record may lack a claim to go bank, only a return of more than the stake is reported.
    K502, K509 and K518 check for a return that is too small or missing. The first breach of a coup
    has the money of all its breaches.
    """
    for back in _wrong_returns(view):
        yield _breach(view, back)


def was_sent_back_wrongly(view: CoupView, bet: Bet) -> bool:
    """Return whether surely too much of a bet was returned."""
    if not bank_events_of(view.coup).excess or any(asked.missing(view) for asked in _JUDGED):
        return False
    return surely(lambda: any(back.bet.number == bet.number for back in _wrong_returns(view)))


def _wrong_returns(view: CoupView) -> list[_Return]:
    """Return the returns that were larger than the excess of the bet.

    Where a patron goes bank, every other stake has to be returned, and no more than the stake.

    Raises:
        Unknown: the remaining bet may be a banco whose claim is not on record.
    """
    coup = view.coup
    if moves_behind_call(view.shoe, coup):
        # the chips that wrong payments moved are told by the findings about these
        coup = by_its_call(coup)
    wrong = [back for back in _returns(view, coup) if back.amount > back.due]
    if not wrong or not claim_may_be_missing(view.shoe, view.coup):
        return wrong
    beyond_stake = [back for back in wrong if back.beyond_stake]
    answered(None if beyond_stake else UNTOLD)
    return beyond_stake


def _breach(view: CoupView, back: _Return) -> Breach:
    who, shown = back.bet.patron, format_money(view.shoe, back.amount)
    of_others = sum(each.amount for each in back.others)
    first = back.others[0].bet if back.others else None
    events: list[RecordedEvent] = [back.event, back.bet.placed]
    if back.beyond_stake:
        said = f"{shown} was returned of {who}'s {format_money(view.shoe, back.bet.amount)}"
        due = f"{format_money(view.shoe, back.due)}: nobody gets back more than the stake"
    elif first is not None and back.of_stake <= of_others:
        wager, other = wager_label(back.bet.wager), name_bet(view.shoe, first)
        said = f"{shown} of {who}'s bet on {wager} was returned while {other} stayed"
        due = "excess is returned in reverse order of play: the last first"
        if is_banque(view):
            due = (
                "the latest stakes of standing patrons are returned first, seated ones keep theirs"
            )
        events.append(first.placed)
    else:
        over = format_money(view.shoe, back.of_stake)
        said = f"{over} too much of {who}'s bet on {wager_label(back.bet.wager)} was returned"
        due = f"{format_money(view.shoe, back.due)}: the part that the bank covers stays"
    # a lower bank than the recorded one is exceeded by more
    events += calls_behind(view.coup, back.due - back.amount)
    return Breach(said, due, shown, tuple(events), patron=who)


# -- What had to go back ----------------------------------------------------------------------


def _due(view: CoupView, coup: Coup) -> list[Excess]:
    due = excess_of_tableaux if is_banque(view) else excess_due
    return list(due(view.shoe, coup))


def _returns(view: CoupView, coup: Coup) -> Iterator[_Return]:
    """Yield the returned stakes of a coup, each compared with the stakes at that moment."""
    for event in bank_events_of(coup).excess:
        before = _before(coup, event)
        payload = event.payload
        bet = before.bets.get(payload.bet)
        if bet is None:
            continue
        owed = _due(view, before)
        due = sum(each.amount for each in owed if each.bet.number == bet.number)
        others = tuple(each for each in owed if each.bet.number != bet.number)
        yield _Return(event, bet, payload.amount, due, others)


def _before(coup: Coup, event: RecordedEvent) -> Coup:
    """Return a coup with stakes and bank as they were before an event."""
    earlier = coup.events[: coup.events.index(event)]
    bets: dict[int, Bet] = {}
    for each in earlier:
        match each.payload:
            case BetPlaced() | BetCarried() as payload if payload.bet not in bets:
                bet = coup.bets[payload.bet]
                bets[payload.bet] = replace(bet, amount=payload.amount, withdrawn=False)
            case BetChanged() as payload if payload.bet in bets:
                bets[payload.bet] = _at(bets[payload.bet], payload.amount)
            case BetWithdrawn() as payload if payload.bet in bets:
                bets[payload.bet] = _at(bets[payload.bet], 0)
            case ExcessReturned() as payload if payload.bet in bets:
                bets[payload.bet] = _at(
                    bets[payload.bet], bets[payload.bet].amount - payload.amount
                )
    part, told = bank_events_of(coup), [each.payload for each in earlier]
    accepted = [each.payload for each in events_of(BankUnlimited, coup.events)]
    unlimited = part.unlimited and (not accepted or accepted[0] in told)
    claims = events_of(BancoCalled, earlier)
    raised = events_of(BankRaised, earlier)
    now = replace(part, claims=claims, raised=raised, unlimited=unlimited)
    return replace(coup, bets=bets, banked=now)


def _at(bet: Bet, amount: int) -> Bet:
    return replace(bet, amount=max(0, amount), withdrawn=amount <= 0)


# -- The money --------------------------------------------------------------------------------


def gains_of_wrong_returns(view: CoupView) -> MoneyEffect:
    """Return how much too much each patron got because of wrong returns, in minor units.

    The amount includes chips that were never staked. It also includes what a stake won or lost too
    little because a part of it was returned, unless it was settled as if the excess alone had been
    returned. Whether the bets were settled rightly for the stakes on the layout is checked by other
    rules. If the amount is unknown, the reason is returned.
    """
    wrong, gains = _wrong_returns(view), _moved_as_covered(view)
    for back in wrong:
        gains[back.bet.patron] += back.beyond_stake
    for number in {back.bet.number for back in wrong}:
        # no stake was left at the end, and the bet was settled nevertheless
        bet = view.coup.bets[number]
        if isinstance(moved_for_nothing(view.shoe, view.coup, bet), Ceased):
            gains[bet.patron] += bet.net
    ruled = view.coup.refunded_bets
    stands = any(back.of_stake for back in wrong if back.bet.number not in ruled)
    if view.coup.voided is None and stands:
        reason = why_payments_unjudged(view)
        if reason is not None or not view.dealt:
            return reason or "the hands were not dealt"
        gains.update(_due_net(view, _rightly(view, view.coup, [])))
        gains.subtract(_due_net(view, _rightly(view, view.coup, wrong)))
    return tuple(sorted((who, gain) for who, gain in gains.items() if gain))


def _moved_as_covered(view: CoupView) -> Counter[str]:
    """Return what each patron got too much for bets settled for the stake that the bank covers."""
    moved: Counter[str] = Counter()
    for bet, due in view.settlements_due:
        if due is not None and settled_as_covered(view, bet):
            moved[bet.patron] += excess_moved(bet, due)
    return moved


def _due_net(view: CoupView, coup: Coup) -> Counter[str]:
    """Return the net win due to each patron, in minor units, without bets returned by a ruling."""
    net: Counter[str] = Counter()
    for bet, due in game_of(view.shoe.pack).due_bets(view.shoe, coup):
        if bet.number not in view.coup.refunded_bets:
            net[bet.patron] += due.net
    return net


def _rightly(view: CoupView, coup: Coup, wrong: list[_Return]) -> Coup:
    """Return a coup as it would be with correct returns.

    Wrongly returned stakes are put back, and the excess that is due back is removed.
    """
    bets = dict(coup.bets)
    for back in wrong:
        number, behind = back.bet.number, coup.events[coup.events.index(back.event) :]
        at = settled_at(coup, bets[number].moves) if bets[number].moves else behind[-1].position
        if back.event.position > at:
            continue  # the bet was settled for the stake before this return
        stands = (
            e.payload
            for e in behind
            if isinstance(e.payload, BetChanged | BetWithdrawn) and e.position <= at
        )
        if all(payload.bet != number for payload in stands):
            lay = 0 if bets[number].withdrawn else bets[number].amount
            bets[number] = _at(bets[number], lay + back.of_stake)
    for each in _due(view, replace(coup, bets=bets)):
        bets[each.bet.number] = _at(each.bet, each.bet.amount - each.amount)
    return replace(coup, bets=bets)


RULES = (*EXCESS.rules,)
"""Every rule of this module."""
