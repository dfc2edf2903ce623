"""Plain values: cards, money, scalars, errors."""
