"""``sabot simulate`` writes the same bytes to a file, a pipe or the log."""

import json

import msgspec
import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain.audit import audit_shoe
from sabot.domain.simulation import EVERYBODY, HABITS
from sabot.domain.state.shoe import fold
from sabot.infrastructure.log.event_log import EventLog
from tests.support.thorough import slow


@pytest.fixture
def simulate(capsysbinary):
    """Run the verb. Return exit code, standard output and standard error."""

    def run(*arguments):
        code = guard(build(), ["simulate", *arguments])
        out, err = capsysbinary.readouterr()
        return code, out, err.decode()

    return run


def shoes_in(database):
    with EventLog.open(str(database), read_only=True) as log:
        return [fold(info.stream, log.read(info.stream)) for info in log.streams("shoe/")]


def test_the_same_seed_gives_the_same_bytes(simulate, tmp_path):
    options = ("--shoes", "2", "--rules", "mini", "--decks", "4", "--patrons", "flat:3,trend")
    _, first, err = simulate("--seed", "7", *options, "-o", "-")
    assert err == ""
    _, again, _ = simulate("--seed", "7", *options, "-o", "-")
    _, other, _ = simulate("--seed", "8", *options, "-o", "-")
    assert first == again != other
    path = tmp_path / "shoes.jsonl"
    assert simulate("--seed", "7", *options, "-o", str(path))[0] == 0
    assert path.read_bytes() == first


def test_without_a_seed_the_dice_are_new_and_can_be_thrown_again(simulate):
    _, first, err = simulate("-o", "-")
    seed = err.strip().rpartition(" ")[2]
    assert err.startswith("to repeat this run: --seed ")
    assert simulate("--seed", seed, "-o", "-")[1] == first
    assert simulate("-o", "-")[1] != first


@slow
def test_record_takes_in_what_simulate_writes(simulate, tmp_path, monkeypatch, capsysbinary):
    path = tmp_path / "shoe.jsonl"
    simulate("--seed", "3", "--rules", "uk", "-o", str(path))
    lines = path.read_bytes()
    database = tmp_path / "log.db"
    with path.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert guard(build(), ["record", "--database", str(database)]) == 0
    answers = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    assert len(answers) == len(lines.splitlines())
    assert all("index" in answer for answer in answers)
    direct = tmp_path / "direct.db"
    simulate("--seed", "3", "--rules", "uk", "--database", str(direct))
    (recorded,), (simulated,) = shoes_in(database), shoes_in(direct)
    payloads = [
        [(e.at_us, e.actor, e.device, e.seq, e.payload) for e in s.history]
        for s in (recorded, simulated)
    ]
    assert payloads[0] == payloads[1]
    assert audit_shoe(recorded).findings == []


@slow
def test_shoes_go_into_the_log_once(simulate, tmp_path):
    database = str(tmp_path / "log.db")
    code, out, err = simulate("--seed", "1", "--shoes", "3", "--database", database)
    assert (code, out) == (0, b"")
    assert err.startswith("3 shoes, ")
    names = [shoe.name for shoe in shoes_in(database)]
    assert names == ["SIM-20260101-1", "SIM-20260101-2", "SIM-20260101-3"]
    before = len(shoes_in(database)[0].history)
    _, _, err = simulate("--seed", "1", "--shoes", "3", "--database", database)
    assert "of them already in the log" in err
    assert len(shoes_in(database)[0].history) == before
    code, _, err = simulate("--seed", "2", "--database", database)
    assert code == 2
    assert "the log has a different shoe SIM-20260101-1; choose another --table or --start" in err
    assert simulate("--seed", "2", "--table", "T2", "--database", database)[0] == 0
    assert len(shoes_in(database)) == 4


def test_on_both_stores(simulate, database_url):
    assert simulate("--seed", "1", "--rules", "midi", "--database", database_url)[0] == 0
    (shoe,) = shoes_in(database_url)
    assert shoe.ended is not None
    assert audit_shoe(shoe).findings == []


def test_table_start_limits_and_decks_are_as_asked(simulate, tmp_path):
    database = tmp_path / "log.db"
    simulate(
        *("--seed", "1", "--table", "VIP", "--start", "2026-07-04T23:00:00+02:00"),
        *("--limits", "10-30", "--rules", "macau", "--decks", "6"),
        *("--patrons", "martingale:unit=1000", "--database", str(database)),
    )
    (shoe,) = shoes_in(database)
    assert shoe.name == "VIP-20260704-1"
    assert (shoe.table, shoe.decks) == ("VIP", 6)
    stakes = {bet.amount for coup in shoe.coups.values() for bet in coup.bets.values()}
    assert stakes == {1000, 2000}


@pytest.mark.parametrize(
    ("start", "loaded"),
    [
        ("2026-03-15T10:00", "2026-03-15T10:00:00Z"),
        ("2026-03-15", "2026-03-15T00:00:00Z"),
        ("2026-03-15T01:00+02:00", "2026-03-14T23:00:00Z"),
    ],
)
def test_a_start_is_a_time_as_other_verbs_read_it(simulate, start, loaded):
    _, out, _ = simulate("--seed", "1", "--start", start, "-o", "-")
    first = json.loads(out.splitlines()[0])
    assert first["fact"]["type"] == "shoe-loaded"
    assert first["at"].startswith(loaded[:16])


def test_a_pack_of_ones_own(simulate, tmp_path):
    pack = tmp_path / "house.toml"
    assert guard(build(), ["packs", "uk", "-o", str(pack)]) == 0
    pack.write_text(pack.read_text().replace('"9:1"', '"10:1"'))
    _, out, _ = simulate("--seed", "1", "--rules", str(pack), "-o", "-")
    assert "10:1" in msgspec.json.decode(out.splitlines()[0])["fact"]["pack"]


def test_habits_are_listed_with_their_options(simulate):
    _, out, _ = simulate("--habits", "--format", "json")
    listed = {row["habit"]: row for row in json.loads(out)}
    options = {option.name for kind in HABITS.values() for option in kind.options}
    options |= {option.name for option in EVERYBODY}
    assert set(listed) == {*HABITS, "(any)", *(f"{name}=" for name in options)}
    assert listed["cutter"]["seen_by"] == "whole-coup"
    assert listed["camouflage="]["what"] == "share of coups played at random"
    assert "accuracy=1.0" in listed["edge-sorter"]["options"]
    assert "bankroll=1000000" in listed["(any)"]["options"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--patrons", "wizard"), "there is no habit 'wizard'"),
        (("--patrons", "flat:20"), "the table has 14 seats"),
        (("--rules", "poker"), "there is no rule pack 'poker'"),
        (("--decks", "5"), "--decks 5 is not allowed by rule pack classic-8; allowed: 8"),
        (("--start", "tomorrow"), "--start: 'tomorrow' is not a time"),
        (("--start", "#12"), "--start: '#12' is not a time"),
        (("--start", "20:00"), "--start: '20:00' is not a time"),
        (("--start", "1969-12-31T23:00"), "times run from 1970 to 2254"),
        (("--start", "2300-01-01"), "times run from 1970 to 2254"),
        (("--limits", "500-100"), "--limits"),
        (("--limits", "x"), "--limits"),
        (("--dealers", "anna,"), "--dealers takes names separated by commas"),
        (("--table", ""), "a table's name has 1 to 60"),
        (("--table", "a\x1b[2Jb"), "a table's name has 1 to 60"),
        (("--shoes", "0"), "--shoes"),
    ],
)
def test_what_cannot_be_simulated_is_told(simulate, arguments, told):
    code, out, err = simulate(*arguments, "-o", "-")
    assert (code, out) == (2, b"")
    assert told in err
