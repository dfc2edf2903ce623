"""One module a verb, or a family of verbs."""
