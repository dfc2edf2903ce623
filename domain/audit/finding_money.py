"""How a finding's money is computed, and which finding of a coup bears which money.

The findings of a report add up, since what moved once is said once. What went wrong in a coup is
told in steps, from what was paid to what should have been: a payment against what was due to the
stake as it lay and on the cards as they were dealt; a stake against what should have lain there, on
the same cards; and the cards against those of the tableau, for the stakes that should have lain
there. Each step is borne by one finding; the others say which one. A bet that goes back on a ruling
has nothing due in any step: all that it moved is the ruling's.

A check says of a breach what its payment, stake or charge moved (`Breach.money`, `Breach.stake`).
`attribute` then works out the rest for the findings of a coup, and `effect` says what a finding
moved for the house and for each patron.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.ceased_bets import Ceased, ceased_in_order, moved_for_nothing
from sabot.domain.audit.checks.bets import LATE
from sabot.domain.audit.checks.commission import with_moved_bets
from sabot.domain.audit.checks.payments import why_payments_unjudged
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.fingerprints import identity_of, with_patron
from sabot.domain.audit.rule import Breach, Family, MoneyEffect, Rule
from sabot.domain.audit.tableau_result import result_by_tableau
from sabot.domain.events import IrregularityNoted
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.coup_result import Result
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.coup_state import GIVING_BACK, Bet

# -- What a finding moved --------------------------------------------------------------------------

Basis = Literal["payment", "tableau", "rule"]
_BASES: Final[dict[Family, Basis]] = {
    "payout": "payment", "totals": "payment", "tableau": "tableau",
}  # fmt: skip


class Effect(Struct, frozen=True):
    """What a breach moved, in minor units of ``currency``, signed; None where it cannot be said.

    ``house`` and ``patron`` are what the house, and all patrons together, have too much by it
    (negative: too little); ``patrons`` says who, as far as the record does. ``basis`` tells what it
    is held against: the payments due on the cards that were dealt (``payment``), those due had the
    tableau been kept (``tableau``), or had the rule been kept (``rule``: the late bet not taken).
    What is moved once is said once, so that effects add up.
    ``unknown`` is the reason why nothing is said: another finding of the coup bears it, or nobody
    can know.
    """

    house: int | None
    patron: int | None
    patrons: dict[str, int]
    currency: str | None
    minor_units: int
    basis: Basis | None
    unknown: str | None


def effect(rule: Rule, breach: Breach, view: CoupView | None, pack: RulePack | None) -> Effect:
    """Return what a breach moved, in the money of a rule pack; ``view`` is of its coup."""
    gains: MoneyEffect | None = breach.money
    if gains is None:
        gains = f"a breach of {rule.family} moves no money by itself"
    gains = _against_the_bank(gains, view)
    known = () if isinstance(gains, str) else gains
    patrons: dict[str, int] = {}
    for patron, gain in known:
        if patron is not None:
            patrons[patron] = patrons.get(patron, 0) + gain
    total = None if isinstance(gains, str) else sum(gain for _, gain in known)
    return Effect(
        house=None if total is None else -total,
        patron=total,
        patrons=patrons,
        currency=pack.money.currency if pack is not None else None,
        minor_units=pack.money.minor_units if pack is not None else 2,
        basis=None if total is None else _BASES.get(rule.family, "rule"),
        unknown=gains if isinstance(gains, str) else None,
    )


def _against_the_bank(gains: MoneyEffect, view: CoupView | None) -> MoneyEffect:
    """What a patron has too much a patron's bank has too little of: the house has no part in it."""
    banker = view.coup.banked.banker if view is not None and view.coup.banked else None
    if isinstance(gains, str) or banker is None or any(who == banker for who, _gain in gains):
        return gains
    return (*gains, (banker, -sum(gain for _who, gain in gains)))


# -- Which finding bears what ----------------------------------------------------------------------

Found = list[tuple[Rule, Breach]]

_UNKNOWN: Final = "the record's cards, or the pack, do not settle the wager"
_NEVER: Final = "unsettled-bet"
_NO_GROUND: Final = "unmatched-event"
_BURNED: Final = "dealt-card-burned-without-ruling"
_NOT_BACK: Final = ("ruling-not-carried-out", "no-bet-hand-not-played-out")
"""Rules of rulings by which bets go back."""


def attribute(view: CoupView, found: Found) -> Found:
    """Return the breaches of a coup, each with the money that it bears.

    Args:
        view: the coup.
        found: all breaches of the coup, in the order of the rules.
    """
    stakes = _Stakes(view, found)
    told = [(rule, _with(breach, stakes.gains.get(place))) for place, (rule, breach) in stakes.all]
    return _attribute_wrong_calls(
        view, _attribute_wrong_draws(view, _not_back(view, told, stakes), stakes)
    )


def _with(breach: Breach, gains: MoneyEffect | None) -> Breach:
    return breach if gains is None else replace(breach, money=gains)


def _counted_in(codes: Iterable[str]) -> str:
    return "counted in " + ", ".join(dict.fromkeys(codes))


class _Stakes:
    """What the stakes of a coup gave beyond those that should have lain there, by finding.

    ``should`` is what should have lain on each bet of which a finding says so, ``none`` the codes
    of the findings by which nothing should have lain there.
    """

    def __init__(self, view: CoupView, found: Found) -> None:
        self._view = view
        self.all = list(enumerate(found))
        self.gains: dict[int, MoneyEffect] = {}
        self.should: dict[int, int] = {}
        self.none: dict[int, str] = {}
        self.left = {breach.events[0].position for rule, breach in found if rule.code == _NEVER}
        claims: dict[int, list[int]] = {}
        for place, (_, breach) in self.all:
            if breach.stake is not None:
                _, number, *_ = identity_of(view.shoe, breach)
                claims.setdefault(int(number), []).append(place)
        for number, places in claims.items():
            self._attribute_bet(view.coup.bets[number], places)

    def _attribute_bet(self, bet: Bet, places: list[int]) -> None:
        """Say what each finding of one bet bears."""
        reason = self._unjudged(bet) or self._finding_of_ceased_bet(bet, places)
        none = next((place for place in places if self._of_none(bet, place)), None)
        if bet.number in self._view.coup.refunded_bets:
            reason = None if none is not None else self._why_refunded(bet)
        if reason is not None:
            self.gains |= dict.fromkeys(places, reason)
        elif none is not None:
            self.should[bet.number] = 0
            self.none[bet.number] = self._code(none)
            said = _counted_in([self._code(none)])
            self.gains |= dict.fromkeys(places, said)
            self.gains[none] = ((bet.patron, self._in_the_end(bet)),)
        else:
            self._in_steps(bet, places)

    def _of_none(self, bet: Bet, place: int) -> bool:
        """Tell whether a finding says that nothing should have lain on the bet."""
        breach = self.all[place][1][1]
        return breach.stake == 0 and breach.events[0] is bet.placed

    def _in_steps(self, bet: Bet, places: list[int]) -> None:
        """Go back from the stake in the end to the one that should have lain there."""
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
                self.gains[place] = _counted_in([self._code(last)])
            else:
                self.gains[place] = self._step(bet, self._net_of_stake(bet, stake), due)
                last, stake = place, due
        self.should[bet.number] = stake

    def _step(self, bet: Bet, now: int | None, stake: int) -> MoneyEffect:
        due = self._net_of_stake(bet, stake)
        return _UNKNOWN if now is None or due is None else ((bet.patron, now - due),)

    def _net_of_stake(self, bet: Bet, stake: int) -> int | None:
        """Return what a stake wins on the cards that were dealt; None: nobody can say."""
        if not stake:
            return 0
        lying = replace(bet, withdrawn=False)
        due = None if why_payments_unjudged(self._view) else self._view.due(lying, stake)
        return None if due is None else due.net

    def _in_the_end(self, bet: Bet) -> int:
        """Return what a bet is told to have won: its payment is judged by itself, if it can be."""
        back = bet.withdrawn or bet.number in self._view.coup.refunded_bets
        due = None if back else self._net_of_stake(bet, bet.amount)
        return bet.net if due is None else due

    def _unjudged(self, bet: Bet) -> str | None:
        if self._view.coup.voided is not None:
            return "the coup was voided"
        if not bet.moves and not bet.withdrawn and bet.placed.position not in self.left:
            return "the bet has not been settled"
        return None

    def _finding_of_ceased_bet(self, bet: Bet, places: list[int]) -> str | None:
        """Say which finding tells of chips that moved for a bet which stood no longer.

        Where it was placed, changed or withdrawn late that is the late finding.
        """
        if any(self._code(place) in LATE for place in places):
            return None
        how = moved_for_nothing(self._view.shoe, self._view.coup, bet)
        again = ceased_in_order(self._view.shoe, self._view.coup, bet) if how is None else None
        told = isinstance(how, Ceased) or (isinstance(again, Ceased) and bool(again.again))
        return _counted_in([_NO_GROUND]) if told else None

    def _why_refunded(self, bet: Bet) -> str:
        """Say why no stake of a bet that goes back on a ruling moved anything."""
        told = [rule.code for _, (rule, breach) in self.all if is_of_bets_back(rule, breach)]
        return _counted_in(told[:1]) if told and bet.net else "its bets went back on a ruling"

    def _breach(self, place: int) -> Breach:
        return self.all[place][1][1]

    def _first(self, place: int) -> RecordedEvent:
        return self._breach(place).events[0]

    def _code(self, place: int) -> str:
        return self.all[place][1][0].code


def is_of_bets_back(rule: Rule, breach: Breach) -> bool:
    """Tell whether a finding says that bets did not go back as somebody ruled."""
    ruled = breach.events[0].payload if breach.events else None
    of_bets = isinstance(ruled, IrregularityNoted) and ruled.ruling in GIVING_BACK
    return rule.code in _NOT_BACK and of_bets


def _not_back(view: CoupView, found: Found, stakes: _Stakes) -> Found:
    """Let the first finding that bets did not go back as ruled bear all that those bets moved."""
    back = view.coup.refunded_bets
    if not back:
        return found
    bearer: tuple[Rule, Breach] | None = None
    told: Found = []
    for rule, breach in found:
        if not is_of_bets_back(rule, breach):
            told.append((rule, breach))
        elif bearer is not None:
            told.append((rule, _of_others(view, breach, [bearer])))
        else:
            bearer = rule, replace(breach, money=_moved_of(view, back, stakes))
            told.append(bearer)
    return told


def _moved_of(view: CoupView, back: frozenset[int], stakes: _Stakes) -> MoneyEffect:
    """Return what patrons won by bets that had to go back; a late one is told by itself."""
    collected = with_moved_bets(view)
    late = [stakes.none[number] for number in sorted(back & stakes.none.keys())]
    gains: Counter[str] = Counter()
    for number in sorted(back - stakes.none.keys()):
        bet = view.coup.bets[number]
        gains[bet.patron] += bet.net - collected.get(number, 0)
    moved = tuple((patron, gain) for patron, gain in gains.items() if gain)
    return moved or (_counted_in(late) if late else ())


def _attribute_wrong_draws(view: CoupView, found: Found, stakes: _Stakes) -> Found:
    """Let the first wrong draw of a coup bear what all of them moved.

    A card that was taken off its hand on the quiet changes the coup as a wrong draw does.
    """
    bearer: tuple[Rule, Breach] | None = None
    told: Found = []
    for rule, breach in found:
        of_cards = rule.family == "tableau" or rule.code == _BURNED
        if not of_cards or breach.money is not None:
            told.append((rule, breach))
        elif bearer is not None:
            told.append((rule, _of_others(view, breach, [bearer])))
        else:
            gains = _gains_of_cards(
                view, stakes.should, stakes.left, _cards_removed_wrongly(view, found)
            )
            bearer = rule, replace(breach, money=gains)
            told.append(bearer)
    return told


def _cards_removed_wrongly(view: CoupView, found: Found) -> list[RecordedEvent]:
    """Return the cards that were taken off their hands though they should have stayed."""
    quiet = [event for rule, breach in found if rule.code == _BURNED for event in breach.events]
    closed = view.coup.closed
    return [
        drawn
        for drawn, _ in view.coup.removed_cards
        if drawn in quiet and (closed is None or drawn.position < closed.position)
    ]


def _of_others(view: CoupView, breach: Breach, bearers: Found) -> Breach:
    """Say that others bear what a breach moved; whom alone it moved, it is still about."""
    told = replace(breach, money=_counted_in(rule.code for rule, _ in bearers))
    whom = {
        patron
        for _, each in bearers
        for patron, gain in (each.money if isinstance(each.money, tuple) else ())
        if gain
    }
    return with_patron(view.shoe, told, whom.pop()) if len(whom) == 1 else told


def _attribute_wrong_calls(view: CoupView, found: Found) -> Found:
    """Say of a wrong call that what it moved is counted in what was dealt and paid by it."""
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
    """Return nothing, where every bet was settled right in spite of a call; else why not."""
    back = view.coup.refunded_bets
    every = [bet for bet in view.coup.bets.values() if not bet.withdrawn]
    bets = [bet for bet in every if bet.number not in back]
    if not every and view.shoe.coverage == "coups":
        return "the record may lack bets"
    if not all(bet.moves for bet in bets):
        return "not every bet of the coup has been settled"
    return why_payments_unjudged(view) or ()


# -- What wrong cards moved ------------------------------------------------------------------------


def _gains_of_cards(
    view: CoupView,
    stakes: dict[int, int],
    left: Collection[int],
    stay: Sequence[RecordedEvent] = (),
) -> MoneyEffect:
    """Return what each patron has too much by the cards that were dealt against the tableau.

    What was paid for the cards as they were dealt is judged by itself. What goes back on a ruling
    wins by no cards.

    Args:
        view: the coup.
        stakes: what should have lain on a bet, where that is not what lay there.
        left: the positions of the events that placed bets which findings tell as never settled.
        stay: the cards that were drawn, and taken off their hands though they should have stayed.

    Returns:
        patrons with amounts in minor units, or the reason why it cannot be said.
    """
    standing = view.coup.bets.keys() - view.coup.refunded_bets
    every = [bet for number, bet in view.coup.bets.items() if number in standing]
    bets = [bet for bet in every if not bet.withdrawn or bet.number in stakes]
    settled = [bet for bet in every if not bet.withdrawn and bet.placed.position not in left]
    reason = _why_payments_unknown(view, settled)
    if reason or view.cashier is None:
        return reason or "the rule pack cannot be read"
    if view.shoe.pack is not None and view.shoe.pack.tableaux is not None:
        return "others choose by what they see: nobody knows what would have come"
    result = result_by_tableau(view, stay) if bets else view.result
    if isinstance(result, str):
        return result
    return _difference_by_cards(
        view, result, [(bet, stakes.get(bet.number, bet.amount)) for bet in bets]
    )


def _difference_by_cards(
    view: CoupView, result: Result, bets: list[tuple[Bet, int]]
) -> MoneyEffect:
    """Return what stakes won by the cards that were dealt beyond what they win by a result."""
    gains: dict[str, int] = {}
    for bet, stake in bets:
        if not stake or view.cashier is None or result == view.result:
            continue
        dealt = view.cashier.due(bet.wager, view.result, stake)
        due = view.cashier.due(bet.wager, result, stake)
        if dealt is None or due is None:
            return f"the record's cards, or the pack, do not settle {bet.wager}"
        gains[bet.patron] = gains.get(bet.patron, 0) + dealt.net - due.net
    return tuple(sorted((patron, gain) for patron, gain in gains.items() if gain))


def _why_payments_unknown(view: CoupView, bets: list[Bet]) -> str | None:
    """Return why nothing can be said of the payments, before one looks at the cards."""
    if view.coup.voided is not None:
        return "the coup was voided"
    if not bets and view.shoe.coverage == "coups":
        return "the record may lack bets"
    if not all(bet.moves for bet in bets):
        return "not every bet of the coup has been settled"
    return None
