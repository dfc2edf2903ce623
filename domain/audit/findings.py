"""Findings: breaches with the details that a report shows.

Findings of a shoe and of the floor have the same form. They differ in how the breach is identified,
which event broke the rule, and which record gives the staff on duty. Details are computed only once
there is a breach to report.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.finding_money import Effect, effect
from sabot.domain.audit.fingerprints import (
    Identity,
    fingerprint,
    former_fingerprint,
    identity_beyond_shoe,
    identity_of,
)
from sabot.domain.audit.floor_view import Floor, Moment, ShoeSummary, moment_of
from sabot.domain.audit.rule import SEVERITY_OF, Breach, Family, Rule, Severity
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.points_in_time import format_time
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_context import crew_when
from sabot.domain.state.table_state import Post

_DEALERS: Final = ("dealer", "caller")
"""Posts of the dealer; at a big table the caller deals."""
_SUPERVISORS: Final = ("supervisor",)

_STAKED: Final = (ev.BetPlaced, ev.BetCarried, ev.BetChanged, ev.BetWithdrawn)

Clock = Literal["table", "recorded"]
"""The clock of a time: the table's, or the log's."""
_Staff = tuple[str | None, str | None]
"""The dealer and the supervisor on duty; None for an unknown person."""


class Finding(
    Struct, frozen=True, kw_only=True, rename={"expected": "required", "observed": "shown"}
):
    """A breach as it is reported.

    ``stream`` is the stream that was checked: a shoe, a batch of cards (``cards/…``), a table
    (``table/…``), or the whole ``floor``. ``shoe`` and ``coup`` are None for a breach outside a
    shoe or a coup. ``events`` are the indexes of the events in the log.

    ``at`` is the time of the breach, and ``at_us`` the same in microseconds. It is a time of the
    table's clock, or of the log's clock where the record lacks the first (``clock`` names which).
    ``dealer`` and ``supervisor`` were on duty then; at a big table the caller deals.

    ``former_code`` and ``former_fingerprint`` are the code of the rule and the fingerprint of the
    finding from before rules had numbers.

    ``explained_by`` is the fingerprint of the finding from which this one follows. It is None if no
    other finding explains this one (`sabot.domain.audit.explained_findings`).
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
    clock: Clock | None
    dealer: str | None
    supervisor: str | None
    patron: str | None
    money: Effect
    stream: str
    number: str
    group: str
    former_code: str | None
    former_fingerprint: str | None
    explained_by: str | None = None


def unexplained(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that are not explained by another."""
    marks = {each.fingerprint for each in findings}
    return [each for each in findings if each.explained_by not in marks]


def in_numbers(findings: Sequence[Finding]) -> str:
    """Return the number of findings in words.

    Findings that others explain are counted beside them. This is the way to count in every list and
    report. ``no findings`` if there are none.
    """
    own = len(unexplained(findings))
    said = f"{own} {'finding' if own == 1 else 'findings'}"
    if len(findings) == own:
        return said if own else "no findings"
    return f"{said}, and {len(findings) - own} explained by {'it' if own == 1 else 'them'}"


class Findings:
    """Makes findings from breaches of one shoe or the floor."""

    def __init__(self, where: Shoe | Floor) -> None:
        """Take the shoe or floor. Nothing is computed before the first breach."""
        self._where = _OfShoe(where) if isinstance(where, Shoe) else _OfFloor(where)
        self._alike: Counter[tuple[str, str, int | None, Identity]] = Counter()

    def of(self, rule: Rule, breach: Breach, stream: str, view: CoupView | None = None) -> Finding:
        """Return the finding for a breach.

        Args:
            rule: the rule that was broken.
            breach: the breach.
            stream: the stream that was checked.
            view: the coup, for rules that check one.
        """
        where, coup = self._where, self._coup_of(breach, view)
        now, former = self._fingerprints(rule, breach, stream, coup)
        told, at_us, clock = _time_of(where.moment_of(rule, breach))
        dealer, supervisor = where.staff_at(rule, breach)
        money = effect(rule, breach, view, where.pack_of(breach))
        return Finding(
            code=rule.code,
            family=rule.family,
            severity=_severity(rule, breach, money),
            shoe=where.shoe_of(breach),
            coup=coup,
            message=breach.message,
            expected=breach.expected,
            observed=breach.observed,
            cites=rule.cites,
            events=tuple(dict.fromkeys(each.index for each in _shown(breach))),
            fingerprint=now,
            at=told,
            at_us=at_us,
            clock=clock,
            dealer=dealer,
            supervisor=supervisor,
            patron=where.patron_of(breach, money),
            money=money,
            stream=stream,
            number=rule.number,
            group=rule.group,
            former_code=rule.former_code,
            former_fingerprint=former,
        )

    def _coup_of(self, breach: Breach, view: CoupView | None) -> int | None:
        """Return the number under which the coup of a breach was recorded."""
        coup = view.coup.number if view is not None else breach.coup
        return None if coup is None else self._where.recorded_number(coup)

    def _fingerprints(
        self, rule: Rule, breach: Breach, stream: str, coup: int | None
    ) -> tuple[str, str | None]:
        """Return a finding's fingerprint and its former one.

        The former one belongs to the rule's former code.
        """
        name, identity = self._where.name_of(stream), self._where.identity_of(breach)
        self._alike[rule.code, stream, coup, identity] += 1
        nth = self._alike[rule.code, stream, coup, identity]
        return (
            fingerprint(rule.code, name, coup, identity, nth),
            former_fingerprint(rule, name, coup, identity, nth),
        )


def _time_of(at: Moment | None) -> tuple[str | None, int | None, Clock | None]:
    """Return a time as text, in microseconds, and the name of its clock."""
    if at is None:
        return None, None, None
    return format_time(at.us), at.us, "table" if at.clocked else "recorded"


def _severity(rule: Rule, breach: Breach, money: Effect) -> Severity:
    """Return the severity of a breach.

    A breach that was put right is a note. A breach that moved money is as severe as a wrong
    payment.
    """
    if breach.put_right:
        return "note"
    return SEVERITY_OF["money"] if money.moved else rule.severity


def _shown(breach: Breach) -> list[Moment]:
    """Return the log indexes and times of a breach's cards and events."""
    return [*breach.cards, *map(moment_of, breach.events)]


# -- One shoe --------------------------------------------------------------------------------------


class _OfShoe:
    """Details of a breach from the record of one shoe."""

    def __init__(self, shoe: Shoe) -> None:
        self._shoe = shoe
        self._crews: tuple[list[int], list[dict[str, str | None]]] | None = None

    def name_of(self, _stream: str) -> str:
        """Return the name of the shoe, which is a part of the fingerprint."""
        return self._shoe.name

    def recorded_number(self, coup: int) -> int:
        """Return the number that the events give a coup (`Shoe.recorded_number`)."""
        return self._shoe.recorded_number(coup)

    def shoe_of(self, _breach: Breach) -> str:
        return self._shoe.name

    def pack_of(self, _breach: Breach) -> RulePack | None:
        return self._shoe.pack

    def identity_of(self, breach: Breach) -> Identity:
        return identity_of(self._shoe, breach)

    def moment_of(self, rule: Rule, breach: Breach) -> Moment | None:
        """Return the time at which the rule was broken."""
        done = _offending_event(rule, breach)
        return None if done is None else moment_of(done)

    def patron_of(self, breach: Breach, money: Effect) -> str | None:
        """Return the patron whom a breach concerns.

        The rule or its first event names the patron. Otherwise it is the only patron with an
        amount.
        """
        return _patron(self._shoe, breach) or _only(money.patrons)

    def staff_at(self, rule: Rule, breach: Breach) -> _Staff:
        """Return the dealer and the supervisor at the time of a breach.

        If the shoe's record does not name the person at a post by then, the record of its table is
        used.
        """
        event = _offending_event(rule, breach)
        if event is None:
            return None, None
        shoe = self._shoe
        crew = self._crew_at(event.position) if event.stream == shoe.stream else {}
        dealer, supervisor = (
            next(filter(None, map(crew.get, posts)), None)
            if shoe.at_table is None or any(post in crew for post in posts)
            else crew_when(shoe, event, posts)
            for posts in (_DEALERS, _SUPERVISORS)
        )
        return dealer, supervisor

    def _crew_at(self, position: int) -> dict[str, str | None]:
        """Return the crew by post at a position. An empty post has None."""
        if self._crews is None:
            self._crews = _crews_of(self._shoe)
        positions, crews = self._crews
        place = bisect_right(positions, position)
        return crews[place - 1] if place else {}


def _offending_event(rule: Rule, breach: Breach) -> RecordedEvent | None:
    """Return the event that broke the rule.

    The staff on duty then is responsible. For a payment this is the last event of the settlement.
    Otherwise it is the event that the rule names, or the first event of the breach.
    """
    if breach.offending_event is not None or not breach.events:
        return breach.offending_event
    if rule.family == "payout":
        moves = [event for event in breach.events if not isinstance(event.payload, _STAKED)]
        return max(moves or breach.events, key=lambda event: event.position)
    return breach.events[0]


def _crews_of(shoe: Shoe) -> tuple[list[int], list[dict[str, str | None]]]:
    """Return the positions of crew changes, and the crew on duty from each position on."""
    positions, crews = [0], [dict[str, str | None]()]
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
        positions.append(event.position)
        crews.append(crew)
    return positions, crews


def _patron(shoe: Shoe, breach: Breach) -> str | None:
    """Return the patron named by the rule or event."""
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


# -- Beyond one shoe -------------------------------------------------------------------------------


class _OfFloor:
    """Details of a breach beyond one shoe."""

    def __init__(self, floor: Floor) -> None:
        self._shoes: dict[str, ShoeSummary] = {shoe.name: shoe for shoe in floor.shoes}
        self._tables = floor.tables

    def name_of(self, stream: str) -> str:
        """Return the name of the shoe or stream, which is a part of the fingerprint."""
        return stream

    def recorded_number(self, coup: int) -> int:
        """Return the number of a coup. Coups beyond one shoe are not renumbered."""
        return coup

    def shoe_of(self, breach: Breach) -> str | None:
        return breach.shoe

    def pack_of(self, breach: Breach) -> RulePack | None:
        shoe = self._shoes.get(breach.shoe or "")
        return None if shoe is None else shoe.pack

    def identity_of(self, breach: Breach) -> Identity:
        return identity_beyond_shoe(breach)

    def moment_of(self, _rule: Rule, breach: Breach) -> Moment | None:
        """Return the earliest time of the events of a breach."""
        return next(iter(_shown(breach)), None)

    def patron_of(self, breach: Breach, _money: Effect) -> str | None:
        return breach.patron

    def staff_at(self, rule: Rule, breach: Breach) -> _Staff:
        """Return the dealer and the supervisor at the time of a breach."""
        shoe = self._shoes.get(breach.shoe or "")
        if shoe is None:
            return None, None
        at = self.moment_of(rule, breach)
        return self._at_posts(shoe, at, _DEALERS), self._at_posts(shoe, at, _SUPERVISORS)

    def _at_posts(self, shoe: ShoeSummary, at: Moment | None, posts: tuple[str, ...]) -> str | None:
        """Return the person at one of these posts.

        It is the person that the shoe's record names. If that names nobody at these posts, the
        table's record at that time is used.
        """
        if any(post in shoe.crew for post in posts):
            return next(filter(None, map(shoe.crew.get, posts)), None)
        table = self._tables.get(shoe.table or "")
        if table is None or at is None:
            return None
        there = {post.post: post.person for post in table.posts if _stood_at_post(post, at)}
        return next(filter(None, map(there.get, posts)), None)


def _stood_at_post(post: Post, at: Moment) -> bool:
    """Return whether a person was certainly at a post at a given time."""
    since = moment_of(post.since)
    until = moment_of(post.until) if post.until is not None else None
    if {each.clocked for each in (since, until or at)} != {at.clocked}:
        return False
    return since.us <= at.us and (until is None or at.us < until.us)
