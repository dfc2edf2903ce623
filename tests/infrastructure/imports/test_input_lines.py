"""Lines are numbered and limited in length. Reading continues after an error."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.input_lines import MAX_LINE_BYTES, Complaints, numbered_lines


def read(data):
    complaints = []
    lines = list(numbered_lines(io.BytesIO(data), "f", complaints.append))
    return lines, [str(error) for error in complaints]


def test_blank_lines_count_and_are_left_out():
    assert read(b"a\n\n \t\r\nb\r\nc") == ([(1, b"a"), (4, b"b"), (5, b"c")], [])


def test_a_byte_order_mark_at_the_head_alone_is_dropped():
    assert read(b"\xef\xbb\xbfa\n\xef\xbb\xbfb") == ([(1, b"a"), (2, b"\xef\xbb\xbfb")], [])


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_of_64_kib_is_the_longest(end):
    longest = b"x" * MAX_LINE_BYTES
    assert read(longest + end) == ([(1, longest)], [])
    lines, complaints = read(longest + b"x" + end + b"\nb")
    assert [line for _, line in lines][-1] == b"b"
    assert [error.split(";")[0] for error in complaints] == [
        "f:1: the line is longer than 65536 bytes"
    ]


def test_a_very_long_line_is_passed_over_without_being_held():
    class Endless(io.BytesIO):
        asked = 0

        def readline(self, size=-1, /):
            assert 0 < size <= MAX_LINE_BYTES + 2
            self.asked += 1
            return b"x" * size if self.asked < 100 else b"x\n" if self.asked == 100 else b""

    complaints = []
    assert list(numbered_lines(Endless(), "f", complaints.append)) == []
    assert len(complaints) == 1


def test_a_file_that_fails_halfway():
    class Failing(io.BytesIO):
        def readline(self, size=-1, /):
            raise OSError(5, "Input/output error")

    with pytest.raises(BadInput, match="f: cannot be read: Input/output error"):
        list(numbered_lines(Failing(), "f", print))


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b" ", b"b" * 40_000])).map(b"".join))
def test_every_line_is_given_or_complained_of(data):
    lines, complaints = read(data)
    expected = [
        (number, line.rstrip(b"\r"))
        for number, line in enumerate(data.split(b"\n"), 1)
        if line.strip()
    ]
    fit = [(number, line) for number, line in expected if len(line) <= MAX_LINE_BYTES]
    assert lines == fit
    assert len(complaints) >= len(expected) - len(fit)


def test_one_error_is_told_with_what_became_of_the_batch():
    complaints = Complaints()
    complaints.raise_if_any()
    complaints.add(BadInput("wrong", "f:1"))
    with pytest.raises(BadInput, match="f:1: wrong\n1 error: nothing was imported"):
        complaints.raise_if_any()
