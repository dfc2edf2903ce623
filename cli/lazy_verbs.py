"""Verbs whose modules are imported only when used, so that the program starts fast.

The list of verbs has the text that `sabot --help` shows for each: its group and its first sentence.
"""

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final

import typer
from msgspec import Struct
from typer.core import TyperCommand

from sabot.cli.console import Verbs
from sabot.cli.settings import file_options, shared_options

PACKAGE: Final = "sabot.cli"
_NAMES: Final = {
    "<bool>": None,
    "<int>": "N",
    "<int range>": "N",
    "<float>": "NUMBER",
    "<str>": "TEXT",
    "<path>": "FILE",
}
"""What to write for a type of Python; None for nothing."""


class Verb(Struct, frozen=True):
    """A verb: its name, the module that registers it, its help group and its summary.

    If ``of_period`` is set, it has the options of `sabot.cli.period_options`.
    """

    name: str
    module: str
    group: str
    summary: str
    of_period: bool = False


class LazyCommands(MutableMapping[str, Any]):
    """Commands by the names of verbs. Each is created on first access."""

    def __init__(self, verbs: Sequence[Verb]) -> None:
        self._verbs = {verb.name: verb for verb in verbs}
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - Typer's own type of commands
        if name not in self._built:
            app = typer.Typer()
            import_module(f"{PACKAGE}.{self._verbs[name].module}").register(app)
            for known, command in typer.main.get_group(app).commands.items():
                if known in self._verbs:
                    _join_lines(command)
                    if self._verbs[known].of_period:
                        module = import_module(f"{PACKAGE}.period_options")
                        command.params += _declared_by(module.period_options)
                    _share_options(command)
                    _name_values(command)
                    command.rich_help_panel = self._verbs[known].group  # type: ignore[attr-defined]
                    self._built[known] = command
        return self._built[name]

    def __setitem__(self, name: str, command: object) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._verbs[name]
        self._built.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._verbs)

    def __len__(self) -> int:
        return len(self._verbs)


def _share_options(command: Any) -> None:  # noqa: ANN401 - Typer's own type of commands
    """Add --wide and --zone to a verb that writes lists, and --force to one that writes files.

    The same is done to its subcommands.
    """
    options = {option for parameter in command.params for option in parameter.opts}
    if "--format" in options:
        command.params += _declared_by(shared_options)
    if options & {"--output", "--svg"}:
        command.params += _declared_by(file_options)
    for below in getattr(command, "commands", {}).values():
        _share_options(below)


def name_values(parameters: list[Any]) -> list[Any]:
    """Make parameters name their values in words, not types. Return them.

    An argument has its own name, and its help lists the choices. A flag has no value.
    """
    for each in parameters:
        if "display_type_rich" not in vars(each):
            each.display_type_rich = partial(_plain, each, each.display_type_rich)
    return parameters


def _plain(parameter: Any, named: Any, ctx: Any) -> str | None:  # noqa: ANN401 - Typer's own types
    if parameter.param_type_name == "argument":
        return None
    label: str | None = named(ctx=ctx)
    if label is not None and label.startswith("<list[") and "|" in label:
        return f"<{label[6:-2]}>"
    return _NAMES.get(str(label), label)


def _name_values(command: Any) -> None:  # noqa: ANN401 - Typer's own type of commands
    """Let the help of a verb and its subcommands name values by plain words."""
    parameters = command.get_params
    command.get_params = lambda ctx: name_values(parameters(ctx))
    for below in getattr(command, "commands", {}).values():
        _name_values(below)


def _declared_by(function: Callable[..., None]) -> list[Any]:
    """Return the options that a function declares."""
    app = typer.Typer(add_completion=False)
    app.command()(function)
    return list(typer.main.get_command(app).params)


def _join_lines(command: Any) -> None:  # noqa: ANN401 - Typer's own type of commands
    """Join the lines of each paragraph of a help text.

    Otherwise the lines would be wrapped a second time.
    """
    paragraphs = (command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(part.split("\n")) for part in paragraphs)
    for below in getattr(command, "commands", {}).values():
        _join_lines(below)


def lazy_group(verbs: Sequence[Verb]) -> type[Verbs]:
    """Return a group that imports only the verb that runs.

    It lists the verbs by their summaries.
    """
    shown = {
        verb.name: TyperCommand(verb.name, help=verb.summary, rich_help_panel=verb.group)
        for verb in verbs
    }

    class LazyVerbs(Verbs):
        """A group of verbs, each of which is loaded when it is used."""

        def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - as Typer declares them
            super().__init__(**settings)
            self.commands = LazyCommands(verbs)

        def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - as Typer declares it
            """Return the options, whose help names values by plain words."""
            return name_values(super().get_params(ctx))

        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - as Typer declares it
            """Return the names in the order of the help."""
            return list(shown)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002 - the same
            """Return a placeholder for a verb, for help and completion."""
            return shown.get(cmd_name)

        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:  # noqa: ANN401 - the same
            """Return the verb of a command line, with its arguments."""
            name, command, rest = super().resolve_command(ctx, args)
            return name, command if name is None else self.commands[name], rest

    return LazyVerbs
