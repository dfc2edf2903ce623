"""More ways to break the rules of `checks/record.py`, and near misses."""

from sabot.domain import events as ev
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt, loaded
from tests.support.rule_cases import Case, checks_of

OTHER = pack_text("classic-8").replace("withdrawable = true", "withdrawable = false")
"""Classic rules but for one: what a tie left may not be taken up."""


def loaded_anew(when: str, anew: ev.ShoeEvent | None = None) -> Shoe:
    """The loading of a shoe is corrected, before its first card or behind its first coup."""
    felt = Felt()
    correction = ev.EventCorrected(1, "misread", instead=anew)
    if when == "early":
        return felt.put(correction).ready().coup("P 4 5  B K 8").shoe
    return felt.ready().coup("P 4 5  B K 8").put(correction).shoe


def by_others() -> ev.ShoeLoaded:
    """Return the loading with those rules."""
    return loaded(OTHER)


CASES = (
    Case(
        "late-loading-change",
        None,
        lambda: loaded_anew("late", by_others()),
        lambda: loaded_anew("early", by_others()),
    ),
    # nobody but the banker can take on all stakes: the bank stays limited
    Case(
        "unmatched-event",
        None,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 21000, "seat": 7}
        bank-unlimited {"by": "p7", "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 21000, "seat": 7}
        bank-unlimited {"by": "p11", "coup": 1}
        bank-raised {"by": "p11", "amount": 1000, "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
    ),
    Case(
        "unmatched-event",
        2,
        """
        coup P 4 5  B K 8
        bet-placed {"coup": 2, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500}
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4 5  B K 8
        due
        """,
        """
        coup P 4 5  B K 8
        coup p1 tie 500 | P 4 5  B K 8
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)
