"""`sabot rules` says in every format when a rule applies, and what it permits."""

import csv
import io
import json

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build

SCOPE = ("applies_if", "order", "exceptions", "nothing_to_check", "reported_once")


def shown(code: str, form: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert guard(build(), ["rules", code, "--format", form]) == 0
    return capsys.readouterr().out


def test_a_rule_in_full_and_in_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    for code in ("S311", "E205", "T102", "S305"):
        text = " ".join(shown(code, "table", capsys).split())
        (row,) = json.loads(shown(code, "json", capsys))
        said = [row[key] for key in SCOPE]
        for each in said:
            for sentence in [each] if isinstance(each, str) else each or []:
                assert sentence in text


def test_a_rule_in_tsv_has_its_exceptions(capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = csv.DictReader(io.StringIO(shown("S311", "tsv", capsys)), delimiter="\t")
    assert "a ruling may order another cut" in row["exceptions"]
    assert row["order"] == "The cut comes once, and once more after the shuffle."
    assert row["nothing_to_check"] == "No cut was recorded."


def test_csv_has_one_column_for_each_part_of_the_sources(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (row,) = csv.DictReader(io.StringIO(shown("T101", "csv", capsys)))
    assert row["sources_title"].startswith("arrêté of 14 May 2007 on games in casinos (France); ")
    assert row["sources_article"].split("; ")[0] == "article 55-14"
    assert row["sources_url"].startswith("https://")
