"""Findings: breaches with all that a report says of them.

Nothing here is worked out for a clean coup; a shoe's crew over time, the fingerprint and the
money are found only once there is a breach to report.
"""

from bisect import bisect_right
from collections import Counter
from typing import Final, Literal

from msgspec import Struct

from domain import facts as f
from domain.at_table import crew_when
from domain.audit.identity import Identity, fingerprint, identity_of
from domain.audit.rule import Breach, CoupView, Family, Gains, Rule, Severity
from domain.corrections import effective
from domain.event import Event
from domain.moment import iso
from domain.rulepack import RulePack
from domain.shoe import Shoe

Basis = Literal["payment", "tableau", "rule"]


_BASES: Final[dict[Family, Basis]] = {
    "payout": "payment", "totals": "payment", "tableau": "tableau",
}  # fmt: skip


DEALERS: Final = ("dealer", "caller")
"""Posts of who deals; at a big table the caller does."""

_STAKED: Final = (f.BetPlaced, f.BetCarried, f.BetChanged, f.BetWithdrawn)


class Effect(Struct, frozen=True):
    """What a breach moved, in minor units of ``currency``, signed; None where it cannot be said.

    ``house`` and ``patron`` are what the house, and all patrons together, have too much by it
    (negative: too little); ``patrons`` says who, as far as the record does. ``basis`` tells what
    it is held against: the payments due on the cards that were dealt (``payment``), those due had
    the tableau been kept (``tableau``), or had the rule been kept (``rule``: the late bet not
    taken). What is moved once is said once, so that effects add up (`domain.audit.bearing`).
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


class Finding(Struct, frozen=True, kw_only=True):
    """A breach, as it is reported: by which rule, on which shoe and coup, shown by which facts.

    ``stream`` is what was looked at: a shoe, a batch of cards (``cards/…``), a table
    (``table/…``), or the whole ``floor``. ``shoe`` is None where the breach belongs to no shoe.
    ``events`` are the indexes of the facts in the log. ``coup`` is None where the breach
    belongs to no coup. ``at`` is when the first of the facts happened: by the table's clock,
    or, where the record lacks it, by the log's (``clock`` says which). ``dealer`` and
    ``supervisor`` stood at their posts then; at a big table the caller deals.
    """

    code: str
    family: Family
    severity: Severity
    shoe: str | None
    coup: int | None
    message: str
    required: str
    shown: str
    cites: tuple[str, ...]
    events: tuple[int, ...]
    fingerprint: str
    at: str | None
    at_us: int | None
    clock: Literal["table", "recorded"] | None
    dealer: str | None
    supervisor: str | None
    patron: str | None
    money: Effect
    stream: str


class Findings:
    """Makes findings of a shoe's breaches."""

    def __init__(self, shoe: Shoe) -> None:
        """Take the shoe; nothing is worked out before the first breach."""
        self._shoe = shoe
        self._alike: Counter[tuple[str, int | None, Identity]] = Counter()
        self._crews: tuple[list[int], list[dict[str, str | None]]] | None = None

    def of(self, rule: Rule, breach: Breach, view: CoupView | None = None) -> Finding:
        """Return the finding of a breach; ``view`` is of its coup, for rules that look at one."""
        shoe = self._shoe
        coup = view.coup.number if view is not None else breach.coup
        identity = identity_of(shoe, breach)
        self._alike[rule.code, coup, identity] += 1
        nth = self._alike[rule.code, coup, identity]
        done = _done(rule, breach)
        at_us = None if done is None else _clock(done)
        dealer, supervisor = self._there(done) if done is not None else (None, None)
        money = _effect(rule, breach, view, shoe)
        return Finding(
            code=rule.code,
            family=rule.family,
            severity=rule.severity,
            shoe=shoe.name,
            coup=coup,
            message=breach.message,
            required=breach.required,
            shown=breach.shown,
            cites=rule.cites,
            events=tuple(event.index for event in breach.events),
            fingerprint=fingerprint(rule.code, shoe.name, coup, identity, nth),
            at=None if at_us is None else iso(at_us),
            at_us=at_us,
            clock=None if done is None else "recorded" if done.at_us is None else "table",
            dealer=dealer,
            supervisor=supervisor,
            patron=_patron(shoe, breach) or _only(money.patrons),
            money=money,
            stream=shoe.stream,
        )

    def _there(self, event: Event) -> tuple[str | None, str | None]:
        """Return who dealt and who supervised once a fact had happened.

        Of a post of which the shoe's own record had told nothing by then its table's tells.
        """
        shoe = self._shoe
        crew = self._crew_at(event.version) if event.stream == shoe.stream else {}
        dealer, supervisor = (
            next(filter(None, map(crew.get, posts)), None)
            if shoe.at_table is None or any(post in crew for post in posts)
            else crew_when(shoe, event, posts)
            for posts in (DEALERS, ("supervisor",))
        )
        return dealer, supervisor

    def _crew_at(self, version: int) -> dict[str, str | None]:
        """Return whom the record put at which post by the fact of that version; None: nobody."""
        if self._crews is None:
            self._crews = _crews_of(self._shoe)
        versions, crews = self._crews
        place = bisect_right(versions, version)
        return crews[place - 1] if place else {}


def _done(rule: Rule, breach: Breach) -> Event | None:
    """Return the fact by which the rule was broken: who stood at the posts then answers for it.

    A bet is settled wrong by what was last done to settle it; else it is the fact that the breach
    is about, unless the rule names another.
    """
    if breach.done is not None or not breach.events:
        return breach.done
    if rule.family == "payout":
        moves = [event for event in breach.events if not isinstance(event.fact, _STAKED)]
        return max(moves or breach.events, key=lambda event: event.version)
    return breach.events[0]


def _clock(event: Event) -> int:
    return event.recorded_us if event.at_us is None else event.at_us


def _crews_of(shoe: Shoe) -> tuple[list[int], list[dict[str, str | None]]]:
    """Return the versions at which the crew changed, and the crew from each of them on."""
    versions, crews = [0], [dict[str, str | None]()]
    loading = shoe.loaded.version if shoe.loaded is not None else 0
    for event in effective(shoe.history) if shoe.order is None else shoe.order.events:
        crew = crews[-1]
        match event.fact:
            case f.ShoeLoaded(crew=loaded) if event.version == loading:
                crew = {each.post: each.person for each in loaded}
            case f.CrewChanged(post=post, person=person):
                crew = {**crew, post: person}
            case _:
                continue
        versions.append(event.version)
        crews.append(crew)
    return versions, crews


def _patron(shoe: Shoe, breach: Breach) -> str | None:
    """Return the patron whom the breach is about: as the rule says, or by the fact it is about."""
    if breach.patron is not None or not breach.events:
        return breach.patron
    fact = breach.events[0].fact
    named = getattr(fact, "patron", None)
    if isinstance(named, str):
        return named
    coup = shoe.coups.get(getattr(fact, "coup", None) or 0)
    bet = coup.bets.get(getattr(fact, "bet", None) or 0) if coup is not None else None
    return bet.patron if bet is not None else None


def _only(patrons: dict[str, int]) -> str | None:
    return next(iter(patrons)) if len(patrons) == 1 else None


def _effect(rule: Rule, breach: Breach, view: CoupView | None, shoe: Shoe) -> Effect:
    basis: Basis = _BASES.get(rule.family, "rule")
    gains: Gains | None = breach.money
    if gains is None:
        gains = f"a breach of {rule.family} moves no money by itself"
    return effect_of(_against_the_bank(gains, view), basis, shoe.pack)


def _against_the_bank(gains: Gains, view: CoupView | None) -> Gains:
    """What a patron has too much a patron's bank has too little of: the house has no part in it."""
    banker = view.coup.banked.banker if view is not None and view.coup.banked else None
    if isinstance(gains, str) or banker is None or any(who == banker for who, _gain in gains):
        return gains
    return (*gains, (banker, -sum(gain for _who, gain in gains)))


def effect_of(gains: Gains, basis: Basis, pack: RulePack | None) -> Effect:
    """Return what a breach moved, in the money of a rule pack."""
    known = not isinstance(gains, str)
    patrons: dict[str, int] = {}
    every = () if isinstance(gains, str) else gains
    for patron, gain in every:
        if patron is not None:
            patrons[patron] = patrons.get(patron, 0) + gain
    total = sum(gain for _, gain in every)
    return Effect(
        house=-total if known else None,
        patron=total if known else None,
        patrons=patrons,
        currency=pack.money.currency if pack is not None else None,
        minor_units=pack.money.minor_units if pack is not None else 2,
        basis=basis if known else None,
        unknown=gains if isinstance(gains, str) else None,
    )
