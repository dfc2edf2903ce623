"""``sabot deal``: a table in the terminal."""
