"""Exports of the log and of reports."""
