"""``sabot report``: kinds, filters, formats and exit codes."""

import csv
import io
import json
import sys
from datetime import datetime

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.review import FINDINGS_STREAM, FindingCommented
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.reports.kinds import KINDS
from tests.support.coup_notation import Felt
from tests.support.faulty_log import CREW, FOUND, drafts, recorded, sabot
from tests.support.thorough import one_store, slow

pytestmark = one_store


def told(capsys, *arguments):
    """The exit code of a report, with what was written to standard output."""
    code = sabot("report", *arguments)
    return code, capsys.readouterr().out


def document(capsys, *arguments):
    return json.loads(told(capsys, *arguments, "--format", "json")[1])


def rows(report, key):
    return next(each for each in report["sections"] if each["key"] == key)["rows"]


def test_without_a_kind_the_kinds_are_listed(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("SABOT_DATABASE_URL", raising=False)
    assert sabot("report", "--database", str(tmp_path / "none.db")) == 2
    assert "name the KIND" in capsys.readouterr().err
    code, out = told(capsys)
    assert code == 0
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == [each.name for each in KINDS]
    monkeypatch.setenv("SABOT_DATABASE_URL", str(tmp_path / "none.db"))
    assert sabot("report") == 2
    assert "there is no log at" in capsys.readouterr().err


def test_a_shift_audit_has_the_findings_of_the_audit_and_their_exit_code(capsys, database_url):
    recorded(database_url)
    code, _ = told(capsys, "shift-audit", "--database", database_url)
    assert code == 1
    report = document(capsys, "shift-audit", "--database", database_url, "--by", "sue")
    assert {(row["where"]) for row in rows(report, "findings")} == {
        f"H-1, {coup}" for _code, coup in FOUND
    }
    assert report["by"] == "sue"
    assert sabot("report", "shift-audit", "--shoe", "H-2", "--database", database_url) == 0


def test_a_shift_audit_tells_which_rules_were_applied(capsys, sqlite_url):
    recorded(sqlite_url)
    report = document(capsys, "shift-audit", "--appendices", "--database", sqlite_url)
    sabot("audit", "--database", sqlite_url, "--format", "json")
    audit = json.loads(capsys.readouterr().out)
    figures = {figure["name"]: figure["value"] for figure in report["sections"][0]["figures"]}
    assert figures["rules applied"] == sum(rule["looked"] > 0 for rule in audit["rules"])
    (rules,) = (each for each in report["appendices"] if each["key"] == "rules")
    assert [(row["checked"], row["findings"]) for row in rules["rows"]] == [
        (rule["looked"], rule["findings"]) for rule in audit["rules"]
    ]


def test_a_resolved_finding_does_not_count(capsys, sqlite_url):
    recorded(sqlite_url)
    report = document(capsys, "shift-audit", "--database", sqlite_url)
    marks = [row["fingerprint"] for row in rows(report, "findings")]
    for mark in marks:
        said = ("--as", "dismissed", "--by", "eve", "--note", "misread")
        assert sabot("findings", "resolve", mark, *said, "--database", sqlite_url) == 0
    code, out = told(capsys, "shift-audit", "--database", sqlite_url)
    assert code == 0
    assert "No open, acknowledged or disputed finding in this period." in out
    report = document(capsys, "shift-audit", "--database", sqlite_url)
    states = [row["state"] for row in rows(report, "others")]
    assert states == ["resolved as dismissed"] * len(marks)
    assert {(row["fingerprint"], row["by"], row["why"]) for row in rows(report, "states")} == {
        (mark, "eve", "misread") for mark in marks
    }
    (pictures,) = (each for each in report["sections"] if each["key"] == "coups")
    assert {each["coup"] for each in pictures["pictures"]} == {coup for _code, coup in FOUND}
    assert all("(resolved as dismissed)" in each["caption"] for each in pictures["pictures"])
    (others,) = (each for each in report["sections"] if each["key"] == "others")
    money = [row["house"]["minor"] for row in others["rows"] if row["house"]]
    assert [row["house"]["minor"] for row in others["totals"]] == [sum(money)]


def test_filters_by_table_dealer_and_time(capsys, database_url):
    recorded(database_url)
    asked = ("coup-journal", "--database", database_url)
    everything = rows(document(capsys, *asked), "coups")
    assert len(everything) == 5
    at_table = rows(document(capsys, *asked, "--table", "T1"), "coups")
    assert {row["shoe"] for row in at_table} == {"H-1"}
    by_bob = rows(document(capsys, *asked, "--dealer", "bob"), "coups")
    assert [row["coup"] for row in by_bob] == [3, 4]
    times = [row["at"] for row in everything]
    between = rows(document(capsys, *asked, "--since", times[1], "--until", times[3]), "coups")
    assert {row["at"] for row in between} == {at for at in times if times[1] <= at < times[3]}


def test_a_report_of_the_log_up_to_an_event_says_so(capsys, sqlite_url):
    recorded(sqlite_url)
    asked = ("coup-journal", "--database", sqlite_url)
    assert document(capsys, *asked)["period"]["until_event"] is None
    report = document(capsys, *asked, "--until", "#40")
    assert (report["period"]["until_event"], report["log"]["last_index"]) == (40, 40)
    sabot("report", *asked, "--until", "40")
    assert "the whole log, up to event 40; times in " in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("shift-adit",), "shift-audit"),
        (("coup-journal", "--since", "soon"), "neither an event nor a time"),
        (
            ("coup-journal", "--since", "2026-01-02", "--until", "2026-01-01"),
            "is later than --until",
        ),
        (("coup-journal", "--shoe", "H-9"), "no shoe 'H-9'"),
        (("coup-journal", "--table", "T9"), "no table 'T9'"),
        (("coup-journal", "--dealer", "anne"), "ann"),
        (("coup-journal", "--format", "csv", "--section", "x"), "it has coups"),
        (("coup-journal", "-o", "x.docx"), "unknown extension .docx"),
    ],
    ids=["kind", "moment", "order", "shoe", "table", "dealer", "section", "extension"],
)
def test_bad_input_says_what_to_do(arguments, says, capsys, sqlite_url):
    recorded(sqlite_url)
    assert sabot("report", *arguments, "--database", sqlite_url) == 2
    assert says in capsys.readouterr().err


def test_csv_has_no_formula_and_the_currency_of_each_row(capsys, sqlite_url):
    felt = Felt(stream="shoe/H-1", crew=CREW, table="=1+1").ready()
    recorded(sqlite_url, felt.coup("p1 player 1000 | P 4 5  B K 8").events)
    _, out = told(capsys, "coup-journal", "--format", "csv", "--database", sqlite_url)
    (row,) = csv.DictReader(io.StringIO(out))
    assert (row["table"], row["staked"], row["currency"]) == ("'=1+1", "10.00", "EUR")


def test_an_empty_period_is_never_clean(capsys, sqlite_url):
    """A report is written nevertheless: a day without play may have to be reported too."""
    recorded(sqlite_url)
    nothing = ("--since", "2020-01-01", "--until", "2020-01-02", "--database", sqlite_url)
    for kind in KINDS:
        if kind.name != "incident":
            assert sabot("report", kind.name, *nothing) == 2, kind.name
            said = capsys.readouterr()
            assert said.out.startswith(kind.title.upper())
            assert "no shoe has an event in the scope (from 2020-01-01" in said.err
            assert "no findings" not in said.out, kind.name
    figures = document(capsys, "shift-audit", *nothing)["sections"][0]["figures"]
    assert figures[0] == {
        "name": "result",
        "value": "nothing was audited: no shoe has an event in the period",
    }
    for verb in ("audit", "findings"):
        assert sabot(verb, *nothing) == 2
        assert "no shoe has an event in the scope (from 2020-01-01" in capsys.readouterr().err


@slow
def test_a_pdf_goes_to_a_file_whole(sqlite_url, tmp_path):
    recorded(sqlite_url)
    for name in ("one.pdf", "two.pdf"):
        written = ("--by", "sue", "--casino", "Casino", "-o", str(tmp_path / name))
        assert sabot("report", "shift-audit", "--database", sqlite_url, *written) == 1
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()
    assert (tmp_path / "one.pdf").read_bytes().startswith(b"%PDF-")


def test_without_the_library_for_pdf_it_says_what_to_install(
    capsys, monkeypatch, sqlite_url, tmp_path
):
    recorded(sqlite_url)
    for name in list(sys.modules):
        if name.startswith(("reportlab", "sabot.infrastructure.exports.reports.")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "reportlab", None)
    out = str(tmp_path / "x.pdf")
    assert sabot("report", "coup-journal", "--database", sqlite_url, "-o", out) == 2
    assert "pip install reportlab" in capsys.readouterr().err


def test_the_statistical_win_has_the_month_and_the_year_to_date(capsys, database_url):
    """A session in February, one in March: March to date has one, the year both.

    A comment that the log stores today, months later, ends no period.
    """
    with EventLog.open(database_url) as log:
        for month, closing in (("02", 900), ("03", 1100)):
            at = _us(f"2026-{month}-10T20:00:00Z")
            events = [
                ev.TableOpened(1000, currency="EUR"), ev.TableClosed(closing), ev.DropCounted(500)
            ]  # fmt: skip
            log.append([_at("table/T1", payload, at) for payload in events])
        log.append([NewEvent(FINDINGS_STREAM, FindingCommented("a" * 64, "x", "H", "sue", 1, "y"))])
    report = document(
        capsys, "statistical-win", "--since", "2026-03-01", "--database", database_url
    )
    found = {row["span"]: row for row in rows(report, "hold")}
    assert {span: row["win"]["minor"] for span, row in found.items()} == {
        "period": 600, "month to date": 600, "year to date": 1000
    }  # fmt: skip
    assert found["period"]["hold"]["fraction"] == "6/5"
    # no table opened in 2025, so that the base is the month before
    assert found["period"]["base"]["fraction"] == "4/5"


def _us(text):
    return int(datetime.fromisoformat(text).timestamp()) * 1_000_000


def _at(stream, payload, at_us):
    return NewEvent(stream, payload, at_us)


def test_a_night_shift_over_midnight_has_seven_hours_when_summer_time_begins(
    capsys, monkeypatch, sqlite_url, tmp_path
):
    """Coups at 22:30, 01:30 and 05:30 in Paris, from 28 to 29 March 2026, and one on each side."""
    (tmp_path / "casino.toml").write_text(
        'casino = "Casino"\nzone = "Europe/Paris"\ngaming_day_starts = "06:00"\n'
        '[shifts]\nnight = "22:00-06:00"\n'
    )
    monkeypatch.setenv("SABOT_CONFIG", str(tmp_path / "casino.toml"))
    clocks = ("28T20:59:59", "28T21:30:00", "29T00:30:00", "29T03:30:00", "29T04:00:00")
    felt = Felt("super-6", stream="shoe/H-1", crew=CREW, table="T1").ready()
    for _ in clocks:
        felt.coup("p1 player 1000 | P 4 5  B K 8")
    events = []
    for event in drafts(felt.events):
        coup = getattr(event.payload, "coup", None) or 1
        events.append(replace(event, at_us=_us(f"2026-03-{clocks[coup - 1]}Z"), device=""))
    with EventLog.open(sqlite_url) as log:
        log.append(events)
    asked = ("--gaming-day", "2026-03-28", "--shift", "night", "--database", sqlite_url)
    report = document(capsys, "coup-journal", *asked)
    assert [row["coup"] for row in rows(report, "coups")] == [2, 3, 4]
    assert (report["period"]["from"], report["period"]["to"]) == (
        "2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z"
    )  # fmt: skip
    assert (report["casino"], report["period"]["zone"]) == ("Casino", "Europe/Paris")
    _, out = told(capsys, "coup-journal", *asked)
    plain = " ".join(out.split())
    assert "2026-03-28 22:00:00 +01:00 to 2026-03-29 06:00:00 +02:00" in plain
    assert "first event 2026-03-28 22:30:00 +01:00, last 2026-03-29 05:30:00 +02:00" in plain
    shown = out.partition("Coups\n")[2].split()
    assert [word for word in shown if word.endswith(":30:00")] == [
        "22:30:00",
        "01:30:00",
        "05:30:00",
    ]


def test_an_incident_is_found_by_the_first_digits_of_its_fingerprint(capsys, sqlite_url):
    recorded(sqlite_url)
    asked = ("--database", sqlite_url)
    shift = document(capsys, "shift-audit", *asked)
    mark = rows(shift, "findings")[0]["fingerprint"]
    report = document(capsys, "incident", "--finding", mark, *asked)
    figures = {figure["name"]: figure["value"] for figure in report["sections"][0]["figures"]}
    assert figures["finding"].startswith(mark)
    assert figures["what happened"] == rows(shift, "findings")[0]["message"]
    assert rows(report, "events")[0]["said"] == "coup 1 opened"
    assert sabot("report", "incident", *asked) == 2
    assert "--finding FINGERPRINT" in capsys.readouterr().err
    assert sabot("report", "incident", "--finding", "ffffffffff", *asked) == 2


def test_a_detection_case_without_evidence_says_so(capsys, sqlite_url):
    recorded(sqlite_url)
    code, out = told(capsys, "detection-case", "--patron", "p1", "--database", sqlite_url)
    assert code == 0
    assert "No finding." in out
    assert sabot("report", "detection-case", "--patron", "p9", "--database", sqlite_url) == 2


def test_a_report_in_a_file_tells_its_name_and_its_unresolved_findings(
    capsys, sqlite_url, tmp_path
):
    recorded(sqlite_url)
    file = tmp_path / "shift.txt"
    assert sabot("report", "shift-audit", "-o", str(file), "--database", sqlite_url) == 1
    told_of = f"sabot: wrote {file}\n{len(FOUND)} findings\n"
    assert capsys.readouterr().err == told_of
    text = file.read_text()
    assert text.startswith("SHIFT AUDIT\n")
    assert "Signatures\n----------\n" in text
    assert "\nnet effect; over/short: " in text
    assert "* time: net effect" not in text
    journal = tmp_path / "coups.csv"
    assert sabot("report", "coup-journal", "-o", str(journal), "--database", sqlite_url) == 0
    assert capsys.readouterr().err == f"sabot: wrote {journal}\n"


def test_a_missing_file_of_settings_names_the_variable(capsys, monkeypatch, sqlite_url, tmp_path):
    recorded(sqlite_url)
    monkeypatch.setenv("SABOT_CONFIG", str(tmp_path / "none.toml"))
    assert sabot("report", "shift-audit", "--database", sqlite_url) == 2
    assert "which SABOT_CONFIG names" in capsys.readouterr().err


def test_verify_says_that_a_published_directory_is_missing(capsys, sqlite_url, tmp_path):
    recorded(sqlite_url)
    nowhere = str(tmp_path / "nowhere")
    assert sabot("verify", "--published", nowhere, "--database", sqlite_url) == 2
    assert f"there is no directory {nowhere!r}" in capsys.readouterr().err
