"""Shoes that break the rules of who holds the shoe, and of what is done when things go wrong.

Shoes whose record cannot be trusted: packs, clocks, orders, events without ground.
"""

from typing import Final

RULING: Final = """
shoe-kept-after-loss
    shoe-taken {"by": "p1"}
    coup P 4 5  B K 8
    coup P 4 5  B K 8
dealer-shoe-held-by-patron
    load mini
    coup p1 player 500 | P 4 5  B K 8
    shoe-taken {"by": "p1"}
shoe-passed-without-coup
    shoe-taken {"by": "p1"}
    shoe-passed {"by": "p1", "reason": "chosen"}
    shoe-taken {"by": "p2"}
    coup P 4 4  B K 9
shoe-offered-out-of-turn
    patron-seated {"seat": 1, "patron": "p1"}
    patron-seated {"seat": 2, "patron": "p2"}
    patron-seated {"seat": 3, "patron": "p3"}
    shoe-taken {"by": "p2"}
    coup P 4 5  B K 8
    shoe-passed {"by": "p2"}
    shoe-offered {"to": "p3"}

ruling-not-permitted
    with rulings.wrong-draw = ["void"]
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    irregularity-noted {"kind": "wrong-draw", "ruling": "play-on", "coup": 1, "by": "sue"}
    due
ruling-not-carried-out
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
    due
unjustified-void
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    coup-voided {"coup": 1}
dealt-card-burned-without-ruling
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 2  B K  P 4  B 8  P 9
    card-burned {"card": "9", "place": 7, "reason": "ruling", "coup": 1}
    due
unjustified-burn
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 2  B K  P 3  B 7
    card-burned {"place": 7, "reason": "other"}
    deal > P 9
    due
unfinished-coup-not-voided
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    shoe-ended {"left": 411, "reason": "too-few-cards"}

unreported-shuffler-fault
    with rulings.shuffler-fault = ["return-bets"]
    coup-opened {"coup": 1}
    shuffler-failed {"serial": "SM-0417", "fault": "card jam", "coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    due
play-after-shuffler-fault
    with rulings.shuffler-fault = ["return-bets", "play-on"]
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4
    shuffler-failed {"fault": "two cards at once", "coup": 1, "disadvantage": true}
    irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1, "by": "sue"}
    deal > B K  P 5  B 8
    due
"""


TRUSTING: Final = """
unreadable-rule-pack
    bare
    load "no pack"
rule-pack-mismatch
    load classic-8 {"pack_sha256": "0000000000000000000000000000000000000000000000000000000000000000"}
    bare
clock-jump
    with clocks.tolerance_ms = 250
    coup P 4 5  B K 8
    told terminal 60 1 patron-seated {"seat": 3, "patron": "p3"}
    told terminal 40 2 patron-seated {"seat": 4, "patron": "p4"}
device-number-gap
    coup P 4 5  B K 8
    told terminal 60 1 patron-seated {"seat": 3, "patron": "p3"}
    told terminal 61 3 patron-seated {"seat": 4, "patron": "p4"}
committed-order-not-opened
    bare
    committed Ac 2c 4c Kc 5c 8c
    ready Ac
    coup P 4c 5c  B Kc 8c
    shoe-ended {"left": 410, "reason": "withdrawn"}
card-order-mismatch
    bare
    committed Ac 2c 4c Kc 6c 8c
    ready Ac
    coup P 4c 5c  B Kc 8c
    shoe-ended {"left": 410, "reason": "withdrawn"}
    opened Ac 2c 4c Kc 6c 8c

unmatched-event
    coup p1 tie 500 | P 4 5  B K 8
    bet-pushed {"coup": 1, "bet": 2}
correction-without-event
    coup P 4 5  B K 8
    fact-corrected {"version": 999, "reason": "misread"}
late-loading-change
    coup P 4 5  B K 8
    fact-corrected {"version": 1, "reason": "another shoe"}
"""  # noqa: E501 - a hash is as long as it is
