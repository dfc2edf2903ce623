"""The rules of the audit. Each module holds one family of rules."""
