"""Money as people read it."""

from domain.money import spelled as money

__all__ = ["money"]
