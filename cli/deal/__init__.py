"""``sabot deal``: deal a shoe in the terminal."""
