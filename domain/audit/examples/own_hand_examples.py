"""Shoes of macao and victoria that break each of their rules.

A line of ``hands`` is a coup: stakes by seat, then each hand in its turn, the banker's ``B``.
Behind the cards dealt at first ``+`` is a card that was asked for, ``!`` one that was not, and
``-`` behind a card rejects it.
"""

from typing import Final

OWN_HANDS: Final = """
unrequested-card
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    banks p3 200000
    hands 1 500 | 1: 3 !4; B: 7
requested-card-not-dealt
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    banks p3 200000
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
    choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "draw"}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
    hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 7}, {"hand": "banker", "total": 8}]}
    due
card-beyond-hand-end
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    banks p3 200000
    hands 1 500 | 1: 8 +4 +2; B: 7
card-rejection-not-permitted
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    banks p3 200000
    hands 1 500 | 1: 3 +9- !4; B: 7
hand-out-of-turn
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    banks p3 200000
    hands 1 500, 2 500 | 1: 6; 2: 7; B: 8
hand-played-by-wrong-player
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    banks p3 200000
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
    choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand", "by": "p2"}
    due
miscalled-hand
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    banks p3 200000
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
    choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
    hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 9}, {"hand": "banker", "total": 8}]}
    due
stake-without-hand
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    banks p3 200000
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
    bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "hand", "amount": 500, "seat": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
    due
bank-given-up-early
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    banks p3 200000
    bank-withdrawn {"by": "p3", "amount": 200000}
    shoe-passed {"by": "p3", "reason": "chosen"}
bank-not-passed-left
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    shoe-offered {"to": "p2"}
bank-below-minimum
    load macao-old {"seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}, {"seat": 3, "patron": "p3"}]}
    banks p3 100000
"""  # noqa: E501 - the events of a table are as long as they are
