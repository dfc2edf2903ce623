"""Shoes that break the rules of bets and of limits.

Shoes that break the rules of payment, of settling in order, and of commission.
"""

from typing import Final

BETTING: Final = """
bet-outside-limits
    limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
    coup p1 player 501 | P 4 5  B K 8
table-differential-exceeded
    with limits.differential = 300
    coup p1 player 1000, p2 banker 600 | P 4 5  B K 8
limit-ratio-not-permitted
    load france {"backs": ["red", "blue"]}
    limits-changed {"limits": [{"minimum": 100, "maximum": 4900}], "displayed": true}
limit-change-not-displayed
    load france {"backs": ["red", "blue"]}
    limits-changed {"limits": [{"minimum": 100, "maximum": 5000}], "displayed": false}
carried-bet-without-tie
    coup p1 player 500 | P 4 5  B K 9
    coup +p1 player 600 | P 4 5  B K 8
held-bet-taken-up
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
wrong-payout
    coup p1 tie 500 | P 4 5  B K 9 | T | 1 pay 4500
losing-bet-not-taken
    coup p1 player 500 | P 4 4  B K 9 | B | 1 push
push-paid-or-taken
    coup p1 player 500 | P 4 5  B K 9 | T | 1 take 500
wrong-commission
    coup p1 banker 500 | P 4 4  B K 9 | B | 1 pay 500
commission-not-due
    coup p1 player 500 | P 4 5  B K 8 | P 9-8 | 1 pay 500
    commission-collected {"patron": "p1", "amount": 25, "coup": 1}
unsettled-bet
    coup p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100
voided-bet-settled
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1}
    bet-taken {"coup": 1, "bet": 1, "amount": 500}
    coup-voided {"coup": 1, "reason": "misdeal"}
winners-paid-before-losers-taken
    coup p1 player 500, p2 tie 100 | P 4 5  B K 8 | P 9-8 | 1 pay 500, 2 take 100

settlement-before-result
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    bet-taken {"coup": 1, "bet": 1, "amount": 500}
    due

commission-unpaid-at-shoe-end
    load midi
    coup p1 banker 500 | P 4 4  B K 9
    commission-collected {"patron": "p1", "amount": 24}
    shoe-ended {"left": 410, "reason": "withdrawn"}
commission-unpaid-at-departure
    load midi
    coup p1 banker 500 | P 4 4  B K 9
    commission-collected {"patron": "p1", "amount": 24}
    patron-left {"patron": "p1"}
settlement-after-coup-close
    coup p1 player 500 | P 4 4  B K 9 | B 8-9 | -
    bet-taken {"coup": 1, "bet": 1, "amount": 500}
"""
