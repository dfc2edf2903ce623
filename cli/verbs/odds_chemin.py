"""``sabot odds chemin-de-fer``: optimal play where both sides choose."""

from fractions import Fraction
from typing import Final

from sabot.cli.console import Column, Format, emit
from sabot.domain.odds.optimal_play.chemin_de_fer_game import REPLACED, decks, game_of
from sabot.domain.odds.optimal_play.chemin_de_fer_solution import Solution, solve
from sabot.domain.rules.drawing_options import THIRDS, Position

_AGAINST: Final = tuple("no_card" if third is None else str(third) for third in THIRDS)


def optimal_play(number: int | None, form: Format | None, output: str) -> None:
    """Write optimal play of chemin de fer.

    Args:
        number: the number of decks. Both sides then see their own two cards. None means the game of
            Kemeny and Snell: cards are replaced, and both sides know totals only.
        form: the requested format, or None.
        output: where to write.

    Raises:
        SabotError: the number of decks is invalid, or the output cannot be written.
    """
    if number is None:
        solution = solve(game_of(REPLACED))
        document, model = _mixed_document(solution), "with replacement, totals known"
    else:
        solution = solve(game_of(decks(number), player_sees="cards", banker_sees="cards"))
        document = {"decks": number}
        model = f"{number} deck{'s' if number > 1 else ''}, own cards seen"
    title = f"{model}: value to Player {100 * float(solution.value):.4f} % of the stake"
    for position, chance in _mixed(solution):
        title += f"; {_where(position)} draws with probability {chance}"
    rows = [{**row, "value": exact(solution.value)} for row in _rows(solution)]
    document |= _document(solution)
    emit(rows, COLUMNS, form, output, title=title, document=document)


def _mixed_document(solution: Solution) -> dict[str, object]:
    """Return Kemeny and Snell's two mixed choices."""
    return {
        "player_draws_on_5": exact(solution.draws[Position("player", 5)]),
        "banker_draws_on_6_no_card": exact(solution.draws[Position("banker", 6)]),
    }


def _document(solution: Solution) -> dict[str, object]:
    """Return the value and every chance of drawing."""
    by_side: dict[str, dict[str, object]] = {"player": {}, "banker": {}}
    for row in _rows(solution):
        hand = str(row["hand"])
        if row["side"] == "player":
            by_side["player"][hand] = row["no_card"]
        else:
            by_side["banker"][hand] = {against: row[against] for against in _AGAINST}
    return {
        "value": exact(solution.value),
        "value_decimal": float(solution.value),
        "player_draws": by_side["player"],
        "banker_draws": by_side["banker"],
    }


def _rows(solution: Solution) -> list[dict[str, object]]:
    """Return a row for each hand with a choice.

    Its cells are the chances of drawing, by Player's third card.
    """
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for position, chance in solution.draws.items():
        if not solution.game.drawing.is_free(position):
            continue
        row = rows.setdefault(
            (position.side, position.hand),
            {"side": position.side, "hand": position.hand, "total": position.total},
        )
        row[_AGAINST[THIRDS.index(position.third)]] = exact(chance)
    return list(rows.values())


def _mixed(solution: Solution) -> list[tuple[Position, Fraction]]:
    return [(at, chance) for at, chance in solution.draws.items() if 0 < chance < 1]


def _where(position: Position) -> str:
    if position.side == "player":
        return f"Player on {position.hand}"
    third = "no card" if position.third is None else f"a third card {position.third}"
    return f"Banker on {position.hand} against {third}"


def exact(number: Fraction) -> str:
    """Return a fraction as ``n/d``, even if it is a whole number."""
    return f"{number.numerator}/{number.denominator}"


def _percent(chance: Fraction) -> str:
    return f"{100 * float(chance):.4f} %"


def sign(value: object) -> str:
    """Return a choice to draw or stand as a letter, and a mixed choice as a percentage."""
    if not isinstance(value, str):
        return ""
    chance = Fraction(value)
    return {0: "S", 1: "D"}.get(int(chance) if chance in (0, 1) else -1, _percent(chance))


COLUMNS: Final = (
    Column("side"),
    Column("hand"),
    Column("total", right=True),
    *(Column(against, show=sign) for against in _AGAINST),
    Column("value", in_table=False),
)
