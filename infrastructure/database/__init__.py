"""The database under the log: connections, schema, roles, migrations."""
