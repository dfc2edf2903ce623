"""Rules of the games in which a patron banks."""
