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
no-stop-card-was-placed
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    card-burned {"card": "Ac"}
    card-burned
    coup P 4 5  B K 8
"""
