"""The dialogue of ``sabot deal``: it shows what is due, reads commands and reports events.

Events go to standard output, one a line. Prompts, refusals and help go to standard error.
"""

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import Final

from sabot.cli.console import say
from sabot.cli.deal.commands import CORRECT_USAGE, WORDS, correction, events_of, is_card
from sabot.cli.deal.deal_table import DealTable
from sabot.cli.output import printable
from sabot.cli.table_view.felt_drawing import felt
from sabot.cli.text.event_text import describe
from sabot.cli.text.pages import Line, terminal_width, write_page
from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent, first_of
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.values.errors import BadInput, Conflict, Refused
from sabot.domain.values.safe_text import shell_word

_EVENTS_SHOWN: Final = 10
"""Events that `events` shows if no number is given."""
_MOST_DIGITS: Final = 5

LINE_LIMIT: Final = 65_536
_GO_STEPS: Final = 200
_USAGE_COLUMNS: Final = 30
"""The width of most commands in the list of `help`."""

_CONTROL: Final[dict[str, str]] = {
    "(Enter)": "do what is due",
    "go": "continue until the next bets, or until a decision is needed",
    "anyway COMMAND…": "record that it happened, although the rule pack forbids it",
    CORRECT_USAGE: "correct an event that was recorded wrongly; it stays in the log",
    "state": "show the layout",
    "events [N]": "show the last events, with their numbers",
    "due": "repeat what is due",
    "help [WORD]": "list the commands, or explain one",
    "quit": "leave; the shoe can be continued later",
}


def to_deal(shoe: str) -> str:
    """Return the command that continues a shoe."""
    return f"sabot deal {'-- ' if shoe.startswith('-') else ''}{shell_word(shoe)}"


class DealSession:
    """Reads commands line by line and answers them.

    ``people`` is True if a person types them. ``stumbled`` is True if any line was refused or not
    understood.
    """

    def __init__(self) -> None:
        """Read from standard input."""
        self.people = sys.stdin is not None and sys.stdin.isatty()
        self.stumbled = False
        self._line = 0
        self._currency = (2, "")
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8", errors="backslashreplace")
        if self.people:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401, PLC0415 - gives input() its history

    def told(self, event: RecordedEvent) -> None:
        """Write an event saved in the log to standard output."""
        line = f"{event.version:>4}  {printable(describe(event.payload, *self._currency))}"
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def converse(self, table: DealTable) -> None:
        """Deal until the input ends, the user quits, or the shoe is over."""
        if table.shoe.pack is not None:
            money = table.shoe.pack.money
            self._currency = money.minor_units, money.currency
        if self.people:
            say("help lists the words; Enter does what is due")
        for line in self._lines(table):
            if line in ("quit", "exit"):
                break
            before = table.shoe.version
            try:
                self._answer(table, line)
            except (Refused, BadInput, Conflict) as error:
                self._stumble(_with_a_way_out(error))
            self._picture(table, before)
        if table.shoe.ended is None:
            say(f"the shoe is still in play; continue it with: {to_deal(table.shoe.name)}")

    def _stumble(self, why: str) -> None:
        """Report a line that was refused or not understood.

        If the input does not come from a person, its line number is reported too.
        """
        self.stumbled = True
        say(why if self.people else f"line {self._line}: {why}")

    def _answer(self, table: DealTable, line: str) -> None:
        word, _, more = line.partition(" ")
        match word.lower():
            case "":
                table.do_due()
            case "go":
                _go(table)
            case "due":
                pass
            case "state":
                _show(table)
            case "events" | "facts":
                self._events(table, more)
            case "help" | "?":
                _help(more.strip())
            case "anyway":
                _say_so(table, more.strip(), anyway=True)
            case _:
                _say_so(table, line, anyway=False)

    def _events(self, table: DealTable, more: str) -> None:
        wanted = more.strip()
        last = int(wanted) if wanted.isdigit() and len(wanted) <= _MOST_DIGITS else _EVENTS_SHOWN
        for event in table.shoe.history[-last:]:
            self.told(event)

    def _picture(self, table: DealTable, before: int) -> None:
        """Show the layout after a result was called, if a person types the commands."""
        if not self.people:
            return
        new = table.shoe.history[before:]
        if first_of(ev.ResultCalled, new) is not None:
            _show(table)

    def _lines(self, table: DealTable) -> Iterator[str]:
        while table.due.expects != "nothing":
            ask = f"{_due_words(table.due)} > "
            try:
                line = input(printable(ask)) if self.people else self._read()
            except EOFError:
                return
            self._line += 1
            if len(line) > LINE_LIMIT:
                self._stumble("? the line is longer than 64 KiB; shorten it")
                continue
            yield " ".join(line.split())

    def _read(self) -> str:
        line = sys.stdin.readline(LINE_LIMIT + 1) if sys.stdin is not None else ""
        if not line:
            raise EOFError
        rest = line
        while len(rest) >= LINE_LIMIT and not rest.endswith("\n"):
            rest = sys.stdin.readline(LINE_LIMIT)
        return line


def _say_so(table: DealTable, line: str, *, anyway: bool) -> None:
    """Record the events that a line describes."""
    if not line:
        raise BadInput("`anyway` needs a command, for example: anyway player")
    for said in _apart(table, line):
        table.record(_made(table, said), anyway=anyway)


def _apart(table: DealTable, line: str) -> list[str]:
    """Split a line of typed cards into one line per card, so that each is saved before the next."""
    words = line.split()
    several = not table.random and all(map(is_card, words))
    return words if several else [line]


def _made(table: DealTable, line: str) -> list[ev.ShoeEvent]:
    words = line.split()
    if words[0].lower() == "correct":
        return correction(table.speech(), words[1:])
    return events_of(table.speech(), line)


def _go(table: DealTable) -> None:
    """Carry out the actions that are due, until bets or other input are needed."""
    for _ in range(_GO_STEPS):
        table.do_due()
        due = table.due
        if due.expects == "nothing" or isinstance(due.payload, ev.NoMoreBets):
            return
        if not table.random and due.expects in ("card", "burn-up"):
            return
        if not table.random and isinstance(due.payload, ev.ShoeEnded):
            return
        if due.expects in ("settle", "bets", "choice", "bank") and due.payload is None:
            return


def _due_words(due: NextAction) -> str:
    if isinstance(due.payload, ev.NoMoreBets):
        return f"{due.text}, then no more bets"
    return due.text


def _with_a_way_out(error: Exception) -> str:
    if isinstance(error, Refused):
        rule = f"\n    {_cited(error.rule)}" if error.rule else ""
        return f"refused: {error}{rule}\n    to record it nevertheless, type: anyway …"
    return f"? {error}"


def _cited(number: str) -> str:
    from sabot.domain.audit import find_rule  # noqa: PLC0415 - slow to import, and seldom needed

    return find_rule(number).cited


def _show(table: DealTable) -> None:
    """Draw the layout on standard output."""
    from rich.console import Console  # noqa: PLC0415 - slow to import, and seldom needed

    console = Console(file=sys.stdout, highlight=False, width=terminal_width(sys.stdout))
    console.print(felt(table.shoe))


def _help(word: str) -> None:
    if word:
        known = WORDS.get(word)
        if known is None:
            raise BadInput(f"{word!r} is not a command; `help` lists them")
        say(f"{known.usage}\n    {known.what}")
        return
    recording = {known.usage: known.what for known in WORDS.values()}
    wide = min(_USAGE_COLUMNS, max(map(len, recording)))
    lines: list[Line] = ["commands that record an event:"]
    lines += [(f"  {usage:<{wide}}  {what}", wide + 4) for usage, what in recording.items()]
    lines.append("other commands:")
    for usage, what in _CONTROL.items():
        lines += [f"  {usage}", (f"      {what}", 6)]
    write_page(lines, sys.stderr)
