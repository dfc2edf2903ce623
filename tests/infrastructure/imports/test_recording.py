"""Waiting lines are committed together, and each line gets its own answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.events.envelope import AppendResult
from sabot.domain.values.errors import ContentConflict, Unavailable
from sabot.infrastructure.imports.input_lines import MAX_LINE_BYTES
from sabot.infrastructure.imports.recording import LineGroups, Recording

LOADED = {"type": "shoe-loaded", "decks": 8, "pack": "", "pack_sha256": "0" * 64}
OPENED = {"type": "coup-opened", "coup": 1}


class Held:
    """A log of one list, with device and sequence unique as in the real one."""

    def __init__(self):
        self.drafts = []
        self.commits = []

    def versions(self, streams):
        return {s: 1 for s in streams if any(d.stream == s for d in self.drafts)}

    def append(self, drafts):
        held, receipts, size = list(self.drafts), [], len(self.drafts)
        for draft in drafts:
            same = [
                (n, d)
                for n, d in enumerate(held, 1)
                if draft.seq is not None and (d.device, d.seq) == (draft.device, draft.seq)
            ]
            if same and same[0][1] != draft:
                raise ContentConflict(f"{draft.device} {draft.seq} has other content")
            if not same:
                held.append(draft)
            index = same[0][0] if same else len(held)
            receipts.append(AppendResult(index, draft.stream, index, known=bool(same)))
        self.drafts = held
        self.commits.append(len(held) - size)
        return receipts


def lines(*payloads, stream="shoe/H", **keys):
    return [
        (n, json.dumps({"stream": stream, "fact": payload} | keys).encode())
        for n, payload in enumerate(payloads, 1)
    ]


def told(answers):
    return [(a.line, a.receipt.index if a.receipt else a.error[:24]) for a in answers]


def test_a_group_is_one_commit():
    log = Held()
    assert told(Recording(log).take(lines(LOADED, OPENED, OPENED))) == [(1, 1), (2, 2), (3, 3)]
    assert log.commits == [3]


def test_a_shoe_begins_with_its_loading():
    log = Held()
    answers = Recording(log).take(lines(OPENED, LOADED, OPENED))
    assert told(answers) == [(1, "there is no shoe 'H'; it"), (2, 1), (3, 2)]
    # a recording that starts later finds the shoe in the log
    assert told(Recording(log).take(lines(OPENED))) == [(1, 3)]


def test_a_table_needs_no_beginning():
    assert told(
        Recording(Held()).take(lines({"type": "table-closed", "inventory": 1}, stream="table/T"))
    ) == [(1, 1)]


def test_a_bad_line_does_not_hold_up_the_others():
    log = Held()
    group = [*lines(LOADED), (2, b"{"), (3, b"x" * (MAX_LINE_BYTES + 1)), (4, lines(OPENED)[0][1])]
    answers = Recording(log).take(group)
    assert [a.line for a in answers] == [1, 2, 3, 4]
    assert [a.receipt is not None for a in answers] == [True, False, False, True]
    assert "not JSON" in answers[1].error
    assert "longer than 65536 bytes" in answers[2].error


def test_a_bad_line_of_one_sender_leaves_the_same_line_of_another():
    log = Held()
    good, other = lines(LOADED), lines(LOADED, OPENED, stream="shoe/I")
    answers = Recording(log).take([*good, (2, b"{"), *other, (3, b"{")])
    assert told(answers) == [
        (1, 1),
        (2, "column 2: this is not JS"),
        (1, 2),
        (2, 3),
        (3, "column 2: this is not JS"),
    ]
    assert [d.stream for d in log.drafts] == ["shoe/H", "shoe/I", "shoe/I"]


def test_a_conflict_is_answered_to_the_line_that_caused_it():
    log = Held()
    recording = Recording(log)
    first = lines(LOADED, device="d", seq=1)
    assert told(recording.take(first)) == [(1, 1)]
    group = [
        (2, lines(OPENED, device="d", seq=1)[0][1]),
        (3, lines(OPENED, device="d", seq=2)[0][1]),
        (4, first[0][1]),
    ]
    answers = recording.take(group)
    assert told(answers) == [(2, "d 1 has other content"), (3, 2), (4, 1)]
    assert answers[2].receipt.known


def test_a_shoe_whose_loading_was_refused_is_not_there():
    log = Held()
    recording = Recording(log)
    recording.take(lines(LOADED, stream="shoe/A", device="d", seq=1))
    group = [
        (2, lines(LOADED, stream="shoe/B", device="d", seq=1)[0][1]),
        (3, lines(OPENED, stream="shoe/B")[0][1]),
    ]
    assert [a.receipt for a in recording.take(group)] == [None, None]
    assert [d.stream for d in log.drafts] == ["shoe/A"]


def test_a_conflict_in_a_large_group_costs_few_commits():
    log = Held()
    recording = Recording(log)
    recording.take(lines(LOADED, device="d", seq=1))
    group = [(n, lines(OPENED, device="d", seq=n)[0][1]) for n in range(2, 258)]
    group[100] = (102, lines({"type": "no-more-bets", "coup": 1}, device="d", seq=1)[0][1])
    answers = recording.take(group)
    assert [a.line for a in answers if a.receipt is None] == [102]
    assert [a.line for a in answers] == list(range(2, 258))
    assert len(log.drafts) == 256
    assert len(log.commits) <= 10


@pytest.mark.parametrize(
    "bad",
    [
        b"{",
        lines(OPENED, stream="shoe/NONE")[0][1],
        lines(OPENED, device="d", seq=1)[0][1],
    ],
)
def test_strict_ends_with_the_first_refusal(bad):
    log = Held()
    group = [
        *lines(LOADED, device="d", seq=1),
        (2, lines(OPENED)[0][1]),
        (3, bad),
        (4, lines(OPENED)[0][1]),
        (5, bad),
    ]
    answers = Recording(log).take(group, stop_at_refusal=True)
    assert [(a.line, a.receipt is not None) for a in answers] == [(1, True), (2, True), (3, False)]
    assert len(log.drafts) == 2


def test_a_log_that_fails_acknowledges_nothing():
    class Gone(Held):
        def append(self, drafts):
            raise Unavailable("gone")

    with pytest.raises(Unavailable):
        Recording(Gone()).take(lines(LOADED))


def test_the_actor_of_the_command_stands_where_a_line_names_none():
    log = Held()
    Recording(log, actor="desk").take([*lines(LOADED), (2, lines(OPENED, actor="floor")[0][1])])
    assert [d.actor for d in log.drafts] == ["desk", "floor"]
    assert isinstance(log.drafts[1].payload, ev.CoupOpened)


# -- Lines as they arrive ---------------------------------------------------------------------


def groups(*chunks):
    left = iter([*chunks, b""])
    return list(LineGroups().read(lambda: next(left)))


def test_lines_are_grouped_as_they_arrive():
    assert groups(b"a\nb\n", b"c", b"d\n\n", b"e\r\nf") == [
        [(1, b"a"), (2, b"b")],
        [(3, b"cd")],
        [(5, b"e")],
        [(6, b"f")],
    ]


def test_a_line_without_end_is_never_held_whole():
    (group,) = groups(*[b"x" * 50_000] * 20, b"\ny\n")
    assert [(n, len(line)) for n, line in group] == [(1, MAX_LINE_BYTES + 1), (2, 1)]


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b" ", b"\r\n"])).map(b"".join), st.data())
def test_lines_do_not_depend_on_how_they_were_chunked(whole, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    chunks = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True) if a < b]
    made = [line for group in groups(*chunks) for line in group]
    lines = enumerate(whole.split(b"\n"), 1)
    assert made == [(n, line.removesuffix(b"\r")) for n, line in lines if line.strip()]


def test_a_new_log_does_not_begin_in_the_middle_of_a_device_s_numbers():
    late = lines(LOADED, OPENED, device="cam", seq=7)
    first = lines(LOADED, stream="shoe/B", device="eye", seq=1)
    log = Held()
    recording = Recording(log, expects_first=True)
    answers = recording.take(late, stop_at_refusal=True)
    assert [answer.receipt for answer in answers] == [None]
    assert "the log is new, and device 'cam' is at number 7" in answers[0].error
    assert "--new" in answers[0].error
    # a device that begins at 1 begins the log, and then others may continue in it
    assert told(recording.take([*late[:1], (2, first[0][1])])) == [
        (1, "the log is new, and devi"),
        (2, 1),
    ]
    assert told(recording.take(late[:1])) == [(1, 2)]
    assert told(Recording(Held()).take(late[:1])) == [(1, 1)]
