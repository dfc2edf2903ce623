"""Exports are canonical and complete. They are read back unchanged or refused."""

import contextlib
import json
from typing import get_args

import msgspec
import pytest
import rfc8785
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.review import ReviewEvent
from sabot.domain.events.upcasting import LEGACY, Legacy
from sabot.domain.state.shoe import fold
from sabot.domain.values.errors import BadInput, ContentConflict, NotFound, UntrustedLog
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.evidence.event_line import event_line
from sabot.infrastructure.exports.event_lines import (
    export_lines,
    is_event_line,
    read_event_line,
)
from sabot.infrastructure.imports.import_files import import_files, restore_files
from sabot.infrastructure.log.codec import StoredRow, row_of
from sabot.infrastructure.log.event_log import EventLog
from tests.support.any_events import payloads
from tests.support.for_each import for_each
from tests.support.thorough import one_store

pytestmark = one_store

LOADED = ev.ShoeLoaded(8, "", "0" * 64)
ROW = StoredRow(
    57,
    "e-1",
    "shoe/H",
    12,
    "card-drawn",
    1_767_297_600_500_000,
    1_767_297_600_600_000,
    "floor",
    "reader-7",
    3,
    '{"card":"Th","coup":1,"hand":"player","type":"card-drawn"}',
)


def written(row=ROW, origin="casino/1"):
    return event_line(row, origin)


def test_a_line_as_it_is_documented():
    assert written() == (
        b'{"actor":"floor","at_us":1767297600500000,"device":"reader-7","event_id":"e-1",'
        b'"index":57,"name":"card-drawn","origin":"casino/1",'
        b'"payload":{"card":"Th","coup":1,"hand":"player","type":"card-drawn"},'
        b'"recorded_us":1767297600600000,"schema":"sabot-event-1","seq":3,"stream":"shoe/H",'
        b'"version":12}'
    )
    assert read_event_line(written()) == (ROW, "casino/1")


def test_a_line_covers_every_column():
    assert StoredRow._fields == tuple(column.name for column in log_event.c)
    other = {
        "id": 58,
        "event_id": None,
        "stream": "shoe/I",
        "version": 13,
        "name": "card-burned",
        "at_us": None,
        "recorded_us": 1,
        "actor": "",
        "device": "reader-8",
        "seq": None,
        "payload": '{"type":"card-burned"}',
        "stored_us": 1,
        "login": "reader",
        "source": "casino/0#3",
    }
    lines = {written(ROW._replace(**{name: value})) for name, value in other.items()}
    assert len(lines | {written(), written(origin="casino/2")}) == len(other) + 2


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@given(payloads(), TEXTS, TEXTS, TEXTS, st.integers(0, 2**53 - 1) | st.none())
def test_a_line_is_canonical_and_read_back(decoded, name, actor, device, number):
    kinds = {
        "shoe": ev.ShoeEvent, "table": ev.TableEvent, "cards": ev.CardBatchEvent, "audit":
        ReviewEvent,
    }  # fmt: skip
    kind = next(kind for kind, some in kinds.items() if type(decoded) in get_args(some))
    draft = NewEvent(f"{kind}/x{name}", decoded, number, actor, device, number, device or None)
    try:
        row = row_of(draft)
    except BadInput:  # nothing that the log would keep
        assume(False)
    stored = StoredRow(
        7, row.event_id, row.stream, 3, row.name, row.at_us, 1, row.actor, row.device, row.seq,
        row.payload,
    )  # fmt: skip
    line = written(stored)
    assert rfc8785.dumps(json.loads(line)) == line
    try:
        assert read_event_line(line) == (stored, "casino/1")
    except BadInput:  # a correction of a shoe's event by a table's, or the other way
        assert isinstance(decoded, ev.EventCorrected)
        assert decoded.instead is not None


def test_a_line_says_what_the_store_knows():
    row = ROW._replace(stored_us=1_767_297_600_700_000, login="recorder", source="casino/0#3")
    assert (
        json.loads(written(row)).items()
        >= {
            "schema": "sabot-event-2",
            "stored_us": 1_767_297_600_700_000,
            "login": "recorder",
            "source": "casino/0#3",
        }.items()
    )
    assert rfc8785.dumps(json.loads(written(row))) == written(row)
    assert read_event_line(written(row)) == (row, "casino/1")


@given(st.data())
def test_a_changed_line_is_refused_or_says_something_else(data):
    line = written()
    place = data.draw(st.integers(0, len(line)))
    kept = data.draw(st.integers(0, 3))
    new = data.draw(
        st.binary(max_size=3)
        | st.sampled_from([b" ", b"0", b"null", b"\\u0041", b"+1", b"1.0", b"H", b'"coup":1,'])
    )
    changed = line[:place] + new + line[place + kept :]
    with contextlib.suppress(BadInput):
        row, origin = read_event_line(changed)
        # what is accepted is exactly what an export of that event writes
        assert written(row, origin) == changed


@given(st.binary(max_size=100))
@example(b'{"actor":' + b"[" * 5000)
def test_any_bytes_are_refused(data):
    with pytest.raises(BadInput):
        read_event_line(data)


@for_each(
    ("old", "new", "told"),
    [
        (b":57", b": 57", "not in the export's own form"),
        (b'"coup":1', b'"coup":1,"face_up":false', "not in the export's own form"),
        (b'"coup":1', b'"coup":1,"coup":1', "the key 'coup' occurs twice"),
        (b'"card":"Th","coup":1', b'"coup":1,"card":"Th"', "not in the export's own form"),
        (b'"actor":"floor",', b"", "the key 'actor' is missing; it is not a line of an export"),
        (b'"version":12', b'"version":0', "version: expected a whole number >= 1"),
        (b'"version":12', b'"version":12,"w":1', "the key 'w' is unknown"),
        (b"sabot-event-1", b"sabot-event-3", "schema: invalid enum value 'sabot-event-3'"),
        (b"sabot-event-1", b"sabot-event-2", "the key 'stored_us' is missing"),
        (b'"Th"', b'"Tx"', "payload: it is not an event of this program (Invalid enum value 'Tx'"),
        (b'"name":"card-drawn"', b'"name":"card-burned"', "name: the payload is a card-drawn"),
        (
            b"shoe/H",
            b"table/H",
            "card-drawn belongs in shoe/NAME, and 'table/H' is of another kind",
        ),
        (b"floor", b"x" * 70_000, "longer than 65536 bytes"),
        (b"floor", b"\\ud800", "half of a surrogate pair"),
    ],
)
def test_what_no_export_wrote(old, new, told):
    changed = written().replace(old, new, 1)
    assert changed != written()
    with pytest.raises(BadInput) as caught:
        read_event_line(changed)
    assert told in str(caught.value)


def test_an_export_is_known_by_its_first_line():
    assert is_event_line(written())
    assert is_event_line(json.dumps(json.loads(written())).encode())
    assert is_event_line(b"\xef\xbb\xbf" + written() + b"\r\n")
    assert is_event_line(written()[:-1])
    assert not is_event_line(b'{"shoe":"payload","table":"recorded_us"}')
    assert not is_event_line(b'{"shoe":"H","coup":1,"player":[],"banker":[]}')
    assert not is_event_line(b"shoe,coup,player,banker")
    assert not is_event_line(b"")


# -- Whole logs -------------------------------------------------------------------------------


def shoe(name, *, coups=2, device="d", start=0):
    """Drafts of a shoe with an absurdity, a correction, and clocks that are not in step."""
    stream = f"shoe/{name}"
    events_ = [LOADED]
    for coup in range(1, coups + 1):
        events_ += [
            ev.CoupOpened(coup),
            ev.CardDrawn(coup, "player", "Th", place=coup),
            ev.CardDrawn(9, "banker", "4"),
            ev.CoupClosed(coup),
        ]
    events_.append(ev.EventCorrected(3, "misread", instead=ev.CardDrawn(1, "player", "9h")))
    return [
        NewEvent(stream, decoded, None if n % 3 else 10**15 - n, "anna", device, start + n)
        for n, decoded in enumerate(events_)
    ]


def filled(log):
    """Two shoes that were dealt at the same time, and a table."""
    first, second = shoe("A"), shoe("B\u00e9", device="e")
    for one, other in zip(first, second, strict=True):
        log.append([one])
        log.append([other])
    log.append([NewEvent("table/T1", ev.TableClosed(5), event_id="closed")])
    return log


@pytest.fixture
def other(request, database_url):
    """An empty log on the other store."""
    name = "postgres_url" if database_url.endswith(".sabot") else "sqlite_url"
    with EventLog.open(request.getfixturevalue(name)) as opened:
        yield opened


def saved(log, path, streams=None):
    path.write_bytes(b"".join(export_lines(log, streams=streams)))
    return str(path)


def without_store(line):
    """Return what a line says of its event, but for the store that the event is in."""
    own = {"origin", "stored_us", "login", "source"}
    return {key: value for key, value in json.loads(line).items() if key not in own}


def test_a_whole_log_restored_into_an_empty_store_exports_the_same_bytes(log, other, tmp_path):
    file = saved(filled(log), tmp_path / "all.jsonl")
    assert restore_files(other, [file]) == 21
    assert list(export_lines(other)) == list(export_lines(log))
    with pytest.raises(BadInput, match="restore into an empty one"):
        restore_files(other, [file])


def test_events_in_streams_of_other_kinds_are_restored(log, tmp_path):
    """A database takes them from any program, so they must not stand in the way of restoring."""
    drafts = [
        NewEvent("shoe/H", ev.TableClosed(5)),
        NewEvent("table/T", ev.CoupOpened(1)),
        NewEvent("elsewhere", ev.CoupOpened(1)),
        NewEvent("shoe/", ev.CoupOpened(1)),
    ]
    log.append(drafts)
    file = saved(log, tmp_path / "all.jsonl")
    with EventLog.open(str(tmp_path / "new.sabot")) as restored:
        assert restore_files(restored, [file]) == len(drafts)
        assert list(export_lines(restored)) == list(export_lines(log))
    with EventLog.open(str(tmp_path / "other.sabot")) as other:
        with pytest.raises(BadInput, match="is of another kind"):
            import_files(other, [file])
        assert other.head() == 0


def test_an_imported_log_says_the_same_and_where_it_is_from(log, other, tmp_path):
    filled(log)
    lines = list(export_lines(log))
    assert [json.loads(line)["index"] for line in lines] == list(range(1, len(lines) + 1))
    added = import_files(other, [saved(log, tmp_path / "all.jsonl")])
    assert (added.shoes, added.coups, added.events, added.already) == (2, 4, 21, 0)
    assert list(map(without_store, export_lines(other))) == list(map(without_store, lines))
    sources = [json.loads(line)["source"] for line in export_lines(other)]
    assert sources == [f"{log.origin}#{index}" for index in range(1, 22)]
    again = import_files(other, [str(tmp_path / "all.jsonl")])
    assert (again.shoes, again.coups, again.events, again.already) == (0, 0, 0, 4)
    assert other.head() == 21


def test_a_shoe_alone_is_the_same_in_a_log_that_has_others(log, other, tmp_path):
    filled(log)
    other.append(shoe("C", device="f"))
    added = import_files(other, [saved(log, tmp_path / "a.jsonl", ["shoe/A"])])
    assert (added.shoes, added.coups, added.events) == (1, 2, 10)
    here, there = log.read("shoe/A"), other.read("shoe/A")
    same = [msgspec.structs.replace(event, index=0) for event in here]
    assert [msgspec.structs.replace(event, index=0) for event in there] == same
    verdicts = [
        [(x.code, x.coup, x.expected, x.observed) for x in audit_shoe(fold("shoe/A", e)).findings]
        for e in (here, there)
    ]
    assert verdicts[0] == verdicts[1] != []


def test_a_shoe_that_has_gone_on_is_brought_up_to_date(log, other, tmp_path):
    drafts = shoe("A")
    log.append(drafts[:5])
    import_files(other, [saved(log, tmp_path / "first.jsonl")])
    log.append(drafts[5:])
    added = import_files(other, [saved(log, tmp_path / "second.jsonl")])
    assert (added.shoes, added.coups, added.events, added.already) == (0, 1, 5, 1)
    here, there = (list(map(without_store, export_lines(each))) for each in (other, log))
    assert here == there


def test_two_shoes_of_one_log_in_two_files(log, other, tmp_path):
    filled(log)
    files = [
        saved(log, tmp_path / f"{n}.jsonl", [n.replace("-", "/")]) for n in ("shoe-A", "table-T1")
    ]
    assert import_files(other, files).events == 11


def test_a_dry_run_restores_nothing(log, other, tmp_path):
    file = saved(filled(log), tmp_path / "all.jsonl")
    assert import_files(other, [file], dry_run=True).events == 21
    assert other.head() == 0


def test_an_old_shape_leaves_and_returns_as_it_was_stored(sqlite_url, tmp_path, monkeypatch):
    class OldBurn(msgspec.Struct):
        face: str

    old = Legacy(OldBurn, lambda burn: ev.CardBurned(burn.face))
    monkeypatch.setitem(LEGACY, "card-thrown-away", old)
    payload = '{"face":"7c","type":"card-thrown-away"}'
    row = ROW._replace(id=2, version=2, name="card-thrown-away", payload=payload)
    first = row_of(shoe("H")[0])
    head = StoredRow(1, None, "shoe/H", 1, first.name, None, 1, "", "", None, first.payload)
    with EventLog.open(sqlite_url) as log:
        log.restore([head, row], origin="old/1")
        assert log.read("shoe/H")[1].payload == ev.CardBurned("7c")
        lines = list(export_lines(log))
        assert b'"payload":{"face":"7c","type":"card-thrown-away"}' in lines[1]
        file = saved(log, tmp_path / "old.jsonl")
    with EventLog.open(str(tmp_path / "new.sabot")) as log:
        restore_files(log, [file])
        assert list(export_lines(log)) == lines


def test_there_is_no_such_stream(log):
    with pytest.raises(NotFound, match="no shoe 'Z' in the log; "):
        list(export_lines(log, streams=["shoe/Z"]))


def test_a_row_that_was_tampered_with_is_not_exported(sqlite_url):
    with EventLog.open(sqlite_url) as log:
        log.restore(
            [ROW._replace(id=1, version=1, payload=ROW.payload.replace("Th", "Tx"))], origin="x"
        )
        with pytest.raises(
            UntrustedLog, match=r"event 1 \(shoe/H version 1, named 'card-drawn'\) cannot"
        ):
            list(export_lines(log))


def edited(log, tmp_path, edit):
    lines = list(export_lines(log))
    file = tmp_path / "edited.jsonl"
    file.write_bytes(b"".join(edit(lines)))
    return str(file)


def moved(lines):
    return [*lines[:4], lines[5], lines[4], *lines[6:]]


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (moved, "edited.jsonl:6: event 5 stands behind event 6"),
        (lambda lines: lines[2:], "goes on with version 1 here, and version 2 comes next"),
        (lambda lines: lines[:4] + lines[5:], "and version 4 comes next; export the whole stream"),
        (lambda lines: [*lines, lines[-1]], "event 21 stands behind event 21"),
        (
            lambda lines: [lines[0].replace(b'"origin":"', b'"origin":"x'), *lines[1:]],
            "the line is of another log",
        ),
        (
            lambda lines: [lines[0].replace(b'":"', b'": "'), *lines[1:]],
            "edited.jsonl:1: the line is not",
        ),
        (lambda lines: [*lines, b"{}\n"], "edited.jsonl:22: the key 'actor' is missing"),
        (lambda lines: [lines[0], b'{"shoe":"H"}\n'], "edited.jsonl:2: the key 'shoe' is unknown"),
    ],
)
def test_an_export_that_was_edited(edit, told, sqlite_url, tmp_path):
    with EventLog.open(sqlite_url) as log:
        file = edited(filled(log), tmp_path, edit)
    with EventLog.open(str(tmp_path / "new.sabot")) as new:
        with pytest.raises(BadInput) as caught:
            import_files(new, [file])
        assert told in str(caught.value)
        assert new.head() == 0


def test_a_shoe_begins_with_its_loading_in_an_export_too(sqlite_url, tmp_path):
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("shoe/H", ev.CoupOpened(1))])
        file = saved(log, tmp_path / "h.jsonl")
        with pytest.raises(BadInput, match="a shoe begins with shoe-loaded"):
            import_files(log, [file])


def test_an_export_that_contradicts_the_log(sqlite_url, tmp_path):
    with EventLog.open(sqlite_url) as log:
        file = edited(
            filled(log), tmp_path, lambda lines: [x.replace(b'"Th"', b'"9h"') for x in lines]
        )
        with pytest.raises(ContentConflict, match="with another payload"):
            import_files(log, [file])
        assert log.head() == 21


def test_a_log_in_memory_can_be_restored_too(sqlite_url, tmp_path):
    with EventLog.open(sqlite_url) as log, EventLog.open(":memory:") as memory:
        assert import_files(memory, [saved(filled(log), tmp_path / "all.jsonl")]).events == 21
    with EventLog.open(sqlite_url) as log, EventLog.open(":memory:") as memory:
        assert restore_files(memory, [str(tmp_path / "all.jsonl")]) == 21
        assert list(export_lines(memory)) == list(export_lines(log))
