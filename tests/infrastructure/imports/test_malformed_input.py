"""Parsers accept valid seeds and report damaged ones without a traceback.

The same targets are grown by coverage with `benchmarks.fuzz_parsers`.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.fuzz_parsers import TARGETS, accepts
from tests.support.for_each import for_each
from tests.support.thorough import FULL, slow

MOST = 5000 if FULL else 30
PIECES = st.one_of(
    st.binary(max_size=6),
    st.sampled_from(
        (b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b'"', b"{", b"[" * 40, b"1e999", b"-0", b"\\ud800",
         b"9" * 30, b"null", b"\r", b"''", b"'''", b"=", b".", b"\xef\xbb\xbf", b"inf", b"nan")
    ),
)  # fmt: skip


@for_each("name", TARGETS)
def test_a_seed_is_accepted(name):
    assert all(accepts(TARGETS[name], seed) for seed in TARGETS[name].seeds if seed != b"21:15")


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=MOST)
@given(st.data())
def test_a_bent_seed_is_read_or_told(name, data):
    target = TARGETS[name]
    bent = data.draw(st.sampled_from(target.seeds))
    for _ in range(data.draw(st.integers(1, 4))):
        first = data.draw(st.integers(0, len(bent)))
        last = data.draw(st.integers(first, min(len(bent), first + 20)))
        bent = bent[:first] + data.draw(PIECES) + bent[last:]
    accepts(target, bent)


@for_each("name", TARGETS)
def test_half_a_character_is_told_wherever_it_stands(name):
    """Once found by growing inputs: a mapping whose key held half a character."""
    for seed in TARGETS[name].seeds:
        for place in (0, len(seed) // 2, len(seed) - 1):
            accepts(TARGETS[name], seed[:place] + b"\x93" + seed[place:])
    assert not accepts(TARGETS["mapping"], b'[coup]\ncoup = "cou\x93"\nplayer = "a"\nbanker = "b"')


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=MOST)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_told(name, data):
    accepts(TARGETS[name], data)


@slow
def test_a_bundle_with_any_damaged_byte_is_told():
    """Once found by growing inputs: packed lines that cannot be unpacked."""
    (seed,) = TARGETS["bundle"].seeds
    for place in range(0, len(seed), 3):
        accepts(TARGETS["bundle"], seed[:place] + bytes([seed[place] ^ 0x55]) + seed[place + 1 :])
    packed = seed.index(b"events.jsonl") + len("events.jsonl")
    broken = seed[: packed + 1] + b"\xff" * 20 + seed[packed + 21 :]
    assert not accepts(TARGETS["bundle"], broken)
