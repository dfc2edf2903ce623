"""Simulated patrons: their habits, options and arrivals."""
