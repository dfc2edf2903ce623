"""Test martingales for the next card: evidence that is valid at any time."""
