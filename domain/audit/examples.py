"""For each rule, a shoe that breaks it: short enough to read, and dealt by a test.

A line a step; the shoe is prepared well unless a line says ``bare``, and what is due by itself
is done:

    load PACK [DECKS] [{more}]      the shoe's rule pack (classic-8 where no line says so), by
                                    name, or its text between quotes
    with KEY = VALUE                the pack's own text with this in it, else
    bare                            the shoe is not prepared but by what follows
    ready [CARD]                    what is left of its preparation; the first card burned
    coup BETS | CARDS | CALL | MOVES    a coup; parts that are left out are as they are due
    free CARDS                      a coup without bets
    banks PATRON AMOUNT             he takes the shoe that is offered, and puts up his bank
    hands STAKES | HANDS            a coup where each has a hand: `domain.audit.own_hand_examples`
    deal CARDS                      cards of the coup in play
    burned N                        so many cards burned face down
    committed CARDS                 their order is bound by a hash; ``opened`` shows it
    due                             all that is due until the coup in play is closed
    told DEVICE SECONDS NUMBER NAME {fields}    a fact as a device tells it, by its own clock
    bank PATRON AMOUNT              the bank is offered until that patron puts it up
    NAME {fields}                   any fact by its name, as `sabot record` takes it

A coup's bets are ``patron wager amount``, its cards each hand's own (``P 2 4 K  B 3 4``), or in
the order in which they left the shoe behind ``>``; a call is the outcome and both totals
(``P 9-7``); moves are the number of a bet and what was done to it (``1 pay 475``).
"""

from typing import Final

from domain.audit.floor_examples import FLOOR_TEXT
from domain.audit.own_hand_examples import OWN_HAND_TEXT

_TEXT: Final = """
punto-drew-against-tableau
    coup P 2 4 K  B 3 4
punto-stood-against-tableau
    coup P 2 3  B 3 4
banco-drew-against-tableau
    coup P 2 3 8  B K 3 4
banco-stood-against-tableau
    coup P 2 3 9  B K 3
hand-took-a-fourth-card
    coup P 2 3 K 4  B 3 4

hand-drew-where-it-must-stand
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 6000 | P 4 2 K  B K 7
hand-stood-where-it-must-draw
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 6000 | P 2 2  B K 7
third-card-was-not-asked-for
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 3 2  B K 7
    card-drawn {"coup": 1, "hand": "player", "card": "K", "place": 5}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
    due
choice-was-made-by-another
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 3 2  B K 7
    choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p3"}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
    due
hand-was-given-to-another
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 4000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due

two-card-totals-were-miscalled
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3}
    card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 4}
    card-drawn {"coup": 1, "hand": "player", "card": "5", "place": 5}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 6}
    totals-called {"coup": 1, "player": 9, "banker": 7}
    due
final-totals-were-miscalled
    coup | P 4 5  B K 8 | P 9-7
outcome-was-miscalled
    coup | P 4 5  B K 9 | P 9-9

winning-bet-was-paid-wrong
    coup p1 tie 500 | P 4 5  B K 9 | T | 1 pay 4500
losing-bet-was-not-taken
    coup p1 player 500 | P 4 4  B K 9 | B | 1 push
pushed-bet-was-moved
    coup p1 player 500 | P 4 5  B K 9 | T | 1 take 500
commission-was-wrong
    coup p1 banker 500 | P 4 4  B K 9 | B | 1 pay 500
bet-was-never-settled
    coup p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100
voided-bet-was-settled
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1}
    bet-taken {"coup": 1, "bet": 1, "amount": 500}
    coup-voided {"coup": 1, "reason": "misdeal"}
winner-was-paid-before-losers-were-taken
    coup p1 player 500, p2 tie 100 | P 4 5  B K 8 | P 9-8 | 1 pay 500, 2 take 100

bet-was-settled-before-the-result
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    bet-taken {"coup": 1, "bet": 1, "amount": 500}
    due

more-copies-of-a-card-than-decks
    load classic-8 1 {"scope": "coups", "pack_named": false}
    bare
    coup P 7c 2  B K 8
    coup P 7c 2  B K 8
more-cards-left-the-shoe-than-it-held
    load classic-8 1 {"scope": "coups", "pack_named": false}
    bare
    burned 53
cards-do-not-add-up-at-the-end
    coup P 4 5  B K 8
    shoe-ended {"left": 409, "reason": "withdrawn"}

number-of-decks-is-not-allowed
    load classic-8 6
    coup P 4 5  B K 8
stop-card-was-misplaced
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 8}
    ready
    coup P 4 5  B K 8
burn-was-not-as-the-pack-says
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 7}
    card-burned {"card": "3c"}
    card-burned
    card-burned
    coup P 4 5  B K 8
backs-are-not-as-the-pack-says
    load france {"backs": ["red"]}
    ready
cards-were-not-shuffled
    bare
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 7}
    card-burned {"card": "Ac"}
    card-burned
    coup P 4 5  B K 8
cards-were-not-cut
    bare
    shoe-shuffled {"by": "ann"}
    stop-card-placed {"behind": 7}
    card-burned {"card": "Ac"}
    card-burned
    coup P 4 5  B K 8
no-stop-card-was-placed
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    card-burned {"card": "Ac"}
    card-burned
    coup P 4 5  B K 8

card-was-drawn-before-no-more-bets
    coup-opened {"coup": 1}
    deal > P 4
    no-more-bets {"coup": 1}
    deal > B K  P 5  B 8
    due
bet-was-placed-late
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
    deal > B K  P 5  B 8
    due
bet-was-changed-late
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
    no-more-bets {"coup": 1}
    deal > P 4
    bet-changed {"coup": 1, "bet": 1, "amount": 5000}
    deal > B K  P 5  B 8
    due
wager-is-not-offered
    coup p1 panda-8 500 | P 4 5  B K 8 | P | 1 take 500
bet-was-outside-the-limits
    limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
    coup p1 player 501 | P 4 5  B K 8
table-differential-was-exceeded
    with limits.differential = 300
    coup p1 player 1000, p2 banker 600 | P 4 5  B K 8
free-hand-took-a-bet
    free p1 tie 500 | P 4 5  B K 8
too-many-free-hands
    with free_hands = 1
    free P 4 5  B K 8
    free P 4 5  B K 8
seat-is-not-there
    patron-seated {"seat": 15, "patron": "p9"}
    coup P 4 5  B K 8
limits-are-out-of-proportion
    load france {"backs": ["red", "blue"]}
    limits-changed {"limits": [{"minimum": 100, "maximum": 4900}], "displayed": true}
change-of-limits-was-not-displayed
    load france {"backs": ["red", "blue"]}
    limits-changed {"limits": [{"minimum": 100, "maximum": 5000}], "displayed": false}

cards-were-dealt-out-of-order
    coup > P 4 5  B K 8
coup-was-closed-on-too-few-cards
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    coup-closed {"coup": 1}
cards-places-in-the-shoe-skip
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3}
    card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 4}
    card-drawn {"coup": 1, "hand": "player", "card": "5", "place": 6}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 7}
    due

shoe-was-kept-after-a-loss
    shoe-taken {"by": "p1"}
    coup P 4 5  B K 8
    coup P 4 5  B K 8
shoe-was-passed-before-a-coup
    shoe-taken {"by": "p1"}
    shoe-passed {"by": "p1", "reason": "chosen"}
    shoe-taken {"by": "p2"}
    coup P 4 4  B K 9

wrong-draw-was-passed-over
    with rulings.wrong-draw = ["void"]
    coup P 2 4 K  B 3 4
ruling-is-not-one-of-the-packs
    with rulings.wrong-draw = ["void"]
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    irregularity-noted {"kind": "wrong-draw", "ruling": "play-on", "coup": 1, "by": "sue"}
    coup-voided {"coup": 1}
ruling-was-not-carried-out
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
    due
coup-was-voided-without-a-reason
    coup-opened {"coup": 1}
    coup-voided {"coup": 1}
face-up-card-was-passed-over
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3, "face_up": true}
    deal > B K  P 5  B 8
    due
shoe-ended-in-the-middle-of-a-coup
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    shoe-ended {"left": 411, "reason": "too-few-cards"}

coup-was-dealt-after-the-last
    load classic-4
    with end.stop_card_most = 202
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 202}
    ready
    coup P 4 5  B K 8
    cut-card-reached {"drawn": 6}
    last-coup-called {"coup": 2}
    coup P 4 5  B K 8
    coup P 4 5  B K 8
cut-card-showed-in-the-wrong-place
    load classic-4
    with end.stop_card_most = 202
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 202}
    ready
    coup P 4 5  B K 8
    coup P 4 5  B K 8
last-coup-was-not-called
    load classic-4
    with end.stop_card_most = 202
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 202}
    ready
    coup P 4 5  B K 8
    cut-card-reached {"drawn": 6}
    coup P 4 5  B K 8
shoe-ended-without-its-cut-card
    coup P 4 5  B K 8
    shoe-ended {"left": 410}
shuffler-fault-was-passed-over
    with rulings.shuffler-fault = ["return-bets"]
    coup-opened {"coup": 1}
    shuffler-failed {"serial": "SM-0417", "fault": "card jam", "coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    due
coup-went-on-after-a-shuffler-fault
    with rulings.shuffler-fault = ["return-bets", "play-on"]
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4
    shuffler-failed {"fault": "two cards at once", "coup": 1, "disadvantage": true}
    irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1, "by": "sue"}
    deal > B K  P 5  B 8
    due
commission-was-left-owing
    load midi
    coup p1 banker 500 | P 4 4  B K 9
    commission-collected {"patron": "p1", "amount": 24}
    shoe-ended {"left": 410, "reason": "withdrawn"}
patron-left-owing-commission
    load midi
    coup p1 banker 500 | P 4 4  B K 9
    commission-collected {"patron": "p1", "amount": 24}
    patron-left {"patron": "p1"}

rule-pack-cannot-be-read
    bare
    load "no pack"
rule-pack-is-not-the-one-named
    load classic-8 {"pack_sha256": "0000000000000000000000000000000000000000000000000000000000000000"}
    bare
clock-of-a-device-jumped
    with clocks.tolerance_ms = 250
    coup P 4 5  B K 8
    told terminal 60 1 patron-seated {"seat": 3, "patron": "p3"}
    told terminal 40 2 patron-seated {"seat": 4, "patron": "p4"}
sequence-of-a-device-has-a-gap
    coup P 4 5  B K 8
    told terminal 60 1 patron-seated {"seat": 3, "patron": "p3"}
    told terminal 61 3 patron-seated {"seat": 4, "patron": "p4"}
committed-order-was-not-opened
    bare
    committed Ac 2c 4c Kc 5c 8c
    ready Ac
    coup P 4c 5c  B Kc 8c
    shoe-ended {"left": 410, "reason": "withdrawn"}
card-is-not-the-one-committed
    bare
    committed Ac 2c 4c Kc 6c 8c
    ready Ac
    coup P 4c 5c  B Kc 8c
    shoe-ended {"left": 410, "reason": "withdrawn"}
    opened Ac 2c 4c Kc 6c 8c
bank-was-miscalled
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 9000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
stakes-were-beyond-the-bank
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 5000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
excess-went-back-out-of-order
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 5000}
    excess-returned {"coup": 1, "bet": 1, "amount": 1000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
banco-was-not-played-alone
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    banco-called {"coup": 1, "patron": "p2"}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 4000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
banco-was-claimed-without-ground
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    banco-called {"coup": 1, "patron": "p2", "suivi": true}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
banker-staked-against-his-bank
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "player", "amount": 4000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
levy-was-wrong
    load chemin-de-fer-france {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
    levy-taken {"coup": 1, "amount": 510, "ticket": "T-1"}
levy-has-no-ticket
    load chemin-de-fer-france {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
    bank p1 10000
    coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
    levy-taken {"coup": 1, "amount": 500}
bank-was-offered-out-of-turn
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    shoe-offered {"to": "p2"}
    shoe-taken {"by": "p2"}
    bank-posted {"by": "p2", "amount": 10000}
bank-was-put-up-at-another-amount
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 9999
bank-was-taken-out-too-soon
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    bank-withdrawn {"by": "p1", "amount": 10000}
bank-was-taken-out-in-part
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 10000 | P 4 2  B K 9
    bank-withdrawn {"by": "p1", "amount": 5000}
    coup p2 player 500 | P 4 2  B K 9
money-was-not-conserved
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 4000 | P 4 5  B K 6
    shoe-passed {"by": "p1", "reason": "lost"}
fact-has-no-ground
    coup p1 tie 500 | P 4 5  B K 8
    bet-pushed {"coup": 1, "bet": 2}
correction-names-no-fact
    coup P 4 5  B K 8
    fact-corrected {"version": 999, "reason": "misread"}
"""  # noqa: E501 - a hash is as long as it is


def _read(text: str) -> dict[str, str]:
    """Read the block above: a rule's code, and behind it the steps, four spaces in."""
    found: dict[str, list[str]] = {}
    steps: list[str] = []
    for line in text.splitlines():
        if line.startswith("    "):
            steps.append(line.strip())
        elif line:
            steps = found[line] = []
    return {code: "\n".join(lines) for code, lines in found.items()}


EXAMPLES: Final[dict[str, str]] = {**_read(_TEXT), **_read(FLOOR_TEXT), **_read(OWN_HAND_TEXT)}
"""Code of a rule -> the shoe, or the streams side by side, that break it."""
