"""Every list fits a terminal of 80 columns without cutting names."""

import contextlib
import json
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.cli.output import Column, Format, amount_column, emit, with_amounts
from sabot.domain.audit import audit_shoe
from sabot.domain.events.card_batch import CardsReceived
from sabot.domain.events.envelope import NewEvent
from sabot.domain.rules.labels import wager_label
from sabot.domain.state.shoe import fold
from sabot.infrastructure.log.event_log import EventLog
from tests.support.coup_notation import START_US
from tests.support.faulty_log import faulty_shoe, recorded
from tests.support.looked_once import look_once
from tests.support.thorough import slow

LISTS = (
    # the verb, and the keys of its names
    (("tables",), ("table", "shoe", "currency")),
    (("shoes",), ("name", "table_name", "pack", "currency")),
    (("patrons",), ("patron", "currency")),
    (("ledger", "p-3301"), ("currency",)),
    (("commission",), ("name", "patron", "currency")),
    (("cards",), ("batch",)),
    (("cards", "PU-3300"), ()),
    (("log", "--last", "40"), ("stream",)),
    (("audit",), ("severity", "number")),
    (("findings",), ("state", "severity")),
    (("detect", "--shoe", "P7-20260314-1"), ("test",)),
    (("rules",), ("number", "code", "severity")),
    (("packs",), ("pack",)),
    (("odds",), ("wager",)),
    (("odds", "--rules", "macau"), ("wager",)),
    (("simulate", "--habits"), ("habit",)),
)


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes the output for a terminal
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    look_once(monkeypatch)


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()


@pytest.mark.parametrize(("verb", "names"), LISTS, ids=" ".join)
def test_a_list_fits_and_its_names_are_whole(verb, names, evening, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    capsys.readouterr()
    guard(build(), [*verb, "--format", "jsonl"])
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert records
    guard(build(), [*verb, "--format", "table"])
    shown = lines(capsys)
    assert max(map(len, shown)) <= 80
    words = {word for line in shown for word in line.split()}
    for record in records:
        for name in names:
            value = str(record[name]).removeprefix("shoe/")
            value = wager_label(value) if name == "wager" else value
            assert value in words or f"shoe/{value}" in words or value in str(shown), (name, value)


def test_long_names_leave_the_counts_of_a_shoe(tmp_path, capsys):
    # the columns that tell rows apart and count are the last to go
    log = str(tmp_path / "long.sabot")
    table = "GRAND-SALON-TABLE-NUMBER-ONE"
    guard(build(), ["simulate", "--seed", "1", "--table", table, "--database", log])
    capsys.readouterr()
    guard(build(), ["shoes", "--database", log, "--format", "table"])
    heading, _, row = [line.split() for line in lines(capsys) if line.strip()][:3]
    assert heading == ["shoe", "coups", "P", "B", "T"]
    assert row[0].startswith(f"{table}-2026")


SCREENS = {
    ("tables",): """
                                           drop            hold
 table   state   shoe   coup   handle   counted   win   percent
 ────────────────────────────────────────────────────────────────────
 T1              H-1       4    32.00                             EUR
""",
    (
        "shoes",
    ): """in all rows: state: in play; first at: 2026-01-01T20:00:01Z; voids: 0; corrections: 0

 shoe   table   pack        coups   P   B   T   handle      won
 ────────────────────────────────────────────────────────────────────
 H-1    T1      classic-8       4   2   0   2    32.00   -58.00   EUR
 H-2            midi            1   0   1   0     5.00    -4.75   USD
""",
    ("patrons",): """
 patron   shoes   bets   handle   result   owed   bought
 ─────────────────────────────────────────────────────────────
 p1           1      3    20.00    10.00   0.00     0.00   EUR
 p1           1      1     5.00     4.75   0.25     0.00   USD
 p2           1      3    12.00    48.00   0.00     0.00   EUR
""",
    ("ledger", "p1"): """
                                                       chips    result
 event   shoe   coup   wager    kind         chips   balance   balance
 ───────────────────────────────────────────────────────────────────────────
   #19   H-1       1   Player   paid         10.00     10.00     10.00   EUR
   #30   H-1       2   Player   paid          5.00     15.00     15.00   EUR
   #43   H-1       3   Tie      taken        -5.00     10.00     10.00   EUR
   #72   H-2       1   Banker   paid          5.00      5.00      5.00   USD
   #73   H-2       1   Banker   commission    0.00      5.00      4.75   USD
                                marked
""",
    ("commission",): """
                                     at
 shoe   table   state     patron   once   marked   collected   owed
 ────────────────────────────────────────────────────────────────────────
 H-2            in play   p1       0.00     0.25        0.00   0.25   USD
""",
    ("cards",): """
 batch     where          decks   backs   seal   shoes   defects
 ───────────────────────────────────────────────────────────────
 GB-8801   in the store       8   blue               0         0
""",
    ("cards", "GB-8801"): """
 event   at                     what                                      actor
 ──────────────────────────────────────────────────────────────────────────────
   #75   2026-01-01T20:00:00Z   8 decks received from card maker, backs   ann
                                blue, seals S-1, delivery D-7 by ann
""",
    ("log", "--stream", "shoe/H-2", "--last", "4"): """
 event   at                     stream     what
 ──────────────────────────────────────────────────────────────────────────────
   #71   2026-01-01T20:00:15Z   shoe/H-2   called: Banker wins, Player 8,
                                           Banker 9
   #72   2026-01-01T20:00:16Z   shoe/H-2   bet 1 paid 5.00 USD
   #73   2026-01-01T20:00:17Z   shoe/H-2   commission 0.25 USD marked on bet 1
   #74   2026-01-01T20:00:18Z   shoe/H-2   coup 1 closed
""",
    ("audit",): """
 severity   number   shoe   coup   message                           over/short
 ──────────────────────────────────────────────────────────────────────────────
 high       T101     H-1       1   Player drew 3 on 6 [20:00:16Z     -16.10 EUR
                                   #16]
 high       P204     H-1       3   p2's 5.00 EUR on Banker:           -0.25 EUR
                                   commission of 0.00 EUR was
                                   charged, 0.25 EUR was due
                                   [20:00:44Z #35 #44]
 high       C103     H-1       3   dealer announced Tie; Banker
                                   won 9 to 8 [20:00:42Z #42 #37
                                   #38 …]
 high       P201     H-1       4   p2's 5.00 EUR on Tie: overpaid     -5.00 EUR
                                   by 5.00 EUR [20:00:55Z #47 #55]
""",
    ("findings",): """
 fingerprint    state   severity   shoe   coup   message
 ──────────────────────────────────────────────────────────────────────────────
 <T101-1>       open    high       H-1       1   Player drew 3 on 6 [20:00:16Z
                                                 #16]
 <P204-3>       open    high       H-1       3   p2's 5.00 EUR on Banker:
                                                 commission of 0.00 EUR was
                                                 charged, 0.25 EUR was due
                                                 [20:00:44Z #35 #44]
 <C103-3>       open    high       H-1       3   dealer announced Tie; Banker
                                                 won 9 to 8 [20:00:42Z #42 #37
                                                 #38 …]
 <P201-4>       open    high       H-1       4   p2's 5.00 EUR on Tie: overpaid
                                                 by 5.00 EUR [20:00:55Z #47
                                                 #55]
""",
    ("odds", "--rules", "classic-8"): """8 decks: Banker 45.8597 %, Player 44.6247 %, Tie 9.5156 %

                         house   rule
 wager    pays            edge   packs
 ─────────────────────────────────────────
 Player   1 to 1      1.2351 %   classic-8
 Banker   19 to 20    1.0579 %   classic-8
 Tie      8 to 1     14.3596 %   classic-8
""",
    ("packs",): """
 pack                        title                       decks
 ──────────────────────────────────────────────────────────────────────────────
 banque                      Baccarat banque, the bank   3
                             put up to auction
 banque-list                 Baccarat banque, the bank   3
                             to the first name on the
                             list
""",
    ("rules",): """
 number   code                               severity   requirement
 ──────────────────────────────────────────────────────────────────────────────
 T101     player-drew-against-table          high       Player takes no third
                                                        card on 6 or 7, nor if
                                                        either hand has a
                                                        natural (8 or 9).
""",
    ("simulate", "--habits"): """
 habit             what                           options
 ──────────────────────────────────────────────────────────────────────────────
 flat              bets the same stake on every   side=banker
                   coup
""",
}
"""What each list shows of the log of `few`, by its coups: their cards, stakes and payments.

The lists of the program's own rules, packs and habits go on after these lines. ``<T101-1>`` stands
for the fingerprint of the finding of that rule on that coup, whose first 12 characters are shown.
"""


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The two shoes of `tests.support.faulty_log`, and a batch of cards."""
    url = str(tmp_path_factory.mktemp("few") / "few.sabot")
    recorded(url)
    received = CardsReceived(
        "card maker", 8, "ann", backs=("blue",), seals=("S-1",), delivery="D-7"
    )
    with EventLog.open(url) as log:
        log.append([NewEvent("cards/GB-8801", received, START_US, "ann", "d1")])
    return url


FOUND = {
    f"<{found.number}-{found.coup}>": found.fingerprint[:12]
    for found in audit_shoe(fold("shoe/H-1", faulty_shoe())).findings
}


def screen(capsys: pytest.CaptureFixture[str]) -> str:
    """What is shown, with the names of `FOUND` for fingerprints, and one origin for any."""
    shown = "\n".join(line.rstrip() for line in lines(capsys))
    shown = re.sub(r"sabot/[0-9a-f]{16}", "sabot/0123456789abcdef", shown)
    for name, fingerprint in FOUND.items():
        shown = shown.replace(fingerprint, name.ljust(12))
    return "\n".join(line.rstrip() for line in shown.split("\n"))


@pytest.mark.parametrize("verb", SCREENS, ids=" ".join)
def test_a_list_at_80_columns(verb, few, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", few)
    guard(build(), [*verb, "--format", "table"])
    shown = screen(capsys)
    expected = SCREENS[verb].rstrip("\n")
    assert shown.startswith(expected)
    if verb[0] not in ("packs", "rules", "simulate"):
        assert shown.rstrip("\n") == expected


REVIEWED = {
    ("findings", "--all"): """
 fingerprint    state          severity   shoe   coup   message
 ──────────────────────────────────────────────────────────────────────────────
 <T101-1>       acknowledged   high       H-1       1   Player drew 3 on 6
                                                        [20:00:16Z #16;
                                                        acknowledged by dora,
                                                        2026-01-02T10:00:00Z]
 <P204-3>       disputed       high       H-1       3   p2's 5.00 EUR on
                                                        Banker: commission of
                                                        0.00 EUR was charged,
                                                        0.25 EUR was due
                                                        [20:00:44Z #35 #44;
                                                        disputed by eve,
                                                        2026-01-02T10:00:00Z:
                                                        the rate was 0]
 <C103-3>       resolved       high       H-1       3   dealer announced Tie;
                                                        Banker won 9 to 8
                                                        [20:00:42Z #42 #37 #38
                                                        …; resolved as
                                                        confirmed by dora,
                                                        2026-01-02T10:00:00Z:
                                                        seen on tape]
 <P201-4>       open           high       H-1       4   p2's 5.00 EUR on Tie:
                                                        overpaid by 5.00 EUR
                                                        [20:00:55Z #47 #55]
""",
    ("findings", "--state", "open"): """
 fingerprint    state   severity   shoe   coup   message
 ──────────────────────────────────────────────────────────────────────────────
 <P201-4>       open    high       H-1       4   p2's 5.00 EUR on Tie: overpaid
                                                 by 5.00 EUR [20:00:55Z #47
                                                 #55]
""",
    ("findings", "show", "<C103-3>"): """
 at                     what       by     outcome     note           event
 ─────────────────────────────────────────────────────────────────────────
 2026-01-02T10:00:00Z   resolved   dora   confirmed   seen on tape      78
""",
    ("findings", "runs"): """
                                        last
 event   at                     by     event   shoes   findings   stale
 ──────────────────────────────────────────────────────────────────────
   #75   2026-01-02T10:00:00Z   dora     #74       2          4
""",
    ("detect",): "",
    ("verify",): """
 event   until   stream   column   message
 ─────────────────────────────────────────
""",
    ("evidence", "publish", "published"): """
 folder      origin                   events
 ───────────────────────────────────────────
 published   sabot/0123456789abcdef       78
""",
}
"""What is shown of the log of `reviewed`. Where nothing is found, no list is shown."""


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The log of `few`, after an audit on record and words on three findings.

    The log's own clock stands at ten o'clock of the next day.
    """
    url = str(tmp_path_factory.mktemp("reviewed") / "few.sabot")
    now = START_US + 14 * 3_600_000_000 + 123_456
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sabot.infrastructure.log.append.time_ns", lambda: now * 1000)
        recorded(url)
        for words in (
            "audit --record --by dora",
            f"findings ack {FOUND['<T101-1>']} --by dora",
            f"findings dispute {FOUND['<P204-3>']} --by eve --note the_rate_was_0",
            f"findings resolve {FOUND['<C103-3>']} --by dora --note seen_on_tape --as confirmed",
        ):
            said = [word.replace("_", " ") for word in words.split()]
            assert guard(build(), [*said, "--database", url]) in (0, 1)
    return url


@pytest.mark.parametrize("verb", REVIEWED, ids=" ".join)
def test_a_list_after_reviews_at_80_columns(verb, reviewed, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", reviewed)
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert guard(build(), [FOUND.get(word, word) for word in (*verb, "--format", "table")]) < 2
    assert screen(capsys).rstrip("\n") == REVIEWED[verb].rstrip("\n")


KEPT = {
    ("ledger", "p-3301"): ("event", "shoe", "coup", "kind", "chips", "balance"),
    ("commission",): ("shoe", "patron", "marked", "collected", "owed"),
    ("detect", "--shoe", "P7-20260314-1"): ("test", "subject", "evidence", "explanation"),
    ("odds", "banque"): ("side", "hand", "right", "reply to the left"),
}
"""The columns that tell rows apart or carry their answer, whatever the width."""


@pytest.mark.parametrize("verb", KEPT, ids=" ".join)
def test_the_columns_that_name_a_row_or_carry_its_answer_are_kept(
    verb, evening, monkeypatch, capsys
):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    capsys.readouterr()
    guard(build(), [*verb, "--format", "table"])
    shown = lines(capsys)
    line = next(n for n, each in enumerate(shown) if each.startswith(" ───"))
    assert all(f" {name}" in shown[line - 1] for name in KEPT[verb])


def test_a_column_with_one_text_in_all_rows_is_written_once(evening, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    capsys.readouterr()
    guard(build(), ["ledger", "p-3301", "--shoe", "P7-20260314-1", "--format", "table"])
    assert lines(capsys)[0].startswith("in all rows: table: P7")


def test_detection_at_80_columns(evening, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    capsys.readouterr()
    assert guard(build(), ["detect", "--shoe", "P7-20260314-1", "--format", "table"]) == 1
    shown = screen(capsys)
    assert shown.startswith("in all rows: shoe: P7-20260314-1\n")
    assert " next-card            patron p-3301            10^11.6   p-3301 bet on" in shown
    assert " backs-against-rank   table P7, shoe           10^90.9   112 of the 112" in shown


def test_the_verdict_on_a_changed_log_at_80_columns(few, tmp_path, monkeypatch, capsys):
    """Somebody wrote another name beside event 19, and past the triggers."""
    path = tmp_path / "changed.sabot"
    shutil.copy(few, path)
    with contextlib.closing(sqlite3.connect(path)) as log:
        for (name,) in log.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            log.execute(f'DROP TRIGGER "{name}"')
        log.execute("UPDATE log_event SET actor = 'eve' WHERE id = 19")
        log.commit()
    monkeypatch.setenv("SABOT_DATABASE_URL", str(path))
    assert guard(build(), ["verify", "--format", "table"]) == 3
    assert (
        screen(capsys)
        == """
 event   until   stream     column   message
 ──────────────────────────────────────────────────────────────────────────────
     1      56   shoe/H-1            the events 1 to 56 differ from the signed
                                     events: the checkpoint of 56 events in the
                                     database does not match them
"""
    )


@slow
def test_the_table_of_the_demo_is_whole(tmp_path, capsys):
    assert guard(build(), ["demo", "--database", str(tmp_path / "demo.sabot")]) == 0
    shown = "\n".join(line.rstrip() for line in lines(capsys))
    assert (
        """
 table   pack          shoes   coups         drop          win      hold
 ─────────────────────────────────────────────────────────────────────────────
 B1      classic-8         2     162    95,000.00     2,552.50    2.69 %   EUR
 M4      ez-baccarat       2     165    17,000.00     1,375.00    8.09 %   USD
 P7      midi              3     243   500,000.00   -16,650.00   -3.33 %   USD
"""
        in shown
    )


def test_the_pays_of_a_wager_are_broken_between_items(capsys):
    guard(build(), ["odds", "--format", "table"])
    shown = lines(capsys)
    for item in (
        "Banker wins on a two-card 6: 12 to 1",
        "Banker wins on a three-card 6: 20 to 1",
        "Banker wins by 9: 30 to 1",
        "Tie of naturals: push",
    ):
        assert any(f" {item} " in line for line in shown)


def test_all_columns_are_shown_with_wide(evening, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    guard(build(), ["tables", "--format", "table"])
    said = capsys.readouterr()
    assert "handle" not in said.out
    assert said.err.endswith("--wide shows all\n")
    guard(build(), ["tables", "--format", "table", "--wide"])
    said = capsys.readouterr()
    assert "handle" in said.out
    assert said.err == ""


def test_columns_are_left_out_by_rank_and_sentences_wrap(capsys):
    columns = (
        Column("patron"),
        Column("table", rank=1),
        Column("what", wraps=True),
        amount_column("stake"),
        Column("remark", rank=2),
    )
    row = {"patron": "p-1031", "table": "B1", "stake": 1250050, "minor_units": 2,
           "what": "placed after the call of no more bets and after both hands were dealt",
           "remark": "seen by the supervisor on the second camera"}  # fmt: skip
    emit([with_amounts(row, "stake")], columns, Format.TABLE)
    assert [line.rstrip() for line in lines(capsys)] == [
        "",
        " patron   table   what                                                    stake",
        " ──────────────────────────────────────────────────────────────────────────────",
        " p-1031   B1      placed after the call of no more bets and after     12,500.50",
        "                  both hands were dealt",
        "",
    ]


def test_a_file_has_all_columns(evening, monkeypatch, tmp_path: Path):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    path = tmp_path / "tables.txt"
    guard(build(), ["tables", "--format", "table", "-o", str(path)])
    heading = path.read_text().partition("─")[0]
    assert "drop" in heading
    assert "handle" in heading


@pytest.mark.parametrize(
    ("zone", "shown"),
    [("UTC", "2026-03-14T19:35:36Z"), ("Europe/Paris", "2026-03-14T20:35:36+01:00")],
)
def test_times_show_their_zone(zone, shown, evening, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    guard(build(), ["shoes", "--format", "table", "--wide", "--zone", zone])
    assert shown in capsys.readouterr().out
    monkeypatch.setenv("SABOT_TIMEZONE", zone)
    guard(build(), ["shoes", "--format", "table", "--wide"])
    assert shown in capsys.readouterr().out


def test_a_drawing_and_a_case_show_their_zone(evening, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    monkeypatch.setenv("SABOT_TIMEZONE", "Europe/Paris")
    for verb, shown in (
        (["show", "B1", "--at", "21:15"], "2026-03-14T21:14:51+01:00"),
        (
            ["detect", "--shoe", "P7-20260314-1", "--patron", "p-3301", "--format", "table"],
            "(2026-03-14T21:46:48+01:00)",
        ),
    ):
        guard(build(), verb)
        out = capsys.readouterr().out
        assert shown in re.sub(r"\x1b\[[0-9;]*m", "", out)
        assert "Z" not in re.findall(r"2026-03-\d\dT[\d:.]+(.)", out)


def test_an_unknown_zone_is_refused(evening, capsys):
    assert guard(build(), ["shoes", "--database", evening, "--zone", "Europe/Nowhere"]) == 2
    assert (
        "the time zone 'Europe/Nowhere' of --zone or SABOT_TIMEZONE is unknown"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("verb", [("audit",), ("findings", "--shoe")], ids=" ".join)
def test_findings_of_several_dates_state_the_date(verb, evening, monkeypatch, capsys):
    """The evening ends after midnight. Its first shoe does not, and its findings have no date."""
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    capsys.readouterr()
    guard(build(), [verb[0], "--format", "table"])
    shown = " ".join(" ".join(lines(capsys)).split())
    assert "[2026-03-14 19:45:00Z #149 #150 #151 …]" in shown
    assert "[2026-03-15 00:28:52Z #12247 #11343;" in shown
    guard(build(), [*verb, "B1-20260314-1", "--format", "table"])
    assert "[19:45:00Z #149 #150 #151 …]" in " ".join(" ".join(lines(capsys)).split())


def test_a_finding_names_the_rule_and_coup_of_the_one_that_explains_it(
    evening, monkeypatch, capsys
):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    for verb in (("audit", "P7-20260314-3"), ("findings", "--shoe", "P7-20260314-3")):
        capsys.readouterr()
        guard(build(), [*verb, "--format", "table"])
        shown = " ".join(" ".join(lines(capsys)).split())
        assert "explained by D103," in shown
        assert not re.search(r"explained by [0-9a-f]{12}", shown)
