"""The database that stores the log: connections, schema, roles, migrations."""
