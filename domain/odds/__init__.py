"""Exact odds: of the next coup, of each wager, and optimal play where there is a choice."""
