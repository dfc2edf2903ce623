"""Shoes that break the rules of care and conduct, and of misdealt cards."""

from typing import Final

CONDUCT: Final = """
winner-was-paid-out-of-turn
    with settling.winners = "nearest-first"
    patron-seated {"seat": 2, "patron": "p2"}
    patron-seated {"seat": 5, "patron": "p5"}
    coup p2 player 500, p5 player 500 | P 4 5  B K 8 | P 9-8 | 2 pay 500, 1 pay 500
cards-were-cleared-before-the-bets-were-settled
    with settling.cards_stay = true
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
    cards-cleared {"coup": 1}
    due
discards-were-not-covered
    with settling.covered = true
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    cards-cleared {"coup": 1, "covered": false}
    due

cut-was-not-offered
    with cut.offered = "clockwise"
    bare
    patron-seated {"seat": 2, "patron": "p2"}
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p2", "depth": 90}
    ready
    coup P 4 5  B K 8
cut-was-offered-out-of-turn
    with cut.offered = "clockwise"
    bare
    patron-seated {"seat": 2, "patron": "p2"}
    patron-seated {"seat": 5, "patron": "p5"}
    shoe-shuffled {"by": "ann"}
    cut-offered {"to": "p2"}
    shoe-cut {"by": "p2", "depth": 90}
    ready
    coup P 4 5  B K 8
burn-on-relief-was-not-as-the-pack-says
    with burn.relief = 1
    crew-changed {"post": "dealer", "person": "ann"}
    coup P 4 5  B K 8
    crew-changed {"post": "dealer", "person": "bob"}
    coup P 4 5  B K 8
burn-after-a-dead-game-was-not-as-the-pack-says
    with burn.dead_game = 1
    patron-seated {"seat": 2, "patron": "p2"}
    coup P 4 5  B K 8
    patron-left {"patron": "p2"}
    patron-seated {"seat": 3, "patron": "p3"}
    coup P 4 5  B K 8

patrons-bets-together-were-above-the-limit
    with limits.per = "patron"
    limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
    coup p1 player 300, p1 player 300 | P 4 5  B K 8
accepted-bet-was-cut-down
    with limits.accepted = "in-full"
    limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 600}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    excess-returned {"coup": 1, "bet": 1, "amount": 100}
    due
excess-over-the-limit-was-not-returned
    with limits.accepted = "capped"
    limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
    coup p1 player 600 | P 4 5  B K 8

too-many-patrons-at-a-seat
    with table.per_seat = 1
    patron-seated {"seat": 2, "patron": "p2"}
    patron-seated {"seat": 2, "patron": "p3"}
    coup P 4 5  B K 8
too-many-patrons-bet-on-a-seat
    with table.per_seat = 1
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500, "seat": 2}
    bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "tie", "amount": 500, "seat": 2}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    due

no-bet-hand-was-not-played-out
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    irregularity-noted {"kind": "card-exposed", "ruling": "no-bet-hand", "coup": 1, "by": "sue"}
    coup-voided {"coup": 1}
card-was-not-given-to-banker
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 2  B 3  P 4  B 2  P K
    irregularity-noted {"kind": "wrong-draw", "ruling": "card-to-banker", "coup": 1, "by": "sue"}
    due
card-changed-hands-without-a-ruling
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 2  B 3  P 4  B 2  P K
    card-reassigned {"coup": 1, "hand": "player", "to": "banker", "by": "dora"}
    due
"""
