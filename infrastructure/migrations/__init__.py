"""Migrations of the schema, one file each; run when a database is first used."""
