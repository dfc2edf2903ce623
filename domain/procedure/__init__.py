"""The procedure of each game: what is due next, and what is not allowed now."""
