"""docs/choices.md is current and complete, and matches the written rule."""

import re
import subprocess
import sys
from pathlib import Path

from tests.support import third_card_rule
from tests.support.thorough import slow

ROOT = Path(__file__).parents[1]
TOLD = (ROOT / "docs" / "choices.md").read_text(encoding="utf-8")


def tables(title):
    """The two tables of a section: Player's rows and Banker's, by total."""
    section = TOLD[TOLD.index(f"## {title}\n") :].split("\n## ")[0]
    both = re.findall(r"(?:^\|.*\n)+", section, flags=re.MULTILINE)
    rows = [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
        for table in both
    ]
    player, banker = ({int(row[0]): row[1:] for row in table} for table in rows)
    return player, banker


@slow
def test_it_is_current():
    written = subprocess.run(
        [sys.executable, "-m", "tests.docs_text.write_choices"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert written.stdout.decode() == TOLD
    assert written.stderr == b""


def test_chemin_de_fer_leaves_player_his_five_and_banker_everything():
    # WIKIPEDIA_BACCARAT_CHEMIN_DE_FER, DJ_MCADAM_BACCARAT_CHEMIN_DE_FER: Player draws on 0 to 4, is
    # free on 5, stands on 6 and 7; Banker is free
    player, banker = tables("Chemin de fer")
    assert [row for (row,) in player.values()] == [*["draw"] * 5, "**free**", "stand", "stand"]
    assert banker == {total: ["**free**"] * 11 for total in range(8)}


def test_where_banker_is_bound_he_goes_by_the_rule_in_prose():
    for title in ("Chemin de fer, Banker bound by the house tableau", "Punto banco"):
        _, banker = tables(title)
        for total in range(8):
            # Player's own total decides nothing once he has drawn or stood; 0 is no natural
            does = [third_card_rule.banco_draws(0, total, third) for third in (None, *range(10))]
            assert banker[total] == ["draw" if draws else "stand" for draws in does]
    player, _ = tables("Punto banco")
    assert player == {
        total: ["draw" if third_card_rule.player_draws(total, 0) else "stand"] for total in range(8)
    }
    player, _ = tables("Chemin de fer, Banker bound by the house tableau")
    assert [total for total, row in player.items() if row == ["**free**"]] == [5]


def test_what_a_choice_costs_by_hand():
    """Banker 7 against a third card 9: Player's 0 to 4 became 9, 0, 1, 2, 3, and his 5 a 4.

    Two-card totals come in 25 (0) or 16 (any other) of 169 ways; a 5 is drawn to in 9 of 11.
    Standing on 7 beats all but the 9; drawing e makes 7 + e, each e in 1 of 13, 0 in 4.
    """
    weights = {9: 25.0, 0: 16.0, 1: 16.0, 2: 16.0, 3: 16.0, 4: 16.0 * 9 / 11}
    cards = [0, 0, 0, *range(10)]

    def worth(finals):
        won = sum(
            weight * ((mine > his) - (mine < his)) / len(finals)
            for his, weight in weights.items()
            for mine in finals
        )
        return won / sum(weights.values())

    loss = worth([7]) - worth([(7 + card) % 10 for card in cards])
    _, banker = tables("What a choice costs in chemin de fer")
    assert banker[7][10] == f"stand {100 * loss:.2f}"


def test_what_a_choice_costs_in_macao_by_hand():
    """The punter stands on 7, the banker draws against a drawn 7 with less, and so on.

    Against a punter who drew on 0 to 4 and has 7 to 9, 0 or 1 behind a 7, a banker with 6 loses to
    7, 8 and 9 as long as he stands, and wins against 0 (4 + 7 is 1, 3 + 7 is 0).
    """
    section = TOLD[TOLD.index("### Macao by its later rules") :]
    row = next(line for line in section.splitlines() if line.startswith("| 6 | stand 37.78"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    # first cards 0 (4 of 13), 1, 2, 3, 4 (1 of 13 each); finals 7, 8, 9, 0, 1
    weights = {7: 4, 8: 1, 9: 1, 0: 1, 1: 1}

    def worth(total, cards):
        won = 0
        for final, weight in weights.items():
            better = total > final or (total == final and cards <= 2)
            won += weight if better else -weight
        return won / sum(weights.values())

    drawn = [(6 + card) % 10 for card in range(1, 10)]
    gain = sum(worth(total, 2) for total in drawn) / 9 - worth(6, 1)
    assert cells[1 + 7] == f"draw {100 * gain:.2f}"
