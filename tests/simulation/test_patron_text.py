"""Patrons described by a line of text."""

from pathlib import Path

import pytest

from sabot.domain.simulation.cheats.cheats import EdgeSorter
from sabot.domain.simulation.cheats.knowledge import FirstCard
from sabot.domain.simulation.patrons.habits import Copycat, Flat, Trend
from sabot.domain.simulation.patrons.options import EVERYBODY
from sabot.domain.simulation.patrons.patron_spec import HABITS, parse_lineup
from sabot.domain.values.errors import BadInput
from tests.support.for_each import for_each


def test_a_lineup_names_and_seats_its_patrons():
    patrons = parse_lineup("flat:2, trend ,flat", 9)
    assert [(p.name, p.seat) for p in patrons] == [
        *(("flat-1", 1), ("flat-2", 2), ("trend-1", 3), ("flat-3", 4)),
    ]
    assert isinstance(patrons[2].habit, Trend)


def test_options_go_to_the_habit_the_channel_and_the_patron():
    (sorter,) = parse_lineup(
        "edge-sorter:1:accuracy=0.9:camouflage=0.25:unit=50000:bankroll=9000000:sits=0.1:quits=5", 7
    )
    assert sorter.habit == EdgeSorter(unit=50_000, camouflage=0.25)
    assert sorter.channel == FirstCard(accuracy=0.9)
    assert (sorter.bankroll, sorter.sits_out, sorter.quits_ahead) == (9_000_000, 0.1, 5)
    (cat,) = parse_lineup("copycat:of=edge-sorter-1:joins=12", 7)
    assert cat.habit == Copycat(of="edge-sorter-1")
    assert cat.joins == 12


def test_honest_patrons_have_no_channel():
    honest = ",".join(name for name, kind in HABITS.items() if not kind.seen_by)
    for patron in parse_lineup(honest, 200):
        assert (patron.channel, patron.scheme, patron.favour) == (None, None, None)


def test_a_quitter_and_a_sitter_out_are_flat_bettors_with_a_manner():
    quitter, idler = parse_lineup("quitter,sitter-out:sits=0.5", 7)
    assert quitter.habit == Flat(side="random")
    assert quitter.quits_ahead == 10_000
    assert idler.sits_out == 0.5


@for_each("name", HABITS)
def test_every_habit_takes_the_options_it_lists(name):
    samples = {
        "money": "700",
        "number": "3",
        "times": "3",
        "share": "0.5",
        "side": "player",
        "name": "x",
        "wager": "tie",
        "values": "789",
    }
    options = {o.name: samples[o.kind] for o in (*EVERYBODY, *HABITS[name].options)}
    text = ":".join([name, *(f"{key}={value}" for key, value in options.items())])
    (patron,) = parse_lineup(text, 1)
    assert patron.habit.unit == 700
    assert patron.name == f"{name}-1"


@for_each(
    ("text", "told"),
    [
        ("", "one patron at least"),
        (" , ", "one patron at least"),
        ("flat:8", "the table has 7 seats"),
        ("gambler:2", "there is no habit 'gambler'; there are flat, trend"),
        ("flat:0", "whole number from 1"),
        ("flat:-2", "whole number from 1"),
        ("flat:\u0661", "whole number from 1"),
        ("flat:1:accuracy=0.5", "flat has no option 'accuracy'; it has unit, bankroll"),
        ("edge-sorter:spread=0", "edge-sorter's spread is a whole number from 1, not '0'"),
        ("main-counter:spread=0", "main-counter's spread is a whole number from 1, not '0'"),
        ("flat:unit=", "flat's unit is a whole number from 1, not ''"),
        ("flat:unit=0", "flat's unit"),
        ("flat:unit=99999999999999999999999999", "flat's unit"),
        ("flat:side=left", "flat's side is player, banker, random, not 'left'"),
        ("edge-sorter:accuracy=1.5", "a share from 0 to 1"),
        ("edge-sorter:accuracy=nan", "a share from 0 to 1"),
        ("marked-cards:values=7a", "point values, as 6789"),
        ("marked-cards:values=0123456789", "point values, as 6789"),
        ("marked-cards:values=77", "point values, as 6789"),
        ("counter:wager=big", "counter's wager is tie, dragon-7"),
    ],
)
def test_what_cannot_be_read_is_told(text, told):
    with pytest.raises(BadInput, match=told.replace("(", "\\(")):
        parse_lineup(text, 7)


def test_the_docs_list_every_habit_with_its_options_and_what_sees_it():
    told = (Path(__file__).parents[2] / "docs" / "dealing.md").read_text().splitlines()
    rows = {line.split("|")[1].strip(" `"): line for line in told if line.startswith("| `")}
    for kind in HABITS.values():
        row = rows[kind.name]
        assert kind.what in row
        assert all(f"`{option.name}`" in row for option in kind.options)
        assert all(test in row for test in kind.seen_by)


def test_a_class_of_values_is_written_in_digits():
    (reader,) = parse_lineup("marked-cards:values=789", 1)
    assert reader.channel == FirstCard(frozenset((7, 8, 9)))


def test_a_relay_takes_turns_and_a_spotter_asks_for_the_others():
    spotter, *team = parse_lineup("spotter,edge-sorter:3:relay=1:silent=1", 9)
    assert [(p.habit.turn, p.habit.team, p.habit.silent) for p in team] == [
        *((0, 3, True), (1, 3, True), (2, 3, True)),
    ]
    assert spotter.channel is None
