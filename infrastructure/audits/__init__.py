"""Audits of shoes read from the log, their record in the log, and the states of their findings."""
