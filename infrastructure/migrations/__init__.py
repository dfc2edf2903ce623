"""The schema's history, one file a step; run when a database is first used."""
