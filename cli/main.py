"""The program ``sabot``: its verbs, and how a command line is run."""

import contextlib
import gc
import sys
from functools import cache
from typing import Annotated, Final

import typer

from sabot.cli.console import ExitCode, Terminated, ended_by_sigterm, guard
from sabot.cli.lazy_verbs import Verb, lazy_group

LOOK: Final = "Look"
AUDIT: Final = "Audit"
RECORD: Final = "Record"
ADMINISTER: Final = "Administer"

VERBS: Final = (
    Verb("tables", "verbs.lists", LOOK, "List the tables: state, handle, win, drop and hold."),
    Verb("shoes", "verbs.lists", LOOK, "List the shoes: rule pack, coups, results and money."),
    Verb("patrons", "verbs.lists", LOOK, "List the patrons: bets, handle, result and debts."),
    Verb("ledger", "verbs.lists", LOOK, "List a patron's bets, payments and balances."),
    Verb("commission", "verbs.lists", LOOK, "List the commission of each patron in each shoe."),
    Verb("cards", "verbs.card_batches", LOOK, "List batches of cards, or one chain of custody."),
    Verb("log", "verbs.log", LOOK, "List the events of the log."),
    Verb("show", "verbs.show", LOOK, "Show a table as it is now, or as it was at any moment."),
    Verb("replay", "replay.replay_verb", LOOK, "Step through a shoe in the terminal."),
    Verb("odds", "verbs.odds", LOOK, "Compute exact odds and the house edge of every wager."),
    Verb("audit", "verbs.audit", AUDIT, "Check shoes against their rule packs.", of_period=True),
    Verb("findings", "verbs.findings", AUDIT, "List findings and review them.", of_period=True),
    Verb("report", "verbs.report", AUDIT, "Make a report on a period.", of_period=True),
    Verb("explain", "verbs.explain", AUDIT, "Explain every card, call and payment of a coup."),
    Verb("detect", "verbs.detect", AUDIT, "Find patrons who bet as if they knew the next card."),
    Verb("verify", "verbs.verify", AUDIT, "Check that a log was not changed since it was signed."),
    Verb("rules", "verbs.rules", AUDIT, "List the rules of the audit, or show one in full."),
    Verb("deal", "deal.deal_verb", RECORD, "Deal a shoe step by step at the terminal."),
    Verb(
        "record", "verbs.import_record", RECORD, "Record events from standard input, or over TCP."
    ),
    Verb("import", "verbs.import_record", RECORD, "Import coups from files."),
    Verb("simulate", "verbs.simulate", RECORD, "Deal shoes with simulated patrons."),
    Verb("demo", "verbs.demo", RECORD, "Deal and audit a sample evening at three tables."),
    Verb("packs", "verbs.packs", ADMINISTER, "List the rule packs, or print one."),
    Verb(
        "schemas",
        "verbs.schemas",
        ADMINISTER,
        "List the JSON schemas of the outputs, or print one.",
    ),
    Verb("export", "verbs.export", ADMINISTER, "Export events as JSON lines."),
    Verb("project", "verbs.projections", ADMINISTER, "Update the summary tables."),
    Verb(
        "evidence",
        "verbs.evidence",
        ADMINISTER,
        "Sign the log, publish its tree, and prove its events.",
    ),
    Verb(
        "names",
        "verbs.names",
        ADMINISTER,
        "Keep the names of patrons outside the log, and erase them.",
    ),
    Verb("store", "verbs.store", ADMINISTER, "Secure, check, back up or restore a log."),
)
"""Every verb, in the order of the help."""


@cache
def build() -> typer.Typer:
    """Return the program with all its verbs, the same one each time."""
    app = typer.Typer(
        name="sabot",
        cls=lazy_group(VERBS),
        help="Record what happens at baccarat tables, and audit it.",
        epilog="Exit codes: 0 clean, 1 findings, 2 usage or bad input, "
        "3 the log cannot be trusted, 70 internal error, 130 interrupted, 143 ended by SIGTERM.",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_sabot)
    return app


_COLLECTED_AT: Final = 100_000
"""The net number of new containers that triggers Python's garbage collector.

By default it goes through all modules several times while they load, a tenth of a short command.
"""


def run() -> None:
    """Run the command line of this process and exit."""
    gc.set_threshold(_COLLECTED_AT, *gc.get_threshold()[1:])
    try:
        with ended_by_sigterm():
            code = guard(build())
    except Terminated:  # before or after the verb
        code = ExitCode.TERMINATED
    # otherwise Python takes the modules apart one by one, a third of a short command
    gc.freeze()
    sys.exit(code)


def _version(wanted: bool) -> None:
    if wanted:
        from sabot.infrastructure.version import program_version  # noqa: PLC0415 - seldom

        sys.stdout.write(program_version() + "\n")
        raise typer.Exit


def _sabot(
    context: typer.Context,
    _wanted: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the version and the commit, and exit.",
        ),
    ] = False,
) -> None:
    """Record what happens at baccarat tables, and audit it."""
    if context.invoked_subcommand is None:
        with contextlib.redirect_stdout(sys.stderr):
            sys.stderr.write(context.get_help())
        raise typer.Exit(ExitCode.BAD_INPUT)
