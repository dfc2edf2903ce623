"""For each rule, a shoe that breaks it: short enough to read, and dealt by a test.

A line a step; the shoe is prepared well unless a line says ``bare``, and what is due by itself
is done:

    load PACK [DECKS] [{more}]      the shoe's rule pack (classic-8 where no line says so), by
                                    name, or its text between quotes
    seats PATRONS                   who sits at 1, 2 and so on when the shoe is loaded
    with KEY = VALUE                the pack's own text with this in it, else
    bare                            the shoe is not prepared but by what follows
    ready [CARD]                    what is left of its preparation; the first card burned
    coup BETS | CARDS | CALL | MOVES    a coup; parts that are left out are as they are due
    free CARDS                      a coup without bets
    banks PATRON AMOUNT             he takes the shoe that is offered, and puts up his bank
    hands STAKES | HANDS            a coup where each has a hand: `own_hands`
    wings STAKES | HANDS            a coup of two wings, whose bank is ``wings-bank``'s: `wings`
    deal CARDS                      cards of the coup in play
    burned N                        so many cards burned face down
    committed CARDS                 their order is bound by a hash; ``opened`` shows it
    due                             all that is due until the coup in play is closed
    told DEVICE SECONDS NUMBER NAME {fields}    an event as a device tells it, by its own clock
    bank PATRON AMOUNT              the bank is offered until that patron puts it up
    NAME {fields}                   any event by its name, as `sabot record` takes it

A coup's bets are ``patron wager amount``, its cards each hand's own (``P 2 4 K  B 3 4``), or in
the order in which they left the shoe behind ``>``; a call is the outcome and both totals
(``P 9-7``); moves are the number of a bet and what was done to it (``1 pay 475``).

The modules hold them by what their rules judge; `floor` says how streams side by side are written.
"""

from typing import Final

from sabot.domain.audit.examples.bank_examples import BANKS
from sabot.domain.audit.examples.bet_examples import BETTING, PAYING
from sabot.domain.audit.examples.conduct_examples import CONDUCT
from sabot.domain.audit.examples.floor_examples import FLOOR
from sabot.domain.audit.examples.own_hand_examples import OWN_HANDS
from sabot.domain.audit.examples.ruling_examples import RULING, TRUSTING
from sabot.domain.audit.examples.shoe_examples import ENDING, PREPARING
from sabot.domain.audit.examples.tableaux_examples import WINGS
from sabot.domain.audit.examples.third_card_examples import TABLEAU
from sabot.domain.audit.rulebook import RULES

_TEXTS: Final = (
    TABLEAU,
    PAYING,
    PREPARING,
    BETTING,
    CONDUCT,
    RULING,
    ENDING,
    TRUSTING,
    BANKS,
    OWN_HANDS,
    WINGS,
    FLOOR,
)


def _read(text: str) -> dict[str, str]:
    """Read a block of them: a rule's code, and behind it the steps, four spaces in."""
    found: dict[str, list[str]] = {}
    steps: list[str] = []
    for line in text.splitlines():
        if line.startswith("    "):
            steps.append(line.strip())
        elif line:
            steps = found[line] = []
    return {code: "\n".join(lines) for code, lines in found.items()}


EXAMPLES: Final[dict[str, str]] = {
    code: steps for text in _TEXTS for code, steps in _read(text).items()
} | {rule.code: rule.breaks for rule in RULES if rule.breaks}
"""Code of a rule -> the shoe, or the streams side by side, that break it."""
