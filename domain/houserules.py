"""The sections of a rule pack on care and conduct: cut, settling, approval, clocks, custody.

Regulators ask for different things here, and most packs leave most of it unsaid; field-facts.md 3
(A3, A5, A13, A15, A21 to A24) holds what was read of them.
"""

from datetime import date, timedelta
from typing import Annotated, Literal

from msgspec import Meta

from domain.facts.scalars import Day, Name
from domain.facts.scalars import Part as _Part

Small = Annotated[int, Meta(ge=0, le=1000)]

FreeHands = Literal["shoe-start", "on-request"]
"""When free hands are dealt: before the first coup with bets, or where a patron asked for one."""


class Cut(_Part, frozen=True):
    """Who cuts the cards.

    ``clockwise``: they are offered to one after the other who sits there, from the dealer's left
    on, until somebody cuts; where nobody does the house cuts. None: whoever does.
    """

    offered: Literal["clockwise"] | None = None


class Settling(_Part, frozen=True):
    """How bets are settled, beyond what is due to each.

    ``winners``: those nearest to the dealer are paid first, on each side of the table where two
    pay. ``cards_stay``: the cards lie there until the last bet is settled. ``covered``: the
    discards are covered.
    """

    winners: Literal["nearest-first"] | None = None
    cards_stay: bool = False
    covered: bool = False


class Approval(_Part, frozen=True):
    """The authority that approves the option of the burn, and how long before it is told.

    ``notice_days`` are working days, Monday to Friday but for ``holidays``: so many of them lie
    between the day of the notice and the day from which the option is used, neither of which
    counts. Days begin at midnight at the casino: ``utc_offset`` hours ahead of UTC.
    """

    authority: Name
    notice_days: Small = 0
    holidays: tuple[Day, ...] = ()
    utc_offset: Annotated[int, Meta(ge=-12, le=14)] = 0

    def working_days_between(self, first: date, last: date) -> int:
        """Count the working days after the first day and before the last."""
        between = range(1, (last - first).days)
        days = (first + timedelta(days=each) for each in between)
        return sum(day.weekday() < 5 and str(day) not in self.holidays for day in days)  # noqa: PLR2004 - Saturday


class Clocks(_Part, frozen=True):
    """How far the clocks of the table's devices can be believed, in milliseconds.

    Facts of two devices whose clocks lie within ``tolerance_ms`` of each other have no known
    order. A clock that goes back, or is ahead of the log's, by more than ``jump_ms`` has jumped
    (None: by more than the tolerance).
    """

    tolerance_ms: Annotated[int, Meta(ge=0, le=600_000)]
    jump_ms: Annotated[int, Meta(ge=0, le=86_400_000)] | None = None

    @property
    def tolerance_us(self) -> int:
        """How far two clocks may lie apart, in microseconds."""
        return 1000 * self.tolerance_ms

    @property
    def jump_us(self) -> int:
        """From where on a clock has jumped, in microseconds."""
        return 1000 * (self.tolerance_ms if self.jump_ms is None else self.jump_ms)


class Custody(_Part, frozen=True):
    """How cards are kept between their delivery and their destruction; None: it is not said.

    ``inspected``: cards are inspected before they are used. ``receipt``: a machine that inspects
    or shuffles prints which it is. ``free_supervisor``: who watches a pre-shuffle has no open
    table meanwhile. ``issued``: the issue of cards to a table is recorded, and none are dealt
    there before. ``put_back``: after the game they are put back in the maker's order, and looked
    over for marks. ``recording_days``: the recording of a pre-shuffle is kept so long at least.
    ``table_hours``: cards lie on a table so long at most. ``count_hours`` and ``stock_days``:
    from one reconciliation, or count of the stock, to the next. ``report_minutes``: a missing,
    extra or marked card is reported by then. ``shoes``: so many shoes are dealt from the same
    cards at most. ``tie_chance``: where chance alone would bring any shoe and table together so
    often with this chance or less, they are tied; days begin at ``day_begins`` (hour, UTC).
    """

    inspected: bool = False
    receipt: bool = False
    free_supervisor: bool = False
    issued: bool = False
    put_back: bool = False
    recording_days: Small | None = None
    table_hours: Small | None = None
    count_hours: Small | None = None
    stock_days: Small | None = None
    report_minutes: Small | None = None
    shoes: Annotated[int, Meta(ge=1, le=1000)] | None = None
    tie_chance: Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,8}/[1-9][0-9]{0,17}\Z")] | None = None
    day_begins: Annotated[int, Meta(ge=0, le=23)] = 6
