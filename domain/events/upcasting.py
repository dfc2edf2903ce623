"""Former shapes of events and their upcasters.

A stored event is never rewritten. If the shape of an event changes, the event gets a new tag, and
the old tag, old shape and upcaster move here, so that every reader sees the current event. An event
nested in another (``instead`` of a correction) is upcast too. The table is closed: an event that is
neither in it nor current does not belong to this program.

Events about findings and audit runs name rules by code. `current_code` maps a former code to the
current one; the stored event keeps its own.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast, get_args

import msgspec
from msgspec import Struct

from sabot.domain.events import Event


class Legacy(Struct, frozen=True):
    """A former shape, a Struct without a tag, and its upcaster."""

    shape: type[Struct]
    upcast: Callable[[Any], Event]


LEGACY: Final[Mapping[str, Legacy]] = {}
"""Former tag -> former shape; empty while every event has the shape of the first release."""

_TODAY: Final = frozenset(str(kind.__struct_config__.tag) for kind in get_args(Event))
_EVENT: Final[Any] = Event


def upcast(payload: bytes | str, legacy: Mapping[str, Legacy] = LEGACY) -> Event:
    """Decode a stored event of any age.

    Raises:
        msgspec.ValidationError: it is neither a current nor a former event.
        msgspec.DecodeError: it is not JSON.
    """
    raw = msgspec.json.decode(payload)
    return cast("Event", msgspec.convert(_brought_up_to_date(raw, legacy), _EVENT))


def _brought_up_to_date(raw: object, legacy: Mapping[str, Legacy]) -> object:
    """Replace former events in decoded JSON by current ones, innermost first."""
    if isinstance(raw, list):
        return [_brought_up_to_date(item, legacy) for item in raw]
    if not isinstance(raw, dict):
        return raw
    fields = {name: _brought_up_to_date(value, legacy) for name, value in raw.items()}
    old = legacy.get(str(fields.get("type")))
    if old is None:
        return fields
    del fields["type"]
    return msgspec.to_builtins(old.upcast(msgspec.convert(fields, old.shape)))


def current_code(code: str) -> str:
    """Return the current code of a rule. The given code may be a former one."""
    return FORMER_CODES.get(code, code)


# -- The former codes of the rules, by group -------------------------------------------------------

FORMER_CODES: Final[Mapping[str, str]] = {
    # third-card
    "punto-drew-against-tableau": "player-drew-against-table",
    "punto-stood-against-tableau": "player-stood-against-table",
    "banco-drew-against-tableau": "banker-drew-against-table",
    "banco-stood-against-tableau": "banker-stood-against-table",
    "hand-took-a-fourth-card": "fourth-card-drawn",
    "hand-drew-where-it-must-stand": "draw-on-mandatory-stand",
    "hand-stood-where-it-must-draw": "stand-on-mandatory-draw",
    "third-card-was-not-asked-for": "unrequested-third-card",
    "choice-was-made-by-another": "decision-by-wrong-player",
    "hand-was-given-to-another": "wrong-player-for-hand",
    "hand-asked-where-it-must-stand": "request-on-mandatory-stand",
    # dealing
    "cards-were-dealt-out-of-order": "cards-out-of-order",
    "coup-was-closed-on-too-few-cards": "coup-short-of-cards",
    "cards-places-in-the-shoe-skip": "skipped-card",
    "dealt-card-was-burned-without-a-ruling": "dealt-card-burned-without-ruling",
    "coup-was-decided-with-its-cards-face-down": "result-before-cards-exposed",
    "card-was-not-given-to-banker": "card-withheld-from-banker",
    "card-changed-hands-without-a-ruling": "card-moved-without-ruling",
    # calls
    "two-card-totals-were-miscalled": "miscalled-two-card-totals",
    "final-totals-were-miscalled": "miscalled-final-totals",
    "outcome-was-miscalled": "miscalled-result",
    "call-came-before-its-cards": "premature-call",
    "result-was-not-called": "result-not-called",
    # coup-sequence
    "coup-was-left-open": "unclosed-coup",
    "number-of-a-coup-is-not-the-next": "coup-number-out-of-sequence",
    "coup-went-on-after-the-shoe-had-ended": "coup-after-shoe-end",
    "card-was-drawn-for-a-coup-that-was-over": "card-after-coup-end",
    # bets
    "bet-was-placed-late": "past-posted-bet",
    "card-was-drawn-before-no-more-bets": "card-before-bets-closed",
    "bet-was-changed-late": "late-bet-change",
    "wager-is-not-offered": "wager-not-offered",
    "seat-is-not-there": "unknown-seat",
    "free-hand-took-a-bet": "bet-on-free-hand",
    "too-many-free-hands": "excess-free-hands",
    "free-hand-was-dealt-late": "late-free-hand",
    "free-hand-was-not-asked-for": "unrequested-free-hand",
    "too-many-patrons-at-a-seat": "excess-patrons-at-seat",
    "too-many-patrons-bet-on-a-seat": "excess-bettors-on-seat",
    "bet-was-carried-that-no-tie-left": "carried-bet-without-tie",
    "held-bet-was-taken-up": "held-bet-taken-up",
    # limits
    "bet-was-outside-the-limits": "bet-outside-limits",
    "table-differential-was-exceeded": "table-differential-exceeded",
    "limits-are-out-of-proportion": "limit-ratio-not-permitted",
    "change-of-limits-was-not-displayed": "limit-change-not-displayed",
    "patrons-bets-together-were-above-the-limit": "combined-bets-above-limit",
    "accepted-bet-was-cut-down": "accepted-bet-reduced",
    "excess-over-the-limit-was-not-returned": "excess-over-limit-not-returned",
    # payments
    "winning-bet-was-paid-wrong": "wrong-payout",
    "losing-bet-was-not-taken": "losing-bet-not-taken",
    "pushed-bet-was-moved": "push-paid-or-taken",
    "commission-was-wrong": "wrong-commission",
    "commission-was-collected-and-not-owed": "commission-not-due",
    "commission-was-left-owing": "commission-unpaid-at-shoe-end",
    "patron-left-owing-commission": "commission-unpaid-at-departure",
    # settlement
    "bet-was-never-settled": "unsettled-bet",
    "voided-bet-was-settled": "voided-bet-settled",
    "bet-was-settled-before-the-result": "settlement-before-result",
    "bet-was-settled-after-the-close": "settlement-after-coup-close",
    "winner-was-paid-before-losers-were-taken": "winners-paid-before-losers-taken",
    "winner-was-paid-out-of-turn": "payment-out-of-turn",
    "cards-were-cleared-before-the-bets-were-settled": "cards-cleared-before-settlement",
    "discards-were-not-covered": "uncovered-discards",
    # shoe-procedure
    "number-of-decks-is-not-allowed": "deck-count-not-permitted",
    "backs-are-not-as-the-pack-says": "wrong-card-backs",
    "cards-were-not-shuffled": "missing-shuffle",
    "burn-was-not-as-the-pack-says": "wrong-opening-burn",
    "card-was-burned-and-nothing-asked-for-it": "unjustified-burn",
    "burn-on-relief-was-not-as-the-pack-says": "wrong-relief-burn",
    "burn-after-a-dead-game-was-not-as-the-pack-says": "wrong-dead-game-burn",
    "cards-were-not-cut": "missing-cut",
    "cut-was-not-offered": "cut-not-offered",
    "cut-was-offered-out-of-turn": "cut-offered-out-of-turn",
    "cards-were-cut-again": "repeated-cut",
    "no-stop-card-was-placed": "missing-stop-card",
    "stop-card-was-misplaced": "misplaced-stop-card",
    "stop-card-went-in-at-another-time": "mistimed-stop-card",
    "shoe-was-shuffled-in-mid-shoe": "mid-shoe-shuffle",
    # card-count
    "more-copies-of-a-card-than-decks": "excess-copies-of-card",
    "more-cards-left-the-shoe-than-it-held": "excess-cards-dealt",
    "cards-do-not-add-up-at-the-end": "card-count-mismatch",
    # end-of-shoe
    "coup-was-dealt-after-the-last": "coup-after-last",
    "cut-card-showed-in-the-wrong-place": "wrong-cut-card-position",
    "last-coup-was-not-called": "last-coup-not-called",
    "shoe-ended-without-its-cut-card": "shoe-end-without-cut-card",
    "shoe-went-on-after-its-last-coup-was-called": "play-after-called-last-coup",
    # irregularities
    "wrong-draw-was-passed-over": "unreported-wrong-draw",
    "face-up-card-was-passed-over": "unreported-exposed-card",
    "ruling-is-not-one-of-the-packs": "ruling-not-permitted",
    "ruling-was-not-carried-out": "ruling-not-carried-out",
    "coup-was-voided-without-a-reason": "unjustified-void",
    "shoe-ended-in-the-middle-of-a-coup": "unfinished-coup-not-voided",
    "shuffler-fault-was-passed-over": "unreported-shuffler-fault",
    "coup-went-on-after-a-shuffler-fault": "play-after-shuffler-fault",
    "no-bet-hand-was-not-played-out": "no-bet-hand-not-played-out",
    # shoe-holder
    "shoe-was-kept-after-a-loss": "shoe-kept-after-loss",
    "shoe-was-passed-before-a-coup": "shoe-passed-without-coup",
    "shoe-was-offered-out-of-turn": "shoe-offered-out-of-turn",
    "patron-held-the-shoe-of-the-dealer": "dealer-shoe-held-by-patron",
    "next-shoe-goes-on-from-another": "wrong-first-banker",
    "shoe-was-kept-after-a-false-draw": "shoe-kept-after-wrong-draw",
    # bank
    "stakes-were-played-against-no-bank": "coup-without-bank",
    "stakes-were-beyond-the-bank": "stakes-beyond-bank",
    "bank-was-miscalled": "miscalled-bank",
    "bank-was-moved-by-another": "bank-moved-by-wrong-person",
    "bank-was-had-by-another": "wrong-banker",
    "bank-was-raised-after-no-more-bets": "late-bank-raise",
    "step-of-a-coup-was-left-out": "omitted-coup-step",
    "excess-went-back-out-of-order": "excess-returned-out-of-order",
    "banco-was-not-played-alone": "stake-beside-banco",
    "banco-was-claimed-without-ground": "unjustified-banco",
    "banker-staked-against-his-bank": "banker-stake-against-own-bank",
    "bank-was-declared-without-a-limit-for-nothing": "open-bank-without-excess",
    "bank-was-offered-out-of-turn": "bank-offered-out-of-turn",
    "bank-was-put-up-at-another-amount": "wrong-bank-amount",
    "bank-was-taken-out-too-soon": "premature-bank-withdrawal",
    "bank-was-taken-out-in-part": "partial-bank-withdrawal",
    "money-was-not-conserved": "chip-balance-mismatch",
    "bystander-staked-beyond-the-seated": "bystander-stake-before-seated",
    "limited-bank-was-raised-in-a-coup": "mid-coup-bank-raise",
    # levy
    "levy-was-wrong": "wrong-levy",
    "levy-has-no-ticket": "levy-without-ticket",
    "levy-was-out-of-order": "levy-out-of-order",
    "tickets-were-not-torn": "untorn-tickets",
    # two-tableaux
    "first-bank-was-awarded-to-another": "wrong-first-bank-award",
    "bank-was-put-up-below-its-bid": "bank-below-bid",
    "banker-did-not-take-his-place": "banker-out-of-place",
    "bank-was-put-up-beyond-proven-funds": "bank-beyond-proven-funds",
    "sessions-of-a-day-were-exceeded": "excess-sessions",
    "cards-were-shuffled-after-the-banker": "shuffle-after-banker",
    "cards-were-cut-by-another-than-named": "wrong-cutter",
    "broken-bank-was-played-on": "play-on-broken-bank",
    "banco-was-claimed-a-fourth-time": "fourth-banco",
    "frozen-stake-was-taken-back": "held-stake-taken-up",
    "stake-was-carried-that-was-not-frozen": "carried-stake-not-held",
    "stake-was-no-whole-number-of-units": "stake-not-whole-units",
    "stake-was-on-the-other-wing": "stake-on-wrong-tableau",
    "winner-was-paid-out-of-rotation": "payment-out-of-rotation",
    "wings-were-dealt-out-of-turn": "tableaux-out-of-turn",
    "hand-of-a-wing-was-miscalled": "miscalled-tableau",
    "natural-of-a-wing-was-not-paid-at-once": "unpaid-tableau-natural",
    # own-hands
    "card-was-not-asked-for": "unrequested-card",
    "card-asked-for-was-not-dealt": "requested-card-not-dealt",
    "hand-drew-beyond-its-end": "card-beyond-hand-end",
    "card-was-rejected-against-the-pack": "card-rejection-not-permitted",
    "hand-was-out-of-turn": "hand-out-of-turn",
    "hand-was-played-by-another": "hand-played-by-wrong-player",
    "hand-was-miscalled": "miscalled-hand",
    "stake-had-no-hand": "stake-without-hand",
    "bank-was-given-up-before-the-pack-ended": "bank-given-up-early",
    "bank-did-not-go-to-the-left": "bank-not-passed-left",
    "bank-was-put-up-too-small": "bank-below-minimum",
    # custody
    "cards-came-back-after-destruction": "destroyed-cards-reused",
    "cards-were-in-two-places-at-once": "cards-in-two-places",
    "shoe-is-not-made-of-the-batch-it-names": "shoe-batch-mismatch",
    "cards-were-used-for-too-many-shoes": "overused-cards",
    "cards-lay-on-a-table-too-long": "cards-too-long-on-table",
    "seal-was-broken-in-between": "broken-seal",
    "cards-were-dealt-where-they-were-not-issued": "cards-not-issued-to-table",
    "batch-was-never-recorded": "unrecorded-batch",
    "cards-were-used-before-inspection": "uninspected-cards",
    "machine-left-no-receipt": "missing-preshuffle-receipt",
    "preshuffle-supervisor-had-an-open-table": "preshuffle-supervisor-not-free",
    "preshuffle-was-not-verified": "unverified-preshuffle",
    "preshuffle-recording-was-not-kept": "missing-preshuffle-recording",
    # inventory
    "cards-counted-do-not-tally": "card-inventory-mismatch",
    "cards-were-not-reconciled-in-time": "late-card-reconciliation",
    "stock-of-cards-was-not-counted-in-time": "late-stock-count",
    "bad-cards-were-not-reported-at-once": "unreported-bad-cards",
    "bad-cards-were-dealt-again": "bad-cards-reused",
    "miscounted-shoe-was-passed-over": "unreported-miscount",
    "cards-were-not-put-back-in-order": "unsorted-cards",
    # tables
    "shoe-was-dealt-at-a-closed-table": "play-at-closed-table",
    "two-shoes-were-dealt-at-one-table": "two-shoes-at-table",
    "shoe-of-a-session-was-called-twice": "repeated-session-shoe",
    "cards-of-another-session-were-dealt": "cards-from-other-session",
    "shoe-is-tied-to-a-table": "shoe-not-rotated",
    "shoe-was-at-two-tables-at-once": "shoe-at-two-tables",
    "abandoned-bet-was-not-kept": "abandoned-bet-not-kept",
    "abandoned-bet-was-kept-wrong": "wrong-abandoned-bet-amount",
    "abandoned-money-was-paid-out-wrong": "wrong-abandoned-bet-payout",
    # approvals
    "shoe-was-dealt-by-rules-not-adopted": "rules-not-adopted",
    "rules-were-adopted-without-approval": "unapproved-rules",
    "burn-option-was-not-approved": "unapproved-burn-option",
    "burn-option-was-taken-up-without-notice": "unannounced-burn-option",
    # record
    "fact-has-no-ground": "unmatched-event",
    "table-fact-has-no-ground": "unmatched-table-event",
    "cards-fact-has-no-ground": "unmatched-batch-event",
    "correction-names-no-fact": "correction-without-event",
    "loading-was-changed-after-the-first-card": "late-loading-change",
    "rule-pack-cannot-be-read": "unreadable-rule-pack",
    "rule-pack-is-not-the-one-named": "rule-pack-mismatch",
    "committed-order-was-not-opened": "committed-order-not-opened",
    "card-is-not-the-one-committed": "card-order-mismatch",
    "sequence-of-a-device-has-a-gap": "device-number-gap",
    "clock-of-a-device-jumped": "clock-jump",
}
"""Code of a rule in events of the first release -> current code; closed and permanent."""
