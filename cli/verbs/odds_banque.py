"""``sabot odds banque``: equilibrium of two tableaux and the banker."""

from fractions import Fraction
from typing import Final

from sabot.cli.console import Column, Format, emit
from sabot.cli.output import format_for
from sabot.cli.verbs.odds_chemin import exact, sign
from sabot.domain.odds.optimal_play.banque_equilibrium import (
    FIVES,
    LEFT_ALONE,
    RIGHT,
    RIGHT_ALONE,
    BanqueSolution,
    Five,
)
from sabot.domain.odds.optimal_play.banque_game import SHOWN, THIRDS, Place, Shown, banque_game
from sabot.domain.odds.optimal_play.banque_solver import solve_banque
from sabot.domain.odds.optimal_play.chemin_de_fer_game import REPLACED, decks
from sabot.domain.values.errors import BadInput


def equilibrium(number: int | None, split: str, form: Format | None, output: str) -> None:
    """Write an equilibrium of baccarat banque.

    Args:
        number: the number of decks. The banker then sees the two cards of the banker's hand, the
            tableaux only their totals. With None, cards are replaced, and every hand knows totals
            only.
        split: the right tableau's share of the stakes, as ``n/d``.
        form: the requested format, or None.
        output: where to write.

    Raises:
        SabotError: the number of decks or the share is invalid, or the output cannot be written.
    """
    game = banque_game(REPLACED) if number is None else banque_game(decks(number), "cards")
    solution = solve_banque(game, _share(split))
    document = {"split": exact(solution.split), **({} if number is None else {"decks": number})}
    document |= _document(solution)
    model = "with replacement, totals known" if number is None else f"{number} decks"
    title = (
        f"{model}, {solution.split} of the stakes on the right: the bank wins "
        f"{100 * float(solution.bank):.4f} % of them; value to right "
        f"{100 * float(solution.value('right')):.4f} %, to left "
        f"{100 * float(solution.value('left')):.4f} %"
    )
    if (form or format_for(output)) is Format.TABLE:
        emit(map(_in_words, _rows(solution)), IN_WORDS, Format.TABLE, output, title=title)
        return
    values = {key: document[key] for key in ("value_right", "value_left", "value_bank")}
    rows = [{**row, **values} for row in _rows(solution)]
    emit(rows, COLUMNS, form, output, title=title, document=document)


def _share(text: str) -> Fraction:
    try:
        share = Fraction(text) if len(text) < 40 else None  # noqa: PLR2004 - nobody writes more
    except (ValueError, ZeroDivisionError):
        share = None
    if share is None or not 0 <= share <= 1:
        raise BadInput(
            f"--split {text[:40]!r} is not a share; write a fraction from 0 to 1, for example 1/2"
        )
    return share


def _document(solution: BanqueSolution) -> dict[str, object]:
    banker: dict[str, dict[str, dict[str, str]]] = {}
    for place, chance in solution.banker.items():
        rows = banker.setdefault(place.name, {}).setdefault(_name(place.right), {})
        rows[_name(place.left)] = exact(chance)
    return {
        "right_draws_on_5": exact(solution.fives[RIGHT]),
        "right_draws_on_5_left_natural": exact(solution.fives[RIGHT_ALONE]),
        "left_draws_on_5": {
            _name(shown): exact(solution.fives[Five("left", shown)]) for shown in THIRDS
        },
        "left_draws_on_5_right_natural": exact(solution.fives[LEFT_ALONE]),
        "banker_draws": banker,
        "value_right": exact(solution.value("right")),
        "value_left": exact(solution.value("left")),
        "value_bank": exact(solution.bank),
        "regret": {who: exact(each) for who, each in solution.regret.items()},
    }


def _rows(solution: BanqueSolution) -> list[dict[str, object]]:
    """Return a row for each hand and each action of the right tableau.

    Its cells are the chances of drawing, by the action of the left tableau.
    """
    rows: list[dict[str, object]] = []
    for five in FIVES:
        draws = exact(solution.fives[five])
        if five.tableau == "right":
            rows.append(_row("right", "5", None, {_name(five.sees or "stood"): draws}))
        else:
            rows.append(_row("left", "5", five.sees, {"no_card": draws}))
    by_row: dict[tuple[tuple[int, ...], Shown], dict[str, str]] = {}
    for place, chance in solution.banker.items():
        by_row.setdefault((place.hand, place.right), {})[_name(place.left)] = exact(chance)
    rows += [
        _row("banker", Place(hand, right, "stood").name, right, chances)
        for (hand, right), chances in by_row.items()
    ]
    return rows


def _row(side: str, hand: str, right: Shown | None, chances: dict[str, str]) -> dict[str, object]:
    shown = None if right is None else _name(right)
    return {
        "side": side,
        "hand": hand,
        "right": shown,
        **{_name(s): None for s in SHOWN},
        **chances,
    }


def _in_words(row: dict[str, object]) -> dict[str, object]:
    """Return a row of a table: how the hand replies to each card that the left tableau shows."""
    replies: dict[str, list[str]] = {}
    for shown in map(_name, SHOWN):
        if said := sign(row[shown]):
            reply = {"D": "draws", "S": "stands"}.get(said, f"draws with {said}")
            replies.setdefault(reply, []).append(shown.replace("_", " "))
    text = "; ".join(f"{reply}: {', '.join(to)}" for reply, to in replies.items())
    return {"side": row["side"], "hand": row["hand"], "right": row["right"], "reply": text}


def _name(shown: Shown) -> str:
    return "no_card" if shown == "stood" else str(shown)


_PLACE: Final = (
    Column("side"),
    Column("hand"),
    Column("right", show=lambda value: str(value or "").replace("_", " ")),
)
COLUMNS: Final = (
    *_PLACE,
    *(Column(_name(shown)) for shown in SHOWN),
    *(Column(key) for key in ("value_right", "value_left", "value_bank")),
)
IN_WORDS: Final = (*_PLACE, Column("reply", name="reply_to_the_left", wraps=True))
"""The columns of a table, which has no room for a column for each card of the left tableau."""
