"""``sabot odds``: the house edge of every wager, for a full shoe or for the cards left."""

import re
from enum import StrEnum
from fractions import Fraction
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
from sabot.cli.text.words import wager_shown
from sabot.cli.verbs.freshness import only_checked, recorded_moment
from sabot.cli.verbs.odds_banque import equilibrium
from sabot.cli.verbs.odds_chemin import exact, optimal_play
from sabot.domain.odds.coup_odds import Composition, full_decks, of_values
from sabot.domain.odds.house_edge import WagerOdds, odds_table
from sabot.domain.protection.detection.detection import GAME
from sabot.domain.protection.detection.remaining_cards import unseen_at
from sabot.domain.rules.labels import condition_label, odds_label
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.values.errors import BadInput, shortened
from sabot.infrastructure.audits.audit_run import shoe_streams
from sabot.infrastructure.rule_packs import packs_named

DEFAULT_DECKS = 8
MOST_DECKS = 100
"""The maximum number of decks; regulations allow twelve at most."""


class Game(StrEnum):
    """The games whose odds are available."""

    PUNTO_BANCO = "punto-banco"
    CHEMIN_DE_FER = "chemin-de-fer"
    BANQUE = "banque"


GameArgument = Annotated[
    Game,
    typer.Argument(
        metavar="GAME",
        help="punto-banco; chemin-de-fer: optimal play of both sides; banque: an equilibrium "
        "of the banker and both tableaux.",
    ),
]
DecksOption = Annotated[
    str | None,
    typer.Option(
        "--decks",
        metavar="N",
        help=f"A full shoe of N decks, 1 to {MOST_DECKS}.",
        show_default=str(DEFAULT_DECKS),
    ),
]
ValuesOption = Annotated[
    str | None,
    typer.Option(
        "--values",
        metavar="N0,…,N9",
        help="Cards left in the shoe: number of tens and faces, aces, twos, … nines. "
        "Pair wagers have no edge then, since they depend on ranks and suits.",
    ),
]
RulesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rules",
        metavar="PACK",
        help="Only the wagers of this rule pack: a name or a .toml file (repeatable).",
    ),
]
ShoeOption = Annotated[
    str | None,
    typer.Option("--shoe", metavar="SHOE", help="Use the unseen cards of this shoe."),
]
AtOption = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="WHEN", help="With --shoe: as of this event (149 or #149) or time."
    ),
]
CoupOption = Annotated[
    int | None,
    typer.Option("--coup", min=1, help="With --shoe: before the first card of this coup."),
]
SplitOption = Annotated[
    str | None,
    typer.Option(
        "--split",
        metavar="N/D",
        help="For banque: the right tableau's share of the stakes.",
        show_default="1/2",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("odds")(odds)


def odds(  # noqa: PLR0913 - the options of the verb
    game: GameArgument = Game.PUNTO_BANCO,
    *,
    decks: DecksOption = None,
    values: ValuesOption = None,
    rules: RulesOption = None,
    shoe: ShoeOption = None,
    at: AtOption = None,
    coup: CoupOption = None,
    split: SplitOption = None,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Compute exact odds and the house edge of every wager.

    Every sequence of six cards is counted in whole numbers, with the third-card table that the
    audit uses. There is a row for each wager and pay table of a rule pack, net of commission. The
    edge is the house's average win per amount staked; pushed stakes count as staked. With --shoe
    the cards are those not yet seen, including cards burned face down, and the rules are the
    shoe's own.

    chemin-de-fer: exact optimal play and its value to Player: the chance of drawing in each
    position where the rules leave a choice. With --decks both sides see their own two cards and
    cards are not replaced. Without it, the game is that of Kemeny and Snell.

    banque: a Nash equilibrium of both tableaux and the banker, with the regret of each (what the
    best reply would gain). With --decks cards are not replaced and the banker sees their own two
    cards. There may be other equilibria.
    """
    _check_together(
        game, decks=decks, values=values, rules=rules, shoe=shoe, at=at, coup=coup, split=split
    )
    if shoe is not None:
        _of_shoe(database, shoe, (at, coup), form, output)
    elif game is not Game.PUNTO_BANCO:
        _solve(game, _decks(decks), split, form, output)
    else:
        left, of_what = _cards_left(decks, values)
        _show(left, of_what, packs_named(rules or ()), form, output)


def _check_together(game: Game, **options: object) -> None:
    """Refuse a game and options that cannot be combined."""
    given = {name for name, value in options.items() if value not in (None, [])}
    if "split" in given and game is not Game.BANQUE:
        raise BadInput("--split applies to banque only")
    if "shoe" in given:
        if game is not Game.PUNTO_BANCO or given & {"decks", "values", "rules"}:
            raise BadInput("--shoe cannot be combined with GAME, --decks, --values or --rules")
    elif given & {"at", "coup"}:
        raise BadInput("--at and --coup need --shoe SHOE")
    elif game is not Game.PUNTO_BANCO and given & {"values", "rules"}:
        raise BadInput(f"{game} takes --decks only; --values and --rules apply to punto-banco")


def _solve(
    game: Game, decks: int | None, split: str | None, form: Format | None, output: str
) -> None:
    """Show optimal play of a game with choices."""
    if game is Game.BANQUE:
        equilibrium(decks, split or "1/2", form, output)
    else:
        optimal_play(decks, form, output)


def _cards_left(decks: str | None, values: str | None) -> tuple[Composition, str]:
    """Return the cards that --decks or --values gives, and their name in the title."""
    if decks is not None and values is not None:
        raise BadInput("--decks and --values cannot be combined")
    if values is None:
        number = _decks(decks) or DEFAULT_DECKS
        return full_decks(number), f"{number} deck{'s' if number > 1 else ''}"
    counts = [_whole(text, "--values") for text in values.split(",")]
    return of_values(counts), f"{sum(counts)} cards left"


def _of_shoe(
    database: str | None,
    name: str,
    when: tuple[str | None, int | None],
    form: Format | None,
    output: str,
) -> None:
    """Show the odds of the unseen cards of a shoe at a moment."""
    at, coup = when
    if at is not None and coup is not None:
        raise BadInput("--at and --coup cannot be combined")
    with open_log(database, read_only=True) as log:
        (stream,) = shoe_streams(log, [name])
        history = log.read(stream)
        moment = recorded_moment(log, at, f"shoe/{name}")
    only_checked(f"shoe {name}")
    unseen = unseen_at(stream, history, moment, coup)
    pack = unseen.shoe.pack
    if pack is None or pack.game != GAME:
        raise BadInput(f"shoe {name} is not {GAME}; --shoe works with {GAME} only")
    if unseen.lacking:
        say(f"sabot: up to {unseen.lacking} seen cards are not recorded; they count as unseen")
    left = sum(unseen.cards.values())
    of_what = f"{name}, {left} cards unseen of {52 * unseen.shoe.decks}"
    _show(unseen.cards, of_what, [pack], form, output)


def _show(
    left: Composition, of_what: str, packs: list[RulePack], form: Format | None, output: str
) -> None:
    counted = odds_table(left, packs)
    rows = [_row(wager) for wager in counted.wagers]
    if not rows:
        raise BadInput("no house edge where draws are optional; use: sabot odds chemin-de-fer")
    if any(row["house_edge_exact"] is None for row in rows):
        say("sabot: no edge for pair wagers: they depend on ranks and suits, which --values lacks")
    counts = {"banker": counted.banker, "player": counted.player, "tie": counted.tie}
    chances = [
        f"{name.capitalize()} {_percent(ways / counted.total)}" for name, ways in counts.items()
    ]
    probabilities = {name: float(Fraction(ways, counted.total)) for name, ways in counts.items()}
    emit(
        [
            {**row, **{f"{name}_probability": p for name, p in probabilities.items()}}
            for row in rows
        ],
        COLUMNS,
        form,
        output,
        title=f"{of_what}: {', '.join(chances)}",
        document={
            "counts": counts | {"total": counted.total},
            "probabilities": probabilities,
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
    """Return a whole number, read strictly.

    Only a minus sign and ASCII digits are allowed, and no underscore.
    """
    if not re.fullmatch(r"\s*-?[0-9]{1,15}\s*", text, flags=re.ASCII):
        raise BadInput(f"{option}: {shortened(text)!r} is not a whole number of at most 15 digits")
    return int(text)


def _decks(text: str | None) -> int | None:
    """Return the given number of decks, or None."""
    if text is None:
        return None
    number = _whole(text, "--decks")
    if not 1 <= number <= MOST_DECKS:
        raise BadInput(f"--decks {number} is out of range; give 1 to {MOST_DECKS}")
    return number


def _percent(share: object) -> str:
    return f"{100 * share:.4f} %" if isinstance(share, float) else "unknown"


def _pays(pays: object) -> str:
    """Return a pay table in words, one line for each of its results."""
    return "\n".join(map(_pay, str(pays).split(", ")))


def _pay(line: str) -> str:
    pays, _, on = line.partition(" ")
    result = condition_label(on)
    return f"{result[0].upper()}{result[1:]}: {odds_label(pays)}" if on else odds_label(pays)


def _names(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else ""


COLUMNS = (
    Column("wager", show=wager_shown),
    Column("pays", items=True, show=_pays, rank=1),
    Column("house_edge", right=True, show=_percent, rank=-1),
    Column("house_edge_exact", in_table=False),
    Column("rules", name="rule_packs", show=_names, wraps=True, rank=2),
    *(Column(f"{each}_probability", in_table=False) for each in ("player", "banker", "tie")),
)
