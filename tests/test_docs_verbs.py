"""docs/verbs.md is generated from the program's help."""

from pathlib import Path

from sabot.cli.main import VERBS
from tests.docs_text.verbs import verbs_markdown

PAGE = Path(__file__).parent.parent / "docs" / "verbs.md"


def test_the_page_is_that_of_the_program(monkeypatch):
    monkeypatch.delenv("SABOT_DATABASE_URL", raising=False)
    written = PAGE.read_text(encoding="utf-8")
    assert written == verbs_markdown(), "run: python -m tests.docs_text.write_verbs > docs/verbs.md"
    assert all(f"### sabot {verb.name}\n" in written for verb in VERBS)
