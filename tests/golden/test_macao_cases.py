"""Cases of macao and victoria from the sources, each in a golden pack.

The lines of the golden files are read here by themselves, with card values of their own.
"""

import re
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from sabot.domain.rules.rule_pack import parse_pack
from sabot.infrastructure.rule_packs import pack_text
from tests.support.for_each import for_each

HERE = Path(__file__).parent
FIRST = {"macao-old": 1, "macao-later": 1, "victoria": 2}
SEATS = "4321"  # clockwise


class Hand(NamedTuple):
    """A hand as it lay at last: its cards, how many of them were dealt at first, what it threw."""

    cards: list[str]
    first: int
    thrown: list[str]

    @property
    def sum(self):
        return sum(" A23456789".find(card[0]) for card in self.cards if card[0] not in "TJQK")

    @property
    def total(self):
        return self.sum % 10

    @property
    def natural(self):
        return self.total if len(self.cards) == self.first and self.total > 7 else None

    @property
    def pair(self):
        return len(self.cards) == 2 and self.cards[0][0] == self.cards[1][0]


class Stake(NamedTuple):
    """A punter's stake, his hand and the banker's, and what he won (None: it went back)."""

    hand: Hand
    banker: Hand
    amount: int
    won: int | None

    @property
    def times(self):
        return None if self.won is None else self.won / self.amount

    @property
    def equal(self):
        return self.hand.total == self.banker.total


def hand_of(words, first):
    kept = [word.lstrip("+") for word in words.split() if not word.endswith("-") and word != "."]
    return Hand(kept, first, [word.strip("+-") for word in words.split() if word.endswith("-")])


def stakes_of(name):
    for line in (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("coup "):
            continue
        *_, settled = parts = line.split(" | ")
        said = dict(part.split(": ") for part in parts[2:-2])
        hands = {seat: hand_of(words, FIRST[name]) for seat, words in said.items()}
        for each in settled.split(", "):
            seat, amount, won = each.split()
            result = None if won == "=" else int(won)
            yield Stake(hands[seat], hands["B"], int(amount), result)


EVERYWHERE = {
    "a natural nine pays three times": lambda s: (
        s.hand.natural == 9 and not s.hand.pair and s.times == 3
    ),
    "a natural eight pays twice": lambda s: (
        s.hand.natural == 8 and not s.hand.pair and s.times == 2
    ),
    "seven or less pays once": lambda s: s.hand.sum < 8 and not s.hand.pair and s.times == 1,
    "eight or nine with a drawn card pays once": lambda s: (
        s.hand.natural is None and s.hand.sum in (8, 9) and not s.hand.pair and s.times == 1
    ),
    "a win with a pair pays once": lambda s: s.hand.pair and s.times == 1,
    "a lower total loses": lambda s: s.hand.sum < s.banker.sum < 10 and s.times == -1,
    "the same total on fewer cards wins": lambda s: (
        s.hand.sum == s.banker.sum and len(s.hand.cards) < len(s.banker.cards) and s.times == 1
    ),
    "the same total on more cards loses": lambda s: (
        s.hand.sum == s.banker.sum and len(s.hand.cards) > len(s.banker.cards) and s.times == -1
    ),
    "no natural nine pays against the banker's": lambda s: (
        s.hand.natural == s.banker.natural == 9 and s.times in (None, -1)
    ),
    "a drawn ten or face is rejected": lambda s: any(card[0] in "TJQK" for card in s.hand.thrown),
    "the banker rejects one, too": lambda s: any(card[0] in "TJQK" for card in s.banker.thrown),
    "the bank reaches no further": lambda s: s.times is not None and 0 < s.times < 1,
}
OLD = {
    "over nine is bust, and lost": lambda s: s.hand.sum > 9 and s.banker.sum < 10 and s.times == -1,
    "it is lost though the banker is bust": lambda s: (
        s.hand.sum > 9 and s.banker.sum > 9 and s.times == -1
    ),
    "a banker who is bust has lost": lambda s: s.hand.sum < 8 and s.banker.sum > 9 and s.times == 1,
    "equal hands call the stake off": lambda s: (
        s.hand.sum == s.banker.sum < 10 and len(s.hand.cards) == len(s.banker.cards)
        and s.times is None
    ),
    "a third card and a fourth may be asked for": lambda s: len(s.hand.cards) > 3,
}  # fmt: skip
LATER = {
    "over nine a total counts modulo ten": lambda s: (
        s.hand.sum > 9 and s.hand.total > s.banker.total and s.times == 1
    ),
    "so does the banker's": lambda s: (
        s.banker.sum > 9 and s.banker.total > s.hand.total and s.times == -1
    ),
    "equal hands are the banker's": lambda s: (
        s.equal and len(s.hand.cards) == len(s.banker.cards) and s.times == -1
    ),
}
VICTORIA = {
    "two cards come at first": lambda s: s.hand.first == 2 == len(s.hand.cards),
    "a pair of fours, or of nines, is a pair before it is a natural": lambda s: (
        s.hand.pair and s.hand.natural == 8 and s.times == 1
    ),
}
CASES = [
    (name, case)
    for name, told in (("macao-old", OLD), ("macao-later", LATER), ("victoria", LATER | VICTORIA))
    for case in (EVERYWHERE | told).items()
]


@for_each(("name", "case"), CASES, ids=[f"{name}: {said}" for name, (said, _) in CASES])
def test_a_golden_pack_shows_it(name, case):
    assert any(case[1](stake) for stake in stakes_of(name))


@pytest.mark.parametrize("name", FIRST)
def test_the_bank_passes_to_the_left_at_the_end_of_the_pack_and_where_it_is_broken(name):
    text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    had = re.findall(r"^p(\d) puts up", text, re.MULTILINE)
    assert all(SEATS[(SEATS.index(one) + 1) % 4] == other for one, other in pairwise(had))
    ended = re.findall(r"p(\d) passes: pack-ended\nthe next bank is p(\d)'s", text)
    assert all(SEATS[(SEATS.index(one) + 1) % 4] == other for one, other in ended)
    packs = text.split("pack ")[1:]
    assert len(ended) == len(packs) > 1
    for (_, heir), pack in zip(ended, packs[1:], strict=False):
        assert f"p{heir} puts up" in next(x for x in pack.splitlines() if x.startswith("p"))
    assert "passes: lost" in text


@pytest.mark.parametrize("name", FIRST)
def test_what_no_source_settles_is_told_by_the_pack(name):
    """The one thing that is said of victoria is that two cards are dealt at first."""
    told = " ".join(parse_pack(pack_text(name)).recalled)
    assert "broken bank" in told
    if name == "victoria":
        assert "everything but the two cards is as in the rule pack macao-later" in told
