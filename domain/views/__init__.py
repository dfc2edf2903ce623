"""Read-only views: the table now, and the roads of a shoe."""
