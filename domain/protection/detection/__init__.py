"""The tested subjects and the running detection over a log."""
