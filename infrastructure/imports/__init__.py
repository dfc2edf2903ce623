"""Imports: coup lines, mapped files, events as lines, and another log's export."""
