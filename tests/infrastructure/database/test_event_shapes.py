"""PostgreSQL accepts exactly the payloads that the program can decode."""

import hashlib
import json
from pathlib import Path

import msgspec
import psycopg
import pytest

from sabot.domain import events as ev
from sabot.infrastructure.database.event_shapes import event_shapes
from sabot.infrastructure.migrations import versions
from tests.support.for_each import for_each
from tests.support.thorough import slow

DECODE = msgspec.json.Decoder(ev.Event).decode
SHAPES = [
    json.loads(line)["payload"]
    for line in (Path(__file__).parents[1] / "event_shapes.jsonl").read_text().splitlines()
]
VALUES = (
    None, True, False, -1, 0, 1, 9, 10, 101, 2**53 - 1, 2**53, "", "x", "x\n", "Th", "player",
    "x" * 101, "é" * 100, "x" * 2001, "0" * 64, "2026-01-31", [], {}, [1], ["x"], [{}], [None],
)  # fmt: skip

APPEND = """
    SELECT log_append(jsonb_build_object('streams', jsonb_build_array('shoe/A'), 'now', 1,
      'events', jsonb_build_array(
        jsonb_build_array(1, NULL, %s::text, NULL, NULL, '', '', NULL, %s::text))))
"""


def mutants(payload):
    """Yield payloads with a key taken out or added, or another value in the place of one."""
    yield {**payload, "unknown": 1}
    for key, value in payload.items():
        if key == "type":
            continue
        yield {other: payload[other] for other in payload if other != key}
        yield from ({**payload, key: new} for new in VALUES)
        if isinstance(value, dict):
            yield from ({**payload, key: some} for some in mutants(value))
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield from ({**payload, key: [*value, some]} for some in mutants(value[0]))


def decodes(text):
    try:
        DECODE(text)
    except (msgspec.MsgspecError, UnicodeError):
        return False
    return True


@slow
def test_the_shapes_are_those_of_the_types(postgres_url):
    texts = [json.dumps(some) for shape in SHAPES for some in [shape, *mutants(shape)]]
    due = [decodes(text) for text in texts]
    assert sum(due) > len(SHAPES) < len(due) - sum(due)
    with psycopg.connect(postgres_url) as owner:
        found = owner.execute(
            "SELECT log_event_fits(p::jsonb) FROM unnest(%s::text[]) AS t (p)", (texts,)
        ).fetchall()
    wrong = [text for text, (fits,), is_due in zip(texts, found, due) if fits != is_due]  # noqa: B905
    assert wrong == []


@for_each(
    "payload",
    [
        pytest.param('{"coup":1,"type":"coup-closed"}', id="as the program writes it"),
        pytest.param('{ "coup" : 1 , "type" : "coup-closed" }', id="with spaces"),
        pytest.param('{"coup":1.0,"type":"coup-closed"}', id="a fraction of nothing"),
        pytest.param('{"coup":1e2,"type":"coup-closed"}', id="an exponent"),
        pytest.param('{"coup":0,"coup":1,"type":"coup-closed"}', id="a key twice"),
        pytest.param('{"coup":9007199254740992,"type":"coup-closed"}', id="beyond 2**53 - 1"),
        pytest.param('{"coup":1,"type":"coup-ended"}', id="an unknown kind"),
        pytest.param(
            r'{"detail":"at 1.5e3 \" 2.5 \\","kind":"other","type":"irregularity-noted"}',
            id="numbers in a text",
        ),
        pytest.param(
            r'{"detail":"\\\" 1.0","coup":1.0,"kind":"other","type":"irregularity-noted"}',
            id="a fraction after quoted quotes",
        ),
        pytest.param(
            r'{"detail":"\\u0000 \u0001","kind":"other","type":"irregularity-noted"}',
            id="what looks like an escaped NUL",
        ),
        pytest.param('{"detail":"\\ud800","kind":"other","type":"irregularity-noted"}', id="half"),
    ],
)
def test_a_text_is_appended_if_it_can_be_decoded(postgres_url, payload):
    """The text decides too: what a JSON value does not show, such as a key that stands twice."""
    name = payload.rpartition('"type"')[2].strip(' :"}')
    with psycopg.connect(postgres_url, autocommit=True) as owner:
        if decodes(payload):
            owner.execute(APPEND, (name, payload))
            newest = "SELECT payload FROM log_event ORDER BY id DESC LIMIT 1"
            (stored,) = owner.execute(newest).fetchone()
            assert stored == payload
        else:
            with pytest.raises((psycopg.errors.CheckViolation, psycopg.errors.DataError)):
                owner.execute(APPEND, (name, payload))


def test_the_database_has_the_shapes_of_this_program(postgres_url):
    with psycopg.connect(postgres_url) as owner:
        found = owner.execute("SELECT name, keys, short, longest FROM log_shape ORDER BY 1")
        assert found.fetchall() == [
            (shape.name, shape.keys, shape.short, shape.longest) for shape in event_shapes()
        ]


def test_changed_shapes_come_with_a_migration():
    """A log of an earlier program has its shapes until a migration calls `install_shapes`.

    Whoever changes an event adds such a migration, and puts its revision and the new digest here.
    """
    folder = Path(versions.__file__).parent
    installing = [path.name[:4] for path in folder.glob("[0-9]*.py")
                  if "install_shapes(connection)" in path.read_text()]  # fmt: skip
    digest = hashlib.sha256(repr(event_shapes()).encode()).hexdigest()
    assert (max(installing), digest) == (
        "0009",
        "fa3f11c26b17acc72e461d3c784ac94dbb2bc0cee99ccb94bf3353c2fa25126d",
    )
