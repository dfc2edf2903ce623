"""The command line. Each file holds one family of verbs."""
