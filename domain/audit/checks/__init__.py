"""The rules of the audit, one module a family."""
