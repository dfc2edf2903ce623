"""Why some faults of `benchmarks.fresh_fault_kinds` are not found, or have several findings."""

from typing import Final

_BANK: Final = "where a patron banks, the bank then has another amount than is called or taken out"
_SEAT: Final = (
    "where a patron banks, offers, hands and payments go by the seats, and each is judged by itself"
)

REASONS: Final[dict[str, str]] = {
    "a loser withdraws the bet": "half of a stake on both tableaux tied, and is carried over",
    "a push is taken": _BANK,
    "the payments of two winners are swapped": "one finding for each of the two bets",
    "commission is not taken": "what is marked and what is collected differ too",
    "commission is 4 % instead of 5 %": "what is marked and what is collected differ too",
    "commission is taken from another patron": "each of the two patrons owes another amount",
    "the first card comes before the bets": "one finding for the card, and for each bet behind it",
    "a bet below the minimum is accepted and not settled": "two faults: the bet, and no settlement",
    "the minimum rises in mid-coup, and nobody heeds it": "a bank is below the new minimum too",
    "Player's third card goes to Banker": "Banker's draw is wrong by the hands on record too",
    "the first two cards go to the wrong hands": "later draws are wrong by the hands on record",
    "a card is switched": "later draws are wrong by the hands on record",
    "a card that was not dealt is turned": "another card stays face down",
    "a dealer bets": _SEAT,
    "a patron who has left bets": _SEAT,
    "a newcomer takes an occupied seat": f"most packs allow several patrons at a seat; {_SEAT}",
    "a bet comes from seat 40": "at macao the hand of the seat is missing too",
    "the shoe passes as lost after the bank won": (
        "the next offer has another amount; at two tableaux no rule depends on the reason"
    ),
    "stakes beyond the bank are not returned": "the hand goes to its patron, or the levy counts it",
    "a correction removes a lost bet": _BANK,
    "a dealer voids a coup after the result": _BANK,
    "the dealer cuts": "most rule packs do not say who cuts",
    "a bet is settled in the next coup": f"the moved event keeps its clock; {_BANK}",
    "a levy is taken at a game without one": _BANK,
    "winnings are noted as left on the layout": (
        "a patron may leave winnings; who kept the chips is not on record"
    ),
}
"""Reasons by fault."""
