"""Shoes told as text, and what the audit finds in them."""

from sabot.domain.audit import audit_shoe
from sabot.domain.state.shoe import Shoe
from tests.support.rule_examples import deal

Told = list[tuple[str, int | None, int | None, dict[str, int]]]


def dealt(shoe: str) -> Shoe:
    """Deal a shoe whose text is indented."""
    return deal("\n".join(filter(None, map(str.strip, shoe.splitlines()))))


def told(shoe: str) -> Told:
    """Return each finding of a shoe: code, coup, and the money of the house and of each patron."""
    found = audit_shoe(dealt(shoe)).findings
    return [(each.code, each.coup, each.money.house, each.money.patrons) for each in found]


CHEMIN = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 2500}
    bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 2000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
"""
