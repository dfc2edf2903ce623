"""``sabot simulate``: whole shoes with simulated patrons, for load tests, teaching and tests."""

import secrets
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from sabot.cli.console import (
    Column,
    DatabaseOption,
    DecksOption,
    Format,
    FormatOption,
    PackOption,
    emit,
    open_or_begin_log,
    open_output,
    progress,
    say,
)
from sabot.cli.limits import read_limits
from sabot.cli.settings import ZONE
from sabot.cli.text.words import counted
from sabot.domain.events import MAX_INT
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.points_in_time import Time, parse_moment
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import EVERYBODY, HABITS, Session, deal_shoes, parse_lineup
from sabot.domain.simulation.card_room import with_its_cards
from sabot.domain.values.errors import BadInput, ContentConflict
from sabot.infrastructure.exports.record_lines import record_line
from sabot.infrastructure.rule_packs import pack_text

if TYPE_CHECKING:
    from sabot.domain.rules.rule_pack import RulePack
    from sabot.domain.simulation.patrons.options import Option


START = "2026-01-01T20:00:00Z"
PATRONS = "flat:2,trend,martingale,tie-lover,side-bettor"
_LONGEST_NAME = 60


ShoesOption = Annotated[int, typer.Option(min=1, max=10_000_000, help="Number of shoes.")]
PatronsOption = Annotated[
    str,
    typer.Option(
        metavar="LINEUP",
        help="Patrons, separated by commas: HABIT:NUMBER:OPTION=VALUE, the number and options if "
        "needed; for example flat:3,edge-sorter. --habits lists the habits. unit and bankroll are "
        "in minor units: unit=2500 is 25.00 where the currency has two decimals.",
        show_default="flat:2, and one each of trend, martingale, tie-lover, side-bettor",
    ),
]
SeedOption = Annotated[
    str | None,
    typer.Option(help="Any text; the same seed gives the same output. Default: random."),
]
TableOption = Annotated[
    str, typer.Option(metavar="TABLE", help="Name of the table; shoe names begin with it.")
]
StartOption = Annotated[
    str, typer.Option(metavar="TIME", help="Time when the first shoe is loaded.")
]
LimitsOption = Annotated[
    str,
    typer.Option(metavar="MIN-MAX", help="Table limits in currency units, for example 25-5000."),
]
DealersOption = Annotated[
    str,
    typer.Option(
        metavar="NAMES",
        help="Dealers, separated by commas, who take turns of 20 coups: anna,ben.",
    ),
]
OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write record lines to this file (- is standard output) instead of a log.",
    ),
]
HabitsOption = Annotated[bool, typer.Option("--habits", help="List the habits and their options.")]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("simulate")(_simulate)


def _simulate(  # noqa: PLR0913, PLR0917 - a verb's options
    shoes: ShoesOption = 1,
    rules: PackOption = "classic-8",
    decks: DecksOption = None,
    patrons: PatronsOption = PATRONS,
    seed: SeedOption = None,
    table: TableOption = "SIM",
    start: StartOption = START,
    limits: LimitsOption = "25-5000",
    dealers: DealersOption = "",
    output: OutputOption = None,
    habits: HabitsOption = False,
    database: DatabaseOption = None,
    form: FormatOption = None,
) -> None:
    """Deal shoes with simulated patrons.

    The shoes follow the rule pack, at about 72 coups an hour on the table's clock. The card order
    of each shoe is committed (SHA-256) before its first card and revealed after its end.

    Patrons play honestly or cheat. What they do is recorded as events: bets, requests, turned
    card backs, repeated card orders, late changes, wrong payments. Use it to test `sabot detect`
    and `sabot audit` on data whose faults you know.

    Examples, each with honest patrons and a cheat:

    sabot simulate --patrons flat:3,edge-sorter:accuracy=0.9:camouflage=0.25

    sabot simulate --shoes 3 --patrons flat:2,spotter,edge-sorter:2:silent=1:relay=1:values=789

    sabot simulate --shoes 4 --patrons trend:2,slug-tracker:cards=80:spread=5

    sabot simulate --shoes 4 --dealers anna,ben --patrons flat:3,friend:share=0.2:dealer=ben

    accuracy: how often the cheat is right. camouflage: share of coups bet at random. works: share
    of blocks of ten coups in which the patron cheats. spread: stake multiple when the card is
    known. relay=1: a group takes turns. --habits names the tests that can detect each habit.
    """
    if habits:
        _list_habits(form)
        return
    dice = secrets.token_hex(16) if seed is None else seed
    session = _session(rules, decks, patrons, dice, table, start, limits, dealers)
    if output is not None:
        _write(session, shoes, output)
    else:
        _record(session, shoes, database)
    if seed is None:
        say(f"to repeat this run: --seed {dice}")


def _session(  # noqa: PLR0913, PLR0917 - what the verb was given
    rules: str,
    decks: int | None,
    patrons: str,
    seed: str,
    table: str,
    start: str,
    limits: str,
    dealers: str,
) -> "Session":
    text = pack_text(rules)
    pack = parse_pack(text)
    if not table.isprintable() or not 1 <= len(table) <= _LONGEST_NAME:
        raise BadInput("a table's name has 1 to 60 printable characters")
    return Session(
        pack=text,
        decks=_decks(pack, decks),
        table=table,
        patrons=parse_lineup(patrons, pack.table.seats),
        start_us=_start(start),
        seed=seed,
        limits=(read_limits(limits, pack.money.minor_units),),
        dealers=_names(dealers),
    )


def _start(text: str) -> int:
    """Return the time when the first shoe is loaded, in microseconds since 1970 (UTC).

    A time without a zone is in the chosen zone, UTC by default.
    """
    try:
        moment = parse_moment(text, zone=ZONE.get())
    except BadInput:
        moment = None
    if not isinstance(moment, Time):
        raise BadInput(
            f"{text[:40]!r} is not a time; write for example 2026-01-01T20:00:00Z",
            "--start",
        )
    if not 0 <= moment.us <= MAX_INT:
        raise BadInput(f"{text[:40]!r} is out of range; times run from 1970 to 2254", "--start")
    return moment.us


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    if any(not name.isprintable() or not 1 <= len(name) <= _LONGEST_NAME for name in names):
        raise BadInput(
            f"--dealers takes names separated by commas, for example anna,ben; got {text!r}"
        )
    return names


def _decks(pack: "RulePack", wanted: int | None) -> int:
    """Return the number of decks: as requested, else eight if the pack allows them."""
    allowed = pack.cards.decks
    if wanted is None:
        return pack.cards.usual_decks
    if wanted not in allowed:
        names = ", ".join(map(str, allowed))
        raise BadInput(
            f"--decks {wanted} is not allowed by rule pack {pack.name}; allowed: {names}"
        )
    return wanted


def _shoes(session: "Session", shoes: int) -> Iterator[list[NewEvent]]:
    yield from map(with_its_cards, deal_shoes(session, shoes))


def _write(session: "Session", shoes: int, output: str) -> None:
    with open_output(output, (".jsonl",)) as stream, progress("dealing shoes", shoes) as advance:
        for drafts in _shoes(session, shoes):
            stream.write(b"".join(map(record_line, drafts)).decode())
            advance(1)


def _record(session: "Session", shoes: int, database: str | None) -> None:
    payloads = new = 0
    with open_or_begin_log(database) as log, progress("dealing shoes", shoes) as advance:
        for drafts in _shoes(session, shoes):
            try:
                receipts = log.append(drafts)
            except ContentConflict as error:
                name = drafts[0].stream.removeprefix("shoe/")
                raise ContentConflict(
                    f"the log has a different shoe {name}; choose another --table or --start"
                ) from error
            payloads += len(receipts)
            new += sum(1 for receipt in receipts if not receipt.known)
            advance(1)
    known = f", {payloads - new} of them already in the log" if payloads != new else ""
    say(f"{counted(shoes, 'shoe')}, {counted(payloads, 'event')}{known}")


def _list_habits(form: Format | None) -> None:
    rows = [_row(kind.name, kind.what, kind.options, kind.seen_by) for kind in HABITS.values()]
    rows.append(_row("(any)", "options of every habit", EVERYBODY, ()))
    meanings = {
        (option.name, option.what): None
        for options in (EVERYBODY, *(kind.options for kind in HABITS.values()))
        for option in options
    }
    rows += [_row(f"{name}=", what, (), ()) for name, what in meanings]
    columns = (
        Column("habit", style="bold"),
        Column("what", wraps=True),
        Column("options", wraps=True, rank=1),
        Column("seen_by", name="detected_by", wraps=True, rank=2),
    )
    emit(rows, columns, form)


def _row(
    habit: str, what: str, options: Iterable["Option"], seen_by: Iterable[str]
) -> dict[str, str]:
    return {
        "habit": habit,
        "what": what,
        "options": " ".join(
            f"{option.name}={'' if option.default is None else option.default}"
            for option in options
        ),
        "seen_by": "; ".join(seen_by),
    }
