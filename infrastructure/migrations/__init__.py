"""Migrations of the schema, one file each. Run when a database is first used."""
