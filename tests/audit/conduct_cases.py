"""Near misses of the rules of care and conduct; what breaks them stands with the rules.

A case is a rule, the coup on which its example breaks it, and a shoe that nearly does, written as
`sabot.domain.audit.example_notation` says. No two differ in more than what the rule is about.
"""

from collections.abc import Callable

from sabot.domain.audit.rulebook import EXAMPLES
from sabot.domain.state.shoe import Shoe
from tests.support.rule_examples import deal

LIMITS = 'limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}'
SEATS = """
patron-seated {"seat": 2, "patron": "p2"}
patron-seated {"seat": 5, "patron": "p5"}
"""
ONE = "coup P 4 5  B K 8"

_NEAR: list[tuple[str, int | None, str]] = [
    (
        "payment-out-of-turn",
        1,
        f"""with settling.winners = "nearest-first"
        {SEATS}
        coup p5 player 500, p2 player 500 | P 4 5  B K 8 | P 9-8 | 2 pay 500, 1 pay 500""",
    ),
    (
        # at the other payer's side of fourteen seats, who is paid when does not matter
        "payment-out-of-turn",
        1,
        f"""with settling.winners = "nearest-first"
        {SEATS.replace("5", "9")}
        coup p2 player 500, p9 player 500 | P 4 5  B K 8 | P 9-8 | 2 pay 500, 1 pay 500""",
    ),
    (
        "cards-cleared-before-settlement",
        1,
        """with settling.cards_stay = true
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        cards-cleared {"coup": 1}
        due""",
    ),
    (
        "uncovered-discards",
        1,
        EXAMPLES["uncovered-discards"].replace("false", "true"),
    ),
    (
        "cut-not-offered",
        None,
        """with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p2"}
        shoe-cut {"by": "p2", "depth": 90}
        ready
        coup P 4 5  B K 8""",
    ),
    (
        # the seat at the dealer's left has the highest number
        "cut-offered-out-of-turn",
        None,
        f"""with cut.offered = "clockwise"
        bare
        {SEATS}
        shoe-shuffled {{"by": "ann"}}
        cut-offered {{"to": "p5"}}
        cut-refused {{"by": "p5"}}
        cut-offered {{"to": "p2"}}
        shoe-cut {{"by": "p2", "depth": 90}}
        ready
        coup P 4 5  B K 8""",
    ),
    (
        # when nobody will, the house cuts
        "cut-offered-out-of-turn",
        None,
        """with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p2"}
        cut-refused {"by": "p2"}
        shoe-cut {"by": "ann", "depth": 90}
        ready
        coup P 4 5  B K 8""",
    ),
    (
        # who sits down at the dealer's left later on could not be asked before
        "cut-offered-out-of-turn",
        None,
        """with cut.offered = "clockwise"
        bare
        patron-seated {"seat": 2, "patron": "p2"}
        shoe-shuffled {"by": "ann"}
        cut-offered {"to": "p2"}
        patron-seated {"seat": 5, "patron": "p5"}
        shoe-cut {"by": "p2", "depth": 90}
        ready
        coup P 4 5  B K 8""",
    ),
    (
        "wrong-relief-burn",
        2,
        """with burn.relief = 1
        crew-changed {"post": "dealer", "person": "ann"}
        coup P 4 5  B K 8
        crew-changed {"post": "dealer", "person": "bob"}
        card-burned {"reason": "relief", "place": 7}
        coup P 4 5  B K 8""",
    ),
    (
        "wrong-dead-game-burn",
        2,
        """with burn.dead_game = 1
        patron-seated {"seat": 2, "patron": "p2"}
        coup P 4 5  B K 8
        patron-left {"patron": "p2"}
        patron-seated {"seat": 3, "patron": "p3"}
        card-burned {"reason": "dead-game", "place": 7}
        coup P 4 5  B K 8""",
    ),
    (
        "combined-bets-above-limit",
        1,
        f"""with limits.per = "patron"
        {LIMITS}
        coup p1 player 300, p1 player 200, p2 player 300, p1 tie 300 | P 4 5  B K 8""",
    ),
    (
        "late-free-hand",
        2,
        f"""with free_hands_when = "shoe-start"
        free P 4 5  B K 8
        {ONE}""",
    ),
    (
        "unrequested-free-hand",
        1,
        """with free_hands_when = "on-request"
        request-made {"patron": "p1", "kind": "free-hand", "granted": true}
        free P 4 5  B K 8""",
    ),
    (
        "excess-patrons-at-seat",
        None,
        f"""with table.per_seat = 1
        {SEATS}
        patron-seated {{"seat": 3, "patron": "p2"}}
        patron-seated {{"seat": 2, "patron": "p3"}}
        {ONE}""",
    ),
    (
        "excess-bettors-on-seat",
        1,
        EXAMPLES["excess-bettors-on-seat"].replace('"p2"', '"p1"'),
    ),
    (
        "no-bet-hand-not-played-out",
        1,
        EXAMPLES["no-bet-hand-not-played-out"].replace("coup-voided", "deal > B 8\ncoup-voided"),
    ),
]


def _shoe(text: str) -> Callable[[], Shoe]:
    return lambda: deal("\n".join(filter(None, map(str.strip, text.splitlines()))))


CONDUCT_CASES = [(code, coup, _shoe(EXAMPLES[code]), _shoe(near)) for code, coup, near in _NEAR]
"""Each as `tests.audit.test_rules.Case` has it."""

TOGETHER = {
    "accepted-bet-reduced": "bet-outside-limits",
    "excess-over-limit-not-returned": "bet-outside-limits",
    "card-withheld-from-banker": "player-drew-against-table",
}
"""Rules that are never broken alone, each with the other that its example breaks."""

ON_THE_WAY = {"card-moved-without-ruling"}
"""Rules whose near miss is another breach until somebody has ruled: a card too many was drawn."""
