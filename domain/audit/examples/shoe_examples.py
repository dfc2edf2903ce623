"""Shoes that break the rules of counting and of preparation.

Shoes that break the rules of the last coup and of the end of a shoe.
"""

from typing import Final

PREPARING: Final = """
excess-copies-of-card
    load classic-8 1 {"scope": "coups", "pack_named": false}
    bare
    coup P 7c 2  B K 8
    coup P 7c 2  B K 8
excess-cards-dealt
    load classic-8 1 {"scope": "coups", "pack_named": false}
    bare
    burned 53
card-count-mismatch
    coup P 4 5  B K 8
    shoe-ended {"left": 409, "reason": "withdrawn"}

deck-count-not-permitted
    load classic-8 6
    coup P 4 5  B K 8
misplaced-stop-card
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 8}
    ready
    coup P 4 5  B K 8
wrong-opening-burn
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 7}
    card-burned {"card": "3c"}
    card-burned
    card-burned
    coup P 4 5  B K 8
wrong-card-backs
    load france {"backs": ["red"]}
    ready
missing-shuffle
    bare
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 7}
    card-burned {"card": "Ac"}
    card-burned
    coup P 4 5  B K 8
missing-cut
    bare
    shoe-shuffled {"by": "ann"}
    stop-card-placed {"behind": 7}
    card-burned {"card": "Ac"}
    card-burned
    coup P 4 5  B K 8
repeated-cut
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
    bank p1 10000
    shoe-cut {"by": "p2", "depth": 50}
    coup p2 player 6000 | P 4 5  B K 8
mistimed-stop-card
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
    bank p1 10000
    stop-card-placed {"behind": 7}
    coup p2 player 6000 | P 4 5  B K 8
mid-shoe-shuffle
    coup P 4 5  B K 8
    shoe-shuffled {"by": "ann"}
    coup P 4 5  B K 8
missing-stop-card
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    card-burned {"card": "Ac"}
    card-burned
    coup P 4 5  B K 8
"""


ENDING: Final = """
coup-after-last
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
wrong-cut-card-position
    load classic-4
    with end.stop_card_most = 202
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 202}
    ready
    coup P 4 5  B K 8
    coup P 4 5  B K 8
    coup P 4 5  B K 8
last-coup-not-called
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
play-after-called-last-coup
    coup P 4 5  B K 8
    last-coup-called {"coup": 2}
    coup P 4 5  B K 8
    coup P 4 5  B K 8
shoe-end-without-cut-card
    coup P 4 5  B K 8
    shoe-ended {"left": 410}
unclosed-coup
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
    coup P 4 5  B K 8
coup-number-out-of-sequence
    coup P 4 5  B K 8
    coup-opened {"coup": 3}
    no-more-bets {"coup": 3}
    deal P 4 5  B K 8
    due
coup-after-shoe-end
    coup P 4 5  B K 8
    shoe-ended {"left": 410, "reason": "withdrawn"}
    coup-opened {"coup": 2}
card-after-coup-end
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
    coup-closed {"coup": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "2", "place": 7}
"""
