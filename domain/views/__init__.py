"""Read-only views: the table now, and a shoe's roads."""
