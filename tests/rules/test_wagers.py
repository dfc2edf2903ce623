"""Every condition of a wager, on coups that meet it and nearly meet it."""

from fractions import Fraction

import pytest

from sabot.domain.rules.coup_result import is_pair, is_perfect_pair, result_of
from sabot.domain.rules.wagers import CONDITIONS, PAIR_CONDITIONS, PayLine, Wager
from sabot.domain.values.cards import parse_card
from sabot.infrastructure.rule_packs import shipped_packs
from tests.support.for_each import for_each


def result(coup):
    """Read ``P 4 5  B K 9`` and judge it."""
    player, banker = coup.removeprefix("P ").split("B ")
    return result_of(
        [parse_card(card) for card in player.split()],
        [parse_card(card) for card in banker.split()],
    )


# condition | a coup on which it holds, or where it is marked, does not ("!") or is unknown ("?")
TABLE = """
player-wins                 | P 4 5  B K 8      | ! P 4 5  B K 9    | ! P K 8  B 4 5
banker-wins                 | P K 8  B 4 5      | ! P 4 5  B K 9    | ! P 4 5  B K 8
tie                         | P 4 5  B K 9      | ! P 4 5  B K 8    | ! P 3 5  B K 9
tie-on-6                    | P K 6  B 2 4      | ! P K 7  B 2 5    | ! P K 6  B 2 5
tie-on-6                    | P A A 4  B K 6    | ! P A A 5  B K 6
banker-wins-on-6            | P K K 5  B 2 4    | ! P K 6  B 2 4    | ! P K K 7  B 2 4
banker-wins-on-6            | P K K 5  B K 2 4  | ! P K K 5  B 2 5
banker-wins-on-two-card-6   | P K K 5  B 2 4    | ! P K K 5  B K 2 4 | ! P K 6  B 2 4
banker-wins-on-two-card-6   | P A K A  B K 6    | ! P A K A  B K 7
banker-wins-on-three-card-6 | P K K 5  B K 2 4  | ! P K K 5  B 2 4  | ! P K K 6  B K 2 4
banker-wins-on-three-card-7 | P K 6  B A 4 2    | ! P K 6  B 5 2    | ! P K 7  B A 4 2
banker-wins-on-three-card-7 | P K 6  B K K 7    | ! P K 6  B K K 8
player-wins-on-three-card-8 | P A 4 3  B K 7    | ! P 5 3  B K 7    | ! P A 4 3  B K 8
player-wins-on-three-card-8 | P A 4 3  B K K 7  | ! P A 4 4  B K 7
player-pair                 | P Kc Kd  B 4c 5d  | ! P Kc Qd  B 4c 5d | ! P Kc 9d  B 4c 4d
player-pair                 | P 4 4  B K 9      | ! P 4 5 4  B K 9  | ? P 0 0  B K 9
player-pair                 | P K K  B 4 9      | ? P 0 K  B 4 9    | ! P 0 9  B K 9
player-pair                 | P T 10h  B 4 9    | ! P J Q  B 4 9
banker-pair                 | P 4c 5d  B Kc Kd  | ! P 4c 5d  B Kc Qd | ! P 4c 4d  B Kc 9d
banker-pair                 | P 4 5  B 9 9      | ! P 4 5  B 9 0 9  | ? P 4 5  B 0 0
either-pair                 | P 4 4  B 9 8      | ! P 4 5  B 9 8    | ? P 4 5  B 0 0
either-pair                 | P 4 5  B 8 8      | ? P 0 0  B 9 8    | ? P 0 0  B 0 0
either-pair                 | P 4 4  B 8 8      | ! P J Q  B Q K
either-pair                 | P 4 4  B 0 0      | ! P 4 0  B 0 4
perfect-pair                | P 4c 4c  B 9d 8d  | ! P 4c 4d  B 9d 8d | ? P 4 4  B 9d 8d
perfect-pair                | P 4c 5c  B 9d 9d  | ! P 4c 5c  B 9d 9h | ? P 4c 5c  B 9 9d
perfect-pair                | P 4 4  B 9d 9d    | ? P 4c 4d  B 0 0  | ! P Kc Qc  B 9d 8d
two-perfect-pairs           | P 4c 4c  B 9d 9d  | ! P 4c 4c  B 9d 9h | ! P 4c 5c  B 9d 9d
two-perfect-pairs           | P 4c 4c  B 4c 4c  | ? P 4 4  B 9d 9d  | ! P 4 5  B 0 0
four-cards                  | P 4 5  B K 9      | ! P 4 A 2  B K 7  | ! P 4 2  B K K 9
five-or-six-cards           | P 4 A 2  B K 7    | ! P 4 5  B K 9
five-or-six-cards           | P K K K  B K K K  | ! P K 7  B K 7
player-wins-on-natural      | P 4 5  B K 8      | ! P 4 5  B K 9    | ! P K 7  B K 6
player-wins-on-natural      | P 4 4  B K 7      | ! P A 4 3  B K 7  | ! P K 8  B K 9
banker-wins-on-natural      | P K 8  B 4 5      | ! P 4 5  B K 9    | ! P K 6  B K 7
banker-wins-on-natural      | P K 7  B 4 4      | ! P K 7  B A 4 3  | ! P K 9  B K 8
naturals-tie                | P 4 5  B K 9      | ! P K 7  B 2 5    | ! P 4 5  B K 8
naturals-tie                | P 4 4  B K 8      | ! P A 4 3  B K 8  | ! P K 8  B A 4 3
player-wins-by-1            | P K 8  B K 7      | ! P K 8  B K 6    | ! P K 7  B K 8
player-wins-by-4            | P K 9  B K 5      | ! P K 9  B K 4    | ! P K 9  B K 6
player-wins-by-9            | P K 9  B K K      | ! P K 8  B K K    | ! P K K  B K 9
banker-wins-by-1            | P K 7  B K 8      | ! P K 6  B K 8    | ! P K 8  B K 7
banker-wins-by-4            | P K 5  B K 9      | ! P K 4  B K 9    | ! P K 6  B K 9
banker-wins-by-9            | P K K  B K 9      | ! P K K  B K 8    | ! P K 9  B K K
"""

CASES = [
    (
        line.split("|")[0].strip(),
        coup.strip().lstrip("!? "),
        {"!": False, "?": None}.get(coup.strip()[0], True),
    )
    for line in TABLE.strip().splitlines()
    for coup in line.split("|")[1:]
]


@for_each(("condition", "coup", "holds"), CASES)
def test_condition(condition, coup, holds):
    assert CONDITIONS[condition](result(coup)) is holds


@for_each("margin", range(1, 10))
def test_winning_by_a_margin(margin):
    for player in range(10):
        for banker in range(10):
            judged = result(f"P K {player}  B K {banker}")
            by = CONDITIONS[f"player-wins-by-{margin}"](judged)
            assert by is (player - banker == margin)
            assert CONDITIONS[f"banker-wins-by-{margin}"](judged) is (banker - player == margin)


def test_every_condition_is_in_the_table_or_is_a_margin():
    named = {case[0] for case in CASES}
    assert {c for c in CONDITIONS if "-wins-by-" not in c} <= named


def test_pair_conditions_are_those_that_look_at_ranks():
    """The same totals and numbers of cards, once paired and once not: only these tell."""
    paired, bare = result("P 4c 4c  B 9d 9d"), result("P 3c 5c  B Kd 8d")
    assert (paired.player, paired.banker) == (bare.player, bare.banker) == (8, 8)
    tell = {name for name, holds in CONDITIONS.items() if holds(paired) is not holds(bare)}
    assert tell == PAIR_CONDITIONS


@for_each(
    ("hand", "pair", "perfect"),
    [
        ("Kc Kc", True, True),
        ("Kc Kd", True, False),
        ("K K", True, None),
        ("Kc K", True, None),
        ("Jc Qc", False, False),
        ("J Q", False, False),
        ("0 0", None, None),
        ("0 Kc", None, None),
        ("0 9c", False, False),
        ("A A", True, None),
        ("Ac", False, False),
        ("", False, False),
        ("4c 5c 4c", False, False),
        ("4c 4c 4c", True, True),
    ],
)
def test_pairs_are_of_the_first_two_cards_by_rank(hand, pair, perfect):
    cards = [parse_card(card) for card in hand.split()]
    assert is_pair(cards) is pair
    assert is_perfect_pair(cards) is perfect


def test_the_first_line_that_holds_settles():
    wager = Wager(
        "banker",
        (PayLine("banker-wins-on-6", "1:2"), PayLine("banker-wins", "1:1"), PayLine("tie", "push")),
    )
    assert wager.line_on(result("P K K 5  B 2 4")).pays == "1:2"
    assert wager.line_on(result("P K K 5  B 2 5")).pays == "1:1"
    assert wager.line_on(result("P K 6  B 2 4")).pays == "push"
    assert wager.line_on(result("P K 7  B 2 4")) == "lost"


def test_an_unknown_line_leaves_the_wager_unknown_unless_one_above_holds():
    wager = Wager("mixed", (PayLine("tie", "8:1"), PayLine("player-pair", "11:1")))
    assert wager.line_on(result("P 0 0  B 4 5")) == "unknown"
    assert wager.line_on(result("P 0 0  B 5 5")).pays == "8:1"
    assert wager.line_on(result("P 0 9  B 4 4")) == "lost"


@pytest.mark.parametrize(
    ("pays", "ratio"),
    [("8:1", 8), ("1:2", Fraction(1, 2)), ("54:100", Fraction(27, 50)), ("push", 0)],
)
def test_odds_are_winnings_over_stake(pays, ratio):
    assert PayLine("tie", pays).ratio == ratio


# --- the shipped packs: what each wager is paid on coups that tell its lines apart

PAYS = """
player              | 1:1  P K 8  B K 7 | push P K 8  B K 8 | lost P K 7  B K 8
dragon-7            | 40:1 P K 6  B A 4 2 | lost P K 6  B 5 2 | lost P K 7  B A 4 2
panda-8             | 25:1 P A 4 3  B K 7 | lost P 5 3  B K 7
player-pair         | 11:1 P 4 4  B K 9 | lost P J Q  B K 9
banker-pair         | 11:1 P 4 5  B K K | lost P 4 4  B K Q
either-pair         | 5:1  P 4 4  B K K | 5:1 P 4 5  B K K | lost P 4 5  B K Q
perfect-pair        | 25:1 P 4c 4c  B Kc 9c | 200:1 P 4c 4c  B Kd Kd | lost P 4c 4d  B Kd Kh
super-6             | 12:1 P K K 5  B 2 4 | 12:1 P K K 5  B K 2 4 | lost P K 6  B 2 4
lucky-6             | 12:1 P K K 5  B 2 4 | 20:1 P K K 5  B K 2 4 | lost P K 6  B 2 4
small               | 3:2  P 4 5  B K 9 | lost P 4 A 2  B K 7
big                 | 54:100 P 4 A 2  B K 7 | 54:100 P K K K  B K K K | lost P 4 5  B K 9
small-tiger         | 22:1 P K K 5  B 2 4 | lost P K K 5  B K 2 4
big-tiger           | 50:1 P K K 5  B K 2 4 | lost P K K 5  B 2 4
tiger-tie           | 35:1 P K 6  B 2 4 | lost P K 7  B 2 5
dragon-bonus-player | 1:1  P K 9  B K K | push P K 9  B K 9 | 1:1 P K K 5  B K K A
dragon-bonus-player | 30:1 P 5 K 4  B K K K | 10:1 P 5 K 3  B K K K | 6:1 P 5 K 2  B K K K
dragon-bonus-player | 4:1  P K 6  B K K K | 2:1 P K 6  B K K A | 1:1 P K 6  B K A A
dragon-bonus-player | lost P K 6  B K A 2 | lost P K 6  B K 6 | lost P K 8  B K 9
dragon-bonus-player | lost P A 4 4  B K 9 | lost P K 6  B K 7
dragon-bonus-banker | 1:1  P K K  B K 9 | push P K 8  B K 8 | 1:1 P K K A  B K K 5
dragon-bonus-banker | 30:1 P K K K  B 5 K 4 | 10:1 P K K K  B 5 K 3 | 6:1 P K K K  B 5 K 2
dragon-bonus-banker | 4:1  P K K K  B K 6 | 2:1 P K K A  B K 6 | 1:1 P K A A  B K 6
dragon-bonus-banker | lost P K A 2  B K 6 | lost P K 6  B K 6 | lost P K 9  B K 8
"""

PAY_CASES = [
    (line.split("|")[0].strip(), *coup.strip().split(maxsplit=1))
    for line in PAYS.strip().splitlines()
    for coup in line.split("|")[1:]
]


@for_each(("name", "pays", "coup"), PAY_CASES)
def test_shipped_wagers_pay_as_the_field_has_them(name, pays, coup):
    """The usual pay of each."""
    offered = [wager for pack in shipped_packs() if (wager := pack.wager(name))]
    assert offered
    for wager in offered:
        line = wager.line_on(result(coup))
        assert (line if isinstance(line, str) else line.pays) == pays


@for_each(
    ("pack", "on_six", "on_three_card_seven", "tie"),
    [
        ("classic-8", "1:1", "1:1", "8:1"),
        ("classic-6", "1:1", "1:1", "8:1"),
        ("classic-4", "1:1", "1:1", "8:1"),
        ("mini", "1:1", "1:1", "8:1"),
        ("midi", "1:1", "1:1", "8:1"),
        ("macau", "1:1", "1:1", "8:1"),
        ("france", "1:1", "1:1", "8:1"),
        ("uk", "1:1", "1:1", "9:1"),
        ("super-6", "1:2", "1:1", "8:1"),
        ("ez-baccarat", "1:1", "push", "8:1"),
    ],
)
def test_banker_and_tie_of_each_pack(pack, on_six, on_three_card_seven, tie):
    (found,) = [each for each in shipped_packs() if each.name == pack]
    banker = found.wager("banker")
    assert banker.line_on(result("P K K 5  B 2 4")).pays == on_six
    assert banker.line_on(result("P K 6  B A 4 2")).pays == on_three_card_seven
    assert banker.line_on(result("P K 6  B 5 2")).pays == "1:1"
    assert banker.line_on(result("P K 6  B K 6")).pays == "push"
    assert banker.line_on(result("P K 7  B K 6")) == "lost"
    assert found.wager("tie").line_on(result("P K 6  B K 6")).pays == tie
    assert found.wager("tie").line_on(result("P K 7  B K 6")) == "lost"
    free = pack in ("super-6", "ez-baccarat")
    assert banker.commission is not free
    assert found.commission.ratio == ((0, 1) if free else (1, 20))
    assert not any(wager.commission for wager in found.wagers if wager.name != "banker")
