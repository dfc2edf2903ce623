"""House edges, compared with published figures and with ones worked out by hand."""

from fractions import Fraction

from sabot.domain.odds.coup_odds import full_decks, odds_of, of_values
from sabot.domain.odds.house_edge import PayTable, pay_tables
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.rules.wagers import PayLine, Wager
from sabot.infrastructure.rule_packs import shipped_packs
from tests.support.for_each import for_each

EIGHT, SIX = odds_of(full_decks(8)), odds_of(full_decks(6))
TABLES = {(table.wager.name, table.pays): table for table in pay_tables(shipped_packs())}


@for_each(
    ("odds", "wager", "pays", "percent"),
    [
        (EIGHT, "player", "1:1", "1.2351"),
        (EIGHT, "banker", "19:20", "1.0579"),
        (EIGHT, "tie", "8:1", "14.3596"),
        (EIGHT, "tie", "9:1", "4.8440"),
        (EIGHT, "banker", "1:2 banker-wins-on-6, 1:1 banker-wins", "1.4581"),
        (EIGHT, "banker", "push banker-wins-on-three-card-7, 1:1 banker-wins", "1.0183"),
        (EIGHT, "dragon-7", "40:1", "7.6113"),
        (EIGHT, "panda-8", "25:1", "10.1876"),
        (EIGHT, "player-pair", "11:1", "10.3614"),
        (EIGHT, "banker-pair", "11:1", "10.3614"),
        (SIX, "tie", "9:1", "4.931"),
    ],
)
def test_published_edges(odds, wager, pays, percent):
    """Published tables have these edges; that of six decks pays 9 to 1."""
    edge = TABLES[wager, pays].house_edge(odds)
    places = len(percent.split(".")[1])
    assert f"{float(100 * edge):.{places}f}" == percent


def test_four_percent_commission_beats_the_one_percent_myth():
    """Some publications say that no edge is below 1 %; at 4 % it is 0.599 %."""
    wager = Wager("banker", (PayLine("banker-wins", "1:1"), PayLine("tie", "push")), True)
    edge = PayTable(wager, Fraction(1, 25)).house_edge(EIGHT)
    assert f"{float(100 * edge):.3f}" == "0.599"
    assert PayTable(wager, Fraction(1, 25)).pays == "24:25"


def test_super_6_takes_as_much_as_a_commission_of_5_873_percent():
    """Published: the commission of 5 % goes up by 17.45 %, to 5.873 %."""
    wins = Fraction(EIGHT.outcomes["B"], EIGHT.total)
    lost = Fraction(EIGHT.outcomes["P"], EIGHT.total)
    edge = TABLES["banker", "1:2 banker-wins-on-6, 1:1 banker-wins"].house_edge(EIGHT)
    commission = (edge - lost + wins) / wins
    assert f"{float(100 * commission):.3f}" == "5.873"


def test_player_edge_is_banker_less_player_wins():
    share = Fraction(2292252566437888 - 2230518282592256, 4998398275503360)
    assert TABLES["player", "1:1"].house_edge(EIGHT) == share


def test_pair_edges_by_hand():
    """31 of 415 second cards make a rank pair. A pair pays 11, else the stake is lost."""
    assert TABLES["player-pair", "11:1"].house_edge(EIGHT) == 1 - 12 * Fraction(31, 415)
    both = Fraction(31, 415) * Fraction(30 * 29 + 12 * 32 * 31, 414 * 413)
    either = 2 * Fraction(31, 415) - both
    assert TABLES["either-pair", "5:1"].house_edge(EIGHT) == 1 - 6 * either
    two = Fraction(7, 415) * Fraction(6 * 5 + 51 * 8 * 7, 414 * 413)
    one = 2 * Fraction(7, 415) - 2 * two
    table = TABLES["perfect-pair", "200:1 two-perfect-pairs, 25:1 perfect-pair"]
    assert table.house_edge(EIGHT) == 1 - 26 * one - 201 * two


def test_pairs_have_no_edge_by_values_alone():
    odds = odds_of(of_values([128] + [32] * 9))
    unknown = {name for (name, _), table in TABLES.items() if table.house_edge(odds) is None}
    assert unknown == {"player-pair", "banker-pair", "either-pair", "perfect-pair"}


def test_a_pair_of_known_ranks_has_an_edge_even_by_values():
    """Six cards, two of them fives: fives are dealt to Player in 2 of 30 ordered pairs."""
    odds = odds_of(of_values([1, 1, 1, 1, 0, 2, 0, 0, 0, 0]))
    assert TABLES["player-pair", "11:1"].house_edge(odds) == 1 - 12 * Fraction(2, 30)


def test_a_side_bet_that_cannot_win_loses_all():
    odds = odds_of(of_values([0, 0, 0, 0, 6, 0, 0, 0, 0, 0]))
    assert TABLES["dragon-7", "40:1"].house_edge(odds) == 1
    assert TABLES["tie", "8:1"].house_edge(odds) == -8
    assert TABLES["player", "1:1"].house_edge(odds) == 0


PACK = """
name = "{name}"
version = "1"
title = "t"
game = "punto-banco"
sources = ["test"]
[cards]
decks = [8]
[burn]
option = "none"
[commission]
rate = "{rate}"
[[wagers]]
name = "banker"
commission = {commission}
lines = [["banker-wins", "1:1"], ["tie", "push"]]
"""


def test_a_commission_of_nothing_is_no_commission():
    """Three packs that pay alike are one row; the fourth keeps a twentieth."""
    texts = [
        PACK.format(name=name, rate=rate, commission=commission)
        for name, rate, commission in (
            ("a", "0/1", "true"),
            ("b", "1/20", "false"),
            ("c", "0/5", "false"),
            ("d", "1/20", "true"),
        )
    ]
    offered = {t.pays: names for t, names in pay_tables(map(parse_pack, texts)).items()}
    assert offered == {"1:1": ["a", "b", "c"], "19:20": ["d"]}


def test_every_wager_of_every_pack_has_a_row_and_an_edge():
    for pack in shipped_packs():
        for wager in pack.wagers if pack.game == "punto-banco" else ():
            rows = [
                table
                for table, names in pay_tables([pack]).items()
                if table.wager.name == wager.name and names == [pack.name]
            ]
            assert len(rows) == 1
            assert 0 < rows[0].house_edge(EIGHT) < 1
