"""Rule pack sections on procedure, and on games with a patron's bank.

Regulations differ here, and most packs leave most keys out. Each pack cites the sources of its
values. The French order (`ARRETE_2007_ART_58` to `ARRETE_2007_ART_62` in
`sabot.domain.rules.sources`) is the most detailed source on games with a bank.
"""

from datetime import date, timedelta
from typing import Annotated, Final, Literal

from msgspec import Meta

from sabot.domain.rules.drawing_options import CHEMIN_DE_FER, DrawingTable
from sabot.domain.rules.third_card_table import BANKER_TABLE
from sabot.domain.values.money import Rounding, share_of
from sabot.domain.values.scalars import Amount, Day, Name
from sabot.domain.values.scalars import Part as _Part

_SATURDAY: Final = 5
"""As `date.weekday` counts."""

Small = Annotated[int, Meta(ge=0, le=1000)]

FreeHands = Literal["shoe-start", "on-request"]
"""When free hands are dealt: before the first bets, or at a patron's request."""


class Cut(_Part, frozen=True):
    """The section on the cut: to whom it is offered. If it is None, anyone may cut."""

    offered: Annotated[
        Literal["clockwise"] | None,
        Meta(
            description="`clockwise`: the cut is offered to one patron after the other, from the "
            "dealer's left on, until one cuts; if nobody does, the house cuts"
        ),
    ] = None


class Settling(_Part, frozen=True):
    """The section on the settlement procedure: order and timing, not amounts."""

    winners: Annotated[
        Literal["nearest-first"] | None,
        Meta(
            description="`nearest-first`: winners are paid from the dealer outwards, on each "
            "side of the table where two pay"
        ),
    ] = None
    cards_stay: Annotated[
        bool, Meta(description="whether the cards stay on the felt until the last bet is settled")
    ] = False
    covered: Annotated[bool, Meta(description="whether the discards are covered")] = False


class Approval(_Part, frozen=True):
    """The authority that approves how cards are burned.

    Working days are Monday to Friday except ``holidays``. They are counted between the day of the
    notice and the first day of use, both excluded. Days begin at midnight at the casino,
    ``utc_offset`` hours ahead of UTC.
    """

    authority: Annotated[
        Name,
        Meta(
            description="the authority that approves the option of the burn, if the house may not "
            "choose it alone"
        ),
    ]
    notice_days: Annotated[
        Small,
        Meta(
            description="the number of working days between the notice to the authority and the "
            "first use"
        ),
    ] = 0
    holidays: Annotated[
        tuple[Day, ...], Meta(description='days that are not working days, as `"2026-01-01"`')
    ] = ()
    utc_offset: Annotated[
        int,
        Meta(
            ge=-12,
            le=14,
            description="how many hours the casino's day is ahead of UTC",
        ),
    ] = 0

    def working_days_between(self, first: date, last: date) -> int:
        """Count the working days after the first day and before the last."""
        between = range(1, (last - first).days)
        days = (first + timedelta(days=each) for each in between)
        return sum(day.weekday() < _SATURDAY and str(day) not in self.holidays for day in days)


class Clocks(_Part, frozen=True):
    """The section on the accuracy of the devices' clocks."""

    tolerance_ms: Annotated[
        int,
        Meta(
            ge=0,
            le=600_000,
            description="the largest difference between the clocks of two devices, in "
            "milliseconds. If the times of two events differ by no more than this, "
            "their order is unknown",
        ),
    ]
    jump_ms: Annotated[
        Annotated[int, Meta(ge=0, le=86_400_000)] | None,
        Meta(
            description="a clock has jumped if it goes back, or is ahead of the log's clock, by "
            "more than this. Without the key, the tolerance is used"
        ),
    ] = None

    @property
    def tolerance_us(self) -> int:
        """The permitted difference between two clocks, in microseconds."""
        return 1000 * self.tolerance_ms

    @property
    def jump_us(self) -> int:
        """The smallest difference that counts as a jump of a clock, in microseconds."""
        return 1000 * (self.tolerance_ms if self.jump_ms is None else self.jump_ms)


class Custody(_Part, frozen=True):
    """The section on custody of cards, from delivery to destruction.

    A key that is None sets no requirement.
    """

    inspected: Annotated[
        bool, Meta(description="whether cards are inspected before they are used")
    ] = False
    receipt: Annotated[
        bool, Meta(description="whether a machine that inspects or shuffles prints a receipt")
    ] = False
    free_supervisor: Annotated[
        bool,
        Meta(
            description="whether the supervisor of a pre-shuffle must have no open table at that "
            "time"
        ),
    ] = False
    issued: Annotated[
        bool,
        Meta(
            description="whether the issue of cards to a table must be recorded before any of "
            "them is dealt there"
        ),
    ] = False
    put_back: Annotated[
        bool,
        Meta(
            description="whether cards are put back in the maker's order after the game and "
            "examined for marks"
        ),
    ] = False
    recording_days: Annotated[
        Small | None,
        Meta(
            description="the smallest number of days for which the recording of a pre-shuffle is "
            "kept"
        ),
    ] = None
    table_hours: Annotated[
        Small | None, Meta(description="the largest number of hours that cards may lie on a table")
    ] = None
    count_hours: Annotated[
        Small | None, Meta(description="the largest number of hours between two reconciliations")
    ] = None
    stock_days: Annotated[
        Small | None, Meta(description="the largest number of days between two counts of the stock")
    ] = None
    report_minutes: Annotated[
        Small | None,
        Meta(
            description="the number of minutes within which a missing, extra or marked card must "
            "be reported"
        ),
    ] = None
    shoes: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None,
        Meta(description="the largest number of shoes dealt from the same cards"),
    ] = None
    tie_chance: Annotated[
        Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,8}/[1-9][0-9]{0,17}\Z")] | None,
        Meta(
            description="the chance that any shoe and any table are used together so often, as "
            "`1/1000`. If it is at most this, the dealing shoe counts as tied to the "
            "table"
        ),
    ] = None
    day_begins: Annotated[
        int,
        Meta(ge=0, le=23, description="the hour (UTC) at which a day of shoes and tables begins"),
    ] = 6


class DrawingRule(_Part, frozen=True, rename={"player": "punto", "banker": "banco"}):
    """The section on optional draws, of the hand against the bank and of the banker."""

    player: Annotated[
        str,
        Meta(
            description="the hand against the bank: a sign for each two-card total 0 to 7: `D` "
            "must draw, `S` must stand, `*` is free"
        ),
    ] = CHEMIN_DE_FER.player
    banker: Annotated[
        Literal["free", "tableau"] | tuple[str, ...],
        Meta(
            description="the banker: `free`, bound by the `tableau` of punto banco, or 8 rows "
            "(total 0 to 7) of 11 signs (no third card, then 0 to 9)"
        ),
    ] = "free"

    def rules(self, name: str) -> DrawingTable:
        """Return the drawing rules as a table.

        Raises:
            BadInput: the rows have a wrong length or an unknown sign.
        """
        named = {"free": CHEMIN_DE_FER.banker, "tableau": BANKER_TABLE}
        rows = named[self.banker] if isinstance(self.banker, str) else self.banker
        return DrawingTable(name, self.player, rows)


class BankRule(_Part, frozen=True):
    """The section on the size of the bank, and on passing it to the next banker."""

    minimum: Annotated[Amount, Meta(description="the smallest bank, in minor units")] = 0
    maximum: Annotated[Amount | None, Meta(description="the largest bank, in minor units")] = None
    deals: Annotated[
        int, Meta(ge=0, le=1000, description="coups that a banker deals before giving the bank up")
    ] = 1
    takeover: Annotated[
        Literal["match", "any"],
        Meta(
            description="`match`: a patron who takes over a bank that was given up must put up "
            "the same amount. If nobody does, the next patron may take it with any "
            "amount. `any`: any amount is allowed at once"
        ),
    ] = "match"
    partial: Annotated[
        bool, Meta(description="whether part of a bank may be taken out between coups")
    ] = False
    raises: Annotated[bool, Meta(description="whether a bank may be raised between coups")] = True


class BancoRule(_Part, frozen=True):
    """The section on banco: a bet by one patron alone against the whole bank."""

    suivi: Annotated[
        bool, Meta(description="whether the loser of a banco may go bank again before all others")
    ] = True
    bystanders: Annotated[
        bool, Meta(description="whether standing patrons may go bank, after all seated ones")
    ] = True
    successive: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None,
        Meta(
            description="the number of lost bancos in a row after which a patron may not go bank "
            "again at once"
        ),
    ] = None


class ExcessRule(_Part, frozen=True):
    """The section on stakes that exceed the bank."""

    option: Annotated[
        Literal["raise-or-return", "return", "rotation", "rotation-or-accept"],
        Meta(
            description="what happens to stakes beyond the bank. `raise-or-return`: the banker "
            "may raise the bank; otherwise these stakes are returned, the last first. "
            "`return`: they are returned. `rotation` (two tableaux): winners are paid "
            "in turn until the bank is empty. `rotation-or-accept` (two tableaux): "
            "the same, but the banker may accept all stakes and then has an unlimited "
            "bank"
        ),
    ] = "raise-or-return"
    bystanders: Annotated[bool, Meta(description="whether standing patrons may stake")] = True


class LevyRule(_Part, frozen=True):
    """The section on the levy: the house's share of a bank's winnings in a coup."""

    rate: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]{1,6}/[1-9][0-9]{0,5}\Z",
            description="the house's share of what a bank wins in a coup, as `1/20`",
        ),
    ] = "0/1"
    rounding: Annotated[
        Rounding, Meta(description="how the amount is rounded; `nearest` rounds a half up")
    ] = "nearest"
    unit: Annotated[
        int,
        Meta(ge=1, le=10**9, description="the unit to which the amount is rounded, in minor units"),
    ] = 1
    tickets: Annotated[
        bool, Meta(description="whether each levy has a ticket, whose serial number is recorded")
    ] = False
    steps: Annotated[
        bool,
        Meta(
            description="whether each step of a levy is recorded: announced, tickets detached, "
            "into the box, tickets torn before the next coup"
        ),
    ] = False

    @property
    def ratio(self) -> tuple[int, int]:
        """The rate as numerator and denominator."""
        numerator, denominator = self.rate.split("/")
        return int(numerator), int(denominator)

    def on(self, winnings: int) -> int:
        """Return the levy on a bank's winnings, in minor units. Return 0 without winnings."""
        if winnings <= 0:
            return 0
        return share_of(winnings, *self.ratio, self.rounding, self.unit)


BankAward = Literal["auction", "list", "lot"]
"""How the first bank of a table is awarded."""


class TableauxRule(_Part, frozen=True, rename={"own_tableau": "own_wing"}):
    """The section on two tableaux against one banker, who keeps the bank."""

    award: Annotated[
        BankAward,
        Meta(
            description="how the first bank is awarded: to the highest bid (`auction`), to the "
            "first name on the list (`list`), or by `lot`"
        ),
    ] = "auction"
    bank: Annotated[
        Literal["limited", "open"],
        Meta(
            description="`limited`: the bank covers only its own amount. `open`: it covers all "
            "stakes"
        ),
    ] = "limited"
    names_cutter: Annotated[bool, Meta(description="whether the banker names who cuts")] = True
    last_shuffle: Annotated[
        bool, Meta(description="whether nobody may shuffle after the banker")
    ] = True
    stake_unit: Annotated[
        int,
        Meta(
            ge=1,
            le=10**9,
            description="stakes, and each half of a stake à cheval, are multiples of this, in "
            "minor units",
        ),
    ] = 1
    own_tableau: Annotated[
        bool,
        Meta(
            description="whether a seated patron may stake only on the tableau of the seat, or à "
            "cheval"
        ),
    ] = True
    swap: Annotated[
        bool, Meta(description="whether a banker who retires takes the seat of the successor")
    ] = True
    proven: Annotated[bool, Meta(description="whether the banker proves the funds first")] = False
    sessions: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None,
        Meta(description="the largest number of sessions in a day"),
    ] = None
    shoes: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None,
        Meta(description="the largest number of shoes in a session"),
    ] = None
    new_cards: Annotated[
        bool, Meta(description="whether the cards of one session are dealt in no other")
    ] = False
