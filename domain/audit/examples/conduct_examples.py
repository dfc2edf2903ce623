"""Shoes that break the rules of care and conduct, and of misdealt cards."""

from typing import Final

CONDUCT: Final = """
payment-out-of-turn
    with settling.winners = "nearest-first"
    patron-seated {"seat": 2, "patron": "p2"}
    patron-seated {"seat": 5, "patron": "p5"}
    coup p2 player 500, p5 player 500 | P 4 5  B K 8 | P 9-8 | 2 pay 500, 1 pay 500
cards-cleared-before-settlement
    with settling.cards_stay = true
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
    cards-cleared {"coup": 1}
    due
uncovered-discards
    with settling.covered = true
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    cards-cleared {"coup": 1, "covered": false}
    due

cut-not-offered
    with cut.offered = "clockwise"
    bare
    patron-seated {"seat": 2, "patron": "p2"}
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p2", "depth": 90}
    ready
    coup P 4 5  B K 8
cut-offered-out-of-turn
    with cut.offered = "clockwise"
    bare
    patron-seated {"seat": 2, "patron": "p2"}
    patron-seated {"seat": 5, "patron": "p5"}
    shoe-shuffled {"by": "ann"}
    cut-offered {"to": "p2"}
    shoe-cut {"by": "p2", "depth": 90}
    ready
    coup P 4 5  B K 8
wrong-relief-burn
    with burn.relief = 1
    crew-changed {"post": "dealer", "person": "ann"}
    coup P 4 5  B K 8
    crew-changed {"post": "dealer", "person": "bob"}
    coup P 4 5  B K 8
wrong-dead-game-burn
    with burn.dead_game = 1
    patron-seated {"seat": 2, "patron": "p2"}
    coup P 4 5  B K 8
    patron-left {"patron": "p2"}
    patron-seated {"seat": 3, "patron": "p3"}
    coup P 4 5  B K 8

combined-bets-above-limit
    with limits.per = "patron"
    limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
    coup p1 player 300, p1 player 300 | P 4 5  B K 8
accepted-bet-reduced
    with limits.accepted = "in-full"
    limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 600}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    excess-returned {"coup": 1, "bet": 1, "amount": 100}
    due
excess-over-limit-not-returned
    with limits.accepted = "capped"
    limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
    coup p1 player 600 | P 4 5  B K 8

excess-patrons-at-seat
    with table.per_seat = 1
    patron-seated {"seat": 2, "patron": "p2"}
    patron-seated {"seat": 2, "patron": "p3"}
    coup P 4 5  B K 8
excess-bettors-on-seat
    with table.per_seat = 1
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500, "seat": 2}
    bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "tie", "amount": 500, "seat": 2}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    due

no-bet-hand-not-played-out
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    irregularity-noted {"kind": "card-exposed", "ruling": "no-bet-hand", "coup": 1, "by": "sue"}
    coup-voided {"coup": 1}
card-withheld-from-banker
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 2  B 3  P 4  B 2  P K
    irregularity-noted {"kind": "wrong-draw", "ruling": "card-to-banker", "coup": 1, "by": "sue"}
    due
card-moved-without-ruling
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 2  B 3  P 4  B 2  P K
    card-reassigned {"coup": 1, "hand": "player", "to": "banker", "by": "dora"}
    due
"""
