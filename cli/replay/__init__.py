"""``sabot replay``: step through a recorded shoe in the terminal."""
