"""TOML is limited in size before it is parsed."""

import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.values.errors import BadInput
from sabot.domain.values.toml_text import parse_toml
from tests.support.for_each import for_each

DEEP = ".".join("a" * 10_000) + " = 1"


@for_each(
    "text",
    [
        DEEP,
        "[" + ".".join("a" * 10_000) + "]",
        't = {k = "\\"", ' + DEEP + ', z = "\\""}',
        't = {k = """ " """, ' + DEEP + ', z = "x"}',
        't = {k = """a"""", ' + DEEP + ', z = "x"}',
        "t = {k = '''a'''', " + DEEP + ", z = 'x'}",
        "t = {k = '''a\"''', " + DEEP + ', z = "x"}',
        '# "\n' + DEEP + ' # "',
        "x = [" + "1, " * 15_000 + "]",
        "x = [" + "{a = 1}, " * 5000 + "]",
        "".join(f"a{number} = 1\n" for number in range(15_000)),
        '"""\\' * 10_000,
        "'''\n" * 10_000,
        '"\\' * 20_000,
    ],
)
def test_a_costly_text_is_refused_at_once(text):
    began = time.process_time()
    with pytest.raises(BadInput, match="the text"):
        parse_toml(text, "the text")
    assert time.process_time() - began < 0.3  # the costly ones took 0.5 s to 4 s


def test_what_looks_deep_in_a_string_or_a_comment_is_not():
    dots = "a." * 50
    text = f"a = \"{dots}\"\nb = '{dots}'\nc = '''{dots}'''\nd = \"\"\"\n{dots}\n\"\"\" # {dots}\n"
    assert parse_toml(text, "the text")["c"] == dots


@given(
    st.lists(
        st.sampled_from(
            ['"', "'", '"""', "'''", "\\", "\n", "#", "=", "a", ".", "[", "]", "{", "}", ",", " 1"]
        ),
        max_size=30,
    ).map("".join)
)
def test_a_short_text_is_read_as_toml_has_it(text):
    try:
        wanted = tomllib.loads(text)
    except ValueError:
        with pytest.raises(BadInput):
            parse_toml(text, "the text")
    else:
        assert parse_toml(text, "the text") == wanted
