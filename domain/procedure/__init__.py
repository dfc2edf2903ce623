"""Procedure of each game: the next action, and what is not allowed now."""
