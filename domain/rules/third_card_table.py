"""The third-card rules of punto banco, as a table.

Source: arrêté of 14 May 2007, article 55-14 (`ARRETE_2007_ART_55_14` in
`sabot.domain.rules.sources`). The dealing prompts, the audit, the odds and the simulator all use
this table.

Every argument is a total or a point value, 0 to 9.
"""

from typing import Final

NATURAL: Final = (8, 9)

# A column per Player's two-card total; a natural on either side ends the coup before this.
#         0123456789
PLAYER_TABLE = "DDDDDDSSSS"

# A row per Banker's two-card total, a column per Player's third card; "-" is no third card.
BANKER_TABLE: Final = (
    # -0123456789
    "DDDDDDDDDDD",  # 0
    "DDDDDDDDDDD",  # 1
    "DDDDDDDDDDD",  # 2
    "DDDDDDDDDSD",  # 3
    "DSSDDDDDDSS",  # 4
    "DSSSSDDDDSS",  # 5
    "SSSSSSSDDSS",  # 6
    "SSSSSSSSSSS",  # 7
)


def is_natural(total: int) -> bool:
    """Return whether a two-card total is a natural."""
    return total in NATURAL


def player_draws(player_total: int, banker_total: int) -> bool:
    """Return whether Player draws on these two-card totals."""
    return (
        player_total not in NATURAL
        and banker_total not in NATURAL
        and PLAYER_TABLE[player_total] == "D"
    )


def banker_draws(player_total: int, banker_total: int, third: int | None) -> bool:
    """Return whether Banker draws a third card.

    Args:
        player_total: the Player hand's two-card total.
        banker_total: the Banker hand's two-card total.
        third: the value of Player's third card, 0 for a ten; None if Player has none.
    """
    if player_total in NATURAL or banker_total in NATURAL:
        return False
    return BANKER_TABLE[banker_total][0 if third is None else third + 1] == "D"


def why_player(player_total: int, banker_total: int) -> str:
    """Return the action of the Player hand and its reason, in words."""
    if player_total in NATURAL or banker_total in NATURAL:
        return _why_natural(player_total, banker_total)
    if player_draws(player_total, banker_total):
        return f"Player {player_total} draws: Player draws on 0 to 5"
    return f"Player {player_total} stands: Player stands on 6 and 7"


def why_banker(player_total: int, banker_total: int, third: int | None) -> str:
    """Return the action of the Banker hand and its reason, in words."""
    if player_total in NATURAL or banker_total in NATURAL:
        return _why_natural(player_total, banker_total)
    does = "draws" if banker_draws(player_total, banker_total, third) else "stands"
    against = "with no third card to Player" if third is None else f"against a third card {third}"
    return f"Banker {banker_total} {does} {against}: {_banker_rule(banker_total, third)}"


def _why_natural(player_total: int, banker_total: int) -> str:
    hands = [
        f"{side} {total}"
        for side, total in (("Player", player_total), ("Banker", banker_total))
        if total in NATURAL
    ]
    return f"natural {' and '.join(hands)}: a natural on either side ends the coup"


def _banker_rule(banker_total: int, third: int | None) -> str:
    """Return the rule for this Banker total, in words."""
    if third is None:
        return "when Player stands, Banker draws on 0 to 5 and stands on 6 and 7"
    drawn = [value for value in range(10) if BANKER_TABLE[banker_total][value + 1] == "D"]
    stood = [value for value in range(10) if value not in drawn]
    if not stood:
        return "Banker 0 to 2 always draws"
    if not drawn:
        return "Banker 7 always stands"
    if len(stood) == 1:
        return f"it draws unless that card is {stood[0]}"
    return f"it draws against {drawn[0]} to {drawn[-1]}"
