"""`sabot demo`: an evening that is dealt, audited, shown and continued."""

import contextlib
import csv
import io
import shlex
import time
from contextlib import redirect_stderr, redirect_stdout

import pypdfium2
import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.cli.verbs.demo import next_steps
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.simulation import demo_mistakes
from sabot.domain.simulation.demo_evening import plan_demonstration
from sabot.domain.state.shoe import fold
from sabot.domain.state.table_state import fold as fold_table
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import pack_text
from tests.faults import FAULTS
from tests.support.thorough import a_part, slow

FAULT_OF = {
    demo_mistakes.ShortBurn: "short-burn",
    demo_mistakes.PlayerDrew: "punto-drew",
    demo_mistakes.BankerStood: "banco-stood",
    demo_mistakes.PalmedCard: "card-palmed",
    demo_mistakes.TotalsMiscalled: "two-card-totals-miscalled",
    demo_mistakes.ResultMiscalled: "outcome-miscalled",
    demo_mistakes.PastPosting: "past-post",
    demo_mistakes.BetCapping: "bet-capped",
    demo_mistakes.WinnerOverpaid: "winner-overpaid",
    demo_mistakes.LoserLeft: "loser-left",
    demo_mistakes.CommissionHalved: "commission-halved",
    demo_mistakes.BetNeverSettled: "bet-never-settled",
}
"""The kind of fault of each mistake. A kind names the rules that report it."""


def demo(folder):
    """Run `sabot demo` in a folder. Return its output and its messages."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), redirect_stdout(out), redirect_stderr(err):
        assert sabot("demo") == 0
    return out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def dealt(tmp_path_factory):
    """The folder of a demo, what it printed, and the seconds that it took."""
    folder, began = tmp_path_factory.mktemp("demo"), time.monotonic()
    return folder, demo(folder), time.monotonic() - began


@pytest.fixture(scope="module")
def evening(dealt):
    """The file of a demo."""
    return str(dealt[0] / "demo.sabot")


@pytest.fixture(scope="module")
def shoes(evening):
    with EventLog.open(evening, read_only=True) as log:
        streams = [info.stream for info in log.streams("shoe/")]
        return {stream: fold(stream, log.read(stream)) for stream in streams}


def sabot(*arguments):
    return guard(build(), list(arguments))


@slow
def test_it_takes_less_than_ten_seconds(dealt):
    assert dealt[2] < 10


@slow
def test_it_shows_what_was_found_and_what_to_type_next(dealt):
    out, err = dealt[1]
    assert "7 shoes" in out
    assert "B1-" in out
    assert "PLAYER" in out
    assert "Banker stood on 3" in out
    assert "12 mistakes were made on purpose; all 12 are listed above, with 2 findings (*)" in out
    assert out.count(" *\n") + out.count(" * ") == 2
    assert "sabot audit --database demo.sabot --format json" in out
    assert "sabot audit --database demo.sabot --explain-skips" in out
    assert "exits 1 on them" in err
    assert "\x1b" not in out


@slow
def test_its_findings_print_on_at_most_four_pages(evening, tmp_path):
    path = tmp_path / "shift.pdf"
    assert sabot("report", "shift-audit", "--database", evening, "-o", str(path)) == 1
    pages = [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(path)]
    assert len(pages) <= 4
    assert "12 findings, and 2 explained by them" in pages[0]
    feet = [page[page.rindex("casino not named") :] for page in pages]
    assert all("rule packs: classic-8 version 2 (e103f407bc484162)" in foot for foot in feet)
    assert all("author not named" in foot and "midi version 4 (" in foot for foot in feet)
    assert not any("…" in foot for foot in feet)


@slow
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_a_shift_with_four_findings_at_three_tables_prints_on_two_pages(
    evening, tmp_path, monkeypatch, paper
):
    settings = tmp_path / "casino.toml"
    settings.write_text('zone = "Europe/Paris"\n[shifts]\nswing = "14:00-22:00"\n')
    monkeypatch.setenv("SABOT_CONFIG", str(settings))
    path = tmp_path / "swing.pdf"
    shift = ("--gaming-day", "2026-03-14", "--shift", "swing", "--paper", paper)
    assert sabot("report", "shift-audit", *shift, "--database", evening, "-o", str(path)) == 1
    pages = [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(path)]
    assert len(pages) == 2
    assert "4 findings" in pages[0]
    assert "Signatures" in pages[1]


@slow
def test_the_same_evening_comes_every_time(dealt, tmp_path):
    assert demo(tmp_path)[0] == dealt[1][0]


def test_nothing_is_overwritten(tmp_path, capsys):
    there = tmp_path / "mine.sabot"
    there.write_text("precious")
    assert sabot("demo", "--database", str(there)) == 2
    assert "exists already; choose another --database FILE" in capsys.readouterr().err
    assert there.read_text() == "precious"


@pytest.mark.parametrize("name", ["postgresql://localhost/casino", "", "no/such/folder/x.sabot"])
def test_it_makes_a_file_of_its_own_and_nothing_else(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SABOT_DATABASE_URL", str(tmp_path / "casino.sabot"))
    assert sabot("demo", "--database", name) == 2
    assert capsys.readouterr().err.startswith("sabot: ")
    assert list(tmp_path.iterdir()) == []


@slow
def test_every_mistake_is_found_and_nothing_else(shoes):
    plan = plan_demonstration(pack_text)
    for one in plan.evenings:
        one.deal()
    made = [(m.shoe, m.mistake, FAULTS[FAULT_OF[type(m.mistake)]]) for m in plan.mistakes]
    assert all(mistake.happened and mistake.family == kind.family for _, mistake, kind in made)
    planted = {(shoe, kind.codes[0]) for shoe, _, kind in made}
    allowed = {(shoe, code) for shoe, _, kind in made for code in kind.codes}
    found = {
        (finding.shoe, finding.code)
        for shoe in shoes.values()
        for finding in audit_shoe(shoe).findings
    }
    assert planted <= found <= allowed
    clean = {stream.removeprefix("shoe/") for stream in shoes} - {shoe for shoe, _ in planted}
    assert clean == {"P7-20260314-1"}


@pytest.mark.parametrize("kind", ["shoe-record", "dealer"])
def test_reports_count_the_findings_as_the_audit_does(kind, evening, shoes, tmp_path):
    """Those that another finding explains do not count."""
    found = [each for shoe in shoes.values() for each in audit_shoe(shoe).findings]
    own = [each for each in found if each.explained_by is None]
    assert len(own) < len(found)
    file = tmp_path / "report.csv"
    sabot("report", kind, "--database", evening, "-o", str(file))
    with file.open(encoding="utf-8-sig", newline="") as lines:
        assert sum(int(row["findings"]) for row in csv.DictReader(lines)) == len(own)


def test_the_tables_books_agree_with_the_bets(evening, shoes):
    """The win by the tray, and the win by every chip that moved, come to the same."""
    with EventLog.open(evening, read_only=True) as log:
        for table in ("B1", "M4", "P7"):
            (session,) = fold_table(f"table/{table}", log.read(f"table/{table}")).sessions
            moved = 0
            for stream, shoe in shoes.items():
                if stream.startswith(f"shoe/{table}-"):
                    for event in shoe.history:
                        match event.payload:
                            case ev.BetTaken(amount=amount) | ev.CommissionCollected(amount=amount):
                                moved += amount
                            case ev.BetPaid(amount=amount):
                                moved -= amount
            assert session.win == moved
            assert session.drop == session.bought


def test_the_guests_requests_come_before_his_bets(shoes):
    for number in (1, 2, 3):
        shoe = shoes[f"shoe/P7-20260314-{number}"]
        asked = [e.payload for e in shoe.requests if e.payload.patron == "p-3301"]
        assert {"keep-decks", "shuffler", "turn-card"} <= {payload.kind for payload in asked}
        first = shoe.coups[1].bets[1].placed.version
        assert shoe.requests[0].version < first
        assert {e.payload.back for e in shoe.left if isinstance(e.payload, ev.CardDrawn)} == {
            "straight",
            "turned",
        }


@slow
def test_everything_that_it_says_to_type_next_works(evening, shoes, monkeypatch, capsys):
    findings = [x for shoe in shoes.values() for x in audit_shoe(shoe).findings]
    steps = next_steps(findings, evening)
    assert len(steps) == 9
    capsys.readouterr()
    for command, _ in a_part(steps, of=2):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"quit\n")))
        program, *arguments = shlex.split(command)
        assert program == "sabot"
        assert sabot(*arguments) == (arguments[0] in {"audit", "detect", "report"}), command
        out, err = capsys.readouterr()
        assert len(out) > 40, command
        assert "Traceback" not in err
