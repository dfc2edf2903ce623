"""Values without behaviour of their own: cards, money, scalars, errors."""
