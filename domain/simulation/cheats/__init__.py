"""Simulated cheats: their knowledge, and the schemes that provide it."""
