"""Compute the money of each finding; no amount counts twice.

The amounts of a report add up, because each amount is counted in one finding only. The cost of a
coup is split into three parts, named as in the key ``basis`` of a finding:

- ``payment``: the amount paid, less the amount due for the stakes on the layout and the cards
dealt;
- ``rule``: the amount due for the stakes on the layout, less the amount due for the stakes that the
rules allow, on the same cards;
- ``tableau``: the amount due on the cards dealt, less the amount due on the cards that the tableau
requires, for the stakes that the rules allow.

Each part of the cost is assigned to one finding; other findings about the same part refer to that
finding's code. A bet that a ruling returns has no amount due in any part; the finding about the
ruling has its amount.

A rule records the money of a breach (`Breach.money`) or the stake allowed (`Breach.stake`).
`attribute` then assigns the amounts among the findings of a coup. `effect` returns the amounts of
one finding for the house and for each patron.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.ceased_bets import Ceased, ceased_in_order, moved_for_nothing
from sabot.domain.audit.checks.another_game import coup_event_of_another_game
from sabot.domain.audit.checks.bank.excess import (
    excess_returned_out_of_order,
    gains_of_wrong_returns,
)
from sabot.domain.audit.checks.bets import LATE
from sabot.domain.audit.checks.commission import with_moved_bets
from sabot.domain.audit.checks.moved_cards import dealt_card_burned_without_ruling
from sabot.domain.audit.checks.no_bet_hands import no_bet_hand_not_played_out
from sabot.domain.audit.checks.payments import why_payments_unjudged
from sabot.domain.audit.checks.record import unmatched_event
from sabot.domain.audit.checks.rulings import ruling_not_carried_out
from sabot.domain.audit.checks.unsettled_bets import unsettled_bet, voided_bet_settled
from sabot.domain.audit.checks.voids import unjustified_void
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.fingerprints import identity_of, with_patron
from sabot.domain.audit.rule import (
    BETS_RETURNED,
    COUP_VOIDED,
    Breach,
    Family,
    MoneyEffect,
    Rule,
    counted_in,
)
from sabot.domain.audit.rule_group import code_of
from sabot.domain.audit.tableau_result import gains_of_wrong_cards
from sabot.domain.audit.wording import why_no_amount
from sabot.domain.events import CardDrawn, IrregularityNoted
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.coup_state import GIVING_BACK, Bet

# -- The money of one finding ----------------------------------------------------------------------

Basis = Literal["payment", "tableau", "rule"]
_BASES: Final[dict[Family, Basis]] = {
    "payout": "payment", "totals": "payment", "tableau": "tableau",
}  # fmt: skip


class Effect(Struct, frozen=True):
    """The money that a breach moved, in signed minor units.

    ``house`` is the surplus of the house, and ``patron`` that of all patrons together (negative: a
    shortage). ``patrons`` has this amount for each patron on record. All amounts are counted once,
    so they can be added.

    ``basis`` names the correct payments with which the amount is computed: those due on the cards
    dealt (``payment``), on the cards of the third-card table (``tableau``), or under the rule
    (``rule``: for example without the late bet).

    ``house``, ``patron`` and ``basis`` are None where the amount is not known. ``unknown`` is then
    the reason: another finding of the coup has the amount, or the record does not determine it.
    """

    house: int | None
    patron: int | None
    patrons: dict[str, int]
    currency: str | None
    minor_units: int
    basis: Basis | None
    unknown: str | None

    @property
    def moved(self) -> bool:
        """Whether the house or a patron got too much or too little."""
        return bool(self.house) or any(self.patrons.values())


def effect(rule: Rule, breach: Breach, view: CoupView | None, pack: RulePack | None) -> Effect:
    """Return the money that a breach moved.

    Args:
        rule: the rule that was broken.
        breach: the breach.
        view: its coup, for a rule that checks one.
        pack: the rule pack; None where it cannot be read (then no currency, two decimal places).
    """
    gains = why_no_amount(rule, breach) if breach.money is None else breach.money
    gains = _against_the_bank(gains, view)
    known = gains if isinstance(gains, tuple) else ()
    patrons: dict[str, int] = {}
    for patron, gain in known:
        if patron is not None:
            patrons[patron] = patrons.get(patron, 0) + gain
    total = sum(gain for _, gain in known) if isinstance(gains, tuple) else None
    return Effect(
        house=None if total is None else -total,
        patron=total,
        patrons=patrons,
        currency=pack.money.currency if pack is not None else None,
        minor_units=pack.money.minor_units if pack is not None else 2,
        basis=None if total is None else _BASES.get(rule.family, "rule"),
        unknown=None if isinstance(gains, tuple) else str(gains),
    )


def _against_the_bank(gains: MoneyEffect, view: CoupView | None) -> MoneyEffect:
    """Add the opposite amount for the patron who banks.

    The house then neither wins nor loses by the coup's payments.
    """
    banker = view.coup.banked.banker if view is not None and view.coup.banked else None
    if not isinstance(gains, tuple) or banker is None or any(who == banker for who, _gain in gains):
        return gains
    return (*gains, (banker, -sum(gain for _who, gain in gains)))


# -- The finding that carries an amount ------------------------------------------------------------

Found = list[tuple[Rule, Breach]]

_UNKNOWN: Final = "the recorded cards or the rule pack do not determine the result of the wager"
_NEVER: Final = code_of(unsettled_bet)
_NO_GROUND: Final = code_of(unmatched_event)
_EXCESS: Final = code_of(excess_returned_out_of_order)
_BURNED: Final = code_of(dealt_card_burned_without_ruling)
_FOREIGN: Final = code_of(coup_event_of_another_game)
_VOID: Final = code_of(unjustified_void)
_VOID_SETTLED: Final = code_of(voided_bet_settled)
_NOT_BACK: Final = (code_of(ruling_not_carried_out), code_of(no_bet_hand_not_played_out))
"""Codes of rules about rulings that refund bets."""


def attribute(view: CoupView, found: Found) -> Found:
    """Return the breaches of a coup with their money.

    Args:
        view: the coup.
        found: all breaches of the coup, in the order of the rules.
    """
    stakes = _Stakes(view, found)
    told = [(rule, _with(breach, stakes.gains.get(place))) for place, (rule, breach) in stakes.all]
    told = _borne_by_first(view, told, _is_of_excess, partial(gains_of_wrong_returns, view))
    told = _attribute_wrong_draws(view, _not_back(view, told, stakes), stakes)
    return _attribute_wrong_void(_attribute_wrong_calls(view, told))


def _with(breach: Breach, gains: MoneyEffect | None) -> Breach:
    """Return a breach with an amount. Amounts of several bets in it are collected."""
    if isinstance(gains, tuple) and isinstance(breach.money, tuple) and breach.stake is not None:
        gains = (*breach.money, *gains)
    return breach if gains is None else replace(breach, money=gains)


class _Stakes:
    """The amounts moved by wrong stakes, by finding.

    ``all`` are the findings with their places in the list, and ``gains`` the amounts by place.
    ``should`` is the stake allowed on each bet that such a finding concerns. ``forbidden_by`` has,
    by bet number, the code of the finding that allows no stake at all. ``never_settled`` has the
    positions of bets reported as never settled.
    """

    def __init__(self, view: CoupView, found: Found) -> None:
        self._view = view
        self.all = list(enumerate(found))
        self.gains: dict[int, MoneyEffect] = {}
        self.should: dict[int, int] = {}
        self.forbidden_by: dict[int, str] = {}
        self.never_settled = {
            breach.events[0].position for rule, breach in found if rule.code == _NEVER
        }
        claims: dict[int, list[int]] = {}
        for place, (_, breach) in self.all:
            if breach.stake is not None:
                _, number, *_ = identity_of(view.shoe, breach)
                claims.setdefault(int(number), []).append(place)
        for number, places in claims.items():
            self._attribute_bet(view.coup.bets[number], places)

    def _attribute_bet(self, bet: Bet, places: list[int]) -> None:
        """Assign the amounts of one bet to the findings about its stake.

        A finding without an amount gets the reason.
        """
        reason = self._unjudged(bet) or self._finding_of_ceased_bet(bet, places)
        forbids = next((place for place in places if self._forbids_bet(bet, place)), None)
        if bet.number in self._view.coup.refunded_bets:
            reason = None if forbids is not None else self._why_refunded(bet)
        if reason is not None:
            self.gains |= dict.fromkeys(places, reason)
        elif forbids is not None:
            self.should[bet.number] = 0
            self.forbidden_by[bet.number] = self._code(forbids)
            said = counted_in([self._code(forbids)])
            self.gains |= dict.fromkeys(places, said)
            self.gains[forbids] = ((bet.patron, self._in_the_end(bet)),)
        else:
            self._in_steps(bet, places)

    def _forbids_bet(self, bet: Bet, place: int) -> bool:
        """Return whether a finding allows no stake on the bet."""
        breach = self.all[place][1][1]
        return breach.stake == 0 and breach.events[0] is bet.placed

    def _in_steps(self, bet: Bet, places: list[int]) -> None:
        """Split what a patron got too much for a bet among the findings about its stake.

        The split begins with the last change of the stake. Each step compares the stake after a
        change with the stake that was allowed instead.
        """
        last: int | None = None
        stake = bet.amount
        late = [place for place in places if self._first(place) is not bet.placed]
        for place in reversed(late):
            due = self._breach(place).stake or 0
            now = self._in_the_end(bet) if last is None else self._net_of_stake(bet, stake)
            self.gains[place] = self._step(bet, now, due)
            last, stake = place, due
        for place in (place for place in places if place not in late):
            due = self._breach(place).stake or 0
            if bet.carried and not last and bet.changes:
                self.gains[place] = "the stake was changed while the bets were open"
            elif last is not None and (stake - due) * (bet.amount - due) <= 0:
                self.gains[place] = counted_in([self._code(last)])
            else:
                self.gains[place] = self._step(bet, self._net_of_stake(bet, stake), due)
                last, stake = place, due
        self.should[bet.number] = stake

    def _step(self, bet: Bet, now: int | None, stake: int) -> MoneyEffect:
        due = self._net_of_stake(bet, stake)
        return _UNKNOWN if now is None or due is None else ((bet.patron, now - due),)

    def _net_of_stake(self, bet: Bet, stake: int) -> int | None:
        """Return the net win of a stake on the cards dealt, or None where unknown."""
        if not stake:
            return 0
        lying = replace(bet, withdrawn=False)
        due = None if why_payments_unjudged(self._view) else self._view.due(lying, stake)
        return None if due is None else due.net

    def _in_the_end(self, bet: Bet) -> int:
        """Return a bet's net win with its final stake.

        It is the amount due if that is known and the bet was neither withdrawn nor returned,
        because a wrong payment has a finding of its own. Otherwise it is the amount that was paid
        or taken.
        """
        back = bet.withdrawn or bet.number in self._view.coup.refunded_bets
        due = None if back else self._net_of_stake(bet, bet.amount)
        return bet.net if due is None else due

    def _unjudged(self, bet: Bet) -> MoneyEffect | None:
        if self._view.coup.voided is not None:
            return COUP_VOIDED
        if not bet.moves and not bet.withdrawn and bet.placed.position not in self.never_settled:
            return "the bet has not been settled"
        return None

    def _finding_of_ceased_bet(self, bet: Bet, places: list[int]) -> MoneyEffect | None:
        """Return why the findings about an ended bet's stake have no amount, or None.

        The reason names the finding about the chips that moved for the bet after its end. It is
        None if a finding is about a late bet, or if no chips moved after the bet had ended.
        """
        if any(self._code(place) in LATE for place in places):
            return None
        how = moved_for_nothing(self._view.shoe, self._view.coup, bet)
        again = ceased_in_order(self._view.shoe, self._view.coup, bet) if how is None else None
        told = isinstance(how, Ceased) or (isinstance(again, Ceased) and bool(again.again))
        return counted_in([_NO_GROUND]) if told else None

    def _why_refunded(self, bet: Bet) -> MoneyEffect:
        """Return why a refunded bet's stake moved no money."""
        told = [rule.code for _, (rule, breach) in self.all if is_of_bets_back(rule, breach)]
        return counted_in(told[:1]) if told and bet.net else BETS_RETURNED

    def _breach(self, place: int) -> Breach:
        return self.all[place][1][1]

    def _first(self, place: int) -> RecordedEvent:
        return self._breach(place).events[0]

    def _code(self, place: int) -> str:
        return self.all[place][1][0].code


def is_of_bets_back(rule: Rule, breach: Breach) -> bool:
    """Return whether a finding reports bets that were not returned as ruled."""
    ruled = breach.events[0].payload if breach.events else None
    of_bets = isinstance(ruled, IrregularityNoted) and ruled.ruling in GIVING_BACK
    return rule.code in _NOT_BACK and of_bets


def _not_back(view: CoupView, found: Found, stakes: _Stakes) -> Found:
    """Assign the amounts of bets to be returned to the first finding about a ruling.

    The later findings about rulings name that finding.
    """
    back = view.coup.refunded_bets
    if not back:
        return found
    return _borne_by_first(view, found, is_of_bets_back, lambda: _moved_of(view, back, stakes))


def _borne_by_first(
    view: CoupView,
    found: Found,
    is_one: Callable[[Rule, Breach], bool],
    gains: Callable[[], MoneyEffect],
) -> Found:
    """Assign an amount to the first of some findings.

    The others name that finding.

    Args:
        view: the coup.
        found: all findings of the coup.
        is_one: returns whether a finding belongs to them.
        gains: computes the amount.
    """
    bearer: tuple[Rule, Breach] | None = None
    told: Found = []
    for rule, breach in found:
        if not is_one(rule, breach):
            told.append((rule, breach))
        elif bearer is None:
            bearer = rule, replace(breach, money=gains())
            told.append(bearer)
        elif breach.patron is None:
            told.append((rule, _of_others(view, breach, [bearer])))
        else:
            told.append((rule, replace(breach, money=counted_in([bearer[0].code]))))
    return told


def _moved_of(view: CoupView, back: frozenset[int], stakes: _Stakes) -> MoneyEffect:
    """Return patrons' wins on bets due to be returned.

    A bet that should not have been placed is left out: its late-bet finding has the amount.
    """
    collected = with_moved_bets(view)
    late = [stakes.forbidden_by[number] for number in sorted(back & stakes.forbidden_by.keys())]
    gains: Counter[str] = Counter()
    for number in sorted(back - stakes.forbidden_by.keys()):
        bet = view.coup.bets[number]
        gains[bet.patron] += bet.net - collected.get(number, 0)
    moved = tuple((patron, gain) for patron, gain in gains.items() if gain)
    return moved or (counted_in(late) if late else ())


def _attribute_wrong_draws(view: CoupView, found: Found, stakes: _Stakes) -> Found:
    """Assign the amount of all drawing errors to the first of their findings.

    A card that is removed from its hand and burned without a ruling counts as a drawing error. So
    does a card drawn to a hand of another game.
    """

    def gains() -> MoneyEffect:
        removed = _cards_removed_wrongly(view, found)
        return gains_of_wrong_cards(view, stakes.should, stakes.never_settled, removed)

    return _borne_by_first(view, found, _is_of_cards, gains)


def _is_of_cards(rule: Rule, breach: Breach) -> bool:
    """Return whether a breach is a drawing error without an amount."""
    of_cards = rule.family == "tableau" or rule.code == _BURNED or _is_astray(rule, breach)
    return of_cards and breach.money is None


def _is_of_excess(rule: Rule, _: Breach) -> bool:
    return rule.code == _EXCESS


def _cards_removed_wrongly(view: CoupView, found: Found) -> list[RecordedEvent]:
    """Return the drawn cards that were burned without a ruling, or dealt to a foreign hand.

    A foreign hand is one that the game does not have.
    """
    quiet = [event for rule, breach in found if rule.code == _BURNED for event in breach.events]
    astray = [event for each in found if _is_astray(*each) for event in each[1].events]
    drawn = [*(card for card, _ in view.coup.removed_cards if card in quiet), *astray]
    closed = view.coup.closed
    return [card for card in drawn if closed is None or card.position < closed.position]


def _is_astray(rule: Rule, breach: Breach) -> bool:
    """Return whether a breach is about cards drawn to a hand that the game does not have."""
    return rule.code == _FOREIGN and is_of(breach.events[0], CardDrawn)


def _of_others(view: CoupView, breach: Breach, bearers: Found) -> Breach:
    """Replace the amount of a breach by the codes of the findings that have the amount.

    If exactly one patron won or lost by those findings, the breach concerns that patron.
    """
    told = replace(breach, money=counted_in(rule.code for rule, _ in bearers))
    whom = {
        patron
        for _, each in bearers
        for patron, gain in (each.money if isinstance(each.money, tuple) else ())
        if gain
    }
    return with_patron(view.shoe, told, whom.pop()) if len(whom) == 1 else told


def _attribute_wrong_calls(view: CoupView, found: Found) -> Found:
    """Replace the amount of a wrong call by the codes of other findings.

    They are the findings about draws and payments that followed from the call.
    """
    calls = [rule.family == "totals" and breach.money is None for rule, breach in found]
    if not any(calls):
        return found
    bearers = [each for each in found if each[0].family in ("payout", "tableau")]
    known = [each for each in bearers if isinstance(each[1].money, tuple)]
    gains = bearers[0][1].money if bearers else _of_a_call(view)
    return [
        (rule, _of_others(view, breach, known) if known else replace(breach, money=gains))
        if call
        else (rule, breach)
        for call, (rule, breach) in zip(calls, found, strict=True)
    ]


def _of_a_call(view: CoupView) -> MoneyEffect:
    """Return zero if a wrong call changed no settlement.

    Otherwise return the reason why its amount is unknown.
    """
    back = view.coup.refunded_bets
    every = [bet for bet in view.coup.bets.values() if not bet.withdrawn]
    bets = [bet for bet in every if bet.number not in back]
    if not every and view.shoe.coverage == "coups":
        return "the record may lack bets"
    if not all(bet.moves for bet in bets):
        return "not every bet of the coup has been settled"
    return why_payments_unjudged(view) or ()


def _attribute_wrong_void(found: Found) -> Found:
    """Assign the payments of a wrongly voided coup to the finding about the void.

    Patrons keep what was due to them by the cards, so that no debt remains.
    """
    by_code = {rule.code: breach.money for rule, breach in found}
    moved, back = by_code.get(_VOID_SETTLED), by_code.get(_VOID)
    if not isinstance(moved, tuple) or not isinstance(back, tuple):
        return found
    gains: Counter[str | None] = Counter()
    for patron, gain in (*moved, *back):
        gains[patron] += gain
    money: dict[str, MoneyEffect] = {
        _VOID: tuple(each for each in gains.items() if each[1]),
        _VOID_SETTLED: counted_in([_VOID]),
    }
    return [(rule, _with(breach, money.get(rule.code))) for rule, breach in found]
