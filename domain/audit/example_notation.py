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
    "load": "load PACK: the shoe's rule pack (default classic-8), and more fields of its loading",
    "with": "with KEY = VALUE: a change to the text of the rule pack",
    "seats": "seats PATRONS: the patrons at seats 1, 2 and so on when the shoe is loaded",
    "bare": "bare: the shoe is not prepared, except by the steps that follow",
    "ready": "ready [CARD]: the rest of the preparation; CARD is burned first",
    "coup": "coup BETS | CARDS | CALL | MOVES: patron, wager and amount of each bet; the cards of "
    "each hand after P and B (or after > in the order in which they were dealt); the outcome and "
    "both totals as called; the number of a bet and its settlement. Steps that are not written are "
    "done correctly",
    "free": "free CARDS: a coup without bets",
    "banks": "banks PATRON AMOUNT: the patron takes the offered shoe and puts up a bank",
    "bank": "bank PATRON AMOUNT: the bank is offered until this patron puts it up",
    "hands": "hands STAKES | HANDS: seat and amount of each stake; the hands in turn, the banker's "
    "as B. + means a requested card, ! a card that was not requested, - after a card rejects it",
    "tableaux": "tableaux STAKES | HANDS: patron, tableau and amount of each stake; the hands on "
    "the right, on the left and of the banker. + means a requested card, ! a card that was not "
    "requested, = a stand",
    "tableaux-bank": "tableaux-bank PATRON AMOUNT: the patron with the first bank (default p11)",
    "tableaux-open": "tableaux-open STAKES: only the stakes of a coup of two tableaux",
    "tableaux-hands": "tableaux-hands HANDS: only the cards and choices of this coup",
    "tableaux-seats": "tableaux-seats SEATS: the patron at each seat",
    "deal": "deal CARDS: cards of the coup in play, written as in a coup",
    "burned": "burned N: N cards are burned face down",
    "committed": "committed CARDS: a hash of their order is recorded",
    "opened": "opened CARDS: the order with the recorded hash is revealed",
    "due": "due: all steps that are due until the coup in play is closed",
    "told": "told DEVICE SECONDS NUMBER NAME {fields}: an event from a device, at the time of its "
    "clock",
}
_BEYOND: Final[dict[str, str]] = {
    "rules": "rules NAME: the rule pack of every shoe that follows (default classic-8)",
    "with": "with KEY = VALUE: a change to the rule pack of every shoe",
    "cards": "cards NAME EVENT {fields}: an event of a batch of cards",
    "table": "table NAME EVENT {fields}: an event of a table",
    "adopted": "adopted NAME {fields}: the table of that name adopts classic-8",
    "shoe": "shoe NAME {fields} [open]: a shoe that is loaded, prepared, dealt for one coup and "
    "ended (not ended if open); shoe NAME EVENT {fields}: an event of the shoe",
    "days": "days N SABOT:TABLE …: for N days, each dealing shoe is loaded at a table every day",
    "store-clock": "store-clock SECONDS: the clock of the log is set forward by so many seconds",
    "login": "login NAME: the login that records the events that follow",
    "+": "+DURATION: this time passes",
}
_EVENT: Final = "NAME {fields}: an event by its name, as `sabot record` takes it"


def legend(example: str, *, of_the_floor: bool = False) -> list[str]:
    """Return explanations of the lines in an example: each kind once, in order of appearance."""
    known = _BEYOND if of_the_floor else _OF_A_SHOE
    words = ["+" if line.startswith("+") else line.split(" ")[0] for line in example.splitlines()]
    return list(dict.fromkeys(known.get(word, _EVENT) for word in words if word))
