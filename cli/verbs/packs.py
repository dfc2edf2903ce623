"""``sabot packs``: the rule packs that ship, the text of one, and the keys of them all."""

from typing import Annotated

import typer
from msgspec import to_builtins

from sabot.cli.console import Column, FormatOption, OutputOption, emit, open_output
from sabot.domain.values.errors import BadInput


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("packs")(_packs)


def _packs(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[PACK]", help="A pack's name, or a .toml file: print its text."),
    ] = None,
    keys: Annotated[
        bool, typer.Option("--keys", help="List every key of a rule pack and what it means.")
    ] = False,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the rule packs that ship, or print one whole, to start a pack of your own from."""
    if keys:
        if name is not None:
            raise BadInput("--keys lists the keys of every pack; leave the pack's name out")
        _list_keys(form, output)
        return
    from sabot.infrastructure.rule_packs import pack_text, shipped  # noqa: PLC0415 - reads the packs

    if name is not None:
        with open_output(output) as stream:
            stream.write(pack_text(name))
        return
    from sabot.domain.rules.rule_pack import pack_sha256, parse_pack  # noqa: PLC0415

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
        Column("title"),
        Column("decks"),
        Column("wagers"),
        Column("recalled", in_table=False),
        Column("version", in_table=False),
        Column("sha256", in_table=False),
    ]
    emit(rows, columns, form, output)


def _list_keys(form: FormatOption, output: OutputOption) -> None:
    from sabot.domain.rules.pack_keys import pack_keys  # noqa: PLC0415 - reads the types of packs

    columns = [
        Column("key", style="bold"),
        Column("description"),
        Column("values"),
        Column("default"),
    ]
    emit([to_builtins(key) for key in pack_keys()], columns, form, output)
