"""Tests of whole shoes: order of the cards, card backs, payments, side bets."""
