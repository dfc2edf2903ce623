"""Every game has all that a game must define."""

from typing import get_args

import pytest

from sabot.domain.procedure.games import GAMES, game_of
from sabot.domain.rules.rule_pack import GameName, parse_pack
from sabot.infrastructure.rule_packs import pack_text, shipped


def test_every_game_that_a_pack_can_name_is_there_by_its_name():
    assert set(GAMES) == set(get_args(GameName))
    assert all(game.name == name for name, game in GAMES.items())


@pytest.mark.parametrize("name", get_args(GameName))
def test_every_game_has_a_shipped_pack(name):
    assert name in {parse_pack(text).game for text in shipped().values()}


def test_a_shoe_whose_pack_cannot_be_read_is_taken_for_punto_banco():
    assert game_of(None).name == "punto-banco"
    assert game_of(parse_pack(pack_text("uk"))) is GAMES["punto-banco"]
