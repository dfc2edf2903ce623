"""Tests of whole shoes: card order, backs, payments, side bets."""
