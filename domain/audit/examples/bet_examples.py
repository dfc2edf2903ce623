"""Shoes that break the rules of bets and of limits.

Shoes that break the rules of payment, of settling in order, and of commission.
"""

from typing import Final

BETTING: Final = """
bet-was-outside-the-limits
    limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
    coup p1 player 501 | P 4 5  B K 8
table-differential-was-exceeded
    with limits.differential = 300
    coup p1 player 1000, p2 banker 600 | P 4 5  B K 8
limits-are-out-of-proportion
    load france {"backs": ["red", "blue"]}
    limits-changed {"limits": [{"minimum": 100, "maximum": 4900}], "displayed": true}
change-of-limits-was-not-displayed
    load france {"backs": ["red", "blue"]}
    limits-changed {"limits": [{"minimum": 100, "maximum": 5000}], "displayed": false}
bet-was-carried-that-no-tie-left
    coup p1 player 500 | P 4 5  B K 9
    coup +p1 player 600 | P 4 5  B K 8
held-bet-was-taken-up
    with tie.withdrawable = false
    coup p1 player 500 | P 4 5  B K 9
    coup-opened {"coup": 2}
    bet-carried {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
    bet-withdrawn {"coup": 2, "bet": 1}
    no-more-bets {"coup": 2}
    deal P 4 5  B K 8
    due
"""


PAYING: Final = """
winning-bet-was-paid-wrong
    coup p1 tie 500 | P 4 5  B K 9 | T | 1 pay 4500
losing-bet-was-not-taken
    coup p1 player 500 | P 4 4  B K 9 | B | 1 push
pushed-bet-was-moved
    coup p1 player 500 | P 4 5  B K 9 | T | 1 take 500
commission-was-wrong
    coup p1 banker 500 | P 4 4  B K 9 | B | 1 pay 500
commission-was-collected-and-not-owed
    coup p1 player 500 | P 4 5  B K 8 | P 9-8 | 1 pay 500
    commission-collected {"patron": "p1", "amount": 25, "coup": 1}
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
bet-was-settled-after-the-close
    coup p1 player 500 | P 4 4  B K 9 | B 8-9 | -
    bet-taken {"coup": 1, "bet": 1, "amount": 500}
"""
