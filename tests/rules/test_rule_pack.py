"""Rule packs: valid ones, and errors with a reason."""

import hashlib
import tomllib
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sabot.domain.odds.coup_odds import full_decks, odds_of
from sabot.domain.rules.rule_pack import RulePack, pack_sha256, parse_pack
from sabot.domain.values.errors import BadRulePack
from sabot.infrastructure.rule_packs import of_game, shipped, shipped_packs
from tests.support.for_each import for_each
from tests.support.thorough import slow, tries

EVERY_RESULT = tuple(odds_of(full_decks(2)).results)

PACK = """
name = "house"
version = "1"
title = "A house's rules"
game = "punto-banco"
sources = ["the house"]

[cards]
decks = [6, 8]

[burn]
option = "first-card-value"

[[wagers]]
name = "player"
lines = [["player-wins", "1:1"], ["tie", "push"]]
"""


def with_line(line, *, before="[cards]"):
    return PACK.replace(before, f"{line}\n{before}")


def test_a_pack_that_says_little_has_the_usual_rules():
    pack = parse_pack(PACK)
    assert (pack.name, pack.cards.decks, pack.burn.option) == ("house", (6, 8), "first-card-value")
    assert pack.cards.backs is None
    assert pack.commission.ratio == (0, 1)
    assert (pack.tie.bets_stay, pack.tie.withdrawable) == (True, True)
    assert (pack.limits.minimum, pack.limits.maximum, pack.free_hands) == (None, None, None)
    assert pack.wager("player").name == "player"
    assert pack.wager("banker") is None


def test_the_hash_is_that_of_the_text_in_utf_8():
    text = PACK.replace("A house's rules", "Règles d'une maison")
    assert pack_sha256(text) == hashlib.sha256(text.encode("utf-8")).hexdigest()


@for_each(
    ("text", "said"),
    [
        ("", "the key 'name' is missing"),
        ("name = ", "not TOML"),
        ("[" * 3000, "not TOML"),
        ("x = " + "[" * 30_000, "nested too deep"),
        ("x = " + "9" * 5000, "not TOML"),
        ("x" + ".a" * 15_000 + " = 1", "nested too deep"),
        ("x" + '."a"' * 40 + " = 1", "nested too deep"),
        ("[" + "a." * 15_000 + "a]", "nested too deep"),
        ("".join(f"a{n} = 1\n" for n in range(15_000)), "more than 4000 keys and items"),
        ("".join(f"\n[a{n}]" for n in range(15_000)), "more than 4000 keys and items"),
        (PACK + "\ud800", "half a character"),
        (PACK + '\n# "\ud800"', "half a character"),
        (PACK.replace('"first-card-value"', '"fixed"'), "`cards` does not say how many"),
        (PACK + "\0", "not TOML"),
        (PACK + PACK, "not TOML"),
        (with_line('colour = "red"'), "the key 'colour' is unknown"),
        (with_line("backs = 2", before="\n[burn]").replace("backs", "bucks"), "'bucks'"),
        (PACK.replace('name = "house"', 'name = "House Rules"'), "name: "),
        (PACK.replace('name = "house"', "name = 8"), "name: "),
        (PACK.replace('version = "1"', 'version = "one"'), "version: "),
        (PACK.replace('"punto-banco"', '"blackjack"'), "blackjack"),
        (PACK.replace("[6, 8]", "[]"), "no number of decks"),
        (PACK.replace("[6, 8]", "[0]"), "cards.decks["),
        (PACK.replace("[6, 8]", "[6.5]"), "cards.decks["),
        (PACK.replace("[6, 8]", "[1001]"), "cards.decks["),
        (PACK.replace("[6, 8]", "[true]"), "cards.decks["),
        (PACK.replace("[6, 8]", "[nan]"), "cards.decks["),
        (PACK.replace('"first-card-value"', '"guess"'), "guess"),
        (PACK.replace("player-wins", "player-shines"), "'player-shines', which is not a condition"),
        (PACK.replace('"1:1"', '"evens"'), "lines"),
        (PACK.replace('"1:1"', '"1:0"'), "odds are n:m"),
        (PACK.replace('"1:1"', '"1:00"'), "odds are n:m"),
        (PACK.replace('"1:1"', '"\u0661:\u0661"'), "lines"),
        (PACK.replace('"1:1"', '"1:1\\n"'), "lines"),
        (PACK.replace('"1:1"', '"-1:1"'), "lines"),
        (PACK.replace('["tie", "push"]', '["tie"]'), "lines"),
        (PACK.replace('["tie", "push"]', '["tie", "push", "x"]'), "lines"),
        (
            PACK.replace('lines = [["player-wins", "1:1"], ["tie", "push"]]', "lines = []"),
            "no line",
        ),
        (PACK.replace('name = "player"', 'name = "Player"'), "name"),
        (PACK.split("[[wagers]]", maxsplit=1)[0] + "wagers = []", "wagers"),
        (PACK + "\n[[wagers]]" + PACK.split("[[wagers]]")[1], "offers the wager 'player' twice"),
        (PACK + '\n[commission]\nrate = "1/0"', "commission.rate: "),
        (PACK + '\n[commission]\nrate = "5 %"', "commission.rate: "),
        (PACK + '\n[commission]\nrate = "21/20"', "more than the winnings"),
        (PACK + '\n[commission]\ndue = "never"', "never"),
        (PACK + "\n[commission]\nunit = 0", "commission.unit: "),
        (PACK + '\n[money]\ncurrency = "euro"', "money.currency: "),
        (PACK + "\n[money]\nminor_units = 9", "money.minor_units: "),
        (PACK + "\n[end]\nstop_card_least = 16\nstop_card_most = 14", "cut card"),
        (PACK + "\n[limits]\nminimum = 500\nmaximum = 100", "limits"),
        (PACK + "\n[limits]\nminimum = -1", "limits.minimum: "),
        (PACK + "\n[table]\nseats = 0", "table.seats: "),
        (PACK + "\n[table]\nposts = 5", "table.posts: "),
    ],
)
def test_a_bad_pack_is_refused_with_the_reason(text, said):
    with pytest.raises(BadRulePack) as caught:
        parse_pack(text)
    assert said in str(caught.value)


def test_a_byte_order_mark_before_a_pack_is_ignored():
    assert parse_pack("\ufeff" + PACK) == parse_pack(PACK)


def test_a_bad_pack_is_read_once():
    """Every audit of every shoe asks for its pack."""
    text = PACK + "\n# never seen\nstray = 1"
    with pytest.raises(BadRulePack) as first:
        parse_pack(text)
    again = mock.patch("sabot.domain.rules.rule_pack.parse_toml", side_effect=AssertionError)
    with again, pytest.raises(BadRulePack) as second:
        parse_pack(text)
    assert str(second.value) == str(first.value)
    assert second.value is not first.value


@pytest.mark.parametrize("name", list(shipped()))
class TestShipped:
    def test_it_says_where_its_rules_come_from(self, name):
        pack = parse_pack(shipped()[name])
        assert pack.name == name
        assert pack.sources
        assert all(pack.sources)


@for_each("name", of_game("punto-banco"))
def test_punto_banco_offers_player_banker_and_tie(name):
    pack = parse_pack(shipped()[name])
    assert {"player", "banker", "tie"} <= {wager.name for wager in pack.wagers}


# lines that look at a hand of one's own are held to the same in tests/games/test_macao.py
@for_each(
    "name", [pack.name for pack in shipped_packs() if pack.macao is None and pack.tableaux is None]
)
def test_every_line_settles_some_coup(name):
    """No line is hidden behind those above it."""
    for wager in parse_pack(shipped()[name]).wagers:
        reached = {wager.line_on(result) for result in EVERY_RESULT}
        assert set(wager.lines) <= reached, wager.name
        assert "unknown" not in reached


def leaves(value, path=()):
    """Every place in a pack's tree."""
    yield path
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, (*path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from leaves(below, (*path, index))


def toml(value):
    """Write a value as TOML, inline throughout."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(sign):08x}" for sign in value) + '"'
    return repr(value)


def document(tree):
    return "\n".join(f"{toml(str(key))} = {toml(value)}" for key, value in tree.items())


TREE = tomllib.loads(shipped()["macau"])
PATHS = [path for path in leaves(TREE) if path]
VALUES = st.one_of(
    st.integers(-(2**70), 2**70),
    st.booleans(),
    st.floats(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(["push", "1:1", "0:0", "1/20", "99/1", "tie", "player-wins", "EUR", "1"]),
    st.just([]),
    st.just({}),
    st.lists(st.integers(-2, 3), max_size=3),
)


def test_the_writer_of_this_test_writes_what_it_read():
    assert tomllib.loads(document(TREE)) == TREE


def changed(tree, path, value):
    if not path:
        return value
    copy = dict(tree) if isinstance(tree, dict) else list(tree)
    copy[path[0]] = changed(tree[path[0]], path[1:], value)
    return copy


@slow
@tries(75, 300)
@given(st.sampled_from(PATHS), VALUES)
@example(("commission", "rate"), "999999/1")
@example(("cards", "decks"), [])
def test_any_value_anywhere_is_read_or_refused(path, value):
    """Whatever stands where, the pack is read as a pack or refused as a bad one."""
    try:
        pack = parse_pack(document(changed(TREE, path, value)))
    except BadRulePack:
        return
    assert isinstance(pack, RulePack)
    for wager in pack.wagers:
        for line in wager.lines:
            assert line.ratio >= 0
    numerator, denominator = pack.commission.ratio
    assert 0 <= numerator <= denominator


@tries(50, 200)
@given(st.text(max_size=200))
def test_any_text_is_a_pack_or_refused(text):
    with pytest.raises(BadRulePack):
        parse_pack(text)


@tries(50, 200)
@given(st.integers(0, len(shipped()["uk"]) - 1), st.characters())
def test_a_pack_with_one_character_changed_never_crashes(place, sign):
    text = shipped()["uk"]
    try:
        pack = parse_pack(text[:place] + sign + text[place + 1 :])
    except BadRulePack:
        return
    assert isinstance(pack, RulePack)
