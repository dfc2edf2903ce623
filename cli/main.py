"""The program ``sabot``: every verb, and how a command line is run."""

import contextlib
import sys
from collections.abc import Callable
from typing import Annotated, Final

import typer

from sabot.cli.console import ExitCode, Verbs, guard
from sabot.cli.deal import deal_verb as deal
from sabot.cli.replay import replay_verb as replay
from sabot.cli.verbs import (
    audit,
    card_batches,
    demo,
    detect,
    explain,
    export,
    findings,
    import_record,
    lists,
    log,
    odds,
    packs,
    projections,
    rules,
    show,
    simulate,
    store,
)

FAMILIES: Final[tuple[Callable[[typer.Typer], None], ...]] = (
    audit.register,
    card_batches.register,
    deal.register,
    demo.register,
    detect.register,
    explain.register,
    export.register,
    import_record.register,
    findings.register,
    odds.register,
    packs.register,
    projections.register,
    lists.register,
    log.register,
    show.register,
    replay.register,
    rules.register,
    simulate.register,
    store.register,
)
"""Every family of verbs; each file imports slow libraries only inside the verb that needs them."""


def build() -> typer.Typer:
    """Return the program with all its verbs."""
    app = typer.Typer(
        name="sabot",
        cls=Verbs,
        help="Records what happens at a baccarat table, rebuilds any moment of it, and audits it.",
        epilog="Exit codes: 0 clean, 1 findings, 2 usage or bad input, "
        "3 the log cannot be trusted, 70 a defect of the program.",
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_sabot)
    for register in FAMILIES:
        register(app)
    return app


def run() -> None:
    """Run the command line that the program was started with."""
    sys.exit(guard(build()))


def _version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata  # noqa: PLC0415 - slow, and seldom asked

        try:
            number = metadata.version("sabot")
        except metadata.PackageNotFoundError:
            number = "from a source tree that is not installed"
        sys.stdout.write(f"sabot {number}\n")
        raise typer.Exit


def _sabot(
    context: typer.Context,
    _wanted: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Record what happens at a baccarat table, rebuild any moment of it, and audit it."""
    if context.invoked_subcommand is None:
        with contextlib.redirect_stdout(sys.stderr):
            sys.stderr.write(context.get_help())
        raise typer.Exit(ExitCode.BAD_INPUT)
