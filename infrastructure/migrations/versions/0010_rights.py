"""PostgreSQL: a login records only the kinds of events that its role permits.

A trigger checks the rows that were just added. Three functions that do nothing stand for rights, as
``log_review`` did: who may execute ``log_deal`` may record at tables, who may execute ``log_rule``
may record rulings and corrections, and who may execute ``log_review`` may record in the streams of
the audit.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

FUNCTIONS = (
    """
    CREATE FUNCTION {schema}.log_deal() RETURNS void LANGUAGE sql
    SET search_path = pg_catalog, pg_temp AS ''
    """,
    """
    CREATE FUNCTION {schema}.log_rule() RETURNS void LANGUAGE sql
    SET search_path = pg_catalog, pg_temp AS ''
    """,
    # Rulings and corrections change what an earlier event, or the rule pack, says of a coup. An
    # irregularity or a fault of the shuffler may be noted by anyone at the table; the ruling on it
    # may not. A login with both rights needs no look at the rows.
    """
    CREATE FUNCTION {schema}.log_event_permitted() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      deals boolean := has_function_privilege(session_user, {log_deal}, 'EXECUTE');
      rules boolean := has_function_privilege(session_user, {log_rule}, 'EXECUTE');
      rulings CONSTANT text[] := ARRAY[
        'fact-corrected', 'coup-voided', 'card-reassigned', 'rule-pack-adopted'];
      refused text;
    BEGIN
      IF deals AND rules THEN
        RETURN NULL;
      END IF;
      SELECT r.name INTO refused FROM (
        SELECT e.name, CASE
          WHEN e.name = ANY(rulings) THEN rules
          WHEN e.name = 'irregularity-noted'
            THEN rules OR deals AND coalesce(e.payload::json ->> 'ruling', 'none') = 'none'
          WHEN e.name = 'shuffler-failed'
            THEN rules OR deals AND e.payload::json ->> 'disadvantage' IS NULL
          ELSE deals END AS permitted
        FROM added AS e WHERE NOT starts_with(e.stream, 'audit/')
      ) AS r WHERE NOT r.permitted LIMIT 1;
      IF FOUND THEN
        RAISE insufficient_privilege USING MESSAGE = concat(
          'permission denied: ', session_user, ' may not record ', CASE
            WHEN refused = ANY(rulings) OR deals THEN 'rulings and corrections'
            ELSE 'what happens at tables' END, ' (', refused, ')');
      END IF;
      RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER log_event_permitted AFTER INSERT ON {schema}.log_event
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.log_event_permitted()
    """,
    "ALTER TABLE {schema}.log_event ENABLE ALWAYS TRIGGER log_event_permitted",
    """
    REVOKE ALL ON FUNCTION
      {schema}.log_deal(), {schema}.log_rule(), {schema}.log_event_permitted()
    FROM PUBLIC
    """,
)
# Roles that could append to the log before the upgrade can still record every kind of event.
RECORDERS = sa.text("""
    SELECT DISTINCT
      CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
    FROM pg_proc AS p, aclexplode(p.proacl) AS a
    WHERE p.oid = CAST('log_append(jsonb)' AS regprocedure) AND a.grantee <> p.proowner
""")
GRANT = "GRANT EXECUTE ON FUNCTION {schema}.log_deal(), {schema}.log_rule() TO {role}"
NAMES = sa.text("""
    SELECT quote_ident(current_schema()), quote_literal(format('%I.log_deal()', current_schema())),
           quote_literal(format('%I.log_rule()', current_schema()))
""")
APPEND = sa.text("SELECT pg_get_functiondef(CAST('log_append(jsonb)' AS regprocedure))")
FORMER_ADVICE = (
    "' records at tables and may not record in the '\n"
    "          'streams of the audit, which takes the roles of the recorder and the auditor'"
)
ADVICE = "' may not record in the streams of the audit'"


def upgrade() -> None:
    """Add the rights, the trigger that checks them, and the grants of those who could append."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return
    schema, log_deal, log_rule = connection.execute(NAMES).one()
    names = {"{schema}": schema, "{log_deal}": log_deal, "{log_rule}": log_rule}
    recorders = connection.scalars(RECORDERS).all()
    append = connection.scalars(APPEND).one()
    # if somebody changed the function, it stays as it is until 0013 replaces it
    statements = [
        *(_with_names(text, names) for text in FUNCTIONS),
        *(_with_names(GRANT, {**names, "{role}": role}) for role in recorders),
        append.replace(FORMER_ADVICE, ADVICE),
    ]
    for statement in statements:
        # The driver reads a single % as a placeholder; names may contain one.
        connection.exec_driver_sql(statement.replace("%", "%%"))


def _with_names(text: str, names: dict[str, str]) -> str:
    # the role comes last: its name may contain braces
    for place, name in names.items():
        text = text.replace(place, name)
    return text
