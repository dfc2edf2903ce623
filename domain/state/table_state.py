"""State of a table: sessions, tray, drop box and crew.

A session runs from one opening to the next. Chips enter and leave a tray in five ways: patrons buy
them for money that goes into the drop box, fills, credits, bets taken and paid, and commission
collected (COMAR 36.05.03.02). Hence

    win  = closing inventory + credits + drop - opening inventory - fills
    hold = win / drop

COMAR 36.05.03.25 asks for drop, win and win-to-drop. No event is refused.
"""

from fractions import Fraction
from typing import Final, Literal, TypeAlias

from msgspec import Struct, field

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.projection import Handlers, Projection
from sabot.domain.timeline.intervals import ValueHistory

Missing = Literal["opening", "closing", "drop"]
PostEvent: TypeAlias = ev.TableOpened | ev.CrewChanged | ev.TableClosed
"""Events that determine who is at a post."""
LimitsEvent: TypeAlias = ev.TableOpened | ev.LimitsChanged
"""Events that set the limits of a table."""


class Session(Struct):
    """A table session, from one opening to the next; amounts in minor units.

    ``number`` counts from 1. Money moved before any opening belongs to a session without
    ``opened``. ``bought`` is the amount that patrons paid for chips, as recorded at the table.
    ``drop`` is the counted content of the drop box, None before the count. The count follows the
    closing, so it belongs to the session before the next opening.
    """

    number: int
    opened: RecordedEvent[ev.TableOpened] | None = None
    closed: RecordedEvent[ev.TableClosed] | None = None
    game: str | None = None
    currency: str | None = None
    opening: int | None = None
    closing: int | None = None
    fills: int = 0
    credits: int = 0
    bought: int = 0
    drop: int | None = None
    moves: list[
        RecordedEvent[ev.ChipsBought | ev.TableFilled | ev.CreditSent | ev.DropCounted]
    ] = []

    @property
    def missing(self) -> tuple[Missing, ...]:
        """The values that are still needed to compute the win."""
        parts: tuple[tuple[Missing, int | None], ...] = (
            ("opening", self.opening),
            ("closing", self.closing),
            ("drop", self.drop),
        )
        return tuple(name for name, known in parts if known is None)

    @property
    def win(self) -> int | None:
        """The house's win. Negative for a loss, None if a value is missing."""
        return None if self.drop is None else self._win(self.drop)

    @property
    def estimated_win(self) -> int | None:
        """The win, with the money paid for chips in place of the drop until the drop is counted."""
        return self._win(self.bought if self.drop is None else self.drop)

    def _win(self, drop: int) -> int | None:
        if self.opening is None or self.closing is None:
            return None
        return self.closing + self.credits + drop - self.opening - self.fills

    @property
    def hold(self) -> Fraction | None:
        """Win divided by drop. None if the win is unknown or the drop is zero."""
        return Fraction(self.win, self.drop) if self.win is not None and self.drop else None


class Post(Struct):
    """A person at a post of the open table.

    ``until`` is the event that ended the assignment, None if there is none.
    """

    post: str
    person: str
    since: RecordedEvent
    until: RecordedEvent | None = None


class Table(Struct):
    """A table, computed from its events.

    ``pack`` is the last rule pack adopted. ``posts`` records each person at each post over time,
    ``standing`` the present ones. ``limit_history`` and ``crew_history`` record the limits and the
    crew after each event. ``kept`` and ``claimed`` record what became of abandoned bets.
    ``unmatched_events`` holds events that do not fit the state, such as a second closing or an
    event of a shoe.
    """

    stream: str
    history: list[RecordedEvent] = []
    sessions: list[Session] = []
    is_open: bool = False
    pack: ev.RulePackAdopted | None = None
    packs: list[RecordedEvent[ev.RulePackAdopted]] = []
    posts: list[Post] = []
    standing: dict[str, Post] = {}
    limits: tuple[ev.Limit, ...] = ()
    limit_history: ValueHistory[tuple[ev.Limit, ...]] = field(default_factory=ValueHistory)
    crew_history: ValueHistory[dict[str, str]] = field(default_factory=ValueHistory)
    kept: list[RecordedEvent[ev.AbandonedKept]] = []
    claimed: list[RecordedEvent[ev.AbandonedClaimed]] = []
    corrections: list[RecordedEvent[ev.EventCorrected]] = []
    unmatched_events: list[RecordedEvent] = []

    @property
    def name(self) -> str:
        """The table's name: its stream without ``table/``."""
        return self.stream.removeprefix("table/")

    @property
    def version(self) -> int:
        """The version of the last event. It is 0 if there is none."""
        return self.history[-1].position if self.history else 0

    @property
    def crew(self) -> dict[str, str]:
        """The present crew: a person for each post."""
        return {post: each.person for post, each in self.standing.items()}

    def session(self) -> Session:
        """Return the last session; begin one if there is none."""
        if not self.sessions:
            self.sessions.append(Session(1))
        return self.sessions[-1]


def _opened(table: Table, event: RecordedEvent[ev.TableOpened]) -> None:
    payload = event.payload
    table.is_open = True
    session = Session(
        len(table.sessions) + 1, event, None, payload.game, payload.currency, payload.inventory
    )
    table.sessions.append(session)
    _all_leave(table, event)
    for crew in payload.crew:
        _takes_post(table, event, crew.post, crew.person)
    table.crew_history.add(event, table.crew)
    # an opening without limits leaves the previous limits in force
    if payload.limits:
        _hang(table, event, payload.limits)


def _closed(table: Table, event: RecordedEvent[ev.TableClosed]) -> None:
    session = table.session()
    table.is_open = False
    if session.closed is not None:
        table.unmatched_events.append(event)
        return
    session.closed, session.closing = event, event.payload.inventory
    _all_leave(table, event)
    table.crew_history.add(event, table.crew)


def _adopted(table: Table, event: RecordedEvent[ev.RulePackAdopted]) -> None:
    table.packs.append(event)
    table.pack = event.payload


def _crew_changed(table: Table, event: RecordedEvent[ev.CrewChanged]) -> None:
    payload = event.payload
    _takes_post(table, event, payload.post, payload.person)
    table.crew_history.add(event, table.crew)


def _takes_post(
    table: Table, event: RecordedEvent[PostEvent], post: str, person: str | None
) -> None:
    """Assign a person to a post or vacate it. The previous person leaves."""
    before = table.standing.pop(post, None)
    if before is not None:
        before.until = event
    if person is not None:
        table.standing[post] = Post(post, person, event)
        table.posts.append(table.standing[post])


def _all_leave(table: Table, event: RecordedEvent[PostEvent]) -> None:
    for post in tuple(table.standing):
        _takes_post(table, event, post, None)


def _limits_changed(table: Table, event: RecordedEvent[ev.LimitsChanged]) -> None:
    _hang(table, event, event.payload.limits)


def _hang(table: Table, event: RecordedEvent[LimitsEvent], limits: tuple[ev.Limit, ...]) -> None:
    table.limits = limits
    table.limit_history.add(event, limits)


def _bought(table: Table, event: RecordedEvent[ev.ChipsBought]) -> None:
    session = table.session()
    session.moves.append(event)
    session.bought += event.payload.amount


def _filled(table: Table, event: RecordedEvent[ev.TableFilled]) -> None:
    session = table.session()
    session.moves.append(event)
    session.fills += event.payload.amount


def _credited(table: Table, event: RecordedEvent[ev.CreditSent]) -> None:
    session = table.session()
    session.moves.append(event)
    session.credits += event.payload.amount


def _counted(table: Table, event: RecordedEvent[ev.DropCounted]) -> None:
    session = table.session()
    session.moves.append(event)
    # a table may have more than one drop box
    session.drop = (session.drop or 0) + event.payload.amount


def _abandoned_kept(table: Table, event: RecordedEvent[ev.AbandonedKept]) -> None:
    table.kept.append(event)


def _abandoned_claimed(table: Table, event: RecordedEvent[ev.AbandonedClaimed]) -> None:
    table.claimed.append(event)


_HANDLERS: Final = Handlers[Table]()
_HANDLERS.on(ev.TableOpened, _opened)
_HANDLERS.on(ev.TableClosed, _closed)
_HANDLERS.on(ev.RulePackAdopted, _adopted)
_HANDLERS.on(ev.CrewChanged, _crew_changed)
_HANDLERS.on(ev.LimitsChanged, _limits_changed)
_HANDLERS.on(ev.ChipsBought, _bought)
_HANDLERS.on(ev.TableFilled, _filled)
_HANDLERS.on(ev.CreditSent, _credited)
_HANDLERS.on(ev.DropCounted, _counted)
_HANDLERS.on(ev.AbandonedKept, _abandoned_kept)
_HANDLERS.on(ev.AbandonedClaimed, _abandoned_claimed)
_HANDLERS.keep(ev.EventCorrected, lambda table: table.corrections)

_FOLDER: Final[Projection[Table]] = Projection(Table, _HANDLERS)
fold, evolve, apply = _FOLDER.fold, _FOLDER.evolve, _FOLDER.apply
