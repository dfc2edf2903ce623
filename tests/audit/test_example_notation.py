"""The notation of the rules' examples is explained line by line."""

from sabot.domain import events as ev
from sabot.domain.audit import find_rule
from sabot.domain.audit.example_notation import legend
from sabot.domain.audit.rulebook import EXAMPLES
from sabot.infrastructure.log.codec import NAMES
from tests.support.for_each import for_each

EVENTS = set(NAMES.values())


@for_each("code", EXAMPLES)
def test_every_line_of_an_example_is_explained(code: str) -> None:
    of_the_floor = find_rule(code).of_the_floor
    for line in EXAMPLES[code].splitlines():
        (said,) = legend(line, of_the_floor=of_the_floor)
        word = line.split(" ")[0]
        if said.startswith("NAME {fields}"):
            assert word in EVENTS
        else:
            assert said.startswith("+" if word.startswith("+") else word)


def test_each_kind_of_line_is_explained_once() -> None:
    said = legend("load midi\ncoup p1 tie 5 | P 4\ncoup p1 tie 5 | P 4\nno-more-bets {}")
    assert [each.split(":")[0] for each in said] == [
        "load PACK",
        "coup BETS | CARDS | CALL | MOVES",
        "NAME {fields}",
    ]


def test_no_kind_of_line_is_named_as_a_event() -> None:
    assert ev.NoMoreBets.__struct_config__.tag in EVENTS
    assert not EVENTS & {"load", "with", "coup", "deal", "due", "cards", "table", "shoe"}
