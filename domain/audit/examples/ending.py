"""Shoes that break the rules of the last coup and of the end of a shoe."""

from typing import Final

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
shoe-ended-without-its-cut-card
    coup P 4 5  B K 8
    shoe-ended {"left": 410}
"""
