"""Add the store's own clock and the login to each event; on PostgreSQL write by a function.

``stored_us`` and ``login`` are set by the store: by the server on PostgreSQL, by the process on
SQLite. ``source`` is the place of an imported event in the log that it comes from. Rows of former
revisions have none of them.

On PostgreSQL a recorder no longer inserts into the table. The function ``log_append`` inserts with
its owner's rights, and sets index, version, clock and login itself. The state of a running
detection belongs to the login that stored it; nobody else can change it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

DEFAULTS = """
    ALTER TABLE {schema}.log_event
    ALTER stored_us SET DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    ALTER login SET DEFAULT session_user
"""

# Roles that could append to the log before the upgrade can still append to it.
RECORDERS = sa.text("""
    SELECT DISTINCT
      CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
    FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace, aclexplode(p.proacl) AS a
    WHERE n.nspname = current_schema() AND p.proname = 'log_append'
""")
# Nobody but the owner inserts into the table or changes it.
WRITERS = sa.text("""
    WITH granted AS (
      SELECT relacl AS rights, relowner AS owner
      FROM pg_class WHERE oid = CAST('log_event' AS regclass)
      UNION ALL
      SELECT a.attacl, c.relowner FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
      WHERE a.attrelid = CAST('log_event' AS regclass) AND a.attnum > 0 AND NOT a.attisdropped
    )
    SELECT DISTINCT
      CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
    FROM granted, aclexplode(rights) AS a
    WHERE a.privilege_type <> 'SELECT' AND a.grantee <> owner
""")

# Names are qualified by schema, and temporary objects come last, so that nothing that a caller
# creates is used in place of the log's objects.
FUNCTIONS = (
    "DROP FUNCTION {schema}.log_append(jsonb, text[], bigint[], bigint)",
    "DROP FUNCTION {schema}.log_turn(jsonb)",
    # A writer's turn is a lock on the head's row, which no other role can take. It is held until
    # the commit can be seen; what follows reads what the writer before has written.
    """
    CREATE FUNCTION {schema}.log_turn(streams jsonb)
    RETURNS TABLE (last_id bigint, stream text, version bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      PERFORM FROM {schema}.log_head FOR NO KEY UPDATE;
      RETURN QUERY
        SELECT h.last_id, s.stream,
               (SELECT max(e.version) FROM {schema}.log_event e WHERE e.stream = s.stream)
        FROM {schema}.log_head h, jsonb_array_elements_text(streams) AS s (stream);
    END $$
    """,
    # Who may execute this may record in the streams of the audit: remarks on findings, audit runs
    # and isolated events. It does nothing.
    """
    CREATE FUNCTION {schema}.log_review() RETURNS void LANGUAGE sql
    SET search_path = pg_catalog, pg_temp AS ''
    """,
    # The whole append in one statement, so that no writer waits for another's round trip. A batch
    # has the keys streams (names), expected (versions of the first of them), now (microseconds) and
    # events. An event is an array of these: place of its stream in streams, event id, name, at_us,
    # recorded_us or null, actor, device, seq, payload as text, and source if there is one. JSON may
    # hold an escaped NUL, which the server's type of text may not.
    # A null head means that nothing was written, since a stream had grown; null versions that the
    # log has lost its head. The plans do not depend on the values, and planning takes longer than
    # appending.
    """
    CREATE FUNCTION {schema}.log_append(batch jsonb, OUT head bigint, OUT versions bigint[])
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan AS $$
    DECLARE
      streams text[] := ARRAY(SELECT jsonb_array_elements_text(batch->'streams'));
      expected bigint[] := ARRAY(SELECT jsonb_array_elements(batch->'expected')::bigint);
      now_us bigint := batch->'now';
      store_us bigint;
      unfit text;
    BEGIN
      SELECT last_id INTO head FROM {schema}.log_head FOR NO KEY UPDATE;
      IF NOT FOUND THEN
        RETURN;
      END IF;
      versions := ARRAY(
        SELECT coalesce(
          (SELECT max(e.version) FROM {schema}.log_event e WHERE e.stream = s.stream), 0)
        FROM unnest(streams) WITH ORDINALITY AS s (stream, place) ORDER BY s.place
      );
      IF expected <> versions[:cardinality(expected)] THEN
        head := NULL;
        RETURN;
      END IF;
      IF EXISTS (SELECT FROM unnest(streams) AS s (stream) WHERE starts_with(s.stream, 'audit/'))
         AND NOT has_function_privilege(session_user, {log_review_text}, 'EXECUTE') THEN
        RAISE insufficient_privilege USING MESSAGE = concat(
          'permission denied: ', session_user, ' records at tables and may not record in the '
          'streams of the audit, which takes the roles of the recorder and the auditor');
      END IF;
      SELECT left(x.f::text, 200) INTO unfit FROM jsonb_array_elements(batch->'events') AS x (f)
      WHERE NOT coalesce(
        octet_length(streams[(f->>0)::int]) BETWEEN 1 AND 400
        AND octet_length(concat(f->>1)) <= 400
        AND octet_length(f->>5) <= 400 AND octet_length(f->>6) <= 400
        AND octet_length(concat(f->>9)) <= 400 AND octet_length(f->>8) <= 60000
        AND abs(coalesce((f->>3)::bigint, 0)) < 9007199254740992
        AND abs(coalesce((f->>4)::bigint, now_us)) < 9007199254740992
        AND abs(coalesce((f->>7)::bigint, 0)) < 9007199254740992
        AND replace(f->>8, chr(92) || 'u0000', '')::json ->> 'type' = f->>2, false)
      LIMIT 1;
      IF FOUND THEN
        RAISE check_violation USING MESSAGE = concat(
          'the log takes no such event, since its payload is not JSON of its type, or a value is '
          'out of range: ', unfit);
      END IF;
      store_us := extract(epoch FROM clock_timestamp()) * 1000000;
      INSERT INTO {schema}.log_event (
        id, event_id, stream, version, name, at_us, recorded_us, actor, device, seq, payload,
        stored_us, login, source
      )
        SELECT head + place, f->>1, streams[(f->>0)::int],
               versions[(f->>0)::int] + row_number() OVER (PARTITION BY f->0 ORDER BY place),
               f->>2, (f->>3)::bigint, coalesce((f->>4)::bigint, now_us), f->>5, f->>6,
               (f->>7)::bigint, f->>8, store_us, session_user, f->>9
        FROM jsonb_array_elements(batch->'events') WITH ORDINALITY AS x (f, place);
    END $$
    """,
    """
    REVOKE ALL ON FUNCTION
      {schema}.log_turn(jsonb), {schema}.log_append(jsonb), {schema}.log_review()
    FROM PUBLIC
    """,
)
GRANT = (
    "GRANT EXECUTE ON FUNCTION {schema}.log_turn(jsonb), {schema}.log_append(jsonb), "
    "{schema}.log_review() TO {role}"
)
REVOKE = (
    "REVOKE INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON {schema}.log_event FROM {role}"
)
OWN_STATE = (
    "ALTER TABLE {schema}.rm_protection ALTER login SET DEFAULT session_user",
    "ALTER TABLE {schema}.rm_protection ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY rm_protection_own ON {schema}.rm_protection USING (login = session_user)",
)
NAMES = sa.text("""
    SELECT quote_ident(current_schema()), quote_literal(format('%I.log_review()', current_schema()))
""")


def upgrade() -> None:
    """Add the columns and delete the states of detections. On PostgreSQL replace functions too."""
    op.add_column("log_event", sa.Column("stored_us", WHOLE))
    op.add_column("log_event", sa.Column("login", KEY))
    op.add_column("log_event", sa.Column("source", KEY))
    op.drop_table("rm_protection")
    op.create_table(
        "rm_protection",
        sa.Column("asked", KEY, primary_key=True),
        sa.Column("login", KEY, primary_key=True, server_default=""),
        sa.Column("program", sa.Text, nullable=False),
        sa.Column("last_id", WHOLE, nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sqlite_strict=True,
    )
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return
    schema, log_review = connection.execute(NAMES).one()
    recorders = connection.scalars(RECORDERS).all()
    writers = connection.scalars(WRITERS).all()
    named = {"{schema}": schema, "{log_review_text}": log_review}
    statements = [
        *(_with_names(text, named) for text in (DEFAULTS, *FUNCTIONS, *OWN_STATE)),
        *(_with_names(GRANT, {**named, "{role}": role}) for role in recorders),
        *(_with_names(REVOKE, {**named, "{role}": role}) for role in writers),
    ]
    for statement in statements:
        # The driver reads a single % as a placeholder; names may contain one.
        connection.exec_driver_sql(statement.replace("%", "%%"))


def _with_names(text: str, names: dict[str, str]) -> str:
    # the role comes last: its name may contain braces
    for place, name in names.items():
        text = text.replace(place, name)
    return text
