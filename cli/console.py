"""Shared parts of all verbs: exit codes, error messages, options and progress.

Results go to standard output, messages to standard error. Exit codes:

    0    clean
    1 findings: something was wrong at a table
    2    usage or bad input
    3    the log cannot be trusted
    70   internal error (SABOT_TRACEBACK=1 shows where)
    130  interrupted from the keyboard
    141  the reader of standard output closed it (as a shell reports SIGPIPE)
    143  ended by SIGTERM, after the verb has removed its temporary files

A verb ends with findings by ``raise typer.Exit(ExitCode.FINDINGS)``.
"""

import contextlib
import errno
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from enum import IntEnum
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup

from sabot.cli.hints import hints_for
from sabot.cli.output import (
    Column,
    Format,
    FormatOption,
    OutputOption,
    ReportFormat,
    emit,
    open_output,
)
from sabot.cli.text.words import printable, say
from sabot.domain.values.errors import BadInput, SabotError, UntrustedLog
from sabot.domain.values.suggestions import not_among

if TYPE_CHECKING:
    from sabot.infrastructure.log.event_log import EventLog


__all__ = [
    "Column",
    "DatabaseOption",
    "DecksOption",
    "ExitCode",
    "ForceOption",
    "Format",
    "FormatOption",
    "OneShoeArgument",
    "OnlyShoesOption",
    "OutputOption",
    "PackOption",
    "ResolvedOption",
    "Verbs",
    "WorkersOption",
    "YourNameOption",
    "emit",
    "guard",
    "open_log",
    "open_or_begin_log",
    "open_output",
    "printable",
    "progress",
    "say",
    "tell_waiting",
]

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="SABOT_DATABASE_URL",
        help="The log: path of an SQLite file, or a postgresql:// URL.",
        show_default="sabot.db",
    ),
]

DecksOption = Annotated[
    int | None, typer.Option(help="Number of decks, if the rule pack allows several.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
OneShoeArgument = Annotated[str, typer.Argument(metavar="SHOE", help="The shoe.")]
OnlyShoesOption = Annotated[
    list[str] | None,
    typer.Option("--shoe", metavar="SHOE", help="Only this shoe (repeatable)."),
]
PackOption = Annotated[str, typer.Option(metavar="PACK", help="Rule pack: a name or a .toml file.")]
ResolvedOption = Annotated[
    bool, typer.Option("--all", help="List resolved findings too, and those no longer found.")
]
YourNameOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Your name.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        max=256,
        help="Number of processes. Default: one for every 100,000 events of the log, at most one "
        "for each processor, and at most 8.",
        show_default=False,
    ),
]

PROGRESS_AFTER_S = 1.0


class ExitCode(IntEnum):
    """Exit codes of the program."""

    CLEAN = 0
    FINDINGS = 1
    BAD_INPUT = 2
    UNTRUSTED = 3
    CRASH = 70
    INTERRUPTED = 130
    READER_GONE = 141
    TERMINATED = 143


class _ReaderGone(Exception):
    """The reader closed standard output.

    This exception replaces BrokenPipeError, for which Click would exit with code 1.
    """


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM. A verb cleans up as after an interruption."""


class _Ended(Exception):
    """Replaces `Terminated`, for which Typer would exit with code 130."""


class Verbs(TyperGroup):
    """The group of all verbs."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - as Typer declares it
        """Run the verb; raise exceptions that Typer gives no exit code of its own."""
        try:
            return super().invoke(ctx)
        except Terminated as error:
            raise _Ended from error
        except BrokenPipeError as error:
            raise _ReaderGone from error
        except UnicodeEncodeError as error:
            # nothing that is stored has such a text, so the command line has
            raise BadInput(f"{error.object[:200]!r} is not text; write it in UTF-8") from error


def guard(app: typer.Typer, arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code. Write errors to standard error."""
    for stream in (sys.stdout, sys.stderr):
        # the same bytes in every locale
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    with hints_for(sys.argv[1:] if arguments is None else arguments):
        try:
            # settings made by options last for one command line only
            return copy_context().run(_run, app, arguments)
        except SystemExit as error:
            # Typer exits like this if the reader of a help text or a completion is gone
            if not isinstance(error.__context__, BrokenPipeError):
                raise
            _forget_stdout()
            return ExitCode.READER_GONE
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last line of defence
            code = _tell(error)
            _leave_nothing_to_flush()
            return code


@contextlib.contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show progress on standard error.

    Yields a function to call with the amount of work done since the last call. Nothing is shown in
    the first second, or if standard error is not a terminal.

    >>> with progress("auditing shoes", total=1) as advance:
    ...     advance(1)
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done: None
        return
    with contextlib.ExitStack() as stack:
        yield _late_bar(stack, what, total)


def open_log(
    database: str | None, *, read_only: bool = False, create: bool = False, patient: bool = False
) -> "EventLog":
    """Open the log named by ``--database``, or the default one.

    The log is a context manager. Verbs that only read pass ``read_only``. Only a verb that passes
    ``create`` creates a log, so that a mistyped path creates none. A verb that passes ``patient``
    waits while the PostgreSQL server is down. If the server may lose acknowledged events, a warning
    is written to standard error once.

    Raises:
        BadInput: the log cannot be opened.
    """
    # importing the database driver takes longer than running a verb without a log
    from sabot.infrastructure.log import event_log, patient_log  # noqa: PLC0415

    opened = partial(event_log.EventLog.open, database, read_only=read_only, create=create)
    log = patient_log.open_when_reached(opened, database, tell_waiting) if patient else opened()
    for warning in log.database.warnings:
        _warn(warning)
    log.checkpoints.tell = _warn
    return log


def tell_waiting(text: str) -> None:
    """Write to standard error that a verb awaits the database."""
    say(f"sabot: {text}")


@contextlib.contextmanager
def open_or_begin_log(database: str | None, *, patient: bool = False) -> Iterator["EventLog"]:
    """Open a log for writing. Create it if there is none. ``patient`` is that of `open_log`.

    A SQLite file that was created is removed if the verb fails before the first event.

    Raises:
        BadInput: the log cannot be opened.
    """
    from sabot.infrastructure.database.unused_file import removed_if_unused  # noqa: PLC0415 - above

    with removed_if_unused(database), open_log(database, create=True, patient=patient) as log:
        yield log


@cache
def _warn(warning: str) -> None:
    say(f"sabot: warning: {warning}")


@cache
def _built(app: typer.Typer) -> Any:  # noqa: ANN401 - Typer's own type of commands
    """Return the command of an app, with its verbs built so far."""
    return typer.main.get_command(app)


def _run(app: typer.Typer, arguments: Sequence[str] | None) -> int:
    code = _built(app).main(
        args=None if arguments is None else list(arguments),
        prog_name="sabot",
        standalone_mode=False,
    )
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise SabotError(
                f"cannot write standard output: {error.strerror}; the output is incomplete"
            ) from error
    return code if isinstance(code, int) else ExitCode.CLEAN


_PROGRAM: Final = Path(__file__).parents[1]
_ROOMS: Final = ("cli", "domain", "infrastructure")
_NO_COMMAND: Final = re.compile(r"No such command '(.*?)'\.")
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@contextlib.contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Raise `Terminated` in the block on SIGTERM. A second SIGTERM ends the process at once.

    A verb that handles the signal itself replaces the handler.
    """

    def end(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise Terminated

    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _was_terminated(error: BaseException | None) -> bool:
    """Return whether an error is the end by SIGTERM, or came while cleaning up after it."""
    while error is not None and not isinstance(error, Terminated):
        error = error.__context__
    return error is not None


def _tell(error: Exception | KeyboardInterrupt) -> ExitCode:
    """Write the error to standard error. Return the exit code."""
    match error:
        case _ if _was_terminated(error):
            say("sabot: ended by SIGTERM")
            code = ExitCode.TERMINATED
        case _ReaderGone() | BrokenPipeError():
            _forget_stdout()
            code = ExitCode.READER_GONE
        case KeyboardInterrupt() | typer.Abort():
            say("")
            code = ExitCode.INTERRUPTED
        case typer.TyperException():
            said = _of_option(error) or _of_verb(error) or _of_value(error)
            say(f"sabot: {said or 'a command is missing'}{_help_hint(error)}")
            code = ExitCode.BAD_INPUT
        case SabotError():
            _trace_if_asked()
            # a name in the record can fake no second line
            say("sabot: " + "\n".join(map(printable, error.lines or (str(error),))))
            code = ExitCode.UNTRUSTED if isinstance(error, UntrustedLog) else ExitCode.BAD_INPUT
        case OSError() if error.errno in _NO_ROOM:
            _trace_if_asked()
            where = f" {error.filename}" if error.filename else ""
            say(f"sabot: the system refused{where}: {error.strerror}; the output is incomplete")
            code = ExitCode.BAD_INPUT
        case _ if _is_of_installation(error):
            _trace_if_asked()
            what = printable(f"{type(error).__name__}: {error}"[:500])
            say(f"sabot: the installation is broken: {what}; install Sabot again")
            code = ExitCode.CRASH
        case _:
            _trace_if_asked()
            what = f"{type(error).__name__}: {error}"[:500]
            say(f"sabot: internal error: {what}")
            say("sabot: please report it, with the traceback that SABOT_TRACEBACK=1 shows")
            code = ExitCode.CRASH
    return code


def _of_option(error: typer.TyperException) -> str:
    """Return what to write instead of an option that does not exist. Empty if unknown."""
    name = str(getattr(error, "option_name", "")).removeprefix("--")
    context = getattr(error, "ctx", None)
    if context is None:
        return ""
    if name in _formats(context.command.params) - {ReportFormat.TABLE}:
        return f"there is no option --{name}; write --format {name}"
    if name != "shoe":
        return ""
    if any("SHOE" in (each.metavar or "") for each in context.command.params):
        return f"there is no option --shoe; write the shoe alone: {context.command_path} SHOE"
    return ""


def _formats(options: Iterable[Any]) -> set[str]:
    """Return the formats that a verb with these options offers."""
    return {
        str(choice)
        for option in options
        if "--format" in option.opts
        for choice in option.type_descriptor.annotation
    }


def _of_value(error: typer.TyperException) -> str:
    """Return Typer's message about a wrong value, in the words of Sabot."""
    said = error.format_message()
    for theirs, ours in _OF_LIBRARY.items():
        said = said.replace(theirs, ours, 1)
    return said


_OF_LIBRARY: Final = {
    ": Value error, ": ": ",
    "Input should be greater than or equal to": "give a number of at least",
    "Input should be less than or equal to": "give a number of at most",
    "Input should be a valid integer, unable to parse string as an integer": "give a whole number",
}
"""Words of the library that checks values, each with the words used here."""


def _of_verb(error: typer.TyperException) -> str:
    """Return the message about a verb that does not exist, with those that do."""
    context = getattr(error, "ctx", None)
    found = _NO_COMMAND.match(error.format_message())
    if context is None or found is None:
        return ""
    return str(not_among("verb", found[1], context.command.list_commands(context)))


def _is_of_installation(error: BaseException) -> bool:
    """Return whether a module, or a file of the program, is missing or broken."""
    if isinstance(error, OSError):
        place = str(error.filename or "")
        return any(place.startswith(f"{_PROGRAM / room}{os.sep}") for room in _ROOMS)
    return isinstance(error, ImportError)


def _leave_nothing_to_flush() -> None:
    """Flush standard output, or discard its buffer.

    Otherwise a failure at exit could change the exit code.
    """
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except (OSError, ValueError):
            _forget_stdout()


def _forget_stdout() -> None:
    """Redirect standard output to nowhere, so that the interpreter's last flush cannot fail."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _help_hint(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return "" if context is None else f"\nsee: {context.command_path} --help"


def _trace_if_asked() -> None:
    if os.environ.get("SABOT_TRACEBACK") == "1":
        say(traceback.format_exc().rstrip("\n"))


def _late_bar(stack: contextlib.ExitStack, what: str, total: int | None) -> Callable[[int], None]:
    """Return a function that counts the work and draws a bar after the first second."""
    began = time.monotonic()
    done = 0
    draw: Callable[[int], None] | None = None

    def advance(more: int) -> None:
        nonlocal done, draw
        done += more
        if draw is None and time.monotonic() - began >= PROGRESS_AFTER_S:
            draw = _draw_bar(stack, what, total)
        if draw is not None:
            draw(done)

    return advance


def _draw_bar(stack: contextlib.ExitStack, what: str, total: int | None) -> Callable[[int], None]:
    from rich.console import Console  # noqa: PLC0415 - slow to import, and seldom needed
    from rich.progress import Progress  # noqa: PLC0415

    bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
    task = bar.add_task(printable(what), total=total)
    return lambda done: bar.update(task, completed=done)
