"""Simulated games in which patrons bank."""
