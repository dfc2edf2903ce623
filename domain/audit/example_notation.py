"""The notation of the rules' examples, which tests deal.

Each line is one step. The shoe is prepared correctly unless a line says ``bare``, and steps that
are due without a line are added:

    load PACK [DECKS] [{more}]      the shoe's rule pack by name, or its text in quotes
                                    (default classic-8)
    seats PATRONS                   the patrons at seats 1, 2 and so on when the shoe is loaded
    with KEY = VALUE                change the pack's text: set KEY to VALUE
    bare                            do not prepare the shoe; only the lines that follow count
    ready [CARD]                    complete its preparation; CARD is burned first
    coup BETS | CARDS | CALL | MOVES    a coup; omitted parts are as they are due
    free CARDS                      a coup without bets
    banks PATRON AMOUNT             the patron takes the offered shoe and posts a bank
    hands STAKES | HANDS            a coup in which each patron has a hand: `own_hands`
    tableaux STAKES | HANDS         a coup of two tableaux against the bank of ``tableaux-bank``
    deal CARDS                      cards of the coup in play
    burned N                        N cards burned face down
    committed CARDS                 commit to their order by a hash; ``opened`` reveals it
    due                             all steps due until the coup in play is closed
    told DEVICE SECONDS NUMBER NAME {fields}    an event from a device, with its own clock
    bank PATRON AMOUNT              offer the bank until that patron posts it
    NAME {fields}                   any event by its name, as `sabot record` takes it

A coup's bets are ``patron wager amount``. Its cards are given by hand (``P 2 4 K B 3 4``), or after
``>`` in the order in which they left the shoe. A call is the outcome and both totals (``P 9-7``).
Moves are the number of a bet and its settlement (``1 pay 475``).

Examples of rules beyond one shoe are streams side by side: see `_BEYOND`.
"""

from typing import Final

_OF_A_SHOE: Final[dict[str, str]] = {
    "load": "load PACK: the shoe's rule pack, with {more} of its loading; else classic-8",
    "with": "with KEY = VALUE: the pack says so, else it is the pack that is shipped",
    "seats": "seats PATRONS: who sits at 1, 2 and so on when the shoe is loaded",
    "bare": "bare: nothing is done to the shoe before but what follows; else it is well prepared",
    "ready": "ready [CARD]: the rest of its preparation is done; that card is burned first",
    "coup": "coup BETS | CARDS | CALL | MOVES: patron, wager and amount of each bet; each hand's "
    "cards behind P and B (or behind > in the order in which they came); the outcome and both "
    "totals as called; the number of a bet and what was done to it. What is left out is as due",
    "free": "free CARDS: a coup without bets",
    "banks": "banks PATRON AMOUNT: he takes the shoe that is offered, and puts up his bank",
    "bank": "bank PATRON AMOUNT: the bank is offered until he puts it up",
    "hands": "hands STAKES | HANDS: seat and amount of each stake; each hand in its turn, the "
    "banker's B; + a card that was asked for, ! one that was not, - behind a card rejects it",
    "tableaux": "tableaux STAKES | HANDS: patron, tableau and amount of each stake; right, left "
    "and banker; + a card that was asked for, ! one that was not, = stands",
    "tableaux-bank": "tableaux-bank PATRON AMOUNT: who has the first bank; else p11",
    "tableaux-open": "tableaux-open STAKES: the stakes of a coup of two tableaux alone",
    "tableaux-hands": "tableaux-hands HANDS: its cards and choices alone",
    "tableaux-seats": "tableaux-seats SEATS: who sits where",
    "deal": "deal CARDS: cards of the coup in play, as in a coup",
    "burned": "burned N: so many cards are burned face down",
    "committed": "committed CARDS: their order is bound by a hash",
    "opened": "opened CARDS: the order that was bound is shown",
    "due": "due: all that is due by itself until the coup in play is closed",
    "told": "told DEVICE SECONDS NUMBER NAME {fields}: an event as a device tells it, by its clock",
}
_BEYOND: Final[dict[str, str]] = {
    "rules": "rules NAME: the rule pack of every shoe that follows; classic-8 without it",
    "with": "with KEY = VALUE: the pack of every shoe says so",
    "cards": "cards NAME EVENT {fields}: an event of a batch of cards",
    "table": "table NAME EVENT {fields}: an event of a table",
    "adopted": "adopted NAME {fields}: the table of that name adopts classic-8",
    "shoe": "shoe NAME {fields} [open]: loaded, prepared, dealt for one coup and (but for open) "
    "ended; shoe NAME EVENT {fields}: any event of it",
    "days": "days N SABOT:TABLE …: so many days each dealing shoe is loaded at a table every day",
    "store-clock": "store-clock SECONDS: the store's clock is set by so many seconds",
    "login": "login NAME: who sends the events that follow to the store",
    "+": "+DURATION: time goes by",
}
_EVENT: Final = "NAME {fields}: an event by its name, as `sabot record` takes it"


def legend(example: str, *, of_the_floor: bool = False) -> list[str]:
    """Return explanations of the lines in an example: each kind once, in order of appearance."""
    known = _BEYOND if of_the_floor else _OF_A_SHOE
    words = ["+" if line.startswith("+") else line.split(" ")[0] for line in example.splitlines()]
    return list(dict.fromkeys(known.get(word, _EVENT) for word in words if word))
