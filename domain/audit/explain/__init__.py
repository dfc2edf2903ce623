"""Reasons for the draws, calls, payments and rulings of a coup."""
