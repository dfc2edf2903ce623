"""Wagers: pay conditions, and the line that settles a result.

A wager is a list of lines, read from the top. The first condition that holds determines the
payment; if none holds, the stake is lost. The rule pack contains the lines. The conditions are a
closed list in this module, because a condition is code while odds are a parameter.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from sabot.domain.rules.coup_result import Result

Condition = Callable[[Result], bool | None]
"""Whether a condition holds for a result. None if the recorded cards do not decide."""


def _either(one: bool | None, other: bool | None) -> bool | None:
    """Return the logical *or* of two values, each of which may be unknown (None)."""
    if one or other:
        return True
    return None if one is None or other is None else False


def _both(one: bool | None, other: bool | None) -> bool | None:
    """Return the logical *and* of two values, each of which may be unknown (None)."""
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _natural(total: int, cards: int) -> bool:
    return (cards, total) in ((2, 8), (2, 9))


def _player_wins_by(margin: int) -> Condition:
    return lambda r: r.player - r.banker == margin


def _banker_wins_by(margin: int) -> Condition:
    return lambda r: r.banker - r.player == margin


def _banker_wins_on(total: int, cards: int | None = None) -> Condition:
    return lambda r: r.banker == total > r.player and (cards is None or r.banker_cards == cards)


def _player_wins_on(total: int, cards: int) -> Condition:
    return lambda r: r.player == total > r.banker and r.player_cards == cards


WAGER_ON: Final[dict[str, str]] = {"P": "player", "B": "banker", "T": "tie"}
"""The wager that wins with each outcome, whatever the cards."""

CONDITIONS: Final[dict[str, Condition]] = {
    "player-wins": lambda r: r.player > r.banker,
    "banker-wins": lambda r: r.banker > r.player,
    "tie": lambda r: r.player == r.banker,
    "tie-on-6": lambda r: (r.player, r.banker) == (6, 6),
    "banker-wins-on-6": _banker_wins_on(6),
    "banker-wins-on-two-card-6": _banker_wins_on(6, 2),
    "banker-wins-on-three-card-6": _banker_wins_on(6, 3),
    "banker-wins-on-three-card-7": _banker_wins_on(7, 3),
    "player-wins-on-three-card-8": _player_wins_on(8, 3),
    "player-pair": lambda r: r.player_pair,
    "banker-pair": lambda r: r.banker_pair,
    "either-pair": lambda r: _either(r.player_pair, r.banker_pair),
    "perfect-pair": lambda r: _either(r.player_perfect, r.banker_perfect),
    "two-perfect-pairs": lambda r: _both(r.player_perfect, r.banker_perfect),
    "four-cards": lambda r: (r.player_cards, r.banker_cards) == (2, 2),
    "five-or-six-cards": lambda r: r.player_cards + r.banker_cards in (5, 6),
    "player-wins-on-natural": lambda r: _natural(r.player, r.player_cards) and r.player > r.banker,
    "banker-wins-on-natural": lambda r: _natural(r.banker, r.banker_cards) and r.banker > r.player,
    "naturals-tie": lambda r: (
        r.player == r.banker
        and _natural(r.player, r.player_cards)
        and _natural(r.banker, r.banker_cards)
    ),
    **{f"player-wins-by-{margin}": _player_wins_by(margin) for margin in range(1, 10)},
    **{f"banker-wins-by-{margin}": _banker_wins_by(margin) for margin in range(1, 10)},
}

PAIR_CONDITIONS: Final = frozenset(
    ("player-pair", "banker-pair", "either-pair", "perfect-pair", "two-perfect-pairs")
)
"""Conditions on ranks and suits; all others use totals and numbers of cards."""

Odds = Annotated[str, Meta(pattern=r"^(push|[0-9]{1,6}:[0-9]{1,6})\Z")]
"""``8:1`` pays eight times the stake, ``54:100`` 0.54 times the stake; ``push`` pays nothing."""


class PayLine(Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """The odds paid if a condition holds."""

    on: str
    pays: Odds

    @property
    def ratio(self) -> Fraction:
        """Winnings divided by stake; 0 for a push."""
        if self.pays == "push":
            return Fraction(0)
        to, one = self.pays.split(":")
        return Fraction(int(to), int(one))


class Wager(Struct, frozen=True, forbid_unknown_fields=True):
    """A wager of a rule pack: name, pay lines, and whether winnings owe commission."""

    name: Annotated[
        str, Meta(pattern=r"^[a-z][a-z0-9-]{0,39}\Z", description="the name of the wager")
    ]
    lines: Annotated[
        tuple[PayLine, ...],
        Meta(
            description="conditions with what they pay, `n:m` or `push`, read from the top. The "
            "first condition that holds decides. If none holds, the stake is lost"
        ),
    ]
    commission: Annotated[bool, Meta(description="whether its winnings owe commission")] = False

    def line_on(self, result: Result) -> PayLine | Literal["lost", "unknown"]:
        """Return the line that settles a result: the first whose condition holds."""
        return self.line_where(lambda on: CONDITIONS[on](result) if on in CONDITIONS else None)

    def line_where(
        self, holds_of: "Callable[[str], bool | None]"
    ) -> PayLine | Literal["lost", "unknown"]:
        """Return the first line whose condition holds.

        ``holds_of`` maps the name of a condition to whether it holds, None if unknown. The result
        is "lost" if no condition holds. It is "unknown" if an unknown condition comes before the
        first one that holds.
        """
        for line in self.lines:
            holds = holds_of(line.on)
            if holds is None:
                return "unknown"
            if holds:
                return line
        return "lost"
