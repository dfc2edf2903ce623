"""Test martingales for the next card: anytime-valid evidence."""
