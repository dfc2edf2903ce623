"""Storage and transport of events: the log, its database, read models, imports and exports."""
