"""State of a shoe, coup, bet, table or batch of cards.

Every state is computed from events.
"""
