"""For every rule that looks beyond one shoe, the streams that break it.

A step a line, as they happen; a test plays each, and it must break its rule and no other:

    rules NAME             the rule pack of every shoe that follows; classic-8 without it
    with KEY = VALUE       a key of the rule pack of every shoe, written before anything else
    +DURATION              time goes by: ``+30m``, ``+25h``, ``+3d``
    cards|table NAME FACT {fields}   an event of a batch of cards, or of a table
    adopted NAME {fields}  a table adopts that rule pack
    shoe NAME {fields}     a shoe is loaded, prepared, dealt for one coup, and ended with 410
                           cards left; the fields are those of its loading
    shoe NAME {fields} open   the same, and it goes on
    shoe NAME FACT {fields}   any event of a shoe
    days N SABOT:TABLE …   for so many days each dealing shoe is loaded at a table each day
"""

from typing import Final

FLOOR: Final = """
destroyed-cards-reused
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    cards B-1 cards-destroyed {"by": "sam", "witness": "sue"}
    cards B-1 cards-issued {"table": "T1", "by": "sam"}
cards-in-two-places
    cards B-1 cards-issued {"table": "T1", "by": "sam"}
    cards B-1 cards-issued {"table": "T2", "by": "sam"}
cards-not-issued-to-table
    cards B-1 cards-issued {"table": "T1", "by": "sam"}
    cards B-1 cards-returned {"by": "sam"}
    shoe H-1 {"table": "T1", "batch": "B-1"}
broken-seal
    cards B-1 cards-sealed {"seal": "S-100", "by": "sam"}
    cards B-1 seal-opened {"seal": "S-101", "by": "ann"}
shoe-batch-mismatch
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam", "backs": ["purple"]}
    shoe H-1 {"batch": "B-1", "backs": ["red"]}
overused-cards
    with custody.shoes = 1
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    shoe H-1 {"batch": "B-1"}
    shoe H-2 {"batch": "B-1"}
cards-too-long-on-table
    with custody.table_hours = 24
    cards B-1 cards-issued {"table": "T1", "by": "sam"}
    shoe H-1 {"table": "T1", "batch": "B-1"}
    +25h
    cards B-1 cards-returned {"by": "sam"}
uninspected-cards
    with custody.inspected = true
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    shoe H-1 {"batch": "B-1"}
missing-preshuffle-receipt
    with custody.receipt = true
    cards B-1 cards-preshuffled {"by": "dora", "model": "MD3", "serial": "0417"}
    shoe H-1 {"batch": "B-1"}
preshuffle-supervisor-not-free
    with custody.free_supervisor = true
    table T1 table-opened {"inventory": 1000, "crew": [{"post": "supervisor", "person": "sue"}]}
    cards B-1 cards-preshuffled {"by": "dora", "supervisor": "sue"}
    shoe H-1 {"batch": "B-1"}
unverified-preshuffle
    with custody.free_supervisor = true
    cards B-1 cards-preshuffled {"by": "dora"}
    shoe H-1 {"batch": "B-1"}
missing-preshuffle-recording
    with custody.recording_days = 7
    cards B-1 cards-preshuffled {"by": "dora", "recording": "cam-7", "kept_days": 3}
    shoe H-1 {"batch": "B-1"}
card-inventory-mismatch
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    cards B-1 cards-counted {"decks": 7, "by": "sue"}
late-card-reconciliation
    with custody.count_hours = 24
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    +20h
    shoe H-1 {"batch": "B-1"}
    +20h
    cards B-1 cards-destroyed {"by": "sam"}
late-stock-count
    with custody.stock_days = 92
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    +100d
    shoe H-1 {"batch": "B-1"}
unreported-bad-cards
    with custody.report_minutes = 15
    shoe H-1 {"batch": "B-1"}
    cards B-1 cards-found-bad {"by": "dora", "marked": 1}
    +1h
    cards B-1 defect-reported {"to": "surveillance", "by": "sue"}
bad-cards-reused
    with custody.report_minutes = 15
    cards B-1 cards-found-bad {"by": "dora", "marked": 1}
    cards B-1 defect-reported {"to": "surveillance", "by": "sue"}
    shoe H-1 {"batch": "B-1"}
unreported-miscount
    cards B-1 cards-issued {"table": "T1", "by": "sam"}
    shoe H-1 {"table": "T1", "batch": "B-1"} open
    shoe H-1 shoe-ended {"left": 409, "reason": "withdrawn"}
    cards B-1 cards-returned {"by": "sam"}
unmatched-batch-event
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    cards B-1 cards-returned {"by": "sam"}
unrecorded-batch
    with custody.issued = true
    shoe H-1 {"table": "T1", "batch": "B-1"}
unsorted-cards
    with custody.put_back = true
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    shoe H-1 {"batch": "B-1"}
    cards B-1 cards-destroyed {"by": "sam"}

abandoned-bet-not-kept
    with abandoned_bets = "kept"
    table T1 table-opened {"inventory": 1000}
    shoe H-1 {"table": "T1"} open
    shoe H-1 bet-abandoned {"coup": 1, "bet": 1}
    shoe H-1 shoe-ended {"left": 410, "reason": "withdrawn"}
wrong-abandoned-bet-amount
    with abandoned_bets = "kept"
    shoe H-1 {"table": "T1"} open
    shoe H-1 bet-abandoned {"coup": 1, "bet": 1}
    table T1 abandoned-kept {"slip": "A-1", "amount": 500, "shoe": "H-1", "coup": 1, "bet": 1}
wrong-abandoned-bet-payout
    table T1 abandoned-kept {"slip": "A-1", "amount": 500, "shoe": "H-1", "coup": 1, "bet": 1}
    table T1 abandoned-claimed {"slip": "A-1", "amount": 500, "to": "p1"}
    table T1 abandoned-claimed {"slip": "A-1", "amount": 500, "to": "p2"}
rules-not-adopted
    table T1 rule-pack-adopted {"pack": "classic-8", "version": "1", "approved_by": "sue", "pack_sha256": "0000000000000000000000000000000000000000000000000000000000000000"}
    shoe H-1 {"table": "T1"}
unapproved-burn-option
    with approval.authority = "DICJ"
    table T1 table-opened {"inventory": 1000}
    adopted T1 {"approved_by": "sue", "noticed": "2025-12-01"}
    shoe H-1 {"table": "T1"}
unannounced-burn-option
    with approval.notice_days = 3
    with approval.authority = "DICJ"
    adopted T1 {"approved_by": "sue", "authority": "DICJ", "approval": "1/2025", "noticed": "2025-12-29"}
    shoe H-1 {"table": "T1"}
unmatched-table-event
    table T1 table-opened {"inventory": 1000}
    table T1 table-closed {"inventory": 1000}
    table T1 table-closed {"inventory": 900}
unapproved-rules
    table T1 rule-pack-adopted {"pack": "classic-8", "version": "1", "pack_sha256": "0000000000000000000000000000000000000000000000000000000000000000"}
play-at-closed-table
    table T1 table-opened {"inventory": 1000}
    table T1 table-closed {"inventory": 1000}
    shoe H-1 {"table": "T1"}
two-shoes-at-table
    shoe H-1 {"table": "T1"} open
    shoe H-2 {"table": "T1"}
    shoe H-1 coup-opened {"coup": 2}
    shoe H-1 no-more-bets {"coup": 2}
    shoe H-1 card-drawn {"coup": 2, "hand": "player", "card": "4"}
shoe-not-rotated
    with custody.tie_chance = "1/1000"
    days 7 1:T1 2:T2 3:T3 4:T4
shoe-at-two-tables
    shoe H-1 shoe-loaded {"table": "T1", "sabot": "7"}
    shoe H-2 shoe-loaded {"table": "T2", "sabot": "7"}
    shoe H-1 shoe-shuffled {"by": "ann"}
    shoe H-1 shoe-cut {"by": "p1", "depth": 90}
    shoe H-1 stop-card-placed {"behind": 7}
    shoe H-1 card-burned {"card": "Ac"}
wrong-first-banker
    shoe H-1 {"table": "T1"} open
    shoe H-1 shoe-taken {"by": "p1"}
    shoe H-1 shoe-ended {"left": 410, "counted": 416, "reason": "withdrawn"}
    shoe H-2 {"table": "T1", "banked": "p2"}
repeated-session-shoe
    rules deux-tableaux-france-open
    shoe H-1 shoe-loaded {"table": "T1", "decks": 6, "backs": ["red", "blue"]}
    shoe H-1 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
    shoe H-2 shoe-loaded {"table": "T1", "decks": 6, "backs": ["red", "blue"]}
    shoe H-2 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
cards-from-other-session
    rules deux-tableaux-france-open
    shoe H-1 shoe-loaded {"batch": "B-1", "decks": 6, "backs": ["red", "blue"]}
    shoe H-1 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
    shoe H-2 shoe-loaded {"batch": "B-1", "decks": 6, "backs": ["red", "blue"]}
    shoe H-2 session-called {"day": "2026-01-01", "session": 2, "shoe": 1}
"""  # noqa: E501 - a hash is as long as it is
