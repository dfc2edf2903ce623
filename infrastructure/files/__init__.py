"""Open files that a user named, and write files: one way for each."""
