"""Coups dealt at a closed table, and next to another shoe.

The steps are a second apart. Shoe H-1 deals a coup when it is loaded; ``coup(2)`` deals four cards
more. Which coups were dealt at a closed table follows from the order in which the steps stand.
"""

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sabot.domain.audit import Finding
from sabot.domain.audit.engine import FloorAudit, audit_floor
from sabot.domain.audit.floor_view import NO_CLOCK, floor_of, summary_of
from sabot.domain.state.shoe import fold as fold_shoe
from sabot.domain.state.table_state import fold as fold_table
from tests.audit.checks.test_floor_rules import told_live
from tests.support.floor_notation import Pit

CLOSED_CODE = "play-at-closed-table"
BESIDE = "two-shoes-at-table"
OPEN = 'table T1 table-opened {"inventory": 9}'
CLOSE = 'table T1 table-closed {"inventory": 9}'
SHOE = 'shoe H-1 {"table": "T1"} open'
OTHER = 'shoe H-2 {"table": "T1"}'


def begun(number: int, shoe: str = "H-1") -> list[str]:
    return [
        f'shoe {shoe} coup-opened {{"coup": {number}}}',
        f'shoe {shoe} no-more-bets {{"coup": {number}}}',
    ]


def cards(number: int, *hands: str, shoe: str = "H-1") -> list[str]:
    return [
        f'shoe {shoe} card-drawn {{"coup": {number}, "hand": "{hand}", "card": "4"}}'
        for hand in hands
    ]


def coup(number: int, shoe: str = "H-1") -> list[str]:
    return begun(number, shoe) + cards(number, *("player", "banker") * 2, shoe=shoe)


def played(*steps: str | list[str]) -> Pit:
    lines = [line for step in steps for line in ([step] if isinstance(step, str) else step)]
    return Pit.of("\n".join(lines))


def audit(*steps: str | list[str]) -> FloorAudit:
    return audit_floor(played(*steps).floor())


def found(*steps: str | list[str]) -> list[Finding]:
    return audit(*steps).findings


MID_SHOE = (OPEN, SHOE, coup(2), CLOSE, coup(3), coup(4), OPEN, coup(5), CLOSE)
BROKEN = [
    (MID_SHOE, "coup 3, and 1 more"),
    # in the last coup: opened, closed, dealt
    ((OPEN, SHOE, begun(2), CLOSE, cards(2, "player", "banker")), "coup 2"),
    # in the middle of a coup
    ((OPEN, SHOE, begun(2), cards(2, "player"), CLOSE, cards(2, "banker")), "coup 2"),
    ((OPEN, SHOE, begun(2), cards(2, "player"), CLOSE, OPEN, cards(2, "banker")), "coup 2"),
    # begun when it was closed, dealt out when it was open again
    ((OPEN, CLOSE, SHOE, begun(2), cards(2, "player"), OPEN, cards(2, "banker")),
     "coup 1, and 1 more"),
    # closed twice is closed; another rule says that the second has no ground
    ((OPEN, CLOSE, SHOE, CLOSE, OPEN, coup(2)), "coup 1"),
    # before its first opening, and after it
    ((SHOE, coup(2), OPEN, coup(3)), "coup 1, and 1 more"),
    ((SHOE, begun(2), cards(2, "player"), OPEN, cards(2, "banker")), "coup 1, and 1 more"),
]  # fmt: skip


@pytest.mark.parametrize(("steps", "said"), BROKEN)
def test_every_coup_at_a_closed_table_is_found_once_a_shoe(steps, said):
    (each,) = [each for each in found(*steps) if each.code == CLOSED_CODE]
    assert each.shoe == "H-1"
    assert each.message.endswith(f": {said}")
    assert told_live(played(*steps)).count(each.fingerprint) == 1


def test_it_happened_when_the_first_card_left_behind_the_closing():
    pit = played(*MID_SHOE)
    (each,) = audit_floor(pit.floor()).findings
    shut, card = (
        next(event for event in pit.events if test(event.payload))
        for test in (
            lambda payload: type(payload).__name__ == "TableClosed",
            lambda payload: type(payload).__name__ == "CardDrawn" and payload.coup == 3,
        )
    )
    assert (each.at_us, each.clock, each.events) == (card.at_us, "table", (card.index, shut.index))


def test_a_card_drawn_behind_a_closing_in_its_coup_is_what_is_shown():
    pit = played(OPEN, SHOE, begun(2), cards(2, "player"), CLOSE, cards(2, "banker"))
    (each,) = audit_floor(pit.floor()).findings
    assert each.events[0] == pit.events[-1].index


NEAR = [
    (OPEN, SHOE, coup(2), CLOSE, OPEN, coup(3), CLOSE),
    # closed behind the last card: what lies is settled
    (OPEN, SHOE, coup(2), CLOSE, 'shoe H-1 coup-closed {"coup": 2}'),
    # opened in the evening, dealt in the morning
    (OPEN, SHOE, begun(2), CLOSE, "+9h", OPEN, cards(2, "player", "banker"), CLOSE),
    # the record of the table begins with its closing
    (SHOE, coup(2), CLOSE),
    (OPEN, OPEN, SHOE, CLOSE),
    # loaded and made ready before the table opens
    ('shoe H-1 shoe-loaded {"table": "T1"}', OPEN, coup(1), CLOSE),
    # closed at another table
    (OPEN, SHOE, CLOSE.replace("T1", "T2"), coup(2)),
]


@pytest.mark.parametrize("steps", NEAR)
def test_what_is_dealt_while_the_table_is_open_is_clean(steps):
    assert found(*steps) == []
    assert told_live(played(*steps)) == []


def verdict(judged: FloorAudit, code: str = CLOSED_CODE) -> tuple[str, int, dict[str, int]]:
    (each,) = [each for each in judged.verdicts if each.code == code]
    return each.result, each.checked, each.reasons


def test_a_shoe_dealt_out_before_the_record_of_its_table_begins_is_not_judged():
    reason = "a shoe was dealt before the first recorded opening of the table"
    assert verdict(audit(SHOE, coup(2), OPEN)) == ("not-applicable", 0, {reason: 1})
    assert verdict(audit(SHOE, coup(2), OPEN, OTHER)) == ("pass", 1, {reason: 1})
    # what comes before an opening that follows on a closing is on record
    assert [each.code for each in found(OPEN, CLOSE, SHOE, coup(2), OPEN)] == [CLOSED_CODE]


def test_clocks_that_are_as_far_apart_as_they_may_be_prove_nothing():
    """The last card of coup 2 left two seconds behind the closing."""
    steps = (OPEN, SHOE, begun(2), cards(2, "player", "banker"), CLOSE, cards(2, "player"))
    tolerant = "with clocks.tolerance_ms = {}"
    assert len(found(tolerant.format(900), *steps)) == 1
    assert found(tolerant.format(1000), *steps) == []


def test_a_coup_without_a_clock_of_the_table_is_not_judged_beside_others_that_are():
    def bare(numbers: set[int]) -> FloorAudit:
        pit = played(*MID_SHOE)
        events = [
            replace(event, at_us=None) if getattr(event.payload, "coup", 0) in numbers else event
            for event in pit.streams["shoe/H-1"]
        ]
        floor = pit.floor()
        shoe = summary_of(fold_shoe("shoe/H-1", events))
        return audit_floor(floor_of([], floor.tables.values(), [shoe]))

    assert [each.message[-6:] for each in bare({3}).findings] == ["coup 4"]
    assert verdict(bare({3})) == ("fail", 1, {NO_CLOCK: 1})
    assert verdict(bare({3, 4})) == ("pass", 1, {NO_CLOCK: 1})
    assert verdict(bare({1, 2, 3, 4, 5})) == ("not-applicable", 0, {NO_CLOCK: 1})


# -- Two shoes ------------------------------------------------------------------------------------

COOLER = ['shoe H-2 shoe-loaded {"table": "T1"}', *coup(1, "H-2")]


@pytest.mark.parametrize(
    "steps",
    [
        # one coup of the second within the last of the first, before and between its cards
        (SHOE, begun(2), cards(2, "player"), COOLER, cards(2, "banker")),
        (SHOE, COOLER, coup(2)),
        (SHOE, coup(2), begun(3), cards(3, "player"), COOLER[0],
         cards(1, "player", shoe="H-2"), cards(3, "banker")),
    ],
)  # fmt: skip
def test_a_shoe_that_is_dealt_between_the_cards_of_another_is_found(steps):
    pit = played(*steps)
    (each,) = audit_floor(pit.floor()).findings
    assert (each.code, each.shoe, each.stream) == (BESIDE, "H-2", "floor")
    of_other = next(e for e in pit.events if e.stream == "shoe/H-2" and "Drawn" in str(e.payload))
    assert each.at_us == of_other.at_us
    assert told_live(pit) == [each.fingerprint]


@pytest.mark.parametrize(
    "steps",
    [
        (SHOE, coup(2), COOLER, 'shoe H-1 coup-closed {"coup": 2}'),
        (SHOE, begun(2), COOLER),
        (SHOE, begun(2), 'shoe H-2 {"table": "T2"}', cards(2, "player", "banker")),
    ],
)
def test_a_shoe_that_begins_behind_the_last_card_of_another_is_the_next(steps):
    assert found(*steps) == []
    assert told_live(played(*steps)) == []


def test_shoes_of_which_one_has_no_clock_of_the_table_are_not_put_in_order():
    pit = played(SHOE, begun(2), cards(2, "player"), COOLER, cards(2, "banker"))
    bare = [
        replace(event, at_us=None) if "Drawn" in str(event.payload) else event
        for event in pit.streams["shoe/H-2"]
    ]
    traces = [
        summary_of(fold_shoe(name, events))
        for name, events in (("shoe/H-1", pit.streams["shoe/H-1"]), ("shoe/H-2", bare))
    ]
    judged = audit_floor(floor_of([], [], traces))
    assert judged.findings == []
    assert verdict(judged, BESIDE) == ("not-applicable", 0, {NO_CLOCK: 1})


# -- What is kept of coups ----------------------------------------------------------------------


def test_what_is_kept_of_the_coups_is_small_and_goes_from_process_to_process():
    shoe = summary_of(played(*MID_SHOE).shoes()[0])
    assert [each.coup for each in shoe.dealt] == [1, 2, 3, 4, 5]
    assert len(shoe.dealt.packed) * shoe.dealt.packed.itemsize == 5 * 6 * 8
    assert pickle.loads(pickle.dumps(shoe)) == shoe


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_a_coup_is_wrong_if_and_only_if_the_table_is_closed_at_one_of_its_cards(moves):
    """Between cards the table opens (True) or closes. Each coup has two cards."""
    steps, is_open = [OPEN, SHOE], True
    wrong = False
    for number, (first, second) in enumerate(pairwise(moves), 2):
        steps += begun(number)
        for hand, opens in (("player", first), ("banker", second)):
            steps.append(OPEN if opens else CLOSE)
            is_open = opens
            wrong = wrong or not is_open
            steps += cards(number, hand)
    table = fold_table("table/T1", played(*steps).streams["table/T1"])
    assert table.is_open is is_open
    assert [each.code for each in found(*steps)].count(CLOSED_CODE) == wrong


# -- The game of a table ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("games", "told"),
    [
        (["chemin-de-fer"], True),
        (["punto banco"], False),
        (["Punto_Banco"], False),
        (["salon 2"], False),  # a name of the house
        (["chemin-de-fer", "punto-banco"], False),  # it was opened again for this game
        (["punto-banco", "macao"], True),
        (["macao", "salon 2"], True),
    ],
)
def test_a_shoe_is_dealt_in_the_game_of_its_tables_last_opening(games, told):
    opened = [f'table T1 table-opened {{"inventory": 9, "game": "{game}"}}' for game in games]
    closed = [step for each in opened for step in (CLOSE, each)][1:]
    codes = [each.number for each in found(*closed, "+1h", SHOE)]
    assert codes == ["F611"] * told
