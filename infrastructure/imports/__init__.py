"""Imports of coup lines, mapped files, single events as lines, and exports of other logs."""
