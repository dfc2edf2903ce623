"""On PostgreSQL, let only recorders execute the functions of the log.

The head of the log must move only when events are inserted. Until this version anybody could
execute ``log_event_advances``, which runs with its owner's rights. A user could attach it as a
trigger to a temporary table and so move the head. Now that right is revoked.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

# Names are qualified by schema, so that other objects cannot shadow the log's. {log_event_text} is
# the quoted text of such a name.
ADVANCES = """
    CREATE OR REPLACE FUNCTION {schema}.log_event_advances() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      IF TG_RELID <> {log_event_text}::regclass OR TG_OP <> 'INSERT' OR TG_WHEN <> 'AFTER'
         OR TG_LEVEL <> 'STATEMENT' THEN
        RAISE restrict_violation
          USING MESSAGE = 'the log is append-only: its head moves with an insert into it alone';
      END IF;
      UPDATE {schema}.log_head AS h SET last_id = a.last
      FROM (SELECT min(id) AS first, max(id) AS last, count(*) AS number FROM added) AS a
      WHERE h.last_id = a.first - 1 AND a.number = a.last - a.first + 1;
      IF FOUND THEN
        PERFORM pg_notify('sabot_log', '');
      ELSIF EXISTS (SELECT FROM added) THEN
        RAISE restrict_violation
          USING MESSAGE = 'the log is append-only: these rows do not go on from its head';
      END IF;
      RETURN NULL;
    END $$
"""

# A trigger fires without the user's right to execute its function; creating one needs that right.
REVOKE = """
    REVOKE ALL ON FUNCTION
      {schema}.log_turn(jsonb), {schema}.log_append(jsonb, text[], bigint[], bigint),
      {schema}.log_event_advances(), {schema}.log_refuses()
    FROM PUBLIC
"""

# Roles that may insert into an existing log can still append to it after the upgrade: the table's
# owner, roles with INSERT on the table or some of its columns, and pg_write_all_data. The functions
# insert with the caller's rights, so no role gains any.
GRANT = """
    GRANT EXECUTE ON FUNCTION
      {schema}.log_turn(jsonb), {schema}.log_append(jsonb, text[], bigint[], bigint)
    TO {role}
"""
NAMES = sa.text("""
    SELECT quote_ident(current_schema()), quote_literal(format('%I.log_event', current_schema()))
""")
RECORDERS = sa.text("""
    WITH granted AS (
      SELECT coalesce(relacl, acldefault('r', relowner)) AS rights
      FROM pg_class WHERE oid = CAST('log_event' AS regclass)
      UNION ALL
      SELECT attacl FROM pg_attribute
      WHERE attrelid = CAST('log_event' AS regclass) AND attnum > 0 AND NOT attisdropped
    )
    SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
    FROM granted, aclexplode(rights) AS a WHERE a.privilege_type = 'INSERT'
    UNION
    SELECT quote_ident(rolname) FROM pg_roles WHERE rolname = 'pg_write_all_data'
""")


def upgrade() -> None:
    """Replace the trigger's function, and revoke the functions from PUBLIC."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return
    schema, log_event = connection.execute(NAMES).one()
    statements = [
        ADVANCES.format(schema=schema, log_event_text=log_event),
        REVOKE.format(schema=schema),
        *(GRANT.format(schema=schema, role=role) for role in connection.scalars(RECORDERS)),
    ]
    for statement in statements:
        # The driver reads a single % as a placeholder; names may contain one.
        connection.exec_driver_sql(statement.replace("%", "%%"))
