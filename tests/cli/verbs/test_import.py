"""``sabot import``: all or nothing, each coup once, clear errors."""

import contextlib
import io
import json
import re
import sys

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.values.errors import BadInput, VersionConflict
from sabot.infrastructure.database.unused_file import removed_if_unused
from sabot.infrastructure.imports.import_files import import_files
from sabot.infrastructure.log.event_log import EventLog
from tests.support.faulty_log import WRONG_CALL, WRONG_DRAW, WRONG_PAYOUT
from tests.support.thorough import one_store

pytestmark = one_store


def coup(number=1, shoe="H-1", **keys):
    row = {"shoe": shoe, "coup": number, "player": ["4d", "5s"], "banker": ["Kh", "9c"]} | keys
    return json.dumps(row) + "\n"


@pytest.fixture
def files(tmp_path):
    """Writes files and returns their paths."""

    def write(**texts):
        paths = []
        for name, text in texts.items():
            path = tmp_path / f"{name}.jsonl"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            paths.append(str(path))
        return paths

    return write


@pytest.fixture
def sabot(capsys):
    """Runs the verb and returns exit code, output and talk."""

    def run(*arguments):
        code = guard(build(), ["import", *arguments])
        return code, *capsys.readouterr()

    return run


def head(url):
    with EventLog.open(url) as log:
        return log.head()


def test_coup_lines_become_events_on_both_stores(sabot, files, database_url):
    bets = [{"patron": "p0", "wager": "banker", "amount": 2500, "net": 2375}]
    paths = files(one=coup(1) + coup(2, bets=bets), two=coup(1, shoe="H-2"))
    code, out, err = sabot(
        *paths, "--database", database_url, "--actor", "clerk", "--format", "json"
    )
    assert (code, err) == (0, "added 2 shoes, 3 coups, 25 events\n")
    assert json.loads(out) == {"shoes": 2, "coups": 3, "facts": 25, "already": 0}
    with EventLog.open(database_url) as log:
        events = log.read("shoe/H-1")
        assert [event.version for event in events] == list(range(1, 18))
        assert {(event.actor, event.device, event.seq) for event in events} == {
            ("clerk", "import", None)
        }
        assert events[9].payload == ev.BetPlaced(2, 1, "p0", "banker", 2500)
        assert events[15].payload == ev.BetPaid(2, 1, 2375, after_commission=True)


def test_the_same_again_adds_nothing(sabot, files, database_url):
    paths = files(one=coup(1) + coup(2))
    assert sabot(*paths, "--database", database_url)[0] == 0
    before = head(database_url)
    code, out, err = sabot(*paths, *paths, "--database", database_url)
    assert (code, out) == (0, "")
    assert err == "added 0 shoes, 0 coups, 0 events; 4 coups were in the log already\n"
    assert head(database_url) == before


def test_one_bad_line_and_nothing_is_written(sabot, files, database_url):
    paths = files(good=coup(1) * 1200, bad=coup(2) + coup(3, player=["4x"]) + "{]\n" + coup(4))
    code, out, err = sabot(*paths, "--database", database_url)
    assert (code, out) == (2, "")
    assert f"{paths[1]}:2: player: '4x' is not a card" in err
    assert f"{paths[1]}:3:2: this is not JSON" in err
    assert "2 errors: nothing was imported" in err
    assert head(database_url) == 0


def test_other_content_is_an_error_and_nothing_is_written(sabot, files, database_url):
    paths = files(one=coup(1), two=coup(2) + coup(1, banker=["Kh", "8c"]))
    assert sabot(paths[0], "--database", database_url)[0] == 0
    before = head(database_url)
    code, _, err = sabot(paths[1], "--database", database_url)
    assert code == 2
    assert (
        f"{paths[1]}:2: coup 1 of shoe 'H-1' stands in the log with other content: "
        "'card-drawn banker 8c' here, 'card-drawn banker 9c' there"
    ) in err
    assert head(database_url) == before


def test_standard_input_is_one_of_the_files(sabot, files, sqlite_url, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(coup(2).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, _, err = sabot(*files(one=coup(1)), "-", "--database", sqlite_url)
    assert (code, err) == (0, "added 1 shoe, 2 coups, 15 events\n")


def test_errors_on_standard_input_are_named_so(sabot, sqlite_url, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n[]\n")))
    code, _, err = sabot("-", "--database", sqlite_url)
    assert code == 2
    assert "standard input:2: the line is not a JSON object" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-", "-"], "- is standard input, and can be read only once"),
        (["none.jsonl"], "there is no file 'none.jsonl'; check the path"),
        (["."], ".: it is a folder; give a regular file"),
        (["a\0b"], "cannot be read: embedded null byte"),
        (["x", "--mapping", "nobody"], "there is no mapping 'nobody'"),
        (["x", "--rules", "nobody"], "there is no rule pack 'nobody'"),
        ([], "Missing argument"),
        (["x", "--key", "k"], "--key is the key of a published directory"),
    ],
)
def test_what_cannot_be_begun(arguments, told, sabot, sqlite_url):
    code, out, err = sabot(*arguments, "--database", sqlite_url)
    assert (code, out) == (2, "")
    assert told in err


def test_one_mistake_is_one_message_with_its_count_and_its_first_line(sabot, files, sqlite_url):
    paths = files(bad=coup(1) + "{\n" * 1000 + "".join(coup(n, player=["4x"]) for n in (2, 3)))
    code, _, err = sabot(*paths, "--database", sqlite_url)
    assert code == 2
    first, second, last = err.removeprefix("sabot: ").splitlines()
    assert first.startswith(f"{paths[0]}:2:2: this is not JSON")
    assert first.endswith("(1,000 lines)")
    assert second.startswith(f"{paths[0]}:1002: player: '4x' is not a card")
    assert second.endswith("(2 lines)")
    assert last.startswith("2 errors on 1,002 lines: nothing was imported")


def test_many_mistakes_are_told_up_to_a_limit(sabot, files, sqlite_url):
    names = [chr(ord("a") + n // 26) + chr(ord("a") + n % 26) for n in range(100)]
    lines = "".join(coup(1, called={f"x{name}": 1}).replace("'", "") for name in names)
    many = "".join(f'{{"{name}": "\\q{name}"}}\n[{{"{name}"}}]\n' for name in names)
    code, _, err = sabot(*files(bad=lines + many), "--database", sqlite_url)
    assert code == 2
    assert "is unknown" in err
    assert err.count("\n") <= 20 + 1
    assert "(100 lines, also with 'xab', 'xac', 'xad', 'xae')" in err


def test_a_dry_run_reads_everything_and_makes_nothing(sabot, files, tmp_path):
    where = tmp_path / "none.sabot"
    good, bad = files(good=coup(1), bad=coup(0))
    code, out, err = sabot(good, "--dry-run", "--database", str(where), "--format", "json")
    assert (code, err) == (0, "would add 1 shoe, 1 coup, 8 events\n")
    assert json.loads(out)["coups"] == 1
    assert sabot(bad, "--dry-run", "--database", str(where))[0] == 2
    assert not where.exists()


def test_an_import_that_fails_leaves_no_log(sabot, files, tmp_path):
    good, bad = files(good=coup(1), bad=coup(0))
    where = tmp_path / "new.sabot"
    assert sabot(good, bad, "--database", str(where))[0] == 2
    assert sabot(good, "none.jsonl", "--database", str(where))[0] == 2
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".jsonl", ".jsonl"]
    assert sabot(good, "--database", str(where))[0] == 0
    assert sabot(bad, "--database", str(where))[0] == 2
    assert head(str(where)) == 8


def test_an_empty_log_that_was_there_or_that_another_uses_stays(sabot, files, tmp_path):
    (bad,) = files(bad=coup(0))
    where = str(tmp_path / "new.sabot")

    def fails_beside(other):
        assert other.head() == 0
        raise BadInput("something is wrong while another has the log open")

    with contextlib.ExitStack() as stack:
        with pytest.raises(BadInput), removed_if_unused(where):
            fails_beside(stack.enter_context(EventLog.open(where)))
        assert head(where) == 0
    assert sabot(bad, "--database", where)[0] == 2
    assert head(where) == 0


def test_a_log_whose_creation_is_interrupted_is_removed(tmp_path, monkeypatch):
    """The file has no tables yet."""
    where = tmp_path / "new.sabot"

    def interrupted(*_, **__):
        where.touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(EventLog, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), removed_if_unused(str(where)):
        EventLog.open(str(where))
    assert not where.exists()


def test_a_dry_run_is_held_against_the_log(sabot, files, database_url):
    (path,) = files(one=coup(1))
    sabot(path, "--database", database_url)
    before = head(database_url)
    code, _, err = sabot(path, "--dry-run", "--database", database_url)
    assert (code, err) == (
        0,
        "would add 0 shoes, 0 coups, 0 events; 1 coup was in the log already\n",
    )
    other = files(other=coup(1, player=["2"]))
    assert sabot(*other, "--dry-run", "--database", database_url)[0] == 2
    assert head(database_url) == before


def test_a_mapped_file_with_its_rules(sabot, tmp_path, sqlite_url):
    (tmp_path / "mine.toml").write_text(
        'format = "csv"\n[coup]\nshoe = { constant = "S" }\ncoup = { count = "lines" }\n'
        'player = { from = "punto", separator = " " }\n'
        'banker = { from = "banco", separator = " " }\n'
    )
    (tmp_path / "coups.csv").write_text("punto,banco\n4d 5s,K 9\n,\n4 4,T 2 3\n")
    arguments = [str(tmp_path / "coups.csv"), "-m", str(tmp_path / "mine.toml")]
    code, _, err = sabot(*arguments, "--rules", "super-6", "--database", sqlite_url)
    assert code == 2
    assert "coups.csv:3: player (from punto): the row has no value" in err
    (tmp_path / "coups.csv").write_text("punto,banco\n4d 5s,K 9\n4 4,T 2 3\n")
    code, _, err = sabot(*arguments, "--rules", "super-6", "--database", sqlite_url)
    assert (code, err) == (0, "added 1 shoe, 2 coups, 16 events\n")
    with EventLog.open(sqlite_url) as log:
        loaded = log.read("shoe/S")[0].payload
    assert (loaded.pack_named, 'name = "super-6"' in loaded.pack) == (True, True)


def test_a_file_that_is_empty_or_blank(sabot, files, sqlite_url):
    names = files(one=b"", two=b"\n \r\n")
    code, _, err = sabot(*names, "--database", sqlite_url)
    assert (code, err.startswith(f"sabot: no coups in {', '.join(names)};")) == (2, True)


def test_an_export_and_coups_do_not_mix(sabot, files, sqlite_url, tmp_path):
    (path,) = files(one=coup(1))
    sabot(path, "--database", sqlite_url)
    export = str(tmp_path / "export.jsonl")
    assert guard(build(), ["export", "--database", sqlite_url, "-o", export]) == 0
    for paths in ([path, export], [export, path]):
        code, _, err = sabot(*paths, "--database", sqlite_url)
        assert code == 2
        assert "the input mixes an export and coup lines" in err


# -- Beside others ----------------------------------------------------------------------------


def test_nobody_sees_a_part_of_it(files, log, database_url):
    seen = []
    with EventLog.open(database_url) as other:
        import_files(
            log,
            files(one="".join(coup(n) for n in range(1, 1202))),
            advance=lambda _done: seen.append(other.head()),
        )
        assert seen == [0, 0, 0]
        assert other.head() == 1 + 1201 * 7


def test_a_shoe_that_grows_while_it_is_read_is_not_overtaken(files, log, database_url):
    import_files(log, files(one=coup(1)))
    with EventLog.open(database_url) as other:

        def somebody_else_records(_done):
            import_files(other, files(other=coup(2, player=["2"])))

        with pytest.raises(VersionConflict, match="shoe/H-1 is at version 14"):
            import_files(log, files(mine=coup(2)), advance=somebody_else_records)
    assert len(log.read("shoe/H-1")) == 14


def test_two_imports_of_the_same_shoe_at_once_leave_one(files, log, database_url):
    with EventLog.open(database_url) as other:
        paths = files(one=coup(1))
        with pytest.raises(VersionConflict):
            import_files(log, paths, advance=lambda _done: import_files(other, paths))
    assert import_files(log, paths).already == 1


def test_a_log_in_memory(files):
    with EventLog.open(":memory:") as log:
        paths = files(one="".join(coup(n) for n in range(1, 700)))
        assert import_files(log, paths).coups == 699
        assert import_files(log, paths).already == 699


def test_a_record_of_outcomes_has_roads_and_wins_and_no_findings(files, sqlite_url, capsys):
    """Six coups without cards, with a bet that is settled by its outcome."""
    net = {"B": 95, "P": -100, "T": 0}
    lines = [
        {"shoe": "O-1", "coup": number, "called": {"outcome": outcome},
         "bets": [{"patron": "p", "wager": "banker", "amount": 100, "net": net[outcome]}]}
        for number, outcome in enumerate("BPTBBP", 1)
    ]  # fmt: skip
    paths = files(outcomes="".join(json.dumps(line) + "\n" for line in lines))

    def said(*arguments):
        code = guard(build(), [*arguments, "--database", sqlite_url])
        out, err = capsys.readouterr()
        return code, out, err

    assert said("import", *paths)[0] == 0
    code, out, _ = said("audit", "--format", "json")
    assert (code, json.loads(out)["coups"], json.loads(out)["findings"]) == (0, 6, [])
    _, _, err = said("audit", "--explain-skips")
    incomplete = err[err.index("not applicable, record incomplete:\n  no card is on record") :]
    incomplete = incomplete[: incomplete.index("the record holds only coups")]
    for rule in (WRONG_DRAW, WRONG_CALL, WRONG_PAYOUT):
        assert rule in incomplete
    (shoe,) = json.loads(said("shoes", "--format", "json")[1])
    assert (shoe["player_wins"], shoe["banker_wins"], shoe["ties"]) == (2, 3, 1)
    (patron,) = json.loads(said("patrons", "--format", "json")[1])
    assert patron["result"] == 3 * 95 - 2 * 100
    assert "B P T B B P" in said("show", "O-1", "--format", "table")[1]


# -- Files of others --------------------------------------------------------------------------


CSV = "shoe,hand,player,banker,result\nS1,1,4d 5s,K 9,B\nS1,2,A 2,3 3,T\n"


def test_a_csv_without_a_mapping_is_told_in_one_line(sabot, tmp_path):
    path = tmp_path / "games.csv"
    for data in (CSV.encode(), b"\xef\xbb\xbf" + CSV.encode(), CSV.encode("utf-16")):
        path.write_bytes(data)
        code, out, err = sabot(str(path), "--database", str(tmp_path / "new.sabot"))
        assert (code, out) == (2, "")
        assert err.startswith(f"sabot: {path}:1: this is not JSON; CSV is read by a mapping: ")
        assert "`sabot import --draft FILE > mapping.toml`" in err
        assert err.count("\n") == 1
    assert not (tmp_path / "new.sabot").exists()


def test_json_of_another_kind_is_told_in_one_line(sabot, files, sqlite_url):
    (path,) = files(other='{"game": 1, "cards": ["4d"]}\n' * 30)
    code, _, err = sabot(path, "--database", sqlite_url)
    assert code == 2
    assert err.startswith(f"sabot: {path}:1: this JSON has no key of a coup line; it is read by a")
    assert err.count("\n") == 1


def test_a_draft_is_written_checked_and_used(sabot, tmp_path, monkeypatch, sqlite_url):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my games.csv").write_text(CSV)
    code, draft, err = sabot("--draft", "my games.csv")
    assert code == 0
    assert "sabot import --dry-run --mapping mapping.toml 'my games.csv'" in err
    assert list(tmp_path.glob("*.sabot")) == [tmp_path / "log.sabot"]
    (tmp_path / "mapping.toml").write_text(draft)
    arguments = ("my games.csv", "--mapping", "mapping.toml", "--database", sqlite_url)
    code, table, err = sabot("--dry-run", *arguments)
    assert (code, err) == (0, "would add 1 shoe, 2 coups, 17 events\n")
    heading, _, *lines = [line.split() for line in table.splitlines() if line.strip()]
    assert heading == ["shoe", "coup", "player", "banker", "called"]
    assert lines == [
        ["S1", "1", "4♦", "5♠", "K", "9", "B"],
        ["S1", "2", "A", "2", "3", "3", "T"],
    ]
    assert sabot(*arguments)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--draft", "none.csv"], "there is no file 'none.csv'"),
        (["--draft", "none.csv", "x.csv"], "stand alone"),
        (["--draft", "none.csv", "--mappings"], "stand alone"),
        (["--mappings", "x.csv"], "stand alone"),
    ],
)
def test_a_draft_that_cannot_be_written(arguments, told, sabot):
    code, out, err = sabot(*arguments)
    assert (code, out, told in err) == (2, "", True), err


def test_the_mappings_that_ship_are_listed(sabot):
    code, out, _ = sabot("--mappings", "--format", "json")
    rows = {row["mapping"]: row for row in json.loads(out)}
    assert code == 0
    assert {"gryai", "jackchang", "coups-csv"} <= set(rows)
    assert rows["coups-csv"]["format"] == "csv"
    assert all(row["title"] for row in rows.values())


def test_a_dry_run_shows_the_first_coups_even_if_a_later_one_is_wrong(sabot, files, tmp_path):
    bets = [{"patron": "ann", "wager": "banker", "amount": 250000, "net": -250000}]
    keys = {"called": {"player": 9, "outcome": "P"}, "at": "2026-01-01T20:00:00Z", "bets": bets}
    lines = coup(1, **keys) + "".join(coup(n) for n in range(2, 20)) + coup(20, player=["x"])
    code, out, err = sabot(
        *files(some=lines), "--dry-run", "--database", str(tmp_path / "none.sabot")
    )
    assert code == 2
    assert "player: 'x' is not a card" in err
    assert "P 9:?" in out
    assert "ann 2,500.00 EUR Banker (-2,500.00)" in out
    assert "2026-01-01T20:00" in out
    assert out.count("H-1") == 10


@pytest.mark.parametrize("text", ["", "\n"])
def test_a_file_without_coups_is_refused_and_begins_no_log(text, tmp_path, capsys):
    file, new = tmp_path / "empty.jsonl", tmp_path / "new.sabot"
    file.write_text(text)
    for dry in ([], ["--dry-run"]):
        assert guard(build(), ["import", str(file), *dry, "--database", str(new)]) == 2
        assert f"sabot: no coups in {file};" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [file]


def test_a_dry_run_fits_into_80_columns(sabot, files, sqlite_url, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes the output for a terminal
    monkeypatch.setenv("COLUMNS", "80")
    bets = [{"patron": f"patron {n}", "wager": "banker", "amount": 250000} for n in range(5)]
    (path,) = files(some=coup(1, shoe="S" * 20, bets=bets, at="2026-01-01T20:00:00Z"))
    shown = sabot(path, "--dry-run", "--database", sqlite_url)[1]
    shown = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "4♦ 5♠" in shown
    assert "patron 4" in shown


def game(number, hands, outcome, *, bet, net, called=None):
    """A game as one published set has it, made up."""
    player, banker = hands
    totals = called or tuple(sum(int(card[0]) for card in hand) % 10 for hand in (player, banker))
    return {
        "game_id": f"G{number}", "player_id": "P1", "start": "2025-01-01T00:00:00+00:00",
        "player": player, "banker": banker,
        "recorded": {"player_total": totals[0], "banker_total": totals[1],
                     "outcome": outcome, "bet": bet, "wager": 100.0, "net": net},
    }  # fmt: skip


def test_a_published_shape_is_audited_as_it_should(files, sqlite_url, capsys):
    """Made-up games: two wrong draws, two ties that were not pushed, one wrong total."""
    p, b, t = "Player wins!", "Banker wins!", "It's a tie!"
    games = [
        (["4H", "5D"], ["2C", "5S"], p, "Player", 100.0),
        (["4H", "4D"], ["2C", "5S"], p, "Banker", -100.0),
        (["2H", "2D", "3S"], ["3C", "3S"], p, "Tie", -100.0),
        (["3H", "3D", "2S"], ["3C", "3S"], p, "Tie", -100.0),  # Player drew on 6
        (["2H", "3D", "6S"], ["3C", "3S", "2D"], b, "Player", -100.0),
        (["2H", "3D"], ["3C", "3S"], b, "Banker", 95.0),  # Player stood on 5
        (["4H", "4D"], ["3C", "5S"], t, "Player", -100.0),  # a tie pushes
        (["4H", "4D"], ["3C", "5S"], t, "Banker", -100.0),  # a tie pushes
        (["4H", "4D"], ["3C", "5S"], t, "Banker", 0.0),
        (["4H", "5D"], ["3C", "5S"], p, "Player", 100.0, (9, 7)),  # Banker had 8
    ]
    lines = [
        game(number, one[:2], one[2], bet=one[3], net=one[4], called=one[5] if one[5:] else None)
        for number, one in enumerate(games)
    ]
    paths = files(games="".join(json.dumps(line) + "\n" for line in lines))
    database = ("--database", sqlite_url)
    assert guard(build(), ["import", *paths, "--mapping", "gryai", *database]) == 0
    capsys.readouterr()
    assert guard(build(), ["audit", *database, "--format", "json"]) == 1
    found = {
        (one["code"], one["shoe"], one["money"] and one["money"]["house"])
        for one in json.loads(capsys.readouterr().out)["findings"]
    }
    assert {code for code, shoe, _ in found if shoe == "G3"} == {WRONG_DRAW}
    assert {code for code, shoe, _ in found if shoe == "G5"} == {"player-stood-against-table"}
    assert {one for one in found if one[1] in ("G6", "G7")} == {
        ("push-paid-or-taken", "G6", 10_000),
        ("push-paid-or-taken", "G7", 10_000),
    }
    assert {code for code, shoe, _ in found if shoe == "G9"} == {"miscalled-final-totals"}
    assert {shoe for _, shoe, _ in found} == {"G3", "G5", "G6", "G7", "G9"}


def test_record_lines_are_told_their_verb(sabot, files, sqlite_url):
    line = '{"stream": "shoe/H", "at": "2026-01-01T20:00:00Z", "fact": {"type": "coup-opened"}}'
    (path,) = files(other=line)
    code, _, err = sabot(path, "--database", sqlite_url)
    assert code == 2
    assert err.startswith(f"sabot: {path}:1: these are lines of a log; use sabot record ")
