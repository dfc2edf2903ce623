"""Reasons for what happened in a coup: draws, calls, payments, rulings."""
