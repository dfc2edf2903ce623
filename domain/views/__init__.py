"""What can be seen: the felt now, and the roads of a shoe."""
