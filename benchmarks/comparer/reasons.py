"""The kind of reason why a rule was not applicable, derived from the text of the reason.

Only this module reads the texts. Once the program gives typed reasons, `program.py` maps its types
to `KINDS`, and this module can be removed.
"""

import re
from functools import cache
from typing import Final

KINDS: Final = ("order", "pack", "record", "pending", "nothing", "other")
"""What a reason may be.

``order``: the order of two events is unknown. ``pack``: the rule pack does not ask for it, or it is
a rule of another game. ``record``: the record lacks something. ``pending``: it is not due yet.
``nothing``: there was nothing to look at, or what there was is excused. ``other``: none of these.
"""

_PATTERNS: Final[dict[str, tuple[str, ...]]] = {
    "order": (" is doubtful: ", "have no clock of the table, so their order"),
    "pack": (
        *(
            "^the pack(.s)? ",
            "^no pack ",
            "^the rule pack cannot be read",
            "^the rule does not apply to ",
        ),
        *("^a continuous shuffler ", "^cards (go back into|return to) a continuous shuffler"),
        "^no rule pack ",
    ),
    "pending": (
        *("still in play", "still open", "not ended", "not been ", "has ended yet", "not over"),
        *("may still (bring|add)", "may shuffle once more", "not issued", "not gone on since"),
        *("not given up", "not cut:", "not moved on", "neither destroyed"),
    ),
    "record": (
        *("^the record", "own record", "record('s)? cards", "(was|were) recorded", "on record"),
        *("nobody knows", "not known", "not told", "first (recorded )?opening of the table"),
        *("(result|cards|bet) (is|are) unknown", "^it is unknown", "and it is unknown"),
        *("no device numbers", "no face of a card was seen", "may have been"),
        *("^(no|not every) .*(says|tells|names?|gives) ", "where nobody says"),
        "^no shoe of the table has the adopted",
    ),
    "nothing": (
        *("^no ", "^nobody ", "^nothing ", "^not (two|every) ", "^its bets ", "^the coup "),
        *("^a ", "^the bank ", "^the hands? ", "^the cut card ", "^patrons (hold|do not)"),
        "^the (outcome|result|two-card totals|final totals) (was|were) not called",
        "^the (bet|card|cards|first bank|cut|shoe|banker|last coup|other tableau) ",
        *("^somebody went", "^several hands", "^over nine", "^what (went|lies)", "^every "),
        *(
            "^there were",
            "^whoever",
            "^something did",
            "^it is no irregularity",
            "^bets",
            "^the previous coup ",
            "^fewer than two ",
            "^the returned bets ",
            "^another coup ",
            "^the table ",
        ),
    ),
}
"""Kinds with parts of the texts that show them; the first kind that matches counts."""

_COMPILED: Final = tuple((kind, re.compile("|".join(of))) for kind, of in _PATTERNS.items())

OTHERS: Final[set[str]] = set()
"""Reasons of this process that have no kind."""


@cache
def kind_of(reason: str) -> str:
    """Return the kind of a reason, one of `KINDS`."""
    for kind, pattern in _COMPILED:
        if pattern.search(reason):
            return kind
    OTHERS.add(reason)
    return "other"


@cache
def money_kind_of(reason: str | None) -> str | None:
    """Return why a finding has no amount. Return None if it has one.

    ``elsewhere``: another finding bears the amount. ``none``: such a breach moves no money.
    ``unknown``: the record does not show the amount.
    """
    if reason is None:
        return None
    if reason.startswith("counted in "):
        return "elsewhere"
    return "none" if "moves no money" in reason else "unknown"
