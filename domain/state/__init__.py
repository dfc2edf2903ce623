"""State folded from events: a shoe, its coups and bets, a table, a batch of cards."""
