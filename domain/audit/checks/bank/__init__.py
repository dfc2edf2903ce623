"""Rules of the games in which a patron is the banker."""
