"""Simulated play where patrons bank."""
