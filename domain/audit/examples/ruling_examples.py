"""Shoes that break the rules of who holds the shoe, and of what is done when things go wrong.

Shoes whose record cannot be trusted: packs, clocks, orders, events without ground.
"""

from typing import Final

RULING: Final = """
shoe-was-kept-after-a-loss
    shoe-taken {"by": "p1"}
    coup P 4 5  B K 8
    coup P 4 5  B K 8
patron-held-the-shoe-of-the-dealer
    load mini
    coup p1 player 500 | P 4 5  B K 8
    shoe-taken {"by": "p1"}
shoe-was-passed-before-a-coup
    shoe-taken {"by": "p1"}
    shoe-passed {"by": "p1", "reason": "chosen"}
    shoe-taken {"by": "p2"}
    coup P 4 4  B K 9
shoe-was-offered-out-of-turn
    patron-seated {"seat": 1, "patron": "p1"}
    patron-seated {"seat": 2, "patron": "p2"}
    patron-seated {"seat": 3, "patron": "p3"}
    shoe-taken {"by": "p2"}
    coup P 4 5  B K 8
    shoe-passed {"by": "p2"}
    shoe-offered {"to": "p3"}

ruling-is-not-one-of-the-packs
    with rulings.wrong-draw = ["void"]
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    irregularity-noted {"kind": "wrong-draw", "ruling": "play-on", "coup": 1, "by": "sue"}
    due
ruling-was-not-carried-out
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
    due
coup-was-voided-without-a-reason
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    coup-voided {"coup": 1}
dealt-card-was-burned-without-a-ruling
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 2  B K  P 4  B 8  P 9
    card-burned {"card": "9", "place": 7, "reason": "ruling", "coup": 1}
    due
card-was-burned-and-nothing-asked-for-it
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 2  B K  P 3  B 7
    card-burned {"place": 7, "reason": "other"}
    deal > P 9
    due
shoe-ended-in-the-middle-of-a-coup
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    shoe-ended {"left": 411, "reason": "too-few-cards"}

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
"""


TRUSTING: Final = """
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

fact-has-no-ground
    coup p1 tie 500 | P 4 5  B K 8
    bet-pushed {"coup": 1, "bet": 2}
correction-names-no-fact
    coup P 4 5  B K 8
    fact-corrected {"version": 999, "reason": "misread"}
loading-was-changed-after-the-first-card
    coup P 4 5  B K 8
    fact-corrected {"version": 1, "reason": "another shoe"}
"""  # noqa: E501 - a hash is as long as it is
