"""Exact odds, house edge, and optimal play."""
