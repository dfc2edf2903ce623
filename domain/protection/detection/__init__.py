"""The subjects that are tested, and the running detection over a log."""
