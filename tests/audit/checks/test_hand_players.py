"""More ways to break the rules of `checks/hand_players.py`, and near misses."""

from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.dealing import cards_out_of_order
from sabot.domain.audit.checks.hand_players import banker_chose_first
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events.bank import BancoCalled, ChoiceMade, HandGiven
from tests.support.one_fault import own_and_explained
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal
from tests.support.told_shoes import CHEMIN, dealt, told

FIRST = code_of(banker_chose_first)
P2, P1 = (
    f'choice-made {{"coup": 1, "hand": "{hand}", "choice": "%s", "by": "{who}"}}'
    for hand, who in (("player", "p2"), ("banker", "p1"))
)
DEALT = f"{CHEMIN}deal > P 4  B K  P A  B 3\n"

CASES = (
    # the banker draws to 3, and Player stands on 5 once the card is seen
    Case(
        FIRST,
        1,
        f"{DEALT}{P1 % 'draw'}\ndeal > B 4\n{P2 % 'stand'}\ndue",
        f"{DEALT}{P2 % 'stand'}\n{P1 % 'draw'}\ndeal > B 4\ndue",
    ),
    Case(
        "wrong-player-for-hand",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 4000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p3"}
        deal P 4 2  B K 9
        due
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000, p3 player 4000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        """,
    ),
    # the hand was given early: until the bets are closed, a higher stake takes it
    Case(
        "wrong-player-for-hand",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 4000}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        deal P 4 2  B K 9
        due
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 4000, p3 player 6000 | P 4 2  B K 9
        """,
    ),
    # p7 plays the right; he keeps it while he wins, and loses it to p8
    Case(
        "wrong-player-for-hand",
        2,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p8 right 500 | 3 4; 2 4; 6 K
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 19000}
        bet-placed {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 500, "seat": 7}
        bet-placed {"coup": 2, "bet": 2, "patron": "p8", "wager": "right", "amount": 500, "seat": 8}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p8"}
        hand-given {"coup": 2, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p8 right 500 | 3 4; 2 4; 6 K
        tableaux p7 right 500, p8 right 500 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "wrong-player-for-hand",
        2,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p8 right 500 | K K +2; 2 4; 6 K
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 21000}
        bet-placed {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 500, "seat": 7}
        bet-placed {"coup": 2, "bet": 2, "patron": "p8", "wager": "right", "amount": 500, "seat": 8}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p7"}
        hand-given {"coup": 2, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p8 right 500 | K K +2; 2 4; 6 K
        tableaux p7 right 500, p8 right 500 | 3 4; 2 4; 9 K
        """,
    ),
    # p5 lost the left hand and p4's place is another's since: the place beside his has it
    Case(
        "wrong-player-for-hand",
        2,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 3 4; K K +2; 6 K
        patron-left {"patron": "p4"}
        patron-seated {"seat": 4, "patron": "p12"}
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        bet-placed {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 500, "seat": 7}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p7"}
        hand-given {"coup": 2, "hand": "left", "to": "p3"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 3 4; K K +2; 6 K
        patron-left {"patron": "p4"}
        patron-seated {"seat": 4, "patron": "p12"}
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "decision-by-wrong-player",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p5 left 500
        card-drawn {"coup": 1, "hand": "right", "card": "3", "place": 1}
        card-drawn {"coup": 1, "hand": "left", "card": "2", "place": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "6", "place": 3}
        card-drawn {"coup": 1, "hand": "right", "card": "4", "place": 4}
        card-drawn {"coup": 1, "hand": "left", "card": "3", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 6}
        choice-made {"coup": 1, "hand": "right", "choice": "stand"}
        choice-made {"coup": 1, "hand": "left", "choice": "stand", "by": "p7"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p5 left 500
        card-drawn {"coup": 1, "hand": "right", "card": "3", "place": 1}
        card-drawn {"coup": 1, "hand": "left", "card": "2", "place": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "6", "place": 3}
        card-drawn {"coup": 1, "hand": "right", "card": "4", "place": 4}
        card-drawn {"coup": 1, "hand": "left", "card": "3", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 6}
        choice-made {"coup": 1, "hand": "right", "choice": "stand"}
        choice-made {"coup": 1, "hand": "left", "choice": "stand", "by": "p5"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        due
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


def test_a_banker_who_chooses_and_draws_before_player_does_is_one_finding():
    """The cards come in the wrong order too: the banker's third card before Player's."""
    steps = f"{DEALT}{P1 % 'draw'}\ndeal > B 4\n{P2 % 'draw'}\ndeal > P 2\ndue"
    own, explained = own_and_explained(dealt(steps))
    order = code_of(cards_out_of_order)
    assert (own, explained) == ([order], [(FIRST, order)])


GIVEN_TWICE = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p3"}
    deal P 3 2  B K 7
    %s
    choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
    due
"""
GIVEN = 'hand-given {"coup": 1, "hand": "player", "to": "p2"}'
STANDS = 'choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p3"}'


def test_who_has_the_hand_at_the_choice_decides():
    assert told(GIVEN_TWICE % f"{STANDS}\n{GIVEN}") == []
    assert [code for code, *_ in told(GIVEN_TWICE % f"{GIVEN}\n{STANDS}")] == [
        "decision-by-wrong-player"
    ]


def test_the_giving_that_counted_is_shown_with_the_choice():
    text = GIVEN_TWICE % f"{GIVEN}\n{STANDS}"
    shoe = deal("\n".join(filter(None, map(str.strip, text.splitlines()))))
    (found,) = audit_shoe(shoe).findings
    shown = [event.payload for event in shoe.history if event.index in found.events]
    assert shown == [HandGiven(1, "player", "p2"), ChoiceMade(1, "player", "stand", "p3")]


def test_a_hand_that_belongs_to_a_claimant_shows_the_claim():
    """p2 goes bank, and the hand is given to p3."""
    shoe = dealt("""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        banco-called {"coup": 1, "patron": "p2"}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p3"}
        deal P 4 2  B K 9
        due
    """)
    (found,) = [e for e in audit_shoe(shoe).findings if e.code == "wrong-player-for-hand"]
    shown = [type(event.payload) for event in shoe.history if event.index in found.events]
    assert BancoCalled in shown
