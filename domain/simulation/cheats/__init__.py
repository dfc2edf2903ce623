"""Simulated cheats: what they know, and the schemes that let them know it."""
