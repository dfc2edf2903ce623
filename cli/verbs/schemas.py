"""``sabot schemas``: the JSON schemas of input and output."""

from importlib.resources import files
from typing import Annotated, Final

import msgspec
import typer

from sabot.cli.console import Column, FormatOption, OutputOption, emit, open_output
from sabot.domain.values.suggestions import not_among

_SUFFIX: Final = ".schema.json"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("schemas")(_schemas)


class _Titled(msgspec.Struct):
    title: str


def _schemas(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Schema to print: that of a verb.")
    ] = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the JSON schemas of the outputs, or print one.

    They are JSON Schema, draft 2020-12. `coup-line` and `record-line` are input. New keys may be
    added to an output; existing keys keep their meaning.
    """
    known = _known()
    if name is None:
        rows = [
            {"schema": each, "title": schema.title}
            for each, text in known.items()
            for schema in [msgspec.json.decode(text, type=_Titled)]
        ]
        columns = [Column("schema", style="bold"), Column("title", wraps=True)]
        emit(rows, columns, form, output)
        return
    if name not in known:
        raise not_among("schema", name, list(known))
    with open_output(output, (".json",)) as stream:
        stream.write(known[name])


def _known() -> dict[str, str]:
    """Return the schemas by name."""
    folder = files("sabot.infrastructure") / "schemas"
    found = sorted(each.name for each in folder.iterdir() if each.name.endswith(_SUFFIX))
    return {name.removesuffix(_SUFFIX): (folder / name).read_text("utf-8") for name in found}
