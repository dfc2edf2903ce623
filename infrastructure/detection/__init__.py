"""Detection of card knowledge, run over a log."""
