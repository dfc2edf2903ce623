"""State of a shoe, coup, bet, table or batch of cards, computed from its events."""
