"""One bettor's tests, side by side, as one factor a coup.

Each account holds a share of the bettor's evidence and bets it in its own way: on the first card
by the side, by the side of his larger bets, by the size; on the outcome; on the tie; on the lead
after two cards each, and on the second to fourth card, where those lay face down on the felt
before the bets closed; on the outcome by a change made late; on the outcome from some coup of the
shoe on, as where the cards behind the cut were filmed. Accounts that look at the same card are
shares of one bet, so their average, never their product, is the evidence.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal

from msgspec import Struct

from domain.protection.evidence import Evidence, Worlds, chances_after, is_open
from domain.protection.learner import CardReader, Number, RareReader, SideReader, card_reader
from domain.protection.sight import Look
from domain.protection.streak import StreakReader, streak_reader

Test = Literal["next-card", "whole-coup", "first-four", "late-change"]

# What each account is called, the test that it belongs to, and its prior share in percent.
ACCOUNTS: Final[tuple[tuple[str, Test, int], ...]] = (
    ("side", "next-card", 45),
    ("bold", "next-card", 27),
    ("size", "next-card", 8),
    ("outcome", "whole-coup", 5),
    ("tie", "whole-coup", 3),
    ("lead", "first-four", 3),
    ("second", "next-card", 1),
    ("third", "next-card", 1),
    ("fourth", "next-card", 1),
    ("change", "late-change", 3),
    ("streak", "whole-coup", 3),
)

# Prior weights of the classes "1 or higher" to "9 or higher" in per cent: in proportion to the
# square of what knowing the class of the first card gains (`domain.protection.worth`; a test
# holds them against it). What is not worth knowing is not worth the risk.
CLASSES: Final = (5, 7, 10, 13, 16, 18, 16, 11, 4)
_IN_ORDER: Final = {"side": 80, "bold": 80, "size": 50}


class Stake(Struct, frozen=True, gc=False):
    """A bettor's stakes on the main wagers, in minor units."""

    player: int = 0
    banker: int = 0
    tie: int = 0

    @property
    def main(self) -> int:
        """What stands on one side alone."""
        return abs(self.player - self.banker)

    @property
    def side(self) -> int | None:
        """The side that he is on: 0 Player, 1 Banker, None neither."""
        if self.player == self.banker:
            return None
        return 0 if self.player > self.banker else 1


class Custom(Struct):
    """What a bettor usually stakes: sums over the coups at which he was present."""

    main: int = 0
    tie: int = 0
    coups: int = 0

    def take(self, stake: Stake) -> None:
        """Take in a coup."""
        self.main += stake.main
        self.tie += stake.tie
        self.coups += 1

    def fade(self) -> None:
        """Between shoes, let the distant past count less."""
        if self.coups > 100:  # noqa: PLR2004 - about a shoe
            self.main, self.tie, self.coups = self.main // 2, self.tie // 2, self.coups // 2


class Signals(Struct, frozen=True):
    """What a bettor signalled before a coup's cards; None is no signal.

    ``side``, ``bold``: 0 Player, 1 Banker. ``size``, ``tie``: more (True) or less than usual.
    ``later`` are his sides before those of the second to fourth card that are asked after, by
    place. ``change`` is the side to which he moved after a face, with the chances then; without,
    where it is not known which faces he had seen.
    """

    side: int | None = None
    bold: int | None = None
    size: bool | None = None
    tie: bool | None = None
    later: dict[int, int] = {}
    change: tuple[int, Worlds] | None = None

    @property
    def before(self) -> bool:
        """Tell whether anything was signalled before the first face was shown."""
        return any(said is not None for said in (self.side, self.bold, self.size, self.tie))

    @property
    def none(self) -> bool:
        """Tell whether nothing was signalled at all."""
        return not (self.before or self.later or self.change)

    def of(self, look: Look) -> bool | None:
        """What was signalled before a later card: a high one (True), a low one, or nothing."""
        side = self.later.get(look.place)
        return None if side is None else side == 0


def stake_of(look_stakes: dict[str, dict[str, int]], patrons: Sequence[str]) -> Stake:
    """Add up what patrons have on the main wagers."""
    found = [0, 0, 0]
    for patron in patrons:
        mine = look_stakes.get(patron)
        if mine:
            found[0] += mine.get("player", 0)
            found[1] += mine.get("banker", 0)
            found[2] += mine.get("tie", 0)
    return Stake(*found)


def signals_of(evidence: Evidence, patrons: Sequence[str], custom: Custom) -> Signals:
    """Read what bettors signalled together, against their own past alone."""
    coup = evidence.coup
    change = _change(evidence, patrons)
    if any(patron in coup.undecided for patron in patrons):
        # a bet that a tie holds on the felt was not decided for this coup
        return Signals(change=change)
    stake = stake_of(coup.stakes, patrons)
    usual, coups = custom.main, custom.coups
    more = None if stake.main * coups == usual else stake.main * coups > usual
    bold = stake.side if stake.main * coups >= usual else None
    tie = None
    if coups and (custom.tie or stake.tie) and stake.tie * coups != custom.tie:
        tie = stake.tie * coups > custom.tie
    later = {look.place: _later_side(look, patrons) for look in evidence.others}
    told = {place: side for place, side in later.items() if side is not None}
    return Signals(stake.side, bold, more, tie, told, change)


def _later_side(look: Look, patrons: Sequence[str]) -> int | None:
    """The side before a later card, turned about where it is the Banker hand's."""
    chosen = stake_of(look.stakes, patrons).side
    return None if chosen is None else chosen ^ (look.place % 2 == 0)


def _change(evidence: Evidence, patrons: Sequence[str]) -> tuple[int, Worlds] | None:
    """The first change after a face that could still go either way, and the chances then."""
    for change in evidence.coup.changes:
        if change.patron not in patrons:
            continue
        moved = {
            wager: change.after.get(wager, 0) - change.before.get(wager, 0)
            for wager in ("player", "banker")
        }
        if moved["player"] == moved["banker"]:
            continue
        if change.unsure:
            return (0 if moved["player"] > moved["banker"] else 1), []
        chances = chances_after(evidence.coup, change)
        if is_open(chances):
            return (0 if moved["player"] > moved["banker"] else 1), chances
    return None


class Mixture(Struct):
    """The accounts of a bettor, each with what it has learned, and their shares (sum 1)."""

    cards: list[CardReader]
    outcome: SideReader
    tie: RareReader
    lead: SideReader
    change: SideReader
    streak: StreakReader
    shares: list[float]

    def bet(
        self,
        number: Number,
        evidence: Evidence,
        signals: Signals,
        *,
        doubt: bool = False,
        least: bool = False,
    ) -> float:
        """Return the factor of a coup, and learn from it. Its mean under the null is 1.

        Where the record is in ``doubt``, evidence for the bettor counts, against him not. The
        ``least`` is what each account could have come to at least, whatever he signalled.
        """
        factors = self._factors(number, evidence, signals, least=least)
        if doubt:
            factors = [min(factor, number(Fraction(1))) for factor in factors]
        shares = [share * factor for share, factor in zip(self.shares, factors, strict=True)]
        total = sum(shares)
        self.shares = [share / total for share in shares]
        return total

    def _factors(
        self, number: Number, evidence: Evidence, signals: Signals, *, least: bool
    ) -> list[float]:
        unit = number(Fraction(1))
        factors = [unit] * len(ACCOUNTS)
        first = evidence.first
        if first is not None:
            for account, up in enumerate(_ups(signals)):
                factors[account] = self._read(unit, account, first, up, least=least)
        for look in evidence.others:
            factors[look.place + 4] = self._read(
                unit, look.place + 1, look, signals.of(look), least=least
            )
        if evidence.boxed or least:
            self._take_least(number, evidence, factors)
            return factors
        if evidence.outcome:
            self._bet_outcomes(number, evidence, signals, factors)
        if evidence.lead and signals.side is not None:
            factors[5] = self.lead.bet(number, evidence.lead, signals.side, evidence.led)
        if signals.change is not None:
            side, chances = signals.change
            factors[9] = self.change.least(number)
            if chances:
                factors[9] = self.change.bet(number, chances, side, evidence.came)
        return factors

    def _take_least(self, number: Number, evidence: Evidence, factors: list[float]) -> None:
        """Count the least of what rests on a whole coup, as where a face lay open in the shoe.

        Who saw it may have bet by it, or not bet; and that it came to light may hang on its
        value. Whatever would have been signalled had it lain face down, the factor is no more.
        """
        if evidence.outcome:
            factors[3], factors[4] = self.outcome.least(number), self.tie.least(number)
            factors[10] = self.streak.least()
        if any(look.early for look in evidence.coup.looks):
            factors[5] = self.lead.least(number)
        factors[9] = self.change.least(number)

    def _bet_outcomes(
        self, number: Number, evidence: Evidence, signals: Signals, factors: list[float]
    ) -> None:
        worlds, came = evidence.outcome, evidence.came
        if signals.side is not None:
            factors[3] = self.outcome.bet(number, worlds, signals.side, came)
            factors[10] = self.streak.bet(number, worlds, signals.side, came)
        if signals.tie is not None:
            rare = [[world[2], world[0] + world[1]] for world in worlds]
            tied = None if came is None else came == 2  # noqa: PLR2004 - a tie
            factors[4] = self.tie.bet(number, rare, up=signals.tie, came=tied)

    def _read(self, unit: float, reader: int, look: Look, up: bool | None, *, least: bool) -> float:
        if look.plain or least:
            return self.cards[reader].least(look.unseen, look.value, look.lacking)
        if up is None:
            return unit
        return self.cards[reader].bet(look.unseen, look.value, look.lacking, up=up)

    def refresh(self, number: Number) -> None:
        """Between shoes, let every account and class keep a little weight."""
        self.streak = streak_reader(number)
        for reader in self.cards:
            reader.threshold.refresh()
        self.shares = [
            (49 * share + number(Fraction(percent, 100))) / 50
            for share, (_, _, percent) in zip(self.shares, ACCOUNTS, strict=True)
        ]


def _ups(signals: Signals) -> tuple[bool | None, bool | None, bool | None]:
    """A high card is good for the Player hand, whose card the first one is."""
    return (
        None if signals.side is None else signals.side == 0,
        None if signals.bold is None else signals.bold == 0,
        signals.size,
    )


def start_mixture(number: Number) -> Mixture:
    """Return the accounts of a bettor of whom nothing is known."""
    classes = [Fraction(percent, 100) for percent in CLASSES]
    names = ("side", "bold", "size", "second", "third", "fourth")
    return Mixture(
        [card_reader(number, classes, Fraction(_IN_ORDER.get(name, 80), 100)) for name in names],
        SideReader(),
        RareReader([0, 0, 0, 0]),
        SideReader(),
        SideReader(),
        streak_reader(number),
        [number(Fraction(percent, 100)) for _, _, percent in ACCOUNTS],
    )


def heaviest(mixture: Mixture) -> Test:
    """Name the test that holds most of the evidence."""
    held: dict[Test, float] = {}
    for share, (_, test, _) in zip(mixture.shares, ACCOUNTS, strict=True):
        held[test] = held.get(test, 0) + share
    return max(held, key=lambda test: held[test])
