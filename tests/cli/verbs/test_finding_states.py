"""The states of a finding over its life, in every format.

A miscalled result is found, acknowledged, disputed, resolved, disputed again, corrected away, found
again since the correction is taken back, and resolved for good.
"""

import csv
import io
import json
import os

import pypdfium2
import pytest
from msgspec.structs import replace

from sabot import report
from sabot.cli.output import ReportFormat
from sabot.cli.text.report_text import report_lines
from sabot.cli.verbs.audit import report_of, show_audit
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.envelope import NewEvent
from sabot.domain.state.shoe import fold
from sabot.infrastructure.audits import remembered_findings
from sabot.infrastructure.audits.audit_run import provenance
from sabot.infrastructure.audits.findings_store import audit_alone, find_reviewed
from sabot.infrastructure.log.event_log import EventLog
from tests.infrastructure.exports.test_sarif import VALID
from tests.support.faulty_log import WRONG_CALL, faulty_shoe, recorded, sabot
from tests.support.thorough import FULL, one_store, slow

pytestmark = one_store

CODE = WRONG_CALL
STATE_KEYS = (
    "state", "outcome", "state_by", "state_why", "found", "found_again", "by_correction"
)  # fmt: skip

# What happens, and then the state: its outcome, by whom, why, whether it is found, found again, and
# removed by a correction.
LIFE = (
    ("", ("open", None, None, "", True, False, False)),
    ("ack olga: seen", ("acknowledged", None, "olga", "seen", True, False, False)),
    ("dispute bob: it was right", ("disputed", None, "bob", "it was right", True, False, False)),
    ("confirmed olga: on tape", ("resolved", "confirmed", "olga", "on tape", True, False, False)),
    ("dispute bob: not mine", ("disputed", None, "bob", "not mine", True, False, False)),
    ("correct eve: misheard", ("resolved", "corrected", "eve", "misheard", False, False, True)),
    ("take-back ivy: heard well", ("open", None, "ivy", "heard well", True, True, False)),
    ("dismissed olga: trained", ("resolved", "dismissed", "olga", "trained", True, True, False)),
)  # fmt: skip


def happen(url: str, what: str) -> None:
    verb, _, words = what.partition(" ")
    by, _, why = words.partition(": ")
    if verb in {"correct", "take-back"}:
        with EventLog.open(url) as log:
            shoe = log.read("shoe/H-1")
            if verb == "correct":
                (call,) = (
                    each
                    for each in shoe
                    if isinstance(each.payload, ev.ResultCalled) and each.payload.coup == 3
                )
                done = ev.EventCorrected(call.version, why, by, ev.ResultCalled(3, 8, 9, "B"))
            else:
                done = ev.EventCorrected(shoe[-1].version, why, by)
            log.append([NewEvent("shoe/H-1", done)])
        return
    verbs = ["resolve", "--as", verb] if verb in {"confirmed", "dismissed"} else [verb]
    mark = MARKS[CODE]
    said = ("--by", by, "--note", why, "--database", url)
    assert sabot("findings", verbs[0], mark[:12], *verbs[1:], *said) == 0


MARKS: dict[str, str] = {}


def shown(capsys, url: str, *words: str) -> tuple[str, str, int]:
    capsys.readouterr()
    code = sabot(*words, "--database", url)
    said = capsys.readouterr()
    return said.out, said.err, code


def of_records(text: str, form: str) -> dict[str, tuple]:
    """Return the states by rule, as CSV, TSV, JSON or JSON Lines tell them."""
    match form:
        case "json":
            told = json.loads(text)
            rows = told["findings"] if isinstance(told, dict) else told
        case "jsonl":
            rows = [json.loads(line) for line in text.splitlines()]
        case _:
            cells = list(
                csv.DictReader(io.StringIO(text), delimiter="," if form == "csv" else "\t")
            )
            plain = {"": None, "true": True, "false": False}
            rows = [
                {key: plain.get(value, value) for key, value in row.items()}
                | {"state_why": row["state_why"]}
                for row in cells
            ]
    return {row["code"]: tuple(row[key] for key in STATE_KEYS) for row in rows}


@slow
def test_a_state_lives_in_every_format(capsys, database_url):
    recorded(database_url, faulty_shoe())
    with EventLog.open(database_url, read_only=True) as log:
        before = log.head()
        MARKS.update({each.code: each.fingerprint for each in report_of(log, []).findings})
    for what, state in LIFE:
        if what:
            happen(database_url, what)
        listed = state[0] != "resolved"
        is_file = "://" not in database_url
        forms = FORMS if FULL or not what or state[-1] else FORMS[:1]
        _is_in_the_audit(capsys, database_url, state, forms if is_file else ())
        if is_file:
            _is_in_the_report(capsys, database_url, state)
        out, err, code = shown(capsys, database_url, "findings", "--format", "json")
        assert (CODE in of_records(out, "json"), code) == (listed, 1), what
        way = "removed by a correction" if state[-1] else state[1]
        assert (f"resolved or no longer found: 1 {way}; --all lists them" in err) != listed
        one = ("findings", "--all", "--rule", CODE)
        out, _, code = shown(capsys, database_url, *one, "--format", "csv")
        assert (of_records(out, "csv")[CODE], code) == (state, 1 if listed else 0)
    _is_in_text(shown(capsys, database_url, *one, "--format", "table")[0], state)
    # the log as it was before anything was said
    out, _, _ = shown(capsys, database_url, "audit", "--until", f"#{before}", "--format", "json")
    assert of_records(out, "json")[CODE] == LIFE[0][1]


FORMS = ("json", "jsonl", "csv", "tsv", "table", "sarif", "html")


def _is_in_the_audit(capsys, url: str, state: tuple, forms: tuple[str, ...]) -> None:
    """Write one audit in several formats, with the resolved findings and without."""
    with EventLog.open(url, read_only=True) as log:
        report, of = report_of(log, []), provenance(log, log.head())
    capsys.readouterr()

    def written(form: str, *, resolved: bool = True) -> str:
        show_audit(report, of, (ReportFormat(form), "-"), resolved=resolved)
        return capsys.readouterr().out

    listed = state[0] != "resolved"
    for form in forms:
        match form:
            case "table":
                _is_in_text(written(form), state)
            case "sarif":
                _is_in_sarif(written(form, resolved=False), state)
            case "html":
                every, short = written(form), written(form, resolved=False)
                assert all(part in every for part in _parts(state))
                assert all(part in short for part in _parts(state)) == listed
            case _:
                assert of_records(written(form), form)[CODE] == state, form
                assert (CODE in of_records(written(form, resolved=False), form)) == listed, form


def _is_in_the_report(capsys, url: str, state: tuple) -> None:
    """The shift report tells the state in every format, and who set it and why."""
    by, why, is_gone = *state[2:4], state[6]
    name = _parts(state)[0].removesuffix(f" by {by}")
    with EventLog.open(url, read_only=True) as log:
        made = report(log, "shift-audit")
    mark = MARKS[CODE][:12]
    tables = {
        each["key"]: {row["fingerprint"]: row for row in each["rows"]}
        for each in made.document()["sections"]
        if each["type"] == "table" and each["key"] in {"findings", "others", "states"}
    }
    place = "others" if state[0] == "resolved" else "findings"
    assert tables[place][mark]["state"] == name
    if by is None:
        assert "states" not in tables
        return
    row = tables["states"][mark]
    assert (row["state"], row["by"], row["why"]) == (name, by, why)
    written = {"text": "\n".join(report_lines(made)), "html": made.html()}
    if is_gone:
        pages = pypdfium2.PdfDocument(made.pdf())
        written["pdf"] = " ".join(page.get_textpage().get_text_bounded() for page in pages)
        asked = ("shift-audit", "--section", "states", "--format", "csv")
        written["csv"] = shown(capsys, url, "report", *asked)[0]
    for form, text in written.items():
        words = " ".join(text.split())
        for part in (*name.replace(",", "").split(), by, *why.split()):
            assert part in words, form
        assert is_gone == ("removed by a" in words), form


def _parts(state: tuple) -> list[str]:
    """Return a state in words, without its time."""
    name, outcome, by, why, _, again, corrected = state
    named = f"{name} as {outcome}" if outcome else name
    named = "removed by a correction" if corrected else named
    return [named] if by is None else [f"{named}{', found again' * again} by {by}", f": {why}"]


def _is_in_text(text: str, state: tuple) -> None:
    for part in _parts(state) if state[2] is not None else ():
        assert part in text


def _is_in_sarif(text: str, state: tuple) -> None:
    VALID.validate(json.loads(text))
    (result,) = (each for each in json.loads(text)["runs"][0]["results"] if each["ruleId"] == CODE)
    assert tuple(result["properties"][key] for key in STATE_KEYS) == state
    if state[2] is None:
        assert result["suppressions"] == []
        return
    status = {"open": "rejected", "resolved": "accepted"}.get(state[0], "underReview")
    (suppression,) = result["suppressions"]
    assert (suppression["kind"], suppression["status"]) == ("external", status)
    assert all(part in suppression["justification"] for part in _parts(state))


@pytest.mark.parametrize(
    ("by", "refused"),
    [
        ("bob", "was the dealer then"),
        (" BOB", "was the dealer then"),
        ("sue", "was the supervisor then"),
        ("paul", "was the payer-1 then"),
        ("p2", "is the patron concerned"),
        ("ann", "is the actor of event"),
        ("olga", None),
    ],
)
def test_nobody_closes_a_finding_about_their_own_work(capsys, sqlite_url, by, refused):
    """Bob called coup 3, paul paid, and sue supervised. Ann sent the events."""
    shoe = faulty_shoe()
    place = next(n for n, each in enumerate(shoe) if isinstance(each.payload, ev.CrewChanged))
    payer = replace(shoe[place], payload=ev.CrewChanged("payer-1", "paul"))
    recorded(sqlite_url, [*shoe[:place], payer, *shoe[place:]])
    out, _, _ = shown(capsys, sqlite_url, "findings", "--rule", CODE, "--format", "json")
    mark = json.loads(out)[0]["fingerprint"]
    said = ("--by", by, "--note", "x", "--database", sqlite_url)
    for verb in (["ack"], ["resolve", "--as", "dismissed"]):
        code = sabot("findings", verb[0], mark, *verb[1:], *said)
        told = capsys.readouterr().err
        assert (code, refused is not None and refused in told) == (
            (2, True) if refused else (0, False)
        )
    assert sabot("findings", "dispute", mark, *said) == 0


def test_another_name_does_not_help_the_login_of_the_dealer(capsys, database_url):
    """The dealer's own login states another person's name. Every remark shows its login."""
    with EventLog.open(database_url) as log:
        login = log.login()
    shoe = [
        replace(each, payload=replace(each.payload, person=login))
        if isinstance(each.payload, ev.CrewChanged) and each.payload.person == "bob"
        else each
        for each in faulty_shoe()
    ]
    recorded(database_url, shoe)
    out, _, _ = shown(capsys, database_url, "findings", "--rule", CODE, "--format", "json")
    mark = json.loads(out)[0]["fingerprint"]
    said = ("--by", "olga", "--note", "x", "--database", database_url)
    assert sabot("findings", "resolve", mark, "--as", "dismissed", *said) == 2
    assert f"the login {login} was the dealer then" in capsys.readouterr().err
    assert sabot("findings", "comment", mark, *said) == 0
    out, _, _ = shown(capsys, database_url, "findings", "show", mark, "--format", "json")
    assert [(each["by"], each["login"]) for each in json.loads(out)] == [("olga", login)]


def test_a_finding_is_found_without_an_audit_of_the_log(monkeypatch, tmp_path, sqlite_url):
    """By the shoe that is named, by an earlier audit of this user, or by what was said of it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    recorded(sqlite_url, faulty_shoe(), faulty_shoe("H-2"))
    with EventLog.open(sqlite_url, read_only=True) as log:
        named = find_reviewed(log, _mark(log, "H-2"), "H-2")
        assert named is not None
        mark = named.review.finding
        assert find_reviewed(log, mark) is None
    assert sabot("audit", "--database", sqlite_url) == 1
    read: list[str] = []
    monkeypatch.setattr(EventLog, "check", lambda _log: pytest.fail("the log was counted"))
    with EventLog.open(sqlite_url) as log:
        plain = log.read
        monkeypatch.setattr(
            log, "read", lambda stream, **more: read.append(stream) or plain(stream, **more)
        )
        for digits in (mark, mark[:12]):
            found = find_reviewed(log, digits)
            assert found is not None
            assert (found.review.shoe, found.state.state) == ("H-2", "open")
    assert not {"shoe/H-1"} & set(read)


def test_the_newest_shoes_are_searched_first(capsys, monkeypatch, tmp_path, sqlite_url):
    """On a machine that never audited the log, and without the name of the shoe."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    recorded(sqlite_url, faulty_shoe(), faulty_shoe("H-2"), faulty_shoe("H-3"))
    with EventLog.open(sqlite_url, read_only=True) as log:
        mark = _mark(log, "H-2")
    read: list[str] = []
    plain = EventLog.read
    monkeypatch.setattr(
        EventLog, "read",
        lambda log, stream, **more: read.append(stream) or plain(log, stream, **more),
    )  # fmt: skip
    said = ("--by", "olga", "--database", sqlite_url)
    assert sabot("findings", "ack", mark[:12], *said) == 0
    assert "shoe H-2" in capsys.readouterr().err
    assert "shoe/H-3" in read
    assert "shoe/H-1" not in read


def _mark(log: EventLog, shoe: str) -> str:
    return audit_alone(log, f"shoe/{shoe}").findings[0].fingerprint


def test_a_finding_of_a_table_is_reviewed_and_corrected_away(capsys, monkeypatch, database_url):
    """The table was closed twice; the second closing is then corrected."""
    recorded(database_url)
    with EventLog.open(database_url) as log:
        events = (ev.TableOpened(1000), ev.TableClosed(1000), ev.TableClosed(900))
        log.append([NewEvent("table/T1", each, actor="pit") for each in events])
    ours = ("findings", "--rule", "unmatched-table-event", "--database", database_url)
    assert sabot(*ours, "--format", "json") == 1
    (row,) = json.loads(capsys.readouterr().out)
    with monkeypatch.context() as patched:  # what the audit noted is enough
        patched.setattr("sabot.cli.verbs.findings.report_of", lambda *_: pytest.fail("audited"))
        said = ("--by", "olga", "--note", "seen", "--database", database_url)
        assert sabot("findings", "ack", row["fingerprint"][:12], *said) == 0
        said = ("--by", "pit", "--note", "mine", "--database", database_url)
        assert sabot("findings", "ack", row["fingerprint"][:12], *said) == 2
        assert "is the actor of event" in capsys.readouterr().err
    with EventLog.open(database_url) as log:
        log.append([NewEvent("table/T1", ev.EventCorrected(3, "typed twice", "eve"))])
    assert sabot(*ours, "--format", "json", "--all") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert tuple(row[key] for key in STATE_KEYS) == (
        "resolved", "corrected", "eve", "typed twice", False, False, True,
    )  # fmt: skip


def test_the_files_of_the_logs_audited_last_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(remembered_findings, "MOST_LOGS", 2)
    found = audit_shoe(fold("shoe/H-1", faulty_shoe())).findings
    for number, origin in enumerate(("a", "b", "a", "c")):
        remembered_findings.remember(origin, found)
        os.utime(remembered_findings.cache_file(origin), (number, number))
    mark = found[0].fingerprint
    where = {each: remembered_findings.remembered(each, mark[:9])[0] for each in "abc"}
    assert where == {"a": {"shoe/H-1"}, "b": set(), "c": {"shoe/H-1"}}
