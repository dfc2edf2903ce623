"""Rules for several shoes: further examples, near misses and messages.

Each rule's own example and near miss stand with the rule; see test_every_rule.py.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe, find_rule
from sabot.domain.audit.engine import (
    NO_BATCH,
    NO_CORRECTION,
    NO_SHOE,
    NO_TABLE,
    FloorAudit,
    audit_floor,
)
from sabot.domain.audit.floor_view import NO_CLOCK, floor_of, summary_of
from sabot.domain.audit.live import LiveFloor
from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.rule_text import shown_by
from sabot.domain.audit.rulebook import EXAMPLES, FLOOR_RULES
from sabot.domain.events.card_batch import CardsDestroyed
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.shoe import Shoe, evolve
from sabot.domain.state.shoe import fold as fold_shoe
from sabot.domain.state.table_state import fold as fold_table
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.audits.audit_follow import AuditFollower
from sabot.infrastructure.audits.audit_run import ONLY_SOME
from tests.support import any_events
from tests.support.audited import result_on
from tests.support.coup_notation import Felt, events_of, shoe_of
from tests.support.floor_notation import Pit
from tests.support.for_each import for_each
from tests.support.thorough import slow

RECEIVED = 'cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}'
DESTROYED = 'cards B-1 cards-destroyed {"by": "sam"}'
ISSUED = 'cards B-1 cards-issued {"table": "T1", "by": "sam"}'
RETURNED = 'cards B-1 cards-returned {"by": "sam"}'
SEALED = 'cards B-1 cards-sealed {"seal": "S-1", "by": "sam"}'
OPENED = 'cards B-1 seal-opened {"seal": "S-1", "by": "ann"}'
MADE = RECEIVED.replace("}", ', "seals": ["S-1"]}')
INSPECTED = 'cards B-1 cards-inspected {"by": "ann"}'
SHOE = 'shoe H-1 {"table": "T1", "batch": "B-1"}'
NEXT = 'shoe H-2 {"table": "T1", "batch": "B-1"}'
OPEN = 'table T1 table-opened {"inventory": 9, "crew": [{"post": "supervisor", "person": "sue"}]}'
IN_EUR = 'table T1 table-opened {"inventory": 9, "currency": "EUR"}'
IN_USD = IN_EUR.replace("EUR", "USD")
CLOSED = 'table T1 table-closed {"inventory": 9}'
WATCHED = 'cards B-1 cards-preshuffled {"by": "dora", "supervisor": "sue"}'
SUE_ELSEWHERE = 'table T1 crew-changed {"post": "supervisor", "person": "sid"}'
LEFT = 'shoe H-1 bet-abandoned {"coup": 1, "bet": 1}'
OVER = 'shoe H-1 shoe-ended {"left": 410, "reason": "withdrawn"}'
KEPT = 'table T1 abandoned-kept {"slip": "A", "amount": 1000, "shoe": "H-1", "coup": 1, "bet": 1}'
CLAIMED = 'table T1 abandoned-claimed {"slip": "A", "amount": 1000, "to": "p1"}'
SHUFFLED_BY_ANN = (
    'shoe H-1 fact-corrected {"version": 2, "reason": "it was ann", '
    '"instead": {"type": "shoe-shuffled", "by": "ann"}}'
)
REPORTS = "with custody.report_minutes = 15"
MARKED = 'cards B-1 cards-found-bad {"by": "dora", "marked": 1}'
REPORTED = 'cards B-1 defect-reported {"to": "surveillance", "by": "sue"}'
EVIDENCE = 'cards B-1 cards-sealed {"seal": "E-1", "by": "sue", "purpose": "evidence"}'
COUP_2 = (
    'shoe H-1 coup-opened {"coup": 2}',
    'shoe H-1 no-more-bets {"coup": 2}',
    'shoe H-1 card-drawn {"coup": 2, "hand": "player", "card": "4"}',
)
RED = RECEIVED.replace("}", ', "backs": ["red"]}')
BLUE = RED.replace("red", "blue")
CLASSIC = Pit().pack
PUT_BACK = "with custody.put_back = true"
ASKED = 'with approval.authority = "DICJ"'
NOTICE = "with approval.notice_days = 3"
APPROVED = (
    '{"approved_by": "sue", "authority": "DICJ", "approval": "1/2025", "noticed": "2025-12-28"}'
)


def adopted(rules: str = CLASSIC, by: str = "sue") -> str:
    """A table adopts a pack."""
    digest = summary_of(shoe_of([ev.ShoeLoaded(8, rules, "0" * 64)])).pack_sha256
    approved = f', "approved_by": "{by}"' if by else ""
    said = f'{{"pack": "classic-8", "version": "1", "pack_sha256": "{digest}"{approved}}}'
    return f"table T1 rule-pack-adopted {said}"


def shoe_with(back: str, name: str = "H-1") -> str:
    """A shoe that is loaded with decks of one colour."""
    return f'shoe {name} {{"table": "T1", "batch": "B-1", "backs": ["{back}"]}}'


OPEN_BANK = "rules deux-tableaux-france-open"
ENDED = ['shoe H-1 shoe-ended {"left": 312, "reason": "closing"}']


def session(
    name: str,
    session: int = 1,
    shoe: int = 1,
    *,
    day: int = 1,
    table: str | None = "T1",
    batch: str = "",
) -> list[str]:
    """A shoe that is called so."""
    cards = f', "batch": "{batch}"' if batch else ""
    at = f'"table": "{table}", ' if table else ""
    loads = f'{at}"decks": 6, "backs": ["red", "blue"]{cards}'
    said = f'"day": "2026-01-{day:02}", "session": {session}, "shoe": {shoe}'
    return [f"shoe {name} shoe-loaded {{{loads}}}", f"shoe {name} session-called {{{said}}}"]


NEAR: dict[str, list[list[str]]] = {
    "destroyed-cards-reused": [
        [RECEIVED, SHOE, DESTROYED],
        [RECEIVED, DESTROYED, RECEIVED, 'shoe H-1 {"batch": "B-1"}', DESTROYED],
    ],
    "cards-in-two-places": [
        [ISSUED, RETURNED, ISSUED.replace("T1", "T2"), RETURNED],
        # one return ends both issues to the table
        [ISSUED, ISSUED, RETURNED, ISSUED.replace("T1", "T2"), RETURNED],
        [RECEIVED, 'shoe H-1 {"batch": "B-1"}', 'shoe H-2 {"batch": "B-1"}'],
        # the record of the first shoe is corrected while its cards are in the next
        [RECEIVED, 'shoe H-1 {"batch": "B-1"}', 'shoe H-2 {"batch": "B-1"}', SHUFFLED_BY_ANN],
        # other cards under the name of the batch
        [RECEIVED, ISSUED, DESTROYED, RECEIVED, ISSUED.replace("T1", "T2")],
    ],
    "cards-not-issued-to-table": [
        [ISSUED, SHOE, NEXT, RETURNED],
        # the record of the shoe is corrected once its cards are back
        [ISSUED, SHOE, RETURNED, SHUFFLED_BY_ANN],
    ],
    "broken-seal": [
        [SEALED, ISSUED, OPENED, SHOE],
        [SEALED, SEALED.replace("S-1", "S-2"), OPENED.replace("S-1", "S-2"), OPENED,
         'cards B-1 cards-inspected {"by": "ann"}'],
        [MADE, OPENED, SHOE],
        # one of two boxes is opened, and the shoe filled from it
        [MADE.replace('"S-1"', '"S-1", "S-2"'), OPENED, SHOE],
        # cards of another delivery came without a seal
        [MADE, RECEIVED, SHOE],
        [MADE, SHOE.replace("B-1", "B-2")],
        # a seal of cards that were destroyed under it
        [RECEIVED, SEALED, DESTROYED, RECEIVED, INSPECTED, SHOE],
    ],
    "shoe-batch-mismatch": [
        [RECEIVED, 'shoe H-1 {"batch": "B-1", "backs": ["red"]}'],
        [RECEIVED.replace("}", ', "backs": ["red"]}'), 'shoe H-1 {"batch": "B-1"}'],
        [RECEIVED, RECEIVED, 'cards B-1 cards-destroyed {"by": "sam", "decks": 8}', SHOE],
        [RECEIVED, SHOE, 'cards B-1 cards-destroyed {"by": "sam", "decks": 4}'],
        # new cards of another colour
        [RED, shoe_with("red"), DESTROYED, BLUE, shoe_with("blue", "H-2")],
        # a shoe of each colour
        [RED, BLUE, shoe_with("red"), shoe_with("blue", "H-2")],
    ],
    "unsorted-cards": [
        [PUT_BACK, RECEIVED, SHOE, 'cards B-1 cards-sorted {"by": "ann"}', DESTROYED],
        [PUT_BACK, ISSUED, SHOE, NEXT, 'cards B-1 cards-sorted {"by": "ann"}', RETURNED, ISSUED],
        # the record of the shoe is corrected once its cards are sorted
        [PUT_BACK, RECEIVED, SHOE, 'cards B-1 cards-sorted {"by": "ann"}', SHUFFLED_BY_ANN,
         DESTROYED],
    ],
    "unapproved-burn-option": [
        [ASKED, f"adopted T1 {APPROVED}", SHOE],
        # the same option once more needs no other approval
        [ASKED, f"adopted T1 {APPROVED}", 'adopted T1 {"approved_by": "sue"}', SHOE],
    ],
    "unannounced-burn-option": [
        # 2026-01-01 is a Thursday: Monday, Tuesday and Wednesday lie in between
        [NOTICE, ASKED, f"adopted T1 {APPROVED}", SHOE],
        [NOTICE, ASKED, f"adopted T1 {APPROVED.replace('12-28', '12-26')}", SHOE],
    ],
    "overused-cards": [
        ["with custody.shoes = 2", RECEIVED, SHOE, NEXT],
        # other cards under the name of the batch
        ["with custody.shoes = 1", RECEIVED, SHOE, "+1m", DESTROYED, "+1m", RECEIVED, NEXT],
    ],
    "cards-too-long-on-table": [
        ["with custody.table_hours = 24", ISSUED, SHOE, "+23h", RETURNED, "+3d", RECEIVED],
        # cards that were destroyed are at no table
        ["with custody.table_hours = 24", RECEIVED, ISSUED, SHOE, "+23h", DESTROYED, "+3d",
         RECEIVED],
    ],
    "uninspected-cards": [
        ["with custody.inspected = true", 'cards B-1 cards-inspected {"by": "ann"}', SHOE, NEXT],
        ["with custody.inspected = true", RECEIVED,
         'shoe H-1 shoe-loaded {"batch": "B-1"}', 'shoe H-1 cards-inspected {"by": "ann"}',
         'shoe H-1 shoe-shuffled {"by": "ann"}', 'shoe H-1 shoe-cut {"by": "p1"}',
         'shoe H-1 stop-card-placed {"behind": 7}', 'shoe H-1 card-burned {"card": "Ac"}'],
        ["with custody.inspected = true", RECEIVED, INSPECTED, SHOE, DESTROYED, RECEIVED, INSPECTED,
         NEXT],
        # cards that came beside those that are left, and nobody knows which were dealt
        ["with custody.inspected = true", RECEIVED, INSPECTED, SHOE, RECEIVED, NEXT],
    ],
    "missing-preshuffle-receipt": [
        ["with custody.receipt = true", SHOE,
         'cards B-1 cards-preshuffled {"by": "d", "model": "M", "serial": "1", "receipt": "9"}'],
        ["with custody.receipt = true", SHOE, 'cards B-1 cards-inspected {"by": "ann"}',
         'cards B-1 cards-inspected {"by": "d", "model": "M", "serial": "1", "receipt": "9"}'],
    ],
    "preshuffle-supervisor-not-free": [
        ["with custody.free_supervisor = true", OPEN, CLOSED, WATCHED, 'shoe H-1 {"batch": "B-1"}'],
        ["with custody.free_supervisor = true", OPEN, SUE_ELSEWHERE, WATCHED,
         'shoe H-1 {"batch": "B-1"}'],
        ["with custody.free_supervisor = true", WATCHED, OPEN, 'shoe H-1 {"batch": "B-1"}'],
    ],
    "unverified-preshuffle": [
        ["with custody.free_supervisor = true", WATCHED, SHOE],
    ],
    "missing-preshuffle-recording": [
        ["with custody.recording_days = 7", 'shoe H-1 {"batch": "B-1"}',
         'cards B-1 cards-preshuffled {"by": "dora", "recording": "cam-7", "kept_days": 7}'],
    ],
    "card-inventory-mismatch": [
        [RECEIVED, 'cards B-1 cards-destroyed {"by": "sam", "decks": 1}',
         'cards B-1 cards-counted {"decks": 7, "by": "sue"}'],
    ],
    "late-card-reconciliation": [
        ["with custody.count_hours = 24", RECEIVED, "+20h",
         'cards B-1 cards-counted {"decks": 8, "by": "sue"}', 'shoe H-1 {"batch": "B-1"}', "+20h",
         DESTROYED],
        # between the destruction and the next delivery there is nothing to count
        ["with custody.count_hours = 24", RECEIVED, 'shoe H-1 {"batch": "B-1"}', DESTROYED, "+3d",
         RECEIVED, 'shoe H-2 {"batch": "B-1"}'],
    ],
    "late-stock-count": [
        ["with custody.stock_days = 92", RECEIVED, "+90d",
         'cards B-1 cards-counted {"decks": 8, "by": "sue", "kind": "stock"}', "+90d",
         'shoe H-1 {"batch": "B-1"}'],
    ],
    "unreported-bad-cards": [
        ["with custody.report_minutes = 15", 'shoe H-1 {"batch": "B-1"}',
         'cards B-1 cards-found-bad {"by": "dora", "marked": 1}', "+14m",
         'cards B-1 defect-reported {"to": "surveillance", "by": "sue"}', "+1h", RECEIVED],
        ['cards B-1 cards-found-bad {"by": "dora", "marked": 1}', "+9h",
         'cards B-1 defect-reported {"to": "surveillance", "by": "sue"}', RECEIVED],
    ],
    "bad-cards-reused": [
        [REPORTS, RECEIVED, SHOE, MARKED, REPORTED, EVIDENCE, DESTROYED],
        # another deck came for it, or the batch is another
        [REPORTS, MARKED, REPORTED, RECEIVED.replace("8", "9"), SHOE],
        # a card that lacked is there when they are looked over
        [REPORTS, MARKED.replace("marked", "missing"), REPORTED, INSPECTED, SHOE],
    ],
    "unreported-miscount": [
        [ISSUED, SHOE, RETURNED],
    ],
    "unmatched-batch-event": [
        [MADE, OPENED],
        [RECEIVED, *['cards B-1 cards-destroyed {"by": "sam", "decks": 4}'] * 2],
        # how many there were before the record began is not known
        ['cards B-1 cards-inspected {"by": "ann"}',
         *['cards B-1 cards-destroyed {"by": "sam", "decks": 6}'] * 2],
    ],
    "abandoned-bet-not-kept": [
        ['with abandoned_bets = "kept"', OPEN, f"{SHOE} open", LEFT, KEPT, OVER],
        # an open shoe: whoever found the bet may still put the money by
        ['with abandoned_bets = "kept"', OPEN, f"{SHOE} open", LEFT],
    ],
    "wrong-abandoned-bet-amount": [
        ['with abandoned_bets = "kept"', f"{SHOE} open", LEFT, KEPT, OVER],
        # the slip is of another table's tray
        ['with abandoned_bets = "kept"', f"{SHOE} open", LEFT, KEPT.replace("T1", "T2"), OVER],
    ],
    "wrong-abandoned-bet-payout": [
        ['with abandoned_bets = "kept"', f"{SHOE} open", LEFT, KEPT, OVER, CLAIMED],
        # whose bet it was the record does not say
        [KEPT, CLAIMED.replace("p1", "p7")],
    ],
    "rules-not-adopted": [
        [adopted(), SHOE],
        [adopted("another text"), adopted(), SHOE],
    ],
    "unmatched-table-event": [[OPEN, CLOSED, OPEN, CLOSED]],
    "currency-of-another-table": [
        # the table is reopened in US dollars once the shoe in euros was dealt
        [IN_EUR, SHOE, CLOSED, IN_USD],
        [IN_USD, CLOSED, IN_EUR, SHOE],
        [IN_EUR, CLOSED, OPEN, SHOE],
        [IN_EUR.replace("EUR", "eur"), SHOE],
    ],
    "play-at-closed-table": [
        [OPEN, SHOE, CLOSED],
        [OPEN, CLOSED, OPEN, SHOE],
        # the record of the table begins with its closing
        [SHOE, CLOSED],
    ],
    "two-shoes-at-table": [
        # the next one is prepared while this one is dealt
        ['shoe H-1 {"table": "T1"} open', 'shoe H-2 shoe-loaded {"table": "T1"}', *COUP_2,
         'shoe H-3 {"table": "T1"}'],
    ],
    "shoe-not-rotated": [
        ['with custody.tie_chance = "1/1000"', "days 4 1:T1 2:T2 3:T3 4:T4",
         "days 4 2:T1 3:T2 4:T3 1:T4", "days 4 4:T1 1:T2 2:T3 3:T4"],
        # one shoe at one table proves nothing: it has nowhere else to be
        ['with custody.tie_chance = "1/1000"', "days 40 1:T1"],
    ],
    "shoe-at-two-tables": [
        ['shoe H-1 {"table": "T1", "sabot": "7"}', 'shoe H-2 {"table": "T2", "sabot": "7"}'],
        ['shoe H-1 shoe-loaded {"table": "T1", "sabot": "7"}',
         'shoe H-2 shoe-loaded {"table": "T2", "sabot": "8"}',
         'shoe H-1 shoe-shuffled {"by": "ann"}'],
        # a slip in the record of the first shoe is corrected after its end
        ['shoe H-1 {"table": "T1", "sabot": "7"}', 'shoe H-2 {"table": "T2", "sabot": "7"}',
         SHUFFLED_BY_ANN],
    ],
    "wrong-first-banker": [
        ['shoe H-1 {"table": "T1"} open', 'shoe H-1 shoe-taken {"by": "p1"}',
         'shoe H-1 shoe-passed {"by": "p1", "reason": "pack-ended"}',
         'shoe H-2 {"table": "T1", "banked": "p1"}'],
        # the game goes on at another table, or from nobody who is known
        ['shoe H-1 {"table": "T1"} open', 'shoe H-1 shoe-taken {"by": "p1"}',
         'shoe H-2 {"table": "T2"}', 'shoe H-3 {"table": "T2", "banked": "p2"}'],
    ],
    "repeated-session-shoe": [
        [OPEN_BANK, *session("H-1"), *session("H-2", day=2)],
        [OPEN_BANK, *session("H-1"), *session("H-2", table="T2")],
    ],
    "cards-from-other-session": [
        [OPEN_BANK, *session("H-1", batch="B-1"), *session("H-2", shoe=2, batch="B-1")],
        [OPEN_BANK, *session("H-1", batch="B-1"), *session("H-2", 2, batch="B-2"),
         *session("H-3", 2, 2, batch="B-2")],
        # a table that is not on record may be the other one
        [OPEN_BANK, *session("H-1", batch="B-1", table=None),
         *session("H-2", shoe=2, batch="B-1")],
        [OPEN_BANK, *session("H-1", batch="B-1"),
         *session("H-2", shoe=2, batch="B-1", table=None)],
        # what was destroyed and delivered anew under the same name is new
        [OPEN_BANK, RECEIVED.replace("8", "6"), INSPECTED, *session("H-1", batch="B-1"), *ENDED,
         'cards B-1 cards-sorted {"by": "ann"}', DESTROYED, RECEIVED.replace("8", "6"), INSPECTED,
         *session("H-2", 2, batch="B-1")],
    ],
}  # fmt: skip


def played(steps: list[str]) -> Pit:
    return Pit.of("\n".join(steps))


NEAR_MISSES = [
    # the example of cards that come in another session has other cards there: nothing to look at
    *(
        (rule.code, rule.keeps.splitlines())
        for rule in FLOOR_RULES
        if rule.code != "cards-from-other-session"
    ),
    *((code, steps) for code, many in NEAR.items() for steps in many),
]
"""Each rule's own, and more."""


@slow
@for_each(("code", "steps"), NEAR_MISSES)
def test_a_near_miss_is_clean_and_was_looked_at(code, steps):
    pit = played(steps)
    audit = audit_floor(pit.floor())
    assert audit.findings == []
    assert [each for shoe in pit.shoes() for each in audit_shoe(shoe).findings] == []
    (verdict,) = [verdict for verdict in audit.verdicts if verdict.code == code]
    assert verdict.result == "pass", verdict


BREAKS: list[tuple[str, list[str]]] = [
    # the cards of the second delivery were not sorted
    ("unsorted-cards",
     [PUT_BACK, RECEIVED, SHOE, 'cards B-1 cards-sorted {"by": "ann"}', DESTROYED, RECEIVED, NEXT,
      DESTROYED]),
    ("destroyed-cards-reused", [RECEIVED, DESTROYED, SHOE]),
    ("destroyed-cards-reused", [RECEIVED, DESTROYED, ISSUED, SHOE, RETURNED]),
    # cards that came afterwards do not make up for it
    ("destroyed-cards-reused", [RECEIVED, DESTROYED, ISSUED, RETURNED, RECEIVED]),
    ("destroyed-cards-reused", [RECEIVED, DESTROYED, SHOE, RECEIVED]),
    # nor does it if the cards that were sealed for it are destroyed in the end
    ("destroyed-cards-reused",
     ['cards B-1 cards-sealed {"seal": "S-9", "by": "sam", "purpose": "destruction"}',
      'cards B-1 seal-opened {"seal": "S-9", "by": "sam"}', SHOE, DESTROYED]),
    ("destroyed-cards-reused",
     ['cards B-1 cards-sealed {"seal": "S-9", "by": "sam", "purpose": "destruction"}',
      'cards B-1 seal-opened {"seal": "S-9", "by": "sam"}', ISSUED]),
    ("cards-in-two-places",
     ['shoe H-1 shoe-loaded {"batch": "B-1"}', 'shoe H-2 {"batch": "B-1"}', RECEIVED,
      'shoe H-1 shoe-shuffled {"by": "ann"}']),
    ("cards-not-issued-to-table", [ISSUED.replace("T1", "T2"), SHOE]),
    ("cards-not-issued-to-table", [SHOE, "+1h", ISSUED]),
    # the issue was of the cards that were destroyed
    ("cards-not-issued-to-table", [RECEIVED, ISSUED, SHOE, DESTROYED, RECEIVED, NEXT]),
    ("cards-not-issued-to-table",
     [ISSUED, f"{SHOE} open", RETURNED, OVER]),
    ("broken-seal", [SEALED, SHOE]),
    ("broken-seal",
     [SEALED, 'cards B-1 seal-opened {"seal": "S-1", "by": "ann", "intact": false}']),
    ("broken-seal", [SEALED, 'cards B-1 cards-inspected {"by": "ann"}', OPENED]),
    ("broken-seal", [MADE, OPENED.replace("}", ', "intact": false}'), SHOE]),
    ("broken-seal", [MADE, OPENED.replace("S-1", "S-2"), SHOE]),
    ("broken-seal", [MADE, SHOE, NEXT]),
    ("broken-seal", [MADE, SHOE, OPENED]),
    ("broken-seal",
     [RECEIVED, SHOE, DESTROYED, MADE, SHOE.replace("H-1", "H-2")]),
    ("unmatched-batch-event", [MADE, OPENED, OPENED]),
    ("unmatched-batch-event",
     [RECEIVED, *['cards B-1 cards-destroyed {"by": "sam", "decks": 6}'] * 2]),
    ("shoe-batch-mismatch",
     [RECEIVED, 'cards B-1 cards-destroyed {"by": "sam", "decks": 4}', SHOE]),
    ("shoe-batch-mismatch",
     [RECEIVED, RECEIVED, 'cards B-1 cards-destroyed {"by": "sam", "decks": 9}', SHOE]),
    ("shoe-batch-mismatch", [RECEIVED.replace("8", "6"), SHOE]),
    # the cards that make up for it came later
    ("shoe-batch-mismatch", [RECEIVED.replace("8", "6"), SHOE, RECEIVED]),
    ("shoe-batch-mismatch", [RED, DESTROYED, BLUE, shoe_with("red")]),
    # a shoe of all cards has all colours
    ("shoe-batch-mismatch",
     [RED.replace("8", "4"), BLUE.replace("8", "4"), shoe_with("red")]),
    ("cards-too-long-on-table",
     ["with custody.table_hours = 24", ISSUED, SHOE, "+25h", NEXT]),
    ("cards-too-long-on-table",
     ["with custody.table_hours = 24", RECEIVED, ISSUED, SHOE, "+25h", DESTROYED]),
    ("uninspected-cards",
     ["with custody.inspected = true", SHOE, 'cards B-1 cards-inspected {"by": "ann"}']),
    ("uninspected-cards",
     ["with custody.inspected = true", RECEIVED, INSPECTED, SHOE, DESTROYED, RECEIVED, NEXT]),
    ("missing-preshuffle-recording",
     ["with custody.recording_days = 7", SHOE, 'cards B-1 cards-preshuffled {"by": "dora"}']),
    ("unreported-bad-cards",
     ['cards B-1 cards-found-bad {"by": "dora", "extra": 1}', "+1m", RECEIVED]),
    # the cards were loaded, and nothing else was done with them
    ("unreported-bad-cards", [MARKED, SHOE]),
    ("bad-cards-reused",
     [REPORTS, RECEIVED, EVIDENCE, OPENED.replace("S-1", "E-1"), ISSUED, SHOE]),
    ("bad-cards-reused", [REPORTS, RECEIVED, SHOE, MARKED, REPORTED, INSPECTED, NEXT]),
    ("destroyed-cards-reused", [RECEIVED, DESTROYED, 'cards B-1 cards-sorted {"by": "ann"}']),
    ("play-at-closed-table", [OPEN, CLOSED, SHOE, "+9h", OPEN]),
    ("play-at-closed-table", [OPEN, f"{SHOE} open", CLOSED, *COUP_2]),
    ("wrong-abandoned-bet-amount",
     ['with abandoned_bets = "kept"', SHOE, KEPT]),
    ("wrong-abandoned-bet-amount",
     ['with abandoned_bets = "kept"', f"{SHOE} open", LEFT, KEPT, KEPT.replace('"A"', '"B"'), OVER,
      CLAIMED, CLAIMED.replace('"A"', '"B"')]),
    ("wrong-abandoned-bet-payout", [CLAIMED]),
    ("wrong-abandoned-bet-payout",
     ['with abandoned_bets = "kept"', f"{SHOE} open", LEFT, KEPT, OVER,
      CLAIMED.replace("p1", "p2")]),
    # the chips were kept at another table than the bet
    ("wrong-abandoned-bet-payout",
     ['with abandoned_bets = "kept"', f"{SHOE} open", LEFT, KEPT.replace("T1", "T2"), OVER,
      CLAIMED.replace("T1", "T2").replace("p1", "p2")]),
    ("repeated-session-shoe",
     [OPEN_BANK, *session("H-1"), *session("H-2", 2), *session("H-3")]),
    # the next day is another session, and so is that of another table
    ("cards-from-other-session",
     [OPEN_BANK, *session("H-1", batch="B-1"), *session("H-2", day=2, batch="B-1")]),
    ("cards-from-other-session",
     [OPEN_BANK, *session("H-1", batch="B-1"), *session("H-2", table="T2", batch="B-1")]),
    ("cards-from-other-session",
     [OPEN_BANK, *session("H-1", batch="B-1", table=None),
      *session("H-2", 2, batch="B-1", table=None)]),
    ("rules-not-adopted", [adopted("another text"), SHOE]),
    ("currency-of-another-table", [IN_EUR, CLOSED, IN_USD, SHOE]),
    ("currency-of-another-table", [SHOE, CLOSED, IN_USD]),
    ("unmatched-table-event", ['table T1 shoe-shuffled {"by": "ann"}']),
    ("unmatched-batch-event", [RECEIVED, 'cards B-1 shoe-shuffled {"by": "ann"}']),
    # the last event of a shoe that has not ended shows it, whatever it is
    ("shoe-at-two-tables",
     ['shoe H-1 shoe-loaded {"table": "T1", "sabot": "7"}',
      'shoe H-2 shoe-loaded {"table": "T2", "sabot": "7"}',
      'shoe H-1 shoe-shuffled {"by": "ann"}']),
    ("rules-not-adopted", [adopted(), SHOE, adopted("another text"), NEXT]),
]  # fmt: skip


@for_each(("code", "steps"), BREAKS)
def test_more_ways_to_break_a_rule(code, steps):
    pit = played(steps)
    (found,) = audit_floor(pit.floor()).findings
    assert found.code == code
    at = {event.index: type(event.payload) for event in pit.events}
    assert {at[index] for index in found.events} <= set(find_rule(code).breach_events)


@for_each(
    ("code", "shown"),
    [
        ("shoe-at-two-tables", ["any event of a shoe"]),
        ("cards-in-two-places", ["cards-issued", "any event of a shoe"]),
        ("unmatched-batch-event", ["any event"]),
    ],
)
def test_a_rule_names_the_events_that_it_shows(code, shown):
    assert shown_by(find_rule(code)) == shown


def found_in(steps: list[str]) -> list[Finding]:
    return audit_floor(played(steps).floor()).findings


def test_a_finding_says_where_who_and_which_events():
    wrong = ['with abandoned_bets = "kept"', f"{SHOE} open", LEFT, KEPT.replace("1000", "700")]
    (kept,) = found_in(wrong)
    assert (kept.stream, kept.shoe, kept.coup, kept.patron) == ("table/T1", "H-1", 1, "p1")
    assert (kept.money.house, kept.money.patrons, kept.money.currency) == (300, {"p1": -300}, "EUR")
    pit = played(wrong)
    (event,) = pit.streams["table/T1"]
    assert (kept.events[0], kept.at_us, kept.clock) == (event.index, event.at_us, "table")


def test_who_holds_the_next_shoe_wrongly_is_shown_by_who_held_the_last():
    taken = ['shoe H-1 {"table": "T1"} open', 'shoe H-1 shoe-taken {"by": "p1"}', OVER]
    for before, kind in (
        (taken, ev.ShoeTaken),
        (['shoe H-1 {"table": "T1", "banked": "p1"} open', OVER], ev.ShoeLoaded),
    ):
        pit = played([*before, 'shoe H-2 {"table": "T1", "banked": "p2"}'])
        (found,) = audit_floor(pit.floor()).findings
        shown = {each.index: each.payload for shoe in pit.shoes() for each in shoe.history}
        assert [type(shown[index]) for index in found.events] == [ev.ShoeLoaded, kind]


def test_what_was_kept_twice_of_one_bet_is_the_house_s_loss():
    (kept,) = found_in(
        ['with abandoned_bets = "kept"', f"{SHOE} open", LEFT, KEPT, KEPT.replace('"A"', '"B"')]
    )
    # 500 and the 500 that it won lay there, and are p1's: 1000 too much were put by
    assert (kept.money.house, kept.money.patrons) == (-1000, {"p1": 1000})


def test_two_slips_of_one_bet_that_come_to_it_together_are_right():
    first, second = KEPT.replace("1000", "300"), KEPT.replace("1000", "700").replace('"A"', '"B"')
    assert (
        found_in(['with abandoned_bets = "kept"', f"{SHOE} open", LEFT, first, second, OVER]) == []
    )


def test_a_slip_of_a_table_without_shoes_is_judged_by_the_pack_of_the_bet():
    steps = [f"{SHOE} open", LEFT, KEPT.replace("1000", "700").replace("T1", "T2"), OVER]
    (kept,) = found_in(['with abandoned_bets = "kept"', *steps])
    assert (kept.number, kept.stream, kept.money.patrons) == ("F608", "table/T2", {"p1": -300})
    # the next shoe of T2 has a pack that requires it
    assert found_in([*steps, 'with abandoned_bets = "kept"', 'shoe H-2 {"table": "T2"}']) == []


def test_what_somebody_else_got_is_still_due_to_the_owner():
    steps = ['with abandoned_bets = "kept"', OPEN, f"{SHOE} open", LEFT, KEPT, OVER]
    (paid,) = found_in([*steps, CLAIMED.replace("p1", "p2"), CLAIMED])
    assert (paid.number, paid.money.patrons) == ("F609", {"p2": 1000})
    # 5.00 too much, and then 1.00 more
    more = [CLAIMED.replace("1000", str(amount)) for amount in (1500, 100)]
    found = found_in([*steps, *more])
    assert [each.money.patrons for each in found] == [{"p1": 500}, {"p1": 100}]


def test_money_kept_of_a_bet_that_nobody_left_is_of_nobody_known():
    (kept,) = found_in(['with abandoned_bets = "kept"', SHOE, KEPT])
    assert kept.money.house is None
    assert kept.money.unknown == ("the owner of a kept bet is unknown: no such bet was abandoned")


@pytest.mark.parametrize(
    ("code", "reason", "steps"),
    [
        ("wrong-abandoned-bet-amount", "shoe H-9, of which a bet was kept, is not on record",
         ['with abandoned_bets = "kept"', SHOE, KEPT.replace("H-1", "H-9")]),
        ("card-inventory-mismatch", "the record of the cards does not begin with their delivery",
         ['cards B-1 cards-counted {"decks": 8, "by": "sue"}']),
        # cards in use before the record began, and more of them
        ("card-inventory-mismatch", "the record of the cards does not begin with their delivery",
         ['cards B-1 cards-counted {"decks": 8, "by": "sue"}', RECEIVED,
          'cards B-1 cards-counted {"decks": 16, "by": "sue"}']),
        # the shoe was dealt by another rule pack
        ("unapproved-burn-option", "no shoe of the table has the adopted rule pack",
         [SHOE, ASKED, f"adopted T1 {APPROVED}"]),
        ("missing-preshuffle-recording",
         "the record does not say how long the recording of a pre-shuffle is kept",
         ["with custody.recording_days = 7", SHOE,
          'cards B-1 cards-preshuffled {"by": "dora", "recording": "cam-7"}']),
        # the shoe that names its batch is of a rule pack that requires no issue
        ("unrecorded-batch", "no shoe whose rule pack requires recorded issues names its batch",
         ["with custody.issued = true", 'shoe H-1 {"table": "T1"}', "rules classic-8",
          'shoe H-2 {"batch": "B-1"}']),
        ("shoe-at-two-tables", "no dealing shoe has its number and its table on record",
         ['shoe H-1 shoe-loaded {"sabot": "7"}', 'shoe H-2 shoe-loaded {"sabot": "7"}',
          'shoe H-1 shoe-shuffled {"by": "ann"}']),
    ],
)  # fmt: skip
def test_what_the_record_does_not_say_is_not_passed(code, reason, steps):
    audit = audit_floor(played(steps).floor())
    (verdict,) = [each for each in audit.verdicts if each.code == code]
    assert (verdict.result, verdict.reasons) == ("not-applicable", {reason: 1})
    assert audit.findings == []


def test_a_shoe_before_the_first_adoption_is_told_of_beside_those_that_are_judged():
    audit = audit_floor(played([SHOE, adopted(), NEXT]).floor())
    (verdict,) = [v for v in audit.verdicts if v.code == "rules-not-adopted"]
    assert (verdict.result, verdict.reasons) == (
        "pass", {"a shoe was loaded before the first adoption on record": 1},
    )  # fmt: skip


def test_a_shoe_that_may_have_been_loaded_before_the_first_adoption_is_not_judged():
    steps = [SHOE, adopted("another text")]
    assert found_in(["with clocks.tolerance_ms = 120000", *steps]) == []
    assert found_in(["with clocks.tolerance_ms = 120000", *reversed(steps)]) == []
    steps = [adopted("another text"), "+3m", SHOE]
    (found,) = found_in(["with clocks.tolerance_ms = 120000", *steps])
    assert found.code == "rules-not-adopted"


def test_the_first_event_is_what_a_tie_is_about_and_its_chance_is_exact():
    (*ties,) = found_in(['with custody.tie_chance = "1/1000"', "days 7 1:T1 2:T2 3:T3 4:T4"])
    assert [found.stream for found in ties] == ["floor"] * 4
    # 4 shoes, 4 tables: 16 pairs, each together on 7 of 7 days with a chance of 4 ** -7
    assert {found.observed for found in ties} == {"exact chance at most 1 in 1024"}


def test_without_custody_tables_or_shoes_each_rule_says_so():
    skipped = {v.code: v.reasons for v in audit_floor(floor_of([], [], [])).verdicts}
    assert set(skipped) == {each.code for each in FLOOR_RULES}
    assert {reason for reasons in skipped.values() for reason in reasons} == {
        NO_BATCH.text, NO_TABLE.text, NO_SHOE.text, NO_CORRECTION.text,
    }  # fmt: skip


def test_shoes_alone_are_clean_and_every_rule_says_why_it_did_not_look():
    audit = audit_floor(played(['shoe H-1 {"table": "T1"}', 'shoe H-2 {"batch": "B-1"}']).floor())
    assert audit.findings == []
    assert {verdict.result for verdict in audit.verdicts} == {"not-applicable"}
    assert all(verdict.reasons for verdict in audit.verdicts)


def test_every_rule_answers_on_every_floor():
    texts = [EXAMPLES[each.code] for each in FLOOR_RULES]
    for text in texts:
        for verdict in audit_floor(Pit.of(text).floor()).verdicts:
            assert verdict.checked or verdict.reasons, verdict
            assert (verdict.result == "not-applicable") == (verdict.checked == 0), verdict


def test_clocks_within_the_tolerance_of_the_pack_prove_nothing():
    text = [f"{SHOE} open", ISSUED, OVER]
    assert [found.code for found in found_in(text)] == ["cards-not-issued-to-table"]
    assert found_in(["with clocks.tolerance_ms = 120000", *text]) == []


def test_a_report_counts_the_floor_or_says_why_it_was_left():
    pit = played([ISSUED, ISSUED.replace("T1", "T2"), OPEN, SHOE])
    report = AuditReport()
    for shoe in pit.shoes():
        report.add(audit_shoe(shoe))
    report.add_floor(audit_floor(floor_of(pit.floor().batches.values(), [], report.traces)))
    assert (report.shoes, report.batches, report.tables) == (1, 1, 0)
    assert report.rules["cards-in-two-places"].result == "fail"
    assert report.rules["unmatched-table-event"].reasons == {NO_TABLE.text: 1}
    left = AuditReport()
    left.leave_floor(ONLY_SOME)
    assert left.rules["card-inventory-mismatch"].result == "not-applicable"


@given(
    st.lists(any_events.payloads(), max_size=15),
    st.lists(any_events.payloads(), max_size=10),
    st.lists(any_events.payloads(), max_size=15),
)
def test_no_history_however_absurd_crashes_the_audit(of_shoe, of_table, of_cards):
    shoe = shoe_of([any_events.loaded(), *of_shoe], "shoe/p1")
    batch = fold_batch("cards/p1", events_of(of_cards, "cards/p1"))
    table = fold_table("table/T1", events_of(of_table, "table/T1"))
    audit = audit_floor(floor_of([batch], [table], [summary_of(shoe)]))
    marks = [found.fingerprint for found in audit.findings]
    assert len(set(marks)) == len(marks)
    assert [verdict.code for verdict in audit.verdicts] == [each.code for each in FLOOR_RULES]


# -- Live ---------------------------------------------------------------------------------------


def told_live(pit: Pit) -> list[str]:
    """Fingerprints of what is told of the floor, event by event."""
    live = LiveFloor(floor_of([], [], []))
    shoes: dict[str, Shoe] = {}
    told: list[str] = []
    for event in pit.events:
        if event.stream.startswith("shoe/"):
            shoe = evolve(shoes.get(event.stream) or Shoe(event.stream), event)
            shoes[event.stream] = shoe
            live.note_shoe(shoe, [event])
        else:
            live.add(event)
        told += [each.finding.fingerprint for each in live.changes() if each.told == "found"]
    return told


@for_each("code", [each.code for each in FLOOR_RULES])
def test_all_that_an_audit_finds_is_told_once_as_it_happens(code):
    pit = Pit.of(EXAMPLES[code])
    told = told_live(pit)
    assert len(set(told)) == len(told)
    due = {
        each.fingerprint for each in audit_floor(pit.floor()).findings if find_rule(each.code).live
    }
    assert due <= set(told)
    assert bool(due) is find_rule(code).live


@slow
@for_each("steps", [steps for _, steps in NEAR_MISSES])
def test_a_near_miss_is_not_told_on_the_way(steps):
    assert told_live(played(steps)) == []


def test_a_watch_tells_a_breach_of_the_floor_between_those_of_shoes(log):
    pit = Pit.of(EXAMPLES["cards-in-two-places"])
    watch = AuditFollower(log, 0, floor=floor_of([], [], []))
    first, second = [NewEvent(e.stream, e.payload, e.at_us) for e in pit.events]
    log.append([first])
    assert watch.take(log.read("cards/B-1")) == []
    log.append([second])
    (news,) = watch.take(log.read("cards/B-1", after=1))
    found = news.finding
    assert (found.code, found.stream) == ("cards-in-two-places", "cards/B-1")
    with pytest.raises(UntrustedLog, match="version 3 is missing"):
        watch.take(
            [RecordedEvent(9, "cards/B-1", 4, 1, 1, "", "", None, second.payload, position=4)]
        )


def test_events_with_a_clock_and_events_without_one_are_not_put_in_order():
    pit = played([SHOE, "+1h", ISSUED])
    (shoe,) = pit.shoes()
    unclocked = [replace(event, at_us=None) for event in pit.streams["cards/B-1"]]
    audit = audit_floor(floor_of([fold_batch("cards/B-1", unclocked)], [], [summary_of(shoe)]))
    assert audit.findings == []
    skipped = {verdict.code: verdict.reasons for verdict in audit.verdicts}
    assert skipped["cards-not-issued-to-table"] == {NO_CLOCK: 1}
    assert skipped["unmatched-batch-event"] == {}


def test_cards_issued_to_two_tables_are_found_beside_a_shoe_without_a_clock():
    """The order of the issues is known, that of the two shoes of the cards is not."""
    code = "cards-in-two-places"
    alone = [ISSUED, ISSUED.replace("T1", "T2"), SHOE.replace('"T1"', '"T2"')]
    (found,) = without_clock(alone, "H-1").findings
    assert found.code == code
    audit = without_clock([*alone, NEXT.replace('"T1"', '"T2"')], "H-1")
    (verdict,) = [each for each in audit.verdicts if each.code == code]
    assert (verdict.result, verdict.reasons) == ("fail", {NO_CLOCK: 1})
    audit = without_clock([RECEIVED, SHOE, NEXT], "H-1")
    (verdict,) = [each for each in audit.verdicts if each.code == code]
    assert (verdict.result, verdict.reasons) == ("not-applicable", {NO_CLOCK: 1})


def test_two_shoes_at_one_table_are_judged_beside_an_imported_shoe_at_another():
    """The imported shoe has no times of its table."""
    breaks = find_rule("two-shoes-at-table").breaks.splitlines()
    (found,) = without_clock([*breaks, 'shoe H-3 {"table": "T2"}'], "H-3").findings
    assert found.code == "two-shoes-at-table"


ROTATED = find_rule("shoe-not-rotated").breaks.splitlines()
BANKER = find_rule("wrong-first-banker").breaks.splitlines()
OTHER_SESSION = find_rule("cards-from-other-session").breaks.splitlines()


@for_each(
    ("code", "steps"),
    [
        ("shoe-at-two-tables",
         [*find_rule("shoe-at-two-tables").breaks.splitlines(), 'shoe H-9 {"table": "T3"}']),
        ("shoe-at-two-tables",
         [*find_rule("shoe-at-two-tables").breaks.splitlines(),
          'shoe H-9 {"table": "T3", "sabot": "8"}']),
        ("shoe-not-rotated", [*ROTATED, 'shoe H-9 {"table": "T3"}']),
        ("wrong-first-banker", [*BANKER, 'shoe H-9 {"table": "T2", "banked": "p2"}']),
        ("cards-from-other-session", [*OTHER_SESSION, *session("H-9", 2, batch="B-2")]),
    ],
)  # fmt: skip
def test_a_rule_looks_only_at_the_clocks_of_what_it_compares(code, steps):
    assert code in {each.code for each in without_clock(steps, "H-9").findings}


@for_each(
    ("code", "steps"),
    [
        ("shoe-at-two-tables",
         ['shoe H-1 shoe-loaded {"table": "T1", "sabot": "7"}',
          'shoe H-9 shoe-loaded {"table": "T2", "sabot": "7"}',
          'shoe H-1 shoe-shuffled {"by": "ann"}']),
        ("shoe-not-rotated", [*ROTATED, 'shoe H-9 {"table": "T3", "sabot": "5"}']),
        # it may have been dealt between the other two
        ("wrong-first-banker", [*BANKER, 'shoe H-9 {"table": "T1"}']),
        ("cards-from-other-session",
         [OPEN_BANK, *session("H-1", batch="B-1"), *session("H-9", 2, batch="B-1")]),
    ],
)  # fmt: skip
def test_what_is_compared_with_a_shoe_without_a_clock_is_not_judged(code, steps):
    audit = without_clock(steps, "H-9")
    (verdict,) = [each for each in audit.verdicts if each.code == code]
    assert verdict.result == "not-applicable"
    assert set(verdict.reasons) == {NO_CLOCK}


def test_the_time_of_cards_at_a_table_is_not_taken_from_another_kind_of_clock():
    """A table opens a day after its cards were issued. No return of the cards is on record."""
    opened = 'table T1 table-opened {"inventory": 1000}'
    pit = played(["with custody.table_hours = 24", ISSUED, SHOE, "+25h", opened])
    code = "cards-too-long-on-table"
    assert code in {each.code for each in audit_floor(pit.floor()).findings}
    pit.streams["table/T1"] = [replace(each, at_us=None) for each in pit.streams["table/T1"]]
    assert code not in {each.code for each in audit_floor(pit.floor()).findings}


def without_clock(steps: list[str], shoe: str) -> FloorAudit:
    """Audit a floor on which the events of a shoe have no times of the table's clock."""
    pit = played(steps)
    pit.streams[f"shoe/{shoe}"] = [
        replace(event, at_us=None) for event in pit.streams[f"shoe/{shoe}"]
    ]
    return audit_floor(pit.floor())


def unclocked(steps: list[str], *kinds: type) -> FloorAudit:
    """Audit streams of whose events some kinds have no clock of the table."""
    pit = played(steps)
    batch = [
        replace(event, at_us=None) if isinstance(event.payload, kinds) else event
        for event in pit.streams["cards/B-1"]
    ]
    shoes = map(summary_of, pit.shoes())
    return audit_floor(floor_of([fold_batch("cards/B-1", batch)], [], shoes))


def of_batch(audit: FloorAudit) -> tuple[str, int, dict[str, int]]:
    (verdict,) = [each for each in audit.verdicts if each.code == "shoe-batch-mismatch"]
    return verdict.result, verdict.checked, verdict.reasons


def test_which_decks_were_destroyed_before_a_shoe_is_not_known_without_clocks():
    four_gone = 'cards B-1 cards-destroyed {"by": "sam", "decks": 4}'
    audit = unclocked([RECEIVED, four_gone, SHOE], CardsDestroyed)
    assert (audit.findings, of_batch(audit)) == ([], ("not-applicable", 0, {NO_CLOCK: 1}))
    # no more than six can be there, whatever was destroyed and when
    audit = unclocked([RECEIVED.replace("8", "6"), four_gone, SHOE], CardsDestroyed)
    assert [each.expected for each in audit.findings] == ["6 decks at most"]
    assert of_batch(audit) == ("fail", 1, {})


def test_what_is_surely_wrong_of_a_shoe_is_told_beside_what_nobody_knows_of_it():
    purple = RECEIVED.replace("}", ', "backs": ["purple"]}')
    red = SHOE.replace("}", ', "backs": ["red"]}')
    audit = unclocked([purple, DESTROYED, red], CardsDestroyed)
    assert [each.expected for each in audit.findings] == ["backs purple"]
    assert of_batch(audit) == ("fail", 1, {NO_CLOCK: 1})


def test_events_that_all_lack_a_clock_stand_as_the_log_got_them():
    pit = played([SHOE, ISSUED])
    bare = [replace(event, at_us=None) for event in pit.events]
    shoe = fold_shoe("shoe/H-1", [event for event in bare if event.stream == "shoe/H-1"])
    batch = fold_batch("cards/B-1", [event for event in bare if event.stream == "cards/B-1"])
    (found,) = audit_floor(floor_of([batch], [], [summary_of(shoe)])).findings
    assert (found.code, found.clock) == (
        "cards-not-issued-to-table", "recorded",
    )  # fmt: skip


# -- What packs require ----------------------------------------------------------------------------


def test_a_supervisor_known_from_the_shoe_alone_had_an_open_table() -> None:
    pit = Pit.of("with custody.free_supervisor = true")
    pit.shoe("H-1", ended=False, table="T1", crew=[{"post": "supervisor", "person": "sue"}])
    pit.step('cards B-1 cards-preshuffled {"by": "dora", "supervisor": "sue"}')
    pit.step('shoe H-1 shoe-ended {"left": 410, "reason": "withdrawn"}')
    pit.step('shoe H-2 {"batch": "B-1"}')
    (found,) = audit_floor(pit.floor()).findings
    assert found.code == "preshuffle-supervisor-not-free"
    assert found.observed == "supervisor of T1"


def test_a_post_at_a_table_without_a_clock_is_not_compared_with_a_preshuffle() -> None:
    steps = ["with custody.free_supervisor = true", OPEN, WATCHED, 'shoe H-1 {"batch": "B-1"}']
    pit = played(steps)
    code = "preshuffle-supervisor-not-free"
    assert [each.code for each in audit_floor(pit.floor()).findings] == [code]
    pit.streams["table/T1"] = [replace(each, at_us=None) for each in pit.streams["table/T1"]]
    audit = audit_floor(pit.floor())
    (verdict,) = [each for each in audit.verdicts if each.code == code]
    assert (audit.findings, verdict.reasons) == ([], {NO_CLOCK: 1})


@for_each("inspected", [[], [INSPECTED]])
def test_the_coups_of_a_shoe_alone_do_not_show_whether_its_cards_were_inspected(inspected) -> None:
    asked = ["with custody.inspected = true", RECEIVED, *inspected]
    audit = audit_floor(played([*asked, SHOE.replace("}", ', "scope": "coups"}')]).floor())
    assert audit.findings == []
    expected = "pass" if inspected else "not-applicable"
    assert result_on(audit, "uninspected-cards") == expected


def test_a_supervisor_who_was_relieved_had_none() -> None:
    pit = Pit.of("with custody.free_supervisor = true")
    pit.shoe("H-1", ended=False, table="T1", crew=[{"post": "supervisor", "person": "sue"}])
    pit.step('shoe H-1 crew-changed {"post": "supervisor", "person": "sid"}')
    pit.step('cards B-1 cards-preshuffled {"by": "dora", "supervisor": "sue"}')
    pit.step('shoe H-1 shoe-ended {"left": 410, "reason": "withdrawn"}')
    pit.step('shoe H-2 {"batch": "B-1"}')
    audit = audit_floor(pit.floor())
    assert audit.findings == []
    assert result_on(audit, "preshuffle-supervisor-not-free") == "pass"


def test_a_batch_without_an_issue_is_a_breach_where_the_pack_has_issues_recorded() -> None:
    steps = """
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    shoe H-1 {"table": "T1", "batch": "B-1"}
    """
    code = "cards-not-issued-to-table"
    silent = audit_floor(Pit.of(steps).floor())
    assert result_on(silent, code) == "not-applicable"
    asked = audit_floor(Pit.of(f"with custody.issued = true\n{steps}").floor())
    assert [(each.code, each.observed) for each in asked.findings] == [(code, "never issued")]


def test_cards_found_bad_when_they_were_put_back_are_to_be_reported() -> None:
    pit = Pit.of("""
    with custody.report_minutes = 15
    cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
    shoe H-1 {"batch": "B-1"}
    cards B-1 cards-sorted {"by": "ann", "marked": 1}
    +16m
    cards B-1 cards-destroyed {"by": "sam"}
    """)
    (found,) = audit_floor(pit.floor()).findings
    assert found.code == "unreported-bad-cards"


def test_days_are_those_of_the_casino() -> None:
    """At 20:00 UTC it is the next day at Macau, so that the Thursday before counts too."""
    steps = [
        "with approval.notice_days = 3",
        'with approval.authority = "DICJ"',
        'adopted T1 {"authority": "DICJ", "approval": "1", "noticed": "2025-12-29"}',
        'shoe H-1 {"table": "T1"}',
    ]
    code = "unannounced-burn-option"
    assert result_on(audit_floor(Pit.of("\n".join(steps)).floor()), code) == "fail"
    there = ["with approval.utc_offset = 8", *steps]
    assert result_on(audit_floor(Pit.of("\n".join(there)).floor()), code) == "pass"


# -- Cards in two places ---------------------------------------------------------------------------

BACK = "returned"
RENEWED = "destroyed, and new cards delivered"


@pytest.mark.parametrize(
    ("issues", "found"),
    [
        (["T1", "T1", "T2"], ["T2 while they were at T1"]),
        (["T1", "T2", "T2"], ["T2 while they were at T1"]),
        (["T1", "T2", "T1"], ["T2 while they were at T1"]),
        (["T1", "T2", "T3"], ["T2 while they were at T1", "T3 while they were at T1"]),
        (["T1", "T2", BACK, BACK, "T3"], ["T2 while they were at T1"]),
        (["T1", BACK, "T2"], []),
        (["T1", RENEWED, "T2"], []),
    ],
)
def test_each_issue_of_cards_that_lie_elsewhere_is_one_finding(issues, found):
    steps = [RECEIVED]
    for each in issues:
        other = [RETURNED] if each == BACK else [DESTROYED, RECEIVED]
        steps += [ISSUED.replace("T1", each)] if each.startswith("T") else other
    said = [each.message for each in found_in(steps) if each.number == "M602"]
    assert said == [f"the cards were issued to {each}" for each in found]


# -- What earlier faults leave behind --------------------------------------------------------------


def test_cards_that_return_from_a_table_where_they_were_not_issued():
    """They were issued to T2, dealt at T1, and came back from there."""
    pit = Pit.of(
        """
        cards B-1 cards-issued {"table": "T2", "by": "sam"}
        shoe H-1 {"table": "T1", "batch": "B-1"}
        cards B-1 cards-returned {"by": "sam", "table": "T1"}
        """
    )
    found = {each.code: each for each in audit_floor(pit.floor()).findings}
    dealt, returned = found["cards-not-issued-to-table"], found["unmatched-batch-event"]
    assert (dealt.explained_by, returned.explained_by) == (None, dealt.fingerprint)


# -- Corrections of shoes --------------------------------------------------------------------------

AWAY = "R418"


@pytest.mark.parametrize(
    ("first", "then", "after", "found"),
    [
        # without a batch the rules on its cards would not apply
        ({"batch": "B-1"}, {}, 1, [(AWAY, "medium")]),
        ({"batch": "B-1"}, {}, 0, []),
        ({"batch": "B-1"}, {"batch": "B-2", "sabot": "7"}, 1, [(AWAY, "medium")]),
        # the name of a batch that lies at the table: perhaps the first was a slip
        ({"batch": "B-1"}, {"batch": "B-2"}, 1, [(AWAY, "note")]),
        ({"batch": "B-1"}, {"batch": "B-2"}, 0, []),
        ({"batch": "B-2"}, {"batch": "B-2", "sabot": "7"}, 1, []),
        # after the first card the batch cannot be corrected at all (R405)
        ({"batch": "B-1"}, {"batch": "B-2"}, 20, [("M607", "high")]),
    ],
)
def test_the_loading_of_a_shoe_is_corrected(first, then, after, found):
    """The cards B-1 are at another table. ``after`` events come before the correction."""
    pit = Pit()
    pit.step(ISSUED.replace("T1", "T2"))
    pit.step(ISSUED.replace("B-1", "B-2"))
    felt = Felt(pit.pack, 8, "shoe/H-1").ready().coup("p1 player 500 | P 4 5  B K 8")
    loaded = replace(felt.payloads[0], table="T1")
    correction = ev.EventCorrected(1, "misread", "pam", replace(loaded, **then))
    pit.put("shoe/H-1", replace(loaded, **first), *felt.payloads[1 : after + 1])
    pit.put("shoe/H-1", correction, *felt.payloads[after + 1 :])
    shoes = [audit_shoe(shoe).trace for shoe in pit.shoes()]
    floor = pit.floor()
    floor = floor_of(floor.batches.values(), floor.tables.values(), shoes)
    assert [(each.number, each.severity) for each in audit_floor(floor).findings] == found


def test_a_correction_of_a_loading_that_names_an_unknown_batch_is_told_once():
    pit = Pit.of("with custody.issued = true\n" + ISSUED.replace("T1", "T2"))
    felt = Felt(pit.pack, 8, "shoe/H-1")
    loaded = replace(felt.payloads[0], table="T1", batch="B-1")
    other = ev.EventCorrected(1, "misread", "pam", replace(loaded, batch="B-9"))
    pit.put("shoe/H-1", loaded, ev.RequestMade("p1", "other"), other)
    found = {each.number: each for each in audit_floor(pit.floor()).findings}
    away, unknown = found[AWAY], found["M608"]
    assert (away.severity, away.shoe, away.stream) == ("medium", "H-1", "shoe/H-1")
    assert (away.explained_by, unknown.explained_by) == (None, away.fingerprint)


def test_a_corrected_count_of_a_shoe_is_one_finding():
    """A card is missing at the end of the shoe. The correction hides it from shoe and batch."""
    ended = ev.ShoeEnded(reason="withdrawn", left=409)
    pit = Pit.of("\n".join([ISSUED, f"{SHOE} open"]))
    pit.put("shoe/H-1", ended)
    pit.step(RETURNED)
    pit.wait("1h")
    version = len(pit.streams["shoe/H-1"])
    pit.put("shoe/H-1", ev.EventCorrected(version, "recount", "pam", replace(ended, left=410)))
    shoes = [audit_shoe(shoe) for shoe in pit.shoes()]
    (own,) = shoes[0].findings
    floor = pit.floor()
    floor = floor_of(floor.batches.values(), floor.tables.values(), [each.trace for each in shoes])
    (away,) = [each for each in audit_floor(floor).findings if each.number == AWAY]
    assert (own.number, away.explained_by) == ("R413", own.fingerprint)


# -- Corrections of tables -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paid", "corrected", "found"),
    [
        # 1.00 too little, and 3.00 too much
        (900, 1000, [(AWAY, {"p1": -100})]),
        (1300, 1000, [(AWAY, {"p1": 300})]),
        # as corrected 4.00 too little; it was 1.00, which is what both findings amount to
        (900, 600, [("F609", {"p1": -400}), (AWAY, {"p1": 300})]),
        # a right payout that looks wrong by the correction
        (1000, 600, [("F609", {"p1": -400})]),
    ],
)
def test_the_payout_of_an_abandoned_bet_is_corrected(paid, corrected, found):
    """10.00 were kept for p1."""
    steps = ['with abandoned_bets = "kept"', OPEN, f"{SHOE} open", LEFT, KEPT, OVER]
    pit = Pit.of("\n".join([*steps, CLAIMED.replace("1000", str(paid)), "+2m"]))
    instead = ev.AbandonedClaimed("A", corrected, "p1")
    pit.put("table/T1", ev.EventCorrected(3, "misread", "pam", instead))
    findings = audit_floor(pit.floor()).findings
    assert sorted((each.number, each.money.patrons) for each in findings) == found
    away = [each for each in findings if each.number == AWAY]
    assert [(each.severity, each.shoe, each.patron) for each in away] == [
        ("high", "H-1", "p1")
    ] * len(away)
