"""The schema's history, one file a step; run on first use by `infrastructure.database`."""
