"""Shoes of chemin de fer that break the rules of choices, banks and levies."""

from typing import Final

BANKS: Final = """
draw-on-mandatory-stand
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 6000 | P 4 2 K  B K 7
stand-on-mandatory-draw
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 6000 | P 2 2  B K 7
unrequested-third-card
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 3 2  B K 7
    card-drawn {"coup": 1, "hand": "player", "card": "K", "place": 5}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
    due
request-on-mandatory-stand
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 3 4  B K 7
    choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
    card-turned {"coup": 1, "hand": "player", "nth": 1}
    card-turned {"coup": 1, "hand": "player", "nth": 2}
    card-turned {"coup": 1, "hand": "banker", "nth": 1}
    card-turned {"coup": 1, "hand": "banker", "nth": 2}
    result-called {"coup": 1, "player": 7, "banker": 7, "outcome": "T"}
    bet-pushed {"coup": 1, "bet": 1}
    coup-closed {"coup": 1}
decision-by-wrong-player
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 3 2  B K 7
    choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p3"}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
    due
wrong-player-for-hand
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 4000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due

miscalled-bank
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 9000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
stakes-beyond-bank
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 5000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
excess-returned-out-of-order
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 5000}
    excess-returned {"coup": 1, "bet": 1, "amount": 1000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
stake-beside-banco
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    banco-called {"coup": 1, "patron": "p2"}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 4000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
unjustified-banco
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    banco-called {"coup": 1, "patron": "p2", "suivi": true}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
banker-stake-against-own-bank
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "player", "amount": 4000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
levy-out-of-order
    load chemin-de-fer-france {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
    bank p1 10000
    coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
    tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
    levy-taken {"coup": 1, "amount": 500}
    levy-announced {"coup": 1, "amount": 500}
untorn-tickets
    load chemin-de-fer-france {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
    bank p1 10000
    coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
    levy-announced {"coup": 1, "amount": 500}
    tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
    levy-taken {"coup": 1, "amount": 500}
    coup-opened {"coup": 2}
wrong-levy
    load chemin-de-fer-france {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
    levy-announced {"coup": 1, "amount": 510}
    tickets-detached {"coup": 1, "amount": 510, "tickets": ["T-1"]}
    levy-taken {"coup": 1, "amount": 510}
levy-without-ticket
    load chemin-de-fer-france {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
    bank p1 10000
    coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
    levy-announced {"coup": 1, "amount": 500}
    tickets-detached {"coup": 1, "amount": 400, "tickets": ["T-1"]}
    levy-taken {"coup": 1, "amount": 500}
shoe-kept-after-wrong-draw
    load chemin-de-fer-france {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 7
    irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
    coup-voided {"coup": 1}
    coup p2 player 10000 | P 4 2  B K 9
bank-offered-out-of-turn
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    shoe-offered {"to": "p2"}
    shoe-taken {"by": "p2"}
    bank-posted {"by": "p2", "amount": 10000}
wrong-bank-amount
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 9999
premature-bank-withdrawal
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    bank-withdrawn {"by": "p1", "amount": 10000}
partial-bank-withdrawal
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 10000 | P 4 2  B K 9
    bank-withdrawn {"by": "p1", "amount": 5000}
    coup p2 player 500 | P 4 2  B K 9
bank-moved-by-wrong-person
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 6000 | P 4 2  B K 9
    bank-withdrawn {"by": "p2", "amount": 16000}
    shoe-passed {"by": "p1", "reason": "chosen"}
wrong-banker
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    shoe-offered {"to": "p1"}
    shoe-taken {"by": "p2"}
    bank-posted {"by": "p2", "amount": 10000}
late-bank-raise
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 12000}
    no-more-bets {"coup": 1}
    bank-raised {"by": "p1", "amount": 2000, "coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    due
omitted-coup-step
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 6000 | P 4 2  B K 9
    coup-opened {"coup": 2}
    bank-called {"coup": 2, "amount": 16000}
    bet-placed {"coup": 2, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 2}
    deal P 4 2  B K 9
    due
chip-balance-mismatch
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    bank p1 10000
    coup p2 player 4000 | P 4 5  B K 6
    shoe-passed {"by": "p1", "reason": "lost"}
"""  # noqa: E501 - the events of a table are as long as they are
