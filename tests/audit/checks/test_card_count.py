"""The remaining cards counted by face, compared with their number and with complete decks.

Eight decks hold 416 cards, eight of each face. A coup is dealt (4 5, K 9) after the burn: the ace
of clubs is shown and one more card burned for it, so that 6 cards have left and 410 remain.
"""

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.audit.checks.card_count import excess_cards_dealt
from sabot.domain.audit.floor_view import summary_of
from sabot.domain.audit.rule_group import code_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import FULL_DECK, RANKS, VALUE, Card, parse_card
from tests.support.audited import codes, codes_and_coups, finished, skipped
from tests.support.coup_notation import Felt, loaded, shoe_of
from tests.support.device_records import (
    verdict_on,
)
from tests.support.irregular_coups import BURNED, NOTED
from tests.support.one_fault import own_and_explained
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal

CODE = "card-count-mismatch"
COPIES = "excess-copies-of-card"
DEALT: tuple[Card, ...] = ("4c", "Kd", "5h", "9s")
CUT = (ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(7))


def table(burned: Card | None = "2d", dealt: tuple[Card, ...] = DEALT) -> Felt:
    """A coup; the second burned card is this one, or nobody saw it."""
    felt = Felt().put(*CUT, ev.CardBurned("Ac", 1), ev.CardBurned(burned, 2))
    player_total, banker_total = dealt[::2], dealt[1::2]
    return felt.coup(f"P {' '.join(player_total)}  B {' '.join(banker_total)}")


def rest(gone: tuple[Card, ...] = ("Ac", "2d", *DEALT)) -> list[Card]:
    """Eight decks without the cards that left."""
    return sorted((Counter(FULL_DECK * 8) - Counter(gone)).elements())


def ended(
    faces: list[Card],
    left: int | None = 410,
    counted: int | None = 416,
    burned: Card | None = "2d",
) -> Shoe:
    """The shoe, withdrawn, with such counts."""
    end = ev.ShoeEnded(left, counted, tuple(faces), "withdrawn")
    return table(burned).put(end).shoe


def found(shoe: Shoe) -> list[Finding]:
    return audit_shoe(shoe).findings


def told(shoe: Shoe) -> list[tuple[str, str]]:
    return [(each.code, each.observed) for each in found(shoe)]


def without(*cards: Card) -> list[Card]:
    """What remains but for these."""
    return sorted((Counter(rest()) - Counter(cards)).elements())


ONE_SHORT = [
    (410, 416, "410 remained, 409 by face, 416 counted in all"),
    (410, None, "410 remained, 409 by face"),
    (None, 416, "409 by face, 416 counted in all"),
    (None, None, "409 by face"),
]


@pytest.mark.parametrize(("left", "counted", "said"), ONE_SHORT)
def test_a_face_that_is_not_listed_is_missing(left, counted, said):
    (each,) = found(ended(without("7s"), left, counted))
    assert (each.code, each.message) == (CODE, "415 cards counted, 416 expected: 1 missing")
    assert each.observed == f"6 left the shoe, {said}; missing: 7♠"


@pytest.mark.parametrize(("left", "counted", "_said"), ONE_SHORT)
def test_all_faces_listed_are_all_cards(left, counted, _said):
    shoe = ended(rest(), left, counted)
    assert found(shoe) == []
    (verdict,) = [each for each in audit_shoe(shoe).verdicts if each.code == CODE]
    assert (verdict.result, verdict.checked) == ("pass", 1)


def test_a_count_by_face_goes_with_the_shoe_to_its_batch():
    assert summary_of(ended(without("7s"))).off == -1
    assert summary_of(ended(rest())).off == 0
    assert summary_of(ended([], None, None)).off is None


def test_a_card_in_the_place_of_another_is_told_and_so_is_the_other():
    """Eight sevens of spades, and one instead of a king: the count is right, the cards are not."""
    swapped = [*without("Kd"), "7s"]
    assert told(ended(swapped)) == [(COPIES, "9 seen; missing: K♦")]


def test_a_card_too_many_is_told_twice_over():
    shoe = ended([*rest(), "7s"])
    assert [each.code for each in found(shoe)] == [CODE, COPIES]
    assert found(shoe)[0].message == "417 cards counted, 416 expected: 1 too many"


def test_a_card_that_nobody_saw_burned_may_be_the_one_that_lacks():
    """The card burned unseen is a two of diamonds, or any of those that are not there."""
    seen = ("Ac", *DEALT)
    unseen = rest((*seen, "2d"))
    assert found(ended(unseen, burned=None)) == []
    short = sorted((Counter(unseen) - Counter(["7s"])).elements())
    assert told(ended(short, burned=None)) == [
        (CODE, "6 left the shoe, 410 remained, 409 by face, 416 counted in all")
    ]


def test_more_of_a_face_lack_than_left_unseen():
    """Three sevens of spades lack and one card left unseen: two at least are gone."""
    unseen = rest(("Ac", *DEALT, "2d"))
    short = sorted((Counter(unseen) - Counter(["7s"] * 3)).elements())
    (each,) = found(ended(short, 407, None, burned=None))
    assert each.message == "413 cards counted, 416 expected: 3 missing"
    assert each.observed.endswith("; missing: at least 2 of 7♠")


@pytest.mark.parametrize(
    ("as_told", "said"),
    [(lambda card: card[0], "7"), (lambda card: "0" if VALUE[card] == 0 else card[0], "7")],
    ids=["ranks", "values"],
)
def test_what_lacks_is_told_as_closely_as_the_record_knows_cards(as_told, said):
    felt = Felt().put(*CUT, ev.CardBurned("A", 1), ev.CardBurned("2", 2))
    felt.coup("P 4 5  B " + as_told("Kd") + " 9")
    faces = tuple(map(as_told, without("7s", "7c")))
    felt.put(ev.ShoeEnded(408, None, faces, "withdrawn"))
    (each,) = found(felt.shoe)
    assert each.observed.endswith(f"; missing: 2 of {said}")
    whole = tuple(map(as_told, rest()))
    right = Felt().put(*felt.payloads[1:-1], ev.ShoeEnded(410, None, whole, "withdrawn"))
    assert found(right.shoe) == []


def test_suits_that_some_cards_lack_are_not_asked_for():
    """Dealt by rank, counted by face: a four of clubs may have been the four that was dealt."""
    felt = Felt().put(*CUT, ev.CardBurned("A", 1), ev.CardBurned("2", 2)).coup("P 4 5  B K 9")
    felt.put(ev.ShoeEnded(410, 416, tuple(rest()), "withdrawn"))
    assert found(felt.shoe) == []
    felt = Felt().put(*felt.payloads[1:-1])
    felt.put(ev.ShoeEnded(409, 416, tuple(without("7s")), "withdrawn"))
    assert [each.observed for each in found(felt.shoe)] == [
        "6 left the shoe, 409 remained, 409 by face, 416 counted in all; missing: 7"
    ]


def test_where_too_much_lacks_no_card_is_named():
    (each,) = found(ended([card for card in rest() if card[1] != "s"], None, None))
    # 104 spades, of which the nine was dealt: 103 lack
    assert each.message == "313 cards counted, 416 expected: 103 missing"
    assert "missing" not in each.observed


# -- Where cards go back into the shoe, and where the record is of coups alone --------------------


def continuous(**end: object) -> Shoe:
    felt = Felt("france-continuous").put(ev.ShoeShuffled("d", "continuous"))
    felt.ready().coup("P 4 5  B K 8")
    return felt.put(ev.ShoeEnded(reason="closing", **end)).shoe  # type: ignore[arg-type]


SIX = tuple(sorted(FULL_DECK * 6))


@pytest.mark.parametrize(
    ("end", "codes"),
    [
        ({"counted": 312, "faces": SIX}, []),
        ({"left": 308, "faces": SIX[4:]}, []),
        ({"faces": SIX[4:]}, []),
        ({"left": 308, "faces": SIX[5:]}, [CODE]),
        ({"left": 312}, []),
        ({"left": 313}, [CODE]),
        ({"faces": (*SIX, "7s")}, [CODE, COPIES]),
        ({"faces": (*SIX[1:], "7s")}, [COPIES]),
    ],
)
def test_a_continuous_shuffler_holds_no_more_than_its_decks(end, codes):
    """The four cards of the coup may lie on the felt when the shuffler is emptied, or not."""
    assert [each.code for each in found(continuous(**end))] == codes


def test_coups_alone_are_not_counted():
    loaded = table().payloads[0]
    assert isinstance(loaded, ev.ShoeLoaded)
    alone = Felt(coverage="coups").put(
        *table().payloads[1:], ev.ShoeEnded(faces=tuple(without("7s")))
    )
    assert CODE not in {each.code for each in found(alone.shoe)}


@given(st.lists(st.sampled_from(FULL_DECK), min_size=1, max_size=3), st.booleans())
def test_what_is_taken_out_is_named_where_every_card_was_seen(gone, by_rank):
    """Counted here by plain counting: what was taken out, less what did not lie there."""
    taken = [card for card in gone if card in rest()]
    as_told = (lambda card: card[0]) if by_rank else (lambda card: card)
    faces = tuple(map(as_told, sorted((Counter(rest()) - Counter(taken)).elements())))
    felt = table()
    felt.put(ev.ShoeEnded(None, None, faces, "withdrawn"))
    (each,) = found(felt.shoe)
    assert each.message.startswith(f"{416 - len(taken)} cards counted, 416 expected: ")
    lacks = Counter(map(as_told, taken))
    names = RANKS if by_rank else FULL_DECK
    suits = dict(zip("cdhs", "♣♦♥♠", strict=True))
    spelled = [
        ("" if lacks[name] == 1 else f"{lacks[name]} of ")
        + ("10" if name[0] == "T" else name[0])
        + suits.get(name[1:], "")
        for name in names
        if lacks[name]
    ]
    assert each.observed.split("; missing: ")[1] == ", ".join(spelled)


def _copies(card: str, copies: int) -> Shoe:
    """Another's record of so many coups with one copy of a card in each."""
    record = Felt(coverage="coups")
    for number in range(1, copies + 1):
        record.put(ev.CoupOpened(number), ev.CardDrawn(number, "player", card))  # type: ignore[arg-type]
    return record.shoe


def _many(cards: int) -> Shoe:
    """Another's record of one deck, a card a coup, then one card more than it holds."""
    one_deck = [rank for rank in "A23456789TJQK" for _ in range(4)]
    record = Felt(decks=1, coverage="coups", pack_named=False)
    for number in range(1, cards + 1):
        face = one_deck[number - 1] if number <= len(one_deck) else None
        record.put(ev.CoupOpened(number), ev.CardBurned(face, coup=number))  # type: ignore[arg-type]
    return record.shoe


CASES = (
    # a rank alone, of any suit; and the ten-valued cards together
    Case("excess-copies-of-card", 9, lambda: _copies("7c", 9), lambda: _copies("7c", 8)),
    Case("excess-copies-of-card", 33, lambda: _copies("7", 33), lambda: _copies("7", 32)),
    Case("excess-copies-of-card", 129, lambda: _copies("0", 129), lambda: _copies("0", 128)),
    Case("excess-cards-dealt", 53, lambda: _many(53), lambda: _many(52)),
    Case(
        "excess-copies-of-card",
        9,
        """
        load classic-8 {"scope": "coups"}
        bare
        coup-opened {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "7c"}
        coup-opened {"coup": 2}
        card-drawn {"coup": 2, "hand": "player", "card": "7c"}
        coup-opened {"coup": 3}
        card-drawn {"coup": 3, "hand": "player", "card": "7c"}
        coup-opened {"coup": 4}
        card-drawn {"coup": 4, "hand": "player", "card": "7c"}
        coup-opened {"coup": 5}
        card-drawn {"coup": 5, "hand": "player", "card": "7c"}
        coup-opened {"coup": 6}
        card-drawn {"coup": 6, "hand": "player", "card": "7c"}
        coup-opened {"coup": 7}
        card-drawn {"coup": 7, "hand": "player", "card": "7c"}
        coup-opened {"coup": 8}
        card-drawn {"coup": 8, "hand": "player", "card": "7c"}
        coup-opened {"coup": 9}
        card-drawn {"coup": 9, "hand": "player", "card": "7c"}
        """,
        """
        load classic-8 {"scope": "coups"}
        bare
        coup-opened {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "7c"}
        coup-opened {"coup": 2}
        card-drawn {"coup": 2, "hand": "player", "card": "7c"}
        coup-opened {"coup": 3}
        card-drawn {"coup": 3, "hand": "player", "card": "7c"}
        coup-opened {"coup": 4}
        card-drawn {"coup": 4, "hand": "player", "card": "7c"}
        coup-opened {"coup": 5}
        card-drawn {"coup": 5, "hand": "player", "card": "7c"}
        coup-opened {"coup": 6}
        card-drawn {"coup": 6, "hand": "player", "card": "7c"}
        coup-opened {"coup": 7}
        card-drawn {"coup": 7, "hand": "player", "card": "7c"}
        coup-opened {"coup": 8}
        card-drawn {"coup": 8, "hand": "player", "card": "7c"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- More copies of a card than decks --------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "copies"),
    [
        (["7c"] * 11, "7♣ seen 11 times, 8 decks hold 8"),
        (["7"] * 35, "rank 7 seen 35 times, 8 decks hold 32"),
    ],
)
def test_copies_of_a_card_that_are_too_many_are_one_finding(cards, copies):
    """They are in three coups, whose other cards are few of their kind."""
    felt = Felt("classic-8").ready()
    felt.put(*(ev.CardBurned(card, None, "ruling") for card in cards[:-3]))
    for suit, card in zip("cdh", cards[-3:], strict=True):
        felt.coup(f"P {card} 2{suit}  B K{suit} 8{suit}")
    (found,) = (one for one in audit_shoe(felt.shoe).findings if one.family == "composition")
    assert (found.code, found.coup, len(found.events)) == ("excess-copies-of-card", 1, 3)
    assert found.message == f"{copies} (excess in coups 1, 2, 3)"


# -- Cards that change places ----------------------------------------------------------------------


def test_two_cards_that_change_places_are_one_finding():
    """In coup 2 a card is drawn before the one that lay in front of it."""
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 500 | P 4 5  B K 8").coup("p1 player 500 | P 4 5  B K 8")
    first = min(each.place for each in felt.payloads if isinstance(each, ev.CardDrawn))
    places = {first + 5: first + 6, first + 6: first + 5}
    events = [
        msgspec.structs.replace(each, place=places.get(each.place, each.place))
        if isinstance(each, ev.CardDrawn)
        else each
        for each in felt.payloads
    ]
    (found,) = audit_shoe(shoe_of(events)).findings
    said = f"cards {first + 6}, {first + 5} of the shoe came after card {first + 4}"
    assert (found.code, found.coup, found.message) == ("skipped-card", 2, said)


def test_a_burn_of_the_opening_in_the_middle_of_a_shoe_names_its_coup():
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 500 | P 4 5  B K 8")
    felt.put(ev.CardBurned(None, felt.shoe.left[-1].payload.place + 1, reason="opening"))
    felt.coup("p1 player 500 | P 4 5  B K 8")
    (found,) = audit_shoe(felt.shoe).findings
    assert found.message == "a card of the opening burn was burned, but after coup 1"


# -- Cards that are known in part ------------------------------------------------------------------


@pytest.mark.parametrize(("card", "most"), [("7", 32), ("0", 128), ("K", 32)])
def test_copies_are_counted_as_exactly_as_the_cards_are_known(card, most):
    record = [loaded(coverage="coups", pack_named=False)]
    for number in range(1, most + 2):
        record += [ev.CoupOpened(number), ev.CardDrawn(number, "player", card)]
    assert codes_and_coups(shoe_of(record[:-2])) == []
    assert codes_and_coups(shoe_of(record)) == [("excess-copies-of-card", most + 1)]


# -- Findings that follow from another -------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "explained"),
    [(409, [("card-count-mismatch", "skipped-card")]), (408, [])],
)
def test_a_palmed_card_explains_as_many_missing_cards_as_it_skipped(left, explained):
    """Seven cards left the shoe, and place 4 was skipped: 408 or 409 of 416 remain."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    for hand, card, place in ("player", "4", 3), ("banker", "K", 5), ("player", "5", 6):
        felt.put(ev.CardDrawn(1, hand, card, place))
    felt.put(ev.CardDrawn(1, "banker", "8", 7), ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))
    felt.put(ev.ShoeEnded(left=left, reason="withdrawn"))
    own, pairs = own_and_explained(felt)
    assert ("skipped-card" in own, pairs) == (True, explained)


def test_a_count_that_lacks_the_first_burned_card_is_explained_by_the_burn():
    """The 3 of clubs left the shoe face up, and the dealer does not record it."""
    draws = [
        f'card-drawn {{"coup": 1, "hand": "{hand}", "card": "{card}", "place": {place}}}\n'
        for place, (hand, card) in enumerate(
            [("player", "4"), ("banker", "K"), ("player", "5"), ("banker", "8")], 5
        )
    ]
    felt = deal(
        'bare\nshoe-shuffled {"by": "ann"}\nshoe-cut {"by": "p1", "depth": 90}\n'
        'stop-card-placed {"behind": 7}\ncard-burned {"place": 2}\ncard-burned {"place": 3}\n'
        'card-burned {"place": 4}\ncoup-opened {"coup": 1}\nno-more-bets {"coup": 1}\n'
        + "".join(draws)
        + 'due\nshoe-ended {"left": 408, "reason": "withdrawn"}\n'
    )
    assert own_and_explained(felt) == (
        ["wrong-opening-burn"],
        [("card-count-mismatch", "wrong-opening-burn")],
    )


# -- What earlier faults leave behind --------------------------------------------------------------


def test_a_card_that_is_recorded_twice_explains_all_that_shows_it():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    for hand, card, place in ("player", "4", 3), ("player", "4", 3), ("banker", "K", 4):
        felt.put(ev.CardDrawn(1, hand, card, place))
    felt.put(ev.CardDrawn(1, "banker", "8", 5), ev.ResultCalled(1, 8, 8, "T"), ev.CoupClosed(1))
    felt.put(ev.ShoeEnded(left=411, reason="withdrawn"))
    own, explained = own_and_explained(felt)
    assert own == ["skipped-card"]
    assert ("cards-out-of-order", "skipped-card") in explained
    assert ("card-count-mismatch", "skipped-card") in explained


# -- Events of several devices ---------------------------------------------------------------------


def test_without_a_tolerance_burns_that_came_the_wrong_way_round_skip_no_place():
    felt = Felt()
    felt.tell("reader", 5000, ev.CardBurned(None, 2), seq=2)
    felt.tell("reader", 4000, ev.CardBurned(parse_card("A"), 1), seq=1)
    felt.tell("reader", 6000, ev.CardBurned(None, 3), seq=3)
    assert verdict_on(felt.shoe, "skipped-card") == (0, {})
    felt.tell("reader", 7000, ev.CardBurned(None, 5), seq=4)
    assert verdict_on(felt.shoe, "skipped-card") == (1, {})


# -- A card that a ruling burned -------------------------------------------------------------------


def test_the_count_at_the_end_counts_it_once():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 2  B K  P 4  B 5  P 9")
    felt.put(NOTED, BURNED).cards("> B 2")
    finished(felt)
    for left, found in ((408, []), (407, [("card-count-mismatch", None)])):
        end = ev.ShoeEnded(left=left, reason="withdrawn")
        assert codes_and_coups(shoe_of([*felt.payloads, end])) == found


# -- Cards after the end ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "codes"),
    [
        (ev.ShoeEnded(410, reason="withdrawn"), []),
        (ev.ShoeEnded(410, faces=tuple(rest()), reason="withdrawn"), []),
        (ev.ShoeEnded(409, reason="withdrawn"), [CODE]),
        # four cards of the second coup left before the count, and were only recorded late
        (ev.ShoeEnded(406, reason="withdrawn"), []),
    ],
)
def test_cards_after_the_end_are_among_those_counted(end, codes):
    """Six cards left, and 410 remained. Another coup is dealt from them after the end."""
    after = table().put(end).coup("P 4 5  B K 9", 2)
    found = codes_and_coups(after.shoe)
    assert [code for code, _ in found if code in (CODE, COPIES)] == codes
    assert 2 in [coup for _, coup in found]


ONE_DECK = 'load classic-8 1 {"pack_named": false}\nwith cards.decks = [1]\nbare\n'


@pytest.mark.parametrize("ruled", [True, False])
def test_surplus_cards_are_not_judged_if_dealt_cards_may_have_gone_back(ruled):
    """30 cards are dealt, and 30 more: of 52, unless the shoe was shuffled in between."""
    steps = ['irregularity-noted {"kind": "misdeal", "ruling": "other", "by": "sue"}'] * ruled
    steps += ['shoe-shuffled {"by": "ann"}'] * ruled
    shoe = deal(ONE_DECK + "\n".join(["burned 30", *steps, "burned 30"]))
    found = code_of(excess_cards_dealt) in codes(shoe)
    assert found is not ruled
    reason = "the dealt cards may have been shuffled back"
    assert (reason in skipped(shoe, code_of(excess_cards_dealt))) is ruled


def test_a_card_that_is_recorded_twice_at_its_place_counts_once():
    """48 cards are burned and four dealt; the last of 52 is recorded again."""
    steps = ["burned 48", 'coup-opened {"coup": 1}', 'no-more-bets {"coup": 1}']
    steps += ["deal > P 4  B K  P 5  B 8"]
    steps += ['card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 52}']
    assert code_of(excess_cards_dealt) not in codes(deal(ONE_DECK + "\n".join(steps)))
