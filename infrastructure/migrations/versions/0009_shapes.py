"""PostgreSQL: the functions check the payloads of events, checkpoints and public keys.

``log_append`` takes a payload only if it has the shape of its kind (`event_shapes`). A recorder no
longer inserts into the tables of evidence: ``log_checkpoint`` and ``log_key`` do, with the rights
of their owner.
"""

import sqlalchemy as sa
from alembic import op

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.database.event_shapes import install_shapes

revision = "0009"
down_revision = "0008"

_OLDEST_SERVER = 160_000

SHAPES = """
    CREATE TABLE {schema}.log_shape (
      name text COLLATE "C" PRIMARY KEY, keys text[] NOT NULL, fits jsonpath NOT NULL,
      short integer NOT NULL, longest jsonb NOT NULL
    )
"""

# The payload {text}, which {json} is the value of, has the shape s. The shape does not show keys
# that stand twice, and numbers such as 1.0: an event has neither. The second expression on numbers
# skips the texts. E'…' has the same meaning whatever the session's settings.
FITS = """
    {text} IS JSON OBJECT WITH UNIQUE KEYS
    AND ({text} !~ '[0-9][.eE]'
         OR {text} !~ E'^([^"]|"([^"\\\\\\\\]|\\\\\\\\.)*")*[0-9][.eE]')
    AND {json} - s.keys = '{}' AND {json} @@ s.fits
    AND (octet_length({text}) <= s.short OR {schema}.log_texts_fit({json}, s.longest))
    AND (NOT {json} ? 'instead' OR {schema}.log_event_fits({json}->'instead'))
"""

INSERT = """
      INSERT INTO {schema}.log_event (
        id, event_id, stream, version, name, at_us, recorded_us, actor, device, seq, payload,
        stored_us, login, source
      )
        SELECT head + place, event_id, streams[stream], versions[stream] + {number}, name,
               at_us, coalesce(recorded_us, now_us), actor, device, seq,
               CASE WHEN coalesce(
                 octet_length(streams[stream]) BETWEEN 1 AND 400
                 AND coalesce(octet_length(event_id), 0) <= 400
                 AND octet_length(actor) <= 400 AND octet_length(device) <= 400
                 AND coalesce(octet_length(source), 0) <= 400 AND octet_length(t) <= 60000
                 AND coalesce(abs(at_us), 0) < 9007199254740992
                 AND abs(coalesce(recorded_us, now_us)) < 9007199254740992
                 AND coalesce(abs(seq), 0) < 9007199254740992
                 AND p->>'type' = name
                 AND (SELECT {fits} FROM {schema}.log_shape AS s WHERE s.name = e.name),
               false) THEN payload ELSE {schema}.log_unfit(f) END,
               store_us, session_user, source
        FROM (
          SELECT r.*, t::jsonb AS p FROM (
            SELECT f, place, (f->>0)::int AS stream, f->>1 AS event_id, f->>2 AS name,
                   (f->>3)::bigint AS at_us, (f->>4)::bigint AS recorded_us, f->>5 AS actor,
                   f->>6 AS device, (f->>7)::bigint AS seq, f->>8 AS payload, f->>9 AS source,
                   -- JSON may hold an escaped NUL, which the server's types may not
                   replace(f->>8, E'\\\\u0000', E'\\\\u0001') AS t
            FROM jsonb_array_elements(batch->'events') WITH ORDINALITY AS x (f, place) OFFSET 0
          ) AS r OFFSET 0
        ) AS e;
"""
PLACES = ("place", "row_number() OVER (PARTITION BY stream ORDER BY place)")

FUNCTIONS = (
    """
    CREATE FUNCTION {schema}.log_texts_fit(payload jsonb, longest jsonb) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      RETURN NOT EXISTS (
        SELECT FROM jsonb_each_text(longest) AS l (path, most),
                    jsonb_path_query(payload, l.path::jsonpath) AS t (value)
        WHERE char_length(t.value #>> '{}') > l.most::bigint
      );
    END $$
    """,
    # an event within another, such as the one that really happened
    """
    CREATE FUNCTION {schema}.log_event_fits(payload jsonb) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      RETURN payload = 'null' OR coalesce((
        SELECT payload - s.keys = '{}' AND payload @@ s.fits
               AND {schema}.log_texts_fit(payload, s.longest)
               AND (NOT payload ? 'instead' OR {schema}.log_event_fits(payload->'instead'))
        FROM {schema}.log_shape AS s WHERE s.name = payload->>'type'
      ), false);
    END $$
    """,
    """
    CREATE FUNCTION {schema}.log_unfit(event jsonb) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      RAISE check_violation USING MESSAGE = concat(
        'the log takes no such event, since its payload is not an event of this kind, or a value '
        'is out of range: ', left(event::text, 200));
    END $$
    """,
    # As before, except for the shape. Streams and their versions are found, and rows made and
    # inserted, in one query each, since each query costs as much as some events.
    """
    CREATE OR REPLACE FUNCTION {schema}.log_append(
      batch jsonb, OUT head bigint, OUT versions bigint[]
    )
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan AS $$
    DECLARE
      streams text[];
      reviews boolean;
      decided integer := jsonb_array_length(batch->'expected');
      now_us bigint := batch->'now';
      store_us bigint;
    BEGIN
      SELECT last_id INTO head FROM {schema}.log_head FOR NO KEY UPDATE;
      IF NOT FOUND THEN
        RETURN;
      END IF;
      SELECT array_agg(s.stream ORDER BY s.place), bool_or(starts_with(s.stream, 'audit/')),
             coalesce(array_agg(coalesce((
               SELECT max(e.version) FROM {schema}.log_event e WHERE e.stream = s.stream
             ), 0) ORDER BY s.place), '{}')
      INTO streams, reviews, versions
      FROM jsonb_array_elements_text(batch->'streams') WITH ORDINALITY AS s (stream, place);
      IF decided > 0 AND to_jsonb(versions[:decided]) <> batch->'expected' THEN
        head := NULL;
        RETURN;
      END IF;
      IF reviews AND NOT has_function_privilege(session_user, {log_review_text}, 'EXECUTE') THEN
        RAISE insufficient_privilege USING MESSAGE = concat(
          'permission denied: ', session_user, ' records at tables and may not record in the '
          'streams of the audit, which takes the roles of the recorder and the auditor');
      END IF;
      store_us := extract(epoch FROM clock_timestamp()) * 1000000;
      -- the place in a batch of one stream numbers its versions; no rows have to be sorted
      IF cardinality(streams) = 1 THEN
        {insert place}
      ELSE
        {insert row_number() OVER (PARTITION BY stream ORDER BY place)}
      END IF;
    END $$
    """,
    # The note is text of this log's origin, of a size that the log has, with a signature that names
    # a key of the log. Only a program can check the signature itself, and `sabot verify` does.
    # False if there is another checkpoint of this size.
    """
    CREATE FUNCTION {schema}.log_checkpoint(new_note text, new_subtrees text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      of_log text;
      last bigint;
      new_size bigint := CASE WHEN split_part(new_note, E'\\n', 2) ~ '^[1-9][0-9]{0,17}$'
                              THEN split_part(new_note, E'\\n', 2) END;
      signed text;
    BEGIN
      SELECT h.origin, (SELECT max(id) FROM {schema}.log_event)
      INTO of_log, last FROM {schema}.log_head AS h;
      signed := split_part(split_part(new_note, concat(E'\\n\\n', chr(8212), ' ', of_log, ' '), 2),
                           E'\\n', 1);
      IF NOT coalesce(
        new_size <= last AND octet_length(new_note) <= 4000
        AND split_part(new_note, E'\\n', 1) = of_log
        AND split_part(new_note, E'\\n', 3) ~ '^[A-Za-z0-9+/]{43}=$'
        AND split_part(new_note, E'\\n', 4) = '' AND signed ~ '^[A-Za-z0-9+/]{90,92}={0,2}$'
        AND new_subtrees ~ '^[A-Za-z0-9+/]*={0,2}$'
        AND octet_length(decode(new_subtrees, 'base64')) = 32 * bit_count(new_size::bit(64))
        AND EXISTS (SELECT FROM {schema}.evidence_key AS k WHERE split_part(k.verifier_key, '+', 2)
                    = encode(substr(decode(signed, 'base64'), 1, 4), 'hex')), false)
      THEN
        RAISE check_violation USING MESSAGE = concat(
          'the log takes no such checkpoint: it is not of this log or of its key, or covers more '
          'events than there are: ', left(new_note, 200));
      END IF;
      INSERT INTO {schema}.evidence_checkpoint (size, note, subtrees, made_us)
      VALUES (new_size, new_note, new_subtrees,
              (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
      ON CONFLICT DO NOTHING;
      RETURN FOUND OR EXISTS (SELECT FROM {schema}.evidence_checkpoint AS c
                              WHERE c.size = new_size AND c.note = new_note);
    END $$
    """,
    # A log has one key. Its owner could add another by hand.
    """
    CREATE FUNCTION {schema}.log_key(new_key text, new_since bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      of_log text;
      last bigint;
    BEGIN
      SELECT origin, last_id INTO of_log, last FROM {schema}.log_head FOR NO KEY UPDATE;
      IF EXISTS (SELECT FROM {schema}.evidence_key WHERE verifier_key = new_key) THEN
        RETURN;
      END IF;
      IF EXISTS (SELECT FROM {schema}.evidence_key) OR NOT coalesce(
        new_since BETWEEN 0 AND last AND split_part(new_key, '+', 1) = of_log
        AND substr(new_key, length(of_log) + 1) ~ '^[+][0-9a-f]{8}[+][A-Za-z0-9+/]{44}$', false)
      THEN
        RAISE check_violation USING MESSAGE = concat(
          'the log takes no such key: it has one already, or this one does not name this log: ',
          left(new_key, 200));
      END IF;
      INSERT INTO {schema}.evidence_key (verifier_key, since, made_us)
      VALUES (new_key, new_since, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
    END $$
    """,
    """
    REVOKE ALL ON FUNCTION
      {schema}.log_texts_fit(jsonb, jsonb), {schema}.log_event_fits(jsonb),
      {schema}.log_unfit(jsonb), {schema}.log_checkpoint(text, text), {schema}.log_key(text, bigint)
    FROM PUBLIC
    """,
)
GRANT = (
    "GRANT EXECUTE ON FUNCTION {schema}.log_checkpoint(text, text), {schema}.log_key(text, bigint) "
    "TO {role}"
)
REVOKE = (
    "REVOKE INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER "
    "ON {schema}.evidence_key, {schema}.evidence_checkpoint FROM {role}"
)
# Roles that signed the log before the upgrade, other than the owner of the tables.
SIGNERS = sa.text("""
    SELECT DISTINCT
      CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
    FROM pg_class AS c, aclexplode(c.relacl) AS a
    WHERE c.oid IN (CAST('evidence_key' AS regclass), CAST('evidence_checkpoint' AS regclass))
      AND a.privilege_type <> 'SELECT' AND a.grantee <> c.relowner
""")
NAMES = sa.text("""
    SELECT quote_ident(current_schema()), quote_literal(format('%I.log_review()', current_schema()))
""")


def upgrade() -> None:
    """Add the shapes and functions. Revoke the right to insert evidence."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return
    if int(connection.exec_driver_sql("SHOW server_version_num").scalar_one()) < _OLDEST_SERVER:
        raise BadInput("this PostgreSQL server is too old for Sabot; use PostgreSQL 16 or newer")
    schema, log_review = connection.execute(NAMES).one()
    fits = FITS.replace("{text}", "t").replace("{json}", "p")
    inserts = {f"{{insert {place}}}": INSERT.replace("{number}", place) for place in PLACES}
    named = {**inserts, "{fits}": fits, "{schema}": schema, "{log_review_text}": log_review}
    signers = connection.scalars(SIGNERS).all()
    statements = [_with_names(text, named) for text in (SHAPES, *FUNCTIONS)]
    for role in signers:
        statements += [_with_names(text, {**named, "{role}": role}) for text in (GRANT, REVOKE)]
    for statement in statements:
        # The driver reads a single % as a placeholder; names may contain one.
        connection.exec_driver_sql(statement.replace("%", "%%"))
    install_shapes(connection)


def _with_names(text: str, names: dict[str, str]) -> str:
    # the role comes last: its name may contain braces
    for place, name in names.items():
        text = text.replace(place, name)
    return text
