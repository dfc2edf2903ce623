"""Storage, import and export of events."""
