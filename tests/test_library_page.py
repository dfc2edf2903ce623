"""docs/library.md runs from top to bottom, on each store."""

import doctest
import re
from pathlib import Path

import pytest

import sabot

PAGE = (Path(__file__).parent.parent / "docs" / "library.md").read_text()
SQLITE = '"evening.sabot"'


def test_the_page_runs(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = PAGE.replace(SQLITE, repr(database_url))
    blocks = "".join(re.findall(r"```pycon\n(.*?)```", page, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {}, "library.md", "docs/library.md", 0)
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=flags).run(test, out=said.append)
    assert len(test.examples) > 30
    assert not result.failed, "".join(said)


def test_every_public_function_is_on_the_page() -> None:
    functions = [name for name in sabot.__all__ if name.islower() and name != "events"]
    assert [name for name in functions if f"sabot.{name}(" not in PAGE] == []


def test_the_projection_has_about_twenty_lines() -> None:
    block = PAGE.split("<!-- projection -->")[1].split("```")[1]
    lines = [line for line in block.splitlines() if line.startswith((">>>", "..."))]
    assert len(lines) <= 25
