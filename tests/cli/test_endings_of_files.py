"""Every file that a verb writes has an ending that fits its content, or none."""

import subprocess
import sys
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from tests.support.faulty_log import recorded
from tests.support.programs import SABOT

WRITERS = (
    (("explain", "H-1", "1", "-o"), "x.doc", ".txt, .tsv, .json, .jsonl, .csv"),
    (("simulate", "-o"), "q.csv", ".jsonl"),
    (("packs", "classic-8", "-o"), "c.json", ".toml"),
    (("replay", "H-1", "--svg"), "x.png", ".svg"),
    (("evidence", "prove", "--shoe", "H-1", "-o"), "x.pdf", ".zip"),
    (("evidence", "prove", "--event", "1", "-o"), "x.zip", ".tlog-proof"),
    (("evidence", "checkpoint", "-o"), "x.json", ".checkpoint"),
    (("export", "-o"), "x.csv", ".jsonl"),
    (("schemas", "audit", "-o"), "x.toml", ".json"),
    (("show", "H-1", "-o"), "x.png", ".txt"),
    (("audit", "-o"), "x.pdf", ".html"),
    (("report", "shift-audit", "-o"), "x.sarif", ".pdf"),
    (("shoes", "-o"), "x.html", ".csv"),
)


@pytest.fixture(autouse=True)
def log(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded(sqlite_url)
    monkeypatch.setenv("SABOT_DATABASE_URL", sqlite_url)


@pytest.mark.parametrize(("verb", "name", "allowed"), WRITERS, ids=str)
def test_another_ending_is_refused_and_the_allowed_ones_are_listed(
    verb, name, allowed, tmp_path, capsys
):
    place = tmp_path / "out" / name
    place.parent.mkdir()
    assert guard(build(), [*verb, str(place)]) == 2
    said = capsys.readouterr().err
    assert f"{place}: unknown extension {Path(name).suffix}; allowed: " in said
    assert allowed in said
    assert list(place.parent.iterdir()) == []


def test_the_ending_of_an_explanation_chooses_its_format(tmp_path):
    for name, begins in (("a.json", "{"), ("a.csv", "differs,"), ("a.txt", "shoe H-1, coup 1")):
        assert guard(build(), ["explain", "H-1", "1", "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text().startswith(begins)


def test_nothing_is_flushed_after_a_file_was_closed(tmp_path: Path) -> None:
    """Python's development mode tells of it, and Python 3.14 always."""
    place = tmp_path / "pack.toml"
    command = [sys.executable, "-X", "dev", *SABOT[1:], "packs", "classic-8", "-o", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == f"sabot: wrote {place}\n"
