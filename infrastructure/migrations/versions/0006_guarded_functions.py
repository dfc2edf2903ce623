"""PostgreSQL: only recorders run the log's functions, and only an insert into it moves its head.

A function may be run by PUBLIC unless that is revoked. ``log_event_advances`` has its owner's
rights, so whoever could run it could attach it to a temporary table and move the head of the log.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

# Names carry their schema, so that nobody's objects stand in for the log's. {log_event_text} is
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

# A trigger fires without its user's right to run the function; to make one needs that right.
REVOKE = """
    REVOKE ALL ON FUNCTION
      {schema}.log_turn(jsonb), {schema}.log_append(jsonb, text[], bigint[], bigint),
      {schema}.log_event_advances(), {schema}.log_refuses()
    FROM PUBLIC
"""

# Whoever may insert events into an existing log may still append to it after the upgrade: the
# table's owner, who was granted INSERT on the table or on columns of it, and pg_write_all_data.
# The functions insert with the rights of who calls them, so this gives nobody more than he has.
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
    """Replace the trigger's function, and take the right to run the functions from PUBLIC."""
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
        # The driver takes a single % for a place of a value; names may hold one.
        connection.exec_driver_sql(statement.replace("%", "%%"))
