"""Exact odds of the next coup and of each wager, and optimal play in games with choices."""
