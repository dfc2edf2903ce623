"""``sabot odds``: what every wager is worth, from a whole shoe or from what is left of one."""

import re
from enum import StrEnum
from typing import Annotated

import typer

from sabot.cli.console import (
    Column,
    DatabaseOption,
    Format,
    FormatOption,
    OutputOption,
    emit,
    open_log,
    say,
)
from sabot.cli.verbs.odds_banque import equilibrium
from sabot.cli.verbs.odds_chemin import exact, optimal_play
from sabot.domain.odds.coup_odds import Composition, full_decks, of_values
from sabot.domain.odds.house_edge import WagerOdds, odds_table
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.rule_packs import packs_named

DEFAULT_DECKS = 8
MOST_DECKS = 100
"""No table deals as many: twelve are the most that a regulator knows."""


class Game(StrEnum):
    """The games whose odds can be told."""

    PUNTO_BANCO = "punto-banco"
    CHEMIN_DE_FER = "chemin-de-fer"
    BANQUE = "banque"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("odds")(odds)


def odds(  # noqa: PLR0913 - the options of the verb
    game: Annotated[
        Game,
        typer.Argument(
            metavar="GAME",
            help="punto-banco; chemin-de-fer: optimal play where both sides choose; banque: an "
            "equilibrium of the banker and both tableaux.",
        ),
    ] = Game.PUNTO_BANCO,
    *,
    decks: Annotated[
        str | None,
        typer.Option(
            "--decks",
            metavar="N",
            help=f"A whole shoe of N decks, 1 to {MOST_DECKS}.",
            show_default=str(DEFAULT_DECKS),
        ),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(
            "--values",
            metavar="N0,…,N9",
            help="What is left of a shoe: how many tens and faces, aces, twos, … nines. "
            "Pairs cannot be told by values alone, and have no edge then.",
        ),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            metavar="PACK",
            help="Only the wagers of this rule pack (a name, or a .toml file); may be repeated.",
        ),
    ] = None,
    shoe: Annotated[
        str | None,
        typer.Option("--shoe", metavar="SHOE", help="What nobody had seen of a shoe in the log."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="WHEN", help="With --shoe: as of an event (#12) or a time."),
    ] = None,
    coup: Annotated[
        int | None,
        typer.Option("--coup", min=1, help="With --shoe: before the first card of this coup."),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            metavar="N/D",
            help="For banque: the right tableau's share of what the banker plays for.",
            show_default="1/2",
        ),
    ] = None,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Compute the exact odds of the next coup, and the house edge of every wager.

    Every sequence of six cards is counted, in whole numbers, with the tableau that the audit
    uses. A row stands for each wager and pay table that a rule pack offers, commission taken
    off. The edge is the house's average win on what was staked, pushed stakes included. With
    --shoe: from the cards that nobody had seen, by the shoe's own rules; cards burned face down
    are among them.

    For chemin-de-fer: optimal play and its value to Player, exactly, by the chance of drawing in
    each position where the rules leave it free. With --decks both sides see their own two cards
    and no card comes back; by itself it is the game that Kemeny and Snell solved.

    For banque: plays of both tableaux and the banker of which none is improved by its own player
    alone, with the proof (regret: what each would gain by the best answer). With --decks no card
    comes back, and the banker goes by his own two cards. There may be other equilibria.
    """
    if split is not None and game is not Game.BANQUE:
        raise BadInput("--split is of banque, which two tableaux play; leave it away")
    if shoe is not None:
        if game is not Game.PUNTO_BANCO or decks is not None or values is not None or rules:
            raise BadInput("--shoe says what is left, and by which rules; leave the others away")
        _of_shoe(database, shoe, (at, coup), form, output)
        return
    if at is not None or coup is not None:
        raise BadInput("--at and --coup are moments of a shoe; name it with --shoe")
    if game is not Game.PUNTO_BANCO:
        if values is not None or rules:
            raise BadInput(f"{game} is told from whole shoes alone; give --decks, or nothing")
        number = None if decks is None else _decks(decks)
        if game is Game.BANQUE:
            equilibrium(number, split or "1/2", form, output)
        else:
            optimal_play(number, form, output)
        return
    if decks is not None and values is not None:
        raise BadInput("--decks and --values both say what is in the shoe; give one of them")
    if values is None:
        number = DEFAULT_DECKS if decks is None else _decks(decks)
        left, of_what = full_decks(number), f"{number} deck{'s' if number > 1 else ''}"
    else:
        counts = [_whole(text, "--values") for text in values.split(",")]
        left, of_what = of_values(counts), f"{sum(counts)} cards left"
    _show(left, of_what, packs_named(rules or ()), form, output)


def _of_shoe(
    database: str | None,
    name: str,
    when: tuple[str | None, int | None],
    form: Format | None,
    output: str,
) -> None:
    """Show the odds of what nobody had seen of a shoe at a moment."""
    from sabot.domain.events.points_in_time import parse_moment  # noqa: PLC0415 - slow, as what follows
    from sabot.domain.protection.detection.detection import GAME  # noqa: PLC0415
    from sabot.domain.protection.detection.remaining_cards import unseen_at  # noqa: PLC0415
    from sabot.infrastructure.audit_run import shoe_streams  # noqa: PLC0415

    at, coup = when
    if at is not None and coup is not None:
        raise BadInput("--at and --coup both name a moment; give one of them")
    with open_log(database, read_only=True) as log:
        (stream,) = shoe_streams(log, [name])
        history = log.read(stream)
    unseen = unseen_at(stream, history, None if at is None else parse_moment(at), coup)
    pack = unseen.shoe.pack
    if pack is None or pack.game != GAME:
        raise BadInput(f"the rules of shoe {name} are not of {GAME}, whose odds these are")
    if unseen.lacking:
        say(
            f"sabot: up to {unseen.lacking} cards that were seen are not in the record; they are "
            "taken as unseen"
        )
    left = sum(unseen.cards.values())
    of_what = f"{name}, {left} cards unseen of {52 * unseen.shoe.decks}"
    _show(unseen.cards, of_what, [pack], form, output)


def _show(
    left: Composition, of_what: str, packs: list[RulePack], form: Format | None, output: str
) -> None:
    counted = odds_table(left, packs)
    rows = [_row(wager) for wager in counted.wagers]
    if not rows:
        raise BadInput(
            "where people choose, a wager has no edge of its own; `sabot odds chemin-de-fer`"
        )
    if any(row["house_edge_exact"] is None for row in rows):
        say("sabot: pairs rest on ranks and suits, which are not known here: no edge for them")
    counts = {"banker": counted.banker, "player": counted.player, "tie": counted.tie}
    chances = [
        f"{name.capitalize()} {_percent(ways / counted.total)}" for name, ways in counts.items()
    ]
    emit(
        rows,
        COLUMNS,
        form,
        output,
        title=f"{of_what}: {', '.join(chances)}",
        document={
            "counts": counts | {"total": counted.total},
            "wagers": rows,
        },
    )


def _row(odds: WagerOdds) -> dict[str, object]:
    edge = odds.house_edge
    return {
        "wager": odds.wager,
        "pays": odds.pays,
        "house_edge": None if edge is None else float(edge),
        "house_edge_exact": None if edge is None else exact(edge),
        "rules": list(odds.rules),
    }


def _whole(text: str, option: str) -> int:
    """Read a whole number strictly: no sign but minus, no underscore, no foreign digits."""
    if not re.fullmatch(r"\s*-?[0-9]{1,15}\s*", text, flags=re.ASCII):
        shown = text if len(text) < 40 else text[:40] + "…"  # noqa: PLR2004
        raise BadInput(f"{option}: {shown!r} is not a whole number; write at most 15 digits")
    return int(text)


def _decks(text: str) -> int:
    number = _whole(text, "--decks")
    if not 1 <= number <= MOST_DECKS:
        raise BadInput(f"{number} decks make no shoe; give 1 to {MOST_DECKS}")
    return number


def _percent(share: object) -> str:
    return f"{100 * share:.4f} %" if isinstance(share, float) else "unknown"


def _names(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else ""


COLUMNS = (
    Column("wager"),
    Column("pays"),
    Column("house_edge", title="house edge", right=True, show=_percent),
    Column("house_edge_exact", in_table=False),
    Column("rules", title="rule packs", show=_names),
)
