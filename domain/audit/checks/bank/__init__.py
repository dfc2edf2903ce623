"""Rules of games in which a patron banks."""
