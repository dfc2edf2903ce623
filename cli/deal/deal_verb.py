"""``sabot deal``: deal a new shoe at the terminal, or continue one."""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import typer

from sabot.cli.console import (
    DatabaseOption,
    DecksOption,
    ExitCode,
    PackOption,
    open_or_begin_log,
    printable,
    say,
)
from sabot.cli.deal.card_source import dice
from sabot.cli.deal.deal_table import DealTable
from sabot.cli.deal.parser import name
from sabot.cli.deal.session import DealSession, to_deal
from sabot.cli.limits import read_limits
from sabot.domain.events import Crew, Seat, ShoeLoaded
from sabot.domain.events.envelope import first_of
from sabot.domain.rules.rule_pack import pack_sha256, parse_pack
from sabot.domain.state.shoe import fold
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.audits.audit_run import SHOE_PREFIX
from sabot.infrastructure.log.append import utc_us
from sabot.infrastructure.rule_packs import pack_text

if TYPE_CHECKING:
    import random

    from sabot.infrastructure.log.event_log import EventLog


CARDS: Final = ("random", "typed")
DEFAULT_RULES: Final = "classic-8"


ShoeArgument = Annotated[
    str | None,
    typer.Argument(metavar="SHOE", help="Shoe to continue or to begin; default: a new name."),
]
TableOption = Annotated[str, typer.Option(metavar="TABLE", help="Name of the table.")]
DealerOption = Annotated[str, typer.Option(metavar="DEALER", help="Name of the dealer or caller.")]
SeatsOption = Annotated[
    list[str] | None,
    typer.Option("--seat", metavar="N=PATRON", help="Patron at a seat (repeatable)."),
]
LimitsOption = Annotated[
    str | None,
    typer.Option(metavar="MIN-MAX", help="Table limits in currency units, for example 25-5000."),
]
BankedOption = Annotated[
    str | None,
    typer.Option(
        metavar="PATRON",
        help="Patron who held the previous shoe last; the game continues with the next seat.",
    ),
]
CardsOption = Annotated[str, typer.Option(metavar="random|typed", help="Source of the cards.")]
SeedOption = Annotated[
    str | None,
    typer.Option(help="Any text, for teaching: the same seed deals the same cards."),
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("deal")(_deal)


def _deal(  # noqa: PLR0913, PLR0917 - a verb's options
    shoe: ShoeArgument = None,
    rules: PackOption = DEFAULT_RULES,
    decks: DecksOption = None,
    table: TableOption = "T1",
    dealer: DealerOption = "dealer",
    seats: SeatsOption = None,
    limits: LimitsOption = None,
    banked: BankedOption = None,
    cards: CardsOption = "random",
    seed: SeedOption = None,
    database: DatabaseOption = None,
) -> None:
    """Deal a shoe step by step at the terminal.

    Each entry is saved before the next prompt. The program shows what is due; press Enter to do
    it, or type `go` to deal until the next bets. An entry that the rule pack forbids is refused
    with the reason; `anyway …` records it nevertheless. `help` lists the commands. Cards come from
    a random shoe or are typed as they are dealt. Without a name, a shoe that is still open at the
    table is continued.
    """
    rng = _random_source(cards, seed)
    new = _NewShoe(rules, decks, table, dealer, limits, seats or (), banked)
    talk = DealSession()
    with open_or_begin_log(database) as log:
        still_open = _open_shoe(log, table)
        shoe = shoe or _to_continue(still_open, table, given=new.is_described)
        at_table = DealTable(
            log,
            f"shoe/{shoe or _free_name(log, table)}",
            device=f"deal/{secrets.token_hex(6)}",
            clock=utc_us,
            rng=rng,
            tell=talk.told,
            warn=say,
        )
        _begin(at_table, new, still_open, ask=talk.people)
        talk.converse(at_table)
    if talk.stumbled and not talk.people:
        raise typer.Exit(ExitCode.BAD_INPUT)


def _random_source(cards: str, seed: str | None) -> "random.Random | None":
    """Return the random source that shuffles the cards. None if they are typed."""
    if cards not in CARDS:
        raise BadInput(f"--cards {cards!r} is unknown; allowed: random, typed")
    if seed is not None and cards == "typed":
        raise BadInput("--seed cannot be combined with --cards typed")
    return dice(seed) if cards == "random" else None


class _NewShoe(NamedTuple):
    """The options that describe a new shoe."""

    rules: str
    decks: int | None
    table: str
    dealer: str
    limits: str | None
    seats: Sequence[str]
    banked: str | None

    @property
    def is_described(self) -> bool:
        """Return whether an option was given that applies only to a new shoe."""
        given = (self.rules != DEFAULT_RULES, self.decks, self.seats, self.limits, self.banked)
        return any(given)

    def loading(self) -> "ShoeLoaded":
        """Return the event that loads the shoe."""
        text = pack_text(self.rules)
        pack = parse_pack(text)
        post: Literal["caller", "dealer"] = "caller" if "caller" in pack.table.posts else "dealer"
        limits = self.limits
        return ShoeLoaded(
            pack.cards.usual_decks if self.decks is None else self.decks,
            text,
            pack_sha256(text),
            table=name(self.table),
            limits=() if limits is None else (read_limits(limits, pack.money.minor_units),),
            crew=(Crew(post, name(self.dealer)),),
            seats=tuple(map(_seat, self.seats)),
            banked=None if self.banked is None else name(self.banked),
        )


def _seat(text: str) -> Seat:
    """Read a seat and its patron: ``3=anna``."""
    number, equals, patron = text.partition("=")
    if not equals or not patron or not number.isdigit() or int(number[:9]) < 1:
        raise BadInput(f"--seat {text!r} is not N=PATRON; write for example 3=anna")
    return Seat(int(number[:9]), name(patron))


def _open_shoe(log: "EventLog", table: str) -> str | None:
    """Return the name of the last shoe of a table, if it was dealt here and has not ended.

    A shoe of imported coups has no recorded end, so it is not open.
    """
    for info in sorted(log.streams(SHOE_PREFIX), key=lambda each: each.first_index, reverse=True):
        loaded = first_of(ShoeLoaded, log.read(info.stream, until=1))
        if loaded is not None and loaded.payload.table == table:
            shoe = fold(info.stream, log.read(info.stream))
            return None if shoe.ended or shoe.coverage != "whole" or not shoe.pack else shoe.name
    return None


def _to_continue(still_open: str | None, table: str, *, given: bool) -> str | None:
    """Return the shoe to continue if none is named.

    ``given`` is whether options for a new shoe were given.

    Raises:
        BadInput: a new shoe is wanted while another is open.
    """
    if still_open is not None and given:
        raise BadInput(
            f"shoe {still_open} is still open at table {table}: continue it with "
            f"`{to_deal(still_open)}`, or name the new shoe: `sabot deal NAME …`"
        )
    if still_open is not None:
        open_one = printable(f"shoe {still_open} is still open at table {table}")
        say(f"{open_one}; to begin another, name it")
    return still_open


def _check_second(shoe: str, still_open: str, table: str, *, ask: bool) -> None:
    """Ask whether to open a second shoe at a table. Refuse it without a terminal.

    Raises:
        BadInput: no second shoe is to be opened.
    """
    question = f"shoe {still_open} is still open at table {table}; open shoe {shoe} too?"
    if ask and typer.confirm(printable(question), err=True):
        return
    raise BadInput(
        f"shoe {still_open} is still open at table {table}, so shoe {shoe} was not opened: "
        f"continue with `{to_deal(still_open)}`, or end it with "
        f"`echo anyway end withdrawn | {to_deal(still_open)}`"
    )


def _free_name(log: "EventLog", table: str) -> str:
    """Return the next unused shoe name for a table today."""
    stem = f"{table}-{datetime.now(UTC):%Y%m%d}-"
    taken = {info.stream for info in log.streams(f"shoe/{stem}")}
    number = 1
    while f"shoe/{stem}{number}" in taken:
        number += 1
    return f"{stem}{number}"


def _begin(table: "DealTable", new: _NewShoe, still_open: str | None, *, ask: bool) -> None:
    """Load the shoe, or continue it from the log.

    ``still_open`` is the shoe at the table that has not ended, if there is one. ``ask`` is whether
    a person can be asked about it.
    """
    if table.shoe.version:
        _go_on(table)
        return
    loading = new.loading()
    if still_open is not None:
        _check_second(table.shoe.name, still_open, new.table, ask=ask)
    table.record([loading])


def _go_on(table: "DealTable") -> None:
    """Continue a shoe that is already in the log."""
    shoe = table.shoe
    if shoe.ended is not None:
        raise BadInput(f"shoe {shoe.name} has ended; choose another name")
    if shoe.loaded is None or shoe.pack is None:
        raise BadInput(f"shoe {shoe.name} cannot be dealt: {shoe.pack_fault or 'not loaded'}")
    say(f"continuing shoe {shoe.name} ({shoe.version} events) under its rule pack {shoe.pack.name}")
    table.resume()
