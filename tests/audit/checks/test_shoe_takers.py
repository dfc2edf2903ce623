"""Who takes, refuses and passes the shoe or a bank, and deals after leaving the table."""

import pytest

from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.attendance import bet_after_leaving
from sabot.domain.audit.checks.bank.bank_moves import wrong_banker
from sabot.domain.audit.checks.bank.handover import bank_offered_out_of_turn
from sabot.domain.audit.checks.bank.own_hand_turns import hand_played_by_wrong_player
from sabot.domain.audit.checks.hand_players import decision_by_wrong_player
from sabot.domain.audit.checks.shoe_holder import shoe_offered_out_of_turn
from sabot.domain.audit.checks.shoe_takers import (
    shoe_held_after_leaving,
    shoe_taken_by_wrong_patron,
    untrue_departure_of_holder,
)
from sabot.domain.audit.completeness import NO_PACK
from sabot.domain.audit.rule_group import code_of
from tests.support.one_fault import own_and_explained
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal

LEFT, TAKEN = code_of(shoe_held_after_leaving), code_of(shoe_taken_by_wrong_patron)

CHEMIN = """
load chemin-de-fer
seats p1 p2 p3
"""
BANKED = f"""{CHEMIN}
bank p1 10000
coup p2 player 6000 | P 4 2  B K 9
"""
PASSED = """
bank-withdrawn {"by": "p1", "amount": 16000}
shoe-passed {"by": "p1", "reason": "chosen"}
"""
NEXT = "coup p2 player 6000 | P 4 2  B K 9"
SEATED = "\n".join(f'patron-seated {{"seat": {n}, "patron": "p{n}"}}' for n in (1, 2, 3))
HELD = f"""{SEATED}
shoe-taken {{"by": "p1"}}
coup p2 player 500 | P 4 5  B K 8
"""
LEAVES = 'shoe-passed {"by": "p1", "reason": "left"}'
PLAYED = "coup p2 player 500 | P 4 4  B K 9"
GONE = 'patron-left {"patron": "p1"}'


def lines(*parts: str) -> str:
    return "\n".join(filter(None, map(str.strip, "\n".join(parts).splitlines())))


CASES = (
    Case(LEFT, 2, lines(BANKED, GONE, NEXT), lines(BANKED, GONE, PASSED.replace("chosen", "left"))),
    Case(
        LEFT,
        1,
        lines(SEATED, GONE, 'shoe-taken {"by": "p1"}', "coup p2 player 500 | P 4 4  B K 9"),
        lines(SEATED, GONE, 'shoe-taken {"by": "p2"}', "coup p2 player 500 | P 4 4  B K 9"),
    ),
    # a patron who left before passing the shoe, or sat down anew, had left the table
    Case(
        code_of(untrue_departure_of_holder),
        None,
        lines(HELD, LEAVES, 'shoe-taken {"by": "p1"}', PLAYED),
        lines(HELD, LEAVES, 'patron-seated {"seat": 1, "patron": "p1"}', 'shoe-taken {"by": "p1"}')
        + f"\n{PLAYED}",
    ),
    Case(
        code_of(untrue_departure_of_holder),
        None,
        lines(HELD, LEAVES, 'shoe-taken {"by": "p2"}', PLAYED.replace("p2", "p1")),
        lines(HELD, LEAVES, 'shoe-taken {"by": "p2"}', PLAYED),
    ),
    Case(
        TAKEN,
        None,
        lines(HELD, 'shoe-passed {"by": "p3"}'),
        lines(HELD, 'shoe-passed {"by": "p1"}'),
    ),
    Case(
        TAKEN,
        None,
        lines(HELD, 'shoe-passed {"by": "p1"}', 'shoe-passed {"by": "p1"}'),
        lines(HELD, 'shoe-passed {"by": "p1"}'),
    ),
    Case(
        code_of(wrong_banker),
        None,
        lines(BANKED, PASSED, 'shoe-passed {"by": "p3", "reason": "chosen"}'),
        lines(BANKED, PASSED),
    ),
    Case(
        code_of(wrong_banker),
        None,
        lines(
            CHEMIN,
            *(
                'shoe-offered {"to": "p1"}',
                'shoe-refused {"by": "p1"}',
                'shoe-refused {"by": "p2"}',
            ),
            *('shoe-offered {"to": "p3"}', 'shoe-taken {"by": "p3"}'),
            'bank-posted {"by": "p3", "amount": 10000}',
        ),
        lines(
            CHEMIN,
            *(
                'shoe-offered {"to": "p1"}',
                'shoe-refused {"by": "p1"}',
                'shoe-offered {"to": "p2"}',
            ),
            *('shoe-refused {"by": "p2"}', 'shoe-offered {"to": "p3"}', 'shoe-taken {"by": "p3"}'),
            'bank-posted {"by": "p3", "amount": 10000}',
        ),
    ),
    # p2 says no while p1 is asked, and has to be asked all the same
    Case(
        code_of(bank_offered_out_of_turn),
        None,
        lines(
            CHEMIN,
            *(
                'shoe-offered {"to": "p1"}',
                'shoe-refused {"by": "p2"}',
                'shoe-refused {"by": "p1"}',
            ),
            *('shoe-offered {"to": "p3"}', 'shoe-taken {"by": "p3"}'),
            'bank-posted {"by": "p3", "amount": 10000}',
        ),
        lines(
            CHEMIN,
            *(
                'shoe-offered {"to": "p1"}',
                'shoe-refused {"by": "p2"}',
                'shoe-refused {"by": "p1"}',
            ),
            *('shoe-offered {"to": "p2"}', 'shoe-taken {"by": "p2"}'),
            'bank-posted {"by": "p2", "amount": 10000}',
        ),
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


@pytest.mark.parametrize(
    ("shoe", "cause", "follows"),
    [
        # p1 bets in the coup too
        (
            lines(SEATED, 'shoe-taken {"by": "p1"}', GONE, "coup p1 player 500 | P 4 4  B K 9"),
            bet_after_leaving,
            [shoe_held_after_leaving],
        ),
        # the bank is offered to p1, who has left
        (
            lines(
                *(CHEMIN, GONE, 'shoe-offered {"to": "p1"}', 'shoe-taken {"by": "p1"}'),
                *('bank-posted {"by": "p1", "amount": 10000}', NEXT),
            ),
            bank_offered_out_of_turn,
            [shoe_held_after_leaving],
        ),
        # p3 passes the shoe that p1 has, and it goes on from p3
        (
            lines(HELD, 'shoe-passed {"by": "p3"}', 'shoe-offered {"to": "p1"}'),
            shoe_taken_by_wrong_patron,
            [shoe_offered_out_of_turn],
        ),
        # the bank is given up twice, and the turn goes on from the first time
        (
            lines(
                *(BANKED, PASSED, 'shoe-passed {"by": "p3", "reason": "chosen"}'),
                *('shoe-offered {"to": "p2", "amount": 16000}', 'shoe-taken {"by": "p2"}'),
                'bank-posted {"by": "p2", "amount": 16000}',
            ),
            wrong_banker,
            [],
        ),
        # p3 is written down as the taker, and p1 passes the shoe
        (
            lines(
                *(SEATED, 'shoe-offered {"to": "p1"}', 'shoe-taken {"by": "p3"}'),
                *("coup p2 player 500 | P 4 5  B K 8", 'shoe-passed {"by": "p1"}'),
            ),
            shoe_taken_by_wrong_patron,
            [],
        ),
        # p1 took the bank and decides, and p3 is written down as the banker
        (
            lines(
                *(CHEMIN, 'shoe-offered {"to": "p1"}', 'shoe-taken {"by": "p1"}'),
                *('bank-posted {"by": "p3", "amount": 10000}', 'coup-opened {"coup": 1}'),
                'bank-called {"coup": 1, "amount": 10000}',
                'bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", '
                '"amount": 500}',
                *(
                    'no-more-bets {"coup": 1}',
                    'hand-given {"coup": 1, "hand": "player", "to": "p2"}',
                ),
                "deal P 3 2  B K 7",
                'choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}',
                'choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}',
                "due",
            ),
            wrong_banker,
            [decision_by_wrong_player],
        ),
        (
            lines(
                *("load macao-old", "seats p1 p2 p3", 'shoe-offered {"to": "p3"}'),
                *('shoe-taken {"by": "p3"}', 'bank-posted {"by": "p2", "amount": 200000}'),
                'coup-opened {"coup": 1}',
                'bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, '
                '"seat": 1}',
                'no-more-bets {"coup": 1}',
                'card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}',
                'card-drawn {"coup": 1, "hand": "banker", "card": "6", "place": 2}',
                'choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}',
                'choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p3"}',
                "due",
            ),
            wrong_banker,
            [hand_played_by_wrong_player],
        ),
    ],
)
def test_one_wrong_holder_is_one_finding(shoe, cause, follows):
    own, explained = own_and_explained(deal(shoe))
    assert own == [code_of(cause)]
    assert explained == [(code_of(each), code_of(cause)) for each in follows]


@pytest.mark.parametrize("by", ["house", "dora"])
def test_the_house_takes_a_shoe_that_a_patron_did_not_answer_for(by):
    crew = '{"crew": [{"post": "caller", "person": "dora"}]}'
    offered = lines(f"load classic-8 {crew}", SEATED, 'shoe-offered {"to": "p1"}')
    assert own_and_explained(deal(f'{offered}\nshoe-taken {{"by": "{by}"}}')) == ([], [])


@pytest.mark.parametrize(
    "rule", [shoe_offered_out_of_turn, shoe_taken_by_wrong_patron, untrue_departure_of_holder]
)
def test_a_pack_that_cannot_be_read_does_not_say_who_holds_the_shoe(rule):
    shoe = deal(lines('load "no pack"', "bare", SEATED, 'shoe-taken {"by": "p1"}', LEAVES))
    (verdict,) = [each for each in audit_shoe(shoe).verdicts if each.code == code_of(rule)]
    assert verdict.reasons == {NO_PACK.text: 1}
