"""A golden shoe of every game in each store: read, audited, replayed, exported.

What is exported is taken into a log of the other kind too: there it is the same to the byte.
"""

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain.audit import audit_shoe
from sabot.domain.events.envelope import NewEvent
from sabot.domain.procedure.games import GAMES
from sabot.domain.state.shoe import fold
from sabot.infrastructure.exports.record_lines import record_line
from sabot.infrastructure.imports.record_line import read_record_line
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import of_game
from tests.golden import test_banque, test_chemin, test_macao, test_playthroughs
from tests.support.thorough import FULL, slow

PACKS = [
    ("punto-banco", "classic-8"),
    ("chemin-de-fer", "chemin-de-fer"),
    ("chemin-de-fer", "chemin-de-fer-france"),
    ("baccarat-banque", "banque"),
    ("baccarat-banque", "deux-tableaux-france-open"),
    ("macao", "macao-old"),
    ("macao", "macao-later"),
    ("victoria", "victoria"),
]

FIRST = dict(reversed(PACKS))
"""The first pack of each game, which the default run takes."""


def played(game, pack):
    """The first shoe of a golden file, as the program deals it."""
    if game in ("macao", "victoria"):
        cards, lines = next(test_macao.packs_of(pack))
        coups = [line for line in lines if line.startswith("coup ")]
        return test_macao.deal(pack, cards, coups).shoe
    if game == "baccarat-banque":
        cards, lines = test_banque.shoes_of(pack)[0]
        table = test_banque.Played(pack, cards)
    else:
        cards, lines = test_chemin.read(pack)
        if game == "punto-banco":
            house = test_playthroughs.HOUSES[pack]
            return test_playthroughs.deal(pack, house, cards).shoe
        table = test_chemin.Played(pack, cards)
    for line in lines:
        table.follow(line)
    return table.felt.shoe


@pytest.fixture
def sabot(capsys):
    """Run a command that finds nothing wrong, and return its output."""

    def run(*arguments):
        assert guard(build(), arguments) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return run


def test_every_game_is_here():
    assert {game for game, _ in PACKS} == GAMES.keys()
    assert all(pack in of_game(game) for game, pack in PACKS)


STORES = ("sqlite", "postgresql")


@slow
@pytest.mark.parametrize(
    ("game", "pack", "database_url"),
    [
        pytest.param(game, pack, store, id=f"{pack}-{store}")
        for turn, (game, pack) in enumerate(PACKS if FULL else FIRST.items())
        for store in (STORES if FULL else STORES[turn % 2 :][:1])
    ],
    indirect=["database_url"],
)
def test_a_store_gives_it_back_as_it_was(game, pack, database_url, sabot, tmp_path):
    shoe = played(game, pack)
    lines = [
        record_line(NewEvent(shoe.stream, event.payload, event.at_us, "dealer", "d", event.seq))
        for event in shoe.history
    ]
    with EventLog.open(database_url) as log:
        log.append(list(map(read_record_line, lines)))
        read = list(log.read(shoe.stream))
    assert [event.payload for event in read] == [event.payload for event in shoe.history]
    again = fold(shoe.stream, read)
    assert (again.seats, again.holder, again.owed_commission) == (
        shoe.seats,
        shoe.holder,
        shoe.owed_commission,
    )
    assert [bank.result for bank in again.banks] == [bank.result for bank in shoe.banks]
    assert [
        {number: (bet.amount, bet.paid, bet.taken) for number, bet in coup.bets.items()}
        for coup in again.coups.values()
    ] == [
        {number: (bet.amount, bet.paid, bet.taken) for number, bet in coup.bets.items()}
        for coup in shoe.coups.values()
    ]
    assert audit_shoe(again).findings == []

    kept, copy = ("--database", database_url), ("--database", str(tmp_path / "copy.sabot"))
    name = shoe.stream.removeprefix("shoe/")
    exported = sabot("export", *kept)
    (tmp_path / "lines.jsonl").write_text(exported, encoding="utf-8")
    sabot("store", "restore", str(tmp_path / "lines.jsonl"), *copy)
    assert sabot("export", *copy) == exported
    replayed = sabot("replay", name, *kept)
    assert replayed == sabot("replay", name, *copy)
    assert f"coup {max(shoe.coups)} " in replayed
    audited = ("audit", "--format", "json")
    assert sabot(*audited, *kept) == sabot(*audited, *copy)
