"""Shoes that break the rules of the tableau, of the calls, and of handling cards."""

from typing import Final

TABLEAU: Final = """
miscalled-two-card-totals
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3}
    card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 4}
    card-drawn {"coup": 1, "hand": "player", "card": "5", "place": 5}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 6}
    totals-called {"coup": 1, "player": 9, "banker": 7}
    due
miscalled-final-totals
    coup | P 4 5  B K 8 | P 9-7
miscalled-result
    coup | P 4 5  B K 9 | P 9-9

cards-out-of-order
    coup > P 4 5  B K 8
coup-short-of-cards
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    coup-closed {"coup": 1}
skipped-card
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3}
    card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 4}
    card-drawn {"coup": 1, "hand": "player", "card": "5", "place": 6}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 7}
    due
premature-call
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    totals-called {"coup": 1, "player": 9, "banker": 8}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 6}
    due
result-before-cards-exposed
    load france
    coup P 4 5  B K 8
    coup-opened {"coup": 2}
    no-more-bets {"coup": 2}
    card-drawn {"coup": 2, "hand": "player", "card": "4", "place": 7}
    card-drawn {"coup": 2, "hand": "banker", "card": "K", "place": 8}
    card-drawn {"coup": 2, "hand": "player", "card": "5", "place": 9}
    card-drawn {"coup": 2, "hand": "banker", "card": "8", "place": 10}
    totals-called {"coup": 2, "player": 9, "banker": 8}
    due
result-not-called
    coup P 4 5  B K 8
    coup | P 4 5  B K 8 | -
"""
