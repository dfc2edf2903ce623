"""``sabot replay``: a shoe on a reel, stepped through in the terminal."""
