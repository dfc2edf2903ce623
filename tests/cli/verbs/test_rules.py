"""`sabot rules` says in every format when a rule applies, and what it permits."""

import csv
import io
import json

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build

SCOPE = ("applies_if", "order", "exceptions", "nothing_to_check", "reported_when")


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
    assert row["order"] == "The cut comes once, unless the shuffle comes in between."
    assert row["nothing_to_check"] == "No cut was recorded."


def test_csv_has_one_column_for_each_part_of_the_sources(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (row,) = csv.DictReader(io.StringIO(shown("T101", "csv", capsys)))
    assert row["sources_title"].startswith("arrêté of 14 May 2007 on games in casinos (France); ")
    assert row["sources_article"].split("; ")[0] == "article 55-14"
    assert row["sources_url"].startswith("https://")


def test_a_rule_says_whether_voided_coups_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    checked = {
        code: json.loads(shown(code, "json", capsys))[0]["checked"]
        for code in ("B201", "T101", "E202", "S303")
    }
    assert checked == {
        "B201": "each bet of each coup, voided or not",
        "T101": "each coup",
        "E202": "each coup",
        "S303": "the shoe as a whole",
    }


def test_a_rule_of_a_coup_says_when_its_breach_is_a_note(
    capsys: pytest.CaptureFixture[str],
) -> None:
    noted = "a note, the lowest severity, if the table noted it, ruled on it and put it right"
    for code, is_note in (("P201", True), ("I305", False), ("S303", False)):
        assert (noted in " ".join(shown(code, "table", capsys).split())) is is_note
        assert json.loads(shown(code, "json", capsys))[0]["note"] == (noted if is_note else None)
