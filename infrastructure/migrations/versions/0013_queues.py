"""PostgreSQL: writers queue for their turn, and no event holds a NUL character.

Who waits for the lock of a row is woken when its holder commits, and must then lock the row before
others do. A session that ends its transaction and locks the row again in one message is always
first, so others wait without end; a time-out for locks begins anew each time. A lock on a table is
given to those who wait in their order. So the functions that append lock a table that nobody
changes, ``log_shape``, and ``log_checkpoint`` locks ``evidence_key``. Either lock excludes itself,
and no reader.

The server's types cannot hold a NUL character, which JSON can write with an escape. ``log_append``
refuses such a payload, as the program does.

Each function is installed with its whole text, whatever it was before. So its text does not depend
on the version of Sabot that made the log.
"""

import sqlalchemy as sa
from alembic import op

from sabot.domain.values.errors import UntrustedLog

revision = "0013"
down_revision = "0012"

# As in 0009, with the JSON and its value as ``log_append`` names them.
FITS = r"""
    t IS JSON OBJECT WITH UNIQUE KEYS
    AND (t !~ '[0-9][.eE]'
         OR t !~ E'^([^"]|"([^"\\\\]|\\\\.)*")*[0-9][.eE]')
    AND p - s.keys = '{}' AND p @@ s.fits
    AND (octet_length(t) <= s.short OR {schema}.log_texts_fit(p, s.longest))
    AND (NOT p ? 'instead' OR {schema}.log_event_fits(p->'instead'))
"""
INSERT = r"""
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
                   -- it is no JSON of the server if it holds an escaped NUL
                   f->>8 AS t
            FROM jsonb_array_elements(batch->'events') WITH ORDINALITY AS x (f, place) OFFSET 0
          ) AS r OFFSET 0
        ) AS e;
"""
PLACES = ("place", "row_number() OVER (PARTITION BY stream ORDER BY place)")

FUNCTIONS = {
    "log_event_advances()": r"""
    CREATE OR REPLACE FUNCTION {schema}.log_event_advances()
    RETURNS trigger
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    BEGIN
      IF TG_RELID <> {log_event_text}::regclass OR TG_OP <> 'INSERT' OR TG_WHEN <> 'AFTER'
         OR TG_LEVEL <> 'STATEMENT' THEN
        RAISE restrict_violation
          USING MESSAGE = 'the log is append-only: its head moves with an insert into it alone';
      END IF;
      UPDATE {schema}.log_head AS h SET last_id = a.last
      FROM (SELECT min(id) AS first, max(id) AS last, count(*) AS number FROM added) AS a
      WHERE h.last_id = a.first - 1 AND a.number = a.last - a.first + 1;
      IF NOT FOUND AND EXISTS (SELECT FROM added) THEN
        RAISE restrict_violation
          USING MESSAGE = 'the log is append-only: these rows do not go on from its head';
      END IF;
      RETURN NULL;
    END $$
    """,
    "log_turn(jsonb)": r"""
    CREATE OR REPLACE FUNCTION {schema}.log_turn(streams jsonb)
    RETURNS TABLE(last_id bigint, stream text, version bigint)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    BEGIN
      IF current_setting('max_prepared_transactions') <> '0' THEN
        PERFORM pg_export_snapshot();
      END IF;
      LOCK TABLE {schema}.log_shape IN SHARE UPDATE EXCLUSIVE MODE;
      PERFORM FROM {schema}.log_head FOR NO KEY UPDATE;
      RETURN QUERY
        SELECT h.last_id, s.stream,
               (SELECT max(e.version) FROM {schema}.log_event e WHERE e.stream = s.stream)
        FROM {schema}.log_head h, jsonb_array_elements_text(streams) AS s (stream);
    END $$
    """,
    "log_append(jsonb)": r"""
    CREATE OR REPLACE FUNCTION {schema}.log_append(
      batch jsonb, OUT head bigint, OUT versions bigint[]
    )
    RETURNS record
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
    DECLARE
      streams text[];
      reviews boolean;
      decided integer := jsonb_array_length(batch->'expected');
      now_us bigint := batch->'now';
      store_us bigint;
    BEGIN
      IF current_setting('max_prepared_transactions') <> '0' THEN
        PERFORM pg_export_snapshot();
      END IF;
      LOCK TABLE {schema}.log_shape IN SHARE UPDATE EXCLUSIVE MODE;
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
          'permission denied: ', session_user, ' may not record in the streams of the audit');
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
    "log_checkpoint(text, text)": r"""
    CREATE OR REPLACE FUNCTION {schema}.log_checkpoint(new_note text, new_subtrees text)
    RETURNS boolean
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    DECLARE
      of_log text;
      last bigint;
      new_size bigint := CASE WHEN split_part(new_note, E'\n', 2) ~ '^[1-9][0-9]{0,17}$'
                              THEN split_part(new_note, E'\n', 2) END;
      signed text;
    BEGIN
      IF current_setting('max_prepared_transactions') <> '0' THEN
        PERFORM pg_export_snapshot();
      END IF;
      LOCK TABLE {schema}.evidence_key IN SHARE UPDATE EXCLUSIVE MODE;
      SELECT h.origin, (SELECT max(id) FROM {schema}.log_event)
      INTO of_log, last FROM {schema}.log_head AS h;
      signed := split_part(split_part(new_note, concat(E'\n\n', chr(8212), ' ', of_log, ' '), 2),
                           E'\n', 1);
      IF NOT coalesce(
        new_size <= last AND octet_length(new_note) <= 4000
        AND split_part(new_note, E'\n', 1) = of_log
        AND split_part(new_note, E'\n', 3) ~ '^[A-Za-z0-9+/]{43}=$'
        AND split_part(new_note, E'\n', 4) = '' AND signed ~ '^[A-Za-z0-9+/]{90,92}={0,2}$'
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
    "log_key(text, bigint)": r"""
    CREATE OR REPLACE FUNCTION {schema}.log_key(new_key text, new_since bigint)
    RETURNS void
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    DECLARE
      of_log text;
      last bigint;
    BEGIN
      IF current_setting('max_prepared_transactions') <> '0' THEN
        PERFORM pg_export_snapshot();
      END IF;
      LOCK TABLE {schema}.log_shape IN SHARE UPDATE EXCLUSIVE MODE;
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
}
NAMES = sa.text("""
    SELECT quote_ident(current_schema()), quote_literal(format('%I.log_event', current_schema())),
           quote_literal(format('%I.log_review()', current_schema()))
""")
KNOWN = sa.text("SELECT CAST(:function AS regprocedure)")


def upgrade() -> None:
    """Replace the functions.

    Raises:
        UntrustedLog: somebody changed what a function takes or returns.
    """
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        return
    schema, log_event, log_review = connection.execute(NAMES).one()
    names = {f"{{insert {place}}}": INSERT.replace("{number}", place) for place in PLACES}
    names |= {"{fits}": FITS, "{log_event_text}": log_event, "{log_review_text}": log_review}
    names["{schema}"] = schema  # it comes last: it may contain braces
    for function, text in FUNCTIONS.items():
        connection.execute(KNOWN, {"function": function})  # a missing one has lost its rights too
        try:
            # The driver reads a single % as a placeholder; names may contain one.
            connection.exec_driver_sql(_with_names(text, names).replace("%", "%%"))
        except sa.exc.ProgrammingError as error:
            raise UntrustedLog(
                f"the function {function} of the database was changed: "
                f"{str(error.orig).splitlines()[0]}; find out who did, and put it back"
            ) from error


def _with_names(text: str, names: dict[str, str]) -> str:
    for place, name in names.items():
        text = text.replace(place, name)
    return text
