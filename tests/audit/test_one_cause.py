"""One fault that several rules see: one finding stands alone, and the others name it."""

import pytest

from sabot.domain.audit import audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.rulebook import find_rule
from tests.support.floor_notation import Pit
from tests.support.one_fault import own_and_explained
from tests.support.rule_examples import deal
from tests.support.told_shoes import told

BEFORE_THE_OPENING = """
    coup P 4 5  B K 8
    card-drawn {"coup": 2, "hand": "player", "card": "9", "place": 7}
    coup-opened {"coup": 2}
    bet-placed {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
    no-more-bets {"coup": 2}
    deal > B K  P K  B 8
    due
"""

BELOW_THE_BID = """
    load banque
    bare
    tableaux-seats
    bank-bid {"by": "p11", "amount": 30000}
    shoe-offered {"to": "p11", "amount": 20000}
    shoe-taken {"by": "p11"}
    tableaux-bank p11 20000
"""

BANCO = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    banco-called {"coup": 1, "patron": "p2"}
    BETS
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
"""
BET = (
    'bet-placed {"coup": 1, "bet": %d, "patron": "%s", "wager": "player", "amount": %d, "seat": %d}'
)

REJECTED = """
    load macao-old
    seats p1 p2 p3
    banks p3 200000
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "K", "place": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "7", "place": 2}
    card-rejected {"coup": 1, "hand": "patron", "seat": 1}
    choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "draw"}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "T", "place": 3}
    card-rejected {"coup": 1, "hand": "patron", "seat": 1}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "2", "place": 4}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
    hands-called {"coup": 1, "totals": TOTALS}
    due
""".replace("TOTALS", '[{"hand": "patron", "seat": 1, "total": 2}, {"hand": "banker", "total": 7}]')


def banco(*bets: tuple[str, int]) -> str:
    placed = (BET % (nth, who, amount, int(who[1:])) for nth, (who, amount) in enumerate(bets, 1))
    return BANCO.replace("BETS", "\n".join(placed))


HELD = """
    load banque
    bare
    tableaux-bank p11 20000
    tableaux p7 cheval 1000 | 9 K; 2 4; 8 K
    coup-opened {"coup": 2}
    bank-called {"coup": 2, "amount": 20000}
    bet-placed {"coup": 2, "bet": 2, "patron": "p8", "wager": "right", "amount": 500, "seat": 8}
    no-more-bets {"coup": 2}
    hand-given {"coup": 2, "hand": "right", "to": "p8"}
    hand-given {"coup": 2, "hand": "left", "to": "p4"}
    tableaux-hands 3 4; 2 4; 9 K
    due
"""


MOVED = """
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
    no-more-bets {"coup": 1}
    deal P 4 A  B K 3
    card-drawn {"coup": 1, "hand": "player", "card": "9"}
    card-reassigned {"coup": 1, "hand": "player", "to": "banker"}
    due
"""

CALLED_EARLY = """
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    deal > P 4  B K  P 5
    totals-called {"coup": 1, "player": 9, "banker": 8}
    result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
    deal > B 8
    coup-closed {"coup": 1}
"""

TURNED_EARLY = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup p2 player 6000 | P 4 4  B K 9
    coup-opened {"coup": 2}
    bank-called {"coup": 2, "amount": 16000}
    bet-placed {"coup": 2, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    card-turned {"coup": 2, "hand": "banker", "nth": 1}
    no-more-bets {"coup": 2}
    hand-given {"coup": 2, "hand": "player", "to": "p2"}
    card-drawn {"coup": 2, "hand": "player", "card": "4"}
    card-drawn {"coup": 2, "hand": "banker", "card": "K"}
    card-drawn {"coup": 2, "hand": "player", "card": "4"}
    card-drawn {"coup": 2, "hand": "banker", "card": "9"}
    card-turned {"coup": 2, "hand": "player", "nth": 1}
    card-turned {"coup": 2, "hand": "player", "nth": 2}
    card-turned {"coup": 2, "hand": "banker", "nth": 2}
    result-called {"coup": 2, "player": 8, "banker": 9, "outcome": "B"}
    bet-taken {"coup": 2, "bet": 1, "amount": 6000}
    coup-closed {"coup": 2}
"""

PUT_UP_SHORT = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup p2 player 6000 | P 4 2  B K 9
    bank-withdrawn {"by": "p1", "amount": 16000}
    shoe-passed {"by": "p1", "reason": "chosen"}
    shoe-offered {"to": "p2", "amount": 16000}
    shoe-taken {"by": "p2"}
    bank-posted {"by": "p2", "amount": 1600}
    coup-opened {"coup": 2}
    bank-called {"coup": 2, "amount": 1600}
    bet-placed {"coup": 2, "bet": 1, "patron": "p3", "wager": "player", "amount": STAKE}
    no-more-bets {"coup": 2}
    hand-given {"coup": 2, "hand": "player", "to": "p3"}
    deal P 4 2  B K 9
    due
"""


@pytest.mark.parametrize(
    ("shoe", "cause", "follows"),
    [
        # the last card comes after both calls
        (CALLED_EARLY, "C104", []),
        # a card is turned before it is dealt, and lies face down at the end
        (TURNED_EARLY, "R401", ["K507"]),
        # Player draws on 6, and the dealer calls 6 to 7 all the same
        ("coup p1 player 500 | P 4 2 9  B K 7 | B 6-7", "T101", ["C102"]),
        ("coup p1 player 500 | P 4 2  B K 7 5 | B 6-7", "T103", ["C102", "C103"]),
        # Player draws on 5, as due, and the card is given to Banker
        (MOVED, "D107", ["T102"]),
        # p2 puts up 16.00 instead of 160.00, and p3 stakes the 160.00
        (PUT_UP_SHORT.replace("STAKE", "16000"), "K514", ["K502"]),
        # p7's right hand won and goes on, but his stake à cheval is gone, and p8 gets the hand
        (HELD, "W510", ["T110"]),
        # Player's nine lies there before the coup is opened; p1 bets before "no more bets"
        (BEFORE_THE_OPENING, "B202", ["R401"]),
        # the bank is offered to p11 for 200.00, and he bid 300.00
        (BELOW_THE_BID, "W501", ["W502"]),
        # p2's 100.00 are the whole bank, and p3's 10.00 lie beside them
        (banco(("p2", 10000), ("p3", 1000)), "K509", ["K502"]),
        # the only card is rejected before any is asked for: what follows counts one card too few
        (REJECTED, "O504", ["O502"]),
    ],
)
def test_what_follows_from_one_fault_names_it(shoe, cause, follows):
    own, explained = own_and_explained(deal(told_lines(shoe)))
    assert [*map(number_of, own)] == [cause]
    assert [(*map(number_of, pair),) for pair in explained] == [(each, cause) for each in follows]


@pytest.mark.parametrize(
    ("shoe", "faults"),
    [
        # 6 to 7 would have been right without the drawn 9, and 6 to 6 is not
        ("coup p1 player 500 | P 4 2 9  B K 7 | B 6-6", ["T101", "C102"]),
        # the 160.00 that were due would not have covered it either
        (PUT_UP_SHORT.replace("STAKE", "16500"), ["K502", "K514"]),
    ],
)
def test_what_the_first_fault_does_not_explain_is_another(shoe, faults):
    own, _ = own_and_explained(deal(told_lines(shoe)))
    assert sorted(map(number_of, own)) == sorted(faults)


def number_of(code: str) -> str:
    return find_rule(code).number


def told_lines(shoe: str) -> str:
    return "\n".join(filter(None, map(str.strip, shoe.splitlines())))


def test_a_bet_after_a_card_that_came_too_early_costs_its_patron_nothing():
    assert {money for *_, money in map(money_of, told(BEFORE_THE_OPENING))} == {None}


def money_of(found: tuple[str, int | None, int | None, dict[str, int]]) -> tuple[str, int | None]:
    return found[0], found[2]


def test_a_bet_after_a_card_of_its_open_coup_is_still_late():
    opened = BEFORE_THE_OPENING.replace('    coup-opened {"coup": 2}\n', "", 1)
    late = opened.replace("    card-drawn", '    coup-opened {"coup": 2}\n    card-drawn')
    assert {"B201", "B202"} == {number_of(code) for code, *_ in told(late)}


@pytest.mark.parametrize(
    ("bets", "said"),
    [
        ((("p2", 6000),), "p2 went banco for 100.00 EUR, but staked 60.00 EUR"),
        (
            (("p2", 6000), ("p3", 4000)),
            "p2 went banco for 100.00 EUR, but p3's 40.00 EUR on Player stayed on the layout",
        ),
    ],
)
def test_a_banco_says_who_played_otherwise(bets, said):
    found = audit_shoe(deal(told_lines(banco(*bets)))).findings
    assert said in [each.message for each in found]


def test_a_banco_that_was_withdrawn_is_no_stake():
    shoe = banco(("p2", 10000)).replace(
        "no-more", 'bet-withdrawn {"coup": 1, "bet": 1}\nno-more', 1
    )
    found = audit_shoe(deal(told_lines(shoe))).findings
    assert "p2 went banco for 100.00 EUR, but staked nothing" in [each.message for each in found]


def test_two_counts_of_one_surplus_are_one_finding_and_follow_from_the_shoe():
    """Six decks came, by the record, and a shoe of eight was dealt from them and counted twice."""
    pit = Pit.of("""
        cards B-1 cards-received {"source": "maker", "decks": 6, "by": "sam"}
        cards B-1 cards-counted {"decks": 8, "by": "sue"}
        shoe H-1 {"batch": "B-1"}
        cards B-1 cards-counted {"decks": 8, "by": "ann"}
    """)
    found = {number_of(each.code): each for each in audit_floor(pit.floor()).findings}
    assert found.keys() == {"M603", "V601"}
    assert found["V601"].explained_by == found["M603"].fingerprint


def test_another_difference_is_another_finding():
    pit = Pit.of("""
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        cards B-1 cards-counted {"decks": 7, "by": "sue"}
        cards B-1 cards-counted {"decks": 7, "by": "ann"}
        cards B-1 cards-counted {"decks": 6, "by": "sue"}
        cards B-1 cards-counted {"decks": 8, "by": "sue"}
        cards B-1 cards-counted {"decks": 7, "by": "sue"}
    """)
    found = [each.message for each in audit_floor(pit.floor()).findings]
    assert found == [f"{decks} decks were counted where 8 should be" for decks in (7, 6, 7)]


CLOSED = 'cards B-1 cards-sealed {"seal": "S-100", "by": "sam"}'
OPENED = 'cards B-1 seal-opened {"seal": "S-100", "by": "ann"}'
HANDLED = 'cards B-1 cards-inspected {"by": "ann"}'


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([CLOSED, OPENED, HANDLED, HANDLED], []),
        # inspected twice under the seal
        ([CLOSED, HANDLED, HANDLED, OPENED], ["M606"]),
        # the seal is recorded twice, and opened once
        ([CLOSED, CLOSED, OPENED, HANDLED], ["R403"]),
        # another seal round the first is opened first
        ([CLOSED, CLOSED.replace("100", "101"), OPENED.replace("100", "101"), OPENED], []),
    ],
)
def test_a_seal_is_one_finding_however_often_it_is_recorded_or_passed(lines, found):
    findings = audit_floor(Pit.of("\n".join(lines)).floor()).findings
    assert [number_of(each.code) for each in findings] == found


# -- Burned cards, and the count of the cards ------------------------------------------------------

BURNS = """
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 7}
    card-burned {"card": "3c", "place": 1}
    burned DOWN
    coup P 4 5  B K 8
    shoe-ended {"left": LEFT, "reason": "withdrawn"}
"""
"""Three cards go face down after a three. By the record more or fewer do."""

NO_CAUSE = """
    coup P 4 5  B K 8
    card-burned {"reason": "other"}
    coup P 4 5  B K 8
    shoe-ended {"left": LEFT, "reason": "withdrawn"}
"""
"""10 cards are dealt or burned with cause, and one is burned without."""

RELIEVED = """
    with burn.relief = 1
    crew-changed {"post": "dealer", "person": "ann"}
    coup P 4 5  B K 8
    crew-changed {"post": "dealer", "person": "bob"}
    coup P 4 5  B K 8
    shoe-ended {"left": LEFT, "reason": "withdrawn"}
"""
"""10 cards are on record. None is burned for bob."""

PALMED = """
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 7}
    card-burned {"card": "3c", "place": 1}
    card-burned {"place": 2}
    card-burned {"place": 3}
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "player", "card": "4", "place": PLACE}
    deal > B K  P 5  B 8
    due
"""
"""One card too few is burned, and the next comes from this place."""


@pytest.mark.parametrize(
    ("shoe", "own", "follows"),
    [
        # 416 less 4 burned and 4 drawn
        (BURNS.replace("DOWN", "3").replace("LEFT", "408"), [], []),
        # one more or fewer was not burned, or is not on record
        (BURNS.replace("DOWN", "4").replace("LEFT", "408"), ["S304"], ["N303"]),
        (BURNS.replace("DOWN", "2").replace("LEFT", "408"), ["S304"], ["N303"]),
        # it was burned indeed, and the count is right
        (BURNS.replace("DOWN", "4").replace("LEFT", "407"), ["S304"], []),
        # the count is wrong the other way, or by more
        (BURNS.replace("DOWN", "4").replace("LEFT", "406"), ["N303", "S304"], []),
        (BURNS.replace("DOWN", "4").replace("LEFT", "409"), ["N303", "S304"], []),
        (BURNS.replace("DOWN", "2").replace("LEFT", "410"), ["N303", "S304"], []),
        (NO_CAUSE.replace("LEFT", "406"), ["S305"], ["N303"]),
        (NO_CAUSE.replace("LEFT", "405"), ["S305"], []),
        (NO_CAUSE.replace("LEFT", "404"), ["N303", "S305"], []),
        (NO_CAUSE.replace("LEFT", "407"), ["N303", "S305"], []),
        (RELIEVED.replace("LEFT", "405"), ["S306"], ["N303"]),
        (RELIEVED.replace("LEFT", "404"), ["N303", "S306"], []),
        # the fourth card was burned or taken unseen
        (PALMED.replace("PLACE", "5"), ["D103"], ["S304"]),
        # two are gone, and one of them was due to be burned
        (PALMED.replace("PLACE", "6"), ["D103", "S304"], []),
    ],
)
def test_a_wrong_burn_and_the_same_difference_of_the_count_are_one_finding(shoe, own, follows):
    alone, explained = own_and_explained(deal(told_lines(shoe)))
    assert sorted(map(number_of, alone)) == own
    assert [(*map(number_of, pair),) for pair in explained] == [(each, *own) for each in follows]


# -- Coups that the record lacks -------------------------------------------------------------------


def drawn(coup: int, cards: str, place: int) -> str:
    """Return the first four cards of a coup, from a place of the shoe on."""
    card = 'card-drawn {"coup": %d, "hand": "%s", "card": "%s", "place": %d}'
    dealt = zip(("player", "banker") * 2, cards, range(place, place + 4), strict=True)
    return "\n".join(card % (coup, *each) for each in dealt)


def after_coup_1(number: int, place: int, left: int) -> str:
    """Six cards are out after coup 1. The next coup has this number and first place."""
    return f"""
        coup P 4 5  B K 8
        coup-opened {{"coup": {number}}}
        no-more-bets {{"coup": {number}}}
        {drawn(number, "4K58", place)}
        due
        shoe-ended {{"left": {left}, "reason": "withdrawn"}}
    """


BANKED = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup p2 player 6000 | P 4 2  B K 9
    coup-opened {"coup": 3}
    bank-called {"coup": 3, "amount": 18000}
    bet-placed {"coup": 3, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 3}
    hand-given {"coup": 3, "hand": "player", "to": "p2"}
    CARDS
    due
"""
"""p1's bank holds 160.00 after coup 1, and is called at 180.00 in coup 3."""


@pytest.mark.parametrize(
    ("shoe", "own", "follows"),
    [
        (after_coup_1(2, 7, 406), [], []),
        # four to six cards are gone with coup 2
        (after_coup_1(3, 11, 402), ["Q102"], ["D103", "N303"]),
        (after_coup_1(3, 13, 400), ["Q102"], ["D103", "N303"]),
        # the number alone is wrong, or the cards alone are gone
        (after_coup_1(3, 7, 406), ["Q102"], []),
        (after_coup_1(2, 8, 405), ["D103"], ["N303"]),
        # fewer or more cards are gone than coup 2 can have had
        (after_coup_1(3, 8, 405), ["D103", "Q102"], ["N303"]),
        (after_coup_1(3, 14, 399), ["D103", "Q102"], ["N303"]),
        # another number is missing at the end
        (after_coup_1(3, 11, 401), ["N303", "Q102"], ["D103"]),
        (BANKED.replace("CARDS", drawn(3, "4K29", 9)), ["Q102"], ["D103", "K503"]),
        # no card is gone, so no coup against the bank is missing
        (BANKED.replace("CARDS", drawn(3, "4K29", 5)), ["K503", "Q102"], []),
    ],
)
def test_a_coup_that_the_record_lacks_is_one_finding_with_its_cards(shoe, own, follows):
    alone, explained = own_and_explained(deal(told_lines(shoe)))
    assert sorted(set(map(number_of, alone))) == own
    assert sorted({number_of(code) for code, _ in explained}) == follows


# -- A bank that another put up --------------------------------------------------------------------

PUT_UP_BY_P9 = """
    load banque
    bare
    tableaux-seats
    bank-bid {"by": "p11", "amount": 20000}
    shoe-offered {"to": "p11", "amount": 20000}
    shoe-taken {"by": "p11"}
    patron-moved {"patron": "p11", "seat": 6}
    bank-posted {"by": "p9", "amount": 20000}
    shoe-shuffled {"by": "dealer"}
    cutter-named {"by": "NAMER", "cutter": "p1"}
    shoe-cut {"by": "CUTTER", "depth": 60}
    tableaux-bank p11 20000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 20000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 20500}
    bank-unlimited {"by": "ACCEPTOR", "coup": 1}
"""
"""p11 took the bank, and p9 put it up."""


@pytest.mark.parametrize(
    ("namer", "cutter", "acceptor", "own", "follows"),
    [
        ("p11", "p1", "p11", ["K505"], ["R401", "W503", "W507"]),
        # p9 acts as the banker throughout
        ("p9", "p1", "p9", ["K505"], ["W503"]),
        # p10 is nobody's banker
        ("p10", "p1", "p9", ["K505", "W507"], ["W503"]),
        ("p9", "p1", "p10", ["K505", "R401"], ["W503"]),
        # p11 named p1
        ("p11", "p2", "p9", ["K505", "W507"], ["W503"]),
    ],
)
def test_what_the_taker_of_a_bank_does_that_another_put_up_is_one_finding(
    namer, cutter, acceptor, own, follows
):
    told_by = PUT_UP_BY_P9.replace("NAMER", namer).replace("CUTTER", cutter)
    alone, explained = own_and_explained(deal(told_lines(told_by.replace("ACCEPTOR", acceptor))))
    assert sorted(map(number_of, alone)) == own
    assert sorted(number_of(code) for code, _ in explained) == follows


# -- A card that is rejected while the hands are dealt ---------------------------------------------

DEALT_TO_TWO = """
    load PACK
    seats p1 p2 p3
    banks p3 200000
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
    bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "hand", "amount": 500, "seat": 2}
    no-more-bets {"coup": 1}
    ACTS
    choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
    coup-closed {"coup": 1}
"""
"""The hand at seat 2 comes before that at seat 1, and the banker's last."""


def acts(said: str) -> str:
    """Return the lines for acts: a seat with a card, or with ``x`` for the last card rejected."""
    lines = []
    for act in said.split():
        hand = '"hand": "banker"' if act[0] == "B" else f'"hand": "patron", "seat": {act[0]}'
        card = f', "card": "{act[1]}"' if act[1] != "x" else ""
        lines.append(f'card-{"drawn" if card else "rejected"} {{"coup": 1, {hand}{card}}}')
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("pack", "dealt", "own", "follows"),
    [
        ("macao-old", "27 16 B8", [], []),
        ("macao-old", "27 2x 16 B8", ["O504"], ["O505"]),
        # another card replaces it at once, or when all have theirs
        ("macao-old", "27 2x 25 16 B8", ["O504"], ["O505"]),
        ("macao-old", "27 2x 16 B8 25", ["O504"], ["O505"]),
        ("victoria", "27 2x 25 16 B8 2K 1K BK", ["O504"], ["O505"]),
        ("victoria", "27 2x 16 B8 2K 1K BK", ["O504"], ["O505"]),
        # the hand at seat 1 came first
        ("macao-old", "16 27 2x 25 B8", ["O504", "O505"], []),
        ("victoria", "27 16 B8 1K 2K 2x 25 BK", ["O504", "O505"], []),
    ],
)
def test_hands_that_a_wrong_rejection_puts_out_of_turn_are_one_finding_with_it(
    pack, dealt, own, follows
):
    shoe = DEALT_TO_TWO.replace("PACK", pack).replace("ACTS", acts(dealt))
    alone, explained = own_and_explained(deal(told_lines(shoe)))
    of_acts = [number for number in map(number_of, alone) if number in {"O504", "O505"}]
    assert sorted(of_acts) == own
    assert [number_of(code) for code, _ in explained if number_of(code) == "O505"] == follows


def test_a_stake_whose_hand_lacks_the_rejected_card_follows_from_the_rejection():
    shoe = DEALT_TO_TWO.replace("PACK", "macao-old").replace("ACTS", acts("27 2x 16 B8"))
    alone, explained = own_and_explained(deal(told_lines(shoe)))
    pairs = [(*map(number_of, pair),) for pair in explained]
    assert ("O508", "O504") in pairs
    assert "O508" not in map(number_of, alone)
