"""``sabot detect``: its findings, formats and the tests that were not made."""

import copy
import csv
import io
import json
import re
import shutil
import signal
from contextlib import redirect_stderr, redirect_stdout
from functools import lru_cache

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.protection.detection.follower import Follower
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.simulation import Patron
from sabot.domain.simulation.patrons.side_counter import SideCounter
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import shoe_loaded
from tests.cli.verbs.test_audit_follow import PATIENCE_S, following
from tests.protection.test_late_bets import late_and_in_time
from tests.support.coup_notation import Felt
from tests.support.faulty_log import clean_shoe, recorded, sabot
from tests.support.simulated_shoes import HONEST, sorter, streams
from tests.support.thorough import FULL, a_part, slow

THEOREMS = {"next-card", "whole-coup", "first-four", "late-change", "late-bets"}
KEYS = {
    "test", "subject", "shoe", "coup", "log10_e", "first_alarm_coup", "edge_estimate", "interval",
    "coup_edge", "coup_interval", "explanation", "events",
}  # fmt: skip


@lru_cache(maxsize=2)
def evening(accuracy=1.0):
    """Two tables: honest patrons at both, one who sorts at the first."""
    cheated = streams((*HONEST, sorter(accuracy)), 1, table="T1", coups=None if FULL else 48)
    honest = streams(HONEST, 1, table="T2", seed="honest", coups=None if FULL else 32)
    return sorted((e for shoe in (*cheated, *honest) for e in shoe), key=lambda e: e.at_us)


def drafted(events):
    return [NewEvent(e.stream, e.payload, e.at_us, e.actor, e.device, e.seq) for e in events]


@pytest.fixture(scope="module")
def cheated(sqlite_template, tmp_path_factory):
    """The evening's log, for all tests of this module: none may write to it."""
    url = str(shutil.copy(sqlite_template, tmp_path_factory.mktemp("detect") / "log.sabot"))
    with EventLog.open(url) as log:
        log.append(drafted(evening()))
    return url


def detected(*arguments):
    """The exit code of the verb, its document, and what it says beside it."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = sabot("detect", *arguments, "--format", "json")
    return code, json.loads(out.getvalue()), err.getvalue()


@pytest.fixture(scope="module")
def evening_detected(cheated):
    """What the verb says of the whole evening, without options."""
    return detected("--database", cheated)


@pytest.fixture
def whole(evening_detected):
    """A copy of the document of the whole evening."""
    return copy.deepcopy(evening_detected[1])


@slow
def test_the_document_is_as_promised(evening_detected, cheated):
    code, document, _ = evening_detected
    assert code == 1
    assert list(document) == ["alpha", "subjects", "findings", "advantage_play"]
    assert document["advantage_play"] == []
    assert document["alpha"] == 0.001
    assert all(set(finding) == KEYS for finding in document["findings"])
    first = document["findings"][0]
    assert (first["test"], first["subject"]) == ("next-card", {"patron": "cheat"})
    assert first["shoe"].startswith("T1-")
    assert first["coup"] == first["first_alarm_coup"] < 60
    assert first["log10_e"] > 6
    low, high = first["interval"]
    assert low < first["edge_estimate"] < high
    with EventLog.open(cheated, read_only=True) as log:
        names = {event.index: event.payload for events in log.scan() for event in events}
    assert all(isinstance(names[index], ev.CardDrawn) for index in first["events"])
    kinds = {key for finding in document["findings"] for key in finding["subject"]}
    assert kinds <= {"patron", "group", "dealer", "table", "shoe"}


@slow
def test_counting_is_told_as_advantage_play_and_is_no_finding(sqlite_url, tmp_path):
    counter = Patron(name="counts", seat=1, habit=SideCounter(wager="tie", margin=-0.12))
    with EventLog.open(sqlite_url) as log:
        log.append(drafted(event for shoe in streams((counter,), 4) for event in shoe))
    code, document, said = detected("--database", sqlite_url)
    assert (code, document["findings"]) == (0, [])
    (play,) = document["advantage_play"]
    assert (play["patron"], play["wager"]) == ("counts", "tie")
    assert play["expectation"] > play["without"]
    assert play["z"] > 5
    assert len(play["coups"]) == 12
    assert all(bet["expectation"] > -0.12 for bet in play["coups"])
    assert "advantage play (legal, no finding): counts bets on Tie" in said
    page = tmp_path / "case.html"
    assert sabot("detect", "--database", sqlite_url, "-o", str(page)) == 0
    first = play["coups"][0]
    written = page.read_text(encoding="utf-8")
    assert "Advantage play: legal, no finding" in written
    assert f"{first['shoe']} coup {first['coup']}" in written


@slow
def test_parts_of_the_log(cheated, whole):
    code, honest, said = detected("--database", cheated, "--table", "T2")
    assert (code, honest["findings"]) == (0, [])
    assert honest["subjects"] < whole["subjects"]
    assert "no findings" in said
    shoe = whole["findings"][0]["shoe"]
    assert detected("--database", cheated, "--shoe", shoe)[1]["findings"]
    code, early, _ = detected("--database", cheated, "--until", "#300")
    assert (code, early["findings"]) == (0, [])
    since = detected("--database", cheated, "--since", "#1")[1]
    for one in (since, whole):
        for finding in one["findings"]:
            finding["explanation"] = finding["explanation"].split(" Only ")[0]
    assert since == whole
    assert detected("--database", cheated, "--since", "2199-01-01")[1]["subjects"] == 0


@slow
def test_a_patron_is_tested_among_all(cheated, whole):
    code, his, _ = detected("--database", cheated, "--patron", "cheat")
    assert code == 1
    assert his["subjects"] == whole["subjects"]
    assert his["findings"] == [one for one in whole["findings"] if "cheat" in str(one["subject"])]
    code, hers, _ = detected("--database", cheated, "--patron", "trend")
    assert all("cheat" in one["explanation"] for one in hers["findings"])


@slow
def test_a_patron_without_a_finding_is_told_the_evidence(cheated):
    code, found, said = detected("--database", cheated, "--patron", "flat")
    assert (code, found["findings"]) == (0, [])
    assert "flat is not named. Evidence against honest play: less than 1 to 1, from" in said
    assert "to 1 suffices for a finding (e-BH)." in said


@slow
def test_a_patron_watched_and_a_group_named_beforehand_are_told(capsys, cheated):
    named = ("--watch", "cheat", "--group", "team=cheat,flat")
    _, found, said = detected("--database", cheated, *named)
    (one,) = found["findings"]
    assert one["subject"] == {"patron": "cheat"}
    assert "watched beforehand: cheat" in one["explanation"]
    assert "watched beforehand: cheat" in said
    assert sabot("detect", "--database", cheated, "--watch", "chaet") == 2
    assert "--watch: patron 'chaet' was at no table" in capsys.readouterr().err


def test_a_group_of_which_somebody_was_never_there_is_refused_by_his_name(capsys, cheated):
    code = sabot("detect", "--database", cheated, "--group", "team=cheat,flatt")
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert "--group team: patron 'flatt' was at no table" in said.err


def own_evidence(url, plan):
    """Each subject's evidence, its own factors multiplied here: now, and where it first alarmed."""
    with EventLog.open(url, read_only=True) as log:
        events = [event for batch in log.scan(until=log.head(), prefix="shoe/") for event in batch]
    now, alarms = {}, {}

    def hear(key, _tally, factor, evidence, shoe):
        now[key] = now.get(key, 1.0) * factor
        if now[key] >= 1 / plan.alpha:
            alarms.setdefault(key, (shoe.name, evidence.coup.number))

    Follower(plan, listen=hear).take(events)
    return now, alarms


def written_as(key):
    """A subject as the document writes it."""
    match key:
        case ("pair", *pair):
            return {"group": "+".join(pair)}
        case ("late", patron):
            return {"patron": patron}
        case _:
            return dict([key])


@slow
def test_findings_are_what_e_bh_keeps_of_all_and_alarms_are_each_subject_s_own(cheated):
    """Reckoned anew: products of factors, and the patrons' three quarters of alpha split evenly."""
    plan = Plan(alpha=0.01, groups={"team": ("cheat", "flat")})
    arguments = ("--database", cheated, "--alpha", "0.01", "--group", "team=cheat,flat")
    _, document, _ = detected(*arguments)
    now, alarms = own_evidence(cheated, plan)
    tested = {key: e for key, e in now.items() if key[0] != "under"}  # each met one dealer
    assert document["subjects"] == len(tested)
    patrons = {key: e for key, e in tested.items() if key[0] == "patron"}
    kept = [key for key, e in patrons.items() if e >= len(patrons) / (0.75 * plan.alpha)]
    told = [one for one in document["findings"] if one["test"] in THEOREMS]
    assert kept == [("patron", "cheat")]
    assert [one["subject"] for one in told] == [written_as(key) for key in kept]
    for key, one in zip(kept, told, strict=True):
        assert 10 ** one["log10_e"] == pytest.approx(tested[key])
        assert (one["shoe"], one["first_alarm_coup"]) == alarms[key]
        assert set(one["subject"]) <= {"patron", "group", "dealer", "table", "shoe"}


@slow
def test_rows_say_on_what_their_level_rests(capsys, cheated):
    written = {"tsv": "\ttheorem\t", "csv": ",theorem,", "jsonl": '"rests":"theorem"'}
    for form, said in written.items():
        sabot("detect", "--database", cheated, "--table", "T1", "--format", form)
        assert said in capsys.readouterr().out


def test_a_cell_of_csv_has_one_value(capsys, cheated):
    sabot("detect", "--database", cheated, "--table", "T1", "--format", "json")
    found = json.loads(capsys.readouterr().out)["findings"]
    sabot("detect", "--database", cheated, "--table", "T1", "--format", "csv")
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len(rows) == len(found) > 0
    for row, one in zip(rows, found, strict=True):
        named = {
            key: row[f"subject_{key}"] for key in ("patron", "group", "dealer", "table", "shoe")
        }
        assert {key: name for key, name in named.items() if name} == one["subject"]
        bounds = [row["interval_low"], row["interval_high"]]
        assert bounds == [str(bound) for bound in one["interval"] or ["", ""]]


def test_a_time_without_a_coup_is_told_so(cheated):
    day = ("--since", "2020-01-01", "--until", "2020-01-02")
    code, document, said = detected("--database", cheated, *day)
    assert (code, document["findings"]) == (0, [])
    assert "no coups in the selected range (coups from 2020-01-01T00:00:00Z on;" in said
    assert "no shoe in the record" not in said


def test_a_game_without_a_player_s_and_a_banker_s_hand_is_not_called_clean(sqlite_url):
    recorded(sqlite_url, Felt("macao-old").shoe.history)
    code, document, said = detected("--database", sqlite_url)
    assert (code, document["subjects"], document["findings"]) == (0, 0, [])
    assert "no findings" not in said
    assert "none of the coups of 1 shoe could be tested" in said
    assert "not made: next-card, whole-coup" in said
    assert "no test was made: the tests are for punto banco, the shoe is of macao" in said


@slow
def test_a_stricter_level_finds_no_more(cheated):
    _, loose, _ = detected("--database", cheated, "--alpha", "0.05")
    _, strict, _ = detected("--database", cheated, "--alpha", "1e-9")
    alarms = [
        [
            one["first_alarm_coup"]
            for one in found["findings"]
            if one["subject"] == {"patron": "cheat"}
        ]
        for found in (loose, strict)
    ]
    assert len(strict["findings"]) <= len(loose["findings"])
    assert alarms[0][0] < alarms[1][0]


@slow
@pytest.mark.parametrize("form", a_part(["html", "table", "tsv", "json", "jsonl", "csv"], of=3))
def test_the_same_log_gives_the_same_bytes(form, cheated, tmp_path):
    written = []
    for number in (1, 2):
        path = tmp_path / f"{number}.out"
        part = ("--table", "T1", "--format", form, "-o", str(path))
        assert sabot("detect", "--database", cheated, *part) == 1
        written.append(path.read_bytes())
    assert written[0] == written[1]
    assert b"cheat" in written[0]


@slow
def test_a_range_is_said_to_have_been_named_before_the_evidence(evening_detected, cheated):
    _, document, said = detected("--database", cheated, "--since", "#1")
    warning = (
        "only coups from #1 on: the error rate holds if this was chosen before results were seen"
    )
    assert warning in said
    assert "only coups from" not in evening_detected[2]
    assert document["findings"]
    for finding in document["findings"]:
        assert finding["explanation"].endswith(f" O{warning[1:]}.")


@pytest.mark.parametrize(("pack", "bets"), [("uk", 1), ("classic-8", 2)])
def test_bets_that_may_have_come_after_a_face_are_told_of(sqlite_url, tmp_path, pack, bets):
    with EventLog.open(sqlite_url) as log:
        log.append(drafted(late_and_in_time(pack).history))
    _, document, said = detected("--database", sqlite_url)
    (one,) = document["left_out"]
    assert (one["patron"], one["bets"]) == ("p1", bets)
    assert "chips reported the bet, reader the face" in one["why"]
    many = "1 bet" if bets == 1 else f"{bets} bets"
    assert f"left out: {many} of 1 patron, perhaps placed after a card: {one['why']}" in said
    page = tmp_path / "case.html"
    sabot("detect", "--database", sqlite_url, "-o", str(page))
    assert one["why"] in page.read_text()


def test_wrong_use(capsys, cheated, tmp_path):
    for arguments in (
        ("--alpha", "0"), ("--alpha", "1"), ("--alpha", "nan"), ("--alpha", "1e-320"),
        ("--until", "#999999"),
        ("--since", "yesterday"), ("--table", "T9"), ("--shoe", "none"), ("--patron", "nobody"),
        ("--group", "alone=p1"), ("--group", "=a,b"), ("--group", "g=a,b", "--group", "g=c,d"),
        ("--follow", "--until", "3"), ("--follow", "--patron", "cheat"),
        ("--follow", "--format", "json"), ("--follow", "-o", str(tmp_path / "x.csv")),
    ):  # fmt: skip
        assert sabot("detect", "--database", cheated, *arguments) == 2, arguments
        assert "Traceback" not in capsys.readouterr().err
    assert sabot("detect", "--database", str(tmp_path / "none.db")) == 2
    assert not (tmp_path / "none.db").exists()


def test_a_log_that_lacks_what_a_test_needs_says_so(sqlite_url):
    felt = Felt("classic-8").ready("Ac")
    for number in range(1, 4):
        felt.coup("| P 4 5  B K 7", number=number)
    with EventLog.open(sqlite_url) as log:
        log.append(
            [NewEvent("shoe/H-1", event.payload, event.at_us) for event in felt.shoe.history]
        )
    code, document, said = detected("--database", sqlite_url)
    assert (code, document["subjects"]) == (0, 0)
    for test, why in (
        ("next-card", "no bets in the record"),
        ("whole-coup", "no bets in the record"),
        ("backs-against-rank", "no backs in the record"),
        ("side-bets", "no side bets in the record"),
        ("payments-cluster", "no settled bets"),
    ):
        assert re.search(rf"{test}: not made: {why}|{test}: not made: .*{why}", said), test


def test_an_empty_log_was_not_looked_at(sqlite_url):
    code, document, said = detected("--database", sqlite_url)
    assert (code, document["findings"]) == (0, [])
    assert "nothing to test" in said


def test_a_log_that_was_cut_off_is_not_trusted(sqlite_url):
    import sqlite3  # noqa: PLC0415 - here alone

    recorded(sqlite_url, clean_shoe())
    with sqlite3.connect(sqlite_url) as store:
        store.execute("DROP TRIGGER log_event_stays")
        store.execute("DELETE FROM log_event WHERE id = (SELECT max(id) FROM log_event)")
    assert sabot("detect", "--database", sqlite_url) == 3


def test_a_patron_of_another_table_is_told_before_the_computation(
    capsys, cheated, monkeypatch, tmp_path
):
    monkeypatch.setattr("sabot.cli.verbs.detect.look", None)
    url = shutil.copy(cheated, tmp_path / "two.db")
    with EventLog.open(str(url)) as log:
        log.append([NewEvent("shoe/elsewhere", shoe_loaded(table="T99"))])
    for option in ("--patron", "--watch"):
        arguments = ("--database", str(url), "--table", "T99", option, "cheat")
        assert sabot("detect", *arguments) == 2
        assert f"{option}: cheat played only at " in capsys.readouterr().err
    assert sabot("detect", "--database", str(url), "--shoe", "elsewhere", "--patron", "cheat") == 2
    assert "--patron: cheat played only in T1-" in capsys.readouterr().err


@slow
def test_the_case_of_a_patron_on_a_terminal(capsys, cheated):
    assert sabot("detect", "--database", cheated, "--patron", "cheat", "--format", "table") == 1
    said = capsys.readouterr().out
    for part in (
        "Patron cheat", "next-card (theorem)", "The evidence, coup by coup", "1/alpha",
        "The bets against the cards", "The money of cheat, all wagers",
        "an honest patron was expected",
        "asked to keep the decks", "asked for a shuffler", "cut the shoe",
    ):  # fmt: skip
        assert part in said, part
    player = next(line for line in said.split("\n") if line.strip().startswith("Player"))
    counts = [int(many) for many in player.split()[1:]]
    # he knew: on Player before 6 to 9 alone
    assert sum(counts[:6]) == 0
    assert counts[-1] == sum(counts[6:10]) > 10


def test_a_correction_counts_as_the_events_stand_now(cheated, whole, tmp_path):
    copied = shutil.copy(cheated, tmp_path / "copied.sabot").__str__()
    with EventLog.open(copied) as log:
        stream = next(info.stream for info in log.streams("shoe/T1"))
        bets = [
            e
            for e in log.read(stream)
            if isinstance(e.payload, ev.BetPlaced) and e.payload.patron == "cheat"
        ]
        log.append(
            [NewEvent(stream, ev.EventCorrected(bet.version, "another patron's", None,
                   msgspec.structs.replace(bet.payload, patron="flat"))) for bet in bets]
        )  # fmt: skip
    after = detected("--database", copied, "--table", "T1")[1]
    assert {"patron": "cheat"} in [one["subject"] for one in whole["findings"]]
    assert {"patron": "cheat"} not in [one["subject"] for one in after["findings"]]


def test_an_alarm_is_told_while_the_shoe_is_dealt(sqlite_url, tmp_path, monkeypatch):
    """The verb beside a table: the line comes before the shoe is over, and only once.

    Whose case was shown is in the access log before it is shown.
    """
    accesses = tmp_path / "accesses.jsonl"
    monkeypatch.setenv("SABOT_ACCESS_LOG", str(accesses))
    events = [e for e in evening() if e.stream.startswith("shoe/T1")]
    with (
        EventLog.open(sqlite_url) as log,
        following(sqlite_url, "jsonl", "detect") as (process, lines),
    ):
        log.append(drafted(events[: len(events) - 100]))
        first = json.loads(lines.get(timeout=PATIENCE_S))
        assert first["subject"] == {"patron": "cheat"}
        assert set(first) == {*KEYS, "rests"}
        noted = json.loads(accesses.read_text().splitlines()[0])
        assert (noted["verb"], noted["what"]) == ("detect --follow", "case of cheat")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE_S) == 130
        rest = []
        while not lines.empty():
            rest.append(json.loads(lines.get())["subject"])
        assert first["subject"] not in rest


@pytest.mark.parametrize("when", [("#50", "#20"), ("2026-01-05", "2026-01-04")])
def test_a_time_that_ends_before_it_begins_is_refused(capsys, cheated, when):
    code = sabot("detect", "--database", cheated, "--since", when[0], "--until", when[1])
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert f"--since {when[0]} is later than --until {when[1]}" in said.err
