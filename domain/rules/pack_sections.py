"""The sections of a rule pack on care and conduct: cut, settling, approval, clocks, custody.

Regulators ask for different things here, and most packs leave most of it unsaid; field-facts.md 3
(A3, A5, A13, A15, A21 to A24) holds what was read of them.

The sections of a rule pack that only games with a patron's bank, or with choices, have.

What the sources leave open or contradict each other in is a key here; field-facts.md 1.2 and 3
(A17, A18) hold the rules, seeds S0 and S1 the older version, the arrêté of 14 May 2007 (arts 58
to 62) the French one.
"""

from datetime import date, timedelta
from typing import Annotated, Literal

from msgspec import Meta

from sabot.domain.rules.drawing_options import CHEMIN_DE_FER, DrawingTable
from sabot.domain.rules.third_card_table import BANKER_TABLE
from sabot.domain.values.money import Rounding, share_of
from sabot.domain.values.scalars import Amount, Day, Name
from sabot.domain.values.scalars import Part as _Part

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

    Events of two devices whose clocks lie within ``tolerance_ms`` of each other have no known
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


class DrawingRule(_Part, frozen=True, rename={"player": "punto", "banker": "banco"}):
    """Who may choose: ``D`` must draw, ``S`` must stand, ``*`` is free.

    ``player`` has a sign per two-card total of the hand that plays against the bank, 0 to 7.
    ``banker`` leaves the banker ``free``, binds him by the ``tableau`` of punto banco, or has a
    row per total, 0 to 7, with a sign per third card of Player's: none, then 0 to 9.
    """

    player: str = CHEMIN_DE_FER.player
    banker: Literal["free", "tableau"] | tuple[str, ...] = "free"

    def rules(self, name: str) -> DrawingTable:
        """Return them as every reader of the rules has them.

        Raises:
            BadInput: the signs do not fit.
        """
        named = {"free": CHEMIN_DE_FER.banker, "tableau": BANKER_TABLE}
        rows = named[self.banker] if isinstance(self.banker, str) else self.banker
        return DrawingTable(name, self.player, rows)


class BankRule(_Part, frozen=True):
    """The bank: how little and how much it may be, and how it comes from one to the next.

    A banker deals ``deals`` coups before he may give the bank up. ``takeover``: whoever takes
    over a bank that was given up has to ``match`` it, and where nobody does, the next in order
    has it at any amount; or he has it at ``any`` amount at once. ``partial``: part of it may be
    taken out between coups. ``raises``: it may be raised between coups.
    """

    minimum: Amount = 0
    maximum: Amount | None = None
    deals: Annotated[int, Meta(ge=0, le=1000)] = 1
    takeover: Literal["match", "any"] = "match"
    partial: bool = False
    raises: bool = True


class BancoRule(_Part, frozen=True):
    """Going bank: ``suivi`` puts first whoever lost his banco in the coup before.

    ``bystanders`` says whether those who do not sit may claim too, after all who do. Who lost
    his banco ``successive`` times in a row may not go bank again at once (None: he may).
    """

    suivi: bool = True
    bystanders: bool = True
    successive: Annotated[int, Meta(ge=1, le=1000)] | None = None


class ExcessRule(_Part, frozen=True):
    """Stakes beyond the bank: the banker may ``raise`` it to cover them, or they are returned.

    What is returned goes back in reverse order of play. With ``rotation`` they stay where they
    are, and winners are paid in rotation as far as the bank reaches; with ``accept`` the banker
    may take them all on, and his bank is unlimited from then on. ``bystanders`` says whether
    those who do not sit may fill what the seated leave.
    """

    option: Literal["raise-or-return", "return", "rotation", "rotation-or-accept"] = (
        "raise-or-return"
    )
    bystanders: bool = True


class LevyRule(_Part, frozen=True):
    """The house's share of what a bank wins in a coup, in minor units to whole ``unit``.

    ``tickets``: one is drawn for each levy, and its serial kept (field-facts.md 3 A18). ``steps``:
    the levy is announced, its tickets are detached, it goes into the box, and the tickets are torn
    before the next coup, each an event of its own (arrêté of 14 May 2007, art. 59).
    """

    rate: Annotated[str, Meta(pattern=r"^[0-9]{1,6}/[1-9][0-9]{0,5}\Z")] = "0/1"
    rounding: Rounding = "nearest"
    unit: Annotated[int, Meta(ge=1, le=10**9)] = 1
    tickets: bool = False
    steps: bool = False

    @property
    def ratio(self) -> tuple[int, int]:
        """The rate as numerator and denominator."""
        numerator, denominator = self.rate.split("/")
        return int(numerator), int(denominator)

    def on(self, winnings: int) -> int:
        """Return the levy on what a bank won; nothing where it won nothing."""
        if winnings <= 0:
            return 0
        return share_of(winnings, *self.ratio, self.rounding, self.unit)


class TableauxRule(_Part, frozen=True, rename={"own_tableau": "own_wing"}):
    """Two tableaux against one banker, who keeps the bank (field-facts.md 1.2, 3 A20).

    The first bank is awarded by ``auction`` to the highest bid, by ``list`` to the name put down
    first, or by ``lot`` among all who put theirs down. ``bank``: it is ``limited`` to what lies
    in it, or ``open`` to all stakes. ``names_cutter``: the banker names who cuts.
    ``last_shuffle``: nobody shuffles after the banker did. ``stake_unit``: what stakes, and the
    halves of a stake à cheval, are multiples of, in minor units. ``own_tableau``: who sits stakes
    on his own tableau, or à cheval. ``swap``: a banker who retires takes the seat of his successor.
    ``proven``: who banks has proven his funds. A day has ``sessions`` at most, a session ``shoes``
    (None: any number). ``new_cards``: the cards of one session are dealt in no other.
    """

    award: Literal["auction", "list", "lot"] = "auction"
    bank: Literal["limited", "open"] = "limited"
    names_cutter: bool = True
    last_shuffle: bool = True
    stake_unit: Annotated[int, Meta(ge=1, le=10**9)] = 1
    own_tableau: bool = True
    swap: bool = True
    proven: bool = False
    sessions: Annotated[int, Meta(ge=1, le=100)] | None = None
    shoes: Annotated[int, Meta(ge=1, le=100)] | None = None
    new_cards: bool = False
