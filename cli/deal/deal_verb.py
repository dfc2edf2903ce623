"""The verb ``deal``: how a shoe is begun or gone on with, and the conversation at the table."""

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from sabot.cli.console import DatabaseOption, ExitCode, open_log, say
from sabot.domain.values.errors import BadInput

if TYPE_CHECKING:
    from sabot.cli.deal.deal_table import DealTable
    from sabot.domain.events import Limit, ShoeLoaded
    from sabot.infrastructure.log.event_log import EventLog


CARDS: Final = ("random", "typed")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("deal")(_deal)


def _deal(  # noqa: PLR0913, PLR0917 - a verb's options
    shoe: Annotated[
        str | None,
        typer.Argument(metavar="[SHOE]", help="Go on with this shoe, or begin one of that name."),
    ] = None,
    rules: Annotated[
        str, typer.Option(metavar="PACK", help="A shipped rule pack, or a .toml file.")
    ] = "classic-8",
    decks: Annotated[
        int | None, typer.Option(help="How many decks, where the pack allows several.")
    ] = None,
    table: Annotated[str, typer.Option(help="The table's name.")] = "T1",
    dealer: Annotated[str, typer.Option(help="Who deals, or calls.")] = "dealer",
    seats: Annotated[
        list[str] | None,
        typer.Option("--seat", metavar="N=PATRON", help="Who sits where; repeat for each."),
    ] = None,
    limits: Annotated[
        str | None, typer.Option(metavar="MIN-MAX", help="The table's limits, as 25-5000.")
    ] = None,
    banked: Annotated[
        str | None,
        typer.Option(
            metavar="PATRON",
            help="Who held the shoe before last: the game goes on beside him.",
        ),
    ] = None,
    cards: Annotated[
        str, typer.Option(metavar="random|typed", help="Where the cards come from.")
    ] = "random",
    seed: Annotated[
        str | None,
        typer.Option(help="Dice for teaching: the same seed deals the same cards."),
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Deal a shoe at the terminal: say what happens, and it is an event before the prompt returns.

    The program says what is due, as a caller would; press Enter to do it, or say `go` to deal
    on to the next bets. What the rule pack forbids is refused with the reason: `anyway …`
    records that it happened all the same. `help` lists the words. Cards come from a random
    shoe, or are typed as they lie on the felt.
    """
    from sabot.cli.deal.card_source import dice  # noqa: PLC0415 - not for --help
    from sabot.cli.deal.deal_table import DealTable  # noqa: PLC0415
    from sabot.cli.deal.session import DealSession  # noqa: PLC0415
    from sabot.infrastructure.log.append import utc_us  # noqa: PLC0415 - with the driver

    if cards not in CARDS:
        raise BadInput(f"--cards is random or typed, not {cards!r}")
    if seed is not None and cards == "typed":
        raise BadInput("--seed deals random cards; leave it out where cards are typed")
    with open_log(database) as log:
        stream = f"shoe/{shoe or _free_name(log, table)}"
        loading = (
            None
            if log.version(stream)
            else _loading(rules, decks, table, dealer, limits, seats, banked)
        )
        talk = DealSession()
        at_table = DealTable(
            log,
            stream,
            device=f"deal/{secrets.token_hex(6)}",
            clock=utc_us,
            rng=dice(seed) if cards == "random" else None,
            tell=talk.told,
            warn=say,
        )
        if loading is not None:
            at_table.record([loading])
        else:
            _go_on(at_table)
        talk.converse(at_table)
    if talk.stumbled and not talk.people:
        raise typer.Exit(ExitCode.BAD_INPUT)


def _free_name(log: "EventLog", table: str) -> str:
    """Return the next name of a shoe at a table today; the day is UTC's."""
    stem = f"{table}-{datetime.now(UTC):%Y%m%d}-"
    taken = {info.stream for info in log.streams(f"shoe/{stem}")}
    number = 1
    while f"shoe/{stem}{number}" in taken:
        number += 1
    return f"{stem}{number}"


def _loading(  # noqa: PLR0913, PLR0917 - what the verb was given
    rules: str,
    decks: int | None,
    table: str,
    dealer: str,
    limits: str | None,
    seats: list[str] | None,
    banked: str | None,
) -> "ShoeLoaded":
    from sabot.cli.deal.parser import name  # noqa: PLC0415
    from sabot.domain.events import Crew, Seat, ShoeLoaded  # noqa: PLC0415
    from sabot.domain.rules.rule_pack import pack_sha256, parse_pack  # noqa: PLC0415
    from sabot.infrastructure.rule_packs import pack_text  # noqa: PLC0415

    text = pack_text(rules)
    pack = parse_pack(text)
    allowed = pack.cards.decks
    sitting = []
    for seat in seats or ():
        number, equals, patron = seat.partition("=")
        if not equals or not patron or not number.isdigit() or int(number[:9]) < 1:
            raise BadInput(f"--seat is N=PATRON, as 3=anna, not {seat!r}")
        sitting.append(Seat(int(number[:9]), name(patron)))
    post: Literal["caller", "dealer"] = "caller" if "caller" in pack.table.posts else "dealer"
    return ShoeLoaded(
        decks if decks is not None else 8 if 8 in allowed else allowed[-1],  # noqa: PLR2004
        text,
        pack_sha256(text),
        table=name(table),
        limits=() if limits is None else (_limit(limits, pack.money.minor_units),),
        crew=(Crew(post, name(dealer)),),
        seats=tuple(sitting),
        banked=None if banked is None else name(banked),
    )


def _limit(text: str, minor_units: int) -> "Limit":
    from sabot.cli.deal.parser import amount_of  # noqa: PLC0415
    from sabot.domain.events import MAX_INT, Limit  # noqa: PLC0415

    least, dash, most = text.partition("-")
    if not dash:
        raise BadInput(f"--limits is MIN-MAX, as 25-5000, or 25- without a maximum, not {text!r}")
    highest = amount_of(most, minor_units) if most else MAX_INT
    return Limit(amount_of(least, minor_units), highest)


def _go_on(table: "DealTable") -> None:
    """Go on with a shoe that is in the log."""
    shoe = table.shoe
    if shoe.ended is not None:
        raise BadInput(f"the shoe {shoe.name} has ended; give another name")
    if shoe.loaded is None or shoe.pack is None:
        raise BadInput(f"the shoe {shoe.name} cannot be dealt: {shoe.pack_fault or 'not loaded'}")
    say(
        f"going on with shoe {shoe.name}, {shoe.version} events, by its own rules: {shoe.pack.name}"
    )
    table.resume()
