"""Shoes that break the rules of counting and of preparation."""

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
