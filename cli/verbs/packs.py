"""``sabot packs``: the included rule packs, the text of one, and their keys."""

from typing import Annotated

import typer
from msgspec import to_builtins

from sabot.cli.console import (
    Column,
    Format,
    FormatOption,
    OutputOption,
    emit,
    open_output,
)
from sabot.domain.rules.pack_keys import pack_keys
from sabot.domain.rules.rule_pack import pack_sha256, parse_pack
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.rule_packs import pack_text, shipped


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("packs")(_packs)


def _packs(
    name: Annotated[
        str | None,
        typer.Argument(metavar="PACK", help="Rule pack to print: a name or a .toml file."),
    ] = None,
    keys: Annotated[
        bool, typer.Option("--keys", help="List every key of a rule pack and what it means.")
    ] = False,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the rule packs, or print one.

    A printed pack is a starting point for your own; --keys explains every key.
    """
    if keys:
        if name is not None:
            raise BadInput("--keys cannot be combined with PACK: it lists the keys of all packs")
        _list_keys(form, output)
        return
    if name is not None:
        with open_output(output, (".toml",)) as stream:
            stream.write(pack_text(name))
        return
    _list_packs(form, output)


def _list_packs(form: Format | None, output: str) -> None:
    rows = []
    for text in shipped().values():
        pack = parse_pack(text)
        rows.append(
            {
                "pack": pack.name,
                "version": pack.version,
                "title": pack.title,
                "decks": ", ".join(map(str, pack.cards.decks)),
                "wagers": ", ".join(wager.name for wager in pack.wagers),
                "recalled": "; ".join(pack.recalled),
                "sha256": pack_sha256(text),
            }
        )
    columns = [
        Column("pack", style="bold"),
        Column("title", wraps=True),
        Column("decks", wraps=True, rank=1),
        Column("wagers", wraps=True, rank=2),
        Column("recalled", in_table=False),
        Column("version", in_table=False),
        Column("sha256", in_table=False),
    ]
    emit(rows, columns, form, output)


def _list_keys(form: FormatOption, output: OutputOption) -> None:
    columns = [
        Column("key", style="bold"),
        Column("description", wraps=True),
        Column("values", wraps=True, rank=1),
        Column("default", wraps=True),
    ]
    emit([to_builtins(key) for key in pack_keys()], columns, form, output)
