"""Events, posts, requests and reasons in words.

Events store short names such as ``cut-card``. Text for people uses these labels.
"""

from typing import Final

from sabot.domain.events import Event, name_of
from sabot.domain.events.people import PassReason, Post, RequestKind
from sabot.domain.events.shoe import BurnReason, EndOfShoe

EVENT_NOUNS: Final = {
    "shoe-loaded": "the loading of the shoe",
    "cards-inspected": "the inspection of the cards",
    "shoe-shuffled": "the shuffle of the shoe",
    "order-committed": "the commitment of the card order",
    "order-opened": "the disclosure of the card order",
    "cut-offered": "the offer of the cut",
    "cut-refused": "the refusal of the cut",
    "cutter-named": "the naming of the cutter",
    "shoe-cut": "the cut of the shoe",
    "stop-card-placed": "the placing of the cut card",
    "cut-card-reached": "the appearance of the cut card",
    "last-coup-called": "the call of the last coup",
    "shoe-ended": "the end of the shoe",
    "shoe-offered": "the offer of the shoe",
    "shoe-taken": "the taking of the shoe",
    "shoe-refused": "the refusal of the shoe",
    "shoe-passed": "the passing of the shoe",
    "patron-seated": "the seating of a patron",
    "patron-moved": "the move of a patron to another seat",
    "patron-left": "the departure of a patron",
    "crew-changed": "the change of a crew post",
    "limits-changed": "the change of the limits",
    "request-made": "the request of a patron",
    "bet-placed": "the placing of the bet",
    "bet-carried": "the carrying of the bet",
    "bet-changed": "the change of the bet",
    "bet-withdrawn": "the withdrawal of the bet",
    "bet-taken": "the taking of the bet",
    "bet-paid": "the payment of the bet",
    "bet-pushed": "the push of the bet",
    "no-more-bets": 'the call "no more bets"',
    "card-drawn": "the drawing of a card",
    "totals-called": "the call of the totals",
    "result-called": "the call of the result",
    "hands-called": "the call of the hands",
    "coup-opened": "the opening of the coup",
    "coup-closed": "the close of the coup",
    "coup-voided": "the void of the coup",
    "bet-abandoned": "the abandonment of the bet",
    "commission-marked": "the marking of commission",
    "commission-collected": "the collection of commission",
    "card-burned": "the burning of a card",
    "card-turned": "the turning of a card",
    "card-reassigned": "the move of a card to the other hand",
    "cards-cleared": "the clearing of the cards",
    "shuffler-failed": "the fault of the shuffler",
    "irregularity-noted": "the note of an irregularity",
    "bank-bid": "the bid for the bank",
    "bank-listed": "the listing for the bank",
    "funds-proven": "the proof of funds",
    "session-called": "the call of the session",
    "bank-posted": "the putting up of a bank",
    "bank-raised": "the addition of chips to the bank",
    "bank-withdrawn": "the taking of chips out of the bank",
    "bank-called": "the announcement of the bank",
    "bank-unlimited": "the acceptance of all stakes",
    "banco-called": "the call of banco",
    "excess-returned": "the return of part of the bet",
    "hand-given": "the giving of a hand to its player",
    "choice-made": "the choice for a hand",
    "card-rejected": "the rejection of a card",
    "levy-announced": "the announcement of the levy",
    "tickets-detached": "the detaching of tickets",
    "levy-taken": "the taking of the levy",
    "tickets-torn": "the tearing of the tickets",
    "table-opened": "the opening of the table",
    "table-closed": "the closing of the table",
    "rule-pack-adopted": "the adoption of a rule pack",
    "chips-bought": "the sale of chips",
    "table-filled": "the fill of the table",
    "credit-sent": "the credit from the table",
    "drop-counted": "the count of the drop",
    "abandoned-kept": "the keeping of an abandoned bet",
    "abandoned-claimed": "the claim of an abandoned bet",
    "cards-received": "the receipt of the cards",
    "cards-preshuffled": "the pre-shuffle of the cards",
    "cards-sealed": "the sealing of the cards",
    "seal-opened": "the opening of a seal",
    "cards-issued": "the issue of the cards",
    "cards-returned": "the return of the cards",
    "cards-sorted": "the sorting of the cards",
    "cards-found-bad": "the finding of bad cards",
    "defect-reported": "the report of a defect",
    "cards-counted": "the count of the cards",
    "cards-destroyed": "the destruction of the cards",
    "fact-corrected": "the correction of an event",
}
"""Each event of a shoe, a table and a batch as a noun."""

_REQUESTS: Final[dict[RequestKind, str]] = {
    "turn-card": "to have a card turned",
    "keep-decks": "to keep the decks",
    "shuffler": "for a shuffler",
    "dealer": "for a dealer",
    "seat": "for a seat",
    "guest": "to bring a guest",
    "free-hand": "for a hand without bets",
    "other": "for something else",
}

_BURNS: Final[dict[BurnReason, str]] = {
    "opening": "opening burn",
    "relief": "dealer relief",
    "dead-game": "dead game",
    "ruling": "ruling",
    "fault": "fault",
    "other": "other",
}

_PASSES: Final[dict[PassReason, str]] = {
    "lost": "lost the coup",
    "chosen": "by choice",
    "ruling": "by a ruling",
    "left": "left the table",
    "pack-ended": "all cards dealt",
}

_ENDS: Final[dict[EndOfShoe, str]] = {
    "cut-card": "cut card reached",
    "withdrawn": "withdrawn",
    "fault": "fault",
    "too-few-cards": "too few cards",
    "closing": "closing of the table",
}


def event_noun(payload: Event) -> str:
    """Return an event as a noun.

    For example ``the call of the result``.
    """
    name = name_of(payload)
    return EVENT_NOUNS.get(name) or f"the event {name.replace('-', ' ')}"


def request_label(kind: RequestKind) -> str:
    """Return what a patron asks, to follow the verb.

    >>> request_label("keep-decks"), request_label("seat")
    ('to keep the decks', 'for a seat')
    """
    return _REQUESTS[kind]


def burn_label(reason: BurnReason) -> str:
    """Return why a card was burned.

    >>> burn_label("relief")
    'dealer relief'
    """
    return _BURNS[reason]


def pass_label(reason: PassReason) -> str:
    """Return why the shoe or the bank was passed on.

    >>> pass_label("pack-ended")
    'all cards dealt'
    """
    return _PASSES[reason]


def shoe_end_label(reason: EndOfShoe) -> str:
    """Return why a shoe ended.

    >>> shoe_end_label("cut-card")
    'cut card reached'
    """
    return _ENDS[reason]


def post_label(post: Post) -> str:
    """Return a post of the crew.

    >>> post_label("payer-1")
    'payer 1'
    """
    return post.replace("-", " ")
