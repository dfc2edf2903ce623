"""What identifies a breach: a fingerprint that is the same wherever and whenever it is found.

It is taken over the rule's code, the shoe, the coup and what identifies the breach within them:
the bet, the card of a hand, the event that broke the rule. Indexes of a log, clocks and wording
do not enter, so the same breach has the same fingerprint in another store, after the record is
imported again, and once other rules have been added.

Findings: breaches with all that a report says of them.

Nothing here is worked out for a clean coup; a shoe's crew over time, the fingerprint and the
money are found only once there is a breach to report.
"""

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit.rule import Breach, CoupView, Family, MoneyEffect, Rule, Severity
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.points_in_time import format_time
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_context import crew_when

Identity = tuple[str | int, ...]

_ONE_A_COUP: Final = (
    ev.ShoeLoaded, ev.CoupOpened, ev.NoMoreBets, ev.TotalsCalled, ev.ResultCalled, ev.CoupClosed,
    ev.CoupVoided, ev.ShoeEnded,
)  # fmt: skip
"""Facts of which a coup (or the shoe) has one: the rule and the coup say which is meant."""

_encode: Final = msgspec.json.Encoder(order="sorted").encode


def identity_of(shoe: Shoe, breach: Breach) -> Identity:
    """Return what tells a breach from others of its rule on the same coup.

    A rule may say so itself (``Breach.key``). Else it is the first event that shows the breach,
    by what it is about and not by its place: bet 2, the Player hand's third card.
    """
    if breach.key is not None:
        return breach.key
    about = _about(shoe, breach.events[0]) if breach.events else ()
    return about if breach.patron is None else (*about, breach.patron)


def with_patron(shoe: Shoe, breach: Breach, patron: str | None) -> Breach:
    """Return the breach with the patron whom it is about; its identity stays what it was."""
    return replace(breach, patron=patron, key=identity_of(shoe, breach))


def identity_of_event(event: RecordedEvent, history: Iterable[RecordedEvent]) -> Identity:
    """Return what tells an event of a stream from others: what it says, and its place among equals.

    Its version would be another wherever the stream has an event more before it that is not of it.
    """
    same = sum(each.position < event.position and each.payload == event.payload for each in history)
    return (ev.name_of(event.payload), _encode(event.payload).decode(), same + 1)


def fingerprint(code: str, shoe: str, coup: int | None, identity: Identity, nth: int = 1) -> str:
    """Return the SHA-256, in hex, of a canonical JSON array; ``nth`` tells equal breaches apart."""
    return _digest("sabot-finding/2", code, shoe, coup, identity, nth)


def former_fingerprint(
    rule: Rule, shoe: str, coup: int | None, identity: Identity, nth: int = 1
) -> str | None:
    """Return the fingerprint that the finding had while rules had their former codes.

    What was said of it then names it so. None where its rule is younger than that.
    """
    if rule.former_code is None:
        return None
    return _digest("sabot-finding/1", rule.former_code, shoe, coup, identity, nth)


def _digest(*parts: object) -> str:
    return hashlib.sha256(_encode(parts)).hexdigest()


def _about(shoe: Shoe, event: RecordedEvent) -> Identity:
    payload = event.payload
    match payload:
        case ev.BetPlaced() | ev.BetCarried():
            return ("bet", payload.bet)
        case ev.CardDrawn():
            return ("card", payload.hand, _place_in_hand(shoe, event, payload))
        case _ if isinstance(payload, _ONE_A_COUP):
            return (ev.name_of(payload),)
        case _:
            return (ev.name_of(payload), _encode(payload).decode())


def _place_in_hand(shoe: Shoe, drawn: RecordedEvent, payload: ev.CardDrawn) -> int:
    """Return a card's place in its hand, from 1."""
    coup = shoe.coups.get(payload.coup)
    before = [*coup.cards, *coup.late] if coup is not None else []
    return 1 + sum(
        1
        for event in before
        if event.position < drawn.position
        and (event.payload.hand, event.payload.seat) == (payload.hand, payload.seat)
    )


Basis = Literal["payment", "tableau", "rule"]


_BASES: Final[dict[Family, Basis]] = {
    "payout": "payment", "totals": "payment", "tableau": "tableau",
}  # fmt: skip


DEALERS: Final = ("dealer", "caller")
"""Posts of who deals; at a big table the caller does."""

_STAKED: Final = (ev.BetPlaced, ev.BetCarried, ev.BetChanged, ev.BetWithdrawn)


class Effect(Struct, frozen=True):
    """What a breach moved, in minor units of ``currency``, signed; None where it cannot be said.

    ``house`` and ``patron`` are what the house, and all patrons together, have too much by it
    (negative: too little); ``patrons`` says who, as far as the record does. ``basis`` tells what it
    is held against: the payments due on the cards that were dealt (``payment``), those due had the
    tableau been kept (``tableau``), or had the rule been kept (``rule``: the late bet not taken).
    What is moved once is said once, so that effects add up (`sabot.domain.audit.attribution`).
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


class Finding(
    Struct, frozen=True, kw_only=True, rename={"expected": "required", "observed": "shown"}
):
    """A breach, as it is reported: by which rule, on which shoe and coup, shown by which events.

    ``stream`` is what was looked at: a shoe, a batch of cards (``cards/…``), a table
    (``table/…``), or the whole ``floor``. ``shoe`` is None where the breach belongs to no shoe.
    ``events`` are the indexes of the events in the log. ``coup`` is None where the breach
    belongs to no coup. ``at`` is when the first of the events happened: by the table's clock,
    or, where the record lacks it, by the log's (``clock`` says which). ``dealer`` and
    ``supervisor`` stood at their posts then; at a big table the caller deals. ``former_code`` and
    ``former_fingerprint`` are what rule and finding were called before rules had numbers.
    """

    code: str
    family: Family
    severity: Severity
    shoe: str | None
    coup: int | None
    message: str
    expected: str
    observed: str
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
    number: str
    group: str
    former_code: str | None
    former_fingerprint: str | None


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
        done = _offending_event(rule, breach)
        at_us = None if done is None else _clock(done)
        dealer, supervisor = self._staff_on_duty(done) if done is not None else (None, None)
        money = _effect(rule, breach, view, shoe)
        return Finding(
            code=rule.code,
            family=rule.family,
            severity=rule.severity,
            shoe=shoe.name,
            coup=coup,
            message=breach.message,
            expected=breach.expected,
            observed=breach.observed,
            cites=rule.cites,
            events=tuple(event.index for event in breach.events),
            fingerprint=fingerprint(rule.code, shoe.name, coup, identity, nth),
            at=None if at_us is None else format_time(at_us),
            at_us=at_us,
            clock=None if done is None else "recorded" if done.at_us is None else "table",
            dealer=dealer,
            supervisor=supervisor,
            patron=_patron(shoe, breach) or _only(money.patrons),
            money=money,
            stream=shoe.stream,
            number=rule.number,
            group=rule.group,
            former_code=rule.former_code,
            former_fingerprint=former_fingerprint(rule, shoe.name, coup, identity, nth),
        )

    def _staff_on_duty(self, event: RecordedEvent) -> tuple[str | None, str | None]:
        """Return who dealt and who supervised once an event had happened.

        Of a post of which the shoe's own record had told nothing by then its table's tells.
        """
        shoe = self._shoe
        crew = self._crew_at(event.position) if event.stream == shoe.stream else {}
        dealer, supervisor = (
            next(filter(None, map(crew.get, posts)), None)
            if shoe.at_table is None or any(post in crew for post in posts)
            else crew_when(shoe, event, posts)
            for posts in (DEALERS, ("supervisor",))
        )
        return dealer, supervisor

    def _crew_at(self, position: int) -> dict[str, str | None]:
        """Return whom the record put at which post by the event of that position; None: nobody."""
        if self._crews is None:
            self._crews = _crews_of(self._shoe)
        versions, crews = self._crews
        place = bisect_right(versions, position)
        return crews[place - 1] if place else {}


def _offending_event(rule: Rule, breach: Breach) -> RecordedEvent | None:
    """Return the event by which the rule was broken: who stood at the posts then answers for it.

    A bet is settled wrong by what was last done to settle it; else it is the event that the breach
    is about, unless the rule names another.
    """
    if breach.offending_event is not None or not breach.events:
        return breach.offending_event
    if rule.family == "payout":
        moves = [event for event in breach.events if not isinstance(event.payload, _STAKED)]
        return max(moves or breach.events, key=lambda event: event.position)
    return breach.events[0]


def _clock(event: RecordedEvent) -> int:
    return event.recorded_us if event.at_us is None else event.at_us


def _crews_of(shoe: Shoe) -> tuple[list[int], list[dict[str, str | None]]]:
    """Return the versions at which the crew changed, and the crew from each of them on."""
    versions, crews = [0], [dict[str, str | None]()]
    loading = shoe.loaded.position if shoe.loaded is not None else 0
    for event in apply_corrections(shoe.history) if shoe.order is None else shoe.order.events:
        crew = crews[-1]
        match event.payload:
            case ev.ShoeLoaded(crew=loaded) if event.position == loading:
                crew = {each.post: each.person for each in loaded}
            case ev.CrewChanged(post=post, person=person):
                crew = {**crew, post: person}
            case _:
                continue
        versions.append(event.position)
        crews.append(crew)
    return versions, crews


def _patron(shoe: Shoe, breach: Breach) -> str | None:
    """Return the patron whom the breach is about: as the rule says, or by the event it is about."""
    if breach.patron is not None or not breach.events:
        return breach.patron
    payload = breach.events[0].payload
    named = getattr(payload, "patron", None)
    if isinstance(named, str):
        return named
    coup = shoe.coups.get(getattr(payload, "coup", None) or 0)
    bet = coup.bets.get(getattr(payload, "bet", None) or 0) if coup is not None else None
    return bet.patron if bet is not None else None


def _only(patrons: dict[str, int]) -> str | None:
    return next(iter(patrons)) if len(patrons) == 1 else None


def _effect(rule: Rule, breach: Breach, view: CoupView | None, shoe: Shoe) -> Effect:
    basis: Basis = _BASES.get(rule.family, "rule")
    gains: MoneyEffect | None = breach.money
    if gains is None:
        gains = f"a breach of {rule.family} moves no money by itself"
    return effect_of(_against_the_bank(gains, view), basis, shoe.pack)


def _against_the_bank(gains: MoneyEffect, view: CoupView | None) -> MoneyEffect:
    """What a patron has too much a patron's bank has too little of: the house has no part in it."""
    banker = view.coup.banked.banker if view is not None and view.coup.banked else None
    if isinstance(gains, str) or banker is None or any(who == banker for who, _gain in gains):
        return gains
    return (*gains, (banker, -sum(gain for _who, gain in gains)))


def effect_of(gains: MoneyEffect, basis: Basis, pack: RulePack | None) -> Effect:
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
