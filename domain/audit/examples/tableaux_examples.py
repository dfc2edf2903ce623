"""Shoes of baccarat banque that break each of their rules, as `sabot.domain.audit.examples` writes.

``wings-bank`` gives somebody the first bank. A line of ``wings`` is a coup: stakes, then the hands
of the right, the left and the banker; behind the first two cards ``+`` is one that was asked for,
``!`` one that was not, ``=`` stands. ``wings-open`` does its stakes alone, ``wings-hands`` its
cards and choices. p1 to p5 sit on the left, p7 to p11 on the right; p11 banks.
"""

from typing import Final

WINGS: Final = """
tableaux-out-of-turn
    load banque
    bare
    wings-bank p11 20000
    wings-open p7 right 500, p5 left 500
    card-drawn {"coup": 1, "hand": "left", "card": "2", "place": 1}
    card-drawn {"coup": 1, "hand": "right", "card": "3", "place": 2}
    card-drawn {"coup": 1, "hand": "banker", "card": "9", "place": 3}
    card-drawn {"coup": 1, "hand": "right", "card": "4", "place": 4}
    card-drawn {"coup": 1, "hand": "left", "card": "5", "place": 5}
    card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 6}
    due
miscalled-tableau
    load banque
    bare
    wings-bank p11 20000
    wings-open p7 right 500, p5 left 500
    wings-hands 3 4; 2 4; 9 K
    hands-called {"coup": 1, "totals": [{"hand": "right", "total": 8}, {"hand": "left", "total": 6}, {"hand": "banker", "total": 9}]}
    due
unpaid-tableau-natural
    load banque
    bare
    wings-bank p11 20000
    wings-open p7 right 500, p5 left 500
    wings-hands 9 K; 2 3 +4; 7 K =
    due
open-bank-without-excess
    load banque
    bare
    wings-bank p11 20000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 20000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 20000, "seat": 7}
    bank-unlimited {"by": "p11", "coup": 1}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "right", "to": "p7"}
    hand-given {"coup": 1, "hand": "left", "to": "p5"}
    wings-hands 3 4; 2 4; 9 K
    due
fourth-banco
    load banque
    bare
    wings-bank p11 20000
    wings banco p7 | 3 4; 2 4; 9 K
    wings banco p7 | 3 4; 2 4; 9 K
    wings banco p7 | 3 4; 2 4; 9 K
    wings banco p7 | 3 4; 2 4; 9 K
held-stake-taken-up
    load banque
    bare
    wings-bank p11 20000
    wings p7 cheval 1000 | 9 K; 2 4; 8 K
    coup-opened {"coup": 2}
    bank-called {"coup": 2, "amount": 20000}
    bet-carried {"coup": 2, "bet": 1, "patron": "p7", "wager": "cheval", "amount": 1000, "seat": 7}
    bet-withdrawn {"coup": 2, "bet": 1}
    bet-placed {"coup": 2, "bet": 2, "patron": "p8", "wager": "right", "amount": 500, "seat": 8}
    no-more-bets {"coup": 2}
    hand-given {"coup": 2, "hand": "right", "to": "p7"}
    hand-given {"coup": 2, "hand": "left", "to": "p4"}
    wings-hands 3 4; 2 4; 9 K
    due
carried-stake-not-held
    load banque
    bare
    wings-bank p11 20000
    wings p7 right 1000 | 3 4; 2 4; 9 K
    coup-opened {"coup": 2}
    bank-called {"coup": 2, "amount": 21000}
    bet-carried {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 1000, "seat": 7}
    no-more-bets {"coup": 2}
    hand-given {"coup": 2, "hand": "right", "to": "p8"}
    hand-given {"coup": 2, "hand": "left", "to": "p4"}
    wings-hands 3 4; 2 4; 9 K
    due
stake-not-whole-units
    load deux-tableaux-france-open
    bare
    wings-bank p11 100000
    wings p7 right 1050, p5 left 500 | 3 4; 2 4; 9 K
stake-on-wrong-tableau
    load banque
    bare
    wings-bank p11 20000
    wings p7 left 500 | 3 4; 2 4; 9 K
payment-out-of-rotation
    load banque
    bare
    wings-bank p11 20000
    wings-open p7 right 500, p5 left 500
    wings-hands 9 K; 8 K; 3 4
    hands-called {"coup": 1, "totals": [{"hand": "right", "total": 9}, {"hand": "left", "total": 8}, {"hand": "banker", "total": 7}]}
    bet-paid {"coup": 1, "bet": 2, "amount": 500}
    due
wrong-first-bank-award
    load banque-list
    bare
    wings-seats
    bank-listed {"by": "p7"}
    bank-listed {"by": "p11"}
    shoe-offered {"to": "p11"}
    shoe-taken {"by": "p11"}
    wings-bank p11 20000
bank-below-bid
    load banque
    bare
    wings-seats
    bank-bid {"by": "p11", "amount": 30000}
    wings-bank p11 20000
banker-out-of-place
    load banque
    bare
    wings-seats
    bank-bid {"by": "p11", "amount": 20000}
    shoe-offered {"to": "p11", "amount": 20000}
    shoe-taken {"by": "p11"}
    bank-posted {"by": "p11", "amount": 20000}
bank-beyond-proven-funds
    load deux-tableaux-france-open
    bare
    wings-seats
    session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
    bank-listed {"by": "p11"}
    shoe-offered {"to": "p11"}
    shoe-taken {"by": "p11"}
    patron-moved {"patron": "p11", "seat": 6}
    funds-proven {"by": "p11", "amount": 100000}
    bank-posted {"by": "p11", "amount": 200000}
excess-sessions
    load deux-tableaux-france-open
    bare
    wings-seats
    session-called {"day": "2026-01-01", "session": 3, "shoe": 1}
    wings-bank p11 100000
play-on-broken-bank
    load banque
    bare
    wings-bank p11 20000
    wings p7 right 10000, p5 left 10000 | 9 K; 9 Q; 3 4
    bank-raised {"by": "p11", "amount": 10000}
    wings p7 right 500 | 3 4; 2 4; 9 K
bystander-stake-before-seated
    load banque
    bare
    wings-bank p11 20000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 20000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 19500, "seat": 7}
    bet-placed {"coup": 1, "bet": 2, "patron": "x", "wager": "right", "amount": 1000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "right", "to": "p7"}
    hand-given {"coup": 1, "hand": "left", "to": "p5"}
    wings-hands 3 4; 2 4; 9 K
    due
mid-coup-bank-raise
    load banque
    bare
    wings-bank p11 20000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 20000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 21000, "seat": 7}
    bank-raised {"by": "p11", "amount": 1000, "coup": 1}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "right", "to": "p7"}
    hand-given {"coup": 1, "hand": "left", "to": "p5"}
    wings-hands 3 4; 2 4; 9 K
    due
coup-without-bank
    load chemin-de-fer {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}]}
    bare
    shoe-shuffled {"by": "dealer"}
    shoe-cut {"by": "p1", "depth": 100}
    stop-card-placed {"behind": 7}
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 0}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 1000, "seat": 2}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 2}
    card-drawn {"coup": 1, "hand": "player", "card": "5", "place": 3}
    card-drawn {"coup": 1, "hand": "banker", "card": "6", "place": 4}
    result-called {"coup": 1, "player": 9, "banker": 6, "outcome": "P"}
    bet-paid {"coup": 1, "bet": 1, "amount": 1000}
    coup-closed {"coup": 1}
shuffle-after-banker
    load banque
    bare
    wings-seats
    bank-bid {"by": "p11", "amount": 20000}
    shoe-offered {"to": "p11", "amount": 20000}
    shoe-taken {"by": "p11"}
    patron-moved {"patron": "p11", "seat": 6}
    bank-posted {"by": "p11", "amount": 20000}
    shoe-shuffled {"by": "p11"}
    shoe-shuffled {"by": "dealer"}
    wings-bank p11 20000
wrong-cutter
    load banque
    bare
    wings-seats
    bank-bid {"by": "p11", "amount": 20000}
    shoe-offered {"to": "p11", "amount": 20000}
    shoe-taken {"by": "p11"}
    patron-moved {"patron": "p11", "seat": 6}
    bank-posted {"by": "p11", "amount": 20000}
    shoe-shuffled {"by": "dealer"}
    cutter-named {"by": "p11", "cutter": "p1"}
    shoe-cut {"by": "p2", "depth": 60}
    wings-bank p11 20000
"""  # noqa: E501 - the events of a table are as long as they are
