"""Win rate, edge, and the value of information, in money."""
