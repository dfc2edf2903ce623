"""The rules of the audit. Each module holds the rules on one topic."""
