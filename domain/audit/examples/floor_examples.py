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
cards-came-back-after-destruction
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    cards B-1 cards-destroyed {"by": "sam", "witness": "sue"}
    cards B-1 cards-issued {"table": "T1", "by": "sam"}
cards-were-in-two-places-at-once
    cards B-1 cards-issued {"table": "T1", "by": "sam"}
    cards B-1 cards-issued {"table": "T2", "by": "sam"}
cards-were-dealt-where-they-were-not-issued
    cards B-1 cards-issued {"table": "T1", "by": "sam"}
    cards B-1 cards-returned {"by": "sam"}
    shoe H-1 {"table": "T1", "batch": "B-1"}
seal-was-broken-in-between
    cards B-1 cards-sealed {"seal": "S-100", "by": "sam"}
    cards B-1 seal-opened {"seal": "S-101", "by": "ann"}
shoe-is-not-made-of-the-batch-it-names
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam", "backs": ["purple"]}
    shoe H-1 {"batch": "B-1", "backs": ["red"]}
cards-were-used-for-too-many-shoes
    with custody.shoes = 1
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    shoe H-1 {"batch": "B-1"}
    shoe H-2 {"batch": "B-1"}
cards-lay-on-a-table-too-long
    with custody.table_hours = 24
    cards B-1 cards-issued {"table": "T1", "by": "sam"}
    shoe H-1 {"table": "T1", "batch": "B-1"}
    +25h
    cards B-1 cards-returned {"by": "sam"}
cards-were-used-before-inspection
    with custody.inspected = true
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    shoe H-1 {"batch": "B-1"}
machine-left-no-receipt
    with custody.receipt = true
    cards B-1 cards-preshuffled {"by": "dora", "model": "MD3", "serial": "0417"}
    shoe H-1 {"batch": "B-1"}
preshuffle-supervisor-had-an-open-table
    with custody.free_supervisor = true
    table T1 table-opened {"inventory": 1000, "crew": [{"post": "supervisor", "person": "sue"}]}
    cards B-1 cards-preshuffled {"by": "dora", "supervisor": "sue"}
    shoe H-1 {"batch": "B-1"}
preshuffle-was-not-verified
    with custody.free_supervisor = true
    cards B-1 cards-preshuffled {"by": "dora"}
    shoe H-1 {"batch": "B-1"}
preshuffle-recording-was-not-kept
    with custody.recording_days = 7
    cards B-1 cards-preshuffled {"by": "dora", "recording": "cam-7", "kept_days": 3}
    shoe H-1 {"batch": "B-1"}
cards-counted-do-not-tally
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    cards B-1 cards-counted {"decks": 7, "by": "sue"}
cards-were-not-reconciled-in-time
    with custody.count_hours = 24
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    +20h
    shoe H-1 {"batch": "B-1"}
    +20h
    cards B-1 cards-destroyed {"by": "sam"}
stock-of-cards-was-not-counted-in-time
    with custody.stock_days = 92
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    +100d
    shoe H-1 {"batch": "B-1"}
bad-cards-were-not-reported-at-once
    with custody.report_minutes = 15
    shoe H-1 {"batch": "B-1"}
    cards B-1 cards-found-bad {"by": "dora", "marked": 1}
    +1h
    cards B-1 defect-reported {"to": "surveillance", "by": "sue"}
bad-cards-were-dealt-again
    with custody.report_minutes = 15
    cards B-1 cards-found-bad {"by": "dora", "marked": 1}
    cards B-1 defect-reported {"to": "surveillance", "by": "sue"}
    shoe H-1 {"batch": "B-1"}
miscounted-shoe-was-passed-over
    cards B-1 cards-issued {"table": "T1", "by": "sam"}
    shoe H-1 {"table": "T1", "batch": "B-1"} open
    shoe H-1 shoe-ended {"left": 409, "reason": "withdrawn"}
    cards B-1 cards-returned {"by": "sam"}
cards-fact-has-no-ground
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    cards B-1 cards-returned {"by": "sam"}
batch-was-never-recorded
    with custody.issued = true
    shoe H-1 {"table": "T1", "batch": "B-1"}
cards-were-not-put-back-in-order
    with custody.put_back = true
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    shoe H-1 {"batch": "B-1"}
    cards B-1 cards-destroyed {"by": "sam"}

abandoned-bet-was-not-kept
    with abandoned_bets = "kept"
    table T1 table-opened {"inventory": 1000}
    shoe H-1 {"table": "T1"} open
    shoe H-1 bet-abandoned {"coup": 1, "bet": 1}
    shoe H-1 shoe-ended {"left": 410, "reason": "withdrawn"}
abandoned-bet-was-kept-wrong
    with abandoned_bets = "kept"
    shoe H-1 {"table": "T1"} open
    shoe H-1 bet-abandoned {"coup": 1, "bet": 1}
    table T1 abandoned-kept {"slip": "A-1", "amount": 500, "shoe": "H-1", "coup": 1, "bet": 1}
abandoned-money-was-paid-out-wrong
    table T1 abandoned-kept {"slip": "A-1", "amount": 500, "shoe": "H-1", "coup": 1, "bet": 1}
    table T1 abandoned-claimed {"slip": "A-1", "amount": 500, "to": "p1"}
    table T1 abandoned-claimed {"slip": "A-1", "amount": 500, "to": "p2"}
shoe-was-dealt-by-rules-not-adopted
    table T1 rule-pack-adopted {"pack": "classic-8", "version": "1", "approved_by": "sue", "pack_sha256": "0000000000000000000000000000000000000000000000000000000000000000"}
    shoe H-1 {"table": "T1"}
burn-option-was-not-approved
    with approval.authority = "DICJ"
    table T1 table-opened {"inventory": 1000}
    adopted T1 {"approved_by": "sue", "noticed": "2025-12-01"}
    shoe H-1 {"table": "T1"}
burn-option-was-taken-up-without-notice
    with approval.notice_days = 3
    with approval.authority = "DICJ"
    adopted T1 {"approved_by": "sue", "authority": "DICJ", "approval": "1/2025", "noticed": "2025-12-29"}
    shoe H-1 {"table": "T1"}
table-fact-has-no-ground
    table T1 table-opened {"inventory": 1000}
    table T1 table-closed {"inventory": 1000}
    table T1 table-closed {"inventory": 900}
rules-were-adopted-without-approval
    table T1 rule-pack-adopted {"pack": "classic-8", "version": "1", "pack_sha256": "0000000000000000000000000000000000000000000000000000000000000000"}
shoe-was-dealt-at-a-closed-table
    table T1 table-opened {"inventory": 1000}
    table T1 table-closed {"inventory": 1000}
    shoe H-1 {"table": "T1"}
two-shoes-were-dealt-at-one-table
    shoe H-1 {"table": "T1"} open
    shoe H-2 {"table": "T1"}
    shoe H-1 coup-opened {"coup": 2}
    shoe H-1 no-more-bets {"coup": 2}
    shoe H-1 card-drawn {"coup": 2, "hand": "player", "card": "4"}
shoe-is-tied-to-a-table
    with custody.tie_chance = "1/1000"
    days 7 1:T1 2:T2 3:T3 4:T4
shoe-was-at-two-tables-at-once
    shoe H-1 shoe-loaded {"table": "T1", "sabot": "7"}
    shoe H-2 shoe-loaded {"table": "T2", "sabot": "7"}
    shoe H-1 shoe-shuffled {"by": "ann"}
    shoe H-1 shoe-cut {"by": "p1", "depth": 90}
    shoe H-1 stop-card-placed {"behind": 7}
    shoe H-1 card-burned {"card": "Ac"}
next-shoe-goes-on-from-another
    shoe H-1 {"table": "T1"} open
    shoe H-1 shoe-taken {"by": "p1"}
    shoe H-1 shoe-ended {"left": 410, "counted": 416, "reason": "withdrawn"}
    shoe H-2 {"table": "T1", "banked": "p2"}
shoe-of-a-session-was-called-twice
    rules deux-tableaux-france-open
    shoe H-1 shoe-loaded {"table": "T1", "decks": 6, "backs": ["red", "blue"]}
    shoe H-1 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
    shoe H-2 shoe-loaded {"table": "T1", "decks": 6, "backs": ["red", "blue"]}
    shoe H-2 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
cards-of-another-session-were-dealt
    rules deux-tableaux-france-open
    shoe H-1 shoe-loaded {"batch": "B-1", "decks": 6, "backs": ["red", "blue"]}
    shoe H-1 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
    shoe H-2 shoe-loaded {"batch": "B-1", "decks": 6, "backs": ["red", "blue"]}
    shoe H-2 session-called {"day": "2026-01-01", "session": 2, "shoe": 1}
"""  # noqa: E501 - a hash is as long as it is
