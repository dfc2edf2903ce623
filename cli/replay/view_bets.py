"""The bets of a moment: the amounts due and the settlement so far."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from sabot.cli.replay.rule_text import due_to
from sabot.cli.replay.scene import (
    BANKER,
    FAINT,
    GOLD,
    SIDE,
    TIE,
    Scene,
    fit,
    ink,
    safe,
    window,
    wrap,
)
from sabot.cli.text.words import money
from sabot.domain.audit.explain.payment_reasons import owed_said
from sabot.domain.procedure.common import hand_due
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.payouts import Due
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.views.table_view import FeltBet

_HEADS: Final = ("", "patron", "wager", "stake", "due", "done", "")
_PATRON, _WAGER, _STAKE, _DUE, _DONE = 1, 2, 3, 4, 5
_ENOUGH: Final = {_PATRON: 9, _WAGER: 6}
_LEAST: Final = {_PATRON: 2, _WAGER: 3}
"""The minimum widths of columns with names.

``_ENOUGH`` are the widths at which names can be told apart.
"""


def bets(scene: Scene, width: int, height: int) -> list[Text]:
    """List the bets of the coup. In a narrow panel net amounts replace words."""
    coup, shown = scene.coup, _by_seat(scene)
    if coup is None or not shown:
        return fit([_without(scene)], width, height)
    spoken_of = _bet_of_event(scene, coup)
    focus = next((n for n, bet in enumerate(shown) if bet.bet == spoken_of), 0)
    room = max(1, height - 1)
    rows = window(len(shown), room if len(shown) <= room else room - 1, focus)
    lines = _table(_Words(scene, coup, spoken_of), [shown[n] for n in rows], width)
    if len(rows) < len(shown):
        hidden = ((rows.start, "above"), (len(shown) - rows.stop, "below"))
        said = ", ".join(f"{count} more {where}" for count, where in hidden if count)
        lines.append(ink(f"  {said}", FAINT))
    return fit(lines, width, height)


def whole(scene: Scene, width: int) -> list[Text]:
    """List the bets of the coup for a page: in full, with no name cut.

    If the lines are too wide, the amounts due and the settlement take several lines.
    """
    coup, shown = scene.coup, _by_seat(scene)
    if coup is None or not shown:
        return [_without(scene)]
    words = _Words(scene, coup, _bet_of_event(scene, coup))
    rows = [_headings(), *(words.row(bet, brief=False) for bet in shown)]
    wide = _natural(rows)
    least = {
        n: max(cell_len(word) for row in rows for word in row[n].plain.split() or [""])
        for n in (_DUE, _DONE)
    }
    while _needed(wide) > width and (columns := [n for n in least if wide[n] > least[n]]):
        wide[max(columns, key=lambda n: wide[n])] -= 1
    return [line for row in rows for line in _in_lines(row, wide)]


def _in_lines(row: Sequence[Text], wide: Sequence[int]) -> Iterator[Text]:
    """Yield the lines of a bet, with its words broken to the width of their columns."""
    cells = [
        wrap(cell, wide[n]) if n in (_DUE, _DONE) and cell else [cell] for n, cell in enumerate(row)
    ]
    for parts in zip_longest(*cells, fillvalue=Text()):
        yield _laid_out(parts, wide)


def _by_seat(scene: Scene) -> list[FeltBet]:
    """Return the bets of the coup, by seat."""
    found = scene.felt.coup.bets if scene.felt.coup is not None else ()
    return sorted(found, key=lambda bet: (bet.seat is None, bet.seat or 0, bet.bet))


def _without(scene: Scene) -> Text:
    felt = scene.felt.coup
    free = felt is not None and felt.free
    return ink("a free hand: no bets" if free else "no bets", FAINT)


def _bet_of_event(scene: Scene, coup: Coup) -> int | None:
    payload = scene.event.payload if scene.event is not None else None
    if getattr(payload, "coup", None) != coup.number:
        return None
    number = getattr(payload, "bet", None)
    return number if isinstance(number, int) else None


def judged(scene: Scene, bet: Bet) -> Text:
    """Return a mark for a bet if the audit has findings about it so far."""
    payloads = {event.index for event in (bet.placed, *bet.changes, *bet.moves)}
    for mark in scene.reel.marks:
        if mark.position <= scene.position and not payloads.isdisjoint(mark.finding.events):
            return ink("✗", f"bold {BANKER}")
    return ink("✓", f"bold {TIE}") if bet.settled else Text()


class _Words:
    """Writes the bets of a coup, in full or briefly.

    ``spoken_of`` is the number of the bet in the event.
    """

    def __init__(self, scene: Scene, coup: Coup, spoken_of: int | None) -> None:
        self._scene, self._coup, self._spoken_of = scene, coup, spoken_of
        done = hand_due(coup.player, coup.banker) is None or coup.result_called is not None
        self._due = due_to(scene.shoe, coup) if done else {}

    def row(self, felt_bet: FeltBet, *, brief: bool) -> list[Text]:
        """Return the cells of a bet."""
        bet = self._coup.bets[felt_bet.bet]
        due = self._due.get(bet.number)
        seat = "" if felt_bet.seat is None else f"{felt_bet.seat} "
        here = bet.number == self._spoken_of
        style = "bold" if here else ""
        return [
            ink("▸" if here else " ", f"bold {GOLD}"),
            ink(seat, FAINT).append(safe(bet.patron), style=style),
            ink(safe(wager_label(bet.wager)), SIDE.get(bet.wager, style)),
            ink(self._money(bet.amount), style),
            ink("" if due is None else self._owed(due, brief=brief), FAINT),
            ink(self._done_briefly(bet) if brief else self._done(bet), style),
            judged(self._scene, bet),
        ]

    def _money(self, minor: int) -> str:
        return money(minor, self._scene.felt.minor_units)

    def _owed(self, due: Due, *, brief: bool) -> str:
        if not brief:
            return owed_said(due, self._money)
        return "push" if due.kind == "push" else self._net(due.net)

    def _net(self, minor: int) -> str:
        return f"{'+' if minor > 0 else ''}{self._money(minor)}"

    def _done(self, bet: Bet) -> str:
        said = ["after a tie"] if bet.carried and not bet.settled else []
        if bet.paid or (bet.moves and not bet.taken and not bet.pushed):
            said.append(f"paid {self._money(bet.paid)}")
        if bet.after_commission:
            said.append("after commission")
        if bet.taken:
            said.append(f"taken {self._money(bet.taken)}")
        if bet.pushed:
            said.append("pushed")
        if bet.commission:
            said.append(f"{'less' if bet.collected else 'owes'} {self._money(bet.commission)}")
        if bet.withdrawn:
            said.append("withdrawn")
        return " ".join(said)

    def _done_briefly(self, bet: Bet) -> str:
        """Return the patron's net result on the bet so far, after commission, as short text."""
        if bet.withdrawn:
            return "back"
        return self._net(bet.net) if bet.net else "push" if bet.pushed else "0" * bool(bet.moves)


def _table(words: _Words, bets_shown: Sequence[FeltBet], width: int) -> list[Text]:
    """Lay out bets in columns: in full, briefly, or without the amounts due."""
    for brief, without in ((False, None), (True, None), (True, _DUE)):
        rows = [_headings(), *(words.row(bet, brief=brief) for bet in bets_shown)]
        wide = _natural(rows)
        if without is not None:
            wide[without] = 0
        if _squeeze(wide, width, _ENOUGH):
            break
    else:
        _squeeze(wide, width, _LEAST)
    return [_laid_out(row, wide) for row in rows]


def _headings() -> list[Text]:
    return [ink(head, FAINT) for head in _HEADS]


def _natural(rows: Sequence[Sequence[Text]]) -> list[int]:
    """Return the widths at which the columns show everything."""
    return [max(row[n].cell_len for row in rows) for n in range(len(_HEADS))]


def _needed(wide: Sequence[int]) -> int:
    """Return the width of a line with its columns and the blanks between them."""
    return sum(wide) + sum(room > 0 for room in wide) - 1


def _squeeze(wide: list[int], width: int, least: dict[int, int]) -> bool:
    """Reduce the columns of names to their minimum. Return whether all columns fit."""
    for column, enough in least.items():
        over = _needed(wide) - width
        if over > 0:
            wide[column] = max(min(enough, wide[column]), wide[column] - over)
    return _needed(wide) <= width


def _laid_out(row: Sequence[Text], wide: Sequence[int]) -> Text:
    line = Text()
    for n, (cell, room) in enumerate(zip(row, wide, strict=True)):
        if not room:
            continue
        shown = cell.copy()
        shown.truncate(room, overflow="ellipsis")
        blank = Text(" " * (room - shown.cell_len))
        line.append_text(blank + shown if n == _STAKE else shown + blank).append(" ")
    line.rstrip()
    return line
