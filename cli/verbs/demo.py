"""``sabot demo``: a sample evening at three tables in a new file, with its audit."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import Struct
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sabot.cli.console import progress, say
from sabot.cli.output import printable
from sabot.cli.table_view.felt_drawing import View, felt
from sabot.cli.text.pages import terminal_width
from sabot.cli.text.words import counted, money
from sabot.cli.verbs.audit_summary import where_said
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.bets import past_posted_bet
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.rule_group import code_of
from sabot.domain.simulation.demo_evening import plan_demonstration
from sabot.domain.simulation.evening import together
from sabot.domain.state.shoe import fold
from sabot.domain.values.errors import BadInput
from sabot.domain.values.safe_text import shell_word
from sabot.infrastructure.audits.audit_run import load_floor, load_shoe
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.table_records import Tables
from sabot.infrastructure.rule_packs import pack_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sabot.domain.audit import Finding, ShoeAudit
    from sabot.domain.audit.engine import FloorAudit
    from sabot.domain.events.envelope import RecordedEvent
    from sabot.domain.simulation.demo_evening import Demonstration
    from sabot.domain.state.table_state import Table as TableState


DEFAULT: Final = "demo.sabot"
_BATCH: Final = 2000
_STYLE: Final = {"high": "bold red", "medium": "yellow", "low": "cyan", "note": "dim"}


class _Looked(Struct):
    """The demonstration evening, read back from the log and audited."""

    tables: list["TableState"]
    audits: list["ShoeAudit"]
    floor: "FloorAudit"
    histories: dict[str, list["RecordedEvent"]]

    @property
    def findings(self) -> list["Finding"]:
        """All findings, of shoes and of the floor."""
        of_shoes = [finding for audit in self.audits for finding in audit.findings]
        return [*of_shoes, *self.floor.findings]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("demo")(_demo)


def _demo(
    database: Annotated[
        str, typer.Option("--database", metavar="FILE", help="SQLite file to create.")
    ] = DEFAULT,
) -> None:
    """Deal and audit a sample evening at three tables.

    The evening goes to a new SQLite file. Patrons come and go, buy chips and bet; dealers are
    relieved and make mistakes. It is the same evening every time. No file is overwritten.
    """
    path = _fresh(database)
    plan = plan_demonstration(pack_text)
    with EventLog.open(str(path)) as log:
        payloads = _deal(log, plan)
        looked = _look(log)
    _show(looked, plan, payloads, database)


def _fresh(database: str) -> Path:
    """Return the path of the new file.

    Raises:
        BadInput: the file exists, its folder does not, or the name is not a file name.
    """
    if "://" in database or not database or "\0" in database:
        raise BadInput("the demo creates a new file; give --database FILE")
    path = Path(database)
    if path.exists():
        raise BadInput(f"{database} exists already; choose another --database FILE, or delete it")
    if not path.parent.is_dir():
        raise BadInput(f"no folder {str(path.parent)!r}; create it first")
    return path


def _deal(log: "EventLog", plan: "Demonstration") -> int:
    """Deal the evening into the log. Return the number of events."""
    drafts = together(plan.evenings)
    with progress("dealing an evening", len(drafts)) as advance:
        for start in range(0, len(drafts), _BATCH):
            batch = drafts[start : start + _BATCH]
            log.append(batch)
            advance(len(batch))
    return len(drafts)


def _look(log: "EventLog") -> _Looked:
    """Read the evening back from the log and audit it."""
    audits, histories, tables = [], {}, Tables(log)
    for info in log.streams("shoe/"):
        shoe = load_shoe(log, info.stream, tables=tables)
        histories[shoe.name] = shoe.history
        audits.append(audit_shoe(shoe))
    floor = load_floor(log, [audit.trace for audit in audits], tables=tables)
    return _Looked(list(floor.tables.values()), audits, audit_floor(floor), histories)


# -- What is shown --------------------------------------------------------------------------


def _show(looked: _Looked, plan: "Demonstration", payloads: int, database: str) -> None:
    console = Console(file=sys.stdout, highlight=False, width=terminal_width(sys.stdout))
    coups = sum(audit.coups for audit in looked.audits)
    console.print()
    console.print(Text("An evening at three tables", style="bold"))
    said = (
        f"{len(looked.audits)} shoes, {coups} coups, {payloads:,} events in {printable(database)}"
    )
    console.print(Text(said, style="dim"))
    console.print(_tables(looked))
    _moment(console, looked)
    console.print(Text("What the audit found", style="bold"))
    console.print(_findings(looked.findings))
    console.print(Text(_in_words(looked, plan)))
    console.print()
    console.print(Text("What to type next", style="bold"))
    for command, what in [*_activation(), *next_steps(looked.findings, database)]:
        console.print(Text.assemble("  ", (command, "cyan")), soft_wrap=True)
        console.print(Padding.indent(Text(what, style="dim"), 6))
    say("the mistakes were made on purpose; `sabot audit` exits 1 on them, this demo exits 0")


def _tables(looked: _Looked) -> "RenderableType":
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("table", style="bold", no_wrap=True)
    table.add_column("pack", no_wrap=True)
    for name in ("shoes", "coups", "drop", "win", "hold"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for state in looked.tables:
        (session,) = state.sessions
        mine = [audit for audit in looked.audits if audit.shoe.startswith(f"{state.name}-")]
        hold = "" if session.hold is None else f"{float(session.hold) * 100:.2f} %"
        table.add_row(
            state.name,
            "" if state.pack is None else state.pack.pack,
            str(len(mine)),
            str(sum(audit.coups for audit in mine)),
            "" if session.drop is None else money(session.drop),
            "" if session.win is None else money(session.win),
            hold,
            session.currency or "",
        )
    return table


def _moment(console: "Console", looked: _Looked) -> None:
    """Draw the layout at the first coup whose cards break the third-card table."""
    finding = next((one for one in looked.findings if one.family == "tableau"), None)
    if finding is None or finding.shoe is None or finding.coup is None:
        return
    history = looked.histories[finding.shoe]
    over = fold(f"shoe/{finding.shoe}", history).coups[finding.coup].closed
    shoe = fold(f"shoe/{finding.shoe}", history[: over.version if over is not None else None])
    console.print(felt(shoe, View(coup=finding.coup, due=False, history=False)))
    console.print(f"  ▲ {printable(finding.message)}\n    {printable(finding.expected)}\n")


def _findings(findings: Sequence["Finding"]) -> "RenderableType":
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("severity", no_wrap=True)
    table.add_column("shoe", style="bold", no_wrap=True)
    table.add_column("coup", justify="right", no_wrap=True)
    table.add_column("what happened")
    for one in findings:
        coup = "" if one.coup is None else str(one.coup)
        severity = Text(one.severity, style=_STYLE[one.severity])
        follows = "" if one.explained_by is None else " *"
        message = Text(printable(one.message) + follows)
        table.add_row(severity, printable(where_said(one.stream)), coup, message)
    return table


def _in_words(looked: _Looked, plan: "Demonstration") -> str:
    """Return the number of rules applied and of planned mistakes found, as text."""
    found = {(one.shoe, one.coup, one.family) for one in looked.findings}
    made = [planted for planted in plan.mistakes if planted.mistake.happened]
    seen = [
        planted
        for planted in made
        if any(
            (planted.shoe, coup, planted.mistake.family) in found
            for coup in (planted.mistake.coup, None)
        )
    ]
    verdicts = [verdict for audit in looked.audits for verdict in audit.verdicts]
    verdicts += looked.floor.verdicts
    rules = {verdict.code for verdict in verdicts}
    judged = {verdict.code for verdict in verdicts if verdict.checked}
    idle = len(rules - judged)
    explained = sum(one.explained_by is not None for one in looked.findings)
    listed = f"all {len(made)}" if len(seen) == len(made) else f"{len(seen)} of them"
    return (
        f"{len(judged)} rules were applied to {len(looked.audits)} shoes; {idle} were not "
        "applicable.\n"
        f"{len(made)} mistakes were made on purpose; {listed} are listed above, with "
        f"{counted(explained, 'finding')} (*) explained by them."
    )


def _activation() -> list[tuple[str, str]]:
    """Return the command that a shell needs before it finds sabot, if it does not."""
    script = Path(sys.prefix) / "bin" / "activate"
    if shutil.which("sabot") or not script.is_file():
        return []
    return [(f". {shell_word(os.path.relpath(script))}", "let this shell find sabot")]


def next_steps(findings: Sequence["Finding"], database: str) -> list[tuple[str, str]]:
    """Return commands to try next, each with a description."""
    file = f"--database {shell_word(database)}"
    steps = []
    drawn = next((one for one in findings if one.family == "tableau"), None)
    if drawn is not None:
        steps.append(
            (
                f"sabot replay {shell_word(drawn.shoe or '')} --to-finding {file}",
                "step through the shoe from its first finding on; ? lists the keys",
            )
        )
    late = next((one for one in findings if one.code == code_of(past_posted_bet)), None)
    if late is not None:
        steps.append(
            (
                f"sabot show {shell_word(late.shoe or '')} --coup {late.coup} {file}",
                "the table in a coup with a bet that was placed after cards were dealt",
            )
        )
    return [
        *steps,
        (f"sabot audit {file} --format json", "every finding, with its rule, source and events"),
        (
            f"sabot detect {file} --format table",
            "patrons who bet as if they knew the next card; there is one cheat in the evening",
        ),
        (f"sabot audit {file} --explain-skips", "the rules that were not applicable, and why"),
        (
            f"sabot report shift-audit {file}",
            "the report of the shift; -o shift.html to print and sign",
        ),
        (f"sabot tables {file}", "win, drop and hold of each table"),
        (
            f"sabot log {file} --name request-made",
            "what patrons asked the staff for, such as a shuffler or a card turned",
        ),
        (f"sabot deal {file}", "deal at a table of your own"),
    ]
