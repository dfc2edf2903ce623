"""Shoes that break the rules of counting and of preparation.

Shoes that break the rules of the last coup and of the end of a shoe.
"""

from typing import Final

PREPARING: Final = """
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
cards-were-cut-again
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
    bank p1 10000
    shoe-cut {"by": "p2", "depth": 50}
    coup p2 player 6000 | P 4 5  B K 8
stop-card-went-in-at-another-time
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
    bank p1 10000
    stop-card-placed {"behind": 7}
    coup p2 player 6000 | P 4 5  B K 8
shoe-was-shuffled-in-mid-shoe
    coup P 4 5  B K 8
    shoe-shuffled {"by": "ann"}
    coup P 4 5  B K 8
no-stop-card-was-placed
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    card-burned {"card": "Ac"}
    card-burned
    coup P 4 5  B K 8
"""


ENDING: Final = """
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
shoe-went-on-after-its-last-coup-was-called
    coup P 4 5  B K 8
    last-coup-called {"coup": 2}
    coup P 4 5  B K 8
    coup P 4 5  B K 8
shoe-ended-without-its-cut-card
    coup P 4 5  B K 8
    shoe-ended {"left": 410}
coup-was-left-open
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5  B 8
    result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
    coup P 4 5  B K 8
number-of-a-coup-is-not-the-next
    coup P 4 5  B K 8
    coup-opened {"coup": 3}
    no-more-bets {"coup": 3}
    deal P 4 5  B K 8
    due
coup-went-on-after-the-shoe-had-ended
    coup P 4 5  B K 8
    shoe-ended {"left": 410, "reason": "withdrawn"}
    coup-opened {"coup": 2}
card-was-drawn-for-a-coup-that-was-over
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
    coup-closed {"coup": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "2", "place": 7}
"""
