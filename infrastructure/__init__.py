"""Where events are kept and moved: the log, its database, read models, feeds in and exports out."""
