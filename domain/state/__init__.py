"""State of shoes, coups, bets, tables and batches of cards.

Every state is computed from events.
"""
